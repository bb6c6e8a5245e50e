"""A fresh interpreter, for what can be seen only from outside this one."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(*arguments: str, executable: str = sys.executable, cwd: Path = ROOT) -> str:
    """Run Python with the arguments and give what it prints; show its complaint if it fails.

    Another interpreter finds its own packages, whatever PYTHONPATH this one was started with.
    """
    ours = executable == sys.executable
    around = {k: v for k, v in os.environ.items() if ours or k != "PYTHONPATH"}
    done = subprocess.run(
        [executable, *arguments],
        cwd=cwd,
        env=around,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.returncode == 0, f"{arguments} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout
