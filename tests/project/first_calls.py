"""First calls in eight threads at once, each in a process that has called nothing yet.

Run by test_threads.py as `python first_calls.py CASE LIBRARY STARTS`. A start is a fork of this
process, which has imported everything and made nothing.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor import R, axes, formula

THREADS = 8
seq, emb, hid = axes("seq emb hid")
seq_ = seq.prime


@formula
def project(X: R[emb], b: R[hid], *, W: R[emb, hid]) -> R[hid]:
    return nt.relu(W @ emb @ X + b)


@formula
def causal(X: R[seq, emb], *, scale: float = 2.0) -> R[seq_, emb]:
    M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
    scores = X @ emb @ X[seq >> seq_] / nt.sqrt(abs(emb)) * scale + M
    return nt.softmax[seq](scores) @ seq @ X


@formula
def both(X: R[emb], b: R[hid], *, p: project) -> R[hid]:
    return nt.exp(p(X, b))


def numbers(library: str, *sizes: int) -> Any:
    """Give the same numbers in every process, as an array of this library."""
    array = np.linspace(-1.0, 1.0, int(np.prod(sizes))).reshape(sizes)
    if library == "numpy":
        return array
    import torch

    return torch.from_numpy(array)


def tensors(library: str) -> list[Any]:
    return [
        nt.tensor(numbers(library, 2, 3), "seq emb"),
        nt.tensor(numbers(library, 3, 2), emb, seq),
        nt.tensor(numbers(library, 2, 3), "a b"),
    ]


def operations(library: str) -> list[Any]:
    X = nt.tensor(numbers(library, 2, 3), seq, emb)
    Y = nt.tensor(numbers(library, 3, 4), emb, hid)
    return [
        X @ emb @ Y,
        X + 1.0,
        X * X[seq >> seq_],
        nt.exp(X) / 2,
        X[seq(0)],
        X[(seq, emb) >> axes("all")],
        nt.where(X > 0, X, 0.0),
        nt.concat[seq](X, X),
    ]


def formulas(library: str) -> list[Any]:
    X = nt.tensor(numbers(library, 2, 3), seq, emb)
    W = nt.tensor(numbers(library, 3, 4), emb, hid)
    b = nt.tensor(numbers(library, 4), hid)
    return [
        project(X, b, W=W),
        causal(X),
        causal(X, scale=0.5),
        both(X, b, p={"W": W}),
        project(X[seq(0)], b, W=W),
    ]


def index_defined(library: str) -> list[Any]:
    mask = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -1.0))
    X = nt.tensor(numbers(library, 3, 3), seq_, seq)
    return [nt.iota(seq[3]), nt.eye(seq[2], seq_[2]), X + mask, nt.iota(seq[4]) + nt.iota(emb[2])]


def brackets(library: str) -> list[Any]:
    X = nt.tensor(numbers(library, 2, 3), seq, emb)
    found = [nt.softmax[seq](X), nt.sum[seq, emb](X), nt.max["emb"](X), nt.cumsum[emb](X)]
    return [*found, nt.standardize[emb](X), nt.argmax[emb](X), nt.norm[seq](X), nt.dot[emb](X, X)]


def modules(library: str) -> list[Any]:
    if library == "numpy":
        return formulas(library)
    import torch

    module = project.module(emb[3], hid[4], init={"W": torch.nn.init.ones_})
    outer = both.module(emb[3], hid[4], init={"p.W": torch.nn.init.ones_})
    X = nt.tensor(numbers(library, 2, 3).float(), seq, emb)
    b = nt.tensor(numbers(library, 4).float(), hid)
    found = [module(X, b), outer(X, b), both(X, b, p=module)]
    return [Y.to(torch.float64) for Y in found]


def mixed(library: str) -> list[Any]:
    return [X for case in (brackets, index_defined, formulas, operations) for X in case(library)]


CASES: dict[str, Callable[[str], list[Any]]] = {
    case.__name__: case
    for case in (tensors, operations, formulas, index_defined, brackets, modules, mixed)
}


def plain(X: Any) -> Any:
    """Give a result's numbers with its axes in the order of their names."""
    names = sorted(X.axes)
    array = X.numpy(*names) if X.layout.backend.name == "numpy" else X.torch(*names).detach()
    return names, np.asarray(array)


def at_once(run: Callable[[], Any], threads: int = THREADS) -> list[Any]:
    """Run in so many threads at once; give what each got, or raise what the first one raised."""
    barrier = threading.Barrier(threads)
    found: list[Any] = [None] * threads
    errors: list[BaseException] = []

    def work(place: int) -> None:
        barrier.wait()
        try:
            found[place] = run()
        except BaseException as error:
            errors.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(before)
    if errors:
        raise errors[0]
    return found


def same(found: list[Any], wanted: list[Any]) -> None:
    for (names, array), (other, expected) in zip(found, wanted, strict=True):
        assert names == other, (names, other)
        np.testing.assert_allclose(array, expected, rtol=1e-6)


def one_start(case: Callable[[str], list[Any]], library: str) -> None:
    found = at_once(lambda: [plain(X) for X in case(library)])
    wanted = [plain(X) for X in case(library)]  # the same process, and by now it has plans
    for each in found:
        same(each, wanted)
    tensors(library)


def main(name: str, library: str, starts: int) -> int:
    if library == "torch":
        import torch

        torch.set_num_threads(1)
    for _ in range(starts):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                one_start(CASES[name], library)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
