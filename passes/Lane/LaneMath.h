//===- LaneMath.h - Formulas for math functions -----------------*- C++ -*-===//
//
// Each function takes and returns values of f32 or f64 (as said) and creates
// arithmetic with the accuracy that PyTorch's own device functions have: a few
// units in the last place over the whole range, with the special values of
// IEEE 754 and C. Coefficients are minimax fits (Remez) made for this file.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_LANE_LANEMATH_H
#define OCTAVO_PASSES_LANE_LANEMATH_H

#include "passes/Lane/LaneValue.h"

namespace octavo {

/// f64.
LaneValue expF64(LaneValue x);
LaneValue exp2F64(LaneValue x);
LaneValue logF64(LaneValue x);
LaneValue log2F64(LaneValue x);
/// x to the power y, both f64; relative error below 1e-12 (f32 operands are
/// extended by the caller).
LaneValue powF64(LaneValue x, LaneValue y);

/// f32.
LaneValue rsqrtF32(LaneValue x);
LaneValue expm1F32(LaneValue x);
LaneValue log1pF32(LaneValue x);
LaneValue tanhF32(LaneValue x);
LaneValue erfF32(LaneValue x);
LaneValue erfcF32(LaneValue x);
LaneValue atanF32(LaneValue x);
LaneValue atan2F32(LaneValue y, LaneValue x);
LaneValue asinF32(LaneValue x);
LaneValue acosF32(LaneValue x);
LaneValue sinhF32(LaneValue x);
LaneValue coshF32(LaneValue x);
LaneValue asinhF32(LaneValue x);
LaneValue acoshF32(LaneValue x);
LaneValue atanhF32(LaneValue x);
LaneValue cbrtF32(LaneValue x);
/// Sine and cosine of the same f32 value.
std::pair<LaneValue, LaneValue> sinCosF32(LaneValue x);

/// x - trunc(x / y) * y without rounding, with the sign of x; f32.
LaneValue remainderF32(LaneValue x, LaneValue y);

} // namespace octavo

#endif // OCTAVO_PASSES_LANE_LANEMATH_H
