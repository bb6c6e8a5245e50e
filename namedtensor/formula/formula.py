"""Formula: a function on named tensors, checked at its door, traced once, run as positional code."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, NoReturn, overload
from weakref import WeakValueDictionary

from namedtensor.axes import HIDING, SIZES, shown
from namedtensor.backends import get_backend
from namedtensor.compilers import STORE, compiling, constant_for_compilers, give_up_compiling
from namedtensor.doors import door
from namedtensor.errors import (
    AxisSizeError,
    BackendError,
    HabitError,
    KindError,
    NamedTensorError,
    TraceError,
    asked_by_us,
    caller_variables,
    first_line,
    flag,
    kind_of_thing,
    nearest,
    shorten,
)
from namedtensor.formula.alike import Apart
from namedtensor.formula.arguments import Arguments, Given
from namedtensor.formula.body import Body
from namedtensor.formula.bundle import Bundle
from namedtensor.formula.door import Door, Rest
from namedtensor.formula.keys import NUMBERED, gather
from namedtensor.formula.lifting import Entry, Leaf, refuse_meta, tensors_of
from namedtensor.formula.outside import Bound, Outside, read_by, values_now
from namedtensor.formula.shared import share, share_alike
from namedtensor.formula.signature import MayBeLeftOut, Signature, caller_scope, read_signature
from namedtensor.formula.state import RUNNING, hand_over, kept, with_cells
from namedtensor.formula.trace import Trace, alike
from namedtensor.formula.written import DerivedFrom, Written, kept_call, write, writing
from namedtensor.operations.lifting import OnlyWhenItRuns
from namedtensor.operations.training import MODE, training
from namedtensor.plans import LIBRARY_ERRORS, Layout, Mismatch, Plan
from namedtensor.plans.compile import no_number
from namedtensor.primitives.node import Node, describe
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor, SymbolicTensor
from namedtensor.tensor.apply import NUMBERS
from namedtensor.tensor.labels import warn_caller
from namedtensor.tensor.symbolic import on_symbols

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar

    from namedtensor.nn.module import FormulaModule

    P = ParamSpec("P", default=...)
    T = TypeVar("T", default=Any)
    S = TypeVar("S")
else:
    from typing import ParamSpec, TypeVar

    P, T, S = ParamSpec("P"), TypeVar("T"), TypeVar("S")

#: With so many plans for one set of layouts, a warning says that each call makes its own; and how many are
#: kept.
MANY_PLANS = 16
MOST_VALUES = 32
#: The same for sets of layouts and settings.
MANY_KEYS = 64
MOST_KEYS = 128

_new = object.__new__  # half the time of calling the class

#: What a body may raise when it uses a number in Python and the number is an argument of the plan.
_PYTHON_ERRORS = (TypeError, ValueError, KeyError, AttributeError)

#: What may be raised on the short path of a call; the long path then runs and makes the error.
_UNUSUAL = (*LIBRARY_ERRORS, LookupError, AttributeError, NamedTensorError)


class Formula(MayBeLeftOut, Generic[P, T]):
    """A formula f(X; W, b) with declared axes; made by the decorator `formula`."""

    #: Whether calls give their states, and update those of their callers: derivatives do not.
    threads = True

    #: What this formula is the derivative of, if it is one.
    derived: DerivedFrom | None = None
    #: Whether all bodies run on data; see debug.
    debugging = False

    def __init__(
        self,
        function: Callable[P, T] | None = None,
        signature: Signature | None = None,
        trace: bool = True,
        fuse: bool = True,
    ) -> None:
        if function is None or signature is None:
            hint = "`nt.formula` stands above a function whose arguments are declared"
            raise KindError("Formula(...)", "a formula is made of a function by formula", hint=hint)
        self.function = function
        self.name = function.__name__
        self.signature = signature
        self.door = Door(signature)
        self.arguments = Arguments(self.name, signature, self.door)
        self.body = Body(function, self.arguments)
        self.several = signature.several
        #: A function and its arguments that make this formula again (to pickle it), if no Python module holds
        #: it.
        self.made_by: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
        self.traced = trace
        self.fused = fuse
        self.planned = 0
        #: How often all plans were forgotten, and the last name whose value had changed.
        self.forgotten, self.bound_anew = 0, ""
        self.plans: dict[Any, list[tuple[tuple[Any, ...], Plan]]] = {}
        # not MAKING: the body is the user's code
        self.planning = threading.RLock()
        # text, which a graph compiler takes for a constant where it makes a number dynamic
        self.number = str(next(_serial))
        _numbered[self.number] = self
        functools.update_wrapper(self, function)
        self.__signature__ = signature.python

    # ------------------------------------------------------------------------------- calling

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        found = self.call_known(args, kwargs)
        result: T = self.call_any(args, kwargs) if found is None else found
        return result

    def call_any(self, args: Sequence[Any], named: Mapping[str, Any], module: Any = None) -> Any:
        """Call a formula for the first time, on symbols, on numbers alone, or by mistake."""
        if compiling():
            return self._call_any(args, named, module)
        try:
            return self._call_any(args, named, module)
        except NamedTensorError as error:
            if SIZES.of is None:  # a body that calls needs the frames to find its own line
                shorten(error)
            raise

    def _call_any(self, args: Sequence[Any], named: Mapping[str, Any], module: Any = None) -> Any:
        values = self.arguments.bind(args, named)
        if RUNNING.frame is not None and RUNNING.frame.cells:
            values = with_cells(self.signature, values, RUNNING.frame)
        opened = frozenset() if compiling() else self.door.opened(late=module is None)
        mode = self._mode(module)
        given = self.arguments.read(values, mode, opened, together=module is not None)
        if not given.leaves:
            tracing = on_symbols.get() and not compiling()
            values = self.arguments.named_numbers(values, tracing)
            given = self.arguments.read(values, mode, opened)
        leaves = given.leaves
        symbols = [leaf.tensor for leaf in leaves if isinstance(leaf.tensor, SymbolicTensor)]
        inside = not compiling() and on_symbols.get() and len(symbols) == len(leaves)
        if inside or any(not symbol.node.closed for symbol in symbols):
            if writing():
                return kept_call(self, values, leaves, lambda: self.run_in_place(given))
            return (
                self.run_in_place(given) if module is None else self._inline_module(given.apart())
            )
        if Formula.debugging:
            with HIDING.told(self.traced):
                return self.run_in_place(given.apart(), module)
        if not self.traced:
            return self.run_in_place(given.apart(), module)
        if not compiling():
            refuse_meta(self.name, leaves)
        try:
            given, plan = self._planned(given, module is None)
        except OnlyWhenItRuns:
            return self.run_in_place(given.apart(), module)
        arrays = given.data
        if plan.updates and module is not None:
            arrays = module.reading(plan, arrays)
        try:
            data = plan.run(*arrays)
        except LIBRARY_ERRORS as error:
            if not compiling():
                return self._as_written(given, error, module)
            why = misfit(self.number, _shapes(leaves), *_constants(given.key))
            if why:
                give_up_compiling(why)
            plan = self._plan_compiling(given, fused=False)  # a kernel refuses, as of nothing
            data = plan.run(*arrays)
        result, updates = self._named(plan, data)
        return self._delivered(result, updates, given, module)

    def run_in_place(self, given: Given, module: Any = None) -> Any:
        """Run the body in place, and store the states that it updates where they belong."""
        result, cells = self.body.inline(given.values, given.leaves, given.mode)
        if RUNNING.frame is not None and module is None:
            updates = {path: cell.value for path, cell in cells.items()}
        else:
            updates = {path: kept(cell) for path, cell in cells.items()}
        return self._delivered(result, updates, given, module)

    def call_layer(self, args: Sequence[Any], named: Mapping[str, Any], mode: bool | None) -> Any:
        """Call a formula for a layer while a plan is made: layers that are alike share one trace."""
        mode = MODE.training if mode is None else mode
        cache = RUNNING.shared
        assert cache is not None
        values = self.arguments.bind(args, named)
        if RUNNING.frame is not None:
            values = with_cells(self.signature, values, RUNNING.frame)
        RUNNING.shared = None  # what is inside of a layer is its own
        try:
            found = share(cache, self, values, mode)
            if found is None:
                with training(mode):
                    return self.call_any(args, named)
        finally:
            RUNNING.shared = cache
        result, updates = found
        if updates and RUNNING.frame is not None:
            hand_over(self.name, values, updates, RUNNING.frame)
        return result

    def call_alike(self, bundle: Bundle, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Call a formula, while a plan is made, for one bundle of a stack whose bundles are alike."""
        cache = RUNNING.shared
        assert cache is not None
        RUNNING.shared = None  # what is inside of a layer is its own
        try:
            return share_alike(cache, bundle, args, named)
        finally:
            RUNNING.shared = cache

    def _delivered(
        self, result: Any, updates: dict[str, Any], given: Given, module: Any = None
    ) -> Any:
        """Give the result alone (in a body, from a module), or with the new states after a plain call."""
        states = {leaf.path: leaf.tensor for leaf in given.leaves if leaf.state}
        if not (states or self.door.states) or not self.threads:
            return result
        if module is not None:
            module.store(updates)
            return result
        if RUNNING.frame is not None:
            hand_over(self.name, given.values, updates, RUNNING.frame)
            return result
        new = {**states, **updates}
        return (*result, new) if self.signature.several else (result, new)

    def _mode(self, module: Any) -> bool:
        """Give the mode of a call, training or not: its module's, or else the mode of plain calls."""
        if module is not None:
            return bool(module.training)
        return training() if self.door.asks else MODE.training

    def _inline_module(self, given: Given) -> Any:
        """Run the body for a module that the body of another formula closes over."""
        before = MODE.asked
        MODE.asked = before if before is None else False
        try:
            result, updates = self.body.inline(given.values, given.leaves, given.mode)
            if updates and before is not None:
                raise TraceError(
                    f"{self.name}.module(...)(...)",
                    f"it updates {', '.join(updates)}, and is a module that is no argument of the formula",
                    hint=f"declare it after the *, as in name: {self.name}, and give the module there",
                )
            if MODE.asked:
                raise TraceError(
                    f"{self.name}.module(...)(...)",
                    "its result depends on train() and eval() of a module that is no argument of the formula",
                    hint=f"declare it after the *, as in name: {self.name}, and give the module there",
                )
        finally:
            MODE.asked = before
        return result

    def _named(self, plan: Plan, data: Any) -> tuple[Any, dict[str, NamedTensor]]:
        """Give a plan's results their axes, and so the new values of states that follow them, by path."""
        found = []
        parts = data if len(plan.layouts) > 1 else (data,)
        for part, layout, order in zip(parts, plan.layouts, plan.orders):  # noqa: B905
            result = _new(NamedTensor)
            result._data, result._layout, result._declared = part, layout, order
            found.append(result)
        new = {path: found.pop() for path in reversed(plan.updates)} if plan.updates else {}
        return tuple(found) if self.several else found[0], new

    def call_known(
        self, args: Sequence[Any], named: Mapping[str, Any], module: Any = None
    ) -> Any | None:
        """Call a formula whose plan is known, or give None: the path of almost every call.

        A module holds the parameters. If the library raises, the long path makes the error.
        """
        if not self.traced or Formula.debugging:
            return None
        door = self.door
        declared = door.every if module is None else door.before
        settings = {} if module is None else module.settings
        values: Sequence[Any] | None = args
        rest: Rest | None = None
        modes = door.asks
        key: list[Any] = [self._mode(module)] if modes else []
        arrays: list[Any] = []
        torch = sys.modules.get("torch")  # as compiling() does, without the cost of a call
        try:
            compiled = torch is not None and torch.compiler.is_dynamo_compiling()
            if settings and not (named or compiled):
                rest = door.rest(len(args), settings)
            whole = len(args) == len(declared) <= len(door.before) and door.plain
            if rest is None and (named or settings or not whole):
                values = door.bind(args, named, settings, late=module is None)
            if values is None:
                return None
            if compiled:
                return self._call_compiling(values, module)
            numbers: tuple[float, ...] | None = ()
            for own, value in zip(declared, values):  # noqa: B905  both are of one length
                if type(value) is NamedTensor and own.tensor:
                    key.append(value._layout)
                    arrays.append(value._data)
                elif value is None and own.tensor and own.default is None:
                    key.append(None)
                else:
                    key, arrays = key[:modes], []
                    numbers = gather(declared, values, key, arrays, modes, door.open, indexed=True)
                    break
            if numbers is None:
                return None
            if rest is not None:
                key += rest.key
            if module is not None:
                structure = module._structure
                found = structure and structure.read(module, modes)
                part = found and structure.keys.get((found[1], modes) if modes else found[1])
                if part is not None:
                    arrays += found[0]
                    key += part
                elif not module.gather(key, arrays, modes):
                    return None
            if numbers:
                arrays += numbers
            if door.outside:
                key.append(values_now(door.outside))
            for names, place, stood_for in door.bound.parts:
                if names(place) != stood_for:
                    return None
            known = self.plans.get(tuple(key))
            if not known or known[0][0] or not arrays:
                return None
            plan = known[0][1]
            if plan.on_torch and arrays[~len(numbers)].is_meta is not arrays[0].is_meta:
                return None  # usually a module on the device meta: the long path raises
        except _UNUSUAL:
            return None
        if plan.stateful or door.states:
            if module is None:
                return None
            arrays = module.reading(plan, arrays)
        try:
            data = plan.run(*arrays)
        except LIBRARY_ERRORS:
            return None
        if self.several or plan.updates:
            several, updates = self._named(plan, data)
            if updates:
                module.store(updates)
            return several
        result: NamedTensor
        result = _new(NamedTensor)
        result._data = data
        result._layout = plan.layout
        result._declared = plan.orders[0]
        return result

    def _call_compiling(self, values: Sequence[Any], module: Any) -> Any | None:
        """Call a formula that a graph compiler reads, in few steps, because the compiler reads every one."""
        key: list[Any] = [self._mode(module)]
        arrays: list[Any] = []
        if gather(self.door.every, values, key, arrays, modes=True) is None:
            return None
        parts = _constants(key)
        if module is not None and not module.gather(parts, arrays, modes=True):
            return None
        name = plan_formula(self.number, None, *parts)
        if not arrays or not name:
            return None
        plan: Plan = getattr(STORE, name)
        if plan.stateful or self.door.states:
            if module is None:
                return None
            arrays = module.reading(plan, arrays)
        result, updates = self._named(plan, plan.run(*arrays))
        if updates:
            module.store(updates)
        return result

    @property
    def parameters_after(self) -> tuple[str, ...]:
        """The names after the semicolon, settings among them."""
        return tuple([p.name for p in self.signature.after])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names after the semicolon, settings left out."""
        return tuple([p.name for p in self.signature.after if not p.setting])

    # ------------------------------------------------------------------------------- tracing

    def _planned(self, given: Given, late: bool = True) -> tuple[Given, Plan]:
        """Give the plan of a call; its numbers become constants if this branch of the body needs that."""
        if not given.numbers:
            return given, self._plan(given, late)
        with suppress(NamedTensorError, *_PYTHON_ERRORS):
            return given, self._plan(given, late)
        self.door.open = self.door.open.difference(given.numbers)
        given = self.arguments.read(given.values, given.mode, together=given.together)
        return given, self._plan(given, late)

    def _plan(self, given: Given, late: bool = True) -> Plan:
        """Find the plan of a call, or make it: one thread makes it while others wait."""
        if compiling():
            return self._plan_compiling(given)
        if self._bound_anew():
            given = self._read_again(given)
        plan = self._known(given)
        if plan is not None:
            return plan
        with self.planning:
            # meanwhile another thread may have found further things that plans depend on
            given = self._read_again(given)
            plan = self._known(given)
            if plan is not None:
                return plan
            given, trace, plan = self._traced(given)
            asked = trace.asked and not self.door.asks
            self.door.asks = self.door.asks or asked
            if self._reads(trace) or asked:
                given = self._read_again(given)
            storm = self._keep(given, trace, plan) + self._open(given, trace, late)
        if storm:
            warn_caller(storm)
        return plan

    def _plan_compiling(self, given: Given, fused: bool = True) -> Plan:
        """Find the plan of a call that a graph compiler reads."""
        parts = _constants(given.key)
        name = plan_formula(self.number, None, *parts, fused=fused)
        if not name:  # the body may use a size in Python, which is then a constant of the graph
            name = plan_formula(self.number, _shapes(given.leaves), *parts, fused=fused)
        kept: Plan = getattr(STORE, name)
        return kept

    def _traced(self, given: Given) -> tuple[Given, Trace, Plan]:
        """Trace the body and compile the result; read bundles that are alike one by one if needed."""
        trace = Trace(self.body, given, self.fused)
        try:
            return given, trace, trace.compile()
        except Apart:
            return self._traced(given.apart())

    def _read_again(self, given: Given) -> Given:
        """Read again what a call's plan depends on, when the trace has told more about the body."""
        return self.arguments.read(given.values, given.mode, given.numbers, together=given.together)

    def _reads(self, trace: Trace) -> bool:
        """Add to the keys what the bodies of a trace read from outside; say whether any of it is new."""
        known = {read.key for read in self.door.outside}
        plain, held = read_by(trace.functions)
        new = [read for read in plain if read.key not in known]
        if new:
            self.door.outside = Outside((*self.door.outside, *new))
        if held.keys() - self.door.bound.known.keys():
            self.door.bound = Bound({**held, **self.door.bound.known})
        return bool(new)

    def _bound_anew(self) -> bool:
        """Forget all plans if a name that they were made with has another value now."""
        with self.planning:
            name = self.door.bound.changed()
            if name is None:
                return False
            # new ones, because others read the old without a lock
            self.plans, self.door.outside, self.door.bound = {}, Outside(), Bound({})
            self.forgotten, self.bound_anew = self.forgotten + 1, repr(name)
            return True

    def _known(self, given: Given) -> Plan | None:
        """Find a plan for these layouts whose guards on sizes and numbers hold."""
        for guards, plan in self.plans.get(given.key, ()):
            if Trace.holds(guards, given) and (given.rows or not plan.rows):
                return plan
        return None

    def _keep(self, given: Given, trace: Trace, plan: Plan) -> str:
        """Keep a plan and forget the oldest; warn once if each call makes its own."""
        # a plan for any bundles replaces one for bundles that are alike
        known = [held for held in self.plans.get(given.key, ()) if plan.rows or not held[1].rows]
        plans = [*known, (trace.guards, plan)]
        if given.key not in self.plans:
            self.planned += 1
        # a new list, because others read the old one without a lock
        self.plans[given.key] = plans[-MOST_VALUES:]
        while len(self.plans) > MOST_KEYS:
            del self.plans[next(iter(self.plans))]
        if len(plans) == MANY_PLANS:
            asked = ", ".join([f"|{describe(node)}|" for node, _ in trace.guards])
            return (
                f"{self.name} was planned {MANY_PLANS} times: its body asks Python for the number {asked}, "
                "so that each number is another plan; let the formula compute with abs(ax) instead of "
                "int(abs(ax)) or range(abs(ax)), or leave the body untraced with @formula(trace=False)"
            )
        if self.planned == MANY_KEYS:
            return self._many_keys()
        return ""

    def _many_keys(self) -> str:
        """Say what differs between the keys of many plans."""
        if self.forgotten > MANY_KEYS // 2:
            return (
                f"{self.name} was planned {MANY_KEYS} times: {self.bound_anew} stands for something else "
                "from call to call, and each time is another plan; give it to the formula as an argument, or "
                "leave the body untraced with @formula(trace=False)"
            )
        columns: dict[str, set[str]] = {}
        for key in list(self.plans):
            for path, part in self.arguments.parts_of(key):
                columns.setdefault(path, set()).add(part)
        path = max(columns, key=lambda name: len(columns[name]))
        first, second = sorted(columns[path])[:2]
        return (
            f"{self.name} was planned {MANY_KEYS} times: {path} differs from call to call ({first}, then "
            f"{second}), and each is another plan; keep the names of axes and their order in storage, give "
            "a number as a float that the body only computes with, or leave the body untraced with "
            "@formula(trace=False)"
        )

    def _open(self, given: Given, trace: Trace, late: bool) -> str:
        """Make a number an argument of plans from now on, if calls differ in it and the body allows it."""
        changed = set()
        for own in self.door.every if late else self.door.before:
            value, seen = given.values[own.name], self.door.seen.setdefault(own.name, set())
            if type(value) is float and own.name not in given.numbers and len(seen) < 2:
                seen.add(repr(value))
                if len(seen) == 2:  # each name is tried once
                    changed.add(own.name)
        if not changed:
            return ""
        numbers = changed.union(given.numbers)
        opened = self.arguments.read(given.values, given.mode, numbers, together=given.together)
        other = Trace(self.body, opened, self.fused)
        with suppress(NamedTensorError, Apart, *_PYTHON_ERRORS):
            plan = other.compile()
            if alike(other, trace):
                self.door.open |= changed
                return self._keep(opened, other, plan)
        return ""

    def _as_written(self, given: Given, error: Exception, module: Any = None) -> Any:
        """Make the error for a failure, or give the result if only a kernel has failed.

        Sizes are checked first. Then the body runs operation by operation, which also computes what a kernel
        refuses: a dtype, an axis of size 0, an index that lies outside.
        """
        given = given.apart()
        paths = [leaf.path for leaf in given.leaves]
        named = shapes(*[leaf.tensor for leaf in given.leaves], labels=paths)
        try:
            self.check_sizes(given)
            result, cells = self._run_as_written(given, error)
        except (ZeroDivisionError, NamedTensorError):
            if not isinstance(error, ZeroDivisionError):
                raise
            # of sizes, as 1 / abs(seq) where there is no record
            raise no_number(f"{self.name}(...)", error, named) from None
        if "memory" in str(error):
            raise error from None
        if isinstance(error, Mismatch):  # one step of a loop raises no error of the next
            raise AxisSizeError(
                f"{self.name}(...)",
                "sizes differ that are one for any number of steps",
                named,
                f"{self.name}.code(...) shows which sizes are compared",
            ) from None
        updates = {path: kept(cell) for path, cell in cells.items()}
        return self._delivered(result, updates, given, module)

    def _run_as_written(self, given: Given, error: Exception) -> tuple[Any, dict[str, Any]]:
        """Run the body in place, where its plan has failed."""
        try:
            return self.body.inline(given.values, given.leaves, given.mode)
        except (AxisSizeError, BackendError) as found:
            # tensors made in a body get the sizes and the library of the call only in a plan
            if isinstance(found, BackendError) and "never changes library" not in str(found):
                raise
            owners = tensors_of(given.leaves)
            library = owners[0].layout.backend.name if owners else "numpy"
            raise BackendError(
                f"{self.name}(...)",
                f"{library} refuses what it computes: {first_line(error)}",
                hint='torch.func.vmap(f, randomness="different") draws for each'
                if "randomness" in str(error)
                else f"{self.name}.code(...) shows the positional code that runs",
            ) from None

    def check_sizes(self, given: Given) -> None:
        """Raise an error where sizes do not fit: first those of the arguments, then those in the body."""
        given = given.apart()
        Entry(self.name, given.leaves, self.signature.results).agree()
        Trace(self.body, given, concrete=True).run()

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
        seq[7] x hid[64]
        """
        from namedtensor.formula.shapes import shape_of

        return shape_of(self, arguments, named)

    def code(self, *args: Any, **kwargs: Any) -> str:
        """Give the positional source that runs for these arguments."""
        values = self.arguments.bind(args, kwargs)
        opened = self.door.opened(late=True)
        given = self.arguments.read(values, self._mode(None), opened, together=True)
        return self._planned(given)[1].source

    def written(self, **settings: Any) -> Written:
        """Give the expression as the body writes it; names of its parts and calls of formulas are kept."""
        return write(self, settings)

    def latex(self, dialect: str = "macros", **settings: Any) -> str:
        """Print the declarations of the arguments and parameters, then the equation f(X; W) = ...

        The formulas that it calls come before it. `dialect` is "macros" for the notation's style file,
        or "underset" for plain LaTeX. A setting without a default is given by name.

        >>> from namedtensor import R, axes, formula
        >>> emb, hid = axes("emb hid")
        >>> @formula
        ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        ...     return W @ emb @ X
        >>> print(project.latex("underset").splitlines()[3])
        \\text{project}(X; W) &= W \\underset{\\text{emb}}{\\cdot} X
        """
        written: str = door("latex.printing.printer.with_called")(self.written(**settings), dialect)
        return written

    def _repr_html_(self) -> str:
        card: str = door("display.card.formula_card")(self)
        return card

    def _repr_latex_(self) -> str | None:
        try:
            own: str = door("latex.printing.printer.latex_of")(self.written(), "underset")
            return own
        except NamedTensorError:
            return None  # a notebook then shows the signature

    def module(
        self, *axes: Any, init: Any = None, dtype: Any = None, device: Any = None, **settings: Any
    ) -> FormulaModule[T]:
        """Make a torch.nn.Module that holds the parameters after the semicolon.

        Sizes come by axis: FFN.module(emb[512], hid[2048]). Weights are initialised by their role in the
        formula; `init` overrides this for a name, with a function that fills a torch tensor.

        Raises: AxisSizeError where a parameter's axis has no size.
        """
        get_backend("torch")  # which raises our own error if torch is not installed
        made: FormulaModule[T] = door("nn.module.make_module")(
            self, axes, init, dtype, device, settings
        )
        return made

    def module_code(self, sizes: Sequence[int] = ()) -> str:
        """Write a call that makes the module; axes whose sizes are not given have 4."""
        held, after = caller_variables(), self.signature.after
        name = next((n for n, x in held.items() if x is self), self.name)
        heads = {p.name for p in after}
        spaces = [s for path, s in self.signature.paths() if path.partition(".")[0] in heads]
        axes = {shown(a.name): None for s in spaces for a in s.axes if a.size is None}
        given = sizes if len(sizes) == len(axes) else [4] * len(axes)
        words = [" ".join(map("{}[{}]".format, axes, given))] if axes else []
        stacks = [f"{p.name}=2" for p in after if p.stack]
        return f"{name}.module({', '.join([*[repr(word) for word in words], *stacks])})"

    if not TYPE_CHECKING:  # which find a misspelt attribute themselves

        def __getattr__(self, word: str) -> NoReturn:
            # by protocols and by ourselves; a compiler follows no frames
            if word[0] == "_" or compiling() or asked_by_us():
                raise AttributeError(f"{type(self).__name__} has no attribute {word}")
            torch = sys.modules.get("torch")
            why, hint = f"a formula has no {word}", f"`{self.module_code()}.{word}`"
            if word in self.parameters_after or (torch and hasattr(torch.nn.Module, word)):
                why = "a formula holds no numbers, and its module does"
            else:
                own = [n for n in dir(self) if n[0] != "_"]
                guess = nearest(word, own, 0.7)
                hint = (
                    f"did you mean {self.name}.{guess}?"
                    if guess
                    else f"`dir({self.name})` lists what it has"
                )
            raise HabitError(f"{self.name}.{word}", why, hint=hint)

    def stacked(self, axis: str) -> Formula:
        """Give the formula that runs this one as a scan along a further axis of all parameters."""
        from namedtensor.formula.stacked import stacked

        return stacked(self, axis)

    def __repr__(self) -> str:
        return repr(self.arguments)

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Formula[P, T]: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> Any: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"the formula {self.name} is not a sequence")

    def __copy__(self) -> Formula:
        return self  # as functions do: a copy of a module shares them, wherever they are defined

    def __deepcopy__(self, memo: Any) -> Formula:
        return self

    def __reduce__(self) -> Any:
        if self.made_by is not None:
            return self.made_by
        path = self.function.__qualname__
        found: Any = sys.modules.get(self.function.__module__)
        for word in path.split("."):
            found = getattr(found, word, None)
        if found is not self:
            inside = "<locals>" in path
            raise NamedTensorError(
                f"pickle({self.name})",
                f"{self.name} is defined inside a function, where no other program finds it"
                if inside
                else f"{self.function.__module__} has another {path}",
                hint="define it at the top of a module"
                + ("" if inside else ", under its own name"),
            )
        return path


_numbered: WeakValueDictionary[str, Formula] = NUMBERED
_serial = itertools.count()


def formulas_since(number: int) -> tuple[list[Formula], int]:
    """List the living formulas made after that number, in order, and give the number of the last."""
    found = sorted([int(n) for n in list(_numbered) if int(n) > number])
    living = [_numbered[str(n)] for n in found if str(n) in _numbered]
    return living, found[-1] if found else number


def _constants(key: Sequence[Any]) -> list[Any]:
    """Write a key as constants of a graph compiler: layouts by their codes."""
    return [part.code if isinstance(part, (Layout, Node)) else _constant(part) for part in key]


def _constant(part: Any) -> Any:
    """Make a number a constant for a graph compiler, which may make numbers dynamic, but no key of a set."""
    if type(part) is tuple:
        return tuple([_constant(p) for p in part])
    return next(iter({part})) if type(part) in NUMBERS else part


Shapes = tuple[tuple[int, ...], ...]


def _shapes(leaves: Sequence[Leaf]) -> Shapes:
    """Give the sizes of a call's data as constants."""
    return tuple([_constant(tuple(X.data.shape)) for X in tensors_of(leaves)])


