r"""Definitions that are given piece by piece, in displays and in prose, are read whole, or are faults."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read

x = np.array([1.0, -2.0, 3.0, -4.0])
A, e = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.1, 0.2], [0.3, 0.4]])

HEAD = r"Let $v \in \mathbb{R}^{\text{in}}$ and $$y = r(v) + 0 \sum_{\text{in}} v$$ where "
RELU, LEAKY = np.maximum(x, 0), np.where(x > 0, x, 0.1 * x)

FUNCTIONS = [
    (r"$r(x) = x$ for $x > 0$ and $0$ otherwise.", RELU),
    (r"$r(x) = x$ for $x > 0$, and $0$ else.", RELU),
    (r"$r(x)$ is the ramp, $r(x) = x$ if $x > 0$ and $r(x) = 0$ otherwise.", RELU),
    (r"$r(x) = x$ if $x>0$ and $r(x) = 0.1 x$ otherwise.", LEAKY),
    (r"$r(x) = x$ if $x>0$. Otherwise $r(x) = 0.1 x$.", LEAKY),
    (r"$r(x) = x$ if $x > 0$ and $r(x) = 0.1 x$ if $x \le 0$.", LEAKY),
    (r"$r(x) = x$ when $x > 0$, $r(x) = 0.1 x$ when $x \le 0$.", LEAKY),
    (r"$$r(x) = x \quad \text{if } x > 0$$ and $$r(x) = 0 \quad \text{otherwise}.$$", RELU),
    (
        r"$$\begin{align} r(x) &= x && \text{if } x > 0 \\ r(x) &= 0.1 x && \text{otherwise} \end{align}$$",
        LEAKY,
    ),
    (
        r"$r(x) = x$ for $x > 2$, $r(x) = 2 x$ for $x > 0$ and $r(x) = 0$ otherwise.",
        np.where(x > 2, x, np.where(x > 0, 2 * x, 0)),
    ),
]


@pytest.mark.parametrize(("text", "wanted"), FUNCTIONS)
def test_a_function_in_pieces_is_read_whole(text, wanted):
    document = read(HEAD + text)
    assert document.check() == []
    np.testing.assert_allclose(document["y"](tensor(x, "in")).numpy("in"), wanted)


ALPHA = r"\alpha_{\text{node}(i), \text{node}'(j)}"
EDGE = r"A_{\text{node}(i), \text{node}'(j)} = 1"
GRAPH = r"Let $A, e \in \mathbb{R}^{\text{node} \times \text{node}'}$. "
EXP = rf"{ALPHA} = \exp(e_{{\text{{node}}(i), \text{{node}}'(j)}})"
ELEMENTS = [
    rf"$${EXP} \qquad \text{{if }} {EDGE}$$ and ${ALPHA} = 0$ otherwise.",
    rf"$${EXP} \qquad \text{{if }} {EDGE}$$ and ${ALPHA} = 0$ for all other $j$.",
    rf"$${EXP}$$ if ${EDGE}$, and $0$ otherwise.",
    rf"${EXP}$ for ${EDGE}$ and ${ALPHA} = 0$ otherwise.",
    rf"$${EXP} \quad \text{{if }} {EDGE}$$ $${ALPHA} = 0 \quad \text{{otherwise.}}$$",
    rf"$${ALPHA} = 0 \quad \text{{unless }} {EDGE}$$ and $${EXP} \quad \text{{otherwise}}.$$",
]


@pytest.mark.parametrize(
    "text",
    [
        r"$U_{\text{in}(i)} = v_{\text{in}(i)}$ for $i > 2$ and $0$ otherwise.",
        r"$$U_{\text{in}(i)} = v_{\text{in}(i)}$$ for $i > 2$, and $U_{\text{in}(i)} = 0$ for $i \le 2$.",
        r"$$U_{\text{in}(i)} = 0 \quad \text{if } i \le 2$$ and $U_{\text{in}(i)} = v_{\text{in}(i)}$ else.",
    ],
)
def test_pieces_by_an_index_are_read_whole(text):
    document = read(rf"Let $v \in \mathbb{{R}}^{{\text{{in}}}}$ and let {text} $$y = v + U$$")
    assert document.check() == []
    np.testing.assert_allclose(document["y"](tensor(x, "in")).numpy("in"), x + [0, 0, 3, -4])


@pytest.mark.parametrize("text", ELEMENTS)
def test_elements_in_pieces_are_read_whole(text):
    document = read(f"{GRAPH}{text} The output is $Y = e + \\alpha$.")
    assert document.check() == []
    given = {"A": tensor(A, "node", "node'"), "e": tensor(e, "node", "node'")}
    found = document["Y"](**given).numpy("node", "node'")
    np.testing.assert_allclose(found, e + np.where(A == 1, np.exp(e), 0))


def test_a_condition_in_prose_leaves_elements_without_a_value():
    document = read(rf"{GRAPH}$${EXP}$$ for ${EDGE}$. The output is $Y = e + \alpha$.")
    given = {"A": tensor(A, "node", "node'"), "e": tensor(e, "node", "node'")}
    found = document["Y"](**given).numpy("node", "node'")
    np.testing.assert_allclose(found, e + np.where(A == 1, np.exp(e), np.nan))


HALF = [
    HEAD + r"$r(x) = x$ for positive $x$ and $0$ otherwise.",
    HEAD + r"$r(x) = x$ for positive $x$, and $r(x) = 0$ otherwise.",
    rf"{GRAPH}$${EXP} \qquad \text{{if }} j \text{{ is next to }} i$$ and ${ALPHA} = 0$ otherwise. "
    r"$Y = e + \alpha$",
]


@pytest.mark.parametrize("text", HALF)
def test_half_of_a_definition_is_a_fault(text):
    document = read(text)
    assert {f.code for f in document.check() if f.severity == "error"} >= {"syntax-case"}
    name, given = ("y", tensor(x, "in")) if "y =" in text else ("Y", tensor(e, "node", "node'"))
    formula = document[name]
    with pytest.raises(LatexError, match="is not defined"):
        formula(given)


@pytest.mark.parametrize(
    "text",
    [
        r"$r(x) = x^2$, unless otherwise stated.",
        r"$r(x) = x^2$ for $x \in \mathbb{R}$. Otherwise nothing is changed.",
        r"$r(x) = x^2$ for $x > 0$.",
        r"$r(x) = x^2$ and $s = 3$ otherwise.",
    ],
)
def test_what_is_no_piece_stays_what_it_is(text):
    found = read(HEAD + text)["y"](tensor(x, "in")).numpy("in")
    np.testing.assert_allclose(found, x**2)


PAIRS = r"$d \in \mathbb{R}^{\text{a}:n, \text{a}':n}$. $$Q_{kl} = WHAT, \quad Q_{kk} = 1$$"


@pytest.mark.parametrize(
    ("what", "off"),
    [
        (r"d_{kl} \ (k \neq l)", 1.0),
        (r"d_{kl} (k \neq l)", 1.0),
        (r"2 d_{kl} \, (k \neq l)", 2.0),
        (r"d_{kl} + d_{kl} \; (k \neq l)", 2.0),
    ],
)
def test_a_comparison_of_indices_in_brackets_behind_a_tensor_is_a_condition(what, off):
    d = np.array([[5.0, 2.0], [3.0, 4.0]])
    found = read(PAIRS.replace("WHAT", what))["Q"](d=tensor(d, "a a'"))
    np.testing.assert_allclose(found.numpy("a a'"), [[1.0, off * 2], [off * 3, 1.0]])


@pytest.mark.parametrize("name", ["Y", "f(x)"])
def test_pieces_may_have_other_indices_beside_the_number(name):
    at = r"_{\text{seq}(t), \text{xy}(%d)}"
    one, two = at % 1, at % 2
    pieces = rf"{name}{one} &= x{one} - t \, x{two} \\ {name}{two} &= t \, x{one}"
    head = r"Let $x \in \mathbb{R}^{\text{seq}:n, \text{xy}:2}$. "
    text = head + rf"$$\begin{{aligned}}{pieces}\end{{aligned}}$$"
    document, X = read(text), np.array([[1.0, 2.0], [3.0, 4.0]])
    assert [str(f) for f in document.check()] == []
    found = document[name[0]](tensor(X, "seq xy"))
    np.testing.assert_allclose(found.numpy("seq xy"), [[-1.0, 1.0], [-5.0, 6.0]])


# --------------------------------------------------------------- values of arguments that are equal


def kernel(other, equal):
    return lambda x, z: equal if np.array_equal(x, z) else other(x, z)


TWO = kernel(lambda x, z: 2.0, 1.0)
NEAR = kernel(lambda x, z: np.exp(x @ z), 0.0)
SINC = np.array([1.0, np.sin(2) / 2])
VALUES = [
    (r"$$k(x,z) = 2 \text{ for } x \neq z, \quad k(x,x) = 1$$", "k", TWO),
    (r"$$k(x,x) = 1, \qquad k(x,z) = 2 \quad (x \neq z)$$", "k", TWO),
    (
        r"$$k(x,z) = \exp(x \underset{\text{dim}}{\cdot} z), \quad x \neq z, \quad k(z,z) = 0$$",
        "k",
        NEAR,
    ),
    (r"$$g(x) = \frac{\sin x}{x} \text{ for } x \neq 0, \quad g(0) = 1$$", "g", lambda x, z: SINC),
    (r"We take $g(x) = \frac{\sin x}{x}$ for $x \neq 0$, and $g(0) = 1$.", "g", lambda x, z: SINC),
    (r"$$g(z) = 3 \quad (z \neq 0), \qquad g(0) = 1$$", "g", lambda x, z: 3.0),
]


@pytest.mark.parametrize(("text", "name", "wanted"), VALUES)
def test_a_value_where_arguments_are_equal_is_a_case_of_the_function(text, name, wanted):
    document = read(r"$x, z \in \mathbb{R}^{\text{dim}}$. " + text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    x, z = np.array([0.0, 2.0]), np.array([0.0, 1.0])
    for one, other in ((x, z), (x, x)):
        given = {"x": tensor(one, "dim"), "z": tensor(other, "dim")}
        formula = document[name]
        with np.errstate(all="ignore"):  # of what a case leaves out
            found = formula(**{p.name: given[p.name] for p in formula.signature.parameters})
        np.testing.assert_allclose(found.numpy(*found.axes), wanted(one, other))


def test_a_fact_of_a_function_is_no_case_of_it():
    text = r"$x, z \in \mathbb{R}^{\text{dim}}$. $$k(x,z) = \sum_{\text{dim}} (x - z)^2, \quad k(x,x) = 0$$"
    found = read(text)["k"]
    one, other = (tensor(np.array(values), "dim") for values in ([1.0, 2.0], [1.0, 3.0]))
    assert float(found(one, other).numpy()) == 1.0


PIECES = (
    r"Z_{\text{t}(i), \text{reg}(1)} &= 1 \\ "
    r"Z_{\text{t}(i), \text{reg}(k+1)} &= X_{\text{t}(i), \text{in}(k)}"
)


@pytest.mark.parametrize("pieces", [PIECES, PIECES + r" && k = 1, \ldots, K"])
def test_the_last_piece_may_be_that_of_all_other_elements(pieces):
    text = (
        r"$X \in \mathbb{R}^{\text{t}:T, \text{in}:K}$, $Z \in \mathbb{R}^{\text{t}:T, \text{reg}:K+1}$"
        rf" $$\begin{{aligned}} {pieces} \end{{aligned}}$$ for $i = 1, \ldots, T$."
    )
    document = read(text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    X = np.arange(6.0).reshape(3, 2)
    found = document["Z"](tensor(X, "t in")).numpy("t reg")
    np.testing.assert_allclose(found, np.concatenate([np.ones((3, 1)), X], 1))
    wrong = text.replace(r"\text{reg}(k+1)", r"\text{reg}(k+2)")
    assert [f.code for f in read(wrong).check() if f.severity == "error"] != []


@pytest.mark.parametrize("name", ["Z^0", "Z'", "Z^{+}", r"Z^{\text{in}}", r"\hat{Z}"])
def test_pieces_of_what_is_named_after_another_tensor(name):
    text = r"""Let $Z \in \mathbb{R}^{\text{tok}:N, \text{emb}}$, $c \in \mathbb{R}^{\text{emb}}$ and
