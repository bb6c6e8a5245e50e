"""`nt.diagram`: a formula as a picture, in which each axis is a line of one colour.

Tensors run down from the arguments to the result as bundles of lines, one for each axis. A contracted axis
closes between the operands that share it, a renamed one changes its colour, one that is reduced ends, and
a bar crosses those along which a function acts. What runs as one kernel is framed. Calls of other formulas
are boxes.

Source: string diagrams of tensor networks; the picture shows the formula's expression tree.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from namedtensor.axes import Axis, parse_axes, shown
from namedtensor.display.colours import colour_of
from namedtensor.display.view import wide
from namedtensor.errors import KindError, kind_of_thing
from namedtensor.formula import Formula
from namedtensor.formula.rewrite import rewrite
from namedtensor.formula.shapes import given_values
from namedtensor.formula.written import CALL, Written, write
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, describe, operands_first
from namedtensor.primitives.notation import Special
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.latex.printing.stacks import Ladder

_LETTER = 7.3  # wide, in monospace of 12 px
_LINE = 8.0  # from one axis of a bundle to the next
_HIGH = 34.0  # a box
_DOWN = 40.0  # from a box to the next
_APART = 22.0  # from one box to its neighbour
_SHORT = 26  # letters of a label
_MANY = 400  # parts of a picture

Label = list[tuple[str, str | None]]  # words, some in the colour of an axis


@dataclass(eq=False)
class Part:
    """A box of the picture: an argument, an operation, the result, or a place where lines pass by."""

    axes: tuple[str, ...]
    operands: list[Part] = field(default_factory=list)
    label: Label = field(default_factory=list)
    note: Label = field(default_factory=list)
    node: Node | None = None
    kind: str = "operation"
    tail: float = 0.0
    layer: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def lines(self) -> float:
        """How far the lines reach to each side of the middle."""
        above = [max(1, len(o.axes)) for o in self.operands] or [1]
        across = max(sum(above) + 1.2 * (len(above) - 1), len(self.axes), 1)
        return across * _LINE / 2

    @property
    def words(self) -> float:
        return max(_width(self.label), _width(self.note))

    @property
    def left(self) -> float:
        if self.kind == "passing":
            return max(1, len(self.axes)) * _LINE / 2
        if self.kind in ("argument", "result"):
            return max(self.words / 2 + 8, self.lines + 6)
        return self.lines + 10 + self.words

    @property
    def right(self) -> float:
        return self.lines + 8 + self.tail if self.kind == "operation" else self.left

    def above(self, place: int) -> list[float]:
        """Give where the lines of one operand arrive, from the left."""
        if self.kind == "passing":
            return _spread(self.x, len(self.axes))
        counts = [max(1, len(o.axes)) for o in self.operands]
        total = sum(counts) + 1.2 * (len(counts) - 1)
        start = self.x - total * _LINE / 2 + sum(counts[:place]) * _LINE + 1.2 * place * _LINE
        return [start + (i + 0.5) * _LINE for i in range(counts[place])]

    @property
    def below(self) -> list[float]:
        return _spread(self.x, len(self.axes))


def _spread(x: float, count: int) -> list[float]:
    count = max(1, count)
    return [x + (i - (count - 1) / 2) * _LINE for i in range(count)]


def _width(label: Label) -> float:
    return sum(wide(words) for words, _ in label) * _LETTER


class Diagram:
    """The picture of a formula: `svg()`, and what notebooks show."""

    def __init__(
        self,
        name: str,
        parts: list[Part],
        kernels: list[tuple[str, set[Node]]],
        sizes: Mapping[str, Any],
        title: str,
    ) -> None:
        self.name = name
        self.parts = parts
        self.kernels = kernels
        self.sizes = dict(sizes)
        self.title = title

    def svg(self) -> str:
        """Draw it as one SVG, whose text has the colour of the page around it."""
        return _drawn(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto;max-width:100%">{self.svg()}</div>'

    def __repr__(self) -> str:
        kernels = ", ".join(dict.fromkeys([rule for rule, _ in self.kernels]))
        framed = f", kernels: {kernels}" if kernels else ""
        return f"Diagram({self.title}: {len(self.parts)} parts{framed})"


def diagram(f: Any, /, *shapes: Any, **named: Any) -> Diagram:
    """Draw a formula or a module as a diagram, in which each axis is a line of one colour.

    Shapes are strings, axes or tensors, as in `f.shape`; with them the axes carry their sizes.

    Raises: KindError, and what `f.shape` raises where the shapes do not fit.

    >>> import namedtensor as nt
    >>> from namedtensor import R, formula
    >>> @formula
    ... def project(X: R["emb"], *, W: R["emb hid"]) -> R["hid"]:
    ...     return W @ "emb" @ X
    >>> nt.diagram(project)
    Diagram(project(X; W): 4 parts)
    """
    module = getattr(f, "formula", None)
    formula: Any = module if isinstance(module, Formula) else f
    if not isinstance(formula, Formula):
        raise KindError(
            "nt.diagram(f)",
            f"f is {kind_of_thing(f)}, not a formula",
            hint="decorate it: @formula, with the axes of its arguments as R[seq, emb]",
        )
    held = dict(f.settings) if formula is module else {}
    if formula is module:
        held |= f.named_values()
    values = given_values(formula, shapes, {**held, **named})
    if shapes or named:
        formula.shape(*shapes, **{**held, **named})
    settings = {
        p.name: values[p.name]
        for p in formula.signature.parameters
        if (p.setting or p.stack) and values.get(p.name) is not None
    }
    sizes = _sizes(values)
    kinds = {name: X.kind for name, X in values.items() if isinstance(X, NamedTensor)}
    written = write(formula, settings, kinds=kinds)
    lifted = [name for name in sizes if name not in _declared(written)] if shapes else []
    parts = _parts(written, sizes)
    fired = rewrite(written.results, "torch", written.origins)[1] if formula.fused else ()
    kernels = [(f.rule, _taken(f, written)) for f in fired]
    before = ", ".join(p.name for p in formula.signature.before)
    after = ", ".join(formula.parameters_after)
    title = f"{formula.name}({before}{'; ' + after if after else ''})"
    if lifted:
        title += f" for each {', '.join(f'{shown(n)}[{sizes[n]}]' for n in lifted)}"
    return Diagram(formula.name, parts, kernels, sizes, title)


def _taken(fired: Any, written: Written) -> set[Node]:
    """Find the nodes that a kernel computes; those that another rule has rewritten by their places."""
    own = set(operands_first([fired.before])) - set(operands_first([fired.after]))
    places = set(fired.origins)
    for node in operands_first(written.results):
        found = set(written.origins[node])
        if node.operands and found and found <= places:
            own.add(node)
    return own


def _sizes(values: Mapping[Any, Any]) -> dict[str, int]:
    """Read the sizes of axes from shapes and tensors."""
    found: dict[str, int] = {}
    for value in values.values():
        if hasattr(value, "named_values"):
            value = value.named_values()
        if isinstance(value, (list, tuple)) and not all(isinstance(v, (str, Axis)) for v in value):
            value = dict(enumerate(value))  # the layers of a stack
        if isinstance(value, Mapping):
            found |= _sizes(value)
        elif hasattr(value, "sizes"):
            found |= {name: size for name, size in value.sizes if isinstance(size, int)}
        elif isinstance(value, (str, tuple, list)) or hasattr(value, "size"):
            axes = value if not hasattr(value, "names") else tuple(value)
            found |= {a.name: a.size for a in parse_axes(axes) if isinstance(a.size, int)}
    return found


def _declared(written: Written) -> set[str]:
    return {name for node in operands_first(written.results) for name in node.type.names}


# --------------------------------------------------------------------------------- the parts


def _parts(written: Written, sizes: Mapping[str, Any]) -> list[Part]:
    """Make a box for each tensor of the tree; numbers go into labels, and a part without data is one box."""
    names = {node: name for name, node in written.locals.items()}
    found: dict[Node, Part] = {}
    ladders = _folded(written)
    waiting = list(written.results)
    order: list[Node] = []

    def inner(node: Node) -> list[Node]:
        return _below(node, ladders)

    for node in operands_first(waiting, inner):
        if not node.type.host:
            order.append(node)
    for node in order[:_MANY]:
        part = Part(node.type.names, [found[o] for o in inner(node) if o in found], node=node)
        if not part.operands:
            path = str(node.operation.params[-1]) if node.operation.primitive is ARGUMENT else ""
            part.kind = "argument"
            for ladder in ladders:
                if ladder.has(node):
                    path = path.replace(
                        f"{ladder.stack}.{ladder.count - 1}.", f"{ladder.stack}.*.", 1
                    )
            part.label = [(path or names.get(node) or _cut(describe(node, 1)), None)]
            part.note = _axes(node.type.names, sizes)
        else:
            part.label = _label(node)
            times = [_times(ladder, written) for ladder in ladders if node in ladder.ends]
            if times or node in names:
                part.note = [(times[0] if times else f"= {names[node]}", None)]
        found[node] = part
    spaces = written.signature.results or [None] * len(written.results)
    results = []
    for node, space in zip(written.results, spaces, strict=False):
        if node in found:
            last = [] if space is None else [n for n in space.names if node.type.has(n)]
            axes = (*[n for n in node.type.names if n not in last], *last)
            label: Label = [(written.name, None)]
            results.append(Part(axes, [found[node]], label, _axes(axes, sizes), None, "result"))
    return [*found.values(), *results]


def _folded(written: Written) -> list[Ladder]:
    """Give the stacks of which one layer can be drawn for all, because nothing else uses another layer."""
    from namedtensor.latex.printing.stacks import ladders_of  # nobody else needs the LaTeX here

    ladders = [ladder for ladder in ladders_of(written) if None not in ladder.starts]
    while ladders:
        drawn = set(operands_first(written.results, lambda node: _below(node, ladders)))
        told = [ladder for ladder in ladders if not _others(ladder, drawn)]
        if len(told) == len(ladders):
            break
        ladders = told
    return ladders


def _others(ladder: Ladder, drawn: set[Node]) -> bool:
    """Say whether a part of a layer that is not the last is drawn."""
    last = f"{ladder.stack}.{ladder.count - 1}."
    early = {node for node, (_, layer) in ladder.rungs.items() if layer < ladder.count - 1}
    parameters = {str(n.operation.params[-1]) for n in drawn if ladder.has(n)}
    return bool((early - set(ladder.starts)) & drawn) or not all(
        path.startswith(last) for path in parameters
    )


def _below(node: Node, ladders: Sequence[Ladder]) -> list[Node]:
    """Give a box's operands; if one layer is drawn for a stack, those of the first layer."""
    found = list(_inner(node))
    for ladder in ladders:
        if node in ladder.inside:
            given = dict(zip(ladder.before, ladder.starts, strict=True))
            found = [given.get(o) or o for o in found]
    return found


