r"""What prose says of letters: numbers that are tried, starts of series, elements otherwise, identities."""

import re

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

X = np.array([[1.0, -2.0, 0.5], [0.3, 4.0, -1.0], [2.0, 0.1, 0.7]])
x = X[0]
HEAD = r"Let $x \in \mathbb{R}^{\text{a}}$ and a strength $w \ge 0$." "\n\n$$y = w x + x$$\n\n"


def takes(text, name):
    return [p.name for p in read(text)[name].signature.parameters]


@pytest.mark.parametrize(
    "said",
    [
        "($w = 0$ is no guidance at all.)",
        "With $w = 0$ there is none.",
        "$w = 1$ recovers the sum.",
        "Setting $w = 1$ gives the sum.",
        "For $w = 1$ the result is the sum.",
        "The case $w = 1$ is special.",
        "Larger values, such as $w = 7$, help.",
        "Note that $w = 1$ means no scaling.",
        "In contrast to $w = 1$, larger values help.",
        "With $w = 0$ long texts have no chance.",
        "(At $w = 0$ nothing moves.)",
        "It is scaled, where $w = 1$ is no scaling and $w = 4$ is too much.",
        "Typical values are $m = 2$, $w = 0.5$ and $q = 3$.",
        "Usual choices: $w = 0.1$.",
        "The paper takes $w = 4$.",
        "They use $w = 2.5$ throughout.",
        "Is $w = 0.003$ tuned, or is it folklore?",
        "- with $w = 3$, little moves\n- with $w = 9$, much does",
    ],
)
def test_a_number_that_prose_tries_is_no_value_of_its_letter(said):
    assert takes(HEAD + said, "y") == ["x", "w"]


@pytest.mark.parametrize(
    "said",
    [
        "where $w = 2$.",
        "for $w = 2$.",
        "with $w = 2$ as usual.",
        "We use $w = 2$.",
        "(here $w = 2$)",
    ],
)
def test_a_number_that_prose_chooses_is_the_value_of_its_letter(said):
    same(called(HEAD + said, "y", {"x": tensor(x, "a")}), 3 * x, "a")


@pytest.mark.parametrize(
    "said",
    [
        r"For $\beta = 0$ only the squares remain; with $\beta = 1$ they are gone.",
        r"Here $\beta$ is a factor. We also ran it with $\beta = 1$, as a control.",
    ],
)
def test_a_number_that_is_tried_twice_or_for_a_number_is_an_argument(said):
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$y = \beta x + (1 - \beta) x^2$$"
    assert takes(f"{text}\n\n{said}", "y") == ["x", "beta"]


@pytest.mark.parametrize(
    "start",
    [r"Start from $b^0 = 0$ with $b^0 \in \mathbb{R}^{\text{a}}$.", "It starts at $b^0 = 0$."],
)
def test_prose_starts_a_series_also_where_its_first_member_is_declared(start):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{a}}}}$. {start}
\[ c^r = \tanh b^{{r-1}}, \qquad b^r = c^r + x \]
for $r = 1, \dots, 3$."""
    wanted = np.tanh(np.tanh(x) + x) + x
    assert takes(text, "b^3") == ["x"]
    same(called(text, "b^3", {"x": tensor(x, "a")}), wanted, "a")


@pytest.mark.parametrize(
    "said",
    [
        r"In the paper $m_i = \sum_j l_j \odot A x_{ij}$; here",
        r"Element by element, $m_t = m_{t-1} + \text{noise}$, so",
        r"Its scale shrinks, $s_k = s_0 \, e^{-k}$ in step $k$, and",
        r"Unrolled, $m_t = a_t \cdots a_1 m_1$, so",
    ],
)
def test_prose_that_says_in_another_notation_what_elements_are_only_remarks(said):
    text = rf"""Let $m \in \mathbb{{R}}^{{\text{{a}}}}$. {said}
