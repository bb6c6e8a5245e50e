"""Where torch refuses a named tensor in its own words: it is answered in ours.

torch asks for a name of what it was given only in order to refuse it, and here such questions end in an error
of ours. The functions that ask are listed in `ASKING`, by their modules.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from namedtensor.axes import typed_order
from namedtensor.errors import BackendError, as_typed, is_ours
from namedtensor.shape import shapes

#: Modules of torch whose functions name the type of what they refuse, and what to type instead; {X} is what
#: the tensor is called, and {order} its axes.
ASKING = {
    "torch": "`{X}.data` is the tensor that torch holds; the parameters of a formula are those of its module",
    "torch._functorch.eager_transforms": "`nt.grad(f)(X)` takes named tensors; what torch.func is given has "
    "none: `lambda x: f(x).torch({order})`",
    "torch.autograd.functional": "`nt.derivative(f)({X})` takes named tensors",
    "torch.testing._comparison": "`nt.testing.assert_close({X}, {Y})` compares by name",
    "torch.nn.utils._named_member_accessor": "`{X}.torch({order})`",
    "torch.nn.utils.clip_grad": "`{X}.data` is the tensor that torch holds",
}


class Refusing(type):
    """The class of named tensors' classes: torch writes them where it refuses a tensor."""

    def __repr__(cls) -> str:
        frame = sys._getframe(1)
        if frame.f_globals.get("__name__") in ASKING.keys() - {"torch"}:
            raise refused(frame, [])
        return super().__repr__()


def refused(frame: FrameType, given: list[Any]) -> BackendError:
    """Make the error for the tensors that a function of torch refuses: those given, or its variables."""
    own = frame.f_locals.get("self")
    found = [
        *given,
        *frame.f_locals.values(),
        *(vars(own).values() if hasattr(own, "__dict__") else ()),
    ]
    tensors = [x for x in found if isinstance(type(x), Refusing)][: 1 if given else 2]
    module = str(frame.f_globals.get("__name__"))
    labels = ("f(X)", "X") if "functorch" in module else ("X", "Y")
    order = typed_order(tensors[0].axes) if tensors else ""
    hint = ASKING[module].format(X="X", Y=labels[max(len(tensors) - 1, 0)], order=order)
    return BackendError(
        as_typed("torch(X)"),
        "torch takes positional tensors here, and is given a named one",
        shapes(*tensors, labels=labels),
        hint,
    )


def asker() -> FrameType | None:
    """Give the frame of a function of torch that asks for a name, if it is one of those that refuse."""
    frame = sys._getframe(2)
    return frame if frame.f_globals.get("__name__") in ASKING else None


def taken_by_torch(X: Any) -> str:
    """Write what code of torch takes, where it is such code that asks, and not the user's; or nothing."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    module = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    if not module.startswith("torch."):
        return ""
    return f"it is torch's own code that asks, and takes positional data: `X.torch({typed_order(X.axes)})`"
