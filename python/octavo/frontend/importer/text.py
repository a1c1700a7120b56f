"""How types, attributes and locations are spelled in MLIR."""

from __future__ import annotations

import functools
import math
import os
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

import torch

_ELEMENTS = {
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "ui8",
    torch.uint16: "ui16",
    torch.uint32: "ui32",
    torch.uint64: "ui64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex32: "complex<f16>",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
    torch.float8_e4m3fnuz: "f8E4M3FNUZ",
    torch.float8_e5m2fnuz: "f8E5M2FNUZ",
    torch.float8_e8m0fnu: "f8E8M0FNU",
}
_INLINE = {torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64}
_TORCH = os.path.dirname(torch.__file__)


def element(dtype: torch.dtype) -> str | None:
    """The MLIR element type, or None if `dtype` has none (such a tensor crosses as `!aten.opaque`)."""
    return _ELEMENTS.get(dtype)


def tensor_type(shape: Sequence[int | None], dtype: torch.dtype) -> str:
    """`tensor<2x?xf32>`; a size of None is unknown until run time."""
    name = element(dtype)
    if name is None:
        return "!aten.opaque"
    return "tensor<" + "".join(("?" if size is None else str(size)) + "x" for size in shape) + name + ">"


def quoted(text: str) -> str:
    """A string attribute."""
    plain = (c if c not in '"\\' and 32 <= ord(c) < 127 else "".join(f"\\{b:02X}" for b in c.encode()) for c in text)
    return '"' + "".join(plain) + '"'


def number(value: float) -> str:
    """A float literal that reads back as the same f64, the sign of zero and the bits of NaN included."""
    if not math.isfinite(value):
        return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X} : f64"
    digits, mark, exponent = repr(value).partition("e")
    return digits + ("" if "." in digits else ".0") + mark + exponent


def attribute(value: Any, operand: Callable[[Any], str]) -> str:
    """One argument of a schema; `operand` spells what is an FX node."""
    match value:
        case None:
            return "#aten.none"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return number(value)
        case complex():
            return f"{{imag = {number(value.imag)}, real = {number(value.real)}}}"
        case torch.dtype():
            return element(value) or quoted(str(value))
        case torch.fx.Node():
            return operand(value)
        case str():
            return quoted(value)
        case list() | tuple():
            return "[" + ", ".join(attribute(item, operand) for item in value) + "]"
        case dict():
            items = (f"{key(str(name))} = {attribute(item, operand)}" for name, item in value.items())
            return "{" + ", ".join(items) + "}"
        case slice():
            return attribute([value.start, value.stop, value.step], operand)
    return quoted(str(value))


def key(name: str) -> str:
    """The name of an attribute in a dictionary."""
    return name if re.fullmatch(r"[A-Za-z_][\w$.]*", name) else quoted(name)


def dense(constant: torch.Tensor) -> str | None:
    """`dense<…> : tensor<…>` of a constant of one value, or None: others are arguments, for kernels hold no tables."""
    flat = constant.detach().cpu().reshape(-1)
    # Bits are compared, for 0 and -0 are equal numbers.
    bits = flat.view(torch.uint8).reshape(flat.numel(), -1) if flat.numel() else flat
    if constant.dtype not in _INLINE or not bool((bits == bits[:1]).all()):
        return None
    body = "" if constant.numel() == 0 else _number(flat[0].item(), constant.dtype)
    return f"dense<{body}> : {tensor_type(tuple(constant.shape), constant.dtype)}"


def _number(value: Any, dtype: torch.dtype) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        form, digits = (">f", 8) if dtype == torch.float32 else (">d", 16)
        return f"0x{int.from_bytes(struct.pack(form, value), 'big'):0{digits}X}"
    return attribute(value, str)


def location(node: torch.fx.Node) -> str:
    """`loc("layers.3.ffn_norm/mul_7"("model.py":41:0))`: module path, FX node, the user's line."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    entry = next(reversed(stack.values()), None) if isinstance(stack, dict) else None
    path = _module_path(str(entry[0])) if entry else ""
    name = quoted(f"{path}/{node.name}" if path else node.name)
    line = source_line(node.meta.get("stack_trace") or "")
    return f"loc({name}({quoted(line[0])}:{line[1]}:0))" if line else f"loc({name})"


def _module_path(path: str) -> str:
    """`L['self'].layers[3].norm`, `L__self___layers_3` or `layers.3.norm` as `layers.3.norm`."""
    path = re.sub(r"\[['\"]?([^'\"\]]*)['\"]?\]", r".\1", path.removeprefix("L['self']"))
    path = path.replace("._modules.", ".").replace("_modules.", "")
    return path.strip(".").removeprefix("L.self").strip(".")


@functools.lru_cache(maxsize=4096)
def source_line(stack_trace: str) -> tuple[str, int] | None:
    """File and line of the innermost frame outside torch (of any frame if all are torch's)."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', stack_trace)
    outside = [frame for frame in frames if not frame[0].startswith(_TORCH)] or frames
    return (outside[-1][0], int(outside[-1][1])) if outside else None
