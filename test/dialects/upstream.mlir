// RUN: octavo-opt %s | FileCheck %s

// The tool knows the upstream dialects that Octavo's own stand on.
// CHECK-LABEL: func.func @add
// CHECK: arith.addf
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.addf %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}
