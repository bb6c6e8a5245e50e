"""An index that runs as far as one axis is not used on another one of another size without a word."""

import pytest

from namedtensor.latex import read

GIVEN = (
    r"$w \in \mathbb{R}^{\text{osc}:N}$, $h \in \mathbb{R}$, $\phi \in \mathbb{R}^{\text{time}:T, "
    r"\text{osc}:N}$, "
    r"$Y \in \mathbb{R}^{\text{person}:P, \text{item}:J}$. At first $\phi_{\text{time}(1)} = w$. "
)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            r"$$a = 2 w, \qquad b_{\text{osc}(i)} = a_{\text{osc}(i)}^2$$",
            r"$$a = 2 w, \qquad b_{\text{item}(i)} = a_{\text{osc}(i)}^2$$",
        ),
        (r"$$s = \sum_{j=1}^N w_{\text{osc}(j)}$$", r"$$s = \sum_{j=1}^T w_{\text{osc}(j)}$$"),
        (
            r"$$R_{\text{person}(i)} = \sum_{k=1}^J Y_{\text{person}(i), \text{item}(k)}$$",
            r"$$R_{\text{person}(i)} = \sum_{k=1}^J Y_{\text{person}(k), \text{item}(i)}$$",
        ),
        (
            r"$$R_{\text{person}(i)} = \sum_k Y_{\text{person}(i), \text{item}(k)}$$",
            r"$$R_{\text{person}(i)} = \sum_k Y_{\text{person}(k), \text{item}(i)}$$",
        ),
        (
            r"$$\phi_{\text{time}(t), \text{osc}(i)} = \phi_{\text{time}(t-1), \text{osc}(i)} + h "
            r"\sum_{j=1}^N "
            r"\phi_{\text{time}(t-1), \text{osc}(j)}$$",
            r"$$\phi_{\text{time}(t), \text{osc}(i)} = \phi_{\text{time}(t-1), \text{osc}(i)} + h "
            r"\sum_{j=1}^N "
            r"\phi_{\text{time}(j), \text{osc}(t-1)}$$",
        ),
    ],
)
def test_an_index_of_another_axis_is_reported(right, wrong):
    assert [f for f in read(GIVEN + right).check() if f.severity != "note"] == []
    found = [f.code for f in read(GIVEN + wrong).check() if f.severity != "note"]
    assert found
    assert {*found} <= {"index-range", "axis-size"}


def test_an_index_that_a_condition_chooses_may_run_along_another_axis():
    text = (
        r"$x \in \mathbb{R}^{\text{a}:n}$, $y \in \mathbb{R}^{\text{b}:m}$, $z \in \mathbb{R}^{\text{a}:n}$. "
        r"$$z_{\text{a}(i)} = \begin{cases} y_{\text{b}(i)} & i \le m \\ x_{\text{a}(i)} & "
        r"\text{otherwise} \end{cases}$$"
    )
    assert [f for f in read(text).check() if f.severity != "note"] == []


def test_a_term_that_has_the_axis_of_its_series_is_reported():
    text = (
        r"$K \in \mathbb{R}^{\text{seq}:n, \text{key}}$, $V \in \mathbb{R}^{\text{seq}:n, "
        r"\text{val}}$. $S_{\text{seq}(0)} = 0$, "
        r"$$S_{\text{seq}(t)} = S_{\text{seq}(t-1)} + K_{\text{seq}(t)} \odot V_{\text{seq}(t)}$$ "
        r"$$O = \sum_{\text{val}} S$$"
    )
    assert [f for f in read(text).check() if f.severity != "note"] == []
    found = read(text.replace(r"K_{\text{seq}(t)}", r"K_{\text{key}(t)}")).check()
    (clash,) = [f for f in found if f.severity == "error"]
    assert "has the axis seq, along which" in clash.message


def test_an_index_with_a_stride_by_another_one_may_run_along_another_axis():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:n}$, $w \in \mathbb{R}^{\text{ker}:k}$, $y \in "
        r"\mathbb{R}^{\text{far}:l}$. $$y_{\text{far}(p)} = \sum_{j=1}^k w_{\text{ker}(j)} "
        r"x_{\text{time}(p + 2 (j - 1))}, \quad p = 1, \ldots, n - 2 (k - 1)$$"
    )
    assert [f for f in read(text).check() if f.severity != "note"] == []


@pytest.mark.parametrize("said", [r"$N \ge B$", r"$B \leq N$", r"$N > B$", r"$N \geq 2 B$"])
def test_an_index_may_stop_early_where_the_document_says_which_size_is_larger(said):
    text = rf"Let $S \in \mathbb{{R}}^{{\text{{query}}:B, \text{{doc}}:N}}$ with {said}. "
    total = r"$$L = \sum_{i=1}^{B} S_{\text{query}(i), \text{doc}(i)}$$"
    assert not read(text + total).check()
    (finding,) = read(text.replace(said, "numbers") + total).check()
    assert finding.code == "index-range"


def test_an_index_past_what_is_known_to_be_enough_is_reported():
    text = r"""Let $S \in \mathbb{R}^{\text{query}:B, \text{doc}:N}$ with $N \ge B$.
$$L = \sum_{i=1}^{B} S_{\text{query}(i), \text{doc}(i+1)}$$"""
    assert [f.code for f in read(text).check()] == ["index-range"]


@pytest.mark.parametrize("said", [r"$N \ge B$", r"$B \leq N$"])
def test_an_index_of_an_axis_that_is_said_to_be_no_longer_may_go_along_another(said):
    text = rf"""There are $B$ queries and $N$ passages, {said}.
Let $u \in \mathbb{{R}}^{{\text{{q}}:B, \text{{e}}}}$ and $v \in \mathbb{{R}}^{{\text{{p}}:N, \text{{e}}}}$.
$$S = u \underset{{\text{{e}}}}{{\cdot}} v, \qquad
r_{{\text{{q}}:i}} = S_{{\text{{q}}:i, \text{{p}}:i}}$$"""
    assert [f for f in read(text).check() if f.severity != "note"] == []
    assert [f.code for f in read(text.replace(said, "as many")).check()] == ["index-range"]
