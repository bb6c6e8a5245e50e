"""Read the tokens of one statement into its syntax tree.

Operators bind as in `words`; what follows an operand directly multiplies it, unless it can only be its
arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from namedtensor.latex import words
from namedtensor.latex.faults import Fault
from namedtensor.latex.rows import environment, split_rows
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Case,
    Cases,
    Contract,
    Derivative,
    Dots,
    Expression,
    Floor,
    Indexed,
    Is,
    Items,
    Letter,
    Logic,
    Matrix,
    Number,
    Relation,
    Renaming,
    Root,
    Scripts,
    SizedAxis,
    Space,
    Text,
    Unary,
    Under,
)
from namedtensor.latex.tokens import Token
from namedtensor.latex.words import (
    DOT,
    INFIX,
    LOGIC,
    MINUS,
    NEXT,
    PREFIX,
    REACH,
    RELATION,
    RELATIONS,
)

#: Brackets, fractions and the like may stand this deep in one another.
NESTING = 60

Read = TypeVar("Read")

AXIS_KINDS = frozenset(("axis", "word", "function"))
NAMELIKE = (Letter, Scripts)
CONTRACTING = frozenset(("\\cdot", "\\odot", "\\bullet"))


class Parser:
    """Read expressions from the front of some tokens."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.end = len(tokens)
        self.depth = 0
        self.bars: list[str] = []
        self.named = False
        self.positional = False
        place = tokens[-1].span.end if tokens else 0
        self.stop = Token("end", "", Span(place, place))

    # ------------------------------------------------------------------------------ tokens

    def peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if at < self.end else self.stop

    def take(self) -> Token:
        token = self.peek()
        if token is not self.stop:
            self.at += 1
        return token

    def span(self, start: int) -> Span:
        """Give the span of what was read since a place."""
        first = self.tokens[min(start, len(self.tokens) - 1)].span
        last = self.tokens[max(start, self.at - 1)].span
        return Span(min(first.start, last.start), max(first.end, last.end))

    def group(self) -> tuple[int, int]:
        """Pass one argument; give the places where what it holds begins and ends."""
        token = self.peek()
        if token is self.stop or token.kind == "close":
            before = self.tokens[self.at - 1]
            raise Fault(
                "syntax-argument", f"{before.text} lacks what should follow it", before.span
            )
        if token.kind != "open":
            self.at += 1
            return self.at - 1, self.at
        start = self.at
        depth = 0
        while True:
            depth += (self.tokens[self.at].kind == "open") - (self.tokens[self.at].kind == "close")
            self.at += 1
            if not depth:
                return start + 1, self.at - 1

    def within(self, bounds: tuple[int, int], read: Callable[[], Read]) -> Read:
        """Read what stands between two places; all of it must be used."""
        at, end, bars = self.at, self.end, self.bars
        self.at, self.end = bounds
        self.bars = []
        found = read()
        if self.at < self.end:
            raise self.unexpected()
        self.at, self.end, self.bars = at, end, bars
        return found

    def unexpected(self) -> Fault:
        token = self.peek()
        if token is self.stop:
            return Fault(
                "syntax-end", "the formula ends where something should follow", self.stop.span
            )
        if token.text in words.CLOSING:
            return Fault("syntax-unbalanced", f"this {token.text} closes nothing", token.span)
        if token.kind == "command" and token.text[1:].isalpha():
            return Fault(
                "syntax-command",
                f"{token.text} is not known here",
                token.span,
                f"define it with \\newcommand{{{token.text}}}{{...}}, or give the file that does as preamble",
            )
        return Fault("syntax-unexpected", f"{token.text} is not expected here", token.span)

    # -------------------------------------------------------------------------- expressions

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
        self.depth += 1
        if self.depth > NESTING:
            raise Fault("limit-nesting", f"this stands more than {NESTING} deep", self.peek().span)
        start = self.at
        left = self.operand()
        while True:
            token = self.peek()
            found = self.infix(left, token, floor, start)
            if found is None:
                self.depth -= 1
                return left
            left = found

    def infix(self, left: Expression, token: Token, floor: int, start: int) -> Expression | None:
        """Read one operator and its right side, if it binds tightly enough."""
        if token is self.stop:
            return None
        text = token.text
        kind = token.kind
        if kind in ("sign", "command"):
            if text in INFIX:
                power, op = INFIX[text]
                if power < floor:
                    return None
                self.at += 1
                right = self.expression(power + 1)
                how = text.lstrip("\\") if text in ("\\cdot", "\\bullet") else ""
                return Binary(self.span(start), op, left, right, (), how)
            if text in RELATIONS:
                return self.relation(left, floor, start) if floor <= RELATION else None
            if text in ("\\wedge", "\\vee"):
                return self.logic(left, "and" if text == "\\wedge" else "or", floor, start)
            if text in ("\\ndot", "\\nbin", "\\ncat"):
                return self.named_infix(left, floor, start)
            if text in ("\\underset", "\\overset"):
                op_text = self.operator_below()
                if op_text in RELATIONS:
                    return self.relation(left, floor, start) if floor <= RELATION else None
                if op_text is not None:
                    return self.under_infix(left, floor, start)
            if text == "|" or text == "\\|":
                return self.bar(left, floor, start)
            if text == "\\pmod":
                return None
        elif kind == "word" and words.is_prose(token.text):
            return self.prose(left, token, floor, start)
        if floor > NEXT or not self.begins_operand(token):
            return None
        right = self.expression(NEXT + 1)
        return Binary(self.span(start), "*", left, right, (), "juxtaposed")

    def relation(self, left: Expression, floor: int, start: int) -> Expression:
        rest: list[tuple[str, Expression]] = []
        while True:
            token = self.peek()
            text = token.text
            if text in ("\\underset", "\\overset"):
                op = self.operator_below()
                if op not in RELATIONS:
                    break
                self.at += 1
                self.group()
                self.group()
                text = op
            elif token.kind not in ("sign", "command") or text not in RELATIONS:
                break
            else:
                self.at += 1
            right = self.space() if text == "\\in" else None
            rest.append((RELATIONS[text], right or self.expression(RELATION + 1)))
        return Relation(self.span(start), left, tuple(rest))

    def logic(self, left: Expression, op: str, floor: int, start: int) -> Expression | None:
        if floor > LOGIC:
            return None
        self.at += 1
        right = self.expression(LOGIC + 1)
        if isinstance(left, Logic) and left.op == op:
            return Logic(self.span(start), op, (*left.parts, right))
        return Logic(self.span(start), op, (left, right))

    def prose(self, left: Expression, token: Token, floor: int, start: int) -> Expression | None:
        text = token.text.lower().strip(" ,.;")
        if text in ("and", "or"):
            return self.logic(left, text, floor, start)
        if text in words.PARITY and floor <= RELATION:
            self.at += 1
            return Is(self.span(start), left, words.PARITY[text])
        return None

    def bar(self, left: Expression, floor: int, start: int) -> Expression | None:
        """A bar after an operand closes, or parts what is given, or opens a factor."""
        text = self.peek().text
        if self.bars and self.bars[-1] == text:
            return None
        if text == "|" and self._bars_ahead() % 2:
            if floor > RELATION:
                return None
            self.at += 1
            right = self.expression(RELATION + 1)
            return Relation(self.span(start), left, (("mid", right),))
        if floor > NEXT:
            return None
        right = self.expression(NEXT + 1)
        return Binary(self.span(start), "*", left, right, (), "juxtaposed")

    def _bars_ahead(self) -> int:
        depth = count = 0
        for at in range(self.at, self.end):
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

    def begins_operand(self, token: Token) -> bool:
        kind, text = token.kind, token.text
        if kind in ("letter", "number", "open", "axis", "function", "name"):
            return True
        if kind == "word":
            return not words.is_prose(text)
        if kind == "sign":
            return text in ("(", "[")
        if kind != "command":
            return False
        return text in OPERANDS or text in words.GREEK or (text.startswith("\\begin{"))

    # --------------------------------------------------------------------------- operators

    def operator_below(self) -> str | None:
        """Give the operator that the \\underset at this place stands for, if it is one."""
        at = self.at
        try:
            self.at += 1
            self.group()
            first, last = self.group()
        except Fault:
            return None
        finally:
            self.at, after = at, self.at
        del after
        inner = self.tokens[first:last]
        while len(inner) > 2 and inner[0].kind == "open" and inner[-1].kind == "close":
            inner = inner[1:-1]
        if len(inner) != 1 or inner[0].kind not in ("sign", "command"):
            return None
        text = inner[0].text
        return text if text in INFIX or text in RELATIONS else None

    def named_infix(self, left: Expression, floor: int, start: int) -> Expression | None:
        """Read \\ndot, \\nbin or \\ncat between two operands."""
        text = self.peek().text
        if floor > DOT:
            return None
        self.named = True
        self.at += 1
        axes = self.axes_argument()
        op = "\\cdot"
        if text == "\\nbin":
            first, last = self.group()
            op = (
                self.tokens[first].text
                if last == first + 1
                else "".join(t.text for t in self.tokens[first:last])
            )
        return self.with_axes(left, op if text != "\\ncat" else "\\concat", axes, start)

    def under_infix(self, left: Expression, floor: int, start: int) -> Expression | None:
        op = self.operator_below() or ""
        power = INFIX[op][0]
        if power < floor:
            return None
        over = self.take().text == "\\overset"
        if over:
            self.group()
            axes: tuple[AxisName, ...] = ()
        else:
            axes = self.axes_argument()
            self.named = True
        self.group()
        if over:
            right = self.expression(power + 1)
            return Binary(self.span(start), INFIX[op][1], left, right)
        return self.with_axes(left, op, axes, start)

    def with_axes(
        self, left: Expression, op: str, axes: tuple[AxisName, ...], start: int
    ) -> Expression:
        if op in CONTRACTING:
            right = self.expression(DOT + 1)
            return Contract(self.span(start), left, right, axes)
        power, name = INFIX.get(op, (DOT, op.lstrip("\\")))
        right = self.expression(power + 1)
        return Binary(self.span(start), name, left, right, axes)

    # ----------------------------------------------------------------------------- operands

    def operand(self) -> Expression:
        """Read one operand with its scripts and arguments."""
        start = self.at
        token = self.take()
        kind, text = token.kind, token.text
        if kind == "letter":
            return self.postfix(self.letters(token), start)
        if kind == "number":
            return self.postfix(self.number(token), start)
        if kind == "name":
            return self.postfix(Letter(token.span, text), start)
        if kind == "open":
            return self.postfix(self.braces(start), start)
        if kind == "axis":
            self.at = start
            self.named = True
            return self.axis()
        if kind in ("word", "function"):
            if kind == "word" and words.is_prose(text) and self.peek().text != "(":
                return Text(token.span, text)
            return self.function(
                Letter(token.span, text.replace(" ", ""), "word"), start, kind == "function"
            )
        if kind in ("sign", "command"):
            found = self.sign(token, start)
            if found is not None:
                return found
        self.at = start
        raise self.unexpected()

    def sign(self, token: Token, start: int) -> Expression | None:
        text = token.text
        if text in ("-", "+"):
            operand = self.expression(MINUS)
            return Unary(self.span(start), text, operand)
        if text in words.WORD_COMMANDS:
            return self.function(Letter(token.span, words.WORD_COMMANDS[text], "word"), start, True)
        if text in words.BIG:
            return self.big(words.BIG[text], text, start)
        if text in words.GREEK:
            return self.postfix(Letter(token.span, text[1:]), start)
        if text in words.BRACKETS:
            return self.postfix(self.bracketed(token), start)
        if text in words.BASES:
            self.at = start
            return self.space()
        reader = OPERANDS.get(text)
        if reader is not None:
            return reader(self, token, start)
        if text == "." and self.peek().text == "." and self.peek(1).text == ".":
            self.at += 2
            return Dots(self.span(start))
        if text.startswith("\\begin{"):
            return self.postfix(self.environment(token), start)
        return None

    def letters(self, token: Token) -> Letter:
        """Read italics written without a space as one name."""
        text = token.text
        start = self.at - 1
        while self.peek().kind == "letter" and not self.peek().spaced:
            text += self.take().text
        return Letter(self.span(start), text)

    def number(self, token: Token) -> Number:
        text = token.text
        start = self.at - 1
        while (
            self.peek().kind == "open"
            and self.peek(1).text == ","
            and self.peek(2).kind == "close"
            and self.peek(3).kind == "number"
            and len(self.peek(3).text) == 3
        ):
            text += self.peek(3).text
            self.at += 4
        return Number(self.span(start), float(text) if "." in text else int(text[:300]))

    def braces(self, start: int) -> Expression:
        """Read what stands in braces that only group."""
        self.at = start
        bounds = self.group()
        if bounds[0] == bounds[1]:
            return self.operand() if self.peek() is not self.stop else Text(self.span(start), "")
        return self.within(bounds, self.listing)

    def bracketed(self, token: Token) -> Expression:
        """Read what stands in brackets: a part of its own, or a list."""
        start = self.at - 1
        text = token.text
        parts, _ = self.inside(token)
        span = self.span(start)
        if text == "\\lfloor" or text == "\\lceil":
            return Floor(span, "floor" if text == "\\lfloor" else "ceil", self.only(parts, token))
        if text in ("\\lvert", "\\lVert"):
            return self.size_or_bars(span, self.only(parts, token), text == "\\lVert")
        if text in ("(", "[") and len(parts) == 1:
            return parts[0]
        return Items(span, tuple(parts), {"(": "(", "[": "[", "\\{": "{", "\\langle": "<"}[text])

    def only(self, parts: list[Expression], token: Token) -> Expression:
        if len(parts) != 1:
            raise Fault(
                "syntax-argument",
                f"between {token.text} and its end one thing should stand",
                token.span,
            )
        return parts[0]

    def inside(self, token: Token) -> tuple[list[Expression], list[Expression]]:
        """Read up to the bracket that closes this one; give what stands before and after a semicolon."""
        closing = words.BRACKETS[token.text]
        parts: list[Expression] = []
        after: list[Expression] = []
        bars, self.bars = self.bars, []
        current = parts
        while self.peek().text != closing:
            if self.peek() is self.stop:
                raise Fault(
                    "syntax-unbalanced",
                    f"this {token.text} is never closed",
                    token.span,
                    f"put a {closing} where it ends",
                )
            if self.peek().text in words.CLOSING:
                raise Fault(
                    "syntax-unbalanced",
                    f"this {token.text} is closed by a {self.peek().text}",
                    token.span,
                    f"close it with {closing}",
                )
            if self.peek().text == ",":
                self.at += 1
                continue
            if self.peek().text == ";":
                self.at += 1
                current = after
                continue
            current.append(self.expression(0))
            following = self.peek()
            if following.text not in (",", ";", closing) and following is not self.stop:
                if following.text in words.CLOSING:
                    continue
                if following.kind == "word":
                    self.skip_prose(closing)
                    continue
                raise self.unexpected()
        self.at += 1
        self.bars = bars
        return parts, after

    def skip_prose(self, closing: str) -> None:
        """Pass a note at the end of brackets."""
        while self.peek().text != closing and self.peek() is not self.stop:
            self.at += 1

    def size_or_bars(self, span: Span, inner: Expression, double: bool) -> Expression:
        if not double and isinstance(inner, AxisName):
            return AxisSize(span, inner)
        if double and self.peek().kind == "sub" and self.is_axes(1):
            self.at += 1
            return Bars(self.span(self.at - 1) | span, inner, True, self.axes_argument())
        return Bars(span, inner, double)

    def bars_operand(self, token: Token, start: int) -> Expression:
        if token.text == "|":
            axis = self.try_axis_in_bars()
            if axis is not None:
                return self.postfix(AxisSize(self.span(start), axis), start)
        self.bars.append(token.text)
        inner = self.expression(0)
        self.bars.pop()
        if self.peek().text != token.text:
            raise Fault(
                "syntax-unbalanced",
                f"this {token.text} is never closed",
                token.span,
                "put the same bar at its end",
            )
        self.at += 1
        return self.postfix(self.size_or_bars(self.span(start), inner, token.text == "\\|"), start)

    def try_axis_in_bars(self, closing: str = "|") -> AxisName | None:
        at = self.at
        if self.peek().kind in AXIS_KINDS:
            axis = self.axis()
            if self.peek().text == closing:
                self.at += 1
                self.named = True
                return axis
        self.at = at
        return None

    # ------------------------------------------------------------------------------- scripts

    def postfix(self, base: Expression, start: int) -> Expression:
        """Read the scripts of an operand, and its arguments where it can have them."""
        base = self.scripts(base, start)
        if self.peek().text == "(" and isinstance(base, NAMELIKE) and self.callable(base):
            return self.call(base, (), start)
        return base

    @staticmethod
    def callable(base: Expression) -> bool:
        while isinstance(base, Scripts):
            base = base.base
        return isinstance(base, Letter) and base.text != "infty"

    def scripts(self, base: Expression, start: int) -> Expression:
        while True:
            kind = self.peek().kind
            if kind == "prime":
                count = 0
                while self.peek().kind == "prime":
                    self.at += 1
                    count += 1
                base = self.scripted(base, start, primes=count)
            elif kind == "sup":
                self.at += 1
                bounds = self.group()
                inner = self.tokens[bounds[0] : bounds[1]]
                if inner and all(t.kind == "prime" for t in inner):
                    base = self.scripted(base, start, primes=len(inner))
                elif inner:
                    base = self.scripted(base, start, sup=self.script(bounds))
            elif kind == "sub":
                self.at += 1
                at = self.at
                bounds = self.group()
                items = self.indices(bounds)
                if items is not None:
                    self.named = True
                    base = Indexed(self.span(start), base, items)
                elif bounds[0] < bounds[1]:
                    self.at = at
                    bounds = self.group()
                    base = self.scripted(base, start, sub=self.script(bounds))
            else:
                return base

    def scripted(
        self,
        base: Expression,
        start: int,
        sub: Expression | None = None,
        sup: Expression | None = None,
        primes: int = 0,
    ) -> Expression:
        """Put a script on a base, beside those that it has."""
        span = self.span(start)
        if (
            isinstance(base, Indexed)
            and not isinstance(base.base, Indexed)
            and (sup is None or _names(sup))
        ):
            inner = self.scripted(base.base, start, sub, sup, primes)
            return Indexed(span, inner, base.items)
        if isinstance(base, Scripts):
            free_sub = sub is None or base.sub is None
            free_sup = sup is None or base.sup is None
            if free_sub and free_sup:
                return Scripts(
                    span, base.base, base.sub or sub, base.sup or sup, base.primes + primes
                )
        return Scripts(span, base, sub, sup, primes)

    def script(self, bounds: tuple[int, int]) -> Expression:
        """Read what stands in a script; what makes no sense there is kept as text."""
        first, last = bounds
        token = self.tokens[first]
        if last == first + 1 and token.text in words.ALONE:
            return Letter(token.span, token.text.lstrip("\\"))
        state = self.at, self.end, self.depth, self.bars
        try:
            return self.within(bounds, self.listing)
        except Fault as fault:
            if fault.code.startswith("limit") or fault.code == "syntax-unbalanced":
                raise
            if any(t.kind == "axis" for t in self.tokens[first:last]):
                raise
            self.at, self.end, self.depth, self.bars = state
            text = "".join(t.text for t in self.tokens[first:last])
            return Text(token.span | self.tokens[last - 1].span, text)

    # ----------------------------------------------------------------------------- functions

    def function(self, base: Expression, start: int, acts: bool = False) -> Expression:
        """Read the scripts, axes and arguments of a word."""
        axes: tuple[AxisName, ...] = ()
        word = base.text if isinstance(base, Letter) else ""
        if word == "arg" and self.peek().text in ("\\max", "\\min"):
            word = "arg" + self.take().text[1:]
            base = Letter(self.span(start), word, "word")
        while True:
            kind = self.peek().kind
            if kind == "sub" and (word in words.REDUCING or acts) and not axes and self.is_axes(1):
                self.at += 1
                axes = self.axes_argument()
                self.named = True
            elif kind == "sub" and word in words.CHOOSING:
                self.at += 1
                return self.reach(word, self.script(self.group()), None, start)
            elif kind in ("sub", "sup", "prime"):
                before = self.at
                base = self.one_script(base, start)
                if self.at == before:
                    break
                if isinstance(base, Indexed):
                    return self.scripts(base, start)
            else:
                break
        return self.apply(base, axes, start, acts or word in words.FUNCTIONS)

    def one_script(self, base: Expression, start: int) -> Expression:
        kind = self.peek().kind
        if kind == "prime":
            self.at += 1
            return self.scripted(base, start, primes=1)
        self.at += 1
        bounds = self.group()
        if bounds[0] == bounds[1]:
            return base
        if kind == "sup":
            inner = self.tokens[bounds[0] : bounds[1]]
            if all(t.kind == "prime" for t in inner):
                return self.scripted(base, start, primes=len(inner))
            return self.scripted(base, start, sup=self.script(bounds))
        items = self.indices(bounds)
        if items is not None:
            self.named = True
            return Indexed(self.span(start), base, items)
        return self.scripted(base, start, sub=self.script(bounds))

    def apply(
        self, base: Expression, axes: tuple[AxisName, ...], start: int, acts: bool
    ) -> Expression:
        """Read the arguments of a function."""
        token = self.peek()
        if token.text == "(":
            return self.call(base, axes, start)
        if acts or axes:
            if token.text in ("[", "\\{"):
                return self.call(base, axes, start)
            if token is not self.stop and (
                self.begins_operand(token) or token.text in ("-", "|", "\\|")
            ):
                if token.text in ("|", "\\|") and self.bars and self.bars[-1] == token.text:
                    pass
                elif not (token.text == "-" and not axes and not acts):
                    argument = self.expression(PREFIX)
                    return Call(self.span(start), base, axes, (argument,), (), "")
        if axes:
            return Under(self.span(start), base, axes)
        return base

    def call(self, base: Expression, axes: tuple[AxisName, ...], start: int) -> Expression:
        """Read arguments in brackets, and what may follow them: scripts, or arguments again."""
        token = self.take()
        arguments, parameters = self.inside(token)
        bracket = "[" if token.text == "[" else "("
        found: Expression = Call(
            self.span(start), base, axes, tuple(arguments), tuple(parameters), bracket
        )
        return self.scripts(found, start)

    def named_function(self, token: Token, start: int) -> Expression:
        """Read \\nfun{axes}{name}."""
        self.named = True
        axes = self.axes_argument()
        bounds = self.group()
        base = self.within(bounds, lambda: self.function_name(bounds))
        base = self.plain_scripts(base, start)
        return self.apply(base, axes, start, True)

    def plain_scripts(self, base: Expression, start: int) -> Expression:
        while self.peek().kind in ("sub", "sup", "prime"):
            base = self.one_script(base, start)
        return base

    def function_name(self, bounds: tuple[int, int]) -> Expression:
        inner = self.tokens[bounds[0] : bounds[1]]
        if not inner:
            raise Fault(
                "syntax-argument", "this function has no name", self.tokens[bounds[0] - 1].span
            )
        if all(t.kind in ("letter", "number") or t.text == "-" for t in inner):
            self.at = bounds[1]
            text = "".join(t.text for t in inner)
            span = inner[0].span | inner[-1].span
            return Letter(span, text, "letter" if len(text) == 1 else "word")
        token = inner[0]
        if len(inner) == 1 and token.kind in ("word", "function", "axis"):
            self.at = bounds[1]
            return Letter(token.span, token.text.replace(" ", ""), "word")
        if len(inner) == 1 and token.text in words.WORD_COMMANDS:
            self.at = bounds[1]
            return Letter(token.span, words.WORD_COMMANDS[token.text], "word")
        return self.listing()

    def underset(self, token: Token, start: int) -> Expression:
        """Read \\underset{axes}{...} before or without an operand."""
        under = self.at
        below = self.group()
        bounds = self.group()
        inner = self.tokens[bounds[0] : bounds[1]]
        while len(inner) > 2 and inner[0].kind == "open" and inner[-1].kind == "close":
            bounds = (bounds[0] + 1, bounds[1] - 1)
            inner = inner[1:-1]
        if token.text == "\\overset":
            self.at, after = bounds[0], self.at
            found = self.within(bounds, self.listing)
            self.at = after
            return self.postfix(found, start)
        if inner and len(inner) == 1 and inner[0].text in words.BIG:
            if self.all_axes(below):
                return self.reach_over(words.BIG[inner[0].text], self.axes_in(below), start)
            return self.reach(words.BIG[inner[0].text], self.script(below), None, start)
        word = self.word_in(inner)
        if word in words.CHOOSING and not self.all_axes(below):
            return self.reach(word, self.script(below), None, start)
        del under
        axes = self.axes_in(below)
        self.named = True
        after = self.at
        base = self.within(bounds, lambda: self.function_name(bounds) if word else self.listing())
        self.at = after
        if word:
            return self.apply(self.plain_scripts(base, start), axes, start, True)
        if self.peek().text == "(" and isinstance(base, Letter):
            return self.apply(base, axes, start, True)
        return self.scripts(Under(self.span(start), base, axes), start)

    @staticmethod
    def word_in(inner: Sequence[Token]) -> str:
        if len(inner) == 1 and inner[0].kind in ("word", "function"):
            return inner[0].text.replace(" ", "")
        if len(inner) == 1 and inner[0].text in words.WORD_COMMANDS:
            return words.WORD_COMMANDS[inner[0].text]
        if len(inner) == 2 and inner[0].text == "\\arg":
            return "arg" + inner[1].text[1:]
        return ""

    # ---------------------------------------------------------------------------- big operators

    def big(self, op: str, text: str, start: int) -> Expression:
        """Read a sum or its like: what stands below and above it, and what it reaches over."""
        if text in ("\\nsum", "\\ncat"):
            self.named = True
            return self.reach_over(op, self.axes_argument(), start)
        lower: Expression | None = None
        upper: Expression | None = None
        axes: tuple[AxisName, ...] = ()
        while self.peek().kind in ("sub", "sup"):
            kind = self.take().kind
            if kind == "sub" and self.is_axes(0):
                axes = self.axes_argument()
                self.named = True
                continue
            bounds = self.group()
            if bounds[0] == bounds[1]:
                continue
            if kind == "sub":
                lower = self.script(self.without_substack(bounds))
            else:
                upper = self.script(bounds)
        if axes and lower is None and upper is None:
            return self.reach_over(op, axes, start)
        return self.reach(op, lower, upper, start)

    def without_substack(self, bounds: tuple[int, int]) -> tuple[int, int]:
        return bounds

    def reach(
        self, op: str, lower: Expression | None, upper: Expression | None, start: int
    ) -> Expression:
        body = self.expression(REACH + 1)
        return Big(self.span(start), op, (), lower, upper, body)

    def reach_over(self, op: str, axes: tuple[AxisName, ...], start: int) -> Expression:
        self.named = True
        body = self.expression(REACH + 1)
        return Big(self.span(start), op, axes, None, None, body)

    # --------------------------------------------------------------------------------- axes

    def axis(self) -> AxisName:
        """Read the name of an axis with its primes, number and star."""
        start = self.at
        token = self.take()
        name = token.text
        if token.kind == "letter":
            name = self.letters(token).text
        elif token.kind == "command" and token.text in words.GREEK:
            name = token.text[1:]
        elif token.kind not in AXIS_KINDS and token.kind != "name":
            raise Fault(
                "syntax-axis", f"{token.text or 'nothing'} stands where an axis should", token.span
            )
        while True:
            token = self.peek()
            if token.kind == "prime":
                self.at += 1
                name += "'"
            elif token.kind == "sup" and self.peek(1).text in ("*", "\\star"):
                self.at += 2
                name += "*"
            elif token.kind == "sup" and [self.peek(i).text for i in (1, 3)] == ["{", "}"]:
                if self.peek(2).text not in ("*", "\\star"):
                    return AxisName(self.span(start), name)
                self.at += 4
                name += "*"
            elif token.kind == "sub":
                self.at += 1
                first, last = self.group()
                name += "_" + "".join(t.text.lstrip("\\") for t in self.tokens[first:last])
            elif token.text == "*":
                self.at += 1
                name += "*"
            else:
                return AxisName(self.span(start), name)

    def sized_axis(self) -> SizedAxis:
        """Read an axis and its size: emb:d, emb[512]."""
        start = self.at
        axis = self.axis()
        size: Expression | None = None
        if self.peek().text == ":":
            self.at += 1
            size = self.expression(words.PLUS)
        elif self.peek().text == "[" or self.peek().text == "(":
            size = self.only(self.inside(self.take())[0], self.tokens[self.at - 1])
        return SizedAxis(self.span(start), axis, size)

    def axes_argument(self) -> tuple[AxisName, ...]:
        """Read an argument that holds axes."""
        if self.peek().kind in AXIS_KINDS:
            return (self.axis_alone(),)
        return self.axes_in(self.group())

    def axis_alone(self) -> AxisName:
        token = self.take()
        return AxisName(token.span, token.text)

    def axes_in(self, bounds: tuple[int, int]) -> tuple[AxisName, ...]:
        return self.within(bounds, self._axes)

    def _axes(self) -> tuple[AxisName, ...]:
        axes: list[AxisName] = []
        while self.peek() is not self.stop:
            text = self.peek().text
            if text in (",", "\\\\", "\\times"):
                self.at += 1
            elif text == "\\substack":
                self.at += 1
                axes += self.axes_in(self.group())
            elif self.peek().kind == "open":
                axes += self.axes_in(self.group())
            else:
                axes.append(self.axis())
        return tuple(axes)

    def is_axes(self, ahead: int) -> bool:
        """Say whether the argument that begins here holds axes and nothing else."""
        at = self.at
        self.at += ahead
        try:
            return self.all_axes(self.group())
        except Fault:
            return False
        finally:
            self.at = at

    def all_axes(self, bounds: tuple[int, int]) -> bool:
        inner = self.tokens[bounds[0] : bounds[1]]
        if not any(t.kind in AXIS_KINDS for t in inner):
            return False
        state = self.at, self.end, self.depth, self.bars
        try:
            axes = self.axes_in(bounds)
        except Fault:
            return False
        finally:
            self.at, self.end, self.depth, self.bars = state
        return not any(words.is_prose(axis.name) for axis in axes)

    def indices(self, bounds: tuple[int, int]) -> tuple[At | Renaming, ...] | None:
        """Read named indices or renamings; None where a script holds something else."""
        inner = self.tokens[bounds[0] : bounds[1]]
        if not any(t.kind in AXIS_KINDS for t in inner):
            return None
        texts = {t.text for t in inner}
        if texts & {"\\rightarrow", "\\mapsto"}:
            return self.within(bounds, self._renamings)
        if not texts & {":", "(", "="}:
            return None
        state = self.at, self.end, self.depth, self.bars
        first = self.tokens[bounds[0]]
        if first.kind not in AXIS_KINDS:
            return None
        try:
            return self.within(bounds, self._ats)
        except Fault:
            if first.kind == "axis":
                raise
            self.at, self.end, self.depth, self.bars = state
            return None

    def _ats(self) -> tuple[At, ...]:
        items: list[At] = []
        while self.peek() is not self.stop:
            if self.peek().text == ",":
                self.at += 1
                continue
            start = self.at
            axis = self.axis()
            text = self.peek().text
            if text in (":", "="):
                self.at += 1
                at = self.expression(RELATION + 1)
            elif text in ("(", "["):
                opening = self.take()
                at = self.only(self.inside(opening)[0], opening)
            else:
                raise Fault(
                    "syntax-index",
                    f"{axis.name} has no index here",
                    axis.span,
                    f"write \\text{{{axis.name}}}:i",
                )
            items.append(At(self.span(start), axis, at))
        return tuple(items)

    def _renamings(self) -> tuple[Renaming, ...]:
        sides: list[list[SizedAxis]] = [[]]
        starts = [self.at]
        pending: list[int] = []
        while self.peek() is not self.stop:
            text = self.peek().text
            if text in ("\\rightarrow", "\\mapsto"):
                pending.append(len(sides))
                sides.append([])
                self.at += 1
                starts.append(self.at)
            elif text == ",":
                self.at += 1
                if pending and pending[-1] == len(sides) - 1 and self._arrow_ahead():
                    sides.append([])
                    starts.append(self.at)
            elif text == "(" or text == ")":
                self.at += 1
            else:
                sides[-1].append(self.sized_axis())
        found: list[Renaming] = []
        for place in pending:
            before, after = sides[place - 1], sides[place]
            if not before or not after:
                raise Fault(
                    "syntax-rename",
                    "a renaming lacks an axis on one side of its arrow",
                    self.span(starts[place]),
                )
            found.append(Renaming(before[0].span | after[-1].span, tuple(before), tuple(after)))
        return tuple(found)

    def _arrow_ahead(self) -> bool:
        return any(
            self.tokens[at].text in ("\\rightarrow", "\\mapsto") for at in range(self.at, self.end)
        )

    # -------------------------------------------------------------------------------- spaces

    def space(self) -> Space | None:
        """Read a set of tensors, or nothing where something else stands."""
        start = self.at
        token = self.peek()
        bound: Expression | None = None
        if token.text in words.BASES:
            self.at += 1
            base = words.BASES[token.text]
        elif token.text in ("\\mathbb", "\\mathds"):
            self.at += 1
            first, last = self.group()
            base = "".join(t.text for t in self.tokens[first:last])
        elif token.text in ("[", "\\{"):
            found = self.finite()
            if found is None:
                return None
            base, bound = found
        else:
            return None
        axes = self.exponent()
        following = self.peek()
        if axes is None or self.begins_operand(following):
            self.at = start
            return None
        return Space(self.span(start), base, axes, bound)

    def finite(self) -> tuple[str, Expression | None] | None:
        """Read {0, 1}, [0, 1], [n] or {1, ..., n}."""
        start = self.at
        opening = self.take()
        try:
            parts, _ = self.inside(opening)
        except Fault:
            self.at = start
            return None
        curly = opening.text == "\\{"
        values = [part.value if isinstance(part, Number) else None for part in parts]
        if values == [0, 1]:
            return ("{0,1}" if curly else "[0,1]"), None
        if len(parts) == 1 and not curly:
            return "[n]", parts[0]
        if (
            curly
            and len(parts) >= 3
            and values[0] == 1
            and any(isinstance(part, Dots) for part in parts)
        ):
            return "[n]", parts[-1]
        self.at = start
        return None

    def exponent(self) -> tuple[SizedAxis, ...] | None:
        """Read the axes of a space; none where it has no exponent."""
        axes: tuple[SizedAxis, ...] = ()
        while self.peek().kind in ("sub", "sup"):
            kind = self.take().kind
            bounds = self.group()
            if kind == "sub":
                continue
            axes = self.within(bounds, self.shape)
        return axes

    def shape(self) -> tuple[SizedAxis, ...]:
        axes: list[SizedAxis] = []
        named = False
        while self.peek() is not self.stop:
            token = self.peek()
            if token.text in (",", "\\times") or token.text in ("(", ")"):
                self.at += 1
            elif (
                token.kind == "number"
                or token.text == "\\ldots"
                or token.text in ("+", "-", "*", "/")
            ):
                self.positional = True
                self.at += 1
            else:
                axis = self.sized_axis()
                named = named or token.kind in AXIS_KINDS or axis.size is not None
                axes.append(axis)
        if named:
            self.named = True
        else:
            self.positional = True
        return tuple(axes)

    def blackboard(self, token: Token, start: int) -> Expression:
        self.at = start
        if self.peek(1).text in "RNZCQB" or self.peek(2).text in "RNZCQB":
            space = self.space()
            if space is not None:
                return space
        self.at = start + 1
        bounds = self.group()
        text = "".join(t.text for t in self.tokens[bounds[0] : bounds[1]])
        return self.function(Letter(self.span(start), text, "word"), start)

    # ------------------------------------------------------------------------ other operands

    def fraction(self, token: Token, start: int) -> Expression:
        first, second = self.group(), self.group()
        derivative = self.derivative(first, second, start)
        if derivative is not None:
            return self.postfix(derivative, start)
        above = self.within(first, self.listing)
        below = self.within(second, self.listing)
        return self.postfix(Binary(self.span(start), "/", above, below, (), "frac"), start)

    def derivative(
        self, first: tuple[int, int], second: tuple[int, int], start: int
    ) -> Expression | None:
        above, below = self.tokens[first[0] : first[1]], self.tokens[second[0] : second[1]]
        if not above or not below or above[0].text != "\\partial" or below[0].text != "\\partial":
            return None
        if len(above) < 2 or len(below) < 2:
            return None
        of = self.within((first[0] + 1, first[1]), self.listing)
        by = self.within((second[0] + 1, second[1]), self.listing)
        return Derivative(self.span(start), "partial", of, by)

    def partial(self, token: Token, start: int) -> Expression:
        op = token.text[1:]
        by: Expression | None = None
        if self.peek().kind == "sub":
            self.at += 1
            by = self.script(self.group())
        of = self.expression(PREFIX)
        return Derivative(self.span(start), op, of, by)

    def root(self, token: Token, start: int) -> Expression:
        degree: Expression | None = None
        if self.peek().text == "[":
            degree = self.only(self.inside(self.take())[0], token)
        inner = self.within(self.group(), self.listing)
        return self.postfix(Root(self.span(start), inner, degree), start)

    def dots(self, token: Token, start: int) -> Expression:
        return Dots(token.span)

    def negation(self, token: Token, start: int) -> Expression:
        return Unary(self.span(start), "not", self.expression(RELATION))

    def environment(self, token: Token) -> Expression:
        """Read cases, or a matrix."""
        start = self.at - 1
        name = environment(token) or ""
        depth = 1
        while depth:
            inner = self.peek()
            if inner is self.stop:
                raise Fault(
                    "syntax-unbalanced",
                    f"this {token.text} has no end",
                    token.span,
                    f"put \\end{{{name}}}",
                )
            depth += inner.text.startswith("\\begin{") - inner.text.startswith("\\end{")
            self.at += 1
        first, last = start + 1, self.at - 1
        if name in ("array", "subarray") and self.tokens[first].kind == "open":
            after, self.at = self.at, first
            first = self.group()[1] + 1
            self.at = after
        rows = self.cells(first, last)
        span = self.span(start)
        if name in ("cases", "dcases", "rcases"):
            return Cases(span, tuple(self.case(row) for row in rows))
        if name.endswith("matrix") or name == "array":
            return Matrix(
                span, tuple(tuple(self.within(cell, self.listing) for cell in row) for row in rows)
            )
        raise Fault("syntax-environment", f"{token.text} cannot stand in a formula", token.span)

    def cells(self, first: int, last: int) -> list[list[tuple[int, int]]]:
        """Give the bounds of the cells of each row between two places."""
        rows: list[list[tuple[int, int]]] = []
        at = first
        for row in split_rows(self.tokens[first:last]):
            while at < last and row and self.tokens[at] is not row[0]:
                at += 1
            cells: list[tuple[int, int]] = []
            begin = at
            depth = 0
            for token in row:
                if token.kind == "open" or token.text.startswith("\\begin{"):
                    depth += 1
                elif token.kind == "close" or token.text.startswith("\\end{"):
                    depth -= 1
                if token.kind == "tab" and not depth:
                    cells.append((begin, at))
                    begin = at + 1
                at += 1
            cells.append((begin, at))
            if row:
                rows.append(cells)
        return rows

    def case(self, row: list[tuple[int, int]]) -> Case:
        value = self.within(self.trimmed(row[0]), self.listing)
        rest = self.trimmed((row[1][0], row[-1][1])) if len(row) > 1 else (row[0][1], row[0][1])
        condition = self.within(rest, self.condition)
        return Case(value.span, value, condition)

    def trimmed(self, bounds: tuple[int, int]) -> tuple[int, int]:
        first, last = bounds
        while last > first and self.tokens[last - 1].text in (",", ".", ";", "\\quad", "\\qquad"):
            last -= 1
        while last > first and self.tokens[first].text in ("\\quad", "\\qquad"):
            first += 1
        return first, last

    def condition(self) -> Expression | None:
        """Read when a case holds; None where it says otherwise."""
        while self.peek().kind == "word" and words.is_prose(self.peek().text):
            if self.peek().text.lower().strip(" .,;") in words.PARITY:
                break
            self.at += 1
        if self.peek() is self.stop:
            return None
        return self.listing()


def _names(sup: Expression) -> bool:
    """Say whether a superscript may be part of a name."""
    return not isinstance(sup, Unary | Binary)


OPERANDS: dict[str, Callable[[Parser, Token, int], Expression]] = {
    "\\frac": Parser.fraction,
    "\\sqrt": Parser.root,
    "\\underset": Parser.underset,
    "\\overset": Parser.underset,
    "\\nfun": Parser.named_function,
    "\\mathbb": Parser.blackboard,
    "\\mathds": Parser.blackboard,
    "\\partial": Parser.partial,
    "\\nabla": Parser.partial,
    "\\ldots": Parser.dots,
    "\\neg": Parser.negation,
    "\\lnot": Parser.negation,
    "|": Parser.bars_operand,
    "\\|": Parser.bars_operand,
    **dict.fromkeys(words.BIG, Parser.dots),
    **dict.fromkeys(words.WORD_COMMANDS, Parser.dots),
    **dict.fromkeys(words.BASES, Parser.dots),
    **dict.fromkeys((b for b in words.BRACKETS if b.startswith("\\")), Parser.dots),
}
