"""Write expression trees as Python in our notation: code that makes the same tree again."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.signature import Signature
from namedtensor.formula.written import CALL, whole_bundle
from namedtensor.latex.python.code import call, index
from namedtensor.latex.python.labels import Names
from namedtensor.operations.indexing import SLICE
from namedtensor.operations.matrices import EIG, EIGH, QR, SVD, eig, eigh, qr, svd
from namedtensor.operations.recurrence import Unfolded, unfolded
from namedtensor.operations.renaming import pattern_of
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
from namedtensor.primitives import Node, Type, notation, number, size_of, table
from namedtensor.primitives.node import ARGUMENT, apply_node, make_node, operands_first
from namedtensor.tensor import SymbolicTensor
from namedtensor.tensor.resize import made_by

Form = Callable[["Spelling", Node], Code]

#: Kinds of operations: operators of Python; functions whose last axis is written with its size;
#: functions with a flag, for which the notation has a second word, such as upsample-linear.
OPERATOR, SIZED, OTHERWISE = "<operator>", "<sized>", "<otherwise>"

#: The writers of operations whose code is not nt.name[axes](operands), by the name of the operation, the
#: form of its notation, or its kind. `form` fills it.
FORMS: dict[str, Form] = {}


def form_of(node: Node) -> Form:
    """Find the function that writes a node's operation."""
    entry = node.operation.primitive
    keys = [entry.name]
    if isinstance(entry.notation, notation.Special):
        keys.append(entry.notation.form)
    if isinstance(entry.notation, notation.Word):
        keys += [SIZED] if entry.notation.sized else []
        keys += [OTHERWISE] if entry.notation.otherwise else []
    if entry.traits.symbol:
        keys.append(OPERATOR)
    return next((FORMS[key] for key in keys if key in FORMS), plain_call)


def form(*names: str) -> Callable[[Form], Form]:
    """Register a function as the writer of these operations, forms or kinds."""

    def remember(function: Form) -> Form:
        FORMS.update(dict.fromkeys(names, function))
        return function

    return remember


