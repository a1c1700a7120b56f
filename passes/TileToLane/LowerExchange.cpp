//===- LowerExchange.cpp - Tiles that pass from lane to lane --------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "passes/Tile/Exchange.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace octavo;

/// Steps, in bytes, of the lane's and wave's bits of a tile in LDS.
static PlaceOffset getLdsPlace(LaneProgram &p, const LinearLayout &layout,
                               const LdsMap &map, int64_t bytes) {
  auto steps = [&](const TileBases &bases) {
    SmallVector<int64_t> out;
    for (const TileIndex &basis : bases)
      out.push_back(map.positionOf(basis) * bytes);
    return out;
  };
  return p.getPlaceOffset(steps(layout.laneBases()), steps(layout.waveBases()));
}

/// Registers that move with one instruction.
static int64_t getVectorWidth(const LinearLayout &layout, const LdsMap &map,
                              int64_t bytes) {
  return std::min<int64_t>(map.contiguous(layout), 16 / bytes);
}

Type octavo::getPackedType(VectorType type) {
  OpBuilder b(type.getContext());
  int64_t bytes = type.getNumElements() * getLdsElementBytes(type);
  if (bytes <= 2)
    return b.getIntegerType(bytes * 8);
  if (bytes == 4)
    return b.getI32Type();
  return VectorType::get({bytes / 4}, b.getI32Type());
}

/// i1 and index are kept as integers of whole bytes.
static VectorType getStoredType(VectorType type) {
  OpBuilder b(type.getContext());
  Type element = type.getElementType();
  if (element.isInteger(1))
    return type.cloneWith(std::nullopt, b.getI8Type());
  if (element.isIndex())
    return type.cloneWith(std::nullopt, b.getI64Type());
  return type;
}

Value octavo::packBits(LaneProgram &p, Value piece) {
  auto vector = cast<VectorType>(piece.getType());
  VectorType stored = getStoredType(vector);
  if (vector.getElementType().isInteger(1))
    piece = arith::ExtUIOp::create(p.b, p.loc, stored, piece);
  else if (vector.getElementType().isIndex())
    piece = arith::IndexCastOp::create(p.b, p.loc, stored, piece);
  Type type = getPackedType(vector);
  auto target = dyn_cast<VectorType>(type);
  auto single = target ? target : VectorType::get({1}, type);
  Value bits = vector::BitCastOp::create(p.b, p.loc, single, piece);
  return target ? bits : Value(vector::ExtractOp::create(p.b, p.loc, bits, 0));
}

Value octavo::unpackBits(LaneProgram &p, Value bits, VectorType type) {
  if (!isa<VectorType>(bits.getType()))
    bits = vector::BroadcastOp::create(
        p.b, p.loc, VectorType::get({1}, bits.getType()), bits);
  VectorType stored = getStoredType(type);
  Value piece = vector::BitCastOp::create(p.b, p.loc, stored, bits);
  if (type.getElementType().isInteger(1))
    return arith::TruncIOp::create(p.b, p.loc, type, piece);
  if (type.getElementType().isIndex())
    return arith::IndexCastOp::create(p.b, p.loc, type, piece);
  return piece;
}

Value octavo::getLdsOffset(LaneProgram &p, const LinearLayout &layout,
                           const LdsMap &map, int64_t reg, int64_t bytes) {
  return p.addConstant(getLdsPlace(p, layout, map, bytes),
                       map.positionOf(layout.registerIndex(reg)) * bytes);
}

void octavo::storeLds(LaneProgram &p, Value value, Value offset, int64_t base) {
  Value bits = packBits(
      p, vector::BroadcastOp::create(
             p.b, p.loc, VectorType::get({1}, value.getType()), value));
  LLVM::StoreOp::create(p.b, p.loc, bits, p.getLdsPointer(offset, base),
                        getLdsElementBytes(value.getType()));
}

