"""Check documents: each fault once, where it is made, in the words of the notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.latex.findings import Finding

if TYPE_CHECKING:
    from namedtensor.latex.documents.document import Document


def check_document(document: Document) -> list[Finding]:
    """List what is wrong with a document, the worst first."""
    from namedtensor.latex.check.rules import check

    return check(document)
