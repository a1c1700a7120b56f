//===- ScaledFloat.cpp - gfx950's conversions with a scale ----------------===//
//
// The scale is the exponent field of an f32 operand; 0xff makes the result NaN.
//
//===----------------------------------------------------------------------===//

#include "SmallFloat.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;

/// Code of an element after division by the scale.
u32 encode(FloatFormat format, u32 bits, u32 scale, Overflow overflow) {
  return encodeNearestEven(format, divideByScale(bits, scale), overflow);
}
u32 encodeSr(FloatFormat format, u32 bits, u32 random, u32 scale,
             Overflow overflow) {
  return encodeStochastic(format, divideByScale(bits, scale), random, overflow);
}

u32 mergeHalf(u32 old, u32 value, bool high) {
  return high ? (old & 0xffff) | value << 16 : (old & 0xffff0000u) | value;
}
u32 mergeByte(u32 old, u32 value, unsigned byte) {
  return (old & ~(0xffu << 8 * byte)) | value << 8 * byte;
}

/// f32: two sources and the scale third; else a packed source and the scale
/// second.
template <Wide wide> u32 element(const Sources &s, unsigned index, unsigned l) {
  return wide == Wide::F32 ? s.p[index][l] : wideBits<wide>(s.p[0], index, l);
}
template <Wide wide> u32 scaleOf(const Sources &s, unsigned l) {
  return s.p[wide == Wide::F32 ? 2 : 1][l];
}

