//===- Image.cpp - From bytes of a client to a code object ----------------===//
//
// Clients hand over a bare ELF, a bundle of clang (one ELF per target) or a
// compressed bundle, and mostly no size: it follows from the headers.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Hip/Module.h"
#include "lib/Simulator/Hip/ReadableMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo;
using namespace octavo::hip;
using llvm::StringRef;

static constexpr StringRef kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
static constexpr StringRef kCompressedMagic = "CCOB";
static constexpr StringRef kElfMagic = "\177ELF";
/// More than any bundle has; a larger count is nonsense in the header.
static constexpr uint64_t kMaxEntries = 4096, kMaxNameBytes = 4096;

static bool startsWith(const void *image, StringRef magic) {
  return std::memcmp(image, magic.data(), magic.size()) == 0;
}

namespace {
/// One code object of a bundle.
struct BundleEntry {
  StringRef name;
  uint64_t offset, bytes;
};

/// Reads a bundle's table of contents. Without a known size (`bytes` is then
/// the largest) `memory` says how far it may read.
class BundleReader {
public:
  BundleReader(const uint8_t *start, uint64_t bytes, ReadableMemory *memory)
      : start(start), bytes(bytes), memory(memory), at(kBundleMagic.size()) {}

  hipError_t read(llvm::SmallVectorImpl<BundleEntry> &entries) {
    uint64_t count;
    if (!take(count) || count > kMaxEntries)
      return bad("number of entries");
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t offset, size, nameBytes;
      if (!take(offset) || !take(size) || !take(nameBytes) ||
          nameBytes > kMaxNameBytes || !has(nameBytes))
        return bad("entry " + llvm::Twine(i));
      StringRef name(reinterpret_cast<const char *>(start) + at, nameBytes);
      at += nameBytes;
      if (offset > bytes || size > bytes - offset)
        return bad("extent of " + name);
      entries.push_back({name, offset, size});
    }
    return hipSuccess;
  }

private:
  /// The next `count` bytes are there.
  bool has(uint64_t count) {
    return count <= bytes - at && (!memory || memory->covers(at + count));
  }
  bool take(uint64_t &value) {
    if (!has(8))
      return false;
    value = llvm::support::endian::read64le(start + at);
    at += 8;
    return true;
  }
  hipError_t bad(const llvm::Twine &what) {
    return fail(hipErrorInvalidImage, "offload bundle: bad " + what);
  }

  const uint8_t *start;
  uint64_t bytes;
  ReadableMemory *memory;
  uint64_t at;
};
} // namespace

/// How well code for `name` ("hipv4-amdgcn-amd-amdhsa--gfx950:xnack-") fits the
/// device: 0 not at all, 1 without features, 2 with features that agree.
static int fits(StringRef name, StringRef arch) {
  if (!name.starts_with("hip"))
    return 0;
  llvm::SmallVector<StringRef, 4> parts;
  size_t at = name.find("gfx");
  if (at == StringRef::npos)
    return 0;
  name.substr(at).split(parts, ':');
  if (parts[0] != arch)
    return 0;
  for (StringRef feature : llvm::ArrayRef(parts).drop_front())
    if (feature == "xnack+" || feature == "sramecc-")
      return 0;
  return parts.size() > 1 ? 2 : 1;
}

static hipError_t unreadable() {
  return fail(hipErrorInvalidImage,
              "code object: its headers lead to memory that cannot be read");
}

static hipError_t loadElf(const uint8_t *start, size_t bytes,
                          std::shared_ptr<sim::CodeObject> &result) {
  auto object = sim::CodeObject::load({start, bytes});
  if (!object)
    return fail(hipErrorInvalidImage, object.takeError());
  StringRef arch = getState().target->arch;
  if ((*object)->arch() != arch)
    return fail(hipErrorNoBinaryForGpu, "code for " + (*object)->arch() +
                                            ", but the device is " + arch);
  result = std::move(*object);
  return hipSuccess;
}

static hipError_t loadBundle(const uint8_t *start, uint64_t bytes,
                             ReadableMemory *memory,
                             std::shared_ptr<sim::CodeObject> &result) {
  llvm::SmallVector<BundleEntry, 8> entries;
  if (hipError_t error = BundleReader(start, bytes, memory).read(entries))
    return error;
  StringRef arch = getState().target->arch;
  const BundleEntry *best = nullptr;
  int bestFit = 0;
  std::string names;
  for (const BundleEntry &entry : entries) {
    names += (names.empty() ? "" : ", ") + entry.name.str();
    if (int fit = fits(entry.name, arch); fit > bestFit) {
      best = &entry;
      bestFit = fit;
    }
  }
  if (!best)
    return fail(hipErrorNoBinaryForGpu,
                "no code for " + arch + " among: " + names);
  if (memory && !memory->covers(best->offset + best->bytes))
    return unreadable();
  return loadElf(start + best->offset, best->bytes, result);
}

