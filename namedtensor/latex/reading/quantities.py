r"""Numbers that only prose names: "a learned temperature $\tau$", "let $\alpha$ denote the scale".

Such a letter is a parameter, a number, where the formulas of its section use it as one; a note says so. Words
that name a number, "the rate $r$", are trusted; other words, "with spacing $h$", are where it stands
outside of what acts along axes, for there it may be a tensor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.clean import clean
from namedtensor.latex.reading.grammar.parser import Parser
from namedtensor.latex.reading.left_sides import COORDINATES, compound, given_names
from namedtensor.latex.reading.ranges import all_bound, listed, ranges_in
from namedtensor.latex.reading.shorthand import is_near, named
from namedtensor.latex.reading.spoken import (
    CONSTANTS,
    head_of,
    in_reach,
    key_of,
    lies_in,
    names_of,
    numbers_in,
    subjects_of,
)
from namedtensor.latex.reading.statements import is_name
from namedtensor.latex.reading.tokens import Fault, tokens_of
from namedtensor.latex.reading.words import APPLIED, FUNCTIONS, SMALL
from namedtensor.latex.reading.words import LETTERS as GREEK
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import (
    Aside,
    At,
    AxisName,
    AxisSize,
    Big,
    Binary,
    Call,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Letter,
    Number,
    Relation,
    Scripts,
    Signature,
    SizedAxis,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, letters_of, put, texts_of, walk
from namedtensor.primitives.notation import RELATION

#: What is a number, as its name says.
NOUN = (
    r"(?:scalars?|numbers?|constants?|temperature|scale|rates?|step size|coefficients?|factors?|threshold|"
    r"margin|momentum|strength|slope|decay|exponent|(?:hyper-?)?parameters?|probability|penalty|weight|"
    r"variance|width|discount|cut-?off|time|price|distance|length|mass|frequency|speed|angle|radius|"
    r"diameter|height|area|volume|dose|lag|delay|eigenvalue|singular value|norm|determinant|bound)"
)

#: What is no number, as its name says.
TENSOR = re.compile(
    r"\b(?:masks?|identity|matri(?:x|ces)|vectors?|tensors?|arrays?|functions?|maps?|sets?|sequences?|images?|index|"
    r"indices|embeddings?|layers?|weights|features|operators?|distributions?|activations?|networks?|"
    r"(?:non-?)?linearit(?:y|ies)|encoders?|decoders?|densit(?:y|ies))\b",
    re.IGNORECASE,
)

#: Mathematics in a paragraph, and what stands for it: a letter or some, or anything else.
INLINE = re.compile(r"\$\$.*?\$\$|\\\[.*?\\\]|\$([^$]*)\$|\\\((.*?)\\\)", re.DOTALL)
LETTER = (
    r"(?:\\(?:Delta|delta)\s+)?(?:\\(?:bar|hat|tilde|mathcal)\s*(?:\{\\?[A-Za-z]+\}|[A-Za-z])|\\?[A-Za-z]+)"
    r"(?:_(?:\w|\\[A-Za-z]+|\{(?:\\?\w+|\\(?:text|mathrm|operatorname)\{[\w-]+\})\}))?(?:\^(?:2|\{?(?:\*|\\a?st(?:ar)?)\}?))?"
)
LETTERS = re.compile(rf"\s*{LETTER}(?:\s*(?:,|<|>|\\[lg]eq?\b)\s*{LETTER})*\s*")
#: A letter in what is one more or less, "the $w - 1$ words before it", and how many things that are.
MOVED = re.compile(rf"\s*(?P<names>{LETTER})\s*[-+]\s*\d+\s*")
THINGS = re.compile(r"(?:\$|\\\))?\s+(?:[a-z-]+\s+){0,2}?[a-z-]{3,}s\b")
STARS = frozenset(("*", "star"))
ORDERED = frozenset(("<", ">", "\\le", "\\ge", "\\leq", "\\geq"))
NAME, OTHER, OWN = "¤", "§", "¶"

#: Names of steps: \\Delta t.
STEPS = frozenset([f"Delta{letter}" for letter in COORDINATES])

#: Greek letters that may be functions: phi (a + b) is no product, and lambda (a + b) is one.
CALLED = frozenset("phi varphi psi chi rho sigma theta vartheta xi pi mu zeta".split())

#: Letters that stand in one list with one: before it, also as "the length $n$ of this and $m$ of that", and
#: behind it with names of their own.
LISTED = rf"(?:{NAME}\s*(?:of(?:\s+[\w-]+){{1,3}}\s*)?(?:,|,?\s*and|or)\s*)*$"
FURTHER = rf"(?:(?:,|,?\s+and|,?\s+or)\s+(?:(?!is\b|are\b|be\b)[\w-]+\s+){{0,3}}?{NAME})*"

#: Greek letters in a list, of which "the weights" are numbers: "the weights $\\omega_1, \\omega_2$".
SEVERAL = re.compile(r"\s*\\[a-z]+(?:_\w)?(?:\s*,\s*\\[a-z]+(?:_\w)?)+\s*")

#: Letters that are drawn from a law of numbers alone, and not of a matrix: "$t \\sim \\mathcal{U}(0, 1)$".
DRAWN = re.compile(
    rf"(?P<names>{LETTERS.pattern})\\sim\s*(?:[A-Z]|\\[a-z]+\s*\{{[A-Za-z]+\}})\s*[([](?P<given>[^A-Z]*)[)\]]\s*"
)

#: The letter of a variance, which is alike in all directions: "noise from $\\mathcal{N}(0, s^2 I)$".
SPREAD = re.compile(
    r".*(?:[A-Z]|\\[a-z]+\s*\{[A-Z][A-Za-z]*\})\s*\(.*,\s*(?P<names>\\?[a-z]+)(?P<power>\^2|\^\{-[12]\})?\s*"
    r"(?P<unit>(?:\\[a-z]+\s*\{?)?I\}?(?:_\w|_\{\w+\})?)?\s*\)",
    re.DOTALL,
)

#: Words before and behind a letter that name a number; they end where others tell more of it.
THAN = r"(?:\w+er|more|less)\s+than|at\s+(?:most|least)|exceed(?:s|ing)?|above|below"
A_NOUN = rf"\ban?\s+(?:[\w-]+\s+){{0,3}}?{NOUN}\s+of"
BEFORE = re.compile(rf"\b(?:{NOUN}(?:\s+(?:is|are|be))?|{A_NOUN}|{THAN})\s+{LISTED}", re.IGNORECASE)
IS = rf"{FURTHER},?\s+(?:denotes?|is|are|be|being|(?:stands? )?for|all|both)\s+"
MORE = r"of|for|in|on|at|by|from|to|with|between|that|which|where|whose|over"
AFTER = re.compile(
    rf"(?:{IS}(?:(?:{THAN})\s+)?|,?\s+(?=(?:an?|the|its|their)\s))(?:(?:an?|the|some|its|their)\s+)?"
    rf"(?:(?!(?:{MORE})\b)[\w-]+\s+){{0,3}}?{NOUN}\b",
    re.IGNORECASE,
)

#: What stands behind a letter whose row of a table gives its number: "$\\gamma$ | discount | 0.99".
CELL = re.compile(r"\$?(?:\s*[|&][^|&$\n]*?)*?\s*[|&]\s*\$?\s*[-+]?(?:\\num\{)?\.?[0-9]")
#: Words that say what a letter is, whatever that is: "the spacing $h$", "$h$ says how far".
LINKS = (
    rf"{MORE}|and|or|let|if|when|then|this|as|because|since|here|we|use|so|under|than|write|given"
)
NAMED = re.compile(
    rf"\b(?!(?:{LINKS}|an?|the|is|are|be|both|all)\b)[a-z][\w-]*\s+{LISTED}", re.IGNORECASE
)
SAID = re.compile(rf"{IS}\w|,?\s+(?!(?:{LINKS})\b)[a-z]|\s*(?::|\()\s*[a-z]", re.IGNORECASE)

#: A letter that counts, whatever it is in other sections: "the number of", "a population of $N$ diploids".
COUNTS = re.compile(
    rf"{IS}(?:(?:(?:an?|the)\s+)?(?:[\w-]+\s+)?(?:number|count|size|scalar)|"
    r"(?:(?:an?|the)\s+(?:[\w-]+\s+)?|(?<=be\s))constant)\b",
    re.IGNORECASE,
)
COUNTED = re.compile(
    rf"\b(?i:of|with|has|have|first|last|top|next|best)\s+{NAME}\s+(?!this|thus|does|across|always)"
    r"(?:[a-z-]{3,}s|people|children|men|women)\b"
)

#: A number that is whole: "where $a$ is a large prime".
WHOLE = re.compile(
    rf"{IS}(?:(?:an?|the|some)\s+)?(?:[\w-]+\s+){{0,2}}?"
    r"(?:primes?|integers?|(?:whole|natural) numbers?|power of two)\b",
    re.IGNORECASE,
)

#: A letter and what it is in brackets, in either order: "(attack, $\\alpha$)", "($\\alpha$, attack)".
IN_BRACKETS = re.compile(
    rf"\((?:(?:(?!(?:{LINKS})\b)[a-z]+\s+){{0,2}}(?!(?:{LINKS})\b)[a-z]+,\s+{OWN}|{OWN},\s+(?!(?:{LINKS})\b)[a-z]+(?:\s+[a-z]+){{0,2}})\)",
    re.IGNORECASE,
)

#: What makes a letter a number from here on: "let $\\eta$ be constant".
LET = re.compile(r"\blet\s+$", re.IGNORECASE)
#: The ends of a range, one of which is the letter: "from $a$ down to $b$", "between $a$ and $b$".
UPTO = r"(?:[a-z]+\s+){0,5}to(?:\s+[a-z]+){0,3}"
RANGED = re.compile(
    rf"\b(?:from\s+(?:{OWN}\s+{UPTO}\s+{NAME}|{NAME}\s+{UPTO}\s+{OWN})|"
    rf"between\s+(?:{OWN}\s+and\s+{NAME}|{NAME}\s+and\s+{OWN}))",
    re.IGNORECASE,
)

#: What a letter is the number of, where that is all that the text says of it: "the number of samples", "the
#: batch size".
MANY = (
    r"(?:(?:an?|the)\s+)?(?:(?:total\s+)?number of (?P<noun>[a-z]+)|"
    r"(?P<sized>[a-z]+)[ -](?:size|length|dimension(?:ality)?))"
)
ENDS = r"(?=\s*(?:[.,;:)]|and\b|with\b|$))"
NUMBER_OF = (
    re.compile(rf"(?:{IS}|,?\s+){MANY}{ENDS}", re.IGNORECASE),
    re.compile(rf"\s+(?P<noun>[a-z]+s){ENDS}", re.IGNORECASE),
)
HAVING = re.compile(r"\b(?:of|with|has|have|are|over|from)\s+$", re.IGNORECASE)
IS_NUMBER = re.compile(rf"\b{MANY}\s+(?:is|be|equals)\s+$", re.IGNORECASE)

#: What parts the cells of a table; a letter is what the cell or the words behind a dash say.
WALL = r"\s*(?:\||(?<!\\)&|</?(?:t[dh]|d[dt])>)\s*"
DASH = re.compile(rf"^(?:(?:{WALL})+|\s+(?:–|—|-{{1,3}})\s+)(?=[a-z])", re.IGNORECASE)

#: Letters of what comes last, where nothing else gives them.
LAST = frozenset((*"TNLKMn",))

ONE = Number(Span(0, 0), 1)

#: What stands below the letter of the least and of the greatest number.
EXTREME = re.compile("min|max")

#: So far is looked for the beginning of a paragraph.
FAR = 1_000


@dataclass(frozen=True, slots=True)
class Words:
    """What the words around a letter say of it: something, a number, one that counts or begins, and what.

    A number may be `whole`.
    """

    something: bool = False
    number: bool = False
    counts: bool = False
    begins: bool = False
    noun: str = ""
    whole: bool = False


def with_quantities(
    statements: Sequence[Statement], source: Source, plain: str, parents: Sequence[int]
) -> tuple[list[Statement], list[Finding]]:
    """Declare the numbers that the plain text's prose names; give the statements, and a note on each."""
    found, notes = [[s] for s in statements], list[Finding]()
    given = _given(statements)
    sized = all_of(SizedAxis, tuple(statements))
    axes, sizes = {one.axis.name for one in sized}, {one.size for one in sized}
    spoken = frozenset([t.text for s in statements for t in letters_of(s)])

    def plainly(part: Any) -> Expression | None:
        """Write L for a calligraphic L that is settled to be no other letter than L."""
        text = part.text if isinstance(part, Letter) else ""
        bare = text.removesuffix("cal")
        return replace(part, text=bare) if text not in spoken and bare in spoken else None

    names = {i: put(_names_alone(s, plain), plainly) for i, s in enumerate(statements)}
    multiplied = _multiplied(statements, names, given, plain)
    alone = {head_of(name) for own in names.values() for name in own}
    users: dict[Expression, list[Definition]] = {}
    scripted_names = {n for own in names.values() for n in own if isinstance(n, Scripts) and n.sub}

    def closed(body: Any) -> Any:
        r"""Let \lambda_D be one letter, where prose names it: no element of a \lambda."""
        if not scripted_names:
            return body

        def change(part: Any) -> Any:
            if (
                not isinstance(part, Scripts)
                or (name := _without_power(part)) not in scripted_names
            ):
                return None
            letter = Letter(part.span, key_of(name))
            raised = part.sub is not None and part.sup is not None
            return Scripts(part.span, letter, None, part.sup) if raised else letter

        return put(body, change)

    for statement in statements:
        if isinstance(statement, Definition):
            parts: list[Any] = [
                *letters_of(closed(statement.body)),
                *all_of(Scripts, statement.body),
            ]
            used = [p for p in parts if (head := head_of(p)) in alone or _is_open(head, given)]
            for name in {_without_power(p) for p in used}:
                users.setdefault(name, []).append(statement)
    small = [name for name in users if is_small(name) and key_of(name) not in given]
    written = {f"\\{n.text}" if len(n.text) > 1 else n.text: n for n in small}  # type: ignore[union-attr]
    beside = {
        i: _names_among(written, s.text)
        for i, s in enumerate(statements)
        if isinstance(s, Aside) and not names[i]
    }
    every_script = [part for s in statements for part in all_of(Scripts, s)]
    scripted = Counter([part for part in every_script if part.sub is not None])
    ends = {
        i: [*_extremes(s, given), *_of_function(s, given, scripted, parents)]
        for i, s in enumerate(statements)
        if isinstance(s, Definition)
    }
    known = {head_of(name) for s in statements for name in given_names(s)}.union(given, alone)
    known |= CONSTANTS | FUNCTIONS | _applied(statements)
    unsaid = {i: _never_named(statements[i], known) for i in ends}
    #: what is made of tensors, and no number of things that has a letter elsewhere
    tensors = {text for text, by in given.items() if "axes" in set[str]().union(*by.values())}
    computed = {
        key_of(s.target)
        for s in statements
        if isinstance(s, Definition) and not tensors.isdisjoint(texts_of(s.body))
    }
    for name in {name for own in ends.values() for name in own}:
        users[name] = [d for d in statements if isinstance(d, Definition) and name in walk(d.body)]
    for place, own_names in (*names.items(), *beside.items(), *ends.items(), *unsaid.items()):
        statement, kept, natural = statements[place], list[Expression](), False
        for name in own_names:
            text = key_of(name)
            meant = given.get(text, {})
            reach = [s for s in meant if in_reach(s, statement.section, parents)]
            here = set[str]().union(*[meant[section] for section in reach])
            kinds = set[str]().union(*meant.values())
            there = kinds & {"axes", "value"}
            constant = text in CONSTANTS and name not in unsaid.get(place, ())
            if name not in users or constant or here - {"argument", "script", "head"}:
                continue
            if name in sizes and CELL.match(plain, statement.span.end):
                continue  # the size of an axis, of another section too
            used = [
                d
                for d in users[name]
                if not meant or lies_in(d.section, statement.section, parents)
            ]
            silent = name in unsaid.get(place, ())
            if silent:
                words: Words | None = Words()
            elif place in ends:
                words = Words(something=True, number=isinstance(name, Letter))
            else:
                words = Words() if place in beside else _words_around(statement.span, plain)
            if words is None:
                given.setdefault(text, {}).setdefault(statement.section, set()).add("axes")
            if not used or words is None or ((here or "head" in kinds) and not words.number):
                continue
            axis = _axis_of(words.noun, axes)
            if axis is not None and not there:
                size = AxisSize(name.span, AxisName(name.span, axis))
                own = Definition(statement.span, name, size)
                found[place] = [replace(own, block=statement.block, section=statement.section)]
                notes.append(_size_note(name, axis, words.noun, source))
                given.setdefault(text, {})[statement.section] = {"value"}
                break
            # "with $L$ levels" is no loss L elsewhere, and "an order of $f$ makes" may be of that f
            apart = text in computed and not re.search(
                r"\bof\s+\$$", plain[: statement.span.start][-9:]
            )
            counts = words.counts and (there == {"axes"} or (apart and name not in sizes))
            bound = place in ends and not silent and here <= {"script"}  # no other section's
            if there and not (bound or words.begins or counts):
                continue
            bodies = [d.body if silent else multiplied(d) for d in used]
            bare = [closed(body) for body in bodies]
            bodies = bare if isinstance(name, Letter) else bodies
            letter = Letter(name.span, text)
            as_one = silent or (head_of(name) in GREEK and head_of(name).islower())
            if (as_one and all(_is_number(letter, body, given) for body in bare)) or (
                not silent
                and all(
                    _may_be_number(name, [p for p in walk(body) if not _is_given(p, given)], words)
                    for body in bodies
                )
            ):
                given.setdefault(text, {})[statement.section] = {"value"}
                kept.append(name)
                natural |= words.whole
        if kept:
            where = {"block": statement.block, "section": statement.section}
            every = tuple([d.body for name in kept for d in users[name]])
            whole = [*[at.at for at in all_of(At, every)], *[b.lower for b in all_of(Big, every)]]
            base = "N" if natural or {*kept} <= {*letters_of(tuple(whole))} else "R"
            space = Space(statement.span, base, ())
            declared = Declaration(statement.span, tuple(kept), space, **where)
            said = place in beside or not isinstance(statement, Aside)
            found[place] = [declared, statement] if said else [declared]
            notes += [_note(name, source, name in unsaid.get(place, ())) for name in kept]
    return [s for here in found for s in here], notes


