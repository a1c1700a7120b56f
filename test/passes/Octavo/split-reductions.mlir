// RUN: octavo-opt %s --octavo-split-reductions --split-input-file | FileCheck %s

module attributes {octavo.target = #octavo.target<"gfx950">} {
// All of a matrix: rows first, then one number of the rows.
// CHECK-LABEL: func.func @everything
// CHECK: linalg.reduce
// CHECK-SAME: outs(%{{.*}} : tensor<1024xf32>) dimensions = [1]
// CHECK: linalg.reduce
// CHECK-SAME: outs(%{{.*}} : tensor<f32>) dimensions = [0]
func.func @everything(%x: tensor<1024x128xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<1024x128xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  return %s : tensor<f32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// A ragged length is padded with what changes nothing.
// CHECK-LABEL: func.func @ragged
// CHECK: tensor.pad %{{.*}} low[0] high[3] {
// CHECK: tensor.expand_shape %{{.*}} : tensor<20000xf32> into tensor<5x4000xf32>
// CHECK: linalg.reduce
// CHECK-SAME: outs(%{{.*}} : tensor<5xf32>) dimensions = [1]
func.func @ragged(%x: tensor<19997xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<19997xf32>) outs(%f : tensor<f32>) dimensions = [0]
  return %s : tensor<f32>
}
}

// -----

module attributes {octavo.target = #octavo.target<"gfx950">} {
// Many rows fill the device as they are; so do few short ones.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.reduce
// CHECK-SAME: outs(%{{.*}} : tensor<512xf32>) dimensions = [1]
// CHECK-NOT: linalg.reduce
func.func @rows(%x: tensor<512x20000xf32>) -> tensor<512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<512x20000xf32>) outs(%f : tensor<512xf32>) dimensions = [1]
  return %s : tensor<512xf32>
}
}
