//===- Copy.cpp - Copies and fills ----------------------------------------===//

#include "lib/Simulator/Hip/Stream.h"

using namespace octavo;
using namespace octavo::hip;

static hipError_t copy(void *dst, const void *src, size_t bytes,
                       hipMemcpyKind kind, hipStream_t stream) {
  if (bytes == 0)
    return hipSuccess;
  if (!dst || !src)
    return fail(hipErrorInvalidValue, "copy from or to a null pointer");
  if (kind != hipMemcpyDeviceToDeviceNoCU &&
      (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault))
    return fail(hipErrorInvalidMemcpyDirection,
                "copy of kind " + llvm::Twine(int(kind)));
  CopyCommand command;
  command.dst = dst;
  command.src = src;
  command.extent = {bytes, 1, 1};
  command.kind = kind;
  return submit(stream, std::move(command));
}

OCTAVO_HIP_API hipError_t hipMemcpy(void *dst, const void *src, size_t bytes,
                                    hipMemcpyKind kind) {
  return copy(dst, src, bytes, kind, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemcpyAsync(void *dst, const void *src,
                                         size_t bytes, hipMemcpyKind kind,
                                         hipStream_t stream) {
  return copy(dst, src, bytes, kind, stream);
}
OCTAVO_HIP_API hipError_t hipMemcpyWithStream(void *dst, const void *src,
                                              size_t bytes, hipMemcpyKind kind,
                                              hipStream_t stream) {
  return copy(dst, src, bytes, kind, stream);
}
OCTAVO_HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src,
                                        size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyHostToDevice, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src,
                                        size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToHost, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src,
                                        size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst,
                                             const void *src, size_t bytes,
                                             hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyHostToDevice, stream);
}
OCTAVO_HIP_API hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src,
                                             size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToHost, stream);
}
OCTAVO_HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst,
                                             hipDeviceptr_t src, size_t bytes,
                                             hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, stream);
}
OCTAVO_HIP_API hipError_t hipMemcpyPeer(void *dst, int, const void *src, int,
                                        size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemcpyPeerAsync(void *dst, int, const void *src,
                                             int, size_t bytes,
                                             hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, stream);
}

//===----------------------------------------------------------------------===//
// Two and three dimensions
//===----------------------------------------------------------------------===//

static hipError_t copyRows(CopyCommand command, hipStream_t stream) {
  const hipExtent &extent = command.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
    return hipSuccess;
  if (!command.dst || !command.src)
    return fail(hipErrorInvalidValue, "copy from or to a null pointer");
  if (command.dstPitch < extent.width || command.srcPitch < extent.width)
    return fail(hipErrorInvalidPitchValue,
                "copy of rows that are wider than the pitch");
  return submit(stream, std::move(command));
}

OCTAVO_HIP_API hipError_t hipMemcpy2DAsync(void *dst, size_t dstPitch,
                                           const void *src, size_t srcPitch,
                                           size_t width, size_t height,
                                           hipMemcpyKind kind,
                                           hipStream_t stream) {
  return copyRows({dst,
                   src,
                   dstPitch,
                   dstPitch * height,
                   srcPitch,
                   srcPitch * height,
                   {width, height, 1},
                   kind},
                  stream);
}

OCTAVO_HIP_API hipError_t hipMemcpy2D(void *dst, size_t dstPitch,
                                      const void *src, size_t srcPitch,
                                      size_t width, size_t height,
                                      hipMemcpyKind kind) {
  return hipMemcpy2DAsync(dst, dstPitch, src, srcPitch, width, height, kind,
                          nullptr);
}

