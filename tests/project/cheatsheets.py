"""The cheat sheets: each row says the same in two or three ways, which are run and compared.

    python -m tests.project.cheatsheets

prints how many rows of each sheet were compared with which library: jax and haliax are compared where
they are installed, and numpy stands for jax.numpy elsewhere.
"""

import importlib
import importlib.util
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import namedtensor as nt
from tests.project.interpreter import ROOT

SHEETS = sorted((ROOT / "docs" / "cheatsheets").glob("*.md"))
SETTING = re.compile(r"^```(?:python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Row:
    """What others write, what we write, and the order of axes of what comes out."""

    sheet: Path
    theirs: dict[str, str]
    ours: str
    axes: str


def rows_of(sheet: Path, page: str) -> list[Row]:
    """Read the rows of the tables of a page."""
    rows: list[Row] = []
    head: list[str] = []
    for line in page.splitlines():
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
        if not head:
            head = [cell.strip() for cell in line.strip("| ").split("|")]
        elif not line.startswith("|-"):
            cells = [cell.strip(" |").strip("`") for cell in re.split(r" \|(?: |$)", line[1:])]
            said = dict(zip(head, cells, strict=False))
            ours, axes = said.pop("names"), said.pop("axes", "")
            rows.append(Row(sheet, said, ours, axes))
    return rows


@cache
def setting_of(sheet: Path) -> dict[str, Any]:
    """Run what a page says its rows stand on, once; haliax' part where it is installed."""
    jax = importlib.util.find_spec("jax") is not None
    names: dict[str, Any] = {"np": np, "jnp": np}
    if jax and sheet.stem == "jax":
        importlib.import_module("jax").config.update("jax_enable_x64", True)
        names["jnp"] = importlib.import_module("jax.numpy")
    for code in SETTING.findall(sheet.read_text()):
        if "haliax" not in code or importlib.util.find_spec("haliax") is not None:
            exec(code, names)
    return names


def positional(found: Any, axes: str) -> np.ndarray:
    """Give what came out as an array in an order of axes, in which 1 is an axis of size 1."""
    order = axes.split()
    if isinstance(found, (nt.NamedTensor, type(nt.iota("seq[1]")))):
        named = [axis for axis in order if axis != "1"]
        array = np.asarray(found.to("numpy").numpy(named) if named else float(found))
        return np.expand_dims(array, tuple(i for i, a in enumerate(order) if a == "1"))
    if hasattr(found, "rearrange") and hasattr(found, "array"):  # haliax
        found = found.rearrange(tuple(order)).array if order else found.array
    if hasattr(found, "numpy"):
        found = found.numpy()
    return np.asarray(found)


def compare(row: Row) -> list[str]:
    """Run a row, complain where the numbers differ, and say what was compared."""
    names = setting_of(row.sheet)
    ours = positional(eval(row.ours, dict(names)), row.axes)
    compared = []
    for library, code in row.theirs.items():
        if library == "haliax" and "hax" not in names:
            continue
        theirs = positional(eval(code, dict(names)), row.axes)
        single = "float32" in (str(theirs.dtype), str(ours.dtype))
        np.testing.assert_allclose(ours, theirs, rtol=2e-5 if single else 1e-9, atol=1e-6)
        stands = library == "jax.numpy" and names["jnp"] is np
        compared.append("numpy, for jax.numpy" if stands else library)
    assert compared, f"nothing is compared with {row.ours}"
    return compared


def main() -> None:
    """Compare everything and count it."""
    for sheet in SHEETS:
        counts: Counter[str] = Counter()
        for row in rows_of(sheet, sheet.read_text()):
            counts.update(compare(row))
        print(f"{sheet.name}:", ", ".join(f"{count} {name}" for name, count in counts.items()))


if __name__ == "__main__":
    main()
