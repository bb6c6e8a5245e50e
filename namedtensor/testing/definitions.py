"""One table of the definitions, by the names of the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.testing.calculus import CALCULUS
from namedtensor.testing.contraction import CONTRACTION
from namedtensor.testing.creation import CREATION
from namedtensor.testing.elementwise import ELEMENTWISE
from namedtensor.testing.indexing import INDEXING
from namedtensor.testing.joining import JOINING
from namedtensor.testing.matrices import MATRICES
from namedtensor.testing.ordering import ORDERING
from namedtensor.testing.recurrence import RECURRENCE
from namedtensor.testing.reductions import REDUCTIONS
from namedtensor.testing.renaming import RENAMING
from namedtensor.testing.vectors import VECTORS
from namedtensor.testing.windows import WINDOWS

#: name -> definition: operands first, then axes and settings.
definitions: dict[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **VECTORS,
    **CONTRACTION,
    **RENAMING,
    **INDEXING,
    **WINDOWS,
    **ORDERING,
    **MATRICES,
    **JOINING,
    **RECURRENCE,
    **CALCULUS,
    **CREATION,
}
