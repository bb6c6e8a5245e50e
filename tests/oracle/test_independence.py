"""The oracle owes nothing to what it judges: only its boundary knows the rest of the package."""

import ast
from pathlib import Path

import namedtensor.testing
from tests.project.interpreter import python

ORACLE = Path(namedtensor.testing.__file__).parent


def foreign_imports(source: str) -> set[str]:
    """List what a file of the oracle imports from the rest of the package."""
    named = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(node.module or "." * node.level)
    return {
        name
        for name in named
        if name.split(".")[0] in ("namedtensor", "") and not name.startswith("namedtensor.testing")
    }


def test_only_the_boundary_imports_from_the_rest_of_the_package():
    found = {file.name: foreign_imports(file.read_text()) for file in ORACLE.glob("*.py")}
    assert {name: imports for name, imports in found.items() if imports} == {
        "boundary.py": {"namedtensor.tensor"}
    }


def test_the_reader_of_imports_can_fail():
    assert foreign_imports("from namedtensor.backends import Backend") == {"namedtensor.backends"}
    assert foreign_imports("def f():\n    import namedtensor") == {"namedtensor"}
    assert foreign_imports("from . import boundary") == {"."}
    assert foreign_imports("from namedtensor.testing.records import record\nimport math") == set()


def test_definitions_compute_with_python_alone():
    """No array library does the oracle's sums: numpy stands only where tensors are converted."""
    using = {file.name for file in ORACLE.glob("*.py") if "numpy" in imports(file.read_text())}
    assert using == {"boundary.py", "comparison.py"}


def imports(source: str) -> set[str]:
    tree = ast.walk(ast.parse(source))
    return {a.name for node in tree if isinstance(node, ast.Import) for a in node.names}


def test_importing_the_oracle_loads_neither_torch_nor_hypothesis():
    code = "import sys, namedtensor.testing; print({'torch', 'hypothesis'} & set(sys.modules))"
    assert python("-c", code).strip() == "set()"
