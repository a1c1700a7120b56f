//===- octavo-sim.cpp - The GPU simulator on the command line -------------===//

#include "Commands.h"

#include "octavo/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo::sim;
namespace cl = llvm::cl;
using llvm::StringRef;

static cl::OptionCategory category("Options of octavo-sim");

static cl::SubCommand runCommand("run", "Run a kernel and print what it did");
static cl::SubCommand profileCommand("profile",
                                     "Run a kernel and predict its time");
static cl::SubCommand checkCommand("check",
                                   "Run a kernel and report what is wrong");
static cl::SubCommand infoCommand(
    "info", "Print the kernels of an object: descriptor, resources, occupancy");
static cl::SubCommand disasmCommand("disasm", "Print the instructions");
static cl::SubCommand
    isaCommand("isa", "Print the instructions that the simulator executes");
static cl::SubCommand envCommand(
    "env", "Print what to export so that HIP programs run on the simulator");

static cl::opt<std::string> object(cl::Positional, cl::Required,
                                   cl::desc("OBJECT.hsaco"), cl::cat(category),
                                   cl::sub(runCommand), cl::sub(checkCommand),
                                   cl::sub(profileCommand),
                                   cl::sub(infoCommand),
                                   cl::sub(disasmCommand));
static cl::opt<std::string> kernel(
    "kernel", cl::desc("Name of the kernel; may be left out if there is one"),
    cl::value_desc("NAME"), cl::cat(category), cl::sub(runCommand),
    cl::sub(checkCommand), cl::sub(profileCommand), cl::sub(disasmCommand));
static cl::opt<std::string> grid("grid", cl::desc("Workgroups (default 1)"),
                                 cl::value_desc("X[,Y[,Z]]"), cl::init("1"),
                                 cl::cat(category), cl::sub(runCommand),
                                 cl::sub(checkCommand),
                                 cl::sub(profileCommand));
static cl::opt<std::string>
    block("block", cl::desc("Work items of a workgroup (default 64)"),
          cl::value_desc("X[,Y[,Z]]"), cl::init("64"), cl::cat(category),
          cl::sub(runCommand), cl::sub(checkCommand), cl::sub(profileCommand),
          cl::sub(infoCommand));
static cl::opt<unsigned> lds("lds", cl::desc("Bytes of dynamic LDS"),
                             cl::value_desc("BYTES"), cl::cat(category),
                             cl::sub(runCommand), cl::sub(checkCommand),
                             cl::sub(profileCommand));
static cl::opt<bool> cooperative("cooperative",
                                 cl::desc("Launch for grid-wide barriers"),
                                 cl::cat(category), cl::sub(runCommand),
                                 cl::sub(checkCommand),
                                 cl::sub(profileCommand));
static cl::list<std::string>
    arguments("arg",
              cl::desc("The next argument: TYPE:VALUE, null, FILE.npy, or "
                       "TYPE[SHAPE]:zeros|ones|arange|uniform:SEED|randn:SEED"),
              cl::value_desc("ARGUMENT"), cl::cat(category),
              cl::sub(runCommand), cl::sub(checkCommand),
              cl::sub(profileCommand));
static cl::list<std::string>
    saves("save", cl::desc("Keep argument N (counted from 0) after the run"),
          cl::value_desc("N=FILE.npy"), cl::cat(category), cl::sub(runCommand),
          cl::sub(checkCommand), cl::sub(profileCommand));
static cl::opt<bool> sampled(
    "sampled",
    cl::desc("Run only the workgroups that the prediction needs, without "
             "matrix arithmetic that only data depends on; the arguments then "
             "do not hold the kernel's results"),
    cl::cat(category), cl::sub(profileCommand));
static cl::opt<std::string>
    trace("trace",
          cl::desc("Write the waves of a compute unit as trace events "
                   "(chrome://tracing, Perfetto)"),
          cl::value_desc("FILE.json"), cl::cat(category),
          cl::sub(profileCommand));
static cl::opt<std::string>
    plot("plot",
         cl::desc("Draw the roofline, the roofs and the waves of a compute "
                  "unit"),
         cl::value_desc("FILE.svg"), cl::cat(category),
         cl::sub(profileCommand));
static cl::opt<std::string> json("json", cl::desc("Write the report as JSON"),
                                 cl::value_desc("FILE"), cl::cat(category),
                                 cl::sub(runCommand), cl::sub(checkCommand),
                                 cl::sub(profileCommand));
