"""Part a row into its statements: at cells, commas, wide spaces and joining words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from namedtensor.latex.reading import words
from namedtensor.latex.reading.rows import (
    BRACES,
    ENDS,
    WIDE,
    after_bracket,
    after_group,
    are_outside,
    begins_on,
    braces_of,
    ends_on,
    outer,
)
from namedtensor.latex.reading.tokens import Token
from namedtensor.latex.reading.words import CLOSING, RELATIONS

#: Of several separators in a row the first of these counts.
STRENGTH = ("word", "tab", ",", "wide", "start")
#: What may stand beside the range of an index.
BESIDE = WIDE | ENDS | {"(", "\\forall"}
LESS = frozenset(("<", "\\leq"))
ARROWS = frozenset(("\\rightarrow", "\\mapsto"))


@dataclass(slots=True)
class Segment:
    """Tokens between two separators, and the separator before them."""

    tokens: list[Token]
    separator: str
    mark: Token | None = None
    relates: bool = False
    colon: bool = False
    arrow: bool = False
    listed: bool = False
    leads: bool = False

    @property
    def dots(self) -> bool:
        return bool(self.tokens) and self.tokens[0].text == "\\ldots"


@dataclass(slots=True)
class Piece:
    """The tokens of one statement, and the word that stands before it; what only remarks may be any sign."""

    tokens: list[Token] = field(default_factory=list)
    word: str = ""
    relates: bool = False
    colon: bool = False
    arrow: bool = False
    remarks: bool = False

    def add(self, segment: Segment) -> None:
        if self.tokens and segment.separator == "," and segment.mark is not None:
            self.tokens.append(segment.mark)
        self.tokens += segment.tokens
        self.relates = self.relates or segment.relates
        self.colon = self.colon or segment.colon
        self.arrow = self.arrow or segment.arrow


def pieces_of(line: Sequence[Token]) -> list[Piece]:
    """Part a row into its statements.

    >>> from namedtensor.latex.reading.tokens import tokens_of
    >>> for piece in pieces_of(tokens_of(r"a, b &\\in A, c = d, l = 1, \\ldots, L")):
    ...     print(" ".join(token.text for token in piece.tokens))
    a , b \\in A
    c = d
    l = 1 , \\ldots , L

    So are several ranges in brackets:

    >>> for piece in pieces_of(tokens_of(r"a = b \\quad (i = 1, \\ldots, n, j \\in J)")):
    ...     print(" ".join(token.text for token in piece.tokens))
    a = b
    i = 1 , \\ldots , n
    j \\in J
    """
    pieces: list[Piece] = []
    for segment in _segments(with_ranges(line)):
        if pieces and _belongs(pieces[-1], segment):
            pieces[-1].add(segment)
            continue
        mark = segment.mark
        word = mark.text if mark is not None and segment.separator == "word" else ""
        remarks = bool(pieces) and segment.separator == "wide" and not segment.relates
        pieces.append(Piece(word=word.lower().strip(" .,;:\\"), remarks=remarks))
        pieces[-1].add(segment)
    found: list[Piece] = []
    for piece in pieces:
        bracketed = _holds_relation(piece.tokens)
        piece.tokens = _trimmed(piece.tokens)
        inner = pieces_of(piece.tokens) if bracketed else ()
        found += [replace(one, word=piece.word) for one in inner] if len(inner) > 1 else [piece]
    return [piece for piece in found if piece.tokens]


def with_ranges(line: Sequence[Token]) -> list[Token]:
    r"""Write i = 1, 2, 3 as i = 1, ..., 3, also in a set, and i = 1, 3 as i \in \{1, 3\}.

    >>> from namedtensor.latex.reading.tokens import tokens_of
    >>> print(*[token.text for token in with_ranges(tokens_of("i = 1, 2, 3, d_4 = 1, 2"))])
    i = 1 , \ldots , 3 , d _ 4 = 1 , 2
    """
    found: list[Token] = []
    at = 0
    while at < len(line):
        number = line[at].text.isdecimal() and _is_index(line[max(0, at - 4) : at], line[at])
        last = _last_listed(line, at) if number else at
        numbers = line[at : last + 1]
        if last == at:
            found.append(line[at])
        elif found[-1].text != "=" or _in_turn(numbers):
            found += _dotted(numbers)
        else:
            span = found.pop().span
            found += [Token("command", text, span) for text in ("\\in", "\\{")]
            found += [*numbers, Token("command", "\\}", numbers[-1].span)]
        at = last + 1
    return found


def _is_index(before: Sequence[Token], first: Token) -> bool:
    """Say whether a small letter of its own is a number, or is in a set from 1 on."""
    if not before or before[-1].text not in ("=", "\\{"):
        return False
    in_set = [token.text for token in before[-2:]] == ["\\in", "\\{"] and first.text == "1"
    signs = 2 if in_set else 1
    if len(before) <= signs or not (in_set or before[-1].text == "="):
        return False
    letter, beside = before[-signs - 1], before[: -signs - 1][-1:]
    alone = not beside or beside[0].text in BESIDE or beside[0].kind in ("tab", "word")
    below = bool(beside) and beside[0].kind == "open" and not in_set
    return (alone or below) and letter.kind == "letter" and letter.text.islower()


def _last_listed(line: Sequence[Token], at: int) -> int:
    """Give the place of the last of the whole numbers that are listed here, or this place."""
    last = at
    while line[last].text.isdecimal() and [t.text for t in line[last + 1 : last + 2]] == [","]:
        if not (last + 2 < len(line) and line[last + 2].text.isdecimal()):
            break
        last += 2
    return last if _ends_here(line[last + 1 : last + 3]) else at


def _in_turn(numbers: Sequence[Token]) -> bool:
    """Say whether numbers with commas between them follow one another."""
    values = [int(token.text) for token in numbers[::2]]
    return values == [values[0] + step for step in range(len(values))]


def _dotted(numbers: Sequence[Token]) -> Sequence[Token]:
    """Write numbers in turn with dots; leave others as they are."""
    if len(numbers) < 3 or not _in_turn(numbers):
        return numbers
    comma = numbers[1]
    return numbers[0], comma, Token("command", "\\ldots", comma.span), comma, numbers[-1]


def _ends_here(after: Sequence[Token]) -> bool:
    """Say whether a list ends before tokens: no dots, no number, and no axes of a space follow."""
    if not after:
        return True
    if after[0].text == ",":
        return not any(t.kind == "number" or t.text in ("\\ldots", ".") for t in after[1:])
    if after[0].text in CLOSING:
        return [token.kind for token in after[1:]] != ["sup"]
    return after[0].text in BESIDE or after[0].kind in ("tab", "word", "close")


def _trimmed(tokens: list[Token]) -> list[Token]:
    """Take away punctuation at the end, and brackets around a whole statement."""
    while True:
        while tokens and (tokens[-1].text in ENDS or tokens[-1].text == ":"):
            tokens.pop()
        braced = bool(tokens) and tokens[0].kind == "open" and after_group(tokens, 0) == len(tokens)
        if not braced and not _holds_relation(tokens):
            return tokens
        tokens = tokens[1:-1]


def _belongs(piece: Piece, segment: Segment) -> bool:
    """Say whether a segment goes on with the piece before it."""
    if segment.separator == "word":
        return False
    if segment.separator == ",":
        if segment.relates and _is_lowest(piece.tokens, segment.tokens):
            return True
        relates = piece.relates or _holds_relation(piece.tokens)
        return not relates or segment.listed or (piece.colon and not piece.arrow)
    if begins_on(segment.tokens) or ends_on(piece.tokens):
        return True
    if segment.separator == "wide" and not segment.relates:
        # behind an equation it is a remark: (n \\times m), (3.2)
        return not (piece.relates or segment.leads or _holds_relation(segment.tokens))
    return False


def _is_lowest(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Say whether a comma in 1 <= i, j <= n parts letters of one range."""
    signs = [t.text for t in before if t.text in RELATIONS]
    least = len(before) > 2 and before[0].kind == "number" and before[1].text in LESS
    names = all(t.kind == "letter" or t.text == "," for t in before[2:])
    return least and names and len(signs) == 1 and len(after) > 2 and after[1].text in LESS


