//===- OctavoMatmulOps.cpp - Products of matrices -------------------------===//

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

//===----------------------------------------------------------------------===//
// ScaledMatmulOp: assembly
//===----------------------------------------------------------------------===//

namespace {
/// Operands as they stand in the text, each one there or not.
using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;
} // namespace

/// Parses `keyword %operand` if the keyword is there.
static ParseResult parseAfter(OpAsmParser &parser, StringRef keyword,
                              OptionalOperand &operand) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseOperand(operand.emplace());
}

ParseResult ScaledMatmulOp::parse(OpAsmParser &parser, OperationState &state) {
  OptionalOperand a, b, scaleA, scaleB, bias, groups;
  auto parseFactor = [&](OptionalOperand &x, OptionalOperand &scale,
                         StringAttr flag) -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("transposed")))
      state.addAttribute(flag, parser.getBuilder().getUnitAttr());
    return failure(parser.parseOperand(x.emplace()) ||
                   parseAfter(parser, "scaled", scale));
  };
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parseFactor(a, scaleA, getTransposedAAttrName(state.name)) ||
      parser.parseComma() ||
      parseFactor(b, scaleB, getTransposedBAttrName(state.name)) ||
      parseAfter(parser, "bias", bias) ||
      parseAfter(parser, "groups", groups) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonTypeList(types) ||
      parser.parseArrowTypeList(state.types))
    return failure();
  // Types stand in the order of the text, operands in that of the op.
  SmallVector<Type> left(llvm::reverse(types));
  SmallVector<int32_t> segments;
  SmallVector<std::pair<OptionalOperand *, Type>> typed;
  for (OptionalOperand *x : {&a, &scaleA, &b, &scaleB, &bias, &groups}) {
    if (*x && left.empty())
      return parser.emitError(loc, "expected one type per operand");
    typed.emplace_back(x, *x ? left.pop_back_val() : Type());
  }
  if (!left.empty())
    return parser.emitError(loc, "expected one type per operand");
  std::swap(typed[1], typed[2]);
  for (auto &[x, type] : typed) {
    segments.push_back(x->has_value());
    if (*x && parser.resolveOperand(**x, type, state.operands))
      return failure();
  }
  llvm::copy(
      segments,
      state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  return success();
}

void ScaledMatmulOp::print(OpAsmPrinter &p) {
  SmallVector<Type> types;
  auto printAfter = [&](StringRef keyword, Value x) {
    if (!x)
      return;
    p << " " << keyword << (keyword.empty() ? "" : " ") << x;
    types.push_back(x.getType());
  };
  printAfter(getTransposedA() ? "transposed" : "", getA());
  printAfter("scaled", getScaleA());
  p << ",";
  printAfter(getTransposedB() ? "transposed" : "", getB());
  printAfter("scaled", getScaleB());
  printAfter("bias", getBias());
  printAfter("groups", getGroups());
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getTransposedAAttrName(), getTransposedBAttrName(),
                           getOperandSegmentSizesAttrName()});
  p << " : " << types << " -> " << getResult().getType();
}

//===----------------------------------------------------------------------===//
// ScaledMatmulOp: sizes and verifier
//===----------------------------------------------------------------------===//

/// Size of dimension `fromEnd` (1 is the last) of `type`, or of its neighbour
/// if the matrix is stored transposed.
static int64_t getMatrixSize(RankedTensorType type, bool transposed,
                             int fromEnd) {
  return type.getDimSize(type.getRank() - (transposed ? 3 - fromEnd : fromEnd));
}

int64_t ScaledMatmulOp::getM() {
  return getMatrixSize(getA().getType(), getTransposedA(), 2);
}

int64_t ScaledMatmulOp::getN() {
  return getMatrixSize(getB().getType(), getTransposedB(), 1);
}

int64_t ScaledMatmulOp::getK() {
  return getMatrixSize(getA().getType(), getTransposedA(), 1);
}

ArrayRef<int64_t> ScaledMatmulOp::getBatch() {
  return getA().getType().getShape().drop_back(2);
}

/// (C5), (C6), (C7) for one operand.
static LogicalResult verifyScale(ScaledMatmulOp op, StringRef name,
                                 RankedTensorType type, Value scale,
                                 std::optional<GranuleAttr> given,
                                 int64_t axis) {
  // (C5)
  if (!scale && given)
    return op.emitOpError("granule_") << name << " needs scale_" << name;
  if (!scale)
    return success();
  auto granule =
      given.value_or(GranuleAttr::get(op.getContext(), GranuleKind::tensor));
  auto scaleType = cast<RankedTensorType>(scale.getType());
  int64_t rank = type.getRank();
  int64_t across = axis == rank - 1 ? rank - 2 : rank - 1;
  // (C6)
  if (!isScaleShape(scaleType, type.getShape(), granule, axis, across)) {
    auto diag = op.emitOpError("expected scale_")
                << name << " of granule " << granule << " for " << type;
    return diag << ", got " << scaleType;
  }
  // (C7)
  if ((granule.getKind() == GranuleKind::mx) !=
      isa<Float8E8M0FNUType>(scaleType.getElementType()))
    return op.emitOpError("expected f8E8M0FNU scales exactly for mx, got ")
           << scaleType << " for scale_" << name;
  return success();
}

