"""A raise whose text no page of these tests compares is found here."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import namedtensor
from namedtensor import errors

LIBRARY = Path(namedtensor.__file__).parent
ROOMS = ("axes.py", "shape.py", "primitives", "tensor", "operations", "formula", "nn", "weights")
ELSEWHERE = {
    "formula/signature.py": "tests/formula/test_written_annotations.py",
    "tensor/torch_pytree.py": "tests/torch_whole",
    "tensor/splits.py": "tests/torch_whole/test_sharding.py",
    "formula/explain.py": "tests/kernels",
    "weights/files.py": "tests/weights/test_files.py",
    "weights/__init__.py": "tests/weights/test_sources.py and the others there",
    "formula/checked.py": "tests/formula/test_checked.py",
    "nn/collate.py": "tests/nn/test_collate.py",
}
PAGES = [
    *[
        f"tests.errors.{p.stem}"
        for p in Path(__file__).parent.glob("test_*.py")
        if p != Path(__file__)
    ],
    "tests.nn.test_nothing_is_lost_silently",
    "tests.traps.test_given_to_other_libraries",
]
OURS = {name for name, value in vars(errors).items() if inspect.isclass(value)}


def raises(source):
    """List the first and last line of each place where one of our errors is raised by its name."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            names = [n.id for n in ast.walk(node.exc) if isinstance(n, ast.Name)]
            if OURS.intersection(names):
                found.append((node.lineno, node.end_lineno))
    return found


def unreached(files, seen):
    """Name the raises of these files on none of whose lines an error was made."""
    return [
        f"{name}:{first}"
        for name, source in files.items()
        for first, last in raises(source)
        if not any((name, line) in seen for line in range(first, last + 1))
    ]


@pytest.fixture
def made(monkeypatch):
    """The lines of the library that were running when each error was made."""
    lines = set()
    usual = errors.NamedTensorError.__init__

    def remembered(self, *args, **kwargs):
        frame = inspect.currentframe()
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(LIBRARY):
                lines.add((path.relative_to(LIBRARY).as_posix(), frame.f_lineno))
            frame = frame.f_back
        usual(self, *args, **kwargs)

    monkeypatch.setattr(errors.NamedTensorError, "__init__", remembered)
    return lines


def sources():
    paths = [p for room in ROOMS for p in (LIBRARY / room, *(LIBRARY / room).rglob("*.py"))]
    names = {p.relative_to(LIBRARY).as_posix(): p for p in paths if p.suffix == ".py"}
    return {n: p.read_text() for n, p in names.items() if n not in ELSEWHERE}


def test_every_raise_of_the_library_has_its_text_compared(made):
    for page in PAGES:
        for case in getattr(importlib.import_module(page), "CASES", ()):
            call = case.values[0] if hasattr(case, "values") else case[0]
            with pytest.raises(errors.NamedTensorError):
                call()
    # asked by torch.compile alone, which has no sizes to give
    left = [at for at in unreached(sources(), made) if not at.startswith("formula/trace.py")]
    assert left == []


def test_a_raise_that_nobody_reaches_is_named():
    source = (
        "def f(x):\n    if x:\n        raise AxisSizeError('f(x)', 'x is wrong')\n    return x\n"
    )
    assert unreached({"new.py": source}, {("new.py", 2)}) == ["new.py:3"]
    assert unreached({"new.py": source}, {("new.py", 3)}) == []


def test_a_raise_of_another_class_is_not_ours():
    assert raises("def f():\n    raise ValueError('no')\n") == []
