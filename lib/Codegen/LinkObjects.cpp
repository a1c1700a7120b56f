//===- LinkObjects.cpp - Objects to one code object, with lld -------------===//

#include "octavo/Codegen/CodeObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

/// Runs ld.lld; one caller at a time, because lld's state is global.
static llvm::Error runLinker(llvm::ArrayRef<const char *> args) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return llvm::createStringError(
        "lld crashed earlier in this process and cannot run again");
  std::string messages;
  llvm::raw_string_ostream os(messages);
  lld::DriverDef driver = {lld::Gnu, &lld::elf::link};
  lld::Result result = lld::lldMain(args, os, os, {driver});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return llvm::createStringError("lld: " + messages);
  return llvm::Error::success();
}

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << bytes;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return llvm::createFileError(path, error);
  return llvm::Error::success();
}

llvm::Error octavo::linkObjects(llvm::ArrayRef<llvm::StringRef> objects,
                                llvm::SmallVectorImpl<char> &codeObject) {
  llvm::SmallString<128> directory;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("octavo", directory))
    return llvm::createFileError("temporary directory", error);
  llvm::scope_exit cleanUp(
      [&] { llvm::sys::fs::remove_directories(directory); });

  std::string output = (directory + "/linked.hsaco").str();
  std::vector<std::string> inputs;
  for (llvm::StringRef object : objects) {
    inputs.push_back(
        (directory + "/" + std::to_string(inputs.size()) + ".o").str());
    if (llvm::Error error = writeFile(inputs.back(), object))
      return error;
  }
  std::vector<const char *> args = {"ld.lld",
                                    "-shared",
                                    "--no-undefined",
                                    "--threads=1",
                                    "--no-mmap-output-file",
                                    "-o",
                                    output.c_str()};
  for (const std::string &input : inputs)
    args.push_back(input.c_str());
  if (llvm::Error error = runLinker(args))
    return error;
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createFileError(output, buffer.getError());
  codeObject.append((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return llvm::Error::success();
}