def _times(ladder: Ladder, written: Written) -> str:
    count = str(ladder.count) if ladder.stack in written.counted else f"|{ladder.stack}|"
    return f"{ladder.stack} × {count}"


def _inner(node: Node) -> Sequence[Node]:
    """Give the operands that have boxes of their own: tensors, where the whole depends on data."""
    return () if node.closed else [o for o in node.operands if not o.type.host]


def _axes(names: Sequence[str], sizes: Mapping[str, Any]) -> Label:
    found: Label = []
    for name in names:
        size = f"[{sizes[name]}]" if name in sizes else ""
        found += [(" ", None), (shown(name) + size, colour_of(name))]
    return found[1:]


def _label(node: Node) -> Label:
    """Write an operation, its axes in their colours."""
    entry = node.operation.primitive
    if entry is CALL:
        return [(_cut(str(node.operation.params[0])), None)]
    acts = entry.traits.acts(node.operation.params)
    if acts.uses and acts.makes:
        return [*_axes(acts.uses, {}), (" → ", None), *_axes(acts.makes, {})]
    if isinstance(entry.notation, Special) and entry.notation.form == "contraction":
        return [("· ", None), *_axes(acts.uses, {})]
    if any(o.type.host for o in node.operands):
        words = node.operation.write(
            tuple([describe(o, 3) if o.type.host else "□" for o in node.operands])
        )
        if len(words) <= _SHORT and not (acts.along or acts.makes or acts.uses):
            return [(words, None)]
    if entry.traits.symbol:
        return [(entry.traits.symbol, None)]
    axes = acts.uses or acts.along or acts.makes
    return [(entry.name, None), *([(" ", None), *_axes(axes, {})] if axes else [])]


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"


