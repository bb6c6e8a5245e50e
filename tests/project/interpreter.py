"""A fresh interpreter, for what can be seen only from outside this one."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(*arguments: str, executable: str = sys.executable, cwd: Path = ROOT) -> str:
    """Run Python with the arguments and give what it prints; show its complaint if it fails."""
    done = subprocess.run(
        [executable, *arguments],
        cwd=cwd,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.returncode == 0, f"{arguments} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout
