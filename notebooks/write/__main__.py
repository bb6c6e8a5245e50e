"""Write each notebook from its percent source and run it, so that a page shows what it computes.

    python -m notebooks.write

Leaves out of the page what changes from run to run: times and names of machines.
"""

import re
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1]


def read(source: Path) -> nbformat.NotebookNode:
    """Read a source; what stands below %%named is LaTeX, and a comment in the source."""
    notebook = jupytext.read(source)
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.source.startswith("%%named"):
            cell.source = re.sub(r"^# ?", "", cell.source, flags=re.MULTILINE)
    return notebook


def write(source: Path) -> Path:
    """Write one notebook beside its source."""
    notebook = read(source)
    client = NotebookClient(notebook, record_timing=False, resources={"metadata": {"path": FOLDER}})
    client.execute()
    notebook.metadata.pop("language_info", None)  # names the version of Python
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    page = source.with_suffix(".ipynb")
    nbformat.write(notebook, page)
    return page


if __name__ == "__main__":
    for source in sorted(FOLDER.glob("*.py")):
        print(write(source).relative_to(FOLDER.parent))
