"""A document says itself what norm, var and the like are along any axis: the formula counts, not the word."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

X = np.random.default_rng(3).normal(size=(4, 3))
GIVEN = {"X": tensor(X, "batch", "chan")}
SPACE = r"Let $X \in \mathbb{R}^{\text{batch} \times \text{chan}}$. For an axis ax, "


@pytest.mark.parametrize("taken", ["X", "Z"])
@pytest.mark.parametrize("name", [r"\text{norm}_{\text{ax}}", r"\underset{\text{ax}}{\text{norm}}"])
def test_norm_is_what_the_document_says(taken, name):
    text = (
        SPACE
        + r"""define $$\begin{aligned}
NAME(Z) &= \frac{Z - \mu}{\sqrt{v + \epsilon}} \\
\mu &= \underset{\text{ax}}{\text{mean}}\, Z \\
v &= \underset{\text{ax}}{\text{mean}}\, [(Z - \mu)^2]
\end{aligned}$$ with $\epsilon = 0.1$. Then $$Y = \underset{\text{batch}}{\text{norm}} X$$"""
    )
    text = text.replace("NAME", name).replace("Z", taken)
    same(called(text, "Y", GIVEN), (X - X.mean(0)) / np.sqrt(X.var(0) + 0.1), "batch", "chan")


def test_a_variance_may_be_of_a_sample():
    text = (
        SPACE
        + r"""$$\underset{\text{ax}}{\text{var}} X = \frac{1}{|\text{ax}| - 1} \sum_{\text{ax}}
[(X - \underset{\text{ax}}{\text{mean}} X)^2]$$ so that
$$s = \sqrt{\underset{\text{batch}}{\text{var}} X}, \quad t = \underset{\text{chan}}{\text{var}} X$$"""
    )
    same(called(text, "s", GIVEN), X.std(0, ddof=1), "chan")
    same(called(text, "t", GIVEN), X.var(1, ddof=1), "batch")


@pytest.mark.parametrize(
    "name",
    [
        r"\mathop{\mathrm{LN}}\limits_{\text{AX}}",
        r"\mathop{\text{centred}}_{\text{AX}}",
        r"\underset{\text{AX}}{\text{LN}}",
        r"\mathrm{LN}_{\text{AX}}",
        r"\phi_{\text{AX}}",
    ],
)
def test_a_function_of_the_document_alone(name):
    text = (
        SPACE
        + r"""$$NAME(x) =
\frac{x - \underset{\text{ax}}{\text{mean}} x}{\sqrt{\underset{\text{ax}}{\text{var}} x}}$$
and $$Y = OTHER(X), \quad Z = \underset{\text{chan}}{\text{max}} \, OTHER(X).$$"""
    )
    text = text.replace("NAME", name.replace("AX", "ax")).replace(
        "OTHER", name.replace("AX", "batch")
    )
    wanted = (X - X.mean(0)) / X.std(0)
    same(called(text, "Y", GIVEN), wanted, "batch", "chan")
    same(called(text, "Z", GIVEN), wanted.max(1), "batch")


def test_functions_below_which_their_own_axes_stand_stay_apart():
    text = (
        SPACE
        + r"""$$\text{gather}_{\text{batch}}(x) = \sum_{\text{batch}} x, \quad
\text{gather}_{\text{chan}}(x) = \underset{\text{chan}}{\text{max}} x, \quad
Y = \text{gather}_{\text{chan}}(\text{gather}_{\text{batch}}(X))$$"""
    )
    same(called(text, "Y", GIVEN), X.sum(0).max())


@pytest.mark.parametrize("applied", [r"\text{LN}(X)", r"\operatorname{LN} X", r"\mathrm{LN}(X)"])
def test_layer_normalization_is_no_logarithm(applied):
    (finding,) = read(SPACE + rf"$$Y = {applied}$$").check()
    assert (finding.severity, finding.code) == ("error", "undefined")


BLOCK = np.random.default_rng(4).normal(size=(4, 3, 5))


@pytest.mark.parametrize("given", [BLOCK, np.concatenate([BLOCK, BLOCK])])
def test_a_function_along_an_axis_acts_along_several_as_one(given):
    text = r"""For $X \in \mathbb{R}^{\text{batch} \times \text{chan} \times \text{width}}$ define
$$\text{norm}_{\text{ax}}(X) = \frac{X - \mu}{\sqrt{v}}, \quad
\mu = \underset{\text{ax}}{\text{mean}} X, \quad
v = \frac{1}{|\text{ax}| - 1} \sum_{\text{ax}} [(X - \mu)^2].$$
$$\text{BN}(X) = \underset{\text{batch}, \text{width}}{\text{norm}} X$$"""
    wanted = given - given.mean((0, 2), keepdims=True)
    wanted /= given.std((0, 2), keepdims=True, ddof=1)
    given = {"X": tensor(given, "batch", "chan", "width")}
    same(called(text, "BN", given), wanted, "batch", "chan", "width")


@pytest.mark.parametrize("bracket", ["[X]", r"\left[ X \right]"])
def test_a_function_before_a_renaming_is_of_what_is_renamed(bracket):
    text = rf"""Let $X \in \mathbb{{R}}^{{\text{{batch}} \times \text{{chan}}}}$.
$$Y = \underset{{\text{{b}}}}{{\text{{softmax}}}} {bracket}_{{\text{{batch}} \to \text{{b}}}}$$"""
    same(called(text, "Y", GIVEN), np.exp(X) / np.exp(X).sum(0), "b", "chan")


def test_otimes_multiplies_along_axes_that_both_have_and_a_note_says_so():
    space = r"Let $u, v \in \mathbb{R}^{\text{emb}}$ and $w \in \mathbb{R}^{\text{hid}}$. "
    document = read(space + r"$$y = u \otimes v, \quad z = u \otimes w$$")
    (note,) = document.check()
    assert note.severity == "note"
    assert "element by element along it" in note.message
    u, v, w = np.arange(3.0), np.ones(3) + 1, np.arange(2.0)
    named = {"u": tensor(u, "emb"), "v": tensor(v, "emb")}
    same(document["y"](**named), u * v, "emb")
    same(document["z"](u=named["u"], w=tensor(w, "hid")), np.outer(u, w), "emb", "hid")
