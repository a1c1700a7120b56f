//===- Vector.cpp - Vector instructions and their modifiers ---------------===//
//
// The plain handler reads registers in place. Instructions with modifiers take
// a longer way: sources are copied and changed, the result is changed and
// merged.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include <immintrin.h>

namespace octavo::sim::OCTAVO_SIM_ISA {

const Inst *vectorPlain(Wave &w, const Inst &inst) {
  Sources s;
  plainSources(w, inst, s);
  uint64_t exec = execOf(w);
  uint32_t *d = vgpr(w, inst.dst.index);
  if (__builtin_expect(w.modeSpecial && (inst.flags & (Float32 | Float64)),
                       0)) {
    Block result;
    computeInMode(w, inst, result.words, s.p);
    writeLanes(w, inst.dst.index, result.words, inst.dst.dwords);
    return inst.next;
  }
  if (exec == ~uint64_t(0)) {
    inst.compute(d, s.p[0], s.p[1], s.p[2]);
    return inst.next;
  }
  if (exec == 0)
    return inst.next;
  Block result;
  inst.compute(result.words, s.p[0], s.p[1], s.p[2]);
  const uint32_t *mask = execLanes(w, exec);
  blend(d, result.words, mask);
  if (inst.dst.dwords > 1)
    blend(d + Lanes, result.words + Lanes, mask);
  return inst.next;
}

const Inst *vectorModified(Wave &w, const Inst &inst) {
  Sources s;
  modifiedSources(w, inst, s);
  Block result;
  if (__builtin_expect(w.modeSpecial && (inst.flags & (Float32 | Float64)), 0))
    computeInMode(w, inst, result.words, s.p);
  else
    inst.compute(result.words, s.p[0], s.p[1], s.p[2]);
  modifiedResult(w, inst, result);
  return inst.next;
}

//===----------------------------------------------------------------------===//
// MODE
//===----------------------------------------------------------------------===//

namespace {

/// Flushes f16 subnormals, which the host computes through f32.
void flushHalves(uint32_t *lanes) {
  OCTAVO_EACH_LANE {
    lanes[l] = (lanes[l] & 0x7c00) == 0 ? lanes[l] & 0xffff8000u : lanes[l];
  }
}

bool isHalf(Type type) { return type == Type::F16; }

} // namespace

void computeInMode(Wave &w, const Inst &inst, uint32_t *d,
                   const uint32_t *const *p) {
  static const unsigned rounding[4] = {0x0000, 0x4000, 0x2000,
                                       0x6000}; // nearest, up, down, zero
  bool single = inst.flags & Float32;
  unsigned round = w.mode >> (single ? 0 : 2) & 3;
  unsigned denormal = w.mode >> (single ? 4 : 6) & 3;
  // Where f32 and f16 meet (conversions) the f16 side is flushed by hand.
  unsigned halfDenormal = w.mode >> 6 & 3;
  Sources flushed;
  const uint32_t *q[3] = {p[0], p[1], p[2]};
  for (unsigned i = 0; i < inst.numSrc && !(halfDenormal & 1); ++i)
    if (isHalf(inst.src[i].type)) {
      memcpy(flushed.room[i], p[i], Lanes * 4);
      flushHalves(flushed.room[i]);
      q[i] = flushed.room[i];
    }
  unsigned saved = _mm_getcsr();
  unsigned control = 0x1f80 | rounding[round] | (denormal & 1 ? 0 : 0x40) |
                     (denormal & 2 ? 0 : 0x8000);
  _mm_setcsr(control);
  inst.compute(d, q[0], q[1], q[2]);
  _mm_setcsr(saved);
  if (isHalf(inst.dst.type) && !(halfDenormal & 2))
    flushHalves(d);
}

//===----------------------------------------------------------------------===//
// Modifiers of sources
//===----------------------------------------------------------------------===//

namespace {

/// The lane from which lane l reads, or -1 where DPP has none.
int dppSource(unsigned control, unsigned l) {
  unsigned row = l & ~15u, n = control & 15, position = l & 15;
  if (control < 0x100)
    return int((l & ~3u) | (control >> 2 * (l & 3) & 3));
  switch (control & 0x1f0) {
  case 0x100:
    return position + n < 16 ? int(l + n) : -1;
  case 0x110:
    return position >= n ? int(l - n) : -1;
  case 0x120:
    return int(row | ((position - n) & 15));
  case 0x150:
    return int(row | n);
  default:
    break;
  }
  switch (control) {
  case 0x130: // wave_shl
    return l < 63 ? int(l + 1) : -1;
  case 0x134: // wave_rol
    return int((l + 1) & 63);
  case 0x138: // wave_shr
    return l > 0 ? int(l - 1) : -1;
  case 0x13c: // wave_ror
    return int((l - 1) & 63);
  case 0x140: // row_mirror
    return int(row | (15 - position));
  case 0x141: // row_half_mirror
    return int((l & ~7u) | (7 - (l & 7)));
  case 0x142: // row_bcast15: the last lane of a row to the next row
    return l < 16 ? -1 : int(row - 1);
  case 0x143: // row_bcast31
    return l < 32 ? -1 : 31;
  default:
    return -1;
  }
}

/// Lanes that DPP writes: selected rows and banks with a valid source lane.
uint64_t dppMask(const Wave &w, const Modifiers &mods) {
  uint64_t exec = execOf(w), mask = 0;
  for (unsigned l = 0; l < Lanes; ++l) {
    if (!(mods.rowMask >> (l / 16) & 1) || !(mods.bankMask >> (l / 4 % 4) & 1))
      continue;
    int from = dppSource(mods.dppControl, l);
    // A lane that is off cannot be read: zero with bound_ctrl, else no write.
    bool valid = from >= 0 && (exec >> from & 1);
    mask |= uint64_t(valid || mods.boundCtrl) << l;
  }
  return mask;
}

void permute(const Wave &w, const Modifiers &mods, const uint32_t *from,
             uint32_t *to, unsigned dwords) {
  uint64_t exec = execOf(w);
  for (unsigned l = 0; l < Lanes; ++l) {
    int source = dppSource(mods.dppControl, l);
    bool valid = source >= 0 && (exec >> source & 1);
    for (unsigned i = 0; i < dwords; ++i)
      to[i * Lanes + l] = valid ? from[i * Lanes + source] : 0;
  }
}

/// SDWA: byte or word `sel` of each lane, zero- or sign-extended.
void selectPart(uint32_t *lanes, unsigned sel, bool signExtend) {
  if (sel == 6)
    return;
  unsigned bits = sel < 4 ? 8 : 16, shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
  if (signExtend) {
    OCTAVO_EACH_LANE {
      lanes[l] =
          uint32_t(int32_t(lanes[l] << (32 - bits - shift)) >> (32 - bits));
    }
  } else {
    uint32_t mask = (1u << bits) - 1;
    OCTAVO_EACH_LANE { lanes[l] = lanes[l] >> shift & mask; }
  }
}

/// Clears and flips sign bits.
void changeSign(uint32_t *to, const uint32_t *from, Type type, unsigned dwords,
                bool abs, bool neg) {
  uint32_t sign = type == Type::F16 ? 0x8000 : 0x80000000u;
  uint32_t keep = abs ? ~sign : ~0u, flip = neg ? sign : 0;
  unsigned at = type == Type::F64 ? Lanes : 0, other = Lanes - at;
  if (dwords > 1 && to != from)
    memcpy(to + other, from + other, Lanes * 4);
  OCTAVO_EACH_LANE { to[at + l] = (from[at + l] & keep) ^ flip; }
}

bool is16(Type type) {
  return type == Type::F16 || type == Type::B16 || type == Type::I16;
}

} // namespace

void modifiedSources(Wave &w, const Inst &inst, Sources &s) {
  plainSources(w, inst, s);
  const Modifiers &mods = inst.mods;
  bool onlySigns = !mods.dpp && !mods.sdwa && !mods.opSel;
  for (unsigned i = 0; i < inst.numSrc && i < 3; ++i) {
    unsigned dwords = inst.src[i].dwords > 1 ? 2 : 1;
    uint32_t *room = s.room[i];
    bool tied = (inst.flags & TiedDst) && i + 1 == inst.numSrc;
    bool abs = mods.abs >> i & 1, neg = mods.neg >> i & 1;
    if (onlySigns) { // nearly always
      if (!tied && (abs || neg)) {
        changeSign(room, s.p[i], inst.src[i].type, dwords, abs, neg);
        s.p[i] = room;
      }
      continue;
    }
    if (mods.dpp && i == 0)
      permute(w, mods, s.p[0], room, dwords);
    else if (s.p[i] != room)
      memcpy(room, s.p[i], dwords * Lanes * 4);
    s.p[i] = room;
    if (tied)
      continue;
    if (mods.sdwa && i < 2)
      selectPart(room, mods.srcSel[i], mods.sext >> i & 1);
    if ((mods.opSel >> i & 1) && is16(inst.src[i].type))
      OCTAVO_EACH_LANE { room[l] >>= 16; }
    if (abs || neg)
      changeSign(room, room, inst.src[i].type, dwords, abs, neg);
  }
}

//===----------------------------------------------------------------------===//
// Modifiers of the result
//===----------------------------------------------------------------------===//

namespace {

template <class T>
void scaleAndClamp(uint32_t *lanes, T factor, bool scale, bool clamp,
                   bool nanToZero) {
  for (unsigned l = 0; l < Lanes; ++l) {
    T value = Lane<T>::get(lanes, l);
    if (scale)
      value = T(value * factor);
    if (clamp) {
      if (value != value)
        value = nanToZero ? T(0) : value;
      else
        value = value > T(1) ? T(1) : value > T(0) ? value : T(0);
    }
    Lane<T>::set(lanes, l, value);
  }
}

/// omod works only where denormals are flushed and IEEE mode is off.
void changeFloat(const Wave &w, const Inst &inst, uint32_t *lanes) {
  static const float factors[4] = {1, 2, 4, 0.5f};
  const Modifiers &mods = inst.mods;
  bool single = inst.dst.type == Type::F32;
  bool ieee = w.mode >> 9 & 1, keeps = w.mode >> (single ? 5 : 7) & 1;
  bool scale = mods.omod && !ieee && !keeps, nanToZero = w.mode >> 8 & 1;
  float factor = factors[mods.omod];
  if (!scale && !mods.clamp)
    return;
  if (single)
    scaleAndClamp<float>(lanes, factor, scale, mods.clamp, nanToZero);
  else if (inst.dst.type == Type::F64)
    scaleAndClamp<double>(lanes, factor, scale, mods.clamp, nanToZero);
  else if (inst.dst.type == Type::F16)
    scaleAndClamp<_Float16>(lanes, _Float16(factor), scale, mods.clamp,
                            nanToZero);
}

/// Puts the low bits of the result into part `sel` of the old value.
void mergePart(uint32_t *lanes, const uint32_t *old, unsigned sel,
               unsigned unused) {
  unsigned bits = sel < 4 ? 8 : 16, shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
  uint32_t mask = ((1u << bits) - 1) << shift;
  OCTAVO_EACH_LANE {
    uint32_t part = lanes[l] << shift & mask;
    uint32_t extended =
        uint32_t(int32_t(part << (32 - bits - shift)) >> (32 - bits - shift));
    uint32_t rest = unused == 2   ? old[l] & ~mask
                    : unused == 1 ? extended & ~(mask | (mask - 1))
                                  : 0;
    lanes[l] = part | rest;
  }
}

} // namespace

void modifiedResult(Wave &w, const Inst &inst, Block &result) {
  const Modifiers &mods = inst.mods;
  uint32_t *lanes = result.words, *d = vgpr(w, inst.dst.index);
  changeFloat(w, inst, lanes);
  if (mods.sdwa && mods.dstSel != 6)
    mergePart(lanes, d, mods.dstSel, mods.dstUnused);
  else if (is16(inst.dst.type) && (inst.flags & KeepsHigh))
    mergePart(lanes, d, mods.opSel & 8 ? 5 : 4, 2);
  else if (is16(inst.dst.type) && (mods.opSel & 8))
    mergePart(lanes, d, 5, 2);
  if (!mods.dpp) {
    writeLanes(w, inst.dst.index, lanes, inst.dst.dwords > 1 ? 2 : 1);
    return;
  }
  uint64_t mask = execOf(w) & dppMask(w, mods);
  alignas(64) uint32_t lanesOfMask[Lanes];
  expandMask(mask, lanesOfMask);
  blend(d, lanes, lanesOfMask);
  if (inst.dst.dwords > 1)
    blend(d + Lanes, lanes + Lanes, lanesOfMask);
}

} // namespace octavo::sim::OCTAVO_SIM_ISA
