//===- AxisInfo.cpp - How integers vary along a tile ----------------------===//

#include "octavo/Analysis/AxisInfo.h"

#include "dialects/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace octavo;

/// Stands for "any power of two": the divisor of zero.
static constexpr int64_t kAny = int64_t(1) << 30;

static int64_t powerOf(int64_t x) {
  return x == 0 ? kAny : std::min(x & -x, kAny);
}

int64_t AxisInfo::divisibilityOf(unsigned dim, int64_t size) const {
  int64_t first = divisibility[dim];
  // Inside a group that counts up, a smaller group starts at a multiple of its
  // own size only.
  return size < contiguity[dim] ? std::min(first, size) : first;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility &&
         constancy == other.constancy && divisor == other.divisor &&
         constant == other.constant && nonNegative == other.nonNegative;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

/// Nothing is known but that all elements have the divisor.
static AxisInfo makeUnknown(ArrayRef<int64_t> shape, int64_t divisor = 1) {
  AxisInfo info;
  info.contiguity.assign(shape.size(), 1);
  info.divisibility.assign(shape.size(), divisor);
  info.constancy.assign(shape.size(), 1);
  info.divisor = divisor;
  return info;
}

/// All elements are one value with these facts.
static AxisInfo makeUniform(ArrayRef<int64_t> shape, const AxisInfo &scalar) {
  AxisInfo info = makeUnknown(shape, scalar.divisor);
  for (auto [c, n] : llvm::zip_equal(info.constancy, shape))
    c = powerOf(n);
  info.constant = scalar.constant;
  info.nonNegative = scalar.nonNegative;
  return info;
}

static AxisInfo makeConstant(ArrayRef<int64_t> shape, int64_t value) {
  AxisInfo scalar;
  scalar.divisor = powerOf(value);
  scalar.constant = value;
  scalar.nonNegative = value >= 0;
  return makeUniform(shape, scalar);
}

/// What holds for a value that is one or the other.
static AxisInfo join(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = a;
  for (unsigned d = 0; d < a.rank(); ++d) {
    int64_t c = std::min(a.contiguity[d], b.contiguity[d]);
    info.contiguity[d] = c;
    info.divisibility[d] =
        std::min(a.divisibilityOf(d, c), b.divisibilityOf(d, c));
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
  }
  info.divisor = std::min(a.divisor, b.divisor);
  info.nonNegative = a.nonNegative && b.nonNegative;
  if (a.constant != b.constant)
    info.constant.reset();
  return info;
}

static AxisInfo addOrSubtract(const AxisInfo &a, const AxisInfo &b,
                              bool subtract) {
  AxisInfo info = a;
  for (unsigned d = 0; d < a.rank(); ++d) {
    int64_t c = std::min(a.contiguity[d], b.constancy[d]);
    if (!subtract)
      c = std::max(c, std::min(a.constancy[d], b.contiguity[d]));
    info.contiguity[d] = c;
    info.divisibility[d] =
        std::min(a.divisibilityOf(d, c), b.divisibilityOf(d, c));
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
  }
  info.divisor = std::min(a.divisor, b.divisor);
  info.nonNegative = !subtract && a.nonNegative && b.nonNegative;
  info.constant.reset();
  if (a.constant && b.constant)
    info.constant =
        subtract ? *a.constant - *b.constant : *a.constant + *b.constant;
  return info;
}

static AxisInfo multiply(const AxisInfo &a, const AxisInfo &b) {
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  AxisInfo info = a;
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.contiguity[d] = 1;
    info.divisibility[d] =
        std::min(kAny, a.divisibilityOf(d, 1) * b.divisibilityOf(d, 1));
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
  }
  info.divisor = std::min(kAny, a.divisor * b.divisor);
  info.nonNegative = a.nonNegative && b.nonNegative;
  info.constant.reset();
  if (a.constant && b.constant)
    info.constant = *a.constant * *b.constant;
  return info;
}

/// Largest group along `d` that lies between two multiples of `period`.
static int64_t groupWithin(const AxisInfo &a, unsigned d, int64_t period) {
  int64_t size = std::min(a.contiguity[d], powerOf(period));
  while (size > 1 && a.divisibilityOf(d, size) < size)
    size /= 2;
  return size;
}

static AxisInfo divide(const AxisInfo &a, const AxisInfo &b, bool isSigned) {
  if (b.constant == 1)
    return a;
  AxisInfo info = makeUnknown(a.contiguity);
  bool rounded = isSigned && !a.nonNegative; // towards zero, not downwards
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    if (b.constant && *b.constant > 0 && !rounded)
      info.constancy[d] =
          std::max(info.constancy[d], groupWithin(a, d, *b.constant));
  }
  if (b.constant && *b.constant > 0 && llvm::isPowerOf2_64(*b.constant) &&
      a.divisor % *b.constant == 0) {
    info.divisor = a.divisor / *b.constant;
    info.divisibility.assign(a.rank(), info.divisor);
  }
  info.nonNegative = !isSigned || (a.nonNegative && b.nonNegative);
  if (a.constant && b.constant && *b.constant > 0 && *a.constant >= 0)
    info.constant = *a.constant / *b.constant;
  return info;
}

