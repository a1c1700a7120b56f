//===- TileInterpreter.cpp - What a kernel does, on the host --------------===//

#include "octavo/Reference/TileInterpreter.h"
#include "Frame.h"
#include "TensorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;
using namespace octavo::reference;
using llvm::Error;
using llvm::Expected;

namespace {

HostTensor emptyLike(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return HostTensor(type.getShape(), type.getElementType());
}

/// Makes a result element by element.
template <typename F> HostTensor build(Value value, F element) {
  HostTensor result = emptyLike(value);
  int64_t i = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    result.set(i++, element(index));
  });
  return result;
}

/// A view's memory and its extent, where the type gives one.
struct Memory {
  HostTensor *tensor;
  std::optional<int64_t> extent;
};

/// One workgroup.
class TileFrame : public Frame {
public:
  TileFrame(std::array<int64_t, 3> workgroup) : workgroup(workgroup) {}

  void bindView(Value value, HostTensor *memory) {
    views[value] = {memory, cast<tile::ViewType>(value.getType()).getExtent()};
  }

protected:
  Expected<bool> executeLevelOp(Operation &op) override;

private:
  std::optional<HostTensor> makeTile(Operation &op);
  Error gather(tile::GatherOp op);
  Error scatter(tile::ScatterOp op);
  Error load(tile::LoadOp op);
  Error store(tile::StoreOp op);
  Error atomic(tile::AtomicRmwOp op);
  Error reduce(Operation &op, int64_t axis);
  Error scan(tile::ScanOp op);
  HostTensor dot(Operation &op, const HostTensor *scaleA,
                 const HostTensor *scaleB);
  /// The place of `offset`, nothing behind a known extent.
  Expected<std::optional<int64_t>> place(Operation *op, Value view,
                                         int64_t offset);
  template <typename LoadOrStore>
  std::optional<int64_t> blockOffset(LoadOrStore op, ArrayRef<int64_t> index);

  std::array<int64_t, 3> workgroup;
  llvm::DenseMap<Value, Memory> views;
};

Expected<std::optional<int64_t>> TileFrame::place(Operation *op, Value view,
                                                  int64_t offset) {
  const Memory &memory = views.find(view)->second;
  if (memory.extent && (offset < 0 || offset >= *memory.extent))
    return std::nullopt;
  if (offset < 0 || offset >= memory.tensor->size())
    return errorAt(op, "accesses element " + llvm::Twine(offset) +
                           " of a buffer of " +
                           llvm::Twine(memory.tensor->size()));
  return std::optional(offset);
}

Error TileFrame::gather(tile::GatherOp op) {
  const HostTensor *offsets = lookup(op.getOffsets());
  const HostTensor *mask = op.getMask() ? lookup(op.getMask()) : nullptr;
  const HostTensor *other = op.getOther() ? lookup(op.getOther()) : nullptr;
  HostTensor *memory = views.find(op.getView())->second.tensor;
  int64_t base = op.getBase() ? lookupScalar(op.getBase())->i : 0;
  HostTensor result = emptyLike(op.getResult());
  for (int64_t i = 0; i < result.size(); ++i) {
    if (mask && !mask->get(i).i) {
      if (other)
        result.set(i, other->get(i));
      continue;
    }
    auto at = place(op, op.getView(), base + offsets->get(i).i);
    if (!at)
      return at.takeError();
    if (*at)
      result.set(i, memory->get(**at));
  }
  bind(op.getResult(), std::move(result));
  return Error::success();
}

Error TileFrame::scatter(tile::ScatterOp op) {
  const HostTensor *offsets = lookup(op.getOffsets());
  const HostTensor *mask = op.getMask() ? lookup(op.getMask()) : nullptr;
  const HostTensor *value = lookup(op.getValue());
  HostTensor *memory = views.find(op.getView())->second.tensor;
  int64_t base = op.getBase() ? lookupScalar(op.getBase())->i : 0;
  for (int64_t i = 0; i < value->size(); ++i) {
    if (mask && !mask->get(i).i)
      continue;
    auto at = place(op, op.getView(), base + offsets->get(i).i);
    if (!at)
      return at.takeError();
    if (*at)
      memory->set(**at, value->get(i));
  }
  return Error::success();
}

