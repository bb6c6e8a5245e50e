"""Notes and method sections on models that no other room has, in plain LaTeX."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def squash(s):
    """Shorten vectors in the last axis to less than one."""
    n = (s**2).sum(-1, keepdims=True)
    return n / (1 + n) * s / np.sqrt(n)


def routed(u, W):
    """Three rounds of routing by agreement."""
    U = np.einsum("ip,iopa->ioa", u, W)
    b = np.zeros(U.shape[:2])
    for _ in range(3):
        v = squash(np.einsum("io,ioa->oa", softmax(b, 1), U))
        b = b + np.einsum("ioa,oa->io", U, v)
    return v


def slots(X, S, Wq, Wk):
    return softmax((X @ Wk) @ (S @ Wq).T / np.sqrt(Wq.shape[1]), 1)


def gru(S, U, Rz, Qz, Rn, Qn):
    z = sigmoid(U @ Rz + S @ Qz)
    return (1 - z) * S + z * np.tanh(U @ Rn + S @ Qn)


def distance(u, v):
    u, v = np.asarray(u), np.asarray(v)
    d = ((u - v) ** 2).sum(-1)
    return np.arccosh(1 + 2 * d / ((1 - (u**2).sum(-1)) * (1 - (v**2).sum(-1))))


def hop(u, M, C):
    return softmax(M @ u, 0) @ C + u


def returns(r, gamma):
    G = np.zeros_like(r)
    after = 0.0
    for t in reversed(range(len(r))):
        after = G[t] = r[t] + gamma * after
    return G


def policy_loss(r, S, a, B, P, v):
    h = np.tanh(S @ B)
    A = returns(r, 0.9) - h @ v
    A = (A - A.mean()) / np.sqrt(A.var() + 1e-8)
    return -(A * np.log(softmax(h @ P, 1))[np.arange(len(a)), a]).mean()


def weights(J, d):
    """The weights of words by their position, of a memory network."""
    j, k = np.arange(1, J + 1)[:, None], np.arange(1, d + 1)
    return (1 - j / J) - (k / d) * (1 - 2 * j / J)


def asked(S, q, A, B, C):
    """What three hops make of a question."""
    L = weights(q.shape[0], A.shape[1])
    u = np.einsum("pv,ve,pe->e", q, B, L)
    m, c = (np.einsum("spv,ve,pe->se", S, D, L) for D in (A, C))
    for _ in range(3):
        u = hop(u, m, c)
    return u


def laplacian(X):
    """The normalised Laplacian of points, and their similarities."""
    W = np.exp(-((X[:, None] - X) ** 2).sum(2) / 0.5) * (1 - np.eye(len(X)))
    g = W.sum(1)
    return np.eye(len(X)) - W / np.sqrt(g[:, None] * g), W


DOCUMENTS = [
    Unseen(
        "slot_attention.md",
        r"""# Slot attention (reading group, week 7)

A picture is encoded by a CNN into $N$ feature vectors and we want to explain it with $K$ *slots*, ideally one per object. Symbols:

| symbol | what |
|---|---|
| $X \in \mathbb{R}^{\text{loc}:N, \text{feat}}$ | features, one row per location |
| $S \in \mathbb{R}^{\text{slot}:K, \text{emb}:D}$ | the slots |
| $W^q \in \mathbb{R}^{\text{emb}:D, \text{key}}$ | query projection |
| $W^k \in \mathbb{R}^{\text{feat}, \text{key}}$, $W^v \in \mathbb{R}^{\text{feat}, \text{emb}:D}$ | key and value projections |

## One iteration

Unlike in a normal transformer the softmax goes **over the slots**, so they compete for the locations:

$$
A = \underset{\text{slot}}{\text{softmax}}\left( \frac{1}{\sqrt{|\text{key}|}} (W^k \underset{\text{feat}}{\cdot} X) \underset{\text{key}}{\cdot} (W^q \underset{\text{emb}}{\cdot} S) \right)
$$

Then one takes a weighted *mean*[^1] and not a weighted sum:

$$
\bar A = \frac{A}{\sum_{\text{loc}} A}, \qquad U = \bar A \underset{\text{loc}}{\cdot} (W^v \underset{\text{feat}}{\cdot} X)
$$

[^1]: Without it training is unstable. Some people add $10^{-8}$ to the weights before.