@dataclass
class Spelling:
    """Write the code of one formula's parts.

    settings   the settings that each formula of the module keeps as parameters
    bound      the parts that have a name in the lines before
    indices    the names of indices inside a `define`, and of what a step takes
    indexed    the parts that depend on their indices alone
    open       those of them that take their sizes from other operands
    """

    names: Names
    signature: Signature
    called: dict[str, Formula] = field(default_factory=dict)
    settings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bound: dict[Node, str] = field(default_factory=dict)
    indices: dict[Node, str] = field(default_factory=dict)
    indexed: set[Node] = field(default_factory=set)
    open: set[Node] = field(default_factory=set)
    made: dict[Node, Code] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sizes = declared_sizes(self.signature)

    # --------------------------------------------------------------------------------- a part

    def code(self, node: Node) -> Code:
        """Write a part."""
        name = self.bound.get(node) or self.indices.get(node)
        if name is not None:
            return Word(name)
        if node in self.made and not self.indices:
            return self.made[node]
        if not self.indices and node in self.indexed:
            written = self.defined(node)
        else:
            written = _factor(self, node) or form_of(node)(self, node)
        if not self.indices:
            self.made[node] = written
        return written

    def text(self, node: Node) -> str:
        return printed(self.code(node))

    def operands(self, node: Node) -> tuple[Code, ...]:
        return tuple([self.code(o) for o in node.operands])

    def nt(self, name: str) -> str:
        """Name a function of this package: nt.softmax."""
        return self.names.ours(name)

    def over(self, name: str, under: str, *items: Code, **named: Code) -> Code:
        """Write a function of this package with axes below it: nt.softmax[seq](X)."""
        return call(f"{self.nt(name)}[{under}]", *items, **named)

    # ----------------------------------------------------------------------------------- axes

    def axis(self, name: str) -> str:
        return self.names.axis(name)

    def axes(self, names: Any) -> str:
        """Write axes under a function: seq, or seq, emb."""
        return ", ".join(map(self.axis, names)) or "()"

    def sized(self, name: str, size: Node | None) -> Code:
        """Write an axis with its size: kernel[3]."""
        axis = Word(self.axis(name))
        return axis if size is None else index(axis, self.code(size))

    def has_size(self, axis: str, size: Node) -> bool:
        """Say whether a size is the one that abs(axis) gives here."""
        known = self.sizes.get(axis)
        return known is size or (isinstance(known, int) and size.value == known)

    def bundle(self, path: str) -> Formula | None:
        """Give the formula of the bundle at a path of the signature, or None if there is no bundle."""
        signature: Signature | None = self.signature
        found: Formula | None = None
        for word in path.split("."):
            known = {p.name: p for p in signature.parameters} if signature else {}
            found = known[word].bundle if word in known else None
            signature = found.signature if found is not None else None
        return found

    # ------------------------------------------------------------------- defined by its indices

    def defined(self, node: Node) -> Code:
        """Write a tensor that depends on its indices alone: nt.define[seq](lambda i: ...)."""
        identity = self._identity(node)
        if identity is not None:
            return identity
        body, every = node, []
        while made := made_axes(body):
            every += made[::-1]
            body = body.operands[0]
        counted = [n for n in iotas(body) if n.operation.params[0] in body.type.names]
        counted = one_for_each_axis([*counted, *reversed(every)])
        plain = node.name == "full" and len(node.operands) > 1 and node not in self.open
        if not counted or plain or node.name == "iota":
            return form_of(node)(self, node)
        busy = set(self.signature.python.parameters)
        for n in counted:
            self.indices[n] = self.names.index([*busy, *self.indices.values()])
        letters = tuple([self.indices[n] for n in counted])
        written = self.code(body)
        self.indices.clear()
        axes = ", ".join(
            printed(self._counted(n, n in self.open or node in self.open)) for n in counted
        )
        return self.over("define", axes, Lambda(letters, written))

    def _counted(self, iota: Node, open_: bool) -> Code:
        size = iota.operands[0] if iota.operands and not open_ else None
        return self.sized(iota.operation.params[0], size)

    def _identity(self, node: Node) -> Code | None:
        """Recognise nt.eye(row, col)."""
        if node.name != "where" or node.operands[0].name != "eq":
            return None
        row, col = node.operands[0].operands
        if row.name != "iota" or col.name != "iota" or row.type.names == col.type.names:
            return None
        if [o.operation.params for o in node.operands[1:]] != [(1, "1"), (0, "0")]:
            return None
        open_ = node in self.open
        return call(self.nt("eye"), self._counted(row, open_), self._counted(col, open_))


def declared_sizes(signature: Signature) -> dict[str, Any]:
    """Give the size that abs(axis) stands for: that of the first parameter with the axis."""
    found: dict[str, Any] = {}
    shared: dict[Any, Any] = {}

    def look(path: str, parameter: Any, own: dict[Any, Any]) -> None:
        if parameter.bundle is not None:
            inner: dict[Any, Any] = {}
            for part in parameter.bundle.signature.parameters:
                if part.after:
                    look(f"{path}.{part.name}", part, inner)
        elif parameter.space is not None:
            for place, axis in enumerate(parameter.space.axes):
                size = axis.size if isinstance(axis.size, int) else size_of(path, axis.name, place)
                key = (axis.name, parameter.space.size_name(axis.name))
                found.setdefault(axis.name, own.setdefault(key, size))

    for parameter in signature.parameters:
        look(parameter.name, parameter, shared)
    return found


def plain_call(spelling: Spelling, node: Node) -> Code:
    """Write nt.softmax[seq](X), or nt.exp(X)."""
    params = node.operation.params
    if not params:
        return call(spelling.nt(node.name), *spelling.operands(node))
    under = params[0] if isinstance(params[0], tuple) else params
    return spelling.over(node.name, spelling.axes(under), *spelling.operands(node))


