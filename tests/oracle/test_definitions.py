"""The oracle's definitions against numbers worked out by hand and against plain numpy."""

import math

import numpy as np
import pytest

from namedtensor.testing import definitions as D
from namedtensor.testing import record
from namedtensor.testing.elementwise import UNARY
from tests.oracle.tensors import array, drawn, numpy, of

NAN, INF = math.nan, math.inf

# 3 4      the sum by hand, wherever the test says nothing else
# 1 2
A = of([[3, 4], [1, 2]], "row col")


# --------------------------------------------------------------------------------- elementwise


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("neg", 2, -2),
        ("abs", -2.5, 2.5),
        ("sign", -3.0, -1.0),
        ("sign", 0, 0),
        ("square", 3, 9),
        ("reciprocal", 4, 0.25),
        ("reciprocal", 0.0, INF),
        ("sqrt", 9.0, 3.0),
        ("sqrt", -1.0, NAN),
        ("rsqrt", 4.0, 0.5),
        ("exp", 0, 1.0),
        ("exp", 1000.0, INF),
        ("exp", -INF, 0.0),
        ("log", math.e, 1.0),
        ("log", 0.0, -INF),
        ("log", -1.0, NAN),
        ("log2", 8.0, 3.0),
        ("log10", 0.01, -2.0),
        ("log1p", -1.0, -INF),
        ("floor", -1.5, -2.0),
        ("ceil", -1.5, -1.0),
        ("trunc", -1.5, -1.0),
        ("round", 0.5, 0.0),
        ("round", 1.5, 2.0),
        ("round", 7, 7),
        ("sigmoid", 0.0, 0.5),
        ("relu", -1.0, 0.0),
        ("relu", 1.0, 1.0),
        ("gelu", 0.0, 0.0),
        ("gelu", 1.0, 0.8413447460685429),  # the normal distribution's P(Z <= 1)
        ("silu", 0.0, 0.0),
        ("softplus", 0.0, math.log(2)),
        ("elu", -INF, -1.0),
        ("elu", 2.0, 2.0),
        ("exp2", 3.0, 8.0),
        ("cbrt", -8.0, -2.0),
        ("logit", 0.5, 0.0),
        ("sinc", 0.0, 1.0),
        ("erfc", 0.0, 1.0),
        ("erfinv", 0.5204998778130465, 0.5),
        ("lgamma", 5.0, math.log(24)),
        ("digamma", 1.0, -0.5772156649015329),
        ("selu", 1.0, 1.0507009873554805),
        ("selu", -INF, -1.7580993408473766),
        ("logsigmoid", 0.0, -math.log(2)),
        ("mish", 0.0, 0.0),
        ("softsign", -1.0, -0.5),
        ("relu6", 7, 6),
        ("hardtanh", -7.0, -1.0),
        ("hardsigmoid", 0.0, 0.5),
        ("hardswish", 3.0, 3.0),
        ("real", 2 + 3j, 2.0),
        ("imag", 2 + 3j, 3.0),
        ("conj", 2 + 3j, 2 - 3j),
        ("angle", 1j, math.pi / 2),
        ("isnan", NAN, True),
        ("isinf", -INF, True),
        ("isfinite", INF, False),
        ("logical_not", True, False),
    ],
)
def test_a_function_of_one_number(name, x, expected):
    found = D[name](x)[record()]
    assert found == pytest.approx(expected, nan_ok=True)
    assert type(found) is type(expected)


@pytest.mark.parametrize("name", sorted(set(UNARY) & set(dir(np))))
def test_a_function_that_numpy_has_too(name):
    for x in (0.25, 0.75) if name != "acosh" else (1.25, 3.0):
        assert D[name](x)[record()] == pytest.approx(float(getattr(np, name)(x)))


