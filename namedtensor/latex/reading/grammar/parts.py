"""Read fractions, roots, derivatives, brackets, bars, cases and matrices, functions and big operators."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.axes import ARROWS, holds_axes
from namedtensor.latex.reading.grammar.spaces import Spaces
from namedtensor.latex.reading.ranges import listed, number_of, set_of
from namedtensor.latex.reading.rows import after_bracket, braces_of, environment, split_rows
from namedtensor.latex.reading.tokens import ASIDE, Fault, Token, endless, unclosed
from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Case,
    Cases,
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
    Relation,
    Root,
    Scripts,
    Text,
    Unary,
    Under,
)
from namedtensor.primitives.notation import FUNCTION, PREFIX, REACH

#: What stands before both names of a derivative, and which it is.
DERIVING = {"\\partial": "partial", "d": "d"}

#: What an argument without brackets may begin with, besides operands.
SIGNED = frozenset(("-", "|", "\\|"))

CASES = frozenset(("cases", "dcases", "rcases", "drcases", "numcases"))
BRACKET_NAMES = {"(": "(", "[": "[", "\\{": "{", "\\langle": "<"}


class Parts(Spaces):
    """What is read of functions, and of the larger parts of formulas."""

    def begins_operand(self, token: Token) -> bool:
        """Say whether an operand may begin with this token."""
        raise NotImplementedError

    def operator_below(self) -> str:
        r"""Give the operator that the \underset here stands for, or nothing."""
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
        if axes and isinstance(base, Letter) and base.text == "E":
            base = Letter(base.span, "expectation", "word")
        token = self.peek()
        over = axes or getattr(base, "text", "") in words.STATISTICS | words.MOMENTS
        floor = PREFIX if over else FUNCTION
        if token.text == "(" or (acts and token.text in ("[", "\\{")):
            if self._script_behind(base, bool(axes)):
                argument = self.expression(floor)
                return Call(self.span(start), base, axes, (argument,), (), "")
            return self.call(base, axes, start)
        less = token.text == "-" and not axes and self._is_of_document(base)
        if acts and not less and self._is_argument(token):
            argument = self.expression(floor)
            return Call(self.span(start), base, axes, (argument,), (), "")
        return Under(self.span(start), base, axes) if axes else base

    def _script_behind(self, base: Expression, axes: bool) -> bool:
        """Say whether what is behind the bracket here belongs to it.

        mean_{seq} (X - Y)^2 averages squares; mean_{seq} [X]_+ and log [X]_+ are of the positive part,
        and log [X ; Y]_{seq} of what is joined, and softmax_{b} [X]_{a -> b} of what is renamed.
        """
        after = after_bracket(self.tokens, self.at, self.end)
        if after is None or after >= self.end:
            return False
        square = self.peek().text == "["
        if self.tokens[after].kind == "sub" and (axes or square):
            at, self.at = self.at, after + 1
            below = self.bare(self.group()) if self.peek() is not self.stop else (at, at)
            self.at = at
            names = self.tokens[slice(*below)]
            renames = any(token.text in ARROWS for token in names)
            return self.is_plus(below) or (square and (renames or holds_axes(names)))
        statistic = axes and isinstance(base, Letter) and base.text in words.STATISTICS
        return statistic and self.tokens[after].kind == "sup"

    @staticmethod
    def _is_of_document(base: Expression) -> bool:
        r"""Say whether a name is of the document alone: \operatorname{rate} - 1 is a difference."""
        name = base.base if isinstance(base, Scripts) else base
        return isinstance(name, Letter) and name.text not in words.FUNCTIONS

    def _is_argument(self, token: Token) -> bool:
        if token.text in ("|", "\\|") and self.bars and self.bars[-1] == token.text:
            return False
        return token.text in SIGNED or self.begins_operand(token)

    def call(self, base: Expression, axes: tuple[AxisName, ...], start: int) -> Expression:
        """Read arguments in brackets, and the scripts behind them."""
        token = self.take()
        arguments, parameters = self.inside(token)
        puts = isinstance(base, Letter) and base.text == "diag" and not axes
        if puts and self.peek().kind == "sub" and self.next_is_axes(1):
            self.at += 1
            axes = self.axes_argument()
            self.named = True
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
        expects = len(inner) == 1 and inner[0].text == "E" and self.peek().text in ("[", "(")
        word = word_in(inner) if expects or not inner or inner[0].kind != "letter" else ""
        if word in words.CHOOSING and not over:
            return self.reach(word, self.script(below), None, start)
        axes = self.axes_in(below)
        self.named = self.named or over or self.spells_axes(below)
        if word:
            name = self.function_name(bounds, token)
            return self.apply(self.scripts(name, start), axes, start, True)
        base = self.within(bounds, self.listing)
        if isinstance(base, Letter) and base.text == "E" and base.style == "word":
            return self.apply(base, axes, start, True)  # \\mathbb{E}
        head = base.base if isinstance(base, Scripts) else None
        if isinstance(head, Letter) and head.text.lower() in ("top", "topk"):
            return self.apply(base, axes, start, True)  # top_k X
        if isinstance(base, (Letter, Scripts)) and self.peek().text == "(":
            return self.call(base, axes, start)
        whole = self.joined_along(base, axes, start)
        if whole is not None:
            return self.scripts(whole, start)
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
                found = (self._such_that(bounds) if below else None) or self.script(bounds)
                lower, upper = (found, upper) if below else (lower, found)
        if axes:
            return self.reach_over(op, axes, start)
        return self.reach(op, lower, upper, start)

    def _such_that(self, bounds: tuple[int, int]) -> Expression | None:
        """Read j : A_{a(i), b(j)} = 1 below a sum: an index, and a condition on it."""
        depth = 0
        for at in range(*bounds):
            token = self.tokens[at]
            depth += braces_of(token) + (token.text == "\\{") - (token.text == "\\}")
            if depth <= 0 and token.text in (":", "\\mid") and at > bounds[0]:
                index = self.within((bounds[0], at), self.listing)
                held = self.within((at + 1, bounds[1]), self.listing)
                return Items(index.span | held.span, (*listed(index), *listed(held)), "")
        return None

    def reach(
        self, op: str, lower: Expression | None, upper: Expression | None, start: int
    ) -> Expression:
        body = self.expression(REACH + 1)
        match lower:  # max_{i = 1, ..., n} is max_{i = 1}^n
            case Items(parts=(Relation(rest=(("=", _),)) as first, *_, Dots(), last), bracket=""):
                lower, upper = first, last
        return Big(self.span(start), op, (), lower, upper, body)

    def reach_over(self, op: str, axes: tuple[AxisName, ...], start: int) -> Expression:
        self.named = True
        body = self.expression(REACH + 1)
        return Big(self.span(start), op, axes, None, None, body)

    # ---------------------------------------------------------------------------- brackets

    def bracketed(self, token: Token) -> Expression:
        """Read what stands in brackets: one thing, or a list."""
        start = self.at - 1
        text = token.text
        counted = self._counted(start, "\\rvert") if text == "\\lvert" else None
        if counted is not None:
            return counted
        known = self._set_behind(start) if text == "\\{" else None
        if known is not None:
            return known
        parts, after = self.inside(token)
        span = self.span(start)
        rounding = words.ROUNDING.get((text, self.tokens[self.at - 1].text))
        if rounding is not None:
            return Floor(span, rounding, self.only(parts, token))
        if text in ("\\lvert", "\\lVert"):
            return self.size_or_bars(start, self.only(parts, token), text == "\\lVert")
        if text in ("(", "[") and len(parts) == 1 and not after:
            return parts[0]
        if text == "\\langle" and len(parts) == 1 and not (after or isinstance(parts[0], Relation)):
            axes = self.axes_below()
            return Call(span, Letter(token.span, "E", "word"), axes, (parts[0],), (), "[")
        element = start > 0 and self.tokens[start - 1].text in ("\\in", "\\notin")
        if len(parts) == 1 and not (after or element or isinstance(parts[0], (Relation, Dots))):
            return parts[0]
        return Items(span, (*parts, *after), BRACKET_NAMES[text])

    def axes_below(self) -> tuple[AxisName, ...]:
        """Read the axes that stand below what was read, if there are any."""
        if self.peek().kind != "sub" or not self.next_is_axes(1):
            return ()
        self.at += 1
        self.named = True
        return self.axes_argument()

    def inside(self, token: Token) -> tuple[list[Expression], list[Expression]]:
        """Read up to the bracket that closes this one; part it at the semicolon."""
        closing = words.BRACKETS[token.text]
        ends = {closing, *[end for begin, end in words.ROUNDING if begin == token.text]}
        parts: list[Expression] = []
        after: list[Expression] = []
        current = parts
        bars, self.bars = self.bars, []
        while (text := self.peek().text) not in ends:
            if text == "," or text == ";":
                self.at += 1
                current = after if text == ";" else current
                continue
            if self.peek() is self.stop or text in words.CLOSING:
                raise _unclosed(token, self.peek(), closing)
            current.append(self.expression())
            following = self.peek()
            if following.text == ":" and isinstance(current[-1], AxisName):
                raise Fault(ASIDE, "a record is no tensor", following.span)
            if following.text in (",", ";") or following.text in words.CLOSING:
                continue
            if following.kind == "word":
                self._skip_to(closing)
            elif following is not self.stop:
                raise self.unexpected()
        self.at += 1
        self.bars = bars
        return parts, after

    def _skip_to(self, closing: str) -> None:
        """Pass a note before the end of brackets."""
        while self.peek().text != closing and self.peek() is not self.stop:
            self.at += 1

    # -------------------------------------------------------------------------------- bars

    def count(self, token: Token, start: int) -> Expression:
        r"""Read how many there are, \#\{i : x_i > 0\}: the sum over i of 1 where this holds."""
        found = self._counted(start)
        if found is None:
            raise Fault(
                "syntax-set",
                "what is counted should stand here, an index and a condition",
                token.span,
                "write \\#\\{ i : X_{\\text{ax}(i)} > 0 \\}",
            )
        return self.scripts(found, start)

    def _counted(self, start: int, closing: str = "") -> Expression | None:
        """Read a set by its index and a condition, as the number of its elements, up to a bar."""
        opening, after = self.at, after_bracket(self.tokens, self.at, self.end)
        if self.peek().text != "\\{" or after is None:
            return None
        if closing and (after >= self.end or self.tokens[after].text != closing):
            return None
        found = self._set(opening, after, (":", "\\mid", "|"))
        if found is None:
            return None
        self.at = after + bool(closing)
        return number_of(*found, self.span(start))

    def _set(
        self, opening: int, after: int, parting: Collection[str]
    ) -> tuple[Expression, Expression] | None:
        """Read the index of a set in braces, and the condition on it."""
        signs = [at for at in range(opening + 1, after) if self.tokens[at].text in parting]
        if not signs or signs[0] == opening + 1:
            return None
        index = self.within((opening + 1, signs[0]), self.listing)
        held = self.within((signs[0] + 1, after - 1), self.listing)
        bare = isinstance(held, Items) and not held.bracket
        parts = held.parts if bare and isinstance(held, Items) else (held,)
        return index, Logic(held.span, "and", parts) if len(parts) > 1 else held

    def _set_behind(self, start: int) -> Expression | None:
        r"""Read { j : A_{a(i), b(j)} = 1 } from its first brace on; None where there is no such thing."""
        after, at = after_bracket(self.tokens, start, self.end), self.at
        try:
            found = None if after is None else self._set(start, after, (":", "\\mid"))
        except Fault:
            found = None
        index = found[0].first if found and isinstance(found[0], Relation) else found and found[0]
        if found is None or after is None or not isinstance(index, (Letter, Scripts)):
            self.at = at
            return None
        self.at = after
        return set_of(*found, self.span(start))

    def bar_operand(self, token: Token, start: int) -> Expression:
        """Read |x| or ||x|| from its first bar on."""
        counted = self._counted(start, token.text) if token.text == "|" else None
        if counted is not None:
            return self.scripts(counted, start)
        at = self.at
        self.bars.append(token.text)
        inner = self.expression()
        if self.peek().text != token.text:
            self.at = at
            raise Fault(
                "syntax-unbalanced",
                f"this {token.text} is never closed",
                token.span,
                "put the same bar at its end",
            )
        self.bars.pop()
        self.at += 1
        return self.scripts(self.size_or_bars(start, inner, token.text == "\\|"), start)

    def size_or_bars(self, start: int, inner: Expression, double: bool) -> Expression:
        """Tell the size of an axis from bars around an expression."""
        if not double and isinstance(inner, AxisName):
            self.named = True
            return AxisSize(self.span(start), inner)
        axes = self.axes_below() if double else ()
        if any(axis.name == "F" for axis in axes):
            span, order = self.span(start), Items(axes[0].span | axes[-1].span, axes, "")
            return Scripts(span, Bars(span, inner, double), order)
        return Bars(self.span(start), inner, double, axes)

    def axis_between_bars(self, start: int) -> bool:
        """Say whether the word at this place stands alone between bars, and so is an axis."""
        before = self.tokens[start - 1].text if start else ""
        if before not in ("|", "\\lvert"):
            return False
        at, self.at = self.at, start
        self.axis()
        closing = self.peek().text
        self.at = at
        return closing in ("|", "\\rvert")

    # -------------------------------------------------------------- fractions and the like

    def fraction(self, token: Token, start: int) -> Expression:
        """Read \\frac{a}{b}, which may be a derivative."""
        above, below = self.bare(self.group()), self.bare(self.group())
        sign = self._derives(above, below)
        if sign:
            by = self.within((below[0] + 1, below[1]), self.listing)
            if above[1] - above[0] > 1:
                of = self.within((above[0] + 1, above[1]), self.listing)
            else:
                of = self.expression(PREFIX)  # \frac{\partial}{\partial X} f(X)
            return self.scripts(Derivative(self.span(start), sign, of, by), start)
        left = self.within(above, self.listing)
        right = self.within(below, self.listing)
        return self.scripts(Binary(self.span(start), "/", left, right, (), "frac"), start)

    def _derives(self, above: tuple[int, int], below: tuple[int, int]) -> str:
        r"""Say which derivative a fraction is, \partial Y / \partial X or dY / dX; nothing for others."""
        first, second = self.tokens[above[0]].text, self.tokens[below[0]].text
        if first != second or first not in DERIVING:
            return ""
        following = [self.tokens[slice(at + 1, end)][:1] for at, end in (above, below)]
        named = all(t.kind not in ("sub", "sup", "prime") for each in following for t in each)
        of = bool(following[0]) or self.begins_operand(self.peek())
        return DERIVING[first] if first == "\\partial" or (named and of and following[1]) else ""

    def binomial(self, token: Token, start: int) -> Expression:
        """Read \\binom{n}{k}."""
        numbers = [self.within(self.bare(self.group()), self.listing) for _ in range(2)]
        name = Letter(token.span, words.BINOMIAL, "word")
        return self.scripts(Call(self.span(start), name, (), tuple(numbers), (), "("), start)

    def partial(self, token: Token, start: int) -> Expression:
        """Read \\partial X, \\nabla_X f, or \\nabla_X^2 f, which is derived twice."""
        by: Expression | None = None
        first = self.at
        if self.peek().kind == "sub":
            self.at += 1
            by = self.script(self.bare(self.group()))
        gradient = token.text == "\\nabla"
        stacked = self.peek().text in ("\\underset", "\\overset") and self.operator_below() != ""
        acted = stacked or not self.begins_operand(self.peek())
        if gradient and self.peek().text != "^" and acted:
            self.at = first  # it is a letter: \\nabla = f - g
            return self.scripts(Letter(token.span, "nabla"), start)
        twice = gradient and [self.peek(i).text for i in range(2)] == ["^", "2"]
        if twice:
            self.at += 2
        of = self.expression(PREFIX)
        span = self.span(start)
        found = Derivative(span, token.text[1:], of, by)
        return (
            replace(found, of=found, op=found.op if by is None else "partial") if twice else found
        )

    def root(self, token: Token, start: int) -> Expression:
        """Read \\sqrt{x} or \\sqrt[n]{x}."""
        degree: Expression | None = None
        if self.peek().text == "[":
            opening = self.take()
            degree = self.only(self.inside(opening)[0], opening)
        inner = self.within(self.group(), self.listing)
        return self.scripts(Root(self.span(start), inner, degree), start)

    def dots(self, token: Token, start: int) -> Expression:
        return Dots(token.span)

    # -------------------------------------------------------------------- cases and matrices

    def environment(self, token: Token, start: int) -> Expression:
        """Read cases, or a matrix."""
        name = environment(token) or ""
        first, last = self._environment_bounds(token, name)
        if name in CASES or (name == "array" and start and self.tokens[start - 1].text == "\\{"):
            rows = self.cells(first, last)
            cases = [self.case(row, row is rows[-1]) for row in rows]
            return Cases(self.span(start), tuple(cases))
        if name.endswith("matrix") or name == "array":
            return self.matrix(self.cells(first, last), start)
        raise Fault("syntax-environment", f"{token.text} cannot stand in a formula", token.span)

    def _environment_bounds(self, token: Token, name: str) -> tuple[int, int]:
        """Pass an environment; give the places where its rows begin and end."""
        first = self.at
        depth = 1
        while depth:
            text = self.peek().text
            if self.peek() is self.stop:
                raise endless(token)
            depth += text.startswith("\\begin{") - text.startswith("\\end{")
            self.at += 1
        last = self.at - 1
        if name == "array" and first < last and self.tokens[first].text == "[":
            while first < last and self.tokens[first].text != "]":
                first += 1
            first = min(first + 1, last)
        if name == "array" and first < last and self.tokens[first].kind == "open":
            after, self.at = self.at, first
            first = self.group()[1] + 1
            self.at = after
        return first, last

    def matrix(self, rows: Sequence[Sequence[tuple[int, int]]], start: int) -> Expression:
        """Read the cells of a matrix; one with an axis above it says what its columns are."""
        cells = tuple(tuple(self.cell(cell) for cell in row) for row in rows)
        if len(cells) == 2 and [len(row) for row in cells] == [1, 1]:
            column, inner = cells[0][0], cells[1][0]
            if isinstance(inner, Matrix) and isinstance(column, (AxisName, Items)):
                axis = column if isinstance(column, AxisName) else None
                return Matrix(self.span(start), inner.rows, None, axis)
        self.positional = True
        return Matrix(self.span(start), cells)

    def cell(self, bounds: tuple[int, int]) -> Expression:
        if bounds[0] == bounds[1]:
            return Items(self.tokens[bounds[0]].span, (), "")
        return self.within(bounds, self.listing)

    def nmatrix(self, token: Token, start: int) -> Expression:
        """Read \\nmatrix{row axis}{column axis}{cells}."""
        self.named = True
        row, column = self.axes_argument(), self.axes_argument()
        first, last = self.group()
        cells = tuple(tuple(self.cell(cell) for cell in line) for line in self.cells(first, last))
        return Matrix(
            self.span(start), cells, row[0] if row else None, column[0] if column else None
        )

    def cells(self, first: int, last: int) -> list[list[tuple[int, int]]]:
        """Give the bounds of the cells of each row between two places."""
        rows: list[list[tuple[int, int]]] = []
        at = first
        for row in split_rows(self.tokens[first:last]):
            if not row:
                continue
            while self.tokens[at] is not row[0]:
                at += 1
            cells: list[tuple[int, int]] = []
            begin = at
            depth = 0
            for token in row:
                if token.kind == "open" or token.text.startswith("\\begin{"):
                    depth += 1
                elif token.kind == "close" or token.text.startswith("\\end{"):
                    depth -= 1
                elif token.kind == "tab" and not depth:
                    cells.append((begin, at))
                    begin = at + 1
                at += 1
            cells.append((begin, at))
            rows.append(cells)
        return rows

    def case(self, row: Sequence[tuple[int, int]], last: bool = False) -> Case:
        """Read a value, and when it holds; words alone in the last row mean otherwise."""
        begin, end = self._trimmed(row[0])
        value = self.within((begin, end), self.listing)
        condition: Expression | None = None
        if len(row) > 1:
            bounds = self._trimmed((row[1][0], row[-1][1]))
            spoken = all(token.kind == "word" for token in self.tokens[slice(*bounds)])
            self.otherwise = last and spoken
            condition = self.within(bounds, self.condition)
        span = value.span if condition is None else value.span | condition.span
        return Case(span, value, condition)

    def _trimmed(self, bounds: tuple[int, int]) -> tuple[int, int]:
        first, last = bounds
        while last > first and self.tokens[last - 1].text in (",", ".", ";"):
            last -= 1
        return first, last

    def condition(self) -> Expression | None:
        """Read when a case holds; None where it says otherwise."""
        start, denied = self.at, False
        while self.peek().kind == "word" and words.is_prose(self.peek().text):
            denied = words.denies(self.take().text)
        if not self.otherwise and self._is_in_words(start):
            self.at = self.end
            span = self.span(start)
            return Text(span, " ".join(t.text for t in self.tokens[start : self.end]))
        if self.peek() is self.stop:
            return None
        found = self._held()
        return Unary(found.span, "not", found) if denied else found

    def _held(self) -> Expression:
        """Read what holds: one condition, several, or the values of an index, i = 1, ..., n."""
        op, found = self._joined_conditions()
        listed = isinstance(found, Items) and not found.bracket
        first = found.parts[0] if isinstance(found, Items) and listed else found
        if (
            isinstance(found, Items)
            and isinstance(first, Relation)
            and any(isinstance(p, Dots) for p in found.parts)
        ):
            sign, least = first.rest[-1]
            numbers = Items(least.span | found.span, (least, *found.parts[1:]), "")
            return replace(first, rest=(*first.rest[:-1], (sign, numbers)))
        if isinstance(found, Items) and listed and all(map(_holds, found.parts)):
            return Logic(found.span, op, found.parts)
        return found

    def _joined_conditions(self) -> tuple[str, Expression]:
        """Read conditions with commas between them, "a, b, or c", and what joins them."""
        start, op = self.at, "and"
        parts = [self.expression()]
        while self.peek().text in (",", ";"):
            self.at += 1
            if self.peek().text in ("and", "or"):
                op = self.take().text
            if self.peek() is self.stop:
                break
            parts.append(self.expression())
        match parts:
            case [_, *_, Logic(op=last, parts=more)]:
                op, parts = last, [*parts[:-1], *more]
        return op, parts[0] if len(parts) == 1 else Items(self.span(start), tuple(parts), "")

    def _is_in_words(self, start: int) -> bool:
        """Say whether a condition is said in words, which no relation between its letters holds."""
        inside = self.tokens[start : self.end]
        spoken = any(" " in t.text and not words.parity(t.text) for t in inside if t.kind == "word")
        related = any(t.text in words.RELATIONS or words.parity(t.text) for t in inside)
        return spoken and not related


def _holds(part: Expression) -> bool:
    """Say whether a part is a condition."""
    return isinstance(part, Relation | Is | Logic)


def word_in(inner: Sequence[Token]) -> str:
    """Give the word that tokens spell, or nothing.

    >>> from namedtensor.latex.reading.tokens import tokens_of
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


def _unclosed(token: Token, at: Token, closing: str) -> Fault:
    if at.text in words.CLOSING:
        return Fault(
            "syntax-unbalanced",
            f"this {token.text} is closed by a {at.text}",
            token.span,
            f"close it with {closing}",
        )
    return unclosed(token, closing)
