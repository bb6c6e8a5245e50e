"""Every row of the cheat sheets gives the same numbers both ways."""

from dataclasses import replace

import pytest

from tests.project.cheatsheets import SHEETS, Row, compare, rows_of

ROWS = [row for sheet in SHEETS for row in rows_of(sheet, sheet.read_text())]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.sheet.stem}: {row.ours}")
def test_the_row_gives_the_same_numbers_both_ways(row):
    assert compare(row)


def test_every_line_of_every_table_is_a_row():
    assert {sheet.stem for sheet in SHEETS} == {"einops", "einsum", "jax", "numpy", "torch"}
    for sheet in SHEETS:
        lines = [line for line in sheet.read_text().splitlines() if line.startswith("|")]
        heads = sum(line.startswith("|-") for line in lines)
        assert heads
        assert len(rows_of(sheet, sheet.read_text())) == len(lines) - 2 * heads


def test_a_row_that_differs_is_seen():
    right = next(row for row in ROWS if row.theirs == {"numpy": "x.sum(axis=1)"})
    for wrong in (
        replace(right, ours="nt.sum[emb](X)"),  # other axes
        replace(right, ours="nt.sum[seq](X) + 1e-3"),  # other numbers
        replace(right, axes="emb batch"),  # another order
    ):
        with pytest.raises((AssertionError, ValueError)):
            compare(wrong)
    with pytest.raises(AssertionError, match="nothing is compared"):
        compare(Row(right.sheet, {}, right.ours, right.axes))
