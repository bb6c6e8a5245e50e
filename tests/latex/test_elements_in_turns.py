"""Elements that are defined in turns, at 2i - 1 and 2i, as positions and rotations are."""

import re

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read

P = r"$P \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$ "
ANGLE = r"10000^{2i/d}"


def written(text):
    """Write P_{seq(p), emb(2i)} for P[p, 2i]."""
    return re.sub(r"(\w)\[(.*?), (.*?)\]", r"\1_{\\text{seq}(\2), \\text{emb}(\3)}", text)


def positions(n, d, first, power=0):
    """Give sine and cosine of the positions from `first` on, in turns."""
    angles = (np.arange(n)[:, None] + first) / 10000 ** (2 * (np.arange(d // 2) + power) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


@pytest.mark.parametrize(
    ("text", "first", "power"),
    [
        (
            r"P[p, 2i] = \sin(p / A), P[p, 2i+1] = \cos(p / A)",
            0,
            0,
        ),
        (
            r"P[p, 2i-1] = \sin(p / A), P[p, 2i] = \cos(p / A)",
            1,
            1,
        ),
        (
            r"P[p, 2i] = \cos(p / A), P[p, 2i-1] = \sin(p / A)",
            1,
            1,
        ),
        (r"P_{pos, 2i} = \sin(pos / A), P_{pos, 2i+1} = \cos(pos / A)", 0, 0),
        (r"P_{(pos, 2i)} = \sin(pos / A), P_{(pos, 2i+1)} = \cos(pos / A)", 0, 0),
        (r"P(t, 2i) = \sin(t / A), P(t, 2i+1) = \cos(t / A)", 0, 0),
        (
            r"P_{t, 2i} = \sin(t / A), P_{t, 2i+1} = \cos(t / A) \quad t = 1, \ldots, n, i \ge 0",
            1,
            0,
        ),
        (r"P_{t, 2i+1} = \sin(t / A), P_{t, 2i+2} = \cos(t / A) \quad i = 0, \dots, d/2 - 1", 1, 0),
        (
            r"P_{t, 2i-1} = \sin(t \omega_i), P_{t, 2i} = \cos(t \omega_i), \omega_k = 10000^{-2k/d}",
            1,
            1,
        ),
    ],
)
def test_sine_and_cosine_in_turns_are_one_definition(text, first, power):
    document = read(P + "$$" + written(text).replace("A", ANGLE) + "$$")
    assert not [f for f in document.check() if f.severity != "note"]
    found = document.bind(n=5, d=6)["P"]().numpy("seq", "emb")
    np.testing.assert_allclose(found, positions(5, 6, first, power), atol=1e-12)


def test_what_counts_from_0_is_noted_with_a_hint_that_works():
    text = P + r"$$P_{t, 2i} = \sin(t / A), P_{t, 2i+1} = \cos(t / A)$$".replace("A", ANGLE)
    (note,) = [f for f in read(text).check() if "from 0" in f.message]
    assert (
        note.message
        == "t and i count from 0 here: P_{t, 2i} gives the first element of emb where i is 0"
    )
    assert note.hint == "where i counts from 1, write 2i - 1 and 2i"
    again = text.replace("2i+1}", "2k}").replace("2i}", "2i-1}").replace("2k}", "2i}")
    assert not [f for f in read(again).check() if "from 0" in f.message]


def test_rotations_take_the_elements_beside_them():
    text = r"""$q \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$ and
    $\theta_i = 10000^{-2(i-1)/d}$ for $i = 1, \dots, d/2$.
    \begin{align}
    r[m, 2i-1] &= q[m, 2i-1] \cos(m\theta_i) - q[m, 2i] \sin(m\theta_i) \\
    r[m, 2i] &= q[m, 2i-1] \sin(m\theta_i) + q[m, 2i] \cos(m\theta_i)
    \end{align}"""
    q = np.random.default_rng(0).normal(size=(4, 6))
    pairs = q[:, 0::2] + 1j * q[:, 1::2]
    angles = np.arange(1, 5)[:, None] * 10000.0 ** (-2 * np.arange(3) / 6)
    turned = pairs * np.exp(1j * angles)
    document = read(written(text))
    assert not document.check()
    found = document["r"](nt.tensor(q, "seq emb")).numpy("seq", "emb")
    np.testing.assert_allclose(found, np.stack([turned.real, turned.imag], -1).reshape(4, 6))


def test_three_in_turn_are_parts_of_one_axis():
    text = r"""$a, b, c \in \mathbb{R}$, $y \in \mathbb{R}^{\text{time}:n}$
    $$y_{\text{time}(3k-2)} = a, \quad y_{\text{time}(3k-1)} = b k, \quad y_{\text{time}(3k)} = c + k$$"""
    found = read(text).bind(n=6)["y"](a=1.0, b=10.0, c=100.0).numpy("time")
    assert found.tolist() == [1, 10, 101, 1, 20, 102]


def test_half_of_the_elements_is_no_definition():
    document = read(P + written(r"$$P[p, 2i] = \sin(p)$$"))
    assert [f.code for f in document.check()] == ["arguments"]


PIECES = r"""Let $A \in \mathbb{R}^{\text{a}:m}$, $B \in \mathbb{R}^{\text{b}:n}$ and
$U \in \mathbb{R}^{\text{c}:m+n}$. """


@pytest.mark.parametrize(
    "said",
    [
        r"$$U_{\text{c}:i} = A_{\text{a}:i}, \qquad U_{\text{c}:m+j} = B_{\text{b}:j}$$",
        r"$$U_{\text{c}(i)} = A_{\text{a}(i)}, \quad i = 1, \dots, m, \qquad "
        r"U_{\text{c}(i+m)} = B_{\text{b}(i)}, \quad i = 1, \dots, n$$",
        r"We stack them, with $U_{\text{c}:i} = A_{\text{a}:i}$ for $i = 1, \dots, m$ and "
        r"$U_{\text{c}:m+i} = B_{\text{b}:i}$ for $i = 1, \dots, n$.",
    ],
)
def test_one_piece_behind_the_other_is_one_definition(said):
    document, A, B = read(PIECES + said), np.arange(3.0), np.arange(5.0, 7.0)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["U"](A=nt.tensor(A, "a"), B=nt.tensor(B, "b"))
    np.testing.assert_allclose(found.numpy("c"), np.concatenate([A, B]))
    wrong = read(
        PIECES + said.replace(r"\text{b}:", r"\text{a}:").replace(r"{\text{b}(", r"{\text{c}(")
    )
    assert [f for f in wrong.check() if f.severity == "error"] != []


def test_elements_that_need_those_far_before_them_are_a_recurrence():
    text = (
        PIECES + r"$$U_{\text{c}:i} = A_{\text{a}:i}, \qquad U_{\text{c}:m+i} = 2 U_{\text{c}:i}$$"
    )
    assert "cases" not in read(text).latex("underset")
