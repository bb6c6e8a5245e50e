"""A wrong axis under a dot of a correct document is found, nearly always.

That correct documents check clean says nothing of a checker that never speaks; this does.
"""

from __future__ import annotations

import random

import namedtensor.latex
from namedtensor.latex.syntax import Contract

from .corpus.coverage import nodes
from .corpus.subjects import DOCUMENTS
from .test_corpus import document

#: Every so many dots one is broken.
STEP = 6
#: So many must be found; of letters declared in other sections, and of differentials, nothing is sure.
SHARE = 0.8


def dots(path):
    """List the axes under the dots of a document, where they stand, and how each axis is spelled."""
    text = document(path).source.text
    found = {
        axis.span: axis.name
        for view in document(path).statements
        for node in nodes(view.syntax)
        if isinstance(node, Contract)
        for axis in node.axes
    }
    spelling = {name: text[span.start : span.end] for span, name in found.items()}
    return found, {name: word for name, word in spelling.items() if len(word) < 25}


def broken(path, span, name, spelling):
    """Put another axis of the document under a dot."""
    text = document(path).source.text
    other = random.Random(span.start).choice(sorted(set(spelling) - {name}))
    return text[: span.start] + spelling[other] + text[span.end :]


def test_a_wrong_axis_under_a_dot_is_found():
    places = []
    for path in DOCUMENTS:
        found, spelling = dots(path)
        places += [(path, *pair, spelling) for pair in found.items() if len(spelling) > 1]
    chosen = places[::STEP]
    assert len(chosen) > 30
    missed = []
    for path, span, name, spelling in chosen:
        changed = namedtensor.latex.read(broken(path, span, name, spelling), path.name)
        found = [*changed.findings, *changed.check()]
        if all(finding.severity == "note" for finding in found):
            missed.append(f"{path.name}:{document(path).source.position(span.start)[0]}: {name}")
    assert len(missed) <= (1 - SHARE) * len(chosen), missed
