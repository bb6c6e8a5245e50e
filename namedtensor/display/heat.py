"""Heat maps of a tensor's records as SVG, with a scale and what is known of all numbers.

Positive numbers are blue and negative ones orange, the stronger the larger; zero is the page itself,
so that a picture fits light pages and dark ones. Infinities and nan are grey.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends.lazy import np
from namedtensor.display.colours import colour_of
from namedtensor.display.view import (
    UNREADABLE,
    View,
    chunks,
    sampled,
    spread,
    wide,
    written,
)

_LEVELS = 7  # of each colour; a pixel takes half a byte
_BLUE, _ORANGE, _GREY = (37, 99, 235), (234, 120, 20), (128, 128, 128)
MOST_BYTES = 16_500  # of all maps
_PIXELS = 10_000
_PANELS = 12
_LETTER = 7.3  # wide, in monospace of 12 px
_SIDE = 340  # a map's longer side, roughly
_IN_CELL = 150  # numbers of all maps that are also written
_WORDS = 120  # labels at one side of all maps


@dataclass(frozen=True)
class Scale:
    """The numbers that the colours stand for: from `low`, where colour starts, to `high`."""

    low: float
    high: float

    @property
    def both(self) -> bool:
        """Whether negative numbers have a colour of their own."""
        return self.low < 0

    def levels(self, numbers: Any) -> Any:
        """Turn numbers into entries of the palette: 0 not finite, then orange, the page, blue."""
        finite = np.isfinite(numbers)
        reach = max(abs(self.low), self.high) if self.both else self.high - self.low
        base = 0.0 if self.both else self.low
        part = (np.where(finite, numbers, base) - base) / (reach or 1.0)
        return np.where(
            finite, np.clip(np.rint(part * _LEVELS), -_LEVELS, _LEVELS) + _LEVELS + 1, 0
        )


@dataclass(frozen=True)
class Figures:
    """What is known of a tensor's numbers: of all, or of an even sample where they are very many."""

    scale: Scale
    words: str


def figures_of(X: Any) -> Figures | None:
    """Find the least, mean and greatest number, and how many are none."""
    numbers, whole = sampled(X)
    if numbers is None or not numbers.size:
        return None
    if numbers.dtype.kind == "c":
        numbers = np.abs(numbers)
    numbers = numbers.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    odd = [
        f"{count:,} {name}"
        for name, count in (
            ("nan", int(np.isnan(numbers).sum())),
            ("inf", int(np.isposinf(numbers).sum())),
            ("-inf", int(np.isneginf(numbers).sum())),
        )
        if count
    ]
    if not finite.size:
        return Figures(Scale(0.0, 1.0), "no finite number: " + ", ".join(odd))
    low, high = float(finite.min()), float(finite.max())
    reach = max(abs(low), abs(high)) or 1.0  # a sum of very large numbers would overflow
    least, mean, most = written(np.array([low, (finite / reach).mean() * reach, high]))
    if low >= 0:
        low = 0.0 if low <= high / 2 else low
    words = ", ".join([f"min {least}", f"mean {mean}", f"max {most}", *odd])
    if not whole:
        words += f" (of {numbers.size:,} numbers, evenly chosen)"
    return Figures(Scale(low, high), words)


# ------------------------------------------------------------------------------------ one map


@dataclass(frozen=True)
class Panel:
    """One record's map: a picture of its own with a title and its labels."""

    width: float
    height: float
    inside: str

    def svg(self, x: float | None = None, y: float = 0) -> str:
        place = "" if x is None else f' x="{x:g}" y="{y:g}"'
        space = ' xmlns="http://www.w3.org/2000/svg"' if x is None else ""
        return (
            f'<svg{space}{place} width="{self.width:g}" height="{self.height:g}" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" fill="currentColor" '
            f'font-family="monospace" font-size="12">{self.inside}</svg>'
        )