# ---------------------------------------------------------------------------------- the places


def _placed(parts: Sequence[Part]) -> list[list[Part]]:
    """Put the parts into layers, one below another, with places for lines that pass through a layer."""
    users: dict[Part, list[Part]] = {part: [] for part in parts}
    for part in parts:
        for operand in part.operands:
            users[operand].append(part)
        if part.operands:
            part.layer = 1 + max(o.layer for o in part.operands)
    last = max(part.layer for part in parts)
    for part in reversed(parts):
        if part.kind == "result":
            part.layer = last
        elif users[part]:
            # an argument is drawn just above its first use
            part.layer = min(u.layer for u in users[part]) - 1
    least = min(part.layer for part in parts)
    layers: list[list[Part]] = [[] for _ in range(last - least + 1)]
    for part in _in_order(parts):
        part.layer -= least
    for part in _in_order(parts):
        layers[part.layer].append(part)
        for place, operand in enumerate(part.operands):
            above = operand
            for layer in range(operand.layer + 1, part.layer):
                passing = Part(operand.axes, [above], kind="passing", layer=layer)
                layers[layer].append(passing)
                above = passing
            part.operands[place] = above
    return layers


def _in_order(parts: Sequence[Part]) -> list[Part]:
    """Give the parts from left to right, as one reads the formula."""
    seen: dict[Part, None] = {}

    def visit(part: Part) -> None:
        waiting = [(part, False)]
        while waiting:
            top, done = waiting.pop()
            if done:
                seen.setdefault(top)
            elif top not in seen:
                waiting.append((top, True))
                waiting += [(o, False) for o in reversed(top.operands)]

    for part in parts:
        if part.kind == "result":
            visit(part)
    return list(seen)


