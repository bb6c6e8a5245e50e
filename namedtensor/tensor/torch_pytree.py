"""Tell torch what a named tensor is: a container of one tensor, for torch.func, export, FSDP, load, collate.

Data that torch puts back keeps the names, so it must have the same number of axes. Transforms that add or
remove axes by position (vmap, jacrev) are refused, because they cannot name them; lifting replaces them.

torch has no public door for this; the test of this file says when the private one moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from torch.utils import _pytree
from torch.utils.data._utils.collate import default_collate_fn_map

from namedtensor.axes import shown
from namedtensor.backends import backend_of, get_backend
from namedtensor.errors import AxisNameError, BackendError
from namedtensor.plans import Layout, layout_of
from namedtensor.shape import shapes
from namedtensor.tensor.named import NamedTensor, tensor
from namedtensor.tensor.torch_matmul import teach


@dataclass
class _Container:
    """What FSDP and DDP look for in a container, since they do not use torch's pytree."""

    data: Any
    layout: Layout


def _flatten(X: NamedTensor) -> tuple[list[Any], Layout]:
    return [X.data], X.layout


def _flatten_with_keys(X: NamedTensor) -> tuple[list[tuple[Any, Any]], Layout]:
    return [(_pytree.GetAttrKey("data"), X.data)], X.layout


def _unflatten(leaves: Any, layout: Layout) -> NamedTensor:
    (data,) = leaves
    backend = backend_of(data)
    if backend is None:  # what torch keeps in place of a tensor: a device, a dimension, a symbol
        return NamedTensor(data, layout)
    if data.ndim != len(layout.axes):
        raise AxisNameError(
            "putting a tensor back under its names",
            f"the data has axes: {data.ndim}, and names: {len(layout.axes)}. vmap and the Jacobians "
            "of torch.func add and take axes by position, and names have none",
            [("names", " ".join(map(shown, layout.axes)) or "()")],
            "formulas lift over any axis without vmap, and nt.derivative(f)(X) is the Jacobian; "
            "under vmap, name a positional tensor inside: lambda x: f(nt.tensor(x, ...)).torch(...)",
        )
    return NamedTensor(data, layout_of(layout.axes, backend.kind_of(data.dtype), backend))


def _written(layout: Layout) -> dict[str, Any]:
    """Write a layout as torch.export.save keeps it."""
    return {"axes": list(layout.axes), "kind": layout.kind, "library": layout.backend.name}


def _read(written: dict[str, Any]) -> Layout:
    return layout_of(tuple(written["axes"]), written["kind"], get_backend(written["library"]))


def _collate(batch: Sequence[NamedTensor], **rest: Any) -> NoReturn:
    """Refuse to join examples without a name for the axis that they are joined along."""
    raise BackendError(
        "torch.utils.data.default_collate(batch)",
        "the examples are joined along a new axis, which needs a name",
        shapes(*batch[:2], labels=["batch[0]", "batch[1]"][: len(batch)]),
        'nt.collate["batch"](batch), in a loader DataLoader(..., collate_fn=nt.collate["batch"])',
    )


def register() -> None:
    _pytree.register_pytree_node(
        NamedTensor,
        _flatten,
        _unflatten,
        serialized_type_name="namedtensor.NamedTensor",
        flatten_with_keys_fn=_flatten_with_keys,
        to_dumpable_context=_written,
        from_dumpable_context=_read,
    )
    # torch.load need not trust a file for it: a named tensor is saved as a call of nt.tensor
    torch.serialization.add_safe_globals([tensor])
    default_collate_fn_map[NamedTensor] = _collate
    NamedTensor.__dataclass_fields__ = _Fields()  # type: ignore[attr-defined]


class _Fields:
    """Let a named tensor look like a dataclass, but only in distributed training.

    FSDP and DDP then find the tensors in a module's named results; dataclasses.asdict takes such a
    container apart as well. The compiler asks so of each object that it meets, before it reads what is
    done with it.
    """

    def __get__(self, instance: object, owner: type) -> Any:
        teach()
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            return _Container.__dataclass_fields__
        raise AttributeError("a named tensor is no dataclass")
