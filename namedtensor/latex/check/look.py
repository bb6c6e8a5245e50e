"""Check each part of a formula when its value is found: axes of sums, sizes of operands, indices.

Operands may lack axes of each other: k-means subtracts all centres from X. It is a fault if one side has
contracted an axis and the other brings it back, or if nothing else in the document names an axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.errors import AxisMissingError
from namedtensor.latex.check.algebra import Sum, text
from namedtensor.latex.check.annotations import alike
from namedtensor.latex.check.failing import failed, shapes_of, sizes_meet
from namedtensor.latex.check.report import is_own_size, shape_text, size_text, unstated
from namedtensor.latex.check.sizes import algebra, condition, is_never_negative, is_positive
from namedtensor.latex.check.symbols import Symbols, Taken
from namedtensor.latex.check.types import as_size, node_of
from namedtensor.latex.documents.scopes import Declared
from namedtensor.latex.documents.scripts import key, stem
from namedtensor.latex.evaluation.arithmetic import TIMES, is_one_for_all
from namedtensor.latex.evaluation.identifiers import identity_of
from namedtensor.latex.evaluation.indices import Index, Position, marked, position
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.findings import Mend
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Big,
    Binary,
    Call,
    Contract,
    Definition,
    Expression,
    Floor,
    Indexed,
    Number,
    Scripts,
    Space,
    Unary,
)
from namedtensor.latex.walk import all_of, letters_of, walk
from namedtensor.operations.reductions import ARGMAX_INDEX, ARGMIN_INDEX
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import is_weighted_mean
from namedtensor.primitives.primitive import table


def declaration_with(symbols: Symbols, axis: str, side: Expression) -> Declared | None:
    """Find the one declared tensor in a part that has an axis; None if there are several or none."""
    found = []
    for part in walk(side):
        type_ = symbols.type_of(part)
        if type_ is not None and type_.has(axis) and key(part) is not None:
            place = symbols.occurrences.place_of(part.span)
            declared = None if place is None else symbols.names.look(part, place, {})
            if declared is not None and declared.declared is not None:
                found.append(declared.declared)
            elif place is not None:
                own = symbols.declaration(part, place)
                found += [] if own is None else [own]
    fits = {id(d): d for d in found if any(s.axis.name == axis for s in d.space.axes)}
    return next(iter(fits.values())) if len(fits) == 1 else None


def role(symbols: Symbols, owner: Declared, side: Expression) -> str:
    """Say whether a tensor is an argument or a parameter of the formula around a part."""
    place = symbols.occurrences.place_of(side.span)
    statement = None if place is None else symbols.names.statements[place.index]
    defined = symbols.names.of(statement) if isinstance(statement, Definition) else None
    call = None if defined is None else defined.call
    if call is not None and owner.key in [key(a) for a in call.arguments]:
        return "argument"
    own = [key(p) for p in call.parameters] if call is not None else []
    return "parameter" if owner.key in own or stem(owner.name) in own else ""


def same_size(symbols: Symbols, owner: Declared, axis: str, others: list[str]) -> str | None:
    """Find the one other axis that may be meant: its name is alike, or it has the same size."""
    close = [name for name in others if alike(name, axis)]
    if len(close) == 1:
        return close[0]
    return symbols.occurrences.with_size(owner, axis, others)


def used_up(root: Node, parts: Iterable[Node]) -> set[str]:
    """Collect the axes that the parts of a tree contract or reduce, and that the tree does not have.

    >>> from namedtensor.operations.contraction import dot
    >>> from namedtensor.tensor.symbolic import symbol
    >>> W, X = symbol("W", Type((("emb", 2), ("hid", 3)))), symbol("X", Type((("emb", 2),)))
    >>> Y = dot["emb"](W, X).node
    >>> used_up(Y, [Y, *Y.operands])
    {'emb'}
    """
    axes = [n for p in parts for n in p.operation.primitive.traits.reduces(p.operation.params)]
    return {*axes} - {*root.type.names}


def one_sided(left: Type, right: Type) -> tuple[list[str], list[str]]:
    """List the axes that only the left and only the right side has."""
    return (
        [n for n in left.names if not right.has(n)],
        [n for n in right.names if not left.has(n)],
    )


def coming_back(symbols: Symbols, giver: Node, taker: Node, less: bool) -> list[str]:
    """List the axes of one side of a sum (`giver`) that the other side (`taker`) has used up.

    There are none if the giver has all axes of the taker, as in X - mean X; if the giver has used up
    axes of the taker too, as marginals do; if a function computed the taker from the giver; or if the taker
    is a mean of the giver with weights that are shares, r - p . r, or that it divides by the sum of.
    """
    terms = _terms(taker)
    if len(terms) > 1:  # each term of mu + b + c by itself
        found = [name for term in terms for name in coming_back(symbols, giver, term, less)]
        return [name for name in found if not taker.type.has(name)]
    own, others = one_sided(giver.type, taker.type)
    if not own or not others or used_up(giver, symbols.parts(giver)) & set(others):
        return []
    centre = less and giver in symbols.parts(taker)
    factors = [n for operand in taker.operands for n in (operand, *operand.operands)]
    if centre and giver in factors and any(_are_shares(symbols, n) for n in factors):
        return []
    if centre and is_weighted_mean(giver, symbols.parts(taker)):
        return []
    gone = used_up(taker, symbols.parts(taker, of_calls=not centre))
    return [name for name in own if name in gone]


def _are_shares(symbols: Symbols, node: Node) -> bool:
    """Say whether numbers lie between 0 and 1: of a softmax, or declared so."""
    _, space, _ = symbols.spaces.get(node, ("", None, None))
    between = space is not None and space.base in ("{0,1}", "[0,1]")
    return between or node.operation.primitive.name == "softmax"


def _terms(total: Node) -> list[Node]:
    """List the different terms of a sum."""
    seen, found, left = {total}, [], [total]
    while left:
        node = left.pop()
        if node.operation.primitive.traits.symbol in ("+", "-"):
            left += [n for n in node.operands if n not in seen]
            seen |= {*node.operands}
        else:
            found.append(node)
    return found


def look_at_sum(symbols: Symbols, part: Binary, left: Node, right: Node) -> str | None:
    """Check the axes that only one side of a sum has; report a wrong one, and return its name."""
    for giver, taker, side, other in (
        (right, left, part.right, part.left),
        (left, right, part.left, part.right),
    ):
        for axis in coming_back(symbols, giver, taker, part.op == "-"):
            _comes_back(symbols, axis, side, other)
            return axis
    _ends(symbols, part, right)
    one, two = one_sided(left.type, right.type)
    for axes, side, node in ((two, part.right, right), (one, part.left, left)):
        if len(axes) == 1 and len(node.type.names) == 2 and _has_unit(symbols, side):
            _half_of_a_unit(symbols, part, axes[0], side, node)
            return None
    if not one or not two:
        return None
    for axes, side, others in ((two, part.right, one), (one, part.left, two)):
        for axis in others:
            if f"{axis}*" in axes:
                _starred(symbols, axis, side)
                return None
    for axes, side, gains in ((two, part.right, one), (one, part.left, two)):
        for axis in axes:
            if _alone(symbols, axis, side, gains):
                return axis
    return None


def _ends(symbols: Symbols, part: Binary | Contract, right: Node) -> None:
    """Note that a sum, or a mean in a product, ends before a term that has its axis too."""
    summed: Expression = part.left
    while isinstance(summed, (Binary, Unary)):
        summed = summed.operand if isinstance(summed, Unary) else summed.right
    body: Expression
    if isinstance(part, Binary) and part.op in ("+", "-"):
        if not isinstance(summed, Big) or summed.op != "sum" or part.right in walk(summed.body):
            return
        body, name = summed.body, "sum"
    elif isinstance(summed, Call) and summed.axes and not summed.bracket and summed.arguments:
        body, name = summed.arguments[0], symbols.report.text(summed.function.span)
    else:
        return
    given, left = symbols.type_of(body), symbols.type_of(summed)
    used = [a.name for a in summed.axes if given and left and given.has(a.name) > left.has(a.name)]
    both = [axis for axis in used if right.type.has(axis)]
    text = symbols.report.text
    between = text(Span(summed.span.end, part.right.span.start))
    if both and all(between.count(o) >= between.count(c) for o, c in ("()", "[]", "{}")):
        inner, term = text(body.span), text(part.right.span)
        symbols.report.note(
            "meaning",
            part.span,
            f"the {name} ends before {between} {term}, which has {' and '.join(both)} too",
            hint=rf"where it is of both, write \left( {inner} {between} {term} \right) behind the {name}",
        )


def _has_unit(symbols: Symbols, side: Expression) -> bool:
    """Say whether a part has an identity matrix, or a letter of one."""
    if any(identity_of(name) is not None for name in all_of(Scripts, side)):
        return True
    bodies = [d.body for t in letters_of(side) for d in symbols.names.defined.get(t.text, ())]
    return any(isinstance(body, Scripts) and key(body.base) == "delta" for body in bodies)


def _half_of_a_unit(
    symbols: Symbols, part: Binary, axis: str, side: Expression, unit: Node
) -> None:
    """Warn if an identity matrix is added to what has only one of its two axes."""
    other = next(name for name in unit.type.names if name != axis)
    written = symbols.report.text(side.span)
    symbols.report.warning(
        "axis-alone",
        part.span,
        f"{written} is over {other} and {axis}, and what it is added to has no {axis}",
        shapes_of(symbols, [part.left, part.right]),
        f"is {symbols.dialect.axis(other)} renamed to {symbols.dialect.axis(axis)} in one of its factors?",
    )


def _comes_back(symbols: Symbols, axis: str, side: Expression, other: Expression) -> None:
    report = symbols.report
    giver, taker = report.text(side.span), report.text(other.span)
    owner = declaration_with(symbols, axis, side)
    where = f" (declared on line {symbols.line(owner.name.span)})" if owner is not None else ""
    name = report.text(owner.name.span) if owner is not None else giver
    type_ = symbols.type_of(other)
    hint = f"is {name} meant to lack {axis}?"
    if owner is not None and type_ is not None:
        axes = [(n, symbols.size_text(n, s)) for n, s in type_.axes]
        own = symbols.type_of(side)
        fits = [a for a in axes if own is None or not own.has(a[0])]
        if len(fits) == 1:
            kept = [(n, symbols.size_text(n, s)) for n, s in own.axes if n != axis] if own else []
            hint = f"is {name} over {fits[0][0]}? {name} \\in {symbols.dialect.space(REALS, kept + fits)}"
    report.error(
        "axis-returns",
        side.span,
        f"{axis} is used up in {taker}, and {giver}{where} brings it back",
        shapes_of(symbols, [other, side]),
        hint,
    )


def _starred(symbols: Symbols, axis: str, side: Expression) -> None:
    """Warn if a derivative, with axis ax*, is added to a tensor with axis ax."""
    write = symbols.dialect.axis
    derivative = symbols.report.text(side.span)
    symbols.report.warning(
        "axis-alone",
        side.span,
        f"the derivative has {axis}*, and what it is added to has {axis}: the sum has both",
        shapes_of(symbols, [side]),
        f"if they are one axis, write [{derivative}]_{{{write(f'{axis}*')} \\rightarrow {write(axis)}}}",
    )


def _alone(symbols: Symbols, axis: str, side: Expression, gains: list[str]) -> bool:
    """Report an axis of one side that nothing else in the document names; say whether it did."""
    owner = declaration_with(symbols, axis, side)
    if owner is None or symbols.occurrences.elsewhere(axis, owner):
        return False
    part = role(symbols, owner, side)
    if part == "argument":
        return False  # an argument may have axes of its own, which pass through: all points, all centres
    sized = next(s for s in owner.space.axes if s.axis.name == axis)
    report = symbols.report
    name = report.text(owner.name.span)
    fits = same_size(symbols, owner, axis, gains)
    if fits is None and part != "parameter":
        return False
    hint = "the sum gets both axes; name an axis that the other side has"
    mend = None
    if fits is not None:
        hint = f"is {symbols.dialect.axis(fits)} meant?"
        mend = Mend(sized.axis.span, symbols.dialect.axis(fits))
    report.error(
        "axis-alone",
        sized.axis.span,
        f"{axis} occurs nowhere else, and {name} is added to what has no such axis, on line "
        f"{symbols.line(side.span)}",
        [(name, shape_text(t))] if (t := symbols.declared_type(owner)) is not None else [],
        hint,
        mend,
    )
    return True


#: Binary operators that match two tensors on the axes that they share.
MEETING = frozenset("+ - * / odot times mod".split())


def look_at(symbols: Symbols, where: Expression, value: Value, guarded: bool) -> Value:
    """Check a part whose value is found; return the value, without an axis that was reported."""
    if isinstance(where, (Contract, Binary)):
        left, right = [
            node_of(symbols.values.get(id(p), UNKNOWN)) for p in (where.left, where.right)
        ]
        if left is None or right is None:
            if isinstance(where, Contract):
                _lacks(symbols, where)
            return value
        if left.type.host or right.type.host:
            return value
        if isinstance(where, Contract) or where.op in MEETING:
            sizes_meet(symbols, where)
        if isinstance(where, Binary) and where.op in ("+", "-") and not where.axes:
            axis = look_at_sum(symbols, where, left, right)
            node = node_of(value)
            if axis is not None and node is not None:
                return symbols.stand_in(node.type.without([axis]))
        elif isinstance(where, Contract) or where.op in TIMES:
            _ends(symbols, where, right)
    elif isinstance(where, Indexed):
        for item in where.items:
            if isinstance(item, At) and id(item.at) in symbols.values:
                found = symbols.values[id(item.at)]
                symbols.indexed.append(Taken(where.base, item, found, guarded))
    return value


def _lacks(symbols: Symbols, where: Contract) -> None:
    """Report a contracted axis that one operand lacks, though the other operand is unknown."""
    for part in (where.left, where.right):
        type_ = symbols.type_of(part)
        if is_one_for_all(part, symbols.values.get(id(part))):
            continue
        if type_ is not None and not all(type_.has(axis.name) for axis in where.axes):
            failed(symbols, where, AxisMissingError("", ""))


def look_at_indices(symbols: Symbols) -> bool:
    """Compare the indices of a definition with their axes' sizes; say whether some need a run."""
    open_ = False
    for taken in symbols.indexed:
        base = symbols.type_of(taken.base)
        if base is None or not base.has(taken.axis) or taken.value is UNKNOWN:
            continue
        size = base.size(taken.axis)
        if is_own_size(taken.axis, size):
            size = None
        found = marked(taken.value)  # the index that an argmax finds
        taken = taken if found is None else replace(taken, value=found)
        shapes = [(symbols.report.text(taken.base.span), shape_text(base))]
        _say_next(symbols, taken, shapes)
        _check_quotients(symbols, taken, shapes)
        declared = _declared_index(symbols, taken.value)
        if declared is not None:
            _check_type(symbols, taken, size, shapes, *declared)
        elif taken.guarded or not _check_range(symbols, taken, size, shapes):
            open_ = open_ or _has_one_size(taken, size)
    symbols.indexed.clear()
    return open_