def _arranged(layers: list[list[Part]]) -> None:
    """Order each layer so that few lines cross, then move parts below and above what they belong to."""
    users: dict[Part, list[Part]] = {}
    for layer in layers:
        for part in layer:
            for operand in part.operands:
                users.setdefault(operand, []).append(part)
    for layer in layers:
        for place, part in enumerate(layer):
            part.x = place * 100.0
    for turn in range(6):
        for layer in layers[::-1] if turn % 2 == 0 else layers:
            near = {p: users.get(p, []) if turn % 2 == 0 else p.operands for p in layer}
            layer.sort(key=lambda p: _middle(p, near[p], users))
            for place, part in enumerate(layer):
                part.x = place * 100.0
    for layer in layers:
        x = 0.0
        for part in layer:
            part.x = x + part.left
            x += part.left + part.right + _APART
    for turn in range(24):
        for layer in layers if turn % 2 == 0 else layers[::-1]:
            wanted = []
            for part in layer:
                met = [*part.operands, *users.get(part, [])]
                wanted.append(sum(p.x for p in met) / len(met) if met else part.x)
            _settle(layer, wanted)
    least = min(part.x - part.left for layer in layers for part in layer)
    for depth, layer in enumerate(layers):
        for part in layer:
            part.x += 12 - least
            part.y = 34 + depth * (_HIGH + _DOWN)


