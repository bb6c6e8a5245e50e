r"""Statements in the words that the notation has for them.

Mathematicians write names that are no letters, \log Z, which `left_sides` finds. They define a tensor
piece by piece, Y_{half:1} = ..., Y_{half:2} = ..., and say of a diagonal that A_{i,i} = 1. And much
mathematics in their prose only remarks on what the displays define, which `remarks` finds.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

from namedtensor.latex.reading.all_parameters import leave_out_all_parameters
from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.left_sides import (
    DENSITIES,
    LOGARITHMS,
    LeftSides,
    compound,
    derived_function,
    given_names,
    is_target,
    left_sides,
    operated,
    signed,
)
from namedtensor.latex.reading.own_letters import (
    free_indices,
    letters_read,
    put_margins,
    put_roots,
    put_squares,
)
from namedtensor.latex.reading.piecewise import joined
from namedtensor.latex.reading.ranges import (
    all_bound,
    conjuncts,
    indices_of,
    listed,
    places_of,
    renamed,
)
from namedtensor.latex.reading.remarks import Given, declared_in, gives_elements, mark_remarks
from namedtensor.latex.reading.sets import put_conditions
from namedtensor.latex.reading.spoken import CONSTANTS, head_of, key_of, lies_in
from namedtensor.latex.reading.statements import Found, is_name
from namedtensor.latex.reading.words import CHOOSING, FUNCTIONS, LAWS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Case,
    Cases,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Expression,
    Floor,
    Indexed,
    Items,
    Letter,
    Logic,
    Matrix,
    Number,
    Relation,
    Scripts,
    Signature,
    SizedAxis,
    Space,
    Statement,
    Unary,
)
from namedtensor.latex.walk import all_of, is_elementwise, letters_of, put, texts_of, walk

#: What stands in prose between a name and the space that it is in, and between names.
WITHIN = re.compile(
    r"\$\s*:?(?:\]:?[^$.;\n]*,|[^$.;:&|]*\b(?:in|from|of shape)|"
    r"[^$.\n]*(?:[&|]|</td>\s*<td\b[^>$]*>|--|[:,]?\s\())\s*\$"
)
WALLED = re.compile(r"\$[^$.\n]*(?:[&|]|</td>\s*<td\b[^>$]*>)\s*\$$")
BESIDE = re.compile(r"\$\s*(?:,|and|,\s*and)\s+\$")

#: What indices are computed with: also the larger and the smaller of two.
COUNTED = Letter, Number, AxisSize, AxisName, Binary, Unary, Items, Floor, Call
#: What stands between the second of two names and the space of both, and between them.
BOTH = re.compile(
    r"\$[^.;$]*[.,:;]\s*(?:both|all|each)(?:\s+(?:of\s+)?(?:them|which|these|three|four))?"
    r"(?:\s+(?:are|is|lies?|lives?))?\s+in\s+\$",
    re.IGNORECASE,
)
#: What stands between names of which that is said: "$s$ for speech and $v$ for noise".
SOME = r"(?:\s+(?!of\b|in\b|with\b)[\w-]+){0,3}"
AND_THEN = re.compile(rf"\${SOME}\s*(?:,|and|,\s*and){SOME}\s*\$")
#: The head of a table with a column of shapes.
SHAPES = re.compile(r"(?:[|&]\s*|\n\s*)(?:shapes?|axes|spaces?)\s*(?:[|&]|\\\\)", re.IGNORECASE)
APART = re.compile(r"\$[^.$]*\$")
#: What stands between a name and another one that is declared: "$M$, of the same shape as $X$".
ALIKE = re.compile(
    r"\$[^$.;]*(?:\bsame (?:axes|shape|space|sizes?) as|\bshaped like|\bshape of)\s+\$",
    re.IGNORECASE,
)
#: What stands behind a name that has the axes of what was declared last: "$M$, of the same shape".
ALIKE_LAST = re.compile(
    r"\$\s*[,(]?\s*(?:(?:also|again|is|are|both|which\s+has|having|of|with|in)\s+)*(?:the\s+same|that|this|equal)\s+"
    r"(?:axes|shape|space|sizes?)\b(?!\s+(?:as|of|like))",
    re.IGNORECASE,
)

#: What says that norms without a mark are Frobenius norms.
FROBENIUS = re.compile(
    r"\bnorms\s+are\s+(?:all\s+)?Frobenius|"
    r"(?:\\[|lr]V?ert|\\\|)\s*\\cdot\s*(?:\\right)?(?:\\[|lr]V?ert|\\\|)\$?[^.$]{0,40}\bFrobenius\s+norm",
    re.IGNORECASE,
)

#: What prose says that a sign is.
CONVOLUTION = re.compile(r"\b(?:de)?convol\w+|\bcorrelation\b|\bcomposition\b", re.IGNORECASE)

#: What the function is called that a sign stands for.
SIGNED = {"*": "ast"}

#: What stands above a row that is meant as a column.
TRANSPOSED = [Letter(Span(0, 0), text) for text in ("top", "intercal", "T")]

#: What stands behind the declaration of an identity, and before it.
IS_IDENTITY = re.compile(
    r"\$\s*,?\s*(?:is|be|denotes?|being)\s+(?:the|an)\s+identity\b(?!\s+(?:map|func))"
)
IDENTITY_BEHIND = re.compile(
    r"(?:\\q?quad|[\s,;]|\\[ ,;:])*\\(?:text\w*|mbox)\{\s*,?\s*(?:is |be )?(?:the|an) identity\b"
)
AN_IDENTITY = re.compile(r"\bidentity(?:\s+matrix)?\s+\$$")


def with_identities(entries: Sequence[Entry], text: str) -> Iterator[Entry]:
    r"""Give what was read, and I = \delta_{ij} behind an I that prose declares and calls the identity."""
    _declare([e for e in entries if isinstance(e.read, Found)], text)
    told = _members_told(entries)
    entries = [one for entry in entries for one in _each_member(entry, told)]
    by_elements = {key_of(e.target.base) for e in entries if isinstance(e.target, Indexed)}
    for entry in entries:
        yield entry
        said = entry.statement if isinstance(entry.read, Found) else None
        if not isinstance(said, Declaration):
            continue
        axes, start, end = said.space.axes, said.names[0].span.start, entry.region.span.end
        if entry.region.display:
            named = IDENTITY_BEHIND.match(text, said.span.end)
        else:
            named = AN_IDENTITY.search(text, max(0, start - 40), start)
            named = named or IS_IDENTITY.match(text, end)
            named = named or IS_IDENTITY.search(text, start, entry.region.span.start)
        if (
            len(said.names) == 1
            and len(axes) == 2
            and named
            and key_of(said.names[0]) not in by_elements
        ):
            at = said.span
            free = free_indices(letters_read(entries))
            places = tuple([Letter(at, text) for text in [*free, *"ij"][:2]])
            items = tuple([At(at, a.axis, i) for a, i in zip(axes, places, strict=True)])
            equal = Scripts(at, Letter(at, "delta"), sub=Items(at, places, ""))
            unit = Definition(at, Indexed(at, said.names[0], items), equal)
            yield Entry(Found(unit, named=True), entry.region)


def _members_told(entries: Sequence[Entry]) -> dict[tuple[int, str], tuple[Expression, ...]]:
    r"""List the letters of members that prose names, by sections: each gate $g \in \{i, f, o\}$."""
    found: dict[tuple[int, str], tuple[Expression, ...]] = {}
    for entry in entries:
        match entry.relation:
            case Relation(
                first=Letter(text=index), rest=(("in", Items(parts=parts, bracket="{")),)
            ) if len(parts) > 1 and all(isinstance(p, Letter) for p in parts):
                found[entry.region.section, index] = parts
        own = (entry.region.section, getattr(entry.target, "text", ""))
        if own in found and not entry.region.display:
            further = getattr(entry.statement, "body", None)  # and for the candidate, $g = c$
            found[own] += (further,) if isinstance(further, Letter) else ()
    return found


def _each_member(
    entry: Entry, told: Mapping[tuple[int, str], tuple[Expression, ...]]
) -> Iterator[Entry]:
    """Give what is read, and for each member what has the letter of members as a script."""
    said = entry.statement if isinstance(entry.read, Found) else None
    names = said.names if isinstance(said, Declaration) else (entry.target,) if said else ()
    for section, index in told if said is not None else ():
        scripts = {s for n in names for p in all_of(Scripts, n) for s in (p.sub, p.sup)}
        letter = next((s for s in scripts if isinstance(s, Letter) and s.text == index), None)
        if entry.region.section != section or letter is None:
            continue
        every: list[Any] = [
            put(said, functools.partial(_put_for, letter, one)) for one in told[section, index]
        ]
        if isinstance(said, Declaration):
            own = tuple(dict.fromkeys([name for one in every for name in one.names]))
            entry.found.statement = replace(said, names=own)
        else:
            for one in every:
                yield Entry(replace(entry.found, statement=one), entry.region)
            return
    yield entry


def _put_for(letter: Expression, other: Expression, part: Any) -> Expression | None:
    return other if part == letter else None


def reworded(
    entries: Sequence[Entry], text: str, parents: Sequence[int] = (0,)
) -> LeftSides | None:
    """Put statements into the notation's words, and mark those that are remarks; give what was named."""
    given = declared_in(entries, parents)
    for entry in entries:
        if isinstance(entry.read, Found):
            entry.read.statement = _with_condition(entry.read.statement, given.names, text)
    put_roots([e for e in entries if isinstance(e.read, Found)])
    joined(entries, text, lambda entry: gives_elements(entry, given))
    found = [e for e in entries if isinstance(e.read, Found)]
    leave_out_all_parameters(found)
    _put_sizes(found)
    _put_indices(found, parents)
    _put_sequences(found, parents)
    _put_sums_on(found)
    _put_known(found)
    _put_ones(found)
    _put_zeros(found, given)
    if FROBENIUS.search(text):
        _put_frobenius(found)
    _put_matrices(found, parents)
    put_margins(found)
    _put_exponentials(found)
    _put_arguments_below(found)
    _put_axes_below(found)
    _put_derivatives(found)
    _put_half_steps(found)
    put_squares(found, parents)
    put_conditions(found, parents)
    _put_operators(found)
    _put_named_signs(entries, text)
    _leave_out_laws(found)
    _put_multiples(found)
    named = left_sides([e.statement for e in found], [e.region.section for e in found], parents)
    if named is not None:
        inside = {section: named.at(section) for section in named.near}
        for entry in found:
            _reword(entry, inside[entry.region.section])
    _put_all_indices(found)
    _leave_out_tables(found)
    _join_pieces(found, given)
    known = frozenset([head_of(n) for entry in found for n in given_names(entry.statement)])
    _join_diagonals(found, known)
    _join_own_rows(found, known)
    _join_values(found, declared_in(found, parents))
    _put_equations(found, declared_in(found, parents))
    mark_remarks(found, text, parents)
    return named


