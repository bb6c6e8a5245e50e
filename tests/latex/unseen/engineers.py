"""Seven documents of engineers: model cards, designs of rankers, methods, specifications, reports, lists of layers, losses."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def relu(x):
    return np.maximum(x, 0)


def standardised(x):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5)


def trunk(r, W1, W2, b1, b2):
    return relu(relu(r @ W1 + b1) @ W2 + b2)


def past_basis(K):
    return (np.arange(1, 169) / 168) ** np.arange(K)[:, None]


def future_basis(K):
    return (1 + np.arange(1, 25) / 168) ** np.arange(K)[:, None]


def offsets(delta):
    return np.cumsum(np.log1p(np.exp(delta)))


def block(r, W1, W2, b1, b2, back, fore):
    h, K = trunk(r, W1, W2, b1, b2), back.shape[1]
    return h @ back @ past_basis(K), h @ fore @ future_basis(K)


def point_forecast(x, *blocks):
    r, total = standardised(x), 0
    for parts in blocks:
        back, fore = block(r, *parts.values())
        r, total = r - back, total + fore
    return x.mean() + np.sqrt(x.var() + 1e-5) * total


def pinball(y, q):
    tau = np.arange(1, 10)[:, None] / 10
    return np.maximum(tau * (y - q), (tau - 1) * (y - q))


def mase(x, y, p):
    return np.abs(y - p).mean() / np.abs(x[24:] - x[:-24]).mean()


TRUNK = {
    "W_1": "past[168] hid[5]",
    "W_2": "hid[5] out[4]",
    "b_1": "hid[5]",
    "b_2": "out[4]",
}
BLOCK = {**TRUNK, "Theta_b": "out[4] coef[3]", "Theta_f": "out[4] coef[3]"}


def pooled(v, w, A1, H, A2, q, A3):
    hidden = relu(H @ A1 + q @ A2 + (H * q) @ A3)
    return (v * (hidden @ w)) @ H


def logits(x, T, G, D, bD, beta):
    f = relu(np.einsum("...i,eih->...eh", x, D) + bD)
    omega = softmax(np.einsum("...i,tie->...te", x, G), -1)
    return np.einsum("...te,...eh,th->...t", omega, f, T) + beta


def task_losses(X, y, *parameters):
    p = sigmoid(logits(X, *parameters))
    return -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean(0)


def sampled_softmax(tau, P, Q, kappa):
    s = P @ Q.T / tau - np.log(kappa)
    return -(np.diag(s) - np.log(np.exp(s).sum(1))).mean()


def auc(s, y):
    pairs = y[:, None] * (1 - y) * (s[:, None] > s)
    return pairs.sum() / (y.sum() * (1 - y).sum())


def dcg(rho):
    return ((2 ** rho[:10] - 1) / np.log2(np.arange(2, 12))).sum()


def layer_norm(M, gamma=1.0, beta=0.0):
    d = M - M.mean(-1, keepdims=True)
    return gamma * d / np.sqrt((d**2).mean(-1, keepdims=True) + 1e-5) + beta


def pair_features(A, T, B, P):
    L = len(T)
    U, V = T @ A, T @ B
    i, j = np.indices((L, L))
    return U[:, None] + V[None, :] + P[np.clip(i - j, -32, 32) + 32]


def outer(Wa, M, Wb):
    a, b = layer_norm(M) @ Wa, layer_norm(M) @ Wb
    return np.einsum("nia,njb->iajb", a, b) / len(M)


def row_weights(M, WQ, WK, Wbeta, Z):
    N = layer_norm(M)
    Q, K = np.einsum("nic,chk->nihk", N, WQ), np.einsum("nic,chk->nihk", N, WK)
    scores = np.einsum("nihk,njhk->nijh", Q, K) / np.sqrt(WQ.shape[-1])
    return softmax(scores + np.einsum("ijp,ph->ijh", Z, Wbeta), 2)


def row_attention(M, WQ, WK, Wbeta, Z, WG, WV, Wout):
    N = layer_norm(M)
    G = sigmoid(np.einsum("nic,chk->nihk", N, WG))
    V = np.einsum("nic,chk->nihk", N, WV)
    mixed = np.einsum("nijh,njhk->nihk", row_weights(M, WQ, WK, Wbeta, Z), V)
    return M + np.einsum("nihk,hkc->nic", G * mixed, Wout)


def distances(Z, W):
    return softmax((Z + Z.swapaxes(0, 1)) @ W, -1)


def corrected(Z, W):
    c = distances(Z, W)[..., :8].sum(-1)
    return c - c.mean(1, keepdims=True) * c.mean(0, keepdims=True) / c.mean()


def distance_loss(w, Y, Z, W):
    return -(w * (Y * np.log(distances(Z, W))).sum(-1)).sum() / w.sum()


def masked_loss(mu, X, M, W):
    return -(mu * (X * np.log(softmax(M @ W, -1))).sum(-1)).sum() / mu.sum()


def number_tokens(x, nu, Ws, Wc, b):
    angle = 2 * np.pi * nu * x[:, None]
    return relu(
        np.einsum("nf,nfe->ne", np.sin(angle), Ws) + np.einsum("nf,nfe->ne", np.cos(angle), Wc) + b
    )


def category_tokens(c, E, b):
    return np.stack([E[j, c[j]] for j in range(len(c))]) + b


def token_weights(X, WQ, WK):
    Q, K = np.einsum("te,hek->htk", X, WQ), np.einsum("te,hek->htk", X, WK)
    return softmax(np.einsum("hqk,htk->hqt", Q, K) / np.sqrt(WQ.shape[-1]), -1)


def token_attention(X, WQ, WK, WV, WO):
    V = np.einsum("te,hek->htk", X, WV)
    return np.einsum("hqt,htk,hke->qe", token_weights(X, WQ, WK), V, WO)


def gated_network(X, W1, W2, W3):
    return ((X @ W1) * relu(X @ W3)) @ W2


def frequencies(planes):
    return 500000.0 ** (-np.arange(planes) / planes)


def stretched(c, planes):
    theta = frequencies(planes)
    omega = np.clip((4096 / (2 * np.pi) * theta - 1) / 31, 0, 1)
    return (1 - omega) * theta / c + omega * theta


def rotated(Y, c):
    """Rotate planes of an array whose first axis is the position and whose last two are pair and two."""
    angle = np.arange(1, len(Y) + 1)[:, None] * stretched(c, Y.shape[-2])
    angle = angle.reshape(len(Y), *[1] * (Y.ndim - 3), -1)
    first, second = Y[..., 0], Y[..., 1]
    return np.stack(
        [
            np.cos(angle) * first - np.sin(angle) * second,
            np.sin(angle) * first + np.cos(angle) * second,
        ],
        -1,
    )


def window(n, w, s):
    i, j = np.indices((n, n)) + 1
    seen = (j <= i) & ((i - j < w) | (j <= s))
    return np.where(seen, 0.0, -np.inf)


def sink_attention(X, WQ, WK, WV, WO, beta, c, w, s):
    Q = rotated(np.einsum("te,egqpx->tgqpx", X, WQ), c)
    K = rotated(np.einsum("te,egpx->tgpx", X, WK), c)
    V = np.einsum("te,egv->tgv", X, WV)
    S = np.einsum("igqpx,jgpx->gqij", Q, K) / (2 * Q.shape[-2]) + window(len(X), w, s)
    e = np.exp(S)
    A = e / (np.exp(beta)[:, :, None, None] + e.sum(-1, keepdims=True))
    return np.einsum("gqij,jgv,gqve->ie", A, V, WO)


def routed(X, R):
    """Probabilities, and those that are chosen."""
    p = softmax(X @ R, -1)
    return p, (p >= np.sort(p, -1)[:, -2:-1]) * 1.0


def silu(x):
    return x * sigmoid(x)


def experts(X, G1, G2, R, F1, F2, F3):
    p, T = routed(X, R)
    g = p * T / (p * T).sum(-1, keepdims=True)
    hidden = silu(np.einsum("te,xeh->txh", X, F1)) * np.einsum("te,xeh->txh", X, F3)
    return silu(X @ G1) @ G2 + np.einsum("tx,txh,xhe->te", g, hidden, F2)


def log_normaliser(Z):
    return np.log(np.exp(Z).sum(-1))


def balance(X, R):
    p, T = routed(X, R)
    return R.shape[1] / 2 * (T.mean(0) * p.mean(0)).sum()


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def averaged(h):
    return h.reshape(*h.shape[:-1], -1, 4).mean(-1)


def temporal(W, X):
    padded = np.pad(X, ((0, 0), (32, 32)))
    n = X.shape[1]
    return np.stack([[np.correlate(row, w, "valid")[:n] for row in padded] for w in W])


def layer_four(W1, X, gamma, beta, m, v, W3):
    H = temporal(W1, X)
    gamma, beta, m, v = (a[:, None, None] for a in (gamma, beta, m, v))
    H = gamma * (H - m) / np.sqrt(v + 1e-5) + beta
    return averaged(elu(np.einsum("fdc,fct->fdt", W3, H)))


def layer_five(W1, X, gamma, beta, m, v, W3, W5):
    H = layer_four(W1, X, gamma, beta, m, v, W3)
    return np.stack([(W5 * H[:, :, s : s + 16]).sum(-1) for s in range(49)], -1)


def classified(W1, X, gamma, beta, m, v, W3, W5, W6, W8, b8):
    H = layer_five(W1, X, gamma, beta, m, v, W3, W5)
    H = elu(np.einsum("fds,fdg->gs", H, W6))
    return softmax(np.einsum("gs,gsk->k", H, W8) + b8, 0)


def cohen(K):
    n = K.sum()
    observed, expected = np.trace(K) / n, K.sum(1) @ K.sum(0) / n**2
    return (observed - expected) / (1 - expected)


def points(K):
    return -20 + 40 * np.arange(K) / (K - 1)


def symlog(x):
    return np.sign(x) * np.log(np.abs(x) + 1)


def symexp(x):
    return np.sign(x) * (np.exp(np.abs(x)) - 1)


def twohot(x, K):
    return relu(1 - np.abs(symlog(x)[..., None] - points(K)) / (40 / (K - 1)))


def scalar_loss(o, x):
    return -(twohot(x, o.shape[-1]) * np.log(softmax(o, -1))).sum(-1)


def predicted(o):
    return symexp(softmax(o, -1) @ points(o.shape[-1]))


def mixed(U):
    return 0.99 * softmax(U, -1) + 0.01 / U.shape[-1]


def dynamics(U, V):
    P, Q = mixed(U), mixed(V)
    return np.maximum(1, (P * (np.log(P) - np.log(Q))).sum((1, 2))).mean()


def returns(r, c, v, gamma=0.997, lam=0.95):
    R = [v[-1]]
    for t in range(len(r) - 2, -1, -1):
        R.insert(0, r[t] + gamma * c[t] * ((1 - lam) * v[t + 1] + lam * R[0]))
    return np.array(R)


def steps(c, gamma=0.997):
    return np.concatenate([[1.0], np.cumprod(gamma * c)[:-1]])


def actor(r, c, v, rho, pi, a, eta, gamma, lam):
    w, R = steps(c, gamma), returns(r, c, v, gamma, lam)
    chosen = pi[np.arange(len(a)), a]
    H = -(np.exp(pi) * pi).sum(1)
    return -(w * (R - v) / max(1, rho) * chosen).sum() - eta * (w * H).sum()


def critic(r, c, v, O, average, gamma, lam):
    R = returns(r, c, v, gamma, lam)
    return (steps(c, gamma) * (scalar_loss(O, R) + scalar_loss(O, predicted(average)))).sum()


MIXTURE = {
    "T": "task[3] hid[2]",
    "G": "task[3] feat[4] expert[5]",
    "D": "expert[5] feat[4] hid[2]",
    "b_D": "expert[5] hid[2]",
    "beta": "task[3]",
}
ROWS = {
    "M": "row[4] res[3] chan[4]",
    "WQ": "chan[4] head[2] key[3]",
    "WK": "chan[4] head[2] key[3]",
    "W__beta": "pair[2] head[2]",
    "Z": "res[3] res'[3] pair[2]",
}
HEAD = {"Z": "res[3] res'[3] pair[2]", "W__dist": "pair[2] dist[37]"}
LOOKING = {"WQ": "head[2] emb[4] key[3]", "WK": "head[2] emb[4] key[3]"}
NORMED = {
    "gamma": "filt[8]",
    "beta": "filt[8]",
    "m": "filt[8]",
    "v": "filt[8] ~ positive",
}
LAYERS = {
    "W1": "filt[8] tap[65]",
    "X": "elec[22] time[256]",
    **NORMED,
    "W3": "filt[8] depth[2] elec[22]",
}
STATES = {"U": "time[3] group[32] class[32]", "V": "time[3] group[32] class[32]"}
IMAGINED = {"r": "time[6]", "c": "time[6] ~ positive", "v": "time[6]"}


DOCUMENTS = [
    Unseen(
        "model_card.md",
        r"""---
