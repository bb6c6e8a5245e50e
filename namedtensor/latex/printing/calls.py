"""Calls of other formulas as LaTeX: f(X, Y; W, b), with bundles of parameters by their names."""

from __future__ import annotations

from typing import Any

from namedtensor.formula.written import passed
from namedtensor.latex.printing.figures import figure
from namedtensor.latex.printing.forms import Forms, special
from namedtensor.latex.printing.pieces import Piece, inside, wrapped
from namedtensor.primitives import Node
from namedtensor.primitives.notation import PREFIX, SCRIPT, SUM


@special("call")
def _call(forms: Forms, node: Node) -> Piece:
    name, _, settings, place = node.operation.params
    formula = forms.written.called[name]
    before, after = [
        [
            forms.bundle(part) if isinstance(part, str) else inside(forms.write(part), SUM)
            for part in parts
        ]
        for parts in passed(node, formula)
    ]
    before += [f"{forms.letter(n).text} = {_value(v)}" for n, v in settings]
    listed = "; ".join([", ".join(group) for group in (before, after) if group])
    text = f"{forms.letter(name).text}{wrapped(listed)}"
    if formula.signature.several:
        return Piece(f"[{text}]_{{{place + 1}}}", SCRIPT)
    return Piece(text, PREFIX, PREFIX, prefix=True)


def _value(value: Any) -> str:
    if isinstance(value, (bool, int, float, complex)):
        return figure(value)[0]
    return rf"\text{{{value}}}"
