"""Ten documents as reviewers meet them: layers, losses and solvers of papers on learning."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def positive(x):
    return np.where(x > 0, x + 1, np.exp(x))


def linear_attention(Q, K, V):
    A = np.tril(positive(Q) @ positive(K).T)
    return A @ V / A.sum(1, keepdims=True)


def causal_softmax(Q, K, V):
    A = np.where(np.tri(len(Q), dtype=bool), Q @ K.T / np.sqrt(Q.shape[1]), -np.inf)
    return softmax(A) @ V


def retention(Q, K, V, gamma):
    n = np.arange(len(Q))
    return (Q @ K.T * np.tril(gamma ** np.maximum(n[:, None] - n, 0))) @ V


def delta_rule(Q, K, V, beta):
    W, found = np.zeros((K.shape[1], V.shape[1])), []
    for q, k, v, b in zip(positive(Q), positive(K), V, beta, strict=True):
        k = k / k.sum()
        W = W + b * np.outer(k, v - k @ W)
        found.append(q @ W)
    return np.stack(found)


def softplus(x):
    return np.log1p(np.exp(x))


def silu(x):
    return x * sigmoid(x)


def causal_taps(x, w, b):
    padded = np.concatenate([np.zeros((len(w) - 1, x.shape[1])), x])
    return silu(
        b + sum(w[k] * padded[len(w) - 1 - k : len(w) - 1 - k + len(x)] for k in range(len(w)))
    )


def scan(u, M, WB, WC, P, R, b, d):
    A, B, C = -np.exp(M), u @ WB, u @ WC
    step = softplus(u @ P @ R + b)
    h, found = np.zeros(A.shape), []
    for t in range(len(u)):
        a = np.exp(step[t][:, None] * A)
        h = a * h + (a - 1) / A * B[t] * u[t][:, None]
        found.append(h @ C[t] + d * u[t])
    return np.stack(found)


def fixed_kernel(M, beta, c, delta, n):
    A = -np.exp(M)
    a = np.exp(delta * A)
    bar = (a - 1) / A * beta
    return np.stack([(c * a**k * bar).sum(1) for k in range(n)])


def balance(X, W, alpha):
    G = softmax(X @ W)
    f = np.eye(G.shape[1])[G.argmax(1)].mean(0)
    return alpha * G.shape[1] * (f * G.mean(0)).sum()


def two_experts(X, W, U, b, V, c):
    G = softmax(X @ W)
    order = np.argsort(-G, axis=1)[:, :2]
    found = np.zeros_like(X)
    for t, x in enumerate(X):
        gates = G[t, order[t]] / G[t, order[t]].sum()
        for g, e in zip(gates, order[t], strict=True):
            found[t] += g * (np.maximum(x @ U[e] + b[e], 0) @ V[e] + c[e])
    return found


def kept(X, W, C):
    M = np.eye(W.shape[1])[softmax(X @ W).argmax(1)]
    return ((M.cumsum(0) * M).sum(1) <= C) * 1.0


def unit(x, axis=-1):
    return x / np.sqrt((x**2).sum(axis, keepdims=True))


def similarities(F, G, WI, WT, tau):
    return unit(F @ WI) @ unit(G @ WT).T / tau


def both_ways(S):
    n = np.arange(len(S))
    rows, columns = np.log(softmax(S, 1))[n, n], np.log(softmax(S, 0))[n, n]
    return -(rows.mean() + columns.mean()) / 2


def pairwise_sigmoid(F, G, WI, WT, t, b):
    x = t * unit(F @ WI) @ unit(G @ WT).T + b
    z = 2 * np.eye(len(x)) - 1
    return np.log1p(np.exp(-z * x)).sum() / len(x)


def found_within(S, k):
    return (((np.diag(S)[:, None] < S).sum(1) + 1) <= k).mean()


def labelled(F, V, WI, WT, tau):
    c = unit(unit(V @ WT).mean(1))
    return softmax(unit(F @ WI) @ c.T / tau)


def convolved(X, W, b):
    """X: batch chan height width; W: chan' chan kh kw."""
    k = W.shape[2:]
    cut = np.lib.stride_tricks.sliding_window_view(X, k, (2, 3))
    return np.einsum("bchwyx,ocyx->bohw", cut, W) + b[:, None, None]


def batch_norm(X, g, b):
    over = (0, 2, 3)
    mean, var = X.mean(over, keepdims=True), X.var(over, keepdims=True)
    return g[:, None, None] * (X - mean) / np.sqrt(var + 1e-5) + b[:, None, None]


def excitation(U, W1, W2):
    return sigmoid(np.maximum(U.mean((2, 3)) @ W1, 0) @ W2)


def squeezed(U, W1, W2):
    return U * excitation(U, W1, W2)[:, :, None, None]


def block(X, W, b, g, beta, W1, W2):
    U = np.maximum(batch_norm(convolved(X, W, b), g, beta), 0)
    return np.maximum(X[:, :, 1:-1, 1:-1] + squeezed(U, W1, W2), 0)


