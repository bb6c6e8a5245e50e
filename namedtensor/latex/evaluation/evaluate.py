"""Evaluate: turn the syntax of a formula into named tensors, by the operations of this package.

A scope knows names and sizes and takes failures, so that one evaluator both runs formulas and checks
them. Each kind of part has its own file: names and calls, arithmetic, indexing, big operators,
conditions and derivatives.
"""

from __future__ import annotations

from namedtensor.latex.evaluation import (
    arithmetic,
    bigs,
    conditions,
    identifiers,
)
from namedtensor.latex.evaluation.by_elements import element as element
from namedtensor.latex.evaluation.by_elements import matrix as matrix
from namedtensor.latex.evaluation.by_elements import update as update
from namedtensor.latex.evaluation.evaluator import READERS
from namedtensor.latex.evaluation.evaluator import Evaluator as Evaluator

READERS.update(
    {
        **identifiers.READERS,
        **arithmetic.READERS,
        **bigs.READERS,
        **conditions.READERS,
    }
)
