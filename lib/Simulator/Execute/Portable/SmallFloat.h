//===- SmallFloat.h - Lanes of 8-, 6- and 4-bit floats ----------*- C++ -*-===//
//
// Shared by the conversions without and with a scale. Compiled for one
// instruction set only, because FloatFormats.h is shared with other libraries.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_EXECUTE_PORTABLE_SMALLFLOAT_H
#define OCTAVO_SIMULATOR_EXECUTE_PORTABLE_SMALLFLOAT_H

#include "../../Matrix/FloatFormats.h"
#include "../FloatMath.h"
#include "../Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {

/// The 8-bit format as the mnemonic says it; the target says which encoding.
enum class Narrow : uint8_t { Fp8, Bf8 };
/// The other side of a conversion.
enum class Wide : uint8_t { F32, F16, BF16 };

static inline FloatFormat formatOf(const Inst &inst, Narrow narrow) {
  bool fnuz = inst.flags & Fnuz;
  if (narrow == Narrow::Fp8)
    return fnuz ? FloatFormat::E4M3FNUZ : FloatFormat::E4M3FN;
  return fnuz ? FloatFormat::E5M2FNUZ : FloatFormat::E5M2;
}

/// MODE.FP16_OVFL: saturate instead of NaN or infinity.
static inline Overflow overflowOf(const Wave &w) {
  return w.mode >> 23 & 1 ? Overflow::Saturate : Overflow::Special;
}

/// f32 bits of element `index` of a source.
template <Wide wide>
uint32_t wideBits(const uint32_t *p, unsigned index, unsigned l) {
  if constexpr (wide == Wide::F32)
    return p[index * Lanes + l];
  uint32_t half = p[index / 2 * Lanes + l] >> 16 * (index % 2) & 0xffff;
  return wide == Wide::BF16
             ? half << 16
             : __builtin_bit_cast(uint32_t, halfOf(uint16_t(half)));
}

/// Bits of a value in the wide format.
template <Wide wide> uint32_t narrowTo(uint32_t f32Bits) {
  if constexpr (wide == Wide::F32)
    return f32Bits;
  return encodeNearestEven(wide == Wide::BF16 ? FloatFormat::BF16
                                              : FloatFormat::F16,
                           f32Bits, Overflow::Special);
}

/// x * 2^power as f32 bits; what is finite stays finite if `bounded`.
static inline uint32_t scaledBits(uint32_t bits, int power, bool bounded) {
  float x = __builtin_bit_cast(float, bits);
  double scaled = double(x) * powerOfTwo(power);
  if (bounded && x - x == 0)
    scaled = scaled > 0x1.fffffep127    ? 0x1.fffffep127
             : scaled < -0x1.fffffep127 ? -0x1.fffffep127
                                        : scaled;
  return __builtin_bit_cast(uint32_t, float(scaled));
}

/// The operand of an encoding divided by the scale, and of a decoding times it.
static inline uint32_t divideByScale(uint32_t bits, uint32_t scale) {
  uint32_t field = getExponentField(scale);
  return field == 255 ? 0x7fc00000 : scaledBits(bits, 127 - int(field), true);
}
static inline uint32_t timesScale(uint32_t bits, uint32_t scale) {
  uint32_t field = getExponentField(scale);
  return field == 255 ? 0x7fc00000 : scaledBits(bits, int(field) - 127, false);
}

/// The hardware's generator, which v_prng_b32 is too.
static inline uint32_t nextRandom(uint32_t a) {
  return (a << 1) ^ (a >> 31 ? 197u : 0u);
}

constexpr Entry smallRow(const char *mnemonic, Handler fn, Type dst, Type a,
                         Type b = Type::None, Type c = Type::None) {
  uint8_t sources = c != Type::None ? 3 : b != Type::None ? 2 : 1;
  return {mnemonic,  Shape::Vector, fn,        nullptr, dst,
          {a, b, c}, sources,       UsesOpSel, 0};
}

Table scaledFloatTable(), scaledSixBitTable();

} // namespace octavo::sim::OCTAVO_SIM_ISA

#endif // OCTAVO_SIMULATOR_EXECUTE_PORTABLE_SMALLFLOAT_H
