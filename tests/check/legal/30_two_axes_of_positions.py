"""Positions of rows plus positions of columns."""

from namedtensor import R, axes, formula

emb, row, col = axes("emb row col")


@formula
def grid(X: R[row, col, emb], *, P: R[row, emb], T: R[col, emb]):
    return X + P + T


@formula
def table(*, P: R[row, emb], T: R[col, emb]):
    return P + T
