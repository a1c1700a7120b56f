//===- Machine.h - Waves, workgroups and instructions -----------*- C++ -*-===//
//
// What a handler sees. This header is included by files that are compiled for
// several levels of the host's instruction set, so it holds plain data only: no
// inline function that the linker could share between levels.
//
// Registers are register-major: 64 consecutive words are one register of all
// lanes. Vector registers are 0..255, accumulation registers 256..511.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_MACHINE_H
#define OCTAVO_SIMULATOR_MACHINE_H

#include <cstddef>
#include <cstdint>

namespace octavo::sim {

class Observer;
class Program;
struct Inst;
struct MatrixInstruction;
struct Wave;
struct Workgroup;

constexpr unsigned Lanes = 64;
constexpr unsigned FirstAccumulation = 256;

/// Numbers of scalar registers with a meaning of their own.
enum ScalarRegister : uint16_t {
  FlatScratch = 102,
  Vcc = 106,
  M0 = 124,
  Exec = 126
};

/// Executes one instruction and returns the next one, or null after setting
/// `Wave::status` and `Wave::ip`.
using Handler = const Inst *(*)(Wave &, const Inst &);
/// Computes all 64 lanes. 64-bit values are a block of low words and then one
/// of high words. `d` may be one of the sources.
using Compute = void (*)(uint32_t *d, const uint32_t *a, const uint32_t *b,
                         const uint32_t *c);

enum class Kind : uint8_t { None, Vgpr, Sgpr, Constant, Scc, VccZ, ExecZ };

/// How the bits of an operand are read: width, constants, modifiers.
enum class Type : uint8_t {
  None,
  B32,
  I32,
  F32,
  B16,
  I16,
  F16,
  B64,
  I64,
  F64,
  PkF32, // two dwords; a constant is in both
  PkF16, // two halves; a float constant is in the low one
  Mask,  // one bit per lane, in scalar registers
  Any,   // as wide as the operand says
};

struct Operand {
  Kind kind = Kind::None;
  Type type = Type::None;
  uint8_t dwords = 0;
  uint16_t index = 0;
  /// Kind::Constant: `dwords` blocks of 64 equal words.
  const uint32_t *constant = nullptr;
};

/// Source and result modifiers of a vector instruction; bit i is source i.
struct Modifiers {
  uint8_t neg = 0, abs = 0, negHi = 0, opSel = 0, opSelHi = 7, sext = 0;
  uint8_t omod = 0; // 1 times two, 2 times four, 3 half
  bool clamp = false;
  bool dpp = false, sdwa = false, boundCtrl = false;
  uint16_t dppControl = 0;
  uint8_t rowMask = 15, bankMask = 15;
  uint8_t dstSel = 6, dstUnused = 0, srcSel[2] = {6, 6};
};

/// Classes for counters.
enum class Class : uint8_t {
  Scalar,
  ScalarMemory,
  Vector,
  Matrix,
  Lds,
  VectorMemory,
  Branch,
  Other
};

enum InstFlags : uint32_t {
  /// The result's upper 16 bits are kept, not zeroed.
  KeepsHigh = 1,
  /// MODE's rounding and denormal fields matter: f32, or f64 and f16.
  Float32 = 2,
  Float64 = 4,
  /// An s_nop or s_waitcnt: executed only with an observer.
  Idle = 8,
  /// Memory: an atomic that returns the old value.
  Returns = 16,
  OffEn = 32,
  IdxEn = 64,
  ToLds = 128,
  /// Writes that show a wave makes progress (see Schedule).
  Progress = 256,
  /// The target's 8-bit floats are FNUZ.
  Fnuz = 512,
  /// `mods` differ from the default.
  Modified = 1024,
  /// Shape: the first operand is not a result.
  Store = 2048,
  Atomic = 4096,
  /// The destination is the last source too.
  TiedDst = 8192,
  /// Also writes EXEC (v_cmpx).
  WritesExec = 16384,
  /// Both halves or both words are computed (v_pk_*).
  Packed = 32768,
  /// The handler reads op_sel itself.
  UsesOpSel = 1 << 16,
  /// Memory: sc0 or sc1, a scope beyond the wave.
  Coherent = 1 << 17,
};

struct Inst {
  Handler fn = nullptr;
  const Inst *next = nullptr;
  Compute compute = nullptr;
  Operand dst, dst2, src[4];
  /// Second scale of a scaled matrix instruction.
  Operand scale;
  uint8_t numSrc = 0;
  Class cls = Class::Other;
  uint32_t flags = 0;
  Modifiers mods;
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  /// Offsets, truth tables, raw immediates.
  int64_t imm = 0, imm2 = 0;
  int32_t param = 0;
  const Inst *target = nullptr;
  const MatrixInstruction *matrix = nullptr;
  /// Byte offset in the image, and size in bytes.
  uint32_t address = 0, bytes = 0;
  /// Index in Program::mnemonics(), and in Program::instructions().
  uint32_t mnemonic = 0, ordinal = 0;
};

enum class Status : uint8_t { Ready, Barrier, Yield, Ended, Failed };

struct Workgroup {
  uint8_t *lds = nullptr;
  uint32_t ldsBytes = 0;
  uint32_t id[3] = {0, 0, 0};
};

struct Wave {
  alignas(64) uint32_t v[512 * Lanes];
  alignas(64) uint32_t s[128];
  /// EXEC as one word per lane, valid for the mask `execCached`.
  alignas(64) uint32_t execLanes[Lanes];
  uint64_t execCached;
  uint32_t scc;
  uint32_t mode;
  /// MODE differs from round-to-nearest with all denormals kept.
  bool modeSpecial;
  /// s_set_gpr_idx_on or s_setvskip is active.
  bool gprIndexing, skipVector;
  /// Matrix instructions compute nothing (LaunchConfig::skipMatrix).
  bool skipMatrix;
  Status status;
  const Inst *ip;
  /// The instruction that is accessing memory now.
  const Inst *volatile access;
  const char *error;
  Workgroup *group;
  const Program *program;
  Observer *observer;
  uint8_t *scratch;
  uint32_t scratchBytes;
  uint32_t index;
  uint64_t codeBase;
  uint64_t executed;
  uint64_t *counts;
  const Inst *firstInst;
  /// Stores, LDS writes, matrix instructions and barriers so far.
  uint64_t progress;
  uint64_t bytesLoaded, bytesStored, ldsRead, ldsWritten;
};

/// Where shared (LDS) and private memory lie in the flat address space.
constexpr uint64_t SharedAperture = uint64_t(1) << 48;
constexpr uint64_t PrivateAperture = uint64_t(2) << 48;

/// How the text operands of a mnemonic map to an Inst; see Bind.cpp.
enum class Shape : uint8_t {
  Vector,      // dst, sources
  VectorCarry, // dst, mask out, sources
  Compare,     // mask out, sources
  Scalar,      // dst, sources
  ScalarNoDst, // sources
  Branch,
  ScalarMemory,
  Lds,
  Flat,
  Buffer,
  Matrix,
  Special, // dst, sources without checks of type
};

/// One row of the instruction tables.
struct Entry {
  const char *mnemonic;
  Shape shape;
  Handler fn;
  Compute compute;
  Type dst;
  Type src[4];
  uint8_t numSrc;
  uint32_t flags;
  /// Meaning depends on the handler: bytes of an access, an operation.
  int32_t param;
};

struct Table {
  const Entry *entries;
  size_t count;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_MACHINE_H