def _mark(segments: Sequence[Segment]) -> None:
    """Find the lists that lead to a relation, and those with dots behind one: l = 1, 2, ..., L."""
    for segment, following in zip(segments[-2::-1], segments[:0:-1], strict=True):
        segment.leads = following.separator == "," and (following.relates or following.leads)
    at = 0
    while at < len(segments):
        begin = at = at + 1
        while at < len(segments) and segments[at].separator == "," and not segments[at].relates:
            at += 1
        run = segments[begin:at]
        last = max((place for place, segment in enumerate(run) if segment.dots), default=-2)
        more = at < len(segments) and segments[at].separator == ","
        if last == len(run) - 1 and more:
            segments[begin + last].tokens.clear()
            last = -2
        for place, segment in enumerate(run):
            segment.listed = last >= 0 and (place <= last + 1 or not more)


def _holds_relation(tokens: Sequence[Token]) -> bool:
    """Say whether tokens are brackets around a statement, as in (l = 1, ..., L), and what ends a row."""
    if not _is_bracketed(tokens):
        return False
    end = after_bracket(tokens, 0, len(tokens)) or 0
    return any(token.text in RELATIONS for token in outer(tokens[1 : end - 1]))


def _is_bracketed(tokens: Sequence[Token], opening: Sequence[str] = ("(",)) -> bool:
    r"""Say whether tokens are brackets, and what ends a row: (n \times m), a number (3.2)."""
    if len(tokens) < 3 or tokens[0].text not in opening:
        return False
    end = after_bracket(tokens, 0, len(tokens))
    return end is not None and all(token.text in ENDS for token in tokens[end:])


