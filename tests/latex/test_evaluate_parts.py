"""Names, arithmetic, conditions, words: what each part of a formula stands for."""

import math

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex.evaluation.values import UNKNOWN
from namedtensor.latex.evaluation.vocabulary import applied_letter, constant, word_of
from tests.latex.evaluating import Given, element, evaluator, leaf, numbers, parsed, random, value

X = random("seq[3] emb[4]")
x = X.numpy("seq", "emb")


def same(text, expected, *axes, **values):
    found = value(text, X=X, **values)
    np.testing.assert_allclose(numbers(found, *(axes or ("seq", "emb"))), expected)


# ------------------------------------------------------------------------------------------ names


def test_a_name_with_a_script_is_looked_up_whole_before_it_is_a_power():
    assert value("X^2", X2=7.0, X=3.0) == 7.0
    assert value("X^2", X=3.0) == 9.0
    assert value("d_k^2", d_k=3) == 9
    assert value("(W^1)^2", W1=3) == 9


def test_letters_without_a_space_are_one_name_or_a_product():
    assert value("kh", kh=5, k=2, h=3) == 5
    assert value("kh", k=2, h=3) == 6
    assert value("2kh + 1", k=2, h=3) == 13


def test_commands_and_dressed_letters_are_no_products():
    letters = dict.fromkeys("inftyXbold", 2.0)
    assert value(r"\infty", **letters) == math.inf
    with pytest.raises(nt.NamedTensorError, match="Xbold is not defined"):
        value(r"\mathbf{X}", **letters)


def test_a_bound_index_is_found_before_a_name_of_the_document():
    assert value(r"\sum_{n=1}^{3} n", n=100) == 6


def test_a_tensor_before_brackets_is_a_factor():
    same("a(X + 1)", 2 * (x + 1), a=2)
    same(r"X \odot (X)", x * x)


def test_a_function_before_a_letter_is_applied():
    class Twice:
        name = "f"

        def apply(self, call, arguments, parameters, scope):
            return arguments[0] * 2

    same("f X", 2 * x, f=Twice())
    same("f(X) + 1", 2 * x + 1, f=Twice())


def test_a_function_gets_arguments_parameters_and_settings():
    seen = []

    class Taking:
        name = "f"

        def apply(self, call, arguments, parameters, scope):
            seen.append((arguments, parameters))
            return 0.0

    assert value("f(2, t = 3; 4)", f=Taking()) == 0.0
    assert seen == [([2, 3], [4])]


def test_an_axis_s_size_is_the_scope_s():
    assert value(r"|\text{emb}| + 1", X=X) == 5
    same(r"\frac{X}{|\text{emb}|}", x / 4)


def test_annotations_that_say_nothing_change_nothing():
    same(r"\underset{\text{emb}}{X}", x)
    same(r"X \underset{\text{emb}}{-} 1", x - 1)


# ------------------------------------------------------------------------------------- arithmetic

ARITHMETIC = {
    "X + 2": x + 2,
    "2 - X": 2 - x,
    "-X": -x,
    "+X": x,
    r"2 \cdot X": 2 * x,
    r"X \odot X": x * x,
    r"X \times 3": x * 3,
    r"X \circ X": x * x,
    r"\frac{X}{2}": x / 2,
    r"X / 4 + 1": x / 4 + 1,
    "X^2": x**2,
    "X^3": x**3,
    "2^X": 2**x,
    "e^X": np.exp(x),
    "e^{-X}": np.exp(-x),
    r"|X|^{0.5}": np.abs(x) ** 0.5,
    r"\sqrt{X^2}": np.abs(x),
    r"\sqrt[3]{X^2 + 1}": np.cbrt(x * x + 1),
    r"|X|": np.abs(x),
    r"\lfloor X \rfloor": np.floor(x),
    r"\lceil X \rceil": np.ceil(x),
    r"X \bmod 2": x % 2,
    r"\pi X": math.pi * x,
    r"(X^2)^3": x**6,
}


@pytest.mark.parametrize("text", ARITHMETIC)
def test_arithmetic_acts_on_each_number(text):
    same(text, ARITHMETIC[text])


def test_products_meet_by_name():
    A, B = random("seq[3]"), random("emb[4]", 1)
    outer = np.outer(A.numpy(), B.numpy())
    for text in (r"A \odot B", "A B", r"A \cdot B", r"A \ndot{} B"):
        np.testing.assert_allclose(value(text, A=A, B=B).numpy("seq", "emb"), outer)


