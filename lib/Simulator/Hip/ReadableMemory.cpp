//===- ReadableMemory.cpp - Asking whether bytes can be read --------------===//

#include "lib/Simulator/Hip/ReadableMemory.h"

#include <unistd.h>

using namespace octavo::hip;

/// Code objects are smaller; what claims more is not one.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 32;
static constexpr uintptr_t kPage = 4096;

ReadableMemory::~ReadableMemory() {
  if (pipes[0] < 0)
    return;
  close(pipes[0]);
  close(pipes[1]);
}

/// write() refuses bytes that the process may not read.
bool ReadableMemory::probe(uintptr_t address) {
  if (pipes[0] < 0 && pipe(pipes) != 0)
    return false;
  if (write(pipes[1], reinterpret_cast<const void *>(address), 1) != 1)
    return false;
  char byte;
  return read(pipes[0], &byte, 1) == 1;
}

bool ReadableMemory::covers(uint64_t bytes) {
  if (bytes > kMaxBytes || start + bytes < start)
    return false;
  while (end < start + bytes) {
    if (!probe(end))
      return false;
    end = (end / kPage + 1) * kPage;
  }
  return true;
}
