"""The notation paper's 3 x 3 example, with numbers worked out by hand.

    A  : height x width    3 1 4        x : height  2 7 1
                           1 5 9        y : width   1 4 1
                           2 6 5

Source: Chiang, Rush and Barak (arXiv 2102.13196), sections 2 and 3. Rows below are height and
columns width, top to bottom and left to right. No expected number comes from the library.
"""

import math

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor.testing import assert_close, assert_same

height, width, layer = nt.axes("height width layer")

A_NUMBERS = [[3, 1, 4], [1, 5, 9], [2, 6, 5]]
X_NUMBERS = [2, 7, 1]
Y_NUMBERS = [1, 4, 1]


def on_numpy(numbers, axes):
    return nt.tensor(np.array(numbers, dtype=np.float64), axes)


def on_torch(numbers, axes):
    return nt.tensor(torch.tensor(numbers, dtype=torch.float64), axes)


@pytest.fixture(params=[on_numpy, on_torch], ids=["numpy", "torch"])
def make(request):
    return request.param


@pytest.fixture
def A(make):
    return make(A_NUMBERS, "height width")


@pytest.fixture
def x(make):
    return make(X_NUMBERS, "height")


@pytest.fixture
def y(make):
    return make(Y_NUMBERS, "width")


def grid(rows):
    return nt.tensor(np.array(rows, dtype=np.float64), "height width")


def on_height(numbers):
    return nt.tensor(np.array(numbers, dtype=np.float64), "height")


def on_width(numbers):
    return nt.tensor(np.array(numbers, dtype=np.float64), "width")


# ------------------------------------------------------------------------------ shape and records


def test_the_shape_has_no_order(A):
    assert A.shape == "height[3] width[3]"
    assert A.shape == "width[3] height[3]"


def test_a_record_picks_one_number(A):
    # the paper counts from 1: A_{height(1), width(3)} = 4
    assert A[height(0), width(2)].item() == 4
    assert A[width(2), height(0)].item() == 4


def test_partial_indexing_keeps_the_other_axis(A):
    # the paper's A_{height(1)} and A_{width(3)}
    assert_same(A[height(0)], on_width([3, 1, 4]))
    assert_same(A[width(2)], on_height([4, 9, 5]))


def test_the_transpose_stored_is_the_same_tensor(A, make):
    assert_same(make([[3, 1, 2], [1, 5, 6], [4, 9, 5]], "width height"), A)


# ----------------------------------------------------------------------------------- elementwise


def test_a_function_of_numbers_acts_on_each(A):
    # 1 / (1 + exp(-a)), exp from tables: e = 2.718281828, e^2 = 7.389056099, ...
    e = 2.718281828459045
    expected = [[1 / (1 + e**-a) for a in row] for row in A_NUMBERS]
    assert_close(nt.sigmoid(A), grid(expected), atol=1e-12)


def test_a_tensor_on_height_is_added_to_every_column(A, x):
    assert_same(A + x, grid([[5, 3, 6], [8, 12, 16], [3, 7, 6]]))
    assert_same(x + A, grid([[5, 3, 6], [8, 12, 16], [3, 7, 6]]))


def test_a_tensor_on_width_is_added_to_every_row(A, y):
    assert_same(A + y, grid([[4, 5, 5], [2, 9, 10], [3, 10, 6]]))


def test_tensors_without_a_shared_axis_meet_everywhere(x, y):
    assert_same(x + y, grid([[3, 6, 3], [8, 11, 8], [2, 5, 2]]))


def test_products_broadcast_as_sums_do(A, x, y):
    assert_same(A * x, grid([[6, 2, 8], [7, 35, 63], [2, 6, 5]]))
    assert_same(A * y, grid([[3, 4, 4], [1, 20, 9], [2, 24, 5]]))


# ------------------------------------------------------------------------------------ reductions


def test_sum_over_each_axis_and_both(A):
    assert_same(nt.sum[height](A), on_width([6, 12, 18]))
    assert_same(nt.sum[width](A), on_height([8, 15, 13]))
    assert nt.sum[height, width](A).item() == 36
    assert nt.sum[...](A).item() == 36


def test_mean_over_each_axis_and_both(A):
    assert_same(nt.mean[height](A), on_width([2, 4, 6]))
    assert_close(nt.mean[width](A), on_height([8 / 3, 5, 13 / 3]), atol=1e-14)
    assert nt.mean[height, width](A).item() == 4


