//===- LaunchTest.cpp - Kernels from end to end ---------------------------===//

#include "Launch.h"
#include "kernels/device.h"

using namespace octavo::sim;

class LaunchTest : public testing::TestWithParam<const char *> {};

TEST_P(LaunchTest, AddsVectorsWithAPartialWorkgroup) {
  std::shared_ptr<CodeObject> object =
      loadKernels(std::string("basic-") + GetParam());
  ASSERT_TRUE(object);
  EXPECT_EQ(object->arch(), GetParam());
  int n = 1000;
  std::vector<float> a(n), b(n), c(n + 24, -1.0f);
  for (int i = 0; i < n; ++i) {
    a[i] = 0.1f * float(i);
    b[i] = 3.0f / float(i + 1);
  }
  Arguments arguments;
  arguments.add(a.data()).add(b.data()).add(c.data()).add(n);
  llvm::Expected<LaunchReport> report =
      run(*object, "vectorAdd", arguments, 1024, 256);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(c[i], a[i] + b[i]) << i;
  for (int i = n; i < n + 24; ++i)
    EXPECT_EQ(c[i], -1.0f) << i;
  EXPECT_EQ(report->counters.workgroups, 4u);
  EXPECT_EQ(report->counters.waves, 16u);
  EXPECT_EQ(report->counters.bytesStored, 4000u);
  EXPECT_EQ(report->counters.mnemonics["v_add_f32"], 16u);
}

TEST_P(LaunchTest, NamesTheInstructionOfAFault) {
  std::shared_ptr<CodeObject> object =
      loadKernels(std::string("basic-") + GetParam());
  ASSERT_TRUE(object);
  Arguments arguments;
  arguments.add(uint64_t(0)).add(uint64_t(0)).add(uint64_t(0)).add(1);
  llvm::Expected<LaunchReport> report =
      run(*object, "vectorAdd", arguments, 64, 64);
  ASSERT_FALSE(bool(report));
  std::string message = llvm::toString(report.takeError());
  EXPECT_NE(
      message.find(
          "vectorAdd: memory access to an address that is not mapped, at 0x"),
      std::string::npos)
      << message;
  EXPECT_NE(message.find("'global_load_dword v"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Targets, LaunchTest,
                         testing::Values("gfx942", "gfx950"));
