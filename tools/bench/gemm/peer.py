"""Runs a row's product as Triton compiles it with one configuration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rows import FLOAT8, Row, prediction_of


@dataclass(frozen=True)
class Config:
    """What the author of a Triton kernel chooses. `nonkdim` 0 is Triton's own choice of the matrix instruction."""

    bm: int
    bn: int
    bk: int
    warps: int
    stages: int
    nonkdim: int = 16
    kpack: int = 1

    def as_dict(self) -> dict[str, int]:
        """For JSON."""
        return asdict(self)


_install: list[Any] = []


def _ready(target: str) -> None:
    if not _install:
        import octavo.interop.triton

        _install.append(octavo.interop.triton.install(target))


def _launch(row: Row, config: Config) -> Any:
    """Launches once; returns Triton's compiled kernel."""
    import kernels
    import torch

    m, n, k = row.m, row.n, row.k
    dtype = torch.bfloat16 if row.scaling == "none" else getattr(torch, FLOAT8[row.target][1])
    if row.scaling == "mx":
        dtype = torch.float8_e4m3fn
    a = torch.empty((k, m) if row.order[0] == "T" else (m, k), dtype=dtype)
    b = torch.empty((n, k) if row.order[1] == "T" else (k, n), dtype=dtype)
    a, b = a.t() if row.order[0] == "T" else a, b.t() if row.order[1] == "T" else b
    c = torch.empty((m, n), dtype=torch.bfloat16)
    sizes = (m, n, k, *a.stride(), *b.stride(), c.stride(0))
    chosen: dict[str, Any] = {"BM": config.bm, "BN": config.bn, "BK": config.bk, "GROUP": 8}
    chosen |= {"num_warps": config.warps, "num_stages": config.stages, "matrix_instr_nonkdim": config.nonkdim}
    if row.target != "gfx950":
        chosen["kpack"] = config.kpack
    grid = (-(-m // config.bm) * -(-n // config.bn),)
    if row.scaling in ("none", "tensor", "row"):
        counts = (m, n) if row.scaling == "row" else (1, 1)
        scales = [torch.empty(count) for count in counts]
        chosen |= {"SCALED": row.scaling, "EVEN": k % config.bk == 0}
        return kernels.product[grid](a, b, c, *scales, *sizes, **chosen)
    step = row.scale_along() or k
    steps = -(-k // step)
    across = row.scale_across_b() if row.scaling == "block" else 1
    element = torch.float32 if row.scaling == "block" else torch.uint8
    # A scale lies as its operand does.
    sa = torch.empty((steps, m), dtype=element).t() if row.order[0] == "T" else torch.empty((m, steps), dtype=element)
    columns = -(-n // across)
    sb = torch.empty((columns, steps), dtype=element)
    sb = sb.t() if row.order[1] == "T" else torch.empty((steps, columns), dtype=element)
    strides = (*sa.stride(), *sb.stride())
    if row.scaling == "block":
        return kernels.block_product[grid](a, b, c, sa, sb, *sizes, *strides, ACROSS=across, **chosen)
    return kernels.mx_product[grid](a, b, c, sa, sb, *sizes, *strides, EVEN=k % config.bk == 0, **chosen)


def measure(row: Row, config: Config) -> dict[str, Any]:
    """The simulator's time of one launch and what the kernel needs.

    Raises:
        Exception: whatever Triton or the simulator finds.
    """
    _ready(row.target)
    from octavo import simulator

    simulator.reset()
    kernel = _launch(row, config)
    report = simulator.report()
    return {
        "us": sum(launch["predicted_us"] for launch in report["launches"]),
        "registers": kernel.n_regs,
        "spills": kernel.n_spills,
        "lds": kernel.metadata.shared,
        "prediction": prediction_of(report),
    }
