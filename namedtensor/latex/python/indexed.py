"""Parts of a formula that depend on their indices, on sizes and numbers, and on nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from namedtensor.formula.written import CALL
from namedtensor.primitives import Node, Operation, Type, table
from namedtensor.primitives.node import apply_node, make_node, operands_first
from namedtensor.tensor.resize import made_by

#: A `define` that is deeper or longer than this is written in several.
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
        # a part that is too large for one define is a name in the next
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
    """Say whether a part is the same wherever it is written: noise differs, and a call has a name."""
    entry = node.operation.primitive
    return not entry.effect and entry is not CALL


def is_constant(node: Node, open_: bool) -> bool:
    """Say whether an index-defined part is the same in every formula: it looks at no size."""
    sizes = [n.operands[0] for n in _leaves(node) if n.name == "iota" and n.operands and not open_]
    return all(n.closed for n in (*_leaves(node), *sizes) if n.type.host)


def bare_number(node: Node) -> Node | None:
    """Find the number that a tensor without axes is made of."""
    return node.operands[0] if node.name == "full" and not node.type.axes else None


def iotas(node: Node) -> list[Node]:
    """List the counted axes below a part, primed ones first."""
    found = dict.fromkeys([n for n in _leaves(node) if n.name == "iota"])
    return sorted(found, key=lambda n: -n.operation.params[0].count("'"))


def _leaves(node: Node) -> Iterator[Node]:
    """Give what stands at the ends of a part, sizes under a count left out."""
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
    """List, as counts along them, the axes along which a tensor is filled or repeated."""
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
