r"""Vectors of ones, \mathbf{1}_{\text{seq}}, and sums over pairs of indices, (u, i) : \Omega_{u, i} = 1."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from tests.latex.calling import called, same

HEAD = (
    r"Let $X \in \mathbb{R}^{\text{seq}:n \times \text{emb}}$ and $w \in \mathbb{R}^{\text{seq}}$. "
)
RNG = np.random.default_rng(0)
X, w = RNG.normal(size=(4, 3)), RNG.normal(size=4)
GIVEN = {"X": nt.tensor(X, "seq", "emb"), "w": nt.tensor(w, "seq")}
ONES = [
    r"\mathbf{1}_{\text{seq}}",
    r"\mathbf 1_{\text{seq}}",
    r"\mathbb{1}_{\text{seq}}",
    r"\boldsymbol{1}_{\text{seq}}",
    r"1_{\text{seq}}",
]


@pytest.mark.parametrize("one", ONES)
def test_ones_need_no_declaration(one):
    dot = r"\underset{\text{seq}}{\cdot}"
    same(called(rf"{HEAD}$$s = {one} {dot} X$$", "s", GIVEN), X.sum(0), "emb")
    same(
        called(rf"{HEAD}$$s = w - \frac{{w {dot} {one}}}{{n}} {one}$$", "s", GIVEN),
        w - w.mean(),
        "seq",
    )


def test_a_centring_matrix_has_the_sizes_of_the_axis_and_its_copy():
    matrix = r"I_{\text{seq}, \text{seq}'} - \frac{1}{n} \mathbf{1}_{\text{seq}} \mathbf{1}_{\text{seq}'}"
    text = rf"{HEAD}$$Y = ({matrix}) \underset{{\text{{seq}}}}{{\cdot}} X$$"
    same(called(text, "Y", GIVEN), X - X.mean(0), "seq'", "emb")


def test_zeros_too():
    same(
        called(rf"{HEAD}$$Y = X + \mathbf{{0}}_{{\text{{seq}}, \text{{emb}}}}$$", "Y", GIVEN),
        X,
        "seq",
        "emb",
    )


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"w \underset{\text{seq}}{\cdot} \mathbf{1}", w.sum()),
        (r"\mathbf 1 \odot_{\text{seq}} w", w.sum()),
        (r"(\mathbf{1} - w) \odot w", (1 - w) * w),
        (r"\max(\mathbf{0}, w)", np.maximum(0, w)),
        (r"\mathbf{1}[w > \mathbf{0}]", w > 0),
        (r"\frac{\mathbf{1}}{\mathbf{1} + e^{-w}}", 1 / (1 + np.exp(-w))),
    ],
)
def test_ones_and_zeros_without_axes_are_those_of_all_elements(body, wanted):
    text = rf"{HEAD}$$s = {body}$$"
    assert not read(text).check()
    same(called(text, "s", GIVEN), wanted, *(["seq"] if np.ndim(wanted) else []))


def test_a_declared_tensor_that_is_zero_has_its_axes():
    text = rf"{HEAD}Let $h \in \mathbb{{R}}^{{\text{{seq}}}}$. $$h = \mathbf{{0}}$$ "
    text += r"$$s = \sum_{\text{seq}} (h + w)$$"
    assert not read(text).check()
    same(called(text, "s", GIVEN), w.sum())


def test_a_declared_one_is_what_is_declared():
    text = (
        rf"Let $\mathbf{{1}} \in \mathbb{{R}}^{{\text{{seq}}}}$. {HEAD}$$s = w \odot \mathbf{{1}}$$"
    )
    found = read(text)["s"]
    (name,) = [p.name for p in found.signature.parameters if p.name != "w"]
    same(found(**{name: 2 * GIVEN["w"], "w": GIVEN["w"]}), 2 * w * w, "seq")


def test_a_condition_below_a_one_is_an_indicator():
    same(
        called(rf"{HEAD}$$s = \mathbf{{1}}_{{w > 0}} \odot w$$", "s", GIVEN),
        np.maximum(w, 0),
        "seq",
    )


@pytest.mark.parametrize("below", ["(t, j) : {}", "t, j : {}", "(t, j) {}"])
def test_sums_over_pairs(below):
    body = r"X_{\text{seq}(t), \text{emb}(j)}^2"
    condition = r"X_{\text{seq}(t), \text{emb}(j)} > 0" if ":" in below else ""
    found = called(rf"{HEAD}$$s = \sum_{{{below.format(condition)}}} {body}$$", "s", GIVEN)
    same(found, (X[X > 0] ** 2).sum() if condition else (X**2).sum())


@pytest.mark.parametrize("unit", [r"\mathbb{I}", r"\mathbf{I}", "I"])
@pytest.mark.parametrize("form", ["2 UNIT - X", "X - 2 UNIT", "UNIT + UNIT - X", r"2 (UNIT) - X"])
def test_an_identity_may_be_blackboard_bold(unit, form):
    body = form.replace("UNIT", unit + r"_{\text{a}, \text{a}'}")
    X = np.arange(4.0).reshape(2, 2)
    text = r"$X \in \mathbb{R}^{\text{a}, \text{a}'}$. $$Y = BODY$$".replace("BODY", body)
    wanted = X - 2 * np.eye(2) if form.startswith("X") else 2 * np.eye(2) - X
    same(called(text, "Y", {"X": nt.tensor(X, "a a'")}), wanted, "a", "a'")


def test_an_identity_is_no_function_of_the_document_that_has_its_letter():
    text = (
        r"$X \in \mathbb{R}^{\text{a}, \text{a}'}$. "
        r"$$I(t) = t + X$$ $$Y = I(X) + \mathbb{I}_{\text{a}, \text{a}'}$$"
    )
    X = np.arange(4.0).reshape(2, 2)
    same(called(text, "Y", {"X": nt.tensor(X, "a a'")}), 2 * X + np.eye(2), "a", "a'")


@pytest.mark.parametrize(
    "said",
    ["where $I$ is the identity.", "with the identity $I$.", "where $I$ is the unit matrix."],
)
def test_an_identity_that_only_prose_names_is_no_number(said):
    text = rf"Let $K \in \mathbb{{R}}^{{\text{{a}}, \text{{a}}'}}$. $$ A = K + 2 I $$ {said}"
    found = read(text)["A"](K=nt.tensor(np.zeros((2, 2)), "a", "a'"))
    np.testing.assert_allclose(found.numpy("a", "a'"), 2 * np.eye(2))
