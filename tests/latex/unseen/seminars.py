"""Eight documents of a reading group: four handouts on recent papers, four notes of statisticians."""

from __future__ import annotations

import math

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def silu(a):
    return a * sigmoid(a)


def causal(n):
    i, j = np.mgrid[:n, :n]
    return np.where(j <= i, 0.0, -np.inf)


def attended(Q, K, V):
    scores = np.einsum("ihk,jhk->hij", Q, K) / np.sqrt(Q.shape[-1]) + causal(len(K))
    return np.einsum("jhv,hij->ihv", V, softmax(scores, -1))


def latent_attention(X, WQ, WD, WUK, WUV, WO):
    C = X @ WD
    Q = np.einsum("hek,ie->ihk", WQ, X)
    K = np.einsum("hlk,jl->jhk", WUK, C)
    V = np.einsum("hlv,jl->jhv", WUV, C)
    return np.einsum("hve,ihv->ie", WO, attended(Q, K, V))


def absorbed(Q, X, WD, WUK):
    return np.einsum("ihk,hlk,jl->hij", Q, WUK, X @ WD)


def router(u, R):
    return softmax(u @ R, -1)


def chosen(u, R, k):
    s = router(u, R)
    rank = (s[..., None, :] > s[..., :, None]).sum(-1)
    return np.where(rank < k, s, 0.0)


def experts(u, R, W1, W2, V1, V2, k):
    routed = np.einsum("xfe,xf->xe", W2, silu(np.einsum("xef,e->xf", W1, u)))
    return u + silu(u @ V1) @ V2 + chosen(u, R, k) @ routed


def balance(U, R, k, alpha):
    N, T = R.shape[1], len(U)
    f = N / (k * T) * (chosen(U, R, k) > 0).sum(0)
    return alpha * (f * router(U, R).mean(0)).sum()


def clipped(rho, A, low):
    return np.minimum(rho * A, np.clip(rho, 1 - low, 1 + low) * A)


def group_advantage(r, delta):
    return (r - r.mean()) / (r.std() + delta)


def third_estimate(l, lref):
    return np.exp(lref - l) - (lref - l) - 1


def grouped(l, lold, lref, m, r, low, beta, delta):
    A = group_advantage(r, delta)[:, None]
    inner = clipped(np.exp(l - lold), A, low) - beta * third_estimate(l, lref)
    return ((m * inner).sum(1) / m.sum(1)).mean()


def done_right(l, lold, m, r, low):
    A = (r - r.mean())[:, None]
    return (m * clipped(np.exp(l - lold), A, low)).sum() / m.size


def left_out(r):
    return (r.sum() - r) / (len(r) - 1)


def generalised(R, V, gamma, lam):
    delta = R + gamma * np.append(V[1:], 0.0) - V
    A = np.zeros(len(R))
    for t in reversed(range(len(R))):
        A[t] = delta[t] + (gamma * lam * A[t + 1] if t + 1 < len(R) else 0.0)
    return A


def time_features(t, F):
    k = np.arange(F)
    return np.cos(np.multiply.outer(t, 1000.0 ** (-k / F)))


def field(x, t, c, W1, b1, U, E, W2, b2):
    hidden = silu(x @ W1.T + time_features(t, U.shape[1]) @ U.T + E[c] + b1)
    return hidden @ W2.T + b2


def matching(x0, x1, t, c, *net):
    xt = (1 - t) * x0 + t * x1
    return ((field(xt, t, c, *net) - (x1 - x0)) ** 2).sum()


def batch_matching(X0, X1, t, c, *net):
    return np.mean([matching(X0[i], X1[i], t[i], c[i], *net) for i in range(len(t))])


def guided(x, t, c, w, *net):
    empty = field(x, t, len(net[3]) - 1, *net)
    return empty + w * (field(x, t, c, *net) - empty)


def euler(z, c, w, N, *net):
    for k in range(N):
        z = z + guided(z, k / N, c, w, *net) / N
    return z


def heun_step(z, t, h, c, w, *net):
    first = guided(z, t, c, w, *net)
    second = guided(z + h * first, t + h, c, w, *net)
    return z + h / 2 * (first + second)


def normalised(X):
    return (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + 1e-6)


def modulated(X, y, Wg, Wb, Wa, M1, M2):
    inner = (1 + y @ Wg.T) * normalised(X) + y @ Wb.T
    return X + (y @ Wa.T) * (silu(inner @ M1.T) @ M2.T)


def tokens(X, WE, c, P):
    return np.concatenate([c[None], X @ WE]) + P


def prototypes(z, W1, W2, C):
    b = np.maximum(z @ W1, 0) @ W2
    b = b / np.linalg.norm(b)
    return (C / np.linalg.norm(C, axis=1, keepdims=True)) @ b


def crossed(S, G, c, ts, tt):
    p = softmax((G - c) / tt, -1)
    return -p @ np.log(softmax(S / ts, -1)).T


def views_loss(S, G, c, ts, tt):
    H = crossed(S, G, c, ts, tt)
    g, v = H.shape
    return sum(H[i, j] for i in range(g) for j in range(v) if i != j) / (g * (v - 1))


def spread_out(Z):
    Z = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    apart = np.linalg.norm(Z[:, None] - Z[None], axis=-1) + np.diag(np.full(len(Z), np.inf))
    return -np.log(apart.min(1)).mean()


def class_map(R, z, WQ, WK):
    return softmax((R @ WK) @ (z @ WQ) / np.sqrt(WQ.shape[1]), -1)


def filtered(Y, m, P, A, C, Q, R):
    rows = []
    for y in Y:
        mbar, Pbar = A @ m, A @ P @ A.T + Q
        S = C @ Pbar @ C.T + R
        K = Pbar @ C.T @ np.linalg.inv(S)
        m, P = mbar + K @ (y - C @ mbar), Pbar - K @ C @ Pbar
        rows.append((mbar, Pbar, m, P, S, y - C @ mbar))
    return [np.stack(part) for part in zip(*rows, strict=True)]


def filter_loglik(*model):
    S, e = filtered(*model)[4:]
    terms = [
        len(r) * np.log(2 * np.pi) + np.log(np.linalg.det(M)) + r @ np.linalg.solve(M, r)
        for M, r in zip(S, e, strict=True)
    ]
    return -0.5 * sum(terms)


def smoothed(Y, m, P, A, C, Q, R):
    mbar, Pbar, m, P, *_ = filtered(Y, m, P, A, C, Q, R)
    means, covs = [m[-1]], [P[-1]]
    for t in reversed(range(len(Y) - 1)):
        G = P[t] @ A.T @ np.linalg.inv(Pbar[t + 1])
        means.append(m[t] + G @ (means[-1] - mbar[t + 1]))
        covs.append(P[t] + G @ (covs[-1] - Pbar[t + 1]) @ G.T)
    return np.stack(means[::-1]), np.stack(covs[::-1])


def new_noise(Y, m, P, A, C, Q, R):
    means, covs = smoothed(Y, m, P, A, C, Q, R)
    r = Y - means @ C.T
    return sum(np.outer(a, a) + C @ P @ C.T for a, P in zip(r, covs, strict=True)) / len(Y)


def gaussians(X, mu, Sigma):
    rows = []
    for m, S in zip(mu, Sigma, strict=True):
        d = X - m
        quad = np.einsum("nd,de,ne->n", d, np.linalg.inv(S), d)
        rows.append(-0.5 * (X.shape[1] * np.log(2 * np.pi) + np.log(np.linalg.det(S)) + quad))
    return np.stack(rows, 1)


def responsibilities(X, w, mu, Sigma):
    return softmax(np.log(w) + gaussians(X, mu, Sigma), -1)


def mixture_loglik(X, w, mu, Sigma):
    return np.log((w * np.exp(gaussians(X, mu, Sigma))).sum(1)).sum()


def new_means(X, *model):
    g = responsibilities(X, *model)
    return g.T @ X / g.sum(0)[:, None]


def new_covariances(X, *model):
    g = responsibilities(X, *model)
    d = X[:, None] - new_means(X, *model)
    return np.einsum("nk,nkd,nke->kde", g, d, d) / g.sum(0)[:, None, None]


def free_parameters(K, d):
    return (K - 1) + K * d + K * d * (d + 1) / 2


def bic(X, w, mu, Sigma):
    n, d = X.shape
    return -2 * mixture_loglik(X, w, mu, Sigma) + free_parameters(len(w), d) * np.log(n)


def icl(X, *model):
    g = responsibilities(X, *model)
    return bic(X, *model) - 2 * (g * np.log(g)).sum()


def evidence(q, X, w, mu, Sigma):
    return (q * (np.log(w) + gaussians(X, mu, Sigma) - np.log(q))).sum()


def ridged(X, lam, *model):
    N = responsibilities(X, *model).sum(0)[:, None, None]
    d = X.shape[1]
    return (N * new_covariances(X, *model) + lam * np.eye(d)) / (N + d + 2)


def spectrogram(x, w, M, F, hop):
    V = np.zeros((F, M))
    for f in range(F):
        for m in range(M):
            wave = np.exp(-2j * np.pi * f * np.arange(len(w)) / len(w))
            V[f, m] = abs((w * x[m * hop : m * hop + len(w)] * wave).sum()) ** 2
    return V


def saito(V, W, H):
    ratio = V / (W @ H)
    return (ratio - np.log(ratio) - 1).sum()


def beta_divergence(V, Z, beta):
    return ((V**beta + (beta - 1) * Z**beta - beta * V * Z ** (beta - 1)) / (beta**2 - beta)).sum()


