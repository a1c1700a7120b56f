"""The right kernels of the mutation test, with launches of `octavo-sim check`: clang's, Triton's and Octavo's."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

from clients import HERE, clang

LINEAR = HERE.parents[1] / "docs/walkthrough/linear.mlir"

# What follows the object: grid, block, arguments. Sizes have tails, so that each bound matters.
CLANG = {
    "guarded_add": (2, 128, "f32[200]:randn:1", "f32[200]:randn:2", "f32[200]:zeros", "i32:200"),
    "strided": (2, 128, "f32[600]:randn:1", "f32[600]:zeros", "i32:600"),
    "tree_sum": (2, 128, "f32[256]:randn:1", "f32[2]:zeros"),
    "transpose": (1, 128, "f32[1024]:randn:1", "f32[1024]:zeros"),
    "softmax": (3, 128, "f32[300]:randn:1", "f32[300]:zeros", "i32:100"),
    "product": (2, 128, "f8E4M3FN[4096]:randn:1", "f8E4M3FN[4096]:randn:2", "f32[1024]:zeros"),
    "histogram": (2, 128, "i32[256]:arange", "i32[64]:zeros"),
    "lanes": (2, 128, "i32[256]:arange", "i32[256]:zeros"),
}
NULLS = ("null", "null")
TRITON = {
    "add_kernel": (3, 128, "f32[1100]:randn:1", "f32[1100]:randn:2", "f32[1100]:zeros", "i32:1100", *NULLS),
    "softmax_kernel": (2, 128, "f32[2x391]:randn:1", "f32[2x391]:zeros", "i32:391", *NULLS),
    "layer_norm_kernel": (2, 128, "f32[2x391]:randn:1", "f32[391]:ones", "f32[391]:zeros", "f32[2x391]:zeros",
                          "f32[2]:zeros", "f32[2]:zeros", "i32:391", "f32:1e-5", *NULLS),
    "matmul_kernel": ("2,2", 128, "f16[50x70]:randn:1", "f16[70x45]:randn:2", "f32[50x45]:zeros", "i32:50", "i32:45",
                      "i32:70", *NULLS),
}


@dataclass(frozen=True)
class Kernel:
    """A kernel and its launch."""

    origin: str
    target: str
    name: str
    path: pathlib.Path
    options: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.origin} {self.target} {self.name}"


def launch(grid: int | str, block: int, *arguments: str) -> tuple[str, ...]:
    """The options of octavo-sim."""
    result = ["--grid", str(grid), "--block", str(block)]
    for argument in arguments:
        result += ["--arg", argument]
    return tuple(result)


def clang_kernels(target: str, folder: pathlib.Path) -> list[Kernel]:
    """mutation_kernels.c, optimised."""
    built = folder / f"clang-{target}.hsaco"
    command = [clang().removesuffix("++"), "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", "-O2", "-nogpulib"]
    subprocess.run([*command, str(HERE / "mutation_kernels.c"), "-o", str(built)], check=True)
    return [Kernel("clang", target, name, built, launch(*spec)) for name, spec in CLANG.items()]


def triton_kernels(target: str, folder: pathlib.Path, environment: dict[str, str]) -> list[Kernel]:
    """Kernels of triton_cases.py."""
    into = folder / f"triton-{target}"
    into.mkdir()
    command = [sys.executable, str(HERE / "mutation_triton.py"), target, str(into)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return [
        Kernel("triton", target, name, into / f"{name}.hsaco",
               ("--lds", (into / f"{name}.lds").read_text(), *launch(*spec)))
        for name, spec in TRITON.items()
    ]


def octavo_kernels(target: str, folder: pathlib.Path) -> list[Kernel]:
    """A norm, a quantisation and a product in FP8: the walkthrough's linear layer."""
    from octavo import _paths

    text = LINEAR.read_text().replace("gfx950", target)
    source = folder / f"linear-{target}.mlir"
    source.write_text(text.replace("e4m3fn", "e4m3fnuz") if target == "gfx942" else text)
    if target == "gfx942":
        source.write_text(re.sub(r"f8E4M3FN\b", "f8E4M3FNUZ", source.read_text()))
    tool = str(_paths.tool("octavo-compile"))
    built = folder / f"octavo-{target}.hsaco"
    subprocess.run([tool, str(source), "--target", target, "-o", str(built)], check=True)
    plan = json.loads(subprocess.run([tool, str(source), "--target", target, "--emit", "program"], check=True,
                                     capture_output=True, text=True).stdout)
    offsets = sorted({a["workspace"] for step in plan["steps"] for a in step["args"] if "workspace" in a})
    ends = dict(zip(offsets, [*offsets[1:], plan["workspace_bytes"]], strict=True))

    def argument(arg: dict[str, int]) -> str:
        if "workspace" in arg:
            return f"i8[{ends[arg['workspace']] - arg['workspace']}]:zeros"
        tensor = plan["inputs"][arg["input"]] if "input" in arg else plan["outputs"][arg["output"]]
        shape = "x".join(map(str, tensor["shape"]))
        dtype = {"f8E4M3FN": "i8", "f8E4M3FNUZ": "i8"}.get(tensor["dtype"], tensor["dtype"])
        return f"{dtype}[{shape}]:" + ("randn:1" if "input" in arg else "zeros")

    return [
        Kernel("octavo", target, plan["kernels"][step["launch"]]["name"], built,
               launch(",".join(map(str, step["grid"])), plan["kernels"][step["launch"]]["lanes"],
                      *map(argument, step["args"])))
        for step in plan["steps"]
    ]


def cores() -> int:
    """Processes at a time."""
    return len(os.sched_getaffinity(0))