def panels_of(
    view: View, figures: Figures, most_bytes: int = MOST_BYTES
) -> tuple[list[Panel], int] | None:
    """Draw each record's map, and count those that are left out; None if no number can be read.

    Where the words and pixels of all would make a page too large, there are fewer of each.
    """
    for room in (1.0, 0.6, 0.3, 0.1, 0.03):
        records, left = view.records(max(1, int(_PANELS * room)))
        rows, columns = _chosen(view, math.isqrt(int(_PIXELS * room) // len(records)))
        found = [view.numbers(record, rows, columns) for record in records]
        if any(part is None for part in found):
            return None
        inside = sum(part.size for part in found) <= _IN_CELL * room
        most = max(4, int(_WORDS * room) // len(records))
        panels = [
            _panel(view, view.where(record), rows, columns, part, figures.scale, inside, most)
            for record, part in zip(records, found, strict=True)
        ]
        if sum(len(panel.inside) for panel in panels) <= most_bytes - 120 * len(panels):
            break
    return panels, left


def _chosen(view: View, most: int) -> tuple[Sequence[int], Sequence[int]]:
    """Choose evenly many rows and columns for the pixels that one map may have."""
    high = view.sizes[view.rows] if view.rows else 1
    broad = view.sizes[view.columns] if view.columns else 1
    if high * broad <= most * most:
        return range(high), range(broad)
    rows = min(high, max(most, most * most // broad))
    return spread(high, rows), spread(broad, max(1, most * most // rows))


def _panel(
    view: View,
    title: str,
    rows: Sequence[int],
    columns: Sequence[int],
    numbers: Any,
    scale: Scale,
    inside: bool,
    most: int,
) -> Panel:
    """Draw one record: its numbers as colours, `inside` also as numbers, and `most` labels a side."""
    if numbers.dtype.kind == "c":
        numbers = np.abs(numbers)
    numbers = numbers.astype(np.float64)
    cells = _in_cells(numbers) if inside else None
    cell = max(2.0, min(26.0, _SIDE / max(numbers.shape)))
    across = cell if cells is None else max(cell, 10 + _LETTER * max(map(len, cells.flat)))
    down = view.labels(view.rows, rows) if view.rows else []
    over = view.labels(view.columns, columns) if view.columns else []
    longest = max(map(wide, over), default=0) * _LETTER
    turned = (view.columns in view.words and longest > across - 3) or longest > 60
    step = _thinned(down, cell, 13, most)
    every = _thinned(over, across, 13 if turned else longest + 8, most)
    beside = max([wide(down[i]) for i in range(0, len(down), step)], default=0) * _LETTER
    left = beside + 14 + wide(shown(view.rows)) * _LETTER if view.rows else 4.0
    head = 18.0 if title else 2.0
    top = head + (20.0 + (longest if turned else 12.0) if over else 0.0)
    width, height = across * len(columns), cell * len(rows)
    parts = [_words(left, 12, title, ' font-weight="bold"')] if title else []
    if view.columns:
        parts.append(_axis(left, head + 11, view.columns))
    if view.rows:
        parts.append(_axis(2, top + min(height / 2, 60) + 4, view.rows))
    if turned:
        parts.append('<g transform="rotate(-90)">')
        parts += [
            _words(4 - top, left + across * (i + 0.5) + 4, over[i])
            for i in range(0, len(over), every)
        ]
    else:
        parts.append('<g text-anchor="middle">')
        parts += [
            _words(left + across * (i + 0.5), top - 4, over[i]) for i in range(0, len(over), every)
        ]
    parts.append('</g><g text-anchor="end">')
    parts += [
        _words(left - 5, top + cell * (i + 0.5) + 4, down[i]) for i in range(0, len(down), step)
    ]
    parts.append(
        f'</g><image x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" '
        'preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="{_png(scale.levels(numbers))}"/>'
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" '
        'fill="none" stroke="currentColor" stroke-opacity=".35"/>'
    )
    if cells is not None:
        parts.append('<g text-anchor="middle">')
        parts += [
            _words(left + across * (j + 0.5), top + cell * (i + 0.5) + 4, word)
            for (i, j), word in np.ndenumerate(cells)
        ]
        parts.append("</g>")
    least = max(wide(title), wide(shown(view.columns or ""))) * _LETTER
    return Panel(
        math.ceil(left + max(width, least) + 8), math.ceil(top + height + 8), "".join(parts)
    )


def _in_cells(numbers: Any) -> Any:
    """Write numbers for cells: two decimals do, where no number is large and not all are tiny."""
    size = np.abs(numbers[np.isfinite(numbers)])
    if 0.1 <= float(size.max(initial=0.0)) < 1000:
        numbers = np.round(numbers, 2) + 0.0
    return written(numbers)


def _thinned(labels: Sequence[str], each: float, needs: float, most: int) -> int:
    """Say which labels are written: every one, or every so many that they do not touch."""
    least = max(needs / each, len(labels) / most)
    return next(n for n in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 10**9) if n >= least - 1e-9)


def _words(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{escape(text)}</text>'


def _axis(x: float, y: float, name: str) -> str:
    return (
        f'<text x="{x:.4g}" y="{y:.4g}" font-style="italic" font-weight="bold" '
        f'fill="{colour_of(name)}">{escape(shown(name))}</text>'
    )


def scale_panel(figures: Figures) -> Panel:
    """Draw the scale with its ends, and the words on all numbers beside it."""
    scale = figures.scale
    reach = max(abs(scale.low), scale.high)
    low, high = (-reach, reach) if scale.both else (scale.low, scale.high)
    start, end = written(np.array([low, high]))
    count = 2 * _LEVELS + 1 if scale.both else _LEVELS + 1
    steps = np.linspace(-1.0, 1.0, count) * reach if scale.both else np.linspace(low, high, count)
    left = len(start) * _LETTER + 6
    inside = (
        _words(2, 13, start)
        + f'<image x="{left:g}" y="3" width="120" height="12" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="{_png(scale.levels(steps[None]))}"/>'
        f'<rect x="{left:g}" y="3" width="120" height="12" fill="none" stroke="currentColor" '
        'stroke-opacity=".35"/>' + _words(left + 126, 13, end)
    )
    return Panel(left + 132 + len(end) * _LETTER, 18, inside)


def picture(view: View) -> str:
    """Draw all of it as one SVG: title, maps in rows, scale and figures."""
    figures = figures_of(view.X)
    drawn = panels_of(view, figures) if figures is not None else None
    lines = [view.title]
    if figures is None or drawn is None:
        lines.append(f"no numbers along {view.empty}" if view.empty else f"({UNREADABLE})")
        return _page([], lines, None)
    panels, left = drawn
    lines.append(figures.words)
    lines += [f"and {left:,} more of these maps"] if left else []
    return _page(panels, lines, scale_panel(figures))


def _page(panels: Sequence[Panel], lines: Sequence[str], scale: Panel | None) -> str:
    across = max(1, int(980 // max([p.width for p in panels], default=980)))
    y, width = 22.0, max(wide(line) for line in lines) * _LETTER + 8
    parts = [_words(2, 13, lines[0], ' font-weight="bold"')]
    for row in chunks(panels, across):
        x = 0.0
        for panel in row:
            parts.append(panel.svg(x, y))
            x += panel.width + 12
        width = max(width, x)
        y += max(panel.height for panel in row) + 4
    if scale is not None:
        parts.append(scale.svg(0, y))
        y += scale.height + 2
        width = max(width, scale.width)
    for line in lines[1:]:
        y += 14
        parts.append(_words(2, y, line))
    return Panel(math.ceil(width), math.ceil(y + 6), "".join(parts)).svg()


def colours() -> list[tuple[int, int, int, float]]:
    """List the palette: red, green, blue and strength of each level."""
    fade = [round(0.72 * (i / _LEVELS), 3) for i in range(_LEVELS + 1)]
    return [
        (*_GREY, 0.3),
        *[(*_ORANGE, strength) for strength in fade[:0:-1]],
        *[(*_BLUE, strength) for strength in fade],
    ]


def _png(levels: Any) -> str:
    """Write levels as a picture of one pixel each, with our palette, as an address of its own."""
    height, width = levels.shape
    even = np.zeros((height, width + width % 2), dtype=np.uint8)
    even[:, :width] = levels
    packed = (even[:, ::2] << 4) | even[:, 1::2]
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), packed], axis=1)
    palette = colours()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    data = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0))
        + chunk(b"PLTE", bytes(part for *rgb, _ in palette for part in rgb))
        + chunk(b"tRNS", bytes(round(255 * strength) for *_, strength in palette))
        + chunk(b"IDAT", zlib.compress(lines.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(data).decode()
