// RUN: octavo-opt %s --octavo-lower-quantize --split-input-file --verify-diagnostics | FileCheck %s

// One IEEE division gives the scale; a power of two clears the mantissa but
// keeps NaN; the decode scale is the reciprocal.
// CHECK-LABEL: func.func @rows
// CHECK: math.absf
// CHECK: linalg.reduce
// CHECK-SAME: dimensions = [1]
// CHECK: arith.maximumf
// CHECK: %[[FMAX:.*]] = arith.constant 4.480000e+02 : f32
// CHECK: %[[S:.*]] = arith.divf %[[FMAX]], %{{.*}} : f32
// CHECK: arith.constant 2139095040 : i32
// CHECK: arith.cmpf uno, %[[S]], %[[S]]
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: arith.divf %[[ONE]], %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @rows(%x: tensor<8x64xbf16>) -> (tensor<8x64xf8E4M3FN>, tensor<8x1xf32>) {
  %q, %s = octavo.quantize %x granule<row> axis 1 rule pow2
    : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
  return %q, %s : tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
}

// -----

// OCP numbers kept as FNUZ numbers of half the value.
// CHECK-LABEL: func.func @halved
// CHECK: arith.constant 2.240000e+02 : f32
// CHECK: arith.constant -2.240000e+02 : f32
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FNUZ
func.func @halved(%x: tensor<8x64xf32>) -> (tensor<8x64xf8E4M3FNUZ>, tensor<f32>) {
  %q, %s = octavo.quantize %x granule<tensor> rule exact {largest = 224.0 : f64}
    : tensor<8x64xf32> -> tensor<8x64xf8E4M3FNUZ>, tensor<f32>
  return %q, %s : tensor<8x64xf8E4M3FNUZ>, tensor<f32>
}

// -----

// A partial block is filled with zeros for its amax; every element reads the
// scale of its own block.
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1) -> (d0 floordiv 4, d1 floordiv 16)>
// CHECK-LABEL: func.func @blocks
// CHECK: tensor.pad %{{.*}} low[0, 0] high[3, 8]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3]] output_shape [3, 4, 4, 16]
// CHECK: linalg.reduce
// CHECK-SAME: dimensions = [1, 3]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BLOCK]], #{{.*}}]
func.func @blocks(%x: tensor<9x56xbf16>) -> (tensor<9x56xf8E4M3FN>, tensor<3x4xf32>) {
  %q, %s = octavo.quantize %x granule<block<4x16>> axis 1 rule exact
    : tensor<9x56xbf16> -> tensor<9x56xf8E4M3FN>, tensor<3x4xf32>
  return %q, %s : tensor<9x56xf8E4M3FN>, tensor<3x4xf32>
}

// -----

// A power of two comes from the bits of amax; 255 where it is not finite.
// CHECK-LABEL: func.func @mx
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.shrui
// CHECK: arith.bitcast %{{.*}} : i8 to f8E8M0FNU
func.func @mx(%x: tensor<8x64xbf16>) -> (tensor<8x64xf8E4M3FN>, tensor<8x2xf8E8M0FNU>) {
  %q, %s = octavo.quantize %x granule<mx<32>> axis 1 rule e8m0_rceil
    : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x2xf8E8M0FNU>
  return %q, %s : tensor<8x64xf8E4M3FN>, tensor<8x2xf8E8M0FNU>
}
