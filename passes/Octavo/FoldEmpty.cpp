//===- FoldEmpty.cpp - Nothing is computed of no elements -----------------===//
//
// A tensor without elements needs no kernel: what makes one becomes
// tensor.empty. What reads one and has elements itself is the rest: a sum over
// nothing is what it starts with, a product over nothing is zero.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/Structured.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace octavo {
#define GEN_PASS_DEF_FOLDEMPTY
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

static bool isEmpty(Value value) { return hasNoElements(value.getType()); }

/// `value` as `to`: equal types or two floats.
static Value convertBias(OpBuilder &b, Location loc, Value value, Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  unsigned bits = from.getIntOrFloatBitWidth();
  // Between formats of one size the way is through f32.
  if (bits == to.getIntOrFloatBitWidth()) {
    value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    bits = 32;
  }
  if (bits > to.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, to, value);
  return arith::ExtFOp::create(b, loc, to, value);
}

/// A product over no elements is its bias, or zero.
static Value foldProduct(OpBuilder &b, ScaledMatmulOp op) {
  if (op.getK() != 0)
    return {};
  auto type = cast<RankedTensorType>(op.getType());
  Structured make{b, op.getLoc(), "matmul"};
  if (!op.getBias())
    return make.fill(type.getShape(),
                     cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  // Rows past the last group have no bias.
  Type from = cast<RankedTensorType>(op.getBias().getType()).getElementType();
  Type to = type.getElementType();
  if (op.getGroups() ||
      (from != to && !(isa<FloatType>(from) && isa<FloatType>(to))))
    return {};
  auto map =
      AffineMap::get(type.getRank(), 0, b.getAffineDimExpr(type.getRank() - 1));
  return make.pointwise(op.getBias(), map, type.getShape(), to,
                        [&](OpBuilder &inner, Location loc, ValueRange v) {
                          return convertBias(inner, loc, v[0], to);
                        });
}

/// A tensor around nothing is the padding.
static Value foldPad(OpBuilder &b, tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  if (!isEmpty(op.getSource()) || !padding)
    return {};
  auto type = cast<RankedTensorType>(op.getType());
  Structured make{b, op.getLoc(), "pad"};
  return linalg::FillOp::create(
             b, op.getLoc(), padding,
             make.empty(type.getShape(), type.getElementType()))
      .getResult(0);
}

static Value foldConcat(OpBuilder &b, tensor::ConcatOp op) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (!isEmpty(input))
      inputs.push_back(input);
  if (inputs.size() == op.getInputs().size())
    return {};
  if (inputs.size() == 1)
    return inputs[0];
  return tensor::ConcatOp::create(b, op.getLoc(), op.getType(), op.getDim(),
                                  inputs);
}

/// What `op`, whose results have elements, is if it reads nothing; null for no
/// change.
static SmallVector<Value> foldReader(OpBuilder &b, Operation *op) {
  auto some = [](Value value) {
    return value ? SmallVector<Value>{value} : SmallVector<Value>();
  };
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](linalg::ReduceOp reduce) {
        return isEmpty(reduce.getInputs()[0])
                   ? llvm::to_vector_of<Value>(reduce.getInits())
                   : SmallVector<Value>();
      })
      .Case([&](ScatterReduceOp scatter) {
        return some(isEmpty(scatter.getSource()) ? scatter.getInit() : Value());
      })
      .Case([&](tensor::InsertSliceOp insert) {
        return some(isEmpty(insert.getSource()) ? insert.getDest() : Value());
      })
      .Case(
          [&](ScaledMatmulOp product) { return some(foldProduct(b, product)); })
      .Case([&](tensor::PadOp pad) { return some(foldPad(b, pad)); })
      .Case(
          [&](tensor::ConcatOp concat) { return some(foldConcat(b, concat)); })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

namespace {
struct FoldEmpty final : public octavo::impl::FoldEmptyBase<FoldEmpty> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!llvm::hasSingleElement(func.getBody()))
      return;
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
      // Eager calls have their own effects.
      if (isa<CallOp, tensor::EmptyOp>(op) || op.getNumResults() == 0)
        continue;
      OpBuilder b(&op);
      SmallVector<Value> found = foldReader(b, &op);
      for (auto [i, result] : llvm::enumerate(op.getResults())) {
        Value replacement = found.empty() ? Value() : found[i];
        if (isEmpty(result)) {
          auto type = cast<RankedTensorType>(result.getType());
          replacement = tensor::EmptyOp::create(b, op.getLoc(), type.getShape(),
                                                type.getElementType());
        }
        if (replacement)
          result.replaceAllUsesWith(replacement);
      }
      if (isOpTriviallyDead(&op))
        op.erase();
    }
  }
};
} // namespace
