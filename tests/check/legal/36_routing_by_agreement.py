"""Routing by agreement, with votes from shared weights."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, val, part, cls = axes("emb val part cls")


@formula
def route(x: R[part, emb], L: R[part, cls], *, W: R[cls, emb, val]) -> R[cls, val]:
    votes = W @ emb @ x
    return nt.softmax[cls](L) @ part @ votes
