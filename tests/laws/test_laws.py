"""Every operation obeys every law, over generated shapes, numbers and storage."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.laws import laws
from tests.laws.row import Row, never
from tests.laws.table import TABLE

#: Some laws need shapes that meet in one way or another, and pass over many that do not.
PATIENT = [HealthCheck.too_slow, HealthCheck.filter_too_much]

#: How many cases are asked for, law by law; `make check-long` asks for so many times as many.
CASES: dict[str, int] = {}
LONG = 8


def for_rows(applies: Callable[[Row], bool], cases: int) -> Callable[..., object]:
    """Try so many generated cases for each row of the table to which a law applies."""
    rows = [row for row in TABLE.values() if applies(row)]

    def decorate(test: Callable[..., None]) -> object:
        CASES[test.__name__] = cases * len(rows)
        tries = {
            times: settings(max_examples=times * cases, suppress_health_check=PATIENT)(
                given(data=st.data())(test)
            )
            for times in (1, LONG)
        }

        @pytest.mark.parametrize("times", [1, pytest.param(LONG, marks=pytest.mark.long)])
        @pytest.mark.parametrize("row", rows, ids=[row.name for row in rows])
        def test_law(row: Row, times: int) -> None:
            tries[times](row=row)

        return test_law

    return decorate


@for_rows(lambda row: True, cases=5)
def test_the_value_is_the_paper_s(row, data):
    laws.value_is_the_paper_s(row, data.draw(row.example))


@for_rows(lambda row: True, cases=4)
def test_lifting_commutes_with_indexing(row, data):
    laws.lifting_commutes_with_indexing(row, data.draw(laws.lifted_examples(row)))


@for_rows(lambda row: True, cases=3)
def test_permuting_stored_axes_changes_nothing(row, data):
    laws.storage_changes_nothing(row, data.draw(laws.stored_examples(row)))


@for_rows(lambda row: row.renames, cases=4)
def test_renaming_commutes(row, data):
    laws.renaming_commutes(row, data.draw(laws.renamed_examples(row)))


@for_rows(lambda row: True, cases=3)
def test_a_formula_lifts_over_the_axes_that_it_does_not_name(row, data):
    laws.formulas_lift_over_what_they_do_not_name(row, data.draw(laws.hidden_examples(row)))


@for_rows(lambda row: row.borrows, cases=6)
def test_a_formula_leaves_alone_the_axes_of_its_caller_whose_names_it_uses(row, data):
    laws.formulas_are_hygienic(row, data.draw(laws.clashing_examples(row)))


@for_rows(lambda row: row.smooth is not never, cases=3)
def test_gradients_are_finite_differences(row, data):
    laws.gradients_are_finite_differences(row, data.draw(laws.smooth_examples(row)))


@for_rows(lambda row: row.smooth is not never, cases=2)
def test_derivatives_have_starred_axes(row, data):
    laws.derivatives_have_starred_axes(row, data.draw(laws.smooth_examples(row)))


@for_rows(lambda row: row.names, cases=3)
def test_an_absent_axis_is_refused(row, data):
    laws.an_absent_axis_is_refused(row, data.draw(laws.mistyped_examples(row)))


@for_rows(lambda row: row.meets, cases=4)
def test_another_size_of_a_shared_axis_is_refused(row, data):
    laws.another_size_is_refused(row, data.draw(laws.torn_examples(row)))


def test_at_least_five_thousand_cases_are_generated_and_forty_thousand_of_the_long_ones():
    assert sum(CASES.values()) >= 5_000, CASES
    assert LONG * sum(CASES.values()) >= 40_000
