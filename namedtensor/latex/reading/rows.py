"""Part a place of mathematics into rows that each stand for themselves.

Rows end with \\\\, cells with &. A row that begins with a relation or an operator, or that comes while
brackets are open, goes on with the row above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.reading.tokens import Token
from namedtensor.latex.reading.words import BIG, BRACKETS, CLOSING, INFIX, RELATIONS

LAYOUTS = frozenset(
    (
        "aligned alignedat split gathered align alignat flalign gather multline multlined equation"
        " eqnarray displaymath math dmath subequations lgathered rgathered"
    ).split()
)

#: The columns of an array that lays out equations.
COLUMNS = ["{", "r", "c", "l", "}"]

#: These hold one statement however many rows they take.
ONE = frozenset(("multline", "multlined", "dmath"))

OPERATORS = frozenset(INFIX) | {"\\ndot", "\\nbin", "\\ncat", "\\wedge", "\\vee"}
DOTS = frozenset(("\\vdots", "\\ddots", "\\vdotswithin", "\\ldots"))
WIDE = frozenset(("\\quad", "\\qquad"))
ENDS = frozenset((",", ".", ";"))
#: Words before what says what a letter of a row is.
EXPLAINING = frozenset(("with", "where"))
LENGTH = re.compile(r"-?[\d.]+(?:ex|em|pt|mm|cm|in|mu|\\\w+)?$")


@dataclass(slots=True)
class Line:
    """The tokens of one or more rows that belong together, and how many brackets stay open."""

    tokens: list[Token]
    depth: int = 0
    dots: bool = False

    @staticmethod
    def of(row: list[Token]) -> Line:
        return Line(row, max(0, _depth(row)), is_dots(row))

    def explained(self) -> list[Token]:
        """Part off what explains a letter at the end, "with z = f(x)", as a row of its own."""
        outside = are_outside(self.tokens) if not self.depth else []
        for at in reversed(range(len(outside))):
            word = self.tokens[at]
            if word.kind == "word" and word.text.strip(" ,") in EXPLAINING and outside[at]:
                if at and self.tokens[at - 1].text in WIDE and _relates(self.tokens[at:]):
                    tail = self.tokens[at:]
                    del self.tokens[at:]
                    return tail
                return []
        return []

    def join(self, row: list[Token]) -> None:
        """Go on with another row; a note at the end of the row above ends there."""
        start = 0
        while start < len(row) and (row[start].kind == "tab" or row[start].text in WIDE):
            start += 1
        if not self.depth:
            _without_notes(self.tokens)
        self.tokens += row[start:]
        self.depth = max(0, self.depth + _depth(row))


def environment(token: Token, which: str = "\\begin") -> str | None:
    """Give the environment that a token begins (or ends), without its star.

    >>> from namedtensor.latex.reading.tokens import tokens_of
    >>> environment(tokens_of(r"\\begin{align*}")[0])
    'align'
    """
    text = token.text
    if token.kind != "command" or not text.startswith(which + "{"):
        return None
    return text[len(which) + 1 : -1].rstrip("*")


def lines_of(tokens: Sequence[Token]) -> list[list[Token]]:
    """Part tokens into rows that each stand for themselves, their cells still marked by &."""
    lines: list[Line] = []
    for rows, together in _layouts(list(tokens)):
        if together:
            lines.append(Line.of([t for row in rows for t in row if t.kind != "tab"]))
            continue
        for row in rows:
            if all(token.kind == "tab" or token.text in WIDE for token in row):
                continue
            above = _above(lines, row)
            if above is None:
                lines.append(Line.of(row))
            else:
                explained = above.explained()
                if explained:
                    at = next(i for i, line in enumerate(lines) if line is above)
                    lines.insert(at, Line.of(explained))
                above.join(row)
    return [line.tokens for line in lines]


def _above(lines: Sequence[Line], row: Sequence[Token]) -> Line | None:
    """Give the line that a row goes on with, if it does."""
    if not lines or is_dots(row):
        return None
    above = lines[-1]
    meant = [token for token in row if token.kind != "tab" and token.text not in WIDE]
    if begins_on(meant):
        return next((line for line in reversed(lines[-3:]) if not line.dots), None)
    if above.dots:
        return None
    indented = row[0].kind == "tab"
    if above.depth > 0:
        return above if indented or not _relates(row) else None
    if ends_on(above.tokens):
        return above
    if not indented or meant[0].kind == "word" or _relates(meant):
        return None
    return None if above.tokens[-1].text in ENDS else above


def begins_on(meant: Sequence[Token]) -> bool:
    """Say whether tokens begin with what needs something before it."""
    first = meant[0]
    if first.kind not in ("sign", "command"):
        return False
    if first.text in RELATIONS or first.text in OPERATORS or first.text in CLOSING:
        return True
    return first.text == ":" or (first.text == "\\underset" and _operator_below(meant))


def ends_on(tokens: Sequence[Token]) -> bool:
    """Say whether tokens end with what needs something after it."""
    at = len(tokens) - 1
    while at > 0 and (tokens[at].kind == "tab" or tokens[at].text in WIDE):
        at -= 1
    last = tokens[at]
    if last.kind == "close" and _ends_on_big(tokens, at):
        return True
    if last.kind not in ("sign", "command") or (at and tokens[at - 1].kind in ("sup", "sub")):
        return False
    return last.text in RELATIONS or last.text in OPERATORS or last.text == ":"


def _ends_on_big(tokens: Sequence[Token], at: int) -> bool:
    """Say whether tokens end with a sum and what stands below it."""
    depth = 0
    while at >= 0:
        depth += (tokens[at].kind == "close") - (tokens[at].kind == "open")
        if not depth:
            return at > 1 and tokens[at - 1].kind in ("sub", "sup") and tokens[at - 2].text in BIG
        at -= 1
    return False


def _operator_below(tokens: Sequence[Token]) -> bool:
    """Say whether the \\underset at the beginning stands for an operator."""
    after = after_group(tokens, 1)
    if after >= len(tokens):
        return False
    inner = tokens[after]
    if inner.kind == "open" and after + 1 < len(tokens):
        inner = tokens[after + 1]
    return inner.text in OPERATORS or inner.text in RELATIONS


#: TeX's own commands that stand between two arguments, and those that stand before them.
BETWEEN = {"\\choose": "\\binom", "\\over": "\\frac"}


def commands_first(tokens: Sequence[Token]) -> Sequence[Token]:
    r"""Read {n \choose k} as \binom{n}{k} and {a \over b} as \frac{a}{b}; elsewhere they are left."""
    at = next((i for i, token in enumerate(tokens) if token.text in BETWEEN), None)
    if at is None:
        return tokens
    starts = [i for i in range(at) if tokens[i].text == "{" and after_group(tokens, i) > at]
    end = after_group(tokens, starts[-1]) - 1 if starts else at
    if not starts or tokens[end].text != "}":
        return [*tokens[: at + 1], *commands_first(tokens[at + 1 :])]
    first, name = starts[-1], tokens[at]
    opened, closed = tokens[first], tokens[end]
    command = replace(name, text=BETWEEN[name.text])
    inner = [opened, *tokens[first + 1 : at], closed, opened, *tokens[at + 1 : end], closed]
    return commands_first([*tokens[:first], opened, command, *inner, closed, *tokens[end + 1 :]])


def after_group(tokens: Sequence[Token], at: int) -> int:
    """Give the place after the argument that begins here."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at].kind == "open") - (tokens[at].kind == "close")
        at += 1
        if depth <= 0:
            break
    return at


