//===- OctavoToTile.cpp - Kernels become tile programs --------------------===//
//
// Each octavo.kernel becomes a tile.func whose arguments are views of its
// operands and results, and an octavo.launch. Kernels with several bodies
// choose theirs by the number of the workgroup. Equal programs are kept once.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/Passes.h"

#include "passes/OctavoToTile/LoopKernel.h"
#include "passes/OctavoToTile/MatmulKernel.h"
#include "passes/OctavoToTile/ProductLoop.h"
#include "passes/OctavoToTile/ScatterKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include <variant>

namespace octavo {
#define GEN_PASS_DEF_OCTAVOTOTILE
#include "passes/OctavoToTile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

namespace {
/// Emits the program of one kernel.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, const TargetInfo &target)
      : kernel(kernel), target(target), b(kernel.getContext()) {}

  /// The program at the end of `module`, or null after an error.
  tile::FuncOp run(ModuleOp module);

private:
  SmallVector<MemoryTensor> views(Block *entry, size_t first, TypeRange types,
                                  std::optional<ArrayAttr> strides);
  LogicalResult shapeBodies();
  SmallVector<Type> viewTypes();
  LogicalResult emitBodies(tile::FuncOp func);
  LogicalResult emitFrom(size_t first, size_t last, Value workgroup);

  KernelOp kernel;
  const TargetInfo &target;
  OpBuilder b;
  SmallVector<KernelBody> bodies;
  /// Sizes of each body: one of the three.
  SmallVector<std::variant<LoopShape, MatmulShape, ScatterShape>> shapes;
  int64_t waves = 1;
  /// First workgroup of each body, and their number at the end.
  SmallVector<int64_t> starts;
};
} // namespace

/// Name of the kernel's attribute with one domain per body (unit: none).
static constexpr StringLiteral kDomains = "octavo.domains";

static SmallVector<int64_t> stridesOf(std::optional<ArrayAttr> strides,
                                      size_t i, RankedTensorType type) {
  if (strides)
    return llvm::to_vector(cast<DenseI64ArrayAttr>((*strides)[i]).asArrayRef());
  return getRowMajorStrides(type.getShape());
}

SmallVector<MemoryTensor>
KernelEmitter::views(Block *entry, size_t first, TypeRange types,
                     std::optional<ArrayAttr> strides) {
  SmallVector<MemoryTensor> result;
  for (auto [i, type] : llvm::enumerate(types))
    result.push_back({entry->getArgument(first + i),
                      stridesOf(strides, i, cast<RankedTensorType>(type))});
  return result;
}

LogicalResult KernelEmitter::shapeBodies() {
  auto attributes = kernel->getAttrOfType<ArrayAttr>(kDomains);
  // What a body computes, and all of them: its share of the device.
  SmallVector<Domain> domains;
  double work = 0;
  auto workOf = [](const Domain &domain) {
    return double(domain.extentX()) * double(domain.extentR());
  };
  for (auto [i, region] : llvm::enumerate(kernel.getBodies())) {
    bool isLoop =
        !findProduct(&region.front()) && !findScatter(&region.front());
    domains.push_back(isLoop
                          ? findDomain(&region.front(),
                                       attributes ? attributes[i] : Attribute())
                          : Domain());
    work += isLoop ? workOf(domains.back()) : 0;
  }
  int64_t workgroups = 0;
  for (auto [i, region] : llvm::enumerate(kernel.getBodies())) {
    starts.push_back(workgroups);
    auto add = [&](auto shape) {
      if (!shape)
        return failure();
      workgroups += shape->workgroups;
      waves = std::max(waves, shape->plan.waves);
      shapes.push_back(std::move(*shape));
      return success();
    };
    ScaledMatmulOp product = findProduct(&region.front());
    ScatterReduceOp scatter = findScatter(&region.front());
    double share = work > 0 ? workOf(domains[i]) / work : 1;
    if (failed(product   ? add(shapeMatmul(product, target))
               : scatter ? add(shapeScatter(scatter, target))
                         : add(shapeLoops(&region.front(), domains[i], share,
                                          target))))
      return failure();
  }
  starts.push_back(workgroups);
  return success();
}

