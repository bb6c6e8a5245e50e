"""What eight threads compute at once, while nothing is planned yet, is what one thread computes."""

import pytest

import namedtensor as nt
from namedtensor.operations.axis_functions import AxisFunction
from namedtensor.plans import layout
from namedtensor.primitives import table
from namedtensor.testing import assert_close
from tests.laws.evaluate import WAYS, in_formula, tensors
from tests.laws.test_laws import for_rows
from tests.project.first_calls import at_once


def forget_everything() -> None:
    """Empty the caches, so that the next call is a first one."""
    layout._layouts.clear()
    for primitive in table().values():
        for operation in list(primitive.living.values()):
            operation.plans.clear()
        primitive.operations.clear()
    for function in vars(nt).values():
        if isinstance(function, AxisFunction):
            function._bound.clear()


@for_rows(lambda row: True, cases=1)
def test_eight_threads_get_what_one_thread_gets(row, data):
    example = data.draw(row.example)
    for library, traced in WAYS:
        given = tensors(example, library)
        if not traced:
            run = lambda: row.on_named(example, library)
        elif given:
            made = in_formula(row, example)
            run = lambda: made(*given)
        else:
            continue
        forget_everything()
        found = at_once(run)
        alone = run()
        for each in found:
            assert_close(each, alone)


def test_an_error_in_one_thread_is_raised_here():
    calls = iter(range(8))

    def run():
        assert next(calls) != 3, "the third thread fails"

    with pytest.raises(AssertionError, match="the third thread fails"):
        at_once(run)


def test_the_caches_are_emptied():
    X = nt.tensor([1.0, 2.0], "seq")
    nt.exp(X)
    assert table()["exp"].plain.plans
    forget_everything()
    assert not table()["exp"].plain.plans
