//===- CodeObject.cpp - A loaded AMDGPU code object -----------------------===//

#include "octavo/Simulator/CodeObject.h"
#include "Metadata.h"
#include "Program.h"
#include "SourceLines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <sys/mman.h>

using namespace octavo::sim;
using llvm::StringRef;
using ELF = llvm::object::ELF64LE;

CodeObject::CodeObject() = default;

CodeObject::~CodeObject() {
  if (image)
    munmap(image, imageBytes);
}

const KernelDescriptor *CodeObject::lookupKernel(StringRef name) const {
  for (const KernelDescriptor &kernel : kernelList)
    if (kernel.name == name || kernel.symbol == name)
      return &kernel;
  return nullptr;
}

std::optional<DeviceVariable> CodeObject::lookupVariable(StringRef name) const {
  for (const auto &[variable, place] : variables)
    if (variable == name)
      return place;
  return std::nullopt;
}

StringRef CodeObject::archOf(uint32_t elfFlags) {
  // LLVM's own look-up is undefined for numbers that it does not know.
  switch (elfFlags & llvm::ELF::EF_AMDGPU_MACH) {
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942:
    return "gfx942";
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950:
    return "gfx950";
  default:
    return "";
  }
}

llvm::Expected<size_t> CodeObject::sizeOfElf(const void *start) {
  ELF::Ehdr header;
  memcpy(&header, start, sizeof(header));
  if (!header.checkMagic() || header.getFileClass() != llvm::ELF::ELFCLASS64)
    return llvm::createStringError("not a 64-bit ELF file");
  size_t end = header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ELF::Phdr segment;
    memcpy(&segment,
           static_cast<const char *>(start) + header.e_phoff +
               i * header.e_phentsize,
           sizeof(segment));
    end = std::max<size_t>(end, segment.p_offset + segment.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    ELF::Shdr section;
    memcpy(&section,
           static_cast<const char *>(start) + header.e_shoff +
               i * header.e_shentsize,
           sizeof(section));
    if (section.sh_type != llvm::ELF::SHT_NOBITS)
      end = std::max<size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

namespace octavo::sim {

/// The steps of loading, on one ELF file.
struct CodeObjectLoader {
  const llvm::object::ELFObjectFile<ELF> &object;
  const llvm::object::ELFFile<ELF> &file;
  CodeObject &result;

  struct Symbol {
    std::string name;
    uint64_t value, size;
    uint8_t type;
    bool defined, executable;
  };
  std::vector<Symbol> symbols;
  std::vector<KernelMetadata> metadata;

  llvm::Error run();
  llvm::Error copySegments();
  llvm::Error readSymbols();
  llvm::Error relocate();
  llvm::Error applyRelocation(const ELF::Rela &relocation,
                              const ELF::Shdr &symbolTable);
  llvm::Error readMetadata();
  llvm::Error readKernels();
  llvm::Error readKernel(const KernelMetadata &meta);
  llvm::Error decode();
  uint8_t *at(uint64_t address) const {
    return static_cast<uint8_t *>(result.image) + address;
  }
  bool contains(uint64_t address, uint64_t size) const {
    return address <= result.imageBytes && size <= result.imageBytes - address;
  }
};

} // namespace octavo::sim

/// No real code object is larger; a header that says so lies.
static constexpr uint64_t MaxImageBytes = uint64_t(1) << 30;
/// Scratch of a lane: 13 bits of 256 dwords for a wave (COMPUTE_TMPRING_SIZE).
static constexpr uint32_t MaxPrivateBytes = 1 << 17;
/// Far beyond what any compiler or runtime passes.
static constexpr uint32_t MaxKernargBytes = 1 << 20;
/// More than any chip has.
static constexpr uint32_t MaxLdsBytes = 1 << 20;
/// What a wave can start with, with room (the hardware sets 16).
static constexpr uint32_t MaxUserScalars = 32;

/// Scalar registers that are set before the first instruction, without the
/// workgroup's numbers.
static uint32_t userScalars(const KernelDescriptor &kernel) {
  static const uint32_t sizes[] = {4, 2, 2, 2, 2, 2, 1};
  uint32_t count = kernel.preloadDwords;
  for (unsigned bit = 0; bit < std::size(sizes); ++bit)
    if (kernel.codeProperties >> bit & 1)
      count += sizes[bit];
  return count;
}

/// What metadata and descriptor claim must be possible.
static llvm::Error checkKernel(const KernelDescriptor &kernel) {
  auto bad = [&](const llvm::Twine &what) {
    return llvm::createStringError("kernel " + kernel.name + " " + what);
  };
  if (kernel.waveSize != 64)
    return bad("has waves of " + llvm::Twine(kernel.waveSize) +
               " lanes; the simulator runs waves of 64");
  if (kernel.privateBytes > MaxPrivateBytes)
    return bad("wants " + llvm::Twine(kernel.privateBytes) +
               " bytes of scratch for a lane");
  if (kernel.kernargBytes > MaxKernargBytes)
    return bad("wants " + llvm::Twine(kernel.kernargBytes) +
               " bytes of arguments");
  if (kernel.ldsBytes > MaxLdsBytes)
    return bad("wants " + llvm::Twine(kernel.ldsBytes) + " bytes of LDS");
  if (userScalars(kernel) > MaxUserScalars)
    return bad("wants " + llvm::Twine(userScalars(kernel)) +
               " scalar registers set when it starts");
  for (const KernelArgument &argument : kernel.arguments)
    if (argument.offset > kernel.kernargBytes ||
        argument.size > kernel.kernargBytes - argument.offset)
      return bad("has an argument at " + llvm::Twine(argument.offset) +
                 ", outside its " + llvm::Twine(kernel.kernargBytes) +
                 " bytes of arguments");
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::copySegments() {
  llvm::Expected<ELF::PhdrRange> segments = file.program_headers();
  if (!segments)
    return segments.takeError();
  uint64_t end = 0, copied = 0;
  for (const ELF::Phdr &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_LOAD)
      continue;
    if (segment.p_vaddr > MaxImageBytes ||
        segment.p_memsz > MaxImageBytes - segment.p_vaddr)
      return llvm::createStringError("a segment ends beyond 1 GiB");
    if (segment.p_offset > file.getBufSize() ||
        segment.p_filesz > file.getBufSize() - segment.p_offset ||
        segment.p_filesz > segment.p_memsz)
      return llvm::createStringError("a segment lies outside the ELF file");
    copied += segment.p_filesz;
    if (copied > file.getBufSize())
      return llvm::createStringError(
          "the segments together hold more than the ELF file");
    end = std::max<uint64_t>(end, segment.p_vaddr + segment.p_memsz);
  }
  if (end == 0)
    return llvm::createStringError("the ELF file has nothing to load");
  // A page beyond the end: wide scalar loads may look past a small variable.
  result.imageBytes = (end + 8191) & ~uint64_t(4095);
  void *image = mmap(nullptr, result.imageBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED)
    return llvm::createStringError("no memory for a code object of " +
                                   llvm::Twine(result.imageBytes) + " bytes");
  result.image = image;
  for (const ELF::Phdr &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_LOAD)
      continue;
    memcpy(at(segment.p_vaddr), file.base() + segment.p_offset,
           segment.p_filesz);
  }
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::readSymbols() {
  llvm::Expected<ELF::ShdrRange> sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const ELF::Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB &&
        section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto range = file.symbols(&section);
    auto names = file.getStringTableForSymtab(section, *sections);
    if (!range)
      return range.takeError();
    if (!names)
      return names.takeError();
    for (const ELF::Sym &symbol : *range) {
      llvm::Expected<StringRef> name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      bool executable =
          symbol.st_shndx < sections->size() &&
          ((*sections)[symbol.st_shndx].sh_flags & llvm::ELF::SHF_EXECINSTR);
      symbols.push_back({name->str(), symbol.st_value, symbol.st_size,
                         symbol.getType(),
                         symbol.st_shndx != llvm::ELF::SHN_UNDEF, executable});
    }
  }
  for (const Symbol &symbol : symbols)
    if (symbol.defined && symbol.type == llvm::ELF::STT_OBJECT &&
        !StringRef(symbol.name).ends_with(".kd") &&
        contains(symbol.value, symbol.size) &&
        !result.lookupVariable(symbol.name))
      result.variables.push_back(
          {symbol.name, {at(symbol.value), symbol.size}});
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::applyRelocation(const ELF::Rela &relocation,
                                              const ELF::Shdr &symbolTable) {
  uint32_t type = relocation.getType(false);
  uint64_t value = uint64_t(result.image) + relocation.r_addend;
  if (uint32_t index = relocation.getSymbol(false)) {
    llvm::Expected<const ELF::Sym *> symbol =
        file.getEntry<ELF::Sym>(symbolTable, index);
    if (!symbol)
      return symbol.takeError();
    if ((*symbol)->st_shndx == llvm::ELF::SHN_UNDEF)
      return llvm::createStringError(
          "a relocation needs a symbol that the code object does not define");
    value += (*symbol)->st_value;
  }
  uint64_t place = relocation.r_offset;
  if (!contains(place, 8))
    return llvm::createStringError(
        "a relocation lies outside the loaded segments");
  uint64_t relative = value - (uint64_t(result.image) + place);
  uint64_t written = value;
  unsigned bytes = 8;
  switch (type) {
  case llvm::ELF::R_AMDGPU_RELATIVE64:
  case llvm::ELF::R_AMDGPU_ABS64:
    break;
  case llvm::ELF::R_AMDGPU_ABS32_LO:
  case llvm::ELF::R_AMDGPU_ABS32:
    bytes = 4;
    break;
  case llvm::ELF::R_AMDGPU_ABS32_HI:
    written = value >> 32;
    bytes = 4;
    break;
  case llvm::ELF::R_AMDGPU_REL64:
    written = relative;
    break;
  case llvm::ELF::R_AMDGPU_REL32:
  case llvm::ELF::R_AMDGPU_REL32_LO:
    written = relative;
    bytes = 4;
    break;
  case llvm::ELF::R_AMDGPU_REL32_HI:
    written = relative >> 32;
    bytes = 4;
    break;
  default:
    return llvm::createStringError("relocation type " + llvm::Twine(type) +
                                   " is not known");
  }
  memcpy(at(place), &written, bytes);
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::relocate() {
  llvm::Expected<ELF::ShdrRange> sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const ELF::Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA ||
        !(section.sh_flags & llvm::ELF::SHF_ALLOC))
      continue;
    auto relocations = file.relas(section);
    auto symbolTable = file.getSection(section.sh_link);
    if (!relocations)
      return relocations.takeError();
    if (!symbolTable)
      return symbolTable.takeError();
    for (const ELF::Rela &relocation : *relocations)
      if (llvm::Error error = applyRelocation(relocation, **symbolTable))
        return error;
  }
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::readMetadata() {
  llvm::Expected<ELF::PhdrRange> segments = file.program_headers();
  if (!segments)
    return segments.takeError();
  for (const ELF::Phdr &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const ELF::Note note : file.notes(segment, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::Expected<std::vector<KernelMetadata>> parsed =
          parseMetadata(note.getDescAsStringRef(4));
      if (!parsed)
        return llvm::joinErrors(std::move(error), parsed.takeError());
      llvm::append_range(metadata, std::move(*parsed));
    }
    if (error)
      return error;
  }
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::readKernel(const KernelMetadata &meta) {
  auto symbol = llvm::find_if(symbols, [&](const Symbol &s) {
    return s.defined && s.name == meta.kernel.symbol;
  });
  llvm::amdhsa::kernel_descriptor_t descriptor;
  if (symbol == symbols.end() || !contains(symbol->value, sizeof(descriptor)))
    return llvm::createStringError("kernel " + meta.kernel.name +
                                   " has no descriptor " + meta.kernel.symbol);
  memcpy(&descriptor, at(symbol->value), sizeof(descriptor));
  KernelDescriptor kernel = meta.kernel;
  kernel.kernargBytes =
      std::max<uint32_t>(kernel.kernargBytes, descriptor.kernarg_size);
  kernel.ldsBytes =
      std::max<uint32_t>(kernel.ldsBytes, descriptor.group_segment_fixed_size);
  kernel.privateBytes = std::max<uint32_t>(
      kernel.privateBytes, descriptor.private_segment_fixed_size);
  kernel.rsrc1 = descriptor.compute_pgm_rsrc1;
  kernel.rsrc2 = descriptor.compute_pgm_rsrc2;
  kernel.rsrc3 = descriptor.compute_pgm_rsrc3;
  kernel.codeProperties = descriptor.kernel_code_properties;
  kernel.dynamicStack |= kernel.codeProperties >> 11 & 1;
  kernel.preloadDwords = descriptor.kernarg_preload & 0x7f;
  kernel.preloadOffsetDwords = descriptor.kernarg_preload >> 7 & 0x1ff;
  kernel.vgprs = ((kernel.rsrc1 & 63) + 1) * 8;
  kernel.accumOffset = ((kernel.rsrc3 & 63) + 1) * 4;
  kernel.entry =
      symbol->value + uint64_t(descriptor.kernel_code_entry_byte_offset);
  if (llvm::Error error = checkKernel(kernel))
    return error;
  if (!contains(kernel.entry, 4))
    return llvm::createStringError("kernel " + kernel.name +
                                   " begins outside the loaded segments");
  result.kernelList.push_back(std::move(kernel));
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::readKernels() {
  for (const KernelMetadata &meta : metadata)
    if (llvm::Error error = readKernel(meta))
      return error;
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::decode() {
  llvm::Expected<ELF::PhdrRange> segments = file.program_headers();
  if (!segments)
    return segments.takeError();
  // Code is what the file holds, not what a segment adds in memory.
  auto isInFile = [&](const Symbol &symbol) {
    return llvm::any_of(*segments, [&](const ELF::Phdr &segment) {
      return segment.p_type == llvm::ELF::PT_LOAD &&
             symbol.value >= segment.p_vaddr &&
             symbol.value - segment.p_vaddr <= segment.p_filesz &&
             symbol.size <= segment.p_filesz - (symbol.value - segment.p_vaddr);
    });
  };
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const Symbol &symbol : symbols) {
    if (!symbol.defined || !symbol.executable || !symbol.size ||
        symbol.type != llvm::ELF::STT_FUNC)
      continue;
    if (!isInFile(symbol))
      return llvm::createStringError("the function " + symbol.name +
                                     " lies outside the loaded segments");
    ranges.push_back({symbol.value, symbol.size});
  }
  // Hand-written code may have no sizes: such a kernel ends where its segment
  // does.
  for (const KernelDescriptor &kernel : result.kernelList) {
    bool known = llvm::any_of(ranges, [&](auto r) {
      return kernel.entry >= r.first && kernel.entry < r.first + r.second;
    });
    for (const ELF::Phdr &segment : *segments)
      if (!known && segment.p_type == llvm::ELF::PT_LOAD &&
          kernel.entry >= segment.p_vaddr &&
          kernel.entry < segment.p_vaddr + segment.p_filesz)
        ranges.push_back(
            {kernel.entry, segment.p_vaddr + segment.p_filesz - kernel.entry});
  }
  llvm::sort(ranges);
  llvm::Expected<std::unique_ptr<Program>> program = Program::create(
      result.archName,
      {static_cast<uint8_t *>(result.image), result.imageBytes}, ranges);
  if (!program)
    return program.takeError();
  result.code = std::move(*program);
  return llvm::Error::success();
}

llvm::Error CodeObjectLoader::run() {
  result.archName = CodeObject::archOf(file.getHeader().e_flags);
  if (result.archName.empty())
    return llvm::createStringError("the ELF file is for no chip that the "
                                   "simulator knows (gfx942, gfx950)");
  if (llvm::Error error = copySegments())
    return error;
  if (llvm::Error error = readSymbols())
    return error;
  if (llvm::Error error = relocate())
    return error;
  if (llvm::Error error = readMetadata())
    return error;
  if (llvm::Error error = readKernels())
    return error;
  return decode();
}

llvm::Expected<std::shared_ptr<CodeObject>>
CodeObject::load(llvm::ArrayRef<uint8_t> elf) {
  StringRef bytes(reinterpret_cast<const char *>(elf.data()), elf.size());
  auto object = llvm::object::ELFObjectFile<ELF>::create(
      llvm::MemoryBufferRef(bytes, "code object"));
  if (!object)
    return object.takeError();
  if (object->getELFFile().getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    return llvm::createStringError("the ELF file is not for an AMD GPU");
  std::shared_ptr<CodeObject> result(new CodeObject());
  CodeObjectLoader loader{*object, object->getELFFile(), *result, {}, {}};
  if (llvm::Error error = loader.run())
    return error;
  result->lines = SourceLines::create(elf);
  return result;
}

std::string CodeObject::sourceLine(uint64_t address) const {
  return lines ? lines->at(address) : std::string();
}
