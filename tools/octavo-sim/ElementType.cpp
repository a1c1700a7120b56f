//===- ElementType.cpp - Number formats of the command line ---------------===//

#include "ElementType.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using namespace octavo::sim;
using llvm::APFloat;
using llvm::StringRef;

static constexpr ElementType kTypes[] = {
    {"i8", 1, ElementType::Signed, "|i1"},
    {"i16", 2, ElementType::Signed, "<i2"},
    {"i32", 4, ElementType::Signed, "<i4"},
    {"i64", 8, ElementType::Signed, "<i8"},
    {"u8", 1, ElementType::Unsigned, "|u1"},
    {"u16", 2, ElementType::Unsigned, "<u2"},
    {"u32", 4, ElementType::Unsigned, "<u4"},
    {"u64", 8, ElementType::Unsigned, "<u8"},
    {"f16", 2, ElementType::Float, "<f2"},
    {"bf16", 2, ElementType::Float, "<u2"},
    {"f32", 4, ElementType::Float, "<f4"},
    {"f64", 8, ElementType::Float, "<f8"},
    {"f8E4M3FN", 1, ElementType::Float, "|u1"},
    {"f8E5M2", 1, ElementType::Float, "|u1"},
    {"f8E4M3FNUZ", 1, ElementType::Float, "|u1"},
    {"f8E5M2FNUZ", 1, ElementType::Float, "|u1"},
    {"f8E8M0FNU", 1, ElementType::Float, "|u1"},
};

const ElementType *octavo::sim::lookupElementType(StringRef name) {
  const auto *it = llvm::find_if(
      kTypes, [&](const ElementType &type) { return type.name == name; });
  return it == std::end(kTypes) ? nullptr : it;
}

std::string octavo::sim::listElementTypes() {
  std::string names;
  for (const ElementType &type : kTypes)
    names += (names.empty() ? "" : ", ") + type.name.str();
  return names;
}

static const llvm::fltSemantics &getSemantics(StringRef name) {
  struct Entry {
    StringRef name;
    const llvm::fltSemantics &semantics;
  };
  const Entry entries[] = {
      {"f16", APFloat::IEEEhalf()},
      {"bf16", APFloat::BFloat()},
      {"f32", APFloat::IEEEsingle()},
      {"f8E4M3FN", APFloat::Float8E4M3FN()},
      {"f8E5M2", APFloat::Float8E5M2()},
      {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ()},
      {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ()},
      {"f8E8M0FNU", APFloat::Float8E8M0FNU()},
  };
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry.semantics;
  return APFloat::IEEEdouble();
}

/// Bits of `value` in a float format. A scale without a sign takes the
/// magnitude.
static uint64_t encode(const ElementType &type, double value) {
  const llvm::fltSemantics &semantics = getSemantics(type.name);
  bool isScale = type.name == "f8E8M0FNU";
  double bounded = isScale ? std::fabs(value) : value;
  if (!std::isnan(bounded)) {
    double most = APFloat::getLargest(semantics).convertToDouble();
    bounded = std::fmin(
        std::fmax(bounded, isScale ? std::ldexp(1, -127) : -most), most);
  }
  APFloat number(bounded);
  bool lossy;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

void octavo::sim::storeReal(const ElementType &type, double value,
                            uint8_t *to) {
  uint64_t bits;
  if (type.kind == ElementType::Float)
    bits = encode(type, value);
  else if (type.kind == ElementType::Signed)
    bits = static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(value)));
  else
    bits = static_cast<uint64_t>(std::fmax(std::nearbyint(value), 0));
  std::memcpy(to, &bits, type.bytes);
}

bool octavo::sim::storeText(const ElementType &type, StringRef text,
                            uint8_t *to) {
  if (type.kind == ElementType::Float) {
    double value;
    if (text.getAsDouble(value))
      return false;
    storeReal(type, value, to);
    return true;
  }
  unsigned bits = type.bytes * 8;
  if (type.kind == ElementType::Unsigned) {
    uint64_t value;
    if (text.getAsInteger(0, value) || (bits < 64 && value >> bits))
      return false;
    std::memcpy(to, &value, type.bytes);
    return true;
  }
  int64_t value;
  if (text.getAsInteger(0, value))
    return false;
  // Bit patterns such as 0xffffffff are welcome too.
  if (bits < 64 && (value < -(int64_t(1) << (bits - 1)) || value >> bits > 0))
    return false;
  std::memcpy(to, &value, type.bytes);
  return true;
}
