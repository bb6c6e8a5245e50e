"""Generated shapes, numbers and storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.laws.examples import REAL, Domain, Example, Operand

#: Axis names: words, primes, and words that Python or numpy keep for themselves.
NAMES = ["seq", "seq'", "emb", "head", "lambda", "sum", "x0", "key''"]
NEW_NAMES = ["new", "new'", "kernel"]

SIZES = [2, 3, 1, 0, 4]
MOST_RECORDS = 24

Draw = Callable[..., Any]


def names(draw: Draw, least: int = 0, most: int = 4, among: Sequence[str] = NAMES) -> list[str]:
    """Draw distinct axis names."""
    chosen = st.lists(st.sampled_from(among), min_size=least, max_size=most, unique=True)
    return draw(chosen)


def sizes(draw: Draw, axes: Sequence[str], least: int = 0) -> dict[str, int]:
    """Draw a size for each axis, small enough together for the oracle."""
    allowed = [n for n in SIZES if n >= least]
    shape: dict[str, int] = {}
    records = 1
    for axis in axes:
        n = draw(st.sampled_from(allowed))
        n = n if records * n <= MOST_RECORDS else max(least, 1)
        shape[axis] = n
        records *= max(n, 1)
    return shape


def some(draw: Draw, of: Sequence[Any], least: int = 0, most: int | None = None) -> list[Any]:
    """Draw some of a list, in any order."""
    if not of:
        return []
    return draw(st.lists(st.sampled_from(of), min_size=least, max_size=most, unique=True))


def operand(draw: Draw, shape: dict[str, int], domain: Domain = REAL) -> Operand:
    """Draw numbers for a shape, stored in any order and not always side by side."""
    order = draw(st.permutations(list(shape)))
    seed = draw(st.integers(0, 2**16))
    spread = draw(st.booleans())
    ties = draw(st.booleans())
    stored = [shape[axis] for axis in order]
    if spread and stored and domain.kind != "distinct":
        wide = domain.draw((*stored[:-1], 2 * stored[-1]), seed, ties)
        return Operand(tuple(order), wide[..., ::2], domain)
    return Operand(tuple(order), domain.draw(tuple(stored), seed, ties), domain)


def overlapping(draw: Draw, count: int, least: int = 0, most: int = 3) -> list[dict[str, int]]:
    """Draw compatible shapes: some axes are shared, some are not."""
    every = sizes(draw, names(draw, least, most + 1), 0)
    return [
        {axis: every[axis] for axis in some(draw, list(every), least, most)} for _ in range(count)
    ]


@st.composite
def elementwise(draw: Draw, *domains: Domain, numbers: bool = False) -> Example:
    """One tensor for each domain, lifted over each other's axes; one may be a plain number."""
    shapes = overlapping(draw, len(domains))
    operands: list[Any] = [
        operand(draw, shape, domain) for shape, domain in zip(shapes, domains, strict=True)
    ]
    if numbers and draw(st.sampled_from([False, False, True])):
        place = draw(st.integers(0, len(operands) - 1))
        operands[place] = domains[place].draw((), draw(st.integers(0, 2**16)), True).item()
    return Example(tuple(operands))


@st.composite
def along(
    draw: Draw,
    domain: Domain = REAL,
    most: int = 3,
    least_size: int = 0,
    least: int = 1,
    **settings: st.SearchStrategy[Any],
) -> Example:
    """One tensor and some of its axes, between `least` and `most`, under the name `axes`."""
    shape = sizes(draw, names(draw, least, 4), least_size)
    axes = tuple(some(draw, list(shape), least, most))
    drawn = {name: draw(strategy) for name, strategy in settings.items()}
    return Example((operand(draw, shape, domain),), {"axes": axes, **drawn})


def shaped(draw: Draw, least: int = 0, most: int = 3, least_size: int = 0) -> dict[str, int]:
    """Draw between `least` and `most` axes with their sizes."""
    return sizes(draw, names(draw, least, most), least_size)


def indices(draw: Draw, shape: dict[str, int], size: int) -> Operand:
    """Draw an integer tensor of indices into an axis, counted from either end."""
    return operand(draw, shape, Domain("int", -size, size))
