//===- Program.cpp - The decoded instructions of a code object ------------===//

#include "Program.h"
#include "Bind.h"

#include "llvm/Support/xxhash.h"

using namespace octavo::sim;
using llvm::StringRef;

const Inst *Program::at(uint64_t offset) const {
  if (offset % 4 || offset / 4 >= instAt.size() || instAt[offset / 4] == ~0u)
    return nullptr;
  return &insts[instAt[offset / 4]];
}

bool Program::parse(const Decoder &decoder, const Inst &inst,
                    ParsedInst &parsed) const {
  return inst.address < image.size() &&
         decoder.decode(image.drop_front(inst.address), inst.address, parsed);
}

std::string Program::text(const Inst &inst) const {
  llvm::Expected<std::unique_ptr<Decoder>> decoder = Decoder::create(archName);
  if (!decoder) {
    llvm::consumeError(decoder.takeError());
    return names[inst.mnemonic].name;
  }
  ParsedInst parsed;
  if (!parse(**decoder, inst, parsed))
    return names[inst.mnemonic].name;
  std::string text = StringRef(parsed.text).trim().str();
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(StringRef arch, llvm::ArrayRef<uint8_t> image,
                llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ranges) {
  llvm::Expected<std::unique_ptr<Decoder>> decoder = Decoder::create(arch);
  if (!decoder)
    return decoder.takeError();
  auto program = std::make_unique<Program>();
  program->archName = arch.str();
  program->image = image;
  program->imageBase = uint64_t(image.data());
  uint64_t end = 0;
  for (auto [start, size] : ranges)
    end = std::max(end, start + size);
  program->instAt.assign(end / 4 + 1, ~0u);
  Binder binder(*program, Isa::get());
  ParsedInst parsed;
  for (auto [start, size] : ranges) {
    // In order: a range that is there twice must not cancel itself.
    program->imageHash = program->imageHash * 0x9E3779B97F4A7C15 +
                         llvm::xxh3_64bits(image.slice(start, size)) + start;
    for (uint64_t at = start; at < start + size;) {
      if (program->instAt[at / 4] != ~0u)
        break; // an alias of a function that is already there
      unsigned bytes = (*decoder)->decode(
          image.slice(at, std::min<uint64_t>(start + size - at, 64)), at,
          parsed);
      if (bytes)
        binder.bind(parsed, at, bytes);
      else
        binder.bindUnknownBytes(at);
      at += bytes ? bytes : 4;
    }
  }
  if (llvm::Error error = binder.takeErrors())
    return error;
  binder.link();
  return program;
}
