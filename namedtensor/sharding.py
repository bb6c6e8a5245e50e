"""Split tensors between devices by the names of their axes: a table says axis -> mesh dimension.

    mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("data", "model"))
    shard(module, mesh, {head: "model", hid: "model"});  shard(X, mesh, {batch: "data"})

Formulas then run unchanged, on torch's DTensor. Every process makes the whole of a mask or of positions
that are defined by their indices, so run formulas under
`torch.distributed.tensor.experimental.implicit_replication()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, overload

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard, distribute_tensor

from namedtensor.axes import Axes, naming, one_axis, shown
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    BackendError,
    kind_of_thing,
    nearest,
)
from namedtensor.nn.module import FormulaModule
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor

M = TypeVar("M", bound=torch.nn.Module)


@overload
def shard(what: NamedTensor, mesh: DeviceMesh, split: Mapping[Axes, str]) -> NamedTensor: ...
@overload
def shard(what: M, mesh: DeviceMesh, split: Mapping[Axes, str]) -> M: ...
def shard(what: Any, mesh: DeviceMesh, split: Mapping[Axes, str]) -> Any:
    """Split the axes of a named tensor, or of the parameters of a module's formulas, between devices.

    Axes that the table does not name are whole on every device. A tensor is copied, and a module is
    changed in place.

    Raises: AxisMissingError where nothing has an axis of the table; AxisClashError where two axes
    of one tensor are to be split by the same mesh dimension; AxisNameError for a dimension that the mesh
    lacks; BackendError for numpy data.
    """
    table = _table(mesh, split)
    if isinstance(what, NamedTensor):
        return _shard_tensor(what, mesh, table)
    if isinstance(what, torch.nn.Module):
        _shard_module(what, mesh, table)
        return what
    raise BackendError(
        "shard(...)",
        f"this is {kind_of_thing(what)}, and named tensors and modules are split",
        hint=naming("x", what),
    )


def _shard_tensor(X: NamedTensor, mesh: DeviceMesh, table: dict[str, str]) -> NamedTensor:
    said = shapes(X)
    if X.layout.backend.name != "torch":
        raise BackendError(
            "shard(X, ...)", "X holds numpy data", said, 'split torch data: X.to("torch")'
        )
    _known("shard(X, ...)", table, X.axes, said)
    return NamedTensor(distribute_tensor(X.data, mesh, _placements(mesh, table, "X", X)), X.layout)


def _shard_module(module: torch.nn.Module, mesh: DeviceMesh, table: dict[str, str]) -> None:
    held = [
        (part, name, X)
        for part in module.modules()
        if isinstance(part, FormulaModule)
        for name, X in part.named_values().items()
        if isinstance(X, NamedTensor) and isinstance(X.data, torch.nn.Parameter)
    ]
    labels = [f"{part.formula.name}.{name}" for part, name, _ in held]
    said = shapes(*[X for _, _, X in held], labels=labels)
    _known("shard(module, ...)", table, [axis for _, _, X in held for axis in X.axes], said)
    placed = [_placements(mesh, table, name, X) for _, name, X in held]
    done: dict[int, torch.nn.Parameter] = {}  # a parameter that two formulas share stays shared
    for (part, name, X), placements in zip(held, placed, strict=True):
        if id(X.data) not in done:
            data = distribute_tensor(X.data.detach(), mesh, placements)
            done[id(X.data)] = torch.nn.Parameter(data, X.data.requires_grad)
        setattr(part, name, done[id(X.data)])


def gather(X: NamedTensor) -> NamedTensor:
    """Give each device the whole of a tensor that is split between them."""
    data = X.data.full_tensor() if isinstance(X.data, DTensor) else X.data
    return NamedTensor(data, X.layout)


def _table(mesh: DeviceMesh, split: Mapping[Axes, str]) -> dict[str, str]:
    dimensions = mesh.mesh_dim_names or ()
    table = {one_axis("shard(...)", axis).name: dimension for axis, dimension in split.items()}
    for axis, dimension in table.items():
        if dimension not in dimensions:
            raise AxisNameError(
                f"shard(..., {{{shown(axis)}: {dimension}}})",
                f"the mesh has no dimension {dimension}",
                hint=f"its dimensions are {', '.join(dimensions)}"
                if dimensions
                else "name them: init_device_mesh(..., mesh_dim_names=...)",
            )
    return table


def _known(
    call: str, table: dict[str, str], names: Iterable[str], said: Iterable[tuple[str, str]]
) -> None:
    names = list(names)
    for axis in table:
        if axis not in names:
            guess = nearest(axis, names)
            raise AxisMissingError(
                call,
                f"nothing here has an axis {shown(axis)}",
                said,
                f"did you mean {shown(guess)}?" if guess else "leave it out of the table",
            )


def _placements(
    mesh: DeviceMesh, table: dict[str, str], name: str, X: NamedTensor
) -> list[Placement]:
    """Say for each dimension of the mesh which axis of X it splits, if any."""
    placements: list[Placement] = []
    for dimension in mesh.mesh_dim_names or ("",) * mesh.ndim:
        found = [axis for axis in X.axes if table.get(axis) == dimension]
        if len(found) > 1:
            raise AxisClashError(
                f"shard(..., {dimension})",
                f"{' and '.join(map(shown, found))} of {name} are both split by {dimension}",
                shapes(X, labels=[name]),
                f"leave one of them out of the table, and it is whole on every {dimension}",
            )
        placements.append(Shard(X.axes.index(found[0])) if found else Replicate())
    return placements
