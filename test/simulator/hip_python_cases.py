"""hip-python on the simulator: it finds libamdhip64.so through LD_LIBRARY_PATH and looks each function up lazily."""

import ctypes
import os
import subprocess
import tempfile

import cases
import numpy as np
from hip import hip

TARGET = os.environ["OCTAVO_TARGET"]
CLANG = os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22") + "/bin/clang"
SOURCE = """
#define GLOBAL __attribute__((address_space(1)))
__attribute__((amdgpu_kernel)) void scale(GLOBAL float *x, float a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) x[i] *= a;
}
"""


def check(result):
    """hip-python returns the error first."""
    error, *values = result if isinstance(result, tuple) else (result,)
    if error != hip.hipError_t.hipSuccess:
        raise RuntimeError(str(error))
    return values[0] if len(values) == 1 else values


def build() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, obj = folder + "/k.c", folder + "/k.hsaco"
        with open(source, "w") as file:
            file.write(SOURCE)
        subprocess.run(
            [CLANG, "--target=amdgcn-amd-amdhsa", f"-mcpu={TARGET}", "-O2", "-nogpulib", source, "-o", obj], check=True
        )
        with open(obj, "rb") as file:
            return file.read()


def properties():
    p = check(hip.hipGetDeviceProperties(0))
    assert p.gcnArchName == f"{TARGET}:sramecc+:xnack-", p.gcnArchName
    assert p.warpSize == 64
    assert p.sharedMemPerBlock == {"gfx942": 65536, "gfx950": 163840}[TARGET]
    cus = check(hip.hipDeviceGetAttribute(hip.hipDeviceAttribute_t.hipDeviceAttributeMultiprocessorCount, 0))
    assert cus == p.multiProcessorCount == {"gfx942": 304, "gfx950": 256}[TARGET]
    assert check(hip.hipGetDeviceCount()) == 1
    assert check(hip.hipRuntimeGetVersion()) // 10_000_000 == 7


def memory():
    host = np.arange(1000, dtype=np.float32)
    back = np.zeros_like(host)
    device = check(hip.hipMalloc(host.nbytes))
    check(hip.hipMemcpy(device, host, host.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    check(hip.hipMemcpy(back, device, host.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert (back == host).all()
    check(hip.hipMemset(device, 0, 400))
    check(hip.hipMemcpyAsync(back, device, host.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost, None))
    assert (back[:100] == 0).all() and (back[100:] == host[100:]).all()
    check(hip.hipFree(device))
    assert hip.hipFree(host)[0] == hip.hipError_t.hipErrorInvalidValue
    free, total = check(hip.hipMemGetInfo())
    assert free == total > 100 << 30


def streams_and_events():
    stream = check(hip.hipStreamCreate())
    start, stop = check(hip.hipEventCreate()), check(hip.hipEventCreate())
    device = check(hip.hipMalloc(1 << 20))
    check(hip.hipEventRecord(start, stream))
    check(hip.hipMemsetAsync(device, 1, 1 << 20, stream))
    check(hip.hipEventRecord(stop, stream))
    check(hip.hipStreamSynchronize(stream))
    # A fill of 1 MiB at the bandwidth of device memory, in simulated time.
    bandwidth = {"gfx942": 5300e9, "gfx950": 8000e9}[TARGET]
    ms = check(hip.hipEventElapsedTime(start, stop))
    assert abs(ms - (1 << 20) / bandwidth * 1e3) < 1e-7, ms
    for event in (start, stop):
        check(hip.hipEventDestroy(event))
    check(hip.hipStreamDestroy(stream))
    check(hip.hipFree(device))


def launch():
    module = check(hip.hipModuleLoadData(build()))
    kernel = check(hip.hipModuleGetFunction(module, b"scale"))
    x = np.arange(200, dtype=np.float32)
    device = check(hip.hipMalloc(x.nbytes))
    check(hip.hipMemcpy(device, x, x.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    check(
        hip.hipModuleLaunchKernel(
            kernel, 4, 1, 1, 64, 1, 1, sharedMemBytes=0, stream=None, kernelParams=None,
            extra=(device, ctypes.c_float(1.5), ctypes.c_int(190)),
        )
    )
    y = np.zeros_like(x)
    check(hip.hipMemcpy(y, device, x.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert (y[:190] == x[:190] * 1.5).all() and (y[190:] == x[190:]).all()
    assert hip.hipModuleGetFunction(module, b"nothing")[0] == hip.hipError_t.hipErrorNotFound
    check(hip.hipModuleUnload(module))


def graph():
    """Capture, replay, change: the same kernel launch twice with other data."""
    module = check(hip.hipModuleLoadData(build()))
    kernel = check(hip.hipModuleGetFunction(module, b"scale"))
    stream = check(hip.hipStreamCreate())
    device = check(hip.hipMalloc(400))
    check(hip.hipStreamBeginCapture(stream, hip.hipStreamCaptureMode.hipStreamCaptureModeGlobal))
    check(hip.hipMemsetAsync(device, 0x40, 400, stream))
    check(
        hip.hipModuleLaunchKernel(
            kernel, 2, 1, 1, 64, 1, 1, sharedMemBytes=0, stream=stream, kernelParams=None,
            extra=(device, ctypes.c_float(2.0), ctypes.c_int(100)),
        )
    )
    captured = check(hip.hipStreamEndCapture(stream))
    instance, *_ = check(hip.hipGraphInstantiate(captured, 0))
    value = np.frombuffer(b"\x40" * 4, np.float32)[0] * np.float32(2)
    for _ in range(2):
        check(hip.hipMemset(device, 0, 400))
        check(hip.hipGraphLaunch(instance, stream))
        y = np.zeros(100, np.float32)
        check(hip.hipMemcpy(y, device, 400, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
        assert (y == value).all(), y[:4]
    check(hip.hipGraphExecDestroy(instance))
    check(hip.hipGraphDestroy(captured))


def missing():
    """A function that the simulator lacks says so."""
    device = check(hip.hipMalloc(64))
    result = hip.hipIpcGetMemHandle(device)
    error = result[0] if isinstance(result, tuple) else result
    assert error == hip.hipError_t.hipErrorNotSupported, result


if __name__ == "__main__":
    cases.run_all([properties, memory, streams_and_events, launch, graph, missing])