/// (C2), (C3), (C4), (C9): the sizes of the product.
static LogicalResult verifySizes(ScaledMatmulOp op) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType();
  auto result = cast<RankedTensorType>(op.getResult().getType());
  // (C2)
  int64_t kOfB = getMatrixSize(b, op.getTransposedB(), 2);
  if (failed(verifyCompatibleShape({op.getK()}, {kOfB})))
    return op.emitOpError("expected a and b to agree in K, got ")
           << op.getK() << " and " << kOfB;
  SmallVector<int64_t> expected(op.getBatch());
  if (!op.getGroups()) {
    // (C3)
    if (failed(verifyCompatibleShape(op.getBatch(), b.getShape().drop_back(2))))
      return op.emitOpError("expected equal batch dimensions, got ")
             << a << " and " << b;
  } else {
    // (C9)
    bool alongK = op.getGroupDim().value_or(GroupDim::m) == GroupDim::k;
    if (a.getRank() != 2 || b.getRank() != (alongK ? 2 : 3))
      return op.emitOpError("expected two dimensions of a and ")
             << (alongK ? "two" : "three") << " of b with groups along "
             << (alongK ? "k" : "m") << ", got " << a << " and " << b;
    if (alongK)
      expected.push_back(
          cast<RankedTensorType>(op.getGroups().getType()).getNumElements());
  }
  // (C4)
  expected.append({op.getM(), op.getN()});
  if (failed(verifyCompatibleShape(expected, result.getShape())))
    return op.emitOpError("expected a result ")
           << RankedTensorType::get(expected, result.getElementType())
           << ", got " << result;
  return success();
}

LogicalResult ScaledMatmulOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType();
  // (C1)
  for (RankedTensorType type : {a, b})
    if (type.getRank() < 2)
      return emitOpError("expected operands of two dimensions or more, got ")
             << type;
  if (failed(verifySizes(*this)))
    return failure();
  int64_t kAxisA = a.getRank() - (getTransposedA() ? 2 : 1);
  int64_t kAxisB = b.getRank() - (getTransposedB() ? 1 : 2);
  if (failed(verifyScale(*this, "a", a, getScaleA(), getGranuleA(), kAxisA)) ||
      failed(verifyScale(*this, "b", b, getScaleB(), getGranuleB(), kAxisB)))
    return failure();
  // (C8)
  if (getBias() &&
      failed(verifyCompatibleShape(
          {getN()}, cast<RankedTensorType>(getBias().getType()).getShape())))
    return emitOpError("expected a bias of ")
           << getN() << " elements, got " << getBias().getType();
  // (C10)
  bool floats = isa<FloatType>(a.getElementType());
  Type result = getElementTypeOrSelf(getResult().getType());
  if (isa<FloatType>(b.getElementType()) != floats ||
      (!floats && isa<FloatType>(result) && !getScaleA() && !getScaleB()) ||
      (floats && !isa<FloatType>(result)))
    return emitOpError("expected floats or integers, not both, got ")
           << a.getElementType() << ", " << b.getElementType() << " and "
           << result;
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

/// Checks a region's arguments and result; an empty region says nothing.
static LogicalResult verifyRegion(AttentionOp op, Region &region,
                                  StringRef name, TypeRange arguments,
                                  Type result) {
  if (region.empty())
    return success();
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (region.getArgumentTypes() == arguments && yield &&
      yield.getValues().getTypes() == TypeRange(result))
    return success();
  return op.emitOpError("expected a ")
         << name << " region of (" << arguments << ") that yields " << result;
}

LogicalResult AttentionOp::verify() {
  RankedTensorType q = getQuery().getType(), k = getKey().getType(),
                   v = getValue().getType();
  // (C1)
  auto fits = [](RankedTensorType type, ArrayRef<int64_t> shape) {
    return succeeded(verifyCompatibleShape(type.getShape(), shape));
  };
  if (q.getRank() != 4 || v.getRank() != 4 ||
      !fits(k, {q.getDimSize(0), v.getDimSize(1), v.getDimSize(2),
                q.getDimSize(3)}) ||
      !fits(v, {q.getDimSize(0), k.getDimSize(1), k.getDimSize(2),
                v.getDimSize(3)}))
    return emitOpError("expected [B, Hq, Sq, D], [B, Hkv, Sk, D] and [B, Hkv, "
                       "Sk, E], got ")
           << q << ", " << k << " and " << v;
  // (C2)
  int64_t hq = q.getDimSize(1), hkv = k.getDimSize(1);
  if (hkv < 1 || hq % hkv != 0)
    return emitOpError(
               "expected query heads to be a multiple of key heads, got ")
           << hq << " and " << hkv;
  // (C3)
  if (!fits(getResult().getType(), {q.getDimSize(0), q.getDimSize(1),
                                    q.getDimSize(2), v.getDimSize(3)}) ||
      !fits(getLse().getType(), q.getShape().drop_back()))
    return emitOpError("expected results [B, Hq, Sq, E] and [B, Hq, Sq], got ")
           << getResult().getType() << " and " << getLse().getType();
  // (C4), (C5)
  Builder builder(getContext());
  Type f32 = builder.getF32Type(), index = builder.getIndexType();
  if (failed(verifyRegion(*this, getScore(), "score",
                          {f32, index, index, index, index}, f32)) ||
      failed(verifyRegion(*this, getMask(), "mask",
                          {index, index, index, index}, builder.getI1Type())))
    return failure();
  // (C6)
  for (Value scale : {getScaleQuery(), getScaleKey(), getScaleValue()})
    if (scale && cast<RankedTensorType>(scale.getType()).getNumElements() != 1)
      return emitOpError("expected decode scales of one element, got ")
             << scale.getType();
  return success();
}
