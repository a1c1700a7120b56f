"""What the runtime itself costs per kernel launch, on a HIP library that launches nothing.

Prints one line: microseconds per launch for a program of many launches, and for a program of one (where the call from
Python counts in full). The library is `build/dev/standin/libamdhip64.so` (CMake target OctavoStandIn).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import pathlib
import time


def program_text(launches: int, pointers: int) -> str:
    """A program whose every launch takes `pointers` addresses and two numbers."""
    tensor = {"shape": [1024, 1024], "strides": [1024, 1], "dtype": "bf16"}
    args: list[dict[str, int]] = [{"input": i % 8} for i in range(pointers - 2)]
    args += [{"output": 0}, {"workspace": 4096}, {"i32": 5}, {"i32": 6}]
    return json.dumps(
        {
            "version": 1,
            "target": "any",
            "inputs": [tensor] * 8,
            "outputs": [{**tensor, "writes": None}],
            "workspace_bytes": 1 << 20,
            "objects": [{"offset": 0, "bytes": 8}],
            "kernels": [{"name": "k", "object": 0, "lanes": 256, "kernarg_bytes": pointers * 8 + 8}],
            "steps": [{"launch": 0, "grid": [256, 1, 1], "args": args} for _ in range(launches)],
        }
    )


def microseconds_per_launch(launches: int, pointers: int, repeats: int) -> float:
    """The best of five rounds of `repeats` runs."""
    from octavo import _octavo

    program = _octavo.Program(program_text(launches, pointers), b"\x7fELF----")
    inputs, outputs = [0x1000 * (i + 1) for i in range(8)], [0x100000]
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(repeats):
            program.run(inputs, outputs, 0x200000, 0)
        best = min(best, time.perf_counter() - start)
    return best / repeats / launches * 1e6


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pointers", type=int, default=6, help="addresses per launch")
    parser.add_argument("--repeats", type=int, default=2000)
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).parents[2]
    ctypes.CDLL(str(root / "build/dev/standin/libamdhip64.so"), mode=ctypes.RTLD_GLOBAL)
    many = microseconds_per_launch(100, arguments.pointers, max(arguments.repeats // 100, 1))
    one = microseconds_per_launch(1, arguments.pointers, arguments.repeats)
    print(f"launch overhead: {many:.3f} us per launch in a program of 100, {one:.3f} us for a program of one")


if __name__ == "__main__":
    main()
