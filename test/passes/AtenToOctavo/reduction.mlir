// RUN: octavo-opt %s --octavo-import | FileCheck %s

// A bf16 mean is summed in f32, divided, and rounded at the end.
// CHECK-LABEL: func @mean
// CHECK: arith.extf
// CHECK: %[[S:.*]] = linalg.reduce { arith.addf } ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [1]
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf
// CHECK: tensor.expand_shape {{.*}} : tensor<4xbf16> into tensor<4x1xbf16>
func.func @mean(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %0 = aten.call "aten.mean.dim"(%x) {args = {self = #aten.operand<0>, dim = [-1], keepdim = true, dtype = #aten.none}} : (tensor<4x8xbf16>) -> tensor<4x1xbf16>
  return %0 : tensor<4x1xbf16>
}

// A maximum starts at -inf and keeps NaN.
// CHECK-LABEL: func @amax
// CHECK: arith.constant 0xFF80 : bf16
// CHECK: linalg.reduce
// CHECK: arith.maximumf
func.func @amax(%x: tensor<4x8xbf16>) -> tensor<bf16> {
  %0 = aten.call "aten.amax.default"(%x) {args = {self = #aten.operand<0>, dim = [], keepdim = false}} : (tensor<4x8xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}
