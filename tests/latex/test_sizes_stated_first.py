r"""Sizes stated axis first: `$|\text{doc}| = N$` says what N is, as `$N = |\text{doc}|$` does."""

import pickle

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import AxisSizeError, NamedTensorError
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

C = np.arange(12.0).reshape(3, 4)
GIVEN = {"C": nt.tensor(C, "doc", "term")}
DECLARED = r"$C \in \mathbb{R}^{\text{doc} \times \text{term}}$"

HEADS = [
    rf"Let {DECLARED} with $|\text{{doc}}| = N$.",
    rf"Let $|\text{{doc}}| = N$ and {DECLARED}.",
    rf"Let {DECLARED}, $|\text{{doc}}| = N$ and $|\text{{term}}| = K$.",
    rf"Counts {DECLARED} of $|\text{{doc}}| = N$ documents.",
    rf"Let {DECLARED}." + "\n\n$$ |\\text{doc}| = N $$",
]
FORMULAS = [
    (r"Y = \frac{1}{N} \sum_{\text{doc}} C", C.mean(0), ("term",)),
    (r"Y = \frac{1}{N} \sum_{i=1}^{N} C_{\text{doc}(i)}", C.mean(0), ("term",)),
    (r"Y = C_{\text{doc}(N)} / N", C[-1] / 3, ("term",)),
    (r"Y_{\text{doc}(i)} = \sum_{\text{term}} C_{\text{doc}(N + 1 - i)}", C[::-1].sum(1), ("doc",)),
]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("formula", "wanted", "axes"), FORMULAS)
def test_a_size_stated_axis_first_names_a_number(head, formula, wanted, axes):
    same(called(f"{head}\n\n$$ {formula} $$", "Y", GIVEN), wanted, *axes)


@pytest.mark.parametrize("head", HEADS)
def test_in_a_section_below(head):
    text = f"# All\n\n{head}\n\n## Part\n\n$$ Y = \\sum_{{\\text{{doc}}, \\text{{term}}}} C / N $$"
    same(called(text, "Y", GIVEN), C.sum() / 3)


def test_two_axes_of_one_size():
    text = r"""Let $A \in \mathbb{R}^{\text{a} \times \text{b}}$ with $|\text{a}| = |\text{b}| = n$.

$$ Y = \frac{1}{n^2} \sum_{\text{a}, \text{b}} A $$"""
    given = {"A": nt.tensor(C[:, :3], "a", "b")}
    same(called(text, "Y", given), C[:, :3].mean())


@pytest.mark.parametrize("torch", [False, True])
@pytest.mark.parametrize(
    ("declared", "formula"),
    [
        (
            r"$A \in \mathbb{R}^{\text{a}:n \times \text{b}:n}$",
            r"Y = \sum_{\text{a}, \text{b}} A / n",
        ),
        (r"$A \in \mathbb{R}^{\text{a}:n \times \text{b}:n}$", r"Y = \sum_{\text{a}, \text{b}} A"),
        (
            r"$A \in \mathbb{R}^{\text{a}:2n \times \text{b}:2n}$, $n \in \mathbb{N}$",
            r"Y = \sum_{\text{a}, \text{b}} A",
        ),
        (
            r"$A \in \mathbb{R}^{\text{a} \times \text{b}:|\text{a}|}$",
            r"Y = \sum_{\text{a}, \text{b}} A",
        ),
        (
            r"$A \in \mathbb{R}^{\text{a}:n \times \text{b}}$, $x \in \mathbb{R}^{\text{c}:n}$",
            r"Y = \sum_{\text{a}, \text{b}} A + \sum_{\text{c}} x",
        ),
    ],
)
def test_axes_whose_sizes_have_one_letter_are_held_to_it(declared, formula, torch):
    """A of 3 times 4 ran, and n was 3, where both are n."""
    given = {"A": C, "x": np.ones(4)}
    axes = {"A": "a b", "x": "c"}
    if torch:
        given = {k: pytest.importorskip("torch").tensor(v) for k, v in given.items()}
    f = read(f"Let {declared}.\n\n$$ {formula} $$")["Y"]
    names = [p.name for p in f.signature.parameters]
    known = {name: nt.tensor(given[name], axes[name]) for name in names}
    for _ in range(2):
        with pytest.raises(NamedTensorError, match="is one size, and axis"):
            f(**known)
    b, c = nt.axes("b c")
    f(**{name: X[c[:3] if name == "x" else b[:3]] for name, X in known.items()})


