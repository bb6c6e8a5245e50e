"""What prose says of the elements of a declared tensor defines none, and what is set aside is said."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

ELEMENT = r"A_{\text{node}(i), \text{node}'(j)}"
HEAD = r"Let $A \in \{0,1\}^{\text{node}:n \times \text{node}'}$, "
USE = (
    "\n" r"Let $v \in \mathbb{R}^{\text{node}}$." "\n" r"$$s = A \underset{\text{node}}{\cdot} v$$"
)
A = np.array([[0.0, 1, 1], [0, 0, 1], [1, 0, 0]])
V = np.array([1.0, -2.0, 0.5])
GIVEN = {"A": tensor(A, "node node'"), "v": tensor(V, "node")}

REMARKS = [
    rf"${ELEMENT} = 1$ if $i$ and $j$ are linked.",
    rf"\({ELEMENT} = 1\) if they are linked.",
    rf"with ${ELEMENT} = 1$ if and only if there is a link.",
    rf"${ELEMENT} = 1$ iff $i$ links to $j$.",
    rf"${ELEMENT} = 1$ whenever $i$ links to $j$.",
    rf"Here ${ELEMENT} = 1$ means that $i$ links to $j$.",
    rf"with ${ELEMENT} = 0$ for missing links.",
    rf"An entry ${ELEMENT} = 0$ means no link.",
    rf"We have ${ELEMENT} = 0$ unless $j = i \pm 1$.",
    rf"Note that ${ELEMENT} = 0$ for $j < i$.",
    rf"for instance ${ELEMENT} = 1/n$ for all $i$.",
    rf"${ELEMENT} = 1$ if $i$ and $j$ are linked and $0$ otherwise.",
    rf"(${ELEMENT} = 1$ if linked; ${ELEMENT} = 0$ if not.)",
]


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_by_elements_defines_none_of_a_declared_tensor(remark):
    for text in (HEAD + remark + USE, HEAD + USE + "\n" + remark):
        same(called(text, "s", GIVEN), V @ A, "node'")


@pytest.mark.parametrize(
    ("remark", "said"),
    [
        (rf"where ${ELEMENT} = p(j \mid i)$.", "p is not given"),
        (rf"where ${ELEMENT} = \Pr(Y = j | X = i)$.", r"\Pr is not given"),
        (rf"with ${ELEMENT} = 1$.", "a number in prose defines none of it"),
        (rf"with ${ELEMENT} = -\infty$ for $j > i$.", "a number in prose defines none of it"),
        (rf"${ELEMENT} = v_{{\text{{node}}(i)}}$ if they are linked.", "words say for which"),
    ],
)
def test_what_may_be_a_definition_is_set_aside_with_a_note(remark, said):
    document = read(HEAD + remark + USE)
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "not-notation")
    assert said in note.message
    same(document["s"](**GIVEN), V @ A, "node'")


@pytest.mark.parametrize(
    ("definition", "wanted"),
    [
        (rf"${ELEMENT} = 1$ if $j \le i$ and $0$ otherwise.", np.tril(np.ones((3, 3)))),
        (rf"${ELEMENT} = [j \le i]$.", np.tril(np.ones((3, 3)))),
        (rf"where ${ELEMENT} = v_{{\text{{node}}(j)}}$.", np.ones((3, 1)) * V),
        (rf"where ${ELEMENT} = 2$ for all $i$ and $j$.", 2 * np.ones((3, 3))),
        (rf"where ${ELEMENT} = 2$ for all $i, j$.", 2 * np.ones((3, 3))),
        (rf"where ${ELEMENT} = 2$, $i, j \in [n]$.", 2 * np.ones((3, 3))),
        (rf"where ${ELEMENT} = 2$ for $i, j = 1, \ldots, n$.", 2 * np.ones((3, 3))),
        (rf"$${ELEMENT} = 2$$", 2 * np.ones((3, 3))),
    ],
)
def test_what_can_be_computed_for_all_indices_defines(definition, wanted):
    same(called(HEAD + definition + USE, "s", GIVEN), V @ wanted, "node'")


def test_a_declaration_of_another_section_or_of_other_axes_is_of_another_tensor():
    text = rf"# A{chr(10)}{HEAD}# B{chr(10)}Let $b_{{\text{{node}}(i)}} = 1$. "
    assert [p.name for p in read(text + USE.replace("A", "b"))["s"].signature.parameters] == ["v"]


@pytest.mark.parametrize(
    "remark",
    [
        r"$y_{\text{node}(i)} = 0$ if $i$ died.",
        r"Note that $y_{\text{node}(k)} = 0$ if $v_{\text{node}(k)} = 0$.",
        r"Then $y_{\text{node}(i)} = 1$ for all $i$ by construction.",
    ],
)
@pytest.mark.parametrize("declared", ["", r" and $y \in \mathbb{R}^{\text{node}}$"])
def test_a_remark_by_elements_defines_none_of_what_a_display_defines(remark, declared):
    head = rf"Let $v \in \mathbb{{R}}^{{\text{{node}}}}${declared}. "
    text = head + r"$$y_{\text{node}(i)} = v_{\text{node}(i)}^2$$ "
    same(called(text + remark, "y", GIVEN), V**2, "node")


@pytest.mark.parametrize(
    "start", [r"$h_{\text{node}(n)} = 0$", r"where $h_{\text{node}(n)} = 0$ at the end"]
)
def test_prose_may_end_a_series_of_a_declared_tensor(start):
    text = (
        r"Let $v, h \in \mathbb{R}^{\text{node}:n}$. "
        r"$$h_{\text{node}(i)} = h_{\text{node}(i+1)} + v_{\text{node}(i)}$$ "
    )
    same(called(text + start + ".", "h", GIVEN), [V[0] + V[1], V[1], 0.0], "node")


def test_words_say_what_an_undeclared_tensor_is_and_it_is_not_computed():
    text = (
        r"Let $v \in \mathbb{R}^{\text{node}}$, $d_{\text{node}(i)} = 1$ if $i$ died, and "
        r"$$s = \sum_{\text{node}} d v$$"
    )
    document = read(text)
    assert [f.code for f in document.check()] == ["not-notation", "undefined"]
    with pytest.raises(Exception, match="d is not defined here"):
        document["s"](v=GIVEN["v"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"$$P_{\text{now}(i), \text{next}(j)} = \oint x_i$$", r"\oint is beyond the notation"),
        (r"$$\pi_{\text{pl}(i), \text{pl}'(j)} = f(i \succ j)$$", r"\succ is beyond the notation"),
    ],
)
def test_what_names_axes_and_cannot_be_read_is_said(text, why):
    (note,) = read(text).check()
    assert (note.severity, note.code) == ("note", "not-notation")
    assert note.message == f"set aside: cannot be read: {why}"


GRADIENTS = (
    r"Let $G \in \mathbb{R}^{\text{step}:T, \text{in}}$ and $a \in \mathbb{R}^{\text{step}:T}$. "
)
MOMENTUM = (
    r"The mean starts with $M_{\text{step}(0)} = 0$, and "
    r"$$M_{\text{step}(t)} = \beta M_{\text{step}(t-1)} + (1 - \beta) a_t \, G_{\text{step}(t)}$$"
    " where the rate $\\beta = 0.5$.\n\n"
)


@pytest.mark.parametrize(
    "remark",
    [
        r"With a constant gradient $G_{\text{step}(t)} = C$ this is simple.",
        r"A constant gradient has $M_{\text{step}(t)} = (1 - \beta^t) C$.",
        r"With $\beta = 0$ and $a_t = 1$ nothing is kept.",
        r"Suppose that $G^2$ has rank one. Then $G^2 = a b$ with $b \in \mathbb{R}^{\text{in}}$.",
        "\n# More\nHere nothing fades, that is, $a_t = 1$.",
    ],
)
def test_a_remark_on_the_elements_or_a_power_of_what_is_given_changes_nothing(remark):
    document = read(GRADIENTS + MOMENTUM + "$$U = 1 G^2$$ " + remark)
    assert [f for f in document.check() if f.severity != "note"] == []
    G, a = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0, 3.0])
    wanted, state = [], np.zeros(2)
    for g, each in zip(G, a, strict=True):
        state = 0.5 * state + 0.5 * each * g
        wanted.append(state)
    given = {"G": tensor(G, "step in"), "a": tensor(a, "step")}
    found = document["M"](**given)
    np.testing.assert_allclose(found.numpy("step in"), np.stack(wanted))
    np.testing.assert_allclose(document["U"](G=given["G"]).numpy("step in"), G**2)


def test_a_special_case_in_prose_does_not_define_a_letter_again():
    text = (
        r"Let $t, y, z \in \mathbb{R}^{\text{in}}$. $$y_t = (1 - t) y + t z$$" + "\n# Exercises\n"
    )
    document = read(
        text + r"Show that $y_t = y$ if $t = 0$." + "\n# Loss\n" + r"$$L = \sum_{\text{out}} y_t$$"
    )
    assert [f.code for f in document.check() if f.severity != "note"] == ["axis-missing"]


@pytest.mark.parametrize("end", ["", ".", ",", ";"])
@pytest.mark.parametrize("update", ["", r"One step is $x \leftarrow x + W$."])
def test_a_range_in_brackets_behind_a_formula_is_a_range_and_a_step_in_prose_changes_nothing(
    end, update
):
    text = rf"Let $x, W \in \mathbb{{R}}^{{\text{{in}}}}$. {update}"
    rule = rf"$$x_0 = x, \qquad x_t = x_{{t-1}} + W \quad (t = 1, \ldots, T){end}$$"
    document = read(text + rule)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document.bind(T=3)["x_T"](x=tensor(V, "in"), W=tensor(V, "in"))
    np.testing.assert_allclose(found.numpy("in"), 4 * V)


def test_a_step_in_prose_is_held_to_the_axes_of_what_it_changes():
    text = r"Let $x \in \mathbb{R}^{\text{in}}$ and $y \in \mathbb{R}^{\text{out}}$. "
    [found] = read(
        text + r"One step is $x \leftarrow \underset{\text{out}}{\text{softmax}} \, y$."
    ).check()
    assert found.severity == "error"


RATED = r"""Let $P \in \mathbb{R}^{\text{user}, \text{fac}}$, $Q \in \mathbb{R}^{\text{film}, \text{fac}}$,
$E \in \mathbb{R}^{\text{user}, \text{film}}$. """


@pytest.mark.parametrize(
    ("step", "changed"),
    [
        (r"P_{\text{user}:u} \leftarrow P_{\text{user}:u} + Q_{\text{film}:i}", False),
        (r"P_{\text{user}:u} \leftarrow P_{\text{user}:u} + 2 Q_{\text{film}(i)}", False),
        (
            r"P_{\text{user}:u} \leftarrow P_{\text{user}:u} + \sum_{i=1}^{|\text{film}|} Q_{\text{film}:i}",
            True,
        ),
        (r"P_{\text{user}:u} \leftarrow P_{\text{user}:u} + Q_{\text{film}:1}", True),
        (r"P_{\text{user}:u} \leftarrow 2 P_{\text{user}:u}", True),
    ],
)
def test_a_step_for_one_choice_of_an_index_changes_nothing(step, changed):
    document = read(rf"{RATED}For a rating, $${step}.$$ Then $$Y = 2 P.$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    assert len(document["Y"].signature.parameters) == 1 + (changed and "Q" in step)


def test_a_step_for_one_choice_of_an_index_is_held_to_the_axes_of_what_it_changes():
    text = rf"{RATED}For a rating, $$P_{{\text{{user}}:u}} \leftarrow Q_{{\text{{fac}}:i}}.$$"
    fault, note = read(text).check()
    assert (fault.code, note.severity, note.code) == ("declared-shape", "note", "meaning")
    assert note.message == (
        "this step is for one choice of an index: it is checked, and changes nothing"
    )


def test_a_step_of_a_loop_over_its_index_is_none_for_one_choice():
    step = r"x \leftarrow x - y_{\text{in}:k} x"
    given = r"Let $x, y \in \mathbb{R}^{\text{in}:n}$. For $k = 1, \dots, n$, "
    document = read(rf"{given}$${step}.$$ Then $$z = 2 x.$$")
    assert [f.code for f in document.check()] == ["undefined"]


@pytest.mark.parametrize(
    "remark",
    [
        r"For $K = \sum_{\text{c}} W$ this is a sum of sums.",
        r"With $K = \sum_{\text{c}} W$, we get a sum of sums.",
        r"Taking $K = \sum_{\text{c}} W$ we recover a sum of sums.",
    ],
)
def test_a_tensor_that_is_tried_for_a_declared_one_changes_nothing(remark):
    text = rf"""Let $K \in \mathbb{{R}}^{{\text{{a}}}}$ and $W \in \mathbb{{R}}^{{\text{{a}}, \text{{c}}}}$.
