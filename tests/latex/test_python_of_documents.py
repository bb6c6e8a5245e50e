"""A document is a Python module that computes the same; python -> LaTeX -> python is stable."""

from pathlib import Path

import numpy as np
import pytest

from namedtensor.command.inputs import as_arguments, drawn, inputs_of
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.latex import read, read_file
from namedtensor.latex.python import python_of
from namedtensor.testing import assert_close
from tests.latex.corpus.subjects import DOCUMENTS
from tests.shares import one_in
from transformer_named import formulated, named_tensors

MENDED = Path(__file__).with_name("mended_encoder.md")
documents = pytest.mark.parametrize("path", [*DOCUMENTS, MENDED], ids=lambda path: path.name)


def module(text):
    names = {"__name__": "module"}
    exec(text, names)
    return names


def formulas_of(path):
    """Give the formulas of a document that can be written."""
    document = read_file(path)
    formulas = document.bind(L=2).formulas if path == MENDED else document.formulas
    failed = []
    python_of(formulas, failed)
    return [f for f in formulas if f.signature.parameters and can_be_written(f)]


def can_be_written(formula):
    try:
        formula.written()
    except NamedTensorError:
        return False
    return True


def latex_of(names):
    """Print the formulas of a module as a document, each once."""
    found = [f for f in names.values() if isinstance(f, Formula)]
    blocks = [block for f in found for block in f.latex("underset").split("\n\n")]
    return "\n\n".join(dict.fromkeys(blocks))


@documents
def test_a_module_computes_what_its_document_computes(path):
    formulas = formulas_of(path)
    names = module(python_of(formulas))
    for formula in {f.name: f for f in formulas}.values():  # the last of a name keeps it
        values = as_arguments(drawn(inputs_of(formula), {}, {}, seed=0))
        with np.errstate(all="ignore"):
            try:
                wanted = formula(**values)
            except NamedTensorError:  # sizes that the document wants otherwise
                continue
            assert_close(names[formula.name](**values), wanted)


def assert_stable(text):
    """Python -> LaTeX -> Python: what is printed of a module reads as the same module."""
    first = read(latex_of(module(text))).python()
    assert read(latex_of(module(first))).python() == first


@pytest.mark.parametrize("path", one_in(3, [*DOCUMENTS, MENDED]), ids=lambda path: path.name)
def test_the_module_of_a_document_is_stable(path):
    assert_stable(python_of(formulas_of(path)))


@pytest.mark.parametrize("models", [named_tensors, formulated], ids=lambda m: m.__name__)
def test_the_formulas_of_the_models_are_stable(models):
    failed = []
    assert_stable(python_of([f for f in vars(models).values() if isinstance(f, Formula)], failed))
    assert all("is a stack of any number of layers" in str(error) for error in failed)