def test_sections_that_use_one_letter_for_two_sizes_are_not_held_to_each_other():
    text = r"""# One
Let $A \in \mathbb{R}^{\text{a}:n}$.

# Two
Let $B \in \mathbb{R}^{\text{b}:n}$.

$$ Y = \sum_{\text{b}} B + \sum_{\text{a}} A $$"""
    f = read(text)["Y"]
    same(f(A=nt.tensor(np.ones(3), "a"), B=nt.tensor(np.ones(4), "b")), 7.0)


def test_a_letter_that_is_given_stays_what_it_is():
    text = rf"""Let {DECLARED} and $n = 7$.

$$ |\text{{doc}}| = n $$
$$ Y = n \sum_{{\text{{doc}}, \text{{term}}}} C $$"""
    document = read(text)
    assert document["n"]().item() == 7
    assert [line.span.start for line in document.check() if line.severity == "error"] == []


def test_a_size_of_the_space_stays_one():
    text = r"""Let $C \in \mathbb{R}^{\text{doc}:N \times \text{term}}$, $|\text{doc}| = N$.

$$ Y = \sum_{\text{doc}} C / N $$"""
    same(called(text, "Y", GIVEN), C.mean(0), "term")


def test_an_expression_names_nothing():
    text = rf"""Let {DECLARED}, $|\text{{doc}}| = 2 N - 1$.

$$ Y = C / N $$"""
    with pytest.raises(LatexError, match="N is not defined"):
        read(text)["Y"](**GIVEN)


SPOKEN = [
    ("If $|\\text{a}| = 1$ this is trivial.", False),
    ("For example, with $|\\text{a}| = 5$ we get", False),
    ("When $|\\text{a}| = 5$, this is a mean of five.", False),
    ("For $|\\text{a}| = 5$ this is a mean of five.", False),
    ("The axis a has $|\\text{a}| = 5$, say.", False),
    ("We took $|\\text{a}| = 5$ in our experiments.", False),
    ("Here $|\\text{a}| = 5$.", True),
    ("We assume $|\\text{a}| = 5$.", True),
    ("Let $|\\text{a}| = 5$.", True),
]


@pytest.mark.parametrize(("words", "said"), SPOKEN)
def test_a_size_that_is_tried_is_none(words, said):
    """The size of a was 5 where only an example had it."""
    document = read(rf"""Let $x \in \mathbb{{R}}^{{\text{{b}}}}$. {words}

$$ Y_{{\text{{a}}(i)}} = \sum_{{\text{{b}}}} x / i $$""")
    x = nt.tensor(np.ones(4), "b")
    if said:
        assert document["Y"](x).shape == nt.Shape("a[5]")
    else:
        with pytest.raises(NamedTensorError, match="axis a has no size yet"):
            str(document["Y"](x).shape)


@pytest.mark.parametrize(
    ("stated", "wrong"),
    [
        (r"$|\text{a}| = |\text{b}|$", "is one size, and axis"),
        (r"$|\text{a}| = n$ and $|\text{b}| = n$", "n is one size, and axis"),
        (r"$|\text{a}| = |\text{b}| = n$", "n is one size, and axis"),
    ],
)
def test_data_are_held_to_the_sizes_that_are_stated(stated, wrong):
    text = rf"""Let $A \in \mathbb{{R}}^{{\text{{a}} \times \text{{b}}}}$ with {stated}.

$$ Y = \sum_{{\text{{a}}, \text{{b}}}} A $$"""
    f = read(text)["Y"]
    for _ in range(2):
        with pytest.raises(NamedTensorError, match=wrong):
            f(nt.tensor(C, "a", "b"))
    same(f(nt.tensor(np.ones((5, 5)), "a", "b")), 25.0)


