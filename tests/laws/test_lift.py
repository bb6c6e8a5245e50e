"""A lifted positional function sees its own axes and no others."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.testing import assert_close
from namedtensor.testing import definitions as D
from tests.laws.examples import REAL
from tests.laws.strategies import operand, shaped

LIBRARIES = {"numpy": np, "torch": torch}


def with_matrix(draw, n: int, m: int):
    """A tensor with the axes row and col, stored anywhere among others."""
    return operand(draw, {"row": n, "col": m, **shaped(draw, 0, 2)}, REAL)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=40)
@given(data=st.data())
def test_a_lifted_function_gets_its_axes_in_the_order_of_the_pattern(library, data):
    X = with_matrix(data.draw, 2, 3)
    xp = LIBRARIES[library]
    # the rows are weighed by 1 and 10: another order of the axes would not even fit
    weigh = lambda x: xp.stack([x[0] + 10 * x[1], x[0] - x[1]])
    found = nt.lift(weigh, "row col -> new col")(X.named(library))
    rows = [D["at"](X.records(), "row", i) for i in range(2)]
    first = D["add"](rows[0], D["mul"](10, rows[1]))
    assert_close(found, D["stack"](first, D["sub"](*rows), axis="new"))


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=40)
@given(data=st.data())
def test_a_lifted_function_of_two_tensors_contracts(library, data):
    X = with_matrix(data.draw, 2, 3)
    y = operand(data.draw, {"col": 3, "wide": data.draw(st.integers(0, 2))}, REAL)
    found = nt.lift(lambda a, b: a @ b, "row col, col -> row")(X.named(library), y.named(library))
    assert_close(found, D["dot"](X.records(), y.records(), axes=["col"]))


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=20)
@given(data=st.data())
def test_a_function_of_named_tensors_is_lifted_over_the_axes_named(library, data):
    X = with_matrix(data.draw, 2, 3)
    seen = []

    def total(V):
        seen.append(set(V.axes))
        return nt.sum["row"](V)

    found = nt.lift(total, over="col")(X.named(library))
    assert_close(found, D["sum"](X.records(), ["row"]))
    assert all("col" not in axes for axes in seen)
