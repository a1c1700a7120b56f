//===- TileOps.cpp - Verifiers of shape, reduction and matrix ops ---------===//

#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace octavo::tile;

/// The mask of an operation has the shape (and layout) of its offsets.
static ParseResult
parseMaskType(OpAsmParser &,
              const std::optional<OpAsmParser::UnresolvedOperand> &mask,
              Type &maskType, Type offsetsType) {
  auto offsets = dyn_cast<RankedTensorType>(offsetsType);
  if (mask && offsets)
    maskType = offsets.clone(IntegerType::get(offsets.getContext(), 1));
  return success();
}
static void printMaskType(OpAsmPrinter &, Operation *, Value, Type, Type) {}

static ParseResult
parseOtherType(OpAsmParser &,
               const std::optional<OpAsmParser::UnresolvedOperand> &other,
               Type &otherType, Type resultType) {
  if (other)
    otherType = resultType;
  return success();
}
static void printOtherType(OpAsmPrinter &, Operation *, Value, Type, Type) {}

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Making and reshaping tiles
//===----------------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  int64_t want =
      static_cast<int64_t>(getEnd()) - static_cast<int64_t>(getStart());
  // (C1)
  if (want < 1 || getType().getDimSize(0) != want)
    return emitOpError("expected end - start = ")
           << want << " elements, got " << getType();
  return success();
}

LogicalResult SplatOp::verify() {
  // (C1)
  if (getSource().getType() != getType().getElementType())
    return emitOpError("expected a scalar of type ")
           << getType().getElementType() << ", got " << getSource().getType();
  return success();
}

LogicalResult ToScalarOp::verify() {
  RankedTensorType source = getSource().getType();
  // (C1)
  if (source.getRank() != 0 || source.getElementType() != getType())
    return emitOpError("expected a tile of rank 0 and type ")
           << getType() << ", got " << source;
  return success();
}

/// True if both have one shape and element type; layouts may differ.
static bool sameTile(ShapedType a, ArrayRef<int64_t> shape, ShapedType b) {
  return a.getShape() == shape && a.getElementType() == b.getElementType();
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSource().getType();
  // (C1)
  if (getAxis() > source.getRank())
    return emitOpError("expected axis from 0 to ")
           << source.getRank() << ", got " << getAxis();
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + getAxis(), 1);
  // (C2)
  if (!sameTile(getType(), shape, source))
    return emitOpError("expected a result of shape ")
           << ArrayRef(shape) << ", got " << getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType();
  // (C1)
  if (source.getRank() != getType().getRank() ||
      source.getElementType() != getType().getElementType())
    return emitOpError("expected one rank and element type, got ")
           << source << " and " << getType();
  // (C2)
  for (auto [from, to] : llvm::zip(source.getShape(), getType().getShape()))
    if (from != to && from != 1)
      return emitOpError("expected sizes that agree or are 1, got ")
             << source << " and " << getType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = getSource().getType();
  // (C1)
  if (source.getNumElements() != getType().getNumElements() ||
      source.getElementType() != getType().getElementType())
    return emitOpError("expected as many elements of one type, got ")
           << source << " and " << getType();
  return success();
}

LogicalResult TransOp::verify() {
  RankedTensorType source = getSource().getType();
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  bool permutation = static_cast<int64_t>(sorted.size()) == source.getRank();
  for (auto [i, d] : llvm::enumerate(sorted))
    permutation &= static_cast<int64_t>(i) == d;
  // (C1)
  if (!permutation)
    return emitOpError("expected order to be a permutation of ")
           << source.getRank() << " dimensions, got [" << getOrder() << "]";
  SmallVector<int64_t> shape;
  for (int32_t d : getOrder())
    shape.push_back(source.getDimSize(d));
  // (C2)
  if (!sameTile(getType(), shape, source))
    return emitOpError("expected a result of shape ")
           << ArrayRef(shape) << ", got " << getType();
  return success();
}

/// Both join and split pair a tile with the same tile and a 2 appended.
static LogicalResult verifyPair(Operation *op, RankedTensorType part,
                                RankedTensorType whole) {
  SmallVector<int64_t> shape(part.getShape());
  shape.push_back(2);
  // (C1)
  if (!sameTile(whole, shape, part))
    return op->emitOpError("expected a whole of shape ")
           << ArrayRef(shape) << ", got " << whole;
  return success();
}

LogicalResult JoinOp::verify() {
  return verifyPair(*this, getLhs().getType(), getType());
}

LogicalResult SplitOp::verify() {
  return verifyPair(*this, getLhs().getType(), getSource().getType());
}