def with_ends(
    statements: Sequence[Statement], source: Source
) -> tuple[list[Statement], list[Finding]]:
    r"""Say that T, which nothing gives, is |time|: of s_T, or of t = 1, ..., T, for s_t along time."""
    along: dict[str, set[str]] = {}
    ends: dict[str, set[str]] = {}
    found, notes = list[Statement](), list[Finding]()
    made = [s for s in statements if isinstance(s, Definition)]
    for said in made:
        runs: dict[str, set[str]] = {}
        for letter, axis in named((said.target, said.body)):
            runs.setdefault(letter, set()).add(axis)
        own = texts_of(getattr(said.target, "sub", None)) & runs.keys()
        along.setdefault(head_of(said.target), set()).update(*[runs[letter] for letter in own])
        for relation in all_of(Relation, said.condition):
            for run in ranges_in(relation):
                upper = run.upper if run.upper is not None and is_near(run.upper) else ()
                for end in letters_of(upper):  # T - 1 too
                    ends.setdefault(end.text, set()).update(runs.get(key_of(run.index), ()))
    for part in all_of(Scripts, tuple(made)):
        if isinstance(part.sub, Letter) and part.sup is None and along.get(head_of(part)):
            ends.setdefault(part.sub.text, set()).update(along[head_of(part)])
    ends = {text: axes for text, axes in ends.items() if len(axes) == 1 and text in LAST}
    if not ends:
        return [*statements], []
    kinds = {t: set[str]().union(*by.values()) for t, by in _given(statements).items()}
    given = {text for text, kind in kinds.items() if kind != {"letter"}}
    given |= {
        t.text for b in all_of(Big, tuple(made)) for r in all_bound(b) for t in letters_of(r.index)
    }
    given |= texts_of(all_of(SizedAxis, tuple(statements)))
    told = {t: axes.pop() for t, axes in ends.items() if t not in given}
    for statement in statements:
        for end in letters_of(statement) if isinstance(statement, Definition) else ():
            if end.text in told:
                axis = told.pop(end.text)
                size = Definition(end.span, end, AxisSize(end.span, AxisName(end.span, axis)))
                found.append(replace(size, block=statement.block, section=statement.section))
                notes.append(_size_note(end, axis, "", source))
        found.append(statement)
    return found, notes


