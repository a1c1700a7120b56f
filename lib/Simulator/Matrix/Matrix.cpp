//===- Matrix.cpp - Executing a matrix instruction ------------------------===//
//
// Operands are decoded once into element-major arrays; the kernels then run
// over finite values. Where an operand holds NaN or infinity, the product goes
// chunk by chunk and the outputs that these touch are patched by the ordinary
// rules of IEEE 754.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Matrix/Matrix.h"
#include "lib/Simulator/Matrix/FloatFormats.h"
#include "lib/Simulator/Matrix/OperandCache.h"
#include "lib/Simulator/Matrix/OperandMap.h"

#include "llvm/Support/ErrorHandling.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <xmmintrin.h>

using namespace octavo::sim;

namespace {

const MatrixKernels &getKernels() {
  static const MatrixKernels &kernels = []() -> const MatrixKernels & {
    if (__builtin_cpu_supports("x86-64-v4"))
      return kernelsV4;
    if (__builtin_cpu_supports("x86-64-v3"))
      return kernelsV3;
    llvm::report_fatal_error("the simulator's matrix instructions need a host "
                             "with AVX2 and FMA (x86-64-v3)");
  }();
  return kernels;
}

const OperandPlan &getPlan(const MatrixInstruction &instruction) {
  static const std::vector<OperandPlan> plans = [] {
    std::vector<OperandPlan> out;
    for (llvm::StringRef arch : {"gfx942", "gfx950"})
      for (const MatrixInstruction &row : getMatrixInstructions(arch))
        out.push_back(makeOperandPlan(row));
    return out;
  }();
  return plans[instruction.plan];
}

/// Round to nearest with subnormals, whatever the caller runs with.
class HostRounding {
public:
  HostRounding() : saved(_mm_getcsr()) {
    if (saved & changed)
      _mm_setcsr(saved & ~changed);
  }
  ~HostRounding() {
    if (saved & changed)
      _mm_setcsr(saved);
  }

private:
  /// Flush to zero, rounding mode, denormals are zero.
  static constexpr unsigned changed = 0x8000 | 0x6000 | 0x0040;
  unsigned saved;
};

/// One operand of this execution.
struct Operand {
  MatrixElement element;
  uint32_t elements;
  const uint16_t *rows;
  DecodedOperand *decoded;
};

/// What this thread decoded last, for A and for B.
struct Caches {
  OperandCache a, b;
};

Caches &getCaches() {
  thread_local auto caches = std::make_unique<Caches>();
  return *caches;
}

constexpr uint32_t scaleStride = 32;

/// Scales of up to 4 blocks of 32 along K.
struct Scales {
  alignas(64) double a[4 * scaleStride + 16], b[4 * scaleStride + 16];
};

/// What the products of one chunk add up to beside finite values.
enum class Special { None, Plus, Minus, NaN };

Special join(Special x, Special y) {
  if (x == Special::None || x == y)
    return y;
  return y == Special::None ? x : Special::NaN;
}

Special classify(float value) {
  if (std::isnan(value))
    return Special::NaN;
  if (!std::isinf(value))
    return Special::None;
  return value > 0 ? Special::Plus : Special::Minus;
}

uint32_t getBits(Special special) {
  return special == Special::Plus    ? 0x7f800000u
         : special == Special::Minus ? 0xff800000u
                                     : 0x7fc00000u;
}

class Execution {
public:
  Execution(const MatrixInstruction &instruction,
            const MatrixOperands &operands, MatrixModel model)
      : instruction(instruction), operands(operands), model(model),
        kernels(getKernels()), plan(getPlan(instruction)) {}

  void run();

private:
  void decodeOperands();
  void decode(Operand &operand, OperandCache &cache, const uint32_t *registers);
  ExponentRange findRange(const Operand &operand);
  void loadScales();
  void selectSparseRows();
  const uint32_t *permuteB();
  void loadAccumulator();
  void prepareCdna3();
  void prepareExact();
  void runBlock(BlockProduct &product);
  void runKernel(const BlockProduct &product);
  void runInChunks(BlockProduct product);
  Special classifyOutput(const BlockProduct &product, uint32_t i, uint32_t j);
  Special classifyProduct(uint32_t a, uint32_t b) const;
  uint32_t chunk() const;

