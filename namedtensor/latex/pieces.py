"""Part a row into its statements: at cells, commas, wide spaces and joining words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from namedtensor.latex import words
from namedtensor.latex.rows import (
    CLOSING,
    OPENING,
    OPERATORS,
    RELATIONS,
    WIDE,
    operator_below,
    outer,
)
from namedtensor.latex.tokens import Token

ENDS = frozenset((",", ".", ";", ":"))


@dataclass(slots=True)
class Piece:
    """The tokens of one statement, and the words that stand before it."""

    tokens: list[Token] = field(default_factory=list)
    word: Token | None = None
    relates: bool = False
    dots: bool = False

    def add(self, tokens: Sequence[Token], relates: bool) -> None:
        self.tokens += tokens
        self.relates = self.relates or relates
        self.dots = any(token.text == "\\ldots" for token in tokens)

    @property
    def unfinished(self) -> bool:
        """A signature whose arrow has not come yet."""
        outside = [token.text for token in outer(self.tokens)]
        return ":" in outside and not any(text in ("\\rightarrow", "\\mapsto") for text in outside)


@dataclass(slots=True)
class Segment:
    """Tokens between two separators, and the one before them."""

    tokens: list[Token]
    separator: str
    mark: Token | None
    relates: bool = False


def pieces_of(line: Sequence[Token]) -> list[Piece]:
    """Part a row into its statements."""
    pieces: list[Piece] = []
    current: Piece | None = None
    for segment in _segments(line):
        if not segment.tokens:
            continue
        if current is not None and _belongs(current, segment):
            if segment.separator == "," and segment.mark is not None:
                current.tokens.append(segment.mark)
            current.add(segment.tokens, segment.relates)
            continue
        current = Piece(word=segment.mark if segment.separator == "word" else None)
        current.add(segment.tokens, segment.relates)
        pieces.append(current)
    for piece in pieces:
        while piece.tokens and piece.tokens[-1].text in ENDS:
            piece.tokens.pop()
    return [piece for piece in pieces if piece.tokens]


def _belongs(piece: Piece, segment: Segment) -> bool:
    """Say whether a segment goes on with a piece."""
    separator = segment.separator
    if separator == "word":
        return False
    if separator == ",":
        if not piece.relates or piece.unfinished:
            return True
        dots = any(token.text == "\\ldots" for token in segment.tokens[:3])
        return not segment.relates and (piece.dots or dots)
    if _begins_on(segment.tokens) or _ends_on(piece.tokens):
        return True
    if separator == "wide":
        return not (piece.relates and segment.relates) and not (segment.relates and piece.tokens)
    return False


def _begins_on(tokens: Sequence[Token]) -> bool:
    first = tokens[0]
    if first.kind not in ("sign", "command"):
        return False
    if first.text in RELATIONS or first.text in OPERATORS or first.text == ":":
        return True
    return first.text == "\\underset" and operator_below(tokens, 0)


def _ends_on(tokens: Sequence[Token]) -> bool:
    last = tokens[-1]
    if len(tokens) > 1 and tokens[-2].kind in ("sup", "sub"):
        return False
    return last.kind in ("sign", "command") and (
        last.text in RELATIONS or last.text in OPERATORS or last.text == ":"
    )


def _segments(line: Sequence[Token]) -> list[Segment]:
    segments = [Segment([], "start", None)]
    depth = cell = 0
    for token in line:
        kind, text = token.kind, token.text
        if kind == "close" or text in CLOSING or text.startswith("\\end{"):
            depth = max(0, depth - 1)
        elif kind == "open" or text in OPENING or text.startswith("\\begin{"):
            depth += 1
        elif not depth:
            separator = _separator(token)
            if kind == "tab":
                cell += 1
                separator = "tab" if cell % 2 == 0 else "inner"
            if separator == "inner":
                continue
            if separator:
                segments.append(Segment([], separator, token))
                continue
            if text in RELATIONS:
                segments[-1].relates = True
        segments[-1].tokens.append(token)
    return _merged(segments)


def _merged(segments: list[Segment]) -> list[Segment]:
    """Leave out empty segments; of several separators in a row the strongest stays."""
    kept: list[Segment] = []
    order = ("word", "tab", "wide", ",", "start")
    waiting: Segment | None = None
    for segment in segments:
        if waiting is not None and order.index(waiting.separator) < order.index(segment.separator):
            segment.separator, segment.mark = waiting.separator, waiting.mark
        if segment.tokens:
            kept.append(segment)
            waiting = None
        else:
            waiting = segment
    return kept


def _separator(token: Token) -> str:
    text = token.text
    if text in (",", ";"):
        return ","
    if text in WIDE:
        return "wide"
    if text == "\\forall":
        return "word"
    if token.kind == "word" and words.is_prose(text) and text.lower() not in words.PARITY:
        return "word"
    return ""