$NAME \in \mathbb{R}^{\text{tok}:N+1, \text{emb}}$.
$$NAME_{\text{tok}(1)} = c, \qquad NAME_{\text{tok}(i+1)} = Z_{\text{tok}(i)}$$"""
    document = read(text.replace("NAME", name))
    assert not document.check()
    Z, c = np.arange(6.0).reshape(3, 2), np.array([7.0, 8.0])
    found = document[name](Z=tensor(Z, "tok emb"), c=tensor(c, "emb"))
    np.testing.assert_allclose(found.numpy("tok emb"), [c, *Z])


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("if $a \\neq b$ and SAME, and $0$ otherwise.", [[0, 0, 2], [0, 0, 0], [2, 0, 0]]),
        ("if SAME and $a < b$, and $0$ otherwise.", [[0, 0, 2], [0, 0, 0], [0, 0, 0]]),
        ("if $a > b$ or SAME, else $0$.", [[2, 0, 2], [2, 2, 0], [2, 2, 2]]),
        ("if $a > b$ or $a = 1$, else $0 k_{\\text{pair}(a)}$.", [[2, 2, 2], [2, 0, 0], [2, 2, 0]]),
        ("if $a > b$ or SAME, and else $0$", [[2, 0, 2], [2, 2, 0], [2, 2, 2]]),
        ("for $a \\neq b$ and SAME, $0$ otherwise.", [[0, 0, 2], [0, 0, 0], [2, 0, 0]]),
    ],
)
def test_conditions_of_indices_and_of_data_are_joined(said, wanted):
    text = r"Let $k \in [K]^{\text{pair}:B}$. Equal ones have $M_{\text{pair}(a), \text{pair}'(b)} = 2$ "
    same = r"$k_{\text{pair}(a)} = k_{\text{pair}(b)}$"
    document = read(text + said.replace("SAME", same))
    assert not document.check()
    found = document["M"](k=tensor([0, 1, 0], "pair"))
    np.testing.assert_allclose(found.numpy("pair", "pair'"), wanted)


def test_conditions_that_cannot_be_joined_are_a_fault():
    text = r"""Let $k \in [K]^{\text{pair}:B}$ and $M_{\text{pair}(a), \text{pair}'(b)} = 2$ if $a \neq b$
or $a > 1$ and $k_{\text{pair}(a)} = k_{\text{pair}(b)}$, and $0$ otherwise."""
    assert [f.code for f in read(text).check()] == ["syntax-case"]
