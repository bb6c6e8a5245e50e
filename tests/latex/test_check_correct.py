"""A correct document gives no findings: a false alarm costs more than a fault that is missed."""

from pathlib import Path

import pytest

from namedtensor.latex import read, read_file
from tests.latex.fault_cases import cases

HERE = Path(__file__).parent
CORPUS = sorted(p for p in (HERE / "corpus").iterdir() if p.suffix in (".md", ".tex"))


@pytest.mark.parametrize("case", cases(HERE / "correct.txt"), ids=lambda case: case.title)
def test_nothing_is_said_of_a_correct_document(case):
    assert [str(finding) for finding in read(case.text, "a.md").check()] == []


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_no_rule_speaks_of_the_corpus(file):
    document = read_file(file)
    unread = {(f.code, f.span) for f in document.findings}
    # a table of numbers is no part of the notation: a note says that it is not checked
    said = [f for f in document.check() if f.code != "not-notation"]
    assert [str(f) for f in said if (f.code, f.span) not in unread] == []
