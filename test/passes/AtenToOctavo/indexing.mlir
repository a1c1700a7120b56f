// RUN: octavo-opt %s --octavo-import | FileCheck %s

// CHECK-LABEL: func @embedding
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: tensor.extract %{{.*}}[%[[I]], %{{.*}}] : tensor<16x8xf32>
func.func @embedding(%w: tensor<16x8xf32>, %i: tensor<3x5xi64>) -> tensor<3x5x8xf32> {
  %0 = aten.call "aten.embedding.default"(%w, %i) {args = {weight = #aten.operand<0>, indices = #aten.operand<1>, padding_idx = -1,
      scale_grad_by_freq = false, sparse = false}} : (tensor<16x8xf32>, tensor<3x5xi64>) -> tensor<3x5x8xf32>
  return %0 : tensor<3x5x8xf32>
}

// Rows that are written more than once are summed in their order.
// CHECK-LABEL: func @embedding_gradient
// CHECK: arith.cmpi eq
// CHECK: arith.select
// CHECK: linalg.reduce {{.*}}dimensions = [2]
func.func @embedding_gradient(%g: tensor<15x8xf32>, %i: tensor<15xi64>) -> tensor<16x8xf32> {
  %0 = aten.call "aten.embedding_dense_backward.default"(%g, %i) {args = {grad_output = #aten.operand<0>, indices = #aten.operand<1>,
      num_weights = 16, padding_idx = -1, scale_grad_by_freq = false}} : (tensor<15x8xf32>, tensor<15xi64>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// A large table is not searched by each of its elements.
// CHECK-LABEL: func @large_table
// CHECK: octavo.scatter_reduce add
func.func @large_table(%g: tensor<4096x1024xf32>, %i: tensor<4096xi64>) -> tensor<65536x1024xf32> {
  %0 = aten.call "aten.embedding_dense_backward.default"(%g, %i) {args = {grad_output = #aten.operand<0>, indices = #aten.operand<1>,
      num_weights = 65536, padding_idx = -1, scale_grad_by_freq = false}} : (tensor<4096x1024xf32>, tensor<4096xi64>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// One index per row: a comparison and a choice, no loop over places.
// CHECK-LABEL: func @scatter_one_per_row
// CHECK-NOT: linalg.reduce
// CHECK: arith.select
func.func @scatter_one_per_row(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>) -> tensor<4x8xf32> {
  %0 = aten.call "aten.scatter.value"(%x, %i) {args = {self = #aten.operand<0>, dim = 1, index = #aten.operand<1>, value = -1.0}}
      : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
