//===- HostTensor.cpp - A tensor in host memory ---------------------------===//

#include "octavo/Reference/HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace octavo::reference;
using llvm::APFloat;

unsigned octavo::reference::elementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static APFloat convert(double value, FloatType type) {
  APFloat result(value);
  bool losesInfo;
  result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result;
}

static double toDouble(const APFloat &value) {
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return wide.convertToDouble();
}

double octavo::reference::roundToType(double value, Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  if (isa<Float8E4M3FNType>(type) && !std::isnan(value))
    value = std::clamp(value, -448.0, 448.0);
  return toDouble(convert(value, cast<FloatType>(type)));
}

HostTensor::HostTensor(llvm::ArrayRef<int64_t> shape, Type elementType)
    : shape(shape), elementType(elementType) {
  data.resize(size() * elementBytes(elementType));
}

int64_t HostTensor::size() const {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

int64_t HostTensor::offset(llvm::ArrayRef<int64_t> index) const {
  int64_t linear = 0;
  for (auto [i, extent] : llvm::zip_equal(index, shape))
    linear = linear * extent + i;
  return linear;
}

static double loadFloat(const uint8_t *at, Type type) {
  if (type.isF64()) {
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (type.isF32()) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, at, elementBytes(type));
  auto floatType = cast<FloatType>(type);
  return toDouble(APFloat(floatType.getFloatSemantics(),
                          llvm::APInt(floatType.getWidth(), bits)));
}

static void storeFloat(uint8_t *at, Type type, double value) {
  if (type.isF64()) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  if (type.isF32()) {
    float narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof narrow);
    return;
  }
  APFloat rounded = convert(roundToType(value, type), cast<FloatType>(type));
  uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
  std::memcpy(at, &bits, elementBytes(type));
}

static int64_t loadInteger(const uint8_t *at, Type type) {
  unsigned bytes = elementBytes(type);
  uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  if (type.isInteger(1))
    return bits != 0;
  if (type.isUnsignedInteger() || bytes == 8)
    return static_cast<int64_t>(bits);
  unsigned shift = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << shift) >> shift;
}

Scalar HostTensor::get(int64_t linear) const {
  const uint8_t *at = data.data() + linear * elementBytes(elementType);
  Scalar value;
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    Type part = complex.getElementType();
    value.f = loadFloat(at, part);
    value.im = loadFloat(at + elementBytes(part), part);
  } else if (isa<FloatType>(elementType)) {
    value.f = loadFloat(at, elementType);
  } else {
    value.i = loadInteger(at, elementType);
  }
  return value;
}

void HostTensor::set(int64_t linear, const Scalar &value) {
  uint8_t *at = data.data() + linear * elementBytes(elementType);
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    Type part = complex.getElementType();
    storeFloat(at, part, value.f);
    storeFloat(at + elementBytes(part), part, value.im);
  } else if (isa<FloatType>(elementType)) {
    storeFloat(at, elementType, value.f);
  } else if (elementType.isInteger(1)) {
    *at = value.i & 1;
  } else {
    std::memcpy(at, &value.i, elementBytes(elementType));
  }
}