static AxisInfo remainder(const AxisInfo &a, const AxisInfo &b, bool isSigned) {
  AxisInfo info = makeUnknown(a.contiguity);
  bool rounded = isSigned && !a.nonNegative;
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    if (!b.constant || *b.constant <= 0 || rounded)
      continue;
    int64_t size = groupWithin(a, d, *b.constant);
    info.contiguity[d] = size;
    info.divisibility[d] =
        std::min(a.divisibilityOf(d, size), powerOf(*b.constant));
  }
  info.divisor = std::min(a.divisor, b.divisor);
  info.nonNegative = !isSigned || a.nonNegative;
  if (a.constant && b.constant && *b.constant > 0 && *a.constant >= 0)
    info.constant = *a.constant % *b.constant;
  return info;
}

/// `a < b` is equal over a group if a's group lies between multiples of a
/// number that divides b. `shift` is 1 for `a <= b`, which is `a < b + 1`.
static void compareGroups(const AxisInfo &a, const AxisInfo &b, int64_t shift,
                          AxisInfo &info) {
  for (unsigned d = 0; d < a.rank(); ++d) {
    int64_t bound = b.constant   ? powerOf(*b.constant + shift)
                    : shift == 0 ? b.divisor
                                 : 1;
    int64_t size = std::min(b.constancy[d], groupWithin(a, d, bound));
    info.constancy[d] = std::max(info.constancy[d], size);
  }
}

static AxisInfo compare(arith::CmpIPredicate predicate, const AxisInfo &a,
                        const AxisInfo &b) {
  AxisInfo info = makeUnknown(a.contiguity);
  for (unsigned d = 0; d < a.rank(); ++d)
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
  switch (predicate) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::uge:
    compareGroups(a, b, 0, info);
    compareGroups(b, a, 1, info); // a < b is not (b < a + 1)
    break;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
    compareGroups(a, b, 1, info);
    compareGroups(b, a, 0, info);
    break;
  default:
    break;
  }
  return info;
}

/// Facts of a bitwise operation or of anything that maps equal operands to
/// equal results.
static AxisInfo combineConstancy(ArrayRef<AxisInfo> operands,
                                 ArrayRef<int64_t> shape) {
  AxisInfo info = makeUnknown(shape);
  for (unsigned d = 0; d < shape.size(); ++d) {
    int64_t c = powerOf(shape[d]);
    for (const AxisInfo &operand : operands)
      if (operand.rank() == shape.size())
        c = std::min(c, operand.constancy[d]);
    info.constancy[d] = c;
  }
  return info;
}

static AxisInfo expandDims(const AxisInfo &a, unsigned axis) {
  AxisInfo info = a;
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, a.divisor);
  return info;
}

static AxisInfo broadcast(const AxisInfo &a, ArrayRef<int64_t> from,
                          ArrayRef<int64_t> to) {
  AxisInfo info = a;
  for (unsigned d = 0; d < a.rank(); ++d)
    if (from[d] != to[d])
      info.constancy[d] = powerOf(to[d]);
  return info;
}

static AxisInfo transpose(const AxisInfo &a, ArrayRef<int32_t> order) {
  AxisInfo info = a;
  for (auto [d, from] : llvm::enumerate(order)) {
    info.contiguity[d] = a.contiguity[from];
    info.divisibility[d] = a.divisibility[from];
    info.constancy[d] = a.constancy[from];
  }
  return info;
}

/// Only a reshape that inserts or removes sizes of 1 keeps what is known.
static AxisInfo reshape(const AxisInfo &a, ArrayRef<int64_t> from,
                        ArrayRef<int64_t> to) {
  AxisInfo info = makeUnknown(to, a.divisor);
  info.nonNegative = a.nonNegative;
  info.constant = a.constant;
  if (a.constant)
    return makeConstant(to, *a.constant);
  size_t i = 0;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 1)
      continue;
    while (i < from.size() && from[i] == 1)
      ++i;
    if (i == from.size() || from[i] != to[d]) {
      AxisInfo unknown = makeUnknown(to, a.divisor);
      unknown.nonNegative = a.nonNegative;
      return unknown;
    }
    info.contiguity[d] = a.contiguity[i];
    info.divisibility[d] = a.divisibility[i];
    info.constancy[d] = a.constancy[i];
    ++i;
  }
  return info;
}

AxisInfo AxisInfoAnalysis::get(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isIntOrIndex())
    return makeUnknown(shapeOf(value));
  if (auto it = known.find(value); it != known.end())
    return it->second;
  AxisInfo info = compute(value);
  known[value] = info;
  return info;
}

