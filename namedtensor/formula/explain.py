"""Say which rules fired for a formula, and which parts came close to a kernel but did not match."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

from namedtensor.errors import KindError, first_line, kind_of_thing
from namedtensor.formula.arguments import Given
from namedtensor.formula.called import look_at_calls
from namedtensor.formula.rewrite import RULES
from namedtensor.formula.rewrite.attention_kernel import ATTENTION, Parts
from namedtensor.formula.rewrite.engine import shared_in
from namedtensor.formula.rewrite.misses import misses
from namedtensor.formula.rewrite.normalisation import CHANNEL_NORM, LAYER_NORM, RMS_NORM
from namedtensor.formula.trace import Trace
from namedtensor.operations.training import training
from namedtensor.plans import LIBRARY_ERRORS, Plan
from namedtensor.plans.compile import retyped
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, operands_first
from namedtensor.tensor import NamedTensor


def explain(formula: Any, *args: Any, **kwargs: Any) -> str:
    """Say what a formula, or its module, becomes for these arguments: the rules that fired, and near misses.

    For another torch module, it explains each call of a formula's module inside, by its place.

    >>> import namedtensor as nt
    >>> from namedtensor import R, formula
    >>> @formula
    ... def weights(X: R["seq"]) -> R["seq"]:
    ...     return nt.exp(X) / nt.sum["seq"](nt.exp(X))
    >>> print(explain(weights, nt.ones("seq[3]")))
    weights on numpy
      softmax: exp(X) / sum[seq](exp(X))
    """
    mode = training()
    if hasattr(formula, "named_values"):
        mode, kwargs = formula.training, {**formula.settings, **formula.named_values(), **kwargs}
        formula = formula.formula
    elif hasattr(formula, "named_modules"):
        return _of_parts(formula, args, kwargs)
    if not hasattr(formula, "arguments"):
        raise KindError(
            f"explain({kind_of_thing(formula)})",
            f"{kind_of_thing(formula)} is no formula",
            hint="decorate it: @formula, with the axes of its arguments as R[seq, emb]",
        )
    values = formula.arguments.bind(args, kwargs)
    given = formula.arguments.read(values, mode)
    trace = Trace(formula.body, given, formula.fused)
    plan = trace.compile()
    lines = [f"{formula.name} on {trace.library}"]
    lines += [f"  {fired.rule}: {fired.formula}" for fired in trace.fired]
    near = functools.partial(misses, shared=shared_in(trace.nodes))
    missed = _found(trace.nodes, near)
    lines += [f"  not {rule}: {why}" for rule, why in missed]
    patterns = {rule.name: rule for rule in RULES}
    lines += [f"  {name} is {patterns[name]}" for name in dict(missed)]
    lines += _found(trace.nodes, functools.partial(_paths, trace))
    lines += _refusal(plan, given) if trace.fired else []
    if len(lines) == 1:
        lines.append("  as written: no rule applies")
    return "\n".join(lines)


def _of_parts(module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Explain each call of a formula's module that a torch module makes."""
    found: dict[str, None] = {}

    def look(place: str, part: Any, given: Any, more: Any) -> None:
        found[f"{place}: {explain(part, *given, **more)}"] = None

    look_at_calls("explain", module, args, named, look)
    return "\n".join(found)


def _refusal(plan: Plan, given: Given) -> list[str]:
    """Say that a kernel refuses these numbers, so that the formula runs as written."""
    try:
        plan.run(*given.data)
    except LIBRARY_ERRORS as error:
        return [f"  all of it runs as written: a kernel refused ({first_line(error)})"]
    return []


def _found(nodes: tuple[Node, ...], look: Callable[[Node], list[Any]]) -> list[Any]:
    """Apply `look` to every node once, and collect the results without repetition."""
    seen: set[Node] = set()
    found = []
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            found += look(node)
            waiting += node.operands
    return list(dict.fromkeys(found))


def _paths(trace: Trace, node: Node) -> list[str]:
    """Say where a kernel takes another path for these sizes, this dtype or this device."""
    if node.operation.primitive in (LAYER_NORM, CHANNEL_NORM, RMS_NORM):
        return _norm_paths(trace, node)
    if node.operation.primitive is not ATTENTION or trace.library != "torch":
        return []
    from namedtensor.backends import torch_attention

    parts = Parts(*node.operation.params)
    Q, K, V = [dict(operand.type.axes) for operand in node.operands[:3]]
    rows = [node.type.size(a) for a in parts.queries]
    values = [size for a, size in V.items() if a not in K and a not in Q]
    given = [leaf.tensor for leaf in trace.leaves if leaf.tensor.kind == "float"]
    data = next((X.data for X in given if isinstance(X, NamedTensor)), None)
    if data is None:
        return []
    n, m, width, wide = (
        _product(trace, sizes)
        for sizes in (rows, [K[a] for a in parts.seqs], [K[a] for a in parts.keys], values)
    )
    if parts.keeps is None and parts.scores is None:
        said = torch_attention.path_of_scores((width, wide), data.device, parts.dropped)
    else:
        said = torch_attention.path_by_index(
            n, m, (width, wide), data.dtype, data.device, parts.dropped
        )
    return [f"  attention runs {said}"] if said else []


def _norm_paths(trace: Trace, node: Node) -> list[str]:
    """Say where weights and data differ in dtype, which the norm kernels refuse."""
    parts = operands_first(node.operands)
    paths = {p.operation.params[-1] for p in parts if p.operation.primitive is ARGUMENT}
    held = {
        str(leaf.tensor.dtype): leaf.path
        for leaf in trace.leaves
        if leaf.path in paths and leaf.tensor.kind == "float"
    }
    if len(held) < 2:
        return []
    told = " and ".join([f"{path} is {dtype}" for dtype, path in held.items()])
    return [f"  {node.name}: gain and shift as written where dtypes differ: {told}"]


def _product(trace: Trace, sizes: Iterable[Any]) -> int:
    numbers = [s if isinstance(s, int) else retyped(s, trace.types).value for s in sizes]
    return math.prod(numbers)
