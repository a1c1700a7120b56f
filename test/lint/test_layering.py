"""A folder includes only headers of its own layer and of the layers below it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
# Lowest first; folders of one layer may not include each other unless ALSO says so.
LAYERS = [
    ["Support"],
    ["Target", "Numerics"],
    ["Layout"],
    ["dialects"],
    ["Reference", "Analysis"],
    ["passes"],
    ["Codegen"],
    ["Init"],
    ["tools", "python"],
]
# What stands beside the tower: the simulator judges the compiler, the runtime speaks only HIP.
BESIDE = {"Simulator": {"Support", "Target", "Simulator"}, "Runtime": {"Support", "Runtime"}}
INCLUDE = re.compile(r'^\s*#?include "(?:octavo/(\w+)|(dialects|passes))/', re.MULTILINE)


def room_of(path: pathlib.Path) -> str | None:
    """The library or top folder that owns `path`, as the layers name it."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "lib":
        return parts[1]
    if parts[:2] == ("include", "octavo"):
        return parts[2]
    return parts[0] if parts[0] in ("dialects", "passes", "tools", "python") else None


def level(room: str) -> int:
    return next(index for index, rooms in enumerate(LAYERS) if room in rooms)


def sources() -> list[pathlib.Path]:
    folders = ("include", "lib", "dialects", "passes", "tools", "python")
    return [p for f in folders for p in sorted((ROOT / f).rglob("*")) if p.suffix in {".h", ".cpp", ".td", ".inc"}]


def test_no_file_includes_a_header_from_above() -> None:
    found = []
    for path in sources():
        room = room_of(path)
        if room is None:
            continue
        for match in INCLUDE.finditer(path.read_text()):
            other = match[1] or match[2]
            if other == room or (room in ("tools", "python") and other in BESIDE):
                continue
            allowed = other in BESIDE[room] if room in BESIDE else other not in BESIDE and level(other) <= level(room)
            if not allowed:
                found.append(f"{path.relative_to(ROOT)} ({room}) includes {other}")
    assert not found, "\n".join(found)


def test_every_library_has_a_layer() -> None:
    known = {room for rooms in LAYERS for room in rooms} | set(BESIDE)
    rooms = {path.name for path in (ROOT / "lib").iterdir() if path.is_dir()}
    assert rooms <= known, f"give these a layer: {sorted(rooms - known)}"
