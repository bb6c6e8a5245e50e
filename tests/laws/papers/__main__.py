"""Draw documents, and count what becomes of them, or of a fault that is planted in each.

python -m tests.laws.papers FIRST COUNT [SHOWN [VARIANT]]
python -m tests.laws.papers FIRST COUNT 0 faults
"""

import sys
import time
from collections import Counter

from tests.laws.papers import faults
from tests.laws.papers.drawing import drawn
from tests.laws.papers.held import Failure, hold_paper, varied
from tests.laws.papers.shrinking import smaller
from tests.laws.papers.tree import Paper
from tests.laws.papers.writing import written

first, count, shown = [int(word) for word in (*sys.argv[1:4], "3")[:3]]
variant = "as drawn" if len(sys.argv) < 5 else sys.argv[4]


def fate(paper: Paper, seed: int) -> tuple[str, str]:
    try:
        hold_paper(paper, seed)
    except Failure as error:
        return error.kind, str(error)
    except Exception as error:
        return f"CRASH {type(error).__name__}", str(error)
    return "held", ""


if variant == "faults":
    planted = [found for seed in range(first, first + count) if (found := faults.found(seed))]
    for said, n in Counter([said for _, said, _ in planted]).most_common():
        print(f"{n:6,}  {said}")
    sys.exit()
counts: Counter[str] = Counter()
seeds: dict[str, list[int]] = {}
for seed in range(first, first + count):
    paper = varied(drawn(seed), variant, seed)
    kind, _ = fate(paper, seed)
    counts[kind] += 1
    seeds.setdefault(kind, []).append(seed)
    if kind != "held" and counts[kind] <= shown:
        until = time.time() + 20
        paper = smaller(paper, lambda p: time.time() < until and fate(p, seed)[0] == kind)
        print(f"## {seed} {kind}: {fate(paper, seed)[1]}\n{written(paper, seed)}", flush=True)
for kind, n in counts.most_common():
    print(f"{n:6,}  {kind}  {seeds[kind][:12] if kind != 'held' else ''}")
