r"""argmax is one-hot; where a formula takes it for an index, 1[argmax p = i], W_{ax(argmax p)}, it is one."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(1)
p, q, W = rng.normal(size=(5, 4)), rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
y = np.array([0, 1, 2, 3, 0])
best = p.argmax(1)
hot = np.eye(4)[best]
GIVEN = {
    "p": tensor(p, "token", "expert"),
    "q": tensor(q, "token", "expert"),
    "W": tensor(W, "expert", "hid"),
    "y": tensor(y, "token"),
}
HEAD = (
    r"Let $p, q \in \mathbb{R}^{\text{token}:T \times \text{expert}:E}$, $y \in [E]^{\text{token}}$ and "
    r"$W \in \mathbb{R}^{\text{expert} \times \text{hid}}$. "
)
BEST = r"\underset{\text{expert}}{\mathrm{argmax}}\, p"
SAID = rf"Let $\hat{{e}} = {BEST}$. "
TOLD = rf"Let $\hat{{e}} \in [E]^{{\text{{token}}}}$ be $\hat{{e}} = {BEST}$. "


@pytest.mark.parametrize("said", [SAID, TOLD, ""])
@pytest.mark.parametrize(
    ("body", "wanted", "axes"),
    [
        (
            r"f_{\text{expert}(i)} = \frac{1}{T} \sum_{\text{token}} \mathbb{1}[E = i]",
            hot.mean(0),
            "expert",
        ),
        (r"f_{\text{expert}(i)} = \sum_{\text{token}} \mathbb{1}\{E = i\}", hot.sum(0), "expert"),
        (r"f = \sum_{\text{token}} \mathrm{onehot}_{\text{expert}}(E)", hot.sum(0), "expert"),
        (
            r"f_{\text{expert}'(i)} = \sum_{\text{token}} \mathbb{1}[E = i], \quad i = 1, \ldots, N",
            hot.sum(0),
            "expert'",
        ),
        (
            r"f_{\text{expert}(i)} = \sum_{\text{token}} \mathbb{1}[E \neq i]",
            (1 - hot).sum(0),
            "expert",
        ),
        (
            r"f_{\text{expert}(i)} = \sum_{\text{token}} \mathbb{1}[E \le i]",
            hot.sum(0).cumsum(),
            "expert",
        ),
        (
            r"f = \sum_{i=1}^{N} i \sum_{\text{token}} \mathbb{1}[E = i]",
            np.array((best + 1).sum()),
            "",
        ),
        (r"f = \underset{\text{token}}{\mathrm{mean}}\, \mathbb{1}[E = y]", (best == y).mean(), ""),
        (
            r"f = \underset{\text{token}}{\mathrm{mean}}\, "
            r"\mathbb{1}[E = \underset{\text{expert}}{\mathrm{argmax}}\, q]",
            (best == q.argmax(1)).mean(),
            "",
        ),
        (
            r"f_{\text{expert}(i)} = \sum_{\text{token}} "
            r"\begin{cases} 1 & E = i \\ 0 & \text{otherwise} \end{cases}",
            hot.sum(0),
            "expert",
        ),
        (r"f = W_{\text{expert}(E)}", W[best], "token hid"),
    ],
)
def test_argmax_is_an_index_where_it_stands_for_one(said, body, wanted, axes):
    word = r"\hat{e}" if said else f"({BEST})" if "W_" not in body else BEST
    text = body.replace("[E", f"[{word}").replace("{E", f"{{{word}").replace("& E", f"& {word}")
    text = text.replace("(E)", f"({word})").replace("N", "E")
    same(called(f"{HEAD}{said}$${text}$$", "f", GIVEN), np.asarray(wanted), *axes.split())


@pytest.mark.parametrize(
    "element", [r"\hat{e}_{\text{token}(t)} = i", r"i = \hat{e}_{\text{token}(t)}"]
)
def test_an_element_of_argmax_is_an_index(element):
    text = rf"{HEAD}{SAID}$$f_{{\text{{expert}}(i)}} = \sum_{{t=1}}^T \mathbb{{1}}[{element}]$$"
    same(called(text, "f", GIVEN), hot.sum(0), "expert")


def test_argmax_that_is_renamed_is_an_index():
    said = r"\sum_{\text{token}'} \mathbb{1}[\hat{e}_{\text{token} \to \text{token}'} = i]"
    same(
        called(rf"{HEAD}{SAID}$$f_{{\text{{expert}}(i)}} = {said}$$", "f", GIVEN),
        hot.sum(0),
        "expert",
    )


def test_argmax_stays_one_hot_elsewhere():
    same(
        called(f"{HEAD}{SAID}" + r"$$f = \sum_{\text{token}} \hat{e}$$", "f", GIVEN),
        hot.sum(0),
        "expert",
    )
    product = r"$$f = \hat{e} \underset{\text{expert}}{\cdot} W$$"
    same(called(f"{HEAD}{SAID}{product}", "f", GIVEN), W[best], "token", "hid")


def test_an_index_that_is_asked_for_counts_from_zero():
    same(called(HEAD + TOLD, "\\hat{e}", GIVEN), best, "token")


def test_what_an_index_is_found_from_is_not_used_up_by_what_it_picks():
    text = r"""Let $P \in \mathbb{R}^{\text{unit}, \text{xy}}$ and $X \in \mathbb{R}^{\text{obs}, \text{xy}}$.
