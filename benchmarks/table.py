"""What a benchmark reports, and the table in which it stands."""

from dataclasses import dataclass

from benchmarks.pairwise import Comparison

HEAD = ("What", "Ours", "Theirs", "Ratio (quartiles)", "Goal", "Verdict")


@dataclass(frozen=True)
class Row:
    """A comparison with its goal: the ratio of our time to theirs that it may cost at most."""

    what: str
    comparison: Comparison
    goal: float

    @property
    def met(self) -> bool:
        return self.comparison.ratio <= self.goal

    def cells(self) -> tuple[str, ...]:
        first, last = self.comparison.spread
        return (
            self.what,
            duration(min(self.comparison.ours)),
            duration(min(self.comparison.theirs)),
            f"{self.comparison.ratio:.2f} ({first:.2f} to {last:.2f})",
            f"at most {self.goal:.2f}",
            "met" if self.met else "missed",
        )


def duration(seconds: float) -> str:
    """Print a time in the unit that suits it.

    >>> duration(0.0123), duration(4.56e-6), duration(78.9)
    ('12.3 ms', '4.56 us', '78.9 s')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def table(rows: list[Row]) -> str:
    """Print rows as a Markdown table; Ours and Theirs are the fastest runs."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
