"""Compare the shape of a formula with its declaration, its signature, or other members of its series."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from namedtensor.latex.check.look import sizes_differ
from namedtensor.latex.check.report import is_own_size, listed, shape_text, size_text
from namedtensor.latex.check.sizes import algebra
from namedtensor.latex.check.symbols import Symbols
from namedtensor.latex.check.types import is_first, type_of
from namedtensor.latex.documents.along import axis_along, bare
from namedtensor.latex.documents.members import fault_of
from namedtensor.latex.documents.scopes import Declared, Defined, Place
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.values import Value
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.reading.programs import LOOP
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Big,
    Binary,
    Cases,
    Definition,
    Expression,
    Indexed,
    Scripts,
    Signature,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, children, letters_of, walk
from namedtensor.primitives import Type


def difference(symbols: Symbols, said: Type, found: Type) -> tuple[str, str]:
    """Say how a shape differs from the stated one, and the severity; "" twice if it does not differ."""
    extra = [n for n in found.names if not said.has(n)]
    lacking = [n for n in said.names if not found.has(n)]
    parts = []
    if extra:
        parts.append(f"has {listed(extra)} too")
    if lacking:
        parts.append(f"lacks {listed(lacking)}")
    if parts:
        return " and ".join(parts), "error"
    for axis, size in said.axes:
        other = found.size(axis)
        if (differs := symbols.facts.mismatch(size, other, axis)) is not None:
            severity, only = differs
            return (
                f"has {axis} of size {size_text(other)} and not {size_text(size)}{only}",
                severity,
            )
    return "", ""


def check_declared(
    symbols: Symbols,
    defined: Defined,
    declared: Declared | None,
    promised: Value | None,
    value: Value,
) -> bool:
    """Compare a definition with the declaration of its name; say whether they agree."""
    said = type_of(promised) if promised is not None else None
    if declared is None or said is None:
        return True
    target = defined.statement.target
    if isinstance(target, Indexed) and is_first(target):
        return True
    if isinstance(target, Indexed) and not _check_target(symbols, target, declared, said):
        return False
    found = type_of(value)
    body = defined.body
    if found is None or found.host or _is_for_all(symbols, body, found):
        return True
    text, severity = difference(symbols, said, found)
    if not text:
        return True
    name = symbols.report.text(defined.name.span)
    symbols.report.add(
        severity,
        "declared-shape",
        body.span,
        f"{name} is declared on line {symbols.line(declared.name.span)}, and what it is set to "
        f"{text}",
        [(name, shape_text(said)), (symbols.report.text(body.span), shape_text(found))],
        _mending(symbols, name, found),
    )
    return False


def _is_for_all(symbols: Symbols, body: Expression, found: Type) -> bool:
    """Say whether a right side is a single number, made of no tensor, that all elements are set to."""
    types = [symbols.type_of(part) for part in walk(body)] if not found.axes else []
    return not found.axes and not any(type_ is not None and type_.axes for type_ in types)


def _check_target(symbols: Symbols, target: Indexed, declared: Declared, said: Type) -> bool:
    """Compare the axes of P_{seq(p), emb(i)} with those that P is declared with."""
    unknown = [i.axis for i in target.indices if not said.has(i.axis.name)]
    if not unknown:
        return True
    name = symbols.report.text(declared.name.span)
    own = {i.axis.name for i in target.indices}
    free = [n for n in said.names if n not in own]
    axis = unknown[0]
    symbols.report.error(
        "declared-shape",
        axis.span,
        f"{name} is declared on line {symbols.line(declared.name.span)} without an axis {axis.name}",
        [(name, shape_text(said))],
        f"write an axis that it has: {listed([symbols.dialect.axis(n) for n in free], 'or')}"
        if free
        else "leave this index out",
        symbols.mend_axis(axis, free) if len(unknown) == 1 else None,
    )
    return False


def _mending(symbols: Symbols, name: str, found: Type) -> str:
    if any(isinstance(n, str) and "*" in n for n in found.names):
        return "declare the axes that the derivative adds"
    axes = [(n, symbols.size_text(n, s)) for n, s in found.axes]
    return f"if the formula is right, declare {name} \\in {symbols.dialect.space(REALS, axes)}"


def check_chain(
    symbols: Symbols,
    parts: Sequence[Expression],
    values: Sequence[Value],
    anything: Collection[str] = (),
) -> None:
    """Compare the neighbours in a chain, a = b = c, if they have the same of the letters for anything."""
    types = [type_of(value) for value in values]
    for (left, before), (right, found) in itertools.pairwise(zip(parts, types, strict=True)):
        one, other = ({key(p) for p in walk(part)}.intersection(anything) for part in (left, right))
        if not (before is None or found is None or before.host or found.host or one != other):
            check_equal(symbols, left, before, right, found)


def check_equal(
    symbols: Symbols, left: Expression, before: Type, right: Expression, found: Type
) -> None:
    """Compare the sides of an equation; the right side may be a single number for all elements."""
    text, severity = difference(symbols, _starless(before), _starless(found))
    if text and not _is_for_all(symbols, right, found) and not symbols.report.any_in(right.span):
        written = [symbols.report.text(part.span) for part in (left, right)]
        symbols.report.add(
            severity,
            "declared-shape",
            right.span,
            f"this is to equal {written[0]}, and {text}",
            [(w, shape_text(t)) for w, t in zip(written, (before, found), strict=True)],
            "the sides of an equation have the same axes",
        )


def _starless(type_: Type) -> Type:
    """Take the star from each axis ax* of a shape that has no axis ax."""
    axes = [(n if type_.has(n.rstrip("*")) else n.rstrip("*"), s) for n, s in type_.axes]
    return Type(tuple(axes))


def check_promised(
    symbols: Symbols,
    name: str,
    body: Expression,
    promised: Type,
    found: Type | None,
    signature: Signature,
) -> bool:
    """Compare a function's body with its signature; say whether they agree."""
    if found is None or found.host or (not found.axes and not promised.axes):
        return True
    text, severity = difference(symbols, promised, found)
    if not text:
        return True
    symbols.report.add(
        severity,
        "result-shape",
        body.span,
        f"the signature on line {symbols.line(signature.span)} says what {name} gives, and its "
        f"body {text}",
        [(name, shape_text(promised)), (symbols.report.text(body.span), shape_text(found))],
        "mend the formula, or the signature's right side",
    )
    return False


