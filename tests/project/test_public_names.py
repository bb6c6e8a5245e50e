"""The public names are those that public_names.txt lists: adding or losing one is a decision.

Operations are listed by the law row that each of them has.
"""

from pathlib import Path

from tests.laws.test_the_table_is_complete import COVERED
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
    now = [name for name in python("-c", NAMES).split() if name not in COVERED]
    listed = LIST.read_text().split()
    added, lost = sorted(set(now) - set(listed)), sorted(set(listed) - set(now))
    assert now == listed, (
        f"public names added: {added}; lost: {lost}.\n"
        "If that is meant, say so in CHANGELOG.md and run\n"
        "  .venv/bin/python -m tests.project.test_public_names"
    )


if __name__ == "__main__":
    names = [name for name in python("-c", NAMES).split() if name not in COVERED]
    LIST.write_text("\n".join(names) + "\n")
