"""HIP's C API itself, by ctypes: what the clients' cases do not reach. Run by test_hip_api.py."""

import ctypes
import mmap
import os
import random
import subprocess
import tempfile
import threading

import cases
import numpy as np

from octavo import simulator

TARGET = os.environ["OCTAVO_TARGET"]
CLANG = os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22") + "/bin/clang"
SOURCE = """
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel)) void
KERNEL plus(GLOBAL int *x, int a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) x[i] += a;
}
KERNEL fault(GLOBAL int *x) { x[1LL << 40] = 1; }
KERNEL mixed(GLOBAL long *out, char a, short b, int c, long d, float e, double f) {
  *out = a + 10 * b + 100 * c + 1000 * d + 10000 * (long)e + 100000 * (long)f;
}
__attribute__((amdgpu_flat_work_group_size(64, 64))) KERNEL fixed(GLOBAL int *x) { *x = 1; }
"""
P = ctypes.c_void_p
SIZE = ctypes.c_size_t
SUCCESS, INVALID_VALUE, INVALID_CONFIGURATION, INVALID_IMAGE = 0, 1, 9, 200
INVALID_HANDLE, NOT_FOUND, LAUNCH_FAILURE, NOT_SUPPORTED = 400, 500, 719, 801
hip = simulator.library()


def good(code: int) -> None:
    assert code == SUCCESS, f"error {code}: {simulator.last_error()}"


def new(function, *arguments) -> P:
    handle = P()
    good(function(ctypes.byref(handle), *arguments))
    return handle


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


IMAGE = build()


def kernel(name: str) -> P:
    return new(hip.hipModuleGetFunction, new(hip.hipModuleLoadData, IMAGE), name.encode())


def pack(*arguments):
    """A kernelParams array; keeps what it points to alive."""
    array = (P * len(arguments))(*[ctypes.cast(ctypes.pointer(a), P) for a in arguments])
    array.keep = arguments
    return array


def launch(function: P, array, grid=1, block=64, stream=None, lds=0, extra=None) -> int:
    return hip.hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, lds, stream, array, extra)


def device_ints(count: int) -> tuple[P, ctypes.Array]:
    """Zeroed device memory, and the same bytes as the host sees them."""
    pointer = new(hip.hipMalloc, SIZE(4 * count))
    good(hip.hipMemset(pointer, 0, SIZE(4 * count)))
    return pointer, (ctypes.c_int * count).from_address(pointer.value)


def arguments_of_all_widths():
    out = new(hip.hipMalloc, SIZE(8))
    values = (ctypes.c_int8(1), ctypes.c_int16(2), ctypes.c_int32(3), ctypes.c_int64(4), ctypes.c_float(5),
              ctypes.c_double(6))
    good(launch(kernel("mixed"), pack(out, *values), block=1))
    assert ctypes.c_int64.from_address(out.value).value == 654321
    # The same as a buffer that the caller packed.
    buffer = np.zeros(48, np.uint8)
    for offset, value in zip((0, 8, 10, 12, 16, 24, 32), (out, *values), strict=True):
        raw = bytes(value)
        buffer[offset : offset + len(raw)] = np.frombuffer(raw, np.uint8)
    ctypes.c_int64.from_address(out.value).value = 0
    size = SIZE(40)
    extra = (P * 5)(1, buffer.ctypes.data, 2, ctypes.addressof(size), 3)
    good(launch(kernel("mixed"), None, block=1, extra=extra))
    assert ctypes.c_int64.from_address(out.value).value == 654321
    size.value = 39
    assert launch(kernel("mixed"), None, block=1, extra=extra) == INVALID_VALUE
    assert "needs 40 bytes" in simulator.last_error()


def wrong_launches():
    function, (pointer, x) = kernel("plus"), device_ints(64)
    array = pack(pointer, ctypes.c_int(1), ctypes.c_int(64))
    assert launch(function, array, grid=0) == INVALID_CONFIGURATION
    assert launch(function, array, block=2000) == INVALID_CONFIGURATION
    assert launch(function, array, grid=2**31, block=64) == INVALID_CONFIGURATION
    assert launch(function, array, lds=1 << 20) == 701 and "bytes of LDS" in simulator.last_error()
    assert launch(function, None) == INVALID_VALUE and "argument 0 of 3 is missing" in simulator.last_error()
    assert launch(P(12345), array) == INVALID_HANDLE
    assert launch(function, array, stream=P(4096)) == INVALID_HANDLE
    assert launch(kernel("fixed"), pack(pointer), block=128) == INVALID_CONFIGURATION
    assert "more work items than 64" in simulator.last_error()
    assert sum(x) == 0
    assert hip.hipGetLastError() == INVALID_CONFIGURATION and hip.hipGetLastError() == SUCCESS
    good(launch(function, array))
    assert list(x) == [1] * 64


