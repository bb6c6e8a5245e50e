"""A scope made of Python values, to evaluate formulas in."""

from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor.latex.evaluation import by_elements
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.indices import plain
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading.reader import parse_expression
from namedtensor.primitives import Type, size_of
from namedtensor.tensor import SymbolicTensor, symbol


class Given:
    """Answer with the values given under the words of names; failures are raised."""

    def __init__(self, values: dict[str, Any] | None = None, sizes: dict[str, Any] | None = None):
        self.values = dict(values or {})
        self.sizes = dict(sizes or {})
        self.parts: list[tuple[str, Any]] = []
        self.notes: list[str] = []

    def find(self, name):
        return self.values.get(wording(name))

    def function(self, name):
        return None  # no name stands for a tensor and a function

    def size(self, axis):
        if axis in self.sizes:
            return self.sizes[axis]
        for value in self.values.values():
            if isinstance(value, nt.NamedTensor) and axis in value.axes:
                return value.size(axis)
        raise nt.AxisSizeError(f"|{axis}|", f"nothing has an axis {axis}")

    def failed(self, where, error):
        raise error

    def noted(self, where, message, hint, code="no-axis"):
        self.notes.append(message)

    def derived(self, value, by):
        return value, by

    def left_of(self, part, own):
        return own  # nothing stands around a part

    def written(self, part):
        return wording(part)

    def seen(self, where, value, guarded=False):
        self.parts.append((wording(where), value))
        return value


parsed = parse_expression


def value(text, sizes=None, **values):
    """Evaluate a formula, with names as identifiers: W1 is W^1."""
    return evaluator(sizes, **values).value(parse_expression(text))


def evaluator(sizes=None, **values):
    from namedtensor.latex.printing.names import parts

    named = {}
    for identifier, given in values.items():
        name = parts(identifier)
        sub = f"_{name.sub}" if len(name.sub) == 1 else f"_{{{name.sub}}}" if name.sub else ""
        sup = f"^{name.sup}" if name.sup else ""
        named[name.base + "'" * name.primes + sub + sup] = given
    return Evaluator(Given(named, sizes))


def element(target, body, sizes=None, **values):
    e = evaluator(None, **values)
    return by_elements.element(e, parse_expression(target), parse_expression(body), sizes)


def numbers(X, *axes):
    X = plain(X)
    return X.numpy(*axes) if isinstance(X, nt.NamedTensor) else X


def random(axes, seed=0):
    return nt.normal(axes, generator=np.random.default_rng(seed))


def leaf(name, axes, kind="float"):
    """The symbol of an argument, whose sizes are symbols."""
    found = nt.axes(axes) if isinstance(axes, str) else axes
    found = found if isinstance(found, tuple) else (found,)
    sizes = [(a.name, a.size or size_of(name, a.name, i)) for i, a in enumerate(found)]
    return symbol(name, Type(tuple(sizes), kind))


__all__ = [
    "Given",
    "SymbolicTensor",
    "element",
    "evaluator",
    "leaf",
    "numbers",
    "parsed",
    "random",
    "value",
]