def _has_one_size(taken: Taken, size: Any) -> bool:
    """Say whether an index is a sum with bound indices, and at most one letter is in all its sizes."""
    terms = position(taken.value).terms
    sizes = [algebra(_size_of(taken, size)(term)) for term, _ in terms]
    names = {n for known in (algebra(size), *sizes) for n in getattr(known, "names", ["?", "!"])}
    return any(isinstance(term, Index) for term, _ in terms) and len(names) < 2


def _size_of(taken: Taken, size: Any) -> Callable[[Any], Any]:
    """Make the function from a term of an index to the size of its range; `size` is that of the axis."""

    def size_of(term: Any) -> Any:
        home = getattr(term, "home", None)
        own = getattr(term, "size", None) if isinstance(term, Index) else None
        return size if own is None and home is not None and home.rstrip("'") == taken.axis else own

    return size_of


def _say_next(symbols: Symbols, taken: Taken, shapes: Sequence[tuple[str, str]]) -> None:
    """Note that a + 1 is the next element, X_{act(a+1)}, if a is declared to count from 0."""
    at = taken.item.at
    if not isinstance(at, Binary) or at.op != "+" or not isinstance(at.right, Number):
        return
    node = node_of(symbols.values.get(id(at.left), UNKNOWN))
    name, space, _ = (
        symbols.spaces.get(node, ("", None, None)) if node is not None else ("", None, None)
    )
    if space is not None and space.base == "Z" and space.bound is not None:
        symbols.report.note(
            "index-type",
            at.span,
            f"{name} counts from 0, and {taken.axis}({name}) is the element that it stands for: this is "
            "a later one",
            shapes,
            f"if it is meant, write {symbols.dialect.at(taken.axis, name)}",
        )


