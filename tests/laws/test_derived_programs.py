"""Drawn programs are derived by the table as torch derives them."""

import pytest

import namedtensor as nt
from namedtensor.primitives.primitive import table
from tests.laws import derived, programs
from tests.laws.agreement import Disagreement

#: What `make check` draws; `python -m tests.laws.derived FIRST COUNT` and `make fuzz` draw more.
DRAWN = 240


@pytest.mark.parametrize("first", range(0, DRAWN, 60))
def test_the_table_derives_drawn_programs_as_torch_does(first):
    for seed in range(first, first + 60):
        try:
            derived.hold(programs.program(seed))
        except Disagreement as error:
            raise AssertionError(f"program {seed}: {error}") from error


def test_what_is_drawn_is_derived_backwards_and_forwards_through_loops():
    ways = []
    for seed in range(DRAWN):
        program = programs.program(seed)
        if any("scan[" in step.text for step in program.steps):
            ways += derived.hold(program)
    assert {"backwards", "forwards"} <= set(ways)


def test_a_wrong_rule_is_found(monkeypatch):
    seed = next(
        s
        for s in range(3000)
        if "tanh" in programs.program(s).primitives
        and "backwards" in derived.hold(programs.program(s))
    )
    monkeypatch.setattr(table()["tanh"], "slopes", (lambda x, y: 1.5 - y * y,))
    with pytest.raises(Disagreement):
        derived.hold(programs.program(seed))


@pytest.mark.parametrize("seed", [236, 562])
def test_derivatives_of_what_holds_nothing(seed):
    """An associative scan over no numbers, and upsampling along no records, were refused."""
    assert isinstance(derived.hold(programs.program(seed)), list)
    A = nt.zeros("a[2] seq[0]")
    gradient = nt.grad(lambda A: nt.sum[...](nt.upsample["seq"](A, 2, linear=True)))(A)
    assert gradient.size("seq") == 0
