"""Letters that only prose calls numbers are parameters, and a note says so."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

W = np.array([1.0, -2.0, 0.5])
HEAD = r"Let $W \in \mathbb{R}^{\text{in}}$. "
SUM = r"$$h = \alpha \sum_{\text{in}} W$$ "


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD}Let $\alpha$ denote the scale. {SUM}",
        rf"{HEAD}With a learned temperature $\alpha$, {SUM}",
        rf"{HEAD}{SUM} where $\alpha$ is a small positive constant.",
        rf"# A{chr(10)}{HEAD}The learning rate $\alpha$ is fixed.{chr(10)}## B{chr(10)}{SUM}",
        rf"{HEAD}Let \(\alpha\) be the step size. {SUM}",
        rf"{HEAD}Let $\alpha$ denote the scale. {SUM.replace('h =', 'h(W) =')}",
        rf"{HEAD}Let $a$ denote the scale. {SUM}".replace(r"\alpha", "a"),
        rf"{HEAD}Let $\alpha$ be how much. {SUM}",
        rf"{HEAD}Let $b$ be how fast and $\alpha$ how much. {SUM}",
        rf"{HEAD}{SUM} with $\alpha$ for how much and",
        rf"{HEAD}{SUM} where $\alpha$ weighs the vectors.",
        rf"{HEAD}{SUM} and by $\alpha$ its growth rate in the space of vectors.",
        rf"{HEAD}The vectors grow with a rate $\alpha$. {SUM}",
        rf"{HEAD}{SUM} for $\alpha \to 0$.",
        rf"{HEAD}{SUM} with the length $L$ of the first text and $\alpha$ of the second.",
    ],
)
def test_a_number_in_prose_is_a_parameter(text):
    document = read(text)
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "undeclared")
    letter = "a" if "$a$" in text else "alpha"
    assert f"{letter} is taken for a number" in note.message
    found = document["h"](W=tensor(W, "in"), **{letter: 0.5})
    np.testing.assert_allclose(found.numpy(), 0.5 * W.sum())


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD}Let $\alpha$ denote the mask. {SUM}",
        rf"{HEAD}Let $\alpha$ denote the scale. $$h = \alpha \underset{{\text{{in}}}}{{\cdot}} W$$",
        rf"{HEAD}Let $\alpha$ denote the scale. $$h = W_{{\text{{in}}(1)}} \alpha_{{\text{{in}}(1)}}$$",
    ],
)
def test_what_may_be_no_number_is_not_taken_for_one(text):
    document = read(text)
    assert all("taken for a number" not in f.message for f in document.check())
    assert "alpha" not in [p.name for p in document["h"].signature.parameters]


@pytest.mark.parametrize("said", [r"Let $\alpha = 2$. ", r"Let $\alpha \in \mathbb{R}$. "])
def test_what_is_said_elsewhere_is_no_parameter_of_prose(said):
    text = rf"{HEAD}{said}Here $\alpha$ denotes the scale. {SUM}"
    assert read(text).check() == []


def test_a_constant_stays_what_it_is_whatever_prose_calls_it():
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$y = \sum_{\text{a}} \pi x$$ where $\pi$ is the number."
    document = read(text)
    assert document.check() == []
    assert [p.name for p in document["y"].signature.parameters] == ["x"]


HEAT = (
    r"Let $u \in \mathbb{R}^{\text{space}}$. "
    r"$$f(u) = u + \frac{\tau}{h^2} \sum_{\text{space}} u$$ "
)


@pytest.mark.parametrize(
    "said",
    [
        r"Here $\tau, h > 0$ are constants.",
        r"with $\tau, h > 0$.",
        r"for constants $\tau, h > 0$.",
        r"where $\tau$ and $h$ are constants.",
        r"with positive $\tau$ and $h$.",
        r"with positive constants $\tau$ and $h$.",
        r"with spacing $h$ and time step $\tau$.",
        r"with a spacing $h$ and a time step $\tau$.",
        r"where $h$ is the spacing and $\tau$ the time step.",
        r"where $h$ denotes the spacing and $\tau$ denotes the step.",
        r"(here $h$ is the grid spacing and $\tau$ is the step size).",
        r"let $\tau$ and $h$ be positive numbers.",
        r"the time step $\tau$, the spacing $h$, all positive.",
        r"- $\tau$: the time step" "\n" r"- $h$: the spacing",
        r"with \(\tau\) (time step) and \(h\) (spacing).",
    ],
)
def test_numbers_that_prose_introduces_in_any_words_are_parameters(said):
    document = read(HEAT + said)
    assert all("taken for a number" in f.message for f in document.check())
    found = document["f"](tensor(W, "space"), tau=0.5, h=2.0)
    np.testing.assert_allclose(found.numpy(), W + 0.125 * W.sum())


@pytest.mark.parametrize(
    "said",
    [
        r"where $r_f$ is the risk-free rate.",
        r"Let $r_f$ denote the risk-free rate.",
        r"where the scalar $r_f$ is known.",
    ],
)
def test_a_number_with_a_script_is_a_parameter(said):
    document = read(HEAD + r"$$s = \sum_{\text{in}} (W - r_f)$$ " + said)
    found = document["s"](W=tensor(W, "in"), r_f=0.1)
    np.testing.assert_allclose(found.numpy(), (W - 0.1).sum())


def test_a_listed_number_is_one_though_functions_take_it_and_other_sections_have_its_letter():
    text = (
        r"# A"
        "\n"
        r"Let $K \in \mathbb{R}^{\text{in}}$, spot price $S$ and rate $r$, all positive numbers. "
        r"$$C(S, K) = S - d, \qquad d = K e^{-r}$$"
        "\n"
        r"# B"
        "\n"
        r"Let $x \in \mathbb{R}^{\text{in}:n}$. $$y_{\text{in}(r)} = x_{\text{in}(r)}^2$$"
    )
    document = read(text)
    found = document["C"](2.0, tensor(W, "in"), r=0.5)
    np.testing.assert_allclose(found.numpy(), 2.0 - W * np.exp(-0.5))


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD}$$h = \sum_{{\text{{in}}}} (W - y)$$ where $y$ is the target.",
        rf"{HEAD}$$h = g(y) + \sum_{{\text{{in}}}} W$$ with the target $y$.",
        rf"{HEAD}$$h = y + \sum_{{\text{{in}}}} W$$ with the weights $y$.",
        rf"{HEAD}$$h = y + \sum_{{\text{{in}}}} W$$ in terms of $y$.",
    ],
)
def test_what_may_be_a_tensor_is_no_number_without_a_word_for_one(text):
    assert all("taken for a number" not in f.message for f in read(text).check())


OTHER = r"# A" "\n" r"Let $N \in \mathbb{R}^{\text{age}}$ and $y = \sum_{\text{age}} N$." "\n# B\n"


@pytest.mark.parametrize(
    "said", ["Let $N$ be the number of diploids, and", "In a population of $N$ diploids,"]
)
def test_a_letter_that_counts_in_a_section_is_not_the_tensor_of_another(said):
    document = read(
        rf"{OTHER}{said} $$p_{{\text{{k}}(i)}} = \frac{{i}}{{2N}}, \qquad i = 1, \ldots, 2N.$$"
    )
    (note,) = document.check()
    assert "N is taken for a number" in note.message
    np.testing.assert_allclose(document["p"](N=2).numpy("k"), np.arange(1, 5) / 4)
    assert document["y"](N=tensor(W, "age")).numpy() == W.sum()


def test_a_word_for_the_tensor_of_another_section_leaves_it_that_tensor():
    text = OTHER + r"For the counts $N$ we have $$q = \frac{N}{\sum_{\text{age}} N}$$"
    assert read(text).check() == []


@pytest.mark.parametrize(
    "words",
    [
        r"with step size $\eta$",
        r"with a smoothing constant $\eta$",
        r"with a penalty weight $\eta$",
        r"where $\eta$ is the discount",
    ],
)
def test_a_number_before_brackets_is_a_factor(words):
    text = (
        r"Let $x, y \in \mathbb{R}^{\text{a}}$. We move, "
        + words
        + r", to $$z = x + \eta \, (y - x)$$"
    )
    found = read(text)["z"]
    x, y = tensor([1.0, 2.0], "a"), tensor([3.0, 5.0], "a")
    assert found(x=x, y=y, eta=0.5).numpy("a").tolist() == [2.0, 3.5]


def test_a_number_above_0_in_one_section_serves_another():
    text = (
        "# All\n\n## One\n\nLet $x \\in \\mathbb{R}^{\\text{a}}$ be seen up to some $T > 0$.\n\n"
        "## Two\n\n$$z = \\sum_{\\text{a}} (T - x)$$"
    )
    assert read(text)["z"](x=tensor([1.0, 2.0], "a"), T=4.0) == 5.0


# ------------------------------------------------------------------------- of which nothing is said

STEP = r"Let $w, g \in \mathbb{R}^{\text{dim}}$. "


@pytest.mark.parametrize(
    "text",
    [
        r"Some $\alpha$. $$v = \sum_{\text{AX}} (w - \alpha g)$$",
        r"Go on with $\alpha$: $$v = \underset{\text{AX}}{\text{softmax}} (w - \alpha \, g)$$",
        r"Move by $\eta$ times the gradient. $$v = \sum_{\text{AX}} (w - \eta g)^2$$",
    ],
)
def test_what_stands_behind_a_letter_that_prose_names_is_checked(text):
    right = read(STEP + text.replace("AX", "dim")).check()
    assert [(f.severity, f.code) for f in right] == [("note", "undeclared")]
    found = [f.code for f in read(STEP + text.replace("AX", "seq")).check()]
    assert found == ["axis-missing", "undeclared"]


@pytest.mark.parametrize(
    "text",
    [
        r"The weights $\alpha$ come from before. $$v = \sum_{\text{seq}} (w - \alpha g)$$",
        r"Some $A$. $$v = \sum_{\text{seq}} (w - A g)$$",
        r"Some $\alpha$. $$v = \sum_{\text{seq}} (\alpha - w)$$",
    ],
)
def test_a_letter_that_may_have_axes_is_not_taken_for_a_number(text):
    found = read(STEP + text).check()
    assert [(f.severity, f.code) for f in found] == [("note", "undefined")]
    assert "not checked" in found[0].message


P = np.array([0.1, 0.5, 0.4])
CHANCES = r"Let $p \in \mathbb{R}^{\text{word}}$. "


@pytest.mark.parametrize(
    "text",
    [
        r"Keep the words until their mass reaches $h$. $$k = \mathbf{1}\{ p < h \}$$",
        r"The threshold is $h$. $$k = \mathbf{1}[p < h]$$",
        r"Words are rare if they have less than $h$. $$k = \mathbf{1}[p < h]$$",
        r"where $h < \mu$ are two rates. $$k = \mathbf{1}[2 p < 2 h]$$",
        r"Take $0 < h < \mu < 1$. $$k = \mathbf{1}[2 p < 2 h]$$",
    ],
)
def test_a_number_that_elements_are_compared_with_is_a_parameter(text):
    document = read(CHANCES + text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["k"](p=tensor(P, "word"), h=0.45)
    np.testing.assert_allclose(found.numpy("word"), P < 0.45)


@pytest.mark.parametrize("body", [r"\mathbf{1}\{ p < \nu \}", r"\mathbf{1}[p = \nu]", r"[p < \nu]"])
def test_a_letter_in_a_comparison_that_nothing_gives_is_a_fault(body):
    [found] = read(CHANCES + f"And now $$k = {body}$$").check()
    assert (found.severity, found.message) == ("error", r"\nu is neither declared nor defined")


def test_a_bound_of_a_set_is_a_number_and_no_index():
    text = (
        r"Points $P \in \mathbb{R}^{\text{pt}, \text{xy}}$ are neighbours if they are closer than $r$,"
        r"$$\mathcal{N}(i) = \{ j : \| P_{\text{pt}(i)} - P_{\text{pt}(j)} \| < r \}$$"
        r"$$h_{\text{pt}(i)} = \sum_{j \in \mathcal{N}(i)} P_{\text{pt}(j)}$$"
    )
    points = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]])
    found = read(text)["h"](P=tensor(points, "pt xy"), r=2.0)
    np.testing.assert_allclose(found.numpy("pt xy")[:, 0], [1.0, 1.0, 5.0])


def test_a_number_below_the_name_of_a_function_is_a_parameter():
    text = (
        CHANCES
        + r"$$H_\kappa(u) = \max(u, \kappa)$$ $$L = \sum_{\text{word}} H_\kappa(p) / \kappa$$"
        r" where $\kappa$ is a threshold."
    )
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["L"](p=tensor(P, "word"), kappa=0.45)
    np.testing.assert_allclose(found.numpy(), np.maximum(P, 0.45).sum() / 0.45)


@pytest.mark.parametrize("form", [r"e^{-\theta}", r"\exp \rho", r"\log(1 + e^{s})"])
def test_how_a_positive_number_is_kept_positive_is_a_remark(form):
    text = rf"""Let $u \in \mathbb{{R}}^{{\text{{a}}}}$, with a temperature $\tau > 0$:
