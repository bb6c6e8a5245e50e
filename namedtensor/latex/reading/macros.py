"""What a document's own commands stand for, and how they are put in place.

What a macro gave has the span of its use; what was handed to it keeps its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.reading.tokens import Fault, Token, tokens_of
from namedtensor.latex.source import Span

#: Macros of the notation's style file: they carry the meaning, and nobody redefines them.
KEPT = frozenset(
    "\\name \\ndef \\nfun \\nbin \\ndot \\nsum \\ncat \\nmatrix \\text \\underset \\mathbb".split()
)

DEFINING = {
    "\\newcommand": "command",
    "\\renewcommand": "command",
    "\\providecommand": "provide",
    "\\DeclareRobustCommand": "command",
    "\\def": "def",
    "\\gdef": "def",
    "\\edef": "def",
    "\\xdef": "def",
    "\\let": "let",
    "\\ndef": "axis",
    "\\DeclareMathOperator": "operator",
    "\\DeclarePairedDelimiter": "pair",
    "\\NewDocumentCommand": "document",
    "\\RenewDocumentCommand": "document",
    "\\newenvironment": "environment",
    "\\renewenvironment": "environment",
}

#: Tokens that the macros of one document may give, and those of one formula.
BUDGET = 1_000_000
SHARE = 100_000


class RanOut(Exception):
    """The tokens ended within an argument."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A command with `count` arguments, the first of them optional where there is a default.

    One that is `sized` may have a star, for how large its brackets are.
    """

    count: int
    default: tuple[Token, ...] | None
    body: tuple[Token, ...]
    sized: bool = False


def _digest(name: str, macro: Macro) -> int:
    """Give what stands for one definition, wherever it is written."""
    parts = (macro.default or (), macro.body)
    told = [[(t.kind, t.text, t.spaced) for t in tokens] for tokens in parts]
    said = repr((name, macro.count, macro.default is None, told))
    digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest)


class Tape:
    """Tokens that are read from the front, and put back there: `left`, the next one last."""

    __slots__ = ("last", "left")

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.left = [*reversed(tokens)]
        self.last = Span(0, 0)

    def take(self) -> Token:
        if not self.left:
            raise RanOut
        token = self.left.pop()
        self.last = token.span
        return token

    def peek(self) -> Token | None:
        return self.left[-1] if self.left else None

    def put(self, tokens: Sequence[Token]) -> None:
        self.left.extend(reversed(tokens))

    def argument(self) -> list[Token]:
        """Take one argument: what stands in braces, or one token (of a number, one digit)."""
        token = self.take()
        if token.kind == "open":
            return self.until_closed()
        if token.kind == "number" and len(token.text) > 1:
            first, rest = token.digits()
            self.put([rest])
            return [first]
        return [token]

    def until_closed(self) -> list[Token]:
        """Take tokens up to the brace that closes one already taken."""
        found: list[Token] = []
        depth = 1
        while True:
            token = self.take()
            depth += (token.kind == "open") - (token.kind == "close")
            if not depth:
                return found
            found.append(token)

    def option(self) -> list[Token] | None:
        """Take what stands in square brackets, if that is next."""
        token = self.peek()
        if token is None or token.text != "[":
            return None
        self.take()
        found: list[Token] = []
        depth = 0
        while True:
            token = self.take()
            if token.text == "]" and not depth:
                return found
            depth += (token.kind == "open") - (token.kind == "close")
            found.append(token)


class Macros:
    """The commands that a document defines.

    >>> macros = Macros()
    >>> _ = macros.expand(tokens_of(r"\\newcommand{\\half}[1]{\\frac{#1}{2}}"))
    >>> "".join(token.text for token in macros.expand(tokens_of(r"\\half{x}")))
    '\\\\frac{x}{2}'
    """

    def __init__(self) -> None:
        self.table: dict[str, Macro] = {}
        self.left = BUDGET
        self.broken = 0
        #: stands for all definitions that hold, so that one said again changes nothing
        self.digest = 0

    def define(self, tape: Tape, definer: Token) -> None:
        """Take a definition whose first token has been taken."""
        how = DEFINING[definer.text.rstrip("*")]
        found = _DEFINE[how](tape)
        if found is None:
            return
        name, macro = found
        if name in KEPT or (how == "provide" and name in self.table):
            return
        before, self.table[name] = self.table.get(name), macro
        self.digest ^= _digest(name, macro) ^ (_digest(name, before) if before else 0)

    def expand(self, tokens: Sequence[Token]) -> list[Token]:
        """Put what they stand for in place of the document's commands, and take in definitions."""
        tape = Tape(tokens)
        given: list[Token] = []
        share = min(self.left, SHARE + 10 * len(tokens))
        while tape.left:
            token = tape.left.pop()
            if token.kind != "command":
                given.append(token)
            elif token.text.rstrip("*") in DEFINING:
                try:
                    self.define(tape, token)
                except RanOut:
                    raise Fault(
                        "syntax-macro", "this definition is not complete", token.span
                    ) from None
            elif token.text in self.table:
                put = self._put(self.table[token.text], tape, token)
                share -= 1 + len(put)
                self.left -= 1 + len(put)
                if share < 0:
                    raise Fault(
                        "limit-expansion",
                        f"{token.text} expands without end, or to more than can be read",
                        token.span,
                        "see whether its definition uses itself",
                    )
                tape.put(put)
            else:
                given.append(token)
        return given

    @staticmethod
    def _put(macro: Macro, tape: Tape, use: Token) -> list[Token]:
        arguments: list[Sequence[Token]] = []
        span = tape.last = use.span
        try:
            if macro.sized and (star := tape.peek()) is not None and star.text == "*":
                tape.take()
            if macro.default is not None:
                option = tape.option()
                arguments.append(macro.default if option is None else option)
            while len(arguments) < macro.count:
                arguments.append(tape.argument())
        except RanOut:
            raise Fault(
                "syntax-argument",
                f"{use.text} takes {macro.count} argument{'s' * (macro.count != 1)}, "
                f"and what follows it ends before",
                use.span,
            ) from None
        if tape.last.start >= span.start:
            span = span | tape.last
        if macro.default is not None and arguments[0] is macro.default:
            arguments[0] = [Token(t.kind, t.text, span, t.spaced) for t in macro.default]
        put: list[Token] = []
        body = iter(macro.body)
        for token in body:
            if token.text == "#" and token.kind == "sign":
                which = next(body, None)
                if (
                    which is not None
                    and which.text.isdecimal()
                    and 0 < int(which.text) <= len(arguments)
                ):
                    put += arguments[int(which.text) - 1]
                continue
            put.append(Token(token.kind, token.text, span, token.spaced))
        if put and use.spaced and not put[0].spaced:
            put[0] = replace(put[0], spaced=True)
        return put


