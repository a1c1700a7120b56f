//===- OctavoOps.cpp - Quantise, random numbers, scatter ------------------===//

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

#define GET_OP_CLASSES
#include "dialects/Octavo/IR/OctavoOps.cpp.inc"

/// The dimension of a block beside `axis`: the last, or the one before it.
static int64_t getAcross(int64_t rank, int64_t axis) {
  return axis == rank - 1 ? rank - 2 : rank - 1;
}

/// Checks axis, block and scale of a quantised tensor; `first` is the number of
/// the first of the three constraints in the op's list, the scale's before the
/// block's.
static LogicalResult verifyGranule(Operation *op, RankedTensorType input,
                                   RankedTensorType scale, GranuleAttr granule,
                                   std::optional<int64_t> axis) {
  bool tensor = granule.getKind() == GranuleKind::tensor;
  if (tensor != !axis)
    return op->emitOpError(tensor ? "expected no axis with a granule tensor"
                                  : "expected an axis for this granule");
  if (axis && (*axis < 0 || *axis >= input.getRank()))
    return op->emitOpError("expected an axis of ")
           << input << ", got " << *axis;
  int64_t across = -1;
  if (granule.getKind() == GranuleKind::block) {
    if (input.getRank() < 2)
      return op->emitOpError("a block needs two dimensions, got ") << input;
    across = getAcross(input.getRank(), *axis);
  }
  if (isScaleShape(scale, input.getShape(), granule, axis.value_or(0), across))
    return success();
  auto diag = op->emitOpError("expected ");
  if (tensor)
    return diag << "one scale, got " << scale;
  diag << "scales of shape ";
  llvm::interleave(
      getScaleShape(input.getShape(), granule, *axis, across), diag,
      [&](int64_t d) { ShapedType::isDynamic(d) ? diag << "?" : diag << d; },
      "x");
  return diag << ", got " << scale;
}

//===----------------------------------------------------------------------===//
// QuantizeOp
//===----------------------------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType quantized = getQuantized().getType();
  RankedTensorType scale = getScale().getType();
  // (C1)
  if (failed(verifyCompatibleShape(input, quantized)))
    return emitOpError("expected input and quantized of one shape, got ")
           << input << " and " << quantized;
  // (C2), (C5), (C3)
  std::optional<int64_t> axis = getAxis();
  if (failed(verifyGranule(*this, input, scale, getGranule(), axis)))
    return failure();
  // (C4)
  bool e8m0 = getRule() != ScaleRule::exact && getRule() != ScaleRule::pow2;
  if (e8m0 != isa<Float8E8M0FNUType>(scale.getElementType()))
    return emitOpError("rule ") << stringifyScaleRule(getRule()) << " expects "
                                << (e8m0 ? "f8E8M0FNU" : "f32")
                                << " scales, got " << scale.getElementType();
  // (C6)
  if ((getRounding() == Rounding::stochastic) != bool(getSeed()))
    return emitOpError("expected a seed exactly if rounding is stochastic");
  // (C7)
  if (std::optional<APFloat> largest = getLargest()) {
    double bound = largest->convertToDouble();
    auto type = dyn_cast<FloatType>(quantized.getElementType());
    double limit =
        type ? APFloat::getLargest(type.getFloatSemantics()).convertToDouble()
             : 127.0;
    if (!(bound > 0 && bound <= limit) || e8m0)
      return emitOpError("expected largest in (0, ")
             << limit << "] and a rule without e8m0, got " << bound
             << " and rule " << stringifyScaleRule(getRule());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// DequantizeOp
//===----------------------------------------------------------------------===//

LogicalResult DequantizeOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType result = getResult().getType();
  // (C1)
  if (failed(verifyCompatibleShape(input, result)))
    return emitOpError("expected input and result of one shape, got ")
           << input << " and " << result;
  // (C2), (C4), (C3)
  return verifyGranule(*this, input, getScale().getType(), getGranule(),
                       getAxis());
}

//===----------------------------------------------------------------------===//
// RandomOp
//===----------------------------------------------------------------------===//

LogicalResult RandomOp::verify() {
  // (C1)
  for (Value v : {getSeed(), getOffset()}) {
    auto type = cast<RankedTensorType>(v.getType());
    if (!type.hasStaticShape() || type.getNumElements() != 1)
      return emitOpError("expected a seed and an offset of one element, got ")
             << type;
  }
  // (C2)
  Type element = getResult().getType().getElementType();
  if ((getKind() == RandomKind::bits) != element.isInteger(32))
    return emitOpError(stringifyRandomKind(getKind()))
           << " cannot give " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterReduceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto init = cast<RankedTensorType>(getInit().getType());
  // (C1)
  if (getIndices().empty() || getIndices().size() != getDims().size())
    return emitOpError("expected one tensor of indices per dimension, got ")
           << getIndices().size() << " for " << getDims().size()
           << " dimensions";
  auto first = cast<RankedTensorType>(getIndices()[0].getType());
  for (Value v : getIndices())
    if (failed(verifyCompatibleShape(first, v.getType())))
      return emitOpError("expected indices of one shape, got ")
             << first << " and " << v.getType();
  // (C2)
  int64_t previous = -1;
  for (int64_t d : getDims()) {
    if (d <= previous || d >= init.getRank())
      return emitOpError("expected increasing dimensions of ")
             << init << ", got " << d;
    previous = d;
  }
  // (C3)
  SmallVector<int64_t> expected(first.getShape());
  for (auto [d, size] : llvm::enumerate(init.getShape()))
    if (!llvm::is_contained(getDims(), int64_t(d)))
      expected.push_back(size);
  if (failed(verifyCompatibleShape(expected, source.getShape())) ||
      source.getElementType() != init.getElementType())
    return emitOpError("expected a source ")
           << RankedTensorType::get(expected, init.getElementType()) << ", got "
           << source;
  // (C4)
  if (getResult().getType() != init)
    return emitOpError("expected a result ")
           << init << ", got " << getResult().getType();
  return success();
}
