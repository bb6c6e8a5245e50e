"""One entry of the table: a primitive, and a primitive with its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import shown
from namedtensor.compilers import STORE, caches_closed, constant_for_compilers
from namedtensor.primitives.call import Call
from namedtensor.primitives.notation import Notation
from namedtensor.primitives.type import Type

_TABLE: dict[str, Primitive] = {}
_PLAIN: dict[str, Operation] = {}


class Primitive:
    """Say what one operation is: its shape rule and its lowering to positional array calls.

    `rule(call)` checks the operands' types and gives the result's; `lower(emit, call, *values)`
    emits the positional code for operands in any storage order. `write` gives the call as the
    user typed it, for messages. `effect` marks results that differ from call to call. `diagnose`
    looks at the data of a call that failed, and gives an error class, the reason and a hint.
    `trusted(node)` says that the library itself refuses sizes that differ. `notation` is its LaTeX.
    """

    __slots__ = (
        "diagnose",
        "effect",
        "lower",
        "name",
        "notation",
        "operations",
        "plain",
        "rule",
        "trusted",
        "write",
    )

    def __init__(
        self,
        name: str,
        rule: Callable[[Call], Type],
        lower: Callable[..., Any],
        write: Callable[[Operation, tuple[str, ...]], str] | None = None,
        effect: bool = False,
        diagnose: Callable[..., Any] | None = None,
        trusted: Callable[..., bool] | None = None,
        notation: Notation | None = None,
    ) -> None:
        self.name = name
        self.rule = rule
        self.lower = lower
        self.write = write or _write_prefix
        self.effect = effect
        self.diagnose = diagnose
        self.trusted = trusted
        self.notation = notation
        self.operations: dict[Any, Operation] = {}
        self.plain: Operation = plain_operation(name)
        self.plain.primitive = self
        self.operations[()] = self.plain

    def __call__(self, *params: Any) -> Operation:
        operation = self.operations.get(params)
        if operation is None:
            if caches_closed():
                kept: Operation = getattr(STORE, _operation_name(self.name, params))
                return kept
            operation = self.operations[params] = Operation(self, params)
        return operation

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)


class Operation:
    """A primitive with its parameters: softmax[seq], index[vocab], ...

    `plans` caches compiled plans by the layouts of the operands.
    """

    __slots__ = ("params", "plans", "primitive")

    primitive: Primitive
    params: tuple[Any, ...]
    plans: dict[Any, Any]

    def __init__(self, primitive: Primitive, params: tuple[Any, ...]) -> None:
        self.primitive = primitive
        self.params = params
        self.plans = {}

    @property
    def name(self) -> str:
        return self.primitive.name

    def typed(
        self, types: tuple[Type, ...], labels: tuple[str, ...], values: tuple[Any, ...] = ()
    ) -> Call:
        """Check the operands and find the result's type; the call also holds what stays to check."""
        call = Call(self, types, labels, values)
        call.result = self.primitive.rule(call)
        return call

    def write(self, labels: tuple[str, ...]) -> str:
        return self.primitive.write(self, labels)

    def __repr__(self) -> str:
        return f"{self.name}{list(self.params)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return self.primitive, self.params


def primitive(
    name: str, rule: Callable[[Call], Type], lower: Callable[..., Any], **rest: Any
) -> Primitive:
    """Add an entry to the table."""
    entry = _TABLE[name] = Primitive(name, rule, lower, **rest)
    return entry


def plain_operation(name: str) -> Operation:
    """Give the operation without parameters of a primitive that may yet have to be defined."""
    operation = _PLAIN.get(name)
    if operation is None:
        operation = _PLAIN[name] = Operation.__new__(Operation)
        operation.params = ()
        operation.plans = {}
    return operation


def table() -> dict[str, Primitive]:
    """Give the one table: name -> primitive."""
    return _TABLE


@constant_for_compilers
def _operation_name(name: str, params: tuple[Any, ...]) -> str:
    """Give the name under which an operation is kept for graph compilers."""
    return STORE.name(("operation", name, params), lambda: Operation(_TABLE[name], params))


def _find(name: str) -> Primitive:
    return _TABLE[name]


def _write_prefix(operation: Operation, labels: tuple[str, ...]) -> str:
    params = operation.params
    if params and isinstance(params[0], tuple):
        params = params[0]
    axes = ", ".join([shown(p) for p in params if isinstance(p, str)])
    return f"{operation.name}{f'[{axes}]' if axes else ''}({', '.join(labels)})"