def pooled(X):
    B, c, h, w = X.shape
    return X.reshape(B, c, h // 2, 2, w // 2, 2).max((3, 5))


def leaky(x):
    return np.where(x > 0, x, 0.2 * x)


def dynamic_scores(H, L, R, a):
    left, right = np.einsum("nf,fhd->nhd", H, L), np.einsum("nf,fhd->nhd", H, R)
    return np.einsum("nmhd,hd->nmh", leaky(left[:, None] + right[None]), a)


def dynamic_weights(H, A, L, R, a):
    e = dynamic_scores(H, L, R, a)
    e = np.where(A[:, :, None] > 0, e, -np.inf)
    return softmax(e, 1)


def dynamic_layer(H, A, L, R, a):
    right = np.einsum("nf,fhd->nhd", H, R)
    out = np.einsum("nmh,mhd->nhd", dynamic_weights(H, A, L, R, a), right)
    out = np.where(out > 0, out, np.exp(out) - 1)
    return out.reshape(len(H), -1)


def static_scores(H, W, a, b):
    Z = H @ W
    return leaky((Z @ a)[:, None] + (Z @ b)[None])


def slopes_of(H):
    return 2.0 ** (-8 * np.arange(1, H + 1) / H)


def linear_bias(H, T):
    n = np.arange(T)
    back = n[:, None] - n
    return np.where(back >= 0, -slopes_of(H)[:, None, None] * back, -np.inf)


def bucket(delta, b, far):
    half = b // 2
    if delta < half:
        return delta
    return min(b - 1, half + int(np.floor(np.log(delta / half) / np.log(far / half) * half)))


def grouped_attention(X, Q, K, V, O):
    """Q: emb group rep key; K, V: emb group key; O: group rep key emb."""
    q = np.einsum("te,egrk->grtk", X, Q)
    k, v = np.einsum("te,egk->gtk", X, K), np.einsum("te,egk->gtk", X, V)
    G, R = q.shape[:2]
    s = np.einsum("grik,gjk->grij", q, k) / np.sqrt(k.shape[2])
    s = s + linear_bias(G * R, len(X)).reshape(G, R, len(X), len(X))
    return np.einsum("grij,gjk,grke->ie", softmax(s), v, O)


def divergence(p, q):
    return (p * np.log(p / q)).sum(-1)


def softened(t, s, tau):
    return tau**2 * divergence(softmax(t / tau), softmax(s / tau)).mean()


def hard(s, y):
    return -np.log(softmax(s))[np.arange(len(y)), y].mean()


def attention_map(F):
    Q = (F**2).mean(-1)
    return Q / np.linalg.norm(Q, axis=-1, keepdims=True)


def relative_distances(E):
    D = np.sqrt(((E[:, None] - E[None]) ** 2).sum(2))
    n = len(E)
    return D / (D.sum() / (n * (n - 1)))


def huber(x):
    return np.where(abs(x) <= 1, x**2 / 2, abs(x) - 0.5)


def cell(z, x, W, U, b):
    return np.tanh(W @ z + U @ x + b)


def relaxed(x, W, U, b, alpha, K):
    z = np.zeros(len(b))
    for _ in range(K):
        z = (1 - alpha) * z + alpha * cell(z, x, W, U, b)
    return z


def neumann(z, x, v, W, U, b, M):
    J = (1 - cell(z, x, W, U, b) ** 2)[:, None] * W
    g = v
    for _ in range(M):
        g = v + J.T @ g
    return g


def field(h, t, A, c, w):
    return np.tanh(A @ h + c + t * w)


def runge_kutta(h, A, c, w, N):
    e = 1 / N
    for n in range(N):
        t = n * e
        k1 = field(h, t, A, c, w)
        k2 = field(h + e / 2 * k1, t + e / 2, A, c, w)
        k3 = field(h + e / 2 * k2, t + e / 2, A, c, w)
        k4 = field(h + e * k3, t + e, A, c, w)
        h = h + e / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return h


def euler(h, A, c, w, N):
    change = 0.0
    for n in range(N):
        v = field(h, n / N, A, c, w)
        change -= (1 - v**2) @ np.diag(A) / N
        h = h + v / N
    return h, change


def nearest(z, E):
    return ((z[:, None] - E[None]) ** 2).sum(2).argmin(1)


def usage(z, E):
    return np.eye(len(E))[nearest(z, E)].mean(0)


def perplexity(z, E):
    p = usage(z, E)
    p = p[p > 0]
    return np.exp(-(p * np.log(p)).sum())


def quantised_loss(z, E, beta):
    d = ((z - E[nearest(z, E)]) ** 2).sum(1).mean()
    return d + beta * d


def moved(z, E, n, m, gamma):
    H = np.eye(len(E))[nearest(z, E)]
    n = gamma * n + (1 - gamma) * H.sum(0)
    m = gamma * m + (1 - gamma) * H.T @ z
    return m / n[:, None]


def residual_code(z, C):
    r, q = z, np.zeros_like(z)
    for E in C:
        e = E[nearest(r, E)]
        r, q = r - e, q + e
    return q


DOCUMENTS = [
    Unseen(
        "prefix_attention.md",
        r"""---
title: Linear attention, from prefix sums to the delta rule
---

# Linear attention, from prefix sums to the delta rule

**Setting.** A layer gets queries and keys $Q, K \in \mathbb{R}^{\text{seq}:N, \text{key}:d}$ and values $V \in \mathbb{R}^{\text{seq}:N, \text{val}:m}$, already projected. All is causal: the $i$-th output must not see a token after $i$.

## 1. What we start from

Softmax attention can be written with a similarity $\kappa(q, k) = \exp \left( q \underset{\text{key}}{\cdot} k / \sqrt{d} \right)$ of a query $q \in \mathbb{R}^{\text{key}:d}$ and a key $k \in \mathbb{R}^{\text{key}:d}$:

$$
Y_{\text{seq}(i)} = \frac{\sum_{j=1}^{i} \kappa(Q_{\text{seq}(i)}, K_{\text{seq}(j)}) \, V_{\text{seq}(j)}}{\sum_{j=1}^{i} \kappa(Q_{\text{seq}(i)}, K_{\text{seq}(j)})}
$$

This costs $O(N^2)$. Note that nothing but $\kappa \geq 0$ is needed for the weights to make sense.

## 2. Features instead of exponentials

Katharopoulos et al. take $\kappa(q, k) \approx \phi(q) \underset{\text{key}}{\cdot} \phi(k)$, with a feature map that is positive everywhere,

$$
\phi(x) = \text{elu}(x) + 1, \qquad \text{elu}(x) = \begin{cases} x & \text{if } x > 0, \\ e^x - 1 & \text{otherwise.} \end{cases}
$$

The sums over $j$ no longer depend on the query, and can be kept while we go from left to right:

$$
S_{\text{seq}(i)} = \sum_{j \le i} \phi(K_{\text{seq}(j)}) \odot V_{\text{seq}(j)}, \qquad
z_{\text{seq}(i)} = \sum_{j \le i} \phi(K_{\text{seq}(j)})
$$

so that $S \in \mathbb{R}^{\text{seq}:N, \text{key}:d, \text{val}:m}$ and $z \in \mathbb{R}^{\text{seq}:N, \text{key}:d}$. The layer is

$$
O = \frac{\phi(Q) \underset{\text{key}}{\cdot} S}{\phi(Q) \underset{\text{key}}{\cdot} z} .
$$

*Remark.* In exact arithmetic $O$ is a weighted mean of values, hence $\min_{\text{seq}} V \le O \le \max_{\text{seq}} V$ element by element. In half precision $z$ overflows first[^half].

[^half]: We accumulate in float32.

## 3. Forgetting

A RetNet has no denominator. Old tokens fade with a rate $\gamma \in (0, 1)$:

$$
R_{\text{seq}(i)} = \sum_{j=1}^{i} \gamma^{i-j} \left( Q_{\text{seq}(i)} \underset{\text{key}}{\cdot} K_{\text{seq}(j)} \right) V_{\text{seq}(j)}
$$

or, equivalently, as a recurrence: start from $P_0 = 0$ and do

$$
P_t = \gamma P_{t-1} + K_{\text{seq}(t)} \odot V_{\text{seq}(t)}, \qquad r_t = Q_{\text{seq}(t)} \underset{\text{key}}{\cdot} P_t .
$$

## 4. Overwriting

Adding is a poor way to write into a memory that is full. With the *delta rule* what is stored under a key is first read, and then replaced in part. Let $\beta \in [0, 1]^{\text{seq}:N}$ say how much of it. For $t = 1, \dots, N$,

$$
\begin{aligned}
k_t &= \frac{\phi(K_{\text{seq}(t)})}{\sum_{\text{key}} \phi(K_{\text{seq}(t)})} \\
W_t &= W_{t-1} + \beta_{\text{seq}(t)} \, k_t \odot \left( V_{\text{seq}(t)} - W_{t-1} \underset{\text{key}}{\cdot} k_t \right) \\
o_t &= W_t \underset{\text{key}}{\cdot} \phi(Q_{\text{seq}(t)})
\end{aligned}
$$

where $W_0 = 0$.
""",
        [
            Fault(
                r"\phi(K_{\text{seq}(j)}) \odot V_{\text{seq}(j)}, \qquad",
                r"\phi(K_{\text{seq}(j)}) \odot V_{\text{key}(j)}, \qquad",
            ),
            Fault(
                r"{\phi(Q) \underset{\text{key}}{\cdot} z}",
                r"{\phi(Q) \underset{\text{val}}{\cdot} z}",
            ),
            Fault(
                r"W_{t-1} \underset{\text{key}}{\cdot} k_t",
                r"W_{t-1} \underset{\text{val}}{\cdot} k_t",
            ),
        ],
        [
            Entry(
                "Y",
                causal_softmax,
                "seq val",
                {"Q": "seq[5] key[3]", "K": "seq[5] key[3]", "V": "seq[5] val[2]"},
            ),
            Entry(
                "O",
                linear_attention,
                "seq val",
                {"Q": "seq[5] key[3]", "K": "seq[5] key[3]", "V": "seq[5] val[2]"},
            ),
            Entry(r"\phi", positive, "seq key", {"x": "seq[5] key[3]"}),
            Entry(
                "R",
                retention,
                "seq val",
                {"Q": "seq[5] key[3]", "K": "seq[5] key[3]", "V": "seq[5] val[2]", "gamma": 0.8},
            ),
            Entry(
                "r",
                retention,
                "seq val",
                {"Q": "seq[5] key[3]", "K": "seq[5] key[3]", "V": "seq[5] val[2]", "gamma": 0.8},
            ),
            Entry(
                "o",
                delta_rule,
                "seq val",
                {
                    "Q": "seq[5] key[3]",
                    "K": "seq[5] key[3]",
                    "V": "seq[5] val[2]",
                    "beta": "seq[5] ~ positive",
                },
            ),
        ],
    ),
    Unseen(
        "selective.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm,namedtensor}
\ndef{\seq}{seq} \ndef{\chan}{chan} \ndef{\state}{state} \ndef{\rank}{rank} \ndef{\tap}{tap} \ndef{\emb}{emb} \ndef{\lag}{lag}
\newcommand{\R}{\mathbb{R}}
\newcommand{\Abar}{\bar{A}}
\newcommand{\Bbar}{\bar{B}}
\DeclareMathOperator{\softplus}{softplus}
\DeclareMathOperator{\silu}{SiLU}
\newtheorem{remark}{Remark}
\begin{document}
\title{Notes on selective state spaces}
\maketitle

\section{Background}
A state space model maps a function $x(t)$ to a function $y(t)$ through a hidden state $h(t)$ that solves a linear differential equation with matrices $A$, $B$ and $C$.
Following S4D we take $A$ diagonal, one diagonal per channel, and keep it negative: $A = - \exp M$ with a free parameter $M \in \R^{\chan[D] \times \state[S]}$.

To compute anything, time is cut into steps of length $\delta > 0$. The zero-order hold assumes that $x$ is constant during a step and gives
\begin{equation}
a = \exp(\delta A), \qquad \beta' = \frac{\exp(\delta A) - 1}{A} \odot \beta, \label{eq:zoh}
\end{equation}
where $\beta \in \R^{\chan[D] \times \state[S]}$ is the input vector. If nothing depends on the input, then the model is a convolution. Its kernel, for lags $0, 1, \ldots, \ell - 1$ and a read-out $c \in \R^{\chan[D] \times \state[S]}$, is
\begin{equation}
\kappa_{\lag(k)} = \nsum{\state} c \odot a^{k-1} \odot \beta', \qquad k = 1, \ldots, \ell. \label{eq:kernel}
\end{equation}

\section{The selective model}
Let $x \in \R^{\seq[L] \times \chan[D]}$ be one sequence. First comes a short causal convolution, with $x_{\seq(t)} = 0$ for $t < 1$:
\begin{equation}
u_{\seq(t)} = \silu\Bigl( b + \sum_{k=1}^{4} w_{\tap(k)} \odot x_{\seq(t-k+1)} \Bigr), \qquad w \in \R^{\tap[4] \times \chan[D]}, \; b \in \R^{\chan[D]},
\end{equation}
with $\silu(v) = v \odot \sigma(v)$. Now step size, input and read-out are functions of $u$:
\begin{align}
B &= W_B \ndot{\chan} u, & W_B &\in \R^{\chan[D] \times \state[S]}, \\
C &= W_C \ndot{\chan} u, & W_C &\in \R^{\chan[D] \times \state[S]}, \\
\Delta &= \softplus\bigl( R \ndot{\rank} (P \ndot{\chan} u) + b_\Delta \bigr), & b_\Delta &\in \R^{\chan[D]}. \label{eq:delta}
\end{align}
Here $P \in \R^{\chan[D] \times \rank[r]}$ and $R \in \R^{\rank[r] \times \chan[D]}$ form a map of low rank, and $\softplus(v) = \log(1 + e^v)$. Discretise as in \eqref{eq:zoh}, but with a step for each token and channel,
\begin{align}
\Abar &= \exp(\Delta \odot A) & &\in \R^{\seq[L] \times \chan[D] \times \state[S]} \\
\Bbar &= \frac{\Abar - 1}{A} \odot B & &\in \R^{\seq[L] \times \chan[D] \times \state[S]}
\end{align}
and run, from $h_0 = 0$,
\begin{align}
h_t &= \Abar_{\seq(t)} \odot h_{t-1} + \Bbar_{\seq(t)} \odot u_{\seq(t)} \\
y_t &= C_{\seq(t)} \ndot{\state} h_t + d \odot u_{\seq(t)}, \qquad d \in \R^{\chan[D]},
\end{align}
for $t = 1, \ldots, L$.

\begin{remark}
Most code replaces $\Bbar$ by its first-order approximation $\Delta \odot B$. This is Euler's rule for the input and the exact rule for the state.
\end{remark}

\section{The block}
A gate $z \in \R^{\seq[L] \times \chan[D]}$ multiplies the output before it is projected back,
\begin{equation}
o = W_o \ndot{\chan} (y \odot \silu(z)), \qquad W_o \in \R^{\chan[D] \times \emb},
\end{equation}
where $y_{\seq(t)} = y_t$.
\end{document}
""",
        [
            Fault(
                r"C_{\seq(t)} \ndot{\state} h_t",
                r"C_{\seq(t)} \ndot{\rank} h_t",
            ),
            Fault(
                r"\kappa_{\lag(k)} = \nsum{\state} c",
                r"\kappa_{\lag(k)} = \nsum{\seq} c",
            ),
            Fault(
                r"w_{\tap(k)} \odot x_{\seq(t-k+1)}",
                r"w_{\lag(k)} \odot x_{\seq(t-k+1)}",
            ),
        ],
        [
            Entry(
                r"\kappa",
                lambda M, beta, c, delta: fixed_kernel(M, beta, c, delta, 5),
                "lag chan",
                {
                    "M": "chan[2] state[3]",
                    "beta": "chan[2] state[3]",
                    "c": "chan[2] state[3]",
                    "delta": 0.3,
                },
                chosen={"ell": 5},
            ),
            Entry(
                "u",
                causal_taps,
                "seq chan",
                {"x": "seq[6] chan[2]", "w": "tap[4] chan[2]", "b": "chan[2]"},
            ),
            Entry(
                r"\Delta",
                lambda x, w, b, P, R, c: softplus(causal_taps(x, w, b) @ P @ R + c),
                "seq chan",
                {
                    "x": "seq[6] chan[3]",
                    "w": "tap[4] chan[3]",
                    "b": "chan[3]",
                    "P": "chan[3] rank[2]",
                    "R": "rank[2] chan[3]",
                    "b_Delta": "chan[3]",
                },
            ),
            Entry(
                "y",
                lambda x, w, b, M, WB, WC, P, R, c, d: scan(
                    causal_taps(x, w, b), M, WB, WC, P, R, c, d
                ),
                "seq chan",
                {
                    "x": "seq[6] chan[3]",
                    "w": "tap[4] chan[3]",
                    "b": "chan[3]",
                    "M": "chan[3] state[2]",
                    "W_B": "chan[3] state[2]",
                    "W_C": "chan[3] state[2]",
                    "P": "chan[3] rank[2]",
                    "R": "rank[2] chan[3]",
                    "b_Delta": "chan[3]",
                    "d": "chan[3]",
                },
            ),
            Entry(
                "o",
                lambda x, w, b, M, WB, WC, P, R, c, d, z, Wo: (
                    (scan(causal_taps(x, w, b), M, WB, WC, P, R, c, d) * silu(z)) @ Wo
                ),
                "seq emb",
                {
                    "x": "seq[6] chan[3]",
                    "w": "tap[4] chan[3]",
                    "b": "chan[3]",
                    "M": "chan[3] state[2]",
                    "W_B": "chan[3] state[2]",
                    "W_C": "chan[3] state[2]",
                    "P": "chan[3] rank[2]",
                    "R": "rank[2] chan[3]",
                    "b_Delta": "chan[3]",
                    "d": "chan[3]",
                    "z": "seq[6] chan[3]",
                    "W_o": "chan[3] emb[2]",
                },
            ),
        ],
    ),
    Unseen(
        "sparse_experts.md",
        r"""# Review: sparse mixtures of experts

## Summary

The submission replaces the feed-forward network of a layer by $E$ of them, and each token visits only one or two. I restate the method in the notation that I use for my own notes.

Tokens: $X \in \mathbb{R}^{\text{tok}:T, \text{emb}:D}$. Router: $W_r \in \mathbb{R}^{\text{emb}:D, \text{exp}:E}$. The router's logits and probabilities are

$$
H = X \underset{\text{emb}}{\cdot} W_r, \qquad G = \underset{\text{exp}}{\text{softmax}}\; H .
$$

## Experts

Expert number $e$ has its own slice of four parameters,

- $U \in \mathbb{R}^{\text{exp}:E, \text{emb}:D, \text{hid}:F}$ and $b \in \mathbb{R}^{\text{exp}:E, \text{hid}:F}$,
- $V \in \mathbb{R}^{\text{exp}:E, \text{hid}:F, \text{emb}:D}$ and $c \in \mathbb{R}^{\text{exp}:E, \text{emb}:D}$,

and computes, for one token $x \in \mathbb{R}^{\text{emb}:D}$,

$$
\text{FFN}_e(x) = \text{relu}\left( x \underset{\text{emb}}{\cdot} U_{\text{exp}(e)} + b_{\text{exp}(e)} \right) \underset{\text{hid}}{\cdot} V_{\text{exp}(e)} + c_{\text{exp}(e)} .
$$

A *dense* mixture would be

$$
\text{MoE}(x) = \sum_{e=1}^{E} g_e \, \text{FFN}_e(x) \quad \text{with} \quad g = \underset{\text{exp}}{\text{softmax}} \left( x \underset{\text{emb}}{\cdot} W_r \right), \; g_e = g_{\text{exp}(e)} .
$$

## Routing

The first choice of token $t$ is $e_t = \underset{\text{exp}}{\text{argmax}}\; G_{\text{tok}(t)}$. For the second choice the first one is masked:

$$
\begin{aligned}
M_{\text{tok}(t), \text{exp}(e)} &= \begin{cases} 1 & \text{if } e = e_t \\ 0 & \text{otherwise} \end{cases} \\
s_t &= \underset{\text{exp}}{\text{argmax}} \left( (1 - M_{\text{tok}(t)}) \odot G_{\text{tok}(t)} \right)
\end{aligned}
$$

and the output is the mean of the two, weighted by their renormalised gates:

$$
Y_{\text{tok}(t)} = \frac{G_{\text{tok}(t), \text{exp}(e_t)} \, \text{FFN}_{e_t}(X_{\text{tok}(t)}) + G_{\text{tok}(t), \text{exp}(s_t)} \, \text{FFN}_{s_t}(X_{\text{tok}(t)})}{G_{\text{tok}(t), \text{exp}(e_t)} + G_{\text{tok}(t), \text{exp}(s_t)}}
$$

Experts have a *capacity*, in the paper $C = \lceil 1.25 \, T / E \rceil$ tokens. A token keeps its (first) place if not too many earlier tokens went the same way:

$$
\text{keep}_{\text{tok}(t)} = \mathbb{1}\left[ \sum_{s=1}^{t} M_{\text{tok}(s), \text{exp}(e_t)} \le C \right]
$$

## Losses

Left alone, the router sends everything to one expert. Let

$$
f = \frac{1}{T} \sum_{\text{tok}} M, \qquad P = \frac{1}{T} \sum_{\text{tok}} G
$$

be the fraction of tokens, and of probability, that goes to each expert ($f, P \in \mathbb{R}^{\text{exp}:E}$). The load-balancing loss and the router's z-loss are

$$
\mathcal{L}_{\text{bal}} = \alpha \, E \sum_{\text{exp}} f \odot P
$$

$$
\mathcal{L}_z = \frac{1}{T} \sum_{\text{tok}} \left( \log \sum_{\text{exp}} \exp H \right)^2
$$

An older proposal (Shazeer et al., 2017) penalises the squared coefficient of variation of the importance $I = \sum_{\text{tok}} G$ instead:

$$
\mathcal{L}_{\text{imp}} = \frac{\underset{\text{exp}}{\text{var}}\, I}{\left( \underset{\text{exp}}{\text{mean}}\, I \right)^2}
$$

## Weaknesses

1. $\mathcal{L}_{\text{bal}}$ is at least $\alpha$ only if $f$ and $P$ are similarly ordered; the text says "always".
2. Table 3 lacks error bars. How $\alpha$ was tuned is not said.
""",
        [
            Fault(
                r"G = \underset{\text{exp}}{\text{softmax}}\; H .",
                r"G = \underset{\text{emb}}{\text{softmax}}\; H .",
            ),
            Fault(
                r"\right) \underset{\text{hid}}{\cdot} V_{\text{exp}(e)}",
                r"\right) \underset{\text{emb}}{\cdot} V_{\text{exp}(e)}",
            ),
            Fault(
                r"f = \frac{1}{T} \sum_{\text{tok}} M,",
                r"f = \frac{1}{T} \sum_{\text{hid}} M,",
            ),
        ],
        [
            Entry(
                "G",
                lambda X, W: softmax(X @ W),
                "tok exp",
                {"X": "tok[5] emb[3]", "W_r": "emb[3] exp[4]"},
            ),
            Entry(
                r"\text{MoE}",
                lambda x, W, U, b, V, c: sum(
                    softmax(x @ W)[e] * (np.maximum(x @ U[e] + b[e], 0) @ V[e] + c[e])
                    for e in range(4)
                ),
                "emb",
                {
                    "x": "emb[3]",
                    "W_r": "emb[3] exp[4]",
                    "U": "exp[4] emb[3] hid[2]",
                    "b": "exp[4] hid[2]",
                    "V": "exp[4] hid[2] emb[3]",
                    "c": "exp[4] emb[3]",
                },
            ),
            Entry(
                "Y",
                two_experts,
                "tok emb",
                {
                    "X": "tok[5] emb[3]",
                    "W_r": "emb[3] exp[4]",
                    "U": "exp[4] emb[3] hid[2]",
                    "b": "exp[4] hid[2]",
                    "V": "exp[4] hid[2] emb[3]",
                    "c": "exp[4] emb[3]",
                },
            ),
            Entry(
                r"\text{keep}",
                lambda X, W: kept(X, W, np.ceil(1.25 * 8 / 4)),
                "tok",
                {"X": "tok[8] emb[3]", "W_r": "emb[3] exp[4]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{bal}}",
                balance,
                "",
                {"X": "tok[8] emb[3]", "W_r": "emb[3] exp[4]", "alpha": 0.02},
            ),
            Entry(
                r"\mathcal{L}_z",
                lambda X, W: (np.log(np.exp(X @ W).sum(1)) ** 2).mean(),
                "",
                {"X": "tok[8] emb[3]", "W_r": "emb[3] exp[4]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{imp}}",
                lambda X, W: softmax(X @ W).sum(0).var() / softmax(X @ W).sum(0).mean() ** 2,
                "",
                {"X": "tok[8] emb[3]", "W_r": "emb[3] exp[4]"},
            ),
        ],
    ),
    Unseen(
        "captions.tex",
        r"""\documentclass[a4paper,11pt]{article}
\usepackage{amsmath,amssymb,booktabs}
% axes
\newcommand{\ax}[1]{\textsf{#1}}
\newcommand{\img}{\ax{img}}
\newcommand{\txt}{\ax{txt}}
\newcommand{\joint}{\ax{joint}}
% operators that carry an axis below
\newcommand{\dotp}[1]{\mathbin{\underset{#1}{\cdot}}}
\newcommand{\sm}[1]{\underset{#1}{\operatorname{softmax}}}
\newcommand{\mean}[1]{\underset{#1}{\operatorname{mean}}}
\newcommand{\normover}[2]{\left\lVert #2 \right\rVert_{#1}}
\begin{document}

\section*{3 \quad Learning from captions}

A batch has $N$ images, each with its caption. An image encoder and a text encoder, which we need not look into, turn them into features
\[
F \in \mathbb{R}^{\img:N, \ax{vis}} \quad\text{and}\quad G \in \mathbb{R}^{\txt:N, \ax{lang}} .
\]
Row $i$ of $F$ and row $i$ of $G$ belong together.

\paragraph{Joint space.} Both kinds of features are projected to a space of $d$ dimensions, and onto its unit sphere:
\begin{equation}\label{eq:proj}
u = \frac{W_I \dotp{\ax{vis}} F}{\normover{\joint}{W_I \dotp{\ax{vis}} F}},
\qquad
v = \frac{W_T \dotp{\ax{lang}} G}{\normover{\joint}{W_T \dotp{\ax{lang}} G}}
\end{equation}
with $W_I \in \mathbb{R}^{\ax{vis}, \joint:d}$, $W_T \in \mathbb{R}^{\ax{lang}, \joint:d}$. The table of all cosines, divided by a temperature $\tau > 0$, is
\begin{equation}\label{eq:sim}
S = \frac{u \dotp{\joint} v}{\tau}, \qquad S \in \mathbb{R}^{\img:N, \txt:N} .
\end{equation}

\paragraph{Loss.} Captions compete for an image, and images for a caption. The symmetric loss is the average
\begin{align}
\mathcal{L} &= \tfrac{1}{2} \left( \mathcal{L}_{I \to T} + \mathcal{L}_{T \to I} \right), \\
\mathcal{L}_{I \to T} &= - \frac{1}{N} \sum_{i=1}^{N} \log P_{\img(i), \txt(i)}, & P &= \sm{\txt} S, \\
\mathcal{L}_{T \to I} &= - \frac{1}{N} \sum_{i=1}^{N} \log R_{\img(i), \txt(i)}, & R &= \sm{\img} S .
\end{align}
(The temperature is learnt too, as $\tau = e^{-\theta}$ in the released code. We prefer $\tau$ itself.)

\paragraph{Pairs, one by one.} Zhai et al.\ drop the softmax, so that a batch can be cut into pieces. Put
\[
z_{\img(i), \txt(j)} = \begin{cases} +1 & i = j \\ -1 & i \neq j \end{cases}
\]
and let $t > 0$ and $b$ be a scale and an offset. Then
\begin{equation}
\mathcal{L}_{\mathrm{sig}} = - \frac{1}{N} \sum_{i=1}^{N} \sum_{j=1}^{N} \log \sigma\Bigl( z_{\img(i), \txt(j)} \bigl( t \, u_{\img(i)} \dotp{\joint} v_{\txt(j)} + b \bigr) \Bigr).
\end{equation}

\paragraph{Retrieval.} We report recall at $k$ from images to captions. With the rank
\begin{equation}
\rho_{\img(i)} = 1 + \sum_{j=1}^{N} \mathbb{1}\left[ S_{\img(i), \txt(j)} > S_{\img(i), \txt(i)} \right]
\end{equation}
of the right caption, it is $\mathrm{Recall}(k) = \mean{\img}\, \mathbb{1}[\rho \le k]$; cf.\ Table~\ref{tab:recall}.

\begin{table}[b]
\centering
\caption{Recall of captions for $5000$ images.}\label{tab:recall}
\begin{tabular}{lrrr}
\toprule
$k$ & 1 & 5 & 10 \\
\midrule
softmax & 37.8 & 62.4 & 72.2 \\
sigmoid & 38.9 & 63.0 & 72.5 \\
\bottomrule
\end{tabular}
\end{table}

\paragraph{Zero-shot classification.} For each of $C$ labels we write $m$ prompts (``a photo of a \ldots'', ``a drawing of a \ldots''). Let $H \in \mathbb{R}^{\ax{label}:C, \ax{prompt}:m, \ax{lang}}$ be their features. A label is the normalised mean of its normalised prompts,
\begin{align}
h &= \frac{W_T \dotp{\ax{lang}} H}{\normover{\joint}{W_T \dotp{\ax{lang}} H}} &
c &= \frac{\mean{\ax{prompt}}\, h}{\normover{\joint}{\mean{\ax{prompt}}\, h}}
\end{align}
and an image gets the probabilities
\begin{equation}
Q = \sm{\ax{label}} \left( \frac{u \dotp{\joint} c}{\tau} \right).
\end{equation}

\end{document}
""",
        [
            Fault(
                r"P &= \sm{\txt} S, \\",
                r"P &= \sm{\joint} S, \\",
            ),
            Fault(
                r"S = \frac{u \dotp{\joint} v}{\tau}",
                r"S = \frac{u \dotp{\txt} v}{\tau}",
            ),
            Fault(
                r"c &= \frac{\mean{\ax{prompt}}\, h}",
                r"c &= \frac{\mean{\ax{lang}}\, h}",
            ),
        ],
        [
            Entry(
                "S",
                similarities,
                "img txt",
                {
                    "F": "img[4] vis[3]",
                    "G": "txt[4] lang[2]",
                    "W_I": "vis[3] joint[3]",
                    "W_T": "lang[2] joint[3]",
                    "tau": 0.5,
                },
            ),
            Entry(
                r"\mathcal{L}",
                lambda *given: both_ways(similarities(*given)),
                "",
                {
                    "F": "img[4] vis[3]",
                    "G": "txt[4] lang[2]",
                    "W_I": "vis[3] joint[3]",
                    "W_T": "lang[2] joint[3]",
                    "tau": 0.5,
                },
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{sig}}",
                pairwise_sigmoid,
                "",
                {
                    "F": "img[4] vis[3]",
                    "G": "txt[4] lang[2]",
                    "W_I": "vis[3] joint[3]",
                    "W_T": "lang[2] joint[3]",
                    "t": 3.0,
                    "b": -1.0,
                },
            ),
            Entry(
                r"\mathrm{Recall}",
                lambda k, F, G, WI, WT, tau: found_within(similarities(F, G, WI, WT, tau), k),
                "",
                {
                    "k": 2,
                    "F": "img[4] vis[3]",
                    "G": "txt[4] lang[2]",
                    "W_I": "vis[3] joint[3]",
                    "W_T": "lang[2] joint[3]",
                    "tau": 0.5,
                },
            ),
            Entry(
                "Q",
                labelled,
                "img label",
                {
                    "F": "img[4] vis[3]",
                    "H": "label[3] prompt[2] lang[2]",
                    "W_I": "vis[3] joint[3]",
                    "W_T": "lang[2] joint[3]",
                    "tau": 0.5,
                },
            ),
        ],
    ),
    Unseen(
        "excitation.tex",
        r"""\documentclass{llncs}
\usepackage{amsmath}
\usepackage{namedtensor}
\ndef{\batch}{batch}
\ndef{\chan}{chan}
\ndef{\height}{height}
\ndef{\width}{width}
\ndef{\kh}{kh}
\ndef{\kw}{kw}
\ndef{\neck}{neck}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\gap}{\nfun{\height \\ \width}{mean}}
\begin{document}
\title{Recalibrating channels}
\maketitle
\begin{abstract}
Global pooling, two small layers, one product.
\end{abstract}

\section{Method}
Throughout, $X \in \reals^{\batch[B] \times \chan[c] \times \height[h] \times \width[w]}$ is a batch of feature maps.

\subsection{Convolution}
With a kernel $W \in \reals^{\chan'[c] \times \chan[c] \times \kh[3] \times \kw[3]}$ and a bias $b \in \reals^{\chan'[c]}$,
\begin{equation}
\operatorname{conv}(X; W, b) = \left[ W \ndot{\chan \\ \kh \\ \kw} \nfun{\height \\ \kh}{unroll} \nfun{\width \\ \kw}{unroll} X + b \right]_{\chan' \rightarrow \chan} \label{conv}
\end{equation}
where the unrolled map has one more axis per direction:
\[
\left( \nfun{\height \\ \kh}{unroll} X \right)_{\height(i), \kh(p)} = X_{\height(i + p - 1)} .
\]
There is no padding, so that a map of $h \times w$ becomes one of $(h - 2) \times (w - 2)$.

\subsection{Batch normalisation}
Each channel is standardised over everything else, and gets a gain and a bias of its own:
\begin{align}
\mu &= \nfun{\batch \\ \height \\ \width}{mean} X \\
\nu &= \nfun{\batch \\ \height \\ \width}{mean} (X - \mu)^2 \\
\operatorname{BN}(X; \gamma, \beta) &= \gamma \odot \frac{X - \mu}{\sqrt{\nu + \varepsilon}} + \beta, \qquad \varepsilon = 10^{-5}
\end{align}
where $\gamma, \beta \in \reals^{\chan[c]}$. After each batch the running mean $m \in \reals^{\chan[c]}$ moves a little, $m \leftarrow (1 - \rho) m + \rho \mu$ with $\rho = 0.1$.

\subsection{Squeeze and excitation}
\emph{Squeeze.} One number per channel, $z(U) = \gap U$.

\emph{Excitation.} A bottleneck with reduction ratio $r$ makes a gate from it. Let $W_1 \in \reals^{\chan[c] \times \neck[c/r]}$ and $W_2 \in \reals^{\neck[c/r] \times \chan[c]}$; then
\begin{equation}
s(U; W_1, W_2) = \sigma\left( W_2 \ndot{\neck} \operatorname{relu}\left( W_1 \ndot{\chan} z(U) \right) \right).
\end{equation}

\emph{Scale.} Finally the maps are multiplied by their gates,
\begin{equation}
\operatorname{SE}(U; W_1, W_2) = s(U; W_1, W_2) \odot U ,
\end{equation}
which costs only $2c^2/r$ more parameters.

\subsection{The whole block}
The identity branch is cropped, since the other one lost a pixel on each side: for $i = 1, \dots, h-2$ and $j = 1, \dots, w-2$,
\begin{equation}
Y_{\height(i), \width(j)} = \operatorname{relu}\left( X_{\height(i+1), \width(j+1)} + V_{\height(i), \width(j)} \right)
\end{equation}
where $V = \operatorname{SE}(U; W_1, W_2)$ and $U = \operatorname{relu}(\operatorname{BN}(\operatorname{conv}(X; W, b); \gamma, \beta))$.

Between stages, maps are pooled. If $h$ and $w$ are even, then
\begin{equation}
D_{\height(i), \width(j)} = \max_{p \in \{0, 1\}} \max_{q \in \{0, 1\}} X_{\height(2i - p), \width(2j - q)}, \qquad i = 1, \dots, h/2, \; j = 1, \dots, w/2 .
\end{equation}

\section{Related work}
ECA replaces the bottleneck by a convolution along channels; CBAM adds a gate for each position,
\[
\operatorname{SA}(U) = U \odot \sigma\left( \alpha \nfun{\chan}{mean} U + \omega \nfun{\chan}{max} U \right),
\]
where we show a kernel of $1 \times 1$ with weights $\alpha$ and $\omega$ (theirs is $7 \times 7$).
\end{document}
""",
        [
            Fault(
                r"\left( W_1 \ndot{\chan} z(U) \right)",
                r"\left( W_1 \ndot{\height} z(U) \right)",
            ),
            Fault(
                r"\left[ W \ndot{\chan \\ \kh \\ \kw}",
                r"\left[ W \ndot{\neck \\ \kh \\ \kw}",
            ),
            Fault(
                r"\nu &= \nfun{\batch \\ \height \\ \width}{mean}",
                r"\nu &= \nfun{\batch \\ \height \\ \kw}{mean}",
            ),
        ],
        [
            Entry(
                r"\operatorname{conv}",
                convolved,
                "batch chan height width",
                {"X": "batch[2] chan[3] height[5] width[4]"},
                {"W": "chan'[3] chan[3] kh[3] kw[3]", "b": "chan'[3]"},
            ),
            Entry(
                r"\operatorname{BN}",
                batch_norm,
                "batch chan height width",
                {"X": "batch[2] chan[3] height[5] width[4]"},
                {"gamma": "chan[3]", "beta": "chan[3]"},
            ),
            Entry(
                "s",
                excitation,
                "batch chan",
                {"U": "batch[2] chan[4] height[3] width[2]"},
                {"W_1": "chan[4] neck[2]", "W_2": "neck[2] chan[4]"},
            ),
            Entry(
                r"\operatorname{SE}",
                squeezed,
                "batch chan height width",
                {"U": "batch[2] chan[4] height[3] width[2]"},
                {"W_1": "chan[4] neck[2]", "W_2": "neck[2] chan[4]"},
            ),
            Entry(
                "Y",
                block,
                "batch chan height width",
                {
                    "X": "batch[2] chan[4] height[5] width[4]",
                    "W": "chan'[4] chan[4] kh[3] kw[3]",
                    "b": "chan'[4]",
                    "gamma": "chan[4]",
                    "beta": "chan[4]",
                    "W_1": "chan[4] neck[2]",
                    "W_2": "neck[2] chan[4]",
                },
            ),
            Entry(
                "D",
                pooled,
                "batch chan height width",
                {"X": "batch[2] chan[2] height[4] width[6]"},
            ),
            Entry(
                r"\operatorname{SA}",
                lambda U, a, b: (
                    U * sigmoid(a * U.mean(1, keepdims=True) + b * U.max(1, keepdims=True))
                ),
                "batch chan height width",
                {"U": "batch[2] chan[4] height[3] width[2]", "alpha": 0.7, "omega": -0.4},
            ),
        ],
    ),
    Unseen(
        "dynamic_graphs.md",
        r"""# How attentive are graph attention networks?

Reading notes, week 6. Paper: Brody, Alon and Yahav, ICLR 2022.

## Notation

| | |
|---|---|
| $n$ | number of nodes |
| $H \in \mathbb{R}^{\text{node}:n, \text{feat}}$ | features of the nodes |
| $A \in \{0,1\}^{\text{node}:n, \text{nbr}:n}$ | adjacency, $A_{\text{node}(i), \text{nbr}(j)} = 1$ if $j$ sends messages to $i$ |
| $\mathcal{N}_i = \{ j : A_{\text{node}(i), \text{nbr}(j)} = 1 \}$ | neighbours of $i$; they include $i$ itself |
| $\text{head}, \text{hid}$ | heads, and features inside of a head |

LeakyReLU has the slope $0.2$ everywhere:

$$\text{LeakyReLU}(x) = \max(x, 0.2\, x)$$

## GAT (2018)

Velickovic et al. score an edge by

$$
s_{\text{node}(i), \text{nbr}(j)} = \text{LeakyReLU}\Big( a \underset{\text{hid}}{\cdot} Z_{\text{node}(i)} + b \underset{\text{hid}}{\cdot} Z_{\text{node}(j)} \Big), \qquad Z = H \underset{\text{feat}}{\cdot} W
$$

where $W \in \mathbb{R}^{\text{feat}, \text{hid}}$ and $a, b \in \mathbb{R}^{\text{hid}}$.

> **Proposition 1.** The ranking of the neighbours is the same for all nodes: if $b \cdot_{\text{hid}} Z_{\text{node}(j)} \geq b \cdot_{\text{hid}} Z_{\text{node}(k)}$, then $s_{\text{node}(i), \text{nbr}(j)} \geq s_{\text{node}(i), \text{nbr}(k)}$ for every $i$.

*Proof.* LeakyReLU is monotone, and the term with $a$ does not depend on the neighbour. ∎

They call this **static** attention.

## GATv2

The cure is to move the nonlinearity inside. With $L, R \in \mathbb{R}^{\text{feat}, \text{head}, \text{hid}}$ and $q \in \mathbb{R}^{\text{head}, \text{hid}}$:

$$
\begin{aligned}
l &= L \underset{\text{feat}}{\cdot} H \\
r &= [R \underset{\text{feat}}{\cdot} H]_{\text{node} \to \text{nbr}} \\
e &= q \underset{\text{hid}}{\cdot} \text{LeakyReLU}(l + r)
\end{aligned}
$$

and a softmax over neighbours only,

$$
\alpha_{\text{node}(i), \text{nbr}(j)} =
\begin{cases}
\dfrac{\exp e_{\text{node}(i), \text{nbr}(j)}}{\sum_{k \in \mathcal{N}_i} \exp e_{\text{node}(i), \text{nbr}(k)}} & \text{if } j \in \mathcal{N}_i \\[1em]
0 & \text{else}
\end{cases}
$$

The new features concatenate the heads,

$$
H^{\text{new}} = \text{ELU}\left( \alpha \underset{\text{nbr}}{\cdot} r \right)_{(\text{head}, \text{hid}) \to \text{out}}, \qquad \text{ELU}(x) = \begin{cases} x & x > 0 \\ \exp(x) - 1 & x \leq 0 \end{cases}
$$

In the *last* layer there is nothing to concatenate for, and heads are averaged instead:

$$
O = \underset{\text{head}}{\text{mean}} \left( \alpha \underset{\text{nbr}}{\cdot} r \right)
$$

## Training

Only some nodes have labels, $m \in \{0,1\}^{\text{node}:n}$. For a classifier $C \in \mathbb{R}^{\text{hid}, \text{class}:c}$ and targets $Y \in \{0,1\}^{\text{node}:n, \text{class}:c}$, which are one-hot,

$$
\mathcal{L} = - \frac{\sum_{\text{node}} m \odot \sum_{\text{class}} Y \odot \log \pi}{\sum_{\text{node}} m}, \qquad \pi = \underset{\text{class}}{\text{softmax}} \left( O \underset{\text{hid}}{\cdot} C \right)
$$

**Open question.** Is $\alpha$ sparse in practice? They do not say. One could report the mean entropy, $-\underset{\text{node}, \text{head}}{\text{mean}} \sum_{\text{nbr}} \alpha \odot \log \alpha$, where $0 \log 0 = 0$.
""",
        [
            Fault(
                r"e &= q \underset{\text{hid}}{\cdot}",
                r"e &= q \underset{\text{feat}}{\cdot}",
            ),
            Fault(
                r"\left( \alpha \underset{\text{nbr}}{\cdot} r \right)_{(\text{head}, \text{hid})",
                r"\left( \alpha \underset{\text{node}}{\cdot} r \right)_{(\text{head}, \text{hid})",
            ),
            Fault(
                r"\sum_{\text{class}} Y \odot \log \pi",
                r"\sum_{\text{feat}} Y \odot \log \pi",
            ),
        ],
        [
            Entry(
                "s",
                static_scores,
                "node nbr",
                {"H": "node[4] feat[3]", "W": "feat[3] hid[2]", "a": "hid[2]", "b": "hid[2]"},
            ),
            Entry(
                "e",
                dynamic_scores,
                "node nbr head",
                {
                    "H": "node[4] feat[3]",
                    "L": "feat[3] head[2] hid[3]",
                    "R": "feat[3] head[2] hid[3]",
                    "q": "head[2] hid[3]",
                },
            ),
            Entry(
                r"\alpha",
                lambda H, A, L, R, q: dynamic_weights(H, A, L, R, q),
                "node nbr head",
                {
                    "H": "node[4] feat[3]",
                    "A": "node[4] nbr[4] ~ ones",
                    "L": "feat[3] head[2] hid[3]",
                    "R": "feat[3] head[2] hid[3]",
                    "q": "head[2] hid[3]",
                },
            ),
            Entry(
                r"\alpha",
                lambda H, A, L, R, q: dynamic_weights(H, A, L, R, q),
                "node nbr head",
                {
                    "H": "node[4] feat[3]",
                    "A": "node[4] nbr[4] ~ one-hot nbr",
                    "L": "feat[3] head[2] hid[3]",
                    "R": "feat[3] head[2] hid[3]",
                    "q": "head[2] hid[3]",
                },
            ),
            Entry(
                r"H^{\text{new}}",
                dynamic_layer,
                "node out",
                {
                    "H": "node[4] feat[3]",
                    "A": "node[4] nbr[4] ~ ones",
                    "L": "feat[3] head[2] hid[3]",
                    "R": "feat[3] head[2] hid[3]",
                    "q": "head[2] hid[3]",
                },
            ),
            Entry(
                r"\mathcal{L}",
                lambda H, A, L, R, q, C, Y, m: (
                    -(
                        m
                        * (
                            Y
                            * np.log(
                                softmax(
                                    np.einsum(
                                        "nmh,mhd->nhd",
                                        dynamic_weights(H, A, L, R, q),
                                        np.einsum("nf,fhd->nhd", H, R),
                                    ).mean(1)
                                    @ C
                                )
                            )
                        ).sum(1)
                    ).sum()
                    / m.sum()
                ),
                "",
                {
                    "H": "node[4] feat[3]",
                    "A": "node[4] nbr[4] ~ ones",
                    "L": "feat[3] head[2] hid[3]",
                    "R": "feat[3] head[2] hid[3]",
                    "q": "head[2] hid[3]",
                    "C": "hid[3] class[3]",
                    "Y": "node[4] class[3] ~ one-hot class",
                    "m": "node[4] ~ first 2",
                },
            ),
        ],
    ),
    Unseen(
        "grouped_heads.tex",
        r"""\documentclass{article}
\usepackage[final]{neurips}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq} \ndef{\key}{key} \ndef{\head}{head} \ndef{\group}{group} \ndef{\rep}{rep} \ndef{\emb}{emb} \ndef{\bucket}{bucket}
\newcommand{\R}{\mathbb{R}}
\newcommand{\softmax}[1]{\nfun{#1}{softmax}}
\newcommand{\floor}[1]{\left\lfloor #1 \right\rfloor}
\begin{document}

\section{Positions as biases, keys in groups}

We study a decoder on sequences $X \in \R^{\seq[n] \times \emb[d]}$. Position $i$ may attend to position $j$ if $j \leq i$.

\subsection{ALiBi}\label{sec:alibi}
Press et al.\ use no position embedding. Instead, scores fall linearly with the distance, at a slope that depends on the head,
\begin{equation}
m_{\head(h)} = 2^{-8h/H}, \qquad h = 1, \ldots, H,
\end{equation}
so that the bias $\Lambda \in \R^{\head[H] \times \seq'[n] \times \seq[n]}$ of query $i$ and key $j$ is
\begin{equation}
\Lambda_{\head(h), \seq'(i), \seq(j)} =
\begin{cases}
  - m_{\head(h)} \, (i - j) & \text{if } j \leq i, \\
  -\infty & \text{otherwise.}
\end{cases}
\end{equation}

\subsection{T5}
T5 learns the biases. Distances share $b$ buckets: one for each distance below $b/2$, and buckets that grow exponentially up to a distance $F$, beyond which all are equal,
\begin{equation}
\beta(\delta) =
\begin{cases}
  \delta & \text{if } \delta < b/2 \\
  \min\left( b - 1, \; \dfrac{b}{2} + \floor{ \dfrac{\log(2 \delta / b)}{\log(2 F / b)} \cdot \dfrac{b}{2} } \right) & \text{otherwise.}
\end{cases}
\end{equation}
With a table $E \in \R^{\bucket[b] \times \head[H]}$ the bias is
\begin{equation}
T_{\seq'(i), \seq(j)} = E_{\bucket(\beta(|i - j|) + 1)},
\end{equation}
for $i, j = 1, \ldots, n$.

\subsection{Grouped queries}
Let $H = G \cdot R$. Only $G$ heads of keys and values are kept, each of them serving $R$ heads of queries. We give these two their own axes: $W^Q \in \R^{\emb[d] \times \group[G] \times \rep[R] \times \key}$, while $W^K, W^V \in \R^{\emb[d] \times \group[G] \times \key}$, and $W^O \in \R^{\group[G] \times \rep[R] \times \key \times \emb[d]}$. Then
\begin{align}
Q &= W^Q \ndot{\emb} X_{\seq \rightarrow \seq'} \\
K &= W^K \ndot{\emb} X \\
V &= W^V \ndot{\emb} X \\
\alpha &= \softmax{\seq} \left( \frac{Q \ndot{\key} K}{\sqrt{|\key|}} + \Lambda_{\head \rightarrow (\group, \rep)} \right) \label{eq:alpha} \\
Y &= \left[ W^O \ndot{\group \\ \rep \\ \key} \left( \alpha \ndot{\seq} V \right) \right]_{\seq' \rightarrow \seq}
\end{align}

The cache holds $2 n G |\key|$ numbers for each layer, $R$ times fewer than before.

\subsection{Uptraining}
A trained model with $H$ heads is converted by averaging the heads of a group. If $U \in \R^{\emb[d] \times \head[H] \times \key}$ are its key (or value) weights, then
\begin{equation}
\bar U = \nfun{\rep}{mean} U_{\head \rightarrow (\group, \rep)}, \qquad |\rep| = R ,
\end{equation}
is where $W^K$ (or $W^V$) starts. Ainslie et al.\ continue with $5\%$ of the original steps.

\subsection{Capped scores}
Some models bound their scores softly before the softmax,
\begin{equation}
\operatorname{cap}(s) = c \tanh \frac{s}{c}, \qquad c = 50 .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\softmax{\seq} \left( \frac{Q",
                r"\softmax{\emb} \left( \frac{Q",
            ),
            Fault(
                r"E_{\bucket(\beta(|i - j|) + 1)}",
                r"E_{\seq(\beta(|i - j|) + 1)}",
            ),
            Fault(
                r"\bar U = \nfun{\rep}{mean} U_{\head",
                r"\bar U = \nfun{\rep}{mean} U_{\seq",
            ),
        ],
        [
            Entry("m", lambda: slopes_of(4), "head", chosen={"H": 4}),
            Entry(
                r"\Lambda",
                lambda: linear_bias(4, 5),
                "head seq' seq",
                chosen={"H": 4, "n": 5},
            ),
            Entry(
                "T",
                lambda E, far: np.array(
                    [[E[bucket(abs(i - j), 6, far)] for j in range(7)] for i in range(7)]
                ),
                "seq' seq head",
                {"E": "bucket[6] head[2]", "F": 12},
                chosen={"n": 7},
            ),
            Entry(
                "Y",
                grouped_attention,
                "seq emb",
                {
                    "X": "seq[5] emb[3]",
                    "WQ": "emb[3] group[2] rep[3] key[2]",
                    "WK": "emb[3] group[2] key[2]",
                    "WV": "emb[3] group[2] key[2]",
                    "WO": "group[2] rep[3] key[2] emb[3]",
                },
            ),
            Entry(
                r"\bar U",
                lambda U: U.reshape(3, 2, 2, 2).mean(2),
                "emb group key",
                {"U": "emb[3] head[4] key[2]"},
                chosen={"R": 2},
            ),
            Entry(
                r"\operatorname{cap}",
                lambda s: 50 * np.tanh(s / 50),
                "seq",
                {"s": "seq[5]"},
            ),
        ],
    ),
    Unseen(
        "students.md",
        r"""# Knowledge distillation: a checklist

*Version 3, for the reading group. Letters follow our code, not one of the papers.*

A large network (**teacher**) and a small one (**student**) look at the same $B$ examples. Their logits over $C$ classes are $t$ and $s$:

$$t, s \in \mathbb{R}^{\text{ex}:B, \text{class}:C}$$

and the labels are $y \in [C]^{\text{ex}:B}$.

### Step 1: soften

$$
p(z, \tau) = \underset{\text{class}}{\text{softmax}} \frac{z}{\tau}
$$

A temperature $\tau > 1$ shows which *wrong* classes the teacher finds plausible. ($\tau = 1$ is the usual softmax.)

### Step 2: compare

For two distributions $a$ and $b$ over classes

$$
\text{KL}(a \,\|\, b) = \sum_{\text{class}} a \odot \log \frac{a}{b} .
$$

The distillation loss is

$$
\mathcal{L}_{\text{KD}} = \tau^2 \; \underset{\text{ex}}{\text{mean}} \; \text{KL}\big( p(t, \tau) \,\|\, p(s, \tau) \big) .
$$

Why $\tau^2$? Gradients with respect to $s$ shrink as $1/\tau^2$:

$$
\frac{\partial \mathcal{L}_{\text{KD}}}{\partial s} \approx \frac{1}{B C} \left( s - t \right) \quad \text{for large } \tau
$$

if the logits of each example have mean zero.

### Step 3: do not forget the labels

$$
\mathcal{L}_{\text{CE}} = - \frac{1}{B} \sum_{i=1}^{B} \log p(s, 1)_{\text{ex}(i), \text{class}(y_i)}
$$

$$
\boxed{ \mathcal{L} = (1 - \lambda) \mathcal{L}_{\text{CE}} + \lambda \mathcal{L}_{\text{KD}} }
$$

with $\lambda \in [0, 1]$.

### Step 4 (optional): hints

FitNets compares hidden layers. The student's is thinner, so a regressor $R$ makes it as wide as the teacher's. Given

* $F \in \mathbb{R}^{\text{ex}:B, \text{pos}, \text{thin}:m}$, the student's *guided* layer,
* $G \in \mathbb{R}^{\text{ex}:B, \text{pos}, \text{wide}:M}$, the teacher's *hint* layer,
* $R \in \mathbb{R}^{\text{thin}:m, \text{wide}:M}$,

the hint loss is half the squared distance,

$$
\mathcal{L}_{\text{hint}} = \frac{1}{2} \underset{\text{ex}}{\text{mean}} \left\| F \underset{\text{thin}}{\cdot} R - G \right\|_{\text{pos}, \text{wide}}^2 .
$$

Without a regressor one may compare *where* the energy is, because attention maps have no channels:

$$
\text{map}(Z) = \frac{q}{\| q \|_{\text{pos}}}, \quad q = \underset{\text{ch}}{\text{mean}}\; Z^2, \qquad Z \in \mathbb{R}^{\text{pos}, \text{ch}}
$$

$$
\mathcal{L}_{\text{AT}} = \underset{\text{ex}}{\text{mean}} \; \sum_{\text{pos}} \left( \text{map}(F_{\text{thin} \to \text{ch}}) - \text{map}(G_{\text{wide} \to \text{ch}}) \right)^2
$$

### Step 5 (optional): relations

RKD matches distances between examples. For embeddings $E \in \mathbb{R}^{\text{ex}:B, \text{dim}}$ let

$$
\Delta(E)_{\text{ex}(i), \text{ex}'(j)} = \frac{1}{\bar{d}} \left\| E_{\text{ex}(i)} - E_{\text{ex}(j)} \right\|_2 \quad \text{where} \quad
\bar{d} = \frac{1}{B (B - 1)} \sum_{i=1}^{B} \sum_{j=1}^{B} \left\| E_{\text{ex}(i)} - E_{\text{ex}(j)} \right\|_2 .
$$

Then, with the embeddings $U \in \mathbb{R}^{\text{ex}:B, \text{dim}}$ of the teacher and $W \in \mathbb{R}^{\text{ex}:B, \text{dim}}$ of the student,

$$
\mathcal{L}_{\text{RKD}} = \sum_{\text{ex}, \text{ex}'} \text{huber}\left( \Delta(U) - \Delta(W) \right), \qquad
\text{huber}(x) = \begin{cases} \frac{1}{2} x^2 & \text{for } |x| \leq 1 \\ |x| - \frac{1}{2} & \text{otherwise} \end{cases}
$$

### Numbers to start with

$\tau = 4$ and $\lambda = 0.9$ are a good start; $\lambda = 0.5$ if labels are clean.
""",
        [
            Fault(
                r"p(z, \tau) = \underset{\text{class}}{\text{softmax}}",
                r"p(z, \tau) = \underset{\text{dim}}{\text{softmax}}",
            ),
            Fault(
                r"F \underset{\text{thin}}{\cdot} R - G",
                r"F \underset{\text{wide}}{\cdot} R - G",
            ),
            Fault(
                r"_{\text{ex}(i), \text{class}(y_i)}",
                r"_{\text{ex}(i), \text{pos}(y_i)}",
            ),
        ],
        [
            Entry(
                r"\mathcal{L}_{\text{KD}}",
                softened,
                "",
                {"t": "ex[4] class[3]", "s": "ex[4] class[3]", "tau": 4.0},
            ),
            Entry(
                r"\mathcal{L}",
                lambda t, s, y, tau, lam: (1 - lam) * hard(s, y) + lam * softened(t, s, tau),
                "",
                {
                    "t": "ex[4] class[3]",
                    "s": "ex[4] class[3]",
                    "y": "ex[4] ~ whole 3",
                    "tau": 3.0,
                    "lambda_": 0.7,
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{hint}}",
                lambda F, G, R: ((F @ R - G) ** 2).sum((1, 2)).mean() / 2,
                "",
                {
                    "F": "ex[3] pos[4] thin[2]",
                    "G": "ex[3] pos[4] wide[3]",
                    "R": "thin[2] wide[3]",
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{AT}}",
                lambda F, G: ((attention_map(F) - attention_map(G)) ** 2).sum(1).mean(),
                "",
                {"F": "ex[3] pos[4] thin[2]", "G": "ex[3] pos[4] wide[3]"},
            ),
            Entry(r"\Delta", relative_distances, "ex ex'", {"E": "ex[4] dim[3]"}),
            Entry(
                r"\mathcal{L}_{\text{RKD}}",
                lambda U, W: huber(relative_distances(U) - relative_distances(W)).sum(),
                "",
                {"U": "ex[4] dim[3]", "W": "ex[4] dim[3]"},
            ),
        ],
    ),
    Unseen(
        "equilibria.tex",
        r"""\documentclass[12pt]{amsart}
\usepackage{amsmath,amssymb,amsthm}
\newcommand{\unit}{\mathtt{unit}}
\newcommand{\feat}{\mathtt{feat}}
\newcommand{\con}[1]{\mathop{\cdot}\limits_{#1}}
\DeclareMathOperator{\tr}{tr}
\theoremstyle{definition}
\newtheorem{definition}{Definition}
\newtheorem{lemma}[definition]{Lemma}
\begin{document}
\title{Infinitely deep, in a few steps}
\maketitle

\section{Equilibria}

\begin{definition}
A \emph{cell} with parameters $W \in \mathbb{R}^{\unit:d, \unit':d}$, $U \in \mathbb{R}^{\unit:d, \feat:p}$, $b \in \mathbb{R}^{\unit:d}$ is the map
\begin{equation}
f(z, x) = \tanh\left( W \con{\unit'} z_{\unit \to \unit'} + U \con{\feat} x + b \right)
\end{equation}
of a state $z \in \mathbb{R}^{\unit:d}$ and an input $x \in \mathbb{R}^{\feat:p}$.
\end{definition}

A deep equilibrium model outputs a state with $z^\star = f(z^\star, x)$. We only approximate it, by $K$ relaxed steps from $z^{(0)} = 0$:
\begin{equation}
z^{(k)} = (1 - \alpha) \, z^{(k-1)} + \alpha f(z^{(k-1)}, x), \qquad k = 1, \ldots, K, \quad 0 < \alpha \leq 1,
\end{equation}
and monitor the relative residual
\[
\varrho(z, x) = \frac{\| f(z, x) - z \|}{\| f(z, x) \|}.
\]

\begin{lemma}
If $\| W \|_2 < 1$ in the spectral norm, there is exactly one equilibrium.
\end{lemma}
\begin{proof}
$|\tanh'| \leq 1$, so $f$ is a contraction in $z$. Apply Banach's theorem.
\end{proof}

\subsection*{Gradients}
Let $J$ be the Jacobian of $f$ in its first argument,
\begin{equation}
J(z, x) = \left( 1 - f(z, x)^2 \right) \odot W, \qquad J(z, x) \in \mathbb{R}^{\unit:d, \unit':d}.
\end{equation}
By the implicit function theorem a gradient $v \in \mathbb{R}^{\unit:d}$ at the output has to be multiplied by the inverse transpose of $I - J$. The first $M$ terms of Neumann's series are enough in practice: $g^{(0)} = v$ and
\begin{equation}
g^{(m)} = v + \left[ J(z, x) \con{\unit} g^{(m-1)} \right]_{\unit' \to \unit}, \qquad m = 1, \ldots, M. \label{neumann}
\end{equation}
Training is stable only if $J$ stays small, and Bai et al.\ add its squared Frobenius norm per unit to the loss,
\begin{equation}
\Omega(z, x) = \frac{1}{d} \sum_{\unit, \unit'} J(z, x)^2 .
\end{equation}

\section{Flows}

A neural ODE has a depth that is a time, $t \in [0, 1]$. Its vector field
\begin{equation}
v(h, t) = \tanh\left( A \con{\unit'} h_{\unit \to \unit'} + c + t w \right)
\end{equation}
has the parameters $A \in \mathbb{R}^{\unit:d, \unit':d}$ and $c, w \in \mathbb{R}^{\unit:d}$. With $N$ steps of the length $\eta = 1/N$, and $t_n = n \eta$, the rule of Runge and Kutta is, for $n = 0, \ldots, N-1$,
\begin{align}
k_1 &= v(h_n, t_n) \\
k_2 &= v(h_n + \tfrac{\eta}{2} k_1, t_n + \tfrac{\eta}{2}) \\
k_3 &= v(h_n + \tfrac{\eta}{2} k_2, t_n + \tfrac{\eta}{2}) \\
k_4 &= v(h_n + \eta k_3, t_n + \eta) \\
h_{n+1} &= h_n + \tfrac{\eta}{6} \left( k_1 + 2 k_2 + 2 k_3 + k_4 \right)
\end{align}
where $h_0 \in \mathbb{R}^{\unit:d}$ is given.

\subsection*{Densities}
Along the flow, the logarithm of a density changes by minus the trace of the Jacobian $\partial v / \partial h$. Its diagonal is $(1 - v^2)$ times that of $A$. Euler's rule for both is
\begin{align}
e_{n+1} &= e_n + \eta \, v(e_n, t_n), & e_0 &= h_0 , \\
\ell_{n+1} &= \ell_n - \eta \sum_{i=1}^{d} \left( 1 - v(e_n, t_n)_{\unit(i)}^2 \right) A_{\unit(i), \unit'(i)}, & \ell_0 &= 0 .
\end{align}
\end{document}
""",
        [
            Fault(
                r"\left[ J(z, x) \con{\unit} g^{(m-1)} \right]",
                r"\left[ J(z, x) \con{\feat} g^{(m-1)} \right]",
            ),
            Fault(
                r"\frac{1}{d} \sum_{\unit, \unit'}",
                r"\frac{1}{d} \sum_{\unit, \feat}",
            ),
            Fault(
                r"\tanh\left( A \con{\unit'} h_{\unit \to \unit'} + c",
                r"\tanh\left( A \con{\unit'} h + c",
            ),
        ],
        [
            Entry(
                "f",
                cell,
                "unit",
                {
                    "z": "unit[3]",
                    "x": "feat[2]",
                    "W": "unit[3] unit'[3]",
                    "U": "unit[3] feat[2]",
                    "b": "unit[3]",
                },
            ),
            Entry(
                "z^{(K)}",
                lambda x, W, U, b, alpha: relaxed(x, W, U, b, alpha, 4),
                "unit",
                {
                    "x": "feat[2]",
                    "W": "unit[3] unit'[3]",
                    "U": "unit[3] feat[2]",
                    "b": "unit[3]",
                    "alpha": 0.6,
                },
                chosen={"K": 4},
            ),
            Entry(
                r"\varrho",
                lambda z, x, W, U, b: (
                    np.linalg.norm(cell(z, x, W, U, b) - z) / np.linalg.norm(cell(z, x, W, U, b))
                ),
                "",
                {
                    "z": "unit[3]",
                    "x": "feat[2]",
                    "W": "unit[3] unit'[3]",
                    "U": "unit[3] feat[2]",
                    "b": "unit[3]",
                },
            ),
            Entry(
                r"\Omega",
                lambda z, x, W, U, b: (
                    (((1 - cell(z, x, W, U, b) ** 2)[:, None] * W) ** 2).sum() / 3
                ),
                "",
                {
                    "z": "unit[3]",
                    "x": "feat[2]",
                    "W": "unit[3] unit'[3]",
                    "U": "unit[3] feat[2]",
                    "b": "unit[3]",
                },
            ),
            Entry(
                "g^{(M)}",
                lambda z, x, v, W, U, b: neumann(z, x, v, W, U, b, 3),
                "unit",
                {
                    "z": "unit[3]",
                    "x": "feat[2]",
                    "v": "unit[3]",
                    "W": "unit[3] unit'[3]",
                    "U": "unit[3] feat[2]",
                    "b": "unit[3]",
                },
                chosen={"M": 3},
            ),
            Entry(
                "h_N",
                lambda h, A, c, w: runge_kutta(h, A, c, w, 3),
                "unit",
                {
                    "h_0": "unit[3]",
                    "A": "unit[3] unit'[3]",
                    "c": "unit[3]",
                    "w": "unit[3]",
                },
                chosen={"N": 3},
            ),
            Entry(
                r"\ell_N",
                lambda h, A, c, w: euler(h, A, c, w, 4)[1],
                "",
                {
                    "h_0": "unit[3]",
                    "A": "unit[3] unit'[3]",
                    "c": "unit[3]",
                    "w": "unit[3]",
                },
                chosen={"N": 4},
            ),
        ],
    ),
    Unseen(
        "codebook.md",
        r"""# Discrete codes

These are the formulas behind [our tokenizer](https://example.org/tok), collected because three of us had them wrong in three different ways.

## Encoder output and codebook

An encoder maps an image to $N$ vectors, $z \in \mathbb{R}^{\text{pos}:N, \text{dim}:D}$. The codebook has $K$ entries of the same width, $E \in \mathbb{R}^{\text{code}:K, \text{dim}:D}$.

Squared distances between all vectors and all entries:

$$
d_{\text{pos}, \text{code}} = \sum_{\text{dim}} (z - E)^2
$$

Each vector is replaced by the nearest entry.

$$
k = \underset{\text{code}}{\operatorname{argmin}}\ d, \qquad q_{\text{pos}(n)} = E_{\text{code}(k_n)}
$$

That is, $k \in [K]^{\text{pos}:N}$ and $q \in \mathbb{R}^{\text{pos}:N, \text{dim}:D}$.

## Loss

Let $\operatorname{sg}$ stop gradients; it changes no value, $\operatorname{sg}(x) = x$.

$$
L_{\text{vq}} = \underset{\text{pos}}{\operatorname{mean}} \left( \left\lVert \operatorname{sg}(z) - q \right\rVert_{\text{dim}}^2 + \beta \left\lVert z - \operatorname{sg}(q) \right\rVert_{\text{dim}}^2 \right)
$$

The first term moves entries towards vectors; the second one, the *commitment loss* with a weight $\beta$, keeps vectors close to the entries that they have chosen. The decoder sees $\hat z = z + \operatorname{sg}(q - z)$, which is $q$ in value and $z$ in gradient.

## Is the codebook used?

With one-hot assignments $A_{\text{pos}(n), \text{code}(j)} = \mathbb{1}[k_n = j]$, the share of each entry is

$$
\pi = \underset{\text{pos}}{\operatorname{mean}}\ A
$$

and the perplexity is

$$
\operatorname{ppl} = \exp\Big( - \sum_{\text{code}} \pi \odot \log(\pi + \varepsilon) \Big), \qquad \varepsilon = 10^{-10}
$$

It lies between $1$ (collapse) and $K$.

## Moving averages

Instead of the first term, one may move each entry to the running mean of what chose it. Starting from counts $n^{0} \in \mathbb{R}^{\text{code}:K}$ and sums $m^{0} \in \mathbb{R}^{\text{code}:K, \text{dim}:D}$, one step is

\begin{align}
n^{1} &= \gamma n^{0} + (1 - \gamma) \sum_{\text{pos}} A \\
m^{1} &= \gamma m^{0} + (1 - \gamma) \, A \underset{\text{pos}}{\cdot} z \\
E^{1} &= m^{1} / n^{1}
\end{align}

with a decay $\gamma$ near one.

## Residual quantization

A sum of several entries is more precise than one. There are $L$ codebooks, $C \in \mathbb{R}^{\text{level}:L, \text{code}:K, \text{dim}:D}$. At each level $l = 1, \dots, L$ what is left, $r_{l-1}$, is quantized:

$$
\begin{aligned}
c_l &= \underset{\text{code}}{\operatorname{argmin}} \sum_{\text{dim}} \left( r_{l-1} - C_{\text{level}(l)} \right)^2 \\
r_l &= r_{l-1} - C_{\text{level}(l), \text{code}(c_l)}
\end{aligned}
$$

where $r_0 = z$. The reconstruction is then

$$
\tilde z = \sum_{l=1}^{L} C_{\text{level}(l), \text{code}(c_l)} = z - r_L .
$$

## Without a codebook

FSQ bounds every channel and rounds it. With $2a + 1$ values per channel:

$$
\operatorname{fsq}(z) = \frac{1}{a} \operatorname{round}\left( a \tanh z \right)
$$

A soft alternative, for a temperature $T$:

$$
w = \underset{\text{code}}{\operatorname{softmax}} \left( - \frac{d}{T} \right), \qquad \bar q = w \underset{\text{code}}{\cdot} E
$$
""",
        [
            Fault(
                r"k = \underset{\text{code}}{\operatorname{argmin}}\ d",
                r"k = \underset{\text{dim}}{\operatorname{argmin}}\ d",
            ),
            Fault(
                r"A \underset{\text{pos}}{\cdot} z \\",
                r"A \underset{\text{dim}}{\cdot} z \\",
            ),
            Fault(
                r"\bar q = w \underset{\text{code}}{\cdot} E",
                r"\bar q = w \underset{\text{level}}{\cdot} E",
            ),
        ],
        [
            Entry(
                "k",
                nearest,
                "pos",
                {"z": "pos[6] dim[2]", "E": "code[4] dim[2]"},
            ),
            Entry(
                r"L_{\text{vq}}",
                quantised_loss,
                "",
                {"z": "pos[6] dim[2]", "E": "code[4] dim[2]", "beta": 0.25},
            ),
            Entry(
                r"\operatorname{ppl}",
                perplexity,
                "",
                {"z": "pos[6] dim[2]", "E": "code[4] dim[2]"},
            ),
            Entry(
                "E^1",
                moved,
                "code dim",
                {
                    "z": "pos[6] dim[2]",
                    "E": "code[4] dim[2]",
                    "n0": "code[4] ~ positive",
                    "m0": "code[4] dim[2]",
                    "gamma": 0.9,
                },
            ),
            Entry(
                r"\tilde z",
                residual_code,
                "pos dim",
                {"z": "pos[6] dim[2]", "C": "level[3] code[4] dim[2]"},
            ),
            Entry(
                r"\operatorname{fsq}",
                lambda z, a: np.round(a * np.tanh(z)) / a,
                "pos dim",
                {"z": "pos[6] dim[2]", "a": 2},
            ),
            Entry(
                r"\bar q",
                lambda z, E, T: softmax(-((z[:, None] - E[None]) ** 2).sum(2) / T) @ E,
                "pos dim",
                {"z": "pos[6] dim[2]", "E": "code[4] dim[2]", "T": 0.5},
            ),
        ],
    ),
]
