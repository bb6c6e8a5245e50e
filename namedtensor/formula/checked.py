"""Check positional code by axis names: @nt.checked("batch seq emb, emb hid -> batch seq hid")."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from namedtensor.axes import parse_axes
from namedtensor.compilers import compiling, give_up_compiling
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    flag,
    kind_of_thing,
)

F = TypeVar("F", bound=Any)

#: The size of each axis, and which value has it.
Bound = dict[str, tuple[Any, str]]


class _Now(threading.local):
    """The axis sizes that running calls have bound, and which value bound each."""

    bound: Bound | None = None


_NOW = _Now()


#: How checks are turned on and off.
_TURNED = "`nt.checks(True)` or `nt.checks(False)`, also in a with statement"


class checks:
    """Turn the checks of `checked` on or off: from now on, or in a `with` block until its end.

    >>> import numpy as np
    >>> @nt.checked("seq emb -> seq")
    ... def total(x):
    ...     return x.sum()
    >>> with nt.checks(False):
    ...     print(total(np.ones((2, 3))))
    6.0
    """

    on = True

    def __class_getitem__(cls, on: object) -> NoReturn:
        why = "checks are turned on or off in parentheses"
        raise KindError("checks[...]", why, hint=_TURNED)

    def __init__(self, on: bool | None = None) -> None:
        if on is None:
            raise KindError("checks()", "it takes whether checks are on", hint=_TURNED)
        self.before = checks.on
        checks.on = flag("checks(...)", "on", on)

    def __enter__(self) -> checks:
        return self

    def __exit__(self, *_: object) -> None:
        checks.on = self.before


def checked(pattern: str) -> Callable[[F], F]:
    """Check the axes of what a function of arrays, or a torch module, takes and returns.

        @checked("batch seq emb, emb hid -> batch seq hid")
        def project(x, w): ...

    One group of names for each argument, in the order of the parameters, and after the arrow for each
    result; arguments beyond are not checked. A name has one size within a call: among arguments and
    results, and in the checked functions that the call calls. emb[512] states a size; `row row` is
    square. Decorates functions, methods, subclasses of torch.nn.Module, and modules that are there:
    nt.checked("batch emb -> batch hid")(torch.nn.Linear(4, 5)). `nt.checks(False)` turns it off.

    Raises: AxisSizeError, AxisMissingError, BackendError when called; AxisNameError for the pattern.

    >>> import numpy as np
    >>> @nt.checked("seq emb, emb hid -> seq hid")
    ... def project(x, w):
    ...     return x @ w
    >>> project(np.ones((2, 3)), np.ones((3, 4))).shape
    (2, 4)
    >>> project(np.ones((2, 3)), np.ones((5, 4)))
    Traceback (most recent call last):
    namedtensor.errors.AxisSizeError: project(x, w): axis emb is 3 in x and 5 in w
      x : seq[2] emb[3]
      w : emb[5] hid[4]
    hint: pass tensors of one size, or give the axis of w its own name in the pattern: emb'
    """
    groups = _Pattern(pattern)

    def decorate(what: Any) -> Any:
        if isinstance(what, type) and hasattr(what, "forward"):
            named: Any = what
            named.forward = _checked(groups, what.forward, what.__name__)
            return what
        if hasattr(what, "forward") and not isinstance(what, type):
            what.forward = _Forward(groups, what)
            return what
        if not callable(what) or isinstance(what, type):
            raise KindError(
                f"checked({pattern!r})",
                f"this is {kind_of_thing(what)}, and functions and torch modules are checked",
                hint=f"@nt.checked({pattern!r}) above a def or a class of modules",
            )
        return _checked(groups, what, getattr(what, "__name__", "f"))

    return decorate


class _Pattern:
    """A pattern that was read: the axes of each argument and result, and the sizes that it states."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        if not isinstance(pattern, str):
            raise AxisNameError(
                "checked(...)",
                f"a pattern is a string, and this is {kind_of_thing(pattern)}",
                hint='@nt.checked("batch seq emb -> batch seq hid")',
            )
        left, arrow, right = pattern.partition("->")
        self.stated: Bound = {}
        self.inputs = self._groups(left)
        self.outputs = self._groups(right) if arrow else None

    def _groups(self, text: str) -> tuple[tuple[str, ...], ...]:
        found = []
        for part in text.split(","):
            axes = parse_axes(part)
            for axis in axes:
                if axis.size is not None:
                    before = self.stated.setdefault(axis.name, (axis.size, "the pattern"))
                    if before[0] != axis.size:
                        raise AxisSizeError(
                            f"checked({self.text!r})",
                            f"axis {axis.name} is {before[0]} and {axis.size} in the pattern",
                            hint=f"give one of them its own name: {axis.name}'",
                        )
            found.append(tuple([axis.name for axis in axes]))
        return tuple(found)