def _put_arguments_below(entries: Sequence[Entry]) -> None:
    r"""Take what stands below a function for its last argument, where calls put an expression there.

    \eta_\theta(x) = ..., beside which stands \eta_{\lambda / L}(w), is \eta(x, \theta).
    """
    calls = [call for entry in entries for call in all_of(Call, entry.statement)]
    marked = [below for call in calls if (below := _below(call)) is not None]
    bases = {below.base for below in marked if _is_value(below.sub)}
    rules: dict[Expression, list[Definition]] = {}
    for entry in entries if bases else ():
        if isinstance(entry.statement, Definition) and isinstance(entry.target, Call):
            function = entry.target.function
            rules.setdefault(getattr(function, "base", function), []).append(entry.statement)
    for base in bases:
        match rules.get(base, ()):
            case [Definition(target=Call(function=Scripts(sub=Letter() as own)), body=body)]:
                scripts = [
                    script for part in all_of(Scripts, body) for script in (part.sub, part.sup)
                ]
                counts = own.text in texts_of((*[at.at for at in all_of(At, body)], *scripts))
                if counts or own.text not in texts_of(body):
                    continue
            case _:
                continue

        def change(part: Any, base: Expression = base) -> Any:
            below = _below(part) if isinstance(part, Call) else None
            if below is None or below.base != base:
                return None
            given = (*put(part.arguments, change), put(below.sub, change))
            return replace(part, function=base, arguments=given)

        for entry in entries:
            entry.found.statement = put(entry.statement, change)


def _put_axes_below(entries: Sequence[Entry]) -> None:
    r"""Let \mathrm{LN}_{ax}(x) = ..., of an axis that no tensor has, be called as \mathrm{LN}_{emb}(x)."""
    marked: dict[Expression, set[str]] = {}
    for entry in entries:
        for call in all_of(Call, entry.statement):
            if (below := _below(call)) is not None and (axis := _axis_below(below)) is not None:
                marked.setdefault(below.base, set()).add(axis.name)
    if not any(len(axes) > 1 for axes in marked.values()):
        return
    spaces = [space for entry in entries for _, space in _spaces_in(entry.statement)]
    owned = {name for space in spaces for name in space.names}
    along: dict[Expression, list[str]] = {}
    for entry in entries:
        if isinstance(entry.statement, Definition) and isinstance(entry.target, Call):
            below = _below(entry.target)
            axis = None if below is None else _axis_below(below)
            if below is not None and axis is not None:
                acts = axis.name in [part.name for part in all_of(AxisName, entry.statement.body)]
                along.setdefault(below.base, []).append(axis.name if acts else "")
    free = {
        base for base, axes in along.items() if len(axes) == 1 and {"", *owned}.isdisjoint(axes)
    }

    def change(part: Any) -> Any:
        below = _below(part) if isinstance(part, Call) and not part.axes else None
        axis = None if below is None or below.base not in free else _axis_below(below)
        if below is None or axis is None:
            return None
        return replace(
            part, function=below.base, axes=(axis,), arguments=put(part.arguments, change)
        )

    for entry in entries if free else ():
        entry.found.statement = put(entry.statement, change)


def _axis_below(name: Scripts) -> AxisName | None:
    """Read the word below a name as an axis."""
    match name.sub:
        case AxisName() as axis:
            return axis
        case Letter(style="word", span=span, text=text):
            return AxisName(span, text)
    return None


def _put_derivatives(entries: Sequence[Entry]) -> None:
    """Let u_t(x, t), of which t is an argument, be a function of its own name, and no member of a family."""
    targets = [entry.target for entry in entries if isinstance(entry.statement, Definition)]
    names = set[Expression]()
    for target in targets:
        name = _below(target) if isinstance(target, Call) else None
        if name is not None and name.sub in target.arguments:
            names.add(name)

    def change(part: Any) -> Any:
        return replace(part, sub=replace(part.sub, style="word")) if part in names else None

    for entry in entries if names else ():
        entry.found.statement = put(entry.statement, change)


def _put_half_steps(entries: Sequence[Entry]) -> None:
    """Let p_{l-1/2}, which a formula defines, be the member l of a series of its own, between those of p."""
    targets = [entry.target for entry in entries if isinstance(entry.statement, Definition)]
    places = {
        (target.base, name)
        for target in targets
        for name in ("sub", "sup")
        if isinstance(target, Scripts) and isinstance(target.base, Letter)
        if isinstance(at := getattr(target, name), Binary) and letters_of(at) and _next_whole(at)
    }

    def change(part: Any) -> Any:
        for name in ("sub", "sup") if isinstance(part, Scripts) else ():
            whole = _next_whole(getattr(part, name)) if (part.base, name) in places else None
            if whole is not None:
                between = replace(part.base, text=f"{part.base.text}half", style="word")
                return replace(part, base=between, **{name: whole})
        return None

    for entry in entries if places else ():
        entry.found.statement = put(entry.statement, change)


def _next_whole(at: Expression | None) -> Expression | None:
    """Give l for l - 1/2, l + 1 for l + 1/2 and 1 for 1/2; None for anything else."""
    match at:
        case Binary(op="/", span=span, left=Number(value=1), right=Number(value=2)):
            return Number(span, 1)
        case Binary(op="-", left=left, right=half) if _next_whole(half) == Number(at.span, 1):
            return left
        case Binary(op="+", right=half) if _next_whole(half) == Number(at.span, 1):
            return replace(at, right=Number(at.span, 1))
    return None


