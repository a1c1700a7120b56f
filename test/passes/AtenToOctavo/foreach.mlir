// RUN: octavo-opt %s --octavo-import | FileCheck %s

// Each tensor of a list by itself.
// CHECK-LABEL: func @lists
// CHECK: linalg.generic {{.*}}octavo.from = "_foreach_mul"
// CHECK: linalg.generic {{.*}}octavo.from = "_foreach_mul"
func.func @lists(%a: tensor<4x8xf32>, %b: tensor<6xf32>) -> (tensor<4x8xf32>, tensor<6xf32>) {
  %0:2 = aten.call "aten._foreach_mul.Scalar"(%a, %b) {args = {self = [#aten.operand<0>, #aten.operand<1>], scalar = 0.5}}
      : (tensor<4x8xf32>, tensor<6xf32>) -> (tensor<4x8xf32>, tensor<6xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<6xf32>
}
