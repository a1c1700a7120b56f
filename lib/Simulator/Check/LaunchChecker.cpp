//===- LaunchChecker.cpp - What the workgroups of a launch share ----------===//

#include "lib/Simulator/Check/Checker.h"

#include "llvm/Support/FormatVariadic.h"

using namespace octavo::sim;
using namespace octavo::sim::check;
using llvm::StringRef;

namespace {

Space spaceOfName(const Inst &inst, StringRef name) {
  switch (inst.cls) {
  case Class::ScalarMemory:
    return Space::Global;
  case Class::Lds:
    return Space::Lds;
  case Class::VectorMemory:
    return name.starts_with("scratch_") ? Space::Scratch
           : name.starts_with("flat_")  ? Space::Flat
                                        : Space::Global;
  default:
    return Space::None;
  }
}

RegisterLimits limitsOf(const KernelDescriptor &kernel) {
  unsigned split = std::min(kernel.accumOffset, unsigned(FirstAccumulation));
  unsigned vector = std::min(split, kernel.vgprs);
  return {vector, kernel.vgprs > split ? kernel.vgprs - split : 0};
}

} // namespace

LaunchChecker::LaunchChecker(const CodeObject &object,
                             const KernelDescriptor &kernel, CheckLevel level,
                             std::optional<llvm::ArrayRef<MemoryExtent>> memory,
                             std::vector<CheckReport> &findings)
    : object(object), kernel(kernel), paths(object.program(), limitsOf(kernel)),
      level(level), memory(memory), findings(findings) {
  const Program &program = object.program();
  for (const Inst &inst : program.instructions())
    spaces.push_back(
        spaceOfName(inst, program.mnemonics()[inst.mnemonic].name));
  lastExtent.resize(spaces.size());
}

LaunchChecker::~LaunchChecker() = default;

void LaunchChecker::beginLaunch(const LaunchState &state) {
  launch = &state;
  if (!memory)
    return;
  for (const MemoryExtent &extent : *memory)
    map.add(extent.base, extent.bytes, extent.isFreed);
  for (const std::vector<uint8_t> *block :
       {&state.kernarg, &state.packet, &state.queue})
    map.add(uint64_t(block->data()), block->size());
  map.add(object.program().base(), object.program().imageSize());
  map.sort();
}

Observer *LaunchChecker::select(uint64_t workgroup) {
  if (idle.empty())
    idle.push_back(std::make_unique<GroupChecker>(*this));
  groups.push_back(std::move(idle.back()));
  idle.pop_back();
  groups.back()->setNumber(workgroup);
  return groups.back().get();
}

void LaunchChecker::retire(GroupChecker &group) {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].get() != &group)
      continue;
    idle.push_back(std::move(groups[i]));
    groups.erase(groups.begin() + i);
    return;
  }
}

std::string LaunchChecker::place(uint32_t ordinal) const {
  const Inst &inst = object.program().instructions()[ordinal];
  std::string text =
      llvm::formatv("{0:x} '{1}'", inst.address, object.program().text(inst));
  std::string source = object.sourceLine(inst.address);
  return source.empty() ? text : text + " (" + source + ")";
}

void LaunchChecker::report(CheckKind kind, const Wave &wave, const Inst &inst,
                           int lane, const llvm::Twine &message) {
  if (!seen.insert({kind, inst.ordinal}).second)
    return;
  CheckReport report;
  report.kind = kind;
  report.kernel = kernel.name;
  report.address = inst.address;
  report.instruction = object.program().text(inst);
  report.source = object.sourceLine(inst.address);
  for (unsigned i = 0; i < 3; ++i)
    report.workgroup[i] = wave.group->id[i];
  report.wave = wave.index;
  report.lane = lane;
  report.message = message.str();
  findings.push_back(std::move(report));
}

void LaunchChecker::reportPath(const Wave &wave, const PathFinding &finding) {
  const Inst &inst = object.program().instructions()[finding.ordinal];
  std::string registers = describe(finding.span);
  switch (finding.problem) {
  case PathProblem::Unwaited:
    return report(CheckKind::Unwaited, wave, inst, -1,
                  "uses " + registers + " before " + place(finding.producer) +
                      " has ended: a wait is missing");
  case PathProblem::Overwritten:
    return report(CheckKind::Unwaited, wave, inst, -1,
                  "writes " + registers + ", which " + place(finding.producer) +
                      " has yet to write");
  case PathProblem::Hazard:
    return report(
        CheckKind::Hazard, wave, inst, -1,
        llvm::formatv("{0}: {1} wait states after {2}, {3} are needed{4}",
                      finding.rule, finding.present, place(finding.producer),
                      finding.needed,
                      finding.span.count ? " (" + registers + ")" : "")
            .str());
  case PathProblem::Limit:
    return report(CheckKind::Limit, wave, inst, -1,
                  llvm::formatv("{0}: the wave has {1} such registers",
                                registers, finding.present)
                      .str());
  }
}

bool LaunchChecker::checkBounds(const Wave &wave, const Inst &inst,
                                llvm::ArrayRef<uint64_t> addresses,
                                uint64_t lanes, uint32_t bytes) {
  if (!memory)
    return true;
  const MemoryExtent *&last = lastExtent[inst.ordinal];
  bool isFlat = spaces[inst.ordinal] == Space::Flat;
  uint64_t base = last ? last->base : 0, size = last ? last->bytes : 0;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctzll(rest));
    uint64_t address = addresses[lane < addresses.size() ? lane : 0];
    uint64_t offset = address - base;
    if (offset < size && size - offset >= bytes)
      continue;
    if (isFlat && address >= SharedAperture)
      continue;
    if (const MemoryExtent *extent = map.find(address, bytes)) {
      last = extent;
      base = extent->base;
      size = extent->bytes;
      continue;
    }
    CheckKind kind;
    std::string where = map.describe(address, bytes, kind);
    report(kind, wave, inst, int(lane),
           ((inst.flags & Store) ? "writes " : "reads ") + where);
    return false;
  }
  return true;
}
