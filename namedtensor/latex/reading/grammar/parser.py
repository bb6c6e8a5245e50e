"""Read the tokens of one formula into its syntax tree.

Operators bind as tightly as `words` says. What directly follows an operand multiplies it, unless the
operand is a function, or a name before a bracket.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.parts import Parts
from namedtensor.latex.reading.tokens import ASIDE, Fault, Token
from namedtensor.latex.reading.words import INFIX, RELATIONS
from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Binary,
    Call,
    Contract,
    Dots,
    Expression,
    Is,
    Items,
    Letter,
    Logic,
    Matrix,
    Number,
    Relation,
    Scripts,
    Text,
    Unary,
    Under,
)
from namedtensor.primitives.notation import DOT, FUNCTION, JUXTAPOSED, MINUS, OR, RELATION

CONTRACTING = frozenset(("\\cdot", "\\odot", "\\bullet", "\\times"))
STACKING = frozenset(("\\underset", "\\overset"))
FROM_NOTATION = frozenset(("\\ndot", "\\nbin", "\\ncat"))
BOLD = {"cdotbold": "\\cdot", "odotbold": "\\odot", "bulletbold": "\\bullet"}


class Parser(Parts):
    """Read an expression from the front of some tokens: operands, and what stands between them."""

    def whole(self) -> Expression:
        """Read all tokens as one expression or list."""
        found = self.listing()
        self.expect_end()
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
        if self.peek().text == "(" and isinstance(base, (Letter, Scripts)):
            return self.call(base, (), start)
        return base

    def _composed(self, part: Expression) -> list[Letter | Scripts]:
        r"""List the functions of f \circ g, the outer one first; none of another expression."""
        if (
            isinstance(part, Binary)
            and part.op == "circ"
            and isinstance(part.right, (Letter, Scripts))
        ):
            left = part.left
            first = [left] if isinstance(left, (Letter, Scripts)) else self._composed(left)
            return [*first, part.right] if first else []
        return []

    def _applied(self, functions: Sequence[Letter | Scripts], start: int) -> Expression:
        r"""Read the arguments of (f \circ g)(X), which is f(g(X))."""
        given, parameters = self.inside(self.take())
        found = Call(self.span(start), functions[-1], (), tuple(given), tuple(parameters), "(")
        for function in reversed(functions[:-1]):
            found = Call(self.span(start), function, (), (found,), (), "(")
        return self.scripts(found, start)

    def _number(self, token: Token, start: int) -> Number:
        text = token.text
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
            composed = self._composed(self.closed)
            if composed and self.peek().text == "(":
                return self._applied(composed, start)
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
        if (
            text == "1" and self.peek().kind == "sub"
        ):  # ones along an axis, or where a condition holds
            return self.scripts(Letter(self.span(start), text), start)
        if text == "I" and self.peek().kind == "sub" and self.next_is_axes(1):
            return self.scripts(Letter(self.span(start), "Ibold"), start)  # the identity
        return self.word(Letter(self.span(start), text, "word"), start, text in "EPVI1")

    def _negation(self, token: Token, start: int) -> Expression:
        inner = self.expression(RELATION)
        return Unary(self.span(start), "not", inner)

    # ------------------------------------------------------------------- between operands

    def infix(self, left: Expression, floor: int, start: int) -> Expression | None:
        """Read one operator and its right side; None if none follows that binds tightly enough."""
        token = self.peek()
        kind, text = token.kind, token.text
        if kind == "command" or kind == "sign":
            if text in INFIX:
                return self._operation(left, INFIX[text], floor, start, text)
            if text in RELATIONS:
                return self.relation(left, start) if floor <= RELATION else None
            if text in STACKING:
                stacked = self.operator_below()
                if stacked in RELATIONS:
                    return self.relation(left, start) if floor <= RELATION else None
                if stacked:
                    return self._stacked(left, stacked, floor, start)
            elif text in FROM_NOTATION:
                return self._from_notation(left, floor, start) if floor <= DOT else None
            elif text in ("\\wedge", "\\vee"):
                return self._logic(left, "and" if text == "\\wedge" else "or", floor, start)
            elif text in ("|", "\\|"):
                return self._bar(left, floor, start)
            elif text == "\\rvert" and self.peek(1).kind == "sub":
                raise Fault(ASIDE, "a restriction has no axes", token.span)
        elif kind == "word" and words.is_prose(text):
            return self._prose(left, text, floor, start)
        if floor > JUXTAPOSED or not self.begins_operand(token):
            return None
        if floor == FUNCTION and self._acts(token) and not _is_fraction(left):
            return None  # \sin x \cos y is a product, and \log \frac1n \sum_i x_i is no such thing
        return self._product(left, start)

    @staticmethod
    def _acts(token: Token) -> bool:
        """Say whether a function or an operator such as \\sum begins here."""
        named = token.kind in ("word", "function", "command")
        return token.text in words.BIG or (named and token.text.lstrip("\\") in words.FUNCTIONS)

    @staticmethod
    def _is_letter(token: Token) -> bool:
        return token.kind == "letter" or token.text in words.NAMES

    def _product(self, left: Expression, start: int) -> Expression:
        right = self.expression(JUXTAPOSED + 1)
        if isinstance(left, AxisName) and isinstance(right, Matrix) and right.row is None:
            return Matrix(self.span(start), right.rows, left, right.column)
        return Binary(self.span(start), "*", left, right, (), "juxtaposed")

    def _operation(
        self, left: Expression, found: tuple[int, str], floor: int, start: int, text: str
    ) -> Expression | None:
        power, op = found
        below = self.peek(1).kind == "sub" and text in words.PRODUCTS and self.next_is_axes(2)
        if below and floor <= DOT:
            self.at += 2
            self.named = True
            return self._with_axes(left, text, self.axes_argument(), start)
        if power < floor:
            return None
        self.at += 1
        after, right = self.at, self.expression(power + 1)
        how = text.lstrip("\\") if text in ("\\cdot", "\\bullet") else ""
        around = self.peek().text == "\\pi"  # 2 \pi is one number
        below = op == "/" and isinstance(right, Number) and (around or not _is_coefficient(left))
        while below and self._is_letter(self.peek()):  # x^2 / 2 s^2
            right, how = self._product(right, after), "below"
        return Binary(self.span(start), op, left, right, (), how)

    def relation(self, left: Expression, start: int) -> Expression:
        """Read a chain of relations."""
        rest: list[tuple[str, Expression]] = []
        while (op := self.take_relation()) is not None:
            right = self.space() if op == "in" else None
            rest.append((op, right or self.expression(RELATION + 1)))
        return Relation(self.span(start), left, tuple(rest))

    def take_relation(self) -> str | None:
        """Pass a relation, and give its name; None if none follows."""
        token = self.peek()
        if token.kind not in ("sign", "command"):
            return None
        if token.text in RELATIONS:
            self.at += 1
            return RELATIONS[token.text]
        if token.text in STACKING and (text := self.operator_below()) in RELATIONS:
            self.at += 1
            self.group()
            self.group()
            return RELATIONS[text]
        return None

    def _logic(self, left: Expression, op: str, floor: int, start: int) -> Expression | None:
        if floor > OR:
            return None
        self.at += 1
        right = self.expression(OR + 1)
        parts = left.parts if isinstance(left, Logic) and left.op == op else (left,)
        return Logic(self.span(start), op, (*parts, right))

    def _prose(self, left: Expression, text: str, floor: int, start: int) -> Expression | None:
        said = text.lower().strip(" .,;")
        if said in ("and", "or"):
            return self._logic(left, said, floor, start)
        if words.parity(said) and floor <= RELATION:
            self.at += 1
            return Is(self.span(start), left, words.parity(said))
        return None

    def _bar(self, left: Expression, floor: int, start: int) -> Expression | None:
        """A bar after an operand closes bars, or says what is given, or opens a factor."""
        text = self.peek().text
        if text in self.bars[-1:]:
            return None
        ahead = self._bars_ahead(text)
        doubled = text == "|" and self.peek(1).text == "|" and ahead % 4 == 2  # q || p
        if ahead % 2 or doubled:
            if floor > RELATION:
                return None
            self.at += 1 + doubled
            right = self.expression(RELATION + 1)
            return Relation(self.span(start), left, (("mid", right),))
        return self._product(left, start) if floor <= JUXTAPOSED else None

    def _bars_ahead(self, bar: str) -> int:
        """Count the bars of a kind up to the end of the brackets that we are in."""
        depth = count = 0
        for at in range(self.at, min(self.end, self.at + 400)):
            token = self.tokens[at]
            if token.kind == "open" or token.text in words.BRACKETS:
                depth += 1
            elif token.kind == "close" or token.text in words.CLOSING:
                depth -= 1
                if depth < 0:
                    break
            elif token.text == bar and not depth:
                count += 1
        return count

    # ------------------------------------------------------------- operators with axes below

    def operator_below(self) -> str:
        """Give the operator that the \\underset here stands for, or nothing."""
        at = self.at
        try:
            self.at += 1
            self.group()
            inner = self.inner(self.group())
        except Fault:
            return ""
        finally:
            self.at = at
        if len(inner) != 1 or inner[0].kind not in ("sign", "command", "name"):
            return ""
        text = BOLD.get(inner[0].text, inner[0].text)
        return text if text in INFIX or text in RELATIONS else ""

    def _stacked(self, left: Expression, op: str, floor: int, start: int) -> Expression | None:
        """Read an operator with axes below it, in plain LaTeX."""
        power = DOT if op in CONTRACTING else INFIX[op][0]
        if power < floor:
            return None
        if self.take().text == "\\overset":
            self.group()
            self.group()
            return Binary(self.span(start), INFIX[op][1], left, self.expression(power + 1))
        below = self.group()
        axes = self.axes_in(below)
        self.named = self.named or self.spells_axes(below)
        self.group()
        return self._with_axes(left, op, axes, start)

    def _from_notation(self, left: Expression, floor: int, start: int) -> Expression:
        """Read \\ndot, \\nbin or \\ncat between two operands."""
        text = self.take().text
        self.named = True
        axes = self.axes_argument()
        op = {"\\ndot": "\\cdot", "\\ncat": "\\concat"}.get(text, "")
        if not op:
            inner = self.inner(self.group())
            op = "".join(BOLD.get(t.text, t.text) for t in inner) or "\\odot"
        return self._with_axes(left, op, axes, start)

    def _with_axes(
        self, left: Expression, op: str, axes: tuple[AxisName, ...], start: int
    ) -> Expression:
        power, name = INFIX.get(op, (DOT, op.lstrip("\\")))
        if op in CONTRACTING:
            right = self.expression(DOT + 1)
            return Contract(self.span(start), left, right, axes)
        right = self.expression(power + 1)
        return Binary(self.span(start), name, left, right, axes)


#: Letters in a dress before what holds or does not: \\mathbf{1}\\{x > 0\\}.
INDICATORS = frozenset(("1bold", "Ibold"))

STARTING = frozenset(("letter", "number", "open", "axis", "function", "name"))

OPERANDS: dict[str, Callable[[Parser, Token, int], Expression]] = {
    "\\frac": Parser.fraction,
    "\\sqrt": Parser.root,
    "\\binom": Parser.binomial,
    "\\underset": Parser.underset,
    "\\overset": Parser.underset,
    "\\nfun": Parser.nfun,
    "\\nmatrix": Parser.nmatrix,
    "\\mathbb": Parser._blackboard,
    "\\mathds": Parser._blackboard,
    "\\partial": Parser.partial,
    "\\nabla": Parser.partial,
    "\\#": Parser.count,
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


def _is_coefficient(part: Expression) -> bool:
    """Say whether a part is made of numbers, plain letters and sizes: what x is multiplied by in k / 2 x."""
    if isinstance(part, Binary) and part.how == "juxtaposed":
        return _is_coefficient(part.left) and _is_coefficient(part.right)
    return isinstance(part, Number | Letter | AxisSize)


def _is_fraction(part: Expression) -> bool:
    """Say whether a part is a number, a fraction, or a product of these."""
    if isinstance(part, Binary) and part.how != "frac":
        return _is_fraction(part.left) and _is_fraction(part.right)
    return isinstance(part, Number | Binary)
