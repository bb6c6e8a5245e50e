"""The fuzzer counts what it tries, stops in time, and sees a failure."""

import re

import pytest

from tests.fuzz import cases_in, main

TESTS = """
from hypothesis import given, strategies as st

def test_that_generates_nothing():
    raise AssertionError("not a case of the fuzzer")

@given(st.integers())
def test_first(n):
    assert n == n

@given(st.integers())
def test_second(n):
    assert {claim}
"""


@pytest.fixture
def laws(tmp_path):
    """Write a file of two laws, of which the second makes the claim given."""

    def write(claim: str) -> str:
        path = tmp_path / "test_laws.py"
        path.write_text(TESTS.format(claim=claim))
        return str(path)

    return write


def test_it_says_how_many_cases_it_tried(laws, capsys):
    assert main(["--seconds", "0", laws("n == n")]) == 0
    printed = capsys.readouterr().out
    tried = re.search(r"tried ([\d,]+) cases in \d+ s; none failed", printed)
    assert int(tried[1].replace(",", "")) == 200
    assert printed.count("round ") == 1


def test_it_does_not_call_it_a_success_if_nothing_was_tried(tmp_path, capsys):
    path = tmp_path / "test_nothing.py"
    path.write_text("def test_that_generates_nothing(): pass")
    assert main(["--seconds", "0", str(path)]) == 1
    assert "no case was tried" in capsys.readouterr().out


def test_it_stops_at_a_failure_and_shows_the_smallest_case(laws, capsys):
    assert main(["--seconds", "30", laws("n < 10")]) == 1
    printed = capsys.readouterr().out
    assert "n=10" in printed
    assert "found a failure after" in printed


def test_it_adds_up_the_cases_of_every_test():
    line = "    - 40 passing, 2 failing, and 5 invalid test cases\n"
    assert cases_in(line + "  - Stopped because\n" + line) == 84
