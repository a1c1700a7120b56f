//===- LowerMemory.cpp - Accesses to global memory ------------------------===//
//
// A view of at most 2 GiB is a buffer resource: offsets are 32-bit bytes, what
// lies behind the end reads 0 and is not written, so a masked lane just gets an
// offset behind the end. A larger view is accessed by 64-bit addresses, masked
// lanes by a branch (writing) or at the base (reading).
//
//===----------------------------------------------------------------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "passes/Tile/MemoryLayout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

/// Behind the end of every buffer resource.
static constexpr int64_t kOutside = int64_t(1) << 31;

namespace {
/// The accesses of one op, `width` registers at a time.
class Access {
public:
  Access(LaneProgram &p, Operation *op, Value view, Value base = {})
      : p(p), access(*getMemoryAccess(op)), view(view),
        base(base ? p.getScalar(base) : Value()),
        layout(layoutOf(access.offsets)),
        width(getAccessWidth(access, layout, p.axes)),
        bytes(access.view.getElementBytes()),
        isWide(!p.resources.lookup(view)) {}

  VectorType getPieceType() {
    return VectorType::get({width}, access.view.getElementType());
  }

  /// The mask of the registers from `reg` on and of `also`; null if all.
  Value getMask(int64_t reg, Value also = {}) {
    Value mask = access.mask ? p.getElement(access.mask, reg) : Value();
    if (!mask || !also)
      return mask ? mask : also;
    return arith::AndIOp::create(p.b, p.loc, mask, also);
  }

  /// Byte offset in the buffer resource.
  Value getOffset(int64_t reg, Value mask) {
    Value offset = p.getElement(access.offsets, reg);
    if (!offset.getType().isInteger(32))
      offset = arith::TruncIOp::create(p.b, p.loc, p.b.getI32Type(), offset);
    if (bytes != 1)
      offset = arith::MulIOp::create(p.b, p.loc, offset, p.constantI32(bytes));
    if (mask)
      offset = arith::SelectOp::create(p.b, p.loc, mask, offset,
                                       p.constantI32(kOutside));
    return offset;
  }

  /// Bytes that all lanes add.
  Value getUniformOffset() {
    if (!base)
      return p.constantI32(0);
    return bytes == 1 ? base
                      : Value(arith::MulIOp::create(p.b, p.loc, base,
                                                    p.constantI32(bytes)));
  }

  /// Element offset in 64 bits.
  Value getWideOffset(int64_t reg) {
    Type i64 = p.b.getI64Type();
    Value offset = p.getElement(access.offsets, reg);
    if (offset.getType() != i64)
      offset = arith::ExtSIOp::create(p.b, p.loc, i64, offset);
    if (base)
      offset = arith::AddIOp::create(
          p.b, p.loc, offset, arith::ExtUIOp::create(p.b, p.loc, i64, base));
    return offset;
  }

  /// `mask` and inside of the view: without a buffer resource nobody else
  /// checks.
  Value getWideMask(int64_t reg, Value mask) {
    std::optional<int64_t> extent = access.view.getExtent();
    if (!isWide || !extent)
      return mask;
    Value inside = arith::CmpIOp::create(
        p.b, p.loc, arith::CmpIPredicate::ult, getWideOffset(reg),
        arith::ConstantOp::create(p.b, p.loc, p.b.getI64IntegerAttr(*extent)));
    return mask ? Value(arith::AndIOp::create(p.b, p.loc, mask, inside))
                : inside;
  }

  /// 64-bit address; masked lanes get the base.
  Value getAddress(int64_t reg, Value mask) {
    Value offset = getWideOffset(reg);
    Value size =
        arith::ConstantOp::create(p.b, p.loc, p.b.getI64IntegerAttr(bytes));
    offset = arith::MulIOp::create(p.b, p.loc, offset, size);
    if (mask)
      offset = arith::SelectOp::create(
          p.b, p.loc, mask, offset,
          arith::ConstantOp::create(p.b, p.loc, p.b.getI64IntegerAttr(0)));
    Value start = p.getScalar(view);
    return LLVM::GEPOp::create(p.b, p.loc, start.getType(), p.b.getI8Type(),
                               start, ArrayRef<LLVM::GEPArg>{offset});
  }

  Value load(int64_t reg, Value mask) {
    Type packed = getPackedType(getPieceType());
    Value bits;
    if (isWide) {
      bits = LLVM::LoadOp::create(p.b, p.loc, packed, getAddress(reg, mask),
                                  bytes);
    } else {
      Value zero = p.constantI32(0);
      bits = ROCDL::RawPtrBufferLoadOp::create(
          p.b, p.loc, packed, p.resources.lookup(view), getOffset(reg, mask),
          getUniformOffset(), zero, ArrayAttr(), ArrayAttr(), ArrayAttr());
    }
    return unpackBits(p, bits, getPieceType());
  }

