"""The versions that are promised are those of pyproject.toml, and the command that runs them can fail."""

import re
import sys

import pytest
import torch

from tests import versions
from tests.project.interpreter import ROOT
from tests.project.stored import exchange


def test_the_bounds_of_pyproject_are_those_that_are_promised():
    page = (ROOT / "docs/promises.md").read_text()
    [first, last] = re.findall(
        r"Python 3\.11 to 3\.13, torch ([\d.]+) to ([\d.]+) and numpy", page
    )[0]
    major, minor = last.split(".")
    assert f"torch>={first},<{major}.{int(minor) + 1}" in versions.RUN_TIME
    assert "numpy>=2.0" in versions.RUN_TIME
    assert versions.PYTHONS.split() == ["python3.11", "python3.12", "python3.13"]
    assert versions.PROJECT["requires-python"] == ">=3.11"


def test_the_lower_bound_of_each_dependency_is_what_the_oldest_environment_asks_for():
    lowest = [versions.lowest(requirement) for requirement in versions.RUN_TIME]
    assert {"numpy==2.0.*", "torch==2.13.*"} <= set(lowest)
    left = versions.pins((ROOT / "constraints.txt").read_text())
    assert "pytest==" in left
    assert not re.search(r"^(numpy|torch)==", left, re.MULTILINE)


def test_a_python_that_is_not_here_is_said_and_not_skipped():
    asked = f"{sys.executable} python9.9"
    found = list(versions.environments(asked))
    assert [e.why_not for e in found] == ["", "", "no such interpreter here"]
    assert [e.bounds for e in found] == ["oldest", "newest", "newest"]


def test_a_red_part_of_the_suite_is_red(tmp_path):
    (tmp_path / "test_red.py").write_text("def test_red():\n    assert False\n")
    counts, well, _ = versions.run(sys.executable, str(tmp_path), "0")
    assert counts == {"failed": 1}
    assert not well


def test_what_an_environment_writes_it_reads(tmp_path):
    exchange.store(tmp_path)
    exchange.check(tmp_path)


def test_what_another_version_would_read_otherwise_is_found(tmp_path):
    exchange.store(tmp_path)
    torch.save(exchange.write.torch_tensor() + 1.0, tmp_path / "tensor.pt")
    with pytest.raises(AssertionError, match=r"tensor\.pt differs"):
        exchange.check(tmp_path)
