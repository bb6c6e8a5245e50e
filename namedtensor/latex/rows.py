"""Part what stands in one place of mathematics into the pieces that each say something.

Rows end with \\\\, cells with &. A row that begins with a relation or an operator goes on with the row
above. In a row, commas, wide spaces and words such as `where` part one statement from the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from namedtensor.latex.tokens import Token

LAYOUTS = frozenset(
    (
        "aligned alignedat split gathered align alignat flalign gather multline equation eqnarray multlined"
        " displaymath math dmath subequations lgathered rgathered eqnarray"
    ).split()
)

#: These hold one statement however many rows they take.
ONE = frozenset(("multline", "multlined", "dmath"))

RELATIONS = frozenset(
    (
        "= < > := \\leq \\geq \\neq \\in \\notin \\ni \\leftarrow \\rightarrow \\mapsto \\sim \\propto \\approx \\equiv"
        " \\simeq \\cong \\subset \\subseteq \\supset \\supseteq \\ll \\gg \\Rightarrow \\Leftarrow \\iff \\implies"
        " \\Leftrightarrow \\Longrightarrow \\Longleftrightarrow \\leftrightarrow \\perp \\models \\vdash \\doteq"
    ).split()
)

OPERATORS = frozenset(
    (
        "+ - * / \\cdot \\odot \\times \\circ \\cup \\cap \\setminus \\bmod \\ndot \\nbin \\pm \\otimes \\oplus \\star"
        " \\wedge \\vee \\bullet \\ast \\div"
    ).split()
)

OPENING = frozenset("( [ \\{ \\langle \\lvert \\lVert \\lfloor \\lceil".split())
CLOSING = frozenset(") ] \\} \\rangle \\rvert \\rVert \\rfloor \\rceil".split())
DOTS = frozenset("\\vdots \\ddots \\vdotswithin".split())
WIDE = frozenset("\\quad \\qquad".split())
LENGTH = re.compile(r"-?[\d.]+\s*(?:ex|em|pt|mm|cm|in|mu|\\\w+)?$")


@dataclass(slots=True)
class Piece:
    """The tokens of one statement, and the words before and after it."""

    tokens: list[Token]
    words: list[Token] = field(default_factory=list)


def environment(token: Token, which: str = "\\begin") -> str | None:
    """Give the environment that a token begins (or ends), without its star."""
    text = token.text
    if token.kind != "command" or not text.startswith(which + "{"):
        return None
    return text[len(which) + 1 : -1].rstrip("*")


def lines_of(tokens: Sequence[Token]) -> list[list[Token]]:
    """Part tokens into rows that each stand for themselves, their cells still marked by &."""
    found: list[list[Token]] = []
    for rows, joined in _layouts(list(tokens)):
        if joined:
            found.append([token for row in rows for token in row if token.kind != "tab"])
            continue
        for row in rows:
            if not [token for token in row if token.kind != "tab"]:
                continue
            if found and _continues(found[-1], row):
                found[-1] = _joined(found[-1], row)
            else:
                found.append(row)
    return found


def _joined(above: list[Token], row: list[Token]) -> list[Token]:
    while above and above[-1].kind == "tab":
        above = above[:-1]
    start = 0
    while start < len(row) and row[start].kind == "tab":
        start += 1
    return above + row[start:]


def _continues(above: Sequence[Token], row: Sequence[Token]) -> bool:
    """Say whether a row goes on with what the row above says."""
    meant = [token for token in row if token.kind != "tab"]
    first = meant[0]
    before = [token for token in above if token.kind != "tab"]
    if _is_dots(meant) or _is_dots(before):
        return False
    if _starts_on(meant) or _depth(before) > 0:
        return True
    last = before[-1]
    if last.text in OPERATORS | RELATIONS and not _under(before):
        return True
    return (
        row[0].kind == "tab"
        and first.kind != "word"
        and not _relates(meant)
        and not _relates_at_end(before)
    )


def _relates_at_end(tokens: Sequence[Token]) -> bool:
    return tokens[-1].text in (",", ".", ";")


def _under(tokens: Sequence[Token]) -> bool:
    """Say whether the last token is an argument or a script, not an operator."""
    return len(tokens) > 1 and tokens[-2].kind in ("sup", "sub")


def _starts_on(meant: Sequence[Token]) -> bool:
    first = meant[0]
    if first.text in RELATIONS or (first.text in OPERATORS and first.kind != "letter"):
        return True
    if first.text in CLOSING or first.text == ":":
        return True
    return first.text == "\\underset" and operator_below(meant, 0)


def operator_below(tokens: Sequence[Token], at: int) -> bool:
    """Say whether the \\underset at this place stands for an operator."""
    after = _after_group(tokens, at + 1)
    if after >= len(tokens):
        return False
    inner = tokens[after]
    if inner.kind == "open" and after + 1 < len(tokens):
        inner = tokens[after + 1]
    return inner.text in OPERATORS


def _after_group(tokens: Sequence[Token], at: int) -> int:
    """Give the place after the argument that begins here."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at].kind == "open") - (tokens[at].kind == "close")
        at += 1
        if depth <= 0:
            break
    return at


