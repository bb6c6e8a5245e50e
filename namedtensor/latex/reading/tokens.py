"""The smallest parts of a formula's text, and what stops its reading."""

from __future__ import annotations

from typing import NamedTuple

from namedtensor.latex.source import Span


class Token(NamedTuple):
    """A token and where it was written.

    `kind` is one of: command (text is \\name, or \\ and one sign), letter (one letter), number
    (digits, with a decimal point), open and close (braces), sup, sub, tab (&), prime, sign (any other
    one character); and, once what only says how a formula looks is taken away, word (\\text{..}), axis
    (\\name{..}), function (\\operatorname{..}) and name (a letter in a special dress).
    `spaced` says that white space stands before it: `k h` is not `kh`.
    What a macro gave has the span of the macro's use.
    """

    kind: str
    text: str
    span: Span
    spaced: bool = False


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