class _Signature:
    """A function's parameters: their names, which default to None, and the first that is checked."""

    def __init__(self, function: Any) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        self.skip = 1 if parameters and parameters[0].name in ("self", "cls") else 0
        plain = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        self.names = [p.name for p in plain[self.skip :]]
        self.open = len(plain) < len(parameters) or not parameters
        self.optional = {p.name for p in plain if p.default is None}

    def name(self, place: int) -> str:
        return self.names[place] if place < len(self.names) else f"argument {place + 1}"


def _checked(pattern: _Pattern, function: Any, name: str) -> Any:
    """Wrap a function in the check of its arguments and results."""
    signature = _Signature(function)
    call = f"{name}({', '.join([signature.name(i) for i in range(len(pattern.inputs))])})"
    if len(pattern.inputs) > len(signature.names) and not signature.open:
        own = ", ".join(signature.names)
        raise AxisNameError(
            f"checked({pattern.text!r})",
            f"the pattern has axes for {len(pattern.inputs)} arguments, and {name}({own}) takes "
            f"{len(signature.names)}",
            hint="give one group of axes for each argument, with commas between",
        )

    @functools.wraps(function)
    def run(*args: Any, **named: Any) -> Any:
        if not checks.on:
            return function(*args, **named)
        before = _NOW.bound
        bound = dict(before) if before is not None else {}
        arguments = args[signature.skip :] if signature.skip else args
        fault = _bind_arguments(pattern, signature, arguments, named, bound)
        if fault is None:
            _NOW.bound = bound
            try:
                result = function(*args, **named)
            finally:
                _NOW.bound = before
            if pattern.outputs is not None:
                fault = _bind_results(call, pattern, result, bound)
            if fault is None:
                return result
        if compiling():  # which leaves the graph, so that the error is ours
            give_up_compiling(f"{call}: its axes do not fit the pattern {pattern.text}")
        raise _error(call, pattern, signature, arguments, named, bound, fault)

    return run


class _Forward:
    """The forward of one module, checked: it can be copied and pickled with its module."""

    def __init__(self, pattern: _Pattern, module: Any) -> None:
        self.__setstate__((pattern, module))

    def __setstate__(self, state: tuple[_Pattern, Any]) -> None:
        self.pattern, self.module = state
        kind = type(self.module)
        self.run = _checked(self.pattern, kind.forward, kind.__name__)

    def __getstate__(self) -> tuple[_Pattern, Any]:
        return self.pattern, self.module

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.run(self.module, *args, **named)


class _Fault:
    """A mismatch: the value that does not fit, its axes, and the axis that has two sizes."""

    def __init__(self, owner: str, value: Any, axes: tuple[str, ...], name: str | None) -> None:
        self.owner, self.value, self.axes, self.name = owner, value, axes, name


def _bind(axes: tuple[str, ...], value: Any, owner: str, bound: Bound) -> _Fault | None:
    """Bind the axes of a value to its sizes, or give the mismatch."""
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple):
        plain = not axes and isinstance(value, (bool, int, float, complex))
        return None if plain else _Fault(owner, value, axes, None)
    if len(shape) != len(axes):
        return _Fault(owner, value, axes, None)
    for name, size in zip(axes, shape):  # noqa: B905  of one length
        known = bound.get(name)
        if known is None:
            bound[name] = (size, owner)
        elif known[0] != size:
            return _Fault(owner, value, axes, name)
    return None


def _bind_arguments(
    pattern: _Pattern,
    signature: _Signature,
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    bound: Bound,
) -> _Fault | None:
    for name, said in pattern.stated.items():
        if bound.setdefault(name, said)[0] != said[0]:
            return _Fault("the pattern", said[0], (), name)
    for place, axes in enumerate(pattern.inputs):
        if place < len(arguments):
            value = arguments[place]
        elif place < len(signature.names) and signature.names[place] in named:
            value = named[signature.names[place]]
        else:
            continue
        if value is None and signature.name(place) in signature.optional:
            continue
        fault = _bind(axes, value, signature.name(place), bound)
        if fault is not None:
            return fault
    return None


def _bind_results(call: str, pattern: _Pattern, result: Any, bound: Bound) -> _Fault | None:
    outputs = pattern.outputs or ()
    if len(outputs) == 1:
        return _bind(outputs[0], result, "the result", bound)
    if not isinstance(result, (tuple, list)) or len(result) != len(outputs):
        found = f"{len(result)} results" if isinstance(result, (tuple, list)) else "one result"
        raise AxisNameError(
            call,
            f"it gave {found}, and the pattern names {len(outputs)}",
            hint="one group of axes for each result, with commas between",
        )
    for place, (axes, value) in enumerate(zip(outputs, result, strict=True)):
        fault = _bind(axes, value, f"result {place + 1}", bound)
        if fault is not None:
            return fault
    return None


def _error(
    call: str,
    pattern: _Pattern,
    signature: _Signature,
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    bound: Bound,
    fault: _Fault,
) -> NamedTensorError:
    """Make the error for a mismatch."""
    names = [signature.name(place) for place in range(len(pattern.inputs))]
    values = {**dict(zip(names, arguments, strict=False)), **named}
    shapes = [
        (name, _shown(axes, values[name]))
        for name, axes in zip(names, pattern.inputs, strict=True)
        if hasattr(values.get(name), "shape")
    ]
    if fault.owner not in names and fault.owner != "the pattern":
        shapes.append((fault.owner, _shown(fault.axes, fault.value)))
    if fault.name is not None:
        size, owner = bound[fault.name]
        if fault.owner == "the pattern":
            other = fault.value
        else:
            places = [i for i, name in enumerate(fault.axes) if name == fault.name]
            other = next(n for n in [fault.value.shape[i] for i in places] if n != size)
        return AxisSizeError(
            call,
            f"axis {fault.name} is {size} in {owner} and {other} in {fault.owner}",
            shapes,
            f"pass tensors of one size, or give the axis of {fault.owner} its own name in the pattern: "
            f"{fault.name}'",
        )
    wanted = " ".join(fault.axes) or "no axes"
    if not hasattr(fault.value, "shape"):
        return BackendError(
            call,
            f"{fault.owner} is {kind_of_thing(fault.value)}, and the pattern says {wanted}",
            shapes,
            "pass an array or a tensor",
        )
    count = len(fault.value.shape)
    return AxisMissingError(
        call,
        f"{fault.owner} has {count} {'axis' if count == 1 else 'axes'}, and the pattern says {wanted}",
        shapes,
        "name each axis of it, in its order",
    )


def _shown(axes: tuple[str, ...], value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        return kind_of_thing(value)
    if len(shape) != len(axes):
        return f"sizes {tuple(shape)}"
    return " ".join([f"{n}[{s}]" for n, s in zip(axes, shape, strict=True)]) or "a single number"
