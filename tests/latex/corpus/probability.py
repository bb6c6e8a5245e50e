"""What the formulas of probability.tex give."""

from __future__ import annotations

import math

import numpy as np

from .entry import Entry


def bayes(likelihood, prior):
    posterior = np.empty_like(likelihood)
    for a in range(likelihood.shape[0]):
        evidence = sum(likelihood[a, b] * prior[b] for b in range(len(prior)))
        for b in range(len(prior)):
            posterior[a, b] = likelihood[a, b] * prior[b] / evidence
    return posterior


def markov(f, g, h):
    return np.array(
        [
            sum(f[a] * g[b, a] * h[c, b] for a in range(g.shape[1]) for b in range(g.shape[0]))
            for c in range(h.shape[0])
        ]
    )


def divergence(p, q):
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


def information(j):
    return divergence(j.ravel(), np.outer(j.sum(1), j.sum(0)).ravel())


def normal(x, mu, Sigma):
    _, logdet = np.linalg.slogdet(Sigma)
    distance = (x - mu) @ np.linalg.solve(Sigma, x - mu)
    return math.exp(-0.5 * (distance + logdet + len(x) * math.log(2 * math.pi)))


def densities(x, weights, m, s):
    peaks = [math.exp(-0.5 * ((x - a) / b) ** 2) / b for a, b in zip(m, s, strict=True)]
    return weights * peaks / math.sqrt(2 * math.pi)


def covariance(P, F, Q):
    return F @ P @ F.T + Q


JOINT = "A[3] B[4] ~ probability A B"
MIXED = {
    "pi": "comp[3] ~ probability comp",
    "m": "comp[3]",
    "s": "comp[3] ~ positive",
}
HIDDEN = {"alpha": "state[3] ~ positive", "o": "obs[4] ~ one-hot obs"}
MODEL = {"T": "state[3] state'[3] ~ positive", "E": "state[3] obs[4] ~ positive"}

ENTRIES = [
    Entry("left", lambda p: p.sum(1), "A", {"p": JOINT}),
    Entry("right", lambda p: p.sum(0), "B", {"p": JOINT}),
    Entry("given", lambda p: p / p.sum(0), "A B", {"p": JOINT}),
    Entry(
        "joint",
        lambda q, r: np.einsum("ab,b->ab", q, r),
        "A B",
        {"q": "A[3] B[4] ~ probability A", "r": "B[4] ~ probability B"},
    ),
    Entry(
        "Bayes",
        bayes,
        "A B",
        {"ell": "A[3] B[4] ~ probability A", "pi": "B[4] ~ probability B"},
        gradients=True,
    ),
    Entry(
        "markov",
        markov,
        "C",
        {
            "f": "A[3] ~ probability A",
            "g": "B[2] A[3] ~ probability B",
            "h": "C[4] B[2] ~ probability C",
        },
    ),
    Entry("H", lambda p: -sum(a * math.log(a) for a in p), "", {"p": "A[4] ~ probability A"}),
    Entry(
        "KL",
        divergence,
        "",
        {"p": "A[4] ~ probability A", "q": "A[4] ~ probability A"},
        gradients=True,
    ),
    Entry(
        "JS",
        lambda p, q: divergence(p, (p + q) / 2) / 2 + divergence(q, (p + q) / 2) / 2,
        "",
        {"p": "A[4] ~ probability A", "q": "A[4] ~ probability A"},
    ),
    Entry("MI", information, "", {"j": JOINT}),
    Entry(
        "normal",
        normal,
        "",
        {"x": "d[3]"},
        {"mu": "d[3]", "Sigma": "d[3] d'[3] ~ definite"},
        gradients=True,
    ),
    Entry("mixture", lambda *given: densities(*given).sum(), "", {"x": 0.3}, MIXED),
    Entry(
        "responsibility",
        lambda *given: densities(*given) / densities(*given).sum(),
        "comp",
        {"x": 0.3},
        MIXED,
    ),
    Entry("forward", lambda a, o, T, E: E[:, o.argmax()] * (T @ a), "state", HIDDEN, MODEL),
    Entry(
        "Viterbi",
        lambda a, o, T, E: [max(T[s] * a) * E[s, o.argmax()] for s in range(3)],
        "state",
        HIDDEN,
        MODEL,
    ),
    Entry("mean", lambda x, F: F @ x, "state", {"x": "state[3]"}, {"F": "state[3] state'[3]"}),
    Entry(
        "cov",
        covariance,
        "state state'",
        {"P": "state[3] state'[3] ~ definite"},
        {"F": "state[3] state'[3]", "Q": "state[3] state'[3]"},
    ),
]
