//===- IndexExpr.cpp - Index arithmetic that simplifies itself ------------===//

#include "octavo/Analysis/IndexExpr.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace octavo;

static int64_t floorDiv(int64_t a, int64_t by) {
  return llvm::divideFloorSigned(a, by);
}

//===----------------------------------------------------------------------===//
// Unique nodes
//===----------------------------------------------------------------------===//

const IndexAtom *IndexSpace::atom(IndexAtom wanted) {
  auto key = std::make_tuple(int(wanted.kind), wanted.id, wanted.operand,
                             wanted.divisor);
  const IndexAtom *&slot = atomOf[key];
  if (!slot) {
    wanted.number = atoms.size();
    slot = &atoms.emplace_back(wanted);
  }
  return slot;
}

/// If `terms` holds c * (e mod k) and c * k * (e div k), takes both out and
/// returns c * e.
IndexExpr IndexSpace::joinDivMod(Terms &terms) {
  for (auto &[mod, c] : terms) {
    if (mod->kind != IndexAtom::Mod)
      continue;
    // In normal form the quotient may be one of something deeper inside.
    IndexExpr quotient = div(mod->operand, mod->divisor);
    if (quotient->constant != 0 || quotient->terms.size() != 1 ||
        quotient->terms[0].second != 1)
      continue;
    const IndexAtom *whole = quotient->terms[0].first, *part = mod;
    int64_t coefficient = c;
    bool found = llvm::any_of(terms, [&](auto &term) {
      return term.first == whole && term.second == coefficient * part->divisor;
    });
    if (!found)
      continue;
    llvm::erase_if(terms, [&](auto &term) {
      return term.first == part || term.first == whole;
    });
    return mul(part->operand, coefficient);
  }
  return nullptr;
}

IndexExpr IndexSpace::make(int64_t constant, Terms terms) {
  llvm::erase_if(terms, [](auto &t) { return t.second == 0; });
  if (IndexExpr joined = joinDivMod(terms))
    return add(make(constant, terms), joined);
  std::pair<int64_t, std::vector<std::pair<unsigned, int64_t>>> key;
  key.first = constant;
  for (auto &[atom, c] : terms)
    key.second.emplace_back(atom->number, c);
  if (auto it = nodeOf.find(key); it != nodeOf.end())
    return it->second;
  IndexExprNode node{constant, terms, constant, constant, 0};
  for (auto &[atom, c] : terms) {
    node.low += c * (c > 0 ? atom->low : atom->high);
    node.high += c * (c > 0 ? atom->high : atom->low);
    node.coordinates |= atom->coordinates;
  }
  return nodeOf[key] = &nodes.emplace_back(std::move(node));
}

IndexExpr IndexSpace::constant(int64_t value) { return make(value, {}); }

IndexExpr IndexSpace::coordinate(unsigned id, int64_t extent) {
  if (extent == 1)
    return constant(0);
  return fromAtom(atom({IndexAtom::Coordinate, 0, id, nullptr, extent, 0,
                        extent - 1, uint64_t(1) << id}));
}