@constant_for_compilers
def plan_formula(number: str, shapes: Shapes | None, *parts: Any, fused: bool = True) -> str:
    """Plan a formula for the parts of a key, layouts as codes, parameters' as dtypes; name the plan.

    A graph compiler runs this outside of its graph, where tracing the body is plain Python. Without shapes
    the plan is for all sizes; if there is no such plan, or an error, the name is empty.
    """

    def make() -> Plan:
        formula, given = _of_constants(number, parts, shapes)
        known = formula.plans.get(given.key)
        if known and not known[0][0] and fused:
            return known[0][1]
        trace = Trace(formula.body, given, formula.fused and fused)
        plan = trace.compile()
        formula._reads(trace)
        return plan

    try:
        # a graph holds the numbers of outside that it was compiled with
        formula = _numbered[number]
        formula._bound_anew()
        outside = (formula.forgotten, *values_now(formula.door.outside))
        return STORE.name(("formula", number, parts, shapes, fused, outside), make)
    except (NamedTensorError, TypeError):
        if shapes is None:
            return ""
        raise


@constant_for_compilers
def misfit(number: str, shapes: Shapes, *parts: Any) -> str:
    """Make the message for sizes that do not fit; a graph compiler takes it as a constant."""
    formula, given = _of_constants(number, parts, shapes)
    try:
        formula.check_sizes(given)
    except NamedTensorError as error:
        return str(error)
    return ""


