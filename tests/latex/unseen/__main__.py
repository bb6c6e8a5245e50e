"""Report what is found, falsely found and run: python -m tests.latex.unseen [NAME...].

A name is a document's, or a file's of this folder, which holds several.
"""

from __future__ import annotations

import sys
from collections import Counter

from .counting import ROOMS, report


def main(names: list[str]) -> None:
    total: Counter[str] = Counter()
    for room in ROOMS:
        own = {room.__name__.rpartition(".")[2]}
        for unseen in room.DOCUMENTS:
            if names and not {*own, unseen.file.split(".")[0]} & {*names}:
                continue
            counts, lines = report(unseen)
            total += counts
            if lines:
                print(unseen.file, *lines, sep="\n")
    print(
        f"{total['documents']} documents: {total['found']} of {total['faults']} planted faults found, "
        f"{total['false']} false alarms; of {total['formulas']} formulas {total['right']} right, "
        f"{total['wrong']} wrong, {total['refused']} refused"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
