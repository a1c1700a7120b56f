//===- TileAttrs.cpp - Attributes of the tile dialect ---------------------===//

#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;
using namespace octavo::tile;

llvm::hash_code octavo::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.repetitions());
  for (const TileBases *bases :
       {&layout.registerBases(), &layout.laneBases(), &layout.waveBases()})
    for (const TileIndex &basis : *bases)
      hash = llvm::hash_combine(hash, bases->size(),
                                llvm::hash_combine_range(basis));
  return hash;
}

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Tile/IR/TileAttrs.cpp.inc"
      >();
}

LayoutAttr tile::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

RankedTensorType tile::withLayout(Type type, LayoutAttr layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               layout);
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << "[";
  llvm::interleaveComma(values, printer);
  printer << "]";
}

static void printBases(AsmPrinter &printer, const TileBases &bases) {
  printer << "[";
  llvm::interleaveComma(bases, printer, [&](const TileIndex &basis) {
    printIntegers(printer, basis);
  });
  printer << "]";
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const LinearLayout &layout = getLayout();
  printer << "<register = ";
  printBases(printer, layout.registerBases());
  printer << ", lane = ";
  printBases(printer, layout.laneBases());
  printer << ", wave = ";
  printBases(printer, layout.waveBases());
  if (llvm::any_of(layout.repetitions(), [](int64_t r) { return r != 1; })) {
    printer << ", repeat = ";
    printIntegers(printer, layout.repetitions());
  }
  printer << ", fragment = " << getFragment() << ">";
}

static ParseResult parseIntegers(AsmParser &parser, TileIndex &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static ParseResult parseBases(AsmParser &parser, StringRef name,
                              TileBases &bases) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseIntegers(parser, bases.emplace_back());
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  TileBases registers, lanes, waves;
  TileIndex repeats;
  int64_t fragment;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", registers) ||
      parser.parseComma() || parseBases(parser, "lane", lanes) ||
      parser.parseComma() || parseBases(parser, "wave", waves) ||
      parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("repeat"))) {
    if (parser.parseEqual() || parseIntegers(parser, repeats) ||
        parser.parseComma())
      return {};
  } else {
    for (const TileBases *bases : {&registers, &lanes, &waves})
      if (!bases->empty())
        repeats.assign(bases->front().size(), 1);
  }
  if (parser.parseKeyword("fragment") || parser.parseEqual() ||
      parser.parseInteger(fragment) || parser.parseGreater())
    return {};
  if (fragment < 1 || !llvm::isPowerOf2_64(fragment))
    return parser.emitError(loc, "expected a fragment that is a power of two"),
           Attribute();
  for (const TileBases *bases : {&registers, &lanes, &waves})
    for (const TileIndex &basis : *bases)
      if (basis.size() != repeats.size())
        return parser.emitError(loc, "expected bases of ")
                   << repeats.size() << " steps, got one of " << basis.size(),
               Attribute();
  return LayoutAttr::get(parser.getContext(),
                         LinearLayout(std::move(registers), std::move(lanes),
                                      std::move(waves), std::move(repeats)),
                         fragment);
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  // (C1), (C2)
  std::string wrong = getLayout().check(shape);
  return wrong.empty() ? success() : emitError() << wrong;
}
