// RUN: octavo-opt %s --octavo-to-tile --cse --split-input-file --verify-diagnostics | FileCheck %s

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Blocks of both operands as they lie in memory; scales of rows around the sum.
// CHECK-LABEL: tile.func @linear
// CHECK: %[[ACC:.*]] = scf.for %[[K:.*]] = %c0_i32 to %c512_i32 step %c128_i32
// CHECK:   %[[A:.*]] = tile.load %arg0[%{{.*}}, %[[K]]] : !tile.view<1024x512xf8E4M3FN>, i32, i32 -> tensor<32x128xf8E4M3FN>
// CHECK:   %[[B:.*]] = tile.load %arg1[%{{.*}}, %[[K]]] : !tile.view<384x512xf8E4M3FN>
// CHECK:   tile.dot %[[A]], %[[B]], %{{.*}} {transpose_b}
// CHECK: %[[SA:.*]] = tile.gather %arg2
// CHECK: arith.mulf %[[ACC]], %{{.*}}
// CHECK: %[[SB:.*]] = tile.gather %arg3
// CHECK: arith.truncf %{{.*}} to tensor<32x32xbf16>
// CHECK: tile.scatter
func.func @linear(%a: tensor<8x128x512xf8E4M3FN>, %b: tensor<384x512xf8E4M3FN>, %sa: tensor<1024x1xf32>,
                  %sb: tensor<384x1xf32>) -> tensor<1024x384xbf16> {
  %r = octavo.kernel @linear(%a, %b, %sa, %sb)
    : (tensor<8x128x512xf8E4M3FN>, tensor<384x512xf8E4M3FN>, tensor<1024x1xf32>, tensor<384x1xf32>) -> tensor<1024x384xbf16> {
  ^bb0(%x: tensor<8x128x512xf8E4M3FN>, %w: tensor<384x512xf8E4M3FN>, %xs: tensor<1024x1xf32>, %ws: tensor<384x1xf32>):
    %f = tensor.collapse_shape %x [[0, 1], [2]] : tensor<8x128x512xf8E4M3FN> into tensor<1024x512xf8E4M3FN>
    %y = octavo.scaled_matmul %f scaled %xs, transposed %w scaled %ws
        {granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}
      : tensor<1024x512xf8E4M3FN>, tensor<1024x1xf32>, tensor<384x512xf8E4M3FN>, tensor<384x1xf32> -> tensor<1024x384xbf16>
    octavo.yield %y : tensor<1024x384xbf16>
  }
  return %r : tensor<1024x384xbf16>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Heads lie between the rows: the batch is two dimensions of the view, and the
// transpose costs nothing.
// CHECK-LABEL: tile.func @heads
// CHECK-SAME: %arg0: !tile.view<2x128x4x32xbf16>
// CHECK: tile.load %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : !tile.view<2x128x4x32xbf16>, i32, i32, i32, i32 -> tensor<1x32x1x32xbf16>
// CHECK: tile.reshape %{{.*}} : tensor<1x32x1x32xbf16> -> tensor<32x32xbf16>
func.func @heads(%q: tensor<2x128x4x32xbf16>) -> tensor<8x128x128xf32> {
  %r = octavo.kernel @heads(%q) : (tensor<2x128x4x32xbf16>) -> tensor<8x128x128xf32> {
  ^bb0(%x: tensor<2x128x4x32xbf16>):
    %e = tensor.empty() : tensor<2x4x128x32xbf16>
    %t = linalg.transpose ins(%x : tensor<2x128x4x32xbf16>) outs(%e : tensor<2x4x128x32xbf16>) permutation = [0, 2, 1, 3]
    %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x4x128x32xbf16> into tensor<8x128x32xbf16>
    %y = octavo.scaled_matmul %c, transposed %c : tensor<8x128x32xbf16>, tensor<8x128x32xbf16> -> tensor<8x128x128xf32>
    octavo.yield %y : tensor<8x128x128xf32>
  }
  return %r : tensor<8x128x128xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
func.func @groups(%a: tensor<8x64xbf16>, %b: tensor<2x64x32xbf16>, %ends: tensor<2xi32>) -> tensor<8x32xbf16> {
  %r = octavo.kernel @groups(%a, %b, %ends) : (tensor<8x64xbf16>, tensor<2x64x32xbf16>, tensor<2xi32>) -> tensor<8x32xbf16> {
  ^bb0(%x: tensor<8x64xbf16>, %w: tensor<2x64x32xbf16>, %e: tensor<2xi32>):
    // expected-error @+1 {{'octavo.scaled_matmul' op has no lowering with groups}}
    %y = octavo.scaled_matmul %x, %w groups %e : tensor<8x64xbf16>, tensor<2x64x32xbf16>, tensor<2xi32> -> tensor<8x32xbf16>
    octavo.yield %y : tensor<8x32xbf16>
  }
  return %r : tensor<8x32xbf16>
}
}