def test_an_axis_and_its_copy_may_differ():
    """Queries of a decoder are fewer than its keys, though both are n where they are declared."""
    text = r"""Let $A \in \mathbb{R}^{\text{seq}':n \times \text{seq}:n}$.

$$ Y = \sum_{\text{seq}} A $$"""
    same(called(text, "Y", {"A": nt.tensor(C, "seq'", "seq")}), C.sum(1), "seq'")


def test_sizes_of_each_other_print_and_read_back():
    text = r"""Let $A \in \mathbb{R}^{\text{row} \times \text{col}}$ and $|\text{row}| = |\text{col}|$.

$$ Y = \sum_{\text{row}, \text{col}} A $$"""
    document = read(text)
    again = read(document["Y"].latex())
    assert again.check() == []
    assert str(again["Y"].signature) == str(document["Y"].signature)
    assert 'nt.sizes("n_col")' in document.python()


STATED = [
    r"with $|\text{a}| = 5$.",
    r"with $5 = |\text{a}|$.",
    r"with $|\text{a}| = 2 \cdot 3 - 1$.",
    ". Here $|\\text{a}| = 5$.",
    ".\n\n$$ |\\text{a}| = 5 $$",
    ".\n\n$$ |\\text{a}| = |\\text{c}| = 5 $$",
]
WHOLE = r"""Let $x \in \mathbb{R}^{\text{a}}$ %s

$$ Y = \sum_{\text{a}} x $$"""


@pytest.mark.parametrize("torch", [False, True])
@pytest.mark.parametrize("stated", STATED)
def test_data_are_held_to_a_number_that_is_stated(stated, torch):
    """x of 4 ran, and nothing said that the text has 5."""
    numbers = np.arange(5.0)
    if torch:
        numbers = pytest.importorskip("torch").tensor(numbers)
    f = read(WHOLE % stated)["Y"]
    for _ in range(2):
        with pytest.raises(AxisSizeError, match=r"axis a is 4 in x and 5 on line \d: \|a\| = "):
            f(nt.tensor(numbers[:4], "a"))
        same(f(nt.tensor(numbers, "a")), 10.0)


def test_the_error_names_what_states_the_size():
    with pytest.raises(AxisSizeError) as caught:
        read(WHOLE % STATED[0])["Y"](nt.tensor(np.ones(4), "a"))
    assert str(caught.value).splitlines() == [
        "Y(x): axis a is 4 in x and 5 on line 1: |a| = 5",
        "  x : a[4]   declared R[a[5]]",
        "hint: Y takes R[a[5]] for x",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ", for example $|\\text{a}| = 5$.",
        ". If $|\\text{a}| = 5$, this is a sum of five.",
        ". Say $|\\text{a}| = 5$.",
        "with $|\\text{a}| = 5$, say.",
        "with $|\\text{a}| = 5$ in our experiments.",
        "with $|\\text{a}| \\le 5$.",
        "with $|\\text{a}'| = 5$.",
    ],
)
def test_data_are_not_held_to_an_example(words):
    same(read(WHOLE % words)["Y"](nt.tensor(np.ones(4), "a")), 4.0)


def test_a_number_of_another_section_holds_nothing():
    text = "# One\n\nLet $|\\text{a}| = 5$.\n\n# Two\n\n" + WHOLE % "."
    same(read(text)["Y"](nt.tensor(np.ones(4), "a")), 4.0)


def test_a_size_that_is_chosen_counts_more_than_the_stated_one():
    f = read(WHOLE % STATED[0]).bind(a=4)["Y"]
    same(f(nt.tensor(np.ones(4), "a")), 4.0)
    with pytest.raises(AxisSizeError):
        f(nt.tensor(np.ones(5), "a"))


def test_a_formula_that_states_a_size_is_pickled_with_it():
    f = pickle.loads(pickle.dumps(read(WHOLE % STATED[0])["Y"]))
    with pytest.raises(AxisSizeError, match="5 on line 1"):
        f(nt.tensor(np.ones(4), "a"))
