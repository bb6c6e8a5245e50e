"""What the check cannot hold a formula to is said, and what it passes runs."""

from collections import Counter

import pytest

import namedtensor as nt
from namedtensor.latex import read

from .unseen import refusals

TWO_SECTIONS = r"""\ndef{\hid}{hid}\ndef{\feat}{feat}\ndef{\class}{class}\ndef{\node}{node}
%s
$$U \in \mathbb{R}^{\hid \times \feat} \qquad H \in \mathbb{R}^{\node \times \hid}$$
%s
$$\mathrm{classify}(H; U) = \nfun{\class}{softmax} ( U \ndot{\hid} H )$$
"""


def findings(text):
    document = read(text)
    return [*document.findings, *document.check()]


def test_a_letter_of_another_section_that_does_not_fit_is_named():
    """The formula was passed in silence, and refused when it was run."""
    (found,) = findings(TWO_SECTIONS % (r"\section{A}", r"\section{B}"))
    assert (found.severity, found.code) == ("note", "undeclared")
    assert "not checked: H, U are declared in another section only" in found.message
    assert "softmax acts over class" in found.message
    assert "declare H, U in this section too" in str(found)


def test_within_one_section_it_is_an_error():
    (found,) = findings(TWO_SECTIONS % ("", ""))
    assert (found.severity, found.code) == ("error", "axis-missing")


SIZES = r"""$$Q \in \mathbb{R}^{\text{key}} \qquad K \in \mathbb{R}^{\text{seq}, \text{key}} \\ %s
f(Q, K) = \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{%s}|}}$$"""


@pytest.mark.parametrize("name", ["f(Q, K)", "f"])
def test_the_size_of_an_axis_that_nothing_has_is_an_error(name):
    (found,) = findings((SIZES % ("", "layer")).replace("f(Q, K)", name))
    assert (found.severity, found.code) == ("error", "axis-missing")
    assert "|\\text{layer}| is a size that nothing has which f takes" in found.message


@pytest.mark.parametrize(
    ("stated", "axis"),
    [
        ("", "key"),
        (r"|\text{layer}| = 4 \\", "layer"),
        (r"W \in \mathbb{R}^{\text{layer}:4} \\", "layer"),
    ],
)
def test_a_size_that_is_known_is_none(stated, axis):
    text = SIZES % (stated, axis)
    assert findings(text) == []
    K = nt.ones("seq[2] key[4]")
    assert read(text)["f"](nt.ones("key[4]"), K).numpy().tolist() == [2.0, 2.0]


def test_a_function_of_undeclared_arguments_has_the_shapes_of_each_call_when_it_runs():
    document = read(
        r"""$$d(u, v) = \sqrt{\sum_{\text{dim}} (u - v)^2} \\
        X \in \mathbb{R}^{\text{pt}} \qquad C \in \mathbb{R}^{\text{ctr}, \text{dim}} \\
        q(X; C) = \underset{\text{ctr}}{\text{min}} \; d(X, C)$$"""
    )
    assert [*document.findings, *document.check()] == []
    C = nt.tensor([[1.0, 1.0], [4.0, 5.0]], "ctr dim")
    found = document["q"](nt.tensor([1.0, 4.0], "pt"), C=C)
    assert found.numpy("pt").tolist() == [0.0, 1.0]


def test_an_axis_without_a_size_meets_one_with_a_size_without_a_crash():
    text = r"""$X \in \mathbb{R}^{\text{obs}:n, \text{dim}:d}$, $y \in \mathbb{R}^{\text{obs}:n}$.
$$\begin{aligned}
G(X) &= X \underset{\text{obs}}{\cdot} [X]_{\text{dim} \rightarrow \text{new}'} \\
S(X) &= \underset{\text{dim}, \text{dim}'}{\text{inv}} \left( 2 I + G(X) \right) \\
m(X, y) &= S(X) \underset{\text{dim}'}{\cdot}
  \left[ X \underset{\text{obs}}{\cdot} y \right]_{\text{dim} \rightarrow \text{dim}'}
\end{aligned}$$
with the identity $I_{\text{dim}:i, \text{dim}':j} = \delta_{ij}$."""
    assert all(found.severity != "error" for found in findings(text))


def test_a_signature_says_what_a_letter_is_also_where_a_table_says_else():
    """The formula runs by its signature, and was checked by the table."""
    text = r"""$$g \colon \mathbb{R}^{\text{key}} \times \mathbb{R}^{\text{seq}} \rightarrow
    \mathbb{R}^{\text{seq}} \\
    g(Q, K) = Q \underset{\text{key}}{\cdot} K$$

    | letter | space |
    |---|---|
    | $K$ | $\mathbb{R}^{\text{seq}, \text{key}}$ |"""
    assert "K has no axis key" in str(findings(text)[0])


def test_a_recurrence_that_nothing_declares_and_that_begins_with_a_number_is_followed():
    text = r"""$$X \in \mathbb{R}^{\text{seq}, \text{hid}} \\
    H_{\text{seq}:0} = 0 \\
    H_{\text{seq}:t} = \tanh([H_{\text{seq}:t-1}]_{\text{%s} \rightarrow \text{hid}} + X_{\text{seq}:t})$$"""
    (found,) = findings(text % "val")
    assert (found.severity, found.code) == ("error", "axis-missing")
    assert found.message.startswith("val is renamed, and ")


def test_what_the_check_passes_in_silence_runs_with_few_exceptions():
    """`python -m tests.latex.unseen.refusals` tries more, and lists the exceptions."""
    found = Counter(outcome for outcome, _ in refusals.outcomes(60, 1))
    assert found["foreign"] == 0
    assert found["silent"] <= 2
    assert found["noticed"] >= 30


def test_a_size_in_a_clause_of_a_function_is_that_of_its_arguments():
    text = r"""A graph has features $X \in \mathbb{R}^{\text{node}, \text{feat}}$.

## Sequences
\begin{align*}
f &\colon \mathbb{R}^{\text{seq}, \text{emb}} \to \mathbb{R}^{\text{emb}} \\
f(X) &= Y \underset{\text{seq}}{\cdot} Y, \quad Y = X / |\text{seq}|
\end{align*}"""
    assert [f for f in findings(text) if f.severity != "note"] == []
