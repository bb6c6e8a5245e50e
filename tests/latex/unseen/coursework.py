"""Five Markdown documents: homework, lecture notes and blog posts on points, steps, conditions, confidence and decoding."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def aligned(P, W):
    """Points turned by a matrix that their own maximum chooses."""
    A = np.einsum("f,fxy->xy", relu(P @ W[0] + W[1]).max(0), W[2]) + np.eye(3)
    return P @ A


def chamfer(S, T):
    D = ((S[:, None] - T) ** 2).sum(2)
    return D.min(1).mean() + D.min(0).mean()


def edge_convolution(P, A, B, r):
    near = ((P[:, None] - P) ** 2).sum(2) < r**2
    e = relu((P - P[:, None]) @ A + (P @ B)[:, None])
    return np.where(near[:, :, None], e, -np.inf).max(1)


def momenta(G, beta):
    M, found = np.zeros(G.shape[1:]), []
    for g in G:
        M = beta * M + (1 - beta) * g
        found.append(M)
    return np.stack(found)


def lion(g, w, a, b, eta, lam):
    m, found = np.zeros(g.shape[1]), []
    for step in g:
        w = w - eta * (np.sign(a * m + (1 - a) * step) + lam * w)
        m = b * m + (1 - b) * step
        found.append(w)
    return np.stack(found)


def orthogonalised(M, K):
    X = M / np.sqrt((M**2).sum())
    for _ in range(K):
        A = X @ X.T
        X = 1.5 * X - 0.5 * A @ X
    return X


def factored(G):
    R, C = (G**2).mean(1), (G**2).mean(0)
    U = G / np.sqrt(np.outer(R, C) / R.mean())
    return U / max(1, np.sqrt((U**2).mean()))


def film(F, z, Wg, bg, Wb, bb):
    return (1 + z @ Wg + bg)[:, None, None] * F + (z @ Wb + bb)[:, None, None]


def excited(F, S, E):
    return sigmoid(relu(F.mean((1, 2)) @ S) @ E)[:, None, None] * F


def instance(F):
    mu = F.mean((1, 2), keepdims=True)
    sd = np.sqrt(((F - mu) ** 2).mean((1, 2), keepdims=True) + 1e-5)
    return mu, sd


def styled(F, G):
    (m, s), (n, t) = instance(F), instance(G)
    return t * (F - m) / s + n


def expected_error(Z, y, M):
    p = softmax(Z, 1)
    c, a = p.max(1), p.argmax(1) == y
    gaps = [
        abs((a[inside] * 1.0 - c[inside]).sum())
        for m in range(1, M + 1)
        if (inside := ((m - 1) / M < c) & (c <= m / M)).any()
    ]
    return sum(gaps) / len(y)


def nll(Z, y, T):
    return -np.log(softmax(Z / T, 1))[np.arange(len(y)), y].mean()


def nucleus(p, mass):
    """Keep the likeliest words until their mass is reached."""
    before = np.array([p[p > q].sum() for q in p])
    kept = np.where(before < mass, p, 0)
    return kept / kept.sum()


def speculative(q, p):
    rest = relu(q - p)
    return np.minimum(p, q).sum(), rest / rest.sum()


def nearest_before(H, P):
    """The largest likeness of each earlier state to a candidate."""
    like = H @ P.T / np.outer(np.sqrt((H**2).sum(1)), np.sqrt((P**2).sum(1)))
    return like.max(0)


DOCUMENTS = [
    Unseen(
        "point_clouds.md",
        r"""---
layout: post
title: "PointNet and friends, with names on the axes"
date: 2024-03-05
---

A lidar does not give you an image. It gives you a *set* of points. If we store $n$ points as $P \in \mathbb{R}^{\text{point}:n, \text{xyz}:3}$, the order
along $\text{point}$ means nothing, and a network had better not depend on it.

## A network for sets

The trick is almost embarrassingly simple: treat each point alone, then take the maximum.

$$
\begin{aligned}
h(x) &= \text{ReLU}\left(W \underset{\text{xyz}}{\cdot} x + b\right) \\
g(P) &= \underset{\text{point}}{\text{max}} \; h(P)
\end{aligned}
$$

where $x \in \mathbb{R}^{\text{xyz}:3}$, $W \in \mathbb{R}^{\text{xyz}:3, \text{feat}:f}$ and $b \in \mathbb{R}^{\text{feat}:f}$. Each feature comes from a single point, so at
most $f$ points matter.

