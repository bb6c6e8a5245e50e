r"""Elements are written short where an index is known to run along an axis: t_i for t_{pat(i)}."""

from itertools import pairwise

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.python_calls import python_calls

rng = np.random.default_rng(1)
t, u, b = rng.normal(size=4), rng.normal(size=4), rng.normal(size=3)
A, S = rng.normal(size=(4, 3)), rng.normal(size=(4, 4))
B = rng.normal(size=(3, 2))
GIVEN = {
    "t": tensor(t, "pat"),
    "tbold": tensor(t, "pat"),
    "u": tensor(u, "pat"),
    "v": tensor(b, "feat"),
    "A": tensor(A, "pat", "feat"),
    "S": tensor(S, "pat", "pat'"),
    "B": tensor(B, "feat", "out"),
    "m": 0.5,
}
HEAD = r"""Let $t, u \in \mathbb{R}^{\text{pat}:n}$, $v \in \mathbb{R}^{\text{feat}:d}$, $m \in \mathbb{R}$,
$A \in \mathbb{R}^{\text{pat}:n \times \text{feat}:d}$, $S \in \mathbb{R}^{\text{pat}:n \times \text{pat}':n}$
and $B \in \mathbb{R}^{\text{feat}:d \times \text{out}}$.
"""
BARE = r"""Let $t, u \in \mathbb{R}^{\text{pat}}$, $v \in \mathbb{R}^{\text{feat}}$, $m \in \mathbb{R}$,
$A \in \mathbb{R}^{\text{pat} \times \text{feat}}$, $S \in \mathbb{R}^{\text{pat} \times \text{pat}'}$ and
$B \in \mathbb{R}^{\text{feat} \times \text{out}}$.
"""
ALL = r" for $i = 1, \ldots, n$."


def run(text, name="L"):
    formula = read(text)[name]
    found = formula(**{p.name: GIVEN[p.name] for p in formula.signature.parameters})
    return found.numpy(*[axis for axis in ("pat", "feat", "out") if axis in found.axes])


def said(text):
    return {(f.severity, f.code) for f in read(text).check()}


#: What is computed with every size declared, and what numpy gives.
SIZED = {
    r"L = \sum_{i=1}^n (t_i - m)^2": ((t - 0.5) ** 2).sum(),
    r"L = \sum_{i=1}^{n} t_{i} u_{i}": t @ u,
    r"L = \frac{1}{n} \sum_{i=1}^n t_i^2": (t**2).mean(),
    r"L = \prod_{i=1}^n t_i": t.prod(),
    r"L = \max_{1 \le i \le n} t_i": t.max(),
    r"L = \sum_{i=2}^{n} (t_i - t_{i-1})^2": (np.diff(t) ** 2).sum(),
    r"L = \sum_{i=1}^{n-1} t_i t_{i+1}": (t[:-1] * t[1:]).sum(),
    r"L = \sum_{i=1}^n t_{n-i+1} u_i": t[::-1] @ u,
    r"L = \sum_{i=1}^n \sum_{j=1}^d A_{ij} v_j": (A @ b).sum(),
    r"L = \sum_{i=1}^n \sum_{j=1}^d A_{i,j} t_i v_j": t @ A @ b,
    r"L = \sum_{i=1}^n \sum_{j=1}^d A_{i j}^2": (A**2).sum(),
    r"L = \sum_{i=1}^n \sum_{j=1}^n S_{ij} t_i u_j": t @ S @ u,
    r"L = \sum_{i=1}^n \sum_{j=1}^n S_{ji} t_i u_j": u @ S @ t,
    r"L = \sum_{i=2}^n \sum_{j=1}^d A_{i-1,j}": A[:-1].sum(),
    r"L = \sum_{i=1}^n \sum_{j=1}^{i} S_{ij}": np.tril(S).sum(),
    r"L = \sum_{i=1}^n t_i \sum_{j \ne i} S_{ij}": (t[:, None] * S * (1 - np.eye(4))).sum(),
    r"L = \sum_{i=1}^n A_i": A.sum(0),
    r"L = \sum_{j=1}^d A_j": A.sum(1),
    r"L = \sum_{i,j} S_{ij}": S.sum(),
    r"L = \sum_{i \in [n]} t_i": t.sum(),
    r"L = \sum_{i \in \{1, \ldots, n\}} t_i": t.sum(),
    r"L_{\text{pat}(i)} = t_i / 2": t / 2,
    r"L_{\text{pat}(i)} = \sum_{j=1}^d A_{ij} v_j + t_i": A @ b + t,
    r"L_{\text{feat}(j)} = \sum_{i=1}^n A_{ij} t_i": t @ A,
    r"L_{\text{feat}(j)} = \max_{i=1}^n A_{ij}": A.max(0),
    r"L_i = \sum_{j=1}^d A_{ij} v_j": A @ b,
    r"L_j = \sum_{i=1}^n A_{ij} t_i": t @ A,
    r"L_i = \sum_{j=1}^n S_{ij} t_j": S @ t,
    r"L_i = t_i / 2 \quad \text{for } i = 1, \ldots, n": t / 2,
    r"L_{ik} = \sum_{j=1}^d A_{ij} B_{jk}": A @ B,
    r"L_{i,j} = A_{ij} t_i": A * t[:, None],
    r"L = \sum_{i=1}^n \exp(t_i) / \sum_{j=1}^n \exp(u_j)": np.exp(t).sum() / np.exp(u).sum(),
    r"L = \sum_{i=1}^n t_i (u_i - m)": t @ (u - 0.5),
    r"L_i = \frac{\exp t_i}{\sum_{j=1}^n \exp t_j}": np.exp(t) / np.exp(t).sum(),
    r"L = \max_{i=1, \ldots, n} t_i": t.max(),
    r"L = \sum_{i=1}^{n-d+1} \sum_{j=1}^d v_j t_{i+j-1}": np.convolve(t, b[::-1], "valid").sum(),
    r"L = \sum_{i=1}^n \begin{cases} t_i & u_i > 0 \\ 0 & \text{otherwise} \end{cases}": t[
        u > 0
    ].sum(),
}