@pytest.mark.parametrize(
    ("name", "x", "y", "expected"),
    [
        ("add", 1, 2.5, 3.5),
        ("sub", 1, 2, -1),
        ("mul", 3, 4, 12),
        ("div", 1, 4, 0.25),
        ("div", 1.0, 0.0, INF),
        ("div", -1.0, 0.0, -INF),
        ("div", 0.0, 0.0, NAN),
        ("floordiv", -7, 2, -4),  # towards minus infinity
        ("mod", -7, 2, 1),  # and so the remainder has the divisor's sign
        ("pow", 2.0, -1.0, 0.5),
        ("pow", -8.0, 0.5, NAN),
        ("pow", 0.0, -1.0, INF),
        ("maximum", 1, 2, 2),
        ("maximum", 1.0, NAN, NAN),
        ("minimum", 1, 2, 1),
        ("logaddexp", 0.0, 0.0, math.log(2)),
        ("atan2", 1.0, -1.0, 3 * math.pi / 4),
        ("hypot", 3.0, 4.0, 5.0),
        ("copysign", 3.0, -0.0, -3.0),
        ("heaviside", 0.0, 0.5, 0.5),
        ("leaky_relu", -2.0, 0.5, -1.0),
        ("isclose", 1.0, 1.0 + 1e-9, True),
        ("isclose", 1.0, INF, False),
        ("eq", 1, 1.0, True),
        ("ne", NAN, NAN, True),
        ("lt", 1, 1, False),
        ("le", 1, 1, True),
        ("gt", 2, 1, True),
        ("ge", 0, 1, False),
        ("logical_and", True, False, False),
        ("logical_or", True, False, True),
        ("logical_xor", True, True, False),
    ],
)
def test_a_function_of_two_numbers(name, x, y, expected):
    assert D[name](x, y)[record()] == pytest.approx(expected, nan_ok=True)


def test_where_and_clip():
    assert array(D["where"](of([True, False], "a"), of([1, 2], "a"), 0), "a") == [1, 0]
    assert array(D["clip"](of([-2.0, 0.5, 9.0], "a"), low=0.0, high=1.0), "a") == [0.0, 0.5, 1.0]
    assert array(D["clip"](of([-2.0, 9.0], "a"), high=1.0), "a") == [-2.0, 1.0]


def test_elementwise_functions_broadcast_by_name():
    x = of([10, 20], "col")
    assert array(D["add"](A, x), "row col") == [[13, 24], [11, 22]]
    assert array(D["mul"](of([1, 2], "a"), of([3, 4], "b")), "a b") == [[3, 4], [6, 8]]


# ---------------------------------------------------------------------------------- reductions


@pytest.mark.parametrize(
    ("name", "over_row", "over_both"),
    [
        ("sum", [4, 6], 10),
        ("prod", [3, 8], 24),
        ("max", [3, 4], 4),
        ("min", [1, 2], 1),
        ("mean", [2.0, 3.0], 2.5),
        ("var", [1.0, 1.0], 1.25),  # (0.25 + 2.25 + 2.25 + 0.25) / 4
        ("std", [1.0, 1.0], math.sqrt(1.25)),
        ("norm", [math.sqrt(10), math.sqrt(20)], math.sqrt(30)),
        ("logsumexp", [math.log(math.e**3 + math.e), 4 + math.log(1 + math.e**-2)], None),
        ("argmax_index", [0, 0], None),
        ("argmin_index", [1, 1], None),
    ],
)
def test_a_reduction_uses_up_its_axes(name, over_row, over_both):
    assert array(D[name](A, ["row"]), "col") == pytest.approx(over_row)
    if over_both is not None:
        assert D[name](A, ["row", "col"])[record()] == pytest.approx(over_both)


def test_reductions_of_what_is_a_number():
    X = of([3.0, NAN, 1.0], "a")
    assert D["nansum"](X, ["a"])[record()] == 4.0
    assert D["nanmean"](X, ["a"])[record()] == 2.0


def test_quantiles_lie_between_neighbours_in_order():
    X = of([3.0, 1.0, 2.0, 4.0], "a")
    assert D["median"](X, ["a"])[record()] == 2.5
    assert [D["quantile"](X, ["a"], q=q)[record()] for q in (0.0, 0.1, 1.0)] == [1.0, 1.3, 4.0]


def test_running_extremes_and_running_sums_of_exponentials():
    X = of([1.0, 3.0, 2.0], "a")
    assert array(D["cummax"](X, ["a"]), "a") == [1.0, 3.0, 3.0]
    assert array(D["cummin"](X, ["a"]), "a") == [1.0, 1.0, 1.0]
    assert array(D["logcumsumexp"](of([0.0, 0.0], "a"), ["a"]), "a") == [0.0, math.log(2)]