def _check_quotients(symbols: Symbols, taken: Taken, shapes: Sequence[tuple[str, str]]) -> None:
    """Report a quotient in an index that is not whole: of known sizes, or of a number that is no size."""
    rounded = {id(part) for floor in all_of(Floor, taken.item.at) for part in walk(floor)}
    for part in all_of(Binary, taken.item.at):
        node = node_of(symbols.values.get(id(part), UNKNOWN))
        size = None if part.op != "/" or id(part) in rounded else algebra(node)
        if node is None or size is None:
            continue
        number = symbols.facts.reduced(size).value
        open_ = all(n.startswith("|") or symbols.names.is_size(n) for n in size.names)
        if not open_ or (number is not None and number.denominator > 1):
            written, equal = symbols.report.text(part.span), f", {number}" if number else ""
            message = f"{written} is no whole number{equal}, and stands as an index of {taken.axis}"
            hint = rf"round it: \lfloor {written} \rfloor"
            symbols.report.error("index-type", part.span, message, shapes, hint)


def _declared_index(symbols: Symbols, value: Value) -> tuple[str, Space, Any] | None:
    """Give the name, the space and the n of [n] of an index that is a declared tensor; else None."""
    terms = position(value).terms
    node: Node | None = getattr(terms[0][0], "node", None) if len(terms) == 1 else None
    while node is not None and node not in symbols.spaces:
        moved = node.operation.primitive.traits.moves  # as an element of y \in [n]^{seq}
        node = node.operands[0] if moved and node.operands else None
    return None if node is None else symbols.spaces[node]


