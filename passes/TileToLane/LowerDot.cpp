//===- LowerDot.cpp - Products on the matrix cores ------------------------===//
//
// Every fragment of the accumulator is a chain of matrix instructions along K.
// Both operands hold the same elements of K in the same registers and lanes, in
// any order: a sum does not depend on it. The product is computed transposed
// (see DotLayout.h).
//
//===----------------------------------------------------------------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "passes/Tile/DotLayout.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace octavo;

namespace {
/// Elements of K that share a scale.
constexpr int64_t kScaleBlock = 32;

/// One operand: which of its two dimensions is K, its registers, and its scales
/// (rows x K/32) or null.
struct Operand {
  Value tile;
  const LinearLayout &layout;
  unsigned dimRow, dimK;
  Value scale;

  Operand(Value tile, bool transposed, Value scale)
      : tile(tile), layout(layoutOf(tile)), dimRow(transposed ? 1 : 0),
        dimK(1 - dimRow), scale(scale) {}

  /// Elements of K that the registers of one row hold, in register order.
  SmallVector<int64_t> getKs() const {
    SmallVector<int64_t> ks;
    for (int64_t reg = 0, n = layout.numRegisters(); reg < n; ++reg) {
      TileIndex index = layout.registerIndex(reg);
      if (index[dimRow] == 0)
        ks.push_back(index[dimK]);
    }
    return ks;
  }

  std::optional<int64_t> find(int64_t row, int64_t k) const {
    TileIndex index(2, 0);
    index[dimRow] = row;
    index[dimK] = k;
    return layout.findRegister(index);
  }
};

class DotLowering {
public:
  DotLowering(LaneProgram &p, tile::DotOp op, const MatrixInstruction &row)
      : p(p), op(op), row(row), a(op.getA(), op.getTransposeA(), {}),
        b(op.getB(), !op.getTransposeB(), {}), accumulator(op.getAcc()),
        acc(layoutOf(accumulator)) {}
  DotLowering(LaneProgram &p, tile::DotScaledOp op,
              const MatrixInstruction &row)
      : p(p), op(op), row(row),
        a(op.getA(), op.getTransposeA(), op.getScaleA()),
        b(op.getB(), !op.getTransposeB(), op.getScaleB()),
        accumulator(op.getAcc()), acc(layoutOf(accumulator)) {}

  LogicalResult run();

private:
  FailureOr<Value> getPiece(const Operand &operand, int64_t rowIndex,
                            ArrayRef<int64_t> ks);
  Value toOperand(Value piece);
  FailureOr<Value> getScale(const Operand &operand, int64_t rowIndex,
                            int64_t k);
  Value multiply(Value first, Value second, Value sum, Value scaleOfFirst,
                 Value scaleOfSecond);
  LogicalResult lowerFragment(int64_t base);
  int64_t countOwnRegisters();

  LaneProgram &p;
  Operation *op;
  const MatrixInstruction &row;
  Operand a, b;
  Value accumulator;
  const LinearLayout &acc;
  SmallVector<int64_t> ks;
  SmallVector<Value> results;
  /// Pieces that were made before, by operand, row and first k.
  std::map<std::tuple<const Operand *, int64_t, int64_t>, Value> pieces;
};
} // namespace

/// Lane bits along K that no element of a short tile needs: all but one of such
/// lanes must hold zeros, or an element would be added several times.
static int64_t getSpareLanes(const LinearLayout &layout,
                             const MatrixInstruction &row) {
  return layout.duplicateLaneMask() & ~(int64_t(row.n) - 1);
}

FailureOr<Value> DotLowering::getPiece(const Operand &operand, int64_t rowIndex,
                                       ArrayRef<int64_t> part) {
  Value &known = pieces[{&operand, rowIndex, part.front()}];
  if (known)
    return known;
  int64_t want = row.operandElements();
  SmallVector<int64_t> regs;
  for (int64_t k : part) {
    std::optional<int64_t> reg = operand.find(rowIndex, k);
    if (!reg)
      return op->emitOpError("expected operands in the layout of ") << row.name;
    regs.push_back(*reg);
  }
  bool inOrder = static_cast<int64_t>(regs.size()) == want;
  for (auto [i, reg] : llvm::enumerate(regs))
    inOrder &= reg == regs.front() + static_cast<int64_t>(i);
  auto type = VectorType::get(
      {want}, cast<RankedTensorType>(operand.tile.getType()).getElementType());
  Value piece;
  if (inOrder) {
    piece = p.getPiece(operand.tile, regs.front(), want);
  } else {
    // What the tile does not have along K is zero.
    SmallVector<Value> elements;
    for (int64_t reg : regs)
      elements.push_back(p.getElement(operand.tile, reg));
    if (elements.size() < static_cast<size_t>(want))
      elements.resize(
          want, arith::ConstantOp::create(
                    p.b, p.loc,
                    cast<TypedAttr>(p.b.getZeroAttr(type.getElementType()))));
    piece = vector::FromElementsOp::create(p.b, p.loc, type, elements);
  }
  if (int64_t spare = getSpareLanes(operand.layout, row)) {
    Value bits =
        arith::AndIOp::create(p.b, p.loc, p.getLane(), p.constantI32(spare));
    Value holds = arith::CmpIOp::create(p.b, p.loc, arith::CmpIPredicate::eq,
                                        bits, p.constantI32(0));
    Value zero = arith::ConstantOp::create(
        p.b, p.loc, cast<TypedAttr>(p.b.getZeroAttr(type)));
    piece = arith::SelectOp::create(p.b, p.loc, holds, piece, zero);
  }
  return known = toOperand(piece);
}

