"""What stops the reading of a statement."""

from __future__ import annotations

from namedtensor.latex.source import Span

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
