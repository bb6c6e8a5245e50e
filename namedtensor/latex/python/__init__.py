"""Formulas as a Python module in our own notation."""

from namedtensor.latex.python.modules import python_of as python_of