def _below(call: Call) -> Scripts | None:
    """Give the function of a call that has one thing below it, and none above."""
    match call.function:
        case Scripts(base=Letter(), sub=below, sup=None, primes=0) as name if below is not None:
            return name
    return None


def _is_value(below: Expression | None) -> bool:
    """Say whether what stands below a name chooses no member: it is no letter, number, or t - 1."""
    match below:
        case Letter() | Binary(op="+" | "-", left=Letter(), right=Number()):
            return False
        case Number(value=value):
            return not isinstance(value, int)
    return isinstance(below, Binary | Unary | Scripts | Indexed | Call)


def _declare(entries: Sequence[Entry], text: str) -> None:
    r"""Take a space in prose for the declaration of the names before it: $A$ and $B$ in $\mathbb{R}^{..}$."""
    spaces: dict[str, Space] = {}
    last: tuple[int, Space] | None = None
    known = {key_of(name) for e in entries for name in given_names(e.statement)}
    for at, entry in enumerate(entries):
        beside = _declared_beside(entry, entries[at - 1] if at else None, known)
        if beside is not None:
            entry.found.statement, entry.found.said, entry.found.named = beside, True, True
        if isinstance(entry.statement, Declaration):
            last = entry.region.span.end, entry.statement.space
            spaces |= {key_of(name): entry.statement.space for name in entry.statement.names}
        space: Any = entry.relation
        start = entry.region.span.start
        behind = is_name(space) and last is not None and "\n\n" not in text[last[0] : start]
        if behind and last is not None and ALIKE_LAST.match(text, entry.region.span.end):
            entry.found.statement = Declaration(entry.region.span, (space,), last[1])
            entry.found.said = entry.found.named = True
            continue
        if not isinstance(space, Space) and SHAPES.search(
            text, text.rfind("\n\n", 0, start) + 1, start
        ):
            space = _shape(space) or space
        alike = is_name(space) and ALIKE.search(text[max(0, start - 200) : start + 1])
        space = spaces.get(key_of(space)) if alike else space
        if not isinstance(space, Space) or entry.region.display:
            continue
        if not space.axes and not WALLED.search(text[max(0, start - 200) : start]):
            continue
        names: list[Expression] = []
        mark, after = ALIKE if alike else WITHIN, start
        if text[start : entry.region.span.end].lstrip().startswith("\\in"):
            mark = APART  # which is of the name before it, whatever stands between
        for other in reversed(entries[:at]):
            said: Any = other.relation
            if not names and IS_IDENTITY.match(text, other.region.span.end):
                said = said or getattr(
                    other.statement, "body", None
                )  # $T_0 = I$ is the identity in ..
            listed = isinstance(said, Items) and not said.bracket
            given: tuple[Any, ...] = said.parts if listed and isinstance(said, Items) else (said,)
            between = text[other.region.span.end : after]
            both = not names and BOTH.fullmatch(between)
            if both and isinstance(other.statement, Definition):
                given = _terms(other.statement)  # x = s + v, all in ...
            if not all(map(is_name, given)) or not (both or mark.fullmatch(between)):
                break
            names[:0] = given
            if len(names) > 1 and "both" in text[names[-1].span.end : start]:
                break
            follows = AND_THEN if mark in (APART, AND_THEN) else BESIDE
            mark, after = APART if both else follows, other.region.span.start
        if names:
            place = names[0].span | entry.region.span
            entry.found.statement = Declaration(place, tuple(names), space)
            entry.found.said = entry.found.named = True


def _declared_beside(
    entry: Entry, before: Entry | None, given: Collection[str]
) -> Declaration | None:
    r"""Declare X in H_0 = X \in \mathbb{R}^{..}, if nothing else does, and v in \log v \in .."""
    said: Any = entry.statement
    if isinstance(said, Declaration) and before is not None:
        body = getattr(before.statement, "body", None)
        alone = isinstance(body, Letter) and before.statement.span == said.span
        if alone and isinstance(body, Letter) and body.text not in given:
            return replace(said, names=(*said.names, body))
    match entry.relation:
        case Relation(first=first, rest=(("in", Space() as space),)) if space.axes:
            logs = [
                isinstance(p, Call) and head_of(p.function) in LOGARITHMS for p in listed(first)
            ]
            names = [
                part.arguments[0] if log and isinstance(part, Call) else part
                for part, log in zip(listed(first), logs, strict=True)
            ]
            if any(logs) and all(map(is_name, names)):
                return Declaration(said.span, tuple(names), space)
    return None


def _terms(said: Definition) -> tuple[Any, ...]:
    """List the names of an equation of sums, x = s + v, none of which is in another space than the others."""
    terms: list[Any] = [said.body]
    while isinstance(terms[0], Binary) and terms[0].op in ("+", "-"):
        terms[:1] = [terms[0].left, terms[0].right]
    return (said.target, *terms)


def _shape(part: Any) -> Space | None:
    """Read emb x hid in a column of shapes as the space over these axes."""
    axes: list[SizedAxis] = []
    for factor in _factors(part):
        word = isinstance(factor, Letter) and factor.style == "word"
        if not (word or isinstance(factor, AxisName)):
            return None
        name = factor.name if isinstance(factor, AxisName) else factor.text
        axes.append(SizedAxis(factor.span, AxisName(factor.span, name), None))
    return Space(part.span, "R", tuple(axes))


def _factors(part: Any) -> list[Any]:
    """List the factors of a product that times signs make."""
    if isinstance(part, Binary) and part.op == "times":
        return [*_factors(part.left), part.right]
    return [part]


def _with_condition(said: Any, given: Collection[str], text: str) -> Any:
    r"""Read Q_{kl} = d_{kl} (k \neq l) as a definition with a condition: of a tensor d, it is no call."""
    if not isinstance(said, Definition) or said.chain or said.condition is not None:
        return said
    if isinstance(said.target, Call):
        return said
    own: list[Expression] = [t for t in letters_of(said.target) if t.text != head_of(said.target)]
    own += [place for place in places_of(said.target) if place not in own]

    def cut(body: Any) -> tuple[Any, Any]:
        before: Any
        last: Any
        if isinstance(body, Call) and len(body.arguments) == 1 and body.bracket == "(":
            (last,), before = body.arguments, body.function
            before = before if head_of(before) in given else None
        elif isinstance(body, Binary) and body.op == "*" and body.how == "juxtaposed":
            last, before = body.right, body.left
            if not isinstance(last, Relation) or not text.startswith("(", last.span.start):
                before, last = cut(last)
                return (None, None) if last is None else (replace(body, right=before), last)
        elif isinstance(body, Binary) and body.op in ("+", "-"):
            before, last = cut(body.right)
            return (None, None) if last is None else (replace(body, right=before), last)
        else:
            return None, None
        about = isinstance(last, Relation) and {*letters_of(last)} <= {*own}
        return (before, last) if about and before is not None else (None, None)

    body, condition = cut(said.body)
    return said if condition is None else replace(said, body=body, condition=condition)


def _put_equations(entries: Sequence[Entry], declared: Given) -> None:
    """Let a display only relate y_t, of which prose says before that it is the row Y_{time(t)} of data."""
    rows: dict[tuple[int, Expression], None] = {}
    for entry in entries:
        said, section = entry.statement, entry.region.section
        if (
            not isinstance(said, Definition)
            or said.op != "="
            or not isinstance(said.target, Scripts)
        ):
            continue
        body = said.body
        at = (
            body.items[0].at
            if isinstance(body, Indexed) and isinstance(body.items[0], At)
            else None
        )
        data = isinstance(body, Indexed) and declared.near(key_of(body.base), section)
        if entry.region.display and (section, said.target) in rows:
            relation = Relation(said.span, said.target, (("=", said.body),))
            entry.found.statement = Constraint(said.span, relation)
        elif (
            not entry.region.display and data and at == said.target.sub and said.target.sup is None
        ):
            rows[section, said.target] = None


