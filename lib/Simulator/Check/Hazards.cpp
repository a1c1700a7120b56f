//===- Hazards.cpp - Wait states that hardware needs ----------------------===//

#include "lib/Simulator/Check/Hazards.h"

#include "llvm/ADT/STLExtras.h"

using namespace octavo::sim;
using namespace octavo::sim::check;

namespace {

using Findings = llvm::SmallVectorImpl<HazardFinding>;
using Recents = llvm::ArrayRef<Recent>;

constexpr Span kExec = {uint16_t(kFirstScalar + Exec), 2};
constexpr Span kVcc = {uint16_t(kFirstScalar + Vcc), 2};

void require(unsigned needed, const Recent &recent, const Span &span,
             const char *rule, Findings &findings) {
  if (recent.age < needed)
    findings.push_back({rule, span, recent.producer, needed, recent.age});
}

/// The youngest that `accept`s; `recent` is in the order of execution.
template <class F> const Recent *youngest(Recents recent, F accept) {
  for (const Recent &candidate : llvm::reverse(recent))
    if (accept(candidate))
      return &candidate;
  return nullptr;
}

const Recent *youngestOn(Recents recent, Trace trace, const Span &span) {
  return youngest(recent, [&](const Recent &candidate) {
    return candidate.trace == trace && candidate.span.overlaps(span);
  });
}

} // namespace

/// Matrix instruction after matrix instruction.
unsigned HazardTable::neededByMatrix(const Effects &writer, const Span &written,
                                     const Effects &reader,
                                     const Span &read) const {
  unsigned passes = writer.passes, late = isGfx950 && passes != 2;
  bool isLarge = passes > 4;
  if (read != reader.accumulator) {
    if (writer.isDouble)
      return isLarge ? (isGfx950 ? 19 : 11) : 6;
    return writer.isXdl ? passes + 3 + late : passes + 2;
  }
  if (written.first == read.first && written.count == read.count) {
    if (writer.isDouble)
      return reader.isDouble && !isLarge && reader.passes == 4 ? 4 : 0;
    return passes == 2 ? 2 : 0;
  }
  if (writer.isDouble)
    return reader.isXdl ? 0 : isLarge ? (isGfx950 ? 17 : 9) : 4;
  if (reader.isXdl && !writer.isXdl)
    return 0;
  return writer.isXdl ? passes + 1 + late : passes;
}

/// A vector or memory instruction that reads or, for vector instructions,
/// overwrites the result of a matrix instruction.
unsigned HazardTable::neededByVector(const Effects &writer,
                                     bool readerIsMemory) const {
  unsigned passes = writer.passes, late = isGfx950 && passes != 2;
  if (writer.isDouble) {
    if (passes <= 4)
      return readerIsMemory ? 9 : 6;
    return readerIsMemory ? 18 : isGfx950 ? 19 : 11;
  }
  return writer.isXdl ? passes + 3 + late : passes + 2;
}

void HazardTable::checkScalars(const Effects &inst, Recents recent,
                               Findings &findings) const {
  for (const Recent &r : recent) {
    if (r.trace == Trace::ScalarWriteM0 && inst.readsM0)
      require(1, r, r.span, "M0 written by a scalar instruction", findings);
    if (r.trace == Trace::SetReg && (inst.isSetReg || inst.isGetReg) &&
        effects[r.producer].hardwareRegister == inst.hardwareRegister)
      require(2, r, {}, "s_setreg and then the same hardware register",
              findings);
    if (r.trace == Trace::DoubleMatrix && inst.isFmaDouble)
      require(2, r, {}, "v_fma_f64 after an f64 matrix instruction", findings);
    if (r.trace != Trace::VectorWrite || r.span.isVector())
      continue;
    bool isExec = r.span.overlaps(kExec);
    if (isExec && inst.isDpp)
      require(5, r, r.span, "DPP after EXEC written by a vector instruction",
              findings);
    if (isExec && inst.isMatrix)
      require(4, r, r.span,
              "matrix instruction after EXEC written by a vector instruction",
              findings);
    if (isExec && (inst.isLaneAccess || inst.isPermlane))
      require(4, r, r.span,
              "access to lanes after EXEC written by a vector instruction",
              findings);
    if (r.span.overlaps(kVcc) && inst.isDivFmas)
      require(4, r, r.span,
              "v_div_fmas after VCC written by a vector "
              "instruction",
              findings);
    if (inst.laneSelect.count && r.span.overlaps(inst.laneSelect))
      require(4, r, r.span, "lane select written by a vector instruction",
              findings);
    for (const Span &read : inst.reads) {
      if (isExec || !read.overlaps(r.span))
        continue;
      if (inst.isVmem)
        require(5, r, read,
                "memory instruction reads a scalar register written by a "
                "vector instruction",
                findings);
      else if (inst.isVector && !inst.isMatrix)
        require(2, r, read,
                "vector instruction reads a scalar register written by a "
                "vector instruction",
                findings);
    }
  }
}

