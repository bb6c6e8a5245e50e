"""Count what becomes of drawn programs under a law, and print what does not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.laws import programs
from tests.laws.draft import Program


def count(
    hold: Callable[[Any, int], Iterable[str]],
    words: Sequence[str],
    drawn: Callable[[int], Program] = programs.program,
) -> None:
    """Hold programs to a law that names what it found: `words` are the first, how many, and how many to show.

    Of each kind of failure three are shown unless told.
    """
    first, number, shown = [int(word) for word in (*words, "3")[:3]]
    counts: Counter[str] = Counter()
    for seed in range(first, first + number):
        try:
            counts.update(hold(drawn(seed), seed))
        except Exception as error:  # whatever a program meets is what is counted
            kind = getattr(error, "kind", type(error).__name__)
            counts[kind] += 1
            if counts[kind] <= shown:
                print(f"## {seed} {kind}: {error}"[:3000], flush=True)
    print(f"programs {first} to {first + number - 1}")
    for kind, found in counts.most_common():
        print(f"{found:6,}  {kind}")