def test_reductions_of_truth_values():
    X = of([[True, False], [True, True]], "a b")
    assert array(D["any"](X, ["a"]), "b") == [True, True]
    assert array(D["all"](X, ["a"]), "b") == [True, False]
    assert array(D["count"](X, ["a"]), "b") == [2, 1]


def test_the_first_of_equals_is_the_greatest():
    assert D["argmax_index"](of([1, 5, 5], "a"), ["a"])[record()] == 1
    assert array(D["argmax"](of([1, 5, 5], "a"), ["a"]), "a") == [0, 1, 0]
    assert array(D["argmin"](of([3, 1, 1], "a"), ["a"]), "a") == [0, 1, 0]


def test_reductions_of_nothing():
    nothing = of(np.zeros((0, 2)), "a b")
    assert array(D["sum"](nothing, ["a"]), "b") == [0, 0]
    assert array(D["prod"](nothing, ["a"]), "b") == [1, 1]
    assert array(D["logsumexp"](nothing, ["a"]), "b") == [-INF, -INF]
    assert np.isnan(numpy(D["mean"](nothing, ["a"]), "b")).all()
    with pytest.raises(ValueError):
        D["max"](nothing, ["a"])


# ------------------------------------------------------------------------------------- vectors


def test_softmax_is_a_distribution_over_its_axes():
    X = drawn("a b", 3, 4)
    x = numpy(X, "a b")
    over_a = np.exp(x) / np.exp(x).sum(axis=0)
    over_both = np.exp(x) / np.exp(x).sum()
    assert np.allclose(numpy(D["softmax"](X, ["a"]), "a b"), over_a)
    assert np.allclose(numpy(D["softmax"](X, ["a", "b"]), "a b"), over_both)
    assert np.allclose(numpy(D["log_softmax"](X, ["a"]), "a b"), np.log(over_a))


def test_softmax_of_two_equal_numbers_is_a_half():
    assert array(D["softmax"](of([7.0, 7.0, -INF], "a"), ["a"]), "a") == [0.5, 0.5, 0.0]


def test_standardize_gives_mean_0_and_variance_1():
    # 1 and 3: mean 2, variance 1
    assert array(D["standardize"](of([1.0, 3.0], "a"), ["a"]), "a") == [-1.0, 1.0]
    found = array(D["standardize"](of([1.0, 3.0], "a"), ["a"], eps=3.0), "a")
    assert found == [-0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("cumsum", {}, [3, 4, 8, 9]),
        ("cumprod", {}, [3, 3, 12, 12]),
        ("flip", {}, [1, 4, 1, 3]),
        ("roll", {"shift": 1}, [1, 3, 1, 4]),
        ("roll", {"shift": -1}, [1, 4, 1, 3]),
        ("sort", {}, [1, 1, 3, 4]),
        ("sort", {"descending": True}, [4, 3, 1, 1]),
        ("argsort", {}, [1, 3, 0, 2]),
        ("argsort", {"descending": True}, [2, 0, 1, 3]),
    ],
)
def test_a_function_of_a_vector(name, settings, expected):
    assert array(D[name](of([3, 1, 4, 1], "a"), ["a"], **settings), "a") == expected


# --------------------------------------------------------------------------------- contraction


def test_contraction_multiplies_and_sums():
    x = of([10, 1], "row")
    # 3*10 + 1*1 and 4*10 + 2*1
    assert array(D["dot"](A, x, axes=["row"]), "col") == [31, 42]
    assert D["dot"](A, A, axes=["row", "col"])[record()] == 30
    assert array(D["dot"](of([1, 2], "a"), of([3, 4], "b"), axes=[]), "a b") == [[3, 4], [6, 8]]


def test_contraction_of_three_operands_is_numpy_s_einsum():
    X, Y, Z = drawn("a b", 2, 3), drawn("b c", 3, 4, seed=1), drawn("b d", 3, 2, seed=2)
    found = numpy(D["dot"](X, Y, Z, axes=["b"]), "a c d")
    expected = np.einsum("ab,bc,bd->acd", numpy(X, "a b"), numpy(Y, "b c"), numpy(Z, "b d"))
    assert np.allclose(found, expected)


