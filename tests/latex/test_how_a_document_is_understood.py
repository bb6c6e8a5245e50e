"""Sections inherit, prose remarks, operators reach, shapes come from calls, relations are held together."""

import numpy as np
import pytest

import namedtensor as nt
import namedtensor.latex


def loud(text, name="<text>"):
    found = namedtensor.latex.read(text, name).check()
    return [(f.code, f.line) for f in found if f.severity != "note"]


def value(text, name, *given, **named):
    found = namedtensor.latex.read(text)[name](*given, **named)
    return found.numpy(*sorted(found.axes))


def normal(space, seed=0):
    axes = [word.rstrip("]").split("[") for word in space.split()]
    numbers = np.random.default_rng(seed).standard_normal([int(n) for _, n in axes])
    return nt.tensor(numbers, " ".join(a for a, _ in axes)), numbers


# ---------------------------------------------------------------------------------- sections

DECLARED = r"$X \in \mathbb{R}^{\text{seq}, \text{emb}}$" "\n\n"
USED = r"$$f(X) = \underset{AXIS}{\text{softmax}} (X)$$" "\n"
MARKDOWN = ["## Inside\n\n", "## One\n\n### Two\n\n", "Inside\n------\n\n"]
TEX = [r"\subsection{A}", r"\subsection*{A} \subsubsection{B}", r"\paragraph{A}"]


@pytest.mark.parametrize("heading", MARKDOWN)
def test_a_section_of_markdown_inherits(heading):
    text = "# Notes\n\n" + DECLARED + heading + USED
    assert loud(text.replace("AXIS", r"\text{seq}")) == []
    assert [code for code, _ in loud(text.replace("AXIS", r"\text{key}"))] == ["axis-missing"]


@pytest.mark.parametrize("heading", TEX)
def test_a_section_of_latex_inherits(heading):
    text = r"\section{Notes}" "\n" + DECLARED + heading + "\n" + USED
    assert loud(text.replace("AXIS", r"\text{seq}"), "a.tex") == []
    assert [c for c, _ in loud(text.replace("AXIS", r"\text{key}"), "a.tex")] == ["axis-missing"]


def test_another_section_uses_the_only_declaration_there_is():
    text = "# One\n\n" + DECLARED + "$K \\in \\mathbb{R}^{\\text{key}}$\n\n# Two\n\n" + USED
    assert loud(text.replace("AXIS", r"\text{key}")) == [("axis-missing", 9)]
    assert loud(text.replace("AXIS", r"\text{sqe}")) == [("axis-missing", 9)]


def test_what_is_borrowed_from_another_section_is_said_with_its_line():
    text = "# One\n\n" + DECLARED + "$K \\in \\mathbb{R}^{\\text{key}}$\n\n# Two\n\n" + USED
    [found] = namedtensor.latex.read(text.replace("AXIS", r"\text{key}")).check()
    assert found.calls == ("declared in another section: X on line 3",)
    assert "\n  declared in another section: X on line 3\nhint: " in str(found)
    free = text.replace("f(X)", "y").replace("AXIS", r"\text{key}")
    assert [f.calls for f in namedtensor.latex.read(free).check()] == [found.calls]


def test_what_is_inherited_is_not_said_to_be_borrowed():
    for heading in ("", "## Inside\n\n"):
        text = "# One\n\n" + DECLARED + heading + USED.replace("AXIS", r"\text{key}")
        assert [f.calls for f in namedtensor.latex.read(text).check()] == [()]


SPOKEN = [
    r"views $A$ and $B$ in $SPACE$",
    r"Let $A$ be in $SPACE$, and $B$ too: $B$ is in $SPACE$",
    r"points $A$, $B$ from $SPACE$",
    r"two clouds $A, B$ in $SPACE$",
    r"arrays $A$ and $B$ of shape $SPACE$",
    r"both $A$, and $B$ lie in $SPACE$",
    "the views $A$ and\n$B$ in $SPACE$",
]


@pytest.mark.parametrize("spoken", SPOKEN)
def test_names_before_a_space_in_prose_are_declared(spoken):
    text = spoken.replace("SPACE", r"\mathbb{R}^{\text{pt}, \text{dim}}") + "\n\n"
    text += r"$$d(A, B) = \sum_{\text{AXIS}} (A - B)^2$$"
    assert loud(text.replace("AXIS", "dim")) == []
    assert [code for code, _ in loud(text.replace("AXIS", "kind"))] == ["axis-missing"]


@pytest.mark.parametrize(
    "spoken",
    [
        r"$A$ has its own space, and $B$ in another",
        r"unlike $A$, in the space $SPACE$",
        r"$n = 3$ in $SPACE$",
        r"$A$ maps into $SPACE$",
    ],
)
def test_other_words_before_a_space_declare_nothing(spoken):
    text = spoken.replace("SPACE", r"\mathbb{R}^{\text{pt}, \text{dim}}")
    assert [
        s.kind for s in namedtensor.latex.read(text).statements if s.kind == "declaration"
    ] == []


def test_a_number_in_prose_holds_in_the_sections_within():
    text = "# One\n\nThe precision is $\\beta = 25$.\n\n" + DECLARED + "## Inside\n\n"
    text += r"$$f(X) = \beta \underset{\text{seq}}{\text{softmax}} (X)$$"
    assert loud(text) == []
    X, x = normal("seq[3] emb[2]")
    expected = 25 * np.exp(x) / np.exp(x).sum(0)
    np.testing.assert_allclose(value(text, "f", X), expected.T)


def test_the_nearer_declaration_wins():
    text = (
        "# One\n\n"
        + DECLARED
        + "# Two\n\n"
        + DECLARED.replace("seq", "pos")
        + "## Three\n\n"
        + USED
    )
    assert loud(text.replace("AXIS", r"\text{pos}")) == []
    assert [c for c, _ in loud(text.replace("AXIS", r"\text{seq}"))] == ["axis-missing"]


