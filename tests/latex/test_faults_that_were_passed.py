r"""Faults of axes that were passed, or found at another line, each beside the same text without it."""

import re

import pytest

from namedtensor.latex import read


def full(text):
    r"""Write \text{hid}' for <hid'>, and a contraction for @<hid'>."""
    text = re.sub(r"@(<[^>]*>)", r"\\underset{\1}{\\odot}", text)
    return re.sub(r"<(\w+)('?)>", r"\\text{\1}\2", text)


LSTM = r"""Let $x \in \mathbb{R}^{<time> \times <in>}$. For each gate $g \in \{i, f, o, c\}$ there are
$W^g \in \mathbb{R}^{<in> \times <hid>}$, $U^g \in \mathbb{R}^{<hid'> \times <hid>}$.
With $h_0 = 0$ and $c_0 = 0$,
$$
\begin{aligned}
i_t &= \sigma(W^i @<in> x_t + U^i @<hid'> h_{t-1, <hid> \to <hid'>}) \\
f_t &= \sigma(W^f @<in> x_t + U^f @<hid'> h_{t-1, <hid> \to <hid'>}) \\
o_t &= \sigma(W^o @<in> x_t + U^o @<hid'> [h_{t-1}]_{<hid> \to <hid'>}) \\
\tilde c_t &= \tanh(W^c @<in> x_t + U^c @<hid'> h_{t-1, <hid> \to <hid'>}) \\
c_t &= f_t \odot c_{t-1} + i_t \odot \tilde c_t \\
h_t &= o_t \odot \tanh(c_t)
\end{aligned}
$$
"""
RENAMED = r"h_{t-1, <hid> \to <hid'>}"

ENTRIES = r"""Let $y \in [<tag>]^{<seq>}$, $E \in \mathbb{R}^{<seq> \times <tag>}$, $n = |<seq>|$.
$$s = \sum_{i=1}^n E_{<seq>(i), <tag>(y_i)} \qquad z = E_{<tag>(y)}$$"""

HESSIAN = r"""Let $X \in \mathbb{R}^{<ex> \times <feat>}$ and $\lambda \in \mathbb{R}$.
$$H = X @<ex> X_{<feat> \to <feat'>} + \lambda I$$
where $I \in \mathbb{R}^{<feat> \times <feat'>}$ is the identity."""

PRECISION = r"""Let $X \in \mathbb{R}^{<ex> \times <feat>}$ and $\lambda \in \mathbb{R}$.
$$H = \lambda I_{<feat>, <feat'>} + 2 X @<ex> X_{<feat> \to <feat'>}$$"""

NORM = r"""Let $x \in \mathbb{R}^{<seq> \times <emb>}$ and $\epsilon = 10^{-5}$.
$$y = \frac{x - \underset{<emb>}{<mean>} x}{\sqrt{\underset{<emb>}{<var>} x + \epsilon}}$$
$$z = (x - \underset{<emb>}{<mean>} x) / \underset{<emb>}{<std>} x$$"""

LOSS = r"""Let $Z \in \mathbb{R}^{<ex> \times <feat>}$. The Gram matrix is
$$C = Z @<ex> Z_{<feat> \to <feat'>}$$
$$L = \sum_i (1 - C_{ii})^2 + \lambda \sum_i \sum_{j \neq i} C_{ij}^2$$"""

#: A text, what is put for what, the line of the fault, and what is said of it.
FAULTS = [
    (LSTM, f"U^f @<hid'> {RENAMED}", "U^f @<hid'> h_{t-1}", 7, "h_{t-1} has no axis hid'"),
    (LSTM, f"U^c @<hid'> {RENAMED}", "U^c @<hid'> h_{t-1}", 9, "h_{t-1} has no axis hid'"),
    (LSTM, r"[h_{t-1}]_{<hid> \to <hid'>}", "[h_{t-1}]", 8, "has no axis hid'"),
    (ENTRIES, r"E_{<tag>(y)}", r"E_{<seq>(y)}", 2, "an index of tag, and it indexes seq"),
    (
        ENTRIES,
        r"E_{<seq>(i), <tag>(y_i)}",
        r"E_{<tag>(i), <seq>(y_i)}",
        2,
        "an index of tag, and it indexes seq",
    ),
    (HESSIAN, r"X_{<feat> \to <feat'>}", "X", 2, "what it is added to has no feat'"),
    (PRECISION, r"X_{<feat> \to <feat'>}", "X", 2, "what it is added to has no feat'"),
    (
        NORM,
        r"\underset{<emb>}{<var>}",
        r"\underset{<seq>}{<var>}",
        2,
        "that is taken off is over emb",
    ),
    (
        NORM,
        r"\underset{<emb>}{<std>}",
        r"\underset{<seq>}{<std>}",
        3,
        "that is taken off is over emb",
    ),
    (LOSS, r"Z_{<feat> \to <feat'>}", "Z", 3, "C_{ii} is neither declared nor defined"),
]


@pytest.mark.parametrize("text", [LSTM, ENTRIES, HESSIAN, NORM, LOSS])
def test_nothing_is_wrong_before(text):
    assert [str(f) for f in read(full(text)).check() if f.severity != "note"] == []


@pytest.mark.parametrize(("text", "old", "new", "line", "said"), FAULTS)
def test_a_fault_is_found_at_its_line_and_nowhere_else(text, old, new, line, said):
    assert text.count(old) == 1
    found = [f for f in read(full(text.replace(old, new))).check() if f.severity != "note"]
    assert {f.line for f in found} == {line}
    assert any(said in f.message for f in found)


def test_a_note_of_what_a_letter_is_taken_for_silences_nothing_on_its_line():
    text = r"""Let $x \in \mathbb{R}^{<a>}$. $$y = \lambda \sum_{<a>} x + \sum_{<a>} (B x)$$"""
    assert {f.code for f in read(full(text)).check() if f.severity == "error"} == {"undefined"}
