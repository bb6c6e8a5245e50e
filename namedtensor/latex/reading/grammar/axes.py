"""Read axes: names, sizes and lists of them, and the scripts, indices and renamings where they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from namedtensor.axes import is_name
from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.cursor import AXIS_KINDS, Cursor
from namedtensor.latex.reading.rows import after_bracket
from namedtensor.latex.reading.tokens import Fault, Token
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Big,
    Binary,
    Call,
    Expression,
    Indexed,
    Items,
    Letter,
    Relation,
    Renaming,
    Scripts,
    SizedAxis,
    Text,
    Unary,
)
from namedtensor.primitives.notation import RELATION, SUM

#: What joins the words of one name: seq len and d-model are the axes seq_len and d_model.
BLANKS = re.compile(r"(?<=\w)[\s\u2010-\u2013-]+(?=\w)")

#: What stands for all indices of an axis: X_{row(i), col(\\cdot)}.
WHOLE = frozenset((":", "\\cdot"))

STARS = frozenset(("*", "\\star", "\\ast"))

#: What stands between an axis as it was and as it shall be.
ARROWS = frozenset(("\\rightarrow", "\\mapsto"))

#: What stands between the axes of a list.
BETWEEN = frozenset((",", "\\\\", "\\times", ";", "\\cup"))


class Axes(Cursor):
    """What is read of axes, and of the scripts where they stand."""

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
        elif token.text in words.NAMES:
            name = token.text[1:]
        else:
            self.at = start
            said = "nothing" if token is self.stop else token.text
            raise Fault("syntax-axis", f"{said} stands where an axis should", token.span)
        while (suffix := self._suffix()) is not None:
            name += suffix
        name = BLANKS.sub("_", name.strip())
        if not is_name(name):
            hint = "a word, and primes: \\text{seq}, \\text{seq}'"
            raise Fault("syntax-axis", f"an axis cannot be named {name}", self.span(start), hint)
        return AxisName(self.span(start), name)

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

    def sized_axis(self, parts: bool = False) -> SizedAxis:
        """Read an axis and its size: emb:d, emb[512], or emb alone; a part, seq(t-b:t), has any size."""
        start = self.at
        axis = self.axis()
        size: Expression | None = None
        text = self.peek().text
        if text in (":", "="):
            self.at += 1
            end = self._end_of_size()
            size = self.within((self.at, end), lambda: self.expression(SUM))
            self.at = end
        elif parts and text == "(" and (last := self._end_of_part()):
            self.at = last
        elif text in ("[", "("):
            opening = self.take()
            size = self.only(self.inside(opening)[0], opening)
        return SizedAxis(self.span(start), axis, size)

    def _end_of_part(self) -> int | None:
        """Give where brackets end that hold a part of an axis, t-b:t; None where they hold none."""
        end = after_bracket(self.tokens, self.at, self.end)
        inside = self.tokens[self.at : end or self.at]
        return end if any(token.text == ":" for token in inside) else None

    def _end_of_size(self) -> int:
        r"""Find where a size ends: at a comma, a bracket that closes, or a \times before the next axis."""
        depth = 0
        for at in range(self.at, self.end):
            token = self.tokens[at]
            depth += (token.kind == "open") - (token.kind == "close")
            depth += (token.text in words.BRACKETS) - (token.text in words.CLOSING)
            if depth < 0 or (not depth and token.text in (",", ";", "\\\\", *ARROWS)):
                return at
            if not depth and token.text == "\\times" and self._is_axis(at + 1):
                return at
        return self.end

    def _is_axis(self, at: int) -> bool:
        """Say whether an axis stands at a place: one with a font, or italics with a size."""
        if at < self.end and self.tokens[at].kind in AXIS_KINDS:
            return True
        while at < self.end and self.tokens[at].kind in ("letter", "prime"):
            at += 1
        return at < self.end and self.tokens[at].text == ":"

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
            if token.text in BETWEEN:
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

    # -------------------------------------------------------------------------------- scripts

    def scripts(self, base: Expression, start: int) -> Expression:
        """Read all the scripts of an operand."""
        while self.peek().kind in ("prime", "sup", "sub") or self.peek().text == "!":
            read = self._factorial if self.peek().text == "!" else self.one_script
            base = read(base, start)
        return base

    def _factorial(self, base: Expression, start: int) -> Expression:
        """Read n!; n!! and n != m mean other things."""
        sign, after = self.take(), self.peek()
        if after.text == "!":
            hint = "write n! for a factorial, (n!)! for that of one, and a double factorial as its product"
            raise Fault(
                "syntax-unexpected", "!! is a double factorial", sign.span | after.span, hint
            )
        if after.text == "=" and not after.spaced:
            hint = "write \\neq, or n! = with a space for a factorial"
            raise Fault("syntax-unexpected", "!= is no relation", sign.span | after.span, hint)
        name = Letter(sign.span, words.FACTORIAL, "word")
        return Call(self.span(start), name, (), (base,), (), "(")

    def one_script(self, base: Expression, start: int) -> Expression:
        """Read the next script of an operand."""
        kind = self.take().kind
        if kind == "prime":
            return self.scripted(base, start, primes=1)
        bounds = self.bare(self.group())
        if bounds[0] == bounds[1]:
            return base
        if kind == "sup":
            inner = self.tokens[bounds[0] : bounds[1]]
            if all(token.kind == "prime" for token in inner):
                return self.scripted(base, start, primes=len(inner))
            return self.scripted(base, start, sup=self.script(bounds, above=True))
        if self.is_plus(bounds):
            part = self._positive_part(base, start)
            if part is not None:
                return part
        name, bounds = self._parted(bounds)
        if name is not None:
            base = self.scripted(base, start, sub=self.script(name))
        items = self.indices(bounds)
        if items is not None:
            self.named = True
            return Indexed(self.span(start), base, items) if items else base
        if base is self.closed and holds_axes(self.tokens[slice(*bounds)]):
            whole = self.joined_along(base, self.axes_in(bounds), start)
            if whole is not None:
                return whole
        sub = self.script(bounds)
        of_limit = isinstance(base, Letter) and "lim" in base.text
        return self.scripted(base, start, sub=sub if of_limit else _way_named(sub))

    def is_plus(self, bounds: tuple[int, int]) -> bool:
        return [token.text for token in self.tokens[slice(*bounds)]] == ["+"]

    def _positive_part(self, base: Expression, start: int) -> Expression | None:
        """Read [x]_+, with a power before the plus or without; None where no bracket stands."""
        powered = base if isinstance(base, Scripts) and base is not self.closed else None
        if powered is not None and powered.sub is not None:
            return None
        inner = base if powered is None else powered.base
        if inner is not self.closed and not isinstance(inner, Items):
            return None
        span = self.span(start)
        part = Call(span, Letter(span, "relu", "word"), (), (inner,), (), "(")
        return part if powered is None else Scripts(span, part, None, powered.sup, powered.primes)

    def joined_along(
        self, base: Expression, axes: tuple[AxisName, ...], start: int
    ) -> Expression | None:
        """Read [X ; Y]_{ax}, [X, Y] and [X | Y] with an axis below, which are joined along it."""
        parts = base.parts if isinstance(base, Items) and base.bracket == "[" else ()
        if isinstance(base, Relation) and {*base.ops} == {"mid"}:
            parts = (base.first, *[side for _, side in base.rest])
        if len(parts) < 2 or len(axes) != 1:
            return None
        self.named = True
        span = self.span(start)
        return Big(span, "concat", axes, None, None, Items(base.span, parts, "["))

    def _parted(self, bounds: tuple[int, int]) -> tuple[tuple[int, int] | None, tuple[int, int]]:
        """Part W_{1, expert(e)} into the script of the name, 1, and the indices; as W_{expert(e), 1}."""
        first, last = bounds
        for at in self._outside(first, last):
            before, after = (first, at), (at + 1, last)
            if self.tokens[at].text in (",", ";"):
                for name, rest in ((before, after), (after, before)):
                    kinds = {token.kind for token in self.tokens[slice(*name)]}
                    if kinds and not kinds & AXIS_KINDS and self._is_indexed(rest):
                        return name, rest
        mark = first < last and self.tokens[first].text in words.ALONE  # p_{\top \, state(s)}
        if mark and self._is_indexed((first + 1, last)):
            return (first, first + 1), (first + 1, last)
        return None, bounds

    def _is_indexed(self, bounds: tuple[int, int]) -> bool:
        """Say whether a part of a script holds named indices or renamings."""
        first, last = bounds
        outside = self._outside(first, last)
        named = first < last and self.tokens[first].kind in AXIS_KINDS
        arrow = any(self.tokens[at].text in ARROWS for at in outside)
        return arrow or (named and self._are_indices(outside, first, last))

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
        if base is self.closed:
            element = isinstance(base, Indexed) and any(isinstance(i, At) for i in base.items)
            if sup is not None and (element or isinstance(base, (Letter, Scripts))):
                base = Items(base.span, (base,), "(")  # (h)^2 is no member of h^t
            return Scripts(span, base, sub, sup, primes)
        if isinstance(base, Indexed) and isinstance(base.base, (Letter, Scripts)) and _names(sup):
            return Indexed(span, self.scripted(base.base, start, sub, sup, primes), base.items)
        if isinstance(base, Scripts) and not (
            (sub is not None and base.sub is not None) or (sup is not None and base.sup is not None)
        ):
            return Scripts(span, base.base, base.sub or sub, base.sup or sup, base.primes + primes)
        return Scripts(span, base, sub, sup, primes)

    def script(self, bounds: tuple[int, int], above: bool = False) -> Expression:
        """Read what stands in a script; what makes no sense there is kept as text."""
        first, last = bounds
        token = self.tokens[first]
        if last == first + 1 and token.text in words.ALONE:
            self.positional = self.positional or (above and token.text == "\\top")
            return Letter(token.span, token.text.lstrip("\\"))
        depth = self.depth
        try:
            return self.within(bounds, self.listing)
        except Fault as fault:
            if fault.code.startswith("limit") or fault.code == "syntax-unbalanced":
                raise
            if any(t.kind == "axis" for t in self.tokens[first:last]):
                raise
            self.depth = depth
            text = "".join(t.text for t in self.tokens[first:last])
            return Text(token.span | self.tokens[last - 1].span, text)

    def indices(self, bounds: tuple[int, int]) -> tuple[At | Renaming, ...] | None:
        """Read named indices or renamings; None where a script holds something else."""
        first, last = bounds
        kinds = {token.kind for token in self.tokens[first:last]}
        if not kinds & AXIS_KINDS:
            return None
        outside = self._outside(first, last)
        if any(self.tokens[at].text in ARROWS for at in outside):
            return self.within(bounds, self._renamings)
        if self.tokens[first].kind in AXIS_KINDS and self._are_indices(outside, first, last):
            return self.within(bounds, self._ats)
        return None

    def _outside(self, first: int, last: int) -> list[int]:
        """Give the places between two that stand outside all brackets, or open or close one."""
        found: list[int] = []
        braces = brackets = 0
        for at in range(first, last):
            token = self.tokens[at]
            braces += (token.kind == "open") - (token.kind == "close")
            if braces or token.kind == "close":
                continue
            brackets -= token.text in words.CLOSING
            if brackets <= 0:
                found.append(at)
            brackets += token.text in words.BRACKETS
        return found

    def _are_indices(self, outside: list[int], first: int, last: int) -> bool:
        """Say whether each part of a list names an axis and gives its index."""
        if any(self.tokens[at].text in (":", "=") for at in outside):
            return True
        opening = next((at for at in outside if self.tokens[at].text == "("), None)
        if opening is None:
            return False
        after = after_bracket(self.tokens, opening, last) or last
        return after >= last or self.tokens[after].text == ","

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
                if self.peek().text in WHOLE and self.tokens[self.at + 1].text in words.CLOSING:
                    self.at += 2
                    continue
                at = self.only(self.inside(opening)[0], opening)
            else:
                raise Fault(
                    "syntax-index",
                    f"{axis.name} has no index here",
                    axis.span,
                    f"write \\text{{{axis.name}}}:i, or \\name{{{axis.name}}}(i)",
                )
            items.append(At(self.span(start), axis, at))
        return tuple(items)

    def _renamings(self) -> tuple[At | Renaming, ...]:
        """Read renamings, and the indices that may stand between them."""
        found: list[At | Renaming] = []
        before: list[SizedAxis] = []
        after: list[SizedAxis] | None = None
        depth = 0
        while self.peek() is not self.stop:
            token = self.take()
            text = token.text
            if text in ARROWS:
                if after is not None or not before:
                    raise _one_sided(text, "before", token.span)
                after = []
            elif text in ("(", "["):
                depth += 1
            elif text in (")", "]"):
                depth -= 1
            elif text == ",":
                if depth <= 0 and after and self._arrow_ahead():
                    found.append(_renaming(before, after))
                    before, after = [], None
            elif token.kind not in ("open", "close"):
                self.at -= 1
                axis = self.sized_axis()
                called = self.tokens[self.at - 1].text == ")" and axis.size is not None
                alone = after is None and depth <= 0 and self.peek().text == ","
                if axis.size is not None and (called or alone):
                    found.append(At(axis.span, axis.axis, axis.size))
                else:
                    (before if after is None else after).append(axis)
        if before and not after:
            raise _one_sided("the arrow", "after", before[-1].span)
        if after:
            found.append(_renaming(before, after))
        return tuple(found)

    def _arrow_ahead(self) -> bool:
        return any(self.tokens[at].text in ARROWS for at in range(self.at, self.end))


def holds_axes(tokens: Sequence[Token]) -> bool:
    """Say whether tokens are a list of named axes and nothing else."""
    named = False
    below = 0
    depth = 0
    for token in tokens:
        kind, text = token.kind, token.text
        if kind in AXIS_KINDS:
            if kind != "axis" and words.is_prose(text):
                return False
            named = True
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            below = min(below, depth)
        elif kind == "sub":
            below = depth + 1
        elif kind in ("prime", "sup") or text in STARS or text in BETWEEN:
            continue
        elif below and kind in ("letter", "number"):
            below = depth
        else:
            return False
    return named


def _renaming(before: Sequence[SizedAxis], after: Sequence[SizedAxis]) -> Renaming:
    return Renaming(before[0].span | after[-1].span, tuple(before), tuple(after))


def _one_sided(arrow: str, side: str, span: Span) -> Fault:
    return Fault(
        "syntax-rename",
        f"no axis stands {side} {arrow}",
        span,
        "write the axis as it was, an arrow, and the axis as it shall be",
    )


def _way_named(script: Expression) -> Expression:
    r"""Read I \to T, large letters below a name, as one word."""
    match script:
        case Relation(first=Letter(text=before), rest=(("->", Letter(text=after)),)) if (
            before.isupper() and after.isupper()  # i \to j are indices
        ):
            return Letter(script.span, f"{before}to{after}", "word")
    return script


def _names(sup: Expression | None) -> bool:
    """Say whether a superscript may be part of a name."""
    return not isinstance(sup, (Unary, Binary, AxisName))
