"""Say which rules fired for a formula, and what came near a kernel and missed it."""

from __future__ import annotations

from typing import Any

from namedtensor.formula.formula import Formula
from namedtensor.formula.rewrite.misses import misses
from namedtensor.formula.trace import Trace
from namedtensor.primitives import Node


def explain(formula: Formula, *args: Any, **kwargs: Any) -> str:
    """Say what a formula becomes for these arguments: the rules that fired, and near misses.

    >>> import namedtensor as nt
    >>> from namedtensor import R, formula
    >>> @formula
    ... def weights(X: R["seq"]) -> R["seq"]:
    ...     return nt.exp(X) / nt.sum["seq"](nt.exp(X))
    >>> print(explain(weights, nt.ones("seq[3]")))
    weights on numpy
      softmax: exp(X) / sum[seq](exp(X))
    """
    values = formula.arguments.bind(args, kwargs)
    leaves, _ = formula.arguments.flatten(values)
    trace = Trace(formula, values, leaves)
    trace.compile()
    lines = [f"{formula.name} on {trace.library}"]
    lines += [f"  {fired.rule}: {fired.formula}" for fired in trace.fired]
    lines += [f"  not {rule}: {why}" for rule, why in _misses(trace.nodes)]
    if len(lines) == 1:
        lines.append("  as written: no rule applies")
    return "\n".join(lines)


def _misses(nodes: tuple[Node, ...]) -> list[tuple[str, str]]:
    seen: set[Node] = set()
    found = []
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            found += misses(node)
            waiting += node.operands
    return list(dict.fromkeys(found))