def _is_given(part: object, given: Collection[str]) -> bool:
    """Say whether a part is a letter with a subscript that is a name of its own, a_1 beside a."""
    return isinstance(part, Scripts) and part.sub is not None and key_of(part) in given


def _may_be_number(name: Expression, parts: Sequence[Any], words: Words) -> bool:
    """Say whether a body of these parts uses a letter as a number, of which words say so much."""
    if words.number or words.counts or _is_coefficient(name, parts):
        return not any(_is_tensor(name, part) for part in parts)
    return words.something and not any(_may_be_tensor(name, part) for part in parts)


def is_small(name: Expression) -> bool:
    """Say whether a name is a small letter, as numbers have."""
    return isinstance(name, Letter) and _is_open(name.text)


def _is_open(text: str, given: Collection[str] = ()) -> bool:
    """Say whether a text is that of a small letter that nothing gives."""
    small = text.islower() and (len(text) == 1 or text in GREEK)
    return (small or text in STEPS) and text not in given


def _is_coefficient(name: Expression, parts: Sequence[Any]) -> bool:
    r"""Say whether a small letter stands before and below tensors alone, as \alpha of w - \alpha g does."""
    products = [p for p in parts if isinstance(p, Binary) and p.op in ("*", "/") and not p.axes]
    beside = [p.left if p.op == "*" else p.right for p in products]
    beside += [p.left for p in products if p.op == "/" and isinstance(p.right, Letter | Number)]
    letter = name.base if isinstance(name, Scripts) else name
    return is_small(letter) and beside.count(name) == parts.count(name)


