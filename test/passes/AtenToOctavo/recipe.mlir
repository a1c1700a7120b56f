// RUN: octavo-opt %s --octavo-import | FileCheck %s

// The recipe's operators come through one to one.
// CHECK-LABEL: func @recipe
// CHECK: octavo.quantize %{{.*}} granule<row> axis 1 rule pow2 {{.*}}: tensor<8x16xbf16> -> tensor<8x16xf8E4M3FN>, tensor<8x1xf32>
// CHECK: octavo.scaled_matmul %{{.*}} scaled %{{.*}}, transposed %{{.*}} scaled
func.func @recipe(%x: tensor<8x16xbf16>, %w: tensor<4x16xf8E4M3FN>, %s: tensor<4x1xf32>) -> tensor<8x4xbf16> {
  %0:2 = aten.call "octavo.quantize.default"(%x) {args = {x = #aten.operand<0>, axis = -1, format = "e4m3fn", rule = "pow2", largest = #aten.none}}
      : (tensor<8x16xbf16>) -> (tensor<8x16xf8E4M3FN>, tensor<8x1xf32>)
  %1 = aten.call "octavo.scaled_matmul.default"(%0#0, %w, %0#1, %s) {args = {a = #aten.operand<0>, b = #aten.operand<1>, scale_a = #aten.operand<2>,
      scale_b = #aten.operand<3>, bias = #aten.none, transpose_a = false, transpose_b = true, out_dtype = bf16}}
      : (tensor<8x16xf8E4M3FN>, tensor<4x16xf8E4M3FN>, tensor<8x1xf32>, tensor<4x1xf32>) -> tensor<8x4xbf16>
  return %1 : tensor<8x4xbf16>
}
