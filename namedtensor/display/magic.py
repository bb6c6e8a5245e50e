r"""`%%named`: a notebook cell of LaTeX that is rendered, checked, and can be called.

    %load_ext namedtensor

    %%named
    X \in \mathbb{R}^{\text{seq}, \text{emb}} \\
    \text{total}(X) = \sum_{\text{seq}} X

Below the cell stand the formulas and what is wrong with them, and `total` is a formula from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.latex import read
from namedtensor.latex.documents.formulas import Family
from namedtensor.latex.printing.printer import latex_of

_MATH = re.compile(r"\$|\\\[|\\\(|\\begin\s*\{")
_LENGTH = re.compile(r"(\w+)=(\d+)")


class Cell:
    """What a cell says: its document, its findings, and the names that it gives to formulas.

    Letters that a formula's block defines for it, as Q in MHA(X; W) = att(Q, K, V), get no names.
    """

    def __init__(self, document: Any) -> None:
        self.document = document
        self.findings = document.check()
        self.named: dict[str, Any] = {}
        self.equations: list[str] = []
        self.declared = [s.text for s in document.statements if s.kind == "declaration"]
        for _, found in document.attempts():
            if isinstance(found, Formula):
                # where it cannot be printed, one of the findings says why
                with suppress(NamedTensorError):
                    self.equations.append(latex_of(found.written(), "underset"))
                    self.named[found.name] = found
        for name in document.names:
            if name.isidentifier() and name not in self.named:
                with suppress(NamedTensorError):
                    found = document[name]
                    if isinstance(found, Family):
                        self.named[name] = found

    def _repr_markdown_(self) -> str:
        findings = [f"<pre>{escape(str(finding))}</pre>" for finding in self.findings]
        names = ", ".join(_named(found) for found in self.named.values())
        defined = [f"Defined: {names}"] if names else []
        return "\n\n".join([*(self.equations or self._declared()), *findings, *defined])

    def _declared(self) -> list[str]:
        """Show what a cell without a formula says: its declarations, as they are written."""
        if not self.declared:
            return []
        rows = " \\\\\n".join([text.strip().rstrip("\\") for text in self.declared])
        block = f"$$\\begin{{gathered}}\n{rows}\n\\end{{gathered}}$$"
        return [block, "Declared. A formula is defined in the same cell, as f(X) = ..."]

    def __repr__(self) -> str:
        declared = [] if self.equations else [f"declared: {text}" for text in self.declared]
        return "\n\n".join(map(str, [*declared, *self.findings, *map(repr, self.named.values())]))


def _named(found: Any) -> str:
    """Write how a formula is called; X^L of a document is X__L in Python."""
    stem, script, index = found.name.partition("__")
    written = f"${stem}^{index}$ is " if script and isinstance(found, Formula) else ""
    return f"{written}`{found!r}`"


def document_of(cell: str) -> str:
    """Give a cell as a document; its lines count as the notebook counts them, %%named first.

    A cell without a math environment is all math.
    """
    if _MATH.search(cell):
        return f"\n{cell}"
    return f"$$\\begin{{aligned}}\n{cell.rstrip()}\n\\end{{aligned}}$$"


def lengths_of(line: str) -> dict[str, int]:
    """Read what stands behind %%named: the lengths of what is written with dots, as L=2."""
    found = {}
    for word in line.split():
        match = _LENGTH.fullmatch(word)
        if match is None:
            raise NamedTensorError(
                f"%%named {line}",
                f"cannot read {word}",
                hint="%%named L=2 chooses the length of what is written with dots",
            )
        found[match[1]] = int(match[2])
    return found


def magic_for(names: dict[str, Any]) -> Callable[[str, str], Cell]:
    """Make the magic that puts formulas into a notebook's namespace."""

    def named(line: str, cell: str) -> Cell:
        """Read a cell of LaTeX in the named tensor notation: %%named, or %%named L=2."""
        lengths = lengths_of(line)
        document = read(document_of(cell), "cell")
        found = Cell(document.bind(**lengths) if lengths else document)
        names.update(found.named)
        return found

    return named


def load(shell: Any) -> None:
    """Give a notebook the magic %%named."""
    shell.register_magic_function(magic_for(shell.user_ns), "cell", "named")
