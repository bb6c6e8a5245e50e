"""Replace every axis name in every formula of the correct corpus by another axis of its document.

python -m tests.latex.unseen.mutations [--all] [--share N] [FILE...]

One place at a time: the share that is noticed is printed, and what is not noticed is listed. Of each
place one other axis is tried, chosen by its position; --all tries them all, and --share N tries every
N-th place. Axes of declarations stay: another declaration is another model.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import namedtensor as nt
import namedtensor.latex

from ..corpus.subjects import DOCUMENTS

#: How an axis is written in a formula, in one dialect and the other.
AXIS = re.compile(r"\\(?:text|name|mathrm)\{([a-z]+)\}(?='?[,}:()\s\\&]|')")
DEFINED = re.compile(r"\\ndef\{(\\[A-Za-z]+)\}\{(\w+)\}")


def axes_of(text: str) -> set[str]:
    """Give the ways in which axes are written in the declarations of a document."""
    shapes = re.findall(r"\\mathbb\{R\}\^\{((?:[^{}]|\{[^{}]*\})*)\}", text)
    written = {m.group() for shape in shapes for m in AXIS.finditer(shape)}
    return written | {macro for macro, _ in DEFINED.findall(text)}


def is_declared(line: str) -> bool:
    """Say whether a line declares tensors or defines macros."""
    return "\\in " in line or "\\ndef{" in line or "\\colon" in line or "command" in line


def mutants(text: str, everything: bool) -> Iterator[tuple[int, str, str, str]]:
    """Give line number, the axis, what stands for it, and the text."""
    known = sorted(axes_of(text))
    if len(known) < 2:
        return
    either = "|".join(
        re.escape(axis) + ("(?![A-Za-z])" if "{" not in axis else "") for axis in known
    )
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not is_declared(line):
            for match in re.finditer(either, line):
                others = [axis for axis in known if axis != match.group()]
                if not everything:
                    others = [others[(start + match.start()) % len(others)]]
                for other in others:
                    changed = line[: match.start()] + other + line[match.end() :]
                    yield (
                        number,
                        match.group(),
                        other,
                        text[:start] + changed + text[start + len(line) :],
                    )
        start += len(line)


def noticed(text: str) -> bool:
    """Say whether checking a text gives an error or a warning."""
    document = namedtensor.latex.read(text)
    return any(finding.severity != "note" for finding in document.check())


def report(paths: list[Path], everything: bool, share: int) -> tuple[int, int, list[str]]:
    """Count what is noticed and what was tried, and list the rest."""
    seen = tried = 0
    quiet = []
    for path in paths:
        for place, (number, axis, other, text) in enumerate(mutants(path.read_text(), everything)):
            if place % share:
                continue
            tried += 1
            try:
                found = noticed(text)
            except nt.NamedTensorError:
                found = True
            seen += found
            if not found:
                line = text.splitlines()[number - 1].strip()
                quiet.append(f"{path.name}:{number}: {axis} -> {other}: {line}")
    return seen, tried, quiet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--share", type=int, default=1)
    options = parser.parse_args()
    paths = [p for p in DOCUMENTS if not options.files or p.name in options.files]
    seen, tried, quiet = report(paths, options.all, options.share)
    print(*quiet, sep="\n")
    print(f"{seen} of {tried} replaced axes noticed")


if __name__ == "__main__":
    main()
