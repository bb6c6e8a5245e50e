"""What the formulas of katex.md give."""

from __future__ import annotations

import numpy as np

from .attention_variants import attention, softmax
from .entry import Entry


def weights(q, K):
    return softmax(K @ q / np.sqrt(len(q)), 0)


QUERY = {"q": "key[3]", "K": "seq[5] key[3]"}

ENTRIES = [
    Entry("Look", attention, "val", {"Q": "key[4]", "K": "seq[5] key[4]", "V": "seq[5] val[3]"}),
    Entry("scores", lambda q, K: K @ q, "seq", QUERY),
    Entry("weights", weights, "seq", QUERY, gradients=True),
    Entry("doubt", lambda q, K: -sum(p * np.log(p) for p in weights(q, K)), "", QUERY),
    Entry("peak", lambda q, K: max(weights(q, K)), "", QUERY),
]
