"""Sections that inherit, and prose that remarks."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


DOCUMENTS = [
    Unseen(
        "kalman.md",
        r"""# Notes on linear filtering

## 1. State and observation

The hidden state is $x \in \mathbb{R}^{\text{state}}$ and what we see is $y \in \mathbb{R}^{\text{obs}}$.

$$\begin{aligned}
F &\in \mathbb{R}^{\text{state}, \text{state}'} & m &\in \mathbb{R}^{\text{state}} \\
H &\in \mathbb{R}^{\text{obs}, \text{state}} & G &\in \mathbb{R}^{\text{state}, \text{obs}}
\end{aligned}$$

### 1.1 Predicting

The mean moves with the dynamics:

$$\text{predict}(m; F) = [F \underset{\text{state}}{\cdot} m]_{\text{state}' \rightarrow \text{state}}$$

### 1.2 The innovation

What the prediction did not foresee[^1] is

$$\text{innovate}(m, y; H) = y - H \underset{\text{state}}{\cdot} m .$$

[^1]: Some books say *residual*.

## 2. Updating

With the gain $G$ found as usual (Kalman, 1960),

$$\text{update}(m, y; H, G) = m + G \underset{\text{obs}}{\cdot} \text{innovate}(m, y; H)$$
""",
        [
            Fault(r"m + G \underset{\text{obs}}{\cdot}", r"m + G \underset{\text{state}}{\cdot}"),
            Fault(
                r"y - H \underset{\text{state}}{\cdot} m", r"y - H \underset{\text{obs}}{\cdot} m"
            ),
            Fault(
                r"[F \underset{\text{state}}{\cdot} m]", r"[F \underset{\text{state}'}{\cdot} m]"
            ),
        ],
        [
            Entry(
                "predict",
                lambda m, F: m @ F,
                "state",
                {"m": "state[3]"},
                {"F": "state[3] state'[3]"},
            ),
            Entry(
                "innovate",
                lambda m, y, H: y - H @ m,
                "obs",
                {"m": "state[3]", "y": "obs[2]"},
                {"H": "obs[2] state[3]"},
            ),
            Entry(
                "update",
                lambda m, y, H, G: m + G @ (y - H @ m),
                "state",
                {"m": "state[3]", "y": "obs[2]"},
                {"H": "obs[2] state[3]", "G": "state[3] obs[2]"},
            ),
        ],
    ),
    Unseen(
        "graph_network.tex",
        r"""\documentclass{article}
\usepackage{namedtensor}
\ndef{\node}{node}
\ndef{\feat}{feat}
\ndef{\hid}{hid}
\ndef{\class}{class}
\begin{document}
\title{Convolving over a citation graph}
\maketitle

\section{Notation}
A graph has $n$ nodes. Its adjacency and the features are
\begin{align*}
  A &\in \{0,1\}^{\node[n] \times \node'[n]} & X &\in \mathbb{R}^{\node[n] \times \feat} \\
  W &\in \mathbb{R}^{\feat \times \hid} & U &\in \mathbb{R}^{\hid \times \class}.
\end{align*}

\section{Model}
\subsection{Degrees}
Counting neighbours gives
\begin{equation}
  D = \nsum{\node'} A. \label{eq:deg}
\end{equation}

\subsection{One layer}
With \eqref{eq:deg} the average over neighbours is
\begin{equation}
  \mathrm{avg}(X, A) = \frac{A \ndot{\node'} X_{\node\rightarrow\node'}}{D},
\end{equation}
and a layer is
\begin{equation}
  \mathrm{conv}(X, A; W) = \mathrm{ReLU}(W \ndot{\feat} \mathrm{avg}(X, A)).
\end{equation}

\section{Reading out}
Each node is classified by
\begin{equation}
  \mathrm{classify}(X, A; W, U) = \nfun{\class}{softmax} \left( U \ndot{\hid} \mathrm{conv}(X, A; W) \right).
\end{equation}
\end{document}
""",
        [
            Fault(r"D = \nsum{\node'} A", r"D = \nsum{\hid} A"),
            Fault(r"W \ndot{\feat} \mathrm{avg}", r"W \ndot{\hid} \mathrm{avg}"),
            Fault(r"\nfun{\class}{softmax} \left(", r"\nfun{\hid}{softmax} \left("),
        ],
        [
            Entry(
                "avg",
                lambda X, A: A @ X / A.sum(1)[:, None],
                "node feat",
                {"X": "node[4] feat[3]", "A": "node[4] node'[4] ~ ones"},
            ),
            Entry(
                "conv",
                lambda X, A, W: np.maximum(A @ X / A.sum(1)[:, None] @ W, 0),
                "node hid",
                {"X": "node[4] feat[3]", "A": "node[4] node'[4] ~ ones"},
                {"W": "feat[3] hid[2]"},
            ),
        ],
    ),
    Unseen(
        "heat.md",
        r"""# Heat on a rod

**Setting.** A rod is cut into cells. The temperature is $T \in \mathbb{R}^{\text{cell}}$, and rods of a
bundle are stacked along another axis.

$$T \in \mathbb{R}^{\text{rod}:r, \text{cell}:n} \qquad L \in \mathbb{R}^{\text{cell}':n, \text{cell}:n}$$

## Explicit steps

Let $\alpha \in \mathbb{R}$ and

$$\text{explicit}(T, \alpha; L) = T + \alpha [L \underset{\text{cell}}{\cdot} T]_{\text{cell}' \rightarrow \text{cell}}$$

which is stable if $\alpha = 0.1$, for example.

## Energy

### of one rod

$$E(T) = \frac{1}{2} \sum_{\text{cell}} T^2$$

### of the bundle

$$\text{total}(T) = \sum_{\text{rod}} E(T)$$

| step | energy |
|------|--------|
| 0    | 1.00   |
| 10   | 0.83   |
""",
        [
            Fault(r"[L \underset{\text{cell}}{\cdot} T]", r"[L \underset{\text{rod}}{\cdot} T]"),
            Fault(r"\sum_{\text{cell}} T^2", r"\sum_{\text{cells}} T^2"),
            Fault(r"\sum_{\text{rod}} E(T)", r"\sum_{\text{cell}} E(T)"),
        ],
        [
            Entry(
                "explicit",
                lambda T, a, L: T + a * T @ L.T,
                "rod cell",
                {"T": "rod[2] cell[3]", "alpha": 0.3},
                {"L": "cell'[3] cell[3]"},
            ),
            Entry("E", lambda T: 0.5 * (T**2).sum(1), "rod", {"T": "rod[2] cell[3]"}),
            Entry("total", lambda T: 0.5 * (T**2).sum(), "", {"T": "rod[2] cell[3]"}),
        ],
    ),
    Unseen(
        "two_towers.tex",
        r"""\section{Retrieval with two towers}
% W is used for both towers, as in the slides
\subsection{The query tower}
\begin{align}
q &\in \mathbb{R}^{\text{term}} & W &\in \mathbb{R}^{\text{term}, \text{latent}} \\
\text{enc}_q(q; W) &= \tanh(W \underset{\text{term}}{\cdot} q)
\end{align}
\subsection{The item tower}
\begin{align}
v &\in \mathbb{R}^{\text{item}, \text{pixel}} & W &\in \mathbb{R}^{\text{pixel}, \text{latent}} \\
\text{enc}_v(v; W) &= \tanh(W \underset{\text{pixel}}{\cdot} v)
\end{align}
\subsection{Matching}
Both live in the same space, $a \in \mathbb{R}^{\text{latent}}$ and $B \in \mathbb{R}^{\text{item}, \text{latent}}$:
\begin{equation}
\text{match}(a, B) = \underset{\text{item}}{\text{softmax}} (a \underset{\text{latent}}{\cdot} B)
\end{equation}
\paragraph{Temperature.} With a temperature $\tau \in \mathbb{R}$,
\begin{equation}
\text{cool}(a, B, \tau) = \underset{\text{item}}{\text{softmax}} (a \underset{\text{latent}}{\cdot} B / \tau)
\end{equation}
and for $\tau = 1$ we are back.
""",
        [
            Fault(r"W \underset{\text{pixel}}{\cdot} v", r"W \underset{\text{term}}{\cdot} v"),
            Fault(
                r"\underset{\text{item}}{\text{softmax}} (a \underset{\text{latent}}{\cdot} B)",
                r"\underset{\text{latent}}{\text{softmax}} (a \underset{\text{latent}}{\cdot} B)",
            ),
            Fault(
                r"(a \underset{\text{latent}}{\cdot} B / \tau)",
                r"(a \underset{\text{item}}{\cdot} B / \tau)",
            ),
        ],
        [
            Entry(
                "match",
                lambda a, B: softmax(B @ a, 0),
                "item",
                {"a": "latent[3]", "B": "item[4] latent[3]"},
            ),
            Entry(
                "cool",
                lambda a, B, t: softmax(B @ a / t, 0),
                "item",
                {"a": "latent[3]", "B": "item[4] latent[3]", "tau": 2.0},
            ),
        ],
    ),
    Unseen(
        "knowledge_graph.md",
        r"""Translating embeddings
======================

Entities and relations share a space.

$$
\begin{aligned}
E &\in \mathbb{R}^{\text{entity}, \text{emb}} \\
R &\in \mathbb{R}^{\text{rel}, \text{emb}}
\end{aligned}
$$

Scoring
-------

For a head $h$, a relation $r$ and a tail $t$, all in $\mathbb{R}^{\text{emb}}$,

$$
h, r, t \in \mathbb{R}^{\text{emb}}, \qquad
\text{score}(h, r, t) = -\sqrt{\sum_{\text{emb}} (h + r - t)^2}
$$

Ranking all tails
-----------------

$$
\text{rank}(h, r; E) = \underset{\text{entity}}{\text{softmax}} \left( -\sum_{\text{emb}} (h + r - E)^2 \right)
$$

Keeping short
-------------

The norm of each entity should be one:

$$
\text{reg}(E) = \sum_{\text{entity}} \left( \sum_{\text{emb}} E \odot E - 1 \right)^2
$$
""",
        [
            Fault(r"-\sqrt{\sum_{\text{emb}} (h", r"-\sqrt{\sum_{\text{rel}} (h"),
            Fault(
                r"\underset{\text{entity}}{\text{softmax}}",
                r"\underset{\text{emb}}{\text{softmax}}",
            ),
            Fault(r"\sum_{\text{entity}} \left(", r"\sum_{\text{rel}} \left("),
        ],
        [
            Entry(
                "score",
                lambda h, r, t: -np.sqrt(((h + r - t) ** 2).sum()),
                "",
                {"h": "emb[3]", "r": "emb[3]", "t": "emb[3]"},
            ),
            Entry(
                "rank",
                lambda h, r, E: softmax(-((h + r - E) ** 2).sum(1), 0),
                "entity",
                {"h": "emb[3]", "r": "emb[3]"},
                {"E": "entity[4] emb[3]"},
            ),
            Entry("reg", lambda E: (((E**2).sum(1) - 1) ** 2).sum(), "", {"E": "entity[4] emb[3]"}),
        ],
    ),
    Unseen(
        "topics.tex",
        r"""\documentclass[11pt]{scrartcl}
\begin{document}
\chapter{Topics}
\section{Data}
We are given counts $N \in \mathbb{R}^{\name{doc} \times \name{word}}$.
\section{Factors}
\begin{align*}
\Theta &\in [0,1]^{\name{doc} \times \name{topic}} &
\Phi &\in [0,1]^{\name{topic} \times \name{word}}
\end{align*}
\section{Reconstruction}
\begin{align*}
\hat{N} &= \Theta \ndot{\name{topic}} \Phi \\
\mathrm{loss}(N; \Theta, \Phi) &= -\nsum{\name{doc} \\ \name{word}} N \odot \log \hat{N}
\end{align*}
\section{Responsibilities}
Which topic made a word?
\begin{align*}
\mathrm{resp}(\Theta, \Phi) &= \frac{\Theta \odot \Phi}{\nsum{\name{topic}} \Theta \odot \Phi} \\
\mathrm{step}(N; \Theta, \Phi) &= \nsum{\name{word}} N \odot \mathrm{resp}(\Theta, \Phi)
\end{align*}
\end{document}
""",
        [
            Fault(r"\Theta \ndot{\name{topic}} \Phi", r"\Theta \ndot{\name{word}} \Phi"),
            Fault(
                r"{\nsum{\name{topic}} \Theta \odot \Phi}",
                r"{\nsum{\name{doc}'} \Theta \odot \Phi}",
            ),
            Fault(r"= \nsum{\name{word}} N \odot", r"= \nsum{\name{words}} N \odot"),
        ],
        [
            Entry(
                "resp",
                lambda T, P: T[:, :, None] * P / (T @ P)[:, None, :],
                "doc topic word",
                {"Theta": "doc[2] topic[3] ~ positive", "Phi": "topic[3] word[4] ~ positive"},
            ),
            Entry(
                "loss",
                lambda N, T, P: -(N * np.log(T @ P)).sum(),
                "",
                {"N": "doc[2] word[4] ~ counts"},
                {"Theta": "doc[2] topic[3] ~ positive", "Phi": "topic[3] word[4] ~ positive"},
            ),
            Entry(
                "step",
                lambda N, T, P: np.einsum("dw,dtw->dt", N, T[:, :, None] * P / (T @ P)[:, None, :]),
                "doc topic",
                {"N": "doc[2] word[4] ~ counts"},
                {"Theta": "doc[2] topic[3] ~ positive", "Phi": "topic[3] word[4] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "ridge.md",
        r"""# Lecture 4: shrinking coefficients

Data $X \in \mathbb{R}^{\text{obs}:n, \text{var}:p}$, targets $y \in \mathbb{R}^{\text{obs}:n}$ and
coefficients $\beta \in \mathbb{R}^{\text{var}:p}$.

The prediction is

$$\hat{y}(X; \beta) = X \underset{\text{var}}{\cdot} \beta$$

(in matrix notation, $\hat{y} = X \beta$). We minimise

$$\text{loss}(X, y, \lambda; \beta) = \sum_{\text{obs}} (y - \hat{y}(X; \beta))^2 + \lambda \sum_{\text{var}} \beta^2$$

where $\lambda \in \mathbb{R}$. At the start, $\beta = 0$. If $\lambda = 0$ this is least squares; for
example, with $n = 3$ and $p = 2$ the solution is exact.

> **Exercise.** Show that in matrix notation $\beta = (X^\top X + \lambda I)^{-1} X^\top y$.

The gradient is

$$\text{grad}(X, y, \lambda; \beta) = 2 \lambda \beta - 2 X \underset{\text{obs}}{\cdot} (y - \hat{y}(X; \beta))$$

and one step with rate $\eta \in \mathbb{R}$ goes to

$$\text{step}(X, y, \lambda, \eta; \beta) = \beta - \eta \, \text{grad}(X, y, \lambda; \beta)$$
""",
        [
            Fault(
                r"= X \underset{\text{var}}{\cdot} \beta", r"= X \underset{\text{obs}}{\cdot} \beta"
            ),
            Fault(r"\lambda \sum_{\text{var}} \beta^2", r"\lambda \sum_{\text{obs}} \beta^2"),
            Fault(r"2 X \underset{\text{obs}}{\cdot} (y", r"2 X \underset{\text{var}}{\cdot} (y"),
        ],
        [
            Entry(
                "loss",
                lambda X, y, l, b: ((y - X @ b) ** 2).sum() + l * (b**2).sum(),
                "",
                {"X": "obs[4] var[3]", "y": "obs[4]", "lambda_": 0.5},
                {"beta": "var[3]"},
            ),
            Entry(
                "grad",
                lambda X, y, l, b: 2 * l * b - 2 * X.T @ (y - X @ b),
                "var",
                {"X": "obs[4] var[3]", "y": "obs[4]", "lambda_": 0.5},
                {"beta": "var[3]"},
            ),
            Entry(
                "step",
                lambda X, y, l, e, b: b - e * (2 * l * b - 2 * X.T @ (y - X @ b)),
                "var",
                {"X": "obs[4] var[3]", "y": "obs[4]", "lambda_": 0.5, "eta": 0.1},
                {"beta": "var[3]"},
            ),
        ],
    ),
    Unseen(
        "contrast.md",
        r"""# Contrasting views

Two views of a batch, $A, B \in \mathbb{R}^{\text{batch}:n, \text{proj}:d}$, are projected to the sphere:

$$\text{unit}(A) = \frac{A}{\sqrt{\sum_{\text{proj}} A \odot A}}$$

All pairs are compared:

$$\text{sim}(A, B) = \text{unit}(A) \underset{\text{proj}}{\cdot} [\text{unit}(B)]_{\text{batch} \rightarrow \text{batch}'}$$

The loss at temperature $\tau \in \mathbb{R}$ is

$$\text{logp}(A, B, \tau) = \log \underset{\text{batch}'}{\text{softmax}} \left( \frac{\text{sim}(A, B)}{\tau} \right)$$

With $\tau = 1$ we get $\text{logp} = \log \text{softmax}(\text{sim})$, and if $n = 1$ there is nothing to tell
apart. In our runs $\tau = 0.07$.

$$D \in \{0,1\}^{\text{batch}:n, \text{batch}':n}$$

$$D_{\text{batch}:i, \text{batch}':j} = \begin{cases} 1 & \text{if } i = j \\ 0 & \text{otherwise} \end{cases}$$

$$\text{loss}(A, B, \tau) = -\underset{\text{batch}}{\text{mean}} \sum_{\text{batch}'} D \odot \text{logp}(A, B, \tau)$$
""",
        [
            Fault(r"{\sqrt{\sum_{\text{proj}} A", r"{\sqrt{\sum_{\text{batch}'} A"),
            Fault(
                r"\log \underset{\text{batch}'}{\text{softmax}}",
                r"\log \underset{\text{proj}}{\text{softmax}}",
            ),
            Fault(
                r"\underset{\text{batch}}{\text{mean}} \sum_{\text{batch}'}",
                r"\underset{\text{proj}}{\text{mean}} \sum_{\text{batch}'}",
            ),
        ],
        [
            Entry(
                "unit",
                lambda A: A / np.linalg.norm(A, axis=1, keepdims=True),
                "batch proj",
                {"A": "batch[3] proj[4]"},
            ),
            Entry(
                "loss",
                lambda A, B, t: (
                    -np.mean(
                        np.diag(
                            np.log(
                                softmax(
                                    (A / np.linalg.norm(A, axis=1, keepdims=True))
                                    @ (B / np.linalg.norm(B, axis=1, keepdims=True)).T
                                    / t
                                )
                            )
                        )
                    )
                ),
                "",
                {"A": "batch[3] proj[4]", "B": "batch[3] proj[4]", "tau": 0.5},
            ),
        ],
    ),
    Unseen(
        "svm.tex",
        r"""\section*{Support vectors}
\ndef{\ex}{ex} \ndef{\feat}{feat}
Let $X \in \mathbb{R}^{\ex[m] \times \feat}$ be examples with signs $y \in \{-1,1\}^{\ex[m]}$,
$w \in \mathbb{R}^{\feat}$ and $b \in \mathbb{R}$. The margin of each example is
\[ \mathrm{margin}(X, y; w, b) = y \odot (X \ndot{\feat} w + b), \]
in matrix notation $\mathrm{diag}(y)(Xw + b1)$. The hinge asks for a margin of one:
\[ \mathrm{hinge}(X, y; w, b) = \nfun{\ex}{mean} \max(0, 1 - \mathrm{margin}(X, y; w, b)) . \]
\subsection*{Regularised}
With $C \in \mathbb{R}$ (say $C = 10$),
\[ \mathrm{primal}(X, y, C; w, b) = \frac{1}{2} w \ndot{\feat} w + C \, \mathrm{hinge}(X, y; w, b). \]
We begin at $w = 0$, $b = 0$.
\subsection*{Dual}
Multipliers $\alpha \in \mathbb{R}^{\ex[m]}$ give the weights back,
\[ \mathrm{weights}(X, y, \alpha) = \nsum{\ex} \alpha \odot y \odot X . \]
""",
        [
            Fault(r"y \odot (X \ndot{\feat} w + b)", r"y \odot (X \ndot{\ex} w + b)"),
            Fault(r"\nfun{\ex}{mean} \max", r"\nfun{\feat}{mean} \max"),
            Fault(r"\frac{1}{2} w \ndot{\feat} w", r"\frac{1}{2} w \ndot{\ex} w"),
        ],
        [
            Entry(
                "margin",
                lambda X, y, w, b: y * (X @ w + b),
                "ex",
                {"X": "ex[4] feat[3]", "y": "ex[4]"},
                {"w": "feat[3]", "b": 0.5},
            ),
            Entry(
                "primal",
                lambda X, y, C, w, b: 0.5 * w @ w + C * np.maximum(0, 1 - y * (X @ w + b)).mean(),
                "",
                {"X": "ex[4] feat[3]", "y": "ex[4]", "C": 3.0},
                {"w": "feat[3]", "b": 0.5},
            ),
            Entry(
                "weights",
                lambda X, y, a: (a * y) @ X,
                "feat",
                {"X": "ex[4] feat[3]", "y": "ex[4]", "alpha": "ex[4]"},
            ),
        ],
    ),
    Unseen(
        "pagerank.md",
        r"""## Ranking pages

Let $n$ be the number of pages and $M \in \mathbb{R}^{\text{page}:n, \text{page}':n}$ say how likely a surfer
goes from one to the other. The rank is $r \in \mathbb{R}^{\text{page}:n}$.

At the start $r = 1/n$. In matrix notation, $r = M^\top r$. We write

$$
\text{hop}(r; M) = \left[ M \underset{\text{page}}{\cdot} r \right]_{\text{page}' \rightarrow \text{page}}
$$

and, with a damping $\delta \in [0, 1]$ (for example $\delta = 0.85$),

$$
\text{damped}(r, \delta; M) = \delta \, \text{hop}(r; M) + \frac{1 - \delta}{|\text{page}|}
$$

### Convergence

The change is measured as

$$
\text{change}(r, \delta; M) = \sum_{\text{page}} |\text{damped}(r, \delta; M) - r|
$$

### Topics

A page has topics, $T \in \{0, 1\}^{\text{page}:n, \text{topic}}$, and a topic's rank is

$$
\text{topical}(r, T) = \frac{T \underset{\text{page}}{\cdot} r}{\sum_{\text{page}} T}
$$
""",
        [
            Fault(
                r"M \underset{\text{page}}{\cdot} r \right]",
                r"M \underset{\text{page}'}{\cdot} r \right]",
            ),
            Fault(r"\sum_{\text{page}} |\text{damped}", r"\sum_{\text{page}'} |\text{damped}"),
            Fault(r"{\sum_{\text{page}} T}", r"{\sum_{\text{page}'} T}"),
        ],
        [
            Entry("hop", lambda r, M: r @ M, "page", {"r": "page[3]"}, {"M": "page[3] page'[3]"}),
            Entry(
                "damped",
                lambda r, d, M: d * r @ M + (1 - d) / 3,
                "page",
                {"r": "page[3]", "delta": 0.85},
                {"M": "page[3] page'[3]"},
            ),
            Entry(
                "topical",
                lambda r, T: (r @ T) / T.sum(0),
                "topic",
                {"r": "page[3]", "T": "page[3] topic[2] ~ ones"},
            ),
        ],
    ),
]
