// RUN: octavo-opt %s --split-input-file --pass-pipeline='builtin.module(tile.func(tile-assign-layouts,cse))' | FileCheck %s

// Two rows of 512 elements: 16-byte accesses, lanes along the row, a wave per
// row; the reduced tile is in all lanes, and no layout changes.
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<register = {{.*}}0, 1], [0, 2], [0, 256]], lane = {{.*}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], wave = {{.*}}1, 0]], fragment = 4>
// CHECK-DAG: #[[SUMS:.*]] = #tile.layout<register = [], lane = {{.*}}0], [0], [0], [0], [0], [0]], wave = {{.*}}1]], fragment = 1>
// CHECK-LABEL: tile.func @rows
// CHECK-NOT: convert_layout
// CHECK: tile.gather {{.*}} -> tensor<2x512xf32, #[[ROWS]]>
// CHECK: tile.reduce {{.*}} -> tensor<2xf32, #[[SUMS]]>
// CHECK: tile.scatter {{.*}} : tensor<2xf32, #[[SUMS]]>
module attributes {octavo.target = #octavo.target<"gfx950">} {
tile.func @rows(%x: !tile.view<2x512xf32>, %y: !tile.view<2xf32>) attributes {tile.waves = 2 : i32} {
  %row = tile.range 0 to 2 : tensor<2xi32>
  %col = tile.range 0 to 512 : tensor<512xi32>
  %w = arith.constant dense<512> : tensor<2xi32>
  %rw = arith.muli %row, %w : tensor<2xi32>
  %re = tile.expand_dims %rw {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %ce = tile.expand_dims %col {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %rb = tile.broadcast %re : tensor<2x1xi32> -> tensor<2x512xi32>
  %cb = tile.broadcast %ce : tensor<1x512xi32> -> tensor<2x512xi32>
  %o = arith.addi %rb, %cb : tensor<2x512xi32>
  %v = tile.gather %x[%o] : !tile.view<2x512xf32>, tensor<2x512xi32> -> tensor<2x512xf32>
  %s = tile.reduce %v {axis = 1 : i32} : tensor<2x512xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.scatter %s, %y[%row] : tensor<2xf32>, !tile.view<2xf32>, tensor<2xi32>
  tile.return
}
}

// -----

// A transposed copy: both sides access memory along its rows, the tile passes
// LDS in between, the offsets are computed for each side.
// CHECK-LABEL: tile.func @transposed
// CHECK: %[[X:.*]] = tile.gather {{.*}} -> tensor<64x64xf32, #[[IN:.*]]>
// CHECK: %[[Y:.*]] = tile.convert_layout %[[X]] : tensor<64x64xf32, #[[IN]]> -> tensor<64x64xf32, #[[OUT:.*]]>
// CHECK: tile.scatter %[[Y]], %{{.*}} : tensor<64x64xf32, #[[OUT]]>{{.*}}tensor<64x64xi32, #[[OUT]]>
// CHECK-NOT: convert_layout
module attributes {octavo.target = #octavo.target<"gfx942">} {
tile.func @transposed(%x: !tile.view<64x64xf32>, %y: !tile.view<64x64xf32>) attributes {tile.waves = 4 : i32} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %i = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %j = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %w = arith.constant dense<64> : tensor<64x64xi32>
  %ib = tile.broadcast %i : tensor<64x1xi32> -> tensor<64x64xi32>
  %jb = tile.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %iw = arith.muli %ib, %w : tensor<64x64xi32>
  %o = arith.addi %iw, %jb : tensor<64x64xi32>
  %jw = arith.muli %jb, %w : tensor<64x64xi32>
  %p = arith.addi %jw, %ib : tensor<64x64xi32>
  %v = tile.gather %x[%o] : !tile.view<64x64xf32>, tensor<64x64xi32> -> tensor<64x64xf32>
  tile.scatter %v, %y[%p] : tensor<64x64xf32>, !tile.view<64x64xf32>, tensor<64x64xi32>
  tile.return
}
}
