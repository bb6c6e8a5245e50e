"""Lifting with hygiene: an axis that an argument has and the formula does not declare passes through.

It gets a fresh name on entry, so that it cannot clash with an axis of the body, and its own name on exit.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.axes import (
    FRESH,
    axis_code,
    either,
    lacks,
    loose,
    primed,
    renamed_code,
    shown,
    typed_axes,
    typed_axis,
)
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    caller_frame,
    nearest,
)
from namedtensor.formula.signature import Space
from namedtensor.primitives import Type
from namedtensor.primitives.origins import origin_of
from namedtensor.primitives.primitive import table
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor, apply
from namedtensor.tensor.labels import tight

#: Arguments of a call that are tried in another order.
MOST_REORDERED = 4


@dataclass(slots=True)
class Leaf:
    """One tensor that a formula is called with: its path in the signature, its space, and the tensor.

    `state` says that it is a state, which a call leaves to the next.
    """

    path: str
    space: Space
    tensor: Any
    state: bool = False

    @property
    def axes(self) -> tuple[str, ...]:
        axes: tuple[str, ...] = self.tensor.axes
        return axes


def tensors_of(leaves: Sequence[Leaf]) -> list[NamedTensor]:
    """Give the tensors among the leaves that hold data: those that a plan is run on."""
    return [leaf.tensor for leaf in leaves if type(leaf.tensor) is NamedTensor]


def refuse_meta(name: str, leaves: Sequence[Leaf]) -> None:
    """Raise BackendError where some tensors hold numbers and others, on the device meta, sizes alone."""
    data = [leaf for leaf in leaves if type(leaf.tensor) is NamedTensor and leaf.tensor.axes]
    empty = [leaf for leaf in data if getattr(leaf.tensor.data, "is_meta", False)]
    if not empty or len(empty) == len(data):
        return
    full = next(leaf for leaf in data if not leaf.tensor.data.is_meta)
    raise BackendError(
        f"{name}({', '.join([leaf.path for leaf in leaves])})",
        f"{empty[0].path} is on the device meta and holds no numbers, {full.path} is on {full.tensor.device}",
        [(leaf.path, _text(leaf.tensor)) for leaf in leaves],
        f'give all of them numbers: f.module(..., device="{full.tensor.device}"), or '
        f'module.to_empty(device="{full.tensor.device}") and then nt.load(module, "model.pt"); '
        f'for shapes alone {full.path}.to("meta")',
    )


#: More tensors of a call than these are not listed one by one where they are parameters of bundles.
MOST_LISTED = 12


def _in_short(shapes: list[tuple[str, str]], why: str) -> list[tuple[str, str]]:
    """Shorten the shapes in an error: parameters of bundles that it does not mention are only counted."""
    if len(shapes) <= MOST_LISTED:
        return shapes
    said = set(re.findall(r"[\w.]+", why))
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for path, text in shapes:
        bundle, inside, _ = path.partition(".")
        if not inside or path in said:
            found[path] = text
            continue
        counts[bundle] = counts.get(bundle, 0) + 1
        found[bundle] = f"{counts[bundle]} parameter{'s'[: counts[bundle] > 1]}"
    return list(found.items())


class Entry:
    """The leaves of one call, checked against their declarations."""

    def __init__(
        self, name: str, leaves: Sequence[Leaf], results: tuple[Space, ...] | None
    ) -> None:
        self.name = name
        self.leaves = leaves
        self.results = results
        self.extra: dict[str, str] = {}
        for leaf in leaves:
            self._check(leaf)
        self._refuse_results()

    def error(self, kind: type[NamedTensorError], why: str, hint: str) -> NamedTensorError:
        shapes = [
            (leaf.path, f"{_text(leaf.tensor)}   declared {leaf.space}") for leaf in self.leaves
        ]
        shapes = _in_short(shapes, why)
        return kind(f"{self.name}({', '.join([path for path, _ in shapes])})", why, shapes, hint)

    def _check(self, leaf: Leaf) -> None:
        tensor, declared = leaf.tensor, leaf.space.names
        for name in declared:
            if name not in leaf.axes:
                raise self.error(
                    AxisMissingError,
                    f"{lacks(leaf.path, name)}, which {self.name} declares",
                    self._missing_hint(leaf, name),
                )
        if tensor.kind not in leaf.space.kinds:
            wanted = {"Z": "whole numbers", "B": "truth values"}.get(
                leaf.space.letter, "real numbers"
            )
            raise self.error(
                KindError,
                f"{leaf.path} holds {tensor.kind} numbers, and {leaf.space} holds {wanted}",
                f"nt.cast({leaf.path}, {'int' if leaf.space.letter == 'Z' else 'bool'})",
            )
        for axis in leaf.space.axes:
            size = dict(tensor.sizes)[axis.name]
            if isinstance(axis.size, int) and isinstance(size, int) and axis.size != size:
                where = dict(leaf.space.stated).get(axis.name, "in the declaration")
                raise self.error(
                    AxisSizeError,
                    f"axis {shown(axis.name)} is {size} in {leaf.path} and {axis.size} {where}",
                    f"{self.name} takes {leaf.space} for {leaf.path}",
                )
        for name in leaf.axes:
            if name not in declared:
                self.extra.setdefault(name, name + FRESH)

    def _missing_hint(self, leaf: Leaf, name: str) -> str:
        code = self._reordered()
        if code:
            return f"{self.name} takes its arguments in another order: `{code}`"
        lifted = {a for other in self.leaves for a in _extra(other) if other is not leaf}
        free = [a for a in _extra(leaf) if a not in lifted]
        short = next((a for a in free if name.startswith(a)), None)  # h for height
        guess = short or nearest(name, free) or (free[-1] if free else None)
        if guess is None:
            return f"{leaf.path} is declared {leaf.space}: give it an axis {shown(name)}"
        return f"rename the axis that you mean: {renamed_code(leaf.path, guess, name)}"

    def _reordered(self) -> str:
        """Write the caller's call with its arguments in the only order that fits, if there is one."""
        frame = caller_frame()
        text = origin_of(frame.f_code, frame.f_lasti).text if frame is not None else ""
        try:
            call = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return ""
        given = call.args if isinstance(call, ast.Call) else []
        leaves = self.leaves[: len(given)]
        if len(leaves) != len(given):
            return ""
        if any("." in leaf.path for leaf in leaves) or any(
            isinstance(a, ast.Starred) for a in given
        ):
            return ""
        order = fitting_order(len(leaves), lambda i, place: _fits(leaves[i], leaves[place].space))
        given[:] = [given[i] for i in order]
        return ast.unparse(call) if order != tuple(sorted(order)) else ""

    def _refuse_results(self) -> None:
        declared = {n for space in self.results or () for n in space.names}
        for leaf in self.leaves:
            for name in leaf.axes:
                if name in declared and name not in leaf.space.names:
                    raise self.error(
                        AxisClashError,
                        f"{leaf.path} has an extra axis {shown(name)}, which {self.name} also gives "
                        "to its result",
                        f"rename it first: {primed(leaf.path, name)}",
                    )

    def agree(self) -> None:
        """Raise AxisSizeError where one axis has two known sizes among the arguments."""
        seen: dict[str, tuple[str, str, int]] = {}
        for leaf in self.leaves:
            for name, size in leaf.tensor.sizes:
                if not isinstance(size, int) or "." in leaf.path:
                    continue
                owner, axis, other = seen.setdefault(
                    self.size_key(leaf, name), (leaf.path, name, size)
                )
                if other != size:
                    raise self._differ(leaf, name, size, owner, axis, other)

    def pairs(self) -> list[tuple[Any, Any]]:
        """List pairs of sizes of one name, which must be equal and which the code reads when it runs."""
        seen: dict[str, Any] = {}
        found = []
        for leaf in self.leaves:
            for name, size in leaf.tensor.sizes if "." not in leaf.path else ():
                own = getattr(size, "node", size)
                first = seen.setdefault(self.size_key(leaf, name), own)
                if first is not own and own is not None and first is not None:
                    found.append((first, own))
        return [pair for pair in found if not all([isinstance(size, int) for size in pair])]

    def inner_name(self, leaf: Leaf, name: str) -> str:
        """Give the name under which the body sees an axis of a leaf."""
        return name if name in leaf.space.names else self.extra[name]

    def size_key(self, leaf: Leaf, name: str) -> str:
        """Give the name of an axis's size, or else of the axis; axes with the same key have the same size."""
        return leaf.space.size_key(name) or self.inner_name(leaf, name)

    def _differ(
        self, leaf: Leaf, name: str, size: int, owner: str, axis: str, other: int
    ) -> NamedTensorError:
        """Make the error for one name that has two sizes among the arguments."""
        common = leaf.space.size_name(name)
        if axis != name:
            why = (
                f"{common} is one size, and axis {shown(axis)} is {other} in {owner}, axis "
                f"{shown(name)} {size} in {leaf.path}"
            )
            path, long = (leaf.path, name) if size > other else (owner, axis)
            hint = f"take as many of both: {path}[{typed_axis(long)}[:{min(size, other)}]]"
            return self.error(AxisSizeError, why, hint)
        why = f"axis {shown(name)} is {other} in {owner} and {size} in {leaf.path}"
        hint = f"select, or rename one of them: {primed(leaf.path, name, leaf.axes)}"
        first = next(x for x in self.leaves if x.path == owner)
        if name in leaf.space.names and name in first.space.names:  # then another name fits neither
            more, fewer = (leaf, first) if size > other else (first, leaf)
            low, high = sorted((size, other))
            held = type(more.tensor) is NamedTensor and (
                "." in more.path or type(more.tensor.data).__name__ == "Parameter"
            )
            hint = (
                f"make the module with {axis_code(name, low)}, or give {fewer.path} {axis_code(name, high)}"
                if held
                else f"select as many of both, {more.path}[{axis_code(name)}[:{low}]]"
            )
        return self.error(AxisSizeError, why, f"one name has one size in a formula: {hint}")

    def enter(self, leaf: Leaf) -> Any:
        """Give a leaf's tensor with its extra axes renamed to fresh names."""
        pairs = tuple([(a, self.extra[a]) for a in leaf.axes if a not in leaf.space.names])
        return apply(table()["rename"](pairs), leaf.tensor) if pairs else leaf.tensor

    def fresh_type(self, leaf: Leaf, type_: Type) -> Type:
        """Give a leaf's type as the body sees it."""
        return type_.with_axes([(self.inner_name(leaf, a), size) for a, size in type_.axes])

    def leave(self, result: Any, space: Space | None, text: str = "") -> Any:
        """Check a result's axes and give it with the caller's names back; `text` is how it is written."""
        fresh = set(self.extra.values())
        inner = [a for a in result.axes if a not in fresh]
        if space is not None:
            self._check_result(result, inner, space, text)
        names = [shown_once(a) if a in fresh else a for a in result.axes]
        for name in names:
            if names.count(name) > 1:
                raise self.error(
                    AxisClashError,
                    f"the result would have two axes {shown(name)}: the formula's own and the caller's",
                    f"declare what {self.name} gives, or rename the argument's axis first",
                )
        pairs = tuple([(a, shown_once(a)) for a in result.axes if a in fresh])
        return apply(table()["rename"](pairs), result) if pairs else result

    def _check_result(self, result: Any, inner: list[str], space: Space, text: str) -> None:
        missing = [a for a in space.names if a not in inner]
        more = [a for a in inner if a not in space.names]
        if missing or more:
            parts = []
            if missing:
                parts.append(f"lacks {', '.join(map(shown, missing))}")
            if more:
                parts.append(f"has {', '.join(map(shown, more))} too")
            got = ", ".join(map(shown, inner)) or "no axes"
            raise self.error(
                AxisMissingError if missing else AxisClashError,
                f"the body's result, over {got}, {' and '.join(parts)}; declared is {space}",
                (not missing and _where_it_is(result, space, inner, more, text))
                or _result_hint(self, space, inner, missing, more, text),
            )
        if result.kind not in space.kinds:
            raise self.error(
                KindError,
                f"the body's result holds {result.kind} numbers, and declared is {space}",
                f"declare what it holds, or nt.cast the result of {self.name}",
            )


