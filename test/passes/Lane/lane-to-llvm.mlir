// RUN: octavo-opt %s --octavo-lane | FileCheck %s

module attributes {octavo.target = #octavo.target<"gfx950">} {
gpu.module @kernels {
  // The exact workgroup size reaches LLVM twice; lanes know their range.
  // CHECK: llvm.func @sizes
  // CHECK-SAME: rocdl.flat_work_group_size = "64,64", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 64, 1, 1>
  // CHECK: rocdl.workitem.id.x range <i32, 0, 64>
  gpu.func @sizes(%a: !llvm.ptr<1> {llvm.noalias}) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    llvm.store %i, %a : i32, !llvm.ptr<1>
    gpu.return
  }

  // Divisions that round down are made of those that truncate.
  // CHECK: llvm.func @floors
  // CHECK: llvm.sdiv %{{.*}} : vector<4xi64>
  // CHECK: llvm.select
  // CHECK: llvm.store
  gpu.func @floors(%a: !llvm.ptr<1>, %x: vector<4xi64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %by = arith.constant dense<2> : vector<4xi64>
    %q = arith.floordivsi %x, %by : vector<4xi64>
    llvm.store %q, %a : vector<4xi64>, !llvm.ptr<1>
    gpu.return
  }
}
}
