//===- Quantization.h - Granules, scales and small formats ------*- C++ -*-===//

#ifndef OCTAVO_LIB_REFERENCE_QUANTIZATION_H
#define OCTAVO_LIB_REFERENCE_QUANTIZATION_H

#include "octavo/Reference/HostTensor.h"

#include "dialects/Octavo/IR/Octavo.h"

namespace octavo::reference {

/// Which scale an element uses: the element's index is divided by `sizes`.
/// For one scale of the whole tensor `sizes` is empty.
struct ScaleMap {
  llvm::SmallVector<int64_t> sizes;

  /// The map of `granule` on a tensor of `rank` dimensions whose contraction
  /// (or quantised axis) is `axis`; `other` is the dimension across it.
  static ScaleMap create(GranuleAttr granule, unsigned rank, unsigned axis,
                         unsigned other);
  int64_t offset(const HostTensor &scale, llvm::ArrayRef<int64_t> index) const;
};

std::vector<HostTensor> quantize(QuantizeOp op, const HostTensor &input);
HostTensor dequantize(DequantizeOp op, const HostTensor &input,
                      const HostTensor &scale);

} // namespace octavo::reference

#endif // OCTAVO_LIB_REFERENCE_QUANTIZATION_H
