"""Calls without end, of changing sizes, names, orders and settings: how much does memory grow?

Run as `python -m tests.project.long_run CALLS MB [KIND ...]`: prints how many MB the calls added
after a warm-up that fills every cache, and fails where they are more. `make check-long` runs 200,000.
"""

from __future__ import annotations

import gc
import itertools
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor import Axis, R, axes, formula

#: So many calls fill every cache.
WARM = 4_000

seq, emb = axes("seq emb")


@formula
def scaled(X: R[seq, emb], *, scale: float = 1.0, shift: float = 0.0) -> R[seq]:
    return nt.sum[emb](X * scale + shift)


@formula
def stepped(X: R[seq], *, low: float = 0.0) -> R[seq]:
    return X + 1.0 if low > 0.5 else X / (float(low) + 1.0)


@formula
def asked(X: R[seq]) -> R[seq]:
    return X / float(abs(seq))


def sizes(k: int) -> None:
    X = nt.tensor(np.ones((k % 7 + 1, k % 11 + 1)), seq, emb)
    scaled(X)
    nt.softmax[seq](X) @ emb @ X
    nt.iota(seq[k % 1000]) + nt.iota(emb[2])


def asked_sizes(k: int) -> None:
    asked(nt.tensor(np.ones(k % 3000 + 1), seq))


def names(k: int) -> None:
    a, b = Axis(f"a{k}"), Axis(f"b{k}")
    X = nt.tensor(np.ones((2, 3)), a, b)
    X + X
    nt.sum[b](X)
    X @ b @ X[a >> a.prime]
    scaled(X[a >> seq, b >> emb])


def extra_names(k: int) -> None:
    scaled(nt.tensor(np.ones((2, 3, 4)), seq, f"c{k}", emb))


ORDERS = list(itertools.permutations("uvwxyz"))


def orders(k: int) -> None:
    X = nt.tensor(np.ones((1, 1, 1, 1, 1, 1)), *ORDERS[k % len(ORDERS)])
    Y = nt.tensor(np.ones((1, 1)), "u", "w")
    nt.exp(X) + Y


def settings(k: int) -> None:
    X = nt.tensor(np.ones((2, 3)), seq, emb)
    scaled(X, scale=k / 7, shift=-k / 3)
    nt.pad[seq](X, 1, 0, k / 3)
    nt.clip(X, k / 3, k / 2)


def asked_settings(k: int) -> None:
    stepped(nt.tensor(np.ones(3), seq), low=k / 7)


def made_formulas(k: int) -> None:
    @formula
    def doubled(X: R[seq]) -> R[seq]:
        return X + X

    doubled(nt.tensor(np.ones(3), seq))


KINDS: list[Callable[[int], None]] = [
    sizes,
    asked_sizes,
    names,
    extra_names,
    orders,
    settings,
    asked_settings,
    made_formulas,
]


def memory() -> float:
    """Give the memory that this process has now, in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def run(kinds: Iterator[Callable[[int], None]], numbers: range) -> None:
    for k, kind in zip(numbers, kinds, strict=False):
        kind(k)


def growth(calls: int, warm: int, kinds: list[Callable[[int], Any]]) -> float:
    """Run a warm-up, then so many calls; give how many MB the calls have added."""
    warnings.simplefilter("ignore")
    run(itertools.cycle(kinds), range(warm))
    before = memory()
    run(itertools.cycle(kinds), range(warm, warm + calls))
    return memory() - before


if __name__ == "__main__":
    calls, limit = int(sys.argv[1]), float(sys.argv[2])
    chosen = [kind for kind in KINDS if kind.__name__ in sys.argv[3:]] or KINDS
    added = growth(calls, WARM, chosen)
    print(f"{calls} calls added {added:.1f} MB")
    raise SystemExit(added > limit)