static hipError_t loadCompressed(const uint8_t *start, uint64_t bytes,
                                 std::shared_ptr<sim::CodeObject> &result) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      StringRef(reinterpret_cast<const char *>(start), bytes), "bundle",
      /*RequiresNullTerminator=*/false);
  auto plain = llvm::object::CompressedOffloadBundle::decompress(*buffer);
  if (!plain)
    return fail(hipErrorInvalidImage, plain.takeError());
  StringRef text = (*plain)->getBuffer();
  if (!text.starts_with(kBundleMagic))
    return fail(hipErrorInvalidImage,
                "compressed bundle: holds no offload bundle");
  return loadBundle(text.bytes_begin(), text.size(), nullptr, result);
}

/// Bytes of a compressed bundle from its header (versions 2 and 3 say it).
static hipError_t getCompressedSize(const uint8_t *start, uint64_t &bytes) {
  uint16_t version = llvm::support::endian::read16le(start + 4);
  if (version == 2)
    bytes = llvm::support::endian::read32le(start + 8);
  else if (version == 3)
    bytes = llvm::support::endian::read64le(start + 8);
  else
    return fail(hipErrorInvalidImage, "compressed bundle of version " +
                                          llvm::Twine(version) +
                                          " without a size");
  return hipSuccess;
}

/// Bytes of the ELF file at `start`, if its tables can be read.
static llvm::Expected<size_t> getElfSize(const uint8_t *start,
                                         ReadableMemory &memory) {
  using llvm::support::endian::read16le;
  using llvm::support::endian::read64le;
  struct Table {
    uint64_t offset;
    uint16_t entryBytes, count;
    uint16_t leastBytes;
  };
  // Program headers (56 bytes each) and section headers (64).
  const Table tables[] = {
      {read64le(start + 32), read16le(start + 54), read16le(start + 56), 56},
      {read64le(start + 40), read16le(start + 58), read16le(start + 60), 64}};
  for (const Table &table : tables) {
    if (!table.count)
      continue;
    uint64_t end = table.offset + uint64_t(table.entryBytes) * table.count;
    if (table.entryBytes < table.leastBytes || end < table.offset ||
        !memory.covers(end))
      return llvm::createStringError("code object: its tables cannot be read");
  }
  return sim::CodeObject::sizeOfElf(start);
}

static hipError_t loadAny(const void *image,
                          std::shared_ptr<sim::CodeObject> &result) {
  if (!image)
    return fail(hipErrorInvalidValue, "code object: null pointer");
  if (!getState().target)
    return fail(hipErrorNoDevice, "loading code without a device");
  ReadableMemory memory(image);
  // The shortest header of the three kinds that means anything.
  if (!memory.covers(64))
    return unreadable();
  auto *start = static_cast<const uint8_t *>(image);
  if (startsWith(image, kElfMagic)) {
    llvm::Expected<size_t> bytes = getElfSize(start, memory);
    if (!bytes)
      return fail(hipErrorInvalidImage, bytes.takeError());
    return memory.covers(*bytes) ? loadElf(start, *bytes, result)
                                 : unreadable();
  }
  if (startsWith(image, kCompressedMagic)) {
    uint64_t bytes;
    if (hipError_t error = getCompressedSize(start, bytes))
      return error;
    return memory.covers(bytes) ? loadCompressed(start, bytes, result)
                                : unreadable();
  }
  if (startsWith(image, kBundleMagic))
    return loadBundle(start, SIZE_MAX / 2, &memory, result);
  return fail(hipErrorInvalidImage,
              "code object: neither an ELF file nor an offload bundle");
}

static hipError_t loadAny(llvm::ArrayRef<uint8_t> bytes,
                          std::shared_ptr<sim::CodeObject> &result) {
  if (!getState().target)
    return fail(hipErrorNoDevice, "loading code without a device");
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (text.starts_with(kElfMagic))
    return loadElf(bytes.data(), bytes.size(), result);
  if (text.starts_with(kCompressedMagic))
    return loadCompressed(bytes.data(), bytes.size(), result);
  if (text.starts_with(kBundleMagic))
    return loadBundle(bytes.data(), bytes.size(), nullptr, result);
  return fail(hipErrorInvalidImage,
              "code object: neither an ELF file nor an offload bundle");
}

/// Most clients show only the code's number; the reason goes to stderr.
static hipError_t explain(hipError_t error) {
  if (error != hipSuccess)
    llvm::errs() << "octavo simulator: " << getLastErrorText() << "\n";
  return error;
}

hipError_t hip::loadImage(const void *image,
                          std::shared_ptr<sim::CodeObject> &result) {
  return explain(loadAny(image, result));
}

hipError_t hip::loadBytes(llvm::ArrayRef<uint8_t> bytes,
                          std::shared_ptr<sim::CodeObject> &result) {
  return explain(loadAny(bytes, result));
}