def _multiplied(
    statements: Sequence[Statement],
    names: Mapping[int, Sequence[Expression]],
    given: Mapping[str, Mapping[int, set[str]]],
    plain: str,
) -> Callable[[Definition], Any]:
    r"""Make the change of \eta (a - b) to a product, where words say that \eta is a number, or it has axes.

    Words that say something else of it do so too where it stands without brackets as well, and where it
    is no plain letter and all that stands in its brackets is an expression.
    """
    calls: dict[str, list[Call]] = {}
    for call in all_of(Call, tuple(statements)):
        calls.setdefault(key_of(call.function), []).append(call)
    indices = {c for at in all_of(At, tuple(statements)) for c in all_of(Call, at.at)}
    spaces = [(n, s.space) for s in statements if isinstance(s, Declaration) for n in s.names]
    made = [s for s in statements if isinstance(s, Definition)]
    functions = {key_of(s.target.function) for s in made if isinstance(s.target, Call)}
    values = [s.target for s in made if isinstance(s.target, Letter) and not is_name(s.body)]
    numbers = {key_of(name) for name, space in spaces if space.axes}
    numbers = (numbers | {name.text for name in values}) - functions  # X (a - b)
    for place, statement in enumerate(statements):
        for name in names[place]:
            called = calls.get(key_of(name), []) if key_of(name) not in given else []
            words = _words_around(statement.span, plain) if called else None
            if words is None:
                continue
            bare = sum(part == name for part in walk(tuple(statements))) > len(called)
            marked = isinstance(name, Scripts) or (isinstance(name, Letter) and len(name.text) > 1)
            inside = [a for c in called for a in c.arguments]
            whole = all(isinstance(a, (Binary, Contract)) for a in inside)
            index = all(c in indices for c in called)  # x_{i + d (k - 1)}
            if words.number or (words.something and (bare or index or (marked and whole))):
                numbers.add(key_of(name))

    def change(part: Any) -> Any:
        if not isinstance(part, Call) or key_of(part.function) not in numbers:
            return None
        if part.axes or part.parameters or len(part.arguments) != 1:
            return None
        return Binary(part.span, "*", part.function, put(part.arguments[0], change))

    return lambda definition: put(definition.body, change) if numbers else definition.body