# -------------------------------------------------------------- parts that depend on their indices


#: A `define` that would be deeper or longer than this is written as several.
DEEP, LONG = 20, 200


def indexed_parts(results: Iterable[Node]) -> set[Node]:
    """Find the parts that depend on their indices alone, and are short enough for one `define`."""
    measured: dict[Node, tuple[int, int]] = {}
    found: set[Node] = set()
    for node in operands_first(results):
        known = [measured[o] for o in node.operands]
        depth = 1 + max([d for d, _ in known], default=0)
        size = 1 + sum(s for _, s in known)
        short = depth <= DEEP and size <= LONG
        # a part that is too large for one define gets a name, and the next define uses the name
        measured[node] = (depth, size) if short else (0, 1)
        if short and _is_indexed(node, found):
            found.add(node)
    return found


def _is_indexed(node: Node, found: set[Node]) -> bool:
    if node.name == "iota" or (node.name == "full" and node.type.weak):
        return True
    if node.type.host or not node.type.weak or not _is_one_thing(node):
        return False
    own = [o for o in node.operands if not o.type.host]
    return any(o in found for o in own) and all(o in found or o.name == "listed" for o in own)


def _is_one_thing(node: Node) -> bool:
    """Say whether a part may be written more than once: not random numbers, and not a call."""
    entry = node.operation.primitive
    return not entry.effect and entry is not CALL


def is_constant(node: Node, open_: bool) -> bool:
    """Say whether an index-defined part is the same in every formula: it uses no size of an input."""
    sizes = [n.operands[0] for n in _leaves(node) if n.name == "iota" and n.operands and not open_]
    return all(n.closed for n in (*_leaves(node), *sizes) if n.type.host)


def iotas(node: Node) -> list[Node]:
    """List the counts (`iota`) inside a part, those of primed axes first."""
    found = dict.fromkeys([n for n in _leaves(node) if n.name == "iota"])
    return sorted(found, key=lambda n: -n.operation.params[0].count("'"))


def _leaves(node: Node) -> Iterator[Node]:
    """Give the leaves of a part; a count is a leaf, and the size under it is left out."""
    seen, pending = {node}, [node]
    while pending:
        part = pending.pop()
        if part.name == "iota" or not part.operands:
            yield part
            continue
        for operand in reversed(part.operands):
            if operand not in seen:
                seen.add(operand)
                pending.append(operand)


def made_axes(node: Node) -> list[Node]:
    """List the axes along which a tensor is filled or repeated, each as a count (`iota`) along it."""
    names = made_by(node)
    if not names:
        return []
    iota, sizes = table()["iota"], node.operands[1:]
    if not sizes:
        return [make_node(iota(n), (), Type(((n, None),), "int", weak=True)) for n in names]
    return [apply_node(iota(n), (size,)) for n, size in zip(names, sizes, strict=True)]


def one_for_each_axis(counted: list[Node]) -> list[Node]:
    found: dict[str, Node] = {}
    for n in counted:
        found.setdefault(n.operation.params[0], n)
    return list(found.values())


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
        return spelling.over("dot", spelling.axes(axes), *spelling.operands(node))
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
    return spelling.over("define", axis, rule)


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
    *_, pairs = node.operation.params
    plain = [Word(f"{name}={size}") for name, size in pairs if name.isidentifier()]
    primed = {name: size for name, size in pairs if not name.isidentifier()}
    more = [Word(f"**{primed!r}")] if primed else []
    pattern = Word(f'"{pattern_of(node.operation)}"')
    method = Attribute(spelling.code(node.operands[0]), "rearrange")
    return Apply(method, (pattern, *plain, *more))


# ------------------------------------------------------------------------------------- indexing


def _factor(spelling: Spelling, node: Node) -> Code | None:
    """Write a factor of a decomposition, nt.eigh[row, col, value](A)[1]; None for any other part."""
    owner = next(iter(node.operands), node)
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
    whole = spelling.over(owner.name, spelling.axes(axes), spelling.code(owner.operands[0]))
    return index(whole, Word(str(place)))