def test_max_and_min_over_each_axis_and_both(A):
    assert_same(nt.max[height](A), on_width([3, 6, 9]))
    assert_same(nt.max[width](A), on_height([4, 9, 6]))
    assert nt.max[height, width](A).item() == 9
    assert_same(nt.min[height](A), on_width([1, 1, 4]))
    assert_same(nt.min[width](A), on_height([1, 1, 2]))
    assert nt.min[height, width](A).item() == 1


def test_var_over_each_axis_and_both(A):
    # column 1: 3 1 2 about 2:  (1 + 1 + 0) / 3
    # column 2: 1 5 6 about 4:  (9 + 1 + 4) / 3
    # column 3: 4 9 5 about 6:  (4 + 9 + 1) / 3
    assert_close(nt.var[height](A), on_width([2 / 3, 14 / 3, 14 / 3]), atol=1e-14)
    # row 1: 3 1 4 about 8/3:   (1/9 + 25/9 + 16/9) / 3 = 42/27
    # row 2: 1 5 9 about 5:     (16 + 0 + 16) / 3
    # row 3: 2 6 5 about 13/3:  (49/9 + 25/9 + 4/9) / 3 = 78/27
    assert_close(nt.var[width](A), on_height([14 / 9, 32 / 3, 26 / 9]), atol=1e-14)
    # squares 9+1+16 + 1+25+81 + 4+36+25 = 198;  198/9 - 4^2 = 6
    assert_close(nt.var[height, width](A), nt.tensor(6.0), atol=1e-14)


def test_std_is_the_root_of_var(A):
    assert_close(nt.std[height, width](A), nt.tensor(2.449489742783178), atol=1e-14)  # sqrt 6


def test_norm_over_each_axis_and_both(A):
    # 9+1+4, 1+25+36, 16+81+25
    root = math.sqrt
    assert_close(nt.norm[height](A), on_width([root(14), root(62), root(122)]), atol=1e-14)
    # 9+1+16, 1+25+81, 4+36+25
    assert_close(nt.norm[width](A), on_height([root(26), root(107), root(65)]), atol=1e-14)
    assert_close(nt.norm[height, width](A), nt.tensor(root(198)), atol=1e-14)


# ----------------------------------------------------------------------------------- contraction


def test_contraction_over_height(A, x):
    # 3*2 + 1*7 + 2*1, 1*2 + 5*7 + 6*1, 4*2 + 9*7 + 5*1
    assert_same(A @ height @ x, on_width([15, 43, 76]))
    assert_same(x @ height @ A, on_width([15, 43, 76]))


def test_contraction_over_width(A, y):
    # 3*1 + 1*4 + 4*1, 1*1 + 5*4 + 9*1, 2*1 + 6*4 + 5*1
    assert_same(A @ width @ y, on_height([11, 30, 31]))


def test_contraction_over_both_axes(A, x, y):
    # (15 43 76) . (1 4 1) = 15 + 172 + 76, and (11 30 31) . (2 7 1) = 22 + 210 + 31
    assert (x @ height @ A @ width @ y).item() == 263
    assert nt.dot[height, width](x, A, y).item() == 263
    # the squares of A
    assert (A @ (height, width) @ A).item() == 198


def test_contraction_of_vectors_over_their_one_axis(x, y):
    assert (x @ height @ x).item() == 54  # 4 + 49 + 1
    assert (y @ width @ y).item() == 18  # 1 + 16 + 1


def test_contraction_over_no_axis_is_the_outer_product(x, y):
    outer = grid([[2, 8, 2], [7, 28, 7], [1, 4, 1]])
    assert_same(nt.dot[()](x, y), outer)
    assert_same(x * y, outer)


def test_the_matrix_product_of_A_with_itself_needs_a_second_height(A):
    # rows of A times columns of A, the inner axis called width in one and renamed in the other
    second = A[height >> width, width >> layer]
    product = nt.tensor(
        # row 1: 3*3+1*1+4*2, 3*1+1*5+4*6, 3*4+1*9+4*5
        # row 2: 1*3+5*1+9*2, 1*1+5*5+9*6, 1*4+5*9+9*5
        # row 3: 2*3+6*1+5*2, 2*1+6*5+5*6, 2*4+6*9+5*5
        np.array([[18.0, 32.0, 41.0], [26.0, 80.0, 94.0], [22.0, 62.0, 87.0]]),
        "height layer",
    )
    assert_same(A @ width @ second, product)


# --------------------------------------------------------------------------------------- softmax

# e^1 = 2.718282, e^2 = 7.389056, e^3 = 20.085537, e^4 = 54.598150, e^5 = 148.413159,
# e^6 = 403.428793, e^9 = 8103.083928