def a_fault_is_sticky_until_reset():
    pointer, _ = device_ints(1)
    assert launch(kernel("fault"), pack(pointer)) == LAUNCH_FAILURE
    text = simulator.last_error()
    assert "fault" in text and "global_store_dword" in text, text
    assert hip.hipDeviceSynchronize() == LAUNCH_FAILURE
    assert hip.hipMemset(pointer, 0, SIZE(4)) == LAUNCH_FAILURE
    simulator.reset()
    good(hip.hipDeviceSynchronize())
    good(hip.hipMemset(pointer, 0, SIZE(4)))


def times_are_predicted():
    """Events see the sum of the predicted times; without events nothing is predicted."""
    simulator.reset()
    function, (pointer, _) = kernel("plus"), device_ints(1 << 16)
    array = pack(pointer, ctypes.c_int(1), ctypes.c_int(1 << 16))
    stream, start, stop = new(hip.hipStreamCreate), new(hip.hipEventCreate), new(hip.hipEventCreate)
    good(launch(function, array, grid=1024, stream=stream))
    good(hip.hipEventRecord(start, stream))
    for _ in range(3):
        good(launch(function, array, grid=1024, stream=stream))
    good(hip.hipEventRecord(stop, stream))
    ms = ctypes.c_float()
    good(hip.hipEventElapsedTime(ctypes.byref(ms), start, stop))
    lines = simulator.report()["launches"]
    assert [line["predicted_us"] is None for line in lines] == [True, False, False, False]
    total = sum(line["predicted_us"] for line in lines[1:])
    assert abs(ms.value * 1000 - total) < 1e-3 * total and total > 3, (ms.value, total)
    # A stream that waits for the event begins where it stands.
    other, later = new(hip.hipStreamCreateWithFlags, 1), new(hip.hipEventCreate)
    good(hip.hipStreamWaitEvent(other, stop, 0))
    good(hip.hipEventRecord(later, other))
    good(hip.hipEventElapsedTime(ctypes.byref(ms), stop, later))
    assert ms.value == 0
    simulator.set_timing("off")
    assert hip.hipEventElapsedTime(ctypes.byref(ms), start, stop) == NOT_SUPPORTED
    simulator.set_timing("auto")
    assert hip.hipEventElapsedTime(ctypes.byref(ms), start, new(hip.hipEventCreateWithFlags, 2)) == INVALID_HANDLE


def copies_and_fills():
    pointer, x = device_ints(256)
    good(hip.hipMemsetD32(pointer, 7, SIZE(4)))
    good(hip.hipMemsetD16(P(pointer.value + 16), 0x1234, SIZE(2)))
    good(hip.hipMemsetD8(P(pointer.value + 20), 0xAB, SIZE(4)))
    assert list(x[:6]) == [7, 7, 7, 7, 0x12341234, ctypes.c_int(0xABABABAB).value]
    good(hip.hipMemset2D(P(pointer.value + 256), SIZE(64), 1, SIZE(8), SIZE(3)))
    assert [i for i in range(64, 256) if x[i]] == [64, 65, 80, 81, 96, 97]
    target = np.zeros((3, 4), np.int32)
    good(hip.hipMemcpy2D(P(target.ctypes.data), SIZE(16), P(pointer.value + 256), SIZE(64), SIZE(8), SIZE(3), 2))
    assert (target == [[0x01010101, 0x01010101, 0, 0]] * 3).all()
    assert hip.hipMemcpy2D(P(target.ctypes.data), SIZE(4), pointer, SIZE(64), SIZE(8), SIZE(3), 2) == 12
    assert hip.hipMemcpy(pointer, P(target.ctypes.data), SIZE(4), 9) == 21
    assert hip.hipMemcpy(None, pointer, SIZE(4), 2) == INVALID_VALUE
    assert hip.hipMemsetD32(P(pointer.value + 1), 7, SIZE(4)) == INVALID_VALUE
    big = P()
    assert hip.hipMalloc(ctypes.byref(big), SIZE(1 << 60)) == 2 and "no room" in simulator.last_error()


