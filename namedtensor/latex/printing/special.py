"""Write the special forms: leaves, fractions, powers, cases, contractions, recurrences, indices, ..."""

from __future__ import annotations

from typing import Any

from namedtensor.formula.written import passed, titled
from namedtensor.latex.printing.forms import FORMS, Form, Forms, axes_of, special
from namedtensor.latex.printing.naming import is_counter
from namedtensor.latex.printing.pieces import Piece, figure, inside, joined_by, wrapped
from namedtensor.operations.elementwise import ADD
from namedtensor.operations.recurrence import kept_along
from namedtensor.primitives import Node, number
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import ATOM, DOT, JUXTAPOSED, PREFIX, SCRIPT, SUM

# ----------------------------------------------------------------------------------------- leaves


@special("argument")
def _argument(forms: Forms, node: Node) -> Piece:
    return forms.argument(node.operation.params[0])


@special("size")
def _size(forms: Forms, node: Node) -> Piece:
    return Piece(f"|{forms.dialect.axis(node.operation.params[-1])}|")


@special("number")
def _number(forms: Forms, node: Node) -> Piece:
    return Piece(*figure(node.value, forms.taken))


@special("listed")
def _listed(forms: Forms, node: Node) -> Piece:
    axis, numbers = node.operation.params
    head = forms.dialect.function("listed", (axis,))
    return Piece(f"{head}({', '.join(map(str, numbers))})", PREFIX, PREFIX, prefix=True)


@special("element")
def _element(forms: Forms, node: Node) -> Piece:
    raise TypeError(f"{node!r} is written by its elements")


# ----------------------------------------------------------------------------- arithmetic by shape


@special("fraction")
def _fraction(forms: Forms, node: Node) -> Piece:
    above, below = [forms.write(o) for o in node.operands]
    if forms.script:
        return Piece(f"{inside(above, SCRIPT)}/{inside(below, SCRIPT)}", JUXTAPOSED)
    return Piece(rf"\frac{{{inside(above, SUM)}}}{{{inside(below, SUM)}}}", JUXTAPOSED)


@special("floored fraction")
def _floored(forms: Forms, node: Node) -> Piece:
    if not _whole(*node.operands):
        return forms.applied(r"\text{floordiv}", node.operands)
    above, below = [inside(forms.write(o), SUM) for o in node.operands]
    return Piece(rf"\left\lfloor \frac{{{above}}}{{{below}}} \right\rfloor")


def _whole(*nodes: Node) -> bool:
    """Say whether all of these hold whole numbers."""
    return all(node.type.kind == "int" for node in nodes)


def _rounded(sign: str) -> Form:
    def form(forms: Forms, node: Node) -> Piece:
        (operand,) = node.operands
        if _whole(operand) or (operand.name == "div" and _whole(*operand.operands)):
            return forms.applied(rf"\text{{{sign}}}", node.operands)
        text = forms.write(operand).text
        return Piece(rf"\left\l{sign} {text} \right\r{sign}")

    return form


FORMS["floor"] = _rounded("floor")
FORMS["ceil"] = _rounded("ceil")


@special("power")
def _power(forms: Forms, node: Node) -> Piece:
    if node.operands[1].value == -1 and len(node.operands[0].type.axes) > 1:
        return forms.applied(r"\text{power}", node.operands)  # X^{-1} is the inverse of a matrix
    base, exponent = forms.write(node.operands[0]), forms.small(node.operands[1])
    bare = base.level == ATOM
    if (bare and "_" in base.text) or "'" in base.text:
        bare = False
    if bare and base.plain and forms.named(_identifier(forms, node.operands[0]), exponent.text):
        bare = False
    text = exponent.text if len(exponent.text) == 1 else f"{{{exponent.text}}}"
    return Piece(f"{base.text if bare else wrapped(base.text)}^{text}", SCRIPT)


def _identifier(forms: Forms, node: Node) -> str:
    path = str(node.operation.params[0]).replace(".", "_") if node.name == "argument" else ""
    return forms.names.of.get(node) or path or forms.write(node).text


@special("root")
def _root(forms: Forms, node: Node) -> Piece:
    return Piece(rf"\sqrt{{{forms.write(node.operands[0]).text}}}", JUXTAPOSED)


