//===- CodeCache.cpp - Compiled graphs on disk ----------------------------===//

#include "octavo/Runtime/CodeCache.h"

#include "octavo/Support/BuildId.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace octavo::runtime;

static constexpr llvm::StringLiteral kMagic = "octavo-cache-1\n";
static constexpr size_t kHashBytes = 32;

std::string CodeCache::getDefaultFolder() {
  auto read = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string given = read("OCTAVO_CACHE_DIR"); !given.empty())
    return given;
  std::string base = read("XDG_CACHE_HOME");
  if (base.empty())
    base = read("HOME") + "/.cache";
  return base + "/octavo";
}

static std::string hashText(llvm::StringRef text) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return std::string(reinterpret_cast<const char *>(hash.data()), hash.size());
}

/// The parts behind each other, each after its length.
static std::string pack(llvm::ArrayRef<llvm::StringRef> parts) {
  std::string text;
  for (llvm::StringRef part : parts) {
    char size[8];
    llvm::support::endian::write64le(size, part.size());
    text.append(size, 8);
    text += part;
  }
  return text;
}

static std::optional<std::vector<std::string>> unpack(llvm::StringRef text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    if (text.size() < 8)
      return std::nullopt;
    uint64_t size = llvm::support::endian::read64le(text.data());
    text = text.drop_front(8);
    if (size > text.size())
      return std::nullopt;
    parts.push_back(text.take_front(size).str());
    text = text.drop_front(size);
  }
  return parts;
}

std::string CodeCache::makeKey(llvm::ArrayRef<llvm::StringRef> parts) {
  std::vector<llvm::StringRef> all(parts.begin(), parts.end());
  all.push_back(getBuildId());
  return llvm::toHex(hashText(pack(all)), /*LowerCase=*/true);
}

std::string CodeCache::getPath(llvm::StringRef key) const {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, key.take_front(2), key);
  return std::string(path);
}

std::optional<std::vector<std::string>>
CodeCache::lookUp(llvm::StringRef key) const {
  auto file = llvm::MemoryBuffer::getFile(getPath(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  llvm::StringRef text = (*file)->getBuffer();
  if (!text.consume_front(kMagic) || text.size() < kHashBytes)
    return std::nullopt;
  llvm::StringRef hash = text.take_front(kHashBytes);
  llvm::StringRef body = text.drop_front(kHashBytes);
  if (hashText((key + body).str()) != hash)
    return std::nullopt;
  return unpack(body);
}

llvm::Error CodeCache::store(llvm::StringRef key,
                             llvm::ArrayRef<llvm::StringRef> parts) const {
  std::string path = getPath(key);
  if (std::error_code error =
          llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return llvm::createFileError(path, error);
  int descriptor = -1;
  llvm::SmallString<256> aside;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          path + ".%%%%%%%%", descriptor, aside))
    return llvm::createFileError(path, error);
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  std::string body = pack(parts);
  os << kMagic << hashText((key + body).str()) << body;
  os.close();
  std::error_code error = os.error();
  os.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(aside, path);
  if (!error)
    return llvm::Error::success();
  llvm::sys::fs::remove(aside);
  return llvm::createFileError(path, error);
}
