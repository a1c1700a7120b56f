// RUN: octavo-opt %s --octavo-form-kernels --split-input-file | FileCheck %s

module attributes {octavo.target = #octavo.target<"gfx950">} {
// An argument, a view of one, and a constant that is a result twice: each is written to its own place.
// CHECK-LABEL: func.func @own
// CHECK: %[[R:.*]]:4 = octavo.kernel
// CHECK: return %[[R]]#{{[0-3]}}, %[[R]]#{{[0-3]}}, %[[R]]#{{[0-3]}}, %[[R]]#{{[0-3]}} : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
func.func @own(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %v = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %c = arith.constant dense<1.0> : tensor<4xf32>
  return %a, %v, %c, %c : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Nothing is written of a result without elements.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: octavo.kernel
// CHECK: return
func.func @nothing(%a: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<0x4xf32>) {
  return %a, %a : tensor<0x4xf32>, tensor<0x4xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A result in another order is read in that order by the next kernel.
// CHECK-LABEL: func.func @order
// CHECK: %[[Y:.*]] = octavo.kernel
// CHECK-SAME: result_strides = [array<i64: 1, 16>]
// CHECK: octavo.kernel @matmul(%arg2, %[[Y]])
// CHECK-SAME: operand_strides = [array<i64: 8, 1>, array<i64: 1, 16>]
func.func @order(%x: tensor<16x32xf32>, %v: tensor<32x32xf32>, %w: tensor<32x8xf32>)
    -> (tensor<16x32xf32> {octavo.strides = array<i64: 1, 16>}, tensor<16x8xf32>) {
  %y = octavo.scaled_matmul %x, %v : tensor<16x32xf32>, tensor<32x32xf32> -> tensor<16x32xf32>
  %p = octavo.scaled_matmul %y, %w : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
  return %y, %p : tensor<16x32xf32>, tensor<16x8xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// What must not be written over its argument yet waits in row-major order.
// CHECK-LABEL: func.func @late
// CHECK: %[[P:.*]] = octavo.kernel
// CHECK-NOT: result_strides
// CHECK: octavo.kernel @copy(%[[P]]) attributes
// CHECK-NOT: operand_strides
// CHECK-SAME: result_strides = [array<i64: 1, 16>]
func.func @late(%x: tensor<16x16xf32> {octavo.strides = array<i64: 1, 16>}, %v: tensor<16x16xf32>)
    -> (tensor<16x16xf32> {octavo.strides = array<i64: 1, 16>, octavo.writes = 0 : i64}) {
  %y = octavo.scaled_matmul %x, %v : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}
}
