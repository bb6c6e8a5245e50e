"""The attention formula on numpy, against numpy by hand with matmul.

8 heads of 64. By hand as careful as can be: the scores' own memory is used again and again.
"""

import math

import numpy as np

import namedtensor as nt
from benchmarks.pairwise import compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Row
from namedtensor import R, axes, formula

head, seq, key, val = axes("head seq key val")
seq_ = seq.prime


@formula
def Attention(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key))) @ seq @ V


def by_hand(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = np.matmul(q, k.swapaxes(-1, -2))
    scores /= math.sqrt(q.shape[-1])
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return np.matmul(scores, v)


def attention(length: int, seconds: float) -> Row:
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((8, length, 64), dtype=np.float32) for _ in range(3))
    Q, K, V = (
        nt.tensor(q, head, seq_, key),
        nt.tensor(k, head, seq, key),
        nt.tensor(v, head, seq, val),
    )
    np.testing.assert_allclose(
        Attention(Q, K, V).numpy(head, seq_, val), by_hand(q, k, v), rtol=1e-3, atol=1e-5
    )
    comparison = compare_runs(lambda: Attention(Q, K, V), lambda: by_hand(q, k, v), seconds)
    return Row(f"attention on numpy, {length} positions", comparison, goal=1.05)


def rows(settings: Settings) -> list[Row]:
    return [attention(length, settings.seconds(6)) for length in (128, 512, 1024)]