  const MatrixInstruction &instruction;
  const MatrixOperands &operands;
  MatrixModel model;
  const MatrixKernels &kernels;
  const OperandPlan &plan;
  Operand a, b;
  Scales scales;
  bool needsSplit = false, mayOverflow = false, onValues = true;
  const uint32_t *c;
  uint32_t accumulator[64 * 32];
  uint32_t permuted[64 * 8];
  uint16_t sparseRows[32 * 64];
};

void Execution::decode(Operand &operand, OperandCache &cache,
                       const uint32_t *registers) {
  bool keepsSpecial = model == MatrixModel::FmaChain;
  DecodedOperand &x =
      cache.find(operand.element, operand.elements, keepsSpecial, registers);
  operand.decoded = &x;
  if (x.isDecoded)
    return;
  x.isDecoded = true;
  uint32_t count = 64 * operand.elements;
  x.hasSpecial =
      kernels.decode(operand.element, x.registers, operand.elements, x.values);
  std::memset(x.values + count, 0, 16 * sizeof(float));
  if (!x.hasSpecial || keepsSpecial)
    return;
  std::memcpy(x.raw, x.values, count * sizeof(float));
  for (uint32_t i = 0; i < count; ++i)
    if (!std::isfinite(x.values[i]))
      x.values[i] = 0;
}

ExponentRange Execution::findRange(const Operand &operand) {
  DecodedOperand &x = *operand.decoded;
  if (!x.range)
    x.range = kernels.findRange(x.values, 64 * operand.elements);
  return *x.range;
}

/// BLGP of the classic forms: which lane supplies B.
const uint32_t *Execution::permuteB() {
  if (operands.blgp == 0 || instruction.selectsFormat || instruction.sparse)
    return operands.b;
  auto source = [&](uint32_t lane) {
    switch (operands.blgp) {
    case 1:
      return lane % 32;
    case 2:
      return 32 + lane % 32;
    case 3:
      return (lane + 16) % 64; // direction assumed
    default:
      return 16 * (operands.blgp - 4) + lane % 16;
    }
  };
  for (uint32_t r = 0; r < instruction.bRegisters; ++r)
    for (uint32_t lane = 0; lane < 64; ++lane)
      permuted[64 * r + lane] = operands.b[64 * r + source(lane)];
  return permuted;
}

void Execution::decodeOperands() {
  a.element = instruction.a;
  b.element = instruction.b;
  a.rows = b.rows = plan.input.data();
  if (instruction.selectsFormat) {
    a.element = *getSelectedElement(operands.cbsz);
    b.element = *getSelectedElement(operands.blgp);
    for (Operand *operand : {&a, &b})
      if (getElementBits(operand->element) < 8)
        operand->rows = plan.narrow.data();
  }
  uint32_t perLane = instruction.k * instruction.m * instruction.blocks / 64;
  a.elements = instruction.sparse ? perLane / 2 : perLane;
  b.elements = perLane;
  if (instruction.sparse)
    a.rows = plan.sparse.data();
  Caches &caches = getCaches();
  decode(a, caches.a, operands.a);
  decode(b, caches.b, permuteB());
}

void Execution::loadScales() {
  uint32_t count = std::max(1u, instruction.k / 32u);
  for (uint32_t block = 0; block < count; ++block)
    for (uint32_t i = 0; i < instruction.m; ++i) {
      auto read = [&](const uint32_t *from, uint32_t byte) {
        if (!instruction.scaled || !from)
          return 1.0;
        uint32_t code = from[block * instruction.m + i] >> (8 * byte) & 0xff;
        return double(std::bit_cast<float>(decodeE8M0(code)));
      };
      scales.a[block * scaleStride + i] =
          read(operands.scaleA, operands.scaleByteA);
      scales.b[block * scaleStride + i] =
          read(operands.scaleB, operands.scaleByteB);
    }
}

/// For each row of A the rows of B that its indices name.
void Execution::selectSparseRows() {
  uint32_t held = instruction.k / 2u, perLane = held * instruction.m / 64;
  for (uint32_t i = 0; i < instruction.m; ++i)
    for (uint32_t k = 0; k < held; ++k) {
      IndexPlace place =
          locateIndex(instruction, operands.cbsz, operands.abid, i, k);
      uint32_t index = operands.index[place.lane] >> place.bit & 3;
      uint32_t element = 4 * (k % perLane / 2) + index;
      sparseRows[i * held + k] =
          uint16_t(64 * element + instruction.n * (k / perLane));
    }
}

/// Takes a copy of C if it is changed, or if D overlaps it at another place.
void Execution::loadAccumulator() {
  c = operands.c;
  uint32_t count = 64 * instruction.cRegisters;
  bool overlaps =
      operands.d != c && operands.d < c + count && c < operands.d + count;
  if (!overlaps && !operands.negateC && !operands.absoluteC)
    return;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bits = operands.c[i];
    if (operands.absoluteC)
      bits &= 0x7fffffffu;
    accumulator[i] = operands.negateC ? bits ^ 0x80000000u : bits;
  }
  c = accumulator;
}