LogicalResult KernelEmitter::emitFrom(size_t first, size_t last,
                                      Value workgroup) {
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  if (last - first == 1) {
    if (starts[first] != 0)
      workgroup =
          arith::SubIOp::create(b, loc, workgroup, constant(starts[first]));
    if (auto *loops = std::get_if<LoopShape>(&shapes[first]))
      return emitLoops(b, bodies[first], *loops, workgroup);
    if (auto *scatter = std::get_if<ScatterShape>(&shapes[first]))
      return emitScatter(b, bodies[first], *scatter, workgroup);
    return emitMatmul(b, bodies[first], std::get<MatmulShape>(shapes[first]),
                      workgroup);
  }
  size_t middle = (first + last) / 2;
  Value isLower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        workgroup, constant(starts[middle]));
  auto choice = scf::IfOp::create(b, loc, isLower, /*withElseRegion=*/true);
  choice->setDiscardableAttr("tile.apart", b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  if (failed(emitFrom(first, middle, workgroup)))
    return failure();
  b.setInsertionPointToStart(choice.elseBlock());
  return emitFrom(middle, last, workgroup);
}

LogicalResult KernelEmitter::emitBodies(tile::FuncOp func) {
  Block *entry = &func.getBody().front();
  size_t inputs = kernel.getInputs().size();
  auto from = views(entry, 0, kernel.getInputs().getTypes(),
                    kernel.getOperandStrides());
  auto to = views(entry, inputs, kernel.getOutputs().getTypes(),
                  kernel.getResultStrides());
  size_t input = 0, output = 0;
  for (Region &region : kernel.getBodies()) {
    KernelBody &body = bodies.emplace_back();
    body.block = &region.front();
    for (BlockArgument argument : body.block->getArguments())
      body.memory[argument.getAsOpaquePointer()] = from[input++];
    for (size_t i = 0; i < body.block->getTerminator()->getNumOperands(); ++i)
      body.results.push_back(to[output++]);
  }
  b.setInsertionPointToStart(entry);
  Value workgroup =
      tile::WorkgroupIdOp::create(b, kernel.getLoc(), b.getI32Type(), 0);
  if (failed(emitFrom(0, bodies.size(), workgroup)))
    return failure();
  b.setInsertionPointToEnd(entry);
  tile::ReturnOp::create(b, kernel.getLoc());
  return success();
}

/// Views of operands and results as the tensors are; an operand that a product
/// reads in blocks has the dimensions of the blocks.
SmallVector<Type> KernelEmitter::viewTypes() {
  SmallVector<Type> types;
  auto add = [&](Type type, std::optional<ArrayAttr> strides, size_t i) {
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(tile::ViewType::get(tensor.getShape(),
                                        tensor.getElementType(),
                                        stridesOf(strides, i, tensor)));
  };
  for (auto [i, type] : llvm::enumerate(kernel.getInputs().getTypes()))
    add(type, kernel.getOperandStrides(), i);
  for (auto [i, type] : llvm::enumerate(kernel.getOutputs().getTypes()))
    add(type, kernel.getResultStrides(), i);
  size_t first = 0;
  for (Region &region : kernel.getBodies()) {
    std::map<void *, SmallVector<int64_t>> strides;
    for (auto [i, argument] : llvm::enumerate(region.getArguments()))
      strides[argument.getAsOpaquePointer()] =
          stridesOf(kernel.getOperandStrides(), first + i,
                    cast<RankedTensorType>(argument.getType()));
    std::map<void *, tile::ViewType> blocks;
    if (ScaledMatmulOp product = findProduct(&region.front()))
      blocks = operandViews(product, strides);
    for (auto [i, argument] : llvm::enumerate(region.getArguments()))
      if (auto it = blocks.find(argument.getAsOpaquePointer());
          it != blocks.end())
        types[first + i] = it->second;
    first += region.getNumArguments();
  }
  return types;
}

