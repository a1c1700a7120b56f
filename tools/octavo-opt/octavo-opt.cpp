//===- octavo-opt.cpp - Run passes on a file ------------------------------===//

#include "Unlowered.h"

#include "octavo/Init/Init.h"
#include "passes/AtenToOctavo/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  if (argc == 2 && llvm::StringRef(argv[1]) == "--list-aten-lowered") {
    for (const std::string &name : octavo::getLoweredAtenOps())
      llvm::outs() << name << "\n";
    return 0;
  }
  if (argc == 2 && llvm::StringRef(argv[1]) == "--list-unlowered") {
    for (const std::string &line : octavo::findUnlowered())
      llvm::outs() << line << "\n";
    return 0;
  }
  mlir::DialectRegistry registry;
  octavo::registerAllDialects(registry);
  octavo::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "octavo optimizer driver\n", registry));
}
