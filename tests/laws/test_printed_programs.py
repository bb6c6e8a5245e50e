"""Drawn programs are printed as LaTeX, and what is read of it is the same program."""

from collections import Counter

import pytest

import namedtensor as nt
from namedtensor import R, axes
from namedtensor.latex import LatexError, read
from namedtensor.latex.printing import forms, special
from tests.laws import printed, programs
from tests.laws.agreement import Disagreement
from tests.shares import first

#: What `make check` runs, and then what `make check-long` does: so many blocks of so many programs.
#: `python -m tests.laws.printed` runs more.
BLOCKS, LONG, EACH = 2, 6, 24


@pytest.mark.parametrize("block", first(BLOCKS, range(BLOCKS + LONG)))
def test_what_is_read_gives_the_numbers_of_what_was_printed(block):
    for seed in range(EACH * block, EACH * (block + 1)):
        try:
            printed.hold(programs.program(seed))
        except Disagreement as error:
            pytest.fail(f"program {seed}: {error}")


def test_few_programs_are_excluded():
    reasons = Counter(printed.excluded(programs.program(seed)) for seed in range(500))
    assert reasons[""] >= 410, reasons


def test_updates_decompositions_and_scatters_are_among_those_that_are_read():
    held = [p for p in map(programs.program, range(1500)) if not printed.excluded(p)]
    drawn = {name for program in held for name in program.primitives}
    words = "set_at add_at multiply_at min_at max_at eig eigh svd qr solve_triangular scatter"
    assert set(words.split()) - drawn == set()


@pytest.mark.parametrize(
    "broken", ["indices from 0", "ranges that begin later", "axes in disorder"]
)
def test_the_law_can_fail(broken, monkeypatch):
    if broken == "indices from 0":
        monkeypatch.setattr(forms.Forms, "from_one", lambda self, node: self.write(node).text)
    elif broken == "ranges that begin later":
        patched = {
            flags: "until" if word == "from" else word for flags, word in special.RANGES.items()
        }
        monkeypatch.setattr(special, "RANGES", patched)
    else:
        monkeypatch.setattr(special, "axes_of", lambda node: forms.axes_of(node)[::-1][:1])
    with pytest.raises((Disagreement, LatexError)):
        hold_many(40)


def hold_many(count):
    for seed in range(count):
        printed.hold(programs.program(seed))


seq = axes("seq")


def turned(x):
    return x[::-1]


@pytest.mark.parametrize(
    ("word", "body"),
    [
        ("normal", lambda X: X + nt.normal(seq[3])),
        ("uniform", lambda X: X[seq(nt.permutation(seq[3]))]),
        ("turned", lambda X: nt.lift(turned, "seq -> seq")(X)),
    ],
)
def test_what_has_no_text_is_refused_at_its_place(word, body):
    def f(X: R[seq]) -> R[seq]:
        return body(X)

    text = nt.formula(f).latex("underset")
    with pytest.raises(LatexError, match=f"{word} is not defined here"):
        read(text)["f"].written()
