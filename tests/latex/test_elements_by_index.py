"""Elements beside the one that an index names: what a condition keeps out of the axis is no element."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

HEAD = r"Let $t, x \in \mathbb{R}^{\text{s}:N}$. "
T = np.array([1.0, 4.0, 9.0, 16.0])
GIVEN = {"t": nt.tensor(T, "s"), "x": nt.tensor(T, "s")}
NEXT, HERE, BEFORE = r"t_{\text{s}(i+1)}", r"t_{\text{s}(i)}", r"t_{\text{s}(i-1)}"


def chosen(first: str, condition: str, rest: str) -> str:
    cases = rf"\begin{{cases}} {first} & {condition} \\ {rest} & \text{{otherwise}} \end{{cases}}"
    return HEAD + rf"$$d_{{\text{{s}}(i)}} = {cases}$$"


@pytest.mark.parametrize(
    ("body", "wanted"), [(NEXT, [4, 9, 16, 10]), (f"{NEXT} - {HERE}", [3, 5, 7, 10])]
)
@pytest.mark.parametrize("condition", ["i < N", r"i \le N-1", r"i < |\text{s}|"])
def test_what_a_condition_leaves_out_keeps_its_element(body, wanted, condition):
    same(called(chosen(body, condition, "10"), "d", GIVEN), wanted, "s")


@pytest.mark.parametrize("condition", ["i = N", r"i \ge N"])
def test_the_last_element_may_be_said_first(condition):
    same(called(chosen("10", condition, NEXT), "d", GIVEN), [4, 9, 16, 10], "s")


def test_the_element_before_is_read_likewise():
    same(called(chosen(BEFORE, "i > 1", "10"), "d", GIVEN), [10, 1, 4, 9], "s")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"[i < N] x_{\text{s}(i+1)}", [4, 9, 16, 0]),
        (r"2 [i < N] x_{\text{s}(i+1)}", [8, 18, 32, 0]),
        (r"\mathbf{1}_{i < N} x_{\text{s}(i+1)} + x_{\text{s}(i)}", [5, 13, 25, 16]),
        (r"\mathbf{1}[i < N] \cdot x_{\text{s}(i+1)}", [4, 9, 16, 0]),
        (r"x_{\text{s}(i-1)} [i > 1]", [0, 1, 4, 9]),
        (r"x_{\text{s}(i-1)} \odot \mathbb{1}_{i \ne 1}", [0, 1, 4, 9]),
    ],
)
def test_a_bracket_leaves_out_what_lies_beyond(body, wanted):
    text = HEAD + rf"$$y_{{\text{{s}}(i)}} = {body}$$"
    same(called(text, "y", GIVEN), wanted, "s")


def test_two_conditions_count_together():
    rows = rf"{BEFORE} + {NEXT} & 1 < i < N \\ {HERE} & i = 1 \\ 10 & i = N"
    text = HEAD + rf"$$d_{{\text{{s}}(i)}} = \begin{{cases}} {rows} \end{{cases}}$$"
    same(called(text, "d", GIVEN), [1, 10, 20, 10], "s")


def test_two_indices_keep_each_other_inside():
    head = r"Let $A \in \mathbb{R}^{\text{s}:N \times \text{s}':N}$. "
    rows = r"A_{\text{s}(i+1), \text{s}'(j-1)} & i < j \\ 0 & \text{otherwise}"
    text = head + r"$$B_{\text{s}(i), \text{s}'(j)} = \begin{cases} " + rows + r" \end{cases}$$"
    A = np.arange(9.0).reshape(3, 3)
    found = called(text, "B", {"A": nt.tensor(A, "s", "s'")})
    same(found, [[0, 3, 4], [0, 0, 7], [0, 0, 0]], "s", "s'")


def test_what_a_condition_of_data_says_is_not_followed():
    text = chosen(BEFORE, rf"{HERE} > 3", "10")
    same(called(text, "d", GIVEN), [10, 1, 4, 9], "s")


@pytest.mark.parametrize(
    "text",
    [
        chosen(NEXT, "i > 1", "10"),
        chosen(NEXT, "i = N", "10"),
        chosen(BEFORE, "i < N", "10"),
        chosen(BEFORE, r"i \ne 2", "10"),
        chosen("10", "i = 1", NEXT),
        chosen(r"t_{\text{s}(i+2)}", "i < N", "10"),
        HEAD + r"$$d_{\text{s}(i)} = [i > 1] x_{\text{s}(i+1)}$$",
    ],
)
def test_a_condition_that_lets_an_index_outside_is_refused(text):
    (finding,) = read(text).check()
    assert "lies outside axis s of " in str(finding)
    with pytest.raises(LatexError, match="lies outside axis s"):
        read(text)["d"](**{p: GIVEN[p] for p in "tx" if rf"{p}_" in text})


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"(1 + (x_{\text{s}(i)} - t_{\text{s}(j)})^2)^{-1}", 1 / (1 + (T[:, None] - T) ** 2)),
        (r"(x_{\text{s}(i)} t_{\text{s}(j)})^{-1}", 1 / (T[:, None] * T)),
    ],
)
def test_an_element_to_the_power_of_minus_one_is_no_inverse_of_a_matrix(body, wanted):
    same(
        called(HEAD + rf"$$W_{{\text{{s}}(i), \text{{s}}'(j)}} = {body}$$", "W", GIVEN),
        wanted,
        "s",
        "s'",
    )


def test_a_matrix_that_an_index_chooses_still_has_an_inverse():
    text = (
        r"$$ B \in \mathbb{R}^{\text{s} \times \text{r} \times \text{r}'} \\"
        r" V_{\text{s}(i)} = B_{\text{s}(i)}^{-1} $$"
    )
    B = np.random.default_rng(0).normal(size=(3, 2, 2))
    found = read(text)["V"](nt.tensor(B, "s r r'"))
    np.testing.assert_allclose(found.numpy("s r r'"), np.linalg.inv(B))
