//===- CodeCacheTest.cpp - Compiled graphs on disk ------------------------===//

#include "octavo/Runtime/CodeCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <fstream>
#include <thread>

using octavo::runtime::CodeCache;

namespace {

/// A folder that is gone after the test.
struct TemporaryFolder {
  TemporaryFolder() {
    llvm::sys::fs::createUniqueDirectory("octavo-cache-test", path);
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  std::string text() const { return std::string(path); }
  llvm::SmallString<128> path;
};

std::string pathOf(const TemporaryFolder &folder, const std::string &key) {
  return folder.text() + "/" + key.substr(0, 2) + "/" + key;
}

} // namespace

TEST(CodeCache, WhatIsStoredIsFound) {
  TemporaryFolder folder;
  CodeCache cache(folder.text());
  std::string key = CodeCache::makeKey({"module", "options", "target"});
  EXPECT_FALSE(cache.lookUp(key));
  llvm::StringRef binary("a\0b", 3);
  ASSERT_FALSE(static_cast<bool>(cache.store(key, {"{}", binary, ""})));
  auto parts = cache.lookUp(key);
  ASSERT_TRUE(parts.has_value());
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0], "{}");
  EXPECT_EQ((*parts)[1], binary.str());
  EXPECT_EQ((*parts)[2], "");
}

TEST(CodeCache, KeysTellPartsApart) {
  EXPECT_EQ(CodeCache::makeKey({"ab", "c"}), CodeCache::makeKey({"ab", "c"}));
  EXPECT_NE(CodeCache::makeKey({"ab", "c"}), CodeCache::makeKey({"a", "bc"}));
  EXPECT_EQ(CodeCache::makeKey({"a"}).size(), 64u);
}

TEST(CodeCache, EveryDamagedByteMakesAnEntryAbsent) {
  TemporaryFolder folder;
  CodeCache cache(folder.text());
  std::string key = CodeCache::makeKey({"x"});
  ASSERT_FALSE(static_cast<bool>(cache.store(key, {"payload", "code"})));
  std::string good;
  {
    std::ifstream file(pathOf(folder, key), std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    std::ofstream(pathOf(folder, key), std::ios::binary) << bad;
    EXPECT_FALSE(cache.lookUp(key)) << "byte " << i;
  }
  std::ofstream(pathOf(folder, key), std::ios::binary)
      << good.substr(0, good.size() - 1);
  EXPECT_FALSE(cache.lookUp(key));
  // Storing again repairs it.
  ASSERT_FALSE(static_cast<bool>(cache.store(key, {"payload", "code"})));
  EXPECT_TRUE(cache.lookUp(key));
}

TEST(CodeCache, AnEntryUnderAnotherNameIsNotTrusted) {
  TemporaryFolder folder;
  CodeCache cache(folder.text());
  std::string key = CodeCache::makeKey({"x"}),
              other = CodeCache::makeKey({"y"});
  ASSERT_FALSE(static_cast<bool>(cache.store(key, {"payload"})));
  ASSERT_FALSE(static_cast<bool>(cache.store(other, {"payload"})));
  llvm::sys::fs::copy_file(pathOf(folder, key), pathOf(folder, other));
  EXPECT_FALSE(cache.lookUp(other));
}

TEST(CodeCache, AFolderThatCannotBeWrittenIsAnErrorNotACrash) {
  CodeCache cache("/proc/octavo-cannot-be-here");
  llvm::Error error = cache.store(CodeCache::makeKey({"x"}), {"payload"});
  EXPECT_TRUE(static_cast<bool>(error));
  llvm::consumeError(std::move(error));
  EXPECT_FALSE(cache.lookUp(CodeCache::makeKey({"x"})));
}

TEST(CodeCache, ManyWritersLeaveOneWholeEntry) {
  TemporaryFolder folder;
  std::string key = CodeCache::makeKey({"x"});
  std::string payload(100000, 'p');
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      CodeCache cache(folder.text());
      for (int j = 0; j < 20; ++j) {
        llvm::consumeError(cache.store(key, {payload}));
        auto parts = cache.lookUp(key);
        ASSERT_TRUE(parts.has_value());
        EXPECT_EQ((*parts)[0], payload);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