$$s = \sum_{{\text{{a}}}} K$$
{remark}"""
    assert str(read(text)["s"]) == "s(K: R[a]) -> R"


@pytest.mark.parametrize(
    "tried", [r"For $\lambda = 1$ this is the sum.", r"With $\lambda = 0$ we get a number."]
)
def test_a_greek_letter_for_which_a_number_is_tried_is_a_number(tried):
    document = read(
        rf"Let $v \in \mathbb{{R}}^{{\text{{node}}}}$. $$y = \sum_{{\text{{node}}}} v^\lambda$$ {tried}"
    )
    found = document["y"](v=tensor(np.abs(V), "node"), lambda_=0.5)
    same(found, (np.abs(V) ** 0.5).sum())


@pytest.mark.parametrize("side", [r"Q_{\text{fac}:i}", r"P_{\text{film}:u}", r"E_{\text{user}:u}"])
def test_a_relation_between_elements_is_held_to_their_axes(side):
    document = read(rf"{RATED}$$P_{{\text{{user}}:u}} + P_{{\text{{user}}:v}} = 2 {side}$$")
    assert [f.severity for f in document.check()] == ["error"]


def test_a_relation_between_elements_that_fits_is_right():
    document = read(
        rf"{RATED}$$P_{{\text{{user}}:u}} + P_{{\text{{user}}:v}} = 2 Q_{{\text{{film}}:i}}$$"
    )
    assert document.check() == []


@pytest.mark.parametrize("letter", ["q", "e", r"\epsilon", r"\pi"])
def test_what_another_section_defines_is_no_constant_in_a_relation(letter):
    text = rf"""# A
