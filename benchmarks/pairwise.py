"""Two programs timed in turn, so that a machine's mood falls on both alike."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter


@dataclass(frozen=True)
class Comparison:
    """Times in seconds of ours and theirs, pair by pair."""

    ours: list[float]
    theirs: list[float]

    @property
    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def ratio(self) -> float:
        """The median of the pairs' ratios: one slow pair does not move it."""
        return median(self.ratios)

    @property
    def spread(self) -> tuple[float, float]:
        """The first and the last quartile of the pairs' ratios."""
        first, _, last = quantiles(self.ratios, n=4)
        return first, last


def timed(run: Callable[[], object], repeats: int) -> Callable[[], float]:
    """Give a function that runs `run` that many times and says how long one took."""

    def seconds() -> float:
        start = perf_counter()
        for _ in range(repeats):
            run()
        return (perf_counter() - start) / repeats

    return seconds


def compare(
    ours: Callable[[], float], theirs: Callable[[], float], pairs: int, warm: int = 1
) -> Comparison:
    """Ask ours and theirs for their seconds in turn, changing who goes first, warm-up aside."""
    for _ in range(warm):
        ours(), theirs()
    times: dict[Callable[[], float], list[float]] = {ours: [], theirs: []}
    for pair in range(pairs):
        for program in (ours, theirs) if pair % 2 else (theirs, ours):
            times[program].append(program())
    return Comparison(times[ours], times[theirs])
