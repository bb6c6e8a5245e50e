"""Initialise weights by their role, which is read from the formula's traced expression.

| role | what the formula does with it | it starts as |
|---|---|---|
| matrix | contracts it | uniform, with the variance of what it maps, on the average of both ways |
| embedding | looks it up | normal, with variance 1 over the size of its last axis |
| bias | adds it to what a matrix or a gain gives, over no other axes | 0 |
| gain | multiplies it elementwise | 1 |
| table | adds it over more axes (positions), joins it (a class token), or else | normal, with scale 0.02 |

A plain factor, alpha * A, changes no role; in (W + A B) x all three are matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from namedtensor.axes import shown
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.shapes import traced_results
from namedtensor.operations.contraction import DOT
from namedtensor.operations.index_defined import ONE_HOT
from namedtensor.operations.indexing import INDEX
from namedtensor.operations.renaming import RENAME
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, operands_first


@dataclass(frozen=True, slots=True)
class Initialiser:
    """A role: matrix, bias, gain, embedding or table, and the axes that a matrix is contracted over."""

    role: str
    axes: tuple[str, ...] = ()


#: The role of a parameter that the expression uses in another way.
OTHER = Initialiser("table")


def roles_of(formula: Formula, settings: dict[str, Any]) -> dict[str, Initialiser] | None:
    """Find the role of each parameter in the formula's expression; None if the body cannot be traced."""
    try:
        results = traced_results(formula, (), dict(settings))[1]
    except NamedTensorError:
        return None  # a body that needs real sizes or data
    roles: dict[str, Initialiser] = {}
    seen: set[Node] = set()
    waiting = [r.node for r in results]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for place, operand in enumerate(() if _scaled(node) else node.operands):
            own = formula.parameter_names if node.operation.primitive is DOT else ()
            for leaf, names in _leaves(operand, own):
                role = None if leaf in roles else _role(node, place, names, formula.parameter_names)
                if role is not None:
                    roles[leaf] = role
        waiting += node.operands
    return roles


def _scaled(node: Node) -> Node | None:
    """Give what an operation multiplies or divides by a plain number, or whose sign it turns."""
    traits = node.operation.primitive.traits
    own = [i for i, o in enumerate(node.operands) if not o.type.host]
    if traits.pointwise and len(own) == 1 and traits.linear_in(own[0]):
        alone = not traits.jointly or len(node.operands) == 1
        return node.operands[own[0]] if alone else None
    return None


def _leaves(node: Node, parameters: tuple[str, ...]) -> list[tuple[str, dict[str, str]]]:
    """Give the leaf that a node is, or those of a sum that is made of some parameters alone."""
    leaf, names = _leaf(node)
    if leaf is not None:
        return [(leaf, names)]
    traits = node.operation.primitive.traits
    adds = traits.pointwise and traits.jointly and len(node.operands) == 2
    if not adds or not _arguments(node) <= set(parameters):
        return []
    return [found for operand in node.operands for found in _leaves(operand, parameters)]


def _arguments(node: Node) -> set[str]:
    """Name the tensors that a node is computed from."""
    below = operands_first([node])
    return {str(n.operation.params[0]) for n in below if n.operation.primitive is ARGUMENT}


def _leaf(node: Node) -> tuple[str | None, dict[str, str]]:
    """Look through renamings and plain factors: give the argument's name, and its axes' original names."""
    names = {n: n for n in node.type.names}
    while (inner := _scaled(node)) is not None or node.operation.primitive is RENAME:
        if inner is None:
            back = {new: old for old, new in node.operation.params[0]}
            names = {outer: back.get(n, n) for outer, n in names.items()}
        node = inner or node.operands[0]
    if node.operation.primitive is ARGUMENT and not node.type.host:
        return str(node.operation.params[0]), names
    return None, {}


def _role(
    node: Node, place: int, names: dict[str, str], own: tuple[str, ...]
) -> Initialiser | None:
    entry, traits = node.operation.primitive, node.operation.primitive.traits
    if entry is DOT:
        other = [o for i, o in enumerate(node.operands) if i != place]
        if any(o.operation.primitive is ONE_HOT for o in other):
            return Initialiser("embedding")
        return Initialiser(
            "matrix", tuple([shown(names.get(a, a)) for a in node.operation.params[0]])
        )
    if entry is INDEX and place == 0:
        return Initialiser("embedding")
    if traits.pointwise and len(node.operands) == 2 and traits.linear_in(0) and traits.linear_in(1):
        if not traits.jointly:
            return Initialiser("gain")
        added = set(node.operands[place].type.names)
        weighed = added <= _weighed_axes(node.operands[1 - place], own)
        return Initialiser("bias" if weighed or len(added) < 2 else "table")
    return None


def _weighed_axes(node: Node, parameters: tuple[str, ...]) -> set[str]:
    """Give the axes of the matrices and gains among some parameters in a term of a sum."""
    found: set[str] = set()
    waiting, seen = [node], {node}
    while waiting:
        top = waiting.pop()
        traits = top.operation.primitive.traits
        if top.operation.primitive is DOT or (traits.pointwise and not traits.jointly):
            for operand in top.operands:
                leaf, names = _leaf(operand)
                found |= set(names) if leaf in parameters else set()
        waiting += [o for o in top.operands if o not in seen]
        seen.update(top.operands)
    return found


def start(role: Initialiser | None, names: tuple[str, ...], data: torch.Tensor) -> None:
    """Fill a parameter by its role; a matrix keeps the variance, averaged over forward and backward."""
    kind = role.role if role is not None else ("matrix" if data.ndim > 1 else "bias")
    if role is OTHER:
        kind = "matrix" if data.ndim > 1 else "table"
    if kind == "bias":
        torch.nn.init.zeros_(data)
    elif kind == "gain":
        torch.nn.init.ones_(data)
    elif kind == "table":
        torch.nn.init.normal_(data, std=0.02)
    elif kind == "embedding":
        torch.nn.init.normal_(data, std=1.0 / math.sqrt(max(data.shape[-1], 1)))
    else:
        summed = [
            s for n, s in zip(names, data.shape, strict=True) if role is not None and n in role.axes
        ]
        fan_in = math.prod(summed) if summed else math.prod(data.shape[:-1])
        fan_out = data.numel() // max(fan_in, 1)
        bound = math.sqrt(6.0 / max(fan_in + fan_out, 1))
        torch.nn.init.uniform_(data, -bound, bound)