def pointers_are_known():
    pointer = new(hip.hipMalloc, SIZE(1000))
    attribute = ctypes.c_uint64()

    def ask(number: int, address: int) -> int:
        return hip.hipPointerGetAttribute(ctypes.byref(attribute), number, P(address))

    good(ask(3, pointer.value + 999))
    assert attribute.value == pointer.value + 999
    assert ask(3, pointer.value + 1000) == INVALID_VALUE
    good(ask(11, pointer.value + 500))
    assert attribute.value == pointer.value
    good(ask(12, pointer.value))
    assert attribute.value == 1000
    data = np.zeros(1000, np.uint8)
    assert ask(3, data.ctypes.data) == INVALID_VALUE
    good(hip.hipHostRegister(P(data.ctypes.data), SIZE(1000), 0))
    good(ask(3, data.ctypes.data + 10))
    assert hip.hipHostRegister(P(data.ctypes.data + 8), SIZE(8), 0) == 712
    good(hip.hipHostUnregister(P(data.ctypes.data)))
    assert hip.hipHostUnregister(P(data.ctypes.data)) == 713
    import torch

    tensor = torch.zeros(100)[10:]
    simulator.register_tensor(tensor)
    good(ask(12, tensor.data_ptr()))
    assert attribute.value == 400
    address = tensor.data_ptr()
    del tensor
    assert ask(12, address) == INVALID_VALUE


def fork_and_join_in_a_capture():
    """Two streams in one graph: the second joins by an event and leads back by another."""
    function = kernel("plus")
    (pa, a), (pb, b) = device_ints(64), device_ints(64)
    s, t, fork, join = (new(f) for f in (hip.hipStreamCreate, hip.hipStreamCreate, hip.hipEventCreate,
                                          hip.hipEventCreate))
    n = ctypes.c_int(64)
    good(hip.hipStreamBeginCapture(s, 0))
    good(launch(function, pack(pa, ctypes.c_int(1), n), stream=s))
    good(hip.hipEventRecord(fork, s))
    good(hip.hipStreamWaitEvent(t, fork, 0))
    good(launch(function, pack(pb, ctypes.c_int(10), n), stream=t))
    good(launch(function, pack(pa, ctypes.c_int(100), n), stream=s))
    assert hip.hipStreamSynchronize(t) == 900
    graph = P()
    assert hip.hipStreamEndCapture(s, ctypes.byref(graph)) == 901, "the forbidden wait spoils the capture"

    def capture(joined: bool) -> int:
        good(hip.hipStreamBeginCapture(s, 0))
        good(launch(function, pack(pa, ctypes.c_int(1), n), stream=s))
        good(hip.hipEventRecord(fork, s))
        good(hip.hipStreamWaitEvent(t, fork, 0))
        good(launch(function, pack(pb, ctypes.c_int(10), n), stream=t))
        good(hip.hipEventRecord(join, t))
        good(launch(function, pack(pa, ctypes.c_int(100), n), stream=s))
        assert hip.hipMemset(pa, 0, SIZE(4)) == 906, "the legacy stream is forbidden meanwhile"
        if joined:
            good(hip.hipStreamWaitEvent(s, join, 0))
            good(launch(function, pack(pb, ctypes.c_int(1000), n), stream=s))
        return hip.hipStreamEndCapture(s, ctypes.byref(graph))

    assert capture(joined=False) == 904
    good(capture(joined=True))
    assert a[0] == b[0] == 0, "nothing runs while capturing"
    count = SIZE()
    good(hip.hipGraphGetNodes(graph, None, ctypes.byref(count)))
    assert count.value == 4
    good(hip.hipGraphGetEdges(graph, None, None, ctypes.byref(count)))
    assert count.value == 4
    instance = new(hip.hipGraphInstantiate, graph, None, None, SIZE(0))
    good(hip.hipGraphLaunch(instance, t))
    good(hip.hipGraphLaunch(instance, None))
    assert set(a) == {202} and set(b) == {2020}
    good(hip.hipGraphExecDestroy(instance))
    assert hip.hipGraphLaunch(instance, None) == INVALID_VALUE