For segmentation we need something per point, and we simply glue the global feature to each local one before the last layer:

$$
s = \underset{\text{class}}{\text{softmax}} \left( V \underset{\text{feat}}{\cdot} h(P) + U \underset{\text{feat}}{\cdot} g(P) \right),
\qquad U, V \in \mathbb{R}^{\text{feat}:f, \text{class}}
$$

(A linear map of a concatenation is a sum of two linear maps.)

## Turning the cloud

Before anything else the cloud should be turned to a standard pose. A small network looks at the cloud and returns a matrix, which starts as the identity:

$$
A = T \underset{\text{feat}}{\cdot} g(P) + I_{\text{xyz}, \text{xyz}'}, \qquad T \in \mathbb{R}^{\text{feat}:f, \text{xyz}:3, \text{xyz}':3},
$$

and the points become

$$
P' = \left[ P \underset{\text{xyz}}{\cdot} A \right]_{\text{xyz}' \rightarrow \text{xyz}} .
$$

To keep $A$ close to a rotation, the loss gets the term

$$
\mathcal{R} = \left\| \left( A \underset{\text{xyz}'}{\cdot} A_{\text{xyz} \rightarrow \text{xyz}''} \right) - I_{\text{xyz}, \text{xyz}''} \right\|_F^2 .
$$

## Neighbours

PointNet never looks at two points together. Edge convolutions do. Say that $j$ is a neighbour of $i$ if it is closer than $r$,

$$
\mathcal{N}(i) = \{ j : \| P_{\text{point}(i)} - P_{\text{point}(j)} \| < r \},
$$

and let

$$
e_{ij} = \text{ReLU}\left( \Theta \underset{\text{xyz}}{\cdot} (P_{\text{point}(j)} - P_{\text{point}(i)}) + \Phi \underset{\text{xyz}}{\cdot} P_{\text{point}(i)} \right),
\qquad
H_{\text{point}(i)} = \max_{j \in \mathcal{N}(i)} e_{ij}
$$

with $\Theta, \Phi \in \mathbb{R}^{\text{xyz}:3, \text{feat}:f}$.

## Comparing clouds

How far is a reconstruction $S \in \mathbb{R}^{\text{point}, \text{xyz}:3}$ from a target $Q \in \mathbb{R}^{\text{point}', \text{xyz}:3}$? Their sizes may differ. The Chamfer distance is

$$
\text{CD}(S, Q) = \underset{\text{point}}{\text{mean}} \, \underset{\text{point}'}{\text{min}} \, D + \underset{\text{point}'}{\text{mean}} \, \underset{\text{point}}{\text{min}} \, D,
\qquad
D = \sum_{\text{xyz}} (S - Q)^2 .
$$

That's all. Code is on my GitHub, comments are welcome!
""",
        [
            Fault(
                r"\underset{\text{point}}{\text{max}} \; h(P)",
                r"\underset{\text{xyz}}{\text{max}} \; h(P)",
            ),
            Fault(
                r"U \underset{\text{feat}}{\cdot} g(P) \right)",
                r"U \underset{\text{class}}{\cdot} g(P) \right)",
            ),
            Fault(r"D = \sum_{\text{xyz}} (S - Q)^2", r"D = \sum_{\text{feat}} (S - Q)^2"),
        ],
        [
            Entry(
                "g",
                lambda P, W, b: relu(P @ W + b).max(0),
                "feat",
                {"P": "point[4] xyz[3]"},
                {"W": "xyz[3] feat[2]", "b": "feat[2]"},
            ),
            Entry(
                "s",
                lambda P, W, b, V, U: softmax(relu(P @ W + b) @ V + relu(P @ W + b).max(0) @ U, 1),
                "point class",
                {"P": "point[4] xyz[3]"},
                {
                    "W": "xyz[3] feat[2]",
                    "b": "feat[2]",
                    "V": "feat[2] class[3]",
                    "U": "feat[2] class[3]",
                },
            ),
            Entry(
                "P'",
                lambda P, W, b, T: aligned(P, (W, b, T)),
                "point xyz",
                {"P": "point[4] xyz[3]"},
                {"W": "xyz[3] feat[2]", "b": "feat[2]", "T": "feat[2] xyz[3] xyz'[3]"},
            ),
            Entry(
                "H",
                edge_convolution,
                "point feat",
                {
                    "P": "point[5] xyz[3]",
                    "Theta": "xyz[3] feat[2]",
                    "Phi": "xyz[3] feat[2]",
                    "r": 2.0,
                },
            ),
            Entry(r"\text{CD}", chamfer, "", {"S": "point[4] xyz[3]", "Q": "point'[5] xyz[3]"}),
        ],
    ),
    Unseen(
        "optimisers.md",
        r"""# Homework 5 -- steps that look at the gradient

*Name: Wanjiru K., Matr. 334 117*

We train one matrix $W \in \mathbb{R}^{\text{out}:m, \text{in}:n}$. All gradients of a run were recorded, $G \in \mathbb{R}^{\text{step}:T, \text{out}:m, \text{in}:n}$, and $\eta$ is
the learning rate.

## Problem 1: momentum

The moving average starts at zero, $M_{\text{step}(0)} = 0$, and then

$$M_{\text{step}(t)} = \beta M_{\text{step}(t-1)} + (1 - \beta) \, G_{\text{step}(t)}.$$

(a) With a constant gradient $G_{\text{step}(t)} = C$ we have $M_{\text{step}(t)} = (1 - \beta^t) \, C$, so one divides by that:

$$\hat M_{\text{step}(t)} = \frac{M_{\text{step}(t)}}{1 - \beta^t}$$

(b) The average age of a gradient in $M$ is about $\frac{\beta}{1-\beta}$ steps; for $\beta = 0.9$ that is nine.

## Problem 2: Lion

Lion keeps one average and uses only signs. Let now $g \in \mathbb{R}^{\text{step}:T, \text{par}}$ be the gradients of a vector of parameters, $w_0 \in \mathbb{R}^{\text{par}}$ its start,
and $m_0 = 0$.

$$
\begin{aligned}
u_t &= \text{sign}(\beta_1 m_{t-1} + (1 - \beta_1) g_t) \\
w_t &= w_{t-1} - \eta (u_t + \lambda w_{t-1}) \\
m_t &= \beta_2 m_{t-1} + (1 - \beta_2) g_t
\end{aligned}
$$

where $\lambda$ is the weight decay and $\beta_1 < \beta_2$ are two rates. Every entry moves by exactly $\eta$ (if $\lambda = 0$), whatever the size of the gradient.

## Problem 3: Adafactor

For a gradient $A \in \mathbb{R}^{\text{out}:m, \text{in}:n}$ we keep the row and column means of its square only, so memory is $m + n$ instead of $mn$.

$$
r = \underset{\text{in}}{\text{mean}}\, A^2, \qquad
c = \underset{\text{out}}{\text{mean}}\, A^2, \qquad
\hat V = \frac{r \odot c}{\underset{\text{out}}{\text{mean}}\, r}
$$

The update is clipped when its root mean square is above one:

$$
U = \frac{A}{\sqrt{\hat V}}, \qquad
\Delta = \frac{U}{\max\left(1, \sqrt{\underset{\text{out}, \text{in}}{\text{mean}} \, U^2}\right)}
$$

$\hat V$ is exact if $A^2$ has rank one. *Proof.* Then $A^2 = a \odot b$ with $a \in \mathbb{R}^{\text{out}}$ and $b \in \mathbb{R}^{\text{in}}$, hence $r = a \, \bar b$ and $c = \bar a \, b$ (bars are means), and
$\hat V = \frac{a \bar b \bar a b}{\bar a \bar b} = a b$. ∎

## Problem 4: Muon

Here the update is the nearest matrix with orthonormal rows ($m \leq n$). We find it with the cubic Newton–Schulz iteration. Take a matrix $B \in \mathbb{R}^{\text{out}:m, \text{in}:n}$,

$$
X_0 = \frac{B}{\|B\|_F}, \qquad
X_{k} = \frac{3}{2} X_{k-1} - \frac{1}{2} \left[ \left( X_{k-1} \underset{\text{in}}{\cdot} [X_{k-1}]_{\text{out} \to \text{out}'} \right) \underset{\text{out}'}{\cdot} [X_{k-1}]_{\text{out} \to \text{out}'} \right]
$$

for $k = 1, \ldots, K$. Each singular value $\sigma$ is mapped to $\frac{3}{2} \sigma - \frac{1}{2} \sigma^3$ and goes to 1. Then

$$
W^{\text{new}} = W - \eta \cdot 0.2 \, \sqrt{\max(|\text{out}|, |\text{in}|)} \; X_K
$$

| optimiser | state per entry |
|---|---|
| momentum, Lion, Muon | 1 |
| Adam | 2 |
| Adafactor | $\frac{1}{m} + \frac{1}{n}$ |
""",
        [
            Fault(
                r"r = \underset{\text{in}}{\text{mean}}\, A^2",
                r"r = \underset{\text{step}}{\text{mean}}\, A^2",
            ),
            Fault(
                r"\left( X_{k-1} \underset{\text{in}}{\cdot} [X_{k-1}]",
                r"\left( X_{k-1} \underset{\text{par}}{\cdot} [X_{k-1}]",
            ),
            Fault(
                r"+ (1 - \beta) \, G_{\text{step}(t)}.$$",
                r"+ (1 - \beta) \, G_{\text{in}(t)}.$$",
            ),
        ],
        [
            Entry("M", momenta, "step out in", {"G": "step[4] out[2] in[3]", "beta": 0.9}),
            Entry(
                r"\hat M",
                lambda G, beta: (
                    momenta(G, beta) / (1 - beta ** np.arange(1, len(G) + 1))[:, None, None]
                ),
                "step out in",
                {"G": "step[4] out[2] in[3]", "beta": 0.9},
            ),
            Entry(
                "w",
                lion,
                "step par",
                {
                    "g": "step[4] par[3]",
                    "w_0": "par[3]",
                    "beta_1": 0.9,
                    "beta_2": 0.99,
                    "eta": 0.1,
                    "lambda_": 0.01,
                },
            ),
            Entry(r"\Delta", factored, "out in", {"A": "out[2] in[3]"}),
            Entry(
                r"W^{\text{new}}",
                lambda B, W, eta: W - eta * 0.2 * np.sqrt(3) * orthogonalised(B, 3),
                "out in",
                {"B": "out[2] in[3]", "W": "out[2] in[3]", "eta": 0.1},
                chosen={"K": 3},
            ),
        ],
    ),
    Unseen(
        "conditioning.md",
        r"""# Six ways to tell a network something

Often a network should do the same thing, but *depending on* a condition: a class, a sentence, a style, a user. Let the condition be a vector
$z \in \mathbb{R}^{\text{cond}}$ and the thing to be conditioned a feature map $F \in \mathbb{R}^{\text{chan}:C, \text{height}, \text{width}}$.

### 1. Scale and shift (FiLM)

Each channel is scaled and shifted. Both numbers are affine in the condition:

$$
\text{FiLM}(F, z) = (1 + \gamma(z)) \odot F + \beta(z)
$$

$$
\gamma(z) = W^{\gamma} \underset{\text{cond}}{\cdot} z + b^{\gamma} \qquad
\beta(z) = W^{\beta} \underset{\text{cond}}{\cdot} z + b^{\beta}
$$

Here $W^\gamma, W^\beta \in \mathbb{R}^{\text{cond}, \text{chan}:C}$ and $b^\gamma, b^\beta \in \mathbb{R}^{\text{chan}:C}$. The "1 +" makes zero weights do nothing.

### 2. Squeeze and excite

The condition can be the feature map itself. Average it over space, send it through a bottleneck a quarter as wide, and use the result as a gate:

$$
\begin{aligned}
q &= \underset{\text{height}, \text{width}}{\text{mean}} F \\
e &= \sigma\left( E \underset{\text{mid}}{\cdot} \text{ReLU}\left( S \underset{\text{chan}}{\cdot} q \right) \right) \\
\text{SE}(F) &= e \odot F
\end{aligned}
$$

with $S \in \mathbb{R}^{\text{chan}:C, \text{mid}}$, $E \in \mathbb{R}^{\text{mid}, \text{chan}:C}$ and $|\text{mid}| = C / 4$.

### 3. Borrow the statistics

Style transfer replaces mean and deviation of each channel by those of another image $G \in \mathbb{R}^{\text{chan}:C, \text{height}, \text{width}}$:

$$
\text{AdaIN}(F, G) = s(G) \odot \frac{F - \mu(F)}{s(F)} + \mu(G)
$$

where $\mu(F) = \underset{\text{height}, \text{width}}{\text{mean}} F$ and $s(F) = \sqrt{\underset{\text{height}, \text{width}}{\text{var}} F + \epsilon}$ with $\epsilon = 10^{-5}$.

### 4. Hypernetworks

Let a network write the weights of another one. For an input $x \in \mathbb{R}^{\text{in}}$,

$$
y = \tanh\left( \left( H \underset{\text{cond}}{\cdot} z + H_0 \right) \underset{\text{in}}{\cdot} x \right), \qquad
H \in \mathbb{R}^{\text{cond}, \text{in}, \text{out}}, \quad H_0 \in \mathbb{R}^{\text{in}, \text{out}} .
$$

That is $|\text{cond}| \cdot |\text{in}| \cdot |\text{out}|$ weights, which is a lot. Cheaper is a low rank: with $A \in \mathbb{R}^{\text{cond}, \text{rank}}$,
$B \in \mathbb{R}^{\text{in}, \text{rank}}$ and $D \in \mathbb{R}^{\text{rank}, \text{out}}$,

$$
y_{\text{low}} = \tanh\left( \sum_{\text{rank}} (A \underset{\text{cond}}{\cdot} z) \odot (B \underset{\text{in}}{\cdot} x) \odot D \right) .
$$

### 5. Mixing kernels

Dynamic convolutions keep $K$ kernels, $R \in \mathbb{R}^{\text{kern}:K, \text{chan}:C, \text{chan}':C}$ (I take one by one convolutions), and mix them with weights that depend on the image:

$$
\pi = \underset{\text{kern}}{\text{softmax}} \left( \frac{ P \underset{\text{chan}}{\cdot} q }{ \tau } \right), \qquad
Y = \left( \pi \underset{\text{kern}}{\cdot} R \right) \underset{\text{chan}}{\cdot} F
$$

$P \in \mathbb{R}^{\text{chan}:C, \text{kern}:K}$, and the temperature $\tau$ starts at 30. The vector $q$ is that of number 2.

### 6. Soft prompts

In a language model the condition can be put *in front*: a few learned vectors $Q \in \mathbb{R}^{\text{seq}:p, \text{emb}}$ come before the tokens
$T \in \mathbb{R}^{\text{seq}:n, \text{emb}}$,

$$
X = [Q ; T]_{\text{seq}}, \qquad X \in \mathbb{R}^{\text{seq}:(p+n), \text{emb}}
$$

and only $Q$ is trained.
""",
        [
            Fault(
                r"W^{\gamma} \underset{\text{cond}}{\cdot} z + b",
                r"W^{\gamma} \underset{\text{chan}}{\cdot} z + b",
            ),
            Fault(
                r"\odot (B \underset{\text{in}}{\cdot} x)",
                r"\odot (B \underset{\text{cond}}{\cdot} x)",
            ),
            Fault(
                r"E \underset{\text{mid}}{\cdot} \text{ReLU}",
                r"E \underset{\text{chan}}{\cdot} \text{ReLU}",
            ),
        ],
        [
            Entry(
                r"\text{FiLM}",
                film,
                "chan height width",
                {"F": "chan[4] height[2] width[3]", "z": "cond[3]"},
                {
                    "W__gamma": "cond[3] chan[4]",
                    "b__gamma": "chan[4]",
                    "W__beta": "cond[3] chan[4]",
                    "b__beta": "chan[4]",
                },
            ),
            Entry(
                r"\text{SE}",
                excited,
                "chan height width",
                {"F": "chan[4] height[2] width[3]"},
                {"S": "chan[4] mid[1]", "E": "mid[1] chan[4]"},
            ),
            Entry(
                r"\text{AdaIN}",
                styled,
                "chan height width",
                {"F": "chan[4] height[2] width[3]", "G": "chan[4] height[2] width[3]"},
            ),
            Entry(
                "y",
                lambda z, H, H0, x: np.tanh(x @ (np.einsum("c,cio->io", z, H) + H0)),
                "out",
                {"z": "cond[3]", "H": "cond[3] in[2] out[4]", "H_0": "in[2] out[4]", "x": "in[2]"},
            ),
            Entry(
                r"y_{\text{low}}",
                lambda z, A, B, x, D: np.tanh(((z @ A) * (x @ B)) @ D),
                "out",
                {
                    "z": "cond[3]",
                    "A": "cond[3] rank[2]",
                    "B": "in[2] rank[2]",
                    "x": "in[2]",
                    "D": "rank[2] out[4]",
                },
            ),
            Entry(
                "Y",
                lambda F, P, R, tau: np.einsum(
                    "k,kcd,chw->dhw", softmax(F.mean((1, 2)) @ P / tau, 0), R, F
                ),
                "chan' height width",
                {
                    "F": "chan[4] height[2] width[3]",
                    "P": "chan[4] kern[2]",
                    "R": "kern[2] chan[4] chan'[4]",
                    "tau": 3.0,
                },
            ),
            Entry(
                "X",
                lambda Q, T: np.concatenate([Q, T]),
                "seq emb",
                {"Q": "seq[2] emb[3]", "T": "seq[4] emb[3]"},
            ),
        ],
    ),
    Unseen(
        "calibration.md",
        r"""# Lecture 14. Can we trust the probabilities?

## 14.1 Set-up

A classifier gives logits $Z \in \mathbb{R}^{\text{ex}:N, \text{class}:K}$ for $N$ test examples, and we know the right classes $y \in [K]^{\text{ex}:N}$. The probabilities, the confidence and
the prediction are

$$
p = \underset{\text{class}}{\text{softmax}}\, Z, \qquad
c = \underset{\text{class}}{\max}\, p, \qquad
\hat y = \underset{\text{class}}{\operatorname{argmax}}\, p ,
$$

with $\hat y \in [K]^{\text{ex}:N}$, and $a_{\text{ex}(i)} = \mathbf{1}[\hat y_{\text{ex}(i)} = y_{\text{ex}(i)}]$ says whether example $i$ was right. A model is *calibrated* if, among the
examples with confidence 0.8, four out of five are right.

## 14.2 Measuring it

Cut $(0, 1]$ into $M$ bins of the same width. Bin $m$ holds the examples

$$
\mathcal{B}_m = \left\{ i : \frac{m - 1}{M} < c_{\text{ex}(i)} \le \frac{m}{M} \right\},
$$

and the **expected calibration error** compares accuracy and confidence in each of them:

$$
\text{ECE} = \frac{1}{N} \sum_{m=1}^{M} \left| \sum_{i \in \mathcal{B}_m} \left( a_{\text{ex}(i)} - c_{\text{ex}(i)} \right) \right| .
$$

> **Warning.** The ECE depends on $M$, and it is biased for small $N$.

A proper score has no such problem. With one-hot targets $o_{\text{ex}(i), \text{class}(k)} = \mathbf{1}[y_{\text{ex}(i)} = k]$ the Brier score is

$$
\text{BS} = \underset{\text{ex}}{\text{mean}} \sum_{\text{class}} (p - o)^2 .
$$

## 14.3 Mending it

*Temperature scaling* divides all logits by one number $\tau > 0$, which is fitted on a validation set by the log-loss

$$
\ell(\tau) = - \underset{\text{ex}}{\text{mean}} \; \log \left( \underset{\text{class}}{\text{softmax}} \frac{Z}{\tau} \right)_{\text{class}(y)} .
$$

Predictions do not change. Its derivative is zero if

$$
\underset{\text{ex}}{\text{mean}} \left( Z \underset{\text{class}}{\cdot} o \right) = \underset{\text{ex}}{\text{mean}} \left( Z \underset{\text{class}}{\cdot} \underset{\text{class}}{\text{softmax}} \frac{Z}{\tau} \right) ,
$$

that is, if the mean logit of the right class is what the model expects.

*Vector scaling* has a factor and an offset for each class, $s, t \in \mathbb{R}^{\text{class}:K}$, and *matrix scaling* a whole matrix $A \in \mathbb{R}^{\text{class}:K, \text{class}':K}$:

$$
p_{\text{vec}} = \underset{\text{class}}{\text{softmax}} (s \odot Z + t), \qquad
p_{\text{mat}} = \left[ \underset{\text{class}'}{\text{softmax}} \left( A \underset{\text{class}}{\cdot} Z + t_{\text{class} \to \text{class}'} \right) \right]_{\text{class}' \to \text{class}} .
$$

## 14.4 Ensembles

Averaging $E$ networks helps too. Given $Q \in [0, 1]^{\text{net}:E, \text{ex}:N, \text{class}:K}$, total uncertainty splits into two parts,

$$
\underbrace{ \mathcal{H}(\bar Q) }_{\text{total}} = \underbrace{ \underset{\text{net}}{\text{mean}} \, \mathcal{H}(Q) }_{\text{aleatoric}} + \underbrace{ J }_{\text{epistemic}},
\qquad \bar Q = \underset{\text{net}}{\text{mean}}\, Q,
$$

where $\mathcal{H}(q) = - \sum_{\text{class}} q \log q$. So the epistemic part is

$$
J = \mathcal{H}(\bar Q) - \underset{\text{net}}{\text{mean}} \, \mathcal{H}(Q) \ge 0 .
$$
""",
        [
            Fault(
                r"\text{BS} = \underset{\text{ex}}{\text{mean}} \sum_{\text{class}}",
                r"\text{BS} = \underset{\text{ex}}{\text{mean}} \sum_{\text{class}'}",
            ),
            Fault(
                r"\left( A \underset{\text{class}}{\cdot} Z + t_{",
                r"\left( A \underset{\text{ex}}{\cdot} Z + t_{",
            ),
            Fault(
                r"\left( a_{\text{ex}(i)} - c_{\text{ex}(i)} \right) \right|",
                r"\left( a_{\text{ex}(i)} - c_{\text{class}(i)} \right) \right|",
            ),
        ],
        [
            Entry(
                r"\text{ECE}",
                lambda Z, y: expected_error(Z, y, 5),
                "",
                {"Z": "ex[6] class[3]", "y": "ex[6] ~ whole 3"},
                chosen={"M": 5},
            ),
            Entry(
                r"\text{BS}",
                lambda Z, y: ((softmax(Z, 1) - np.eye(3)[y]) ** 2).sum(1).mean(),
                "",
                {"Z": "ex[6] class[3]", "y": "ex[6] ~ whole 3"},
            ),
            Entry(
                r"\ell",
                lambda T, Z, y: nll(Z, y, T),
                "",
                {"tau": 1.7, "Z": "ex[6] class[3]", "y": "ex[6] ~ whole 3"},
            ),
            Entry(
                r"p_{\text{mat}}",
                lambda Z, A, t: softmax(Z @ A + t, 1),
                "ex class",
                {"Z": "ex[4] class[3]", "A": "class[3] class'[3]", "t": "class[3]"},
            ),
            Entry(
                "J",
                lambda Q: -(Q.mean(0) * np.log(Q.mean(0))).sum(1) + (Q * np.log(Q)).sum(2).mean(0),
                "ex",
                {"Q": "net[2] ex[4] class[3] ~ probability class"},
            ),
        ],
    ),
    Unseen(
        "decoding.md",
        r"""# Notes to self: choosing the next word

I keep forgetting which sampler does what, so here is the list. A language model gives logits $z \in \mathbb{R}^{\text{vocab}}$ for the next word; everything below makes some
distribution out of them. No code, sorry.

## Temperature and min-p

$$
p = \underset{\text{vocab}}{\text{softmax}} \left( z / \tau \right)
$$

With $\tau \to 0$ this is greedy. *Min-p* drops words that are much less likely than the best one (a fraction $\mu$, usually 0.05):

$$
p^{\text{min}} = \frac{p \odot \mathbf{1}\{ p \ge \mu \, \underset{\text{vocab}}{\text{max}}\, p \}}{\sum_{\text{vocab}} p \odot \mathbf{1}\{ p \ge \mu \, \underset{\text{vocab}}{\text{max}}\, p \}}
$$

## Nucleus

Sort words by probability and keep the first ones until their mass reaches $\nu$. Without sorting: the mass in front of word $i$ is that of all likelier words,

$$
F_{\text{vocab}(i)} = \sum_{j \,:\, p_{\text{vocab}(j)} > p_{\text{vocab}(i)}} p_{\text{vocab}(j)}
$$

and then

$$
p^{\text{top}} = \frac{k \odot p}{k \underset{\text{vocab}}{\cdot} p}, \qquad k = \mathbf{1}\{ F < \nu \}.
$$

## Repetition

Let $n \in \mathbb{N}^{\text{vocab}}$ count how often each word was used so far. The frequency penalty $\alpha$ and the presence penalty $\beta$ change the logits to

$$
z' = z - \alpha n - \beta \, \mathbf{1}\{ n > 0 \} .
$$

## Two models

**Contrastive decoding.** A weak model with logits $w \in \mathbb{R}^{\text{vocab}}$ knows the boring words too. Take the difference, among the plausible words only:

$$
s_{\text{vocab}(i)} = \begin{cases}
\log p_{\text{vocab}(i)} - \log q_{\text{vocab}(i)} & \text{if } p_{\text{vocab}(i)} \ge 0.1 \, \underset{\text{vocab}}{\text{max}}\, p \\
-\infty & \text{otherwise}
\end{cases}
\qquad q = \underset{\text{vocab}}{\text{softmax}} \, w
$$

**Speculative sampling.** A small model proposes from $q$, the large one accepts word $x$ with probability $\min(1, p_x / q_x)$. So a proposal is accepted with probability

$$
A = \sum_{\text{vocab}} \min(p, q)
$$

and after a rejection we sample from what is left,

$$
r = \frac{\max(0, p - q)}{\sum_{\text{vocab}} \max(0, p - q)} .
$$

With $g$ proposals per round and the same $A$ everywhere, the expected number of words per round is

$$
L = \frac{1 - A^{g+1}}{1 - A} .
$$

## Contrastive search

Among the top candidates, punish those whose hidden state is like one we had before. With states $H \in \mathbb{R}^{\text{seq}, \text{emb}}$ of the text and $C \in \mathbb{R}^{\text{cand}, \text{emb}}$ of the candidates,
the likeness is a cosine

$$
\rho = \frac{H \underset{\text{emb}}{\cdot} C}{\|H\|_{\text{emb}} \, \|C\|_{\text{emb}}}
$$

and the score of a candidate, given their probabilities $\pi \in [0, 1]^{\text{cand}}$,

$$
S = (1 - \alpha) \, \pi - \alpha \, \underset{\text{seq}}{\text{max}} \, \rho .
$$

($\alpha$ is not the one of the penalty above.)
""",
        [
            Fault(
                r"A = \sum_{\text{vocab}} \min(p, q)",
                r"A = \sum_{\text{seq}} \min(p, q)",
            ),
            Fault(
                r"- \alpha \, \underset{\text{seq}}{\text{max}} \, \rho",
                r"- \alpha \, \underset{\text{vocab}}{\text{max}} \, \rho",
            ),
            Fault(r"k \underset{\text{vocab}}{\cdot} p}", r"k \underset{\text{cand}}{\cdot} p}"),
        ],
        [
            Entry(
                r"p^{\text{min}}",
                lambda z, tau, mu: (
                    (p := softmax(z / tau, 0)) * (p >= mu * p.max()) / p[p >= mu * p.max()].sum()
                ),
                "vocab",
                {"z": "vocab[6]", "tau": 0.7, "mu": 0.3},
            ),
            Entry(
                r"p^{\text{top}}",
                lambda z, tau, nu: nucleus(softmax(z / tau, 0), nu),
                "vocab",
                {"z": "vocab[6]", "tau": 0.7, "nu": 0.6},
            ),
            Entry(
                "z'",
                lambda z, n, a, b: z - a * n - b * (n > 0),
                "vocab",
                {"z": "vocab[6]", "n": "vocab[6] ~ whole 3", "alpha": 0.2, "beta": 0.5},
            ),
            Entry(
                "r",
                lambda z, w, tau: speculative(softmax(z / tau, 0), softmax(w, 0))[1],
                "vocab",
                {"z": "vocab[6]", "w": "vocab[6]", "tau": 0.7},
            ),
            Entry(
                "L",
                lambda z, w, tau, g: (
                    (1 - (A := speculative(softmax(z / tau, 0), softmax(w, 0))[0]) ** (g + 1))
                    / (1 - A)
                ),
                "",
                {"z": "vocab[6]", "w": "vocab[6]", "tau": 0.7, "g": 4.0},
            ),
            Entry(
                "S",
                lambda H, C, q, a: (1 - a) * q - a * nearest_before(H, C),
                "cand",
                {
                    "H": "seq[3] emb[2]",
                    "C": "cand[4] emb[2]",
                    "pi": "cand[4] ~ probability cand",
                    "alpha": 0.6,
                },
            ),
        ],
    ),
]
