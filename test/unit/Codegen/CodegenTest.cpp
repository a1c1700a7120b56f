//===- CodegenTest.cpp - gpu.module to code object, in process ------------===//

#include "octavo/Codegen/CodeObject.h"
#include "octavo/Init/Init.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"
#include <thread>

using namespace mlir;

namespace {

constexpr const char *kAdd = R"mlir(
gpu.module @kernels {
  gpu.func @add(%a: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %b: !llvm.ptr<1> {llvm.noalias, llvm.readonly},
                %c: !llvm.ptr<1> {llvm.noalias}, %n: i32) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c1024 = arith.constant 1024 : index
    %c4 = arith.constant 4 : index
    %0 = arith.muli %block, %c1024 : index
    %1 = arith.muli %thread, %c4 : index
    %2 = arith.addi %0, %1 : index
    %i = arith.index_cast %2 : index to i32
    %in = arith.cmpi ult, %i, %n : i32
    scf.if %in {
      %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %pc = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %va = llvm.load %pa {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      %vb = llvm.load %pb {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      %vc = arith.addf %va, %vb : vector<4xf32>
      llvm.store %vc, %pc {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    }
    gpu.return
  }
})mlir";

/// One matrix instruction that both chips have, and 1 KiB of LDS.
constexpr const char *kMatrix = R"mlir(
gpu.module @kernels {
  gpu.func @matrix(%a: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %c: !llvm.ptr<1> {llvm.noalias})
      workgroup(%lds: memref<256xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xbf16>
    %v = llvm.load %p : !llvm.ptr<1> -> vector<4xbf16>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %d = amdgpu.mfma 16x16x16 %v * %v + %zero blgp = none : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    %c4 = arith.constant 4 : index
    %s = arith.muli %t, %c4 : index
    vector.store %d, %lds[%s] : memref<256xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    %c255 = arith.constant 255 : index
    %r = arith.subi %c255, %t : index
    %e = vector.load %lds[%r] : memref<256xf32, #gpu.address_space<workgroup>>, vector<1xf32>
    %q = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %e, %q : vector<1xf32>, !llvm.ptr<1>
    gpu.return
  }
})mlir";

llvm::Expected<octavo::CodeObject> compile(const char *text,
                                           llvm::StringRef arch) {
  DialectRegistry registry;
  octavo::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context, "test.mlir");
  if (!module)
    return llvm::createStringError("the test's module does not parse");
  octavo::StageTimes times;
  return octavo::compileGpuModule(*module, arch, times);
}

class CodegenTest : public testing::TestWithParam<const char *> {};

} // namespace

TEST_P(CodegenTest, ElementwiseKernelHasItsArgumentsAndNoScratch) {
  auto result = compile(kAdd, GetParam());
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->kernels.size(), 1u);
  const octavo::KernelResources &kernel = result->kernels[0];
  EXPECT_EQ(kernel.name, "add");
  EXPECT_EQ(kernel.kernargBytes, 28u); // three pointers and one i32
  EXPECT_EQ(kernel.maxLanes, 256u);
  EXPECT_EQ(kernel.ldsBytes, 0u);
  EXPECT_EQ(kernel.scratchBytes, 0u);
  EXPECT_EQ(kernel.vgprSpills, 0u);
  EXPECT_GE(kernel.vgprs, 9u); // two loaded vectors and the offset
  EXPECT_LE(kernel.vgprs, 16u);
  EXPECT_EQ(llvm::StringRef(result->bytes.data(), 4), "\x7f"
                                                      "ELF");
}

TEST_P(CodegenTest, MatrixKernelReportsItsLds) {
  auto result = compile(kMatrix, GetParam());
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->kernels.size(), 1u);
  EXPECT_EQ(result->kernels[0].name, "matrix");
  EXPECT_EQ(result->kernels[0].ldsBytes, 1024u);
  EXPECT_EQ(result->kernels[0].kernargBytes, 16u);
  EXPECT_EQ(result->kernels[0].maxLanes, 64u);
}

TEST_P(CodegenTest, TheSameTextGivesTheSameBytes) {
  auto first = compile(kMatrix, GetParam());
  auto second = compile(kMatrix, GetParam());
  ASSERT_TRUE(static_cast<bool>(first)) << llvm::toString(first.takeError());
  ASSERT_TRUE(static_cast<bool>(second)) << llvm::toString(second.takeError());
  EXPECT_EQ(first->bytes, second->bytes);
}

TEST_P(CodegenTest, FourThreadsCompileAtOnce) {
  std::vector<std::string> errors(4);
  std::vector<std::thread> threads;
  for (std::string &error : errors)
    threads.emplace_back([&error] {
      for (int i = 0; i < 3; ++i)
        if (auto result = compile(kAdd, GetParam()); !result)
          error = llvm::toString(result.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    EXPECT_EQ(error, "");
}

TEST_P(CodegenTest, AnOpWithoutLoweringIsNamedWithItsLine) {
  auto result = compile(R"mlir(
gpu.module @kernels {
  gpu.func @k(%a: tensor<4xf32>) kernel {
    %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    gpu.return
  }
})mlir",
                        GetParam());
  ASSERT_FALSE(static_cast<bool>(result));
  std::string error = llvm::toString(result.takeError());
  EXPECT_NE(error.find("test.mlir:3:3"), std::string::npos) << error;
}

TEST(Codegen, AnUnknownTargetIsAnError) {
  auto result = compile(kAdd, "gfx000");
  ASSERT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(llvm::toString(result.takeError()), "unknown target 'gfx000'");
}

INSTANTIATE_TEST_SUITE_P(Targets, CodegenTest,
                         testing::Values("gfx942", "gfx950"));
