"""The table of laws: every row, by name."""

from tests.laws.row import Row
from tests.laws.rows import (
    contraction,
    elementwise,
    indexing,
    joining,
    kernels,
    matrices,
    reductions,
    renaming,
    windows,
)

TABLE: dict[str, Row] = {
    row.name: row
    for subject in (
        elementwise,
        reductions,
        contraction,
        renaming,
        indexing,
        windows,
        matrices,
        joining,
        kernels,
    )
    for row in subject.ROWS
}