def _rooted(name: Any) -> Any:
    r"""Give \sigma for \sigma^2, \sigma_s for \sigma_s^2, f^* as it is, and the name that \Delta t is."""
    if isinstance(name, Binary):
        both = compound(name)
        return name if both is None else both[1]
    squared = isinstance(name, Scripts) and isinstance(name.sup, Number)
    return _without_power(name) if squared and name.sub else name.base if squared else name


def _without_power(part: Any) -> Any:
    r"""Give \sigma_s for \sigma_s^2, and f_1^* as it is."""
    raised = isinstance(part, Scripts) and part.sub is not None and part.sup is not None
    raised = raised and getattr(part.sup, "text", "") not in STARS
    return replace(part, sup=None) if raised else part


def _note(name: Expression, source: Source, silent: bool) -> Finding:
    written = source.text[name.span.start : name.span.end]
    spoken = "nothing here" if silent else "the text speaks of it, and nothing else here"
    why = f"{written} is taken for a number: {spoken} says what it is"
    hint = f"declare it: {written} \\in \\mathbb{{R}}"
    return Finding("note", "undeclared", why, source, name.span, (), hint)


def _size_note(name: Expression, axis: str, noun: str, source: Source) -> Finding:
    written = source.text[name.span.start : name.span.end]
    size = rf"|\text{{{axis}}}|"
    because = f"the text says that it is the number of {noun}" if noun else "steps go on to it"
    why = f"{written} is taken for {size}, for {because}"
    hint = (
        f"say so: {written} = {size}; or declare it as another number: {written} \\in \\mathbb{{R}}"
    )
    return Finding("note", "meaning", why, source, name.span, (), hint)