license: apache-2.0
pipeline_tag: time-series-forecasting
tags:
  - electricity
  - n-beats
---

# Model card: gridload-nbeats-v3

Forecasts the electricity load of one substation for the next day, hour by hour, with nine quantiles. It replaces
`gridload-nbeats-v2`, which had no quantiles.

## At a glance

| Symbol | Space | Meaning |
|---|---|---|
| $x$ | $\mathbb{R}^{\text{past}}$ | load of the last week in MW, oldest hour first |
| $y$ | $\mathbb{R}^{\text{future}}$ | load of the next day |
| $q$ | $\mathbb{R}^{\text{quant}, \text{future}}$ | predicted quantiles |

There are $|\text{past}| = 168$ hours of history, $|\text{future}| = 24$ hours of forecast and $|\text{quant}| = 9$ levels.
The parameters are shared by all 2,311 substations; nothing in the model knows which one it sees.

## Architecture

### Scaling

A window is standardised with its own moments, and the forecast is scaled back with the same two numbers:

$$
\mu(x) = \underset{\text{past}}{\text{mean}}\, x, \qquad
s(x) = \sqrt{\underset{\text{past}}{\text{var}}\, x + \epsilon}, \qquad
z(x) = \frac{x - \mu(x)}{s(x)}
$$

### One block

A block sees $r \in \mathbb{R}^{\text{past}}$, what the blocks before it have left unexplained. Its parameters are

- $W_1 \in \mathbb{R}^{\text{past}, \text{hid}}$ and $b_1 \in \mathbb{R}^{\text{hid}}$: first layer of the trunk,
- $W_2 \in \mathbb{R}^{\text{hid}, \text{out}}$ and $b_2 \in \mathbb{R}^{\text{out}}$: second layer of the trunk,
- $\Theta_b, \Theta_f \in \mathbb{R}^{\text{out}, \text{coef}}$: coefficients for the past and for the future (no bias).

The trunk is

$$
h(r; W, b) = \text{ReLU}\left( W_2 \underset{\text{hid}}{\cdot} \text{ReLU}\big( W_1 \underset{\text{past}}{\cdot} r + b_1 \big) + b_2 \right)
$$

and the block gives a *backcast* and a *forecast*, both polynomials of low degree:

$$
\begin{aligned}
\text{block}(r; W, b, \Theta) &= \Big( \big( \Theta_b \underset{\text{out}}{\cdot} h(r; W, b) \big) \underset{\text{coef}}{\cdot} B, \;
  \big( \Theta_f \underset{\text{out}}{\cdot} h(r; W, b) \big) \underset{\text{coef}}{\cdot} F \Big) \\
B_{\text{coef}:k, \text{past}:t} &= \left( \frac{t}{|\text{past}|} \right)^{k-1} \\
F_{\text{coef}:k, \text{future}:t} &= \left( 1 + \frac{t}{|\text{past}|} \right)^{k-1}
\end{aligned}
$$

We use four coefficients, that is, cubic polynomials.

### The stack

With $r^0 = z(x)$, block $l = 1, \ldots, L$ computes

$$
(u^l, f^l) = \text{block}^l(r^{l-1}), \qquad r^l = r^{l-1} - u^l
$$

and the point forecast is

$$
\hat y = \mu(x) + s(x) \sum_{l=1}^{L} f^l .
$$

The released checkpoint has $L = 30$.

### Quantiles

The levels are $\tau_{\text{quant}:j} = j / 10$. Quantiles cannot cross, because each is the one below it plus something positive:
with learned $\delta \in \mathbb{R}^{\text{quant}}$ and any forecast $f \in \mathbb{R}^{\text{future}}$,

$$
q(f; \delta) = f + o - \underset{\text{quant}}{\text{mean}}\, o, \qquad
o_{\text{quant}:j} = \sum_{i=1}^{j} \log\left(1 + e^{\delta_{\text{quant}:i}}\right) .
$$

## Training

Pinball loss, AdamW, learning rate $10^{-3}$, 40 epochs.

$$
\begin{aligned}
\rho(y, q) &= \max\big( \tau \odot (y - q), (\tau - 1) \odot (y - q) \big) \\
\mathcal{L}(y, q) &= \underset{\text{quant}, \text{future}}{\text{mean}} \rho(y, q)
\end{aligned}
$$

## Evaluation

Errors are relative to the naive forecast that repeats what was $m$ hours ago; we report $m = 24$.

$$
\text{MASE}(x, y, p) = \frac{\underset{\text{future}}{\text{mean}}\, |y - p|}{\frac{1}{|\text{past}| - m} \sum_{t=m+1}^{|\text{past}|} |x_{\text{past}:t} - x_{\text{past}:t-m}|}
\qquad p \in \mathbb{R}^{\text{future}}
$$

The share of hours inside of the 80 % interval, and how wide it is:

$$
\begin{aligned}
\text{coverage}(y, q) &= \underset{\text{future}}{\text{mean}} \big( \mathbb{1}[q_{\text{quant}:1} \le y] \odot \mathbb{1}[y \le q_{\text{quant}:9}] \big) \\
\text{width}(q) &= \underset{\text{future}}{\text{mean}} \left( q_{\text{quant}:9} - q_{\text{quant}:1} \right)
\end{aligned}
$$

| | MASE | coverage |
|---|---|---|
| v2 | 0.81 | -- |
| v3 | 0.76 | 0.787 |

## Limits

Public holidays are not known to the model. Do not use it for substations with less than one week of data.
""",
        [
            Fault(
                r"\left( W_2 \underset{\text{hid}}{\cdot} \text{ReLU}",
                r"\left( W_2 \underset{\text{out}}{\cdot} \text{ReLU}",
            ),
            Fault(
                r"\big( \Theta_f \underset{\text{out}}{\cdot} h(r; W, b) \big) \underset{\text{coef}}{\cdot} F",
                r"\big( \Theta_f \underset{\text{out}}{\cdot} h(r; W, b) \big) \underset{\text{past}}{\cdot} F",
            ),
            Fault(
                r"\frac{\underset{\text{future}}{\text{mean}}\, |y - p|}",
                r"\frac{\underset{\text{past}}{\text{mean}}\, |y - p|}",
            ),
        ],
        [
            Entry("z", standardised, "past", {"x": "past[168]"}),
            Entry("h", trunk, "out", {"r": "past[168]"}, TRUNK),
            Entry("F", lambda: future_basis(4), "coef future", chosen={"coef": 4}),
            Entry(
                r"\hat y",
                point_forecast,
                "future",
                {"x": "past[168]"},
                {"block__1": BLOCK, "block__2": BLOCK},
                chosen={"L": 2},
            ),
            Entry(
                "q",
                lambda f, d: f + (offsets(d) - offsets(d).mean())[:, None],
                "quant future",
                {"f": "future[24]"},
                {"delta": "quant[9]"},
            ),
            Entry(
                r"\rho", pinball, "quant future", {"y": "future[24]", "q": "quant[9] future[24]"}
            ),
            Entry(
                r"\mathcal{L}",
                lambda y, q: pinball(y, q).mean(),
                "",
                {"y": "future[24]", "q": "quant[9] future[24]"},
            ),
            Entry("MASE", mase, "", {"x": "past[168]", "y": "future[24]", "p": "future[24]"}),
            Entry(
                "coverage",
                lambda y, q: ((q[0] <= y) & (y <= q[8])).mean(),
                "",
                {"y": "future[24]", "q": "quant[9] future[24]"},
            ),
        ],
    ),
    Unseen(
        "feed_ranker.md",
        r"""# RFC 147: a stage-two ranker for the marketplace feed

