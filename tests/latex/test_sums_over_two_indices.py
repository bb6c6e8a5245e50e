"""A sum over i < j binds i alone where j is an index of its formula; else the hint says how it binds both."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from tests.latex.calling import called, same

A = np.arange(9.0).reshape(3, 3)
DECLARED = r"$$A \in \mathbb{R}^{\text{k}:n, \text{k}':n} \\ "
ELEMENT = r"A_{\text{k}(i), \text{k}'(j)}$$"
BOTH = [
    (r"\sum_{i<j}", r"\sum_{i, j : i<j}", A[np.triu_indices(3, 1)].sum()),
    (r"\sum_{i > j}", r"\sum_{i, j : i > j}", A[np.tril_indices(3, -1)].sum()),
    (r"\sum_{i \leq j}", r"\sum_{i, j : i \leq j}", A[np.triu_indices(3)].sum()),
    (r"\max_{i \neq j}", r"\max_{i, j : i \neq j}", A[~np.eye(3, dtype=bool)].max()),
]


@pytest.mark.parametrize(("below", "typed", "wanted"), BOTH)
def test_the_hint_of_a_letter_that_nothing_binds_runs_over_both(
    below: str, typed: str, wanted: float
) -> None:
    faults = read(rf"{DECLARED} y = {below} {ELEMENT}").check()
    assert {(f.code, f.message) for f in faults} == {
        ("undefined", "j is neither declared nor defined")
    }
    assert {f.hint for f in faults} == {f"to run over both letters, write {typed}"}
    same(called(rf"{DECLARED} y = {typed} {ELEMENT}", "y", {"A": nt.tensor(A, "k k'")}), wanted)


def test_a_letter_that_is_an_index_outside_is_that_index() -> None:
    text = rf"{DECLARED} y_{{\text{{k}}'(j)}} = \sum_{{i<j}} {ELEMENT}"
    same(called(text, "y", {"A": nt.tensor(A, "k k'")}), np.triu(A, 1).sum(0), "k'")


@pytest.mark.parametrize(
    "below", [r"\sum_{i=1}^j", r"\sum_{i=j}", r"\sum_{i \in j}", r"\sum_{1 \leq i < j \leq n}"]
)
def test_other_ranges_have_no_such_hint(below: str) -> None:
    faults = read(rf"{DECLARED} y = {below} {ELEMENT}").check()
    assert faults != []
    assert not any("both letters" in fault.hint for fault in faults)


def test_nor_has_a_letter_that_indexes_nothing() -> None:
    (fault,) = read(
        r"$$X \in \mathbb{R}^{\text{k}:n} \\ y = \sum_{i < m} X_{\text{k}(i)}$$"
    ).check()
    assert fault.hint == r"declare it, m \in \mathbb{R}^{\text{ax}}, or say what it is: m = ..."
