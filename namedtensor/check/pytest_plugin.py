"""`pytest --axes`: each file that has formulas is one more test, which fails where the axes are wrong.

Only the option is declared when pytest starts; the checker is imported when it is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("namedtensor")
    group.addoption("--axes", action="store_true", help="check the axes of formulas in each file")
    group.addoption("--axes-strict", action="store_true", help="warnings fail too")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file whose axes can be checked."""
    if not parent.config.getoption("--axes"):
        return None
    from namedtensor.check.pieces import DOCUMENTS, PYTHON

    if file_path.suffix not in DOCUMENTS - {".sty"} | PYTHON:
        return None
    found: pytest.Collector = AxesFile.from_parent(parent, path=file_path)
    return found


def pytest_unconfigure(config: pytest.Config) -> None:
    checker = config.stash.get(_CHECKER, None)
    if checker is not None:
        checker.close()


_CHECKER: pytest.StashKey[Any] = pytest.StashKey()


class AxesFile(pytest.File):
    """A file that may have formulas."""

    def collect(self) -> list[pytest.Item]:
        from namedtensor.check.pieces import UnreadableError, is_candidate, program_in

        try:
            if self.path.suffix in (".py", ".ipynb"):
                text = self.path.read_text("utf-8-sig")
                if not is_candidate(program_in(str(self.path), text)):
                    return []
        except (UnreadableError, UnicodeDecodeError):
            pass  # the item says why
        return [AxesItem.from_parent(self, name="axes")]


class AxesItem(pytest.Item):
    """The check of one file."""

    #: Other plugins look for the arguments of a test, and fail where there is no such thing.
    funcargs: ClassVar[dict[str, object]] = {}

    def runtest(self) -> None:
        from namedtensor.check.checking import Checker

        stash = self.config.stash
        if _CHECKER not in stash:
            stash[_CHECKER] = Checker()
        checked = stash[_CHECKER].check(str(self.path), self.path.read_text("utf-8-sig"))
        strict = self.config.getoption("--axes-strict")
        bad = [f for f in checked.findings if f.severity == "error" or strict]
        if checked.refused:
            raise AxesError(checked.refused)
        if bad:
            raise AxesError("\n\n".join([str(finding) for finding in bad]))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, AxesError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"axes of {self.path.name}"


class AxesError(Exception):
    """The findings of a file."""