Value octavo::loadLds(LaneProgram &p, Type type, Value offset, int64_t base) {
  auto vector = VectorType::get({1}, type);
  Value bits = LLVM::LoadOp::create(p.b, p.loc, getPackedType(vector),
                                    p.getLdsPointer(offset, base),
                                    getLdsElementBytes(type));
  return vector::ExtractOp::create(p.b, p.loc, unpackBits(p, bits, vector), 0);
}

void octavo::writeLds(LaneProgram &p, Value tile, const LdsMap &map,
                      int64_t base) {
  const LinearLayout &layout = layoutOf(tile);
  int64_t bytes = getLdsElementBytes(tile.getType());
  int64_t width = getVectorWidth(layout, map, bytes);
  PlaceOffset place = getLdsPlace(p, layout, map, bytes);
  for (int64_t reg = 0, n = layout.numRegisters(); reg < n; reg += width) {
    Value offset =
        p.addConstant(place, map.positionOf(layout.registerIndex(reg)) * bytes);
    Value bits = packBits(p, p.getPiece(tile, reg, width));
    LLVM::StoreOp::create(p.b, p.loc, bits, p.getLdsPointer(offset, base),
                          width * bytes);
  }
}

void octavo::readLds(LaneProgram &p, Value tile, const LdsMap &map,
                     int64_t base) {
  const LinearLayout &layout = layoutOf(tile);
  int64_t bytes = getLdsElementBytes(tile.getType());
  int64_t width = getVectorWidth(layout, map, bytes);
  PlaceOffset place = getLdsPlace(p, layout, map, bytes);
  auto pieceType = VectorType::get(
      {width}, cast<RankedTensorType>(tile.getType()).getElementType());
  SmallVector<Value> pieces;
  for (int64_t reg = 0, n = layout.numRegisters(); reg < n; reg += width) {
    Value offset =
        p.addConstant(place, map.positionOf(layout.registerIndex(reg)) * bytes);
    Value bits =
        LLVM::LoadOp::create(p.b, p.loc, getPackedType(pieceType),
                             p.getLdsPointer(offset, base), width * bytes);
    pieces.push_back(unpackBits(p, bits, pieceType));
  }
  p.definePieces(tile, pieces, width);
}

static LogicalResult lowerInRegisters(LaneProgram &p,
                                      tile::ConvertLayoutOp op) {
  const LinearLayout &from = layoutOf(op.getSource());
  const LinearLayout &to = layoutOf(op.getResult());
  SmallVector<Value> elements;
  for (int64_t reg = 0, n = to.numRegisters(); reg < n; ++reg) {
    std::optional<int64_t> found = from.findRegister(to.registerIndex(reg));
    if (!found)
      return op.emitOpError("a lane does not hold what its result needs");
    elements.push_back(p.getElement(op.getSource(), *found));
  }
  p.defineElements(op.getResult(), elements);
  return success();
}

LogicalResult octavo::lowerConversion(LaneProgram &p,
                                      tile::ConvertLayoutOp op) {
  if (p.isDefined(op.getResult()))
    return success();
  if (getLdsBytes(op) == 0)
    return lowerInRegisters(p, op);
  SmallVector<tile::ConvertLayoutOp> group = collectExchange(op, p.target);
  llvm::erase_if(group, [&](tile::ConvertLayoutOp member) {
    return p.isDefined(member.getResult());
  });
  SmallVector<LdsMap, 0> maps;
  for (tile::ConvertLayoutOp member : group) {
    if (!member.getLdsOffset())
      return member.emitOpError("expected LDS bytes from tile-place-lds");
    maps.push_back(getConversionMap(member, p.target));
    p.beforeLdsWrite(*member.getLdsOffset(), getLdsBytes(member));
    writeLds(p, member.getSource(), maps.back(), *member.getLdsOffset());
  }
  for (auto [member, map] : llvm::zip(group, maps)) {
    p.beforeLdsRead(*member.getLdsOffset(), getLdsBytes(member));
    readLds(p, member.getResult(), map, *member.getLdsOffset());
  }
  return success();
}

