"""Maps of positions, one for each head, that are summed up later."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, head, val = axes("seq emb hid head val")


@formula
def highlight(
    X: R[seq, emb], *, w: R[emb, head], V: R[head, emb, val], O: R[head, val, hid]
) -> R[hid]:
    a = nt.softmax[seq](w @ emb @ X)
    each = a * (V @ emb @ X)
    return O @ (head, val) @ nt.sum[seq](each)
