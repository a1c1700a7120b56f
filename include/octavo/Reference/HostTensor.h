//===- HostTensor.h - A tensor in host memory -------------------*- C++ -*-===//

#ifndef OCTAVO_REFERENCE_HOSTTENSOR_H
#define OCTAVO_REFERENCE_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace octavo::reference {

/// One element: floats of any width as `f`, integers, booleans and indices
/// (sign-extended unless unsigned) as `i`; complex numbers use `f` and `im`.
struct Scalar {
  double f = 0;
  int64_t i = 0;
  double im = 0;
};

/// Bytes of one element in memory: booleans and 8-bit floats take one.
unsigned elementBytes(mlir::Type type);

/// Rounds `value` to the nearest number of the float type, ties to even.
/// Overflow follows PyTorch's casts: f8E4M3FN saturates, the others become
/// infinity, or NaN where the format has none.
double roundToType(double value, mlir::Type type);

/// A contiguous row-major tensor that owns its elements.
struct HostTensor {
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
  std::vector<uint8_t> data;

  HostTensor() = default;
  /// A tensor of zeros.
  HostTensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  int64_t size() const;
  Scalar get(int64_t linear) const;
  void set(int64_t linear, const Scalar &value);
  /// Row-major offset of `index`; every index must lie inside.
  int64_t offset(llvm::ArrayRef<int64_t> index) const;
};

} // namespace octavo::reference

#endif // OCTAVO_REFERENCE_HOSTTENSOR_H
