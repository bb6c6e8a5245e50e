"""Indices, element definitions and operators over an index, against loops over the definitions."""

import math

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.latex.evaluation import by_elements
from namedtensor.latex.evaluation.indices import (
    Position,
    counted_from_zero,
    is_whole,
    one_based,
    plain,
    position,
    zero_based,
)
from namedtensor.primitives.node import describe
from tests.latex.evaluating import element, evaluator, leaf, numbers, parsed, random, value

X = random("seq[5] emb[3]")
x = X.numpy("seq", "emb")
A = random("row[4] col[4]", 1)
a = A.numpy("row", "col")


def tree(found):
    return describe(found.node, 20)


# ---------------------------------------------------------------------------------------- indices


def test_numbers_count_from_one_and_from_the_end():
    for text, expected in {
        r"X_{\text{seq}:1}": x[0],
        r"X_{\text{seq}:5}": x[4],
        r"X_{\text{seq}:-1}": x[-1],
        r"X_{\text{seq}:n}": x[4],
        r"X_{\text{seq}:n-1}": x[3],
    }.items():
        np.testing.assert_array_equal(value(text, X=X, n=5).numpy(), expected)


def test_a_size_is_an_index_inside_a_formula():
    (seq, emb) = axes("seq emb")

    @formula
    def last(X: R[seq, emb]) -> R[emb]:
        return value(r"X_{\text{seq}:n}", X=X, n=X.size(seq))

    np.testing.assert_array_equal(last(X).numpy(), x[4])


def test_several_axes_are_indexed_at_once():
    assert value(r"X_{\text{seq}:2, \text{emb}:3}", X=X).item() == x[1, 2]
    assert value(r"X_{\name{seq}(2), \name{emb}(3)}", X=X).item() == x[1, 2]


def test_indices_in_data_count_from_zero_as_they_are():
    I = nt.tensor(np.array([4, 0]), "batch")
    np.testing.assert_array_equal(
        value(r"X_{\text{seq}(I)}", X=X, I=I).numpy("batch", "emb"), x[[4, 0]]
    )


def test_a_number_in_data_counts_from_zero_as_tensors_do():
    i = counted_from_zero(2)
    assert value("i + 1", i=i).numbers == 3
    np.testing.assert_array_equal(value(r"X_{\text{seq}(i)}", X=X, i=i).numpy(), x[2])
    np.testing.assert_array_equal(value(r"X_{\text{seq}(i + 1)}", X=X, i=i).numpy(), x[3])


def test_indices_of_a_declared_range_are_positions():
    I = nt.tensor(np.array([4, 0]), "batch")
    found = value(r"X_{\text{seq}(I)}", X=X, I=one_based(I))
    np.testing.assert_array_equal(found.numpy("batch", "emb"), x[[4, 0]])
    after = value(r"X_{\text{seq}(I - 1)}", X=X, I=one_based(nt.tensor(np.array([4, 1]), "batch")))
    np.testing.assert_array_equal(after.numpy("batch", "emb"), x[[3, 0]])
    marked = element(
        r"H_{\text{batch}(b), \text{vocab}(k)}",
        r"[I_{\text{batch}(b)} = k]",
        {"vocab": 5},
        I=one_based(I),
    )
    np.testing.assert_array_equal(marked.numpy("batch", "vocab"), np.eye(5)[[4, 0]])


def test_a_tensor_that_is_defined_by_its_indices_counts_from_one():
    S = element(r"S_{\text{seq}(i)}", "6 - i", {"seq": 5})
    np.testing.assert_array_equal(
        value(r"X_{\text{seq}(S)}", X=X, S=S).numpy("seq", "emb"), x[::-1]
    )


def test_tensors_of_two_axes_are_picked_together():
    I, J = nt.tensor(np.array([4, 0]), "batch"), nt.tensor(np.array([1, 2]), "batch")
    found = value(r"X_{\text{seq}(I), \text{emb}(J)}", X=X, I=I, J=J)
    np.testing.assert_array_equal(found.numpy(), x[[4, 0], [1, 2]])


