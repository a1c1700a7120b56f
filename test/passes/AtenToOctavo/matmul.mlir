// RUN: octavo-opt %s --octavo-import | FileCheck %s

// A transpose before a product is a flag of the product.
// CHECK-LABEL: func @linear
// CHECK-NOT: linalg.transpose
// CHECK: octavo.scaled_matmul %{{.*}}, transposed %{{.*}} bias %{{.*}}: tensor<4x8xbf16>, tensor<6x8xbf16>, tensor<6xbf16> -> tensor<4x6xbf16>
func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<6x8xbf16>, %b: tensor<6xbf16>) -> tensor<4x6xbf16> {
  %0 = aten.call "aten.permute.default"(%w) {args = {self = #aten.operand<0>, dims = [1, 0]}} : (tensor<6x8xbf16>) -> tensor<8x6xbf16>
  %1 = aten.call "aten.addmm.default"(%b, %x, %0) {args = {self = #aten.operand<0>, mat1 = #aten.operand<1>, mat2 = #aten.operand<2>, beta = 1, alpha = 1}}
      : (tensor<6xbf16>, tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xbf16>
  return %1 : tensor<4x6xbf16>
}

// The scales of rows stand as their operands are stored.
// CHECK-LABEL: func @row_scales
// CHECK: %[[SB:.*]] = {{.*}} tensor<1x16xf32>{{.*}}tensor<16x1xf32>
// CHECK: octavo.scaled_matmul %{{.*}} scaled %{{.*}}, transposed %{{.*}} scaled %{{.*}} {granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>
func.func @row_scales(%a: tensor<16x32xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>, %sa: tensor<16x1xf32>, %sb: tensor<1x16xf32>) -> tensor<16x16xbf16> {
  %0 = aten.call "aten.permute.default"(%b) {args = {self = #aten.operand<0>, dims = [1, 0]}} : (tensor<16x32xf8E4M3FN>) -> tensor<32x16xf8E4M3FN>
  %1 = aten.call "aten._scaled_mm.default"(%a, %0, %sa, %sb) {args = {self = #aten.operand<0>, mat2 = #aten.operand<1>, scale_a = #aten.operand<2>,
      scale_b = #aten.operand<3>, bias = #aten.none, scale_result = #aten.none, out_dtype = bf16, use_fast_accum = true}}
      : (tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<16x1xf32>, tensor<1x16xf32>) -> tensor<16x16xbf16>
  return %1 : tensor<16x16xbf16>
}
