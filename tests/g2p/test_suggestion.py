"""What the demo suggests at its end can be typed in the folder where it ran."""

import subprocess
import sys
from pathlib import Path

import pytest

from transformer_named.g2p import demo


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Make a folder with an environment in it, as make does, and go there."""
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(binaries / "python"))
    monkeypatch.chdir(tmp_path)

    def install() -> Path:
        command = binaries / "transformer-named"
        command.write_text("#!/bin/sh\necho $*\n")
        command.chmod(0o755)
        return command

    return install


def typed(command: str) -> str:
    return subprocess.run(
        f"{command} g2p", shell=True, capture_output=True, text=True, check=True
    ).stdout


def test_a_command_beside_python_is_called_by_its_path(installed):
    installed()
    assert demo.program() == ".venv/bin/transformer-named"
    assert typed(demo.program()) == "g2p\n"


def test_a_command_on_the_path_is_called_by_its_name(installed, monkeypatch):
    command = installed()
    monkeypatch.setenv("PATH", f"{command.parent}:/usr/bin:/bin")
    assert demo.program() == "transformer-named"
    assert typed(demo.program()) == "g2p\n"


def test_another_command_of_that_name_is_not_ours(installed, tmp_path, monkeypatch):
    installed()
    other = tmp_path / "other"
    other.mkdir()
    (other / "transformer-named").write_text("#!/bin/sh\nexit 1\n")
    (other / "transformer-named").chmod(0o755)
    monkeypatch.setenv("PATH", f"{other}:/usr/bin:/bin")
    assert demo.program() == ".venv/bin/transformer-named"


def test_without_a_command_python_runs_it(installed, monkeypatch):
    assert demo.program() == ".venv/bin/python -m transformer_named"
