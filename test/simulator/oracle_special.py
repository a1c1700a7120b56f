"""Instructions that fit no table of the oracle: EXEC, branches, program counter, carries, classes, transcendentals.

A case is the assembly and what it leaves: scalars (index from s16), vector registers, or nothing that has changed.
`oracle_special.py --arch gfx950` runs them all.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field

import assembly
import device
import numpy as np
import oracle_scaled
from assembly import State
from oracle_formats import decode, signed
from oracle_registers import state

ONES = (1 << 64) - 1
Lane = Callable[[State, int], int | tuple[float, float]]


@dataclass(frozen=True)
class Special:
    """Pairs of scalars, single scalars and lanes afterwards; a pair (value, tolerance) is a number within bounds."""

    asm: str
    pairs: dict[int, Callable[[State], int]] = field(default_factory=dict)
    scalars: dict[int, Callable[[State], int]] = field(default_factory=dict)
    lanes: dict[int, Lane] = field(default_factory=dict)
    kind: str = "u32"  # of the lanes

    def problem(self, before: State, after: State) -> str:
        """What is wrong, or nothing."""
        for i, pair in self.pairs.items():
            if after.pair(i) != pair(before) & ONES:
                return f"{self.asm!r}: s[{16 + i}:{17 + i}] {after.pair(i):#x}, not {pair(before) & ONES:#x}"
        for i, scalar in self.scalars.items():
            if int(after.s[i]) != scalar(before) & 0xFFFFFFFF:
                return f"{self.asm!r}: s{16 + i} {int(after.s[i]):#x}, not {scalar(before):#x}"
        for register, lane in self.lanes.items():
            for i in range(64):
                bits = sum(int(after.v[register + r][i]) << 32 * r for r in range(2 if self.kind == "f64" else 1))
                want = lane(before, i)
                if isinstance(want, tuple):
                    got = float(decode(self.kind, bits))
                    same = got == want[0] or abs(got - want[0]) <= want[1] or (got != got and want[0] != want[0])
                else:
                    same = bits == want & 0xFFFFFFFF
                if not same:
                    return f"{self.asm!r}: v{register} lane {i}: {bits:#x}, not {want}"
        return ""


TABLE: list[Special] = []
LOGIC = {"and": lambda a, e: a & e, "or": lambda a, e: a | e, "xor": lambda a, e: a ^ e, "andn2": lambda a, e: a & ~e,
         "orn2": lambda a, e: a | ~e, "nand": lambda a, e: ~(a & e), "nor": lambda a, e: ~(a | e),
         "xnor": lambda a, e: ~(a ^ e), "andn1": lambda a, e: ~a & e, "orn1": lambda a, e: ~a | e}
for name, fn in LOGIC.items():
    after_exec = lambda b, fn=fn: fn(b.pair(0), b.exec)  # noqa: E731
    scc = lambda b, fn=fn: int(fn(b.pair(0), b.exec) & ONES != 0)  # noqa: E731
    TABLE.append(Special(f"s_{name}_saveexec_b64 s[20:21], s[16:17]", {4: lambda b: b.exec, 14: after_exec}, {11: scc}))
    if name in ("andn1", "andn2"):
        TABLE.append(Special(f"s_{name}_wrexec_b64 s[20:21], s[16:17]", {4: after_exec, 14: after_exec}, {11: scc}))

# A branch over one instruction: s20 stays 0 where it is taken.
TAKEN = "s_mov_b32 s20, 0\n {setup}\n {branch} 1\n s_mov_b32 s20, 1\n s_mov_b64 exec, s[30:31]"
NEVER = ("s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user", "s_cbranch_cdbgsys_and_user")
BRANCHES = [("s_branch", "", True), *[(name, "", False) for name in NEVER],
            ("s_cbranch_scc0", "s_cmp_lg_u32 s4, s4", True), ("s_cbranch_scc1", "s_cmp_lg_u32 s4, s4", False)]
for register in ("exec", "vcc"):
    for value in (0, 1, 1 << 2):
        for name, wanted in (("z", value == 0), ("nz", value != 0)):
            BRANCHES.append((f"s_cbranch_{register}{name}", f"s_mov_b64 {register}, {value}", wanted))
for branch, setup, taken in BRANCHES:
    TABLE.append(Special(TAKEN.format(setup=setup, branch=branch), scalars={4: lambda b, t=taken: int(not t)}))

# Jumps over one instruction by an address.
PC = "s_mov_b32 s22, 0\n s_getpc_b64 s[20:21]\n s_add_u32 s20, s20, 16\n s_addc_u32 s21, s21, 0\n "
TABLE.append(Special(f"{PC}s_setpc_b64 s[20:21]\n s_mov_b32 s22, 1", scalars={6: lambda b: 0}))
TABLE.append(Special(f"{PC}s_swappc_b64 s[18:19], s[20:21]\n s_mov_b32 s22, 1\n s_sub_u32 s23, s20, s18",
                     scalars={6: lambda b: 0, 7: lambda b: 4}))
TABLE.append(Special("s_mov_b32 s22, 0\n s_call_b64 s[18:19], 1\n s_mov_b32 s22, 1\n s_getpc_b64 s[20:21]\n "
                     "s_sub_u32 s23, s20, s18", scalars={6: lambda b: 0, 7: lambda b: 8}))
TABLE.append(Special("s_mov_b32 m0, 2\n s_movrels_b32 s20, s16", scalars={4: lambda b: int(b.s[2])}))
TABLE.append(Special("s_mov_b32 m0, 2\n s_movreld_b32 s18, s16", scalars={4: lambda b: int(b.s[0])}))
TABLE.append(Special("s_mov_b32 m0, 2\n s_movrels_b64 s[20:21], s[16:17]", {4: lambda b: b.pair(2)}))
TABLE.append(Special("s_mov_b32 m0, 2\n s_movreld_b64 s[18:19], s[16:17]", {4: lambda b: b.pair(0)}))
TABLE.append(Special("s_movk_i32 s20, 0x35\n s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s20\n "
                     "s_getreg_b32 s21, hwreg(HW_REG_MODE, 0, 8)\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0",
                     scalars={5: lambda b: 0x35}))
TABLE.append(Special("s_memtime s[20:21]\n s_memtime s[22:23]\n s_waitcnt lgkmcnt(0)\n s_cmp_ge_u32 s22, s20\n "
                     "s_cselect_b32 s20, 1, 0", scalars={4: lambda b: 1}))
# Nothing that a program can see.
for nothing in ("buffer_inv sc0 sc1", "buffer_wbl2 sc0 sc1", "s_dcache_inv", "s_dcache_inv_vol", "s_dcache_wb",
                "s_icache_inv", "s_incperflevel 1", "s_decperflevel 1", "s_sleep 1", "s_sethalt 0", "s_setprio 2",
                "s_wakeup", "s_ttracedata", "s_sendmsg sendmsg(MSG_INTERRUPT)", "v_nop", "v_clrexcp", "ds_nop",
                "s_barrier", "s_setkill 0", "s_memrealtime s[20:21]\n s_waitcnt lgkmcnt(0)\n s_mov_b64 s[20:21], 7"):
    pairs = {4: (lambda b: 7) if "realtime" in nothing else (lambda b: b.pair(4)), 14: lambda b: b.exec}
    TABLE.append(Special(nothing, pairs, lanes={r: lambda b, i, r=r: int(b.v[r][i]) for r in range(16)}))

# Carries.
SUMS = {"add": lambda a, b, c: a + b + c, "sub": lambda a, b, c: a - b - c, "subrev": lambda a, b, c: b - a - c}
CARRIED = {"add": "addc", "sub": "subb", "subrev": "subbrev"}
for name, fn in SUMS.items():
    for full, with_carry in ((f"v_{name}_co_u32", False), (f"v_{CARRIED[name]}_co_u32", True)):
        tail = ", vcc" if with_carry else ""

        def total(b: State, i: int, fn: Callable[[int, int, int], int] = fn, carry: bool = with_carry) -> int:
            return fn(int(b.v[0][i]), int(b.v[2][i]), b.vcc >> i & 1 if carry else 0)

        def carries(b: State, total: Callable[[State, int], int] = total) -> int:
            return sum(1 << i for i in range(64) if not 0 <= total(b, i) < 1 << 32)

        TABLE.append(Special(f"{full}_e32 v8, vcc, v0, v2{tail}", {12: carries}, lanes={8: total}))
        TABLE.append(Special(f"{full}_e64 v8, s[16:17], v0, v2{tail}", {0: carries}, lanes={8: total}))


def classes(kind: str, bits: int) -> int:
    """The bit of the class of a float: sNaN, qNaN, -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf."""
    digits = {"f16": 10, "f32": 23, "f64": 52}[kind]
    width = {"f16": 16, "f32": 32, "f64": 64}[kind]
    fraction, exponent = bits & (1 << digits) - 1, bits >> digits & (1 << width - 1 - digits) - 1
    top = (1 << width - 1 - digits) - 1
    if exponent == top and fraction:
        return 1 << (fraction >> digits - 1)
    size = 0 if exponent == top else 1 if exponent else 2 if fraction else 3
    return 1 << (2 + size if bits >> width - 1 & 1 else 9 - size)


for kind, source in (("f16", "v0"), ("f32", "v0"), ("f64", "v[0:1]")):
    for chosen in (0x003, 0x204, 0x108, 0x090, 0x060):

        def found(b: State, kind: str = kind, chosen: int = chosen) -> int:
            values = [int(b.v[0][i]) | int(b.v[1][i]) << 32 for i in range(64)]
            width = {"f16": 16, "f32": 32, "f64": 64}[kind]
            return sum(1 << i for i, v in enumerate(values) if classes(kind, v & (1 << width) - 1) & chosen)

        first = f"s_movk_i32 s20, {chosen:#x}\n "
        for name, ends in (("cmp", lambda b: b.exec), ("cmpx", found)):
            line = f"{first}v_{name}_class_{kind}_e64 s[16:17], {source}, s20"
            TABLE.append(Special(line, {0: found, 14: ends}))


# Transcendentals: within one unit of the last place of f16, two of f32, or 2^-25 of f64 as the manual says. v14 is made
# a number from 0.5 to 1, so that each function is far from its limits.
NUMBER = {"f16": "v_cvt_f16_f32_e32 v14, v14\n ", "f32": "", "f64": "v_cvt_f64_f32_e32 v[14:15], v14\n "}
MATH = {"rcp": lambda x: np.float64(1) / x, "rsq": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "exp": np.exp2,
        "log": np.log2, "sin": lambda x: np.sin(2 * np.pi * x), "cos": lambda x: np.cos(2 * np.pi * x)}
MADE = "v_and_b32_e32 v14, 0x7fffff, v0\n v_or_b32_e32 v14, 0x3f000000, v14\n "


def made(b: State, i: int, kind: str) -> float:
    x = float(decode("f32", int(b.v[0][i]) & 0x7FFFFF | 0x3F000000))
    return float(np.float16(x)) if kind == "f16" else x


for name, fn in MATH.items():
    for kind in ("f16", "f32", "f64"):
        if kind == "f64" and name in ("exp", "log", "sin", "cos"):
            continue

        def lane(b: State, i: int, fn: Callable[[float], float] = fn, kind: str = kind) -> tuple[float, float]:
            value = float(fn(np.float64(made(b, i, kind))))
            return value, {"f16": 2.0**-10, "f32": 2.0**-21, "f64": 2.0**-25}[kind] * max(abs(value), 0.5)

        place, result = ("v[14:15]", "v[8:9]") if kind == "f64" else ("v14", "v8")
        for full in (f"v_{name}_{kind}", f"v_{name}_iflag_{kind}", f"v_{name}_legacy_{kind}"):
            TABLE.append(Special(f"{MADE}{NUMBER[kind]}{full}_e32 {result}, {place}", lanes={8: lane}, kind=kind))
TABLE.append(Special("v_writelane_b32 v8, s16, 5", lanes={8: lambda b, i: int(b.s[0] if i == 5 else b.v[8][i])}))
TABLE.append(Special("v_accvgpr_write_b32 a3, v0\n s_nop 4\n v_accvgpr_mov_b32 a4, a3\n s_nop 4\n "
                     "v_accvgpr_read_b32 v8, a4", lanes={8: lambda b, i: int(b.v[0][i])}))
for table in (0x1E, 0x80, 0xCA, 0x96):
    def bits3(b: State, i: int, table: int = table) -> int:
        a, c, d = (int(b.v[r][i]) for r in (0, 1, 2))
        return sum((table >> (4 * (a >> k & 1) + 2 * (c >> k & 1) + (d >> k & 1)) & 1) << k for k in range(16))

    TABLE.append(Special(f"v_bitop3_b16 v8, v0, v1, v2 bitop3:{table:#x}",
                         lanes={8: lambda b, i, f=bits3: int(b.v[8][i]) & 0xFFFF0000 | f(b, i)}))
TABLE.append(Special("v_cvt_pk_u8_f32 v8, v14, 2, v1",
                     lanes={8: lambda b, i: int(b.v[1][i]) & ~0xFF0000 | byte(b, i) << 16}))


def byte(b: State, i: int) -> int:
    """v14 as a byte: nearest even, saturated, NaN zero."""
    x = float(decode("f32", int(b.v[14][i])))
    return 0 if x != x else int(np.rint(min(max(x, 0.0), 255.0)))


def masked_sums(part: int) -> Lane:
    def lane(b: State, i: int) -> int:
        a = int(b.v[0][i]) | int(b.v[1][i]) << 32
        pairs = [(a >> 8 * (part + j) & 255, int(b.v[2][i]) >> 8 * j & 255) for j in range(4)]
        return int(b.v[4 + part][i]) + sum(abs(x - y) for x, y in pairs if y)

    return lane


TABLE.append(Special("v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]", lanes={8 + p: masked_sums(p) for p in range(4)}))


def small_dot(b: State, i: int) -> tuple[float, float]:
    """Halves or bfloats of small integers: v0 and v2 hold counts from -8 to 7."""
    x, y = (signed(int(b.v[r][i]), 4) for r in (0, 2))
    return float(x * y + x * y + 3), 0.0


SMALL = ("v_bfe_i32 v14, v0, 0, 4\n v_bfe_i32 v15, v2, 0, 4\n v_cvt_f32_i32_e32 v14, v14\n "
         "v_cvt_f32_i32_e32 v15, v15\n ")
HALF = ("v_cvt_f16_f32_e32 v14, v14\n v_cvt_f16_f32_e32 v15, v15\n v_perm_b32 v14, v14, v14, s20\n "
        "v_perm_b32 v15, v15, v15, s20\n ")
TWICE = "s_mov_b32 s20, 0x01000100\n "
TOP = "s_mov_b32 s20, 0x03020302\n v_perm_b32 v14, v14, v14, s20\n v_perm_b32 v15, v15, v15, s20\n "
THREE = "v_mov_b32_e32 v8, 0x40400000\n "
for form, prepare in (("f16", f"{TWICE}{SMALL}{HALF}"), ("bf16", f"{SMALL}{TOP}")):
    TABLE.append(Special(f"{prepare}{THREE}v_dot2_f32_{form} v8, v14, v15, v8", lanes={8: small_dot}, kind="f32"))
    TABLE.append(Special(f"{prepare}{THREE}v_dot2c_f32_{form} v8, v14, v15", lanes={8: small_dot}, kind="f32"))
TABLE.append(Special("s_mov_b32 m0, 0x100\n ds_write_addtid_b32 v0 offset:16\n s_waitcnt lgkmcnt(0)\n "
                     "ds_read_addtid_b32 v8 offset:16\n s_waitcnt lgkmcnt(0)", lanes={8: lambda b, i: int(b.v[0][i])}))
for name, sign in (("append", 64), ("consume", -64)):
    TABLE.append(Special(f"s_movk_i32 m0, 64\n ds_{name} v8 offset:4\n s_waitcnt lgkmcnt(0)\n "
                         "v_mov_b32_e32 v14, 0x44\n ds_read_b32 v9, v14\n s_waitcnt lgkmcnt(0)",
                         lanes={8: lambda b, i: int(b.lds[17]), 9: lambda b, i, s=sign: int(b.lds[17]) + s}))
RESOURCE = "s_mov_b32 s36, s10\n s_mov_b32 s37, s11\n s_movk_i32 s38, 0x4000\n s_mov_b32 s39, 0x27000\n "
for width in (1, 2, 4, 8, 16):
    for name, base in (("s_load", "s[10:11]"), ("s_buffer_load", "s[36:39]")):
        suffix = "dword" + (f"x{width}" if width > 1 else "")
        registers = "s40" if width == 1 else f"s[40:{40 + width - 1}]"
        moves = "\n ".join(f"s_mov_b32 s{20 + i}, s{40 + max(width // 4, 1) * i}" for i in range(min(width, 4)))
        asm = f"{RESOURCE}{name}_{suffix} {registers}, {base}, 0x20\n s_waitcnt lgkmcnt(0)\n {moves}"
        step = max(width // 4, 1)
        loaded = {4 + i: lambda b, at=8 + step * i: int(b.lds[at]) for i in range(min(width, 4))}
        TABLE.append(Special(asm, scalars=loaded))
TABLE += [Special(line, lanes=lanes) for line, lanes in oracle_scaled.cases()]


def runs(arch: str) -> list[Special]:
    """Those that the assembler takes."""
    kept = []
    for case in TABLE:
        text = f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n{case.asm}\n'
        command = [str(device.LLVM / "llvm-mc"), "-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=null", "-"]
        if not re.search("error:", subprocess.run(command, input=text, capture_output=True, text=True).stderr):
            kept.append(case)
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="gfx950")
    options = parser.parse_args()
    os.environ["OCTAVO_TARGET"] = options.arch
    cases, problems = runs(options.arch), []
    with tempfile.TemporaryDirectory() as folder:
        module = assembly.assemble(options.arch, {f"x{i}": c.asm for i, c in enumerate(cases)}, pathlib.Path(folder))
        for i, case in enumerate(cases):
            for turn in range(2):
                before = state(31 * i + turn, ONES)
                found = case.problem(before, assembly.run(module, f"x{i}", before))
                problems += [f"{options.arch} {found}"] if found else []
    print("\n".join([*problems, f"{len(cases)} cases on {options.arch}: {len(problems)} differ"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
