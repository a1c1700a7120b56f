// RUN: octavo-opt %s --octavo-to-tile | FileCheck %s

// What is written in place shares memory with an operand; the same program for memory of its own is another one.
module attributes {octavo.target = #octavo.target<"gfx950">} {
// CHECK-LABEL: func.func @f
// CHECK: octavo.launch @add(%arg0, %arg1)
// CHECK: octavo.launch @add_1(%arg0, %arg1)
// CHECK: tile.func @add(%arg0: !tile.view<256xf32> {tile.shared}, %arg1: !tile.view<256xf32>, %arg2: !tile.view<256xf32> {tile.shared})
// CHECK: tile.func @add_1(%arg0: !tile.view<256xf32>, %arg1: !tile.view<256xf32>, %arg2: !tile.view<256xf32>)
func.func @f(%a: tensor<256xf32>, %b: tensor<256xf32>) -> (tensor<256xf32> {octavo.writes = 0 : i64}, tensor<256xf32>) {
  %r = octavo.kernel @add(%a, %b) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32> {
  ^bb0(%x: tensor<256xf32>, %y: tensor<256xf32>):
    %o = tensor.empty() : tensor<256xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x, %y : tensor<256xf32>, tensor<256xf32>) outs(%o : tensor<256xf32>) {
    ^bb0(%xi: f32, %yi: f32, %oi: f32):
      %t = arith.addf %xi, %yi : f32
      linalg.yield %t : f32
    } -> tensor<256xf32>
    octavo.yield %s : tensor<256xf32>
  }
  %q = octavo.kernel @add(%a, %b) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32> {
  ^bb0(%x: tensor<256xf32>, %y: tensor<256xf32>):
    %o = tensor.empty() : tensor<256xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x, %y : tensor<256xf32>, tensor<256xf32>) outs(%o : tensor<256xf32>) {
    ^bb0(%xi: f32, %yi: f32, %oi: f32):
      %t = arith.addf %xi, %yi : f32
      linalg.yield %t : f32
    } -> tensor<256xf32>
    octavo.yield %s : tensor<256xf32>
  }
  return %r, %q : tensor<256xf32>, tensor<256xf32>
}
}
