"""Every public function says what it takes, what it does in one line, and shows an example that runs."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import namedtensor as nt
from tests.laws.test_the_table_is_complete import public_functions

#: Functions that really take any number: tensors, axes of a new tensor, or what another function takes.
ANY_NUMBER = {
    *("cases", "concat", "dot", "eye", "stack", "zeros", "ones", "full", "tensor"),
    *("diagram", "explain", "fold", "index", "scan", "steps", "update"),
    *("normal", "uniform", "randint", "exponential", "laplace", "gumbel", "gamma", "beta"),
    *("bernoulli", "poisson", "permutation"),
}

#: Functions without an example; none may be added.
WITHOUT_EXAMPLE: set[str] = set()


def catch_alls(function):
    """Name the parameters of a function that take whatever is given."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]


def faults(doc):
    """Say what a docstring lacks."""
    first = (doc or "").strip().split("\n")[0]
    found = [] if re.fullmatch(r"[A-Z].*[.:]", first) else ["one line"]
    return found if ">>> " in (doc or "") else [*found, "an example"]


@pytest.mark.parametrize("name", sorted(public_functions() - ANY_NUMBER))
def test_a_signature_tells_all_arguments(name):
    assert catch_alls(getattr(nt, name)) == []


@pytest.mark.parametrize("name", sorted(public_functions() - WITHOUT_EXAMPLE))
def test_a_docstring_has_one_line_and_an_example(name):
    assert faults(inspect.getdoc(getattr(nt, name))) == []


def test_what_is_excused_needs_it():
    assert {n for n in ANY_NUMBER & public_functions() if not catch_alls(getattr(nt, n))} == set()
    assert {n for n in WITHOUT_EXAMPLE if not faults(inspect.getdoc(getattr(nt, n)))} == set()


def test_what_is_wrong_is_seen():
    assert catch_alls(lambda X, *operands, **named: X) == ["operands", "named"]
    assert faults("no sentence") == ["one line", "an example"]
    assert faults("Add.\n\n>>> 1 + 1\n2") == []


def arguments_of(source):
    """Tell of each typed argument of a source whether its type is Any, which says nothing."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            given = node.args
            every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
            typed = [a.annotation for a in every if a is not None and a.annotation is not None]
            yield from [isinstance(note, ast.Name) and note.id == "Any" for note in typed]


@pytest.mark.parametrize("room", ["operations", "tensor"])
def test_fewer_than_a_tenth_of_the_arguments_are_typed_any(room):
    files = (Path(nt.__file__).parent / room).glob("*.py")
    found = [bare for file in files for bare in arguments_of(file.read_text())]
    assert sum(found) < 0.1 * len(found), f"{sum(found)} of {len(found)}"


def test_an_argument_typed_any_is_counted():
    source = "def f(self, a: Any, *b: Any, c: list[Any], **d: int): ..."
    assert list(arguments_of(source)) == [True, True, False, False]


def test_a_function_whose_axes_are_given_keeps_its_signature():
    assert inspect.signature(nt.softmax["seq"]) == inspect.signature(nt.softmax)
    assert list(inspect.signature(nt.pad["seq"]).parameters)[:3] == ["X", "before", "after"]
