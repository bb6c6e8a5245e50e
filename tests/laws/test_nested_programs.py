"""Programs whose constructs stand inside of each other give the same on every way that they can run."""

from __future__ import annotations

import ast
from typing import Any

import pytest

import namedtensor as nt
from namedtensor.operations import recurrence
from tests.laws import agreement, by_hand, drawn_nesting, nested, shortening
from tests.laws.agreement import Disagreement
from tests.laws.test_programs import Planted, traced
from tests.shares import first

#: What `make check` runs, and then what `make check-long` does; `python -m tests.laws.nested FIRST COUNT`
#: runs more.
BLOCKS, LONG, EACH = 2, 6, 9


@pytest.mark.parametrize("block", first(BLOCKS, range(BLOCKS + LONG)))
def test_every_way_to_run_a_nested_program_gives_the_same(block):
    for seed in range(EACH * block, EACH * (block + 1)):
        program = drawn_nesting.program(seed)
        try:
            nested.hold(program, seed)
        except Disagreement as error:
            pytest.fail(nested.shown(program, seed, error))


def test_all_constructs_are_drawn_inside_of_others():
    texts = [drawn_nesting.program(seed).source for seed in range(200)]
    deepest = max(map(depth, texts))
    assert deepest >= 3
    for word in (
        *("nt.scan[", "nt.fold[", "nt.associative_scan[", "emit=", "reverse=True", "nt.lift("),
        *("nt.iota(", "nt.define[", ".size(", "nt.where(", "layers=[", "bound(", ".at[", "@ '"),
        *("for layer in layers", "None, ", "nt.stack[", ">> A("),
    ):
        assert any(word in text for text in texts), word


def depth(text: str) -> int:
    """Count the loops inside of one another in the steps of a text."""

    def deepest(node: ast.AST) -> int:
        inside = max([deepest(n) for n in ast.iter_child_nodes(node)], default=0)
        own = isinstance(node, ast.FunctionDef) and node.name.startswith("step")
        return inside + own

    return deepest(ast.parse(text))


def test_the_same_number_gives_the_same_program():
    assert drawn_nesting.program(7) == drawn_nesting.program(7)
    assert drawn_nesting.program(7).source != drawn_nesting.program(8).source


# ------------------------------------------------------------------------------- the law can fail


def first_failure(words: str, count: int = 300) -> tuple[Any, int, Disagreement]:
    """Find a program with these words that fails."""
    for seed in range(count):
        program = drawn_nesting.program(seed)
        if words in program.source:
            try:
                nested.hold(program, seed)
            except Disagreement as error:
                return program, seed, error
    raise AssertionError("nothing fails")


FAULTS = {
    "numbers that everyone gets wrong": (
        lambda X: nt.tanh(X) + 0.125,
        "numbers: eager numpy for by hand",
    ),
    "numbers that only a formula gets wrong": (
        lambda X: nt.tanh(X) + 0.125 * (traced(X) and recurrence.steps_traced.get() > 0),
        "numbers: ",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault, monkeypatch):
    wrong, said = FAULTS[fault]
    monkeypatch.setitem(agreement.WORDS, "nt", Planted(tanh=wrong))
    assert str(first_failure("nt.tanh")[2]).startswith(said)


def test_a_broken_rule_of_loops_is_found_and_its_program_made_shorter(monkeypatch):
    monkeypatch.setattr(recurrence, "_lifted_like", lambda h, after: after)
    program, seed, error = first_failure("def step")
    assert error.kind.startswith("AxisMissingError")
    text = nested.shown(program, seed, error, seconds=10.0)
    assert "has lost" in text
    assert "@nt.formula\ndef program(" in text
    assert len(text.splitlines()) < 60


def test_what_means_nothing_by_hand_is_not_drawn():
    X = by_hand.T([[1.0, 2.0]], ["a", "b"])
    for nonsense in (
        lambda: by_hand.WORDS["nt"].sum["c"](X),
        lambda: X + by_hand.T([1.0, 2.0, 3.0], ["b"]),
        lambda: X[by_hand.Axis("a")(1)],
        lambda: by_hand.WORDS["nt"].fold["a"](lambda h, x: 1.0, by_hand.T([1.0], ["c"]), X),
    ):
        with pytest.raises(by_hand.Nonsense):
            nonsense()


def test_a_shorter_text_still_means_something():
    drawn = map(drawn_nesting.program, range(100))
    program = next(p for p in drawn if p.source.count("nt.scan") > 2)
    shorter = shortening.shortened(program, lambda other: "nt.scan" in other.source, 5.0)
    assert "nt.scan" in shorter.source
    assert len(shorter.source) < len(program.source)