@special("bars")
def _bars(forms: Forms, node: Node) -> Piece:
    return Piece(rf"\left| {forms.write(node.operands[0]).text} \right|", JUXTAPOSED)


@special("norm")
def _norm(forms: Forms, node: Node) -> Piece:
    axes = ", ".join(map(forms.dialect.axis, axes_of(node)))
    text = forms.write(node.operands[0]).text
    return Piece(rf"\left\| {text} \right\|_{{{axes}}}", JUXTAPOSED)


@special("cases")
def _cases(forms: Forms, node: Node) -> Piece:
    rows: list[str] = []
    while node.name == "where" and (not rows or node not in forms.names.of or forms.indices):
        condition, value, node = node.operands
        rows.append(f"{_first(forms.write(value).text)} & {forms.write(condition).text}")
    rows.append(rf"{_first(forms.write(node).text)} & \text{{otherwise}}")
    listed = r" \\ ".join(rows)
    return Piece(rf"\begin{{cases}} {listed} \end{{cases}}", JUXTAPOSED)


def _first(text: str) -> str:
    """Write the first cell of a row; after the line break before it, [ would begin an option."""
    if not text.startswith("["):
        return text
    depth = 0
    for end, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if not depth:
            return f"({text[1:end]}){text[end + 1 :]}"
    raise ValueError(f"{text} has a bracket without its end")


@special("contraction")
def _contraction(forms: Forms, node: Node) -> Piece:
    axes = axes_of(node)
    if axes and len(node.operands) != 2:
        return forms.applied(forms.dialect.function("contract", axes), node.operands)
    whole, *others = [forms.write(o) for o in node.operands]
    for piece in others:
        terms = whole.terms if whole.terms and whole.level == DOT else (whole.text,)
        whole = joined_by(whole, forms.dialect.dot(axes), piece, DOT, terms)
    return whole


@special("cast")
def _cast(forms: Forms, node: Node) -> Piece:
    return forms.applied(rf"\text{{{node.operation.params[0]}}}", node.operands)


@special("cast like")
def _cast_like(forms: Forms, node: Node) -> Piece:
    """Write a change of kind, as from int to float; a change of dtype within a kind is not written."""
    X, like = node.operands
    if X.type.kind == like.type.kind:
        return forms.write(X)
    notation: Any = node.operation.primitive.notation
    return forms.applied(rf"\text{{{notation.word}}}", node.operands)


@special("lifted")
def _lifted(forms: Forms, node: Node) -> Piece:
    return forms.applied(forms.function_of_others(node), node.operands)


@special("operand")
def _operand(forms: Forms, node: Node) -> Piece:
    """Write only the operand: a repetition along axes or another dtype does not change its numbers."""
    return forms.write(node.operands[0])


@special("picks")
def _picks(forms: Forms, node: Node) -> Piece:
    """Write onehot of an index, which is known to lie inside its axis."""
    return forms.applied(forms.dialect.function("onehot", node.operation.params), node.operands)


@special("call")
def _call(forms: Forms, node: Node) -> Piece:
    name, _, settings, place = node.operation.params
    formula = forms.written.called[name]
    before, after = [
        [
            forms.bundle(part) if isinstance(part, str) else inside(forms.write(part), SUM)
            for part in parts
        ]
        for parts in passed(node, formula)
    ]
    title, others = titled(formula, settings)
    before += [f"{forms.letter(n).text} = {_value(v)}" for n, v in others.items()]
    listed = "; ".join([", ".join(group) for group in (before, after) if group])
    text = f"{forms.letter(title).text}{wrapped(listed)}"
    if formula.signature.several:
        return Piece(f"[{text}]_{{{place + 1}}}", SCRIPT)
    return Piece(text, PREFIX, PREFIX, prefix=True)


def _value(value: Any) -> str:
    if isinstance(value, (bool, int, float, complex)):
        return figure(value)[0]
    return rf"\text{{{value}}}"


# ------------------------------------------------------------------------------------- recurrences


@special("associative scan")
@special("scan")
def _scan(forms: Forms, node: Node) -> Piece:
    raise TypeError(f"{node!r} is written by its name")


def recurrence(node: Node, forms: Forms) -> list[tuple[str, Piece]]:
    """Write the equations of a recurrence, by elements, that one of its results needs."""
    outer = forms.leaves
    forms.loop = forms.names.loop(node)
    if function := forms.names.functions.get(node):
        letters = {leaf: forms.letter(name) for leaf, name in function.parameters.items()}
        forms.leaves = {**outer, **letters}
    try:
        return _recurrence(node, forms)
    finally:
        forms.leaves, forms.loop = outer, None


