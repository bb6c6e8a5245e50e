"""Renaming and reshaping (paper, section 3.3): other names for the same numbers."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from namedtensor.axes import BOUND, loose, primed, renamed_code, shown, typed_axes, typed_axis
from namedtensor.errors import AxisClashError, AxisSizeError
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Operation, Type, combine, primitive
from namedtensor.primitives.notation import Special
from namedtensor.primitives.sizes import product
from namedtensor.primitives.traits import Acts, Cost, Traits
from namedtensor.primitives.use import Use
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, apply

#: A view, or one copy of what is read.
_MOVED = Cost()


def rename_rule(call: Call) -> Type:
    (pairs,) = call.params
    type_ = call.types[0]
    call.need(0, [old for old, _ in pairs])
    new = dict(pairs)
    axes = [(new.get(n, n), s) for n, s in type_.axes]
    _no_duplicates(call, [n for n, _ in axes])
    return type_.with_axes(axes)


def _no_duplicates(call: Call, found: list[str]) -> None:
    for name in found:
        if found.count(name) > 1:
            raise call.fail(
                AxisClashError,
                f"{call.labels[0]} would have two axes {shown(name)}",
                _free_name_hint(call, name)
                if call.types[0].has(name)
                else "give each axis a name of its own",
            )


def _free_name_hint(call: Call, name: str) -> str:
    """Say in a hint how to rename when the name is taken: choose another, or rename that axis first."""
    label, first = call.labels[0], primed(call.labels[0], name)
    before = next((old for old, new in _pairs(call.params) if new == name), None)
    if before is None:
        return f"rename the one that is there first: `{first}`"
    other = renamed_code(label, before, name + "'")
    return f"choose another name, `{other}`, or rename the one that is there first: `{first}`"


def _pairs(params: tuple[Any, ...]) -> list[tuple[str, str]]:
    """List the pairs of a plain renaming; the list is empty for other operations."""
    found = params[0] if len(params) == 1 and isinstance(params[0], tuple) else ()
    return [pair for pair in found if isinstance(pair, tuple) and len(pair) == 2]


def lower_rename(emit: Emitter, call: Lowered, x: Value) -> Any:

    new = dict(call.params[0])
    return replace(x, axes=tuple([new.get(a, a) for a in x.axes]), type=call.type)


def write_rename(operation: Operation, labels: tuple[str, ...]) -> str:
    """Write a renaming; axes that differ only inside of a formula keep their names."""
    pairs = [(shown(a), shown(b)) for a, b in operation.params[0]]
    told = ", ".join([f"{a} >> {b}" for a, b in pairs if a != b])
    return f"{labels[0]}[{told}]" if told else labels[0]


def _rename_back(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    return apply(RENAME(tuple([(new, old) for old, new in use.params[0]])), g)


RENAME = primitive(
    "rename",
    rename_rule,
    lower_rename,
    write=write_rename,
    notation=Special("rename"),
    traits=Traits(
        linear=(0,),
        moves=True,
        acts=lambda params: Acts(
            uses=tuple([old for old, _ in params[0]]), makes=tuple([new for _, new in params[0]])
        ),
    ),
    transpose=_rename_back,
    cost=lambda node: _MOVED,
)


# --------------------------------------------------------------------------------------- merging


def merge_rule(call: Call) -> Type:
    before, after = call.params
    type_ = call.types[0]
    call.need(0, before)
    size = product([type_.size(a) for a in before])
    rest = [a for a in type_.axes if a[0] not in before]
    _no_duplicates(call, [after, *[n for n, _ in rest]])
    return type_.with_axes([*rest, (after, size)])


def lower_merge(emit: Emitter, call: Lowered, x: Value) -> Any:
    before, after = call.params
    x = emit.named(x)
    # the merged axis takes the place of the part stored last: parts stored in order cost nothing
    at = max(x.places(before))
    head = [a for a in x.axes[:at] if a not in before]
    tail = [a for a in x.axes[at + 1 :] if a not in before]
    moved = emit.permute(x, (*head, *before, *tail))
    axes = (*head, after, *tail)
    code = emit.call("reshape", moved, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, after)


def write_merge(operation: Operation, labels: tuple[str, ...]) -> str:
    before, after = operation.params
    return f"{labels[0]}[({', '.join(map(shown, before))}) >> {shown(after)}]"


def _split_again(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    before, after = use.params
    (X,) = use.operands
    return apply(SPLIT(after, before, -1), g, *[X.size(sized(a, None)) for a in before])


MERGE = primitive(
    "merge",
    merge_rule,
    lower_merge,
    write=write_merge,
    notation=Special("merge"),
    traits=Traits(
        linear=(0,),
        moves=True,
        acts=lambda params: Acts(uses=params[0], makes=(params[1],)),
        beside=lambda params: params[0],
    ),
    transpose=_split_again,
    cost=lambda node: _MOVED,
)


# ------------------------------------------------------------------------------------- splitting


def split_rule(call: Call) -> Type:
    """Check a split; the given sizes are operands, and at most one is open, which is the rest."""
    before, after, hole = call.params
    type_ = call.types[0]
    call.need(0, [before])
    given = list(call.values[1:])
    whole = type_.size(before)
    known = product(given)
    if hole >= 0:
        given.insert(hole, _divide(call, before, whole, known))
    elif isinstance(whole, int) and isinstance(known, int):
        if whole != known:
            raise _does_not_split(call, before, whole, known)
    elif whole is not known:
        call.guards.append((whole, known))
    rest = [a for a in type_.axes if a[0] != before]
    _no_duplicates(call, [*after, *[n for n, _ in rest]])
    return type_.with_axes([*rest, *zip(after, given, strict=True)])


def _divide(call: Call, before: str, whole: Any, known: Any) -> Any:
    if isinstance(whole, int) and isinstance(known, int):
        if known == 0 or whole % known:
            raise _does_not_split(call, before, whole, known, rest=True)
        return whole // known
    part = combine("floordiv", whole, known)
    call.guards.append((whole, combine("mul", part, known)))
    return part


def _does_not_split(
    call: Call, before: str, whole: int, known: int, rest: bool = False
) -> Exception:
    label, axis = call.labels[0], typed_axis(before)
    hint = f"the sizes of the new axes multiply to {whole}"
    if rest and known:  # another length has parts of this size
        hint += (
            f"; lengthen it, `nt.pad[{typed_axes([before])}]({loose(label)}, 0, {-whole % known})`"
        )
        if whole > known:
            hint += f", or shorten it, `{label}[{axis}[:{whole - whole % known}]]`"
    return call.fail(
        AxisSizeError,
        f"axis {shown(before)} is {whole} in {label}, which does not split into parts of {known}",
        hint,
    )


def lower_split(emit: Emitter, call: Lowered, x: Value, *sizes: Value) -> Any:
    before, after, _ = call.params
    at = x.place(before)
    axes = (*x.axes[:at], *after, *x.axes[at + 1 :])
    code = emit.call("reshape", x, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "_".join(after))


def write_split(operation: Operation, labels: tuple[str, ...]) -> str:
    before, after, hole = operation.params
    sizes = iter(labels[1:])
    parts = [shown(a) if i == hole else f"{shown(a)}[{next(sizes)}]" for i, a in enumerate(after)]
    return f"{labels[0]}[{shown(before)} >> ({', '.join(parts)})]"


def _merge_again(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    before, after, _ = use.params
    return apply(MERGE(after, before), g)


SPLIT = primitive(
    "split",
    split_rule,
    lower_split,
    write=write_split,
    notation=Special("split"),
    traits=Traits(
        linear=(0,),
        moves=True,
        acts=lambda params: Acts(uses=(params[0],), makes=params[1]),
    ),
    transpose=_merge_again,
    cost=lambda node: _MOVED,
)


# ------------------------------------------------------------------------------- einops patterns


def rearrange_rule(call: Call) -> Type:
    owners, left, right, pairs = call.params
    type_ = call.types[0]
    sizes: dict[str, Any] = dict(pairs)
    for owner, group in zip(owners, left, strict=True):
        whole = type_.size(owner)
        known = [sizes[n] for n in group if n in sizes]
        open_ = [n for n in group if n not in sizes]
        if len(open_) > 1:
            raise call.fail(
                AxisSizeError,
                f"the sizes of {', '.join(open_)} are all open",
                f"give all but one: {open_[0]}=2",
            )
        if open_:
            sizes[open_[0]] = _divide(call, owner, whole, product(known)) if known else whole
        elif isinstance(whole, int) and whole != product(known):
            raise _does_not_split(call, owner, whole, product(known))
        elif not isinstance(whole, int):
            call.guards.append((whole, product(known)))
    new = [("_".join(group), product([sizes[n] for n in group])) for group in right]
    rest = [a for a in type_.axes if a[0] not in owners]
    _no_duplicates(call, [n for n, _ in [*rest, *new]])
    return type_.with_axes([*rest, *new])


def lower_rearrange(emit: Emitter, call: Lowered, x: Value) -> Any:
    owners, left, right, pairs = call.params
    word: dict[str, str] = {}
    taken = {n for group in (x.axes, *left, *right) for n in group}
    free = (name for name in map("x{}".format, itertools.count()) if name not in taken)

    def write(groups: Any) -> str:
        texts = []
        for group in groups:
            for n in group:
                if n not in word:
                    word[n] = n if _plain(n) else next(free)
            inner = [word[n] for n in group]
            texts.append(inner[0] if len(inner) == 1 else f"({' '.join(inner)})")
        return " ".join(texts)

    rest = tuple([a for a in x.axes if a not in owners])
    by_owner = dict(zip(owners, left, strict=True))
    stored = [by_owner.get(a, (a,)) for a in x.axes]
    lead = [(a,) for a in rest]
    pattern = f"{write(stored)} -> {write([*lead, *right])}"
    axes = (*rest, *["_".join(group) for group in right])
    code = emit.call("rearrange", x, pattern, **{word[n]: size for n, size in pairs})
    return emit.bind(code, axes, call.type, "rearranged")


def _plain(name: str) -> bool:
    """Say whether einops takes a name as it is: no primes, no stars, no marks of hidden axes."""
    return name.isidentifier() and name.isascii()


def pattern_of(operation: Operation) -> str:
    """Write what a rearrangement does: a (b c) -> (a b) c."""

    def side(groups: Any) -> str:
        return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in groups)

    _, left, right, _ = operation.params
    return f"{side(left)} -> {side(right)}"


def _rearrange_back(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Split what the right side joined, and join what the left side split."""
    owners, left, right, pairs = use.params
    (X,) = use.operands
    sizes: dict[str, Any] = dict(pairs)
    for owner, group in zip(owners, left, strict=True):
        known = product([sizes[n] for n in group if n in sizes])
        for name in group:
            whole = X.size(sized(owner, None))
            sizes.setdefault(name, whole if len(group) == 1 else whole // known)
    inner = {name: f"{name}{BOUND}part" for group in right for name in group}
    for group in right:
        g = _regrouped(g, ("_".join(group),), tuple([inner[n] for n in group]), sizes, inner)
    for owner, group in zip(owners, left, strict=True):
        g = _regrouped(g, tuple([inner[n] for n in group]), (owner,), sizes, inner)
    return g


def _regrouped(
    X: NamedTensor,
    before: tuple[str, ...],
    after: tuple[str, ...],
    sizes: dict[str, Any],
    inner: dict[str, str],
) -> NamedTensor:
    """Make one axis of several, several of one, or give one another name."""
    if len(before) == len(after):
        return apply(RENAME((*zip(before, after, strict=True),)), X)
    if len(after) == 1:
        return apply(MERGE(before, after[0]), X)
    parts = [sizes[name] for name, part in inner.items() if part in after]
    return apply(SPLIT(before[0], after, -1), X, *parts)


REARRANGE = primitive(
    "rearrange",
    rearrange_rule,
    lower_rearrange,
    write=lambda operation, labels: f'{labels[0]}.rearrange("{pattern_of(operation)}")',
    notation=Special("rearrange"),
    traits=Traits(
        linear=(0,),
        acts=lambda params: Acts(
            uses=params[0], makes=tuple(["_".join(group) for group in params[2]])
        ),
    ),
    transpose=_rearrange_back,
    cost=lambda node: _MOVED,
)
