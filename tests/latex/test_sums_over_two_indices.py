"""A sum over i < j binds i alone where j is an index of its formula, and both where nothing binds j."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from tests.latex.calling import called, same

A = np.arange(9.0).reshape(3, 3)
DECLARED = r"$$A \in \mathbb{R}^{\text{k}:n, \text{k}':n} \\ "
ELEMENT = r"A_{\text{k}(i), \text{k}'(j)}$$"
x = np.array([1.0, 2.0, 3.0, 4.0])
VECTOR = r"$x \in \mathbb{R}^{\text{seq}}$. "
BOTH = [
    (r"\sum_{i<j}", A[np.triu_indices(3, 1)].sum()),
    (r"\sum_{i, j : i<j}", A[np.triu_indices(3, 1)].sum()),
    (r"\sum_{i > j}", A[np.tril_indices(3, -1)].sum()),
    (r"\sum_{i \leq j}", A[np.triu_indices(3)].sum()),
    (r"\sum_{1 \leq i < j \leq n}", A[np.triu_indices(3, 1)].sum()),
    (r"\max_{i \neq j}", A[~np.eye(3, dtype=bool)].max()),
]


@pytest.mark.parametrize(("below", "wanted"), BOTH)
def test_a_condition_on_two_letters_runs_over_both(below: str, wanted: float) -> None:
    same(called(rf"{DECLARED} y = {below} {ELEMENT}", "y", {"A": nt.tensor(A, "k k'")}), wanted)


@pytest.mark.parametrize(
    ("below", "wanted"),
    [
        (r"\sum_{i<j}", 35.0),
        (r"\sum_{i \ne j}", 70.0),
        (r"\sum_{1 \le i < j \le |\text{seq}|}", 35.0),
        (r"\sum_{1 \le i \le j \le |\text{seq}|}", 65.0),
        (r"\sum_{i < j} \sum_{k < l}", 35.0**2),
    ],
)
def test_pairs_of_elements_of_one_tensor(below: str, wanted: float) -> None:
    body = r"x_{\text{seq}(i)} x_{\text{seq}(j)}"
    if "k" in below:
        body += r" x_{\text{seq}(k)} x_{\text{seq}(l)}"
    same(called(rf"{VECTOR} $$y = {below} {body}$$", "y", {"x": nt.tensor(x, "seq")}), wanted)


def test_the_mean_difference_of_pairs() -> None:
    text = (
        rf"{VECTOR} $$n = |\text{{seq}}|$$ "
        r"$$g = \frac{2}{n (n - 1)} \sum_{i < j} |x_{\text{seq}(i)} - x_{\text{seq}(j)}|$$"
    )
    wanted = np.mean([abs(a - b) for k, a in enumerate(x) for b in x[k + 1 :]])
    same(called(text, "g", {"x": nt.tensor(x, "seq")}), wanted)


def test_a_letter_that_is_an_index_outside_is_that_index() -> None:
    text = rf"{DECLARED} y_{{\text{{k}}'(j)}} = \sum_{{i<j}} {ELEMENT}"
    same(called(text, "y", {"A": nt.tensor(A, "k k'")}), np.triu(A, 1).sum(0), "k'")


def test_a_letter_that_an_outer_sum_binds_is_its_index() -> None:
    text = rf"{DECLARED} y = \sum_{{j=2}}^{{3}} \sum_{{i<j}} {ELEMENT}"
    same(called(text, "y", {"A": nt.tensor(A, "k k'")}), np.triu(A, 1).sum())


@pytest.mark.parametrize("below", [r"\sum_{i=1}^j", r"\sum_{i=j}", r"\sum_{i \in j}"])
def test_the_ends_of_other_ranges_are_to_be_known(below: str) -> None:
    assert read(rf"{DECLARED} y = {below} {ELEMENT}").check() != []


@pytest.mark.parametrize("below", [r"\sum_{i < m}", r"\sum_{1 \le i < j \le m}"])
def test_a_letter_that_indexes_nothing_is_to_be_known(below: str) -> None:
    body = r"X_{\text{k}(i)} X_{\text{k}(j)}" if "j" in below else r"X_{\text{k}(i)}"
    (fault,) = read(rf"$$X \in \mathbb{{R}}^{{\text{{k}}:n}} \\ y = {below} {body}$$").check()
    assert fault.hint == r"declare it, m \in \mathbb{R}^{\text{ax}}, or say what it is: m = ..."


@pytest.mark.parametrize(
    ("below", "wanted"),
    [
        (r"\sum_{i \neq j}", A.sum(0) - A.diagonal()),
        (r"\max_{i \neq j}", np.where(np.eye(3), -9, A).max(0)),
        (r"\sum_{i < j}", np.triu(A, 1).sum(0)),
    ],
)
def test_an_index_may_have_the_letter_of_a_tensor_of_numbers(below: str, wanted: object) -> None:
    other = r"$$i \in \mathbb{R}^{\text{pix}}$$ "
    text = rf"{other}{DECLARED} y_{{\text{{k}}'(j)}} = {below} {ELEMENT}"
    same(called(text, "y", {"A": nt.tensor(A, "k k'")}), wanted, "k'")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"2^{j-i} x_{\text{seq}(i)}", 2 * (1 + 2 + 3) + 4 * (1 + 2) + 8),
        (r"x_{\text{seq}(i)} (j - i)", 10 * 1 - 4 + 2 * (1 + 2) + 3),
        (r"x_{\text{seq}(i)} \sum_{t=i}^{j-1} x_{\text{seq}(t)}", 1 + 3 + 6 + 4 + 10 + 9),
    ],
)
def test_an_index_between_others_is_bound_whatever_it_chooses(body: str, wanted: float) -> None:
    text = (
        rf"Let $x \in \mathbb{{R}}^{{\text{{seq}}:n}}$. $$ y = \sum_{{1 \le i < j \le n}} {body} $$"
    )
    same(called(text, "y", {"x": nt.tensor(x, "seq")}), wanted)


@pytest.mark.parametrize(
    "said", ["", "All pieces from $i$ to $j$ count: ", "Here, $j$ is the later one. "]
)
def test_an_end_that_is_an_index_of_a_sum_around_is_no_length_to_choose(said: str) -> None:
    text = (
        r"Let $x \in \mathbb{R}^{\text{seq}:n}$. "
        r"$$ \delta_t = x_{\text{seq}(t+1)} - 2 x_{\text{seq}(t)}, \qquad t = 1, \ldots, n - 1 $$ "
        rf"{said}$$ y = \sum_{{1 \le i < j \le n}} \sum_{{t=i}}^{{j-1}} \delta_t $$"
    )
    apart = x[1:] - 2 * x[:-1]
    wanted = sum(apart[i:j].sum() for j in range(4) for i in range(j))
    same(called(text, "y", {"x": nt.tensor(x, "seq")}), wanted)
