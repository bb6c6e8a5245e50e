r"""Numbers that only prose names: "a learned temperature $\tau$", "let $\alpha$ denote the scale".

Such a letter is a parameter, a number, where the formulas of its section use it as one; a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.spoken import CONSTANTS, head_of, sections_around
from namedtensor.latex.reading.words import LETTERS
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import (
    Aside,
    At,
    Big,
    Call,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Indexed,
    Letter,
    Scripts,
    Signature,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, letters_of, walk

#: What is a number, as its name says.
NOUN = (
    r"(?:scalar|number|constant|temperature|scale|rate|step size|coefficient|factor|threshold|margin|"
    r"momentum|strength|slope|decay|exponent|hyper-?parameter|probability|penalty)"
)
BEFORE = re.compile(rf"\b{NOUN}\s+(?:\$|\\\()?$", re.IGNORECASE)
AFTER = re.compile(
    r"(?:\$|\\\))?,?\s+(?:denotes?|is|be|being|stands? for)\s+(?:an?|the|some|its)\s+"
    rf"(?:[\w-]+\s+){{0,3}}?{NOUN}\b",
    re.IGNORECASE,
)


def with_quantities(
    statements: Sequence[Statement], source: Source, parents: Sequence[int]
) -> tuple[list[Statement], list[Finding]]:
    """Declare the numbers that prose names; give the statements, and a note on each."""
    given = {*CONSTANTS, *_given(statements)}
    found, notes = list(statements), []
    for place, statement in enumerate(statements):
        name = _named(statement, source.text)
        if name is None or name.text in given:
            continue
        used = [
            d.body
            for d in statements
            if isinstance(d, Definition)
            and statement.section in sections_around(d.section, parents)
            and any(letter.text == name.text for letter in letters_of(d.body))
        ]
        if not used or any(_is_tensor(name, part) for body in used for part in walk(body)):
            continue
        given.add(name.text)
        where = {"block": statement.block, "section": statement.section}
        found[place] = Declaration(name.span, (name,), Space(name.span, "R", ()), **where)
        written = source.text[name.span.start : name.span.end]
        why = f"{written} is taken for a number: the text calls it one, and nothing else says what it is"
        hint = f"declare it: {written} \\in \\mathbb{{R}}"
        notes.append(Finding("note", "undeclared", why, source, name.span, (), hint))
    return found, notes


def _given(statements: Sequence[Statement]) -> list[str]:
    """List the letters that stand for something: declared, defined, taken, or counted with."""
    found: list[str] = []
    for statement in statements:
        if isinstance(statement, Declaration):
            found += [head_of(name) for name in statement.names]
            found += [letter.text for letter in letters_of(statement.space)]
        elif isinstance(statement, Signature | Constraint):
            found += [letter.text for letter in letters_of(statement)]
        elif isinstance(statement, Definition):
            found += [letter.text for letter in letters_of(statement.target)]
            counted = [statement.condition, *[part.at for part in all_of(At, statement.body)]]
            counted += [part.lower for part in all_of(Big, statement.body)]
            for name in all_of(Scripts, statement.body):
                counted += [name.sub]
            found += [t.text for part in counted if part is not None for t in letters_of(part)]
    return found


def _named(statement: Statement, text: str) -> Letter | None:
    """Give the letter that stands alone in prose, where the words around it call it a number."""
    if not isinstance(statement, Aside):
        return None
    span = statement.span
    word = statement.text.strip().lstrip("\\")
    greek = statement.text.strip().startswith("\\") and word in LETTERS
    if not word.islower() or not (greek or (len(word) == 1 and word.isalpha())):
        return None
    start = max(0, span.start - 60)
    if BEFORE.search(text[start : span.start]) or AFTER.match(text[span.end : span.end + 90]):
        return Letter(span, word)
    return None


def _is_tensor(name: Letter, part: object) -> bool:
    """Say whether a part of a formula uses a letter as a number cannot be used."""
    match part:
        case Contract(left=left, right=right, axes=axes) if axes:
            return name in (left, right)
        case Big(body=body, axes=axes) if axes:
            return name == body
        case Call(function=function, arguments=arguments, axes=axes):
            return name == function or (bool(axes) and name in arguments)
        case Indexed(base=base):
            return name == base
        case Scripts(base=base, sub=sub):
            return name == base and sub is not None
    return False
