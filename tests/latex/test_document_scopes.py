"""What a letter stands for at a place: near and far, before and after, sizes and constants."""

import numpy as np
import pytest

import namedtensor as nt

A = nt.tensor([1.0, 2.0, 3.0], "a")


def read(*parts):
    return nt.latex.read("\n\n".join(parts), "notes.md")


def same(found, expected, *axes):
    np.testing.assert_allclose(found.numpy(*axes), expected, rtol=1e-12)


def test_an_update_is_seen_by_what_follows_it_and_by_nothing_before():
    document = read(
        r"$X \in \mathbb{R}^{\text{a}}$",
        r"$$\begin{aligned} Y &= \exp(0 X) X \\ X &\leftarrow X + 1 \\ Z &= \exp(0 X) X \end{aligned}$$",
    )
    same(document["Y"](A), [1, 2, 3], "a")
    same(document["Z"](A), [2, 3, 4], "a")


def test_an_update_in_a_block_below_is_no_where_clause():
    document = read(
        r"$X \in \mathbb{R}^{\text{a}}$, $C \in \mathbb{R}^{\text{a}}$",
        r"$$ Q = X - C, \qquad q = \sum_{\text{a}} Q $$",
        r"$$ C \leftarrow 2 Q $$",
    )
    same(document["q"](X=A, C=A), 0)
    same(document["C"](X=A, C=0 * A), [2, 4, 6], "a")


def test_definitions_of_the_same_block_come_before_declarations_of_it():
    document = read(
        r"$X, M \in \mathbb{R}^{\text{a}}$, $f(X) = X + M$, $M = 2X$",
    )
    assert repr(document["f"]) == "f(X: R[a]) -> R[a]"


def test_a_where_clause_uses_the_arguments_of_its_formula():
    document = read(
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = \exp m$, $m = \sum_{\text{a}} X$, $g(X) = f(2X)$",
    )
    same(document["f"](A), np.exp(6))
    same(document["g"](A), np.exp(12))


def test_a_where_clause_of_another_function_is_not_meant():
    document = read(
        r"$$ X, M \in \mathbb{R}^{\text{a}} $$",
        r"$$\begin{aligned} f(X) &= X + M \\ M &= 3X \end{aligned}$$",
        r"$$ g(X) = X \odot M, \qquad M \in \mathbb{R}^{\text{a}} $$",
    )
    assert repr(document["f"]) == "f(X: R[a]) -> R[a]"
    assert repr(document["g"]) == "g(X: R[a]; M: R[a]) -> R[a]"


def test_a_value_of_another_block_is_computed_from_its_own_letters():
    document = read(
        r"$X \in \mathbb{R}^{\text{a}}$",
        r"$$ m = \sum_{\text{a}} X $$",
        r"$$ Y = \exp(0 X) (X - m) $$",
    )
    same(document["Y"](A), [-5, -4, -3], "a")
    assert [p.name for p in document["Y"].signature.parameters] == ["X"]


def test_the_nearest_declaration_counts_and_a_later_one_only_where_there_is_no_other():
    document = read(
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = \sum_{\text{a}} X$",
        r"$X \in \mathbb{R}^{\text{b}}$, $g(X) = \sum_{\text{b}} X$",
        r"$h(Z) = \sum_{\text{c}} Z$",
        r"$Z \in \mathbb{R}^{\text{c}}$",
    )
    assert [repr(document[n]) for n in "fgh"] == [
        "f(X: R[a]) -> R",
        "g(X: R[b]) -> R",
        "h(Z: R[c]) -> R",
    ]


def test_functions_are_seen_everywhere():
    document = read(
        "# One",
        r"$X \in \mathbb{R}^{\text{a}}$, $g(X) = f(X) + 1$",
        "# Two",
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = 2X$",
    )
    same(document["g"](A), [3, 5, 7], "a")


