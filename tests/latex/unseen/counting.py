"""Count what is found in these documents, what is found falsely, and what runs."""

from __future__ import annotations

import tempfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import namedtensor as nt
import namedtensor.latex
from namedtensor.axes import BOUND
from namedtensor.check.documents import look_at

from ..corpus.entry import Entry, axes_of, draw
from . import (
    analysts,
    authors,
    chapters,
    colleagues,
    coursework,
    disciplines,
    engineers,
    further,
    guests,
    handouts,
    hosts,
    latecomers,
    lecturers,
    letters,
    makers,
    models,
    newcomers,
    outsiders,
    papers,
    passersby,
    preprints,
    reach,
    residents,
    reviewers,
    scopes,
    seminars,
    sketches,
    speakers,
    strangers,
    students,
    teachers,
    theorists,
    tutors,
    visitors,
)
from .document import Unseen

ROOMS = (
    scopes,
    sketches,
    reach,
    hosts,
    letters,
    models,
    newcomers,
    further,
    handouts,
    strangers,
    students,
    authors,
    coursework,
    latecomers,
    passersby,
    visitors,
    disciplines,
    engineers,
    guests,
    lecturers,
    reviewers,
    colleagues,
    outsiders,
    papers,
    teachers,
    theorists,
    preprints,
    tutors,
    makers,
    residents,
    analysts,
    speakers,
    seminars,
    chapters,
)

ALL = [unseen for room in ROOMS for unseen in room.DOCUMENTS]


def loud(path: Path) -> list[namedtensor.latex.Finding]:
    """Give the errors and warnings of a document, and what shows the inner name of a bound index."""
    found = namedtensor.latex.read_file(path).check()
    return [f for f in found if f.severity != "note" or BOUND in str(f)]


def named(drawn: Any, space: Any) -> Any:
    """Give an array its axes, and those of a bundle theirs."""
    if isinstance(space, Mapping):
        return {name: named(drawn[name], inner) for name, inner in space.items()}
    if not isinstance(space, str):
        return drawn
    return nt.tensor(drawn, " ".join(axis for axis, _ in axes_of(space)))


def outcome(document: namedtensor.latex.Document, entry: Entry) -> str:
    """Call a formula on numbers, and say whether it gives what numpy gives."""
    random = np.random.default_rng(zlib.crc32(str(entry).encode()))
    drawn = {name: draw(space, random) for name, space in entry.inputs.items()}
    expected = np.asarray(entry.expected(*drawn.values()), dtype=float)
    given = {name: named(array, entry.inputs[name]) for name, array in drawn.items()}
    try:
        whole = document.bind(**entry.chosen) if entry.chosen else document
        with np.errstate(all="ignore"):  # of what a case leaves out
            result = whole[entry.name](**given)
    except Exception as error:  # a report goes on
        return f"refused ({type(error).__name__}: {str(error).splitlines()[0][:110]})"
    if isinstance(result, nt.NamedTensor):
        if set(result.axes) != set(entry.result.split()):
            return f"wrong (axes {result.shape})"
        result = result.numpy(*entry.result.split())
    close = np.shape(result) == expected.shape and np.allclose(result, expected, rtol=1e-6)
    return "right" if close else "wrong"


def place(unseen: Unseen, text: str, folder: Path) -> Path:
    """Write a document and its neighbours into a folder."""
    for name, beside in unseen.beside.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(beside)
    path = folder / unseen.file
    path.write_text(text)
    return path


def report(unseen: Unseen) -> tuple[Counter[str], list[str]]:
    """Count what becomes of one document, and say what went wrong."""
    counts: Counter[str] = Counter(
        documents=1, faults=len(unseen.faults), formulas=len(unseen.runs)
    )
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            base = loud(place(unseen, unseen.text, folder))
            document = namedtensor.latex.read_file(folder / unseen.file)
            base += [f for f in look_at(document)[0] if f.severity != "note"]
        except nt.NamedTensorError as error:
            lines.append(f"  refused: {str(error).splitlines()[0][:150]}")
            counts.update(refused=len(unseen.runs))
            return counts, lines
        for finding in base:
            counts["false"] += 1
            lines.append(f"  false: {str(finding).splitlines()[0][:200]}")
        for entry in unseen.runs:
            said = outcome(document, entry)
            counts[said.split()[0]] += 1
            if said != "right":
                lines.append(f"  {entry}: {said}")
        known = Counter((f.code, f.message) for f in base)
        for fault in unseen.faults:
            text, places = unseen.planted(fault)
            found = loud(place(unseen, text, folder))
            new = [f for f in found if (f.code, f.message) not in known]
            inner = [str(f).splitlines()[0] for f in new if BOUND in str(f)]
            counts["false"] += len(inner)
            lines += [f"  an inner name shows: {text}" for text in inner]
            if any(f.line in places for f in new):
                counts["found"] += 1
                continue
            there = "; ".join(str(f).splitlines()[0][:120] for f in new)
            lines.append(
                f"  missed on {sorted(places)}: {fault.new[:90]} {there and '-- but ' + there}"
            )
    return counts, lines
