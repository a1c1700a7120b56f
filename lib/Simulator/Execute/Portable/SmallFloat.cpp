//===- SmallFloat.cpp - 8-bit floats without a scale ----------------------===//

#include "SmallFloat.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;

/// Two results into the half of the destination that op_sel names.
template <Narrow narrow> const Inst *encodePair(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  FloatFormat format = formatOf(inst, narrow);
  Overflow overflow = overflowOf(w);
  bool high = inst.mods.opSel & 8;
  const u32 *old = vgpr(w, inst.dst.index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    u32 pair = encodeNearestEven(format, s.p[0][l], overflow) |
               encodeNearestEven(format, s.p[1][l], overflow) << 8;
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