def test_an_axis_that_one_operand_has_is_not_contracted():
    with pytest.raises(ValueError) as caught:
        D["dot"](A, of([1], "a"), axes=["row"])
    assert str(caught.value) == "axis row is contracted, and fewer than two operands have it"


# ------------------------------------------------------------------------ renaming and indexing


def test_renaming_is_at_once():
    assert D["rename"](A, {"row": "col", "col": "row"}) == of([[3, 4], [1, 2]], "col row")
    with pytest.raises(ValueError) as caught:
        D["rename"](A, {"row": "col"})
    assert str(caught.value) == "two axes would get the same name"


def test_the_last_of_merged_axes_runs_fastest():
    assert array(D["merge"](A, ["row", "col"], "a"), "a") == [3, 4, 1, 2]
    assert array(D["merge"](A, ["col", "row"], "a"), "a") == [3, 1, 4, 2]


def test_splitting_undoes_merging():
    X = drawn("a b c", 2, 3, 2)
    merged = D["merge"](X, ["c", "a"], "d")
    assert merged.shape == {"b": 3, "d": 4}
    assert D["split_axis"](merged, "d", {"c": 2, "a": 2}) == X


def test_an_index_may_count_from_the_end():
    assert array(D["at"](A, "row", 0), "col") == [3, 4]
    assert array(D["at"](A, "row", -1), "col") == [1, 2]
    with pytest.raises(ValueError) as caught:
        D["at"](A, "row", 2)
    assert str(caught.value) == "index 2 is outside an axis of 2"


@pytest.mark.parametrize(
    "chosen", [slice(1, 3), slice(None, None, -1), slice(-2, None), slice(4, 1), slice(0, 9, 2)]
)
def test_a_range_is_python_s(chosen):
    xs = [5, 6, 7, 8]
    assert array(D["slice"](of(xs, "a"), "a", chosen), "a") == xs[chosen]


def test_indexing_by_a_tensor_gives_that_tensor_s_axes():
    E = of([[1, 2], [3, 4], [5, 6]], "vocab emb")
    ids = of([2, 0], "seq")
    assert array(D["index"](E, vocab=ids), "seq emb") == [[5, 6], [1, 2]]
    # where both have an axis, they meet on it: E[vocab(2), emb(0)], E[vocab(1), emb(1)]
    assert array(D["index"](E, vocab=of([2, 1], "emb")), "emb") == [5, 4]
    # the axis indexed may be the tensor's own: numpy's take_along_axis
    along = of([[0, 2], [1, 1], [2, 0]], "vocab emb")
    assert array(D["index"](E, vocab=along), "vocab emb") == [[1, 6], [3, 4], [5, 2]]


def test_indexing_two_axes_by_tensors_meets_on_their_shared_axis():
    found = D["index"](A, row=of([1, 0], "k"), col=of([0, 0], "k"))
    assert array(found, "k") == [1, 3]


def test_a_place_may_mix_indices_ranges_and_tensors():
    X = of(np.arange(24).reshape(2, 3, 4), "a b c")
    found = D["get"](X, {"a": 1, "b": slice(1, 3), "c": of([3, 0], "k")})
    assert array(found, "b k") == np.arange(24).reshape(2, 3, 4)[1, 1:3][:, [3, 0]].tolist()


def test_an_update_changes_its_place_and_nothing_else():
    X = of([[0, 0, 0], [0, 0, 0]], "a b")
    assert array(D["set_at"](X, of([7, 8], "a"), {"b": 1}), "a b") == [[0, 7, 0], [0, 8, 0]]
    assert array(D["set_at"](X, of(5, ""), {"a": 1, "b": slice(0, 2)}), "a b") == [
        [0, 0, 0],
        [5, 5, 0],
    ]


def test_an_update_by_a_tensor_adds_up_what_meets_at_one_index():
    X = of([0, 0, 0], "a")
    found = D["add_at"](X, of([1, 10, 100], "k"), {"a": of([0, 2, 0], "k")})
    assert array(found, "a") == [101, 0, 10]


def test_an_update_lifts_over_what_only_the_value_has():
    X = of([0, 0], "a")
    assert array(D["set_at"](X, of([7, 8], "k"), {"a": 0}), "k a") == [[7, 0], [8, 0]]


def test_an_update_refuses_a_value_with_an_axis_that_the_place_uses_up():
    with pytest.raises(ValueError) as caught:
        D["set_at"](of([0, 0], "a"), of([7, 8], "a"), {"a": 0})
    assert str(caught.value) == "Y has an axis that the place uses up"


def test_one_hot_marks_the_index():
    assert array(D["one_hot"](of([2, 0], "seq"), "vocab", 3), "seq vocab") == [[0, 0, 1], [1, 0, 0]]


# ---------------------------------------------------------------------- windows, order, joining


def test_unroll_gives_every_window():
    X = of([1, 2, 3, 4], "seq")
    found = D["unroll"](X, "seq", "kernel", 3)
    assert array(found, "seq kernel") == [[1, 2, 3], [2, 3, 4]]
    found = D["unroll"](X, "seq", "kernel", 2, stride=2)
    assert array(found, "seq kernel") == [[1, 2], [3, 4]]


def test_pool_cuts_into_adjoining_windows():
    X = of([1, 2, 3, 4], "seq")
    assert array(D["pool"](X, "seq", "kernel", 2), "seq kernel") == [[1, 2], [3, 4]]
    with pytest.raises(ValueError) as caught:
        D["pool"](X, "seq", "kernel", 3)
    assert str(caught.value) == "windows of 3 do not fill an axis of 4"


def test_pad_lengthens_at_both_ends():
    assert array(D["pad"](of([1, 2], "a"), "a", 1, 2, value=9), "a") == [9, 1, 2, 9, 9]


def test_the_k_greatest_and_where_they_stand():
    X = of([3, 1, 4, 1], "a")
    assert array(D["maxk"](X, "a", "k", 2), "k") == [4, 3]
    assert array(D["mink"](X, "a", "k", 2), "k") == [1, 1]
    assert array(D["argmaxk_index"](X, "a", "k", 2), "k") == [2, 0]
    assert array(D["argmink_index"](X, "a", "k", 2), "k") == [1, 3]
    assert array(D["argmaxk"](X, "a", "k", 2), "k a") == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert array(D["argmink"](X, "a", "k", 2), "k a") == [[0, 1, 0, 0], [0, 0, 0, 1]]


def test_concat_puts_axes_end_to_end_and_lifts_over_the_others():
    X, Y = of([1, 2], "seq"), of([[3], [4]], "batch seq")
    assert array(D["concat"](X, Y, axis="seq"), "batch seq") == [[1, 2, 3], [1, 2, 4]]


def test_stack_makes_an_axis_and_unstack_takes_it_apart():
    X, Y = of([1, 2], "a"), of([3, 4], "a")
    stacked = D["stack"](X, Y, axis="b")
    assert array(stacked, "b a") == [[1, 2], [3, 4]]
    assert D["unstack"](stacked, "b") == [X, Y]


def test_split_undoes_concat():
    X, Y = of([1, 2], "a"), of([3], "a")
    assert D["split"](D["concat"](X, Y, axis="a"), "a", (2, 1)) == [X, Y]


def test_scan_lists_the_states():
    # h = 2 h + x from 1: 2+1, 6+0, 12+5
    step = lambda h, x: D["add"](D["mul"](2, h), x)
    assert array(D["scan"](step, of(1, ""), of([1, 0, 5], "seq"), "seq"), "seq") == [3, 6, 17]


# ------------------------------------------------------------------------------------ matrices


def test_functions_of_a_matrix_by_hand():
    # det = 3*2 - 4*1;  A^-1 = 1/2 (2 -4 / -1 3)
    assert D["det"](A, "row", "col")[record()] == 2
    assert array(D["inv"](A, "row", "col"), "row col") == [[1.0, -2.0], [-0.5, 1.5]]
    assert D["trace"](A, "row", "col")[record()] == 5
    assert array(D["diag"](A, "row", "col", "a"), "a") == [3, 2]
    # 3x + 4y = 10, x + 2y = 4:  x = 2, y = 1
    assert array(D["solve"](A, of([10, 4], "row"), "row", "col"), "col") == [2.0, 1.0]
    assert array(D["eye"]("a", "b", 2), "a b") == [[1, 0], [0, 1]]