def check_series(
    symbols: Symbols, defined: Defined, value: Value, name: Expression, said: Type
) -> Value:
    """Compare a member of a series with another one, X^L with X^1; return the value to use."""
    found = type_of(value)
    if found is None or found.host:
        return value
    if axis_along(defined.name) is not None and set(said.names) < set(found.names):
        bases = [name.rstrip("'") for name in found.names]
        if len(set(bases)) == len(bases):
            return value  # a recurrence may start with fewer axes: it is repeated along others
    text, severity = difference(symbols, said, found)
    if text:
        own, other, body = [symbols.report.text(p.span) for p in (defined.name, name, defined.body)]
        loop = LOOP in defined.key
        symbols.report.add(
            severity,
            "series-shape",
            defined.body.span,
            f"a step of this loop changes {own}, and what it makes of it {text}"
            if loop
            else f"{own} follows {other} in one series, and {text}",
            [(other, shape_text(said)), (body, shape_text(found))],
            f"{own} keeps its shape from step to step"
            if loop
            else "the members of a series have one shape",
        )
        return symbols.stand_in(said)
    return value


def check_terms(symbols: Symbols, defined: Defined) -> None:
    """Report a term of a member's rule that has the whole axis along which its series runs."""
    along, waiting = axis_along(defined.name), [defined.body]
    while along is not None and waiting:
        part = waiting.pop()
        type_ = symbols.type_of(part)
        if isinstance(part, Binary) and not part.axes and part.op in ("+", "-", "*", "odot"):
            waiting += [part.left, part.right]
        elif (
            type_ is not None and type_.has(along) and not symbols.report.any_in(defined.body.span)
        ):
            text = symbols.report.text(part.span)
            symbols.report.error(
                "axis-clash",
                part.span,
                f"{text} has the axis {along}, along which {symbols.report.text(defined.name.span)} is an "
                "element",
                [(text, shape_text(type_))],
                f"index {along} here too",
            )


def check_recurrences(symbols: Symbols) -> None:
    """Report recurrences along an axis that cannot be computed by a loop."""
    for defined in symbols.names.definitions:
        fault = fault_of(symbols.names, defined)
        if fault is not None:
            code, message, hint = fault
            symbols.report.error(code, defined.name.span, message, hint=hint)


