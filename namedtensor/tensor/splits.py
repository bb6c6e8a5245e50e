"""Explain a failure of tensors that are split over processes: name the axis or the tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from namedtensor.axes import shown
from namedtensor.errors import AxisSizeError, BackendError, first_line


def refuse_splits(
    call: str, data: Sequence[tuple[str, Any]], shapes: Any, error: Exception
) -> None:
    """Say which axis is split unevenly over processes, or which tensor is not split at all.

    Raises: BackendError where tensors are of both sorts, AxisSizeError for a size that no mesh divides.
    """
    split = [(w, x) for w, x in data if hasattr(x.data, "placements")]
    if not split:
        return
    whole = [w for w, x in data if not hasattr(x.data, "placements")]
    if whole:
        raise BackendError(
            call,
            f"{split[0][0]} is split over processes, and {whole[0]} is not",
            shapes,
            f"shard({whole[0]}, mesh, {{}}) has it whole on each of them; a table names the axes to split",
        )
    for label, x in split:
        for dimension, placement in enumerate(x.data.placements):
            count = x.data.device_mesh.size(dimension)
            place = getattr(placement, "dim", None)
            name, size = x.sizes[place] if place is not None else ("", 0)
            if isinstance(size, int) and size % count:
                raise AxisSizeError(
                    call,
                    f"axis {shown(name)} is {size} in {label}, and {count} processes share it unevenly",
                    shapes,
                    f"split an axis whose size {count} divides, or take the whole: gather({label})",
                ) from error
    if "uneven" in str(error):
        labels = " or ".join(label for label, _ in split)
        raise AxisSizeError(
            call,
            f"the processes would share an axis of the result unevenly: {first_line(error)}",
            shapes,
            f"split another axis of {labels}, or take the whole first: gather({split[0][0]})",
        ) from error