def _axis_of(noun: str, axes: Iterable[str]) -> str | None:
    """Give the one axis that is named for a noun: sample of samples, query of queries, doc of documents."""
    noun = noun.lower()
    exact = [a for a in axes if noun in (a, f"{a}s", f"{a}es", f"{a[:-1]}ies")]
    short = [a for a in axes if len(a) > 2 and noun.startswith(a.removesuffix("s"))]
    found = exact or short if noun else []
    return found[0] if len(found) == 1 else None


def _names_alone(statement: Statement, text: str) -> tuple[Expression, ...]:
    r"""Give the letters that stand alone in prose, one or some with commas; \sigma of \sigma^2."""
    written = text[statement.span.start : statement.span.end]
    drawn = DRAWN.fullmatch(written) or _spread(written)
    drawn = drawn or (THINGS.match(text, statement.span.end) and MOVED.fullmatch(written))
    if not isinstance(statement, (Aside, Constraint)) or not (LETTERS.fullmatch(written) or drawn):
        return ()
    start, end = drawn.span("names") if drawn else (0, len(written))
    try:
        tokens = clean(tokens_of(text, statement.span.start + start, statement.span.start + end))
        parser = Parser([replace(t, text=",") if t.text in ORDERED else t for t in tokens])
        names = tuple(map(_rooted, listed(parser.listing(RELATION + 1))))
    except Fault:
        return ()
    bases = [name.base if isinstance(name, Scripts) else name for name in names]
    dressed = "^(?:Delta|delta)(?=.)|(?:bar|hat|tilde|cal)$"
    texts = [re.sub(dressed, "", b.text) if isinstance(b, Letter) else "" for b in bases]
    plain = all(len(text) == 1 or text in GREEK for text in texts)
    return names if plain and parser.peek() is parser.stop else ()


def _spread(written: str) -> re.Match[str] | None:
    """Find the letter of a variance in what says how something is distributed."""
    found = SPREAD.fullmatch(written)
    return found if found and (found["power"] or found["unit"]) else None


def _extremes(statement: Definition, given: Collection[str]) -> list[Expression]:
    r"""List the least and the greatest, v_{\min} and v_{\max}, that a definition uses and nothing gives."""
    found = [name for name in all_of(Scripts, statement.body) if name.sup is None]
    subs = [
        (name, getattr(name.sub, "text", "")) for name in found if isinstance(name.base, Letter)
    ]
    return [n for n, sub in dict(subs).items() if EXTREME.fullmatch(sub) and key_of(n) not in given]


def _of_function(
    statement: Definition,
    given: Mapping[str, Mapping[int, set[str]]],
    scripted: Mapping[Scripts, int],
    parents: Sequence[int],
) -> list[Expression]:
    r"""Give the \kappa of H_\kappa(u) = ... that the body uses, where it is always the same.

    So is the k of R_k = mean(r <= k), which no other formula uses.
    """
    target, body = statement.target, statement.body
    name = target.function if isinstance(target, Call) else target
    letter = name.sub if isinstance(name, Scripts) and name.sup is None else None
    if not isinstance(name, Scripts) or letter is None or letter not in names_of(body):
        return []
    text = key_of(letter)
    meant = given.get(text, {})
    kinds = set[str]().union(*meant.values())
    if isinstance(target, Call):
        shares = [p.right for p in all_of(Binary, body) if p.op in ("+", "-") and p.left == ONE]
        # the k of f_k(u) counts, and the w of (1 - w) u is a share
        real = text in GREEK or letter in shares or (text.isupper() and kinds <= {"script"})
        alone = not any(part.base == name.base and part.sub != letter for part in scripted)
    else:
        count = sum(many for part, many in scripted.items() if part.base == name.base)
        held = [a for c in all_of(Call, body) for a in c.arguments if isinstance(a, Relation)]
        compared = letters_of(tuple(held)).count(letter)
        real = is_small(letter) and 0 < compared == letters_of(body).count(letter)
        near = [at for at in meant if in_reach(at, statement.section, parents)]
        kinds = set[str]().union(*[meant[at] for at in near])
        alone = count == 1 and statement.condition is None
    return [letter] if real and alone and kinds <= {"script"} else []


def _applied(statements: Sequence[Statement]) -> set[str]:
    r"""List the letters that may be functions everybody knows, \sigma(x), and stand not as \sigma^2 alone."""
    powers = [p for p in all_of(Scripts, tuple(statements)) if isinstance(p.sup, Number)]
    raised = {id(p.base) for p in powers if p.sub is None}
    return {t.text for t in letters_of(tuple(statements)) if id(t) not in raised} & APPLIED.keys()


def _never_named(statement: Statement, known: Collection[str]) -> list[Expression]:
    r"""Give Greek letters of a body that nothing gives and no prose names, of L + \lambda R, and \Delta t."""
    body = getattr(statement, "body", ())
    small = {text for text in SMALL if is_divisor(text, body)}
    found = [t for t in letters_of(body) if t.text not in known or t.text in small]
    return [*dict.fromkeys(filter(_is_factor, found))]


