//===- CodeCache.h - Compiled graphs on disk --------------------*- C++ -*-===//
//
// One file per entry, named by the SHA-256 of what was compiled and by what.
// Entries are written aside and renamed, so any number of processes may share a
// folder; each carries a checksum, and a damaged one counts as absent.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_RUNTIME_CODECACHE_H
#define OCTAVO_RUNTIME_CODECACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace octavo::runtime {

class CodeCache {
public:
  /// OCTAVO_CACHE_DIR, else "octavo" in the user's cache folder.
  static std::string getDefaultFolder();

  explicit CodeCache(std::string folder) : folder(std::move(folder)) {}

  /// The name of the entry for these texts (module, options, target) and this
  /// build of Octavo.
  static std::string makeKey(llvm::ArrayRef<llvm::StringRef> parts);

  /// The parts that were stored, or nothing.
  std::optional<std::vector<std::string>> lookUp(llvm::StringRef key) const;

  /// Stores an entry. The error (full disk, no permission) is for a warning:
  /// the compiled result is as good without the cache.
  llvm::Error store(llvm::StringRef key,
                    llvm::ArrayRef<llvm::StringRef> parts) const;

private:
  std::string getPath(llvm::StringRef key) const;
  std::string folder;
};

} // namespace octavo::runtime

#endif // OCTAVO_RUNTIME_CODECACHE_H