def multiplied(V, W, H, steps):
    for _ in range(steps):
        Z = W @ H
        H = H * (W.T @ (V / Z**2)) / (W.T @ (1 / Z))
        Z = W @ H
        W = W * ((V / Z**2) @ H.T) / ((1 / Z) @ H.T)
    return W, H


def masks(W, H):
    return np.einsum("fc,ct->fct", W, H) / (W @ H)[:, None]


def decibels(s, e):
    return 10 * np.log10((s**2).sum() / ((s - e) ** 2).sum())


def rates(b, X, o):
    return np.exp(X @ b + o)


def poisson_loglik(b, X, y, o):
    eta = X @ b + o
    return (y * eta - np.exp(eta) - [math.lgamma(v + 1) for v in y]).sum()


def information(b, X, o):
    return X.T @ (rates(b, X, o)[:, None] * X)


def scoring(b, X, y, o, steps):
    for _ in range(steps):
        b = b + np.linalg.solve(information(b, X, o), X.T @ (y - rates(b, X, o)))
    return b


def deviance(b, X, y, o):
    m = rates(b, X, o)
    return 2 * (y * np.log(y / m) - (y - m)).sum()


def dispersion(b, X, y, o):
    m = rates(b, X, o)
    return ((y - m) ** 2 / m).sum() / (len(X) - X.shape[1])


def leverages(b, X, o):
    inverse = np.linalg.inv(information(b, X, o))
    return rates(b, X, o) * np.einsum("np,pq,nq->n", X, inverse, X)


def sandwich(b, X, y, o):
    inverse = np.linalg.inv(information(b, X, o))
    r = (y - rates(b, X, o))[:, None] * X
    return inverse @ (r.T @ r) @ inverse


def clustered_scores(b, X, y, o, Z):
    S = Z.T @ ((y - rates(b, X, o))[:, None] * X)
    return Z.shape[1] / (Z.shape[1] - 1) * S.T @ S


LATENT = {
    "WQ": "head[2] emb[6] key[3]",
    "W__DKV": "emb[6] lat[4]",
    "W__UK": "head[2] lat[4] key[3]",
    "W__UV": "head[2] lat[4] val[5]",
    "WO": "head[2] val[5] emb[6]",
}
VELOCITY = {
    "W_1": "hid[5] dim[4]",
    "b_1": "hid[5]",
    "U": "hid[5] freq[3]",
    "E": "class[3] hid[5]",
    "W_2": "dim[4] hid[5]",
    "b_2": "dim[4]",
}
SCORES = {
    "S": "view[4] proto[6]",
    "G": "glob[2] proto[6]",
    "o": "proto[6]",
    "tau_s": 0.5,
    "tau_t": 0.25,
}
TRACK = {
    "y": "time[4] obs[2]",
    "m_0": "state[3]",
    "P_0": "state[3] state'[3] ~ definite",
    "A": "state[3] old[3]",
    "C": "obs[2] state[3]",
    "Q": "state[3] state'[3] ~ definite",
    "R": "obs[2] obs'[2] ~ definite",
}
COVARIANCES = {name: TRACK[name] for name in ("P_0", "A", "C", "Q", "R")}
CLUSTERS = {
    "x": "obs[6] dim[2]",
    "w": "comp[3] ~ probability comp",
    "mu": "comp[3] dim[2]",
    "Sigma": "comp[3] dim[2] dim'[2] ~ definite",
}
FACTORS = {
    "V": "freq[3] frame[4] ~ positive",
    "W": "freq[3] comp[2] ~ positive",
    "H": "comp[2] frame[4] ~ positive",
}
COUNTS = {
    "beta": "coef[3]",
    "x": "unit[6] coef[3]",
    "y": "unit[6] ~ counts",
    "o": "unit[6]",
}


