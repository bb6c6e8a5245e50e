"""Formulas are kernels: trees are recognised as the fused operations that they are."""

from namedtensor.formula.rewrite.engine import RULES as RULES
from namedtensor.formula.rewrite.engine import Fired as Fired
from namedtensor.formula.rewrite.engine import rewrite as rewrite