uint32_t Execution::chunk() const {
  if (model == MatrixModel::ExactBlock)
    return 32;
  if (getElementBits(instruction.a) == 8)
    return 16;
  uint32_t largest = instruction.a == MatrixElement::XF32 ? 4 : 8;
  uint32_t k = instruction.sparse ? instruction.k / 2u : instruction.k;
  return std::min(largest, k);
}

void Execution::prepareCdna3() {
  int32_t highest = 0, furthest = 0;
  // f16 and the 8-bit formats are narrow by themselves.
  if (getMinimumExponent(instruction.a) < -narrowExponent)
    for (Operand *operand : {&a, &b}) {
      ExponentRange range = findRange(*operand);
      if (range.lowest > range.highest)
        continue; // all zero
      highest += range.highest;
      furthest = std::max({furthest, range.highest, -range.lowest});
    }
  mayOverflow = highest >= 127;
  onValues = furthest <= narrowExponent;
  for (Operand *operand : {&a, &b}) {
    DecodedOperand &x = *operand->decoded;
    uint32_t count = 64 * operand->elements + 16;
    int32_t minimum = getMinimumExponent(operand->element);
    if (onValues && !x.hasExponents)
      kernels.splitExponents(x.values, count, minimum, narrowZero, x.exponents);
    if (!onValues && !x.hasSignificands)
      kernels.splitSignificands(x.values, count, minimum, -1000,
                                x.wideExponents, x.significands);
    (onValues ? x.hasExponents : x.hasSignificands) = true;
  }
}

/// Decides whether every sum of 32 products fits in the 53 bits of f64.
void Execution::prepareExact() {
  auto isWide = [](const Operand &operand) {
    return operand.element == MatrixElement::E5M2 ||
           operand.element == MatrixElement::E5M2FNUZ;
  };
  for (Operand *operand : {&a, &b}) {
    DecodedOperand &x = *operand->decoded;
    if (!x.hasWide)
      kernels.widen(x.values, 64 * operand->elements + 16, x.wide);
    x.hasWide = true;
  }
  // Without E5M2 a product has at most 36 bits; with a 6- or 4-bit partner 41.
  if (!isWide(a) && !isWide(b))
    return;
  ExponentRange rangeA = findRange(a), rangeB = findRange(b);
  if (rangeA.lowest > rangeA.highest || rangeB.lowest > rangeB.highest)
    return; // all zero
  int32_t top = rangeA.highest + rangeB.highest + 2 + 5;
  int32_t bottom = rangeA.lowest + rangeB.lowest - getMantissaBits(a.element) -
                   getMantissaBits(b.element);
  needsSplit = top - bottom > 53;
}

void Execution::runKernel(const BlockProduct &product) {
  if (instruction.a == MatrixElement::I8)
    return kernels.integer(product);
  switch (model) {
  case MatrixModel::FmaChain:
    return instruction.selectsFormat ? kernels.scaledChain(product)
                                     : kernels.fmaChain(product);
  case MatrixModel::ExactBlock:
    return needsSplit ? kernels.exactBlockSplit(product)
                      : kernels.exactBlock(product);
  case MatrixModel::CDNA3:
    if (getElementBits(instruction.a) == 8)
      return kernels.cdna3Eight(product);
    return onValues ? kernels.cdna3Narrow(product, chunk())
                    : kernels.cdna3Wide(product, chunk());
  }
}

Special Execution::classifyProduct(uint32_t aAt, uint32_t bAt) const {
  const DecodedOperand &da = *a.decoded, &db = *b.decoded;
  float x = da.hasSpecial ? da.raw[aAt] : da.values[aAt];
  float y = db.hasSpecial ? db.raw[bAt] : db.values[bAt];
  Special special = Special::None;
  if (!std::isfinite(x) || !std::isfinite(y))
    special = classify(x * y);
  else if (mayOverflow) {
    // CDNA3: a product of 2^128 or more is infinite.
    float p = da.significands[aAt] * db.significands[bAt];
    int32_t e =
        da.wideExponents[aAt] + db.wideExponents[bAt] + (std::fabs(p) >= 2);
    if (p != 0 && e >= 128)
      special = p > 0 ? Special::Plus : Special::Minus;
  }
  return special;
}

