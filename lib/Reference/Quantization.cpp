//===- Quantization.cpp - Granules, scales and small formats --------------===//

#include "Quantization.h"
#include "TensorOps.h"

#include "llvm/ADT/APFloat.h"
#include <bit>
#include <cmath>

using namespace mlir;
using namespace octavo;
using namespace octavo::reference;

ScaleMap ScaleMap::create(GranuleAttr granule, unsigned rank, unsigned axis,
                          unsigned other) {
  ScaleMap map;
  if (!granule || granule.getKind() == GranuleKind::tensor)
    return map;
  map.sizes.assign(rank, 1);
  // A row is one granule however long it is.
  map.sizes[axis] =
      granule.getKind() == GranuleKind::row ? INT64_MAX : granule.getAlong();
  if (granule.getKind() == GranuleKind::block)
    map.sizes[other] = granule.getAcross();
  return map;
}

int64_t ScaleMap::offset(const HostTensor &scale,
                         ArrayRef<int64_t> index) const {
  if (sizes.empty())
    return 0;
  SmallVector<int64_t> position;
  for (auto [i, size] : llvm::zip_equal(index, sizes))
    position.push_back(i / size);
  return scale.offset(position);
}

namespace {

/// Largest finite value of a small format; 127 for integers.
double largest(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 127;
  return llvm::APFloat::getLargest(floatType.getFloatSemantics())
      .convertToDouble();
}

/// What an amax is mapped to: the op's own bound, or that of the format.
double largestOf(QuantizeOp op, Type type) {
  std::optional<APFloat> bound = op.getLargest();
  return bound ? bound->convertToDouble() : largest(type);
}

/// Bits of the mantissa that a small float stores.
unsigned mantissaBits(Type type) {
  return cast<FloatType>(type).getFPMantissaWidth() - 1;
}

/// The largest power of two that the format holds, as exponent.
int largestExponent(Type type) { return std::ilogb(largest(type)); }

float clearMantissa(float value) {
  if (std::isnan(value))
    return value;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xFF800000u);
}

/// Exponent of the decode scale of a block with this amax (OCP MX, section 6.3,
/// and TorchAO's modes of the same names), or nothing if amax is not finite.
std::optional<int> e8m0Exponent(ScaleRule rule, float amax, Type type) {
  if (!std::isfinite(amax))
    return std::nullopt;
  uint32_t bits = std::bit_cast<uint32_t>(amax);
  int exponent = 0;
  if (rule == ScaleRule::e8m0_rceil) {
    float quotient = amax * static_cast<float>(1.0 / largest(type));
    bits = std::bit_cast<uint32_t>(quotient);
    exponent = static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFF) != 0);
  } else {
    if (rule == ScaleRule::e8m0_even)
      bits += 1u << (22 - mantissaBits(type));
    exponent = static_cast<int>(bits >> 23) - 127 - largestExponent(type);
  }
  return std::clamp(exponent, -127, 127);
}

struct Scales {
  float encode;
  double decode;
};

Scales scalesOf(QuantizeOp op, double amax, Type type) {
  ScaleRule rule = op.getRule();
  if (rule == ScaleRule::exact || rule == ScaleRule::pow2) {
    float floor = static_cast<float>(op.getAmaxFloor().convertToDouble());
    float bounded = static_cast<float>(amax);
    bounded = std::isnan(bounded) ? bounded : std::max(bounded, floor);
    float encode = static_cast<float>(largestOf(op, type)) / bounded;
    if (rule == ScaleRule::pow2)
      encode = clearMantissa(encode);
    return {encode, 1.0f / encode};
  }
  std::optional<int> exponent =
      e8m0Exponent(rule, static_cast<float>(amax), type);
  if (!exponent)
    return {NAN, NAN};
  return {std::ldexp(1.0f, -*exponent), std::ldexp(1.0, *exponent)};
}

double quantizeOne(QuantizeOp op, double value, float encode, Type type) {
  float scaled = static_cast<float>(value) * encode;
  double limit = largestOf(op, type);
  if (op.getSaturate() && !std::isnan(scaled))
    scaled = std::clamp<double>(scaled, -limit, limit);
  if (!isa<FloatType>(type))
    return std::nearbyint(scaled);
  double rounded = roundToType(scaled, type);
  // A cast of f8E4M3FN saturates; the op without saturation does not.
  if (!op.getSaturate() && isa<Float8E4M3FNType>(type) &&
      std::abs(scaled) > 464.0f)
    return NAN;
  return rounded;
}

} // namespace

std::vector<HostTensor> octavo::reference::quantize(QuantizeOp op,
                                                    const HostTensor &input) {
  auto resultType = cast<RankedTensorType>(op.getQuantized().getType());
  auto scaleType = cast<RankedTensorType>(op.getScale().getType());
  Type type = resultType.getElementType();
  HostTensor quantized(resultType.getShape(), type);
  HostTensor scale(scaleType.getShape(), scaleType.getElementType());
  unsigned rank = input.shape.size();
  unsigned axis = op.getAxis().value_or(0);
  unsigned other = rank < 2 ? 0 : axis == rank - 1 ? rank - 2 : rank - 1;
  ScaleMap map = ScaleMap::create(op.getGranule(), rank, axis, other);
  std::vector<double> amax(scale.size(), 0.0);
  forEachIndex(input.shape, [&](ArrayRef<int64_t> index) {
    double value = std::abs(input.get(input.offset(index)).f);
    double &most = amax[map.offset(scale, index)];
    if (std::isnan(value) || value > most)
      most = value;
  });
  std::vector<float> encode(scale.size());
  for (int64_t i = 0; i < scale.size(); ++i) {
    Scales scales = scalesOf(op, amax[i], type);
    encode[i] = scales.encode;
    scale.set(i, {.f = scales.decode});
  }
  forEachIndex(input.shape, [&](ArrayRef<int64_t> index) {
    double value = input.get(input.offset(index)).f;
    double result =
        quantizeOne(op, value, encode[map.offset(scale, index)], type);
    quantized.set(
        quantized.offset(index),
        {.f = result,
         .i = isa<FloatType>(type) ? 0 : static_cast<int64_t>(result)});
  });
  return {std::move(quantized), std::move(scale)};
}

HostTensor octavo::reference::dequantize(DequantizeOp op,
                                         const HostTensor &input,
                                         const HostTensor &scale) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  HostTensor result(type.getShape(), type.getElementType());
  unsigned rank = input.shape.size();
  unsigned axis = op.getAxis().value_or(0);
  unsigned other = rank < 2 ? 0 : axis == rank - 1 ? rank - 2 : rank - 1;
  ScaleMap map = ScaleMap::create(op.getGranule(), rank, axis, other);
  bool integer = !isa<FloatType>(input.elementType);
  forEachIndex(input.shape, [&](ArrayRef<int64_t> index) {
    Scalar value = input.get(input.offset(index));
    double number = integer ? static_cast<double>(value.i) : value.f;
    float product = static_cast<float>(number) *
                    static_cast<float>(scale.get(map.offset(scale, index)).f);
    result.set(result.offset(index),
               {.f = roundToType(product, type.getElementType())});
  });
  return result;
}