static cl::opt<bool> fast("fast",
                          cl::desc("Leave out what costs much: races and "
                                   "uninitialized values"),
                          cl::cat(category), cl::sub(checkCommand));
static cl::opt<std::string>
    target("target", cl::desc("GPU to simulate (default: OCTAVO_TARGET)"),
           cl::value_desc("NAME"), cl::cat(category), cl::sub(envCommand));

static cl::extrahelp help(R"help(
EXAMPLES
  octavo-sim info kernels.hsaco
  octavo-sim run add.hsaco --kernel add --grid 4 --block 256 \
      --arg x.npy --arg f32[1024]:randn:7 --arg f32[1024]:zeros --arg i32:1024 --save 2=sum.npy
  octavo-sim check add.hsaco --kernel add --grid 4 --block 256 --arg x.npy ...
  octavo-sim profile add.hsaco --kernel add --grid 4 --block 256 ... --json profile.json --trace waves.json --plot profile.svg
  octavo-sim profile gemm.hsaco --sampled --grid 32,32 --block 512 ...      # a large launch in seconds
  eval "$(octavo-sim env)" && ./any-hip-program

EXIT CODES
  0  success
  1  the object holds instructions that the simulator does not know (one line `unknown instruction: NAME` for
     each), or the kernel failed
  2  the command line or a file is wrong
  3  check found something (one line each)

Types are those of MLIR (i32, bf16, f8E4M3FN ...). Arrays of formats that numpy lacks are saved as their bits.
)help");

/// Reads "X", "X,Y" or "X,Y,Z".
static llvm::Error parseDim(StringRef option, StringRef text,
                            std::array<uint32_t, 3> &dim) {
  llvm::SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  dim = {1, 1, 1};
  if (parts.size() > 3)
    return llvm::createStringError(option + " " + text +
                                   ": more than three dimensions");
  for (auto [index, part] : llvm::enumerate(parts))
    if (part.getAsInteger(10, dim[index]) || dim[index] == 0)
      return llvm::createStringError(option + " " + text +
                                     ": expected numbers from 1 to 2^32 - 1");
  return llvm::Error::success();
}

static llvm::Error readRunOptions(RunOptions &options) {
  options.object = object;
  options.kernel = kernel;
  options.dynamicLdsBytes = lds;
  options.cooperative = cooperative;
  options.json = json;
  options.sampled = sampled;
  options.fast = fast;
  options.trace = trace;
  options.plot = plot;
  if (sampled && !saves.empty())
    return llvm::createStringError(
        "--sampled leaves no results that --save could keep");
  options.arguments.assign(arguments.begin(), arguments.end());
  if (llvm::Error error = parseDim("--grid", grid, options.grid))
    return error;
  if (llvm::Error error = parseDim("--block", block, options.block))
    return error;
  for (StringRef save : saves) {
    auto [index, path] = save.split('=');
    unsigned number;
    if (index.getAsInteger(10, number) || path.empty())
      return llvm::createStringError("--save " + save +
                                     ": expected N=FILE.npy");
    if (number >= options.arguments.size())
      return llvm::createStringError("--save " + save + ": there are " +
                                     llvm::Twine(options.arguments.size()) +
                                     " arguments, counted from 0");
    options.saves.push_back({number, path.str()});
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  for (cl::SubCommand *command :
       {&runCommand, &checkCommand, &profileCommand, &infoCommand,
        &disasmCommand, &isaCommand, &envCommand})
    cl::HideUnrelatedOptions(category, *command);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "octavo-sim " << octavo::getVersion() << "\n";
  });
  if (!cl::ParseCommandLineOptions(argc, argv, "The GPU simulator of Octavo\n",
                                   &llvm::errs()))
    return kBadInput;
  if (envCommand)
    return showEnvironment(
        llvm::sys::fs::getMainExecutable(argv[0], (void *)&main), target);
  if (isaCommand)
    return showInstructions();
  if (disasmCommand)
    return disassemble(object, kernel);
  RunOptions options;
  if (llvm::Error error = readRunOptions(options))
    return fail(kBadInput, std::move(error));
  if (infoCommand)
    return showInfo(object,
                    block.getNumOccurrences()
                        ? options.block[0] * options.block[1] * options.block[2]
                        : 0);
  if (runCommand)
    return runKernel(options);
  if (checkCommand)
    return checkKernel(options);
  if (profileCommand)
    return profileKernel(options);
  cl::PrintHelpMessage();
  return kBadInput;
}
