"""Finds the best configuration of Triton for a row: those of the table of strong ones, then neighbours of the best.

The search goes downhill from the best of the known configurations: each of BM, BN and BK halved and doubled, 4 and 8
warps, 2 and 3 stages, one change at a time, until none helps or so many were tried. What was found is in peers.json.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from peer import Config
from rows import FOLDER, Row

FOUND = FOLDER / "peers.json"
LDS = {"gfx950": 160 * 1024, "gfx942": 64 * 1024}
Measure = Callable[[Config], dict[str, Any]]

# The strongest configurations that are known, by chip and scaling (tensor stands for row too).
STRONG: dict[tuple[str, str], tuple[Config, ...]] = {
    ("gfx942", "tensor"): (
        Config(256, 256, 64, 8, 2, 0),
        Config(256, 256, 128, 8, 2, 16),
        Config(128, 128, 128, 4, 2, 16, 2),
    ),
    ("gfx942", "block"): (Config(256, 128, 128, 8, 2, 16, 2),),
    ("gfx942", "none"): (Config(256, 256, 32, 8, 2, 0),),
    ("gfx942", "mx"): (Config(256, 128, 64, 8, 2, 16), Config(128, 128, 64, 4, 2, 16)),
    ("gfx950", "tensor"): (Config(256, 256, 128, 8, 2, 16), Config(256, 128, 128, 4, 2, 16)),
    ("gfx950", "block"): (Config(128, 128, 128, 4, 2, 16), Config(256, 128, 128, 8, 2, 16)),
    ("gfx950", "none"): (Config(256, 256, 64, 8, 2, 16),),
    ("gfx950", "mx"): (Config(256, 256, 128, 8, 2, 16), Config(128, 128, 256, 4, 2, 16)),
}


def known() -> dict[str, dict[str, Any]]:
    """The recorded configurations by the rows' names."""
    return json.loads(FOUND.read_text()) if FOUND.exists() else {}


def record(name: str, entry: dict[str, Any]) -> None:
    """Adds what was found for one row."""
    entries = known() | {name: entry}
    lines = [f"  {json.dumps(key)}: {json.dumps(entries[key])}" for key in sorted(entries)]
    part = pathlib.Path(f"{FOUND}.part")
    part.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    part.replace(FOUND)


def fits(row: Row, config: Config) -> bool:
    """Whether it can be good at all: LDS for its stages, no tile twice as large as the product, and numbers that Triton
    accepts."""
    bytes_ = 2 if row.scaling == "none" else 1
    stages = config.stages if row.target == "gfx950" else config.stages - 1
    lds = stages * (config.bm + config.bn) * config.bk * bytes_
    smallest_k = {"none": 32, "mx": 64}.get(row.scaling, 64)
    return (
        16 <= config.bm <= 256
        and 16 <= config.bn <= 256
        and smallest_k <= config.bk <= (128 if row.scaling == "block" else 512)
        and lds <= LDS[row.target]
        and config.bm * config.bn <= 256 * 256
        and config.bm * config.bn >= 256 * config.warps
        and (config.bm < 2 * row.m or config.bm == 16)
        and (config.bn < 2 * row.n or config.bn == 16)
    )


def shrunk(row: Row, config: Config) -> Config:
    """Without rows and columns that the product does not have; what it saves goes into BK."""
    while config.bm > 16 and config.bm >= 2 * row.m:
        config = replace(config, bm=config.bm // 2)
    while config.bn > 16 and config.bn >= 2 * row.n:
        config = replace(config, bn=config.bn // 2)
    if row.is_skinny:
        config = replace(config, bn=min(config.bn, 64), warps=4, nonkdim=16)
    while config.warps > 1 and config.bm * config.bn < 256 * config.warps:
        config = replace(config, warps=config.warps // 2)
    return config


def neighbours(row: Row, config: Config) -> Iterator[Config]:
    """One change at a time, the likeliest first."""
    for name in ("bk", "bn", "bm"):
        for size in (2 * getattr(config, name), getattr(config, name) // 2):
            yield replace(config, **{name: size})
    yield replace(config, warps=8 if config.warps == 4 else 4)
    yield replace(config, stages=3 if config.stages == 2 else 2)


def starts(row: Row) -> list[Config]:
    """Where the search begins: the strong ones, and what was best for the most similar row."""
    scaling = "tensor" if row.scaling == "row" else row.scaling
    configs = [shrunk(row, config) for config in STRONG[row.target, scaling]]
    prefix, suffix = f"{row.target}-", f"-{row.scaling}-{row.order}"
    for name, entry in known().items():
        if name.startswith(prefix) and name.endswith(suffix) and "config" in entry:
            configs.append(shrunk(row, Config(**entry["config"])))
    return [config for config in dict.fromkeys(configs) if fits(row, config)][:4]


def search(row: Row, measure: Measure, most: int) -> dict[str, Any]:
    """The entry for one row: its configuration, its time then, and how many were tried."""
    tried: dict[Config, float] = {}
    errors: list[str] = []

    def time_of(config: Config) -> float:
        if config not in tried:
            answer = measure(config)
            tried[config] = answer.get("us", float("inf"))
            if "error" in answer:
                errors.append(f"{config}: {answer['error']}")
        return tried[config]

    for config in starts(row):
        time_of(config)
    if not tried:
        return {"error": "no configuration fits", "tried": 0}
    moved = True
    while moved and len(tried) < most:
        best = min(tried, key=lambda config: tried[config])
        for config in neighbours(row, best):
            if len(tried) >= most:
                break
            if fits(row, config):
                time_of(config)
        moved = min(tried.values()) < tried[best]
    best = min(tried, key=lambda config: tried[config])
    if tried[best] == float("inf"):
        return {"error": errors[0], "tried": len(tried)}
    return {"config": best.as_dict(), "us": round(tried[best], 2), "tried": len(tried)}
