// RUN: octavo-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.func(tile-place-lds))' | FileCheck %s

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>
#b = #tile.layout<register = [], lane = [[2], [1], [4], [8], [16], [32]], wave = [], fragment = 1>

// Two conversions that can be done together lie side by side; the next one
// begins behind them.
// CHECK-LABEL: tile.func @together
// CHECK-SAME: tile.lds_bytes = 768
// CHECK: convert_layout %{{.*}} {lds_offset = 0 : i64}
// CHECK: convert_layout %{{.*}} {lds_offset = 256 : i64}
// CHECK: convert_layout %{{.*}} {lds_offset = 512 : i64}
module attributes {octavo.target = #octavo.target<"gfx942">} {
tile.func @together(%s: f32) attributes {tile.waves = 1 : i32} {
  %x = tile.splat %s : f32 -> tensor<64xf32, #a>
  %y = arith.negf %x : tensor<64xf32, #a>
  %p = tile.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %q = tile.convert_layout %y : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %r = arith.addf %p, %q : tensor<64xf32, #b>
  %t = tile.convert_layout %r : tensor<64xf32, #b> -> tensor<64xf32, #a>
  tile.return
}
}

// -----

#c = #tile.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16], [32]], wave = [], fragment = 1>
#d = #tile.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[2], [1], [4], [8], [16], [32]], wave = [], fragment = 1>

module attributes {octavo.target = #octavo.target<"gfx942">} {
tile.func @too_much(%s: f64) attributes {tile.waves = 1 : i32} {
  %x = tile.splat %s : f64 -> tensor<16384xf64, #c>
  // expected-error @+1 {{'tile.convert_layout' op needs 131072 bytes of LDS, the target has 65536}}
  %y = tile.convert_layout %x : tensor<16384xf64, #c> -> tensor<16384xf64, #d>
  tile.return
}
}
