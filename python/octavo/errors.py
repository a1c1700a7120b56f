"""The one error type: it shows the user's line."""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class SourceLine:
    """A place in the user's program; `first` and `last` (columns, from 0) are what the caret underlines."""

    file: str
    line: int
    function: str = ""
    module: str = ""
    text: str = ""
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def show(self) -> str:
        """The line with what is meant underlined, as Python's own tracebacks do."""
        where = f"  {self.file}:{self.line}"
        if self.function:
            where += f", in {self.function}"
        if self.module:
            where += f" (module {self.module})"
        if not self.text:
            return where
        last = max(self.last, self.first + 1)
        return f"{where}\n    {self.text}\n    {' ' * self.first}{'^' * (last - self.first)}"


class OctavoError(RuntimeError):
    """Something that the user can act on: what is wrong, where in the user's program, and the way out."""

    def __init__(self, message: str, *, where: SourceLine | None = None, way_out: str = "") -> None:
        self.message, self.where, self.way_out = message, where, way_out
        parts = [message]
        if where is not None:
            parts.append(where.show())
        if way_out:
            parts.append(way_out)
        super().__init__("\n".join(parts))


_FRAME = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+)$')
_LIBRARY = re.compile(r"[/\\](torch|torchao|functorch|octavo)[/\\]")


def user_line(stack_trace: str | None, module: str = "") -> SourceLine | None:
    """The innermost frame of a torch stack trace that is not inside torch itself."""
    found: SourceLine | None = None
    lines = (stack_trace or "").splitlines()
    for index, line in enumerate(lines):
        frame = _FRAME.match(line)
        if frame is None or (_LIBRARY.search(frame["file"]) and found is not None):
            continue
        found = SourceLine(frame["file"], int(frame["line"]), frame["function"], module)
        rest = [x for x in lines[index + 1 : index + 3]]
        found = _with_text(found, rest)
    return found


def _with_text(place: SourceLine, rest: list[str]) -> SourceLine:
    """Adds the source text and the columns that the trace's own markers give."""
    has_text = bool(rest) and _FRAME.match(rest[0]) is None
    raw = rest[0] if has_text else linecache.getline(place.file, place.line)
    text = raw.strip()
    if not text:
        return place
    indent = len(raw) - len(raw.lstrip())
    marks = rest[1] if has_text and len(rest) > 1 and re.fullmatch(r" *[~^]+ *", rest[1]) else ""
    if not marks:
        return replace(place, text=text, first=0, last=len(text))
    first = len(marks) - len(marks.lstrip()) - indent
    return replace(place, text=text, first=max(first, 0), last=max(len(marks.rstrip()) - indent, 1))
