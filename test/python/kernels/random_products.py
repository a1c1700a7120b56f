"""Products that a seed draws: shapes, orders, layouts, types, scalings and what follows them.

All numbers are small integers and all scales powers of two, so that every sum is exact in f32 and results are compared
bit for bit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import ml_dtypes
import numpy as np
import torch

Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "i8": np.int8,
    "i32": np.int32,
}
LARGEST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f8E4M3FNUZ": 240.0, "f8E5M2FNUZ": 57344.0}
TORCH = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "f32": torch.float32,
    "i32": torch.int32,
}
#: What a chip multiplies without conversion.
NATIVE = {"gfx950": ("f8E4M3FN", "f8E5M2"), "gfx942": ("f8E4M3FNUZ", "f8E5M2FNUZ")}
FOLLOWING = ("nothing", "relu", "residual", "accumulate", "amax", "quantised", "both")
#: Numbers around the operands that no kernel may read: NaN, or large.
POISON = 0x7F


@dataclass
class Case:
    """One product and what follows it."""

    target: str
    batch: tuple[int, ...]
    m: int
    n: int
    k: int
    a: str
    b: str
    transposed_a: bool
    transposed_b: bool
    scaling: str
    out: str
    bias: str | None
    following: str
    broadcast_b: bool
    #: Elements behind each line of the operands' memory.
    gap_a: int
    gap_b: int
    seed: int
    inputs: list[Array] = field(default_factory=list)
    #: Strides in elements of each argument, if they are not row-major.
    strides: list[tuple[int, ...] | None] = field(default_factory=list)
    #: Values as drawn, by name.
    values: dict[str, Array] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if k not in ("inputs", "strides", "values"))


def _sizes(rng: random.Random) -> tuple[int, int, int]:
    edges = [1, 2, 7, 15, 16, 17, 31, 33, 48, 63, 64, 65, 96, 100, 127, 130, 160]
    depths = [1, 3, 16, 31, 32, 33, 64, 96, 100, 127, 128, 129, 160, 192, 255, 256, 320, 512, 768, 1024, 2048]
    m, n, k = rng.choice(edges), rng.choice(edges), rng.choice(depths)
    kind = rng.random()
    if kind < 0.04:
        m = 0
    elif kind < 0.08:
        n = 0
    elif kind < 0.14:
        k = 0
    if k > 512:
        m, n = min(m, 64), min(n, 64)
    return m, n, k


def draw(seed: int, target: str) -> Case:
    """The case of a seed."""
    rng = random.Random(seed)
    m, n, k = _sizes(rng)
    batch = rng.choice([(), (), (), (), (1,), (2,), (3,), (2, 2)])
    scaling = rng.choice(["none", "none", "tensor", "row", "row", "block", "wgrad", "mx"])
    if scaling != "none" or rng.random() < 0.4:
        floats = list(NATIVE[target]) if rng.random() < 0.8 or scaling == "mx" else list(LARGEST)
        a, b = rng.choice(floats), rng.choice(floats)
    else:
        a = b = rng.choice(["bf16", "f16", "i8", "f32"])
    case = Case(
        target, batch, m, n, k, a, b, rng.random() < 0.5, rng.random() < 0.5, scaling, "f32", None, "nothing",
        bool(batch) and scaling == "none" and rng.random() < 0.3, 0, 0, seed,
    )  # fmt: skip
    if a == "i8":
        case.out = "i32"
        return case
    case.following = rng.choice(FOLLOWING)
    case.out = rng.choice(["f32", "bf16", "f16"]) if case.following in ("nothing", "relu") else "f32"
    case.bias = rng.choice([None, None, "f32", "bf16"])
    if not batch and rng.random() < 0.4:
        case.gap_a, case.gap_b = rng.choice([0, 1, 8, 16]), rng.choice([0, 1, 8, 16])
    return case


class Program:
    """The text of a case, with its arguments; what each is, is drawn with the case's seed."""

    def __init__(self, case: Case) -> None:
        self.case = replace(case, inputs=[], strides=[], values={})
        self.rng = np.random.default_rng(case.seed)
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self.results: list[tuple[str, str, str]] = []
        self.text = self._write()

    def _argument(self, name: str, data: Array, dtype: str, gap: int = 0) -> str:
        """Adds an argument; returns its type."""
        values = data.astype(TYPES[dtype])
        attributes = ""
        if gap and values.size:
            lines, length = values.shape
            memory = np.full(lines * (length + gap), POISON, np.uint8).repeat(values.itemsize)
            memory = memory.view(values.dtype).reshape(lines, length + gap)
            memory[:, :length] = values
            values = memory[:, :length]
            strides = (length + gap, 1)
            attributes = f" {{octavo.strides = array<i64: {strides[0]}, {strides[1]}>}}"
            self.case.strides.append(strides)
        else:
            self.case.strides.append(None)
        self.case.inputs.append(values)
        self.case.values[name] = data
        tensor = f"tensor<{''.join(f'{s}x' for s in values.shape)}{dtype}>"
        self.arguments.append(f"%{name}: {tensor}{attributes}")
        return tensor

    def _integers(self, shape: tuple[int, ...], dtype: str) -> Array:
        # All of these are numbers of each 8-bit format.
        high = 5 if self.case.k > 512 or self.case.out in ("f16",) else 9
        return self.rng.integers(-high + 1, high, shape).astype(np.float64)

    def _powers(self, shape: tuple[int, ...]) -> Array:
        exponents = self.rng.integers(-2, 3, shape)
        return np.asarray(2.0**exponents)

    def _scale(self, name: str, side: str, transposed: bool, k_last: bool) -> tuple[str, str]:
        """Adds a scale; returns its type and granule."""
        case = self.case
        size, scaling = (case.m if side == "a" else case.n), case.scaling
        if scaling == "tensor":
            return self._argument(name, self._powers((1, 1)), "f32"), "tensor"
        if scaling == "row":
            count, steps, granule, dtype = size, 1, "row", "f32"
        elif scaling == "mx":
            count, steps, granule, dtype = size, -(-case.k // 32), "mx<32>", "f8E8M0FNU"
        else:
            across = 128 if scaling == "block" and side == "b" else 1
            count, steps = -(-size // across), -(-case.k // 128)
            granule, dtype = f"block<{across}x128>", "f32"
        shape = (count, steps) if k_last != transposed else (steps, count)
        return self._argument(name, self._powers((*case.batch, *shape)), dtype), granule

    def _write(self) -> str:
        case = self.case
        m, n, k, batch = case.m, case.n, case.k, case.batch
        a = self._integers((*batch, *((k, m) if case.transposed_a else (m, k))), case.a)
        whole = () if case.broadcast_b else batch
        b = self._integers((*whole, *((n, k) if case.transposed_b else (k, n))), case.b)
        type_a = self._argument("a", a, case.a, case.gap_a)
        type_b = self._argument("b", b, case.b, case.gap_b)
        name_b = "%b"
        if case.broadcast_b:
            wide = f"tensor<{''.join(f'{s}x' for s in (*batch, *b.shape))}{case.b}>"
            dimensions = ", ".join(map(str, range(len(batch))))
            self.lines.append(f"%empty = tensor.empty() : {wide}")
            self.lines.append(
                f"%wide = linalg.broadcast ins(%b : {type_b}) outs(%empty : {wide}) dimensions = [{dimensions}]"
            )
            name_b, type_b = "%wide", wide
        types, scaled, granules = [type_a, type_b], ["", ""], ""
        if case.scaling != "none":
            scale_a, granule_a = self._scale("sa", "a", case.transposed_a, True)
            scale_b, granule_b = self._scale("sb", "b", case.transposed_b, False)
            types, scaled = [type_a, scale_a, type_b, scale_b], [" scaled %sa", " scaled %sb"]
            granules = f" {{granule_a = #octavo.granule<{granule_a}>, granule_b = #octavo.granule<{granule_b}>}}"
        bias = ""
        if case.bias:
            types.append(self._argument("bias", self._integers((n,), case.bias), case.bias))
            bias = " bias %bias"
        result = self._tensor(case.out)
        flags = ["transposed " if on else "" for on in (case.transposed_a, case.transposed_b)]
        self.lines.append(
            f"%c = octavo.scaled_matmul {flags[0]}%a{scaled[0]}, {flags[1]}{name_b}{scaled[1]}{bias}{granules}"
            f" : {', '.join(types)} -> {result}"
        )
        self._follow()
        values = ", ".join(name for name, _, _ in self.results)
        kinds = ", ".join(kind for _, kind, _ in self.results)
        declared = ", ".join(f"{kind}{attribute}" for _, kind, attribute in self.results)
        body = "\n    ".join(self.lines)
        return f"""module attributes {{octavo.target = #octavo.target<"{case.target}">}} {{
  func.func @product({", ".join(self.arguments)}) -> ({declared}) {{
    {body}
    return {values} : {kinds}
  }}
}}"""

    def _shape(self) -> tuple[int, ...]:
        return (*self.case.batch, self.case.m, self.case.n)

    def _tensor(self, dtype: str) -> str:
        return f"tensor<{''.join(f'{s}x' for s in self._shape())}{dtype}>"

    def _pointwise(self, name: str, inputs: list[tuple[str, str]], dtype: str, body: str) -> None:
        """`body` may use %x0, %x1 … and yields %y."""
        rank = len(self._shape())
        dims = ", ".join(f"d{i}" for i in range(rank))
        identity = f"affine_map<({dims}) -> ({dims})>"
        maps = ", ".join([identity] * (len(inputs) + 1))
        loops = ", ".join(['"parallel"'] * rank)
        names = ", ".join(value for value, _ in inputs)
        types = ", ".join(self._tensor(kind) for _, kind in inputs)
        scalars = ", ".join(f"%x{i}: {kind}" for i, (_, kind) in enumerate(inputs))
        out = self._tensor(dtype)
        self.lines += [
            f"%{name}_empty = tensor.empty() : {out}",
            f"%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}} "
            f"ins({names} : {types}) outs(%{name}_empty : {out}) {{",
            f"^bb0({scalars}, %o: {dtype}):",
            f"  {body}",
            f"  linalg.yield %y : {dtype}",
            f"}} -> {out}",
        ]

    def _follow(self) -> None:
        case = self.case
        kind = case.following
        if kind == "nothing":
            self.results.append(("%c", self._tensor(case.out), ""))
        elif kind == "relu":
            body = f"%z = arith.constant 0.0 : {case.out}\n  %h = arith.maximumf %x0, %z : {case.out}\n"
            body += f"  %y = arith.addf %h, %h : {case.out}"
            self._pointwise("r", [("%c", case.out)], case.out, body)
            self.results.append(("%r", self._tensor(case.out), ""))
        elif kind in ("residual", "accumulate"):
            dtype = "bf16" if case.seed % 2 else "f32"
            self._argument("old", self._integers(self._shape(), dtype), dtype)
            body = "%y = arith.addf %x0, %x1 : f32"
            if dtype == "bf16":
                body = "%w = arith.extf %x1 : bf16 to f32\n  %s = arith.addf %x0, %w : f32\n"
                body += "  %y = arith.truncf %s : f32 to bf16"
            self._pointwise("r", [("%c", "f32"), ("%old", dtype)], dtype, body)
            place = f" {{octavo.writes = {len(self.arguments) - 1} : i64}}" if kind == "accumulate" else ""
            self.results.append(("%r", self._tensor(dtype), place))
        if kind in ("quantised", "both"):
            dtype = NATIVE[case.target][case.seed % 2]
            limit = LARGEST[dtype]
            body = f"%s = arith.constant 0.0625 : f32\n  %l = arith.constant {-limit} : f32\n"
            body += f"  %h = arith.constant {limit} : f32\n  %t = arith.mulf %x0, %s : f32\n"
            body += "  %u = arith.maximumf %t, %l : f32\n  %v = arith.minimumf %u, %h : f32\n"
            body += f"  %y = arith.truncf %v : f32 to {dtype}"
            self._pointwise("q", [("%c", "f32")], dtype, body)
            self.results.append(("%q", self._tensor(dtype), ""))
        if kind in ("amax", "both"):
            rank = len(self._shape())
            self._pointwise("m", [("%c", "f32")], "f32", "%y = math.absf %x0 : f32")
            self.lines += [
                "%zero = arith.constant 0.0 : f32",
                "%one = tensor.empty() : tensor<f32>",
                "%start = linalg.fill ins(%zero : f32) outs(%one : tensor<f32>) -> tensor<f32>",
                f"%amax = linalg.reduce {{ arith.maximumf }} ins(%m : {self._tensor('f32')}) "
                f"outs(%start : tensor<f32>) dimensions = [{', '.join(map(str, range(rank)))}]",
            ]
            self.results.append(("%amax", "tensor<f32>", ""))
        if kind == "amax":
            self.results.append(("%c", self._tensor("f32"), ""))


def eager(case: Case) -> list[torch.Tensor]:
    """The results by PyTorch's own operators, in the order of the program's."""
    values = {name: torch.from_numpy(np.ascontiguousarray(data)) for name, data in case.values.items()}

    def scaled(operand: str, scale: str, transposed: bool, k_last: bool) -> torch.Tensor:
        x = values[operand]
        if case.scaling != "none":
            s = values[scale]
            for d in (-1, -2):
                along_k = (d == -1) == (k_last != transposed)
                step = {"block": 128, "wgrad": 128, "mx": 32}.get(case.scaling, x.shape[d])
                if not along_k:
                    step = 128 if case.scaling == "block" and operand == "b" else 1
                if s.shape[d] != x.shape[d]:
                    s = s.repeat_interleave(max(step, x.shape[d]) if s.shape[d] == 1 else step, d)
                    s = s.narrow(d, 0, x.shape[d])
            x = x * s
        return x.mT if transposed else x

    a = scaled("a", "sa", case.transposed_a, True)
    b = scaled("b", "sb", case.transposed_b, False)
    c = torch.matmul(a, b)
    if case.bias:
        c = c + values["bias"]
    c = c.to(TORCH[case.out])
    kind = case.following
    if kind == "relu":
        return [torch.relu(c) * 2]
    if kind in ("residual", "accumulate"):
        return [(c + values["old"].float()).to(torch.bfloat16 if case.seed % 2 else torch.float32)]
    dtype = NATIVE[case.target][case.seed % 2]
    quantised = (c.float() * 0.0625).clamp(-LARGEST[dtype], LARGEST[dtype]).to(TORCH[dtype])
    amax = c.float().abs().amax() if c.numel() else torch.tensor(0.0)
    return {"nothing": [c], "amax": [amax, c], "quantised": [quantised], "both": [quantised, amax]}[kind]
