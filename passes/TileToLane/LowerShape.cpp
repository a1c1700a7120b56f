//===- LowerShape.cpp - Elementwise ops and ops that move registers -------===//

#include "passes/TileToLane/LaneProgram.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

static LogicalResult lowerConstant(LaneProgram &p, arith::ConstantOp op) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!splat)
    return op.emitOpError("expected one value for all elements");
  VectorType type = p.getFragmentType(op.getType());
  Value fragment = arith::ConstantOp::create(
      p.b, p.loc,
      DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
  p.define(op.getResult(),
           Fragments(p.getNumFragments(op.getType()), fragment));
  return success();
}

LogicalResult octavo::lowerElementwise(LaneProgram &p, Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(p, constant);
  SmallVector<Fragments> results(op->getNumResults());
  int64_t count = p.getNumFragments(op->getResult(0).getType());
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(p.getFragmentType(type));
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? p.getFragments(operand)[i]
                             : p.getScalar(operand));
    OperationState state(p.loc, op->getName(), operands, types,
                         llvm::to_vector(op->getDiscardableAttrs()));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *lowered = p.b.create(state);
    for (auto [list, result] : llvm::zip(results, lowered->getResults()))
      list.push_back(result);
  }
  for (auto [list, result] : llvm::zip(results, op->getResults()))
    p.define(result, std::move(list));
  return success();
}

static LogicalResult lowerSplat(LaneProgram &p, tile::SplatOp op) {
  Value fragment = vector::BroadcastOp::create(
      p.b, p.loc, p.getFragmentType(op.getType()), p.getScalar(op.getSource()));
  p.define(op.getResult(),
           Fragments(p.getNumFragments(op.getType()), fragment));
  return success();
}

static LogicalResult lowerRange(LaneProgram &p, tile::RangeOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  auto steps = [](const TileBases &bases) {
    SmallVector<int64_t> out;
    for (const TileIndex &basis : bases)
      out.push_back(basis[0]);
    return out;
  };
  PlaceOffset place =
      p.getPlaceOffset(steps(layout.laneBases()), steps(layout.waveBases()));
  Type element = op.getType().getElementType();
  SmallVector<Value> elements;
  for (int64_t reg = 0, n = layout.numRegisters(); reg < n; ++reg) {
    Value index = p.addConstant(place, layout.registerIndex(reg)[0]);
    if (int64_t start = op.getStart())
      index = arith::AddIOp::create(p.b, p.loc, index, p.constantI32(start),
                                    arith::IntegerOverflowFlags::nsw);
    if (element != index.getType())
      index = arith::ExtSIOp::create(p.b, p.loc, element, index);
    elements.push_back(index);
  }
  p.defineElements(op.getResult(), elements);
  return success();
}

/// Every register of the result is a register of the source: the one whose part
/// of the index is `toSource` of the result's.
static LogicalResult
moveRegisters(LaneProgram &p, Operation *op, Value source, Value result,
              llvm::function_ref<TileIndex(const TileIndex &)> toSource) {
  const LinearLayout &from = layoutOf(source), &to = layoutOf(result);
  int64_t fragment = tile::getLayout(result.getType()).getFragment();
  SmallVector<int64_t> regs;
  bool same = fragment == tile::getLayout(source.getType()).getFragment();
  for (int64_t reg = 0, n = to.numRegisters(); reg < n; ++reg) {
    std::optional<int64_t> found =
        from.findRegister(toSource(to.registerIndex(reg)));
    if (!found)
      return op->emitOpError("a lane does not hold what its result needs");
    regs.push_back(*found);
    same &= *found % fragment == reg % fragment &&
            *found - *found % fragment == regs[reg - reg % fragment];
  }
  if (same) {
    // Whole fragments move.
    Fragments fragments;
    for (size_t reg = 0; reg < regs.size(); reg += fragment)
      fragments.push_back(p.getFragments(source)[regs[reg] / fragment]);
    p.define(result, std::move(fragments));
    return success();
  }
  SmallVector<Value> elements;
  for (int64_t reg : regs)
    elements.push_back(p.getElement(source, reg));
  p.defineElements(result, elements);
  return success();
}

static LogicalResult lowerBroadcast(LaneProgram &p, tile::BroadcastOp op) {
  ArrayRef<int64_t> from = op.getSource().getType().getShape();
  return moveRegisters(p, op, op.getSource(), op.getResult(),
                       [&](const TileIndex &index) {
                         TileIndex source = index;
                         for (auto [i, n] : llvm::zip_equal(source, from))
                           i = n == 1 ? 0 : i;
                         return source;
                       });
}

