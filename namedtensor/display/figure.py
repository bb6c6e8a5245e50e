"""Heat maps as a figure of matplotlib, which is imported here alone."""

from __future__ import annotations

from typing import Any

from namedtensor.axes import shown
from namedtensor.backends import not_installed
from namedtensor.backends.lazy import np
from namedtensor.display.heat import colours, figures_of
from namedtensor.display.view import UNREADABLE, View, spread
from namedtensor.errors import BackendError
from namedtensor.shape import shapes

_PANELS, _SIDE, _ACROSS = 24, 1024, 4


def figure(view: View) -> Any:
    """Draw each record of the outer axes as a map, all on one scale."""
    try:
        from matplotlib.colors import ListedColormap
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise not_installed("nt.show(X).figure()", "matplotlib", shapes(view.X)) from None
    figures = figures_of(view.X)
    records, _ = view.records(_PANELS)
    rows, columns = [
        range(1) if name is None else spread(view.sizes[name], _SIDE)
        for name in (view.rows, view.columns)
    ]
    found = [] if figures is None else [view.numbers(record, rows, columns) for record in records]
    if figures is None or any(part is None for part in found):
        why = f"no numbers along {view.empty}" if view.empty else UNREADABLE
        raise BackendError("nt.show(X).figure()", why, shapes(view.X))
    across = min(len(records), _ACROSS)
    down = -(-len(records) // across)
    drawn = Figure(figsize=(0.8 + 2.8 * across, 0.6 + 2.8 * down), layout="constrained")
    places = drawn.subplots(down, across, squeeze=False).reshape(-1)
    mixed = [[1 - a + a * part / 255 for part in rgb] for *rgb, a in colours()]
    painted: Any = ListedColormap([*mixed[1:]] if figures.scale.both else mixed[len(mixed) // 2 :])
    painted = painted.with_extremes(bad=tuple(mixed[0]))
    reach = max(abs(figures.scale.low), figures.scale.high) or 1.0
    low, high = (-reach, reach) if figures.scale.both else (figures.scale.low, figures.scale.high)
    image: Any = None
    for place, record, part in zip(places, records, found, strict=False):
        numbers = np.abs(part) if part.dtype.kind == "c" else part.astype(np.float64)
        kept = np.ma.masked_invalid(numbers)
        image = place.imshow(kept, cmap=painted, vmin=low, vmax=high, aspect="auto")
        place.set_title(view.where(record), fontsize=9)
        for name, indices, say, ticks in (
            (view.columns, columns, place.set_xlabel, place.set_xticks),
            (view.rows, rows, place.set_ylabel, place.set_yticks),
        ):
            if name is None:
                ticks([])
                continue
            say(shown(name), style="italic")
            at = list(range(0, len(indices), max(1, -(-len(indices) // 24))))
            turn = {"rotation": 90} if name == view.columns and name in view.words else {}
            ticks(at, labels=view.labels(name, [indices[i] for i in at]), fontsize=8, **turn)
    for place in places[len(records) :]:
        place.set_axis_off()
    drawn.colorbar(image, ax=list(places))
    return drawn