def after_bracket(tokens: Sequence[Token], at: int, end: int) -> int | None:
    """Give the place after the bracket that closes the one at this place; None where none does."""
    depth = 0
    for place in range(at, end):
        text = tokens[place].text
        depth += (text in BRACKETS) - (text in CLOSING)
        if not depth:
            return place + 1
    return None


def is_dots(tokens: Sequence[Token]) -> bool:
    """Say whether a row holds only dots."""
    meant = [t for t in tokens[:12] if t.kind != "tab" and t.text not in WIDE]
    if not meant:
        return False
    if meant[0].text == "\\vdotswithin":
        return len(meant) <= 4
    return all(t.text in DOTS or t.text in ENDS for t in meant) and meant[0].text in DOTS


def _without_notes(tokens: list[Token]) -> None:
    """Take away cells at the end of a row that hold words only, and the punctuation."""
    while True:
        at = len(tokens)
        while at and (tokens[at - 1].kind == "word" or tokens[at - 1].text in WIDE | ENDS):
            at -= 1
        if at and tokens[at - 1].kind == "tab":
            del tokens[at - 1 :]
            continue
        if tokens and tokens[-1].text in ENDS | WIDE:
            tokens.pop()
            continue
        return


def _depth(tokens: Sequence[Token]) -> int:
    """Count the brackets that tokens open and do not close, outside braces."""
    depth = braces = 0
    for token in tokens:
        if token.kind in BRACES:
            braces += braces_of(token)
        if not braces:
            depth += (token.text in BRACKETS) - (token.text in CLOSING)
    return depth