static LogicalResult lowerTrans(LaneProgram &p, tile::TransOp op) {
  return moveRegisters(p, op, op.getSource(), op.getResult(),
                       [&](const TileIndex &index) {
                         TileIndex source(index.size(), 0);
                         for (auto [i, d] : llvm::enumerate(op.getOrder()))
                           source[d] = index[i];
                         return source;
                       });
}

static LogicalResult lowerReshape(LaneProgram &p, tile::ReshapeOp op) {
  return moveRegisters(
      p, op, op.getSource(), op.getResult(), [&](const TileIndex &index) {
        return delinearize(linearize(index, op.getType().getShape()),
                           op.getSource().getType().getShape());
      });
}

/// Element [..., 0] is of the left, [..., 1] of the right operand. Where a lane
/// bit decides, it selects.
static LogicalResult lowerJoin(LaneProgram &p, tile::JoinOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  const LinearLayout &part = layoutOf(op.getLhs());
  auto lastStep = [](const TileBases &bases) {
    SmallVector<int64_t> steps;
    for (const TileIndex &basis : bases)
      steps.push_back(basis.back());
    return steps;
  };
  PlaceOffset place = p.getPlaceOffset(lastStep(layout.laneBases()),
                                       lastStep(layout.waveBases()));
  SmallVector<Value> elements;
  for (int64_t reg = 0, n = layout.numRegisters(); reg < n; ++reg) {
    TileIndex index = layout.registerIndex(reg);
    int64_t side = index.pop_back_val();
    std::optional<int64_t> found = part.findRegister(index);
    if (!found)
      return op.emitOpError("a lane does not hold what its result needs");
    Value left = p.getElement(op.getLhs(), *found);
    Value right = p.getElement(op.getRhs(), *found);
    if (!place.value) {
      elements.push_back(side ? right : left);
      continue;
    }
    Value isRight =
        arith::CmpIOp::create(p.b, p.loc, arith::CmpIPredicate::ne,
                              p.addConstant(place, side), p.constantI32(0));
    elements.push_back(
        arith::SelectOp::create(p.b, p.loc, isRight, right, left));
  }
  p.defineElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerSplit(LaneProgram &p, tile::SplitOp op) {
  for (auto [side, result] : llvm::enumerate(op.getResults()))
    if (failed(moveRegisters(p, op, op.getSource(), result,
                             [&, side = side](const TileIndex &index) {
                               TileIndex source = index;
                               source.push_back(side);
                               return source;
                             })))
      return failure();
  return success();
}

/// A register of the result is one of the left or of the right operand.
static LogicalResult lowerCat(LaneProgram &p, tile::CatOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  int64_t border = op.getLhs().getType().getDimSize(op.getAxis());
  SmallVector<Value> elements;
  for (int64_t reg = 0, n = layout.numRegisters(); reg < n; ++reg) {
    TileIndex index = layout.registerIndex(reg);
    Value source = op.getLhs();
    if (index[op.getAxis()] >= border) {
      index[op.getAxis()] -= border;
      source = op.getRhs();
    }
    std::optional<int64_t> found = layoutOf(source).findRegister(index);
    if (!found)
      return op.emitOpError("a lane does not hold what its result needs");
    elements.push_back(p.getElement(source, *found));
  }
  p.defineElements(op.getResult(), elements);
  return success();
}

LogicalResult octavo::lowerShape(LaneProgram &p, Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::SplatOp splat) { return lowerSplat(p, splat); })
      .Case([&](tile::RangeOp range) { return lowerRange(p, range); })
      .Case([&](tile::ExpandDimsOp expand) {
        return moveRegisters(p, op, expand.getSource(), expand.getResult(),
                             [&](const TileIndex &index) {
                               TileIndex source = index;
                               source.erase(source.begin() + expand.getAxis());
                               return source;
                             });
      })
      .Case([&](tile::BroadcastOp broadcast) {
        return lowerBroadcast(p, broadcast);
      })
      .Case([&](tile::TransOp trans) { return lowerTrans(p, trans); })
      .Case([&](tile::ReshapeOp reshape) { return lowerReshape(p, reshape); })
      .Case([&](tile::CatOp cat) { return lowerCat(p, cat); })
      .Case([&](tile::JoinOp join) { return lowerJoin(p, join); })
      .Case([&](tile::SplitOp split) { return lowerSplit(p, split); })
      .Case([&](tile::ToScalarOp scalar) {
        Value element = p.getElement(scalar.getSource(), 0);
        p.scalars.map(scalar.getResult(),
                      ROCDL::ReadfirstlaneOp::create(
                          p.b, p.loc, element.getType(), element));
        return success();
      })
      .Default([&](Operation *) {
        return op->emitOpError("has no lowering to one lane's program");
      });
}
