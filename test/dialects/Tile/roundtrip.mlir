// RUN: octavo-opt %s --verify-roundtrip | FileCheck %s

// CHECK-DAG: #[[ROW:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = {{\[\[}}4, 0]], fragment = 4>
#row = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [[4, 0]], fragment = 4>
// CHECK-DAG: #[[TWICE:.*]] = #tile.layout<register = {{.*}}, wave = [], repeat = [2, 1], fragment = 4>
#twice = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [], repeat = [2, 1], fragment = 4>

// CHECK-LABEL: tile.func @shapes
// CHECK-SAME:    %[[V:.*]]: !tile.view<64x32xf32>, %[[S:.*]]: f32
// CHECK-SAME:    attributes {tile.grid = [4, 1, 1], tile.waves = 2 : i32}
tile.func @shapes(%v: !tile.view<64x32xf32>, %s: f32) attributes {tile.waves = 2 : i32, tile.grid = [4, 1, 1]} {
  // CHECK: tile.workgroup_id 0 : i32
  %w = tile.workgroup_id 0 : i32
  // CHECK: %[[R:.*]] = tile.range 0 to 64 : tensor<64xi32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  // CHECK: tile.splat %[[S]] : f32 -> tensor<64xf32>
  %x = tile.splat %s : f32 -> tensor<64xf32>
  // CHECK: %[[E:.*]] = tile.expand_dims %[[R]] {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %e = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  // CHECK: %[[B:.*]] = tile.broadcast %[[E]] : tensor<64x1xi32> -> tensor<64x32xi32>
  %b = tile.broadcast %e : tensor<64x1xi32> -> tensor<64x32xi32>
  // CHECK: tile.reshape %[[B]] : tensor<64x32xi32> -> tensor<2048xi32>
  %f = tile.reshape %b : tensor<64x32xi32> -> tensor<2048xi32>
  // CHECK: tile.trans %[[B]] {order = array<i32: 1, 0>} : tensor<64x32xi32> -> tensor<32x64xi32>
  %t = tile.trans %b {order = array<i32: 1, 0>} : tensor<64x32xi32> -> tensor<32x64xi32>
  // CHECK: %[[J:.*]] = tile.join %[[R]], %[[R]] : tensor<64xi32> -> tensor<64x2xi32>
  %j = tile.join %r, %r : tensor<64xi32> -> tensor<64x2xi32>
  // CHECK: tile.split %[[J]] : tensor<64x2xi32> -> tensor<64xi32>
  %p, %q = tile.split %j : tensor<64x2xi32> -> tensor<64xi32>
  // CHECK: tile.cat %{{.*}}, %{{.*}} {axis = 0 : i32} : tensor<64xi32>, tensor<64xi32> -> tensor<128xi32>
  %c = tile.cat %p, %q {axis = 0 : i32} : tensor<64xi32>, tensor<64xi32> -> tensor<128xi32>
  tile.return
}