def test_a_sibling_section_is_not_inherited_where_two_declare():
    text = (
        "# One\n\n" + DECLARED + "# Two\n\n" + DECLARED.replace("seq", "pos") + "# Three\n\n" + USED
    )
    assert loud(text.replace("AXIS", r"\text{emb}")) == []
    assert loud(text.replace("AXIS", r"\text{seq}")) == []  # which of both is meant?


def test_a_formula_of_a_subsection_runs_on_what_the_section_declares():
    text = "# One\n\n" + DECLARED + "## Two\n\n" + USED.replace("AXIS", r"\text{seq}")
    X, numbers = normal("emb[2] seq[3]")
    e = np.exp(numbers)
    assert np.allclose(value(text, "f", X), e / e.sum(1, keepdims=True))


def test_a_function_of_any_argument_is_not_held_to_another_section():
    text = (
        "# Data\n\n" + DECLARED + "# Helper\n\n"
        r"$$\text{unit}(X) = \frac{X}{\sum_{\text{key}} X}$$"
        "\n\n# Use\n\n"
        r"$Q \in \mathbb{R}^{\text{key}}$ and $$g(Q) = \text{unit}(Q)$$"
    )
    assert loud(text) == []


# ----------------------------------------------------------------------------------- remarks

MODEL = (
    r"$A \in \mathbb{R}^{\text{obs}, \text{var}}$, $x \in \mathbb{R}^{\text{var}}$, $\tau \in \mathbb{R}$."
    "\n\n"
    r"$$y(A, x) = A \underset{\text{var}}{\cdot} x, \qquad z(A, x, \tau) = \tau \, y(A, x) + B$$"
    "\n\n"
    r"$B \in \mathbb{R}^{\text{obs}}$."
    "\n\n"
)
REMARKS = [
    r"In matrix notation, $y = A x$.",
    r"(in matrix form: $y = Ax$)",
    r"At the start $B = 0$.",
    r"We begin with $B = 0$.",
    r"With $\tau = 1$ we get the plain one.",
    r"If $\tau = 0$, nothing is left.",
    r"For example, $\tau = 0.5$ and $B = 1$.",
    r"We use $\tau = 0.07$.",
    r"Say $\tau = 2$, so that $y = z$.",
]


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("before", [True, False])
def test_mathematics_in_prose_defines_nothing_anew(remark, before):
    text = remark + "\n\n" + MODEL if before else MODEL + remark
    document = namedtensor.latex.read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    (A, a), (x, b), (B, c) = normal("obs[2] var[3]"), normal("var[3]", 1), normal("obs[2]", 2)
    result = document["z"](A, x, 3.0, B=B)
    assert np.allclose(result.numpy("obs"), 3 * a @ b + c)


@pytest.mark.parametrize("dollars", ["$", "$$"])
@pytest.mark.parametrize("of", [r"\sigma", r"\tanh", "f"])
def test_a_derivative_that_is_given_by_its_function_alone_defines_nothing(of, dollars):
    text = rf"""$x \in \mathbb{{R}}^{{\text{{dim}}}}$ $$f(x) = 2 x, \quad g(x) = {of}(x)$$
Since {dollars}{of}' = {of} (1 - {of}){dollars}, it is small."""
    document = namedtensor.latex.read(text)
    assert document.check() == []
    assert [(one.line, one.text) for one in document.asides] == [(2, rf"{of}' = {of} (1 - {of})")]
    assert document["g"](normal("dim[3]")[0]).size("dim") == 3


def test_a_letter_with_a_prime_is_defined_by_the_letter_without_it():
    text = r"""$w, x \in \mathbb{R}^{\text{dim}}$ $$w' = w (1 - w), \quad g(x) = w' \odot x$$"""
    (W, w), (X, x) = normal("dim[3]", 1), normal("dim[3]", 2)
    assert np.allclose(value(text, "g", X, w=W), w * (1 - w) * x)


def test_a_where_clause_in_prose_defines():
    text = r"$X \in \mathbb{R}^{\text{a}}$ and $$f(X) = \sum_{\text{a}} H$$ where $H = \exp(X)$."
    X, numbers = normal("a[3]")
    assert np.allclose(value(text, "f", X), np.exp(numbers).sum())


# ------------------------------------------------------------------------------------- reach

PAIR = (
    r"$X \in \mathbb{R}^{\text{tok}, \text{emb}}$, $Y \in \mathbb{R}^{\text{tok}, \text{emb}}$ and "
    r"$$f(X, Y) = BODY$$"
)
REACHES = [
    (r"\underset{\text{tok}}{\text{mean}} (X - Y)^2", lambda d: (d**2).mean(1)),
    (r"\nfun{\name{tok}}{mean} (X - Y)^2", lambda d: (d**2).mean(1)),
    (r"\text{mean}_{\text{tok}} (X - Y)^2", lambda d: (d**2).mean(1)),
    (r"\underset{\text{tok}}{\text{mean}} \left( X - Y \right)^2", lambda d: (d**2).mean(1)),
    (r"\sum_{\text{tok}} (X - Y)^2", lambda d: (d**2).sum(1)),
    (r"\left( \underset{\text{tok}}{\text{mean}} (X - Y) \right)^2", lambda d: d.mean(1) ** 2),
    (r"\left( \sum_{\text{tok}} (X - Y) \right)^2", lambda d: d.sum(1) ** 2),
    (r"\tanh(X - Y)^2", lambda d: np.tanh(d) ** 2),
    (r"\underset{\text{tok}}{\max} (X - Y)^2", lambda d: (d**2).max(1)),
    (r"\frac{\underset{\text{tok}}{\text{mean}} (X - Y)^3}{2}", lambda d: (d**3).mean(1) / 2),
]


@pytest.mark.parametrize(("body", "expected"), REACHES)
def test_a_statistic_reaches_over_the_power_behind_its_bracket(body, expected):
    (X, x), (Y, y) = normal("emb[2] tok[3]"), normal("emb[2] tok[3]", 1)
    assert np.allclose(value(PAIR.replace("BODY", body), "f", X, Y), expected(x - y))


