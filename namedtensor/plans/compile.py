"""Compile an expression tree to a positional function, and say what was wrong where it fails."""

from __future__ import annotations

import keyword
import linecache
import math
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends import Backend, host_backend
from namedtensor.errors import NamedTensorError
from namedtensor.plans.constants import constants_of
from namedtensor.plans.emitter import Emitter, Value
from namedtensor.plans.layout import Layout, layout_of
from namedtensor.plans.reuse import reuse_memory
from namedtensor.primitives import Node, Operation, Type, argument, number
from namedtensor.primitives.node import ARGUMENT, NUMBER, SIZE, apply_node


class Mismatch(Exception):
    """Emitted code found two sizes that differ; the caller finds the words for it."""


def mismatch() -> None:
    raise Mismatch


@dataclass(slots=True)
class Plan:
    """A compiled tree: `run` takes positional data, its result has `layout`.

    A plan of several trees gives a tuple of data, and `layouts` has one for each.
    """

    run: Callable[..., Any]
    layouts: tuple[Layout, ...]
    source: str
    nodes: tuple[Node, ...]

    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        self.layout = self.layouts[0]


def compile_plan(
    name: str,
    nodes: Node | tuple[Node, ...],
    arguments: Sequence[tuple[str, Type, tuple[str, ...]]],
    backend: Backend,
    guards: Sequence[tuple[Any, Any]] = (),
    hints: dict[Node, int] | None = None,
    order: tuple[str, ...] | None = None,
    eager: bool = False,
) -> Plan:
    """Emit, compile and cache nothing: the caller keeps the plan.

    `arguments` are name, type and axes in storage order. `guards` are further pairs of sizes that
    must agree. `order` asks for the result in one storage order. `eager` says that one operation is
    all, so that every nanosecond of its code counts.
    """
    emit = Emitter(backend, eager)
    local = {arg: emit.fresh(arg) for arg, _, _ in arguments}
    emit.hints = hints or {}
    for arg, type_, axes in arguments:
        emit.arguments[arg] = Value(local[arg], axes, type_)
        if emit.like == "None" and not type_.host:
            emit.like = local[arg]
    wanted = nodes if isinstance(nodes, tuple) else (nodes,)
    emit.constants = constants_of(wanted)
    needed = [*guards, *[g for node in wanted for g in collect_guards(node)]]
    emit.lines += guard_lines(emit, needed)
    results = [emit.value(node) for node in wanted]
    if order is not None:
        results = [emit.permute(results[0], order)]
    ending = ", ".join(r.code for r in results)
    if backend.name == "numpy":
        reuse_memory(emit, ending)
    if len(results) == 1 and ending == results[0].code and emit.lines:
        emit.return_last(ending)
    else:
        comment = "; ".join(" ".join(map(shown, r.axes)) or "one number" for r in results)
        emit.lines.append(f"return {ending}  # {comment}")
    title = _identifier(name)
    while title in emit.words or title in emit.locals:
        title += "_"
    head = f"def {title}({', '.join(local.values())}):"
    lines = [*emit.unpacking(), *emit.lines]
    source = "".join(emit.functions) + "\n".join([head, *["    " + line for line in lines], ""])
    run = _define(title, source, emit, backend)
    layouts = tuple(
        [layout_of(r.axes, n.type.kind, backend) for r, n in zip(results, wanted, strict=True)]
    )
    return Plan(run, layouts, source, wanted)


