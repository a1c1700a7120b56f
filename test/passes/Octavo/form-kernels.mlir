// RUN: octavo-opt %s --octavo-form-kernels --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#per_row = affine_map<(d0, d1) -> (d0)>

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A sum and what divides by it need the same rows: one kernel with both results.
// CHECK-LABEL: func.func @rows
// CHECK: %[[R:.*]]:2 = octavo.kernel @{{.*}}(%arg0)
// CHECK: octavo.yield %{{.*}}, %{{.*}} : tensor<1024xf32>, tensor<1024x128xf32>
// CHECK-NOT: octavo.kernel
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @rows(%x: tensor<1024x128xf32>) -> (tensor<1024x128xf32>, tensor<1024xf32>) {
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
  return %y, %s : tensor<1024x128xf32>, tensor<1024xf32>
}
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

module attributes {octavo.target = #octavo.target<"gfx950">} {
// What only reads the product is done before the product is written; the cast of
// an operand is part of its read.
// CHECK-LABEL: func.func @epilogue
// CHECK: octavo.kernel @{{.*}}matmul_add(
// CHECK: linalg.generic
// CHECK: arith.truncf
// CHECK: octavo.scaled_matmul
// CHECK: arith.addf
// CHECK: octavo.yield %{{.*}} : tensor<64x32xf32>
// CHECK-NOT: octavo.kernel
func.func @epilogue(%a: tensor<64x16xf32>, %b: tensor<16x32xbf16>, %h: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x16xbf16>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x16xf32>) outs(%e : tensor<64x16xbf16>) attrs = {octavo.from = "cast"} {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x16xbf16>
  %y = octavo.scaled_matmul %c, %b : tensor<64x16xbf16>, tensor<16x32xbf16> -> tensor<64x32xf32>
  %f = tensor.empty() : tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %h : tensor<64x32xf32>, tensor<64x32xf32>) outs(%f : tensor<64x32xf32>) attrs = {octavo.from = "add"} {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %t = arith.addf %x, %z : f32
    linalg.yield %t : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
}

// -----

#id = affine_map<(d0) -> (d0)>
#no = affine_map<(d0) -> ()>

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Tensors that have nothing in common share a launch, each with a body.
// CHECK-LABEL: func.func @many
// CHECK: octavo.kernel @scale_x2(%arg0, %arg1)
// CHECK-SAME: (tensor<64xf32>, tensor<7xf32>) -> (tensor<64xf32>, tensor<7xf32>) {
// CHECK: }, {
// CHECK-NOT: octavo.kernel
func.func @many(%a: tensor<64xf32>, %b: tensor<7xf32>) -> (tensor<64xf32>, tensor<7xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) attrs = {octavo.from = "scale"} {
  ^bb0(%i: f32, %o: f32):
    %t = arith.mulf %i, %i : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %f = tensor.empty() : tensor<7xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<7xf32>) outs(%f : tensor<7xf32>) attrs = {octavo.from = "scale"} {
  ^bb0(%i: f32, %o: f32):
    %t = arith.mulf %i, %i : f32
    linalg.yield %t : f32
  } -> tensor<7xf32>
  return %x, %y : tensor<64xf32>, tensor<7xf32>
}
}

// -----

#id = affine_map<(d0) -> (d0)>
#flip = affine_map<(d0) -> (d0)>

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A result that is written over an argument is written at once where the kernel
// reads only the element that it writes,
// CHECK-LABEL: func.func @in_place
// CHECK: octavo.kernel
// CHECK-NOT: octavo.kernel
// CHECK: return
func.func @in_place(%a: tensor<64xf32>) -> (tensor<64xf32> {octavo.writes = 0 : i64}) {
  %e = tensor.empty() : tensor<64xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.mulf %i, %i : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// and through the workspace where it reads others.
// CHECK-LABEL: func.func @turned
// CHECK: %[[T:.*]] = octavo.kernel
// CHECK: octavo.kernel @copy(%[[T]])
// CHECK: return
func.func @turned(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {octavo.writes = 0 : i64}) {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  return %t : tensor<8x8xf32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// What has no kernel runs eagerly, between the launches.
// CHECK-LABEL: func.func @eager
// CHECK: octavo.call "aten.sort.stable"(%arg0) because "nothing sorts" {args = {dim = 0 : i64, self = #aten.operand<0>}}
func.func @eager(%a: tensor<64xf32>) -> tensor<64xf32> {
  %s = aten.call "aten.sort.stable"(%a) {args = {self = #aten.operand<0>, dim = 0}, octavo.reason = "nothing sorts"}
     : (tensor<64xf32>) -> tensor<64xf32>
  return %s : tensor<64xf32>
}
}