Let $p \in \mathbb{{R}}^{{\text{{out}}}}$. $${letter} = 2 p$$
# B
We have $\sum_{{\text{{out}}}} {letter} = 0$."""
    assert read(text).check() == []
    wrong = read(text.replace(r"\sum_{\text{out}}", r"\sum_{\text{in}}")).check()
    assert [f.code for f in wrong] == ["axis-missing"]


@pytest.mark.parametrize("before", [True, False])
def test_a_model_of_rows_of_data_is_held_to_them_and_defines_nothing(before):
    model = r"$$y_t = c + B y_{t-1} + u_t$$ "
    text = (
        r"Let $Y \in \mathbb{R}^{\text{time}:T \times \text{ser}}$ and $c, B \in \mathbb{R}^{\text{ser}}$. "
        r"We model the rows $y_t = Y_{\text{time}(t)}$ as "
        + model
        + r"where $u_t \in \mathbb{R}^{\text{ser}}$."
        r" $$m = \sum_{\text{time}} Y$$"
    )
    Y = np.arange(6.0).reshape(3, 2)
    same(called(text, "m", {"Y": tensor(Y, "time ser")}), Y.sum(0), "ser")
    if before:
        wrong = text.replace("B y_{t-1}", r"\sum_{\text{ser}} B y_{\text{lag}(1)}")
        assert [f.code for f in read(wrong).check() if f.severity == "error"] != []
