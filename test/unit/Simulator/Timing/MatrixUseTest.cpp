//===- MatrixUseTest.cpp - What depends on matrix arithmetic --------------===//

#include "../Launch.h"

#include "lib/Simulator/Timing/MatrixUse.h"

using namespace octavo::sim;

namespace {

struct Case {
  const char *kernel;
  /// Start of the reason; null if only data depends on the results.
  const char *reason;
};

TEST(MatrixUse, NamesWhatDependsOnResults) {
  constexpr Case cases[] = {
      {"onlyData", nullptr},
      {"inBranch", "branch at "},
      {"inMask", "EXEC mask at "},
      {"inAddress", "address at "},
      {"inAddressByLds", "address at "},
      {"inAddressByMemory", "address at "},
  };
  for (const char *arch : {"gfx942", "gfx950"}) {
    std::shared_ptr<CodeObject> object =
        loadKernels(std::string("matrixuse-") + arch);
    ASSERT_TRUE(object);
    for (const Case &one : cases) {
      const KernelDescriptor *kernel = object->lookupKernel(one.kernel);
      ASSERT_TRUE(kernel) << one.kernel;
      MatrixUse use = findMatrixUse(object->program(), kernel->entry, true);
      EXPECT_EQ(use.isOnlyData, one.reason == nullptr)
          << arch << " " << one.kernel << ": " << use.reason;
      if (one.reason)
        EXPECT_TRUE(llvm::StringRef(use.reason).starts_with(one.reason))
            << arch << " " << one.kernel << ": " << use.reason;
    }
  }
}

} // namespace
