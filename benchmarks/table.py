"""What a benchmark reports, and the table in which it stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.pairwise import Comparison

HEAD = ("What", "Ours", "Theirs", "Ratio (quartiles)", "Goal", "Verdict")


class Line(Protocol):
    """A line of the table."""

    def cells(self) -> tuple[str, ...]:
        """Give one text for each column of HEAD."""


@dataclass(frozen=True)
class Row:
    """A comparison with its goal, if it has one: what our time may be at most, theirs being 1.

    `fastest` compares the best of both, instead of taking the median of the pairs.
    """

    what: str
    comparison: Comparison
    goal: float | None = None
    fastest: bool = False

    @property
    def ratio(self) -> float:
        return self.comparison.ratio_of_fastest if self.fastest else self.comparison.ratio

    @property
    def met(self) -> bool:
        return self.goal is None or self.ratio <= self.goal

    def cells(self) -> tuple[str, ...]:
        first, last = (number(quartile) for quartile in self.comparison.spread)
        goal = "" if self.goal is None else f"at most {number(self.goal)}"
        return (
            self.what,
            duration(min(self.comparison.ours)),
            duration(min(self.comparison.theirs)),
            f"{number(self.ratio)} ({first} to {last})",
            goal,
            goal and verdict(self.met),
        )


@dataclass(frozen=True)
class Measure:
    """A measure that is no ratio of times."""

    what: str
    ours: str
    goal: str
    met: bool
    theirs: str = ""
    ratio: str = ""

    def cells(self) -> tuple[str, ...]:
        return self.what, self.ours, self.theirs, self.ratio, self.goal, verdict(self.met)


@dataclass(frozen=True)
class Skipped:
    """A row that could not be measured here, and why."""

    what: str
    why: str
    goal: str = ""

    def cells(self) -> tuple[str, ...]:
        return self.what, "", "", "", self.goal, f"skipped: {self.why}"


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def number(ratio: float) -> str:
    """Print a ratio with two decimals, and a small one with two digits.

    >>> number(1.234), number(0.5), number(0.0123)
    ('1.23', '0.50', '0.012')
    """
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def duration(seconds: float) -> str:
    """Print a time in the unit that suits it.

    >>> duration(0.0123), duration(4.56e-6), duration(78.9)
    ('12.3 ms', '4.56 us', '78.9 s')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def table(rows: Sequence[Line]) -> str:
    """Print rows as a Markdown table; Ours and Theirs are the fastest runs."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