@form("at")
def _at(spelling: Spelling, node: Node) -> Code:
    (axis,) = node.operation.params
    tensor, place = node.operands
    return index(spelling.code(tensor), call(spelling.axis(axis), spelling.code(place)))


@form("slice")
def _slice(spelling: Spelling, node: Node) -> Code:
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
        return spelling.over("index", spelling.axes(axes), *spelling.operands(node))
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
    return spelling.over(node.name, under, spelling.code(tensor), *more)


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
    under = spelling.axes(node.operation.params)
    return spelling.over(node.name, under, spelling.code(tensor), *more)


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
    operands = map(spelling.code, (tensor, *rest[: len(rest) - made]))
    return spelling.over("scatter", ", ".join([*used, *new]), *operands)


@form(OTHERWISE)
def _with_flag(spelling: Spelling, node: Node) -> Code:
    axes, flag = node.operation.params
    notation: Any = node.operation.primitive.notation
    more = [Word(f"{notation.flag}=True")] if flag else []
    return spelling.over(node.name, spelling.axes(axes), *spelling.operands(node), *more)


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
    return spelling.over(node.name, spelling.axes(under), *operands)


# -------------------------------------------------------------------- calls of other formulas


@form("call")
def _call(spelling: Spelling, node: Node) -> Code:
    """Write att(Q, K, V, M), mha(X) where mha is a bundle, or f(X)[1] for a second result."""
    name, paths, settings, place = node.operation.params
    called = spelling.called[name]
    name = spelling.names.function(called)
    given = dict(zip(paths, node.operands, strict=True))
    after = {p: n for p, n in given.items() if called.signature[p.split(".")[0]].after}
    owner = _bundle(spelling, called, after)
    for setting, value in settings:
        if setting not in spelling.settings.get(name, ()):
            raise NamedTensorError(
                f"{name}(..., {setting}={value!r})",
                f"{setting} is a setting at which the body looks, and {name} is written for its default",
                hint=f"make {setting} an argument of {name}",
            )
    items: list[Code] = []
    named: dict[str, Code] = {}
    skipped = False
    for parameter in called.signature.parameters:
        own = {p: n for p, n in given.items() if p.split(".")[0] == parameter.name}
        if not own or (parameter.after and owner):
            skipped = True
            continue
        written = (
            spelling.code(own[parameter.name])
            if parameter.bundle is None
            else _part_of_bundle(spelling, parameter, own)
        )
        if parameter.after or skipped:
            named[parameter.name] = written
        else:
            items.append(written)
    named |= {setting: Word(repr(value)) for setting, value in settings}
    result = call(owner or name, *items, **named)
    return index(result, Word(str(place))) if called.signature.several else result


def _bundle(spelling: Spelling, called: Formula, parts: dict[str, Node]) -> str | None:
    """Give the name of the formula's bundle to which all these parameters belong; else None."""
    owner = whole_bundle(parts, {path.partition(".")[0] for path in parts})
    return owner if owner and spelling.bundle(owner) is called else None


def _part_of_bundle(spelling: Spelling, parameter: Any, own: dict[str, Node]) -> Code:
    inner = {path.partition(".")[2]: node for path, node in own.items()}
    owner = _bundle(spelling, parameter.bundle, inner)
    if owner is not None:
        return Word(owner)
    items: dict[str, Code] = {}
    for part in parameter.bundle.signature.parameters:
        below = {p: n for p, n in inner.items() if p.split(".")[0] == part.name}
        if part.bundle is not None and below:
            written = _part_of_bundle(spelling, part, below)
        elif below:
            written = spelling.code(below[part.name])
        else:
            continue
        items[part.name] = written
    return call(spelling.names.builtin("dict"), **items)


# --------------------------------------------------------------------- recurrences along an axis


STATE = "before"