AxisInfo AxisInfoAnalysis::computeLoopValue(BlockArgument argument, Value init,
                                            Value yielded) {
  AxisInfo assumed = get(init);
  // Values that feed each other around several loops are rare: give up early.
  if (depth >= 3)
    return makeUnknown(shapeOf(argument));
  while (true) {
    AxisInfoAnalysis trial = *this;
    trial.depth = depth + 1;
    trial.known[argument] = assumed;
    AxisInfo joined = join(assumed, trial.get(yielded));
    if (joined == assumed)
      return assumed;
    assumed = joined;
  }
}

AxisInfo AxisInfoAnalysis::computeArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar()) {
      AxisInfo lower = get(loop.getLowerBound()), step = get(loop.getStep());
      AxisInfo info;
      info.divisor = std::min(lower.divisor, step.divisor);
      info.nonNegative = lower.nonNegative;
      return info;
    }
    return computeLoopValue(argument, loop.getTiedLoopInit(argument)->get(),
                            loop.getTiedLoopYieldedValue(argument)->get());
  }
  if (auto function = dyn_cast<tile::FuncOp>(parent)) {
    AxisInfo info = makeUnknown({});
    auto divisor = function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), "tile.divisibility");
    info.divisor = divisor ? powerOf(divisor.getInt()) : 1;
    return info;
  }
  return makeUnknown(shapeOf(argument));
}

AxisInfo AxisInfoAnalysis::compute(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return makeConstant(shape, constant.getSExtValue());
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](tile::RangeOp range) {
        AxisInfo info = makeUnknown(shape);
        info.contiguity[0] = powerOf(shape[0]);
        info.divisibility[0] = std::min(powerOf(range.getStart()), kAny);
        info.nonNegative = static_cast<int64_t>(range.getStart()) >= 0;
        return info;
      })
      .Case([&](tile::WorkgroupIdOp) {
        AxisInfo info = makeUnknown({});
        info.nonNegative = true;
        return info;
      })
      .Case([&](tile::SplatOp) { return makeUniform(shape, operand(0)); })
      .Case([&](tile::ExpandDimsOp expand) {
        return expandDims(operand(0), expand.getAxis());
      })
      .Case([&](tile::BroadcastOp) {
        return broadcast(operand(0), shapeOf(op->getOperand(0)), shape);
      })
      .Case([&](tile::TransOp trans) {
        return transpose(operand(0), trans.getOrder());
      })
      .Case([&](tile::ReshapeOp) {
        return reshape(operand(0), shapeOf(op->getOperand(0)), shape);
      })
      .Case<tile::ConvertLayoutOp, arith::ExtSIOp, arith::TruncIOp,
            arith::IndexCastOp>([&](auto) { return operand(0); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        AxisInfo info = operand(0);
        // A negative number would become another one.
        return info.nonNegative ? info : combineConstancy(info, shape);
      })
      .Case([&](arith::AddIOp) {
        return addOrSubtract(operand(0), operand(1), false);
      })
      .Case([&](arith::SubIOp) {
        return addOrSubtract(operand(0), operand(1), true);
      })
      .Case([&](arith::MulIOp) { return multiply(operand(0), operand(1)); })
      .Case([&](arith::ShLIOp) {
        AxisInfo amount = operand(1);
        if (!amount.constant || *amount.constant < 0 || *amount.constant > 30)
          return combineConstancy({operand(0), amount}, shape);
        return multiply(operand(0),
                        makeConstant(shape, int64_t(1) << *amount.constant));
      })
      .Case(
          [&](arith::DivSIOp) { return divide(operand(0), operand(1), true); })
      .Case(
          [&](arith::DivUIOp) { return divide(operand(0), operand(1), false); })
      .Case([&](arith::RemSIOp) {
        return remainder(operand(0), operand(1), true);
      })
      .Case([&](arith::RemUIOp) {
        return remainder(operand(0), operand(1), false);
      })
      .Case([&](arith::CmpIOp cmp) {
        return compare(cmp.getPredicate(), operand(0), operand(1));
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MinSIOp,
            arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>([&](auto) {
        AxisInfo info = combineConstancy({operand(0), operand(1)}, shape);
        info.nonNegative = operand(0).nonNegative && operand(1).nonNegative;
        return info;
      })
      .Case([&](arith::SelectOp select) {
        AxisInfo info = join(operand(1), operand(2));
        AxisInfo condition = operand(0);
        for (unsigned d = 0; d < condition.rank(); ++d) {
          int64_t c = std::min(info.contiguity[d], condition.constancy[d]);
          info.divisibility[d] = info.divisibilityOf(d, c);
          info.contiguity[d] = c;
          info.constancy[d] =
              std::min(info.constancy[d], condition.constancy[d]);
        }
        return info;
      })
      .Default([&](Operation *) { return makeUnknown(shape); });
}
