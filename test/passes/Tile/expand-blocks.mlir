// RUN: octavo-opt %s --pass-pipeline='builtin.module(tile.func(tile-expand-blocks,canonicalize,cse))' | FileCheck %s

// The start of a block is the base of the access; rows end with the buffer and
// columns with the loop, so nothing is masked.
// CHECK-LABEL: tile.func @loop
// CHECK: scf.for %[[K:.*]] =
// CHECK:   %[[I:.*]] = arith.index_cast %[[K]] : index to i32
// CHECK:   %[[BASE:.*]] = arith.addi %{{.*}}, %[[I]] : i32
// CHECK:   tile.gather %{{.*}}[%{{.*}} + %[[BASE]]] : !tile.view<100x128xf32>
// CHECK-NOT: mask
tile.func @loop(%v: !tile.view<100x128xf32>, %y: !tile.view<16x32xf32>) {
  %w = tile.workgroup_id 0 : i32
  %c16 = arith.constant 16 : i32
  %m = arith.muli %w, %c16 : i32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0 : i32
  scf.for %k = %c0 to %c128 step %c32 {
    %x = tile.load %v[%m, %k] : !tile.view<100x128xf32>, i32, index -> tensor<16x32xf32>
    tile.store %x, %y[%z, %z] : tensor<16x32xf32>, !tile.view<16x32xf32>, i32, i32
  }
  tile.return
}

// A start that may be negative is part of the offsets and is checked.
// CHECK-LABEL: tile.func @unknown
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: tile.gather %{{.*}}[%{{.*}}] mask %[[IN]] : !tile.view<100xf32>
tile.func @unknown(%v: !tile.view<100xf32>, %y: !tile.view<8xf32>, %i: i32) {
  %x = tile.load %v[%i] : !tile.view<100xf32>, i32 -> tensor<8xf32>
  %z = arith.constant 0 : i32
  tile.store %x, %y[%z] : tensor<8xf32>, !tile.view<8xf32>, i32
  tile.return
}
