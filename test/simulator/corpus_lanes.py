"""The families of corpus.py whose work items exchange values: across lanes, through LDS, by atomics.

exchange.h says what each exchange is on the GPU and on the host.
"""

from __future__ import annotations

import random

CELLS = 64  # 64-bit cells that all work items share; each item has one of its own behind them
FOLDS = ("ADD", "AND", "OR", "XOR", "MIN", "MAX", "UMIN", "UMAX")
DPP = (*range(0x101, 0x110), *range(0x111, 0x120), *range(0x121, 0x130), 0x130, 0x134, 0x138, 0x13C,
       *range(0x140, 0x144), *range(0x150, 0x160))


class LaneFamilies:
    """Statements of exchanges, all in control flow that is uniform but for those that count active lanes."""

    random: random.Random
    lines: list[str]
    variables: list[tuple[str, str]]
    exchanges: int

    def expression(self, kind: str, depth: int) -> str:
        raise NotImplementedError

    def comparison(self, depth: int) -> str:
        raise NotImplementedError

    def pick(self, kind: str) -> str:
        raise NotImplementedError

    def exchange(self) -> int:
        """The number of a new exchange."""
        self.exchanges += 1
        return self.exchanges - 1

    def keep(self, kind: str, text: str) -> None:
        """A new variable."""
        name = f"x{len(self.variables)}"
        self.lines.append(f"{kind} {name} = {text};")
        self.variables.append((name, kind))

    def slot(self, items: int) -> str:
        """A different slot for each item."""
        lane = "WAVE_LANE" if items == 64 else "LANE"
        odd, start = 2 * self.random.randrange(items // 2) + 1, self.random.randrange(items)
        return f"(({lane} * {odd} + {start}) & {items - 1})"

    def dpp_control(self) -> int:
        return self.random.choice([self.random.randrange(0x100), *self.random.sample(DPP, 4)])

    def crossing(self) -> tuple[str, str]:
        """Kind and text of one exchange across the lanes of a wave."""
        x, y = self.expression("u32", 2), self.expression("u32", 1)
        number = self.exchange()
        roll = self.random.randrange(9)
        if roll == 0:
            return "u32", f"shuffle({number}, {x}, {y})"
        if roll == 1:
            return "u32", f"push({number}, {x}, {self.slot(64)})"
        if roll == 2:
            return "u32", f"readLane({number}, {x}, {self.random.randrange(64)})"
        if roll == 3:
            return "u64", f"ballot({number}, {x} & {self.random.choice([1, 2, 0x70, 0x80000000])})"
        if roll == 4:
            return "u32", f"countBelow(ballot({number}, {self.comparison(1)}))"
        if roll == 5:
            swizzle = self.random.choice([0x8000 | self.random.randrange(256), self.random.randrange(0x8000)])
            return "u32", f"swizzle({number}, {x}, {swizzle:#x})"
        if roll == 6:
            return "u32", f"swapRows{self.random.choice([16, 32])}({number}, {x}, {y}, {self.random.randrange(2)})"
        rows, banks = self.random.choice([(15, 15), (15, 15), (5, 15), (15, 10), (14, 3)])
        return "u32", f"dpp({number}, {y}, {x}, {self.dpp_control():#x}, {rows}, {banks}, {self.random.randrange(2)})"

    def cross(self) -> None:
        """Lanes of a wave: permutations, DPP, swizzles, ballots, also where some lanes are off."""
        for _ in range(self.random.randint(3, 5)):
            self.keep(*self.crossing())
        first, mask = self.exchange(), self.exchange()
        self.lines.append(f"u32 w = 5; if ({self.comparison(2)}) {{ w = readFirst({first}, {self.pick('u32')}); }} "
                          f"else {{ w = (u32)ballot({mask}, {self.pick('u32')} & 6); }}")
        self.variables.append(("w", "u32"))

    def lds(self) -> None:
        """Values of each width through LDS."""
        for _ in range(4):
            width = self.random.choice(["8", "16", "32", "64", "128", "Two"])
            value, source = self.expression("u64", 2), self.expression("u32", 1)
            self.keep("u64", f"through{width}({self.exchange()}, {value}, {self.slot(128)}, {source})")

    def atomic(self) -> None:
        """Atomics in LDS and in memory whose order does not show."""
        for bits in (32, 64):
            arguments = f"{self.expression('u64', 2)}, {self.expression('u32', 1)} & 31, {self.expression('u32', 1)}"
            self.keep("u64", f"fold{bits}({self.exchange()}, {self.random.choice(FOLDS)}, {arguments}, "
                             f"{self.comparison(1)})")
            kind = f"u{bits}"
            own = f"(GLOBAL {kind} *)&cells[{CELLS} + workItem()]"
            for _ in range(2):
                old, new = self.expression(kind, 1), self.expression(kind, 1)
                self.keep(kind, f"own{bits}({own}, {self.random.randrange(9)}, {new}, {old})")
            # The operation of a cell is one, so that the order does not matter.
            half = self.random.randrange(8)
            cell = f"{half} * 8 + ({self.expression('u32', 1)} & 3) + {0 if bits == 32 else 4}"
            self.lines.append(f"if ({self.comparison(1)}) foldGlobal{bits}((GLOBAL {kind} *)&cells[{cell}], "
                              f"{FOLDS[half]}, {self.expression(kind, 2)});")
        small = f"(f32)({self.expression('u32', 1)} & 255)"
        self.keep("f32", f"sumInLds({self.exchange()}, {small}, {self.pick('u32')} & 15, {self.pick('u32')})")
