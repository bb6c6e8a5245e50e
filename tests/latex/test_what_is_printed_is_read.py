"""The law of the printer: what it prints is read back as the very same tree, in both dialects."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from namedtensor.latex import LatexError, read
from namedtensor.latex.printer import latex_of
from namedtensor.primitives import table
from namedtensor.primitives.notation import KERNEL
from tests.latex.expressions import g, random_formula
from tests.latex.formulas import FORMULAS

#: So many formulas are drawn in each of four parts, and each is printed in both dialects.
COUNT = 500
PARTS = 4

#: What is another tree each time it is made, has no one operation, or is made of sizes alone.
NEVER = {"dropout", "rearrange", "slice_size"}

#: Formulas that are read as another tree, or not at all, and why.
OTHERWISE = {
    "introduction.encoder_layer": "calls phi_A with a setting that is a word",
    "introduction.decoder_layer": "calls phi_A with a setting that is a word",
    "forward_pass.Embedding": "has (i + 1) - 1, which reads as i",
}


def called(formula, found):
    """List a formula after those that it calls."""
    for inner in formula.written().called.values():
        called(inner, found)
    found.setdefault(formula.name, formula)
    return found


def same(text, name, written):
    """Say whether a text defines the same tree under this name."""
    return read(text)[name].written().results == written.results


@pytest.mark.parametrize("part", range(PARTS))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=COUNT, deadline=None)
def test_what_is_printed_is_read_as_the_same_tree(part, seed):
    written = random_formula(random.Random(f"{part} {seed}"), depth=3).written()
    for dialect in ("macros", "underset"):
        before = [g.latex(dialect)] if written.called else []
        text = "\n\n".join([*before, latex_of(written, dialect)])
        assert same(text, "f", written), text


def test_every_construct_is_drawn():
    drawn = set()
    for seed in range(PARTS * COUNT):
        pending = list(random_formula(random.Random(seed), depth=3).written().results)
        while pending:
            node = pending.pop()
            drawn.add(node.name)
            pending += node.operands
    wanted = {name for name, entry in table().items() if entry.notation is not KERNEL}
    assert wanted - drawn == NEVER


def test_the_law_can_fail():
    written = random_formula(random.Random(2), depth=3).written()
    text = latex_of(written)
    assert same(text, "f", written)
    for before, after in (("X", "b^1"), ("W^1", r"\gamma"), (r"\odot", "+"), ("emb", "seq")):
        head, _, body = text.rpartition("&= ")
        if before in body:
            broken = f"{head}&= {body.replace(before, after, 1)}"
            with pytest.raises((AssertionError, LatexError)):
                assert same(broken, "f", written)
            return
    raise AssertionError("nothing was there to break")


@pytest.mark.parametrize("dialect", ["macros", "underset"])
@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - OTHERWISE))
def test_the_formulas_of_the_models_are_read_as_the_same_trees(name, dialect):
    formula = FORMULAS[name]
    text = "\n\n".join([f.latex(dialect) for f in called(formula, {}).values()])
    assert same(text, formula.name, formula.written())
