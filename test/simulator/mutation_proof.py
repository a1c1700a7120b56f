"""Proves that a weakened wait is harmless: a data flow over the text of the disassembly.

On no path may an instruction touch a register whose load may be under way, and at no barrier may more be under way
than in the program that was not mutated. Shares nothing with the simulator's own check.
"""

from __future__ import annotations

import re

from mutations import Instruction, Mutation, counts_of

REGISTER = re.compile(r"\b([vsa])(?:(\d+)\b|\[(\d+):(\d+)\])")
# A register, or what a memory instruction without a result leaves under way -> queue and later ones of that queue.
State = dict[str, tuple[str, int]]


def registers(text: str) -> set[str]:
    """Names of all registers in a text."""
    found = set()
    for file, single, first, last in REGISTER.findall(text):
        span = range(int(single), int(single) + 1) if single else range(int(first), int(last) + 1)
        found |= {f"{file}{i}" for i in span}
    return found | {name for name in ("vcc", "exec", "m0") if re.search(rf"\b{name}", text)}


def queue_of(name: str) -> str | None:
    """v: in order through vmcnt; l: in order through lgkmcnt; s: in no order through lgkmcnt; f: through both."""
    if name.startswith("ds_"):
        return "l"
    if name.startswith(("s_load", "s_buffer_load", "s_memtime", "s_memrealtime")):
        return "s"
    if name.startswith("flat_"):
        return "f"
    return "v" if name.startswith(("global_", "buffer_", "scratch_")) and "_inv" not in name else None


def result_of(inst: Instruction, name: str) -> set[str]:
    """Registers that a memory instruction writes later."""
    operands = inst.text[len(name):].split(",")
    if "store" in name or "write" in name or "lds" in inst.text or not operands:
        return set()
    if "atomic" in name and "sc0" not in inst.text:
        return set()
    return registers(operands[0])


def step(inst: Instruction, word: int, state: State) -> tuple[State, set[str]]:
    """The state after an instruction, and what it touched too early."""
    name = inst.text.split()[0]
    if name == "s_waitcnt":
        vmcnt, lgkmcnt = counts_of(word)
        keep = {
            "v": lambda later: later < vmcnt, "l": lambda later: later < lgkmcnt,
            "s": lambda later: lgkmcnt > 0, "f": lambda later: vmcnt > 0 or lgkmcnt > 0,
        }
        return {what: (q, n) for what, (q, n) in state.items() if keep[q](n)}, set()
    queue = queue_of(name)
    used = registers(inst.text[len(name):])
    written = result_of(inst, name) if queue else set()
    in_order = {what for what in written if what in state and state[what][0] == queue and queue in "vl"}
    early = (used & set(state)) - in_order
    after = {what: entry for what, entry in state.items() if what not in used}
    if queue in ("v", "l"):
        after = {what: (q, n + (q == queue)) for what, (q, n) in after.items()}
    if queue:
        for what in written or {f"at {inst.address:x}"}:
            after[what] = (queue, 0)
    return after, early


def successors(code: list[Instruction], index: int) -> list[int]:
    """Where an instruction goes on; jumps through registers go nowhere that is known."""
    inst = code[index]
    name = inst.text.split()[0]
    if name == "s_endpgm":
        return []
    if not name.startswith(("s_branch", "s_cbranch")):
        return [index + 1]
    distance = (inst.words[0] & 0xFFFF) - ((inst.words[0] & 0x8000) << 1)
    target = next((i for i, other in enumerate(code) if other.address == inst.address + 4 + 4 * distance), None)
    assert target is not None, inst
    return [target] if name == "s_branch" else [index + 1, target]


def merge(a: State, b: State) -> State:
    """What may be under way after one or the other."""
    return {what: min(a.get(what, b.get(what)), b.get(what, a.get(what))) for what in a.keys() | b.keys()}


def analyse(code: list[Instruction], mutation: Mutation | None) -> set[tuple[int, str]]:
    """Address and register (or memory instruction) of each use that may come too early, and at barriers."""
    before: dict[int, State] = {0: {}}
    todo, problems = [0], set()
    while todo:
        index = todo.pop()
        inst = code[index]
        word = mutation.word if mutation and mutation.address == inst.address else inst.words[0]
        after, early = step(inst, word, before[index])
        if inst.text.startswith("s_barrier") or "atomic" in inst.text:
            early = early | {what for what in before[index] if what.startswith("at ") or before[index][what][0] == "l"}
        problems |= {(inst.address, what) for what in early}
        for successor in successors(code, index):
            if successor >= len(code):
                continue
            joined = merge(before[successor], after) if successor in before else after
            if before.get(successor) != joined:
                before[successor] = joined
                todo.append(successor)
    return problems


def is_harmless_wait(code: list[Instruction], mutation: Mutation) -> bool:
    """True if the mutated program can do nothing too early that the right one does in order."""
    if not mutation.text.startswith("s_waitcnt") or any("setpc" in i.text or "swappc" in i.text for i in code):
        return False
    return analyse(code, mutation) <= analyse(code, None)
