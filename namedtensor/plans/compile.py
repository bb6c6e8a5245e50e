"""Compile an expression tree to a positional function, and explain a failure of it."""

from __future__ import annotations

import functools
import keyword
import linecache
import math
import re
import zlib
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from namedtensor.backends import Backend, get_backend
from namedtensor.compilers import one_at_a_time
from namedtensor.errors import NamedTensorError
from namedtensor.plans.code import (
    Apply,
    Attribute,
    Code,
    Function,
    Guard,
    Infix,
    Name,
    Return,
    Step,
    Word,
    print_functions,
    words_in,
)
from namedtensor.plans.constants import constants_of
from namedtensor.plans.emitter import Emitter, known
from namedtensor.plans.layout import Layout, layout_of
from namedtensor.plans.lifetimes import released, views_once
from namedtensor.plans.reuse import reuse_memory
from namedtensor.plans.rows import WORDS, Rows, enter, looped
from namedtensor.primitives import Node, Operation, Type, argument, number
from namedtensor.primitives.node import ARGUMENT, NUMBER, SIZE, apply_node, operands_first


class Mismatch(Exception):
    """Emitted code found two sizes that differ; the caller makes the error."""


def mismatch() -> None:
    raise Mismatch


#: What a library may raise when positional code meets data that does not fit.
LIBRARY_ERRORS = (Mismatch, RuntimeError, IndexError, ValueError, TypeError, ArithmeticError)


#: Names of emitted sources whose lines tracebacks can show, the oldest first, and how many at most.
_listed: deque[str] = deque()
MOST_LISTED = 2048


