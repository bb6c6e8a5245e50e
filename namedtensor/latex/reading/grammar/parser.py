"""Read the tokens of one formula into its syntax tree.

Operators bind as tightly as `words` says. What directly follows an operand multiplies it, unless the
operand is a function, or a name before a bracket.
"""

from __future__ import annotations

from collections.abc import Callable

from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.operators import Operators
from namedtensor.latex.reading.tokens import Token
from namedtensor.latex.syntax import (
    Dots,
    Expression,
    Items,
    Letter,
    Number,
    Scripts,
    Text,
    Unary,
    Under,
)
from namedtensor.primitives.notation import MINUS, RELATION


class Parser(Operators):
    """Read an expression from the front of some tokens."""

    def whole(self) -> Expression:
        """Read all tokens as one expression or list."""
        found = self.listing()
        if self.peek() is not self.stop:
            raise self.unexpected()
        return found

    def listing(self, floor: int = 0) -> Expression:
        """Read expressions with commas between them."""
        start = self.at
        first = self.expression(floor)
        if self.peek().text not in (",", ";"):
            return first
        parts = [first]
        while self.peek().text in (",", ";"):
            self.at += 1
            if self.peek() is self.stop:
                break
            parts.append(self.expression(floor))
        return Items(self.span(start), tuple(parts), "")

    def expression(self, floor: int = 0) -> Expression:
        """Read an expression whose operators all bind at least as tightly as `floor`."""
        self.deeper()
        start = self.at
        left = self.operand()
        while (found := self.infix(left, floor, start)) is not None:
            left = found
        self.depth -= 1
        return left

    def begins_operand(self, token: Token) -> bool:
        """Say whether an operand may begin with this token."""
        kind, text = token.kind, token.text
        if kind in STARTING:
            return True
        if kind == "word":
            return not words.is_prose(text)
        if kind == "sign":
            return text in ("(", "[")
        return kind == "command" and (text in COMMANDS or text.startswith("\\begin{"))

    # ------------------------------------------------------------------------ one operand

    def operand(self) -> Expression:
        """Read one operand with its scripts and arguments."""
        start = self.at
        token = self.take()
        kind, text = token.kind, token.text
        if kind == "letter":
            word = self.joined(token)
            return self._name(Letter(self.span(start), word), start)
        if kind == "number":
            return self.scripts(self._number(token, start), start)
        if kind == "name":
            return self._name(Letter(token.span, text), start)
        if kind == "open":
            return self._braces(start)
        if kind == "axis":
            return self._axis(start)
        if kind == "word" or kind == "function":
            return self._word(token, start)
        if kind == "command" or kind == "sign":
            found = self._sign(token, start)
            if found is not None:
                return found
        self.at = start
        raise self.unexpected()

    def _name(self, base: Expression, start: int) -> Expression:
        """Read the scripts of a name, and its arguments where a bracket follows."""
        base = self.scripts(base, start)
        indicates = isinstance(base, Letter) and base.text in INDICATORS
        if indicates and self.peek().text in ("\\{", "["):
            return self.call(base, (), start)
        if self.peek().text == "(" and isinstance(base, Letter | Scripts):
            return self.call(base, (), start)
        return base

    def _number(self, token: Token, start: int) -> Number:
        text = token.text
        while [self.peek(i).text for i in range(3)] == ["{", ",", "}"]:
            following = self.peek(3)
            if following.kind != "number" or len(following.text) != 3:
                break
            text += following.text
            self.at += 4
        value = float(text) if "." in text or len(text) > 300 else int(text)
        return Number(self.span(start), value)

    def _braces(self, start: int) -> Expression:
        """Read what stands in braces that only group."""
        self.at = start
        bounds = self.group()
        if bounds[0] == bounds[1]:
            if self.peek() is self.stop:
                return Items(self.span(start), (), "")
            return self.operand()
        found = self.within(bounds, self.listing)
        if isinstance(found, Under) and isinstance(found.operand, Letter):
            return self.apply(found.operand, found.axes, start, True)
        return self._name(found, start)

    def _axis(self, start: int) -> Expression:
        self.named = True
        self.at = start
        return self.axis()

    def _word(self, token: Token, start: int) -> Expression:
        text = token.text
        if token.kind == "word" and self.axis_between_bars(start):
            return self._axis(start)
        if token.kind == "word" and words.is_prose(text) and self.peek().text != "(":
            return Text(token.span, text)
        word = Letter(token.span, text.replace(" ", ""), "word")
        return self.word(word, start, token.kind == "function")

    def _sign(self, token: Token, start: int) -> Expression | None:
        text = token.text
        if text == "-" or text == "+":
            inner = self.expression(MINUS)
            return Unary(self.span(start), text, inner)
        if text in words.WORD_COMMANDS:
            return self.word(Letter(token.span, words.WORD_COMMANDS[text], "word"), start, True)
        if text in words.BIG:
            return self.big(words.BIG[text], text, start)
        if text in words.NAMES:
            self.positional = self.positional or text == "\\top"
            return self._name(Letter(token.span, text[1:]), start)
        if text in words.BRACKETS:
            self.closed = self.bracketed(token)
            return self.scripts(self.closed, start)
        if text in words.BASES:
            self.at = start
            return self.space()
        if text in OPERANDS:
            return OPERANDS[text](self, token, start)
        if text == "." and [self.peek(i).text for i in range(2)] == [".", "."]:
            self.at += 2
            return Dots(self.span(start))
        if text.startswith("\\begin{"):
            return self.scripts(self.environment(token, start), start)
        return None

    def _blackboard(self, token: Token, start: int) -> Expression:
        """Read \\mathbb{R}^{...}, or a function such as \\mathbb{E}."""
        text = "".join(t.text for t in self.tokens[slice(*self.group())])
        if text not in ("E", "P", "V", "I", "1"):
            self.at = start
            space = self.space()
            if space is not None:
                return space
        return self.word(Letter(self.span(start), text, "word"), start, text in "EPVI1")

    def _negation(self, token: Token, start: int) -> Expression:
        inner = self.expression(RELATION)
        return Unary(self.span(start), "not", inner)


#: Letters in a dress before what holds or does not: \\mathbf{1}\\{x > 0\\}.
INDICATORS = frozenset(("1bold", "Ibold"))

STARTING = frozenset(("letter", "number", "open", "axis", "function", "name"))

OPERANDS: dict[str, Callable[[Parser, Token, int], Expression]] = {
    "\\frac": Parser.fraction,
    "\\sqrt": Parser.root,
    "\\underset": Parser.underset,
    "\\overset": Parser.underset,
    "\\nfun": Parser.nfun,
    "\\nmatrix": Parser.nmatrix,
    "\\mathbb": Parser._blackboard,
    "\\mathds": Parser._blackboard,
    "\\partial": Parser.partial,
    "\\nabla": Parser.partial,
    "\\ldots": Parser.dots,
    "\\vdots": Parser.dots,
    "\\ddots": Parser.dots,
    "\\neg": Parser._negation,
    "\\lnot": Parser._negation,
    "|": Parser.bar_operand,
    "\\|": Parser.bar_operand,
}

#: Commands with which an operand may begin.
COMMANDS = frozenset(OPERANDS).union(
    words.NAMES,
    words.BIG,
    words.WORD_COMMANDS,
    words.BASES,
    (bracket for bracket in words.BRACKETS if bracket[0] == "\\"),
) - {"|", "\\|"}
