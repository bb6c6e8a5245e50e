"""A little of everything, in a process of its own; run by test_survives.py.

`python -m tests.project.survive REFUSED ...` fails where a file under one of these folders is
opened for writing. Nothing here may be an assert, which python -O leaves out.
"""

import os
import sys


def watch(refused: list[str]) -> list[str]:
    """List the files that are opened for writing under these folders from now on."""
    written: list[str] = []

    def hook(event: str, found: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(found[0], str):
            return
        _, mode, flags = found
        writes = isinstance(mode, str) and any(c in mode for c in "wax+")
        if writes or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            path = os.path.abspath(found[0])
            written.extend(path for folder in refused if path.startswith(folder + os.sep))

    sys.addaudithook(hook)
    return written


def check(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"failed: {what}")


def everything() -> None:
    import numpy as np

    import namedtensor as nt
    import namedtensor.latex
    from namedtensor import R, axes, formula

    seq, emb, hid = axes("seq emb hid")

    @formula
    def project(X: R[emb], *, W: R[emb, hid], scale: float = 1.0) -> R[hid]:
        return nt.softmax[hid](W @ emb @ X * scale)

    X = nt.tensor(np.ones((2, 3)), seq, emb)
    W = nt.tensor(np.ones((3, 4)), emb, hid)
    for scale in (0.5, 1.5, 2.5):
        check(np.allclose(project(X, W=W, scale=scale).numpy(seq, hid), 0.25), "a formula")
    for wrong in (lambda: nt.sum[hid](X), lambda: X[emb >> seq], lambda: project(X)):
        try:
            wrong()
        except nt.NamedTensorError as error:
            check("hint" in str(error), "an error has a hint")
        else:
            check(False, "a mistake is refused")
    check(bool(project.latex()), "a formula prints")
    document = nt.latex.read(r"$$X \in \mathbb{R}^{\text{emb}} \\ Y = X + X$$")
    check(bool(repr(document)), "a document is read")

    import torch

    module = project.module(emb[3], hid[4])
    check(module(nt.tensor(torch.ones(3), emb)).torch(hid).shape == (4,), "a module")


if __name__ == "__main__":
    written = watch(sys.argv[1:])
    everything()
    check(not written, f"nothing is written: {written}")