@pytest.mark.parametrize("formula", SIZED)
def test_an_index_with_a_range_up_to_the_size_of_an_axis_runs_along_it(formula):
    text = HEAD + f"$${formula}$$"
    assert said(text) == {("note", "meaning")}
    np.testing.assert_allclose(run(text), SIZED[formula])


#: The same without a size: the axis is named, or nothing else is possible.
NAMED = {
    r"L = \sum_{i \in \text{pat}} (t_i - m)^2": ((t - 0.5) ** 2).sum(),
    r"L = \max_{i \in \text{pat}} t_i": t.max(),
    r"L = \sum_{i \in \text{pat}} \sum_{j \in \text{feat}} A_{ij} v_j": (A @ b).sum(),
    r"L_{\text{pat}(i)} = \sum_{j \in \text{pat}'} S_{ij} t_j": S @ t,
    r"L_{\text{pat}(i)} = \sum_{j \in \text{pat}} S_{ij} t_j": S @ t,
    r"L = \sum_{i=1}^{|\text{pat}|} t_i": t.sum(),
    r"L = \max_i t_i": t.max(),
    r"L = \sum_{i} t_i u_i": t @ u,
    r"L = \sum_i \sum_j A_{ij} t_i v_j": t @ A @ b,
    r"L = \sum_{i \in \text{pat}} A_i": A.sum(0),
    r"L_{\text{pat}(i)} = t_i \sum_{j \in \text{feat}} A_{\text{pat}(i), \text{feat}(j)}": t
    * A.sum(1),
    r"L_i = t_i / 2 \quad \text{for } i \in \text{pat}": t / 2,
}


@pytest.mark.parametrize("formula", NAMED)
def test_an_index_in_an_axis_runs_along_it(formula):
    text = BARE + f"$${formula}$$"
    assert said(text) == {("note", "meaning")}
    np.testing.assert_allclose(run(text), NAMED[formula])


#: Definitions by elements, and what numpy gives.
LEFT = {
    r"L_i = 2 t_i": 2 * t,
    r"L_i = t_i u_i + \sum_{j=1}^d A_{ij}": t * u + A.sum(1),
    r"L_i = \sum_{j=1}^n S_{ji} t_j": t @ S,
    r"L_i = \max(t_i, m)": np.maximum(t, 0.5),
}


@pytest.mark.parametrize("formula", LEFT)
@pytest.mark.parametrize("declared", ["", r"Let $L \in \mathbb{R}^{\text{pat}:n}$. "])
@pytest.mark.parametrize("around", [("", ALL), (r"For each $i = 1, \ldots, n$ let ", "")])
def test_an_element_that_is_defined_is_written_short_too(formula, declared, around):
    text = HEAD + declared + f"$${formula}$$".join(around)
    found = read(text)["L"]
    found = found(**{p.name: GIVEN[p.name] for p in found.signature.parameters})
    (axis,) = found.axes
    np.testing.assert_allclose(found.numpy(axis), LEFT[formula])


