"""Breaks kernels at one instruction: a wait removed or weakened, wait states removed, a barrier or a bound removed.

The bytes of the code object are patched where `octavo-sim disasm` says that the instruction stands; all mutated
instructions keep their size.
"""

from __future__ import annotations

import pathlib
import re
import struct
import subprocess
from dataclasses import dataclass

NOP = 0xBF800000
WAIT = 0xBF8C0000
BARRIER = 0xBF8A0000
LINE = re.compile(r"^\s+([0-9a-f]+):\s+([0-9a-f]{8}(?: [0-9a-f]{8})*)\s+(\S.*)$")
INTEGER_COMPARE = re.compile(r"v_cmp_(lt|le|gt|ge|eq|ne)_[iu](16|32|64)(_e32|_e64)?$")


@dataclass(frozen=True)
class Instruction:
    """One line of the disassembly."""

    address: int
    words: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Mutation:
    """A word of the code that becomes another one."""

    kind: str
    address: int
    text: str
    word: int

    def __str__(self) -> str:
        return f"{self.address:x} {self.text} -> {self.kind}"


def disassemble(tool: pathlib.Path, path: pathlib.Path, kernel: str) -> list[Instruction]:
    """The instructions of a kernel."""
    command = [str(tool), "disasm", str(path), "--kernel", kernel]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = [LINE.match(line) for line in text.splitlines()]
    return [
        Instruction(int(m[1], 16), tuple(int(word, 16) for word in m[2].split()), m[3].strip()) for m in found if m
    ]


def counts_of(word: int) -> tuple[int, int]:
    """vmcnt and lgkmcnt of an s_waitcnt."""
    return word & 15 | (word >> 14 & 3) << 4, word >> 8 & 15


def wait_word(vmcnt: int, lgkmcnt: int) -> int:
    """The s_waitcnt with these counts."""
    return WAIT | vmcnt & 15 | (vmcnt >> 4) << 14 | 7 << 4 | lgkmcnt << 8


def waits(inst: Instruction) -> list[Mutation]:
    """An s_waitcnt without one of its counters, or with one more under way."""
    vmcnt, lgkmcnt = counts_of(inst.words[0])
    found = []
    if vmcnt < 63:
        found.append(("no vmcnt", wait_word(63, lgkmcnt)))
        found.append((f"vmcnt({vmcnt + 1})", wait_word(vmcnt + 1, lgkmcnt)))
    if lgkmcnt < 15:
        found.append(("no lgkmcnt", wait_word(vmcnt, 15)))
        found.append((f"lgkmcnt({lgkmcnt + 1})", wait_word(vmcnt, lgkmcnt + 1)))
    return [Mutation(kind, inst.address, inst.text, word) for kind, word in found]


def mutations(code: list[Instruction]) -> list[Mutation]:
    """Every eligible place."""
    found = []
    for inst in code:
        word = inst.words[0]
        name = inst.text.split()[0]
        if name == "s_waitcnt":
            found += waits(inst)
        elif name == "s_nop":
            # s_nop 0 stays: one wait state is the least that an instruction takes.
            weaker = sorted({0, (word & 15) - 1}) if word & 15 else []
            found += [Mutation(f"s_nop {n}", inst.address, inst.text, NOP | n) for n in weaker]
        elif name == "s_barrier":
            found.append(Mutation("no barrier", inst.address, inst.text, NOP))
        elif name == "s_and_saveexec_b64":
            keeps = 0xBE800000 | word & 0x7F0000 | 1 << 8 | 126  # s_mov_b64 sdst, exec
            found.append(Mutation("no bound", inst.address, inst.text, keeps))
        elif m := INTEGER_COMPARE.match(name):
            shift = 17 if word >> 25 == 0x3E else 16
            found.append(Mutation(f"always true ({m[1]})", inst.address, inst.text, word | 7 << shift))
    return found


def patch(elf: bytes, mutation: Mutation) -> bytes:
    """The code object with the mutation in it."""
    offset, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", elf, offset + i * size)
        if kind == 1 and address <= mutation.address < address + length:
            at = start + mutation.address - address
            return elf[:at] + struct.pack("<I", mutation.word) + elf[at + 4 :]
    raise ValueError(f"no segment holds {mutation}")
