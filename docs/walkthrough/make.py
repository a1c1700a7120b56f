"""Writes docs/walkthrough.md: the template with what the tools print now at each level.

In template.md a block `@@ LEVEL LANGUAGE … @@` lists regular expressions, one a line: the first line that matches each,
in order, is shown. Run it after a change of what a level looks like: `python docs/walkthrough/make.py`.
"""

import pathlib
import re
import subprocess

from octavo import _paths

HERE = pathlib.Path(__file__).parent
SOURCE = "docs/walkthrough/linear.mlir"
WIDTH = 170


def printed(level: str) -> tuple[str, list[str]]:
    """The command that shows a level, and its lines."""
    if level == "aten":
        return SOURCE, (HERE / "linear.mlir").read_text().splitlines()
    command = ["octavo-compile", SOURCE, "--target", "gfx950", "--emit", level]
    run = [str(_paths.tool(command[0])), *command[1:], "-o", "-"]
    text = subprocess.run(run, cwd=HERE.parents[1], capture_output=True, text=True, check=True).stdout
    return " ".join(command), text.splitlines()


def shown(level: str, patterns: list[str]) -> tuple[str, str]:
    command, lines = printed(level)
    result: list[str] = []
    at = 0
    for pattern in patterns:
        found = next((i for i in range(at, len(lines)) if re.search(pattern, lines[i])), None)
        if found is None:
            raise SystemExit(f"{level}: no line matches {pattern}")
        if found > at and result:
            result.append("…")
        line = lines[found].rstrip()
        result.append(line if len(line) <= WIDTH else line[:WIDTH].rstrip() + " …")
        at = found + 1
    return command, "\n".join(result)


def block(match: re.Match[str]) -> str:
    level, language, patterns = match.groups()
    command, text = shown(level, patterns.splitlines())
    return f"<!-- {command} -->\n```{language}\n{text}\n```"


def main() -> None:
    template = (HERE / "template.md").read_text()
    page = re.sub(r"^@@ (\w+) (\w+)\n(.*?)\n@@$", block, template, flags=re.DOTALL | re.MULTILINE)
    (HERE.parent / "walkthrough.md").write_text(page)


if __name__ == "__main__":
    main()
