"""Five documents on architectures and losses: speech, cached attention, paired views, linear attention, windows."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .hosts import notebook
from .reach import sigmoid
from .scopes import softmax


def swish(z):
    return z * sigmoid(z)


def layer_norm(x, g, b):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b


def feed_forward(x, U, V, a, b):
    return swish(x @ U + a) @ V + b


def self_attention(x, Q, K, V, O):
    q, k, v = (np.einsum("tc,chk->htk", x, W) for W in (Q, K, V))
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]))
    return np.einsum("htv,hvc->tc", A @ v, O)


def depthwise(u, K):
    T, r = len(u), len(K) // 2
    padded = np.pad(u, ((r, r), (0, 0)))
    return sum(K[j] * padded[j : j + T] for j in range(len(K)))


def convolution(x, P, K, S, mu, nu):
    u, gate = x @ P[:, 0], x @ P[:, 1]
    return swish((depthwise(u * sigmoid(gate), K) - mu) / np.sqrt(nu + 1e-5)) @ S


def conformer(X, g, b, U1, V1, a1, b1, Q, K, V, O, P, D, S, mu, nu, U2, V2, a2, b2):
    x = X + feed_forward(layer_norm(X, g, b), U1, V1, a1, b1) / 2
    x = x + self_attention(layer_norm(x, g, b), Q, K, V, O)
    x = x + convolution(layer_norm(x, g, b), P, D, S, mu, nu)
    return layer_norm(x + feed_forward(x, U2, V2, a2, b2) / 2, g, b)


def rms(x):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)


def rotated(x, base=10000):
    """Rotate pairs, the last axis, by angles of positions and frequencies: seq, ..., freq, pair."""
    T, F = x.shape[0], x.shape[-2]
    angle = np.arange(1, T + 1)[:, None] * base ** (-(np.arange(1, F + 1) - 1) / F)
    angle = angle.reshape(T, *[1] * (x.ndim - 3), F)
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x[..., 0] - s * x[..., 1], s * x[..., 0] + c * x[..., 1]], -1)


def latent_attention(H, DKV, UK, UV, DQ, UQ, QR, KR, O):
    c, cq = H @ DKV, rms(H @ DQ)
    k, v = np.einsum("tl,lhk->htk", c, UK), np.einsum("tl,lhk->htk", c, UV)
    q = np.einsum("tm,mhk->htk", cq, UQ)
    qr = rotated(np.einsum("tm,mhfp->thfp", cq, QR))
    kr = rotated(np.einsum("te,efp->tfp", H, KR))
    T = len(H)
    score = q @ k.swapaxes(1, 2) + np.einsum("ihfp,jfp->hij", qr, kr)
    score = score / np.sqrt(k.shape[2] + 2 * qr.shape[2])
    score = np.where(np.tri(T, dtype=bool), score, -np.inf)
    return np.einsum("htv,hve->te", softmax(score) @ v, O)


def ahead(H, W, t):
    """Mean losses by depth of predicting the tokens that follow."""
    T, P = len(H), softmax(np.einsum("te,dev->dtv", H, W))
    return np.array(
        [
            -np.mean([np.log(P[k - 1, i, t[i + k]]) for i in range(T - k)])
            for k in range(1, len(W) + 1)
        ]
    )


def standard(Z):
    return (Z - Z.mean(0)) / Z.std(0)


def barlow(A, B, lam):
    C = standard(A).T @ standard(B) / len(A)
    return ((1 - np.diag(C)) ** 2).sum() + lam * (C**2 - np.diag(np.diag(C) ** 2)).sum()


def spread(Z):
    return np.maximum(0, 1 - np.sqrt(Z.var(0, ddof=1) + 1e-4)).mean()


def off_diagonal(Z):
    C = np.cov(Z.T)
    return (C**2 - np.diag(np.diag(C) ** 2)).sum() / Z.shape[1]


def vicreg(A, B):
    near = ((A - B) ** 2).sum(1).mean()
    return 25 * near + 25 * (spread(A) + spread(B)) + off_diagonal(A) + off_diagonal(B)


def byol(q, z):
    q, z = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, z))
    return (2 - 2 * (q * z).sum(1)).mean()


def dino(s, t, c):
    return -(softmax((t - c) / 0.04) * np.log(softmax(s / 0.1))).sum(1).mean()


def features(x, omega):
    return np.exp(x @ omega.T - (x**2).sum(1, keepdims=True) / 2) / np.sqrt(len(omega))


def performer(Q, K, V, omega):
    q, k = features(Q / 3**0.25, omega), features(K / 3**0.25, omega)
    return q @ (k.T @ V) / (q @ k.sum(0))[:, None]


def causal(Q, K, V, omega):
    q, k = features(Q / 3**0.25, omega), features(K / 3**0.25, omega)
    A = np.tril(q @ k.T)
    return A @ V / A.sum(1, keepdims=True)


def gated_recurrence(x, W, b, U, d, Lam):
    h, found = np.zeros(x.shape[1]), []
    for row in x:
        r, i = sigmoid(row @ W + b), sigmoid(row @ U + d)
        a = np.exp(-8 * np.log1p(np.exp(Lam)) * r)
        h = a * h + np.sqrt(1 - a**2) * i * row
        found.append(h)
    return np.stack(found)


def wkv(k, v, w, u):
    found = []
    for t in range(len(k)):
        e = np.stack([np.exp(-(t - 1 - i) * w + k[i]) for i in range(t)] + [np.exp(u + k[t])])
        found.append((e * v[: t + 1]).sum(0) / e.sum(0))
    return np.stack(found)


def embedded(A, W, b):
    P = W.shape[0]
    h, w = A.shape[0] // P, A.shape[1] // P
    blocks = A.reshape(h, P, w, P, -1)
    return np.einsum("rycxk,yxkd->rcd", blocks, W) + b


def windowed(Z, Q, K, V, O, T):
    """Attention inside of windows, by head, with a bias for each pair of relative positions."""
    M = (T.shape[0] + 1) // 2
    n = np.arange(M * M)
    y, x = n // M, n % M
    B = T[y[:, None] - y + M - 1, x[:, None] - x + M - 1]
    q, k, v = (np.einsum("wtc,chk->whtk", Z, W) for W in (Q, K, V))
    A = softmax(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]) + B.transpose(2, 0, 1))
    return np.einsum("whtk,hkc->wtc", A @ v, O)


def merged(X, W):
    x = np.concatenate([X[::2, ::2], X[1::2, ::2], X[::2, 1::2], X[1::2, 1::2]], 2)
    return (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5) @ W


DOCUMENTS = [
    Unseen(
        "conformer.md",
        r"""# The annotated Conformer

