"""What rows and formulas say: declarations, signatures, definitions, constraints, dots, asides."""

import pytest

from namedtensor import latex
from namedtensor.latex.reading.reader import statements_of
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import (
    Aside,
    Constraint,
    Declaration,
    Definition,
    Induction,
    Signature,
)
from tests.latex.trees import (
    DOTS,
    HERE,
    act,
    all_of,
    at,
    big,
    call,
    cases,
    dot,
    down,
    items,
    matrix,
    neg,
    num,
    of,
    op,
    prime,
    rel,
    renamed,
    says,
    size,
    space,
    under,
    up,
)

NAMES = r"\newcommand{\R}{\mathbb{R}}" + "".join(
    rf"\ndef{{\{name}}}{{{name}}}" for name in "seq emb key val heads layer kernel vocab".split()
)


def read(written, name="notes.md"):
    """Read statements; there must be no findings."""
    reading = statements_of(Source(written, name))
    assert [str(finding) for finding in reading.findings] == []
    return list(reading.statements)


def rows(written):
    """Read the rows of one display, with the style file's names at hand."""
    return read(NAMES + "\n\n$$\\begin{aligned}\n" + written + "\n\\end{aligned}$$")


def declared(names, of_space):
    names = [names] if isinstance(names, str) else names
    return Declaration(HERE, all_of(names), of_space)


def defined(target, body, sign="=", chain=(), condition=None):
    return Definition(HERE, of(target), of(body), sign, all_of(chain), condition)


def signed(name, domain, codomain):
    return Signature(HERE, of(name), tuple(domain), codomain)


def holds(relation):
    return Constraint(HERE, relation)


RANGE = rel("l", "=", items("", 1, DOTS, "L"))
SOME = dot("seq", "A", "B")

