"""Attention along rows, then along columns."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, key, row, col = axes("emb key row col")
row_ = row.prime
col_ = col.prime


@formula
def axial(X: R[row, col, emb], *, W: R[emb, key], U: R[emb, key]) -> R[row, col, emb]:
    Q, K = W @ emb @ X, U @ emb @ X
    A = nt.softmax[row](Q[row >> row_] @ key @ K / nt.sqrt(abs(key)))
    Y = (X @ row @ A)[row_ >> row]
    C = nt.softmax[col](Q[col >> col_] @ key @ K / nt.sqrt(abs(key)))
    return (Y @ col @ C)[col_ >> col]
