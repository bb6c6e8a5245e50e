"""Run the suite under the versions that pyproject.toml allows: `make check-versions` does.

    python -m tests.versions --pythons "python3.11 python3.12" tests/torch_whole tests/nn
    python -m tests.versions --only 3.12            # the environments whose name holds 3.12

The oldest Python gets one environment with the lower bound of each run-time dependency (`torch>=2.13`
gives torch 2.13.*), and every Python one with the newest that its bounds allow. They lie in
.venv-versions/, each some GB where PyPI's torch brings CUDA; PIP_EXTRA_INDEX_URL may name an index of
CPU builds. Then what each environment pickles is read in every other one. What cannot be had is a row
of the table that says so. The exit status is 1 where a test or a reading fails.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".venv-versions"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: What users install with us; everything else is a tool, and stays as constraints.txt pins it.
RUN_TIME = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["torch"]]
PYTHONS = "python3.11 python3.12 python3.13"
SAYS = "import sys; print(sys.executable, '.'.join(map(str, sys.version_info[:3])))"
COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)")


@dataclass
class Environment:
    """A Python with its packages, or the reason why it cannot be had."""

    name: str
    bounds: str  # "oldest" or "newest"
    python: str  # the interpreter that makes it
    why_not: str = ""

    @property
    def inside(self) -> str:
        return str(HOME / self.name / "bin" / "python")


def lowest(requirement: str) -> str:
    """Ask for the lower bound of a requirement.

    >>> lowest("torch>=2.13,<2.16")
    'torch==2.13.*'
    """
    found = re.match(r"([\w.-]+)>=([\d.]+)", requirement)
    assert found is not None, f"{requirement} has no lower bound"
    return f"{found[1]}=={found[2]}.*"


def name_of(requirement: str) -> str:
    """Give the distribution that a requirement asks for.

    >>> name_of("torch>=2.13,<2.16")
    'torch'
    """
    return re.split(r"[^\w.-]", requirement)[0]


def pins(constraints: str) -> str:
    """Leave the tools' pins in the text of constraints.txt, and take ours out.

    >>> pins("numpy==2.4.6\\npytest==9.2.0")
    'pytest==9.2.0'
    """
    ours = {name_of(requirement) for requirement in RUN_TIME}
    return "\n".join(line for line in constraints.splitlines() if name_of(line) not in ours)


def interpreter(asked: str) -> tuple[str, str] | None:
    """Find an interpreter by its path or its name, and its version; pyenv's need not be active."""
    word = asked.removeprefix("python")
    here = sorted(Path.home().glob(f".pyenv/versions/{word}*/bin/python"), reverse=True)
    for path in [asked, *map(str, here)]:
        with contextlib.suppress(OSError):
            done = subprocess.run([path, "-c", SAYS], text=True, capture_output=True)
            if done.returncode == 0:
                executable, version = done.stdout.split()
                return executable, version
    return None


def environments(pythons: str) -> Iterator[Environment]:
    """List what is asked for; an interpreter that is not here gives its reason."""
    bounds = ["oldest", "newest"]
    for asked in pythons.split():
        found = interpreter(asked)
        if found is None:
            for bound in bounds:
                yield Environment(f"{asked}-{bound}", bound, asked, "no such interpreter here")
        else:
            executable, version = found
            short = ".".join(version.split(".")[:2])
            for bound in bounds:
                yield Environment(f"python{short}-{bound}", bound, executable)
        bounds = ["newest"]


