"""Formula: a function on named tensors, checked at its door, traced once, run as positional code."""

from __future__ import annotations

import functools
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from namedtensor.compilers import STORE, compiling, constant_for_compilers, give_up_compiling
from namedtensor.errors import (
    KindError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.formula.arguments import Arguments
from namedtensor.formula.body import Body
from namedtensor.formula.door import Door, gather
from namedtensor.formula.lifting import Entry, Leaf, tensors_of
from namedtensor.formula.signature import Signature, caller_scope, read_signature
from namedtensor.formula.trace import Trace
from namedtensor.formula.written import Written, kept_call, write, writing
from namedtensor.plans import Layout, Mismatch, Plan
from namedtensor.primitives.node import Node, describe
from namedtensor.tensor import NamedTensor, SymbolicTensor
from namedtensor.tensor.apply import LIBRARY_ERRORS, NUMBERS

#: So many plans for one set of layouts mean that each call makes its own.
MANY_PLANS = 16

_new = object.__new__  # half the time of calling the class


class Formula:
    """A formula f(X; W, b) with declared axes; made by the decorator `formula`."""

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Signature,
        trace: bool = True,
        fuse: bool = True,
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.signature = signature
        self.door = Door(signature)
        self.arguments = Arguments(self)
        self.body = Body(self)
        self.said = f"{self.name}{signature}"
        self.traced = trace
        self.fused = fuse
        self.plans: dict[Any, list[tuple[tuple[Any, ...], Plan]]] = {}
        # text, which a graph compiler takes for a constant where it makes a number dynamic
        self.number = str(next(_serial))
        _numbered[self.number] = self
        functools.update_wrapper(self, function)

    # ------------------------------------------------------------------------------- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.call_known(args, kwargs)
        if found is not None:
            return found
        values = self.arguments.bind(args, kwargs)
        leaves, key = self.arguments.flatten(values)
        if not leaves:
            values = self.arguments.named_numbers(values)
            leaves, key = self.arguments.flatten(values)
        if any(
            isinstance(leaf.tensor, SymbolicTensor) and not leaf.tensor.node.closed
            for leaf in leaves
        ):
            if writing():
                return kept_call(self, values, leaves, lambda: self.body.inline(values, leaves))
            return self.body.inline(values, leaves)
        if not self.traced:
            return self.body.inline(values, leaves)
        plan = self._plan(key, values, leaves)
        arrays = [X.data for X in tensors_of(leaves)]
        try:
            data = plan.run(*arrays)
        except LIBRARY_ERRORS as error:
            if compiling():
                why = misfit(self.number, _shapes(leaves), *_constants(key))
                if why:
                    give_up_compiling(why)
            return self._as_written(values, leaves, error)
        return self._wrapped(plan, data)

    def _wrapped(self, plan: Plan, data: Any) -> Any:
        """Name a plan's results."""
        if self.signature.several:
            return tuple([NamedTensor(d, at) for d, at in zip(data, plan.layouts, strict=True)])
        return NamedTensor(data, plan.layout)

    def call_known(
        self, args: Sequence[Any], named: Mapping[str, Any], module: Any = None
    ) -> Any | None:
        """Call a formula whose plan is known, or give None: the path of almost every call.

        A module holds the parameters. Where the library finds fault, the long path finds the words.
        """
        if not self.traced:
            return None
        door = self.door
        settings = {} if module is None else module.settings
        values = door.bind(args, named, settings, late=module is None)
        if values is None:
            return None
        key: list[Any] = []
        arrays: list[Any] = []
        slots = door.every if module is None else door.before
        if not gather(slots, values, key, arrays):
            return None
        try:
            if compiling():
                return self._call_compiling(key, arrays, module)
            if module is not None and not module.gather(key, arrays):
                return None
            known = self.plans.get(tuple(key))
            if not known or known[0][0] or not arrays:
                return None
            plan = known[0][1]
            data = plan.run(*arrays)
        except LIBRARY_ERRORS:
            return None
        if self.signature.several:
            return self._wrapped(plan, data)
        result: NamedTensor = _new(NamedTensor)
        result._data = data
        result._layout = plan.layout
        return result

    def _call_compiling(self, key: list[Any], arrays: list[Any], module: Any) -> Any | None:
        """Call a formula that a graph compiler reads, in few steps: it reads every one of them."""
        parts = _constants(key)
        if module is not None and not module.gather(parts, arrays):
            return None
        name = plan_formula(self.number, None, *parts)
        if not arrays or not name:
            return None
        plan: Plan = getattr(STORE, name)
        return self._wrapped(plan, plan.run(*arrays))

    @property
    def parameters_after(self) -> tuple[str, ...]:
        """The names after the semicolon, settings among them."""
        return tuple([p.name for p in self.signature.parameters if p.after])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names after the semicolon, settings left out."""
        return tuple([p.name for p in self.signature.parameters if p.after and not p.setting])

    # ------------------------------------------------------------------------------- tracing

    def _plan(self, key: tuple[Any, ...], values: dict[str, Any], leaves: Sequence[Leaf]) -> Plan:
        if compiling():
            parts = _constants(key)
            name = plan_formula(self.number, None, *parts)
            if not name:  # the body may ask for a size, which is then a constant of the graph
                name = plan_formula(self.number, _shapes(leaves), *parts)
            kept: Plan = getattr(STORE, name)
            return kept
        known = self.plans.get(key)
        if known is not None:
            for guards, plan in known:
                if not guards or all(Trace.holds(g, leaves) for g in guards):
                    return plan
        trace = Trace(self, values, leaves)
        plan = trace.compile()
        found = self.plans.setdefault(key, [])
        found.append((trace.guards, plan))
        if len(found) == MANY_PLANS:
            self._warn_of_many_plans(trace)
        return plan

    def _warn_of_many_plans(self, trace: Trace) -> None:
        """Say once which size makes a new plan at each call."""
        sizes = ", ".join([describe(node) for node, _ in trace.guards])
        warnings.warn(
            f"{self.name} was planned {MANY_PLANS} times: its body asks Python for the number |{sizes}|, "
            "so that each number is another plan; let the formula compute with abs(ax) instead of "
            "int(abs(ax)) or range(abs(ax)), or leave the body untraced with @formula(trace=False)",
            stacklevel=4,
        )

    def _as_written(self, values: dict[str, Any], leaves: Sequence[Leaf], error: Exception) -> Any:
        """Find the words for a failure, or the result where only a kernel has failed.

        Sizes are checked at the door; then the body runs operation by operation, which gives what a
        kernel refuses: a dtype, an axis of size 0, an index that lies outside.
        """
        self.check_sizes(values, leaves)
        result = self.body.inline(values, leaves)
        if isinstance(error, Mismatch) or "memory" in str(error):
            raise error from None
        return result

    def check_sizes(self, values: dict[str, Any], leaves: Sequence[Leaf]) -> None:
        """Raise in words where sizes do not fit: those of the arguments, then those in the body."""
        Entry(self.name, leaves, self.signature.results).agree()
        Trace(self, values, leaves, concrete=True).run()

    # ------------------------------------------------------------------------ what can be asked

    def shape(self, *arguments: Any, **named: Any) -> Any:
        """Give the shape of the result for arguments of these shapes, without data.

        Shapes are strings, axes or tensors; sizes may be left open. Parameters that are not given
        have their declared axes.

        >>> from namedtensor import R, axes, formula
        >>> seq, emb, hid = axes("seq emb hid")
        >>> @formula
        ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        ...     return W @ emb @ X
        >>> project.shape("seq[7] emb[512]", W="emb[512] hid[64]")
        hid[64] x seq[7]
        """
        from namedtensor.formula.shapes import shape_of

        return shape_of(self, arguments, named)

    def code(self, *args: Any, **kwargs: Any) -> str:
        """Give the positional source that runs for these arguments."""
        values = self.arguments.bind(args, kwargs)
        leaves, key = self.arguments.flatten(values)
        return self._plan(key, values, leaves).source

    def written(self, **settings: Any) -> Written:
        """Give the expression as the body writes it: names of its parts and calls of formulas kept."""
        return write(self, settings)

    def latex(self, dialect: str = "macros", **settings: Any) -> str:
        """Print the equation: declarations of what it takes, then f(X; W) = ...

        `dialect` is "macros" for the notation's style file, or "underset" for plain LaTeX. A setting
        without a default is given by name.

        >>> from namedtensor import R, axes, formula
        >>> emb, hid = axes("emb hid")
        >>> @formula
        ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        ...     return W @ emb @ X
        >>> print(project.latex("underset").splitlines()[3])
        \\text{project}(X; W) &= W \\underset{\\text{emb}}{\\cdot} X
        """
        from namedtensor.latex.printing.printer import latex_of

        return latex_of(self.written(**settings), dialect)

    def _repr_latex_(self) -> str | None:
        try:
            return self.latex("underset")
        except NamedTensorError:
            return None  # a notebook then shows the signature

    def module(
        self, *axes: Any, init: Any = None, dtype: Any = None, device: Any = None, **settings: Any
    ) -> Any:
        """Make a torch.nn.Module whose parameters stand after the semicolon.

        Sizes come by axis: FFN.module(emb[512], hid[2048]). Weights start as suits their role in
        the formula; `init` overrides it by name, with a function that fills a torch tensor.

        Raises: AxisSizeError where a parameter's axis has no size.
        """
        from namedtensor.nn.module import make_module

        return make_module(self, axes, init, dtype, device, settings)

    def __repr__(self) -> str:
        return self.said

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"the formula {self.name} is not a sequence")

    def __reduce__(self) -> str:
        return self.function.__qualname__


_numbered: WeakValueDictionary[str, Formula] = WeakValueDictionary()
_serial = itertools.count()


def _constants(key: Sequence[Any]) -> list[Any]:
    """Write a key as constants of a graph compiler: layouts by their codes."""
    return [part.code if isinstance(part, (Layout, Node)) else _constant(part) for part in key]


def _constant(part: Any) -> Any:
    """Make a number a constant of a graph compiler, which may make it dynamic, as it may no set's key."""
    if type(part) is tuple:
        return tuple([_constant(p) for p in part])
    return next(iter({part})) if type(part) in NUMBERS else part


Shapes = tuple[tuple[int, ...], ...]


def _shapes(leaves: Sequence[Leaf]) -> Shapes:
    """Give the sizes of a call's data as constants."""
    return tuple([_constant(tuple(X.data.shape)) for X in tensors_of(leaves)])


@constant_for_compilers
def plan_formula(number: str, shapes: Shapes | None, *parts: Any) -> str:
    """Plan a formula for the parts of a key, layouts as codes, parameters' as dtypes; name the plan.

    A graph compiler runs this outside of its graph, where tracing the body is plain Python. Without
    shapes the plan is for all sizes, and a formula that has none, or is at fault, gives no name.
    """

    def make() -> Plan:
        formula, values, leaves, key = _of_constants(number, parts, shapes)
        known = formula.plans.get(key)
        if known and not known[0][0]:
            return known[0][1]
        return Trace(formula, values, leaves).compile()

    try:
        return STORE.name(("formula", number, parts, shapes), make)
    except (NamedTensorError, TypeError):
        if shapes is None:
            return ""
        raise


@constant_for_compilers
def misfit(number: str, shapes: Shapes, *parts: Any) -> str:
    """Find the words for sizes that do not fit; a graph compiler could not follow their making."""
    formula, values, leaves, _ = _of_constants(number, parts, shapes)
    try:
        formula.check_sizes(values, leaves)
    except NamedTensorError as error:
        return str(error)
    return ""


def _of_constants(
    number: str, parts: Sequence[Any], shapes: Shapes | None
) -> tuple[Formula, dict[str, Any], list[Leaf], tuple[Any, ...]]:
    """Undo `_constants`: the formula, and what it is called with, as stand-ins without data."""
    formula = _numbered[number]
    values = formula.arguments.values_of(iter(parts))
    leaves, key = formula.arguments.flatten(values)
    for X, shape in zip(tensors_of(leaves), shapes or (), strict=shapes is not None):
        X.data.shape = shape
    return formula, values, leaves, key


def formula(
    function: Callable[..., Any] | None = None, *, trace: bool = True, fuse: bool = True
) -> Any:
    """Make a formula of a function whose arguments and result have declared axes.

        @formula
        def f(X: R[seq, emb], *, W: R[emb, hid]) -> R[seq, hid]: ...

    Arguments before the * are the formula's arguments, those after it its parameters, f(X; W).
    Axes that an argument has beyond its declaration pass through untouched. `trace=False` runs the
    body on data each time, for Python that depends on numbers. `fuse=False` runs the operations as
    written, without kernels.

    Raises: AxisMissingError, AxisSizeError, AxisClashError, KindError, TraceError when called.

    >>> import namedtensor as nt
    >>> from namedtensor import R, axes
    >>> emb, hid = axes("emb hid")
    >>> @formula
    ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    ...     return W @ emb @ X
    >>> project(nt.ones("seq[7] emb[2]"), W=nt.ones("emb[2] hid[3]")).shape
    seq[7] x hid[3]
    """
    scope = caller_scope(2)
    if function is not None and not inspect.isfunction(function):
        raise KindError(
            "@formula",
            f"a formula is made of a Python function, not of {kind_of_thing(function)}",
            hint="write it with def, and declare its axes: def f(X: R[seq]) -> R[seq]",
        )
    if function is None:
        return lambda inner: Formula(inner, read_signature(inner, scope), trace, fuse)
    return Formula(function, read_signature(function, scope), trace, fuse)