/// 32-bit words of a scalar of any type, exchanged one by one.
static Value mapWords(LaneProgram &p, Value value,
                      llvm::function_ref<Value(Value)> exchange) {
  Type type = value.getType();
  if (type.isIndex()) {
    value = arith::IndexCastOp::create(p.b, p.loc, p.b.getI64Type(), value);
    return arith::IndexCastOp::create(p.b, p.loc, type,
                                      mapWords(p, value, exchange));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 64) {
    auto words = VectorType::get({2}, p.b.getI32Type());
    Value vector = vector::BitCastOp::create(
        p.b, p.loc, words,
        vector::BroadcastOp::create(p.b, p.loc, VectorType::get({1}, type),
                                    value));
    SmallVector<Value> moved;
    for (int64_t i = 0; i < 2; ++i)
      moved.push_back(
          exchange(vector::ExtractOp::create(p.b, p.loc, vector, i)));
    vector = vector::FromElementsOp::create(p.b, p.loc, words, moved);
    vector = vector::BitCastOp::create(p.b, p.loc, VectorType::get({1}, type),
                                       vector);
    return vector::ExtractOp::create(p.b, p.loc, vector, 0);
  }
  Type integer = p.b.getIntegerType(bits);
  Value word =
      type == integer
          ? value
          : Value(arith::BitcastOp::create(p.b, p.loc, integer, value));
  if (bits < 32)
    word = arith::ExtUIOp::create(p.b, p.loc, p.b.getI32Type(), word);
  word = exchange(word);
  if (bits < 32)
    word = arith::TruncIOp::create(p.b, p.loc, integer, word);
  return type == integer
             ? word
             : Value(arith::BitcastOp::create(p.b, p.loc, type, word));
}

/// Moves words by a data-parallel primitive, which costs no LDS instruction.
static Value moveByDpp(LaneProgram &p, Value word, uint32_t control) {
  Value old = LLVM::PoisonOp::create(p.b, p.loc, word.getType());
  return ROCDL::DPPUpdateOp::create(p.b, p.loc, word.getType(), old, word,
                                    control, 0xf, 0xf, true);
}

/// Controls of LLVM's update.dpp.
enum DppControl : uint32_t {
  kQuadXor1 = 0xb1, // quad_perm [1, 0, 3, 2]
  kQuadXor2 = 0x4e, // quad_perm [2, 3, 0, 1]
  kQuadXor3 = 0x1b, // quad_perm [3, 2, 1, 0]
  kRowRotate8 = 0x128,
  kRowHalfMirror = 0x141,
};

Value octavo::shuffleXor(LaneProgram &p, Value value, unsigned bit) {
  return mapWords(p, value, [&](Value word) -> Value {
    switch (bit) {
    case 0:
      return moveByDpp(p, word, kQuadXor1);
    case 1:
      return moveByDpp(p, word, kQuadXor2);
    case 2: // mirroring 8 lanes is XOR 7
      return moveByDpp(p, moveByDpp(p, word, kRowHalfMirror), kQuadXor3);
    case 3:
      return moveByDpp(p, word, kRowRotate8);
    case 4: { // ds_swizzle in bit mode: XOR mask in bits 14:10, AND mask 31
      Value pattern = p.constantI32(0x401f);
      return ROCDL::DsSwizzleOp::create(p.b, p.loc, word.getType(), word,
                                        pattern);
    }
    default: {
      Value other = arith::XOrIOp::create(p.b, p.loc, p.getLane(),
                                          p.constantI32(int64_t(1) << bit));
      Value address =
          arith::ShLIOp::create(p.b, p.loc, other, p.constantI32(2));
      return ROCDL::DsBpermuteOp::create(p.b, p.loc, word.getType(), address,
                                         word);
    }
    }
  });
}
