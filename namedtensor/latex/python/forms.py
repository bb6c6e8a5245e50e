"""How each operation is written that is not nt.name[axes](operands)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from namedtensor.latex.python import code
from namedtensor.latex.python.code import NOTHING, UNARY, Atom, Code, Group, call, flat, index
from namedtensor.latex.python.recurrences import scan
from namedtensor.latex.python.spelling import Spelling, form, plain_call
from namedtensor.primitives import Node

# --------------------------------------------------------------------------------------- leaves


@form("argument")
def _argument(spelling: Spelling, node: Node) -> Code:
    return Atom(node.operation.params[0])


@form("size")
def _size(spelling: Spelling, node: Node) -> Code:
    path, _, axis = node.operation.params
    if spelling.has_size(axis, node):
        return call(spelling.names.builtin("abs"), Atom(spelling.axis(axis)))
    return call(f"{path}.size", Atom(spelling.axis(axis)))


@form("number")
def _number(spelling: Spelling, node: Node) -> Code:
    value = node.value
    if isinstance(value, complex):
        return call(
            spelling.names.builtin("complex"), Atom(repr(value.real)), Atom(repr(value.imag))
        )
    if isinstance(value, float) and math.isnan(value):
        return call(spelling.names.builtin("float"), Atom('"nan"'))
    if isinstance(value, float) and math.isinf(value):
        infinity = Atom(spelling.nt("inf"))
        return infinity if value > 0 else code.before("-", infinity)
    if isinstance(value, float) and value == math.pi:
        return Atom(spelling.nt("pi"))
    text = repr(value)
    return Atom(text, UNARY) if text.startswith("-") else Atom(text)


# ------------------------------------------------------------------------------------ operators

OPERATORS = {
    "add": ("+", code.SUM),
    "sub": ("-", code.SUM),
    "mul": ("*", code.PRODUCT),
    "div": ("/", code.PRODUCT),
    "floordiv": ("//", code.PRODUCT),
    "mod": ("%", code.PRODUCT),
    "pow": ("**", code.POWER),
    "eq": ("==", code.COMPARISON),
    "ne": ("!=", code.COMPARISON),
    "lt": ("<", code.COMPARISON),
    "le": ("<=", code.COMPARISON),
    "gt": (">", code.COMPARISON),
    "ge": (">=", code.COMPARISON),
    "logical_and": ("&", code.AND),
    "logical_or": ("|", code.OR),
    "logical_xor": ("^", code.XOR),
}


@form(*OPERATORS)
def _operator(spelling: Spelling, node: Node) -> Code:
    symbol, level = OPERATORS[node.name]
    left, right = spelling.operands(node)
    return code.infix(left, symbol, right, level)


@form("neg", "logical_not")
def _sign(spelling: Spelling, node: Node) -> Code:
    return code.before("-" if node.name == "neg" else "~", spelling.code(node.operands[0]))


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
    return code.contraction(left, f"({under})" if len(axes) > 1 else under, right)


@form("where")
def _where(spelling: Spelling, node: Node) -> Code:
    """Write one choice as nt.where, a chain of them as nt.cases."""
    rows, rest = [], node
    while rest.name == "where" and (rest is node or rest not in spelling.bound):
        rows.append(rest.operands[:2])
        rest = rest.operands[2]
    if len(rows) == 1:
        return call(spelling.nt("where"), *spelling.operands(node))
    pairs = [
        Group(NOTHING, "()", (spelling.code(value), spelling.code(condition)))
        for condition, value in rows
    ]
    return call(spelling.nt("cases"), *pairs, spelling.code(rest))


# ------------------------------------------------------------------------------------- creation


@form("iota")
def _iota(spelling: Spelling, node: Node) -> Code:
    size = node.operands[0] if node.operands and node not in spelling.open else None
    return call(spelling.nt("iota"), spelling.sized(node.operation.params[0], size))


@form("listed")
def _listed(spelling: Spelling, node: Node) -> Code:
    axis, numbers = node.operation.params
    whole = Atom(f"{spelling.axis(axis)}[{max(numbers, default=0) + 1}]")
    return index(call(spelling.nt("iota"), whole), _chosen(spelling, node))


def _chosen(spelling: Spelling, node: Node) -> Code:
    axis, numbers = node.operation.params
    return Atom(f"{spelling.axis(axis)}[[{', '.join(map(str, numbers))}]]")


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
        spelling.nt("cast"), spelling.code(node.operands[0]), Atom(f'"{node.operation.params[0]}"')
    )


# ------------------------------------------------------------------------- renaming and reshaping


@form("rename")
def _rename(spelling: Spelling, node: Node) -> Code:
    (pairs,) = node.operation.params
    items = [Atom(f"{spelling.axis(a)} >> {spelling.axis(b)}") for a, b in pairs]
    return index(spelling.code(node.operands[0]), *items)


@form("merge")
def _merge(spelling: Spelling, node: Node) -> Code:
    before, after = node.operation.params
    item = Atom(f"({spelling.axes(before)}) >> {spelling.axis(after)}")
    return index(spelling.code(node.operands[0]), item)


@form("split")
def _split(spelling: Spelling, node: Node) -> Code:
    before, after, hole = node.operation.params
    sizes = iter(node.operands[1:])
    parts = [
        flat(spelling.sized(axis, None if place == hole else next(sizes)))
        for place, axis in enumerate(after)
    ]
    item = Atom(f"{spelling.axis(before)} >> ({', '.join(parts)})")
    return index(spelling.code(node.operands[0]), item)


@form("rearrange")
def _rearrange(spelling: Spelling, node: Node) -> Code:
    _, left, right, pairs = node.operation.params

    def side(groups: Iterable[tuple[str, ...]]) -> str:
        return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in groups)

    plain = [Atom(f"{name}={size}") for name, size in pairs if name.isidentifier()]
    primed = {name: size for name, size in pairs if not name.isidentifier()}
    more = [Atom(f"**{primed!r}")] if primed else []
    pattern = Atom(f'"{side(left)} -> {side(right)}"')
    return code.method(spelling.code(node.operands[0]), "rearrange", pattern, *plain, *more)


# ------------------------------------------------------------------------------------- indexing


@form("at")
def _at(spelling: Spelling, node: Node) -> Code:
    (axis,) = node.operation.params
    tensor, place = node.operands
    return index(spelling.code(tensor), call(spelling.axis(axis), spelling.code(place)))


@form("slice")
def _slice(spelling: Spelling, node: Node) -> Code:
    axis, flags = node.operation.params
    bounds = _bounds(spelling, flags, node.operands[1:])
    return index(spelling.code(node.operands[0]), Atom(f"{spelling.axis(axis)}[{bounds}]"))


@form("slice_size")
def _slice_size(spelling: Spelling, node: Node) -> Code:
    """Write the size of a range, which is known by no other name."""
    axis = spelling.axis(next(iter(spelling.sizes), "seq"))
    bounds = _bounds(spelling, node.operation.params[0], node.operands[1:])
    whole = f"{spelling.nt('iota')}({axis}[{spelling.text(node.operands[0])}])"
    return call(f"{whole}[{axis}[{bounds}]].size", Atom(axis))


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


@form("set_at", "add_at")
def _update(spelling: Spelling, node: Node) -> Code:
    (places,) = node.operation.params
    tensor, value, *given = node.operands
    indices = iter(given)
    items: list[Code] = []
    for axis, kind, *bounds in places:
        if kind == "slice":
            parts = ["" if b is None else str(b) for b in bounds]
            text = ":".join(parts if parts[2] else parts[:2])
            items.append(Atom(f"{spelling.axis(axis)}[{text}]"))
        else:
            items.append(_by(spelling, axis, next(indices)))
    owner = code.wrapped(spelling.code(tensor), code.POSTFIX)
    place = index(code.After(owner, ".at"), *items)
    return code.method(place, node.name.removesuffix("_at"), spelling.code(value))


# ----------------------------------------------------------- functions with more than their axes


@form("unroll", "pool", "maxk", "mink", "argmaxk", "argmink", "argmaxk_index", "argmink_index")
def _with_sized_axis(spelling: Spelling, node: Node) -> Code:
    """Write nt.unroll[seq, kernel[3]](X)."""
    axis, new = node.operation.params
    tensor, size = node.operands
    under = f"{spelling.axis(axis)}, {flat(spelling.sized(new, size))}"
    return call(f"{spelling.nt(node.name)}[{under}]", spelling.code(tensor))


@form("stack")
def _stack(spelling: Spelling, node: Node) -> Code:
    """Write nt.stack[ax](A, B); the steps along an axis of a recurrence as nt.scan[ax](...)."""
    steps = scan(spelling, node) if node in spelling.scans else None
    return plain_call(spelling, node) if steps is None else steps


@form("sort", "argsort")
def _sort(spelling: Spelling, node: Node) -> Code:
    axes, descending = node.operation.params
    more = [Atom("descending=True")] if descending else []
    head = f"{spelling.nt(node.name)}[{spelling.axes(axes)}]"
    return call(head, spelling.code(node.operands[0]), *more)


#: Last operands that are left out where they are these.
DEFAULTS = {"standardize": "1e-05", "pad": "0"}


@form(*DEFAULTS)
def _with_default(spelling: Spelling, node: Node) -> Code:
    params = node.operation.params
    under = params[0] if isinstance(params[0], tuple) else params
    last = node.operands[-1]
    usual = last.name == "number" and last.operation.params[1] == DEFAULTS[node.name]
    operands = spelling.operands(node)
    return call(
        f"{spelling.nt(node.name)}[{spelling.axes(under)}]", *operands[: -1 if usual else None]
    )