// CHECK-LABEL: tile.func @memory
// CHECK-SAME:    !tile.view<64x32xf32, strides = [1, 64]>
// CHECK-SAME:    !tile.view<?x?xbf16, strides = [?, ?]>
// CHECK-SAME:    !tile.view<f32>
tile.func @memory(%v: !tile.view<64x32xf32, strides = [1, 64]>, %d: !tile.view<?x?xbf16, strides = [?, ?]>, %z: !tile.view<f32>, %i: i32) {
  %off = tile.range 0 to 64 : tensor<64xi32>
  %m = arith.constant dense<true> : tensor<64xi1>
  %o = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] mask %{{.*}} other %{{.*}} : !tile.view<64x32xf32, strides = [1, 64]>, tensor<64xi32> -> tensor<64xf32>
  %x = tile.gather %v[%off] mask %m other %o : !tile.view<64x32xf32, strides = [1, 64]>, tensor<64xi32> -> tensor<64xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] : !tile.view<?x?xbf16, strides = [?, ?]>, tensor<64xi32> -> tensor<64xbf16>
  %y = tile.gather %d[%off] : !tile.view<?x?xbf16, strides = [?, ?]>, tensor<64xi32> -> tensor<64xbf16>
  // CHECK: tile.scatter %{{.*}}, %{{.*}}[%{{.*}}] mask %{{.*}} : tensor<64xf32>, !tile.view<64x32xf32, strides = [1, 64]>, tensor<64xi32>
  tile.scatter %x, %v[%off] mask %m : tensor<64xf32>, !tile.view<64x32xf32, strides = [1, 64]>, tensor<64xi32>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<64x32xf32, strides = [1, 64]>, i32, i32 -> tensor<16x16xf32>
  %t = tile.load %v[%i, %i] : !tile.view<64x32xf32, strides = [1, 64]>, i32, i32 -> tensor<16x16xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<16x16xf32>, !tile.view<64x32xf32, strides = [1, 64]>, i32, i32
  tile.store %t, %v[%i, %i] : tensor<16x16xf32>, !tile.view<64x32xf32, strides = [1, 64]>, i32, i32
  // CHECK: %[[S:.*]] = tile.load %{{.*}}[] : !tile.view<f32> -> tensor<f32>
  %s = tile.load %z[] : !tile.view<f32> -> tensor<f32>
  // CHECK: tile.to_scalar %[[S]] : tensor<f32> -> f32
  %sc = tile.to_scalar %s : tensor<f32> -> f32
  // CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}}[%{{.*}}] mask %{{.*}} : tensor<64xf32>, !tile.view<64x32xf32, strides = [1, 64]>, tensor<64xi32>
  %old = tile.atomic_rmw add %x, %v[%off] mask %m : tensor<64xf32>, !tile.view<64x32xf32, strides = [1, 64]>, tensor<64xi32>
  tile.return
}

// CHECK-LABEL: tile.func @arithmetic
tile.func @arithmetic() {
  %a = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
  %b = arith.constant dense<1.0> : tensor<16x32xf8E5M2>
  %c = arith.constant dense<0.0> : tensor<64x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {transpose_b} : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E5M2>, tensor<64x16xf32>
  %d = tile.dot %a, %b, %c {transpose_b} : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E5M2>, tensor<64x16xf32>
  %sa = arith.constant dense<127> : tensor<64x1xi8>
  %sb = arith.constant dense<127> : tensor<16x1xi8>
  // CHECK: tile.dot_scaled %{{.*}} scaled %{{.*}}, %{{.*}} scaled %{{.*}}, %{{.*}} {transpose_b} : tensor<64x32xf8E4M3FN>, tensor<64x1xi8>, tensor<16x32xf8E5M2>, tensor<16x1xi8>, tensor<64x16xf32>
  %e = tile.dot_scaled %a scaled %sa, %b scaled %sb, %d {transpose_b} : tensor<64x32xf8E4M3FN>, tensor<64x1xi8>, tensor<16x32xf8E5M2>, tensor<16x1xi8>, tensor<64x16xf32>
  // CHECK: tile.reduce %{{.*}} {axis = 1 : i32} : tensor<64x16xf32> -> tensor<64xf32> {
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK:   %[[M:.*]] = arith.maximumf %[[A]], %[[B]] : f32
  // CHECK:   tile.yield %[[M]] : f32
  %r = tile.reduce %e {axis = 1 : i32} : tensor<64x16xf32> -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    tile.yield %m : f32
  }
  // CHECK: tile.scan %{{.*}} {axis = 0 : i32, reverse} : tensor<64xf32> -> tensor<64xf32> {
  %s = tile.scan %r {axis = 0 : i32, reverse} : tensor<64xf32> -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %m = arith.addf %x, %y : f32
    tile.yield %m : f32
  }
  tile.return
}

// CHECK-LABEL: tile.func @layouts
tile.func @layouts(%s: f32) {
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<8x64xf32, #[[ROW]]>
  %x = tile.splat %s : f32 -> tensor<8x64xf32, #row>
  // CHECK: tile.convert_layout %{{.*}} : tensor<8x64xf32, #[[ROW]]> -> tensor<8x64xf32, #[[TWICE]]>
  %y = tile.convert_layout %x : tensor<8x64xf32, #row> -> tensor<8x64xf32, #twice>
  tile.return
}
