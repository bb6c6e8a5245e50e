"""The file of results: a table stands between its markers until the next run replaces it."""

from datetime import UTC, datetime
from pathlib import Path


def written(file: Path, name: str, text: str, machine: str) -> None:
    """Replace what stands between the markers of `name`; put them at the end if there are none."""
    page = file.read_text() if file.exists() else ""
    file.write_text(replaced(page, name, f"{text}\n{datetime.now(UTC):%Y-%m-%d}, {machine}.\n"))


def replaced(page: str, name: str, text: str) -> str:
    """Put a text between the markers of a page.

    >>> print(replaced("a <!-- eager -->old<!-- /eager --> b", "eager", "new"))
    a <!-- eager -->
    new<!-- /eager --> b
    """
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = page.partition(start)
    if not found:
        return f"{page}\n{start}\n{text}{end}\n"
    _, closed, after = rest.partition(end)
    if not closed:
        raise ValueError(f"{start} has no {end}")
    return f"{before}{start}\n{text}{end}{after}"