def pools_count():
    pool, used = P(), ctypes.c_uint64()
    good(hip.hipDeviceGetDefaultMemPool(ctypes.byref(pool), 0))

    def get(attribute: int) -> int:
        good(hip.hipMemPoolGetAttribute(pool, attribute, ctypes.byref(used)))
        return used.value

    before = get(7)
    pointer = new(hip.hipMallocAsync, SIZE(5000), None)
    assert get(7) == before + 5000 and get(8) >= before + 5000
    good(hip.hipFreeAsync(pointer, None))
    assert get(7) == before
    assert hip.hipFreeAsync(pointer, None) == INVALID_VALUE


def hostile_images():
    """An image comes without a size: what its headers claim is not believed. It ends where no memory is."""
    module = P()
    page = mmap.PAGESIZE
    room = (len(IMAGE) + page - 1) // page * page
    area = mmap.mmap(-1, room + page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    libc = ctypes.CDLL(None)
    assert libc.mprotect(P(address + room), SIZE(page), 0) == 0
    start = room - len(IMAGE)
    generator = random.Random(TARGET)

    def load(data: bytes) -> int:
        area[start:room] = data.ljust(len(IMAGE), b"\0")
        return hip.hipModuleLoadData(ctypes.byref(module), P(address + start))

    good(load(IMAGE))
    for attempt in range(300):
        data = bytearray(IMAGE)
        for _ in range(generator.randrange(1, 4)):
            at = generator.choice([32, 40, 48, 54, 56, 58, 60, generator.randrange(len(data) - 8)])
            value = generator.choice([0, 1, 0xFFFF, 2**32 - 1, 2**63, 2**64 - 1, generator.getrandbits(64)])
            size = generator.choice([1, 2, 4, 8])
            data[at : at + size] = (value & (256**size - 1)).to_bytes(size, "little")
        code = load(bytes(data))
        assert code in (SUCCESS, INVALID_IMAGE, 209), (attempt, code)
    for magic in (b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB", b"CCOB\x03\0\1\0", b"\x7fELF", b"", b"garbage!" * 9):
        for _ in range(20):
            assert load(magic + generator.randbytes(60)) in (INVALID_IMAGE, 209), magic
    assert hip.hipModuleLoadData(ctypes.byref(module), P(address + room)) == INVALID_IMAGE
    assert "cannot be read" in simulator.last_error()
    assert hip.hipModuleLoadData(ctypes.byref(module), None) == INVALID_VALUE


def stale_handles():
    module = new(hip.hipModuleLoadData, IMAGE)
    function = new(hip.hipModuleGetFunction, module, b"plus")
    good(hip.hipModuleUnload(module))
    assert hip.hipModuleUnload(module) == INVALID_HANDLE
    assert launch(function, None) == INVALID_HANDLE
    event, stream = new(hip.hipEventCreate), new(hip.hipStreamCreate)
    good(hip.hipEventDestroy(event))
    good(hip.hipStreamDestroy(stream))
    assert hip.hipEventRecord(event, None) == INVALID_HANDLE
    assert hip.hipStreamSynchronize(stream) == INVALID_HANDLE
    assert hip.hipStreamDestroy(None) == INVALID_HANDLE
    name = P()
    assert hip.hipModuleGetFunction(ctypes.byref(name), new(hip.hipModuleLoadData, IMAGE), b"none") == NOT_FOUND
    assert "plus" in simulator.last_error(), "the kernels that there are"


def many_threads():
    """Launches, copies and allocations from eight threads at once."""
    function = kernel("plus")
    shared, x = device_ints(64)
    wrong = []

    def work() -> None:
        stream = new(hip.hipStreamCreate)
        own, y = device_ints(64)
        for _ in range(50):
            array = pack(own, ctypes.c_int(1), ctypes.c_int(64))
            if launch(function, array, stream=stream) or launch(function, pack(shared, *array.keep[1:]), stream=stream):
                wrong.append(simulator.last_error())
        if set(y) != {50}:
            wrong.append(str(list(y)))
        good(hip.hipFree(own))
        good(hip.hipStreamDestroy(stream))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]
    assert set(x) == {400}


if __name__ == "__main__":
    cases.run_all(
        [arguments_of_all_widths, wrong_launches, a_fault_is_sticky_until_reset, times_are_predicted, copies_and_fills,
         pointers_are_known, fork_and_join_in_a_capture, pools_count, hostile_images, stale_handles, many_threads]
    )