def written_of(node: Node) -> tuple[Node, ...]:
    """Give the parts that a part is written from: its operands, with the starts of a scan as written."""
    if node.name != "scan":
        return node.operands
    *_, step, _ = node.operation.params
    return (*unfolded(node).starts, *node.operands[step.carries :])


@form("scan")
def loop(spelling: Spelling, node: Node) -> Code:
    """Write nt.scan[t](step, h0, x), with [1] or the like to choose among several results."""
    axis, reverse, listed, step, place = node.operation.params
    parts = unfolded(node)
    emits = len(listed) > step.carries
    word = "scan" if emits or any(listed) else "fold"
    one = step.carries == 1
    start = spelling.code(parts.starts[0]) if one else _several(spelling, parts.starts)
    given = [start, *[spelling.code(X) for X in parts.sequences]]
    named: dict[str, Code] = {}
    rule = _rule(spelling, parts, parts.before, parts.results[: step.carries], one)
    if emits:
        emitted = parts.results[step.carries :]
        named["emit"] = _rule(spelling, parts, parts.after, emitted, len(emitted) == 1)
    if reverse:
        named["reverse"] = Word("True")
    written = spelling.over(word, spelling.axis(axis), rule, *given, **named)
    if emits:
        written = index(written, Word(str(int(place >= step.carries))))
        place, one = (
            (place, one)
            if place < step.carries
            else (place - step.carries, len(listed) == step.carries + 1)
        )
    return written if one else index(written, Word(str(place)))


@form("associative_scan")
def combined(spelling: Spelling, node: Node) -> Code:
    """Write nt.associative_scan[t](combine, x), with [1] or the like to choose among several results."""
    axis, _, reverse, step, place = node.operation.params
    parts, one = unfolded(node), step.carries == 1
    rule = _rule(spelling, parts, parts.before, parts.results, one, later=True)
    given = spelling.code(parts.sequences[0]) if one else _several(spelling, parts.sequences)
    more = {"reverse": Word("True")} if reverse else {}
    written = spelling.over("associative_scan", spelling.axis(axis), rule, given, **more)
    return written if one else index(written, Word(str(place)))


def _rule(
    spelling: Spelling,
    parts: Unfolded,
    carries: tuple[Node, ...],
    results: tuple[Node, ...],
    one: bool,
    later: bool = False,
) -> Code:
    """Write a step, or the rule of `emit`, as a function of the carry and the elements.

    With `later`, for an associative scan, the elements are one argument, of the same form as the carry.
    """
    kept = dict(spelling.indices)
    groups = [carries, parts.elements] if later else [carries, *[(x,) for x in parts.elements]]
    leaves = {leaf for group in groups for leaf in group}
    used = {spelling.names.package}
    for n in operands_first(results, lambda n: () if n in spelling.bound else n.operands):
        used |= {spelling.axis(a) for a in n.type.names}
        if n in spelling.bound:
            used.add(spelling.bound[n])
        elif n.operation.primitive in (ARGUMENT, CALL) and n not in leaves:
            used.add(str(n.operation.params[0]).partition(".")[0])
    words: list[str] = []
    for place, group in enumerate(groups):
        stem = str(group[0].operation.params[1]) if group else STATE
        stem = stem if len(group) == 1 else stem.removesuffix("1")
        other = f"now{place}" if place else STATE
        taken = {*used, *words}
        words.append(next(w for w in (stem, other, f"{other}_") if w not in taken))
        alone = len(group) == 1
        spelling.indices |= {
            leaf: words[-1] if alone else f"{words[-1]}[{i}]" for i, leaf in enumerate(group)
        }
    try:
        body = spelling.code(results[0]) if one else _several(spelling, results)
        return Lambda(tuple(words), Word(printed(body)))
    finally:
        spelling.indices.clear()
        spelling.indices.update(kept)


def _several(spelling: Spelling, nodes: Iterable[Node]) -> Code:
    codes = tuple([spelling.code(node) for node in nodes])
    return Items(codes)
