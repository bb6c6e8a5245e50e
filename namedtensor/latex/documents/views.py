"""Views of a document's statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from namedtensor.errors import NamedTensorError
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import Definition, Statement

if TYPE_CHECKING:
    from namedtensor.latex.documents.document import Document
    from namedtensor.primitives import Node


@dataclass(frozen=True, slots=True, eq=False)
class StatementView:
    """One statement of a document: what kind it is, where it stands, and what it says.

    `kind` is declaration, signature, definition, constraint, induction or aside.
    """

    document: Document
    syntax: Statement

    @property
    def kind(self) -> str:
        return type(self.syntax).__name__.lower()

    @property
    def span(self) -> Span:
        return self.syntax.span

    @property
    def text(self) -> str:
        return self.document.source.text[self.span.start : self.span.end]

    @property
    def line(self) -> int:
        return self.document.source.position(self.span.start)[0]

    @property
    def tree(self) -> Node | None:
        """The expression tree of a definition; None where it is none, or cannot be evaluated."""
        if not isinstance(self.syntax, Definition):
            return None
        defined = self.document.definitions.of(self.syntax)
        if defined is None:
            return None
        try:
            return self.document.library.of(defined).written().results[0]
        except NamedTensorError:
            return None

    def __repr__(self) -> str:
        return f"{self.kind} in line {self.line}: {' '.join(self.text.split())}"
