//===- DotLayout.cpp - Matrix instruction and layouts of a product --------===//

#include "passes/Tile/DotLayout.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace octavo;

/// More accumulators of 16x16 than this are copied between register files
/// (docs/design: facts on code generation); 32x32 ones are updated in place.
static constexpr int64_t kMaxSmallAccumulators = 62;

/// Neighbours along N that a lane owns at least: 16 bytes of a 16-bit result.
static constexpr int64_t kContiguous = 8;

/// A lane reads operands from LDS in pieces of this size.
static constexpr int64_t kOperandVectorBytes = 16;

static constexpr llvm::StringLiteral kInstruction = "tile.instruction";

std::optional<MatrixElement>
octavo::getMatrixElement(Type type, const TargetInfo &target) {
  using Result = std::optional<MatrixElement>;
  auto float8 = [&](Float8Encoding encoding, MatrixElement element) -> Result {
    return target.float8 == encoding ? Result(element) : std::nullopt;
  };
  return TypeSwitch<Type, Result>(type)
      .Case([&](Float8E4M3FNType) {
        return float8(Float8Encoding::OCP, MatrixElement::F8E4M3);
      })
      .Case([&](Float8E5M2Type) {
        return float8(Float8Encoding::OCP, MatrixElement::F8E5M2);
      })
      .Case([&](Float8E4M3FNUZType) {
        return float8(Float8Encoding::FNUZ, MatrixElement::F8E4M3);
      })
      .Case([&](Float8E5M2FNUZType) {
        return float8(Float8Encoding::FNUZ, MatrixElement::F8E5M2);
      })
      .Case([](BFloat16Type) -> Result { return MatrixElement::BF16; })
      .Case([](Float16Type) -> Result { return MatrixElement::F16; })
      .Case([](Float32Type) -> Result { return MatrixElement::F32; })
      .Case([](Float64Type) -> Result { return MatrixElement::F64; })
      .Case([](IntegerType integer) -> Result {
        return integer.getWidth() == 8 ? Result(MatrixElement::I8)
                                       : std::nullopt;
      })
      .Default([](Type) -> Result { return std::nullopt; });
}

/// Products of useful elements per pass.
static double getRate(const MatrixInstruction &row, int64_t m, int64_t n,
                      int64_t k) {
  double useful = double(std::min<int64_t>(m, row.n)) *
                  std::min<int64_t>(n, row.m) * std::min<int64_t>(k, row.k);
  return useful / row.passes;
}

static const MatrixInstruction *
chooseInstruction(tile::DotOp op, const TargetInfo &target, int64_t waves) {
  // Swapped: the tile's B is the instruction's A.
  auto a = getMatrixElement(op.getB().getType().getElementType(), target);
  auto b = getMatrixElement(op.getA().getType().getElementType(), target);
  if (!a || !b)
    return nullptr;
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  bool prefersLarge = m * n > kMaxSmallAccumulators * 16 * 16 * waves;
  const MatrixInstruction *best = nullptr;
  for (const MatrixInstruction &row : getMatrixInstructions(target)) {
    if (row.a != *a || row.b != *b)
      continue;
    if (!best) {
      best = &row;
      continue;
    }
    double gain = getRate(row, m & -m, n & -n, k & -k) -
                  getRate(*best, m & -m, n & -n, k & -k);
    bool betterSize = prefersLarge ? row.m > best->m : row.m < best->m;
    if (gain > 0 || (gain == 0 && betterSize))
      best = &row;
  }
  return best;
}

namespace {
/// Sizes of the tile along M and N and how waves share them.
struct WaveSplit {
  int64_t waves;
  /// Power-of-two part of the sizes, and its divisors.
  int64_t m, n, wavesM = 1, wavesN = 1;
};
} // namespace

