"""What a type checker must tell: each line that is marked has one mistake, and no other line has any."""

import namedtensor as nt
from namedtensor import NamedTensor, R, axes, formula

seq, emb, hid = axes("seq emb hid")


@formula
def project(X: R[emb], *, W: R[emb, hid], b: R[hid] | None = None) -> R[hid]:
    """Project, with a bias or without."""
    Y = W @ emb @ X
    return Y if b is None else Y + b


@formula
def track(X: R[emb], *, mean: nt.State[R[emb]]) -> R[emb]:
    """Subtract a running mean."""
    return X - mean, nt.update(mean=X)


def unused(X: NamedTensor, W: NamedTensor) -> None:
    """Never called: most of it would raise."""
    number: float = 0.0
    project(X, WW=W)  # mistake: a misspelt parameter
    project(X)  # mistake: a missing argument
    project("X", W=W)  # mistake: a str for a tensor
    project(X, W=W, b="b")  # mistake: a str for a tensor that may be left out
    number = project(X, W=W)  # mistake: a result used as a float
    number = project(X, W=W) + 1  # mistake: a sum used as a float
    number = float(project(X, W=W).item())
    project(X, W=W).sahpe  # mistake: a misspelt attribute
    track(X, maen=X)  # mistake: a misspelt state
    number = project.module(emb[2], hid[3])(X)  # mistake: a module's result used as a float
    nt.grad(project, "W")(X, WW=W)  # mistake: a misspelt parameter of a gradient
    nt.softmax[seq](X, W)  # mistake: more than softmax takes
    nt.unroll[seq, hid[3]](X, strid=2)  # mistake: a misspelt argument
    nt.unroll[seq, hid[3]](X, stride=2)
    nt.relu("X")  # mistake: a str for a tensor
    X + "X"  # mistake: a str added to a tensor
    print(number)