def make(environment: Environment) -> None:
    """Make an environment unless it stands; note why where pip refuses."""
    stamp = HOME / environment.name / "asked"
    wanted = [lowest(r) if environment.bounds == "oldest" else r for r in RUN_TIME]
    text = "\n".join([environment.python, *wanted, pins((ROOT / "constraints.txt").read_text())])
    if stamp.exists() and stamp.read_text() == text:
        return
    shutil.rmtree(stamp.parent, ignore_errors=True)
    subprocess.run([environment.python, "-m", "venv", str(stamp.parent)], check=True)
    (stamp.parent / "pins.txt").write_text(text.split("\n", 1 + len(wanted))[-1])
    print(f"installing {' '.join(wanted)} into {stamp.parent.relative_to(ROOT)}", flush=True)
    pip = [environment.inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "-c", str(stamp.parent / "pins.txt"), *wanted, "-e", f"{ROOT}[dev]"],
        text=True,
        stderr=subprocess.PIPE,
    )
    if done.returncode == 0:
        stamp.write_text(text)
    else:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        environment.why_not = "pip: " + (said[0].removeprefix("ERROR: ") if said else "failed")


def versions(environment: Environment) -> list[str]:
    """Give the versions of Python, torch and numpy in an environment."""
    source = """
import platform
from importlib.metadata import version
print(platform.python_version(), version("torch"), version("numpy"))
"""
    return subprocess.check_output([environment.inside, "-c", source], text=True).split()


def run(python: str, folder: str, workers: str) -> tuple[dict[str, int], bool, float]:
    """Run one part of the suite: how many tests passed, failed and were skipped, whether all is well."""
    begun = time.monotonic()
    command = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-n", workers, folder]
    done = subprocess.run(
        [python, *command],
        cwd=ROOT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )
    if done.returncode:
        print(done.stdout, f"pytest ended with {done.returncode}", sep="\n", flush=True)
    last = done.stdout.strip().splitlines()[-1:]
    found = {what.rstrip("s"): int(n) for n, what in COUNTS.findall("".join(last))}
    return found, done.returncode == 0, time.monotonic() - begun


def readings(ready: list[Environment]) -> Iterator[tuple[str, str, str]]:
    """Let each environment pickle, and every other one read: who wrote, who read, what came of it."""
    exchange = ["-m", "tests.project.stored.exchange"]
    outside = dict(cwd=ROOT, text=True, capture_output=True)
    for writer in ready:
        folder = str(HOME / writer.name / "written")
        shutil.rmtree(folder, ignore_errors=True)
        command = [writer.inside, *exchange, "write", folder]
        wrote = subprocess.run(command, **outside)
        for reader in ready:
            done = subprocess.run([reader.inside, *exchange, "read", folder], **outside)
            said = (wrote.stderr or done.stderr).strip().splitlines() or ["it ended early"]
            yield writer.name, reader.name, said[-1] if wrote.returncode or done.returncode else ""


def main(arguments: list[str]) -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.versions")
    reader.add_argument("folders", nargs="*", default=["tests"], help="parts of the suite")
    reader.add_argument("--pythons", default=PYTHONS, help="names or paths, the oldest first")
    reader.add_argument("--only", default="", help="environments whose name holds this")
    reader.add_argument("--workers", default="2")
    given = reader.parse_args(arguments)

    rows, ready, good = [], [], True
    for environment in environments(given.pythons):
        if given.only not in environment.name:
            continue
        if not environment.why_not:
            make(environment)
        if environment.why_not:
            rows.append([environment.name, "", "", "", "not run", environment.why_not])
            continue
        ready.append(environment)
        for folder in given.folders:
            counts, well, seconds = run(environment.inside, folder, given.workers)
            good = good and well
            told = ", ".join(f"{n} {what}" for what, n in counts.items()) or "nothing ran"
            told += "" if well else " (RED)"
            rows.append([environment.name, *versions(environment), folder, told])
            print(" | ".join(rows[-1]), f"| {seconds:.0f} s", flush=True)
    print("\n| Environment | Python | torch | numpy | Tests | Result |\n|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    read = list(readings(ready))
    for writer, by, wrong in read:
        if wrong:
            print(f"what {writer} pickles, {by} does not read: {wrong}")
    unread = [row for row in read if row[2]]
    print(f"\nPickles: {len(read) - len(unread)} of {len(read)} readings well, each by each.")
    return int(not good or bool(unread))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
