"""Where two tensors meet, the axes that they share have one size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.latex.check.report import size_text
from namedtensor.latex.syntax import Binary, Contract

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


def sizes_meet(checker: Checker, where: Contract | Binary) -> bool:
    """Compare the sizes of the axes that two operands share; say whether a fault was found."""
    left, right = checker.type_of(where.left), checker.type_of(where.right)
    if left is None or right is None:
        return False
    for axis, size in left.axes:
        if not right.has(axis):
            continue
        other = right.size(axis)
        found = checker.facts.mismatch(size, other, axis)
        if found is None:
            continue
        (severity, only), text = found, checker.report.text
        checker.report.add(
            severity,
            "axis-size",
            where.span,
            f"{axis} is {size_text(size)} in {text(where.left.span)} and {size_text(other)} in "
            f"{text(where.right.span)}{only}",
            checker.explainer.shapes([where.left, where.right]),
            f"declare one size for both, or rename one {axis}",
        )
        return True
    return False
