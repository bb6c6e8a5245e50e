"""Attention of each row over its columns."""

import namedtensor as nt
from namedtensor import R, axes, formula

key, val, row, col = axes("key val row col")
col_ = col.prime


@formula
def columns(Q: R[row, col_, key], K: R[row, col, key], V: R[row, col, val]) -> R[row, col_, val]:
    return V @ col @ nt.softmax[col](Q @ key @ K / nt.sqrt(abs(key)))