#: The kinds of what may open or close braces or an environment: most tokens need no second look.
BRACES = frozenset(("open", "close", "command"))


def braces_of(token: Token) -> int:
    """Say whether a token opens (1) or closes (-1) braces or an environment."""
    kind = token.kind
    if kind == "open":
        return 1
    if kind == "close":
        return -1
    text = token.text
    if kind != "command" or text[-1] != "}" or len(text) < 4:
        return 0
    return 1 if text.startswith("\\begin{") else -1


def _relates(tokens: Sequence[Token]) -> bool:
    return any(token.text in RELATIONS for token in outer(tokens))


def outer(tokens: Sequence[Token]) -> list[Token]:
    """List the tokens that stand outside braces, brackets and environments."""
    return [token for token, outside in zip(tokens, are_outside(tokens), strict=True) if outside]


def are_outside(tokens: Sequence[Token]) -> list[bool]:
    """Say of each token whether it stands outside braces, brackets and environments.

    Brackets in braces do not count: what opens there ends there.
    """
    found: list[bool] = []
    braces = brackets = 0
    for token in tokens:
        step = braces_of(token) if token.kind in BRACES else 0
        outside = False
        if step or braces:
            braces = max(0, braces + step)
        elif token.text in BRACKETS:
            brackets += 1
        elif token.text in CLOSING:
            brackets = max(0, brackets - 1)
        else:
            outside = not brackets
        found.append(outside)
    return found


def _layouts(tokens: list[Token]) -> Iterator[tuple[list[list[Token]], bool]]:
    """Give the rows of each layout environment, and of what stands outside them."""
    pending: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        name = environment(token) if token.kind == "command" else None
        if name is None or not (name in LAYOUTS or _lays_out(tokens, at)):
            pending.append(token)
            at += 1
            continue
        start = _after_options(tokens, at + 1, name)
        end = _end_of(tokens, at)
        inner = tokens[start:end]
        at = end + 1
        if any(_meant(token) for token in pending if token.text != "\\{"):
            pending += [t for row in split_rows(inner) for t in row if t.kind != "tab"]
            continue
        pending = []
        if name in ONE:
            yield split_rows(inner), True
        else:
            yield from _layouts(inner)
    if any(_meant(token) for token in pending):
        yield split_rows(pending), False


def _lays_out(tokens: Sequence[Token], at: int) -> bool:
    """Say whether an array begins here that lays out equations."""
    columns = [token.text for token in tokens[at + 1 : at + 1 + len(COLUMNS)]]
    return environment(tokens[at]) == "array" and columns == COLUMNS


def _meant(token: Token) -> bool:
    return not (token.text in ENDS or token.text in WIDE or token.text == "\\\\")


def _after_options(tokens: Sequence[Token], at: int, name: str) -> int:
    """Pass what an environment is told: [t], {2}, {rcl}."""
    placed = [token.text for token in tokens[at : at + 3]]
    if placed[:1] == ["["] and placed[1:2] in (["t"], ["b"], ["c"]) and placed[2:] == ["]"]:
        at += 3
    if name in ("alignedat", "alignat", "array") and at < len(tokens) and tokens[at].kind == "open":
        at = after_group(tokens, at)
    return at


def _end_of(tokens: Sequence[Token], at: int) -> int:
    """Give the place of the \\end that closes the \\begin at this place, or the end of all."""
    depth = 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        if token.kind == "command":
            depth += braces_of(token)
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
        if depth <= 0 and token.text in ("\\\\", "\\cr"):
            at = _after_skip(tokens, at)
            rows.append([])
            continue
        if token.kind in BRACES:
            depth += braces_of(token)
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
