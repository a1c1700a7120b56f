/* What a kernel needs of the GPU, without any vendor's headers. The same source
   is compiled for the host, where a loop over work items stands for the launch.
 */
#ifndef OCTAVO_TEST_DEVICE_H
#define OCTAVO_TEST_DEVICE_H

typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned short ushort;

#ifdef __AMDGCN__
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL __attribute__((address_space(1)))
static inline int workItem(void) {
  return (int)(__builtin_amdgcn_workgroup_id_x() *
                   __builtin_amdgcn_workgroup_size_x() +
               __builtin_amdgcn_workitem_id_x());
}
#else
#define KERNEL void
#define GLOBAL
extern int currentWorkItem;
static inline int workItem(void) { return currentWorkItem; }
#endif

#endif
