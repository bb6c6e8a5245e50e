"""Trace: run a formula's body once on symbols, and compile the expression that comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from namedtensor.backends import get_backend
from namedtensor.errors import BackendError, NamedTensorError, TraceError
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.rewrite import Fired, rewrite
from namedtensor.plans import Plan, compile_plan
from namedtensor.plans.compile import collect_guards, retyped
from namedtensor.primitives import Node, Type, argument, size_of
from namedtensor.tensor import SymbolicTensor, tracing
from namedtensor.tensor.apply import type_of

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula


class Trace:
    """One trace of a formula for arguments of known layouts.

    Sizes are symbols, read when the code runs. Where Python asks a size for its number (in `range`,
    say), the trace holds for that number only: `guards` remembers which.
    With `concrete`, sizes are the numbers that the arguments have, so that errors can name them.
    """

    def __init__(
        self,
        formula: Formula,
        values: dict[str, Any],
        leaves: Sequence[Leaf],
        concrete: bool = False,
    ) -> None:
        self.formula = formula
        self.values = values
        self.leaves = leaves
        self.concrete = concrete
        self.guards: tuple[tuple[Node, Any], ...] = ()
        self.size_guards: list[tuple[Any, Any]] = []
        self.fired: tuple[Fired, ...] = ()
        self.nodes: tuple[Node, ...] = ()
        self.library = ""
        self.entry = Entry(formula.name, leaves, formula.signature.results)
        self.entry.agree()
        self.types = {leaf.path: type_of(leaf.tensor) for leaf in leaves}

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
        self._sizes_of_symbols()
        return entered

    def _sizes_of_symbols(self) -> None:
        """Hold index-defined arguments to the sizes of the others, or take sizes from them."""
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
        try:
            result = self.formula.body.run(self.values, entered, self._axis_size)
        finally:
            tracing.reset(token)
        results = self.formula.body.results_of(result, self.entry)
        if not all(isinstance(r, SymbolicTensor) for r in results):
            raise self.entry.error(
                TraceError,
                "the body returned a named tensor that is none of its arguments",
                "pass it as an argument, or leave the body untraced with @formula(trace=False)",
            )
        return results

    def _axis_size(self, name: str) -> Any:
        size = self.formula.body.size(self.sizes, name)
        return SymbolicTensor(size) if isinstance(size, Node) else size

    def _specialise(self, node: Node) -> Any:
        """Give a size its number at this call, and keep the trace for that number."""
        value = retyped(node, self.types).value
        if value is None:
            raise TraceError(
                f"{self.formula.name}(...)",
                f"the body asks for the number of {node!r}, which is not known here",
                hint="leave the body untraced with @formula(trace=False)",
            )
        if (node, value) not in self.guards:
            self.guards = (*self.guards, (node, value))
        return value

    @staticmethod
    def holds(guard: tuple[Node, Any], leaves: Sequence[Leaf]) -> bool:
        """Say whether a specialised size has the same number again."""
        node, value = guard
        return bool(
            retyped(node, {leaf.path: type_of(leaf.tensor) for leaf in leaves}).value == value
        )

    # ------------------------------------------------------------------------------- compiling

    def compile(self) -> Plan:
        failure: NamedTensorError | None = None
        try:
            results = self.run()
        except NamedTensorError as error:
            failure = error
        if failure is not None:
            # the same error, with the sizes that the arguments have, and in one traceback
            Trace(self.formula, self.values, self.leaves, concrete=True).run()
            raise failure
        hints = {
            size: number
            for path, outer, _ in self.arguments
            for (_, size), (_, number) in zip(outer.axes, self.types[path].axes, strict=True)
            if type(number) is int
        }
        arguments = [
            (path, outer.with_axes(zip(axes, [s for _, s in outer.axes], strict=True)), axes)
            for path, outer, axes in self.arguments
        ]
        written = tuple([r.node for r in results])
        backend = self._backend()
        self.library = backend.name
        self.nodes = written
        if self.formula.fused:
            self.nodes, self.fired = rewrite(written, backend.name)
        # what the formula needs is checked, whether or not its kernel would notice
        needed = [g for node in written for g in collect_guards(node)]
        return compile_plan(
            self.formula.name,
            self.nodes,
            arguments,
            backend,
            guards=[*self.size_guards, *needed],
            hints=hints,
        )

    def _backend(self) -> Any:
        owners = [leaf for leaf in self.leaves if not isinstance(leaf.tensor, SymbolicTensor)]
        libraries = {leaf.tensor.layout.backend.name: leaf for leaf in reversed(owners)}
        if len(libraries) > 1:
            (b, second), (a, first) = list(libraries.items())[:2]
            raise self.entry.error(
                BackendError,
                f"{first.path} is a {a} tensor and {second.path} a {b} tensor; data never changes "
                "library by itself",
                f'convert one of them: {second.path}.to("{a}")',
            )
        if not owners:
            return get_backend("numpy")
        return owners[0].tensor.layout.backend
