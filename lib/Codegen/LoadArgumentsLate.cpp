//===- LoadArgumentsLate.cpp - Arguments are loaded where they are used ---===//
//
// LLVM loads all arguments of a kernel in its entry block and keeps them in
// scalar registers. A launch of many bodies has more addresses than there are
// registers, of which a workgroup needs those of one body: here each is loaded
// in the block that dominates its uses.
//
//===----------------------------------------------------------------------===//

#include "octavo/Codegen/CodeObject.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Arguments of so many bytes stay in registers without harm: half of them.
static constexpr uint64_t kEasyBytes = 192;

/// The innermost block outside of loops that dominates all uses of `value`.
static BasicBlock *findBlock(Value &value, DominatorTree &dominators,
                             LoopInfo &loops) {
  BasicBlock *block = nullptr;
  for (Use &use : value.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    BasicBlock *at = user->getParent();
    if (auto *phi = dyn_cast<PHINode>(user))
      at = phi->getIncomingBlock(use);
    block = block ? dominators.findNearestCommonDominator(block, at) : at;
  }
  while (Loop *loop = loops.getLoopFor(block))
    block = dominators.getNode(loop->getOutermostLoop()->getHeader())
                ->getIDom()
                ->getBlock();
  return block;
}

/// Buffer resources of arguments are made where the buffers are used.
static void moveResources(Function &kernel, DominatorTree &dominators,
                          LoopInfo &loops) {
  for (Argument &argument : kernel.args())
    for (User *user : argument.users()) {
      auto *call = dyn_cast<IntrinsicInst>(user);
      if (!call || call->use_empty() ||
          call->getIntrinsicID() != Intrinsic::amdgcn_make_buffer_rsrc)
        continue;
      BasicBlock *block = findBlock(*call, dominators, loops);
      if (block != call->getParent())
        call->moveBefore(*block, block->getFirstInsertionPt());
    }
}

static void loadLate(Function &kernel) {
  const DataLayout &layout = kernel.getDataLayout();
  uint64_t bytes = 0;
  SmallVector<uint64_t> offsets;
  for (Argument &argument : kernel.args()) {
    bytes = alignTo(bytes, layout.getABITypeAlign(argument.getType()));
    offsets.push_back(bytes);
    bytes += layout.getTypeAllocSize(argument.getType());
  }
  if (bytes <= kEasyBytes)
    return;
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  moveResources(kernel, dominators, loops);
  // Later loads stand before earlier ones: backwards, for rising addresses.
  for (Argument &argument : reverse(kernel.args())) {
    if (argument.use_empty())
      continue;
    BasicBlock *block = findBlock(argument, dominators, loops);
    if (block == &kernel.getEntryBlock())
      continue;
    IRBuilder<> builder(block, block->getFirstInsertionPt());
    Value *segment =
        builder.CreateIntrinsic(Intrinsic::amdgcn_kernarg_segment_ptr, {});
    uint64_t offset = offsets[argument.getArgNo()];
    Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                                        segment, offset);
    Type *type = argument.getType();
    LoadInst *load = builder.CreateAlignedLoad(
        type, address, layout.getABITypeAlign(type), argument.getName());
    load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(kernel.getContext(), {}));
    argument.replaceAllUsesWith(load);
  }
}

void octavo::loadArgumentsLate(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() &&
        function.getCallingConv() == CallingConv::AMDGPU_KERNEL)
      loadLate(function);
}
