r"""The range of an index behind a definition by elements is how long its axis is, however it is written."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read

rng = np.random.default_rng(0)
x, X = rng.normal(size=4), rng.normal(size=(3, 4))

#: What stands behind the formula in its display, and behind the display.
SAID = [
    (r", \qquad {}", ""),
    (r" \quad ({})", ""),
    (r" \quad \text{{for }} {}", ""),
    (r" \quad \forall {}", ""),
    (r"", r" for ${}$."),
    (r"", r" for all ${}$."),
    (r"", r" where ${}$."),
]
RANGES = [
    r"1 \le i \le 2W",
    r"1 \leq i < 2W + 1",
    r"i = 1, \ldots, 2W",
    r"i = 1, 2, \ldots, 2W",
    r"i \in [2W]",
    r"i \in \{1, \ldots, 2W\}",
    r"i \in \{1, 2, \ldots, 2W\}",
]


def value(text: str, name: str, findings=(), **given):
    document = read(text)
    assert [f.code for f in document.check()] == list(findings)
    return document[name](**given)


@pytest.mark.parametrize(("inside", "behind"), SAID)
@pytest.mark.parametrize("said", RANGES)
def test_a_range_is_how_long_an_axis_is(said, inside, behind):
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. "
        r"$$U_{\text{width}(i)} = X_{\text{width}(\lceil i/2 \rceil)}"
        + f"{inside.format(said)}$${behind.format(said)}"
    )
    found = value(text, "U", X=tensor(x, "width"))
    np.testing.assert_allclose(found.numpy("width"), x.repeat(2))


@pytest.mark.parametrize("said", [r"1 \le i \le W/2", r"i = 1, \ldots, W/2"])
@pytest.mark.parametrize(("body", "wanted"), [("i", x[:2]), ("2i", x[1::2]), ("2i - 1", x[::2])])
def test_a_range_may_be_a_part_of_an_axis(said, body, wanted):
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. "
        rf"$$U_{{\text{{width}}(i)}} = X_{{\text{{width}}({body})}}, \qquad {said}$$"
    )
    np.testing.assert_allclose(value(text, "U", X=tensor(x, "width")).numpy("width"), wanted)


@pytest.mark.parametrize(
    ("inside", "behind"),
    [
        (r", \qquad 1 \le i \le 2H,\ 1 \le j \le 2W", ""),
        (r", \qquad i = 1, \ldots, 2H, \quad j = 1, \ldots, 2W", ""),
        (r" \quad \text{for } 1 \le i \le 2H \text{ and } 1 \le j \le 2W", ""),
        ("", r" for $1 \le i \le 2H$ and $1 \le j \le 2W$."),
        (r", \qquad i \in [2H]", r" for $j = 1, \ldots, 2W$."),
    ],
)
def test_each_index_has_a_range_of_its_own(inside, behind):
    text = (
        r"Let $X \in \mathbb{R}^{\text{height}:H \times \text{width}:W}$. "
        r"$$U_{\text{height}(i), \text{width}(j)}"
        r" = X_{\text{height}(\lceil i/2 \rceil), \text{width}(\lceil j/2 \rceil)}"
        f"{inside}$${behind}"
    )
    found = value(text, "U", X=tensor(X, "height", "width"))
    np.testing.assert_allclose(found.numpy("height", "width"), X.repeat(2, 0).repeat(2, 1))


@pytest.mark.parametrize("said", [r"1 \le i, j \le T", r"i, j = 1, \ldots, T", r"i, j \in [T]"])
def test_indices_share_a_range(said):
    text = (
        rf"$$U_{{\text{{row}}(i), \text{{column}}(j)}} = i + 10 j, \qquad {said}$$"
        r" Let $Y \in \mathbb{R}^{\text{out}:T}$."
    )
    found = read(text).bind(T=2)["U"]()
    np.testing.assert_allclose(found.numpy("row", "column"), [[11, 21], [12, 22]])


@pytest.mark.parametrize(
    ("inside", "behind"),
    [
        (r", \qquad 2 \le i \le W", ""),
        (r", \qquad i = 2, \ldots, W", ""),
        (r" \quad \text{for } i > 1", ""),
        ("", r" for $i \ge 2$."),
    ],
)
def test_elements_before_a_range_have_no_value(inside, behind):
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. "
        rf"$$U_{{\text{{width}}(i)}} = 2 X_{{\text{{width}}(i)}}{inside}$${behind}"
    )
    found = value(text, "U", ["nan"], X=tensor(x, "width")).numpy("width")
    np.testing.assert_allclose(found, [np.nan, *2 * x[1:]])


@pytest.mark.parametrize("said", [r"2 \le i \le W", r"i = 2, \ldots, W"])
def test_an_element_before_a_range_may_have_its_own_definition(said):
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. $$U_{\text{width}(1)} = 7$$ "
        rf"$$U_{{\text{{width}}(i)}} = 2 X_{{\text{{width}}(i)}}, \qquad {said}$$"
    )
    found = value(text, "U", X=tensor(x, "width")).numpy("width")
    np.testing.assert_allclose(found, [7, *2 * x[1:]])


@pytest.mark.parametrize("said", [r"0 \le i < W", r"i = 0, \ldots, W - 1"])
def test_an_index_that_counts_from_0_is_refused(said):
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. "
        rf"$$U_{{\text{{width}}(i)}} = 2 X_{{\text{{width}}(i)}}, \qquad {said}$$"
    )
    document = read(text)
    assert [f.code for f in document.check()] == ["index-range"]
    with pytest.raises(LatexError, match="i starts at 0, and indices count from 1"):
        document["U"](X=tensor(x, "width"))


def test_a_range_of_other_letters_is_no_range_of_these():
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. $$U_{\text{width}(i)} = 2 X_{\text{width}(i)}$$ "
        r"for $1 \le k \le 2W$."
    )
    np.testing.assert_allclose(read(text)["U"](tensor(x, "width")).numpy("width"), 2 * x)


def test_a_range_at_the_end_of_a_row_is_that_of_all_with_its_index():
    text = (
        r"Let $x \in \mathbb{R}^{\text{pos}:N}$. "
        r"$$a_{\text{half}(k)} = x_{\text{pos}(2k-1)} + x_{\text{pos}(2k)}, \quad "
        r"d_{\text{half}(k)} = x_{\text{pos}(2k-1)} - x_{\text{pos}(2k)}, \quad k = 1, \ldots, N / 2$$"
        r"$$v_s = x_{\text{pos}(s)} + v_{s-1}, \quad v_1 = 5, \quad s = 2, \ldots, N$$"
    )
    document, x = read(text), np.array([1.0, 2.0, 4.0, 8.0])
    given = tensor(x, "pos")
    np.testing.assert_allclose(document["a"](given).numpy("half"), x[::2] + x[1::2])
    np.testing.assert_allclose(document["d"](given).numpy("half"), x[::2] - x[1::2])
    np.testing.assert_allclose(document["v"](given).numpy("pos"), 4 + x.cumsum())


def test_a_rule_that_does_not_look_back_begins_where_another_one_starts():
    text = r"""Let $E \in \mathbb{R}^{\text{time}:T}$. At first
