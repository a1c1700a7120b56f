//===- VectorSpecial.cpp - Packed, mixed and table-driven instructions ----===//

#include "FloatMath.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {

namespace {

using u32 = uint32_t;

/// Half `high` of each lane with its sign flipped if `neg`.
void takeHalf(u32 *to, const u32 *from, bool high, bool neg) {
  u32 shift = high ? 16 : 0, flip = neg ? 0x8000 : 0;
  OCTAVO_EACH_LANE { to[l] = (from[l] >> shift & 0xffff) ^ flip; }
}

void computeOrMode(Wave &w, const Inst &inst, u32 *d, const u32 *const *p) {
  if (__builtin_expect(w.modeSpecial && (inst.flags & (Float32 | Float64)), 0))
    computeInMode(w, inst, d, p);
  else
    inst.compute(d, p[0], p[1], p[2]);
}

void clampHalves(u32 *lanes) {
  for (unsigned l = 0; l < Lanes; ++l) {
    float x = halfOf(uint16_t(lanes[l]));
    lanes[l] = __builtin_bit_cast(uint16_t, _Float16(x != x  ? 0.0f
                                                     : x > 1 ? 1.0f
                                                     : x > 0 ? x
                                                             : 0.0f));
  }
}

} // namespace

/// v_pk_*: the operation on low halves and on high halves.
const Inst *vectorPacked(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  const Modifiers &mods = inst.mods;
  Sources half;
  Block result[2];
  for (unsigned part = 0; part < 2; ++part) {
    unsigned select = part ? mods.opSelHi : mods.opSel,
             neg = part ? mods.negHi : mods.neg;
    for (unsigned i = 0; i < inst.numSrc; ++i) {
      bool tied = (inst.flags & TiedDst) && i + 1 == inst.numSrc;
      takeHalf(half.room[i], s.p[i], tied ? part : select >> i & 1,
               neg >> i & 1);
    }
    for (unsigned i = 0; i < 3; ++i)
      half.p[i] = half.room[i];
    computeOrMode(w, inst, result[part].words, half.p);
    if (mods.clamp && inst.dst.type == Type::F16)
      clampHalves(result[part].words);
  }
  OCTAVO_EACH_LANE {
    result[0].words[l] = (result[0].words[l] & 0xffff) | result[1].words[l]
                                                             << 16;
  }
  writeLanes(w, inst.dst.index, result[0].words, 1);
  return inst.next;
}

