"""Tell torch that a named tensor is a container of one tensor, so that torch.func maps over it.

torch has no public door for this; the test of this file says when the private one moves.
"""

from __future__ import annotations

from typing import Any

from torch.utils import _pytree

from namedtensor.plans import Layout
from namedtensor.tensor.named import NamedTensor


def _flatten(X: NamedTensor) -> tuple[list[Any], Layout]:
    return [X.data], X.layout


def _unflatten(leaves: Any, layout: Layout) -> NamedTensor:
    (data,) = leaves
    return NamedTensor(data, layout)


def register() -> None:
    _pytree.register_pytree_node(
        NamedTensor, _flatten, _unflatten, serialized_type_name="namedtensor.NamedTensor"
    )