#: What is no element for sure: it is left as it is written.
REFUSED = [
    HEAD + "$$L = t_i / 2$$" + ALL,  # nothing binds i
    HEAD + r"$$L = \sum_{i=1}^d t_i$$",  # that of another axis
    HEAD + r"$$L = \sum_{i=0}^{n-1} t_i$$",  # counted from 0
    HEAD + r"$$L = \sum_{j=1}^d A_{ji}$$",
    HEAD + r"$$L = \sum_{i=1}^n \sum_{j=1}^d A_{ji}$$",  # in the other order
    HEAD + r"$$L_{\text{pat}(i)} = \sum_{j=1}^n S_{ji}$$",  # by their names it is S_{ij}
    HEAD + r"$$L = \sum_{i=1}^n t_{\max}$$",
    HEAD + r"$$L = \sum_{i=1}^n t_{\text{i}}$$",
    HEAD + r"$$L = \sum_{i=1}^n t_i'$$",
    HEAD + r"$$L = \sum_{i=1}^n t_{i,i}$$",
    HEAD + r"$$L = \sum_{i=1}^n t_{i,\text{max}}$$",
    HEAD + r"$$L = \sum_{i=1}^n S_i$$",  # a row or a column
    HEAD + r"$$L = \sum_{i=1}^n t_i^\top$$",
    HEAD + r"$$t_{i+1} = t_i - m u_i$$",  # steps of a method, each over pat
    HEAD + r"$$t_{i+1} = t_i - m$$" + r"$$L = \frac{1}{m} \sum_i t_i$$",
    HEAD + r"Let $t_i \in \mathbb{R}^{\text{feat}}$ for all $i$. $$L = \sum_{i=1}^n t_i$$",
    HEAD + r"Let $t_1, t_2 \in \mathbb{R}^{\text{feat}}$. $$L = \sum_{i=1}^n t_i$$",
    HEAD + r"$$t_1 = m$$ $$L = \sum_{i=1}^n t_i$$",
    HEAD + r"$$L = \sum_i t_i w_i$$",  # of w nothing is known
    HEAD + r"$$L = \sum_i A_{ij}$$",
    BARE + r"$$L = \sum_{i \in \text{feat}} t_i$$",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_be_something_else_is_left_alone(text):
    assert ("note", "meaning") not in said(text)
    assert read(text).reading.shorthand == ()


def test_the_hint_for_an_element_is_what_is_to_be_typed():
    text = HEAD + r"$$L = m \sum_{i=1}^n \sum_{j=1}^d A_{ji}$$"
    (finding,) = read(text).check()
    assert finding.message == "A_{ji} is neither declared nor defined"
    assert finding.hint == (r"A is declared, and its element is A_{\text{pat}:j, \text{feat}:i}")


def test_a_note_says_once_for_a_formula_what_is_taken_as_an_element():
    text = HEAD + r"$$L = \sum_{i=1}^n \sum_{j=1}^d t_i A_{ij} t_i$$"
    (finding,) = read(text).check()
    assert finding.message == (
        r"taken as an element: t_{i} as t_{\text{pat}:i} and A_{ij} as A_{\text{pat}:i, \text{feat}:j}"
    )
    assert finding.hint == "write it so, or declare what is a letter of its own"


def test_a_bold_vector_has_plain_elements():
    text = r"Let $\mathbf{t} \in \mathbb{R}^{\text{pat}:n}$. $$L = \sum_{i=1}^n t_i$$"
    np.testing.assert_allclose(run(text), t.sum())


def test_what_is_defined_by_elements_has_short_ones():
    text = BARE + (
        r"$$r_{\text{pat}(i)} = t_i - m$$ $$C_{ik} = \sum_{j \in \text{feat}} A_{ij} B_{jk}$$"
        r"$$L = \sum_{i \in \text{pat}} r_i + \sum_{i \in \text{pat}} \sum_{k \in \text{out}} C_{ik}$$"
    )
    np.testing.assert_allclose(run(text), (t - 0.5).sum() + (A @ B).sum())


def test_a_size_that_is_stated_is_that_of_the_axis():
    text = BARE + r"Let $n = |\text{pat}|$. $$L = \sum_{i=1}^n t_i$$"
    np.testing.assert_allclose(run(text), t.sum())


GRAPH = r"""Let $S \in \mathbb{R}^{\text{pat}:n \times \text{pat}':n}$ and $t \in \mathbb{R}^{\text{pat}:n}$.
$$d_i = \sum_{j=1}^n S_{ij}, \quad i \in \{1, \ldots, n\}$$
$$L_{ij} = \begin{cases} d_i & i = j \\ -S_{ij} & \text{otherwise} \end{cases}$$
$$q_i = \sum_{j=1}^n \frac{S_{ji}}{d_j} t_j$$
"""


def test_an_index_may_run_along_an_axis_here_and_its_copy_there():
    assert said(GRAPH) == {("note", "meaning")}
    d = S.sum(1)
    document = read(GRAPH)
    given = {"S": GIVEN["S"], "t": GIVEN["t"]}
    np.testing.assert_allclose(document["d"](S=given["S"]).numpy("pat"), d)
    np.testing.assert_allclose(
        document["L"](S=given["S"]).numpy("pat", "pat'"), np.where(np.eye(4), d, -S)
    )
    np.testing.assert_allclose(document["q"](**given).numpy("pat'"), (t / d) @ S)


def test_members_of_a_series_say_along_what_their_index_runs():
    text = HEAD + r"$$s_i = \sum_{j=1}^d A_{ij} v_j$$ $$p_i = \exp(s_i)$$ $$L = \sum_i t_i p_i$$"
    np.testing.assert_allclose(run(text), t @ np.exp(A @ b))


def test_a_series_of_another_section_leaves_elements_alone():
    text = "# One\n" + HEAD + r"$$L = \sum_{i=1}^n t_i$$" + "\n# Two\n" + r"$$t_{k+1} = t_k - 1$$"
    np.testing.assert_allclose(run(text), t.sum())


def test_a_number_of_another_section_is_another_letter():
    text = (
        "# One\n" + HEAD + "$$L = \\sum_{i=1}^n t_i$$\n# Two\nLet $t \\in \\mathbb{R}$. $$w = t$$\n"
    )
    np.testing.assert_allclose(run(text), t.sum())


def test_many_axes_take_no_time():
    axes = r" \times ".join([rf"\text{{a{i}}}:n" for i in range(15)])
    text = rf"Let $A \in \mathbb{{R}}^{{{axes}}}$. $$L = \sum_{{i=1}}^n A_{{{'i' * 15}}}$$"
    assert read(text).reading.shorthand == ()


def test_a_window_is_written_short():
    text = HEAD + (
        r"Let $L \in \mathbb{R}^{\text{out}:n-d+1}$. $$L_i = \sum_{j=1}^d v_j t_{i+j-1}$$ for "
        r"$i = 1, \ldots, n-d+1$."
    )
    assert said(text) == {("note", "meaning")}
    np.testing.assert_allclose(run(text), np.convolve(t, b[::-1], "valid"))


def test_an_axis_may_be_shorter_by_one():
    text = HEAD + (
        r"Let $L \in \mathbb{R}^{\text{out}:n-1}$. $$L_i = t_{i+1} - t_i$$ for $i = 1, \ldots, n - 1$."
    )
    np.testing.assert_allclose(run(text), np.diff(t))


def test_a_copy_is_as_long_as_its_axis():
    text = (
        r"Let $S \in \mathbb{R}^{\text{pat}:n \times \text{pat}'}$ and $t \in \mathbb{R}^{\text{pat}}$. "
        r"$$L_i = \sum_{j=1}^n S_{ij} t_j$$"
    )
    np.testing.assert_allclose(run(text), S @ t)


def test_the_styles_macros_are_read_alike():
    text = (
        r"$\ndef{\pat}{pat}\ndef{\feat}{feat} A \in \mathbb{R}^{\pat[n] \times \feat}$ "
        r"$$L = \sum_{i=1}^n \sum_{j \in \feat} A_{ij}$$"
    )
    np.testing.assert_allclose(run(text), A.sum())
    (finding,) = read(text).check()
    assert finding.message.endswith(r"A_{ij} as A_{\pat(i), \feat(j)}")


def test_a_series_whose_inputs_are_short_is_a_series():
    text = HEAD + r"$$h_i = m h_{i-1} + t_i$$ for $i = 1, \ldots, n$, with $h_0 = 0$. $$L = h$$"
    wanted, h = [], 0.0
    for value in t:
        h = 0.5 * h + value
        wanted.append(h)
    np.testing.assert_allclose(run(text), wanted)


HMM = r"""Let $\pi \in \mathbb{R}^{\text{state}:N}$,
$A \in \mathbb{R}^{\text{state}:N \times \text{state}':N}$,
$B \in \mathbb{R}^{\text{state}:N \times \text{symbol}:M}$, $o \in [M]^{\text{time}:T}$ and
$\alpha, \beta \in \mathbb{R}^{\text{time}:T \times \text{state}:N}$.
"""
pi, P = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3)
E, o = rng.dirichlet(np.ones(2), 3), np.array([0, 1, 1, 0])
forward, backward = rng.random((2, 4, 3))
CHAIN = {
    "pi": tensor(pi, "state"),
    "A": tensor(P, "state", "state'"),
    "B": tensor(E, "state", "symbol"),
    "o": tensor(o, "time"),
    "alpha": tensor(forward, "time", "state"),
    "beta": tensor(backward, "time", "state"),
}
STEP = r"B_{j,o_t} \sum_{i=1}^N \alpha_{t-1,i} A_{ij}"
alphas = [pi * E[:, 0]]
for symbol in o[1:]:
    alphas.append(alphas[-1] @ P * E[:, symbol])
