//===- Hazards.h - Wait states that hardware needs --------------*- C++ -*-===//
//
// The table of manually inserted wait states of gfx942 and gfx950: which
// instruction may not follow another one, for how many wait states.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_CHECK_HAZARDS_H
#define OCTAVO_LIB_SIMULATOR_CHECK_HAZARDS_H

#include "lib/Simulator/Check/Effects.h"

namespace octavo::sim::check {

/// What an earlier instruction did that a later one may meet too soon.
enum class Trace : uint8_t {
  VectorWrite, // VALU, no matrix instruction
  DotWrite,
  MatrixWrite,
  MatrixReadC,
  WideStoreData,
  ScalarWriteM0,
  SetReg,
  DoubleMatrix,
};

/// One such instruction: the registers, its ordinal in the program, and the
/// wait states since.
struct Recent {
  Trace trace;
  uint8_t age = 0;
  Span span;
  uint32_t producer = 0;

  bool operator==(const Recent &other) const = default;
};

/// A rule that is not kept.
struct HazardFinding {
  const char *rule;
  Span span;
  uint32_t producer;
  unsigned needed, present;
};

class HazardTable {
public:
  HazardTable(llvm::StringRef arch, llvm::ArrayRef<Effects> effects)
      : isGfx950(arch == "gfx950"), effects(effects) {}

  /// What is wrong with an instruction right after `recent`.
  void check(const Effects &inst, llvm::ArrayRef<Recent> recent,
             llvm::SmallVectorImpl<HazardFinding> &findings) const;
  /// Appends what later instructions may meet.
  void append(const Effects &inst, uint32_t ordinal,
              llvm::SmallVectorImpl<Recent> &recent) const;
  /// Wait states after which nothing can meet it any more.
  static unsigned lifetime(const Recent &recent);

private:
  void checkScalars(const Effects &inst, llvm::ArrayRef<Recent> recent,
                    llvm::SmallVectorImpl<HazardFinding> &findings) const;
  void checkVectors(const Effects &inst, llvm::ArrayRef<Recent> recent,
                    llvm::SmallVectorImpl<HazardFinding> &findings) const;
  void checkMatrixReads(const Effects &inst, llvm::ArrayRef<Recent> recent,
                        llvm::SmallVectorImpl<HazardFinding> &findings) const;
  void checkMatrixWrites(const Effects &inst, llvm::ArrayRef<Recent> recent,
                         llvm::SmallVectorImpl<HazardFinding> &findings) const;
  unsigned neededByMatrix(const Effects &writer, const Span &written,
                          const Effects &reader, const Span &read) const;
  unsigned neededByVector(const Effects &writer, bool readerIsMemory) const;

  bool isGfx950;
  llvm::ArrayRef<Effects> effects;
};

} // namespace octavo::sim::check

#endif // OCTAVO_LIB_SIMULATOR_CHECK_HAZARDS_H
