"""Every document of this folder, correct or faulty, and all that is said of one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from namedtensor.check.documents import look_at
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.latex import read
from namedtensor.latex.python import python_of
from tests.latex.fault_cases import cases

HERE = Path(__file__).parent


#: Each fourth of many cases, which every run of the tests takes; `make check-long` takes them all.
SOME_OR_ALL = pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])


def in_turn(
    name: str, values: Iterable[Any], dialects: Sequence[str], word: str = "dialect"
) -> pytest.MarkDecorator:
    """Take each value in one dialect, in turn; `make check-long` takes the others."""
    pairs = [
        pytest.param(value, dialect, marks=[pytest.mark.long] * ((at + turn) % len(dialects) > 0))
        for at, value in enumerate(values)
        for turn, dialect in enumerate(dialects)
    ]
    return pytest.mark.parametrize(
        (name, word), pairs, ids=lambda value: getattr(value, "name", value)
    )


def fixtures(every: int = 1) -> Iterator[tuple[str, str]]:
    """Give the name and the text of each document, or of one in so many."""
    yield from islice(_fixtures(), 0, None, every)


def _fixtures() -> Iterator[tuple[str, str]]:
    for name in ("correct.txt", "faults.txt", "faults_printed.txt"):
        for case in cases(HERE / name):
            yield f"{name}: {case.title}", case.text
    for path in sorted(HERE.rglob("*")):
        if path.suffix in (".md", ".tex"):
            yield path.relative_to(HERE).as_posix(), path.read_text()


def said_of(text: str, name: str) -> dict[str, Any]:
    """Give the findings of a document as they are printed, and its Python."""
    document = read(text, name)
    findings = [*document.check(), *look_at(document)[0]]
    formulas: list[Formula] = []
    failed: list[NamedTensorError] = []
    for _, found in document.attempts():
        if isinstance(found, Formula):
            formulas.append(found)
        else:
            failed.append(found)
    return {"findings": list(map(str, findings)), "python": python_of(formulas, failed)}