def test_which_reading_is_taken_is_noted_once():
    findings = namedtensor.latex.read(PAIR.replace("BODY", REACHES[0][0])).check()
    assert [(f.severity, f.code) for f in findings] == [("note", "reach")]
    assert namedtensor.latex.read(PAIR.replace("BODY", REACHES[5][0])).check() == []


MARGINS = (
    r"Let $X \in \mathbb{R}^{\text{word} \times \text{ctx}}$. "
    r"$$ f = \frac{X}{\sum_{\text{ctx}} X \cdot \sum_{\text{word}} X} $$"
)


def test_a_sum_over_axes_that_reaches_over_another_is_noted_and_its_hint_parts_them():
    X, x = normal("word[2] ctx[3]")
    (note,) = namedtensor.latex.read(MARGINS).check()
    assert (note.severity, note.code) == ("note", "reach")
    assert np.allclose(value(MARGINS, "f", X), (x / (x * x.sum(0)).sum(1, keepdims=True)).T)
    _, cure = note.hint.split("around it: ")
    mended = MARGINS.replace(r"\sum_{\text{ctx}} X \cdot \sum_{\text{word}} X", cure)
    assert namedtensor.latex.read(mended).check() == []
    assert np.allclose(value(mended, "f", X), (x / (x.sum(1, keepdims=True) * x.sum(0))).T)


@pytest.mark.parametrize("dialect", ["underset", "macros"])
@pytest.mark.parametrize(("body", "expected"), REACHES)
def test_the_printer_writes_what_reads_back_the_same(body, expected, dialect):
    printed = namedtensor.latex.read(PAIR.replace("BODY", body)).latex(dialect)
    (X, x), (Y, y) = normal("emb[2] tok[3]"), normal("emb[2] tok[3]", 1)
    assert np.allclose(value(printed, "f", X, Y), expected(x - y))


# ------------------------------------------------------------- functions of undeclared arguments

POINTS = (
    r" $X \in \mathbb{R}^{\text{pt}, \text{dim}}$, $C \in \mathbb{R}^{\text{ctr}, \text{dim}}$, "
)


def test_the_shapes_of_a_functions_arguments_come_from_each_call():
    text = (
        r"$$k(A, B) = \exp\left(-\sum_{\text{dim}} (A - B)^2\right)$$"
        + POINTS
        + r"$$g(X, C) = k(X, C)$$"
    )
    assert loud(text) == []
    (X, x), (C, c) = normal("pt[3] dim[2]"), normal("ctr[4] dim[2]", 1)
    expected = np.exp(-((x[:, None] - c) ** 2).sum(2))
    assert np.allclose(value(text, "g", X, C), expected.T)
    assert np.allclose(value(text, "k", X, C), expected.T)


def test_a_fault_in_such_a_function_is_found_at_the_call():
    text = (
        r"$$k(A, B) = \exp\left(-\sum_{\text{dims}} (A - B)^2\right)$$"
        "\n" + POINTS + r"$$g(X, C) = k(X, C)$$"
    )
    assert ("axis-missing", 1) in loud(text)


def test_an_argument_without_a_declaration_has_the_axes_that_calls_give_it():
    text = r"""Rows $P \in \mathbb{R}^{\text{pair}, \text{tok}}$ and weights
$m \in \mathbb{R}^{\text{pair}, \text{tok}}$.
$$\begin{aligned}
\text{total}(S) &= \sum_{\text{tok}} m \odot S \\
\text{twice}(S) &= 2 \, \text{total}(S) \\
\text{all}(P) &= \sum_{\text{pair}} \text{twice}(P)
\end{aligned}$$"""
    assert loud(text) == []
    (P, p), (m, w) = normal("pair[2] tok[3]", 1), normal("pair[2] tok[3]", 2)
    for name, expected in (("total", (w * p).sum(1)), ("twice", 2 * (w * p).sum(1))):
        np.testing.assert_allclose(value(text, name, P, m=m), expected)


def test_a_letter_that_is_only_passed_on_says_nothing_of_what_it_is_passed_to():
    text = r"""Scores $S \in \mathbb{R}^{\text{tok}, \text{word}}$.
$$\ell(S, t) = \sum_{\text{tok}} t \underset{\text{word}}{\cdot} S$$
$$r(S, t) = 2 \, \ell(S, t)$$
$$q = r(S, S) + \ell(S, 3)$$"""
    assert loud(text.replace(r" + \ell(S, 3)", "")) == []
    assert [code for code, _ in loud(text)] == ["axis-missing"]


#: Functions whose own tensors have the axis that a call gives their argument: what the body is, and what a
#: call gives, lifted over ax, and with one axis ax.
MEETINGS = [
    (r"\sum_{\text{ax}} a w", lambda a, w: a * w.sum(), lambda a, w: (a * w).sum()),
    (
        r"w \underset{\text{ax}}{\cdot} \tanh(a \odot w)",
        lambda a, w: np.tanh(a[:, None] * w) @ w,
        lambda a, w: w @ np.tanh(a * w),
    ),
    (
        r"\underset{\text{ax}}{\max} (w \odot (1 + a^2))",
        lambda a, w: (w * (1 + a[:, None] ** 2)).max(1),
        lambda a, w: (w * (1 + a**2)).max(),
    ),
]