def test_renaming_follows_indexing():
    found = value(r"[A_{\name{row}(2)}]_{\name{col} \rightarrow \name{row}}", A=A)
    np.testing.assert_array_equal(found.numpy("row"), a[1])


def test_merging_and_splitting():
    merged = value(r"X_{(\name{seq}, \name{emb}) \rightarrow \name{all}}", X=X)
    np.testing.assert_array_equal(merged.numpy(), x.reshape(15))
    back = value(r"X_{\name{all} \rightarrow (\name{seq}[n], \name{emb})}", X=merged, n=5)
    np.testing.assert_array_equal(back.numpy("seq", "emb"), x)
    known = value(
        r"X_{\name{all} \rightarrow (\name{seq}, \name{emb})}", {"seq": 5, "emb": 3}, X=merged
    )
    np.testing.assert_array_equal(known.numpy("seq", "emb"), x)


# ------------------------------------------------------------------------- definitions by elements

ELEMENTS = {
    "a transpose": (r"B_{\name{row}(i), \name{col}(j)}", r"A_{\name{row}(j), \name{col}(i)}", a.T),
    "the identity": (r"B_{\name{row}(i), \name{col}(j)}", r"[i = j]", np.eye(4)),
    "a shift": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"i - j",
        np.subtract.outer(range(4), range(4)),
    ),
    "a product table": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"i \cdot j",
        np.outer(range(1, 5), range(1, 5)),
    ),
    "an index from the other end": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"A_{\name{row}(5 - i), \name{col}(j)}",
        a[::-1],
    ),
    "a body without its indices": (r"B_{\name{row}(i), \name{col}(j)}", r"7", np.full((4, 4), 7)),
    "a band": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"\begin{cases} A_{\name{row}(i), \name{col}(j)} & |i - j| \leq 1 \\ 0 & \text{else} \end{cases}",
        np.where(np.abs(np.subtract.outer(range(4), range(4))) <= 1, a, 0),
    ),
    "a neighbour that is not always there": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"\begin{cases} A_{\name{row}(i), \name{col}(j - 1)} & j > 1 \\ 0 & \text{otherwise} \end{cases}",
        np.pad(a, ((0, 0), (1, 0)))[:, :4],
    ),
    "a neighbour at the other end": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"\begin{cases} A_{\name{row}(i + 1), \name{col}(j)} & i < 4 \\ 0 & \text{otherwise} \end{cases}",
        np.pad(a, ((0, 1), (0, 0)))[1:],
    ),
    "stripes": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"\begin{cases} 1 & i + j \text{ odd} \\ 0 & i + j \text{ even} \end{cases}",
        np.add.outer(range(4), range(4)) % 2,
    ),
    "running sums": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"\sum_{k=1}^{i} A_{\name{row}(k), \name{col}(j)}",
        np.cumsum(a, 0),
    ),
    "a matrix product": (
        r"B_{\name{row}(i), \name{col}(j)}",
        r"\sum_k A_{\name{row}(i), \name{col}(k)} A_{\name{row}(k), \name{col}(j)}",
        a @ a,
    ),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_definition_is_what_its_elements_say(name):
    target, body, expected = ELEMENTS[name]
    found = element(target, body, {"row": 4, "col": 4}, A=A)
    np.testing.assert_allclose(found.numpy("row", "col"), expected)


@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_definition_runs_inside_a_formula(name):
    target, body, expected = ELEMENTS[name]
    row, col = axes("row col")

    @formula
    def define(A: R[row, col]) -> R[row, col]:
        sizes = {"row": A.size(row), "col": A.size(col)}
        found = element(target, body, sizes, A=A)
        return found + 0 * A

    np.testing.assert_allclose(define(A).numpy("row", "col"), expected)


def test_no_bound_index_is_left_in_a_tree():
    B = leaf("A", "row[4] col[4]")
    for target, body, _ in ELEMENTS.values():
        assert "\N{HYPHENATION POINT}" not in tree(element(target, body, {"row": 4, "col": 4}, A=B))


