"""Series that one section defines and another one uses, against plain numpy."""

from typing import Any

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

RNG = np.random.default_rng(0)
L, B = RNG.random((4, 3)) + 0.1, RNG.random(3)
GIVEN = {"L": tensor(L, "time", "state"), "b": tensor(B, "state")}
FIRST = np.cumprod(L, 0)
AFTER = B * FIRST
EARLIER = np.concatenate([B[None], AFTER[:-1]])
LATER = np.cumprod(L[::-1], 0)[::-1]

HEAD = r"Let $L \in \mathbb{R}^{\text{time}:T \times \text{state}}$ and $b \in \mathbb{R}^{\text{state}}$."
FROM_ONE = (
    r"$$\alpha_1 = L_{\text{time}(1)}, \qquad \alpha_t = \alpha_{t-1} \odot L_{\text{time}(t)}$$"
)
FROM_ZERO = r"$$\alpha_0 = b, \qquad \alpha_t = \alpha_{t-1} \odot L_{\text{time}(t)}$$"
BACKWARDS = (
    r"$$\alpha_T = L_{\text{time}(T)}, \qquad \alpha_t = \alpha_{t+1} \odot L_{\text{time}(t)}$$"
)
MEMBERS = r"The messages are $\alpha_t \in \mathbb{R}^{\text{state}}$. "
WHOLE = r"The messages are $\alpha \in \mathbb{R}^{\text{time} \times \text{state}}$. "
RANGE = r"For $t = 2, \dots, T$, "


@pytest.mark.parametrize("between", ["", "# B\n\n"])
@pytest.mark.parametrize(
    ("given", "used", "name", "axes", "expected"),
    [
        (FROM_ONE, r"\gamma_t = 2 \alpha_t", "gamma", "time state", 2 * FIRST),
        (FROM_ONE, r"\gamma_{\text{time}(t)} = 2 \alpha_t", "gamma", "time state", 2 * FIRST),
        (
            FROM_ONE,
            r"\gamma_s = \alpha_s \odot L_{\text{time}(s)}",
            "gamma",
            "time state",
            FIRST * L,
        ),
        (FROM_ONE, r"g = 2 \alpha_T", "g", "state", 2 * FIRST[-1]),
        (FROM_ONE, r"g = 2 \alpha", "g", "time state", 2 * FIRST),
        (FROM_ONE, r"g = \sum_{t=1}^T \alpha_t", "g", "state", FIRST.sum(0)),
        (
            FROM_ONE,
            r"g = \sum_{t=1}^{T-1} \alpha_{t+1} \odot L_{\text{time}(t)}",
            "g",
            "state",
            (FIRST[1:] * L[:-1]).sum(0),
        ),
        (
            FROM_ZERO,
            r"\gamma_t = 2 \alpha_{t-1} \odot L_{\text{time}(t)}",
            "gamma",
            "time state",
            2 * EARLIER * L,
        ),
        (FROM_ZERO, r"\gamma_t = 2 \alpha_{t-1}", "gamma", "time state", 2 * EARLIER),
        (BACKWARDS, r"\gamma_t = 2 \alpha_t", "gamma", "time state", 2 * LATER),
        (BACKWARDS, r"g = \sum_{t=1}^T \alpha_t", "g", "state", LATER.sum(0)),
        (MEMBERS + FROM_ONE, r"\gamma_t = 2 \alpha_t", "gamma", "time state", 2 * FIRST),
        (WHOLE + FROM_ONE, r"\gamma_t = 2 \alpha_t", "gamma", "time state", 2 * FIRST),
        (RANGE + FROM_ONE, r"\gamma_t = 2 \alpha_t", "gamma", "time state", 2 * FIRST),
        (
            FROM_ONE,
            r"\gamma_0 = b, \qquad \gamma_t = \gamma_{t-1} + \alpha_t",
            "gamma",
            "time state",
            B + np.cumsum(FIRST, 0),
        ),
    ],
)
def test_another_section_may_use_a_series(
    given: str, used: str, name: str, axes: str, expected: Any, between: str
) -> None:
    same(
        called(f"{HEAD}\n\n# A\n\n{given}\n\n{between}$${used}$$", name, GIVEN),
        expected,
        *axes.split(),
    )


def test_the_range_of_another_sections_rules_is_not_that_of_a_new_series() -> None:
    text = f"{HEAD}\n\n# A\n\n{RANGE}{FROM_ONE}\n\n# B\n\n" + (
        r"$$\gamma_0 = b, \qquad \gamma_t = \gamma_{t-1} + \alpha_t$$"
    )
    same(called(text, "gamma", GIVEN), B + np.cumsum(FIRST, 0), "time", "state")


def test_a_series_may_be_used_before_the_section_that_defines_it() -> None:
    text = f"{HEAD}\n\n# B\n\n" + r"$$\gamma_t = 2 \alpha_t$$" + f"\n\n# A\n\n{FROM_ONE}"
    same(called(text, "gamma", GIVEN), 2 * FIRST, "time", "state")


def test_series_go_on_from_section_to_section() -> None:
    text = f"{HEAD}\n\n# A\n\n{FROM_ONE}\n\n# B\n\n" + (
        r"$$\gamma_t = 2 \alpha_t$$" + "\n\n# C\n\n" + r"$$\delta_t = 3 \gamma_t$$"
    )
    same(called(text, "delta", GIVEN), 6 * FIRST, "time", "state")


