//===- Scalar.cpp - Arithmetic and logic on scalar registers --------------===//

#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

/// A result and the new SCC.
template <class T> struct WithScc {
  T value;
  bool scc;
};

template <class T>
OCTAVO_INLINE T sourceAs(const Wave &w, const Operand &operand) {
  if constexpr (sizeof(T) == 8)
    return T(scalarSource64(w, operand));
  else
    return T(scalarSource(w, operand));
}

template <class T>
OCTAVO_INLINE void writeScalar(Wave &w, const Operand &dst, T value) {
  if constexpr (sizeof(T) == 8)
    setScalar64(w, dst.index, u64(value));
  else
    w.s[dst.index] = u32(value);
}

template <class T>
constexpr Type typeOf =
    sizeof(T) == 8 ? (T(-1) < T(0) ? Type::I64 : Type::B64) : Type::B32;

/// A function as a scalar instruction. SCC is written where F returns it.
template <auto F> struct ScalarOp;

template <class R, class... A, R (*F)(A...)> struct ScalarOp<F> {
  static constexpr Entry make(const char *mnemonic, Handler fn, Type dst,
                              uint32_t flags) {
    return {mnemonic,
            Shape::Scalar,
            fn,
            nullptr,
            dst,
            {typeOf<A>...},
            uint8_t(sizeof...(A) - (flags & TiedDst ? 1 : 0)),
            flags,
            0};
  }
  OCTAVO_INLINE R call(Wave &w, const Inst &inst, A... zero) {
    unsigned i = 0;
    // Braces fix the order of evaluation.
    struct Caller {
      R result;
      Caller(A... a) : result(F(a...)) {}
    };
    return Caller{sourceAs<A>(w, inst.src[i++])...}.result;
  }
};

template <auto F> struct Plain;
template <class R, class... A, R (*F)(A...)> struct Plain<F> {
  static const Inst *run(Wave &w, const Inst &inst) {
    writeScalar<R>(w, inst.dst, ScalarOp<F>::call(w, inst, A{}...));
    return inst.next;
  }
  static constexpr Entry row(const char *mnemonic, uint32_t flags = 0) {
    return ScalarOp<F>::make(mnemonic, run, typeOf<R>, flags);
  }
};

/// SCC = result is not zero.
template <auto F> struct NonZero;
template <class R, class... A, R (*F)(A...)> struct NonZero<F> {
  static const Inst *run(Wave &w, const Inst &inst) {
    R value = ScalarOp<F>::call(w, inst, A{}...);
    writeScalar<R>(w, inst.dst, value);
    w.scc = value != 0;
    return inst.next;
  }
  static constexpr Entry row(const char *mnemonic, uint32_t flags = 0) {
    return ScalarOp<F>::make(mnemonic, run, typeOf<R>, flags);
  }
};

/// SCC as the function says.
template <auto F> struct Carry;
template <class R, class... A, WithScc<R> (*F)(A...)> struct Carry<F> {
  static const Inst *run(Wave &w, const Inst &inst) {
    WithScc<R> result = ScalarOp<F>::call(w, inst, A{}...);
    writeScalar<R>(w, inst.dst, result.value);
    w.scc = result.scc;
    return inst.next;
  }
  static constexpr Entry row(const char *mnemonic, uint32_t flags = 0) {
    return ScalarOp<F>::make(mnemonic, run, typeOf<R>, flags);
  }
};

/// Logic on EXEC: dst = EXEC, EXEC = F(source, EXEC), SCC = EXEC is not zero.
template <auto F> struct SaveExec {
  static const Inst *run(Wave &w, const Inst &inst) {
    u64 old = execOf(w), value = F(scalarSource64(w, inst.src[0]), old);
    setScalar64(w, inst.dst.index, old);
    setScalar64(w, Exec, value);
    w.scc = value != 0;
    return inst.next;
  }
  static constexpr Entry row(const char *mnemonic) {
    return {mnemonic, Shape::Scalar, run, nullptr, Type::B64, {Type::B64}, 1, 0,
            0};
  }
};
/// dst = EXEC = F(source, EXEC).
template <auto F> struct WriteExec {
  static const Inst *run(Wave &w, const Inst &inst) {
    u64 value = F(scalarSource64(w, inst.src[0]), execOf(w));
    setScalar64(w, inst.dst.index, value);
    setScalar64(w, Exec, value);
    w.scc = value != 0;
    return inst.next;
  }
  static constexpr Entry row(const char *mnemonic) {
    return {mnemonic, Shape::Scalar, run, nullptr, Type::B64, {Type::B64}, 1, 0,
            0};
  }
};

