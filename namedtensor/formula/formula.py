"""Formula: a function on named tensors, checked at its door, traced once, run as positional code."""

from __future__ import annotations

import functools
import inspect
import linecache
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from namedtensor.axes import axis_sizes, shown
from namedtensor.compilers import STORE, compiling, constant_for_compilers
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    TraceError,
    kind_of_thing,
)
from namedtensor.formula.door import Door, gather
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.signature import Parameter, Signature, Space, caller_scope, read_signature
from namedtensor.formula.trace import Trace
from namedtensor.formula.written import Written, kept_call, write, writing
from namedtensor.plans import Plan
from namedtensor.primitives.node import describe
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor, SymbolicTensor, tensor
from namedtensor.tensor.apply import LIBRARY_ERRORS, code_of, stand_in

#: So many plans for one set of layouts mean that each call makes its own.
MANY_PLANS = 16


class Bundle:
    """The parameters of a formula, bound: called with the formula's remaining arguments.

    `ffn.W1` gives a parameter; `ffn(X)` is FFN(X, W1=..., b1=..., ...).
    """

    def __init__(self, formula: Formula, values: dict[str, Any]) -> None:
        self.formula = formula
        self.values = values

    def __call__(self, *args: Any, **settings: Any) -> Any:
        return self.formula(*args, **{**self.values, **settings})

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        raise AttributeError(
            f"the bundle of {self.__dict__.get('formula')} has no parameter {name}"
        )

    def gather(self, key: list[Any], arrays: list[Any]) -> bool:
        return gather(self.formula.door.after, self.values, key, arrays)

    def __repr__(self) -> str:
        return f"{self.formula.name}(...; {', '.join(self.values)})"


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
        self.traced = trace
        self.fused = fuse
        self.plans: dict[Any, list[tuple[tuple[Any, ...], Plan]]] = {}
        # text, which a graph compiler takes for a constant where it makes a number dynamic
        self.number = str(len(_numbered))
        _numbered.append(self)
        functools.update_wrapper(self, function)

    # ------------------------------------------------------------------------------- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.call_known(args, kwargs)
        if found is not None:
            return found
        values = self.bind(args, kwargs)
        leaves, key = self.flatten(values)
        if not leaves:
            values = self._named_numbers(values)
            leaves, key = self.flatten(values)
        if any(
            isinstance(leaf.tensor, SymbolicTensor) and not leaf.tensor.node.closed
            for leaf in leaves
        ):
            if writing():
                return kept_call(self, values, leaves, lambda: self._inline(values, leaves))
            return self._inline(values, leaves)
        if not self.traced:
            return self._inline(values, leaves)
        plan = self._plan(key, values, leaves)
        arrays = [leaf.tensor.data for leaf in leaves if type(leaf.tensor) is NamedTensor]
        try:
            data = plan.run(*arrays)
        except LIBRARY_ERRORS as error:
            raise self._diagnose(values, leaves, error) from None
        if self.signature.several:
            return tuple([NamedTensor(d, at) for d, at in zip(data, plan.layouts, strict=True)])
        return NamedTensor(data, plan.layout)

    def call_known(
        self, args: Sequence[Any], named: Mapping[str, Any], module: Any = None
    ) -> Any | None:
        """Call a formula whose plan is known, or give None: the path of almost every call.

        A module holds the parameters. Where the library finds fault, the long path finds the words.
        """
        if compiling() or not self.traced:
            return None
        door = self.door
        values = door.bind(args, named, {} if module is None else module.settings)
        if values is None or (module is not None and len(values) > len(door.before)):
            return None
        key: list[Any] = []
        arrays: list[Any] = []
        if not gather(door.before, values, key, arrays):
            return None
        if module is None:
            if not gather(door.after, values, key, arrays):
                return None
        elif not module.gather(key, arrays):
            return None
        try:
            known = self.plans.get(tuple(key))
            if not known or known[0][0] or not arrays:
                return None
            plan = known[0][1]
            data = plan.run(*arrays)
        except LIBRARY_ERRORS:
            return None
        if self.signature.several:
            return tuple([NamedTensor(d, at) for d, at in zip(data, plan.layouts, strict=True)])
        return NamedTensor(data, plan.layout)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            bound = self.signature.python.bind(*args, **kwargs)
        except TypeError as error:
            raise NamedTensorError(f"{self.name}(...)", str(error), hint=repr(self)) from None
        bound.apply_defaults()
        return bound.arguments

    def flatten(self, values: dict[str, Any]) -> tuple[list[Leaf], tuple[Any, ...]]:
        """List the tensors of a call, and what else its plan depends on."""
        leaves: list[Leaf] = []
        key: list[Any] = []
        for parameter in self.signature.parameters:
            self._flatten_one(parameter, parameter.name, values[parameter.name], leaves, key)
        return leaves, tuple(key)

    def _flatten_one(
        self, parameter: Parameter, path: str, value: Any, leaves: list[Leaf], key: list[Any]
    ) -> None:
        if parameter.bundle is not None:
            inner = parameter.bundle
            for name, part in inner.parameters_of(value, path).items():
                self._flatten_one(inner.signature[name], f"{path}.{name}", part, leaves, key)
        elif parameter.space is None:
            key += [type(value), self._setting(path, value)]
        elif value is None and parameter.default is None:
            key.append(None)
        elif isinstance(value, SymbolicTensor):
            leaves.append(Leaf(path, parameter.space, value))
            key.append(value.node)
        elif isinstance(value, NamedTensor):
            leaves.append(Leaf(path, parameter.space, value))
            key.append(value.layout)
        else:
            key += [type(value), self._number(path, parameter.space, value)]

    def _setting(self, path: str, value: Any) -> Any:
        if isinstance(value, NamedTensor):
            raise AxisNameError(
                f"{self.name}(..., {path}, ...)",
                f"{path} is a named tensor, and {self.name} declares no axes for it",
                [(path, spaced(value.sizes))],
                f"declare them: {path}: R[{', '.join(map(shown, value.axes))}]",
            )
        try:
            hash(value)
        except TypeError:
            raise KindError(
                f"{self.name}(..., {path}, ...)",
                f"{path} is {kind_of_thing(value)}, which cannot tell one plan from another",
                hint="a setting is a number, a string or a tuple; an array gets its axes declared",
            ) from None
        return value

    def _number(self, path: str, space: Space, value: Any) -> Any:
        if isinstance(value, (bool, int, float, complex, np.generic)) and not space.axes:
            return value
        raise BackendError(
            f"{self.name}(..., {path}, ...)",
            f"{path} is {kind_of_thing(value)}, and {self.name} takes a named tensor of {space}",
            hint=f"name its axes: nt.tensor({', '.join([path, *map(shown, space.names)])})",
        )

    def _named_numbers(self, values: dict[str, Any]) -> dict[str, Any]:
        """Make named tensors without axes of the numbers of a call that has no tensors."""
        spaces = {p.name: p.space for p in self.signature.parameters}
        return {
            name: tensor(np.asarray(value))
            if spaces[name] is not None
            and isinstance(value, (bool, int, float, complex, np.generic))
            else value
            for name, value in values.items()
        }

    def parameters_of(self, bundle: Any, path: str) -> dict[str, Any]:
        """Give the parameters in a bundle: a Bundle, a dict, or a module of this formula."""
        if isinstance(bundle, Bundle):
            found = bundle.values
        elif isinstance(bundle, dict):
            found = bundle
            unknown = [name for name in bundle if name not in self.parameters_after]
            if unknown:
                raise BackendError(
                    f"{path}: {self.name}",
                    f"{self.name} has no parameter {unknown[0]}",
                    hint=f"a dict with {', '.join(self.parameter_names)}",
                )
        elif hasattr(bundle, "named_values"):
            found = bundle.named_values()
        else:
            raise BackendError(
                f"{path}: {self.name}",
                f"{path} is {kind_of_thing(bundle)}, which holds no parameters of {self.name}",
                hint=f"{self.name}.module(...), or a dict with {', '.join(self.parameter_names)}",
            )
        result = {}
        for parameter in self.signature.parameters:
            if not parameter.after:
                continue
            if parameter.name in found:
                result[parameter.name] = found[parameter.name]
            elif parameter.default is not inspect.Parameter.empty:
                result[parameter.name] = parameter.default
            else:
                raise BackendError(
                    f"{path}: {self.name}",
                    f"{path} has no parameter {parameter.name}",
                    hint=f"{self.name}.module(...), or a dict with {', '.join(self.parameter_names)}",
                )
        return result

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
        known = self.plans.get(key)
        if known is not None:
            for guards, plan in known:
                if not guards or all(Trace.holds(g, leaves) for g in guards):
                    return plan
        if compiling():
            name = plan_formula_by_codes(self.number, *self._codes(values))
            kept: Plan = getattr(STORE, name)
            return kept
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

    def _codes(self, values: dict[str, Any]) -> list[Any]:
        """Write the values of a call as constants, tensors by their codes."""
        codes: list[Any] = []
        for parameter in self.signature.parameters:
            self._code_one(parameter, parameter.name, values[parameter.name], codes)
        return codes

    def _code_one(self, parameter: Parameter, path: str, value: Any, codes: list[Any]) -> None:
        if parameter.bundle is not None:
            inner = parameter.bundle
            for name, part in inner.parameters_of(value, path).items():
                self._code_one(inner.signature[name], f"{path}.{name}", part, codes)
        elif isinstance(value, NamedTensor):
            codes += ["tensor", code_of(value)]
        else:
            codes += ["value", value]

    def values_of_codes(self, codes: Iterator[Any]) -> dict[str, Any]:
        """Undo `_codes`: tensors come back as stand-ins without data."""
        return {p.name: self._value_of_codes(p, codes) for p in self.signature.parameters}

    def _value_of_codes(self, parameter: Parameter, codes: Iterator[Any]) -> Any:
        if parameter.bundle is not None:
            inner = parameter.bundle.signature.parameters
            return {p.name: self._value_of_codes(p, codes) for p in inner if p.after}
        kind, code = next(codes), next(codes)
        return stand_in(code) if kind == "tensor" else code

    def run_body(
        self, values: dict[str, Any], entered: dict[str, Any], sizes: Callable[[str], Any]
    ) -> Any:
        """Run the body on renamed tensors; abs(ax) is answered by `sizes`."""
        token = axis_sizes.set(sizes)
        try:
            python = self.signature.python
            bound = python.bind_partial()
            for parameter in self.signature.parameters:
                bound.arguments[parameter.name] = self._entered(
                    parameter, parameter.name, values[parameter.name], entered
                )
            return self.function(*bound.args, **bound.kwargs)
        except TraceError as error:
            raise with_line(error, self.function) from None
        finally:
            axis_sizes.reset(token)

    def _entered(self, parameter: Parameter, path: str, value: Any, entered: dict[str, Any]) -> Any:
        if parameter.bundle is not None:
            inner = parameter.bundle
            parts = inner.parameters_of(value, path)
            return Bundle(
                inner,
                {
                    name: self._entered(inner.signature[name], f"{path}.{name}", part, entered)
                    for name, part in parts.items()
                },
            )
        return entered.get(path, value)

    def results_of(self, result: Any, entry: Entry) -> list[Any]:
        """Check what the body returned, and give it with the caller's axis names."""
        spaces = self.signature.results
        if self.signature.several:
            if not isinstance(result, tuple) or len(result) != len(spaces or ()):
                raise entry.error(
                    NamedTensorError,
                    f"the body returned {_what(result)}, and a tuple of {len(spaces or ())} is declared",
                    "return as many named tensors as the signature declares",
                )
            parts = list(result)
        else:
            parts = [result]
        for part in parts:
            if not isinstance(part, NamedTensor):
                raise entry.error(
                    NamedTensorError,
                    f"the body returned {_what(part)}, and a formula gives a named tensor",
                    "return the result of the formula's last line",
                )
        wanted: Sequence[Space | None] = spaces if spaces is not None else [None] * len(parts)
        return [entry.leave(p, s) for p, s in zip(parts, wanted, strict=True)]

    def _inline(self, values: dict[str, Any], leaves: Sequence[Leaf]) -> Any:
        """Run the body in place: inside another formula's trace, or untraced on data."""
        entry = Entry(self.name, leaves, self.signature.results)
        entry.agree()
        entered = {leaf.path: entry.enter(leaf) for leaf in leaves}
        sizes: dict[str, Any] = {}
        for leaf in reversed(leaves):
            declared = leaf.space.names
            known = [a for a in entered[leaf.path].sizes if a[0] in declared and a[1] is not None]
            sizes.update(known)
        result = self.run_body(values, entered, functools.partial(self._size, sizes))
        parts = self.results_of(result, entry)
        return tuple(parts) if self.signature.several else parts[0]

    def _size(self, sizes: dict[str, Any], name: str) -> Any:
        if sizes.get(name) is not None:
            return sizes[name]
        if name in sizes:
            raise AxisSizeError(
                f"abs({shown(name)})",
                f"axis {shown(name)} has no size yet: what has it is defined by its indices",
                [(self.name, ", ".join(sizes))],
                f"give it one where the tensor is defined: {shown(name)}[5]",
            )
        raise AxisSizeError(
            f"abs({shown(name)})",
            f"{self.name} declares no axis {shown(name)}",
            [(self.name, ", ".join(sizes) or "no axes")],
            f"declare it, or ask a tensor: X.size({shown(name)})",
        )

    def _diagnose(
        self, values: dict[str, Any], leaves: Sequence[Leaf], error: Exception
    ) -> Exception:
        """Find the words for a failure: check sizes at the door, then run operation by operation."""
        Entry(self.name, leaves, self.signature.results).agree()
        Trace(self, values, leaves, concrete=True).run()
        self._inline(values, leaves)
        return error

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
        values = self.bind(args, kwargs)
        leaves, key = self.flatten(values)
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
        >>> "\\underset{\\text{emb}}{\\cdot}" in project.latex("underset")
        True
        """
        from namedtensor.latex.printer import latex_of

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
        before = [p for p in self.signature.parameters if not p.after]
        after = [p for p in self.signature.parameters if p.after]
        text = ", ".join(f"{p.name}: {p.space}" if p.space else p.name for p in before)
        if after:
            text += "; " + ", ".join(f"{p.name}: {p.space}" if p.space else p.name for p in after)
        results = self.signature.results
        return f"{self.name}({text})" + (f" -> {', '.join(map(repr, results))}" if results else "")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"the formula {self.name} is not a sequence")

    def __reduce__(self) -> str:
        return self.function.__qualname__


_numbered: list[Formula] = []


@constant_for_compilers
def plan_formula_by_codes(number: str, *codes: Any) -> str:
    """Plan a formula that a graph compiler meets before it was ever called; give its name.

    The compiler runs this outside of its graph, where tracing the body is plain Python.
    """

    def make() -> Plan:
        formula = _numbered[int(number)]
        values = formula.values_of_codes(iter(codes))
        leaves, _ = formula.flatten(values)
        return Trace(formula, values, leaves).compile()

    return STORE.name(("formula", number, codes), make)


def with_line(error: TraceError, function: Callable[..., Any]) -> TraceError:
    """Add the line of a body that cannot be traced; the innermost formula's line is named."""
    code = getattr(function, "__code__", None)
    trace, number = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code is code:
            number = trace.tb_lineno
        trace = trace.tb_next
    line = linecache.getline(code.co_filename, number).strip() if code and number else ""
    if not line or any(label.startswith("line ") for label, _ in error.operands):
        return error
    operands = (*error.operands, (f"line {number}", line))
    return TraceError(error.call, error.why, operands, error.hint)


def _what(result: Any) -> str:
    if result is None:
        return "nothing"
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}"
    return "one named tensor" if isinstance(result, NamedTensor) else kind_of_thing(result)


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