both = forward * backward

#: Formulas of a lecture, and what numpy gives.
LECTURE = {
    r"$$\alpha_{1,i} = \pi_i B_{i,o_1}$$ $$\alpha_{t,j} = "
    + STEP
    + r"$$ for $t = 2, \ldots, T$. $$L = \sum_{i=1}^N \alpha_{T,i}$$": alphas[-1].sum(),
    r"$$L_j = \sum_{i=1}^N \pi_i A_{ij}$$": pi @ P,
    r"$$L_t(i) = \frac{\alpha_t(i) \beta_t(i)}{\sum_{j=1}^N \alpha_t(j) \beta_t(j)}$$": both
    / both.sum(1, keepdims=True),
    r"$$L_i = \alpha_{1,i}$$": forward[0],
    r"$$L_{ij} = \sum_{t=1}^T \alpha_{ti} \alpha_{tj}$$": forward.T @ forward,
    r"$$L = \sum_{i=1}^N \alpha_T(i)$$": forward[-1].sum(),
    r"$$L = \sum_{t=1}^T \log B_{1,o_t}$$": np.log(E[0, o]).sum(),
    r"$$L = \sum_{t=1}^{T-1} \sum_i \sum_j \alpha_t(i) A_{ij} B_{j,o_{t+1}} \beta_{t+1}(j)$$": sum(
        forward[t] @ P @ (E[:, o[t + 1]] * backward[t + 1]) for t in range(3)
    ),
}


@pytest.mark.parametrize("formulas", LECTURE)
def test_a_lecture_is_read_as_it_is_written(formulas):
    document = read(HMM + formulas)
    assert {f.code for f in document.check()} == {"meaning"}
    formula = document["L"]
    found = formula(**{p.name: CHAIN[p.name] for p in formula.signature.parameters})
    axes = [axis for axis in ("time", "state", "state'") if axis in found.axes]
    np.testing.assert_allclose(found.numpy(*axes), LECTURE[formulas])


@pytest.mark.parametrize(
    "formula",
    [
        r"L = \pi_1 + \pi_2",  # they may be two of a kind
        r"L = \sum_{t=1}^T \sum_{i=1}^N o_t(i)",
        r"L = \sum_{i=1}^N \pi_{o_i}",  # o is as long as time
    ],
)
def test_what_a_lecture_leaves_open_stays_open(formula):
    assert read(HMM + f"$${formula}$$").reading.shorthand == ()


#: What one formula of a section shows of a letter holds for the others, also for elements by numbers.
SHOWN = r"$$M = \frac{1}{n} \sum_{i=1}^n t_i$$ "
FOLLOWING = {
    r"$$L = t_1 + t_2$$": t[0] + t[1],
    r"The steps are $L_i = t_i - m$ for $i \geq 2$ and $L_1 = 0$.": np.r_[0, t[1:] - 0.5],
    r"$$L_k = \sum_{i=1}^k t_i$$": t.cumsum(),
    r"$$L_k = \sum_{i \le k} t_i u_i$$": (t * u).cumsum(),
    r"$$r_i = t_i - m, \qquad L_k = \sum_{i=1}^k t_i r_i$$": (t * (t - 0.5)).cumsum(),
}


@pytest.mark.parametrize("formula", FOLLOWING)
def test_a_letter_with_elements_in_one_formula_has_them_in_the_others(formula):
    text = HEAD + SHOWN + formula
    assert said(text) == {("note", "meaning")}
    np.testing.assert_allclose(run(text), FOLLOWING[formula])


def test_what_runs_up_to_the_index_of_a_series_runs_along_an_axis():
    text = HEAD + r"The wealth is $L_k = \prod_{i=1}^{k} (1 + t_i)$."
    np.testing.assert_allclose(run(text), np.cumprod(1 + t))


#: Elements of what a formula defines whole, in its section or in the only one that does.
WHOLE = r"$$r = A \underset{\text{feat}}{\cdot} v$$ "


@pytest.mark.parametrize("around", ["", "\n\n## Two\n\n"])
@pytest.mark.parametrize("head", [HEAD, "# All\n\n" + HEAD + "\n\n## One\n\n"])
def test_what_is_defined_whole_has_elements(head, around):
    text = head + WHOLE + around + r"$$L = \sum_{i=1}^n t_i (r_i - u_i)$$"
    assert said(text) == {("note", "meaning")}
    np.testing.assert_allclose(run(text), t @ (A @ b - u))


