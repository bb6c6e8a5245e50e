"""Norm placement is one choice in one place."""

import pytest

from transformer_named.placement import PLACEMENTS, around, open_ended


def double(x):
    return 2 * x


def square(x):
    return x * x


@pytest.mark.parametrize(("placement", "result"), [("between", 410), ("post", 900), ("pre", 210)])
def test_the_norm_stands_where_its_placement_says(placement, result):
    assert around(double, square, 10, placement) == result


@pytest.mark.parametrize(("placement", "result"), [("between", 401), ("post", 441), ("pre", 201)])
def test_the_residual_can_come_from_elsewhere(placement, result):
    assert around(double, square, 10, placement, residual=1) == result


def test_only_pre_leaves_the_sum_of_a_stack_unnormalised():
    assert [open_ended(placement) for placement in PLACEMENTS] == [False, False, True]


@pytest.mark.parametrize("call", [lambda p: around(double, square, 1, p), open_ended])
def test_an_unknown_placement_is_refused(call):
    with pytest.raises(ValueError) as caught:
        call("before")
    assert str(caught.value) == "placement is 'between', 'post' or 'pre', not 'before'"
