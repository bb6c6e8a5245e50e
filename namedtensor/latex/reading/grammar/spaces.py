"""Read sets of tensors: R^{seq:n, emb:d}, {0,1}^{seq}, [n]."""

from __future__ import annotations

import re
from dataclasses import replace

from namedtensor.latex.reading import words
from namedtensor.latex.reading.grammar.axes import Axes
from namedtensor.latex.syntax import Binary, Expression, Number, SizedAxis, Space

#: What may stand in a shape that counts its axes by position, or does not spell them out.
POSITIONAL = frozenset("\\ldots + - * / \\cup \\cap \\setminus \\cdot | \\lvert \\rvert".split())


class Spaces(Axes):
    """What is read of spaces."""

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
            base = "".join(t.text for t in self.tokens[slice(*self.group())])
        elif token.kind == "letter" and self._is_field():
            self.at += 1
            base = token.text
        elif self._is_simplex():
            self.at += 1
            base = "R"
        elif token.text in ("[", "\\{", "("):
            kind = self._finite()
            if kind is None:
                return None
            opening = self.take()
            base = kind
            if kind in ("[n]", "Z"):
                bound = self.inside(opening)[0][-1]
                bound = bound if kind == "[n]" else _one_more(bound)
            else:
                while self.take().text not in words.CLOSING:
                    continue  # numbers and commas; an interval may be half open
        else:
            return None
        axes = self._exponent()
        return Space(self.span(start), base, axes, bound)

    def _is_field(self) -> bool:
        """Say whether a letter here stands for any field, as in F^{seq}."""
        return self.peek(1).kind == "sup" and self.peek().text in "FGHR"

    def _is_simplex(self) -> bool:
        r"""Say whether numbers that sum to 1 are meant here, as in w \in \Delta^{seq}."""
        before = self.tokens[self.at - 1].text if self.at else ""
        delta = self.peek().text.lstrip("\\").startswith("Delta")
        return delta and before == "\\in" and self.peek(1).kind == "sup"

    def _finite(self) -> str | None:
        """Say which finite set the bracket here opens: {0,1}, [0,1], [n], or none."""
        closing = words.BRACKETS[self.peek().text]
        depth = 0
        inside: list[str] = []
        for at in range(self.at, self.end):
            text = self.tokens[at].text
            depth += (text in words.BRACKETS) - (text in words.CLOSING)
            if not depth:
                break
            if at > self.at:
                inside.append(text if depth == 1 else "")
        else:
            return None
        curly = closing == "\\}"
        following = self.tokens[at + 1] if at + 1 < self.end else self.stop
        if self._are_numbers(inside) and inside not in (["0", ",", "1"], ["1"]):
            interval = not curly and inside.count(",") == 1
            counts = curly and len(inside) > 3 and all(n.isdigit() for n in inside[::2])
            if following.kind == "sup" and counts and inside[0] == "0":
                return "Z"
            return "R" if following.kind == "sup" or interval else None
        if closing == ")" and inside != ["0", ",", "1"]:
            return "R" if self._are_ends(inside) and inside[0].isdigit() else None
        if closing == ")":
            return "[0,1]"
        if inside == ["0", ",", "1"]:
            return "{0,1}" if curly else "[0,1]"
        if curly and "\\ldots" in inside:
            first = inside[: inside.index("\\ldots") : 2]
            if first == [str(number) for number in range(1, len(first) + 1)]:
                return "[n]"
            from_zero = first == [str(number) for number in range(len(first))]
            return "Z" if from_zero and following.kind == "sup" else None
        if curly:
            return None
        if self._are_ends(inside):
            return "R"
        return "[n]" if inside and "," not in inside and following.kind != "sub" else None

    @staticmethod
    def _are_numbers(inside: list[str]) -> bool:
        """Say whether brackets hold numbers and commas: {-1, 1}, (0, \\infty)."""
        signs = ("-", "+", "\\pm", "\\infty", ",")
        whole = all(text in signs or text.replace(".", "").isdigit() for text in inside)
        return whole and ("," in inside or "\\pm" in inside)

    @staticmethod
    def _are_ends(inside: list[str]) -> bool:
        """Say whether brackets hold the two ends of an interval, letters among them: [1, L], [0, 2 \\pi]."""
        plain = "".join(text.lstrip("\\") for text in inside)
        ends = plain.split(",")
        return len(ends) == 2 and all(re.fullmatch(r"-?[\w.]+(?:[-+/]\w+)?", end) for end in ends)

    def _exponent(self) -> tuple[SizedAxis, ...]:
        """Read the axes of a space; none where it has no exponent."""
        axes: tuple[SizedAxis, ...] = ()
        while self.peek().kind in ("sub", "sup"):
            kind = self.take().kind
            bounds = self.bare(self.group())
            if kind == "sup":
                axes = self.within(bounds, self._shape)
        return axes

    def _shape(self) -> tuple[SizedAxis, ...]:
        axes: list[SizedAxis] = []
        named = empty = False
        while self.peek() is not self.stop:
            token = self.peek()
            if token.text in (",", "\\times", "(", ")") or token.kind in ("open", "close"):
                self.at += 1
            elif token.text in ("\\emptyset", "\\varnothing", "+"):
                self.at += 1
                empty = True
            elif token.kind == "number" or token.text in POSITIONAL:
                self.at += 1
                self.positional = True
            else:
                axis = self.sized_axis(parts=True)
                named = named or _is_named(axis, token.kind)
                axes.append(axis)
        if named:
            self.named = True
        elif not empty:
            self.positional = True
        return tuple(axes)


def _one_more(last: Expression) -> Expression:
    """Give how many numbers there are from 0 to the last one."""
    if isinstance(last, Number) and isinstance(last.value, int):
        return replace(last, value=last.value + 1)
    if isinstance(last, Binary) and (last.op, last.right) == ("-", Number(last.span, 1)):
        return last.left
    return Binary(last.span, "+", last, Number(last.span, 1))


def _is_named(axis: SizedAxis, kind: str) -> bool:
    return kind in ("axis", "word", "function") or axis.size is not None