def test_an_index_that_may_run_along_two_axes_chooses_no_element_of_what_is_defined():
    text = HEAD + r"Let $w \in \mathbb{R}^{\text{other}:n}$. $$r = %s$$ $$L = \sum_{i=1}^n r_i$$"
    assert ("error", "undefined") in said(text % r"\underset{\text{pat}}{\text{argsort}}\, t")
    np.testing.assert_allclose(run(text % r"\underset{\text{pat}}{\text{softmax}}\, t"), 1)
    np.testing.assert_allclose(run(text % "2 t"), 2 * t.sum())  # it can only be pat


def test_a_sum_over_pairs_has_elements_of_both():
    text = HEAD + SHOWN + r"$$L = \sum_{i \neq j} \mathbb{1}[t_i < t_j] u_i$$"
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j and t[i] < t[j]]
    np.testing.assert_allclose(run(text), sum(u[i] for i, _ in pairs))


def test_a_primed_letter_is_another_one():
    text = HEAD + (
        r"We work with $g = e^{t}$ and $$g'_{\text{pat}(i)} = g_i \sum_{j=1}^n S_{ij}$$ "
        r"$$L = \sum_{\text{pat}} g'$$"
    )
    np.testing.assert_allclose(run(text), np.exp(t) @ S.sum(1))


def test_an_index_along_an_axis_and_its_copy_needs_no_size_for_both():
    text = (
        r"Let $t \in \mathbb{R}^{\text{pat}:n}$ and $S \in \mathbb{R}^{\text{pat}, \text{pat}'}$. "
        + (r"$$L_{\text{pat}(i)} = \sum_{j \neq i} \frac{S_{ij} + S_{ji}}{t_i + t_j}$$")
    )
    assert said(text) == {("note", "meaning")}
    every = (S + S.T) / (t[:, None] + t) * (1 - np.eye(4))
    np.testing.assert_allclose(run(text), every.sum(1))


def test_a_square_that_is_defined_whole_has_elements():
    text = (
        HEAD
        + r"The communality is $h^2 = \sum_{\text{feat}} A^2$. $$L = \sum_{i=1}^n t_i (1 - h_i^2)$$"
    )
    np.testing.assert_allclose(run(text), t @ (1 - (A**2).sum(1)))


def test_an_index_along_a_copy_stands_at_what_has_the_axis_alone():
    text = HEAD + r"$$L_{\text{pat}(i), \text{pat}'(j)} = \sum_{k=1}^d A_{ik} A_{jk}$$"
    found = read(text)["L"](A=GIVEN["A"])
    np.testing.assert_allclose(found.numpy("pat", "pat'"), A @ A.T)


def test_a_kronecker_delta_leaves_indices_to_the_tensors():
    text = HEAD + r"$$L_{ij} = 2 S_{ij} - \delta_{ij}$$"
    found = read(text)["L"](S=GIVEN["S"])
    np.testing.assert_allclose(found.numpy("pat", "pat'"), 2 * S - np.eye(4))


def test_arguments_are_no_elements():
    text = HEAD + SHOWN + r"$$L(t_1, t_2) = \sum_{\text{pat}} (t_1 - t_2)^2$$"
    found = read(text)["L"](GIVEN["t"], GIVEN["u"])
    np.testing.assert_allclose(found.numpy(), ((t - u) ** 2).sum())


def test_a_recurrence_takes_the_rows_of_a_tensor():
    text = r"""Let $g \in \mathbb{R}^{\text{step}:T, \text{in}}$,
$w_0 \in \mathbb{R}^{\text{in}}$ and $m_0 = 0$.
$$u_t = m_{t-1} + g_t$$ $$w_t = w_{t-1} - u_t$$ $$m_t = m_{t-1} + g_t$$"""
    document, g = read(text), rng.normal(size=(3, 2))
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["w"](g=tensor(g, "step in"), w_0=tensor(np.zeros(2), "in"))
    np.testing.assert_allclose(found.numpy("step in"), -np.cumsum(np.cumsum(g, 0), 0))


def test_an_index_runs_where_other_formulas_say_by_name():
    document = read(
        r"""Let $K, x \in \mathbb{R}^{\text{seq}, \text{chan}}$.
# A
$$y_{\text{seq}(t)} = 2 K_{\text{seq}(t)}$$
# B
$$a_t = \tanh(x_t), \qquad h_t = h_{t-1} + a_t, \qquad h_0 = 0$$"""
    )
    assert [f.code for f in document.check() if f.severity in ("error", "warning")] == []
    X = np.arange(6.0).reshape(3, 2)
    found = document["h"](tensor(X, "seq", "chan")).numpy("seq chan")
    np.testing.assert_allclose(found, np.tanh(X).cumsum(0))


def test_an_index_up_to_the_size_of_one_axis_runs_along_it():
    text = r"""Let $u \in \mathbb{R}^{\text{pat}:n}$.
$$\tau_i = \frac{2 i - 1}{2 n}, \qquad i = 1, \ldots, n$$
$$L = \sum_{\text{pat}} | \tau - \mathbf{1}\{ u < 0 \} |$$"""
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["L"](u=tensor(u, "pat"))
    np.testing.assert_allclose(found.numpy(), np.abs((2 * np.arange(1, 5) - 1) / 8 - (u < 0)).sum())