def _put_exponentials(entries: Sequence[Entry]) -> None:
    r"""Let \log f(x) = y define f(x) = \exp y, where formulas use f itself and no other display gives it."""
    given = {
        head_of(name)
        for e in entries
        if e.region.display or isinstance(e.statement, Declaration)
        for name in given_names(e.statement)
    }
    logs: list[tuple[Entry, Call, Any]] = []
    for entry in entries:
        relation = entry.relation
        if isinstance(relation, Relation):
            match relation.first:
                case Call(arguments=(inner,)) as log if _is_logarithm(log, entry.region.display):
                    if not is_target(inner):
                        given.add(head_of(inner))  # p(x | z) has no name of its own
                    elif {*relation.ops} == {"="}:
                        logs.append((entry, log, inner))
    bodies = [e.statement.body for e in entries if logs and isinstance(e.statement, Definition)]
    rest = tuple([put(body, _without_logarithm) for body in bodies])
    used = texts_of(rest)
    #: a function is used where it is called: beside p(x, z) a p by itself is another letter, as a size
    called = {(head_of(c.function), len(c.arguments)) for c in all_of(Call, rest)}
    for entry, log, inner in logs:
        asked = isinstance(inner, Call) and (head_of(inner), len(inner.arguments)) not in called
        if head_of(inner) in used - given and not asked:
            statement: Any = entry.statement
            exp = Letter(log.function.span, "exp", "word")
            body, *chain = [
                replace(log, function=exp, arguments=(side,)) for _, side in statement.relation.rest
            ]
            entry.found.statement = Definition(statement.span, inner, body, "=", tuple(chain))


def _is_logarithm(log: Call, display: bool) -> bool:
    r"""Say whether what a logarithm is of may be defined by it: f(x), and \sigma^2 in prose too."""
    (inner,) = log.arguments
    name = inner.function if isinstance(inner, Call) else inner
    power = isinstance(name, Scripts) and isinstance(name.sup, Number) and is_name(name)
    return head_of(log.function) in LOGARITHMS if power else display and compound(log) is not None


def _leave_out_laws(entries: Sequence[Entry]) -> None:
    """Set aside what says how something is distributed, p(x) = N(x; 0, 1), and no number."""
    given = {head_of(name) for e in entries for name in given_names(e.statement)}
    for entry in entries:
        stated = getattr(entry.statement, "body", entry.relation)
        members = [part for r in all_of(Relation, stated) for op, part in r.rest if op == "in"]
        inside = (*[big.lower for big in all_of(Big, stated)], *members)
        sets = {id(call) for part in inside for call in all_of(Call, part)}
        called = [call.function for call in all_of(Call, stated) if id(call) not in sets]
        words = [name.text for name in called if isinstance(name, Letter) and name.style == "word"]
        density = head_of(entry.target or getattr(stated, "first", stated)).lower() in DENSITIES
        own = density and {*words} & ({"Cat", "Beta", "Gamma"} - given)
        if own or {*map(head_of, called)} & (LAWS - given):
            entry.leave_out("it says how something is distributed")


def _put_multiples(entries: Sequence[Entry]) -> None:
    """Let 2m = y define m, where formulas use it and nothing else says what it is."""
    statements = tuple([e.statement for e in entries])
    given = {head_of(name) for s in statements for name in given_names(s)}
    given |= texts_of(all_of(SizedAxis, statements))
    bodies = tuple([s.body for s in statements if isinstance(s, Definition)])
    free = texts_of(bodies) - given
    for entry in entries:
        match entry.relation:
            case Relation(
                first=Binary(
                    op="*", how="juxtaposed", left=Number() as times, right=Letter() as name
                ),
                rest=(("=", body),),
            ) if name.text in free - texts_of(body):
                free.remove(name.text)
                span = entry.statement.span
                entry.found.statement = Definition(
                    span, name, Binary(body.span, "/", body, times), "="
                )


def _without_logarithm(part: Any) -> Expression | None:
    of = part.function if isinstance(part, Call) else None
    logarithm = isinstance(of, Letter) and of.text in LOGARITHMS
    of_name = logarithm and isinstance(part.arguments[0], (Call, Letter, Scripts))
    return Number(part.span, 0) if of_name else None


def _reword(entry: Entry, change: Callable[[Any], Any]) -> None:
    before: Any = entry.statement
    statement = put(before, change)
    relation = getattr(statement, "relation", None)
    if isinstance(statement, Constraint) and isinstance(relation, Relation):
        ops = [*relation.ops]
        sides = [side for _, side in relation.rest]
        sign, first = signed(relation.first)
        given = listed(first)
        renamed = before.relation.first is not relation.first
        derived = derived_function(first) if set(ops) == {"="} and not sign else None
        if ops == ["in"] and all(map(is_name, given)) and isinstance(sides[0], Space):
            statement = Declaration(statement.span, given, sides[0])
        elif derived is not None:
            said = tuple(sides[1:])
            statement = Definition(statement.span, derived, sides[0], "=", said, derives=first)
        elif set(ops) == {"="} and renamed and is_target(getattr(first, "base", first)):
            body, *chain = [Unary(side.span, sign, side) if sign else side for side in sides]
            statement = Definition(statement.span, first, body, "=", tuple(chain))
    entry.found.statement = statement


def _put_operators(entries: Sequence[Entry]) -> None:
    r"""Put a function of both sides for a sign that (h * z)_{seq(t)} = ... defines and others use."""
    for entry in entries:
        relation = entry.relation
        if not isinstance(relation, Relation) or {*relation.ops} != {"="}:
            continue
        sign = operated(relation.first)
        left = None if sign is None else _by_axis(relation.first, sign, entries)
        if sign is None or left is None or sign.left == sign.right:
            continue

        def apply(part: Any, sign: Binary = sign) -> Any:
            if not isinstance(part, Binary) or (part.op, part.how, part.axes) != (sign.op, "", ()):
                return None
            word = Letter(part.span, SIGNED.get(sign.op, sign.op), "word")
            return Call(part.span, word, (), (put(part.left, apply), put(part.right, apply)))

        others = [e for e in entries if e is not entry]
        uses = [b for e in others for b in all_of(Binary, e.statement) if apply(b) is not None]
        if all((b.left, b.right) == (sign.left, sign.right) for b in uses):
            continue  # h * z is the name of one tensor
        for other in others:
            other.found.statement = put(other.statement, apply)
        (_, body), *rest = relation.rest
        target = replace(left, base=apply(sign))
        chain = tuple([side for _, side in rest])
        entry.found.statement = Definition(entry.statement.span, target, body, "=", chain)


def _by_axis(left: Any, sign: Binary, entries: Sequence[Entry]) -> Indexed | None:
    """Give (h * z)_{seq(t)} for (h * z)_t, where both are declared along one axis; None without an index."""
    if not isinstance(left, Scripts) or left.sup is not None or not isinstance(left.sub, Letter):
        return left if isinstance(left, Indexed) else None
    spaces = [
        said.space.axes
        for said in (entry.statement for entry in entries)
        if isinstance(said, Declaration) and {*said.names} & {sign.left, sign.right}
    ]
    axes = {axis.axis.name for space in spaces for axis in space}
    if len(axes) != 1:
        return None
    item = At(left.sub.span, AxisName(left.sub.span, axes.pop()), left.sub)
    return Indexed(left.span, left.base, (item,))


def _put_named_signs(entries: Sequence[Entry], text: str) -> None:
    """Take * for no product where only prose says what it is: "where $*$ denotes convolution"."""

    def change(part: Any) -> Any:
        if not isinstance(part, Binary) or (part.op, part.how, part.axes) != ("*", "", ()):
            return None
        return replace(
            part, op="convolution", left=put(part.left, change), right=put(part.right, change)
        )

    lefts = [operated(e.relation.first) for e in entries if isinstance(e.relation, Relation)]
    for entry in entries if not any(left is not None and left.op == "*" for left in lefts) else ():
        start, end = entry.region.span.start, entry.region.span.end
        if entry.region.display or text[start:end].strip() not in ("*", "\\ast"):
            continue
        if CONVOLUTION.search(text[max(0, start - 50) : start].rsplit(".", 1)[-1]) or (
            CONVOLUTION.search(text[end : end + 60].split(".", 1)[0])
        ):
            for other in entries:
                if isinstance(other.read, Found):
                    other.read.statement = put(other.statement, change)


# ----------------------------------------------------------------------------------- pieces


