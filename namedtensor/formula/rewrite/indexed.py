"""Functions of indices: a tree over query and key, written for one query and one key at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from namedtensor.formula.rewrite.patterns import counter
from namedtensor.plans import Emitter, Value
from namedtensor.plans.code import (
    Code,
    Function,
    Name,
    Return,
    Subscript,
    codes_in,
    names_in,
    replaced,
)
from namedtensor.primitives import Call, Node, Type, argument, primitive
from namedtensor.primitives.node import NUMBER, apply_node
from namedtensor.primitives.notation import KERNEL

SCORE = "score"


def elementwise(node: Node) -> bool:
    """Say whether an operation acts on each record alone."""
    return node.operation.primitive.traits.pointwise


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
        """Say whether a node is computed before, as a tensor: it has few axes, or is not elementwise."""
        if not elementwise(node) or node.type.host:
            return True
        spans = all(node.type.has(a) for a in self.plane)
        return not spans and not node.type.weak and not uses(node, self.score)


def uses(node: Node, part: Node | None) -> bool:
    """Say whether a tree has a part, looking through operations on each record alone."""
    return node is part or (elementwise(node) and any(uses(o, part) for o in node.operands))


def is_given(node: Node, plane: Sequence[str]) -> bool:
    """Say whether a tree reads a tensor over all queries and keys, so that one is stored anyway."""
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
    emit: Any, stem: str, tree: Node, leaves: Sequence[Any], index: dict[str, Code], scored: bool
) -> Name:
    """Make a tree a function of indices (and of the score), and give its name."""
    inner = Emitter(emit.backend)
    inner.like = emit.like
    for i, leaf in enumerate(leaves):
        places = tuple([index[a] for a in leaf.axes])
        code = Subscript(leaf.code, places) if places else leaf.code
        kind = leaf.type
        type_ = replace(kind, axes=())
        inner.arguments[f"leaf{i}"] = Value(code, (), type_)
    for axis, code in index.items():
        inner.arguments[f"at {axis}"] = Value(code, (), Type((), "int", weak=True))
    inner.arguments[SCORE] = Value(Name(SCORE), (), Type(()))
    parameters = (*((SCORE,) if scored else ()), "b", "h", "i", "j")
    inner.locals |= {*emit.locals, SCORE, *parameters}
    result = inner.value(tree)
    body = inlined([*inner.body, Return((result,))])
    name: str = emit.fresh(stem)
    emit.body.append(Function(name, parameters, body, tells=False))
    return Name(name)


def inlined(body: Sequence[Any]) -> tuple[Any, ...]:
    """Inline what is used once, so that a function of indices reads like its formula."""
    uses = Counter(names_in(codes_in(body)))
    given: dict[str, Code] = {}
    kept = []
    for statement in body:
        if isinstance(statement, Return):
            values = [replace(v, code=replaced(v.code, given)) for v in statement.values]
            kept.append(Return(tuple(values)))
            continue
        code = replaced(statement.code, given)
        if uses[statement.name] == 1:
            given[statement.name] = code
        else:
            kept.append(replace(statement, code=code))
    return tuple(kept)


def _wide(node: Node) -> Node:
    """Index-defined numbers are computed in double precision, as they are everywhere else."""
    if node.type.kind == "int" and not node.type.host:
        return apply_node(INDEX_NUMBER.plain, (node,))
    return node


def _index_number_rule(call: Call) -> Type:
    return call.types[0].of_kind("float")


def _lower_index_number(emit: Any, call: Any, x: Any) -> Any:
    return emit.bind(emit.call("index_number", x), x.axes, call.type, "number")


INDEX_NUMBER = primitive("index_number", _index_number_rule, _lower_index_number, notation=KERNEL)
