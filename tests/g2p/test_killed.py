"""A real training process, killed at no particular moment and resumed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.g2p.conftest import TINY_OPTIONS
from transformer_named.g2p.checkpoint import read_checkpoint
from transformer_named.g2p.log import read_log

PROGRAM = [sys.executable, "-m", "transformer_named", "g2p"]


def start(folder: Path, *options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, "train", "--out", str(folder), *map(str, options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def wait_for_step(process: subprocess.Popen[str], folder: Path, step: int) -> None:
    """Wait until a checkpoint of at least this step is there."""
    path = folder / "checkpoint.safetensors"
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        if path.exists() and read_checkpoint(path).story.step >= step:
            return
        time.sleep(0.02)
    raise AssertionError("no checkpoint in two minutes")


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path, dictionary_file):
    folder = tmp_path / "run"
    options = ["--dictionary", dictionary_file, "--save-seconds", 0.1, "--validation-words", 0]
    process = start(folder, "--steps", 1_000_000, *options, *TINY_OPTIONS)
    try:
        wait_for_step(process, folder, 5)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL

    saved = read_checkpoint(folder / "checkpoint.safetensors").story.step
    assert saved >= 5
    resumed = start(folder, "--resume", "--steps", saved + 30, *options)
    out, error = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, error
    assert f"trained to step {saved + 30:,}" in out
    assert read_checkpoint(folder / "checkpoint.safetensors").story.step == saved + 30
    steps = [entry.step for entry in read_log(folder / "training.jsonl")]
    assert steps == sorted(set(steps))
    assert steps[-1] == saved + 30
    assert not list(folder.glob("*.partial"))


def test_an_interrupted_run_saves_and_says_so(tmp_path, dictionary_file):
    folder = tmp_path / "run"
    options = ["--dictionary", dictionary_file, "--save-seconds", 0.1, "--validation-words", 0]
    process = start(folder, "--steps", 1_000_000, *options, *TINY_OPTIONS)
    try:
        wait_for_step(process, folder, 1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
    finally:
        process.kill()
    step = read_checkpoint(folder / "checkpoint.safetensors").story.step
    assert process.returncode == 130, error
    assert f"stopped at step {step:,}" in out
    assert f"transformer-named g2p train --resume --out {folder}" in out
    assert "Traceback" not in error
