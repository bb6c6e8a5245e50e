"""Series that need each other step by step, one of them by an index of an axis too: boosting."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from namedtensor.latex.documents.failures import LatexError

RNG = np.random.default_rng(3)
Y, H = RNG.choice([-1.0, 1.0], 6), RNG.normal(size=(4, 6))
TEXT = r"""Let $y \in \mathbb{R}^{\text{pt}:n}$ and $h \in \mathbb{R}^{\text{round}:M \times \text{pt}}$.
For $m = 1, \dots, M$,

$$w^{(1)} = y$$

$$a_m = \sum_{i=1}^n w^{(m)}_{\text{pt}(i)}
\mathbf{1}\{ h_{\text{round}(m), \text{pt}(i)} \neq y_{\text{pt}(i)} \}$$

$$w^{(m+1)} = w^{(m)} + a_m h_{\text{round}(m)}$$
""".replace("neq", "ge")


def test_what_indexes_an_axis_may_follow_step_by_step() -> None:
    w, a = Y, []
    for h in H:
        a.append((w * (h >= Y)).sum())
        w = w + a[-1] * h
    found = read(TEXT)["a"](y=tensor(Y, "pt"), h=tensor(H, "round", "pt"))
    assert np.allclose(found.numpy("m"), a)


def test_a_sum_over_members_that_need_the_first_of_another_series_is_written_out() -> None:
    total = read(TEXT + r"$$F = \sum_{m=1}^M a_m h_{\text{round}(m)}$$")["F"]
    w, F = Y, np.zeros(6)
    for h in H:
        a = (w * (h >= Y)).sum()
        w, F = w + a * h, F + a * h
    assert np.allclose(total(y=tensor(Y, "pt"), h=tensor(H, "round", "pt")).numpy("pt"), F)


@pytest.mark.parametrize("picked", [r"[a_t]_{\text{gate}:1}", r"\sum_{\text{gate}} a_t"])
@pytest.mark.parametrize("start", ["$s_0 = 0$", "$c_0 = s_0 = 0$"])
def test_a_series_has_the_axes_of_what_it_is_made_of_though_its_rule_acts_along_none(picked, start):
    cell = r"c_t &= c_{t-1} + i_t \\ s_t &= \tanh c_t" if "c_0" in start else r"s_t &= \tanh i_t"
    text = rf"""Let $X \in \mathbb{{R}}^{{\text{{time}}:T, \text{{emb}}}}$,
$A \in \mathbb{{R}}^{{\text{{emb}}, \text{{gate}}:2, \text{{hid}}:k}}$,
$B \in \mathbb{{R}}^{{\text{{hid}}':k, \text{{gate}}:2, \text{{hid}}:k}}$ and {start}.
$$\begin{{aligned}}
a_t &= A \underset{{\text{{emb}}}}{{\cdot}} X_{{\text{{time}}:t}}
+ B \underset{{\text{{hid}}'}}{{\cdot}} [s_{{t-1}}]_{{\text{{hid}} \to \text{{hid}}'}} \\
i_t &= \sigma( {picked} ) \\
{cell}
\end{{aligned}}$$"""
    assert read(text).check() == []
    wrong = text.replace(picked, picked.replace("gate", "emb"))
    assert [f.code for f in read(wrong).check()] == ["axis-missing"]


def test_elements_that_follow_along_two_axes_are_set_aside_with_a_note_that_says_so():
    text = r"""Let $x \in \mathbb{R}^{\text{row}:n}$ and $y \in \mathbb{R}^{\text{col}:m}$.
$$D_{\text{row}(i), \text{col}(j)} = (x_{\text{row}(i)} - y_{\text{col}(j)})^2
+ \min(D_{\text{row}(i-1), \text{col}(j)}, D_{\text{row}(i), \text{col}(j-1)})$$
with $D_{\text{row}(0), \text{col}(0)} = 0$. $$d = \sum_{\text{row}} x$$"""
    document = read(text)
    (found,) = document.check()
    assert found.severity == "note"
    assert "along col and row, and recurrences run along one axis" in found.message
    with pytest.raises(LatexError, match="D is set aside: its elements follow from others"):
        document["D"]
    assert document.names == ("d",)


BACK = r"""Let $x \in \mathbb{R}^{\text{time}:T}$ and $c \in \mathbb{R}$. Forward,

$$p_t = c f_{t-1}, \qquad f_t = p_t + x_{\text{time}(t)}, \qquad f_0 = 0 .$$

Backward from $s_T = f_T$, for $t = T - 1, \dots, 1$,

$$FORMULAS$$
"""


@pytest.mark.parametrize(
    "formulas",
    [
        r"s_t = f_t + g_t (s_{t+1} - p_{t+1}), \qquad g_t = \frac{f_t}{1 + p_{t+1}^2}",
        r"g_t = \frac{f_t}{1 + p_{t+1}^2}, \qquad s_t = f_t + g_t d_t, \qquad d_t = s_{t+1} - p_{t+1}",
        r"s_t = f_t + \frac{f_t}{1 + p_{t+1}^2} (s_{t+1} - p_{t+1})",
    ],
)
def test_a_series_that_goes_back_uses_the_next_element_of_one_that_went_forward(formulas) -> None:
    document, x, c = read(BACK.replace("FORMULAS", formulas)), RNG.normal(size=5), 0.7
    f, p = [0.0], []
    for one in x:
        p.append(c * f[-1])
        f.append(p[-1] + one)
    s = [f[-1]]
    for t in range(3, -1, -1):
        s.append(f[t + 1] + f[t + 1] / (1 + p[t + 1] ** 2) * (s[-1] - p[t + 1]))
    assert [one for one in document.check() if one.severity == "error"] == []
    assert np.allclose(document["s"](x=tensor(x, "time"), c=c).numpy("time"), s[::-1])
