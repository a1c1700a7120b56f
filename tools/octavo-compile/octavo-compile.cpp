//===- octavo-compile.cpp - The compiler on a file ------------------------===//
//
// octavo-compile IN.mlir --target TARGET [--emit STAGE] [-o OUT]
//
// Without --emit it writes the code object, and the program beside it as JSON.
//
//===----------------------------------------------------------------------===//

#include "octavo/Codegen/Driver.h"
#include "octavo/Init/Init.h"
#include "octavo/Target/TargetInfo.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("octavo-compile");
static cl::opt<std::string> inputName(cl::Positional, cl::desc("IN.mlir"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputName("o", cl::desc("Output file"),
                                       cl::value_desc("file"), cl::init("-"),
                                       cl::cat(category));
static cl::opt<std::string>
    target("target", cl::desc("GPU; the default is the module's octavo.target"),
           cl::cat(category));
static cl::opt<std::string>
    emit("emit",
         cl::desc("What to write: a phase's result (octavo, kernels, "
                  "tile, layout, lane, llvm), llvm-ir, asm, resources, "
                  "program (JSON) or hsaco"),
         cl::init("hsaco"), cl::cat(category));
static cl::opt<unsigned> threads("code-threads",
                                 cl::desc("Threads that generate code"),
                                 cl::init(1), cl::cat(category));
static cl::opt<bool> showTimes("times", cl::desc("Print each stage's time"),
                               cl::cat(category));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "octavo-compile: " << message << "\n";
  return 1;
}

static int write(const std::string &name, llvm::StringRef bytes) {
  std::error_code error;
  llvm::ToolOutputFile file(name, error, llvm::sys::fs::OF_None);
  if (error)
    return fail(name + ": " + error.message());
  file.os() << bytes;
  file.keep();
  return 0;
}

static void printRemarks(llvm::ArrayRef<octavo::Message> messages) {
  for (const octavo::Message &message : messages) {
    if (!message.location.empty())
      llvm::errs() << message.location << ": ";
    llvm::errs() << (message.severity == mlir::DiagnosticSeverity::Warning
                         ? "warning: "
                         : "remark: ")
                 << message.text << "\n";
  }
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Octavo's compiler\n");
  auto input = llvm::MemoryBuffer::getFileOrSTDIN(inputName, /*IsText=*/true);
  if (!input)
    return fail(inputName + ": " + input.getError().message());

  // lld puts all options of the process back to their defaults.
  const std::string stage = emit, output = outputName;
  const bool printsTimes = showTimes;
  mlir::DialectRegistry registry;
  octavo::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  octavo::CompileOptions options;
  options.target = target;
  options.threads = threads;
  llvm::StringRef text = (*input)->getBuffer();
  if (stage != "hsaco" && stage != "program") {
    auto result = octavo::emitStage(context, text, options, stage);
    if (!result)
      return fail(llvm::toString(result.takeError()));
    return write(output, *result);
  }
  auto program = octavo::compileProgram(context, text, options);
  if (!program)
    return fail(llvm::toString(program.takeError()));
  printRemarks(program->remarks);
  if (printsTimes)
    for (const auto &[name, ms] : program->times.get())
      llvm::errs() << llvm::format("%10.2f ms  %s\n", ms, name.c_str());
  if (stage == "program")
    return write(output, program->json + "\n");
  return write(output,
               llvm::StringRef(program->code.data(), program->code.size()));
}