*This post walks through the encoder block of Gulati et al. (2020). All you need is an idea of what a convolution does and a little patience.*

Frames are counted along `time`, features along `chan`. There are $T$ frames and the model is $D$ wide.

| symbol | space | what it is |
|:-------|:------|:-----------|
| $X$ | $\mathbb{R}^{\text{time}:T, \text{chan}:D}$ | frames, after subsampling |
| $\gamma, \beta$ | $\mathbb{R}^{\text{chan}:D}$ | gain and bias of the layer norm |
| $K$ | $\mathbb{R}^{\text{tap}:2r+1, \text{inner}:D}$ | kernel of the depthwise convolution |
| $\mu, \nu$ | $\mathbb{R}^{\text{inner}:D}$ | running mean and variance of the batch norm |

Two small helpers first. Swish is $\text{swish}(z) = z \odot \sigma(z)$, and layer normalisation looks at one frame at a time:

$$
\text{LN}(x) = \gamma \odot \frac{x - \underset{\text{chan}}{\text{mean}}\, x}{\sqrt{\underset{\text{chan}}{\text{var}}\, x + \epsilon}} + \beta, \qquad \epsilon = 10^{-5}
$$

## Half a feed-forward network

Conformer puts *two* feed-forward networks into a block, and halves both ("macaron style"). Each of them is

$$
\text{FFN}(x; U, V, a, b) = V \underset{\text{hid}}{\cdot} \text{swish}\left( U \underset{\text{chan}}{\cdot} x + a \right) + b
$$

with $U \in \mathbb{R}^{\text{chan}:D, \text{hid}:4D}$, $V \in \mathbb{R}^{\text{hid}:4D, \text{chan}:D}$, $a \in \mathbb{R}^{\text{hid}:4D}$ and $b \in \mathbb{R}^{\text{chan}:D}$.
Dropout is left out everywhere[^drop].

[^drop]: The paper uses a rate of $0.1$ in each residual unit.

## Self-attention

Nothing new here. (The paper uses relative positions as in Transformer-XL; we do not.) We need $W^Q, W^K \in \mathbb{R}^{\text{chan}:D, \text{head}:H, \text{key}}$,
$W^V \in \mathbb{R}^{\text{chan}:D, \text{head}:H, \text{val}}$, and $W^O \in \mathbb{R}^{\text{head}:H, \text{val}, \text{chan}:D}$ to get back.

$$
\begin{aligned}
\text{MHSA}(x) &= \left[ W^O \underset{\text{head}, \text{val}}{\cdot} \left( \alpha \underset{\text{time}}{\cdot} v \right) \right]_{\text{time}' \rightarrow \text{time}} \\
\alpha &= \underset{\text{time}}{\text{softmax}} \left( \frac{q \underset{\text{key}}{\cdot} k}{\sqrt{|\text{key}|}} \right) \\
q &= W^Q \underset{\text{chan}}{\cdot} x_{\text{time} \rightarrow \text{time}'} \\
k &= W^K \underset{\text{chan}}{\cdot} x, \qquad v = W^V \underset{\text{chan}}{\cdot} x
\end{aligned}
$$

## The convolution module

This is the interesting one. It starts with a *pointwise* convolution to twice the width; one half gates the other (a "gated linear unit"):

$$
\text{GLU}(x; P) = \left( P \underset{\text{chan}}{\cdot} x \right)_{\text{half}(1)} \odot \sigma\left( \left( P \underset{\text{chan}}{\cdot} x \right)_{\text{half}(2)} \right), \qquad P \in \mathbb{R}^{\text{chan}:D, \text{half}:2, \text{inner}:D}
$$

Then comes a *depthwise* convolution, i.e. every channel has its own kernel and channels do not mix:

$$
\text{DW}(u)_{\text{time}(t)} = \sum_{j=1}^{2r+1} K_{\text{tap}(j)} \odot u_{\text{time}(t + j - r - 1)}
$$

for $u \in \mathbb{R}^{\text{time}:T, \text{inner}:D}$, padded with zeros, $u_{\text{time}(s)} = 0$ for $s < 1$ or $s > T$. The receptive field has $2r+1$ frames: $r$ to the left, $r$ to the right, and the frame itself.
At test time batch normalisation uses what it has learnt, $\text{BN}(u) = \frac{u - \mu}{\sqrt{\nu + \epsilon}}$. Put together:

$$
\text{Conv}(x) = S \underset{\text{inner}}{\cdot} \text{swish}\big( \text{BN}( \text{DW}( \text{GLU}(x; P) ) ) \big), \qquad S \in \mathbb{R}^{\text{inner}:D, \text{chan}:D}
$$

## The sandwich

The two feed-forward networks have parameters of their own, which we tell apart by a subscript: $U_1, U_2 \in \mathbb{R}^{\text{chan}:D, \text{hid}:4D}$, $V_1, V_2 \in \mathbb{R}^{\text{hid}:4D, \text{chan}:D}$,
$a_1, a_2 \in \mathbb{R}^{\text{hid}:4D}$, $b_1, b_2 \in \mathbb{R}^{\text{chan}:D}$.

$$
\begin{aligned}
\tilde{X} &= X + \tfrac{1}{2} \text{FFN}(\text{LN}(X); U_1, V_1, a_1, b_1) \\
X' &= \tilde{X} + \text{MHSA}(\text{LN}(\tilde{X})) \\
X'' &= X' + \text{Conv}(\text{LN}(X')) \\
Y &= \text{LN}\left( X'' + \tfrac{1}{2} \text{FFN}(X''; U_2, V_2, a_2, b_2) \right)
\end{aligned}
$$

