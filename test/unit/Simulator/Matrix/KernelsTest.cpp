//===- KernelsTest.cpp - The same bits on every host ----------------------===//

#include "lib/Simulator/Matrix/Kernels.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace octavo::sim;

namespace {

/// D of one 16 x 16 x 32 block by each model, from random codes.
std::vector<uint32_t> run(const MatrixKernels &kernels, MatrixElement element,
                          unsigned seed) {
  std::mt19937 random(seed);
  constexpr uint32_t elements = 8, count = 64 * elements + 16;
  std::vector<uint32_t> a(64 * 4), b(64 * 4), c(256), out;
  for (auto *words : {&a, &b, &c})
    for (uint32_t &word : *words)
      word = random() & 0x7d7d7d7du; // neither NaN nor infinity in 8 bits
  std::vector<float> va(count), vb(count), sa(count), sb(count);
  std::vector<int32_t> ea(count), eb(count), fa(count), fb(count);
  std::vector<double> wa(count), wb(count), ones(64, 1.0);
  std::vector<uint16_t> rows, results;
  for (uint32_t k = 0; k < 32; ++k)
    rows.push_back(uint16_t(64 * (k % 8) + 16 * (k / 8)));
  for (uint32_t i = 0; i < 16; ++i)
    results.push_back(uint16_t(64 * (i % 4) + 16 * (i / 4)));
  kernels.decode(element, a.data(), elements, va.data());
  kernels.decode(element, b.data(), elements, vb.data());
  int32_t minimum = getMinimumExponent(element);
  kernels.splitExponents(va.data(), count, minimum, narrowZero, ea.data());
  kernels.splitExponents(vb.data(), count, minimum, narrowZero, eb.data());
  kernels.splitSignificands(va.data(), count, minimum, -1000, fa.data(),
                            sa.data());
  kernels.splitSignificands(vb.data(), count, minimum, -1000, fb.data(),
                            sb.data());
  kernels.widen(va.data(), count, wa.data());
  kernels.widen(vb.data(), count, wb.data());
  BlockProduct product{
      va.data(),   vb.data(),   ea.data(),   eb.data(), wa.data(),
      wb.data(),   rows.data(), rows.data(), 0,         16,
      16,          32,          c.data(),    nullptr,   results.data(),
      ones.data(), ones.data()};
  auto record = [&](auto kernel) {
    std::vector<uint32_t> d(256);
    product.d = d.data();
    kernel();
    out.insert(out.end(), d.begin(), d.end());
  };
  record([&] { kernels.fmaChain(product); });
  record([&] { kernels.scaledChain(product); });
  record([&] { kernels.cdna3Eight(product); });
  record([&] { kernels.cdna3Narrow(product, 8); });
  record([&] { kernels.exactBlock(product); });
  record([&] { kernels.exactBlockSplit(product); });
  product.a = sa.data();
  product.b = sb.data();
  product.aExponent = fa.data();
  product.bExponent = fb.data();
  record([&] { kernels.cdna3Wide(product, 8); });
  return out;
}

TEST(MatrixKernels, BothInstructionSetsGiveTheSameBits) {
  if (!__builtin_cpu_supports("x86-64-v4"))
    GTEST_SKIP() << "this host has no AVX-512";
  for (MatrixElement element : {MatrixElement::E4M3FN, MatrixElement::E5M2FNUZ,
                                MatrixElement::E4M3FNUZ, MatrixElement::F16})
    for (unsigned seed = 0; seed < 50; ++seed)
      ASSERT_EQ(run(kernelsV3, element, seed), run(kernelsV4, element, seed))
          << unsigned(element) << " seed " << seed;
}

} // namespace