@dataclass(slots=True)
class Plan:
    """A compiled tree: `run` takes positional data, its result has `layout`.

    A plan of several trees gives a tuple of data, and `layouts` has one for each. `functions` are the code
    that runs, as data; the last one is the plan itself. `orders` are the declared orders of the results'
    axes, in which they are shown, whatever the storage. `stateful` says that some arguments are states. The
    last results are the new values of the states in `updates`; `used` are the places of the states on which
    other results depend. `rows` says that some arguments come in rows of equal sizes.
    """

    run: Callable[..., Any]
    layouts: tuple[Layout, ...]
    functions: tuple[Function, ...]
    nodes: tuple[Node, ...]
    orders: tuple[tuple[str, ...], ...] = ((),)
    stateful: bool = False
    updates: tuple[str, ...] = ()
    used: tuple[int, ...] = ()
    rows: bool = False

    layout: Layout = field(init=False)
    on_torch: bool = field(init=False)

    def __post_init__(self) -> None:
        self.layout = self.layouts[0]
        self.on_torch = self.layout.backend.name == "torch"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is computed, in order: each step with its word, operands, axes and sizes."""
        return tuple([s for s in self.functions[-1].body if isinstance(s, Step)])

    @property
    def source(self) -> str:
        """The Python that runs."""
        return print_functions(self.functions)


@one_at_a_time
def compile_plan(
    name: str,
    nodes: Node | tuple[Node, ...],
    arguments: Sequence[tuple[str, Type, tuple[str, ...]]],
    backend: Backend,
    guards: Sequence[tuple[Any, Any]] = (),
    hints: dict[Node, int] | None = None,
    order: tuple[str, ...] | None = None,
    eager: bool = False,
    stateful: bool = False,
    updates: tuple[str, ...] = (),
    used: tuple[int, ...] = (),
    rows: Sequence[Rows] = (),
    weights: Sequence[str] = (),
) -> Plan:
    """Emit, compile and cache nothing: the caller keeps the plan.

    `arguments` are name, type and axes in storage order. `guards` are further pairs of sizes that
    must agree. `order` asks for the result in one storage order. `eager` says that the plan is one operation,
    so that every nanosecond of its code counts. `stateful`, `updates` and `used` are kept with the plan. Of
    arguments that come in `rows`, `arguments` has the first row. `weights` are those that a formula declares
    after the semicolon.
    """
    emit = Emitter(backend, eager)
    emit.guess = functools.partial(guess, dict(hints or {}))
    parameters, opening, counts = enter(emit, arguments, rows)
    emit.weights = {emit.arguments[name].code for name in weights}
    data = [arg for arg, type_, _ in arguments if not type_.host]
    emit.like = emit.arguments[data[0]].code if data else emit.like
    wanted = nodes if isinstance(nodes, tuple) else (nodes,)
    emit.constants = constants_of(wanted)
    pairs = [*guards, *[g for node in wanted for g in collect_guards(node)]]
    alike = [Apply(Word("alike"), (Name(name),)) for name in counts]
    tests = (*size_tests(emit, pairs), *alike)
    if tests:
        emit.body.append(Guard(tests))
    results = [emit.value(node) for node in wanted]
    results = [emit.settled(r) if n.type.open else r for r, n in zip(results, wanted, strict=True)]
    if order is not None:
        results = [emit.permute(results[0], order)]
    emit.body.append(Return(tuple(results)))
    if not eager:
        emit.body = views_once(emit.body, emit.fresh)
    if backend.name == "numpy":
        reuse_memory(emit)
    if rows:
        emit.body = looped(emit.body, counts, emit.fresh)
    body = (*opening, *emit.unpacking(), *emit.body)
    words = words_in((*emit.functions, *body))
    title = _identifier(name)
    while title in words or title in emit.locals or title in emit.titles:
        title += "_"
    functions = (*emit.functions, Function(title, parameters, body))
    functions = functions if eager else tuple(map(released, functions))
    layouts = tuple(
        [layout_of(r.axes, n.type.kind, backend) for r, n in zip(results, wanted, strict=True)]
    )
    run = _define(functions, words, backend, emit.held)
    return Plan(
        run,
        layouts,
        functions,
        wanted,
        stateful=stateful,
        updates=updates,
        used=used,
        rows=bool(rows),
    )


def size_tests(emit: Emitter, pairs: Sequence[tuple[Any, Any]]) -> tuple[Code, ...]:
    """Write tests that sizes agree: of whole shapes where these must be equal, else size by size."""
    groups = _classes_of(pairs)
    tests: list[Code] = []
    whole = _equal_shapes(emit, groups)
    for first, second in whole:
        shapes = [Attribute(emit.arguments[name].code, "shape") for name in (first, second)]
        tests.append(Infix("==", tuple(shapes)))
    repeated = {second for _, second in whole}
    for group in groups:
        kept = [s for s in group if not _is_size_of(s, repeated)]
        codes = tuple(dict.fromkeys([emit.size(s) for s in kept]))
        if len(codes) > 1:
            tests.append(Infix("==", codes))
    return tuple(tests)


def _classes_of(pairs: Sequence[tuple[Any, Any]]) -> list[list[Any]]:
    """Gather pairs of equal sizes into groups, in the order in which they were met."""
    groups: dict[int, dict[Any, None]] = {}
    where: dict[Any, int] = {}
    for serial, pair in enumerate(pairs):
        first, *others = sorted({where[size] for size in pair if size in where}) or [serial]
        group = groups.setdefault(first, {})
        for other in others:
            group |= groups.pop(other)
        group |= dict.fromkeys(pair)
        where |= dict.fromkeys(group if others else pair, first)
    return [list(groups[first]) for first in sorted(groups)]


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


def collect_guards(
    node: Node, refused: Collection[frozenset[Any]] | None = None
) -> list[tuple[Any, Any]]:
    """List the pairs of sizes that a tree needs to be equal, each once.

    Pairs that the library itself refuses are left out: if the tree runs as it is, all whose operation is
    `trusted`; else only those in `refused`.
    """
    seen: set[Node] = set()
    found: dict[tuple[Any, Any], None] = {}
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if top in seen:
            continue
        seen.add(top)
        if top.guards:
            known = _is_trusted(top)
            found |= {
                g: None
                for g in top.guards
                if not (known and (refused is None or frozenset(g) in refused))
            }
        waiting += top.operands
    return list(found)


def not_held(pairs: Sequence[tuple[Any, Any]], nodes: Sequence[Node]) -> list[tuple[Any, Any]]:
    """List the pairs of sizes that may differ although the guards of all operations in these trees hold."""
    if not pairs:
        return []
    same: dict[Any, Any] = {}

    def first(size: Any) -> Any:
        while size in same:
            size = same[size]
        return size

    def join(one: Any, other: Any) -> bool:
        one, other = first(one), first(other)
        if one != other:
            same[one] = other
        return bool(one != other)

    for node in operands_first(nodes):
        for pair in node.guards:
            join(*pair)
    return [pair for pair in pairs if join(*pair)]


def refused_by(nodes: Sequence[Node]) -> set[frozenset[Any]]:
    """List the pairs of sizes whose difference the library itself refuses."""
    return {
        frozenset(g) for n in operands_first(nodes) if n.guards and _is_trusted(n) for g in n.guards
    }


def _is_trusted(node: Node) -> bool:
    trusted = node.operation.primitive.trusted
    return trusted is not None and trusted(node)


def _define(
    functions: tuple[Function, ...], words: Sequence[str], backend: Backend, held: dict[str, Any]
) -> Callable[..., Any]:
    own: dict[str, Any] = {
        "mismatch": mismatch,
        "math": math,
        "host": get_backend("host").module,
        "int": int,
        **WORDS,
    }
    scope: dict[str, Any] = {
        word: own[word] if word in own else backend.function(word) for word in words
    }
    scope |= held
    scope["__builtins__"] = __builtins__
    name, source = functions[-1].name, print_functions(functions)
    filename = f"<namedtensor {name} {zlib.crc32(source.encode()):08x}>"
    # tracebacks through emitted code show its lines
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    _listed.append(filename)
    if len(_listed) > MOST_LISTED:
        linecache.cache.pop(_listed.popleft(), None)
    exec(_compiled(source, filename), scope)
    run: Callable[..., Any] = scope[name]
    return run


@functools.lru_cache(maxsize=MOST_LISTED)
def _compiled(source: str, filename: str) -> CodeType:
    """Compile a source once: plans of other dtypes or settings often have the same."""
    code: CodeType = compile(source, filename, "exec")
    return code


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name)
    return text + "_" if keyword.iskeyword(text) or not text.isidentifier() else text


# --------------------------------------------------------------------------------- concrete sizes


def guess(hints: dict[Node, int], size: Any) -> int | None:
    """Compute a size from known sizes of some symbols; None if they are not enough."""
    if not isinstance(size, Node):
        return known(size)
    for part in operands_first([size]):
        values = [hints.get(o, o.value) for o in part.operands]
        if part not in hints and values and None not in values:
            with suppress(NamedTensorError):
                hints[part] = run_on_numbers(part.operation, values)
    found: int | None = hints.get(size, size.value)
    return found


def retype(node: Node, types: Mapping[str, Type | float]) -> Type:
    """Check a tree again with the sizes that its arguments really have.

    Raises the error of the first operation whose operands do not fit.
    """
    return retyped(node, types).type


def retyped(node: Node, types: Mapping[str, Type | float]) -> Node:
    """Rebuild a tree on arguments with known sizes, and known numbers."""
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


def _retype_one(node: Node, types: Mapping[str, Any], operands: tuple[Node, ...]) -> Node:
    kind = node.operation.primitive
    if kind is ARGUMENT:
        name = node.operation.params[0]
        if type(types[name]) is float:
            return number(types[name])
        return argument(name, replace(node.type, axes=types[name].axes))
    if kind is SIZE:
        name, place, _ = node.operation.params
        size = types[name].axes[place][1]
        return size if isinstance(size, Node) else number(size)
    if kind is NUMBER or not node.operands:
        return node
    folded = fold(node, operands)
    return folded if folded is not None else apply_node(node.operation, operands)


def fold(node: Node, operands: tuple[Node, ...]) -> Node | None:
    """Compute an operation whose operands are all known numbers."""
    if not node.type.host or not operands:
        return None
    if any(o.operation.primitive is not NUMBER for o in operands):
        return None
    return number(run_on_numbers(node.operation, [o.value for o in operands]))


def plan_for_numbers(operation: Operation, values: Sequence[Any]) -> Plan:
    """Give the plan of an operation on Python numbers of these types, which is made once."""
    key = ("numbers", *map(type, values))
    known: Plan | None = operation.plans.get(key)
    if known is not None:
        return known
    leaves = [number(v).type for v in values]
    names = [f"x{i}" for i in range(len(values))]
    arguments = [(n, t, ()) for n, t in zip(names, leaves, strict=True)]
    nodes = tuple([argument(n, t) for n, t in zip(names, leaves, strict=True)])
    node = apply_node(operation, nodes, tuple(map(repr, values)))
    plan = compile_plan(operation.name, node, arguments, get_backend("host"))
    made: Plan = operation.plans.setdefault(key, plan)
    return made


def run_on_numbers(operation: Operation, values: Sequence[Any]) -> Any:
    """Apply an operation to Python numbers."""
    plan = plan_for_numbers(operation, values)
    try:
        return plan.run(*values)
    except (ArithmeticError, ValueError, TypeError) as error:
        call = operation.write(tuple(map(repr, values)))
        raise no_number(call, error) from None


def no_number(
    call: str, error: Exception, shapes: Sequence[tuple[str, str]] = ()
) -> NamedTensorError:
    """Say why Python numbers have no result, in the same words whatever Python it is."""
    why = str(error.args[-1]) if error.args else ""
    if isinstance(error, ZeroDivisionError):
        why = "division by zero"
    elif isinstance(error, ValueError):
        why = "math domain error"
    hint = "tensors give nan or inf where Python numbers give none"
    return NamedTensorError(call, why, shapes, hint)
