r"""A matrix, and a column c = (1, 2, 3), has the axes of the space in which it is stated to be."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

rng = np.random.default_rng(1)
P, t = rng.normal(size=(4, 3)), rng.normal(size=5)
c = np.array([0.3, 0.6, 0.1])
GIVEN = {"P": tensor(P, "row", "rgb"), "t": tensor(t, "link"), "alpha": tensor(t, "link")}
HEAD = r"Let $P \in \mathbb{R}^{\text{row}:n, \text{rgb}:3}$ and $t \in \mathbb{R}^{\text{link}}$. "
LUMA = r"I = P \underset{\text{rgb}}{\cdot} c"
SPACE = r"\mathbb{R}^{\text{rgb}:3}"
TURN = r"\begin{pmatrix} \cos A & -\sin A \\ \sin A & \cos A \end{pmatrix}"
PLANE = r"\mathbb{R}^{\text{xy}:2, \text{xy}':2}"


@pytest.mark.parametrize(
    "text",
    [
        rf"$${LUMA}, \quad c = (0.3, 0.6, 0.1)$$",
        rf"$${LUMA}$$ with $c = (0.3, 0.6, 0.1)$.",
        rf"$${LUMA}$$".replace(" c", " (0.3, 0.6, 0.1)"),
        rf"$${LUMA}$$".replace(" c", r" \begin{pmatrix} 0.3 \\ 0.6 \\ 0.1 \end{pmatrix}"),
        rf"$${LUMA}, \quad c = (0.3, 0.6, 0.1)^\top$$",
        rf"$${LUMA}, \quad c = (0.3, 0.6, 0.1) \in {SPACE}$$",
        rf"With $c \in {SPACE}$, $$c = (0.3, 0.6, 0.1), \quad {LUMA}$$",
        rf"With $c \in {SPACE}$, $$c = \begin{{pmatrix}} 0.3 \\ 0.6 \\ 0.1 \end{{pmatrix}}, \quad {LUMA}$$",
        rf"With $c \in {SPACE}$, $$c = [0.3 \; 0.6 \; 0.1]^\top$$ $${LUMA}$$".replace(
            r"[0.3 \; 0.6 \; 0.1]", r"\begin{bmatrix} 0.3 & 0.6 & 0.1 \end{bmatrix}"
        ),
        r"$$I = \sum_{k=1}^3 P_{\text{rgb}(k)} c_{\text{rgb}(k)}, \quad c = (0.3, 0.6, 0.1)$$",
    ],
)
def test_a_column_has_the_axis_that_is_declared_or_along_which_it_is_used(text):
    same(called(HEAD + text, "I", GIVEN), P @ c, "row")


def test_a_column_that_does_not_fit_is_an_error():
    (found,) = read(rf"{HEAD}$${LUMA}, \quad c = (0.3, 0.6)$$").check()
    assert found.code == "axis-size"
    (found,) = read(
        rf"{HEAD}With $c \in {SPACE}$, $$c = (1, 2, 3), I = P \odot c_{{\text{{row}}(1)}}$$"
    ).check()
    assert found.code == "axis-missing"


def test_what_is_listed_without_an_axis_is_several_results():
    document = read(rf"{HEAD}$$f(t) = (t, 2t), \quad Y = (P, 2P)$$ $$(u, v) = f(t)$$")
    both = document["Y"](P=GIVEN["P"])
    same(both[1], 2 * P, "row", "rgb")
    same(document["v"](t=GIVEN["t"]), 2 * t, "link")


def turned(angle: np.ndarray) -> np.ndarray:
    rows = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return np.moveaxis(np.array(rows), -1, 0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (rf"$$R(\alpha) = {TURN} \in {PLANE}$$".replace("A", r"\alpha"), "R"),
        (
            rf"$R \colon \mathbb{{R}} \to {PLANE}$ is $$R(\alpha) = {TURN}$$".replace(
                "A", r"\alpha"
            ),
            "R",
        ),
        (rf"$$R_i = {TURN} \in {PLANE}$$".replace("A", r"t_{\text{link}(i)}"), "R"),
        (
            rf"Write $t_i$ for $t_{{\text{{link}}(i)}}$. $$R_i = {TURN} \in {PLANE}$$".replace(
                "A", "t_i"
            ),
            "R",
        ),
    ],
)
def test_a_matrix_may_be_the_value_of_a_function_or_of_each_member(text, name):
    document = read(HEAD + text)
    assert [f for f in document.check() if f.code != "meaning"] == []
    formula = document[name]
    found = formula(**{p.name: GIVEN[p.name] for p in formula.signature.parameters})
    same(found, turned(t), "link", "xy", "xy'")


def test_a_matrix_without_axes_is_set_aside():
    document = read(rf"{HEAD}$$R = {TURN}$$".replace("A", "2"))
    with pytest.raises(LatexError, match="its axes have no names"):
        document["R"]


@pytest.mark.parametrize(
    "said",
    [
        r"where $T_0 = I$ is the identity in SPACE.",
        r"where $T_0 = I$, and $I$ is the identity matrix in SPACE.",
        r"where $I \in SPACE$ is the identity and $T_0 = I$.".replace("$SPACE$", "SPACE"),
    ],
)
def test_poses_are_products_of_matrices_from_the_identity_on(said):
    said = said.replace(r"\in SPACE$", rf"\in {PLANE}$").replace("SPACE", f"${PLANE}$")
    step = r"[T_{i-1} \underset{\text{xy}'}{\cdot} N]_{\text{z} \to \text{xy}'}".replace(
        "N", r"[R_i]_{\text{xy} \to \text{xy}', \text{xy}' \to \text{z}}"
    )
    text = rf"{HEAD}$$R_i = {TURN} \in {PLANE}$$ $$T_i = {step}$$ {said}"
    document = read(text.replace("A", r"t_{\text{link}(i)}"))
    assert document.check() == []
    same(document["T"](t=GIVEN["t"]), turned(np.cumsum(t)), "link", "xy", "xy'")