/// Offset of an element of a block, or nothing outside of the view.
template <typename LoadOrStore>
std::optional<int64_t> TileFrame::blockOffset(LoadOrStore op,
                                              ArrayRef<int64_t> index) {
  auto type = cast<tile::ViewType>(op.getView().getType());
  int64_t offset = 0;
  for (auto [d, i] : llvm::enumerate(index)) {
    int64_t at = i + lookupScalar(op.getOffsets()[d])->i;
    if (at < 0 || at >= type.getShape()[d])
      return std::nullopt;
    offset += at * type.getStrides()[d];
  }
  return offset;
}

Error TileFrame::load(tile::LoadOp op) {
  HostTensor result = emptyLike(op.getResult());
  Error failure = Error::success();
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> offset = blockOffset(op, index);
    if (!offset || failure)
      return;
    auto at = place(op, op.getView(), *offset);
    if (!at)
      failure = at.takeError();
    else if (*at)
      result.set(result.offset(index),
                 views.find(op.getView())->second.tensor->get(**at));
  });
  if (failure)
    return failure;
  bind(op.getResult(), std::move(result));
  return Error::success();
}

Error TileFrame::store(tile::StoreOp op) {
  const HostTensor *value = lookup(op.getValue());
  Error failure = Error::success();
  forEachIndex(value->shape, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> offset = blockOffset(op, index);
    if (!offset || failure)
      return;
    auto at = place(op, op.getView(), *offset);
    if (!at)
      failure = at.takeError();
    else if (*at)
      views.find(op.getView())
          ->second.tensor->set(**at, value->get(value->offset(index)));
  });
  return failure;
}

Scalar atomicResult(tile::AtomicKind kind, const Scalar &old,
                    const Scalar &value, Type type) {
  bool isFloat = isa<FloatType>(type);
  uint64_t a = old.i, b = value.i;
  switch (kind) {
  case tile::AtomicKind::Add:
    return {
        .f = roundToType(isFloat ? old.f + value.f : 0,
                         isFloat ? type : Float64Type::get(type.getContext())),
        .i = old.i + value.i};
  case tile::AtomicKind::Max:
    return (isFloat ? value.f > old.f : value.i > old.i) ? value : old;
  case tile::AtomicKind::Min:
    return (isFloat ? value.f < old.f : value.i < old.i) ? value : old;
  case tile::AtomicKind::UMax:
    return b > a ? value : old;
  case tile::AtomicKind::UMin:
    return b < a ? value : old;
  case tile::AtomicKind::And:
    return {.i = old.i & value.i};
  case tile::AtomicKind::Or:
    return {.i = old.i | value.i};
  case tile::AtomicKind::Xor:
    return {.i = old.i ^ value.i};
  case tile::AtomicKind::Xchg:
    return value;
  }
  return value;
}

Error TileFrame::atomic(tile::AtomicRmwOp op) {
  const HostTensor *offsets = lookup(op.getOffsets());
  const HostTensor *mask = op.getMask() ? lookup(op.getMask()) : nullptr;
  const HostTensor *value = lookup(op.getValue());
  HostTensor *memory = views.find(op.getView())->second.tensor;
  HostTensor result = emptyLike(op.getResult());
  for (int64_t i = 0; i < value->size(); ++i) {
    if (mask && !mask->get(i).i)
      continue;
    auto at = place(op, op.getView(), offsets->get(i).i);
    if (!at)
      return at.takeError();
    if (!*at)
      continue;
    Scalar old = memory->get(**at);
    result.set(i, old);
    memory->set(**at, atomicResult(op.getKind(), old, value->get(i),
                                   memory->elementType));
  }
  bind(op.getResult(), std::move(result));
  return Error::success();
}

/// Index of `outer` with `at` inserted at `axis`.
SmallVector<int64_t> insertAt(ArrayRef<int64_t> outer, int64_t axis,
                              int64_t at) {
  SmallVector<int64_t> index(outer);
  index.insert(index.begin() + axis, at);
  return index;
}

Error TileFrame::reduce(Operation &op, int64_t axis) {
  auto body = makeBody(op.getRegion(0).front());
  if (!body)
    return body.takeError();
  SmallVector<const HostTensor *> sources = tensorOperands(op);
  SmallVector<HostTensor> results;
  for (Value value : op.getResults())
    results.push_back(emptyLike(value));
  unsigned n = sources.size();
  SmallVector<Scalar> arguments(2 * n), next(n);
  Error failure = Error::success();
  forEachIndex(results[0].shape, [&](ArrayRef<int64_t> outer) {
    for (int64_t i = 0; i < sources[0]->shape[axis] && !failure; ++i) {
      SmallVector<int64_t> index = insertAt(outer, axis, i);
      for (unsigned k = 0; k < n; ++k)
        arguments[(i ? n : 0) + k] = sources[k]->get(sources[k]->offset(index));
      if (i == 0)
        continue;
      if (Error error = body->run(arguments, {}, next))
        failure = std::move(error);
      llvm::copy(next, arguments.begin());
    }
    for (unsigned k = 0; k < n; ++k)
      results[k].set(results[k].offset(outer), arguments[k]);
  });
  if (failure)
    return failure;
  for (auto [value, result] : llvm::zip(op.getResults(), results))
    bind(value, std::move(result));
  return Error::success();
}

