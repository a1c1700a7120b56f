//===- MnemonicsTest.cpp - The instructions of real code objects ----------===//
//
// mnemonics.txt lists what compilers and hand-written kernels for gfx942 and
// gfx950 contain (Triton, Gluon, IREE, FlyDSL, clang, Mojo, aiter).
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Isa.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace octavo::sim;

TEST(MnemonicsTest, KnowsEveryMnemonicOfRealCodeObjects) {
  auto buffer =
      llvm::MemoryBuffer::getFile(OCTAVO_TEST_SOURCES "/mnemonics.txt");
  ASSERT_TRUE(bool(buffer));
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, false);
  EXPECT_GT(lines.size(), 350u);
  for (llvm::StringRef line : lines)
    EXPECT_TRUE(Isa::get().lookup(line)) << line.str();
}
