//===- OctavoDialect.td - The octavo dialect ---------------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_OCTAVO_IR_OCTAVODIALECT_TD
#define OCTAVO_DIALECTS_OCTAVO_IR_OCTAVODIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Octavo_Dialect : Dialect {
  let name = "octavo";
  let summary = "What a graph computes, as pure values in visible number formats";
  let description = [{
    An `octavo` op says what is computed and in which number format, on ranked
    tensors without strides. It never says where a value lies, in what order
    things happen, or how a GPU does it. Structured computation beside it is
    `linalg`, `tensor`, `arith` and `math`.

    The host ops at the end (`octavo.kernel`, `octavo.launch`, `octavo.call`)
    group values into launches; they are still values.

    Made by `passes/AtenToOctavo`; eaten by `passes/Octavo` and
    `passes/OctavoToTile`.
  }];
  let cppNamespace = "::octavo";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();

    /// Name of the module's attribute that holds its `#octavo.target`.
    static constexpr ::llvm::StringLiteral getTargetAttrName() { return "octavo.target"; }
    /// Strides in elements of a function's argument or result.
    static constexpr ::llvm::StringLiteral getStridesAttrName() { return "octavo.strides"; }
    /// Index of the argument that a function's result is written to.
    static constexpr ::llvm::StringLiteral getWritesAttrName() { return "octavo.writes"; }
    /// What an op was made from, for names of kernels ("quantize").
    static constexpr ::llvm::StringLiteral getFromAttrName() { return "octavo.from"; }
    /// Bytes of workspace of a planned host function.
    static constexpr ::llvm::StringLiteral getWorkspaceAttrName() { return "octavo.workspace_bytes"; }
  }];
}

class Octavo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Octavo_Dialect, mnemonic, traits>;

class Octavo_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Octavo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // OCTAVO_DIALECTS_OCTAVO_IR_OCTAVODIALECT_TD
