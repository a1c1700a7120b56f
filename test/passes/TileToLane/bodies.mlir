// RUN: octavo-opt %s --split-input-file --octavo-tile-to-lane | FileCheck %s

// No two bodies of a launch end alike, so that nothing merges their stores.
// CHECK-LABEL: gpu.func @bodies
// CHECK: scf.if
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: rocdl.sched.barrier 0
// CHECK: else
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: rocdl.sched.barrier 1
module attributes {octavo.target = #octavo.target<"gfx950">} {
tile.func @bodies(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) attributes {tile.waves = 1 : i32, tile.lds_bytes = 0 : i64} {
  %one = arith.constant 1 : i32
  %off = tile.range 0 to 64 : tensor<64xi32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>>
  %v = arith.constant dense<1.0> : tensor<64xf32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>>
  %id = tile.workgroup_id 0 : i32
  %first = arith.cmpi slt, %id, %one : i32
  scf.if %first {
    tile.scatter %v, %x[%off] : tensor<64xf32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>>, !tile.view<64xf32>, tensor<64xi32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>>
  } else {
    tile.scatter %v, %y[%off] : tensor<64xf32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>>, !tile.view<64xf32>, tensor<64xi32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>>
  } {tile.apart}
  tile.return
}
}