$$S = u / \tau$$
It is learnt too, as $\tau = {form}$ in the code."""
    assert [f for f in read(text).check() if f.severity != "note"] == []
    assert str(read(text)["S"]) == "S(u: R[a], tau: R) -> R[a]"


def test_a_positive_number_is_what_prose_makes_it_of_what_the_document_has():
    text = r"""Let $u \in \mathbb{R}^{\text{a}:n}$, with a width $h > 0$:
$$S = u / h$$
We take $h = n^{-1/5}$."""
    assert str(read(text)["S"]) == "S(u: R[a]) -> R[a]"


@pytest.mark.parametrize(
    ("said", "form"),
    [
        (r"With probability $p$, $$D_p(W) = (1 - p) W$$", "D_p(W: R[in]; p: R) -> R[in]"),
        (r"In a time $t$, $$D_t(W) = W e^{-t/2}$$", "D_t(W: R[in]; t: R) -> R[in]"),
        (r"$$D_k(W) = k W$$", None),
        (r"With probability $p$, $$D_p(W) = p W, \quad p = 1, 2$$", None),
    ],
)
def test_a_spoken_number_below_the_name_of_a_function_is_no_index(said, form):
    document = read(HEAD + said)
    assert [f for f in document.check() if f.severity != "note"] == []
    (name,) = [n for n in document.names if n.startswith("D")]
    if form is not None:
        assert str(document[name]) == form
    else:
        np.testing.assert_allclose(document[name][2](tensor(W, "in")).numpy("in"), 2 * W)


@pytest.mark.parametrize("said", [r"\beta = 1 / k_B T", r"\beta = (k T)^{-1}", r"\beta = q / r"])
def test_what_an_argument_is_made_of_in_letters_of_its_own_is_a_remark(said):
    text = rf"{HEAD}At ${said}$ let $$Z(\beta) = \sum_{{\text{{in}}}} e^{{-\beta W}}.$$"
    assert [f for f in read(text).check() if f.severity != "note"] == []
    np.testing.assert_allclose(
        read(text)["Z"](2.0, W=tensor(W, "in")).numpy(), np.exp(-2 * W).sum()
    )
    (found,) = [
        f
        for f in read(text.replace(r"\sum_{\text{in}}", r"\sum_{\text{out}}")).check()
        if f.severity != "note"
    ]
    assert found.code == "axis-missing"


def test_what_a_letter_is_that_is_no_argument_must_be_said():
    text = rf"{HEAD}At $\beta = 1 / k_B$ let $$Z = \sum_{{\text{{in}}}} e^{{-\beta W}}.$$"
    assert [f.code for f in read(text).check() if f.severity != "note"] == ["undefined"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (r"with a small $\epsilon > 0$, say $\epsilon = 10^{-3}$.", 1e-3),
        (r"with a small $\epsilon$ (e.g. $\epsilon = 0.01$).", 0.01),
        (r"with $\epsilon > 0$, for example $\epsilon = 10^{-3}$.", 1e-3),
        (r"with a small $\epsilon > 0$.", 1e-5),
        (r"with a small $\epsilon > 0$. If $\epsilon = 0$, it may fail.", 1e-5),
    ],
)
def test_a_small_number_that_the_text_proposes_is_the_one_that_is_used(said, wanted):
    text = rf"{HEAD} $$h = \sqrt{{\sum_{{\text{{in}}}} W^2 + \epsilon}}$$ {said}"
    found = read(text)["h"](tensor(W, "in"))
    np.testing.assert_allclose(float(found), np.sqrt((W**2).sum() + wanted))


@pytest.mark.parametrize(
    "row",
    [
        r"| $\tau$ | 0.07 |",
        r"| softness of the embedding | $\tau$ | 0.07 |",
        r"| $\tau$ | softness | $0.07$ |",
        r"$\tau$ & softness of the layers & 0.07 \\",
        r"| $\tau$ | \num{7e-2} |",
    ],
)
def test_a_row_of_a_table_that_gives_a_number_says_that_its_letter_is_one(row):
    document = read(
        r"Let $x \in \mathbb{R}^{\text{a}}$."
        + f"\n\n{row}\n\n"
        + r"$$y = \frac{1}{\tau} x + (1 - \tau)$$"
    )
    found = document["y"](x=tensor([1.0, 2.0], "a"), tau=0.5)
    np.testing.assert_allclose(found.numpy("a"), [2.5, 4.5])


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("rises for $T = 2000$ steps", True),
        ("rises for $T = 2000$ warm-up steps and then falls", True),
        ("is smooth: for $T = 2$ this is a line", False),
        ("is smooth, and for $T = 2$ reduces to a line", False),
    ],
)
def test_a_number_of_things_is_what_a_letter_is_and_no_case(said, known):
    document = read(
        r"Let $x \in \mathbb{R}^{\text{a}}$." + f" The rate {said}." + r" $$y = \frac{1}{T} x$$"
    )
    names = [p.name for p in document["y"].signature.parameters]
    assert names == ["x"] if known else names != ["x"] or document.check()


@pytest.mark.parametrize("name", ["k_h(x)", r"\log p_h(x)", r"\log k_h(x)"])
def test_a_width_above_zero_below_the_name_of_a_function_is_no_index(name):
    text = (
        rf"{HEAD}For a width $h > 0$, $${name} = \frac{{1}}{{h}} \sum_{{\text{{in}}}} (x - W)^2$$"
    )
    x = np.array([0.5, 1.0, 2.0])
    document = read(text.replace("For", r"At $x \in \mathbb{R}^{\text{in}}$ and for"))
    assert [f for f in document.check() if f.severity != "note"] == []
    (formula,) = [f for f in document.names if f != "h"]
    found = document[formula](x=tensor(x, "in"), W=tensor(W, "in"), h=0.5)
    np.testing.assert_allclose(float(found), ((x - W) ** 2).sum() / 0.5)


@pytest.mark.parametrize("letter", ["s", "i"])
def test_an_index_with_a_range_is_no_number_that_the_prose_speaks_of(letter):
    text = (
        r"$A \in \mathbb{R}^{\text{a}:N, \text{b}}$, $c \in \mathbb{R}^{\text{a}:N}$. For all, "
        rf"$$\sum_{{\text{{b}}}} A_{{\text{{a}}({letter})}} = 1, \qquad {letter} = 1, \dots, N .$$ "
        rf"At a time ${letter} \in [0, 1]$ it is $$m({letter}) = (1 - {letter}) c$$"
    )
    assert [f for f in read(text).check() if f.severity != "note"] == []
    wrong = text.replace(rf"A_{{\text{{a}}({letter})}}", rf"c_{{\text{{a}}({letter})}}")
    assert [f.code for f in read(wrong).check() if f.severity == "error"] == ["axis-missing"]


@pytest.mark.parametrize(
    "said",
    ["its vector is longer than $t$", "the weights exceed $t$", "its features are below $t$"],
)
def test_a_letter_that_a_tensor_is_compared_with_is_a_number(said):
    document = read(
        r"Let $X \in \mathbb{R}^{\text{in}}$. It counts where "
        rf"{said}. $$o = \sum_{{\text{{in}}}} (X - t)$$"
    )
    assert document["o"](X=tensor([1.0, 2.0], "in"), t=0.5) == 2.0


@pytest.mark.parametrize(
    "said",
    [
        r"The noise is $\mathcal{N}(0, s^2 I)$.",
        r"The prior is $\theta \sim \mathcal{N}(0, s^{-1} \mathbf{I})$.",
        r"With $p(\theta) = \mathcal{N}(\theta; m(u), s I_d)$ on top,",
        r"$$p(\theta) = \mathcal{N}(\theta; 0, s^2)$$",
    ],
)
def test_the_letter_of_a_variance_is_a_number(said):
    document = read(rf"{HEAD}{said} $$h = \frac{{1}}{{s^2}} \sum_{{\text{{in}}}} W$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    np.testing.assert_allclose(float(document["h"](W=tensor(W, "in"), s=0.5)), 4 * W.sum())
    declared = read(rf"{HEAD}{said} $s \in \mathbb{{R}}^{{\text{{in}}}}$ $$h = \frac{{W}}{{s^2}}$$")
    assert str(declared["h"]) == "h(W: R[in], s: R[in]) -> R[in]"


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (
            r"\sum_{\text{in}} W + \lambda \sum_{\text{in}} W^2",
            lambda w, n: w.sum() + n * (w**2).sum(),
        ),
        (r"\sum_{\text{in}} W^2 / \tau", lambda w, n: (w**2).sum() / n),
        (r"(1 - \alpha) \sum_{\text{in}} W", lambda w, n: (1 - n) * w.sum()),
        (r"\sum_{\text{in}} \frac{\alpha}{|\text{in}|} W", lambda w, n: n * w.mean()),
        (r"\gamma^2 \max_{\text{in}} W", lambda w, n: n**2 * w.max()),
        (r"\lambda \left( \sum_{\text{in}} W + 1 \right)", lambda w, n: n * (w.sum() + 1)),
    ],
)
def test_a_factor_that_nobody_names_is_a_number(body, value):
    document = read(rf"{HEAD}$$h = {body}$$")
    assert [(f.severity, f.code) for f in document.check()] == [("note", "undeclared")]
    (own,) = {p.name for p in document["h"].signature.parameters} - {"W"}
    found = document["h"](W=tensor(W, "in"), **{own: 0.5})
    np.testing.assert_allclose(float(found), value(W, 0.5))


@pytest.mark.parametrize(
    "body",
    [
        r"W + \beta",  # an offset may have axes
        r"\alpha \underset{\text{in}}{\cdot} W",
        r"\phi(W + 1)",  # it looks like a function
        r"\gamma(W)",
        r"\lambda_{\text{in}(1)} W",
        r"\lambda W + \max(\lambda, 1)",
        r"W \odot \gamma^l",  # one of a family
    ],
)
def test_a_letter_that_may_be_more_than_a_number_is_undefined(body):
    found = read(rf"{HEAD}$$h = {body}$$").check()
    assert "undefined" in {f.code for f in found if f.severity == "error"}


def test_a_factor_may_be_divided_by_a_number():
    document = read(rf"{HEAD}With $r = 2$, $$h = \frac{{\alpha}}{{r}} \sum_{{\text{{in}}}} W$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["h"](W=tensor(W, "in"), alpha=0.5)
    np.testing.assert_allclose(float(found), 0.25 * W.sum())


@pytest.mark.parametrize("before", ["", "1. First.\n\n    "])
@pytest.mark.parametrize(
    "heading", [r"## Stretching by a factor $\alpha$", "#### What the rate $\\alpha$ does\n\nMuch."]
)
def test_a_heading_of_markdown_names_numbers_as_prose_does(before, heading):
    document = read(f"{HEAD}\n\n{heading}\n\n{before}{SUM}")
    assert [f.code for f in document.check()] == ["undeclared"]
    assert document["h"](W=tensor(W, "in"), alpha=0.5).item() == pytest.approx(-0.25)


@pytest.mark.parametrize(
    "last", [r"$\alpha$ is one more.", "| a | b |\n|---|---|\n| x | $\\alpha$ |"]
)
def test_a_letter_is_a_number_beside_numbers_with_its_letter(last):
    document = read(
        rf"""{HEAD}{SUM}

