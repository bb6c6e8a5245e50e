"""Build the page: Python for the browser from npm, our wheel, KaTeX, and the page's own files.

All that the page loads lies in one folder. Only fetching pyodide needs a network, once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import asdict
from pathlib import Path

import sphinxcontrib

from docs.playground.puzzles import PUZZLES
from namedtensor.latex.printing.dialects import KATEX_MACROS

ROOT = Path(__file__).parents[2]
#: A program that does not end in so many seconds waits for something that is not there.
LONGEST = 180
PAGE = ROOT / "docs" / "playground" / "page"
FETCHED = ROOT / "build" / "fetched"

#: The interpreter, with its standard library and nothing else; what npm says of this version.
PYODIDE = "314.0.7"
INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
NEEDED = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)


class BuildError(Exception):
    """The page cannot be built here; the text says what is missing."""


def build(folder: Path) -> Path:
    """Make the folder of the page anew, and give it.

    Raises: BuildError.
    """
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            raise BuildError(
                f"the playground needs {tool}, which is not installed (Debian: apt install npm)"
            )
    archive = fetched()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    with tarfile.open(archive) as package:
        for name in NEEDED:
            found = package.extractfile(f"package/{name}")
            assert found is not None
            (folder / "pyodide" / name).write_bytes(found.read())
    packages = folder / "packages"
    with zipfile.ZipFile(wheel()) as archive_of_wheel:
        archive_of_wheel.extractall(packages)
    for unused in packages.glob("transformer_named*"):
        shutil.rmtree(unused)
    for file in (
        "docs/__init__.py",
        "docs/playground/__init__.py",
        "docs/playground/answer.py",
        "docs/manual/__init__.py",
        "docs/manual/native.py",
    ):
        (packages / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, packages / file)
    (folder / "warm.json").write_text(json.dumps(asked_first()), encoding="utf-8")
    run("node", str(PAGE / "prepare.mjs"), str(folder))
    shutil.rmtree(packages)
    (folder / "warm.json").unlink()
    for path in PAGE.iterdir():
        if path.name != "prepare.mjs":
            shutil.copy(path, folder)
    katex = next(
        p / "katex.min.js"
        for p in map(Path, sphinxcontrib.__path__)
        if (p / "katex.min.js").exists()
    )
    shutil.copy(katex, folder)
    told = {"macros": KATEX_MACROS, "puzzles": [asdict(p) for p in PUZZLES]}
    (folder / "told.js").write_text(
        f"const told = {json.dumps(told, indent=1)};\n", encoding="utf-8"
    )
    return folder


def asked_first() -> list[dict[str, object]]:
    """List questions whose answers import all that the page will need."""
    found: list[dict[str, object]] = [{"kind": "lay out", "formulas": []}]
    for puzzle in PUZZLES:
        right = puzzle.answered(puzzle.right)
        for text in (puzzle.text, right):
            typed = {"text": text, "name": "typed.md"}
            found += [{"kind": kind, **typed} for kind in ("check", "formulas", "python")]
            found.append({"kind": "grade", "text": text, "name": puzzle.name, "right": right})
        found.append({"kind": "draw", "text": right, "name": "typed.md", "place": 0})
    return found


def fetched() -> Path:
    """Give npm's package of pyodide, which npm fetches when it is not there; its checksum must be right."""
    archive = FETCHED / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        FETCHED.mkdir(parents=True, exist_ok=True)
        run("npm", "pack", f"pyodide@{PYODIDE}", "--silent", "--pack-destination", str(FETCHED))
    checksum = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if f"sha512-{checksum}" != INTEGRITY:
        archive.unlink()
        raise BuildError(
            f"pyodide {PYODIDE} has another checksum than the one known here; it was deleted"
        )
    return archive


def wheel() -> Path:
    """Build our wheel with what is installed."""
    out = Path(tempfile.mkdtemp())
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT))
    return next(out.glob("*.whl"))


def run(*command: str) -> None:
    """Run a program, and say what it said where it fails, or that it did not end.

    Raises: BuildError.
    """
    try:
        done = subprocess.run(
            command, cwd=ROOT, text=True, capture_output=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"{' '.join(command)} did not end in {LONGEST} s") from None
    if done.returncode:
        raise BuildError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