def test_the_trees_of_definitions_by_elements_are_those_that_python_writes():
    B = leaf("B", "seq[5] key")
    for target, body, expected in (
        (r"C_{\name{seq}(i)}", r"B_{\name{seq}(i)}", "B"),
        (r"C_{\name{seq}'(i)}", r"B_{\name{seq}(i)}", "B[seq >> seq']"),
        (r"C_{\name{seq}(i)}", r"B_{\name{seq}(i), \name{key}(2)}", "B[key(1)]"),
        (r"C_{\name{t}(i)}", r"B_{\name{seq}(i + 2)}", "B[seq[2:5]][seq >> t]"),
        (
            r"C_{\name{a}(i), \name{b}(j)}",
            r"B_{\name{seq}(i)} \ndot{\name{key}} B_{\name{seq}(j)}",
            "dot[key](B[seq >> a], B[seq >> b])",
        ),
        (r"C_{\name{a}(i)}", r"\sum_j B_{\name{seq}(j), \name{key}(i)}", "sum[seq](B[key >> a])"),
    ):
        size = {"t": 3}
        assert tree(element(target, body, size, B=B)) == expected


def test_an_open_axis_takes_the_size_of_what_it_meets():
    M = element(r"M_{\name{seq}(i)}", "i")
    assert M.node.type.size("seq") is None
    np.testing.assert_array_equal((M * nt.ones("seq[3]")).numpy(), [1, 2, 3])


def test_a_condition_beside_a_definition_leaves_the_rest_undefined():
    e = evaluator(X=X)
    found = by_elements.element(
        e,
        parsed(r"Y_{\name{seq}(i)}"),
        parsed(r"X_{\name{seq}(i - 1), \name{emb}(1)}"),
        {"seq": 5},
        parsed("i > 1"),
    )
    np.testing.assert_array_equal(found.numpy(), [math.nan, *x[:4, 0]])


def test_a_window_is_unrolled_where_its_sizes_fit():
    B = leaf("X", "seq")
    sizes = {"kernel": 3}
    found = element(
        r"U_{\name{seq}(i), \name{kernel}(j)}", r"X_{\name{seq}(i + j - 1)}", sizes, X=B
    )
    assert tree(found) == "unroll[seq, kernel](X, 3)"
    turned = element(
        r"U_{\name{seq}(i), \name{kernel}(j)}", r"X_{\name{seq}(j + i - 1)}", sizes, X=B
    )
    assert turned.node is found.node
    other = element(
        r"U_{\name{seq}(i), \name{kernel}(j)}",
        r"X_{\name{seq}(i + j - 1), \name{emb}(1)}",
        {"seq": 2, "kernel": 3},
        X=X,
    )
    np.testing.assert_array_equal(other.numpy("seq", "kernel"), [x[0:3, 0], x[1:4, 0]])


def test_the_axis_of_the_same_name_is_the_long_one():
    B, W = leaf("X", "seq"), leaf("W", "kernel")
    sizes = {"kernel": W.size("kernel"), "seq": B.size("seq") - W.size("kernel") + 1}
    found = element(
        r"U_{\name{seq}(i), \name{kernel}(j)}", r"X_{\name{seq}(i + j - 1)}", sizes, X=B
    )
    assert tree(found) == "unroll[seq, kernel](X, kernel)"


def test_windows_side_by_side_are_a_pool():
    B = leaf("X", "h w")
    target = r"U_{\name{h}(i), \name{w}(j), \name{kh}(a), \name{kw}(b)}"
    body = r"X_{\name{h}(2 (i - 1) + a), \name{w}((j - 1) \cdot 3 + b)}"
    found = element(target, body, {"kh": 2, "kw": 3}, X=B)
    assert tree(found) == "pool[w, kw](pool[h, kh](X, 2), 3)"
    Y = random("h[4] w[6]")
    same = element(target, body, {"h": 2, "w": 2, "kh": 2, "kw": 3}, X=Y)
    theirs = Y.numpy("h", "w").reshape(2, 2, 2, 3).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(same.numpy("h", "w", "kh", "kw"), theirs)


