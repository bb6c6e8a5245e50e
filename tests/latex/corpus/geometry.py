"""What the formulas of geometry.md give."""

from __future__ import annotations

import math

import numpy as np

from .entry import Entry


def cosine(x, y):
    return sum(x * y) / math.sqrt(sum(x * x) * sum(y * y))


def pairs(X, of):
    return np.array([[of(x, y) for y in X] for x in X])


def distance(x, y):
    return math.hypot(*(x - y))


def covariance(X):
    return np.cov(X, rowvar=False)


def project(X, V):
    return (X - X.mean(0)) @ V


def mahalanobis(x, y, A):
    return math.sqrt((x - y) @ A @ (x - y))


def nearest(X, C):
    return [min(range(len(C)), key=lambda k: distance(C[k], x)) for x in X]


def k_means(X, C):
    own = np.array(nearest(X, C))
    return np.array([X[own == k].mean(0) for k in range(len(C))])


def inertia(X, C):
    return sum(distance(x, C[k]) ** 2 for x, k in zip(X, nearest(X, C), strict=True))


def soft(X, C, beta):
    p = np.exp([[-beta * distance(x, c) for c in C] for x in X])
    return p / p.sum(1, keepdims=True)


def ridge(X, y, lambda_):
    """Least squares on data that are lengthened by the penalty's own."""
    d = X.shape[1]
    longer = np.vstack([X, math.sqrt(lambda_) * np.eye(d)])
    return np.linalg.lstsq(longer, np.concatenate([y, np.zeros(d)]), rcond=None)[0]


POINTS = {"X": "point[6] dim[3]"}
CENTRES = {"X": "point[7] dim[3] ~ two centres", "C": "cluster[2] dim[3] ~ two centres"}
TWO = {"x": "dim[3]", "y": "dim[3]"}
FORM = {"A": "dim[3] dim'[3] ~ definite"}

ENTRIES = [
    Entry("cosine", cosine, "", TWO, gradients=True),
    Entry("dist", distance, "", TWO),
    Entry("sq", lambda x, y: sum((x - y) ** 2), "", TWO),
    Entry("taxi", lambda x, y: np.abs(x - y).sum(), "", TWO),
    Entry("cheb", lambda x, y: max(np.abs(x - y)), "", TWO),
    Entry("D", lambda X: pairs(X, distance), "point point'", POINTS),
    Entry(
        "rbf",
        lambda X, sigma: pairs(X, lambda x, y: math.exp(-((distance(x, y) / sigma) ** 2) / 2)),
        "point point'",
        POINTS,
        {"sigma": 1.5},
        gradients=True,
    ),
    Entry("gram", lambda X: pairs(X, np.dot), "point point'", POINTS),
    Entry("cov", covariance, "dim dim'", POINTS),
    Entry("project", project, "point comp", POINTS, {"V": "dim[3] comp[2]"}),
    Entry(
        "rebuild",
        lambda X, V: project(X, V) @ V.T + X.mean(0),
        "point dim",
        POINTS,
        {"V": "dim[3] comp[2]"},
    ),
    Entry("form", lambda x, y, A: x @ A @ y, "", TWO, FORM),
    Entry("mahal", mahalanobis, "", TWO, FORM, gradients=True),
    Entry(
        "bilinear",
        lambda x, y, B: np.array([x @ b @ y for b in B]),
        "out",
        TWO,
        {"B": "out[2] dim[3] dim'[3]"},
    ),
    Entry("step", k_means, "cluster dim", CENTRES),
    Entry("inertia", inertia, "", CENTRES),
    Entry("soft", soft, "point cluster", CENTRES, {"beta": 2.0}),
    Entry("ridge", ridge, "dim", {**POINTS, "y": "point[6]"}, {"lambda_": 0.3}),
]
