"""Each promise of docs/promises.md is held by a test that exists."""

import ast
import re

from tests.project.interpreter import ROOT

PAGE = (ROOT / "docs/promises.md").read_text()
HELD = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def missing(page: str) -> list[str]:
    """List the tests that a page names and nobody wrote, and its rows that name none."""
    found = []
    for line in page.splitlines():
        if not line.startswith("|") or line.startswith(("|---", "| Promise")):
            continue
        named = HELD.findall(line)
        if not named:
            found.append(line)
        for file, test in named:
            path = ROOT / file
            tree = ast.parse(path.read_text()) if path.exists() else ast.Module([], [])
            if test not in [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]:
                found.append(f"{file}::{test}")
    return found


def test_every_promise_names_a_test_that_exists():
    assert len(HELD.findall(PAGE)) > 20
    assert missing(PAGE) == []


def test_a_promise_without_a_test_is_found():
    page = "| A | `tests/project/test_promises.py::test_nobody_wrote` |\n| B | by hand |"
    assert missing(page) == ["tests/project/test_promises.py::test_nobody_wrote", "| B | by hand |"]
