"""Notes that write functions with their axes as subscripts, definitions in tables and lists, and arrows."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def tags(x, E, W, b):
    return softmax(E[x] @ W + b, 2)


def q_values(s, A, B):
    return np.maximum(s @ A, 0) @ B


def som(X, M, P, s):
    best = ((X[:, None] - M) ** 2).sum(2).argmin(1)
    return np.exp(-((P[best][:, None] - P) ** 2).sum(2) / (2 * s**2))


def labels(W, Y, a, steps):
    S = W / W.sum(1, keepdims=True)
    F = Y
    for _ in range(steps):
        F = a * S @ F + (1 - a) * Y
    return F


def entropy(G):
    p = G / G.sum(1, keepdims=True)
    return -(p * np.log(p)).sum(1)


def smoothed(y, a):
    level, found = np.zeros(len(y)), []
    for value in y.T:
        level = a * value + (1 - a) * level
        found.append(level)
    return np.stack(found, 1)


def holt(y, a=0.2, c=0.1):
    """Levels and slopes, week by week."""
    L, b, found = np.zeros(len(y)), np.zeros(len(y)), []
    for value in y.T:
        new = a * value + (1 - a) * (L + b)
        L, b = new, c * (new - L) + (1 - c) * b
        found.append((L, b))
    return np.stack([f[0] for f in found], 1), np.stack([f[1] for f in found], 1)


DOCUMENTS = [
    Unseen(
        "deep_q.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
\section{Deep Q-learning}\label{sec:dqn}
A batch of transitions $(s, a, r, s')$ is drawn from the replay buffer. We write
\begin{align*}
s, s' &\in \mathbb{R}^{\text{batch}, \text{obs}} && \text{states before and after,} \\
a &\in [|\text{act}|]^{\text{batch}} && \text{actions,} \\
r &\in \mathbb{R}^{\text{batch}} && \text{rewards,} \\
e &\in \{0, 1\}^{\text{batch}} && \text{whether the episode ended.}
\end{align*}

\subsection{Networks}
The network with weights $A \in \mathbb{R}^{\text{obs}, \text{hid}}$ and $B \in \mathbb{R}^{\text{hid}, \text{act}}$ is
\[ Q(x) = B \underset{\text{hid}}{\cdot} \max(0, A \underset{\text{obs}}{\cdot} x), \qquad x \in \mathbb{R}^{\text{batch}, \text{obs}} . \]
A \emph{target network} $\bar Q$ has old weights $\bar A$ and $\bar B$ of the same shapes, i.e.\ $\bar A \in \mathbb{R}^{\text{obs}, \text{hid}}$,
$\bar B \in \mathbb{R}^{\text{hid}, \text{act}}$:
\[ \bar Q(x) = \bar B \underset{\text{hid}}{\cdot} \max(0, \bar A \underset{\text{obs}}{\cdot} x) . \]

\subsection{Targets}
With discount $\gamma = 0.99$,
\begin{equation}
y = r + \gamma (1 - e) \max_{\text{act}} \bar Q(s').
\end{equation}
\emph{Double} DQN picks the action with the online network,
\begin{equation}
y_2 = r + \gamma (1 - e) \, \bar Q(s')_{\text{act}(a^*)}, \qquad a^* = \operatorname*{arg\,max}_{\text{act}} Q(s').
\end{equation}

\subsection{Loss}
The error $\delta = Q(s)_{\text{act}(a)} - y$ is clipped by Huber's function
\begin{equation}
H(u) = \begin{cases} \frac{1}{2} u^2 & \text{if } |u| \le 1 \\ |u| - \frac12 & \text{otherwise} \end{cases}
\end{equation}
and averaged,
\begin{equation}
L = \frac{1}{|\text{batch}|} \sum_{\text{batch}} H(\delta) .
\end{equation}
Weights of the target network follow slowly: $\bar A \leftarrow (1 - \tau) \bar A + \tau A$ with $\tau = 0.005$.

\paragraph{Exploration.} Actions are drawn from $p = \operatorname{softmax}_{\text{act}}(Q(s) / T)$ for a temperature $T > 0$.
\end{document}
""",
        [
            Fault(
                r"\max(0, A \underset{\text{obs}}{\cdot} x)",
                r"\max(0, A \underset{\text{act}}{\cdot} x)",
            ),
            Fault(r"\max_{\text{act}} \bar Q(s')", r"\max_{\text{obs}} \bar Q(s')"),
            Fault(r"\sum_{\text{batch}} H(\delta)", r"\sum_{\text{act}} H(\delta)"),
        ],
        [
            Entry(
                "Q",
                q_values,
                "batch act",
                {"x": "batch[3] obs[2]"},
                {"A": "obs[2] hid[4]", "B": "hid[4] act[3]"},
            ),
            Entry(
                "y",
                lambda r, e, s, A, B: r + 0.99 * (1 - e) * q_values(s, A, B).max(1),
                "batch",
                {"r": "batch[3]", "e": "batch[3] ~ bits", "s_": "batch[3] obs[2]"},
                {"Abar": "obs[2] hid[4]", "Bbar": "hid[4] act[3]"},
            ),
            Entry(
                "y_2",
                lambda r, e, s, A, B, C, D: (
                    r
                    + 0.99 * (1 - e) * q_values(s, C, D)[np.arange(3), q_values(s, A, B).argmax(1)]
                ),
                "batch",
                {"r": "batch[3]", "e": "batch[3] ~ bits", "s_": "batch[3] obs[2]"},
                {
                    "A": "obs[2] hid[4]",
                    "B": "hid[4] act[3]",
                    "Abar": "obs[2] hid[4]",
                    "Bbar": "hid[4] act[3]",
                },
            ),
            Entry(
                "p",
                lambda s, A, B, T: softmax(q_values(s, A, B) / T, 1),
                "batch act",
                {"s": "batch[3] obs[2]"},
                {"A": "obs[2] hid[4]", "B": "hid[4] act[3]", "T": 0.7},
            ),
        ],
    ),
    Unseen(
        "self_organising.md",
        r"""# Self-organising maps

> "A map that folds itself into the data." (somebody's slides)

The map is a grid of $U$ units. Unit $j$ has a place on the grid and a prototype in the space of the data:

- places $P \in \mathbb{R}^{\text{unit}:U, \text{xy}}$, for instance all pairs from $0$ to $9$,
- prototypes $M \in \mathbb{R}^{\text{unit}:U, \text{feat}}$.

Data: $X \in \mathbb{R}^{\text{obs}, \text{feat}}$.

**Step 1.** Find the best unit for every observation.

$$b = \underset{\text{unit}}{\text{argmin}} \sum_{\text{feat}} (X - M)^2$$

**Step 2.** Neighbours on the grid learn, too. With width $s$,

$$H = \exp\left( - \frac{ \sum_{\text{xy}} (P_{\text{unit}(b)} - P)^2 }{ 2 s^2 } \right)$$

(of shape obs × unit).

**Step 3.** The batch version moves every prototype to the weighted mean of the data:

$$M_{\text{new}} = \frac{ H \underset{\text{obs}}{\cdot} X }{ \sum_{\text{obs}} H }$$

The width $s > 0$ shrinks over time, $s_k = s_0 \, e^{-k/K}$ for epoch $k$ of $K$.

## Quality

Two numbers are usually given.

| name | formula |
|---|---|
| quantisation error | $\text{qe} = \underset{\text{obs}}{\text{mean}} \sqrt{ \sum_{\text{feat}} (X - M_{\text{unit}(b)})^2 }$ |
| spread of the map | $\text{sp} = \sum_{\text{feat}} \underset{\text{unit}}{\text{var}}\, M$ |

The *U-matrix* shows how far apart neighbouring prototypes are. Let $N \in \{0, 1\}^{\text{unit}:U, \text{unit}':U}$ tell which units are neighbours. Then

$$
\text{um} = \frac{ \sum_{\text{unit}'} N \odot D }{ \sum_{\text{unit}'} N }, \quad \text{where } D = \sqrt{ \sum_{\text{feat}} (M - M_{\text{unit} \to \text{unit}'})^2 } .
$$
""",
        [
            Fault(
                r"\underset{\text{unit}}{\text{argmin}} \sum_{\text{feat}} (X",
                r"\underset{\text{unit}}{\text{argmin}} \sum_{\text{xy}} (X",
            ),
            Fault(
                r"\frac{ H \underset{\text{obs}}{\cdot} X }",
                r"\frac{ H \underset{\text{feat}}{\cdot} X }",
            ),
            Fault(
                r"\sqrt{ \sum_{\text{feat}} (M - M_{\text{unit}",
                r"\sqrt{ \sum_{\text{obs}} (M - M_{\text{unit}",
            ),
        ],
        [
            Entry(
                "H",
                som,
                "obs unit",
                {"X": "obs[4] feat[2]", "M": "unit[3] feat[2]", "P": "unit[3] xy[2]", "s": 0.7},
            ),
            Entry(
                r"M_{\text{new}}",
                lambda X, M, P, s: som(X, M, P, s).T @ X / som(X, M, P, s).sum(0)[:, None],
                "unit feat",
                {"X": "obs[4] feat[2]", "M": "unit[3] feat[2]", "P": "unit[3] xy[2]", "s": 0.7},
            ),
            Entry(
                "qe",
                lambda X, M: np.sqrt(((X[:, None] - M) ** 2).sum(2).min(1)).mean(),
                "",
                {"X": "obs[4] feat[2]", "M": "unit[3] feat[2]"},
            ),
            Entry(
                "um",
                lambda N, M: (N * np.sqrt(((M[:, None] - M) ** 2).sum(2))).sum(1) / N.sum(1),
                "unit",
                {"N": "unit[3] unit'[3] ~ counts", "M": "unit[3] feat[2]"},
            ),
        ],
    ),
    Unseen(
        "propagation.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\ndef{\node}{node} \ndef{\cls}{class}
\begin{document}
\section{Label propagation}
Only a few nodes of a graph are labelled; neighbours should have like labels. Let $W \in \mathbb{R}^{\node[n] \times \node'[n]}$ be symmetric weights
and $Y \in \{0,1\}^{\node[n] \times \cls}$ one-hot labels, with rows of zeros for the unlabelled.

\begin{description}
\item[Random walk] We normalise the rows,
\[ S = \frac{W}{\nsum{\node'} W} \]
\item[Iteration] and mix what the neighbours say with the given labels. From $F^0 = Y$,
\[ F^{k+1} = \alpha \, S \ndot{\node'} [F^k]_{\node \to \node'} + (1 - \alpha) Y, \qquad k = 0, 1, 2, \dots \]
with $\alpha = 0.8$.
\item[Closed form] In the limit
\[ F^\infty = (1 - \alpha) \left( \nfun{\node, \node'}{inv} (I_{\node, \node'} - \alpha S) \right)_{\node \to \node', \node' \to \node} \ndot{\node} Y \]
\item[Decision] The label of a node is
\[ \hat y = \nfun{\cls}{argmax} F^{10} . \]
\end{description}

\subsection{Smoothness}
Why does it work? The quadratic form
\[ E(f) = \frac12 \nsum{\node, \node'} W \odot (f - f_{\node \to \node'})^2, \qquad f \in \mathbb{R}^{\node[n]} \]
is small for functions which change little along heavy edges. With the degrees $d = \nsum{\node'} W$ it is
\[ E(f) = \nsum{\node} d f^2 - f \ndot{\node} W \ndot{\node'} f_{\node \to \node'} . \]

\subsection{Class mass}
If the classes have known shares $q \in [0,1]^{\cls}$, rescale the columns of a score $G \in \mathbb{R}^{\node[n] \times \cls}$:
\[ \text{cmn}(G) = q \odot \frac{G}{\nsum{\node} G} \]
and the entropy of the result, normalised over the classes, $p = \frac{\text{cmn}(G)}{\nsum{\cls} \text{cmn}(G)}$, is
\[ h = - \nsum{\cls} p \log p . \]
\end{document}
""",
        [
            Fault(
                r"\alpha \, S \ndot{\node'} [F^k]_{\node \to \node'}",
                r"\alpha \, S \ndot{\node'} [F^k]_{\cls \to \node'}",
            ),
            Fault(r"\hat y = \nfun{\cls}{argmax}", r"\hat y = \nfun{\node'}{argmax}"),
            Fault(r"q \odot \frac{G}{\nsum{\node} G}", r"q \odot \frac{G}{\nsum{\node'} G}"),
        ],
        [
            Entry(
                "F^2",
                lambda W, Y: labels(W, Y, 0.8, 2),
                "node class",
                {"W": "node[4] node'[4] ~ positive", "Y": "node[4] class[2] ~ bits"},
            ),
            Entry(
                r"\hat y",
                lambda W, Y: np.eye(2)[labels(W, Y, 0.8, 10).argmax(1)],
                "node class",
                {"W": "node[4] node'[4] ~ positive", "Y": "node[4] class[2] ~ probability class"},
            ),
            Entry(
                "E",
                lambda f, W: 0.5 * (W * (f[:, None] - f) ** 2).sum(),
                "",
                {"f": "node[4]"},
                {"W": "node[4] node'[4] ~ ones"},
            ),
            Entry(
                "h",
                lambda G, q: entropy(q * G / G.sum(0)),
                "node",
                {"G": "node[4] class[2] ~ positive", "q": "class[2] ~ probability class"},
            ),
        ],
    ),
    Unseen(
        "tagger.md",
        r"""# A tagger for exercise 3

Sentences come in batches: $x \in [V]^{\text{batch}, \text{word}}$ holds word numbers, and $y \in [K]^{\text{batch}, \text{word}}$ tags. Embeddings are $E \in \mathbb{R}^{\text{vocab}:V, \text{emb}}$.

The simplest model looks at every word alone:

$$s = W \underset{\text{emb}}{\cdot} E_{\text{vocab}(x)} + b, \qquad p = \operatorname{softmax}_{\text{tag}}(s)$$

with $W \in \mathbb{R}^{\text{emb}, \text{tag}:K}$, $b \in \mathbb{R}^{\text{tag}:K}$.

## Loss

Padding must not count. $m \in \{0, 1\}^{\text{batch}, \text{word}}$ is one at real words.

$$\text{nll} = - \log p_{\text{tag}(y)}$$

$$\text{loss} = \frac{\sum_{\text{batch}, \text{word}} m \odot \text{nll}}{\sum_{\text{batch}, \text{word}} m}$$

## With context

*Exercise.* Average a window. Let $h = E_{\text{vocab}(x)}$ and a smoothing matrix $A \in \mathbb{R}^{\text{word}, \text{word}'}$ (rows sum to one). Then

$$c = A \underset{\text{word}'}{\cdot} h_{\text{word} \to \text{word}'}$$

and the scores become $s_c = W \underset{\text{emb}}{\cdot} (h + c) + b$.

## Character model

Let $C \in \mathbb{R}^{\text{batch}, \text{word}, \text{char}, \text{emb}}$ be embedded characters. A convolution of width 3 with kernel $F \in \mathbb{R}^{\text{tap}:3, \text{emb}, \text{filt}}$, then the maximum over the positions:

$$
u_{\text{pos}(i)} = \sum_{j=1}^{3} F_{\text{tap}(j)} \underset{\text{emb}}{\cdot} C_{\text{char}(i + j - 1)}, \qquad i = 1, \dots, |\text{char}| - 2
$$

$$v = \max_{\text{pos}} \tanh(u)$$

## Metrics

Accuracy over real words is

$$\text{acc} = \frac{ \sum_{\text{batch}, \text{word}} m \odot \mathbf{1}[\hat y = y] }{ \sum_{\text{batch}, \text{word}} m }, \qquad \hat y = \operatorname{argmax}_{\text{tag}} s$$
""",
        [
            Fault(r"s = W \underset{\text{emb}}{\cdot} E", r"s = W \underset{\text{tag}}{\cdot} E"),
            Fault(
                r"A \underset{\text{word}'}{\cdot} h_{\text{word} \to",
                r"A \underset{\text{word}'}{\cdot} h_{\text{char} \to",
            ),
            Fault(r"\operatorname{argmax}_{\text{tag}} s", r"\operatorname{argmax}_{\text{emb}} s"),
        ],
        [
            Entry(
                "p",
                lambda x, E, W, b: tags(x, E, W, b),
                "batch word tag",
                {"x": "batch[2] word[3] ~ whole 4"},
                {"E": "vocab[4] emb[2]", "W": "emb[2] tag[3]", "b": "tag[3]"},
            ),
            Entry(
                "loss",
                lambda x, y, m, E, W, b: (
                    -(
                        m * np.log(np.take_along_axis(tags(x, E, W, b), y[..., None], 2))[..., 0]
                    ).sum()
                    / m.sum()
                ),
                "",
                {
                    "x": "batch[2] word[3] ~ whole 4",
                    "y": "batch[2] word[3] ~ whole 3",
                    "m": "batch[2] word[3] ~ counts",
                },
                {"E": "vocab[4] emb[2]", "W": "emb[2] tag[3]", "b": "tag[3]"},
            ),
            Entry(
                "c",
                lambda x, E, A: np.einsum("wu,bue->bwe", A, E[x]),
                "batch word emb",
                {
                    "x": "batch[2] word[3] ~ whole 4",
                    "E": "vocab[4] emb[2]",
                    "A": "word[3] word'[3]",
                },
            ),
            Entry(
                "v",
                lambda F, C: np.tanh(
                    sum(np.einsum("bwce,ef->bwcf", C[:, :, j : j + 3], F[j]) for j in range(3))
                ).max(2),
                "batch word filt",
                {"F": "tap[3] emb[2] filt[2]", "C": "batch[2] word[3] char[5] emb[2]"},
            ),
            Entry(
                "acc",
                lambda x, y, m, E, W, b: (m * (tags(x, E, W, b).argmax(2) == y)).sum() / m.sum(),
                "",
                {
                    "x": "batch[2] word[3] ~ whole 4",
                    "y": "batch[2] word[3] ~ whole 3",
                    "m": "batch[2] word[3] ~ counts",
                },
                {"E": "vocab[4] emb[2]", "W": "emb[2] tag[3]", "b": "tag[3]"},
            ),
        ],
    ),
    Unseen(
        "bandits.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\arm}{arm} \ndef{\ctx}{ctx} \ndef{\rnd}{round}
\newcommand{\R}{\mathbb{R}}
\begin{document}
\section{Contextual bandits}
In every round we see features of the arms, $Z \in \R^{\arm \times \ctx[d]}$, pull one and get a reward. So far $n$ rounds were played, with features
$X \in \R^{\rnd[n] \times \ctx[d]}$ of the arms that were pulled and rewards $y \in \R^{\rnd[n]}$.

\subsection{LinUCB}
Ridge regression gives an estimate:
\begin{align}
V &= \nsum{\rnd} X \odot X_{\ctx \to \ctx'} + \lambda I_{\ctx, \ctx'} \\
V^{-1} &= \nfun{\ctx, \ctx'}{inv} V \\
\hat\theta &= \left[ V^{-1} \ndot{\ctx} (X \ndot{\rnd} y) \right]_{\ctx' \to \ctx}
\end{align}
with $\lambda = 1$. The width of the confidence interval of an arm is
\begin{equation}
w = \sqrt{ Z \ndot{\ctx} V^{-1} \ndot{\ctx'} Z_{\ctx \to \ctx'} }
\end{equation}
where the product is elementwise over the arms. We pull
\begin{equation}
a = \nfun{\arm}{argmax} \left( Z \ndot{\ctx} \hat\theta + \alpha w \right), \qquad \alpha = 1.5 .
\end{equation}

\subsection{Boltzmann exploration}
Alternatively, draw from
\begin{equation}
p = \nfun{\arm}{softmax} \left( \frac{Z \ndot{\ctx} \hat\theta}{\tau} \right)
\end{equation}
with temperature $\tau$.

\subsection{Regret}
If $\theta^\star \in \R^{\ctx[d]}$ is the truth and $\mu = Z \ndot{\ctx} \theta^\star$ are the expected rewards, a distribution $p$ over the arms has the
instantaneous regret
\begin{equation}
\text{reg}(p) = \nfun{\arm}{max} \mu - p \ndot{\arm} \mu .
\end{equation}

\subsection{Off-policy evaluation}
From logged propensities $b \in (0, 1]^{\rnd[n]}$ and those of the new policy $e \in [0,1]^{\rnd[n]}$, the value of the new policy is estimated by
\begin{align}
\text{ips} &= \frac{1}{n} \nsum{\rnd} \frac{e}{b} \odot y \\
\text{snips} &= \frac{\nsum{\rnd} \frac{e}{b} \odot y}{\nsum{\rnd} \frac{e}{b}} .
\end{align}
\end{document}
""",
        [
            Fault(r"V^{-1} \ndot{\ctx} (X \ndot{\rnd} y)", r"V^{-1} \ndot{\ctx} (X \ndot{\arm} y)"),
            Fault(r"a = \nfun{\arm}{argmax}", r"a = \nfun{\rnd}{argmax}"),
            Fault(r"p \ndot{\arm} \mu", r"p \ndot{\ctx} \mu"),
        ],
        [
            Entry(
                r"\hat\theta",
                lambda X, y: np.linalg.solve(X.T @ X + np.eye(2), X.T @ y),
                "ctx",
                {"X": "round[4] ctx[2]", "y": "round[4]"},
            ),
            Entry(
                "w",
                lambda Z, X: np.sqrt(
                    np.einsum("ac,cd,ad->a", Z, np.linalg.inv(X.T @ X + np.eye(2)), Z)
                ),
                "arm",
                {"Z": "arm[3] ctx[2]", "X": "round[4] ctx[2]"},
            ),
            Entry(
                "p",
                lambda Z, X, y, t: softmax(
                    Z @ np.linalg.solve(X.T @ X + np.eye(2), X.T @ y) / t, 0
                ),
                "arm",
                {"Z": "arm[3] ctx[2]", "X": "round[4] ctx[2]", "y": "round[4]", "tau": 0.5},
            ),
            Entry(
                "reg",
                lambda p, Z, t: (Z @ t).max() - p @ (Z @ t),
                "",
                {"p": "arm[3] ~ probability arm"},
                {"Z": "arm[3] ctx[2]", "theta__star": "ctx[2]"},
            ),
            Entry(
                "snips",
                lambda e, b, y: (e / b * y).sum() / (e / b).sum(),
                "",
                {"e": "round[4] ~ positive", "b": "round[4] ~ positive", "y": "round[4]"},
            ),
        ],
    ),
    Unseen(
        "forecasts.md",
        r"""# Exponential smoothing and seasonal forecasts

We forecast the sales of many shops. $y \in \mathbb{R}^{\text{shop}, \text{week}:T}$ are the sales of the last $T$ weeks.

### Simple

The level is a weighted average of the new value and the old level. With $\alpha = 0.2$,

$$\ell_{\text{week}(t)} = \alpha \, y_{\text{week}(t)} + (1 - \alpha) \, \ell_{\text{week}(t-1)}$$

starting at $\ell_{\text{week}(0)} = 0$. The forecast for all later weeks is $\ell_{\text{week}(T)}$.

### Trend (Holt)

Now with a slope $b$, and $\beta = 0.1$:

$$
\begin{aligned}
L_{\text{week}(t)} &= \alpha \, y_{\text{week}(t)} + (1 - \alpha) (L_{\text{week}(t-1)} + b_{\text{week}(t-1)}) \\
b_{\text{week}(t)} &= \beta (L_{\text{week}(t)} - L_{\text{week}(t-1)}) + (1 - \beta) \, b_{\text{week}(t-1)}
\end{aligned}
$$

where $L_{\text{week}(0)} = 0$ and $b_{\text{week}(0)} = 0$. The $h$-step forecast is $\hat y(h) = L_{\text{week}(T)} + h \, b_{\text{week}(T)}$.

### Errors

Errors of forecasts $f \in \mathbb{R}^{\text{shop}, \text{week}:T}$ are measured in several ways, e.g.

$$
\text{mae}(f) = \underset{\text{week}}{\text{mean}} |y - f|, \qquad
\text{mape}(f) = \underset{\text{week}}{\text{mean}} \left| \frac{y - f}{y} \right|, \qquad
\text{rmse}(f) = \sqrt{\underset{\text{week}}{\text{mean}} (y - f)^2}
$$

and the pinball loss for a quantile $q$ (say $q = 0.9$)

$$
\text{pin}(f, q) = \sum_{\text{shop}, \text{week}} \max\bigl( q (y - f), (q - 1) (y - f) \bigr) .
$$

### Pooling

Shops of one region are alike. $R \in \{0,1\}^{\text{shop}, \text{region}}$ says where a shop is, and the regional level is

$$
g = \frac{ R \underset{\text{shop}}{\cdot} \ell_{\text{week}(T)} }{ \sum_{\text{shop}} R }, \qquad
\text{shrunk} = \frac{1}{2} \Bigl( \ell_{\text{week}(T)} + R \underset{\text{region}}{\cdot} g \Bigr)
$$
""",
        [
            Fault(
                r"\text{mae}(f) = \underset{\text{week}}{\text{mean}}",
                r"\text{mae}(f) = \underset{\text{region}}{\text{mean}}",
            ),
            Fault(
                r"\sum_{\text{shop}, \text{week}} \max", r"\sum_{\text{shop}, \text{region}} \max"
            ),
            Fault(r"R \underset{\text{shop}}{\cdot} \ell", r"R \underset{\text{week}}{\cdot} \ell"),
        ],
        [
            Entry(
                r"\ell",
                lambda y: smoothed(y, 0.2),
                "shop week",
                {"y": "shop[2] week[4]"},
            ),
            Entry("L", lambda y: holt(y)[0], "shop week", {"y": "shop[2] week[4]"}),
            Entry(
                r"\hat y",
                lambda h, y: holt(y)[0][:, -1] + h * holt(y)[1][:, -1],
                "shop",
                {"h": 3, "y": "shop[2] week[4]"},
            ),
            Entry(
                "pin",
                lambda f, q, y: np.maximum(q * (y - f), (q - 1) * (y - f)).sum(),
                "",
                {"f": "shop[2] week[4]", "q": 0.7},
                {"y": "shop[2] week[4]"},
            ),
            Entry(
                "shrunk",
                lambda y, R: (
                    0.5 * (smoothed(y, 0.2)[:, -1] + R @ (R.T @ smoothed(y, 0.2)[:, -1] / R.sum(0)))
                ),
                "shop",
                {"y": "shop[3] week[4]", "R": "shop[3] region[2] ~ counts"},
            ),
        ],
    ),
]
