//===- ScaledSixBit.cpp - gfx950's conversions of 32 six-bit floats -------===//
//
// Element i is bits 6i+5:6i of six words.
//
//===----------------------------------------------------------------------===//

#include "SmallFloat.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;

/// 32 codes of one lane as they lie in six words.
struct Codes {
  uint64_t words[4] = {};

  void set(unsigned i, u32 code) {
    unsigned bit = 6 * i;
    words[bit / 64] |= uint64_t(code) << bit % 64;
    if (bit % 64 > 58)
      words[bit / 64 + 1] |= uint64_t(code) >> (64 - bit % 64);
  }
  u32 get(unsigned i) const {
    unsigned bit = 6 * i;
    uint64_t low = words[bit / 64] >> bit % 64;
    uint64_t high = bit % 64 > 58 ? words[bit / 64 + 1] << (64 - bit % 64) : 0;
    return u32(low | high) & 63;
  }
  u32 word(unsigned i) const { return u32(words[i / 2] >> 32 * (i % 2)); }
  void setWord(unsigned i, u32 value) {
    words[i / 2] |= uint64_t(value) << 32 * (i % 2);
  }
};

template <FloatFormat format, Wide wide>
const Inst *decode(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  constexpr unsigned registers = wide == Wide::F32 ? 32 : 16;
  alignas(64) u32 result[registers * Lanes] = {};
  for (unsigned l = 0; l < Lanes; ++l) {
    Codes codes;
    for (unsigned i = 0; i < 6; ++i)
      codes.setWord(i, s.p[0][i * Lanes + l]);
    for (unsigned i = 0; i < 32; ++i) {
      u32 bits = narrowTo<wide>(
          timesScale(decodeToBits(format, codes.get(i)), s.p[1][l]));
      if (wide == Wide::F32)
        result[i * Lanes + l] = bits;
      else
        result[i / 2 * Lanes + l] |= bits << 16 * (i % 2);
    }
  }
  writeLanes(w, inst.dst.index, result, registers);
  return inst.next;
}

void writeCodes(Wave &w, const Inst &inst, const Codes *codes) {
  alignas(64) u32 result[6 * Lanes];
  for (unsigned l = 0; l < Lanes; ++l)
    for (unsigned i = 0; i < 6; ++i)
      result[i * Lanes + l] = codes[l].word(i);
  writeLanes(w, inst.dst.index, result, 6);
}

/// 32 elements and the scale; stochastic: a random word between them.
template <FloatFormat format, Wide wide, bool Random>
const Inst *encode(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  Codes codes[Lanes];
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 random = Random ? s.p[1][l] : 0, scale = s.p[Random ? 2 : 1][l];
    for (unsigned i = 0; i < 32; ++i) {
      u32 bits = divideByScale(wideBits<wide>(s.p[0], i, l), scale);
      codes[l].set(
          i, Random ? encodeStochastic(format, bits, random, Overflow::Saturate)
                    : encodeNearestEven(format, bits, Overflow::Saturate));
      random = nextRandom(random);
    }
  }
  writeCodes(w, inst, codes);
  return inst.next;
}

/// Two times 16 f32 elements, interleaved.
template <FloatFormat format> const Inst *encodeTwo(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  Codes codes[Lanes];
  for (unsigned l = 0; l < Lanes; ++l)
    for (unsigned i = 0; i < 32; ++i) {
      u32 bits = divideByScale(s.p[i % 2][i / 2 * Lanes + l], s.p[2][l]);
      codes[l].set(i, encodeNearestEven(format, bits, Overflow::Saturate));
    }
  writeCodes(w, inst, codes);
  return inst.next;
}

constexpr Type A = Type::Any, F = Type::F32, B = Type::B32;

#define SIX(NAME, FORMAT)                                                      \
  smallRow("v_cvt_scalef32_pk32_f32_" NAME, decode<FORMAT, Wide::F32>, A, A,   \
           F),                                                                 \
      smallRow("v_cvt_scalef32_pk32_f16_" NAME, decode<FORMAT, Wide::F16>, A,  \
               A, F),                                                          \
      smallRow("v_cvt_scalef32_pk32_bf16_" NAME, decode<FORMAT, Wide::BF16>,   \
               A, A, F),                                                       \
      smallRow("v_cvt_scalef32_pk32_" NAME "_f16",                             \
               encode<FORMAT, Wide::F16, false>, A, A, F),                     \
      smallRow("v_cvt_scalef32_pk32_" NAME "_bf16",                            \
               encode<FORMAT, Wide::BF16, false>, A, A, F),                    \
      smallRow("v_cvt_scalef32_sr_pk32_" NAME "_f32",                          \
               encode<FORMAT, Wide::F32, true>, A, A, B, F),                   \
      smallRow("v_cvt_scalef32_sr_pk32_" NAME "_f16",                          \
               encode<FORMAT, Wide::F16, true>, A, A, B, F),                   \
      smallRow("v_cvt_scalef32_sr_pk32_" NAME "_bf16",                         \
               encode<FORMAT, Wide::BF16, true>, A, A, B, F),                  \
      smallRow("v_cvt_scalef32_2xpk16_" NAME "_f32", encodeTwo<FORMAT>, A, A,  \
               A, F)

const Entry rows[] = {
    SIX("fp6", FloatFormat::E2M3),
    SIX("bf6", FloatFormat::E3M2),
};

} // namespace

Table scaledSixBitTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
