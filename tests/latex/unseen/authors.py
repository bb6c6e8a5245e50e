"""Sections and notes on models that no other room has, in the macros of the notation paper."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def contexts(z, U, V):
    """States of a recurrent network over batches and times."""
    c, all_of_them = np.zeros((z.shape[0], V.shape[0])), []
    for t in range(z.shape[1]):
        c = np.tanh(z[:, t] @ U + c @ V)
        all_of_them.append(c)
    return np.stack(all_of_them, 1)


def filtered(y, a, q, h, r):
    """Means and variances of a random walk, after and before each observation."""
    m, P, found = 0.0, 1.0, []
    for value in y:
        before, spread = a * m, a * a * P + q
        k = spread * h / (h * h * spread + r)
        m, P = before + k * (value - h * before), (1 - k * h) * spread
        found.append((m, P, before, spread))
    return np.array(found).T


def edges(H, E, Q, K, V, B):
    """Attention between nodes, with a bias from the edges' features."""
    q, k, v = (np.einsum("ne,ehk->nhk", H, W) for W in (Q, K, V))
    s = np.einsum("nhk,mhk->nmh", q, k) / np.sqrt(k.shape[-1]) + E @ B
    return np.einsum("nmh,mhk->nhk", softmax(s, 1), v)


def kernel(A, B):
    return np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(-1))


def mean_field(J, b, m, steps):
    for _ in range(steps):
        m = np.tanh(J @ m + b)
    return m


def soft_values(r, P, steps):
    V = np.zeros(P.shape[0])
    for _ in range(steps):
        V = np.log(np.exp(r[:, None] + P @ V).sum(1))
    return V


def excite(t, b):
    """How much each event is excited by each earlier one."""
    return np.tril(b * np.exp(-b * (t[:, None] - t)), -1)


def hub(L, h):
    for _ in range(3):
        h = L @ (L.T @ h)
        h = h / h.sum()
    return h


def ranked(L, steps):
    r = np.full(len(L), 1 / len(L))
    for _ in range(steps):
        r = 0.85 * r @ (L / L.sum(1, keepdims=True)) + 0.15 / len(L)
    return r


def visits(q, p, P, steps):
    M = np.einsum("sa,sat->st", p, P)
    return np.stack([q @ np.linalg.matrix_power(M, t) for t in range(steps)])


def dual(X, a, B, C):
    """A state space with a decay, step by step."""
    H, found = np.zeros((B.shape[1], X.shape[1])), []
    for t in range(len(X)):
        H = a[t] * H + np.outer(B[t], X[t])
        found.append(C[t] @ H)
    return np.stack(found)


def gated(u, y, z, o):
    v = y * (u @ z) * sigmoid(u @ z)
    return u + v / np.sqrt((v**2).mean(1, keepdims=True) + 1e-6) @ o


