"""Recurrences as LaTeX: h_0 = ..., h_i = f(h_{i-1}, X_{seq(i)}), and what is kept of them."""

from __future__ import annotations

from namedtensor.latex.printing.forms import Forms, special
from namedtensor.latex.printing.names import letters
from namedtensor.latex.printing.pieces import Piece, wrapped
from namedtensor.operations.recurrence import kept_along
from namedtensor.primitives import Node
from namedtensor.primitives.notation import SCRIPT


@special("associative scan")
@special("scan")
def _scan(forms: Forms, node: Node) -> Piece:
    raise TypeError(f"{node!r} is written by its name")


def recurrence(node: Node, forms: Forms) -> list[tuple[str, Piece]]:
    """Write the equations of a recurrence, and how one of its results is made of them."""
    *_, place = node.operation.params
    loop, lines = forms.names.loop(node), []
    step, count = loop.step, len(loop.step.before)
    index = loop.index
    start = f"|{forms.dialect.axis(step.axis)}|"
    first, before, last = ("0", f"{index} - 1", start)
    if step.reverse:
        first, before, last = f"{start} + 1", f"{index} + 1", "1"
    if not step.starts:  # a combination starts with the first element
        first = start if step.reverse else "1"
    forms.leaves |= {
        **{
            leaf: _indexed(name, before)
            for leaf, name in zip(step.before, loop.carries, strict=True)
        },
        **{
            leaf: _indexed(name, index)
            for leaf, name in zip(step.after, loop.carries, strict=False)
        },
        **{
            leaf: _element(forms, X, step.axis, index)
            for leaf, X in zip(step.elements, step.sequences, strict=True)
        },
    }
    if not loop.written:
        loop.written = True
        starts = [forms.write(h) for h in step.starts]
        starts = starts or [_element(forms, X, step.axis, first) for X in step.sequences]
        for name, h, after in zip(loop.carries, starts, step.results, strict=False):
            lines += [
                (_indexed(name, first).text, h),
                (_indexed(name, index).text, forms.write(after)),
            ]
    head = forms.letter(forms.names.of[node]).text
    if not kept_along(node):
        return [*lines, (head, _indexed(loop.carries[place], last))]
    head = f"{{{head}}}" if "_" in head else head
    at = f"{head}_{{{forms.dialect.at(step.axis, index)}}}"
    value = (
        _indexed(loop.carries[place], index) if place < count else forms.write(step.results[place])
    )
    return [*lines, (at, value)]


def _indexed(name: str, index: str) -> Piece:
    text = letters(name)
    return Piece(f"{{{text}}}_{{{index}}}" if "_" in text else f"{text}_{{{index}}}", SCRIPT)


def _element(forms: Forms, X: Node, axis: str, index: str) -> Piece:
    whole = forms.write(X)
    text = whole.text if whole.plain else wrapped(whole.text, "[", "]")
    return Piece(f"{text}_{{{forms.dialect.at(axis, index)}}}", SCRIPT)