ROWS = {
    # declarations
    r"X &\in \R^{\seq \times \emb}": [declared("X", space("R", "seq emb"))],
    r"W^1, W^2 &\in \R^{\emb}": [declared([up("W", 1), up("W", 2)], space("R", "emb"))],
    r"X &\in \R^{\seq} & \gamma, \beta &\in \R^{\emb}": [
        declared("X", space("R", "seq")),
        declared(["gamma", "beta"], space("R", "emb")),
    ],
    r"Q &\in \R^{\key}, K \in \R^{\seq}": [
        declared("Q", space("R", "key")),
        declared("K", space("R", "seq")),
    ],
    r"X &\in \{0, 1\}^{\text{seq}:n} & \sum_{\text{vocab}} X &= 1": [
        declared("X", space("{0,1}", {"seq": "n"})),
        holds(rel(big("sum", "X", "vocab"), "=", 1)),
    ],
    r"X &\in [0, 1]^{\seq}\ s.t.\ \nsum{\seq} X = 1": [
        declared("X", space("[0,1]", "seq")),
        holds(rel(big("sum", "X", "seq"), "=", 1)),
    ],
    r"W &\in \R^{\emb}, \quad a, b \in \R^{\seq}, \qquad c \in \R^{\key}": [
        declared("W", space("R", "emb")),
        declared(["a", "b"], space("R", "seq")),
        declared("c", space("R", "key")),
    ],
    r"A &\in \R^{\seq[3]} = \R^{\seq[3]}": [declared("A", space("R", {"seq": 3}))],
    r"S &= A \ndot{\seq} B \in \R^{\emb}": [
        defined("S", SOME),
        declared("S", space("R", "emb")),
    ],
    r"I &\in [n]^\seq && \text{positions of words}": [declared("I", space("[n]", "seq", "n"))],
    # signatures
    r"f \colon \R^{\seq} \times \R^{\emb} &\rightarrow \R^{\key}": [
        signed("f", [space("R", "seq"), space("R", "emb")], space("R", "key"))
    ],
    r"f &: \R^{\seq} \\ &\to \R^{\key}": [signed("f", [space("R", "seq")], space("R", "key"))],
    r"\text{LayerNorm}^l \colon \R^{\layer} &\rightarrow \R^{\layer}": [
        signed(up("LayerNorm", "l"), [space("R", "layer")], space("R", "layer"))
    ],
    r"f, g &: \R^{\seq} \to \R": [
        signed("f", [space("R", "seq")], space("R")),
        signed("g", [space("R", "seq")], space("R")),
    ],
    r"f &: (\R^{\seq} \times \R) \to \R": [
        signed("f", [space("R", "seq"), space("R")], space("R"))
    ],
    r"f &: \R^{\seq[n]} \times [n] \to \R": [
        signed("f", [space("R", {"seq": "n"}), space("[n]", bound="n")], space("R"))
    ],
    r"\nfun{\seq}{mine} &: \R^{\seq} \to \R": [
        signed(under("seq", "mine"), [space("R", "seq")], space("R"))
    ],
    # definitions
    r"\text{FFN}(X; W, b) &= W \ndot{\emb} X + b": [
        defined(call("FFN", "X", parameters=["W", "b"]), op("+", dot("emb", "W", "X"), "b"))
    ],
    r"Y &= A \ndot{\seq} B \\ &= B \ndot{\seq} A \\ &= B": [
        defined("Y", SOME, chain=[dot("seq", "B", "A"), "B"])
    ],
    r"Y &= A \ndot{\seq} B && \text{by definition} \\ &= B && \text{as said}": [
        defined("Y", SOME, chain=["B"])
    ],
    r"Y &= A \ndot{\seq} B \\ &\quad + C \\ &\qquad \underset{\text{seq}}{\cdot} D": [
        defined("Y", op("+", SOME, dot("seq", "C", "D")))
    ],
    r"Y &= \left( A \right. \\ &\left. + B \right) \ndot{\seq} C": [
        defined("Y", dot("seq", op("+", "A", "B"), "C"))
    ],
    r"Y &= A + \\ & B \ndot{\seq} C": [defined("Y", op("+", "A", dot("seq", "B", "C")))],
    r"Y = f(A \ndot{\seq} B, \\ C)": [defined("Y", call("f", SOME, "C"))],
    r"W \in \R^{\emb} \quad a, b \in \R^{\seq}": [
        declared("W", space("R", "emb")),
        declared(["a", "b"], space("R", "seq")),
    ],
    r"A &\leftarrow A \ndot{\seq} B": [defined("A", SOME, "<-")],
    r"A &:= A \ndot{\seq} B, \\ B &\overset{\triangle}{=} A.": [
        defined("A", SOME),
        defined("B", "A"),
    ],
    r"P_{\seq(p), \emb(i)} &= \begin{cases} 1 & i \text{ odd} \\ 0 & \text{$i$ even.} \end{cases}": [
        defined(at("P", seq="p", emb="i"), cases((1, says("i", "odd")), (0, says("i", "even"))))
    ],
    r"\text{LayerNorm}^l(X) &= \nfun{\layer}{standardize}(X) \odot \gamma^l": [
        defined(
            call(up("LayerNorm", "l"), "X"),
            op("odot", call("standardize", "X", axes="layer"), up("gamma", "l")),
        )
    ],
    r"X^l &= A \ndot{\seq} B, \quad l = 1, \ldots, L": [
        defined(up("X", "l"), SOME, condition=RANGE)
    ],
    r"X^l &= A \ndot{\seq} B && (l = 1, \ldots, L)": [defined(up("X", "l"), SOME, condition=RANGE)],
    r"X^l &= A \ndot{\seq} B && \text{for } l = 1, \ldots, L": [
        defined(up("X", "l"), SOME, condition=RANGE)
    ],
    r"\nfun{\seq}{mine}(X) &= A \ndot{\seq} B": [defined(call("mine", "X", axes="seq"), SOME)],
    r"f(X) &= (A \ndot{\seq} B, C)": [defined(call("f", "X"), items("(", SOME, "C"))],
    r"A &= \nmatrix{\seq}{\emb}{1 & 2 \\ 3 & 4}, \text{ where } B = A \ndot{\seq} C": [
        defined("A", matrix((1, 2), (3, 4), row="seq", column="emb")),
        defined("B", dot("seq", "A", "C")),
    ],
    r"Y &= A_{\seq \rightarrow \seq'} & Z &= \nsum{\seq} A": [
        defined("Y", renamed("A", ("seq", "seq'"))),
        defined("Z", big("sum", "A", "seq")),
    ],
    r"\boxed{Y &= A \ndot{\seq} B} \label{eq:y} \tag{1}": [defined("Y", SOME)],
    # series
    r"X^1 &= A \ndot{\seq} B \\ &\vdots \\ X^L &= X^{L-1}": [
        defined(up("X", 1), SOME),
        Induction(HERE),
        defined(up("X", "L"), up("X", op("-", "L", 1))),
    ],
    r"X^1 &= A \ndot{\seq} B \\ &\vdotswithin{=} \notag \\ &= B \\ X^2 &= A": [
        defined(up("X", 1), SOME, chain=["B"]),
        Induction(HERE),
        defined(up("X", 2), "A"),
    ],
    # constraints
    r"|\key| = |\val| &= |\layer|/|\heads|": [
        holds(rel(size("key"), "=", size("val"), "=", op("/", size("layer"), size("heads"))))
    ],
    r"|\seq| &= |\seq'| \\ l &= 1, 1', \ldots, L, L'": [
        holds(rel(size("seq"), "=", size("seq'"))),
        holds(rel("l", "=", items("", 1, prime(1), DOTS, "L", prime("L")))),
    ],
    r"\nfun{\seq}{softmax} X &= A \ndot{\seq} B": [
        holds(rel(act("softmax", "X", "seq"), "=", SOME))
    ],
    r"A_{\seq(1)} &= 4": [holds(rel(at("A", seq=1), "=", 4))],
    r"A_{\seq(1)} &\leftarrow 4": [defined(at("A", seq=1), 4, "<-")],
    r"A_{\seq(1)} &= 4 \\ A_{\seq(i)} &= A_{\seq(i-1)}": [
        defined(at("A", seq=1), 4),
        defined(at("A", seq="i"), at("A", seq=op("-", "i", 1))),
    ],
    r"A \ndot{\seq} B": [holds(SOME)],
}


