"""@formula: a function whose axes are declared, checked, lifted, and compiled once."""

from namedtensor.formula.bundle import Bundle as Bundle
from namedtensor.formula.derivatives import derivative as derivative
from namedtensor.formula.derivatives import differential as differential
from namedtensor.formula.derivatives import grad as grad
from namedtensor.formula.explain import explain as explain
from namedtensor.formula.formula import Formula as Formula
from namedtensor.formula.formula import formula as formula
from namedtensor.formula.signature import B as B
from namedtensor.formula.signature import R as R
from namedtensor.formula.signature import Signature as Signature
from namedtensor.formula.signature import Space as Space
from namedtensor.formula.signature import State as State
from namedtensor.formula.signature import Z as Z
from namedtensor.formula.signature import each as each
from namedtensor.formula.signature import one as one
