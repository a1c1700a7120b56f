//===- SourceLines.cpp - Source lines of instructions ---------------------===//

#include "SourceLines.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <mutex>

using namespace octavo::sim;
using ELF = llvm::object::ELF64LE;

struct SourceLines::Tables {
  std::string bytes;
  std::unique_ptr<llvm::object::ELFObjectFile<ELF>> object;
  std::unique_ptr<llvm::DWARFContext> dwarf;
  std::mutex mutex;
};

SourceLines::SourceLines() : tables(std::make_unique<Tables>()) {}
SourceLines::~SourceLines() = default;

static bool hasLineTable(const llvm::object::ELFObjectFile<ELF> &object) {
  for (const llvm::object::SectionRef &section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      llvm::consumeError(name.takeError());
    else if (*name == ".debug_line")
      return true;
  }
  return false;
}

std::unique_ptr<SourceLines> SourceLines::create(llvm::ArrayRef<uint8_t> elf) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(elf.data()), elf.size());
  auto object = llvm::object::ELFObjectFile<ELF>::create(
      llvm::MemoryBufferRef(bytes, "code object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return nullptr;
  }
  if (!hasLineTable(*object))
    return nullptr;
  std::unique_ptr<SourceLines> lines(new SourceLines());
  lines->tables->bytes = bytes.str();
  return lines;
}

std::string SourceLines::at(uint64_t address) const {
  std::lock_guard lock(tables->mutex);
  if (!tables->dwarf) {
    auto object = llvm::object::ELFObjectFile<ELF>::create(
        llvm::MemoryBufferRef(tables->bytes, "code object"));
    if (!object) {
      llvm::consumeError(object.takeError());
      return {};
    }
    tables->object =
        std::make_unique<llvm::object::ELFObjectFile<ELF>>(std::move(*object));
    // What is wrong with a table is no concern of a report's.
    auto ignore = [](llvm::Error error) {
      llvm::consumeError(std::move(error));
    };
    tables->dwarf = llvm::DWARFContext::create(
        *tables->object, llvm::DWARFContext::ProcessDebugRelocations::Ignore,
        nullptr, "", ignore, ignore);
  }
  llvm::DILineInfoSpecifier specifier(
      llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue,
      llvm::DILineInfoSpecifier::FunctionNameKind::None);
  std::optional<llvm::DILineInfo> line =
      tables->dwarf->getLineInfoForAddress({address}, specifier);
  if (!line || !*line || line->Line == 0)
    return {};
  return line->FileName + ":" + std::to_string(line->Line);
}