| | |
|---|---|
| Status | accepted, in rollout |
| Owner | Feed Ranking |
| Supersedes | RFC 98 (gradient boosted trees) |

## 1. Why

The trees have no memory of what a member looked at five minutes ago, and three separate models for click, save and purchase
disagree with each other. We propose one network. **Non-goals:** candidate generation, diversity, ads.

## 2. Features

One impression is described by

* $c \in [B]^{\text{field}:F}$ -- hashed ids of the categorical fields (seller, category, city, ...);
* $u \in \mathbb{R}_+^{\text{num}}$ -- counts and prices;
* $H \in \mathbb{R}^{\text{hist}:n, \text{emb}:d}$ -- embeddings of the last items that the member opened, and
  $v \in \{0, 1\}^{\text{hist}:n}$, which is 0 for padding;
* $q \in \mathbb{R}^{\text{emb}:d}$ -- the embedding of the item to be ranked.

Each field has a table of its own in $E \in \mathbb{R}^{\text{field}:F, \text{bucket}:B, \text{emb}:d}$; the lookup is

```math
e_{\text{field}:i, \text{emb}:k} = E_{\text{field}:i, \text{bucket}:c_i, \text{emb}:k}
```

The history is pooled by what it has to do with the candidate. As in DIN, weights are not normalised, so that ten views count for more than one:

```math
\begin{aligned}
a &= w \underset{\text{att}}{\cdot} \text{ReLU}\left( A_1 \underset{\text{emb}}{\cdot} H + A_2 \underset{\text{emb}}{\cdot} q + A_3 \underset{\text{emb}}{\cdot} (H \odot q) \right) \\
g &= (v \odot a) \underset{\text{hist}}{\cdot} H
\end{aligned}
```

where $A_1, A_2, A_3 \in \mathbb{R}^{\text{emb}:d, \text{att}}$ and $w \in \mathbb{R}^{\text{att}}$. Everything is then laid side by side:

```math
x^0 = \left[ [e]_{(\text{field}, \text{emb}) \rightarrow \text{feat}} ; [\log(1 + u)]_{\text{num} \rightarrow \text{feat}} ; [g]_{\text{emb} \rightarrow \text{feat}} \right]_{\text{feat}}
```

## 3. Crossing

$L = 3$ layers of a cross network (DCN-v2):

```math
x^l = x^0 \odot \left( [W^l \underset{\text{feat}}{\cdot} x^{l-1}]_{\text{feat}' \rightarrow \text{feat}} + b^l \right) + x^{l-1}, \qquad l = 1, \ldots, L
```