That's it! $Y$ has the same shape as $X$, so blocks can be stacked.
""",
        [
            Fault(
                r"V \underset{\text{hid}}{\cdot} \text{swish}",
                r"V \underset{\text{chan}}{\cdot} \text{swish}",
            ),
            Fault(
                r"\left( \alpha \underset{\text{time}}{\cdot} v \right)",
                r"\left( \alpha \underset{\text{time}'}{\cdot} v \right)",
            ),
            Fault(
                r"K_{\text{tap}(j)} \odot u_{\text{time}(t + j - r - 1)}",
                r"K_{\text{tap}(j)} \odot u_{\text{inner}(t + j - r - 1)}",
            ),
        ],
        [
            Entry(
                "LN",
                layer_norm,
                "time chan",
                {"x": "time[4] chan[3]", "gamma": "chan[3]", "beta": "chan[3]"},
            ),
            Entry(
                r"\text{FFN}",
                feed_forward,
                "time chan",
                {"x": "time[4] chan[2]"},
                {"U": "chan[2] hid[8]", "V": "hid[8] chan[2]", "a": "hid[8]", "b": "chan[2]"},
            ),
            Entry(
                r"\text{MHSA}",
                self_attention,
                "time chan",
                {
                    "x": "time[4] chan[3]",
                    "WQ": "chan[3] head[2] key[2]",
                    "WK": "chan[3] head[2] key[2]",
                    "WV": "chan[3] head[2] val[3]",
                    "WO": "head[2] val[3] chan[3]",
                },
            ),
            Entry(
                r"\text{DW}",
                depthwise,
                "time inner",
                {"u": "time[5] inner[2]", "K": "tap[3] inner[2]"},
            ),
            Entry(
                r"\text{Conv}",
                convolution,
                "time chan",
                {
                    "x": "time[4] chan[2]",
                    "P": "chan[2] half[2] inner[2]",
                    "K": "tap[3] inner[2]",
                    "S": "inner[2] chan[2]",
                    "mu": "inner[2]",
                    "nu": "inner[2] ~ positive",
                },
            ),
            Entry(
                "Y",
                conformer,
                "time chan",
                {
                    "X": "time[4] chan[2]",
                    "gamma": "chan[2]",
                    "beta": "chan[2]",
                    "U_1": "chan[2] hid[8]",
                    "V_1": "hid[8] chan[2]",
                    "a_1": "hid[8]",
                    "b_1": "chan[2]",
                    "WQ": "chan[2] head[2] key[2]",
                    "WK": "chan[2] head[2] key[2]",
                    "WV": "chan[2] head[2] val[3]",
                    "WO": "head[2] val[3] chan[2]",
                    "P": "chan[2] half[2] inner[2]",
                    "K": "tap[3] inner[2]",
                    "S": "inner[2] chan[2]",
                    "mu": "inner[2]",
                    "nu": "inner[2] ~ positive",
                    "U_2": "chan[2] hid[8]",
                    "V_2": "hid[8] chan[2]",
                    "a_2": "hid[8]",
                    "b_2": "chan[2]",
                },
            ),
        ],
    ),
    Unseen(
        "latent_cache.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq} \ndef{\emb}{emb} \ndef{\heads}{head} \ndef{\key}{key} \ndef{\val}{val}
\ndef{\lat}{lat} \ndef{\qlat}{qlat} \ndef{\freq}{freq} \ndef{\pair}{pair} \ndef{\depth}{depth} \ndef{\vocab}{vocab}
\newcommand{\R}{\mathbb{R}}
\DeclareMathOperator{\RMSNorm}{RMSNorm}
\begin{document}
\section{Method}
We describe attention with a compressed cache and training on several tokens ahead. The notation is that of Chiang et al.

\subsection{Low-rank joint compression}
Let $H \in \R^{\seq[n] \times \emb[d]}$ be the input of an attention layer. Instead of keys and values, the cache stores one short vector per token,
\begin{equation}
C = H \ndot{\emb} W^{DKV}, \label{eq:latent}
\end{equation}
where $W^{DKV} \in \R^{\emb[d] \times \lat[r]}$ is a down-projection with $r \ll d$. Keys and values of each head are recovered by up-projections,
\begin{align}
K &= C \ndot{\lat} W^{UK}, & W^{UK} &\in \R^{\lat[r] \times \heads[h] \times \key}, \\
V &= C \ndot{\lat} W^{UV}, & W^{UV} &\in \R^{\lat[r] \times \heads[h] \times \val}.
\end{align}
Queries are compressed too, to save activation memory during training, although this does not make the cache smaller:
\begin{equation}
Q = \RMSNorm(H \ndot{\emb} W^{DQ}) \ndot{\qlat} W^{UQ},
\end{equation}
where $W^{DQ} \in \R^{\emb[d] \times \qlat}$, $W^{UQ} \in \R^{\qlat \times \heads[h] \times \key}$ and
\[
\RMSNorm(x) = \frac{x}{\sqrt{\nfun{\qlat}{mean} x^2 + \epsilon}} \quad \text{with } \epsilon = 10^{-6}.
\]

\subsection{Decoupled rotary embedding}
Rotary embeddings would stand between $W^{UQ}$ and $W^{UK}$. Therefore positions get features of their own, in pairs, which are rotated,
\begin{equation}
\mathrm{RoPE}(x) = \left[ \Omega \ndot{\pair} x \right]_{\pair' \to \pair}
\end{equation}
by the angle $\theta_{\seq(t), \freq(i)} = t \cdot 10000^{-(i-1)/|\freq|}$, that is
\begin{equation}
\Omega_{\seq(t), \freq(i), \pair'(a), \pair(b)} = \begin{cases}
\cos \theta_{\seq(t), \freq(i)} & a = b \\
-\sin \theta_{\seq(t), \freq(i)} & a < b \\
\sin \theta_{\seq(t), \freq(i)} & a > b
\end{cases} \qquad a, b \in \{1, 2\} .
\end{equation}
Queries $Q^R$ have such features in each head, but all heads share the key $K^R$:
\begin{align}
Q^R &= \mathrm{RoPE}\left( \RMSNorm(H \ndot{\emb} W^{DQ}) \ndot{\qlat} W^{QR} \right) \\
K^R &= \mathrm{RoPE}(H \ndot{\emb} W^{KR})
\end{align}
with $W^{QR} \in \R^{\qlat \times \heads[h] \times \freq \times \pair[2]}$ and $W^{KR} \in \R^{\emb[d] \times \freq \times \pair[2]}$.

\subsection{Attention}
With the causal mask $M_{\seq'(i), \seq(j)} = 0$ if $j \le i$ and $-\infty$ otherwise, the weights are
\begin{equation}
A = \nfun{\seq}{softmax} \left( \frac{Q_{\seq \to \seq'} \ndot{\key} K + Q^R_{\seq \to \seq'} \ndot{\freq, \pair} K^R}{\sqrt{|\key| + 2 |\freq|}} + M \right)
\end{equation}
and the output is
\begin{equation}
O = \left( A \ndot{\seq} V \right) \ndot{\heads, \val} W^O, \qquad O \in \R^{\seq'[n] \times \emb[d]},
\end{equation}
for an output projection $W^O \in \R^{\heads[h] \times \val \times \emb[d]}$. Table~\ref{tab:cache} counts what has to be kept.

\begin{table}
\begin{tabular}{lc}
\hline
Multi-head & $2 h |\key|$ \\
Grouped-query & $2 g |\key|$ \\
Latent (ours) & $r + 2 |\freq|$ \\
\hline
\end{tabular}
\caption{Numbers in the cache, per token and layer ($g$ groups).}\label{tab:cache}
\end{table}

\subsection{Several tokens ahead}
The model is trained to predict the next $D$ tokens from every position, with one head for each distance. Let $t \in [|\vocab|]^{\seq[n]}$ be the tokens and $U \in \R^{\depth[D] \times \emb[d] \times \vocab}$ the
heads. We have
\begin{equation}
P = \nfun{\vocab}{softmax} (H \ndot{\emb} U).
\end{equation}
The loss at distance $k$ leaves out the last $k$ positions, since nothing follows them,
\begin{equation}
L_{\depth(k)} = - \frac{1}{n - k} \sum_{i=1}^{n-k} \log P_{\depth(k), \seq(i), \vocab(t_{\seq(i+k)})}, \qquad k = 1, \dots, D ,
\end{equation}
and the training objective is $\mathcal{L}$, where later tokens count less by a factor $\lambda \in \R$:
\begin{equation}
\mathcal{L} = L_{\depth(1)} + \frac{\lambda}{D - 1} \sum_{k=2}^{D} L_{\depth(k)} .
\end{equation}
\end{document}
""",
        [
            Fault(r"K &= C \ndot{\lat} W^{UK}", r"K &= C \ndot{\key} W^{UK}"),
            Fault(
                r"Q^R_{\seq \to \seq'} \ndot{\freq, \pair} K^R",
                r"Q^R_{\seq \to \seq'} \ndot{\freq} K^R",
                r"O = \left( A \ndot{\seq} V \right)",  # one term may have an axis that another has not
            ),
            Fault(
                r"P = \nfun{\vocab}{softmax} (H \ndot{\emb} U)",
                r"P = \nfun{\emb}{softmax} (H \ndot{\emb} U)",
            ),
        ],
        [
            Entry(
                "C",
                lambda H, W: H @ W,
                "seq lat",
                {"H": "seq[4] emb[3]", "W__DKV": "emb[3] lat[2]"},
            ),
            Entry(
                "Q",
                lambda H, D, U: np.einsum("tm,mhk->thk", rms(H @ D), U),
                "seq head key",
                {
                    "H": "seq[4] emb[3]",
                    "W__DQ": "emb[3] qlat[2]",
                    "W__UQ": "qlat[2] head[2] key[3]",
                },
            ),
            Entry(
                r"\mathrm{RoPE}",
                rotated,
                "seq freq pair",
                {"x": "seq[4] freq[2] pair[2]"},
            ),
            Entry(
                "O",
                latent_attention,
                "seq' emb",
                {
                    "H": "seq[4] emb[3]",
                    "W__DKV": "emb[3] lat[2]",
                    "W__UK": "lat[2] head[2] key[3]",
                    "W__UV": "lat[2] head[2] val[3]",
                    "W__DQ": "emb[3] qlat[2]",
                    "W__UQ": "qlat[2] head[2] key[3]",
                    "W__QR": "qlat[2] head[2] freq[2] pair[2]",
                    "W__KR": "emb[3] freq[2] pair[2]",
                    "WO": "head[2] val[3] emb[3]",
                },
            ),
            Entry(
                "L",
                ahead,
                "depth",
                {"H": "seq[6] emb[3]", "U": "depth[3] emb[3] vocab[5]", "t": "seq[6] ~ whole 5"},
            ),
            Entry(
                r"\mathcal{L}",
                lambda H, U, t, lam: ahead(H, U, t)[0] + lam / 2 * ahead(H, U, t)[1:].sum(),
                "",
                {
                    "H": "seq[6] emb[3]",
                    "U": "depth[3] emb[3] vocab[5]",
                    "t": "seq[6] ~ whole 5",
                    "lambda_": 0.3,
                },
            ),
        ],
    ),
    Unseen(
        "paired_views.ipynb",
        notebook(
            (
                "markdown",
                r"""# Learning without labels

Take a picture, distort it twice, and ask a network to give both versions the same code. Why does it not give *every* picture the same code? Four papers, four answers.

Let $A, B \in \mathbb{R}^{\text{batch}:N \times \text{feat}:d}$ be the codes of the two versions of $N$ pictures.""",
            ),
            ("code", "import numpy as np\nN, d = 256, 128  # $N$ pictures\n"),
            (
                "markdown",
                r"""## 1. Barlow Twins: decorrelate

We standardise every feature over the batch,
$$
\text{std}(Z) = \frac{Z - \underset{\text{batch}}{\text{mean}} Z}{\sqrt{\underset{\text{batch}}{\text{var}} Z}},
$$
and then look at the cross-correlation matrix
$$
C = \frac{1}{N} \, \text{std}(A) \underset{\text{batch}}{\cdot} \text{std}(B)_{\text{feat} \to \text{feat}'}, \quad C \in \mathbb{R}^{\text{feat}:d \times \text{feat}':d}.
$$
It should be the identity:
$$
\mathcal{L}_{BT} = \underbrace{\sum_i (1 - C_{ii})^2}_{\text{invariance}} + \lambda \underbrace{\sum_i \sum_{j \neq i} C_{ij}^2}_{\text{redundancy}}
$$
where $i$ runs over $\text{feat}$ and $j$ over $\text{feat}'$. The weight $\lambda$ is a small positive number, $5 \cdot 10^{-3}$ in the paper.""",
            ),
            ("code", "C = std(A).T @ std(B) / N\n"),
            (
                "markdown",
                r"""## 2. VICReg: three terms

*Invariance* is the mean squared distance of the two codes,
$$
s(Z, Z') = \frac{1}{N} \sum_{\text{batch}} \| Z - Z' \|_2^2 ,
$$
where the norm is over $\text{feat}$. *Variance* keeps the standard deviation of every feature above one,
$$
v(Z) = \underset{\text{feat}}{\text{mean}} \max\left(0, 1 - \sqrt{S(Z) + 10^{-4}}\right), \qquad
S(Z) = \frac{1}{N - 1} \sum_{\text{batch}} \left(Z - \underset{\text{batch}}{\text{mean}} Z\right)^2
$$
and *covariance* pushes the features apart. With $\bar{Z} = Z - \underset{\text{batch}}{\text{mean}} Z$,
$$
\begin{aligned}
K(Z) &= \frac{1}{N-1} \, \bar{Z} \underset{\text{batch}}{\cdot} \bar{Z}_{\text{feat} \to \text{feat}'} \\
c(Z) &= \frac{1}{d} \sum_{i=1}^{d} \sum_{j \ne i} \left[ K(Z)_{\text{feat}(i), \text{feat}'(j)} \right]^2
\end{aligned}
$$
The sum of all is
$$
\mathcal{L}_{VIC} = 25\, s(A, B) + 25\, [v(A) + v(B)] + c(A) + c(B).
$$""",
            ),
            (
                "markdown",
                r"""## 3. BYOL: a slow teacher

The student predicts, with a matrix $G \in \mathbb{R}^{\text{feat}:d \times \text{out}:d}$, what the teacher will say about the other version, $T \in \mathbb{R}^{\text{batch}:N \times \text{out}:d}$. Both are normalised:
$$
n(x) = \frac{x}{\| x \|_{\text{out}}}, \qquad \mathcal{L}_{BYOL} = \underset{\text{batch}}{\text{mean}} \left( 2 - 2 \, n(A \underset{\text{feat}}{\cdot} G) \underset{\text{out}}{\cdot} n(T) \right).
$$
The teacher's weights $\xi \in \mathbb{R}^{\text{out}}$ follow those of the student, $\theta \in \mathbb{R}^{\text{out}}$, slowly: $\xi \leftarrow \tau \xi + (1 - \tau) \theta$ with $\tau = 0.996$.

## 4. DINO: sharpen and centre

Now the codes are logits over $\text{proto}$, $X \in \mathbb{R}^{\text{batch}:N \times \text{proto}:k}$ of the student and $Y \in \mathbb{R}^{\text{batch}:N \times \text{proto}:k}$ of the teacher. With a centre $m \in \mathbb{R}^{\text{proto}:k}$
$$
\begin{aligned}
P_s &= \underset{\text{proto}}{\text{softmax}} (X / 0.1) \\
P_t &= \underset{\text{proto}}{\text{softmax}} ((Y - m) / 0.04) \\
\mathcal{L}_{DINO} &= - \underset{\text{batch}}{\text{mean}} \sum_{\text{proto}} \text{sg}(P_t) \odot \log P_s
\end{aligned}
$$
and after every step the centre moves,
$$
m_{\text{new}} = 0.9\, m + 0.1 \underset{\text{batch}}{\text{mean}} \, Y .
$$""",
            ),
        ),
        [
            Fault(
                r"\\text{std}(A) \\underset{\\text{batch}}{\\cdot} \\text{std}(B)",
                r"\\text{std}(A) \\underset{\\text{feat}'}{\\cdot} \\text{std}(B)",
            ),
            Fault(
                r"v(Z) = \\underset{\\text{feat}}{\\text{mean}} \\max",
                r"v(Z) = \\underset{\\text{batch}}{\\text{mean}} \\max",
            ),
            Fault(
                r"P_t &= \\underset{\\text{proto}}{\\text{softmax}}",
                r"P_t &= \\underset{\\text{feat}}{\\text{softmax}}",
            ),
        ],
        [
            Entry(
                r"\mathcal{L}_{BT}",
                barlow,
                "",
                {"A": "batch[5] feat[3]", "B": "batch[5] feat[3]", "lambda_": 0.005},
            ),
            Entry("v", spread, "", {"Z": "batch[5] feat[3]"}),
            Entry("c", off_diagonal, "", {"Z": "batch[5] feat[3]"}),
            Entry(
                r"\mathcal{L}_{VIC}", vicreg, "", {"A": "batch[5] feat[3]", "B": "batch[5] feat[3]"}
            ),
            Entry(
                r"\mathcal{L}_{BYOL}",
                lambda A, G, T: byol(A @ G, T),
                "",
                {"A": "batch[5] feat[3]", "G": "feat[3] out[3]", "T": "batch[5] out[3]"},
            ),
            Entry(
                r"\mathcal{L}_{DINO}",
                dino,
                "",
                {"X": "batch[5] proto[3]", "Y": "batch[5] proto[3]", "m": "proto[3]"},
            ),
            Entry(
                r"m_{\text{new}}",
                lambda m, Y: 0.9 * m + 0.1 * Y.mean(0),
                "proto",
                {"m": "proto[3]", "Y": "batch[5] proto[3]"},
            ),
        ],
    ),
    Unseen(
        "linear_time.qmd",
        r"""---
title: "Attention in linear time"
author: "A reading group"
format:
  html:
    html-math-method: katex
---

## Setting

Throughout, $Q, K \in \mathbb{R}^{\text{seq}, \text{key}}$ and $V \in \mathbb{R}^{\text{seq}, \text{val}}$ with $n = |\text{seq}|$. Ordinary attention costs $O(n^2)$.

## Projecting the sequence {#sec-linformer}

Linformer makes the sequence shorter. A matrix $E \in \mathbb{R}^{\text{seq}, \text{low}}$ mixes positions of keys, and $F \in \mathbb{R}^{\text{seq}, \text{low}}$ those of values:

$$
\text{lin} = \underset{\text{low}}{\text{softmax}} \left( \frac{1}{\sqrt{|\text{key}|}} \, Q \underset{\text{key}}{\cdot} \left( E \underset{\text{seq}}{\cdot} K \right) \right) \underset{\text{low}}{\cdot} \left( F \underset{\text{seq}}{\cdot} V \right)
$$ {#eq-linformer}

::: {.callout-note}
@eq-linformer is not causal, because $E$ and $F$ mix all positions.
:::

## Random features

The kernel of softmax, $\exp(x \underset{\text{key}}{\cdot} y)$, is an expectation of products of *positive* features,

$$
\phi(x)_{\text{rf}(j)} = \frac{1}{\sqrt{m}} \exp\left( \Omega_{\text{rf}(j)} \underset{\text{key}}{\cdot} x - \tfrac{1}{2} \| x \|^2 \right), \qquad j = 1, \dots, m,
$$ {#eq-features}

where $\Omega \in \mathbb{R}^{\text{rf}:m, \text{key}}$ has rows drawn from a normal distribution. Scale first, $\tilde{Q} = Q / |\text{key}|^{1/4}$ and $\tilde{K} = K / |\text{key}|^{1/4}$. Then

$$
\text{performer} = \frac{
  \phi(\tilde{Q}) \underset{\text{rf}}{\cdot} \sum_{\text{seq}'} \left[ \phi(\tilde{K}) \odot V \right]_{\text{seq} \to \text{seq}'}
}{
  \phi(\tilde{Q}) \underset{\text{rf}}{\cdot} \sum_{\text{seq}'} \left[ \phi(\tilde{K}) \right]_{\text{seq} \to \text{seq}'}
}
$$ {#eq-performer}

### Causal

Running sums make it causal. Initially $S_0 = 0$ and $z_0 = 0$; for $t = 1, \dots, n$

$$
\begin{aligned}
S_t &= S_{t-1} + \phi(\tilde{K}_{\text{seq}(t)}) \odot V_{\text{seq}(t)} \\
z_t &= z_{t-1} + \phi(\tilde{K}_{\text{seq}(t)}) \\
\text{causal}_{\text{seq}(t)} &= \frac{ \phi(\tilde{Q}_{\text{seq}(t)}) \underset{\text{rf}}{\cdot} S_t }{ \phi(\tilde{Q}_{\text{seq}(t)}) \underset{\text{rf}}{\cdot} z_t }
\end{aligned}
$$

## No attention at all

### Real-gated linear recurrent unit

Griffin drops keys altogether. For an input $x \in \mathbb{R}^{\text{seq}, \text{chan}}$,

$$
\begin{aligned}
r_t &= \sigma( W \underset{\text{chan}}{\cdot} x_t + b )  && \text{(recurrence gate)} \\
i_t &= \sigma( U \underset{\text{chan}}{\cdot} x_t + d )  && \text{(input gate)} \\
a_t &= \exp( -c \, \text{softplus}(\Lambda) \odot [r_t]_{\text{chan}' \to \text{chan}} ) \\
h_t &= a_t \odot h_{t-1} + \sqrt{1 - a_t^2} \odot [i_t]_{\text{chan}' \to \text{chan}} \odot x_t
\end{aligned}
$$

with $h_0 = 0$, $c = 8$ and parameters $W, U \in \mathbb{R}^{\text{chan}, \text{chan}'}$, $b, d \in \mathbb{R}^{\text{chan}'}$, $\Lambda \in \mathbb{R}^{\text{chan}}$. Here $t$ counts positions, of course.

### RWKV

Let $k, v \in \mathbb{R}^{\text{seq}, \text{chan}}$, a decay $w \in \mathbb{R}_{>0}^{\text{chan}}$ and a bonus $u \in \mathbb{R}^{\text{chan}}$ for the current token.

$$
\text{wkv}_{\text{seq}(t)} = \frac{
 \sum_{i=1}^{t-1} \exp\left( -(t - 1 - i) w + k_{\text{seq}(i)} \right) \odot v_{\text{seq}(i)} + \exp(u + k_{\text{seq}(t)}) \odot v_{\text{seq}(t)}
}{
 \sum_{i=1}^{t-1} \exp\left( -(t - 1 - i) w + k_{\text{seq}(i)} \right) + \exp(u + k_{\text{seq}(t)})
}
$$

```{r}
#| label: tbl-cost
#| tbl-cap: "Cost per token"
knitr::kable(data.frame(model = c("softmax", "linear"), cost = c("$n d$", "$d^2$")))
```
""",
        [
            Fault(
                r"\left( F \underset{\text{seq}}{\cdot} V \right)",
                r"\left( F \underset{\text{low}}{\cdot} V \right)",
            ),
            Fault(
                r"\underset{\text{rf}}{\cdot} S_t }",
                r"\underset{\text{key}}{\cdot} S_t }",
            ),
            Fault(
                r"r_t &= \sigma( W \underset{\text{chan}}{\cdot} x_t + b )",
                r"r_t &= \sigma( W \underset{\text{chan}'}{\cdot} x_t + b )",
            ),
        ],
        [
            Entry(
                r"\text{lin}",
                lambda Q, K, V, E, F: softmax(Q @ (E.T @ K).T / np.sqrt(3)) @ (F.T @ V),
                "seq val",
                {
                    "Q": "seq[5] key[3]",
                    "K": "seq[5] key[3]",
                    "V": "seq[5] val[2]",
                    "E": "seq[5] low[2]",
                    "F": "seq[5] low[2]",
                },
            ),
            Entry(
                r"\text{performer}",
                performer,
                "seq val",
                {
                    "Q": "seq[5] key[3]",
                    "K": "seq[5] key[3]",
                    "V": "seq[5] val[2]",
                    "Omega": "rf[4] key[3]",
                },
            ),
            Entry(
                r"\text{causal}",
                causal,
                "seq val",
                {
                    "Q": "seq[5] key[3]",
                    "K": "seq[5] key[3]",
                    "V": "seq[5] val[2]",
                    "Omega": "rf[4] key[3]",
                },
            ),
            Entry(
                "h",
                gated_recurrence,
                "seq chan",
                {
                    "x": "seq[5] chan[2]",
                    "W": "chan[2] chan'[2]",
                    "b": "chan'[2]",
                    "U": "chan[2] chan'[2]",
                    "d": "chan'[2]",
                    "Lambda": "chan[2]",
                },
            ),
            Entry(
                r"\text{wkv}",
                wkv,
                "seq chan",
                {
                    "k": "seq[5] chan[2]",
                    "v": "seq[5] chan[2]",
                    "w": "chan[2] ~ positive",
                    "u": "chan[2]",
                },
            ),
        ],
    ),
    Unseen(
        "shifted.tex",
        r"""\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb}
\newcommand{\name}[1]{\mathsf{#1}}
\newcommand{\ndot}[1]{\underset{\name{#1}}{\cdot}}
\newcommand{\nfun}[2]{\underset{\name{#1}}{\text{#2}}}
\newcommand{\row}{\name{row}} \newcommand{\col}{\name{col}} \newcommand{\chan}{\name{chan}}
\newcommand{\tok}{\name{tok}} \newcommand{\win}{\name{win}} \newcommand{\head}{\name{head}}
\begin{document}
\section{A hierarchical backbone}

\subsection{Patches}
An image $I \in \mathbb{R}^{\name{height} \times \name{width} \times \name{rgb}[3]}$ is cut into patches of $P \times P$ pixels, and each of them is mapped to $c$ numbers,
\begin{equation}
X_{\row(i), \col(j)} = b + \sum_{p=1}^{P} \sum_{q=1}^{P} I_{\name{height}(P (i - 1) + p), \name{width}(P (j - 1) + q)} \ndot{rgb} W_{\name{y}(p), \name{x}(q)}
\end{equation}
where $W \in \mathbb{R}^{\name{y}[P] \times \name{x}[P] \times \name{rgb}[3] \times \chan[c]}$ and $b \in \mathbb{R}^{\chan[c]}$. If the image has $hP \times wP$ pixels, then $i = 1, \dots, h$ and $j = 1, \dots, w$.

\subsection{Attention in windows}
Windows do not overlap. Each has $M \times M$ tokens, which we put into one axis, row by row, so that $Z \in \mathbb{R}^{\win \times \tok[M^2] \times \chan[c]}$.
Attention stays in its window,
\begin{align}
\mathrm{WMSA}(Z) &= \left[ \left( A \ndot{tok} V \right) \underset{\name{head}, \name{key}}{\cdot} W^O \right]_{\tok' \to \tok} \\
A &= \nfun{tok}{softmax} \left( \frac{1}{\sqrt{|\name{key}|}} Q \ndot{key} K + B \right)
\end{align}
with
$Q = Z_{\tok \to \tok'} \ndot{chan} W^Q$, $K = Z \ndot{chan} W^K$ and $V = Z \ndot{chan} W^V$ for weights $W^Q, W^K, W^V \in \mathbb{R}^{\chan[c] \times \head \times \name{key}}$ and $W^O \in \mathbb{R}^{\head \times \name{key} \times \chan[c]}$.
The bias $B \in \mathbb{R}^{\tok'[M^2] \times \tok[M^2] \times \head}$ depends on the relative position alone. There are only $2M - 1$ differences along each side, so that the numbers are taken from a small table
$T \in \mathbb{R}^{\name{dy}[2M-1] \times \name{dx}[2M-1] \times \head}$:
\begin{equation}
B_{\tok'(m), \tok(n)} = T_{\name{dy}(y_m - y_n + M), \name{dx}(x_m - x_n + M)}
\end{equation}
where $y_n = \lceil n / M \rceil$ is the row of the $n$-th token and $x_n = n - M (y_n - 1)$ its column.

\subsection{Merging}
To halve the resolution, groups of $2 \times 2$ neighbours are concatenated and projected. For even $h$ and $w$ and a map $F \in \mathbb{R}^{\row[h] \times \col[w] \times \chan[c]}$,
\begin{align}
G_{\row(i), \col(j)} &= \left[ F_{\row(2i-1), \col(2j-1)} ; F_{\row(2i), \col(2j-1)} ; F_{\row(2i-1), \col(2j)} ; F_{\row(2i), \col(2j)} \right]_{\chan} \\
F^{\downarrow} &= \frac{G - \nfun{chan}{mean} G}{\sqrt{\nfun{chan}{var} G + \epsilon}} \ndot{chan} R, \qquad i = 1, \dots, h/2, \quad j = 1, \dots, w/2
\end{align}
with $R \in \mathbb{R}^{\chan[4c] \times \name{out}[2c]}$ and $\epsilon = 10^{-5}$.

\subsection{Layer scale and stochastic depth}
Deep models train better if every branch $\mathcal{B}$ starts small,
\begin{equation}
\mathrm{res}(x, y) = x + \Lambda \odot y, \qquad \Lambda \in \mathbb{R}^{\chan[c]},
\end{equation}
where $y = \mathcal{B}(x)$, and if branches are dropped at random. The $l$-th of $L$ branches survives with probability
\begin{equation}
\pi_l = 1 - \frac{l}{L} (1 - \pi_L), \qquad l = 1, \dots, L - 1,
\end{equation}
e.g.\ with $\pi_L = 0.8$, and $\sum_{l=1}^{L} \pi_l$ of them are used on average.
\end{document}
""",
        [
            Fault(
                r"\ndot{rgb} W_{\name{y}(p), \name{x}(q)}",
                r"\ndot{chan} W_{\name{y}(p), \name{x}(q)}",
            ),
            Fault(
                r"\left( A \ndot{tok} V \right)",
                r"\left( A \ndot{win} V \right)",
            ),
            Fault(
                r"T_{\name{dy}(y_m - y_n + M), \name{dx}(x_m - x_n + M)}",
                r"T_{\name{dy}(y_m - y_n + M), \name{col}(x_m - x_n + M)}",
            ),
        ],
        [
            Entry(
                "X",
                embedded,
                "row col chan",
                {
                    "I": "height[4] width[6] rgb[3]",
                    "W": "y[2] x[2] rgb[3] chan[2]",
                    "b": "chan[2]",
                },
                chosen={"h": 2, "w": 3},
            ),
            Entry(
                "B",
                lambda T: T[
                    np.arange(4)[:, None] // 2 - np.arange(4) // 2 + 1,
                    np.arange(4)[:, None] % 2 - np.arange(4) % 2 + 1,
                ],
                "tok' tok head",
                {"T": "dy[3] dx[3] head[2]"},
            ),
            Entry(
                r"\mathrm{WMSA}",
                windowed,
                "win tok chan",
                {
                    "Z": "win[2] tok[4] chan[3]",
                    "WQ": "chan[3] head[2] key[2]",
                    "WK": "chan[3] head[2] key[2]",
                    "WV": "chan[3] head[2] key[2]",
                    "WO": "head[2] key[2] chan[3]",
                    "T": "dy[3] dx[3] head[2]",
                },
            ),
            Entry(
                r"F^{\downarrow}",
                merged,
                "row col out",
                {"F": "row[4] col[2] chan[3]", "R": "chan[12] out[6]"},
            ),
            Entry(
                r"\mathrm{res}",
                lambda x, y, L: x + L * y,
                "row chan",
                {"x": "row[2] chan[3]", "y": "row[2] chan[3]", "Lambda": "chan[3]"},
            ),
        ],
    ),
]