# ----------------------------------------------------------------------------------------- indices


def interval(at: Any, size_of: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Give the least and the greatest value of an index, counted from 1, in terms of the sizes.

    `size_of` gives the size of a term's range; an end is None if it is not known.
    """
    whole, low = position(at), None
    for up in (False, True):
        ends = _at_the_end(whole, up)
        total = algebra(ends.constant)
        for term, count in ends.terms:
            end = _term(term, size_of)[(count > 0) == up]
            total = None if total is None or end is None else total + count * end
        low, high = (low, total) if up else (total, None)
    return low, high


def _at_the_end(at: Position, up: bool) -> Position:
    """Replace each index whose end depends on others, as l up to n - i, by that end."""
    for term, count in at.terms:
        end = (term.last if (count > 0) == up else term.first) if isinstance(term, Index) else None
        if end is not None:
            return _at_the_end(at.plus(Position(((term, 1),)), -count).plus(end, count), up)
    return at


def _term(term: Any, size_of: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Give the range of one term; a bound index and a tensor in [n] go from 0 to their size minus 1."""
    node: Any = getattr(term, "node", None)
    if isinstance(term, Index) and term.follows and term.last is None:
        return algebra(0), None
    counted = size_of(term)
    if isinstance(term, Index) or counted is not None:
        size = algebra(counted)
        return algebra(0), None if size is None else size - 1
    return (None, None) if node is None else _computed(node)


def _computed(node: Node) -> tuple[Any, Any]:
    """Give the range of an expression of indices and sizes: p (i - 1) goes from 0 to p (m - 1)."""
    if node.type.host:
        value = algebra(node)
        return value, value
    if node.operation.primitive is table()["iota"]:
        size = algebra(node.type.axes[0][1])
        return algebra(0), None if size is None else size - 1
    sign, found = node.operation.primitive.traits.symbol, [_computed(o) for o in node.operands]
    if sign not in ("+", "-", "*") or len(found) != 2 or any(None in ends for ends in found):
        return None, None
    (low, high), (less, more) = found if found[1][0] == found[1][1] else found[::-1]
    if sign == "*":
        fits = less == more and is_never_negative(less)
        return (low * less, high * less) if fits else (None, None)
    (low, high), (less, more) = found
    return (low + less, high + more) if sign == "+" else (low - more, high - less)


def _check_range(
    symbols: Symbols, taken: Taken, size: Any, shapes: Sequence[tuple[str, str]]
) -> bool:
    """Report an index that lies outside its axis, for all values of the sizes or for most.

    Return False if that is not known. A negative number counts from the end: -1 is the last. Along an
    axis of size 1, only what is sure is reported.
    """
    at, axis, span = taken.value, taken.axis, taken.item.at.span
    whole = position(at)
    if not whole.terms and whole.constant < 0:
        at = -whole.constant

    counted = _size_of(taken, size)

    def size_of(term: Any) -> Any:
        return counted(term) if isinstance(term, Index) else symbols.bounds.get(term.node)

    last = algebra(size)
    known = {} if last is None else {f"|{axis}|": last}
    ends: list[Any] = [end and end.with_values(known) for end in interval(at, size_of)]
    low, high = ends
    first = "can be {}, and the notation counts from 1", f"indices of {axis} go from 1 to |{axis}|"
    past = f"goes up to {{}}, past the end, {size_text(size)}"
    for end, less, more, why, hint in (
        (low, low, 1, *first),
        (high, last, high, past, f"make {axis} longer, or let the index stop earlier"),
    ):
        beyond: Any = None if less is None or more is None else symbols.facts.reduced(more - less)
        sure = beyond is not None and is_positive(beyond)
        open_ = beyond is None or size == 1 or beyond == 0 or not is_never_negative(beyond)
        if sure or not open_:
            symbols.report.add(
                "error" if sure else "warning",
                "index-range",
                span,
                f"the index of {axis} {why.format(text(end))}"
                + ("" if sure else f", unless {condition(beyond)}"),
                shapes,
                hint,
            )
            return True
    return _other_letter(symbols, taken, size, shapes) or None not in (low, high, last)


def sizes_differ(symbols: Symbols, one: Any, other: Any, axis: str) -> tuple[str, str] | None:
    """Say how surely two sizes differ that are letters of their own, N and T."""
    letters = [{*getattr(algebra(size), "names", ())} for size in (one, other)]
    sized = all(n.startswith("|") or symbols.names.is_size(n) for names in letters for n in names)
    apart = all(letters) and letters[0].isdisjoint(letters[1]) and sized
    return symbols.facts.mismatch(one, other, axis) if apart else None


def _mismatch(symbols: Symbols, one: Any, other: Any, axis: str) -> tuple[str, str] | None:
    return None if other is None else symbols.facts.mismatch(one, other, axis)


def _found_along(term: Any) -> Any:
    """Give the size of the axis along which an argmax finds an index; None for any other term."""
    node: Any = getattr(term, "node", None)
    if node is None or node.operation.primitive not in (ARGMAX_INDEX, ARGMIN_INDEX):
        return None
    (axis,) = node.operation.params[0]
    return node.operands[0].type.size(axis)


def _other_letter(
    symbols: Symbols, taken: Taken, size: Any, shapes: Sequence[tuple[str, str]]
) -> bool:
    """Report an index that runs up to T where its axis is declared with the size N."""
    terms = position(taken.value).terms
    index = terms[0][0] if len(terms) == 1 and terms[0][1] == 1 else None
    counted = as_size(index.size) if isinstance(index, Index) else _found_along(index)
    other = unstated(counted) if size is None else None
    other = None if other == taken.axis.rstrip("'") else other
    if other is not None and not isinstance(index, Index):
        message = f"the index of {taken.axis} is found along {other}"
        hint = "index the axis along which it is found"
        symbols.report.error("index-type", taken.item.at.span, message, shapes, hint)
        return True
    differ = sizes_differ if isinstance(index, Index) else _mismatch
    found = None if counted is None else differ(symbols, counted, size, taken.axis)
    base = symbols.type_of(taken.base)
    if other is not None and base is not None:  # up to |a|, of an axis b whose size is not stated
        size = base.size(taken.axis)
        found = symbols.facts.mismatch(counted, size)
    place = symbols.occurrences.place_of(taken.item.span)
    said = None if place is None else symbols.names.statements[place.index].span
    if found is None or (said and symbols.report.any_in(said)):
        return False
    longer, shorter = algebra(size), algebra(counted)
    assert longer is not None
    assert shorter is not None
    shift = Sum.number(max(0, position(taken.value).constant - 1))
    if is_never_negative(symbols.facts.reduced(longer - shorter)):
        return False  # T elements of T + 1
    if symbols.facts.is_enough(longer, shorter + shift):
        return False  # B elements of N, where the document says that N >= B
    ends = size_text(counted), size_text(size)
    message = f"the index of {taken.axis} runs up to {ends[0]}, and its size is {ends[1]}{found[1]}"
    hint = f"index an axis of size {ends[0]}, or let the index run up to {ends[1]}"
    symbols.report.add(found[0], "index-range", taken.item.at.span, message, shapes, hint)
    return True


def _check_type(
    symbols: Symbols,
    taken: Taken,
    size: Any,
    shapes: Sequence[tuple[str, str]],
    name: str,
    space: Space,
    bound: Any,
) -> None:
    """Compare the declaration of a tensor that is used as an index with the axis that it indexes."""
    axis, span, from_zero = taken.axis, taken.item.at.span, space.base == "Z"
    said = symbols.report.text(space.span) if from_zero else f"[{size_text(bound)}]"
    inside = rf"\{{0, \ldots, {size_text(size)} - 1\}}" if from_zero else f"[{size_text(size)}]"
    other = unstated(bound) if size is None else None
    if other is not None and other != axis.rstrip("'"):
        symbols.report.error(
            "index-type",
            span,
            f"{name} is in {said}, an index of {other}, and it indexes {axis}",
            shapes,
            f"is {symbols.dialect.at(other, name)} meant?",
        )
        return
    found = symbols.facts.mismatch(bound, size)
    if found is None:
        return
    severity, only = found
    symbols.report.add(
        severity,
        "index-type",
        span,
        f"{name} is in {said}, and it indexes {axis}, which has size {size_text(size)}{only}",
        shapes,
        f"declare {name} in {inside}",
    )
