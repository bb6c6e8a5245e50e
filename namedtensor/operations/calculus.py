"""Derivatives of functions that are not formulas (paper, section 5): by torch, or on symbols.

f : R^S -> R^T,   derivative(f)(X) in R^{T x S*},   (df/dX)_{t,s*} = d f(X)_t / d X_s

If X is torch data, torch differentiates f, whatever f does. Otherwise f runs on a symbol in place of X, and
the resulting tree is differentiated.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

from namedtensor.axes import BOUND, naming, visible
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    DerivativeError,
    KindError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.operations.derivatives import change, gradients, lifted
from namedtensor.operations.derivatives import derivative as derived
from namedtensor.operations.expanding import ALIKE
from namedtensor.plans import layout_of
from namedtensor.primitives import Node
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply, symbol
from namedtensor.tensor.apply import capturing, type_of
from namedtensor.tensor.gradients import same_shape
from namedtensor.tensor.wrong_calls import call_passed, misfit

#: The arguments to differentiate by: a place or a name, or several.
By = int | str | tuple[int | str, ...]

_serial = itertools.count()


def starred(axes: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Give each axis a starred name, with enough stars to be distinct."""
    used = set(taken)
    names: dict[str, str] = {}
    for axis in axes:
        star = axis + "*"
        while star in used:
            star += "*"
        used.add(star)
        names[axis] = star
    return names


