"""einops patterns on named axes: X.rearrange("batch (head key) -> batch head key", head=8)."""

from __future__ import annotations

import re

from namedtensor.axes import NAME, lacks, shown
from namedtensor.errors import AxisMissingError, AxisNameError, kind_of_thing, nearest
from namedtensor.primitives import table
from namedtensor.shape import shapes
from namedtensor.tensor import named
from namedtensor.tensor.apply import apply
from namedtensor.tensor.named import NamedTensor

_TOKEN = re.compile(rf"\s*(\(|\)|{NAME.pattern})")
_ELLIPSIS = "..."

Side = tuple[tuple[str, ...], ...]


def rearrange(X: NamedTensor, pattern: str, sizes: dict[str, int]) -> NamedTensor:
    """Read the pattern's axes by name and let einops move the data.

    A group on the left stands for the axis whose name joins its parts (`head_key`), or for the
    one axis that the pattern does not name; a group on the right makes an axis of the joined name.
    Axes that the pattern leaves out pass through, and an ellipsis says so: it stands for all of them.
    """
    if not isinstance(pattern, str):
        raise _bad(X, pattern, f"a pattern is a string, not {kind_of_thing(pattern)}")
    left, right = _parse(X, pattern)
    owners = tuple([_owner(X, pattern, group, left) for group in left])
    flat_left = [name for group in left for name in group]
    flat_right = [name for group in right for name in group]
    for side in (flat_left, flat_right):
        for name in side:
            if side.count(name) > 1:
                raise _bad(X, pattern, f"{name} stands twice on one side")
    if set(flat_left) != set(flat_right):
        odd = sorted(set(flat_left) ^ set(flat_right))
        raise _bad(X, pattern, f"{', '.join(odd)} stands on one side only")
    unknown = sorted(set(sizes) - set(flat_left))
    if unknown:
        raise _bad(X, pattern, f"a size is given for {', '.join(unknown)}, which it does not name")
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise _bad(X, pattern, f"the size of {name} is a whole number, not {size!r}")
    pairs = tuple(sorted(sizes.items()))
    return apply(table()["rearrange"](owners, left, right, pairs), X)


def _bad(X: NamedTensor, pattern: str, why: str) -> AxisNameError:
    return AxisNameError(
        f"X.rearrange({pattern!r})",
        why,
        shapes(X),
        'X.rearrange("batch (head key) -> batch head key", head=8)',
    )


def _parse(X: NamedTensor, pattern: str) -> tuple[Side, Side]:
    left, arrow, right = pattern.partition("->")
    if not arrow or not left.strip() or not right.strip():
        raise _bad(X, pattern, "a pattern has axes, an arrow, and axes")
    left, right = [_without_ellipsis(X, pattern, side) for side in (left, right)]
    if pattern.count(_ELLIPSIS) == 1:
        raise _bad(X, pattern, f"{_ELLIPSIS} stands on one side only")
    return _side(X, pattern, left), _side(X, pattern, right)


def _without_ellipsis(X: NamedTensor, pattern: str, side: str) -> str:
    """Remove the ellipsis for the axes that pass through; they have no order, so none can be joined."""
    before, there, after = side.partition(_ELLIPSIS)
    if _ELLIPSIS in after:
        raise _bad(X, pattern, f"{_ELLIPSIS} stands twice on one side")
    if there and before.count("(") > before.count(")"):
        raise _bad(X, pattern, f"axes that are joined have an order, and {_ELLIPSIS} gives none")
    return f"{before} {after}"


def _side(X: NamedTensor, pattern: str, text: str) -> Side:
    groups: list[tuple[str, ...]] = []
    inner: list[str] | None = None
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _bad(X, pattern, f"cannot read {text[place:].strip()!r}")
        token, place = match[1], match.end()
        if token == "(":
            if inner is not None:
                raise _bad(X, pattern, "groups do not nest")
            inner = []
        elif token == ")":
            if inner is None:
                raise _bad(X, pattern, "a group closes that never opened")
            groups.append(tuple(inner))
            inner = None
        elif inner is not None:
            inner.append(token)
        else:
            groups.append((token,))
    if inner is not None:
        raise _bad(X, pattern, "a group is not closed")
    return tuple(groups)


def _owner(X: NamedTensor, pattern: str, group: tuple[str, ...], left: Side) -> str:
    """Find the axis of X that a group of the left side stands for."""
    joined = "_".join(group)
    if joined in X.axes:
        return joined
    if len(group) == 1:
        guess = nearest(joined, X.axes)
        raise AxisMissingError(
            f"X.rearrange({pattern!r})",
            lacks("X", joined),
            shapes(X),
            f"did you mean {shown(guess)}?" if guess else "name axes of X on the left",
        )
    named = {name for g in left for name in ("_".join(g),)}
    free = [a for a in X.axes if a not in named]
    groups = [g for g in left if len(g) != 1 and "_".join(g) not in X.axes]
    if len(free) != 1 or len(groups) != 1 or _ELLIPSIS in pattern:
        raise AxisNameError(
            f"X.rearrange({pattern!r})",
            f"({' '.join(group)}) may stand for any of {', '.join(map(shown, free))}"
            if free
            else f"({' '.join(group)}) stands for no axis that is left",
            shapes(X),
            f"name every other axis, or split by name: X[{shown(free[0]) if free else 'layer'} >> "
            f"({', '.join(n + '[8]' for n in group[:-1])}, {group[-1] if group else ''})]",
        )
    return str(free[0])


named.rearrange = rearrange
