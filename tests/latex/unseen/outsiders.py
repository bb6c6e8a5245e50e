"""Eight documents of other fields: economics, speech, vision, robots, quanta, populations, control, codes."""

from __future__ import annotations

from math import comb

import numpy as np

import namedtensor as nt

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def gross(Z, y):
    return Z.sum(1) + y.sum(1)


def rounds_of_supply(Z, y, n):
    A, f = Z / gross(Z, y), y.sum(1)
    x = f
    for _ in range(n):
        x = f + A @ x
    return x


def balanced(Z, u, v, n):
    for _ in range(n):
        Z = Z * (u / Z.sum(1))[:, None]
        Z = Z * (v / Z.sum(0))
    return Z


def emphasised(x):
    return x - 0.97 * np.concatenate([[0.0], x[:-1]])


def framed(x, width, hop):
    y = emphasised(x)
    count = (len(y) - width) // hop + 1
    return np.stack([y[i * hop : i * hop + width] for i in range(count)])


def hamming(width):
    return 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(width) / (width - 1))


def power(frames):
    width = frames.shape[1]
    spectrum = np.fft.rfft(frames * hamming(width), axis=1)
    return np.abs(spectrum) ** 2 / width


def triangles(c, bins):
    out = np.zeros((len(c) - 2, bins))
    for m in range(len(c) - 2):
        left, middle, right = c[m : m + 3]
        for k in range(1, bins + 1):
            if left <= k <= middle:
                out[m, k - 1] = (k - left) / (middle - left)
            elif middle < k <= right:
                out[m, k - 1] = (right - k) / (right - middle)
    return out


def cepstrum(energies, count):
    M = energies.shape[1]
    q, m = np.arange(1, count + 1), np.arange(1, M + 1)
    return np.sqrt(2 / M) * energies @ np.cos(np.pi * np.outer(m - 0.5, q) / M)


def slopes(c):
    n = len(c)
    return np.stack(
        [(c[t + 1] - c[t - 1] + 2 * (c[t + 2] - c[t - 2])) / 10 for t in range(2, n - 2)]
    )


def gradients(image):
    X = (image[1:-1, 2:] - image[1:-1, :-2]) / 2
    Y = (image[2:, 1:-1] - image[:-2, 1:-1]) / 2
    return X, Y


def smoothed(F, g):
    h, w = F.shape
    return np.array(
        [[(g * F[i : i + 3, j : j + 3]).sum() for j in range(w - 2)] for i in range(h - 2)]
    )


def tensors(photo, g):
    X, Y = gradients(photo @ np.array([0.299, 0.587, 0.114]))
    return smoothed(X * X, g), smoothed(X * Y, g), smoothed(Y * Y, g)


def harris(photo, g):
    A, B, C = tensors(photo, g)
    return A * C - B**2 - 0.04 * (A + C) ** 2


def smaller_eigenvalue(photo, g):
    A, B, C = tensors(photo, g)
    stacked = np.stack([np.stack([A, B], -1), np.stack([B, C], -1)], -1)
    return np.linalg.eigvalsh(stacked)[..., 0]


def bilateral(photo, s, r):
    image = photo @ np.array([0.299, 0.587, 0.114])
    h, w = image.shape
    out = np.zeros((h - 2, w - 2))
    u = np.arange(-1, 2)
    near = np.exp(-(u[:, None] ** 2 + u**2) / (2 * s**2))
    for i in range(h - 2):
        for j in range(w - 2):
            window = image[i : i + 3, j : j + 3]
            weight = near * np.exp(-((window - window[1, 1]) ** 2) / (2 * r**2))
            out[i, j] = (weight * window).sum() / weight.sum()
    return out


def direction(angle):
    return np.stack([np.cos(angle), np.sin(angle)], -1)


def hand(theta, length):
    return length @ direction(np.cumsum(theta))


def jacobian(theta, length):
    parts = length[:, None] * direction(np.cumsum(theta) + np.pi / 2)
    return parts[::-1].cumsum(0)[::-1]


def followed(start, length, goal, n):
    theta = start
    for _ in range(n):
        theta = theta + 0.1 * jacobian(theta, length) @ (goal - hand(theta, length))
    return theta


def poses(theta, length):
    T, found = np.eye(3), []
    for a, r in zip(theta, length, strict=True):
        c, s = np.cos(a), np.sin(a)
        T = T @ np.array([[c, -s, r * c], [s, c, r * s], [0, 0, 1]])
        found.append(T)
    return np.stack(found)


def potential(theta, length, mass):
    ends = np.cumsum(length[:, None] * direction(np.cumsum(theta)), 0)
    starts = np.concatenate([np.zeros((1, 2)), ends[:-1]])
    return 9.81 * (mass * ((starts + ends) / 2)[:, 1]).sum()


def kraus(rho, K):
    return sum(k @ rho @ k.T for k in K)


def thermal(E, beta):
    p = np.exp(-beta * E)
    return p / p.sum()


def master(p, W, tau):
    rate = W - np.diag(np.diag(W))
    return p + tau * (rate @ p - rate.sum(0) * p)


def fst(N):
    p = N / N.sum(1, keepdims=True)
    within, total = (1 - (p**2).sum(1)).mean(), 1 - (p.mean(0) ** 2).sum()
    return (total - within) / total


def nei(N):
    p = N / N.sum(1, keepdims=True)
    J = p @ p.T
    return -np.log(J / np.sqrt(np.outer(np.diag(J), np.diag(J))))


def generations(x, w, U, n):
    for _ in range(n):
        y = x * (w @ x)
        x = (y / y.sum()) @ U
    return x


def linkage(g):
    D = g - np.outer(g.sum(1), g.sum(0))
    a, b = g.sum(1)[0], g.sum(0)[0]
    return D[0, 0] ** 2 / (a * (1 - a) * b * (1 - b))


def diversity(S):
    n = len(S)
    pairs = [np.abs(S[i] - S[j]).sum() for i in range(n) for j in range(i)]
    return 2 * sum(pairs) / (n * (n - 1))


def watterson(S):
    n, k = len(S), S.sum(0)
    return ((k > 0) & (k < n)).sum() / sum(1 / i for i in range(1, n))


def binomial_chain(M):
    return np.array(
        [
            [comb(M, j) * (i / M) ** j * (1 - i / M) ** (M - j) for j in range(1, M)]
            for i in range(1, M)
        ]
    )


def riccati(A, B, Q, F, R, steps):
    """Give the gains and costs to go, first to last."""
    P, gains, costs = F, [], [F]
    for _ in range(steps):
        s = R + B @ P @ B
        K = B @ P @ A / s
        P = Q + A.T @ P @ A - s * np.outer(K, K)
        gains.insert(0, K)
        costs.insert(0, P)
    return gains, costs


def regulated(x, A, B, Q, F, R, steps):
    for K in riccati(A, B, Q, F, R, steps)[0]:
        x = A @ x - B * (K @ x)
    return x


def three_terms(e, kp, ki, kd):
    h = 0.02
    before = np.concatenate([[0.0], e[:-1]])
    return kp * e + ki * h * np.cumsum(e) + kd / h * (e - before)


def low_pass(e, tau):
    a, y, out = np.exp(-0.02 / tau), 0.0, []
    for value in e:
        y = a * y + (1 - a) * value
        out.append(y)
    return np.array(out)


def syndrome(r, H):
    return (H @ r) % 2


def place_of(r, H):
    return syndrome(r, H) @ 2 ** np.arange(len(H))


def mended(r, H):
    out, place = r.copy(), int(place_of(r, H))
    if 1 <= place <= len(r):
        out[place - 1] = 1 - out[place - 1]
    return out


def closest(C):
    return min(np.abs(C[i] - C[j]).sum() for i in range(len(C)) for j in range(i))


def failing(C, p):
    t, n = (closest(C) - 1) // 2, C.shape[1]
    return 1 - sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(t + 1))


def marginals(r, C, p):
    d = np.abs(C - r).sum(1)
    return softmax(d * np.log(p) + (len(r) - d) * np.log(1 - p)) @ C


def flipped(r, H, n):
    for _ in range(n):
        failed = syndrome(r, H) @ H
        r = (r + (failed > H.sum(0) / 2)) % 2
    return r


