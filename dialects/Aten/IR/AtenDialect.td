//===- AtenDialect.td - The aten dialect -------------------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_ATEN_IR_ATENDIALECT_TD
#define OCTAVO_DIALECTS_ATEN_IR_ATENDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Aten_Dialect : Dialect {
  let name = "aten";
  let summary = "What PyTorch asked for, one op per node";
  let description = [{
    One generic op, `aten.call`, says which overload is called with which
    arguments. The dialect knows schemas, not operators, so that every graph
    imports; what an overload means is known to `passes/AtenToOctavo` alone.

    It never says how memory is laid out, and it holds no decision of ours.
    Made by `python/octavo/frontend/importer`; read by `passes/AtenToOctavo`.
  }];
  let cppNamespace = "::octavo::aten";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class Aten_Op<string mnemonic, list<Trait> traits = []>
    : Op<Aten_Dialect, mnemonic, traits>;

class Aten_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Aten_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Aten_Type<string name, string typeMnemonic>
    : TypeDef<Aten_Dialect, name> {
  let mnemonic = typeMnemonic;
}

#endif // OCTAVO_DIALECTS_ATEN_IR_ATENDIALECT_TD
