"""Take away what only says how a formula looks, and read each word as one token.

After this, `word` tokens are \\text{..} and its like, `axis` tokens \\name{..}, `function` tokens
\\operatorname{..}, and `name` tokens letters in a special dress, such as \\hat{y}.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.reading import looks
from namedtensor.latex.reading.prose import words_of
from namedtensor.latex.reading.rows import after_group
from namedtensor.latex.reading.tokens import Fault, Token, endless, too_deep, unclosed
from namedtensor.latex.source import Span


@dataclass(slots=True)
class Group:
    """An open brace: the command that it belongs to, and where in the output it began.

    A `bare` one has no brace: \\hat\\mathbf{x}. What stands below a `noted` one is a note.
    """

    command: Token | None
    opening: Token
    begin: int
    bare: bool = False
    noted: bool = False


#: Braces and environments may stand this deep in one another.
NESTING = 100

ENDS_OF_ARRAYS = frozenset(("\\end{array}", "\\end{aligned}", "\\end{matrix}"))

#: Relations of two signs, that define what stands left or right of them.
DEFINING = frozenset((":=", "=:"))

#: A length: 2em, -0.1em, 12pt.
LENGTH = re.compile(rf"(-?[\d.]+)({'|'.join(looks.UNITS)})")

TAKING = frozenset((*looks.WORDS, *looks.DRESSES, *looks.OPEN, "\\mathord"))


def clean(tokens: Sequence[Token]) -> list[Token]:
    """Give the tokens that mean something.

    Raises:
        Fault: braces that do not pair, or a command without its argument.

    >>> from namedtensor.latex.reading.tokens import tokens_of
    >>> tokens = tokens_of(r"\\mathop{\\underset{\\text{seq}}{f}}\\, \\left( x \\right)")
    >>> [token.text for token in clean(tokens)]
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
        self.noted = False
        self.lefts: list[int] = []
        self.environments: list[Token] = []

    def run(self) -> list[Token]:
        tokens, out, count = self.tokens, self.out, len(self.tokens)
        while self.at < count:
            token = tokens[self.at]
            self.at += 1
            kind, text = token.kind, token.text
            if kind == "command":
                self._command(token)
            elif kind == "open" and self._is_gap():
                self.at += 1
            elif kind == "open":
                self._open(token, None)
            elif kind == "close":
                self._close(token)
            elif text == "~":
                self.spaced = True
            elif text in ":=" and self.at < count and text + tokens[self.at].text in DEFINING:
                text += tokens[self.at].text
                self.at += 1
                self._put(Token("command", text, token.span | tokens[self.at - 1].span))
            elif text == "s" and self._says_such_that():
                self.at += 3
                self._put(Token("word", "s.t.", token.span | tokens[self.at - 1].span, True))
            elif kind == "number" and self._takes_a_digit(token):
                for part in token.digits():
                    self._put(part)
            elif self.spaced:
                self._put(token)
            else:
                out.append(token)
        if self.groups:
            raise unclosed(self.groups[-1].opening, "}")
        if self.environments:
            raise endless(self.environments[-1])
        gap = len(out) > 2 and out[-2].text in (".", "\\quad", "\\qquad")
        return out[:-1] if gap and out[-1].text in looks.ENDING else out

    def _is_gap(self) -> bool:
        """Say whether the braces that open here hold nothing, between a name and a script: P_F{}_{i}."""
        close, script = [*self.tokens[self.at : self.at + 2], None, None][:2]
        behind = bool(self.out) and self.out[-1].kind in ("letter", "name", "close")
        return behind and close is not None and close.kind == "close" and _is_script(script)

    # ------------------------------------------------------------------------------- output

    def _put(self, token: Token) -> None:
        if self.spaced:
            self.spaced = False
            if not token.spaced:
                token = Token(token.kind, token.text, token.span, True)
        self.out.append(token)

    def _takes_a_digit(self, token: Token) -> bool:
        """Say whether a number here is cut after its first digit, as in \\frac12 and x^10."""
        if len(token.text) == 1 or token.text[0] == ".":
            return False
        before = self.out[-1] if self.out else None
        return before is not None and (
            before.kind in ("sup", "sub") or before.text in ("\\frac", "\\sqrt")
        )

    def _says_such_that(self) -> bool:
        """Say whether the s here begins s.t., written as mathematics."""
        return [token.text for token in self.tokens[self.at : self.at + 3]] == [".", "t", "."]

    # ------------------------------------------------------------------------------- groups

    def _open(self, token: Token, command: Token | None) -> None:
        if len(self.groups) >= NESTING:
            raise too_deep(token.span, NESTING)
        if command is None and self.at < len(self.tokens):
            switch = looks.SWITCHES.get(self.tokens[self.at].text)
            if switch is not None:
                command = Token("command", switch, token.span, token.spaced)
                self.at += 1
        self.groups.append(Group(command, token, len(self.out), False, self.noted))
        self.noted = False
        if command is None:
            self._put(token)

    def _close(self, token: Token) -> None:
        if not self.groups:
            raise Fault(
                "syntax-unbalanced",
                "this } closes nothing",
                token.span,
                "take it away, or put a { where it begins",
            )
        group = self.groups.pop()
        if group.command is not None:
            self._finish(group, token.span)
            return
        inner = self.out[group.begin + 1 :]
        if len(inner) == 1 and inner[0].kind == "sign" and not self._is_argument(group.begin):
            self.out[group.begin :] = inner
        else:
            self._put(token)
        if (
            group.noted
            and self.at < len(self.tokens)
            and self.tokens[self.at].kind in ("sub", "sup")
        ):
            self.at += 1
            self._skip_argument()

    def _is_argument(self, begin: int) -> bool:
        """Say whether the brace at this place of the output opens an argument."""
        if begin == 0:
            return False
        before = self.out[begin - 1]
        if before.kind in ("sup", "sub", "close", "number"):
            return True
        return before.kind == "command" and before.text[1:].isalpha()

    def _end(self, command: Token, inner: list[Token], span: Span) -> None:
        """Put what a command makes of its argument."""
        text = command.text
        if text in looks.WORDS:
            for token in words_of(looks.WORDS[text], inner, span, command.spaced):
                self._put(token)
            self.spaced = self.spaced or not inner
        elif text in looks.DRESSES:
            self._dress(command, inner, span)
        elif text == "\\mathord" and len(inner) == 1 and inner[0].kind == "sign":
            self._put(Token("name", inner[0].text, span, command.spaced))
        else:
            while (
                len(inner) > 2 and inner[0].kind == "open" and after_group(inner, 0) == len(inner)
            ):
                inner = inner[1:-1]
            if text == "\\substack":  # its rows are a list
                inner = [Token("sign", ",", t.span) if t.text == "\\\\" else t for t in inner]
            if text == "\\mathop" and [t.kind for t in inner] == ["word"]:
                inner = [replace(inner[0], kind="function")]
            if inner:
                inner[0] = replace(inner[0], span=command.span | inner[0].span)
                inner[-1] = replace(inner[-1], span=inner[-1].span | Span(span.end, span.end))
            for token in inner:
                self._put(token)

    def _dress(self, command: Token, inner: list[Token], span: Span) -> None:
        """Put a letter in its dress, and behind it its scripts: \\hat{X_1} is \\hat{X}_1."""
        dress = looks.DRESSES[command.text]
        end = next(
            (i for i, t in enumerate(inner) if t.kind in ("sub", "sup", "prime")), len(inner)
        )
        worn, scripts = inner[:end], inner[end:]
        if worn and all(t.kind in ("letter", "name", "word", "number") for t in worn):
            text = "".join(t.text for t in worn).replace(" ", "")
        elif len(worn) == 1 and worn[0].kind == "command" and worn[0].text[1:].isalpha():
            text = worn[0].text[1:]
        elif dress in looks.FONTS or not inner:
            self._put(Token("open", "{", command.span, command.spaced))
            for token in inner:
                self._put(token)
            self._put(Token("close", "}", Span(span.end - 1, span.end)))
            return
        else:
            raise Fault(
                "syntax-argument",
                f"{command.text} stands over more than a letter, and says nothing that is known",
                span,
                f"name it by a letter of its own, as in {command.text}{{X}} = ...",
            )
        self._put(Token("name", text + dress, span, command.spaced))
        for token in scripts:
            self._put(token)

    # ----------------------------------------------------------------------------- commands

    def _command(self, token: Token) -> None:
        text = token.text
        if text in looks.SPACES:
            self.spaced = True
        elif text in looks.LENGTHS:
            self._gap(token)
        elif text in looks.NUMBERING and not self.environments and not self.groups:
            self.at = len(self.tokens)
        elif text in looks.SIZES:
            self._sized(token)
        elif text in looks.VANISHING:
            self.spaced = True
            if text in looks.PARTING:
                self._put(Token("command", "\\\\", token.span))
            for _ in range(looks.VANISHING[text]):
                self._skip_argument()
        elif text in TAKING:
            for _ in range(looks.OPEN.get(text, 0)):
                self._skip_argument()
            self._argument(token)
        elif text in looks.SWITCHES:
            self._argument(replace(token, text=looks.SWITCHES[text]))
        elif text in looks.WRAPPING:
            for _ in range(looks.WRAPPING[text]):
                self._skip_argument()
            self.noted = text in looks.NOTED
        elif text == "\\not" and self.at < len(self.tokens):
            following = self.tokens[self.at]
            self.at += 1
            negated = looks.NEGATED.get(following.text, following.text)
            self._put(Token("command", negated, token.span | following.span, token.spaced))
        else:
            self._alias(token, looks.ALIASES.get(text, text))

    def _alias(self, token: Token, text: str) -> None:
        if text == token.text:
            if text.startswith(("\\begin{", "\\end{")):
                self._environment(token)
            self._put(token)
        elif text == "'":
            self._put(Token("prime", "'", token.span, token.spaced))
        else:
            kind = "command" if text[0] == "\\" or text in DEFINING else "sign"
            self._put(Token(kind, text, token.span, token.spaced))

    def _environment(self, token: Token) -> None:
        """Pair the beginnings and the ends of environments."""
        begin = token.text.startswith("\\begin{")
        name = token.text[6 if begin else 4 :]
        if begin:
            self.environments.append(token)
            if len(self.environments) > NESTING:
                raise too_deep(token.span, NESTING)
        elif self.environments and self.environments[-1].text[6:] == name:
            self.environments.pop()
        elif self.environments:
            raise endless(self.environments[-1])
        else:
            raise Fault(
                "syntax-unbalanced",
                f"this {token.text} ends nothing",
                token.span,
                f"take it away, or put \\begin{name} where it begins",
            )

    def _sized(self, token: Token) -> None:
        """Put the bracket whose size a command gives."""
        if self.at >= len(self.tokens):
            return
        following = self.tokens[self.at]
        if following.text == "." and token.text in ("\\left", "\\right"):
            self.at += 1
            if token.text == "\\right" and self.lefts:
                self._cases(self.lefts.pop())
            return
        if token.text == "\\left":
            self.lefts.append(len(self.out))
        elif token.text == "\\right" and self.lefts:
            self.lefts.pop()
        text = looks.ALIASES.get(following.text, following.text)
        side = token.text[1] if token.text in ("\\left", "\\right", "\\middle") else token.text[-1]
        if text in looks.BARS and side in "lr":
            text = looks.BARS[text][side == "r"]
        elif text == "|" and side == "m":
            text = "\\mid"
        elif text in looks.ANGLES:
            text = looks.ANGLES[text]
        elif following.kind not in ("sign", "command") or text in looks.SPACES:
            return
        self.at += 1
        kind = "command" if text[0] == "\\" else "sign"
        self._put(Token(kind, text, token.span | following.span, token.spaced))

    def _cases(self, begin: int) -> None:
        """Read an array behind a lone brace as cases."""
        part = self.out[begin:]
        if len(part) < 3 or part[0].text != "\\{" or part[-1].text not in ENDS_OF_ARRAYS:
            return
        if part[1].text.replace("begin", "end") != part[-1].text:
            return
        if part[-1].text == "\\end{aligned}" and not any(
            t.kind != "command" for t in self.out[:begin]
        ):
            del self.out[begin]
            return
        start = 2
        if part[2].kind == "open" and part[-1].text == "\\end{array}":
            start = 1 + next(at for at, token in enumerate(part) if token.kind == "close")
        opening = replace(part[1], text="\\begin{cases}", span=part[0].span | part[1].span)
        closing = replace(part[-1], text="\\end{cases}")
        self.out[begin:] = [opening, *part[start:-1], closing]

    def _gap(self, token: Token) -> None:
        """Read a space of some length; one as wide as between formulas parts them."""
        self.spaced = True
        begin = self.at
        if begin < len(self.tokens) and self.tokens[begin].kind == "open":
            self._skip_argument()
            text = "".join(t.text for t in self.tokens[begin + 1 : self.at - 1])
            found = LENGTH.match(text)
        else:
            text = "".join(t.text for t in self.tokens[begin : begin + 4])
            found = LENGTH.match(text)
            left = len(found[0]) if found is not None else 0
            while left > 0:
                left -= len(self.tokens[self.at].text)
                self.at += 1
        wide = found is not None and float(found[1]) >= looks.UNITS[found[2]]
        if wide or "fill" in text:
            self._put(Token("command", "\\quad", token.span))

    def _skip_argument(self) -> None:
        depth = 0
        while self.at < len(self.tokens):
            kind = self.tokens[self.at].kind
            if kind == "close" and not depth:
                return
            self.at += 1
            depth += (kind == "open") - (kind == "close")
            if not depth:
                return

    def _argument(self, command: Token) -> None:
        """Begin the argument of a command that takes its braces away."""
        following = self.tokens[self.at] if self.at < len(self.tokens) else None
        if following is None or following.kind == "close":
            raise Fault("syntax-argument", f"{command.text} has no argument", command.span)
        self.at += 1
        if following.kind == "open":
            self._open(following, command)
        elif following.text in TAKING:
            if len(self.groups) >= NESTING:
                raise too_deep(command.span, NESTING)
            self.groups.append(Group(command, following, len(self.out), bare=True))
            self._argument(following)
        elif following.kind == "number" and following.text[1:].isdecimal():
            self._end(command, [replace(following, text=following.text[0])], command.span)
            self._settle(following.span)
            self._put(replace(following, text=following.text[1:]))
        else:
            self._end(command, [following], command.span | following.span)
            self._settle(following.span)

    def _finish(self, group: Group, span: Span) -> None:
        """End the command of a group."""
        assert group.command is not None
        inner = self.out[group.begin :]
        del self.out[group.begin :]
        self._end(group.command, inner, group.command.span | span)
        self._settle(span)

    def _settle(self, span: Span) -> None:
        """End the commands whose argument, without braces, has just ended."""
        if self.groups and self.groups[-1].bare:
            self._finish(self.groups.pop(), span)


def _is_script(token: Token | None) -> bool:
    return token is not None and token.kind in ("sub", "sup")
