"""The walks through CONTRIBUTING.md work as they are written there, in a copy of the package."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"^ *```python\n *# (at the end of|inside|before) (?:(\w+) of )?(\S+)\n(.*?)^ *```$",
    re.M | re.S,
)


def steps(title: str) -> list[tuple[str, str, str, str]]:
    """Give the steps of a walk: how, in which name, in which file, and the code."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    return [
        (how, name, file, textwrap.dedent(code)) for how, name, file, code in BLOCK.findall(section)
    ]


def follow(title: str, folder: Path) -> set[str]:
    """Copy package and tests, do what the steps say, and give the files that they touched."""
    for part in ("namedtensor", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / file, folder)
    touched = set()
    for how, name, file, code in steps(title):
        text = (folder / file).read_text()
        start = re.search(rf"^{name}\b.*[({{\[]\n", text, re.M) if name else None
        if how == "at the end of":
            text = f"{text}\n\n{code}"
        else:
            assert start is not None, f"{file} has no {name}"
            place = start.end() if how == "inside" else start.start()
            added = f"{code.rstrip()},\n" if how == "inside" else code
            text = text[:place] + added + text[place:]
        (folder / file).write_text(text)
        touched.add(file)
    return touched


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True
    )


def laws(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    files = [
        f"tests/laws/test_{what}.py" for what in ("laws", "derivatives", "the_table_is_complete")
    ]
    return run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-k", name)


#: What a walk adds, its most files, and a fault in its derivative, its call or its definition.
ADDED = {
    "Adding an elementwise operation": (
        "deg2rad",
        4,
        {
            "namedtensor/testing/elementwise.py": ("x * math.pi / 180", "x * math.pi / 200"),
            "namedtensor/operations/elementwise.py": ("lambda x, y: pi / 180", "lambda x, y: pi"),
        },
    ),
    "Adding a reduction": (
        "sumsq",
        6,
        {
            "namedtensor/testing/reductions.py": (
                '"sumsq": lambda xs: sum',
                '"sumsq": lambda xs: max',
            ),
            "namedtensor/operations/reductions.py": (
                "2 * each(sum, use)(use.o",
                "each(sum, use)(use.o",
            ),
        },
    ),
}


@pytest.mark.parametrize("title", ADDED)
def test_an_operation_is_added_as_the_walk_says(title, tmp_path):
    name, most, _ = ADDED[title]
    assert len(follow(title, tmp_path)) <= most
    done = laws(tmp_path, name)
    assert re.search(r"\b[1-9]\d* passed", done.stdout), done.stdout + done.stderr
    assert done.returncode == 0, done.stdout
    example = run(tmp_path, "-c", EXAMPLE.format(name=name))
    assert example.returncode == 0, example.stdout + example.stderr


#: Runs the docstring's example.
EXAMPLE = """
import doctest, sys
import namedtensor as nt
test = doctest.DocTestFinder().find(getattr(nt, "{name}"), "{name}", globs=dict(nt=nt))[0]
sys.exit(doctest.DocTestRunner().run(test).failed or not test.examples)
"""


#: The second fault of each walk is tried by `make check-long`.
FAULTS = [
    pytest.param(title, file, marks=[pytest.mark.long] * (number > 0))
    for title, (_, _, faults) in ADDED.items()
    for number, file in enumerate(faults)
]


@pytest.mark.parametrize(("title", "file"), FAULTS)
def test_a_fault_turns_the_law_of_a_new_operation_red(title, file, tmp_path):
    name, _, faults = ADDED[title]
    follow(title, tmp_path)
    right, wrong = faults[file]
    text = (tmp_path / file).read_text()
    assert text.count(right) == 1
    (tmp_path / file).write_text(text.replace(right, wrong))
    assert laws(tmp_path, name).returncode == 1


def test_a_kernel_rule_is_added_as_the_walk_says(tmp_path):
    assert len(follow("Adding a kernel rule", tmp_path)) == 3
    file = "tests/kernels/test_kernels_are_formulas.py"
    done = run(
        tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", file, "-k", "rule and hypot"
    )
    assert re.search(r"\b[1-9]\d* passed", done.stdout), done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("title", [*ADDED, "Adding a kernel rule"])
def test_every_block_of_a_walk_is_a_step(title):
    section = (ROOT / "CONTRIBUTING.md").read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    assert section.count("```python") == len(steps(title)) > 2
