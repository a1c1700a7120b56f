//===- FullChecker.cpp - Races and values that nobody wrote ---------------===//

#include "lib/Simulator/Check/Checker.h"

using namespace octavo::sim;
using namespace octavo::sim::check;

namespace {

Queue queueOf(const Effects &effects) {
  switch (effects.memory) {
  case Memory::Lds:
    return LdsQueue;
  case Memory::Scalar:
    return ScalarQueue;
  default:
    return VectorQueue;
  }
}

uint64_t execOf(const Wave &wave) {
  return wave.s[Exec] | uint64_t(wave.s[Exec + 1]) << 32;
}

} // namespace

void GroupChecker::beginFull() {
  lds.clear();
  ldsDefined.assign(launch.launch->ldsBytes, false);
  for (const Wave *wave : waves) {
    WaveState &state = states[wave->index];
    state.clock.wave = uint32_t(number * waves.size() + wave->index + 1);
    state.registers.begin(*wave);
  }
}

void GroupChecker::followFull(Wave &wave, const Inst &inst) {
  const Effects &effects = launch.paths.effects()[inst.ordinal];
  WaveState &state = states[wave.index];
  if (effects.isWait)
    state.clock.wait(effects);
  if (effects.isDelayed)
    state.clock.issue(queueOf(effects));
  if (wave.gprIndexing && effects.isVector)
    return; // registers that the text does not name
  llvm::StringRef name =
      launch.object.program().mnemonics()[inst.mnemonic].name;
  if (auto read = state.registers.step(wave, inst, effects, name))
    launch.report(CheckKind::Uninitialized, wave, inst, read->lane,
                  "reads " + describe(read->span) +
                      ", which was never written");
}

bool GroupChecker::storesWhatIsThere(const Wave &wave, const Inst &inst,
                                     const uint8_t *place, unsigned lane,
                                     uint32_t bytes) const {
  const Operand &data = inst.src[1];
  if (!(inst.flags & Store) || data.kind != Kind::Vgpr || bytes > 16 ||
      inst.src[2].kind == Kind::Vgpr)
    return false;
  uint32_t words[4] = {};
  for (unsigned i = 0; i < (bytes + 3) / 4; ++i)
    words[i] = wave.v[(data.index + i) * Lanes + lane];
  llvm::StringRef name =
      launch.object.program().mnemonics()[inst.mnemonic].name;
  if (name.ends_with("_hi"))
    words[0] >>= 16;
  return memcmp(words, place, bytes) == 0;
}

void GroupChecker::noteAccess(Wave &wave, const Inst &inst,
                              ShadowMemory &shadow, Queue queue,
                              uint64_t address, unsigned lane, uint32_t bytes,
                              bool isWrite) {
  WaveState &state = states[wave.index];
  bool isLds = &shadow == &lds;
  bool isAtomic = (inst.flags & Atomic) || (inst.flags & Coherent);
  Access now = {state.clock.wave, state.clock.issued[queue],
                inst.ordinal,     queue,
                isWrite,          isAtomic};
  const auto *place = reinterpret_cast<const uint8_t *>(
      isLds ? uint64_t(wave.group->lds) + address : address);
  bool isSame = isWrite && !isAtomic && !(inst.flags & ToLds) &&
                storesWhatIsThere(wave, inst, place, lane, bytes);
  if (isAtomic && (!isWrite || (inst.flags & Returns)))
    shadow.acquire(address, state.clock);
  std::optional<Access> race =
      shadow.access(state.clock, now, address, bytes, isSame);
  if (isAtomic && isWrite)
    shadow.release(address, state.clock);
  if (!race)
    return;
  uint32_t perGroup = uint32_t(waves.size());
  uint32_t other = race->wave - 1;
  launch.report(
      CheckKind::Race, wave, inst, int(lane),
      llvm::Twine(isWrite ? "writes" : "reads") + " " + llvm::Twine(bytes) +
          " bytes" + (isLds ? " of LDS at " : " at ") +
          llvm::Twine::utohexstr(address) + " without an order to " +
          (race->isWrite ? "the write" : "the read") + " of wave " +
          llvm::Twine(other % perGroup) + " of workgroup " +
          llvm::Twine(other / perGroup) + " at " + launch.place(race->ordinal));
}

/// Lanes whose loaded words nobody wrote.
void GroupChecker::loadUndefined(Wave &wave, const Inst &inst, bool isLds,
                                 uint64_t address, unsigned lane,
                                 uint32_t bytes) {
  if (inst.dst.kind != Kind::Vgpr || (inst.flags & ToLds))
    return;
  RegisterShadow &registers = states[wave.index].registers;
  for (uint32_t at = 0; at < bytes; at += 4) {
    bool isDefined = true;
    if (isLds) {
      isDefined = false;
      for (uint32_t i = at; i < std::min(at + 4, bytes); ++i)
        isDefined |= ldsDefined[address + i];
    } else if (address % 4 == 0 && bytes >= 4) {
      uint32_t word;
      memcpy(&word, reinterpret_cast<const void *>(address + at), 4);
      isDefined = word != kUninitialized;
    }
    if (!isDefined)
      registers.markUndefined(inst.dst.index + at / 4, uint64_t(1) << lane);
  }
}

void GroupChecker::followLdsDma(Wave &wave, const Inst &inst, uint32_t bytes) {
  uint32_t width = std::max<uint32_t>(bytes, 4);
  uint64_t base = (wave.s[M0] & (inst.flags & Fnuz ? 0xffff : 0x3ffff)) +
                  uint64_t(inst.imm);
  for (uint64_t rest = execOf(wave); rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctzll(rest));
    uint64_t address = base + uint64_t(lane) * width;
    if (address + width > wave.group->ldsBytes) {
      launch.report(CheckKind::OutOfBounds, wave, inst, int(lane),
                    llvm::Twine(width) + " bytes at " + llvm::Twine(address) +
                        " of " + llvm::Twine(wave.group->ldsBytes) +
                        " bytes of LDS");
      wave.error = "an access outside of LDS, see the report";
      return;
    }
    noteAccess(wave, inst, lds, VectorQueue, address, lane, width, true);
    std::fill_n(ldsDefined.begin() + address, width, true);
  }
}

void GroupChecker::followMemory(Wave &wave, const Inst &inst, bool isLds,
                                llvm::ArrayRef<uint64_t> addresses,
                                uint64_t lanes, uint32_t bytes) {
  const Effects &effects = launch.paths.effects()[inst.ordinal];
  bool isFlat = launch.spaceOf(inst) == Space::Flat;
  bool isWrite = inst.flags & (Store | Atomic);
  if (isLds && inst.dst.kind == Kind::None)
    isWrite = true; // LDS atomics without a result have no flag
  llvm::StringRef name =
      launch.object.program().mnemonics()[inst.mnemonic].name;
  isWrite |= isLds && !name.contains("_read");
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctzll(rest));
    uint64_t address = addresses[lane < addresses.size() ? lane : 0];
    bool inLds = isLds;
    if (isFlat && address >= SharedAperture) {
      if (address >> 48 != SharedAperture >> 48)
        continue;
      inLds = true;
      address &= 0xffffffff;
    }
    if (!isWrite)
      loadUndefined(wave, inst, inLds, address, lane, bytes);
    noteAccess(wave, inst, inLds ? lds : launch.global, queueOf(effects),
               address, lane, bytes, isWrite);
    if (inLds && isWrite)
      std::fill_n(ldsDefined.begin() + address, bytes, true);
  }
  if (inst.flags & ToLds)
    followLdsDma(wave, inst, bytes);
}
