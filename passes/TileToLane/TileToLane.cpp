//===- TileToLane.cpp - Every kernel becomes the program of a lane --------===//

#include "passes/Tile/LayoutRules.h"
#include "passes/TileToLane/LaneProgram.h"
#include "passes/TileToLane/Passes.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace octavo {
#define GEN_PASS_DEF_TILETOLANE
#include "passes/TileToLane/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// Largest view that a buffer resource describes.
static constexpr int64_t kMaxBufferBytes = int64_t(1) << 31;

/// Flags of a raw buffer resource: bounds are checked, no swizzle.
static constexpr int64_t kBufferFlags = 0x27000;

static Value getWorkgroupId(LaneProgram &p, int64_t dimension) {
  Type i32 = p.b.getI32Type();
  switch (dimension) {
  case 0:
    return ROCDL::BlockIdXOp::create(p.b, p.loc, i32);
  case 1:
    return ROCDL::BlockIdYOp::create(p.b, p.loc, i32);
  default:
    return ROCDL::BlockIdZOp::create(p.b, p.loc, i32);
  }
}

static bool hasTiles(Operation &op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op.getOperandTypes(), isTile) ||
         llvm::any_of(op.getResultTypes(), isTile);
}

static LogicalResult lowerOp(LaneProgram &p, Operation &op) {
  if (isa<scf::SCFDialect>(op.getDialect()))
    return lowerControlFlow(p, &op);
  if (auto id = dyn_cast<tile::WorkgroupIdOp>(op)) {
    p.scalars.map(id.getResult(), getWorkgroupId(p, id.getDimension()));
    return success();
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return lowerReduce(p, reduce);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return lowerScan(p, scan);
  if (auto convert = dyn_cast<tile::ConvertLayoutOp>(op))
    return lowerConversion(p, convert);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return lowerDot(p, dot);
  if (auto dot = dyn_cast<tile::DotScaledOp>(op))
    return lowerDot(p, dot);
  if (isa<tile::GatherOp, tile::ScatterOp, tile::AtomicRmwOp>(op))
    return lowerMemory(p, &op);
  if (isa<tile::TileDialect>(op.getDialect()))
    return lowerShape(p, &op);
  if (!hasTiles(op)) {
    p.b.clone(op, p.scalars);
    return success();
  }
  if (isElementwise(&op))
    return lowerElementwise(p, &op);
  return op.emitOpError("has no lowering to one lane's program");
}

LogicalResult LaneProgram::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(lowerOp(*this, op)))
      return failure();
  }
  return success();
}

/// The buffer resource of a view, or null if it is too large for one.
static Value makeResource(LaneProgram &p, tile::ViewType view, Value base) {
  int64_t bytes = kMaxBufferBytes;
  if (std::optional<int64_t> extent = view.getExtent())
    bytes = *extent * view.getElementBytes();
  if (bytes > kMaxBufferBytes)
    return {};
  auto type = LLVM::LLVMPointerType::get(p.b.getContext(), 8);
  Value stride =
      arith::ConstantOp::create(p.b, p.loc, p.b.getI16IntegerAttr(0));
  Value records =
      arith::ConstantOp::create(p.b, p.loc, p.b.getI64IntegerAttr(bytes));
  return ROCDL::MakeBufferRsrcOp::create(p.b, p.loc, type, base, stride,
                                         records, p.constantI32(kBufferFlags));
}

static bool isWritten(Value view) {
  return llvm::any_of(view.getUsers(), [](Operation *user) {
    return isa<tile::ScatterOp, tile::StoreOp, tile::AtomicRmwOp>(user);
  });
}

namespace {
struct TileToLane final : public octavo::impl::TileToLaneBase<TileToLane> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tile::FuncOp> functions(module.getOps<tile::FuncOp>());
    if (functions.empty())
      return;
    const TargetInfo *target = getTargetOrError(functions.front());
    if (!target)
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels =
        gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    for (tile::FuncOp function : functions) {
      builder.setInsertionPointToEnd(kernels.getBody());
      if (failed(lower(builder, function, *target)))
        return signalPassFailure();
      function.erase();
    }
  }

private:
  LogicalResult lower(OpBuilder &b, tile::FuncOp function,
                      const TargetInfo &target);
  gpu::GPUFuncOp makeKernel(OpBuilder &b, tile::FuncOp function,
                            const TargetInfo &target);
};
} // namespace

gpu::GPUFuncOp TileToLane::makeKernel(OpBuilder &b, tile::FuncOp function,
                                      const TargetInfo &target) {
  SmallVector<Type> types;
  for (Type type : function.getArgumentTypes())
    types.push_back(isa<tile::ViewType>(type)
                        ? LLVM::LLVMPointerType::get(b.getContext(), 1)
                        : type);
  auto kernel = gpu::GPUFuncOp::create(b, function.getLoc(), function.getName(),
                                       b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  int32_t lanes = function.getWaves() * target.waveSize;
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({lanes, 1, 1}));
  for (NamedAttribute attr : function->getDiscardableAttrs())
    kernel->setDiscardableAttr(attr.getName(), attr.getValue());
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (!isa<tile::ViewType>(argument.getType()))
      continue;
    // What is written in place aliases, and changes what is only read.
    if (function.getArgAttr(i, "tile.shared"))
      continue;
    kernel.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    if (!isWritten(argument))
      kernel.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
  }
  return kernel;
}

LogicalResult TileToLane::lower(OpBuilder &b, tile::FuncOp function,
                                const TargetInfo &target) {
  auto bytes = function->getAttrOfType<IntegerAttr>("tile.lds_bytes");
  if (!bytes)
    return function.emitOpError("expected LDS bytes from tile-place-lds");
  std::string ldsName = (function.getName() + "_lds").str();
  if (bytes.getInt() > 0)
    LLVM::GlobalOp::create(
        b, function.getLoc(),
        LLVM::LLVMArrayType::get(b.getI8Type(), bytes.getInt()),
        /*isConstant=*/false, LLVM::Linkage::Internal, ldsName, Attribute(),
        /*alignment=*/1024, /*addrSpace=*/3);
  gpu::GPUFuncOp kernel = makeKernel(b, function, target);
  b.setInsertionPointToStart(&kernel.getBody().front());
  LaneProgram p(b, function, target);
  p.loc = function.getLoc();
  p.workitem = ROCDL::ThreadIdXOp::create(b, p.loc, b.getI32Type());
  if (bytes.getInt() > 0)
    p.lds = LLVM::AddressOfOp::create(
        b, p.loc, LLVM::LLVMPointerType::get(b.getContext(), 3), ldsName);
  for (auto [from, to] :
       llvm::zip(function.getArguments(), kernel.getArguments())) {
    p.scalars.map(from, Value(to));
    if (auto view = dyn_cast<tile::ViewType>(from.getType()))
      p.resources[from] = makeResource(p, view, to);
  }
  if (failed(p.lowerBlock(function.getBody().front())))
    return failure();
  gpu::ReturnOp::create(b, function.getLoc());
  return success();
}
