"""What is read, checked, printed and drawn needs no array library, and no algebra system."""

import json

import pytest

from tests.latex.fixtures import SOME_OR_ALL, fixtures, said_of
from tests.project.interpreter import python

#: Refuse to import these, as where they are not installed.
BLOCKED = """
import importlib.abc, json, sys
class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {"numpy", "torch", "sympy", "opt_einsum", "einops", "matplotlib"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
"""


@SOME_OR_ALL
def test_documents_say_the_same_without_libraries(every):
    source = f"""
from tests.latex.fixtures import fixtures, said_of
print(json.dumps({{name: said_of(text, name) for name, text in fixtures({every})}}))
"""
    said = json.loads(python("-c", BLOCKED + source))
    assert said == {name: said_of(text, name) for name, text in fixtures(every)}
    assert len(said) > 200 / every


def test_a_fault_is_among_what_is_said():
    text = dict(fixtures())["faults.txt: a softmax of nothing"]
    (finding,) = said_of(text, "a.md")["findings"]
    assert finding.startswith("a.md:3:9: warning[nan]: f is nan for all numbers that were tried")


def test_a_formula_is_drawn_printed_and_counted_without_libraries():
    source = """
import namedtensor as nt
from namedtensor import R, formula
@formula
def f(X: R["seq emb"], *, W: R["emb hid"]) -> R["seq hid"]:
    return nt.softmax["seq"](W @ "emb" @ X)
print(f.latex() + nt.diagram(f).svg() + nt.steps(f, "seq[3] emb[2]", W="emb[2] hid[5]").text())
"""
    found = python("-c", BLOCKED + source)
    assert r"W \ndot{\name{emb}} X" in found
    assert "<svg" in found
    assert "softmax" in found


@pytest.mark.parametrize("module", ["namedtensor", "namedtensor.latex", "namedtensor.command"])
def test_importing_leaves_libraries_alone(module):
    heavy = "{'numpy', 'torch', 'sympy', 'opt_einsum', 'einops', 'matplotlib'}"
    assert python("-c", f"import {module}, sys; print({heavy} & set(sys.modules))") == "set()\n"


def test_the_block_blocks():
    with pytest.raises(AssertionError, match="numpy is not installed"):
        python("-c", BLOCKED + "import namedtensor as nt; nt.zeros('seq[3]').numpy()")
