//===- AddressMap.cpp - Where memory instructions may go ------------------===//

#include "lib/Simulator/Check/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace octavo::sim;
using namespace octavo::sim::check;

void AddressMap::add(uint64_t base, uint64_t bytes, bool isFreed) {
  if (bytes)
    extents.push_back({base, bytes, isFreed});
}

void AddressMap::sort() {
  llvm::sort(extents, [](const MemoryExtent &a, const MemoryExtent &b) {
    return a.base < b.base;
  });
}

const MemoryExtent *AddressMap::atOrBelow(uint64_t address) const {
  auto it = llvm::upper_bound(
      extents, address,
      [](uint64_t value, const MemoryExtent &e) { return value < e.base; });
  return it == extents.begin() ? nullptr : &*std::prev(it);
}

const MemoryExtent *AddressMap::find(uint64_t address, uint64_t bytes) const {
  const MemoryExtent *extent = atOrBelow(address);
  // Extents may overlap: views that a client registered one by one.
  for (unsigned tries = 0; extent && tries < 8; ++tries) {
    uint64_t offset = address - extent->base;
    if (!extent->isFreed && offset < extent->bytes &&
        extent->bytes - offset >= bytes)
      return extent;
    extent = extent == extents.data() ? nullptr : extent - 1;
  }
  return nullptr;
}

std::string AddressMap::describe(uint64_t address, uint64_t bytes,
                                 CheckKind &kind) const {
  kind = CheckKind::OutOfBounds;
  const MemoryExtent *below = atOrBelow(address);
  if (below && address - below->base < below->bytes) {
    if (below->isFreed)
      kind = CheckKind::UseAfterFree;
    return llvm::formatv("{0} bytes at offset {1} of {2} bytes{3}", bytes,
                         address - below->base, below->bytes,
                         below->isFreed ? " that were freed" : "");
  }
  const MemoryExtent *above =
      below ? below + 1 : (extents.empty() ? nullptr : extents.data());
  if (above == extents.data() + extents.size())
    above = nullptr;
  uint64_t behind = below ? address - (below->base + below->bytes) : ~0ull;
  uint64_t before = above ? above->base - address : ~0ull;
  constexpr uint64_t kNear = 1 << 20;
  if (behind <= before && behind < kNear)
    return llvm::formatv("{0} bytes, {1} bytes behind {2} bytes of memory",
                         bytes, behind, below->bytes);
  if (before < kNear)
    return llvm::formatv("{0} bytes, {1} bytes before {2} bytes of memory",
                         bytes, before, above->bytes);
  return llvm::formatv("{0} bytes at address {1:x}, near no known memory",
                       bytes, address);
}
