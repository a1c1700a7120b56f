// RUN: octavo-opt %s --octavo-to-tile --split-input-file | FileCheck %s

module attributes {octavo.target = #octavo.target<"gfx950">} {
// One row: its tokens are summed in registers, eight at a time, in their order.
// CHECK-LABEL: tile.func @small
// CHECK-SAME: tile.grid = [256, 1, 1], tile.waves = 1
// CHECK: scf.for
// CHECK: tile.gather %arg1
// CHECK: scf.while
// CHECK: tile.reduce
// CHECK: scf.condition
// CHECK-COUNT-8: tile.gather %arg0
// CHECK-NOT: tile.gather
// CHECK: tile.scatter %{{.*}}, %arg2
// CHECK-NOT: tile.scatter
func.func @f(%g: tensor<1024x128xf32>, %ids: tensor<1024xi64>) -> tensor<256x128xf32> {
  %r = octavo.kernel @small(%g, %ids) : (tensor<1024x128xf32>, tensor<1024xi64>) -> tensor<256x128xf32> {
  ^bb0(%x: tensor<1024x128xf32>, %i: tensor<1024xi64>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
    %s = octavo.scatter_reduce add %x into %f at %i dims [0]
      : tensor<1024x128xf32>, tensor<256x128xf32>, (tensor<1024xi64>) -> tensor<256x128xf32>
    octavo.yield %s : tensor<256x128xf32>
  }
  return %r : tensor<256x128xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Many rows: workgroups are no more than the device hides latency with, each
// owns a block of rows in memory, cleared before its first token.
// CHECK-LABEL: tile.func @large
// CHECK-SAME: tile.grid = [2000, 1, 1], tile.waves = 1
// CHECK: scf.for
// CHECK: tile.scatter %{{.*}}, %arg2
// CHECK: scf.for
// CHECK: scf.while
// CHECK: tile.gather %arg0
// CHECK: tile.gather %arg2
// CHECK: tile.scatter %{{.*}}, %arg2
func.func @f(%g: tensor<32768x4096xf32>, %ids: tensor<32768xi64>) -> tensor<128000x4096xf32> {
  %r = octavo.kernel @large(%g, %ids) : (tensor<32768x4096xf32>, tensor<32768xi64>) -> tensor<128000x4096xf32> {
  ^bb0(%x: tensor<32768x4096xf32>, %i: tensor<32768xi64>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<128000x4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128000x4096xf32>) -> tensor<128000x4096xf32>
    %s = octavo.scatter_reduce add %x into %f at %i dims [0]
      : tensor<32768x4096xf32>, tensor<128000x4096xf32>, (tensor<32768xi64>) -> tensor<128000x4096xf32>
    octavo.yield %s : tensor<128000x4096xf32>
  }
  return %r : tensor<128000x4096xf32>
}
}
