//===- LaneToLLVM.cpp - One lane's program to the LLVM dialect ------------===//
//
// Upstream has one pass per dialect, each with type conversions of its own, and
// its GPU pass turns math into library calls. Here all of them are one
// conversion with one type converter, and math must be gone before.
//
//===----------------------------------------------------------------------===//

#include "dialects/Octavo/IR/Octavo.h"
#include "passes/Lane/Passes.h"

#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace octavo {
#define GEN_PASS_DEF_LANETOLLVM
#include "passes/Lane/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// Multi-dimensional vector ops become ops on vectors of one dimension, and
/// divisions that round down or up become those that LLVM has.
static LogicalResult expandOps(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// LLVM must know the workgroup's exact size: it sets the register budget. (The
/// conversion of the function has written rocdl.reqd_work_group_size.)
static void setWorkgroupSizes(gpu::GPUModuleOp module) {
  module.walk([](LLVM::LLVMFuncOp function) {
    auto size = dyn_cast_or_null<DenseI32ArrayAttr>(
        function->removeAttr("gpu.known_block_size"));
    if (!size)
      return;
    uint32_t lanes = 1;
    for (int32_t extent : size.asArrayRef())
      lanes *= extent;
    std::string text = std::to_string(lanes);
    function->setAttr(
        "rocdl.flat_work_group_size",
        StringAttr::get(function.getContext(), text + "," + text));
  });
}

namespace {
struct LaneToLLVM final : public octavo::impl::LaneToLLVMBase<LaneToLLVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    const TargetInfo *target = getTargetOrError(module);
    if (!target)
      return signalPassFailure();
    FailureOr<amdgpu::Chipset> chip = amdgpu::Chipset::parse(target->arch);
    if (failed(chip)) {
      module.emitError() << "no chip is named '" << target->arch << "'";
      return signalPassFailure();
    }
    if (failed(expandOps(module)))
      return signalPassFailure();

    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter types(context, options);
    amdgpu::populateCommonGPUTypeAndAttributeConversions(types);
    populateAMDGPUTypeAndAttributeConversions(types);
    RewritePatternSet patterns(context);
    populateGpuToROCDLConversionPatterns(types, patterns,
                                         gpu::amd::Runtime::HIP, *chip);
    populateAMDGPUToROCDLConversionPatterns(types, patterns, *chip);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);

    LLVMConversionTarget legal(*context);
    legal.addLegalDialect<ROCDL::ROCDLDialect>();
    legal.addIllegalDialect<math::MathDialect>();
    legal.addLegalOp<gpu::GPUModuleOp>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
    if (failed(applyFullConversion(module, legal, std::move(patterns))))
      return signalPassFailure();
    setWorkgroupSizes(module);
  }
};
} // namespace
