"""What the formulas of web.md give."""

from __future__ import annotations

import numpy as np

from .entry import Entry

X = {"X": "seq[3] emb[4]"}
Z = {"x": "emb[5]"}

ENTRIES = [
    Entry("less", lambda X, alpha: (1 - alpha) * X, "seq emb", X, {"alpha": 0.3}),
    Entry("fenced", lambda X: X.sum(0), "emb", X),
    Entry("ticked", lambda X: X.sum(1), "seq", X),
    Entry("listed", lambda X: X**2, "seq emb", X),
    Entry("deeper", lambda X: X / (1 + np.abs(X)), "seq emb", X),
    Entry("again", lambda X: np.log1p(X**2), "seq emb", X),
    Entry("html", lambda X: 2 * np.maximum(X, 0), "seq emb", X),
    Entry("align", lambda X: 1 + X, "seq emb", X),
    Entry("tanhexp", lambda x: x * np.tanh(np.exp(x)), "emb", Z),
    Entry("strong", lambda x: x * np.clip(x + 3, 0, 6) / 6, "emb", Z),
    Entry("relu6", lambda x: np.clip(x, 0, 6), "emb", {"x": "emb[3]"}),
    Entry("noted", lambda x: np.where(x > 0, x, 0.1 * x), "emb", Z),
    Entry("step", lambda x: np.heaviside(x, 1), "emb", Z),
    Entry("bent", lambda x: (np.hypot(x, 1) - 1) / 2 + x, "emb", Z),
]
