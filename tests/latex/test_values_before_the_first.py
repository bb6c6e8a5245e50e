r"""What is given before the first element of an axis, x_0 = 0, and single elements behind a range."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

x = np.array([2.0, 5, 4, 9])
GIVEN = {"x": tensor(x, "time"), "a": 3.0}
HERE, LAST = r"x_{\text{time}(t)}", r"x_{\text{time}(t-1)}"
STARTS = [r"x_0 = START", r"x_{\text{time}(0)} = START", r"x_{\name{time}(0)} = START"]


def before(start):
    return np.concatenate([[start], x[:-1]])


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("value", "number"), [("0", 0.0), ("7", 7.0), ("a", 3.0)])
@pytest.mark.parametrize("range_", [r", \quad t = 1, \ldots, T", ""])
def test_a_difference_takes_what_is_given_before_the_first(start, value, number, range_):
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$, $a \in \mathbb{R}$. "
        rf"$${start.replace('START', value)}$$ $$d_{{\text{{time}}(t)}} = {HERE} - {LAST}{range_}$$"
    )
    same(called(text, "d", GIVEN), x - before(number), "time")


def test_it_may_be_given_in_prose_beside_the_declaration():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$ with $x_0 = 0$. "
        rf"$$d_{{\text{{time}}(t)}} = {HERE} - {LAST}, \quad t = 1, \ldots, T$$"
    )
    same(called(text, "d", GIVEN), x - before(0), "time")


@pytest.mark.parametrize("start", STARTS)
def test_a_sum_takes_it_too(start):
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$. "
        rf"$${start.replace('START', '1')}$$ $$s = \sum_{{t=1}}^T ({HERE} - {LAST})^2$$ "
        rf"$$u = \sum_{{t=1}}^T {LAST}^2$$ $$v = \sum_{{t=2}}^T ({HERE} - {LAST})$$"
    )
    same(called(text, "s", GIVEN), ((x - before(1)) ** 2).sum())
    same(called(text, "u", GIVEN), (before(1) ** 2).sum())
    same(called(text, "v", GIVEN), x[-1] - x[0])


def test_it_is_looked_for_in_the_sections_around_alone():
    text = (
        "$x \\in \\mathbb{R}^{\\text{time}:T}$\n\n# A\n\n$$x_0 = 1$$\n\n# B\n\n"
        rf"$$s = \sum_{{t=1}}^T ({HERE} - {LAST})$$"
    )
    found = read(text).check()
    assert [f.code for f in found] == ["index-range", "not-notation"]
    assert "set aside: it uses x as other notations do" in found[1].message


def test_without_it_there_is_no_element_before_the_first():
    text = rf"$x \in \mathbb{{R}}^{{\text{{time}}:T}}$. $$s = \sum_{{t=1}}^T ({HERE} - {LAST})$$"
    assert [f.code for f in read(text).check()] == ["index-range"]


def test_of_two_axes_each_may_have_its_own():
    g = np.arange(6.0).reshape(2, 3)
    text = (
        r"$g \in \mathbb{R}^{\text{row}, \text{col}}$. $$g_{\text{row}(0)} = 5$$ "
        r"$$d_{\text{row}(i)} = g_{\text{row}(i)} - g_{\text{row}(i-1)}$$"
    )
    wanted = g - np.concatenate([np.full((1, 3), 5.0), g[:-1]])
    same(called(text, "d", {"g": tensor(g, "row", "col")}), wanted, "row", "col")


def test_a_recurrence_starts_as_before():
    text = (
        r"$x, y \in \mathbb{R}^{\text{time}:T}$. "
        rf"$$y_{{\text{{time}}(t)}} = y_{{\text{{time}}(t-1)}} + {HERE}, \quad y_0 = 1$$"
    )
    same(called(text, "y", GIVEN), 1 + x.cumsum(), "time")


@pytest.mark.parametrize("range_", [r"i = 1, \ldots, 3", r"1 \le i \le 3"])
@pytest.mark.parametrize("between", ["$$ $$", r" \\ ", r", \quad "])
@pytest.mark.parametrize(
    ("all_", "one"), [(r"d_{\text{time}(i)}", r"d_{\text{time}(4)}"), ("d_i", "d_4")]
)
@pytest.mark.parametrize("declared", ["", r", $d \in \mathbb{R}^{\text{time}:4}$"])
def test_an_element_behind_the_range_counts(range_, between, all_, one, declared):
    text = rf"$x \in \mathbb{{R}}^{{\text{{time}}:4}}${declared}. " + (
        rf"$${all_} = 2 x_{{\text{{time}}(i)}}, \quad {range_}{between}{one} = 10$$"
    )
    same(called(text, "d", GIVEN), [4, 10, 8, 10], "time")


def test_elements_between_the_range_and_the_last_are_not_known():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:4}$. $$d_{\text{time}(i)} = 2 x_{\text{time}(i)}, \quad "
        r"i = 1, \ldots, 2, \quad d_{\text{time}(4)} = 10$$"
    )
    found = read(text)["d"](GIVEN["x"])
    np.testing.assert_allclose(found.numpy("time"), [4, 10, np.nan, 10])


def test_an_element_within_the_range_leaves_its_end():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:4}$. $$d_{\text{time}(i)} = 2 x_{\text{time}(i)}, \quad "
        r"i = 1, \ldots, 3, \quad d_{\text{time}(2)} = 9$$"
    )
    same(called(text, "d", GIVEN), [4, 9, 8], "time")


def test_elements_written_short_take_it_too():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$. With $x_0 = 1$ the length is "
        r"$$s = \sum_{t=1}^T (x_t - x_{t-1})^2$$"
    )
    np.testing.assert_allclose(read(text)["s"](GIVEN["x"]).numpy(), ((x - before(1)) ** 2).sum())


def test_a_series_may_have_a_member_before_its_first():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$. $$S_k = \prod_{j=1}^k x_j, \quad k = 1, \ldots, T$$ "
        r"With $S_0 = 1$ the area is $$r = \sum_{j=1}^T S_{j-1} x_j$$"
    )
    product, document = np.cumprod(x), read(text)
    np.testing.assert_allclose(document["S"](GIVEN["x"]).numpy("time"), product)
    wanted = (np.r_[1, product[:-1]] * x).sum()
    np.testing.assert_allclose(document["r"](GIVEN["x"]).numpy(), wanted)


def test_there_may_be_values_on_both_sides():
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$, with $x_{\text{time}(s)} = 0$ for $s < 1$ or $s > T$. "
        r"$$d_{\text{time}(t)} = \sum_{j=1}^3 x_{\text{time}(t + j - 2)}$$"
    )
    same(called(text, "d", GIVEN), before(0) + x + np.append(x[1:], 0), "time")


@pytest.mark.parametrize(
    "said",
    [
        r"with $V_{\text{time}(T+1)} = 0$ where a game has ended",
        r"with $V_{T+1} = 0$ for games that have ended",
    ],
)
def test_what_is_said_of_the_last_element_of_a_longer_axis_is_no_value_outside(said):
    text = (
        rf"$V \in \mathbb{{R}}^{{\text{{time}}:T+1}}$, {said}, and $x \in \mathbb{{R}}^{{\text{{time}}:T}}$. "
        r"$$D_{\text{time}(t)} = x_{\text{time}(t)} + V_{\text{time}(t+1)}, \qquad t = 1, \ldots, T$$"
    )
    V = np.arange(1.0, len(x) + 2)
    same(called(text, "D", {**GIVEN, "V": tensor(V, "time")}), x + V[1:], "time")


@pytest.mark.parametrize("mark", ["t < 1", r"t \leq 0"])
@pytest.mark.parametrize("after", ["", "\n\nFor $t = 1, \\ldots, T$ there is more."])
def test_what_is_defined_as_a_whole_has_values_before_the_first(mark, after):
    text = (
        r"$x \in \mathbb{R}^{\text{time}:T}$, $c \in \mathbb{R}^{\text{tap}:3}$. $$p = 2 x$$"
        r"$$y_{\text{time}(t)} = \sum_{k=1}^{3} c_{\text{tap}(k)} p_{\text{time}(t - k + 1)}$$"
        rf"where $p_{{\text{{time}}(t)}} = 0$ for ${mark}$.{after}"
    )
    c = np.array([0.5, 2.0, 1.0])
    expected = np.convolve(2 * x, c)[:4]
    same(called(text, "y", {"x": GIVEN["x"], "c": tensor(c, "tap")}), expected, "time")


@pytest.mark.parametrize(
    "said",
    [
        "Outside of the picture we read zeros, EQUATION.",
        "Here EQUATION if $i$ or $j$ is below $1$ or above $n$.",
        "EQUATION for pixels beyond its edges.",
    ],
)
def test_words_give_all_that_lies_outside_of_a_tensor(said):
    equation = r"$p_{\text{row}(i), \text{col}(j)} = 0$"
    text = (
        r"Let $p \in \mathbb{R}^{\text{row}:n, \text{col}:n}$. "
        + said.replace("EQUATION", equation)
        + r" $$b_{\text{row}(i), \text{col}(j)} = \sum_{k=1}^3 p_{\text{row}(i+k-2), \text{col}(j+1)}$$"
    )
    p = np.arange(9.0).reshape(3, 3)
    padded = np.pad(p, 1)
    expected = padded[:-2, 2:] + padded[1:-1, 2:] + padded[2:, 2:]
    same(called(text, "b", {"p": tensor(p, "row col")}), expected, "row", "col")
    apart = text.replace(said.replace("EQUATION", equation), "")
    assert [f.code for f in read(apart).check() if f.severity == "error"]


WINDOW = (
    r"$$s_{\text{gram}(g), \text{time}(t)} = \sum_{j=0}^{g} x_{\text{time}(t-j)}, \quad g = 1, 2$$"
)
SAID = "bytes before the beginning of the string count as zero."


@pytest.mark.parametrize(
    "said",
    [
        f"Here, {SAID}",
        f"where $a$ is large, and {SAID}",
        f"where $a$ is large, but {SAID}",
    ],
)
@pytest.mark.parametrize("between", [" ", "\n\n## Windows\n\n"])
def test_what_prose_says_in_a_clause_of_its_own_holds_in_each_section(said, between):
    text = rf"$x \in \mathbb{{R}}^{{\text{{time}}:T}}$.{between}{WINDOW} {said}"
    found = read(f"## Notation\n{text}")["s"](x=GIVEN["x"])
    wanted = [x + before(0), x + before(0) + np.concatenate([[0, 0], x[:-2]])]
    same(found, wanted, "gram", "time")


@pytest.mark.parametrize(
    "said",
    [
        "where $v$ is zero before the first step.",
        "and $v$ is zero before the beginning.",
        "where $v$ counts as zero\nafter the last step.",
    ],
)
def test_a_function_in_prose_that_is_zero_before_the_first_step(said):
    text = r"""Let $k \in \mathbb{R}^{\text{tap}:3}$ and $u \in \mathbb{R}^{\text{time}:T}$,
$$y = \text{conv}(u)$$
Here $\text{conv}(v)_{\text{time}:t} = \sum_{j=1}^{3} k_{\text{tap}:j} v_{\text{time}:t STEP}$, """
    back = "after" not in said
    document = read(text.replace("STEP", "- j + 1" if back else "+ j - 1") + said)
    assert [f for f in document.check() if f.severity != "note"] == []
    u, k = np.arange(1.0, 6.0), np.array([1.0, 2.0, -1.0])
    wanted = np.convolve(u, k)[:5] if back else np.convolve(u, k[::-1])[2:]
    found = document["y"](u=tensor(u, "time"), k=tensor(k, "tap"))
    np.testing.assert_allclose(found.numpy("time"), wanted)