@pytest.mark.parametrize("written", ROWS)
def test_rows_are_read_as_statements(written):
    assert rows(written) == ROWS[written]


ENVIRONMENTS = [
    r"\begin{{align*}}{0}\\{1}\end{{align*}}",
    r"\begin{{align}}{0}\\[1ex]{1}\end{{align}}",
    r"\begin{{gather}}{0}\\*{1}\end{{gather}}",
    r"\begin{{alignat}}{{2}}{0}\\{1}\end{{alignat}}",
    r"\begin{{equation}}\begin{{split}}{0}\\{1}\end{{split}}\end{{equation}}",
    r"\begin{{subequations}}\begin{{align}}{0}\\{1}\end{{align}}\end{{subequations}}",
    r"$$\begin{{gathered}}[t]{0}\\{1}\end{{gathered}}.$$",
    r"\[\begin{{aligned}}{0}\\{1}\end{{aligned}}\]",
    r"$$\left\{{\begin{{aligned}}{0}\\{1}\end{{aligned}}\right.$$",
    r"$${0}\\{1}$$",
    r"\begin{{multline}}{0}\end{{multline}} and \({1}\)",
    r"\begin{{equation*}}{0}\end{{equation*}} and ${1}$",
]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_setting_of_mathematics_is_read(environment):
    written = environment.format(r"Y = A \ndot{seq} B", r"Z = B \ndot{seq} A")
    assert read(written) == [defined("Y", SOME), defined("Z", dot("seq", "B", "A"))]


def test_a_formula_in_several_rows_of_a_multline_is_one():
    written = r"\begin{multline} Y = A \\ + B \ndot{seq} C \\ + D \end{multline}"
    assert read(written) == [defined("Y", op("+", op("+", "A", dot("seq", "B", "C")), "D"))]


def test_statements_know_their_place():
    text = "# One\n\n$Y = A \\ndot{seq} B$\n\n# Two\n\n$$Z = A \\ndot{seq} Y$$"
    first, second = read(text)
    assert (first.section, first.block, text[first.span.start : first.span.end]) == (
        1,
        1,
        r"Y = A \ndot{seq} B",
    )
    assert (second.section, second.block) == (2, 2)


def test_letters_without_a_space_are_one_name_where_the_document_has_it():
    assert rows(r"kh &\in \R \\ Y &= kh \odot A \ndot{\seq} B")[1] == defined(
        "Y", dot("seq", op("odot", "kh*", "A"), "B")
    )


def test_letters_without_a_space_are_a_product_where_the_document_has_each_of_them():
    assert rows(r"k, h &\in \R^{\seq} \\ Y &= kh^2")[1] == defined("Y", op("*", "k", up("h", 2)))


def test_commands_and_accents_are_never_parted():
    text = r"i, n, f, t, y, h, a &\in \R^{\seq} \\ Y &= \infty \ndot{\seq} \hat{t}"
    assert rows(text)[1] == defined("Y", dot("seq", "infty", "that*"))
    text = r"p, i &\in \R^{\seq} \\ Y &= \pi \ndot{\seq} pi"
    assert rows(text)[1] == defined("Y", dot("seq", "pi", op("*", "p", "i")))


def test_a_bold_letter_is_the_letter_where_there_is_no_other():
    assert rows(r"\mathbf{Y} &= \mathbf A \ndot{\seq} \mathcal{L}") == [
        defined("Y", dot("seq", "A", "L"))
    ]


def test_a_bold_letter_is_another_one_where_the_document_has_both():
    assert rows(r"\mathbf{Y} &= Y \ndot{\seq} A") == [defined("Ybold*", dot("seq", "Y", "A"))]


def test_a_word_that_ends_like_a_dress_keeps_its_end():
    assert rows(r"Y &= \text{reciprocal}(X) \ndot{\seq} A") == [
        defined("Y", dot("seq", call("reciprocal", "X"), "A"))
    ]


# ---------------------------------------------------------------------------------- asides


