//===- Product.h - Elements around a matrix product -------------*- C++ -*-===//

#ifndef OCTAVO_ANALYSIS_PRODUCT_H
#define OCTAVO_ANALYSIS_PRODUCT_H

#include "dialects/Octavo/IR/Octavo.h"
#include "octavo/Analysis/Element.h"

namespace octavo {

/// Index at which a matmul kernel computes an element of a tensor of `shape`,
/// or none if the tensor does not have the product's elements.
std::optional<Index> epilogueIndex(ElementSpace &space, ScaledMatmulOp op,
                                   llvm::ArrayRef<int64_t> shape);

/// The product's own element.
Element productElement(ElementSpace &space, ScaledMatmulOp op);

/// Elements of which the product's element is made: operands a and b, then the
/// scales and the bias that it has, in this order.
llvm::SmallVector<Element> productReads(ElementSpace &space, ScaledMatmulOp op);

} // namespace octavo

#endif // OCTAVO_ANALYSIS_PRODUCT_H
