//===- LaneLowerMath.cpp - math functions to arithmetic -------------------===//
//
// Upstream turns most math functions into calls of a device library. Here each
// becomes an LLVM intrinsic where LLVM's own expansion is accurate, and else a
// formula of LaneMath.h; `fastmath<afn>` asks for the bare instruction.
//
//===----------------------------------------------------------------------===//

#include "passes/Lane/LaneMath.h"
#include "passes/Lane/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <optional>

namespace octavo {
#define GEN_PASS_DEF_LANELOWERMATH
#include "passes/Lane/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

using Operands = ArrayRef<LaneValue>;

template <typename Op> static LaneValue createLLVM(Operands x) {
  SmallVector<Value> values(x.begin(), x.end());
  return x[0].with(Op::create(x[0].getBuilder(), x[0].getLoc(),
                              TypeRange(x[0].getType()), values)
                       ->getResult(0));
}

/// Functions that LLVM expands well for f32 and f64.
static std::optional<LaneValue> lowerToIntrinsic(Operation *op, Operands x) {
  using Result = std::optional<LaneValue>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](math::AbsFOp) { return createLLVM<LLVM::FAbsOp>(x); })
      .Case([&](math::CeilOp) { return createLLVM<LLVM::FCeilOp>(x); })
      .Case([&](math::CopySignOp) { return createLLVM<LLVM::CopySignOp>(x); })
      .Case([&](math::FloorOp) { return createLLVM<LLVM::FFloorOp>(x); })
      .Case([&](math::FmaOp) { return createLLVM<LLVM::FMAOp>(x); })
      .Case([&](math::RoundEvenOp) { return createLLVM<LLVM::RoundEvenOp>(x); })
      .Case([&](math::RoundOp) { return createLLVM<LLVM::RoundOp>(x); })
      .Case([&](math::SqrtOp) { return createLLVM<LLVM::SqrtOp>(x); })
      .Case([&](math::TruncOp) { return createLLVM<LLVM::FTruncOp>(x); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Functions for which `afn` allows one instruction of f32.
static std::optional<LaneValue> lowerToInstruction(Operation *op, Operands x) {
  using Result = std::optional<LaneValue>;
  auto call = [&](StringRef name, LaneValue operand) -> Result {
    return callScalarIntrinsic(name, operand);
  };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](math::ExpOp) {
        return call("llvm.amdgcn.exp2", x[0] * 0x1.715476p+0);
      })
      .Case([&](math::Exp2Op) { return call("llvm.amdgcn.exp2", x[0]); })
      .Case([&](math::LogOp) {
        return *call("llvm.amdgcn.log", x[0]) * 0x1.62e430p-1;
      })
      .Case([&](math::Log2Op) { return call("llvm.amdgcn.log", x[0]); })
      .Case([&](math::RsqrtOp) { return call("llvm.amdgcn.rsq", x[0]); })
      .Case([&](math::SqrtOp) { return call("llvm.amdgcn.sqrt", x[0]); })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<LaneValue> lowerF32(Operation *op, Operands x) {
  using Result = std::optional<LaneValue>;
  Type f64 = x[0].getBuilder().getF64Type(), f32 = x[0].getElementType();
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](math::ExpOp) { return createLLVM<LLVM::ExpOp>(x); })
      .Case([&](math::Exp2Op) { return createLLVM<LLVM::Exp2Op>(x); })
      .Case([&](math::LogOp) { return createLLVM<LLVM::LogOp>(x); })
      .Case([&](math::Log10Op) { return createLLVM<LLVM::Log10Op>(x); })
      .Case([&](math::Log2Op) { return createLLVM<LLVM::Log2Op>(x); })
      .Case([&](math::AcosOp) { return acosF32(x[0]); })
      .Case([&](math::AcoshOp) { return acoshF32(x[0]); })
      .Case([&](math::AsinOp) { return asinF32(x[0]); })
      .Case([&](math::AsinhOp) { return asinhF32(x[0]); })
      .Case([&](math::AtanOp) { return atanF32(x[0]); })
      .Case([&](math::Atan2Op) { return atan2F32(x[0], x[1]); })
      .Case([&](math::AtanhOp) { return atanhF32(x[0]); })
      .Case([&](math::CbrtOp) { return cbrtF32(x[0]); })
      .Case([&](math::CosOp) { return sinCosF32(x[0]).second; })
      .Case([&](math::CoshOp) { return coshF32(x[0]); })
      .Case([&](math::ErfOp) { return erfF32(x[0]); })
      .Case([&](math::ErfcOp) { return erfcF32(x[0]); })
      .Case([&](math::ExpM1Op) { return expm1F32(x[0]); })
      .Case([&](math::Log1pOp) { return log1pF32(x[0]); })
      .Case([&](math::PowFOp) {
        return toFloat(powF64(toFloat(x[0], f64), toFloat(x[1], f64)), f32);
      })
      .Case([&](math::RsqrtOp) { return rsqrtF32(x[0]); })
      .Case([&](math::SinOp) { return sinCosF32(x[0]).first; })
      .Case([&](math::SinhOp) { return sinhF32(x[0]); })
      .Case([&](math::TanOp) {
        auto [sine, cosine] = sinCosF32(x[0]);
        return sine / cosine;
      })
      .Case([&](math::TanhOp) { return tanhF32(x[0]); })
      .Case([&](arith::RemFOp) { return remainderF32(x[0], x[1]); })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<LaneValue> lowerF64(Operation *op, Operands x) {
  using Result = std::optional<LaneValue>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](math::ExpOp) { return expF64(x[0]); })
      .Case([&](math::Exp2Op) { return exp2F64(x[0]); })
      .Case([&](math::LogOp) { return logF64(x[0]); })
      .Case([&](math::Log2Op) { return log2F64(x[0]); })
      .Case([&](math::Log10Op) { return log2F64(x[0]) * 0x1.34413509f79ffp-2; })
      .Case([&](math::PowFOp) { return powF64(x[0], x[1]); })
      .Case([&](math::RsqrtOp) { return 1.0 / squareRoot(x[0]); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Classifications give conditions, not numbers.
static std::optional<LaneValue> lowerClassification(Operation *op, Operands x) {
  using Result = std::optional<LaneValue>;
  LaneValue magnitude = absolute(x[0]);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](math::IsNaNOp) { return isNaN(x[0]); })
      .Case([&](math::IsInfOp) { return isEqual(magnitude, HUGE_VAL); })
      .Case([&](math::IsFiniteOp) { return isLess(magnitude, HUGE_VAL); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Lowers a function whose operands are f32 or f64 of one dimension at most.
static std::optional<LaneValue> lowerFloat(Operation *op, Operands x) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  bool isApproximate =
      flags && bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                  arith::FastMathFlags::afn);
  bool isF32 = x[0].getElementType().isF32();
  if (isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op))
    return lowerClassification(op, x);
  if (isApproximate && isF32)
    if (auto result = lowerToInstruction(op, x))
      return result;
  if (auto result = lowerToIntrinsic(op, x))
    return result;
  return isF32 ? lowerF32(op, x) : lowerF64(op, x);
}

