"""The rows of the comparison: what is multiplied, how it is scaled, and on which chip."""

from __future__ import annotations

import json
import pathlib
from dataclasses import asdict, dataclass
from typing import Any

FOLDER = pathlib.Path(__file__).parent
SCALINGS = ("none", "tensor", "row", "block", "mx")
ORDERS = ("NT", "NN", "TN", "TT")
#: Multiply-adds count twice: operations of a compute unit in a cycle with 8-bit operands; bf16 has half.
OPERATIONS = {"gfx950": 8192, "gfx942": 4096}
#: The 8-bit format that a chip multiplies: MLIR's name, torch's name.
FLOAT8 = {"gfx950": ("f8E4M3FN", "float8_e4m3fn"), "gfx942": ("f8E4M3FNUZ", "float8_e4m3fnuz")}


@dataclass(frozen=True)
class Row:
    """One product: C[m, n] = sum over k of A[m, k] B[k, n].

    `order` has a letter for A and one for B: N is stored as written here, T the other way round. `scaling` none is
    bf16; block is 1x128 for A, 128x128 for B, but 1x128 for both in a wgrad.
    """

    m: int
    n: int
    k: int
    scaling: str
    order: str
    target: str
    kind: str
    quick: bool = False

    @property
    def name(self) -> str:
        """Of the row's files, and its key in peers.json."""
        return f"{self.target}-{self.m}x{self.n}x{self.k}-{self.scaling}-{self.order}"

    @property
    def is_wgrad(self) -> bool:
        """Both operands are activations or gradients."""
        return self.order == "TN"

    @property
    def is_skinny(self) -> bool:
        """Bound by reading the weights."""
        return self.m <= 128

    def element(self) -> str:
        """MLIR's name of the operands' type."""
        if self.scaling == "none":
            return "bf16"
        # An MX operand is in the OCP format wherever it is multiplied.
        return "f8E4M3FN" if self.scaling == "mx" else FLOAT8[self.target][0]

    def scale_along(self) -> int | None:
        """How many elements along k share a scale; None is all."""
        return {"block": 128, "mx": 32}.get(self.scaling)

    def scale_across_b(self) -> int:
        """How many columns of B share a scale, of block scales."""
        return 1 if self.is_wgrad else 128

    def peak_us(self, compute_units: int, clock_mhz: float) -> float:
        """The time that the matrix cores need at their peak."""
        operations = OPERATIONS[self.target] // (2 if self.scaling == "none" else 1)
        return 2 * self.m * self.n * self.k / (operations * compute_units * clock_mhz)

    def least_bytes(self) -> int:
        """What must be read and written once: operands and the result (bf16); scales are left out."""
        return (self.m + self.n) * self.k * (2 if self.scaling == "none" else 1) + 2 * self.m * self.n

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def load() -> list[Row]:
    """The rows of rows.json, each once.

    Raises:
        SystemExit: a row is there twice, or has an unknown word.
    """
    rows = [Row(**entry) for entry in json.loads((FOLDER / "rows.json").read_text())]
    names = [row.name for row in rows]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SystemExit(f"rows.json has twice: {', '.join(sorted(twice))}")
    for row in rows:
        if row.scaling not in SCALINGS or row.order not in ORDERS or row.target not in OPERATIONS:
            raise SystemExit(f"rows.json: unknown scaling, order or target in {row}")
    return rows


def prediction_of(report: dict[str, Any]) -> dict[str, Any]:
    """What the simulator's report says of its longest launch; it also holds predictions of launches before."""
    launch = max(report["launches"], key=lambda launch: float(launch["predicted_us"]))
    same = [p for p in report["predictions"] if all(p[key] == launch[key] for key in ("kernel", "predicted_us"))]
    return dict(same[-1])
