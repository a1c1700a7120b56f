//===- Passes.td - From PyTorch's operators to values ------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_PASSES_TD
#define OCTAVO_PASSES_ATENTOOCTAVO_PASSES_TD

include "mlir/Pass/PassBase.td"

def AtenToOctavo : Pass<"aten-to-octavo", "::mlir::ModuleOp"> {
  let summary = "Write PyTorch's operators as values in visible formats";
  let description = [{
    Each `aten.call` with a rule becomes `linalg`, `tensor` and `octavo` ops
    (docs/design/levels.md, section 2). A call without a rule, or with arguments
    that its rule does not take, stays; its attribute `octavo.reason` and a
    remark say why.

    Before: functions of one block with `aten.call` and `arith.constant`.
    After: no tensor of unsigned or complex elements, but in the types that
    `octavo.types` keeps for the calls that stayed.

    ```mlir
    %y = aten.call "aten.neg.default"(%x) {args = {self = #aten.operand<0>}}
       : (tensor<4xf32>) -> tensor<4xf32>
    // becomes a linalg.generic with arith.negf
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::octavo::OctavoDialect"
  ];
}

#endif // OCTAVO_PASSES_ATENTOOCTAVO_PASSES_TD