@pytest.mark.parametrize(("body", "lifted", "met"), MEETINGS)
def test_a_call_that_is_lifted_over_an_axis_of_the_body_is_noted_and_checked_as_it_runs(
    body, lifted, met
):
    text = r"""$w, X \in \mathbb{R}^{\text{ax}}$, $h \in \mathbb{R}^{\text{bx}}$, DECLARED
$$g(a) = BODY$$
$$Y = g(X)$$
OTHER""".replace("BODY", body)
    (X, x), (w, v) = normal("ax[3]", 1), normal("ax[3]", 2)

    def said(declared, other):
        found = namedtensor.latex.read(text.replace("DECLARED", declared).replace("OTHER", other))
        return found, [(f.code, f.line) for f in found.check()]

    document, findings = said(r"$Y \in \mathbb{R}^{\text{ax}}$", "$$Z = g(h)$$")
    assert findings == [("meaning", 3)]
    assert np.allclose(document["Y"](X=X, w=w).numpy("ax"), lifted(x, v))
    assert ("declared-shape", 3) in said(r"$Y \in \mathbb{R}$", "$$Z = g(h)$$")[1]
    hint = f"${document.check()[0].hint.rpartition('declare ')[2]}$"
    for declared, other in ((r"$Y \in \mathbb{R}$", ""), (hint, "")):
        document, findings = said(declared, other)
        assert findings == []
        assert np.allclose(document["Y"](X=X, w=w).numpy(), met(x, v))


@pytest.mark.parametrize(("size", "other"), [("2c", 4), ("c+1", 3), ("c/2", 1), ("c_{out}", 5)])
def test_sizes_that_are_computed_are_sizes_of_their_own(size, other):
    text = r"""$X \in \mathbb{R}^{\text{chan}:c}$, $K \in \mathbb{R}^{\text{chan}:c, \text{chan}':SIZE}$ and
$V \in \mathbb{R}^{\text{chan}:SIZE, \text{chan}':c}$, $Z \in \mathbb{R}^{\text{chan}:SIZE}$.
$$\begin{aligned}
\text{down}(X; K) &= [K \underset{\text{chan}}{\cdot} X]_{\text{chan}' \rightarrow \text{chan}} \\
\text{up}(Z; V) &= [V \underset{\text{chan}}{\cdot} Z]_{\text{chan}' \rightarrow \text{chan}} \\
\text{both}(X; K, V) &= X + \text{up}(\text{down}(X; K); V)
\end{aligned}$$""".replace("SIZE", size)
    assert loud(text) == []
    X, x = normal("chan[2]", 1)
    K, k = normal(f"chan[2] chan'[{other}]", 2)
    V, v = normal(f"chan[{other}] chan'[2]", 3)
    np.testing.assert_allclose(value(text, "both", X, K=K, V=V), x + x @ k @ v)
    document = namedtensor.latex.read(text)
    again = namedtensor.latex.read(document.latex())
    assert again["both"](X, K=K, V=V).shape == X.shape
    module: dict[str, object] = {}
    exec(document.python(), module)
    assert module["both"](X, K=K, V=V).shape == X.shape


CENTRED = r"""$X \in \mathbb{R}^{\text{pt}, \text{dim}}$,
$T \in \mathbb{R}^{\text{pt}, \text{kind}}$, $M \in \mathbb{R}^{\text{kind}, \text{dim}}$
$$\begin{aligned}
\text{centre}(T, X) &= T \underset{\text{pt}}{\cdot} X \\
\text{fit}(X, M) &= \sum_{\text{AXIS}} (X - M)^2 \\
\text{width}(T, X) &= \sum_{\text{pt}} T \odot (X - \text{centre}(T, X))^2 \\
\text{bound}(X, T, M) &= \sum_{\text{kind}} (\text{fit}(X, M) + \log T)
\end{aligned}$$"""


def test_an_axis_that_a_function_has_used_up_comes_back_beside_its_call():
    assert loud(CENTRED.replace("AXIS", "dim")) == []  # taking a centre away brings nothing back
    assert loud(CENTRED.replace("AXIS", "pt")) == [("axis-returns", 7)]


def test_functions_of_functions_take_their_axes():
    text = (
        r"$$u(x) = \frac{x}{\sqrt{\sum_{\text{dim}} x^2}}, \quad "
        r"c(a, b) = u(a) \underset{\text{dim}}{\cdot} u(b)$$"
        + POINTS
        + r"$$g(X, C) = \underset{\text{ctr}}{\max} \, c(X, C)$$"
    )
    assert loud(text) == []
    (X, x), (C, c) = normal("pt[3] dim[2]"), normal("ctr[4] dim[2]", 1)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    c /= np.linalg.norm(c, axis=1, keepdims=True)
    assert np.allclose(value(text, "g", X, C), (x @ c.T).max(1))


def test_an_inverse_is_a_function_of_its_own():
    text = (
        r"$s, t \in \mathbb{R}^{\text{dim}}$ $$f(z; s, t) = s z + t, \quad "
        r"f^{-1}(x; s, t) = (x - t) / s, \quad g(x; s, t) = f(f^{-1}(x; s, t); s, t)$$"
    )
    assert loud(text) == []
    x, s, t = nt.tensor(2.0), *(normal("dim[3]", seed)[0] for seed in (1, 2))
    assert np.allclose(value(text, "g", x, s=s, t=t), 2.0)


def test_indices_are_counted_once_between_formulas():
    text = (
        r"$E \in \mathbb{R}^{\text{vocab}:v, \text{emb}}$, $I \in [v]^{\text{seq}}$ "
        r"$$e(I; E) = E_{\text{vocab}:I}, \quad g(I; E) = 2 e(I; E)$$"
    )
    E, numbers = normal("vocab[4] emb[2]")
    I = nt.tensor(np.array([3, 0, 1]), "seq")
    assert np.allclose(value(text, "g", I, E=E), 2 * numbers[[3, 0, 1]].T)


# --------------------------------------------------------------------------------- relations

