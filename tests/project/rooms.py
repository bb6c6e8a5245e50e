"""The rooms of the package `namedtensor`, in order, and a reader of its imports.

Source: the design's list of rooms. A room imports only from itself and from rooms above it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOMS = [
    "doors",
    "compilers",
    "errors",
    "axes",
    "shape",
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

#: What a file asks of a room below it for its types alone: what f.module(...) gives.
FOR_TYPES = {("formula/formula.py", "namedtensor.nn.module")}

#: The files that import one another, at once or later or for types, and why they are not one-way.
CIRCLES = {
    "check.answers check.server": "a server asks for answers, which are about its documents",
    "formula.formula formula.stacked": "each[layer, 'stacked'] is a formula that is made of one",
    "latex.check.checker latex.check.functions latex.check.scope": (
        "a definition is evaluated in a scope, which asks for the definitions and functions it names"
    ),
    "latex.documents.applied latex.documents.bodies latex.documents.formulas": (
        "a formula runs a body, whose calls are of the formulas of the same document"
    ),
    "operations.ordering operations.reductions operations.vectors": (
        "softmax and sorting are made of reductions, and derivatives of reductions of them"
    ),
    "primitives.call primitives.node primitives.primitive": (
        "a node is of an operation, whose rule reads a call, and a call reads nodes"
    ),
    "tensor.apply tensor.diagnose": "a call that fails is applied once more, to find the words",
    "tensor.named tensor.operators tensor.updates": "operators and updates of a tensor make tensors",
}


def room_of(file: Path, package: Path) -> str:
    """Name the room in which a file of the package lies."""
    return file.relative_to(package).with_suffix("").parts[0]


def imports_of(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield each import statement, inside of functions and for types too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


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


def upward_imports(package: Path, rooms: list[str] = ROOMS) -> list[str]:
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
        for statement in imports_of(ast.parse(file.read_text())):
            for name in modules_named(statement, file, package):
                outer, _, rest = name.partition(".")
                if outer != package.name or (where, name) in FOR_TYPES:
                    continue
                asked = rest.split(".")[0]
                line = f"{where}:{statement.lineno}"
                if asked not in rooms:
                    faults.append(f"{line}: imports {name}, which is not in a room")
                elif rooms.index(asked) > rooms.index(room):
                    faults.append(f"{line}: {room} imports {asked}, a room below it")
    return faults


def doors_asked(package: Path) -> set[str]:
    """List the doors that the files of a package ask for."""
    texts = [file.read_text() for file in package.rglob("*.py") if file.name != "doors.py"]
    return {name for text in texts for name in re.findall(r'door\("([\w.]+)"\)', text)}


def circles(package: Path) -> list[set[str]]:
    """List the files that import one another, at once or later or for types: a set for each circle."""
    files = {}
    for file in sorted(package.rglob("*.py")):
        name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        files[name.removesuffix(".__init__")] = file
    asked: dict[str, set[str]] = {}
    for name, file in files.items():
        asked[name] = set()
        where = file.relative_to(package).as_posix()
        for statement in imports_of(ast.parse(file.read_text())):
            for module in modules_named(statement, file, package):
                if (where, module) in FOR_TYPES:
                    continue
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
