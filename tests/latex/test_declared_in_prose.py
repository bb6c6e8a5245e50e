"""Names that tables, lists and sentences declare, and what prose says of them without declaring."""

import re

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

SPACE = r"\mathbb{R}^{\text{a}}"
SUM = "\n\n" + r"$$f = \sum_{\text{a}} c$$"


@pytest.mark.parametrize(
    "said",
    [
        rf"| $c$ | ${SPACE}$ | lengths |",
        rf"| $c$ | lengths | ${SPACE}$ |",
        rf"$c$ & lengths & ${SPACE}$ \\",
        rf"- $c$ (${SPACE}$): lengths",
        rf"- $c$, lengths (${SPACE}$)",
        rf"- $c$ -- ${SPACE}$",
        rf"$c$: a vector in ${SPACE}$",
        rf"\item[$c$] a vector of lengths, ${SPACE}$,",
        rf"$c$ & lengths & $\in {SPACE}$ \\",
        rf"- $c$: lengths $\in {SPACE}$",
        rf"<tr><td>$c$</td><td>${SPACE}$</td></tr>",
        rf"$c$, which takes values in ${SPACE}$",
        rf"Here $c$ is a vector of lengths in ${SPACE}$.",
        rf"$c$ and $d$, both in ${SPACE}$",
    ],
)
@pytest.mark.parametrize("marks", ["$%s$", "$`%s`$", r"\(%s\)"])
def test_a_space_beside_a_name_declares_it(said, marks):
    document = read(re.sub(r"\$([^$]*)\$", lambda found: marks % found[1], said) + SUM, "notes.md")
    assert document.check() == []
    assert document["f"](c=tensor([1.0, 2.0], "a")) == 3.0


def test_a_space_in_another_sentence_declares_nothing():
    document = read(rf"Nothing is said of $c$. In ${SPACE}$ all is well." + SUM)
    assert document["f"].signature.parameters == ()


GIVEN = r"Let $x \in \mathbb{R}^{\text{a}:n}$, $W \in \mathbb{R}^{\text{a}:n, \text{a}':n}$. "
MEAN = r"$$y_{\text{a}(i)} = \sum_{j=1}^n W_{\text{a}(i), \text{a}'(j)} x_{\text{a}(j)}$$"


@pytest.mark.parametrize(
    "said", ["For $W_{..} = 1/n$ this is the mean.", "With $W_{..} = 1/n$, we get the mean."]
)
def test_elements_that_are_tried_of_what_is_declared_define_nothing(said):
    said = said.replace("..", r"\text{a}(i), \text{a}'(j)")
    document = read(GIVEN + MEAN + said)
    x, W = np.array([1.0, 2.0]), np.array([[1.0, 0.0], [3.0, -1.0]])
    found = document["y"](x=tensor(x, "a"), W=tensor(W, "a a'"))
    np.testing.assert_allclose(found.numpy("a"), W @ x)


def test_a_greek_letter_below_a_name_is_no_pair_of_indices():
    document = read(
        r"Let $x \in \mathbb{R}^{\text{a}:n, \text{m}}$ and $\mu \in \mathbb{R}^{\text{a}:n}$. "
        r"$$s = \sum_{\text{m}} x \qquad s_\mu = s + \mu$$"
    )
    assert document.check() == []
    assert document["s"].shape("a[2] m[3]").names == ("a",)


def test_a_size_that_is_stated_with_a_letter_gives_the_letter():
    document = read(
        r"$t \in \mathbb{R}^{\text{cut}}$ has $|\text{cut}| = C - 1$ numbers, and $p \in "
        r"\mathbb{R}^{\text{grade}:C}$ is "
        r"$$p_{\text{grade}(k)} = \begin{cases} t_{\text{cut}(k)} & k < C \\ 0 & \text{otherwise} "
        r"\end{cases}$$"
    )
    found = document["p"](t=tensor([1.0, 2.0], "cut"))
    assert found.numpy("grade").tolist() == [1.0, 2.0, 0.0]


PRODUCT = (
    r"$A \in \mathbb{R}^{\text{in}, \text{out}}$, $c \in \mathbb{R}^{\text{in}}$. "
    r"$$v(c) = \prod_{\text{in}} c^A$$ "
)


def test_a_relation_may_leave_out_what_a_function_is_of():
    right = PRODUCT + r"That is, $\log v = A \underset{\text{in}}{\cdot} \log c$."
    assert read(right).check() == []
    (found,) = read(right.replace(r"\text{in}}{\cdot}", r"\text{out}}{\cdot}")).check()
    assert found.code == "axis-missing"


@pytest.mark.parametrize("end", [r", \quad f(P) \in \mathbb{R}$$", r"$$ so $f(P) \in \mathbb{R}$."])
def test_what_a_function_gives_is_held_to_what_it_is_said_to_be_in(end):
    text = r"$P \in \mathbb{R}^{\text{a}, \text{b}}$. $$f(P) = \sum_{\text{a}, \text{b}} P" + end
    assert read(text).check() == []
    (found,) = read(text.replace(r"\text{a}, \text{b}} P", r"\text{b}} P")).check()
    assert found.code == "declared-shape"


