"""Derivatives (paper, section 5): the input's axes come back with a star.

f : R^S -> R^T,   derivative(f)(X) in R^{T x S*},   (df/dX)_{t,s*} = d f(X)_t / d X_s
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    TraceError,
    kind_of_thing,
)
from namedtensor.plans import layout_of
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.gradients import same_shape


def derivative(f: Callable[..., Any], argument: int = 0) -> Callable[..., Any]:
    """Give the function of all partial derivatives of f with respect to one argument.

        derivative(f)(X)_{t, s*} = d f(X)_t / d X_s

    An axis that is starred already gets another star, so that second derivatives have emb* emb**.

    Raises: BackendError unless the argument holds torch data.

    >>> import torch, namedtensor as nt
    >>> X = nt.tensor(torch.tensor([1.0, 2.0]), "emb")
    >>> derivative(lambda X: X * X)(X).torch("emb", "emb*")
    tensor([[2., 0.],
            [0., 4.]])
    """

    def derived(*arguments: Any) -> Any:
        X, positional, seen = _positional("derivative", f, arguments, argument)
        import torch

        result = positional(X.data)
        if result.numel() * X.data.numel() == 0:  # torch's vmap takes no axis of size 0
            jacobian = result.new_zeros((*result.shape, *X.data.shape))
        else:
            with _every_derivative():
                jacobian = torch.func.jacrev(positional)(X.data)
        taken = set(seen[0].axes)
        starred = []
        for axis in X.axes:
            star = axis + "*"
            while star in taken:
                star += "*"
            taken.add(star)
            starred.append(star)
        return NamedTensor(
            jacobian, layout_of((*seen[0].axes, *starred), "float", X.layout.backend)
        )

    return derived


def grad(f: Callable[..., Any], argument: int = 0) -> Callable[..., Any]:
    """Give the gradient of a function to single numbers, with the axes of X: X + grad lines up.

        grad(f)(X)_s = d f(X) / d X_s

    Raises: BackendError unless X holds torch data; AxisSizeError where f(X) has axes.

    >>> import torch, namedtensor as nt
    >>> X = nt.tensor(torch.tensor([1.0, 2.0]), "emb")
    >>> grad(lambda X: nt.sum["emb"](X * X))(X).torch("emb")
    tensor([2., 4.])
    """

    def gradient(*arguments: Any) -> Any:
        X, positional, seen = _positional("grad", f, arguments, argument)
        import torch

        def single(data: Any) -> Any:
            result = positional(data)
            if seen[0].axes:
                raise AxisSizeError(
                    "grad(f)(X)",
                    "f(X) has axes, and a gradient is of a single number",
                    [("X", spaced(X.sizes)), ("f(X)", spaced(seen[0].sizes))],
                    "nt.sum[...](f(X)) reduces all axes; nt.derivative(f)(X) keeps them",
                )
            return result

        return NamedTensor(torch.func.grad(single)(X.data), X.layout)

    return gradient


def differential(f: Callable[..., Any]) -> Callable[..., Any]:
    """Give the change of f(X) for a small change of X: the derivative times dX, never built.

        differential(f)(X, dX)_t = sum_s d f(X)_t / d X_s dX_s

    Raises: BackendError unless X holds torch data; AxisNameError where dX has other axes than X.

    >>> import torch, namedtensor as nt
    >>> X = nt.tensor(torch.tensor([1.0, 2.0]), "emb")
    >>> differential(lambda X: X * X)(X, nt.tensor(torch.tensor([1.0, 0.5]), "emb")).torch("emb")
    tensor([2., 2.])
    """

    def change(X: Any, dX: Any) -> Any:
        X, positional, seen = _positional("differential", f, (X,), 0)
        same_shape("differential(f)(X, dX)", "X", X, "dX", dX)
        import torch

        tangent = dX.torch(*X.axes)
        with _every_derivative():
            result = torch.func.jvp(positional, (X.data,), (tangent,))[1]
        return NamedTensor(result, seen[0].layout)

    return change


@contextmanager
def _every_derivative() -> Iterator[None]:
    """Let fused attention run as a composition, which has derivatives of every kind and order.

    Keeps to ourselves what torch says of its own insides, which no user can mend.

    On first use forward differentiation calls torch.jit.script, which is deprecated; some backward
    functions have no batching rule and are slower.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit.script", DeprecationWarning)
        warnings.filterwarnings("ignore", "There is a performance drop", UserWarning)
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(SDPBackend.MATH):
            yield


def _positional(
    name: str, f: Callable[..., Any], arguments: tuple[Any, ...], place: int
) -> tuple[NamedTensor, Callable[[Any], Any], list[Any]]:
    """Give X, f as a function of X's data, and a list that will hold f's last named result."""
    if place >= len(arguments):
        raise AxisNameError(
            f"{name}(f, {place})",
            f"f is given {len(arguments)} argument(s), and argument {place} is asked for",
            hint="arguments count from 0",
        )
    X = arguments[place]
    if hasattr(X, "node") and not X.node.closed:
        raise TraceError(
            f"{name}(f)(X)",
            "a formula's body runs on symbols, which have no derivatives yet",
            [("X", spaced(X.sizes))],
            f"take the derivative of the formula: nt.{name}(formula)(X)",
        )
    if not isinstance(X, NamedTensor) or X.layout.backend.name != "torch":
        shapes = [("X", spaced(X.sizes))] if isinstance(X, NamedTensor) else []
        raise BackendError(
            f"{name}(f)(X)",
            "derivatives are torch's, and X is not torch data",
            shapes,
            'X.to("torch")',
        )
    if X.kind not in ("float", "complex"):
        raise KindError(
            f"{name}(f)(X)",
            f"X holds {X.kind} numbers, and derivatives are by real ones",
            [("X", spaced(X.sizes))],
            'X.to("float32")',
        )
    seen: list[Any] = [None]

    def positional(data: Any) -> Any:
        changed = list(arguments)
        changed[place] = NamedTensor(data, X.layout)
        result = f(*changed)
        if not isinstance(result, NamedTensor):
            raise BackendError(
                f"{name}(f)(X)",
                f"f gave {kind_of_thing(result)}, and not a named tensor",
                [("X", spaced(X.sizes))],
                "return a named tensor",
            )
        seen[0] = result
        return result.data

    return X, positional, seen
