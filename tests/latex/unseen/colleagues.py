"""Method sections: two attention maps, matrix memories, gated mixing, talkers, addressing, inner loops, spheres, long filters."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def swish(a):
    return a * sigmoid(a)


def softplus(a):
    return np.log1p(np.exp(a))


def causal_mask(n):
    return np.where(np.tri(n, dtype=bool), 0.0, -np.inf)


def scale_of_layer(layer):
    return 0.8 - 0.6 * np.exp(-0.3 * (layer - 1))


def mixing(lq1, lk1, lq2, lk2, layer):
    """How much of the second map is subtracted."""
    return np.exp(lq1 @ lk1) - np.exp(lq2 @ lk2) + scale_of_layer(layer)


def one_map(X, Q, K):
    q, k = np.einsum("te,ehk->htk", X, Q), np.einsum("te,ehk->htk", X, K)
    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]) + causal_mask(len(X)))


def difference(X, Q1, K1, Q2, K2, V, lam):
    """Differential attention: head, seq', val."""
    v = np.einsum("te,ehv->htv", X, V)
    return (one_map(X, Q1, K1) - lam * one_map(X, Q2, K2)) @ v


def differential_heads(X, Q1, K1, Q2, K2, V, lq1, lk1, lq2, lk2, O, g, layer):
    o = difference(X, Q1, K1, Q2, K2, V, mixing(lq1, lk1, lq2, lk2, layer))
    o = g * o / np.sqrt((o**2).mean(2, keepdims=True) + 1e-5)
    return np.einsum("htv,hve->te", (1 - scale_of_layer(layer)) * o, O)


def root_norm(x):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)


def swiglu(x, G, W1, W2):
    return (swish(x @ G) * (x @ W1)) @ W2


def differential_layer(X, Q1, K1, Q2, K2, V, lq1, lk1, lq2, lk2, O, g, G, W1, W2, layer):
    y = X + differential_heads(root_norm(X), Q1, K1, Q2, K2, V, lq1, lk1, lq2, lk2, O, g, layer)
    return y + swiglu(root_norm(y), G, W1, W2)


def mixing_gradient(X, Q2, K2, V, G):
    return -(G * (one_map(X, Q2, K2) @ np.einsum("te,ehv->htv", X, V)).swapaxes(0, 1)).sum()


def scalar_memory(x, Wz, Wi, Wf, Wo, Rz, Ri, Rf, Ro, bz, bi, bf, bo):
    """Cell states of an LSTM with exponential input gates."""
    c = n = h = np.zeros(len(bz))
    found = []
    for row in x:
        z, i = np.tanh(row @ Wz + h @ Rz + bz), np.exp(row @ Wi + h @ Ri + bi)
        f, o = sigmoid(row @ Wf + h @ Rf + bf), sigmoid(row @ Wo + h @ Ro + bo)
        c, n = f * c + i * z, f * n + i
        h = o * c / n
        found.append(c)
    return np.stack(found)


def matrix_memories(x, Wk, bk, Wv, bv, wi, ci, wf, cf):
    """Matrices and normalisers after each step."""
    d = len(bk)
    C, n, found = np.zeros((d, d)), np.zeros(d), []
    for row in x:
        k, v = row @ Wk / np.sqrt(d) + bk, row @ Wv + bv
        i, f = np.exp(row @ wi + ci), sigmoid(row @ wf + cf)
        C, n = f * C + i * np.outer(v, k), f * n + i * k
        found.append((C, n))
    return found


def recalled(x, Wq, bq, Wk, bk, Wv, bv, wi, ci, wf, cf):
    states = matrix_memories(x, Wk, bk, Wv, bv, wi, ci, wf, cf)
    q = x @ Wq + bq
    return np.stack([C @ u / max(abs(n @ u), 1) for (C, n), u in zip(states, q, strict=True)])


def decays(f, i):
    T, rate = len(f), np.log(sigmoid(f))
    return np.array(
        [
            [i[s] + rate[s + 1 : t + 1].sum() if s <= t else -np.inf for s in range(T)]
            for t in range(T)
        ]
    )


def parallel_memory(Q, K, V, f, i):
    D = decays(f, i)
    m = D.max(1, keepdims=True)
    S = Q @ K.T / np.sqrt(Q.shape[1]) * np.exp(D - m)
    return S @ V / np.maximum(np.abs(S.sum(1, keepdims=True)), np.exp(-m))


def gelu(a):
    return a * sigmoid(1.702 * a)


def channel_norm(z):
    return (z - z.mean(1, keepdims=True)) / (z.std(1, keepdims=True) + 1e-6)


def spatial_gate(Z, W, b):
    e = Z.shape[1] // 2
    return Z[:, :e] * (W @ channel_norm(Z[:, e:]) + b[:, None])


def tiny_attention(X, Q, K, V, O):
    return softmax(X @ Q @ (X @ K).T / np.sqrt(Q.shape[1])) @ (X @ V) @ O


def attentive_gate(X, U, W, b, V, AQ, AK, AV, AO):
    Z = gelu(X @ U)
    e = Z.shape[1] // 2
    gate = W @ channel_norm(Z[:, e:]) + b[:, None] + tiny_attention(X, AQ, AK, AV, AO)
    return X + (Z[:, :e] * gate) @ V


def toeplitz(w):
    n = (len(w) + 1) // 2
    i = np.arange(n)
    return w[i[:, None] - i + n - 1]


