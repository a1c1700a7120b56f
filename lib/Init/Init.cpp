//===- Init.cpp - Registration used by every tool and by Python -----------===//

#include "octavo/Init/Init.h"

#include "dialects/Aten/IR/Aten.h"
#include "dialects/Octavo/IR/Octavo.h"
#include "dialects/Tile/IR/Tile.h"
#include "passes/AtenToOctavo/Passes.h"
#include "passes/Lane/Passes.h"
#include "passes/Octavo/Passes.h"
#include "passes/OctavoToTile/Passes.h"
#include "passes/Pipelines.h"
#include "passes/Tile/Passes.h"
#include "passes/TileToLane/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void octavo::registerAllDialects(DialectRegistry &registry) {
  registry.insert<aten::AtenDialect>();
  registry
      .insert<amdgpu::AMDGPUDialect, arith::ArithDialect,
              cf::ControlFlowDialect, OctavoDialect, func::FuncDialect,
              gpu::GPUDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
              math::MathDialect, memref::MemRefDialect, ROCDL::ROCDLDialect,
              scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect>();
  registry.insert<tile::TileDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
}

void octavo::registerAllPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerAtenToOctavoPasses();
  registerLanePasses();
  registerOctavoPasses();
  registerOctavoToTilePasses();
  registerPipelines();
  registerTilePasses();
  registerTileToLanePasses();
}