LogicalResult CatOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  // (C1)
  if (getAxis() >= lhs.getRank())
    return emitOpError("expected axis below ")
           << lhs.getRank() << ", got " << getAxis();
  SmallVector<int64_t> left(lhs.getShape()), right(rhs.getShape());
  SmallVector<int64_t> shape = left;
  bool good = left.size() == right.size();
  if (good) {
    shape[getAxis()] += right[getAxis()];
    right[getAxis()] = left[getAxis()];
    good = left == right && lhs.getElementType() == rhs.getElementType();
  }
  // (C2)
  if (!good || !sameTile(getType(), shape, lhs))
    return emitOpError("expected tiles that agree outside of axis ")
           << getAxis() << " and their sum, got " << lhs << ", " << rhs
           << " and " << getType();
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = getSource().getType();
  // (C1)
  if (!sameTile(getType(), source.getShape(), source))
    return emitOpError("expected one shape and element type, got ")
           << source << " and " << getType();
  if (!tile::getLayout(source) || !tile::getLayout(getType()))
    return emitOpError("expected layouts on both types, got ")
           << source << " and " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// Checks what `tile.reduce` and `tile.scan` share: C1 and C3.
static LogicalResult verifyCombiner(Operation *op, ValueRange sources,
                                    int64_t axis, Block &block) {
  if (sources.empty())
    return op->emitOpError("expected at least one operand");
  auto first = cast<RankedTensorType>(sources.front().getType());
  // (C1)
  for (Value source : sources)
    if (cast<RankedTensorType>(source.getType()).getShape() != first.getShape())
      return op->emitOpError("expected operands of one shape, got ")
             << first << " and " << source.getType();
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError("expected axis below ")
           << first.getRank() << ", got " << axis;
  // (C3)
  SmallVector<Type> scalars;
  for (Value source : sources)
    scalars.push_back(getElementTypeOrSelf(source.getType()));
  SmallVector<Type> twice(scalars);
  twice.append(scalars);
  if (block.getArgumentTypes() != TypeRange(twice))
    return op->emitOpError("expected a region with arguments ")
           << ArrayRef<Type>(twice) << ", got " << block.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != TypeRange(scalars))
    return op->emitOpError("expected a region that yields ")
           << ArrayRef<Type>(scalars);
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombiner(*this, getSources(), getAxis(),
                            getCombiner().front())))
    return failure();
  // (C2)
  bool good = getSources().size() == getResults().size();
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    auto from = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + getAxis());
    good &= sameTile(cast<RankedTensorType>(result.getType()), shape, from);
  }
  if (!good)
    return emitOpError("expected one result per operand without axis ")
           << getAxis() << ", got " << getResultTypes();
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombiner(*this, getSources(), getAxis(),
                            getCombiner().front())))
    return failure();
  // (C2)
  if (getSources().getTypes() != getResultTypes())
    return emitOpError("expected results of the operands' types, got ")
           << getResultTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

void DotOp::build(OpBuilder &builder, OperationState &state, Value a, Value b,
                  Value acc, bool transposeA, bool transposeB) {
  build(builder, state, acc.getType(), a, b, acc, transposeA, transposeB);
}

/// C1 and C2 of both products.
static LogicalResult verifyShapes(Operation *op, RankedTensorType a,
                                  RankedTensorType b, RankedTensorType acc,
                                  bool transposeA, bool transposeB) {
  // (C1)
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return op->emitOpError("expected operands of rank 2, got ")
           << a << ", " << b << " and " << acc;
  // (C2)
  int64_t m = a.getDimSize(transposeA), k = a.getDimSize(!transposeA);
  int64_t n = b.getDimSize(!transposeB), kb = b.getDimSize(transposeB);
  if (k != kb || acc.getShape() != ArrayRef<int64_t>({m, n}))
    return op->emitOpError("expected M, N and K to agree, got ")
           << a << ", " << b << " and " << acc;
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType();
  RankedTensorType acc = getAcc().getType();
  if (failed(verifyShapes(*this, a, b, acc, getTransposeA(), getTransposeB())))
    return failure();
  Type left = a.getElementType(), right = b.getElementType();
  bool ocp = isa<Float8E4M3FNType, Float8E5M2Type>(left) &&
             isa<Float8E4M3FNType, Float8E5M2Type>(right);
  bool fnuz = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(left) &&
              isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(right);
  // (C3)
  if (left != right && !ocp && !fnuz)
    return emitOpError("expected operands of one type or of 8-bit floats of "
                       "one family, got ")
           << left << " and " << right;
  MLIRContext *context = getContext();
  Type want = left.isInteger(8) ? Type(IntegerType::get(context, 32))
              : left.isF64()    ? Type(Float64Type::get(context))
                                : Type(Float32Type::get(context));
  // (C4)
  if (acc.getElementType() != want)
    return emitOpError("expected an accumulator of ")
           << want << ", got " << acc;
  return success();
}

LogicalResult DotScaledOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType();
  if (failed(verifyShapes(*this, a, b, getAcc().getType(), getTransposeA(),
                          getTransposeB())))
    return failure();
  int64_t k = a.getDimSize(!getTransposeA());
  int64_t m = getType().getDimSize(0), n = getType().getDimSize(1);
  // (C2)
  if (k % 32 != 0 ||
      getScaleA().getType().getShape() != ArrayRef<int64_t>({m, k / 32}) ||
      getScaleB().getType().getShape() != ArrayRef<int64_t>({n, k / 32}))
    return emitOpError("expected one scale per row and 32 of K, got ")
           << getScaleA().getType() << " and " << getScaleB().getType();
  return success();
}
