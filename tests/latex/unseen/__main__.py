"""Report what is found, falsely found and run: python -m tests.latex.unseen [NAME...]."""

from __future__ import annotations

import sys
from collections import Counter

from .counting import ALL, report


def main(names: list[str]) -> None:
    total: Counter[str] = Counter()
    for unseen in ALL:
        if names and unseen.file.split(".")[0] not in names:
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
