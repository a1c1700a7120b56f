"""Triton's kernels on the simulated GPU.

    import octavo.interop.triton
    octavo.interop.triton.install()

After that every `@triton.jit` kernel that is launched on CPU tensors runs on the simulator. Triton itself, its
compiler and its launcher stay as they are; replaced is only the driver class, which would ask torch for a GPU, a
stream and events. `do_bench` and the autotuner get predicted times.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any

import triton
from triton.backends.amd.driver import HIPDriver, HIPLauncher, HIPUtils

from octavo import env, simulator
from octavo.errors import OctavoError


class Event:
    """An event as `torch.cuda.Event`, in simulated time."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self._handle = ctypes.c_void_p()
        flags = 0 if enable_timing else 2
        simulator.check(simulator.library().hipEventCreateWithFlags(ctypes.byref(self._handle), flags), "event")

    def record(self, stream: Any = None) -> None:
        """Notes the time of the default stream."""
        simulator.check(simulator.library().hipEventRecord(self._handle, None), "event")

    def synchronize(self) -> None:
        """Returns at once: work is done when the call that asks for it returns."""

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds of simulated time from this event to `end`."""
        ms = ctypes.c_float()
        code = simulator.library().hipEventElapsedTime(ctypes.byref(ms), self._handle, end._handle)
        simulator.check(code, "elapsed time")
        return ms.value

    def __del__(self) -> None:
        simulator.library().hipEventDestroy(self._handle)


class DeviceInterface:
    """The part of `torch.cuda` that Triton's benchmarks use."""

    Event = Event

    @staticmethod
    def synchronize() -> None:
        """Waits for the device."""
        simulator.check(simulator.library().hipDeviceSynchronize(), "synchronize")

    @staticmethod
    def current_device() -> int:
        """There is one device."""
        return 0


class Launcher(HIPLauncher):  # type: ignore[misc]
    """Triton's launcher; tells the simulator how far the tensors reach."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for argument in args:
            if hasattr(argument, "untyped_storage"):
                simulator.register_tensor(argument)
        super().__call__(*args, **kwargs)


def predicted_bench(
    kernel_call: Callable[[], Any], *_: Any, quantiles: Sequence[float] | None = None, **__: Any
) -> float | list[float]:
    """Predicted milliseconds of `kernel_call`, which runs once: a prediction does not vary.

    Stands in for `triton.testing.do_bench` where the autotuner asks the driver for a benchmarker.
    """
    start, end = Event(enable_timing=True), Event(enable_timing=True)
    start.record()
    kernel_call()
    end.record()
    ms = start.elapsed_time(end)
    return ms if quantiles is None else [ms] * len(quantiles)


class Driver(HIPDriver):  # type: ignore[misc]
    """Triton's HIP driver with one device, one stream and tensors in host memory."""

    def __init__(self) -> None:
        self.utils = HIPUtils()
        self.launcher_cls = Launcher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        self.get_device_capability = lambda device=None: (9, 0)

    @staticmethod
    def is_active() -> bool:
        """This driver is chosen by `install`, never found."""
        return False

    def get_active_torch_device(self) -> Any:
        """Tensors are CPU tensors."""
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> type[DeviceInterface]:
        """Events and synchronisation in simulated time."""
        return DeviceInterface

    def get_benchmarker(self) -> Callable[..., float | list[float]]:
        """Predicts instead of measuring."""
        return predicted_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        """Nothing: the simulator's caches are empty at each launch."""
        import torch

        return torch.empty(0, dtype=torch.int32)


def install(target: str | None = None) -> Driver:
    """Makes the simulator Triton's GPU and returns the driver.

    Args:
        target: the GPU to simulate; otherwise what `OCTAVO_TARGET` says, or the simulator's default. It can be chosen
            only before the simulator's first use in the process.

    Raises:
        OctavoError: `target` differs from the GPU that this process simulates already, or is unknown.
    """
    if target is not None:
        env.choose_target(target)
    os.environ["TRITON_LIBHIP_PATH"] = str(simulator.library_path())
    driver = Driver()
    found = driver.utils.get_device_properties(0)["arch"].split(":")[0]
    if target is not None and found != target.split(":")[0]:
        raise OctavoError(
            f"this process simulates {found} already, not {target}",
            way_out="choose the target before the first launch (or start a new process)",
        )
    triton.runtime.driver.set_active(driver)
    return driver
