"""No operation without a law: a new primitive or a new public name must get its row."""

from types import ModuleType

import namedtensor as nt
from namedtensor.primitives import table
from tests.laws.evaluate import evaluate
from tests.laws.table import TABLE

#: Entries of the primitive table that are no operations on tensors: the leaves of an expression,
#: the size of a range, the index of one score inside a kernel, and a call that is only read.
NOT_OPERATIONS = {"argument", "size", "number", "slice_size", "index_number", "call", "open_size"}

#: Names whose results are drawn or made from nothing, functions of functions, and what is not
#: computed with: each is held to its laws by the file named.
ELSEWHERE = {
    "expand": "test_derivatives.py",
    "alike": "test_derivatives.py",
    "cast_like": "tests/formula/test_dtypes_of_whole_numbers.py",
    "picks": "test_derivatives.py",
    "polygamma": "tests/formula/test_derivatives_drawn.py",
    "dropout_mask": "tests/formula/test_derivatives_drawn.py",
    "dropout": "test_random.py",
    "detach": "tests/formula/test_stopped_gradients.py",
    "training": "tests/nn/test_mode.py",
    "update": "tests/nn/test_states.py",
    "parameters": "tests/nn/test_stacks.py",
    "shared": "tests/nn/test_stacks.py",
    "one": "tests/nn/test_stacks.py",
    "each": "tests/nn/test_stacks.py",
    **dict.fromkeys(["stored", "told_norm", "told_mean", "told_var"], "tests/nn/test_states.py"),
    "unique": "tests/contract/test_table.py",
    "nonzero": "tests/contract/test_table.py",
    "normal": "test_random.py",
    "uniform": "test_random.py",
    "randint": "test_random.py",
    "categorical": "test_random.py",
    **dict.fromkeys(
        "exponential laplace gumbel gamma beta bernoulli poisson permutation choice".split(),
        "test_random.py",
    ),
    "zeros": "test_creation.py",
    "ones": "test_creation.py",
    "full": "test_creation.py",
    "lift": "test_lift.py",
    "lifted": "tests/formula/test_made_in_bodies.py",
    "grad": "test_laws.py",
    "derivative": "test_laws.py",
    "differential": "test_laws.py",
    "axes": "tests/traps",
    "sizes": "tests/formula/test_sizes_with_names.py",
    "tensor": "tests/traps",
    "formula": "tests/traps",
    "explain": "tests/kernels",
    "show": "tests/display/test_show.py",
    "steps": "tests/formula/test_steps.py",
    "debug": "tests/formula/test_steps.py",
    "diagram": "tests/display/test_diagram.py",
    "summary": "tests/nn/test_summary.py",
    "load": "tests/weights",
    "checked": "tests/formula/test_checked.py",
    "checks": "tests/formula/test_checked.py",
    "collate": "tests/nn/test_collate.py",
    "save": "tests/weights",
    "pooling": "tests/kernels",
    "group_norm": "tests/kernels",
    "chain": "tests/kernels",
    "relu_gradient": "tests/kernels",
    "cell": "tests/kernels",
    "addcmul": "tests/kernels",
}

COVERED = {name for row in TABLE.values() for name in row.covers}


def public_functions() -> set[str]:
    """Give the names of what one computes with: lower-case, callable, no module and no declaration."""
    return {
        name
        for name in dir(nt)
        if name.islower()
        and not name.startswith("_")
        and callable(getattr(nt, name))
        and not isinstance(getattr(nt, name), (ModuleType, type(nt.one)))
    }


def test_every_primitive_has_a_row():
    assert set(table()) - NOT_OPERATIONS - set(ELSEWHERE) - COVERED == set()


def test_every_public_function_has_a_row():
    assert public_functions() - set(ELSEWHERE) - COVERED == set()


def test_rows_cover_only_what_there_is():
    assert COVERED - set(table()) - public_functions() == set()


def test_what_is_held_elsewhere_has_no_row():
    assert COVERED.isdisjoint(ELSEWHERE)


def test_every_row_s_call_goes_through_a_primitive_that_it_covers(monkeypatch):
    """Rows that name a primitive of the table really apply it."""
    primitives = table()
    for row in TABLE.values():
        wanted = [name for name in row.covers if name in primitives]
        if not wanted:
            continue
        seen: set[str] = set()
        for name in wanted:
            watched(monkeypatch, primitives[name], seen)

        for count in (1, 5, 30):  # most rows need one example
            if not seen.issuperset(wanted):
                tried(row, count)
        monkeypatch.undo()
        assert set(wanted) <= seen, f"{row.name} never applies {set(wanted) - seen}"


def tried(row, count):
    """Evaluate a row for so many examples."""
    from hypothesis import HealthCheck, Phase, given, settings

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(row.example)
    def run(example):
        evaluate(row, example, "torch", traced=True)

    run()


def watched(monkeypatch, primitive, seen):
    """Note the name of a primitive whenever its shape rule is asked."""
    rule = primitive.rule

    def noting(call):
        seen.add(primitive.name)
        return rule(call)

    monkeypatch.setattr(primitive, "rule", noting)