def check_elements(symbols: Symbols) -> None:
    """Report an element of a tensor, made of others of its own, that is along another axis than they are."""
    tensors: dict[tuple[int, str], list[Defined]] = {}
    for defined in symbols.names.definitions:
        whole = _whole(defined.name)
        base = key(whole)
        along = defined.kind == "elements" or axis_along(defined.name) is not None
        if base is not None and along and symbols.declaration(whole, defined.place) is None:
            tensors.setdefault((defined.place.section, base), []).append(defined)
    for (_, base), rules in tensors.items():
        within = {rule: _elements(rule.body, base) for rule in rules}
        steps = {rule.place.block for rule, found in within.items() if found}
        for block in steps:  # each has its own tensor; what starts one may stand in prose
            here = [r for r in rules if r.place.block == block or r.place.block not in steps]
            sides = [side for rule in here if (side := _left_side(rule)) is not None]
            _along_the_same(symbols, sides, [part for rule in here for part in within[rule]])


#: An element of a tensor: the part of a formula, and the axes of its indices with their places.
Element = tuple[Expression, dict[str, Span]]


def _left_side(rule: Defined) -> Element | None:
    return next(iter(_elements(rule.statement.target, key(_whole(rule.name)) or "")), None)


def _whole(name: Expression) -> Expression:
    """Give the name of the tensor that a series along an axis is; Z_1 is no member of Z."""
    return name if axis_along(name) is None else bare(name)


def _elements(part: Any, base: str) -> list[Element]:
    """List the elements of a tensor inside a part, by indices or as members of a series."""
    found: list[Element] = []
    for one in all_of(Indexed, part):
        places = {i.axis.name.rstrip("'*"): i.axis.span for i in one.indices}
        inner = one.base
        if isinstance(inner, Scripts) and (axis := axis_along(inner)) is not None:
            places[axis] = inner.span
        if places and key(_whole(inner)) == base:
            found.append((one, places))
    within = {id(inner) for one, _ in found for inner in walk(one)}
    for member in all_of(Scripts, part):
        axis = axis_along(member)
        if axis is not None and key(bare(member)) == base and id(member) not in within:
            found.append((member, {axis: member.span}))
    return found


def _along_the_same(symbols: Symbols, left: list[Element], inside: list[Element]) -> None:
    """Hold elements to the axes of most left sides; where two are as many, to what is used inside."""
    sides = [frozenset(axes) for _, axes in left]
    used = [frozenset(axes) for _, axes in inside]
    own = max(sides, key=lambda axes: (sides.count(axes), used.count(axes)))
    for part, axes in (*left, *inside):
        strange = [axis for axis in axes if axis not in own]
        if strange and not own <= axes.keys() and not symbols.report.any_in(part.span):
            text = symbols.report.text(part.span)
            symbols.report.error(
                "index-type",
                axes[strange[0]],
                f"{text} is along {listed(strange)}, and the other elements of this tensor are along "
                f"{listed(sorted(own))}",
                hint=f"index {listed(sorted(own - axes.keys()))}, or declare the tensor",
            )


# ------------------------------------------------------------------------------------ index letters


def check_letters(symbols: Symbols, statements: Sequence[Statement]) -> None:
    """Report an index of an element that indexes another axis too, which has another size."""
    sizes: dict[str, dict[str, Any]] = {}
    for declared, sized in symbols.names.sized:
        type_, axis = symbols.declared_type(declared), sized.axis.name
        if type_ is not None and type_.has(axis):
            size = type_.size(axis)
            known = None if is_own_size(axis, size) else size
            sizes.setdefault(axis.rstrip("'"), {})[size_text(size)] = known
    for index, said in enumerate(statements):
        if not isinstance(said, Definition) or not isinstance(said.target, Indexed):
            continue
        place = Place(index, said.block, said.section)
        own = {
            item.at: (item.axis.name, size) for item, size in _sizes(symbols, said.target, place)
        }
        for item in said.target.items if not own else ():
            base = item.axis.name.rstrip("'") if isinstance(item, At) else ""
            if isinstance(item, At) and len(sizes.get(base, ())) == 1:
                own[item.at] = item.axis.name, *sizes[base].values()
        if own and not symbols.report.any_in(said.span):
            _look_at_letters(symbols, said.body, own, place, sizes)


