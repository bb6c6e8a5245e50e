"""Each document's page keeps the house rules: sources named, equations shown, torch left unloaded."""

import importlib
import re

import pytest

from tests.project.interpreter import python

PAGES = [
    "named_tensors",
    "formulated",
    "forward_pass",
    "the_transformer",
    "introduction",
    "attention_notes",
]


def formulas(page):
    """Give the formulas and functions that a page defines."""
    module = importlib.import_module(f"transformer_named.{page}")
    return {
        name: thing
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__ and thing.__doc__
    }


EVERY = [(page, name) for page in PAGES for name in formulas(page)]


@pytest.mark.parametrize(("page", "name"), EVERY)
def test_every_formula_says_what_it_computes_and_whence(page, name):
    doc = formulas(page)[name].__doc__
    first, *_ = doc.splitlines()
    assert re.fullmatch(r"[A-Z][a-z]+ .*[.:]", first), first
    assert re.search(r"Source: document 00\d", doc)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_with_its_axes(page):
    doc = importlib.import_module(f"transformer_named.{page}").__doc__
    assert re.match(r"Document 00\d, ", doc)
    assert "| axis | size | what it runs over |" in doc


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_without_torch(page):
    loaded = python("-c", f"import transformer_named.{page}, sys; print('torch' in sys.modules)")
    assert loaded.strip() == "False"