def test_an_argument_takes_its_axes_from_the_function_that_it_is_passed_to():
    document = read(
        r"$f \colon \mathbb{R}^{\text{a}} \rightarrow \mathbb{R}^{\text{a}}$, $f(x) = 2 x$, $g(y) = f(y) + 1$"
    )
    assert repr(document["g"]) == "g(y: R[a]) -> R[a]"


def test_a_function_of_numbers_alone_takes_any_tensor():
    document = read(
        "# One",
        r"$z, w \in \mathbb{R}^{\text{a}}$",
        "# Two",
        r"$$\text{swish}(z) = \frac{z}{1 + \exp(-z)}$$",
        "# Three",
        r"$$ X \in \mathbb{R}^{\text{b}}, \qquad f(X) = \text{swish}(X) $$",
    )
    assert repr(document["swish"]) == "swish(z: R) -> R"
    assert document["f"](nt.ones("b[2] c[3]")).shape == "b[2] c[3]"


def test_a_listed_letter_that_is_declared_nowhere_is_a_number():
    document = read(r"$X \in \mathbb{R}^{\text{a}}$, $f(X; \alpha, \beta_1) = \alpha X + \beta_1$")
    assert repr(document["f"]) == "f(X: R[a]; alpha: R, beta_1: R) -> R[a]"
    same(document["f"](A, alpha=2.0, beta_1=1.0), [3, 5, 7], "a")


