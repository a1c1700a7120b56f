//===- ReadableMemory.h - Asking whether bytes can be read ------*- C++ -*-===//
//
// HIP hands over code objects without a size; what their headers claim may be a
// lie. The kernel is asked, page by page, before a claimed byte is touched.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_READABLEMEMORY_H
#define OCTAVO_LIB_SIMULATOR_HIP_READABLEMEMORY_H

#include <cstdint>

namespace octavo::hip {

/// The readable bytes from `start` on, found out as far as they are needed.
class ReadableMemory {
public:
  explicit ReadableMemory(const void *start)
      : start(reinterpret_cast<uintptr_t>(start)), end(this->start) {}
  ~ReadableMemory();
  ReadableMemory(const ReadableMemory &) = delete;
  ReadableMemory &operator=(const ReadableMemory &) = delete;

  /// True if the first `bytes` bytes can all be read.
  bool covers(uint64_t bytes);

private:
  bool probe(uintptr_t address);

  uintptr_t start, end;
  int pipes[2] = {-1, -1};
};

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_READABLEMEMORY_H
