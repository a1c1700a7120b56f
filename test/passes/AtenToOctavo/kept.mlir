// RUN: octavo-opt %s --aten-to-octavo --remark-format=emitRemark --remarks-filter=".*" 2>&1 | FileCheck %s

// An operator without a rule, and one whose arguments a rule refuses: both stay and say why.
// CHECK: remark: [Missed] eager-call {{.*}}aten.sort.default: Octavo has no lowering of aten.sort.default
// CHECK: remark: [Missed] eager-call {{.*}}aten.embedding_dense_backward.default: scaling by frequency is not lowered
// CHECK-LABEL: func @kept
// CHECK: aten.call "aten.sort.default"
// CHECK-SAME: octavo.reason = "Octavo has no lowering of aten.sort.default"
func.func @kept(%x: tensor<8xf32>, %g: tensor<15x8xf32>, %i: tensor<15xi64>) -> (tensor<8xf32>, tensor<16x8xf32>) {
  %0:2 = aten.call "aten.sort.default"(%x) {args = {self = #aten.operand<0>, dim = -1, descending = false}} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  %1 = aten.call "aten.embedding_dense_backward.default"(%g, %i) {args = {grad_output = #aten.operand<0>, indices = #aten.operand<1>,
      num_weights = 16, padding_idx = -1, scale_grad_by_freq = true}} : (tensor<15x8xf32>, tensor<15xi64>) -> tensor<16x8xf32>
  return %0#0, %1 : tensor<8xf32>, tensor<16x8xf32>
}