def test_contraction_is_over_one_axis_or_several():
    Y = random("seq[3] emb[4]", 1)
    y = Y.numpy("seq", "emb")
    same(r"X \ndot{\name{emb}} Y", (x * y).sum(1), "seq", Y=Y)
    found = value(r"X \ndot{\name{seq} \\ \name{emb}} Y", X=X, Y=Y)
    np.testing.assert_allclose(found.item(), (x * y).sum())


def test_joining_by_a_direct_sum():
    same(r"X \underset{\text{seq}}{\oplus} X", np.concatenate([x, x]))
    same(r"\nfun{\name{emb}}{concat}(X, X)", np.concatenate([x, x], 1))


def test_norms_name_their_axes():
    same(r"\|X\|_{\text{emb}}", np.linalg.norm(x, axis=1), "seq")
    assert value(r"\|x\|", x=-2.0) == 2.0


def test_whole_powers_are_exact_while_anybody_reads_them():
    assert value("2^{10}") == 1024
    assert value("10^{-3}") == 1e-3
    assert value("10^{10^{2}}") == 10**100


def test_a_power_with_more_digits_than_memory_is_no_number():
    with pytest.raises(nt.NamedTensorError, match="too large"):
        value("9^{9^{9}}")


def test_sizes_divide_to_whole_numbers():
    e = evaluator({"layer": 12, "heads": 4})
    assert e.extent(parsed(r"|\text{layer}| / |\text{heads}|")) == 3
    assert e.extent(parsed(r"\frac{|\text{layer}|}{2} - 1")) == 5
    n = leaf("X", "seq").size("seq")
    assert repr(evaluator(None, n=n).extent(parsed("n / 2"))) == "Size(seq // 2)"


def test_floor_of_a_quotient_of_whole_numbers_is_whole():
    found = element(r"A_{\text{seq}(i)}", r"\lfloor i / 2 \rfloor", {"seq": 5})
    assert found.kind == "int"
    np.testing.assert_array_equal(found.numpy(), [0, 1, 1, 2, 2])
    found = element(r"A_{\text{seq}(i)}", r"\lceil i / 2 \rceil", {"seq": 5})
    np.testing.assert_array_equal(found.numpy(), [1, 1, 2, 2, 3])


# ------------------------------------------------------------------------------------- conditions

