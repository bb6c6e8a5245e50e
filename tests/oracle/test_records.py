"""Records, shapes and the lifting of functions, against the paper's own words."""

import pytest

from namedtensor.testing import RecordTensor, lift, partial, record, records
from namedtensor.testing.records import only, part, scalar, tabulate, union, without
from tests.oracle.tensors import array, of


def test_a_record_is_a_set_so_the_order_of_its_indices_has_no_meaning():
    assert record(height=0, width=2) == record(width=2, height=0)
    assert record(height=0) != record(width=0)


def test_the_records_of_a_shape_are_all_choices_of_one_index_for_each_axis():
    assert records({"a": 2, "b": 2}) == [
        record(a=0, b=0),
        record(a=0, b=1),
        record(a=1, b=0),
        record(a=1, b=1),
    ]


def test_the_empty_shape_has_the_empty_record_and_an_empty_axis_leaves_none():
    assert records({}) == [frozenset()]
    assert records({"a": 3, "b": 0}) == []


def test_a_tensor_has_a_number_for_each_record_and_no_other():
    with pytest.raises(ValueError) as caught:
        RecordTensor({"a": 2}, {record(a=0): 1.0})
    assert str(caught.value) == "a tensor of shape a[2] has one number per record"


def test_tensors_are_equal_where_shapes_and_numbers_are():
    assert of([[1, 2]], "a b") == of([[1], [2]], "b a")
    assert of([[1, 2]], "a b") != of([[1, 3]], "a b")


def test_a_record_splits_into_two_parts():
    r = record(a=1, b=2, c=3)
    assert part(r, ["a", "c", "d"]) == record(a=1, c=3)
    assert without(r, ["a", "c", "d"]) == record(b=2)


def test_a_union_is_that_of_compatible_shapes_only():
    assert union({"a": 1, "b": 2}, {"b": 2, "c": 3}) == {"a": 1, "b": 2, "c": 3}
    with pytest.raises(ValueError) as caught:
        union({"a": 1}, {"a": 2})
    assert str(caught.value) == "axis a is 1 and 2"


def test_a_shape_is_restricted_only_to_axes_that_it_has():
    assert only({"a": 1, "b": 2}, ["b"]) == {"b": 2}
    with pytest.raises(ValueError) as caught:
        only({"a": 1, "b": 2}, ["c"])
    assert str(caught.value) == "shape a[1] x b[2] has no axis c"


def test_partial_indexing_fixes_some_axes():
    X = of([[1, 2, 3], [4, 5, 6]], "a b")
    assert array(partial(X, record(a=1)), "b") == [4, 5, 6]
    assert array(partial(X, record(b=0)), "a") == [1, 4]


def total(V):
    return scalar(sum(V.values()))


def test_a_lifted_function_sees_one_slice_at_a_time():
    X = of([[1, 2, 3], [4, 5, 6]], "a b")
    assert array(lift(total, [X], [["b"]], {}), "a") == [6, 15]
    assert array(lift(total, [X], [["a"]], {}), "b") == [5, 7, 9]


def test_a_function_of_two_tensors_meets_them_at_the_axes_that_they_share():
    X, Y = of([[1, 2], [3, 4]], "a b"), of([10, 20], "a")
    add = lambda x, y: scalar(x[frozenset()] + y[frozenset()])
    assert array(lift(add, [X, Y], [(), ()], {}), "a b") == [[11, 12], [23, 24]]


def test_lifting_over_an_empty_axis_still_gives_the_axes_of_the_result():
    twice = lambda V: tabulate({"c": 2}, lambda r: sum(V.values()))
    X = RecordTensor({"a": 0, "b": 3}, {})
    assert lift(twice, [X], [["b"]], {"c": 2}).shape == {"a": 0, "c": 2}


def test_a_result_axis_that_the_operand_is_lifted_over_is_refused():
    with pytest.raises(ValueError) as caught:
        lift(total, [of([[1]], "a b")], [["a"]], {"b": 1})
    assert str(caught.value) == "the result has an axis b, and so do the axes it is lifted over"
