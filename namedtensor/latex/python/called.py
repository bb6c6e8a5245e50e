"""Write calls of other formulas: att(Q, K, V, M), or mha(X) where mha is a bundle of the caller."""

from __future__ import annotations

from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import whole_bundle
from namedtensor.latex.python.code import call, index
from namedtensor.latex.python.spelling import Spelling, form
from namedtensor.plans.code import Code, Word
from namedtensor.primitives import Node


@form("call")
def _call(spelling: Spelling, node: Node) -> Code:
    """Write att(Q, K, V, M), mha(X) where mha is a bundle, or f(X)[1] for a second result."""
    name, paths, settings, place = node.operation.params
    called = spelling.called[name]
    name = spelling.names.function(called)
    given = dict(zip(paths, node.operands, strict=True))
    after = {p: n for p, n in given.items() if called.signature[p.split(".")[0]].after}
    owner = _bundle(spelling, called, after)
    for setting, value in settings:
        if setting not in spelling.settings.get(name, ()):
            raise NamedTensorError(
                f"{name}(..., {setting}={value!r})",
                f"{setting} is a setting at which the body looks, and {name} is written for its default",
                hint=f"make {setting} an argument of {name}",
            )
    items: list[Code] = []
    named: dict[str, Code] = {}
    skipped = False
    for parameter in called.signature.parameters:
        own = {p: n for p, n in given.items() if p.split(".")[0] == parameter.name}
        if not own or (parameter.after and owner):
            skipped = True
            continue
        written = (
            spelling.code(own[parameter.name])
            if parameter.bundle is None
            else _part_of_bundle(spelling, parameter, own)
        )
        if parameter.after or skipped:
            named[parameter.name] = written
        else:
            items.append(written)
    named |= {setting: Word(repr(value)) for setting, value in settings}
    result = call(owner or name, *items, **named)
    return index(result, Word(str(place))) if called.signature.several else result


def _bundle(spelling: Spelling, called: Formula, parts: dict[str, Node]) -> str | None:
    """Give the name of the formula's bundle to which all these parameters belong; else None."""
    owner = whole_bundle(parts, {path.partition(".")[0] for path in parts})
    return owner if owner and spelling.bundle(owner) is called else None


def _part_of_bundle(spelling: Spelling, parameter: Any, own: dict[str, Node]) -> Code:
    inner = {path.partition(".")[2]: node for path, node in own.items()}
    owner = _bundle(spelling, parameter.bundle, inner)
    if owner is not None:
        return Word(owner)
    items: dict[str, Code] = {}
    for part in parameter.bundle.signature.parameters:
        below = {p: n for p, n in inner.items() if p.split(".")[0] == part.name}
        if part.bundle is not None and below:
            written = _part_of_bundle(spelling, part, below)
        elif below:
            written = spelling.code(below[part.name])
        else:
            continue
        items[part.name] = written
    return call(spelling.names.builtin("dict"), **items)
