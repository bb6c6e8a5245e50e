"""A correct document gives no findings: a false alarm costs more than a fault that is missed.

What is not checked is said in a note: a letter that another section declares, and that means something else.
"""

from pathlib import Path

import pytest

from namedtensor.latex import read, read_file
from tests.latex.fault_cases import cases

HERE = Path(__file__).parent
CORPUS = sorted(p for p in (HERE / "corpus").iterdir() if p.suffix in (".md", ".tex"))


def is_unchecked(finding):
    said = ("not checked: ", "refused when it runs: ")
    number = " is taken for a number: " in finding.message  # a letter that prose alone introduces
    return finding.severity == "note" and (number or finding.message.startswith(said))


@pytest.mark.parametrize("case", cases(HERE / "correct.txt"), ids=lambda case: case.title)
def test_nothing_is_said_of_a_correct_document(case):
    assert [str(f) for f in read(case.text, "a.md").check() if not is_unchecked(f)] == []


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_no_rule_speaks_of_the_corpus(file):
    document = read_file(file)
    unread = {(f.code, f.span) for f in document.findings}
    # a table of numbers is no part of the notation: a note says that it is not checked
    said = [f for f in document.check() if f.code != "not-notation" and not is_unchecked(f)]
    assert [str(f) for f in said if (f.code, f.span) not in unread] == []
