"""Each notebook is its percent source, cell for cell; nbmake runs the notebooks themselves."""

import json
import re

import jupytext
import pytest

from notebooks.write.__main__ import read
from tests.project.interpreter import ROOT

SOURCES = sorted((ROOT / "notebooks").glob("*.py"))
PAGES = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(notebook) -> list[tuple[str, str]]:
    """Give the kind and the text of each cell."""
    return [(cell.cell_type, cell.source.strip()) for cell in notebook.cells]


def test_every_notebook_has_its_source_and_every_source_its_notebook():
    assert SOURCES
    assert [page.stem for page in PAGES] == [source.stem for source in SOURCES]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_notebook_and_its_source_are_in_step(source):
    page = source.with_suffix(".ipynb")
    assert cells(jupytext.read(page)) == cells(read(source)), (
        f"{source.name} and {page.name} differ; write the notebook again from its source:\n"
        "  make notebooks"
    )


def test_a_changed_cell_is_seen():
    first, second = (jupytext.reads(f"# %%\n{text}\n", fmt="py:percent") for text in "xy")
    assert cells(first) != cells(second)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_opens_with_what_one_can_do_after_it_and_ends_with_solutions(source):
    text = [text for kind, text in cells(read(source)) if kind == "markdown"]
    assert "After this notebook you can" in text[0]
    titles = re.findall(r"^## (.*)$", "\n".join(text), re.MULTILINE)
    assert titles[-1] == "Solutions"
    assert "Exercises" in titles or source.stem == "find_the_axis_error"  # which is all exercises


def test_every_fault_of_the_exercises_fails_its_test():
    page = json.loads((ROOT / "notebooks" / "find_the_axis_error.ipynb").read_text())
    said = "".join(
        "".join(output.get("text", ()))
        for cell in page["cells"]
        for output in cell.get("outputs", ())
    )
    assert "0 of 10 right" in said
    assert len(re.findall(r"^\d+: right$", said, re.MULTILINE)) == 10