template <class T> T mov(T a) { return a; }
template <class T> T bitNot(T a) { return ~a; }
template <class T> T bitAnd(T a, T b) { return a & b; }
template <class T> T bitOr(T a, T b) { return a | b; }
template <class T> T bitXor(T a, T b) { return a ^ b; }
template <class T> T andn2(T a, T b) { return a & ~b; }
template <class T> T orn2(T a, T b) { return a | ~b; }
template <class T> T andn1(T a, T b) { return ~a & b; }
template <class T> T orn1(T a, T b) { return ~a | b; }
template <class T> T nand(T a, T b) { return ~(a & b); }
template <class T> T nor(T a, T b) { return ~(a | b); }
template <class T> T xnor(T a, T b) { return ~(a ^ b); }

WithScc<u32> addU32(u32 a, u32 b) { return {a + b, u64(a) + b > 0xffffffff}; }
WithScc<u32> subU32(u32 a, u32 b) { return {a - b, b > a}; }
WithScc<u32> addI32(u32 a, u32 b) {
  return {a + b, bool((~(a ^ b) & (a ^ (a + b))) >> 31)};
}
WithScc<u32> subI32(u32 a, u32 b) {
  return {a - b, bool(((a ^ b) & (a ^ (a - b))) >> 31)};
}
u32 mulI32(u32 a, u32 b) { return a * b; }
u32 mulHiU32(u32 a, u32 b) { return u32((u64(a) * b) >> 32); }
u32 mulHiI32(u32 a, u32 b) { return u32((i64(i32(a)) * i32(b)) >> 32); }
template <unsigned N> WithScc<u32> lshlAdd(u32 a, u32 b) {
  u64 sum = (u64(a) << N) + b;
  return {u32(sum), sum > 0xffffffff};
}
WithScc<u32> minI32(u32 a, u32 b) {
  return {i32(a) < i32(b) ? a : b, i32(a) < i32(b)};
}
WithScc<u32> maxI32(u32 a, u32 b) {
  return {i32(a) > i32(b) ? a : b, i32(a) > i32(b)};
}
WithScc<u32> minU32(u32 a, u32 b) { return {a < b ? a : b, a < b}; }
WithScc<u32> maxU32(u32 a, u32 b) { return {a > b ? a : b, a > b}; }
WithScc<u32> absI32(u32 a) {
  u32 value = i32(a) < 0 ? 0 - a : a;
  return {value, value != 0};
}
WithScc<u32> absDiff(u32 a, u32 b) {
  u32 d = a - b, value = i32(d) < 0 ? 0 - d : d;
  return {value, value != 0};
}

u32 lshl32(u32 a, u32 b) { return a << (b & 31); }
u32 lshr32(u32 a, u32 b) { return a >> (b & 31); }
u32 ashr32(u32 a, u32 b) { return u32(i32(a) >> (b & 31)); }
u64 lshl64(u64 a, u32 b) { return a << (b & 63); }
u64 lshr64(u64 a, u32 b) { return a >> (b & 63); }
i64 ashr64(i64 a, u32 b) { return a >> (b & 63); }
u32 bfm32(u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }
u64 bfm64(u32 a, u32 b) { return ((u64(1) << (a & 63)) - 1) << (b & 63); }

/// Field of `b[22:16]` bits at `b[4:0]` (or [5:0]).
u32 bfeU32(u32 a, u32 b) {
  u32 width = b >> 16 & 0x7f;
  u64 mask = width >= 32 ? ~u64(0) : (u64(1) << width) - 1;
  return u32((a >> (b & 31)) & mask);
}
u32 bfeI32(u32 a, u32 b) {
  u32 width = b >> 16 & 0x7f;
  i64 field = i64(i32(a)) >> (b & 31);
  if (width == 0)
    return 0;
  return width >= 32 ? u32(field)
                     : u32(i64(u64(field) << (64 - width)) >> (64 - width));
}
u64 bfeU64(u64 a, u32 b) {
  u32 width = b >> 16 & 0x7f;
  return (a >> (b & 63)) & (width >= 64 ? ~u64(0) : (u64(1) << width) - 1);
}
i64 bfeI64(i64 a, u32 b) {
  u32 width = b >> 16 & 0x7f;
  i64 field = a >> (b & 63);
  return width == 0    ? 0
         : width >= 64 ? field
                       : i64(u64(field) << (64 - width)) >> (64 - width);
}

