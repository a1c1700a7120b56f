//===- LinearLayout.cpp - Where the elements of a tile are ----------------===//

#include "octavo/Layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace octavo;
using llvm::ArrayRef;

int64_t octavo::linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, n] : llvm::zip_equal(index, shape))
    position = position * n + i;
  return position;
}

TileIndex octavo::delinearize(int64_t position, ArrayRef<int64_t> shape) {
  TileIndex index(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

static bool isZero(ArrayRef<int64_t> basis) {
  return llvm::all_of(basis, [](int64_t x) { return x == 0; });
}

static void addTo(TileIndex &index, ArrayRef<int64_t> step) {
  for (auto [x, s] : llvm::zip_equal(index, step))
    x ^= s;
}

/// XOR of the bases of the set bits of `bits`.
static void addBits(TileIndex &index, const TileBases &bases, int64_t bits) {
  for (auto [i, basis] : llvm::enumerate(bases))
    if (bits >> i & 1)
      addTo(index, basis);
}

LinearLayout::LinearLayout(TileBases registers, TileBases lanes,
                           TileBases waves, TileIndex repeats)
    : registers(std::move(registers)), lanes(std::move(lanes)),
      waves(std::move(waves)), repeats(std::move(repeats)) {}

int64_t LinearLayout::numRegisters() const {
  int64_t n = linearRegisters();
  for (int64_t r : repeats)
    n *= r;
  return n;
}

TileIndex LinearLayout::linearShape() const {
  TileIndex all(rank(), 0);
  for (const TileBases *bases : {&registers, &lanes, &waves})
    for (const TileIndex &basis : *bases)
      for (auto [x, b] : llvm::zip_equal(all, basis))
        x |= b;
  for (int64_t &x : all)
    x = llvm::PowerOf2Ceil(x + 1);
  return all;
}

TileIndex LinearLayout::shape() const {
  TileIndex sizes = linearShape();
  for (auto [n, r] : llvm::zip_equal(sizes, repeats))
    n *= r;
  return sizes;
}

TileIndex LinearLayout::registerIndex(int64_t reg) const {
  TileIndex sizes = linearShape();
  TileIndex index = delinearize(reg >> registers.size(), repeats);
  for (auto [x, n] : llvm::zip_equal(index, sizes))
    x *= n;
  addBits(index, registers, reg & (linearRegisters() - 1));
  return index;
}

TileIndex LinearLayout::indexOf(int64_t reg, int64_t lane, int64_t wave) const {
  TileIndex index = registerIndex(reg);
  addBits(index, lanes, lane);
  addBits(index, waves, wave);
  return index;
}

std::optional<int64_t>
LinearLayout::findRegister(ArrayRef<int64_t> index) const {
  for (int64_t reg = 0, n = numRegisters(); reg < n; ++reg)
    if (ArrayRef<int64_t>(registerIndex(reg)) == index)
      return reg;
  return std::nullopt;
}

static int64_t zeroMask(const TileBases &bases) {
  int64_t mask = 0;
  for (auto [i, basis] : llvm::enumerate(bases))
    if (isZero(basis))
      mask |= int64_t(1) << i;
  return mask;
}

int64_t LinearLayout::duplicateLaneMask() const { return zeroMask(lanes); }
int64_t LinearLayout::duplicateWaveMask() const { return zeroMask(waves); }

int64_t LinearLayout::contiguous(unsigned dim) const {
  int64_t n = 1;
  for (const TileIndex &basis : registers) {
    TileIndex want(rank(), 0);
    want[dim] = n;
    if (basis != want)
      break;
    n *= 2;
  }
  return n;
}

/// Keeps the bases that are independent over the field of two elements, in
/// order; the others would be registers that hold duplicates.
static void dropDependent(TileBases &bases) {
  TileBases kept, reduced;
  for (const TileIndex &basis : bases) {
    TileIndex rest = basis;
    for (const TileIndex &r : reduced) {
      // Each reduced vector is identified by its highest set bit.
      for (size_t d = 0; d < r.size(); ++d) {
        if (r[d] == 0)
          continue;
        if (rest[d] >> llvm::Log2_64(r[d]) & 1)
          addTo(rest, r);
        break;
      }
    }
    if (isZero(rest))
      continue;
    kept.push_back(basis);
    reduced.push_back(rest);
  }
  bases = std::move(kept);
}

LinearLayout LinearLayout::dropDim(unsigned dim) const {
  LinearLayout out = *this;
  for (TileBases *bases : {&out.registers, &out.lanes, &out.waves})
    for (TileIndex &basis : *bases)
      basis.erase(basis.begin() + dim);
  out.repeats.erase(out.repeats.begin() + dim);
  dropDependent(out.registers);
  return out;
}

LinearLayout LinearLayout::insertDim(unsigned dim) const {
  LinearLayout out = *this;
  for (TileBases *bases : {&out.registers, &out.lanes, &out.waves})
    for (TileIndex &basis : *bases)
      basis.insert(basis.begin() + dim, 0);
  out.repeats.insert(out.repeats.begin() + dim, 1);
  return out;
}

LinearLayout LinearLayout::shrinkDims(ArrayRef<unsigned> dims) const {
  LinearLayout out = *this;
  for (unsigned dim : dims) {
    for (TileBases *bases : {&out.registers, &out.lanes, &out.waves})
      for (TileIndex &basis : *bases)
        basis[dim] = 0;
    out.repeats[dim] = 1;
  }
  dropDependent(out.registers);
  return out;
}

LinearLayout LinearLayout::permute(ArrayRef<unsigned> order) const {
  auto permuted = [&](ArrayRef<int64_t> from) {
    TileIndex to;
    for (unsigned d : order)
      to.push_back(from[d]);
    return to;
  };
  LinearLayout out = *this;
  for (TileBases *bases : {&out.registers, &out.lanes, &out.waves})
    for (TileIndex &basis : *bases)
      basis = permuted(basis);
  out.repeats = permuted(repeats);
  // The register order of repetitions is row-major, so it follows the new
  // order of dimensions; readers find registers by index.
  return out;
}

/// Groups the dimensions of two shapes of equally many elements into the finest
/// runs whose products agree: pairs of (end of run in `from`, end in `to`).
static llvm::SmallVector<std::pair<size_t, size_t>>
matchRuns(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  llvm::SmallVector<std::pair<size_t, size_t>> runs;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    int64_t a = i < from.size() ? from[i++] : 1;
    int64_t b = j < to.size() ? to[j++] : 1;
    while (a != b) {
      if (a < b)
        a *= from[i++];
      else
        b *= to[j++];
    }
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
    runs.push_back({i, j});
  }
  return runs;
}

std::optional<LinearLayout> LinearLayout::reshape(ArrayRef<int64_t> to) const {
  TileIndex from = shape(), linear = linearShape();
  TileIndex newRepeats(to.size(), 1);
  TileIndex newLinear(to.begin(), to.end());
  size_t i = 0, j = 0;
  for (auto [endFrom, endTo] : matchRuns(from, to)) {
    // Inside a run only the first dimension that is not 1 may be repeated: then
    // the repetitions stay the outermost part of the run.
    int64_t repeat = 1;
    bool first = true;
    for (; i < endFrom; ++i) {
      if (repeats[i] != 1 && !first)
        return std::nullopt;
      repeat *= repeats[i];
      first &= from[i] == 1;
    }
    bool placed = repeat == 1;
    for (; j < endTo; ++j) {
      if (placed || to[j] == 1)
        continue;
      if (to[j] % repeat != 0)
        return std::nullopt;
      newRepeats[j] = repeat;
      newLinear[j] = to[j] / repeat;
      placed = true;
    }
    if (!placed)
      return std::nullopt;
  }
  auto moved = [&](const TileBases &bases) {
    TileBases out;
    for (const TileIndex &basis : bases)
      out.push_back(delinearize(linearize(basis, linear), newLinear));
    return out;
  };
  LinearLayout out(moved(registers), moved(lanes), moved(waves), newRepeats);
  // Dimensions whose rows are wider than one repetition do not stay linear.
  if (!out.check(to).empty())
    return std::nullopt;
  return out;
}

bool LinearLayout::isAxisAligned() const {
  for (const TileBases *bases : {&registers, &lanes, &waves})
    for (const TileIndex &basis : *bases)
      if (llvm::count_if(basis, [](int64_t x) { return x != 0; }) > 1)
        return false;
  return true;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return registers == other.registers && lanes == other.lanes &&
         waves == other.waves && repeats == other.repeats;
}

std::string LinearLayout::check(ArrayRef<int64_t> want) const {
  for (const TileBases *bases : {&registers, &lanes, &waves})
    for (const TileIndex &basis : *bases)
      if (basis.size() != rank())
        return "a basis has " + llvm::utostr(basis.size()) +
               " steps, the layout has " + llvm::utostr(rank()) + " dimensions";
  if (want.size() != rank())
    return "the layout has " + llvm::utostr(rank()) +
           " dimensions, the tile has " + llvm::utostr(want.size());
  TileIndex sizes = shape();
  for (auto [d, n] : llvm::enumerate(want))
    if (sizes[d] != n)
      return "the layout covers " + llvm::itostr(sizes[d]) + " of the " +
             llvm::itostr(n) + " elements of dimension " + llvm::utostr(d);
  // Surjective: the independent bases span all index bits.
  TileBases all = registers;
  llvm::append_range(all, lanes);
  llvm::append_range(all, waves);
  dropDependent(all);
  int64_t bits = 0;
  for (int64_t n : linearShape())
    bits += llvm::Log2_64(n);
  if (static_cast<int64_t>(all.size()) != bits)
    return "the bases span " + llvm::utostr(all.size()) + " of the " +
           llvm::itostr(bits) + " index bits";
  TileBases independent = registers;
  dropDependent(independent);
  if (independent.size() != registers.size())
    return "registers hold duplicates";
  return {};
}

LinearLayout LinearLayout::blocked(ArrayRef<int64_t> shape, int64_t vector,
                                   int64_t numLanes, int64_t numWaves,
                                   ArrayRef<unsigned> order,
                                   ArrayRef<unsigned> waveOrder) {
  LinearLayout out;
  TileIndex sizes, done(shape.size(), 1);
  for (int64_t n : shape) {
    int64_t power = n & -n;
    sizes.push_back(power);
    out.repeats.push_back(n / power);
  }
  // Appends bases along `dim` to `bases` until `count` bits are used up.
  auto take = [&](TileBases &bases, unsigned dim, int64_t &count) {
    while (count > 1 && done[dim] < sizes[dim]) {
      TileIndex basis(shape.size(), 0);
      basis[dim] = done[dim];
      bases.push_back(basis);
      done[dim] *= 2;
      count /= 2;
    }
  };
  if (!order.empty())
    take(out.registers, order[0], vector);
  int64_t lanesLeft = numLanes, wavesLeft = numWaves;
  for (unsigned dim : order)
    take(out.lanes, dim, lanesLeft);
  for (unsigned dim : waveOrder)
    take(out.waves, dim, wavesLeft);
  for (unsigned dim : order) {
    int64_t rest = sizes[dim];
    take(out.registers, dim, rest);
  }
  for (; lanesLeft > 1; lanesLeft /= 2)
    out.lanes.push_back(TileIndex(shape.size(), 0));
  for (; wavesLeft > 1; wavesLeft /= 2)
    out.waves.push_back(TileIndex(shape.size(), 0));
  return out;
}
