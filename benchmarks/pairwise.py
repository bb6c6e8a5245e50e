"""Two programs timed in turn, so that a machine's mood falls on both alike."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter, process_time

Program = Callable[[], object]


class Clock:
    """What tells the time: the wall's clock, or with `processor` that of the processor.

    The processor's leaves out what other programs do on a busy machine. It adds up all threads.
    """

    processor = False

    @classmethod
    def now(cls) -> float:
        return process_time() if cls.processor else perf_counter()


# A burst is long beside the clock's resolution and short beside the machine's interruptions.
BURST = 300e-6


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
    def ratio_of_fastest(self) -> float:
        """Ours against theirs at the best of each: for tiny programs, to which noise only adds."""
        return min(self.ours) / min(self.theirs)

    @property
    def spread(self) -> tuple[float, float]:
        """The first and the last quartile of the pairs' ratios."""
        first, _, last = quantiles(self.ratios, n=4)
        return first, last


def timed(run: Program, repeats: int = 1) -> Callable[[], float]:
    """Give a function that runs `run` that many times and says how long one took."""

    def seconds() -> float:
        start = Clock.now()
        for _ in range(repeats):
            run()
        return (Clock.now() - start) / repeats

    return seconds


def compare(
    ours: Callable[[], float], theirs: Callable[[], float], pairs: int, warm: int = 1
) -> Comparison:
    """Ask ours and theirs for their seconds in turn, changing who goes first, warm-up aside."""
    for _ in range(warm):
        ours(), theirs()
    times: dict[Callable[[], float], list[float]] = {ours: [], theirs: []}
    with collected():
        for pair in range(pairs):
            for program in (ours, theirs) if pair % 2 else (theirs, ours):
                times[program].append(program())
    return Comparison(times[ours], times[theirs])


def compare_runs(ours: Program, theirs: Program, seconds: float) -> Comparison:
    """Time two programs in turn, run by run, for about so many seconds but not less than 7 pairs."""
    once = compare(timed(ours), timed(theirs), pairs=1, warm=2)
    pair = once.ours[0] + once.theirs[0]
    return compare(timed(ours), timed(theirs), min(1000, max(7, round(seconds / pair))), warm=0)


def compare_bursts(ours: Program, theirs: Program, seconds: float) -> Comparison:
    """Time two tiny programs in turn, each in bursts that a clock can tell apart."""
    ours_burst, theirs_burst = burst(ours), burst(theirs)
    once = compare(timed(ours_burst), timed(theirs_burst), pairs=7, warm=5)
    pair = min(once.ours) + min(once.theirs)
    return compare(ours_burst, theirs_burst, max(7, round(seconds / pair)), warm=0)


def burst(run: Program) -> Callable[[], float]:
    """Time a tiny program, as many runs at once as fit in a burst."""
    for _ in range(50):
        run()
    once = min(timed(run)() for _ in range(50))
    return timed(run, max(1, round(BURST / once)))


@contextmanager
def collected() -> Iterator[None]:
    """Leave no garbage to be collected in the middle of a measurement."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