def from_checks(mu, H):
    out = np.zeros(mu.shape)
    for i in range(len(H)):
        for j in range(H.shape[1]):
            others = [k for k in range(H.shape[1]) if k != j and H[i, k] == 1]
            out[i, j] = 2 * np.arctanh(np.prod(np.tanh(mu[i, others] / 2)))
    return out


def convolved(x, g):
    out = np.zeros((len(x), len(g)))
    for t in range(len(x)):
        for k in range(len(g)):
            out[t, k] = sum(g[k, j] * x[t - j] for j in range(3) if t >= j) % 2
    return out


TABLES = {"Z": "sector[3] sector'[3] ~ positive", "y": "sector[3] use[2] ~ positive"}
PHOTO = {"P": "row[6] col[7] rgb[3] ~ positive", "g": "dy[3] dx[3] ~ positive"}
ARM = {"theta": "link[3]", "ell": "link[3] ~ positive"}
PLANT = {
    "A": "state[2] state'[2]",
    "B": "state[2]",
    "Q": "state[2] state'[2] ~ definite",
    "Q_f": "state[2] state'[2] ~ definite",
    "R": 0.7,
}

REPEATED = nt.tensor(np.kron([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 1, 1]), "word bit")
COUNTS = nt.tensor(np.array([[4, 1, 3, 2], [2, 2, 1, 5], [3, 1, 1, 1]]), "deme allele")
CORNERS = nt.tensor([0.5, 1.5, 2.75, 3.5, 5.0], "edge")