u32 brev32(u32 a) { return __builtin_bitreverse32(a); }
u64 brev64(u64 a) { return __builtin_bitreverse64(a); }
u32 bcnt1x32(u32 a) { return u32(__builtin_popcount(a)); }
u32 bcnt1x64(u64 a) { return u32(__builtin_popcountll(a)); }
u32 bcnt0x32(u32 a) { return 32 - u32(__builtin_popcount(a)); }
u32 bcnt0x64(u64 a) { return 64 - u32(__builtin_popcountll(a)); }
u32 ff1x32(u32 a) { return a ? __builtin_ctz(a) : ~0u; }
u32 ff1x64(u64 a) { return a ? __builtin_ctzll(a) : ~0u; }
u32 ff0x32(u32 a) { return ff1x32(~a); }
u32 ff0x64(u64 a) { return ff1x64(~a); }
u32 flbit32(u32 a) { return a ? __builtin_clz(a) : ~0u; }
u32 flbit64(u64 a) { return a ? __builtin_clzll(a) : ~0u; }
u32 flbitI32(u32 a) { return flbit32(a ^ u32(i32(a) >> 31)); }
u32 flbitI64(i64 a) { return flbit64(u64(a ^ (a >> 63))); }
u32 sext8(u32 a) { return u32(int8_t(a)); }
u32 sext16(u32 a) { return u32(int16_t(a)); }
u32 quadAny32(u32 a) {
  u32 result = 0;
  for (unsigned i = 0; i < 8; ++i)
    result |= u32((a >> 4 * i & 15) != 0) << i;
  return result;
}
u64 quadAny64(u64 a) {
  return quadAny32(u32(a)) | u64(quadAny32(u32(a >> 32))) << 8;
}
template <class T> T wholeQuad(T a) {
  T any = (a | a >> 1 | a >> 2 | a >> 3) & T(0x1111111111111111ull);
  return any * 15;
}
u32 bitset0(u32 a, u32 old) { return old & ~(1u << (a & 31)); }
u32 bitset1(u32 a, u32 old) { return old | 1u << (a & 31); }
u64 bitset0x64(u32 a, u64 old) { return old & ~(u64(1) << (a & 63)); }
u64 bitset1x64(u32 a, u64 old) { return old | u64(1) << (a & 63); }
u64 bitreplicate(u32 a) {
  u64 result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= u64((a >> i & 1) * 3) << 2 * i;
  return result;
}
u32 packLL(u32 a, u32 b) { return (a & 0xffff) | b << 16; }
u32 packLH(u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000u); }
u32 packHH(u32 a, u32 b) { return a >> 16 | (b & 0xffff0000u); }

/// The immediate of s_movk and friends is printed as 16 bits.
u32 movk(u32 a) { return sext16(a); }
WithScc<u32> addk(u32 a, u32 old) { return addI32(old, sext16(a)); }
u32 mulk(u32 a, u32 old) { return old * sext16(a); }

