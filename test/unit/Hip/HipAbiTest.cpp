//===- HipAbiTest.cpp - Our declarations against HIP's headers ------------===//
//
// Most of it happens when this file is compiled.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Hip/DeviceProperties.h"

// HIP's header renames these by macros.
using OurProperties = octavo::hip::hipDeviceProp_t;
static constexpr unsigned ourNonBlocking = octavo::hip::hipStreamNonBlocking;
static constexpr unsigned ourDisableTiming = octavo::hip::hipEventDisableTiming;

#include <hip/hip_runtime_api.h>

#include <gtest/gtest.h>

namespace ours = octavo::hip;

#define SAME_SIZE(TYPE)                                                        \
  static_assert(sizeof(ours::TYPE) == sizeof(::TYPE), #TYPE)
#define SAME_FIELD(TYPE, FIELD)                                                \
  static_assert(offsetof(ours::TYPE, FIELD) == offsetof(::TYPE, FIELD),        \
                #TYPE "::" #FIELD)
#define SAME_VALUE(NAME) static_assert(int(ours::NAME) == int(::NAME), #NAME)

#define HIP_ERROR(NAME, VALUE, TEXT) SAME_VALUE(hipError##NAME);
#define HIP_SUCCESS(NAME, VALUE, TEXT) SAME_VALUE(hip##NAME);
#include "lib/Simulator/Hip/Errors.def"

#define ATTRIBUTE(NAME, VALUE, SAYS)                                           \
  static_assert(int(hipDeviceAttribute##NAME) == VALUE, #NAME);
#include "lib/Simulator/Hip/Attributes.def"

static_assert(ourNonBlocking == hipStreamNonBlocking);
static_assert(ourDisableTiming == hipEventDisableTiming);
SAME_VALUE(hipMemcpyHostToHost);
SAME_VALUE(hipMemcpyHostToDevice);
SAME_VALUE(hipMemcpyDeviceToHost);
SAME_VALUE(hipMemcpyDeviceToDevice);
SAME_VALUE(hipMemcpyDefault);
SAME_VALUE(hipMemcpyDeviceToDeviceNoCU);
SAME_VALUE(hipMemoryTypeUnregistered);
SAME_VALUE(hipMemoryTypeHost);
SAME_VALUE(hipMemoryTypeDevice);
SAME_VALUE(hipMemoryTypeManaged);
SAME_VALUE(hipMemoryTypeArray);
SAME_VALUE(hipMemoryTypeUnified);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_CONTEXT);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_DEVICE_POINTER);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_HOST_POINTER);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_BUFFER_ID);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_IS_MANAGED);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_MAPPED);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_PTX_VERSION);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME_VALUE(hipMemPoolReuseFollowEventDependencies);
SAME_VALUE(hipMemPoolReuseAllowOpportunistic);
SAME_VALUE(hipMemPoolReuseAllowInternalDependencies);
SAME_VALUE(hipMemPoolAttrReleaseThreshold);
SAME_VALUE(hipMemPoolAttrReservedMemCurrent);
SAME_VALUE(hipMemPoolAttrReservedMemHigh);
SAME_VALUE(hipMemPoolAttrUsedMemCurrent);
SAME_VALUE(hipMemPoolAttrUsedMemHigh);
SAME_VALUE(HIP_GET_PROC_ADDRESS_SUCCESS);
SAME_VALUE(HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME_VALUE(hipStreamCaptureStatusNone);
SAME_VALUE(hipStreamCaptureStatusActive);
SAME_VALUE(hipStreamCaptureStatusInvalidated);
SAME_VALUE(hipStreamCaptureModeGlobal);
SAME_VALUE(hipStreamCaptureModeThreadLocal);
SAME_VALUE(hipStreamCaptureModeRelaxed);
SAME_VALUE(hipLaunchAttributeAccessPolicyWindow);
SAME_VALUE(hipLaunchAttributeCooperative);
SAME_VALUE(hipLaunchAttributeSynchronizationPolicy);
SAME_VALUE(hipLaunchAttributePriority);
SAME_VALUE(hipGraphNodeTypeKernel);
SAME_VALUE(hipGraphNodeTypeMemcpy);
SAME_VALUE(hipGraphNodeTypeMemset);
SAME_VALUE(hipGraphNodeTypeHost);
SAME_VALUE(hipGraphNodeTypeGraph);
SAME_VALUE(hipGraphNodeTypeEmpty);
SAME_VALUE(hipGraphNodeTypeWaitEvent);
SAME_VALUE(hipGraphNodeTypeEventRecord);
SAME_VALUE(hipGraphNodeTypeMemAlloc);
SAME_VALUE(hipGraphNodeTypeMemFree);
SAME_VALUE(hipGraphExecUpdateSuccess);
SAME_VALUE(hipGraphExecUpdateError);
SAME_VALUE(hipGraphExecUpdateErrorTopologyChanged);
SAME_VALUE(hipGraphExecUpdateErrorNodeTypeChanged);

SAME_SIZE(dim3);
SAME_SIZE(hipUUID);
SAME_SIZE(hipPointerAttribute_t);
SAME_FIELD(hipPointerAttribute_t, devicePointer);
SAME_FIELD(hipPointerAttribute_t, hostPointer);
SAME_FIELD(hipPointerAttribute_t, isManaged);
SAME_FIELD(hipPointerAttribute_t, allocationFlags);
SAME_SIZE(hipFuncAttributes);
SAME_FIELD(hipFuncAttributes, localSizeBytes);
SAME_FIELD(hipFuncAttributes, maxDynamicSharedSizeBytes);
SAME_FIELD(hipFuncAttributes, maxThreadsPerBlock);
SAME_FIELD(hipFuncAttributes, numRegs);
SAME_FIELD(hipFuncAttributes, sharedSizeBytes);
SAME_SIZE(hipPitchedPtr);
SAME_SIZE(hipExtent);
SAME_SIZE(hipPos);
SAME_SIZE(hipMemcpy3DParms);
SAME_FIELD(hipMemcpy3DParms, srcPtr);
SAME_FIELD(hipMemcpy3DParms, dstPos);
SAME_FIELD(hipMemcpy3DParms, dstPtr);
SAME_FIELD(hipMemcpy3DParms, extent);
SAME_FIELD(hipMemcpy3DParms, kind);
SAME_SIZE(hip_Memcpy2D);
SAME_FIELD(hip_Memcpy2D, srcHost);
SAME_FIELD(hip_Memcpy2D, srcPitch);
SAME_FIELD(hip_Memcpy2D, dstXInBytes);
SAME_FIELD(hip_Memcpy2D, dstDevice);
SAME_FIELD(hip_Memcpy2D, Height);
SAME_SIZE(HIP_MEMCPY3D);
SAME_FIELD(HIP_MEMCPY3D, srcHost);
SAME_FIELD(HIP_MEMCPY3D, srcHeight);
SAME_FIELD(HIP_MEMCPY3D, dstMemoryType);
SAME_FIELD(HIP_MEMCPY3D, dstHeight);
SAME_FIELD(HIP_MEMCPY3D, Depth);
SAME_SIZE(hipMemLocation);
SAME_SIZE(hipMemAccessDesc);
SAME_SIZE(hipMemPoolProps);
SAME_FIELD(hipMemPoolProps, maxSize);
SAME_SIZE(hipKernelNodeParams);
SAME_FIELD(hipKernelNodeParams, extra);
SAME_FIELD(hipKernelNodeParams, func);
SAME_FIELD(hipKernelNodeParams, gridDim);
SAME_FIELD(hipKernelNodeParams, kernelParams);
SAME_FIELD(hipKernelNodeParams, sharedMemBytes);
SAME_SIZE(hipMemsetParams);
SAME_FIELD(hipMemsetParams, elementSize);
SAME_FIELD(hipMemsetParams, height);
SAME_FIELD(hipMemsetParams, pitch);
SAME_FIELD(hipMemsetParams, value);
SAME_FIELD(hipMemsetParams, width);
SAME_SIZE(hipHostNodeParams);
SAME_SIZE(hipGraphInstantiateParams);
SAME_FIELD(hipGraphInstantiateParams, flags);
SAME_FIELD(hipGraphInstantiateParams, result_out);
SAME_SIZE(hipLaunchAttribute);
SAME_FIELD(hipLaunchAttribute, value);
SAME_SIZE(HIP_LAUNCH_CONFIG);
SAME_FIELD(HIP_LAUNCH_CONFIG, sharedMemBytes);
SAME_FIELD(HIP_LAUNCH_CONFIG, hStream);
SAME_FIELD(HIP_LAUNCH_CONFIG, attrs);
SAME_FIELD(HIP_LAUNCH_CONFIG, numAttrs);
SAME_SIZE(hipLaunchConfig_t);
SAME_FIELD(hipLaunchConfig_t, dynamicSmemBytes);
SAME_FIELD(hipLaunchConfig_t, stream);
SAME_FIELD(hipLaunchConfig_t, numAttrs);
SAME_SIZE(hipLaunchParams);
SAME_FIELD(hipLaunchParams, blockDim);
SAME_FIELD(hipLaunchParams, args);
SAME_FIELD(hipLaunchParams, sharedMem);
SAME_SIZE(hipFunctionLaunchParams);
SAME_FIELD(hipFunctionLaunchParams, hStream);
SAME_FIELD(hipFunctionLaunchParams, kernelParams);

static_assert(sizeof(OurProperties) == sizeof(hipDeviceProp_tR0600));
#define SAME_PROPERTY(FIELD)                                                   \
  static_assert(offsetof(OurProperties, FIELD) ==                              \
                    offsetof(hipDeviceProp_tR0600, FIELD),                     \
                #FIELD)
SAME_PROPERTY(uuid);
SAME_PROPERTY(totalGlobalMem);
SAME_PROPERTY(sharedMemPerBlock);
SAME_PROPERTY(regsPerBlock);
SAME_PROPERTY(warpSize);
SAME_PROPERTY(maxThreadsPerBlock);
SAME_PROPERTY(maxThreadsDim);
SAME_PROPERTY(maxGridSize);
SAME_PROPERTY(clockRate);
SAME_PROPERTY(totalConstMem);
SAME_PROPERTY(major);
SAME_PROPERTY(minor);
SAME_PROPERTY(texturePitchAlignment);
SAME_PROPERTY(deviceOverlap);
SAME_PROPERTY(multiProcessorCount);
SAME_PROPERTY(canMapHostMemory);
SAME_PROPERTY(computeMode);
SAME_PROPERTY(surfaceAlignment);
SAME_PROPERTY(concurrentKernels);
SAME_PROPERTY(ECCEnabled);
SAME_PROPERTY(asyncEngineCount);
SAME_PROPERTY(unifiedAddressing);
SAME_PROPERTY(memoryClockRate);
SAME_PROPERTY(memoryBusWidth);
SAME_PROPERTY(l2CacheSize);
SAME_PROPERTY(maxThreadsPerMultiProcessor);
SAME_PROPERTY(streamPrioritiesSupported);
SAME_PROPERTY(globalL1CacheSupported);
SAME_PROPERTY(sharedMemPerMultiprocessor);
SAME_PROPERTY(regsPerMultiprocessor);
SAME_PROPERTY(managedMemory);
SAME_PROPERTY(hostNativeAtomicSupported);
SAME_PROPERTY(pageableMemoryAccess);
SAME_PROPERTY(cooperativeLaunch);
SAME_PROPERTY(sharedMemPerBlockOptin);
SAME_PROPERTY(directManagedMemAccessFromHost);
SAME_PROPERTY(maxBlocksPerMultiProcessor);
SAME_PROPERTY(reservedSharedMemPerBlock);
SAME_PROPERTY(hostRegisterSupported);
SAME_PROPERTY(memoryPoolsSupported);
SAME_PROPERTY(unifiedFunctionPointers);
SAME_PROPERTY(gcnArchName);
SAME_PROPERTY(maxSharedMemoryPerMultiProcessor);
SAME_PROPERTY(clockInstructionRate);
SAME_PROPERTY(arch);
SAME_PROPERTY(hdpMemFlushCntl);
SAME_PROPERTY(cooperativeMultiDeviceUnmatchedSharedMem);
SAME_PROPERTY(isLargeBar);
SAME_PROPERTY(asicRevision);

TEST(HipAbi, ArchFlagsSayWhatTheChipHas) {
  // No constant expression reads bit fields of another type: look at the bits.
  hipDeviceArch_t flags;
  static_assert(sizeof flags == sizeof(unsigned));
  unsigned word = 0xb7ff;
  std::memcpy(&flags, &word, sizeof word);
  EXPECT_TRUE(flags.hasGlobalInt32Atomics && flags.hasFloatAtomicAdd);
  EXPECT_TRUE(flags.hasDoubles && flags.hasWarpBallot && flags.hasWarpShuffle);
  EXPECT_TRUE(flags.hasThreadFenceSystem && flags.hasSyncThreadsExt);
  EXPECT_TRUE(flags.has3dGrid);
  EXPECT_FALSE(flags.hasFunnelShift || flags.hasSurfaceFuncs ||
               flags.hasDynamicParallelism);
}