def test_windows_that_leave_a_rest_are_picked():
    found = element(
        r"U_{\name{seq}(i), \name{k}(j)}",
        r"X_{\name{seq}(2 (i - 1) + j), \name{emb}(1)}",
        {"seq": 2, "k": 2},
        X=X,
    )
    np.testing.assert_array_equal(found.numpy("seq", "k"), x[:4, 0].reshape(2, 2))


def test_a_convolution_written_by_indices_reaches_the_kernel():
    chans, seq, out, kernel = axes("chans seq out kernel")

    @formula
    def conv(X: R[chans, seq], W: R[out, chans, kernel]) -> R[out, seq]:
        body = r"\sum_j \sum_c W_{\name{kernel}(j), \name{chans}(c)} X_{\name{seq}(i+j-1), \name{chans}(c)}"
        return element(r"Y_{\name{seq}(i)}", body, X=X, W=W)

    B = nt.normal("batch[2] chans[3] seq[7]", backend="torch")
    W = nt.normal("out[2] chans[3] kernel[3]", backend="torch")
    assert "conv1d" in conv.code(B, W)
    b, w = B.numpy("batch", "chans", "seq"), W.numpy("out", "chans", "kernel")
    theirs = np.stack([np.einsum("bck,ock->bo", b[..., i : i + 3], w) for i in range(5)], -1)
    np.testing.assert_allclose(conv(B, W).numpy("batch", "out", "seq"), theirs, atol=1e-5)


def test_updates_write_at_numbers_at_data_and_along_axes():
    e = evaluator(X=X, I=nt.tensor(np.array([0, 2]), "k"))
    for target, body, change in (
        (r"X_{\name{seq}(2)}", "0", lambda y: y.__setitem__(1, 0)),
        (r"X_{\name{seq}(2), \name{emb}(1)}", "9", lambda y: y.__setitem__((1, 0), 9)),
        (r"X_{\name{emb}(I)}", "9", lambda y: y.__setitem__((slice(None), [0, 2]), 9)),
        (
            r"X_{\name{seq}(i), \name{emb}(2)}",
            "i",
            lambda y: y.__setitem__((slice(None), 1), range(1, 6)),
        ),
        (r"X_{\name{seq}(i)}", "i", lambda y: y.__setitem__(slice(None), np.arange(1, 6)[:, None])),
    ):
        expected = x.copy()
        change(expected)
        found = by_elements.update(e, X, parsed(target), parsed(body))
        np.testing.assert_array_equal(found.numpy("seq", "emb"), expected)


def test_a_matrix_of_cells_stands_along_two_axes():
    found = value(r"\nmatrix{\name{row}}{\name{col}}{1 & 2 & 3 \\ 4 & k & 6}", k=5)
    np.testing.assert_array_equal(found.numpy("row", "col"), [[1, 2, 3], [4, 5, 6]])


# ---------------------------------------------------------------------------- over an index