\[ b = \underset{\text{unit}}{\text{argmin}} \sum_{\text{xy}} (X - P)^2 \]
\[ D = \sum_{\text{xy}} (P_{\text{unit}(b)} - P)^2 \]"""
    assert [f for f in read(text).check() if f.code != "reach"] == []


def test_what_a_function_marks_is_an_index_where_it_stands_for_one():
    text = r"""Let $f \in \mathbb{R}^{\text{obs}}$ and $G \in \mathbb{R}^{\text{obs}, \text{kind}}$.
\[ h(f) = G \odot f \]
\[ j(f) = \underset{\text{kind}}{\text{argmin}} \sum_{\text{obs}} h(f) \]
\[ s(f) = f + h(f)_{\text{kind}(j(f))} \]"""
    f, G = np.array([1.0, -2.0]), np.array([[0.5, 2.0, 1.0], [1.0, 4.0, -1.0]])
    found = read(text)["s"].signature.results[0]
    assert found.names == ("obs",)
    best = (f @ G).argmin()
    given = {"f": tensor(f, "obs"), "G": tensor(G, "obs", "kind")}
    same(called(text, "s", given), f + G[:, best] * f, "obs")


CODES = (
    r"Let $z \in \mathbb{R}^{\text{obs}, \text{xy}}$, $r_0 = z$ and "
    r"$C \in \mathbb{R}^{\text{level}:L, \text{code}:K, \text{xy}}$. "
)
STEP = r"""$$\begin{aligned}
c_l &= \underset{\text{code}}{\text{argmin}} \sum_{\text{xy}} (r_{l-1} - C_{\text{level}(l)})^2 \\
r_l &= r_{l-1} - PICKED, \quad l = 1, \ldots, L
\end{aligned}$$
"""


@pytest.mark.parametrize(
    "picked",
    [
        r"C_{\text{level}(l), \text{code}(c_l)}",
        r"[C_{\text{level}(l)}]_{\text{code}(c_l)}",  # one loop
    ],
)
@pytest.mark.parametrize(
    "asked",
    [
        r"\tilde z = \sum_{l=1}^{L} C_{\text{level}(l), \text{code}(c_l)}",
        r"\tilde z = z - r_L",
        r"\tilde z = \sum_{l=1}^{L} \sum_{j=1}^{K} \mathbb{1}[c_l = j] C_{\text{level}(l), \text{code}(j)}",
    ],
)
def test_members_of_a_series_that_an_argmax_defines_are_indices(picked, asked):
    z, C = rng.normal(size=(6, 2)), rng.normal(size=(3, 4, 2))
    left = z
    for E in C:
        left = left - E[((left[:, None] - E) ** 2).sum(2).argmin(1)]
    text = f"{CODES}{STEP.replace('PICKED', picked)}$${asked}$$"
    given = {"z": tensor(z, "obs", "xy"), "C": tensor(C, "level", "code", "xy")}
    same(called(text, r"\tilde z", given), z - left, "obs", "xy")


@pytest.mark.parametrize("compared", [r"k = c(p)", r"c(p) = k"])
def test_the_argmax_that_a_function_gives_is_compared_with_an_index(compared):
    text = (
        rf"{HEAD} $$c(x) = \underset{{\text{{expert}}}}{{\mathrm{{argmax}}}} (x + 1)$$"
        rf" $$e_{{\text{{expert}}(k)}} = \mathbb{{1}}[{compared}]$$"
    )
    same(called(text, "e", GIVEN), hot, "token", "expert")


@pytest.mark.parametrize(
    ("axes", "at", "found"),
    [
        (r"\text{code}, \text{lat}", "lat", ("error", "index-type")),
        (r"\text{code}:K, \text{lat}:d", "lat", ("warning", "index-range")),
        (r"\text{code}:9, \text{lat}:4", "lat", ("error", "index-range")),
        (r"\text{code}, \text{lat}", "code", None),
        (r"\text{code}:K, \text{lat}:d", "code", None),
    ],
)
def test_an_argmax_is_no_index_of_another_axis(axes, at, found):
    document = read(
        rf"Let $C \in \mathbb{{R}}^{{{axes}}}$ and $u \in \mathbb{{R}}^{{{axes.split(', ')[1]}}}$. "
        r"$$k = \underset{\text{code}}{\text{argmin}} \sum_{\text{lat}} (C - u)^2$$ "
        rf"$$y = C_{{\text{{{at}}}:k}}$$"
    )
    assert [(f.severity, f.code) for f in document.check()] == ([found] if found else [])
