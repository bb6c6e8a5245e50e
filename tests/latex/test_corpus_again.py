"""The corpus once more: printed and read again, or written as Python, its formulas give the same."""

from __future__ import annotations

import functools
import re
import types

import numpy as np
import pytest

import namedtensor as nt
import namedtensor.latex
from namedtensor.latex.printing.names import DIALECTS

from .corpus.subjects import ALL, DOCUMENTS
from .fixtures import in_turn
from .test_corpus import arrays, document, every_document, formula, named, tensor

WHOLE = [path for path in DOCUMENTS if path.stem != "refused"]
#: Where a formula asks for one step, or the steps differ, so many are printed.
LENGTHS = {"course": {"n": 5}}
#: What asks for a length or for a member is asked of the document itself.
SINGLE = [
    (path, entry)
    for path, entry in ALL
    if not entry.torch_only and not entry.chosen and entry.member is None and "^" not in entry.name
]


@functools.cache
def chosen(path):
    return document(path).bind(**LENGTHS.get(path.stem, {}))


@functools.cache
def printed(path, dialect):
    return namedtensor.latex.read(chosen(path).latex(dialect), f"{path.stem}.{dialect}")


@functools.cache
def module(path):
    made = types.ModuleType(path.stem)
    exec(compile(chosen(path).python(), path.stem, "exec"), vars(made))
    return made


def assert_same_numbers(path, entry, function):
    drawn = arrays(entry)
    given = {name: tensor(entry.inputs[name], array, "numpy") for name, array in drawn.items()}
    with np.errstate(divide="ignore"):
        result = function(**given) if callable(function) else function
        expected = formula(path, entry)(**given)
    numbers = [
        r.numpy(*entry.result.split()) if isinstance(r, nt.NamedTensor) else np.asarray(r)
        for r in (result, expected)
    ]
    np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-9)


@in_turn("path", WHOLE, DIALECTS)
def test_what_a_document_prints_is_read_and_checked_without_findings(path, dialect):
    again = printed(path, dialect)
    found = [f for f in [*again.findings, *again.check()] if f.severity != "note"]
    assert [str(finding) for finding in found] == []


@pytest.mark.parametrize(("path", "entry"), named(SINGLE))
def test_a_printed_formula_gives_the_same(path, entry):
    dialect = DIALECTS[SINGLE.index((path, entry)) % len(DIALECTS)]
    assert_same_numbers(path, entry, printed(path, dialect)[entry.name])


@pytest.mark.parametrize(("path", "entry"), named(SINGLE))
def test_a_formula_written_as_python_gives_the_same(path, entry):
    assert_same_numbers(path, entry, getattr(module(path), formula(path, entry).name))


@pytest.mark.parametrize("stem", LENGTHS)
def test_a_recurrence_without_its_length_is_left_out_with_a_comment(stem):
    path = next(path for path in DOCUMENTS if path.stem == stem)
    assert "is left out: " in document(path).latex()
    assert "is left out" not in chosen(path).latex()


@every_document
def test_python_that_is_written_twice_is_the_same(path):
    assert document(path).python() == namedtensor.latex.read_file(path).python()


PAGES = [path for path in DOCUMENTS if path.suffix == ".md"]
JOINED = [(a, b) for i, a in enumerate(PAGES) for b in [*PAGES[i + 1 :], *PAGES[:i]][::6]]


@pytest.mark.parametrize(("first", "second"), JOINED, ids=lambda path: path.stem)
def test_letters_may_mean_something_else_in_later_sections(first, second):
    pages = [path.read_text(encoding="utf-8") for path in (first, second)]
    if not re.search("^#", pages[0], re.MULTILINE):  # else its letters hold in all that follows
        pages[0] = f"# {first.stem}\n\n{pages[0]}"
    text = "\n\n".join(pages)
    joined = namedtensor.latex.read(text, f"{first.stem}+{second.stem}")
    found = [f for f in [*joined.findings, *joined.check()] if f.severity != "note"]
    assert [str(finding) for finding in found] == []