Error TileFrame::scan(tile::ScanOp op) {
  auto body = makeBody(op.getRegion().front());
  if (!body)
    return body.takeError();
  SmallVector<const HostTensor *> sources = tensorOperands(*op);
  SmallVector<HostTensor> results;
  for (const HostTensor *source : sources)
    results.push_back(*source);
  int64_t axis = op.getAxis(), extent = sources[0]->shape[axis];
  unsigned n = sources.size();
  SmallVector<int64_t> outer(sources[0]->shape);
  outer.erase(outer.begin() + axis);
  SmallVector<Scalar> arguments(2 * n), next(n);
  Error failure = Error::success();
  forEachIndex(outer, [&](ArrayRef<int64_t> at) {
    for (int64_t step = 1; step < extent && !failure; ++step) {
      int64_t here = op.getReverse() ? extent - 1 - step : step;
      int64_t before = op.getReverse() ? here + 1 : here - 1;
      for (unsigned k = 0; k < n; ++k) {
        HostTensor &r = results[k];
        arguments[k] = r.get(r.offset(insertAt(at, axis, before)));
        arguments[n + k] = r.get(r.offset(insertAt(at, axis, here)));
      }
      if (Error error = body->run(arguments, {}, next))
        failure = std::move(error);
      for (unsigned k = 0; k < n; ++k)
        results[k].set(results[k].offset(insertAt(at, axis, here)), next[k]);
    }
  });
  if (failure)
    return failure;
  for (auto [value, result] : llvm::zip(op.getResults(), results))
    bind(value, std::move(result));
  return Error::success();
}

/// E8M0 exponents may be given as their bits.
double scaleOf(const HostTensor &scale, ArrayRef<int64_t> index) {
  Scalar value = scale.get(scale.offset(index));
  if (isa<FloatType>(scale.elementType))
    return value.f;
  uint8_t bits = static_cast<uint8_t>(value.i);
  return bits == 0xFF ? std::nan("") : std::ldexp(1.0, int(bits) - 127);
}

HostTensor TileFrame::dot(Operation &op, const HostTensor *scaleA,
                          const HostTensor *scaleB) {
  bool scaled = scaleA != nullptr;
  const HostTensor &a = *lookup(op.getOperand(0));
  const HostTensor &b = *lookup(op.getOperand(scaled ? 2 : 1));
  const HostTensor &acc = *lookup(op.getOperand(scaled ? 4 : 2));
  bool flipA = op.hasAttr("transpose_a"), flipB = op.hasAttr("transpose_b");
  int64_t extent = a.shape[flipA ? 0 : 1];
  return build(op.getResult(0), [&](ArrayRef<int64_t> index) {
    int64_t m = index[0], n = index[1];
    Scalar sum = acc.get(acc.offset(index));
    for (int64_t k = 0; k < extent; ++k) {
      Scalar x = a.get(flipA ? a.offset({k, m}) : a.offset({m, k}));
      Scalar y = b.get(flipB ? b.offset({n, k}) : b.offset({k, n}));
      double scale =
          scaled ? scaleOf(*scaleA, {m, k / 32}) * scaleOf(*scaleB, {n, k / 32})
                 : 1.0;
      sum.f += x.f * y.f * scale;
      sum.i += x.i * y.i;
    }
    return sum;
  });
}

