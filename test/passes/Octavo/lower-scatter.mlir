// RUN: octavo-opt %s --octavo-lower-scatter --split-input-file | FileCheck %s

// The gradient of an embedding: each row sums the rows whose index names it.
// CHECK-LABEL: func.func @add
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<32xi64>, tensor<32x64xf32>) outs(%{{.*}} : tensor<256x32x64xf32>)
// CHECK: linalg.reduce
// CHECK-SAME: dimensions = [1]
// CHECK-NOT: octavo.scatter_reduce
func.func @add(%g: tensor<32x64xf32>, %zero: tensor<256x64xf32>, %ids: tensor<32xi64>) -> tensor<256x64xf32> {
  %e = octavo.scatter_reduce add %g into %zero at %ids dims [0]
    : tensor<32x64xf32>, tensor<256x64xf32>, (tensor<32xi64>) -> tensor<256x64xf32>
  return %e : tensor<256x64xf32>
}

// -----

// The last index that names a place wins.
// CHECK-LABEL: func.func @set
// CHECK: arith.select %{{.*}}, %{{.*}}, %c-1_i32
// CHECK: linalg.reduce
// CHECK: arith.maxsi
// CHECK: tensor.extract
// CHECK: arith.select
func.func @set(%s: tensor<5x8xbf16>, %init: tensor<4x8xbf16>, %ids: tensor<5xi64>) -> tensor<4x8xbf16> {
  %e = octavo.scatter_reduce set %s into %init at %ids dims [0]
    : tensor<5x8xbf16>, tensor<4x8xbf16>, (tensor<5xi64>) -> tensor<4x8xbf16>
  return %e : tensor<4x8xbf16>
}

// -----

// Too many pairs of a row and an index: a kernel of its own goes through the
// indices. Small floats are summed in f32, the init joins at the end.
// CHECK-LABEL: func.func @many
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4096x64xbf16>)
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[SUM:.*]] = octavo.scatter_reduce add %[[WIDE]] into %[[ZERO]] at %arg2 dims [0]
// CHECK-SAME: tensor<32000x64xf32>
// CHECK: linalg.generic {{.*}} ins(%arg1, %[[SUM]] :
func.func @many(%g: tensor<4096x64xbf16>, %init: tensor<32000x64xbf16>, %ids: tensor<4096xi64>) -> tensor<32000x64xbf16> {
  %e = octavo.scatter_reduce add %g into %init at %ids dims [0]
    : tensor<4096x64xbf16>, tensor<32000x64xbf16>, (tensor<4096xi64>) -> tensor<32000x64xbf16>
  return %e : tensor<32000x64xbf16>
}
