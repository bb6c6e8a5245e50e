"""Documents that the checker was not tuned to: faults found, false alarms, and formulas that run.

The documents are those of tests/latex/unseen: lectures, papers and students' notes on models that
the corpus does not have. A planted fault is found by an error or a warning on its line that the
correct document lacks; a formula is right where it gives what numpy gives.
`python -m tests.latex.unseen` lists what is missed, and `python -m tests.latex.unseen.mutations` the
replaced axes that go unnoticed; here every seventh place is tried.
"""

from collections import Counter
from collections.abc import Iterator

from benchmarks.settings import Settings
from benchmarks.table import Measure
from tests.latex.corpus.subjects import DOCUMENTS
from tests.latex.unseen import counting, mutations

THREADS = 1


def rows(settings: Settings) -> Iterator[Measure]:
    total: Counter[str] = Counter()
    for unseen in counting.ALL:
        total += counting.report(unseen)[0]
    faults, formulas = total["faults"], total["formulas"]
    yield Measure(
        f"planted faults found in {total['documents']} documents",
        f"{total['found']} of {faults}",
        "95 %",
        met=total["found"] >= 0.95 * faults,
    )
    yield Measure(
        "errors and warnings on the correct documents",
        str(total["false"]),
        "0",
        met=not total["false"],
    )
    yield Measure(
        "formulas that give what numpy gives",
        f"{total['right']} of {formulas}",
        "95 %",
        met=total["right"] >= 0.95 * formulas,
    )
    yield Measure(
        "formulas that give something else", str(total["wrong"]), "0", met=not total["wrong"]
    )
    seen, tried, _ = mutations.report(DOCUMENTS, everything=False, share=7)
    yield Measure(
        "axis names of the corpus replaced by another, noticed",
        f"{seen} of {tried}",
        "",
        met=True,
    )
