// RUN: octavo-opt %s --octavo-import | FileCheck %s

// Sizes that do not divide each other go through the size that they share.
// CHECK-LABEL: func @view
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<4x6x5xf32> into tensor<24x5xf32>
// CHECK: tensor.expand_shape {{.*}} : tensor<24x5xf32> into tensor<8x3x5xf32>
func.func @view(%x: tensor<4x6x5xf32>) -> tensor<8x3x5xf32> {
  %0 = aten.call "aten.view.default"(%x) {args = {self = #aten.operand<0>, size = [8, 3, 5]}} : (tensor<4x6x5xf32>) -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}

// Two transposes are one, or none.
// CHECK-LABEL: func @there_and_back
// CHECK-NEXT: return %{{.*}} : tensor<4x6xf32>
func.func @there_and_back(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = aten.call "aten.t.default"(%x) {args = {self = #aten.operand<0>}} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = aten.call "aten.transpose.int"(%0) {args = {self = #aten.operand<0>, dim0 = 0, dim1 = -1}} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A view of a complex tensor is one of its parts, which are the last dimension.
// CHECK-LABEL: func @complex
// CHECK-SAME: tensor<4x6x2xf32> {octavo.strides = array<i64: 12, 2, 1>}
// CHECK: tensor.extract_slice %{{.*}}[1, 0, 0] [2, 6, 2] [1, 1, 1]
func.func @complex(%x: tensor<4x6xcomplex<f32>> {octavo.strides = array<i64: 6, 1>}) -> tensor<2x6xcomplex<f32>> {
  %0 = aten.call "aten.slice.Tensor"(%x) {args = {self = #aten.operand<0>, dim = 0, start = 1, end = 3, step = 1}}
      : (tensor<4x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
  return %0 : tensor<2x6xcomplex<f32>>
}

// A result without elements is not computed.
// CHECK-LABEL: func @empty
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @empty(%x: tensor<0x6xf32>) -> tensor<0x6xf32> {
  %0 = aten.call "aten.mul.Tensor"(%x) {args = {self = #aten.operand<0>, other = 2.0}} : (tensor<0x6xf32>) -> tensor<0x6xf32>
  return %0 : tensor<0x6xf32>
}
