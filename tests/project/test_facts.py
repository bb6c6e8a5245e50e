"""Facts of operations stand at their entries: no list of their names stands anywhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import namedtensor
from namedtensor.primitives import table

PACKAGE = Path(namedtensor.__file__).parent

#: Files with lists of words that are also names of operations, and what those words are there.
ALLOWED = {
    "latex/reading/words.py": "words and commands of LaTeX",
    "latex/reading/clean.py": "kinds of tokens",
    "latex/printing/names.py": "commands of LaTeX, which are no names for macros",
    "latex/evaluation/vocabulary.py": "words of writers, for which the notation has others",
    "latex/documents/reach.py": "kinds of meanings",
    "tensor/habits.py": "kinds of hints",
    "tensor/updates.py": "methods of an update",
    "tensor/wrong_calls.py": "arguments of functions of other libraries",
    "testing/": "the oracle: an independent definition of each operation",
}


def words_of(node: ast.AST) -> list[str]:
    """Give the strings that a literal lists: of a set, list, tuple or dict, or of text that is split."""
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        parts: list[ast.expr | None] = [*node.elts]
    elif isinstance(node, ast.Dict):
        parts = [*node.keys, *node.values]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and isinstance(node.func.value, ast.Constant)
    ):
        return str(node.func.value.value).split()
    elif isinstance(node, ast.MatchOr):
        parts = [p.value for p in node.patterns if isinstance(p, ast.MatchValue)]
    else:
        return []
    return [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]


def lists_of_operations(text: str) -> Iterator[tuple[int, list[str]]]:
    """Give the line and the names of each literal that has two names of operations or more."""
    for node in ast.walk(ast.parse(text)):
        found = sorted(set(words_of(node)) & set(table()))
        if len(found) > 1:
            yield node.lineno, found  # type: ignore[attr-defined]


def outside() -> list[tuple[str, str]]:
    """List the files of the package that hold no entries of operations."""
    files = [p.relative_to(PACKAGE).as_posix() for p in sorted(PACKAGE.rglob("*.py"))]
    return [(f, (PACKAGE / f).read_text()) for f in files if not f.startswith("operations/")]


def test_no_list_of_operations_stands_outside_their_entries():
    faults = [
        f"{file}:{line}: {', '.join(names)}"
        for file, text in outside()
        if not file.startswith(tuple(ALLOWED))
        for line, names in lists_of_operations(text)
    ]
    assert faults == []


@pytest.mark.parametrize("allowed", ALLOWED)
def test_a_file_that_is_allowed_such_lists_has_one(allowed):
    own = [text for file, text in outside() if file.startswith(allowed)]
    assert any(list(lists_of_operations(text)) for text in own)


@pytest.mark.parametrize(
    "text",
    [
        'FRESH = {"add", "mul"}',
        'FRESH = frozenset("exp sum".split())',
        'RULES = {"exp": 1, "log": 2}',
        'WORDS = {"a": "sum", "b": "prod"}',
        'if node.name in ("add", "sub"): pass',
        'KNOWN = ["softmax", "other", "dot"]',
        'match name:\n    case "add" | "sub": pass',
    ],
)
def test_the_test_finds_such_a_list(text):
    assert list(lists_of_operations(text))


def test_single_names_and_other_words_are_no_such_list():
    assert not list(lists_of_operations('X = {"add", "other"}; node.name == "dot"'))
