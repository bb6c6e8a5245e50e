"""The smallest parts of a formula's text, how it is cut into them, and what stops its reading."""

from __future__ import annotations

import re
from decimal import Decimal

from namedtensor.latex.reading.words import GREEK_SIGNS
from namedtensor.latex.source import Span, unchanging


@unchanging
class Token:
    """A token and where it was written.

    `kind` is one of: command (text is \\name, or \\ and one sign), letter (one letter), number
    (digits, with a decimal point, however they are written: 10\\,000, 0{,}5, 1e-3), open and close
    (braces), sup, sub, tab (&), prime, sign (any other one character); and, once what only says how a
    formula looks is taken away, word (\\text{..}), axis (\\name{..}), function (\\operatorname{..}) and
    name (a letter in a special dress).
    `spaced` says that white space stands before it: `k h` is not `kh`.
    What a macro gave has the span of the macro's use.
    """

    kind: str
    text: str
    span: Span
    spaced: bool = False

    def digits(self) -> tuple[Token, Token]:
        """Part a number after its first digit, which is all that a command takes of it."""
        middle = min(self.span.start + 1, self.span.end)
        first = Token(self.kind, self.text[0], Span(self.span.start, middle), self.spaced)
        return first, Token(self.kind, self.text[1:], Span(middle, self.span.end))


# ------------------------------------------------------------------------------------------ faults


#: The code of what is no fault, but cannot be read as the notation.
ASIDE = "aside"


class Fault(Exception):
    """Say why a statement cannot be read, and where; its reader makes a finding of it."""

    def __init__(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint
        super().__init__(code, message, span, hint)


def too_deep(span: Span, most: int) -> Fault:
    """Say that something stands in too many brackets and groups."""
    return Fault("limit-nesting", f"this stands more than {most} deep", span)


def unclosed(token: Token, closing: str) -> Fault:
    """Say that nothing closes a bracket or a brace."""
    text, hint = f"this {token.text} is never closed", f"put a {closing} where it ends"
    return Fault("syntax-unbalanced", text, token.span, hint)


def endless(token: Token) -> Fault:
    """Say that nothing ends the environment that a token begins."""
    text, hint = f"this {token.text} has no end", f"put \\end{token.text[6:]} where it ends"
    return Fault("syntax-unbalanced", text, token.span, hint)


# ----------------------------------------------------------------------------------------- cutting


TOKEN = re.compile(
    r"""(?P<space>\s+|(?<!\\)%[^\n]*\n?)
    |(?P<scientific>\\num\s*\{[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?\}
        |[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]{1,3}(?![0-9.^A-Za-z]))
    |(?P<command>\\(?:begin|end)\s*\{[^{}\n]*\}|\\[A-Za-z@]+\*?|\\.)
    |(?P<letter>[^\W\d_])
    |(?P<thousands>[1-9][0-9]{0,2}
        (?:(?:\{,\}|\{?\\[,:;\ ]\}?|\\thinspace\s*|~)[0-9]{3}(?![0-9]))+(?:\.[0-9]+)?)
    |(?P<number>(?<!_\{)[0-9]+\{,\}[0-9]+|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
    |(?P<open>\{)
    |(?P<close>\})
    |(?P<sup>\^)
    |(?P<sub>_)
    |(?P<tab>&)
    |(?P<prime>['’′])
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)

#: Commands whose star belongs to them; after any other one a star is a sign of its own.
STARRED = frozenset(
    (
        "\\operatorname \\newcommand \\renewcommand \\providecommand \\DeclareMathOperator \\hspace"
        " \\vspace \\tag \\DeclareRobustCommand"
    ).split()
)

#: Signs that a keyboard may give, as the commands that mean the same.
_PAIRS = (
    "· \\cdot ⋅ \\cdot ⊙ \\odot × \\times ∈ \\in ∉ \\notin → \\rightarrow ← \\leftarrow"
    " ↦ \\mapsto ≤ \\leq ≥ \\geq ≠ \\neq ≈ \\approx ∞ \\infty ∑ \\sum ∏ \\prod √ \\sqrt"
    " ∂ \\partial ∇ \\nabla ∪ \\cup ∩ \\cap … \\ldots ⋮ \\vdots ⊤ \\top − - ℝ \\R ℕ \\N"
    " ℤ \\Z ℂ \\Complex ℓ \\ell ϵ \\epsilon ε \\varepsilon ∅ \\emptyset ∘ \\circ ★ \\star"
    " ⊕ \\oplus ⊗ \\otimes ∧ \\wedge ∨ \\vee ≔ := ‖ \\| ∥ \\| ⌊ \\lfloor ⌋ \\rfloor"
    " ⌈ \\lceil ⌉ \\rceil"
).split()
SIGNS = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))


def tokens_of(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Cut text[start:end] into tokens. Comments and white space are left out.

    >>> [token.text for token in tokens_of(r"W^1 \\cdot X % times")]
    ['W', '^', '1', '\\\\cdot', 'X']
    """
    tokens: list[Token] = []
    put = tokens.append
    spaced = False
    for found in TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = found.lastgroup or "sign"
        if kind == "space":
            spaced = True
            continue
        word = found.group()
        first, last = found.span()
        if kind == "thousands":
            kind, word = "number", "".join(re.findall("[0-9.]+", word))
        elif kind == "scientific":
            kind, word = "number", format(Decimal(word.strip("\\num {}")), "f")
        elif kind == "number":
            word = word.replace("{,}", ".")
        elif kind == "command":
            if word[-1] == "}":
                word = "".join(word.split())
            elif word[-1] == "*" and word != "\\*" and word[:-1] not in STARRED:
                put(Token("command", word[:-1], Span(first, last - 1), spaced))
                kind, word, first, spaced = "sign", "*", last - 1, False
        elif word > "\x7f":
            kind, word = _spell(kind, word)
        put(Token(kind, word, Span(first, last), spaced))
        spaced = False
    return tokens


def _spell(kind: str, word: str) -> tuple[str, str]:
    if word in SIGNS:
        command = SIGNS[word]
        return ("sign" if command == "-" else "command"), command
    if word in GREEK_SIGNS:
        return "command", "\\" + GREEK_SIGNS[word]
    return kind, word