/// base^power by squaring, for integers; negative powers give 0 but for +-1.
static LaneValue lowerIntegerPower(LaneValue base, LaneValue power) {
  OpBuilder &builder = base.getBuilder();
  Location loc = base.getLoc();
  auto compare = [](LaneValue a, arith::CmpIPredicate predicate, int64_t b) {
    return a.with(arith::CmpIOp::create(a.getBuilder(), a.getLoc(), predicate,
                                        a, a.constantInt(b)));
  };
  LaneValue one = base.constantInt(1), zero = base.constantInt(0);
  LaneValue isNegative = compare(power, arith::CmpIPredicate::slt, 0);
  LaneValue isUnit = compare(base, arith::CmpIPredicate::eq, 1) |
                     compare(base, arith::CmpIPredicate::eq, -1);
  // For +-1 only the parity counts, which a negative power has too.
  LaneValue start = select(isNegative, power & one, power);
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{base.getType(), base.getType(), base.getType()},
      ValueRange{one, base, start},
      [&](OpBuilder &inside, Location at, ValueRange args) {
        LaneValue rest(inside, at, args[2]);
        scf::ConditionOp::create(
            inside, at, anyOf(compare(rest, arith::CmpIPredicate::ne, 0)),
            args);
      },
      [&](OpBuilder &inside, Location at, ValueRange args) {
        LaneValue result(inside, at, args[0]), square(inside, at, args[1]),
            rest(inside, at, args[2]);
        LaneValue bit = rest & rest.constantInt(1);
        LaneValue next = select(compare(bit, arith::CmpIPredicate::ne, 0),
                                result * square, result);
        scf::YieldOp::create(
            inside, at, ValueRange{next, square * square, shiftRight(rest, 1)});
      });
  LaneValue result = base.with(loop.getResult(0));
  return select(isNegative, select(isUnit, result, zero), result);
}

