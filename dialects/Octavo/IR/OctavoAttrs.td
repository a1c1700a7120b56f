//===- OctavoAttrs.td - Attributes of the octavo dialect ---*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOATTRS_TD
#define OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOATTRS_TD

include "dialects/Octavo/IR/OctavoDialect.td"
include "mlir/IR/EnumAttr.td"

def Octavo_TargetAttr : Octavo_Attr<"Target", "target"> {
  let summary = "The GPU that a module is compiled for";
  let description = [{
    Names a row of `octavo/Target/TargetInfo.h`, with features if there are any.
    Passes reach hardware facts only through this attribute.

    ```mlir
    module attributes {octavo.target = #octavo.target<"NAME:sramecc+:xnack-">} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"name of the target">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The row of the table of targets.
    const ::octavo::TargetInfo &getInfo() const;
  }];
}

class Octavo_Enum<string name, string summary, list<string> cases>
    : I32EnumAttr<name, summary, !foreach(i, !range(0, !size(cases)), I32EnumAttrCase<cases[i], i>)> {
  let cppNamespace = "::octavo";
  let genSpecializedAttr = 0;
}

def Octavo_GranuleKind : Octavo_Enum<"GranuleKind", "what shares one scale", ["tensor", "row", "block", "mx"]>;
def Octavo_ScaleRule : Octavo_Enum<"ScaleRule", "how a scale follows from an amax",
    ["exact", "pow2", "e8m0_floor", "e8m0_rceil", "e8m0_even"]>;
def Octavo_Rounding : Octavo_Enum<"Rounding", "how a number is rounded", ["nearest_even", "stochastic"]>;
def Octavo_RandomKind : Octavo_Enum<"RandomKind", "distribution of random numbers", ["bits", "uniform", "normal"]>;
def Octavo_ScatterKind : Octavo_Enum<"ScatterKind", "how colliding writes combine", ["set", "add", "mul", "max", "min"]>;
def Octavo_GroupDim : Octavo_Enum<"GroupDim", "dimension that groups divide", ["m", "k"]>;
def Octavo_PlaceKind : Octavo_Enum<"PlaceKind", "where a value lies", ["input", "output", "workspace"]>;

def Octavo_ScaleRuleAttr : EnumAttr<Octavo_Dialect, Octavo_ScaleRule, "rule">;
def Octavo_RoundingAttr : EnumAttr<Octavo_Dialect, Octavo_Rounding, "rounding"> {
  let assemblyFormat = "`<` $value `>`";
}
def Octavo_RandomKindAttr : EnumAttr<Octavo_Dialect, Octavo_RandomKind, "random_kind">;
def Octavo_ScatterKindAttr : EnumAttr<Octavo_Dialect, Octavo_ScatterKind, "scatter_kind">;
def Octavo_GroupDimAttr : EnumAttr<Octavo_Dialect, Octavo_GroupDim, "group_dim"> {
  let assemblyFormat = "`<` $value `>`";
}

def Octavo_GranuleAttr : Octavo_Attr<"Granule", "granule"> {
  let summary = "What shares one scale";
  let description = [{
    `tensor`: one scale. `row`: one scale for all elements along the contraction
    (or the quantised axis). `block<RxK>`: one for R elements across and K along
    it. `mx<K>`: one power of two (`f8E8M0FNU`) for K elements along it.

    ```mlir
    #octavo.granule<block<128x128>>
    ```
  }];
  let parameters = (ins "::octavo::GranuleKind":$kind, "int64_t":$across, "int64_t":$along);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::octavo::GranuleKind":$kind), [{ return $_get($_ctxt, kind, 0, 0); }]>
  ];
  let extraClassDeclaration = [{
    /// Scales along a dimension of `size` elements across the contraction.
    int64_t scalesAcross(int64_t size) const;
    /// Scales along a dimension of `size` elements along the contraction.
    int64_t scalesAlong(int64_t size) const;
  }];
}

def Octavo_PlaceAttr : Octavo_Attr<"Place", "place"> {
  let summary = "Where a launch writes a result";
  let description = [{
    `workspace at N` is N bytes into the workspace, `output at N` the N-th
    result of the function, `input at N` its N-th argument (written in place).

    ```mlir
    #octavo.place<workspace at 4096>
    ```
  }];
  let parameters = (ins EnumParameter<Octavo_PlaceKind>:$kind, "int64_t":$at);
  let assemblyFormat = "`<` $kind `at` $at `>`";
  let genVerifyDecl = 1;
}

#endif // OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOATTRS_TD
