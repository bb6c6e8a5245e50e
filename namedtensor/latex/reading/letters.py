"""Settle what only a whole document can tell of its letters.

Italics without a space, `kh`, are one name where the document has that name, and a product where it
has k and h only. A bold W is W where there is no other W.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from namedtensor.latex.reading.words import LETTERS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Binary,
    Call,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Scripts,
    Signature,
    Statement,
)
from namedtensor.latex.walk import fields_of, letters_of

Part = TypeVar("Part")

#: The dresses that a letter may lose where no other letter is meant.
DRESSES = ("bold", "cal")


def settled(statements: Sequence[Statement], text: str) -> list[Statement]:
    """Give the statements with their letters settled."""
    spoken = [letters_of(each) for each in statements]
    letters = [letter for here in spoken for letter in here]
    texts = {letter.text for letter in letters}
    plain: dict[str, str] = {}
    for name in {letter.text for letter in letters if letter.style == "letter"}:
        for dress in DRESSES:
            bare = name.removesuffix(dress)
            one = len(bare) == 1 or bare in LETTERS
            if bare != name and one and bare not in texts:
                plain[name] = bare
    bound = {plain.get(name, name) for each in statements for name in _bound(each)}
    joined = {
        letter.text
        for letter in letters
        if letter.style == "letter" and len(letter.text) > 1 and _as_written(letter, text)
    }
    split = {each for each in joined - bound - plain.keys() if all(part in bound for part in each)}
    if not plain and not split:
        return list(statements)
    touched = split | plain.keys()
    return [
        rebuilt(each, plain, split) if any(letter.text in touched for letter in here) else each
        for each, here in zip(statements, spoken, strict=True)
    ]


def _as_written(letter: Letter, text: str) -> bool:
    """Say whether a name stands in the text as italics, and is no command such as \\infty."""
    return text[letter.span.start : letter.span.end] == letter.text


def _bound(statement: Statement) -> Iterator[str]:
    """Name what a statement declares, defines, or takes as an argument."""
    if isinstance(statement, Declaration):
        yield from _heads(statement.names)
    elif isinstance(statement, Signature):
        yield from _heads((statement.name,))
    elif isinstance(statement, Definition):
        yield from _heads((statement.target,))


def _heads(names: Sequence[Expression]) -> Iterator[str]:
    for name in names:
        if isinstance(name, Call):
            yield from _heads((name.function, *name.arguments, *name.parameters))
        elif isinstance(name, Indexed):
            yield from _heads((name.base, *(getattr(item, "at", name.base) for item in name.items)))
        elif isinstance(name, Items):
            yield from _heads(name.parts)
        elif isinstance(name, Scripts):
            yield from _heads((name.base,))
        elif isinstance(name, Letter):
            yield name.text


def rebuilt(part: Part, plain: dict[str, str], split: set[str]) -> Part:
    """Give a part with dresses taken off and joined letters parted."""
    found = _rebuilt(part, plain, split)
    return found  # type: ignore[return-value]


def _rebuilt(thing: object, plain: dict[str, str], split: set[str]) -> object:
    if isinstance(thing, Letter):
        if _is_parted(thing, split):
            return _product(thing)
        text = plain.get(thing.text)
        return thing if text is None else replace(thing, text=text)
    if (
        isinstance(thing, Scripts)
        and isinstance(thing.base, Letter)
        and _is_parted(thing.base, split)
    ):
        product = _product(thing.base)
        sub, sup = (_rebuilt(script, plain, split) for script in (thing.sub, thing.sup))
        last = replace(thing, base=product.right, sub=sub, sup=sup)  # type: ignore[arg-type]
        return replace(product, right=last, span=thing.span)
    if isinstance(thing, tuple):
        parts = tuple(_rebuilt(each, plain, split) for each in thing)
        return thing if all(new is old for new, old in zip(parts, thing, strict=True)) else parts
    changed = {}
    for name in fields_of(type(thing)) or ():
        old = getattr(thing, name)
        new = _rebuilt(old, plain, split)
        if new is not old:
            changed[name] = new
    return replace(thing, **changed) if changed else thing  # type: ignore[type-var]


def _is_parted(letter: Letter, split: set[str]) -> bool:
    """Say whether a letter is a product; a command such as \\pi is one sign longer than its name."""
    span = letter.span
    return letter.text in split and span.end - span.start == len(letter.text)


def _product(letter: Letter) -> Binary:
    """Part joined letters into a product of one-letter names."""
    start = letter.span.start
    parts = [Letter(Span(start + i, start + i + 1), text) for i, text in enumerate(letter.text)]
    product: Expression = parts[0]
    for part in parts[1:]:
        product = Binary(product.span | part.span, "*", product, part, (), "juxtaposed")
    assert isinstance(product, Binary)
    return product