@pytest.mark.parametrize(
    "said",
    [
        r"and we abbreviate $x_t = x_{\text{time}:t}$.",
        r"and we write $x_t := x_{\text{time}(t)}$ for its rows.",
        r"and $x_t$ is short for $x_{\text{time}(t)}$.",
        r"and we abbreviate $x_{\text{time}(t)}$ by $x_t$.",
    ],
)
def test_prose_says_how_elements_are_written_short(said):
    document = read(
        rf"The input is $x \in \mathbb{{R}}^{{\text{{time}}, \text{{in}}}}$, {said}"
        r" $$M_{\text{row}'(t), \text{row}(s)} = \mathbb{1}[s \le t]$$"
        "\n\n" + r"$$h_t = x_t + h_{t-1}$$ with $h_0 = 0$."
    )
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    X = rng.normal(size=(4, 2))
    found = document["h"](x=tensor(X, "time", "in"))
    np.testing.assert_allclose(found.numpy("time", "in"), X.cumsum(0))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"a_{11} + a_{22}", lambda a: a[0, 0] + a[1, 1]),
        (r"\max(a_{11} + a_{22}, a_{12} + a_{21})", lambda a: max(np.trace(a), a[0, 1] + a[1, 0])),
        (r"a_{12}", lambda a: a[0, 1]),
    ],
)
def test_digits_are_as_many_indices_as_a_tensor_has_axes(formula, expected):
    document = read(
        r"Let $x, r \in \mathbb{R}^{\text{src}:2, \text{smp}}$. "
        r"$$a_{ij} = \sum_{\text{smp}} x_{\text{src}(i)} r_{\text{src}(j)}$$ for $i, j \in \{1, 2\}$. "
        rf"$$y = {formula}$$"
    )
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    x, r = rng.normal(size=(2, 2, 5))
    found = document["y"](x=tensor(x, "src", "smp"), r=tensor(r, "src", "smp"))
    np.testing.assert_allclose(found.numpy(), expected(x @ r.T))


def test_digits_beyond_an_axis_are_reported():
    text = (
        r"Let $x \in \mathbb{R}^{\text{src}:2, \text{smp}}$. "
        r"$$a_{ij} = x_{\text{src}(i)} \underset{\text{smp}}{\cdot} x_{\text{src}(j)}$$ $$y = a_{13}$$"
    )
    assert "index-range" in [f.code for f in read(text).check()]


def test_a_range_that_is_no_size_leaves_an_index_along_the_axis_at_its_place():
    text = (
        HEAD
        + r"With $r = 1$, $$w_{i,j,k} = e^{-(A_{i+k+r,j} - A_{i+r,j})^2}$$ and"
        + r"$$D_{\text{pat}(i), \text{feat}(j)} = \sum_{k=-r}^{r} w_{i,j,k} "
        + r"A_{\text{pat}(i+k+r), \text{feat}(j)}$$"
        + r" for $i = 1, \ldots, n - 2r$ and $j = 1, \ldots, d$."
    )
    document = read(text)
    assert [f.code for f in document.check() if f.code != "meaning"] == []
    found = document["D"](A=GIVEN["A"]).numpy("pat feat")
    windows = [A[k : len(A) - 2 + k] for k in range(3)]
    wanted = sum(np.exp(-((one - windows[1]) ** 2)) * one for one in windows)
    np.testing.assert_allclose(found, wanted)


ANGLE = r"\omega = \pi (f - 1) (n - 1) / 4"
WAVES = (
    r"$$C_{\text{freq}:f, \text{tap}:n} = \cos \omega - 2 \omega, \quad "
    r"f = 1, \dots, 3, \quad n = 1, \dots, 4$$"
)


@pytest.mark.parametrize(
    "text",
    [
        rf"With ${ANGLE}$, let {WAVES}",
        rf"{WAVES} where ${ANGLE}$.",
        rf"Let ${ANGLE}$. {WAVES}",
        rf"$${ANGLE}$$ and {WAVES}",
        rf"{WAVES} with ${ANGLE}$, and {WAVES.replace('C_', 'S_')}",
    ],
)
def test_an_abbreviation_by_indices_stands_for_a_part_of_the_elements(text):
    document = read(text)
    assert not [f for f in document.check() if f.severity != "note"]
    omega = np.pi * np.outer(np.arange(3), np.arange(4)) / 4
    np.testing.assert_allclose(document["C"]().numpy("freq tap"), np.cos(omega) - 2 * omega)


def test_an_abbreviation_that_is_also_used_without_its_indices_is_none():
    document = read(rf"{WAVES} where ${ANGLE}$. Then $$s = \sum_{{\text{{tap}}}} \omega$$")
    assert [f.code for f in document.check() if f.severity == "error"]


def test_a_size_that_a_reshaping_makes_is_known_where_its_tensor_is_used():
    document = read(
        r"""Let $P \in \mathbb{R}^{\text{row}, \text{col}}$ and $c \in \mathbb{R}$.

$$t = P_{(\text{row}, \text{col}) \to \text{tok}}$$

Let $n = |\text{tok}|$.

$$X_{\text{seq}:i} = \begin{cases} c & i = 1 \\ t_{\text{tok}:i-1} & \text{otherwise} \end{cases}
\qquad i = 1, \dots, n + 1$$"""
    )
    found = document["X"](P=tensor(np.arange(6.0).reshape(2, 3), "row col"), c=9.0)
    np.testing.assert_allclose(found.numpy("seq"), [9, 0, 1, 2, 3, 4, 5])


@pytest.mark.parametrize("total", [r"\sum_{i \le j} r_i", r"\sum_{i=1}^j r_i"])
@pytest.mark.parametrize("before", ["", r"Of $C$, the first is $\lambda_1 = 2$. "])
def test_elements_of_a_vector_need_no_range(before, total):
    text = rf"""# Directions
{before}
## Shares
Let $\lambda \in \mathbb{{R}}_{{>0}}^{{\text{{comp}}:m}}$ be variances.
$$r_j = \frac{{\lambda_j}}{{\sum_{{\text{{comp}}}} \lambda}}, \qquad R_j = {total}.$$"""
    document, given = read(text), np.array([3.0, 2.0, 1.0])
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["R"](lambda_=tensor(given, "comp"))
    np.testing.assert_allclose(found.numpy("comp"), np.cumsum(given) / 6)


