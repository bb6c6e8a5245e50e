"""Python orders sets of text by a seed that each process draws; the emitted code does not depend on it."""

import os
import subprocess
import sys
from pathlib import Path

import namedtensor as nt

ROOT = Path(nt.__file__).parents[1]

EVERY_CODE = """
import torch, namedtensor as nt
from tests.kernels.formulas import ROWS
from tests.kernels.test_kernels_are_formulas import EXTRAS, arguments

for row in ROWS:
    for extra in ("no extra axis", "two in all, two in the first"):
        names = [p.name for p in row.formula.signature.parameters]
        drawn = arguments(row.formula, EXTRAS[extra](names), torch.Generator().manual_seed(0))
        print(row.formula.code(**drawn))
        drawn = {n: nt.tensor(X.data.detach().numpy(), *X.axes) for n, X in drawn.items()}
        print(row.formula.code(**drawn))
"""


def test_the_same_code_is_emitted_for_any_hash_seed() -> None:
    command = [sys.executable, "-c", EVERY_CODE]
    runs = [
        subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE
        )
        for seed in ("1", "2")
    ]
    first, second = [run.communicate()[0].decode() for run in runs]
    assert first.count("def ") > 200
    assert first == second
