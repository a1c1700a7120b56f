//===- LaneMathTrigonometry.cpp - Angles and remainders of f32 ------------===//

#include "passes/Lane/LaneMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace octavo;

static LaneValue toF64(LaneValue x) {
  return toFloat(x, x.getBuilder().getF64Type());
}

static LaneValue toF32(LaneValue x) {
  return toFloat(x, x.getBuilder().getF32Type());
}

/// Evaluates `rare` only in waves where `condition` holds for some element.
static LaneValue
replaceRarely(LaneValue condition, LaneValue common,
              llvm::function_ref<LaneValue(OpBuilder &)> rare) {
  auto branch =
      scf::IfOp::create(common.getBuilder(), common.getLoc(), common.getType(),
                        anyOf(condition), /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  LaneValue value = rare(then);
  Value merged =
      arith::SelectOp::create(then, common.getLoc(), condition, value, common);
  scf::YieldOp::create(then, common.getLoc(), merged);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, common.getLoc(), Value(common));
  return common.with(branch.getResult(0));
}

/// x * 2 / pi modulo 4 for huge f64 x that came from f32: 2 / pi in pieces of
/// 24 bits makes every product exact, and multiples of 4 vanish without error.
static LaneValue turnsOfHuge(LaneValue x) {
  constexpr double kTwoOverPi[] = {
      0x1.45f306p-1,   0x1.b93910p-26,  0x1.529fc0p-52,
      0x1.3abe88p-75,  0x1.ea69bap-97,  0x1.81b6c4p-121,
      0x1.2b3278p-145, 0x1.0e4104p-170, 0x1.fca2c6p-193};
  LaneValue sum = x.constant(0.0);
  for (double piece : kTwoOverPi) {
    LaneValue product = x * piece;
    sum = sum + fma(floor(product * 0.25), -4.0, product);
  }
  return sum;
}

std::pair<LaneValue, LaneValue> octavo::sinCosF32(LaneValue x) {
  // x = n pi/2 + r in f64, exact while n pi/2's leading word times n is.
  LaneValue wide = toF64(x);
  LaneValue n = roundEven(wide * 0x1.45f306dc9c883p-1);
  LaneValue r =
      fma(n, -0x1.1a62633145c07p-54, fma(n, -0x1.921fb54442d18p+0, wide));
  r = select(isEqual(n, 0.0), wide, r); // keeps the sign of -0
  LaneValue isHuge = isLess(wide.constant(0x1p50), absolute(wide));
  LaneValue turns = replaceRarely(isHuge, wide, [&](OpBuilder &inside) {
    return turnsOfHuge(LaneValue(inside, x.getLoc(), wide));
  });
  LaneValue hugeN = roundEven(turns);
  r = select(isHuge, (turns - hugeN) * 0x1.921fb54442d18p+0, r);
  n = select(isHuge, hugeN, n);
  LaneValue quadrant = fma(floor(n * 0.25), -4.0, n);

  LaneValue a = toF32(r);
  LaneValue z = a * a;
  LaneValue sine = fma(a * z,
                       polynomial(z, {-0x1.555556p-3, 0x1.111108p-7,
                                      -0x1.a00f12p-13, 0x1.6cb7fep-19}),
                       a);
  sine = select(isEqual(a, 0.0), a, sine); // -0 + 0 would be 0
  LaneValue cosine = fma(
      z * z, polynomial(z, {0x1.55554ap-5, -0x1.6c0bc4p-10, 0x1.99cb68p-16}),
      fma(z, -0.5, 1.0));
  // Quadrants 1 and 3 swap, 2 and 3 (sine) and 1 and 2 (cosine) negate.
  LaneValue q = toF32(quadrant);
  LaneValue half = q * 0.5;
  LaneValue isOdd = isLess(truncate(half), half) | isLess(half, truncate(half));
  LaneValue swappedSine = select(isOdd, cosine, sine);
  LaneValue swappedCosine = select(isOdd, sine, cosine);
  LaneValue flipSine = isEqual(q, 2.0) | isEqual(q, 3.0);
  LaneValue flipCosine = isEqual(q, 1.0) | isEqual(q, 2.0);
  return {select(flipSine, -swappedSine, swappedSine),
          select(flipCosine, -swappedCosine, swappedCosine)};
}

LaneValue octavo::atanF32(LaneValue x) {
  LaneValue magnitude = absolute(x);
  LaneValue isSteep = isLess(magnitude.constant(1.0), magnitude);
  LaneValue a = select(isSteep, 1.0 / magnitude, magnitude);
  LaneValue z = a * a;
  LaneValue p = polynomial(z, {-0x1.5554dcp-2, 0x1.9978f4p-3, -0x1.230adap-3,
                               0x1.b4e122p-4, -0x1.3556a8p-4, 0x1.61fdbcp-5,
                               -0x1.0c2bf2p-6, 0x1.7ed1ecp-9});
  LaneValue y = fma(a * z, p, a);
  y = select(isSteep, 0x1.921fb6p+0 - y, y);
  return copySign(y, x);
}

