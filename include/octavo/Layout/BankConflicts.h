//===- BankConflicts.h - Time that an access to LDS takes -------*- C++ -*-===//
//
// LDS serves the lanes of a wave in phases. A phase takes as many cycles as the
// fullest bank has different words of it. The lanes of a phase are a coset of
// the span of a few lane numbers (TargetInfo.h), and positions are linear in
// the lane's bits, so all phases of an access take equally long and one is
// enough to look at.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LAYOUT_BANKCONFLICTS_H
#define OCTAVO_LAYOUT_BANKCONFLICTS_H

#include "octavo/Layout/LdsMap.h"
#include "octavo/Target/TargetInfo.h"

namespace octavo {

/// Cycles in which a wave reads (writes) a tile of `layout` that is at `map`.
int64_t countLdsCycles(const LinearLayout &layout, const LdsMap &map,
                       int64_t elementBytes, bool isWrite,
                       const TargetInfo &target);

/// `makeExchangeMap` with the low bits of positions changed by XOR with higher
/// ones, so that writing and reading take the fewest cycles.
LdsMap makeSwizzledMap(const LinearLayout &from, const LinearLayout &to,
                       int64_t elementBytes, const TargetInfo &target);

} // namespace octavo

#endif // OCTAVO_LAYOUT_BANKCONFLICTS_H
