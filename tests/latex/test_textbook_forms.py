r"""What textbooks write around formulas: starts in prose, zeros as arguments, values that exercises tell."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(5)
b, X = rng.uniform(0.1, 0.5, 4), rng.normal(size=(4, 2))
y, C, c = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3)
GIVEN = {"b": tensor(b, "step"), "X": tensor(X, "step", "in"), "C": tensor(C, "pix'", "pix")}
GIVEN |= dict.fromkeys(("y", "y_T", "x"), tensor(y, "pix")) | {"c": tensor(c, "pix")}
HEAD = r"Let $b \in (0, 1)^{\text{step}}$ be a schedule with $T = |\text{step}|$ steps."
RULE = (
    r"$$a_t = 1 - b_t, \qquad A_t = \prod_{s=1}^{t} a_s, \qquad t = 1, \ldots, T$$ and $A_0 = 1$."
)
RATIO = r"$$r_t = \frac{1 - A_{t-1}}{1 - A_t}$$"


@pytest.mark.parametrize("before", ["", r"$$s(x) = 2 x$$", r"$$s = 3 r$$"])
@pytest.mark.parametrize("between", ["", "\n## Backwards\n"])
@pytest.mark.parametrize("behind", ["", r"$$f_t(x) = \sqrt{A_t} x + s(x)$$", r"$$g(x, A_0) = x$$"])
def test_a_start_in_prose_counts_whatever_shares_the_letter_of_an_index(before, between, behind):
    text = f"# Noise\n{before}\n\n## Forwards\n{HEAD} {RULE}\n{between}\n{RATIO}\n\n{behind}"
    A = np.cumprod(1 - b)
    document = read(text)
    same(document["A"](b=GIVEN["b"]), A, "step")
    same(document["r_t"](b=GIVEN["b"]), (1 - np.r_[1, A[:-1]]) / (1 - A), "step")


BACK = r"$$y_{t-1} = y_t - b_t [C \underset{\text{pix}}{\cdot} y_t]_{\text{pix}' \to \text{pix}}$$"
PIX = r"\in \mathbb{R}^{\text{pix}}"
LETTERS = r"Let $C \in \mathbb{R}^{\text{pix}', \text{pix}}$."


@pytest.mark.parametrize(
    "told",
    [
        "",
        r"For $b_t = b_1 + \frac{t - 1}{T - 1} (b_T - b_1)$ with $b_1 = 10^{-4}$ and $b_T = 0.02$, how much?",
        "\n# Exercises\nTake $b_1 = 0.1$ and $b_T = 0.2$.",
    ],
)
def test_a_series_goes_down_from_a_declared_last_member(told):
    text = f"{HEAD} {LETTERS} Start with noise, $y_T {PIX}$. For $t = T, T - 1, \\ldots, 1$, {BACK}\n\n{told}"
    wanted = y
    for t in (2, 1, 0):
        wanted = wanted - b[t] * (C @ wanted)
    document = read(text).bind(T=3)
    found = document["y_0"](b=tensor(b[:3], "step"), C=GIVEN["C"], y_T=GIVEN["y_T"])
    same(found, wanted, "pix")
    assert [f for f in document.check() if f.severity != "note"] == []


@pytest.mark.parametrize("zero", ["0", r"\mathbf{0}", r"\vec{0}"])
@pytest.mark.parametrize("said", [rf"$c {PIX}$", ""])
def test_a_zero_has_the_axes_that_a_function_declares(zero, said):
    signature = (
        "" if said else r"$$f \colon \R^{\text{pix}} \times \R^{\text{pix}} \to \R^{\text{pix}'}$$"
    )
    text = (
        rf"{LETTERS} $x {PIX}$. {said} {signature} "
        r"$$f(x, c) = C \underset{\text{pix}}{\cdot} (x + c) + 1$$ "
        rf"$$g(x) = f(f(x, {zero})_{{\text{{pix}}' \to \text{{pix}}}}, {zero})$$"
    )
    same(called(text, "g", GIVEN), C @ (C @ y + 1) + 1, "pix'")


def test_a_number_beside_a_vector_is_still_a_fault():
    text = rf"$x, c {PIX}$. $$f(x, c) = x \underset{{\text{{pix}}}}{{\cdot}} c$$ $$g(x) = f(x, 3)$$"
    assert [f.code for f in read(text).check()] == ["axis-missing"]


def test_what_elements_are_for_somebody_who_knows_nothing_is_a_remark():
    text = (
        r"Let $X \in \mathbb{R}^{\text{step}, \text{in}}$ and $x_t = X_{\text{step}(t)}$. "
        r"$$p_t = \underset{\text{in}}{\text{softmax}} x_t$$ "
        r"Who knows nothing has $p = 1 / |\text{in}|$ everywhere."
    )
    e = np.exp(X)
    same(read(text)["p"](X=GIVEN["X"]), e / e.sum(1, keepdims=True), "step", "in")


@pytest.mark.parametrize(
    "each", [r"and for the candidate, $g = n$,", r"and for $g = n$", r"and the candidate ($g = n$)"]
)
def test_a_further_member_stands_beside_the_set(each):
    text = (
        r"Let $X \in \mathbb{R}^{\text{step}, \text{in}}$. "
        rf"For each gate $g \in \{{i, f\}}$ {each} there is $W^g \in \mathbb{{R}}^{{\text{{in}}}}$. "
        r"$$y = (W^i + W^f + W^n) \underset{\text{in}}{\cdot} X$$"
    )
    assert read(text).check() == []


def test_starts_of_a_display_are_no_values_that_are_tried():
    state = r"W \underset{\text{in}}{\cdot} X_{\text{step}(t)}"
    text = (
        r"Let $X \in \mathbb{R}^{\text{step}, \text{in}}$ and $W \in \mathbb{R}^{\text{in}}$."
        "\n"
        rf"# Plain{chr(10)}The states are $h_0 = 0$ and $$h_t = \tanh({state} + h_{{t-1}})$$"
        rf"{chr(10)}# Gated{chr(10)}A cell is added. With $h_0 = c_0 = 0$, "
        rf"$$\begin{{aligned}} c_t &= c_{{t-1}} + {state} + h_{{t-1}} \\ h_t &= \tanh c_t \end{{aligned}}$$"
    )
    W, h, cell, found = np.array([0.3, -0.2]), 0.0, 0.0, []
    for row in X:
        cell = cell + row @ W + h
        h = np.tanh(cell)
        found.append(cell)
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document["c"](X=GIVEN["X"], W=tensor(W, "in")), np.array(found), "step")


K = r"Let $K \in \R^{\text{out}, \text{ker}:3}$, $X \in \R^{\text{out}}$ and $z \in \R^{\text{ker}}$."


@pytest.mark.parametrize(
    "example",
    [
        r"One with $K_{\text{ker}(1)} = 1$, $K_{\text{ker}(2)} = 0$ and $K_{\text{ker}(3)} = -1$ sees edges.",
        "Show that if $K$ is wide, then $Y = 2 X$.",
        "\n# Exercises\n1. Prove that $Y = K \\underset{\\text{ker}}{\\cdot} z$ is linear.",
        "\n# Exercises\n(a) Why is $Y = 0$ if $|\\text{out}| = 1$? (b) Does it need $|\\text{out}| = 4$?",
        "\n\n| layer | $|\\text{out}| = 64$ |\n|---|---|\n| ours | 192 |",
        "\n\n\\begin{tabular}{ll} layer & $|\\text{out}| = 64$ \\\\ ours & 192 \\end{tabular}",
    ],
)
def test_examples_tasks_and_heads_of_tables_say_nothing_of_what_is_defined(example):
    text = rf"# A{chr(10)}{K} $$Y = K \underset{{\text{{ker}}}}{{\cdot}} z$$ {example}"
    given = {"K": tensor(rng.normal(size=(2, 3)), "out", "ker"), "z": tensor(y, "ker")}
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document["Y"](**given), given["K"].numpy("out", "ker") @ y, "out")


def test_an_index_up_to_one_size_is_no_index_of_another_axis():
    text = (
        r"$K \in \mathbb{R}^{\text{out}, \text{in}}$, $x \in \mathbb{R}^{\text{in}}$. "
        r"$$y_{\text{out}(o)} = \sum_{c=1}^{|\text{in}|} K_{\text{out}(o), \text{in}(c)} x_{\text{in}(c)}$$"
    )
    assert read(text).check() == []
    slip = text.replace(r"\text{out}(o), \text{in}(c)} x", r"\text{out}(c), \text{in}(o)} x")
    assert [f.code for f in read(slip).check()] == ["index-range"]
    told = rf"Let $|\text{{out}}| = |\text{{in}}|$. {slip}"
    assert read(told).check() == []


def test_arguments_that_are_indices_are_no_tensors_of_that_letter():
    text = (
        r"$U \in \mathbb{R}^{\text{word}, \text{emb}}$ and $a, b \in \mathbb{R}^{\text{word}}$. "
        r"$$Y = U + a + b$$ "
        r"$$s(a, b) = U_{\text{word}(a)} \underset{\text{emb}}{\cdot} U_{\text{word}(b)}$$"
    )
    U = rng.normal(size=(4, 3))
    same(called(text, "s", {"U": tensor(U, "word", "emb"), "a": 1, "b": 2}), U[1] @ U[2])


@pytest.mark.parametrize("word", ["standardize", "softmax"])
def test_functions_along_an_axis_keep_it_for_elements(word):
    text = (
        r"$A \in \mathbb{R}^{\text{batch}, \text{emb}}$. "
        rf"$$Z = \underset{{\text{{batch}}}}{{\text{{{word}}}}} A$$ "
        r"$$C = Z \underset{\text{batch}}{\cdot} Z_{\text{emb} \to \text{emb}'}$$ "
        r"$$L = \sum_i C_{ii} + \sum_i \sum_{j \ne i} C_{ij}^2$$"
    )
    A = tensor(rng.normal(size=(5, 3)), "batch", "emb")
    C = read(text)["C"](A=A).numpy("emb", "emb'")
    same(called_loudly(text, "L", {"A": A}), np.trace(C) + (C**2).sum() - (np.diag(C) ** 2).sum())


def called_loudly(text, name, given):
    """Call a formula of a document of which there are notes alone."""
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    formula = document[name]
    return formula(**{p.name: given[p.name] for p in formula.signature.parameters})


LOSS = r"Let $f, p \in \R^{\text{unit}}$. $$\mathcal{L}_{\text{aux}} = f \underset{\text{unit}}{\cdot} p$$"
TOTAL = r"\mathcal{L} = \mathcal{L}_{\text{task}} + 0.1 \mathcal{L}_{\text{aux}}"


def test_a_total_in_prose_may_name_a_loss_from_elsewhere():
    document = read(f"{LOSS} The total is ${TOTAL}$.")
    assert document.check() == []
    assert r"\mathcal{L}" not in document
    (finding,) = read(f"{LOSS} $${TOTAL}$$").check()
    assert finding.code == "undefined"


@pytest.mark.parametrize(
    "said",
    [
        r"where $\mathcal{L}_{\text{task}}$ is the usual loss",
        r"with the loss $\mathcal{L}_{\text{task}}$",
    ],
)
def test_a_calligraphic_letter_is_a_number_that_prose_names(said):
    f = tensor(y, "unit")
    given = {"f": f, "p": f, "L_task": 2.0}
    same(called_loudly(f"{LOSS} $${TOTAL}$$ {said}.", r"\mathcal{L}", given), 2 + 0.1 * y @ y)


@pytest.mark.parametrize("size", [r"\kappa n / 2", r"\lceil \kappa k n \rceil"])
def test_a_size_that_is_computed_from_numbers_may_be_chosen(size):
    text = (
        r"Let $Q \in \mathbb{R}^{\text{seq}:n}$ and $D \in \mathbb{R}^{\text{seq}:n, \text{slot}:C}$ be "
        r"$$D_{\text{seq}(t), \text{slot}(c)} = \mathbb{1}[Q_{\text{seq}(t)} = c].$$ "
        rf"With a capacity factor $\kappa$ and $k = 2$ we set $C = {size}$."
    )
    found = read(text).bind(C=3)["D"](Q=tensor([1.0, 3, 2, 1], "seq"))
    same(found, np.eye(3)[[0, 2, 1, 0]], "seq", "slot")


@pytest.mark.parametrize("words", ["the $w - 1$ tokens before it", "the last $w$ tokens"])
def test_a_number_of_things_is_no_tensor_of_another_section(words):
    text = (
        rf"# Window{chr(10)}Each token sees itself and {words}:"
        r"$$M_{\text{seq}'(i), \text{seq}(j)} = "
        r"\begin{cases} 0 & i - w < j \le i \\ 1 & \text{otherwise} \end{cases}$$"
        rf"{chr(10)}# Words{chr(10)}Words are $w \in [\text{{voc}}]^{{\text{{seq}}}}$."
    )
    i, j = np.arange(4)[:, None], np.arange(4)
    document = read(text).bind(seq=4, seq_=4)
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document["M"](w=2), 1.0 * ~((i - 2 < j) & (j <= i)), "seq'", "seq")


x = rng.normal(size=(4, 3))
POINTS = {"x": tensor(x, "i", "dim"), "z": tensor(y, "dim"), "t": tensor(x[:, 0], "i")}
SPACE = r"\in \mathbb{R}^{\text{dim}}"


def test_a_list_with_dots_may_begin_with_zero():
    text = rf"Let $x_0, \dots, x_{{n-1}} {SPACE}$. $$s = \sum_{{i=0}}^{{n-1}} x_i$$"
    same(read(text).bind(n=4)["s"](x=POINTS["x"]), x.sum(0), "dim")


def test_two_lists_with_dots_have_one_range():
    text = (
        rf"Let $x_1, \ldots, x_n {SPACE}$ and $t_1, \ldots, t_n \in \mathbb{{R}}$. "
        r"$$w = \sum_{i=1}^n t_i x_i$$ $$d_i = x_i - w$$"
    )
    w = x[:, 0] @ x
    same(read(text)["w"](x=POINTS["x"], t=POINTS["t"]), w, "dim")
    same(read(text)["d"](x=POINTS["x"], t=POINTS["t"]), x - w, "i", "dim")


A, C_ = r"$a \in \mathbb{R}^{\text{cls}}$. ", r"\underset{\text{cls}}"


@pytest.mark.parametrize(
    ("formula", "name", "number", "wanted"),
    [
        (r"f_w(a) = (1 + w) a - w a^2", "f_w", 1.5, lambda a, w: (1 + w) * a - w * a**2),
        (r"p_T(a) = T^2 a / T", "p_T", 0.5, lambda a, T: T * a),
        (
            rf"R_k = {C_}{{\text{{mean}}}} \mathbf{{1}}[a \le k]",
            "R_k",
            1,
            lambda a, k: (a <= k).mean(),
        ),
    ],
)
def test_what_stands_below_a_name_is_a_number_where_it_is_used_as_one(
    formula, name, number, wanted
):
    other = (
        ""
        if name != "R_k"
        else r"# A" + "\n" + r"$d \in \mathbb{R}^{\text{code}}$. $$k = 2 d$$" + "\n# B\n"
    )
    found = read(f"{other}{A} $${formula}$$")[name]
    result = found(**{"a": tensor(y, "cls"), name[-1]: number})
    same(result, wanted(y, number), *result.axes)


@pytest.mark.parametrize(
    "said",
    [
        r"The authors recommend $\beta_1 = 0.9$ and $\beta_2 = 0.99$.",
        r"For example, $\beta_1 = 0.9$.",
        r"Is $\beta_1 = 0.9$ a good choice?",
    ],
)
def test_a_number_with_a_label_that_prose_tries_is_one_that_formulas_ask_for(said):
    text = (
        rf"$X \in \R^{{\text{{step}}, \text{{in}}}}$. $$m = \beta_1 X + (1 - \beta_1) X^2$$ {said}"
    )
    same(called(text, "m", {"X": GIVEN["X"], "beta_1": 0.3}), 0.3 * X + 0.7 * X**2, "step", "in")


def test_a_policy_of_what_is_observed_is_no_element_of_a_table():
    text = (
        "# Tables\n"
        r"$\pi \in [0, 1]^{\text{state}, \text{act}}$. $$v = \sum_{\text{act}} \pi$$"
        "\n# Networks\n"
        r"$o \in \mathbb{R}^{\text{pix}}$, $W \in \mathbb{R}^{\text{pix}, \text{act}}$. "
        r"$$\pi_\theta(o) = \underset{\text{act}}{\text{softmax}}(W \underset{\text{pix}}{\cdot} o)$$"
    )
    W = rng.normal(size=(3, 2))
    e = np.exp(y @ W)
    given = {"o": tensor(y, "pix"), "W": tensor(W, "pix", "act")}
    same(called(text, r"\pi_\theta", given), e / e.sum(), "act")


def test_the_size_of_an_axis_that_a_reshaping_makes_may_be_chosen():
    text = (
        r"$X \in \mathbb{R}^{\text{chan}:C}$. We split it into $G$ groups: "
        r"$$Y = \sum_{\text{sub}} X_{\text{chan} \to (\text{group}:G, \text{sub})}$$"
    )
    same(read(text).bind(G=2)["Y"](X=tensor(b, "chan")), b.reshape(2, 2).sum(1), "group")


def test_a_plain_formula_of_what_nothing_gives_is_set_aside():
    text = (
        r"Regression is $$f(x) = \sum_{i=1}^n \alpha(x, x_i) y_i.$$ "
        r"Let $K \in \mathbb{R}^{\text{seq}:n, \text{dim}}$ and $x \in \mathbb{R}^{\text{dim}}$. "
        r"$$s(x) = \sum_{\text{seq}} K \underset{\text{dim}}{\cdot} x$$ "
        r"If $K$ is orthogonal and $x = 2 K_{\text{seq}:j}$, this is simple."
    )
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    assert [*document] == ["s"]
