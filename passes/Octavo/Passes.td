//===- Passes.td - From values to kernels ------------------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_OCTAVO_PASSES_TD
#define OCTAVO_PASSES_OCTAVO_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldEmpty : Pass<"octavo-fold-empty", "::mlir::func::FuncOp"> {
  let summary = "Nothing is computed of no elements";
  let description = [{
    What has no elements becomes `tensor.empty`; what reads only such (a sum, a
    product, a scatter, padding) becomes what is left of it.

    Before and after: values (`linalg`, `tensor`, `octavo`). After: no op of the
    function but `tensor.empty` and `octavo.call` makes a tensor without
    elements.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def LowerQuantize : Pass<"octavo-lower-quantize", "::mlir::ModuleOp"> {
  let summary = "Quantise and dequantise as reductions and pointwise values";
  let description = [{
    The encode scale is one correctly rounded f32 division, never a reciprocal
    times the maximum; powers of two clear the mantissa; amax keeps NaN.

    Before: `octavo.quantize`, `octavo.dequantize`. After: `linalg` only; a
    granule or rounding without lowering is an error that names it.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::math::MathDialect",
    "::mlir::arith::ArithDialect"];
}

def LowerScatter : Pass<"octavo-lower-scatter", "::mlir::ModuleOp"> {
  let summary = "Scatter as a reduction over its source";
  let description = [{
    Deterministic: an element of the result combines the source's elements that
    indices send to it in a fixed order.

    Before: `octavo.scatter_reduce`. After: `linalg` only.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def SplitProducts : Pass<"octavo-split-products", "::mlir::ModuleOp"> {
  let summary = "Long products with few results in two deterministic stages";
  let description = [{
    A product with few tiles and a long K becomes a batch of products over parts
    of K with f32 (i32, f64) results, and a sum over the parts with the scales,
    the bias and the cast. How many parts is the cost model's choice.

    Before and after: `octavo.scaled_matmul`; after also `linalg.reduce` and
    `linalg.generic` on tensors.
  }];
  let options = [Option<"parts", "parts", "int64_t", /*default=*/"0",
    "Split every product whose K this divides in so many parts; 0 asks the cost model">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect"];
}

def SplitReductions : Pass<"octavo-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Long reductions to few results in two deterministic stages";
  let description = [{
    A reduction whose results are fewer than the compute units and whose extent
    is long becomes one over parts of the extent and one over the parts.

    Before and after: `linalg.reduce` on tensors.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FormKernels : Pass<"octavo-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Group values into launches";
  let description = [{
    Decides which values are kept in memory, and which of them one kernel
    computes together: readers with their producers where both need the same
    rows, and neighbours that read the same memory. Everything else is computed
    again where it is read; views never are kernels. Independent kernels of one
    kind then share a launch.

    Each result of the function that has elements is a value of its own: one
    that another result, an argument or an eager call already is, is copied.

    Before: values (`linalg`, `tensor`, `octavo.scaled_matmul`, …).
    After: the function holds `octavo.kernel` and `octavo.call` only.
  }];
  let dependentDialects = ["::octavo::OctavoDialect", "::mlir::tensor::TensorDialect",
    "::mlir::linalg::LinalgDialect"];
}

def PlanWorkspace : Pass<"octavo-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Give each result of a launch its place";
  let description = [{
    Before: `octavo.launch` and `octavo.call` without places. After: each has
    `places`; the function says `octavo.workspace_bytes`.
  }];
}

#endif // OCTAVO_PASSES_OCTAVO_PASSES_TD