template <Narrow narrow, Wide wide>
const Inst *encodePair(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 scale = scaleOf<wide>(s, l),
        low = encode(format, element<wide>(s, 0, l), scale, overflowOf(w));
    u32 high = encode(format, element<wide>(s, 1, l), scale, overflowOf(w));
    result.words[l] = mergeHalf(old[l], low | high << 8, inst.mods.opSel & 8);
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

template <Wide wide> const Inst *encodePairFp4(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 scale = scaleOf<wide>(s, l);
    u32 low = encode(FloatFormat::E2M1, element<wide>(s, 0, l), scale,
                     Overflow::Saturate);
    u32 high = encode(FloatFormat::E2M1, element<wide>(s, 1, l), scale,
                      Overflow::Saturate);
    result.words[l] =
        mergeByte(old[l], low | high << 4, inst.mods.opSel >> 2 & 3);
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

/// Value, random word, scale.
template <Narrow narrow, Wide wide>
const Inst *encodeRandom(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 code = encodeSr(format, wideBits<wide>(s.p[0], 0, l), s.p[1][l],
                        s.p[2][l], overflowOf(w));
    result.words[l] = mergeByte(old[l], code, inst.mods.opSel >> 2 & 3);
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

template <Wide wide> const Inst *encodeRandomFp4(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 random = s.p[1][l], scale = s.p[2][l];
    u32 low = encodeSr(FloatFormat::E2M1, wideBits<wide>(s.p[0], 0, l), random,
                       scale, Overflow::Saturate);
    u32 high = encodeSr(FloatFormat::E2M1, wideBits<wide>(s.p[0], 1, l),
                        nextRandom(random), scale, Overflow::Saturate);
    result.words[l] =
        mergeByte(old[l], low | high << 4, inst.mods.opSel >> 2 & 3);
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

/// Writes `Count` results of a wide format.
template <Wide wide, unsigned Count>
void writeWide(Wave &w, const Inst &inst, const u32 *values) {
  Block result;
  const u32 *old = vgpr(w, inst.dst.index);
  for (unsigned l = 0; l < Lanes; ++l) {
    if (wide == Wide::F32) {
      for (unsigned i = 0; i < Count; ++i)
        result.words[i * Lanes + l] = values[i * Lanes + l];
      continue;
    }
    u32 low = narrowTo<wide>(values[l]);
    result.words[l] =
        Count == 1
            ? mergeHalf(old[l], low, inst.mods.opSel & 8)
            : low | narrowTo<wide>(values[(Count - 1) * Lanes + l]) << 16;
  }
  writeLanes(w, inst.dst.index, result.words, wide == Wide::F32 ? Count : 1);
}

/// op_sel[1:0] is the byte of a single element, op_sel[0] the half of a pair.
template <Narrow narrow, Wide wide, unsigned Count>
const Inst *decode(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  unsigned shift =
      Count == 1 ? 8 * (inst.mods.opSel & 3) : 16 * (inst.mods.opSel & 1);
  Block values;
  for (unsigned i = 0; i < Count; ++i)
    for (unsigned l = 0; l < Lanes; ++l) {
      u32 code = s.p[0][l] >> (shift + 8 * i) & 0xff;
      values.words[i * Lanes + l] =
          timesScale(decodeToBits(format, code), s.p[1][l]);
    }
  writeWide<wide, Count>(w, inst, values.words);
  return inst.next;
}

template <Wide wide> const Inst *decodeFp4(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  unsigned shift = 8 * (inst.mods.opSel & 3);
  Block values;
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned l = 0; l < Lanes; ++l) {
      u32 code = s.p[0][l] >> (shift + 4 * i) & 15;
      values.words[i * Lanes + l] =
          timesScale(decodeToBits(FloatFormat::E2M1, code), s.p[1][l]);
    }
  writeWide<wide, 2>(w, inst, values.words);
  return inst.next;
}

constexpr Type B = Type::B32, F = Type::F32;

#define NARROW(NAME, N)                                                        \
  smallRow("v_cvt_scalef32_pk_" NAME "_f32", encodePair<N, Wide::F32>, B, F,   \
           F, F),                                                              \
      smallRow("v_cvt_scalef32_pk_" NAME "_f16", encodePair<N, Wide::F16>, B,  \
               B, F),                                                          \
      smallRow("v_cvt_scalef32_pk_" NAME "_bf16", encodePair<N, Wide::BF16>,   \
               B, B, F),                                                       \
      smallRow("v_cvt_scalef32_sr_" NAME "_f32", encodeRandom<N, Wide::F32>,   \
               B, F, B, F),                                                    \
      smallRow("v_cvt_scalef32_sr_" NAME "_f16", encodeRandom<N, Wide::F16>,   \
               B, B, B, F),                                                    \
      smallRow("v_cvt_scalef32_sr_" NAME "_bf16", encodeRandom<N, Wide::BF16>, \
               B, B, B, F),                                                    \
      smallRow("v_cvt_scalef32_f32_" NAME, decode<N, Wide::F32, 1>, F, B, F),  \
      smallRow("v_cvt_scalef32_f16_" NAME, decode<N, Wide::F16, 1>, B, B, F),  \
      smallRow("v_cvt_scalef32_pk_f32_" NAME, decode<N, Wide::F32, 2>,         \
               Type::PkF32, B, F),                                             \
      smallRow("v_cvt_scalef32_pk_f16_" NAME, decode<N, Wide::F16, 2>, B, B,   \
               F),                                                             \
      smallRow("v_cvt_scalef32_pk_bf16_" NAME, decode<N, Wide::BF16, 2>, B, B, \
               F)

const Entry rows[] = {
    NARROW("fp8", Narrow::Fp8),
    NARROW("bf8", Narrow::Bf8),
    smallRow("v_cvt_scalef32_pk_fp4_f32", encodePairFp4<Wide::F32>, B, F, F, F),
    smallRow("v_cvt_scalef32_pk_fp4_f16", encodePairFp4<Wide::F16>, B, B, F),
    smallRow("v_cvt_scalef32_pk_fp4_bf16", encodePairFp4<Wide::BF16>, B, B, F),
    smallRow("v_cvt_scalef32_sr_pk_fp4_f32", encodeRandomFp4<Wide::F32>, B,
             Type::PkF32, B, F),
    smallRow("v_cvt_scalef32_sr_pk_fp4_f16", encodeRandomFp4<Wide::F16>, B, B,
             B, F),
    smallRow("v_cvt_scalef32_sr_pk_fp4_bf16", encodeRandomFp4<Wide::BF16>, B, B,
             B, F),
    smallRow("v_cvt_scalef32_pk_f32_fp4", decodeFp4<Wide::F32>, Type::PkF32, B,
             F),
    smallRow("v_cvt_scalef32_pk_f16_fp4", decodeFp4<Wide::F16>, B, B, F),
    smallRow("v_cvt_scalef32_pk_bf16_fp4", decodeFp4<Wide::BF16>, B, B, F),
};

} // namespace

Table scaledFloatTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