def _put_all_indices(entries: Sequence[Entry]) -> None:
    """Write a_{time(t), state(s)} = (y)_{state(s)} for a_{time(t)} = y beside a_{time(1), state(s)} = ..."""
    groups: dict[Any, list[tuple[Entry, Definition, dict[AxisName, At]]]] = {}
    for entry in entries:
        said = entry.statement
        if isinstance(said, Definition) and isinstance(said.target, Indexed) and said.op == "=":
            places = {item.axis: item for item in said.target.indices}
            if not said.chain and len(places) == len(said.target.items):
                name = key_of(said.target.base)
                groups.setdefault((name, entry.region.section), []).append((entry, said, places))
    for group in groups.values():
        most = max([places for _, _, places in group], key=len)
        for entry, said, places in group:
            more = tuple([item for axis, item in most.items() if axis not in places])
            free = all(isinstance(i.at, Letter) and i.at not in letters_of(said) for i in more)
            if not more or not free or len(places) + len(more) != len(most):
                continue
            body: Expression = said.body
            if not isinstance(body, Number):
                body = Indexed(body.span, Items(body.span, (body,), "("), more)
            assert isinstance(said.target, Indexed)
            target = replace(said.target, items=(*said.target.items, *more))
            entry.found.statement = replace(said, target=target, body=body)


def _leave_out_tables(entries: Sequence[Entry]) -> None:
    """Set D_{row(i), col(j)} = f(D_{row(i-1), col(j)}, D_{row(i), col(j-1)}) aside, and what starts it."""
    tables: dict[tuple[str, int], str] = {}
    for entry in entries:
        said, section = entry.statement, entry.region.section
        if not isinstance(said, Definition) or not isinstance(said.target, Indexed):
            continue
        own = {item.axis.name: item.at for item in said.target.indices}
        others = [p for p in all_of(Indexed, said.body) if p.base == said.target.base]
        steps = {frozenset(_stepped(other, own)) for other in others}
        moved = frozenset[str]().union(*steps)
        always = moved.intersection(*steps)  # of neighbours one step before, that step
        if len(moved) > 1 and steps != {moved} and len(always) != 1:
            axes = " and ".join(sorted(moved))
            why = (
                f"its elements follow from others along {axes}, and recurrences run along one axis"
            )
            tables[key_of(said.target.base), section] = why
    for entry in entries if tables else ():
        target = entry.target
        key = (key_of(target.base), entry.region.section) if isinstance(target, Indexed) else None
        if key in tables:
            entry.leave_out(tables[key])


def _stepped(other: Indexed, own: Mapping[str, Expression]) -> Iterator[str]:
    """List the axes along which an element stands before or after the one with these indices."""
    for item in other.items:
        at = item.at if isinstance(item, At) else item
        if isinstance(item, At) and isinstance(at, Binary) and at.left == own.get(item.axis.name):
            yield item.axis.name


def _join_pieces(entries: Sequence[Entry], given: Given) -> None:
    """Join Y_{half:1} = a and Y_{half:2} = b to one definition, by cases of an index of its own.

    The last may be that of all the others: Z_{reg:1} = 1 and Z_{reg:k+1} = y_k. Prose that gives numbers
    to what is declared with further axes speaks of an example.
    """
    groups: dict[Any, list[tuple[Entry, Definition, At]]] = {}
    others: set[str] = set()
    for entry in entries:
        statement = entry.statement
        if not isinstance(statement, Definition) or not isinstance(statement.target, Indexed):
            continue
        target, name = statement.target, key_of(statement.target.base)
        places = [*target.indices]
        steps = head_of(target) in texts_of(statement.body)
        if isinstance(target.base, Scripts):  # Z^0 is made of Z, and not of itself
            steps = target.base in walk(statement.body)
        fixed = [i for i in places if isinstance(i.at, Number) or (_is_moved(i.at) and not steps)]
        rest = tuple([i for i in target.items if i not in fixed])
        if not fixed or not all(isinstance(i, At) and isinstance(i.at, Letter) for i in rest):
            others.add(name)
        elif len(fixed) == 1 and statement.op == "=":
            axes = {item.axis.name for item in places}
            further = any(axes < one for one in given.near(name, entry.region.section))
            if further and not entry.region.display and not letters_of(statement.body):
                continue
            own = statement.condition if isinstance(fixed[0].at, Number) else None
            beside = (target.base, fixed[0].axis, rest, own)
            group = groups.setdefault((name, entry.region.section, *beside), [])
            group.append((entry, statement, fixed[0]))
    for (name, *_), group in groups.items():
        *before, last = [place.at for _, _, place in group]
        moved = last.right if isinstance(last, Binary) else Number(last.span, len(group) - 1)
        numbers = [getattr(at, "value", None) for at in (*before, moved)]
        ends = isinstance(last, Binary) or getattr(last, "value", None) == len(group)
        count = [*range(1, len(group)), len(group) - 1]
        if name not in others and len(group) > 1 and numbers == count and ends:
            _join(group)


def _is_moved(at: Expression) -> bool:
    """Say whether an index is a letter moved on, k + 1."""
    match at:
        case Binary(op="+", left=Letter(), right=Number()):
            return True
    return False


def _join(group: Sequence[tuple[Entry, Definition, At]]) -> None:
    """Make one definition of the pieces of a tensor, and set the pieces aside."""
    (_, first, place), (_, last, moved) = group[0], group[-1]
    index = Letter(first.target.span, "piece")
    body = last.body
    if isinstance(moved.at, Binary):
        own = moved.at.left
        back = replace(moved.at, op="-", left=index)
        body = put(body, lambda part: back if part == own else None)
    rows = [
        Case(each.span, each.body, Relation(at.span, index, (("=", at.at),)))
        for _, each, at in group
    ]
    rows[-1] = Case(last.span, body, None)
    assert isinstance(first.target, Indexed)
    items = tuple([replace(i, at=index) if i == place else i for i in first.target.items])
    target = replace(first.target, items=items)
    joined = replace(first, target=target, body=Cases(first.span | last.span, tuple(rows)))
    for entry, _, _ in group:
        entry.leave_out(QUIET["joined"])
    whole = group[0][0].found
    whole.statement, whole.part_of = joined, ""


def _join_diagonals(entries: Sequence[Entry], known: frozenset[str]) -> None:
    """Join P_{ij} = a for i != j and P_{ii} = b to one definition, by cases."""
    off: dict[tuple[int, str], tuple[Entry, Definition]] = {}
    on: dict[tuple[int, str], list[tuple[Entry, Expression, Expression]]] = {}
    for before, entry in pairwise([None, *entries]):
        assert entry is not None
        statement, section = entry.statement, entry.region.section
        target, body = _equation(statement)
        if target is None or body is None:
            continue
        places, name = places_of(target), (section, head_of(target))
        if len({*places}) < len(places):
            on.setdefault(name, []).append((entry, target, body))
        elif isinstance(statement, Definition):
            said = getattr(
                before and before.statement, "relation", None
            )  # for i != j let P_{ij} = a
            if statement.condition is None and before is not None and not before.region.display:
                statement = replace(statement, condition=said)
            if _apart(statement.condition, places) is not None:
                off[name] = entry, statement
    for name in off.keys() & on.keys():
        if len(on[name]) == 1:
            (entry, definition), (other, target, body) = off[name], on[name][0]
            _join_diagonal(entry, definition, other, target, body, known)


def _equation(statement: Statement) -> tuple[Expression | None, Expression | None]:
    """Give the sides of a definition or an equation of two sides; None for anything else."""
    relation = getattr(statement, "relation", None)
    if isinstance(statement, Definition) and statement.op == "=" and not statement.chain:
        return statement.target, statement.body
    if isinstance(relation, Relation) and relation.ops == ("=",):
        return relation.first, relation.rest[0][1]
    return None, None


def _apart(
    condition: Expression | None, places: Sequence[Expression], op: str = "!="
) -> Relation | None:
    """Find the part of a condition that keeps two indices apart, i != j, or with "=" together."""
    for part in () if condition is None else conjuncts(condition):
        related = isinstance(part, Relation) and part.ops == (op,)
        if related and {part.first, part.rest[0][1]} <= {*places}:  # type: ignore[union-attr]
            return part  # type: ignore[return-value]
    return None


