// RUN: octavo-opt %s --pass-pipeline='builtin.module(tile.func(tile-assign-layouts))' | FileCheck %s

// A 16x16x128 instruction: a lane owns 8 neighbours along N of the result (two
// instructions side by side), operands are 16 bytes of neighbours along K.
// CHECK-DAG: #[[ACC:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [16, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[\[}}0, 32], [32, 0]], fragment = 4>
// CHECK-DAG: #[[A:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 64], [16, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [0, 32]], wave = {{\[\[}}0, 0], [32, 0]], fragment = 32>
// CHECK-DAG: #[[B:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 64], [4, 0]], lane = {{\[\[}}1, 0], [2, 0], [8, 0], [16, 0], [0, 16], [0, 32]], wave = {{\[\[}}32, 0], [0, 0]], fragment = 32>
// CHECK-LABEL: tile.func @product
// CHECK: %[[X:.*]] = tile.convert_layout %{{.*}} -> tensor<64x128xf8E4M3FN, #[[A]]>
// CHECK: %[[Y:.*]] = tile.convert_layout %{{.*}} -> tensor<64x128xf8E5M2, #[[B]]>
// CHECK: tile.dot %[[X]], %[[Y]], %{{.*}} {tile.instruction = "mfma.scale.f32.16x16x128.f8f6f4", transpose_b} : {{.*}}, tensor<64x64xf32, #[[ACC]]>
module attributes {octavo.target = #octavo.target<"gfx950">} {
tile.func @product(%a: !tile.view<64x128xf8E4M3FN>, %b: !tile.view<64x128xf8E5M2>, %off: i32) attributes {tile.waves = 4 : i32} {
  %o = tile.splat %off : i32 -> tensor<64x128xi32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.gather %a[%o] : !tile.view<64x128xf8E4M3FN>, tensor<64x128xi32> -> tensor<64x128xf8E4M3FN>
  %y = tile.gather %b[%o] : !tile.view<64x128xf8E5M2>, tensor<64x128xi32> -> tensor<64x128xf8E5M2>
  %d = tile.dot %x, %y, %z {transpose_b} : tensor<64x128xf8E4M3FN>, tensor<64x128xf8E5M2>, tensor<64x64xf32>
  tile.return
}
}
