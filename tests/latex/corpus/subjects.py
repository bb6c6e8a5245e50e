"""The subjects of the corpus: each a document and its table of entries."""

from __future__ import annotations

import importlib
from pathlib import Path

from .entry import Entry

HERE = Path(__file__).parent
DOCUMENTS = sorted(
    path for path in HERE.iterdir() if path.suffix in (".md", ".tex") and path.name != "README.md"
)


def entries(document: Path) -> list[Entry]:
    """Give the entries of a document."""
    table = importlib.import_module(f"{__package__}.{document.stem}")
    return list(table.ENTRIES)


ALL = [(document, entry) for document in DOCUMENTS for entry in entries(document)]