const Inst *addc(Wave &w, const Inst &inst) {
  u64 sum =
      u64(scalarSource(w, inst.src[0])) + scalarSource(w, inst.src[1]) + w.scc;
  w.s[inst.dst.index] = u32(sum);
  w.scc = sum > 0xffffffff;
  return inst.next;
}
const Inst *subb(Wave &w, const Inst &inst) {
  u64 a = scalarSource(w, inst.src[0]),
      b = u64(scalarSource(w, inst.src[1])) + w.scc;
  w.s[inst.dst.index] = u32(a - b);
  w.scc = b > a;
  return inst.next;
}
const Inst *cselect32(Wave &w, const Inst &inst) {
  w.s[inst.dst.index] = scalarSource(w, inst.src[w.scc ? 0 : 1]);
  return inst.next;
}
const Inst *cselect64(Wave &w, const Inst &inst) {
  setScalar64(w, inst.dst.index, scalarSource64(w, inst.src[w.scc ? 0 : 1]));
  return inst.next;
}
const Inst *cmov32(Wave &w, const Inst &inst) {
  if (w.scc)
    w.s[inst.dst.index] = scalarSource(w, inst.src[0]);
  return inst.next;
}
const Inst *cmov64(Wave &w, const Inst &inst) {
  if (w.scc)
    setScalar64(w, inst.dst.index, scalarSource64(w, inst.src[0]));
  return inst.next;
}
const Inst *cmovk(Wave &w, const Inst &inst) {
  if (w.scc)
    w.s[inst.dst.index] = sext16(scalarSource(w, inst.src[0]));
  return inst.next;
}
/// Register number plus M0.
const Inst *movrels32(Wave &w, const Inst &inst) {
  w.s[inst.dst.index] = w.s[(inst.src[0].index + w.s[M0]) & 127];
  return inst.next;
}
const Inst *movrels64(Wave &w, const Inst &inst) {
  setScalar64(w, inst.dst.index,
              scalar64(w, (inst.src[0].index + w.s[M0]) & 126));
  return inst.next;
}
const Inst *movreld64(Wave &w, const Inst &inst) {
  setScalar64(w, (inst.dst.index + w.s[M0]) & 126,
              scalarSource64(w, inst.src[0]));
  return inst.next;
}
const Inst *movreld32(Wave &w, const Inst &inst) {
  w.s[(inst.dst.index + w.s[M0]) & 127] = scalarSource(w, inst.src[0]);
  return inst.next;
}

constexpr Entry two(const char *mnemonic, Handler fn, Type type,
                    unsigned sources = 2) {
  return {mnemonic,     Shape::Scalar,    fn, nullptr, type,
          {type, type}, uint8_t(sources), 0,  0};
}