  void store(Value value, int64_t reg, Value mask) {
    Value bits = packBits(p, p.getPiece(value, reg, width));
    if (!isWide) {
      Value zero = p.constantI32(0);
      ROCDL::RawPtrBufferStoreOp::create(
          p.b, p.loc, bits, p.resources.lookup(view), getOffset(reg, mask),
          getUniformOffset(), zero, ArrayAttr(), ArrayAttr(), ArrayAttr());
      return;
    }
    whereTrue(mask, [&] {
      LLVM::StoreOp::create(p.b, p.loc, bits, getAddress(reg, {}), bytes);
    });
  }

  /// Emits `body` under a branch, if there is a mask.
  void whereTrue(Value mask, llvm::function_ref<void()> body) {
    if (!mask)
      return body();
    auto branch = scf::IfOp::create(p.b, p.loc, mask);
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  LaneProgram &p;
  MemoryAccess access;
  Value view, base;
  const LinearLayout &layout;
  int64_t width, bytes;
  bool isWide;
};
} // namespace

static LogicalResult lowerGather(LaneProgram &p, tile::GatherOp op) {
  Access access(p, op, op.getView(), op.getBase());
  VectorType type = access.getPieceType();
  SmallVector<Value> pieces;
  for (int64_t reg = 0, n = access.layout.numRegisters(); reg < n;
       reg += access.width) {
    Value mask = access.getWideMask(reg, access.getMask(reg));
    Value piece = access.load(reg, mask);
    if (mask && (op.getOther() || access.isWide)) {
      Value other = op.getOther() ? p.getPiece(op.getOther(), reg, access.width)
                                  : Value(arith::ConstantOp::create(
                                        p.b, p.loc, p.b.getZeroAttr(type)));
      piece = arith::SelectOp::create(p.b, p.loc, mask, piece, other);
    }
    pieces.push_back(piece);
  }
  p.definePieces(op.getResult(), pieces, access.width);
  return success();
}

static LogicalResult lowerScatter(LaneProgram &p, tile::ScatterOp op) {
  Access access(p, op, op.getView(), op.getBase());
  Value owner = p.getOwner(access.layout);
  for (int64_t reg = 0, n = access.layout.numRegisters(); reg < n;
       reg += access.width)
    access.store(op.getValue(), reg,
                 access.getWideMask(reg, access.getMask(reg, owner)));
  return success();
}

static LLVM::AtomicBinOp getAtomicKind(tile::AtomicKind kind, bool isFloat) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case tile::AtomicKind::Max:
    return isFloat ? LLVM::AtomicBinOp::fmax : LLVM::AtomicBinOp::max;
  case tile::AtomicKind::Min:
    return isFloat ? LLVM::AtomicBinOp::fmin : LLVM::AtomicBinOp::min;
  case tile::AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("all kinds are listed");
}

static LogicalResult lowerAtomic(LaneProgram &p, tile::AtomicRmwOp op) {
  Access access(p, op, op.getView());
  access.width = 1;
  Type element = op.getType().getElementType();
  if (element.getIntOrFloatBitWidth() < 16)
    return op.emitOpError("expected elements of at least 16 bits, got ")
           << element;
  LLVM::AtomicBinOp kind = getAtomicKind(op.getKind(), isa<FloatType>(element));
  Value owner = p.getOwner(access.layout);
  bool isUsed = !op.getResult().use_empty();
  if (owner && isUsed)
    return op.emitOpError("the old values of a tile that several lanes hold "
                          "are not passed on yet");
  SmallVector<Value> elements;
  for (int64_t reg = 0, n = access.layout.numRegisters(); reg < n; ++reg) {
    Value mask = access.getWideMask(reg, access.getMask(reg, owner));
    Value value = p.getElement(op.getValue(), reg);
    auto emit = [&]() -> Value {
      auto atomic = LLVM::AtomicRMWOp::create(
          p.b, p.loc, kind, access.getAddress(reg, {}), value,
          LLVM::AtomicOrdering::monotonic, "agent");
      // Without these a float addition is a loop of compare and swap.
      atomic->setDiscardableAttr("rocdl.no_fine_grained_memory",
                                 p.b.getUnitAttr());
      atomic->setDiscardableAttr("rocdl.ignore_denormal_mode",
                                 p.b.getUnitAttr());
      return atomic.getResult();
    };
    if (!mask || !isUsed) {
      access.whereTrue(mask, [&] { elements.push_back(emit()); });
      if (mask)
        elements.back() = arith::ConstantOp::create(
            p.b, p.loc, cast<TypedAttr>(p.b.getZeroAttr(element)));
      continue;
    }
    auto branch = scf::IfOp::create(p.b, p.loc, TypeRange(element), mask,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(p.b, p.loc, emit());
    p.b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(
        p.b, p.loc, cast<TypedAttr>(p.b.getZeroAttr(element)));
    scf::YieldOp::create(p.b, p.loc, zero);
    elements.push_back(branch.getResult(0));
  }
  p.defineElements(op.getResult(), elements);
  return success();
}

LogicalResult octavo::lowerMemory(LaneProgram &p, Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::GatherOp gather) { return lowerGather(p, gather); })
      .Case([&](tile::ScatterOp scatter) { return lowerScatter(p, scatter); })
      .Case([&](tile::AtomicRmwOp atomic) { return lowerAtomic(p, atomic); })
      .Default([&](Operation *) {
        return op->emitOpError("has no lowering to one lane's program");
      });
}
