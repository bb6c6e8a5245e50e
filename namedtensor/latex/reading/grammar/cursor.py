"""Walk over the tokens of a formula."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from namedtensor.latex.reading.rows import after_group, commands_first
from namedtensor.latex.reading.tokens import ASIDE, Fault, Token, too_deep, unclosed
from namedtensor.latex.reading.words import BRACKETS, CLOSING, INFIX, RELATIONS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import Expression

#: Brackets, fractions, scripts and the like may stand this deep in one another.
NESTING = 64

#: A formula may have so many tokens.
LENGTH = 20_000

#: Words and axes: what may name an axis in plain LaTeX and in the style file's macros.
AXIS_KINDS = frozenset(("axis", "word", "function"))

#: Commands that have a meaning, though not everywhere.
KNOWN = frozenset((*INFIX, *RELATIONS, "\\ndot", "\\nbin", "\\ncat", "\\wedge", "\\vee"))

#: Commands of other mathematics.
BEYOND = frozenset(
    (
        "\\exists \\nexists \\forall \\oint \\iint \\therefore \\because \\pm \\mp \\models \\vdash"
        " \\Pr \\circledast \\boxtimes \\bigm \\pmod \\degree \\angle \\prec \\succ"
    ).split()
)

Read = TypeVar("Read")


class Cursor(ABC):
    """A place among tokens, what has been noticed so far, and ways to go on."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens = commands_first(tokens)
        self.at = 0
        self.end = len(tokens)
        self.depth = 0
        self.bars: list[str] = []
        self.closed: Expression | None = None
        self.named = False
        self.positional = False
        self.generic = False
        self.otherwise = False
        place = tokens[-1].span.end if tokens else 0
        self.stop = Token("end", "", Span(place, place))
        if self.end > LENGTH:
            raise Fault(
                "limit-size",
                f"this formula has {self.end:,} parts, and {LENGTH:,} can be read",
                tokens[0].span,
                "part it into several statements",
            )
        self._fuel = 200 + 20 * self.end

    @abstractmethod
    def expression(self, floor: int = 0) -> Expression:
        """Read an expression whose operators all bind at least as tightly as `floor`."""

    @abstractmethod
    def listing(self, floor: int = 0) -> Expression:
        """Read expressions with commas between them."""

    def peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if at < self.end else self.stop

    def take(self) -> Token:
        if self.at >= self.end:
            return self.stop
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, *texts: str) -> None:
        """Pass the next token, which must be one of these."""
        if self.peek().text not in texts:
            raise self.unexpected()
        self.at += 1

    def expect_end(self) -> None:
        """Refuse what still follows."""
        if self.peek() is not self.stop:
            raise self.unexpected()

    def deeper(self) -> None:
        """Count one level of nesting, and one step of work."""
        self.depth += 1
        self._fuel -= 1
        if self.depth > NESTING:
            raise too_deep(self.peek().span, NESTING)
        if self._fuel < 0:
            raise Fault("limit-nesting", "this formula is too tangled to be read", self.peek().span)

    def span(self, start: int) -> Span:
        """Give the span of what was read since a place."""
        tokens, at = self.tokens, self.at - 1
        first = tokens[start if start < len(tokens) else -1].span
        if at <= start:
            return first
        last = tokens[at].span
        if first.start <= last.start and first.end <= last.end:
            return Span(first.start, last.end)
        return first | last

    def group(self) -> tuple[int, int]:
        """Pass one argument; give the places where what it holds begins and ends."""
        token = self.peek()
        if token is self.stop or token.kind in ("close", "sub", "sup", "tab"):
            before = self.tokens[max(0, self.at - 1)]
            raise Fault(
                "syntax-argument", f"{before.text} lacks what should follow it", before.span
            )
        if token.kind != "open":
            self.at += 1
            if token.text == "\\mathbb" and self.peek() is not self.stop:
                return self.at - 1, self.group()[1]
            return self.at - 1, self.at
        start, after = self.at, after_group(self.tokens, self.at)
        if after <= self.end and self.tokens[after - 1].kind == "close":
            self.at = after
            return start + 1, after - 1
        self.at = self.end
        raise unclosed(token, "}")

    def inner(self, bounds: tuple[int, int]) -> Sequence[Token]:
        """Give the tokens between two places, without braces around all of them."""
        first, last = self.bare(bounds)
        return self.tokens[first:last]

    def bare(self, bounds: tuple[int, int]) -> tuple[int, int]:
        """Take away braces that stand around all that is between two places."""
        first, last = bounds
        while last - first > 2 and self.tokens[first].kind == "open":
            if after_group(self.tokens, first) != last:
                break
            first, last = first + 1, last - 1
        return first, last

    def within(self, bounds: tuple[int, int], read: Callable[[], Read]) -> Read:
        """Read what stands between two places; all of it must be used."""
        at, end, bars, stop = self.at, self.end, self.bars, self.stop
        self.at, self.end = bounds
        self.bars = []
        place = self.tokens[self.end].span.start if self.end < len(self.tokens) else stop.span.start
        self.stop = Token("end", "", Span(place, place))
        try:
            found = read()
            if self.at < self.end:
                raise self.unexpected()
        finally:
            self.at, self.end, self.bars, self.stop = at, end, bars, stop
        return found

    def only(self, parts: Sequence[Expression], token: Token) -> Expression:
        """Give the one thing that should stand in these brackets."""
        if len(parts) != 1:
            raise Fault(
                "syntax-argument",
                f"one thing should stand in these {token.text} {BRACKETS[token.text]}, "
                f"and {len(parts) or 'nothing'} {'do' if len(parts) > 1 else 'does'}",
                token.span,
            )
        return parts[0]

    def unexpected(self) -> Fault:
        """Say that the next token does not fit."""
        token = self.peek()
        if token is self.stop:
            return Fault(
                "syntax-end",
                "the formula ends where something should follow",
                (self.tokens[: self.at] or [token])[-1].span,
            )
        if token.text in CLOSING:
            return Fault(
                "syntax-unbalanced",
                f"this {token.text} closes nothing",
                token.span,
                "take it away, or open it before",
            )
        if token.text in BEYOND:
            return Fault(ASIDE, f"{token.text} is beyond the notation", token.span)
        if token.kind == "command" and token.text[1:].isalpha() and token.text not in KNOWN:
            return Fault(
                "syntax-command",
                f"{token.text} is not known here",
                token.span,
                f"define it with \\newcommand{{{token.text}}}{{...}}, "
                "or give the file that defines it as preamble",
            )
        return Fault("syntax-unexpected", f"{token.text} is not expected here", token.span)
