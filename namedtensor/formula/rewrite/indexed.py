"""Functions of indices: a tree over query and key, written for one query and one key at a time."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from namedtensor.formula.rewrite.patterns import counter
from namedtensor.primitives import Call, Node, Type, argument, primitive
from namedtensor.primitives.node import NUMBER, apply_node
from namedtensor.primitives.notation import KERNEL

SCORE = "score"


def elementwise(node: Node) -> bool:
    """Say whether an operation acts on each record alone."""
    # the file of a primitive's rule is its section of the paper
    return node.operation.primitive.rule.__module__ == "namedtensor.operations.elementwise"


@dataclass(slots=True)
class Pointwise:
    """Trees made of single numbers, and the tensors that those are read from.

    `leaves` are read at the indices of their axes; the argument `leaf0` of a tree is the first one's
    number, `at seq` the index along seq, `score` the score.
    """

    plane: tuple[str, ...]
    score: Node | None = None
    leaves: list[Node] = field(default_factory=list)
    done: dict[Node, Node] = field(default_factory=dict)

    def tree(self, node: Node) -> Node:
        if node not in self.done:
            self.done[node] = self._make(node)
        return self.done[node]

    def _make(self, node: Node) -> Node:
        if node is self.score:
            return argument(SCORE, Type((), node.type.kind))
        if node.operation.primitive is NUMBER:
            return node
        axis = counter(node)
        if axis is not None:
            return argument(f"at {axis}", Type((), "int", weak=True))
        if self._is_whole(node):
            if node not in self.leaves:
                self.leaves.append(node)
            kind = node.type
            name = f"leaf{self.leaves.index(node)}"
            return argument(name, Type((), kind.kind, host=kind.host, weak=kind.weak))
        operands = [self.tree(o) for o in node.operands]
        if node.type.weak and node.type.kind == "float":
            operands = [_wide(o) for o in operands]
        return apply_node(node.operation, tuple(operands))

    def _is_whole(self, node: Node) -> bool:
        """Say whether a node is computed before, as a tensor: it has few axes, or is no function."""
        if not elementwise(node) or node.type.host:
            return True
        spans = all(node.type.has(a) for a in self.plane)
        return not spans and not node.type.weak and not uses(node, self.score)


def uses(node: Node, part: Node | None) -> bool:
    """Say whether a tree has a part, looking through operations on each record alone."""
    return node is part or (elementwise(node) and any(uses(o, part) for o in node.operands))


def is_given(node: Node, plane: Sequence[str]) -> bool:
    """Say whether a tree needs a tensor that has every query and key, so that one is stored anyway."""
    if not all(node.type.has(a) for a in plane):
        return False
    if node.type.weak:
        return not _by_index(node)
    return not elementwise(node) or any(is_given(o, plane) for o in node.operands)


def _by_index(node: Node) -> bool:
    if counter(node) is not None or node.type.host:
        return True
    return elementwise(node) and all(_by_index(o) for o in node.operands)


def indices_in(node: Node) -> set[str]:
    """List the names of the arguments that a tree of single numbers uses."""
    if not node.operands:
        return {node.operation.params[0]} if node.name == "argument" else set()
    return {n for o in node.operands for n in indices_in(o)}


# -------------------------------------------------------------------------------------- emission


def write_function(
    emit: Any, stem: str, tree: Node, leaves: Sequence[Any], index: dict[str, str], scored: bool
) -> str:
    """Write a tree as a function of indices (and of the score), and give its name."""
    from namedtensor.plans.emitter import Emitter, Value

    inner = Emitter(emit.backend)
    inner.like = emit.like
    for i, leaf in enumerate(leaves):
        places = ", ".join(index[a] for a in leaf.axes)
        code = f"{leaf.code}[{places}]" if places else leaf.code
        kind = leaf.type
        type_ = Type((), kind.kind, host=kind.host, weak=kind.weak)
        inner.arguments[f"leaf{i}"] = Value(code, (), type_)
    for axis, code in index.items():
        inner.arguments[f"at {axis}"] = Value(code, (), Type((), "int", weak=True))
    inner.arguments[SCORE] = Value(SCORE, (), Type(()))
    inner.locals |= {*emit.locals, "b", "h", "i", "j", SCORE}
    result = inner.value(tree)
    emit.words |= inner.words
    name: str = emit.fresh(stem)
    parameters = "score, b, h, i, j" if scored else "b, h, i, j"
    emit.lines.append(f"def {name}({parameters}):")
    lines = _inlined([line.split("  # ")[0] for line in inner.lines], result.code)
    emit.lines += ["    " + line for line in lines]
    return name


def _inlined(lines: Sequence[str], result: str) -> list[str]:
    """Write what is used once in its place: a function of indices reads as its formula."""
    parts = [line.split(" = ", 1) for line in lines]
    codes = [(name, ast.parse(code, mode="eval")) for name, code in (*parts, ("", result))]
    names = [n.id for _, code in codes for n in ast.walk(code) if isinstance(n, ast.Name)]
    inline = _Inline()
    written = []
    for name, code in codes:
        code = inline.visit(code)
        if name and names.count(name) == 1:
            inline.given[name] = code.body
        else:
            written.append(
                f"{name} = {ast.unparse(code)}" if name else f"return {ast.unparse(code)}"
            )
    return written


class _Inline(ast.NodeTransformer):
    """Put expressions in the place of names."""

    def __init__(self) -> None:
        self.given: dict[str, ast.expr] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def _wide(node: Node) -> Node:
    """Index-defined numbers are computed in double precision, as they are everywhere else."""
    if node.type.kind == "int" and not node.type.host:
        return apply_node(INDEX_NUMBER.plain, (node,))
    return node


def _index_number_rule(call: Call) -> Type:
    return call.types[0].of_kind("float")


def _lower_index_number(emit: Any, call: Any, x: Any) -> Any:
    return emit.bind(emit.call("index_number", x.code), x.axes, call.type, "number")


INDEX_NUMBER = primitive("index_number", _index_number_rule, _lower_index_number, notation=KERNEL)
