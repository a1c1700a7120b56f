//===- ScalarCompare.cpp - Comparisons that set SCC -----------------------===//

#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

template <class T> bool eq(T a, T b) { return a == b; }
template <class T> bool ne(T a, T b) { return a != b; }
template <class T> bool gt(T a, T b) { return a > b; }
template <class T> bool ge(T a, T b) { return a >= b; }
template <class T> bool lt(T a, T b) { return a < b; }
template <class T> bool le(T a, T b) { return a <= b; }

template <class T, bool (*F)(T, T)>
const Inst *compare(Wave &w, const Inst &inst) {
  if constexpr (sizeof(T) == 8)
    w.scc =
        F(T(scalarSource64(w, inst.src[0])), T(scalarSource64(w, inst.src[1])));
  else
    w.scc = F(T(scalarSource(w, inst.src[0])), T(scalarSource(w, inst.src[1])));
  return inst.next;
}

/// s_cmpk: the second operand is 16 bits, sign- or zero-extended.
template <class T, bool (*F)(T, T)>
const Inst *compareShort(Wave &w, const Inst &inst) {
  uint32_t k = scalarSource(w, inst.src[1]);
  T b = T(-1) < T(0) ? T(int16_t(k)) : T(uint16_t(k));
  w.scc = F(T(scalarSource(w, inst.src[0])), b);
  return inst.next;
}

template <bool Set, bool Wide> const Inst *bitcmp(Wave &w, const Inst &inst) {
  uint64_t value =
      Wide ? scalarSource64(w, inst.src[0]) : scalarSource(w, inst.src[0]);
  uint32_t bit = scalarSource(w, inst.src[1]) & (Wide ? 63 : 31);
  w.scc = (value >> bit & 1) == Set;
  return inst.next;
}

constexpr Entry row(const char *mnemonic, Handler fn, Type type = Type::B32) {
  return {mnemonic,   Shape::ScalarNoDst, fn, nullptr,
          Type::None, {type, type},       2,  0,
          0};
}
constexpr Entry bit(const char *mnemonic, Handler fn, Type type) {
  return {mnemonic,   Shape::ScalarNoDst, fn, nullptr,
          Type::None, {type, Type::B32},  2,  0,
          0};
}

const Entry rows[] = {
    row("s_cmp_eq_i32", compare<int32_t, eq>),
    row("s_cmp_lg_i32", compare<int32_t, ne>),
    row("s_cmp_gt_i32", compare<int32_t, gt>),
    row("s_cmp_ge_i32", compare<int32_t, ge>),
    row("s_cmp_lt_i32", compare<int32_t, lt>),
    row("s_cmp_le_i32", compare<int32_t, le>),
    row("s_cmp_eq_u32", compare<uint32_t, eq>),
    row("s_cmp_lg_u32", compare<uint32_t, ne>),
    row("s_cmp_gt_u32", compare<uint32_t, gt>),
    row("s_cmp_ge_u32", compare<uint32_t, ge>),
    row("s_cmp_lt_u32", compare<uint32_t, lt>),
    row("s_cmp_le_u32", compare<uint32_t, le>),
    row("s_cmp_eq_u64", compare<uint64_t, eq>, Type::B64),
    row("s_cmp_lg_u64", compare<uint64_t, ne>, Type::B64),
    row("s_cmpk_eq_i32", compareShort<int32_t, eq>),
    row("s_cmpk_lg_i32", compareShort<int32_t, ne>),
    row("s_cmpk_gt_i32", compareShort<int32_t, gt>),
    row("s_cmpk_ge_i32", compareShort<int32_t, ge>),
    row("s_cmpk_lt_i32", compareShort<int32_t, lt>),
    row("s_cmpk_le_i32", compareShort<int32_t, le>),
    row("s_cmpk_eq_u32", compareShort<uint32_t, eq>),
    row("s_cmpk_lg_u32", compareShort<uint32_t, ne>),
    row("s_cmpk_gt_u32", compareShort<uint32_t, gt>),
    row("s_cmpk_ge_u32", compareShort<uint32_t, ge>),
    row("s_cmpk_lt_u32", compareShort<uint32_t, lt>),
    row("s_cmpk_le_u32", compareShort<uint32_t, le>),
    bit("s_bitcmp0_b32", bitcmp<false, false>, Type::B32),
    bit("s_bitcmp1_b32", bitcmp<true, false>, Type::B32),
    bit("s_bitcmp0_b64", bitcmp<false, true>, Type::B64),
    bit("s_bitcmp1_b64", bitcmp<true, true>, Type::B64),
};

} // namespace

Table scalarCompareTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
