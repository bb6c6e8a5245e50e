r"""A range that begins a sentence, "For $i = 1, \ldots, n - 1$,", is of the display behind it."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import same

x = np.arange(6.0) ** 2
GIVEN = {"x": tensor(x, "seq")}
HEAD = r"""Let $x \in \mathbb{R}^{\text{seq}:n}$.
$$u_{\text{seq}(i)} = 2 x_{\text{seq}(i)} + 1$$
"""
DISPLAY = r"d_{\text{seq}(i)} = u_{\text{seq}(i+1)} - u_{\text{seq}(i)}"
u = 2 * x + 1


@pytest.mark.parametrize(
    "before",
    [
        r"For $i = 1, \ldots, n-1$,",
        r"For all $i = 1, \ldots, n-1$ we have the differences",
        "\nThen, for $i = 1, 2, \\ldots, n-1$, let",
        r"The differences are, for $i = 1, \dots, n-1$,",
        r"Differences have one element less: for each $i = 1, \ldots, n-1$ they are",
    ],
)
@pytest.mark.parametrize("short", [False, True])
def test_a_range_before_a_display_is_its_own(before, short):
    display = DISPLAY.replace(r"u_{\text{seq}(i+1)} - u_{\text{seq}(i)}", "u_{i+1} - u_i")
    document = read(f"{HEAD}{before}\n$${display if short else DISPLAY}$$")
    assert [f for f in document.check() if f.code != "meaning"] == []
    same(document["u"](**GIVEN), u, "seq")
    same(document["d"](**GIVEN), np.diff(u), "seq")


def test_a_range_behind_a_display_is_its_own():
    text = HEAD.replace("+ 1$$", r"+ 1$$ for $i = 1, \ldots, n-1$. It follows that")
    document = read(text + r"$$d_{\text{seq}(i)} = 3 u_{\text{seq}(i)}$$")
    same(document["u"](**GIVEN), u[:-1], "seq")


def test_several_ranges_before_a_display_are_of_all_its_rows():
    text = r"""Let $X \in \mathbb{R}^{\text{row}:n, \text{col}:m}$.

For $i = 1, \ldots, n - 1$ and $j = 1, \ldots, m - 1$,
\begin{align}
D_{\text{row}(i), \text{col}(j)} &= X_{\text{row}(i+1), \text{col}(j+1)} \\
S_{\text{row}(i), \text{col}(j)} &= D_{\text{row}(i), \text{col}(j)} + X_{\text{row}(i), \text{col}(j)}
\end{align}"""
    document = read(text)
    X = np.arange(12.0).reshape(3, 4)
    assert [f for f in document.check() if f.severity != "note"] == []
    wanted = X[1:, 1:] + X[:-1, :-1]
    same(document["S"](X=tensor(X, "row", "col")), wanted, "row", "col")


@pytest.mark.parametrize(
    "before",
    [
        r"As is usual, $i = 1, \dots, n - 1$, and we let",
        r"The text above ends. With one element less, $i = 1, \ldots, n-1$, set",
    ],
)
def test_a_range_in_the_sentence_that_leads_to_a_display_is_its_own(before):
    document = read(f"{HEAD}\n\n{before}\n$${DISPLAY}$$")
    same(document["d"](**GIVEN), np.diff(u), "seq")


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_range_is_not_of_the_recurrence_above_it(gap):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{seq}}:n}}$.

$$d_{{\text{{seq}}(t)}} = x_{{\text{{seq}}(t)}} + 2 d_{{\text{{seq}}(t-1)}},
\qquad d_{{\text{{seq}}(0)}} = 0$$

For $t = 3, \ldots, n${gap}$$
y_{{\text{{seq}}(t)}} = x_{{\text{{seq}}(t)}} + y_{{\text{{seq}}(t-2)}}
$$

and the first are $y_{{\text{{seq}}(1)}} = 1$ and $y_{{\text{{seq}}(2)}} = 2$.
"""
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    d, y = [x[0]], [1.0, 2.0]
    for t in range(1, 6):
        d.append(x[t] + 2 * d[-1])
    for t in range(2, 6):
        y.append(x[t] + y[t - 2])
    same(document["d"](**GIVEN), d, "seq")
    same(document["y"](**GIVEN), y, "seq")


@pytest.mark.parametrize("before", ["; for", ". For", "$$ b = 2 x $$ Now, for"])
def test_a_range_is_of_the_members_of_a_series_below(before):
    text = r"""Let $x, a^{(0)}, c^{(0)} \in \mathbb{R}^{\text{seq}}$.
$$ a^{(k+1)} = a^{(k)} / 2, \qquad k = 0, \ldots, K - 1 $$
We go on%s $k = 1, \ldots, K$ with
$$ c^{(k)} = c^{(k-1)} + x $$"""
    document = read(text % before).bind(K=3)
    same(document["c^{(K)}"](**GIVEN, c0=GIVEN["x"]), 4 * x, "seq")