MODELS = (
    r"$x \in \mathbb{R}^{\text{feat}}$, $W \in \mathbb{R}^{\text{feat}, \text{cls}}$, "
    r"$y \in \{0,1\}^{\text{cls}}$"
    "\n\n"
)
RELATIONS = [
    (r"\sum_{\text{cls}} y = 1", r"\sum_{\text{feat}} y = 1"),
    (
        r"p(y \mid x) = \underset{\text{cls}}{\text{softmax}} (W \underset{\text{feat}}{\cdot} x)",
        r"p(y \mid x) = \underset{\text{feat}}{\text{softmax}} (W \underset{\text{feat}}{\cdot} x)",
    ),
    (
        r"\log Z = \underset{\text{cls}}{\text{logsumexp}} (W \underset{\text{feat}}{\cdot} x)",
        r"\log Z = \underset{\text{key}}{\text{logsumexp}} (W \underset{\text{feat}}{\cdot} x)",
    ),
    (
        r"x \underset{\text{feat}}{\cdot} W = W \underset{\text{feat}}{\cdot} x",
        r"x \underset{\text{feat}}{\cdot} W = W \underset{\text{cls}}{\cdot} x",
    ),
    (
        r"W \underset{\text{feat}}{\cdot} x = \underset{\text{cls}}{\text{softmax}} (y)",
        r"W \underset{\text{feat}}{\cdot} x = \underset{\text{feat}}{\text{softmax}} (x)",
    ),
    (
        r"\ell(W) = \sum_{\text{cls}} y \odot (W \underset{\text{feat}}{\cdot} x), \quad "
        r"\frac{\partial \ell}{\partial W} = x \odot y",
        r"\ell(W) = \sum_{\text{cls}} y \odot (W \underset{\text{feat}}{\cdot} x), \quad "
        r"\frac{\partial \ell}{\partial W} = x",
    ),
    (
        r"\Delta W = \exp(W), \quad f(x) = (W + \Delta W) \underset{\text{feat}}{\cdot} x",
        r"\Delta W = \exp(W), \quad f(x) = (W + \Delta W) \underset{\text{key}}{\cdot} x",
    ),
    (
        r"\log p(y \mid x) = \sum_{\text{cls}} y \odot (W \underset{\text{feat}}{\cdot} x) + \text{const}",
        r"\log p(y \mid x) = \sum_{\text{feat}} y \odot (W \underset{\text{feat}}{\cdot} x) + \text{const}",
    ),
]


@pytest.mark.parametrize(("right", "wrong"), RELATIONS)
def test_the_sides_of_a_relation_are_looked_at_and_held_together(right, wrong):
    assert loud(MODELS + f"$${right}$$") == []
    assert [line for _, line in loud(MODELS + f"$${wrong}$$")] == [3]


def test_what_a_relation_names_can_be_used_and_called():
    text = MODELS + (
        r"$$p(y \mid x) = \underset{\text{cls}}{\text{softmax}} (W \underset{\text{feat}}{\cdot} x), \quad "
        r"\log Z = \sum_{\text{cls}} W \underset{\text{feat}}{\cdot} x, \quad "
        r"g(x; W) = \log Z + \sum_{\text{cls}} p(y \mid x)$$"
    )
    document = namedtensor.latex.read(text)
    assert loud(text) == []
    (x, a), (W, w) = normal("feat[3]"), normal("feat[3] cls[2]", 1)
    y = nt.tensor(np.array([1.0, 0.0]), "cls")
    e = np.exp(a @ w)
    assert np.allclose(document["p"](y=y, x=x, W=W).numpy("cls"), e / e.sum())


# ---------------------------------------------------------------------------- series or power


def test_a_power_of_an_argument_is_no_member_of_its_series():
    text = (
        r"$\xi \in \mathbb{R}^{\text{d}}$ $$u(\xi) = 2 \xi, \quad \xi^{t+1} = u(\xi^t), \quad "
        r"r(\xi) = \sum_{\text{d}} \xi^2$$"
    )
    x, numbers = normal("d[3]")
    assert np.allclose(value(text, "r", x), (numbers**2).sum())
    assert loud(text.replace(r"\sum_{\text{d}} \xi^2", r"\sum_{\text{e}} \xi^2")) != []


def test_a_numbered_member_is_one_where_the_series_has_its_first():
    text = (
        r"$X^0 \in \mathbb{R}^{\text{d}}$ $$\begin{aligned} X^l &= 2 X^{l-1}, \quad l = 1, \dots, L \\"
        r" Y &= X^2 \end{aligned}$$"
    )
    x, numbers = normal("d[3]")
    assert np.allclose(value(text, "Y", x), 4 * numbers)


@pytest.mark.parametrize(("axis", "codes"), [("seq", []), ("hid", []), ("emb", ["axis-missing"])])
def test_the_letter_of_a_series_along_an_axis_is_all_its_members(axis, codes):
    text = r"""$b \in \mathbb{R}^{\text{hid}}$, $x \in \mathbb{R}^{\text{seq}, \text{emb}}$,
$W \in \mathbb{R}^{\text{emb}, \text{hid}}$
$$\begin{aligned}
h_{\text{seq}:0} &= b \\
h_{\text{seq}:t} &= \tanh(h_{\text{seq}:t-1} + W \underset{\text{emb}}{\cdot} x_{\text{seq}:t}) \\
y &= \sum_{\text{AXIS}} h
\end{aligned}$$"""
    assert [code for code, _ in loud(text.replace("AXIS", axis))] == codes


def test_series_that_need_each_other_are_checked():
    text = (
        r"$K \in \mathbb{R}^{\text{a}, \text{b}}$, $v \in \mathbb{R}^{\text{b}}$ $$\begin{aligned}"
        "\n"
        r"v^0 &= 1 \\"
        "\n"
        r"u^r &= K \underset{\text{b}}{\cdot} v^{r-1} \\"
        "\n"
        r"v^r &= K \underset{\text{a}}{\cdot} u^r \end{aligned}$$"
    )
    assert loud(text) == []
    assert loud(text.replace(r"{\text{b}}{\cdot} v", r"{\text{a}}{\cdot} v")) == [
        ("axis-missing", 3)
    ]