OCTAVO_HIP_API hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *p,
                                                hipStream_t stream) {
  if (!p)
    return fail(hipErrorInvalidValue, "hipMemcpyParam2D: null pointer");
  if (p->srcMemoryType == hipMemoryTypeArray ||
      p->dstMemoryType == hipMemoryTypeArray)
    return failMissing("hipMemcpyParam2D with arrays");
  auto *src = static_cast<const char *>(
      p->srcMemoryType == hipMemoryTypeHost ? p->srcHost : p->srcDevice);
  auto *dst = static_cast<char *>(
      p->dstMemoryType == hipMemoryTypeHost ? p->dstHost : p->dstDevice);
  size_t srcPitch = p->srcPitch ? p->srcPitch : p->WidthInBytes;
  size_t dstPitch = p->dstPitch ? p->dstPitch : p->WidthInBytes;
  return hipMemcpy2DAsync(dst + p->dstY * dstPitch + p->dstXInBytes, dstPitch,
                          src + p->srcY * srcPitch + p->srcXInBytes, srcPitch,
                          p->WidthInBytes, p->Height, hipMemcpyDefault, stream);
}

OCTAVO_HIP_API hipError_t hipMemcpyParam2D(const hip_Memcpy2D *p) {
  return hipMemcpyParam2DAsync(p, nullptr);
}

OCTAVO_HIP_API hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *p) {
  return hipMemcpyParam2DAsync(p, nullptr);
}

bool hip::makeCopyCommand(const hipMemcpy3DParms &p, CopyCommand &command) {
  if (p.srcArray || p.dstArray)
    return false;
  auto *src = static_cast<const char *>(p.srcPtr.ptr);
  auto *dst = static_cast<char *>(p.dstPtr.ptr);
  size_t srcSlice = p.srcPtr.pitch * p.srcPtr.ysize;
  size_t dstSlice = p.dstPtr.pitch * p.dstPtr.ysize;
  if (src)
    src += p.srcPos.z * srcSlice + p.srcPos.y * p.srcPtr.pitch + p.srcPos.x;
  if (dst)
    dst += p.dstPos.z * dstSlice + p.dstPos.y * p.dstPtr.pitch + p.dstPos.x;
  command = {dst,      src,      p.dstPtr.pitch, dstSlice, p.srcPtr.pitch,
             srcSlice, p.extent, p.kind};
  return src && dst && p.srcPtr.pitch >= p.extent.width &&
         p.dstPtr.pitch >= p.extent.width;
}

OCTAVO_HIP_API hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *p,
                                           hipStream_t stream) {
  if (!p)
    return fail(hipErrorInvalidValue, "hipMemcpy3D: null pointer");
  if (p->srcArray || p->dstArray)
    return failMissing("hipMemcpy3D with arrays");
  CopyCommand command;
  if (!makeCopyCommand(*p, command) && command.extent.width)
    return fail(hipErrorInvalidValue, "hipMemcpy3D: null pointer or bad pitch");
  return copyRows(command, stream);
}

OCTAVO_HIP_API hipError_t hipMemcpy3D(const hipMemcpy3DParms *p) {
  return hipMemcpy3DAsync(p, nullptr);
}

OCTAVO_HIP_API hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *p,
                                              hipStream_t stream) {
  if (!p)
    return fail(hipErrorInvalidValue, "hipDrvMemcpy3D: null pointer");
  if (p->srcMemoryType == hipMemoryTypeArray ||
      p->dstMemoryType == hipMemoryTypeArray)
    return failMissing("hipDrvMemcpy3D with arrays");
  hipMemcpy3DParms q = {};
  void *src = p->srcMemoryType == hipMemoryTypeHost
                  ? const_cast<void *>(p->srcHost)
                  : p->srcDevice;
  void *dst = p->dstMemoryType == hipMemoryTypeHost ? p->dstHost : p->dstDevice;
  q.srcPtr = {src, p->srcPitch, p->WidthInBytes, p->srcHeight};
  q.dstPtr = {dst, p->dstPitch, p->WidthInBytes, p->dstHeight};
  q.srcPos = {p->srcXInBytes, p->srcY, p->srcZ};
  q.dstPos = {p->dstXInBytes, p->dstY, p->dstZ};
  q.extent = {p->WidthInBytes, p->Height, p->Depth};
  q.kind = hipMemcpyDefault;
  return hipMemcpy3DAsync(&q, stream);
}