DOCUMENTS = [
    Unseen(
        "rg_mla.md",
        r"""# Reading group: DeepSeek-V2

*Tuesday, 4 pm, coffee provided. The paper is [arXiv 2405.04434](https://arxiv.org/abs/2405.04434); I cover sections 2.1 and 2.2.*

**TL;DR.** At inference the KV cache hurts more than the arithmetic. *Multi-head latent attention* (MLA) caches one small vector per token from which all keys and values are computed, and the feed-forward layers become many small experts.

I write axes by name, since the paper's $d_h n_h$ juggling confused me twice. There is one sequence, $X \in \mathbb{R}^{\text{seq}, \text{emb}}$; batches are silent.

| axis | what it is | in the paper |
|---|---|---|
| $\text{emb}$ | residual stream | 5120 |
| $\text{lat}$ | what is cached | 512 |
| $\text{head}$ | heads | 128 |
| $\text{key}$, $\text{val}$ | width of a head | 128 |

## Warm-up: causal attention

$$
\begin{aligned}
Q &\in \mathbb{R}^{\text{seq}', \text{head}, \text{key}} \qquad K \in \mathbb{R}^{\text{seq}, \text{head}, \text{key}} \qquad V \in \mathbb{R}^{\text{seq}, \text{head}, \text{val}} \\
\text{att}(Q, K, V) &= V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}} \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{key}|}} + M \right) \\
M_{\text{seq}':i, \text{seq}:j} &= \begin{cases} 0 & j \leq i \\ -\infty & j > i \end{cases}
\end{aligned}
$$

The cache holds $2 \, |\text{head}| \, |\text{key}|$ numbers per token and layer.

## MLA

Go down to the latent axis once, and up again for keys and for values:

$$
\begin{aligned}
\text{MLA}(X; W^Q, W^{DKV}, W^{UK}, W^{UV}, W^O) &= \left[ W^O \underset{\text{head}, \text{val}}{\cdot} \text{att}(Q, K, V) \right]_{\text{seq}' \rightarrow \text{seq}} \\
C &= W^{DKV} \underset{\text{emb}}{\cdot} X \\
Q &= W^Q \underset{\text{emb}}{\cdot} [X]_{\text{seq} \rightarrow \text{seq}'} \\
K &= W^{UK} \underset{\text{lat}}{\cdot} C \\
V &= W^{UV} \underset{\text{lat}}{\cdot} C
\end{aligned}
$$

where the down-projection is $W^{DKV} \in \mathbb{R}^{\text{emb}, \text{lat}}$, the up-projections are $W^{UK} \in \mathbb{R}^{\text{head}, \text{lat}, \text{key}}$ and $W^{UV} \in \mathbb{R}^{\text{head}, \text{lat}, \text{val}}$, and $W^Q \in \mathbb{R}^{\text{head}, \text{emb}, \text{key}}$, $W^O \in \mathbb{R}^{\text{head}, \text{val}, \text{emb}}$ are as usual. Only $C$ is cached: $|\text{lat}|$ numbers.

**The trick I had missed.** Keys need not be computed at all, because the up-projection can be moved to the query side:

$$
Z = \left( Q \underset{\text{key}}{\cdot} W^{UK} \right) \underset{\text{lat}}{\cdot} C .
$$

$Z$ is what stands in the softmax above, before the scaling. *Question for the group: why does this break once $Q$ and $K$ are rotated (RoPE)?*

## Many small experts

For the hidden state $u \in \mathbb{R}^{\text{emb}}$ of one token, $N$ experts get a score from the router $R \in \mathbb{R}^{\text{emb}, \text{expert}:N}$, and the best $k$ are kept. An expert is kept if fewer than $k$ have a higher score:

$$
\begin{aligned}
s(u) &= \underset{\text{expert}}{\text{softmax}} \left( R \underset{\text{emb}}{\cdot} u \right) \\
\text{rank}(u)_{\text{expert}:i} &= \sum_{j=1}^{N} \mathbb{1}\left[ s(u)_{\text{expert}:j} > s(u)_{\text{expert}:i} \right] \\
g(u) &= \begin{cases} s(u) & \text{if } \text{rank}(u) < k \\ 0 & \text{otherwise} \end{cases}
\end{aligned}
$$

Besides the routed experts there is a shared one, which sees every token:

$$
\begin{aligned}
\text{MoE}(u) &= u + \text{shared}(u) + g(u) \underset{\text{expert}}{\cdot} \text{routed}(u) \\
\text{shared}(u) &= V_2 \underset{\text{ff}}{\cdot} \text{silu}\left( V_1 \underset{\text{emb}}{\cdot} u \right) \\
\text{routed}(u) &= W_2 \underset{\text{ff}}{\cdot} \text{silu}\left( W_1 \underset{\text{emb}}{\cdot} u \right)
\end{aligned}
$$

Shapes: $V_1 \in \mathbb{R}^{\text{emb}, \text{ff}}$ and $V_2 \in \mathbb{R}^{\text{ff}, \text{emb}}$; each routed expert has its own copy, $W_1 \in \mathbb{R}^{\text{expert}:N, \text{emb}, \text{ff}}$ and $W_2 \in \mathbb{R}^{\text{expert}:N, \text{ff}, \text{emb}}$. (The gates are *not* renormalised to sum to one. Mixtral does that, DeepSeek does not.)

To keep the router from collapsing, add a loss over a sequence $U \in \mathbb{R}^{\text{seq}:T, \text{emb}}$ of hidden states,

$$
L_{\text{bal}}(U) = \alpha \sum_{\text{expert}} f(U) \odot P(U), \qquad f(U) = \frac{N}{k T} \sum_{\text{seq}} \mathbb{1}[g(U) > 0], \qquad P(U) = \frac{1}{T} \sum_{\text{seq}} s(U) .
$$

Only $P$ carries a gradient. With uniform routing $f = 1$, and the loss is $\alpha$.

## What I did not understand

1. Why does the low-rank *query* compression save activation memory but not cache?
2. Is $\alpha = 0.003$ tuned, or folklore?
""",
        [
            Fault(
                r"K &= W^{UK} \underset{\text{lat}}{\cdot} C",
                r"K &= W^{UK} \underset{\text{emb}}{\cdot} C",
            ),
            Fault(
                r"Q &= W^Q \underset{\text{emb}}{\cdot} [X]_{\text{seq} \rightarrow \text{seq}'}",
                r"Q &= W^Q \underset{\text{emb}}{\cdot} X",
                r"&= \left[ W^O \underset{\text{head}, \text{val}}{\cdot} \text{att}(Q, K, V) \right]",
            ),
            Fault(
                r"g(u) \underset{\text{expert}}{\cdot} \text{routed}(u)",
                r"g(u) \underset{\text{ff}}{\cdot} \text{routed}(u)",
            ),
        ],
        [
            Entry(
                "att",
                attended,
                "seq' head val",
                {
                    "Q": "seq'[4] head[2] key[3]",
                    "K": "seq[4] head[2] key[3]",
                    "V": "seq[4] head[2] val[5]",
                },
            ),
            Entry("MLA", latent_attention, "seq emb", {"X": "seq[4] emb[6]"}, LATENT),
            Entry(
                "Z",
                absorbed,
                "head seq' seq",
                {"Q": "seq'[4] head[2] key[3]", "X": "seq[4] emb[6]"},
                {name: LATENT[name] for name in ("W__DKV", "W__UK")},
            ),
            Entry("s", router, "expert", {"u": "emb[6]"}, {"R": "emb[6] expert[4]"}),
            Entry("g", chosen, "expert", {"u": "emb[6]"}, {"R": "emb[6] expert[4]", "k": 2}),
            Entry(
                "MoE",
                experts,
                "emb",
                {"u": "emb[6]"},
                {
                    "R": "emb[6] expert[4]",
                    "W_1": "expert[4] emb[6] ff[3]",
                    "W_2": "expert[4] ff[3] emb[6]",
                    "V_1": "emb[6] ff[3]",
                    "V_2": "ff[3] emb[6]",
                    "k": 2,
                },
            ),
            Entry(
                r"L_{\text{bal}}",
                balance,
                "",
                {"U": "seq[5] emb[6]"},
                {"R": "emb[6] expert[4]", "k": 2, "alpha": 0.003},
            ),
        ],
    ),
    Unseen(
        "rg_grpo.md",
        r"""# GRPO in three steps from PPO

Paper: *DeepSeekMath* (Shao et al. 2024), section 4, plus the follow-up *Understanding R1-Zero-like training* (Liu et al. 2025). About ten minutes, questions welcome in between.

## Setting

For one question we sample $G$ answers and pad them to $T$ tokens. So there are two axes, $\text{ans}$ and $\text{tok}$, and we have

- $\ell, \ell^{\text{old}}, \ell^{\text{ref}} \in \mathbb{R}^{\text{ans}:G, \text{tok}:T}$, the log-probabilities of the sampled tokens under the policy we train, the policy that sampled them, and the reference policy;
- $m \in \{0, 1\}^{\text{ans}:G, \text{tok}:T}$, which is 1 at real tokens and 0 at padding;
- $r \in \mathbb{R}^{\text{ans}:G}$, one reward per answer (1 if the final number is right).

## Step 1: the clipped ratio

Everybody has seen this one. With $\rho = \exp(\ell - \ell^{\text{old}})$ and an advantage $A$,

$$
L^{\text{clip}}(\rho, A) = \min\left( \rho A, \; \text{clip}(\rho, 1 - \varepsilon, 1 + \varepsilon) \, A \right) .
$$

## Step 2: no critic

PPO would learn values $V \in \mathbb{R}^{\text{tok}:T}$ and, from token rewards $R \in \mathbb{R}^{\text{tok}:T}$, compute generalised advantages backwards in time,

$$
\begin{aligned}
\delta_{\text{tok}:t} &= \begin{cases} R_{\text{tok}:t} + \gamma V_{\text{tok}:t+1} - V_{\text{tok}:t} & t < T \\ R_{\text{tok}:t} - V_{\text{tok}:t} & t = T \end{cases} \\
\hat{A}_{\text{tok}:t} &= \begin{cases} \delta_{\text{tok}:t} + \gamma \lambda \hat{A}_{\text{tok}:t+1} & t < T \\ \delta_{\text{tok}:t} & t = T \end{cases}
\end{aligned}
$$

which needs a second network as large as the first. GRPO compares the answers of a group with each other instead:

$$
A = \frac{r - \underset{\text{ans}}{\text{mean}}(r)}{\underset{\text{ans}}{\text{std}}(r) + \delta_0}
$$

All tokens of an answer get the same advantage ($A$ has no axis $\text{tok}$). The small $\delta_0 > 0$ is there for groups in which all answers are right.

> **Aside.** The idea is older. RLOO (Kool et al. 2019) takes the mean over the *other* answers as the baseline,
>
> $$ b_{\text{ans}:i} = \frac{1}{G - 1} \sum_{j \neq i} r_{\text{ans}:j} . $$
>
> One can check that $r - b = \frac{G}{G-1} (r - \underset{\text{ans}}{\text{mean}}(r))$, so up to a factor it is the numerator above.

## Step 3: the KL term moves into the loss

Instead of mixing a penalty into the reward, GRPO subtracts Schulman's "k3" estimate, which is never negative:

$$
D = \exp\left( \ell^{\text{ref}} - \ell \right) - \left( \ell^{\text{ref}} - \ell \right) - 1
$$

## Putting it together

$$
J(\ell) = \frac{1}{G} \sum_{\text{ans}} \frac{\sum_{\text{tok}} m \odot \left( L^{\text{clip}}(\rho, A) - \beta D \right)}{\sum_{\text{tok}} m}
$$

to be *maximised*. Typical numbers: $G = 64$, $\varepsilon = 0.2$, $\beta = 0.04$.

## What Dr. GRPO changes

Liu et al. point at two biases. The division by the length of each answer makes long wrong answers cheap, and the standard deviation gives easy questions a large weight. They drop both, and the KL term as well:

$$
J^{\text{Dr}}(\ell) = \frac{1}{G \, T} \sum_{\text{ans}, \text{tok}} m \odot L^{\text{clip}}\left( \rho, \; r - \underset{\text{ans}}{\text{mean}}(r) \right) .
$$

| | PPO | GRPO | Dr. GRPO |
|---|:-:|:-:|:-:|
| critic | yes | no | no |
| $\div$ length | no | yes | no |
| $\div$ std | no | yes | no |

## Discussion

* How often is a token clipped? Define the fraction
  $$ q(\ell) = \frac{\sum_{\text{ans}, \text{tok}} m \odot \mathbb{1}\left[ |\rho - 1| > \varepsilon \right]}{\sum_{\text{ans}, \text{tok}} m} . $$
  In my runs it stays below one percent.
* If all $r$ are equal, $A = 0$, and the group teaches nothing. DAPO resamples such questions.
""",
        [
            Fault(
                r"m \in \{0, 1\}^{\text{ans}:G, \text{tok}:T}",
                r"m \in \{0, 1\}^{\text{ans}:G}",
                r"J(\ell) = \frac{1}{G} \sum_{\text{ans}} \frac{\sum_{\text{tok}}",
            ),
            Fault(
                r"A = \frac{r - \underset{\text{ans}}{\text{mean}}(r)}{",
                r"A = \frac{r - \underset{\text{tok}}{\text{mean}}(r)}{",
            ),
            Fault(
                r"\sum_{j \neq i} r_{\text{ans}:j} .",
                r"\sum_{j \neq i} r_{\text{tok}:j} .",
            ),
        ],
        [
            Entry(
                r"\rho",
                lambda l, o: np.exp(l - o),
                "ans tok",
                {"ell": "ans[3] tok[4]", "ell__old": "ans[3] tok[4]"},
            ),
            Entry(
                r"L^{\text{clip}}",
                lambda rho, A: clipped(rho, A, 0.2),
                "ans tok",
                {"rho": "ans[3] tok[4] ~ positive", "A": "ans[3] tok[4]"},
                chosen={"varepsilon": 0.2},
            ),
            Entry(
                r"\hat{A}",
                generalised,
                "tok",
                {"R": "tok[5]", "V": "tok[5]", "gamma": 0.9, "lambda_": 0.8},
            ),
            Entry("A", group_advantage, "ans", {"r": "ans[4]", "delta_0": 0.01}),
            Entry("b", left_out, "ans", {"r": "ans[4]"}),
            Entry(
                "J",
                lambda l, lold, lref, m, r, *rest: grouped(l, lold, lref, m, r, 0.2, *rest),
                "",
                {
                    "ell": "ans[3] tok[4]",
                    "ell__old": "ans[3] tok[4]",
                    "ell__ref": "ans[3] tok[4]",
                    "m": "ans[3] tok[4] ~ ones",
                    "r": "ans[3]",
                    "beta": 0.04,
                    "delta_0": 0.01,
                },
                chosen={"varepsilon": 0.2},
            ),
            Entry(
                r"J^{\text{Dr}}",
                lambda *given: done_right(*given, 0.2),
                "",
                {
                    "ell": "ans[3] tok[4]",
                    "ell__old": "ans[3] tok[4]",
                    "m": "ans[3] tok[4] ~ bits",
                    "r": "ans[3]",
                },
                chosen={"varepsilon": 0.2},
            ),
            Entry(
                "q",
                lambda l, o, m: (m * (abs(np.exp(l - o) - 1) > 0.5)).sum() / m.sum(),
                "",
                {
                    "ell": "ans[3] tok[4]",
                    "ell__old": "ans[3] tok[4]",
                    "m": "ans[3] tok[4] ~ ones",
                },
                chosen={"varepsilon": 0.5},
            ),
        ],
    ),
    Unseen(
        "rg_flow.md",
        r"""---
title: "Flow matching, from the loss to the sampler"
author: reading group, week 7
---

# Flow matching, from the loss to the sampler

We read Lipman et al. (2023) and Liu et al. (2023); the network is a toy version of DiT (Peebles & Xie 2023). Everything fits on two pages once you forget about score functions.

## Path and target

Take a data point $x_1 \in \mathbb{R}^{\text{dim}}$, noise $x_0 \in \mathbb{R}^{\text{dim}}$ (standard normal), and a time $t \in [0, 1]$. The path is the straight line

$$
x_t = (1 - t) \, x_0 + t \, x_1
$$

and its velocity is $x_1 - x_0$, whatever $t$ is.

## A conditional velocity field

A network $v(x, t, c)$ gets the point, the time and a class label $c \in \{1, \ldots, C\}$. Time enters through $F$ cosines,

$$
\tau(t)_{\text{freq}:k} = \cos\left( 1000^{-(k-1)/F} \, t \right), \qquad k = 1, \ldots, F,
$$

and the label through a row of an embedding $E \in \mathbb{R}^{\text{class}:C, \text{hid}}$:

$$
\begin{aligned}
v(x, t, c) &= W_2 \underset{\text{hid}}{\cdot} h + b_2 \\
h &= \text{silu}\left( W_1 \underset{\text{dim}}{\cdot} x + U \underset{\text{freq}}{\cdot} \tau(t) + E_{\text{class}:c} + b_1 \right)
\end{aligned}
$$

with $W_1 \in \mathbb{R}^{\text{hid}, \text{dim}}$, $U \in \mathbb{R}^{\text{hid}, \text{freq}:F}$, $b_1 \in \mathbb{R}^{\text{hid}}$, $W_2 \in \mathbb{R}^{\text{dim}, \text{hid}}$ and $b_2 \in \mathbb{R}^{\text{dim}}$.

The loss for one pair is a regression,

$$
\ell(x_0, x_1, t, c) = \sum_{\text{dim}} \left( v(x_t, t, c) - (x_1 - x_0) \right)^2 .
$$

**Why does this work?** The minimiser is $\mathbb{E}[x_1 - x_0 \mid x_t]$, and the ODE $\dot{x} = v(x, t)$ with this field moves the noise distribution to the data distribution. (Proof: continuity equation, Theorem 1 of Lipman et al.)

## Classifier-free guidance

One of the classes, the last one, stands for "no label": during training labels are replaced by $C$ with probability 0.1. At test time we extrapolate,

$$
\tilde{v}(x, t, c) = v(x, t, C) + \omega \left( v(x, t, c) - v(x, t, C) \right)
$$

where $\omega = 1$ is no guidance and $\omega \approx 4$ gives pretty pictures.

## Sampling

With $N$ Euler steps, starting at noise $z^0 \in \mathbb{R}^{\text{dim}}$:

$$
z^{n+1} = z^n + \frac{1}{N} \, \tilde{v}\left( z^n, \tfrac{n}{N}, c \right), \qquad n = 0, \ldots, N - 1 .
$$

Heun's method costs two evaluations per step of length $\eta$,

$$
\begin{aligned}
\text{heun}(z, t, \eta) &= z + \frac{\eta}{2} (d_1 + d_2) \\
d_1 &= \tilde{v}(z, t, c) \\
d_2 &= \tilde{v}(z + \eta d_1, t + \eta, c)
\end{aligned}
$$

but needs far fewer of them. Dividing $\|\text{heun}(z, t, \eta) - z\|$ by $\eta$ shows how straight the path is.

## Appendix: what DiT really does with the condition

Instead of adding the condition $y \in \mathbb{R}^{\text{cond}}$ to the hidden units, a block lets it *modulate* the normalised tokens (adaLN-Zero). With tokens $X \in \mathbb{R}^{\text{tok}, \text{emb}}$,

$$
\begin{aligned}
\text{block}(X, y) &= X + \alpha \odot \text{MLP}\left( (1 + \gamma) \odot \text{norm}(X) + \beta \right) \\
\gamma &= W^\gamma \underset{\text{cond}}{\cdot} y, \qquad \beta = W^\beta \underset{\text{cond}}{\cdot} y, \qquad \alpha = W^\alpha \underset{\text{cond}}{\cdot} y \\
\text{norm}(X) &= \frac{X - \underset{\text{emb}}{\text{mean}}(X)}{\sqrt{\underset{\text{emb}}{\text{var}}(X) + 10^{-6}}} \\
\text{MLP}(X) &= M_2 \underset{\text{mlp}}{\cdot} \text{silu}\left( M_1 \underset{\text{emb}}{\cdot} X \right)
\end{aligned}
$$

Here $W^\gamma, W^\beta, W^\alpha \in \mathbb{R}^{\text{emb}, \text{cond}}$, and the MLP has $M_1 \in \mathbb{R}^{\text{mlp}, \text{emb}}$ and $M_2 \in \mathbb{R}^{\text{emb}, \text{mlp}}$. "Zero" means that $W^\alpha$ is zero at first, so each block starts as the identity.
""",
        [
            Fault(
                r"v(x, t, c) &= W_2 \underset{\text{hid}}{\cdot} h + b_2",
                r"v(x, t, c) &= W_2 \underset{\text{dim}}{\cdot} h + b_2",
                r"\ell(x_0, x_1, t, c) = \sum_{\text{dim}}",
            ),
            Fault(
                r"U \in \mathbb{R}^{\text{hid}, \text{freq}:F}",
                r"U \in \mathbb{R}^{\text{freq}:F, \text{dim}}",
                r"h &= \text{silu}\left( W_1 \underset{\text{dim}}{\cdot} x + U \underset{\text{freq}}{\cdot} \tau(t)",
            ),
            Fault(
                r"\gamma &= W^\gamma \underset{\text{cond}}{\cdot} y, \qquad",
                r"\gamma &= W^\gamma \underset{\text{emb}}{\cdot} y, \qquad",
            ),
        ],
        [
            Entry(r"\tau", lambda t: time_features(t, 3), "freq", {"t": 0.4}, chosen={"F": 3}),
            Entry(
                "v",
                lambda x, t, c, *net: field(x, t, c, *net),
                "dim",
                {"x": "dim[4]", "t": 0.4, "c": 1},
                VELOCITY,
            ),
            Entry(
                r"\ell",
                lambda x0, x1, t, c, *net: matching(x0, x1, t, c, *net),
                "",
                {"x_0": "dim[4]", "x_1": "dim[4]", "t": 0.4, "c": 1},
                VELOCITY,
            ),
            Entry(
                r"\tilde{v}",
                lambda x, t, c, w, *net: guided(x, t, c, w, *net),
                "dim",
                {"x": "dim[4]", "t": 0.4, "c": 1, "omega": 4.0},
                VELOCITY,
            ),
            Entry(
                "z^N",
                lambda z, c, w, *net: euler(z, c, w, 3, *net),
                "dim",
                {"z0": "dim[4]", "c": 1, "omega": 4.0},
                VELOCITY,
                chosen={"N": 3},
            ),
            Entry(
                "heun",
                lambda z, t, h, c, w, *net: heun_step(z, t, h, c, w, *net),
                "dim",
                {"z": "dim[4]", "t": 0.4, "eta": 0.1, "c": 1, "omega": 4.0},
                VELOCITY,
            ),
            Entry("norm", normalised, "tok emb", {"X": "tok[3] emb[4]"}),
            Entry(
                "block",
                modulated,
                "tok emb",
                {"X": "tok[3] emb[4]", "y": "cond[2]"},
                {
                    "W__gamma": "emb[4] cond[2]",
                    "W__beta": "emb[4] cond[2]",
                    "W__alpha": "emb[4] cond[2]",
                    "M_1": "mlp[5] emb[4]",
                    "M_2": "emb[4] mlp[5]",
                },
            ),
        ],
    ),
    Unseen(
        "rg_dino.md",
        r"""# DINO and DINOv2 (reading group, spring)

Caron et al. 2021, Oquab et al. 2023. *No labels, no negatives, no collapse: why?*

## 1. Tokens

An image is cut into $n$ patches of $p$ pixels, $X \in \mathbb{R}^{\text{patch}:n, \text{pix}:p}$. A linear map embeds them, and a learned class token $c \in \mathbb{R}^{\text{emb}:d}$ is put in front; positions $P \in \mathbb{R}^{\text{tok}:n+1, \text{emb}:d}$ are added.

$$
\begin{aligned}
W^E &\in \mathbb{R}^{\text{pix}:p, \text{emb}:d} \\
Y &= W^E \underset{\text{pix}}{\cdot} X \\
T_{\text{tok}:i} &= P_{\text{tok}:i} + \begin{cases} c & \text{if } i = 1 \\ Y_{\text{patch}:i-1} & \text{if } i > 1 \end{cases}
\end{aligned}
$$

A ViT follows, which I do not repeat. Let $z \in \mathbb{R}^{\text{emb}:d}$ be the class token after its last layer.

## 2. The head

A small MLP, then a projection on the unit sphere, then the cosine with $K$ prototypes $C \in \mathbb{R}^{\text{proto}:K, \text{bot}}$ (the paper: $K = 65536$ and $|\text{bot}| = 256$):

$$
\begin{aligned}
g(z; W^1, W^2, C) &= \frac{C}{\sqrt{\sum_{\text{bot}} C^2}} \underset{\text{bot}}{\cdot} \frac{b}{\sqrt{\sum_{\text{bot}} b^2}} \\
b &= W^2 \underset{\text{hid}}{\cdot} \text{ReLU}\left( W^1 \underset{\text{emb}}{\cdot} z \right) \\
W^1 &\in \mathbb{R}^{\text{emb}:d, \text{hid}} \qquad W^2 \in \mathbb{R}^{\text{hid}, \text{bot}}
\end{aligned}
$$

## 3. The loss

We take two global crops and some local ones. The student sees all $V$ views, its scores are $S \in \mathbb{R}^{\text{view}:V, \text{proto}:K}$; the teacher sees the two global ones, $G \in \mathbb{R}^{\text{glob}:2, \text{proto}:K}$. The first two views of the student are these global crops, in the same order. Teacher scores are *centred* by $o \in \mathbb{R}^{\text{proto}:K}$ and *sharpened* by a temperature $\tau_t$ lower than the student's $\tau_s$:

$$
\begin{aligned}
p &= \underset{\text{proto}}{\text{softmax}} \left( \frac{G - o}{\tau_t} \right) \\
q &= \underset{\text{proto}}{\text{softmax}} \left( \frac{S}{\tau_s} \right) \\
H &= - \sum_{\text{proto}} p \odot \log q
\end{aligned}
$$

$H$ has the axes $\text{glob}$ and $\text{view}$. A view is not compared with itself, so

$$
L_{\text{DINO}} = \frac{1}{2 (V - 1)} \sum_{i=1}^{2} \sum_{\substack{j=1 \\ j \neq i}}^{V} H_{\text{glob}:i, \text{view}:j} .
$$

## 4. Why no collapse?

There are two ways to collapse: all images get the *same* prototype, or all get the *uniform* distribution. Centring prevents the first, sharpening the second. The centre is a running mean over the batch: if $B \in \mathbb{R}^{\text{batch}:b, \text{glob}:2, \text{proto}:K}$ are the teacher's scores for a batch,

$$
o' = \mu \, o + (1 - \mu) \, \frac{1}{2 |\text{batch}|} \sum_{\text{batch}, \text{glob}} B .
$$

The teacher's weights are an exponential average of the student's, $\theta_t \leftarrow \lambda \theta_t + (1 - \lambda) \theta_s$, with $\lambda$ going from 0.996 to 1 on a cosine.

To see collapse in a plot, split the cross-entropy: $h(p) = - \sum_{\text{proto}} p \log p$ is the entropy, and the divergence is

$$
\text{KL}(p, q) = \sum_{\text{proto}} p \odot \left( \log p - \log q \right) .
$$

If the divergence is 0, everything has collapsed.

## 5. DINOv2 adds KoLeo

For class tokens $Z \in \mathbb{R}^{\text{img}:m, \text{emb}:d}$ of $m$ images, let $\hat{Z} = Z / \sqrt{\sum_{\text{emb}} Z^2}$. Each is pushed away from its nearest neighbour:

$$
\begin{aligned}
L_{\text{KoLeo}}(Z) &= - \frac{1}{m} \sum_{i=1}^{m} \log \Delta_{\text{img}:i} \\
\Delta_{\text{img}:i} &= \min_{j \neq i} \sqrt{\sum_{\text{emb}} \left( \hat{Z}_{\text{img}:i} - \hat{Z}_{\text{img}:j} \right)^2}
\end{aligned}
$$

This is (minus) the Kozachenko–Leonenko estimate of differential entropy, hence the name.

## 6. The pretty picture

Figure 1 of the paper shows, for one head, how much the class token attends to each patch:

$$
a = \underset{\text{patch}}{\text{softmax}} \left( \frac{(W^K \underset{\text{emb}}{\cdot} R) \underset{\text{key}}{\cdot} (W^Q \underset{\text{emb}}{\cdot} z)}{\sqrt{|\text{key}|}} \right)
$$

with patch tokens $R \in \mathbb{R}^{\text{patch}:n, \text{emb}:d}$ of the last layer and $W^Q, W^K \in \mathbb{R}^{\text{emb}:d, \text{key}}$. Reshaped to the grid of patches, that is a segmentation for free.
""",
        [
            Fault(
                r"H &= - \sum_{\text{proto}} p \odot \log q",
                r"H &= - \sum_{\text{hid}} p \odot \log q",
            ),
            Fault(
                r"H_{\text{glob}:i, \text{view}:j} .",
                r"H_{\text{glob}:i, \text{glob}:j} .",
            ),
            Fault(
                r"W^Q, W^K \in \mathbb{R}^{\text{emb}:d, \text{key}}",
                r"W^Q, W^K \in \mathbb{R}^{\text{pix}:p, \text{key}}",
                r"(W^K \underset{\text{emb}}{\cdot} R) \underset{\text{key}}{\cdot}",
            ),
        ],
        [
            Entry(
                "T",
                tokens,
                "tok emb",
                {
                    "X": "patch[3] pix[5]",
                    "WE": "pix[5] emb[4]",
                    "c": "emb[4]",
                    "P": "tok[4] emb[4]",
                },
            ),
            Entry(
                "g",
                prototypes,
                "proto",
                {"z": "emb[4]"},
                {"W1": "emb[4] hid[5]", "W2": "hid[5] bot[3]", "C": "proto[6] bot[3]"},
            ),
            Entry("H", crossed, "glob view", SCORES),
            Entry(r"L_{\text{DINO}}", views_loss, "", SCORES),
            Entry(
                "o'",
                lambda o, B, mu: mu * o + (1 - mu) * B.mean((0, 1)),
                "proto",
                {"o": "proto[6]", "B": "batch[3] glob[2] proto[6]", "mu": 0.9},
            ),
            Entry(
                r"\text{KL}",
                lambda p, q: (p * np.log(p / q)).sum(),
                "",
                {"p": "proto[6] ~ probability proto", "q": "proto[6] ~ probability proto"},
            ),
            Entry(r"L_{\text{KoLeo}}", spread_out, "", {"Z": "img[5] emb[4]"}),
            Entry(
                "a",
                class_map,
                "patch",
                {
                    "R": "patch[3] emb[4]",
                    "z": "emb[4]",
                    "WQ": "emb[4] key[2]",
                    "WK": "emb[4] key[2]",
                },
            ),
        ],
    ),
    Unseen(
        "kalman_note.tex",
        r"""\documentclass[10pt]{article}
\usepackage{amsmath,amsthm,amssymb}
\usepackage{namedtensor}

\ndef{\tm}{time}
\ndef{\st}{state}
\ndef{\old}{old}
\ndef{\ob}{obs}

\newcommand{\R}{\mathbb{R}}
\newcommand{\Normal}{\mathcal{N}}
\newcommand{\half}{\tfrac12}
\DeclareMathOperator{\E}{\mathbb{E}}
\newcommand{\pred}[1]{\bar{#1}}      % given the past
\newcommand{\smooth}[1]{\hat{#1}}    % given everything

\newtheorem{proposition}{Proposition}
\theoremstyle{remark}
\newtheorem*{remark}{Remark}

\title{A note on the Kalman filter and smoother}
\author{}
\date{}

\begin{document}
\maketitle

\begin{abstract}
We collect the recursions of the linear Gaussian state space model in named tensor notation. The advantage is that no transpose is needed: a covariance has two axes, $\st$ and $\st'$, and an index of the previous time step is called $\old$.
\end{abstract}

\section{Model}

A hidden state with $d$ components moves according to
\[
z_t = A \ndot{\old} (z_{t-1})_{\st \to \old} + w_t, \qquad w_t \sim \Normal(0, Q),
\]
and is observed through $v_t \sim \Normal(0, R)$ as
\[
y_t = C \ndot{\st} z_t + v_t .
\]
Here the transition is $A \in \R^{\st[d] \times \old[d]}$, the observation matrix is $C \in \R^{\ob[p] \times \st[d]}$, and the covariances are $Q \in \R^{\st[d] \times \st'[d]}$ and $R \in \R^{\ob[p] \times \ob'[p]}$, both symmetric. The data are $y \in \R^{\tm[T] \times \ob[p]}$. Before the first observation the state is normal with mean $m_0 \in \R^{\st[d]}$ and covariance $P_0 \in \R^{\st[d] \times \st'[d]}$.

\section{Filter}

Let $\pred{m}_t, \pred{P}_t$ be the mean and the covariance of $z_t$ given $y_1, \ldots, y_{t-1}$, and $m_t, P_t$ those given $y_t$ as well.

\begin{proposition}[Kalman, 1960]\label{prop:filter}
For $t = 1, \ldots, T$ the prediction step is
\begin{align}
\pred{m}_t &= A \ndot{\old} (m_{t-1})_{\st \to \old} \\
\pred{P}_t &= A \ndot{\old} (P_{t-1})_{\st \to \old, \st' \to \old'} \ndot{\old'} A_{\st \to \st', \old \to \old'} + Q \label{eq:predict}
\intertext{and the update, with the innovation $e_t$ and its covariance $S_t$,}
e_t &= y_{\tm(t)} - C \ndot{\st} \pred{m}_t \\
S_t &= C \ndot{\st} \pred{P}_t \ndot{\st'} C_{\st \to \st', \ob \to \ob'} + R \\
K_t &= \pred{P}_t \ndot{\st'} C_{\st \to \st', \ob \to \ob'} \ndot{\ob'} \nfun{\ob, \ob'}{inv} S_t \\
m_t &= \pred{m}_t + K_t \ndot{\ob} e_t \\
P_t &= \pred{P}_t - K_t \ndot{\ob} \left( C \ndot{\st} \pred{P}_t \right) .
\end{align}
\end{proposition}

\begin{proof}
Condition the joint normal distribution of $z_t$ and $y_t$ given the past on $y_t$.
\end{proof}

\begin{remark}
None of the covariances depends on the data. If $A$, $C$, $Q$ and $R$ are constant, as here, $K_t$ converges to the solution of a Riccati equation, and one may use it from the start.
\end{remark}

The innovations are independent, so the likelihood comes for free:
\begin{equation}\label{eq:loglik}
\ell = - \half \sum_{t=1}^{T} \left( p \log 2\pi + \log \left( \nfun{\ob, \ob'}{det} S_t \right) + e_t \ndot{\ob} \left( \nfun{\ob, \ob'}{inv} S_t \right) \ndot{\ob'} (e_t)_{\ob \to \ob'} \right) .
\end{equation}

\section{Smoother}

Write $\smooth{m}_t, \smooth{P}_t$ for the moments given all of $y$. The smoother of Rauch, Tung and Striebel starts with $\smooth{m}_T = m_T$ and $\smooth{P}_T = P_T$ and runs backwards, for $t = T-1, \ldots, 1$:
\begin{align*}
G_t &= (P_t)_{\st' \to \old} \ndot{\old} A_{\st \to \st'} \ndot{\st'} \left( \nfun{\st, \st'}{inv} \pred{P}_{t+1} \right)_{\st \to \old} \\
\smooth{m}_t &= m_t + G_t \ndot{\old} \left( \smooth{m}_{t+1} - \pred{m}_{t+1} \right)_{\st \to \old} \\
\smooth{P}_t &= P_t + G_t \ndot{\old} \left( \smooth{P}_{t+1} - \pred{P}_{t+1} \right)_{\st \to \old, \st' \to \old'} \ndot{\old'} (G_t)_{\st \to \st', \old \to \old'}
\end{align*}
The gain $G_t \in \R^{\st[d] \times \old[d]}$ says how much of a correction of tomorrow's state is passed on to today's. (The inverse is symmetric; we have renamed its first axis.)

\section{Learning the observation noise}

For EM one needs, among other things, the expected residuals. Maximising $\E \log p(y, z)$ over $R$ gives
\begin{equation}
\smooth{R} = \frac{1}{T} \sum_{t=1}^{T} \left( r_t \odot (r_t)_{\ob \to \ob'} + C \ndot{\st} \smooth{P}_t \ndot{\st'} C_{\st \to \st', \ob \to \ob'} \right), \qquad r_t = y_{\tm(t)} - C \ndot{\st} \smooth{m}_t ,
\end{equation}
and similar formulas for $A$, $C$ and $Q$, see \cite{shumway}. If $R$ is known to be diagonal, keep only its diagonal.

\begin{thebibliography}{9}
\bibitem{shumway} R.~H. Shumway and D.~S. Stoffer. An approach to time series smoothing and forecasting using the EM algorithm. \emph{J.\ Time Series Analysis}, 3:253--264, 1982.
\end{thebibliography}
\end{document}
""",
        [
            Fault(
                r"\pred{m}_t &= A \ndot{\old} (m_{t-1})_{\st \to \old} \\",
                r"\pred{m}_t &= A \ndot{\old} m_{t-1} \\",
            ),
            Fault(
                r"m_t &= \pred{m}_t + K_t \ndot{\ob} e_t \\",
                r"m_t &= \pred{m}_t + K_t \ndot{\st} e_t \\",
            ),
            Fault(
                r"\ndot{\ob'} (e_t)_{\ob \to \ob'} \right) .",
                r"\ndot{\ob'} e_t \right) .",
            ),
        ],
        [
            Entry(r"\bar{m}", lambda *all: filtered(*all)[0], "time state", TRACK),
            Entry("m", lambda *all: filtered(*all)[2], "time state", TRACK),
            Entry(
                "P",
                lambda *model: filtered(np.zeros((4, 2)), np.zeros(3), *model)[3],
                "time state state'",
                COVARIANCES,
                chosen={"T": 4},
            ),
            Entry(r"\ell", filter_loglik, "", TRACK),
            Entry(r"\hat{m}", lambda *all: smoothed(*all)[0], "time state", TRACK),
            Entry(
                r"\hat{P}",
                lambda *model: smoothed(np.zeros((4, 2)), np.zeros(3), *model)[1],
                "time state state'",
                COVARIANCES,
                chosen={"T": 4},
            ),
            Entry(r"\hat{R}", new_noise, "obs obs'", TRACK),
        ],
    ),
    Unseen(
        "mixture_note.tex",
        r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amsthm,amssymb,bm}
\usepackage{hyperref}

\newcommand{\RR}{\mathbb{R}}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\by}[1]{\underset{\ax{#1}}{\cdot}}
\newcommand{\sumover}[1]{\sum_{\ax{#1}}}
\newcommand{\along}[2]{\underset{\ax{#1}}{\operatorname{#2}}}
\newcommand{\BIC}{\mathrm{BIC}}
\newcommand{\ICL}{\mathrm{ICL}}

\theoremstyle{plain}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{corollary}[theorem]{Corollary}
\theoremstyle{definition}
\newtheorem{definition}[theorem]{Definition}

\title{Gaussian mixtures: EM, its monotonicity, and the number of components}
\author{Working note}
\date{\today}

\begin{document}
\maketitle

\section{Definitions}

The observations are $x \in \RR^{\ax{obs}:n, \ax{dim}:d}$. A mixture with $K$ components has weights $w \in [0, 1]^{\ax{comp}:K}$, where $\sumover{comp} w = 1$, means $\mu \in \RR^{\ax{comp}:K, \ax{dim}:d}$ and positive definite covariances $\Sigma \in \RR^{\ax{comp}:K, \ax{dim}:d, \ax{dim}':d}$.

\begin{definition}
The log density of each observation under each component is
\begin{equation}
\log \phi = - \frac{1}{2} \left( d \log (2 \pi) + \log \along{dim, dim'}{det}(\Sigma) + \delta \by{dim} \along{dim, dim'}{inv}(\Sigma) \by{dim'} [\delta]_{\ax{dim} \to \ax{dim}'} \right), \qquad \delta = x - \mu ,
\end{equation}
and the log likelihood of the model is
\begin{equation}
\ell(w, \mu, \Sigma) = \sumover{obs} \log \sumover{comp} w \odot \exp(\log \phi) .
\end{equation}
\end{definition}

In practice the inner sum is computed as a log-sum-exp.\footnote{With $d = 50$ the density of a typical point is about $10^{-40}$, and it underflows in single precision soon after.}

\section{The algorithm}

\paragraph{E step.} The posterior probability that observation $i$ comes from component $k$ is called a responsibility,
\begin{equation}\label{eq:estep}
\gamma = \along{comp}{softmax} \left( \log w + \log \phi \right) .
\end{equation}

\paragraph{M step.} With $N = \sumover{obs} \gamma$, the effective number of observations of each component, set
\begin{align}
w^{\mathrm{new}} &= \frac{N}{n} \\
\mu^{\mathrm{new}} &= \frac{1}{N} \left( \gamma \by{obs} x \right) \\
\Sigma^{\mathrm{new}} &= \frac{1}{N} \sumover{obs} \gamma \odot \varepsilon \odot [\varepsilon]_{\ax{dim} \to \ax{dim}'}, \qquad \varepsilon = x - \mu^{\mathrm{new}} .
\end{align}

\begin{theorem}[Monotonicity]
Let $q \in [0, 1]^{\ax{obs}:n, \ax{comp}:K}$ with $\sumover{comp} q = 1$, and
\begin{equation}
F(q; w, \mu, \Sigma) = \sumover{obs, comp} q \odot \left( \log w + \log \phi - \log q \right) .
\end{equation}
Then $F(q; w, \mu, \Sigma) \leq \ell(w, \mu, \Sigma)$, with equality if and only if $q = \gamma$. Hence no step of EM decreases $\ell$.
\end{theorem}
\begin{proof}
By Jensen's inequality, the gap is the sum of the divergences of $q$ from the responsibilities,
\[
\Delta(q) = \sumover{obs, comp} q \odot \left( \log q - \log \gamma \right) \geq 0 .
\]
The E step makes it zero, and the M step maximises $F$ in the other arguments.
\end{proof}

\section{A ridge on the covariances}

The likelihood is unbounded: put one mean on an observation and let its covariance shrink. An inverse Wishart prior with scale $\lambda I$ avoids this. Its posterior mode replaces the last line of the M step by
\begin{equation}
\Sigma^{\mathrm{map}} = \frac{N \odot \Sigma^{\mathrm{new}} + \lambda I}{N + d + 2}, \qquad I_{\ax{dim}(i), \ax{dim}'(j)} = \begin{cases} 1 & i = j, \\ 0 & i \neq j. \end{cases}
\end{equation}

\section{How many components?}

The number of free parameters is
\begin{equation}
\nu = (K - 1) + K d + \frac{K d (d + 1)}{2} ,
\end{equation}
and the usual criteria, to be \emph{minimised} over $K$, are
\begin{align}
\BIC &= - 2 \, \ell(w, \mu, \Sigma) + \nu \log n \\
\ICL &= \BIC - 2 \sumover{obs, comp} \gamma \log \gamma .
\end{align}
The second one (Biernacki et al., 2000) adds twice the entropy of the responsibilities, so that overlapping components are punished. In simulations BIC finds the number of Gaussians and ICL finds the number of clusters, which is not the same.

\begin{table}[h]
\centering
\begin{tabular}{lccc}
\hline
$K$ & $\nu$ (for $d = 2$) & BIC & ICL \\
\hline
1 & 5 & 1523 & 1523 \\
2 & 11 & 1402 & 1411 \\
3 & 17 & 1398 & 1467 \\
\hline
\end{tabular}
\caption{Old Faithful. BIC prefers three components, ICL two.}
\end{table}

Hard assignments, if one needs them, are $c = \along{comp}{argmax} \gamma$.

\end{document}
""",
        [
            Fault(
                r"\by{dim'} [\delta]_{\ax{dim} \to \ax{dim}'} \right), \qquad \delta = x - \mu ,",
                r"\by{dim'} \delta \right), \qquad \delta = x - \mu ,",
            ),
            Fault(
                r"\mu^{\mathrm{new}} &= \frac{1}{N} \left( \gamma \by{obs} x \right) \\",
                r"\mu^{\mathrm{new}} &= \frac{1}{N} \left( \gamma \by{comp} x \right) \\",
            ),
            Fault(
                r"q \in [0, 1]^{\ax{obs}:n, \ax{comp}:K}",
                r"q \in [0, 1]^{\ax{obs}:n}",
                r"F(q; w, \mu, \Sigma) = \sumover{obs, comp} q",
            ),
        ],
        [
            Entry(
                r"\log \phi",
                gaussians,
                "obs comp",
                {name: CLUSTERS[name] for name in ("x", "mu", "Sigma")},
            ),
            Entry(r"\ell", mixture_loglik, "", CLUSTERS),
            Entry(r"\gamma", responsibilities, "obs comp", CLUSTERS),
            Entry(r"\mu^{\mathrm{new}}", new_means, "comp dim", CLUSTERS),
            Entry(r"\Sigma^{\mathrm{new}}", new_covariances, "comp dim dim'", CLUSTERS),
            Entry("F", evidence, "", {"q": "obs[6] comp[3] ~ probability comp", **CLUSTERS}),
            Entry(
                r"\Sigma^{\mathrm{map}}",
                lambda x, w, mu, S, lam: ridged(x, lam, w, mu, S),
                "comp dim dim'",
                {**CLUSTERS, "lambda_": 0.3},
            ),
            Entry(r"\BIC", bic, "", CLUSTERS),
            Entry(r"\ICL", icl, "", CLUSTERS),
        ],
    ),
    Unseen(
        "nmf_note.tex",
        r"""\documentclass{IEEEtran}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{algorithm,algpseudocode}

% named axes
\newcommand{\freq}{\text{freq}}
\newcommand{\frames}{\text{frame}}
\newcommand{\comp}{\text{comp}}
\newcommand{\smp}{\text{sample}}
\newcommand{\tap}{\text{tap}}
\newcommand{\Rp}{\mathbb{R}_{\geq 0}}
\newcommand{\dotby}[1]{\underset{#1}{\cdot}}
\newcommand{\IS}{\mathrm{IS}}

\newtheorem{lemma}{Lemma}

\title{Itakura--Saito Factorisation of Audio Spectrograms: A Tutorial Note}

\begin{document}
\maketitle

\section{The spectrogram}

Let $x \in \mathbb{R}^{\smp:N}$ be a recording and $h \in \mathbb{R}^{\tap:L}$ a window. Frames start every $R$ samples. With $M$ frames, where $(M - 1) R + L \leq N$, and the frequencies $f = 1, \ldots, F$, the real and imaginary parts of the short-time Fourier transform are
\begin{align}
A_{\freq(f), \frames(m)} &= \sum_{l=1}^{L} h_{\tap(l)} \, x_{\smp((m-1) R + l)} \cos \frac{2 \pi (f-1)(l-1)}{L} \\
B_{\freq(f), \frames(m)} &= - \sum_{l=1}^{L} h_{\tap(l)} \, x_{\smp((m-1) R + l)} \sin \frac{2 \pi (f-1)(l-1)}{L}
\end{align}
for $m = 1, \ldots, M$. The power spectrogram is $V = A^2 + B^2$.

\section{The model}

F\'evotte et al.~\cite{fevotte} model each bin of the spectrogram as exponentially distributed, with a mean that has low rank,
\begin{equation}
\hat{V}(W, H) = W \dotby{\comp} H, \qquad W \in \Rp^{\freq:F, \comp:K}, \quad H \in \Rp^{\comp:K, \frames:M} .
\end{equation}
Columns of $W$ are spectral templates, rows of $H$ their activations. Up to constants the negative log likelihood of $V \in \Rp^{\freq:F, \frames:M}$ is the Itakura--Saito divergence
\begin{equation}\label{eq:is}
D_{\IS}(V, W, H) = \sum_{\freq, \frames} \left( \frac{V}{\hat{V}(W, H)} - \log \frac{V}{\hat{V}(W, H)} - 1 \right) .
\end{equation}
It is one member of the family of $\beta$-divergences; for $\beta \notin \{0, 1\}$
\begin{equation}
d_\beta(V, Z) = \sum_{\freq, \frames} \frac{V^\beta + (\beta - 1) Z^\beta - \beta V \odot Z^{\beta - 1}}{\beta (\beta - 1)} ,
\end{equation}
and \eqref{eq:is} is the limit $\beta \to 0$. At $\beta = 2$ we have half the squared distance.

\begin{lemma}
$D_{\IS}(c V, c W, H) = D_{\IS}(V, W, H)$ for all $c > 0$: quiet and loud bins count alike.
\end{lemma}

\section{Multiplicative updates}

\begin{algorithm}
\caption{Multiplicative updates for $D_{\IS}$}
\begin{algorithmic}[1]
\Require spectrogram $V$, initial $W$ and $H$ with positive entries
\For{$i = 1, \ldots, I$}
  \State $H \gets H \odot \dfrac{W \dotby{\freq} \left( V / \hat{V}(W, H)^2 \right)}{W \dotby{\freq} \left( 1 / \hat{V}(W, H) \right)}$
  \State $W \gets W \odot \dfrac{H \dotby{\frames} \left( V / \hat{V}(W, H)^2 \right)}{H \dotby{\frames} \left( 1 / \hat{V}(W, H) \right)}$
\EndFor
\end{algorithmic}
\end{algorithm}

The updates keep signs, and each decreases the divergence after a suitable power of the factor, see \cite{fevotte}; without the power this is what everybody runs. The scale of a template is arbitrary, so afterwards one normalises
\begin{align}
\bar{W} &= \frac{W}{u}, \qquad \bar{H} = u \odot H, \qquad u = \sum_{\freq} W ,
\end{align}
which does not change the product: $\bar{W} \dotby{\comp} \bar{H} = W \dotby{\comp} H$.

\section{Separation}

Given the factors, the posterior mean of the part of component $k$ is the mixture times a Wiener gain. All gains at once are
\begin{equation}
G(W, H) = \frac{W \odot H}{\hat{V}(W, H)} \in [0, 1]^{\freq:F, \comp:K, \frames:M} ,
\end{equation}
and they sum to one: $\sum_{\comp} G(W, H) = 1$. If $\Pi \in \{0, 1\}^{\comp:K, \text{src}:S}$ says which component belongs to which source, the masked spectra are
\begin{align}
A^{\mathrm{src}} &= A \odot \left( \Pi \dotby{\comp} G(W, H) \right) \\
B^{\mathrm{src}} &= B \odot \left( \Pi \dotby{\comp} G(W, H) \right)
\end{align}
and are transformed back. For a true source $s \in \mathbb{R}^{\smp:N}$ and an estimate $\hat{s} \in \mathbb{R}^{\smp:N}$ we report the signal-to-distortion ratio, in decibels,
\begin{equation}
\mathrm{SDR}(s, \hat{s}) = 10 \log_{10} \frac{\sum_{\smp} s^2}{\sum_{\smp} (s - \hat{s})^2} .
\end{equation}

\section{Smooth activations}

Notes last longer than a frame. A simple penalty on rapid changes of the activations is
\begin{equation}
\Omega(H) = \sum_{k=1}^{K} \sum_{m=2}^{M} \left( H_{\comp(k), \frames(m)} - H_{\comp(k), \frames(m-1)} \right)^2 ,
\end{equation}
to be weighted by some $\lambda > 0$ and added to \eqref{eq:is}. The updates are then no longer in closed form; majorisation helps.

\begin{thebibliography}{1}
\bibitem{fevotte} C.~F\'evotte, N.~Bertin, and J.-L.~Durrieu, ``Nonnegative matrix factorization with the Itakura--Saito divergence,'' \emph{Neural Comput.}, vol.~21, 2009.
\end{thebibliography}
\end{document}
""",
        [
            Fault(
                r"\State $H \gets H \odot \dfrac{W \dotby{\freq} \left( V / \hat{V}(W, H)^2 \right)}",
                r"\State $H \gets H \odot \dfrac{W \dotby{\frames} \left( V / \hat{V}(W, H)^2 \right)}",
            ),
            Fault(
                r"\quad H \in \Rp^{\comp:K, \frames:M} .",
                r"\quad H \in \Rp^{\tap:K, \frames:M} .",
                r"\hat{V}(W, H) = W \dotby{\comp} H, \qquad",
            ),
            Fault(
                r"A^{\mathrm{src}} &= A \odot \left( \Pi \dotby{\comp} G(W, H) \right)",
                r"A^{\mathrm{src}} &= A \odot \left( \Pi \dotby{\freq} G(W, H) \right)",
            ),
        ],
        [
            Entry(
                "V",
                lambda x, h, hop: spectrogram(x, h, 3, 3, hop),
                "freq frame",
                {"x": "sample[9]", "h": "tap[4]", "R": 2},
                chosen={"M": 3, "F": 3},
            ),
            Entry(
                r"\hat{V}",
                lambda W, H: W @ H,
                "freq frame",
                {"W": "freq[3] comp[2] ~ positive", "H": "comp[2] frame[4] ~ positive"},
            ),
            Entry(r"D_{\IS}", saito, "", FACTORS),
            Entry(
                r"d_\beta",
                beta_divergence,
                "",
                {
                    "V": "freq[3] frame[4] ~ positive",
                    "Z": "freq[3] frame[4] ~ positive",
                    "beta": 0.5,
                },
            ),
            Entry(
                "W",
                lambda V, W, H: multiplied(V, W, H, 3)[0],
                "freq comp",
                FACTORS,
                chosen={"I": 3},
            ),
            Entry(
                "H",
                lambda V, W, H: multiplied(V, W, H, 3)[1],
                "comp frame",
                FACTORS,
                chosen={"I": 3},
            ),
            Entry(
                "G",
                masks,
                "freq comp frame",
                {"W": "freq[3] comp[2] ~ positive", "H": "comp[2] frame[4] ~ positive"},
            ),
            Entry(r"\mathrm{SDR}", decibels, "", {"s": "sample[5]", "shat": "sample[5]"}),
            Entry(
                r"\Omega",
                lambda H: (np.diff(H, axis=1) ** 2).sum(),
                "",
                {"H": "comp[2] frame[4]"},
            ),
        ],
    ),
    Unseen(
        "poisson_note.tex",
        r"""\documentclass[a4paper,12pt]{scrartcl}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{booktabs}

\def\R{\mathbb{R}}
\def\unit{\text{unit}}
\def\coef{\text{coef}}
\def\clu{\text{cluster}}
\newcommand{\inner}[3]{#2 \underset{#1}{\cdot} #3}
\DeclareMathOperator{\Var}{Var}
\newtheorem{thm}{Theorem}
\newtheorem{rem}{Remark}

\begin{document}

\title{Poisson regression with robust standard errors}
\author{Department of Biostatistics}
\maketitle

\section{The model}

For each of $n$ units we count events $y \in \R^{\unit:n}$ during a known exposure, whose logarithm is the offset $o \in \R^{\unit:n}$. The covariates, including a column of ones, are $x \in \R^{\unit:n, \coef:p}$. The expected counts at the coefficients $\beta \in \R^{\coef:p}$ are
\begin{equation}
\mu(\beta) = \exp\left( \inner{\coef}{x}{\beta} + o \right) ,
\end{equation}
and if the counts are independent Poisson variables, the log likelihood is
\begin{equation}
\ell(\beta) = \sum_{\unit} \left( y \odot \log \mu(\beta) - \mu(\beta) - \log \Gamma(y + 1) \right) .
\end{equation}
Its gradient, the score, is linear in the residuals, and the Fisher information does not contain the data:
\begin{align}
U(\beta) &= \inner{\unit}{x}{\left( y - \mu(\beta) \right)} \\
J(\beta) &= \sum_{\unit} \mu(\beta) \odot x \odot x_{\coef \to \coef'} \label{eq:fisher}
\end{align}

\section{Fitting}

Fisher scoring, which for the canonical link is Newton's method, iterates
\begin{equation}\label{eq:scoring}
\beta^{(k+1)} = \beta^{(k)} + \left[ \inner{\coef}{J^{-1}(\beta^{(k)})}{U(\beta^{(k)})} \right]_{\coef' \to \coef}
\end{equation}
from $\beta^{(0)} \in \R^{\coef:p}$, where $J^{-1}(\beta) = \underset{\coef, \coef'}{\text{inv}} J(\beta)$. Usually five iterations are enough. The fit is judged by the deviance
\begin{equation}
D(\beta) = 2 \sum_{\unit} \left( y \odot \log \frac{y}{\mu(\beta)} - (y - \mu(\beta)) \right)
\end{equation}
(a unit with $y = 0$ contributes $2 \mu$), and by Pearson's estimate of the dispersion,
\begin{equation}
\hat{\varphi}(\beta) = \frac{1}{n - p} \sum_{\unit} \frac{(y - \mu(\beta))^2}{\mu(\beta)} .
\end{equation}
Values well above one are the rule in practice.

\begin{rem}[Influence]
The diagonal of the hat matrix of the last weighted regression is
\begin{equation}
h(\beta) = \mu(\beta) \odot \left( x \underset{\coef}{\cdot} J^{-1}(\beta) \underset{\coef'}{\cdot} x_{\coef \to \coef'} \right) ,
\end{equation}
and it sums to $p$. Units with $h > 2p/n$ deserve a look, in particular if their standardised residual
\[
r(\beta) = \frac{y - \mu(\beta)}{\sqrt{\mu(\beta) \odot (1 - h(\beta))}}
\]
is large, too.
\end{rem}

\section{Standard errors that survive overdispersion}

\begin{thm}[Huber, White]
Let $\mathbb{E}[y] = \mu(\beta_\star)$, but the variance arbitrary. Then $\hat\beta$ is consistent, and its covariance is estimated by
\begin{align}
V(\beta) &= J^{-1}(\beta)_{\coef' \to \text{a}} \underset{\text{a}}{\cdot} B(\beta)_{\coef \to \text{a}, \coef' \to \text{b}} \underset{\text{b}}{\cdot} J^{-1}(\beta)_{\coef \to \text{b}} \\
B(\beta) &= \sum_{\unit} (y - \mu(\beta))^2 \odot x \odot x_{\coef \to \coef'} .
\end{align}
\end{thm}

If the model is right, $B$ estimates $J$ and $V$ collapses to $J^{-1}$. Units are often repeated measurements of the same persons. Let $Z \in \{0, 1\}^{\unit:n, \clu:m}$ say who belongs to whom, $\sum_{\clu} Z = 1$. Then scores are first added up within a cluster:
\begin{align}
S(\beta) &= \inner{\unit}{Z}{\left( (y - \mu(\beta)) \odot x \right)} \\
B^{\text{cl}}(\beta) &= \frac{m}{m - 1} \, \inner{\clu}{S(\beta)}{S(\beta)_{\coef \to \coef'}}
\end{align}
and $B^{\text{cl}}$ takes the place of $B$. Table~\ref{tab:se} shows that it matters.

\begin{table}[ht]
\centering
\begin{tabular}{lrrrr}
\toprule
coefficient & estimate & model & robust & clustered \\
\midrule
treatment & $-0.21$ & 0.04 & 0.07 & 0.11 \\
age / 10  & $0.13$ & 0.02 & 0.03 & 0.03 \\
\bottomrule
\end{tabular}
\caption{Falls in 300 nursing home residents; three kinds of standard errors.}
\label{tab:se}
\end{table}

A Wald statistic for a contrast $c \in \R^{\coef:p}$, to be compared with a standard normal variable, is
\begin{equation}
T(\beta) = \frac{\inner{\coef}{c}{\beta}}{\sqrt{c \underset{\coef}{\cdot} V(\beta) \underset{\coef'}{\cdot} c_{\coef \to \coef'}}} .
\end{equation}

\end{document}
""",
        [
            Fault(
                r"U(\beta) &= \inner{\unit}{x}{\left( y - \mu(\beta) \right)} \\",
                r"U(\beta) &= \inner{\coef}{x}{\left( y - \mu(\beta) \right)} \\",
            ),
            Fault(
                r"\underset{\coef'}{\cdot} x_{\coef \to \coef'} \right) ,",
                r"\underset{\coef'}{\cdot} x \right) ,",
            ),
            Fault(
                r"Z \in \{0, 1\}^{\unit:n, \clu:m}",
                r"Z \in \{0, 1\}^{\coef:p, \clu:m}",
                r"S(\beta) &= \inner{\unit}{Z}",
            ),
        ],
        [
            Entry(r"\mu", rates, "unit", {name: COUNTS[name] for name in ("beta", "x", "o")}),
            Entry(r"\ell", poisson_loglik, "", COUNTS),
            Entry(
                "U",
                lambda b, x, y, o: x.T @ (y - rates(b, x, o)),
                "coef",
                COUNTS,
            ),
            Entry(
                r"\beta^{(3)}",
                lambda b, x, y, o: scoring(b, x, y, o, 3),
                "coef",
                {"beta0": "coef[3]", **{name: COUNTS[name] for name in "xyo"}},
            ),
            Entry("D", deviance, "", COUNTS),
            Entry(r"\hat{\varphi}", dispersion, "", COUNTS),
            Entry("h", leverages, "unit", {name: COUNTS[name] for name in ("beta", "x", "o")}),
            Entry("V", sandwich, "coef coef'", COUNTS),
            Entry(
                r"B^{\text{cl}}",
                clustered_scores,
                "coef coef'",
                {**COUNTS, "Z": "unit[6] cluster[3]"},
            ),
            Entry(
                "T",
                lambda b, x, y, o, c: c @ b / np.sqrt(c @ sandwich(b, x, y, o) @ c),
                "",
                {**COUNTS, "c": "coef[3]"},
            ),
        ],
    ),
]