#: Series that need each other and begin with numbers; the step from one to the next renames an axis.
LOOPS = [
    r"""$W \in \mathbb{R}^{\text{in}:n, \text{out}:n}$, $J \in \mathbb{R}^{\text{time}:T, \text{out}:n}$
$$v_t = v_{t-1} (1 - s_{t-1}) + W \underset{\text{in}}{\cdot} NEXT + J_{\text{time}(t)} $$
$$s_t = \tanh(v_t)$$ with $v_0 = s_0 = 0$.""",
    r"""$W \in \mathbb{R}^{\text{in}:n, \text{out}:n}$, $b \in \mathbb{R}^{\text{out}:n}$

$$v_t = \tanh(W \underset{\text{in}}{\cdot} NEXT + b), \quad s_t = v_t^2$$ with $s_0 = 0$.""",
    r"""$W \in \mathbb{R}^{\text{in}:n, \text{out}:n}$

$$v_t = \frac{v_{t-1}}{2} + W \underset{\text{in}}{\cdot} NEXT, \quad s_t = u_t + v_t, \quad u_t = \exp(v_t)$$
with $v_0 = s_0 = 0$.""",
]


@pytest.mark.parametrize("text", LOOPS)
def test_a_renaming_that_is_missing_between_series_that_need_each_other_is_found(text):
    assert loud(text.replace("NEXT", r"[s_{t-1}]_{\text{out} \to \text{in}}")) == []
    assert [code for code, _ in loud(text.replace("NEXT", r"s_{t-1}"))] == ["axis-missing"]


# ------------------------------------------------------------------------------------ idioms

GRAPH = (
    r"$S \in \mathbb{R}^{\text{ex}:n, \text{cls}:k}$, $M \in \mathbb{R}^{\text{cls}:k, \text{cls}':k}$"
    "\n\n"
)


@pytest.mark.parametrize(
    "indicator",
    [
        r"\mathbf{1}\{S > 0\}",
        r"\mathbb{1}_{S > 0}",
        r"\mathbb 1\{S > 0\}",
        r"\mathbf{1}[S > 0]",
        r"[S > 0]",
    ],
)
def test_what_holds_is_1(indicator):
    text = GRAPH + rf"$$f(S) = \sum_{{\text{{cls}}}} {indicator}$$"
    assert loud(text) == []
    S, numbers = normal("ex[3] cls[2]")
    assert value(text, "f", S).tolist() == (numbers > 0).sum(1).tolist()


def test_an_indicator_takes_all_that_its_condition_is_made_of():
    text = r"$X \in \mathbb{R}^{\text{seq}}$, $w \in \mathbb{R}^{\text{seq}}$" "\n\n"
    text += r"$$f(X) = w X, \qquad g(X) = \sum_{\text{seq}} \mathbb{1}[f(X) > 0]$$"
    (X, x), (w, v) = normal("seq[5]", 1), normal("seq[5]", 2)
    assert float(namedtensor.latex.read(text)["g"](X, w=w).numpy()) == np.sum(v * x > 0)


@pytest.mark.parametrize("delta", [r"\delta_{ij}", r"\delta_{i,j}", r"\delta_{i j}"])
def test_kroneckers_delta_is_1_on_the_diagonal(delta):
    text = (
        GRAPH
        + rf"$$M_{{\text{{cls}}:i, \text{{cls}}':j}} = {delta}, \quad "
        + r"f(S) = M \underset{\text{cls}}{\cdot} S$$"
    )
    assert loud(text) == []
    S, numbers = normal("ex[3] cls[2]")
    assert np.allclose(namedtensor.latex.read(text)["f"](S).numpy("ex", "cls'"), numbers)


def test_a_condition_in_words_is_data():
    text = GRAPH + (
        r"$$M_{\text{cls}:i, \text{cls}':j} = \begin{cases} 0 & \text{if there is an edge from $i$ to $j$} \\"
        r" -\infty & \text{otherwise} \end{cases}$$ and $$f(S, M) = S \underset{\text{cls}}{\cdot} M$$"
    )
    assert loud(text) == []
    (S, s), (M, m) = normal("ex[3] cls[2]"), normal("cls[2] cls'[2]", 1)
    assert np.allclose(namedtensor.latex.read(text)["f"](S, M).numpy("ex", "cls'"), s @ m)


@pytest.mark.parametrize("op", [r"\arg\min_{M}", r"\min_M", r"\operatorname*{arg\,max}_{M}"])
def test_an_optimum_is_looked_at_and_not_computed(op):
    text = GRAPH + rf"$$\hat{{M}} = {op} \sum_{{\text{{cls}}, \text{{cls}}'}} M \odot M$$"
    assert loud(text) == []
    assert loud(text.replace(r"\sum_{\text{cls},", r"\sum_{\text{ex},")) != []
    document = namedtensor.latex.read(text)
    with pytest.raises(nt.NamedTensorError, match="is an optimum over tensors"):
        document["Mhat"](nt.ones("cls[2] cls'[2]"))


def test_a_diagonal_that_is_set_says_nothing_of_the_rest():
    text = GRAPH + r"$$M_{\text{cls}:i, \text{cls}':i} = 1$$"
    assert loud(text) == []


def test_pieces_of_a_tensor_are_one_definition():
    text = (
        r"$X \in \mathbb{R}^{\text{half}:2, \text{d}}$, $Y \in \mathbb{R}^{\text{half}:2, \text{d}}$"
        r" $$Y_{\text{half}:1} = X_{\text{half}:1}, \qquad Y_{\text{half}:2} = 3 X_{\text{half}:1}$$"
    )
    assert loud(text) == []
    X, numbers = normal("half[2] d[3]")
    result = namedtensor.latex.read(text)["Y"](X).numpy("half", "d")
    assert np.allclose(result, [numbers[0], 3 * numbers[0]])


def test_a_sum_goes_on_in_the_next_column():
    text = r"\begin{alignat}{2} X &\in \mathbb{R}^{\text{a}} \\ f(X) &= \sum_{\text{a}} && X^2 \end{alignat}"
    X, numbers = normal("a[3]")
    assert np.allclose(value(text, "f", X), (numbers**2).sum())


