"""Write expression trees as Python in our notation: code that makes the same tree again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from namedtensor.formula import Formula
from namedtensor.formula.signature import Signature
from namedtensor.formula.written import CALL
from namedtensor.latex.python.code import call, index
from namedtensor.latex.python.labels import Names
from namedtensor.plans.code import Code, Lambda, Word, printed
from namedtensor.primitives import Node, Operation, Type, notation, size_of, table
from namedtensor.primitives.node import apply_node, make_node, operands_first
from namedtensor.tensor.resize import made_by

Form = Callable[["Spelling", Node], Code]

#: Kinds of operations: operators of Python; functions whose last axis is written with its size;
#: functions with a flag, for which the notation has a second word, such as upsample-linear.
OPERATOR, SIZED, OTHERWISE = "<operator>", "<sized>", "<otherwise>"

#: The writers of operations whose code is not nt.name[axes](operands), by the name of the operation, the
#: form of its notation, or its kind. `operations`, `called` and `recurrences` fill it.
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
            written = form_of(node)(self, node)
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
        return call(f"{self.nt('define')}[{axes}]", Lambda(letters, written))

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
    under = params[0] if params and isinstance(params[0], tuple) else params
    head = spelling.nt(node.name)
    if params:
        head += f"[{spelling.axes(under)}]"
    return call(head, *spelling.operands(node))


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
    sizes = node.operands[1:]
    if not sizes:
        return [make_node(_iota(n), (), Type(((n, None),), "int", weak=True)) for n in names]
    return [apply_node(_iota(n), (size,)) for n, size in zip(names, sizes, strict=True)]


def _iota(axis: str) -> Operation:
    return table()["iota"](axis)


def one_for_each_axis(counted: list[Node]) -> list[Node]:
    found: dict[str, Node] = {}
    for n in counted:
        found.setdefault(n.operation.params[0], n)
    return list(found.values())