def is_divisor(text: str, body: Any) -> bool:
    r"""Say whether a letter divides by itself, C / \epsilon, and is no small number beside another."""
    below = [part.right for part in all_of(Binary, body) if part.op == "/"]
    factors: list[Any] = []
    while below:
        part: Any = below.pop()
        if isinstance(part, Binary) and part.op == "*":
            below += [part.left, part.right]
        else:
            factors.append(part.base if isinstance(part, Scripts) and part.sub is None else part)
    return any(isinstance(part, Letter) and part.text == text for part in factors)


def _is_number(
    name: Expression, body: Expression, given: Mapping[str, Mapping[int, set[str]]]
) -> bool:
    r"""Say whether a letter stands only where numbers do: \lambda R, S / \tau, 1 - \alpha, \gamma^t R.

    Or with others alone, f(x, \eta \lambda).
    """
    fine: list[Any] = []
    powers: list[Scripts] = []
    called: list[Any] = []
    for part in walk(body):
        match part:
            case Binary(op="*", axes=(), left=left, right=right):
                alone = all(isinstance(p, (Binary, Number)) or _is_factor(p) for p in walk(part))
                fine += [left, right] if part in fine or alone else [left]
            case Call(axes=(), parameters=(), arguments=(whole,), function=Letter(text=text)):
                if not is_name(whole):
                    (called if text in CALLED else fine).append(part.function)
            case Binary(op="/", left=left, right=right):
                kinds = set[str]().union(*given.get(key_of(right), {}).values())
                number = (
                    isinstance(right, (AxisSize, Number))
                    or ((isinstance(right, Letter) or "value" in kinds) and "axes" not in kinds)
                    or part in fine
                )
                fine += [right, left] if number else [right]
            case Binary(op="+" | "-", left=Number(), right=right):
                fine.append(right)
            case Scripts(sub=None, sup=sup, primes=0) if sup is not None:
                powers.append(part)
                fine.append(sup)
    # \gamma^l may be one of a family where it is no factor
    fine += [p.base for p in powers if not isinstance(p.sup, Letter) or p in fine]
    # beside \rho I, \rho (u - v) is a product too
    times = fine.count(name) + (called.count(name) if name in fine else 0)
    return [*walk(body)].count(name) == times


def _is_factor(part: object) -> bool:
    """Say whether a part is a small Greek letter or a step of a coordinate, as numbers are."""
    small = isinstance(part, Letter) and part.text in GREEK and part.text.islower()
    return small or (isinstance(part, Letter) and part.text in STEPS)


def _names_among(written: Mapping[str, Expression], text: str) -> list[Expression]:
    """List the letters among some that mathematics in prose names without indices."""
    return [
        n
        for said, n in written.items()
        if said in text and f"{said}_" not in text and is_named(said, text)
    ]


def is_named(name: str, text: str) -> bool:
    """Say whether a text names a letter, and not merely a longer word with it."""
    start = text.find(name)
    while start >= 0:
        before, after = text[:start][-1:], text[start + len(name) :][:1]
        if not (before.isalpha() or before == "\\") and not (
            name[-1].isalpha() and after.isalpha()
        ):
            return True
        start = text.find(name, start + 1)
    return False


def is_told(name: str, text: str) -> bool:
    """Say whether prose names a letter alone and says that it is a number: "two numbers $a$ and $b$"."""
    for found in INLINE.finditer(text):
        inside = found[1] or found[2] or ""
        if name in inside and LETTERS.fullmatch(inside) and is_named(name, inside):
            words = _words_around(Span(*found.span()), text)
            if words is not None and (words.number or words.counts):
                return True
    return False


def _words_around(span: Span, text: str) -> Words | None:
    """Read the words around a letter in its paragraph, with signs in place of the mathematics.

    None where they say that it has axes.
    """
    drawn = DRAWN.fullmatch(text, span.start, span.end)
    if CELL.match(text, span.end) or drawn or _spread(text[span.start : span.end]):
        return Words(something=True, number=True)
    start = max(text.rfind("\n\n", 0, span.start) + 2, span.start - FAR, 0)
    end = text.find("\n\n", span.end)
    end = min(len(text) if end < 0 else end, span.end + FAR)
    begin, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end, end)
    stop = end if stop < 0 else stop
    table = re.search(WALL, INLINE.sub(OTHER, text[begin:stop])) is not None
    start, end = (max(start, begin), stop) if table else (start, end)
    before, after, at = "", "", start
    for found in INLINE.finditer(text, start, end):
        words = text[at : found.start()].replace("~", " ")
        inside = found[1] or found[2] or ""
        sign = NAME if LETTERS.fullmatch(inside) else OTHER
        if found.end() <= span.start:
            before += words + sign
        elif found.start() >= span.end:
            after += words + sign
        else:
            before += words
        at = found.end()
    after = DASH.sub(" is a ", after + text[at:end].replace("~", " "))
    if table:
        before, after = re.sub(f"{WALL}$", " ", before), re.sub(WALL, ". ", after)
    if SEVERAL.fullmatch(text, span.start, span.end):
        before = re.sub(r"\bweights(?=\s+$)", "weight", before)
    about = re.split(
        rf"[.,;({OTHER}]|\b(?:(?!of\b)(?:{MORE})|{THAN})\b|(?<!{NAME} )\band\b", before
    )[-1]
    said = re.match(rf"{IS}(?P<what>[^.,;({NAME}{OTHER}]*)", after, re.IGNORECASE)
    number = bool(BEFORE.search(before) or AFTER.match(after))
    counted = COUNTED.search(before[-8:] + NAME + after[:40])
    told = said is not None and not number and TENSOR.search(said["what"])
    if not counted and (TENSOR.search(about) or told):
        return None
    counted = counted or (MOVED.fullmatch(text, span.start, span.end) and THINGS.match(after))
    counts = bool(COUNTS.match(after) or counted)
    around = before[-60:] + OWN + after[:60]
    ends = RANGED.search(around) or IN_BRACKETS.search(around)
    something = number or counts or bool(NAMED.search(before) or SAID.match(after) or ends)
    having = NUMBER_OF if HAVING.search(before) else NUMBER_OF[:1]
    many = IS_NUMBER.search(before) or next((m for p in having if (m := p.match(after))), None)
    begins = counts and LET.search(before) is not None
    noun = next((word for word in many.groups() if word), "") if many else ""
    whole = WHOLE.match(after) is not None
    return Words(something or whole, number, counts, begins, noun, whole)