def of_function(
    what: str, f: Callable[..., Any], by: By, simplified: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Give the derivative, the grad or the differential of a function, found at each call.

    What is derived is its result, simplified.
    """

    def at_call(*arguments: Any, **named: Any) -> Any:
        every = by if isinstance(by, tuple) else (by,)
        changes: list[tuple[Any, ...]] = [()] * len(every)
        if what == "differential":
            if "dX" not in named and arguments:
                *given, named["dX"] = arguments
                arguments = tuple(given)
            changes = _changes(by, every, named.pop("dX", None))
        found: list[Any] = []
        for b, dX in zip(every, changes, strict=True):
            X, one = _of_one(what, f, simplified, b, arguments, named)
            if dX and _seen(X) != _seen(*dX):
                same_shape("differential(f)(X, dX)", "X", X, "dX", *dX)
            ways = _BY_TORCH if all(map(_is_torch, (X, *dX))) else _ON_SYMBOLS
            try:
                found.append(ways[what](one, X, *dX))
            except RuntimeError as error:
                if not str(error).startswith("derivative for "):  # which torch has no rule for
                    raise
                why = f"torch cannot: {error}"
                hint = f'make a formula of f, or derive on numpy: nt.{what}(f)(X.to("numpy"))'
                raise DerivativeError(f"{what}(f)(X)", why, shapes(X), hint) from None
        if what == "differential":
            return reduce(lambda a, b: a + b, found)
        return tuple(found) if isinstance(by, tuple) else found[0]

    return at_call


def _changes(by: By, every: Sequence[int | str], given: Any) -> list[tuple[Any, ...]]:
    """Give the change of each argument to differentiate by."""
    if given is not None and not isinstance(by, tuple):
        return [(given,)]
    if isinstance(given, tuple) and len(given) == len(every):
        return [(change,) for change in given]
    found = f"a tuple of {len(given)}" if isinstance(given, tuple) else kind_of_thing(given)
    names = ", ".join([f"d{part}" if isinstance(part, str) else f"dX{part}" for part in every])
    wanted, code = "a change", "dX"
    if isinstance(by, tuple):
        wanted, code = f"a tuple of {len(every)}", f"({names},)"
    raise NamedTensorError(
        "differential(f)(X, dX)",
        f"dX is {found}, and {wanted} is asked for",
        hint=f"nt.differential(f, by={by!r})(X, dX={code})",
    )


def _seen(X: object) -> frozenset[tuple[str, Any]] | None:
    """Give the axes that f sees, with their sizes; the rest of a formula's argument lifts."""
    if not isinstance(X, NamedTensor):
        return None
    axes = dict(type_of(X).axes)
    return frozenset([(axis, axes[axis]) for axis in visible(axes)])


def _is_torch(X: NamedTensor) -> bool:
    """Say whether torch differentiates by X: torch data whose axes f sees all."""
    if isinstance(X, SymbolicTensor) or len(visible(X.axes)) < len(X.axes):
        return False
    return X.layout.backend.name == "torch"


def _of_one(
    what: str,
    f: Callable[..., Any],
    simplified: Callable[[Any], Any],
    by: int | str,
    arguments: Sequence[Any],
    named: dict[str, Any],
) -> tuple[NamedTensor, Callable[[Any], NamedTensor]]:
    """Give the argument to differentiate by, and f as a function of that argument alone."""

    def refusal(why: str) -> KindError:
        words = [*"XYZUVW"[: len(arguments)], *named]
        return KindError(
            f"{what}(f{'' if by == 0 else f', {by!r}'})({', '.join(words)})",
            f"f is given {len(words)} argument(s), and {why}",
            shapes(*arguments, *named.values(), labels=words),
            f"`lambda {', '.join(words)}: ...` takes as many",
        )

    if isinstance(by, str):
        why = misfit(f, arguments, named)
        if why:
            raise refusal(why)
        try:
            bound = inspect.signature(f).bind(*arguments, **named)
        except ValueError:  # a builtin, whose signature nobody wrote down
            raise AxisNameError(
                f"{what}(f, {by!r})",
                "f does not tell the names of its arguments",
                hint=f"count them from 0: nt.{what}(f, by=0)",
            ) from None
        given: dict[int | str, Any] = dict(bound.arguments.items())
    else:
        given = dict(enumerate(arguments))
    if by not in given:
        raise AxisNameError(
            f"{what}(f, {by!r})",
            f"f is given {len(arguments)} argument(s), and argument {by} is asked for"
            if isinstance(by, int)
            else f"f is given {', '.join(map(str, given)) or 'nothing'}, and not {by}",
            hint="arguments count from 0" if isinstance(by, int) else "give it, or name another",
        )
    X = given[by]
    if not isinstance(X, NamedTensor):
        raise BackendError(
            f"{what}(f)(X)",
            f"X is {kind_of_thing(X)}, and not a named tensor",
            hint=naming("X", X),
        )
    if X.kind not in ("float", "complex"):
        raise KindError(
            f"{what}(f)(X)",
            f"X holds {X.kind} numbers, and derivatives are by real ones",
            shapes(X),
            'X.to("float32")',
        )

    def one(x: Any) -> NamedTensor:
        if isinstance(by, int):
            given = [x if i == by else a for i, a in enumerate(arguments)]
            result = call_passed(f, given, refusal, named)
        else:
            bound.arguments[by] = x
            result = f(*bound.args, **bound.kwargs)
        result = simplified(result)
        if not isinstance(result, NamedTensor):
            raise BackendError(
                f"{what}(f)(X)",
                f"f gave {kind_of_thing(result)}, and not a named tensor",
                shapes(X),
                "return a named tensor",
            )
        if what == "grad" and visible(result.axes):
            raise AxisSizeError(
                "grad(f)(X)",
                "f(X) has axes, and a gradient is of a single number",
                shapes(X, result, labels=["X", "f(X)"]),
                "nt.sum[...](f(X)) reduces all axes; nt.derivative(f)(X) keeps them",
            )
        if what == "grad" and result.kind == "complex":
            raise complex_result("grad(f)(X)", "f(X)", shapes(X, result, labels=["X", "f(X)"]))
        return result

    return X, one


def complex_result(call: str, what: str, shown: list[tuple[str, str]]) -> KindError:
    """Make the error of the gradient of a complex number."""
    return KindError(
        call,
        f"{what} is a complex number, and a gradient is of a real one",
        shown,
        f"nt.real({what}), nt.imag({what}) or nt.abs({what}); nt.derivative gives complex numbers",
    )


# ------------------------------------------------------------------------------------ by symbols


def _traced(
    one: Callable[[Any], NamedTensor], X: NamedTensor
) -> tuple[Node, Node, dict[Node, Any]]:
    """Run a function on a symbol in place of X: its tree, the symbol, and what the leaves stand for."""
    leaf = symbol(f"X{BOUND}{next(_serial)}", type_of(X))
    given: dict[Node, Any] = {leaf.node: X}
    kept: dict[int, SymbolicTensor] = {}

    def keep(tensor: NamedTensor) -> SymbolicTensor:
        if id(tensor) not in kept:
            kept[id(tensor)] = symbol(f"W{BOUND}{next(_serial)}", type_of(tensor))
            given[kept[id(tensor)].node] = tensor
        return kept[id(tensor)]

    token = capturing.set(keep)
    try:
        Y = one(leaf)
    finally:
        capturing.reset(token)
    return (Y if isinstance(Y, SymbolicTensor) else keep(Y)).node, leaf.node, given


def _computed(root: Node, given: dict[Node, Any], X: NamedTensor) -> NamedTensor:
    """Compute a derivative with the tensors that its leaves stand for, in the dtype of X."""
    (found,) = lifted([root], given)
    if isinstance(found, NamedTensor) and not isinstance(found, SymbolicTensor):
        return found
    weak = not isinstance(found, SymbolicTensor) or found.node.type.weak
    result: NamedTensor = apply(ALIKE.plain, found, X) if weak else found
    return result


def _derivative_on_symbols(one: Callable[[Any], NamedTensor], X: NamedTensor) -> NamedTensor:
    Y, leaf, given = _traced(one, X)
    stars = starred(visible(leaf.type.names), Y.type.names)
    return _computed(derived(Y, leaf, stars), given, X)


def _grad_on_symbols(one: Callable[[Any], NamedTensor], X: NamedTensor) -> NamedTensor:
    Y, leaf, given = _traced(one, X)
    return _computed(gradients(Y, [leaf])[0], given, X)


def _differential_on_symbols(
    one: Callable[[Any], NamedTensor], X: NamedTensor, dX: NamedTensor
) -> NamedTensor:
    Y, leaf, given = _traced(one, X)
    d = symbol(f"dX{BOUND}{next(_serial)}", type_of(dX)).node
    return _computed(change(Y, {leaf: d}), {**given, d: dX}, X)


# -------------------------------------------------------------------------------------- by torch


def _positional(
    one: Callable[[Any], NamedTensor], X: NamedTensor
) -> tuple[Callable[[Any], Any], list[Any]]:
    """Give a function of X's data, and a list that will hold its last named result.

    Whole numbers and truth values, which do not change with X, become numbers of X's dtype.
    """
    seen: list[Any] = [None]

    def positional(data: Any) -> Any:
        seen[0] = Y = one(NamedTensor(data, X.layout))
        return Y.data if Y.kind in ("float", "complex") else Y.data.to(data.dtype)

    return positional, seen


def _derivative_by_torch(one: Callable[[Any], NamedTensor], X: NamedTensor) -> NamedTensor:
    import torch

    positional, seen = _positional(one, X)
    if X.kind == "complex":
        raise DerivativeError(
            "derivative(f)(X)",
            "X holds complex numbers, and torch has partial derivatives by real ones",
            shapes(X),
            'make a formula of f, or derive on numpy: nt.derivative(f)(X.to("numpy"))',
        )
    result = positional(X.data)
    if result.numel() * X.data.numel() == 0:  # torch's vmap takes no axis of size 0
        jacobian = result.new_zeros((*result.shape, *X.data.shape))
    else:
        parts = (torch.real, torch.imag) if result.is_complex() else (lambda x: x,)
        with _every_derivative():
            found = [torch.func.jacrev(lambda x, p=p: p(positional(x)))(X.data) for p in parts]
        jacobian = torch.complex(*found) if result.is_complex() else found[0]
    stars = starred(X.axes, seen[0].axes)
    kind = "complex" if result.is_complex() else "float"
    layout = layout_of((*seen[0].axes, *stars.values()), kind, X.layout.backend)
    return NamedTensor(jacobian, layout)


def _grad_by_torch(one: Callable[[Any], NamedTensor], X: NamedTensor) -> NamedTensor:
    import torch

    positional, seen = _positional(one, X)
    value, pull = torch.func.vjp(positional, X.data)[:2]
    if value.dim() == 0:
        return NamedTensor(pull(torch.ones_like(value))[0], X.layout)
    each = torch.eye(value.numel(), dtype=value.dtype, device=value.device)
    records = torch.func.vmap(lambda one: pull(one)[0])(each.reshape(-1, *value.shape))
    layout = layout_of((*seen[0].axes, *X.axes), "float", X.layout.backend)
    return NamedTensor(records.reshape(*value.shape, *X.data.shape), layout)


def _differential_by_torch(
    one: Callable[[Any], NamedTensor], X: NamedTensor, dX: NamedTensor
) -> NamedTensor:
    import torch

    positional, seen = _positional(one, X)
    tangent = dX.torch(*X.axes)
    with _every_derivative():
        result = torch.func.jvp(positional, (X.data,), (tangent,))[1]
    return NamedTensor(result, seen[0].layout)


@contextmanager
def _every_derivative() -> Iterator[None]:
    """Run fused attention as a composition of operations, which has derivatives of every kind and order.

    Hides torch's warnings about its own internals, on which a user cannot act.

    On first use forward differentiation calls torch.jit.script, which is deprecated; some backward
    functions have no batching rule and are slower.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit.script", DeprecationWarning)
        warnings.filterwarnings("ignore", "There is a performance drop", UserWarning)
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(SDPBackend.MATH):
            yield


_BY_TORCH: dict[str, Callable[..., NamedTensor]] = {
    "derivative": _derivative_by_torch,
    "grad": _grad_by_torch,
    "differential": _differential_by_torch,
}
_ON_SYMBOLS: dict[str, Callable[..., NamedTensor]] = {
    "derivative": _derivative_on_symbols,
    "grad": _grad_on_symbols,
    "differential": _differential_on_symbols,
}
