//===- OctavoAttrs.cpp - Attributes of the octavo dialect -----------------===//

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace octavo;

#include "dialects/Octavo/IR/OctavoEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Octavo/IR/OctavoAttrs.cpp.inc"

void OctavoDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Octavo/IR/OctavoAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name) {
  if (lookupTarget(name))
    return success();
  InFlightDiagnostic diag = emitError();
  diag << "unknown target '" << name << "'; expected one of ";
  llvm::interleaveComma(getTargets(), diag,
                        [&](const TargetInfo &row) { diag << row.arch; });
  return diag;
}

const TargetInfo &TargetAttr::getInfo() const {
  return *lookupTarget(getName());
}

//===----------------------------------------------------------------------===//
// GranuleAttr
//===----------------------------------------------------------------------===//

Attribute GranuleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<GranuleKind> kind = symbolizeGranuleKind(keyword);
  if (!kind) {
    parser.emitError(loc, "expected tensor, row, block<RxK> or mx<K>, got '")
        << keyword << "'";
    return {};
  }
  SmallVector<int64_t> sizes;
  if (*kind == GranuleKind::block || *kind == GranuleKind::mx)
    if (parser.parseLess() ||
        parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                  /*withTrailingX=*/false) ||
        parser.parseGreater())
      return {};
  if (parser.parseGreater())
    return {};
  size_t expected = *kind == GranuleKind::block ? 2 : 1;
  if (!sizes.empty() && sizes.size() != expected) {
    parser.emitError(loc, "expected ") << expected << " sizes for " << keyword;
    return {};
  }
  int64_t across = sizes.size() == 2 ? sizes[0] : sizes.size();
  int64_t along = sizes.empty() ? 0 : sizes.back();
  return parser.getChecked<GranuleAttr>(loc, parser.getContext(), *kind, across,
                                        along);
}

void GranuleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyGranuleKind(getKind());
  if (getKind() == GranuleKind::block)
    printer << "<" << getAcross() << "x" << getAlong() << ">";
  if (getKind() == GranuleKind::mx)
    printer << "<" << getAlong() << ">";
  printer << ">";
}

LogicalResult GranuleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  GranuleKind kind, int64_t across,
                                  int64_t along) {
  bool sized = kind == GranuleKind::block || kind == GranuleKind::mx;
  if (sized && (across < 1 || along < 1))
    return emitError() << "expected positive sizes of a granule, got " << across
                       << "x" << along;
  if (!sized && (across != 0 || along != 0))
    return emitError() << "a granule " << stringifyGranuleKind(kind)
                       << " has no sizes";
  return success();
}

static int64_t divideUp(int64_t size, int64_t by) {
  return ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, by);
}

int64_t GranuleAttr::scalesAcross(int64_t size) const {
  if (getKind() == GranuleKind::tensor)
    return 1;
  return getKind() == GranuleKind::block ? divideUp(size, getAcross()) : size;
}

int64_t GranuleAttr::scalesAlong(int64_t size) const {
  return getAlong() ? divideUp(size, getAlong()) : 1;
}

SmallVector<int64_t> octavo::getScaleShape(ArrayRef<int64_t> shape,
                                           GranuleAttr granule, int64_t axis,
                                           int64_t across) {
  if (granule.getKind() == GranuleKind::tensor)
    return {};
  SmallVector<int64_t> result(shape);
  result[axis] = granule.scalesAlong(shape[axis]);
  if (across >= 0)
    result[across] = granule.scalesAcross(shape[across]);
  return result;
}

bool octavo::isScaleShape(RankedTensorType type, ArrayRef<int64_t> shape,
                          GranuleAttr granule, int64_t axis, int64_t across) {
  if (granule.getKind() == GranuleKind::tensor)
    return llvm::all_of(type.getShape(), [](int64_t d) { return d == 1; });
  return succeeded(verifyCompatibleShape(
      type.getShape(), getScaleShape(shape, granule, axis, across)));
}

bool octavo::hasNoElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

SmallVector<int64_t> octavo::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * std::max<int64_t>(shape[i + 1], 1);
  return strides;
}

//===----------------------------------------------------------------------===//
// PlaceAttr
//===----------------------------------------------------------------------===//

LogicalResult PlaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                PlaceKind kind, int64_t at) {
  if (at < 0)
    return emitError() << "expected a place that is not negative, got " << at;
  return success();
}
