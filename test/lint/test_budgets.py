"""Files stay readable: at most 500 lines, formatted, chips named only where they may be."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
LINES = 500
CODE = {".h", ".cpp", ".td", ".py", ".inc"}


def tracked() -> list[pathlib.Path]:
    """Files that git knows, or all files of a tree without git."""
    result = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    names = result.stdout.splitlines() if result.returncode == 0 else []
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def allowed() -> dict[str, int]:
    """Exceptions: a path and its own limit, with the reason behind it."""
    limits = {}
    for line in (ROOT / "test/lint/allow.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            path, lines, reason = line.split(" ", 2)
            assert reason, f"{path}: give a reason"
            limits[path] = int(lines)
    return limits


def test_files_are_at_most_500_lines() -> None:
    limits = allowed()
    found = []
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if path.suffix in CODE and (n := len(path.read_text().splitlines())) > limits.get(name, LINES):
            found.append(f"{name}: {n} lines")
    assert not found, "\n".join(found)


def test_chips_are_named_only_where_hardware_facts_live() -> None:
    chip = re.compile(r"gfx(9|1)[0-9a-f]{2,3}")
    places = ("lib/Target/", "include/octavo/Target/", "lib/Simulator/", "include/octavo/Simulator/", "test/",
              "tools/bench/", "docs/", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
    found = []
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if name.startswith(places) or path.suffix not in CODE:
            continue
        found += [f"{name}:{i}" for i, line in enumerate(path.read_text().splitlines(), 1) if chip.search(line)]
    assert not found, "\n".join(found)


def test_cpp_is_formatted() -> None:
    tool = shutil.which("clang-format-22") or "/usr/lib/llvm-22/bin/clang-format"
    files = [str(p) for p in tracked() if p.suffix in {".h", ".cpp"}]
    result = subprocess.run([tool, "--dry-run", "-Werror", *files], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:4000]


def test_python_is_formatted_and_clean() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "."]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[:4000]
