//===- FuzzTest.cpp - Damaged code objects and random code ----------------===//
//
// Mutates real code objects and loads what comes out, and decodes random words,
// for OCTAVO_FUZZ_SECONDS (default 20). Every input must be loaded or refused
// with a message: no crash, none that takes long, none that takes much memory.
// OCTAVO_FUZZ_SEED repeats a run.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Program.h"
#include "octavo/Simulator/CodeObject.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

using namespace octavo::sim;
using Bytes = std::vector<uint8_t>;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double MaxSeconds = 10;
constexpr long MaxGrowthKiB = 512 * 1024;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
long peakKiB() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}
uint64_t variable(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, nullptr, 0) : otherwise;
}

Bytes readKernels(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(OCTAVO_TEST_KERNELS) +
                                            "/" + name + ".hsaco");
  if (!buffer)
    return {};
  llvm::StringRef bytes = (*buffer)->getBuffer();
  return Bytes(bytes.bytes_begin(), bytes.bytes_end());
}

template <class T> T at(const Bytes &bytes, size_t offset) {
  T value = {};
  if (offset + sizeof(T) <= bytes.size())
    memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Offsets at which a header, a table, a segment or a section begins or ends.
std::vector<size_t> boundaries(const Bytes &bytes) {
  using namespace llvm::ELF;
  auto header = at<Elf64_Ehdr>(bytes, 0);
  std::vector<size_t> result = {0, 4, 16, sizeof(header)};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    size_t entry = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto segment = at<Elf64_Phdr>(bytes, entry);
    result.insert(result.end(), {entry, segment.p_offset,
                                 segment.p_offset + segment.p_filesz});
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    size_t entry = header.e_shoff + i * sizeof(Elf64_Shdr);
    auto section = at<Elf64_Shdr>(bytes, entry);
    result.insert(result.end(),
                  {entry, entry + sizeof(section), section.sh_offset,
                   section.sh_offset + section.sh_size});
  }
  return result;
}

class FuzzTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    object = readKernels(std::string("ladder-") + GetParam());
    if (object.empty())
      object = readKernels(std::string("basic-") + GetParam());
    ASSERT_FALSE(object.empty());
    seed = variable("OCTAVO_FUZZ_SEED", std::random_device{}());
    random.seed(seed);
    std::cout << "OCTAVO_FUZZ_SEED=" << seed << "\n";
    load(object); // what is allocated once
    before = peakKiB();
  }

  /// Loads; a refusal must say why. Returns whether it was loaded.
  bool load(const Bytes &bytes) {
    auto start = Clock::now();
    llvm::Expected<std::shared_ptr<CodeObject>> loaded =
        CodeObject::load(bytes);
    bool good = bool(loaded);
    if (!good)
      EXPECT_FALSE(llvm::toString(loaded.takeError()).empty());
    EXPECT_LT(secondsSince(start), MaxSeconds) << "seed " << seed;
    return good;
  }

  uint64_t below(uint64_t limit) { return random() % limit; }

  /// A number that is often wrong in a size or an offset.
  uint64_t hostile() {
    static const uint64_t numbers[] = {0,
                                       1,
                                       3,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       1 << 30,
                                       (1 << 30) - 4096,
                                       uint64_t(1) << 62,
                                       uint64_t(1) << 63,
                                       ~uint64_t(0),
                                       ~uint64_t(0) - 7,
                                       ~uint64_t(0) - 4095};
    return below(4) ? numbers[below(std::size(numbers))] : random();
  }

  void overwrite(Bytes &bytes, size_t offset, uint64_t value, size_t size) {
    if (offset + size <= bytes.size())
      memcpy(bytes.data() + offset, &value, size);
  }

  Bytes mutate() {
    Bytes bytes = object;
    static const size_t sizes[] = {1, 2, 4, 8};
    std::vector<size_t> places = boundaries(object);
    for (uint64_t count = 1 + below(4); count--;) {
      size_t size = sizes[below(4)];
      size_t place = places[below(places.size())];
      switch (below(5)) {
      case 0: // any byte
        bytes[below(bytes.size())] = uint8_t(random());
        break;
      case 1: // a field of a header or table
        overwrite(bytes, place + 4 * below(16), hostile(), size);
        break;
      case 2: // a field of the ELF header
        overwrite(bytes, below(64), hostile(), size);
        break;
      case 3: // near a boundary
        overwrite(bytes, place - std::min<size_t>(place, below(64)), random(),
                  size);
        break;
      default: // a number of the metadata, by its type's byte
        for (size_t i = 64 + below(bytes.size() / 2); i + 9 < bytes.size(); ++i)
          if (bytes[i] >= 0xcc && bytes[i] <= 0xcf) {
            overwrite(bytes, i + 1, hostile(), size);
            break;
          }
      }
    }
    if (below(8) == 0)
      bytes.resize(below(bytes.size()) + 1);
    return bytes;
  }

  Bytes object;
  uint64_t seed = 0;
  long before = 0;
  std::mt19937_64 random;
};

} // namespace

TEST_P(FuzzTest, TruncatedAtEveryBoundary) {
  for (size_t boundary : boundaries(object))
    for (int shift : {-1, 0, 1}) {
      size_t size = boundary + shift;
      if (size < object.size())
        EXPECT_FALSE(load(Bytes(object.begin(), object.begin() + size)))
            << size << " bytes";
    }
  EXPECT_LT(peakKiB() - before, MaxGrowthKiB);
}

TEST_P(FuzzTest, MutatedObjects) {
  auto start = Clock::now();
  double seconds = double(variable("OCTAVO_FUZZ_SECONDS", 20)) / 4;
  unsigned loaded = 0, all = 0;
  while (secondsSince(start) < seconds) {
    loaded += load(mutate());
    ++all;
  }
  std::cout << all << " objects, " << loaded << " of them loaded\n";
  EXPECT_GT(all, 20u);
  EXPECT_LT(peakKiB() - before, MaxGrowthKiB);
}

TEST_P(FuzzTest, RandomCode) {
  auto start = Clock::now();
  double seconds = double(variable("OCTAVO_FUZZ_SECONDS", 20)) / 4;
  // The high bits of the first word are the encoding: all of them often enough.
  std::vector<uint32_t> words(2048 + 4);
  unsigned all = 0;
  for (; secondsSince(start) < seconds; ++all) {
    for (uint32_t &word : words)
      word = below(3) ? uint32_t(random())
                      : uint32_t(random() & 0x3ffffff) | 0xc0000000u;
    auto program = Program::create(
        GetParam(),
        {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4},
        {{0, 8192}});
    if (!program) {
      EXPECT_FALSE(llvm::toString(program.takeError()).empty());
      continue;
    }
    for (const Inst &inst : (*program)->instructions())
      EXPECT_FALSE((*program)->text(inst).empty());
  }
  EXPECT_GT(all, 2u);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzTest,
                         testing::Values("gfx942", "gfx950"));
