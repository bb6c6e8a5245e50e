"""What the formulas of search.tex give, by sorting."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def greedy(z):
    return np.array([float(number == max(z)) for number in z])


def hard(Q, K, V):
    return V[int(np.argmax(K @ Q))]


def best(s, ell):
    """The two best continuations: (score, hypothesis, word)."""
    every = [(s[b] + ell[b, w], b, w) for b in range(len(s)) for w in range(ell.shape[1])]
    return sorted(every, reverse=True)[:2]


def back(s, ell):
    marks = np.zeros((ell.size, 2))
    for k, (_, b, w) in enumerate(best(s, ell)):
        marks[b * ell.shape[1] + w, k] = 1
    return marks


def states(s, ell, S):
    """States stand where their words do."""
    found = np.zeros((2, ell.shape[1], S.shape[1]))
    for k, (_, b, w) in enumerate(best(s, ell)):
        found[k, w] = S[b]
    return found


def experts(r, y):
    first, second = sorted(range(len(r)), key=lambda e: -r[e])[:2]
    p, q = np.exp(r[first]), np.exp(r[second])
    return (p * y[first] + q * y[second]) / (p + q)


BEAM = {"s": "beam[2]", "ell": "beam[2] vocab[4]"}

ENTRIES = [
    Entry("greedy", greedy, "vocab", {"z": "vocab[5]"}),
    Entry("hard", hard, "val", {"Q": "key[3]", "K": "seq[4] key[3]", "V": "seq[4] val[2]"}),
    Entry("scores", lambda *given: [b[0] for b in best(*given)], "beam", BEAM),
    Entry("back", back, "hyp beam", BEAM),
    Entry("states", states, "beam vocab val", {**BEAM, "S": "beam[2] val[3]"}),
    Entry("ordered", lambda z: np.array(sorted(z)), "vocab", {"z": "vocab[5]"}),
    Entry("smallest", min, "", {"z": "vocab[5]"}),
    Entry("spread", lambda z: np.ptp(z), "", {"z": "vocab[5]"}),
    Entry("moe", experts, "val", {"r": "expert[4]", "y": "expert[4] val[3]"}, gradients=True),
]
