//===- TileTypes.cpp - Types of the tile dialect --------------------------===//

#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo::tile;

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/IR/TileTypes.cpp.inc"
      >();
}

/// Row-major strides; unknown from the first unknown size outwards.
static SmallVector<int64_t> contiguousStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride = ShapedType::isDynamic(stride) || ShapedType::isDynamic(shape[d])
                 ? ShapedType::kDynamic
                 : stride * shape[d];
  }
  return strides;
}

static ParseResult parseStride(AsmParser &parser, int64_t &value) {
  if (succeeded(parser.parseOptionalQuestion())) {
    value = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(value);
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("strides") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseStride(parser, strides.emplace_back());
        }))
      return {};
  } else {
    strides = contiguousStrides(shape);
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType, strides);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t n : getShape()) {
    if (ShapedType::isDynamic(n))
      printer << "?x";
    else
      printer << n << "x";
  }
  printer << getElementType();
  if (getStrides() != ArrayRef(contiguousStrides(getShape()))) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
      if (ShapedType::isDynamic(stride))
        printer << "?";
      else
        printer << stride;
    });
    printer << "]";
  }
  printer << ">";
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               ArrayRef<int64_t> strides) {
  // (C1)
  if (shape.size() != strides.size())
    return emitError() << "expected one stride per dimension, got "
                       << strides.size() << " for " << shape.size();
  // (C2)
  for (int64_t n : shape)
    if (n < 0 && !ShapedType::isDynamic(n))
      return emitError() << "expected sizes that are not negative, got " << n;
  // (C3)
  if (!elementType.isIntOrFloat() ||
      !llvm::is_contained({1, 8, 16, 32, 64},
                          elementType.getIntOrFloatBitWidth()))
    return emitError() << "expected elements of 1, 8, 16, 32 or 64 bits, got "
                       << elementType;
  return success();
}

bool ViewType::isStatic() const {
  return !ShapedType::isDynamicShape(getShape()) &&
         !ShapedType::isDynamicShape(getStrides());
}

std::optional<int64_t> ViewType::getExtent() const {
  if (!isStatic())
    return std::nullopt;
  int64_t last = 0;
  for (auto [n, stride] : llvm::zip_equal(getShape(), getStrides())) {
    if (n == 0)
      return 0;
    if (stride > 0)
      last += (n - 1) * stride;
  }
  return last + 1;
}

int64_t ViewType::getElementBytes() const {
  return (getElementType().getIntOrFloatBitWidth() + 7) / 8;
}
