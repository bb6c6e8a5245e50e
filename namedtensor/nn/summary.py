"""A summary of a module's parameters: those of each formula in it by axes, with counts, bytes and shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from namedtensor.errors import KindError, kind_of_thing
from namedtensor.shape import Shape


@dataclass(frozen=True, slots=True)
class Held:
    """One parameter: its name, its axes with sizes (or sizes alone, where it has no names), its numbers."""

    name: str
    axes: tuple[str, ...]
    sizes: tuple[int, ...]
    count: int
    bytes: int
    tied: str = ""

    @property
    def shape(self) -> str:
        if not self.axes and self.sizes:
            return f"({', '.join(map(str, self.sizes))})"
        return repr(Shape.of(zip(self.axes, self.sizes, strict=True)))


@dataclass(frozen=True, slots=True)
class Group:
    """The modules of one formula in one part of a model: `times` of them, each with these parameters.

    `count`, `bytes` and `share` are of all of them; a parameter that is tied to an earlier one counts there.
    """

    part: str
    formula: str
    times: int
    parameters: tuple[Held, ...]
    count: int
    bytes: int
    share: float

    @property
    def text(self) -> str:
        name = f"{self.part} {self.formula}".strip()
        return f"{name}  x {self.times}" if self.times != 1 else name


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """What a module holds: `rows`, one for each formula in each part, and what they add up to."""

    name: str
    rows: tuple[Group, ...]
    count: int
    bytes: int

    def __repr__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Write the table."""
        from namedtensor.display.steps import table_text

        heads, lines = self._table()
        return "\n".join([self._title(), *table_text(heads, lines)])

    def latex(self) -> str:
        """Write the table as a LaTeX array."""
        from namedtensor.display.steps import latex_array

        return latex_array(*self._table())

    def _repr_html_(self) -> str:
        from namedtensor.display.steps import html_page

        return html_page(self._title(), *self._table())

    def _title(self) -> str:
        return f"{self.name}: {self.count:,} parameters, {_size(self.bytes)}"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        lines = []
        for row in self.rows:
            share = f"{100 * row.share:.1f} %"
            lines.append([row.text, "", f"{row.count:,}", f"{row.bytes:,}", share])
            for held in row.parameters:
                tied = f"  tied to {held.tied}" if held.tied else ""
                lines.append(
                    [f"  {held.name}{tied}", held.shape, f"{held.count:,}", f"{held.bytes:,}", ""]
                )
        return ["part", "shape", "count", "bytes", "share"], lines


def summary(module: Any) -> Summary:
    """Sum up the parameters of a module by the formulas that it holds.

    A parameter that several modules share counts once. No numbers are read: a module on the device "meta",
    larger than any machine, has a summary too.

    Raises: KindError.

    >>> import namedtensor as nt
    >>> from transformer_named.formulated import FFN
    >>> nt.summary(FFN.module("emb[4] hid[8]"))
    FFN: 76 parameters, 304 bytes
    part shape           count bytes   share
    FFN                     76   304 100.0 %
      W1 emb[4] x hid[8]    32   128
      b1 hid[8]              8    32
      W2 hid[8] x emb[4]    32   128
      b2 emb[4]              4    16
    """
    if not hasattr(module, "named_modules"):
        raise KindError(
            f"summary({kind_of_thing(module)})",
            f"{kind_of_thing(module)} holds no parameters",
            hint="give a torch module, such as f.module(...)",
        )
    groups: dict[tuple[str, str, Any], list[tuple[Held, ...]]] = {}
    for path, formula, held in owners(module):
        part = _part(path)
        like = tuple([(h.name, h.axes, h.sizes, h.bytes) for h in held])
        groups.setdefault((part, formula, like), []).append(held)
    parts = [part for part, _, _ in groups]
    # within a part, formulas with more modules come later: norms after the layers beside them
    groups = dict(sorted(groups.items(), key=lambda g: (parts.index(g[0][0]), len(g[1]))))
    counts = [_counted(found) for found in groups.values()]
    count, size = sum([c for c, _ in counts]), sum([b for _, b in counts])
    rows = tuple(
        [
            Group(part, formula, len(found), found[0], own, own_bytes, own / max(count, 1))
            for ((part, formula, _), found), (own, own_bytes) in zip(
                groups.items(), counts, strict=True
            )
        ]
    )
    owner = getattr(module, "formula", None)
    return Summary(type(module).__name__ if owner is None else owner.name, rows, count, size)


def _counted(found: list[tuple[Held, ...]]) -> tuple[int, int]:
    own = [h for held in found for h in held if not h.tied]
    return sum([h.count for h in own]), sum([h.bytes for h in own])


def owners(module: Any) -> Iterator[tuple[str, str, tuple[Held, ...]]]:
    """Give the path, the formula and the parameters of each module that has parameters of its own."""
    first: dict[int, str] = {}
    for path, owner in module.named_modules(remove_duplicate=False):
        own = [(name, data) for name, data in owner._parameters.items() if data is not None]
        if not own:
            continue
        formula = getattr(owner, "formula", None)
        held = []
        for name, data in own:
            full = f"{path}.{name}".lstrip(".")
            before = first.setdefault(id(data), full)
            space = None if formula is None else formula.signature[name].space
            axes = () if space is None else space.names
            sizes = tuple(map(int, data.shape))
            count = int(data.numel())
            tied = "" if before == full else before
            held.append(Held(name, axes, sizes, count, count * data.element_size(), tied))
        name = type(owner).__name__ if formula is None else formula.name
        yield path, name, tuple(held)


def _part(path: str) -> str:
    """Name the part of a model that a module belongs to: its path up to the first of several layers."""
    words = path.split(".")
    numbers = [i for i, word in enumerate(words) if word.isdigit()]
    return ".".join(words[: numbers[0]] if numbers else words)


def _size(count: int) -> str:
    size, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.4g} {unit}"
