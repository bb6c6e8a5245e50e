"""The Python part of docs/checking.md: its examples print what stands below them."""

import re

from namedtensor.check.formulas import check_program
from namedtensor.check.meaning import MEANINGS
from namedtensor.check.pieces import program_in
from tests.project.interpreter import ROOT

GUIDE = (ROOT / "docs" / "checking.md").read_text()
PART = GUIDE[GUIDE.index("## Python\n") : GUIDE.index("## The rules\n")]


def test_an_example_prints_what_stands_below_it():
    pairs = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PART, re.M | re.S)
    assert len(pairs) == 2
    for code, printed in pairs:
        report = check_program(program_in("model.py", code), False)
        found = "\n\n".join(map(str, report.findings)) + "\n"
        assert found == printed


def test_the_table_has_every_rule():
    assert dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", PART, re.M)) == MEANINGS