def _look_at_letters(
    symbols: Symbols,
    part: Any,
    own: Mapping[Any, Any],
    place: Place,
    known: Mapping[str, Mapping[str, Any]],
) -> None:
    bound: Any = part.lower if isinstance(part, Big) else None
    if isinstance(part, Cases):  # what a condition chooses may look anywhere
        bound = tuple([row.condition for row in part.rows if row.condition is not None])
    if bound:
        own = {at: run for at, run in own.items() if at not in letters_of(bound)}
    elements = _sizes(symbols, part, place) if isinstance(part, Indexed) else []
    if isinstance(part, Indexed) and symbols.declaration(part.base, place) is None:
        for item in part.indices:  # an axis of what is defined, of one size wherever it is declared
            sizes = known.get(item.axis.name.rstrip("'"), {})
            elements += [(item, *sizes.values())] if len(sizes) == 1 else []
    for item, size in elements:
        moved = isinstance(item.at, Binary) and not letters_of(item.at.right)  # not p + d (j - 1)
        at = item.at.left if isinstance(item.at, Binary) and moved else item.at
        axis, long = own.get(at, ("", None))
        same = axis.rstrip("'") == item.axis.name.rstrip("'")
        found = None if same else sizes_differ(symbols, long, size, item.axis.name)
        ends = algebra(size), algebra(long)
        enough = None not in ends and symbols.facts.is_enough(*ends)  # type: ignore[arg-type]
        if found is not None and not enough:  # i <= B is no slip along N >= B
            text = symbols.report.text(at.span)
            symbols.report.add(
                found[0],
                "index-range",
                item.at.span,
                f"{text} runs along {axis}, whose size is {size_text(long)}, and {item.axis.name} has size "
                f"{size_text(size)}{found[1]}",
                hint=f"index {item.axis.name} by a letter of its own",
            )
    for inner in children(part):
        _look_at_letters(symbols, inner, own, place, known)


def _sizes(symbols: Symbols, part: Indexed, place: Place) -> list[tuple[At, Any]]:
    """Give the indices of an element of a declared tensor, with the sizes of their axes."""
    declared = symbols.declaration(part.base, place)
    type_ = None if declared is None else symbols.declared_type(declared)
    items = [i for i in part.indices if type_ and type_.has(i.axis.name)]
    sizes = [(i, type_.size(i.axis.name)) for i in items if type_ is not None]
    return [(i, size) for i, size in sizes if not is_own_size(i.axis.name, size)]


# ------------------------------------------------------------------------------------ declarations


def check_declarations(symbols: Symbols) -> None:
    """Report names that one block declares twice with different shapes."""
    for group in symbols.names.declared.values():
        first: dict[int, Declared] = {}
        for declared in group:
            earlier = first.setdefault(declared.place.block, declared)
            if earlier is not declared:
                _same(symbols, earlier, declared)
    for statement in symbols.names.statements:
        for space in all_of(Space, statement):
            _size_slips(symbols, space)
    for defined in symbols.names.definitions:
        if defined.kind == "elements":
            _declared_here(symbols, defined)


def _declared_here(symbols: Symbols, defined: Defined) -> None:
    """Note a tensor that is defined by elements here, and declared in another section only."""
    others = symbols.names.declared.get(defined.key, [])
    target = defined.statement.target
    axes = {a.axis.name for a in all_of(At, target)}
    same = [d for d in others if {*d.space.names} == axes]
    if not same or any(d.place.section == defined.place.section for d in others):
        return
    name = symbols.report.text(defined.name.span)
    line = symbols.line(same[0].name.span)
    symbols.report.note(
        "undeclared",
        defined.name.span,
        f"{name} is declared in another section only, on line {line}",
        hint=f"declare {name} here too",
    )


def _size_slips(symbols: Symbols, space: Space) -> None:
    """Report a size that is listed among the axes of a shape."""
    for before, sized in zip(space.axes, space.axes[1:], strict=False):
        if symbols.occurrences.is_slip(space, sized) and before.size is None:
            text = symbols.report.text
            size, axis = text(sized.axis.span), text(before.axis.span)
            form = f"{axis}[{size}]" if symbols.dialect.macros else f"{axis}:{size}"
            symbols.report.error(
                "axis-name",
                sized.axis.span,
                f"{size} stands among the axes of this shape, and no other formula has such an axis",
                hint=f"is it the size of {before.axis.name}? {form}",
            )


def _same(symbols: Symbols, earlier: Declared, later: Declared) -> None:
    said, found = symbols.declared_type(earlier), symbols.declared_type(later)
    if said is None or found is None:
        return
    text, severity = difference(symbols, said, found)
    if text:
        name = symbols.report.text(later.name.span)
        symbols.report.add(
            severity,
            "declared-shape",
            later.name.span,
            f"{name} is declared on line {symbols.line(earlier.name.span)} already, and here it {text}",
            [
                (f"line {symbols.line(earlier.name.span)}", shape_text(said)),
                (name, shape_text(found)),
            ],
            "give one of them a name of its own",
        )
