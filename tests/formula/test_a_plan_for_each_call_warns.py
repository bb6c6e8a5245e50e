"""A body that asks Python for a size is planned again for each size; that is said once."""

import warnings

import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.formula.formula import MANY_PLANS

seq = axes("seq")


@formula
def total(X: R[seq]) -> R:
    result = 0.0
    for i in range(abs(seq)):
        result = result + X[seq(i)]
    return result


def test_a_new_plan_at_each_call_is_said_once_and_names_the_axis():
    for n in range(1, MANY_PLANS):
        total(nt.ones(seq[n]))
    with pytest.warns(UserWarning, match=r"total was planned 16 times: .* the number \|seq\|"):
        total(nt.ones(seq[MANY_PLANS]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert total(nt.ones(seq[MANY_PLANS + 1])).item() == MANY_PLANS + 1


def test_another_size_of_a_traced_formula_makes_no_new_plan():
    @formula
    def mean(X: R[seq]) -> R:
        return nt.sum[seq](X) / abs(seq)

    for n in range(1, 30):
        assert mean(nt.ones(seq[n])).item() == 1.0
    assert sum(len(plans) for plans in mean.plans.values()) == 1