\[ y = \tanh m \]"""
    assert [str(f) for f in read(text).check()] == []


IDENTITY = r"""Let $X \in \mathbb{R}^{\text{a}, \text{a}'}$. %s
\[ Y = X \odot (1 - I) \]
%s"""
DECLARED = r"$I \in \mathbb{R}^{\text{a}, \text{a}'}$"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (f"With {DECLARED} the identity matrix, $I_{{ij}} = \\delta_{{ij}}$,", ""),
        (f"Let {DECLARED} be the identity.", ""),
        (f"We need the identity {DECLARED}.", ""),
        ("", f"where {DECLARED} is the identity matrix."),
        ("", "where $$" + DECLARED.strip("$") + r" \quad \text{is the identity matrix}.$$"),
    ],
)
def test_what_prose_calls_the_identity_is_no_argument(above, below):
    text = IDENTITY % (above, below)
    assert [f for f in read(text).check() if f.severity != "note"] == []
    assert takes(text, "Y") == ["X"]
    Y = read(text)["Y"](X=tensor(X, "a", "a'"))
    same(Y, X * (1 - np.eye(3)), "a", "a'")


@pytest.mark.parametrize("said", ["", "is the identity"])
def test_elements_given_by_an_indicator_in_prose_define_what_prose_declares(said):
    text = rf"""Let $X \in \mathbb{{R}}^{{\text{{a}}, \text{{a}}'}}$.
\[ Y = X \odot (1 - \delta) \]
where $\delta \in \{{0, 1\}}^{{\text{{a}}, \text{{a}}'}}$ {said},
$\delta_{{\text{{a}}:i, \text{{a}}':j}} = \mathbf{{1}}[i = j]$."""
    assert [str(f) for f in read(text).check()] == []
    same(read(text)["Y"](X=tensor(X, "a", "a'")), X * (1 - np.eye(3)), "a", "a'")


def test_an_identity_without_axes_is_told_to_name_them():
    text = r"Let $G \in \mathbb{R}^{\text{a}, \text{a}'}$. \[ Y = SAID \]"
    (found,) = read(text.replace("SAID", r"G \odot I")).check()
    assert found.hint == r"name the axes of an identity: I_{\text{ax}, \text{ax}'}"
    (found,) = read(text.replace("SAID", "G + I")).check()
    assert (found.severity, found.hint) == ("note", r"to say so, write I_{\text{a}, \text{a}'}")
    for said in ("G + I", r"G + I_{\text{a}, \text{a}'}"):
        document = read(text.replace("SAID", said))
        same(document["Y"](G=tensor(X, "a", "a'")), X + np.eye(3), "a", "a'")


def test_what_lacks_of_a_power_is_its_base():
    text = r"""Let $r \in \mathbb{R}^{\text{a}[T]}$.
\[ G_{\text{a}:t} = \sum_{s=t}^{T} \gamma^{s-t} r_{\text{a}:s} \]"""
    (found,) = read(text).check()
    assert found.message == r"\gamma is taken for a number: nothing here says what it is"
    assert found.hint == r"declare it: \gamma \in \mathbb{R}"


def test_a_declared_tensor_in_a_sentence_about_another_one_is_an_argument():
    text = IDENTITY % (f"Unlike the identity map, {DECLARED} is any matrix.", "")
    assert takes(text, "Y") == ["X", "I"]


MODEL = r"""The recordings are $X \in \mathbb{R}^{\text{a}}$, and %s for
unknown $S \in \mathbb{R}^{\text{a}}$.
\[ y = \sum_{\text{a}} X \]"""


@pytest.mark.parametrize("body", ["2 S", r"S \odot \sum_{\text{a}} S"])
def test_a_model_of_data_that_are_declared_defines_none_of_them(body):
    assert takes(MODEL % f"the model is $X = {body}$", "y") == ["X"]
    assert takes(MODEL % f"we make them by $X = {body}$", "y") == ["S"]


@pytest.mark.parametrize("said", ["often", "in a special case,", "it might be that"])
def test_what_declared_data_may_be_is_a_remark_and_counted(said):
    text = MODEL % f"{said} $X = 2 S$"
    assert takes(text, "y") == ["X"]
    assert read(text).counts["aside"] == 1


@pytest.mark.parametrize("back", [r"X = \frac{x}{D}", "D = x / X", "X = 2 u, u = x / (2 D)"])
def test_what_a_declared_letter_is_made_of_is_no_definition_the_other_way_round(back):
    text = rf"""Let $x, D, X \in \mathbb{{R}}^{{\text{{a}}}}$. Since $x = D X$, it is ${back}$.
\[ y = \sum_{{\text{{a}}}} x \]"""
    assert takes(text, "y") == ["D", "X"]


def test_a_space_of_both_declares_the_two_letters_before_it():
    text = r"""It is run with the prompt, $u$, and without, $v$. Both are in $\mathbb{R}^{\text{a}}$.
\[ y = u - v \]"""
    given = {"u": tensor(x, "a"), "v": tensor(2 * x, "a")}
    same(called(text, "y", given), -x, "a")


def test_a_space_of_both_in_a_list_declares_them_too():
    text = r"""With slopes $u$ and rates $v$, both in $\mathbb{R}^{\text{a}}$, \[ y = u - v \]"""
    given = {"u": tensor(x, "a"), "v": tensor(2 * x, "a")}
    same(called(text, "y", given), -x, "a")


def test_what_prose_says_of_a_function_that_a_display_defines_only_remarks():
    text = r"""Let $x, u, v \in \mathbb{R}^{\text{a}}$.
\[ h(x) = \sum_{\text{a}} u \odot x + v \]
$v$ is zero at first, so $h(x) = \sum_{\text{a}} u \odot x$ in the beginning."""
    assert takes(text, "h") == ["x", "u", "v"]


def test_a_star_has_a_name():
    text = r"""Let $x, x^* \in \mathbb{R}^{\text{a}}$. \[ y = x^* - x \]"""
    assert takes(text, "y") == ["x", "x__star"]


def test_a_gradient_alone_is_a_letter():
    text = r"""Let $f, g \in \mathbb{R}^{\text{a}}$.
\[ \nabla = f - g, \qquad \nabla_w = 2 f \]
\[ y = f + 0.1 \nabla \]"""
    given = {"f": tensor(x, "a"), "g": tensor(X[1], "a")}
    same(called(text, "y", given), 1.1 * x - 0.1 * X[1], "a")


@pytest.mark.parametrize(
    ("formula", "said", "numbers"),
    [
        (
            r"y = \eta_{\text{base}} x",
            r"$\eta_{\text{base}}$ is a number such as $1$",
            ["eta_base"],
        ),
        (r"y = \eta_{\mathrm{lo}} x", r"at the rate $\eta_{\mathrm{lo}}$", ["eta_lo"]),
        (r"y = a + (b - a) x", "which takes values from $a$ to $b$", ["a", "b"]),
        (r"y = a + (b - a) x", "it lies between $a$ and $b$", ["a", "b"]),
        (
            r"y = \tau_{\min} + (\tau_{\max} - \tau_{\min}) x",
            r"growing from $\tau_{\min}$ to $\tau_{\max}$",
            ["tau_min", "tau_max"],
        ),
        (
            r"y = x (\tau_0 - \tau_1) + \sum_{\text{a}} x",
            r"falling from~$\tau_0$ all the way down to a level of~$\tau_1$",
            ["tau_0", "tau_1"],
        ),
        (r"y = \max(x - \theta, 0)", r"it exceeds the threshold~$\theta$", ["theta"]),
    ],
)
def test_words_around_a_letter_make_it_a_number(formula, said, numbers):
    text = rf"Let $x \in \mathbb{{R}}^{{\text{{a}}}}$. $${formula}$$ {said}."
    assert takes(text, "y") == ["x", *numbers]


@pytest.mark.parametrize(
    "table",
    [
        "| symbol | meaning |\n|---|---|\n| $\\alpha$ | learning rate |\n| $\\beta$ | how much is kept |",
        "| symbols | meaning | usual |\n|---|---|---|\n| $\\alpha, \\beta$ | decay of both | $0.9$, $0.1$ |",
        "meaning | symbol\n---|---\nlearning rate | $\\alpha$\nmomentum | $\\beta$",
        "- $\\alpha$ – learning rate\n- $\\beta$ --- momentum",
        "\\begin{tabular}{ll}\n$\\alpha$ & learning rate \\\\\n$\\beta$ & momentum\n\\end{tabular}",
    ],
)
def test_a_table_of_symbols_makes_them_numbers(table):
    formula = r"$$y = \max(1 - \alpha, x) - (1 - \beta) \sum_{\text{a}} x$$"
    text = f"Let $x \\in \\mathbb{{R}}^{{\\text{{a}}}}$.\n\n{table}\n\n{formula}"
    assert takes(text, "y") == ["x", "alpha", "beta"]
    mask = re.sub("learning rate|decay of both", "mask of the row", text).replace(
        "$0.9$, $0.1$", ""
    )
    assert "alpha" not in takes(mask, "y")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (r"Let $\eta$ be constant.", ["x", "eta"]),
        (r"Let $\eta$ be a constant.", ["x", "eta"]),
        (r"As before, the rate is $\eta$.", ["x"]),
    ],
)
def test_a_letter_that_is_let_be_constant_is_not_that_of_another_section(said, expected):
    text = (
        "# A\n\n"
        r"Let $x \in \mathbb{R}^{\text{a}}$."
        "\n\n## B\n\n"
        r"$$\eta = \sigma(x)$$"
        f"\n\n## C\n\n{said}\n\n"
        r"$$y = x - \eta x$$"
    )
    assert takes(text, "y") == expected


@pytest.mark.parametrize(
    "said", [r"(the paper: $|\text{a}| = 256$)", r"Usual sizes are $|\text{a}| = 9$ or more."]
)
def test_a_size_that_others_have_holds_no_data_to_it(said):
    found = called(HEAD + said, "y", {"x": tensor(x, "a"), "w": 2.0})
    same(found, 3 * x, "a")


@pytest.mark.parametrize("epsilon", [r"\epsilon", r"\varepsilon"])
def test_a_small_number_that_the_text_gives_may_be_chosen(epsilon):
    text = HEAD + f"$$z = x + {epsilon}$$ Typical numbers: ${epsilon} = 0.2$."
    assert takes(text, "z") == ["x"]
    document = read(text)
    same(document["z"](x=tensor(x, "a")), x + 0.2, "a")
    chosen = document.bind(**{epsilon.strip("\\"): 0.5})
    same(chosen["z"](x=tensor(x, "a")), x + 0.5, "a")


@pytest.mark.parametrize(
    "said",
    [
        r"It follows, $\theta_t \leftarrow \lambda \theta_t + (1 - \lambda) \theta_s$, at a rate $\lambda$.",
        r"$\phi' \gets \tau \phi' + (1 - \tau) \phi$ with $\tau \in \mathbb{R}$.",
        r"We do $u \gets u + w x$.",
        r"Let $\mathbb{E}[x] = f(b_\star)$.",
        r"Here $\mathbb{E}[x] = f(b_0)$, of the true $b_0$.",
        r"The flow is $\dot{x} = g(x)$. $$g(x, b) = x \odot b$$",
    ],
)
def test_prose_about_what_nothing_gives_is_no_fault(said):
    text = HEAD + r"$$f(b) = x \odot b$$ with $b \in \mathbb{R}^{\text{a}}$. " + said
    assert [f for f in read(text).check() if f.severity != "note"] == []


@pytest.mark.parametrize("said", [r"Here $v = f(c_1)$. $$g = v$$", r"We do $$u \gets u + w x$$"])
def test_prose_that_others_use_and_steps_in_displays_are_held_to_what_is_given(said):
    text = HEAD + r"$$f(b) = x \odot b$$ with $b \in \mathbb{R}^{\text{a}}$. " + said
    assert {f.code for f in read(text).check() if f.severity == "error"} == {"undefined"}