def test_a_formula_in_a_subsection_may_use_what_the_section_declares_without_naming_axes():
    text = (
        "# A\n\n" + r"Let $d \in \mathbb{R}^{\text{o}, \text{e}}$ be distances."
        "\n\n## B\n\n" + r"$$f = \exp(-d)$$"
    )
    assert read(text)["f"].shape("o[2] e[3]").names == ("o", "e")


@pytest.mark.parametrize(
    "said",
    [
        r"Let $c$ be a mask of the same shape as $x$.",
        r"The mask $c$ has the same axes as $x$.",
        r"$c$ (same sizes as $x$) is a mask.",
        r"There are $b$ and $c$, with the same shape as $x$.",
        r"A mask $c$ shaped like $x$.",
    ],
)
def test_words_declare_a_name_like_another_one(said):
    given = rf"Let $x \in {SPACE}$." + "\n\n" + said
    document = read(given + SUM)
    assert document.check() == []
    assert document["f"](c=tensor([1.0, 2.0], "a")) == 3.0
    other = r"$$f = \sum_{\text{b}} c$$"
    assert [f.code for f in read(f"{given}\n\n{other}").check()] == ["axis-missing"]


def test_words_that_compare_two_shapes_otherwise_declare_nothing():
    given = rf"Let $x \in {SPACE}$." + "\n\n"
    for said in (
        "$c$ has not many axes. The same shape as $x$ is rare.",
        "$c$ and the shape, $x$.",
    ):
        assert read(given + said + SUM)["f"].signature.parameters == ()


@pytest.mark.parametrize(("begin", "end"), [("$$", "$$"), ("```math\n", "\n```"), (r"\[", r"\]")])
def test_what_stands_behind_a_display_says_what_its_letters_are(begin, end):
    document = read(
        r"Let $X \in \mathbb{R}^{\text{a}}$." + f"\n\n{begin}Y = 2 B{end}\n\n"
        r"where $B = X + 1$. Elsewhere " + f"\n\n{begin}B = X{end}\n",
        "notes.md",
    )
    np.testing.assert_allclose(document["Y"](X=tensor([1.0], "a")).numpy("a"), [4.0])


@pytest.mark.parametrize(
    "factor", [r"\frac{8}{3}", r"\tfrac{1}{2}", "2/3", "0.5", r"4 \cdot \frac{2}{3}"]
)
@pytest.mark.parametrize("before", ["with", "The rule of thumb is", "Usually"])
def test_a_size_may_be_a_fraction_of_another(before, factor):
    document = read(
        r"Let $W \in \mathbb{R}^{\text{a}, \text{b}}$ and $x \in \mathbb{R}^{\text{a}}$. "
        + rf"{before} $|\text{{b}}| = {factor} |\text{{a}}|$."
        + "\n\n"
        r"$$y = W \underset{\text{a}}{\cdot} x$$"
    )
    assert document.check() == []


@pytest.mark.parametrize(
    "said",
    [
        "are decoded to $c$ of the same shape.",
        "and a running mean $c$, of the same shape:",
        "and $c$ (same shape).".replace("(", "(the "),
        "is followed by $c$, which has that shape.",
    ],
)
def test_a_name_of_the_same_shape_has_the_axes_of_what_is_declared_before(said):
    document = read(rf"A vector $d \in {SPACE}$ {said}" + SUM)
    assert document.check() == []
    assert document["f"](c=tensor([1.0, 2.0], "a")) == 3.0


@pytest.mark.parametrize(
    "said",
    [
        r"$t \sim \mathcal{U}(0, 1)$",
        r"$t \sim U[0, 1]$",
        r"$t, u \sim \text{Beta}(\alpha, \alpha)$",
        r"$t \sim \operatorname{Uniform}(0, 1)$",
    ],
)
def test_what_is_drawn_from_a_law_of_numbers_is_a_number(said):
    document = read(rf"Let $c, d \in {SPACE}$ and draw {said}." + r" $$f = (1 - t) c + t d$$")
    c, d = tensor([1.0, 2.0], "a"), tensor([3.0, 6.0], "a")
    np.testing.assert_allclose(document["f"](c=c, d=d, t=0.5).numpy("a"), [2.0, 4.0])


@pytest.mark.parametrize(
    "law", ["p(t)", r"\mathrm{Uniform}(\mathcal{S})", r"\mathcal{N}(A, \Sigma)"]
)
def test_what_is_drawn_from_another_law_is_none(law):
    document = read(rf"Let $c \in {SPACE}$ and draw $t \sim {law}$." + r" $$f = c + t$$")
    assert [f.code for f in document.check()] == ["undefined"]


