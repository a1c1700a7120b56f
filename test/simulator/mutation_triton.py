"""Compiles Triton's kernels of triton_cases.py to code objects: `python mutation_triton.py TARGET FOLDER`."""

import pathlib
import sys

import triton
import triton_cases as cases
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

F32, I32 = "*fp32", "i32"
KERNELS = {
    "add_kernel": ({"x": F32, "y": F32, "z": F32, "n": I32}, {"BLOCK": 512}),
    "softmax_kernel": ({"x": F32, "y": F32, "columns": I32}, {"BLOCK": 512}),
    "layer_norm_kernel": (
        {"x": F32, "w": F32, "b": F32, "y": F32, "mean_out": F32, "rstd_out": F32, "columns": I32, "eps": "fp32"},
        {"BLOCK": 512},
    ),
    "matmul_kernel": (
        {"a": "*fp16", "b": "*fp16", "c": F32, "M": I32, "N": I32, "K": I32},
        {"BM": 32, "BN": 32, "BK": 32},
    ),
}


def main(target: str, folder: pathlib.Path) -> None:
    """Writes NAME.hsaco for each kernel."""
    for name, (signature, constants) in KERNELS.items():
        function = getattr(cases, name)
        whole = {**signature, **dict.fromkeys(constants, "constexpr")}
        source = ASTSource(function, whole, constexprs={(list(whole).index(k),): v for k, v in constants.items()})
        built = triton.compile(source, target=GPUTarget("hip", target, 64), options={"num_warps": 2})
        (folder / f"{name}.hsaco").write_bytes(built.asm["hsaco"])
        (folder / f"{name}.lds").write_text(str(built.metadata.shared))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
