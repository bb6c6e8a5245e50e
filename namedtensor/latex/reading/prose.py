"""Read the words of a text in a formula, and the mathematics between dollars in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from namedtensor.latex.reading.tokens import Token
from namedtensor.latex.reading.words import GREEK_SIGNS
from namedtensor.latex.source import Span

#: Prose that joins two conditions is parted from what stands before and after.
JOINED = re.compile(r"(?:(?P<first>and|or)\s+)?(?P<middle>.*?)(?:\s+(?P<last>and|or))?$", re.DOTALL)

#: Names of axes in one text, \text{row, col'}.
LISTED = re.compile(r"[^\W\d]\w*'*(?:\s*,\s*[^\W\d]\w*'*)+")

#: A Greek letter in a text stands for itself.
LETTERS = {name: letter for letter, name in GREEK_SIGNS.items()}


def words_of(kind: str, inner: Sequence[Token], span: Span, spaced: bool) -> Iterator[Token]:
    """Give the tokens of a text: its words as one each, what stands between dollars as it is.

    >>> from namedtensor.latex.reading.tokens import tokens_of
    >>> [t.text for t in words_of("word", tokens_of("if $i$ is odd"), Span(0, 1), False)]
    ['if', 'i', 'is odd']
    """
    if not any(token.text == "$" for token in inner):
        yield from _words(kind, _plain(inner), span, spaced)
        return
    prose: list[Token] = []
    within = False
    for token in [*inner, Token("sign", "$", span)]:
        if token.text == "$":
            if not within and prose:
                yield from _words(kind, _plain(prose), prose[0].span | prose[-1].span, True)
            prose = []
            within = not within
        elif within:
            yield token
        else:
            prose.append(token)


def _words(kind: str, text: str, span: Span, spaced: bool) -> Iterator[Token]:
    """Give a text as one token; a list of axes as several, and what joins conditions apart."""
    if not text:
        return
    if "," in text and (kind == "axis" or LISTED.fullmatch(text)):
        for at, name in enumerate(text.split(",")):
            if at:
                yield Token("sign", ",", span)
            yield Token(kind, name.strip(), span, spaced)
        return
    found = JOINED.match(text) if kind == "word" and " " in text else None
    for part in [text] if found is None else [p for p in found.groups() if p]:
        yield Token(kind, part, span, spaced)


def _plain(tokens: Sequence[Token]) -> str:
    """Give the words of a text as a string."""
    parts: list[str] = []
    for token in tokens:
        if token.spaced:
            parts.append(" ")
        text = token.text
        if token.kind == "command":
            text = text[1] if len(text) == 2 else LETTERS.get(text[1:], text)
        if text in ("\\quad", "\\qquad"):
            text = " "
        parts.append("" if token.kind in ("open", "close") else text)
    return "".join(parts).strip()
