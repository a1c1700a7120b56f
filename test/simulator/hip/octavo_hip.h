/* What a HIP C++ program of the tests needs, host and device: no ROCm headers.
 *
 * Compile with clang -x hip --offload-arch=... -nogpuinc -nogpulib. */
#ifndef OCTAVO_TEST_HIP_H
#define OCTAVO_TEST_HIP_H

#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(n) __attribute__((amdgpu_flat_work_group_size(1, n)))

struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1,
                                     unsigned z = 1)
      : x(x), y(y), z(z) {}
};

typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;

extern "C" {
hipError_t hipMalloc(void **, size_t);
hipError_t hipMallocManaged(void **, size_t, unsigned);
hipError_t hipFree(void *);
hipError_t hipMemcpy(void *, const void *, size_t, int);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
hipError_t hipMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
hipError_t hipDeviceSynchronize(void);
hipError_t hipGetLastError(void);
const char *hipGetErrorName(hipError_t);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t,
                           hipStream_t);
hipError_t hipLaunchCooperativeKernel(const void *, dim3, dim3, void **,
                                      unsigned, hipStream_t);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *,
                                                        int, size_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = 0);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
}

enum { hipSuccess = 0, hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };

__device__ inline unsigned laneOfGrid() {
  return __builtin_amdgcn_workgroup_id_x() *
             __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

__device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#endif