const Entry rows[] = {
    Plain<mov<u32>>::row("s_mov_b32"),
    Plain<mov<u64>>::row("s_mov_b64"),
    Plain<movk>::row("s_movk_i32"),
    NonZero<bitNot<u32>>::row("s_not_b32"),
    NonZero<bitNot<u64>>::row("s_not_b64"),
    NonZero<bitAnd<u32>>::row("s_and_b32"),
    NonZero<bitAnd<u64>>::row("s_and_b64"),
    NonZero<bitOr<u32>>::row("s_or_b32"),
    NonZero<bitOr<u64>>::row("s_or_b64"),
    NonZero<bitXor<u32>>::row("s_xor_b32"),
    NonZero<bitXor<u64>>::row("s_xor_b64"),
    NonZero<andn2<u32>>::row("s_andn2_b32"),
    NonZero<andn2<u64>>::row("s_andn2_b64"),
    NonZero<orn2<u32>>::row("s_orn2_b32"),
    NonZero<orn2<u64>>::row("s_orn2_b64"),
    NonZero<nand<u32>>::row("s_nand_b32"),
    NonZero<nand<u64>>::row("s_nand_b64"),
    NonZero<nor<u32>>::row("s_nor_b32"),
    NonZero<nor<u64>>::row("s_nor_b64"),
    NonZero<xnor<u32>>::row("s_xnor_b32"),
    NonZero<xnor<u64>>::row("s_xnor_b64"),
    SaveExec<bitAnd<u64>>::row("s_and_saveexec_b64"),
    SaveExec<bitOr<u64>>::row("s_or_saveexec_b64"),
    SaveExec<bitXor<u64>>::row("s_xor_saveexec_b64"),
    SaveExec<andn2<u64>>::row("s_andn2_saveexec_b64"),
    SaveExec<orn2<u64>>::row("s_orn2_saveexec_b64"),
    SaveExec<nand<u64>>::row("s_nand_saveexec_b64"),
    SaveExec<nor<u64>>::row("s_nor_saveexec_b64"),
    SaveExec<xnor<u64>>::row("s_xnor_saveexec_b64"),
    SaveExec<andn1<u64>>::row("s_andn1_saveexec_b64"),
    SaveExec<orn1<u64>>::row("s_orn1_saveexec_b64"),
    WriteExec<andn1<u64>>::row("s_andn1_wrexec_b64"),
    WriteExec<andn2<u64>>::row("s_andn2_wrexec_b64"),
    Carry<addU32>::row("s_add_u32"),
    Carry<subU32>::row("s_sub_u32"),
    Carry<addI32>::row("s_add_i32"),
    Carry<subI32>::row("s_sub_i32"),
    Carry<addk>::row("s_addk_i32", TiedDst),
    Plain<mulk>::row("s_mulk_i32", TiedDst),
    Plain<mulI32>::row("s_mul_i32"),
    Plain<mulHiU32>::row("s_mul_hi_u32"),
    Plain<mulHiI32>::row("s_mul_hi_i32"),
    Carry<lshlAdd<1>>::row("s_lshl1_add_u32"),
    Carry<lshlAdd<2>>::row("s_lshl2_add_u32"),
    Carry<lshlAdd<3>>::row("s_lshl3_add_u32"),
    Carry<lshlAdd<4>>::row("s_lshl4_add_u32"),
    Carry<minI32>::row("s_min_i32"),
    Carry<maxI32>::row("s_max_i32"),
    Carry<minU32>::row("s_min_u32"),
    Carry<maxU32>::row("s_max_u32"),
    Carry<absI32>::row("s_abs_i32"),
    Carry<absDiff>::row("s_absdiff_i32"),
    NonZero<lshl32>::row("s_lshl_b32"),
    NonZero<lshl64>::row("s_lshl_b64"),
    NonZero<lshr32>::row("s_lshr_b32"),
    NonZero<lshr64>::row("s_lshr_b64"),
    NonZero<ashr32>::row("s_ashr_i32"),
    NonZero<ashr64>::row("s_ashr_i64"),
    Plain<bfm32>::row("s_bfm_b32"),
    Plain<bfm64>::row("s_bfm_b64"),
    NonZero<bfeU32>::row("s_bfe_u32"),
    NonZero<bfeI32>::row("s_bfe_i32"),
    NonZero<bfeU64>::row("s_bfe_u64"),
    NonZero<bfeI64>::row("s_bfe_i64"),
    Plain<brev32>::row("s_brev_b32"),
    Plain<brev64>::row("s_brev_b64"),
    NonZero<bcnt1x32>::row("s_bcnt1_i32_b32"),
    NonZero<bcnt1x64>::row("s_bcnt1_i32_b64"),
    NonZero<bcnt0x32>::row("s_bcnt0_i32_b32"),
    NonZero<bcnt0x64>::row("s_bcnt0_i32_b64"),
    Plain<ff1x32>::row("s_ff1_i32_b32"),
    Plain<ff1x64>::row("s_ff1_i32_b64"),
    Plain<ff0x32>::row("s_ff0_i32_b32"),
    Plain<ff0x64>::row("s_ff0_i32_b64"),
    Plain<flbit32>::row("s_flbit_i32_b32"),
    Plain<flbit64>::row("s_flbit_i32_b64"),
    Plain<flbitI32>::row("s_flbit_i32"),
    Plain<flbitI64>::row("s_flbit_i32_i64"),
    Plain<sext8>::row("s_sext_i32_i8"),
    Plain<sext16>::row("s_sext_i32_i16"),
    NonZero<quadAny32>::row("s_quadmask_b32"),
    NonZero<quadAny64>::row("s_quadmask_b64"),
    NonZero<wholeQuad<u32>>::row("s_wqm_b32"),
    NonZero<wholeQuad<u64>>::row("s_wqm_b64"),
    Plain<bitset0>::row("s_bitset0_b32", TiedDst),
    Plain<bitset1>::row("s_bitset1_b32", TiedDst),
    Plain<bitset0x64>::row("s_bitset0_b64", TiedDst),
    Plain<bitset1x64>::row("s_bitset1_b64", TiedDst),
    Plain<bitreplicate>::row("s_bitreplicate_b64_b32"),
    Plain<packLL>::row("s_pack_ll_b32_b16"),
    Plain<packLH>::row("s_pack_lh_b32_b16"),
    Plain<packHH>::row("s_pack_hh_b32_b16"),
    two("s_addc_u32", addc, Type::B32),
    two("s_subb_u32", subb, Type::B32),
    two("s_cselect_b32", cselect32, Type::B32),
    two("s_cselect_b64", cselect64, Type::B64),
    two("s_cmov_b32", cmov32, Type::B32, 1),
    two("s_cmov_b64", cmov64, Type::B64, 1),
    two("s_cmovk_i32", cmovk, Type::B32, 1),
    two("s_movrels_b32", movrels32, Type::B32, 1),
    two("s_movreld_b32", movreld32, Type::B32, 1),
    two("s_movrels_b64", movrels64, Type::B64, 1),
    two("s_movreld_b64", movreld64, Type::B64, 1),
};

} // namespace

Table scalarTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
