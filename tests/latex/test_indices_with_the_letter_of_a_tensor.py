r"""In 1[e = e_t] one letter is an index and a tensor; in F_e(x) it is an index whatever it is elsewhere."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import same

rng = np.random.default_rng(5)
G, V = rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
GIVEN = {"G": tensor(G, "tok", "expert"), "V": tensor(V, "expert", "emb")}
HEAD = r"""# Routing
Let $G \in \mathbb{R}^{\text{tok}:T, \text{expert}:E}$ and $V \in \mathbb{R}^{\text{expert}:E, \text{emb}}$.
"""
SERIES = r"The choice of token $t$ is $e_t = \underset{\text{expert}}{\text{argmax}}\, G_{\text{tok}(t)}$."
WHOLE = r"$$e = \underset{\text{expert}}{\text{argmax}}\, G$$"
best = G.argmax(1)
hot = np.eye(4)[best]


def silent(text):
    return not [f for f in read(text).check() if f.severity != "note"]


@pytest.mark.parametrize("said", [SERIES, WHOLE])
@pytest.mark.parametrize(
    ("formula", "wanted", "axes"),
    [
        (
            r"f_{\text{tok}(t), \text{expert}(e)} = "
            r"\begin{cases} 1 & \text{if } e = e_t \\ 0 & \text{otherwise} \end{cases}",
            hot,
            "tok expert",
        ),
        (
            r"f_{\text{tok}(t)} = \sum_{e=1}^E \mathbb{1}[e = e_t] V_{\text{expert}(e)}",
            V[best],
            "tok emb",
        ),
        (
            r"f_{\text{expert}(e)} = \frac{1}{T} \sum_{t=1}^T \mathbb{1}[e_t = e]",
            hot.mean(0),
            "expert",
        ),
    ],
)
def test_an_index_may_have_the_letter_of_a_tensor_whose_elements_stand_beside_it(
    said, formula, wanted, axes
):
    text = f"{HEAD}{said}\n$${formula}$$"
    assert silent(text)
    given = {name: GIVEN[name] for name in ("G", "V") if name == "G" or "V_" in formula}
    same(read(text)["f"](**given), wanted, *axes.split())


def test_a_wrong_axis_beside_such_an_index_is_found():
    text = (
        HEAD
        + SERIES
        + r"$$f_{\text{expert}(e)} = \sum_{t=1}^T \sum_{\text{emb}} \mathbb{1}[e_t = e]$$"
    )
    assert not silent(text)


@pytest.mark.parametrize("said", [SERIES, WHOLE])
def test_the_index_of_a_family_is_no_letter_of_another_section(said):
    text = rf"""{HEAD}
## Experts
$$F_e(x) = x \odot V_{{\text{{expert}}(e)}}$$
where $x \in \mathbb{{R}}^{{\text{{emb}}}}$.
$$\text{{MoE}}(x) = \sum_{{e=1}}^E F_e(x)$$
## Choices
{said}"""
    assert silent(text)
    x = rng.normal(size=3)
    given = {"x": tensor(x, "emb"), "V": GIVEN["V"]}
    same(read(text)[r"\text{MoE}"](**given), x * V.sum(0), "emb")


@pytest.mark.parametrize(
    "said",
    [
        r"where $y_{\text{tok}(t)} = y_t$.",
        r"with $y_t = y_{\text{tok}(t)}$",
        r"$$y_t = y_{\text{tok}(t)}$$",
    ],
)
def test_how_elements_are_written_short_is_a_remark(said):
    text = rf"""{HEAD}
$$h_t = \tfrac12 h_{{t-1}} + G_{{\text{{tok}}(t)}}, \qquad y_t = 2 h_t$$
with $h_0 = 0$. Then
$$o = V \underset{{\text{{expert}}}}{{\cdot}} y$$
{said}"""
    assert silent(text)
    h, found = np.zeros(4), []
    for row in G:
        h = h / 2 + row
        found.append(2 * h @ V)
    same(read(text)["o"](**GIVEN), np.stack(found), "tok", "emb")


@pytest.mark.parametrize(
    "display",
    [
        r"$$s_{\text{tok}(t)} = 2 t_0 t$$ for $t = 1, \ldots, T - 1$",
        r"$$s_{\text{tok}(t)} = 2 t_0 t, \quad t = 1, \ldots, T - 1$$",
        r"For $t = 1, \ldots, T - 1$, $$s_{\text{tok}(t)} = 2 t_0 t$$",
    ],
)
def test_an_index_keeps_its_range_where_its_letter_has_a_mark_too(display):
    text = (
        rf"{HEAD}Let $t_0 \in \mathbb{{R}}$. {display} $$f = \sum_{{t=1}}^T G_{{\text{{tok}}(t)}}$$"
    )
    assert silent(text)
    found = read(text).bind(T=5)["s"](t_0=3.0)
    same(found, 6.0 * np.arange(1, 5), "tok")
