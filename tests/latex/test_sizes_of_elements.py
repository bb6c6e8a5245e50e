r"""Sizes that a document says of the axes of elements, and operators over listed sets of indices."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import tensor
from namedtensor.latex import read

x = np.array([1.0, 4.0, 2.0, 8.0])
f, c = np.arange(12.0).reshape(3, 4), np.array([7.0, 8.0, 9.0, 6.0])

HALF = r"Let $X \in \mathbb{R}^{\text{h}:H}$. $$D_{\text{h}(i)} = BODY, \qquad 1 \le i \le H/2$$"
OVER = [
    (r"\max_{a \in \{0, 1\}} X_{\text{h}(2i - a)}", [4, 8]),
    (r"\min_{a \in \{0, 1\}} X_{\text{h}(2i - a)}", [1, 2]),
    (r"\max_{0 \le a \le 1} X_{\text{h}(2i - a)}", [4, 8]),
    (r"\max_{0 \le a < 2} X_{\text{h}(2i - a)}", [4, 8]),
    (r"\sum_{a \in \{-1, 0\}} X_{\text{h}(2i + a)}", [5, 10]),
    (r"\sum_{a \in \{1, 2\}} a X_{\text{h}(i)}", [3, 12]),
    (r"\sum_{a \in \{1, 2, 4\}} X_{\text{h}(a)}", [13, 13]),
    (r"\sum_{a, b \in \{0, 1\}} (1 + b) X_{\text{h}(2i - a)}", [15, 30]),
    (r"\sum_{a \in \{0, 1\}, b \in \{1, 2\}} b X_{\text{h}(2i - a)}", [15, 30]),
    (r"\prod_{a \in \{0, 1\}} X_{\text{h}(2i - a)}", [4, 16]),
]


@pytest.mark.parametrize(("body", "wanted"), OVER)
def test_an_index_runs_over_a_listed_set(body, wanted):
    document = read(HALF.replace("BODY", body))
    assert document.check() == []
    np.testing.assert_allclose(document["D"](tensor(x, "h")).numpy("h"), wanted)


i = np.arange(1, 4)
SIZED = [
    r"Let $X \in \mathbb{R}^{\text{seq}:n \times \text{emb}}$.",
    r"Let $X \in \mathbb{R}^{\text{seq}:n \times \text{emb}}$ and $|\text{seq}'| = n$.",
    r"Let $X \in \mathbb{R}^{\text{seq}:n \times \text{seq}':n}$.",
]


@pytest.mark.parametrize("said", SIZED)
def test_a_tensor_of_indices_has_the_sizes_that_are_said(said):
    document = read(said + r" $$r_{\text{seq}'(i), \text{seq}(j)} = i - j$$").bind(n=3)
    assert document.check() == []
    np.testing.assert_allclose(document["r"]().numpy("seq'", "seq"), i[:, None] - i)


def test_an_axis_of_two_sizes_has_none():
    text = (
        r"Let $X \in \mathbb{R}^{\text{seq}:n}$ and $Y \in \mathbb{R}^{\text{seq}:m}$. "
        r"$$r_{\text{seq}(i)} = i$$"
    )
    with pytest.raises(nt.AxisSizeError, match="axis seq has no size yet"):
        read(text).bind(n=3, m=4)["r"]()


PREPENDED = (
    r"Let $f \in \mathbb{R}^{\text{seq}:N \times \text{emb}}$, $c \in \mathbb{R}^{\text{emb}}$ and "
    r"$P \in \mathbb{R}^{\text{pos}:(N+1) \times \text{emb}}$. $$z = P + t, \qquad t_{\text{pos}(i)} = "
    r"\begin{cases} c & i = 1 \\ f_{\text{seq}(i-1)} & WHEN \end{cases}$$"
)


@pytest.mark.parametrize(
    "when",
    [
        r"i > 1",
        r"i \ge 2",
        r"i = 2, \ldots, N+1",
        r"2 \le i \le N+1",
        r"i \in \{2, \ldots, N+1\}",
        r"\text{otherwise}",
    ],
)
def test_a_token_is_put_before_a_sequence(when):
    document = read(PREPENDED.replace("WHEN", when))
    assert document.check() == []
    given = {"f": tensor(f, "seq", "emb"), "c": tensor(c, "emb")}
    wanted = np.concatenate([c[None], f])
    P = tensor(np.ones((4, 4)), "pos", "emb")
    np.testing.assert_allclose(document["z"](P=P, **given).numpy("pos", "emb"), wanted + 1)
    np.testing.assert_allclose(document["t"](**given).numpy("pos", "emb"), wanted)
