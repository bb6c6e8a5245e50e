"""Changes of one axis are noticed; `python -m tests.check.mutation` measures all of the repository."""

import ast
import io

import pytest

from tests.check import mutation
from tests.check.mutation import changes, measure
from tests.check.test_python_files import ATT, HEAD


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_nine_of_ten_changes_of_the_transformer_are_noticed(monkeypatch, every):
    monkeypatch.chdir(mutation.ROOT)
    files = ["transformer_named/the_transformer.py"]
    total, legal, noticed = measure(files, io.StringIO(), every)
    assert total > 150 // every
    assert noticed / (total - legal) >= 0.9
    monkeypatch.setattr(mutation, "remarks", lambda written: [])
    without = measure(files, io.StringIO(), every)
    assert without[:2] == (total, legal)
    assert without[2] < noticed


def test_every_axis_and_renaming_is_changed():
    scope: dict = {}
    exec(HEAD, scope)
    text = "def f(X: R[seq, key]) -> R[seq_]:\n    return nt.sum[key](X[seq >> seq_])\n"
    found = [what for _, what, _ in changes(ast.parse(text).body[0], scope)]
    assert len(found) == 6 * 2 + 1 + 3
    assert "line 2: without X[seq >> seq_]" in found
    assert "line 1: R[seq, key] -> R[key,]" in found
    assert ATT