DOCUMENTS = [
    Unseen(
        "cpc.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\bat}{batch} \ndef{\tim}{time} \ndef{\emb}{emb} \ndef{\ctx}{ctx}
\begin{document}
\section{Contrastive predictive coding}
\label{sec:cpc}

An encoder turns every window of the signal into a vector. We have $z \in \mathbb{R}^{\bat[N] \times \tim[T] \times \emb}$ for a batch of $N$
recordings. A recurrent network summarises the past:
\begin{align}
c_{\tim(0)} &= 0 \\
c_{\tim(t)} &= \tanh\left( U \ndot{\emb} z_{\tim(t)} + V \ndot{\ctx'} [c_{\tim(t-1)}]_{\ctx \to \ctx'} \right)
\end{align}
Here $U \in \mathbb{R}^{\emb \times \ctx}$ and $V \in \mathbb{R}^{\ctx' \times \ctx}$.

To predict $k$ steps ahead there is one matrix per step, $W \in \mathbb{R}^{\name{step} \times \ctx \times \emb}$:
\begin{equation}
\hat z = W \ndot{\ctx} c .
\end{equation}

\paragraph{Scores.} The prediction made at time $t$ is compared with what is really there at time $t + 1$, for all pairs of recordings in
the batch. Only the right recording is a positive, the $N - 1$ others are negatives:
\begin{equation}
s(t) = \hat z_{\name{step}(1), \tim(t)} \ndot{\emb} [z_{\tim(t+1)}]_{\bat \to \bat'}, \qquad t \in [T - 1].
\end{equation}

\paragraph{InfoNCE.} For scores $S \in \mathbb{R}^{\bat[N] \times \bat'[N]}$ and the identity $I \in \{0,1\}^{\bat[N] \times \bat'[N]}$ the loss is a cross
entropy,
\begin{equation}
\mathcal{L}(S, I) = - \nfun{\bat}{mean} \nsum{\bat'} I \odot \log \nfun{\bat'}{softmax} S
\end{equation}
and it bounds the mutual information from below\footnote{The bound is loose if the information is larger than $\log N$.}:
\begin{equation}
\text{MI}(S, I) = \log N - \mathcal{L}(S, I) .
\end{equation}
How often the positive wins is $\text{acc}(S, I) = \nfun{\bat}{mean} \nsum{\bat'} I \odot \mathbf{1}\{S \ge \nfun{\bat'}{max} S\}$.

\paragraph{Linear readout.} Afterwards only $c$ at the last step is used. A classifier for phones is
\begin{equation}
p = \nfun{\name{phone}}{softmax} \left( R \ndot{\ctx} c_{\tim(T)} + b \right)
\end{equation}
with $R \in \mathbb{R}^{\ctx \times \name{phone}}$ and $b \in \mathbb{R}^{\name{phone}}$.
\end{document}
""",
        [
            Fault(r"U \ndot{\emb} z_{\tim(t)}", r"U \ndot{\tim} z_{\tim(t)}"),
            Fault(r"\log \nfun{\bat'}{softmax} S", r"\log \nfun{\emb}{softmax} S"),
            Fault(r"R \ndot{\ctx} c_{\tim(T)}", r"R \ndot{\emb} c_{\tim(T)}"),
        ],
        [
            Entry(
                "c",
                contexts,
                "batch time ctx",
                {"z": "batch[2] time[4] emb[3]"},
                {"U": "emb[3] ctx[2]", "V": "ctx'[2] ctx[2]"},
            ),
            Entry(
                "s",
                lambda t, z, U, V, W: (contexts(z, U, V)[:, 1] @ W[0]) @ z[:, 2].T,
                "batch batch'",
                {"t": 1},
                {
                    "z": "batch[2] time[4] emb[3]",
                    "U": "emb[3] ctx[2]",
                    "V": "ctx'[2] ctx[2]",
                    "W": "step[2] ctx[2] emb[3]",
                },
            ),
            Entry(
                "MI",
                lambda S, I: np.log(3) + (I * np.log(softmax(S, 1))).sum(1).mean(),
                "",
                {"S": "batch[3] batch'[3]", "I": "batch[3] batch'[3] ~ one-hot batch'"},
            ),
            Entry(
                "p",
                lambda z, U, V, R, b: softmax(contexts(z, U, V)[:, -1] @ R + b, 1),
                "batch phone",
                {"z": "batch[2] time[4] emb[3]"},
                {
                    "U": "emb[3] ctx[2]",
                    "V": "ctx'[2] ctx[2]",
                    "R": "ctx[2] phone[4]",
                    "b": "phone[4]",
                },
            ),
        ],
    ),
    Unseen(
        "smoother.tex",
        r"""\documentclass{article}
\usepackage{namedtensor}
\ndef{\day}{day}
\ndef{\river}{river}
\begin{document}
\section*{A river gauge: filtering and smoothing}

Water levels of several rivers are measured once a day, $y \in \mathbb{R}^{\river \times \day[T]}$, with noise of variance $r = 0.5$. The true
level $x$ moves slowly: $x_t = a x_{t-1} + \text{noise}$ with $a = 0.9$ and process variance $q = 0.1$; a gauge sees $h x_t$ where $h = 1.2$.

\subsection*{Forward}
Since everything is scalar, no matrices are needed. Start with $P_{\day(0)} = 1$ and, for $t = 1, \ldots, T$,
\begin{align}
S_{\day(t)} &= a^2 P_{\day(t-1)} + q \\
K_{\day(t)} &= \frac{h S_{\day(t)}}{h^2 S_{\day(t)} + r} \\
P_{\day(t)} &= (1 - h K_{\day(t)}) S_{\day(t)}
\end{align}
The means follow, from $m_{\day(0)} = 0$:
\begin{equation}
m_{\day(t)} = a m_{\day(t-1)} + K_{\day(t)} \left( y_{\day(t)} - h a m_{\day(t-1)} \right)
\end{equation}

\subsection*{Quality}
The innovations should be white. Their variance is $h^2 S + r$; the log-likelihood of all days is
\begin{equation}
\ell = -\frac12 \nsum{\day} \left( \log(2 \pi v) + \frac{e^2}{v} \right), \qquad v = h^2 S + r
\end{equation}
where $e \in \mathbb{R}^{\river \times \day[T]}$ are the innovations. Compare the root mean square error to the true levels $x \in \mathbb{R}^{\river \times \day[T]}$,
\begin{equation}
\text{rmse}(x) = \sqrt{ \nfun{\day}{mean} (m - x)^2 } .
\end{equation}

\subsection*{Many rivers}
Rivers are correlated. With a loading $\Lambda \in \mathbb{R}^{\river \times \name{basin}}$ we estimate the state of the basins from the smoothed
levels $z \in \mathbb{R}^{\river \times \day[T]}$ by ridge regression,
\begin{align}
G &= \Lambda \ndot{\river} \Lambda_{\name{basin} \to \name{basin}'} + \rho I \\
f &= \left( \nfun{\name{basin}, \name{basin}'}{inv} G \right) \ndot{\name{basin}'} \left[ \Lambda \ndot{\river} z \right]_{\name{basin} \to \name{basin}'}
\end{align}
with $\rho = 0.1$, $I_{\name{basin}(i), \name{basin}'(j)} = \delta_{ij}$. The residual is $z - \Lambda \ndot{\name{basin}} f$ and its energy
$E = \nsum{\river, \day} (z - \Lambda \ndot{\name{basin}} f)^2$.
\end{document}
""",
        [
            Fault(r"\nfun{\day}{mean} (m - x)^2", r"\nfun{\name{basin}}{mean} (m - x)^2"),
            Fault(r"\Lambda \ndot{\river} \Lambda_", r"\Lambda \ndot{\day} \Lambda_"),
            Fault(r"-\frac12 \nsum{\day}", r"-\frac12 \nsum{\name{basin}}"),
        ],
        [
            Entry(
                "m",
                lambda y: np.stack([filtered(row, 0.9, 0.1, 1.2, 0.5)[0] for row in y]),
                "river day",
                {"y": "river[2] day[4]"},
            ),
            Entry(
                "P",
                lambda: filtered(np.zeros(4), 0.9, 0.1, 1.2, 0.5)[1],
                "day",
                {},
                {},
                {"T": 4},
            ),
            Entry(
                r"\ell",
                lambda e: (
                    -0.5
                    * (
                        np.log(2 * np.pi * (1.44 * filtered(e[0], 0.9, 0.1, 1.2, 0.5)[3] + 0.5))
                        + e**2 / (1.44 * filtered(e[0], 0.9, 0.1, 1.2, 0.5)[3] + 0.5)
                    ).sum(1)
                ),
                "river",
                {"e": "river[2] day[4]"},
            ),
            Entry(
                "rmse",
                lambda x, y: np.sqrt(
                    ((np.stack([filtered(row, 0.9, 0.1, 1.2, 0.5)[0] for row in y]) - x) ** 2).mean(
                        1
                    )
                ),
                "river",
                {"x": "river[2] day[4]", "y": "river[2] day[4]"},
            ),
            Entry(
                "f",
                lambda L, z: np.linalg.solve(L.T @ L + 0.1 * np.eye(2), L.T @ z),
                "basin day",
                {"Lambda": "river[3] basin[2]", "z": "river[3] day[4]"},
            ),
        ],
    ),
    Unseen(
        "neural_processes.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\newcommand{\R}{\mathbb{R}}
\ndef{\con}{context} \ndef{\tar}{target} \ndef{\xd}{xdim} \ndef{\yd}{ydim} \ndef{\hid}{hid} \ndef{\key}{key} \ndef{\smp}{sample}
\begin{document}
\section{Conditional neural processes}
A task is a small data set: context points $(x, y)$ and target inputs $x^*$. The shapes are
$x \in \R^{\con \times \xd}$, $y \in \R^{\con \times \yd}$ and $x^* \in \R^{\tar \times \xd}$.

\subsection{Deep sets}
Every pair is encoded and the codes are averaged,
\begin{align}
r &= \nfun{\con}{mean} e(x, y) \\
e(x, y) &= \text{relu}\left( A \ndot{\xd} x + B \ndot{\yd} y + c \right)
\end{align}
with $A \in \R^{\xd \times \hid}$, $B \in \R^{\yd \times \hid}$, $c \in \R^{\hid}$. The mean makes $r$ invariant under permutations of the
context. The decoder outputs a mean and a standard deviation,
\begin{align}
h &= \text{relu}( D \ndot{\xd} x^* + r ) \\
\mu &= M \ndot{\hid} h \\
\sigma &= 0.1 + 0.9 \log\left( 1 + \exp( N \ndot{\hid} h ) \right)
\end{align}
where $D \in \R^{\xd \times \hid}$ and $M, N \in \R^{\hid \times \yd}$. The bound $\sigma \ge 0.1$ keeps the likelihood finite.

\subsection{Attention}
Averages underfit. An attentive NP lets each target look at the context points that are near:
\begin{equation}
r^* = \nfun{\con}{softmax} \left( \frac{ (Q \ndot{\xd} x^*) \ndot{\key} (K \ndot{\xd} x) }{ \sqrt{|\key|} } \right) \ndot{\con} e(x, y)
\end{equation}
where $Q, K \in \R^{\xd \times \key}$. Note that $r^*$ has the axes $\tar$ and $\hid$ where $r$ had only $\hid$.

\subsection{Training}
The targets $y^* \in \R^{\tar \times \yd}$ are known in training, and
\begin{equation}
\text{nll} = \nfun{\tar}{mean} \nsum{\yd} \left( \log \sigma + \frac{(y^* - \mu)^2}{2 \sigma^2} \right)
\end{equation}
up to a constant. In the latent variant we draw $L$ samples $\mu_s \in \R^{\smp[L] \times \tar \times \yd}$ of the mean and use
\begin{equation}
\text{iwae}(\mu_s) = \log \frac{1}{L} \nsum{\smp} \exp \left( - \frac12 \nsum{\tar, \yd} (y^* - \mu_s)^2 \right) .
\end{equation}
\end{document}
""",
        [
            Fault(r"r &= \nfun{\con}{mean} e(x, y)", r"r &= \nfun{\tar}{mean} e(x, y)"),
            Fault(r"\mu &= M \ndot{\hid} h", r"\mu &= M \ndot{\xd} h"),
            Fault(r"(Q \ndot{\xd} x^*) \ndot{\key}", r"(Q \ndot{\yd} x^*) \ndot{\key}"),
        ],
        [
            Entry(
                "r",
                lambda x, y, A, B, c: np.maximum(x @ A + y @ B + c, 0).mean(0),
                "hid",
                {"x": "context[4] xdim[2]", "y": "context[4] ydim[1]"},
                {"A": "xdim[2] hid[3]", "B": "ydim[1] hid[3]", "c": "hid[3]"},
            ),
            Entry(
                r"\sigma",
                lambda x, y, z, A, B, c, D, N: (
                    0.1
                    + 0.9
                    * np.log(
                        1
                        + np.exp(
                            np.maximum(z @ D + np.maximum(x @ A + y @ B + c, 0).mean(0), 0) @ N
                        )
                    )
                ),
                "target ydim",
                {
                    "x": "context[4] xdim[2]",
                    "y": "context[4] ydim[1]",
                    "x__star": "target[3] xdim[2]",
                },
                {
                    "A": "xdim[2] hid[3]",
                    "B": "ydim[1] hid[3]",
                    "c": "hid[3]",
                    "D": "xdim[2] hid[3]",
                    "N": "hid[3] ydim[1]",
                },
            ),
            Entry(
                "r^*",
                lambda x, y, z, A, B, c, Q, K: (
                    softmax((z @ Q) @ (x @ K).T / np.sqrt(2), 1) @ np.maximum(x @ A + y @ B + c, 0)
                ),
                "target hid",
                {
                    "x": "context[4] xdim[2]",
                    "y": "context[4] ydim[1]",
                    "x__star": "target[3] xdim[2]",
                },
                {
                    "A": "xdim[2] hid[3]",
                    "B": "ydim[1] hid[3]",
                    "c": "hid[3]",
                    "Q": "xdim[2] key[2]",
                    "K": "xdim[2] key[2]",
                },
            ),
            Entry(
                "iwae",
                lambda m, y: np.log(np.exp(-0.5 * ((y - m) ** 2).sum((1, 2))).mean()),
                "",
                {"mu_s": "sample[5] target[3] ydim[1]"},
                {"y__star": "target[3] ydim[1]"},
            ),
        ],
    ),
    Unseen(
        "graph_transformer.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\ndef{\node}{node} \ndef{\emb}{emb} \ndef{\edge}{efeat} \ndef{\head}{head} \ndef{\key}{key} \ndef{\hid}{hid}
\begin{document}

\section{A graph transformer with edge features}

Molecules are graphs whose \emph{edges} carry most of the chemistry. Let $H \in \mathbb{R}^{\node \times \emb[d]}$ be the node states and
$E \in \mathbb{R}^{\node \times \node' \times \edge}$ the edge features (zero if there is no bond).

\subsection{Biased attention}
The projections are $W^Q, W^K, W^V \in \mathbb{R}^{\emb[d] \times \head \times \key}$. As usual,
\begin{align}
Q &= W^Q \ndot{\emb} H \\
K &= \left[ W^K \ndot{\emb} H \right]_{\node \to \node'} \\
V &= \left[ W^V \ndot{\emb} H \right]_{\node \to \node'}
\end{align}
and bonds shift the scores, by a learned $B \in \mathbb{R}^{\edge \times \head}$:
\begin{align}
S &= \frac{Q \ndot{\key} K}{\sqrt{|\key|}} + B \ndot{\edge} E \label{eq:scores} \\
A &= \nfun{\node'}{softmax} S \\
O &= A \ndot{\node'} V
\end{align}

\subsection{Nodes and edges are both updated}
With $W^O \in \mathbb{R}^{\head \times \key \times \emb[d]}$ the nodes become
\begin{equation}
H^{+} = H + W^O \ndot{\head, \key} O
\end{equation}
and with $C \in \mathbb{R}^{\head \times \edge}$ the edges take what the scores in (\ref{eq:scores}) tell them,
\begin{equation}
E^{+} = E + C \ndot{\head} S .
\end{equation}
Both are normalised. For states $X \in \mathbb{R}^{\node \times \emb[d]}$
\begin{equation}
\text{LN}(X; \gamma, \beta) = \gamma \odot \frac{X - \nfun{\emb}{mean} X}{\sqrt{\nfun{\emb}{var} X + \epsilon}} + \beta
\end{equation}
where $\gamma, \beta \in \mathbb{R}^{\emb[d]}$ and $\epsilon = 10^{-5}$.

\subsection{Positions}
Graphs have no order, so we add random walk features. With the adjacency matrix $A_0 \in \{0,1\}^{\node \times \node'}$ let
$P = \frac{A_0}{\nsum{\node'} A_0}$. The probability to be back after two steps is
\begin{equation}
\text{back} = \nsum{\node'} P \odot P_{\node \to \node', \node' \to \node} .
\end{equation}

\subsection{Readout}
A molecule's energy is a sum over atoms, $w \in \mathbb{R}^{\emb[d]}$:
\begin{equation}
u(X) = \nsum{\node} w \ndot{\emb} \text{relu}(X) .
\end{equation}
\end{document}
""",
        [
            Fault(r"+ B \ndot{\edge} E", r"+ B \ndot{\emb} E"),
            Fault(r"W^O \ndot{\head, \key} O", r"W^O \ndot{\head, \emb} O"),
            Fault(r"\nsum{\node'} P \odot", r"\nsum{\edge} P \odot"),
        ],
        [
            Entry(
                "O",
                edges,
                "node head key",
                {"H": "node[3] emb[4]", "E": "node[3] node'[3] efeat[2]"},
                {
                    "WQ": "emb[4] head[2] key[3]",
                    "WK": "emb[4] head[2] key[3]",
                    "WV": "emb[4] head[2] key[3]",
                    "B": "efeat[2] head[2]",
                },
            ),
            Entry(
                "H^{+}",
                lambda H, E, Q, K, V, B, W: (
                    H + np.einsum("nhk,hke->ne", edges(H, E, Q, K, V, B), W)
                ),
                "node emb",
                {"H": "node[3] emb[4]", "E": "node[3] node'[3] efeat[2]"},
                {
                    "WQ": "emb[4] head[2] key[3]",
                    "WK": "emb[4] head[2] key[3]",
                    "WV": "emb[4] head[2] key[3]",
                    "B": "efeat[2] head[2]",
                    "WO": "head[2] key[3] emb[4]",
                },
            ),
            Entry(
                "LN",
                lambda X, g, b: (
                    g * (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5) + b
                ),
                "node emb",
                {"X": "node[3] emb[4]"},
                {"gamma": "emb[4]", "beta": "emb[4]"},
            ),
            Entry(
                "back",
                lambda A: ((A / A.sum(1, keepdims=True)) * (A / A.sum(1, keepdims=True)).T).sum(1),
                "node",
                {"A_0": "node[4] node'[4] ~ counts"},
            ),
            Entry(
                "u",
                lambda X, w: (np.maximum(X, 0) @ w).sum(),
                "",
                {"X": "node[3] emb[4]"},
                {"w": "emb[4]"},
            ),
        ],
    ),
    Unseen(
        "hawkes.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\begin{document}
\section{Self-exciting point processes}

Events of $K$ types happen at times $t_1 < t_2 < \dots < t_n$. We put them into one vector $t \in \mathbb{R}^{\name{ev}:n}$ and mark the
type of every event by a one-hot row of $Y \in \{0,1\}^{\name{ev}:n \times \name{type}:K}$.

An event of type $j$ makes events of type $i$ more likely for a while. Let $\alpha \in \mathbb{R}^{\name{type}:K \times \name{type}':K}$ be how
much (from $\name{type}'$ to $\name{type}$), $\beta$ how fast it fades and $\mu \in \mathbb{R}^{\name{type}:K}$ the base rates.

\subsection{Intensity at the events}
The influence of one event on another is zero for later ones,
\begin{equation}
G_{\name{ev}(i), \name{ev}'(j)} = \begin{cases} \beta e^{-\beta (t_i - t_j)} & j < i \\ 0 & \text{otherwise} \end{cases}
\end{equation}
Thus, just before each event, the intensities of all types are
\begin{equation}
\lambda = \mu + \alpha \ndot{\name{type}'} \left( G \ndot{\name{ev}'} Y_{\name{ev} \to \name{ev}', \name{type} \to \name{type}'} \right) .
\end{equation}

\subsection{Likelihood}
Observed until $T_0 = 10$, an event at time $t$ adds to the compensator what is left of its kernel,
\begin{equation}
c = 1 - e^{-\beta (T_0 - t)} .
\end{equation}
So the total number of events that we expect is
\begin{equation}
\Lambda = T_0 \nsum{\name{type}} \mu + \nsum{\name{type}} \alpha \ndot{\name{type}'} \left( c \ndot{\name{ev}} Y \right)_{\name{type} \to \name{type}'}
\end{equation}
and the log-likelihood is
\begin{equation}
\log L = \nsum{\name{ev}} \log \left( Y \ndot{\name{type}} \lambda \right) - \Lambda .
\end{equation}

\subsection{Who caused whom?}
The probability that an event was caused by an earlier one, rather than by the background, is
\begin{equation}
p = \frac{ G \odot (Y \ndot{\name{type}} \alpha) \ndot{\name{type}'} Y_{\name{ev} \to \name{ev}', \name{type} \to \name{type}'} }{ Y \ndot{\name{type}} \lambda }
\end{equation}
Summed over $\name{ev}'$ it gives the share of children, $\text{kids} = \nfun{\name{ev}}{mean} \nsum{\name{ev}'} p$.

\paragraph{Stability.} The process does not explode if the spectral radius of $\alpha$ is below one. A sufficient condition is
$\nfun{\name{type}}{max} \nsum{\name{type}'} \alpha < 1$.
\end{document}
""",
        [
            Fault(
                r"\left( G \ndot{\name{ev}'} Y_{\name{ev}",
                r"\left( G \ndot{\name{type}'} Y_{\name{ev}",
            ),
            Fault(
                r"\log \left( Y \ndot{\name{type}} \lambda",
                r"\log \left( Y \ndot{\name{type}'} \lambda",
            ),
            Fault(r"\left( c \ndot{\name{ev}} Y \right)", r"\left( c \ndot{\name{ev}'} Y \right)"),
        ],
        [
            Entry(
                "G",
                lambda t, b: excite(t, b),
                "ev ev'",
                {"t": "ev[4]"},
                {"beta": 1.5},
            ),
            Entry(
                r"\lambda",
                lambda t, b, Y, m, a: m + excite(t, b) @ Y @ a.T,
                "ev type",
                {"t": "ev[4]"},
                {
                    "beta": 1.5,
                    "Y": "ev[4] type[2] ~ one-hot type",
                    "mu": "type[2] ~ positive",
                    "alpha": "type[2] type'[2] ~ positive",
                },
            ),
            Entry(
                r"\Lambda",
                lambda t, b, Y, m, a: 10 * m.sum() + (a @ ((1 - np.exp(-b * (10 - t))) @ Y)).sum(),
                "",
                {"t": "ev[4]"},
                {
                    "beta": 1.5,
                    "Y": "ev[4] type[2] ~ one-hot type",
                    "mu": "type[2] ~ positive",
                    "alpha": "type[2] type'[2] ~ positive",
                },
            ),
            Entry(
                "kids",
                lambda t, b, Y, m, a: (
                    (
                        excite(t, b)
                        * (Y @ a @ Y.T)
                        / (Y * (m + excite(t, b) @ Y @ a.T)).sum(1, keepdims=True)
                    )
                    .sum(1)
                    .mean()
                ),
                "",
                {"t": "ev[4]"},
                {
                    "beta": 1.5,
                    "Y": "ev[4] type[2] ~ one-hot type",
                    "mu": "type[2] ~ positive",
                    "alpha": "type[2] type'[2] ~ positive",
                },
            ),
        ],
    ),
    Unseen(
        "inducing.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\obs}{obs}\ndef{\ind}{ind}\ndef{\inp}{inp}\ndef{\new}{new}
\newcommand{\inv}[1]{\nfun{\ind,\ind'}{inv} #1}
\begin{document}
\section{Sparse Gaussian processes}
An exact GP on $n$ observations costs $O(n^3)$. Instead choose $m \ll n$ \emph{inducing inputs} $Z \in \mathbb{R}^{\ind[m] \times \inp}$. Data:
$X \in \mathbb{R}^{\obs[n] \times \inp}$, $y \in \mathbb{R}^{\obs[n]}$.

The kernel is the usual squared exponential with unit scale,
\begin{equation}
k(A, B) = \exp\left( -\frac12 \nsum{\inp} (A - B)^2 \right)
\end{equation}
so that
\begin{align}
K_{mm} &= k(Z, Z_{\ind \to \ind'}) + \epsilon I \\
K_{mn} &= k(Z, X)
\end{align}
where $I \in \mathbb{R}^{\ind[m] \times \ind'[m]}$ is the identity and $\epsilon = 10^{-6}$ a jitter that keeps the inverse stable.

\subsection{Subset of regressors}
With noise variance $s^2$, $s = 0.3$, the posterior precision (times $s^2$) of the weights is
\begin{equation}
\Sigma = s^2 K_{mm} + K_{mn} \ndot{\obs} [K_{mn}]_{\ind \to \ind'}
\end{equation}
and the weights are
\begin{equation}
w = \left( \inv{\Sigma} \right) \ndot{\ind'} [K_{mn} \ndot{\obs} y]_{\ind \to \ind'} .
\end{equation}
At new inputs $X^* \in \mathbb{R}^{\new \times \inp}$ the mean is
\begin{equation}
\mu(X^*) = k(X^*, Z) \ndot{\ind} w .
\end{equation}

\subsection{Variational free energy}
Titsias adds a trace term, which punishes what the inducing points cannot explain. The Nystr\"om approximation has the diagonal
\begin{equation}
q = \nsum{\ind} K_{mn} \odot \left( (\inv{K_{mm}}) \ndot{\ind'} [K_{mn}]_{\ind \to \ind'} \right)
\end{equation}
and the prior variance is $k(x, x) = 1$, hence
\begin{equation}
\text{trace} = \frac{1}{2 s^2} \nsum{\obs} (1 - q) .
\end{equation}
The variance at $X^*$ can be bounded below by zero and above by one.

\subsection{Picking the points}
A greedy method adds in every step the observation with the largest $1 - q$, i.e.\ $i^* = \nfun{\obs}{argmax} (1 - q)$.
\end{document}
""",
        [
            Fault(r"-\frac12 \nsum{\inp} (A - B)^2", r"-\frac12 \nsum{\obs} (A - B)^2"),
            Fault(r"K_{mn} \ndot{\obs} y", r"K_{mn} \ndot{\inp} y"),
            Fault(r"\frac{1}{2 s^2} \nsum{\obs} (1", r"\frac{1}{2 s^2} \nsum{\ind} (1"),
        ],
        [
            Entry(
                "K_{mn}",
                kernel,
                "ind obs",
                {"Z": "ind[2] inp[2]", "X": "obs[4] inp[2]"},
            ),
            Entry(
                r"\mu",
                lambda S, Z, X, y: (
                    kernel(S, Z)
                    @ np.linalg.solve(
                        0.09 * (kernel(Z, Z) + 1e-6 * np.eye(2)) + kernel(Z, X) @ kernel(X, Z),
                        kernel(Z, X) @ y,
                    )
                ),
                "new",
                {"X__star": "new[3] inp[2]"},
                {"Z": "ind[2] inp[2]", "X": "obs[4] inp[2]", "y": "obs[4]"},
            ),
            Entry(
                "trace",
                lambda Z, X: (
                    (
                        1
                        - (
                            kernel(Z, X)
                            * np.linalg.solve(kernel(Z, Z) + 1e-6 * np.eye(2), kernel(Z, X))
                        ).sum(0)
                    ).sum()
                    / 0.18
                ),
                "",
                {"Z": "ind[2] inp[2]", "X": "obs[4] inp[2]"},
            ),
        ],
    ),
    Unseen(
        "factors.md",
        r"""# Non-negative matrix factorization

$$\ndef{\doc}{doc} \ndef{\word}{word} \ndef{\top}{topic}$$

Let $X \in \mathbb{R}^{\doc \times \word}$ be a matrix of counts. We look for non-negative $W \in \mathbb{R}^{\doc \times \top}$ and
$H \in \mathbb{R}^{\top \times \word}$ with $X \approx W \ndot{\top} H$.

## Frobenius norm

$$F(W, H) = \frac{1}{2} \nsum{\doc, \word} (X - W \ndot{\top} H)^2$$

Lee and Seung's multiplicative updates never leave the positive numbers:

$$
\begin{aligned}
H_{\text{new}} &= H \odot \frac{W \ndot{\doc} X}{W \ndot{\doc} (W \ndot{\top} H)} \\
W_{\text{new}} &= W \odot \frac{X \ndot{\word} H}{(W \ndot{\top} H) \ndot{\word} H}
\end{aligned}
$$

They are gradient descent in disguise, with step sizes chosen such that the minus signs vanish.

## Kullback-Leibler divergence

For counts the natural loss is

$$D(W, H) = \nsum{\doc, \word} \left( X \odot \log \frac{X}{R} - X + R \right), \qquad R = W \ndot{\top} H$$

with the update

$$H_{\text{kl}} = H \odot \frac{W \ndot{\doc} (X / R)}{\nsum{\doc} W}.$$

This is the same as EM for PLSA: the responsibility of a topic for a word in a document is

$$P = \frac{W \odot H}{R}$$

which sums to one over $\top$.

## Sparsity

Hoyer measures the sparseness of a vector of length $n$ by

$$\text{sp}(h) = \frac{\sqrt{n} - \frac{\|h\|_1}{\|h\|_2}}{\sqrt{n} - 1}$$

For the rows of $H$ this is (with $n = |\word|$)

$$
\text{rows} = \frac{\sqrt{n} - \frac{\nsum{\word} |H|}{\sqrt{\nsum{\word} H^2}}}{\sqrt{n} - 1}
$$

## Top words

To show a topic, scale each row to one, $\hat H = H / \nsum{\word} H$, and weigh it by how special it is for the topic:

$$\text{lift} = \hat H \odot \log \frac{\hat H}{\nfun{\top}{mean} \hat H}$$
""",
        [
            Fault(r"H \odot \frac{W \ndot{\doc} X}{W", r"H \odot \frac{W \ndot{\top} X}{W"),
            Fault(r"}{\nsum{\doc} W}.$$", r"}{\nsum{\word} W}.$$"),
            Fault(r"\nfun{\top}{mean} \hat H", r"\nfun{\doc}{mean} \hat H"),
        ],
        [
            Entry(
                "F",
                lambda W, H, X: 0.5 * ((X - W @ H) ** 2).sum(),
                "",
                {"W": "doc[3] topic[2]", "H": "topic[2] word[4]"},
                {"X": "doc[3] word[4]"},
            ),
            Entry(
                r"H_{\text{new}}",
                lambda W, H, X: H * (W.T @ X) / (W.T @ W @ H),
                "topic word",
                {
                    "W": "doc[3] topic[2] ~ positive",
                    "H": "topic[2] word[4] ~ positive",
                    "X": "doc[3] word[4] ~ positive",
                },
            ),
            Entry(
                "D",
                lambda W, H, X: (X * np.log(X / (W @ H)) - X + W @ H).sum(),
                "",
                {"W": "doc[3] topic[2] ~ positive", "H": "topic[2] word[4] ~ positive"},
                {"X": "doc[3] word[4] ~ positive"},
            ),
            Entry(
                "P",
                lambda W, H: W[:, :, None] * H / (W @ H)[:, None],
                "doc topic word",
                {"W": "doc[3] topic[2] ~ positive", "H": "topic[2] word[4] ~ positive"},
            ),
            Entry(
                "rows",
                lambda H: (2 - abs(H).sum(1) / np.sqrt((H**2).sum(1))) / (2 - 1),
                "topic",
                {"H": "topic[2] word[4] ~ positive"},
            ),
            Entry(
                "lift",
                lambda H: (
                    H
                    / H.sum(1, keepdims=True)
                    * np.log(H / H.sum(1, keepdims=True) / (H / H.sum(1, keepdims=True)).mean(0))
                ),
                "topic word",
                {"H": "topic[2] word[4] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "hubs.md",
        r"""# Hubs and authorities

A good *hub* links to good *authorities*, a good authority is linked to by good hubs. That is circular and therefore an eigenvector problem.

$L \in \{0, 1\}^{\name{page} \times \name{page}'}$ has a one where $\name{page}$ links to $\name{page}'$. Start with hub scores $h^0 \in \mathbb{R}^{\name{page}}$, all ones, and repeat

$$
\begin{aligned}
a^k &= L \ndot{\name{page}} h^{k-1} \\
\hat h^k &= L \ndot{\name{page}'} a^k \\
h^k &= \frac{\hat h^k}{\nsum{\name{page}} \hat h^k}
\end{aligned}
$$

for $k = 1, \dots, K$; 20 rounds are plenty. Note that $a^k$ lives on $\name{page}'$.

## PageRank for comparison

Kleinberg's idea needs two scores, Brin and Page's only one. With the out-degree $d = \nsum{\name{page}'} L$ the random surfer follows

$$P = \frac{L}{d}$$

and jumps to a random page with probability $1 - \beta$, where $\beta = 0.85$:

$$r_{k} = \beta \left[ r_{k-1} \ndot{\name{page}} P \right]_{\name{page}' \to \name{page}} + \frac{1 - \beta}{N}, \qquad r_0 = \frac{1}{N}$$

Here $N = |\name{page}|$. A personalised version jumps to the pages in $v \in \mathbb{R}^{\name{page}}$ (a distribution) instead:

$$\text{ppr}(r) = \beta \left[ r \ndot{\name{page}} P \right]_{\name{page}' \to \name{page}} + (1 - \beta) v, \qquad r \in \mathbb{R}^{\name{page}}$$

## How similar are two pages?

Two pages are *co-cited* if a third one links to both, and *coupled* if they link to the same ones:

$$
\text{coupled} = L \ndot{\name{page}'} L_{\name{page} \to \name{other}}
$$

Normalised by the degrees (cosine), that is

$$\text{cos} = \frac{\text{coupled}}{\sqrt{d} \sqrt{d_{\name{page} \to \name{other}}}}$$

Topics: with $T \in \mathbb{R}^{\name{page} \times \name{topic}}$, the share of links of each page that stay in the topic is

$$\text{stay} = \frac{ \nsum{\name{topic}} T \odot \left( L \ndot{\name{page}'} T_{\name{page} \to \name{page}'} \right) }{ d }.$$
""",
        [
            Fault(r"a^k &= L \ndot{\name{page}} h^{k-1}", r"a^k &= L \ndot{\name{topic}} h^{k-1}"),
            Fault(
                r"\left[ r_{k-1} \ndot{\name{page}} P \right]",
                r"\left[ r_{k-1} \ndot{\name{other}} P \right]",
            ),
            Fault(
                r"\left( L \ndot{\name{page}'} T_{\name{page} \to \name{page}'} \right)",
                r"\left( L \ndot{\name{page}'} T_{\name{other} \to \name{page}'} \right)",
            ),
        ],
        [
            Entry(
                "h^3",
                lambda L, h: hub(L, h),
                "page",
                {"L": "page[4] page'[4] ~ counts", "h0": "page[4] ~ ones"},
            ),
            Entry(
                "r_2",
                lambda L: ranked(L, 2),
                "page",
                {"L": "page[4] page'[4] ~ counts"},
            ),
            Entry(
                "ppr",
                lambda r, L, v: 0.85 * r @ (L / L.sum(1, keepdims=True)) + 0.15 * v,
                "page",
                {"r": "page[4]"},
                {"L": "page[4] page'[4] ~ counts", "v": "page[4]"},
            ),
            Entry(
                "cos",
                lambda L: L @ L.T / np.sqrt(L.sum(1)[:, None] * L.sum(1)),
                "page other",
                {"L": "page[4] page'[4] ~ counts"},
            ),
            Entry(
                "stay",
                lambda T, L: (T * (L @ T)).sum(1) / L.sum(1),
                "page",
                {"T": "page[4] topic[3]", "L": "page[4] page'[4] ~ counts"},
            ),
        ],
    ),
    Unseen(
        "cocktail.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\usepackage{namedtensor}
\ndef{\mic}{mic} \ndef{\src}{src} \ndef{\smp}{t}
\newcommand{\E}{\nfun{\smp}{mean}}
\begin{document}
\section{The cocktail party}
$|\mic|$ microphones record $|\src|$ speakers. The recordings are $X \in \mathbb{R}^{\mic \times \smp[T]}$ and the model is $X = A \ndot{\src} S$ for
unknown sources $S \in \mathbb{R}^{\src \times \smp[T]}$ and a mixing matrix $A \in \mathbb{R}^{\mic \times \src}$.

\subsection{Centring and whitening}
Subtract the mean over time and compute the covariance of the microphones
\begin{align}
\tilde X &= X - \E X \\
C &= \frac{1}{T} \tilde X \ndot{\smp} \tilde X_{\mic \to \mic'}
\end{align}
Given eigenvectors $U \in \mathbb{R}^{\mic \times \name{pc}}$ and eigenvalues $\lambda \in \mathbb{R}^{\name{pc}}$ of $C$, the whitened data are
\begin{equation}
Z(U, \lambda) = \frac{U \ndot{\mic} \tilde X}{\sqrt{\lambda}}
\end{equation}
which has covariance $I$.

\subsection{One unit}
FastICA looks for a direction $w \in \mathbb{R}^{\name{pc}}$ in which the projection $w \ndot{\name{pc}} z$ is as non-Gaussian as possible, where
$z \in \mathbb{R}^{\name{pc} \times \smp[T]}$ is white. With $g(u) = \tanh u$ and $g'(u) = 1 - \tanh^2 u$ a step is
\begin{align}
u &= w \ndot{\name{pc}} z \\
w^{+} &= \E\left( z \odot g(u) \right) - \left( \E g'(u) \right) \odot w \\
w^{\text{new}} &= \frac{w^{+}}{\|w^{+}\|_{\name{pc}}}
\end{align}
until $|w \ndot{\name{pc}} w^{\text{new}}|$ is close to $1$.

\subsection{All units}
Stack the directions to $W \in \mathbb{R}^{\src \times \name{pc}}$. They must be orthogonal; Gram--Schmidt removes from $w$ what the others already have,
\begin{equation}
\text{deflate}(w, W) = w - W \ndot{\src} (W \ndot{\name{pc}} w) .
\end{equation}
The sources are $\hat S(W) = W \ndot{\name{pc}} z$.

\subsection{Kurtosis}
A classical measure of non-Gaussianity is the kurtosis, zero for a Gaussian:
\begin{equation}
\kappa(S) = \frac{\E S^4}{\left( \E S^2 \right)^2} - 3
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\frac{1}{T} \tilde X \ndot{\smp} \tilde X",
                r"\frac{1}{T} \tilde X \ndot{\src} \tilde X",
            ),
            Fault(r"{\|w^{+}\|_{\name{pc}}}", r"{\|w^{+}\|_{\mic}}"),
            Fault(
                r"w - W \ndot{\src} (W \ndot{\name{pc}} w)",
                r"w - W \ndot{\smp} (W \ndot{\name{pc}} w)",
            ),
        ],
        [
            Entry(
                "C",
                lambda X: (
                    (X - X.mean(1, keepdims=True)) @ (X - X.mean(1, keepdims=True)).T / X.shape[1]
                ),
                "mic mic'",
                {"X": "mic[3] t[5]"},
            ),
            Entry(
                "Z",
                lambda U, l, X: U.T @ (X - X.mean(1, keepdims=True)) / np.sqrt(l)[:, None],
                "pc t",
                {"U": "mic[3] pc[2]", "lambda_": "pc[2] ~ positive"},
                {"X": "mic[3] t[5]"},
            ),
            Entry(
                r"w^{+}",
                lambda w, z: (z * np.tanh(w @ z)).mean(1) - (1 - np.tanh(w @ z) ** 2).mean() * w,
                "pc",
                {"w": "pc[2]", "z": "pc[2] t[5]"},
            ),
            Entry(
                "deflate",
                lambda w, W: w - W.T @ (W @ w),
                "pc",
                {"w": "pc[2]", "W": "src[3] pc[2]"},
            ),
            Entry(
                r"\kappa",
                lambda S: (S**4).mean(1) / (S**2).mean(1) ** 2 - 3,
                "src",
                {"S": "src[3] t[5]"},
            ),
        ],
    ),
    Unseen(
        "spins.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\site}{site}
\begin{document}
\section{Ising model and mean fields}
Each of $N$ sites has a spin $s_i = \pm 1$. Let $s \in \{-1, 1\}^{\site[N]}$ be a configuration, $J \in \mathbb{R}^{\site[N] \times \site'[N]}$ a symmetric
matrix of couplings with zero diagonal, and $b \in \mathbb{R}^{\site[N]}$ an external field. The energy is
\begin{equation}
E(s) = -\frac{1}{2} s \ndot{\site} J \ndot{\site'} s_{\site \to \site'} - b \ndot{\site} s
\end{equation}
and configurations have probability $p(s) \propto e^{-E(s)/T}$ at temperature $T$.

\subsection{Glauber dynamics}
Pick a site, compute the local field
\begin{equation}
f(s) = J \ndot{\site'} s_{\site \to \site'} + b
\end{equation}
and turn the spin up with probability
\begin{equation}
\text{up}(s) = \frac{1}{1 + e^{-2 f(s) / T}} .
\end{equation}
Flipping spin $i$ costs $\Delta E_i = 2 s_i f_i$, i.e.
\begin{equation}
\text{cost}(s) = 2 s \odot f(s) .
\end{equation}

\subsection{Mean field}
Replace the neighbours by their averages $m \in [-1, 1]^{\site[N]}$. Self-consistency demands (for $T = 1$)
\begin{equation}
m^{k+1} = \tanh\left( J \ndot{\site'} m^{k}_{\site \to \site'} + b \right), \qquad m^0 = 0,
\end{equation}
which is iterated. The free energy of a guess is
\begin{equation}
F(m) = -\frac12 m \ndot{\site} J \ndot{\site'} m_{\site \to \site'} - b \ndot{\site} m - \nsum{\site} H(m)
\end{equation}
with the binary entropy
\begin{equation}
H(m) = -\frac{1+m}{2} \log \frac{1+m}{2} - \frac{1-m}{2} \log \frac{1-m}{2} .
\end{equation}

\subsection{Measurements}
Of many samples $\sigma \in \{-1,1\}^{\name{run} \times \site[N]}$ we take the magnetisation $M = \nfun{\site}{mean} \sigma$, the susceptibility
\begin{equation}
\chi = N \left( \nfun{\name{run}}{mean} M^2 - \left( \nfun{\name{run}}{mean} M \right)^2 \right)
\end{equation}
and the correlations
\begin{equation}
c = \nfun{\name{run}}{mean} \left( \sigma \odot \sigma_{\site \to \site'} \right) .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"f(s) = J \ndot{\site'} s_{\site \to \site'} + b",
                r"f(s) = J \ndot{\site'} s_{\name{run} \to \site'} + b",
            ),
            Fault(r"- \nsum{\site} H(m)", r"- \nsum{\name{run}} H(m)"),
            Fault(r"M = \nfun{\site}{mean} \sigma", r"M = \nfun{\site'}{mean} \sigma"),
        ],
        [
            Entry(
                "E",
                lambda s, J, b: -0.5 * s @ J @ s - b @ s,
                "",
                {"s": "site[4]"},
                {"J": "site[4] site'[4]", "b": "site[4]"},
            ),
            Entry(
                "up",
                lambda s, J, b, T: 1 / (1 + np.exp(-2 * (J @ s + b) / T)),
                "site",
                {"s": "site[4]"},
                {"J": "site[4] site'[4]", "b": "site[4]", "T": 2.0},
            ),
            Entry(
                "m^3",
                lambda J, b: mean_field(J, b, np.zeros(4), 3),
                "site",
                {"J": "site[4] site'[4]", "b": "site[4]"},
            ),
            Entry(
                "F",
                lambda m, J, b: (
                    -0.5 * m @ J @ m
                    - b @ m
                    + ((1 + m) / 2 * np.log((1 + m) / 2) + (1 - m) / 2 * np.log((1 - m) / 2)).sum()
                ),
                "",
                {"m": "site[4] ~ probability site"},
                {"J": "site[4] site'[4]", "b": "site[4]"},
            ),
            Entry(
                r"\chi",
                lambda s: 4 * ((s.mean(1) ** 2).mean() - s.mean(1).mean() ** 2),
                "",
                {"sigma": "run[5] site[4]"},
            ),
        ],
    ),
    Unseen(
        "inverse.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\st}{state} \ndef{\ac}{act} \ndef{\ft}{feat} \ndef{\demo}{demo} \ndef{\tim}{time}
\DeclareMathOperator*{\lse}{logsumexp}
\begin{document}
\section{Maximum entropy inverse reinforcement learning}
We see what an expert does and ask for which reward this would be sensible. The reward is linear in features
$\Phi \in \mathbb{R}^{\st \times \ft}$ of the states,
\begin{equation}
r(\theta) = \Phi \ndot{\ft} \theta, \qquad \theta \in \mathbb{R}^{\ft} .
\end{equation}
The dynamics $P \in [0,1]^{\st \times \ac \times \st'}$ are known.

\subsection{Backward pass}
Soft value iteration starts from $V^0 = 0$, with $V^0 \in \mathbb{R}^{\st}$, and repeats for $k = 1, \dots, K$
\begin{align}
Q^k(\theta) &= r(\theta) + P \ndot{\st'} V^{k-1}_{\st \to \st'} \\
V^k &= \nfun{\ac}{logsumexp} Q^k(\theta)
\end{align}

The policy for given $Q \in \mathbb{R}^{\st \times \ac}$ is
\begin{equation}
\pi(Q) = \nfun{\ac}{softmax} Q .
\end{equation}

\subsection{Forward pass}
Let $\rho \in [0,1]^{\st}$ be where episodes begin. Under a policy $p \in [0,1]^{\st \times \ac}$ the chain moves by
\begin{equation}
M(p) = p \ndot{\ac} P
\end{equation}
and the visits of $T$ steps are
\begin{align}
d_{\tim(1)} &= \rho \\
d_{\tim(t)} &= \left[ d_{\tim(t-1)} \ndot{\st} M(p) \right]_{\st' \to \st}, \qquad t = 2, \dots, T
\end{align}
with $|\tim| = T$, and $D = \nsum{\tim} d$.

\subsection{Gradient}
The gradient is the difference between what the expert visits and what we visit. From demonstrations
$s \in [|\st|]^{\demo \times \tim[T]}$ the expert's features are
\begin{equation}
f = \nfun{\demo}{mean} \nsum{\tim} \Phi_{\st(s)}
\end{equation}
so that
\begin{equation}
\nabla = f - D \ndot{\st} \Phi
\end{equation}
and a step of gradient ascent is $\theta \leftarrow \theta + 0.1 \nabla$.
\end{document}
""",
        [
            Fault(r"r(\theta) = \Phi \ndot{\ft} \theta", r"r(\theta) = \Phi \ndot{\st} \theta"),
            Fault(r"V^k &= \nfun{\ac}{logsumexp}", r"V^k &= \nfun{\st'}{logsumexp}"),
            Fault(r"f - D \ndot{\st} \Phi", r"f - D \ndot{\tim} \Phi"),
        ],
        [
            Entry(
                "r",
                lambda t, F: F @ t,
                "state",
                {"theta": "feat[3]"},
                {"Phi": "state[4] feat[3]"},
            ),
            Entry(
                "V^2",
                lambda t, F, P: soft_values(F @ t, P, 2),
                "state",
                {"theta": "feat[3]"},
                {
                    "Phi": "state[4] feat[3]",
                    "P": "state[4] act[2] state'[4] ~ probability state'",
                },
            ),
            Entry(
                "d",
                lambda q, p, P: visits(q, p, P, 3),
                "time state",
                {
                    "rho": "state[4] ~ probability state",
                    "p": "state[4] act[2] ~ probability act",
                    "P": "state[4] act[2] state'[4] ~ probability state'",
                },
                {},
                {"time": 3},
            ),
            Entry(
                "f",
                lambda F, s: F[s].sum(1).mean(0),
                "feat",
                {"Phi": "state[4] feat[3]", "s": "demo[2] time[3] ~ whole 4"},
            ),
        ],
    ),
    Unseen(
        "duality.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq} \ndef{\st}{state} \ndef{\ch}{chan}
\begin{document}
\section{State space duality}\label{sec:ssd}
A state space model with a scalar decay can be computed in two ways: as a recurrence, which is linear in the length, and as a
matrix multiplication, which is quadratic but loved by GPUs. Inputs are $X \in \mathbb{R}^{\seq[T] \times \ch}$; the decay
$a \in (0,1)^{\seq[T]}$ and $B, C \in \mathbb{R}^{\seq[T] \times \st}$ depend on the input too (how does not matter here).

\subsection{As a recurrence}
\begin{align}
H_{\seq(0)} &= 0 \\
H_{\seq(t)} &= a_{\seq(t)} H_{\seq(t-1)} + B_{\seq(t)} \odot X_{\seq(t)} \\
Y_{\seq(t)} &= C_{\seq(t)} \ndot{\st} H_{\seq(t)}
\end{align}

\subsection{As attention}
Unrolling gives $Y_t = \sum_{s \le t} a_t \cdots a_{s+1} (C_t \cdot B_s) X_s$. So let
\begin{equation}
c_{\seq(t)} = c_{\seq(t-1)} + \log a_{\seq(t)}, \qquad c_{\seq(0)} = 0
\end{equation}
be the cumulative log decay and
\begin{equation}
L_{\seq(t), \seq'(s)} = \begin{cases} \exp(c_{\seq(t)} - c_{\seq(s)}) & s \le t \\ 0 & s > t \end{cases}
\end{equation}
the decay mask. Then
\begin{equation}
Y' = \left( L \odot (C \ndot{\st} B_{\seq \to \seq'}) \right) \ndot{\seq'} X_{\seq \to \seq'} .
\end{equation}
For $a = 1$ this is causal linear attention.

\subsection{The block around it}
With $u \in \mathbb{R}^{\seq[T] \times \name{emb}}$ the input of the block and weights
$W_x \in \mathbb{R}^{\name{emb} \times \ch}$, $W_z \in \mathbb{R}^{\name{emb} \times \ch}$, $w_a \in \mathbb{R}^{\name{emb}}$,
$W_o \in \mathbb{R}^{\ch \times \name{emb}}$,
\begin{align}
x(u) &= \text{silu}( W_x \ndot{\name{emb}} u ) \\
\text{gate}(u) &= \text{silu}( W_z \ndot{\name{emb}} u ) \\
\alpha(u) &= \exp\left( - \text{softplus}( w_a \ndot{\name{emb}} u ) \right) \\
\text{out}(u, y) &= u + W_o \ndot{\ch} \text{RMS}( y \odot \text{gate}(u) )
\end{align}
where $y \in \mathbb{R}^{\seq[T] \times \ch}$, $\text{silu}(v) = v \, \sigma(v)$, $\text{softplus}(v) = \log(1 + e^v)$ and
$\text{RMS}(v) = v / \sqrt{\nfun{\ch}{mean} v^2 + 10^{-6}}$.
\end{document}
""",
        [
            Fault(r"C_{\seq(t)} \ndot{\st} H", r"C_{\seq(t)} \ndot{\ch} H"),
            Fault(r"\ndot{\seq'} X_{\seq \to \seq'} .", r"\ndot{\seq'} X_{\st \to \seq'} ."),
            Fault(r"W_z \ndot{\name{emb}} u", r"W_z \ndot{\st} u"),
        ],
        [
            Entry(
                "Y",
                lambda X, a, B, C: dual(X, a, B, C),
                "seq chan",
                {
                    "X": "seq[4] chan[2]",
                    "a": "seq[4] ~ probability seq",
                    "B": "seq[4] state[3]",
                    "C": "seq[4] state[3]",
                },
            ),
            Entry(
                "Y'",
                lambda X, a, B, C: dual(X, a, B, C),
                "seq chan",
                {
                    "X": "seq[4] chan[2]",
                    "a": "seq[4] ~ probability seq",
                    "B": "seq[4] state[3]",
                    "C": "seq[4] state[3]",
                },
            ),
            Entry(
                r"\alpha",
                lambda u, w: np.exp(-np.log(1 + np.exp(u @ w))),
                "seq",
                {"u": "seq[4] emb[3]"},
                {"w_a": "emb[3]"},
            ),
            Entry(
                "out",
                lambda u, y, z, o: gated(u, y, z, o),
                "seq emb",
                {"u": "seq[4] emb[3]", "y": "seq[4] chan[2]"},
                {"W_z": "emb[3] chan[2]", "W_o": "chan[2] emb[3]"},
            ),
        ],
    ),
]
