"""Write the operations whose code is not nt.name[axes](operands)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from typing import Any

from namedtensor.latex.python.code import call, index
from namedtensor.latex.python.spelling import OPERATOR, OTHERWISE, SIZED, Spelling, form, plain_call
from namedtensor.operations.indexing import SLICE
from namedtensor.operations.matrices import EIG, EIGH, QR, SVD, eig, eigh, qr, svd
from namedtensor.operations.vectors import standardize
from namedtensor.operations.windows import pad
from namedtensor.plans.code import (
    Apply,
    Attribute,
    Code,
    Infix,
    Items,
    Lambda,
    Prefix,
    Word,
    printed,
)
from namedtensor.primitives import Node, number
from namedtensor.tensor import SymbolicTensor

# --------------------------------------------------------------------------------------- leaves


@form("argument")
def _argument(spelling: Spelling, node: Node) -> Code:
    return Word(node.operation.params[0])


@form("size")
def _size(spelling: Spelling, node: Node) -> Code:
    path, _, axis = node.operation.params
    if spelling.has_size(axis, node):
        return call(spelling.names.builtin("abs"), Word(spelling.axis(axis)))
    return call(f"{path}.size", Word(spelling.axis(axis)))


@form("open_size")
def _open_size(spelling: Spelling, node: Node) -> Code:
    return call(spelling.names.builtin("abs"), Word(spelling.axis(node.operation.params[0])))


@form("number")
def _number(spelling: Spelling, node: Node) -> Code:
    value = node.value
    if isinstance(value, complex):
        return call(
            spelling.names.builtin("complex"), Word(repr(value.real)), Word(repr(value.imag))
        )
    if isinstance(value, float) and math.isnan(value):
        return call(spelling.names.builtin("float"), Word('"nan"'))
    if isinstance(value, float) and math.isinf(value):
        infinity = Word(spelling.nt("inf"))
        return infinity if value > 0 else Prefix("-", infinity)
    if isinstance(value, float) and value == math.pi:
        return Word(spelling.nt("pi"))
    text = repr(value)
    return Word(text)


# ------------------------------------------------------------------------------------ operators


@form(OPERATOR)
def _operator(spelling: Spelling, node: Node) -> Code:
    symbol = node.operation.primitive.traits.symbol
    operands = spelling.operands(node)
    if len(operands) == 1:
        return Prefix(symbol, operands[0])
    return Infix(symbol, operands)


@form("abs")
def _abs(spelling: Spelling, node: Node) -> Code:
    return call(spelling.names.builtin("abs"), *spelling.operands(node))


@form("dot")
def _dot(spelling: Spelling, node: Node) -> Code:
    (axes,) = node.operation.params
    if len(node.operands) != 2 or not axes:
        return call(f"{spelling.nt('dot')}[{spelling.axes(axes)}]", *spelling.operands(node))
    left, right = spelling.operands(node)
    under = spelling.axes(axes)
    return Infix("@", (left, Word(f"({under})" if len(axes) > 1 else under), right))


@form("where")
def _where(spelling: Spelling, node: Node) -> Code:
    """Write one choice as nt.where, a chain of them as nt.cases."""
    rows, rest = [], node
    while rest.name == "where" and (rest is node or rest not in spelling.bound):
        rows.append(rest.operands[:2])
        rest = rest.operands[2]
    if len(rows) == 1:
        return call(spelling.nt("where"), *spelling.operands(node))
    pairs = [Items((spelling.code(value), spelling.code(condition))) for condition, value in rows]
    return call(spelling.nt("cases"), *pairs, spelling.code(rest))


# ------------------------------------------------------------------------------------- creation


@form("iota")
def _iota(spelling: Spelling, node: Node) -> Code:
    size = node.operands[0] if node.operands and node not in spelling.open else None
    return call(spelling.nt("iota"), spelling.sized(node.operation.params[0], size))


@form("full")
def _full(spelling: Spelling, node: Node) -> Code:
    (names, dtype), (value, *sizes) = node.operation.params, node.operands
    if spelling.indices:
        return spelling.code(value)
    made = [spelling.sized(n, size) for n, size in zip(names, sizes, strict=True)]
    word = {"0.0": "zeros", "1.0": "ones"}.get(repr(value.value), "full")
    number = [] if word != "full" else [spelling.code(value)]
    kept: dict[str, Code] = {"dtype": Word(f'"{dtype}"')} if dtype else {}
    return call(spelling.nt(word), *made, *number, **kept)


@form("expand")
def _expand(spelling: Spelling, node: Node) -> Code:
    if spelling.indices:
        return spelling.code(node.operands[0])
    size = node.operands[1] if len(node.operands) > 1 else None
    axis = printed(spelling.sized(node.operation.params[0], size))
    rule = Lambda(("_",), spelling.code(node.operands[0]))
    return call(f"{spelling.nt('define')}[{axis}]", rule)


@form("listed")
def _listed(spelling: Spelling, node: Node) -> Code:
    axis, numbers = node.operation.params
    whole = Word(f"{spelling.axis(axis)}[{max(numbers, default=0) + 1}]")
    return index(call(spelling.nt("iota"), whole), _chosen(spelling, node))


def _chosen(spelling: Spelling, node: Node) -> Code:
    axis, numbers = node.operation.params
    return Word(f"{spelling.axis(axis)}[[{', '.join(map(str, numbers))}]]")


@form("one_hot")
def _one_hot(spelling: Spelling, node: Node) -> Code:
    (axis,) = node.operation.params
    indices, size = node.operands
    known = spelling.has_size(axis, size)
    return call(
        spelling.nt("one_hot"),
        spelling.code(indices),
        spelling.sized(axis, None if known else size),
    )


@form("cast")
def _cast(spelling: Spelling, node: Node) -> Code:
    return call(
        spelling.nt("cast"), spelling.code(node.operands[0]), Word(f'"{node.operation.params[0]}"')
    )


@form("from_front")
def _from_front(spelling: Spelling, node: Node) -> Code:
    return call(spelling.nt("from_front"), spelling.code(node.operands[0]))


@form("cast_like")
def _cast_like(spelling: Spelling, node: Node) -> Code:
    X, like = [spelling.code(o) for o in node.operands]
    return call(spelling.nt("cast"), X, like=like)


# ------------------------------------------------------------------------- renaming and reshaping


@form("rename")
def _rename(spelling: Spelling, node: Node) -> Code:
    factor = _factor(spelling, node)
    if factor is not None:
        return factor
    (pairs,) = node.operation.params
    items = [Word(f"{spelling.axis(a)} >> {spelling.axis(b)}") for a, b in pairs]
    return index(spelling.code(node.operands[0]), *items)


@form("merge")
def _merge(spelling: Spelling, node: Node) -> Code:
    before, after = node.operation.params
    item = Word(f"({spelling.axes(before)}) >> {spelling.axis(after)}")
    return index(spelling.code(node.operands[0]), item)


@form("split")
def _split(spelling: Spelling, node: Node) -> Code:
    before, after, hole = node.operation.params
    sizes = iter(node.operands[1:])
    parts = [
        printed(spelling.sized(axis, None if place == hole else next(sizes)))
        for place, axis in enumerate(after)
    ]
    item = Word(f"{spelling.axis(before)} >> ({', '.join(parts)})")
    return index(spelling.code(node.operands[0]), item)


@form("rearrange")
def _rearrange(spelling: Spelling, node: Node) -> Code:
    _, left, right, pairs = node.operation.params

    def side(groups: Iterable[tuple[str, ...]]) -> str:
        return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in groups)

    plain = [Word(f"{name}={size}") for name, size in pairs if name.isidentifier()]
    primed = {name: size for name, size in pairs if not name.isidentifier()}
    more = [Word(f"**{primed!r}")] if primed else []
    pattern = Word(f'"{side(left)} -> {side(right)}"')
    method = Attribute(spelling.code(node.operands[0]), "rearrange")
    return Apply(method, (pattern, *plain, *more))


# ------------------------------------------------------------------------------------- indexing


def _factor(spelling: Spelling, node: Node) -> Code | None:
    """Write a factor of a decomposition, nt.eigh[row, col, value](A)[1]; None for any other part."""
    owner = node.operands[0]
    if owner.operation.primitive is SLICE:  # some factors are cut to size, and then renamed
        owner = owner.operands[0]
    made_by: Any = {EIG: eig, EIGH: eigh, SVD: svd, QR: qr}.get(owner.operation.primitive)
    if made_by is None:
        return None
    axes = owner.operation.params[0]
    factors = made_by[axes](SymbolicTensor(owner.operands[0]))
    place = next((k for k, factor in enumerate(factors) if factor.node is node), None)
    if place is None:
        return None
    head = f"{spelling.nt(owner.name)}[{spelling.axes(axes)}]"
    return index(call(head, spelling.code(owner.operands[0])), Word(str(place)))


@form("at")
def _at(spelling: Spelling, node: Node) -> Code:
    factor = _factor(spelling, node)
    if factor is not None:
        return factor
    (axis,) = node.operation.params
    tensor, place = node.operands
    return index(spelling.code(tensor), call(spelling.axis(axis), spelling.code(place)))


@form("slice")
def _slice(spelling: Spelling, node: Node) -> Code:
    factor = _factor(spelling, node)
    if factor is not None:
        return factor
    axis, flags = node.operation.params
    bounds = _bounds(spelling, flags, node.operands[1:])
    return index(spelling.code(node.operands[0]), Word(f"{spelling.axis(axis)}[{bounds}]"))


@form("slice_size")
def _slice_size(spelling: Spelling, node: Node) -> Code:
    """Write the size of a range of an axis, for which there is no other expression."""
    axis = spelling.axis(next(iter(spelling.sizes), "seq"))
    bounds = _bounds(spelling, node.operation.params[0], node.operands[1:])
    whole = f"{spelling.nt('iota')}({axis}[{spelling.text(node.operands[0])}])"
    return call(f"{whole}[{axis}[{bounds}]].size", Word(axis))


def _bounds(spelling: Spelling, flags: Iterable[bool], given: Iterable[Node]) -> str:
    bounds = iter(given)
    parts = [spelling.text(next(bounds)) if there else "" for there in flags]
    return ":".join(parts if parts[2] else parts[:2])


@form("index")
def _index(spelling: Spelling, node: Node) -> Code:
    (axes,) = node.operation.params
    tensor, *indices = node.operands
    if any(i.type.host for i in indices):
        return call(f"{spelling.nt('index')}[{spelling.axes(axes)}]", *spelling.operands(node))
    items = [_by(spelling, a, i) for a, i in zip(axes, indices, strict=True)]
    return index(spelling.code(tensor), *items)


def _by(spelling: Spelling, axis: str, indices: Node) -> Code:
    if indices.name == "listed" and indices.operation.params[0] == axis:
        return _chosen(spelling, indices)
    return call(spelling.axis(axis), spelling.code(indices))


@form("detach")
def _detach(spelling: Spelling, node: Node) -> Code:
    return Apply(Attribute(spelling.code(node.operands[0]), "detach"), ())


@form("update")
def _update(spelling: Spelling, node: Node) -> Code:
    (places,) = node.operation.params
    tensor, value, *given = node.operands
    indices = iter(given)
    items: list[Code] = []
    for axis, kind, *bounds in places:
        if kind == "slice":
            parts = ["" if b is None else str(b) for b in bounds]
            text = ":".join(parts if parts[2] else parts[:2])
            items.append(Word(f"{spelling.axis(axis)}[{text}]"))
        else:
            items.append(_by(spelling, axis, next(indices)))
    place = index(Attribute(spelling.code(tensor), "at"), *items)
    method = Attribute(place, node.name.removesuffix("_at"))
    return Apply(method, (spelling.code(value),))


# ----------------------------------------------------------- functions with more than their axes


@form(SIZED)
def _with_sized_axis(spelling: Spelling, node: Node) -> Code:
    """Write nt.unroll[seq, kernel[3]](X)."""
    axis, new = node.operation.params
    tensor, size, *rest = node.operands
    notation: Any = node.operation.primitive.notation
    under = f"{spelling.axis(axis)}, {printed(spelling.sized(new, size))}"
    settings = zip(notation.settings, rest, strict=False)
    more = [Word(f"{word}={spelling.text(part)}") for word, part in settings]
    return call(f"{spelling.nt(node.name)}[{under}]", spelling.code(tensor), *more)


@form("overlap_add")
def _overlap_add(spelling: Spelling, node: Node) -> Code:
    """Write nt.overlap_add[seq, kernel](X, stride=2, dilation=1, padding=(1, 1), size=8)."""
    if len(node.operands) == 1:
        return plain_call(spelling, node)
    tensor, *steps = node.operands
    stride, dilation, before, after, size = map(spelling.text, steps)
    padding = f"({before}, {after})"
    words = {"stride": stride, "dilation": dilation, "padding": padding, "size": size}
    more = [Word(f"{word}={part}") for word, part in words.items()]
    head = f"{spelling.nt(node.name)}[{spelling.axes(node.operation.params)}]"
    return call(head, spelling.code(tensor), *more)


@form("scatter")
def _scatter(spelling: Spelling, node: Node) -> Code:
    """Write nt.scatter[seq, vocab[10]](X, I)."""
    names, made = node.operation.params
    tensor, *rest = node.operands
    used = [spelling.axis(axis) for axis in names[: len(names) - made]]
    sizes = rest[len(rest) - made :]
    new = [
        printed(spelling.sized(axis, size))
        for axis, size in zip(names[len(names) - made :], sizes, strict=True)
    ]
    head = f"{spelling.nt('scatter')}[{', '.join([*used, *new])}]"
    return call(head, *map(spelling.code, (tensor, *rest[: len(rest) - made])))


@form(OTHERWISE)
def _with_flag(spelling: Spelling, node: Node) -> Code:
    axes, flag = node.operation.params
    notation: Any = node.operation.primitive.notation
    more = [Word(f"{notation.flag}=True")] if flag else []
    head = f"{spelling.nt(node.name)}[{spelling.axes(axes)}]"
    return call(head, *spelling.operands(node), *more)


@form("standardize")
def _standardize(spelling: Spelling, node: Node) -> Code:
    return _without_default(spelling, node, node.operation.params[0], standardize, "eps")


@form("pad")
def _pad(spelling: Spelling, node: Node) -> Code:
    return _without_default(spelling, node, node.operation.params, pad, "value")


def _without_default(
    spelling: Spelling, node: Node, under: Any, function: Any, parameter: str
) -> Code:
    """Leave out the last operand if it is the default of the function."""
    usual = inspect.signature(function).parameters[parameter].default
    operands = spelling.operands(node)
    if node.operands[-1] is number(usual):
        operands = operands[:-1]
    return call(f"{spelling.nt(node.name)}[{spelling.axes(under)}]", *operands)
