"""Users' type checkers read models as users write them, and tell a mistake in a call.

The models in `typed` were written from the README alone. They run, mypy --strict with our plugin and pyright
find nothing in them, and both find what is planted in `typed/mistakes.py`, and nothing else there.
"""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "typed"
MODELS = ["batch_norm", "experts", "lstm", "transformer", "vit"]


def lines_of(said, pattern):
    """Collect the lines that a checker finds fault with, by file."""
    found = {}
    for line in said.splitlines():
        match = re.match(pattern, line)
        if match:
            found.setdefault(Path(match[1]).name, set()).add(int(match[2]))
    return found


def mypy():
    """Run mypy on the files, in the project's own settings and cache; give what it finds."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *sorted(FILES.glob("*.py"))],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return lines_of(run.stdout, r"(.*?):(\d+): error: ")


def pyright(folder, **settings):
    """Run pyright on the files; give what it finds."""
    config = {
        "include": [str(FILES)],
        "extraPaths": [str(ROOT)],
        "typeCheckingMode": "standard",
        **settings,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "basedpyright", "-p", folder, "--pythonpath", sys.executable]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return lines_of(run.stdout, r"\s+(.*?):(\d+):\d+ - error: ")


def planted():
    """Give the lines of `mistakes.py` that are marked."""
    lines = (FILES / "mistakes.py").read_text().splitlines()
    return {place for place, line in enumerate(lines, 1) if "# mistake: " in line}


def test_mypy_with_the_plugin_finds_what_is_planted_and_nothing_else():
    assert mypy() == {"mistakes.py": planted()}


def test_pyright_finds_what_is_planted_and_nothing_else(tmp_path):
    found = pyright(tmp_path, strictParameterNoneValue=False)
    assert found == {"mistakes.py": planted()}


def test_pyright_as_it_comes_asks_for_none_in_the_type_of_what_may_be_left_out(tmp_path):
    found = pyright(tmp_path)
    left_out = {
        name: {
            place
            for place, line in enumerate((FILES / name).read_text().splitlines(), 1)
            if re.search(r": R\[[^|]*\] = None", line)
        }
        for name in ("lstm.py", "transformer.py")
    }
    assert found == {"mistakes.py": planted(), **left_out}


@pytest.mark.parametrize("name", MODELS)
def test_the_models_run(name):
    runpy.run_path(str(FILES / f"{name}.py"), run_name="__main__")
