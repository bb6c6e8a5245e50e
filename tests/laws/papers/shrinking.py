"""Make a document that fails smaller, while it fails in the same way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace

from tests.laws.papers.tree import Declare, Expr, Number, Paper, parts


def smaller(paper: Paper, fails: Callable[[Paper], bool]) -> Paper:
    """Leave out blocks, statements and parts of expressions for as long as something can be left out."""
    found = True
    while found:
        found = False
        for candidate in candidates(paper):
            if fails(candidate):
                paper, found = candidate, True
                break
    return paper


def candidates(paper: Paper) -> Iterator[Paper]:
    for k, section in enumerate(paper.sections):
        if len(paper.sections) > 1 and not section.blocks:
            new = copy.deepcopy(paper)
            gone = new.sections.pop(k)
            for other in new.sections:
                if other.around is gone:
                    other.around = gone.around
            yield new
        for b, block in enumerate(section.blocks):
            new = copy.deepcopy(paper)
            del new.sections[k].blocks[b]
            yield new
            if len(block.statements) > 1:
                for s in range(len(block.statements)):
                    new = copy.deepcopy(paper)
                    del new.sections[k].blocks[b].statements[s]
                    yield new
            for s, statement in enumerate(block.statements):
                if isinstance(statement, Declare):
                    continue
                for name in ("body", "start", "step"):
                    e = getattr(statement, name, None)
                    if e is None:
                        continue
                    for new_e in simpler(e):
                        new = copy.deepcopy(paper)
                        setattr(new.sections[k].blocks[b].statements[s], name, new_e)
                        yield new
                if getattr(statement, "parameters", ()):
                    new = copy.deepcopy(paper)
                    new.sections[k].blocks[b].statements[s].parameters = ()  # type: ignore[union-attr]
                    yield new


def simpler(e: Expr) -> Iterator[Expr]:
    """Give expressions with one part replaced by a part of it that has the same axes."""
    for p in parts(e):
        if p is not e and isinstance(p, Expr) and p.axes == e.axes:
            yield p
    if not e.axes and not isinstance(e, Number):
        yield Number(1)
    if not is_dataclass(e):
        return
    for f in fields(e):
        value = getattr(e, f.name)
        if isinstance(value, Expr):
            for other in simpler(value):
                yield replace(e, **{f.name: other})  # type: ignore[type-var]
        elif isinstance(value, tuple) and value and all(isinstance(v, Expr) for v in value):
            for k, item in enumerate(value):
                for other in simpler(item):
                    yield replace(e, **{f.name: (*value[:k], other, *value[k + 1 :])})  # type: ignore[type-var]