def _extra(leaf: Leaf) -> list[str]:
    """List the axes of an argument that its declaration leaves out: the formula lifts over them."""
    return [a for a in leaf.axes if a not in leaf.space.names]


def fitting_order(count: int, fits: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Find the only order in which the arguments fit; () if there are several, or too many arguments."""
    if not 2 <= count <= MOST_REORDERED:
        return ()
    orders = itertools.permutations(range(count))
    found = [o for o in orders if all(fits(i, place) for place, i in enumerate(o))]
    return found[0] if len(found) == 1 else ()


def _fits(leaf: Leaf, space: Space) -> bool:
    """Say whether a tensor has the axes that a space declares, and numbers of its kind."""
    return set(space.names) <= set(leaf.axes) and leaf.tensor.kind in space.kinds


_SIGNS: dict[type, str] = {ast.Add: "+", ast.Sub: "-"}


def _terms(node: Any, text: str) -> list[tuple[str, Any]]:
    """List the terms of a sum as they are written, each with its node."""
    try:
        written = ast.parse(loose(text), mode="eval").body
    except SyntaxError:
        return []
    found = []
    left = [(written, node)]
    while left:
        part, own = left.pop()
        sign = _SIGNS.get(type(part.op)) if isinstance(part, ast.BinOp) else None
        if isinstance(part, ast.BinOp) and sign and own.operation.primitive.traits.symbol == sign:
            left += [(part.right, own.operands[1]), (part.left, own.operands[0])]
        else:
            found.append((ast.unparse(part), own))
    return found


def _where_it_is(result: Any, space: Space, inner: list[str], more: list[str], text: str) -> str:
    """Say in a hint which terms of a sum have axes that it shall not have; "" where all have them."""
    terms = _terms(result.node, text) if hasattr(result, "node") and text else []
    bearing = [(word, node) for word, node in terms if any([node.type.has(a) for a in more])]
    if not 0 < len(bearing) < len(terms):
        return ""
    own = [a for a in more if all([node.type.has(a) for _, node in bearing])]
    twins = [a for a in space.names if a.rstrip("'") == more[0].rstrip("'")]
    free = [a for a in twins if not any([node.type.has(a) for _, node in bearing])]
    if own != more:
        return ""
    if len(more) == 1 and free:
        say, codes = "rename", [renamed_code(tight(word), more[0], free[0]) for word, _ in bearing]
    else:
        axes = typed_axes(more).strip("()")
        say, codes = "sum", [f"nt.sum[{axes}]({loose(word)})" for word, _ in bearing]
    given = f"{space.letter}[{', '.join(map(shown, inner))}]"
    return f"{say} it where it is, {' and '.join(map('`{}`'.format, codes))}, or declare it: -> {given}"


def _result_hint(
    entry: Entry, space: Space, inner: list[str], missing: list[str], more: list[str], text: str
) -> str:
    """Say in a hint how the result gets its declared axes: rename, reduce, or rename an argument before."""
    given = f"{space.letter}[{', '.join(map(shown, inner))}]" if inner else space.letter
    if len(missing) == 1 and len(more) == 1:
        code = renamed_code(text or "(...)", more[0], missing[0])
        return f"rename it in the body: `{code}`" if text else f"rename it in the body: {code}"
    if more and not missing:
        axes = typed_axes(more).strip("()")
        codes = (
            [f"nt.sum[{axes}]({loose(text)})", f"nt.mean[{axes}]({loose(text)})"] if text else []
        )
        return (
            f"sum over it, {either(codes)}, or declare it: -> {given}"
            if codes
            else (f"sum over it or declare it: -> {given}")
        )
    twins = [m for m in missing if m.endswith("'") and m[:-1]]
    held = {a for leaf in entry.leaves for a in leaf.axes}
    if len(twins) == len(missing) == 1 and twins[0] not in held:
        (twin,) = twins
        codes = [
            renamed_code(leaf.path, twin[:-1], twin)
            for leaf in entry.leaves
            if twin[:-1] in leaf.axes and leaf.path.isidentifier()
        ]
        if codes:
            return f"no argument has {twin}; rename where a second {twin[:-1]} is meant: {either(codes)}"
    return f"declare what {entry.name} gives: -> {given}"


def shown_once(name: str) -> str:
    """Undo one renaming to a fresh name."""
    return name.removesuffix(FRESH)


def _text(tensor: Any) -> str:
    return spaced([(n, s if isinstance(s, int) else None) for n, s in tensor.sizes])
