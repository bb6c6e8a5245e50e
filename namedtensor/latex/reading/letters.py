"""Settle what only a whole document can tell of its letters.

Italics without a space, `kh`, are one name where the document has that name, and a product where it
has k and h only. A bold W is W where there is no other W, and where W has nothing but elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from namedtensor.latex.reading.words import LETTERS
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
from namedtensor.latex.walk import all_of, letters_of, parted, put

Part = TypeVar("Part")

#: The dresses that a letter may lose where no other letter is meant.
DRESSES = ("bold", "cal")


def settled(statements: Sequence[Statement], text: str) -> list[Statement]:
    """Give the statements with their letters settled."""
    spoken = [letters_of(each) for each in statements]
    letters = [letter for here in spoken for letter in here]
    texts = Counter([letter.text for letter in letters])
    texts -= Counter(_of_elements(statements))
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


def _of_elements(statements: Sequence[Statement]) -> Iterator[str]:
    """Name the letters that have elements in formulas, and that no statement gives."""
    given = {name for each in statements for name in _bound(each)}
    for part in all_of(Indexed, tuple(statements)):
        if isinstance(part.base, Letter) and part.base.text not in given:
            yield part.base.text


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
        elif isinstance(name, Scripts):  # re of h^{re} is no product of r and e
            yield from _heads((name.base,))
            yield from [each.text for each in letters_of((name.sub, name.sup)) if each.text[1:]]
        elif isinstance(name, Letter):
            yield name.text


def rebuilt(part: Part, plain: dict[str, str], split: set[str]) -> Part:
    """Give a part with dresses taken off and joined letters parted."""

    def change(thing: object) -> object | None:
        if isinstance(thing, Letter):
            if _is_parted(thing, split):
                return _product(thing)
            return replace(thing, text=plain[thing.text]) if thing.text in plain else None
        base = thing.base if isinstance(thing, Scripts) else None
        if not isinstance(thing, Scripts) or not isinstance(base, Letter):
            return None
        if not _is_parted(base, split):
            return None
        product = _product(base)
        sub, sup = put(thing.sub, change), put(thing.sup, change)
        last = replace(thing, base=product.right, sub=sub, sup=sup)
        return replace(product, right=last, span=thing.span)

    found: Part = put(part, change)
    return found


def _is_parted(letter: Letter, split: set[str]) -> bool:
    """Say whether a letter is a product; a command such as \\pi is one sign longer than its name."""
    span = letter.span
    return letter.text in split and span.end - span.start == len(letter.text)


def _product(letter: Letter) -> Binary:
    """Part joined letters into a product of one-letter names."""
    product: Expression
    product, *parts = parted(letter)
    for part in parts:
        product = Binary(product.span | part.span, "*", product, part, (), "juxtaposed")
    assert isinstance(product, Binary)
    return product
