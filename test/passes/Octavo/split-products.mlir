// RUN: octavo-opt %s --octavo-split-products --split-input-file | FileCheck %s
// RUN: octavo-opt %s --octavo-split-products=parts=4 --split-input-file | FileCheck %s --check-prefix=FOUR

#row = #octavo.granule<row>
module attributes {octavo.target = #octavo.target<"gfx950">} {
// Few tiles and a long K: parts, their sum, then scales, bias and cast.
// CHECK-LABEL: func.func @long
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [64, [[P:[0-9]+]], [[K:[0-9]+]]]
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK: octavo.scaled_matmul %{{.*}}, transposed %{{.*}} : tensor<[[P]]x64x[[K]]xf8E4M3FN>, tensor<[[P]]x96x[[K]]xf8E4M3FN> -> tensor<[[P]]x64x96xf32>
// CHECK: linalg.reduce ins(%{{.*}} : tensor<[[P]]x64x96xf32>) outs(%{{.*}} : tensor<64x96xf32>) dimensions = [0]
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @long(%a: tensor<64x8192xf8E4M3FN>, %b: tensor<96x8192xf8E4M3FN>, %sa: tensor<64x1xf32>, %sb: tensor<96x1xf32>,
                %bias: tensor<96xbf16>) -> tensor<64x96xbf16> {
  %c = octavo.scaled_matmul %a scaled %sa, transposed %b scaled %sb bias %bias {granule_a = #row, granule_b = #row}
    : tensor<64x8192xf8E4M3FN>, tensor<64x1xf32>, tensor<96x8192xf8E4M3FN>, tensor<96x1xf32>, tensor<96xbf16> -> tensor<64x96xbf16>
  return %c : tensor<64x96xbf16>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Tiles enough for every compute unit.
// CHECK-LABEL: func.func @large
// CHECK-NOT: linalg.reduce
// CHECK: return
func.func @large(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
  %c = octavo.scaled_matmul %a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  return %c : tensor<4096x4096xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A K that no part divides well.
// CHECK-LABEL: func.func @prime
// CHECK-NOT: linalg.reduce
// CHECK: return
// FOUR-LABEL: func.func @prime
// FOUR-NOT: linalg.reduce
// FOUR: return
func.func @prime(%a: tensor<16x8191xbf16>, %b: tensor<8191x16xbf16>) -> tensor<16x16xf32> {
  %c = octavo.scaled_matmul %a, %b : tensor<16x8191xbf16>, tensor<8191x16xbf16> -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// What is stored with K first needs no transpose; scales along K go with their part.
// FOUR-LABEL: func.func @blocks
// FOUR: tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [4, 256, 64]
// FOUR: tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [4, 256, 32]
// FOUR: tensor.expand_shape %arg2 {{\[\[}}0, 1], [2]] output_shape [4, 2, 64]
// FOUR-NOT: linalg.transpose
// FOUR: octavo.scaled_matmul transposed %{{.*}} scaled %{{.*}}, %{{.*}} scaled %{{.*}} {granule_a = #octavo.granule<block<1x128>>, granule_b = #octavo.granule<block<1x128>>}
// FOUR-SAME: -> tensor<4x64x32xf32>
// FOUR: linalg.reduce
// FOUR-NOT: arith.mulf
// FOUR: arith.truncf
func.func @blocks(%a: tensor<1024x64xf8E4M3FN>, %b: tensor<1024x32xf8E4M3FN>, %sa: tensor<8x64xf32>, %sb: tensor<8x32xf32>)
    -> tensor<64x32xbf16> {
  %c = octavo.scaled_matmul transposed %a scaled %sa, %b scaled %sb {granule_a = #octavo.granule<block<1x128>>, granule_b = #octavo.granule<block<1x128>>}
    : tensor<1024x64xf8E4M3FN>, tensor<8x64xf32>, tensor<1024x32xf8E4M3FN>, tensor<8x32xf32> -> tensor<64x32xbf16>
  return %c : tensor<64x32xbf16>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Batches stay before the parts; integers are summed as integers.
// FOUR-LABEL: func.func @integers
// FOUR: octavo.scaled_matmul %{{.*}} : tensor<3x4x16x64xi8>, tensor<3x4x64x16xi8> -> tensor<3x4x16x16xi32>
// FOUR: linalg.reduce ins(%{{.*}} : tensor<3x4x16x16xi32>) outs(%{{.*}} : tensor<3x16x16xi32>) dimensions = [1]
// FOUR: arith.addi
func.func @integers(%a: tensor<3x16x256xi8>, %b: tensor<3x256x16xi8>) -> tensor<3x16x16xi32> {
  %c = octavo.scaled_matmul %a, %b : tensor<3x16x256xi8>, tensor<3x256x16xi8> -> tensor<3x16x16xi32>
  return %c : tensor<3x16x16xi32>
}
}