def test_a_section_with_a_series_of_its_own_means_that() -> None:
    own = FROM_ZERO + "\n\n" + r"$$\gamma_t = 2 \alpha_t$$"
    same(
        called(f"{HEAD}\n\n# A\n\n{FROM_ONE}\n\n# B\n\n{own}", "gamma", GIVEN),
        2 * AFTER,
        "time",
        "state",
    )


def test_what_a_section_declares_itself_is_no_series_of_another() -> None:
    text = f"{HEAD}\n\n# A\n\n{FROM_ONE}\n\n# B\n\n" + (
        r"Let $\alpha_T \in \mathbb{R}^{\text{state}}$. $$g = 2 \alpha_T$$"
    )
    assert [p.name for p in read(text)["g"].signature.parameters] == ["alpha_T"]


def test_an_element_before_the_first_is_missed_in_another_section_too() -> None:
    text = f"{HEAD}\n\n# A\n\n{FROM_ONE}\n\n# B\n\n" + (
        r"$$\gamma_t = \alpha_{t-1} \odot L_{\text{time}(t)}$$"
    )
    [finding] = read(text).check()
    assert "alpha_{time:0} is neither declared nor defined" in str(finding)


def test_what_another_section_declares_and_defines_is_what_it_defines() -> None:
    text = f"{HEAD}\n\n# A\n\n" + (
        r"Let $W \in \mathbb{R}^{\text{time}}$ be $$W = \sum_{\text{state}} L$$"
        "\n\n# B\n\n" + r"$$\gamma_t = 2 W_{\text{time}(t)}$$"
    )
    same(called(text, "gamma", GIVEN), 2 * L.sum(1), "time")


@pytest.mark.parametrize(
    "function",
    [
        r"$$\ell(k) = \sum_{\text{in}} k^2$$ for $k \in \mathbb{R}^{\text{in}}$.",
        r"$$f(W; k) = W \odot k$$ with $k, W \in \mathbb{R}^{\text{in}}$.",
    ],
)
@pytest.mark.parametrize("heading", ["", "## C\n\n"])
def test_the_argument_of_a_function_is_no_series_of_its_letter(function, heading):
    text = (
        "# A\n\n"
        r"Let $x \in \mathbb{R}^{\text{seq}:T, \text{in}}$."
        "\n\n## Keys\n\n"
        r"$k_t = 2 x_{\text{seq}(t)}$"
        f"\n\n## B\n\n{function}\n\n{heading}"
        r"$$z_t = \sum_{s=1}^{t} k_s$$ $$y_t = 3 k_t$$ for $t = 1, \ldots, T$."
    )
    document = read(text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    X = RNG.random((4, 3))
    for name, expected in (("z", 2 * X.cumsum(0)), ("y", 6 * X)):
        found = document[name](x=tensor(X, "seq", "in"))
        np.testing.assert_allclose(found.numpy("seq", "in"), expected)


@pytest.mark.parametrize(
    "said",
    [
        r"$$s = \frac{1}{T} \sum_{t=1}^{T} w_t$$",
        r"The average is $s = \frac{1}{T} \sum_{t=1}^{T} w_t$.",
        r"$$s = \frac{1}{T} \sum_{\text{time}} u, \qquad u_{\text{time}(t)} = w_t$$",
    ],
)
def test_elements_of_a_series_are_its_own_beside_the_letter_of_a_section_around(said):
    text = (
        rf"{HEAD} Weights are $w \in \mathbb{{R}}^{{\text{{state}}}}$. $$v(w) = \sum_{{\text{{state}}}} w$$"
        "\n\n## Steps\n\n"
        r"$$w_t = w_{t-1} + L_{\text{time}(t)}$$ with $w_0 = 0$. " + said
    )
    same(called(text, "s", GIVEN), np.cumsum(L, 0).mean(0), "state")
    assert np.allclose(float(called(text, "v", {"w": GIVEN["b"]})), B.sum())


@pytest.mark.parametrize(
    ("used", "square"),
    [(r"b - \sum_{\text{state}} b^2", True), (r"\sum_{\text{state}} b^2", False)],
)
def test_a_square_beside_its_letter_is_no_member_of_a_series_elsewhere(used, square):
    text = (
        "# Model\n\nLet $b \\in \\mathbb{R}^{\\text{state}}$.\n\n# Steps\n\n"
        r"Start with $b^0 \in \mathbb{R}^{\text{state}}$. For $k = 1, \dots, K$, $$b^k = 2 b^{k-1}$$"
        f"\n\n# Use\n\n$$g = {used}$$\n"
    )
    document = read(text)
    assert ("b0" in [p.name for p in document["g"].signature.parameters]) is not square
    if square:
        same(document["g"](b=GIVEN["b"]), B - (B**2).sum(), "state")


@pytest.mark.parametrize("letter", [r"\epsilon", r"\varepsilon"])
def test_a_letter_alone_is_no_series_of_another_section_that_counts_steps(letter):
    text = rf"""# Step
Let $q, p \in \mathbb{{R}}^{{\text{{c}}}}$. One step of size ${letter}$ is $$r = q + {letter} p .$$
# Adaptation
Later the size follows $${letter}_{{t+1}} = {letter}_t + t^{{-0.6}} (b_t - 0.8)$$
with rates $b_t$."""
    assert {p.name.strip("_") for p in read(text)["r"].signature.parameters} == {
        "q",
        "p",
        letter.strip("\\"),
    }
