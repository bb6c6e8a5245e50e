"""Loops over an axis: the positional half of recurrences, the same for every library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from namedtensor.errors import KindError

Array = Any


def looping(carried: Callable[[Array, Array], Array]) -> Callable[..., tuple[Any, ...]]:
    """Make the word `loop` of a library; `carried` converts a carry whose dtype has changed."""

    def loop(
        step: Callable[..., tuple[Array, ...]],
        carry: tuple[Array, ...],
        sequences: tuple[Sequence[Array], ...],
        given: tuple[Array, ...],
        listed: tuple[bool, ...],
        reverse: bool = False,
    ) -> tuple[Any, ...]:
        """Take all steps. Of each result give the list of its values, or the last one."""
        count = len(carry)
        lists: list[list[Array]] = [[] for _ in listed]
        now: tuple[Array, ...] = carry
        first = True
        rows = iter(zip(*map(reversed, sequences) if reverse else sequences, strict=True))
        for elements in rows:
            found = step(*now, *elements, *given)
            alone = first and type(found) is not tuple
            if type(found) is not tuple:
                found = (found,)
            if first and any([h.dtype != now[i].dtype for i, h in enumerate(found[:count])]):
                found = (*map(carried, carry, found), *found[count:])
                step, alone = _casting(step, carry, carried), False
            first = False
            now = found[:count]
            for values, value, wanted in zip(lists, found, listed, strict=True):
                if wanted:
                    values.append(value)
            if alone and count:
                now = _alone(step, now[0], rows, given, lists[0] if listed[0] else None)
        if reverse:
            lists = [values[::-1] for values in lists]
        return tuple(
            [lists[place] if wanted else now[place] for place, wanted in enumerate(listed)]
        )

    return loop


def _alone(
    step: Callable[..., Array],
    h: Array,
    rows: Iterable[Sequence[Array]],
    given: tuple[Array, ...],
    values: list[Array] | None,
) -> tuple[Array]:
    """Take the remaining steps if each gives one carry and nothing else."""
    for elements in rows:
        h = step(h, *elements, *given)
        if values is not None:
            values.append(h)
    return (h,)


def _casting(
    step: Callable[..., tuple[Array, ...]],
    carry: tuple[Array, ...],
    carried: Callable[[Array, Array], Array],
) -> Callable[..., tuple[Array, ...]]:
    """Give the next carry of a step the dtype that the first one has."""

    def cast(*operands: Array) -> tuple[Array, ...]:
        found = step(*operands)
        if type(found) is not tuple:
            found = (found,)
        return (*map(carried, carry, found), *found[len(carry) :])

    return cast


def refuse_dtype(before: Array, after: Array) -> KindError:
    """Make the error for a carry that changes its dtype."""
    old, new = [str(x.dtype).removeprefix("torch.") for x in (before, after)]
    return KindError(
        "scan(step, h0, X)",
        f"a carry starts as {old}, and the step gives {new}; a carry keeps its dtype",
        hint=f'start with {new}: h0.to("{new}")',
    )


def associating(
    join: Callable[[Sequence[Array]], Array],
    weave: Callable[[Array, Array], Array],
    turn: Callable[[Array], Array],
) -> Callable[..., tuple[Array, ...]]:
    """Make the word `associate` of a library, by its words for joining along the first axis."""

    def associate(
        combine: Callable[..., tuple[Array, ...]],
        parts: tuple[Array, ...],
        given: tuple[Array, ...],
        reverse: bool = False,
    ) -> tuple[Array, ...]:
        """Combine the first 1, 2, ..., n elements, in a depth of 2 log n.

        Pairs of neighbours are combined, and the half as many results scanned. That gives the result at every
        second element; one more combination gives the others.
        Source: Blelloch, Prefix sums and their applications, 1990, section 1.3.
        """
        if reverse:
            return tuple(map(turn, associate(combine, tuple(map(turn, parts)), given)))
        size = parts[0].shape[0]
        if size < 2:
            return parts
        pairs = combine(*[x[:-1:2] for x in parts], *[x[1::2] for x in parts], *given)
        odd = associate(combine, pairs if type(pairs) is tuple else (pairs,), given)
        before = [x[: (size - 1) // 2] for x in odd]
        even = combine(*before, *[x[2::2] for x in parts], *given)
        if type(even) is not tuple:
            even = (even,)
        first = [join([x[:1], y]) for x, y in zip(parts, even, strict=True)]
        return tuple(map(weave, first, odd))

    return associate