def guard_lines(emit: Emitter, pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """Write the test that sizes agree: whole shapes where two must be equal, else size by size."""
    groups = _classes_of(pairs)
    tests = []
    whole = _equal_shapes(emit, groups)
    for first, second in whole:
        tests.append(f"{emit.arguments[first].code}.shape == {emit.arguments[second].code}.shape")
    repeated = {second for _, second in whole}
    for group in groups:
        kept = [s for s in group if not _is_size_of(s, repeated)]
        codes = list(dict.fromkeys([emit.size(s) for s in kept]))
        if len(codes) > 1:
            tests.append(" == ".join(codes))
    if not tests:
        return []
    emit.use("mismatch")
    return [f"if not ({' and '.join(tests)}):", "    mismatch()"]


def _classes_of(pairs: Sequence[tuple[Any, Any]]) -> list[list[Any]]:
    """Gather pairs of equal sizes into groups, in the order in which they were met."""
    groups: list[list[Any]] = []
    for a, b in pairs:
        found = [g for g in groups if a in g or b in g]
        joined = list(dict.fromkeys([s for g in found for s in g] + [a, b]))
        at = groups.index(found[0]) if found else len(groups)
        groups = [g for g in groups if g not in found]
        groups.insert(at, joined)
    return groups


def _is_size_of(size: Any, names: set[str]) -> bool:
    return (
        isinstance(size, Node)
        and size.operation.primitive is SIZE
        and size.operation.params[0] in names
    )


def _equal_shapes(emit: Emitter, groups: list[list[Any]]) -> list[tuple[str, str]]:
    """Find arguments whose axes must all have the sizes of an earlier argument's, in order."""
    where = {
        size.operation.params[:2]: i
        for i, group in enumerate(groups)
        for size in group
        if isinstance(size, Node) and size.operation.primitive is SIZE
    }
    found: list[tuple[str, str]] = []
    seen: dict[tuple[int, ...], str] = {}
    for name, value in emit.arguments.items():
        places = [where.get((name, i)) for i in range(len(value.axes))]
        if not places or None in places or (len(places) < 2 and len(emit.arguments) > 2):
            continue
        key = tuple([p for p in places if p is not None])
        if key in seen:
            found.append((seen[key], name))
        else:
            seen[key] = name
    return found


def collect_guards(node: Node) -> list[tuple[Any, Any]]:
    """List the pairs of sizes that a tree needs to be equal, each once."""
    seen: set[Node] = set()
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if top in seen:
            continue
        seen.add(top)
        trusted = top.operation.primitive.trusted
        if top.guards and not (trusted and trusted(top)):
            found += [g for g in top.guards if g not in found]
        waiting += top.operands
    return found


def _define(name: str, source: str, emit: Emitter, backend: Backend) -> Callable[..., Any]:
    scope: dict[str, Any] = {"__builtins__": __builtins__}
    own = {"mismatch": mismatch, "math": math, "host": host_backend().module}
    for word in emit.words:
        scope[word] = own[word] if word in own else backend.function(word)
    filename = f"<namedtensor {name} {zlib.crc32(source.encode()):08x}>"
    # tracebacks through emitted code show its lines
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), scope)
    run: Callable[..., Any] = scope[name]
    return run


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name)
    return text + "_" if keyword.iskeyword(text) or not text.isidentifier() else text


# --------------------------------------------------------------------------------- concrete sizes


def retype(node: Node, types: dict[str, Type]) -> Type:
    """Check a tree again with the sizes that its arguments really have.

    Raises the error of the first operation whose operands do not fit.
    """
    return retyped(node, types).type


def retyped(node: Node, types: dict[str, Type]) -> Node:
    """Rebuild a tree on arguments with known sizes."""
    done: dict[Node, Node] = {}
    waiting = [node]
    while waiting:
        top = waiting[-1]
        if top in done:
            waiting.pop()
            continue
        missing = [o for o in top.operands if o not in done]
        if missing:
            waiting += reversed(missing)
            continue
        waiting.pop()
        done[top] = _retype_one(top, types, tuple([done[o] for o in top.operands]))
    return done[node]


def _retype_one(node: Node, types: dict[str, Type], operands: tuple[Node, ...]) -> Node:
    kind = node.operation.primitive
    if kind is ARGUMENT:
        name = node.operation.params[0]
        return argument(name, replace(node.type, axes=types[name].axes))
    if kind is SIZE:
        name, place, _ = node.operation.params
        return number(types[name].axes[place][1])
    if kind is NUMBER or not node.operands:
        return node
    folded = _fold(node, operands)
    return folded if folded is not None else apply_node(node.operation, operands)


def _fold(node: Node, operands: tuple[Node, ...]) -> Node | None:
    """Compute what is made of known numbers alone."""
    if not node.type.host or not operands:
        return None
    if any(o.operation.primitive is not NUMBER for o in operands):
        return None
    return number(run_on_numbers(node.operation, [o.value for o in operands]))


def plan_for_numbers(operation: Operation, values: Sequence[Any]) -> Plan:
    """Plan an operation on Python numbers of these types."""
    leaves = [number(v).type for v in values]
    names = [f"x{i}" for i in range(len(values))]
    arguments = [(n, t, ()) for n, t in zip(names, leaves, strict=True)]
    nodes = tuple([argument(n, t) for n, t in zip(names, leaves, strict=True)])
    node = apply_node(operation, nodes, tuple(map(repr, values)))
    return compile_plan(operation.name, node, arguments, host_backend())


def run_on_numbers(operation: Operation, values: Sequence[Any]) -> Any:
    """Apply an operation to Python numbers."""
    key = ("numbers", *[type(v) for v in values])
    plan = operation.plans.get(key)
    if plan is None:
        plan = operation.plans[key] = plan_for_numbers(operation, values)
    try:
        return plan.run(*values)
    except (ArithmeticError, ValueError, TypeError) as error:
        call = operation.write(tuple(map(repr, values)))
        hint = "tensors give nan or inf where Python numbers give none"
        raise NamedTensorError(call, str(error), hint=hint) from None