def test_the_determinant_of_no_rows_is_the_empty_product():
    assert D["det"](of(np.zeros((0, 0)), "row col"), "row", "col")[record()] == 1


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_functions_of_a_matrix_are_numpy_s(size):
    X = drawn("row col", size, size, seed=size)
    x = numpy(X, "row col")
    assert D["det"](X, "row", "col")[record()] == pytest.approx(np.linalg.det(x))
    sign_and_log = np.linalg.slogdet(x)
    assert D["slogdet"](X, "row", "col")[record()] == pytest.approx(sign_and_log[1])
    assert np.allclose(numpy(D["inv"](X, "row", "col"), "row col"), np.linalg.inv(x))
    assert np.allclose(numpy(D["pinv"](X, "row", "col"), "row col"), np.linalg.pinv(x))
    positive = x @ x.T + np.eye(size)
    lower = numpy(D["cholesky"](of(positive, "row col"), "row", "col"), "row col")
    assert np.allclose(lower, np.linalg.cholesky(positive))
    values, vectors = np.linalg.eigh(positive)
    exponential = vectors @ np.diag(np.exp(values)) @ vectors.T
    found = numpy(D["matrix_exp"](of(positive, "row col"), "row", "col"), "row col")
    assert np.allclose(found, exponential)


@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_the_pseudo_inverse_of_an_oblong_matrix_is_numpy_s(shape):
    X = drawn("row col", *shape)
    found = numpy(D["pinv"](X, "row", "col"), "row col")
    assert np.allclose(found, np.linalg.pinv(numpy(X, "row col")))


# ------------------------------------------------------------------------ derivatives, creation


def test_the_derivative_has_a_starred_axis_for_each_input_axis():
    # d (x_i^2) / d x_j = 2 x_i where i = j
    found = D["derivative"](D["square"], of([1.0, 3.0], "a"))
    assert found.shape == {"a": 2, "a*": 2}
    assert np.allclose(numpy(found, "a a*"), [[2, 0], [0, 6]])


def test_the_gradient_has_the_axes_of_its_input():
    # d (x y) / dx = y
    X = of([2.0, 5.0], "a")
    assert np.allclose(numpy(D["grad"](lambda V: D["prod"](V, ["a"]), X), "a"), [5, 2])


def test_the_differential_is_the_change_along_a_direction():
    X, direction = of([1.0, 3.0], "a"), of([1.0, -1.0], "a")
    assert np.allclose(numpy(D["differential"](D["square"], X, direction), "a"), [2, -6])


def test_tensors_made_from_a_shape():
    assert array(D["zeros"]({"a": 2}), "a") == [0.0, 0.0]
    assert array(D["ones"]({"a": 2}), "a") == [1.0, 1.0]
    assert array(D["full"]({"a": 1, "b": 2}, 7), "a b") == [[7, 7]]
    assert array(D["iota"]("a", 3), "a") == [0, 1, 2]
    assert array(D["define"]({"a": 2, "b": 2}, lambda i, j: 10 * i + j), "a b") == [
        [0, 1],
        [10, 11],
    ]


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (2, 3), (4, 2)])
def test_spectra_are_numpy_s(shape):
    X = drawn("row col", *shape)
    x = numpy(X, "row col")
    assert np.allclose(
        numpy(D["svdvals"](X, "row", "col", "a"), "a"), np.linalg.svd(x, compute_uv=False)
    )
    symmetric = of(x @ x.T - 2 * np.eye(len(x)), "row col")
    expected = np.linalg.eigvalsh(numpy(symmetric, "row col"))
    assert np.allclose(numpy(D["eigvalsh"](symmetric, "row", "col", "a"), "a"), expected)


def test_cast_keeps_the_number_and_changes_its_kind():
    assert array(D["cast"](of([-1.5, 2.5, 0.0], "a"), kind=int), "a") == [-1, 2, 0]
    assert array(D["cast"](of([-1.5, 0.0], "a"), kind=bool), "a") == [True, False]
