"""The output projection forgets the heads."""

from namedtensor import R, axes, formula

seq, emb, val, head = axes("seq emb val head")


@formula
def merge(Y: R[head, seq, val], *, WO: R[head, val, emb]) -> R[seq, emb]:
    return WO @ val @ Y  # fault
