"""Programs of many operations, drawn at random: the notation's contract, as a stranger would use it.

A number gives a program, the same one as long as the table is the same. Each operation of the table says
when it applies, how it is written, how the oracle writes it, and what it does to numbers: how large they
can be, whether they are exact, and how far rounding can move them. So tolerances are known before anything
runs, and what jumps (a comparison, an order, a rounding) is asked of exact numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.laws import drawn_arithmetic, drawn_axes
from tests.laws.draft import (
    HAT,
    SPECIAL,
    TABLE,
    Choices,
    Draft,
    Impossible,
    Input,
    Known,
    Program,
    Step,
    has_axes,
)

#: Where operations are entered in the table, in this order.
ENTERED = (drawn_arithmetic, drawn_axes)


# ------------------------------------------------------------------------------------------ faults


def fault(draft: Draft) -> int:
    """Draw a last step that the notation refuses: its class of error is one on every way."""
    choices = draft.choices
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    axis = choices.of(list(known.sizes))
    n = known.sizes[axis]
    other = [a for a in known.sizes if a != axis]
    forms = [
        "nt.sum['absent']({0})",
        "nt.softmax['absent']({0})",
        "{0} @ 'absent' @ {0}",
        "{0}[A('absent')(0)]",
        "{0}[A('absent') >> A('other')]",
        f"nt.sum[{axis!r}, {axis!r}]({{0}})",
        f"{{0}}[A({axis!r})({n})]",
        f"nt.any[{axis!r}]({{0}})",
        "~{0}" if known.kind == "float" else "{0} & ({0} > 0.5)",
        f"nt.unroll[{axis!r}, A('kernel')[{n + 1}]]({{0}})",
        f"nt.unroll[{axis!r}, A('kernel')[{n + 3}]]({{0}}, padding=1)",
        f"nt.unroll[{axis!r}, A('kernel')[1]]({{0}}, stride=0)",
        f"{{0}}[A({axis!r}) >> (A('p')[{n + 1}], A('q')[1])]",
        f"{{0}} + nt.pad[{axis!r}]({{0}}, 1, 0)",
        f"nt.where({{0}} > 0, {{0}}, nt.concat[{axis!r}]({{0}}, nt.pad[{axis!r}]({{0}}, 1, 0)))",
        f"nt.stack[{axis!r}]({{0}}, {{0}})",
        f"nt.inv[{axis!r}, 'absent']({{0}})",
        "{0}.size('absent') + {0}",
        f"nt.maxk[{axis!r}, A('k')[{n + 1}]]({{0}})",
        f"nt.max[{axis!r}]({{0}}[A({axis!r})[:0]])",
    ]
    if other:
        forms.append(f"{{0}}[A({axis!r}) >> A({other[0]!r})]")
        forms.append(f"nt.pool[{axis!r}, A({other[0]!r})[1]]({{0}})")
    if known.kind == "float":
        forms.append("nt.one_hot({0}, A('hot')[3])")
        forms.append(f"{{0}}[A({axis!r})({{0}})]")
    text = choices.of(forms)
    return draft.step("fault", text, "", [x], Known({}, known.kind, 1, None), [*known.sizes, "..."])


# ----------------------------------------------------------------------------------- whole programs


def draw(choices: Choices) -> Program:
    """Draw a program of 3 to 12 operations, and what a formula of it declares."""
    draft = Draft(choices)
    draft.new_input(draft.some_axes(1, 3), "complex" if choices.one_in(16) else "float")
    wanted = 3 + choices.below(10)
    for _ in range(4 * wanted):
        if needed(draft) >= wanted:
            break
        if choices.one_in(8):
            draft.new_input(draft.some_axes(0, 3))
        count = len(draft.values)
        try:
            TABLE[HAT[choices.below(len(HAT))]](draft)
        except Impossible:
            del draft.values[count:], draft.owners[count:], draft.parts[count:]
    faulty = choices.one_in(10)
    if faulty:
        try:
            fault(draft)
        except Impossible:
            faulty = False
    return finished(draft, faulty)


def needed(draft: Draft) -> int:
    """Count the operations that the last value is made of."""
    return draft.parts[last_with_data(draft)].bit_count()


def finished(draft: Draft, faulty: bool) -> Program:
    """Keep what the results need, inputs first, and choose what the formula declares."""
    choices = draft.choices
    results = [last_with_data(draft)]
    unused = [
        i
        for i, owner in enumerate(draft.owners)
        if isinstance(owner, Step)
        and i != results[0]
        and not any(isinstance(o, Step) and i in o.operands for o in draft.owners)
    ]
    if unused and not faulty:
        several = choices.below(3)
        if several == 1 and draft.values[unused[-1]].data:
            results.append(unused[-1])
    live = set(results)
    for i in range(len(draft.owners) - 1, -1, -1):
        owner = draft.owners[i]
        if i in live and isinstance(owner, Step):
            live.update(owner.operands)
    inputs = [i for i in sorted(live) if isinstance(draft.owners[i], Input)]
    # parameters stand after the star
    inputs.sort(key=lambda i: draft.owners[i].after)  # type: ignore[union-attr]
    steps = [i for i in sorted(live) if isinstance(draft.owners[i], Step)]
    place = {old: new for new, old in enumerate([*inputs, *steps])}
    kept = []
    for i in steps:
        owner = draft.owners[i]
        assert isinstance(owner, Step)
        kept.append(replace(owner, operands=tuple([place[j] for j in owner.operands])))
    given = tuple([draft.owners[i] for i in inputs])
    named = set().union(*[step.named for step in kept]) if kept else set()
    axes = dict.fromkeys(a for X in given for a in X.axes)  # type: ignore[union-attr]
    free = [] if "..." in named else [a for a in axes if a not in named]
    hidden = frozenset(choices.some(free, 1)) if not choices.one_in(4) else frozenset()
    inner = None
    if len(kept) > 2 and choices.one_in(3):
        start = choices.below(len(kept) - 1)
        inner = (start, min(start + 1 + choices.below(4), len(kept)))
    return Program(
        given,  # type: ignore[arg-type]
        tuple(kept),
        tuple([place[r] for r in results]),
        "float32" if draft.single and draft.dtype == "float64" else draft.dtype,
        hidden,
        inner,
        faulty,
        draft.kinks,
    )


def last_with_data(draft: Draft) -> int:
    for i in range(len(draft.values) - 1, 0, -1):
        if draft.values[i].data and isinstance(draft.owners[i], Step):
            return i
    return 0


def program(seed: int) -> Program:
    """Draw the program of a number: the first of its draws that has 3 to 12 operations."""
    for attempt in range(20):
        found = draw(Choices(20 * seed + attempt))
        if 3 <= len(found.steps) <= 12:
            break
    return found


# ------------------------------------------------------------------------------------------ arrays


def arrays(
    program: Program, spread: bool = False, sizes: dict[int, int] | None = None
) -> list[Any]:
    """Make the inputs' numbers as numpy arrays, stored as the program says; bfloat16 is in float32.

    Numbers lie on a grid of eighths, on which sums and products are exact; `spread` draws them from the
    whole range instead, where nothing is equal. `sizes` gives other sizes for those drawn.
    """
    made: list[Any] = []
    for place, X in enumerate(program.inputs):
        shape = [(sizes or {}).get(X.sizes[a], X.sizes[a]) for a in X.axes]
        if spread:  # no two numbers are equal, of one tensor or of two
            plain = "plain" if X.storage in ("shared", "spread") else X.storage
            X = replace(X, seed=X.seed + 100_003 * place, storage=plain)
        made.append(stored(X, shape, spread, made, program.inputs))
    return made


def numbers(X: Input, shape: Sequence[int], spread: bool) -> Any:
    rng = np.random.Generator(np.random.PCG64(X.seed))
    dtype = "float32" if X.dtype == "bfloat16" else X.dtype
    if X.kind == "bool":
        return rng.random(shape) < 0.5
    if X.kind == "int":
        return rng.integers(int(X.low), int(X.high) + 1, shape).astype(dtype)
    if X.kind == "complex":
        parts = rng.integers(-16, 17, (2, *shape)) / 8
        return (parts[0] + 1j * parts[1]).astype(dtype)
    if spread:
        return rng.uniform(X.low, X.high, shape).astype(dtype)
    found = (rng.integers(int(8 * X.low), int(8 * X.high) + 1, shape) / 8).astype(dtype)
    if X.special:
        found = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), found).astype(dtype)
    return found


def stored(
    X: Input, shape: list[int], spread: bool, before: list[Any], owners: Sequence[Input]
) -> Any:
    """Store numbers as an input says: side by side, with gaps, turned, shared, spread or reversed."""
    if X.storage == "shared":
        for Y, array in zip(owners, before, strict=False):
            if (
                (Y.axes, Y.special) == (X.axes, X.special)
                and Y.dtype == X.dtype
                and (Y.low, Y.high) == (X.low, X.high)
                and list(array.shape) == shape
            ):
                return array
    if not shape or X.storage == "plain":
        return np.asarray(numbers(X, shape, spread))
    if X.storage == "strided":
        return numbers(X, [*shape[:-1], 2 * shape[-1]], spread)[..., ::2]
    if X.storage == "turned":
        return numbers(X, shape[::-1], spread).T
    if X.storage == "reversed":
        return numbers(X, shape, spread)[::-1]
    if X.storage == "spread":
        return np.broadcast_to(numbers(X, [1, *shape[1:]], spread), shape)
    return np.asarray(numbers(X, shape, spread))