namespace {

float add(float a, float b) { return a + b; }
float mul(float a, float b) { return a * b; }
float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
u32 mov(u32 a, u32 b) { return a; }

/// v_pk_*_f32: op_sel picks the word of each pair for the low and for the high
/// result.
const Inst *packed32(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  const Modifiers &mods = inst.mods;
  Block result;
  for (unsigned part = 0; part < 2; ++part) {
    unsigned select = part ? mods.opSelHi : mods.opSel,
             neg = part ? mods.negHi : mods.neg;
    const u32 *p[3];
    alignas(64) u32 room[3][Lanes];
    for (unsigned i = 0; i < 3; ++i) {
      p[i] = s.p[i] + (select >> i & 1 ? Lanes : 0);
      if (neg >> i & 1) {
        const u32 *from = p[i];
        OCTAVO_EACH_LANE { room[i][l] = from[l] ^ 0x80000000u; }
        p[i] = room[i];
      }
    }
    u32 *d = result.words + part * Lanes;
    computeOrMode(w, inst, d, p);
    if (mods.clamp)
      for (unsigned l = 0; l < Lanes; ++l) {
        float x = Lane<float>::get(d, l);
        Lane<float>::set(d, l, x != x ? 0.0f : x > 1 ? 1.0f : x > 0 ? x : 0.0f);
      }
  }
  writeLanes(w, inst.dst.index, result.words, 2);
  return inst.next;
}

/// A word of the first source and one of the second; op_sel picks both.
const Inst *packedMove(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  Block result;
  memcpy(result.words, s.p[0] + (inst.mods.opSel & 1 ? Lanes : 0), Lanes * 4);
  memcpy(result.words + Lanes, s.p[1] + (inst.mods.opSel & 2 ? Lanes : 0),
         Lanes * 4);
  writeLanes(w, inst.dst.index, result.words, 2);
  return inst.next;
}

enum class Mix { Single, Low, High };

/// v_fma_mix: each source is an f32, or the half of it that op_sel names.
template <Mix kind> const Inst *fmaMix(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  const Modifiers &mods = inst.mods;
  alignas(64) float value[3][Lanes];
  for (unsigned i = 0; i < 3; ++i) {
    bool isHalf = mods.opSelHi >> i & 1, high = mods.opSel >> i & 1,
         abs = mods.abs >> i & 1, neg = mods.neg >> i & 1;
    for (unsigned l = 0; l < Lanes; ++l) {
      u32 bits = s.p[i][l];
      float x = isHalf ? halfOf(uint16_t(bits >> (high ? 16 : 0)))
                       : __builtin_bit_cast(float, bits);
      x = abs ? __builtin_fabsf(x) : x;
      value[i][l] = neg ? -x : x;
    }
  }
  Block result;
  const u32 *old = vgpr(w, inst.dst.index);
  for (unsigned l = 0; l < Lanes; ++l) {
    float x = __builtin_fmaf(value[0][l], value[1][l], value[2][l]);
    if (mods.clamp)
      x = x != x ? 0.0f : x > 1 ? 1.0f : x > 0 ? x : 0.0f;
    if (kind == Mix::Single)
      result.words[l] = __builtin_bit_cast(u32, x);
    else {
      u32 half = __builtin_bit_cast(uint16_t, _Float16(x));
      result.words[l] = kind == Mix::Low ? (old[l] & 0xffff0000u) | half
                                         : (old[l] & 0xffff) | half << 16;
    }
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

/// Any function of three bits: bit 4a + 2b + c of the truth table.
template <bool Half> const Inst *bitop3(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  Block result;
  u32 table = u32(inst.imm);
  const u32 *a = s.p[0], *b = s.p[1], *c = s.p[2];
  u32 term[8];
  for (unsigned i = 0; i < 8; ++i)
    term[i] = table >> i & 1 ? ~0u : 0;
  OCTAVO_EACH_LANE {
    u32 low = (~a[l] & ((~b[l] & ((~c[l] & term[0]) | (c[l] & term[1]))) |
                        (b[l] & ((~c[l] & term[2]) | (c[l] & term[3])))));
    u32 high = (a[l] & ((~b[l] & ((~c[l] & term[4]) | (c[l] & term[5]))) |
                        (b[l] & ((~c[l] & term[6]) | (c[l] & term[7])))));
    result.words[l] = Half ? (low | high) & 0xffff : low | high;
  }
  modifiedResult(w, inst, result);
  return inst.next;
}

/// Bits of the mask below this lane, plus the second source.
template <bool High> const Inst *mbcnt(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    uint64_t below = (uint64_t(1) << l) - 1;
    u32 mask = u32(High ? below >> 32 : below);
    result.words[l] = u32(__builtin_popcount(s.p[0][l] & mask)) + s.p[1][l];
  }
  if (inst.flags & Modified)
    modifiedResult(w, inst, result);
  else
    writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

/// Four sums of absolute differences into four words.
const Inst *mqsadU32(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  alignas(64) u32 result[4 * Lanes];
  for (unsigned l = 0; l < Lanes; ++l) {
    uint64_t a = s.p[0][l] | uint64_t(s.p[0][Lanes + l]) << 32;
    u32 b = s.p[1][l];
    for (unsigned i = 0; i < 4; ++i) {
      u32 part = u32(a >> 8 * i), sum = inst.src[2].kind == Kind::Vgpr
                                            ? vgpr(w, inst.src[2].index + i)[l]
                                            : s.p[2][l];
      for (unsigned j = 0; j < 4; ++j) {
        int x = int(part >> 8 * j & 0xff), y = int(b >> 8 * j & 0xff);
        sum += y ? u32(x > y ? x - y : y - x) : 0;
      }
      result[i * Lanes + l] = sum;
    }
  }
  writeLanes(w, inst.dst.index, result, 4);
  return inst.next;
}

constexpr Entry pair(const char *mnemonic, Handler fn, Compute compute,
                     unsigned sources) {
  return {mnemonic,
          Shape::Vector,
          fn,
          compute,
          Type::PkF32,
          {Type::PkF32, Type::PkF32, Type::PkF32},
          uint8_t(sources),
          Float32 | UsesOpSel,
          0};
}
constexpr Entry special(const char *mnemonic, Handler fn, Type type,
                        unsigned sources, uint32_t flags = 0) {
  return {mnemonic,           Shape::Vector,    fn,    nullptr, type,
          {type, type, type}, uint8_t(sources), flags, 0};
}

const Entry rows[] = {
    pair("v_pk_add_f32", packed32, Op<add>::compute, 2),
    pair("v_pk_mul_f32", packed32, Op<mul>::compute, 2),
    pair("v_pk_fma_f32", packed32, Op<fma>::compute, 3),
    pair("v_pk_mov_b32", packedMove, Op<mov>::compute, 2),
    special("v_fma_mix_f32", fmaMix<Mix::Single>, Type::F32, 3, UsesOpSel),
    special("v_fma_mixlo_f16", fmaMix<Mix::Low>, Type::F32, 3, UsesOpSel),
    special("v_fma_mixhi_f16", fmaMix<Mix::High>, Type::F32, 3, UsesOpSel),
    special("v_bitop3_b32", bitop3<false>, Type::B32, 3),
    special("v_bitop3_b16", bitop3<true>, Type::B16, 3, KeepsHigh),
    special("v_mbcnt_lo_u32_b32", mbcnt<false>, Type::B32, 2),
    special("v_mbcnt_hi_u32_b32", mbcnt<true>, Type::B32, 2),
    {"v_mqsad_u32_u8",
     Shape::Vector,
     mqsadU32,
     nullptr,
     Type::Any,
     {Type::B64, Type::B32, Type::Any},
     3,
     0,
     0},
};

} // namespace

Table vectorSpecialTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