$u_{\text{time}(1)} = E_{\text{time}(1)}$, later
\begin{align}
u_{\text{time}(t)} &= a_{\text{time}(t-1)} + E_{\text{time}(t)}, \qquad t = 2, \dots, T \\
a_{\text{time}(t)} &= \frac{u_{\text{time}(t)}}{2}
\end{align}"""
    assert read(text).check() == []
    a = read(text)["a"](E=tensor(np.array([2.0, 4.0, 6.0]), "time"))
    np.testing.assert_allclose(a.numpy("time"), [1, 2.5, 4.25])


def test_a_range_behind_another_row_is_of_the_one_definition_with_its_index():
    text = r"""Let $X \in \mathbb{R}^{\text{width}:W}$.
$$\begin{aligned}
U_{\text{width}(i)} &= X_{\text{width}(2i)} \\
V &= 2 U, \qquad i = 1, \ldots, W/2
\end{aligned}$$"""
    np.testing.assert_allclose(value(text, "V", X=tensor(x, "width")).numpy("width"), 2 * x[1::2])


def test_rows_below_a_sum_are_a_list():
    text = (
        r"Let $X \in \mathbb{R}^{\text{width}:W}$. $$p_{\text{width}(j)} = "
        r"\sum_{\substack{i = 1 \\ i \neq j}}^W X_{\text{width}(i)}$$"
    )
    found = value(text, "p", X=tensor(x, "width")).numpy("width")
    np.testing.assert_allclose(found, x.sum() - x)


DIFFERENCES = [
    r"a_{\text{col}(i)} = X_{\text{col}(i+2)} - X_{\text{col}(i)}",
    r"b_{\text{col}(i)} = X_{\text{col}(i)} - X_{\text{col}(i+1)}",
]


@pytest.mark.parametrize("between", [r", \qquad ", r" \\ "])
@pytest.mark.parametrize(
    "behind",
    [r"for $1 \le i \le n - 2$.", r"where $i = 1, \ldots, n - 2$.", r"for all $i \in [n - 2]$."],
)
def test_a_range_behind_a_display_is_of_all_that_it_defines(between, behind):
    head = r"Let $X \in \mathbb{R}^{\text{row}, \text{col}:n}$."
    text = f"{head} $${between.join(DIFFERENCES)}$$ {behind}"
    document, given = read(text), tensor(X, "row", "col")
    assert document.check() == []
    found = document["a"](X=given), document["b"](X=given)
    np.testing.assert_allclose(found[0].numpy("row col"), X[:, 2:] - X[:, :-2])
    np.testing.assert_allclose(found[1].numpy("row col"), X[:, :2] - X[:, 1:3])


def test_a_range_behind_a_display_is_not_of_what_another_row_looks_ahead_into():
    text = r"""Let $x \in \mathbb{R}^{\text{seq}:n}$.
