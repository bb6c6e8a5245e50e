"""The rooms of the package `namedtensor`, in order, and a reader of its imports.

Source: the design's list of rooms. A room imports only from itself and from rooms above it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOMS = [
    "errors",
    "axes",
    "shape",
    "compilers",
    "backends",
    "primitives",
    "expression",
    "plans",
    "tensor",
    "operations",
    "formula",
    "latex",
    "display",
    "nn",
    "sharding",
    "weights",
    "testing",
    "check",
    "command",
    "__main__",
]

# (importing file, imported room): upward imports, allowed only inside a function or under
# TYPE_CHECKING, so that they never run while the package is being imported.
DOORS: set[tuple[str, str]] = {
    ("formula/formula.py", "nn"),  # .module(...) is asked of a formula
    ("formula/formula.py", "display"),  # a formula shows itself
    ("formula/formula.py", "latex"),  # .latex() is asked of a formula
    ("formula/steps.py", "display"),  # steps show themselves
    ("shape.py", "display"),  # a shape shows itself
    ("tensor/named.py", "display"),  # a tensor shows itself
}


def room_of(file: Path, package: Path) -> str:
    """Name the room in which a file of the package lies."""
    return file.relative_to(package).with_suffix("").parts[0]


def imports_of(tree: ast.Module) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield each import statement, with whether it waits until the package is there."""

    def walk(node: ast.AST, deferred: bool) -> Iterator[tuple[ast.stmt, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, deferred
            else:
                waits = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or (
                    isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
                )
                yield from walk(child, deferred or waits)

    return walk(tree, False)


def modules_named(statement: ast.stmt, file: Path, package: Path) -> list[str]:
    """Give the full dotted names that one import statement of a file asks for."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    assert isinstance(statement, ast.ImportFrom)
    if statement.level == 0:
        start = statement.module or ""
    else:
        here = file.relative_to(package.parent).parts[: -statement.level]
        start = ".".join([*here, *([statement.module] if statement.module else [])])
    if start == package.name:
        return [f"{start}.{alias.name}" for alias in statement.names]
    return [start]


def upward_imports(
    package: Path, rooms: list[str] = ROOMS, doors: set[tuple[str, str]] = DOORS
) -> list[str]:
    """List every import that goes against the order of the rooms, as `file:line: why`."""
    faults = []
    for file in sorted(package.rglob("*.py")):
        where = file.relative_to(package).as_posix()
        if where == "__init__.py":  # the front door shows what every room has
            continue
        room = room_of(file, package)
        if room not in rooms:
            faults.append(f"{where}: {room} has no place in the order of the rooms")
            continue
        for statement, deferred in imports_of(ast.parse(file.read_text())):
            for name in modules_named(statement, file, package):
                outer, _, rest = name.partition(".")
                if outer != package.name:
                    continue
                asked = rest.split(".")[0]
                line = f"{where}:{statement.lineno}"
                if asked not in rooms:
                    faults.append(f"{line}: imports {name}, which is not in a room")
                elif deferred and (where, asked) in doors:
                    continue
                elif rooms.index(asked) > rooms.index(room):
                    faults.append(f"{line}: {room} imports {asked}, a room below it")
    return faults


def doors_not_used(package: Path, doors: set[tuple[str, str]] = DOORS) -> set[tuple[str, str]]:
    """List the doors that no file goes through, so that the table never outgrows the code."""
    used = set()
    for where, asked in doors:
        file = package / where
        if not file.exists():
            continue
        for statement, deferred in imports_of(ast.parse(file.read_text())):
            for name in modules_named(statement, file, package):
                if deferred and name.split(".")[:2] == [package.name, asked]:
                    used.add((where, asked))
    return doors - used


def circles(package: Path) -> list[set[str]]:
    """List the files that import one another while the package is being imported, a set for each circle."""
    files = {}
    for file in sorted(package.rglob("*.py")):
        name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        files[name.removesuffix(".__init__")] = file
    asked: dict[str, set[str]] = {}
    for name, file in files.items():
        asked[name] = set()
        for statement, deferred in imports_of(ast.parse(file.read_text())):
            if deferred:
                continue
            for module in modules_named(statement, file, package):
                inside = [f"{module}.{alias.name}" for alias in statement.names]
                asked[name] |= {m if m in files else module for m in inside} & set(files) - {name}

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            new = asked[waiting.pop()] - found
            found |= new
            waiting += new
        return found

    after = {name: reached(name) for name in files}
    found = {
        frozenset({other for other in after[name] if name in after[other]} | {name})
        for name in files
        if name in after[name]
    }
    return [set(circle) for circle in sorted(found, key=sorted)]
