// RUN: octavo-opt %s --pass-pipeline='builtin.module(tile.func(tile-schedule-loads))' | FileCheck %s

// CHECK-LABEL: tile.func @ahead
// CHECK: %[[A0:.*]] = tile.gather %{{.*}}[%{{.*}} + %{{.*}}]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] iter_args(%[[ACC:.*]] = %{{.*}}, %[[A:.*]] = %[[A0]])
// CHECK:   %[[NEXT:.*]] = arith.addi %[[K]], %[[STEP]] : index
// CHECK:   %[[I:.*]] = arith.index_cast %[[NEXT]] : index to i32
// CHECK:   %[[A1:.*]] = tile.gather %{{.*}}[%{{.*}} + %[[I]]]
// CHECK:   %[[D:.*]] = tile.dot %[[A]], %[[A]], %[[ACC]]
// CHECK:   scf.yield %[[D]], %[[A1]]
tile.func @ahead(%v: !tile.view<128x32xf32>, %off: i32) {
  %o = tile.splat %off : i32 -> tensor<32x32xi32>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %z) -> (tensor<32x32xf32>) {
    %i = arith.index_cast %k : index to i32
    %a = tile.gather %v[%o + %i] : !tile.view<128x32xf32>, tensor<32x32xi32> -> tensor<32x32xf32>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.return
}