def segments(x, L):
    return np.stack([x[k : k + L] for k in range(0, len(x) - L + 1, L // 2)])


def encoded(s, U):
    return np.maximum(segments(s.sum(0), len(U)) @ U, 0)


def global_norm(F, g, b):
    return (F - F.mean()) / np.sqrt(F.var() + 1e-8) * g + b


def dilated_block(h, Q, R, kappa, p):
    step = 2 ** (p - 1)
    g = np.pad(h @ Q, ((step, step), (0, 0)))
    mixed = sum(kappa[j] * g[j * step : j * step + len(h)] for j in range(3))
    return h + (np.maximum(mixed, 0) + 0.25 * np.minimum(mixed, 0)) @ R


def masks(s, U, g, b, E, Q, R, kappa, G):
    h = global_norm(encoded(s, U), g, b) @ E
    h = dilated_block(dilated_block(h, Q, R, kappa, 1), Q, R, kappa, 2)
    return softmax(np.einsum("kc,csn->skn", h, G), 0)


def separated(s, U, g, b, E, Q, R, kappa, G, V):
    S = (masks(s, U, g, b, E, Q, R, kappa, G) * encoded(s, U)) @ V
    L = len(U)
    found = np.zeros(s.shape)
    for k in range(S.shape[1]):
        found[:, k * L // 2 : k * L // 2 + L] += S[:, k]
    return found


def signal_to_noise(est, ref):
    target = (est @ ref) / (ref @ ref) * ref
    return 10 * np.log10((target**2).sum() / ((est - target) ** 2).sum())


def any_order(est, ref):
    a = [[signal_to_noise(e, r) for r in ref] for e in est]
    return -max(a[0][0] + a[1][1], a[0][1] + a[1][0]) / 2


def cosine(k, M):
    return M @ k / (np.linalg.norm(k) * np.linalg.norm(M, axis=1))


def by_content(M, k, h, v):
    return softmax(softplus(h @ v) * cosine(k, M))


def shifted(M, k, h, v, g, before, s):
    w = g * by_content(M, k, h, v) + (1 - g) * before
    return s[0] * np.roll(w, -1) + s[1] * w + s[2] * np.roll(w, 1)


def sharpened(M, k, h, v, g, before, s, gamma):
    w = shifted(M, k, h, v, g, before, s) ** gamma
    return w / w.sum()


def linked(w, links, p):
    return ((1 - w[:, None] - w) * links + np.outer(w, p)) * (1 - np.eye(len(w)))


def learned_in_the_loop(x, TK, TQ, TV, W, rate, base=0.3):
    found = []
    for row in x:
        k, q, v = row @ TK, row @ TQ, row @ TV
        W = W - 2 * base * sigmoid(row @ rate) * np.outer(W @ k - v, k)
        found.append((W, W @ q))
    return [np.stack(part) for part in zip(*found, strict=True)]


def dual_form(W, K, Q, V, eta):
    return Q @ W.T - 2 * eta * np.tril(Q @ K.T) @ (K @ W.T - V)


def kernel_estimate(x, TK, TQ, TV):
    k, q, v = x @ TK, x @ TQ, x @ TV
    A = np.tril(np.exp(q @ k.T))
    return A @ v / A.sum(1, keepdims=True)


def surprised(x, TK, TQ, TV, mu, rho, alpha):
    N = S = np.zeros((TV.shape[1], TK.shape[1]))
    found = []
    for row in x:
        k = row @ TK
        S = mu * S - 2 * rho * np.outer(N @ k - row @ TV, k)
        N = (1 - alpha) * N + S
        found.append(N @ (row @ TQ))
    return np.stack(found)


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def unit_attention(h, Q, K, V, O, s):
    q, k = (unit(np.einsum("te,ehk->thk", h, W)) * s for W in (Q, K))
    score = np.sqrt(q.shape[2]) * np.einsum("ihk,jhk->hij", q, k) + causal_mask(len(h))
    return np.einsum("hij,jhk,hke->ie", softmax(score), np.einsum("te,ehk->thk", h, V), O)


def unit_mlp(h, Wu, Wn, Wd, su, sn):
    return (h @ Wu * su * swish(np.sqrt(h.shape[1]) * (h @ Wn) * sn)) @ Wd


def on_the_sphere(h, aA, aM, Q, K, V, O, s, Wu, Wn, Wd, su, sn):
    h = unit(h + aA * (unit(unit_attention(h, Q, K, V, O, s)) - h))
    return unit(h + aM * (unit(unit_mlp(h, Wu, Wn, Wd, su, sn)) - h))


def slerp(a, b, t):
    theta = np.arccos(a @ b)
    return (np.sin((1 - t) * theta) * a + np.sin(t * theta) * b) / np.sin(theta)


def retracted(h, g, rho):
    return unit(h - rho * (g - (h @ g) * h))


def causal_filter(h, z):
    return np.stack([(h[: t + 1][::-1] * z[: t + 1]).sum(0) for t in range(len(z))])


def second_order(v, x1, x2, h1, h2):
    return x2 * causal_filter(h2, x1 * causal_filter(h1, v))


def projected(u, W, c):
    p = np.einsum("td,sde->tse", u, W)
    return sum(c[k] * np.pad(p, ((k, 0), (0, 0), (0, 0)))[: len(u)] for k in range(3))


def times(L, K):
    t = np.arange(L)[:, None] / L
    k = np.arange(1, K + 1)
    return np.concatenate([t, np.cos(2 * np.pi * k * t), np.sin(2 * np.pi * k * t)], 1)


def implicit(L, A, a, B, b, omega):
    return np.sin(omega * (times(L, (len(A) - 1) // 2) @ A + a)) @ B + b


def windowed_filter(L, A, a, B, b, omega, beta, low, high):
    rate = np.linspace(low, high, len(b))
    window = np.exp(-rate * np.arange(L)[:, None] / L) + beta
    return window * implicit(L, A, a, B, b, omega)


def effective_length(*given):
    h = windowed_filter(*given) ** 2
    return np.arange(len(h)) @ h / h.sum(0)


LAMBDAS = {f"lambda__{name}": "key[2]" for name in ("q__1", "k__1", "q__2", "k__2")}
MAPS = {
    **{f"W{name}": "emb[12] head[3] key[2]" for name in ("Q_1", "K_1", "Q_2", "K_2")},
    "WV": "emb[12] head[3] val[4]",
}
STORED = {
    "W_k": "in[3] key[2]",
    "b_k": "key[2]",
    "W_v": "in[3] val[2]",
    "b_v": "val[2]",
    "w_i": "in[3]",
    "beta_i": 0.3,
    "w_f": "in[3]",
    "beta_f": 0.8,
}
SEPARATOR = {
    "gamma": "basis[3]",
    "beta": "basis[3]",
    "E": "basis[3] chan[2]",
    "Q": "chan[2] hid[3]",
    "R": "hid[3] chan[2]",
    "kappa": "pos[3] hid[3]",
    "G": "chan[2] src[2] basis[3]",
}
CONTENT = {"M": "loc[4] cell[3]", "k": "cell[3]", "h": "hid[2]", "v_beta": "hid[2]"}
GATED = {"g": 0.6, "w": "loc[4] ~ probability loc", "s": "shift[3] ~ probability shift"}
VIEWS = {
    "x": "seq[4] emb[3]",
    "theta_K": "emb[3] in[2]",
    "theta_Q": "emb[3] in[2]",
    "theta_V": "emb[3] out[2]",
}
HEADS = {
    **{f"W_{name}": "emb[4] head[2] key[3]" for name in "qkv"},
    "W_o": "head[2] key[3] emb[4]",
    "s_qk": "head[2] key[3]",
}
GATES = {
    "W_u": "emb[4] mlp[16]",
    "W_nu": "emb[4] mlp[16]",
    "W_down": "mlp[16] emb[4]",
    "s_u": "mlp[16]",
    "s_nu": "mlp[16]",
}
IMPLICIT = {
    "A": "feat[5] hid[3]",
    "a": "hid[3]",
    "B": "hid[3] chan[2]",
    "b": "chan[2]",
    "omega": 2.0,
}


DOCUMENTS = [
    Unseen(
        "differential.tex",
        r"""\documentclass{article}
\usepackage[preprint]{neurips}
\usepackage{amsmath,amssymb,booktabs,namedtensor}
\ndef{\seq}{seq} \ndef{\emb}{emb} \ndef{\head}{head} \ndef{\key}{key} \ndef{\val}{val} \ndef{\hid}{hid}
\newcommand{\R}{\mathbb{R}}
\newcommand{\softmax}[1]{\nfun{#1}{softmax}}
\newcommand{\lambdainit}{\lambda_{\text{init}}}
\DeclareMathOperator{\DiffAttn}{DiffAttn}
\DeclareMathOperator{\RMSNorm}{RMSNorm}
\begin{document}
\begin{abstract}
Transformers attend too much to what does not matter. We subtract two attention maps from each other, as a differential amplifier does with two signals, so that noise cancels.
\end{abstract}

\section{Method}
\paragraph{Notation.} Positions that are attended to form the axis $\seq$, positions that attend form the axis $\seq'$; both have $n$ of them. Features of the residual stream are $\emb$, there are $d$.
Throughout, $\epsilon = 10^{-5}$, and heads ($\head$) are never mixed except by $W^O$. Let $X \in \R^{\seq[n] \times \emb[d]}$ be the input of a layer.

\subsection{Differential attention} \label{sec:diff}
Given $X$, we project twice to queries and keys and once to values:
\begin{align}
Q_1 &= X_{\seq\to\seq'} \ndot{\emb} W^Q_1, & Q_2 &= X_{\seq\to\seq'} \ndot{\emb} W^Q_2, \nonumber \\
K_1 &= X \ndot{\emb} W^K_1, & K_2 &= X \ndot{\emb} W^K_2, & V &= X \ndot{\emb} W^V . \label{eq:proj}
\end{align}
Then the differential attention operator computes outputs via
\begin{equation}
\DiffAttn(X) = \biggl( \softmax{\seq} \Bigl( \frac{Q_1 \ndot{\key} K_1}{\sqrt{d_k}} + M \Bigr) - \lambda \, \softmax{\seq} \Bigl( \frac{Q_2 \ndot{\key} K_2}{\sqrt{d_k}} + M \Bigr) \biggr) \ndot{\seq} V , \label{eq:diff}
\end{equation}
where $W^Q_1, W^Q_2, W^K_1, W^K_2 \in \R^{\emb[d] \times \head[h] \times \key[d_k]}$ and $W^V \in \R^{\emb[d] \times \head[h] \times \val[2 d_k]}$ are parameters, $\lambda$ is a learnable scalar (see below), and the
mask $M \in \R^{\seq'[n] \times \seq[n]}$ keeps the model causal, i.e.\ $M_{\seq'(i), \seq(j)} = 0$ if $j \le i$ and $M_{\seq'(i), \seq(j)} = -\infty$ if $j > i$.

In order to synchronise the learning dynamics, we re-parameterise the scalar $\lambda$ as
\begin{equation}
\lambda = \exp\bigl( \lambda_{q_1} \ndot{\key} \lambda_{k_1} \bigr) - \exp\bigl( \lambda_{q_2} \ndot{\key} \lambda_{k_2} \bigr) + \lambdainit , \label{eq:lambda}
\end{equation}
where $\lambda_{q_1}, \lambda_{k_1}, \lambda_{q_2}, \lambda_{k_2} \in \R^{\key[d_k]}$ are learnable vectors, shared by the heads of a layer, and $\lambdainit \in (0, 1)$ is a constant used for the initialisation of $\lambda$.
We find empirically that the setting
\[
\lambdainit = 0.8 - 0.6 \times \exp( -0.3 \cdot (l - 1) )
\]
works well in practice, where $l \in [1, L]$ is the number of the layer.

\subsection{Multi-head differential attention}
Attention maps of different heads differ in sparsity, hence each head is normalised on its own before all of them are projected back to the residual stream:
\begin{align}
O &= (1 - \lambdainit) \odot \RMSNorm(\DiffAttn(X)) \label{eq:headwise} \\
\mathrm{MultiHead}(X) &= \bigl[ O \ndot{\head \\ \val} W^O \bigr]_{\seq' \to \seq} \label{eq:multi}
\end{align}
with $W^O \in \R^{\head[h] \times \val[2 d_k] \times \emb[d]}$ and $\RMSNorm(x) = \gamma \odot x \big/ \sqrt{\nfun{\val}{mean} x^2 + \epsilon}$, $\gamma \in \R^{\val[2 d_k]}$. The factor $1 - \lambdainit$ aligns the gradients with those of a Transformer (Appendix~\ref{app:grad}).
Since a head of ours has two pairs of queries and keys, we use half as many heads as a Transformer of the same width, that is $h = d / 2 d_k$.

\subsection{Overall architecture}
A layer is then
\begin{align}
Y &= \mathrm{MultiHead}(\mathrm{LN}(X)) + X \\
X^{+} &= \mathrm{SwiGLU}(\mathrm{LN}(Y)) + Y
\end{align}
where $\mathrm{LN}(x) = x \big/ \sqrt{\nfun{\emb}{mean} x^2 + \epsilon}$ has no parameters and
\begin{equation}
\mathrm{SwiGLU}(x) = \bigl( \mathrm{swish}(x \ndot{\emb} W^G) \odot (x \ndot{\emb} W_1) \bigr) \ndot{\hid} W_2, \qquad \mathrm{swish}(a) = a \odot \sigma(a),
\end{equation}
with $W^G, W_1 \in \R^{\emb[d] \times \hid[m]}$, $W_2 \in \R^{\hid[m] \times \emb[d]}$ and $m = 8d/3$.

\begin{table}
\caption{Configuration of the 3B model.}
\begin{tabular}{lr}
\toprule
layers & 28 \\ hidden size $d$ & 3072 \\ heads $h$ & 12 \\ head size $d_k$ & 128 \\
\bottomrule
\end{tabular}
\end{table}

\appendix
\section{Gradient flow} \label{app:grad}
Write $A_1$ and $A_2$ for the two softmax terms of Eq.~\eqref{eq:diff},
\begin{equation}
A_1 = \softmax{\seq} \Bigl( \frac{Q_1 \ndot{\key} K_1}{\sqrt{d_k}} + M \Bigr), \quad A_2 = \softmax{\seq} \Bigl( \frac{Q_2 \ndot{\key} K_2}{\sqrt{d_k}} + M \Bigr).
\end{equation}
Rows sum to $\nsum{\seq} (A_1 - \lambda A_2) = 1 - \lambda$, not to one. Let $G \in \R^{\seq'[n] \times \head[h] \times \val[2 d_k]}$ be the gradient of the loss with respect to $\DiffAttn(X)$. By the chain rule,
\begin{align}
g_V &= (A_1 - \lambda A_2) \ndot{\seq'} G , \\
g_\lambda &= - \nsum{\seq' \\ \head \\ \val} G \odot (A_2 \ndot{\seq} V) ,
\end{align}
which are the expressions for a Transformer with $A_1$ in place of the difference, up to a constant factor. Using the chain rule once more, the derivatives with respect to $\lambda_{q_1}$ and $\lambda_{k_1}$ are
\begin{equation}
g_{q_1} = g_\lambda \exp\bigl( \lambda_{q_1} \ndot{\key} \lambda_{k_1} \bigr) \lambda_{k_1} , \qquad g_{k_1} = g_\lambda \exp\bigl( \lambda_{q_1} \ndot{\key} \lambda_{k_1} \bigr) \lambda_{q_1} .
\end{equation}
\end{document}
""",
        [
            Fault(r"\ndot{\seq} V , \label{eq:diff}", r"\ndot{\key} V , \label{eq:diff}"),
            Fault(r"\bigl[ O \ndot{\head \\ \val} W^O", r"\bigl[ O \ndot{\head \\ \key} W^O"),
            Fault(r"\lambda A_2) \ndot{\seq'} G", r"\lambda A_2) \ndot{\seq} G"),
        ],
        [
            Entry(r"\lambda", mixing, "", {**LAMBDAS, "l": 3}),
            Entry(
                r"\DiffAttn",
                lambda X, Q1, K1, Q2, K2, V, a, b, c, d, l: difference(
                    X, Q1, K1, Q2, K2, V, mixing(a, b, c, d, l)
                ),
                "head seq' val",
                {"X": "seq[4] emb[12]", **MAPS, **LAMBDAS, "l": 3},
            ),
            Entry(
                r"\mathrm{MultiHead}",
                differential_heads,
                "seq emb",
                {
                    "X": "seq[4] emb[12]",
                    **MAPS,
                    **LAMBDAS,
                    "WO": "head[3] val[4] emb[12]",
                    "gamma": "val[4]",
                    "l": 3,
                },
            ),
            Entry(
                r"\mathrm{SwiGLU}",
                swiglu,
                "seq emb",
                {
                    "x": "seq[4] emb[12]",
                    "WG": "emb[12] hid[32]",
                    "W_1": "emb[12] hid[32]",
                    "W_2": "hid[32] emb[12]",
                },
            ),
            Entry(
                "X^{+}",
                differential_layer,
                "seq emb",
                {
                    "X": "seq[4] emb[12]",
                    **MAPS,
                    **LAMBDAS,
                    "WO": "head[3] val[4] emb[12]",
                    "gamma": "val[4]",
                    "WG": "emb[12] hid[32]",
                    "W_1": "emb[12] hid[32]",
                    "W_2": "hid[32] emb[12]",
                    "l": 3,
                },
            ),
            Entry(
                r"g_\lambda",
                mixing_gradient,
                "",
                {
                    "X": "seq[4] emb[12]",
                    "WQ_2": "emb[12] head[3] key[2]",
                    "WK_2": "emb[12] head[3] key[2]",
                    "WV": "emb[12] head[3] val[4]",
                    "G": "seq'[4] head[3] val[4]",
                },
            ),
            Entry(
                "g_V",
                lambda X, Q1, K1, Q2, K2, a, b, c, d, l, G: np.einsum(
                    "hij,ihv->jhv",
                    one_map(X, Q1, K1) - mixing(a, b, c, d, l) * one_map(X, Q2, K2),
                    G,
                ),
                "seq head val",
                {
                    "X": "seq[4] emb[12]",
                    **{name: MAPS[name] for name in ("WQ_1", "WK_1", "WQ_2", "WK_2")},
                    **LAMBDAS,
                    "l": 3,
                    "G": "seq'[4] head[3] val[4]",
                },
            ),
        ],
    ),
    Unseen(
        "matrix_memory.tex",
        r"""\documentclass[10pt]{article}
\usepackage{amsmath,amssymb,bm}
% ---- macros ----
\newcommand{\RR}{\mathbb{R}}
\newcommand{\tm}{\text{time}}
\newcommand{\inp}{\text{in}}
\newcommand{\key}{\text{key}}
\newcommand{\val}{\text{val}}
\newcommand{\cell}{\text{cell}}
\newcommand{\con}[1]{\mathbin{\underset{#1}{\cdot}}}
\newcommand{\at}[1]{_{\tm:#1}}
\newcommand{\sig}{\sigma}
\begin{document}
\section{Extended long short-term memory}
We revisit two limits of the LSTM: it cannot revise a storage decision, and it must compress everything into scalars. Both are overcome below. The input is a sequence $x \in \RR^{\tm:T, \inp:D}$, and we abbreviate
$x_t = x\at{t}$ for $t = 1, \ldots, T$. Gates before their activation carry a tilde. $\sig$ is the logistic function.

\subsection{sLSTM: exponential gates}
To let the model revise what it stored, input gates get an exponential activation. A normaliser state sums up all input gates times the forget gates that follow. The forward pass is
\begin{align}
c_t &= f_t \odot c_{t-1} + i_t \odot z_t && \text{cell state} \label{eq:c} \\
n_t &= f_t \odot n_{t-1} + i_t && \text{normaliser state} \label{eq:n} \\
h_t &= o_t \odot \frac{c_t}{n_t} && \text{hidden state} \\
z_t &= \tanh\bigl( W_z \con{\inp} x_t + R_z \con{\cell'} [h_{t-1}]_{\cell \rightarrow \cell'} + b_z \bigr) && \text{cell input} \\
i_t &= \exp\bigl( W_i \con{\inp} x_t + R_i \con{\cell'} [h_{t-1}]_{\cell \rightarrow \cell'} + b_i \bigr) && \text{input gate} \\
f_t &= \sig\bigl( W_f \con{\inp} x_t + R_f \con{\cell'} [h_{t-1}]_{\cell \rightarrow \cell'} + b_f \bigr) && \text{forget gate} \\
o_t &= \sig\bigl( W_o \con{\inp} x_t + R_o \con{\cell'} [h_{t-1}]_{\cell \rightarrow \cell'} + b_o \bigr) && \text{output gate}
\end{align}
where $W_z, W_i, W_f, W_o \in \RR^{\inp:D, \cell:d}$ are input weights, $R_z, R_i, R_f, R_o \in \RR^{\cell':d, \cell:d}$ recurrent weights and $b_z, b_i, b_f, b_o \in \RR^{\cell:d}$ biases. All states are zero at the start: $c_0 = 0$, $n_0 = 0$, $h_0 = 0$.

\subsection{mLSTM: a matrix as memory}
We now give the cell a matrix $C_t \in \RR^{\val:d, \key:d}$ and no memory mixing, so that it can be parallelised. At time $t$ we want to store a pair of vectors, the key $k_t$ and the value $v_t$. The covariance update rule, with gates, reads
\begin{align}
C_t &= f_t \, C_{t-1} + i_t \, v_t \odot k_t \\
n_t &= f_t \, n_{t-1} + i_t \, k_t \\
h_t &= o_t \odot \tilde h_t , \qquad \tilde h_t = \frac{C_t \con{\key} q_t}{\max\bigl\{ \bigl| n_t \con{\key} q_t \bigr|, \, 1 \bigr\}} \label{eq:read}
\end{align}
Note that now $f_t$ and $i_t$ are scalars, $n_t \in \RR^{\key:d}$, and the denominator is bounded from below because the dot product of query and normaliser can be close to zero. As above, $C_0 = 0$ and $n_0 = 0$. The remaining quantities are
\begin{align}
q_t &= W_q \con{\inp} x_t + b_q , \\
k_t &= \frac{1}{\sqrt{d}} W_k \con{\inp} x_t + b_k , \\
v_t &= W_v \con{\inp} x_t + b_v , \\
o_t &= \sig( W_o \con{\inp} x_t + b_o ) , \\
i_t &= \exp( w_i \con{\inp} x_t + \beta_i ) , \qquad f_t = \sig( w_f \con{\inp} x_t + \beta_f )
\end{align}
with $W_q, W_k \in \RR^{\inp:D, \key:d}$, $b_q, b_k \in \RR^{\key:d}$, $W_v, W_o \in \RR^{\inp:D, \val:d}$, $b_v, b_o \in \RR^{\val:d}$, $w_i, w_f \in \RR^{\inp:D}$ and $\beta_i, \beta_f \in \RR$.

\appendix
\section{The parallel version of mLSTM}
For training, time is not stepped through. Let $Q \in \RR^{\tm':T, \key:d}$ and $K \in \RR^{\tm:T, \key:d}$ and $V \in \RR^{\tm:T, \val:d}$ contain all queries, keys and values, and let $\tilde f, \tilde \imath \in \RR^{\tm:T}$ be the pre-activations of the gates. Decays and input gates go into one matrix,
\begin{equation}
\tilde D_{\tm':t, \tm:s} = \begin{cases}
\tilde\imath_{\tm:s} + \sum_{r=s+1}^{t} \log \sig( \tilde f_{\tm:r} ) & s \le t, \\
-\infty & s > t
\end{cases} \label{eq:D}
\end{equation}
whose largest entry per row is $m = \max_{\tm} \tilde D \in \RR^{\tm':T}$. It is subtracted for stability:
\begin{align}
D &= \exp(\tilde D - m) , \\
S &= \frac{Q \con{\key} K}{\sqrt{d}} \odot D , \\
B &= \max\Bigl( \Bigl| \sum_{\tm} S \Bigr| , \exp(-m) \Bigr) , \\
H &= \frac{S \con{\tm} V}{B} .
\end{align}
Then $H \in \RR^{\tm':T, \val:d}$ holds the vectors $\tilde h_t$ of Eq.~\eqref{eq:read}, up to rounding. To see this, note that $\exp(\tilde D_{\tm':t, \tm:s})$ is what has become of the input gate of step $s$ at time $t$.
\end{document}
""",
        [
            Fault(
                r"R_f \con{\cell'} [h_{t-1}]_{\cell \rightarrow \cell'}",
                r"R_f \con{\cell'} h_{t-1}",
            ),
            Fault(r"\frac{C_t \con{\key} q_t}", r"\frac{C_t \con{\val} q_t}"),
            Fault(r"m = \max_{\tm} \tilde D", r"m = \max_{\tm'} \tilde D"),
        ],
        [
            Entry(
                "c",
                scalar_memory,
                "time cell",
                {
                    "x": "time[4] in[3]",
                    **{f"W_{g}": "in[3] cell[2]" for g in "zifo"},
                    **{f"R_{g}": "cell'[2] cell[2]" for g in "zifo"},
                    **{f"b_{g}": "cell[2]" for g in "zifo"},
                },
            ),
            Entry(
                "k",
                lambda x, W, b: x @ W / np.sqrt(2) + b,
                "time key",
                {"x": "time[4] in[3]", "W_k": "in[3] key[2]", "b_k": "key[2]"},
            ),
            Entry(
                "C",
                lambda *given: np.stack([C for C, _ in matrix_memories(*given)]),
                "time val key",
                {"x": "time[4] in[3]", **STORED},
            ),
            Entry(
                r"\tilde h",
                recalled,
                "time val",
                {"x": "time[4] in[3]", "W_q": "in[3] key[2]", "b_q": "key[2]", **STORED},
            ),
            Entry(
                r"\tilde D", decays, "time' time", {"ftilde": "time[4]", "imathtilde": "time[4]"}
            ),
            Entry(
                "H",
                parallel_memory,
                "time' val",
                {
                    "Q": "time'[4] key[2]",
                    "K": "time[4] key[2]",
                    "V": "time[4] val[2]",
                    "ftilde": "time[4]",
                    "imathtilde": "time[4]",
                },
            ),
        ],
    ),
    Unseen(
        "gated_mixing.md",
        r"""# Pay Attention to MLPs, annotated

> **TL;DR** Self-attention is replaced by one matrix per layer that mixes positions, used as a gate. It works surprisingly well.

**Conventions.** Sequences have `seq` of length $n$, the model `emb` of size $d$, and inside of a block features are called `ffn`; there are $2e$ of those, and after the split `gate` has $e$. A prime marks a second copy of an axis.

## 1 Model

gMLP stacks $L$ identical blocks. With $X \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$, each block is defined as

$$
Z = \text{GELU}(X \underset{\text{emb}}{\cdot} U), \qquad \tilde{Z} = s(Z), \qquad Y = \tilde{Z} \underset{\text{gate}}{\cdot} V \tag{1}
$$

where $U \in \mathbb{R}^{\text{emb}:d, \text{ffn}:2e}$ and $V \in \mathbb{R}^{\text{gate}:e, \text{emb}:d}$ define linear projections along the channels -- the same as those in the FFN of a Transformer -- and GELU is, in its cheap form, $\text{GELU}(a) = a \odot \sigma(1.702\, a)$. Shortcuts and normalisations are omitted for brevity; the key is $s(\cdot)$. If $s$ were the identity, (1) would be an ordinary FFN which cannot let tokens talk.

### 1.1 Spatial gating unit

To enable interactions across tokens, $s$ must contain a contraction over `seq`. The simplest option is a linear map,

$$
f(Z) = W \underset{\text{seq}'}{\cdot} Z_{\text{seq} \rightarrow \text{seq}'} + b \tag{2}
$$

with $W \in \mathbb{R}^{\text{seq}:n, \text{seq}':n}$ and token-specific biases $b \in \mathbb{R}^{\text{seq}:n}$. Unlike in self-attention, where $W$ is generated from $Z$, here it does not depend on the input. We split $Z$ into two parts $Z_1, Z_2 \in \mathbb{R}^{\text{seq}:n, \text{gate}:e}$ along the channels,

$$
[Z_1]_{\text{gate}(c)} = Z_{\text{ffn}(c)}, \qquad [Z_2]_{\text{gate}(c)} = Z_{\text{ffn}(c+e)}, \qquad c = 1, \dots, e,
$$

and let one gate the other:

$$
s(Z) = Z_1 \odot f(\text{norm}(Z_2)) \tag{3}
$$

in which

$$
\text{norm}(z) = \frac{z - \underset{\text{gate}}{\text{mean}}(z)}{\underset{\text{gate}}{\text{std}}(z) + 10^{-6}} .
$$

> **Initialisation matters.** $W$ should start near zero and $b$ at one: then $f(Z) \approx 1$ and $s(Z) \approx Z_1$, so training begins with an FFN.

### 1.2 The algorithm

```
x = norm(x, axis="channel")
x = proj(x, d_ffn, axis="channel")
x = gelu(x)
x = spatial_gating_unit(x)
x = proj(x, d_model, axis="channel")
return x + shortcut
```

## 2 What the matrices learn

After training, $W$ looks like a convolution: its rows are shifted copies of each other. So one may as well say so, with one number per distance, $w \in \mathbb{R}^{\text{off}:2n-1}$ and

$$
T_{\text{seq}(i), \text{seq}'(j)} = w_{\text{off}(i - j + n)} .
$$

A Toeplitz gate has $2n - 1$ parameters instead of $n^2$:

$$
f_T(Z) = T \underset{\text{seq}'}{\cdot} Z_{\text{seq} \rightarrow \text{seq}'} + b .
$$

How far a matrix is from being Toeplitz, we measured by

$$
\delta(W, T) = \frac{\sum_{\text{seq}, \text{seq}'} (W - T)^2}{\sum_{\text{seq}, \text{seq}'} W^2} .
$$

## 3 A tiny bit of attention

For tasks on pairs of sentences, pure gMLP is behind. A single head of size $a$, attached to the gate, closes the gap:

$$
\begin{aligned}
\text{tiny}(X) &= \left[ \alpha \underset{\text{seq}}{\cdot} (X \underset{\text{emb}}{\cdot} A^V) \right]_{\text{seq}' \rightarrow \text{seq}} \underset{\text{att}}{\cdot} A^O \\
\alpha &= \underset{\text{seq}}{\text{softmax}} \left( (X_{\text{seq} \rightarrow \text{seq}'} \underset{\text{emb}}{\cdot} A^Q) \underset{\text{att}}{\cdot} (X \underset{\text{emb}}{\cdot} A^K) \Big/ \sqrt{a} \right)
\end{aligned}
$$

with $A^Q, A^K, A^V \in \mathbb{R}^{\text{emb}:d, \text{att}:a}$ and $A^O \in \mathbb{R}^{\text{att}:a, \text{gate}:e}$. The gated block, which the paper calls aMLP, is then

$$
Y' = X + \bigl( Z_1 \odot ( f(\text{norm}(Z_2)) + \text{tiny}(X) ) \bigr) \underset{\text{gate}}{\cdot} V .
$$
""",
        [
            Fault(
                r"\tilde{Z} \underset{\text{gate}}{\cdot} V \tag{1}",
                r"\tilde{Z} \underset{\text{ffn}}{\cdot} V \tag{1}",
            ),
            Fault(r"Z_{\text{seq} \rightarrow \text{seq}'} + b \tag{2}", r"Z + b \tag{2}"),
            Fault(
                r"U \in \mathbb{R}^{\text{emb}:d, \text{ffn}:2e}",
                r"U \in \mathbb{R}^{\text{emb}:d, \text{ffn}:e}",
                r"[Z_1]_{\text{gate}(c)} = Z_{\text{ffn}(c)}",
            ),
        ],
        [
            Entry(
                "f",
                lambda Z, W, b: W @ Z + b[:, None],
                "seq gate",
                {"Z": "seq[3] gate[2]", "W": "seq[3] seq'[3]", "b": "seq[3]"},
            ),
            Entry(
                "s",
                spatial_gate,
                "seq gate",
                {"Z": "seq[3] ffn[4]", "W": "seq[3] seq'[3]", "b": "seq[3]"},
                chosen={"e": 2},
            ),
            Entry(
                "Y",
                lambda X, U, W, b, V: spatial_gate(gelu(X @ U), W, b) @ V,
                "seq emb",
                {
                    "X": "seq[3] emb[2]",
                    "U": "emb[2] ffn[6]",
                    "W": "seq[3] seq'[3]",
                    "b": "seq[3]",
                    "V": "gate[3] emb[2]",
                },
            ),
            Entry(
                "f_T",
                lambda Z, w, b: toeplitz(w) @ Z + b[:, None],
                "seq gate",
                {"Z": "seq[3] gate[2]", "w": "off[5]", "b": "seq[3]"},
            ),
            Entry(
                r"\delta",
                lambda W, T: ((W - T) ** 2).sum() / (W**2).sum(),
                "",
                {"W": "seq[3] seq'[3]", "T": "seq[3] seq'[3]"},
            ),
            Entry(
                r"\text{tiny}",
                tiny_attention,
                "seq gate",
                {
                    "X": "seq[3] emb[2]",
                    "A__Q": "emb[2] att[3]",
                    "A__K": "emb[2] att[3]",
                    "A__V": "emb[2] att[3]",
                    "A__O": "att[3] gate[2]",
                },
            ),
            Entry(
                "Y'",
                attentive_gate,
                "seq emb",
                {
                    "X": "seq[3] emb[2]",
                    "U": "emb[2] ffn[4]",
                    "W": "seq[3] seq'[3]",
                    "b": "seq[3]",
                    "V": "gate[2] emb[2]",
                    "A__Q": "emb[2] att[3]",
                    "A__K": "emb[2] att[3]",
                    "A__V": "emb[2] att[3]",
                    "A__O": "att[3] gate[2]",
                },
            ),
        ],
    ),
    Unseen(
        "separation.md",
        r"""---
title: "Separating two talkers in the time domain"
bibliography: refs.bib
---

# Method

## Problem formulation

Single-channel speech separation estimates $C$ sources $s \in \mathbb{R}^{\text{src}:C, \text{smp}:T}$ from a mixture $x = \sum_{\text{src}} s$, $x \in \mathbb{R}^{\text{smp}:T}$. Instead of a spectrogram we learn the representation [@tasnet].

The mixture is cut into $K$ overlapping segments of $L$ samples each ($L$ is even and the hop is $L/2$). Segment $k$ is

$$
X_{\text{frame}(k), \text{tap}(l)} = x_{\text{smp}\left((k - 1) L/2 + l\right)}, \qquad k = 1, \ldots, K, \quad l = 1, \ldots, L,
$$

so $T = (K + 1) L / 2$.

## Encoder

Segments are encoded by $N$ learned basis functions, $U \in \mathbb{R}^{\text{tap}:L, \text{basis}:N}$, whose responses must not be negative:

$$
w = \text{ReLU}(X \underset{\text{tap}}{\cdot} U) \qquad (\text{frame} \times \text{basis})
$$

## Separator

The separator sees $w$ normalised and squeezed to $B$ channels. *Global* layer normalisation pools over both time and channels,

$$
\text{gLN}(F) = \frac{F - \mathbb{E}[F]}{\sqrt{\text{Var}[F] + \epsilon}} \odot \gamma + \beta, \quad
\mathbb{E}[F] = \frac{1}{N K} \sum_{\text{frame}, \text{basis}} F, \quad
\text{Var}[F] = \frac{1}{N K} \sum_{\text{frame}, \text{basis}} (F - \mathbb{E}[F])^2
$$

for $F \in \mathbb{R}^{\text{frame}:K, \text{basis}:N}$, where $\gamma, \beta \in \mathbb{R}^{\text{basis}:N}$ are trainable and $\epsilon = 10^{-8}$. Then come $P$ blocks, each a dilated depthwise convolution between two pointwise ones. Block $p$ looks at frames $2^{p-1}$ apart:

$$
\text{block}_p(h) = h + R \underset{\text{hid}}{\cdot} \text{PReLU}\left( D_p(Q \underset{\text{chan}}{\cdot} h) \right)
$$

$$
D_p(g)_{\text{frame}(k)} = \sum_{j=-1}^{1} \kappa_{\text{pos}(j+2)} \odot g_{\text{frame}(k + 2^{p-1} j)}
$$

Frames outside of $1, \ldots, K$ count as zero. Here $Q \in \mathbb{R}^{\text{chan}:B, \text{hid}:H}$, $R \in \mathbb{R}^{\text{hid}:H, \text{chan}:B}$, $\kappa \in \mathbb{R}^{\text{pos}:3, \text{hid}:H}$, and $h \in \mathbb{R}^{\text{frame}:K, \text{chan}:B}$, $g \in \mathbb{R}^{\text{frame}:K, \text{hid}:H}$; PReLU is $\text{PReLU}(a) = \max(0, a) + 0.25 \min(0, a)$ at initialisation[^prelu].

[^prelu]: The slope is learned, one number per layer. We leave it fixed in this description.

With $E \in \mathbb{R}^{\text{basis}:N, \text{chan}:B}$, the bottleneck, and $G \in \mathbb{R}^{\text{chan}:B, \text{src}:C, \text{basis}:N}$, the masks after two blocks are

$$
\begin{aligned}
h &= \text{gLN}(w) \underset{\text{basis}}{\cdot} E \\
M &= \underset{\text{src}}{\text{softmax}} \left( \text{block}_2(\text{block}_1(h)) \underset{\text{chan}}{\cdot} G \right)
\end{aligned}
$$

which sum to one over sources, $\sum_{\text{src}} M = 1$.

## Decoder

Masked responses $d = M \odot w$ are turned back into segments by $V \in \mathbb{R}^{\text{basis}:N, \text{tap}:L}$, and segments into a waveform by overlap and add:

$$
\hat{S} = d \underset{\text{basis}}{\cdot} V, \qquad
\hat{s}_{\text{smp}(t)} = \sum_{\substack{k = 1 \\ 1 \le t - (k-1) L/2 \le L}}^{K} \hat{S}_{\text{frame}(k), \text{tap}\left(t - (k-1) L/2\right)}
$$

# Training objective

The network is trained on the scale-invariant signal-to-noise ratio. For an estimate $\hat{y} \in \mathbb{R}^{\text{smp}:T}$ of $y \in \mathbb{R}^{\text{smp}:T}$, both of zero mean,

$$
\begin{aligned}
y_{\text{target}} &= \frac{\hat{y} \underset{\text{smp}}{\cdot} y}{y \underset{\text{smp}}{\cdot} y} \, y \\
e_{\text{noise}} &= \hat{y} - y_{\text{target}} \\
\text{SI-SNR}(\hat{y}, y) &= 10 \log_{10} \frac{\sum_{\text{smp}} y_{\text{target}}^2}{\sum_{\text{smp}} e_{\text{noise}}^2}
\end{aligned}
$$

Which output is which talker does not matter, so training is *permutation invariant* [@pit]. With references $r \in \mathbb{R}^{\text{src}:2, \text{smp}:T}$ and estimates $\hat{r} \in \mathbb{R}^{\text{src}:2, \text{smp}:T}$ of two talkers, let

$$
a_{ij} = \text{SI-SNR}(\hat{r}_{\text{src}(i)}, r_{\text{src}(j)}), \qquad i, j \in \{1, 2\}.
$$

Then the loss is

$$
\mathcal{L}(\hat{r}, r) = - \frac{1}{2} \max \left( a_{11} + a_{22}, \; a_{12} + a_{21} \right) .
$$
""",
        [
            Fault(
                r"\frac{1}{N K} \sum_{\text{frame}, \text{basis}} F, \quad",
                r"\frac{1}{N K} \sum_{\text{frame}, \text{chan}} F, \quad",
            ),
            Fault(r"\kappa_{\text{pos}(j+2)}", r"\kappa_{\text{tap}(j+2)}"),
            Fault(
                r"\underset{\text{src}}{\text{softmax}}", r"\underset{\text{chan}}{\text{softmax}}"
            ),
        ],
        [
            Entry("w", encoded, "frame basis", {"s": "src[2] smp[8]", "U": "tap[4] basis[3]"}),
            Entry(
                r"\text{gLN}",
                global_norm,
                "frame basis",
                {"F": "frame[3] basis[4]", "gamma": "basis[4]", "beta": "basis[4]"},
            ),
            Entry(
                r"\text{block}_2",
                lambda h, Q, R, kappa: dilated_block(h, Q, R, kappa, 2),
                "frame chan",
                {
                    "h": "frame[5] chan[3]",
                    "Q": "chan[3] hid[2]",
                    "R": "hid[2] chan[3]",
                    "kappa": "pos[3] hid[2]",
                },
            ),
            Entry(
                "M",
                masks,
                "src frame basis",
                {"s": "src[2] smp[8]", "U": "tap[4] basis[3]", **SEPARATOR},
            ),
            Entry(
                r"\hat{s}",
                separated,
                "src smp",
                {"s": "src[2] smp[8]", "U": "tap[4] basis[3]", **SEPARATOR, "V": "basis[3] tap[4]"},
                chosen={"K": 3},
            ),
            Entry(r"\text{SI-SNR}", signal_to_noise, "", {"yhat": "smp[6]", "y": "smp[6]"}),
            Entry(r"\mathcal{L}", any_order, "", {"rhat": "src[2] smp[6]", "r": "src[2] smp[6]"}),
        ],
    ),
    Unseen(
        "addressing.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,algorithm,namedtensor}
\ndef{\loc}{loc} \ndef{\cell}{cell} \ndef{\hid}{hid} \ndef{\shift}{shift} \ndef{\rd}{read}
\newcommand{\R}{\mathbb{R}}
\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}
\DeclareMathOperator{\softplus}{softplus}
\DeclareMathOperator{\similarity}{sim}
\begin{document}

\section{Memory and addressing}
A controller interacts with a memory matrix by attentional heads. Let $\mathcal{M} \in \R^{\loc[N] \times \cell[W]}$ be the contents of the memory before the present step: there are $N$ locations, with a vector of size $W$ at each. We drop the index of the step wherever we can.

\subsection{Reading} \label{sec:reading}
A read head emits a weighting $w \in [0, 1]^{\loc[N]}$ over the locations, with
\begin{equation}
\nsum{\loc} w = 1 . \label{eq:simplex}
\end{equation}
What it returns is the convex combination
\begin{equation}
\operatorname{read}(\mathcal{M}, w) = w \ndot{\loc} \mathcal{M} , \label{eq:read}
\end{equation}
clearly differentiable with respect to both the memory and the weighting.

\subsection{Writing}
Taking inspiration from the gates of an LSTM, each write is an \emph{erase} followed by an \emph{add}. Given an erase vector $e \in [0, 1]^{\cell[W]}$ and an add vector $a \in \R^{\cell[W]}$,
\begin{align}
\tilde{\mathcal{M}} &= \mathcal{M} \odot (1 - w \odot e) , \label{eq:erase} \\
\operatorname{write}(\mathcal{M}, w, e, a) &= \tilde{\mathcal{M}} + w \odot a . \label{eq:add}
\end{align}
If all elements of $e$ are $1$ and the weighting is $1$ at one location, then that location is set to $a$.

\subsection{Where to look}
\paragraph{Focusing by content.} For content-addressing, each head first produces a key $k \in \R^{\cell[W]}$ that is compared to each row of the memory by the cosine similarity
\[
\similarity(k, \mathcal{M}) = \frac{k \ndot{\cell} \mathcal{M}}{\sqrt{\nsum{\cell} k^2} \sqrt{\nsum{\cell} \mathcal{M}^2}} .
\]
A positive key strength $\beta$ can amplify or attenuate the precision of the focus,
\begin{equation}
w^c = \frac{\exp\bigl( \beta \similarity(k, \mathcal{M}) \bigr)}{\nsum{\loc} \exp\bigl( \beta \similarity(k, \mathcal{M}) \bigr)} . \label{eq:content}
\end{equation}

\paragraph{Focusing by location.} Prior to rotation, the content weighting is blended with the weighting $w^- \in [0, 1]^{\loc[N]}$ of the previous step; the gate is a scalar $g \in (0, 1)$:
\begin{equation}
w^g = g w^c + (1 - g) w^- . \label{eq:gate}
\end{equation}
If the gate is zero, then the content is ignored entirely. After interpolation, the head emits a distribution $s \in [0, 1]^{\shift[3]}$ over the shifts $-1$, $0$ and $1$ (in this order), and the weighting is convolved with it. If we index locations from $1$ to $N$, this is
\begin{equation}
\tilde w_{\loc(i)} = \sum_{j=-1}^{1} s_{\shift(j + 2)} \, w^g_{\loc(((i - j - 1) \bmod N) + 1)} , \label{eq:shift}
\end{equation}
where all index arithmetic is computed modulo $N$. The convolution can cause leakage over time, so each head emits one further scalar $\gamma \ge 1$ whose effect is to sharpen the final weighting as follows:
\begin{equation}
w = \frac{\tilde w^\gamma}{\nsum{\loc} \tilde w^\gamma} . \label{eq:sharpen}
\end{equation}

\subsection{The parameters of a head}
All of these come from the state $h \in \R^{\hid[H]}$ of the controller:
\begin{align*}
k &= \tanh(W_k \ndot{\hid} h) & \beta &= \softplus(v_\beta \ndot{\hid} h) & g &= \sigma(v_g \ndot{\hid} h) \\
s &= \nfun{\shift}{softmax} (W_s \ndot{\hid} h) & \gamma &= 1 + \softplus(v_\gamma \ndot{\hid} h) \\
e &= \sigma(W_e \ndot{\hid} h) & a &= \tanh(W_a \ndot{\hid} h)
\end{align*}
Here $W_k, W_e, W_a \in \R^{\hid[H] \times \cell[W]}$ and $W_s \in \R^{\hid[H] \times \shift[3]}$ are matrices, $v_\beta, v_g, v_\gamma \in \R^{\hid[H]}$ vectors, and $\softplus(x) = \log(1 + e^x)$.

\appendix
\section{Dynamic allocation}
The differentiable neural computer replaces \eqref{eq:shift} by links in time. With $R$ read heads, the memory retention is
\begin{equation}
\psi = \prod_{r=1}^{R} \bigl( 1 - f_{\rd(r)} \, \omega_{\rd(r)} \bigr) , \label{eq:retention}
\end{equation}
where $f \in [0, 1]^{\rd[R]}$ are free gates and $\omega \in [0, 1]^{\rd[R] \times \loc[N]}$ the read weightings of the previous step. A location is in use if it has been retained by the free gates and was already in use or has just been written to,
\begin{equation}
u = \bigl( u^- + w^- - u^- \odot w^- \bigr) \odot \psi , \qquad u^- \in [0, 1]^{\loc[N]} .
\end{equation}
The precedence $p \in [0,1]^{\loc[N]}$ says which location was written last. The link matrix $L^- \in [0, 1]^{\loc[N] \times \loc'[N]}$ becomes
\begin{equation}
L_{\loc(i), \loc'(j)} = \begin{cases}
0 & i = j \\
\bigl( 1 - w_{\loc(i)} - w_{\loc(j)} \bigr) L^-_{\loc(i), \loc'(j)} + w_{\loc(i)} \, p_{\loc(j)} & i \neq j
\end{cases} \label{eq:link}
\end{equation}
and head $r$ may go forward, or backward, from where it was:
\begin{align}
\phi &= L \ndot{\loc'} \omega_{\loc \to \loc'} , \\
b &= \bigl[ L \ndot{\loc} \omega \bigr]_{\loc' \to \loc} .
\end{align}
\end{document}
""",
        [
            Fault(
                r"w \ndot{\loc} \mathcal{M} , \label{eq:read}",
                r"w \ndot{\cell} \mathcal{M} , \label{eq:read}",
            ),
            Fault(r"s_{\shift(j + 2)}", r"s_{\loc(j + 2)}"),
            Fault(r"L \ndot{\loc'} \omega_{\loc \to \loc'}", r"L \ndot{\loc'} \omega"),
        ],
        [
            Entry(
                r"\operatorname{read}",
                lambda M, w: w @ M,
                "cell",
                {"M": "loc[4] cell[3]", "w": "loc[4] ~ probability loc"},
            ),
            Entry(
                r"\operatorname{write}",
                lambda M, w, e, a: M * (1 - np.outer(w, e)) + np.outer(w, a),
                "loc cell",
                {
                    "M": "loc[4] cell[3]",
                    "w": "loc[4] ~ probability loc",
                    "e": "cell[3]",
                    "a": "cell[3]",
                },
            ),
            Entry(r"\similarity", cosine, "loc", {"k": "cell[3]", "M": "loc[4] cell[3]"}),
            Entry("w^c", by_content, "loc", CONTENT),
            Entry(r"\tilde w", shifted, "loc", {**CONTENT, **GATED}),
            Entry("w", sharpened, "loc", {**CONTENT, **GATED, "gamma": 2.5}),
            Entry(
                r"\psi",
                lambda f, w: (1 - f[:, None] * w).prod(0),
                "loc",
                {"f": "read[2] ~ positive", "omega": "read[2] loc[4]"},
                chosen={"R": 2},
            ),
            Entry(
                "L",
                linked,
                "loc loc'",
                {"w": "loc[4] ~ probability loc", "L": "loc[4] loc'[4]", "p": "loc[4]"},
            ),
        ],
    ),
    Unseen(
        "test_time.md",
        r"""# Learning to (learn at test time)

## 2.1 Setup and notation

All sequence layers store context in a *hidden state*. Here the hidden state is itself a model, and the update rule is a step of self-supervised learning. Input tokens are $x \in \mathbb{R}^{\text{seq}:T, \text{emb}:d}$; $x_t$ is short for $x_{\text{seq}(t)}$. The outer loop owns three projections

$$
\theta_K, \theta_Q \in \mathbb{R}^{\text{emb}:d, \text{in}:m}, \quad \theta_V \in \mathbb{R}^{\text{emb}:d, \text{out}:m}
$$

which make the *training view* $k_t = \theta_K \underset{\text{emb}}{\cdot} x_t$, the *label view* $v_t = \theta_V \underset{\text{emb}}{\cdot} x_t$ and the *test view* $q_t = \theta_Q \underset{\text{emb}}{\cdot} x_t$.

## 2.2 The inner loop

The inner model is linear, $f(u; W) = W \underset{\text{in}}{\cdot} u$ with $u \in \mathbb{R}^{\text{in}:m}$ and $W \in \mathbb{R}^{\text{out}:m, \text{in}:m}$. Its loss is the reconstruction error

$$
\ell(W; k, v) = \sum_{\text{out}} \bigl( f(k; W) - v \bigr)^2 \tag{4}
$$

for $k \in \mathbb{R}^{\text{in}:m}$ and $v \in \mathbb{R}^{\text{out}:m}$, and thus its gradient

$$
\nabla_W \ell(W; k, v) = 2 \bigl( W \underset{\text{in}}{\cdot} k - v \bigr) \odot k .
$$

Starting from $W_0 \in \mathbb{R}^{\text{out}:m, \text{in}:m}$, which is learned by the outer loop too, each token makes one step of gradient descent and then reads:

$$
\begin{aligned}
W_t &= W_{t-1} - 2 \eta_t \bigl( W_{t-1} \underset{\text{in}}{\cdot} k_t - v_t \bigr) \odot k_t , \\
z_t &= W_t \underset{\text{in}}{\cdot} q_t ,
\end{aligned} \tag{5}
$$

$t = 1, \dots, T$. The learning rate depends on the token, $\eta_t = \eta_{\text{base}} \, \sigma(\theta_{\text{lr}} \underset{\text{emb}}{\cdot} x_t)$, where $\theta_{\text{lr}} \in \mathbb{R}^{\text{emb}:d}$ and $\eta_{\text{base}}$ is a number such as $1$.

## 2.3 Parallelisation with mini-batches

(5) is sequential. Inside of one mini-batch of $b$ tokens all gradients may be taken at $W_0$, and then only their sums matter. In the *dual form* the $W_t$ are never materialised. Collect keys, queries and labels of the batch in

- $K \in \mathbb{R}^{\text{tok}:b, \text{in}:m}$, $Q \in \mathbb{R}^{\text{tok}':b, \text{in}:m}$,
- $V \in \mathbb{R}^{\text{tok}:b, \text{out}:m}$,

and let $\eta$ be constant. The last weights are $W_b = W_0 - \eta \, G$ with

$$
G = 2 \bigl( W_0 \underset{\text{in}}{\cdot} K - V \bigr) \underset{\text{tok}}{\cdot} K
$$

and the outputs, for $\text{mask}_{\text{tok}'(t), \text{tok}(s)} = \mathbb{1}[s \le t]$,

$$
Z = W_0 \underset{\text{in}}{\cdot} Q - 2 \eta \, \Bigl( \text{mask} \odot \bigl( Q \underset{\text{in}}{\cdot} K \bigr) \Bigr) \underset{\text{tok}}{\cdot} \bigl( W_0 \underset{\text{in}}{\cdot} K - V \bigr) .
$$

## 2.4 Two special cases

**Theorem 1.** *With batch gradient descent, $W_0 = 0$ and $\eta = 1/2$, the layer is linear attention.*

*Proof.* At $W_0 = 0$ every gradient is $-2 v_s \odot k_s$. Hence after $t$ steps

$$
A_t = \sum_{s=1}^{t} v_s \odot k_s ,
$$

and the output is $A_t \underset{\text{in}}{\cdot} q_t$. $\blacksquare$

**Theorem 2.** *The Nadaraya-Watson estimator with the kernel $\kappa(k, q) = \exp( k \underset{\text{in}}{\cdot} q )$ is softmax attention.*

*Proof.* By definition,

$$
y_t = \frac{\sum_{s=1}^{t} \kappa(k_s, q_t) \, v_s}{\sum_{s=1}^{t} \kappa(k_s, q_t)} . \qquad \blacksquare
$$

## Appendix B. Momentum and forgetting

Later work adds a momentum $S_t$ of surprise, and weight decay at rate $\alpha \in (0, 1)$. With $S_0 = 0$ and $N_0 = 0$,

$$
\begin{aligned}
S_t &= \mu S_{t-1} - 2 \rho \bigl( N_{t-1} \underset{\text{in}}{\cdot} k_t - v_t \bigr) \odot k_t \\
N_t &= (1 - \alpha) N_{t-1} + S_t
\end{aligned}
$$

where $\mu$ is the decay of the momentum, $\rho$ the step size, and $N_t, S_t \in \mathbb{R}^{\text{out}:m, \text{in}:m}$. What it recalls is $c_t = N_t \underset{\text{in}}{\cdot} q_t$.
""",
        [
            Fault(
                r"\nabla_W \ell(W; k, v) = 2 \bigl( W \underset{\text{in}}{\cdot} k",
                r"\nabla_W \ell(W; k, v) = 2 \bigl( W \underset{\text{out}}{\cdot} k",
            ),
            Fault(
                r"\underset{\text{tok}}{\cdot} \bigl( W_0 \underset{\text{in}}{\cdot} K - V \bigr) .",
                r"\underset{\text{tok}'}{\cdot} \bigl( W_0 \underset{\text{in}}{\cdot} K - V \bigr) .",
            ),
            Fault(
                r"\exp( k \underset{\text{in}}{\cdot} q )",
                r"\exp( k \underset{\text{emb}}{\cdot} q )",
            ),
        ],
        [
            Entry(
                r"\ell",
                lambda W, k, v: ((W @ k - v) ** 2).sum(),
                "",
                {"W": "out[2] in[2]"},
                {"k": "in[2]", "v": "out[2]"},
            ),
            Entry(
                "W",
                lambda x, TK, TV, *rest: learned_in_the_loop(x, TK, TK, TV, *rest)[0],
                "seq out in",
                {
                    "x": "seq[4] emb[3]",
                    "theta_K": "emb[3] in[2]",
                    "theta_V": "emb[3] out[2]",
                    "W_0": "out[2] in[2]",
                    "theta_lr": "emb[3]",
                    "eta_base": 0.3,
                },
            ),
            Entry(
                "z",
                lambda *given: learned_in_the_loop(*given)[1],
                "seq out",
                {**VIEWS, "W_0": "out[2] in[2]", "theta_lr": "emb[3]", "eta_base": 0.3},
            ),
            Entry(
                "G",
                lambda W, K, V: 2 * (K @ W.T - V).T @ K,
                "out in",
                {"W_0": "out[2] in[2]", "K": "tok[4] in[2]", "V": "tok[4] out[2]"},
            ),
            Entry(
                "Z",
                dual_form,
                "tok' out",
                {
                    "W_0": "out[2] in[2]",
                    "K": "tok[4] in[2]",
                    "Q": "tok'[4] in[2]",
                    "V": "tok[4] out[2]",
                    "eta": 0.2,
                },
            ),
            Entry(
                "A",
                lambda x, TK, TV: np.cumsum(np.einsum("to,ti->toi", x @ TV, x @ TK), 0),
                "seq out in",
                {"x": "seq[4] emb[3]", "theta_K": "emb[3] in[2]", "theta_V": "emb[3] out[2]"},
            ),
            Entry("y", kernel_estimate, "seq out", VIEWS),
            Entry("c", surprised, "seq out", {**VIEWS, "mu": 0.7, "rho": 0.1, "alpha": 0.05}),
        ],
    ),
    Unseen(
        "normalised.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb}
\newcommand{\ax}[1]{\mathsf{#1}}
\newcommand{\seq}{\ax{seq}}
\newcommand{\emb}{\ax{emb}}
\newcommand{\head}{\ax{head}}
\newcommand{\key}{\ax{key}}
\newcommand{\mlp}{\ax{mlp}}
\newcommand{\voc}{\ax{vocab}}
\newcommand{\inner}[3]{#2 \underset{#1}{\cdot} #3}
\newcommand{\Norm}[1]{\underset{#1}{\operatorname{Norm}}}
\newcommand{\alphaA}{\alpha_{\ax{A}}}
\newcommand{\alphaM}{\alpha_{\ax{M}}}
\begin{document}
\section{Evolution of the Transformer: from GPT to nGPT}
In this section we outline the baseline and the modifications. Hidden states are $h \in \mathbb{R}^{\seq[n] \times \emb[d]}$.
We define, for any axis, $\Norm{\emb}(x) = x / \lVert x \rVert_{\emb}$ with the Euclidean norm along it, $\lVert x \rVert_{\emb} = \sqrt{\sum_{\emb} x^2}$.

\subsection{Token embeddings and output logits}
Both $E_{\text{in}} \in \mathbb{R}^{\voc[v] \times \emb[d]}$ and $E_{\text{out}} \in \mathbb{R}^{\voc[v] \times \emb[d]}$ are normalised along $\emb$ after each step of training. Hence logits
\begin{equation}
z = \inner{\emb}{h}{\Norm{\emb}(E_{\text{out}})} \label{eq:logits}
\end{equation}
are cosines, bounded in $[-1, 1]$, which limits the confidence of the softmax. We therefore scale them, $\hat z = z \odot s_z$, where $s_z \in \mathbb{R}^{\voc[v]}$ is trainable.

\subsection{Layers as steps on the sphere}
For any points $a$ and $b$ on the surface of a hypersphere, where $a, b \in \mathbb{R}^{\emb[d]}$, spherical interpolation reads
\begin{equation}
\mathrm{SLERP}(a, b; t) = \frac{\sin((1 - t) \theta)}{\sin \theta} a + \frac{\sin(t \theta)}{\sin \theta} b , \label{eq:slerp}
\end{equation}
where $\theta = \arccos(\inner{\emb}{a}{b})$. Our experiments suggest that it can be approximated by simple linear interpolation,
\begin{equation}
\mathrm{LERP}(a, b; t) = (1 - t) a + t b . \label{eq:lerp}
\end{equation}
The two updates of a layer become, with $\Norm{\emb}$ as retraction,
\begin{align}
h' &= \Norm{\emb}\bigl( h + \alphaA \odot ( \Norm{\emb}(\mathrm{ATTN}(h)) - h ) \bigr) , \label{eq:attnstep} \\
h'' &= \Norm{\emb}\bigl( h' + \alphaM \odot ( \Norm{\emb}(\mathrm{MLP}(h')) - h' ) \bigr) , \label{eq:mlpstep}
\end{align}
and $\alphaA, \alphaM \in \mathbb{R}^{\emb[d]}$ are learnable ``eigen learning rates''.

\subsection{Self-attention}
Let $W_q, W_k, W_v \in \mathbb{R}^{\emb[d] \times \head[H] \times \key[d_k]}$ and $W_o \in \mathbb{R}^{\head[H] \times \key[d_k] \times \emb[d]}$. Queries and keys are normalised once more, per head, and given a scale $s_{qk} \in \mathbb{R}^{\head[H] \times \key[d_k]}$,
\begin{align}
q &= \Norm{\key}( \inner{\emb}{W_q}{h_{\seq \to \seq'}} ) \odot s_{qk} , \\
k &= \Norm{\key}( \inner{\emb}{W_k}{h} ) \odot s_{qk} , \\
\mathrm{ATTN}(h) &= \inner{\head, \key}{\Bigl[ \inner{\seq}{\underset{\seq}{\mathrm{softmax}} \bigl( \sqrt{d_k} \, \inner{\key}{q}{k} + C \bigr)}{(\inner{\emb}{W_v}{h})} \Bigr]_{\seq' \to \seq}}{W_o} .
\end{align}
The factor is $\sqrt{d_k}$ instead of $1/\sqrt{d_k}$: the expected variance of a dot product of normalised vectors is $1/d_k$. As usual, $C_{\seq'(i), \seq(j)} = 0$ for $j \le i$ and $C_{\seq'(i), \seq(j)} = -\infty$ for $j > i$; $i, j = 1, \dots, n$.

\subsection{MLP block}
\begin{equation}
\mathrm{MLP}(h) = \inner{\mlp}{(u \odot \mathrm{SiLU}(\nu))}{W_{\text{down}}}, \qquad \mathrm{SiLU}(y) = y \odot \sigma(y),
\end{equation}
where $u = (\inner{\emb}{W_u}{h}) \odot s_u$ and $\nu = \sqrt{d} \, (\inner{\emb}{W_\nu}{h}) \odot s_\nu$. The rescaling by $\sqrt{d}$ is needed to benefit from the non-linearity of SiLU. Shapes: $W_u, W_\nu \in \mathbb{R}^{\emb[d] \times \mlp[4d]}$, $W_{\text{down}} \in \mathbb{R}^{\mlp[4d] \times \emb[d]}$ and $s_u, s_\nu \in \mathbb{R}^{\mlp[4d]}$.

\appendix
\section{Riemannian optimisation}
If $h \in \mathbb{R}^{\emb[d]}$ is a point on the hypersphere and $g \in \mathbb{R}^{\emb[d]}$ the gradient of a loss in the ambient space, the gradient on the sphere is the projection of $g$ to the tangent space,
\begin{equation}
\mathcal{P}(h, g) = g - (\inner{\emb}{h}{g}) \, h ,
\end{equation}
and a step of size $\rho$ with retraction is
\begin{equation}
\mathcal{R}(h, g) = \frac{h - \rho \, \mathcal{P}(h, g)}{\lVert h - \rho \, \mathcal{P}(h, g) \rVert_{\emb}} .
\end{equation}
Compare \eqref{eq:attnstep}: $h - \Norm{\emb}(\mathrm{ATTN}(h))$ plays the role of the gradient.

\section{Attention that may attend to nothing}
With queries and keys of length one, sinks are rarer. We also tried a softmax with a learned sink. For scores $S \in \mathbb{R}^{\head[H] \times \seq'[n] \times \seq[n]}$ and one number $\varsigma \in \mathbb{R}^{\head[H]}$ per head,
\begin{align}
p &= \frac{\exp S}{\exp \varsigma + \sum_{\seq} \exp S} , \\
p_0 &= \frac{\exp \varsigma}{\exp \varsigma + \sum_{\seq} \exp S} .
\end{align}
By construction $p_0 + \sum_{\seq} p = 1$, where $p_0 \in \mathbb{R}^{\head[H] \times \seq'[n]}$ is the mass of the sink.
\end{document}
""",
        [
            Fault(r"z = \inner{\emb}{h}{\Norm", r"z = \inner{\voc}{h}{\Norm"),
            Fault(r"\underset{\seq}{\mathrm{softmax}}", r"\underset{\emb}{\mathrm{softmax}}"),
            Fault(
                r"p_0 \in \mathbb{R}^{\head[H] \times \seq'[n]}",
                r"p_0 \in \mathbb{R}^{\head[H] \times \seq[n]}",
                r"p_0 &= ",
            ),
        ],
        [
            Entry(
                r"\hat z",
                lambda h, E, s: h @ unit(E).T * s,
                "seq vocab",
                {"h": "seq[3] emb[4]", "E_out": "vocab[5] emb[4]", "s_z": "vocab[5]"},
            ),
            Entry(
                r"\mathrm{SLERP}",
                slerp,
                "emb",
                {"a": "emb[4] ~ probability emb", "b": "emb[4] ~ probability emb"},
                {"t": 0.3},
            ),
            Entry(r"\mathrm{ATTN}", unit_attention, "seq emb", {"h": "seq[3] emb[4]", **HEADS}),
            Entry(r"\mathrm{MLP}", unit_mlp, "seq emb", {"h": "seq[3] emb[4]", **GATES}),
            Entry(
                "h''",
                on_the_sphere,
                "seq emb",
                {"h": "seq[3] emb[4]", "alpha_A": "emb[4]", "alpha_M": "emb[4]", **HEADS, **GATES},
            ),
            Entry(r"\mathcal{R}", retracted, "emb", {"h": "emb[4]", "g": "emb[4]", "rho": 0.1}),
            Entry(
                "p",
                lambda S, v: (
                    np.exp(S) / (np.exp(v)[:, None, None] + np.exp(S).sum(2, keepdims=True))
                ),
                "head seq' seq",
                {"S": "head[2] seq'[3] seq[3]", "varsigma": "head[2]"},
            ),
        ],
    ),
    Unseen(
        "long_convolutions.md",
        r"""# Hyena in ten formulas

*What is below is my condensed version of Section 3 and Appendices A and D; the numbering of the paper is kept where possible. -- M.*

Axes: `seq` is time with $L$ steps, `chan` has $D$ channels. Convolutions and gates act on each channel alone. One sequence: $u \in \mathbb{R}^{\text{seq}:L, \text{chan}:D}$.

## Definition 3.1 (order-N Hyena operator)

Let $v, x^1, \ldots, x^N$ be projections of the input and $h^1, \ldots, h^N$ learnable filters, all in $\mathbb{R}^{\text{seq}:L, \text{chan}:D}$. The operator is defined by the recurrence

$$
\begin{aligned}
z^1 &= v \\
z^{n+1} &= x^n \odot (h^n * z^n), \qquad n = 1, \ldots, N \\
y &= z^{N+1}
\end{aligned}
$$

in which $*$ is the causal convolution of two signals over time,

$$
(h * z)_{\text{seq}(t)} = \sum_{s=1}^{t} h_{\text{seq}(t - s + 1)} \odot z_{\text{seq}(s)} .
$$

## The case N = 2

Most experiments use $N = 2$. Written out, with $h^1, h^2 \in \mathbb{R}^{\text{seq}:L, \text{chan}:D}$ and projections $x^1, x^2, v \in \mathbb{R}^{\text{seq}:L, \text{chan}:D}$, there are two Toeplitz matrices

$$
S^1_{\text{seq}'(t), \text{seq}(s)} = \begin{cases} h^1_{\text{seq}(t - s + 1)} & s \le t \\ 0 & s > t \end{cases}
\qquad
S^2_{\text{seq}'(t), \text{seq}(s)} = \begin{cases} h^2_{\text{seq}(t - s + 1)} & s \le t \\ 0 & s > t \end{cases}
$$

and the operator is a chain of diagonal and Toeplitz matrices, read from right to left:

$$
y_2 = x^2 \odot \left[ \sum_{\text{seq}} S^2 \odot \Bigl( x^1 \odot \bigl[ \sum_{\text{seq}} S^1 \odot v \bigr]_{\text{seq}' \to \text{seq}} \Bigr) \right]_{\text{seq}' \to \text{seq}} .
$$

*If $x^1$ is called key and $x^2$ query, this is H3.*

## Projections

As in every recent model there is a dense layer and then a short depthwise convolution (three taps). For each of $N + 1$ signals, numbered along `sig`,

$$
\begin{aligned}
p &= W \underset{\text{chan}'}{\cdot} u_{\text{chan} \to \text{chan}'} \\
\hat{u}_{\text{seq}(t)} &= \sum_{k=1}^{3} c_{\text{tap}(k)} \odot p_{\text{seq}(t - k + 1)}
\end{aligned}
$$

with $W \in \mathbb{R}^{\text{sig}:N+1, \text{chan}':D, \text{chan}:D}$ and $c \in \mathbb{R}^{\text{tap}:3, \text{sig}:N+1, \text{chan}:D}$. What lies before the first step is zero: $p_{\text{seq}(t)} = 0$ for $t \leq 0$.

## Filters

Filters are not stored, they are *functions of time*, so that their length does not count in the number of parameters:

$$
h = \text{Window} \odot (\text{FFN} \circ \text{PositionalEncoding}), \tag{7}
$$

evaluated at $t = 1, \ldots, L$. More precisely: the encoding has $2K+1$ features, the time itself, $K$ cosines, and $K$ sines,

$$
P_{\text{seq}(t), \text{feat}(i)} = \begin{cases}
(t - 1)/L & i = 1 \\
\cos(2 \pi (i - 1)(t - 1) / L) & 2 \leq i \leq K + 1 \\
\sin(2 \pi (i - K - 1)(t - 1) / L) & i > K + 1
\end{cases}
$$

for $i = 1, \dots, 2K + 1$. The network has sine activations with frequency $\omega$,

$$
F = B \underset{\text{hid}}{\cdot} \sin \bigl( \omega ( A \underset{\text{feat}}{\cdot} P + a ) \bigr) + b
$$

where $A \in \mathbb{R}^{\text{feat}:2K+1, \text{hid}}$, $a \in \mathbb{R}^{\text{hid}}$, $B \in \mathbb{R}^{\text{hid}, \text{chan}:D}$ and $b \in \mathbb{R}^{\text{chan}:D}$. The window decays, at a rate that grows from channel to channel from $\lambda_{\min}$ to $\lambda_{\max}$:

$$
\lambda_{\text{chan}(c)} = \lambda_{\min} + \frac{c - 1}{D - 1} (\lambda_{\max} - \lambda_{\min})
$$

$$
h_{\text{seq}(t)} = \left( e^{- \lambda (t - 1) / L} + \beta \right) \odot F_{\text{seq}(t)}
$$

with a bias $\beta$ such as $0.01$.

## How far back does a filter look?

In the appendix the authors measure the *effective length*, the mean lag under the energy of a filter,

$$
\tau = \frac{\sum_{t=1}^{L} (t - 1) \, \lvert h_{\text{seq}(t)} \rvert^2}{\sum_{t=1}^{L} \lvert h_{\text{seq}(t)} \rvert^2} \in \mathbb{R}^{\text{chan}:D} .
$$
""",
        [
            Fault(r"u_{\text{chan} \to \text{chan}'} \\", r"u \\"),
            Fault(r"c_{\text{tap}(k)} \odot p", r"c_{\text{feat}(k)} \odot p"),
            Fault(r"A \underset{\text{feat}}{\cdot} P", r"A \underset{\text{chan}}{\cdot} P"),
        ],
        [
            Entry(
                "y",
                second_order,
                "seq chan",
                {
                    "v": "seq[5] chan[2]",
                    "x1": "seq[5] chan[2]",
                    "x2": "seq[5] chan[2]",
                    "h1": "seq[5] chan[2]",
                    "h2": "seq[5] chan[2]",
                },
                chosen={"N": 2},
            ),
            Entry(
                "y_2",
                second_order,
                "seq chan",
                {
                    "v": "seq[5] chan[2]",
                    "x1": "seq[5] chan[2]",
                    "x2": "seq[5] chan[2]",
                    "h1": "seq[5] chan[2]",
                    "h2": "seq[5] chan[2]",
                },
            ),
            Entry(
                r"\hat{u}",
                projected,
                "seq sig chan",
                {
                    "u": "seq[5] chan[2]",
                    "W": "sig[3] chan'[2] chan[2]",
                    "c": "tap[3] sig[3] chan[2]",
                },
            ),
            Entry("P", lambda: times(5, 2), "seq feat", chosen={"L": 5, "K": 2}),
            Entry("F", lambda *given: implicit(5, *given), "seq chan", IMPLICIT, chosen={"L": 5}),
            Entry(
                "h",
                lambda *given: windowed_filter(5, *given),
                "seq chan",
                {**IMPLICIT, "beta": 0.01, "lambda_min": 0.5, "lambda_max": 3.0},
                chosen={"L": 5},
            ),
            Entry(
                r"\tau",
                lambda *given: effective_length(5, *given),
                "chan",
                {**IMPLICIT, "beta": 0.01, "lambda_min": 0.5, "lambda_max": 3.0},
                chosen={"L": 5},
            ),
        ],
    ),
]
