"""Read functions and big operators: their axes or indices, and what they are applied to."""

from __future__ import annotations

from collections.abc import Sequence

from namedtensor.latex.reading import words
from namedtensor.latex.reading.faults import Fault
from namedtensor.latex.reading.grammar.axes import holds_axes
from namedtensor.latex.reading.grammar.spaces import Spaces
from namedtensor.latex.reading.tokens import Token
from namedtensor.latex.syntax import (
    AxisName,
    Big,
    Call,
    Expression,
    Indexed,
    Letter,
    Scripts,
    Under,
)

#: What an argument without brackets may begin with, besides operands.
SIGNED = frozenset(("-", "|", "\\|"))


class Functions(Spaces):
    """What is read of functions."""

    def begins_operand(self, token: Token) -> bool:
        """Say whether an operand may begin with this token."""
        raise NotImplementedError

    def word(self, base: Letter, start: int, acts: bool = False) -> Expression:
        """Read the scripts, the axes and the arguments of a word."""
        word = base.text
        if word == "arg" and self.peek().text in ("\\max", "\\min"):
            word = "arg" + self.take().text[1:]
            base = Letter(self.span(start), word, "word")
        acts = acts or word in words.FUNCTIONS
        axes: tuple[AxisName, ...] = ()
        found: Expression = base
        while self.peek().kind in ("sub", "sup", "prime"):
            if self.peek().kind == "sub" and not axes:
                if acts and self.next_is_axes(1):
                    self.at += 1
                    axes = self.axes_argument()
                    self.named = True
                    continue
                if word in words.CHOOSING:
                    return self.big(word, word, start)
            found = self.one_script(found, start)
            if isinstance(found, Indexed):
                return self.scripts(found, start)
        return self.apply(found, axes, start, acts)

    def apply(
        self, base: Expression, axes: tuple[AxisName, ...], start: int, acts: bool
    ) -> Expression:
        """Read the arguments of a function, in brackets or without."""
        token = self.peek()
        if token.text == "(" or (acts and token.text in ("[", "\\{")):
            if axes and self._power_behind(base):
                argument = self.expression(words.NEXT + 1)
                return Call(self.span(start), base, axes, (argument,), (), "")
            return self.call(base, axes, start)
        if acts and self._is_argument(token):
            argument = self.expression(words.PREFIX)
            return Call(self.span(start), base, axes, (argument,), (), "")
        return Under(self.span(start), base, axes) if axes else base

    def _power_behind(self, base: Expression) -> bool:
        """Say whether a power follows the bracket here: mean_{seq} (X - Y)^2 averages squares."""
        if not isinstance(base, Letter) or base.text not in words.STATISTICS:
            return False
        depth = 0
        for at in range(self.at, self.end):
            text = self.tokens[at].text
            depth += (text in words.BRACKETS) - (text in words.CLOSING)
            if not depth:
                return at + 1 < self.end and self.tokens[at + 1].kind == "sup"
        return False

    def _is_argument(self, token: Token) -> bool:
        if token.text in ("|", "\\|") and self.bars and self.bars[-1] == token.text:
            return False
        return token.text in SIGNED or self.begins_operand(token)

    def call(self, base: Expression, axes: tuple[AxisName, ...], start: int) -> Expression:
        """Read arguments in brackets, and the scripts behind them."""
        token = self.take()
        arguments, parameters = self.inside(token)
        found: Expression = Call(
            self.span(start),
            base,
            axes,
            tuple(arguments),
            tuple(parameters),
            "[" if token.text == "[" else "(",
        )
        return self.scripts(found, start)

    # ------------------------------------------------------------------- axes below a name

    def nfun(self, token: Token, start: int) -> Expression:
        """Read \\nfun{axes}{name} and what it is applied to."""
        self.named = True
        axes = self.axes_argument()
        name = self.function_name(self.bare(self.group()), token)
        return self.apply(self.scripts(name, start), axes, start, True)

    def function_name(self, bounds: tuple[int, int], token: Token) -> Expression:
        """Read the name of a function that has axes below it."""
        first, last = bounds
        inner = self.tokens[first:last]
        if not inner:
            raise Fault(
                "syntax-argument", f"the function of this {token.text} has no name", token.span
            )
        word = word_in(inner)
        if word:
            span = inner[0].span | inner[-1].span
            style = "letter" if len(word) == 1 and inner[0].kind == "letter" else "word"
            return Letter(span, word, style)
        found = self.within(bounds, self.listing)
        if (
            isinstance(found, Scripts)
            and isinstance(found.base, Letter)
            and len(found.base.text) > 1
        ):
            base = Letter(found.base.span, found.base.text, "word")
            return Scripts(found.span, base, found.sub, found.sup, found.primes)
        return found

    def underset(self, token: Token, start: int) -> Expression:
        """Read \\underset{axes}{...}, and what it is applied to if it is a function."""
        below = self.bare(self.group())
        bounds = self.bare(self.group())
        inner = self.tokens[bounds[0] : bounds[1]]
        if token.text == "\\overset":
            return self.scripts(self.within(bounds, self.listing), start)
        over = holds_axes(self.tokens[below[0] : below[1]])
        if len(inner) == 1 and inner[0].text in words.BIG:
            op = words.BIG[inner[0].text]
            if over:
                return self.reach_over(op, self.axes_in(below), start)
            return self.reach(op, self.script(below), None, start)
        word = word_in(inner) if not inner or inner[0].kind != "letter" else ""
        if word in words.CHOOSING and not over:
            return self.reach(word, self.script(below), None, start)
        axes = self.axes_in(below)
        self.named = self.named or over or self.spells_axes(below)
        if word:
            name = self.function_name(bounds, token)
            return self.apply(self.scripts(name, start), axes, start, True)
        base = self.within(bounds, self.listing)
        if isinstance(base, Letter | Scripts) and self.peek().text == "(":
            return self.call(base, axes, start)
        return self.scripts(Under(self.span(start), base, axes), start)

    # ----------------------------------------------------------------------- big operators

    def big(self, op: str, text: str, start: int) -> Expression:
        """Read a sum or its like: what stands below and above it, and what it reaches over."""
        if text in ("\\nsum", "\\ncat"):
            return self.reach_over(op, self.axes_argument(), start)
        lower: Expression | None = None
        upper: Expression | None = None
        axes: tuple[AxisName, ...] = ()
        while self.peek().kind in ("sub", "sup"):
            below = self.take().kind == "sub"
            bounds = self.bare(self.group())
            if below and holds_axes(self.tokens[bounds[0] : bounds[1]]):
                axes = self.axes_in(bounds)
            elif bounds[0] < bounds[1]:
                found = self.script(bounds)
                lower, upper = (found, upper) if below else (lower, found)
        if axes:
            return self.reach_over(op, axes, start)
        return self.reach(op, lower, upper, start)

    def reach(
        self, op: str, lower: Expression | None, upper: Expression | None, start: int
    ) -> Expression:
        body = self.expression(words.REACH + 1)
        return Big(self.span(start), op, (), lower, upper, body)

    def reach_over(self, op: str, axes: tuple[AxisName, ...], start: int) -> Expression:
        self.named = True
        body = self.expression(words.REACH + 1)
        return Big(self.span(start), op, axes, None, None, body)


def word_in(inner: Sequence[Token]) -> str:
    """Give the word that tokens spell, or nothing.

    >>> from namedtensor.latex.reading.lexer import tokens_of
    >>> word_in(tokens_of("softmax")), word_in(tokens_of(r"\\arg\\max")), word_in(tokens_of("W^1"))
    ('softmax', 'argmax', '')
    """
    parts: list[str] = []
    for token in inner:
        if token.text in words.WORD_COMMANDS:
            parts.append(words.WORD_COMMANDS[token.text])
        elif token.kind in ("letter", "number", "word", "function") or (
            parts and token.text == "-"
        ):
            parts.append(token.text.replace(" ", ""))
        else:
            return ""
    return "".join(parts)