def _split_digits(tokens: Iterable[Token]) -> tuple[Token, ...]:
    """Part the number that follows # from digits that follow it: #12 is #1 and a 2."""
    parts: list[Token] = []
    after = False
    for token in tokens:
        if after and token.kind == "number" and len(token.text) > 1:
            parts += token.digits()
        else:
            parts.append(token)
        after = token.text == "#" and token.kind == "sign"
    return tuple(parts)


def _command(tape: Tape) -> tuple[str, Macro] | None:
    name = _name(tape.argument())
    count = tape.option()
    default = tape.option()
    body = tape.argument()
    number = count[0].text if count else "0"
    if name is None or not number.isdecimal():
        return None
    first = None if default is None else tuple(default)
    return name, Macro(min(int(number), 9), first, _split_digits(body))


def _def(tape: Tape) -> tuple[str, Macro] | None:
    name = _name([tape.take()])
    count = 0
    plain = True
    while (token := tape.take()).kind != "open":
        if token.text == "#":
            count += 1
            digit = tape.take()
            plain = plain and digit.text == str(count)
        else:
            plain = False
    body = tape.until_closed()
    return (name, Macro(count, None, _split_digits(body))) if name and plain else None


def _let(tape: Tape) -> tuple[str, Macro] | None:
    name = _name([tape.take()])
    token = tape.take()
    if token.text == "=":
        token = tape.take()
    return (name, Macro(0, None, (token,))) if name and name != token.text else None


def _wrapped(command: str) -> Callable[[Tape], tuple[str, Macro] | None]:
    """Read a definition that puts its text into the braces of another command."""

    def define(tape: Tape) -> tuple[str, Macro] | None:
        name, body = _name(tape.argument()), tape.argument()
        given = (*tokens_of(f"{command}{{"), *body, *tokens_of("}"))
        return (name, Macro(0, None, given)) if name else None

    return define


def _pair(tape: Tape) -> tuple[str, Macro] | None:
    name = _name(tape.argument())
    left, right = tape.argument(), tape.argument()
    return (name, Macro(2, (), (*left, *tokens_of("#2"), *right), sized=True)) if name else None


def _document(tape: Tape) -> tuple[str, Macro] | None:
    name = _name(tape.argument())
    kinds = [token.text for token in tape.argument()]
    body = tape.argument()
    known = name is not None and all(kind == "m" for kind in kinds)
    return (name, Macro(len(kinds), None, _split_digits(body))) if name and known else None


def _environment(tape: Tape) -> tuple[str, Macro] | None:
    tape.argument()
    tape.option()
    tape.option()
    tape.argument()
    tape.argument()
    return None


def _name(tokens: Sequence[Token]) -> str | None:
    return tokens[0].text if len(tokens) == 1 and tokens[0].kind == "command" else None


_DEFINE = {
    "command": _command,
    "provide": _command,
    "def": _def,
    "let": _let,
    "axis": _wrapped("\\name"),
    "operator": _wrapped("\\operatorname"),
    "pair": _pair,
    "document": _document,
    "environment": _environment,
}
