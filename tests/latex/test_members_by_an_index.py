r"""Sums and the like over members of a family, \sum_{e=1}^E F_e(x), whose number is the size of an axis."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(1)
W, x, g = rng.normal(size=(3, 4, 2)), rng.normal(size=4), rng.normal(size=3)
F = np.einsum("emh,m->eh", W, x)
GIVEN = {
    "x": tensor(x, "emb"),
    "W": tensor(W, "expert", "emb", "hid"),
    "g": tensor(g, "expert"),
    "z": tensor(x, "emb"),
}
HEAD = (
    r"Let $W \in \mathbb{R}^{\text{expert}:E \times \text{emb} \times \text{hid}}$, "
    r"$g \in \mathbb{R}^{\text{expert}}$ and $x, z \in \mathbb{R}^{\text{emb}}$. "
)
OPEN = r"$$F_e(x) = W_{\text{expert}(e)} \underset{\text{emb}}{\cdot} x$$ "
RANGE = OPEN.replace("x$$ ", r"x, \qquad e = 1, \ldots, E$$ ")


@pytest.mark.parametrize("numbers", [{}, {"E": 3}])
@pytest.mark.parametrize("family", [OPEN, RANGE])
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"\sum_{e=1}^{E} F_e(x)", F.sum(0)),
        (r"\sum_{e=1}^{3} F_e(x)", F.sum(0)),
        (r"\sum_{j=1}^{E} F_j(x)", F.sum(0)),
        (r"\sum_{e=1}^{|\text{expert}|} F_e(x)", F.sum(0)),
        (r"\sum_{e \in [E]} F_e(x)", F.sum(0)),
        (r"\sum_{1 \le e \le E} F_e(x)", F.sum(0)),
        (r"\sum_{e} F_e(x)", F.sum(0)),
        (r"\sum_{e \neq 2} F_e(x)", F[[0, 2]].sum(0)),
        (r"\sum_{e=2}^{E} F_e(x)", F[1:].sum(0)),
        (r"\sum_{e=1}^{E-1} F_{e+1}(x)", F[1:].sum(0)),
        (r"\frac{1}{E} \sum_{e=1}^{E} F_e(x)", F.mean(0)),
        (r"\sum_{e=1}^{E} g_{\text{expert}(e)} F_e(x)", g @ F),
        (r"\sum_{e=1}^{E} e F_e(x)", np.array([1, 2, 3]) @ F),
        (r"\prod_{e=1}^{E} F_e(x)", F.prod(0)),
        (r"\max_{e \in \{1, \ldots, E\}} F_e(x)", F.max(0)),
        (r"\sum_{e=1}^{E} \sum_{j=1}^{E} F_e(x) \odot F_j(x)", F.sum(0) ** 2),
        (r"\sum_{e=1}^{E} \sum_{j=1}^{e} F_e(x) \odot F_j(x)", (F * F.cumsum(0)).sum(0)),
    ],
)
def test_members_are_chosen_by_an_index(family, body, wanted, numbers):
    same(called(rf"{HEAD}{family}$$y = {body}$$", "y", GIVEN, numbers), wanted, "hid")
    same(
        called(rf"{HEAD}{family}$$M(z) = {body.replace('x)', 'z)')}$$", "M", GIVEN, numbers),
        wanted,
        "hid",
    )


@pytest.mark.parametrize(
    ("family", "wanted"),
    [
        (
            r"F_e(x) = h_e^2 + 1, \qquad h_e = W_{\text{expert}(e)} \underset{\text{emb}}{\cdot} x",
            F**2 + 1,
        ),
        (
            r"F_e(x) = N(W_{\text{expert}(e)} \underset{\text{emb}}{\cdot} x)",
            F - F.mean(1, keepdims=True),
        ),
        (
            r"F_e(x) = e \odot \underset{\text{hid}}{\mathrm{softmax}}\, (W_{\text{expert}(e)} "
            r"\underset{\text{emb}}{\cdot} x)",
            np.exp(F) / np.exp(F).sum(1, keepdims=True) * np.array([[1], [2], [3]]),
        ),
    ],
)
def test_the_body_of_a_family_is_any(family, wanted):
    mean = r"\underset{\text{hid}}{\mathrm{mean}}\, u"
    centred = rf"For $u \in \mathbb{{R}}^{{\text{{hid}}}}$ let $$N(u) = u - {mean}$$"
    text = rf"{HEAD}{centred} and $${family}$$ $$y = \sum_{{e=1}}^{{E}} F_e(x)$$"
    same(called(text, "y", GIVEN), wanted.sum(0), "hid")


def test_members_of_a_recurrence_are_chosen():
    text = HEAD + (
        r"Let $h_0 = 0$ and for $e = 1, \ldots, E$ "
        r"$$h_e = \tanh(h_{e-1} + W_{\text{expert}(e)} \underset{\text{emb}}{\cdot} x)$$ "
        r"$$G_e(u) = u \odot h_e$$ $$y = \sum_{e=1}^{E} G_e(2)$$"
    )
    h, wanted = np.zeros(2), np.zeros(2)
    for row in F:
        h = np.tanh(h + row)
        wanted = wanted + 2 * h
    same(called(text, "y", GIVEN), wanted, "hid")


@pytest.mark.parametrize("family", ["F_e(x) = W^e", "F_e = W^e", "F^e(x; W^e) = W^e"])
def test_declared_families_are_stacked(family):
    declared = (
        r"Let $W^e \in \mathbb{R}^{\text{emb} \times \text{hid}}$ for $e = 1, \ldots, E$ and "
        r"$x \in \mathbb{R}^{\text{emb}}$. "
    )
    member = family.split("=")[0]
    text = rf"{declared}$${family} \underset{{\text{{emb}}}}{{\cdot}} x$$ $$y = \sum_{{e=1}}^{{E}} {member}$$"
    document = read(text)
    assert document.check() == []
    found = document["y"](x=GIVEN["x"], W=tensor(W, "e", "emb", "hid"))
    same(found, F.sum(0), "hid")


COPIES = (
    r"Let $W \in \mathbb{R}^{\text{emb} \times \text{hid}}$, $g \in \mathbb{R}^{\text{expert}:E}$ and "
    r"$x \in \mathbb{R}^{\text{emb}}$. $$F(x; W) = W \underset{\text{emb}}{\cdot} x$$ "
    r"$$y = \sum_{e=1}^{E} g_{\text{expert}(e)} F^e(x)$$"
)


def test_copies_of_a_function_have_parameters_of_their_own():
    """F^1, F^2 and F^3 once had the parameters of one."""
    given = {f"F{n + 1}": {"W": tensor(W[n], "emb", "hid")} for n in range(3)}
    found = read(COPIES).bind(E=3)["y"](g=GIVEN["g"], x=GIVEN["x"], **given)
    same(found, g @ F, "hid")


def test_copies_of_a_function_need_their_number():
    document = read(COPIES)
    with pytest.raises(
        Exception, match=r'y needs a number for E(.|\n)*document.bind\(E=2\)\["y"\]'
    ):
        document["y"]


def test_a_sum_over_a_family_is_printed_as_a_contraction():
    document = read(rf"{HEAD}{RANGE}$$y = \sum_{{e=1}}^{{E}} g_{{\text{{expert}}(e)}} F_e(x)$$")
    assert r"g \ndot{\name{expert}} (W \ndot{\name{emb}} x)" in document["y"].latex()


V = r"Let $V_1 \in \mathbb{R}^{\text{expert}:E \times \text{emb}}$ and $x \in \mathbb{R}^{\text{emb}}$. "
V1 = rng.normal(size=(3, 4))
GIVEN |= {"V_1": tensor(V1, "expert", "emb"), "W_1": GIVEN["W"], "W_Q": GIVEN["W"]}


@pytest.mark.parametrize(
    "member",
    [
        r"W_{1, \text{expert}(e)}",
        r"W_{\text{expert}(e), 1}",
        r"W_{1; \text{expert}(e)}",
        r"W_{1, \text{expert}:e}",
        r"(W_1)_{\text{expert}(e)}",
        r"W_{Q, \text{expert}(e)}",
    ],
)
def test_a_script_holds_a_part_of_the_name_and_indices(member):
    name = "W_Q" if "Q" in member else "W_1"
    head = HEAD.replace("$W ", f"${name} ")
    family = rf"$$F_e(x) = {member} \underset{{\text{{emb}}}}{{\cdot}} x$$ "
    same(called(rf"{head}{family}$$y = \sum_{{e=1}}^E F_e(x)$$", "y", GIVEN), F.sum(0), "hid")
    element = rf"$$F_{{\text{{expert}}(e)}} = {member} \underset{{\text{{emb}}}}{{\cdot}} x$$ "
    same(called(head + element, "F", GIVEN), F, "expert", "hid")


@pytest.mark.parametrize(
    ("body", "wanted", "axes"),
    [
        (r"V_{1, \text{expert}(2), \text{emb}(3)}", V1[1, 2], ()),
        (r"V_{1, \text{expert}(2)}^2", V1[1] ** 2, ("emb",)),
        (r"V_{1, \text{expert} \to \text{head}}", V1, ("head", "emb")),
        (r"V_{1, (\text{expert}, \text{emb}) \to \text{all}}", V1.ravel(), ("all",)),
    ],
)
def test_scripts_with_a_part_of_the_name(body, wanted, axes):
    same(called(f"{V}$$y = {body}$$", "y", GIVEN), wanted, *axes)


def test_a_script_defines_an_element():
    said = r"$$U_{1, \text{expert}(e)} = 2 V_{1, \text{expert}(e)}$$ "
    text = rf"{V}{said}$$y = U_1 \underset{{\text{{emb}}}}{{\cdot}} x$$"
    same(called(text, "y", GIVEN), 2 * V1 @ x, "expert")


@pytest.mark.parametrize("delta", [r"\delta_{ij}", r"\delta_{i,j}", r"\delta_{ji}", "[i = j]"])
@pytest.mark.parametrize("name", ["F^i", "F_i"])
def test_the_index_of_a_family_may_stand_below_a_delta(delta, name):
    text = (
        r"For $s \in \mathbb{R}^{\text{site}:N}$ let "
        r"$$e(s) = \sum_{i=1}^{N} i \sum_{\text{site}} NAME(s) \odot NAME(s) \odot s$$"
        r" where $NAME(s)_{\text{site}(j)} = (1 - 3 DELTA) s_{\text{site}(j)}$"
    )
    document = read(text.replace("DELTA", delta).replace("NAME", name))
    assert document.check() == []
    s = np.array([1.0, 2.0, -1.0])
    wanted = sum((i + 1) * (((1 - 3 * (np.arange(3) == i)) * s) ** 2 * s).sum() for i in range(3))
    assert abs(float(document["e"](s=tensor(s, "site"))) - wanted) < 1e-9
