"""What a class asks of rooms below its own, so that the imports of all files run one way.

A tensor shows itself, and a formula makes a module: what shows and what makes are built of tensors and
formulas, and import them. A class finds them by name when it is first asked, and here stand all the names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

DOORS = (
    "check.documents.check",
    "display.card.formula_card",
    "display.html.shape_table",
    "display.html.table",
    "display.steps.html_of",
    "display.steps.latex_of",
    "display.steps.text_of",
    "display.text.text",
    "formula.formula.formula",
    "latex.check.rules.check",
    "latex.printing.printer.latex_of",
    "latex.printing.printer.with_called",
    "nn.module.make_module",
    "tensor.habits.assigned",
    "tensor.habits.habit",
    "tensor.habits.shifted",
    "tensor.habits.in_our_words",
)


def given_later(*_: Any) -> Any:
    """Stand for a function until the file that has it is imported, which puts it there."""
    raise NotImplementedError


@cache
def door(name: str) -> Callable[..., Any]:
    """Give the function of this name.

    >>> door("tensor.habits.habit").__name__
    'habit'
    """
    file, _, word = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"namedtensor.{file}"), word)
    return found