static std::optional<LaneValue> lowerInteger(Operation *op, Operands x) {
  using Result = std::optional<LaneValue>;
  OpBuilder &builder = x[0].getBuilder();
  Location loc = x[0].getLoc();
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](math::AbsIOp) {
        LaneValue negated = x[0].constantInt(0) - x[0];
        return x[0].with(arith::MaxSIOp::create(builder, loc, x[0], negated));
      })
      .Case([&](math::CtPopOp) { return createLLVM<LLVM::CtPopOp>(x); })
      .Case([&](math::CountLeadingZerosOp) {
        return x[0].with(LLVM::CountLeadingZerosOp::create(
            builder, loc, x[0].getType(), x[0], /*is_zero_poison=*/false));
      })
      .Case([&](math::CountTrailingZerosOp) {
        return x[0].with(LLVM::CountTrailingZerosOp::create(
            builder, loc, x[0].getType(), x[0], /*is_zero_poison=*/false));
      })
      .Case([&](math::IPowIOp) { return lowerIntegerPower(x[0], x[1]); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Brings the operands of `op` to f32 or f64 (integers stay) and to one
/// dimension.
static SmallVector<LaneValue> prepareOperands(Operation *op,
                                              OpBuilder &builder) {
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands()) {
    LaneValue x(builder, op->getLoc(), operand);
    if (auto vector = dyn_cast<VectorType>(x.getType());
        vector && vector.getRank() != 1) {
      auto flat =
          VectorType::get(vector.getNumElements(), vector.getElementType());
      x = x.with(vector::ShapeCastOp::create(builder, op->getLoc(), flat, x));
    }
    if (auto type = dyn_cast<FloatType>(x.getElementType());
        type && type.getWidth() < 32)
      x = toFloat(x, builder.getF32Type());
    operands.push_back(x);
  }
  return operands;
}

/// Undoes prepareOperands for the result.
static Value finishResult(LaneValue result, Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (element && element.getWidth() < 32)
    result = toFloat(result, element);
  if (result.getType() == type)
    return result;
  return vector::ShapeCastOp::create(result.getBuilder(), result.getLoc(), type,
                                     result);
}

/// fpowi and clampf have operands of their own kinds.
static std::optional<LaneValue> lowerMixed(Operation *op,
                                           MutableArrayRef<LaneValue> x) {
  if (isa<math::FPowIOp>(op)) {
    Type f64 = x[0].getBuilder().getF64Type();
    LaneValue power = int32ToFloat(x[1], f64);
    return toFloat(powF64(toFloat(x[0], f64), power), x[0].getElementType());
  }
  if (isa<math::ClampFOp>(op)) {
    LaneValue low = x[0].with(arith::MaximumFOp::create(
        x[0].getBuilder(), x[0].getLoc(), x[0], x[1]));
    return x[0].with(
        arith::MinimumFOp::create(x[0].getBuilder(), x[0].getLoc(), low, x[2]));
  }
  return std::nullopt;
}

static LogicalResult lowerOp(Operation *op) {
  OpBuilder builder(op);
  SmallVector<LaneValue> x = prepareOperands(op, builder);
  if (auto both = dyn_cast<math::SincosOp>(op)) {
    if (!x[0].getElementType().isF32())
      return op->emitOpError("has no lowering for ") << op->getOperandTypes();
    auto [sine, cosine] = sinCosF32(x[0]);
    op->replaceAllUsesWith(
        ValueRange{finishResult(sine, both.getSin().getType()),
                   finishResult(cosine, both.getCos().getType())});
    op->erase();
    return success();
  }
  std::optional<LaneValue> result = lowerMixed(op, x);
  if (!result)
    result = isa<FloatType>(x[0].getElementType()) ? lowerFloat(op, x)
                                                   : lowerInteger(op, x);
  if (!result)
    return op->emitOpError("has no lowering for ") << op->getOperandTypes()[0];
  op->replaceAllUsesWith(
      ValueRange(finishResult(*result, op->getResultTypes()[0])));
  op->erase();
  return success();
}

namespace {
struct LaneLowerMath final
    : public octavo::impl::LaneLowerMathBase<LaneLowerMath> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isa<arith::RemFOp>(op))
        ops.push_back(op);
    });
    bool failedAny = false;
    for (Operation *op : ops)
      failedAny |= failed(lowerOp(op));
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace
