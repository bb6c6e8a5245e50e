"""Lift a positional function to named tensors (paper, section 2.4).

lift(f, "row col -> row col") sees only row and col; every other axis passes through.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from namedtensor.axes import Axis, distinct, lacks, naming, parse_axes, primed, shown, typed_axes
from namedtensor.backends import Backend, backend_of, get_backend
from namedtensor.backends.lazy import np
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    DerivativeError,
    KindError,
    NamedTensorError,
    first_line,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import same_size
from namedtensor.operations.derivatives import lifted as given_values
from namedtensor.operations.joining import stack
from namedtensor.operations.simplification import is_filled, zeros
from namedtensor.plans import Emitter, Lowered, Value, layout_of
from namedtensor.primitives import Call, Node, Traits, Type, primitive, size_of
from namedtensor.primitives.node import operands_first
from namedtensor.primitives.notation import Special
from namedtensor.primitives.sizes import as_node
from namedtensor.primitives.type import widest
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, apply
from namedtensor.tensor.apply import STAND_IN_ERRORS
from namedtensor.tensor.labels import first_letters
from namedtensor.tensor.symbolic import SymbolicTensor, on_symbols, symbol, tracing
from namedtensor.tensor.wrong_calls import call_passed, misfit


def _lift(
    f: Callable[..., Any],
    pattern: str | None = None,
    *,
    over: Any = None,
    differential: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Make a function of positional arrays a function of named tensors.

        lift(f, "row col, col -> row") : R^{row x col} x R^col -> R^row, lifted over all other axes

    f gets arrays with just the axes of the pattern, in its order. `over` hides only the axes that
    it names: f then sees the others, in front. Without a pattern f is a function of named tensors,
    and `over` says which axes are hidden from it. On torch f runs under torch.vmap.

    Nothing is known of what f computes, so nt.grad and its like need a rule: `differential(X, dX)`, of named
    tensors, gives the change of f(X) for changes of its operands. torch's backward goes through f itself.

    In brackets the pattern declares a formula's parameter, which is then a function or a torch module:
    net: nt.lift["chans height -> chans' height'"], and f.module(net=conv) holds conv with its parameters.

    Raises: AxisMissingError, AxisSizeError, AxisNameError, BackendError, KindError.

    >>> import namedtensor as nt
    >>> total = lift(np.sum, "row col ->")
    >>> total(nt.tensor(np.ones((2, 3, 4)), "row batch col"))
    NamedTensor(batch[3], float64)
    batch  0  1  2
           8  8  8
    """
    if not callable(f):
        raise KindError(
            f"lift(f, {pattern!r})" if isinstance(pattern, str) else "lift(f)",
            f"f is {kind_of_thing(f)}, and not a function of arrays",
            hint="nt.lift(np.linalg.inv, 'row col -> row col')",
        )
    hidden = None if over is None else tuple([a.name for a in parse_axes(over)])
    if pattern is None:
        if differential is not None:
            raise KindError(
                f"lift({_name(f)}, differential=...)",
                "what has no pattern is a function of named tensors, and is derived by what it does",
                hint="leave differential out, or say which axes f takes and gives: "
                "nt.lift(np.sin, '->', differential=lambda X, dX: nt.cos(X) * dX)",
            )
        return _lift_named(f, hidden or ())
    return Lifted(f, pattern, hidden, differential=differential)


class Lift:
    """The function lift, which takes a pattern in brackets where it declares a parameter."""

    def __init__(self) -> None:
        functools.update_wrapper(self, _lift)
        self.__name__ = self.__qualname__ = "lift"

    def __call__(
        self,
        f: Callable[..., Any],
        pattern: str | None = None,
        *,
        over: Any = None,
        differential: Callable[..., Any] | None = None,
    ) -> Callable[..., Any]:
        return _lift(f, pattern, over=over, differential=differential)

    def __getitem__(self, pattern: str) -> Any:
        return Declared(pattern)

    def __reduce__(self) -> str:
        return "lift"


if TYPE_CHECKING:
    # a type where a parameter is declared, net: nt.lift["seq -> seq"]; mypy takes MYPY for true
    MYPY = False
    if MYPY:
        lift: Any
    else:

        class lift(Any):
            def __new__(
                cls,
                f: Callable[..., Any],
                pattern: str | None = None,
                *,
                over: Any = None,
                differential: Callable[..., Any] | None = None,
            ) -> Callable[..., Any]: ...
            def __class_getitem__(cls, pattern: str) -> Any: ...
else:
    lift = Lift()


class Declared:
    """A parameter that is a function of arrays, with the axes of what it takes and gives."""

    def __init__(self, pattern: str) -> None:
        Lifted(nobody, pattern, None)  # which reads the pattern
        self.pattern = pattern

    def __call__(self, name: str, f: Any) -> Any:
        """Give f as a function of named tensors, called by the parameter's name."""
        if f is None or isinstance(f, Lifted):
            return f
        if not callable(f) or isinstance(f, type):
            raise KindError(
                f"{name}: {self!r}",
                f"{name} is {kind_of_thing(f)}, and not a function or a module of arrays",
                hint=f"f(..., {name}=torch.nn.Linear(4, 4)), or f.module(..., {name}=...)",
            )
        return Lifted(f, self.pattern, None, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Declared, (self.pattern,)

    def __repr__(self) -> str:
        return f"nt.lift[{self.pattern!r}]"


def _lift_named(f: Callable[..., Any], hidden: tuple[str, ...]) -> Callable[..., Any]:
    if not hidden:
        return f
    first, rest = Axis(hidden[0]), hidden[1:]
    inner, call = _lift_named(f, rest), f"lift({_name(f)}, over={first.name})"

    def asked(*tensors: Any) -> Any:
        return call_passed(
            inner, tensors, lambda why: _other_count(call, "tensor", len(tensors), why)
        )

    def lifted(*tensors: Any) -> Any:
        having = [X for X in tensors if isinstance(X, NamedTensor) and first.name in X.axes]
        if not having:
            return asked(*tensors)
        same_size(call, first.name, having)
        parts = [
            asked(*[X[first(i)] if any(X is H for H in having) else X for X in tensors])
            for i in range(int(having[0].size(first)))
        ]
        return stack[first.name](*parts)

    return lifted


def _other_count(call: str, what: str, count: int, why: str) -> KindError:
    """Make the error of a function that does not take as many operands as it is given."""
    return KindError(
        call,
        f"f is given {count} {what}{'s'[: count != 1]}, and {why}",
        hint=f"`lambda {', '.join(first_letters(count))}: ...` takes as many",
    )


def nobody(*_: Any) -> Any:
    """A stand-in for a function in a formula that is only printed."""
    raise TypeError("a function that is not given")


def _is_module(f: Any) -> bool:
    """Say whether a function is a module of torch."""
    return hasattr(f, "named_parameters")


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", "f"))


def _stem(lifted: Lifted) -> str:
    """Name a function in emitted code."""
    return lifted.name if lifted.name.isidentifier() else "function"


class OnlyWhenItRuns(Exception):
    """A size is known only when the body runs: torch.export keeps it open, or a module computes it."""


#: The kinds of a function's results and the sizes of their axes, or why they are not known.
Tried = tuple[tuple[list[str], dict[str, int]] | None, Exception | None]


class Lifted:
    """A positional function with the names of its axes."""

    def __init__(
        self,
        f: Callable[..., Any],
        pattern: str,
        hidden: tuple[str, ...] | None,
        declared: str | None = None,
        differential: Callable[..., Any] | None = None,
    ) -> None:
        if not isinstance(pattern, str):
            raise AxisNameError(
                f"lift({_name(f)}, ...)",
                f"a pattern is a text, and this is {kind_of_thing(pattern)}",
                hint="nt.lift(np.linalg.inv, 'row col -> row col')",
            )
        left, arrow, right = pattern.partition("->")
        self.f = f
        self.declared = declared
        self.name = declared if declared is not None else _name(f)
        self.pattern = pattern.strip()
        if not arrow:
            raise AxisNameError(
                f"lift({self.name}, {pattern!r})", "a pattern has an arrow", hint='"row col -> row"'
            )
        self.inputs = [parse_axes(part) for part in left.split(",")]
        self.outputs = [parse_axes(part) for part in right.split(",")]
        for axes in (*self.inputs, *self.outputs):
            distinct(f"lift({self.name}, {self.pattern!r})", axes)
        self.hidden = hidden
        self.differential = differential
        why = misfit(getattr(f, "forward", f), [None] * len(self.inputs))
        if why:
            call = f"lift({self.name}, {self.pattern!r})"
            raise _other_count(call, "array", len(self.inputs), why)
        if differential is not None:
            self._check_rule()

    def _check_rule(self) -> None:
        """Raise KindError for a differential that cannot be called with operands and changes of them."""
        rule, count = self.differential, len(self.inputs)
        why = "" if callable(rule) else f"differential is {kind_of_thing(rule)}"
        try:
            inspect.signature(rule).bind(*[None] * 2 * count) if callable(rule) else None
        except TypeError:
            why = f"differential takes other arguments than {count} operand(s) and as many changes"
        except ValueError:
            pass  # a signature that nobody wrote down
        if why:
            raise KindError(
                f"lift({self.name}, {self.pattern!r}, differential=...)",
                why,
                hint=f"a function of named tensors: {self.rule}",
            )

    @property
    def rule(self) -> str:
        """How a differential begins."""
        letters = first_letters(len(self.inputs))
        return f"differential=lambda {', '.join([*letters, *[f'd{w}' for w in letters]])}: ..."

    def __call__(self, *tensors: Any) -> NamedTensor | Any:
        call, shapes = self._told(tensors)
        if len(tensors) != len(self.inputs):
            raise AxisNameError(
                call,
                f"the pattern has {len(self.inputs)} operand(s), and {len(tensors)} are given",
                shapes,
                "one group of axes for each operand, with commas between",
            )
        if any(hasattr(X, "node") and (on_symbols.get() or not X.node.closed) for X in tensors):
            return self._in_body(call, tensors, shapes)
        backend = self._backend(call, tensors, shapes)
        sizes = self._sizes(call, tensors, shapes)
        extra = self._extra(tensors)
        for axis in self._clashes(extra):
            label = next(
                w
                for w, X in zip(first_letters(len(tensors)), tensors, strict=True)
                if axis in X.axes
            )
            raise AxisClashError(
                call, _clash(self, label, axis), shapes, f"rename it first: {primed(label, axis)}"
            )
        lifted = [a for a in extra if self.hidden is None or a in self.hidden]
        seen = [a for a in extra if a not in lifted]
        arrays = [
            _arrange(X, [*lifted, *seen], [a.name for a in own], sizes)
            for X, own in zip(tensors, self.inputs, strict=True)
        ]
        try:
            results = self._run(backend, arrays, [sizes[a] for a in lifted], len(lifted))
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            if isinstance(error, NamedTensorError) or "memory" in str(error):
                raise
            raise self._refused(call, shapes, error) from error
        return self._all_named(call, shapes, backend, results, lifted, seen, sizes)

    def _told(self, tensors: Sequence[Any]) -> tuple[str, list[tuple[str, str]]]:
        """Write a call and the shapes of its operands, for messages."""
        labels = "ABCDEFGH"[: len(tensors)]
        call = f"lift({self.name}, {self.pattern!r})({', '.join(labels)})"
        return call, shapes(*tensors, labels=labels)

    def named(self, found: Any, seen: Sequence[str], *tensors: Any) -> Any:
        """Name what f gave for these operands, where it saw all of their axes: those `seen` in front."""
        call, shapes = self._told(tensors)
        results = self._parts(found)
        sizes, backend = self._sizes(call, tensors, shapes), tensors[0].layout.backend
        return self._all_named(call, shapes, backend, results, (), seen, sizes)

    def _all_named(
        self,
        call: str,
        shapes: Sequence[tuple[str, str]],
        backend: Backend,
        results: Sequence[Any],
        lifted: Sequence[str],
        seen: Sequence[str],
        sizes: dict[str, int],
    ) -> Any:
        named = [
            self._named(call, shapes, backend, data, lifted, seen, axes, sizes)
            for data, axes in zip(results, self.outputs, strict=True)
        ]
        return named[0] if len(named) == 1 else tuple(named)

    def _in_body(self, call: str, tensors: Any, shapes: Sequence[tuple[str, str]]) -> Any:
        """Give the nodes that call f when the formula runs: the pattern tells the shape."""
        for label, X in zip("ABCDEFGH", tensors, strict=False):
            if not isinstance(X, NamedTensor):
                raise _no_tensor(call, label, X, shapes)
        sizes = {n: getattr(s, "node", s) for X in tensors for n, s in X.sizes}
        own = {a.name for axes in self.inputs for a in axes}
        new = [a for axes in self.outputs for a in axes if a.name not in own and a.size is None]
        if new:
            sizes |= {
                n: self._number(call, shapes, n, new[0], sizes[n]) for n in sorted(own & set(sizes))
            }
        open_ = any([isinstance(sizes.get(n), Node) for n in own])
        refusal: Exception | None = None
        if new and self.declared is not None and (open_ or self.f is nobody):
            # a shape that is asked for without sizes: what the function makes of them stays open
            unknown = {a.name: size_of(self.name, a.name, i) for i, a in enumerate(new)}
            found: Any = [widest([X.kind for X in tensors])] * len(self.outputs), unknown
        else:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # they would be about zeros
                found, refusal = self._tried([X.kind for X in tensors], sizes)
        if found is None and new:
            raise self._unknown(call, shapes, new[0], refusal, [sizes.get(n) for n in own])
        kinds, shape = found if found is not None else (None, {})
        made = tuple([(a.name, shape[a.name]) for a in new])
        kinds = kinds or [widest([X.kind for X in tensors])] * len(self.outputs)
        results = [
            apply(LIFTED(self, place, made, kind), *tensors) for place, kind in enumerate(kinds)
        ]
        return results[0] if len(results) == 1 else tuple(results)

    def _unknown(
        self,
        call: str,
        shapes: Sequence[tuple[str, str]],
        new: Axis,
        refusal: Exception | None,
        sizes: Sequence[Any],
    ) -> Exception:
        """Make the error for a new axis whose size cannot be found."""
        if _is_module(self.f) and sys.modules["torch"].compiler.is_exporting():
            return OnlyWhenItRuns()
        why = f"what size {new.name} has is not known before {self.name} runs"
        library = isinstance(refusal, (RuntimeError, ValueError, IndexError))
        if library and refusal is not None and all([isinstance(size, int) for size in sizes]):
            if _is_module(self.f) and "meta" not in str(refusal):
                return self._refused(call, shapes, refusal)
            why += f", and of zeros it says: {first_line(refusal)}"
        hint = f"say it in the pattern: ... -> {new.name}[5]"
        return AxisSizeError(call, why, shapes, hint)

    def _refused(
        self, call: str, shapes: Sequence[tuple[str, str]], error: Exception
    ) -> BackendError:
        """Make the error for a function that raised one itself."""
        given = ", ".join([" ".join([a.name for a in axes]) or "no axis" for axes in self.inputs])
        return BackendError(
            call,
            f"{self.name} refuses it: {first_line(error)}",
            shapes,
            f"{self.name} is given {given}, in this order; other axes pass through",
        )

    def _number(
        self, call: str, shapes: Sequence[tuple[str, str]], name: str, new: Axis, size: Any
    ) -> Any:
        """Give a size as a number, since the size of a new axis may depend on it."""
        specialise = tracing.get()
        if not isinstance(size, Node):
            return size
        if specialise is None and self.declared is not None:
            return size
        if specialise is None:
            raise AxisSizeError(
                call,
                f"the size of {new.name} depends on that of {shown(name)}, which is open here",
                shapes,
                f"say it in the pattern: ... -> {new.name}[5]",
            )
        return specialise(size)

    def _tried(self, kinds: Sequence[str], sizes: dict[str, Any]) -> Tried:
        """Run f on zeros, for the kinds of its results and the sizes of their axes."""
        if _is_module(self.f):
            return self._tried_without_numbers(kinds, sizes)
        refusal: Exception | None = None
        for library in ("numpy", "torch"):
            if library == "torch" and "torch" not in sys.modules:
                break
            backend = get_backend(library)
            arrays = [
                backend.function("create")(
                    tuple([_or_two(sizes.get(a.name)) for a in axes]),
                    0,
                    backend.function("dtype_of")(_DTYPES[kind]),
                    None,
                )
                for kind, axes in zip(kinds, self.inputs, strict=True)
            ]
            try:
                results = self.f(*arrays)
                parts = self._parts(results)
                parts = [backend.function("as_array")(part) for part in parts]
            except STAND_IN_ERRORS as error:
                refusal = error
                continue
            found = {
                a.name: size
                for axes, part in zip(self.outputs, parts, strict=True)
                for a, size in zip(axes, part.shape, strict=False)
            }
            return ([backend.kind_of(part.dtype) for part in parts], found), None
        return None, refusal

    def _tried_without_numbers(self, kinds: Sequence[str], sizes: dict[str, Any]) -> Tried:
        """Find the shapes of a torch module's results without computing and without changing its states."""
        import torch

        # torch notes which modules are called while it exports, and loses count where one raises
        if torch.compiler.is_exporting():
            return None, None
        held = {**dict(self.f.named_parameters()), **dict(self.f.named_buffers())}  # type: ignore[attr-defined]
        floats = [data.dtype for data in held.values() if data.is_floating_point()]
        dtypes = {"float": floats[0] if floats else torch.get_default_dtype(), "int": torch.int64}
        shapes = [[_or_two(sizes.get(a.name)) for a in axes] for axes in self.inputs]
        try:
            results = torch.func.functional_call(
                self.f,  # type: ignore[arg-type]
                {name: data.detach().to("meta") for name, data in held.items()},
                tuple(
                    [
                        torch.zeros(shape, dtype=dtypes.get(kind, torch.bool), device="meta")
                        for shape, kind in zip(shapes, kinds, strict=True)
                    ]
                ),
            )
            parts = self._parts(results)
            kind_of = get_backend("torch").kind_of
            found = {
                a.name: size
                for axes, part in zip(self.outputs, parts, strict=True)
                for a, size in zip(axes, part.shape, strict=False)
            }
            return ([kind_of(part.dtype) for part in parts], found), None
        except STAND_IN_ERRORS as error:
            return None, error

    def _backend(self, call: str, tensors: Any, shapes: Sequence[tuple[str, str]]) -> Any:
        for label, X in zip("ABCDEFGH", tensors, strict=False):
            if not isinstance(X, NamedTensor):
                raise _no_tensor(call, label, X, shapes)
        first = tensors[0].layout.backend
        for label, X in zip("ABCDEFGH", tensors, strict=False):
            if X.layout.backend is not first:
                raise BackendError(
                    call,
                    f"A is a {first} tensor and {label} a {X.layout.backend} tensor; data never "
                    "changes library by itself",
                    shapes,
                    f'convert one of them: {label}.to("{first}")',
                )
        return first

    def _sizes(self, call: str, tensors: Any, shapes: Sequence[tuple[str, str]]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        owners: dict[str, str] = {}
        for label, X, own in zip("ABCDEFGH", tensors, self.inputs, strict=False):
            for axis in own:
                if axis.name not in X.axes:
                    raise AxisMissingError(
                        call,
                        lacks(label, axis.name),
                        shapes,
                        f"rename the axis of {label} that you mean: {label}[ax >> {axis.name}]",
                    )
                if axis.size is not None and X.size(axis) != axis.size:
                    raise AxisSizeError(
                        call,
                        f"axis {axis.name} is {X.size(axis)} in {label} and {axis.size} in the pattern",
                        shapes,
                        f"leave the size out: {axis.name}",
                    )
            for name, size in X.sizes:
                owners.setdefault(name, label)
                if sizes.setdefault(name, size) != size:
                    raise AxisSizeError(
                        call,
                        f"axis {shown(name)} is {sizes[name]} in {owners[name]} and {size} in {label}",
                        shapes,
                        f"select as many of both, or rename one: {primed(label, name)}",
                    )
        return sizes

    def _clashes(self, extra: Sequence[str]) -> list[str]:
        """List the axes that pass through, and that f also gives to a result."""
        given = {a.name for axes in self.outputs for a in axes}
        return [axis for axis in extra if axis in given]

    def _extra(self, tensors: Any) -> list[str]:
        found: dict[str, None] = {}
        for X, own in zip(tensors, self.inputs, strict=True):
            mine = {a.name for a in own}
            found |= dict.fromkeys([a for a in X.axes if a not in mine])
        return list(found)

    def _run(self, backend: Backend, arrays: Any, sizes: list[int], depth: int) -> list[Any]:
        if not depth:
            return self._parts(self.f(*arrays))
        flat = [x.reshape((math.prod(sizes), *x.shape[depth:])) for x in arrays]
        if math.prod(sizes) == 0:
            # there is no record to run f on: a record of zeros tells the shape of the result
            results = self.f(*[backend.function("full_like_kind")(x.shape[1:], 0, x) for x in flat])
            found = self._parts(results)
            like = backend.function("full_like_kind")
            return [
                like((*sizes, *np.shape(r)), 0, r) for r in map(backend.function("as_array"), found)
            ]
        if backend.name == "torch":
            import torch

            f = self.f  # called by a lambda, for vmap asks a module for its text
            held = list(f.buffers()) if _is_module(f) and f.training else []  # type: ignore[attr-defined]
            before = [data.clone() for data in held]
            try:
                results = torch.vmap(lambda *xs: f(*xs), randomness="different")(*flat)
            except RuntimeError:  # torch cannot batch all that it does
                with torch.no_grad():
                    for data, was in zip(held, before, strict=True):
                        data.copy_(was)
                results = self._one_by_one(flat, torch.stack)
            else:
                results = self._parts(results)
        else:
            results = self._one_by_one(flat, lambda xs: np.stack([np.asarray(x) for x in xs]))
        return [r.reshape((*sizes, *r.shape[1:])) for r in results]

    def _one_by_one(self, arrays: Sequence[Any], stack: Callable[[list[Any]], Any]) -> list[Any]:
        """Call f for each record: what lifting means."""
        rows = [self.f(*parts) for parts in zip(*arrays, strict=True)]
        parts = [self._parts(row) for row in rows]
        return [stack(list(part)) for part in zip(*parts, strict=True)]

    def _parts(self, results: Any) -> list[Any]:
        """List the results of a function, as many as the pattern names: of one, what it gives."""
        if not isinstance(results, tuple) and len(self.outputs) == 1:
            return [results]
        if not isinstance(results, tuple) or len(results) != len(self.outputs):
            found = f"{len(results)} results" if isinstance(results, tuple) else "one result"
            raise AxisNameError(
                f"lift({self.name}, {self.pattern!r})",
                f"{self.name} gave {found}, and the pattern names {len(self.outputs)}",
                hint="one group of axes for each result, with commas between",
            )
        return list(results)

    def _named(
        self,
        call: str,
        shapes: Sequence[tuple[str, str]],
        backend: Backend,
        data: Any,
        lifted: Any,
        seen: Any,
        axes: Any,
        sizes: Any,
    ) -> NamedTensor:
        if backend_of(data) is not backend:
            if backend.name != "numpy":
                raise KindError(
                    call,
                    f"{self.name} gave {kind_of_thing(data)} for tensors of {backend.name}",
                    shapes,
                    f"return a tensor of {backend.name}: torch.as_tensor(...)",
                )
            data = np.asarray(data)
        if backend.kind_of(data.dtype) == "object":
            raise KindError(
                call,
                f"{self.name} gave {kind_of_thing(data.flat[0])}, and not numbers",
                shapes,
                "return an array of numbers",
            )
        names = (*lifted, *seen, *[a.name for a in axes])
        if len(names) != len(data.shape):
            inside = data.shape[len(lifted) :]
            raise AxisSizeError(
                call,
                f"{self.name} gave an array of sizes {tuple(inside)}, and the pattern names "
                f"{' '.join(names[len(lifted) :]) or 'no axis'}",
                shapes,
                "name each axis of the result, in its order",
            )
        for axis, size in zip(axes, data.shape[len(lifted) + len(seen) :], strict=True):
            wanted = axis.size if axis.size is not None else sizes.get(axis.name, size)
            if wanted != size:
                raise AxisSizeError(
                    call,
                    f"axis {axis.name} is {wanted} before {self.name} and {size} after it",
                    shapes,
                    f"give the new axis its own name: ... -> {axis.name}'",
                )
        return NamedTensor(data, layout_of(tuple(names), backend.kind_of(data.dtype), backend))


def _arrange(X: NamedTensor, outer: list[str], own: list[str], sizes: dict[str, int]) -> Any:
    """Give X's data as outer axes, repeated where X lacks them, and then its own."""
    have = [a for a in outer if a in X.axes and a not in own]
    data = X.positional("X.numpy", tuple([sized(a, None) for a in (*have, *own)]))
    function = X.layout.backend.function
    for i, axis in enumerate(outer):
        if axis not in have:
            data = function("unsqueeze")(data, i)
    shape = [sizes[a] for a in outer] + [X.size(a) for a in own]
    return function("broadcast_to")(data, tuple(shape))


def _no_tensor(call: str, label: str, X: Any, shapes: Any) -> BackendError:
    return BackendError(
        call,
        f"{label} is {kind_of_thing(X)}, and not a named tensor",
        shapes,
        naming(label, X),
    )


# --------------------------------------------------------------------------------- inside a formula

_DTYPES = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}


def _or_two(size: Any) -> int:
    """Give a size, or a small one where the code reads it when it runs."""
    return size if isinstance(size, int) else 2


def _lifted_rule(call: Call) -> Type:
    lifted, place, made, kind = call.params
    known = dict(made)
    for i, axes in enumerate(lifted.inputs):
        call.need(i, [a.name for a in axes])
        for axis in axes:
            found = call.types[i].size(axis.name)
            if axis.size is not None and found is not axis.size:
                _agree(call, i, axis, found)
    every = range(len(call.types))
    own = {a.name for axes in lifted.inputs for a in axes}
    names = dict.fromkeys([n for t in call.types for n in t.names])
    agreed = {n: call.agree(n, every) for n in names}
    extra = [(n, size) for n, size in agreed.items() if n not in own]
    for axis in lifted._clashes([n for n, _ in extra]):
        label = next(w for w, t in zip(call.labels, call.types, strict=True) if t.has(axis))
        raise call.fail(
            AxisClashError, _clash(lifted, label, axis), f"rename it first: {primed(label, axis)}"
        )
    given = [
        (a.name, a.size if a.size is not None else agreed.get(a.name, known.get(a.name)))
        for a in lifted.outputs[place]
    ]
    return Type((*extra, *given), kind)


def _clash(lifted: Lifted, label: str, axis: str) -> str:
    """Say that an axis which passes through is also one of a result's own."""
    return f"{label} has an axis {shown(axis)} that passes through, and {lifted.name} gives one of that name"


def _agree(call: Call, operand: int, axis: Axis, found: Any) -> None:
    if isinstance(found, int) and found != axis.size:
        raise call.fail(
            AxisSizeError,
            f"axis {axis.name} is {found} in {call.labels[operand]} and {axis.size} in the pattern",
            f"leave the size out: {axis.name}",
        )
    call.guards.append((found, axis.size))


class _Positional:
    """A lifted function on arrays: what a plan calls. It knows the axes of operands and results.

    Where f sees every axis, those that the pattern lacks in front, `seen` are these: arrays then come in the
    pattern's order and go to f as they are.
    """

    def __init__(
        self,
        lifted: Lifted,
        axes: Sequence[tuple[str, ...]],
        orders: Sequence[tuple[str, ...]],
        seen: Sequence[str] | None,
    ) -> None:
        self.lifted = lifted
        self.axes = axes
        self.orders = [tuple([sized(a, None) for a in order]) for order in orders]
        self.seen = seen
        # of each result the operand that has its axes, in which f may have written it
        self.same = [
            next((i for i, own in enumerate(axes) if own == order), None) for order in orders
        ]
        where = {a: (i, own.index(a)) for i, own in enumerate(axes) for a in own}
        # of each result's axes the operand that has it, and its place there
        self.places = [
            [where[a] for a in order] if where.keys() >= set(order) else None for order in orders
        ]

    def __call__(self, *arrays: Any) -> Any:
        if self.seen is None:
            return self._ordered(self.lifted(*self._tensors(arrays)))
        found = self.lifted.f(*arrays)
        if self._fits(found, arrays):
            return found
        return self._ordered(self.lifted.named(found, self.seen, *self._tensors(arrays)))

    def _fits(self, found: Any, arrays: Sequence[Any]) -> bool:
        """Say whether a quick check shows that results are as the pattern says."""
        several = len(self.places) > 1
        parts = found if several else (found,)
        if several and (type(found) is not tuple or len(found) != len(self.places)):
            return False
        first = arrays[0]
        for part, same, places in zip(parts, self.same, self.places):  # noqa: B905  of one length
            if same is not None and part is arrays[same]:
                continue
            if places is None or type(part) is not type(first) or part.dtype != first.dtype:
                return False
            if part.shape != tuple([arrays[i].shape[place] for i, place in places]):
                return False
        return True

    def _tensors(self, arrays: Sequence[Any]) -> list[NamedTensor]:
        tensors = []
        for axes, array in zip(self.axes, arrays, strict=True):
            library = backend_of(array)
            assert library is not None
            layout = layout_of(axes, library.kind_of(array.dtype), library)
            tensors.append(NamedTensor(array, layout))
        return tensors

    def _ordered(self, found: Any) -> Any:
        results = found if isinstance(found, tuple) else (found,)
        data = [r.positional("X", o) for r, o in zip(results, self.orders, strict=True)]
        return tuple(data) if isinstance(found, tuple) else data[0]


def _lower_lifted(emit: Emitter, call: Lowered, *values: Value) -> Any:
    lifted, place, *_ = call.params
    outputs = [tuple([a.name for a in axes]) for axes in lifted.outputs]
    extra = tuple([n for n in call.type.names if n not in outputs[place]])
    orders = [(*extra, *axes) for axes in outputs]
    if len(orders) == 1:
        code = _called(emit, lifted, values, orders)
        return emit.bind(code, orders[0], call.type, _stem(lifted))
    # one call of the user's function, however many results are used
    key = (lifted, call.node.operands)
    if key not in emit.several:
        code = _called(emit, lifted, values, orders)
        emit.several[key] = emit.bind(code, (), Type((), host=True), f"{_stem(lifted)}_results")
    code = emit.subscript(emit.several[key], place)
    return emit.bind(code, orders[place], call.type, _stem(lifted))


def _called(emit: Emitter, lifted: Lifted, values: Sequence[Any], orders: Any) -> Any:
    if emit.backend.name != "torch" and _is_module(lifted.f):
        raise BackendError(
            f"{lifted.name}(X)",
            f"{lifted.name} is a torch module, and X has data of {emit.backend.name}",
            hint='X.to("torch")',
        )
    own = [tuple([a.name for a in axes]) for axes in lifted.inputs]
    seen = orders[0][: len(orders[0]) - len(lifted.outputs[0])]
    hidden = seen if lifted.hidden is None else [a for a in seen if a in lifted.hidden]
    wanted = [(*seen, *axes) for axes in own]
    if hidden or any([set(v.axes) != set(w) for v, w in zip(values, wanted, strict=True)]):
        found = _Positional(lifted, [v.axes for v in values], orders, None)
        return emit.apply(emit.hold(_stem(lifted), found), *values)
    found = _Positional(lifted, wanted, orders, seen)
    given = [emit.permute(v, w) for v, w in zip(values, wanted, strict=True)]
    return emit.apply(emit.hold(_stem(lifted), found), *given)


# ------------------------------------------------------------------------------------- derivatives


def _change(use: Use, place: int, d: SymbolicTensor) -> Any:
    """Give the change of a result for a change d of one operand, by the user's rule."""
    lifted, result, *_ = use.params
    operands = use.node.operands
    letters = first_letters(len(operands))

    def fail(why: str, hint: str) -> DerivativeError:
        shapes = [(w, str(o.type)) for w, o in zip(letters, operands, strict=True)]
        return DerivativeError(f"d {lifted.name}({', '.join(letters)})", why, shapes, hint)

    if lifted.differential is None:
        raise fail(
            f"{lifted.name} is lifted without a rule for its derivative",
            f"give it one, nt.lift({lifted.name}, {lifted.pattern!r}, {lifted.rule}), or let torch derive "
            "it: nt.sum[...](f(X)).backward()",
        )
    types = [replace(o.type, kind="float") for o in operands]
    symbols = [symbol(f"d{w}", type_) for w, type_ in zip(letters, types, strict=True)]
    found = lifted.differential(*use.operands, *symbols)
    parts = found if isinstance(found, tuple) else (found,)
    if len(parts) != len(lifted.outputs):
        raise fail(
            f"its differential gives {len(parts)} result(s), and the pattern names {len(lifted.outputs)}",
            f"give a change for each result: {lifted.rule}",
        )
    root = as_node(getattr(parts[result], "node", parts[result]))
    for axis in root.type.names:
        if not use.node.type.has(axis):
            raise fail(
                f"its differential gives an axis {shown(axis)}, which {lifted.name} does not give",
                f"sum over it: nt.sum[{typed_axes([axis])}](...)",
            )
    if not _is_linear(root, [x.node for x in symbols]):
        raise fail(
            "its differential is not seen to be linear in the changes",
            "multiply each change by what does not depend on it, and add: lambda X, dX: nt.cos(X) * dX",
        )
    values = [d if i == place else SymbolicTensor(zeros(o)) for i, o in enumerate(operands)]
    (change,) = given_values([root], dict(zip([x.node for x in symbols], values, strict=True)))
    return change


def _is_linear(root: Node, changes: Sequence[Node]) -> bool:
    """Say whether a tree is visibly linear in all changes together, so that it is 0 if they are."""
    depend = set(changes)
    for node in operands_first([root]):
        traits = node.operation.primitive.traits
        places = [i for i, o in enumerate(node.operands) if o in depend]
        if not places:
            continue
        depend.add(node)
        if not all([traits.linear_in(i) for i in places]):
            return False
        others = [o for i, o in enumerate(node.operands) if i not in places and traits.linear_in(i)]
        if not all([_is_zero(o) for o in others]) if traits.jointly else len(places) > 1:
            return False
    return root in depend or _is_zero(root)


def _is_zero(node: Node) -> bool:
    return is_filled(node.operands[0] if node.name == "full" else node, 0)


LIFTED = primitive(
    "lifted",
    _lifted_rule,
    _lower_lifted,
    differential=_change,
    write=lambda op, labels: f"{op.params[0].name}({', '.join(labels)})",
    notation=Special("lifted"),
    traits=Traits(dtype="given"),
)
