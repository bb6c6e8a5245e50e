"""The norm of a tensor of one axis needs no axes below it; of several axes it is refused."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read
from tests.latex.calling import same

X, Y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 1.0, 1.0])
DECLARED = [
    r"x, y \in \mathbb{R}^{\text{k}}",
    r"\ndef{\kay}{k} x, y \in \mathbb{R}^{\kay}",
]


@pytest.mark.parametrize("declared", DECLARED)
@pytest.mark.parametrize(
    ("body", "written", "wanted"),
    [
        (r"\|x\| + \sum_{\text{k}} y", r"\|x\|", 30.0**0.5 + 6),
        (r"\|x - y\|^2", r"\|x - y\|", 14.0),
        (r"\exp(-\|x - y\|)", r"\|x - y\|", np.exp(-(14.0**0.5))),
    ],
)
def test_a_norm_of_one_axis_is_over_it_and_a_note_says_so(
    declared: str, body: str, written: str, wanted: float
) -> None:
    document = read(rf"$${declared} \\ f(x, y) = {body}$$")
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "meaning")
    assert note.message == rf"{written} names no axes: it is the 2-norm over k"
    assert note.hint == rf"to say so, write {written}_{{\text{{k}}}}"
    same(document["f"](nt.tensor(X, "k"), nt.tensor(Y, "k")), wanted)


def test_the_norm_of_a_row_is_over_what_the_row_has() -> None:
    document = read(
        r"$$Z \in \mathbb{R}^{\text{row}, \text{k}} \\ "
        r"f(Z)_{\text{row}(i)} = \|Z_{\text{row}(i)}\|$$"
    )
    assert [f.code for f in document.check()] == ["meaning"]
    Z = np.stack([X, Y])
    same(document["f"](nt.tensor(Z, "row k")), np.linalg.norm(Z, axis=1), "row")


def test_a_norm_is_lifted_over_axes_that_its_formula_does_not_name() -> None:
    document = read(rf"$${DECLARED[0]} \\ f(x, y) = \|x - y\|$$")
    Z = np.stack([X, Y])
    found = document["f"](nt.tensor(Z, "row k"), nt.tensor(Y, "k"))
    same(found, [14.0**0.5, 0.0], "row")


def test_what_the_hint_writes_has_no_note() -> None:
    document = read(rf"$${DECLARED[0]} \\ f(x, y) = \|x - y\|_{{\text{{k}}}}^2$$")
    assert document.check() == []
    same(document["f"](nt.tensor(X, "k"), nt.tensor(Y, "k")), 14.0)


MATRIX = r"$$Z \in \mathbb{R}^{\text{k}, \text{m}} \\ "


def test_a_norm_of_two_axes_is_refused_with_what_to_write() -> None:
    (fault,) = read(rf"{MATRIX} f(Z) = \|Z\|$$").check()
    assert (fault.severity, fault.code) == ("error", "no-axis")
    assert fault.message == r"\|Z\| acts along axes, and none is named"
    assert fault.hint == r"write its axes below it: \|Z\|_{\text{m}}"
    with pytest.raises(LatexError, match="acts along axes, and none is named"):
        read(rf"{MATRIX} f(Z) = \|Z\|$$")["f"](nt.tensor(np.eye(2), "k m"))


@pytest.mark.parametrize(
    ("body", "wanted", "axes"),
    [
        (r"\|Z\|_{\text{k}, \text{m}}", 30.0**0.5, ()),
        (r"\|Z\|_{\text{m}}", [5.0**0.5, 5.0], ("k",)),
    ],
)
def test_what_the_hint_of_two_axes_writes_runs(body: str, wanted: object, axes: list[str]) -> None:
    document = read(rf"{MATRIX} f(Z) = {body}$$")
    assert document.check() == []
    same(document["f"](nt.tensor(X.reshape(2, 2), "k m")), wanted, *axes)


CODES = r"For $A, B \in \mathbb{R}^{\text{batch}, \text{feat}}$ let "


def test_a_norm_below_a_sum_leaves_the_axis_of_the_sum():
    text = CODES + (
        r"$$s(Y, Z) = \sum_{\text{batch}} \|Y - Z\|_2^2, \qquad d = s(A, B),"
        r" \qquad m = \underset{\text{batch}}{\text{mean}} \|A\|.$$"
    )
    document = read(text)
    assert [f.code for f in document.check() if f.severity != "note"] == []
    assert str(document["s"]) == "s(Y: R[batch, feat], Z: R[batch, feat]) -> R"
    X = nt.tensor(np.arange(6.0).reshape(2, 3), "batch", "feat")
    np.testing.assert_allclose(document["d"](X, -X).numpy(), 4 * 55)
    np.testing.assert_allclose(document["m"](X).numpy(), (5**0.5 + 50**0.5) / 2)


def test_a_norm_of_an_argument_is_over_its_own_axes_in_calls_too():
    text = CODES + (
        r"$w \in \mathbb{R}^{\text{feat}}$, "
        r"$$f(x) = w \underset{\text{feat}}{\cdot} x - \|x\|^2, \qquad y = f(A).$$"
    )
    document = read(text)
    assert [f.code for f in document.check() if f.severity != "note"] == []
    X = nt.tensor(np.arange(6.0).reshape(2, 3), "batch", "feat")
    found = document["y"](A=X, w=nt.tensor(np.ones(3), "feat"))
    np.testing.assert_allclose(found.numpy("batch"), [3 - 5, 12 - 50])


def test_a_bound_on_the_norm_of_a_matrix_is_noted_and_no_fault():
    text = r"""Let $W \in \mathbb{R}^{\text{a}, \text{b}}$. If $\|W\|_2 < 1$ in the spectral
