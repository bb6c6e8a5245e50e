"""Hold the check to the run: replace axes anywhere in correct documents, and run what the check passes.

python -m tests.latex.unseen.refusals [--cases N] [--seed S]

One name of an axis is replaced by another of the document, in formulas and in declarations. Each text is
noticed by an error, said (a note or a warning says what is not followed), legal (it runs as before), or
passed in silence and refused by the run: these are listed.
"""

from __future__ import annotations

import argparse
import random
import re
import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np

import namedtensor as nt
from namedtensor.command.inputs import as_arguments, drawn, inputs_of
from namedtensor.latex import LatexError, read

from ..corpus.subjects import DOCUMENTS
from . import further, letters, models, reach, scopes


def texts() -> dict[str, str]:
    """Give the correct documents of both rooms."""
    found = {file.name: file.read_text() for file in DOCUMENTS}
    rooms = (further, letters, models, reach, scopes)
    return found | {d.file: d.text for room in rooms for d in room.DOCUMENTS}


def runs(text: str) -> dict[str, Exception | None]:
    """Run all formulas of a document on drawn numbers; give what each is refused with."""
    found: dict[str, Exception | None] = {}
    for name, f in read(text).attempts():
        if isinstance(f, LatexError):
            found[name] = f
            continue
        try:
            f(**as_arguments(drawn(inputs_of(f), {}, {}, 3)))
        except Exception as error:
            found[name] = error
        else:
            found[name] = None
    return found


def axes(text: str) -> list[str]:
    formulas = [f for _, f in read(text).attempts() if not isinstance(f, LatexError)]
    names = {a.name.rstrip("'*") for f in formulas for i in inputs_of(f) for a in i.space.axes}
    return sorted(name for name in names if len(name) > 2)


def severities(text: str) -> Counter[str]:
    document = read(text)
    return Counter(f.severity for f in (*document.findings, *document.check()))


def replaced(text: str, choose: random.Random) -> tuple[int, str, str] | None:
    """Replace one name: the line, what is done, and the text; None where there are no two names."""
    known = axes(text)
    pattern = "|".join(map(re.escape, known))
    places = list(re.finditer(rf"(?<![A-Za-z_])(?:{pattern})(?![A-Za-z_])", text))
    if len(known) < 2 or not places:
        return None
    place = choose.choice(places)
    other = choose.choice([name for name in known if name != place[0]])
    line = text.count("\n", 0, place.start()) + 1
    changed = text[: place.start()] + other + text[place.end() :]
    return line, f"{place[0]} -> {other}", changed


def outcomes(cases: int, seed: int) -> Iterator[tuple[str, str]]:
    """Give what becomes of each text, and a line that says which it is."""
    documents = texts()
    choose = random.Random(seed)
    before: dict[str, tuple[Counter[str], dict[str, Exception | None]]] = {}
    for _ in range(cases):
        name, text = choose.choice(list(documents.items()))
        found = replaced(text, choose)
        if found is None:
            continue
        line, done, changed = found
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if name not in before:
                before[name] = severities(text), runs(text)
            said, ran = before[name]
            new = severities(changed)
            if new["error"] > said["error"]:
                yield "noticed", ""
                continue
            refused = {
                k: e for k, e in runs(changed).items() if e is not None and ran.get(k, e) is None
            }
        what = next(iter(refused.items()), None)
        if what is None:
            yield "legal", ""
        elif not isinstance(what[1], nt.NamedTensorError):
            yield "foreign", f"{name}:{line}: {done}: {what[0]}: {what[1]!r}"
        elif new["warning"] + new["note"] > said["warning"] + said["note"]:
            yield "said", ""
        else:
            reason = " ".join(str(what[1]).split())[:160]
            yield "silent", f"{name}:{line}: {done}: {what[0]}: {reason}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    for outcome, line in outcomes(chosen.cases, chosen.seed):
        counts[outcome] += 1
        if line:
            print(line)
    print(", ".join(f"{n} {what}" for what, n in counts.most_common()))


if __name__ == "__main__":
    main()
