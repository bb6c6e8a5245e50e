"""Corners of the notation: what is rare, what is unknown, and what hidden axes leave behind."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex.evaluation import by_elements
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.indices import one_based, settled
from namedtensor.latex.evaluation.values import UNKNOWN
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import AxisName, Big, Items, Letter, Space
from namedtensor.primitives.node import describe
from tests.latex.evaluating import Given, element, evaluator, leaf, numbers, parsed, random, value

X = random("seq[5] emb[3]")
x = X.numpy("seq", "emb")
AT = Span(0, 0)


class Checking(Given):
    """Report failures and go on with what is unknown."""

    def __init__(self, values=None, sizes=None):
        super().__init__(values, sizes)
        self.errors = []

    def failed(self, where, error):
        self.errors.append(error)
        return UNKNOWN


UNKNOWNS = [
    r"\sum_{i=U}^{3} i", r"\sum_{i \in [U]} i", r"\sum_{1 \leq i \leq U} i",
    r"\sum_{i \in \{U, \ldots, 3\}} i",
    r"\sum_{i < U} X_{\name{a}(i)}", r"\sqrt[U]{X}", r"\frac{\partial X}{\partial U}", r"\nabla_X U",
    r"\frac{\partial U}{\partial X_{\name{a}(1)}}", r"\nfun{\name{a}}{onehot}(X, U)",
    r"\nfun{\name{a} \\ \name{k}}{pool}(X, U)", r"X_{\name{a} \rightarrow (\name{b}[U], \name{c})}",
    r"\nfun{\name{a}}{range}(X, U, 2)", r"\nfun{\name{a}}{index}(X, U)", r"\text{bool}(U)",
]  # fmt: skip


@pytest.mark.parametrize("text", UNKNOWNS)
def test_rare_parts_are_unknown_in_silence_too(text):
    scope = Checking({"U": UNKNOWN, "X": leaf("X", "a")}, {"a": 3})
    assert Evaluator(scope).value(parsed(text)) is UNKNOWN
    assert scope.errors == []


REFUSED = [
    r"\sum_{i=1.5}^{3} i", r"\sum_{i + 1} X", r"\sum_{i=1}^{3} Z", r"\prod_{i} \nfun{\name{a}}{relu} X",
    r"\log_3 X", r"\exp(X, X)", r"\nfun{\name{a}}{softmax}(X, X)", r"\text{f}(X)",
    r"X_{\name{a}(9), \name{b}(1)}",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_a_reported_part_makes_the_whole_unknown_and_is_reported_once(text):
    scope = Checking({"X": leaf("X", "a")}, {"a": 3})
    assert Evaluator(scope).value(parsed(text)) is UNKNOWN
    assert len(scope.errors) == 1


def test_an_unknown_size_makes_a_definition_unknown():
    e = Evaluator(Checking({"U": UNKNOWN}))
    assert (
        by_elements.element(e, parsed(r"P_{\name{a}(i)}"), parsed("i"), {"a": UNKNOWN}) is UNKNOWN
    )
    assert by_elements.update(e, leaf("X", "a"), parsed(r"X_{\name{a}(U)}"), parsed("1")) is UNKNOWN


def test_errors_that_have_a_place_keep_it():
    class Placed(nt.NamedTensorError):
        def __init__(self):
            super().__init__("here", "it is wrong")

    class Failing(Checking):
        def size(self, axis):
            raise Placed()

    scope = Failing()
    assert Evaluator(scope).value(parsed(r"|\name{a}|")) is UNKNOWN
    assert type(scope.errors[0]) is Placed


# ------------------------------------------------------------------------------------- conditions


def test_conditions_of_numbers_are_decided_at_once():
    A = nt.tensor([1, 2, 3], "k")
    for text, expected in {
        r"1 < 2 \land A > 1": [False, True, True],
        r"A > 1 \land 1 < 2": [False, True, True],
        r"2 < 1 \lor A > 1": [False, True, True],
        r"A > 1 \lor 2 < 1": [False, True, True],
    }.items():
        np.testing.assert_array_equal(value(text, A=A).numpy(), expected)
    assert value(r"2 < 1 \land A > 1", A=A) is False
    assert value(r"A > 1 \land 2 < 1", A=A) is False
    assert value(r"A > 1 \lor 1 < 2", A=A) is True
    assert value(r"1 < 2 \lor A > 1", A=A) is True
    assert value(r"\lnot (2 < 1)") is True


def test_what_is_not_odd_may_be_even():
    found = element(
        r"P_{\name{a}(i)}",
        r"\begin{cases} 1 & 2 i + 1 \text{ odd} \\ 0 & \text{else} \end{cases}",
        {"a": 3},
    )
    np.testing.assert_array_equal(found.numpy(), [1, 1, 1])


# ------------------------------------------------------------------------------------------ parts


def test_brackets_of_every_shape_group():
    assert value(r"\left[ 2 + 3 \right] \cdot 2") == 10
    assert value(r"\{ 2 + 3 \} \cdot 2") == 10
    assert evaluator(n=3).value(Space(AT, "[n]", (), Letter(AT, "n"))) == 3


def test_a_direct_sum_may_stand_before_its_parts():
    joined = Big(
        AT, "concat", (AxisName(AT, "seq"),), None, None, Items(AT, (parsed("X"), parsed("X")), "(")
    )
    np.testing.assert_array_equal(
        evaluator(X=X).value(joined).numpy("seq", "emb"), np.concatenate([x, x])
    )
    stacked = Big(AT, "stack", (AxisName(AT, "k"),), None, None, parsed("X"))
    assert evaluator(X=X).value(stacked).shape == nt.Shape("k[1] seq[5] emb[3]")
    with pytest.raises(nt.AxisMissingError) as raised:
        evaluator(X=X).value(Big(AT, "concat", (), None, None, parsed("X")))
    assert str(raised.value) == (
        "concat X: concat joins along one axis, and 0 are named\n"
        "hint: write the axis below it: concat_ax (X, Y)"
    )


def test_functions_are_applied_through_any_expression():
    assert value(r"(2)(3)") == 6
    assert value(r"\log_2^2 8") == 9
    assert value(r"\text{max} \{ 1, 2 \}") == 2
    assert value(r"\text{int64}(2.7) + \text{bool}(3) + \text{float32}(1)") == 4


def test_powers_of_words_and_of_brackets():
    np.testing.assert_allclose(value(r"\tanh^3(X)", X=X).numpy("seq", "emb"), np.tanh(x) ** 3)
    np.testing.assert_allclose(value(r"(X + 1)^2", X=X).numpy("seq", "emb"), (x + 1) ** 2)


def test_whole_numbers_need_no_rounding():
    I = one_based(nt.tensor(np.array([0, 1]), "k"))
    np.testing.assert_array_equal(numbers(value(r"\lfloor I \rfloor", I=I)), [1, 2])
    np.testing.assert_array_equal(numbers(value("-I", I=I)), [-1, -2])
    np.testing.assert_array_equal(
        numbers(value(r"I \odot X_{\name{emb}(1), \name{seq}(1)}", I=I, X=X)),
        np.array([1, 2]) * x[0, 0],
    )


def test_an_index_minus_itself_is_a_number():
    found = element(r"P_{\name{a}(i)}", r"X_{\name{seq}(i - i + 2), \name{emb}(1)}", {"a": 2}, X=X)
    np.testing.assert_array_equal(found.numpy(), [x[1, 0]] * 2)


def test_two_axes_of_one_tensor_take_the_same_index():
    A = random("row[4] col[4]", 1)
    found = element(r"d_{\name{row}(i)}", r"A_{\name{row}(i), \name{col}(i)}", A=A)
    np.testing.assert_array_equal(found.numpy(), np.diag(A.numpy("row", "col")))
    window = element(
        r"d_{\name{row}(i)}",
        r"\sum_{j=1}^{2} A_{\name{row}(i), \name{col}(i + j - 1)}",
        {"row": 3},
        A=A,
    )
    a = A.numpy("row", "col")
    np.testing.assert_allclose(window.numpy(), [a[i, i] + a[i, i + 1] for i in range(3)])


def test_an_open_tensor_takes_the_range_of_its_index():
    M = element(r"M_{\name{seq}(i)}", "i^2")
    assert value(r"\sum_{i=1}^{3} M_{\name{seq}(i)}", M=M) is not UNKNOWN
    np.testing.assert_array_equal(numbers(value(r"\sum_{i=1}^{3} M_{\name{seq}(i)}", M=M)), 14)


def test_an_axis_that_stays_open_takes_the_size_that_the_scope_knows():
    u = leaf("u", "in[4]")
    e = Evaluator(Given({"u": u}, {"in": 4}))
    found = by_elements.element(
        e, parsed(r"s_{\name{in}(i)}"), parsed(r"\sum_{j=1}^{i} u_{\name{in}(j)}")
    )
    assert found.shape == nt.Shape("in[4]")


def test_ends_of_sums_may_be_sizes_of_a_formula():
    seq, emb = nt.axes("seq emb")

    @nt.formula
    def total(X: nt.R[seq, emb]) -> nt.R[emb]:
        return value(r"\sum_{i=2}^{n} X_{\name{seq}(i)}", X=X, n=X.size(seq))

    np.testing.assert_allclose(total(X).numpy(), x[1:].sum(0))


def test_conditions_joined_by_and_bound_an_index_from_both_sides():
    for text in (r"\sum_{1 < i, i < 4} X_{\name{seq}(i)}", r"\sum_{1 < i < 4} X_{\name{seq}(i)}"):
        np.testing.assert_allclose(value(text, X=X).numpy(), x[1:3].sum(0))
    assert value(r"\sum_{1 \leq i \leq 3} [i > 1]") is not UNKNOWN
    assert value(r"\sum_{1 \leq i \leq 3} i") == 6


def test_a_matrix_of_tensors_is_stacked():
    y = leaf("y", "k")
    found = value(r"\nmatrix{\name{row}}{\name{col}}{y & 2 y \\ 0 & y}", y=y)
    assert set(found.axes) == {"row", "col", "k"}
    single = value(r"\nmatrix{\name{row}}{\name{col}}{7}")
    np.testing.assert_array_equal(single.numpy("row", "col"), [[7]])


# ---------------------------------------------------------------------------------- hidden axes


def tree(text, **values):
    return describe(value(text, **values).node, 20)


def test_an_axis_that_cannot_be_renamed_at_the_leaves_has_its_index_s_letter():
    B = leaf("B", "a b")
    largest = r"\sum_{i=1}^{3} \nfun{\name{b} \\ \name{k}}{maxk}(B_{\name{a}(i)}, 2)"
    assert tree(largest, B=B) == "sum[a](maxk[b, k](B[a(iota(i[3]))], 2)[i >> a])"
    assert tree(r"\sum_{i=1}^{3} \nfun{\name{b}}{sort} [B_{\name{a}(i)}]", B=B) == (
        "sum[a](sort[b](B[a(iota(a[3]))]))"  # renamed at the leaves
    )
    assert tree(r"\sum_{i=1}^{2} \sum_{j=1}^{2} B_{\name{a}(i+j)}", B=B) == (
        "sum[i](sum[j](B[a((iota(i[2]) + iota(j[2])) + 1)]))"
    )


def test_a_letter_that_is_an_axis_already_is_primed():
    B = leaf("B", "a i")
    assert tree(r"\sum_{i=1}^{2} B_{\name{a}(2 i)}", B=B) == "sum[i'](B[a((iota(i'[2]) * 2) + 1)])"


def test_one_text_gives_one_tree():
    B = leaf("B", "a b")
    text = r"\sum_{i=1}^{3} \nfun{\name{b}}{sort} [B_{\name{a}(i)}]"
    assert value(text, B=B).node is value(text, B=B).node


def test_data_and_numbers_have_nothing_hidden():
    assert settled(X) is X
    assert settled(2.0) == 2.0


def test_an_open_counter_inside_takes_the_letter_too():
    from namedtensor.latex.evaluation.indices import Index
    from namedtensor.operations.elementwise import where
    from namedtensor.shape import sized

    index = Index("i")
    inside = where(index.counter() > 0, 1.0, 0.0)
    total = nt.sum[sized(index.axis, None)](inside)
    assert describe(settled(total).node, 9) == "sum[i](where(iota(i) > 0, 1.0, 0.0))"


def test_a_deep_expression_under_a_sum_is_no_recursion():
    B = leaf("B", "a")
    for _ in range(3000):
        B = B + 1
    found = element(
        r"C_{\name{c}(i)}", r"\sum_{j=1}^{2} B_{\name{a}(i + j)} B_{\name{a}(i)}", {"c": 2}, B=B
    )
    assert found.axes == ("c",)


def test_axes_may_stand_below_a_word_or_a_norm_with_a_power():
    squares = (x * x).sum(1)
    np.testing.assert_allclose(value(r"\left\| X \right\|^2_{\text{emb}}", X=X).numpy(), squares)
    np.testing.assert_allclose(value(r"\left\| X \right\|_{\text{emb}}^2", X=X).numpy(), squares)
    I = nt.tensor(np.array([0, 2]), "k")
    marked = value(r"\text{one-hot}_{\text{emb}}(I)", {"emb": 3}, I=I)
    np.testing.assert_array_equal(marked.numpy("k", "emb"), np.eye(3)[[0, 2]])
    softened = value(r"\text{softmax}_{\text{emb}}(X)", X=X)
    np.testing.assert_allclose(softened.numpy("seq", "emb").sum(1), np.ones(5))


def test_a_letter_is_primed_where_an_axis_inside_has_it():
    from namedtensor.latex.evaluation.indices import Index
    from namedtensor.shape import sized

    index = Index("i", 2)
    total = nt.sum[sized(index.axis, None)](index.counter() * leaf("B", "a i"))
    assert describe(settled(total).node, 9) == "sum[i'](iota(i'[2]) * B)"


def test_a_sum_inside_a_definition_over_the_same_axis_is_over_a_second_copy():
    B = leaf("B", "h")
    found = element(r"D_{\name{h}(t)}", r"\sum_{j=1}^{t} B_{\name{h}(j)}", {"h": 3}, B=B)
    assert describe(found.node, 9) == "sum[h'](where(iota(h'[h]) <= iota(h[3]), B[h >> h'], 0))"


def test_only_an_index_itself_is_written_as_its_counter():
    for body, expected in {
        "i - 1": "iota(k[3])",
        "i + 2": "iota(k[3]) + 3",
        "i - 3": "iota(k[3]) - 2",
        "i + 1 + 1": "(iota(k[3]) + 2) + 1",
        "1 + i": "1 + (iota(k[3]) + 1)",
        r"2 \cdot i": "2 * (iota(k[3]) + 1)",
        r"i + 1 \leq 2": "(iota(k[3]) + 2) <= 2",
    }.items():
        assert describe(element(r"S_{\name{k}(i)}", body, {"k": 3}).node, 9) == expected
    both = element(r"S_{\name{a}(i), \name{b}(j)}", r"i + 1 \leq j + 1", {"a": 2, "b": 2})
    assert describe(both.node, 9) == "(iota(a[2]) + 2) <= (iota(b[2]) + 2)"
