//===- LaneProgram.cpp - The lane's program while it is built -------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace octavo;

const LinearLayout &octavo::layoutOf(Type tile) {
  return tile::getLayout(tile).getLayout();
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

VectorType LaneProgram::getFragmentType(Type tile) {
  auto type = cast<RankedTensorType>(tile);
  return VectorType::get({tile::getLayout(tile).getFragment()},
                         type.getElementType());
}

int64_t LaneProgram::getNumFragments(Type tile) {
  return layoutOf(tile).numRegisters() / tile::getLayout(tile).getFragment();
}

ArrayRef<Value> LaneProgram::getFragments(Value tile) {
  return tiles.find(tile)->second;
}

void LaneProgram::define(Value tile, Fragments fragments) {
  tiles[tile] = std::move(fragments);
}

Value LaneProgram::getElement(Value tile, int64_t reg) {
  int64_t fragment = tile::getLayout(tile.getType()).getFragment();
  return vector::ExtractOp::create(b, loc, getFragments(tile)[reg / fragment],
                                   reg % fragment);
}

Fragments LaneProgram::getElements(Value tile) {
  Fragments elements;
  for (int64_t reg = 0, n = layoutOf(tile).numRegisters(); reg < n; ++reg)
    elements.push_back(getElement(tile, reg));
  return elements;
}

/// All elements of `vector` in order, if `elements` are that.
static Value findWhole(VectorType type, ArrayRef<Value> elements) {
  Value whole;
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto extract = element.getDefiningOp<vector::ExtractOp>();
    if (!extract || extract.getStaticPosition() != ArrayRef<int64_t>(i) ||
        extract.getSource().getType() != type ||
        (whole && extract.getSource() != whole))
      return {};
    whole = extract.getSource();
  }
  return whole;
}

Value LaneProgram::gather(VectorType type, ArrayRef<Value> elements) {
  if (Value whole = findWhole(type, elements))
    return whole;
  return vector::FromElementsOp::create(b, loc, type, elements);
}

void LaneProgram::defineElements(Value tile, ArrayRef<Value> elements) {
  VectorType type = getFragmentType(tile.getType());
  Fragments fragments;
  for (; !elements.empty(); elements = elements.drop_front(type.getDimSize(0)))
    fragments.push_back(gather(type, elements.take_front(type.getDimSize(0))));
  define(tile, std::move(fragments));
}

Value LaneProgram::concat(ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  Value first = concat(vectors.take_front(vectors.size() / 2));
  Value second = concat(vectors.drop_front(vectors.size() / 2));
  SmallVector<int64_t> positions(
      2 * cast<VectorType>(first.getType()).getNumElements());
  std::iota(positions.begin(), positions.end(), 0);
  return vector::ShuffleOp::create(b, loc, first, second, positions);
}

Value LaneProgram::slice(Value vector, int64_t first, int64_t count) {
  SmallVector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), first);
  return vector::ShuffleOp::create(b, loc, vector, vector, positions);
}

void LaneProgram::definePieces(Value tile, ArrayRef<Value> pieces,
                               int64_t width) {
  VectorType type = getFragmentType(tile.getType());
  int64_t size = type.getDimSize(0);
  if (size == width)
    return define(tile, Fragments(pieces));
  Fragments fragments;
  if (size < width) {
    for (Value piece : pieces)
      for (int64_t i = 0; i < width; i += size)
        fragments.push_back(slice(piece, i, size));
    return define(tile, std::move(fragments));
  }
  for (; !pieces.empty(); pieces = pieces.drop_front(size / width))
    fragments.push_back(concat(pieces.take_front(size / width)));
  define(tile, std::move(fragments));
}

Value LaneProgram::getPiece(Value tile, int64_t reg, int64_t width) {
  VectorType type = getFragmentType(tile.getType());
  int64_t size = type.getDimSize(0);
  ArrayRef<Value> fragments = getFragments(tile);
  if (size == width)
    return fragments[reg / size];
  if (size > width)
    return slice(fragments[reg / size], reg % size, width);
  return concat(fragments.slice(reg / size, width / size));
}

Fragments LaneProgram::getValues(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return Fragments(getFragments(value));
  return {getScalar(value)};
}