Special Execution::classifyOutput(const BlockProduct &product, uint32_t i,
                                  uint32_t j) {
  Special out = Special::None;
  for (uint32_t k = 0; k < product.k; ++k)
    out = join(out,
               classifyProduct(product.aRow[k] + i,
                               product.bRow[i * product.bRowStride + k] + j));
  bool isScaleNaN = std::isnan(product.scaleA[i] * product.scaleB[j]);
  if (isScaleNaN)
    return Special::NaN;
  if (out == Special::None)
    return out;
  uint32_t at = product.cRow[i] + j;
  return join(out, classify(std::bit_cast<float>(product.c[at])));
}

void Execution::runInChunks(BlockProduct product) {
  uint32_t last = product.k, step = chunk();
  std::vector<std::pair<uint32_t, uint32_t>> patches;
  for (uint32_t k = 0; k < last; k += step) {
    product.k = std::min(step, last - k);
    patches.clear();
    for (uint32_t i = 0; i < product.m; ++i)
      for (uint32_t j = 0; j < product.n; ++j) {
        Special special = classifyOutput(product, i, j);
        if (special != Special::None)
          patches.emplace_back(product.cRow[i] + j, getBits(special));
      }
    runKernel(product);
    for (auto [at, bits] : patches)
      product.d[at] = bits;
    product.c = product.d;
    product.aRow += product.k;
    product.bRow += product.k;
    if (model == MatrixModel::ExactBlock) {
      product.scaleA += scaleStride;
      product.scaleB += scaleStride;
    }
  }
}

void Execution::runBlock(BlockProduct &product) {
  bool hasSpecial =
      a.decoded->hasSpecial || b.decoded->hasSpecial || mayOverflow;
  if (model == MatrixModel::FmaChain || !hasSpecial)
    runKernel(product);
  else
    runInChunks(product);
}

void Execution::run() {
  decodeOperands();
  loadAccumulator();
  loadScales();
  bool isInteger = instruction.a == MatrixElement::I8;
  if (model == MatrixModel::CDNA3 && !isInteger)
    prepareCdna3();
  if (model == MatrixModel::ExactBlock)
    prepareExact();
  uint32_t rows = instruction.sparse ? instruction.k / 2u : instruction.k;
  BlockProduct product{};
  const DecodedOperand &da = *a.decoded, &db = *b.decoded;
  product.a = onValues ? da.values : da.significands;
  product.b = onValues ? db.values : db.significands;
  product.aExponent = onValues ? da.exponents : da.wideExponents;
  product.bExponent = onValues ? db.exponents : db.wideExponents;
  product.aWide = da.wide;
  product.bWide = db.wide;
  product.m = instruction.m;
  product.n = instruction.n;
  product.k = rows;
  product.c = c;
  product.d = operands.d;
  product.scaleA = scales.a;
  product.scaleB = scales.b;
  if (instruction.sparse)
    selectSparseRows();
  bool broadcasts = !instruction.selectsFormat && !instruction.sparse;
  uint32_t cbsz = broadcasts ? operands.cbsz : 0;
  for (uint32_t block = 0; block < instruction.blocks; ++block) {
    // CBSZ: groups of 2^cbsz blocks share block `abid` of A.
    uint32_t group = 1u << cbsz;
    uint32_t aBlock = cbsz ? block / group * group + operands.abid : block;
    product.aRow = a.rows + aBlock * rows;
    product.bRow = instruction.sparse ? sparseRows : b.rows + block * rows;
    product.bRowStride = instruction.sparse ? rows : 0;
    product.cRow = plan.result.data() + block * instruction.m;
    runBlock(product);
  }
}

} // namespace

void octavo::sim::executeMatrix(const MatrixInstruction &instruction,
                                const MatrixOperands &operands,
                                MatrixModel model) {
  HostRounding rounding;
  if (instruction.a == MatrixElement::F64)
    return executeDoubleMatrix(instruction, operands);
  Execution(instruction, operands, resolveModel(instruction, model)).run();
}
