// RUN: octavo-opt %s --octavo-plan-workspace --split-input-file --verify-diagnostics | FileCheck %s

// Results of the function are written where they are wanted, others in the
// workspace; a value that nobody reads any more leaves its place to the next.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: octavo.workspace_bytes = 8192 : i64
// CHECK: octavo.launch @k(%arg0) {places = [#octavo.place<workspace at 0>]}
// CHECK: octavo.launch @k(%{{.*}}) {places = [#octavo.place<workspace at 4096>]}
// CHECK: octavo.launch @k(%{{.*}}) {places = [#octavo.place<workspace at 0>]}
// CHECK: octavo.launch @k(%{{.*}}) {places = [#octavo.place<output at 0>]}
func.func @chain(%a: tensor<1024xf32>) -> tensor<32x32xf32> {
  %0 = octavo.launch @k(%a) : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = octavo.launch @k(%0) : (tensor<1024xf32>) -> tensor<1024xf32>
  %2 = octavo.launch @k(%1) : (tensor<1024xf32>) -> tensor<1024xf32>
  %3 = octavo.launch @k(%2) : (tensor<1024xf32>) -> tensor<1024xf32>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [32, 32] : tensor<1024xf32> into tensor<32x32xf32>
  return %4 : tensor<32x32xf32>
}

// -----

// expected-error @+1 {{'func.func' op result 0 is not written by a launch or a call of its own}}
func.func @argument(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
