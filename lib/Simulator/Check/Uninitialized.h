//===- Uninitialized.h - Which registers were written -----------*- C++ -*-===//
//
// A bit for each lane of each vector register and for each scalar register.
// Copies and merges of bits carry it on; arithmetic, addresses, conditions and
// stores to memory must not read what is not there.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_CHECK_UNINITIALIZED_H
#define OCTAVO_LIB_SIMULATOR_CHECK_UNINITIALIZED_H

#include "lib/Simulator/Check/Effects.h"

#include <array>
#include <bitset>

namespace octavo::sim::check {

/// A read of what nobody wrote.
struct UndefinedRead {
  Span span;
  int lane = -1;
};

class RegisterShadow {
public:
  /// What a wave begins with.
  void begin(const Wave &wave);
  /// Before `inst` is executed: what it reads in vain, and what it writes.
  std::optional<UndefinedRead> step(const Wave &wave, const Inst &inst,
                                    const Effects &effects,
                                    llvm::StringRef name);
  /// Lanes of loaded register `index` that hold nothing.
  void markUndefined(unsigned index, uint64_t lanes) {
    vector[index] &= ~lanes;
  }
  uint64_t defined(unsigned index) const { return vector[index]; }

private:
  std::optional<UndefinedRead> find(const Span &span, uint64_t exec) const;
  void write(const Span &span, uint64_t exec, uint64_t lanes);

  std::array<uint64_t, 512> vector;
  std::bitset<128> scalar;
};

} // namespace octavo::sim::check

#endif // OCTAVO_LIB_SIMULATOR_CHECK_UNINITIALIZED_H