The slots are then updated by a (slightly simplified) GRU. All of $R_z, R_n, Q_z, Q_n$ are in $\mathbb{R}^{\text{emb}:D, \text{emb}':D}$.

$$
\begin{aligned}
\text{gru}(S, U) &= (1 - z) \odot S + z \odot n \\
z &= \sigma\bigl( [R_z \underset{\text{emb}}{\cdot} U + Q_z \underset{\text{emb}}{\cdot} S]_{\text{emb}' \to \text{emb}} \bigr) \\
n &= \tanh\bigl( [R_n \underset{\text{emb}}{\cdot} U + Q_n \underset{\text{emb}}{\cdot} S]_{\text{emb}' \to \text{emb}} \bigr)
\end{aligned}
$$

> **Remark.** With $K = 1$ the attention is all ones, and $\bar A = 1/N$.

## Decoding

Every slot is decoded to an RGB image *and* an alpha mask, $C \in \mathbb{R}^{\text{slot}:K, \text{pix}, \text{rgb}}$, $a \in \mathbb{R}^{\text{slot}:K, \text{pix}}$. They are mixed

$$\hat y = \sum_{\text{slot}} \Bigl( \underset{\text{slot}}{\text{softmax}}\, a \Bigr) \odot C$$

and compared with the true image $y \in \mathbb{R}^{\text{pix}, \text{rgb}}$:

$$\mathcal{L} = \underset{\text{pix}}{\text{mean}} \sum_{\text{rgb}} (y - \hat y)^2 .$$
""",
        [
            Fault(r"\underset{\text{loc}}{\cdot} (W^v", r"\underset{\text{slot}}{\cdot} (W^v"),
            Fault(r"[R_n \underset{\text{emb}}{\cdot} U", r"[R_n \underset{\text{key}}{\cdot} U"),
            Fault(
                r"\underset{\text{pix}}{\text{mean}} \sum_{\text{rgb}}",
                r"\underset{\text{loc}}{\text{mean}} \sum_{\text{rgb}}",
            ),
        ],
        [
            Entry(
                "A",
                lambda X, S, Wq, Wk: slots(X, S, Wq, Wk),
                "loc slot",
                {"X": "loc[5] feat[3]", "S": "slot[2] emb[4]"},
                {"Wq": "emb[4] key[3]", "Wk": "feat[3] key[3]"},
            ),
            Entry(
                "U",
                lambda X, S, Wq, Wk, Wv: (
                    (slots(X, S, Wq, Wk) / slots(X, S, Wq, Wk).sum(0)).T @ (X @ Wv)
                ),
                "slot emb",
                {"X": "loc[5] feat[3]", "S": "slot[2] emb[4]"},
                {"Wq": "emb[4] key[3]", "Wk": "feat[3] key[3]", "Wv": "feat[3] emb[4]"},
            ),
            Entry(
                "gru",
                gru,
                "slot emb",
                {"S": "slot[2] emb[4]", "U": "slot[2] emb[4]"},
                {
                    "R_z": "emb[4] emb'[4]",
                    "Q_z": "emb[4] emb'[4]",
                    "R_n": "emb[4] emb'[4]",
                    "Q_n": "emb[4] emb'[4]",
                },
            ),
            Entry(
                r"\mathcal{L}",
                lambda y, a, C: ((y - (softmax(a, 0)[:, :, None] * C).sum(0)) ** 2).sum(1).mean(),
                "",
                {"y": "pix[6] rgb[3]", "a": "slot[2] pix[6]", "C": "slot[2] pix[6] rgb[3]"},
            ),
        ],
    ),
    Unseen(
        "routing.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb}
\newcommand{\R}{\mathbb{R}}
\begin{document}
\section{Capsules}\label{sec:caps}
A \emph{capsule} is a small group of neurons whose vector says how a part looks, and whose length says whether the part is there at all.
Let $u \in \R^{\text{in}, \text{pose}}$ be what the lower capsules put out, and let there be one matrix for each pair of a lower and a higher
capsule, $W \in \R^{\text{in}, \text{out}, \text{pose}, \text{act}}$. The \emph{prediction} of a lower capsule for a higher one is
\begin{equation}\label{eq:pred}
\hat u = W \underset{\text{pose}}{\cdot} u .
\end{equation}
Vectors are shortened to a length below one,
\begin{equation}
\operatorname{squash}(s) = \frac{\|s\|_{\text{act}}^2}{1 + \|s\|_{\text{act}}^2} \, \frac{s}{\|s\|_{\text{act}}}
\end{equation}
where $s \in \R^{\text{out}, \text{act}}$.

\subsection{Routing by agreement}
Start from $b^0 = 0$ with $b^0 \in \R^{\text{in}, \text{out}}$. Then for $r = 1, \dots, 3$
\begin{align*}
c^r &= \underset{\text{out}}{\text{softmax}} \; b^{r-1} \\
s^r &= \sum_{\text{in}} c^r \odot \hat u \\
v^r &= \operatorname{squash}(s^r) \\
b^r &= b^{r-1} + \hat u \underset{\text{act}}{\cdot} v^r
\end{align*}
Three rounds are enough in practice\footnote{More rounds overfit, see the appendix of the original paper.}.

\subsection{Margin loss}
For a digit $k$ let $T_k = 1$ iff it is in the image, that is $T \in \{0,1\}^{\text{out}}$. With the final vectors
$v \in \R^{\text{out}, \text{act}}$ we minimise
\begin{multline}
L(v, T) = \sum_{\text{out}} \Bigl( T \odot \max(0, m^+ - \|v\|_{\text{act}})^2 \\
 + \lambda (1 - T) \odot \max(0, \|v\|_{\text{act}} - m^-)^2 \Bigr)
\end{multline}
where $m^+ = 0.9$, $m^- = 0.1$ and $\lambda = 0.5$.

\subsection{Reconstruction}
A linear decoder $D \in \R^{\text{out}, \text{act}, \text{pix}}$ sees only the capsule of the right class:
\[ \text{rec}(v, T) = \sigma\bigl( D \underset{\text{out}, \text{act}}{\cdot} (T \odot v) \bigr) \]
\end{document}
""",
        [
            Fault(
                r"\underset{\text{out}}{\text{softmax}}", r"\underset{\text{act}}{\text{softmax}}"
            ),
            Fault(
                r"b^{r-1} + \hat u \underset{\text{act}}{\cdot} v^r",
                r"b^{r-1} + \hat u \underset{\text{pose}}{\cdot} v^r",
            ),
            Fault(
                r"D \underset{\text{out}, \text{act}}{\cdot}",
                r"D \underset{\text{in}, \text{act}}{\cdot}",
            ),
        ],
        [
            Entry(
                r"\hat u",
                lambda W, u: np.einsum("ip,iopa->ioa", u, W),
                "in out act",
                {"W": "in[3] out[2] pose[4] act[5]", "u": "in[3] pose[4]"},
            ),
            Entry("squash", squash, "out act", {"s": "out[2] act[5]"}),
            Entry(
                "v^3",
                routed,
                "out act",
                {"u": "in[3] pose[4]", "W": "in[3] out[2] pose[4] act[5]"},
            ),
            Entry(
                "L",
                lambda v, T: (
                    T * np.maximum(0, 0.9 - np.linalg.norm(v, axis=1)) ** 2
                    + 0.5 * (1 - T) * np.maximum(0, np.linalg.norm(v, axis=1) - 0.1) ** 2
                ).sum(),
                "",
                {"v": "out[3] act[2]", "T": "out[3] ~ bits"},
            ),
            Entry(
                "rec",
                lambda v, T, D: sigmoid(np.einsum("oap,oa->p", D, T[:, None] * v)),
                "pix",
                {"v": "out[3] act[2]", "T": "out[3] ~ bits"},
                {"D": "out[3] act[2] pix[4]"},
            ),
        ],
    ),
    Unseen(
        "guidance.md",
        r"""---
title: "Classifier-free guidance in five formulas"
tags: [diffusion, sampling]
---

Everybody uses guidance and nobody writes down the axes, so here we go.

**Setup.** A batch of latents $x \in \mathbb{R}^{\text{batch}, \text{chan}, \text{pix}}$, a schedule $a \in [0, 1]^{\text{step}:T}$ (what is called $\bar\alpha$ in the DDPM paper), Gaussian noise $\varepsilon \in \mathbb{R}^{\text{batch}, \text{chan}, \text{pix}}$ and a time step $t \in [T]$. Noising is

$$\text{noisy}(x, \varepsilon, t) = \sqrt{a_{\text{step}(t)}} \, x + \sqrt{1 - a_{\text{step}(t)}} \, \varepsilon.$$

**Guidance.** The network is evaluated twice, with the prompt, $e_c$, and without, $e_u$. Both are in $\mathbb{R}^{\text{batch}, \text{chan}, \text{pix}}$. Then we extrapolate with strength $w \ge 0$:

$$\tilde e = (1 + w) \, e_c - w \, e_u$$

($w = 0$ is no guidance at all.) The guided estimate of the clean latent is

$$\hat x(x, t) = \frac{x - \sqrt{1 - a_{\text{step}(t)}} \, \tilde e}{\sqrt{a_{\text{step}(t)}}}$$

**Dynamic thresholding.** High $w$ leads to saturated images. *Imagen* clips by the largest absolute value of each picture,

$$s(z) = \max\Bigl(1, \underset{\text{chan}, \text{pix}}{\max} |z|\Bigr), \qquad \text{clip}(z) = \frac{z}{s(z)}, \qquad z \in \mathbb{R}^{\text{batch}, \text{chan}, \text{pix}}$$

**Rescaling.** Another fix matches the standard deviations:

$$\text{rescale} = \tilde e \odot \frac{\text{std}(e_c)}{\text{std}(\tilde e)}, \qquad \text{std}(z) = \sqrt{\underset{\text{chan}, \text{pix}}{\text{var}}(z)}$$

**Training.** With probability 10% the prompt is dropped. Let $m \in \{0,1\}^{\text{batch}}$ be the coins, $P \in \mathbb{R}^{\text{batch}, \text{tok}, \text{emb}}$ the prompts and $\varnothing \in \mathbb{R}^{\text{tok}, \text{emb}}$ the learned empty one, then the condition is

$$\text{cond} = m \odot \varnothing + (1 - m) \odot P$$

and the loss $\ell = \underset{\text{batch}}{\text{mean}} \sum_{\text{chan}, \text{pix}} (\varepsilon - e_c)^2$ as always.
""",
        [
            Fault(
                r"\underset{\text{chan}, \text{pix}}{\max} |z|",
                r"\underset{\text{chan}, \text{tok}}{\max} |z|",
            ),
            Fault(
                r"\underset{\text{batch}}{\text{mean}} \sum_{\text{chan}, \text{pix}} (\varepsilon",
                r"\underset{\text{batch}}{\text{mean}} \sum_{\text{chan}, \text{tok}} (\varepsilon",
            ),
            Fault(
                r"\underset{\text{chan}, \text{pix}}{\text{var}}(z)",
                r"\underset{\text{step}, \text{pix}}{\text{var}}(z)",
            ),
        ],
        [
            Entry(
                "noisy",
                lambda x, e, t, a: np.sqrt(a[t]) * x + np.sqrt(1 - a[t]) * e,
                "batch chan pix",
                {"x": "batch[2] chan[3] pix[4]", "varepsilon": "batch[2] chan[3] pix[4]", "t": 2},
                {"a": "step[5] ~ probability step"},
            ),
            Entry(
                r"\hat x",
                lambda x, t, a, c, u, w: (
                    (x - np.sqrt(1 - a[t]) * ((1 + w) * c - w * u)) / np.sqrt(a[t])
                ),
                "batch chan pix",
                {"x": "batch[2] chan[3] pix[4]", "t": 1},
                {
                    "a": "step[5] ~ probability step",
                    "e_c": "batch[2] chan[3] pix[4]",
                    "e_u": "batch[2] chan[3] pix[4]",
                    "w": 3.0,
                },
            ),
            Entry(
                "clip",
                lambda z: z / np.maximum(1, abs(z).max((1, 2), keepdims=True)),
                "batch chan pix",
                {"z": "batch[2] chan[3] pix[4]"},
            ),
            Entry(
                "rescale",
                lambda c, u, w: (
                    ((1 + w) * c - w * u)
                    * c.std((1, 2), keepdims=True)
                    / ((1 + w) * c - w * u).std((1, 2), keepdims=True)
                ),
                "batch chan pix",
                {"e_c": "batch[2] chan[3] pix[4]", "e_u": "batch[2] chan[3] pix[4]", "w": 3.0},
            ),
            Entry(
                "cond",
                lambda m, o, P: m[:, None, None] * o + (1 - m)[:, None, None] * P,
                "batch tok emb",
                {
                    "m": "batch[3] ~ bits",
                    "varnothing": "tok[2] emb[4]",
                    "P": "batch[3] tok[2] emb[4]",
                },
            ),
        ],
    ),
    Unseen(
        "semi_markov.md",
        r"""# Hidden semi-Markov models

In an HMM the time in a state is geometric. If you know that a phase lasts 3 to 5 days, that is silly. A *semi*-Markov model draws a state, then how long it lasts, then the observations.

## Ingredients

* log-likelihoods of the data, $E \in \mathbb{R}^{\text{day}:T, \text{state}:K}$
* transition probabilities $A \in [0,1]^{\text{state}:K, \text{state}':K}$, row $i$ says where we go from $i$
* durations $D \in [0,1]^{\text{dur}:M, \text{state}:K}$, at most $M$ days
* the first state, $p \in [0,1]^{\text{state}:K}$

## Cumulative sums

The score of a stretch of days is the difference of two cumulative sums:

$$C_{\text{day}(t)} = C_{\text{day}(t-1)} + E_{\text{day}(t)}, \qquad C_{\text{day}(0)} = 0$$

for $t = 1, \ldots, T$.

## Expected durations

How long do we stay on average? Let $n_{\text{dur}(d)} = d$. Then

$$\mu = \sum_{\text{dur}} n \odot D, \qquad v = \sum_{\text{dur}} n^2 \odot D - \mu^2$$

are mean and variance for every state. The survivor function $\bar D_{\text{dur}(d)} = \sum_{d'=d}^{M} D_{\text{dur}(d')}$ is the probability to last at least $d$ days.

## Stationary distribution

Ignoring the durations we iterate

$$\pi^{k} = \left[ \pi^{k-1} \underset{\text{state}}{\cdot} A \right]_{\text{state}' \to \text{state}}, \quad \pi^0 = p$$

and then reweight by how long one stays,

$$\text{occ} = \frac{\pi^{50} \odot \mu}{\pi^{50} \underset{\text{state}}{\cdot} \mu}$$

## Smoothing a guess

Given a guess $q \in [0,1]^{\text{day}:T, \text{state}:K}$ of the posterior, expected counts of the transitions are

$$N = \sum_{t=2}^{T} q_{\text{day}(t-1)} \odot [q_{\text{day}(t)}]_{\text{state} \to \text{state}'}$$

and the new $A$ is $\text{new}A = N / \sum_{\text{state}'} N$. The entropy of the guess, $H = -\sum_{\text{day}, \text{state}} q \odot \log q$, tells whether it is worth it.
""",
        [
            Fault(r"\mu = \sum_{\text{dur}} n \odot D", r"\mu = \sum_{\text{day}} n \odot D"),
            Fault(
                r"\left[ \pi^{k-1} \underset{\text{state}}{\cdot} A \right]",
                r"\left[ \pi^{k-1} \underset{\text{dur}}{\cdot} A \right]",
            ),
            Fault(
                r"[q_{\text{day}(t)}]_{\text{state} \to \text{state}'}",
                r"[q_{\text{day}(t)}]_{\text{dur} \to \text{state}'}",
            ),
        ],
        [
            Entry("C", lambda E: E.cumsum(0), "day state", {"E": "day[5] state[3]"}),
            Entry(
                "v",
                lambda D: (
                    (np.arange(1, 5)[:, None] ** 2 * D).sum(0)
                    - (np.arange(1, 5)[:, None] * D).sum(0) ** 2
                ),
                "state",
                {"D": "dur[4] state[3] ~ probability dur"},
            ),
            Entry(
                r"\bar D",
                lambda D: D[::-1].cumsum(0)[::-1],
                "dur state",
                {"D": "dur[4] state[3] ~ probability dur"},
            ),
            Entry(
                r"\pi^{50}",
                lambda p, A: p @ np.linalg.matrix_power(A, 50),
                "state",
                {
                    "p": "state[3] ~ probability state",
                    "A": "state[3] state'[3] ~ probability state'",
                },
            ),
            Entry(
                "N",
                lambda q: q[:-1].T @ q[1:],
                "state state'",
                {"q": "day[5] state[3] ~ probability state"},
            ),
            Entry(
                "H",
                lambda q: -(q * np.log(q)).sum(),
                "",
                {"q": "day[5] state[3] ~ probability state"},
            ),
        ],
    ),
    Unseen(
        "click_rates.md",
        r"""# DeepFM for click-through rates

## 1 Factorization machine

Features are sparse, $x \in \mathbb{R}^{\text{batch}, \text{feat}:n}$ ($n$ is in the millions, but only a few dozen entries per row are not zero). Each feature has a weight and a vector of $k \approx 10$ numbers.

$$
w \in \mathbb{R}^{\text{feat}:n}, \quad V \in \mathbb{R}^{\text{feat}:n, \text{fac}:k}, \quad w_0 \in \mathbb{R}
$$

The model of degree two is

$$
\text{fm}(x) = w_0 + w \underset{\text{feat}}{\cdot} x + \frac12 \sum_{\text{fac}} \left[ \Bigl( \sum_{\text{feat}} V \odot x \Bigr)^2 - \sum_{\text{feat}} V^2 \odot x^2 \right]
$$

which needs only $O(kn)$ and not $O(kn^2)$ operations, a classic trick.

## 2 Deep part

The features fall into $F$ fields (user, ad, site, hour, ...). $e \in \mathbb{R}^{\text{batch}, \text{field}:F, \text{fac}:k}$ are the vectors of the active feature in each field. They go, concatenated, through two hidden layers:

$$
\begin{aligned}
h_1 &= \text{ReLU}\bigl( U_1 \underset{\text{field}, \text{fac}}{\cdot} e + b_1 \bigr) & U_1 &\in \mathbb{R}^{\text{field}:F, \text{fac}:k, \text{hid}} \\
h_2 &= \text{ReLU}\bigl( U_2 \underset{\text{hid}}{\cdot} h_1 + b_2 \bigr) & U_2 &\in \mathbb{R}^{\text{hid}, \text{hid2}} \\
\text{deep}(e) &= u \underset{\text{hid2}}{\cdot} h_2
\end{aligned}
$$

where $b_1 \in \mathbb{R}^{\text{hid}}$, $b_2, u \in \mathbb{R}^{\text{hid2}}$.

## 3 Both

$$\hat y(x, e) = \sigma(\text{fm}(x) + \text{deep}(e))$$

Clicks are labels $y \in \{0, 1\}^{\text{batch}}$; training minimises the log loss

$$\text{logloss}(x, e, y) = -\underset{\text{batch}}{\text{mean}} \bigl( y \log \hat y(x, e) + (1 - y) \log(1 - \hat y(x, e)) \bigr) + \frac{\lambda}{2} \| V \|_{\text{feat}, \text{fac}}^2$$

($\lambda$ is chosen on a validation set).

### Field-aware version

In an FFM there is one vector for each feature *and* field of the partner, $Q \in \mathbb{R}^{\text{field}, \text{field}', \text{fac}:k}$ for the active ones. With $M \in \{0,1\}^{\text{field}, \text{field}'}$ the strict upper triangle,

$$\text{ffm}(Q) = \sum_{\text{field}, \text{field}'} M \odot \Bigl( Q \underset{\text{fac}}{\cdot} Q_{\text{field} \to \text{field}', \text{field}' \to \text{field}} \Bigr)$$
""",
        [
            Fault(
                r"\Bigl( \sum_{\text{feat}} V \odot x \Bigr)^2",
                r"\Bigl( \sum_{\text{field}} V \odot x \Bigr)^2",
            ),
            Fault(
                r"U_2 &\in \mathbb{R}^{\text{hid}, \text{hid2}}",
                r"U_2 &\in \mathbb{R}^{\text{fac}, \text{hid2}}",
            ),
            Fault(
                r"= -\underset{\text{batch}}{\text{mean}}",
                r"= -\underset{\text{feat}}{\text{mean}}",
            ),
        ],
        [
            Entry(
                "fm",
                lambda x, c, w, V: c + x @ w + 0.5 * ((x @ V) ** 2 - (x**2) @ (V**2)).sum(1),
                "batch",
                {"x": "batch[3] feat[5]"},
                {"w_0": 0.3, "w": "feat[5]", "V": "feat[5] fac[2]"},
            ),
            Entry(
                "deep",
                lambda e, U, b, W, c, u: (
                    np.maximum(np.maximum(np.einsum("bfk,fkh->bh", e, U) + b, 0) @ W + c, 0) @ u
                ),
                "batch",
                {"e": "batch[3] field[4] fac[2]"},
                {
                    "U_1": "field[4] fac[2] hid[5]",
                    "b_1": "hid[5]",
                    "U_2": "hid[5] hid2[3]",
                    "b_2": "hid2[3]",
                    "u": "hid2[3]",
                },
            ),
            Entry(
                "ffm",
                lambda Q, M: (M * np.einsum("ijk,jik->ij", Q, Q)).sum(),
                "",
                {"Q": "field[3] field'[3] fac[2]"},
                {"M": "field[3] field'[3] ~ bits"},
            ),
        ],
    ),
    Unseen(
        "poincare.md",
        r"""# Embedding trees in the Poincaré ball

Trees do not fit into flat space: the number of nodes grows exponentially with the depth, the volume of a ball only polynomially. In *hyperbolic* space it fits.

Let $\Theta \in \mathbb{R}^{\text{word}, \text{dim}}$ be the embeddings, all of norm less than one. For two points $u, v \in \mathbb{R}^{\text{dim}}$ the distance is

$$
d(u, v) = \operatorname{arcosh}\left( 1 + 2 \frac{\|u - v\|_{\text{dim}}^2}{(1 - \|u\|_{\text{dim}}^2)(1 - \|v\|_{\text{dim}}^2)} \right)
$$

## Loss

Given a pair (word, hypernym) $(i, j)$ and a set of negative words $s \in [|\text{word}|]^{\text{neg}}$, the loss is a softmax over distances,

$$
\ell(i, j, s) = d(\Theta_{\text{word}(i)}, \Theta_{\text{word}(j)}) + \log \sum_{\text{neg}} \exp\bigl( - d(\Theta_{\text{word}(i)}, \Theta_{\text{word}(s)}) \bigr)
$$

so close pairs and far negatives are good.

## Riemannian gradient

The metric at $\theta \in \mathbb{R}^{\text{dim}}$ is conformal with factor $\lambda(\theta) = \frac{2}{1 - \|\theta\|_{\text{dim}}^2}$. Hence if $g \in \mathbb{R}^{\text{dim}}$ is the Euclidean gradient, the Riemannian one is

$$\text{grad}(\theta, g) = \frac{g}{\lambda(\theta)^2}$$

and a step of size $\eta = 0.01$ followed by a projection back into the ball is

$$
\text{step}(\theta, g) = \text{proj}\bigl( \theta - \eta \, \text{grad}(\theta, g) \bigr), \qquad
\text{proj}(x) = \begin{cases} \dfrac{x}{\|x\|_{\text{dim}}} (1 - 10^{-5}) & \text{if } \|x\|_{\text{dim}} \ge 1 \\ x & \text{otherwise} \end{cases}
$$

with $x \in \mathbb{R}^{\text{dim}}$.

## Möbius addition

Vectors do not add any more. Instead

$$
\text{madd}(u, v) = \frac{ (1 + 2 \, u \underset{\text{dim}}{\cdot} v + \|v\|_{\text{dim}}^2) \, u + (1 - \|u\|_{\text{dim}}^2) \, v }{ 1 + 2 \, u \underset{\text{dim}}{\cdot} v + \|u\|_{\text{dim}}^2 \|v\|_{\text{dim}}^2 }
$$

which is *not* commutative.

## How deep is a word?

The norm of an embedding correlates with its depth; a table of all distances is $T = d([\Theta]_{\text{word} \to \text{word}'}, \Theta)$ and the mean distance to the others, $\text{far} = \underset{\text{word}'}{\text{mean}}\, T$, is small for general words.
""",
        [
            Fault(r"\frac{\|u - v\|_{\text{dim}}^2}", r"\frac{\|u - v\|_{\text{word}}^2}"),
            Fault(r"\log \sum_{\text{neg}} \exp", r"\log \sum_{\text{word}} \exp"),
            Fault(
                r"(1 + 2 \, u \underset{\text{dim}}{\cdot} v",
                r"(1 + 2 \, u \underset{\text{neg}}{\cdot} v",
            ),
        ],
        [
            Entry(
                "d",
                distance,
                "",
                {"u": "dim[9] ~ probability dim", "v": "dim[9] ~ probability dim"},
            ),
            Entry(
                "grad",
                lambda t, g: g * (1 - t @ t) ** 2 / 4,
                "dim",
                {"theta": "dim[9] ~ probability dim", "g": "dim[9]"},
            ),
            Entry(
                "step",
                lambda t, g: t - 0.01 * g * (1 - t @ t) ** 2 / 4,
                "dim",
                {"theta": "dim[9] ~ probability dim", "g": "dim[9]"},
            ),
            Entry(
                "madd",
                lambda u, v: (
                    ((1 + 2 * u @ v + v @ v) * u + (1 - u @ u) * v)
                    / (1 + 2 * u @ v + (u @ u) * (v @ v))
                ),
                "dim",
                {"u": "dim[9]", "v": "dim[9]"},
            ),
            Entry(
                "far",
                lambda t: distance(t[:, None], t).mean(1),
                "word",
                {"Theta": "word[3] dim[9] ~ probability dim"},
            ),
        ],
    ),
    Unseen(
        "hops.md",
        r"""# End-to-end memory networks

*Question answering over a little story.*

A story has $n$ sentences of $J$ words, a question has $J$ words too. Sentences and question are bags of one-hot vectors:

$$S \in \{0,1\}^{\text{sent}:n, \text{pos}:J, \text{vocab}} \qquad q \in \{0,1\}^{\text{pos}:J, \text{vocab}}$$

Three embedding matrices are learned, $A$, $B$, $C$, all of shape $\mathbb{R}^{\text{vocab}, \text{emb}:d}$. In formulas: $A, B, C \in \mathbb{R}^{\text{vocab}, \text{emb}:d}$.

## Position encoding

Just summing the words loses their order. The paper weights the words by

$$
L_{\text{pos}(j), \text{emb}(k)} = (1 - j/J) - (k/d)(1 - 2j/J)
$$

With it, memory $i$ is $m_i = \sum_j l_j \odot A x_{ij}$; in our notation

$$
m = \sum_{\text{pos}} L \odot \bigl( A \underset{\text{vocab}}{\cdot} S \bigr), \qquad
c = \sum_{\text{pos}} L \odot \bigl( C \underset{\text{vocab}}{\cdot} S \bigr), \qquad
u_0 = \sum_{\text{pos}} L \odot \bigl( B \underset{\text{vocab}}{\cdot} q \bigr)
$$

## Hops

One hop matches the question against the memories and adds what it reads:

$$
\begin{aligned}
p(u) &= \underset{\text{sent}}{\text{softmax}} \bigl( u \underset{\text{emb}}{\cdot} m \bigr) \\
\text{hop}(u) &= u + p(u) \underset{\text{sent}}{\cdot} c
\end{aligned}
$$

for $u \in \mathbb{R}^{\text{emb}:d}$. We use three hops with tied weights:

$$u_1 = \text{hop}(u_0), \quad u_2 = \text{hop}(u_1), \quad u_3 = \text{hop}(u_2)$$

## Answer

The answer is a single word,

$$\hat a = \underset{\text{vocab}}{\text{softmax}} \bigl( W \underset{\text{emb}}{\cdot} u_3 \bigr)$$

where $W \in \mathbb{R}^{\text{vocab}, \text{emb}:d}$. Loss: cross entropy, $\text{loss}(a) = - a \underset{\text{vocab}}{\cdot} \log \hat a$ with the right answer $a \in \{0,1\}^{\text{vocab}}$ one-hot.

Some tricks:

1. *Linear start*: remove the softmax in the hops at first, i.e. $p(u) = u \underset{\text{emb}}{\cdot} m$.
2. Random noise: add 10% empty memories.
""",
        [
            Fault(
                r"L \odot \bigl( C \underset{\text{vocab}}{\cdot} S",
                r"L \odot \bigl( C \underset{\text{emb}}{\cdot} S",
            ),
            Fault(
                r"u + p(u) \underset{\text{sent}}{\cdot} c",
                r"u + p(u) \underset{\text{pos}}{\cdot} c",
            ),
            Fault(
                r"\hat a = \underset{\text{vocab}}{\text{softmax}}",
                r"\hat a = \underset{\text{sent}}{\text{softmax}}",
            ),
        ],
        [
            Entry(
                "L",
                lambda: np.array(
                    [[(1 - j / 3) - (k / 2) * (1 - 2 * j / 3) for k in (1, 2)] for j in (1, 2, 3)]
                ),
                "pos emb",
                {},
                {},
                {"J": 3, "d": 2},
            ),
            Entry(
                "hop",
                lambda u, S, A, C: hop(
                    u,
                    np.einsum("spv,ve,pe->se", S, A, weights(3, 2)),
                    np.einsum("spv,ve,pe->se", S, C, weights(3, 2)),
                ),
                "emb",
                {"u": "emb[2]", "S": "sent[4] pos[3] vocab[5] ~ one-hot vocab"},
                {"A": "vocab[5] emb[2]", "C": "vocab[5] emb[2]"},
            ),
            Entry(
                r"\hat a",
                lambda S, q, A, B, C, W: softmax(W @ asked(S, q, A, B, C), 0),
                "vocab",
                {
                    "S": "sent[4] pos[3] vocab[5] ~ one-hot vocab",
                    "q": "pos[3] vocab[5] ~ one-hot vocab",
                },
                {
                    "A": "vocab[5] emb[2]",
                    "B": "vocab[5] emb[2]",
                    "C": "vocab[5] emb[2]",
                    "W": "vocab[5] emb[2]",
                },
            ),
        ],
    ),
    Unseen(
        "wavenet.md",
        r"""# WaveNet, one block at a time

Raw audio, 16 kHz. After a first layer we have $x \in \mathbb{R}^{\text{time}:T, \text{chan}:c}$.

### Dilated causal convolution

With two taps and dilation $\delta$ an output sees the present and the sample $\delta$ steps before. Filters for the "content" and for the gate are

$$F, G \in \mathbb{R}^{\text{tap}:2, \text{chan}:c, \text{gate}:g}$$

Shifted input (zeros before the beginning):

$$
\text{past}(x, \delta)_{\text{time}(t)} = \begin{cases} x_{\text{time}(t - \delta)} & t > \delta \\ 0 & \text{otherwise} \end{cases}
$$

and the convolution with a filter $K \in \mathbb{R}^{\text{tap}:2, \text{chan}:c, \text{gate}:g}$ is

$$
\text{conv}(x, K, \delta) = K_{\text{tap}(2)} \underset{\text{chan}}{\cdot} x + K_{\text{tap}(1)} \underset{\text{chan}}{\cdot} \text{past}(x, \delta).
$$

### Gated unit

$$
z(x, \delta) = \tanh(\text{conv}(x, F, \delta)) \odot \sigma(\text{conv}(x, G, \delta))
$$

A $1 \times 1$ convolution brings it back, plus the residual, and a second one feeds the *skip* path.

$$
\begin{aligned}
\text{res}(x, \delta) &= x + R \underset{\text{gate}}{\cdot} z(x, \delta) & R &\in \mathbb{R}^{\text{gate}:g, \text{chan}:c} \\
\text{skip}(x, \delta) &= P \underset{\text{gate}}{\cdot} z(x, \delta) & P &\in \mathbb{R}^{\text{gate}:g, \text{skip}}
\end{aligned}
$$

Dilations double: 1, 2, 4, ... 512, so that ten layers see 1024 samples.

### Output

All skips are summed, $s \in \mathbb{R}^{\text{time}:T, \text{skip}}$, then

$$
o(s) = \underset{\text{level}}{\text{softmax}} \Bigl( O \underset{\text{skip}}{\cdot} \text{ReLU}(s) \Bigr)
$$

with $O \in \mathbb{R}^{\text{skip}, \text{level}}$ over 256 levels of the $\mu$-law

$$
f(a) = \operatorname{sign}(a) \frac{\ln(1 + \mu |a|)}{\ln(1 + \mu)}, \qquad \mu = 255, \quad a \in [-1, 1]^{\text{time}:T}.
$$

The negative log-likelihood of the true levels $y \in [256]^{\text{time}:T}$ is $-\sum_{t=1}^{T} \log o(s)_{\text{time}(t), \text{level}(y_{\text{time}(t)})}$.
""",
        [
            Fault(
                r"K_{\text{tap}(2)} \underset{\text{chan}}{\cdot} x",
                r"K_{\text{tap}(2)} \underset{\text{time}}{\cdot} x",
            ),
            Fault(
                r"x + R \underset{\text{gate}}{\cdot} z", r"x + R \underset{\text{skip}}{\cdot} z"
            ),
            Fault(
                r"o(s) = \underset{\text{level}}{\text{softmax}}",
                r"o(s) = \underset{\text{chan}}{\text{softmax}}",
            ),
        ],
        [
            Entry(
                "past",
                lambda x, n: np.concatenate([np.zeros((n, 2)), x[:-n]]),
                "time chan",
                {"x": "time[6] chan[2]", "delta": 2},
            ),
            Entry(
                "conv",
                lambda x, K, n: x @ K[1] + np.concatenate([np.zeros((n, 2)), x[:-n]]) @ K[0],
                "time gate",
                {"x": "time[6] chan[2]", "K": "tap[2] chan[2] gate[3]", "delta": 2},
            ),
            Entry(
                "res",
                lambda x, n, F, G, R: (
                    x
                    + (
                        np.tanh(x @ F[1] + np.concatenate([np.zeros((n, 2)), x[:-n]]) @ F[0])
                        * sigmoid(x @ G[1] + np.concatenate([np.zeros((n, 2)), x[:-n]]) @ G[0])
                    )
                    @ R
                ),
                "time chan",
                {"x": "time[6] chan[2]", "delta": 2},
                {
                    "F": "tap[2] chan[2] gate[3]",
                    "G": "tap[2] chan[2] gate[3]",
                    "R": "gate[3] chan[2]",
                },
            ),
            Entry(
                "f",
                lambda a: np.sign(a) * np.log(1 + 255 * abs(a)) / np.log(256),
                "time",
                {"a": "time[6] ~ probability time"},
            ),
            Entry(
                "o",
                lambda s, O: softmax(np.maximum(s, 0) @ O, 1),
                "time level",
                {"s": "time[6] skip[3]"},
                {"O": "skip[3] level[4]"},
            ),
        ],
    ),
    Unseen(
        "few_shot.tex",
        r"""\documentclass{article}
\usepackage{amsmath}
\newcommand{\ax}[1]{\mathrm{#1}}
\newcommand{\dotover}[1]{\underset{\ax{#1}}{\cdot}}
\newcommand{\fun}[2]{\underset{\ax{#1}}{\operatorname{#2}}}
\begin{document}
\section{Few-shot classification}
An episode has a \emph{support set} of $n$ labelled examples and a set of queries. We write $S \in \mathbb{R}^{\ax{sup} \times \ax{emb}}$ for
the embedded support examples, $Y \in \{0,1\}^{\ax{sup} \times \ax{class}}$ for their labels (one-hot) and
$Q \in \mathbb{R}^{\ax{query} \times \ax{emb}}$ for the embedded queries.

\paragraph{Prototypical networks.} A class is represented by the mean of its examples,
\begin{equation}
c = \frac{Y \dotover{sup} S}{\sum_{\ax{sup}} Y},
\end{equation}
and queries are classified by distance:
\begin{equation}
p_{\mathrm{proto}} = \fun{class}{softmax}\left( - \sum_{\ax{emb}} (Q - c)^2 \right).
\end{equation}

\paragraph{Matching networks.} Here every example votes, weighted by its cosine similarity:
\begin{equation}
p_{\mathrm{match}} = \fun{sup}{softmax}\bigl( \cos(Q, S) \bigr) \dotover{sup} Y
\end{equation}
with
\[ \cos(a, b) = \frac{a \dotover{emb} b}{\|a\|_{\ax{emb}} \, \|b\|_{\ax{emb}}} . \]

\paragraph{Relation networks.} Replace the fixed distance by a learned one. Let $W \in \mathbb{R}^{\ax{emb} \times \ax{hid}}$,
$V \in \mathbb{R}^{\ax{emb} \times \ax{hid}}$ and $r \in \mathbb{R}^{\ax{hid}}$,
\begin{equation}
g = \sigma\left( r \dotover{hid} \operatorname{ReLU}( W \dotover{emb} Q + V \dotover{emb} c ) \right)
\end{equation}
trained with the squared error to the true labels $T \in \{0,1\}^{\ax{query} \times \ax{class}}$,
\begin{equation}
E = \sum_{\ax{query}, \ax{class}} (g - T)^2 .
\end{equation}

\paragraph{Evaluation.} The accuracy of a classifier $p \in [0,1]^{\ax{query} \times \ax{class}}$ is
\[ \operatorname{acc}(p) = \fun{query}{mean} \left( T \dotover{class} \mathbf{1}\bigl[ p = \fun{class}{max} p \bigr] \right) . \]
We average it over 600 episodes. \emph{Transductive} methods refine $c$ by soft assignments of the queries,
\[ c' = \frac{ Y \dotover{sup} S + p \dotover{query} Q }{ \sum_{\ax{sup}} Y + \sum_{\ax{query}} p } . \]
\end{document}
""",
        [
            Fault(r"c = \frac{Y \dotover{sup} S}", r"c = \frac{Y \dotover{query} S}"),
            Fault(r"- \sum_{\ax{emb}} (Q - c)^2", r"- \sum_{\ax{sup}} (Q - c)^2"),
            Fault(
                r"\operatorname{acc}(p) = \fun{query}{mean} \left( T \dotover{class}",
                r"\operatorname{acc}(p) = \fun{query}{mean} \left( T \dotover{emb}",
            ),
        ],
        [
            Entry(
                "c",
                lambda Y, S: Y.T @ S / Y.sum(0)[:, None],
                "class emb",
                {"Y": "sup[4] class[2] ~ probability class", "S": "sup[4] emb[3]"},
            ),
            Entry(
                r"p_{\mathrm{proto}}",
                lambda Q, Y, S: softmax(
                    -((Q[:, None] - Y.T @ S / Y.sum(0)[:, None]) ** 2).sum(2), 1
                ),
                "query class",
                {
                    "Q": "query[3] emb[3]",
                    "Y": "sup[4] class[2] ~ probability class",
                    "S": "sup[4] emb[3]",
                },
            ),
            Entry(
                r"p_{\mathrm{match}}",
                lambda Q, Y, S: (
                    softmax(
                        Q @ S.T / np.linalg.norm(Q, axis=1)[:, None] / np.linalg.norm(S, axis=1),
                        1,
                    )
                    @ Y
                ),
                "query class",
                {
                    "Q": "query[3] emb[3]",
                    "Y": "sup[4] class[2] ~ probability class",
                    "S": "sup[4] emb[3]",
                },
            ),
            Entry(
                "acc",
                lambda p, T: (T * (p == p.max(1, keepdims=True))).sum(1).mean(),
                "",
                {"p": "query[3] class[2] ~ probability class"},
                {"T": "query[3] class[2] ~ one-hot class"},
            ),
            Entry(
                "c'",
                lambda p, Q, Y, S: (Y.T @ S + p.T @ Q) / (Y.sum(0) + p.sum(0))[:, None],
                "class emb",
                {
                    "p": "query[3] class[2] ~ probability class",
                    "Q": "query[3] emb[3]",
                    "Y": "sup[4] class[2] ~ probability class",
                    "S": "sup[4] emb[3]",
                },
            ),
        ],
    ),
    Unseen(
        "spectral.md",
        r"""# Spectral clustering in one page

Given: $n$ points, $X \in \mathbb{R}^{\text{pt}:n, \text{dim}}$.

**Step 1: similarities.** Use a Gaussian kernel of width $s$ (take $s = 0.5$ if you have no idea):

$$W_{\text{pt}(i), \text{pt}'(j)} = \exp\left( -\frac{\| X_{\text{pt}(i)} - X_{\text{pt}(j)} \|_{\text{dim}}^2}{2 s^2} \right)$$

and set the diagonal to zero, $\tilde W = W \odot (1 - I)$, where $I \in \mathbb{R}^{\text{pt}:n, \text{pt}':n}$ is the identity matrix, $I_{ij} = \delta_{ij}$.

**Step 2: Laplacian.** The degrees are

$$g = \sum_{\text{pt}'} \tilde W$$

and then

$$L = I - \frac{\tilde W}{\sqrt{g} \, \sqrt{g_{\text{pt} \to \text{pt}'}}}$$

This is the symmetric normalised Laplacian. Check: $\sqrt{g_{\text{pt} \to \text{pt}'}} \underset{\text{pt}'}{\cdot} L = 0$.

**Step 3: eigenvectors.** Take the $k$ eigenvectors of $L$ with the smallest eigenvalues as columns of $U \in \mathbb{R}^{\text{pt}:n, \text{vec}:k}$ and normalise the *rows*,

$$Z = \frac{U}{\sqrt{\sum_{\text{vec}} U^2}}$$

**Step 4: k-means** on the rows of $Z$. With centres $C \in \mathbb{R}^{\text{cl}:k, \text{vec}:k}$ the assignment is

$$A = \underset{\text{cl}}{\text{argmin}} \sum_{\text{vec}} (Z - C)^2$$

---

*How good is it?* Let $H \in \{0,1\}^{\text{pt}:n, \text{cl}:k}$ say which point is in which cluster. The normalised cut is

$$\text{ncut}(H) = \sum_{\text{cl}} \frac{ H \underset{\text{pt}}{\cdot} \tilde W \underset{\text{pt}'}{\cdot} (1 - H)_{\text{pt} \to \text{pt}'} }{ g \underset{\text{pt}}{\cdot} H }$$

and the Rayleigh quotient of a vector $f \in \mathbb{R}^{\text{pt}:n}$ is $R(f) = \frac{f \underset{\text{pt}}{\cdot} L \underset{\text{pt}'}{\cdot} f_{\text{pt} \to \text{pt}'}}{\sum_{\text{pt}} f^2}$, small if $f$ changes little along heavy edges.
""",
        [
            Fault(r"g = \sum_{\text{pt}'} \tilde W", r"g = \sum_{\text{dim}} \tilde W"),
            Fault(
                r"\underset{\text{cl}}{\text{argmin}} \sum_{\text{vec}} (Z",
                r"\underset{\text{cl}}{\text{argmin}} \sum_{\text{dim}} (Z",
            ),
            Fault(r"{ g \underset{\text{pt}}{\cdot} H }", r"{ g \underset{\text{vec}}{\cdot} H }"),
        ],
        [
            Entry(
                "W",
                lambda X: np.exp(-((X[:, None] - X) ** 2).sum(2) / 0.5),
                "pt pt'",
                {"X": "pt[4] dim[2]"},
            ),
            Entry("L", lambda X: laplacian(X)[0], "pt pt'", {"X": "pt[4] dim[2]"}),
            Entry(
                "Z",
                lambda U: U / np.sqrt((U**2).sum(1, keepdims=True)),
                "pt vec",
                {"U": "pt[4] vec[2]"},
            ),
            Entry(
                "ncut",
                lambda H, X: sum(
                    H[:, c] @ laplacian(X)[1] @ (1 - H[:, c]) / (laplacian(X)[1].sum(1) @ H[:, c])
                    for c in range(2)
                ),
                "",
                {"H": "pt[4] cl[2] ~ probability cl"},
                {"X": "pt[4] dim[2]"},
            ),
            Entry(
                "R",
                lambda f, X: f @ laplacian(X)[0] @ f / (f @ f),
                "",
                {"f": "pt[4]"},
                {"X": "pt[4] dim[2]"},
            ),
        ],
    ),
    Unseen(
        "actor_critic.md",
        r"""# Advantage actor–critic

Lecture 11. We follow $T$ steps of one episode: states $S \in \mathbb{R}^{\text{time}:T, \text{obs}}$, actions $a \in [A]^{\text{time}:T}$ where $A = |\text{act}|$, and rewards $r \in \mathbb{R}^{\text{time}:T}$.

## Actor and critic

Both share a body with parameters $B \in \mathbb{R}^{\text{obs}, \text{hid}}$:

$$h(S) = \tanh(B \underset{\text{obs}}{\cdot} S)$$

$$
\pi(S) = \underset{\text{act}}{\text{softmax}}\bigl( P \underset{\text{hid}}{\cdot} h(S) \bigr), \qquad
V(S) = v \underset{\text{hid}}{\cdot} h(S)
$$

with $P \in \mathbb{R}^{\text{hid}, \text{act}}$ and $v \in \mathbb{R}^{\text{hid}}$.

## Returns

The discounted return satisfies the backward recursion

$$
G_{\text{time}(t)} = r_{\text{time}(t)} + \gamma \, G_{\text{time}(t+1)}, \qquad G_{\text{time}(T+1)} = 0
$$

with $\gamma = 0.9$ and $t = T, T-1, \ldots, 1$.

The one-step advantage only looks at the next state,

$$
D_{\text{time}(t)} = r_{\text{time}(t)} + \gamma \, V(S)_{\text{time}(t+1)} - V(S)_{\text{time}(t)}, \quad t = 1, \dots, T - 1
$$

while the Monte Carlo advantage is $\text{Adv} = G - V(S)$. In practice one normalises it over the steps:

$$
\text{norm}(Z) = \frac{Z - \underset{\text{time}}{\text{mean}} Z}{\sqrt{\underset{\text{time}}{\text{var}} Z + 10^{-8}}}
$$

for $Z \in \mathbb{R}^{\text{time}:T}$.

## Losses

| | formula |
|---|---|
| critic | $\text{mse} = \underset{\text{time}}{\text{mean}} (G - V(S))^2$ |
| entropy | $\text{ent} = -\underset{\text{time}}{\text{mean}} \sum_{\text{act}} \pi(S) \odot \log \pi(S)$ |

The policy gradient loss is

$$
\text{pg} = -\underset{\text{time}}{\text{mean}} \Bigl( \text{norm}(\text{Adv}) \odot \log \pi(S)_{\text{act}(a)} \Bigr)
$$

and altogether

$$\text{total} = \text{pg} + 0.5 \, \text{mse} - 0.01 \, \text{ent}.$$
""",
        [
            Fault(
                r"\pi(S) = \underset{\text{act}}{\text{softmax}}",
                r"\pi(S) = \underset{\text{obs}}{\text{softmax}}",
            ),
            Fault(
                r"Z - \underset{\text{time}}{\text{mean}} Z",
                r"Z - \underset{\text{hid}}{\text{mean}} Z",
            ),
            Fault(
                r"\text{pg} = -\underset{\text{time}}{\text{mean}}",
                r"\text{pg} = -\underset{\text{obs}}{\text{mean}}",
            ),
        ],
        [
            Entry(
                r"\pi",
                lambda S, B, P: softmax(np.tanh(S @ B) @ P, 1),
                "time act",
                {"S": "time[5] obs[3]"},
                {"B": "obs[3] hid[4]", "P": "hid[4] act[2]"},
            ),
            Entry("G", lambda r: returns(r, 0.9), "time", {"r": "time[5]"}),
            Entry(
                "D",
                lambda r, S, B, v: (
                    r[:-1] + 0.9 * (np.tanh(S @ B) @ v)[1:] - (np.tanh(S @ B) @ v)[:-1]
                ),
                "time",
                {"r": "time[5]", "S": "time[5] obs[3]"},
                {"B": "obs[3] hid[4]", "v": "hid[4]"},
            ),
            Entry(
                "ent",
                lambda S, B, P: (
                    -(softmax(np.tanh(S @ B) @ P, 1) * np.log(softmax(np.tanh(S @ B) @ P, 1)))
                    .sum(1)
                    .mean()
                ),
                "",
                {"S": "time[5] obs[3]"},
                {"B": "obs[3] hid[4]", "P": "hid[4] act[2]"},
            ),
            Entry(
                "pg",
                lambda r, S, a, B, P, v: policy_loss(r, S, a, B, P, v),
                "",
                {"r": "time[5]", "S": "time[5] obs[3]", "a": "time[5] ~ whole 2"},
                {"B": "obs[3] hid[4]", "P": "hid[4] act[2]", "v": "hid[4]"},
            ),
        ],
    ),
    Unseen(
        "survival.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\DeclareMathOperator{\mean}{mean}
\begin{document}
\section{Proportional hazards}

We follow $n$ patients. Patient $i$ has covariates $x_i$ and was seen until time $t_i$, with $e_i = 1$ if the event occurred then and $e_i = 0$
if the patient was censored. Collected: $X \in \mathbb{R}^{\text{pat}:n, \text{cov}:p}$, $t \in \mathbb{R}^{\text{pat}:n}$ and
$e \in \{0,1\}^{\text{pat}:n}$.

\subsection{Risk sets}
Who is still at risk when $i$ has the event is a matrix of zeros and ones,
\[ R_{\text{pat}(i), \text{pat}'(j)} = \begin{cases} 1 & \text{if } t_{\text{pat}(j)} \ge t_{\text{pat}(i)} \\ 0 & \text{else.} \end{cases} \]

\subsection{Partial likelihood}
Let $\beta \in \mathbb{R}^{\text{cov}:p}$ be the coefficients and
\begin{equation}
\eta(\beta) = X \underset{\text{cov}}{\cdot} \beta
\end{equation}
the linear predictor. Cox's partial log-likelihood is
\begin{equation}
\ell(\beta) = \sum_{\text{pat}} e \odot \left( \eta(\beta) - \log \sum_{\text{pat}'} R \odot \exp(\eta(\beta))_{\text{pat} \rightarrow \text{pat}'} \right).
\end{equation}
Its score contains the risk-weighted mean of the covariates,
\begin{equation}
\bar x(\beta) = \frac{ R \underset{\text{pat}'}{\cdot} \bigl[ \exp(\eta(\beta)) \odot X \bigr]_{\text{pat} \rightarrow \text{pat}'} }
 { R \underset{\text{pat}'}{\cdot} [ \exp(\eta(\beta)) ]_{\text{pat} \rightarrow \text{pat}'} }
\end{equation}
namely $U(\beta) = \sum_{\text{pat}} e \odot (X - \bar x(\beta))$.

\subsection{Baseline and survival}
Breslow's estimate jumps at every event by
\[ \Delta = \frac{e}{R \underset{\text{pat}'}{\cdot} [ \exp(\eta(\beta)) ]_{\text{pat} \rightarrow \text{pat}'}} \]
so that the survival of somebody with covariates $z \in \mathbb{R}^{\text{cov}:p}$ is $\exp(-H \exp(z \underset{\text{cov}}{\cdot} \beta))$ for the
cumulative hazard $H$.

\subsection{Concordance}
Harrell's $C$ is the share of comparable pairs in the right order. With $M = e \odot R$
\begin{equation}
C(\beta) = \frac{ \sum_{\text{pat}, \text{pat}'} M \odot \mathbf{1}\{ \eta(\beta) > \eta(\beta)_{\text{pat} \rightarrow \text{pat}'} \} }{ \sum_{\text{pat}, \text{pat}'} M }.
\end{equation}
A ridge penalty $\frac{\alpha}{2} \| \beta \|_{\text{cov}}^2$ is subtracted from $\ell$ where $p$ is large.
\end{document}
""",
        [
            Fault(r"X \underset{\text{cov}}{\cdot} \beta", r"X \underset{\text{pat}}{\cdot} \beta"),
            Fault(r"\log \sum_{\text{pat}'} R \odot", r"\log \sum_{\text{cov}} R \odot"),
            Fault(
                r"{ R \underset{\text{pat}'}{\cdot} \bigl[ \exp(\eta(\beta)) \odot X \bigr]_{\text{pat} \rightarrow \text{pat}'} }",
                r"{ R \underset{\text{pat}'}{\cdot} \bigl[ \exp(\eta(\beta)) \odot X \bigr]_{\text{time} \rightarrow \text{pat}'} }",
            ),
        ],
        [
            Entry(
                "R",
                lambda t: (t[None] >= t[:, None]) * 1.0,
                "pat pat'",
                {"t": "pat[4]"},
            ),
            Entry(
                r"\ell",
                lambda b, X, t, e: (
                    e * (X @ b - np.log((t[None] >= t[:, None]) @ np.exp(X @ b)))
                ).sum(),
                "",
                {"beta": "cov[2]"},
                {"X": "pat[4] cov[2]", "t": "pat[4]", "e": "pat[4] ~ bits"},
            ),
            Entry(
                "U",
                lambda b, X, t, e: (
                    e[:, None]
                    * (
                        X
                        - (t[None] >= t[:, None])
                        @ (np.exp(X @ b)[:, None] * X)
                        / ((t[None] >= t[:, None]) @ np.exp(X @ b))[:, None]
                    )
                ).sum(0),
                "cov",
                {"beta": "cov[2]"},
                {"X": "pat[4] cov[2]", "t": "pat[4]", "e": "pat[4] ~ bits"},
            ),
            Entry(
                "C",
                lambda b, X, t, e: (
                    ((t[None] >= t[:, None]) * ((X @ b)[:, None] > (X @ b)[None])).sum()
                    / (t[None] >= t[:, None]).sum()
                ),
                "",
                {"beta": "cov[2]"},
                {"X": "pat[4] cov[2]", "t": "pat[4]", "e": "pat[4] ~ ones"},
            ),
        ],
    ),
]