## Two
Let $v \in \mathbb{{R}}^{{\text{{ex}}}}$, and choose $\alpha_D$ and $\alpha_U$ well.
$$ k = \sum_{{\text{{ex}}}} (\alpha_D v + \alpha_U (1 - v)) $$

{last}
"""
    )
    assert [f for f in document.check() if f.severity != "note"] == []
    assert document["h"](W=tensor(W, "in"), alpha=2.0).item() == pytest.approx(-1)
    found = document["k"](v=tensor(W, "ex"), alpha_D=2.0, alpha_U=1.0)
    assert found.item() == pytest.approx(2 * W.sum() + (1 - W).sum())


@pytest.mark.parametrize(
    "what", ["a large prime", "any integer", "some whole number", "a power of two"]
)
def test_a_number_that_prose_calls_whole_may_make_an_index(what):
    document = read(
        rf"""Let $T \in \mathbb{{R}}^{{\text{{bucket}}:3}}$ and $x \in [9]^{{\text{{byte}}:n}}$.
$$ h_{{\text{{byte}}(i)}} = (a \, x_{{\text{{byte}}(i)}}) \bmod 3 $$
where $a$ is {what}, and
$$ e_{{\text{{byte}}(i)}} = T_{{\text{{bucket}}(h_{{\text{{byte}}(i)}})}} . $$"""
    )
    assert [f for f in document.check() if f.severity != "note"] == []
    x = np.array([0, 3, 7])
    found = document["e"](T=tensor(W, "bucket"), x=tensor(x, "byte"), a=4)
    np.testing.assert_allclose(found.numpy("byte"), W[4 * (x + 1) % 3])


@pytest.mark.parametrize("below", ["2", "L"])
def test_a_letter_that_is_divided_is_a_number_where_prose_has_it_as_a_factor(below):
    document = read(
        rf"{HEAD}The lasso adds $\lambda \sum_{{\text{{in}}}} |W|$, with a number $L > 0$. "
        rf"$$ h = \max(W - \lambda / {below}, 0) $$"
    )
    assert [f.code for f in document.check()] == ["undeclared"]
    given = {"W": tensor(W, "in"), "lambda_": 0.5, "L": 2.0}
    found = document["h"]
    found = found(**{p.name: given[p.name] for p in found.signature.parameters})
    np.testing.assert_allclose(found.numpy("in"), np.maximum(W - 0.25, 0))


@pytest.mark.parametrize(
    "text",
    [
        rf"{HEAD}With a coefficient $\alpha$ between 0 and 1, {SUM} $\alpha_1, \alpha_2 \in \mathbb{{R}}$.",
        rf"{HEAD}{SUM} Rates are $\alpha_A, \alpha_R \in \mathbb{{R}}$, and $\alpha$ is a weight.",
        rf"{HEAD}The gain falls at one speed (attack, $\alpha$) and recovers at another. {SUM}",
        rf"{HEAD}It is smoothed by a constant ($\alpha$, release). {SUM}",
        rf"{HEAD}Only the top $\alpha$ places are seen. {SUM}",
        rf"{HEAD}Only the first $\alpha$ items count. {SUM}",
    ],
)
def test_a_number_beside_its_relatives_in_brackets_or_counting(text):
    document = read(text)
    assert [f.severity for f in document.check()] == ["note"]
    np.testing.assert_allclose(document["h"](W=tensor(W, "in"), alpha=0.5).numpy(), 0.5 * W.sum())


def test_a_relative_with_a_subscript_stays_apart():
    text = rf"{HEAD}With a rate $\alpha$, {SUM} $\alpha_1, \alpha_2 \in \mathbb{{R}}$."
    document = read(text + r"$$g = \alpha_1 W + \alpha_2$$")
    assert str(document["g"]) == "g(W: R[in], alpha_1: R, alpha_2: R) -> R[in]"


def test_a_defined_tensor_before_brackets_multiplies():
    text = HEAD + r"With value $\gamma$ and error $\varsigma$, $$g = \frac{W}{\varsigma}$$ "
    document = read(text + r"$$u = W + g \left( \gamma - W \underset{\text{in}}{\cdot} W \right)$$")
    found = document["u"](W=tensor(W, "in"), gamma=0.4, varsigma=2.0)
    np.testing.assert_allclose(found.numpy(), W + W / 2 * (0.4 - W @ W))


GATES = r"""# A
Let $W, v \in \mathbb{R}^{\text{in}}$. $$\alpha = \sigma(v W), \qquad \beta = \sigma(W)$$
# B
$$h = \sum_{\text{in}} \alpha \beta W.$$
"""


@pytest.mark.parametrize(
    "said",
    [
        r"With $\beta = 1$ and $\alpha = 1$, all is read.",
        r"The extremes are $\alpha = 0$ and $\alpha = 1$.",
        r"Nothing passes in the limit $\beta = 0$.",
        r"Both gates are open ($\alpha = \beta = 1$) for a sum.",
    ],
)
def test_a_number_tried_for_what_another_section_computes_is_a_remark(said):
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    v = np.array([0.3, 2.0, -1.0])
    document = read(GATES + said, "notes.md")
    assert not [f for f in document.check() if f.severity != "note"]
    found = document["h"](W=tensor(W, "in"), v=tensor(v, "in"))
    np.testing.assert_allclose(found.numpy(), (sigmoid(v * W) * sigmoid(W) * W).sum())


@pytest.mark.parametrize("space", [r"\mathbb{R}^{\text{in}}", r"\mathbb{R}"])
@pytest.mark.parametrize(
    "said", ["With SAID we get the sum.", "If SAID, it is plain.", "For SAID, it is."]
)
def test_numbers_tried_for_two_letters_at_once_are_those_of_neither(said, space):
    text = rf"{HEAD}Let $\alpha, \beta \in {space}$. $$h = \sum_{{\text{{in}}}} \alpha \beta W.$$ "
    document = read(text + said.replace("SAID", r"$\alpha = \beta = 1$"))
    assert [p.name for p in document["h"].signature.parameters] == ["W", "alpha", "beta"]


@pytest.mark.parametrize(
    "said",
    [
        r"We use $k = 2$ for the small model and $k = 3$ for the large one.",
        r"We use $k = 8$. In the ablation, $k = 4$.",
    ],
)
def test_a_letter_with_several_numbers_is_chosen_by_the_caller(said):
    document = read(rf"{HEAD}$$h = k \sum_{{\text{{in}}}} W$$ {said}")
    assert not [f for f in document.check() if f.severity != "note"]
    np.testing.assert_allclose(document["h"](W=tensor(W, "in"), k=5).numpy(), 5 * W.sum())


def test_a_size_with_several_numbers_and_a_stride():
    text = r"""Let $x \in \mathbb{R}^{\text{time}:T}$ and $p \in \mathbb{R}^{\text{patch}:P, \text{pos}:L}$ be