def _of_constants(
    number: str, parts: Sequence[Any], shapes: Shapes | None
) -> tuple[Formula, Given]:
    """Undo `_constants`: the formula, and what it is called with, as stand-ins without data."""
    formula = _numbered[number]
    given = formula.arguments.of_key(parts)
    for X, shape in zip(tensors_of(given.leaves), shapes or (), strict=shapes is not None):
        X.data.shape = shape
    return formula, given


@contextmanager
def debug() -> Iterator[None]:
    """Run the bodies of all formulas on data, operation by operation, as plain Python does.

    So print, breakpoint() and pdb see numbers in a body. Otherwise a body runs once, on symbols, and what it
    prints is printed once. No kernels and no plans are used meanwhile, in any thread.

    >>> from namedtensor import R, formula, tensor
    >>> @formula
    ... def double(X: R) -> R:
    ...     print(X)
    ...     return 2 * X
    >>> with debug():
    ...     Y = double(tensor(3.0))
    NamedTensor(3.0)
    """
    before = Formula.debugging
    Formula.debugging = True
    try:
        yield
    finally:
        Formula.debugging = before


@overload
def formula(function: Callable[P, T]) -> Formula[P, T]: ...
@overload
def formula(
    function: None = None, *, trace: bool = True, fuse: bool = True
) -> Callable[[Callable[P, T]], Formula[P, T]]: ...
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
    flag("@formula(...)", "trace", trace)
    flag("@formula(...)", "fuse", fuse)
    if function is None:
        return lambda inner: Formula(inner, read_signature(inner, scope), trace, fuse)
    return Formula(function, read_signature(function, scope), trace, fuse)
