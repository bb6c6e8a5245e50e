"""Probabilities that move from state to state: what is in a state goes to all others."""

import namedtensor as nt
from namedtensor import R, axes, formula

state, page, word, seq = axes("state page word seq")
state_, page_ = state.prime, page.prime


@formula
def moved(P: R[state], *, T: R[state, state_]) -> R[state]:
    return (P @ state @ nt.softmax[state_](T))[state_ >> state]


@formula
def filtered(P: R[state], E: R[state], *, T: R[state, state_]) -> R[state]:
    step = (P @ state @ nt.softmax[state_](T))[state_ >> state] * E
    return step / nt.sum[state](step)


@formula
def ranked(r: R[page], *, links: R[page, page_]) -> R[page]:
    chance = nt.exp(links) / nt.sum[page_](nt.exp(links))
    return 0.85 * (r @ page @ chance)[page_ >> page] + 0.15 / abs(page)


@formula
def forward(start: R[state], E: R[seq, state], *, T: R[state, state_]) -> R[seq, state]:
    chance = nt.softmax[state_](T)
    return nt.scan[seq](lambda p, e: (p @ state @ chance)[state_ >> state] * e, start, E)


@formula
def forward_logs(start: R[state], E: R[seq, state], *, T: R[state, state_]) -> R[seq, state]:
    logs = nt.log_softmax[state_](T)
    return nt.scan[seq](lambda p, e: nt.logsumexp[state](p + logs)[state_ >> state] + e, start, E)


@formula
def spoken(start: R[state], *, T: R[state, state_], W: R[state, word]) -> R[word]:
    after = start @ state @ nt.softmax[state_](T)
    return after @ state_ @ nt.softmax[word](W)[state >> state_]


@formula
def spoken_now(P: R[state], *, W: R[state, word]) -> R[word]:
    return P @ state @ nt.softmax[word](W)