norm, all is well.
$$Y = \sum_{\text{a}} W$$"""
    (note,) = read(text).check()
    assert (note.severity, note.code) == ("note", "no-axis")
    for other in (r"\|W\| < 1", r"\|W\|_1 \le 1", r"\|W\|_2 = 1"):
        found = read(text.replace(r"\|W\|_2 < 1", other)).check()
        assert [f.severity for f in found if f.code == "no-axis"] == ["error"]


def test_the_frobenius_norm_takes_nothing_of_a_letter_f():
    document = read(
        r"Let $W \in \mathbb{R}^{\text{a}, \text{b}}$ and $x \in \mathbb{R}^{\text{a}}$. "
        r"$$F = \sum_{\text{a}} x, \qquad e = \|W\|_F$$"
    )
    W = np.array([[3.0, 0.0], [0.0, 4.0]])
    assert document["e"](W=nt.tensor(W, "a b")) == 5.0


@pytest.mark.parametrize("inside", ["X", "X - Y", r"X_1 + X"])
def test_the_frobenius_norm_of_a_tensor_is_over_all_its_axes(inside):
    document = read(
        r"Let $X, Y, X_1 \in \mathbb{R}^{\text{a}, \text{b}, \text{c}}$. "
        rf"$$e = \|{inside}\|_F$$"
    )
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "no-axis")
    ones = {p.name: nt.ones("a[2] b[2] c[4]") for p in document["e"].signature.parameters}
    assert float(document["e"](**ones)) == {"X": 4, "X - Y": 0, "X_1 + X": 8}[inside]


@pytest.mark.parametrize(
    "said",
    [
        r"Here $\|\cdot\|$ denotes the Frobenius norm. ",
        r"where $\left\lVert\cdot\right\rVert$ is the Frobenius norm. ",
        "(All norms are Frobenius norms, over all the axes that a matrix has.) ",
    ],
)
def test_norms_that_the_text_says_are_frobenius_norms(said: str) -> None:
    text = (
        said + CODES + r"$$J = \|A - B\|^2, \qquad m = \underset{\text{batch}}{\text{mean}} \|A\|$$"
    )
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    A = nt.tensor(np.arange(6.0).reshape(2, 3), "batch", "feat")
    np.testing.assert_allclose(document["J"](A, -A).numpy(), 4 * 55)
    np.testing.assert_allclose(document["m"](A).numpy(), (5**0.5 + 50**0.5) / 2)


def test_one_frobenius_norm_says_nothing_of_others() -> None:
    text = r"The Frobenius norm is $\|A\|_F$. " + CODES + r"$$J = \|A - B\|^2$$"
    assert [f.code for f in read(text).check() if f.severity == "error"] == ["no-axis"]
