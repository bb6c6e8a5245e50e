"""A reader of the underscore names that our files take from other people's packages."""

import ast
from collections.abc import Iterator
from pathlib import Path

# Where no public door exists, one small file goes through a private one,
# and a test beside it says when that door has moved.
ALLOWED: set[str] = {
    # sys._getframe, which Python documents under that name
    "namedtensor/formula/signature.py",
    "namedtensor/tensor/labels.py",
    # torch.utils._pytree, which has no public door; tests/project/test_private_names.py watches it
    "namedtensor/tensor/torch_pytree.py",
}


def is_private(word: str) -> bool:
    return word.startswith("_") and not (word.startswith("__") and word.endswith("__"))


def dotted(node: ast.expr) -> list[str]:
    """Read a.b.c as its words, or nothing if it is not such a chain."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    return [*words, node.id][::-1] if isinstance(node, ast.Name) else []


def private_names(source: str, own: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each underscore name taken from a package other than own."""
    tree = ast.parse(source)
    foreign: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == own:
                    continue
                foreign.add(alias.asname or alias.name.split(".")[0])
                if any(map(is_private, alias.name.split("."))):
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module is not None
            if node.module.split(".")[0] == own or node.module == "__future__":
                continue
            for alias in node.names:
                foreign.add(alias.asname or alias.name)
                name = f"{node.module}.{alias.name}"
                if any(map(is_private, name.split("."))):
                    yield node.lineno, name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            words = dotted(node)
            if words and words[0] in foreign:
                yield node.lineno, ".".join(words)


def private_uses(package: Path, allowed: set[str] = ALLOWED) -> list[str]:
    """List the private names that a package takes from others, as `file:line: name`."""
    faults = []
    for file in sorted(package.rglob("*.py")):
        where = file.relative_to(package.parent).as_posix()
        if where not in allowed:
            for line, name in private_names(file.read_text(), package.name):
                faults.append(f"{where}:{line}: {name}")
    return faults
