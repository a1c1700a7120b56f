//===- LaneMathF32.cpp - Exponential and error functions of f32 -----------===//

#include "passes/Lane/LaneMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace octavo;

static LaneValue exp(LaneValue x) {
  return x.with(LLVM::ExpOp::create(x.getBuilder(), x.getLoc(), x));
}

static LaneValue log(LaneValue x) {
  return x.with(LLVM::LogOp::create(x.getBuilder(), x.getLoc(), x));
}

static LaneValue toF64(LaneValue x) {
  return toFloat(x, x.getBuilder().getF64Type());
}

static LaneValue toF32(LaneValue x) {
  return toFloat(x, x.getBuilder().getF32Type());
}

LaneValue octavo::rsqrtF32(LaneValue x) {
  // The instruction is right to one unit but flushes subnormal operands.
  LaneValue isTiny = isLess(absolute(x), 0x1p-126);
  LaneValue scaled = select(isTiny, x * 0x1p24, x);
  LaneValue y = callScalarIntrinsic("llvm.amdgcn.rsq", scaled);
  return select(isTiny, y * 0x1p12, y);
}

LaneValue octavo::expm1F32(LaneValue x) {
  // x = n ln 2 + r; e^x - 1 = 2^n (e^r - 1) + (2^n - 1).
  LaneValue bounded =
      minimumNumber(maximumNumber(x, x.constant(-30.0)), x.constant(89.0));
  LaneValue n = roundEven(bounded * 0x1.715476p+0);
  LaneValue r = fma(n, 0x1.05c61p-29, fma(n, -0x1.62e43p-1, bounded));
  LaneValue p = polynomial(r, {0x1.000000p-1, 0x1.555556p-3, 0x1.555498p-5,
                               0x1.111014p-7, 0x1.6d8abcp-10, 0x1.a2b148p-13});
  LaneValue small = fma(r * r, p, r);
  // 2^128 overflows, so the power is taken in two halves.
  LaneValue power = scaleByPowerOfTwo(x.constant(0.5), floatToInt32(n));
  LaneValue y = fma(power, small, power - 0.5) * 2.0;
  return select(isEqual(x, 0.0) | isNaN(x), x, y);
}

LaneValue octavo::log1pF32(LaneValue x) {
  // u = 1 + x rounded; what was lost returns by the derivative 1 / u.
  LaneValue u = x + 1.0;
  LaneValue lost = x - (u - 1.0);
  LaneValue y = log(u) + lost * callScalarIntrinsic("llvm.amdgcn.rcp", u);
  // At u = 0 and infinity the correction means nothing.
  y = select(isEqual(u, 0.0) | isEqual(u, HUGE_VAL), log(u), y);
  return select(isLess(absolute(x), 0x1p-24), x, y);
}

LaneValue octavo::tanhF32(LaneValue x) {
  LaneValue magnitude = absolute(x);
  LaneValue z = x * x;
  LaneValue p = polynomial(z, {-0x1.555532p-2, 0x1.110728p-3, -0x1.b83c62p-5,
                               0x1.5226cep-6, -0x1.75e29cp-8});
  LaneValue small = fma(magnitude * z, p, magnitude);
  LaneValue large = 1.0 - 2.0 / (exp(magnitude * 2.0) + 1.0);
  return copySign(select(isLess(magnitude, 0.625), small, large), x);
}

LaneValue octavo::erfF32(LaneValue x) {
  LaneValue magnitude = absolute(x);
  LaneValue p = polynomial(x * x, {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cf8p-4,
                                   -0x1.b7f90cp-6, 0x1.5405acp-8,
                                   -0x1.a3f6d6p-11, 0x1.4969c4p-14});
  LaneValue small = fma(magnitude, p, magnitude);
  // 1 - e^q(|x|) on [1, 4]; beyond, erf is 1 in f32. NaN passes through.
  LaneValue bounded = select(isLess(magnitude.constant(4.0), magnitude),
                             magnitude.constant(4.0), magnitude);
  LaneValue q =
      polynomial(bounded, {0x1.8b3a92p-13, -0x1.212c2cp+0, -0x1.4434f2p-1,
                           -0x1.bc18bcp-4, 0x1.9d0ba4p-6, -0x1.1398b4p-8,
                           0x1.ceea14p-12, -0x1.6c057ap-16});
  LaneValue large = 1.0 - exp(q);
  return copySign(select(isLess(magnitude, 1.0), small, large), x);
}

