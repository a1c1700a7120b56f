//===- octavo-opt.cpp - Run passes on a file
//--------------------------------===//

#include "octavo/Init/Init.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  octavo::registerAllDialects(registry);
  octavo::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "octavo optimizer driver\n", registry));
}
