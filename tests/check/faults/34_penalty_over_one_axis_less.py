"""A penalty that is summed over fewer axes than the loss beside it."""

import namedtensor as nt
from namedtensor import R, axes, formula

user, item, fac = axes("user item fac")


@formula
def fit(S: R[user, item], rate: R, *, P: R[user, fac], Q: R[item, fac]):
    return nt.sum[user, item]((S - P @ fac @ Q) ** 2) + rate * nt.sum[fac](Q * Q)  # fault
