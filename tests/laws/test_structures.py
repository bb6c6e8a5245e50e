"""Drawn structures of formulas give what positional torch gives, on every way that they run."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from namedtensor.nn.module import FormulaModule
from tests.laws import misused, positional, structure_drafts, structures
from tests.laws.agreement import Disagreement
from tests.laws.structure_drafts import HOLDING, PLAIN, structure

#: What `make check` runs: so many blocks of so many structures, each on three of the ways.
BLOCKS, EACH = 12, 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_structure_gives_what_its_positional_twin_gives(block):
    for seed in range(EACH * block, EACH * (block + 1)):
        drawn = structure(seed)
        try:
            structures.hold(drawn)
        except Disagreement as error:
            pytest.fail(f"{seed} {error}\n{drawn.text}\n{drawn.build}\n{drawn.given()}")


@pytest.mark.parametrize(("seed", "way"), [(2, "compiled"), (8, "exported"), (14, "exported")])
def test_a_structure_is_compiled_and_exported(seed, way):
    structures.hold(structure(seed), [way])


def test_every_way_and_every_kind_of_part_is_drawn():
    drawn = [structure(seed) for seed in range(BLOCKS * EACH)]
    ways = {way for d in drawn for way in structures.chosen(d)}
    assert ways == set(structures.WAYS)
    kinds = Counter(part.kind for d in drawn for form in d.forms for part in form.parts)
    assert [kind for kind in structure_drafts.KINDS if kinds[kind] < 5] == []
    text = "\n".join([d.text + d.build for d in drawn])
    for said in ("checkpoint(", "nt.scan", "nt.training()", "dict(", ".eval()", "enumerate("):
        assert said in text
    held = [x for d in drawn for _, made in d.made.every() for x in made.parts.values()]
    assert {len(stack) for stack in held if isinstance(stack, list)} == {0, 1, 2, 3}
    assert len(PLAIN) + len(HOLDING) > 20


def test_the_same_number_gives_the_same_structure():
    for seed in (3, 17):
        assert structure(seed).text == structure(seed).text
        assert structure(seed).build == structure(seed).build
    assert structure(3).text != structure(17).text


# ----------------------------------------------------------------------- the law itself can fail


def first_with(word, ways):
    return next(d for d in map(structure, range(400)) if word in d.root.text and holds(d, ways))


def holds(drawn, ways):
    try:
        structures.hold(drawn, ways)
    except Disagreement:
        return False
    return True


@pytest.mark.parametrize("word", ["tanh", "sigmoid", "softplus"])
def test_another_function_is_noticed(word, monkeypatch):
    drawn = first_with(f"    h = nt.{word}(h)\n    return", ["call"])
    monkeypatch.setattr(positional.nt, word, positional.nt.sin)
    assert not holds(drawn, ["call"])


def test_numbers_that_are_not_kept_are_noticed(monkeypatch):
    drawn = first_with("nt.update(m", ["deepcopy"])
    monkeypatch.setattr(FormulaModule, "store", lambda self, updates: None)
    assert not holds(drawn, ["deepcopy"])


def test_a_wrong_use_that_passes_is_noticed(monkeypatch):
    passing = lambda case, model: [("all is well", lambda: 3)]
    monkeypatch.setattr(misused, "called_wrongly", passing)
    with pytest.raises(Disagreement, match="all is well: silence"):
        structures.hold(structure(3), ["misused"])
    foreign = lambda case, model: [("torch says", lambda: torch.zeros(2) + torch.zeros(3))]
    monkeypatch.setattr(misused, "called_wrongly", foreign)
    with pytest.raises(Disagreement, match="torch says: RuntimeError"):
        structures.hold(structure(3), ["misused"])