def _is_dots(tokens: Sequence[Token]) -> bool:
    return any(token.text in DOTS for token in tokens[:2]) and len(tokens) <= 4


def _depth(tokens: Sequence[Token]) -> int:
    depth = 0
    for token in tokens:
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
    return depth


def _relates(tokens: Sequence[Token]) -> bool:
    """Say whether a relation stands in the open, outside all brackets."""
    return any(token.text in RELATIONS for token in outer(tokens))


def outer(tokens: Sequence[Token]) -> Iterator[Token]:
    """Give the tokens that stand outside braces, brackets and environments."""
    depth = 0
    for token in tokens:
        text = token.text
        if token.kind == "close" or text in CLOSING or text.startswith("\\end{"):
            depth = max(0, depth - 1)
        elif token.kind == "open" or text in OPENING or text.startswith("\\begin{"):
            depth += 1
        elif not depth:
            yield token


def _layouts(tokens: list[Token]) -> Iterator[tuple[list[list[Token]], bool]]:
    """Give the rows of each layout environment, and of what stands outside them."""
    pending: list[Token] = []
    at = 0
    while at < len(tokens):
        name = environment(tokens[at])
        if name not in LAYOUTS:
            pending.append(tokens[at])
            at += 1
            continue
        start = _after_options(tokens, at + 1, name)
        end = _end_of(tokens, at)
        inner = tokens[start:end]
        at = end + 1
        if not _meant(pending):
            pending = []
            if name in ONE:
                rows = split_rows(inner)
                yield rows, True
            else:
                yield from _layouts(inner)
        else:
            pending += [t for row in split_rows(inner) for t in row if t.kind != "tab"]
    if _meant(pending):
        yield split_rows(pending), False


def _meant(tokens: Sequence[Token]) -> bool:
    return any(
        token.text not in (",", ".", ";", "\\\\") and token.text not in WIDE and token.kind != "tab"
        for token in tokens
    )


def _after_options(tokens: Sequence[Token], at: int, name: str) -> int:
    if at < len(tokens) and tokens[at].text == "[" and not tokens[at].spaced and name != "equation":
        while at < len(tokens) and tokens[at].text != "]":
            at += 1
        at += 1
    if name in ("alignedat", "alignat", "array") and at < len(tokens) and tokens[at].kind == "open":
        at = _after_group(tokens, at)
    return at


def _end_of(tokens: Sequence[Token], at: int) -> int:
    """Give the place of the \\end that closes the \\begin at this place, or the end of all."""
    depth = 0
    for place in range(at, len(tokens)):
        text = tokens[place].text
        if text.startswith("\\begin{"):
            depth += 1
        elif text.startswith("\\end{"):
            depth -= 1
            if not depth:
                return place
    return len(tokens)


def split_rows(tokens: Sequence[Token]) -> list[list[Token]]:
    """Part tokens at each \\\\ that stands outside braces and environments."""
    rows: list[list[Token]] = [[]]
    depth = 0
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        text = token.text
        if text == "\\\\" and depth <= 0:
            at = _after_skip(tokens, at)
            rows.append([])
            continue
        if token.kind == "open" or text.startswith("\\begin{"):
            depth += 1
        elif token.kind == "close" or text.startswith("\\end{"):
            depth -= 1
        rows[-1].append(token)
    return rows


def _after_skip(tokens: Sequence[Token], at: int) -> int:
    """Pass the star and the length that may follow \\\\."""
    if at < len(tokens) and tokens[at].text == "*" and not tokens[at].spaced:
        at += 1
    if at < len(tokens) and tokens[at].text == "[":
        for end in range(at + 1, min(at + 8, len(tokens))):
            if tokens[end].text == "]":
                inside = "".join(token.text for token in tokens[at + 1 : end])
                return end + 1 if LENGTH.match(inside) else at
    return at
