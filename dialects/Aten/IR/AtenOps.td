//===- AtenOps.td - Operations of the aten dialect ---------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_ATEN_IR_ATENOPS_TD
#define OCTAVO_DIALECTS_ATEN_IR_ATENOPS_TD

include "dialects/Aten/IR/AtenDialect.td"

def Aten_OperandAttr : Aten_Attr<"Operand", "operand"> {
  let summary = "The argument is the operand with this number";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Aten_NoneAttr : Aten_Attr<"None", "none"> {
  let summary = "The argument is Python's None";
}

def Aten_OpaqueType : Aten_Type<"Opaque", "opaque"> {
  let summary = "A value that is no tensor: a generator, a device mesh";
}

def Aten_Value : AnyTypeOf<[AnyRankedTensor, Aten_OpaqueType]>;

def Aten_CallOp : Aten_Op<"call"> {
  let summary = "One call of a PyTorch operator";
  let description = [{
    `overload` is `namespace.operator.overload`. `args` holds every argument of
    the schema by name: `#aten.operand<i>`, `#aten.none`, integers (i64),
    floats (f64), booleans, strings, types for dtypes, and arrays of these.
    Results that are None or numbers are not results here.

    Constraints:
    - (C1) `overload` has at least a namespace and a name.
    - (C2) each `#aten.operand<i>` names an operand.
    - (C3) each operand is named by an argument.

    Example:

    ```mlir
    %y = aten.call "aten.sum.dim_IntList"(%x) {args = {
           self = #aten.operand<0>, dim = [1], keepdim = true,
           dtype = #aten.none}} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins
    StrAttr:$overload,
    Variadic<Aten_Value>:$operands,
    DictionaryAttr:$args
  );
  let results = (outs Variadic<Aten_Value>:$outputs);
  let assemblyFormat = [{
    $overload `(` $operands `)` attr-dict
    `:` functional-type($operands, $outputs)
  }];
  let hasVerifier = 1;
}

#endif // OCTAVO_DIALECTS_ATEN_IR_ATENOPS_TD
