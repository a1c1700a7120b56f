// RUN: octavo-opt %s --octavo-to-tile --cse --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#per_row = affine_map<(d0, d1) -> (d0)>

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A row that fits into a tile is read once: the sum and the quotient share it.
// CHECK-LABEL: func.func @short_rows
// CHECK: octavo.launch @normalize(%{{.*}}) : (tensor<1024x128xf32>) -> tensor<1024x128xf32>
// CHECK-LABEL: tile.func @normalize
// CHECK-SAME: tile.grid = [256, 1, 1]
// CHECK: %[[X:.*]] = tile.gather %arg0[%[[AT:.*]]] : !tile.view<1024x128xf32>, tensor<4x128xi32> -> tensor<4x128xf32>
// CHECK-NOT: tile.gather
// CHECK: %[[SUM:.*]] = tile.reduce %[[X]] {axis = 1 : i32}
// CHECK: %[[ROW:.*]] = tile.expand_dims %[[SUM]] {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
// CHECK: %[[ALL:.*]] = tile.broadcast %[[ROW]] : tensor<4x1xf32> -> tensor<4x128xf32>
// CHECK: %[[Y:.*]] = arith.divf %[[X]], %[[ALL]]
// CHECK: tile.scatter %[[Y]], %arg1[%[[AT]]]
func.func @short_rows(%a: tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  %r = octavo.kernel @normalize(%a) : (tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  ^bb0(%x: tensor<1024x128xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1024xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<1024x128xf32>) outs(%f : tensor<1024xf32>) dimensions = [1]
    %o = tensor.empty() : tensor<1024x128xf32>
    %y = linalg.generic {indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : tensor<1024x128xf32>, tensor<1024xf32>) outs(%o : tensor<1024x128xf32>) {
    ^bb0(%xi: f32, %si: f32, %oi: f32):
      %q = arith.divf %xi, %si : f32
      linalg.yield %q : f32
    } -> tensor<1024x128xf32>
    octavo.yield %y : tensor<1024x128xf32>
  }
  return %r : tensor<1024x128xf32>
}
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>
#per_row = affine_map<(d0, d1) -> (d0)>

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A long ragged row is read in two loops: one for the sum, one that writes. What
// does not exist adds 0.
// CHECK-LABEL: tile.func @normalize
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<1x8192xf32>
// CHECK: %[[PARTS:.*]] = scf.for %[[R:.*]] = %{{.*}} to %c20000_i32 step %c8192_i32 iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK:   %[[IN:.*]] = arith.cmpi slt
// CHECK:   %[[X:.*]] = tile.gather %arg0[%{{.*}}] mask %[[IN]]
// CHECK:   %[[K:.*]] = arith.select %[[IN]], %[[X]], %[[ZERO]]
// CHECK:   arith.addf %[[ACC]], %[[K]]
// CHECK: tile.reduce %[[PARTS]]
// CHECK: scf.for
// CHECK:   tile.scatter
func.func @long_rows(%a: tensor<300x20000xf32>) -> tensor<300x20000xf32> {
  %r = octavo.kernel @normalize(%a) : (tensor<300x20000xf32>) -> tensor<300x20000xf32> {
  ^bb0(%x: tensor<300x20000xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<300xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<300xf32>) -> tensor<300xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<300x20000xf32>) outs(%f : tensor<300xf32>) dimensions = [1]
    %o = tensor.empty() : tensor<300x20000xf32>
    %y = linalg.generic {indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : tensor<300x20000xf32>, tensor<300xf32>) outs(%o : tensor<300x20000xf32>) {
    ^bb0(%xi: f32, %si: f32, %oi: f32):
      %q = arith.divf %xi, %si : f32
      linalg.yield %q : f32
    } -> tensor<300x20000xf32>
    octavo.yield %y : tensor<300x20000xf32>
  }
  return %r : tensor<300x20000xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Reducing the rows: columns lie along the lanes, rows are looped over.
// CHECK-LABEL: tile.func @columns
// CHECK: scf.for
// CHECK:   tile.gather %arg0[%{{.*}}] : !tile.view<1024x128xf32>, tensor<128x16xi32>
// CHECK: tile.reduce %{{.*}} {axis = 0 : i32}
func.func @columns(%a: tensor<1024x128xf32>) -> tensor<128xf32> {
  %r = octavo.kernel @columns(%a) : (tensor<1024x128xf32>) -> tensor<128xf32> {
  ^bb0(%x: tensor<1024x128xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<1024x128xf32>) outs(%f : tensor<128xf32>) dimensions = [0]
    octavo.yield %s : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Two bodies in one launch: the number of the workgroup chooses. The same kernel
// twice is one program.
// CHECK-LABEL: func.func @two_bodies
// CHECK: octavo.launch @two(%arg0, %arg1)
// CHECK: octavo.launch @two(%arg2, %arg1)
// CHECK-LABEL: tile.func @two
// CHECK-SAME: !tile.view<64x32xf32, strides = [1, 64]>
// CHECK-SAME: tile.grid = [9, 1, 1]
// CHECK: %[[W:.*]] = tile.workgroup_id 0
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[W]], %c8_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK: } else {
// CHECK:   tile.gather %arg1[%{{.*}}] mask
// CHECK-NOT: tile.func
func.func @two_bodies(%a: tensor<64x32xf32>, %b: tensor<5xf32>, %c: tensor<64x32xf32>)
    -> (tensor<32x64xf32>, tensor<5xf32>, tensor<32x64xf32>) {
  %r:2 = octavo.kernel @two(%a, %b) attributes {operand_strides = [array<i64: 1, 64>, array<i64: 1>]}
      : (tensor<64x32xf32>, tensor<5xf32>) -> (tensor<32x64xf32>, tensor<5xf32>) {
  ^bb0(%x: tensor<64x32xf32>):
    %e = tensor.empty() : tensor<32x64xf32>
    %t = linalg.transpose ins(%x : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
    octavo.yield %t : tensor<32x64xf32>
  }, {
  ^bb0(%x: tensor<5xf32>):
    octavo.yield %x : tensor<5xf32>
  }
  %q:2 = octavo.kernel @again(%c, %b) attributes {operand_strides = [array<i64: 1, 64>, array<i64: 1>]}
      : (tensor<64x32xf32>, tensor<5xf32>) -> (tensor<32x64xf32>, tensor<5xf32>) {
  ^bb0(%x: tensor<64x32xf32>):
    %e = tensor.empty() : tensor<32x64xf32>
    %t = linalg.transpose ins(%x : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
    octavo.yield %t : tensor<32x64xf32>
  }, {
  ^bb0(%x: tensor<5xf32>):
    octavo.yield %x : tensor<5xf32>
  }
  return %q#0, %r#1, %r#0 : tensor<32x64xf32>, tensor<5xf32>, tensor<32x64xf32>
}
}
