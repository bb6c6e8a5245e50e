"""Evaluate: turn the syntax of a formula into named tensors, by the operations that everybody calls.

A scope answers for names, sizes and failures, so that one evaluator both runs formulas and checks
them. What a part of a formula means is found in the file of its subject: names and calls,
arithmetic, indexing, bigs, conditions and derivatives.
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
