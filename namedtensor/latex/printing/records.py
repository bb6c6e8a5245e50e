"""Indices, ranges, updates, renamings and reshapings as LaTeX."""

from __future__ import annotations

from typing import Any

from namedtensor.latex.printing.forms import Forms, axes_of, special
from namedtensor.latex.printing.pieces import Piece, inside, wrapped
from namedtensor.primitives import Node
from namedtensor.primitives.notation import PREFIX, SCRIPT, SUM


@special("at")
@special("index")
def _indexed(forms: Forms, node: Node) -> Piece:
    items: list[str] = []
    if node.name == "index":
        given = zip(axes_of(node), node.operands[1:], strict=True)
        items = [forms.dialect.at(a, _place(forms, i)) for a, i in given]
        node = node.operands[0]
    first = True
    while node.name == "at" and (first or node not in forms.names.of):
        axis = node.operation.params[0]
        items.insert(0, forms.dialect.at(axis, forms.from_one(node.operands[1])))
        node, first = node.operands[0], False
    return forms.bracketed(node, ", ".join(items), letter=True)


def _place(forms: Forms, index: Node) -> str:
    """Write an index: data counts from 0 as it stands, and what a formula defines from 1."""
    return forms.from_one(index) if index.type.weak else forms.write(index).text


#: Words for ranges, by which of start, stop and step are given.
RANGES = {
    (False, False, False): "whole",
    (True, False, False): "from",
    (False, True, False): "until",
    (True, True, False): "range",
    (False, False, True): "every",
    (True, False, True): "from-every",
    (False, True, True): "until-every",
    (True, True, True): "range",
}


@special("slice")
def _slice(forms: Forms, node: Node) -> Piece:
    axis, flags = node.operation.params
    bounds = _bounds(forms, flags, node.operands[1:])
    text = ", ".join([inside(forms.write(node.operands[0]), SUM), *bounds])
    head = forms.dialect.function(RANGES[flags], (axis,))
    return Piece(f"{head}{wrapped(text)}", PREFIX, PREFIX, prefix=True)


def _bounds(forms: Forms, flags: tuple[bool, ...], bounds: tuple[Node, ...]) -> list[str]:
    """Write start, stop and step: the start counts from 1, and the stop is the last that is in."""
    given = iter(bounds)
    texts = []
    for place, there in enumerate(flags):
        if there:
            bound = next(given)
            texts.append(forms.from_one(bound) if place == 0 else forms.write(bound).text)
    return texts


@special("slice size")
def _slice_size(forms: Forms, node: Node) -> Piece:
    (flags,) = node.operation.params
    bounds = _bounds(forms, flags, node.operands[1:])
    text = ", ".join([forms.write(node.operands[0]).text, *bounds])
    return Piece(rf"\text{{size-{RANGES[flags]}}}({text})", PREFIX, PREFIX, prefix=True)


@special("update")
def _update(forms: Forms, node: Node) -> Piece:
    (places,) = node.operation.params
    base, value, *indices = node.operands
    place, given = forms.write(base), iter(indices)
    items = []
    for axis, how, *bounds in places:
        if how == "slice":
            place = _range_of(forms, place, axis, bounds)
        else:
            index = next(given)
            text = forms.from_one(index) if how == "number" else forms.write(index).text
            items.append(forms.dialect.at(axis, text))
    if items:
        text = place.text if place.plain else wrapped(place.text, "[", "]")
        place = Piece(f"{text}_{{{', '.join(items)}}}", SCRIPT)
    listed = f"{place.text}, {inside(forms.write(value), SUM)}"
    word = node.name.removesuffix("_at")
    return Piece(rf"\text{{{word}}}{wrapped(listed)}", PREFIX, PREFIX, prefix=True)


def _range_of(forms: Forms, place: Piece, axis: str, bounds: list[Any]) -> Piece:
    start, stop, step = [b is not None for b in bounds]
    texts = [str(b + 1 if i == 0 and b >= 0 else b) for i, b in enumerate(bounds) if b is not None]
    head = forms.dialect.function(RANGES[start, stop, step], (axis,))
    return Piece(f"{head}{wrapped(', '.join([place.text, *texts]))}", PREFIX, PREFIX, prefix=True)


@special("rename")
def _rename(forms: Forms, node: Node) -> Piece:
    arrows = [
        rf"{forms.dialect.axis(old)} \rightarrow {forms.dialect.axis(new)}"
        for old, new in node.operation.params[0]
    ]
    return forms.bracketed(node.operands[0], ", ".join(arrows), letter=forms.dialect.macros)


@special("merge")
def _merge(forms: Forms, node: Node) -> Piece:
    before, after = node.operation.params
    parts = ", ".join(map(forms.dialect.axis, before))
    arrow = rf"({parts}) \rightarrow {forms.dialect.axis(after)}"
    return forms.bracketed(node.operands[0], arrow, letter=forms.dialect.macros)


@special("split")
def _split(forms: Forms, node: Node) -> Piece:
    before, after, hole = node.operation.params
    sizes = iter(node.operands[1:])
    parts = [
        forms.dialect.sized(a, None if i == hole else forms.write(next(sizes)).text)
        for i, a in enumerate(after)
    ]
    arrow = rf"{forms.dialect.axis(before)} \rightarrow ({', '.join(parts)})"
    return forms.bracketed(node.operands[0], arrow, letter=forms.dialect.macros)


@special("rearrange")
def _rearrange(forms: Forms, node: Node) -> Piece:
    """Write an einops pattern as what it does: axes are split, and then merged."""
    owners, left, right, pairs = node.operation.params
    sizes = dict(pairs)
    axis, arrow = forms.dialect.axis, r" \rightarrow "
    splits = [
        f"{axis(o)}{arrow}({', '.join([forms.dialect.sized(n, _text(sizes.get(n))) for n in g])})"
        for o, g in zip(owners, left, strict=True)
        if len(g) > 1
    ]
    merges = [f"({', '.join(map(axis, g))}){arrow}{axis('_'.join(g))}" for g in right if len(g) > 1]
    piece = forms.write(node.operands[0])
    for below in (splits, merges):
        if below:
            text = wrapped(piece.text, "[", "]")
            piece = Piece(f"{text}_{{{', '.join(below)}}}", SCRIPT)
    return piece


def _text(size: Any) -> str | None:
    return None if size is None else str(size)