/// Splits so that waves read the least of both operands.
static WaveSplit splitWaves(int64_t m, int64_t n, int64_t waves,
                            const MatrixInstruction &row) {
  WaveSplit split{waves, m & -m, n & -n};
  for (int64_t rest = waves; rest > 1; rest /= 2) {
    bool canM = split.m / split.wavesM > row.n;
    bool canN = split.n / split.wavesN > row.m;
    if (!canM && !canN)
      break;
    // The side of which a wave reads more.
    if (canM && (!canN || m / split.wavesM >= n / split.wavesN))
      split.wavesM *= 2;
    else
      split.wavesN *= 2;
  }
  return split;
}

/// Steps 1, 2, 4 … from `from` to before `to`, along `dim` of two.
static void appendSteps(TileBases &bases, unsigned dim, int64_t from,
                        int64_t to) {
  for (int64_t step = from; step < to; step *= 2) {
    TileIndex basis(2, 0);
    basis[dim] = step;
    bases.push_back(basis);
  }
}

/// A step along `dim` of two.
static TileIndex makeStep(unsigned dim, int64_t step) {
  TileIndex basis(2, 0);
  basis[dim] = step;
  return basis;
}

/// Wave bits: first those that share N, then those that share M, then
/// duplicates. `dimM` or `dimN` is -1 for an operand without that dimension.
static TileBases makeWaves(const WaveSplit &split, int dimM, int dimN) {
  TileBases bases;
  auto share = [&](int dim, int64_t size, int64_t count) {
    for (int64_t step = size / count; step < size; step *= 2)
      bases.push_back(dim < 0 ? TileIndex(2, 0) : makeStep(dim, step));
  };
  share(dimN, split.n, split.wavesN);
  share(dimM, split.m, split.wavesM);
  while ((int64_t(1) << bases.size()) < split.waves)
    bases.push_back(TileIndex(2, 0));
  return bases;
}

/// Repetitions of a two-dimensional tile beyond its power-of-two part.
static TileIndex makeRepeats(int64_t rows, int64_t columns) {
  return {rows / (rows & -rows), columns / (columns & -columns)};
}

namespace {
/// Steps along M or N of the bits of an operand's rows: those of the lane and,
/// for further rows of a wave, those of the register. A step beyond the tile is
/// zero.
struct RowSteps {
  SmallVector<int64_t> lanes, registers;
};
} // namespace

/// Rows in their order.
static RowSteps makePlainRows(int64_t size, int64_t perWave, int64_t lanes) {
  RowSteps steps;
  for (int64_t step = 1; step < lanes; step *= 2)
    steps.lanes.push_back(step < size ? step : 0);
  for (int64_t step = lanes; step < perWave; step *= 2)
    steps.registers.push_back(step);
  return steps;
}

/// Which step along N each row bit of the result gets: a lane's registers
/// first, then so many of its further registers that a lane owns kContiguous
/// neighbours along N, then the lanes. The order of rows is free, for it is
/// only the order in which B's columns are brought to the lanes.
static RowSteps makeResultRows(const MatrixInstruction &row, int64_t size,
                               int64_t perWave) {
  int64_t further = 0, contiguous = row.resultElements();
  for (int64_t n = row.m; n < perWave; n *= 2)
    ++further;
  int64_t next = 1;
  auto take = [&] {
    int64_t step = next < size ? next : 0;
    next *= 2;
    return step;
  };
  RowSteps steps;
  steps.lanes.assign(llvm::Log2_64(row.m), 0);
  for (uint16_t step : row.registerM)
    steps.lanes[llvm::Log2_64(step)] = take();
  for (; further > 0 && contiguous < kContiguous; --further, contiguous *= 2)
    steps.registers.push_back(take());
  for (uint16_t step : row.laneM)
    steps.lanes[llvm::Log2_64(step)] = take();
  for (; further > 0; --further)
    steps.registers.push_back(take());
  return steps;
}