/// Ops that make a tile of other tiles without memory.
std::optional<HostTensor> TileFrame::makeTile(Operation &op) {
  using Result = std::optional<HostTensor>;
  SmallVector<const HostTensor *> from = tensorOperands(op);
  auto reshaped = [&](auto) -> Result {
    HostTensor result = *from[0];
    result.shape = emptyLike(op.getResult(0)).shape;
    return result;
  };
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case<tile::ExpandDimsOp, tile::ReshapeOp, tile::ConvertLayoutOp>(
          reshaped)
      .Case([&](tile::RangeOp range) {
        return build(range.getResult(), [&](ArrayRef<int64_t> index) {
          return Scalar{.i = int64_t(range.getStart()) + index[0]};
        });
      })
      .Case([&](tile::SplatOp splat) {
        Scalar value = *lookupScalar(splat.getSource());
        return build(splat.getResult(),
                     [&](ArrayRef<int64_t>) { return value; });
      })
      .Case([&](tile::BroadcastOp broadcast) {
        return build(broadcast.getResult(), [&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> at(index);
          for (auto [i, extent] : llvm::zip(at, from[0]->shape))
            i = extent == 1 ? 0 : i;
          return from[0]->get(from[0]->offset(at));
        });
      })
      .Case([&](tile::TransOp trans) {
        return build(trans.getResult(), [&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> at(index.size());
          for (auto [i, d] : llvm::zip(index, trans.getOrder()))
            at[d] = i;
          return from[0]->get(from[0]->offset(at));
        });
      })
      .Case([&](tile::JoinOp join) {
        return build(join.getResult(), [&](ArrayRef<int64_t> index) {
          const HostTensor *part = from[index.back()];
          return part->get(part->offset(index.drop_back()));
        });
      })
      .Case([&](tile::CatOp cat) {
        int64_t axis = cat.getAxis();
        return build(cat.getResult(), [&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> at(index);
          bool second = at[axis] >= from[0]->shape[axis];
          at[axis] -= second ? from[0]->shape[axis] : 0;
          return from[second]->get(from[second]->offset(at));
        });
      })
      .Case([&](tile::DotOp) { return dot(op, nullptr, nullptr); })
      .Case([&](tile::DotScaledOp scaled) {
        return dot(op, lookup(scaled.getScaleA()), lookup(scaled.getScaleB()));
      })
      .Default(Result());
}

Expected<bool> TileFrame::executeLevelOp(Operation &op) {
  if (std::optional<HostTensor> tile = makeTile(op)) {
    bind(op.getResult(0), std::move(*tile));
    return true;
  }
  auto done = [](Error error) -> Expected<bool> {
    if (error)
      return std::move(error);
    return true;
  };
  return llvm::TypeSwitch<Operation *, Expected<bool>>(&op)
      .Case([&](tile::WorkgroupIdOp id) {
        bindScalar(id.getResult(), {.i = workgroup[id.getDimension()]});
        return true;
      })
      .Case([&](tile::ToScalarOp scalar) {
        bindScalar(scalar.getResult(), lookup(scalar.getSource())->get(0));
        return true;
      })
      .Case([&](tile::SplitOp split) {
        const HostTensor *source = lookup(split.getSource());
        for (int64_t side : {0, 1})
          bind(split->getResult(side),
               build(split->getResult(side), [&](ArrayRef<int64_t> index) {
                 SmallVector<int64_t> at(index);
                 at.push_back(side);
                 return source->get(source->offset(at));
               }));
        return true;
      })
      .Case([&](tile::GatherOp gatherOp) { return done(gather(gatherOp)); })
      .Case([&](tile::ScatterOp scatterOp) { return done(scatter(scatterOp)); })
      .Case([&](tile::LoadOp loadOp) { return done(load(loadOp)); })
      .Case([&](tile::StoreOp storeOp) { return done(store(storeOp)); })
      .Case([&](tile::AtomicRmwOp rmw) { return done(atomic(rmw)); })
      .Case([&](tile::ReduceOp reduction) {
        return done(reduce(op, reduction.getAxis()));
      })
      .Case([&](tile::ScanOp scanOp) { return done(scan(scanOp)); })
      .Default([](Operation *) -> Expected<bool> { return false; });
}

} // namespace

Error octavo::reference::runTile(tile::FuncOp kernel,
                                 std::array<int64_t, 3> grid,
                                 MutableArrayRef<TileArgument> arguments) {
  Block &body = kernel.getBody().front();
  if (arguments.size() != body.getNumArguments())
    return errorAt(kernel, "expected " + llvm::Twine(body.getNumArguments()) +
                               " arguments, got " +
                               llvm::Twine(arguments.size()));
  Error failure = Error::success();
  forEachIndex({grid[2], grid[1], grid[0]}, [&](ArrayRef<int64_t> id) {
    if (failure)
      return;
    TileFrame frame({id[2], id[1], id[0]});
    for (auto [value, argument] : llvm::zip(body.getArguments(), arguments)) {
      if (isa<tile::ViewType>(value.getType()))
        frame.bindView(value, &argument.memory);
      else
        frame.bindScalar(value, argument.scalar);
    }
    failure = frame.execute(body);
  });
  return failure;
}
