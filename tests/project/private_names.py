"""A reader of the underscore names that our files take from other people's packages."""

import ast
from collections.abc import Iterator
from pathlib import Path

# Where no public door exists, one file goes through a private one: the names that it may take.
# test_private_names.py watches each of torch's, and says when it has moved.
ALLOWED = {
    "namedtensor/backends/torch_attention.py": {"torch._C", "torch._C._functorch"},
    "namedtensor/backends/torch_random.py": {"torch._standard_gamma"},
    "namedtensor/errors.py": {"sys._getframe"},  # documented under that name
    "namedtensor/formula/signature.py": {"sys._getframe"},
    "namedtensor/nn/recomputing.py": {"torch._C", "torch._C._current_graph_task_id"},
    "namedtensor/primitives/origins.py": {"sys._getframe"},
    "namedtensor/tensor/labels.py": {"sys._getframe"},
    "namedtensor/tensor/torch_refusals.py": {"sys._getframe"},
    "namedtensor/tensor/torch_pytree.py": {
        "torch.utils._pytree",
        "torch.utils.data._utils.collate.default_collate_fn_map",  # which torch's own documentation extends
    },
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


def private_uses(package: Path) -> dict[str, set[str]]:
    """Give, for each file of a package that takes private names of others, those names."""
    uses: dict[str, set[str]] = {}
    for file in sorted(package.rglob("*.py")):
        names = {name for _, name in private_names(file.read_text(), package.name)}
        if names:
            uses[file.relative_to(package.parent).as_posix()] = names
    return uses
