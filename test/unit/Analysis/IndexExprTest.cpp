//===- IndexExprTest.cpp --------------------------------------------------===//

#include "octavo/Analysis/IndexExpr.h"

#include <gtest/gtest.h>
#include <random>

using namespace octavo;

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

/// Value of a formula; coordinates are numbered from 0.
static int64_t valueOf(IndexExpr expr, llvm::ArrayRef<int64_t> coordinates) {
  int64_t sum = expr->constant;
  for (auto &[atom, coefficient] : expr->terms) {
    int64_t value = 0;
    if (atom->kind == IndexAtom::Coordinate) {
      value = coordinates[atom->id];
    } else {
      int64_t operand = valueOf(atom->operand, coordinates);
      int64_t quotient = floorDiv(operand, atom->divisor);
      value = atom->kind == IndexAtom::Div ? quotient
                                           : operand - quotient * atom->divisor;
    }
    sum += coefficient * value;
  }
  return sum;
}

TEST(IndexExpr, AViewThatUndoesAnotherLeavesNothing) {
  IndexSpace space;
  IndexExpr x = space.coordinate(0, 1024);
  auto index = space.delinearize(x, {8, 4, 32});
  EXPECT_EQ(space.linearize(index, {128, 32, 1}), x);
}

TEST(IndexExpr, PartsOfARowMajorIndexComeApart) {
  IndexSpace space;
  IndexExpr b = space.coordinate(0, 8), m = space.coordinate(1, 128),
            k = space.coordinate(2, 32);
  IndexExpr linear = space.linearize({b, m, k}, {4096, 32, 1});
  EXPECT_EQ(space.div(linear, 4096), b);
  EXPECT_EQ(space.mod(space.div(linear, 32), 128), m);
  EXPECT_EQ(space.mod(linear, 32), k);
}

TEST(IndexExpr, NegativeNumbersRoundDown) {
  IndexSpace space;
  IndexExpr at = space.sub(space.coordinate(0, 4), space.constant(4));
  EXPECT_EQ(space.div(at, 4), space.constant(-1));
  EXPECT_EQ(space.mod(at, 4), space.coordinate(0, 4));
}

TEST(IndexExpr, ACoordinateOfOneValueIsZero) {
  IndexSpace space;
  EXPECT_EQ(space.coordinate(0, 1), space.constant(0));
}

// Random formulas: the normal form has the value of the plain arithmetic, and
// the range holds it.
TEST(IndexExpr, SimplificationKeepsTheValue) {
  std::mt19937 random(1);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    IndexSpace space;
    llvm::SmallVector<int64_t> extents, at;
    llvm::SmallVector<std::pair<IndexExpr, int64_t>> pool;
    for (unsigned c = 0; c < 3; ++c) {
      extents.push_back(pick(1, 24));
      at.push_back(pick(0, extents.back() - 1));
      pool.emplace_back(space.coordinate(c, extents.back()), at.back());
    }
    for (int step = 0; step < 8; ++step) {
      auto [a, va] = pool[pick(0, pool.size() - 1)];
      auto [b, vb] = pool[pick(0, pool.size() - 1)];
      int64_t n = pick(1, 12);
      switch (pick(0, 4)) {
      case 0:
        pool.emplace_back(space.add(a, b), va + vb);
        break;
      case 1:
        pool.emplace_back(space.sub(a, b), va - vb);
        break;
      case 2:
        pool.emplace_back(space.mul(a, n), va * n);
        break;
      case 3:
        pool.emplace_back(space.div(a, n), floorDiv(va, n));
        break;
      default:
        pool.emplace_back(space.mod(a, n), va - floorDiv(va, n) * n);
      }
    }
    for (auto &[expr, value] : pool) {
      ASSERT_EQ(valueOf(expr, at), value) << IndexSpace::toString(expr);
      ASSERT_LE(expr->low, value) << IndexSpace::toString(expr);
      ASSERT_GE(expr->high, value) << IndexSpace::toString(expr);
    }
  }
}
