"""Single instructions with their modifiers against Python formulas, under several EXEC masks."""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
MASKS = (0xFFFFFFFFFFFFFFFF, 0x00FF13579BDF0001, 1 << 63)


def state(seed: int, mask: int):  # type: ignore[no-untyped-def]
    """Registers with random words, floats, halves and special values; s[16:17] is a float pair."""
    from assembly import LDS_WORDS, State

    generator = np.random.default_rng(seed)
    words = generator.integers(0, 1 << 32, (16, 64), dtype=np.uint64).astype(np.uint32)
    floats = (generator.standard_normal((16, 64)) * 8).astype(np.float32).view(np.uint32)
    special = np.array([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000, 1, 0x007FFFFF, 31, 0xFFFFFFFF],
                       np.uint32)[generator.integers(0, 10, (16, 64))]
    choice = generator.integers(0, 10, (16, 64))
    v = np.select([choice < 3, choice < 8], [words, floats], special).astype(np.uint32)
    halves = (generator.standard_normal((2, 64, 2)) * 4).astype(np.float16)
    v[4:6] = halves.view(np.uint32)[:, :, 0]
    v[3] = generator.integers(-160, 160, 64).astype(np.int32).view(np.uint32)
    v[7] = generator.integers(0, 16, (64, 4)).astype(np.uint8).view(np.uint32)[:, 0]
    s = generator.integers(0, 1 << 32, 16, dtype=np.uint64).astype(np.uint32)
    s[:2] = np.array([1.5, -0.37], np.float32).view(np.uint32)
    s[14], s[15] = mask & 0xFFFFFFFF, mask >> 32
    lds = generator.integers(0, 1 << 32, LDS_WORDS, dtype=np.uint64).astype(np.uint32)
    return State(v, s, lds)


def same(actual: int, expected: int) -> bool:
    """Equal, or a NaN where a NaN is expected: payloads are not promised."""
    a, b = np.uint32(actual).view(np.float32), np.uint32(expected).view(np.float32)
    return actual == expected or bool(np.isnan(a) and np.isnan(b))


def check(arch: str) -> list[str]:
    """Runs all cases of a target; returns what differs."""
    import assembly
    import memory_cases
    import mode_cases
    import more_cases
    from instruction_cases import CASES

    assert more_cases.CASES is memory_cases.CASES is CASES and mode_cases.case

    cases = [(asm, writes) for asm, writes, targets in CASES if arch in targets]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        module = assembly.assemble(arch, {f"k{i}": asm for i, (asm, _) in enumerate(cases)}, pathlib.Path(folder))
        for i, (asm, writes) in enumerate(cases):
            for seed, mask in enumerate(MASKS):
                before = state(seed, mask)
                after = assembly.run(module, f"k{i}", before)
                for r in range(16):
                    for lane in range(64):
                        full = "s_mov_b64 exec, -1" in asm and r in writes
                        active = r in writes and (mask >> lane & 1 or full)
                        expected = writes[r](before, lane) if active else int(before.v[r][lane])
                        if not same(int(after.v[r][lane]), expected):
                            found = int(after.v[r][lane])
                            problems.append(f"{arch} {asm!r} {mask:#x} v{r} lane {lane}: {found:#x}, not {expected:#x}")
                            break
    return problems


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_instructions_equal_their_formulas(arch: str) -> None:
    result = subprocess.run([sys.executable, __file__, arch], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


if __name__ == "__main__":
    os.environ["OCTAVO_TARGET"] = sys.argv[1]
    sys.path.insert(0, str(HERE))
    found = check(sys.argv[1])
    print("\n".join(found))
    sys.exit(1 if found else 0)