def test_a_vector_that_is_acted_on_has_no_elements_without_a_range():
    text = r"""Let $x \in \mathbb{R}^{\text{emb}}$, $W \in \mathbb{R}^{\text{hid} \times \text{emb}}$.
$$h_j = W \underset{\text{emb}}{\cdot} x_j$$"""
    assert [f.code for f in read(text).check() if f.severity == "error"] == ["undefined"]


def test_a_step_of_one_element_leaves_the_others_elements():
    text = r"""Let $\theta \in \mathbb{R}^{\text{team}:n}$.
$$P_{\text{team}(i), \text{team}'(j)} = \sigma(\theta_i - \theta_j)$$
After $a$ plays $b$, $\theta_a \leftarrow \theta_a + K (1 - \sigma(\theta_a - \theta_b))$, $K = 2$."""
    document, theta = read(text), np.array([0.3, -0.2, 1.0])
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["P"](theta=tensor(theta, "team"))
    wanted = 1 / (1 + np.exp(theta - theta[:, None]))
    np.testing.assert_allclose(found.numpy("team", "team'"), wanted)


@pytest.mark.parametrize("around", ["$", "$$"])
def test_a_diagonal_is_an_element_at_two_places(around):
    text = rf"""Let $H \in \mathbb{{R}}^{{\text{{obs}}:n \times \text{{obs}}':n}}$. Its leverages are
{around}h_i = H_{{\text{{obs}}:i, \text{{obs}}':i}}{around} and
$$s = \frac{{1}}{{n}} \sum_{{i=1}}^n h_i^2.$$"""
    document, H = read(text), np.arange(9.0).reshape(3, 3)
    assert [f for f in document.check() if f.severity != "note"] == []
    given = tensor(H, "obs", "obs'")
    np.testing.assert_allclose(document["h"](H=given).numpy("obs"), np.diag(H))
    np.testing.assert_allclose(float(document["s"](H=given)), np.mean(np.diag(H) ** 2))


SIGNAL = np.array([1.0, -2.0, 0.5, 3.0])


@pytest.mark.parametrize("axis", ["time", "seq", "step", "day"])
def test_a_signal_has_an_element_at_each_step_of_a_recurrence(axis):
    text = rf"""Let $u \in \mathbb{{R}}^{{\text{{{axis}}}}}$ and
$A, B, C \in \mathbb{{R}}^{{\text{{state}}}}$.
With $h_0 = 0$,
$$h_t = A \odot h_{{t-1}} + B u_t, \qquad y_t = C \underset{{\text{{state}}}}{{\odot}} h_t + 2 u_t.$$"""
    document = read(text)
    assert {f.code for f in document.check()} == {"meaning"}
    A, B, C = np.array([0.5, 0.9]), np.array([1.0, 2.0]), np.array([-1.0, 3.0])
    h, wanted = np.zeros(2), []
    for one in SIGNAL:
        h = A * h + B * one
        wanted.append(C @ h + 2 * one)
    given = {name: tensor(of, "state") for name, of in zip("ABC", (A, B, C), strict=True)}
    found = document["y"](u=tensor(SIGNAL, axis), **given)
    np.testing.assert_allclose(found.numpy(axis), wanted)


def test_returns_run_backwards_over_the_rewards():
    text = r"""Let $r \in \mathbb{R}^{\text{step}:T}$ be rewards and $\gamma \in \mathbb{R}$.
With $G_{T+1} = 0$,
$$G_t = r_t + \gamma G_{t+1}.$$"""
    document = read(text)
    assert {f.code for f in document.check()} == {"meaning"}
    total, wanted = 0.0, []
    for one in SIGNAL[::-1]:
        total = one + 0.9 * total
        wanted.insert(0, total)
    found = document["G"](r=tensor(SIGNAL, "step"), gamma=0.9)
    np.testing.assert_allclose(found.numpy("step"), wanted)


@pytest.mark.parametrize(
    ("axis", "step"),
    [
        (
            "param",
            r"\beta m_{t-1} + (1 - \beta) g_t",
        ),  # a gradient at each step, over all parameters
        ("time", r"\beta m_{t-1} + \sum_{\text{time}} g_t"),  # which the whole is needed for
    ],
)
def test_a_vector_of_a_step_is_no_element(axis, step):
    text = rf"""Let $g \in \mathbb{{R}}^{{\text{{{axis}}}}}$ and $\beta \in \mathbb{{R}}$.
$$m_t = {step}, \qquad m_0 = 0.$$"""
    assert "undefined" in {f.code for f in read(text).check() if f.severity == "error"}


def test_pairs_of_views_are_elements_at_twice_an_index():
    text = r"""For $N$ pairs, $Z \in \mathbb{R}^{\text{view}:2N \times \text{emb}}$ and $\tau \in \mathbb{R}$.
$$ S = \frac{1}{\tau} Z \underset{\text{emb}}{\odot} Z_{\text{view} \to \text{view}'} $$
$$ \ell_{\text{view}(i), \text{view}'(j)} = -\log \frac{\exp(S_{ij})}
{\sum_{k=1}^{2N} \mathbb{1}_{[k \ne i]} \exp(S_{ik})} $$
$$ L = \frac{1}{2N} \sum_{k=1}^{N} \left( \ell_{2k-1, 2k} + \ell_{2k, 2k-1} \right) $$"""
    Z = rng.normal(size=(6, 3))
    shares = np.exp(Z @ Z.T / 0.5)
    loss = -np.log(shares / (shares * (1 - np.eye(6))).sum(1)[:, None])
    wanted = sum(loss[k, k + 1] + loss[k + 1, k] for k in (0, 2, 4)) / 6
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["L"](Z=tensor(Z, "view", "emb"), tau=0.5)
    np.testing.assert_allclose(float(found), wanted)


def test_twice_an_index_is_one_index_of_a_vector():
    text = (
        r"""Let $x \in \mathbb{R}^{\text{time}:2N}$. $$y = \sum_{k=1}^{N} (x_{2k} - x_{2k-1})$$"""
    )
    found = read(text)["y"](x=tensor(np.array([1.0, 4.0, 2.0, 8.0]), "time"))
    assert float(found) == 9.0


