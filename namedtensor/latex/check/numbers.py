"""Run what can be run on a few small numbers: a formula that gives nan for all of them is at fault."""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.shapes import largest
from namedtensor.formula.signature import Parameter, Space
from namedtensor.latex.check.report import Report
from namedtensor.latex.documents.scopes import Defined
from namedtensor.tensor import NamedTensor, tensor
from namedtensor.tensor.apply import LIBRARY_ERRORS

if TYPE_CHECKING:
    from namedtensor.latex.documents.document import Document

#: So many formulas of a document are tried, and so many numbers are computed for all of them.
FORMULAS = 400
NUMBERS = 4_000_000

#: The size of axes that are declared without a number, and the most numbers of a tensor on the way.
SIZE = 2
MOST = 10_000

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]

#: Positive and negative, below one and above: what is nan for all of these is nan for most.
DRAWS: tuple[Draw, ...] = (
    lambda source, shape: source.uniform(0.05, 0.2, shape),
    lambda source, shape: source.uniform(0.3, 0.7, shape),
    lambda source, shape: source.uniform(2.0, 3.0, shape),
    lambda source, shape: source.uniform(-0.9, -0.1, shape),
    lambda source, shape: source.standard_normal(shape),
)


class TooLarge(Exception):
    """A formula's tensors are too large to be tried."""


@dataclass(slots=True)
class Budget:
    """How many numbers may still be computed; what is found never depends on the clock."""

    numbers: int


def check_numbers(document: Document, report: Report) -> None:
    """Report the definitions that give nan whatever they are given."""
    left = Budget(NUMBERS)
    for defined in itertools.islice(document.definitions.definitions, FORMULAS):
        if left.numbers <= 0:
            return
        if defined.letters or report.any_in(defined.statement.span):
            continue
        if is_nan(document, defined, left):
            report.add(
                "warning",
                "nan",
                defined.body.span,
                f"{report.text(defined.name.span)} is nan for all numbers that were tried",
                hint="look for 0/0, for infinity minus infinity, and for roots of negative numbers",
            )


def is_nan(document: Document, defined: Defined, left: Budget) -> bool:
    """Say whether a definition runs, and gives nan for every draw."""
    try:
        found = document.library.of(defined)
        return isinstance(found, Formula) and all(_nan(found, draw, left) for draw in DRAWS)
    except (*LIBRARY_ERRORS, NamedTensorError, LookupError, TooLarge):
        return False


def _nan(formula: Formula, draw: Draw, left: Budget) -> bool:
    source = np.random.default_rng(DRAWS.index(draw))
    given = dict(_given(formula, draw, source))
    size = largest(formula, given)
    if size > MOST:
        raise TooLarge
    left.numbers -= size
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = formula(**given)
    parts = result if isinstance(result, tuple) else (result,)
    return any(isinstance(X, NamedTensor) and _has_nan(X) for X in parts)


def _has_nan(X: NamedTensor) -> bool:
    numbers = X.numpy(*X.axes)
    return numbers.dtype.kind in "fc" and bool(np.isnan(numbers).any())


def _given(formula: Formula, draw: Draw, source: np.random.Generator) -> Iterator[tuple[str, Any]]:
    for parameter in formula.signature.parameters:
        if parameter.bundle is not None:
            inner = parameter.bundle
            yield parameter.name, dict(_bundle(inner, draw, source))
        elif parameter.space is not None and _is_needed(parameter):
            yield parameter.name, _tensor(parameter.space, draw, source)


def _bundle(formula: Formula, draw: Draw, source: np.random.Generator) -> Iterator[tuple[str, Any]]:
    for parameter in formula.signature.parameters:
        if parameter.after and parameter.space is not None and _is_needed(parameter):
            yield parameter.name, _tensor(parameter.space, draw, source)


def _is_needed(parameter: Parameter) -> bool:
    return parameter.default is inspect.Parameter.empty


def _tensor(space: Space, draw: Draw, source: np.random.Generator) -> NamedTensor:
    sizes = tuple([a.size if isinstance(a.size, int) else SIZE for a in space.axes])
    if math.prod(sizes) > MOST:
        raise TooLarge
    numbers = draw(source, sizes)
    if space.letter == "B":
        numbers = numbers > 0.5
    elif space.letter == "Z":
        numbers = source.integers(0, 2, sizes)
    return tensor(numbers, *[Axis(a.name) for a in space.axes])
