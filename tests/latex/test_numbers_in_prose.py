"""Letters that only prose calls numbers are parameters, and a note says so."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

W = np.array([1.0, -2.0, 0.5])
HEAD = r"Let $W \in \mathbb{R}^{\text{in}}$. "
SUM = r"$$h = \alpha \sum_{\text{in}} W$$ "


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD}Let $\alpha$ denote the scale. {SUM}",
        rf"{HEAD}With a learned temperature $\alpha$, {SUM}",
        rf"{HEAD}{SUM} where $\alpha$ is a small positive constant.",
        rf"# A{chr(10)}{HEAD}The learning rate $\alpha$ is fixed.{chr(10)}## B{chr(10)}{SUM}",
        rf"{HEAD}Let \(\alpha\) be the step size. {SUM}",
        rf"{HEAD}Let $\alpha$ denote the scale. {SUM.replace('h =', 'h(W) =')}",
        rf"{HEAD}Let $a$ denote the scale. {SUM}".replace(r"\alpha", "a"),
    ],
)
def test_a_number_in_prose_is_a_parameter(text):
    document = read(text)
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "undeclared")
    letter = "a" if "$a$" in text else "alpha"
    assert f"{letter} is taken for a number" in note.message
    found = document["h"](W=tensor(W, "in"), **{letter: 0.5})
    np.testing.assert_allclose(found.numpy(), 0.5 * W.sum())


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD}Let $\alpha$ denote the mask. {SUM}",
        rf"{HEAD}Let $\alpha$ denote the scale. $$h = \alpha \underset{{\text{{in}}}}{{\cdot}} W$$",
        rf"{HEAD}Let $\alpha$ denote the scale. $$h = W_{{\text{{in}}(1)}} \alpha_{{\text{{in}}(1)}}$$",
        rf"# A{chr(10)}Let $\alpha$ denote the scale.{chr(10)}# B{chr(10)}{HEAD}{SUM}",
    ],
)
def test_what_may_be_no_number_is_not_taken_for_one(text):
    document = read(text)
    assert all("taken for a number" not in f.message for f in document.check())
    assert "alpha" not in [p.name for p in document["h"].signature.parameters]


@pytest.mark.parametrize("said", [r"Let $\alpha = 2$. ", r"Let $\alpha \in \mathbb{R}$. "])
def test_what_is_said_elsewhere_is_no_parameter_of_prose(said):
    text = rf"{HEAD}{said}Here $\alpha$ denotes the scale. {SUM}"
    assert read(text).check() == []


def test_a_constant_stays_what_it_is_whatever_prose_calls_it():
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$y = \sum_{\text{a}} \pi x$$ where $\pi$ is the number."
    document = read(text)
    assert document.check() == []
    assert [p.name for p in document["y"].signature.parameters] == ["x"]
