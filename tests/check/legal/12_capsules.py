"""Routing between capsules: coupling over the outputs, votes summed over the inputs."""

import namedtensor as nt
from namedtensor import R, axes, formula

val, group, part = axes("val group part")


@formula
def route(U: R[part, group, val], b: R[part, group]) -> R[group, val]:
    c = nt.softmax[group](b)
    return U @ part @ c
