r"""Ways of writing that few documents have: what they compute, and what is said of what cannot be read."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read

X = nt.tensor(np.array([1.0, 2.0, 4.0]), "a")
B = nt.tensor(np.array([1.0, 10.0]), "b")
#: X moved on by one, with 0 before it.
BEFORE = [0.0, 1.0, 2.0]


def run(formula: str, name: str = "Y", **given: nt.NamedTensor) -> np.ndarray:
    said = [rf"${n} \in \mathbb{{R}}^{{\text{{{v.axes[0]}}}}}$" for n, v in given.items()]
    return read(f"{', '.join(said)}. {formula}", "x.md")[name](**given).numpy()


def said(text: str) -> list[str]:
    return [str(finding).splitlines()[0] for finding in read(text, "x.md").check()]


def cases(condition: str, otherwise: str = r"\text{otherwise}") -> str:
    rows = rf"X_{{\text{{a}}(i-1)}} & {condition} \\ 0 & {otherwise}"
    return rf"$$Y_{{\text{{a}}(i)}} = \begin{{cases}} {rows} \end{{cases}}$$"


@pytest.mark.parametrize(
    "condition",
    [
        r"\text{unless } i = 1",
        r"\text{unless $i = 1$}",
        r"\text{if not } i = 1",
        r"\text{if not $i = 1$}",
        r"\text{except when } i = 1",
        r"\text{never at } i = 1",
        r"\text{if it is not the case that } i = 1",
        r"\text{if } \neg (i = 1)",
        r"\text{unless } i = 1 \text{ or } i > 3",
    ],
)
def test_what_is_denied_in_words_does_not_hold(condition: str) -> None:
    assert run(cases(condition), X=X).tolist() == BEFORE


def test_a_definition_holds_unless_its_condition_does() -> None:
    rows = r"0 & \text{unless } i > 1 \text{ and } i \le 3 \\ X_{\text{a}(i-1)} & \text{otherwise}"
    text = rf"$$Y_{{\text{{a}}(i)}} = \begin{{cases}} {rows} \end{{cases}}$$"
    assert run(text, X=X).tolist() == BEFORE


@pytest.mark.parametrize(
    "condition",
    [r"2 i > 2", r"i \notin \{1\}", r"i > 1 \text{ and } i \le 3", r"i > 1, \; i \neq 9"],
)
def test_a_condition_may_keep_an_index_inside_of_its_axis(condition: str) -> None:
    assert run(cases(condition), X=X).tolist() == BEFORE


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"$$Y = \overset{\text{out}}{X}$$", [1, 2, 4]),
        (r"$$Y = X \overset{\text{new}}{+} X$$", [2, 4, 8]),
        (r"$$Y = \underset{i}{\operatorname{max}} X_{\text{a}(i)}$$", 4),
        (r"$$Y = X \cdot 1 (X_{\text{a}(1)} > 0)$$", [1, 2, 4]),
    ],
)
def test_what_stands_above_or_around_changes_nothing(formula: str, expected: object) -> None:
    assert run(formula, X=X).tolist() == expected


def test_a_macro_takes_one_digit_of_a_number() -> None:
    text = read(
        r"\newcommand{\half}[1]{\frac{#1}{2}} $X \in \mathbb{R}^{\text{a}}$ $$Y = \half12 X$$",
        "x.md",
    )
    assert text["Y"](X=X).numpy().tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("name", "expected"), [("Y", [1, 3, 7]), ("Z", [3, 30]), ("L", [7, 70])], ids=str
)
def test_a_recurrence_is_indexed_along_any_of_its_axes(name: str, expected: list[float]) -> None:
    text = r"""$H \in \mathbb{R}^{\text{a}, \text{b}}$
    $$H_{\text{a}(t)} = H_{\text{a}(t-1)} + X_{\text{a}(t)} B$$
    $$H_{\text{a}(0)} = 0$$ $$Y = H_{\text{b}(1)}$$ $$Z = H_{\text{a}(2)}$$ $$L = H_{\text{a}(3)}$$"""
    assert run(text, name, X=X, B=B).tolist() == expected


def test_an_identity_is_known_beside_what_cannot_be_read() -> None:
    text = r"""$I \in \mathbb{R}^{\text{a}:n, \text{b}:n}$ is the identity, $V \in \mathbb{R}^{\text{b}}$.
    $$Y = V \cdot_{\text{b}} I$$ $$Z = ) V_{\text{b}(1)}$$"""
    V = nt.tensor(np.array([3.0, 5.0]), "b")
    assert read(text, "x.md")["Y"](V=V).numpy().tolist() == [3, 5]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (r"f : x \in y \mapsto X_{\text{a}(1)}", r"\in is not expected here"),
        (r"f : x \mapsto X_{\text{a}(1)} = 2", r"= is not expected here"),
        (r"f \in : \mathbb{R}^{\text{a}} \to \mathbb{R}", r"\in is not expected here"),
        (r"f : \mathbb{R}^{\text{a}} = \to \mathbb{R}", r"= is not expected here"),
        (r"f : (\mathbb{R}^{\text{a}} + 1) \to \mathbb{R}", r"+ is not expected here"),
        (r"f : \mathbb{R}^{\text{a}} \to \mathbb{R} + 1", r"+ is not expected here"),
        (
            r"Y = \frac{\begin{pmatrix} 1}{X_{\text{a}(1)}} \end{pmatrix}",
            r"\begin{pmatrix} has no end",
        ),
        (r"Y = f \rvert_{X_{\text{a}(1)}}", "a restriction has no axes"),
        (r"(f(x), g) = h(X)_{\text{a}(1)}", "(f(x), g) is no name"),
        (
            r"Y = \operatorname{mean}(x_1, \ldots, x_n) + X_{\text{a}(1)}",
            "lists letters by dots, of which nothing says that they are a series",
        ),
    ],
)
def test_what_cannot_be_read_is_said(formula: str, message: str) -> None:
    found = said(rf"$X \in \mathbb{{R}}^{{\text{{a}}}}$ $${formula}$$")
    assert any(message in one for one in found), found


@pytest.mark.parametrize("sign", ["=", r"\leftarrow"])
def test_a_parameter_is_given_by_its_place_and_not_by_its_name(sign: str) -> None:
    text = r"""$X, W, V \in \mathbb{R}^{\text{a}}$ $$f(X; W) = X \odot W$$"""
    (found,) = said(text + rf"$$Y = f(X; W {sign} V)$$")
    assert "gives a parameter by its name, and parameters have places" in found
    right = read(text + "$$Y = f(X; V)$$", "x.md")["Y"](X=X, V=X)
    assert right.numpy().tolist() == [1, 4, 16]


def test_a_series_of_too_many_members_is_not_written_out() -> None:
    text = r"""$X \in \mathbb{R}^{\text{a}}$ $$h^t = h^{t-1} + X_{\text{a}(1)} \quad t = 1, \ldots, 100000$$
    $$h^0 = 0$$ $$Y = h^{100000}$$"""
    with pytest.raises(nt.NamedTensorError) as refused:
        read(text, "x.md")["Y"](X=X)
    assert "at most 2,000 are written out" in str(refused.value)