def _join_diagonal(
    entry: Entry,
    off: Definition,
    other: Entry,
    target: Expression,
    body: Expression,
    known: frozenset[str],
) -> None:
    """Put what stands on a diagonal into the definition of what stands off it."""
    places, given = places_of(off.target), places_of(target)
    apart = _apart(off.condition, places)
    if apart is None or len(places) != len(given):
        return
    at, to = places.index(apart.first), places.index(apart.rest[0][1])
    if given[at] != given[to] or len({*given}) < len(given) - 1:
        return
    value = _made_of_others(body, target, off.target, off.body, (at, to), known)
    if value is None:
        return
    value = renamed(value, dict(zip(reversed(given), reversed(places), strict=True)))
    there = Relation(apart.span, places[to], (("=", places[at]),))
    rows = Case(body.span, value, there), Case(off.body.span, off.body, None)
    left = tuple([part for part in conjuncts(off.condition) if part != apart])  # type: ignore[arg-type]
    condition = Logic(apart.span, "and", left) if left[1:] else next(iter(left), None)
    entry.found.statement = replace(off, body=Cases(off.body.span, rows), condition=condition)
    other.leave_out(QUIET["joined"])


def _join_own_rows(entries: Sequence[Entry], known: frozenset[str]) -> None:
    """Put what P_{ij} is in the other rows of its cases into the row for i = j, which is made of them."""
    for entry in entries:
        said = entry.statement
        if not isinstance(said, Definition) or not isinstance(said.body, Cases):
            continue
        places, rows = places_of(said.target), list(said.body.rows)
        for at, row in enumerate(said.body.rows):
            same = _apart(row.condition, places, "=")
            others = (*said.body.rows[:at], *said.body.rows[at + 1 :])
            if same is None or not others or row.condition is not same:
                continue
            diagonal = places.index(same.first), places.index(same.rest[0][1])
            first, *more = others
            whole = not more and first.condition in (None, _apart(first.condition, places))
            off = first.value if whole else replace(said.body, rows=others)
            value = _made_of_others(row.value, said.target, said.target, off, diagonal, known)
            rows[at] = row if value is None else replace(row, value=value)
        if rows != list(said.body.rows):
            entry.found.statement = replace(said, body=replace(said.body, rows=tuple(rows)))


def _made_of_others(
    value: Expression,
    there: Expression,
    target: Expression,
    off: Expression,
    diagonal: tuple[int, int],
    known: frozenset[str],
) -> Expression | None:
    r"""Put what elements off a diagonal are into what is `there` on it; None where one may lie on it too.

    None does below a sum that keeps its index apart: j of \sum_{j \neq i} P_{ij}.
    """
    places, head, ours = places_of(target), head_of(target), {*places_of(there)}
    taken = known.union(texts_of((value, target, off)))
    fresh = iter(free_indices(taken))

    def own(part: Any) -> tuple[Expression, ...]:
        found = places_of(part) if head_of(part) == head else ()
        return found if len(found) == len(places) else ()

    def element(part: Any) -> Any:
        inside = own(part)
        return renamed(off, dict(zip(places, inside, strict=True))) if inside else None

    def below(part: Any) -> Any:
        if not isinstance(part, Big):
            return None
        said = [r for r in all_of(Relation, part.lower) if {*r.ops} <= UNEQUAL]
        ends = [(r.first, r.rest[0][1]) for r in said]
        every = [inside for p in walk(part.body) if (inside := own(p))]
        if not all({at[n] for n in diagonal} in map(set, ends) for at in every):
            return None
        bound = {one.index for one in all_bound(part)} - ours
        bound |= {pair[0] for pair in ends if every and ours.issuperset(pair)}
        names: dict[Expression, Expression] = {
            at: replace(at, text=next(fresh, at.text))
            for at in bound
            if isinstance(at, Letter) and at in letters_of((*places, off))
        }
        return put(renamed(part, names), element)

    found: Expression = put(value, below)
    return found if not any(map(own, walk(found))) and not any(map(own, walk(off))) else None


def _join_values(entries: Sequence[Entry], given: Given) -> None:
    """Join f(x) = a for x != 0 and f(0) = b, and k(x, z) = a for x != z and k(x, x) = b, by cases."""
    functions: dict[tuple[int, str], list[tuple[int, Call, Expression]]] = {}
    for at, entry in enumerate(entries):
        target, body = _equation(entry.statement)
        if isinstance(target, Call) and body is not None and not (target.axes or target.parameters):
            name = entry.region.section, key_of(target)
            functions.setdefault(name, []).append((at, target, body))
    for (section, _), said in functions.items():
        for (at, call, body), (other, at_value, value) in permutations(said, 2):
            general: Any = entries[at].statement
            pair = _told_apart(call.arguments, at_value.arguments)
            if pair is None or not isinstance(general, Definition):
                continue
            own, behind = _apart(general.condition, pair), entries[at + 1 : at + 2]
            later = [e for e in behind if _apart(e.relation, pair)]
            if own is None and not later:
                continue
            names = zip(at_value.arguments, call.arguments, strict=True)
            value = renamed(value, {a: b for a, b in names if isinstance(a, Letter)})
            same: Expression = Relation(value.span, pair[0], (("=", pair[1]),))
            axes = {name for found in given.around(key_of(pair[0]), section) for name in found}
            of_each = pair[0] in letters_of(body) and is_elementwise(pair[0], body)
            if axes and not (isinstance(pair[1], Number) and of_each):
                over = tuple([AxisName(value.span, name) for name in sorted(axes)])
                same = Call(value.span, Letter(value.span, "all", "word"), over, (same,))
            rows = Case(value.span, value, same), Case(body.span, body, None)
            whole = Cases(body.span | value.span, rows)
            entries[at].found.statement = replace(general, body=whole, condition=None)
            for left in (entries[other], *later):
                left.leave_out(QUIET["joined"])


def _told_apart(
    general: Sequence[Expression], given: Sequence[Expression]
) -> tuple[Expression, Expression] | None:
    """Give the argument of a function's own value, f(0) or k(x, x), and the number or argument that it is."""
    if len(general) != len(given) or not all(isinstance(one, Letter) for one in general):
        return None
    numbers = [i for i, one in enumerate(given) if isinstance(one, Number)]
    repeated = [i for i, one in enumerate(given) if one in given[:i]]
    plain = all(isinstance(one, (Letter, Number)) for one in given) and len({*general}) == len(
        general
    )
    if not plain or len(numbers) + len(repeated) != 1:
        return None
    (at,) = numbers or repeated
    return general[at], given[at] if numbers else general[given.index(given[at])]


#: Relations that keep two indices apart.
UNEQUAL = frozenset(("!=", "<", ">"))


# ----------------------------------------------------------------------------------- indices