def test_an_index_that_is_declared_over_an_axis_runs_along_it():
    text = r"""For tasks $t \in [\text{task}]$ let $L, w \in \mathbb{R}^{\text{task}}$ be given.
$$J = \sum_t w_t L_t$$"""
    found = read(text)["J"](L=tensor(u, "task"), w=tensor(t, "task"))
    np.testing.assert_allclose(float(found), t @ u)


def test_definitions_of_definitions_are_followed_in_work_that_only_adds_up():
    def work(letters):
        sums = [f"$$ {b} = {a} + 2 {a} + 3 {a} + 4 {a} $$" for a, b in pairwise(letters)]
        text = r"Let $a \in \mathbb{R}^{\text{pat}:n}$. " + "\n".join(sums)
        last = letters[-1]
        return python_calls(lambda: read(rf"{text} $$ L = \sum_{{i=1}}^n {last}_i {last}_i $$"))

    assert work("abcdfgh") < 3 * work("abcd")


@pytest.mark.parametrize("mark", [r"\text{new}", r"\mathrm{ML}", "+", r"\star"])
@pytest.mark.parametrize("first", [True, False])
def test_a_name_with_a_mark_above_has_elements_of_its_own(mark, first):
    """So has the name without it, which is another one."""
    name, vector = (f"A^{{{mark}}}_{{ij}}", f"t^{{{mark}}}_i")
    if not first:
        name, vector = (f"A_{{ij}}^{{{mark}}}", f"t_i^{{{mark}}}")
    text = rf"""{HEAD}
$$ {name} = t_i A_{{ij}}, \qquad {vector} = \sum_{{j=1}}^d A_{{ij}}, \qquad
L_i = {vector} + t_i + \sum_{{j=1}}^d {name} $$"""
    assert [f for f in read(text).check() if f.severity != "note"] == []
    np.testing.assert_allclose(run(text), (t[:, None] * A).sum(1) + A.sum(1) + t)
    np.testing.assert_allclose(run(text, f"A^{{{mark}}}"), t[:, None] * A)
    np.testing.assert_allclose(run(text, f"t^{{{mark}}}"), A.sum(1))


def test_elements_of_a_declared_square_are_short_too():
    text = r"""Let $X \in \mathbb{R}^{\text{obs}:n, \text{comp}:k}$,
$\sigma^2 \in \mathbb{R}^{\text{comp}:k}$ and $\pi \in \Delta^{\text{comp}:k}$.
$$ p_{ij} = \pi_j (2 \pi \sigma_j^2)^{-1/2} e^{-X_{ij}^2 / (2 \sigma_j^2)}, \qquad
(\sigma^{\text{new}}_j)^2 = \sum_{i=1}^n p_{ij} X_{ij}^2 $$"""
    X, s2, pi = rng.normal(size=(3, 2)), np.array([0.5, 2.0]), np.array([0.3, 0.7])
    given = {
        "X": tensor(X, "obs", "comp"),
        "sigma2": tensor(s2, "comp"),
        "pi": tensor(pi, "comp"),
    }
    document, p = read(text), pi * np.exp(-(X**2) / (2 * s2)) / np.sqrt(2 * np.pi * s2)
    assert {f.severity for f in document.check()} == {"note"}
    np.testing.assert_allclose(document["p"](**given).numpy("obs", "comp"), p)
    found = document[r"\sigma^{\text{new}}"](**given).numpy("comp")
    np.testing.assert_allclose(found, np.sqrt((p * X**2).sum(0)))


@pytest.mark.parametrize("last", [r"i = n", r"i \ge n"])
def test_a_condition_on_the_last_index_says_along_what_elements_run(last):
    text = rf"""{HEAD}
$$ w_i = \begin{{cases}} \frac12 & \text{{if }} i = 1 \text{{ or }} {last} \\
1 & \text{{otherwise}} \end{{cases}} $$
$$ L = \sum_{{i=1}}^n w_i t_i $$"""
    np.testing.assert_allclose(run(text), t.sum() - (t[0] + t[-1]) / 2)


@pytest.mark.parametrize(
    ("rule", "power"),
    [(r"t_1^h", 3), (r"t_1^{2h}", 6), (r"(1 - t_1^{h-1}) + t_1^{h-1} - 1 + t_1^h", 3)],
)
def test_an_element_may_have_the_power_of_an_argument(rule, power):
    document = read(HEAD + rf"$$s = \sum_{{i=1}}^n t_i \qquad f(h) = {rule}$$")
    assert [f for f in document.check() if f.severity == "error"] == []
    t = np.array([1.5, 2.0, 0.5])
    found = document["f"](h=3, t=tensor(t, "pat"))
    np.testing.assert_allclose(found.numpy(), t[0] ** power)


def test_elements_of_what_a_function_of_the_document_makes_are_along_its_axes():
    text = (
        HEAD
        + r"""$$s(A) = \frac{A}{\sum_{\text{pat}} A}, \qquad
C = s(A) \underset{\text{pat}}{\cdot} s(A')_{\text{feat} \rightarrow \text{feat}'}$$
with $A' \in \mathbb{R}^{\text{pat}:n \times \text{feat}:d}$.
$$L = \sum_{i=1}^d \sum_{j \neq i} C_{ij}^2 - \sum_{i=1}^d C_{ii}$$"""
    )
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    P, Q = np.abs(rng.normal(size=(2, 4, 3)))
    C = (P / P.sum(0)).T @ (Q / Q.sum(0))
    found = document["L"](A=tensor(P, "pat", "feat"), A_=tensor(Q, "pat", "feat"))
    np.testing.assert_allclose(found.numpy(), (C**2).sum() - (np.diag(C) ** 2).sum() - np.trace(C))
