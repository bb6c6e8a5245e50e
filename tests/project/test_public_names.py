"""The public names are those that public_names.txt lists: adding or losing one is a decision."""

from pathlib import Path

from tests.project.interpreter import python

LIST = Path(__file__).with_name("public_names.txt")

# In a fresh interpreter: a test that imports a submodule would add its name to the package.
NAMES = """
from types import ModuleType
import namedtensor as nt
for name in sorted(dir(nt)):
    if not name.startswith("_") and not isinstance(getattr(nt, name), ModuleType):
        print(name)
"""


def test_the_public_names_are_those_listed():
    now = python("-c", NAMES).split()
    listed = LIST.read_text().split()
    added, lost = sorted(set(now) - set(listed)), sorted(set(listed) - set(now))
    assert now == listed, (
        f"public names added: {added}; lost: {lost}.\n"
        "If that is meant, say so in CHANGELOG.md and run\n"
        "  .venv/bin/python -m tests.project.test_public_names"
    )


if __name__ == "__main__":
    LIST.write_text(python("-c", NAMES))