# ------------------------------------------------- faults that authors of the notation corrected

STYLE = r"""\ndef{\vocab}{vocab}\ndef{\seq}{seq}\ndef{\subseq}{subseq}\ndef{\emb}{emb}\ndef{\hid}{hid}
\newcommand{\mean}[1]{\nfun{#1}{mean}}
\begin{align*}
E &\in \mathbb{R}^{\vocab[v] \times \emb} & I &\in [v]^{\seq[n]} \\
X, Y &\in \mathbb{R}^{\seq[n] \times \emb} \\
x &\in \mathbb{R}^{\emb} & W &\in \mathbb{R}^{\emb \times \hid} \\
b &\in \mathbb{R}^{\hid} \\
f(x; W, b) &= W \ndot{\emb} x + b \\
"""
CORRECTED = [
    (r"Z_{\subseq(k)} &= E_{\vocab(I_{\subseq(k)})}", "axis-missing"),
    (r"\frac{\partial Y}{\partial X} &= Y \odot \nfun{\seq}{softmax} X", "declared-shape"),
    (r"g(x; W, b) &= \exp(f(x; W, W))", "repeated"),
    (r"Y_{\seq(i)} &= X_{\seq(i)}, \quad i = 1, \dots, n+1", "index-range"),
    (r"s &= \sum_{i=1}^{n+1} X_{\seq(i)}", "index-range"),
    (r"h(X) &= X - \mathrm{mean}(X)", "no-axis"),
    (r"h(X) &= \nfun{\seq}{softmax} (X)))", "syntax-unbalanced"),
]
FINE = [
    r"Z_{\seq(k)} &= E_{\vocab(I_{\seq(k)})}",
    r"g(x; W, b) &= \exp(f(x; W, b))",
    r"Y_{\seq(i)} &= X_{\seq(i)}, \quad i = 1, \dots, n",
    r"s &= \sum_{i=1}^{n} X_{\seq(i)}",
    r"h(X) &= X - \mean{\emb} X",
]


@pytest.mark.parametrize(("row", "code"), CORRECTED)
def test_a_fault_that_authors_corrected_is_found_in_its_row(row, code):
    found = loud(STYLE + row + "\n\\end{align*}", "a.tex")
    assert found == [(code, 9)]


@pytest.mark.parametrize("row", FINE)
def test_nothing_is_said_of_the_row_as_it_was_corrected(row):
    assert loud(STYLE + row + "\n\\end{align*}", "a.tex") == []


@pytest.mark.parametrize(
    ("second", "code"), [("3 x", "axis-missing"), (r"\sum_{\text{in}} x", ""), (r"x + y", "")]
)
def test_a_letter_that_sections_define_with_the_same_axes_is_believed(second, code):
    document = nt.latex.read(
        rf"""Let $x \in \mathbb{{R}}^{{\text{{in}}}}$, $y \in \mathbb{{R}}^{{\text{{out}}}}$.
# A
$$L = 2 x$$
# B
$$L = {second}$$
# C
$$s = \underset{{\text{{out}}}}{{\text{{softmax}}}}\, L + y$$"""
    )
    assert [f.code for f in document.check() if f.severity != "note"] == ([code] if code else [])


@pytest.mark.parametrize(("letter", "number"), [("e", "2.71828"), (r"\pi", "3.14159")])
def test_a_note_says_which_number_a_defined_letter_is_not(letter, number):
    text = rf"Let $x \in \mathbb{{R}}^{{\text{{in}}}}$. $${letter} = 3 x$$ $$y = 2 {letter} - x$$"
    (note,) = nt.latex.read(text).check()
    assert note.message.endswith(f"and not {number}")


# ------------------------------------------------------------------------------------ slashes

SLASHES = [
    (r"x^2 / 2 s^2", lambda x, s, k: x**2 / (2 * s**2)),
    (r"\exp(-x) / 2 k s", lambda x, s, k: np.exp(-x) / (2 * k * s)),
    (r"- (x - 1)^2 / 2 s", lambda x, s, k: -((x - 1) ** 2) / (2 * s)),
    (r"\| x \|^2 / 2 k", lambda x, s, k: (x**2).sum() / (2 * k)),
    (r"k / 2 x^2", lambda x, s, k: k / 2 * x**2),
    (r"1/2 s", lambda x, s, k: s / 2),
    (r"k x / 2 \pi", lambda x, s, k: k * x / (2 * np.pi)),
    (r"k s / 2\pi x", lambda x, s, k: k * s / (2 * np.pi * x)),
    (r"k / 2 \log s^2", lambda x, s, k: k / 2 * np.log(s**2)),
    (r"|\text{a}|/2 s", lambda x, s, k: 3 / 2 * s),
    (r"x^2 / 2 \cdot s", lambda x, s, k: x**2 / 2 * s),
    (r"x^2 / 2 + s", lambda x, s, k: x**2 / 2 + s),
]


@pytest.mark.parametrize(("body", "wanted"), SLASHES)
def test_a_slash_divides_by_a_number_and_the_letters_behind_it(body, wanted):
    text = rf"$x, s \in \mathbb{{R}}^{{\text{{a}}}}$, $k \in \mathbb{{R}}$. $$y = 0 x + {body}$$"
    (x, x_), (s, s_) = normal("a[3]", 1), normal("a[3]", 2)
    given = {"x": x, "s": s, "k": 3.0}
    formula = namedtensor.latex.read(text)["y"]
    found = formula(**{p.name: given[p.name] for p in formula.signature.parameters})
    np.testing.assert_allclose(found.numpy("a"), wanted(x_, s_, 3.0) + 0 * x_)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x^2 / 2 s^2", "x^2 / 2 s^2 is x^2 / (2 s^2)"),
        ("k / 2 x", "k / 2 x is (k / 2) x"),
        ("(k / 2) x", ""),
        (r"\frac{k}{2} x", ""),
        ("x / (2 s)", ""),
        ("1/2 x", ""),
    ],
)
def test_a_note_says_what_a_slash_divides_by(body, said):
    text = rf"$x, s \in \mathbb{{R}}^{{\text{{a}}}}$, $k \in \mathbb{{R}}$. $$y = {body}$$"
    assert [f.message for f in namedtensor.latex.read(text).check()] == ([said] if said else [])


