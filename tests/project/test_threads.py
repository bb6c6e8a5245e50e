"""First calls may come from many threads at once: what is made then is made once, and whole."""

import os
from pathlib import Path

import pytest

from tests.project.first_calls import CASES
from tests.project.interpreter import python

SCRIPT = Path(__file__).with_name("first_calls.py")
STARTS = 2

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a start is a fork")


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("case", CASES)
def test_eight_threads_may_make_the_first_calls_of_a_process(case, library):
    python(str(SCRIPT), case, library, str(STARTS))


def test_axes_are_read_while_another_thread_imports_torch():
    source = """
import sys, types
import namedtensor as nt
sys.modules["torch"] = types.ModuleType("torch")  # as it is before its import ends
print(nt.axes("batch seq"))
"""
    assert python("-c", source) == "(batch, seq)\n"
