//===- Disassemble.cpp - disasm -------------------------------------------===//
//
// LLVM's disassembler over the code sections, with a label where a symbol
// begins. Bytes that are no instruction are shown as data.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace octavo::sim;
using llvm::outs;
using llvm::StringRef;

namespace {
/// LLVM's objects for one chip.
class Disassembler {
public:
  static llvm::Expected<std::unique_ptr<Disassembler>> create(StringRef cpu) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    std::string message;
    llvm::Triple triple("amdgcn-amd-amdhsa");
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(triple, message);
    if (!target)
      return llvm::createStringError(message);
    auto self = std::make_unique<Disassembler>();
    self->registers.reset(target->createMCRegInfo(triple));
    llvm::MCTargetOptions options;
    self->info.reset(
        target->createMCAsmInfo(*self->registers, triple, options));
    self->instructions.reset(target->createMCInstrInfo());
    self->subtarget.reset(target->createMCSubtargetInfo(triple, cpu, ""));
    self->context = std::make_unique<llvm::MCContext>(
        triple, self->info.get(), self->registers.get(), self->subtarget.get());
    self->decoder.reset(
        target->createMCDisassembler(*self->subtarget, *self->context));
    self->printer.reset(target->createMCInstPrinter(
        triple, 0, *self->info, *self->instructions, *self->registers));
    return self;
  }

  /// Prints the instruction at `address`; returns its size.
  uint64_t print(llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
    llvm::MCInst inst;
    uint64_t size;
    bool good =
        decoder->getInstruction(inst, size, bytes, address, llvm::nulls()) ==
        llvm::MCDisassembler::Success;
    if (!good || size == 0)
      size = std::min<uint64_t>(4, bytes.size());
    outs() << llvm::format("%8llx:  ", (unsigned long long)address);
    for (uint64_t i = 0; i + 4 <= std::max<uint64_t>(size, 8); i += 4)
      if (i + 4 <= size)
        outs() << llvm::format("%08x ",
                               llvm::support::endian::read32le(&bytes[i]));
      else
        outs().indent(9);
    if (good)
      printer->printInst(&inst, address, "", *subtarget, outs());
    else
      outs() << "\t(no instruction)";
    outs() << "\n";
    return size;
  }

private:
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

/// A named range of code.
struct Symbol {
  std::string name;
  uint64_t bytes;
};
} // namespace

/// Functions of the object by address.
static llvm::Expected<std::map<uint64_t, Symbol>>
readSymbols(const llvm::object::ELFObjectFileBase &object) {
  std::map<uint64_t, Symbol> symbols;
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    auto type = symbol.getType();
    if (!type)
      return type.takeError();
    if (*type != llvm::object::SymbolRef::ST_Function)
      continue;
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (!name)
      return name.takeError();
    if (!address)
      return address.takeError();
    symbols[*address] = {name->str(), symbol.getSize()};
  }
  return symbols;
}

static llvm::Error printObject(StringRef path, StringRef kernel) {
  auto binary = llvm::object::ObjectFile::createObjectFile(path);
  if (!binary)
    return binary.takeError();
  auto *object =
      llvm::dyn_cast<llvm::object::ELFObjectFileBase>(binary->getBinary());
  if (!object || object->getArch() != llvm::Triple::amdgcn)
    return llvm::createStringError("not a code object for an AMD GPU");
  StringRef arch = CodeObject::archOf(object->getPlatformFlags());
  if (arch.empty())
    return llvm::createStringError("for no chip that the simulator knows");
  auto disassembler = Disassembler::create(arch);
  if (!disassembler)
    return disassembler.takeError();
  auto symbols = readSymbols(*object);
  if (!symbols)
    return symbols.takeError();
  bool found = kernel.empty();
  for (const llvm::object::SectionRef section : object->sections()) {
    if (!section.isText())
      continue;
    auto text = section.getContents();
    if (!text)
      return text.takeError();
    uint64_t base = section.getAddress(), end = base + text->size();
    uint64_t until = kernel.empty() ? end : 0;
    for (uint64_t address = base; address < end;) {
      auto symbol = symbols->find(address);
      if (symbol != symbols->end()) {
        if (kernel.empty() || kernel == symbol->second.name) {
          (outs() << "\n").write_escaped(symbol->second.name) << ":\n";
          if (!kernel.empty())
            until = address + symbol->second.bytes;
          found = true;
        }
      }
      if (address >= until) {
        // Not wanted: on to the next symbol.
        auto next = symbols->upper_bound(address);
        address = next == symbols->end() ? end : next->first;
        continue;
      }
      llvm::ArrayRef<uint8_t> bytes(text->bytes_begin(), text->size());
      address +=
          (*disassembler)->print(bytes.drop_front(address - base), address);
    }
  }
  if (!found)
    return llvm::createStringError("no function " + kernel);
  return llvm::Error::success();
}

int octavo::sim::disassemble(StringRef path, StringRef kernel) {
  if (llvm::Error error = printObject(path, kernel))
    return fail(kBadInput, llvm::createStringError(
                               path + ": " + llvm::toString(std::move(error))));
  return kSuccess;
}
