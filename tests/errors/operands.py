"""What the calls of these tests are about; messages speak of these names."""

import numpy as np
import torch

import namedtensor as nt
from namedtensor import axes

seq, emb, key, val, head, batch, vocab, kernel, row, col = axes(
    "seq emb key val head batch vocab kernel row col"
)
seq_ = seq.prime

X = nt.tensor(np.arange(12.0).reshape(3, 4), seq, emb)
Y = nt.tensor(np.arange(12.0).reshape(3, 4), seq, emb)
T = X.to("torch")
meta = nt.tensor(torch.ones(3, 4, device="meta"), seq, emb)
b = nt.tensor(np.arange(4.0), emb)
one = nt.tensor(np.ones((1, 4)), seq, emb)
other = nt.tensor(np.ones((2, 5)), seq, emb)
mask = X > 3.0
I = nt.tensor(np.array([2, 0, 1]), seq)
J = nt.tensor(np.array([0, 7, 1]), seq)
K = nt.tensor(np.array([0, -5, 1]), seq)
JT = J.to("torch")
short = nt.tensor(np.array([0, 1]), seq)
singular = nt.ones("row[2] col[2]")
negative = nt.tensor(np.array([[-1.0, 0.0], [0.0, -1.0]]), row, col)
causal = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


def step(h, x):
    return h + x


def first_two(x):
    return x[:2]


def nothing(x):
    return None


#: A document's recurrence, whose sizes would change with A and B from state to state'.
STATES = r"""\begin{align*}
x^{(t)} &\in \mathbb{R}^{\text{emb}} & t &= 1, \ldots, n \\
h^{(t)} &\in \mathbb{R}^{\text{state}} & t &= 0, \ldots, n \\
A &\in \mathbb{R}^{\text{state}, \text{state}'} \\
B &\in \mathbb{R}^{\text{emb}, \text{state}'} \\
h^{(t)} &= [A \odot_{\text{state}} h^{(t-1)}
  + B \odot_{\text{emb}} x^{(t)}]_{\text{state}' \rightarrow \text{state}}
\end{align*}"""
