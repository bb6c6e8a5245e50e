"""Calls of other formulas as LaTeX: f(X, Y; W, b), with bundles of parameters by their names."""

from __future__ import annotations

from typing import Any

from namedtensor.latex.printing.figures import figure
from namedtensor.latex.printing.forms import Forms, special
from namedtensor.latex.printing.pieces import Piece, inside, wrapped
from namedtensor.primitives import Node
from namedtensor.primitives.notation import PREFIX, SCRIPT, SUM


@special("call")
def _call(forms: Forms, node: Node) -> Piece:
    name, paths, settings, place = node.operation.params
    formula = forms.written.called[name]
    values = dict(zip(paths, node.operands, strict=True))
    before: list[str] = []
    after: list[str] = []
    for parameter in formula.signature.parameters:
        if not parameter.setting:
            (after if parameter.after else before).extend(_arguments(forms, parameter, values))
    before += [f"{forms.letter(n).text} = {_value(v)}" for n, v in settings]
    given = {p.name for p in formula.signature.parameters if p.after and not p.setting}
    whole = _bundle_of(values, given)
    if whole:
        after = [forms.letter(whole).text]
    listed = "; ".join([", ".join(group) for group in (before, after) if group])
    text = f"{forms.letter(name).text}{wrapped(listed)}"
    if formula.signature.several:
        return Piece(f"[{text}]_{{{place + 1}}}", SCRIPT)
    return Piece(text, PREFIX, PREFIX, prefix=True)


def _arguments(forms: Forms, parameter: Any, values: dict[str, Node]) -> list[str]:
    """Write the operands of one parameter: itself, or the members of a bundle."""
    if parameter.bundle is None:
        node = values.get(parameter.name)
        return [] if node is None else [inside(forms.write(node), SUM)]
    inner = {
        path.removeprefix(f"{parameter.name}."): node
        for path, node in values.items()
        if path.startswith(f"{parameter.name}.")
    }
    given = {path.partition(".")[0] for path in inner}
    whole = _bundle_of(inner, given)
    if whole:
        return [forms.letter(whole).text]
    return [inside(forms.write(node), SUM) for node in inner.values()]


def _bundle_of(values: dict[str, Node], given: set[str]) -> str:
    """Give the name of the bundle whose members these parameters are, each under its own name."""
    owners = set()
    for path, node in values.items():
        if path.partition(".")[0] in given:
            whole = str(node.operation.params[0]) if node.name == "argument" else ""
            owners.add(whole.removesuffix(f".{path}") if whole.endswith(f".{path}") else "")
    return "_".join(reversed(owners.pop().split("."))) if len(owners) == 1 else ""


def _value(value: Any) -> str:
    if isinstance(value, (bool, int, float, complex)):
        return figure(value)[0]
    return rf"\text{{{value}}}"
