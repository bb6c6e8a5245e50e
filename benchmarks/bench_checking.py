"""Checking Python: which faults are noticed, what is said where nothing is wrong, and how fast.

The 30 faults and the legal programs are those of tests/check, written before the rules: as first
met, 27 faults were found, with a warning on one legal program; of the first thirty strangers'
programs 19, of the twelve that came later 8. Of the mistakes' hints 11 cured them before a law held
all to it. A change replaces an axis of a formula of this repository by another one that the formula
names, or leaves one out, or a renaming; it is legal where the tree of the result stays the same
(`python -m tests.check.mutation` lists what is not noticed). torchtyc reads positional twins of the
faults (tests/check/positional), where its command is installed; so does Pyrefly, beside
pyrefly-torch-stubs and pyrefly-shape-extensions, with the twins' annotations written as it declares
shapes. Times of formulas are of the processor; an editor waits for diagnostics by the clock.
"""

import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from benchmarks.settings import Settings
from benchmarks.table import Measure, duration
from namedtensor.check.checking import Checker
from namedtensor.check.formulas import check_program
from namedtensor.check.pieces import program_in
from tests.check.editor import Editor
from tests.check.mutation import FILES, measure
from tests.errors.mistakes import MISTAKES
from tests.errors.test_hints import cured, fault_of

FOLDER = Path(__file__).parents[1] / "tests" / "check"
THREADS = 1

FORMULA = """
@formula
def att{i}(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))
"""
HEAD = """import namedtensor as nt
from namedtensor import R, axes, formula
seq, key, val = axes("seq key val")
seq_ = seq.prime
"""
SENTENCE = (
    r"For $X \in \mathbb{R}^{\text{seq}, \text{emb}}$, $W \in \mathbb{R}^{\text{emb}, \text{hid}}$ we have "
    r"$f(X; W) = W \underset{\text{emb}}{\cdot} X$ and $g(X) = \underset{\text{seq}}{\text{softmax}}(X)$."
    "\n\n"
)


def rows(settings: Settings) -> Iterator[Measure]:
    yield faults()
    yield strangers()
    yield false_warnings()
    yield hints()
    yield from mutations()
    yield two_hundred()
    yield in_the_editor("a section of one screen (1 kB)", 1_000, 0.05)
    yield in_the_editor("a document of 20 kB", 20_000, 0.25)


def findings(path: Path) -> int:
    return len(check_program(program_in(str(path), path.read_text()), True).findings)


def faults() -> Measure:
    found = [bool(findings(path)) for path in sorted((FOLDER / "faults").glob("*.py"))]
    ours = f"{sum(found)} of {len(found)}"
    theirs = f"{torchtyc()}; {pyrefly()}"
    return Measure("faults found", ours, "26 of 30", sum(found) >= 26, theirs)


def strangers() -> Measure:
    paths = sorted((FOLDER / "strangers").iterdir())
    with Checker(imports=False) as checker:
        found = sum(bool(checker.check(str(p), p.read_text()).findings) for p in paths)
    what = "models, notebooks and pages by strangers, with one wrong axis each: noticed"
    return Measure(what, f"{found} of {len(paths)}", "26 of 30", found >= 26)


def hints() -> Measure:
    """Type the hint of each mistake where it may stand, and count those that give what was meant."""
    found = sum(cured(mistake, fault_of(mistake)) for mistake in MISTAKES)
    what = "mistakes whose hint, typed as it stands, cures them"
    return Measure(what, f"{found} of {len(MISTAKES)}", "all", found == len(MISTAKES))


def torchtyc() -> str:
    """Count the twins in which torchtyc finds something."""
    command = which("torchtyc")
    if command is None:
        return "torchtyc is not installed"
    named = subprocess.run([command, "version"], capture_output=True, text=True, check=True)
    asked = [command, "check", str(FOLDER / "positional")]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    found = {line.partition(":")[0] for line in said.splitlines() if "error[" in line}
    return (
        f"{named.stdout.strip()}: {len(found)} of {len(list((FOLDER / 'positional').glob('*.py')))}"
    )


def pyrefly() -> str:
    """Count the twins in which Pyrefly finds something."""
    command = which("pyrefly")
    if command is None:
        return "Pyrefly is not installed"
    named = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    twins = sorted((FOLDER / "positional").glob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        for twin in twins:
            Path(folder, twin.name).write_text(declared_for_pyrefly(twin.read_text()))
        Path(folder, "pyrefly.toml").write_text(
            f"python-interpreter-path = '{Path(command).with_name('python')}'\n"
        )
        asked = [command, "check", "--output-format", "min-text"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=folder).stdout
    found = {name for name in (twin.name for twin in twins) if f"{name}:" in said}
    return f"{named.stdout.strip()}: {len(found)} of {len(twins)}"


def declared_for_pyrefly(text: str) -> str:
    """Write the shapes of jaxtyping as Pyrefly declares them: Float[Tensor, "q key"] as Tensor[[q, key]]."""
    names: list[str] = []

    def shaped(found: re.Match[str]) -> str:
        dims = found[1].split()
        names.extend(dim for dim in dims if not dim.isdigit())
        return "Tensor" if dims == ["..."] else f'Shaped[Tensor, "[{", ".join(dims)}]"]'

    text = re.sub(r'(?:Float|Int|Bool)\[Tensor, "([^"]*)"\]', shaped, text)
    text = re.sub(r"from jaxtyping .*", "from shape_extensions import Shaped, shape_vars", text)
    known = ", ".join(dict.fromkeys(name for name in names if name != "..."))
    return re.sub(r"^def ", f'@shape_vars("{known}")\ndef ', text, flags=re.M)


def false_warnings() -> Measure:
    paths = sorted((FOLDER / "legal").glob("*.py"))
    wrong = sum(bool(findings(path)) for path in paths)
    return Measure(f"legal programs with a finding, of {len(paths)}", str(wrong), "0", wrong == 0)


def mutations() -> Iterator[Measure]:
    total, legal, noticed = measure(FILES, io.StringIO())
    share = noticed / (total - legal)
    what = f"changes of one axis noticed, of {total - legal} ({legal} more are legal)"
    yield Measure(what, f"{share:.1%}", "90 %", share >= 0.9)


def two_hundred() -> Measure:
    """Time 200 formulas with the start of the process and of its worker, as the command does them."""
    import resource

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.py"
        path.write_text(HEAD + "".join(FORMULA.format(i=i) for i in range(200)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "namedtensor", "check", str(path)]
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measure("200 formulas, by the command", duration(used), "at most 5 s", used <= 5)


def in_the_editor(what: str, size: int, goal: float) -> Measure:
    """Time from a keystroke to its diagnostics, in the worst of twenty but one."""
    text = SENTENCE * max(1, size // len(SENTENCE))
    uri = "file:///tmp/notes.md"
    editor = Editor()
    editor.open(uri, text, "markdown")
    editor.published(uri)
    waits = []
    for number in range(2, 22):
        started = time.perf_counter()
        editor.change(uri, number, {"text": text + f"Edit {number}.\n"})
        editor.published(uri, number)
        waits.append(time.perf_counter() - started)
    editor.end()
    found = sorted(waits)[-2]
    return Measure(f"{what}, p95", duration(found), f"at most {duration(goal)}", found <= goal)
