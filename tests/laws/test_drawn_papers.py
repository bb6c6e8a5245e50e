"""Documents drawn at random say what a reader of mathematics takes them to say.

`python -m tests.laws.papers` draws more of them, and makes those that fail smaller.
"""

import numpy as np
import pytest

from tests.laws.papers import faults, tree
from tests.laws.papers.drawing import drawn
from tests.laws.papers.held import VARIANTS, Failure, hold, hold_paper

#: What `make check` runs: so many documents of each variant, and so many faults.
EACH, FAULTS = 8, 40


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_read_gives_the_numbers_of_what_was_drawn(variant):
    for seed in range(EACH):
        try:
            assert hold(seed, variant)
        except Failure as error:
            pytest.fail(f"document {seed}, {variant}: {error.kind}: {error}")


def test_documents_run_on_torch():
    for seed in range(101, 108):
        assert hold_paper(drawn(seed), seed, "torch")


def test_a_planted_fault_is_not_passed_in_silence():
    said = [found[1] for seed in range(FAULTS) if (found := faults.found(seed)) is not None]
    assert len(said) > FAULTS // 2
    assert "silent" not in said
    assert said.count("error") > 0.8 * len(said)


@pytest.mark.parametrize("broken", ["sum", "mean"])
def test_the_law_can_fail(broken, monkeypatch):
    monkeypatch.setitem(tree.REDUCTIONS, broken, np.max)
    with pytest.raises(Failure, match=r"for array|for np"):
        hold_all(20)


def hold_all(count):
    for seed in range(count):
        hold(seed)
