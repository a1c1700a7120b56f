// RUN: octavo-opt %s --split-input-file --octavo-tile-to-lane | FileCheck %s

// A masked copy: 16-byte accesses, masked lanes behind the end of the buffer.
// CHECK-LABEL: gpu.func @copy
// CHECK-SAME:    (%[[X:.*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[Y:.*]]: !llvm.ptr<1> {llvm.noalias}, %[[N:.*]]: i32) kernel
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK: %[[RX:.*]] = rocdl.make.buffer.rsrc %[[X]]
// CHECK: %[[OUT:.*]] = arith.constant -2147483648 : i32
// CHECK: %[[OFF:.*]] = arith.select %{{.*}}, %{{.*}}, %[[OUT]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RX]], %[[OFF]], %{{.*}} : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK-SAME: vector<4xi32>
module attributes {octavo.target = #octavo.target<"gfx950">} {
tile.func @copy(%x: !tile.view<256xf32>, %y: !tile.view<256xf32>, %n: i32 {tile.divisibility = 4 : i32}) attributes {tile.waves = 1 : i32} {
  %off = tile.range 0 to 256 : tensor<256xi32>
  %b = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %off, %b : tensor<256xi32>
  %v = tile.gather %x[%off] mask %m : !tile.view<256xf32>, tensor<256xi32> -> tensor<256xf32>
  tile.scatter %v, %y[%off] mask %m : tensor<256xf32>, !tile.view<256xf32>, tensor<256xi32>
  tile.return
}
}

// -----

// One element in 128 lanes: one of them stores it.
// CHECK-LABEL: gpu.func @single
// CHECK: %[[LANE:.*]] = arith.cmpi eq
// CHECK: %[[WAVE:.*]] = arith.cmpi eq
// CHECK: %[[OWNER:.*]] = arith.andi %[[LANE]], %[[WAVE]] : i1
// CHECK: arith.select %[[OWNER]]
// CHECK: rocdl.raw.ptr.buffer.store
module attributes {octavo.target = #octavo.target<"gfx942">} {
tile.func @single(%y: !tile.view<1xf32>, %s: f32) attributes {tile.waves = 2 : i32} {
  %off = arith.constant dense<0> : tensor<1xi32>
  %v = tile.splat %s : f32 -> tensor<1xf32>
  tile.scatter %v, %y[%off] : tensor<1xf32>, !tile.view<1xf32>, tensor<1xi32>
  tile.return
}
}
