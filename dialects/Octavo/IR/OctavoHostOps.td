//===- OctavoHostOps.td - Kernels, launches, eager calls ---*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOHOSTOPS_TD
#define OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOHOSTOPS_TD

include "dialects/Octavo/IR/OctavoAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// KernelOp, YieldOp
//===----------------------------------------------------------------------===//

def Octavo_KernelOp : Octavo_Op<"kernel", [Pure, IsolatedFromAbove]> {
  let summary = "A group of values that one launch computes";
  let description = [{
    Each body is a pure function of its block arguments; `octavo.yield` names
    its results. Several bodies run side by side in one launch: operands and
    results of the op are those of the bodies, one body after the other.

    `operand_strides` and `result_strides` hold, for each tensor, its strides in
    memory in elements (row-major where the attribute is not there).

    Constraints:
    - (C1) there is at least one body.
    - (C2) the block arguments of all bodies together are the operands, in type
      and order.
    - (C3) the values yielded by all bodies together are the results.
    - (C4) strides, if given, are one array per tensor with one number per
      dimension.

    Example:

    ```mlir
    %y = octavo.kernel @add(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%x: tensor<8xf32>, %z: tensor<8xf32>):
      …
      octavo.yield %s : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$kernel_name,
    Variadic<AnyRankedTensor>:$inputs,
    OptionalAttr<ArrayAttr>:$operand_strides,
    OptionalAttr<ArrayAttr>:$result_strides
  );
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = [{
    $kernel_name `(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $outputs) $bodies
  }];
  let hasVerifier = 1;
}

def Octavo_YieldOp : Octavo_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["KernelOp", "AttentionOp"]>]> {
  let summary = "End of a region, and its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* nothing */ }]>];
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

def Octavo_LaunchOp : Octavo_Op<"launch", [Pure]> {
  let summary = "Run one kernel";
  let description = [{
    Runs the `tile.func` of this name with its grid; the kernel's arguments are
    the operands followed by the results. Launches run in the order in which
    they stand. `places` says where each result lies (after
    `octavo-plan-workspace`).

    Constraints:
    - (C1) `places`, if given, has one element per result.

    Example:

    ```mlir
    %y = octavo.launch @add(%a, %b) {places = [#octavo.place<workspace at 256>]}
       : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Variadic<AnyRankedTensor>:$inputs,
    OptionalAttr<TypedArrayAttrBase<Octavo_PlaceAttr, "array of places">>:$places
  );
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

def Octavo_CallOp : Octavo_Op<"call", []> {
  let summary = "One eager PyTorch operator";
  let description = [{
    Returns to Python for one operator that has no kernel. `args` is the
    attribute of `aten.call`; `reason` says why it is here.

    Constraints:
    - (C1) `places`, if given, has one element per result.

    Example:

    ```mlir
    %v = octavo.call "aten.sort.default"(%a) because "no kernel sorts"
       : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins
    StrAttr:$callee,
    Variadic<AnyRankedTensor>:$inputs,
    StrAttr:$reason,
    OptionalAttr<DictionaryAttr>:$args,
    OptionalAttr<TypedArrayAttrBase<Octavo_PlaceAttr, "array of places">>:$places
  );
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `because` $reason attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

#endif // OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOHOSTOPS_TD