@pytest.mark.parametrize("said", ["the batch size", "the number of batches", "the batch dimension"])
def test_the_size_of_an_axis_is_known_by_the_name_of_the_axis(said):
    document = read(
        rf"Let $B$ be {said} and $X \in \mathbb{{R}}^{{\text{{batch}}}}$. "
        r"$$f = \frac{1}{B} \sum_{\text{batch}} X$$"
    )
    assert document["f"](X=tensor([1.0, 2.0], "batch")) == 1.5


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("| name | shape |", r"| $W$ | $\text{a} \times \text{b}$ |"),
        ("| shape | name | what |", r"| | $W$ | $\text{b} \times \text{a}$ |"),
        (r"name & shape & what \\", r"$W$ & $\name{a} \times \name{b}$ & weights \\"),
    ],
)
def test_a_column_of_shapes_declares_what_stands_beside_it(head, row):
    document = read(
        f"{head}\n|---|---|\n{row}\n\nLet $x \\in {SPACE}$."
        + r" $$y = W \underset{\text{a}}{\cdot} x$$"
    )
    assert document.check() == []
    W = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = document["y"](W=tensor(W, "a b"), x=tensor([1.0, 1.0], "a"))
    np.testing.assert_allclose(found.numpy("b"), [4.0, 6.0])


def test_a_column_of_axes_whose_sizes_letters_are_declares_nothing():
    document = read(
        r"| size | axis |" + "\n|---|---|\n" + r"| $n$ | $\text{a}$ |" + "\n\n"
        r"Let $x \in \mathbb{R}^{\text{a}:n}$. $$y = \frac{1}{n} \sum_{\text{a}} x$$"
    )
    assert document["y"](x=tensor([1.0, 3.0], "a")) == 2.0


@pytest.mark.parametrize(
    "said",
    [
        r"A microphone gives $x = c + d$, a signal and noise, all of them in $SPACE$.",
        r"The signal is $c$ and the noise $d$, each in $SPACE$.",
        r"Write $c$ for a signal and $d$ for noise, both of which live in $SPACE$.",
        r"There are a signal $c$, noise $d$: all are in $SPACE$.",
    ],
)
def test_a_space_of_all_names_of_a_sentence_declares_each(said):
    text = said.replace("SPACE", SPACE) + r" $$f = \sum_{\text{a}} c \odot d$$"
    given = {"c": tensor([1.0, 2.0], "a"), "d": tensor([3.0, 4.0], "a")}
    assert read(text)["f"](**given) == 11.0


def test_both_are_two():
    text = rf"With rate $b$, noise $c$ and a signal $d$, both in ${SPACE}$. $$f = b c$$"
    assert "b: R[a]" not in repr(read(text)["f"])


@pytest.mark.parametrize(
    "rows",
    [
        "| $c$ | ${SPACE}$ |\n| $m$ | $\\mathbb{{R}}$ |",
        "| $c$ | ${SPACE}$ |\n| $m$ | mean | $\\mathbb{{R}}_{{>0}}$ |",
        "$c$ & ${SPACE}$ \\\\\n$m$, $k$ & $\\mathbb{{R}}$ \\\\",
        "<tr><td>$c$</td><td>${SPACE}$</td></tr>\n<tr><td>$m$</td><td>$\\mathbb{{R}}$</td></tr>",
    ],
)
def test_a_number_is_declared_in_a_cell(rows):
    document = read(rows.format(SPACE=SPACE) + "\n\n$$f = c + m$$", "notes.md")
    assert document.check() == []
    assert str(document["f"]) == "f(c: R[a], m: R) -> R[a]"


def test_a_function_from_numbers_is_not_declared_as_one():
    document = read("For a map $f$ from $\\mathbb{R}$ to $\\mathbb{R}$, $$g = f + 1$$", "notes.md")
    assert "f: R" not in " ".join(map(str, document.formulas))


ONE = (
    r"$$f(X) = W \underset{\text{in}}{\cdot} X$$ where $W \in \mathbb{R}^{\text{in}, \text{out}}$. "
)
TWO = (
    r"$$g(X) = V \underset{\text{hid}}{\cdot} W \underset{\text{in}}{\cdot} X$$ "
    r"where now $V \in \mathbb{R}^{\text{hid}, \text{out}}$ and $W \in \mathbb{R}^{\text{in}, \text{hid}}$. "
)


@pytest.mark.parametrize("word", ["where", "with", "Here", "\n\nwith", "for"])
@pytest.mark.parametrize("turned", [False, True])
def test_what_stands_behind_a_display_declares_its_letters(word, turned):
    parts = [one.replace("where", word) for one in (ONE, TWO)]
    head = r"Let $X \in \mathbb{R}^{\text{in}}$. "
    document = read(head + "".join(parts[::-1] if turned else parts))
    assert [f for f in document.check() if f.severity != "note"] == []
    spaces = {p.name: str(p.space) for p in document["f"].signature.parameters}
    assert spaces["W"] == "R[in, out]"
    spaces = {p.name: str(p.space) for p in document["g"].signature.parameters}
    assert spaces["W"] == "R[in, hid]"


def test_a_new_sentence_behind_a_display_declares_for_what_follows():
    text = r"Let $X \in \mathbb{R}^{\text{in}}$. " + ONE + "Now let it be wide. " + TWO
    late = r"$$h(X) = W \underset{\text{in}}{\cdot} X$$"
    assert "W: R[in, hid]" in repr(read(text + late)["h"])
