//===- Coverage.cpp - What was executed, by name and modifier -------------===//

#include "Coverage.h"
#include "Decode.h"
#include "Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

using namespace octavo::sim;
using llvm::StringRef;

namespace {

/// The words of one instruction: its encoding and each modifier. A value is
/// part of the word where it names a behaviour and not just a number.
std::set<std::string> wordsOf(const ParsedInst &inst) {
  static const StringRef forms[] = {"plain", "e32", "e64", "dpp", "sdwa"};
  std::set<std::string> words = {forms[unsigned(inst.form)].str()};
  for (const ParsedModifier &modifier : inst.modifiers) {
    if (modifier.name.contains('('))
      continue; // the counters of s_waitcnt
    bool number = !modifier.value.empty() &&
                  (llvm::isDigit(modifier.value.front()) ||
                   StringRef("[-").contains(modifier.value.front()));
    bool named = modifier.name == "cbsz" || modifier.name == "blgp" ||
                 modifier.name == "mul" || modifier.name == "div" ||
                 modifier.name == "row_bcast" ||
                 modifier.name.starts_with("op_sel") ||
                 modifier.name.starts_with("neg_");
    std::string word = modifier.name.str();
    if (modifier.value.starts_with("swizzle("))
      word = "swizzle:" + modifier.value.drop_front(8).split(',').first.str();
    else if (!modifier.value.empty() && (!number || named))
      word += ":" + modifier.value.str();
    words.insert(word);
  }
  for (const ParsedOperand &operand : inst.operands) {
    for (auto [present, word] :
         {std::pair(operand.neg, "neg"), std::pair(operand.abs, "abs"),
          std::pair(operand.sext, "sext")})
      if (present)
        words.insert(word);
    if (operand.kind == ParsedOperand::Agpr)
      words.insert("agpr");
  }
  return words;
}

/// Counts of this process, written to a file at its end.
class Coverage {
public:
  explicit Coverage(StringRef folder) : folder(folder) {}

  ~Coverage() {
    std::error_code code;
    unsigned id = unsigned(llvm::sys::Process::getProcessId());
    llvm::raw_fd_ostream file((folder + "/" + llvm::Twine(id) + ".tsv").str(),
                              code, llvm::sys::fs::CD_OpenAlways,
                              llvm::sys::fs::FA_Write,
                              llvm::sys::fs::OF_Append);
    if (code) {
      llvm::errs() << "OCTAVO_SIM_COVERAGE: " << folder << ": "
                   << code.message() << "\n";
      return;
    }
    for (const auto &[line, count] : counts)
      file << line << "\t" << count << "\n";
  }

  void add(const Program &program, llvm::ArrayRef<uint64_t> executed) {
    const char *test = getenv("PYTEST_CURRENT_TEST");
    std::string where = test ? StringRef(test).split(" (").first.str() : "";
    std::lock_guard<std::mutex> lock(mutex);
    const std::vector<std::set<std::string>> &words = wordsOfProgram(program);
    for (const Inst &inst : program.instructions())
      if (uint64_t count = executed[inst.ordinal])
        for (const std::string &word : words[inst.ordinal])
          counts[program.arch().str() + "\t" +
                 program.mnemonics()[inst.mnemonic].name + "\t" + word + "\t" +
                 where] += count;
  }

private:
  /// Decoded once for equal code.
  const std::vector<std::set<std::string>> &
  wordsOfProgram(const Program &program) {
    auto [it, inserted] =
        known.try_emplace({program.hash(), program.instructions().size()},
                          program.instructions().size());
    if (!inserted)
      return it->second;
    std::unique_ptr<Decoder> decoder =
        llvm::cantFail(Decoder::create(program.arch()));
    ParsedInst parsed;
    for (const Inst &inst : program.instructions())
      if (program.parse(*decoder, inst, parsed))
        it->second[inst.ordinal] = wordsOf(parsed);
    return it->second;
  }

  std::string folder;
  std::mutex mutex;
  std::map<std::string, uint64_t> counts;
  std::map<std::pair<uint64_t, size_t>, std::vector<std::set<std::string>>>
      known;
};

} // namespace

void octavo::sim::recordCoverage(const Program &program,
                                 llvm::ArrayRef<uint64_t> counts) {
  static const char *folder = getenv("OCTAVO_SIM_COVERAGE");
  if (!folder || !*folder)
    return;
  static Coverage coverage(folder);
  coverage.add(program, counts);
}
