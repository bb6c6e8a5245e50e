"""Each law turns red for an operation that breaks it: wrong on purpose, one way at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import namedtensor as nt
from namedtensor.testing import definitions as D
from tests.laws import laws
from tests.laws.row import Row
from tests.laws.table import TABLE


def broken(name: str, call: Callable[..., Any], **changes: Any) -> Row:
    """Take a row of the table, with another call in place of the right one."""
    return replace(TABLE[name], call=call, **changes)


def failure(law: Callable[[Row, Any], None], cases: Any, row: Row) -> str:
    """Hold a row to a law that it breaks, and give what the law says."""

    @settings(
        max_examples=200,
        phases=[Phase.generate, Phase.shrink],
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def holds(case: Any) -> None:
        law(row, case)

    with pytest.raises(AssertionError) as caught:
        holds()
    return str(caught.value)


def fails_by_value(row: Row) -> str:
    return failure(laws.value_is_the_paper_s, row.example, row)


def over_another_axis(X: Any, axes: tuple[str, ...]) -> Any:
    others = tuple(axis for axis in X.axes if axis not in axes)
    return nt.softmax[others or axes](X)


def dividing_by_one_less(X: Any, axes: tuple[str, ...]) -> Any:
    records = 1
    for axis in axes:
        records = records * X.size(axis)
    return nt.sum[axes]((X - nt.mean[axes](X)) ** 2) / (records - 1.5)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("softmax", over_another_axis),
        ("var", dividing_by_one_less),
        ("add", lambda X, Y: X - Y),
        ("relu", nt.abs),
        ("gelu", lambda X: 0.5 * X * (1 + nt.tanh(0.7978845608 * (X + 0.044715 * X**3)))),
        ("floordiv", lambda X, Y: -((-X) // Y)),
        ("trunc", nt.floor),
        ("argmax_index", lambda X, axes: X.size(axes[0]) - 1 - nt.argmax_index[axes](nt.flip[axes](X))),
        ("dot", lambda X, Y, axes: nt.sum[axes](X * Y) + 1e-6),
        ("rename", lambda X, names: X[tuple(nt.Axis(a) >> nt.Axis(f"{b}") for a, b in names.items())] * 2),
        ("merge", lambda X, axes, into: X[tuple(map(nt.Axis, axes[::-1])) >> nt.Axis(into)]),
        ("at", lambda X, axis, index: X[nt.Axis(axis)(0)]),
        ("concat", lambda *parts, axis: nt.concat[axis](*parts[::-1])),
        ("unroll", lambda X, axis, kernel, size: nt.flip[kernel](nt.unroll[axis, nt.Axis(kernel)[size]](X))),
        ("add_at", lambda X, Y, *I, place: TABLE["set_at"].call(X, Y, *I, place=place)),
        ("cumsum", lambda X, axes: nt.flip[axes](nt.cumsum[axes](nt.flip[axes](X)))),
        ("inv", lambda X, row, col, size: TABLE["inv"].call(X, col, row, size) * 1.0001),
        ("scan", lambda h, X, axis: nt.scan[axis](lambda h, x: 0.5 * h * x - x, h, X)),
        ("define/causal mask", lambda X, row, col: TABLE["define/causal mask"].call(X, col, row)),
    ],
)  # fmt: skip
def test_a_wrong_operation_does_not_have_the_paper_s_value(name, wrong):
    assert "differ at" in fails_by_value(broken(name, wrong))


def test_a_result_of_another_kind_is_seen():
    said = fails_by_value(broken("count", lambda X, axes: 1.0 * nt.count[axes](X)))
    assert said.startswith("X on numpy, eager holds float numbers, not int")


def test_a_result_of_another_shape_is_seen():
    wrong = lambda X, axes: nt.sum[axes](X) if len(axes) < 2 else nt.sum[axes[:1]](X)
    assert " and Y is " in fails_by_value(broken("sum", wrong))


def test_an_operation_that_only_errs_in_a_formula_is_seen():
    wrong = lambda X: nt.exp(X) if type(X) is nt.NamedTensor else nt.exp(X) * 1.001
    assert fails_by_value(broken("exp", wrong)).startswith("X on numpy, traced, Y by definition")


def test_an_operation_that_only_errs_on_torch_is_seen():
    on_torch = lambda X: type(X) is nt.NamedTensor and not isinstance(X.data, np.ndarray)
    wrong = lambda X: nt.exp(X) * 1.001 if on_torch(X) else nt.exp(X)
    assert fails_by_value(broken("exp", wrong)).startswith("X on torch, eager, Y by definition")


def test_an_operation_that_mixes_what_it_should_lift_over_is_seen():
    row = broken("softmax", lambda X, axes: nt.softmax[...](X))
    said = failure(laws.lifting_commutes_with_indexing, laws.lifted_examples(row), row)
    assert "indexed after at extra(" in said


def test_an_operation_that_drops_an_axis_is_seen():
    row = broken("exp", lambda X: nt.sum["extra"](nt.exp(X)) if "extra" in X.axes else nt.exp(X))
    with pytest.raises(nt.AxisMissingError):
        for_one_case(laws.lifting_commutes_with_indexing, laws.lifted_examples(row), row)


def test_an_operation_that_sees_the_order_of_storage_is_seen():
    counted = lambda X: nt.tensor(X.data + np.arange(X.data.size).reshape(X.data.shape), *X.axes)
    row = broken("abs", counted)
    case = laws.stored_examples(row).filter(lambda case: case[2] == ("numpy", False))
    assert "stored in another order" in failure(laws.storage_changes_nothing, case, row)


def test_an_operation_that_reads_names_is_seen():
    row = broken("abs", lambda X: X * len(min(X.axes, default="")))
    said = failure(laws.renaming_commutes, laws.renamed_examples(row), row)
    assert "renamed before by" in said


def test_a_formula_that_catches_an_axis_of_its_caller_is_seen():
    twice = lambda X: X * 2 if "extra" in X.axes else X
    row = broken("abs", twice, define=lambda T: D["mul"](T, 2) if "extra" in T.shape else T)
    said = failure(laws.formulas_lift_over_what_they_do_not_name, laws.hidden_examples(row), row)
    assert "that does not name" in said


def test_a_formula_without_hygiene_is_seen(monkeypatch):
    # with no fresh names for what the signature does not name, a caller's axis is taken for ours
    lifting = sys.modules["namedtensor.formula.lifting"]  # nt.formula is the decorator
    monkeypatch.setattr(lifting, "FRESH", "")
    row = TABLE["attention"]
    with pytest.raises(nt.NamedTensorError):
        for_one_case(laws.formulas_are_hygienic, laws.clashing_examples(row), row)


def test_a_formula_that_gives_its_caller_s_axis_another_s_numbers_is_seen():
    row = TABLE["linear"]
    wrong = replace(row, define=lambda W, X, b, emb: D["mul"](2, row.define(W, X, b, emb)))
    said = failure(laws.formulas_are_hygienic, laws.clashing_examples(wrong), wrong)
    assert "which its caller has too" in said


def test_a_wrong_gradient_is_seen():
    row = broken("exp", nt.exp, define=D["sinh"])
    said = failure(laws.gradients_are_finite_differences, laws.smooth_examples(row), row)
    assert "finite differences" in said
    said = failure(laws.derivatives_have_starred_axes, laws.smooth_examples(row), row)
    assert "X by nt.derivative, Y by differences" in said


def test_an_operation_that_forgives_an_absent_axis_is_seen():
    row = broken("sum", lambda X, axes: nt.sum[tuple(a for a in axes if a in X.axes)](X))
    said = failure(laws.an_absent_axis_is_refused, laws.mistyped_examples(row), row)
    assert "none called absent" in said


def test_an_operation_that_forgives_another_size_is_seen():
    def trimmed(X: Any, Y: Any) -> Any:
        for axis in [axis for axis in getattr(X, "axes", ()) if axis in getattr(Y, "axes", ())]:
            least = min(X.size(axis), Y.size(axis))
            X, Y = X[nt.Axis(axis)[:least]], Y[nt.Axis(axis)[:least]]
        return X + Y

    row = broken("add", trimmed)
    said = failure(laws.another_size_is_refused, laws.torn_examples(row), row)
    assert "have different sizes" in said


def for_one_case(law: Callable[[Row, Any], None], cases: Any, row: Row) -> None:
    """Hold a row to a law on one case."""

    @settings(max_examples=1, phases=[Phase.generate], database=None)
    @given(cases)
    def holds(case: Any) -> None:
        law(row, case)

    holds()
