"""Rotary positions."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, half, pair = axes("seq key half pair")


@formula
def rotate(x: R[seq, key]) -> R[seq, key]:
    parts = x[key >> (half, pair[2])]
    angle = nt.iota(seq) * 10000 ** (-2 * nt.iota(half) / abs(key))
    a, b = parts[pair(0)], parts[pair(1)]
    turned = nt.stack[pair](
        a * nt.cos(angle) - b * nt.sin(angle), a * nt.sin(angle) + b * nt.cos(angle)
    )
    return turned[(half, seq) >> key]  # fault