$$u_{\text{seq}(i)} = 2 x_{\text{seq}(i)} \\ d_{\text{seq}(i)} = u_{\text{seq}(i+1)} - u_{\text{seq}(i)}$$
for $i = 1, \ldots, n - 1$."""
    document, given = read(text), tensor(x, "seq")
    assert document.check() == []
    np.testing.assert_allclose(document["u"](x=given).numpy("seq"), 2 * x)
    np.testing.assert_allclose(document["d"](x=given).numpy("seq"), np.diff(2 * x))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"c_{\text{edge}(m+2)} - c_{\text{edge}(m)}", x[2:] - x[:-2]),
        (r"c_{\text{edge}(m)} - c_{\text{edge}(m+1)}", x[:-1] - x[1:]),
        (
            r"c_{\text{edge}(m+1)} - c_{\text{edge}(m)} + c_{\text{edge}(m+2)}",
            x[1:-1] - x[:-2] + x[2:],
        ),
        (
            r"\begin{cases} c_{\text{edge}(m+1)} & c_{\text{edge}(m)} > 0 \\ 0 & \text{else} \end{cases}",
            np.where(x[:-1] > 0, x[1:], 0),
        ),
    ],
)
def test_an_index_without_a_range_goes_as_far_as_all_its_elements_are_there(body, wanted):
    text = rf"For $c \in \mathbb{{R}}^{{\text{{edge}}}}$ let $$w_{{\text{{band}}(m)}} = {body}.$$"
    document = read(text)
    assert document.check() == []
    np.testing.assert_allclose(document["w"](c=tensor(x, "edge")).numpy("band"), wanted)


def test_along_its_own_axis_an_index_without_a_range_goes_to_the_end():
    text = r"""For $c \in \mathbb{R}^{\text{edge}:n}$ let
$$w_{\text{edge}(m)} = c_{\text{edge}(m)} - c_{\text{edge}(m+1)}.$$"""
    assert [f.code for f in read(text).check()] == ["index-range"]


@pytest.mark.parametrize("between", [", ", r", \; ", "; ", r" \text{ and } "])
@pytest.mark.parametrize("ends", [("{}", ""), ("({})", "."), (r"\text{{for }} ({})", "")])
def test_several_ranges_in_one_pair_of_brackets_are_ranges(between, ends):
    ranges = r"i = 1, \dots, 2" + between + r"j = 1, \dots, 3"
    said = ends[0].format(ranges) + ends[1]
    document = read(
        r"$X \in \mathbb{R}^{\text{s}}$ $$Y_{\text{a}:i, \text{b}:j} = X_{\text{s}:i+j-1} \quad "
        f"{said}$$"
    )
    wanted = [x[0:3], x[1:4]]
    np.testing.assert_allclose(document["Y"](tensor(x, "s")).numpy("a b"), wanted)
