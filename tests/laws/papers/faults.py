"""Plant one fault in a drawn document, and see what the check says of it.

A fault counts where the evaluator finds no meaning any more: an axis that one side of a contraction lacks,
a reduction over what is not there, an argument without an axis that its function declares.
"""

from __future__ import annotations

import copy
import random
import warnings
from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor.latex import read
from tests.laws.papers.drawing import COUNTS, drawn
from tests.laws.papers.held import expected, functions, numbers
from tests.laws.papers.tree import (
    Declare,
    Dot,
    Evaluator,
    Frame,
    Letter,
    Paper,
    Reduce,
    Rename,
    Softmax,
    Wrong,
    parts,
)
from tests.laws.papers.writing import written


def change(part: Any, name: str, value: Any) -> None:
    object.__setattr__(part, name, value)


def plant(paper: Paper, seed: int) -> tuple[str, Paper] | None:
    """Give a document with one fault and the fault's kind; None where what was changed has a meaning."""
    r = random.Random(seed)
    paper = copy.deepcopy(paper)
    every = [p for s in paper.sections for p in parts(s.blocks)]
    kinds = (Dot, Reduce, Softmax, Rename, Letter, Declare)
    kind = r.choice([k for k in kinds if any(type(p) is k for p in every)])
    part = r.choice([p for p in every if type(p) is kind])
    axes = sorted(paper.sizes)
    if set(axes) <= set(getattr(part, "over", ())):
        return None
    if isinstance(part, (Dot, Reduce)):
        change(part, "over", (r.choice([a for a in axes if a not in part.over]), *part.over[1:]))
    elif isinstance(part, Softmax):
        change(part, "over", r.choice([a for a in axes if a != part.over]))
    elif isinstance(part, Rename):
        change(part, "old", r.choice([a for a in axes if a != part.old]))
    elif isinstance(part, Letter):
        others = sorted({p.name for p in every if isinstance(p, Letter)} - {part.name})
        if not others:
            return None
        change(part, "name", r.choice(others))
    elif part.axes:
        other = r.choice([a for a in axes if a not in part.axes] or [""])
        change(part, "axes", tuple([other, *part.axes[1:]] if other else part.axes[1:]))
    try:
        return None if _means(paper) else (kind.__name__, paper)
    except RecursionError:
        return None


def _means(paper: Paper) -> bool:
    evaluator = Evaluator(paper, lambda name, axes: numbers(paper, name, axes))
    try:
        for definition, block, section in functions(paper):
            frame = Frame({}, block, section)
            if not definition.arrow:
                definition.given = tuple(
                    [
                        g if g is None or x in COUNTS else _declared(evaluator, x, frame)
                        for x, g in zip(definition.arguments or (), definition.given, strict=True)
                    ]
                )
        for found in functions(paper):
            if None not in found[0].given:  # what is declared nowhere has the axes of each call
                expected(paper, found)
    except ValueError:
        return False  # two sizes of one axis
    except Wrong as error:
        if "declared" in str(error):
            raise RecursionError from error  # a letter of another block: which is meant?
        return False
    return True


def _declared(evaluator: Evaluator, name: str, frame: Frame) -> frozenset[str]:
    statement = evaluator.find(name, frame)[0]
    return frozenset(statement.axes) if isinstance(statement, Declare) else frozenset()


def found(seed: int) -> tuple[str, str, str] | None:
    """Give a fault's kind, what is said of it, and the text; None where none was planted."""
    base = drawn(seed)
    planted = plant(base, seed)
    if planted is None:
        return None
    kind, paper = planted
    text = written(paper, seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            document = read(text, f"paper.{paper.host}")
            said = [f for f in document.check() if f.code != "reach"]
        except nt.NamedTensorError:
            return kind, "refused", text
    for severity in ("error", "warning", "note"):
        if any(f.severity == severity for f in said):
            return kind, severity, "\n".join([*map(str, said), text])
    return kind, "silent", text
