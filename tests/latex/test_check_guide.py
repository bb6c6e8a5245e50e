"""docs/checking.md shows every rule with an example, and each example prints what stands below it."""

import re

import pytest

from namedtensor.latex import read
from namedtensor.latex.check.codes import CODES
from tests.project.interpreter import ROOT

GUIDE = (ROOT / "docs" / "checking.md").read_text()
RULES = dict(re.findall(r"^### (\S+)\n(.*?)(?=^### |\Z)", GUIDE, re.M | re.S))


def test_the_guide_has_every_rule_in_its_table_and_in_a_section():
    table = dict(re.findall(r"^\| \[`([\w-]+)`\]\(#[\w-]+\) \| (.*) \|$", GUIDE, re.M))
    assert table == CODES
    assert list(RULES) == list(CODES)


@pytest.mark.parametrize("code", RULES)
def test_an_example_of_the_guide_prints_what_stands_below_it(code: str):
    example, printed = re.findall(r"^```(?:latex|text)\n(.*?)^```$", RULES[code], re.M | re.S)
    findings = read(example, "notes.md").check()
    assert "\n\n".join(map(str, findings)) + "\n" == printed
    assert {finding.code for finding in findings} == {code}