def _middle(part: Part, near: Sequence[Part], users: Mapping[Part, Sequence[Part]]) -> float:
    if not near:
        return part.x
    places = []
    for other in near:
        # among a user's operands, the first stands left
        shift = other.operands.index(part) * 0.1 if part in other.operands else 0.0
        places.append(other.x + shift)
    return sum(places) / len(places)


def _settle(layer: Sequence[Part], wanted: Sequence[float]) -> None:
    """Give each part the place nearest to the wanted one that keeps its distance to its neighbours."""
    offsets, at = [], 0.0
    for before, part in zip([None, *layer], layer, strict=False):
        at += 0.0 if before is None else before.right + _APART + part.left
        offsets.append(at)
    groups: list[list[float]] = []  # sum and number of what stands side by side
    for goal, offset in zip(wanted, offsets, strict=True):
        groups.append([goal - offset, 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, count = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += count
    places = [total / count for total, count in groups for _ in range(int(count))]
    for part, place, offset in zip(layer, places, offsets, strict=True):
        part.x = place + offset


# --------------------------------------------------------------------------------- the picture


def _drawn(found: Diagram) -> str:
    copies: dict[Part, Part] = {}
    for part in found.parts:
        copies[part] = Part(
            part.axes,
            [copies[o] for o in part.operands],
            part.label,
            part.note,
            part.node,
            part.kind,
        )
    for rule, nodes in found.kernels:
        own = [p for p in copies.values() if p.node in nodes and p.kind == "operation"]
        if own:
            # its name stands beside the last of them
            own[-1].tail = wide(rule) * _LETTER + 6
    layers = _placed(list(copies.values()))
    _arranged(layers)
    parts = [part for layer in layers for part in layer]
    for part in parts:
        pairs = sorted(enumerate(part.operands), key=lambda pair: pair[1].x)
        part.operands = [operand for _, operand in pairs]
    width = max(part.x + part.right for part in parts) + 12
    height = max(part.y for part in parts) + _HIGH + 12
    legend, width, high = _legend(found, parts, width)
    frames = _frames(found, parts)
    lines = "".join(_bundle(part, place) for part in parts for place in range(len(part.operands)))
    boxes = "".join(_box(part) for part in parts if part.kind != "passing")
    width = max(width, wide(found.title) * _LETTER + 24)
    total = height + high
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{total:.0f}" '
        f'viewBox="0 0 {width:.0f} {total:.0f}" fill="currentColor" font-family="monospace" '
        f'font-size="12"><title>{escape(found.title)}</title>'
        f'<text x="12" y="16" font-weight="bold">{escape(found.title)}</text>'
        f'{frames}<g fill="none" stroke-width="2.4">{lines}</g>{boxes}'
        f'<g transform="translate(0 {height:.0f})">{legend}</g></svg>'
    )


def _bundle(part: Part, place: int) -> str:
    """Draw the lines from an operand down to where it is used."""
    operand = part.operands[place]
    start = operand.y + _HIGH
    end = part.y
    drawn = []
    tops, bottoms = operand.below, part.above(place)
    for i, name in enumerate(operand.axes):
        at = part.axes.index(name) if part.kind == "result" else i
        drawn.append(_curve(tops[i], start, bottoms[at], end, colour_of(name)))
    if not operand.axes:
        drawn.append(
            _curve(
                tops[0],
                start,
                bottoms[0],
                end,
                "currentColor",
                ' stroke-dasharray="2 3" stroke-width="1.4"',
            )
        )
    if part.kind == "passing":
        drawn += [
            _curve(x, end, x, end + _HIGH, colour_of(name))
            for x, name in zip(part.below, part.axes, strict=False)
        ]
    return "".join(drawn)


def _curve(x: float, y: float, u: float, v: float, colour: str, more: str = "") -> str:
    if abs(x - u) < 0.5:
        return f'<path d="M{x:.1f} {y:.1f}V{v:.1f}" stroke="{colour}"{more}/>'
    m = (y + v) / 2
    line = f"M{x:.1f} {y:.1f}C{x:.1f} {m:.1f} {u:.1f} {m:.1f} {u:.1f} {v:.1f}"
    return f'<path d="{line}" stroke="{colour}"{more}/>'


def _box(part: Part) -> str:
    x, y = part.x - part.left, part.y
    across = part.left + part.right - part.tail
    if part.kind in ("argument", "result"):
        weight = ' font-weight="bold"'
        strong = ' stroke-width="2"' if part.kind == "result" else ""
        middle = part.y + (14 if part.note else 21)
        return (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{_HIGH:g}" rx="9" '
            f'fill="currentColor" fill-opacity=".06" stroke="currentColor" stroke-opacity=".55"{strong}/>'
            + _text(part.x, middle, part.label, "middle", weight)
            + (_text(part.x, part.y + 28, part.note, "middle") if part.note else "")
        )
    called = part.node is not None and part.node.operation.primitive is CALL
    fill = ".12" if called else ".03"
    label = _text(
        x + 5,
        part.y + (14 if part.note else 21),
        part.label,
        "start",
        ' font-weight="bold"' if called else "",
    )
    note = _text(x + 5, part.y + 28, part.note, "start", ' opacity=".7"') if part.note else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{_HIGH:g}" rx="3" '
        f'fill="currentColor" fill-opacity="{fill}" stroke="currentColor" '
        f'stroke-opacity="{".8" if called else ".3"}"/>{label}{note}'
        f'<g fill="none" stroke-width="2.4">{_inside(part)}</g>'
    )


