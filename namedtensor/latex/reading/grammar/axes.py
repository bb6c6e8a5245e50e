"""Read axes: their names, their sizes, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence

from namedtensor.latex.reading import words
from namedtensor.latex.reading.faults import Fault
from namedtensor.latex.reading.grammar.cursor import AXIS_KINDS, Cursor
from namedtensor.latex.reading.tokens import Token
from namedtensor.latex.syntax import AxisName, Expression, SizedAxis

STARS = frozenset(("*", "\\star", "\\ast"))

#: What stands between the axes of a list.
BETWEEN = frozenset((",", "\\\\", "\\times", ";", "\\cup"))


class Axes(Cursor):
    """What is read of axes."""

    def axis(self) -> AxisName:
        """Read the name of an axis with its primes, numbers and stars."""
        start = self.at
        token = self.take()
        if token.kind in AXIS_KINDS:
            name = token.text
        elif token.kind == "letter":
            name = self._numbered(token)
        elif token.kind == "name":
            name = token.text
            self.generic = self.generic or name.endswith("cal")
        elif token.text in words.GREEK:
            name = token.text[1:]
        else:
            self.at = start
            said = "nothing" if token is self.stop else token.text
            raise Fault("syntax-axis", f"{said} stands where an axis should", token.span)
        while (suffix := self._suffix()) is not None:
            name += suffix
        return AxisName(self.span(start), name.strip())

    def joined(self, token: Token) -> str:
        """Read italics written without a space as one word."""
        text = token.text
        while self.peek().kind == "letter" and not self.peek().spaced:
            text += self.take().text
        return text

    def _numbered(self, token: Token) -> str:
        """Read italics and the numbers behind them as the name of an axis: d1."""
        text = self.joined(token)
        while self.peek().kind == "number" and not self.peek().spaced:
            text += self.take().text
        return text

    def _suffix(self) -> str | None:
        token = self.peek()
        if token.kind == "prime":
            self.at += 1
            return "'"
        if token.text in STARS:
            self.at += 1
            return "*"
        if token.kind == "sub":
            self.at += 1
            inner = self.tokens[slice(*self.group())]
            return "_" + "".join(t.text.lstrip("\\") for t in inner)
        if token.kind == "sup":
            at = self.at
            self.at += 1
            inner = self.inner(self.group())
            if inner and all(t.text in STARS for t in inner):
                return "*" * len(inner)
            if inner and all(t.kind == "prime" for t in inner):
                return "'" * len(inner)
            self.at = at
        return None

    def sized_axis(self) -> SizedAxis:
        """Read an axis and its size: emb:d, emb[512], or emb alone."""
        start = self.at
        axis = self.axis()
        size: Expression | None = None
        text = self.peek().text
        if text in (":", "="):
            self.at += 1
            size = self.expression(words.PLUS)
        elif text in ("[", "("):
            opening = self.take()
            size = self.only(self.inside(opening)[0], opening)
        return SizedAxis(self.span(start), axis, size)

    def inside(self, token: Token) -> tuple[list[Expression], list[Expression]]:
        """Read up to the bracket that closes this one."""
        raise NotImplementedError

    def axes_argument(self) -> tuple[AxisName, ...]:
        """Read an argument that holds axes: {..}, or one axis without braces."""
        return self.axes_in(self.group())

    def axes_in(self, bounds: tuple[int, int]) -> tuple[AxisName, ...]:
        """Read the axes between two places."""
        return self.within(bounds, self._axes)

    def _axes(self) -> tuple[AxisName, ...]:
        axes: list[AxisName] = []
        while self.peek() is not self.stop:
            token = self.peek()
            if token.text in BETWEEN or token.text == "\\substack":
                self.at += 1
            elif token.kind == "open":
                axes += self.axes_in(self.group())
            else:
                axes.append(self.axis())
        return tuple(axes)

    def spells_axes(self, bounds: tuple[int, int]) -> bool:
        """Say whether letters without a font are meant as axes: emb is, and a lone theta is not."""
        kinds = [token.kind for token in self.tokens[bounds[0] : bounds[1]]]
        return kinds.count("letter") > 1 or not AXIS_KINDS.isdisjoint(kinds)

    def next_is_axes(self, ahead: int = 0) -> bool:
        """Say whether the argument that begins here holds named axes and nothing else."""
        at = self.at
        self.at += ahead
        try:
            return holds_axes(self.tokens[slice(*self.group())])
        except Fault:
            return False
        finally:
            self.at = at


def holds_axes(tokens: Sequence[Token]) -> bool:
    """Say whether tokens are a list of named axes and nothing else."""
    named = False
    below = 0
    depth = 0
    for token in tokens:
        kind, text = token.kind, token.text
        if kind in AXIS_KINDS:
            if words.is_prose(text):
                return False
            named = True
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            below = min(below, depth)
        elif kind == "sub":
            below = depth + 1
        elif kind in ("prime", "sup") or text in STARS or text in BETWEEN or text == "\\substack":
            continue
        elif below and kind in ("letter", "number"):
            below = depth
        else:
            return False
    return named
