r"""F_{e_t}(x) is the member of the family F_e(x) = ... that a computed index, or one in data, chooses."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import same

rng = np.random.default_rng(3)
X, G, U = rng.normal(size=(5, 3)), rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
GIVEN = {
    "X": tensor(X, "tok", "emb"),
    "G": tensor(G, "tok", "expert"),
    "U": tensor(U, "expert", "emb"),
}
best, least = G.argmax(1), G.argmin(1)
HEAD = r"""Let $X \in \mathbb{R}^{\text{tok}:T, \text{emb}}$,
$G \in \mathbb{R}^{\text{tok}:T, \text{expert}:E}$ and
$U \in \mathbb{R}^{\text{expert}:E, \text{emb}}$. For $x \in \mathbb{R}^{\text{emb}}$ let
$$F_e(x) = x \odot U_{\text{expert}(e)} + 1.$$
"""
CHOICES = r"""Choices are $e_t = \underset{\text{expert}}{\text{argmax}}\, G_{\text{tok}(t)}$ and
$s_t = \underset{\text{expert}}{\text{argmin}}\, G_{\text{tok}(t)}$.
"""
ALL = r"Y_{\text{tok}(t)} = "
AT = r"(X_{\text{tok}(t)})"


def member(e, x):
    return x * U[e] + 1


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (rf"F_{{e_t}}{AT}", member(best, X)),
        (rf"2 F_{{e_t}}{AT} - F_{{s_t}}{AT}", 2 * member(best, X) - member(least, X)),
        (rf"F_{{e_t}}(F_{{s_t}}{AT})", member(best, member(least, X))),
        (
            rf"G_{{\text{{tok}}(t), \text{{expert}}(e_t)}} F_{{e_t}}{AT}",
            G.max(1)[:, None] * member(best, X),
        ),
    ],
)
def test_a_computed_index_chooses_the_member_of_a_family(body, wanted):
    document = read(f"{HEAD}{CHOICES}$${ALL}{body}$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document["Y"](**GIVEN), wanted, "tok", "emb")


def test_an_index_in_data_chooses_the_member_of_a_family():
    text = (
        HEAD + r"Let $k \in [E]^{\text{tok}:T}$. $$" + ALL + rf"F_{{k_{{\text{{tok}}(t)}}}}{AT}$$"
    )
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    given = {"X": GIVEN["X"], "U": GIVEN["U"], "k": tensor(best, "tok")}
    same(document["Y"](**given), member(best, X), "tok", "emb")


@pytest.mark.parametrize(
    "wrong",
    [
        r"F_{e_t}(X_{\text{tok}(t)} \underset{\text{tok}}{\cdot} X)",
        r"F_{e_t}(G_{\text{tok}(t)})",
        rf"F_{{r_t}}{AT}",
    ],
)
def test_a_fault_in_such_a_call_is_found(wrong):
    assert [f for f in read(f"{HEAD}{CHOICES}$${ALL}{wrong}$$").check() if f.severity == "error"]


@pytest.mark.parametrize("j", ["i", "j", "e"])
def test_a_sum_in_an_argument_may_have_the_letter_of_the_sum_around_it(j):
    inner = rf"\sum_{{{j}=1}}^E {j} F_{j}(X)"
    document = read(rf"{HEAD}$$Y = \sum_{{i=1}}^E i F_i({inner})$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    numbers = [(e + 1, e) for e in range(4)]
    within = sum(n * member(e, X) for n, e in numbers)
    wanted = sum(n * member(e, within) for n, e in numbers)
    same(document["Y"](X=GIVEN["X"], U=GIVEN["U"]), wanted, "tok", "emb")


@pytest.mark.parametrize(
    ("formula", "wanted", "axes"),
    [
        (
            r"Y_{\text{expert}(e)} = F_e(X)",
            member(slice(None), X[:, None]),
            "tok expert emb",
        ),
        (
            r"Y_{\text{expert}(k)} = 2 F_k(X) \odot U_{\text{expert}(k)}",
            2 * member(slice(None), X[:, None]) * U,
            "tok expert emb",
        ),
        (
            r"Y_{\text{tok}(t), \text{expert}(k)} = k F_k(X_{\text{tok}(t)})",
            np.arange(1, 5)[:, None] * member(slice(None), X[:, None]),
            "tok expert emb",
        ),
    ],
)
def test_the_index_of_elements_chooses_the_member_of_a_family(formula, wanted, axes):
    document = read(f"{HEAD}$${formula}$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document["Y"](X=GIVEN["X"], U=GIVEN["U"]), wanted, *axes.split())
