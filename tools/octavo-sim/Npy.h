//===- Npy.h - Files of numpy arrays ----------------------------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVO_SIM_NPY_H
#define OCTAVO_TOOLS_OCTAVO_SIM_NPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace octavo::sim {

/// Memory that begins where a device's would: on a border of pages.
template <typename T> struct PageAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{4096};
  PageAllocator() = default;
  template <typename U> PageAllocator(const PageAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T *pointer, size_t) { ::operator delete(pointer, alignment); }
  template <typename U> bool operator==(const PageAllocator<U> &) const {
    return true;
  }
};

/// An array in C order: its type as numpy names it, its shape, its bytes.
struct NpyArray {
  std::string type;
  std::vector<uint64_t> shape;
  std::vector<uint8_t, PageAllocator<uint8_t>> bytes;
};

/// Reads versions 1 to 3 of the format. Errors: no such file, damaged, Fortran
/// order, object arrays, sizes that do not agree.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Writes version 1.
llvm::Error writeNpy(llvm::StringRef path, const NpyArray &array);

} // namespace octavo::sim

#endif // OCTAVO_TOOLS_OCTAVO_SIM_NPY_H
