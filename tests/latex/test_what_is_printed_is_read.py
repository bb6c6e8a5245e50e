"""The law of the printer: what it prints is read back as the very same tree, in both dialects."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from namedtensor.latex import read
from namedtensor.latex.printer import latex_of
from namedtensor.primitives import table
from tests.latex.expressions import g, random_formula
from tests.latex.formulas import FORMULAS

#: So many formulas are drawn, each printed in both dialects.
COUNT = 2_000
#: What a random formula has no use for, or what is another tree each time it is made.
NEVER = {"dropout", "call", "rearrange", "slice_size"}


def printed(written, dialect):
    """Print a formula, and before it those that it calls."""
    before = [g.latex(dialect)] if written.called else []
    return "\n\n".join([*before, latex_of(written, dialect)])


def differs(written, dialect):
    """Say what is read otherwise than it was printed; nothing where all is the same."""
    text = printed(written, dialect)
    results = read(text)["f"].written().results
    return "" if results == written.results else f"{written.results}\n{results}\n{text}"


@given(st.integers(0, 2**32))
@settings(max_examples=COUNT, deadline=None)
def test_what_is_printed_is_read_as_the_same_tree(seed):
    written = random_formula(random.Random(seed), depth=3).written()
    assert differs(written, "macros") == ""
    assert differs(written, "underset") == ""