tile::FuncOp KernelEmitter::run(ModuleOp module) {
  if (failed(shapeBodies()))
    return {};
  SmallVector<Type> types = viewTypes();
  b.setInsertionPointToEnd(module.getBody());
  OperationState state(kernel.getLoc(), tile::FuncOp::getOperationName());
  state.addAttribute("sym_name", kernel.getKernelNameAttr());
  state.addAttribute("function_type",
                     TypeAttr::get(b.getFunctionType(types, {})));
  state.addAttribute("tile.waves", b.getI32IntegerAttr(waves));
  state.addAttribute("tile.grid", b.getI64ArrayAttr({starts.back(), 1, 1}));
  Block *entry = new Block;
  for (Type type : types)
    entry->addArgument(type, kernel.getLoc());
  state.addRegion()->push_back(entry);
  auto func = cast<tile::FuncOp>(b.create(state));
  if (failed(emitBodies(func))) {
    func.erase();
    return {};
  }
  return func;
}

namespace {
struct OctavoToTile final
    : public octavo::impl::OctavoToTileBase<OctavoToTile> {
  void runOnOperation() override;

  /// The name of a kept program that equals `func`, which then is erased; else
  /// that of `func`, made unique.
  StringRef keepOnce(tile::FuncOp func);

  llvm::StringMap<StringAttr> programs;
};
} // namespace

/// Arguments of the function that are written where `value` is computed.
static void findOverwritten(Value value, llvm::SetVector<Value> &arguments) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      findOverwritten(user->getResult(0), arguments);
    auto func = dyn_cast<func::FuncOp>(user->getParentOp());
    if (!func || !isa<func::ReturnOp>(user))
      continue;
    if (auto writes = func.getResultAttrOfType<IntegerAttr>(
            use.getOperandNumber(), OctavoDialect::getWritesAttrName()))
      arguments.insert(func.getArgument(writes.getInt()));
  }
}

/// Says which arguments of `program` share memory with another one: results
/// that are written in place, and the operands that lie there.
static void markShared(KernelOp kernel, tile::FuncOp program) {
  StringRef name = "tile.shared";
  auto unit = UnitAttr::get(kernel.getContext());
  size_t inputs = kernel.getInputs().size();
  for (auto [r, output] : llvm::enumerate(kernel.getOutputs())) {
    llvm::SetVector<Value> overwritten;
    findOverwritten(output, overwritten);
    for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
      Value base = input;
      while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          base.getDefiningOp()))
        base = base.getDefiningOp()->getOperand(0);
      if (!overwritten.contains(base))
        continue;
      program.setArgAttr(i, name, unit);
      program.setArgAttr(inputs + r, name, unit);
    }
  }
}

StringRef OctavoToTile::keepOnce(tile::FuncOp func) {
  StringAttr name = func.getSymNameAttr();
  func.setSymName("");
  std::string text;
  llvm::raw_string_ostream os(text);
  func->print(os, OpPrintingFlags().enableDebugInfo(false));
  auto [it, added] = programs.try_emplace(text, name);
  if (!added) {
    func.erase();
    return it->second.getValue();
  }
  func.setSymNameAttr(name);
  SymbolTable table(getOperation());
  std::string unique = name.str();
  for (unsigned i = 1; table.lookup(unique) && table.lookup(unique) != func;
       ++i)
    unique = (name.getValue() + "_" + Twine(i)).str();
  func.setSymName(unique);
  it->second = func.getSymNameAttr();
  return it->second.getValue();
}

void OctavoToTile::runOnOperation() {
  programs.clear();
  const TargetInfo *target = getTargetOrError(getOperation());
  if (!target)
    return signalPassFailure();
  SmallVector<KernelOp> kernels;
  getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  for (KernelOp kernel : kernels) {
    tile::FuncOp func = KernelEmitter(kernel, *target).run(getOperation());
    if (!func)
      return signalPassFailure();
    markShared(kernel, func);
    StringRef name = keepOnce(func);
    OpBuilder b(kernel);
    auto launch =
        LaunchOp::create(b, kernel.getLoc(), kernel.getOutputs().getTypes(),
                         name, kernel.getInputs(), ArrayAttr());
    kernel->replaceAllUsesWith(launch);
    kernel.erase();
  }
}
