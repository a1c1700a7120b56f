//===- ProgramTest.cpp - The executor on a library that notes launches ----===//

#include "octavo/Runtime/Program.h"

#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using octavo::runtime::Program;

extern "C" {
extern unsigned long standInLaunches;
extern unsigned standInGrid[3], standInBlock[3];
extern unsigned char standInArguments[4096];
extern size_t standInArgumentBytes;
extern void *standInStream;
extern const char *standInFunction;
extern int standInFailure;
}

namespace {

const std::string kCode = "xx\x7f"
                          "ELFcode";

std::string makeText(const std::string &steps,
                     const std::string &kernel = "scale") {
  return R"({"version": 1, "target": "any",
    "inputs": [{"shape": [4, 8], "strides": [8, 1], "dtype": "f32"}],
    "outputs": [{"shape": [4, 8], "strides": [1, 4], "dtype": "bf16"}],
    "workspace_bytes": 256,
    "objects": [{"offset": 2, "bytes": 8}],
    "kernels": [{"name": ")" +
         kernel + R"(", "object": 0, "lanes": 128, "kernarg_bytes": 40}],
    "steps": [)" +
         steps + "]}";
}

const char *kLaunch = R"({"launch": 0, "grid": [3, 2, 1],
  "args": [{"input": 0}, {"i32": -7}, {"workspace": 64}, {"f32": 0.5}, {"output": 0}]})";
const char *kCall = R"({"call": "aten.topk.default"})";

std::string errorOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

template <typename T> T argumentAt(size_t offset) {
  T value;
  std::memcpy(&value, standInArguments + offset, sizeof(T));
  return value;
}

} // namespace

TEST(Program, ALaunchGetsItsAddressesAndConstants) {
  auto program = Program::load(makeText(kLaunch), kCode);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  uint64_t inputs[] = {0x1000}, outputs[] = {0x2000};
  int stream;
  EXPECT_EQ(errorOf((*program)->run({inputs, outputs, 0x3000}, &stream)), "");
  EXPECT_STREQ(standInFunction, "scale");
  EXPECT_EQ(standInStream, &stream);
  EXPECT_EQ(standInGrid[0], 3u);
  EXPECT_EQ(standInGrid[1], 2u);
  EXPECT_EQ(standInBlock[0], 128u);
  ASSERT_EQ(standInArgumentBytes, 40u);
  EXPECT_EQ(argumentAt<uint64_t>(0), 0x1000u);
  EXPECT_EQ(argumentAt<int32_t>(8), -7);
  EXPECT_EQ(argumentAt<uint64_t>(16), 0x3040u); // aligned to 8
  EXPECT_EQ(argumentAt<float>(24), 0.5f);
  EXPECT_EQ(argumentAt<uint64_t>(32), 0x2000u);
}

TEST(Program, StepsOfPythonDivideIntoSegments) {
  std::string steps =
      std::string(kLaunch) + "," + kLaunch + "," + kCall + "," + kLaunch;
  auto program = Program::load(makeText(steps), kCode);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  auto segments = (*program)->getSegments();
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].end - segments[0].begin, 2u);
  EXPECT_EQ(segments[1].step, 2);
  EXPECT_EQ(segments[2].end - segments[2].begin, 1u);
  uint64_t inputs[] = {0x1000}, outputs[] = {0x2000};
  unsigned long before = standInLaunches;
  EXPECT_EQ(errorOf((*program)->run(0, {inputs, outputs, 0x3000}, nullptr)),
            "");
  EXPECT_EQ(standInLaunches, before + 2);
  EXPECT_EQ(errorOf((*program)->run({inputs, outputs, 0x3000}, nullptr)),
            "step 2 is done by Python: run the segments one by one");
}

TEST(Program, ThreadsDoNotShareArgumentBlocks) {
  auto program = Program::load(makeText(kLaunch), kCode);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  unsigned long before = standInLaunches;
  std::thread other([&] {
    uint64_t inputs[] = {0x5000}, outputs[] = {0x6000};
    EXPECT_EQ(errorOf((*program)->run({inputs, outputs, 0x7000}, nullptr)), "");
  });
  other.join();
  EXPECT_EQ(argumentAt<uint64_t>(0), 0x5000u);
  EXPECT_EQ(standInLaunches, before + 1);
}

TEST(Program, WrongNumbersOfAddressesAreErrors) {
  auto program = Program::load(makeText(kLaunch), kCode);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  uint64_t inputs[] = {0x1000}, outputs[] = {0x2000};
  EXPECT_EQ(errorOf((*program)->run({inputs, {}, 0x3000}, nullptr)),
            "the program has 1 inputs and 1 outputs, got 1 and 0");
  EXPECT_EQ(errorOf((*program)->run({inputs, outputs, 0}, nullptr)),
            "the program needs a workspace of 256 bytes");
}

TEST(Program, AFailedLaunchNamesTheKernel) {
  auto program = Program::load(makeText(kLaunch), kCode);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  uint64_t inputs[] = {0x1000}, outputs[] = {0x2000};
  standInFailure = 719;
  EXPECT_EQ(errorOf((*program)->run({inputs, outputs, 0x3000}, nullptr)),
            "kernel 'scale': stand-in error (719)");
  standInFailure = 0;
}

TEST(Program, AKernelThatTheCodeLacksIsNamedAtTheFirstRun) {
  auto program = Program::load(makeText(kLaunch, "missing_one"), kCode);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  uint64_t inputs[] = {0x1000}, outputs[] = {0x2000};
  EXPECT_EQ(errorOf((*program)->run({inputs, outputs, 0x3000}, nullptr)),
            "kernel 'missing_one': stand-in error (500)");
}

TEST(Program, MalformedTextsAreErrors) {
  auto errorOfText = [](const std::string &text) {
    auto program = Program::load(text, kCode);
    return program ? std::string() : llvm::toString(program.takeError());
  };
  EXPECT_EQ(errorOfText("[]"), "program: the text is not an object");
  EXPECT_EQ(errorOfText("{}"), "program: unknown version");
  EXPECT_EQ(errorOfText(makeText(
                R"({"launch": 0, "grid": [1, 1, 1], "args": [{"input": 3}]})")),
            "program: there is no input 3");
  EXPECT_EQ(
      errorOfText(makeText(
          R"({"launch": 0, "grid": [1, 1, 1], "args": [{"input": 0}]})")),
      "program: kernel 'scale' takes 40 bytes of arguments, the launch has 8");
  EXPECT_EQ(
      errorOfText(makeText(R"({"launch": 0, "grid": [1, 0, 1], "args": []})")),
      "program: a grid's size is a number from 1");
  EXPECT_EQ(errorOfText(makeText(R"({"wait": 1})")),
            "program: step 0 is neither a launch nor a call");
}