def _inside(part: Part) -> str:
    """Draw what an operation does with its lines."""
    assert part.node is not None
    y, end, middle = part.y, part.y + _HIGH, part.y + _HIGH / 2
    acts = part.node.operation.primitive.traits.acts(part.node.operation.params)
    below = dict(zip(part.axes, part.below, strict=False))
    drawn: list[str] = []
    dots: list[str] = []
    open_ends: dict[str, list[float]] = {}
    renamed = (
        dict(zip(acts.uses, acts.makes, strict=False)) if len(acts.uses) == len(acts.makes) else {}
    )
    for place, operand in enumerate(part.operands):
        for x, name in zip(part.above(place), operand.axes, strict=False):
            after = renamed.get(name)
            colour = colour_of(name)
            if after is not None and after in below:
                half = (x + below[after]) / 2
                drawn.append(_curve(x, y, half, middle, colour))
                drawn.append(_curve(half, middle, below[after], end, colour_of(after)))
            elif name in below and name not in acts.uses:
                drawn.append(_curve(x, y, below[name], end, colour))
            else:
                open_ends.setdefault(name, []).append(x)
    merged = bool(acts.uses and acts.makes and not renamed)
    for name, ends in open_ends.items():
        colour = colour_of(name)
        if len(ends) == 1:
            to = part.x if merged else ends[0]
            drawn.append(_curve(ends[0], y, to, middle, colour))
            dots.append(_dot(to, middle, colour))
        for x, u in pairwise(ends):
            deep = y + min(_HIGH - 8, 12 + abs(u - x) / 4)
            drawn.append(
                f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {deep:.1f} {u:.1f} {deep:.1f} {u:.1f} {y:.1f}" '
                f'stroke="{colour}"/>'
            )
    met = {name for operand in part.operands for name in operand.axes} - set(acts.uses)
    for name, x in below.items():
        if name not in met and name not in renamed.values():
            start = part.x if merged else x
            drawn.append(_curve(start, middle, x, end, colour_of(name)))
            dots.append(_dot(start, middle, colour_of(name)))
        elif name in acts.along:
            drawn.append(
                f'<path d="M{x - 5:.1f} {end - 7:.1f}h10" stroke="{colour_of(name)}" stroke-width="4"/>'
            )
    return "".join(drawn + dots)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="{colour}"/>'