LaneValue octavo::atan2F32(LaneValue y, LaneValue x) {
  LaneValue ax = absolute(x), ay = absolute(y);
  LaneValue infinity = x.constant(HUGE_VAL);
  LaneValue zero = x.constant(0.0);
  LaneValue isSteep = isLess(ax, ay);
  LaneValue ratio = select(isSteep, ax, ay) / select(isSteep, ay, ax);
  // 0 / 0 and inf / inf stand for the axes and the diagonals.
  ratio = select(isEqual(ax, 0.0) & isEqual(ay, 0.0), zero, ratio);
  ratio = select(isEqual(ax, infinity) & isEqual(ay, infinity), x.constant(1.0),
                 ratio);
  LaneValue angle = atanF32(ratio);
  angle = select(isSteep, 0x1.921fb6p+0 - angle, angle);
  LaneValue isLeft = isLess(copySign(x.constant(1.0), x), 0.0);
  angle = select(isLeft, 0x1.921fb6p+1 - angle, angle);
  LaneValue nan = x + y;
  return select(isNaN(x) | isNaN(y), nan, copySign(angle, y));
}

/// asin(a) for 0 <= a <= 1/2.
static LaneValue asinSmall(LaneValue a) {
  LaneValue z = a * a;
  LaneValue p = polynomial(z, {0x1.5555c8p-3, 0x1.3301e2p-4, 0x1.747e72p-5,
                               0x1.8c26fep-6, 0x1.596e14p-5});
  return fma(a * z, p, a);
}

LaneValue octavo::asinF32(LaneValue x) {
  LaneValue magnitude = absolute(x);
  LaneValue isLarge = isLess(x.constant(0.5), magnitude);
  LaneValue root = squareRoot((1.0 - magnitude) * 0.5);
  LaneValue base = asinSmall(select(isLarge, root, magnitude));
  LaneValue y = select(isLarge, fma(base, -2.0, 0x1.921fb6p+0), base);
  return copySign(y, x);
}

LaneValue octavo::acosF32(LaneValue x) {
  LaneValue magnitude = absolute(x);
  LaneValue isLarge = isLess(x.constant(0.5), magnitude);
  LaneValue root = squareRoot((1.0 - magnitude) * 0.5);
  LaneValue base = asinSmall(select(isLarge, root, magnitude));
  LaneValue isNegative = isLess(x, 0.0);
  LaneValue twice = base * 2.0;
  LaneValue large = select(isNegative, 0x1.921fb6p+1 - twice, twice);
  LaneValue signedBase = copySign(base, x);
  return select(isLarge, large, 0x1.921fb6p+0 - signedBase);
}

LaneValue octavo::remainderF32(LaneValue x, LaneValue y) {
  // In f64 each step is exact and takes 52 bits off the quotient, whose f32
  // range is 2^277: one step nearly always, a loop where it is not enough. A
  // quotient that was rounded up leaves a negative rest.
  LaneValue divisor = toF64(absolute(y));
  auto step = [](LaneValue rest, LaneValue by) {
    return fma(-truncate(rest / by), by, rest);
  };
  LaneValue first = step(toF64(absolute(x)), divisor);
  auto loop = scf::WhileOp::create(
      x.getBuilder(), x.getLoc(), first.getType(), Value(first),
      [&](OpBuilder &inside, Location loc, ValueRange args) {
        LaneValue rest = absolute(LaneValue(inside, loc, args[0]));
        LaneValue by = rest.with(divisor);
        Value goOn = anyOf(isLess(by, rest) | isEqual(by, rest));
        scf::ConditionOp::create(inside, loc, goOn, args);
      },
      [&](OpBuilder &inside, Location loc, ValueRange args) {
        LaneValue rest(inside, loc, args[0]);
        LaneValue by = rest.with(divisor);
        LaneValue isDone = isLess(absolute(rest), by);
        scf::YieldOp::create(inside, loc,
                             Value(select(isDone, rest, step(rest, by))));
      });
  LaneValue rest = x.with(loop.getResult(0));
  rest = select(isLess(rest, 0.0), rest + divisor, rest);
  LaneValue result = copySign(toF32(rest), x);
  // x % inf = x; inf % y, x % 0 and NaN operands give NaN.
  LaneValue isPlain =
      isLess(absolute(x), HUGE_VAL) & isLess(x.constant(0.0), absolute(y));
  result = select(isEqual(absolute(y), HUGE_VAL), x, result);
  return select(isPlain, result, x.constant(NAN));
}