$$p_{\text{patch}(i), \text{pos}(j)} = x_{\text{time}((i - 1) D + j)}.$$
We use $L = 16$ and $D = 8$ for hourly data, and $L = 2$, $D = 1$ for monthly data."""
    document = read(text)
    assert not [f for f in document.check() if f.severity != "note"]
    found = document.bind(P=2, L=3)["p"](x=tensor(np.arange(5.0), "time"), D=2)
    np.testing.assert_allclose(found.numpy("patch", "pos"), [[0, 1, 2], [2, 3, 4]])


@pytest.mark.parametrize("said", ["asks for a margin of", "wants a small but sure margin of"])
def test_a_margin_of_a_letter_is_a_number(said):
    document = read(rf"{HEAD}It {said} $\gamma$. $$h = \sum_{{\text{{in}}}} \sigma(W - \gamma)$$")
    assert [f.severity for f in document.check()] == ["note"]
    assert str(document["h"]) == "h(W: R[in], gamma: R) -> R"


@pytest.mark.parametrize(
    ("formula", "expected", "given"),
    [
        (
            r"\text{shrink}_\tau(a) = \max(|a| - \tau, 0) $$ $$ h = \text{shrink}_{\gamma \lambda}(W)",
            np.maximum(abs(W) - 0.15, 0),
            {"gamma": 0.5, "lambda_": 0.3},
        ),
        (r"h = e^{-\lambda \tau} W", W * np.exp(-0.06), {"lambda_": 0.2, "tau": 0.3}),
        (r"h = \frac{\alpha \beta}{\gamma} W", 3 * W, {"alpha": 2, "beta": 3, "gamma": 2}),
        (r"h = \frac{W - \Delta t W}{2 \Delta x}", W, {"Deltat": 0.5, "Deltax": 0.25}),
        (r"h = W / \Delta x^2", W / 4, {"Deltax": 2}),
    ],
)
def test_greek_factors_of_each_other_and_steps_are_numbers(formula, expected, given):
    document = read(f"{HEAD}$$ {formula} $$")
    assert {f.code for f in document.check()} == {"undeclared"}
    found = document["h"](W=tensor(W, "in"), **given)
    np.testing.assert_allclose(found.numpy(), expected)


def test_a_laplacian_is_no_step():
    (fault,) = read(rf"{HEAD}$$ h = W + \Delta W $$").check()
    assert fault.code == "undefined"


@pytest.mark.parametrize(
    ("text", "expected", "given"),
    [
        (
            r"Let $m^0 = 0$."
            r" $$m^t = m^{t-1} + (1 - \beta_1^t) W, \quad h = m^2$$ | mean | $\beta_1$, $\eta$ |",
            (0.5 + 0.75) * W,
            {"beta_1": 0.5},
        ),
        (
            r"$$h = \omega_1 W + \omega_2 W$$ We tune the weights $\omega_1, \omega_2$.",
            5 * W,
            {"omega_1": 2, "omega_2": 3},
        ),
        (
            r"$$f(W) = W$$ Let $f^*$ be the smallest value. $$h = f(W) - f^*$$",
            W - 2,
            {"f__star": 2},
        ),
        (
            r"$$f(W) = W$$ If the optimal value $f^\star$ is known, $$h = \frac{f(W)}{2 f^\star}$$",
            W / 4,
            {"f__star": 2},
        ),
    ],
)
def test_numbers_with_scripts_are_named_in_prose(text, expected, given):
    document = read(HEAD + text)
    assert {f.severity for f in document.check()} == {"note"}
    found = document["h"](W=tensor(W, "in"), **given)
    np.testing.assert_allclose(found.numpy(), expected)


@pytest.mark.parametrize(
    "said",
    [
        r"If $q$ and $x$ are constant, this converges.",
        r"Since $q$ is constant, so is $f$.",
        r"As long as $x, q$ are constant, nothing changes.",
    ],
)
def test_what_is_constant_may_have_axes(said):
    text = rf"""# A
