"""Sizes, seeds, files and documents that nobody means: one line within a second, in bounded memory."""

import os
import subprocess
import sys
import threading

import pytest

from namedtensor.command import main
from tests.project.interpreter import ROOT

ATTENTION = r"""
$$\begin{aligned}
Q &\in \mathbb{R}^{\text{seq}', \text{key}} \\
K &\in \mathbb{R}^{\text{seq}, \text{key}} \\
\text{score}(Q, K) &= Q \underset{\text{key}}{\cdot} K \\
X &\in \mathbb{R}^{\text{emb}} \\
\text{sum}(X) &= \sum_{i=1}^{10^{12}} X \cdot i
\end{aligned}$$
"""

LAYERS = r"""
$$\begin{aligned}
X^0 &\in \mathbb{R}^{\text{emb}} \\
X^1 &= 2 X^0 \\
\vdots \\
X^L &= 2 X^{L-1} \\
O &= X^L
\end{aligned}$$
"""
NINES = "9" * 5_000


@pytest.fixture
def said(capsys, tmp_path):
    """Run a command on a document; give its status and what it wrote on stderr."""

    def run(job, text, *words):
        file = tmp_path / "notes.md"
        file.write_text(text)
        try:
            status = main([job, str(file), *words])
        except SystemExit as stopped:
            status = stopped.code
        return status, capsys.readouterr().err.replace(str(file), "notes.md")

    return run


def test_a_size_that_no_machine_holds_is_refused(said):
    assert said("run", ATTENTION, "--name", "score", "--size", "key=1000000000000") == (
        2,
        "namedtensor: Q would be seq'[3] key[1000000000000], 3,000,000,000,000 numbers; a command "
        "computes at most 134,217,728\n",
    )


def test_a_result_that_no_machine_holds_is_refused(said):
    assert said("run", ATTENTION, "--name", "score", "--size", "seq=90000", "seq'=90000") == (
        2,
        "namedtensor: score(Q, K) would compute a tensor of 8,100,000,000 numbers; a command computes at "
        "most 134,217,728: choose smaller sizes, --size seq=5\n",
    )


def test_a_sum_over_a_million_million_terms_is_refused_and_can_still_be_checked(said):
    assert said("run", ATTENTION, "--name", "sum") == (
        2,
        "namedtensor: sum(X) would compute a tensor of 3,000,000,000,000 numbers; a command computes at "
        "most 134,217,728: choose smaller sizes, --size seq=5\n",
    )
    assert said("check", ATTENTION) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--size", f"key={NINES}"), f"--size key={NINES}: a size has at most 18 digits"),
        (("--size", f"key=x{NINES}"), "--size key=x99: a size is written axis=number, as key=64"),
        (("--bind", f"L={NINES}"), "--bind L=999: a whole number has at most 18 digits"),
        (("--bind", f"L=x{NINES}"), "--bind L=x99: a number is written name=number, as L=6"),
    ],
)
def test_a_number_of_thousands_of_digits_is_refused_in_a_short_line(said, words, message):
    status, error = said("run", ATTENTION, "--name", "score", *words)
    assert status == 2
    head, _, tail = message.partition(": ")
    assert error.startswith(f"namedtensor: {head[:50]}")
    assert error.endswith(f"99...: {tail}\n")
    assert len(error) < 200


@pytest.mark.parametrize("seed", ["-1", "1.5", "x", NINES])
def test_a_seed_is_a_whole_number(said, seed):
    status, error = said("run", ATTENTION, "--name", "score", f"--seed={seed}")
    assert status == 2
    assert error.endswith("is no whole number of at most 18 digits\n")
    assert len(error.splitlines()[-1]) < 200


def test_a_member_of_thousands_of_digits_is_no_member(said):
    status, error = said("run", ATTENTION, "--name", f"score[{NINES}]")
    assert status == 2
    assert "the document defines no score[9" in error
    assert len(error) < 300


def test_a_series_too_long_to_be_written_out_is_refused(said):
    assert said("run", LAYERS, "--name", "O", "--bind", "L=1000000000") == (
        1,
        "X^{l}: the series has 999,999,999 members, and at most 2,000 are written out\n"
        "hint: choose a smaller length: document.bind(L=6)\n",
    )


# -------------------------------------------------------------------------------------------- files


def status_of(*words, stdin=subprocess.DEVNULL):
    """Run the command in a process of its own; give its status and its one line."""
    done = subprocess.run(
        [sys.executable, "-m", "namedtensor", "check", *words],
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=30,
        cwd=ROOT,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_file_without_end_is_refused():
    assert status_of("/dev/zero") == (
        2,
        "namedtensor: /dev/zero: is longer than 16 MiB, which no document is\n",
    )
    with open("/dev/zero", "rb") as zero:
        assert status_of("-", stdin=zero)[0] == 2


def test_a_pipe_that_nobody_writes_to_is_refused(tmp_path):
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    assert status_of(str(pipe)) == (2, f"namedtensor: {pipe}: is a pipe that nobody writes to\n")


def test_a_pipe_whose_writer_is_slow_is_read(tmp_path, capsys):
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    keep = os.open(pipe, os.O_RDWR)  # a writer that has written nothing yet

    def write():
        with open(pipe, "w") as file:
            file.write(ATTENTION)
        os.close(keep)

    late = threading.Timer(0.5, write)
    late.start()
    assert main(["check", str(pipe)]) == 0
    late.join()
    assert capsys.readouterr().out == "1 file checked, 5 statements read: no findings\n"
