//===- Tensor.cpp - A PyTorch tensor while aten is lowered ----------------===//

#include "passes/AtenToOctavo/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace octavo;

bool octavo::isComplex(Type dtype) { return isa<ComplexType>(dtype); }

bool octavo::isUnsigned(Type dtype) { return dtype.isUnsignedInteger(); }

bool octavo::isFloat8(Type dtype) {
  return isa<FloatType>(dtype) && dtype.getIntOrFloatBitWidth() <= 8;
}

Type octavo::storageOf(Type dtype) {
  if (auto complex = dyn_cast<ComplexType>(dtype))
    return complex.getElementType();
  if (isUnsigned(dtype))
    return IntegerType::get(dtype.getContext(), dtype.getIntOrFloatBitWidth());
  return dtype;
}

RankedTensorType octavo::storageOf(RankedTensorType type) {
  Shape shape(type.getShape());
  if (isComplex(type.getElementType()))
    shape.push_back(2);
  return RankedTensorType::get(shape, storageOf(type.getElementType()));
}

Type octavo::computeOf(Type dtype) {
  if (isa<FloatType>(dtype) && dtype.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(dtype.getContext());
  return dtype;
}

ArrayRef<int64_t> Tensor::shape() const {
  ArrayRef<int64_t> all = cast<RankedTensorType>(value.getType()).getShape();
  return isComplex(dtype) ? all.drop_back() : all;
}

int64_t Tensor::elements() const { return countElements(shape()); }

Tensor Tensor::asReal() const { return {value, storageOf(dtype)}; }

int64_t octavo::countElements(ArrayRef<int64_t> shape) {
  return llvm::product_of(shape);
}

int64_t octavo::wrapDim(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + std::max<int64_t>(rank, 1) : dim;
}

/// Order of the kinds of types: bool, integer, float, complex.
static int categoryOf(Type dtype) {
  if (isComplex(dtype))
    return 3;
  if (isa<FloatType>(dtype))
    return 2;
  return dtype.isInteger(1) ? 0 : 1;
}

/// c10::promoteTypes for two types.
static Type promoteTypes(Type a, Type b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  int ca = categoryOf(a), cb = categoryOf(b);
  if (ca != cb) {
    Type high = ca > cb ? a : b, low = ca > cb ? b : a;
    if (auto complex = dyn_cast<ComplexType>(high))
      if (isa<FloatType>(low))
        return ComplexType::get(promoteTypes(complex.getElementType(), low));
    return high;
  }
  if (ca == 3)
    return ComplexType::get(
        promoteTypes(cast<ComplexType>(a).getElementType(),
                     cast<ComplexType>(b).getElementType()));
  unsigned wa = a.getIntOrFloatBitWidth(), wb = b.getIntOrFloatBitWidth();
  if (ca == 2)
    return wa == wb ? Float32Type::get(a.getContext()) : (wa > wb ? a : b);
  if (isUnsigned(a) == isUnsigned(b) || wa == wb) {
    if (wa != wb)
      return wa > wb ? a : b;
    // uint8 and int8: the next wider signed type.
    return IntegerType::get(a.getContext(), wa * 2);
  }
  Type wide = wa > wb ? a : b;
  return isUnsigned(wide) ? IntegerType::get(a.getContext(),
                                             wide.getIntOrFloatBitWidth() * 2)
                          : wide;
}

/// The type of a Python number: the default of its kind.
static Type typeOfNumber(Attribute number) {
  MLIRContext *context = number.getContext();
  if (isa<BoolAttr>(number))
    return IntegerType::get(context, 1);
  if (isa<IntegerAttr>(number))
    return IntegerType::get(context, 64);
  if (isa<DictionaryAttr>(number))
    return ComplexType::get(Float32Type::get(context));
  return Float32Type::get(context);
}

Type octavo::promote(Builder &builder, ArrayRef<Operand> operands) {
  // Tensors with dimensions, 0-d tensors and numbers: a lower group counts only
  // if its kind of type is higher.
  Type groups[3];
  for (const Operand &operand : operands) {
    if (!operand)
      continue;
    int group = operand.number ? 2 : (operand.tensor.rank() == 0 ? 1 : 0);
    Type type =
        operand.number ? typeOfNumber(operand.number) : operand.tensor.dtype;
    groups[group] = promoteTypes(groups[group], type);
  }
  Type result = groups[0];
  for (Type lower : {groups[1], groups[2]}) {
    if (!lower)
      continue;
    if (!result)
      result = lower;
    else if (categoryOf(lower) > categoryOf(result))
      result = isComplex(lower) && isa<FloatType>(result)
                   ? ComplexType::get(computeOf(result))
                   : lower;
  }
  return result;
}

Shape octavo::broadcastShape(ArrayRef<Operand> operands) {
  Shape shape;
  for (const Operand &operand : operands) {
    if (!operand.tensor)
      continue;
    ArrayRef<int64_t> sizes = operand.tensor.shape();
    if (sizes.size() > shape.size())
      shape.insert(shape.begin(), sizes.size() - shape.size(), 1);
    for (auto [size, wide] :
         llvm::zip(llvm::reverse(sizes), llvm::reverse(shape)))
      if (wide == 1)
        wide = size;
  }
  return shape;
}
