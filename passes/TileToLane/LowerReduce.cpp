//===- LowerReduce.cpp - Combine along a dimension ------------------------===//
//
// First the registers of a lane, then the lanes of a wave (every lane gets the
// result), then the waves through LDS.
//
//===----------------------------------------------------------------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "passes/Tile/Exchange.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace octavo;

/// One element of every operand.
using Elements = SmallVector<Value>;

SmallVector<Value> octavo::combine(LaneProgram &p, Region &region,
                                   ArrayRef<Value> first,
                                   ArrayRef<Value> second) {
  Block &block = region.front();
  IRMapping mapping = p.scalars;
  for (auto [argument, value] : llvm::zip(
           block.getArguments(), llvm::concat<const Value>(first, second)))
    mapping.map(argument, value);
  for (Operation &op : block.without_terminator())
    p.b.clone(op, mapping);
  Elements results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

/// Pairwise, so that chains are short.
static Elements combineAll(LaneProgram &p, Region &region,
                           SmallVector<Elements> parts) {
  while (parts.size() > 1) {
    SmallVector<Elements> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      next.push_back(combine(p, region, parts[i], parts[i + 1]));
    if (parts.size() % 2)
      next.push_back(parts.back());
    parts = std::move(next);
  }
  return parts.front();
}

/// For every register of the result, the source registers that it combines.
static FailureOr<SmallVector<SmallVector<int64_t>>>
groupRegisters(tile::ReduceOp op) {
  const LinearLayout &from = layoutOf(op.getSources().front());
  const LinearLayout &to = layoutOf(op.getResults().front());
  SmallVector<SmallVector<int64_t>> groups(to.numRegisters());
  for (int64_t reg = 0, n = from.numRegisters(); reg < n; ++reg) {
    TileIndex index = from.registerIndex(reg);
    index.erase(index.begin() + op.getAxis());
    std::optional<int64_t> found = to.findRegister(index);
    if (!found)
      return op.emitOpError("a lane does not hold what its result needs");
    groups[*found].push_back(reg);
  }
  return groups;
}

/// Combines the partial results of the waves; every wave gets all.
static void combineWaves(LaneProgram &p, tile::ReduceOp op,
                         SmallVector<Elements> &results) {
  SmallVector<unsigned> bits = getReducedWaveBits(op);
  if (bits.empty())
    return;
  LdsMap map = getPartialMap(op);
  int64_t parts = int64_t(1) << bits.size();
  const LinearLayout &layout = layoutOf(op.getResults().front());
  // Which partial result a wave writes.
  SmallVector<int64_t> waveSteps(layout.waveBases().size(), 0);
  for (auto [i, bit] : llvm::enumerate(bits))
    waveSteps[bit] = int64_t(1) << i;
  int64_t base = *op.getLdsOffset();
  SmallVector<int64_t> bases;
  p.beforeLdsWrite(base, getLdsBytes(op));
  for (auto [operand, result] : llvm::enumerate(op.getResults())) {
    bases.push_back(base);
    int64_t bytes = getLdsElementBytes(result.getType());
    Value part = p.addConstant(p.getPlaceOffset({}, waveSteps), 0);
    Value start = arith::MulIOp::create(p.b, p.loc, part,
                                        p.constantI32(map.size() * bytes));
    for (auto [reg, elements] : llvm::enumerate(results)) {
      Value offset = getLdsOffset(p, layout, map, reg, bytes);
      offset = arith::AddIOp::create(p.b, p.loc, offset, start);
      storeLds(p, elements[operand], offset, base);
    }
    base += map.size() * bytes * parts;
  }
  p.beforeLdsRead(bases.front(), getLdsBytes(op));
  for (auto [reg, elements] : llvm::enumerate(results)) {
    SmallVector<Elements> all(parts);
    for (auto [operand, result] : llvm::enumerate(op.getResults())) {
      int64_t bytes = getLdsElementBytes(result.getType());
      Value offset = getLdsOffset(p, layout, map, reg, bytes);
      for (int64_t i = 0; i < parts; ++i)
        all[i].push_back(loadLds(p, elements[operand].getType(), offset,
                                 bases[operand] + i * map.size() * bytes));
    }
    elements = combineAll(p, op.getCombiner(), all);
  }
}

LogicalResult octavo::lowerReduce(LaneProgram &p, tile::ReduceOp op) {
  const LinearLayout &from = layoutOf(op.getSources().front());
  for (const TileBases *bases : {&from.laneBases(), &from.waveBases()})
    for (const TileIndex &basis : *bases)
      if (basis[op.getAxis()] != 0 && llvm::count(basis, 0) + 1 < from.rank())
        return op.emitOpError("expected lanes that move along one dimension");
  if (getLdsBytes(op) > 0 && !op.getLdsOffset())
    return op.emitOpError("expected LDS bytes from tile-place-lds");
  FailureOr<SmallVector<SmallVector<int64_t>>> groups = groupRegisters(op);
  if (failed(groups))
    return failure();
  SmallVector<Elements> results;
  for (const SmallVector<int64_t> &group : *groups) {
    SmallVector<Elements> parts;
    for (int64_t reg : group) {
      Elements elements;
      for (Value source : op.getSources())
        elements.push_back(p.getElement(source, reg));
      parts.push_back(elements);
    }
    Elements sum = combineAll(p, op.getCombiner(), parts);
    for (auto [bit, basis] : llvm::enumerate(from.laneBases())) {
      if (basis[op.getAxis()] == 0)
        continue;
      Elements other;
      for (Value value : sum)
        other.push_back(shuffleXor(p, value, bit));
      sum = combine(p, op.getCombiner(), sum, other);
    }
    results.push_back(sum);
  }
  combineWaves(p, op, results);
  for (auto [operand, result] : llvm::enumerate(op.getResults())) {
    SmallVector<Value> elements;
    for (const Elements &all : results)
      elements.push_back(all[operand]);
    p.defineElements(result, elements);
  }
  return success();
}
