// RUN: octavo-opt %s --verify-roundtrip | FileCheck %s

// CHECK: octavo.target = #octavo.target<"gfx942:sramecc+:xnack-">
module attributes {octavo.target = #octavo.target<"gfx942:sramecc+:xnack-">} {

// CHECK-LABEL: func.func @quantize
func.func @quantize(%x: tensor<8x64xbf16>, %seed: tensor<i64>) {
  // CHECK: octavo.quantize %{{.*}} granule<row> axis 1 rule pow2 : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
  %q0, %s0 = octavo.quantize %x granule<row> axis 1 rule pow2
    : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
  // CHECK: octavo.quantize %{{.*}} granule<tensor> rule exact {amax_floor = 0.000000e+00 : f64, saturate = false}
  %q1, %s1 = octavo.quantize %x granule<tensor> rule exact {amax_floor = 0.0 : f64, saturate = false}
    : tensor<8x64xbf16> -> tensor<8x64xf8E5M2FNUZ>, tensor<f32>
  // CHECK: octavo.quantize %{{.*}} granule<block<4x16>> axis 1 rule exact
  %q2, %s2 = octavo.quantize %x granule<block<4x16>> axis 1 rule exact
    : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<2x4xf32>
  // CHECK: octavo.quantize %{{.*}} granule<mx<32>> axis 1 rule e8m0_floor seed %{{.*}} : tensor<i64> {rounding = #octavo.rounding<stochastic>}
  %q3, %s3 = octavo.quantize %x granule<mx<32>> axis 1 rule e8m0_floor seed %seed : tensor<i64>
      {rounding = #octavo.rounding<stochastic>}
    : tensor<8x64xbf16> -> tensor<8x64xf4E2M1FN>, tensor<8x2xf8E8M0FNU>
  // CHECK: octavo.dequantize %{{.*}} scaled %{{.*}} granule<row> axis 1
  %x0 = octavo.dequantize %q0 scaled %s0 granule<row> axis 1
    : tensor<8x64xf8E4M3FN>, tensor<8x1xf32> -> tensor<8x64xbf16>
  return
}

// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<8x64xf8E4M3FN>, %w: tensor<32x64xf8E4M3FN>, %xs: tensor<8x1xf32>,
                  %ws: tensor<32x1xf32>, %b: tensor<32xbf16>, %h: tensor<2x64x32xbf16>, %ends: tensor<2xi32>) {
  // CHECK: octavo.scaled_matmul %{{.*}} scaled %{{.*}}, transposed %{{.*}} scaled %{{.*}} bias %{{.*}} {granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}
  // CHECK-SAME: : tensor<8x64xf8E4M3FN>, tensor<8x1xf32>, tensor<32x64xf8E4M3FN>, tensor<32x1xf32>, tensor<32xbf16> -> tensor<8x32xbf16>
  %y0 = octavo.scaled_matmul %x scaled %xs, transposed %w scaled %ws bias %b
      {granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}
    : tensor<8x64xf8E4M3FN>, tensor<8x1xf32>, tensor<32x64xf8E4M3FN>, tensor<32x1xf32>, tensor<32xbf16>
    -> tensor<8x32xbf16>
  // CHECK: octavo.scaled_matmul transposed %{{.*}}, %{{.*}} : tensor<2x64x32xbf16>, tensor<2x64x32xbf16> -> tensor<2x32x32xf32>
  %y1 = octavo.scaled_matmul transposed %h, %h : tensor<2x64x32xbf16>, tensor<2x64x32xbf16> -> tensor<2x32x32xf32>
  // CHECK: octavo.scaled_matmul %{{.*}}, %{{.*}} groups %{{.*}} {group_dim = #octavo.group_dim<m>}
  %y2 = octavo.scaled_matmul %x, %h groups %ends {group_dim = #octavo.group_dim<m>}
    : tensor<8x64xf8E4M3FN>, tensor<2x64x32xbf16>, tensor<2xi32> -> tensor<8x32xbf16>
  return
}

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x2x16x64xbf16>, %s: tensor<1xf32>) {
  // CHECK: octavo.attention %{{.*}}, %{{.*}}, %{{.*}} scales
  // CHECK-SAME: score {
  // CHECK-NEXT: } mask {
  // CHECK: octavo.yield %{{.*}} : i1
  %o, %l = octavo.attention %q, %k, %k scales %s, %s, %s : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
      {scale = 0.125 : f32}
    : tensor<2x4x16x64xbf16>, tensor<2x2x16x64xbf16>, tensor<2x2x16x64xbf16>
    -> tensor<2x4x16x64xbf16>, tensor<2x4x16xf32>
    score {} mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c = arith.cmpi sle, %j, %i : index
      octavo.yield %c : i1
    }
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%seed: tensor<i64>, %g: tensor<32x64xf32>, %zero: tensor<256x64xf32>, %ids: tensor<32xi64>) {
  // CHECK: octavo.random uniform %{{.*}}, %{{.*}} : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
  %r = octavo.random uniform %seed, %seed : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
  // CHECK: octavo.scatter_reduce add %{{.*}} into %{{.*}} at %{{.*}} dims [0]
  %e = octavo.scatter_reduce add %g into %zero at %ids dims [0]
    : tensor<32x64xf32>, tensor<256x64xf32>, (tensor<32xi64>) -> tensor<256x64xf32>
  // CHECK: octavo.call "aten.sort.default"(%{{.*}}) because "no kernel sorts" {args = {stable = true}}
  %v = octavo.call "aten.sort.default"(%ids) because "no kernel sorts" {args = {stable = true}}
    : (tensor<32xi64>) -> tensor<32xi64>
  return
}

// CHECK-LABEL: func.func @kernels
func.func @kernels(%a: tensor<8xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: octavo.kernel @two(%{{.*}}, %{{.*}}) attributes {operand_strides = [array<i64: 1>, array<i64: 1>]}
  // CHECK-SAME: : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: octavo.yield
  // CHECK: }, {
  %0:2 = octavo.kernel @two(%a, %b) attributes {operand_strides = [array<i64: 1>, array<i64: 1>]}
    : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  ^bb0(%x: tensor<8xf32>):
    octavo.yield %x : tensor<8xf32>
  }, {
  ^bb0(%x: tensor<4xf32>):
    octavo.yield %x : tensor<4xf32>
  }
  // CHECK: octavo.launch @add(%{{.*}}) {places = [#octavo.place<workspace at 256>]} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = octavo.launch @add(%0#0) {places = [#octavo.place<workspace at 256>]} : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, tensor<4xf32>
}
}
