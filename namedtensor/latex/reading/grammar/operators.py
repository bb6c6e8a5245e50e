"""Read what stands between two operands: operators, relations, bars, and nothing at all."""

from __future__ import annotations

from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.parts import Parts
from namedtensor.latex.reading.tokens import ASIDE, Fault
from namedtensor.latex.reading.words import INFIX, RELATIONS
from namedtensor.latex.syntax import (
    AxisName,
    Binary,
    Contract,
    Expression,
    Is,
    Logic,
    Matrix,
    Relation,
)
from namedtensor.primitives.notation import DOT, JUXTAPOSED, OR, RELATION

CONTRACTING = frozenset(("\\cdot", "\\odot", "\\bullet", "\\times"))
STACKING = frozenset(("\\underset", "\\overset"))
FROM_NOTATION = frozenset(("\\ndot", "\\nbin", "\\ncat"))
BOLD = {"cdotbold": "\\cdot", "odotbold": "\\odot", "bulletbold": "\\bullet"}


class Operators(Parts):
    """What is read between operands."""

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
        return self._product(left, start)

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
        right = self.expression(power + 1)
        how = text.lstrip("\\") if text in ("\\cdot", "\\bullet") else ""
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
        if text == "|" and self._bars_ahead() % 2:
            if floor > RELATION:
                return None
            self.at += 1
            right = self.expression(RELATION + 1)
            return Relation(self.span(start), left, (("mid", right),))
        return self._product(left, start) if floor <= JUXTAPOSED else None

    def _bars_ahead(self) -> int:
        """Count the bars up to the end of the brackets that we are in."""
        depth = count = 0
        for at in range(self.at, min(self.end, self.at + 400)):
            token = self.tokens[at]
            if token.kind == "open" or token.text in words.BRACKETS:
                depth += 1
            elif token.kind == "close" or token.text in words.CLOSING:
                depth -= 1
                if depth < 0:
                    break
            elif token.text == "|" and not depth:
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
