"""Trace: run a formula's body once on symbols, and compile the expression that comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from namedtensor.backends import get_backend
from namedtensor.errors import BackendError, NamedTensorError, TraceError
from namedtensor.formula.arguments import Given
from namedtensor.formula.body import Body
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.rewrite import Fired, rewrite
from namedtensor.formula.shared import needed as needed_by
from namedtensor.formula.state import RUNNING, Cell, kept
from namedtensor.operations.lifting import OnlyWhenItRuns
from namedtensor.operations.training import MODE
from namedtensor.plans import Plan, compile_plan
from namedtensor.plans.compile import collect_guards, fold, not_held, refused_by, retyped
from namedtensor.primitives import Node, Type, argument, number, size_of
from namedtensor.primitives.node import ARGUMENT, apply_node, operands_first
from namedtensor.primitives.origins import Origins, noted_in
from namedtensor.tensor import SymbolicTensor, tracing
from namedtensor.tensor.apply import sizes_held, type_of

#: A number in a formula's call that its plan takes as an argument.
_NUMBER = Type((), "float", host=True)


class Trace:
    """One trace of a formula for arguments of known layouts.

    Sizes are symbols, read when the code runs. If Python needs the number of a size (in `range`, say), the
    trace is valid for that number only, which `guards` records. With `concrete`, sizes are the numbers that
    the arguments have, so that errors can name them.
    """

    def __init__(
        self,
        body: Body,
        given: Given,
        fused: bool = True,
        concrete: bool = False,
    ) -> None:
        self.body = body
        self.given = given = given.apart() if concrete else given
        self.leaves = given.leaves
        self.fused = fused
        self.concrete = concrete
        # whether the body has asked for the mode
        self.asked = False
        # the functions of the bodies that have run
        self.functions: list[Any] = []
        self.guards: tuple[tuple[Node, Any], ...] = ()
        self.size_guards: list[tuple[Any, Any]] = []
        # those that the formulas within ask for by their names
        self.inner_guards: list[tuple[Any, Any]] = []
        self.origins = Origins()
        self.fired: tuple[Fired, ...] = ()
        self.nodes: tuple[Node, ...] = ()
        self.library = ""
        self.written: tuple[Node, ...] = ()
        # the states that the body has updated, and the trees of their new values
        self.updates: dict[str, Cell] = {}
        self.stored: tuple[Node, ...] = ()
        self.entry = Entry(body.name, given.leaves, body.signature.results)
        self.entry.agree()
        self.types = _types_of(given)

    # ------------------------------------------------------------------------------- the door

    def _symbolic_type(self, leaf: Leaf, canonical: dict[Any, Any]) -> Type:
        """Give each axis a size symbol; one name has one size among the formula's arguments."""
        found = self.types[leaf.path]
        if self.concrete:
            return found
        axes = []
        for place, (name, _) in enumerate(found.axes):
            own: Any = size_of(leaf.path, name, place)
            if "." not in leaf.path:
                first = canonical.setdefault(self.entry.size_key(leaf, name), own)
                if first is not own:
                    self.size_guards.append((first, own))
                    own = first
            axes.append((name, own))
        for axis in leaf.space.axes:
            if isinstance(axis.size, int):
                self.size_guards.append((dict(axes)[axis.name], axis.size))
        return found.with_axes(axes)

    def _enter(self) -> dict[str, Any]:
        canonical: dict[Any, Any] = {}
        entered = {}
        self.arguments: list[tuple[str, Type, tuple[str, ...]]] = []
        self.sizes: dict[str, Any] = {}
        for leaf in self.leaves:
            if isinstance(leaf.tensor, SymbolicTensor):
                entered[leaf.path] = self.entry.enter(leaf)
                continue
            outer = self._symbolic_type(leaf, canonical)
            inner = self.entry.fresh_type(leaf, outer)
            names = dict(zip(outer.names, inner.names, strict=True))
            self.arguments.append((leaf.path, outer, tuple([names[a] for a in leaf.axes])))
            entered[leaf.path] = SymbolicTensor(argument(leaf.path, inner))
            if "." not in leaf.path:
                for name in leaf.space.names:
                    self.sizes.setdefault(name, inner.size(name))
        for alike, _ in self.given.rows:
            held = self.arguments[alike.start : alike.start + alike.width]
            alike.nodes = tuple([entered[path].node for path, _, _ in held])
            entered[alike.path] = alike
        self._sizes_of_symbols()
        for name in () if self.concrete else self.given.numbers:
            self.arguments.append((name, _NUMBER, ()))
            entered[name] = SymbolicTensor(argument(name, _NUMBER))
        return entered

    def _sizes_of_symbols(self) -> None:
        """Require index-defined arguments to have the sizes of the others, or take sizes from the others."""
        for leaf in self.leaves:
            if not isinstance(leaf.tensor, SymbolicTensor) or "." in leaf.path:
                continue
            for name in leaf.space.names:
                size = leaf.tensor.node.type.size(name)
                if self.sizes.get(name) is None:
                    self.sizes[name] = size
                elif size is not None:
                    self.size_guards.append((self.sizes[name], size))

    # ------------------------------------------------------------------------------- the body

    def run(self) -> list[Any]:
        """Run the body once and give its results as symbols with the caller's axis names."""
        entered = self._enter()
        token = tracing.set(self._specialise)
        before, MODE.asked = MODE.asked, False
        shared, RUNNING.shared = RUNNING.shared, None if self.concrete else {}
        functions, RUNNING.functions = RUNNING.functions, self.functions
        sizes = sizes_held.set(self.inner_guards)
        try:
            with noted_in(self.origins):
                result = self.body.run(self.given.values, entered, self._axis_size, self.given.mode)
        finally:
            RUNNING.shared = shared
            RUNNING.functions = functions
            sizes_held.reset(sizes)
            if functions is not None:
                functions += self.functions
            tracing.reset(token)
            self.asked = MODE.asked is True
            MODE.asked = before if before is None else before or self.asked
        results, updates = self.body.results_of(result, self.entry, self.origins)
        self.updates = updates
        self.stored = tuple([kept(cell).node for cell in updates.values()])
        if not all(isinstance(r, SymbolicTensor) for r in results):
            raise self.entry.error(
                TraceError,
                "the body returned a named tensor that is none of its arguments",
                "pass it as an argument, or leave the body untraced with @formula(trace=False)",
            )
        return results

    def _axis_size(self, name: str) -> Any:
        size = self.body.size(self.sizes, name)
        if isinstance(size, Node):
            self.origins.note(size)
        return SymbolicTensor(size) if isinstance(size, Node) else size

    def _specialise(self, node: Node) -> Any:
        """Give the value of a size or a number at this call, and make the trace valid for that value only."""
        value = retyped(node, {**self.types, **self.given.numbers}).value
        if value is None and _kept_open(self.types):
            raise OnlyWhenItRuns
        if value is None:
            raise TraceError(
                f"{self.body.name}(...)",
                f"the body asks for the number of {node!r}, which is not known here",
                hint="leave the body untraced with @formula(trace=False)",
            )
        if (node, value) not in self.guards:
            self.guards = (*self.guards, (node, value))
        return value

    @staticmethod
    def holds(guards: Sequence[tuple[Node, Any]], given: Given) -> bool:
        """Say whether the sizes and numbers that a body used in Python have the same values at this call."""
        if not guards:
            return True
        known = _Known({**_types_of(given), **given.numbers})
        known.stacks = tuple([f"{alike.path}." for alike, _ in given.rows])
        found = [(retyped(node, known).value, value) for node, value in guards]
        # 0.0 and -0.0 are equal, and two values
        return all([number == value and str(number) == str(value) for number, value in found])

    # ------------------------------------------------------------------------------- compiling

    def compile(self) -> Plan:
        failure: NamedTensorError | None = None
        try:
            results = self.run()
        except NamedTensorError as error:
            failure = error
        if failure is not None:
            # the same error, with the sizes that the arguments have, and in one traceback
            Trace(self.body, self.given, concrete=True).run()
            raise failure
        hints = {
            size: number
            for path, outer, _ in self.arguments
            if path in self.types
            for (_, size), (_, number) in zip(outer.axes, self.types[path].axes, strict=True)
            if type(number) is int
        }
        arguments = [
            (path, outer.with_axes(zip(axes, [s for _, s in outer.axes], strict=True)), axes)
            for path, outer, axes in self.arguments
        ]
        after = {p.name for p in self.body.signature.after}
        self.written = written = tuple([r.node for r in results])
        again = {
            part.operation.params[0]
            for part in operands_first(written, needed_by)
            if part.operation.primitive is ARGUMENT
        }
        self.written = written = (*written, *self.stored)
        backend = self._backend()
        self.library = backend.name
        self.nodes = written
        if self.fused:
            self.nodes, self.fired = rewrite(written, backend.name, self.origins)
        # what the formula needs is checked, whether or not its kernel would notice
        refused = refused_by(self.nodes) if self.fused else None
        needed = [g for node in written for g in collect_guards(node, refused)]
        plan = compile_plan(
            self.body.name,
            self.nodes,
            arguments,
            backend,
            guards=[*self.size_guards, *needed, *not_held(self.inner_guards, written)],
            hints=hints,
            stateful=any(leaf.state for leaf in self.leaves),
            rows=[alike for alike, _ in self.given.rows],
            weights=[a[0] for a in arguments if a[0].partition(".")[0] in after],
            updates=tuple(self.updates),
            used=tuple(
                [i for i, a in enumerate(arguments) if a[0] in self.updates and a[0] in again]
            ),
        )
        declared = self.body.signature.results or written[: len(written) - len(self.stored)]
        plan.orders = tuple(map(self._reading_order, written, (*declared, *self.stored)))
        return plan

    def _reading_order(self, node: Node, declared: Any) -> tuple[str, ...]:
        """Put the axes that passed through first, as the arguments have them, then the declared ones."""
        met = [axis for leaf in self.leaves for axis in leaf.axes if node.type.has(axis)]
        last = [] if declared is node else [axis for axis in declared.names if node.type.has(axis)]
        return tuple(dict.fromkeys([a for a in [*met, *node.type.names] if a not in last] + last))

    def _backend(self) -> Any:
        owners = [leaf for leaf in self.leaves if not isinstance(leaf.tensor, SymbolicTensor)]
        libraries = {leaf.tensor.layout.backend.name: leaf for leaf in reversed(owners)}
        if len(libraries) > 1:
            (b, second), (a, first) = list(libraries.items())[:2]
            # parameters stay where they are
            held = {
                leaf.tensor.layout.backend.name
                for leaf in owners
                if getattr(leaf.tensor.data, "requires_grad", False)
            }
            moved, to = (first, b) if b in held else (second, a)
            raise self.entry.error(
                BackendError,
                f"{first.path} is a {a} tensor and {second.path} a {b} tensor; data never changes "
                "library by itself",
                f'convert one of them: {moved.path}.to("{to}")',
            )
        if not owners:
            return get_backend("numpy")
        return owners[0].tensor.layout.backend