- $W^l \in \mathbb{R}^{\text{feat}, \text{feat}'}$: full matrices. Optionally they are of low rank, $W^l = U^l \underset{\text{rank}}{\cdot} V^l$
  with $U^l \in \mathbb{R}^{\text{feat}', \text{rank}}$ and $V^l \in \mathbb{R}^{\text{feat}, \text{rank}}$; we do not need that yet.
- $b^l \in \mathbb{R}^{\text{feat}}$: biases.

## 4. Experts and tasks

The tasks are click, save and purchase, in this order, $|\text{task}| = 3$. A gate for each task mixes shared experts:

```math
\begin{aligned}
f(x) &= \text{ReLU}(D \underset{\text{feat}}{\cdot} x + b_D) \\
\omega(x) &= \underset{\text{expert}}{\text{softmax}}(G \underset{\text{feat}}{\cdot} x) \\
m(x) &= \omega(x) \underset{\text{expert}}{\cdot} f(x) \\
\ell(x) &= T \underset{\text{hid}}{\cdot} m(x) + \beta
\end{aligned}
```

| | shape | |
|---|---|---|
| $x$ | $\mathbb{R}^{\text{feat}}$ | what the cross network gives |
| $D$ | $\mathbb{R}^{\text{expert}, \text{feat}, \text{hid}}$ | experts |
| $b_D$ | $\mathbb{R}^{\text{expert}, \text{hid}}$ | |
| $G$ | $\mathbb{R}^{\text{task}, \text{feat}, \text{expert}}$ | gates |
| $T$ | $\mathbb{R}^{\text{task}, \text{hid}}$ | towers, one layer each |
| $\beta$ | $\mathbb{R}^{\text{task}}$ | |

An item at the top is clicked more, good or not. The click model therefore knows the slot $r \in [50]$ and has a bias $\zeta \in \mathbb{R}^{\text{slot}:50}$ for it,
and a purchase needs a click first:

```math
\begin{aligned}
p_{\text{click}}(x, r) &= \sigma\left( \ell(x)_{\text{task}:1} + \zeta_{\text{slot}:r} \right) \\
p_{\text{buy}}(x, r) &= p_{\text{click}}(x, r) \, \sigma\left( \ell(x)_{\text{task}:3} \right)
\end{aligned}
```

When serving, every item is scored as if it stood in the first slot. Product owners set $\alpha \in \mathbb{R}^{\text{task}}$, and the feed is sorted by

```math
S(x) = \sum_{\text{task}} \alpha \odot \log \sigma(\ell(x)) .
```

## 5. Training

For a batch $X \in \mathbb{R}^{\text{batch}, \text{feat}}$ with labels $y \in \{0, 1\}^{\text{batch}, \text{task}}$, the loss of each task and their sum, with
learned log-variances $\eta \in \mathbb{R}^{\text{task}}$, are

```math
\begin{aligned}
J(X, y) &= - \underset{\text{batch}}{\text{mean}} \left( y \odot \log \sigma(\ell(X)) + (1 - y) \odot \log(1 - \sigma(\ell(X))) \right) \\
\mathcal{L}(X, y) &= \sum_{\text{task}} \left( e^{-\eta} \odot J(X, y) + \eta \right)
\end{aligned}
```

To keep the embeddings useful for retrieval we add $\lambda \mathcal{R}$ with $\lambda = 0.1$: members $P \in \mathbb{R}^{\text{batch}, \text{emb}:d}$ shall find their
items $Q \in \mathbb{R}^{\text{batch}, \text{emb}:d}$ among those of the batch, corrected for popularity $\kappa \in (0, 1)^{\text{batch}}$ (an item's share of impressions):

```math
\begin{aligned}
s &= \frac{1}{\tau} P \underset{\text{emb}}{\cdot} [Q]_{\text{batch} \rightarrow \text{batch}'} - [\log \kappa]_{\text{batch} \rightarrow \text{batch}'} \\
\mathcal{R} &= - \frac{1}{|\text{batch}|} \sum_i \left( s_{\text{batch}:i, \text{batch}':i} - \log \sum_j \exp s_{\text{batch}:i, \text{batch}':j} \right)
\end{aligned}
```

with a temperature $\tau$ that defaults to $0.05$.

## 6. Metrics

Offline we look at impressions $s \in \mathbb{R}^{\text{imp}}$ (scores) with $y \in \{0, 1\}^{\text{imp}}$ (clicked), and at graded relevance
$\rho, \hat\rho \in \mathbb{R}^{\text{rank}}$ in the order of the model and in the best order:

```math
\begin{aligned}
\text{AUC}(s, y) &= \frac{\sum_i \sum_j y_{\text{imp}:i} (1 - y_{\text{imp}:j}) [s_{\text{imp}:i} > s_{\text{imp}:j}]}{\left( \sum_{\text{imp}} y \right) \left( \sum_{\text{imp}} (1 - y) \right)} \\
\text{DCG}(\rho) &= \sum_{j=1}^{10} \frac{2^{\rho_{\text{rank}:j}} - 1}{\log_2(j + 1)} \\
\text{NDCG}(\rho, \hat\rho) &= \frac{\text{DCG}(\rho)}{\text{DCG}(\hat\rho)}
\end{aligned}
```

Launch criterion: $+0.5\,\%$ NDCG with calibration $\sum_{\text{imp}} \sigma(s) / \sum_{\text{imp}} y$ between 0.98 and 1.02.

## 7. Open questions

- [ ] Do we need one gate per country?
- [x] Can the tables be sharded by field? Yes.
""",
        [
            Fault(
                r"g &= (v \odot a) \underset{\text{hist}}{\cdot} H",
                r"g &= (v \odot a) \underset{\text{att}}{\cdot} H",
            ),
            Fault(
                r"m(x) &= \omega(x) \underset{\text{expert}}{\cdot} f(x)",
                r"m(x) &= \omega(x) \underset{\text{hid}}{\cdot} f(x)",
            ),
            Fault(
                r"\sum_{\text{task}} \left( e^{-\eta} \odot J(X, y) + \eta \right)",
                r"\sum_{\text{batch}} \left( e^{-\eta} \odot J(X, y) + \eta \right)",
            ),
        ],
        [
            Entry(
                "e",
                lambda E, c: np.stack([E[i, c[i]] for i in range(3)]),
                "field emb",
                {"E": "field[3] bucket[5] emb[2]", "c": "field[3] ~ whole 5"},
            ),
            Entry(
                "g",
                pooled,
                "emb",
                {
                    "v": "hist[4] ~ bits",
                    "w": "att[3]",
                    "A_1": "emb[2] att[3]",
                    "H": "hist[4] emb[2]",
                    "A_2": "emb[2] att[3]",
                    "q": "emb[2]",
                    "A_3": "emb[2] att[3]",
                },
            ),
            Entry(r"\ell", logits, "task", {"x": "feat[4]"}, MIXTURE),
            Entry(
                r"p_{\text{buy}}",
                lambda x, r, *rest: (
                    sigmoid(logits(x, *rest[:-1])[0] + rest[-1][r])
                    * sigmoid(logits(x, *rest[:-1])[2])
                ),
                "",
                {"x": "feat[4]", "r": 7, **MIXTURE, "zeta": "slot[50]"},
            ),
            Entry(
                "S",
                lambda x, alpha, *rest: (alpha * np.log(sigmoid(logits(x, *rest)))).sum(),
                "",
                {"x": "feat[4]", "alpha": "task[3]", **MIXTURE},
            ),
            Entry(
                "J",
                task_losses,
                "task",
                {"X": "batch[6] feat[4]", "y": "batch[6] task[3] ~ bits", **MIXTURE},
            ),
            Entry(
                r"\mathcal{L}",
                lambda X, y, eta, *rest: (np.exp(-eta) * task_losses(X, y, *rest) + eta).sum(),
                "",
                {
                    "X": "batch[6] feat[4]",
                    "y": "batch[6] task[3] ~ bits",
                    "eta": "task[3]",
                    **MIXTURE,
                },
            ),
            Entry(
                r"\mathcal{R}",
                sampled_softmax,
                "",
                {
                    "tau": 0.3,
                    "P": "batch[4] emb[2]",
                    "Q": "batch[4] emb[2]",
                    "kappa": "batch[4] ~ probability batch",
                },
            ),
            Entry("AUC", auc, "", {"s": "imp[6]", "y": "imp[6] ~ first 3"}),
            Entry(
                "NDCG",
                lambda a, b: dcg(a) / dcg(b),
                "",
                {"rho": "rank[12] ~ counts", "rhohat": "rank[12] ~ counts"},
            ),
        ],
    ),
    Unseen(
        "pair_representation.tex",
        r"""\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb,booktabs,namedtensor}
\ndef{\row}{row} \ndef{\res}{res} \ndef{\chan}{chan} \ndef{\pair}{pair}
\ndef{\hd}{head} \ndef{\key}{key} \ndef{\acid}{acid} \ndef{\rel}{rel} \ndef{\dist}{dist}
\ndef{\ca}{left} \ndef{\cb}{right} \ndef{\hid}{hid}
\newcommand{\R}{\mathbb{R}}
\newcommand{\reals}[1]{\mathbb{R}^{#1}}
\newcommand{\LN}{\operatorname{LN}}
\newcommand{\Ldist}{\mathcal{L}_{\mathrm{dist}}}
\newcommand{\Lmsa}{\mathcal{L}_{\mathrm{msa}}}
\begin{document}
\section{Methods}

\paragraph{Data.} We took 3\,842 non-redundant chains with deep alignments (at least 64 sequences) and held out 412 of them by fold. Contacts are pairs of
residues whose C$_\beta$ atoms are closer than 8\,\AA.

\paragraph{Notation.} An alignment has $N$ rows and $L$ columns (residues). The network keeps two representations, one of the alignment,
$M \in \reals{\row[N] \times \res[L] \times \chan}$, and one of pairs of residues, $Z \in \reals{\res[L] \times \res'[L] \times \pair}$. Axes are named as in
Chiang et al.; primes mark the second residue of a pair.

\subsection{Input features}
The target sequence is one-hot, $T \in \{0,1\}^{\res[L] \times \acid[21]}$. A pair knows both its amino acids and how far they are apart in the chain, clipped at
32 residues:
\begin{align}
Z^0_{\res(i), \res'(j)} &= U_{\res(i)} + V_{\res(j)} + P_{\rel(d_{ij})} \label{eq:init} \\
d_{ij} &= \min(\max(i - j, -32), 32) + 33 \nonumber
\end{align}
where $U = A \ndot{\acid} T$ and $V = B \ndot{\acid} T$ with learned $A, B \in \reals{\acid[21] \times \pair}$ and $P \in \reals{\rel[65] \times \pair}$.

\subsection{Layers}
Layer normalization is over the last axis of either representation; for the alignment,
\begin{equation}
\LN(M) = \frac{M - \nfun{\chan}{mean}(M)}{\sqrt{\nfun{\chan}{var}(M) + \epsilon}} .
\end{equation}

\paragraph{Outer product mean.} Two projections of the alignment are multiplied for each pair of columns and averaged over the rows,
\begin{align}
a &= W^a \ndot{\chan} \LN(M), \qquad b = W^b \ndot{\chan} \LN(M) \nonumber \\
O &= \frac{1}{N} \, a \ndot{\row} b_{\res \to \res'} \label{eq:opm} \\
\Delta Z &= W^o \ndot{\ca, \cb} O , \nonumber
\end{align}
with $W^a \in \reals{\chan \times \ca}$, $W^b \in \reals{\chan \times \cb}$ and $W^o \in \reals{\ca \times \cb \times \pair}$.

\paragraph{Attention along rows with pair bias.} Within a row, residue $i$ attends to residue $j$ with a bias that the pair gives:
\begin{align}
Q &= W^Q \ndot{\chan} \LN(M), \quad K = W^K \ndot{\chan} \LN(M)_{\res \to \res'}, \quad V = W^V \ndot{\chan} \LN(M)_{\res \to \res'} \nonumber \\
\alpha &= \nfun{\res'}{softmax} \left( \frac{Q \ndot{\key} K}{\sqrt{|\key|}} + W^\beta \ndot{\pair} Z \right) \label{eq:rowatt} \\
G &= \sigma(W^G \ndot{\chan} \LN(M)) \nonumber \\
M^{+} &= M + W^{\mathrm{out}} \ndot{\hd, \key} \left( G \odot (\alpha \ndot{\res'} V) \right) . \nonumber
\end{align}
The parameters are listed in Table~\ref{tab:att}.

\begin{table}[t]
\centering
\caption{Parameters of attention. We use 8 heads with keys of size 32.}\label{tab:att}
\begin{tabular}{ll}
\toprule
$W^Q, W^K, W^V, W^G$ & $\reals{\chan \times \hd \times \key}$ \\
$W^\beta$ & $\reals{\pair \times \hd}$ \\
$W^{\mathrm{out}}$ & $\reals{\hd \times \key \times \chan}$ \\
\bottomrule
\end{tabular}
\end{table}

\paragraph{Triangle multiplication.} Let $l, r \in \reals{\res[L] \times \res'[L] \times \hid}$ be two gated projections of $Z$. Edges that leave $i$ and $j$ for a third
residue $k$, and edges that come from it, are combined as
\begin{align}
t^{\mathrm{go}}_{\res(i), \res'(j)} &= \sum_{k=1}^{L} l_{\res(i), \res'(k)} \odot r_{\res(j), \res'(k)} \label{eq:go} \\
t^{\mathrm{come}}_{\res(i), \res'(j)} &= \sum_{k=1}^{L} l_{\res(k), \res'(i)} \odot r_{\res(k), \res'(j)} . \label{eq:come}
\end{align}
Eq.~\eqref{eq:go} is $l_{\res' \to \res''} \ndot{\res''} \left[ r_{\res' \to \res''} \right]_{\res \to \res'}$.

\subsection{Heads and loss}
The distance of a pair does not depend on its order. Logits are therefore computed from the symmetric part of $Z$,
\begin{align}
S_{\res(i), \res'(j)} &= Z_{\res(i), \res'(j)} + Z_{\res(j), \res'(i)} \nonumber \\
p &= \nfun{\dist}{softmax} \left( W^{\mathrm{dist}} \ndot{\pair} S \right), \qquad W^{\mathrm{dist}} \in \reals{\pair \times \dist[37]} .
\end{align}
The first 8 bins are contacts, with probability $c = \sum_{k=1}^{8} p_{\dist(k)}$. For ranking we subtract what two residues have in common with all others
(average product correction),
\begin{equation}
\tilde c = c - \frac{\nfun{\res'}{mean}(c) \odot \nfun{\res}{mean}(c)}{\nfun{\res, \res'}{mean}(c)} . \label{eq:apc}
\end{equation}
With true bins $Y \in \{0,1\}^{\res[L] \times \res'[L] \times \dist[37]}$ and weights $w \in \{0,1\}^{\res[L] \times \res'[L]}$, which are 0 where the structure is not resolved,
\begin{equation}
\Ldist = - \frac{\nsum{\res, \res'} w \odot \nsum{\dist} (Y \odot \log p)}{\nsum{\res, \res'} w} .
\end{equation}
A tenth of the positions of the alignment are masked, $\mu \in \{0,1\}^{\row[N] \times \res[L]}$, and predicted from $M$. The truth is $X \in \{0,1\}^{\row[N] \times \res[L] \times \acid[21]}$:
\begin{align}
\Lmsa &= - \frac{1}{\nsum{\row, \res} \mu} \nsum{\row, \res} \mu \odot \left( \nsum{\acid} X \odot \log \pi \right) \\
\pi &= \nfun{\acid}{softmax} \left( W^{\mathrm{aa}} \ndot{\chan} M \right), \qquad W^{\mathrm{aa}} \in \reals{\chan \times \acid[21]} , \nonumber
\end{align}
and the total is $\mathcal{L} = 0.3\, \Ldist + 2\, \Lmsa$.
\end{document}
""",
        [
            Fault(
                r"O &= \frac{1}{N} \, a \ndot{\row} b_{\res \to \res'}",
                r"O &= \frac{1}{N} \, a \ndot{\chan} b_{\res \to \res'}",
            ),
            Fault(
                r"\left( G \odot (\alpha \ndot{\res'} V) \right)",
                r"\left( G \odot (\alpha \ndot{\row'} V) \right)",
            ),
            Fault(
                r"\left( \nsum{\acid} X \odot \log \pi \right)",
                r"\left( \nsum{\chan} X \odot \log \pi \right)",
            ),
        ],
        [
            Entry(
                "Z^0",
                pair_features,
                "res res' pair",
                {
                    "A": "acid[21] pair[2]",
                    "T": "res[4] acid[21] ~ one-hot acid",
                    "B": "acid[21] pair[2]",
                    "P": "rel[65] pair[2]",
                },
            ),
            Entry(
                "O",
                outer,
                "res left res' right",
                {"Wa": "chan[4] left[2]", "M": "row[5] res[3] chan[4]", "Wb": "chan[4] right[3]"},
            ),
            Entry(r"\alpha", row_weights, "row res res' head", ROWS),
            Entry(
                "M^{+}",
                row_attention,
                "row res chan",
                {
                    **ROWS,
                    "WG": "chan[4] head[2] key[3]",
                    "WV": "chan[4] head[2] key[3]",
                    "W__out": "head[2] key[3] chan[4]",
                },
            ),
            Entry(
                r"t^{\mathrm{go}}",
                lambda a, b: np.einsum("ikc,jkc->ijc", a, b),
                "res res' hid",
                {"l": "res[3] res'[3] hid[2]", "r": "res[3] res'[3] hid[2]"},
            ),
            Entry(
                r"t^{\mathrm{come}}",
                lambda a, b: np.einsum("kic,kjc->ijc", a, b),
                "res res' hid",
                {"l": "res[3] res'[3] hid[2]", "r": "res[3] res'[3] hid[2]"},
            ),
            Entry("p", distances, "res res' dist", HEAD),
            Entry(r"\tilde c", corrected, "res res'", HEAD),
            Entry(
                r"\mathcal{L}_{\mathrm{dist}}",
                distance_loss,
                "",
                {
                    "w": "res[3] res'[3] ~ ones",
                    "Y": "res[3] res'[3] dist[37] ~ one-hot dist",
                    **HEAD,
                },
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{msa}}",
                masked_loss,
                "",
                {
                    "mu": "row[4] res[3] ~ ones",
                    "X": "row[4] res[3] acid[21] ~ one-hot acid",
                    "M": "row[4] res[3] chan[2]",
                    "W__aa": "chan[2] acid[21]",
                },
            ),
        ],
    ),
    Unseen(
        "table_tokens.md",
        r"""# tabtokens

[![tests](https://img.shields.io/badge/tests-passing-green)](https://example.org) Transformers for tables, small enough to read in an evening.

```bash
pip install tabtokens
tabtokens fit churn.csv --target churned
```

## Contents

- [Why another one](#why-another-one)
- [The model, precisely](#the-model-precisely)
- [The ensemble](#the-ensemble)
- [What it has looked at](#what-it-has-looked-at)

## Why another one

Because each of the implementations we tried deviates from its paper somewhere. This README is the specification: if code and formulas
differ, please open an issue.

## The model, precisely

A row of the table has numbers $`x \in \mathbb{R}^{\text{num}}`$ and categories $`c \in \{0, \ldots, C - 1\}^{\text{cat}}`$. Both become *tokens* of $`d`$ features.

### Tokens

**Numbers** pass through sines and cosines of learned frequencies, then through a linear layer of their own.

- $`\nu \in \mathbb{R}^{\text{num}, \text{freq}}`$: frequencies, drawn from $`\mathcal{N}(0, \sigma^2)`$ with $`\sigma = 0.1`$
- $`W^{\sin}, W^{\cos} \in \mathbb{R}^{\text{num}, \text{freq}, \text{emb}}`$: weights
- $`b^{\text{num}} \in \mathbb{R}^{\text{num}, \text{emb}}`$: biases

```math
t^{\text{num}} = \text{ReLU}\left( W^{\sin} \underset{\text{freq}}{\cdot} \sin(2 \pi \nu \odot x) + W^{\cos} \underset{\text{freq}}{\cdot} \cos(2 \pi \nu \odot x) + b^{\text{num}} \right)
```

**Categories** are rows of one table for each column, and get a bias by column:

- $`E \in \mathbb{R}^{\text{cat}, \text{level}:C, \text{emb}}`$: the tables (columns with fewer than $`C`$ levels leave rows unused)
- $`b^{\text{cat}} \in \mathbb{R}^{\text{cat}, \text{emb}}`$: biases

```math
t^{\text{cat}}_{\text{cat}:j, \text{emb}:k} = E_{\text{cat}:j, \text{level}:c_j, \text{emb}:k} + b^{\text{cat}}_{\text{cat}:j, \text{emb}:k}
```

In front stands a token $`t^{\text{cls}} \in \mathbb{R}^{\text{tok}:1, \text{emb}}`$ that belongs to no column:

```math
X^0 = \left[ t^{\text{cls}} ; [t^{\text{num}}]_{\text{num} \rightarrow \text{tok}} ; [t^{\text{cat}}]_{\text{cat} \rightarrow \text{tok}} \right]_{\text{tok}}
```

### A layer

Let $`X \in \mathbb{R}^{\text{tok}, \text{emb}}`$. Normalisation, attention and feed-forward network (ReGLU) are

```math
\begin{aligned}
\text{norm}(X; \gamma, \beta) &= \frac{X - \underset{\text{emb}}{\text{mean}}(X)}{\sqrt{\underset{\text{emb}}{\text{var}}(X) + \epsilon}} \odot \gamma + \beta \\
A(X; W^Q, W^K) &= \underset{\text{tok}}{\text{softmax}} \left( \frac{ \left( W^Q \underset{\text{emb}}{\cdot} [X]_{\text{tok} \rightarrow \text{tok}'} \right) \underset{\text{key}}{\cdot} \left( W^K \underset{\text{emb}}{\cdot} X \right) }{\sqrt{|\text{key}|}} \right) \\
\text{att}(X; W^Q, W^K, W^V, W^O) &= \left[ W^O \underset{\text{head}, \text{key}}{\cdot} \left( A(X) \underset{\text{tok}}{\cdot} (W^V \underset{\text{emb}}{\cdot} X) \right) \right]_{\text{tok}' \rightarrow \text{tok}} \\
\text{ffn}(X; W^1, W^2, W^3) &= W^2 \underset{\text{hid}}{\cdot} \left( (W^1 \underset{\text{emb}}{\cdot} X) \odot \text{ReLU}(W^3 \underset{\text{emb}}{\cdot} X) \right)
\end{aligned}
```

<details>
<summary>Shapes</summary>

| Parameter | Shape |
|---|---|
| $`\gamma, \beta`$ | $`\mathbb{R}^{\text{emb}}`$ |
| $`W^Q, W^K, W^V`$ | $`\mathbb{R}^{\text{head}, \text{emb}, \text{key}}`$ |
| $`W^O`$ | $`\mathbb{R}^{\text{head}, \text{key}, \text{emb}}`$ |
| $`W^1, W^3`$ | $`\mathbb{R}^{\text{emb}, \text{hid}}`$ |
| $`W^2`$ | $`\mathbb{R}^{\text{hid}, \text{emb}}`$ |

</details>

The rule of thumb is $`|\text{hid}| = \frac{4}{3} |\text{emb}|`$. A layer is

```math
\text{layer}(X) = Y + \text{ffn}^1(\text{norm}^2(Y)), \qquad Y = X + \text{att}^1(\text{norm}^1(X))
```

with two norms, each with its own $`\gamma`$ and $`\beta`$. Optionally (`--skip-first-norm`, the default of the paper) the first layer leaves out the first of its two norms.

### Output

Only the first token is read, $`w \in \mathbb{R}^{\text{emb}}`$, $`b \in \mathbb{R}`$:

```math
\hat y(X) = w \underset{\text{emb}}{\cdot} \text{ReLU}\left( \text{norm}(X; \gamma, \beta)_{\text{tok}:1} \right) + b
```

## The ensemble

`--members 32` replaces each linear layer by a *batch ensemble*: all members share $`R \in \mathbb{R}^{\text{in}, \text{out}}`$, and each scales what goes in and what comes out,
$`r \in \mathbb{R}^{\text{member}, \text{in}}`$ and $`s \in \mathbb{R}^{\text{member}, \text{out}}`$.

```math
\begin{aligned}
\text{lin}(h; R, r, s) &= s \odot \left( R \underset{\text{in}}{\cdot} (r \odot h) \right) && h \in \mathbb{R}^{\text{member}, \text{in}} \\
\bar f(o) &= \underset{\text{member}}{\text{mean}}\, o && o \in \mathbb{R}^{\text{member}} \\
\text{spread}(o) &= \sqrt{ \frac{1}{|\text{member}| - 1} \sum_{\text{member}} (o - \bar f(o))^2 }
\end{aligned}
```

Members are trained separately -- the loss is the mean of their losses, not the loss of their mean. For a target $`y \in \mathbb{R}`$:

```math
\mathcal{L}(o, y) = \underset{\text{member}}{\text{mean}} (o - y)^2 = (\bar f(o) - y)^2 + \underset{\text{member}}{\text{mean}} (o - \bar f(o))^2
```

## What it has looked at

The weights with which the first token looks at token $`j`$, averaged over heads, are

```math
\phi(X; W^Q, W^K)_{\text{tok}:j} = \underset{\text{head}}{\text{mean}}\, A(X)_{\text{tok}':1, \text{tok}:j}
```

They sum to 1, $`\sum_{\text{tok}} \phi(X; W^Q, W^K) = 1`$. They are not an explanation; see `docs/faq.md`.
""",
        [
            Fault(
                r"W^{\cos} \underset{\text{freq}}{\cdot} \cos(2 \pi \nu \odot x)",
                r"W^{\cos} \underset{\text{emb}}{\cdot} \cos(2 \pi \nu \odot x)",
            ),
            Fault(
                r"W^Q \underset{\text{emb}}{\cdot} [X]_{\text{tok} \rightarrow \text{tok}'}",
                r"W^Q \underset{\text{emb}}{\cdot} X",
                r"\text{att}(X; W^Q, W^K, W^V, W^O) &=",
            ),
            Fault(
                r"R \underset{\text{in}}{\cdot} (r \odot h)",
                r"R \underset{\text{out}}{\cdot} (r \odot h)",
            ),
        ],
        [
            Entry(
                r"t^{\text{num}}",
                number_tokens,
                "num emb",
                {
                    "x": "num[3]",
                    "nu": "num[3] freq[2]",
                    "W__sin": "num[3] freq[2] emb[4]",
                    "W__cos": "num[3] freq[2] emb[4]",
                    "b__num": "num[3] emb[4]",
                },
            ),
            Entry(
                r"t^{\text{cat}}",
                category_tokens,
                "cat emb",
                {
                    "c": "cat[3] ~ whole 5",
                    "E": "cat[3] level[5] emb[2]",
                    "b__cat": "cat[3] emb[2]",
                },
            ),
            Entry("A", token_weights, "head tok' tok", {"X": "tok[5] emb[4]"}, LOOKING),
            Entry(
                "att",
                token_attention,
                "tok emb",
                {"X": "tok[5] emb[4]"},
                {**LOOKING, "WV": "head[2] emb[4] key[3]", "WO": "head[2] key[3] emb[4]"},
            ),
            Entry(
                "ffn",
                gated_network,
                "tok emb",
                {"X": "tok[5] emb[4]"},
                {"W1": "emb[4] hid[6]", "W2": "hid[6] emb[4]", "W3": "emb[4] hid[6]"},
            ),
            Entry(
                "lin",
                lambda h, R, r, s: s * ((r * h) @ R),
                "member out",
                {"h": "member[3] in[4]"},
                {"R": "in[4] out[2]", "r": "member[3] in[4]", "s": "member[3] out[2]"},
            ),
            Entry("spread", lambda o: o.std(ddof=1), "", {"o": "member[5]"}),
            Entry(
                r"\mathcal{L}",
                lambda o, y: ((o - y) ** 2).mean(),
                "",
                {"o": "member[5]", "y": 0.7},
            ),
            Entry(
                r"\phi",
                lambda X, Q, K: token_weights(X, Q, K).mean(0)[0],
                "tok",
                {"X": "tok[5] emb[4]"},
                LOOKING,
            ),
        ],
    ),
    Unseen(
        "sparse_report.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb,booktabs,namedtensor,hyperref}
\ndef{\seq}{seq} \ndef{\emb}{emb} \ndef{\vocab}{vocab}
\ndef{\kv}{kv} \ndef{\grp}{grp} \ndef{\pair}{pair} \ndef{\two}{two} \ndef{\val}{val}
\ndef{\expert}{expert} \ndef{\slot}{slot} \ndef{\hid}{hid} \ndef{\shid}{shared}
\newcommand{\R}{\mathbb{R}}
\DeclareMathOperator{\rms}{rms}
\DeclareMathOperator{\rope}{rope}
\DeclareMathOperator{\silu}{silu}
\DeclareMathOperator{\attn}{attn}
\DeclareMathOperator{\moe}{moe}
\newcommand{\Lce}{\mathcal{L}_{\mathrm{ce}}}
\newcommand{\Lz}{\mathcal{L}_{\mathrm{z}}}
\newcommand{\Lbal}{\mathcal{L}_{\mathrm{bal}}}
\newcommand{\Lrz}{\mathcal{L}_{\mathrm{rz}}}
\title{Tern-12B: Technical Report}
\author{The Tern team}
\begin{document}
\maketitle

\section{Overview}
Tern-12B is a sparse decoder with 12.1 billion parameters, of which 2.3 billion are used for a token. This section fixes sizes, the next ones give
every formula that the released code evaluates. Differences to our earlier models are in Appendix A of the model card.

\begin{table}[h]
\centering
\begin{tabular}{lll}
\toprule
Size & Symbol & Value \\
\midrule
model width & $d = |\emb|$ & 2048 \\
width of the proxy model & $d_0$ & 256 \\
groups of keys and values & $|\kv|$ & 4 \\
queries in a group & $|\grp|$ & 4 \\
experts, of which 2 are active & $E = |\expert|$ & 32 \\
vocabulary & $|\vocab|$ & 131\,072 \\
layers & $L$ & 28 \\
\bottomrule
\end{tabular}
\caption{Sizes.}
\end{table}

Let $X \in \R^{\seq \times \emb}$ be the residual stream. All norms are without centring,
\begin{equation}
\rms(X; \gamma) = \frac{X}{\sqrt{\nfun{\emb}{mean}(X^2) + \epsilon}} \odot \gamma, \qquad \gamma \in \R^{\emb} .
\end{equation}

\section{Attention}
\subsection{Positions}
The two halves of a rotated plane are the axis $\two[2]$, planes are the axis $\pair$; thus a head has $2 |\pair|$ dimensions. Frequencies fall geometrically
from 1 with base $b = 500\,000$,
\begin{equation}
\theta_{\pair(j)} = b^{-(j - 1) / |\pair|} .
\end{equation}
For contexts $c$ times as long as in pre-training, slow planes are interpolated and fast ones are left alone. With the number of turns $\tau$ that a plane makes
in the original window of $n_0 = 4096$ tokens,
\begin{equation}
\tau = \frac{n_0}{2 \pi} \, \theta, \qquad
\omega = \min\Bigl(1, \max\bigl(0, \tfrac{\tau - 1}{31}\bigr)\Bigr), \qquad
\tilde\theta = (1 - \omega) \odot \frac{\theta}{c} + \omega \odot \theta .
\end{equation}
Rotation by position, for $Y \in \R^{\seq \times \pair \times \two}$:
\begin{align}
\rope(Y)_{\seq(t), \pair(j), \two(1)} &= \cos(t \tilde\theta_{\pair(j)}) Y_{\seq(t), \pair(j), \two(1)} - \sin(t \tilde\theta_{\pair(j)}) Y_{\seq(t), \pair(j), \two(2)} \nonumber \\
\rope(Y)_{\seq(t), \pair(j), \two(2)} &= \sin(t \tilde\theta_{\pair(j)}) Y_{\seq(t), \pair(j), \two(1)} + \cos(t \tilde\theta_{\pair(j)}) Y_{\seq(t), \pair(j), \two(2)} .
\end{align}

\subsection{Grouped queries, windows and sinks}
Queries have both $\kv$ and $\grp$, keys and values only $\kv$:
\begin{align}
Q &= \rope\bigl(W^Q \ndot{\emb} X\bigr)_{\seq \to \seq'} & W^Q &\in \R^{\emb \times \kv \times \grp \times \pair \times \two} \nonumber \\
K &= \rope\bigl(W^K \ndot{\emb} X\bigr) & W^K &\in \R^{\emb \times \kv \times \pair \times \two} \\
V &= W^V \ndot{\emb} X & W^V &\in \R^{\emb \times \kv \times \val} \nonumber
\end{align}
Three layers out of four see a window of $w$ tokens and the first $s$ tokens of the document:
\begin{equation}
M_{\seq'(i), \seq(j)} = \begin{cases} 0 & j \le i \text{ and } i - j < w \\ 0 & j \le i \text{ and } j \le s \\ -\infty & \text{otherwise.} \end{cases} \label{eq:window}
\end{equation}
Scores are divided by the dimension of a head and not by its root, as $\mu$P asks for. Each head may also attend to nothing: a learned logit $\beta \in \R^{\kv \times \grp}$
takes part in the normaliser.
\begin{align}
S &= \frac{Q \ndot{\pair, \two} K}{2 |\pair|} + M \nonumber \\
A &= \frac{\exp S}{\exp \beta + \nsum{\seq} \exp S} \\
\attn(X; W, \beta) &= \left[ W^O \ndot{\kv, \grp, \val} \bigl( A \ndot{\seq} V \bigr) \right]_{\seq' \to \seq} & W^O &\in \R^{\kv \times \grp \times \val \times \emb} \nonumber
\end{align}

\section{Mixture of experts}
The router $R \in \R^{\emb \times \expert}$ computes logits $z = R \ndot{\emb} X$ in double precision. The two largest probabilities stay and are scaled to sum to one:
\begin{align}
p &= \nfun{\expert}{softmax} z \nonumber \\
\kappa &= \nfun{\slot}{min}\, \nfun{\expert, \slot}{top_2}(p) \nonumber \\
T &= \mathbb{1}[p \ge \kappa], \qquad g = \frac{T \odot p}{\nsum{\expert} (T \odot p)} \\
\moe(X) &= G^2 \ndot{\shid} \silu\bigl(G^1 \ndot{\emb} X\bigr) + g \ndot{\expert} \Bigl( F^2 \ndot{\hid} \bigl( \silu(F^1 \ndot{\emb} X) \odot (F^3 \ndot{\emb} X) \bigr) \Bigr) \nonumber
\end{align}
\begin{itemize}
\item $F^1, F^3 \in \R^{\expert \times \emb \times \hid}$ and $F^2 \in \R^{\expert \times \hid \times \emb}$: routed experts,
\item $G^1 \in \R^{\emb \times \shid}$ and $G^2 \in \R^{\shid \times \emb}$: the shared expert, which sees every token,
\item $\silu(x) = x \odot \sigma(x)$.
\end{itemize}
Two auxiliary losses keep the router healthy. Balance compares what is assigned with what is wished for; the other one (\emph{z-loss}) keeps logits small:
\begin{align}
\Lbal &= \frac{E}{2} \nsum{\expert} \nfun{\seq}{mean}(T) \odot \nfun{\seq}{mean}(p) \\
\Lrz &= \nfun{\seq}{mean} \Bigl( \log \nsum{\expert} \exp z \Bigr)^2
\end{align}
At perfect balance $\Lbal = 1$.

\section{Output and loss}
Embeddings are not tied. The unembedding $U \in \R^{\emb \times \vocab}$ has the multiplier $1 / m$ with $m = d / d_0$, so that hyperparameters found at $d_0$ hold at $d$:
\begin{equation}
Z(X; U, \gamma) = \frac{d_0}{d} \, U \ndot{\emb} \rms(X; \gamma) .
\end{equation}
For logits $Z \in \R^{\seq \times \vocab}$ and next tokens $y \in [v]^{\seq}$, where $v = |\vocab|$,
\begin{align}
\Lce(Z, y) &= - \nfun{\seq}{mean} \Bigl( Z - \log \nsum{\vocab} \exp Z \Bigr)_{\vocab(y)} \\
\Lz(Z) &= \nfun{\seq}{mean} \Bigl( \log \nsum{\vocab} \exp Z \Bigr)^2
\end{align}
and we minimise $\Lce + 10^{-4} \Lz + 10^{-2} \Lbal + 10^{-3} \Lrz$, the last two summed over layers.
\end{document}
""",
        [
            Fault(
                r"\bigl( A \ndot{\seq} V \bigr)",
                r"\bigl( A \ndot{\seq'} V \bigr)",
            ),
            Fault(
                r"W^V &\in \R^{\emb \times \kv \times \val}",
                r"W^V &\in \R^{\emb \times \kv \times \hid}",
                r"W^O \ndot{\kv, \grp, \val}",
            ),
            Fault(
                r"\frac{E}{2} \nsum{\expert} \nfun{\seq}{mean}(T)",
                r"\frac{E}{2} \nsum{\expert} \nfun{\slot}{mean}(T)",
            ),
        ],
        [
            Entry(
                r"\operatorname{rms}",
                lambda X, g: X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) * g,
                "seq emb",
                {"X": "seq[3] emb[4]"},
                {"gamma": "emb[4]"},
            ),
            Entry(
                r"\tilde\theta",
                lambda c: stretched(c, 6),
                "pair",
                {"c": 4.0},
                chosen={"pair": 6},
            ),
            Entry(
                r"\operatorname{rope}",
                lambda Y, c: rotated(Y, c),
                "seq pair two",
                {"Y": "seq[5] pair[3] two[2]", "c": 4.0},
            ),
            Entry(
                "M",
                lambda w, s: window(6, w, s),
                "seq' seq",
                {"w": 2, "s": 1},
                chosen={"seq": 6},
            ),
            Entry(
                r"\operatorname{attn}",
                sink_attention,
                "seq emb",
                {"X": "seq[5] emb[4]"},
                {
                    "WQ": "emb[4] kv[2] grp[3] pair[3] two[2]",
                    "WK": "emb[4] kv[2] pair[3] two[2]",
                    "WV": "emb[4] kv[2] val[2]",
                    "WO": "kv[2] grp[3] val[2] emb[4]",
                    "beta": "kv[2] grp[3]",
                    "c": 4.0,
                    "w": 2,
                    "s": 1,
                },
            ),
            Entry(
                r"\operatorname{moe}",
                experts,
                "seq emb",
                {
                    "X": "seq[5] emb[4]",
                    "G1": "emb[4] shared[3]",
                    "G2": "shared[3] emb[4]",
                    "R": "emb[4] expert[6]",
                    "F1": "expert[6] emb[4] hid[3]",
                    "F2": "expert[6] hid[3] emb[4]",
                    "F3": "expert[6] emb[4] hid[3]",
                },
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{bal}}",
                balance,
                "",
                {"X": "seq[5] emb[4]", "R": "emb[4] expert[6]"},
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{rz}}",
                lambda X, R: (log_normaliser(X @ R) ** 2).mean(),
                "",
                {"X": "seq[5] emb[4]", "R": "emb[4] expert[6]"},
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{ce}}",
                lambda Z, y: (log_normaliser(Z) - Z[np.arange(len(y)), y]).mean(),
                "",
                {"Z": "seq[5] vocab[7]", "y": "seq[5] ~ whole 7"},
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{z}}",
                lambda Z: (log_normaliser(Z) ** 2).mean(),
                "",
                {"Z": "seq[5] vocab[7]"},
            ),
        ],
    ),
    Unseen(
        "layer_list.tex",
        r"""\documentclass[12pt,a4paper]{report}
\usepackage{amsmath,amssymb,longtable,booktabs,namedtensor}
\ndef{\elec}{elec} \ndef{\ti}{time} \ndef{\filt}{filt} \ndef{\depth}{depth} \ndef{\tap}{tap}
\ndef{\fr}{frame} \ndef{\st}{step} \ndef{\late}{late} \ndef{\feat}{feat} \ndef{\cl}{class} \ndef{\trial}{trial}
\newcommand{\R}{\mathbb{R}}
\DeclareMathOperator{\ELU}{ELU}
\DeclareMathOperator{\BN}{BN}
\DeclareMathOperator{\pool}{pool}
\begin{document}
\appendix
\chapter{The classifier of motor imagery, layer by layer}
\label{app:layers}

This appendix lists all layers of the network of Chapter~4, a variant of EEGNet, in the order in which a trial passes through them. A trial is
$X \in \R^{\elec[C] \times \ti[N]}$ with $C = 22$ electrodes and $N = 256$ samples (two seconds at 128\,Hz), band-pass filtered to 4--40\,Hz.

\section{Building blocks}
\paragraph{Activation.} The exponential linear unit is
\[
\ELU(x) = \begin{cases} x & x > 0 \\ e^x - 1 & \text{otherwise.} \end{cases}
\]
\paragraph{Batch normalization.} At test time it is an affine map with the moments $m, v \in \R^{\filt}$ that were collected in training, and with learned
$\gamma, \beta \in \R^{\filt}$:
\[
\BN(H; \gamma, \beta, m, v) = \gamma \odot \frac{H - m}{\sqrt{v + \epsilon}} + \beta , \qquad H \in \R^{\filt \times \ti[N]} .
\]
In training $m$ and $v$ are $\nfun{\trial, \ti}{mean}(H)$ and $\nfun{\trial, \ti}{var}(H)$ of a batch.
\paragraph{Pooling.} Averages of four samples that do not overlap,
\[
\pool(h)_{\fr(s)} = \frac{1}{4} \sum_{k=1}^{4} h_{\ti(4(s - 1) + k)}, \qquad s = 1, \ldots, N/4, \quad h \in \R^{\ti[N]} .
\]

\section{Layers}
\begin{longtable}{clll}
\caption{Layers and their parameters. Sizes are $|\filt| = 8$, $|\depth| = 2$, $|\feat| = 16$, $|\cl| = 4$.}\\
\toprule
No. & Layer & Parameters & Number \\
\midrule
1 & temporal filters & $W^1 \in \R^{\filt[8] \times \tap[65]}$ & 520 \\
2 & batch normalization & $\gamma, \beta \in \R^{\filt}$ & 16 \\
3 & spatial filters & $W^3 \in \R^{\filt[8] \times \depth[2] \times \elec[C]}$ & 352 \\
4 & ELU, pooling & -- & 0 \\
5 & slow filters & $W^5 \in \R^{\filt[8] \times \depth[2] \times \late[16]}$ & 256 \\
6 & mixing & $W^6 \in \R^{\filt[8] \times \depth[2] \times \feat[16]}$ & 256 \\
7 & ELU & -- & 0 \\
8 & linear & $W^8 \in \R^{\feat[16] \times \st[49] \times \cl[4]}$, $b^8 \in \R^{\cl[4]}$ & 3\,140 \\
\bottomrule
\end{longtable}

\paragraph{Layer 1.} Each temporal filter is a correlation with 65 taps, centred; the signal is continued with zeros.
\begin{equation}
H^1_{\filt(f), \elec(c), \ti(t)} = \sum_{k=1}^{65} W^1_{\filt(f), \tap(k)} X_{\elec(c), \ti(t + k - 33)}
\end{equation}
where $X_{\elec(c), \ti(t)} = 0$ for $t < 1$ and $t > N$.

\paragraph{Layers 2 to 4.} Every temporal filter has spatial filters of its own (``depthwise''), which combine the electrodes:
\begin{align}
H^3 &= W^3 \ndot{\elec} \BN(H^1; \gamma, \beta, m, v) \\
H^4 &= \pool(\ELU(H^3))
\end{align}
The rows of $W^3$ are kept inside of the unit ball: after each step of the optimiser,
\[
W^3 \leftarrow \frac{W^3}{\max(1, \|W^3\|_{\elec})} .
\]

\paragraph{Layers 5 to 7.} A slow filter for each of the 16 signals, without padding, and a mixture of them:
\begin{align}
H^5_{\filt(f), \depth(d), \st(s)} &= \sum_{k=1}^{16} W^5_{\filt(f), \depth(d), \late(k)} H^4_{\filt(f), \depth(d), \fr(s + k - 1)}, \quad s = 1, \ldots, 49 \\
H^7 &= \ELU\left( W^6 \ndot{\filt, \depth} H^5 \right)
\end{align}

\paragraph{Layer 8.} Finally
\begin{equation}
p = \nfun{\cl}{softmax} \left( W^8 \ndot{\feat, \st} H^7 + b^8 \right) .
\end{equation}

\section{Training and evaluation}
The loss of a trial with one-hot label $y \in \{0,1\}^{\cl[4]}$ is smoothed by $\alpha = 0.1$,
\begin{equation}
J = - \nsum{\cl} \left( (1 - \alpha) y + \frac{\alpha}{|\cl|} \right) \odot \log p .
\end{equation}
Agreement beyond chance is measured with Cohen's $\kappa$. If $K \in \R^{\cl[4] \times \cl'[4]}$ counts trials by true and predicted class,
\begin{align}
n &= \nsum{\cl, \cl'} K, \qquad p_o = \frac{1}{n} \sum_{i=1}^{4} K_{\cl(i), \cl'(i)} \\
p_e &= \frac{1}{n^2} \left[ \nsum{\cl'} K \right] \ndot{\cl} \left[ \nsum{\cl} K \right]_{\cl' \to \cl} \\
\kappa &= \frac{p_o - p_e}{1 - p_e} .
\end{align}

\section{Patterns}
A spatial filter is not a picture of where a source is. Following Haufe et al., patterns are obtained from the covariance of the electrodes,
$\Sigma \in \R^{\elec[C] \times \elec'[C]}$, with
\begin{align}
\Sigma &= \frac{1}{N} (X - \bar x) \ndot{\ti} (X - \bar x)_{\elec \to \elec'}, \qquad \bar x = \nfun{\ti}{mean} X \\
P &= \Sigma \ndot{\elec'} W^3_{\elec \to \elec'}
\end{align}
so that $P \in \R^{\filt[8] \times \depth[2] \times \elec[C]}$ can be drawn on the scalp (Figure~A.1).
\end{document}
""",
        [
            Fault(r"H^3 &= W^3 \ndot{\elec} \BN", r"H^3 &= W^3 \ndot{\tap} \BN"),
            Fault(
                r"$W^6 \in \R^{\filt[8] \times \depth[2] \times \feat[16]}$",
                r"$W^6 \in \R^{\filt[8] \times \feat[16]}$",
                r"H^7 &= \ELU\left( W^6 \ndot{\filt, \depth} H^5 \right)",
            ),
            Fault(
                r"\left[ \nsum{\cl} K \right]_{\cl' \to \cl}",
                r"\left[ \nsum{\cl} K \right]",
            ),
        ],
        [
            Entry(r"\operatorname{ELU}", elu, "time", {"x": "time[5]"}),
            Entry(
                r"\operatorname{BN}",
                lambda H, gamma, beta, m, v: (
                    gamma[:, None] * (H - m[:, None]) / np.sqrt(v[:, None] + 1e-5) + beta[:, None]
                ),
                "filt time",
                {"H": "filt[8] time[256]"},
                NORMED,
            ),
            Entry(r"\operatorname{pool}", averaged, "frame", {"h": "time[256]"}),
            Entry(
                "H^1",
                temporal,
                "filt elec time",
                {"W1": "filt[8] tap[65]", "X": "elec[22] time[256]"},
            ),
            Entry("H^4", layer_four, "filt depth frame", LAYERS),
            Entry(
                "H^5",
                layer_five,
                "filt depth step",
                {**LAYERS, "W5": "filt[8] depth[2] late[16]"},
            ),
            Entry(
                "p",
                classified,
                "class",
                {
                    **LAYERS,
                    "W5": "filt[8] depth[2] late[16]",
                    "W6": "filt[8] depth[2] feat[16]",
                    "W8": "feat[16] step[49] class[4]",
                    "b8": "class[4]",
                },
            ),
            Entry(r"\kappa", cohen, "", {"K": "class[4] class'[4] ~ counts"}),
            Entry(
                r"\Sigma",
                lambda X: np.cov(X, bias=True),
                "elec elec'",
                {"X": "elec[22] time[256]"},
            ),
        ],
    ),
    Unseen(
        "world_losses.md",
        r"""---
title: "Supplementary material: loss terms"
geometry: margin=2.5cm
---

# S1. Notation

Time is the axis $\text{time}$ with $T$ steps, a latent state has $|\text{group}| = 32$ categorical variables with $|\text{class}| = 32$ classes each, and
scalars are predicted as distributions over the axis $\text{bin}$. We write $\text{sg}(\cdot)$ for the operator that stops gradients. Constants are in Table S1.

| Constant | Value | Where |
|:--|--:|:--|
| $\beta_{\text{dyn}}$ | 1 | S3 |
| $\beta_{\text{rep}}$ | 0.1 | S3 |
| free nats | 1 | S3 |
| $\gamma$ | 0.997 | S4 |
| $\lambda$ | 0.95 | S4 |
| $\eta$ | $3 \cdot 10^{-4}$ | S5 |

**Table S1.** Constants, the same for all 150 tasks.

# S2. Scalars as distributions

Rewards and returns differ by orders of magnitude between tasks. All are squashed,

$$
\text{symlog}(x) = \text{sign}(x) \log(|x| + 1), \qquad \text{symexp}(x) = \text{sign}(x) (\exp(|x|) - 1),
$$

and encoded by the two nearest of the equally spaced points $b_{\text{bin}:i} = -20 + 40 \frac{i - 1}{K - 1}$, $i = 1, \ldots, K$. With the spacing $\Delta = \frac{40}{K - 1}$,

$$
\text{twohot}(x)_{\text{bin}:i} = \max\left(0, 1 - \frac{|\text{symlog}(x) - b_{\text{bin}:i}|}{\Delta}\right).
$$

A head with logits $o \in \mathbb{R}^{\text{bin}:K}$ then has the loss and the prediction

$$
\begin{aligned}
\ell(o, x) &= - \sum_{\text{bin}} \text{twohot}(x) \odot \log \underset{\text{bin}}{\text{softmax}}(o) \\
\text{pred}(o) &= \text{symexp}\left( b \underset{\text{bin}}{\cdot} \underset{\text{bin}}{\text{softmax}}(o) \right)
\end{aligned}
$$

# S3. The world model

Let $U, V \in \mathbb{R}^{\text{time}:T, \text{group}, \text{class}}$ be the logits of the posterior (which has seen the image) and of the prior (which has not). One percent of the
uniform distribution is mixed in, so that no probability vanishes:

$$
P = 0.99 \underset{\text{class}}{\text{softmax}}(U) + \frac{0.01}{|\text{class}|}, \qquad
Q = 0.99 \underset{\text{class}}{\text{softmax}}(V) + \frac{0.01}{|\text{class}|} .
$$

The divergence of two such states is a sum over variables,

$$
D(A, B) = \sum_{\text{group}, \text{class}} A \odot (\log A - \log B) \qquad A, B \in [0, 1]^{\text{group}, \text{class}} .
$$

Both networks are pulled towards each other, not equally strongly, and not below one nat:

$$
\begin{aligned}
\mathcal{L}_{\text{dyn}} &= \underset{\text{time}}{\text{mean}} \max(1, D(\text{sg}(P), Q)) \\
\mathcal{L}_{\text{rep}} &= \underset{\text{time}}{\text{mean}} \max(1, D(P, \text{sg}(Q)))
\end{aligned}
$$

Images $I \in [0, 1]^{\text{time}:T, \text{height}, \text{width}, \text{chan}:3}$ are decoded to $\hat I$ of the same shape, and episodes go on, $c \in \{0, 1\}^{\text{time}:T}$, with logits $\hat c \in \mathbb{R}^{\text{time}:T}$:

$$
\begin{aligned}
\mathcal{L}_{\text{image}} &= \underset{\text{time}}{\text{mean}} \sum_{\text{height}, \text{width}, \text{chan}} (I - \hat I)^2 \\
\mathcal{L}_{\text{cont}} &= - \underset{\text{time}}{\text{mean}} \left( c \odot \log \sigma(\hat c) + (1 - c) \odot \log(1 - \sigma(\hat c)) \right) \\
\mathcal{L}_{\text{model}} &= \mathcal{L}_{\text{image}} + \mathcal{L}_{\text{cont}} + \beta_{\text{dyn}} \mathcal{L}_{\text{dyn}} + \beta_{\text{rep}} \mathcal{L}_{\text{rep}}
\end{aligned}
$$

# S4. Returns

In imagination, rewards $r \in \mathbb{R}^{\text{time}:T}$, continuations $c \in [0, 1]^{\text{time}:T}$ and values $v \in \mathbb{R}^{\text{time}:T}$ are predicted. The return of step $t$ is

$$
R_t = r_t + \gamma c_t \left( (1 - \lambda) v_{t+1} + \lambda R_{t+1} \right), \quad t = 1, \ldots, T - 1, \qquad R_T = v_T .
$$

The weight of a step is the probability that the episode has come so far, $w_t = \prod_{s=1}^{t-1} \gamma c_s$.

# S5. Actor and critic

Returns are scaled by their range $\rho > 0$ but only if that is large (small rewards are not blown up). With the log-probabilities $\pi \in \mathbb{R}^{\text{time}:T, \text{act}:n}$ of all actions and the actions taken,
$a \in [n]^{\text{time}:T}$,

$$
\begin{aligned}
\mathcal{L}_{\text{actor}} &= - \sum_{t=1}^{T} \text{sg}\left( w_t \frac{R_t - v_t}{\max(1, \rho)} \right) \pi_{\text{time}:t, \text{act}:a_t} - \eta \sum_{t=1}^{T} w_t H_t \\
H &= - \sum_{\text{act}} \exp(\pi) \odot \pi
\end{aligned}
$$

The critic has logits $O \in \mathbb{R}^{\text{time}:T, \text{bin}:K}$ and is also drawn towards its own moving average $\bar O$, of the same shape:

$$
\mathcal{L}_{\text{critic}} = \sum_{\text{time}} w \odot \left( \ell(O, \text{sg}(R)) + \ell(O, \text{sg}(\text{pred}(\bar O))) \right) .
$$
""",
        [
            Fault(
                r"b \underset{\text{bin}}{\cdot} \underset{\text{bin}}{\text{softmax}}(o)",
                r"b \underset{\text{class}}{\cdot} \underset{\text{bin}}{\text{softmax}}(o)",
            ),
            Fault(
                r"P = 0.99 \underset{\text{class}}{\text{softmax}}(U)",
                r"P = 0.99 \underset{\text{bin}}{\text{softmax}}(U)",
            ),
            Fault(
                r"\sum_{\text{height}, \text{width}, \text{chan}} (I - \hat I)^2",
                r"\sum_{\text{height}, \text{width}, \text{class}} (I - \hat I)^2",
            ),
        ],
        [
            Entry("symexp", symexp, "time", {"x": "time[5]"}),
            Entry("twohot", lambda x: twohot(x, 9), "time bin", {"x": "time[5]"}, chosen={"K": 9}),
            Entry(r"\ell", scalar_loss, "", {"o": "bin[9]", "x": 3.5}),
            Entry("pred", predicted, "", {"o": "bin[9]"}),
            Entry(r"\mathcal{L}_{\text{dyn}}", dynamics, "", STATES),
            Entry(
                r"\mathcal{L}_{\text{cont}}",
                lambda c, o: -(c * np.log(sigmoid(o)) + (1 - c) * np.log(1 - sigmoid(o))).mean(),
                "",
                {"c": "time[5] ~ bits", "chat": "time[5]"},
            ),
            Entry(
                "R",
                returns,
                "time",
                {**IMAGINED, "gamma": 0.9, "lambda_": 0.8},
            ),
            Entry(
                r"\mathcal{L}_{\text{actor}}",
                actor,
                "",
                {
                    **IMAGINED,
                    "rho": 1.7,
                    "pi": "time[6] act[3]",
                    "a": "time[6] ~ whole 3",
                    "eta": 0.1,
                    "gamma": 0.9,
                    "lambda_": 0.8,
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{critic}}",
                critic,
                "",
                {
                    **IMAGINED,
                    "O": "time[6] bin[9]",
                    "Obar": "time[6] bin[9]",
                    "gamma": 0.9,
                    "lambda_": 0.8,
                },
            ),
        ],
    ),
]