CONDITIONS = {
    "X > 0": x > 0,
    r"X \leq 0": x <= 0,
    r"X \neq X": x != x,
    r"0 < X < 1": (x > 0) & (x < 1),
    r"X > 0 \land X < 1": (x > 0) & (x < 1),
    r"X < 0 \lor X > 1": (x < 0) | (x > 1),
    r"\lnot (X > 0)": ~(x > 0),
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_say_where_something_holds(text):
    np.testing.assert_array_equal(value(text, X=X).numpy("seq", "emb"), CONDITIONS[text])


def test_an_indicator_is_one_where_its_condition_holds():
    for text in (r"[X > 0]", r"\mathbb{1}[X > 0]", r"\mathbf{1}[X > 0]", r"\mathbb{I}(X > 0)"):
        np.testing.assert_array_equal(value(text, X=X).numpy("seq", "emb"), (x > 0).astype(int))
    assert value("[2 > 1]") == 1


def test_membership_in_a_listed_set():
    A = nt.tensor([1, 2, 3], "seq")
    np.testing.assert_array_equal(value(r"A \in \{1, 3\}", A=A).numpy(), [True, False, True])
    np.testing.assert_array_equal(value(r"A \notin \{1, 3\}", A=A).numpy(), [False, True, False])


def test_cases_take_the_first_row_that_holds():
    same(
        r"\begin{cases} 1 & X > 1 \\ 2 & X > 0 \\ 3 & \text{otherwise} \end{cases}",
        np.where(x > 1, 1, np.where(x > 0, 2, 3)),
    )


def test_cases_that_leave_something_out_are_nan_there():
    same(
        r"\begin{cases} 1 & X > 0 \\ 2 & X < -1 \end{cases}",
        np.where(x > 0, 1, np.where(x < -1, 2, np.nan)),
    )


def test_cases_that_say_everything_have_no_nan():
    for text in (
        r"\begin{cases} 1 & X > 0 \\ 2 & X \leq 0 \end{cases}",
        r"\begin{cases} 1 & X > 0 \\ 2 & 0 \geq X \end{cases}",
        r"\begin{cases} 1 & X > 0 \\ 2 & X = 0 \\ 2 & X < 0 \end{cases}",
    ):
        node = value(text, X=leaf("X", "seq")).node
        assert "nan" not in repr(node)
        same(text, np.where(x > 0, 1, 2))


def test_cases_of_numbers_are_numbers():
    assert value(r"\begin{cases} 1 & 2 > 3 \\ 5 & \text{otherwise} \end{cases}") == 5


# ------------------------------------------------------------------------------------------ words

WORDS = {
    r"\exp X": np.exp(x),
    r"\log |X|": np.log(np.abs(x)),
    r"\ln(X^2)": np.log(x * x),
    r"\log_2(X^2)": np.log2(x * x),
    r"\log_{10}(X^2)": np.log10(x * x),
    r"\sin^2 X": np.sin(x) ** 2,
    r"\tanh(X)": np.tanh(x),
    r"\sigma(X)": 1 / (1 + np.exp(-x)),
    r"\text{sigmoid}(X)": 1 / (1 + np.exp(-x)),
    r"\operatorname{relu} X": np.maximum(x, 0),
    r"\text{ReLU}(X)": np.maximum(x, 0),
    r"\text{sgn}(X)": np.sign(x),
    r"\max(0, X)": np.maximum(x, 0),
    r"\min(X, 1, 0.5)": np.minimum(x, 0.5),
    r"\text{clip}(X, 0, 1)": np.clip(x, 0, 1),
    r"\text{power}(X, 2)": x**2,
    r"\nfun{\name{emb}}{cumsum} X": np.cumsum(x, 1),
    r"\nfun{\name{emb}}{sort} X": np.sort(x, 1),
    r"\nfun{\name{emb}}{sort-descending} X": -np.sort(-x, 1),
    r"\underset{\text{emb}}{\text{standardize}}(X)": (x - x.mean(1, keepdims=True))
    / np.sqrt(x.var(1, keepdims=True) + 1e-5),
    r"\nfun{\name{emb}}{softmax} X": np.exp(x) / np.exp(x).sum(1, keepdims=True),
    r"\text{float64}(X)": x,
}


@pytest.mark.parametrize("text", WORDS)
def test_words_that_all_know(text):
    same(text, WORDS[text])


REDUCTIONS = {
    r"\underset{\text{emb}}{\text{mean}}(X)": x.mean(1),
    r"\underset{\text{emb}}{\text{average}}(X)": x.mean(1),
    r"\underset{\text{emb}}{\text{var}}(X)": x.var(1),
    r"\underset{\text{emb}}{\text{std}}(X)": x.std(1),
    r"\underset{\text{emb}}{\text{logsumexp}}(X)": np.log(np.exp(x).sum(1)),
    r"\underset{\text{emb}}{\text{norm}}(X)": np.linalg.norm(x, axis=1),
    r"\nfun{\name{emb}}{max} X": x.max(1),
    r"\underset{\text{emb}}{\max} X": x.max(1),
    r"\min_{\text{emb}} X": x.min(1),
    r"\sum_{\text{emb}} X": x.sum(1),
    r"\prod_{\text{emb}} X": x.prod(1),
}


@pytest.mark.parametrize("text", REDUCTIONS)
def test_words_that_use_up_their_axes(text):
    same(text, REDUCTIONS[text], "seq")


def test_the_size_of_a_window_is_an_argument_or_known():
    for text in (
        r"\nfun{\name{emb} \\ \name{k}}{pool}(X, 2)",
        r"\nfun{\name{emb} \\ \name{k}}{pool} X",
    ):
        found = value(text, {"k": 2}, X=X)
        np.testing.assert_allclose(found.numpy("seq", "emb", "k"), x.reshape(3, 2, 2))
    found = value(r"\nfun{\name{emb} \\ \name{k}}{maxk}(X, 2)", X=X)
    np.testing.assert_allclose(found.numpy("seq", "k"), -np.sort(-x, 1)[:, :2])


def test_matrices_name_their_rows_and_columns():
    A = random("row[3] col[3]")
    a = A.numpy("row", "col")
    over = r"\nfun{\name{row} \\ \name{col}}"
    np.testing.assert_allclose(numbers(value(over + "{det} A", A=A)), np.linalg.det(a))
    np.testing.assert_allclose(numbers(value(over + "{tr} A", A=A)), np.trace(a))
    np.testing.assert_allclose(value(over + "{inv} A", A=A).numpy("row", "col"), np.linalg.inv(a))
    np.testing.assert_allclose(value(over + "{diag} A", A=A).numpy(), np.diag(a))


def test_ranges_begin_and_end_at_indices_that_count_from_one():
    for text, chosen in {
        "{range}(X, 2, 3)": x[:, 1:3],
        "{range}(X, 1, 4, 2)": x[:, 0:4:2],
        "{from}(X, 3)": x[:, 2:],
        "{until}(X, 3)": x[:, :3],
        "{every}(X, 2)": x[:, ::2],
        "{from-every}(X, 2, 2)": x[:, 1::2],
        "{until-every}(X, 3, 2)": x[:, :3:2],
        "{whole}(X)": x,
    }.items():
        same(rf"\nfun{{\name{{emb}}}}{text}", chosen)


def test_the_size_of_a_range_is_a_number_or_a_symbol():
    assert value(r"\text{size-range}(7, 2, 4)") == 3
    assert value(r"\text{size-from}(7, 3)") == 5
    assert value(r"\text{size-until-every}(7, 6, 2)") == 3
    B = leaf("B", "seq")
    found = value(r"\text{size-range}(|\text{seq}|, 2, 4)", B=B)
    assert found.node is B[nt.Axis("seq")[1:4]].size("seq").node


def test_listed_numbers_stand_along_an_axis():
    found = value(r"X_{\name{emb}(\nfun{\name{k}}{listed}(4, 1) )}", X=X)
    np.testing.assert_allclose(found.numpy("seq", "k"), x[:, [3, 0]])


def test_an_update_writes_at_a_place():
    expected = x.copy()
    expected[:, 1] = 7.0
    same(r"\text{set}(X_{\name{emb}(2)}, 7.0)", expected)
    expected = x.copy()
    expected[:, 1] += 7.0
    same(r"\text{add}(X_{\name{emb}(2)}, 7.0)", expected)


def test_words_have_other_spellings():
    for text, name in {
        "Softmax": "softmax",
        "log softmax": "log_softmax",
        "LogSoftmax": "log_softmax",
        "one-hot": "one_hot",
        "Norm": "norm",
        "topk": "maxk",
        "swish": "silu",
        "trace": "trace",
    }.items():
        assert word_of(text).name == name
    assert word_of("att") is None
    assert applied_letter("sigma").name == "sigmoid"
    assert applied_letter("f") is None
    assert constant(parsed(r"\infty")) == math.inf


# ---------------------------------------------------------------------------------------- unknown


class Checking(Given):
    """Report failures and go on with what is unknown."""

    def __init__(self, values=None, sizes=None):
        super().__init__(values, sizes)
        self.errors = []

    def failed(self, where, error):
        self.errors.append((where, error))
        return UNKNOWN


EVERYWHERE = [
    "U + 1", "-U", "U X", r"U \odot U", r"\frac{1}{U}", "U^2", r"\sqrt{U}", r"|U|", r"\|U\|",
    r"\lfloor U / 2 \rfloor", r"U \ndot{\name{a}} X", r"\nfun{\name{a}}{softmax} U",
    r"\sum_{\name{a}} U", r"\sum_{i=1}^{U} X", r"\sum_{i} U_{\name{a}(i)}", r"U_{\name{a}(1)}",
    r"X_{\name{a}(U)}", r"U_{\name{a} \rightarrow \name{b}}", r"\frac{\partial U}{\partial X}",
    r"\begin{cases} U & X > 0 \\ 1 & U > 0 \end{cases}", r"U > 1", r"[U = 1]", r"U \in \{1\}",
    r"\nfun{\name{a}}{onehot} U", r"\max(U, 1)", r"\text{relu}(U)", "U(X)", r"\text{set}(U_{\name{a}(1)}, 2)",
]  # fmt: skip


@pytest.mark.parametrize("text", EVERYWHERE)
def test_what_is_unknown_makes_everything_unknown_in_silence(text):
    from namedtensor.latex.evaluation.evaluate import Evaluator

    scope = Checking({"U": UNKNOWN, "X": leaf("X", "a")}, {"a": 3})
    assert Evaluator(scope).value(parsed(text)) is UNKNOWN
    assert scope.errors == []


def test_a_failure_is_reported_once_at_the_smallest_part():
    from namedtensor.latex.evaluation.evaluate import Evaluator

    scope = Checking({"X": leaf("X", "a"), "Y": leaf("Y", "b")})
    text = r"2 + \sqrt{X \ndot{\name{a}} Y} \odot X"
    assert Evaluator(scope).value(parsed(text)) is UNKNOWN
    ((where, error),) = scope.errors
    assert text[where.span.start : where.span.end] == r"X \ndot{\name{a}} Y"
    assert str(error).startswith("X ._a Y: Y has no axis a")


def test_every_part_is_seen_with_its_value():
    e = evaluator(X=2.0)
    e.value(parsed("X + 3"))
    assert e.scope.parts == [("X", 2.0), ("3", 3), ("X + 3", 5.0)]