/// `rows` x K (or K x `rows`): the lanes of the instruction along the rows and,
/// with 16 bytes of neighbours each, along K.
static LinearLayout makeOperand(const MatrixInstruction &row,
                                const RowSteps &steps, int64_t rows, int64_t k,
                                bool transposed, TileBases waves,
                                unsigned elementBits) {
  unsigned dimRow = transposed ? 1 : 0, dimK = 1 - dimRow;
  int64_t linearK = k & -k;
  int64_t lanesK = int64_t(1) << row.laneK.size();
  int64_t vector = kOperandVectorBytes * 8 / elementBits;
  vector = std::min(vector, std::max<int64_t>(linearK / lanesK, 1));
  TileBases registers, lanes;
  appendSteps(registers, dimK, 1, vector);
  for (int64_t step : steps.lanes)
    lanes.push_back(makeStep(dimRow, step));
  for (int64_t step = vector; step < vector * lanesK; step *= 2)
    lanes.push_back(makeStep(dimK, step < linearK ? step : 0));
  appendSteps(registers, dimK, vector * lanesK, linearK);
  for (int64_t step : steps.registers)
    registers.push_back(makeStep(dimRow, step));
  TileIndex repeats = transposed ? makeRepeats(k, rows) : makeRepeats(rows, k);
  return LinearLayout(registers, lanes, std::move(waves), repeats);
}

/// The bits of the instruction's result come first in the register's number.
static LinearLayout makeAccumulator(const MatrixInstruction &row, int64_t m,
                                    int64_t n, const WaveSplit &split,
                                    const RowSteps &rowsM,
                                    const RowSteps &rowsN) {
  TileBases registers, lanes;
  for (uint16_t step : row.registerM)
    if (int64_t along = rowsN.lanes[llvm::Log2_64(step)])
      registers.push_back(makeStep(1, along));
  for (int64_t step : rowsM.lanes)
    lanes.push_back(makeStep(0, step));
  for (uint16_t step : row.laneM)
    lanes.push_back(makeStep(1, rowsN.lanes[llvm::Log2_64(step)]));
  for (int64_t step : rowsN.registers)
    registers.push_back(makeStep(1, step));
  for (int64_t step : rowsM.registers)
    registers.push_back(makeStep(0, step));
  return LinearLayout(registers, lanes, makeWaves(split, 0, 1),
                      makeRepeats(m, n));
}

FailureOr<DotPlan> octavo::planDot(tile::DotOp op, const TargetInfo &target,
                                   int64_t waves) {
  const MatrixInstruction *row = chooseInstruction(op, target, waves);
  if (!row)
    return op.emitOpError("the target multiplies no ")
           << op.getA().getType().getElementType() << " with "
           << op.getB().getType().getElementType();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  WaveSplit split = splitWaves(m, n, waves, *row);
  unsigned bits = getElementBits(row->a);
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  RowSteps rowsM = makePlainRows(split.m, split.m / split.wavesM, row->n);
  RowSteps rowsN = makeResultRows(*row, split.n, split.n / split.wavesN);
  DotPlan plan{row, {}, {}, makeAccumulator(*row, m, n, split, rowsM, rowsN)};
  plan.a = makeOperand(*row, rowsM, m, k, ta, makeWaves(split, ta ? 1 : 0, -1),
                       bits);
  plan.b = makeOperand(*row, rowsN, n, k, !tb, makeWaves(split, -1, tb ? 0 : 1),
                       bits);
  op->setAttr(kInstruction, StringAttr::get(op.getContext(), row->name));
  return plan;
}

const MatrixInstruction *octavo::getDotInstruction(Operation *op, Value tileA,
                                                   Value tileB,
                                                   const TargetInfo &target) {
  auto name = op->getAttrOfType<StringAttr>(kInstruction);
  auto a = getMatrixElement(getElementTypeOrSelf(tileB.getType()), target);
  auto b = getMatrixElement(getElementTypeOrSelf(tileA.getType()), target);
  if (!name || !a || !b)
    return nullptr;
  return findMatrixInstruction(target, name.getValue(), *a, *b);
}

