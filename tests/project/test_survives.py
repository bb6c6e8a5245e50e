"""The packages run without asserts, without docstrings, without a home and where nothing can be written."""

import os
import subprocess
import sys

import pytest

from tests.project.interpreter import ROOT, python

SURVIVE = ("-m", "tests.project.survive")


@pytest.mark.parametrize("flag", [pytest.param("-O", marks=pytest.mark.long), "-OO"])
def test_what_is_refused_is_refused_without_asserts_and_docstrings(flag):
    python(flag, *SURVIVE)


def test_nothing_is_written_beside_the_packages():
    python("-B", *SURVIVE, str(ROOT / "namedtensor"), str(ROOT / "transformer_named"))


@pytest.mark.parametrize("home", ["/nonexistent", None])
def test_no_home_folder_is_needed(home, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    environment |= {"TMPDIR": str(tmp_path)} | ({} if home is None else {"HOME": home})
    done = subprocess.run(
        [sys.executable, *SURVIVE], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_file_that_is_written_is_noticed(tmp_path):
    code = "from tests.project.survive import watch; import sys; w = watch(sys.argv[1:]);"
    code += f"open({str(tmp_path / 'x')!r}, 'w').close(); print(len(w))"
    assert python("-c", code, str(tmp_path)).strip() == "1"