/// The type that the instruction's op takes.
Value DotLowering::toOperand(Value piece) {
  auto type = cast<VectorType>(piece.getType());
  int64_t count = type.getNumElements();
  unsigned bits = getElementBits(row.a);
  if (bits >= 32)
    return vector::ExtractOp::create(p.b, p.loc, piece, 0);
  auto cast = [&](Type element, int64_t n) -> Value {
    return vector::BitCastOp::create(p.b, p.loc, VectorType::get({n}, element),
                                     piece);
  };
  if (bits == 8 && count == 8)
    return vector::ExtractOp::create(p.b, p.loc, cast(p.b.getI64Type(), 1), 0);
  if (bits == 8)
    return cast(p.b.getI32Type(), count / 4);
  if (row.a == MatrixElement::BF16 && count == 4)
    return cast(p.b.getI16Type(), count);
  return piece;
}

/// What the lane adds of an operand's scales to the instruction whose first
/// element along K is `k`; the constant 0 without scales.
FailureOr<Value> DotLowering::getScale(const Operand &operand, int64_t rowIndex,
                                       int64_t k) {
  if (!operand.scale)
    return p.constantI32(0);
  std::optional<int64_t> reg =
      layoutOf(operand.scale).findRegister({rowIndex, k / kScaleBlock});
  if (!reg)
    return op->emitOpError("expected scales in the layout of ") << row.name;
  Value byte = p.getElement(operand.scale, *reg);
  if (!byte.getType().isInteger(8))
    byte = arith::BitcastOp::create(p.b, p.loc, p.b.getI8Type(), byte);
  return Value(arith::ExtUIOp::create(p.b, p.loc, p.b.getI32Type(), byte));
}

Value DotLowering::multiply(Value first, Value second, Value sum,
                            Value scaleOfFirst, Value scaleOfSecond) {
  SmallVector<Value> operands{first, second, sum};
  Value zero = p.constantI32(0);
  if (row.selectsFormat) {
    // Both scales constant 0 select the instruction without scales.
    operands.push_back(p.constantI32(getFormatCode(row.a)));
    operands.push_back(p.constantI32(getFormatCode(row.b)));
    operands.append({zero, scaleOfFirst, zero, scaleOfSecond});
  } else {
    operands.append(3, zero);
  }
  OperationState state(p.loc, ("rocdl." + row.name).str(), operands,
                       sum.getType(), {});
  return p.b.create(state)->getResult(0);
}

/// Register bits of the accumulator's layout that are the instruction's; a tile
/// that is smaller has fewer.
int64_t DotLowering::countOwnRegisters() {
  int64_t columns = acc.linearShape()[1];
  return std::min<int64_t>(row.resultElements(), columns);
}

/// The fragment whose first register is `base`.
LogicalResult DotLowering::lowerFragment(int64_t base) {
  TileIndex index = acc.registerIndex(base);
  int64_t m = index[0], n = index[1];
  SmallVector<int64_t> regs;
  for (int64_t i = 0; i < row.resultElements(); ++i)
    regs.push_back(base + i % countOwnRegisters());
  bool whole = true;
  for (auto [i, reg] : llvm::enumerate(regs))
    whole &= reg == regs.front() + static_cast<int64_t>(i);
  auto type = VectorType::get({row.resultElements()},
                              getElementTypeOrSelf(accumulator.getType()));
  Value sum;
  if (whole) {
    sum = p.getPiece(accumulator, regs.front(), regs.size());
  } else {
    SmallVector<Value> elements;
    for (int64_t reg : regs)
      elements.push_back(p.getElement(accumulator, reg));
    sum = vector::FromElementsOp::create(p.b, p.loc, type, elements);
  }
  int64_t step = row.operandElements();
  for (ArrayRef<int64_t> rest = ks; !rest.empty();
       rest = rest.drop_front(std::min<size_t>(step, rest.size()))) {
    ArrayRef<int64_t> part = rest.take_front(step);
    FailureOr<Value> first = getPiece(b, n, part);
    FailureOr<Value> second = getPiece(a, m, part);
    FailureOr<Value> scaleOfFirst = getScale(b, n, part.front());
    FailureOr<Value> scaleOfSecond = getScale(a, m, part.front());
    if (failed(first) || failed(second) || failed(scaleOfFirst) ||
        failed(scaleOfSecond))
      return failure();
    sum = multiply(*first, *second, sum, *scaleOfFirst, *scaleOfSecond);
  }
  for (auto [i, reg] : llvm::enumerate(regs))
    results[reg] = vector::ExtractOp::create(p.b, p.loc, sum, i);
  return success();
}

LogicalResult DotLowering::run() {
  ks = a.getKs();
  if (ks != b.getKs())
    return op->emitOpError("expected both operands to hold K alike");
  results.resize(acc.numRegisters());
  for (int64_t reg = 0, n = acc.numRegisters(); reg < n;
       reg += countOwnRegisters())
    if (failed(lowerFragment(reg)))
      return failure();
  p.defineElements(op->getResult(0), results);
  return success();
}

/// `tile.dot` and `tile.dot_scaled`.
template <typename Op> static LogicalResult lower(LaneProgram &p, Op op) {
  const MatrixInstruction *row =
      getDotInstruction(op, op.getA(), op.getB(), p.target);
  if (!row)
    return op.emitOpError("expected an instruction from tile-assign-layouts");
  return DotLowering(p, op, *row).run();
}

LogicalResult octavo::lowerDot(LaneProgram &p, tile::DotOp op) {
  return lower(p, op);
}

LogicalResult octavo::lowerDot(LaneProgram &p, tile::DotScaledOp op) {
  return lower(p, op);
}
