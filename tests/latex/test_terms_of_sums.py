"""The terms of a sum, each looked at by itself: which axes it brings back."""

import pytest

from namedtensor.latex import read
from tests.python_calls import python_calls


@pytest.mark.parametrize(
    "body", [r"\mu + b + c", r"b + \mu + c", r"b + c + \mu", r"Q - \mu - b - c"]
)
def test_what_is_over_other_axes_may_stand_in_a_sum_with_a_mean_over_all(body):
    head = (
        r"Let $b \in \mathbb{R}^{\text{user}}$, $c \in \mathbb{R}^{\text{item}}$, "
        r"$Q \in \mathbb{R}^{\text{user} \times \text{item}}$. "
        r"$$\mu = \underset{\text{user}, \text{item}}{\text{mean}} Q$$ "
    )
    assert read(head + f"$$Y = {body}$$").check() == []


def test_what_one_of_several_terms_has_used_up_is_brought_back_by_another():
    head = (
        r"Let $x \in \mathbb{R}^{\text{hid}}$, $W \in \mathbb{R}^{\text{hid} \times \text{emb}}$, "
        r"$a \in \mathbb{R}^{\text{emb}}$, $b \in \mathbb{R}^{\text{hid}}$. "
    )
    [found] = read(head + r"$$Y = a + W \underset{\text{hid}}{\cdot} x + b$$").check()
    assert found.code == "axis-returns"


def test_a_sum_that_is_added_to_itself_again_and_again_is_checked_soon():
    steps = " ".join(f"$$x_{{{i + 1}}} = x_{{{i}}} + x_{{{i}}}$$" for i in range(60))
    read(
        r"Let $x_0 \in \mathbb{R}^{\text{hid}}$ and $b \in \mathbb{R}^{\text{emb}}$. "
        + steps
        + " $$y = x_{60} + b$$"
    ).check()


@pytest.mark.parametrize(
    "mean", [r"\sum_{\text{act}} p \odot r", r"p \underset{\text{act}}{\cdot} r"]
)
def test_what_is_less_its_own_mean_with_other_weights_brings_no_axis_back(mean):
    head = (
        r"Let $p \in [0,1]^{\text{state} \times \text{act}}$ and $r \in \mathbb{R}^{\text{act}}$. "
    )
    assert read(head + rf"$$A = p \odot (r - {mean})$$").check() == []
    (found,) = read(head + rf"$$A = p \odot (r + {mean})$$").check()
    assert found.code == "axis-returns"


def test_a_long_sum_that_has_an_operator_is_read_soon():
    """Each side of a sum is looked at once: work that doubles with each term would never end."""
    text = r"Let $a \in \mathbb{R}^{\text{ax}:n}$ and $x \in \mathbb{R}$. $$Y = \sum_{i=1}^n a_i"
    few, many = [python_calls(lambda k=k: read(text + " + x" * k + "$$")) for k in (30, 60)]
    assert many < 3 * few