DOCUMENTS = [
    Unseen(
        "leontief.md",
        r"""# Input–output tables: a working note

*For the regional statistics office. Written by an economist; comments welcome.*

We have long written these formulas with $\hat{x}$, $\iota'$ and transposes, and every newcomer asks whether $\iota$ stands on the left or on the right. The named notation of
Chiang et al. ends this. There are $n$ sectors; a sector delivers (axis $\text{sector}$) and a sector buys (axis $\text{sector}'$).

**Table 1.** Symbols.

| Symbol | Space | Unit | Meaning |
|:--|:--|:--|:--|
| $Z$ | $\mathbb{R}^{\text{sector}:n, \text{sector}':n}$ | M€ | intermediate deliveries, from seller to buyer |
| $y$ | $\mathbb{R}^{\text{sector}:n, \text{use}:m}$ | M€ | final demand: households, government, exports |
| $L$ | $\mathbb{R}^{\text{sector}:n, \text{sector}':n}$ | – | Leontief inverse, as published |
| $e$ | $\mathbb{R}^{\text{gas}, \text{sector}:n}$ | kt | direct emissions of each gas |
| $w$ | $\mathbb{R}^{\text{sector}:n}$ | M€ | wages |

## 1. Accounting

Everything that is produced is either bought by a sector or used finally. Gross output is therefore

$$x = \sum_{\text{sector}'} Z + \sum_{\text{use}} y$$

and total final demand is $f = \sum_{\text{use}} y$. The *technical coefficients* divide each column by the output of the **buyer** (in the old notation $a_{ij} = z_{ij} / x_j$):

$$A = \frac{Z}{[x]_{\text{sector} \to \text{sector}'}}$$

## 2. Round by round

An order of $f$ makes its suppliers order in turn, and so on. After $r$ rounds output is

$$
\begin{aligned}
x^{(0)} &= f, \\
x^{(r)} &= f + A \underset{\text{sector}'}{\cdot} [x^{(r-1)}]_{\text{sector} \to \text{sector}'}, \qquad r = 1, 2, \dots
\end{aligned}
$$

and this goes to $x$ when no sector needs more than it produces.[^hs]

[^hs]: The condition of Hawkins and Simon (1949).

## 3. Linkages

The *output multiplier* of a buying sector is a column sum, $\mu = \sum_{\text{sector}} L$. Rasmussen's indices of the power and the sensitivity of dispersion compare with the average sector:

$$
U = \frac{\mu}{\underset{\text{sector}'}{\text{mean}}\, \mu}, \qquad
S = \frac{\sum_{\text{sector}'} L}{\underset{\text{sector}}{\text{mean}} \sum_{\text{sector}'} L}
$$

A **key sector** has both above one.

## 4. Footprints

With the intensities $\varepsilon = e / x$ (kt per M€) the emissions that final demand causes somewhere in the chain are, by gas and use,

$$E = \varepsilon \underset{\text{sector}}{\cdot} L \underset{\text{sector}'}{\cdot} [y]_{\text{sector} \to \text{sector}'} .$$

The wages that 1 M€ of demand for a sector pays are in the same way $\omega = \frac{w}{x} \underset{\text{sector}}{\cdot} L$.

## 5. What changed between two years?

For the years $t = 0, 1$ let $L_t \in \mathbb{R}^{\text{sector}:n, \text{sector}':n}$ and $d_t \in \mathbb{R}^{\text{sector}':n}$ be inverse and demand. The average of the two polar decompositions is

$$
\Delta x = \underbrace{\tfrac{1}{2} (L_0 + L_1) \underset{\text{sector}'}{\cdot} \Delta d}_{\text{demand}} + \underbrace{\tfrac{1}{2} \Delta L \underset{\text{sector}'}{\cdot} (d_0 + d_1)}_{\text{technology}}
$$

where $\Delta d = d_1 - d_0$ and $\Delta L = L_1 - L_0$.

## 6. Updating a table (RAS)

New row totals $u \in \mathbb{R}^{\text{sector}:n}$ and column totals $v \in \mathbb{R}^{\text{sector}':n}$ are known, the inside of the table is not. Start with $Z^{(0)} = Z$, and for $k = 1, \dots, K$:

1. scale the rows by $\rho^{(k)} = u / \sum_{\text{sector}'} Z^{(k-1)}$;
2. scale the columns by $$\sigma^{(k)} = \frac{v}{\sum_{\text{sector}} \rho^{(k)} \odot Z^{(k-1)}} ;$$
3. set $Z^{(k)} = \rho^{(k)} \odot Z^{(k-1)} \odot \sigma^{(k)}$.

We stop after $K = 3$ rounds.
""",
        [
            Fault(
                r"A \underset{\text{sector}'}{\cdot} [x^{(r-1)}]",
                r"A \underset{\text{sector}}{\cdot} [x^{(r-1)}]",
            ),
            Fault(
                r"\underset{\text{sector}}{\text{mean}} \sum_{\text{sector}'} L}",
                r"\underset{\text{sector}'}{\text{mean}} \sum_{\text{sector}'} L}",
            ),
            Fault(
                r"E = \varepsilon \underset{\text{sector}}{\cdot} L",
                r"E = \varepsilon \underset{\text{use}}{\cdot} L",
            ),
        ],
        [
            Entry("A", lambda Z, y: Z / gross(Z, y), "sector sector'", TABLES),
            Entry("x^{(4)}", lambda Z, y: rounds_of_supply(Z, y, 4), "sector", TABLES),
            Entry(
                "U",
                lambda L: L.sum(0) / L.sum(0).mean(),
                "sector'",
                {"L": "sector[3] sector'[3] ~ positive"},
            ),
            Entry(
                "S",
                lambda L: L.sum(1) / L.sum(1).mean(),
                "sector",
                {"L": "sector[3] sector'[3] ~ positive"},
            ),
            Entry(
                "E",
                lambda Z, y, L, e: (e / gross(Z, y)) @ L @ y,
                "gas use",
                {**TABLES, "L": "sector[3] sector'[3]", "e": "gas[2] sector[3]"},
            ),
            Entry(
                r"\omega",
                lambda Z, y, L, w: (w / gross(Z, y)) @ L,
                "sector'",
                {**TABLES, "L": "sector[3] sector'[3]", "w": "sector[3]"},
            ),
            Entry(
                r"\Delta x",
                lambda L, d: L[1] @ d[1] - L[0] @ d[0],
                "sector",
                {
                    "L": "t[2] sector[3] sector'[3]",
                    "d": "t[2] sector'[3]",
                },
            ),
            Entry(
                "Z^{(3)}",
                lambda Z, u, v: balanced(Z, u, v, 3),
                "sector sector'",
                {
                    "Z": "sector[3] sector'[3] ~ positive",
                    "u": "sector[3] ~ positive",
                    "v": "sector'[3] ~ positive",
                },
            ),
        ],
    ),
    Unseen(
        "cepstra.tex",
        r"""\documentclass[conference]{IEEEtran}
\usepackage{amsmath,amssymb}
\usepackage{namedtensor}
\ndef{\smp}{smp} \ndef{\frm}{frm} \ndef{\tap}{tap} \ndef{\bin}{bin} \ndef{\band}{band} \ndef{\edge}{edge} \ndef{\cep}{cep}
\newcommand{\reals}{\mathbb{R}}
\begin{document}
\title{The Front End of our Recogniser}
\maketitle

\section{Processing steps}
The recording $x \in \reals^{\smp[N]}$ is sampled at $f_s = 16$~kHz. The steps below follow the ETSI standard loosely.

\begin{enumerate}
\item \emph{Pre-emphasis.} High frequencies are raised by about 6~dB per octave,
  \begin{equation}\label{eq:pre}
    y_{\smp(i)} = x_{\smp(i)} - 0.97\, x_{\smp(i-1)}, \qquad x_{\smp(0)} = 0 .
  \end{equation}
\item \emph{Framing.} Frames of $W$ samples start every $H$ samples,
  \begin{equation}
    F_{\frm(t), \tap(j)} = y_{\smp((t-1) H + j)}, \qquad t = 1, \dots, T, \quad j = 1, \dots, W
  \end{equation}
  with $T = \lfloor (N - W) / H \rfloor + 1$. At 16~kHz we take $W = 400$ (25~ms) and $H = 160$ (10~ms), but nothing depends on it.
\item \emph{Window} (Hamming),
  \begin{equation}
    h_{\tap(j)} = 0.54 - 0.46 \cos \frac{2 \pi (j - 1)}{W - 1} .
  \end{equation}
\item \emph{Power spectrum.} Only the first $K = W/2 + 1$ bins are kept, the others repeat them:
  \begin{align}
    C_{\tap(j), \bin(k)} &= \cos \frac{2 \pi (j-1)(k-1)}{W}, &
    S_{\tap(j), \bin(k)} &= \sin \frac{2 \pi (j-1)(k-1)}{W}, \\
    P &= \frac{1}{W} \left[ \left( (h \odot F) \ndot{\tap} C \right)^2 + \left( (h \odot F) \ndot{\tap} S \right)^2 \right]
  \end{align}
  for $j = 1, \dots, W$ and $k = 1, \dots, K$.
\item \emph{Filter bank.} $M$ triangles whose corners $b \in \reals^{\edge[M+2]}$ are equally spaced on the mel scale
  \[ \operatorname{mel}(f) = 2595 \log_{10} \left( 1 + \frac{f}{700~\text{Hz}} \right) \]
  and expressed in (fractional) bins:
  \begin{equation}
    B_{\band(m), \bin(k)} = \begin{cases}
      \dfrac{k - b_{\edge(m)}}{b_{\edge(m+1)} - b_{\edge(m)}} & \text{if } b_{\edge(m)} \le k \le b_{\edge(m+1)}, \\[2ex]
      \dfrac{b_{\edge(m+2)} - k}{b_{\edge(m+2)} - b_{\edge(m+1)}} & \text{if } b_{\edge(m+1)} < k \le b_{\edge(m+2)}, \\[1ex]
      0 & \text{else.}
    \end{cases}
  \end{equation}
\item \emph{Logarithm.} The small number keeps silence finite,
  \( E = \ln \left( B \ndot{\bin} P + 10^{-10} \right) \).
\item \emph{Cosine transform} to $Q$ coefficients,
  \begin{equation}
    G_{\cep(q)} = \sqrt{\frac{2}{M}} \sum_{m=1}^{M} E_{\band(m)} \cos \left( \frac{\pi q}{M} (m - 0.5) \right), \quad q = 1, \dots, Q .
  \end{equation}
\end{enumerate}

\section{Features}
Let $c \in \reals^{\frm[T] \times \cep[Q]}$ now be the cepstra. \emph{Lifters} give all of them about the same size,
\begin{equation}
  \tilde c_{\cep(q)} = \left( 1 + \frac{\Lambda}{2} \sin \frac{\pi q}{\Lambda} \right) c_{\cep(q)}, \qquad \Lambda = 22 .
\end{equation}
\emph{Deltas} are slopes of a regression over five frames,
\begin{equation}
  d_{\frm(t)} = \frac{\sum_{n=1}^{2} n \left( c_{\frm(t+2+n)} - c_{\frm(t+2-n)} \right)}{2 \sum_{n=1}^{2} n^2}, \qquad t = 1, \dots, T - 4 .
\end{equation}
The channel is removed by normalising each coefficient over the utterance (CMVN),
\begin{equation}
  \hat c = \frac{c - \nfun{\frm}{mean} c}{\sqrt{\nfun{\frm}{var} c}} .
\end{equation}
\end{document}
""",
        [
            Fault(r"\ndot{\tap} S \right)^2 \right]", r"\ndot{\bin} S \right)^2 \right]"),
            Fault(r"B \ndot{\bin} P + 10^{-10}", r"B \ndot{\tap} P + 10^{-10}"),
            Fault(r"\sqrt{\nfun{\frm}{var} c}", r"\sqrt{\nfun{\band}{var} c}"),
        ],
        [
            Entry("y", emphasised, "smp", {"x": "smp[8]"}),
            Entry(
                "F",
                lambda x: framed(x, 6, 3),
                "frm tap",
                {"x": "smp[15]"},
                chosen={"W": 6, "H": 3},
            ),
            Entry(
                "P",
                lambda x: power(framed(x, 6, 3)),
                "frm bin",
                {"x": "smp[15]"},
                chosen={"W": 6, "H": 3},
            ),
            Entry(
                "B",
                lambda b: triangles(b.numpy("edge"), 5),
                "band bin",
                {"b": CORNERS},
                chosen={"bin": 5},
            ),
            Entry(
                "G",
                lambda x, b: cepstrum(
                    np.log(power(framed(x, 6, 3)) @ triangles(b.numpy("edge"), 4).T + 1e-10), 3
                ),
                "frm cep",
                {"x": "smp[15]", "b": CORNERS},
                chosen={"W": 6, "H": 3, "Q": 3},
            ),
            Entry(
                r"\tilde c",
                lambda c: (1 + 11 * np.sin(np.pi * np.arange(1, 5) / 22)) * c,
                "frm cep",
                {"c": "frm[3] cep[4]"},
            ),
            Entry("d", slopes, "frm cep", {"c": "frm[7] cep[2]"}),
            Entry(
                r"\hat c",
                lambda c: (c - c.mean(0)) / c.std(0),
                "frm cep",
                {"c": "frm[5] cep[2]"},
            ),
        ],
    ),
    Unseen(
        "corners.md",
        r"""---
title: Edges are for keeping
author: a photographer who codes
---

A photo is $P \in [0, 1]^{\text{row}:H, \text{col}:W, \text{rgb}:3}$. Everything below works on its luma,

$$I = P \underset{\text{rgb}}{\cdot} c, \quad c = (0.299, 0.587, 0.114),$$

a grey image. The first index of a pixel counts rows and the second columns, so $I_{i,j}$ is short for $I_{\text{row}(i), \text{col}(j)}$.

## Corners

**Gradients.** Central differences, at inner pixels only:

$$
X_{\text{row}(i), \text{col}(j)} = \tfrac12 \left( I_{i+1,j+2} - I_{i+1,j} \right), \qquad
Y_{\text{row}(i), \text{col}(j)} = \tfrac12 \left( I_{i+2,j+1} - I_{i,j+1} \right)
$$

for $1 \le i \le H - 2$ and $1 \le j \le W - 2$.

**Smoothing.** A window $g \in \mathbb{R}^{\text{dy}:3, \text{dx}:3}$ (binomial, say) is laid over an image $F \in \mathbb{R}^{\text{row}:h, \text{col}:w}$:

$$
S(F)_{\text{row}(i), \text{col}(j)} = \sum_{u=1}^{3} \sum_{v=1}^{3} g_{\text{dy}(u), \text{dx}(v)} \, F_{\text{row}(i+u-1), \text{col}(j+v-1)}, \qquad 1 \le i \le h-2,\ 1 \le j \le w-2 .
$$

**Structure tensor.** Its three different entries are three images,

$$A = S(X \odot X), \quad B = S(X \odot Y), \quad C = S(Y \odot Y).$$

Harris and Stephens avoid the eigenvalues and take *determinant minus trace squared*:

$$R = \underbrace{A \odot C - B^2}_{\det} - \kappa (\underbrace{A + C}_{\text{trace}})^2, \qquad \kappa = 0.04 .$$

Shi and Tomasi take the smaller eigenvalue after all, which is not hard either:

$$
\lambda_{\min} = \frac{A + C}{2} - \sqrt{ \left( \frac{A - C}{2} \right)^2 + B^2 } .
$$

A pixel is a corner if it is strong enough,

$$
K_{\text{row}(i), \text{col}(j)} = \begin{cases} 1 & R_{\text{row}(i), \text{col}(j)} > 0.01 \underset{\text{row}, \text{col}}{\max}\, R \\ 0 & \text{otherwise.} \end{cases}
$$

## The bilateral filter

Gaussian blur averages over the edge. Tomasi and Manduchi weigh a neighbour by its distance *and* by its difference in tone, with widths $\sigma_d$ and $\sigma_r$. With radius $m = 1$ and $-m \le u, v \le m$,

$$
w_{i,j,u,v} = \exp \left( - \frac{u^2 + v^2}{2 \sigma_d^2} - \frac{(I_{i+m+u,\, j+m+v} - I_{i+m,\, j+m})^2}{2 \sigma_r^2} \right)
$$

and

$$
J_{\text{row}(i), \text{col}(j)} = \frac{\sum_{u=-m}^{m} \sum_{v=-m}^{m} w_{i,j,u,v} \, I_{\text{row}(i+m+u), \text{col}(j+m+v)}}{\sum_{u=-m}^{m} \sum_{v=-m}^{m} w_{i,j,u,v}}
$$

for $i = 1, \dots, H - 2m$ and $j = 1, \dots, W - 2m$. As $\sigma_r \to \infty$ we are back at the blur.

## Box sums for free

Viola and Jones (2001) first sum over everything above and to the left, once:

$$
T_{\text{row}(i), \text{col}(j)} = \sum_{p \le i} \sum_{q \le j} I_{\text{row}(p), \text{col}(q)}
$$

Then the mean of *any* box needs four numbers. For boxes of $b \times b$ pixels that do not touch the upper or left border,

$$
M_{\text{row}(i), \text{col}(j)} = \frac{1}{b^2} \left( T_{\text{row}(i+b), \text{col}(j+b)} - T_{\text{row}(i), \text{col}(j+b)} - T_{\text{row}(i+b), \text{col}(j)} + T_{\text{row}(i), \text{col}(j)} \right)
$$

where $1 \le i \le H - b$, $1 \le j \le W - b$.

| | cost per pixel |
|---|---|
| Harris | $O(1)$ |
| bilateral | $O(m^2)$ |
| box | $O(1)$, whatever $b$ is |
""",
        [
            Fault(
                r"I = P \underset{\text{rgb}}{\cdot} c",
                r"I = P \underset{\text{col}}{\cdot} c",
                at=r"\sum_{p \le i} \sum_{q \le j}",
            ),
            Fault(r"g_{\text{dy}(u), \text{dx}(v)}", r"g_{\text{dy}(u), \text{col}(v)}"),
            Fault(
                r"\sum_{q \le j} I_{\text{row}(p), \text{col}(q)}",
                r"\sum_{q \le j} I_{\text{row}(p), \text{rgb}(q)}",
            ),
        ],
        [
            Entry(
                "X",
                lambda P: gradients(P @ np.array([0.299, 0.587, 0.114]))[0],
                "row col",
                {"P": PHOTO["P"]},
            ),
            Entry("S", smoothed, "row col", {"F": "row[5] col[6]", "g": PHOTO["g"]}),
            Entry("R", harris, "row col", PHOTO),
            Entry(r"\lambda_{\min}", smaller_eigenvalue, "row col", PHOTO),
            Entry(
                "K",
                lambda P, g: harris(P, g) > 0.01 * harris(P, g).max(),
                "row col",
                PHOTO,
            ),
            Entry(
                "J",
                bilateral,
                "row col",
                {"P": PHOTO["P"], "sigma_d": 1.5, "sigma_r": 0.4},
            ),
            Entry(
                "T",
                lambda P: (P @ np.array([0.299, 0.587, 0.114])).cumsum(0).cumsum(1),
                "row col",
                {"P": PHOTO["P"]},
            ),
            Entry(
                "M",
                lambda P: np.lib.stride_tricks.sliding_window_view(
                    P[1:, 1:] @ np.array([0.299, 0.587, 0.114]), (2, 2)
                ).mean((2, 3)),
                "row col",
                {"P": PHOTO["P"]},
                chosen={"b": 2},
            ),
        ],
    ),
    Unseen(
        "arm.tex",
        r"""\documentclass[11pt,a4paper]{scrartcl}
\usepackage{amsmath,amssymb,siunitx}
% axes
\newcommand{\link}{\mathsf{link}}
\newcommand{\xy}{\mathsf{xy}}
\newcommand{\hom}{\mathsf{hom}}
% contraction
\newcommand{\con}[1]{\underset{#1}{\cdot}}
\newcommand{\R}{\mathbb{R}}
\begin{document}
\section*{Lab 3: A planar arm}

\subsection*{3.1 Forward kinematics}
The arm has $n$ revolute joints with angles $\theta \in \R^{\link[n]}$ (in \si{\radian}, each relative to the link before) and links of lengths $\ell \in \R_{>0}^{\link[n]}$ (in \si{\metre}).
The absolute angle of the $i$-th link is
\[ \phi(\theta)_{\link(i)} = \sum_{j=1}^{i} \theta_{\link(j)} \]
and we need the unit vector along an angle $\alpha$, and the one normal to it:
\begin{align*}
e(\alpha)_{\xy(1)} &= \cos \alpha, & e(\alpha)_{\xy(2)} &= \sin \alpha, \\
e^{\perp}(\alpha)_{\xy(1)} &= -\sin \alpha, & e^{\perp}(\alpha)_{\xy(2)} &= \cos \alpha .
\end{align*}
The hand is at
\begin{equation} p(\theta) = \sum_{\link} \ell \odot e(\phi(\theta)) . \end{equation}

\subsection*{3.2 Velocities and forces}
Moving the joint $i$ turns all links from $i$ on. Hence the Jacobian $J(\theta) \in \R^{\link[n] \times \xy[2]}$ is
\begin{equation} J(\theta)_{\link(i)} = \sum_{j=i}^{n} \ell_{\link(j)} \, e^{\perp}(\phi(\theta)_{\link(j)}) . \end{equation}
Joint rates $\dot\theta \in \R^{\link[n]}$ (\si{\radian\per\second}) give the hand the velocity
\[ v(\theta, \dot\theta) = J(\theta) \con{\link} \dot\theta \]
and, by virtual work, a force $F \in \R^{\xy[2]}$ (\si{\newton}) at the hand is held by the torques
\[ \tau(\theta, F) = J(\theta) \con{\xy} F \]
in \si{\newton\metre}. How far from singular the arm is, Yoshikawa measures by
\begin{equation}
\mu(\theta) = \sqrt{a c - b^2}, \quad \text{where } a = \sum_{\link} J(\theta)_{\xy(1)}^2, \quad b = \sum_{\link} J(\theta)_{\xy(1)} J(\theta)_{\xy(2)}, \quad c = \sum_{\link} J(\theta)_{\xy(2)}^2 .
\end{equation}

\paragraph{Task 1.} Show that $\mu = 0$ iff the arm is stretched or folded.

\subsection*{3.3 Inverse kinematics}
We look for angles that bring the hand to $p^\star \in \R^{\xy[2]}$. \textbf{Step 1.} Choose any $\theta_0 \in \R^{\link[n]}$. \textbf{Step 2.} Repeat, for $k = 0, 1, 2, \dots$
\begin{equation}
\theta_{k+1} = \theta_k + \eta\, J(\theta_k) \con{\xy} \bigl( p^\star - p(\theta_k) \bigr)
\end{equation}
with $\eta = 0.1$ (per \si{\metre\squared}). \textbf{Step 3.} Stop when the hand is closer than \SI{1}{\milli\metre}.

\subsection*{3.4 The same with homogeneous coordinates}
Textbooks multiply matrices instead. Let rows lie along $\hom$ and columns along $\hom'$, and write $\theta_i$ for $\theta_{\link(i)}$ and $\ell_i$ for $\ell_{\link(i)}$. The $i$-th joint and link together are
\[
A_i = \begin{pmatrix}
\cos\theta_i & -\sin\theta_i & \ell_i \cos\theta_i \\
\sin\theta_i & \cos\theta_i & \ell_i \sin\theta_i \\
0 & 0 & 1
\end{pmatrix} \in \R^{\hom[3] \times \hom'[3]}
\]
and poses are accumulated from the base, where $T_0 = I$ is the identity in $\R^{\hom[3] \times \hom'[3]}$:
\begin{equation}
T_i = \Bigl[ T_{i-1} \con{\hom'} [A_i]_{\hom \to \hom',\, \hom' \to \hom''} \Bigr]_{\hom'' \to \hom'}, \qquad i = 1, \dots, n .
\end{equation}

\subsection*{3.5 Holding still}
Every link has mass $m \in \R_{>0}^{\link[n]}$ (\si{\kilo\gram}) and its centre of mass in the middle,
\begin{equation}
z(\theta)_{\link(i)} = \sum_{j=1}^{i-1} \ell_{\link(j)} \, e(\phi(\theta)_{\link(j)}) + \tfrac{1}{2} \ell_{\link(i)} \, e(\phi(\theta)_{\link(i)}) .
\end{equation}
The potential energy in \si{\joule}, with $g = 9.81$ (\si{\metre\per\second\squared}), is
\( V(\theta) = g \, ( m \con{\link} z(\theta)_{\xy(2)} ) \), and the motors must supply $\partial V / \partial \theta$.

\subsection*{3.6 From pose to pose}
To go from $q_0 \in \R^{\link[n]}$ to $q_1 \in \R^{\link[n]}$ within $t_f$ seconds and without a jerk at the ends, use the cubic
\[ q(t) = q_0 + s(t) \, (q_1 - q_0), \qquad s(t) = 3 \left( \frac{t}{t_f} \right)^2 - 2 \left( \frac{t}{t_f} \right)^3 . \]
\end{document}
""",
        [
            Fault(
                r"v(\theta, \dot\theta) = J(\theta) \con{\link}",
                r"v(\theta, \dot\theta) = J(\theta) \con{\xy}",
            ),
            Fault(r"[A_i]_{\hom \to \hom',\, \hom' \to \hom''}", r"A_i"),
            Fault(r"m \con{\link} z(\theta)_{\xy(2)}", r"m \con{\link} z(\theta)_{\hom(2)}"),
        ],
        [
            Entry("p", hand, "xy", ARM),
            Entry("J", jacobian, "link xy", ARM),
            Entry(
                "v",
                lambda t, l, d: jacobian(t, l).T @ d,
                "xy",
                {**ARM, r"thetadot": "link[3]"},
            ),
            Entry(r"\tau", lambda t, l, F: jacobian(t, l) @ F, "link", {**ARM, "F": "xy[2]"}),
            Entry(
                r"\mu",
                lambda t, l: np.sqrt(np.linalg.det(jacobian(t, l).T @ jacobian(t, l))),
                "",
                ARM,
            ),
            Entry(
                r"\theta_3",
                lambda t, l, p: followed(t, l, p, 3),
                "link",
                {"theta_0": "link[3]", "ell": "link[3] ~ positive", "p__star": "xy[2]"},
            ),
            Entry("T", poses, "link hom hom'", ARM),
            Entry("V", potential, "", {**ARM, "m": "link[3] ~ positive"}),
            Entry(
                "q",
                lambda a, b, t, T: a + (3 * (t / T) ** 2 - 2 * (t / T) ** 3) * (b - a),
                "link",
                {"q_0": "link[3]", "q_1": "link[3]", "t": 1.5, "t_f": 2.0},
            ),
        ],
    ),
    Unseen(
        "channels.tex",
        r"""\documentclass[aps,prl,twocolumn]{revtex4-2}
\usepackage{amsmath,amssymb}
\newcommand{\nm}[1]{\mathrm{#1}}
\newcommand{\ket}{\nm{ket}}
\newcommand{\bra}{\nm{bra}}
\newcommand{\dotover}[1]{\mathbin{\underset{#1}{\cdot}}}
\newcommand{\op}[1]{\hat{#1}}
\newcommand{\tr}{\operatorname{Tr}}
\newcommand{\R}{\mathbb{R}}
\begin{document}
\title{Noise without ordering conventions}
\begin{abstract}
We rewrite textbook formulas of open quantum systems so that indices have names. For brevity all amplitudes are real.
\end{abstract}

\emph{States.}---A pure state is $\psi \in \R^{\ket[d]}$ with $\sum_{\ket} \psi^2 = 1$, and its projector
\begin{equation}
\op P(\psi) = \psi \odot \psi_{\ket \to \bra} .
\end{equation}
In general a state is a density matrix $\op\rho \in \R^{\ket[d] \times \bra[d]}$, which is symmetric, positive and has
\begin{equation}
\tr(\op\rho) = \sum_{i=1}^{d} \op\rho_{\ket(i), \bra(i)} = 1 .
\end{equation}
An ensemble of $m$ states $\Psi \in \R^{\nm{ens}[m] \times \ket[d]}$ with weights $q \in [0,1]^{\nm{ens}[m]}$ has the state
\begin{equation}
\op\rho_{\nm{mix}} = \sum_{\nm{ens}} q \odot \op P(\Psi) \in \R^{\ket[d] \times \bra[d]} .
\end{equation}

\emph{Observables.}---For an operator $\op O \in \R^{\ket[d] \times \bra[d]}$ the expectation value is
\begin{equation}
\langle \op O \rangle = \op O \dotover{\ket, \bra} [\op\rho]_{\ket \to \bra,\, \bra \to \ket} ,
\end{equation}
and purity and fidelity with a pure target are
\begin{align}
\gamma(\op\rho) &= \op\rho \dotover{\ket, \bra} \op\rho_{\ket \to \bra,\, \bra \to \ket} , \\
F(\op\rho, \psi) &= \psi \dotover{\ket} \op\rho \dotover{\bra} \psi_{\ket \to \bra} .
\end{align}
Clearly $1/d \le \gamma \le 1$.

\emph{Channels.}---By Kraus' theorem every channel is
\begin{equation}\label{kraus}
\mathcal{E}(\op\rho) = \sum_{\nm{env}} \left( \op K \dotover{\ket'} \op\rho_{\ket \to \ket',\, \bra \to \bra'} \right) \dotover{\bra'} \op K_{\ket \to \bra,\, \ket' \to \bra'}
\end{equation}
for some $\op K \in \R^{\nm{env} \times \ket[d] \times \ket'[d]}$. Depolarising with probability $p$ needs no Kraus operators,
\begin{equation}
\mathcal{D}_p(\op\rho) = (1 - p) \, \op\rho + p \, \tr(\op\rho) \, \frac{\mathbb{1}}{d} ,
\end{equation}
with $\mathbb{1}_{\ket(i), \bra(j)} = \delta_{ij}$, and neither does dephasing, that leaves populations alone and after a time $t$ lets coherences decay with the time constant $T_2$,
\begin{equation}
\mathcal{Z}_t(\op\rho)_{\ket(i), \bra(j)} = \begin{cases} \op\rho_{\ket(i), \bra(j)} & i = j, \\ e^{-t/T_2} \, \op\rho_{\ket(i), \bra(j)} & i \ne j. \end{cases}
\end{equation}

\emph{Two parties.}---Alice ($\nm{a}$) and Bob ($\nm{b}$) share $\op\rho_{AB} \in \R^{\nm{a}[d_A] \times \nm{b}[d_B] \times \nm{a}'[d_A] \times \nm{b}'[d_B]}$. What Alice sees is the partial trace
\begin{equation}
\op\rho_A = \sum_{k=1}^{d_B} [\op\rho_{AB}]_{\nm{b}(k), \nm{b}'(k)} \in \R^{\nm{a}[d_A] \times \nm{a}'[d_A]}
\end{equation}
and with local (symmetric) observables $\op A \in \R^{\nm{a}[d_A] \times \nm{a}'[d_A]}$ and $\op B \in \R^{\nm{b}[d_B] \times \nm{b}'[d_B]}$ their correlation is
\begin{equation}
C(\op A, \op B) = \op A \dotover{\nm{a}, \nm{a}'} \op\rho_{AB} \dotover{\nm{b}, \nm{b}'} \op B .
\end{equation}

\emph{Heat bath.}---Let $\epsilon \in \R^{\nm{level}}$ be the energies. At inverse temperature $\beta = 1/k_B T$
\begin{align}
Z(\beta) &= \sum_{\nm{level}} e^{-\beta \epsilon} , & \pi(\beta) &= \frac{e^{-\beta \epsilon}}{Z(\beta)} , \\
U(\beta) &= \sum_{\nm{level}} \epsilon \odot \pi(\beta) , & S(\beta) &= - \sum_{\nm{level}} \pi(\beta) \odot \ln \pi(\beta) ,
\end{align}
and the heat capacity follows from fluctuations,
\begin{equation}
C_V(\beta) = \beta^2 \left( \sum_{\nm{level}} \epsilon^2 \odot \pi(\beta) - U(\beta)^2 \right) .
\end{equation}
How it gets there is told by Pauli's master equation with rates $W \in \R_{\ge 0}^{\nm{level} \times \nm{level}'}$, to $\nm{level}$ from $\nm{level}'$. For populations $n \in [0, 1]^{\nm{level}}$,
\begin{equation}
\dot n_{\nm{level}(i)} = \sum_{j \ne i} \left( W_{\nm{level}(i), \nm{level}'(j)} \, n_{\nm{level}(j)} - W_{\nm{level}(j), \nm{level}'(i)} \, n_{\nm{level}(i)} \right)
\end{equation}
and we integrate it with an Euler step of length $\tau$, $n^{+} = n + \tau \dot n$.
\end{document}
""",
        [
            Fault(r"\op\rho_{\ket \to \ket',\, \bra \to \bra'}", r"\op\rho_{\bra \to \bra'}"),
            Fault(r"\nm{b}(k), \nm{b}'(k)", r"\nm{b}(k), \ket'(k)"),
            Fault(
                r"U(\beta) &= \sum_{\nm{level}} \epsilon",
                r"U(\beta) &= \sum_{\nm{level}'} \epsilon",
            ),
        ],
        [
            Entry(
                r"\op\rho_{\nm{mix}}",
                lambda q, Psi: np.einsum("m,mi,mj->ij", q, Psi, Psi),
                "ket bra",
                {"q": "ens[3] ~ probability ens", "Psi": "ens[3] ket[2]"},
            ),
            Entry(
                r"\langle \op O \rangle",
                lambda O, rho: np.trace(O @ rho),
                "",
                {"Ohat": "ket[3] bra[3]", "rhohat": "ket[3] bra[3]"},
            ),
            Entry(
                r"\gamma",
                lambda rho: np.trace(rho @ rho),
                "",
                {"rhohat": "ket[3] bra[3]"},
            ),
            Entry(
                "F",
                lambda rho, psi: psi @ rho @ psi,
                "",
                {"rhohat": "ket[3] bra[3]", "psi": "ket[3]"},
            ),
            Entry(
                r"\mathcal{E}",
                kraus,
                "ket bra",
                {"rhohat": "ket[2] bra[2]", "Khat": "env[3] ket[2] ket'[2]"},
            ),
            Entry(
                r"\mathcal{D}_p",
                lambda rho, p: (1 - p) * rho + p * np.trace(rho) * np.eye(3) / 3,
                "ket bra",
                {"rhohat": "ket[3] bra[3]", "p": 0.3},
            ),
            Entry(
                r"\mathcal{Z}_t",
                lambda rho, t, T: np.where(np.eye(3) == 1, rho, np.exp(-t / T) * rho),
                "ket bra",
                {"rhohat": "ket[3] bra[3]", "t": 0.5, "T_2": 0.8},
            ),
            Entry(
                r"\op\rho_A",
                lambda rho: np.einsum("ikjk->ij", rho),
                "a a'",
                {"rhohat_AB": "a[2] b[3] a'[2] b'[3]"},
            ),
            Entry(
                "C",
                lambda A, B, rho: np.einsum("ij,kl,ikjl->", A, B, rho),
                "",
                {
                    "Ahat": "a[2] a'[2]",
                    "Bhat": "b[3] b'[3]",
                    "rhohat_AB": "a[2] b[3] a'[2] b'[3]",
                },
            ),
            Entry(
                "S",
                lambda E, beta: -(thermal(E, beta) * np.log(thermal(E, beta))).sum(),
                "",
                {"epsilon": "level[4]", "beta": 0.7},
            ),
            Entry(
                "C_V",
                lambda E, beta: beta**2 * (E**2 @ thermal(E, beta) - (E @ thermal(E, beta)) ** 2),
                "",
                {"epsilon": "level[4]", "beta": 0.7},
            ),
            Entry(
                r"n^{+}",
                master,
                "level",
                {
                    "n": "level[3] ~ probability level",
                    "W": "level[3] level'[3] ~ positive",
                    "tau": 0.05,
                },
            ),
        ],
    ),
    Unseen(
        "drift.md",
        r"""# Population genetics cheat sheet

Practical course, summer term. *No proofs here, see Hartl & Clark.*

## A. Demes

In $D$ demes (local populations) we sampled gene copies and counted alleles, $N \in \mathbb{N}^{\text{deme}:D, \text{allele}:K}$. Allele frequencies:

$$ p = \frac{N}{\sum_{\text{allele}} N} $$

| quantity | formula |
|---|---|
| expected heterozygosity within demes | $H_S = \underset{\text{deme}}{\text{mean}} \left( 1 - \sum_{\text{allele}} p^2 \right)$ |
| pooled frequencies | $\bar p = \underset{\text{deme}}{\text{mean}}\, p$ |
| expected heterozygosity of the pool | $H_T = 1 - \sum_{\text{allele}} \bar p^2$ |
| fixation index | $F_{ST} = \dfrac{H_T - H_S}{H_T}$ |

Nei's (1972) standard genetic distance uses the identities

$$ J = p \underset{\text{allele}}{\cdot} [p]_{\text{deme} \to \text{deme}'} $$

of two demes, and is

$$
\text{Nei}_{\text{deme}(i), \text{deme}'(j)} = - \ln \frac{J_{\text{deme}(i), \text{deme}'(j)}}{\sqrt{J_{\text{deme}(i), \text{deme}'(i)} \, J_{\text{deme}(j), \text{deme}'(j)}}} .
$$

## B. Selection and mutation

Now one large deme. Let $x \in [0, 1]^{\text{allele}:K}$ be its frequencies, and $w \in \mathbb{R}_{>0}^{\text{allele}:K, \text{allele}':K}$ the (symmetric) fitness of genotypes. Then

* the *marginal* fitness of an allele is $w^\ast(x) = w \underset{\text{allele}'}{\cdot} [x]_{\text{allele} \to \text{allele}'}$,
* the *mean* fitness is $\bar w(x) = x \underset{\text{allele}}{\cdot} w^\ast(x)$,
* and after selection we have $\text{sel}(x) = x \odot \dfrac{w^\ast(x)}{\bar w(x)}$.

An allele mutates into an allele' with probability $U \in [0, 1]^{\text{allele}:K, \text{allele}':K}$, $\sum_{\text{allele}'} U = 1$. So, from generation to generation,

$$
x_{t+1} = \left[ \text{sel}(x_t) \underset{\text{allele}}{\cdot} U \right]_{\text{allele}' \to \text{allele}}, \qquad t = 0, 1, \dots
$$

> **Fisher's theorem.** Without mutation, $\bar w(x_{t+1}) \ge \bar w(x_t)$.

## C. Two loci

Each of the loci $\text{a}$ and $\text{b}$ has two alleles; $g \in [0, 1]^{\text{a}:2, \text{b}:2}$ are the frequencies of the four gametes. Margins and linkage disequilibrium are

$$
p^A = \sum_{\text{b}} g, \qquad p^B = \sum_{\text{a}} g, \qquad \Delta = g - p^A \odot p^B .
$$

Recombination at rate $c$ breaks it down, $g^{\text{next}} = g - c \, \Delta$, so that $\Delta$ shrinks by $1 - c$ in each generation. One often reports

$$
r^2 = \frac{\Delta_{\text{a}(1), \text{b}(1)}^2}{p^A_{\text{a}(1)} (1 - p^A_{\text{a}(1)}) \, p^B_{\text{b}(1)} (1 - p^B_{\text{b}(1)})} .
$$

## D. Sequences

$S \in \{0, 1\}^{\text{sample}:n, \text{site}:L}$ has a one where the sample carries the derived base. Let $k = \sum_{\text{sample}} S$ count them for each site.

$$
\begin{aligned}
\pi &= \frac{2}{n (n-1)} \sum_{i=1}^{n} \sum_{j=1}^{i-1} \sum_{\text{site}} \left| S_{\text{sample}(i)} - S_{\text{sample}(j)} \right| && \text{(pairwise differences)} \\
\theta_W &= \frac{\sum_{\text{site}} \mathbb{1}[0 < k < n]}{\sum_{i=1}^{n-1} 1/i} && \text{(Watterson)} \\
\xi_{\text{freq}(j)} &= \sum_{\text{site}} \mathbb{1}[k = j], \quad j = 1, \dots, n-1 && \text{(frequency spectrum)}
\end{aligned}
$$

The numerator of Tajima's $D$ is $\pi - \theta_W$; it is negative after a sweep.

## E. Drift

With $M$ gene copies the number of copies of a neutral allele is a Markov chain. Between loss (0) and fixation ($M$) its transition probabilities are

$$
Q_{\text{now}(i), \text{then}(j)} = \binom{M}{j} \left( \frac{i}{M} \right)^j \left( 1 - \frac{i}{M} \right)^{M - j}, \qquad i, j = 1, \dots, M-1 .
$$
""",
        [
            Fault(
                r"H_T = 1 - \sum_{\text{allele}} \bar p^2",
                r"H_T = 1 - \sum_{\text{deme}} \bar p^2",
            ),
            Fault(
                r"w \underset{\text{allele}'}{\cdot} [x]_{\text{allele} \to \text{allele}'}",
                r"w \underset{\text{allele}'}{\cdot} x",
            ),
            Fault(r"k = \sum_{\text{sample}} S", r"k = \sum_{\text{deme}} S"),
        ],
        [
            Entry("F_{ST}", lambda N: fst(N.numpy("deme allele")), "", {"N": COUNTS}),
            Entry(
                r"\text{Nei}", lambda N: nei(N.numpy("deme allele")), "deme deme'", {"N": COUNTS}
            ),
            Entry(
                r"\text{sel}",
                lambda x, w: x * (w @ x) / (x @ w @ x),
                "allele",
                {
                    "x": "allele[3] ~ probability allele",
                    "w": "allele[3] allele'[3] ~ positive",
                },
            ),
            Entry(
                "x_3",
                lambda x, w, U: generations(x, w, U, 3),
                "allele",
                {
                    "x": "allele[3] ~ probability allele",
                    "w": "allele[3] allele'[3] ~ positive",
                    "U": "allele[3] allele'[3] ~ probability allele'",
                },
            ),
            Entry(
                r"g^{\text{next}}",
                lambda g, c: g - c * (g - np.outer(g.sum(1), g.sum(0))),
                "a b",
                {"g": "a[2] b[2] ~ probability a b", "c": 0.2},
            ),
            Entry("r^2", linkage, "", {"g": "a[2] b[2] ~ probability a b"}),
            Entry(r"\pi", diversity, "", {"S": "sample[5] site[6] ~ bits"}),
            Entry(r"\theta_W", watterson, "", {"S": "sample[5] site[6] ~ bits"}),
            Entry(
                r"\xi",
                lambda S: np.array([(S.sum(0) == j).sum() for j in range(1, 5)]),
                "freq",
                {"S": "sample[5] site[6] ~ bits"},
            ),
            Entry("Q", lambda: binomial_chain(5), "now then", {}, chosen={"M": 5}),
        ],
    ),
    Unseen(
        "regulator.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{namedtensor}
\ndef{\state}{state} \ndef{\tick}{tick}
\newtheorem{proposition}{Proposition}
\theoremstyle{remark}\newtheorem{rem}{Remark}
\begin{document}
\section{The plant}
We control one input of a discrete-time system with $n$ states,
\begin{equation}\label{eq:plant}
  x_{t+1} = A \ndot{\state'} [x_t]_{\state \rightarrow \state'} + B \, u_t ,
\end{equation}
where $A \in \mathbb{R}^{\state[n] \times \state'[n]}$, $B \in \mathbb{R}^{\state[n]}$, and the initial state $x_0 \in \mathbb{R}^{\state[n]}$ is measured. (For a cart of \mbox{1 kg} sampled at $h$ seconds, $n = 2$,
the rows of $A$ are $1, h$ and $0, 1$, and $B$ holds $h^2/2$ and $h$.)

Whether the input reaches every state is seen from the vectors $c_1 = B$ and
\begin{equation}
  c_{k+1} = A \ndot{\state'} [c_k]_{\state \rightarrow \state'}, \qquad k = 1, \dots, n - 1,
\end{equation}
which must be linearly independent.

\section{Optimal control}
The regulator minimises a quadratic cost over the horizon $T$ with weights $Q, Q_f \in \mathbb{R}^{\state[n] \times \state'[n]}$, both symmetric and positive, and $R > 0$:
\begin{equation}
  \mathcal{J} = q_f(x_T) + \sum_{t=0}^{T-1} \left( q(x_t) + R \, u_t^2 \right)
\end{equation}
with the forms
\begin{align*}
  q(x) &= x \ndot{\state} Q \ndot{\state'} x_{\state \rightarrow \state'}, & q_f(x) &= x \ndot{\state} Q_f \ndot{\state'} x_{\state \rightarrow \state'}
\end{align*}
of a state $x \in \mathbb{R}^{\state[n]}$.

\begin{proposition}
The optimal input is $u_t = - K_t \ndot{\state} x_t$, where the gains are computed backwards. Start with $P_T = Q_f$; then, for $t = T - 1, T - 2, \dots, 0$,
\begin{align}
  \sigma_t &= R + B \ndot{\state} P_{t+1} \ndot{\state'} B_{\state \rightarrow \state'} \label{eq:sigma} \\
  K_t &= \frac{1}{\sigma_t} \, B \ndot{\state} P_{t+1} \ndot{\state'} A_{\state \rightarrow \state', \state' \rightarrow \state} \\
  M_t &= P_{t+1} \ndot{\state'} A_{\state \rightarrow \state', \state' \rightarrow \state''} \\
  P_t &= Q + \left[ A \ndot{\state} M_t \right]_{\state' \rightarrow \state, \state'' \rightarrow \state'} - \sigma_t \, K_t \odot [K_t]_{\state \rightarrow \state'} .
\end{align}
\end{proposition}
\begin{proof}
Dynamic programming: $x \ndot{\state} P_t \ndot{\state'} x_{\state \rightarrow \state'}$ is the cost to go.
\end{proof}
\begin{rem}
For large $T$ the gain $K_0$ does not depend on $T$ any more and is all that is implemented.
\end{rem}

\section{What was there before}
The old controller sees only the error $e \in \mathbb{R}^{\tick[N]}$ every $h = 0.02$ s. It is a discrete PID law with gains $k_p$, $k_i$ and $k_d$,
\begin{equation}
  v_{\tick(k)} = k_p \, e_{\tick(k)} + k_i h \sum_{j=1}^{k} e_{\tick(j)} + \frac{k_d}{h} \left( e_{\tick(k)} - e_{\tick(k-1)} \right), \qquad e_{\tick(0)} = 0,
\end{equation}
behind a first-order low pass of time constant $\tau$,
\begin{equation}
  f_{\tick(k)} = a f_{\tick(k-1)} + (1 - a) \, e_{\tick(k)}, \qquad f_{\tick(0)} = 0, \quad a = \exp(-h/\tau) .
\end{equation}
Both controllers are compared by
\begin{align}
  \mathrm{ISE} &= h \nsum{\tick} e^2, &
  \mathrm{ITAE} &= h \sum_{k=1}^{N} (k h) \, \lvert e_{\tick(k)} \rvert, &
  \mathrm{peak} &= \nfun{\tick}{max} \lvert e \rvert .
\end{align}
\end{document}
""",
        [
            Fault(
                r"A \ndot{\state'} [x_t]_{\state \rightarrow \state'} + B",
                r"A \ndot{\state'} x_t + B",
            ),
            Fault(r"R + B \ndot{\state} P_{t+1}", r"R + B \ndot{\tick} P_{t+1}"),
            Fault(r"\nsum{\tick} e^2", r"\nsum{\state} e^2"),
        ],
        [
            Entry(
                "c_3",
                lambda A, B: A @ A @ B,
                "state",
                {"A": "state[3] state'[3]", "B": "state[3]"},
            ),
            Entry(
                "q",
                lambda x, Q: x @ Q @ x,
                "",
                {"x": "state[2]", "Q": PLANT["Q"]},
            ),
            Entry("K_0", lambda *plant: riccati(*plant, 3)[0][0], "state", PLANT, chosen={"T": 3}),
            Entry(
                "P_0",
                lambda *plant: riccati(*plant, 3)[1][0],
                "state state'",
                PLANT,
                chosen={"T": 3},
            ),
            Entry(
                "x_3",
                lambda x, *plant: regulated(x, *plant, 3),
                "state",
                {"x_0": "state[2]", **PLANT},
                chosen={"T": 3},
            ),
            Entry(
                r"\mathcal{J}",
                lambda x, *plant: x @ riccati(*plant, 3)[1][0] @ x,
                "",
                {"x_0": "state[2]", **PLANT},
                chosen={"T": 3},
            ),
            Entry(
                "v",
                three_terms,
                "tick",
                {"e": "tick[6]", "k_p": 1.5, "k_i": 0.4, "k_d": 0.1},
            ),
            Entry("f", low_pass, "tick", {"e": "tick[6]", "tau": 0.05}),
            Entry(
                r"\mathrm{ITAE}",
                lambda e: 0.02 * sum(0.02 * (k + 1) * abs(e[k]) for k in range(6)),
                "",
                {"e": "tick[6]"},
            ),
        ],
    ),
    Unseen(
        "codes.md",
        r"""# Linear codes for people who like tensors

**Abstract.** Everything here happens with zeros and ones; $\bmod 2$ is applied element by element. A code has $k$ message bits and $n$ code bits, hence $m = n - k$ checks.

**Definition 1.** A *linear code* is given by a generator $G \in \{0,1\}^{\text{msg}:k, \text{bit}:n}$ and a parity check $H \in \{0,1\}^{\text{check}:m, \text{bit}:n}$ with
$$ \left( G \underset{\text{bit}}{\cdot} H \right) \bmod 2 = 0 . $$

The message $u \in \{0,1\}^{\text{msg}:k}$ is sent as
$$ c = \left( u \underset{\text{msg}}{\cdot} G \right) \bmod 2 $$
and arrives as $(c + e) \bmod 2$, where $e \in \{0,1\}^{\text{bit}:n}$ marks the errors. Let $r \in \{0,1\}^{\text{bit}:n}$ be any received word.

**Definition 2.** The *syndrome* of $r$ is
$$ s(r) = \left( H \underset{\text{bit}}{\cdot} r \right) \bmod 2 . $$

*Exercise.* Show that the syndrome depends on $e$ only.

## Hamming's trick

Let the $j$-th column of $H$ be the number $j$ in binary, lowest bit first. Then the syndrome *is* the position of a single error,
$$ \text{pos}(r) = \sum_{i=1}^{m} 2^{i-1} \, s(r)_{\text{check}(i)} , $$
and we flip this bit (nothing, if it is 0):
$$
\hat c(r)_{\text{bit}(j)} = \begin{cases} 1 - r_{\text{bit}(j)} & \text{if } j = \text{pos}(r), \\ r_{\text{bit}(j)} & \text{if } j \neq \text{pos}(r). \end{cases}
$$

## Distances

For two words $a, b \in \{0,1\}^{\text{bit}:n}$ let
$$ d_H(a, b) = \sum_{\text{bit}} |a - b| $$
(Hamming distance). List all code words in a *codebook* $C \in \{0,1\}^{\text{word}:2^k, \text{bit}:n}$. The minimum distance
$$ d_{\min} = \min_{i \neq j} d_H \left( C_{\text{word}(i)}, C_{\text{word}(j)} \right) $$
says that $t = \lfloor (d_{\min} - 1)/2 \rfloor$ errors can always be corrected.

## Soft decoding

If each bit flips with probability $p$, a code word has the log-likelihood
$$ \ell(r) = d_H(C, r) \ln p + (n - d_H(C, r)) \ln (1 - p) $$
and, all messages being equally likely, bit by bit the probability of a one is
$$ P(r) = \underset{\text{word}}{\text{softmax}}(\ell(r)) \underset{\text{word}}{\cdot} C . $$
With $2^k$ words this is hopeless for real codes, which is why there is the

## Bit flipping of Gallager

A check *fails* where the syndrome is one. Each bit counts its failing checks, $\varphi(r) = s(r) \underset{\text{check}}{\cdot} H$, and is flipped if more than half of its checks fail:
$$
r^{(0)} = r, \qquad r^{(q)} = \left( r^{(q-1)} + \mathbb{1}\!\left[ \varphi(r^{(q-1)}) > \tfrac12 \textstyle\sum_{\text{check}} H \right] \right) \bmod 2, \quad q = 1, 2, \dots
$$

## Sum-product

The better decoder passes real numbers. A bit tells a check $\mu \in \mathbb{R}^{\text{check}:m, \text{bit}:n}$, and the check answers with
$$
\lambda_{\text{check}(i), \text{bit}(j)} = 2 \operatorname{artanh} \prod_{\substack{l \neq j \\ H_{\text{check}(i), \text{bit}(l)} = 1}} \tanh \left( \tfrac12 \mu_{\text{check}(i), \text{bit}(l)} \right) .
$$

## Convolutional codes

Here the message $x \in \{0,1\}^{\text{time}:T}$ has no end. Two generators, the rows of $g \in \{0,1\}^{\text{out}:2, \text{tap}:3}$, look at the last three bits:
$$
y_{\text{time}(t), \text{out}(o)} = \left( \sum_{j=0}^{2} g_{\text{out}(o), \text{tap}(j+1)} \, x_{\text{time}(t-j)} \right) \bmod 2, \qquad x_{\text{time}(t)} = 0 \text{ for } t \le 0.
$$

## How bad is it?

A decoder that corrects up to $t$ errors fails with probability
$$ P_B = 1 - \sum_{i=0}^{t} \binom{n}{i} p^i (1 - p)^{n - i} . $$
""",
        [
            Fault(
                r"c = \left( u \underset{\text{msg}}{\cdot} G",
                r"c = \left( u \underset{\text{check}}{\cdot} G",
            ),
            Fault(
                r"P(r) = \underset{\text{word}}{\text{softmax}}",
                r"P(r) = \underset{\text{msg}}{\text{softmax}}",
            ),
            Fault(
                r"\varphi(r) = s(r) \underset{\text{check}}{\cdot} H",
                r"\varphi(r) = s(r) \underset{\text{bit}}{\cdot} H",
            ),
        ],
        [
            Entry(
                "c",
                lambda u, G: (u @ G) % 2,
                "bit",
                {"u": "msg[3] ~ bits", "G": "msg[3] bit[6] ~ bits"},
            ),
            Entry(
                r"\text{pos}",
                place_of,
                "",
                {"r": "bit[7] ~ bits", "H": "check[3] bit[7] ~ bits"},
            ),
            Entry(
                r"\hat c",
                mended,
                "bit",
                {"r": "bit[7] ~ bits", "H": "check[3] bit[7] ~ bits"},
            ),
            Entry("d_{\\min}", closest, "", {"C": "word[4] bit[6] ~ bits"}),
            Entry(
                "P",
                marginals,
                "bit",
                {"r": "bit[6] ~ bits", "C": "word[4] bit[6] ~ bits", "p": 0.1},
            ),
            Entry(
                "r^{(2)}",
                lambda r, H: flipped(r, H, 2),
                "bit",
                {"r": "bit[6] ~ bits", "H": "check[3] bit[6] ~ bits"},
            ),
            Entry(
                r"\lambda",
                from_checks,
                "check bit",
                {"mu": "check[3] bit[6]", "H": "check[3] bit[6] ~ bits"},
            ),
            Entry(
                "y",
                convolved,
                "time out",
                {"x": "time[7] ~ bits", "g": "out[2] tap[3] ~ bits"},
            ),
            Entry(
                "P_B",
                lambda C, p: failing(C.numpy("word bit"), p),
                "",
                {"C": REPEATED, "p": 0.1},
            ),
        ],
    ),
]