OVER = {
    r"\sum_{i=1}^{5} X_{\name{seq}(i)}": x.sum(0),
    r"\sum_{i} X_{\name{seq}(i)}": x.sum(0),
    r"\sum_{i=1}^{n} X_{\name{seq}(i)}": x.sum(0),
    r"\sum_{i=2}^{4} X_{\name{seq}(i)}": x[1:4].sum(0),
    r"\sum_{i=1}^{4} X_{\name{seq}(i+1)}": x[1:].sum(0),
    r"\sum_{i=1}^{2} X_{\name{seq}(2i)}": x[[1, 3]].sum(0),
    r"\sum_{i \in [3]} X_{\name{seq}(i)}": x[:3].sum(0),
    r"\sum_{i \in \{2, \ldots, 4\}} X_{\name{seq}(i)}": x[1:4].sum(0),
    r"\sum_{1 \leq i \leq 3} X_{\name{seq}(i)}": x[:3].sum(0),
    r"\sum_{i \neq 2} X_{\name{seq}(i)}": x[[0, 2, 3, 4]].sum(0),
    r"\sum_{i < 3} X_{\name{seq}(i)}": x[:2].sum(0),
    r"\prod_{i} X_{\name{seq}(i)}": x.prod(0),
    r"\max_{i} X_{\name{seq}(i)}": x.max(0),
    r"\max_{i > 2} X_{\name{seq}(i)}": x[2:].max(0),
    r"\min_{2 \leq i \leq 3} X_{\name{seq}(i)}": x[1:3].min(0),
    r"\sum_{i=1}^{3} X_{\name{emb}(1), \name{seq}(i)} X_{\name{seq}(i)}": x[:3, 0] @ x[:3],
    r"\sum_{i=1}^{5} i X_{\name{seq}(i)}": np.arange(1, 6) @ x,
    r"\sum_{i=1}^{5} \sum_{j=1}^{i} X_{\name{seq}(j)}": np.cumsum(x, 0).sum(0),
    r"\sum_{i=1}^{5} \sum_{j=i}^{5} X_{\name{seq}(j)}": np.arange(1, 6) @ x,
    r"\sum_{i=1}^{4} X_{\name{emb}(1), \name{seq}(1)}": 4 * x[0, 0],
    r"\prod_{i=1}^{3} 2": 8,
    r"\max_{i} 2": 2,
    r"\sum_{i=1}^{4} i^2": 30,
}


@pytest.mark.parametrize("text", OVER)
def test_operators_over_an_index_are_what_loops_compute(text):
    np.testing.assert_allclose(
        numbers(value(text, X=X, n=5), *([] if np.ndim(OVER[text]) == 0 else ["emb"])), OVER[text]
    )


def test_two_indices_at_once():
    found = value(r"\sum_{i,j} A_{\name{row}(i), \name{col}(j)}", A=A)
    np.testing.assert_allclose(found.item(), a.sum())


def test_the_place_of_an_extreme_is_a_position():
    v = random("seq[5]", 3)
    best = value(r"\arg\max_{i} v_{\name{seq}(i)}", v=v)
    assert isinstance(best, Position)
    assert plain(best).item() == v.numpy().argmax() + 1
    assert (
        value(r"X_{\name{seq}(b)}", X=X, b=best).numpy().tolist() == x[v.numpy().argmax()].tolist()
    )


def test_sums_over_whole_axes_are_sums_over_them():
    B = leaf("B", "seq emb")
    assert tree(value(r"\sum_i B_{\name{seq}(i)}", B=B)) == "sum[seq](B)"
    assert (
        tree(value(r"\sum_i B_{\name{seq}(i)} B_{\name{seq}(i), \name{emb}(1)}", B=B))
        == "dot[seq](B, B[emb(0)])"
    )


# -------------------------------------------------------------------------------------- positions


def test_positions_are_sums_that_know_their_parts():
    I = nt.tensor(np.array([2, 3]), "k")
    p = one_based(I).plus(one_based(I)).plus(position(4), -1)
    assert [n for _, n in p.terms] == [2]
    assert p.constant == -2
    np.testing.assert_array_equal(p.numbers.numpy(), [2, 4])
    np.testing.assert_array_equal(plain(one_based(I).plus(one_based(I), -2)).numpy(), [-3, -4])
    assert plain(position(3)) == 3
    assert plain(one_based(I).plus(one_based(I), -1)) == 0
    assert is_whole(p)
    assert is_whole(I)
    assert not is_whole(2.5)
    assert not is_whole(True)


def test_going_to_zero_undoes_adding_one():
    i = element(r"S_{\name{k}(i)}", "i", {"k": 3})
    assert tree(zero_based(i)) == "iota(k[3])"
    assert tree(zero_based(i + 2)) == "((iota(k[3]) + 1) + 2) - 1"
    assert zero_based(3) == 2
    assert zero_based(-1) == -1
    data = nt.tensor(np.array([2]), "k")
    assert zero_based(data) is data