def test_softmax_down_each_column(A):
    # column 1: 20.085537 + 2.718282 + 7.389056 = 30.192875
    # column 2: 2.718282 + 148.413159 + 403.428793 = 554.560234
    # column 3: 54.598150 + 8103.083928 + 148.413159 = 8306.095237
    assert_close(
        nt.softmax[height](A),
        grid(
            [
                [0.665241, 0.004902, 0.006573],
                [0.090031, 0.267623, 0.975559],
                [0.244728, 0.727475, 0.017868],
            ]
        ),
        rtol=0,
        atol=1e-6,
    )


def test_softmax_along_each_row(A):
    # row 1: 20.085537 + 2.718282 + 54.598150 = 77.401969
    # row 2: 2.718282 + 148.413159 + 8103.083928 = 8254.215369
    # row 3: 7.389056 + 403.428793 + 148.413159 = 559.231008
    assert_close(
        nt.softmax[width](A),
        grid(
            [
                [0.259496, 0.035119, 0.705385],
                [0.000329, 0.017980, 0.981690],
                [0.013213, 0.721399, 0.265388],
            ]
        ),
        rtol=0,
        atol=1e-6,
    )


def test_softmax_over_both_axes_is_one_distribution(A):
    # all nine: 77.401969 + 8254.215369 + 559.231008 = 8890.848346
    assert_close(
        nt.softmax[height, width](A),
        grid(
            [
                [0.002259, 0.000306, 0.006141],
                [0.000306, 0.016693, 0.911396],
                [0.000831, 0.045376, 0.016693],
            ]
        ),
        rtol=0,
        atol=1e-6,
    )


def test_argmax_marks_the_greatest_of_each_column_and_row(A):
    marked = lambda rows: nt.tensor(np.array(rows), "height width")
    assert_same(nt.argmax[height](A), marked([[1, 0, 0], [0, 0, 1], [0, 1, 0]]))
    assert_same(nt.argmax[width](A), marked([[0, 0, 1], [0, 0, 1], [0, 1, 0]]))


def test_standardize_down_each_column(A):
    # (a - mean) / sqrt(var), with the means 2 4 6 and the variances 2/3 14/3 14/3 from above:
    # 1/sqrt(2/3) = 1.224745; 1/sqrt(14/3) = 0.462910
    assert_close(
        nt.standardize[height](A, eps=0.0),
        grid(
            [
                [1.224745, -3 * 0.462910, -2 * 0.462910],
                [-1.224745, 0.462910, 3 * 0.462910],
                [0.0, 2 * 0.462910, -0.462910],
            ]
        ),
        rtol=0,
        atol=2e-6,
    )


# ------------------------------------------------------------------------- renaming and reshaping


def test_renaming_changes_names_and_no_numbers(A):
    B = A[height >> height.prime]
    assert B.shape == "height'[3] width[3]"
    assert B[height.prime(1), width(2)].item() == 9


def test_renaming_both_axes_at_once_transposes(A):
    swapped = A[height >> width, width >> height]
    assert_same(swapped, grid([[3, 1, 2], [1, 5, 6], [4, 9, 5]]))


def test_merging_reads_row_by_row_or_column_by_column(A):
    numbers = lambda *ns: nt.tensor(np.array(ns, dtype=np.float64), "layer")
    assert_same(A[(height, width) >> layer], numbers(3, 1, 4, 1, 5, 9, 2, 6, 5))
    assert_same(A[(width, height) >> layer], numbers(3, 1, 2, 1, 5, 6, 4, 9, 5))


def test_splitting_undoes_merging(A):
    merged = A[(height, width) >> layer]
    assert_same(merged[layer >> (height[3], width[3])], A)
    assert_same(merged[layer >> (height, width[3])], A)


def test_the_determinant_and_the_solution_of_an_equation(A, x):
    # det: 3(25 - 54) - 1(5 - 18) + 4(6 - 10) = -87 + 13 - 16
    assert_close(nt.det[height, width](A), nt.tensor(-90.0), atol=1e-12)
    # A z = x on height, by Cramer's rule with x in place of columns 1, 2, 3:
    # 2(25-54) - 1(35-9) + 4(42-5)  = -58 - 26 + 148 = 64
    # 3(35-9) - 2(5-18) + 4(1-14)   =  78 + 26 - 52  = 52
    # 3(5-42) - 1(1-14) + 2(6-10)   = -111 + 13 - 8  = -106
    z = nt.solve[height, width](A, x)
    assert_close(z, on_width([-64 / 90, -52 / 90, 106 / 90]), atol=1e-14)