def _recurrence(node: Node, forms: Forms) -> list[tuple[str, Piece]]:
    *_, place = node.operation.params
    loop, lines = forms.names.loop(node), []
    step, index, starts = loop.step, loop.index, loop.starts(place)
    used = set().union(*[loop.leaves(i) for i in loop.needed(place)])
    last = f"|{forms.dialect.axis(step.axis)}|"
    first, before = ("0", f"{index} - 1")
    if step.reverse:
        first, before = f"{last} + 1", f"{index} + 1"
    if not step.starts:  # an associative scan has no starts: it begins with the first element
        first = last if step.reverse else "1"

    def carry(place: int, at: str) -> Piece:
        return forms.element(forms.letter(loop.names[place]).text, step.axis, at)

    for i in loop.needed(place):
        if i < len(step.before):
            forms.leaves[step.before[i]] = carry(i, before)
            forms.leaves |= {h: carry(i, index) for h in step.after[i : i + 1]}
    forms.leaves |= {
        leaf: _element_at(forms, X, step.axis, index)
        for leaf, X in zip(step.elements, step.sequences, strict=True)
        if leaf in used and not is_counter(X, step.axis)
    }
    for leaf in loop.counters():
        forms.leaves[leaf] = Piece(f"{index} - 1", SUM)
        forms.leaves[apply_node(ADD, (leaf, number(1)))] = Piece(index)
    for i in loop.needed(place):
        if i in loop.written:
            continue
        loop.written.add(i)
        if i in starts:
            h = forms.write(step.starts[i]) if step.starts else None
            h = h or _element_at(forms, step.sequences[i], step.axis, first)
            lines.append((carry(i, first).text, h))
        # the results of other carries at this element are already written on the left
        given = {
            r: carry(k, index)
            for k, r in enumerate(step.results[: len(step.before)])
            if k != i and r.operands and k in loop.needed(place)
        }
        outer, forms.leaves = forms.leaves, {**forms.leaves, **given}
        lines.append((carry(i, index).text, forms.write(step.results[i])))
        forms.leaves = outer
    while forms.met:
        part = forms.met.pop(0)
        lines.append((forms.write(part).text, forms.definition(part)))
    if not kept_along(node):
        end = "1" if step.reverse else last
        lines.append((forms.head(node).text, carry(place, end)))
    elif node in forms.names.functions:
        lines.append((forms.head(node).text, forms.letter(forms.names.of[node])))
    return lines


def _element_at(forms: Forms, X: Node, axis: str, index: str) -> Piece:
    whole = forms.write(X)
    text = whole.text if whole.plain else wrapped(whole.text, "[", "]")
    return forms.element(text, axis, index)


# ------------------------------------------------------------- indices, ranges, updates, renamings


@special("at")
@special("index")
def _indexed(forms: Forms, node: Node) -> Piece:
    items: list[str] = []
    if node.name == "index":
        given = zip(axes_of(node), node.operands[1:], strict=True)
        items = [forms.dialect.at(a, _place(forms, i)) for a, i in given]
        node = node.operands[0]
    first = True
    while node.name == "at" and (first or node not in forms.names.of):
        axis = node.operation.params[0]
        items.insert(0, forms.dialect.at(axis, forms.from_one(node.operands[1])))
        node, first = node.operands[0], False
    return forms.bracketed(node, ", ".join(items), letter=True)


def _place(forms: Forms, index: Node) -> str:
    """Write an index: numbers and host values count from 1 in LaTeX; tensors of data are left from 0."""
    counted = index.type.weak or index.type.host
    return forms.from_one(index) if counted else forms.write(index).text


#: Words for ranges, by which of start, stop and step are given.
RANGES = {
    (False, False, False): "whole",
    (True, False, False): "from",
    (False, True, False): "until",
    (True, True, False): "range",
    (False, False, True): "every",
    (True, False, True): "from-every",
    (False, True, True): "until-every",
    (True, True, True): "range",
}