Let $q \in \mathbb{{R}}^{{\text{{a}}}}$ and $x \in \mathbb{{R}}^{{\text{{a}}}}$.
# B
$$f = q + \sum_{{\text{{a}}}} x$$ {said}"""
    assert "q: R[a]" in str(read(text)["f"].signature)


@pytest.mark.parametrize("said", ["With $L$ levels", "We have $L$ bins"])
def test_the_number_of_things_is_no_loss_of_another_section(said):
    text = rf"""# A
Let $x \in \mathbb{{R}}^{{\text{{a}}}}$. $$L = \sum_{{\text{{a}}}} x^2$$
# B
{said} per row, $$f(z) = L z + \sum_{{\text{{a}}}} z$$ for each $z \in \mathbb{{R}}^{{\text{{a}}}}$."""
    document = read(text)
    assert {p.name for p in document["f"].signature.parameters} == {"z", "L"}
    same_number = text.replace(r"L = \sum_{\text{a}} x^2", "L = 3")
    assert {p.name for p in read(same_number)["f"].signature.parameters} == {"z"}


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        (r"f = \rho x + \rho (x - v)", {"x", "v", "rho"}),
        (r"s(a, b) = a - b \\ f = s(x, \lambda / \rho) + \lambda v", {"x", "v", "lambda_", "rho"}),
        (r"s(a, b) = a - b \\ f = s(x, \lambda / n) + \lambda v", {"x", "v", "lambda_", "n"}),
    ],
)
def test_greek_letters_that_nothing_names_are_numbers_in_quotients_and_before_brackets(rest, names):
    text = r"Let $x, v \in \mathbb{R}^{\text{a}}$ and $n$ be at least the largest eigenvalue of a matrix."
    document = read(f"{text} $${rest}$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    assert {p.name for p in document["f"].signature.parameters} == names
