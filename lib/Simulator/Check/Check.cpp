//===- Check.cpp - Launches that report what is wrong ---------------------===//

#include "octavo/Simulator/Check.h"
#include "lib/Simulator/Check/Checker.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>

using namespace octavo::sim;
using llvm::StringRef;

llvm::Expected<CheckLevel> octavo::sim::getCheckLevel() {
  const char *text = getenv("OCTAVO_SIM_CHECK");
  int level = llvm::StringSwitch<int>(text ? text : "off")
                  .Cases({"", "off", "0"}, 0)
                  .Case("fast", 1)
                  .Case("full", 2)
                  .Default(-1);
  if (level < 0)
    return llvm::createStringError(
        llvm::Twine("OCTAVO_SIM_CHECK is off, fast or full, not ") + text);
  return CheckLevel(level);
}

void octavo::sim::fillUninitialized(void *memory, size_t bytes) {
  auto *words = static_cast<uint32_t *>(memory);
  std::fill_n(words, bytes / 4, check::kUninitialized);
}

StringRef octavo::sim::getCheckName(CheckKind kind) {
  switch (kind) {
  case CheckKind::Unwaited:
    return "unwaited load";
  case CheckKind::Hazard:
    return "hazard";
  case CheckKind::OutOfBounds:
    return "out of bounds";
  case CheckKind::UseAfterFree:
    return "use after free";
  case CheckKind::Race:
    return "race";
  case CheckKind::Uninitialized:
    return "uninitialized";
  case CheckKind::Barrier:
    return "barrier divergence";
  case CheckKind::Deadlock:
    return "deadlock";
  case CheckKind::Misaligned:
    return "misaligned";
  case CheckKind::PartialExec:
    return "partial EXEC";
  case CheckKind::Limit:
    return "limit";
  }
  return "";
}

std::string CheckReport::text() const {
  return llvm::formatv(
      "{0}: {1}: {2}, at {3:x} '{4}'{5} (workgroup {6},{7},{8} wave {9}{10})",
      kernel, getCheckName(kind), message, address, instruction,
      source.empty() ? "" : " (" + source + ")", workgroup[0], workgroup[1],
      workgroup[2], wave,
      lane < 0 ? std::string() : " lane " + std::to_string(lane));
}

llvm::Expected<LaunchReport>
octavo::sim::launchChecked(const CodeObject &object,
                           const KernelDescriptor &kernel,
                           const LaunchConfig &config, CheckLevel level,
                           std::optional<llvm::ArrayRef<MemoryExtent>> memory,
                           std::vector<CheckReport> &findings) {
  if (level == CheckLevel::Off)
    return launch(object, kernel, config);
  check::LaunchChecker checker(object, kernel, level, memory, findings);
  LaunchConfig checked = config;
  checked.observer = &checker;
  return launch(object, kernel, checked);
}