IndexExpr IndexSpace::opaque(uint64_t id, int64_t low, int64_t high,
                             uint64_t coordinates) {
  return fromAtom(atom({IndexAtom::Opaque, 0, id, nullptr, 0, low, high,
                        coordinates | opaqueBit}));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

IndexExpr IndexSpace::add(IndexExpr a, IndexExpr b) {
  Terms terms;
  auto i = a->terms.begin(), j = b->terms.begin();
  while (i != a->terms.end() || j != b->terms.end()) {
    if (j == b->terms.end() ||
        (i != a->terms.end() && i->first->number < j->first->number)) {
      terms.push_back(*i++);
    } else if (i == a->terms.end() || j->first->number < i->first->number) {
      terms.push_back(*j++);
    } else {
      terms.emplace_back(i->first, i->second + j->second);
      ++i, ++j;
    }
  }
  return make(a->constant + b->constant, terms);
}

IndexExpr IndexSpace::mul(IndexExpr a, int64_t by) {
  if (by == 0)
    return constant(0);
  Terms terms = a->terms;
  for (auto &term : terms)
    term.second *= by;
  return make(a->constant * by, terms);
}

std::pair<IndexExpr, IndexExpr> IndexSpace::split(IndexExpr a, int64_t by) {
  Terms whole, rest;
  for (auto &term : a->terms)
    (term.second % by == 0 ? whole : rest).push_back(term);
  int64_t wholeConstant = floorDiv(a->constant, by) * by;
  return {make(wholeConstant, whole), make(a->constant - wholeConstant, rest)};
}

int64_t IndexSpace::separable(IndexExpr a, int64_t by) {
  int64_t best = 1;
  for (auto &[atom, c] : a->terms) {
    int64_t g = std::gcd(c, by);
    if (g <= best)
      continue;
    IndexExpr rest = split(a, g).second;
    if (rest->low >= 0 && rest->high < g)
      best = g;
  }
  return best;
}

IndexExpr IndexSpace::div(IndexExpr a, int64_t by) {
  if (by == 1)
    return a;
  auto [whole, rest] = split(a, by);
  Terms terms = whole->terms;
  for (auto &term : terms)
    term.second /= by;
  IndexExpr quotient = make(whole->constant / by, terms);
  if (floorDiv(rest->low, by) == floorDiv(rest->high, by))
    return add(quotient, constant(floorDiv(rest->low, by)));
  // (g e + s) div (g k) = e div k for 0 <= s < g.
  if (int64_t g = separable(rest, by); g > 1)
    return add(quotient, div(div(split(rest, g).first, g), by / g));
  if (rest->constant == 0 && rest->terms.size() == 1 &&
      rest->terms[0].second == 1) {
    const IndexAtom *only = rest->terms[0].first;
    if (only->kind == IndexAtom::Div)
      return add(quotient, div(only->operand, only->divisor * by));
    if (only->kind == IndexAtom::Mod && only->divisor % by == 0)
      return add(quotient, mod(div(only->operand, by), only->divisor / by));
  }
  return add(
      quotient,
      fromAtom(atom({IndexAtom::Div, 0, 0, rest, by, floorDiv(rest->low, by),
                     floorDiv(rest->high, by), rest->coordinates})));
}

IndexExpr IndexSpace::mod(IndexExpr a, int64_t by) {
  if (by == 1)
    return constant(0);
  IndexExpr rest = split(a, by).second;
  if (floorDiv(rest->low, by) == floorDiv(rest->high, by))
    return add(rest, constant(-floorDiv(rest->low, by) * by));
  // (g e + s) mod (g k) = g (e mod k) + s for 0 <= s < g.
  if (int64_t g = separable(rest, by); g > 1) {
    auto [high, low] = split(rest, g);
    return add(mul(mod(div(high, g), by / g), g), low);
  }
  if (rest->constant == 0 && rest->terms.size() == 1 &&
      rest->terms[0].second == 1) {
    const IndexAtom *only = rest->terms[0].first;
    if (only->kind == IndexAtom::Mod && only->divisor % by == 0)
      return mod(only->operand, by);
  }
  return fromAtom(
      atom({IndexAtom::Mod, 0, 0, rest, by, 0, by - 1, rest->coordinates}));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

IndexExpr IndexSpace::linearize(llvm::ArrayRef<IndexExpr> index,
                                llvm::ArrayRef<int64_t> strides) {
  IndexExpr sum = constant(0);
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    sum = add(sum, mul(i, stride));
  return sum;
}

llvm::SmallVector<IndexExpr>
IndexSpace::delinearize(IndexExpr linear, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<IndexExpr> index(shape.size());
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    int64_t size = std::max<int64_t>(shape[d], 1);
    // The first dimension needs no mod: what is out of range is masked.
    index[d] = d == 0 ? linear : mod(linear, size);
    linear = d == 0 ? linear : div(linear, size);
  }
  return index;
}

std::string IndexSpace::toString(IndexExpr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  for (auto &[atom, c] : expr->terms) {
    os << (first ? "" : " + ");
    first = false;
    if (c != 1)
      os << c << " * ";
    if (atom->operand)
      os << "((" << toString(atom->operand) << ") "
         << (atom->kind == IndexAtom::Div ? "div " : "mod ") << atom->divisor
         << ")";
    else
      os << (atom->kind == IndexAtom::Coordinate ? "x" : "n") << atom->id;
  }
  if (first || expr->constant != 0)
    os << (first ? "" : " + ") << expr->constant;
  return text;
}
