"""Parts of a formula that depend on their indices, on sizes and numbers, and on nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from namedtensor.primitives import Node
from namedtensor.primitives.node import operands_first

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
    if node.name == "iota":
        return True
    if node.type.host or not node.type.weak or node.name in ("call", "dropout"):
        return False
    own = [o for o in node.operands if not o.type.host]
    return any(o in found for o in own) and all(o in found or o.name == "listed" for o in own)


def is_constant(node: Node, open_: bool) -> bool:
    """Say whether an index-defined part is the same in every formula: it looks at no size."""
    sizes = [n.operands[0] for n in _leaves(node) if n.name == "iota" and n.operands and not open_]
    return all(n.closed for n in (*_leaves(node), *sizes) if n.type.host)


def bare_number(node: Node) -> Node | None:
    """Find the number that a tensor without axes stands for, made as x + sum_one iota_one."""
    if node.name != "add" or node.type.axes or node.operands[0].value is None:
        return None
    number, nothing = node.operands
    made = nothing.name == "sum" and nothing.operands[0].name == "iota" and not nothing.type.axes
    return number if made and [n.value for n in nothing.operands[0].operands] == [1] else None


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


def not_looked_at(node: Node) -> Node | None:
    """Undo how `define` gives a tensor an axis at which its rule does not look."""
    if node.name != "where" or node.operands[1] is not node.operands[2]:
        return None
    condition, inner = node.operands[0], node.operands[1]
    if condition.name != "ge" or condition.operands[0].name != "iota":
        return None
    (axis,) = condition.operands[0].operation.params
    return None if inner.type.has(axis) else inner


def one_for_each_axis(counted: list[Node]) -> list[Node]:
    found: dict[str, Node] = {}
    for n in counted:
        found.setdefault(n.operation.params[0], n)
    return list(found.values())