LaneValue octavo::sinhF32(LaneValue x) {
  LaneValue e = expF64(toF64(absolute(x)));
  LaneValue large = toF32((e - 1.0 / e) * 0.5);
  LaneValue z = x * x;
  LaneValue small = fma(absolute(x) * z,
                        polynomial(z, {0x1.555556p-3, 0x1.111112p-7,
                                       0x1.a01a02p-13, 0x1.71de3ap-19}),
                        absolute(x));
  return copySign(select(isLess(absolute(x), 0.5), small, large), x);
}

LaneValue octavo::coshF32(LaneValue x) {
  LaneValue e = expF64(toF64(absolute(x)));
  return toF32((e + 1.0 / e) * 0.5);
}

LaneValue octavo::asinhF32(LaneValue x) {
  LaneValue wide = toF64(absolute(x));
  LaneValue large = toF32(logF64(wide + squareRoot(fma(wide, wide, 1.0))));
  LaneValue z = x * x;
  LaneValue small = fma(absolute(x) * z, z.constant(-1.0 / 6), absolute(x));
  return copySign(select(isLess(absolute(x), 0x1p-7), small, large), x);
}

LaneValue octavo::acoshF32(LaneValue x) {
  LaneValue wide = toF64(x);
  LaneValue y = toF32(logF64(wide + squareRoot(fma(wide, wide, -1.0))));
  return select(isLess(x, 1.0), x.constant(NAN), y);
}

LaneValue octavo::atanhF32(LaneValue x) {
  LaneValue wide = toF64(absolute(x));
  LaneValue large = toF32(logF64((wide + 1.0) / (1.0 - wide)) * 0.5);
  LaneValue z = x * x;
  LaneValue small = fma(absolute(x) * z, z.constant(1.0 / 3), absolute(x));
  return copySign(select(isLess(absolute(x), 0x1p-7), small, large), x);
}

LaneValue octavo::cbrtF32(LaneValue x) {
  LaneValue y = toF32(exp2F64(log2F64(toF64(absolute(x))) * (1.0 / 3)));
  return copySign(y, x);
}

LaneValue octavo::erfcF32(LaneValue x) {
  // erfc(a) = e^(-a^2) g(a), with g fitted in t = (a - 3) / (a + 3).
  LaneValue a = toF64(absolute(x));
  LaneValue t = (a - 3.0) / (a + 3.0);
  LaneValue g = polynomial(
      t, {0x1.6e9827d229d31p-3, -0x1.4e102b9cf9421p-2, 0x1.f6ff2041085fap-3,
          -0x1.336ffbee6e919p-3, 0x1.258b13aeb2ea5p-4, -0x1.8fa58f2925daep-6,
          0x1.17c83a57d4e30p-8, 0x1.7310bb80cd6c8p-11, -0x1.39088ad16cfe9p-11,
          0x1.7b67a47c03821p-15, 0x1.0cacfc15ac437p-14, -0x1.ac91cae5b566fp-17,
          -0x1.0aca1b9350263p-17, 0x1.073eb19244eadp-19, 0x1.36602b5be4bdcp-20,
          -0x1.593396bceb95ep-23, -0x1.e9a2848ba0864p-24});
  LaneValue y = expF64(-(a * a)) * g;
  y = select(isLess(a.constant(12.0), a), a.constant(0.0), y);
  return toF32(select(isLess(toF64(x), 0.0), 2.0 - y, y));
}