# ----------------------------------------------------------------- functions and letters elsewhere

CODES = (
    "# Names\n\n"
    r"A code $z \in \mathbb{R}^{\text{lat}}$, and $x, y \in \mathbb{R}^{\text{lat}}$."
    "\n\n# Coding\n\n"
    r"$$z(x, y) = x + 2 \sum_{\text{lat}} y$$"
    "\n\n# Loss\n\n"
)


@pytest.mark.parametrize(
    "loss",
    [
        r"$$L(x, y) = \sum_{\text{lat}} z(x, y)^2$$",
        r"$$L(x, y) = \sum_{\text{lat}} z^2 \qquad \text{where } z = z(x, y)$$",
        r"$$\begin{aligned} L(x, y) &= \sum_{\text{lat}} z^2 \qquad \text{with } z = z(x, y) \\"
        r" &= \sum_{\text{lat}} z(x, y)^2 \end{aligned}$$",
    ],
)
def test_a_function_of_another_section_is_called_beside_a_declared_letter(loss):
    document = namedtensor.latex.read(CODES + loss)
    assert [f.message for f in document.check() if f.severity != "note"] == []
    (x, x_), (y, y_) = normal("lat[3]", 1), normal("lat[3]", 2)
    assert np.allclose(float(document["L"](x, y)), ((x_ + 2 * y_.sum()) ** 2).sum())
    assert np.allclose(document["z"](x, y).numpy("lat"), x_ + 2 * y_.sum())


def test_a_letter_that_its_own_section_declares_is_no_function_of_another():
    own = r"Let $z, b \in \mathbb{R}^{\text{lat}}$. $$q = z (b)$$"
    (found,) = namedtensor.latex.read(CODES + own).check()
    assert found.message == "z is no function: z (b) is the product of z and b"


def test_what_explains_a_letter_at_the_end_of_a_row_does_not_go_on_in_the_next_row():
    rows = (
        r"$x \in \mathbb{R}^{\text{a}}$ $$\begin{aligned}"
        r" u &= \sum_{\text{a}} v \qquad \text{with } v = 2 x \\"
        r" &= 2 \sum_{\text{a}} x \\ &= \sum_{\text{a}} (x + x) \end{aligned}$$"
    )
    assert loud(rows) == []
    assert loud(rows.replace(r"2 \sum_{\text{a}} x", "2 x")) != []


# ------------------------------------------------------------------------ definitions in prose

PROSE = (
    "# Data\n\n"
    r"$C \in \mathbb{R}^{\text{doc}, \text{word}}$ and $b \in \mathbb{R}^{\text{doc}}$"
    "\n\n# Steps\n\n"
    r"$$r(x) = \underset{\text{word}}{\text{softmax}}(x)$$"
    "\n\n"
)


def test_prose_defines_what_it_makes_of_the_tensors_of_another_section():
    step = r"One step with $R = r(C)$, $R \in \mathbb{R}^{\text{doc}, \text{word}}$, is"
    text = PROSE + step + "\n" r"$$p = \underset{\text{doc}}{\text{mean}} R$$"
    C, C_ = normal("doc[3] word[2]")
    e = np.exp(C_)
    assert np.allclose(value(text, "p", C=C), (e / e.sum(1, keepdims=True)).mean(0))


@pytest.mark.parametrize(
    "said",
    [
        "At $b = 0$ all are equal.",
        "The rule with $b = 1$ says more.",
        "Taking $b = 0$, all vanish.",
    ],
)
def test_a_number_tried_for_a_tensor_of_another_section_is_a_remark(said):
    text = PROSE + r"$$q(b) = b + \sum_{\text{word}} C$$" "\n\n" + said
    assert loud(text) == []
    (b, b_), (C, C_) = normal("doc[3]", 1), normal("doc[3] word[2]", 2)
    assert np.allclose(value(text, "q", b=b, C=C), b_ + C_.sum(1))


# ---------------------------------------------------------------------------------- chains of contractions

CHAIN = r"""$A \in \mathbb{R}^{\text{seq}', \text{seq}}$, $V \in \mathbb{R}^{\text{seq}, \text{val}}$,
$W \in \mathbb{R}^{\text{val}, \text{emb}}$ """


def test_what_alone_has_all_axes_is_contracted_first_and_a_note_says_so():
    text = CHAIN + r"$$Y = W \underset{\text{val}}{\cdot} A \underset{\text{seq}}{\cdot} V$$"
    A, V, W = [
        normal(s, n) for n, s in enumerate(("seq'[4] seq[3]", "seq[3] val[2]", "val[2] emb[5]"))
    ]
    found = value(text, "Y", A=A[0], V=V[0], W=W[0])
    np.testing.assert_allclose(found, (A[1] @ V[1] @ W[1]).T)
    (note,) = [f for f in namedtensor.latex.read(text).check() if f.code == "reach"]
    assert note.severity == "note"
    brackets = text.replace(r"A \und", r"(A \und").replace("V$$", "V)$$")
    assert [f for f in namedtensor.latex.read(brackets).check() if f.code == "reach"] == []


@pytest.mark.parametrize(
    "chain",
    [
        r"W \underset{\text{seq}}{\cdot} A \underset{\text{seq}}{\cdot} V",
        r"A \underset{\text{val}}{\cdot} W \underset{\text{val}}{\cdot} V",
        r"(W \underset{\text{val}}{\cdot} A) \underset{\text{seq}}{\cdot} V",
    ],
)
def test_a_chain_that_no_grouping_makes_right_is_a_fault(chain):
    assert [code for code, _ in loud(CHAIN + f"$$Y = {chain}$$")] == ["axis-missing"]
