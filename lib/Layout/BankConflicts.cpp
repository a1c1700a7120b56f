//===- BankConflicts.cpp - Time that an access to LDS takes ---------------===//

#include "octavo/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace octavo;

/// A lane moves at most this many bytes with one instruction.
static constexpr int64_t kMaxVectorBytes = 16;
static constexpr int64_t kBankBytes = 4;

static const LdsAccess &findAccess(int64_t bytes, bool isWrite,
                                   const TargetInfo &target) {
  const LdsAccess *found = nullptr;
  for (const LdsAccess &access : target.ldsAccesses)
    if (access.isWrite == isWrite &&
        (!found ||
         (access.bytes <= std::max<int64_t>(bytes, kBankBytes) &&
          access.bytes > found->bytes) ||
         found->bytes > std::max<int64_t>(bytes, kBankBytes)))
      found = &access;
  return *found;
}

int64_t octavo::countLdsCycles(const LinearLayout &layout, const LdsMap &map,
                               int64_t elementBytes, bool isWrite,
                               const TargetInfo &target) {
  int64_t width =
      std::min(map.contiguous(layout), kMaxVectorBytes / elementBytes);
  const LdsAccess &access = findAccess(width * elementBytes, isWrite, target);
  int64_t words = llvm::divideCeil(width * elementBytes, kBankBytes);
  std::map<int64_t, std::set<int64_t>> banks;
  int64_t lanes = int64_t(1) << access.phase.size();
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t lane = 0;
    for (auto [bit, step] : llvm::enumerate(access.phase))
      if (i >> bit & 1)
        lane ^= step;
    int64_t address = map.positionOf(layout.indexOf(0, lane, 0)) * elementBytes;
    for (int64_t word = 0; word < words; ++word) {
      int64_t position = address / kBankBytes + word;
      banks[position % access.banks].insert(position);
    }
  }
  int64_t cycles = 1;
  for (const auto &[bank, positions] : banks)
    cycles = std::max<int64_t>(cycles, positions.size());
  return cycles * (layout.numLanes() / lanes) * (layout.numRegisters() / width);
}

LdsMap octavo::makeSwizzledMap(const LinearLayout &from, const LinearLayout &to,
                               int64_t elementBytes, const TargetInfo &target) {
  LdsMap best = makeExchangeMap(from, to, kMaxVectorBytes / elementBytes);
  auto count = [&](const LdsMap &map) {
    return countLdsCycles(from, map, elementBytes, /*isWrite=*/true, target) +
           countLdsCycles(to, map, elementBytes, /*isWrite=*/false, target);
  };
  int64_t cycles = count(best);
  int64_t vector =
      std::min(best.contiguous(to), kMaxVectorBytes / elementBytes);
  // Bits that choose the bank, above those inside of one access or word.
  int64_t low = llvm::Log2_64(
      std::max<int64_t>(vector, llvm::divideCeil(kBankBytes, elementBytes)));
  int64_t high = llvm::Log2_64(target.ldsBanks * kBankBytes / elementBytes);
  for (int64_t bit = low + 1, n = best.linearBits(); bit < n; ++bit) {
    LdsMap before = best;
    int64_t end = std::min(high, bit);
    for (int64_t mask = 1; mask < int64_t(1) << (end - low); ++mask) {
      LdsMap map = before.swizzled(bit, mask << low);
      if (int64_t found = count(map); found < cycles) {
        cycles = found;
        best = map;
      }
    }
  }
  return best;
}
