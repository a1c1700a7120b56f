//===- BuildId.cpp - Which bits of code are running -----------------------===//
//
// The linker's build id (a hash of the output) stands in a note of each loaded
// file. Where a linker wrote none, the file itself is hashed.
//
//===----------------------------------------------------------------------===//

#include "octavo/Support/BuildId.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include <dlfcn.h>
#include <link.h>

namespace {
struct Search {
  uintptr_t address;
  std::string id;
};
} // namespace

static std::string readNote(const uint8_t *note, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    auto *header = reinterpret_cast<const ElfW(Nhdr) *>(note);
    size_t nameBytes = (header->n_namesz + 3) & ~3u;
    size_t total = sizeof(*header) + nameBytes + ((header->n_descsz + 3) & ~3u);
    if (total > size)
      return "";
    const uint8_t *name = note + sizeof(*header);
    if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
        llvm::StringRef(reinterpret_cast<const char *>(name), 3) == "GNU")
      return llvm::toHex({name + nameBytes, header->n_descsz});
    note += total;
    size -= total;
  }
  return "";
}

static int visitFile(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool contains = false;
  std::string id;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto &segment = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD)
      contains |=
          search.address >= start && search.address < start + segment.p_memsz;
    if (segment.p_type == PT_NOTE && id.empty())
      id = readNote(reinterpret_cast<const uint8_t *>(start), segment.p_memsz);
  }
  if (!contains)
    return 0;
  search.id = id;
  return 1;
}

/// The id of the loaded file around `address`.
static std::string identify(const void *address) {
  Search search = {reinterpret_cast<uintptr_t>(address), ""};
  dl_iterate_phdr(visitFile, &search);
  if (!search.id.empty())
    return search.id;
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return "";
  auto file = llvm::MemoryBuffer::getFile(info.dli_fname);
  if (!file)
    return "";
  return llvm::toHex(
      llvm::SHA256::hash(llvm::arrayRefFromStringRef((*file)->getBuffer())));
}

const std::string &octavo::getBuildId() {
  static const std::string id =
      identify(reinterpret_cast<const void *>(&visitFile)) + "-" +
      identify(reinterpret_cast<const void *>(&llvm::SHA256::hash));
  return id;
}