def test_a_letter_that_is_said_to_be_positive_is_a_number():
    document = read(r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = \tau X$ with $\tau > 0$")
    assert repr(document["f"]) == "f(X: R[a]; tau: R) -> R[a]"


def test_pi_is_the_number_unless_its_section_says_otherwise():
    document = read(
        "# One",
        r"$\pi \in \mathbb{R}^{\text{b}}$, $X \in \mathbb{R}^{\text{b}}$, $f(X) = \pi \odot X$",
        "# Two",
        r"$X \in \mathbb{R}^{\text{a}}$, $g(X) = \pi X$",
    )
    assert repr(document["f"]) == "f(X: R[b]; pi: R[b]) -> R[b]"
    same(document["g"](A), np.pi * np.array([1, 2, 3]), "a")


@pytest.mark.parametrize(
    ("said", "numeric"),
    [
        (r"w = \sum_{\text{b}} X \odot \log \frac{X}{\pi}", False),
        (r"w = \sqrt{\text{gap}(X, \pi)}", False),
        (r"w = \sum_{\text{b}} \frac{\pi}{\pi + X}", False),
        (r"w = \sum_{\text{b}} \frac{X + 2 \pi}{4}", True),
        (r"w = \sum_{\text{b}} \frac{X}{\sqrt{2 \pi}}", True),
        (r"w = \sum_{\text{b}} X + \frac{1}{\pi}", True),
    ],
)
def test_pi_of_another_section_is_no_number_beside_what_has_its_axes(said, numeric):
    document = read(
        "# One",
        r"$\pi, X \in \mathbb{R}^{\text{b}}$, $\text{gap}(a, c) = \sum_{\text{b}} (a - c)^2$",
        "# Two",
        rf"We compute $${said}$$ and $v = \sum_{{\text{{b}}}} X$.",
    )
    assert [f for f in document.check() if f.severity != "note"] == []
    assert ("pi" in [p.name for p in document["w"].signature.parameters]) is not numeric


def test_the_size_of_an_argument_comes_before_a_definition_of_its_letter():
    document = read(
        r"$$ Q \in \mathbb{R}^{\text{key}:d_k}, \qquad f(Q) = \frac{Q}{d_k} $$",
        r"where $d_k = d / h$ with $d, h \in \mathbb{R}$ and $d > 0$.",
    )
    assert repr(document["f"]) == "f(Q: R[key]) -> R[key]"
    same(document["f"](nt.ones("key[4]")), np.full(4, 0.25), "key")


def test_a_stated_size_serves_where_no_argument_has_the_axis():
    document = read(
        r"$X \in \mathbb{R}^{\text{seq}}$, $|\text{kernel}| = 2$,"
        r" $f(X) = \sum_{\text{kernel}} \underset{\text{seq}, \text{kernel}}{\text{unroll}} X$"
    )
    same(document["f"](nt.tensor([1.0, 2, 3], "seq")), [3, 5], "seq")


def test_elements_without_a_declaration_are_as_long_as_the_arguments():
    document = read(
        r"""
$$\begin{aligned}
r &\in \mathbb{R}^{\text{time}:n} \\
G_{\text{time}:s, \text{time}':t} &=
    \begin{cases} \gamma^{t - s} & s \leq t \\ 0 & \text{otherwise} \end{cases} \\
\text{returns}(r; \gamma) &= G \underset{\text{time}'}{\cdot} r_{\text{time} \rightarrow \text{time}'}
\end{aligned}$$
"""
    )
    r = nt.tensor([1.0, 2.0, 4.0], "time")
    same(document["returns"](r, gamma=0.5), [3, 4, 4], "time")


def test_the_elements_of_a_functions_result_may_be_defined():
    document = read(
        r"$$ x \in \mathbb{R}^{\text{a}:n}, \qquad"
        r" \text{turn}(x)_{\text{a}:i} = x_{\text{a}:(|\text{a}| - i + 1)} $$"
    )
    same(document["turn"](A), [3, 2, 1], "a")


def test_matrices_of_declared_letters_are_tensors():
    document = read(
        r"$S \in \mathbb{R}^{\text{row}, \text{col}}$",
        r"$$ S = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} $$",
        r"$x \in \mathbb{R}^{\text{col}}$ and $f(x) = S \underset{\text{col}}{\cdot} x$",
    )
    same(document["f"](nt.tensor([1.0, 1.0], "col")), [3, 7], "row")


def test_a_series_may_be_written_with_its_next_member():
    document = read(r"$x \in \mathbb{R}^{\text{a}}$, $y^0 = x$, $y^{t+1} = 2 y^t + x$")
    same(document["y^3"](A), np.array([15.0, 30.0, 45.0]), "a")


def test_the_last_member_says_how_a_series_goes_on_where_the_first_is_another_way():
    document = read(
        r"""
$$\begin{aligned}
x^0 &\in \mathbb{R}^{\text{a}} \\
x^1 &= x^0 + 1 \\
&\vdots \\
x^L &= 10 x^{L-2}
\end{aligned}$$
"""
    )
    same(document.bind(L=3)["x^L"](A), 10 * (A.numpy() + 1), "a")
    same(document.bind(L=4)["x^L"](A), 100 * A.numpy(), "a")


def test_members_that_are_not_in_step_with_their_numbers_follow_the_last():
    document = read(
        r"$$\begin{aligned} x^0 &\in \mathbb{R}^{\text{a}} \\ x^1 &= 10 x^0 \\"
        r" &\vdots \\ x^L &= 10 x^{L-2} \end{aligned}$$"
    )
    same(document.bind(L=3)["x^L"](A), 100 * A.numpy(), "a")


def test_index_data_counts_from_nought_in_python():
    document = read(
        r"$I \in [v]^{\text{seq}}$, $E \in \mathbb{R}^{\text{vocab}:v, \text{emb}}$,"
        r" $f(I; E) = E_{\text{vocab}:I}$"
    )
    E = nt.tensor(np.arange(6.0).reshape(3, 2), "vocab", "emb")
    I = nt.tensor(np.array([2, 0]), "seq")
    same(document["f"](I, E=E), [[4, 5], [0, 1]], "seq", "emb")


def test_words_with_axes_below_them_are_everybodys():
    document = read(
        r"$x, p \in \mathbb{R}^{\text{a}}$, $\text{mean}(x; p) = x \underset{\text{a}}{\cdot} p$,"
        r" $f(x) = \underset{\text{a}}{\text{mean}}(x)$"
    )
    assert repr(document["f"]) == "f(x: R[a]) -> R"
    same(document["f"](A), 2)


def test_bundles_are_passed_on_under_other_letters():
    document = read(
        r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{a}}, W^1, W^2, V^1, V^2 \in \mathbb{R}^{\text{a}} \\
f(X; W) &= W^1 X + W^2 \\
g(X; V) &= f(f(X; V); V) \\
h(X; W) &= f(X; W) + 1
\end{aligned}$$
"""
    )
    assert repr(document["g"]) == "g(X: R[a]; V1: R[a], V2: R[a]) -> R[a]"
    same(document["g"](A, V1=0 * A + 2, V2=0 * A + 1), 4 * A.numpy() + 3, "a")
    same(document["h"](A, W1=A, W2=A), A.numpy() ** 2 + A.numpy() + 1, "a")


def test_one_name_may_stand_for_all_parameters_of_a_function():
    document = read(
        r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{a}}, W^1, W^2 \in \mathbb{R}^{\text{a}} \\
f(X; W) &= W^1 X + W^2 \\
g(X; W) &= W^2 X \\
h(X; \text{one}, \text{two}) &= f(X; \text{one}) + g(f(X; \text{two}); \text{one})
\end{aligned}$$
"""
    )
    one, two = {"W1": A, "W2": 0 * A + 1}, {"W1": 0 * A + 3, "W2": A}
    assert repr(document["h"]) == "h(X: R[a]; one, two) -> R[a]"
    a = A.numpy()
    same(document["h"](A, one=one, two=two), (a * a + 1) + (3 * a + a), "a")