class _Known(dict[str, Any]):
    """The types and numbers of a call; bundles that are alike have those of the first one."""

    stacks: tuple[str, ...] = ()

    def __missing__(self, path: str) -> Any:
        for stack in self.stacks:
            place, dot, name = path.removeprefix(stack).partition(".")
            if path.startswith(stack) and place != "0" and dot:
                return self[f"{stack}0.{name}"]
        raise KeyError(path)


def _types_of(given: Given) -> dict[str, Type]:
    """Give the types of a call's tensors; a size that torch.export keeps open is a symbol."""
    found = {}
    for leaf in given.leaves:
        own = type_of(leaf.tensor)
        if not all([size is None or isinstance(size, (int, Node)) for _, size in own.axes]):
            own = own.with_axes(
                [
                    (axis, size if isinstance(size, int) else size_of(leaf.path, axis, place))
                    for place, (axis, size) in enumerate(own.axes)
                ]
            )
        found[leaf.path] = own
    return found


def _kept_open(types: Mapping[str, Type]) -> bool:
    """Say whether data has sizes that are no numbers."""
    return any([isinstance(size, Node) for t in types.values() for _, size in t.axes])


def alike(opened: Trace, fixed: Trace) -> bool:
    """Say whether a trace that takes numbers as arguments is one for these numbers, and for others.

    Both come of one call. A body may ask for a number in ways that leave no trace, such as
    isinstance; then the trees differ. What Python was told, but for truth values, is in the guards.
    """
    pairs = list(zip(opened.written, fixed.written, strict=True))
    seen: dict[Node, Node] = {}
    while pairs:
        a, b = pairs.pop()
        if a.type.host:
            a = _settled(a, opened.given.numbers)
        if a is b or seen.get(a) is b:
            continue
        if (a.operation, a.type, len(a.operands)) != (b.operation, b.type, len(b.operands)):
            return False
        seen[a] = b
        pairs += zip(a.operands, b.operands, strict=True)
    asked = all([type(value) is not float for _, value in opened.guards])
    return asked and [f.rule for f in opened.fired] == [f.rule for f in fixed.fired]


def _settled(node: Node, numbers: Mapping[str, float]) -> Node:
    """Substitute numbers in a tree of numbers and sizes."""
    done: dict[Node, Node] = {}
    for part in operands_first([node]):
        operands = tuple([done[o] for o in part.operands])
        if part.operation.primitive is ARGUMENT and part.operation.params[0] in numbers:
            done[part] = number(numbers[part.operation.params[0]])
        elif operands == part.operands:
            done[part] = part
        else:
            done[part] = fold(part, operands) or apply_node(part.operation, operands)
    return done[node]
