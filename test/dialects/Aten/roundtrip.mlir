// RUN: octavo-opt %s | octavo-opt | FileCheck %s

// Every kind of argument survives printing and parsing.
// CHECK-LABEL: func @kinds_of_argument
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>, %[[Y:.*]]: tensor<8xui8>, %[[G:.*]]: !aten.opaque
func.func @kinds_of_argument(%x: tensor<4x8xbf16>, %y: tensor<8xui8>, %g: !aten.opaque) -> tensor<4x1xf32> {
  // CHECK: aten.call "demo.all.default"(%[[X]], %[[Y]], %[[G]]) {args = {device = "cpu", dtype = f32, generator = #aten.operand<2>, keepdim = true, mask = #aten.none, tensors = [#aten.operand<0>, #aten.operand<1>], value = 0x7FF0000000000000 : f64}} : (tensor<4x8xbf16>, tensor<8xui8>, !aten.opaque) -> tensor<4x1xf32>
  %0 = aten.call "demo.all.default"(%x, %y, %g) {args = {tensors = [#aten.operand<0>, #aten.operand<1>],
      generator = #aten.operand<2>, keepdim = true, mask = #aten.none, value = 0x7FF0000000000000 : f64, dtype = f32, device = "cpu"}}
      : (tensor<4x8xbf16>, tensor<8xui8>, !aten.opaque) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: func @no_operand_and_two_results
func.func @no_operand_and_two_results() -> (tensor<2xf32>, tensor<complex<f32>>) {
  // CHECK: aten.call "demo.two"() {args = {}} : () -> (tensor<2xf32>, tensor<complex<f32>>)
  %0:2 = aten.call "demo.two"() {args = {}} : () -> (tensor<2xf32>, tensor<complex<f32>>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<complex<f32>>
}