def test_settings_are_set_where_a_function_is_called():
    document = read(
        r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = X + \epsilon$, $g(X) = f(X, \epsilon = 0.5)$"
    )
    same(document["g"](A), [1.5, 2.5, 3.5], "a")


@pytest.mark.parametrize("axis", ["b", "c"])
def test_a_function_with_an_axis_below_it_is_applied_along_another(axis):
    document = read(
        r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{a}} \\
\underset{\text{a}}{\text{centre}}(X) &= X - \underset{\text{a}}{\text{mean}}(X) \\
Y &\in \mathbb{R}^{\text{b}, \text{c}} \\
"""
        + rf"f(Y) &= \underset{{\text{{{axis}}}}}{{\text{{centre}}}}(Y)"
        + "\n\\end{aligned}$$"
    )
    Y = nt.tensor(np.arange(6.0).reshape(2, 3) ** 2, "b", "c")
    expected = Y.numpy("b", "c") - Y.numpy("b", "c").mean("bc".index(axis), keepdims=True)
    same(document["f"](Y), expected, "b", "c")


def test_an_axis_of_the_section_s_own_letters_makes_no_other_letter_of_a_borrowed_one():
    (found,) = read(
        "# Setting",
        r"$V \in \mathbb{R}^{\text{seq}, \text{val}}$",
        "# Shorter",
        r"With $F \in \mathbb{R}^{\text{seq}, \text{low}}$ let $$Y = F \underset{\text{low}}{\cdot} V$$",
    ).check()
    assert (found.severity, found.code) == ("error", "axis-missing")


def test_prose_that_turns_a_definition_round_defines_nothing():
    document = read(
        "# A",
        r"$x \in \mathbb{R}^{\text{a}}$, $D \in \mathbb{R}^{\text{a}, \text{b}}$",
        "# B",
        r"So $X = D \underset{\text{a}}{\cdot} x$ has the inverse $x = D \underset{\text{b}}{\cdot} X$.",
    )
    assert str(document["X"]) == "X(x: R[a], D: R[a, b]) -> R[b]"


BESIDE = r"""Let $X \in \mathbb{R}^{\text{seq} \times \text{emb}}$ and
$W \in \mathbb{R}^{\text{emb} \times \text{tag}}$.
$$\begin{aligned}
U &= X \underset{\text{emb}}{\cdot} W, \quad U \in \mathbb{R}^{\text{seq} \times \text{tag}} \\
s(y) &= \sum_{\text{seq}} y \odot H, \quad y \in \mathbb{R}^{\text{seq}} \\
H &= y \odot \sum_{\text{tag}} U
\end{aligned}$$
# Use
$$z = \sum_{\text{seq}, \text{tag}} U^2$$"""


def test_what_stands_beside_a_function_belongs_to_it_where_it_is_made_of_its_arguments():
    document = nt.latex.read(BESIDE)
    assert not [f for f in document.check() if f.severity == "error"]
    assert str(document["z"]) == "z(X: R[seq, emb], W: R[emb, tag]) -> R"
    assert str(document["s"]).startswith("s(y: R[seq]; X: R[seq, emb], W: R[emb, tag])")


@pytest.mark.parametrize("given", [r"2T", r"T + \exp T", r"T_1 + T"])
def test_an_argument_is_not_held_to_a_later_section_that_an_expression_does_not_fit(given):
    document = read(
        r"# A",
        r"$$ \text{LN}(X) = X - \underset{\text{emb}}{\text{mean}} X $$ "
        r"with $T, T_1 \in \mathbb{R}^{\text{tok}, \text{emb}}$.",
        r"# B",
        r"$$ X \in \mathbb{R}^{\text{dst}, \text{emb}}, \quad s = \sum_{\text{dst}, \text{emb}} X $$",
        rf"$$ Y = \text{{LN}}({given}) $$",
    )
    assert not [f for f in document.check() if f.severity != "note"]
    T = np.arange(6.0).reshape(2, 3) ** 2
    inputs = {"T": nt.tensor(T, "tok emb")} | (
        {"T_1": nt.tensor(T, "tok emb")} if "_1" in given else {}
    )
    wanted = {"2T": 2 * T, r"T + \exp T": T + np.exp(T), r"T_1 + T": 2 * T}[given]
    same(document["Y"](**inputs), wanted - wanted.mean(1, keepdims=True), "tok", "emb")


@pytest.mark.parametrize("name", ["e^+", r"e^{\text{new}}", "e^1", r"\bar e", "e'"])
def test_an_e_of_another_section_is_no_number_where_another_e_is_defined(name):
    document = read(
        r"# A",
        r"$W \in \mathbb{R}^{\text{a}, \text{b}}$ and $e \in \mathbb{R}^{\text{a}}$",
        r"# B",
        rf"$$ {name} = W \underset{{\text{{a}}}}{{\cdot}} e $$",
    )
    assert not [f for f in document.check() if f.severity != "note"]
    W = np.arange(6.0).reshape(3, 2)
    same(document[name](W=nt.tensor(W, "a b"), e=A), A.numpy("a") @ W, "b")


@pytest.mark.parametrize(
    ("far", "near", "formula", "axis"),
    [
        (
            r"$X \in \mathbb{R}^{\text{seq}, \text{emb}}$",
            r"$V, W^u \in \mathbb{R}^{\text{emb}, \text{hid}}$",
            r"f(X) = (V \underset{\text{emb}}{\cdot} X) (W^u \underset{\text{hid}}{\cdot} X)",
            "hid",
        ),
        (
            r"$y \in \mathbb{R}^{\text{grid}}$",
            r"$g \in \mathbb{R}^{\text{grid}}$ and $x \in \mathbb{R}^{\text{pt}}$",
            r"L = \sum_{\text{pt}} x + \sum_{\text{pt}} (g - y)^2",
            "pt",
        ),
        (
            r"$A \in \mathbb{R}^{\text{node}, \text{node}'}$",
            r"$Z \in \mathbb{R}^{\text{head}, \text{node}}$",
            r"e_{\text{head}(h), \text{node}(i)} = "
            r"Z_{\text{head}(h), \text{node}(i)} A_{\text{node}(i), \text{head}'(h)}",
            "head'",
        ),
    ],
)
def test_a_letter_of_another_section_is_meant_where_its_axes_are_met(far, near, formula, axis):
    """So it is not another letter, which has the axis of this section that is missing."""
    (fault,) = read("# A", far, "# B", f"Let {near}.", f"$${formula}$$").check()
    assert (fault.code, fault.severity) == ("axis-missing", "error")
    assert f"no axis {axis}" in fault.message
