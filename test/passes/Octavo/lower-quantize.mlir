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

func.func @blocks(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op has no lowering for granule #octavo.granule<block<4x16>>}}
  %q, %s = octavo.quantize %x granule<block<4x16>> axis 1 rule exact
    : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<2x4xf32>
  return
}
