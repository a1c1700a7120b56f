// RUN: octavo-opt %s --aten-to-octavo | FileCheck %s

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1) -> (d1)>

// bf16 is computed in f32 and rounded once per operator.
// CHECK-LABEL: func @bf16_product
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-SAME: octavo.from = "mul"
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK: %[[R:.*]] = arith.truncf %[[P]] : f32 to bf16
// CHECK: linalg.yield %[[R]]
func.func @bf16_product(%a: tensor<4x8xbf16>, %b: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = aten.call "aten.mul.Tensor"(%a, %b) {args = {self = #aten.operand<0>, other = #aten.operand<1>}}
      : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// A size of 1 is read at 0; a dimension that is not there is left out.
// CHECK-LABEL: func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[LAST]], #{{.*}}]
func.func @broadcast(%a: tensor<4x1xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = aten.call "aten.add.Tensor"(%a, %b) {args = {self = #aten.operand<0>, other = #aten.operand<1>, alpha = 1}}
      : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// uint8 is i8 at this level; the op knows that it has no sign.
// CHECK-LABEL: func @unsigned
// CHECK-SAME: tensor<4xi8>
// CHECK: arith.maxui
func.func @unsigned(%a: tensor<4xui8>) -> tensor<4xui8> {
  %0 = aten.call "aten.clamp_min.default"(%a) {args = {self = #aten.operand<0>, min = 3}} : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