def _segments(line: Sequence[Token]) -> list[Segment]:
    segments = [Segment([], "start")]
    cell = braces = 0
    for at, (token, outside) in enumerate(zip(line, are_outside(line), strict=True)):
        braces += braces_of(token) if token.kind in BRACES else 0
        if token.kind == "tab" and not outside and braces <= 0:
            continue  # in brackets that go on in the next row, it only aligns
        if outside:
            text, separator = token.text, _separator(line, at)
            if token.kind == "tab":
                cell += 1
                if cell % 2:
                    continue
                separator = "tab"
            if separator:
                segments.append(Segment([], separator, token))
                continue
            last = segments[-1]
            last.relates = last.relates or text in RELATIONS
            last.colon = last.colon or text == ":"
            last.arrow = last.arrow or text in ARROWS
        segments[-1].tokens.append(token)
    return _merged(segments)


def _merged(segments: Sequence[Segment]) -> list[Segment]:
    """Leave out empty segments; of several separators in a row the strongest stays."""
    kept: list[Segment] = []
    waiting: Segment | None = None
    for segment in segments:
        if waiting is not None:
            stronger = STRENGTH.index(waiting.separator) < STRENGTH.index(segment.separator)
            if stronger or segment.separator == waiting.separator == "word":
                segment.separator, segment.mark = waiting.separator, waiting.mark
        waiting = None if segment.tokens else segment
        if segment.tokens:
            kept.append(segment)
    _mark(kept)
    return [segment for segment in kept if segment.tokens]


def _separator(line: Sequence[Token], at: int) -> str:
    token = line[at]
    text = token.text
    if text in (",", ";") and token.kind == "sign":
        return ","
    if text in WIDE:
        return "wide"
    if text == "\\forall":
        return "word"
    if token.kind != "word" or not words.is_prose(text) or words.parity(text):
        return ""
    following = line[at + 1] if at + 1 < len(line) else token
    named = following.kind in ("sub", "sup") or (following.text == "(" and not following.spaced)
    if named and (not at or text.lower().split(" ")[0] not in words.JOINING):
        return ""
    return "" if at and ends_on(line[max(0, at - 3) : at]) else "word"
