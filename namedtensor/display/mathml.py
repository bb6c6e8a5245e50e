r"""MathML of what the printer prints, which browsers show without a script.

The printer's plain LaTeX is one small language: braces, scripts, \underset, \frac, \text, brackets that
grow, and environments of rows. Each of its signs has one element here.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape
from itertools import pairwise

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
#: LaTeX commands, each followed by its sign.
_LISTED = """
cdot⋅ odot⊙ otimes⊗ times× leq≤ geq≥ neq≠ in∈ rightarrow→ partial∂ colon: sum∑
prod∏ land∧ lor∨ lnot¬ neg¬ wedge∧ vee∨ mid| ldots… dots… vdots⋮ pm± sim∼ approx≈
lfloor⌊ rfloor⌋ lceil⌈ rceil⌉ prime′ star⋆ ast∗ circ∘ top⊤ oplus⊕ cup∪ cap∩
"""
_SIGNS = {word[:-1]: word[-1] for word in _LISTED.split()} | {"|": "‖"} | {c: c for c in "{}%_&#$"}
_SPACES = {
    " ": ".3em",
    ",": ".17em",
    ";": ".28em",
    ":": ".22em",
    "!": "0",
    "quad": "1em",
    "qquad": "2em",
}
_BIG = {f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")}
#: Signs after which a minus belongs to what follows it.
_OPEN = (
    "<mo>=",
    "<mo>,",
    "<mo>∑",
    "<munder><mo>∑",
    '<mo stretchy="true">(',
    '<mo stretchy="false">(',
)
_UPRIGHT = {"text", "mathrm", "operatorname", "textbf", "textit", "texttt", "mbox"}
_LARGE = ("∑", "∏")
_SIGN = re.compile(r"<mo>[^<]*</mo>")
_WORD = re.compile(
    r"(<munder>)?(<mtext>[^<]+</mtext>|<mi>\w\w+</mi>)(<mtext>.*</munder>|<mrow>.*</munder>)?"
)
_SIGN_OR_BRACKET = re.compile(r"(<(mrow|munder|msub|msup|msubsup)>)*<m(o|space)\b")
_GAP = '<mspace width=".22em"/>'


def mathml(latex: str) -> str:
    """Write a block that the printer printed as one MathML element.

    >>> mathml(r"$$a_{\\text{seq}}$$")
    '<math display="block" style="width:max-content"><msub><mi>a</mi><mtext>seq</mtext></msub></math>'
    """
    reader = _Reader(latex.strip().strip("$"))
    return f'<math display="block" style="width:max-content">{_row(reader.read())}</math>'


class _Reader:
    def __init__(self, text: str) -> None:

        self.place = 0
        self.tokens = _TOKEN.findall(text)

    def peek(self) -> str:
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def read(self, *until: str) -> list[str]:
        """Read elements up to one of these tokens, which is left to be taken."""
        found: list[str] = []
        while self.peek() and self.peek() not in until:
            if self.peek() in ("_", "^", "'"):
                base = found.pop() if found else "<mrow></mrow>"
                found.append(self._scripts(base))
            elif self.peek() == "-" and (not found or found[-1].startswith(_OPEN)):
                self.take()
                found.append('<mo form="prefix">−</mo>')
            else:
                found.append(self._one())
        return _spaced(found)

    def _scripts(self, base: str) -> str:
        below = above = ""
        while self.peek() in ("_", "^", "'"):
            sign = self.take()
            if sign == "_":
                below = self._argument()
            else:
                above += "<mo>′</mo>" if sign == "'" else self._argument()
        if above.count("<mo>′</mo>") > 1 or (above.startswith("<mo>′") and above != "<mo>′</mo>"):
            above = f"<mrow>{above}</mrow>"
        large = any(base == f"<mo>{sign}</mo>" for sign in _LARGE)
        if below and above:
            kind = "munderover" if large else "msubsup"
            return f"<{kind}>{base}{below}{above}</{kind}>"
        if below:
            return f"<munder>{base}{below}</munder>" if large else f"<msub>{base}{below}</msub>"
        return f"<msup>{base}{above}</msup>"

    def _argument(self) -> str:
        """Read what belongs to a command: a group, or one sign."""
        if self.peek() == "{":
            self.take()
            found = self.read("}")
            self.take()
            return _row(found)
        return self._one()

    def _words(self) -> str:
        """Read a group as it stands."""
        self.take()
        depth, found = 1, ""
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            depth += (token == "{") - (token == "}")
            if not depth:
                break
            found += _SIGNS.get(token[1:], token) if token.startswith("\\") else token
        return found

    def _one(self) -> str:
        token = self.take()
        if token == "{":
            found = self.read("}")
            self.take()
            return _row(found)
        if token.startswith("\\"):
            return self._command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token == ",":
            return '<mo>,</mo><mspace width=".18em"/>'
        if token in "()[]|":  # these keep their size; those of \\left and \\right grow
            beside = ' lspace="0" rspace="0"' if token == "|" else ""
            return f'<mo stretchy="false"{beside}>{token}</mo>'
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"

    def _command(self, name: str) -> str:
        if name in _UPRIGHT:
            words = self._words()
            while self.peek() == "'":
                words += "′"
                self.take()
            # browsers cut spaces off the ends of a text
            kept = re.sub(r"^ | $", "\u00a0", words)
            return f"<mtext>{escape(kept)}</mtext>"
        if name == "mathbb":
            return f"<mi>{_double(self._words())}</mi>"
        if name in ("underset", "overset"):
            small, base = self._argument(), self._argument()
            kind = "munder" if name == "underset" else "mover"
            found = f"<{kind}>{base}{small}</{kind}>"
            # what stands under a sign is wider than the sign, and takes the space beside it
            return f"{_GAP}{found}{_GAP}" if _SIGN.fullmatch(base) else found
        if name in ("frac", "tfrac", "dfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "sqrt":
            if self.peek() == "[":
                self.take()
                degree = _row(self.read("]"))
                self.take()
                return f"<mroot>{self._argument()}{degree}</mroot>"
            return f"<msqrt>{self._argument()}</msqrt>"
        if name == "left":
            first = self._bracket()
            inside = self.read(r"\right")
            self.take()
            return f"<mrow>{first}{''.join(inside)}{self._bracket()}</mrow>"
        if name in _BIG:
            return self._bracket()
        if name == "begin":
            return self._rows(self._words())
        if name in ("bar", "hat", "tilde", "overline"):
            mark = {"hat": "^", "tilde": "~"}.get(name, "‾")
            return f"<mover>{self._argument()}<mo>{mark}</mo></mover>"
        if name == "bmod":
            return "<mo>mod</mo>"
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"/>'
        if name == "infty":
            return "<mi>∞</mi>"
        if name in _SIGNS:
            return f"<mo>{escape(_SIGNS[name])}</mo>"
        return f"<mi>{_greek(name)}</mi>"

    def _bracket(self) -> str:
        token = self.take()
        sign = _SIGNS.get(token[1:], token[1:]) if token.startswith("\\") else token
        return "" if sign == "." else f'<mo stretchy="true">{escape(sign)}</mo>'

    def _rows(self, kind: str) -> str:
        """Read an environment: rows of cells."""
        lines: list[list[str]] = [[]]
        while self.peek():
            lines[-1].append(_row(self.read("&", r"\\", r"\end")))
            end = self.take()
            if end == r"\\":
                lines.append([])
            elif end == r"\end":
                self._words()
                break
        cells = [
            [f"<mtd style={_side(kind, i)}>{cell}</mtd>" for i, cell in enumerate(line)]
            for line in lines
            if any(line)
        ]
        table = "".join(f"<mtr>{''.join(line)}</mtr>" for line in cells)
        if kind == "cases":
            return f'<mrow><mo stretchy="true">{{</mo><mtable>{table}</mtable></mrow>'
        return f'<mtable displaystyle="true">{table}</mtable>'


def _side(kind: str, place: int) -> str:
    if kind == "cases":
        return '"text-align:left;padding:.1em 1em .1em .2em"'
    side = "right" if place % 2 == 0 else "left"
    return f'"text-align:{side};text-align:-webkit-{side};padding:.25em .1em"'


def _spaced(parts: list[str]) -> list[str]:
    """Put a thin space between a word and what it is applied to without brackets."""
    found = parts[:1]
    for before, after in pairwise(parts):
        if _WORD.fullmatch(before) and not _SIGN_OR_BRACKET.match(after):
            found.append(_GAP)
        found.append(after)
    return found


def _row(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _double(letter: str) -> str:
    for name in (f"DOUBLE-STRUCK CAPITAL {letter}", f"MATHEMATICAL DOUBLE-STRUCK CAPITAL {letter}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter


def _greek(name: str) -> str:
    """Give a Greek letter by its name; another word stands upright as it is."""
    stem = name.removeprefix("var")
    size = "CAPITAL" if stem[:1].isupper() else "SMALL"
    try:
        return unicodedata.lookup(
            f"GREEK {size} LETTER {'LAMDA' if stem.lower() == 'lambda' else stem.upper()}"
        )
    except KeyError:
        return escape(name)
