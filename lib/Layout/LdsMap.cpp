//===- LdsMap.cpp - Where the elements of a tile are in LDS ---------------===//

#include "octavo/Layout/LdsMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace octavo;
using llvm::ArrayRef;

/// All index bits in one number: dimension 0 in the highest bits.
static int64_t flatten(ArrayRef<int64_t> index, ArrayRef<int64_t> linear) {
  return linearize(index, linear);
}

LdsMap::LdsMap(ArrayRef<int64_t> shape, ArrayRef<TileIndex> order) {
  int64_t bits = 0;
  for (int64_t n : shape) {
    linear.push_back(n & -n);
    repeats.push_back(n / (n & -n));
    bits += llvm::Log2_64(n & -n);
  }
  llvm::SmallVector<int64_t> vectors;
  for (const TileIndex &basis : order)
    vectors.push_back(flatten(basis, linear));
  for (int64_t i = 0; i < bits; ++i)
    vectors.push_back(int64_t(1) << i);
  // Gauss-Jordan over the field of two elements: rows are (vector, position).
  struct Row {
    int64_t vector, position, pivot;
  };
  llvm::SmallVector<Row> rows;
  for (int64_t vector : vectors) {
    Row row{vector, int64_t(1) << rows.size(), 0};
    for (const Row &r : rows)
      if (row.vector & r.pivot) {
        row.vector ^= r.vector;
        row.position ^= r.position;
      }
    if (row.vector == 0)
      continue;
    row.pivot = row.vector & -row.vector;
    for (Row &r : rows)
      if (r.vector & row.pivot) {
        r.vector ^= row.vector;
        r.position ^= row.position;
      }
    rows.push_back(row);
  }
  images.assign(bits, 0);
  for (const Row &row : rows)
    images[llvm::Log2_64(row.pivot)] = row.position;
}

int64_t LdsMap::size() const {
  int64_t n = 1;
  for (auto [l, r] : llvm::zip_equal(linear, repeats))
    n *= l * r;
  return n;
}

int64_t LdsMap::positionOf(ArrayRef<int64_t> index) const {
  TileIndex inside, outside;
  for (auto [i, n] : llvm::zip_equal(index, linear)) {
    inside.push_back(i % n);
    outside.push_back(i / n);
  }
  int64_t flat = flatten(inside, linear), position = 0;
  for (auto [bit, image] : llvm::enumerate(images))
    if (flat >> bit & 1)
      position ^= image;
  return position + (linearize(outside, repeats) << images.size());
}

LdsMap LdsMap::swizzled(int64_t bit, int64_t mask) const {
  LdsMap map = *this;
  for (int64_t &image : map.images)
    if (image >> bit & 1)
      image ^= mask;
  return map;
}

int64_t LdsMap::contiguous(const LinearLayout &layout) const {
  int64_t n = 1;
  for (const TileIndex &basis : layout.registerBases()) {
    if (positionOf(basis) != n)
      break;
    n *= 2;
  }
  return n;
}

LdsMap octavo::makeExchangeMap(const LinearLayout &from, const LinearLayout &to,
                               int64_t maxVector) {
  TileBases order;
  // Registers that both sides hold together, else those of the reader.
  ArrayRef<TileIndex> writer = from.registerBases();
  ArrayRef<TileIndex> reader = to.registerBases();
  size_t limit = llvm::Log2_64(maxVector), vector = 0;
  while (vector < limit && vector < reader.size() && vector < writer.size() &&
         reader[vector] == writer[vector])
    ++vector;
  if (vector == 0)
    vector = std::min(limit, reader.size());
  llvm::append_range(order, reader.take_front(vector));
  llvm::append_range(order, to.laneBases());
  llvm::append_range(order, reader.drop_front(vector));
  llvm::append_range(order, to.waveBases());
  return LdsMap(to.shape(), order);
}
