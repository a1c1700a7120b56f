//===- SmallFloat.cpp - 8-bit floats without a scale ----------------------===//

#include "SmallFloat.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;

/// encodeNearestEven for all lanes without a branch, in 32 bits. Where the
/// result is no ordinary one (NaN, infinity, beyond the range) it is done one
/// by one.
void encodeLanes(FloatFormat format, const u32 *values, Overflow overflow,
                 u32 *codes) {
  const FloatShape shape = getShape(format);
  const int mantissa = int(shape.mantissaBits), minimum = 1 - shape.bias;
  const u32 signBit = shape.exponentBits + shape.mantissaBits;
  const u32 zeroSign = shape.unsignedZero ? 0 : ~u32(0);
  u32 unusual = 0;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 magnitude = values[l] & 0x7fffffffu, field = magnitude >> 23;
    int exponent = field ? int(field) - 127 : -126;
    u32 significand = (magnitude & 0x7fffffu) | (field ? 0x800000u : 0);
    int grid = exponent > minimum ? exponent : minimum;
    // From 26 on nothing is left of 24 bits.
    int distance = 23 - mantissa + grid - exponent;
    u32 shift = u32(distance < 26 ? distance : 26);
    u32 odd = significand >> shift & 1;
    u32 units = (significand + (1u << (shift - 1)) - 1 + odd) >> shift;
    u32 code = (u32(grid - minimum) << mantissa) + units;
    unusual |= u32(code > shape.maxCode) | u32(field == 255);
    u32 sign = (values[l] >> 31 << signBit) & (code ? ~u32(0) : zeroSign);
    codes[l] = sign | code;
  }
  if (unusual)
    for (unsigned l = 0; l < Lanes; ++l)
      codes[l] = encodeNearestEven(format, values[l], overflow);
}

/// Two results into the half of the destination that op_sel names.
template <Narrow narrow> const Inst *encodePair(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  Overflow overflow = overflowOf(w);
  bool high = inst.mods.opSel & 8;
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  Block low, top;
  encodeLanes(format, s.p[0], overflow, low.words);
  encodeLanes(format, s.p[1], overflow, top.words);
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 pair = low.words[l] | top.words[l] << 8;
    result.words[l] =
        high ? (old[l] & 0xffff) | pair << 16 : (old[l] & 0xffff0000u) | pair;
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

/// One result, rounded stochastically, into the byte that op_sel[3:2] names.
template <Narrow narrow> const Inst *encodeRandom(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  Overflow overflow = overflowOf(w);
  unsigned shift = 8 * (inst.mods.opSel >> 2 & 3);
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 code = encodeStochastic(format, s.p[0][l], s.p[1][l], overflow);
    result.words[l] = (old[l] & ~(0xffu << shift)) | code << shift;
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

template <Narrow narrow, unsigned Count>
const Inst *decode(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  Block result;
  for (unsigned i = 0; i < Count; ++i)
    for (unsigned l = 0; l < Lanes; ++l)
      result.words[i * Lanes + l] =
          decodeToBits(format, s.p[0][l] >> 8 * i & 0xff);
  if (inst.flags & Modified)
    modifiedResult(w, inst, result);
  else
    writeLanes(w, inst.dst.index, result.words, Count);
  return inst.next;
}

/// gfx950: stochastic rounding to 16 bits.
template <FloatFormat format>
const Inst *encodeRandom16(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  bool high = inst.mods.opSel & 8;
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 code = encodeStochastic(format, s.p[0][l], s.p[1][l], overflowOf(w));
    result.words[l] =
        high ? (old[l] & 0xffff) | code << 16 : (old[l] & 0xffff0000u) | code;
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

const Inst *decodeBfloat(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l)
    result.words[l] = s.p[0][l] << 16;
  if (inst.flags & Modified)
    modifiedResult(w, inst, result);
  else
    writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

const Entry rows[] = {
    smallRow("v_cvt_pk_fp8_f32", encodePair<Narrow::Fp8>, Type::B32, Type::F32,
             Type::F32),
    smallRow("v_cvt_pk_bf8_f32", encodePair<Narrow::Bf8>, Type::B32, Type::F32,
             Type::F32),
    smallRow("v_cvt_sr_fp8_f32", encodeRandom<Narrow::Fp8>, Type::B32,
             Type::F32, Type::B32),
    smallRow("v_cvt_sr_bf8_f32", encodeRandom<Narrow::Bf8>, Type::B32,
             Type::F32, Type::B32),
    smallRow("v_cvt_f32_fp8", decode<Narrow::Fp8, 1>, Type::F32, Type::B32),
    smallRow("v_cvt_f32_bf8", decode<Narrow::Bf8, 1>, Type::F32, Type::B32),
    smallRow("v_cvt_pk_f32_fp8", decode<Narrow::Fp8, 2>, Type::PkF32,
             Type::B32),
    smallRow("v_cvt_pk_f32_bf8", decode<Narrow::Bf8, 2>, Type::PkF32,
             Type::B32),
    smallRow("v_cvt_sr_f16_f32", encodeRandom16<FloatFormat::F16>, Type::B32,
             Type::F32, Type::B32),
    smallRow("v_cvt_sr_bf16_f32", encodeRandom16<FloatFormat::BF16>, Type::B32,
             Type::F32, Type::B32),
    smallRow("v_cvt_f32_bf16", decodeBfloat, Type::F32, Type::B32),
};

} // namespace

Table smallFloatTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
