"""What a user may choose: `torch.compile(..., backend="octavo", options={...})`, or `OCTAVO_...` in the environment."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from octavo import env
from octavo.errors import OctavoError

RECIPES = ("tensorwise", "rowwise", "rowwise_with_gw_hp", "blockwise", "mxfp8")
# Modes of torch.compile that have a meaning here. The others are an error, not a promise that nothing keeps.
MODES = ("default",)
UNAVAILABLE_MODES = {
    "reduce-overhead": "a program is not captured in a HIP graph yet",
    "max-autotune": "tiles are chosen by the cost model alone, nothing is measured",
    "max-autotune-no-cudagraphs": "tiles are chosen by the cost model alone, nothing is measured",
}

ModuleFilter = Callable[[str], bool]


@dataclass(frozen=True)
class Patterns:
    """Names of modules as shell patterns; those after `!` are left out, and with no other kind all the rest is
    meant.
    """

    patterns: tuple[str, ...]

    def __call__(self, name: str) -> bool:
        wanted = [p for p in self.patterns if not p.startswith("!")]
        unwanted = [p[1:] for p in self.patterns if p.startswith("!")]
        if any(fnmatch.fnmatchcase(name, p) for p in unwanted):
            return False
        return not wanted or any(fnmatch.fnmatchcase(name, p) for p in wanted)


def _bool(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise OctavoError(f"option {name} must be True or False, got {value!r}")


def _choice(name: str, value: Any, choices: Sequence[str]) -> str:
    if value in choices:
        return str(value)
    raise OctavoError(f"option {name} must be one of {', '.join(choices)}, got {value!r}")


def _mode(name: str, value: Any) -> str:
    if value in UNAVAILABLE_MODES:
        raise OctavoError(
            f"mode {value!r} is not available: {UNAVAILABLE_MODES[value]}", way_out=f"choose {', '.join(MODES)}"
        )
    return _choice(name, value, MODES)


def _deterministic(name: str, value: Any) -> bool:
    if not _bool(name, value):
        raise OctavoError(
            f"option {name} can only be True: no kernel adds in an order that varies, so there is nothing to gain",
            way_out=f"leave {name} out",
        )
    return True


def _recipe(name: str, value: Any) -> str | None:
    if value in (None, "", "none"):
        return None
    return _choice(name, value, RECIPES)


def _filter(name: str, value: Any) -> ModuleFilter | None:
    if value in (None, ""):
        return None
    if callable(value):
        return value  # type: ignore[no-any-return]
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    if isinstance(value, Sequence) and all(isinstance(part, str) and part for part in value):
        return Patterns(tuple(value))
    raise OctavoError(f"option {name} must be a function of a module's name or a list of shell patterns, got {value!r}")


def _target(name: str, value: Any) -> str | None:
    if value in (None, ""):
        return None
    from octavo import _octavo

    known = tuple(_octavo.targets())
    _choice(name, str(value).split(":")[0], known)
    return str(value)


def _text(name: str, value: Any) -> str | None:
    if value in (None, ""):
        return None
    if isinstance(value, str):
        return value
    raise OctavoError(f"option {name} must be a string, got {value!r}")


def _about(check: Callable[[str, Any], Any], text: str) -> dict[str, Any]:
    return {"check": check, "text": text}


def _of(*choices: str) -> Callable[[str, Any], str]:
    return lambda name, value: _choice(name, value, choices)


@dataclass(frozen=True)
class Options:
    """All compile options, checked. Each may also stand in the environment (`OCTAVO_FP8=rowwise`)."""

    fp8: str | None = field(
        default=None, metadata=_about(_recipe, f"recipe of linear layers that compute in bf16: {', '.join(RECIPES)}")
    )
    fp8_filter: ModuleFilter | None = field(
        default=None,
        metadata=_about(
            _filter, "modules with the recipe: a function of the name, or shell patterns (!name leaves out)"
        ),
    )
    fp8_format: str = field(
        default="ocp", metadata=_about(_of("ocp", "fnuz"), "encoding of 8-bit floats that the recipe means: ocp, fnuz")
    )
    fallback: str = field(
        default="eager",
        metadata=_about(_of("eager", "error"), "what has no kernel runs by PyTorch with a warning, or is an error"),
    )
    strict: bool = field(
        default=False,
        metadata=_about(_bool, "slower ways (an operator by PyTorch, a spill) are errors"),
    )
    target: str | None = field(
        default=None, metadata=_about(_target, "GPU to compile for; by default this machine's, else the simulator's")
    )
    dump: str | None = field(
        default=None, metadata=_about(_text, "folder that receives the IR of each level and the code objects")
    )
    deterministic: bool = field(
        default=True, metadata=_about(_deterministic, "the same bits in any order of execution; only True so far")
    )
    cache: bool = field(default=True, metadata=_about(_bool, "keep compiled code in the cache folder"))
    mode: str = field(default="default", metadata=_about(_mode, f"torch.compile's mode: {', '.join(MODES)}"))

    @staticmethod
    def read(given: Mapping[str, Any] | None = None, mode: str | None = None) -> Options:
        """Checks `given` and fills the rest from the environment.

        Raises:
            OctavoError: an unknown option (the valid ones are listed) or a value that the option does not take.
        """
        fields = {f.name: f for f in dataclasses.fields(Options)}
        values: dict[str, Any] = dict(given or {})
        if mode is not None:
            values["mode"] = mode
        for name in values:
            if name not in fields:
                raise OctavoError(f"unknown option {name!r}; the options are {', '.join(fields)}")
        for name in fields:
            if name not in values and (text := env.option(name)) is not None:
                values[name] = text
        return Options(**{name: fields[name].metadata["check"](name, value) for name, value in values.items()})

    def fingerprint(self) -> str:
        """What of the options decides the generated code, for cache keys."""
        parts = [f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self)]
        return ";".join(p for p in parts if p.split("=")[0] not in ("fallback", "dump", "cache", "fp8_filter"))


def list_options() -> dict[str, str]:
    """Names of all compile options with a line about each."""
    return {f.name: str(f.metadata["text"]) for f in dataclasses.fields(Options)}


def list_mode_options(mode: str | None = None) -> dict[str, dict[str, Any]] | dict[str, Any]:
    """Options that a mode of torch.compile stands for: each mode is an option of its own here."""
    table: dict[str, dict[str, Any]] = {name: {"mode": name} for name in MODES}
    return table if mode is None else table[_choice("mode", mode, MODES)]
