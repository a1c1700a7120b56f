"""docs/walkthrough.md shows what the tools print."""

import pathlib
import re
import subprocess

import pytest

from octavo import _paths

ROOT = pathlib.Path(__file__).parents[2]
SNIPPET = re.compile(r"<!-- (.*?) -->\n```\w+\n(.*?)```", re.DOTALL)


def snippets() -> list[tuple[str, str]]:
    return SNIPPET.findall((ROOT / "docs/walkthrough.md").read_text())


def output_of(command: str) -> list[str]:
    """The lines of a file, or what a tool prints."""
    tool, *arguments = command.split()
    if not arguments:
        return (ROOT / tool).read_text().splitlines()
    run = [str(_paths.tool(tool)), *arguments, "-o", "-"]
    return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("number", range(len(snippets())))
def test_a_snippet_is_what_the_tool_prints(number: int) -> None:
    command, text = snippets()[number]
    lines = output_of(command)
    at, skip = 0, True
    for wanted in text.splitlines():
        if wanted == "…":
            skip = True
            continue
        cut = wanted.endswith(" …")
        start = wanted.removesuffix(" …")

        def fits(line: str, start: str = start, cut: bool = cut) -> bool:
            return line.startswith(start) if cut else line.rstrip() == start

        reach = range(at, len(lines)) if skip else range(at, min(at + 1, len(lines)))
        found = next((i for i in reach if fits(lines[i])), None)
        assert found is not None, f"`{command}` does not print, behind line {at}: {wanted}"
        at, skip = found + 1, False


def test_the_walkthrough_shows_every_level() -> None:
    shown = {command.split("--emit ")[1] for command, _ in snippets() if "--emit" in command}
    assert {"octavo", "kernels", "tile", "lane", "asm", "resources"} <= shown
