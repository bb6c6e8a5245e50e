"""Evaluate: turn the syntax of a formula into named tensors, by the operations of this package.

A scope knows names and sizes and takes failures, so that one evaluator both runs formulas and checks
them. Each kind of part has its own file: names and calls, arithmetic, indexing, big operators,
conditions and derivatives.
"""

from __future__ import annotations

from namedtensor.latex.evaluation import (
    arithmetic,
    bigs,
    by_elements,
    conditions,
    identifiers,
)
from namedtensor.latex.evaluation.by_elements import right_side as right_side
from namedtensor.latex.evaluation.evaluator import READERS
from namedtensor.latex.evaluation.evaluator import Evaluator as Evaluator

READERS.update(
    {
        **identifiers.READERS,
        **arithmetic.READERS,
        **bigs.READERS,
        **by_elements.READERS,
        **conditions.READERS,
    }
)
