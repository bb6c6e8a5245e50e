"""Functions of a document that give several results: named, picked, in series, checked and printed."""

import numpy as np
import pytest

import namedtensor as nt

GENERATOR = np.random.default_rng(3)

TWO = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\name{emb}} \\
W &\in \mathbb{R}^{\name{hid} \times \name{emb}} \\
\text{two}(X; W) &= (W \ndot{emb} X, 2 X)
\end{aligned}$$

$$\begin{aligned}
X &\in \mathbb{R}^{\name{emb}} \\
W &\in \mathbb{R}^{\name{hid} \times \name{emb}} \\
\text{plain}(X; W) &= \nsum{hid} Y + Z \\
%s
\end{aligned}$$
"""


def errors(document):
    return [found for found in document.check() if found.severity == "error"]


@pytest.mark.parametrize(
    "said",
    [
        r"(Y, Z) &= \text{two}(X; W)",
        r"Y, Z &= \text{two}(X; W)",
        r"Y &= \text{two}(X; W)_1 \\ Z &= \text{two}(X; W)_{2}",
        r"Y &= [\text{two}(X; W)]_1 \\ Z &= (\text{two}(X; W))_{2}",
        r"(Y, Z) &= (W \ndot{emb} X, 2 X)",
    ],
)
def test_results_are_named_or_picked(said):
    document = nt.latex.read(TWO % said)
    assert document.check() == []
    X, W = GENERATOR.normal(size=3), GENERATOR.normal(size=(2, 3))
    batch = np.stack([X, -X])
    for x, axes in ((X, "emb"), (batch, "batch emb")):
        given = nt.tensor(x, axes), nt.tensor(W, "hid emb")
        found = document["plain"](given[0], W=given[1])
        expected = (x @ W.T).sum(-1)[..., None] + 2 * x
        np.testing.assert_allclose(found.numpy(*axes.split()), expected)
        printed = nt.latex.read(document["plain"].latex())
        assert errors(printed) == []
        again = printed["plain"](given[0], W=given[1])
        np.testing.assert_allclose(again.numpy(*axes.split()), expected)
    scope = {}
    exec(document.python(), scope)
    found = scope["plain"](nt.tensor(X, "emb"), W=nt.tensor(W, "hid emb"))
    np.testing.assert_allclose(found.numpy("emb"), (X @ W.T).sum() + 2 * X)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (r"(Y, Z, A) &= \text{two}(X; W)", "two(X; W) gives 2 results, and this is number 3"),
        (r"(Y, Z) &= \tanh(X)", "tanh(X) gives 1 result, and this is number 1"),
        (r"(Y, Z) &= \text{three}(X)", "three} is neither declared nor defined"),
        (r"Y &= \text{two}(X; W) \\ Z &= X", "gives 2 results, and stands here for one"),
        (r"(Z, Y) &= \text{two}(X; W)", "sum acts over hid, and Y has no axis hid"),
        (r"(Y, Z) &= \text{two}(W)", "two takes 1 argument"),
        (
            r"(Y, Z) &= \text{two}(X; W) \\ Z &\in \mathbb{R}^{\name{hid}}",
            "what it is set to has emb too and lacks hid",
        ),
    ],
)
def test_what_does_not_fit_is_found(said, told):
    text = TWO % said
    if told.startswith("two takes"):
        text = text.replace(r"\text{two}(W)", r"\text{two}(X, X; W)")
    assert told in "\n".join(map(str, errors(nt.latex.read(text))))


CELL = r"""
$$\begin{aligned}
p, q, r &\in \mathbb{R}^{\name{hid}} \\
\text{cell}(p, q, r) &= (\tanh(q + p) \odot r', r') \\
r' &= r \odot \sigma(p - q) + p
\end{aligned}$$

"""
SERIES = {
    "layers": r"""
$$\begin{aligned}
x^t &\in \mathbb{R}^{\name{hid}} \\
h^0, c^0 &\in \mathbb{R}^{\name{hid}} \\
(h^t, c^t) &= \text{cell}(x^t, h^{t-1}, c^{t-1}) \\
y &= h^3 + c^3
\end{aligned}$$
""",
    "places": r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\name{seq} \times \name{hid}} \\
(h_{\name{seq}(0)}, c_{\name{seq}(0)}) &= (0, 0) \\
(h_{\name{seq}(t)}, c_{\name{seq}(t)})
    &= \text{cell}(X_{\name{seq}(t)}, h_{\name{seq}(t-1)}, c_{\name{seq}(t-1)}) \\
y(X) &= h_{\name{seq}(|\name{seq}|)} + c_{\name{seq}(|\name{seq}|)}
\end{aligned}$$
""",
}


def by_hand(x, h, c):
    for row in x:
        c_ = c / (1 + np.exp(h - row)) + row
        h, c = np.tanh(h + row) * c_, c_
    return h + c


@pytest.mark.parametrize("series", SERIES)
def test_series_of_several_run_together(series):
    document = nt.latex.read(CELL + SERIES[series])
    assert errors(document) == []
    x, start = GENERATOR.normal(size=(3, 2)), np.zeros(2)
    zero = nt.tensor(start, "hid")
    if series == "places":
        found = document["y"](nt.tensor(x, "seq hid"))
    else:
        found = document["y"](x=nt.tensor(x, "t hid"), h0=zero, c0=zero)
    np.testing.assert_allclose(found.numpy("hid"), by_hand(x, start, start))