void LaneProgram::takeValues(Value value, ValueRange &lowered) {
  int64_t count = 1;
  if (isa<RankedTensorType>(value.getType())) {
    count = getNumFragments(value.getType());
    define(value, Fragments(lowered.take_front(count)));
  } else {
    scalars.map(value, lowered.front());
  }
  lowered = lowered.drop_front(count);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value LaneProgram::constantI32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

/// Both are computed once, at the head of the kernel.
Value LaneProgram::getLane() {
  if (lane)
    return lane;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(workitem);
  if (source.getWaves() == 1)
    return lane = workitem;
  return lane = arith::AndIOp::create(b, loc, workitem,
                                      constantI32(target.waveSize - 1));
}

Value LaneProgram::getWave() {
  if (wave)
    return wave;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(workitem);
  if (source.getWaves() == 1)
    return wave = constantI32(0);
  Value number = arith::ShRUIOp::create(
      b, loc, workitem, constantI32(llvm::Log2_64(target.waveSize)));
  // The same in all lanes, which the compiler below does not see by itself.
  return wave =
             ROCDL::ReadfirstlaneOp::create(b, loc, number.getType(), number);
}

/// The steps of the set bits of `number`, XORed.
static PlaceOffset scatterBits(LaneProgram &p, Value number,
                               ArrayRef<int64_t> steps) {
  // Bits that move by the same distance move together.
  std::map<int64_t, int64_t> masks; // distance -> bits of the number
  for (auto [i, step] : llvm::enumerate(steps))
    for (int64_t bit = 0; step >> bit; ++bit)
      if (step >> bit & 1)
        masks[bit - static_cast<int64_t>(i)] |= int64_t(1) << i;
  PlaceOffset sum;
  for (auto [distance, mask] : masks) {
    Value part = arith::AndIOp::create(p.b, p.loc, number, p.constantI32(mask));
    int64_t bits = distance >= 0 ? mask << distance : mask >> -distance;
    if (distance > 0)
      part = arith::ShLIOp::create(p.b, p.loc, part, p.constantI32(distance));
    else if (distance < 0)
      part = arith::ShRUIOp::create(p.b, p.loc, part, p.constantI32(-distance));
    if (!sum.value)
      sum.value = part;
    else if (sum.bits & bits)
      sum.value = arith::XOrIOp::create(p.b, p.loc, sum.value, part);
    else
      sum.value = arith::OrIOp::create(p.b, p.loc, sum.value, part);
    sum.bits |= bits;
  }
  return sum;
}

PlaceOffset LaneProgram::getPlaceOffset(ArrayRef<int64_t> laneSteps,
                                        ArrayRef<int64_t> waveSteps) {
  PlaceOffset lanes, waves;
  if (llvm::any_of(laneSteps, [](int64_t s) { return s != 0; }))
    lanes = scatterBits(*this, getLane(), laneSteps);
  if (llvm::any_of(waveSteps, [](int64_t s) { return s != 0; }))
    waves = scatterBits(*this, getWave(), waveSteps);
  if (!waves.value)
    return lanes;
  if (!lanes.value)
    return waves;
  PlaceOffset sum;
  sum.bits = lanes.bits | waves.bits;
  sum.value =
      lanes.bits & waves.bits
          ? Value(arith::XOrIOp::create(b, loc, lanes.value, waves.value))
          : Value(arith::OrIOp::create(b, loc, lanes.value, waves.value));
  return sum;
}

Value LaneProgram::addConstant(PlaceOffset place, int64_t constant) {
  if (!place.value)
    return constantI32(constant);
  // The part that no lane sets can be added, and then folds into the address of
  // an access; the rest is an XOR.
  Value value = place.value;
  if (int64_t crossed = constant & place.bits)
    value = arith::XOrIOp::create(b, loc, value, constantI32(crossed));
  if (int64_t added = constant & ~place.bits)
    value = arith::AddIOp::create(b, loc, value, constantI32(added),
                                  arith::IntegerOverflowFlags::nsw |
                                      arith::IntegerOverflowFlags::nuw);
  return value;
}

Value LaneProgram::getLdsPointer(Value bytes, int64_t base) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
  Value address = lds;
  if (base != 0)
    address = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), address,
                                  ArrayRef<LLVM::GEPArg>{int32_t(base)});
  return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

void LaneProgram::barrier() {
  gpu::BarrierOp::create(b, loc);
  ldsWritten.clear();
  ldsRead.clear();
  ldsUnknown = false;
}

static bool overlaps(ArrayRef<std::pair<int64_t, int64_t>> ranges,
                     int64_t offset, int64_t bytes) {
  return llvm::any_of(ranges, [&](std::pair<int64_t, int64_t> range) {
    return offset < range.second && range.first < offset + bytes;
  });
}

void LaneProgram::beforeLdsWrite(int64_t offset, int64_t bytes) {
  if (ldsUnknown || overlaps(ldsRead, offset, bytes) ||
      overlaps(ldsWritten, offset, bytes))
    barrier();
  ldsWritten.push_back({offset, offset + bytes});
}

void LaneProgram::beforeLdsRead(int64_t offset, int64_t bytes) {
  if (ldsUnknown || overlaps(ldsWritten, offset, bytes))
    barrier();
  ldsRead.push_back({offset, offset + bytes});
}

Value LaneProgram::getOwner(const LinearLayout &layout) {
  Value owner;
  auto require = [&](Value number, int64_t mask) {
    if (mask == 0)
      return;
    Value bits = arith::AndIOp::create(b, loc, number, constantI32(mask));
    Value zero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits,
                                       constantI32(0));
    owner = owner ? Value(arith::AndIOp::create(b, loc, owner, zero)) : zero;
  };
  if (int64_t mask = layout.duplicateLaneMask())
    require(getLane(), mask);
  if (int64_t mask = layout.duplicateWaveMask())
    require(getWave(), mask);
  return owner;
}
