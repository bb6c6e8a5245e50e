"""The notation's LaTeX: what is read, which faults are found, what is found where none is, and how fast.

The documents are those of tests/latex: a corpus that is correct, an encoder with its faults mended,
and faulty variants of formulas, each with the findings that it must give. A statement is read when it
has a tree or is set aside as not of the notation; a false alarm is an error or a warning on a correct
document. Times are of the processor, on one thread: other work on the machine leaves them alone.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.pairwise import collected
from benchmarks.settings import Settings
from benchmarks.table import Measure, duration
from namedtensor.latex import read, read_file
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.syntax import Definition
from tests.latex.fault_cases import cases, found_in
from tests.python_calls import python_calls

FOLDER = Path(__file__).parents[1] / "tests" / "latex"
CORRECT = sorted(
    path
    for path in (*(FOLDER / "corpus").iterdir(), FOLDER / "mended_encoder.md")
    if path.suffix in (".md", ".tex") and path.name != "README.md"
)
MEGABYTE = 1_000_000
THREADS = 1


def rows(settings: Settings) -> Iterator[Measure]:
    yield statements_read()
    yield faults_found()
    yield false_alarms()
    texts = [path.read_text() for path in CORRECT]
    repeats = 12 if settings.long else 3
    yield for_a_thousand("reading 1,000 statements", texts, repeats, check=False, goal=2.0)
    yield for_a_thousand("reading and checking 1,000 statements", texts, repeats, True, goal=1.5)
    yield interpretations(texts)
    yield calls_of_asking()
    yield a_megabyte(texts)


def statements_read() -> Measure:
    """Count the statements of correct documents, and those that do not parse."""
    documents = [read_file(path) for path in CORRECT]
    known = sum(len(document.statements) for document in documents)
    unread = sum(
        finding.code.startswith("syntax") for document in documents for finding in document.findings
    )
    return Measure(
        f"statements read in {len(documents)} correct documents",
        f"{known} of {known + unread}",
        "all",
        met=not unread,
    )


def faults_found() -> Measure:
    """Count the faults of the faulty variants that are found where they are made."""
    wanted = found = more = 0
    for case in cases():
        given = found_in(case.text)
        wanted += len(case.wanted)
        found += sum(one in given for one in case.wanted)
        more += sum(one not in case.wanted for one in given)
    return Measure(
        f"faults found in {len(cases())} faulty variants, and findings beside them",
        f"{found} of {wanted}, {more} beside them",
        "all, none",
        met=found == wanted and not more,
    )


def false_alarms() -> Measure:
    """Count the errors and warnings on correct documents."""
    findings = [finding for path in CORRECT for finding in read_file(path).check()]
    loud = [finding for finding in findings if finding.severity != "note"]
    return Measure(
        f"false alarms on {len(CORRECT)} correct documents", str(len(loud)), "0", met=not loud
    )


def for_a_thousand(what: str, texts: list[str], repeats: int, check: bool, goal: float) -> Measure:
    """Time reading the correct documents, and checking them; the fastest of some runs counts."""
    count = 0
    times = []
    with collected():
        for _ in range(repeats):
            start = process_time()
            documents = [read(text) for text in texts]
            if check:
                for document in documents:
                    document.check()
            times.append(process_time() - start)
            count = sum(len(document.statements) for document in documents)
    seconds = min(times) / count * 1000
    return Measure(what, duration(seconds), f"at most {duration(goal)}", met=seconds <= goal)


def interpretations(texts: list[str]) -> Measure:
    """Count how often the checker has a body interpreted."""
    found: Counter[int] = Counter()
    value = Evaluator.value

    def counting(self: Evaluator, expression: Any) -> Any:
        found[id(expression)] += 1
        return value(self, expression)

    Evaluator.value = counting  # type: ignore[method-assign]
    counts = []
    try:
        for text in texts:
            document = read(text)
            found.clear()
            document.check()
            statements = document.reading.statements
            counts += [found[id(s.body)] for s in statements if isinstance(s, Definition)]
    finally:
        Evaluator.value = value  # type: ignore[method-assign]
    mean, once = sum(counts) / len(counts), counts.count(1) / len(counts)
    return Measure(
        "interpretations of a body to check it, and bodies with one",
        f"{mean:.2f}, {once:.0%}",
        "1, all",
        met=mean <= 1,
    )


def calls_of_asking() -> Measure:
    """Count the Python calls of document["att"]."""
    text = (FOLDER / "corpus" / "attention.md").read_text()
    read(text)["att"]
    document = read(text)
    calls = python_calls(partial(document.__getitem__, "att"))
    return Measure(
        'Python calls of document["att"]', f"{calls:,}", "at most 1,000", met=calls <= 1_000
    )


def a_megabyte(texts: list[str]) -> Measure:
    """Time reading one document of 1 MB: the correct Markdown documents, over and over."""
    once = "\n\n".join(
        text for path, text in zip(CORRECT, texts, strict=True) if path.suffix == ".md"
    )
    text = (once * (MEGABYTE // len(once) + 1))[:MEGABYTE]
    start = process_time()
    document = read(text)
    seconds = process_time() - start
    return Measure(
        f"reading a document of 1 MB, {len(document.statements):,} statements",
        duration(seconds),
        "under 5 s",
        met=seconds < 5,
    )