const MatrixInstruction *octavo::getDotInstruction(tile::DotOp op,
                                                   const TargetInfo &target) {
  return getDotInstruction(op, op.getA(), op.getB(), target);
}

//===----------------------------------------------------------------------===//
// Products with scales
//===----------------------------------------------------------------------===//

/// Elements of K that share a scale.
static constexpr int64_t kScaleBlock = 32;

/// The smaller result unless there are too many accumulators; its K must divide
/// the tile's.
static const MatrixInstruction *
chooseScaledInstruction(tile::DotScaledOp op, const TargetInfo &target,
                        int64_t k, int64_t waves) {
  auto a = getMatrixElement(op.getB().getType().getElementType(), target);
  auto b = getMatrixElement(op.getA().getType().getElementType(), target);
  if (!a || !b)
    return nullptr;
  bool prefersLarge =
      op.getType().getNumElements() > kMaxSmallAccumulators * 16 * 16 * waves;
  const MatrixInstruction *best = nullptr;
  for (const MatrixInstruction &row : getMatrixInstructions(target)) {
    bool fits = row.selectsFormat && row.a == *a && row.b == *b &&
                (k & -k) % row.k == 0;
    if (fits && (!best || (row.m > best->m) == prefersLarge))
      best = &row;
  }
  return best;
}

/// `rows` x K/32: lanes as those of the operand's rows, then along K.
static LinearLayout makeScale(const MatrixInstruction &row,
                              const RowSteps &steps, int64_t rows, int64_t k,
                              TileBases waves) {
  int64_t blocks = k / kScaleBlock, own = row.k / kScaleBlock;
  TileBases registers, lanes;
  for (int64_t step : steps.lanes)
    lanes.push_back(makeStep(0, step));
  appendSteps(lanes, 1, 1, own);
  appendSteps(registers, 1, own, blocks & -blocks);
  for (int64_t step : steps.registers)
    registers.push_back(makeStep(0, step));
  return LinearLayout(registers, lanes, std::move(waves),
                      makeRepeats(rows, blocks));
}

bool octavo::hasScaledInstruction(tile::DotScaledOp op,
                                  const TargetInfo &target) {
  int64_t k = op.getA().getType().getDimSize(op.getTransposeA() ? 0 : 1);
  return chooseScaledInstruction(op, target, k, /*waves=*/1);
}

FailureOr<ScaledDotPlan> octavo::planScaledDot(tile::DotScaledOp op,
                                               const TargetInfo &target,
                                               int64_t waves) {
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  int64_t m = op.getType().getDimSize(0), n = op.getType().getDimSize(1);
  int64_t k = op.getA().getType().getDimSize(ta ? 0 : 1);
  const MatrixInstruction *row = chooseScaledInstruction(op, target, k, waves);
  if (!row)
    return op.emitOpError("the target multiplies no ")
           << op.getA().getType().getElementType() << " with "
           << op.getB().getType().getElementType()
           << " under scales in tiles of " << k << " along K";
  WaveSplit split = splitWaves(m, n, waves, *row);
  unsigned bits = getElementBits(row->a);
  RowSteps rowsM = makePlainRows(split.m, split.m / split.wavesM, row->n);
  RowSteps rowsN = makeResultRows(*row, split.n, split.n / split.wavesN);
  ScaledDotPlan plan{{row,
                      makeOperand(*row, rowsM, m, k, ta,
                                  makeWaves(split, ta ? 1 : 0, -1), bits),
                      makeOperand(*row, rowsN, n, k, !tb,
                                  makeWaves(split, -1, tb ? 0 : 1), bits),
                      makeAccumulator(*row, m, n, split, rowsM, rowsN)},
                     makeScale(*row, rowsM, m, k, makeWaves(split, 0, -1)),
                     makeScale(*row, rowsN, n, k, makeWaves(split, -1, 0))};
  op->setAttr(kInstruction, StringAttr::get(op.getContext(), row->name));
  return plan;
}