def _put_sequences(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    r"""Put what h_n is for every number n where formulas use it at a computed one: h_{i-j}."""
    given = Counter([head_of(name) for e in entries for name in given_names(e.statement)])
    for entry in entries:
        said, section = entry.statement, entry.region.section
        places = indices_of(getattr(getattr(said, "target", None), "sub", None)) or ()
        if not isinstance(said, Definition) or len(places) != 1 or said.chain or said.condition:
            continue
        index, name = places[0], said.target
        made_of = {t for t in letters_of(said.body) if t.text not in FUNCTIONS | CONSTANTS}
        if not isinstance(index, Letter) or made_of != {index} or given[head_of(name)] > 1:
            continue

        def computed(part: Any, body: Any = said.body, name: Any = name, index: Any = index) -> Any:
            whole = isinstance(part, Scripts) and part.sup is None and part.base == name.base
            at = part.sub if whole else None
            if not isinstance(at, Binary) or not letters_of(at):
                return None
            return put(body, lambda one: at if one == index else None)

        for other in entries:
            inside = lies_in(other.region.section, section, parents)
            if other is not entry and inside and isinstance(other.statement, Definition):
                after = put(other.statement, computed)
                if after is not other.statement:
                    other.found.statement = after


def _put_sums_on(entries: Sequence[Entry]) -> None:
    r"""Let a sum reach over a further term that has its index: s_k of \sum_{k=1}^K a_k + s_k is in the sum.

    It does not where the letter is declared, or counts in the definition as a whole.
    """
    given = {head_of(n) for entry in entries for n in given_names(entry.statement)}

    def indices_of(part: Any) -> set[str]:
        scripts = [p.sub for p in all_of(Scripts, part)] + [at.at for at in all_of(At, part)]
        return {one.text for script in scripts if script is not None for one in letters_of(script)}

    for entry in entries:
        said = entry.statement
        if not isinstance(said, Definition) or not all_of(Big, said.body):
            continue
        outside = texts_of(said.target) | texts_of(said.condition) | given

        def reach(part: Any, outside: set[str] = outside) -> Any:
            if not isinstance(part, Binary) or part.op not in ("+", "-"):
                return None
            left, right = put(part.left, reach), put(part.right, reach)
            if left is not part.left or right is not part.right:
                part = replace(part, left=left, right=right)
            last, path = left, []
            while isinstance(last, (Binary, Unary)):
                path.append(last)
                last = last.right if isinstance(last, Binary) else last.operand
            ends = last.span.end == left.span.end  # no bracket closes before the sign
            if not isinstance(last, Big) or last.lower is None or not ends:
                return part  # its sides are done: none of them is looked at again
            bound = texts_of(tuple([one.index for one in all_bound(last)]))
            own = texts_of(tuple([b.index for p in all_of(Big, right) for b in all_bound(p)]))
            if not (bound - outside - own) & indices_of(right):
                return part
            inside = replace(part, left=last.body, span=last.body.span | right.span)
            whole: Any = replace(last, body=inside, span=last.span | right.span)
            for around in reversed(path):
                name = "right" if isinstance(around, Binary) else "operand"
                whole = replace(around, **{name: whole}, span=around.span | whole.span)
            return whole

        body = put(said.body, reach)
        if body is not said.body:
            entry.found.statement = replace(said, body=body)


def _put_frobenius(entries: Sequence[Entry]) -> None:
    r"""Read \|A\| without a mark as \|A\|_F, but for what stands below a sum over axes of its own."""

    def mark(part: Any) -> Any:
        if isinstance(part, (Big, Call)) and part.axes:
            return part
        whole = part if isinstance(part, Scripts) else Scripts(part.span, part)
        if not isinstance(whole.base, Bars) or not whole.base.double:
            return None
        marked = whole.sub is not None or whole.base.axes
        return part if marked else replace(whole, sub=Letter(part.span, "F"))

    for entry in entries:
        if isinstance(entry.statement, Definition):
            entry.found.statement = replace(entry.statement, body=put(entry.statement.body, mark))


def _put_sizes(entries: Sequence[Entry]) -> None:
    r"""Write [|\text{vocab}|] for [\text{vocab}], the numbers of the places of an axis."""
    axes = {axis.name for e in entries for axis in all_of(AxisName, e.statement)}

    def change(part: Any) -> Expression | None:
        match part:
            case Space(base="[n]", bound=Letter(style="word", text=text) as end) if text in axes:
                return replace(part, bound=AxisSize(end.span, AxisName(end.span, text)))
        return None

    for entry in entries if axes else ():
        if any(space.base == "[n]" for space in all_of(Space, entry.statement)):
            entry.found.statement = put(entry.statement, change)


def _put_ones(entries: Sequence[Entry]) -> None:
    r"""Let the ones of onehot(y) stand along vocab, where y \in [vocab]."""
    axes: dict[str, AxisName] = {}
    for said in [e.statement for e in entries if isinstance(e.statement, Declaration)]:
        if isinstance(said.space.bound, AxisSize):
            axes |= {key_of(name): said.space.bound.axis for name in said.names}

    def change(part: Any) -> Expression | None:
        match part:
            case Call(function=Letter(text="onehot" | "one_hot"), axes=(), arguments=(of,)):
                found = axes.get(key_of(of)) if is_name(of) else None
                return replace(part, axes=(found,)) if found else None
        return None

    for entry in entries if axes else ():
        entry.found.statement = put(entry.statement, change)


def _put_zeros(entries: Sequence[Entry], given: Given) -> None:
    r"""Let the 0 of f(x, 0), and a bold 0 or 1, have the axes that f(x, c) declares for c."""
    over: dict[str, list[set[str]]] = {}
    for said, section in [(e.statement, e.region.section) for e in entries]:
        if isinstance(said, Signature):
            over[key_of(said.name)] = [{*space.names} for space in said.domain]
        elif isinstance(said, Definition) and isinstance(said.target, Call):
            near = [given.near(key_of(name), section) for name in said.target.arguments]
            over.setdefault(key_of(said.target.function), [at[0] if at else set() for at in near])

    def change(part: Any) -> Expression | None:
        if not isinstance(part, Call) or part.axes:
            return None
        wanted = over.get(key_of(part.function), ())
        own = [put(argument, change) for argument in part.arguments]
        for place, (argument, axes) in enumerate(zip(own, wanted, strict=False)):
            if axes and _is_filled(argument):
                at, filled = (
                    argument.span,
                    "1bold" if argument == Letter(argument.span, "1bold") else "0bold",
                )
                below = Items(at, tuple([AxisName(at, name) for name in sorted(axes)]), "")
                own[place] = Scripts(at, Letter(at, filled), below)
        if tuple(own) == part.arguments:
            return None
        return replace(part, arguments=tuple(own), parameters=put(part.parameters, change))

    for entry in entries if any(map(any, over.values())) else ():
        statement = entry.statement
        calls = all_of(Call, statement.body) if isinstance(statement, Definition) else ()
        if isinstance(statement, Definition) and any(
            map(_is_filled, [a for c in calls for a in c.arguments])
        ):
            entry.found.statement = replace(statement, body=put(statement.body, change))


def _is_filled(part: Any) -> bool:
    r"""Say whether a part is 0, \mathbf{0}, \vec 0 or \mathbf{1}."""
    zero = isinstance(part, Number) and part.value == 0
    return zero or (isinstance(part, Letter) and part.text in ("0bold", "0vec", "1bold"))


def _put_known(entries: Sequence[Entry]) -> None:
    r"""Put numbers for \epsilon_{ijk} that nothing else gives, and for the \pi of 2 \pi beside \pi_{..(i)}.

    Beside a tensor e, the e of e^x is a number too where x is no index, and beside a series e^k where x has
    axes, is an argument or negative. The sign of a permutation is
    (i - j) (j - k) (k - i) / 2: 1, -1 or 0.
    """
    names = [name for entry in entries for name in given_names(entry.statement)]
    given = {head_of(name) for name in names}
    spaces = [
        (said.names, said.space)
        for said in (entry.statement for entry in entries)
        if isinstance(said, Declaration)
    ]
    tensors = {key_of(name) for own, space in spaces if space.axes for name in own}
    series = any(head_of(name) == "e" and isinstance(name, Scripts) for name in names)
    euler = series or "e" in tensors
    indexed = {head_of(part) for entry in entries for part in all_of(Indexed, entry.statement)}
    names_below = [name for entry in entries for name in all_of(Scripts, entry.statement)]
    indexed |= {head_of(name) for name in names_below if name.sub is not None}
    signs = {"epsilon", "varepsilon"} - given

    def pi(part: Any) -> Any:
        shown = isinstance(part, Binary) and part.op == "*" and isinstance(part.left, Number)
        if not shown or part.right != Letter(part.span, "pi"):
            return None
        return replace(part, right=Number(part.right.span, math.pi))

    def powers(said: Any) -> Any:
        target = getattr(said, "target", None)
        own = (*target.arguments, *target.parameters) if isinstance(target, Call) else ()
        real = given.union(map(key_of, own))

        def power(part: Any) -> Any:
            if not isinstance(part, Scripts) or part.base != Letter(part.span, "e"):
                return None
            if part.sub is not None or part.primes or isinstance(part.sup, (Number, type(None))):
                return None
            if isinstance(part.sup, Letter) and part.sup.text not in real:
                return None
            first: Any = part.sup
            while isinstance(first, Binary):
                first = first.left
            of_values = tensors.union(map(key_of, own)) & texts_of(part.sup)
            if series and not of_values and not isinstance(first, Unary):
                return None  # a member, e^{k-1}
            return replace(part, base=Number(part.base.span, math.e), sup=put(part.sup, power))

        return put(said, power)

    def change(part: Any) -> Any:
        places = places_of(part, 3) if isinstance(part, Scripts) else ()
        if len(places) != 3 or head_of(part) not in signs:
            return None
        i, j, k = places
        first, second, third = [Binary(part.span, "-", *pair) for pair in ((i, j), (j, k), (k, i))]
        product = Binary(part.span, "*", Binary(part.span, "*", first, second), third)
        return Binary(part.span, "/", product, Number(part.span, 2))

    for entry in entries:
        before: Any = entry.statement
        after = before
        if not signs.isdisjoint(texts_of(before)):
            after = put(before, change)
        target = getattr(after, "target", None)
        elements = isinstance(target, Indexed) or bool(letters_of(getattr(target, "sub", ())))
        if isinstance(after, (Constraint, Definition)) and "pi" in tensors:  # mixture weights, say
            after = put(after, pi)
        elif elements and "pi" in indexed & given:
            after = replace(after, body=put(after.body, pi))
        if euler and isinstance(after, Definition):
            after = replace(after, body=powers(after).body)
        if after is not before:
            entry.found.statement = after


def _put_matrices(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    r"""Put the axes beside the cells of a matrix, and of a column (1, 2, 3), from the space that is stated.

    A column that is declared nowhere has the one axis along which formulas contract or index it.
    """
    spaces: dict[Expression, tuple[SizedAxis, ...]] = {}
    for entry in entries:
        for name, space in _spaces_in(entry.statement):
            spaces[name] = space.axes
    for entry in entries:
        said: Any = entry.statement
        if any(all_of(Contract, said)):
            said = entry.found.statement = put(said, _with_columns)
        if not isinstance(said, Definition) or said.op != "=" or said.chain:
            continue
        target, cells, at = said.target, _listed_cells(said.body), said.body.span
        stated = spaces.get(target) or spaces.get(getattr(target, "function", target), ())
        axes = [sized.axis for sized in stated]
        if cells and not axes and is_name(target):
            near = [
                e.statement
                for e in entries
                if lies_in(e.region.section, entry.region.section, parents)
            ]
            axes = [AxisName(at, n) for n in {n for one in near for n in _axes_used(target, one)}]
        body = said.body
        if cells and len(axes) == 1:
            body = Matrix(at, tuple([(cell,) for cell in cells]), axes[0])
        elif isinstance(body, Matrix) and len(axes) == 2 and not (body.row or body.column):
            body = replace(body, row=axes[0], column=axes[1])
        if body is not said.body:
            entry.found.statement = replace(said, body=body)
            entry.found.positional, entry.found.named = False, True


def _spaces_in(statement: Any) -> Iterator[tuple[Expression, Space]]:
    """List what a statement says of the spaces of names, of functions and of their values."""
    if isinstance(statement, Declaration):
        yield from [(name, statement.space) for name in statement.names]
    elif isinstance(statement, Signature):
        yield statement.name, statement.codomain
    elif isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
        for op, side in statement.relation.rest:
            if op == "in" and isinstance(side, Space):
                yield statement.relation.first, side


def _with_columns(product: Any) -> Any:
    """Put a column for the numbers that are contracted: X . (1, 2, 3) over one axis."""
    axes = product.axes if isinstance(product, Contract) else ()
    sides = [_listed_cells(s) for s in (product.left, product.right)] if len(axes) == 1 else []
    if not any(sides):
        return None
    whole = [
        Matrix(side.span, tuple([(cell,) for cell in cells]), axes[0])
        if cells
        else put(side, _with_columns)
        for cells, side in zip(sides, (product.left, product.right), strict=True)
    ]
    return replace(product, left=whole[0], right=whole[1])


def _listed_cells(body: Any) -> tuple[Expression, ...]:
    r"""Give the numbers of (1, 2, 3), and of a matrix that is one row or one column; () of anything else."""
    if isinstance(body, Scripts) and body.sub is None and body.sup in TRANSPOSED:
        body = body.base
    if isinstance(body, Items):
        return body.parts if body.bracket == "(" and len(body.parts) > 1 else ()
    if not isinstance(body, Matrix) or body.row or body.column:
        return ()
    one_row = len(body.rows) == 1
    cells = body.rows[0] if one_row else tuple([row[0] for row in body.rows])
    return cells if one_row or all(len(row) == 1 for row in body.rows) else ()


def _axes_used(name: Expression, statement: Any) -> set[str]:
    """Name the axes along which a formula contracts or indexes a letter itself."""
    dots = [
        dot
        for dot in all_of(Contract, statement)
        if len(dot.axes) == 1 and name in (dot.left, dot.right)
    ]
    found = {dot.axes[0].name for dot in dots}
    for part in all_of(Indexed, statement):
        if part.base == name:
            found |= {item.axis.name for item in part.indices}
    return found


def _put_indices(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    """Put 2 (i - 1) + j for the index k_{ij} that is said to be so, and is nothing but an index."""
    axes = all_of(SizedAxis, tuple([e.statement for e in entries]))
    sizes = {letter.text for axis in axes for letter in letters_of(axis.size)}
    users: dict[str, list[Entry]] = {}
    tables = [
        head_of(said.target)
        for entry in entries
        if isinstance(said := entry.statement, Definition) and _is_of_indices(said, sizes)
    ]
    for entry in entries if tables else ():
        for text in texts_of(entry.statement) & {*tables}:
            users.setdefault(text, []).append(entry)
    read = False
    for entry in entries if tables else ():
        table, section = entry.statement, entry.region.section
        if not isinstance(table, Definition) or not _is_of_indices(table, sizes):
            continue
        index, element, head = *_index(table), head_of(table.target)
        changed = []
        for other in users.get(head, ()):
            if other is not entry and lies_in(other.region.section, section, parents):
                after = put(other.statement, index if isinstance(table.target, Call) else element)
                if not isinstance(after, Definition) or not _is_of_indices(after, sizes):
                    after = put(other.statement, index)
                changed.append((other, after))
        used = any(after is not other.statement for other, after in changed)
        left = letters_of(tuple([after for _, after in changed]))
        if used and head not in [letter.text for letter in left]:
            for other, after in changed:
                other.found.statement = after
            entry.leave_out(QUIET["joined"])
            read = True
    if read:  # others may be made of these
        _put_indices(entries, parents)


def _is_of_indices(said: Definition, sizes: Collection[str]) -> bool:
    """Say whether an element is computed of its indices and of sizes alone."""
    places, made_of = _indices(said.target), letters_of(said.body)
    if not places or not made_of:
        return False
    counted = all(
        isinstance(part, COUNTED) and not getattr(part, "axes", ()) for part in walk(said.body)
    )
    called = {head_of(call) for call in all_of(Call, said.body)} - {
        *sizes
    }  # M (i - 1) is a product
    counted = counted and called <= CHOOSING
    plain = said.op == "=" and not said.chain and said.condition is None and counted
    known = texts_of(places) | {*sizes} | CHOOSING
    return plain and {letter.text for letter in made_of} <= known


def _indices(part: Any) -> tuple[Expression, ...]:
    """Give the letters of k_{ij}, of k_{row(i), col(j)} and of k(i, j)."""
    if not isinstance(part, Call):
        return places_of(part, 1)
    plain = (
        not part.parameters and not part.axes and all(isinstance(a, Letter) for a in part.arguments)
    )
    return part.arguments if plain else ()


def _index(table: Definition) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Make the changes of the indices that a definition says to what they are: as indices, and anywhere."""
    places, name = _indices(table.target), head_of(table.target)

    def element(part: Any) -> Any:
        alike = type(part) is type(table.target) or isinstance(part, (Scripts, Indexed))
        given = _indices(part) if alike and head_of(part) == name else ()
        if not given or len(given) != len(places):
            return None
        return renamed(table.body, dict(zip(places, given, strict=True)))

    def index(part: Any) -> Any:
        place = part.at if isinstance(part, At) else part.sub if isinstance(part, Scripts) else None
        after = None if place is None or head_of(part) == name else put(place, element)
        if after is place or after is None:
            return None
        return replace(part, at=after) if isinstance(part, At) else replace(part, sub=after)

    return index, element