def _text(x: float, y: float, label: Label, anchor: str, more: str = "") -> str:
    spans = "".join(
        escape(words)
        if colour is None
        else f'<tspan fill="{colour}" font-weight="bold">{escape(words)}</tspan>'
        for words, colour in label
    )
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" xml:space="preserve"{place}{more}>{spans}</text>'


def _frames(found: Diagram, parts: Sequence[Part]) -> str:
    """Frame what each kernel took: its boxes and the lines between them, as one outline."""
    drawn = []
    for number, (_rule, nodes) in enumerate(found.kernels):
        own = [p for p in parts if p.node in nodes and p.kind == "operation"]
        if not own:
            continue
        key = f"kernel{zlib.crc32(found.title.encode()):x}-{number}"

        def shape(by: float, own: Sequence[Part] = own) -> str:
            boxes = "".join(
                f'<rect x="{p.x - p.left - by:.1f}" y="{p.y - by:.1f}" rx="{by:g}" '
                f'width="{p.left + p.right - p.tail + 2 * by:.1f}" height="{_HIGH + 2 * by:g}"/>'
                for p in own
            )
            links = "".join(
                f'<path fill="none" stroke-width="{len(o.axes) * _LINE + 2 * by:g}" '
                f'd="M{o.x:.1f} {o.y + _HIGH:.1f}C{o.x:.1f} {o.y + _HIGH + _DOWN / 2:.1f} '
                f"{sum(p.above(i)) / len(p.above(i)):.1f} {o.y + _HIGH + _DOWN / 2:.1f} "
                f'{sum(p.above(i)) / len(p.above(i)):.1f} {p.y:.1f}"/>'
                for p in own
                for i, o in enumerate(p.operands)
                if o in own
            )
            return boxes + links

        drawn.append(
            f'<mask id="{key}"><g fill="#fff" stroke="#fff">{shape(7)}</g>'
            f'<g fill="#000" stroke="#000" stroke-width="0">{shape(5.6)}</g></mask>'
            f'<rect width="100%" height="100%" fill="currentColor" fill-opacity=".55" mask="url(#{key})"/>'
        )
        lowest = max(own, key=lambda p: p.y)
        drawn.append(
            f'<text x="{lowest.x + lowest.right - lowest.tail + 11:.1f}" y="{lowest.y + _HIGH + 4:.1f}" '
            f'font-style="italic" font-size="11">{escape(_rule)}</text>'
        )
    return "".join(drawn)


def _legend(found: Diagram, parts: Sequence[Part], width: float) -> tuple[str, float, float]:
    """Name the colours, in lines no wider than the picture."""
    names = list(dict.fromkeys([name for part in parts for name in part.axes]))
    width = max(width, 220.0)
    x, y, drawn = 12.0, 4.0, []
    for name in names:
        label = _axes([name], found.sizes)
        needs = 24 + _width(label) + 14
        if x + needs > width and x > 12:
            x, y = 12.0, y + 16
        drawn.append(
            f'<path d="M{x:.0f} {y:.0f}h18" stroke="{colour_of(name)}" stroke-width="2.4"/>'
            + _text(x + 24, y + 4, label, "start")
        )
        x += needs
    if any(nodes for _, nodes in found.kernels):
        y += 16
        drawn.append(
            f'<rect x="12.5" y="{y - 5:.1f}" width="17" height="10" rx="3" fill="none" stroke="currentColor" '
            f'stroke-opacity=".55"/><text x="36" y="{y + 4:.0f}">runs as one kernel</text>'
        )
    return "".join(drawn), width, y + 14
