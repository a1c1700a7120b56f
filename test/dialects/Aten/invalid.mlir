// RUN: octavo-opt %s -split-input-file -verify-diagnostics

func.func @c1_name(%x: tensor<4xf32>) {
  // expected-error @+1 {{'aten.call' op expected a namespace and a name, got 'sum'}}
  %0 = aten.call "sum"(%x) {args = {self = #aten.operand<0>}} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @c2_operand_number(%x: tensor<4xf32>) {
  // expected-error @+1 {{'aten.call' op expected an operand number below 1, got 3}}
  %0 = aten.call "aten.sum.default"(%x) {args = {self = [#aten.operand<0>, #aten.operand<3>]}} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @c3_operand_without_argument(%x: tensor<4xf32>) {
  // expected-error @+1 {{'aten.call' op expected operand 1 to be named by an argument}}
  %0 = aten.call "aten.sum.default"(%x, %x) {args = {self = #aten.operand<0>}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