def _given(statements: Sequence[Statement]) -> dict[str, dict[int, set[str]]]:
    """List the names that stand for something by section, and as what.

    That is a tensor with `axes`, another `value`, an `argument` of a function, a `letter` that counts, a
    `script` of what a definition is of, or the `head` of names with subscripts.
    """
    found: dict[str, dict[int, set[str]]] = {}

    def give(kind: str, words: Iterable[str]) -> None:
        for word in words:
            found.setdefault(word, {}).setdefault(statement.section, set()).add(kind)

    targets = [getattr(statement, "target", None) for statement in statements]
    functions = {key_of(t.function) for t in targets if isinstance(t, Call)}  # H_h is of h
    for statement in statements:
        if isinstance(statement, Declaration):
            kind = "axes" if statement.space.axes else "value"
            give(kind, map(key_of, statement.names))
            for name in statement.names:
                relative = isinstance(name, Scripts) and name.sub is not None and name.sup is None
                give("head" if relative else kind, [head_of(name)])
            give("value", [letter.text for letter in letters_of(statement.space)])
        elif isinstance(statement, Signature):
            give("value", [letter.text for letter in letters_of(statement)])
        elif isinstance(statement, Constraint):
            give("value", _bound(statement.relation))
        elif isinstance(statement, Definition):
            target = statement.target
            taken = (*target.arguments, *target.parameters) if isinstance(target, Call) else ()
            give("argument", map(key_of, taken))
            give("value", map(key_of, subjects_of(statement)))
            give("script", [t.text for t in letters_of(target) if t not in taken])
            give("letter", _bound(statement.condition))
            run: list[Any] = [b.index for p in all_of(Big, statement.body) for b in all_bound(p)]
            counted: list[Any] = [*run, *[part.at for part in all_of(At, statement.body)]]
            counted += [
                n.sub for n in all_of(Scripts, statement.body) if key_of(n) not in functions
            ]
            strides = {t.text for part in counted for t in _strides(part)}
            bound = texts_of((target, *run))
            own = {t.text for part in counted for t in letters_of(part)}
            give("letter", own - (strides - bound))
    return found


def _strides(index: Any) -> Iterator[Letter]:
    """Give the letters that multiply another one in an index, H of (m - 1) H + n, or move it, c of i - c."""
    for part in all_of(Binary, index):
        if letters_of(part.left) and letters_of(part.right):
            sides = (part.left, part.right) if part.op == "*" else (part.right,)
            yield from [side for side in sides if isinstance(side, Letter)]
    called = [call.function for call in all_of(Call, index) if letters_of(call.arguments)]
    yield from [name for name in called if isinstance(name, Letter)]  # \delta (k - 1)


def _bound(condition: Expression | None) -> Iterator[str]:
    """Name what a relation says something of: an index, what is equal to something, what lies above 0."""
    for relation in all_of(Relation, condition):
        yield from [between.index.text for between in ranges_in(relation)]
        if not {*relation.ops} <= {"<", ">", "<=", ">="}:
            yield from [letter.text for letter in letters_of(relation.first)]
        yield from [key_of(name) for name in numbers_in(relation)]


def _is_tensor(name: Expression, part: object) -> bool:
    """Say whether a part of a formula uses a letter as a number cannot be used."""
    match part:
        case Contract(left=left, right=right, axes=axes) if axes:
            return name in (left, right)
        case Big(upper=upper) if name in walk(upper):
            return True  # how many terms there are is chosen
        case Big(body=body, axes=axes) if axes:
            return name == body
        case Call(function=function, arguments=arguments, parameters=parameters, axes=axes):
            called = name == function and (bool(axes) or len(arguments) != 1)
            return called or name in parameters or (bool(axes) and name in arguments)
        case Indexed(base=base):
            return name == base
        case Scripts(base=base, sub=sub):
            return name == base and sub is not None
    return False


def _may_be_tensor(name: Expression, part: object) -> bool:
    """Say whether a letter stands in what acts along axes, or is given to a function."""
    match part:
        case Contract(axes=axes) | Big(axes=axes) if axes:
            return any(inner == name for inner in walk(part))
        case Call(axes=(), arguments=(Relation(),)):
            return False  # 1[x > h] compares the elements
        case Call(function=function, axes=axes) if axes or head_of(function) not in FUNCTIONS:
            return any(inner == name for inner in walk(part))  # eta (1 + x) may be a function's
    return _is_tensor(name, part)
