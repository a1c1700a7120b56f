//===- Metadata.cpp - The metadata note of a code object ------------------===//

#include "Metadata.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

using namespace octavo::sim;
using llvm::StringRef;
using llvm::msgpack::DocNode;
using llvm::msgpack::MapDocNode;
using llvm::msgpack::Type;

namespace {

/// What does not fit becomes the largest number, which no limit allows.
uint32_t number(MapDocNode &map, StringRef key, uint32_t otherwise = 0) {
  auto it = map.find(key);
  if (it == map.end())
    return otherwise;
  uint64_t value = otherwise;
  if (it->second.getKind() == Type::UInt)
    value = it->second.getUInt();
  else if (it->second.getKind() == Type::Int)
    value = uint64_t(it->second.getInt()); // a negative one is too large
  return uint32_t(std::min<uint64_t>(value, UINT32_MAX));
}

std::string text(MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  return it != map.end() && it->second.isString() ? it->second.getString().str()
                                                  : std::string();
}

/// Reads one value; false if it is cut off, nested too deeply, or has a key
/// that is no string: LLVM's document ends the process over those.
bool hasNamedKeys(llvm::msgpack::Reader &reader, unsigned depth = 0) {
  llvm::msgpack::Object object;
  llvm::Expected<bool> read = reader.read(object);
  if (!read) {
    llvm::consumeError(read.takeError());
    return false;
  }
  if (!*read || depth > 32)
    return false;
  bool isMap = object.Kind == Type::Map;
  if (!isMap && object.Kind != Type::Array)
    return true;
  for (size_t i = 0; i < object.Length; ++i) {
    llvm::msgpack::Object key;
    if (isMap) {
      llvm::Expected<bool> found = reader.read(key);
      if (!found) {
        llvm::consumeError(found.takeError());
        return false;
      }
      if (!*found || key.Kind != Type::String)
        return false;
    }
    if (!hasNamedKeys(reader, depth + 1))
      return false;
  }
  return true;
}

void readArguments(MapDocNode &map, KernelDescriptor &kernel) {
  auto it = map.find(".args");
  if (it == map.end() || !it->second.isArray())
    return;
  for (DocNode &node : it->second.getArray()) {
    if (!node.isMap())
      continue;
    MapDocNode &argument = node.getMap();
    kernel.arguments.push_back(
        {text(argument, ".name"), number(argument, ".offset"),
         number(argument, ".size"), text(argument, ".value_kind")});
  }
}

KernelMetadata readKernel(MapDocNode &map) {
  KernelMetadata result;
  KernelDescriptor &kernel = result.kernel;
  kernel.name = text(map, ".name");
  kernel.symbol = text(map, ".symbol");
  kernel.kernargBytes = number(map, ".kernarg_segment_size");
  kernel.kernargAlign = number(map, ".kernarg_segment_align", 8);
  kernel.ldsBytes = number(map, ".group_segment_fixed_size");
  kernel.privateBytes = number(map, ".private_segment_fixed_size");
  kernel.reportedVgprs = number(map, ".vgpr_count");
  kernel.agprs = number(map, ".agpr_count");
  kernel.sgprs = number(map, ".sgpr_count");
  kernel.vgprSpills = number(map, ".vgpr_spill_count");
  kernel.sgprSpills = number(map, ".sgpr_spill_count");
  kernel.maxWorkgroupLanes = number(map, ".max_flat_workgroup_size", 1024);
  kernel.waveSize = number(map, ".wavefront_size", 64);
  auto dynamic = map.find(".uses_dynamic_stack");
  if (dynamic != map.end() && dynamic->second.getKind() == Type::Boolean)
    kernel.dynamicStack = dynamic->second.getBool();
  auto required = map.find(".reqd_workgroup_size");
  if (required != map.end() && required->second.isArray())
    for (unsigned i = 0; i < 3 && i < required->second.getArray().size(); ++i)
      if (required->second.getArray()[i].getKind() == Type::UInt)
        kernel.requiredWorkgroup[i] = required->second.getArray()[i].getUInt();
  readArguments(map, kernel);
  return result;
}

} // namespace

llvm::Expected<std::vector<KernelMetadata>>
octavo::sim::parseMetadata(StringRef note) {
  llvm::msgpack::Document document;
  llvm::msgpack::Reader reader(note);
  if (!hasNamedKeys(reader) || !document.readFromBlob(note, false) ||
      !document.getRoot().isMap())
    return llvm::createStringError(
        "the metadata note is not a map in message pack");
  MapDocNode &root = document.getRoot().getMap();
  std::vector<KernelMetadata> kernels;
  auto list = root.find("amdhsa.kernels");
  if (list == root.end() || !list->second.isArray())
    return llvm::createStringError(
        "the metadata note has no list amdhsa.kernels");
  for (DocNode &node : list->second.getArray())
    if (node.isMap())
      kernels.push_back(readKernel(node.getMap()));
  return kernels;
}