void HazardTable::checkVectors(const Effects &inst, Recents recent,
                               Findings &findings) const {
  if (!inst.isVector)
    return;
  for (const Span &written : inst.writes)
    if (const Recent *r = youngestOn(recent, Trace::WideStoreData, written))
      require(2, *r, written, "data of a wide store overwritten", findings);
  for (const Span &read : inst.reads) {
    if (!read.isVector())
      continue;
    const Recent *r = youngestOn(recent, Trace::VectorWrite, read);
    if (!r)
      continue;
    const Effects &writer = effects[r->producer];
    if (inst.isMatrix && !writer.isDot)
      require(2, *r, read,
              "matrix instruction reads the result of a vector instruction",
              findings);
    if (inst.isDpp)
      require(2, *r, read, "DPP reads the result of a vector instruction",
              findings);
    if (inst.isPermlane)
      require(2, *r, read,
              "v_permlane reads the result of a vector instruction", findings);
    if (inst.isReadLane)
      require(1, *r, read,
              "v_readlane reads the result of a vector instruction", findings);
    if (writer.isTranscendental && !inst.isTranscendental)
      require(1, *r, read, "reads the result of a transcendental instruction",
              findings);
    if (writer.writesPart)
      require(1, *r, read, "reads a register of which a part was written",
              findings);
  }
}

void HazardTable::checkMatrixReads(const Effects &inst, Recents recent,
                                   Findings &findings) const {
  bool isMemory = inst.isVmem || inst.memory == Memory::Lds;
  if (!inst.isVector && !isMemory)
    return;
  for (const Span &read : inst.reads) {
    if (!read.isVector())
      continue;
    if (const Recent *r = youngestOn(recent, Trace::MatrixWrite, read)) {
      const Effects &writer = effects[r->producer];
      unsigned needed = inst.isMatrix
                            ? neededByMatrix(writer, r->span, inst, read)
                            : neededByVector(writer, isMemory);
      require(needed, *r, read, "reads the result of a matrix instruction",
              findings);
    }
    const Recent *dot = youngestOn(recent, Trace::DotWrite, read);
    if (!dot || inst.isMatrix)
      continue;
    // The same operation may accumulate (its last source) at once.
    bool same = effects[dot->producer].isDot && inst.isDot;
    if (!same || read != inst.reads.back())
      require(3, *dot, read, "reads the result of a dot product", findings);
  }
}

void HazardTable::checkMatrixWrites(const Effects &inst, Recents recent,
                                    Findings &findings) const {
  bool isMemory = inst.isVmem || inst.memory == Memory::Lds;
  if (inst.isMatrix || (!inst.isVector && !isMemory))
    return;
  for (const Span &written : inst.writes) {
    if (!written.isVector())
      continue;
    if (const Recent *r = youngestOn(recent, Trace::MatrixWrite, written))
      require(neededByVector(effects[r->producer], false), *r, written,
              "overwrites the result of a matrix instruction", findings);
    if (const Recent *r = youngestOn(recent, Trace::MatrixReadC, written))
      require(std::min<unsigned>(effects[r->producer].passes - 1, 15), *r,
              written,
              "overwrites the accumulator that a matrix instruction "
              "is reading",
              findings);
  }
}

void HazardTable::check(const Effects &inst, Recents recent,
                        Findings &findings) const {
  if (recent.empty())
    return;
  checkScalars(inst, recent, findings);
  checkVectors(inst, recent, findings);
  checkMatrixReads(inst, recent, findings);
  checkMatrixWrites(inst, recent, findings);
}

void HazardTable::append(const Effects &inst, uint32_t ordinal,
                         llvm::SmallVectorImpl<Recent> &recent) const {
  auto add = [&](Trace trace, Span span) {
    recent.push_back({trace, 0, span, ordinal});
  };
  if (inst.isMatrix) {
    for (const Span &written : inst.writes)
      add(Trace::MatrixWrite, written);
    if (inst.accumulator.count && inst.isXdl)
      add(Trace::MatrixReadC, inst.accumulator);
    if (inst.isDouble)
      add(Trace::DoubleMatrix, {});
  } else if (inst.isVector) {
    for (const Span &written : inst.writes) {
      add(Trace::VectorWrite, written);
      if (inst.isDot)
        add(Trace::DotWrite, written);
    }
  }
  if (inst.wideData.count)
    add(Trace::WideStoreData, inst.wideData);
  if (inst.isSetReg)
    add(Trace::SetReg, {});
  if (inst.isScalar)
    for (const Span &written : inst.writes)
      if (written.overlaps({uint16_t(kFirstScalar + M0), 1}))
        add(Trace::ScalarWriteM0, written);
}

unsigned HazardTable::lifetime(const Recent &recent) {
  switch (recent.trace) {
  case Trace::VectorWrite:
    return recent.span.isVector() ? 2 : 5;
  case Trace::DotWrite:
    return 3;
  case Trace::MatrixWrite:
    return 20;
  case Trace::MatrixReadC:
    return 15;
  case Trace::WideStoreData:
  case Trace::SetReg:
  case Trace::DoubleMatrix:
    return 2;
  case Trace::ScalarWriteM0:
    return 1;
  }
  return 0;
}