@special("slice")
def _slice(forms: Forms, node: Node) -> Piece:
    axis, flags = node.operation.params
    bounds = _bounds(forms, flags, node.operands[1:])
    text = ", ".join([inside(forms.write(node.operands[0]), SUM), *bounds])
    head = forms.dialect.function(RANGES[flags], (axis,))
    return Piece(f"{head}{wrapped(text)}", PREFIX, PREFIX, prefix=True)


def _bounds(forms: Forms, flags: tuple[bool, ...], bounds: tuple[Node, ...]) -> list[str]:
    """Write start, stop and step: a start from 1, and a stop that is the last index of the range."""
    given = iter(bounds)
    texts = []
    for place, there in enumerate(flags):
        if there:
            bound = next(given)
            texts.append(forms.from_one(bound) if place == 0 else forms.write(bound).text)
    return texts


@special("slice size")
def _slice_size(forms: Forms, node: Node) -> Piece:
    (flags,) = node.operation.params
    bounds = _bounds(forms, flags, node.operands[1:])
    text = ", ".join([forms.write(node.operands[0]).text, *bounds])
    return Piece(rf"\text{{size-{RANGES[flags]}}}({text})", PREFIX, PREFIX, prefix=True)


@special("update")
def _update(forms: Forms, node: Node) -> Piece:
    (places,) = node.operation.params
    base, value, *indices = node.operands
    given = iter(indices)
    items = []
    for axis, how, *bounds in places:
        text = _range(bounds) if how == "slice" else _place(forms, next(given))
        items.append(forms.dialect.at(axis, text))
    place = forms.bracketed(base, ", ".join(items), letter=True)
    listed = f"{place.text}, {inside(forms.write(value), SUM)}"
    notation: Any = node.operation.primitive.notation
    return Piece(rf"\text{{{notation.word}}}{wrapped(listed)}", PREFIX, PREFIX, prefix=True)


def _range(bounds: list[Any]) -> str:
    """Write a range as the place of an update: from(2) or range(2, 5)."""
    start, stop, step = [b is not None for b in bounds]
    texts = [str(b + 1 if i == 0 and b >= 0 else b) for i, b in enumerate(bounds) if b is not None]
    return rf"\text{{{RANGES[start, stop, step]}}}({', '.join(texts)})"


@special("rename")
def _rename(forms: Forms, node: Node) -> Piece:
    arrows = [
        rf"{forms.dialect.axis(old)} \rightarrow {forms.dialect.axis(new)}"
        for old, new in node.operation.params[0]
    ]
    return forms.bracketed(node.operands[0], ", ".join(arrows), letter=forms.dialect.macros)


@special("merge")
def _merge(forms: Forms, node: Node) -> Piece:
    before, after = node.operation.params
    parts = ", ".join(map(forms.dialect.axis, before))
    arrow = rf"({parts}) \rightarrow {forms.dialect.axis(after)}"
    return forms.bracketed(node.operands[0], arrow, letter=forms.dialect.macros)


@special("split")
def _split(forms: Forms, node: Node) -> Piece:
    before, after, hole = node.operation.params
    sizes = iter(node.operands[1:])
    parts = [
        forms.dialect.sized(a, None if i == hole else forms.write(next(sizes)).text)
        for i, a in enumerate(after)
    ]
    arrow = rf"{forms.dialect.axis(before)} \rightarrow ({', '.join(parts)})"
    return forms.bracketed(node.operands[0], arrow, letter=forms.dialect.macros)


@special("rearrange")
def _rearrange(forms: Forms, node: Node) -> Piece:
    """Write an einops pattern as two renamings: axes are split, and then merged."""
    owners, left, right, pairs = node.operation.params
    sizes = dict(pairs)
    axis, arrow = forms.dialect.axis, r" \rightarrow "
    splits = [
        f"{axis(o)}{arrow}({', '.join([forms.dialect.sized(n, _text(sizes.get(n))) for n in g])})"
        for o, g in zip(owners, left, strict=True)
        if len(g) > 1
    ]
    merges = [f"({', '.join(map(axis, g))}){arrow}{axis('_'.join(g))}" for g in right if len(g) > 1]
    piece = forms.write(node.operands[0])
    for below in (splits, merges):
        if below:
            text = wrapped(piece.text, "[", "]")
            piece = Piece(f"{text}_{{{', '.join(below)}}}", SCRIPT)
    return piece


def _text(size: Any) -> str | None:
    return None if size is None else str(size)