ASIDES = {
    "$x$": "it states nothing",
    r"$\text{Attention}(Q, K, V) = \text{softmax}(QK^\top / \sqrt{d}) V$": "its axes have no names",
    r"$W \in \mathbb{R}^{m \times n}$": "its axes have no names",
    r"$A \in \mathbb{R}^{\mathcal{S}}$": "its axes stand for any",
    r"$A \ndot{\mathcal{S}} B = C$": "its axes stand for any",
    r"$\mathord- \ndot{\name{a}} \mathord- : \mathbb{R}^{\name{a}} \to \mathbb{R}$": "its axes stand for any",
    "$E = mc^2$": "it speaks of nothing that the notation speaks of",
    r"$\text{FFN}(x) = \max(0, xW_1 + b_1) W_2 + b_2$": "it speaks of nothing that the notation speaks of",
    r"$x \circledast y = 1$": r"cannot be read: \circledast is beyond the notation",
    "$5 +$": "cannot be read: the formula ends where something should follow",
    r"$\begin{array}{cl} kA & \text{negation of $k$} \end{array}$": "its axes have no names",
    r"$\sigma \sim \mathcal{N}(0, 1)$": "it says how something is distributed",
}


@pytest.mark.parametrize("written", ASIDES)
def test_other_mathematics_is_set_aside(written):
    (aside,) = read(written)
    assert aside == Aside(HERE, written.strip("$"), ASIDES[written])


def test_a_function_that_uses_nothing_but_its_argument_is_kept():
    written = r"The logistic function $\sigma(x) = \frac{1}{1 + e^{-x}}$, for $x \in \mathbb{R}$."
    assert read(written) == [
        defined(call("sigma", "x"), op("/", 1, op("+", 1, up("e", neg("x"))))),
        declared("x", space("R")),
    ]


def test_what_stands_in_a_display_with_the_notation_is_kept():
    assert rows(r"Y &= A \ndot{\seq} B \\ Z &= f(Y)")[1] == defined("Z", call("f", "Y"))


def test_what_uses_the_names_of_the_notation_is_kept_and_what_uses_that_too():
    text = NAMES + r"Let $X \in \R^{\seq}$, $Y = 2X$, $Z = Y + 1$ and $d = 3$, $V = vv$."
    kinds = [type(statement) for statement in read(text)]
    assert kinds == [Declaration, Definition, Definition, Aside, Aside]


def test_sizes_that_the_notation_speaks_of_are_kept():
    text = r"$X \in \mathbb{R}^{\text{seq}:n, \text{key}:d_k}$. We set $d_k = 64$ and $n = 3$."
    assert read(text)[1:] == [defined(down("d", "k"), 64), defined("n", 3)]


def test_a_function_of_declared_tensors_is_kept_whatever_it_uses():
    text = (
        r"Let $X \in \mathbb{R}^{\text{a}}$, $\tau > 0$, $f(X; \alpha) = \alpha \tau X$, $y = W x$."
    )
    kinds = [type(statement) for statement in read(text)]
    assert kinds == [Declaration, Constraint, Definition, Aside]


def test_what_uses_plain_matrices_is_set_aside():
    text = r"$A \in \mathbb{R}^{n \times m}$, $x, b \in \mathbb{R}$, $y = A x + b$, $z = x + b^T$."
    kinds = [type(statement) for statement in read(text + r" $X \in \mathbb{R}^{\text{a}}$")]
    assert kinds == [Aside, Declaration, Aside, Aside, Declaration]


def test_a_matrix_of_a_declared_name_is_kept():
    text = NAMES + r"$S \in \R^{\seq \times \emb}$ is $S = \begin{bmatrix} 1 & 2 \end{bmatrix}$."
    assert read(text)[1] == defined("S", matrix((1, 2), row="seq", column="emb"))


def test_a_function_at_given_tensors_states_a_fact():
    text = NAMES + (
        r"$\sigma(x) = \exp x$. Let $A \in \R^{\seq}$. Then "
        r"$\sigma(A) = \nmatrix{}{\seq}{\exp 1 & \exp 2}$."
    )
    assert type(read(text)[2]) is Constraint


def test_ranges_are_kept_where_there_is_notation():
    text = NAMES + r"Let $A \in \R^{\seq}$ and $l = 1, \ldots, L$."
    assert read(text)[1] == holds(RANGE)
    assert type(read(r"Let $l = 1, \ldots, L$.")[0]) is Aside


def test_numbers_are_read_as_written():
    assert read(r"$Y = A \ndot{seq} 0.50$") == [defined("Y", dot("seq", "A", num(0.5)))]


def test_an_equation_that_names_axes_is_not_set_aside_without_a_word():
    [found] = latex.read(r"$\{\name{a}: 2\} = \{\name{b}: 3\}$").check()
    assert (found.severity, found.code) == ("note", "not-notation")
    assert "set aside" in found.message
