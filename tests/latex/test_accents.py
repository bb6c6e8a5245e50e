"""Letters in a dress are names of their own; an accent over an expression is said, and never dropped."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

HEAD = r"Let $X \in \mathbb{R}^{\text{s}:N}$. "
X = np.array([1.0, 4.0, 9.0, 16.0])
ACCENTS = ["bar", "overline", "hat", "widehat", "tilde", "vec", "dot"]


@pytest.mark.parametrize("accent", ACCENTS)
def test_a_letter_with_an_accent_is_another_one(accent):
    worn = rf"\{accent}{{X}}"
    text = HEAD + rf"$${worn} = \frac{{1}}{{N}} \sum_{{\text{{s}}}} X$$ $$Y = X - {worn}$$"
    same(called(text, "Y", {"X": nt.tensor(X, "s")}), X - X.mean(), "s")


@pytest.mark.parametrize("accent", ACCENTS)
def test_one_that_nothing_defines_is_not_the_plain_letter(accent):
    document = read(HEAD + rf"$$Y = \{accent}{{X}} + X$$")
    (finding,) = document.check()
    assert "is neither declared nor defined" in str(finding)
    with pytest.raises(LatexError, match=r"neither declared nor defined|not defined here"):
        document["Y"](X=nt.tensor(X, "s"))


def test_overline_and_bar_are_one_accent():
    text = HEAD + r"$$\bar{X} = X + 1$$ $$Y = \overline{X} \odot X$$"
    same(called(text, "Y", {"X": nt.tensor(X, "s")}), (X + 1) * X, "s")


@pytest.mark.parametrize("left", [r"\hat{X}_2", r"\hat{X_2}", r"\hat X_2"])
@pytest.mark.parametrize("right", [r"\hat{X}_2", r"\hat{X_2}"])
def test_scripts_inside_of_an_accent_stand_behind_it(left, right):
    text = HEAD + rf"$${left} = X + 1$$ $$Y = {right} \odot X$$"
    same(called(text, "Y", {"X": nt.tensor(X, "s")}), (X + 1) * X, "s")


@pytest.mark.parametrize("accent", ACCENTS)
@pytest.mark.parametrize("inner", ["X + X", r"f(X)", r"X \odot X", "(X)"])
def test_an_accent_over_an_expression_is_said(accent, inner):
    (finding,) = read(HEAD + rf"$$Y = \{accent}{{{inner}}} + 1$$").check()
    assert f"\\{accent} stands over more than a letter" in str(finding)
    assert f"as in \\{accent}{{X}} = ..." in str(finding)


@pytest.mark.parametrize("font", ["mathbf", "boldsymbol", "mathcal"])
def test_a_font_over_an_expression_says_nothing(font):
    text = HEAD + rf"$$Y = \{font}{{X + X}}$$"
    same(called(text, "Y", {"X": nt.tensor(X, "s")}), 2 * X, "s")


def test_in_words_alone_an_accent_over_a_set_is_no_finding():
    assert not list(read(r"Here $\overline{A \cup B}$ is what neither has.").check())