OCTAVO_HIP_API hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *p) {
  return hipDrvMemcpy3DAsync(p, nullptr);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static hipError_t fill(FillCommand command, hipStream_t stream) {
  const hipExtent &extent = command.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
    return hipSuccess;
  size_t bytes;
  if (__builtin_mul_overflow(extent.width, command.elementBytes, &bytes))
    return fail(hipErrorInvalidValue, "fill: size overflows");
  if (!command.dst ||
      reinterpret_cast<uintptr_t>(command.dst) % command.elementBytes != 0)
    return fail(hipErrorInvalidValue, "fill: null or misaligned pointer");
  if (extent.height * extent.depth > 1 && command.pitch < bytes)
    return fail(hipErrorInvalidPitchValue,
                "fill of rows that are wider than the pitch");
  return submit(stream, std::move(command));
}

static hipError_t fillRow(void *dst, uint32_t value, unsigned elementBytes,
                          size_t count, hipStream_t stream) {
  return fill({dst, 0, 0, value, elementBytes, {count, 1, 1}}, stream);
}

OCTAVO_HIP_API hipError_t hipMemset(void *dst, int value, size_t bytes) {
  return fillRow(dst, value & 0xff, 1, bytes, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemsetAsync(void *dst, int value, size_t bytes,
                                         hipStream_t stream) {
  return fillRow(dst, value & 0xff, 1, bytes, stream);
}
OCTAVO_HIP_API hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value,
                                      size_t count) {
  return fillRow(dst, value, 1, count, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t dst,
                                           unsigned char value, size_t count,
                                           hipStream_t stream) {
  return fillRow(dst, value, 1, count, stream);
}
OCTAVO_HIP_API hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value,
                                       size_t count) {
  return fillRow(dst, value, 2, count, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t dst,
                                            unsigned short value, size_t count,
                                            hipStream_t stream) {
  return fillRow(dst, value, 2, count, stream);
}
OCTAVO_HIP_API hipError_t hipMemsetD32(hipDeviceptr_t dst, int value,
                                       size_t count) {
  return fillRow(dst, value, 4, count, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value,
                                            size_t count, hipStream_t stream) {
  return fillRow(dst, value, 4, count, stream);
}

OCTAVO_HIP_API hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value,
                                           size_t width, size_t height,
                                           hipStream_t stream) {
  return fill({dst, pitch, 0, value & 0xffu, 1, {width, height, 1}}, stream);
}
OCTAVO_HIP_API hipError_t hipMemset2D(void *dst, size_t pitch, int value,
                                      size_t width, size_t height) {
  return hipMemset2DAsync(dst, pitch, value, width, height, nullptr);
}
OCTAVO_HIP_API hipError_t hipMemset3DAsync(hipPitchedPtr dst, int value,
                                           hipExtent extent,
                                           hipStream_t stream) {
  return fill(
      {dst.ptr, dst.pitch, dst.pitch * dst.ysize, value & 0xffu, 1, extent},
      stream);
}
OCTAVO_HIP_API hipError_t hipMemset3D(hipPitchedPtr dst, int value,
                                      hipExtent extent) {
  return hipMemset3DAsync(dst, value, extent, nullptr);
}

#define FILL_RECTANGLE(NAME, TYPE)                                             \
  OCTAVO_HIP_API hipError_t NAME##Async(hipDeviceptr_t dst, size_t pitch,      \
                                        TYPE value, size_t width,              \
                                        size_t height, hipStream_t stream) {   \
    return fill({dst, pitch, 0, value, sizeof(TYPE), {width, height, 1}},      \
                stream);                                                       \
  }                                                                            \
  OCTAVO_HIP_API hipError_t NAME(hipDeviceptr_t dst, size_t pitch, TYPE value, \
                                 size_t width, size_t height) {                \
    return NAME##Async(dst, pitch, value, width, height, nullptr);             \
  }
FILL_RECTANGLE(hipMemsetD2D8, unsigned char)
FILL_RECTANGLE(hipMemsetD2D16, unsigned short)
FILL_RECTANGLE(hipMemsetD2D32, unsigned)
