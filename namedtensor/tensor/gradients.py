"""Gradients that torch records for a named tensor, with the axes of the tensor."""

from __future__ import annotations

import sys
from typing import Any, Self

from namedtensor.compilers import compiling
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    first_line,
    flag,
)
from namedtensor.shape import shapes
from namedtensor.tensor.held import Held
from namedtensor.tensor.labels import caller_labels
from namedtensor.tensor.torch_refusals import asker, refused


class Gradients(Held):
    """Ask for gradients, and read them."""

    __slots__ = ()

    def requires_grad_(self, requires: bool = True) -> Self:
        """Ask torch to record operations on this tensor; gives the tensor itself."""
        requires = flag(f"X.requires_grad_({requires!r})", "requires", requires)
        data = self._torch_data("X.requires_grad_()")
        if self.kind not in ("float", "complex"):
            raise KindError(
                "X.requires_grad_()",
                f"X holds {self.kind} numbers, and gradients are of real ones",
                shapes(self),
                'X.to("float32")',
            )
        if not (requires or data.is_leaf):
            raise BackendError(
                "X.requires_grad_(False)",
                "X is computed from tensors whose operations are recorded",
                shapes(self),
                "`X.detach()` has the same numbers as a constant",
            )
        data.requires_grad_(requires)
        return self

    @property
    def requires_grad(self) -> bool:
        """Say whether torch records operations on this tensor."""
        return bool(getattr(self.data, "requires_grad", False))

    @property
    def grad(self) -> Self | None:
        """The gradient that backward() left, with the axes of X: X - rate * X.grad lines up."""
        frame = None if compiling() else asker()
        if frame is not None:
            raise refused(frame, [self])
        found = self._torch_data("X.grad").grad
        return None if found is None else type(self)(found, self.layout)

    def backward(
        self,
        gradient: Self | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> None:
        """Compute gradients of this single number, or along a gradient of X's shape.

        With `retain_graph` it can be called again, and with `create_graph` the gradients have gradients.
        """
        data = self._torch_data("X.backward()")
        kept = {"retain_graph": retain_graph, "create_graph": create_graph}
        if gradient is None:
            if self.axes:
                raise AxisSizeError(
                    "X.backward()",
                    "X has axes, and a gradient starts from a single number",
                    shapes(self),
                    "reduce first: nt.sum[...](X).backward()",
                )
            if self.kind == "complex":
                raise KindError(
                    "X.backward()",
                    "X is a complex number, and a gradient is of a real one",
                    shapes(self),
                    "nt.real(X), nt.imag(X) or nt.abs(X)",
                )
            self._recorded("X.backward()")
            data.backward(**kept)
        else:
            self._recorded("X.backward(gradient)")
            same_shape("X.backward(gradient)", "X", self, "gradient", gradient)
            along: Any = gradient
            data.backward(along.torch(*self.axes), **kept)

    def _recorded(self, call: str) -> None:
        if not self.requires_grad:
            raise BackendError(
                call,
                "no operation that led to X was recorded",
                shapes(self),
                "ask for it before: W.requires_grad_()",
            )

    def detach(self) -> Self:
        """Give the same numbers as a constant for differentiation, also in formulas.

        detach : R^axes -> R^axes;  detach(X) = X, and its derivative is 0
        """
        if self.layout.backend.name != "torch":
            return self
        return type(self)(self._torch_data("X.detach()").detach(), self.layout)

    def _torch_data(self, call: str) -> Any:
        if self.layout.backend.name != "torch":
            raise BackendError(
                call,
                "gradients are torch's, and X holds numpy data",
                shapes(self),
                'X.to("torch")',
            )
        return self.data


def torch_gradients(
    outputs: object, inputs: object, grad_outputs: object = None, *rest: object, **more: object
) -> tuple[Any, ...]:
    """Run torch.autograd.grad on the data of named tensors; each gradient has the axes of its input."""
    call = "torch.autograd.grad(...)"
    given = [_listed(x) for x in (outputs, inputs, grad_outputs)]
    starts = given[2] or [None] * len(given[0])
    along = [_along(call, Y, dY) for Y, dY in zip(given[0], starts, strict=False)]
    try:
        found = sys.modules["torch"].autograd.grad(
            [_data_of(call, Y) for Y in given[0]],
            [_data_of(call, X) for X in given[1]],
            along,
            *rest,
            **more,
        )
    except RuntimeError as error:
        named = [x for part in given for x in part if isinstance(x, Gradients)]
        raise BackendError(
            call,
            f"torch has no gradient here: {first_line(error)}",
            shapes(*named, labels=caller_labels(named)),
            "`X.requires_grad_()` before Y is computed from X, `retain_graph=True` where Y is derived once "
            "more, `allow_unused=True` where Y does not depend on X",
        ) from error
    return tuple(
        [
            type(X)(g, X.layout) if isinstance(X, Gradients) and g is not None else g
            for X, g in zip(given[1], found, strict=True)
        ]
    )


def _listed(given: object) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _along(call: str, Y: object, gradient: object) -> Any:
    """Give a gradient from which to start, with its axes in the order of what is derived."""
    if not isinstance(Y, Gradients) or (gradient is None and not Y.axes):
        return gradient
    if gradient is None:
        (label,) = caller_labels([Y])
        raise AxisSizeError(
            call,
            f"{label} has axes, and a gradient starts from a single number",
            shapes(Y, labels=[label]),
            f"reduce first: nt.sum[...]({label})",
        )
    same_shape(call, "outputs", Y, "grad_outputs", gradient)
    along: Any = gradient
    return along.torch(*Y.axes)


def _data_of(call: str, X: object) -> Any:
    return X._torch_data(call) if isinstance(X, Gradients) else X


def same_shape(call: str, first: str, X: Gradients, second: str, Y: object) -> None:
    """Raise AxisNameError unless Y is a named tensor of X's shape."""
    if not isinstance(Y, Gradients) or Y.shape != X.shape:
        said = shapes(X, Y, labels=[first, second])
        raise AxisNameError(
            call, f"{second} is no tensor of {first}'s shape", said, f"give {second} that shape"
        )
