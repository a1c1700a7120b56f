//===- ReadResources.cpp - What an object says about its kernels ----------===//
//
// LLVM writes a MessagePack document into a note of the object
// (NT_AMDGPU_METADATA; LLVM's AMDGPUUsage, "Code Object V5 Metadata").
//
//===----------------------------------------------------------------------===//

#include "octavo/Codegen/CodeObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

using namespace octavo;
using ELFFile = llvm::object::ELF64LEFile;

static llvm::Expected<llvm::StringRef> findMetadata(const ELFFile &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto note : file.notes(section, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::consumeError(std::move(error));
      return note.getDescAsStringRef(section.sh_addralign);
    }
    if (error)
      return std::move(error);
  }
  return llvm::createStringError("the object has no AMDGPU metadata");
}

static uint32_t readCount(llvm::msgpack::MapDocNode &kernel,
                          llvm::StringRef key) {
  auto it = kernel.find(key);
  if (it == kernel.end() || it->second.getKind() != llvm::msgpack::Type::UInt)
    return 0;
  return static_cast<uint32_t>(it->second.getUInt());
}

llvm::Expected<std::vector<KernelResources>>
octavo::readKernelResources(llvm::StringRef object) {
  auto file = ELFFile::create(object);
  if (!file)
    return file.takeError();
  auto metadata = findMetadata(*file);
  if (!metadata)
    return metadata.takeError();
  llvm::msgpack::Document document;
  if (!document.readFromBlob(*metadata, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return llvm::createStringError("the AMDGPU metadata is damaged");
  std::vector<KernelResources> result;
  auto list = document.getRoot().getMap().find("amdhsa.kernels");
  if (list == document.getRoot().getMap().end() || !list->second.isArray())
    return result;
  for (llvm::msgpack::DocNode &node : list->second.getArray()) {
    if (!node.isMap())
      return llvm::createStringError("the AMDGPU metadata is damaged");
    llvm::msgpack::MapDocNode &kernel = node.getMap();
    KernelResources resources;
    auto name = kernel.find(".name");
    if (name == kernel.end() || !name->second.isString())
      return llvm::createStringError("a kernel of the metadata has no name");
    resources.name = name->second.getString().str();
    resources.vgprs = readCount(kernel, ".vgpr_count");
    resources.agprs = readCount(kernel, ".agpr_count");
    resources.sgprs = readCount(kernel, ".sgpr_count");
    resources.vgprSpills = readCount(kernel, ".vgpr_spill_count");
    resources.sgprSpills = readCount(kernel, ".sgpr_spill_count");
    resources.ldsBytes = readCount(kernel, ".group_segment_fixed_size");
    resources.scratchBytes = readCount(kernel, ".private_segment_fixed_size");
    resources.kernargBytes = readCount(kernel, ".kernarg_segment_size");
    resources.maxLanes = readCount(kernel, ".max_flat_workgroup_size");
    result.push_back(std::move(resources));
  }
  return result;
}
