"""Take away what only says how a formula looks, and read words as one token each.

After this, `word` tokens are \\text{..} and its like, `axis` tokens \\name{..}, `function` tokens
\\operatorname{..}, and `name` tokens single letters in a special dress.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.faults import Fault
from namedtensor.latex.source import Span
from namedtensor.latex.tokens import Token

SPACES = frozenset(
    (
        "\\, \\; \\: \\! \\> \\  \\/ \\- \\thinspace \\medspace \\thickspace \\negthinspace \\enspace ~ \\hfill \\hfil"
        " \\displaystyle \\textstyle \\scriptstyle \\scriptscriptstyle \\limits \\nolimits"
        " \\notag \\nonumber \\allowbreak \\nobreak \\break \\strut \\mathstrut \\hline \\noindent \\centering"
        " \\relax \\par \\newline \\small \\footnotesize \\scriptsize \\tiny \\normalsize \\large \\Large"
        " \\toprule \\midrule \\bottomrule \\protect \\bf \\rm \\it \\sf \\left. \\namedtensorstrut"
        " \\bfseries \\itshape \\unskip \\ignorespaces \\smallskip \\medskip \\bigskip \\qedhere"
    ).split(" ")
) | {"\\ ", "\\\n", "\\\t"}

#: Commands that vanish with so many arguments.
VANISHING = {
    "\\label": 1,
    "\\tag": 1,
    "\\tag*": 1,
    "\\hspace": 1,
    "\\hspace*": 1,
    "\\vspace": 1,
    "\\vspace*": 1,
    "\\vphantom": 1,
    "\\hphantom": 1,
    "\\phantom": 1,
    "\\color": 1,
    "\\rule": 2,
    "\\ref": 1,
    "\\eqref": 1,
    "\\cite": 1,
    "\\footnote": 1,
    "\\kern": 0,
    "\\mathchoice": 0,
    "\\setlength": 2,
    "\\addlinespace": 0,
    "\\definecolor": 3,
    "\\usepackage": 1,
    "\\shortintertext": 1,
    "\\intertext": 1,
    "\\cline": 1,
    "\\arraycolsep": 0,
    "\\require": 1,
}

#: Commands that vanish and leave their (last) argument, without its braces.
OPEN = {
    "\\mathbin": 0,
    "\\mathop": 0,
    "\\mathrel": 0,
    "\\mathord": 0,
    "\\mathopen": 0,
    "\\mathclose": 0,
    "\\mathpunct": 0,
    "\\mathinner": 0,
    "\\mathstrut": 0,
}
#: The same, where the argument keeps its braces.
WRAPPING = {
    "\\boxed": 0,
    "\\ensuremath": 0,
    "\\smash": 0,
    "\\textcolor": 1,
    "\\colorbox": 1,
    "\\cancel": 0,
    "\\underline": 0,
    "\\overline": 0,
    "\\mathlarger": 0,
    "\\mathsmaller": 0,
}

SIZES = frozenset(
    f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
) | {"\\left", "\\right", "\\middle"}

WORDS = frozenset(
    (
        "\\text \\mathrm \\textrm \\mathsf \\textsf \\textit \\mathit \\texttt \\mathtt \\textbf \\textsc"
        " \\mbox \\hbox \\textnormal \\textup \\emph \\operatorname \\operatorname* \\name \\mathbfsf"
    ).split()
)

#: Letters in a special dress are names of their own: \hat{y} is yhat.
DRESSES = {
    "\\mathbf": "bold",
    "\\boldsymbol": "bold",
    "\\bm": "bold",
    "\\pmb": "bold",
    "\\mathcal": "cal",
    "\\mathscr": "scr",
    "\\mathfrak": "frak",
    "\\hat": "hat",
    "\\widehat": "hat",
    "\\tilde": "tilde",
    "\\widetilde": "tilde",
    "\\bar": "bar",
    "\\vec": "vec",
    "\\dot": "dot",
    "\\ddot": "ddot",
    "\\check": "check",
    "\\breve": "breve",
    "\\mathring": "ring",
    "\\overrightarrow": "vec",
}

ALIASES = {
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\\cfrac": "\\frac",
    "\\nicefrac": "\\frac",
    "\\sfrac": "\\frac",
    "\\le": "\\leq",
    "\\leqslant": "\\leq",
    "\\ge": "\\geq",
    "\\geqslant": "\\geq",
    "\\ne": "\\neq",
    "\\to": "\\rightarrow",
    "\\longrightarrow": "\\rightarrow",
    "\\gets": "\\leftarrow",
    "\\longleftarrow": "\\leftarrow",
    "\\lbrace": "\\{",
    "\\rbrace": "\\}",
    "\\lbrack": "[",
    "\\rbrack": "]",
    "\\lparen": "(",
    "\\rparen": ")",
    "\\colon": ":",
    "\\coloneqq": ":=",
    "\\coloneq": ":=",
    "\\triangleq": ":=",
    "\\defeq": ":=",
    "\\vert": "|",
    "\\Vert": "\\|",
    "\\dots": "\\ldots",
    "\\cdots": "\\ldots",
    "\\dotsc": "\\ldots",
    "\\dotsb": "\\ldots",
    "\\land": "\\wedge",
    "\\lor": "\\vee",
    "\\prime": "'",
    "\\lt": "<",
    "\\gt": ">",
    "\\ast": "*",
    "\\bigstar": "\\star",
    "\\overset": "\\overset",
    "\\stackrel": "\\overset",
    "\\tbinom": "\\binom",
    "\\dbinom": "\\binom",
    "\\owns": "\\ni",
    "\\smallsetminus": "\\setminus",
    "\\backslash": "\\setminus",
    "\\intercal": "\\top",
}

BARS = {"|": ("\\lvert", "\\rvert"), "\\|": ("\\lVert", "\\rVert")}
ANGLES = {"<": "\\langle", ">": "\\rangle"}


@dataclass(slots=True)
class Group:
    """An open brace: the command that it belongs to, and where in the output it began."""

    command: Token | None
    opening: Token
    begin: int
    drop: int = 0


def clean(tokens: Sequence[Token]) -> list[Token]:
    """Give the tokens that mean something.

    >>> from namedtensor.latex.lexer import tokens_of
    >>> [token.text for token in clean(tokens_of(r"\\mathop{\\underset{\\text{seq}}{f}}\\, \\left( x \\right)"))]
    ['\\\\underset', '{', 'seq', '}', '{', 'f', '}', '(', 'x', ')']
    """
    return _Cleaner(tokens).run()


class _Cleaner:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.out: list[Token] = []
        self.groups: list[Group] = []
        self.spaced = False

    def run(self) -> list[Token]:
        tokens, count = self.tokens, len(self.tokens)
        while self.at < count:
            token = tokens[self.at]
            self.at += 1
            kind = token.kind
            if kind == "command":
                self._command(token)
            elif kind == "open":
                self._open(token, None)
            elif kind == "close":
                self._close(token)
            elif token.text == "~":
                self.spaced = True
            elif kind == "number" and len(token.text) > 1 and self._takes_a_digit():
                middle = min(token.span.start + 1, token.span.end)
                self._put(Token(kind, token.text[0], Span(token.span.start, middle), token.spaced))
                self._put(Token(kind, token.text[1:], Span(middle, token.span.end)))
            else:
                self._put(token)
        if self.groups:
            opening = self.groups[-1].opening
            raise Fault(
                "syntax-unbalanced", "this { is never closed", opening.span, "put a } where it ends"
            )
        return self.out

    def _put(self, token: Token) -> None:
        if self.spaced:
            self.spaced = False
            if not token.spaced:
                token = replace(token, spaced=True)
        self.out.append(token)

    def _takes_a_digit(self) -> bool:
        """Say whether a number here is cut after its first digit, as in \\frac12 and x^10."""
        before = self.out[-1] if self.out else None
        return before is not None and (
            before.kind in ("sup", "sub") or before.text in ("\\frac", "\\sqrt")
        )

    def _peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _open(self, token: Token, command: Token | None) -> None:
        self.groups.append(Group(command, token, len(self.out)))
        if command is None:
            self._put(token)

    def _close(self, token: Token) -> None:
        if not self.groups:
            raise Fault(
                "syntax-unbalanced",
                "this } closes nothing",
                token.span,
                "take it away, or put a { before",
            )
        group = self.groups.pop()
        if group.command is None:
            inner = self.out[group.begin + 1 :]
            if len(inner) == 1 and inner[0].kind == "sign" and not self._is_argument(group.begin):
                self.out[group.begin :] = inner
            else:
                self._put(token)
            return
        inner = self.out[group.begin :]
        del self.out[group.begin :]
        self._close_of(group.command, inner, group.command.span | token.span)

    def _is_argument(self, begin: int) -> bool:
        """Say whether the brace at this place of the output opens an argument."""
        if begin == 0:
            return False
        before = self.out[begin - 1]
        return before.kind in ("sup", "sub", "close") or (
            before.kind == "command" and before.text[1:].isalpha()
        )

    def _close_of(self, command: Token, inner: list[Token], span: Span) -> None:
        text = command.text
        if text in VANISHING:
            self.spaced = True
        elif text in WORDS:
            kind = "axis" if text == "\\name" else "function" if "operator" in text else "word"
            self._put(Token(kind, _plain(inner), span, command.spaced))
        elif text in DRESSES:
            self._dress(command, inner, span)
        else:
            for token in inner:
                self._put(token)

    def _dress(self, command: Token, inner: list[Token], span: Span) -> None:
        dress = DRESSES[command.text]
        if inner and all(t.kind in ("letter", "name", "word", "number") for t in inner):
            text = "".join(t.text for t in inner)
        elif len(inner) == 1 and inner[0].kind == "command" and inner[0].text[1:].isalpha():
            text = inner[0].text[1:]
        else:
            self._put(Token("open", "{", command.span, command.spaced))
            for token in inner:
                self._put(token)
            self._put(Token("close", "}", Span(span.end - 1, span.end)))
            return
        self._put(Token("name", text + dress, span, command.spaced))

    def _command(self, token: Token) -> None:
        text = token.text
        if text in SPACES:
            self.spaced = True
            return
        if text in SIZES:
            self._sized(token)
            return
        if text in VANISHING:
            self._vanish(token, VANISHING[text])
            return
        if text in OPEN or text in WORDS or text in DRESSES:
            self._argument(token)
            return
        if text in WRAPPING:
            for _ in range(WRAPPING[text]):
                self._skip_argument()
            return
        text = ALIASES.get(text, text)
        if text == token.text:
            self._put(token)
        elif text == "'":
            if self.out and self.out[-1].kind == "sup":
                self.out.pop()
            self._put(Token("prime", "'", token.span, token.spaced))
        else:
            kind = "command" if text[0] == "\\" or text == ":=" else "sign"
            self._put(Token(kind, text, token.span, token.spaced))

    def _sized(self, token: Token) -> None:
        following = self._peek()
        if following is None:
            return
        if following.text == "." and token.text in ("\\left", "\\right"):
            self.at += 1
            return
        text = ALIASES.get(following.text, following.text)
        side = (
            token.text[-1] if token.text not in ("\\left", "\\right", "\\middle") else token.text[1]
        )
        if text in BARS and side in "lr":
            text = BARS[text][side == "r"]
        elif text == "|" and side == "m":
            text = "\\mid"
        elif text in ANGLES:
            text = ANGLES[text]
        elif text == following.text:
            return
        self.at += 1
        kind = "command" if text[0] == "\\" else "sign"
        self._put(Token(kind, text, token.span | following.span, token.spaced))

    def _vanish(self, token: Token, count: int) -> None:
        self.spaced = True
        for _ in range(count):
            self._skip_argument()

    def _skip_argument(self) -> None:
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "close" and not depth:
                return
            self.at += 1
            depth += (token.kind == "open") - (token.kind == "close")
            if not depth:
                return

    def _argument(self, command: Token) -> None:
        """Begin the argument of a command that takes its braces away."""
        following = self._peek()
        if following is None or following.kind == "close":
            raise Fault("syntax-argument", f"{command.text} has no argument", command.span)
        self.at += 1
        if following.kind == "open":
            self._open(following, command)
            return
        inner = [following]
        if following.kind == "number" and len(following.text) > 1:
            rest = replace(following, text=following.text[1:])
            self._close_of(command, [replace(following, text=following.text[0])], command.span)
            self._put(rest)
            return
        self._close_of(command, inner, command.span | following.span)


def _plain(tokens: Sequence[Token]) -> str:
    """Give the words of a text."""
    parts: list[str] = []
    for token in tokens:
        if token.spaced:
            parts.append(" ")
        text = token.text
        if token.kind == "command" and len(text) == 2:
            text = text[1]
        elif token.kind in ("open", "close"):
            text = ""
        elif text in ("\\quad", "\\qquad"):
            text = " "
        parts.append(text)
    return "".join(parts).strip()
