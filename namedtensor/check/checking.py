"""Check files of any kind that has formulas: documents by their reader, Python by a worker process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from namedtensor.check.asking import LIMIT, Worker
from namedtensor.check.documents import check as check_with_meanings
from namedtensor.check.formulas import Part
from namedtensor.check.pieces import (
    DOCUMENTS,
    PYTHON,
    UnreadableError,
    is_candidate,
    program_in,
)
from namedtensor.latex.findings import Finding


@dataclass(slots=True)
class Checked:
    """What was found in one file; `refused` says why it could not be checked.

    `unchecked` are formulas by their names, and calls of their modules as they are written, each with why;
    `unreached` are lines of functions, and functions, that no formula reached, each with why.
    """

    file: str
    findings: list[Finding] = field(default_factory=list)
    formulas: int = 0
    unchecked: list[tuple[str, str]] = field(default_factory=list)
    unreached: list[tuple[str, str]] = field(default_factory=list)
    refused: str = ""
    document: Any = None
    parts: list[Part] = field(default_factory=list)


#: Errors of the checker itself, which must not keep other files from being checked.
FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class Checker:
    """Check files one after another, with one worker for all."""

    def __init__(
        self, imports: bool = True, python: str = "", limit: float = LIMIT, edits: bool = False
    ) -> None:
        self.imports = imports
        self.worker = Worker(python, limit)
        #: the last document of each file, since an edit leaves most of it unchanged
        self.before: dict[str, Any] | None = {} if edits else None

    def check(
        self,
        file: str,
        text: str,
        read: Callable[[], Any] | None = None,
        parts: bool = False,
        meaning: bool = True,
    ) -> Checked:
        """Check one file's text; `read` gives its document, where it is one and has macros elsewhere.

        Without `meaning`, the rules about the meaning of axes are not applied to a document.
        """
        suffix = Path(file).suffix.lower()
        checked = Checked(file)
        if suffix and suffix not in DOCUMENTS | PYTHON and file != "-":
            checked.refused = f"{file}: is neither a document nor Python"
            return checked
        if suffix != ".py":
            try:
                self._read(checked, text, read, meaning)
            except FAULTS as error:
                said = f"{type(error).__name__}: {error}".partition("\n")[0]
                why = "by a fault of namedtensor's own, which is worth a report"
                checked.refused = f"{file}: is not checked, {why}: {said}"
                return checked
        try:
            program = program_in(file, text) if suffix in (*PYTHON, ".md", ".markdown") else None
            if program is None or not is_candidate(program):
                return checked
        except UnreadableError as error:
            checked.refused = str(error)
            return checked
        report = self.worker.check(program, text, self.imports, parts)
        checked.findings += report.findings
        checked.formulas = report.formulas
        checked.unchecked, checked.unreached = report.unchecked, report.unreached
        checked.parts += report.parts
        checked.refused = report.refused
        left = [(name, why) for name, why in report.unchecked if name.isidentifier()]
        if left and not (checked.refused or report.formulas or report.findings):
            name, why = left[0]
            checked.refused = f"{file}: none of its formulas can be checked ({name}: {why})"
        return checked

    def _read(
        self, checked: Checked, text: str, read: Callable[[], Any] | None, meaning: bool
    ) -> None:
        """Read and check a document."""
        from namedtensor.latex import read as read_document

        before = self.before.get(checked.file) if self.before else None
        document = read() if read is not None else read_document(text, checked.file, before=before)
        checked.document = document
        if self.before is not None:
            self.before[checked.file] = document
        if meaning:
            found, checked.parts = check_with_meanings(document)
        else:
            found = document.check()
        checked.findings += found

    def close(self) -> None:
        """End the worker."""
        self.worker.close()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
