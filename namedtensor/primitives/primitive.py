"""One entry of the table: a primitive, and a primitive with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from namedtensor.axes import shown
from namedtensor.compilers import MAKING, STORE, caches_closed, constant_for_compilers, keep
from namedtensor.primitives.call import Call
from namedtensor.primitives.notation import Notation
from namedtensor.primitives.traits import Bounds, Cost, Traits
from namedtensor.primitives.type import Type

if TYPE_CHECKING:
    from namedtensor.primitives.node import Node

#: Gives the cost of one use; absent if the default for the traits is right.
CostRule: TypeAlias = "Callable[[Node], Cost]"
#: Gives the bounds of the result of one use from those of its operands, and from how many records it uses
#: up or acts along, at most. It is absent where the default for its traits is right.
BoundsRule: TypeAlias = "Callable[[Node, list[tuple[float, float]], float], Bounds]"

PLAIN = Traits()

#: How many operations of a primitive are cached; older ones live as long as something refers to them.
MOST = 512

_TABLE: dict[str, Primitive] = {}
_PLAIN: dict[str, Operation] = {}


class Primitive:
    """Say what one operation is: its shape rule and its lowering to positional array calls.

    `rule(call)` checks the operands' types and gives the result's; `lower(emit, call, *values)`
    emits the positional code for operands in any storage order. `write` gives the call as the
    user typed it, for messages. `effect` marks results that differ from call to call. `diagnose`
    looks at the data of a call that failed, and gives an error class, the reason and a hint.
    `trusted(node)` says that the library itself refuses sizes that differ. `notation` is its LaTeX.
    `traits` hold for every use, `cost(node)` is the cost of one use, `bounds(node, operands, records)` an
    interval that contains its result.

    One of three rules, written in our own operations, gives its derivative; none is needed where it
    is pointwise and linear, or stepped. `slopes` has a partial derivative for each operand of a
    pointwise operation: slope(*operands, result). `differential(use, place, d)` is the change of the
    result for a change d of one operand. `transpose(use, place, g)` is for an operand in which the
    operation is linear: it gives the operand's share of a gradient g of the result; `share` gives it
    where the transposed differential cannot be found. Changes and gradients may have further axes,
    which lift.
    """

    __slots__ = (
        "bounds",
        "cost",
        "diagnose",
        "differential",
        "effect",
        "living",
        "lower",
        "name",
        "notation",
        "operations",
        "plain",
        "rule",
        "share",
        "slopes",
        "traits",
        "transpose",
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
        traits: Traits = PLAIN,
        slopes: Sequence[Callable[..., Any] | None] = (),
        differential: Callable[..., Any] | None = None,
        transpose: Callable[..., Any] | None = None,
        share: Callable[..., Any] | None = None,
        cost: CostRule | None = None,
        bounds: BoundsRule | None = None,
    ) -> None:
        self.name = name
        self.rule = rule
        self.lower = lower
        self.write = write or _write_prefix
        self.effect = effect
        self.diagnose = diagnose
        self.trusted = trusted
        self.notation = notation
        self.traits = traits
        self.slopes = tuple(slopes)
        self.differential = differential
        self.transpose = transpose
        self.share = share
        self.cost = cost
        self.bounds = bounds
        self.operations: dict[Any, Operation] = {}
        self.living: WeakValueDictionary[Any, Operation] = WeakValueDictionary()
        self.plain: Operation = plain_operation(name)
        self.plain.primitive = self
        self.living[()] = self.operations[()] = self.plain

    def __call__(self, *params: Any) -> Operation:
        operation = self.operations.get(params)
        if operation is None:
            if caches_closed():
                kept: Operation = getattr(STORE, _operation_name(self.name, params))
                return kept
            with MAKING:
                operation = self.living.get(params)
                if operation is None:
                    operation = self.living[params] = Operation(self, params)
                keep(self.operations, params, operation, MOST)
        return operation

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)


class Operation:
    """A primitive with its parameters: softmax[seq], index[vocab], ...

    `plans` caches compiled plans by the layouts of the operands.
    """

    __slots__ = ("__weakref__", "params", "plans", "primitive")

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
        """Check the operands and find the result's type; the call also keeps the guards."""
        call = Call(self, types, labels, values)
        call.result = self.primitive.rule(call)
        if call.result.weak and not call.weak:  # a rule may return one operand's type unchanged
            call.result = replace(call.result, weak=False)
        self._open(call)
        return call

    def _open(self, call: Call) -> None:
        """Mark a real result as open if it is computed from whole numbers or truth values alone."""
        result = call.result
        found = result.data and result.kind in ("float", "complex")
        if found and not self.primitive.traits.dtype:
            data = [t for t in call.types if t.data]
            found = bool(data) and not any(t.settled for t in data)
        else:
            found = False
        if found is not result.open:
            call.result = replace(result, open=found)

    def renamed(self, names: Mapping[str, str]) -> Operation:
        """Give the operation with other names for the axes among its parameters."""

        def named(param: Any) -> Any:
            if isinstance(param, tuple):
                return tuple([named(inner) for inner in param])
            return names.get(param, param) if isinstance(param, str) else param

        return self.primitive(*named(self.params))

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
    """Give the operation without parameters of a primitive, which may be defined later."""
    operation = _PLAIN.get(name)
    if operation is None:
        operation = _PLAIN[name] = Operation.__new__(Operation)
        operation.params = ()
        operation.plans = {}
    return operation


def table() -> dict[str, Primitive]:
    """Give the table of all primitives: name -> primitive."""
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
