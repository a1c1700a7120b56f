"""Lanes, waves and workgroups that depend on each other: LDS, barriers, atomics, locks, grid barriers, errors.

Every kernel runs under several orders of workgroups and waves; the results must not depend on them.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
ITEMS = 2048


def words(count: int) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)


def zeros(count: int) -> np.ndarray:
    return np.zeros(count, np.uint32)


def block_sum(module) -> None:  # type: ignore[no-untyped-def]
    data, out = words(ITEMS), zeros(8)
    module.launch("blockSum", [data, out], ITEMS, 256)
    assert (out == data.reshape(8, 256).sum(1, dtype=np.uint32)).all()


def bitonic_sort(module) -> None:  # type: ignore[no-untyped-def]
    data, out = words(ITEMS), zeros(ITEMS)
    module.launch("bitonicSort", [data, out], ITEMS // 2, 256)
    assert (out.reshape(4, 512) == np.sort(data.reshape(4, 512))).all()


def histogram(module) -> None:  # type: ignore[no-untyped-def]
    data, out = words(ITEMS), zeros(64)
    module.launch("histogram", [data, out], ITEMS, 256)
    assert (out == np.bincount(data & 63, minlength=64)).all()


def atomics(module) -> None:  # type: ignore[no-untyped-def]
    data, out = words(ITEMS), zeros(16)
    out[1] = out[5] = 0xFFFFFFFF
    out[14] = 1
    module.launch("atomics", [data, out], ITEMS, 256)
    signed = data.view(np.int32)
    assert out[0] == data.sum(dtype=np.uint32)
    assert out[1] == np.bitwise_and.reduce(data | np.uint32(0xFF))
    assert out[2] == np.bitwise_or.reduce(data & np.uint32(0xF0F0F0F0))
    assert out[3] == np.bitwise_xor.reduce(data)
    assert (out[4], out[5]) == (data.max(), data.min())
    assert (out[6:8].view(np.int32) == [signed.max(), signed.min()]).all()
    assert out[8:10].view(np.uint64)[0] == (data.astype(np.uint64) << np.uint64(20)).sum(dtype=np.uint64)
    small = int((data & 15).sum())
    assert out[10:11].view(np.float32)[0] == small
    assert out[12:14].view(np.float64)[0] == small
    assert int(out[14]) == pow(3, ITEMS, 1 << 32)


def wave_scan(module) -> None:  # type: ignore[no-untyped-def]
    data, out = words(ITEMS), zeros(4 * ITEMS)
    module.launch("waveScan", [data, out], ITEMS, 256)
    x = (data & 0xFFFF).reshape(-1, 64)
    result = out.reshape(-1, 64, 4)
    assert (result[:, :, 0] == np.cumsum(x, 1, dtype=np.uint32)).all()
    odd = x & 1
    assert (result[:, :, 1] == np.cumsum(odd, 1) - odd).all()
    shifted = np.roll(x, 1, 1)
    shifted[:, ::16] = 7  # row_shr does not cross rows of 16
    assert (result[:, :, 2] == shifted).all()
    assert (result[:, :, 3] == (x[:, 63] + x[:, 0])[:, None]).all()


def locked(module) -> None:  # type: ignore[no-untyped-def]
    lock, counter = zeros(1), zeros(128)
    module.launch("locked", [lock, counter], 128 * 20, 128)
    assert (counter == (1 << 20) - 1).all()


def grid_barrier(module) -> None:  # type: ignore[no-untyped-def]
    groups = 24
    arrived, data, out = zeros(1), zeros(groups * 64), zeros(groups * 64)
    module.launch("gridBarrier", [arrived, data, out, ctypes.c_uint32(groups)], groups * 64, 64)
    assert (out == np.roll(np.arange(groups * 64) * 7, -64)).all()


def chain(module) -> None:  # type: ignore[no-untyped-def]
    flags, out = zeros(16), zeros(16)
    module.launch("chain", [flags, out], 16 * 64, 64)
    assert (out == 3 ** np.arange(1, 17)).all()


def fails(module, name: str, arguments: list, *words: str) -> None:  # type: ignore[no-untyped-def, type-arg]
    """The launch fails with a message that has these words."""
    try:
        module.launch(name, arguments, 64, 64)
    except RuntimeError as error:
        module.hip.octavoSimReset()
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(f"{name} did not fail")


def endless(module) -> None:  # type: ignore[no-untyped-def]
    fails(module, "endless", [zeros(1)], "endless: a wave reached the limit of instructions", "OCTAVO_SIM_LIMIT")


def lds_outside(module) -> None:  # type: ignore[no-untyped-def]
    arguments = [zeros(1), ctypes.c_int(16)]
    message = "ldsOutside: LDS access outside the workgroup's LDS, at 0x"
    fails(module, "ldsOutside", arguments, message, "'ds_write_b32 v")


Check = Callable[..., None]
CHECKS: list[Check] = [block_sum, bitonic_sort, histogram, atomics, wave_scan, locked, grid_barrier, chain]
ERRORS: list[Check] = [endless, lds_outside]


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("order", "threads"), [("0", "1"), ("1", "4"), ("99", "3")])
def test_workgroups(arch: str, order: str, threads: str) -> None:
    settings = {"OCTAVO_TARGET": arch, "OCTAVO_SIM_ORDER": order, "OCTAVO_SIM_THREADS": threads,
                "OCTAVO_SIM_DETERMINISTIC": "0", "OCTAVO_SIM_LIMIT": "20000000"}
    command = [sys.executable, __file__, arch]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, **settings})
    assert result.returncode == 0, result.stdout + result.stderr[-3000:]


if __name__ == "__main__":
    import device

    with tempfile.TemporaryDirectory() as temporary:
        for level in ("-O0", "-O2"):
            output = pathlib.Path(temporary) / "k.hsaco"
            code = device.compile_gpu(HERE / "workgroup_kernels.c", sys.argv[1], [level], output)
            for check in CHECKS:
                check(device.Module(code))
        for error in ERRORS:
            if error is not ERRORS[0] or os.environ["OCTAVO_SIM_ORDER"] == "0":
                error(device.Module(code))
