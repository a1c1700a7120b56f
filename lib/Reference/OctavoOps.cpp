//===- OctavoOps.cpp - The meaning of the octavo dialect ------------------===//

#include "OctavoOps.h"
#include "Quantization.h"
#include "ScalarProgram.h"
#include "TensorOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include <array>
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace octavo;
using namespace octavo::reference;

using Operands = ArrayRef<const HostTensor *>;
using Results = std::vector<HostTensor>;

namespace {

HostTensor emptyResult(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return HostTensor(type.getShape(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// scaled_matmul
//===----------------------------------------------------------------------===//

/// One operand of a product: element (row, k) of a batch, scale applied.
struct MatmulSide {
  const HostTensor *data;
  const HostTensor *scale; // or null
  ScaleMap map;
  bool rowFirst; // rows are the next to last dimension in memory

  MatmulSide(const HostTensor *data, const HostTensor *scale,
             GranuleAttr granule, bool rowFirst)
      : data(data), scale(scale), rowFirst(rowFirst) {
    unsigned rank = data->shape.size();
    unsigned along = rowFirst ? rank - 1 : rank - 2;
    unsigned across = rowFirst ? rank - 2 : rank - 1;
    map = ScaleMap::create(granule, rank, along, across);
  }

  Scalar at(ArrayRef<int64_t> batch, int64_t row, int64_t k) const {
    SmallVector<int64_t> index(batch);
    index.push_back(rowFirst ? row : k);
    index.push_back(rowFirst ? k : row);
    Scalar value = data->get(data->offset(index));
    if (scale)
      value.f *= scale->get(map.offset(*scale, index)).f;
    return value;
  }
};

/// Sum over k in [begin, end), plus the bias of the column.
Scalar dot(const MatmulSide &a, const MatmulSide &b, ArrayRef<int64_t> batchA,
           ArrayRef<int64_t> batchB, int64_t m, int64_t n,
           std::pair<int64_t, int64_t> range, const HostTensor *bias) {
  Scalar sum;
  for (int64_t k = range.first; k < range.second; ++k) {
    Scalar x = a.at(batchA, m, k), y = b.at(batchB, n, k);
    sum.f += x.f * y.f;
    sum.i += x.i * y.i;
  }
  if (bias) {
    Scalar extra = bias->get(n);
    sum.f += extra.f;
    sum.i += extra.i;
  }
  return sum;
}

HostTensor scaledMatmul(ScaledMatmulOp op, Operands operands) {
  auto find = [&](Value value) -> const HostTensor * {
    if (!value)
      return nullptr;
    for (auto [v, tensor] : llvm::zip(op->getOperands(), operands))
      if (v == value)
        return tensor;
    return nullptr;
  };
  MatmulSide a(find(op.getA()), find(op.getScaleA()), op.getGranuleAAttr(),
               !op.getTransposedA());
  MatmulSide b(find(op.getB()), find(op.getScaleB()), op.getGranuleBAttr(),
               op.getTransposedB());
  const HostTensor *bias = find(op.getBias()), *groups = find(op.getGroups());
  HostTensor result = emptyResult(op.getResult());
  int64_t k = op.getK();
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    ArrayRef<int64_t> batch = index.drop_back(2);
    int64_t m = index[index.size() - 2], n = index.back();
    Scalar value;
    if (!groups) {
      value = dot(a, b, batch, batch, m, n, {0, k}, bias);
    } else if (*op.getGroupDim() == GroupDim::m) {
      int64_t group = 0;
      while (group < groups->size() && groups->get(group).i <= m)
        ++group;
      if (group < groups->size())
        value = dot(a, b, {}, {group}, m, n, {0, k}, bias);
    } else {
      int64_t group = batch.front();
      int64_t begin = group ? groups->get(group - 1).i : 0;
      value = dot(a, b, {}, {}, m, n, {begin, groups->get(group).i}, bias);
    }
    result.set(result.offset(index), value);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// random
//===----------------------------------------------------------------------===//

/// Philox4x32 with ten rounds (Salmon et al., SC 2011).
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter) {
  std::array<uint32_t, 4> c = {uint32_t(counter), uint32_t(counter >> 32), 0,
                               0};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * c[0];
    uint64_t p1 = uint64_t(0xCD9E8D57u) * c[2];
    c = {uint32_t(p1 >> 32) ^ c[1] ^ key0, uint32_t(p1),
         uint32_t(p0 >> 32) ^ c[3] ^ key1, uint32_t(p0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

double uniform24(uint32_t word) { return (word >> 8) * 0x1p-24; }

HostTensor random(RandomOp op, Operands operands) {
  HostTensor result = emptyResult(op.getResult());
  uint64_t seed = operands[0]->get(0).i, offset = operands[1]->get(0).i;
  for (int64_t i = 0; i < result.size(); ++i) {
    std::array<uint32_t, 4> words = philox(seed, offset + i / 4);
    unsigned lane = i % 4;
    Scalar value;
    if (op.getKind() == RandomKind::bits) {
      value.i = static_cast<int32_t>(words[lane]);
    } else if (op.getKind() == RandomKind::uniform) {
      value.f = uniform24(words[lane]);
    } else {
      // Words 2j and 2j+1 give the two numbers of a pair.
      double radius =
          std::sqrt(-2 * std::log(uniform24(words[lane & ~1u]) + 0x1p-24));
      double angle = 2 * std::numbers::pi * uniform24(words[lane | 1u]);
      value.f = radius * (lane % 2 ? std::sin(angle) : std::cos(angle));
    }
    result.set(i, value);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// scatter_reduce
//===----------------------------------------------------------------------===//

Scalar combine(ScatterKind kind, Scalar old, Scalar update, Type type) {
  switch (kind) {
  case ScatterKind::set:
    return update;
  case ScatterKind::add:
    return {.f = old.f + update.f, .i = old.i + update.i};
  case ScatterKind::mul:
    return {.f = old.f * update.f, .i = old.i * update.i};
  case ScatterKind::max: {
    bool isFloat = isa<FloatType>(type);
    bool take =
        isFloat ? update.f > old.f || std::isnan(update.f) : update.i > old.i;
    return take ? update : old;
  }
  case ScatterKind::min: {
    bool isFloat = isa<FloatType>(type);
    bool take =
        isFloat ? update.f < old.f || std::isnan(update.f) : update.i < old.i;
    return take ? update : old;
  }
  }
  return update;
}

llvm::Expected<HostTensor> scatterReduce(ScatterReduceOp op,
                                         Operands operands) {
  const HostTensor &source = *operands[0];
  HostTensor result = *operands[1];
  Operands indices = operands.drop_front(2);
  unsigned indexRank = indices[0]->shape.size();
  llvm::Error failure = llvm::Error::success();
  forEachIndex(source.shape, [&](ArrayRef<int64_t> at) {
    if (failure)
      return;
    SmallVector<int64_t> place(result.shape.size(), -1);
    for (auto [dim, index] : llvm::zip(op.getDims(), indices)) {
      int64_t i = index->get(index->offset(at.take_front(indexRank))).i;
      int64_t extent = result.shape[dim];
      place[dim] = i < 0 ? i + extent : i;
      if (place[dim] < 0 || place[dim] >= extent) {
        failure = errorAt(op, "index " + llvm::Twine(i) +
                                  " is outside of a dimension of " +
                                  llvm::Twine(extent));
        return;
      }
    }
    unsigned next = indexRank;
    for (auto [d, p] : llvm::enumerate(place))
      if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(d)))
        p = at[next++];
    int64_t where = result.offset(place);
    result.set(where,
               combine(op.getKind(), result.get(where),
                       source.get(source.offset(at)), result.elementType));
  });
  if (failure)
    return std::move(failure);
  return result;
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

/// A region of the op, or nothing if it is empty.
llvm::Expected<std::optional<ScalarProgram>> program(Region &region) {
  if (region.empty())
    return std::optional<ScalarProgram>();
  auto result = ScalarProgram::create(
      region.front(), [](Value) { return nullptr; },
      [](Value) { return std::nullopt; });
  if (!result)
    return result.takeError();
  return std::optional<ScalarProgram>(std::move(*result));
}

struct AttentionState {
  AttentionOp op;
  const HostTensor &q, &k, &v;
  float scale;
  std::optional<ScalarProgram> score, mask;

  /// Scores of one query row; masked ones are -inf.
  llvm::Expected<std::vector<double>> scores(int64_t b, int64_t h, int64_t i);
};

llvm::Expected<std::vector<double>> AttentionState::scores(int64_t b, int64_t h,
                                                           int64_t i) {
  int64_t heads = q.shape[1] / k.shape[1];
  std::vector<double> row(k.shape[2]);
  for (int64_t j = 0; j < k.shape[2]; ++j) {
    double sum = 0;
    for (int64_t d = 0; d < q.shape[3]; ++d)
      sum += q.get(q.offset({b, h, i, d})).f *
             k.get(k.offset({b, h / heads, j, d})).f;
    Scalar s{.f = sum * scale},
        at[4] = {{.i = b}, {.i = h}, {.i = i}, {.i = j}};
    if (score) {
      Scalar arguments[5] = {s, at[0], at[1], at[2], at[3]};
      if (llvm::Error error = score->run(arguments, {}, s))
        return std::move(error);
    }
    Scalar kept{.i = 1};
    if (mask)
      if (llvm::Error error = mask->run(at, {}, kept))
        return std::move(error);
    row[j] = kept.i ? s.f : -INFINITY;
  }
  return row;
}

llvm::Expected<Results> attention(AttentionOp op, Operands operands) {
  auto score = program(op.getScore());
  if (!score)
    return score.takeError();
  auto mask = program(op.getMask());
  if (!mask)
    return mask.takeError();
  AttentionState state{op,
                       *operands[0],
                       *operands[1],
                       *operands[2],
                       op.getScale().convertToFloat(),
                       std::move(*score),
                       std::move(*mask)};
  double valueScale = 1;
  if (op.getScaleQuery()) {
    state.scale *= operands[3]->get(0).f * operands[4]->get(0).f;
    valueScale = operands[5]->get(0).f;
  }
  HostTensor result = emptyResult(op.getResult()),
             lse = emptyResult(op.getLse());
  int64_t heads = state.q.shape[1] / state.k.shape[1];
  llvm::Error failure = llvm::Error::success();
  forEachIndex(lse.shape, [&](ArrayRef<int64_t> at) {
    if (failure)
      return;
    auto row = state.scores(at[0], at[1], at[2]);
    if (!row) {
      failure = row.takeError();
      return;
    }
    double most = -INFINITY, sum = 0;
    for (double s : *row)
      most = std::max(most, s);
    for (double &s : *row)
      sum += s = std::isinf(most) ? 0 : std::exp(s - most);
    lse.set(lse.offset(at), {.f = sum == 0 ? -INFINITY : most + std::log(sum)});
    for (int64_t e = 0; e < state.v.shape[3]; ++e) {
      double out = 0;
      for (auto [j, p] : llvm::enumerate(*row))
        out += p * state.v
                       .get(state.v.offset(
                           {at[0], at[1] / heads, static_cast<int64_t>(j), e}))
                       .f;
      result.set(result.offset({at[0], at[1], at[2], e}),
                 {.f = sum == 0 ? 0 : out / sum * valueScale});
    }
  });
  if (failure)
    return std::move(failure);
  return Results{std::move(result), std::move(lse)};
}

Results one(HostTensor tensor) {
  Results results;
  results.push_back(std::move(tensor));
  return results;
}

} // namespace

llvm::Expected<std::optional<Results>>
octavo::reference::executeOctavo(Operation *op, Operands operands) {
  using Result = llvm::Expected<std::optional<Results>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](ScaledMatmulOp matmul) {
        return one(scaledMatmul(matmul, operands));
      })
      .Case([&](QuantizeOp quantizeOp) -> Result {
        if (quantizeOp.getRounding() == Rounding::stochastic)
          return errorAt(op, "with stochastic rounding has no reference "
                             "meaning");
        return quantize(quantizeOp, *operands[0]);
      })
      .Case([&](DequantizeOp dequantizeOp) {
        return one(dequantize(dequantizeOp, *operands[0], *operands[1]));
      })
      .Case([&](RandomOp randomOp) { return one(random(randomOp, operands)); })
      .Case([&](ScatterReduceOp scatter) -> Result {
        llvm::Expected<HostTensor> result = scatterReduce(scatter, operands);
        if (!result)
          return result.takeError();
        return one(std::move(*result));
      })
      .Case([&](AttentionOp attentionOp) -> Result {
        llvm::Expected<Results> results = attention(attentionOp, operands);
        if (!results)
          return results.takeError();
        return std::move(*results);
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}
