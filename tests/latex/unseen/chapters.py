"""Sections of a textbook on deep learning, and sections of papers in the macros of the notation paper."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def relu(x):
    return np.maximum(x, 0)


def softplus(x):
    return np.log(1 + np.exp(x))


def elman(X, W, U, b):
    h, found = np.zeros(len(b)), []
    for x in X:
        h = np.tanh(x @ W + h @ U + b)
        found.append(h)
    return np.stack(found)


def surprise(X, y, W, U, b, V, d):
    p = softmax(elman(X, W, U, b) @ V + d)
    return -np.log(p[np.arange(len(y)), y]).mean()


def lstm(X, Wi, Wf, Wo, Wc, Ui, Uf, Uo, Uc, bi, bf, bo, bc):
    h = c = np.zeros(len(bi))
    found = []
    for x in X:
        i, f, o = (
            sigmoid(x @ W + h @ U + b) for W, U, b in ((Wi, Ui, bi), (Wf, Uf, bf), (Wo, Uo, bo))
        )
        c = f * c + i * np.tanh(x @ Wc + h @ Uc + bc)
        h = o * np.tanh(c)
        found.append(c)
    return np.stack(found)


def gru(X, Wz, Wr, Wn, Uz, Ur, Un):
    h, found = np.zeros(Wz.shape[1]), []
    for x in X:
        z = sigmoid(x @ Wz + h @ Uz)
        r = sigmoid(x @ Wr + h @ Ur)
        n = np.tanh(x @ Wn + (r * h) @ Un)
        h = (1 - z) * h + z * n
        found.append(z)
    return np.stack(found)


def additive(s, H, A, B, v):
    return np.tanh(s @ A + H @ B) @ v


def windows(X, k):
    n, m = X.shape[-2] - k + 1, X.shape[-1] - k + 1
    return np.stack(
        [np.stack([X[..., u : u + n, v : v + m] for v in range(k)], -1) for u in range(k)], -2
    )


def dilated(x, w, d):
    found = np.zeros_like(x)
    for t in range(len(x)):
        for u in range(len(w)):
            if t - d * u >= 0:
                found[t] += w[u] * x[t - d * u]
    return found


def noise(x, t, c, A, B, E, a, b):
    return np.tanh(x @ A + E[t] + c + a) @ B + b


def generated(z, beta, steps, A, B, E, a, b):
    alpha = 1 - beta
    bars = np.cumprod(alpha)
    for t in reversed(range(steps)):
        z = (z - beta[t] / np.sqrt(1 - bars[t]) * noise(z, t, 0, A, B, E, a, b)) / np.sqrt(alpha[t])
    return z


def unit(x, axis=-1):
    return x / np.sqrt((x**2).sum(axis, keepdims=True))


def crossed(A, B):
    A, B = ((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) for x in (A, B))
    return A.T @ B / len(A)


def ntxent(Z, P, tau):
    s = unit(Z) @ unit(Z).T / tau
    e = np.exp(s) * (1 - np.eye(len(Z)))
    return -np.log((np.exp(s) * P).sum(1) / e.sum(1)).mean()


def routed(X, W):
    s = X @ W.T
    p = softmax(s)
    rank = (s[:, None, :] > s[:, :, None]).sum(-1)
    M = (rank < 2) * 1.0
    return p, M, p * M / (p * M).sum(1, keepdims=True)


def queued(X, W, C):
    _, M, g = routed(X, W)
    q = np.cumsum(M, 0)
    D = M[:, :, None] * (q[:, :, None] == np.arange(1, C + 1))
    return D, g


def experts(x, W1, b1, W2, b2):
    """Apply all experts to the tokens that each is given (expert, slot, emb)."""
    h = relu(np.einsum("esd,edh->esh", x, W1) + b1[:, None])
    return np.einsum("esh,ehd->esd", h, W2) + b2[:, None]


def rms(X, g):
    return X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) * g


def rotated(X):
    """Rotate pairs (seq, ..., pair, 2)."""
    n, P = X.shape[0], X.shape[-2]
    angle = np.arange(1, n + 1)[:, None] * 10000.0 ** (-np.arange(P) / P)
    angle = angle.reshape((n,) + (1,) * (X.ndim - 3) + (P,))
    a, b = X[..., 0], X[..., 1]
    return np.stack(
        [a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], -1
    )


def grouped(X, Q, K, V, O, w):
    """Attention whose queries share keys within a group, through a window."""
    q = rotated(np.einsum("td,dghpr->tghpr", X, Q))
    k = rotated(np.einsum("sd,dgpr->sgpr", X, K))
    v = np.einsum("sd,dgv->sgv", X, V)
    n = len(X)
    i, j = np.arange(n)[:, None], np.arange(n)
    mask = np.where((j <= i) & (i - j < w), 0, -np.inf)
    s = np.einsum("tghpr,sgpr->tghs", q, k) / np.sqrt(2 * Q.shape[-2]) + mask[:, None, None]
    return np.einsum("tghs,sgv,ghvd->td", softmax(s), v, O)


def swiglu(X, G, U, D):
    g = X @ G
    return (g * sigmoid(g) * (X @ U)) @ D


def decoded(w, E, g, first, att, second, ffn):
    """One layer of a decoder, and its distribution over words."""
    X = E[w]
    X = X + grouped(rms(X, first["g"]), *att.values())
    X = X + swiglu(rms(X, second["g"]), *ffn.values())
    return softmax(rms(X, g) @ E.T)


def selective(X, A, B, C, D, P, b):
    delta = softplus(X @ P + b)
    h, found = np.zeros(A.shape), []
    for t in range(len(X)):
        bar = np.exp(delta[t][:, None] * A)
        h = bar * h + delta[t][:, None] * (X[t] @ B) * X[t][:, None]
        found.append(h @ (X[t] @ C) + D * X[t])
    return np.stack(found)


def deltas(k, v, q, beta):
    S, found = np.zeros((k.shape[1], v.shape[1])), []
    for t in range(len(k)):
        S = S + beta[t] * np.outer(k[t], v[t] - k[t] @ S)
        found.append(q[t] @ S)
    return np.stack(found)


def retained(q, k, v, gamma):
    n = len(q)
    i, j = np.arange(n)[:, None], np.arange(n)
    return (q @ k.T * np.where(i >= j, gamma ** (i - j).clip(0), 0.0)) @ v


def slots(S, X, Q, K, V, W1, W2, steps):
    for _ in range(steps):
        a = softmax((S @ Q) @ (X @ K).T / np.sqrt(Q.shape[1]), 0)
        w = a / a.sum(1, keepdims=True)
        S = S + w @ (X @ V)
        S = S + relu(S @ W1) @ W2
    return S


def patches(X, p):
    h, w, c = X.shape
    return X.reshape(h // p, p, w // p, p, c).transpose(0, 2, 1, 3, 4)


DOCUMENTS = [
    Unseen(
        "recurrent_chapter.tex",
        r"""\documentclass[11pt]{book}
\usepackage{amsmath,amssymb,amsthm}
\newtheorem{definition}{Definition}[chapter]
\newtheorem{remark}[definition]{Remark}
\newtheorem{exercise}{Exercise}[chapter]
\newcommand{\R}{\mathbb{R}}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\dt}[1]{\underset{#1}{\cdot}}
\begin{document}
\setcounter{chapter}{9}
\chapter{Sequences}

\section{The simple recurrent network}
\label{sec:srn}

A sequence of $T$ feature vectors is stored in one tensor $X \in \R^{\ax{time}, \ax{in}}$ with $|\ax{time}| = T$. We write
$x_t = X_{\ax{time}(t)}$ for the vector at time $t$.

\begin{definition}[Simple recurrent network]\label{def:srn}
Let $W \in \R^{\ax{in}, \ax{hid}}$, $U \in \R^{\ax{hid}', \ax{hid}}$ and $b \in \R^{\ax{hid}}$. The \emph{hidden states} of a simple recurrent
network are $h_0 = 0$ and, for $t = 1, \dots, T$,
\begin{equation}
  h_t = \tanh\Bigl( W \dt{\ax{in}} x_t + U \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} + b \Bigr).
  \label{eq:srn}
\end{equation}
\end{definition}

In \emph{language modelling} (Section~\ref{sec:attention} has another use) each state predicts the next word. With $V \in \R^{\ax{hid}, \ax{voc}}$
and $d \in \R^{\ax{voc}}$ the predictions are
\begin{equation}
  p_t = \underset{\ax{voc}}{\text{softmax}} \left( V \dt{\ax{hid}} h_t + d \right),
\end{equation}
and if $y \in [\ax{voc}]^{\ax{time}}$ are the words that really followed, the loss and the perplexity are
\begin{align}
  \mathcal{L} &= -\frac{1}{T} \sum_{t=1}^{T} \log p_{\ax{time}(t), \ax{voc}(y_t)}, \label{eq:lmloss} \\
  \text{ppl} &= \exp \mathcal{L}.
\end{align}

\begin{remark}
A model that knows nothing has $p = 1/|\ax{voc}|$ everywhere, and its perplexity is the size of the vocabulary.
\end{remark}

\section{Long short-term memory}
The gradient of \eqref{eq:srn} through many steps is a product of many Jacobians and vanishes or explodes. An LSTM adds a cell $c_t$ that is
changed only by gates.

\begin{definition}[LSTM]
For each gate $g \in \{i, f, o\}$ and for the candidate, $g = n$, there are $W^g \in \R^{\ax{in}, \ax{hid}}$, $U^g \in \R^{\ax{hid}', \ax{hid}}$ and
$b^g \in \R^{\ax{hid}}$. With $h_0 = c_0 = 0$,
\begin{align}
  i_t &= \sigma\bigl( W^i \dt{\ax{in}} x_t + U^i \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} + b^i \bigr) \\
  f_t &= \sigma\bigl( W^f \dt{\ax{in}} x_t + U^f \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} + b^f \bigr) \\
  o_t &= \sigma\bigl( W^o \dt{\ax{in}} x_t + U^o \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} + b^o \bigr) \\
  n_t &= \tanh\bigl( W^n \dt{\ax{in}} x_t + U^n \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} + b^n \bigr) \\
  c_t &= f_t \odot c_{t-1} + i_t \odot n_t \label{eq:cell} \\
  h_t &= o_t \odot \tanh(c_t).
\end{align}
\end{definition}

The derivative of $c_t$ with respect to $c_{t-1}$ along the direct path in \eqref{eq:cell} is $f_t$: where the forget gate is open, nothing vanishes.

\section{Gated recurrent units}
\begin{definition}[GRU]
A GRU has two gates and no cell: $z_t$ says how much of the state is new, $r_t$ how much of the old one the candidate $\tilde h_t$ sees. Starting
from $h_0 = 0$,
\begin{align*}
  z_t &= \sigma( W^z \dt{\ax{in}} x_t + U^z \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} ) \\
  r_t &= \sigma( W^r \dt{\ax{in}} x_t + U^r \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} ) \\
  \tilde h_t &= \tanh( W^h \dt{\ax{in}} x_t + U^h \dt{\ax{hid}'} [r_t \odot h_{t-1}]_{\ax{hid} \to \ax{hid}'} ) \\
  h_t &= (1 - z_t) \odot h_{t-1} + z_t \odot \tilde h_t
\end{align*}
where all $W^z, W^r, W^h \in \R^{\ax{in}, \ax{hid}}$ and $U^z, U^r, U^h \in \R^{\ax{hid}', \ax{hid}}$.
\end{definition}

\section{Attention}
\label{sec:attention}
A translator reads the source with one network, which leaves the states $H \in \R^{\ax{src}, \ax{hid}}$, and writes with another one, whose
state is $s \in \R^{\ax{dec}}$. Bahdanau et al.\ score each source position with a small network,
\begin{equation}
  e(s, H) = v \dt{\ax{att}} \tanh\left( A \dt{\ax{dec}} s + B \dt{\ax{hid}} H \right), \label{eq:additive}
\end{equation}
with $A \in \R^{\ax{dec}, \ax{att}}$, $B \in \R^{\ax{hid}, \ax{att}}$, $v \in \R^{\ax{att}}$. The \emph{context} is the average
\begin{equation}
  c(s, H) = \sum_{\ax{src}} a(s, H) \odot H, \qquad a(s, H) = \underset{\ax{src}}{\text{softmax}}\, e(s, H).
\end{equation}

\begin{exercise}
Show that the dot product $e(s, H) = [s]_{\ax{dec} \to \ax{hid}} \dt{\ax{hid}} H$ needs $|\ax{dec}| = |\ax{hid}|$, and that \eqref{eq:additive} does not.
\end{exercise}
\begin{exercise}
How many parameters has an LSTM? Compare it with $N = 3 |\ax{hid}| (|\ax{in}| + |\ax{hid}|)$, which is right for our GRU.
\end{exercise}
\end{document}
""",
        [
            Fault(
                r"\tanh\Bigl( W \dt{\ax{in}} x_t + U \dt{\ax{hid}'} [h_{t-1}]_{\ax{hid} \to \ax{hid}'} + b \Bigr)",
                r"\tanh\Bigl( W \dt{\ax{in}} x_t + U \dt{\ax{hid}'} h_{t-1} + b \Bigr)",
            ),
            Fault(r"V \dt{\ax{hid}} h_t + d", r"V \dt{\ax{in}} h_t + d"),
            Fault(
                r"\underset{\ax{src}}{\text{softmax}}\, e(s, H)",
                r"\underset{\ax{att}}{\text{softmax}}\, e(s, H)",
            ),
        ],
        [
            Entry(
                r"\mathcal{L}",
                surprise,
                "",
                {"X": "time[4] in[2]", "y": "time[4] ~ whole 3"},
                {
                    "W": "in[2] hid[3]",
                    "U": "hid'[3] hid[3]",
                    "b": "hid[3]",
                    "V": "hid[3] voc[3]",
                    "d": "voc[3]",
                },
            ),
            Entry(
                "ppl",
                lambda *given: np.exp(surprise(*given)),
                "",
                {"X": "time[4] in[2]", "y": "time[4] ~ whole 3"},
                {
                    "W": "in[2] hid[3]",
                    "U": "hid'[3] hid[3]",
                    "b": "hid[3]",
                    "V": "hid[3] voc[3]",
                    "d": "voc[3]",
                },
            ),
            Entry(
                "p_t",
                lambda X, W, U, b, V, d: softmax(elman(X, W, U, b) @ V + d),
                "time voc",
                {"X": "time[4] in[2]"},
                {
                    "W": "in[2] hid[3]",
                    "U": "hid'[3] hid[3]",
                    "b": "hid[3]",
                    "V": "hid[3] voc[3]",
                    "d": "voc[3]",
                },
            ),
            Entry(
                "c_t",
                lstm,
                "time hid",
                {"X": "time[4] in[2]"},
                {
                    **{f"W{g}": "in[2] hid[3]" for g in "ifon"},
                    **{f"U__{g}": "hid'[3] hid[3]" for g in "ifon"},
                    **{f"b__{g}": "hid[3]" for g in "ifon"},
                },
            ),
            Entry(
                "z_t",
                gru,
                "time hid",
                {"X": "time[4] in[2]"},
                {
                    **{f"W{g}": "in[2] hid[3]" for g in "zrh"},
                    **{f"U__{g}": "hid'[3] hid[3]" for g in "zrh"},
                },
            ),
            Entry(
                "e",
                additive,
                "src",
                {"s": "dec[2]", "H": "src[4] hid[3]"},
                {"A": "dec[2] att[5]", "B": "hid[3] att[5]", "v": "att[5]"},
            ),
            Entry(
                "a",
                lambda *given: softmax(additive(*given)),
                "src",
                {"s": "dec[2]", "H": "src[4] hid[3]"},
                {"A": "dec[2] att[5]", "B": "hid[3] att[5]", "v": "att[5]"},
            ),
            Entry(
                "c",
                lambda s, H, A, B, v: softmax(additive(s, H, A, B, v)) @ H,
                "hid",
                {"s": "dec[2]", "H": "src[4] hid[3]"},
                {"A": "dec[2] att[5]", "B": "hid[3] att[5]", "v": "att[5]"},
            ),
        ],
    ),
    Unseen(
        "convolution_chapter.tex",
        r"""\documentclass{book}
\usepackage{amsmath,amssymb,amsthm,booktabs}
\theoremstyle{definition}
\newtheorem{defn}{Definition}[section]
\newtheorem{example}[defn]{Example}
\DeclareMathOperator{\ReLU}{ReLU}
\DeclareMathOperator{\BN}{BN}
\DeclareMathOperator{\SE}{SE}
\newcommand{\RR}{\mathbb{R}}
\newcommand{\chan}{\text{chan}} \newcommand{\row}{\text{row}} \newcommand{\col}{\text{col}}
\newcommand{\kr}{\text{kr}} \newcommand{\kc}{\text{kc}} \newcommand{\out}{\text{out}}
\begin{document}
\chapter{Convolutional networks}

An image is a tensor $X \in \RR^{\chan, \row:H, \col:W}$. Fully connected layers forget which pixels are neighbours; the layers of this
chapter do not.

\section{Convolution}

\begin{defn}[Convolution]\label{def:conv}
Let $K \in \RR^{\out, \chan, \kr:k, \kc:k}$ be a bank of $k \times k$ filters and $b \in \RR^{\out}$. The \emph{convolution} of $X$ with $K$ is the
feature map $Y \in \RR^{\out, \row:H-k+1, \col:W-k+1}$ with
\begin{equation}
Y_{\out(o), \row(i), \col(j)} = b_{\out(o)} + \sum_{c=1}^{|\chan|} \sum_{u=1}^{k} \sum_{v=1}^{k}
  K_{\out(o), \chan(c), \kr(u), \kc(v)} \, X_{\chan(c), \row(i+u-1), \col(j+v-1)} . \label{eq:conv}
\end{equation}
\end{defn}
Strictly speaking \eqref{eq:conv} is a cross-correlation: the filter is not flipped. Nobody in deep learning minds.

\begin{example}
The filter with $K_{\kr(1)} = 1$, $K_{\kr(2)} = 0$ and $K_{\kr(3)} = -1$ for all columns answers to horizontal edges.
\end{example}

\begin{defn}[Depthwise separable convolution]
A depthwise convolution has one filter per channel, $D \in \RR^{\chan, \kr:k, \kc:k}$, and does not mix channels:
\begin{equation}
Z_{\chan(c), \row(i), \col(j)} = \sum_{u=1}^{k} \sum_{v=1}^{k} D_{\chan(c), \kr(u), \kc(v)} \, X_{\chan(c), \row(i+u-1), \col(j+v-1)},
\end{equation}
for $1 \le i \le H - k + 1$ and $1 \le j \le W - k + 1$, where $Z \in \RR^{\chan, \row:H-k+1, \col:W-k+1}$. A $1 \times 1$ convolution
$P \in \RR^{\out, \chan}$ mixes them afterwards, $S = P \underset{\chan}{\cdot} Z$.
\end{defn}

\begin{table}[h]\centering
\begin{tabular}{lll}
\toprule
layer & parameters & $k = 3$, $|\chan| = |\out| = 64$ \\
\midrule
convolution & $|\out| \cdot (|\chan| k^2 + 1)$ & 36\,928 \\
separable & $|\chan| (k^2 + |\out|)$ & 4\,672 \\
\bottomrule
\end{tabular}
\caption{Sizes.}
\end{table}

\section{Pooling}
\begin{defn}[Max pooling]
Max pooling over windows of $2 \times 2$ pixels halves the resolution ($H$ and $W$ are even):
\begin{equation}
M_{\chan(c), \row(i), \col(j)} = \max_{u, v \in \{0, 1\}} X_{\chan(c), \row(2i - u), \col(2j - v)}, \qquad i = 1, \dots, H/2, \quad j = 1, \dots, W/2 ,
\end{equation}
so that $M \in \RR^{\chan, \row:H/2, \col:W/2}$. \emph{Global average pooling} leaves one number per channel,
\begin{equation}
g(X) = \frac{1}{HW} \sum_{\row, \col} X .
\end{equation}
\end{defn}

\begin{defn}[Squeeze and excitation]
With $E_1 \in \RR^{\chan, \text{red}}$ and $E_2 \in \RR^{\text{red}, \chan}$, channels are weighted by what is in the whole image:
\begin{equation}
\SE(X) = X \odot \sigma\bigl( E_2 \underset{\text{red}}{\cdot} \ReLU( E_1 \underset{\chan}{\cdot} g(X) ) \bigr) .
\end{equation}
\end{defn}

\section{Normalisation}
In training we have a batch $B \in \RR^{\text{batch}, \chan, \row, \col}$ of feature maps.
\begin{defn}[Batch normalisation]
For $\gamma, \beta \in \RR^{\chan}$,
\begin{align}
\mu &= \underset{\text{batch}, \row, \col}{\text{mean}} B \\
\sigma^2 &= \underset{\text{batch}, \row, \col}{\text{mean}} (B - \mu)^2 \\
\BN(B; \gamma, \beta) &= \gamma \odot \frac{B - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta .
\end{align}
\end{defn}
In inference $\mu$ and $\sigma^2$ are replaced by running averages, $\hat\mu \in \RR^{\chan}$ and $\hat v \in \RR^{\chan}$, and batch normalisation is
affine: $\BN_{\text{test}}(X) = \gamma \odot (X - \hat\mu) / \sqrt{\hat v + \epsilon} + \beta$.

\section{Sequences}
A signal $x \in \RR^{\text{time}}$ is filtered by $w \in \RR^{\text{tap}:m}$. The \emph{causal} convolution with dilation $d$,
\begin{equation}
y_{\text{time}(t)} = \sum_{l=1}^{m} w_{\text{tap}(l)} \, x_{\text{time}(t - d(l-1))} \quad \text{with } x_{\text{time}(s)} = 0 \text{ for } s < 1,
\end{equation}
sees nothing of the future. After $L$ layers with dilations $1, 2, \dots, 2^{L-1}$ it sees $1 + (m-1)(2^L - 1)$ steps.

\subsection*{Exercises}
\begin{enumerate}
\item Compute by hand $M$ for the $4 \times 4$ image whose pixels are $1, 2, \dots, 16$.
\item Show that if $K$ is $1 \times 1$, then $Y = K \underset{\chan}{\cdot} X + b$ up to the axes $\kr$ and $\kc$ of size one.
\item Why does a bias before $\BN$ have no effect?
\end{enumerate}
\end{document}
""",
        [
            Fault(
                r"K_{\out(o), \chan(c), \kr(u), \kc(v)} \, X_{\chan(c), \row(i+u-1), \col(j+v-1)} . \label{eq:conv}",
                r"K_{\out(c), \chan(o), \kr(u), \kc(v)} \, X_{\chan(c), \row(i+u-1), \col(j+v-1)} . \label{eq:conv}",
            ),
            Fault(
                r"E_1 \underset{\chan}{\cdot} g(X)",
                r"E_1 \underset{\row}{\cdot} g(X)",
            ),
            Fault(
                r"\sigma^2 &= \underset{\text{batch}, \row, \col}",
                r"\sigma^2 &= \underset{\text{batch}, \row, \out}",
            ),
        ],
        [
            Entry(
                "Y",
                lambda X, K, b: np.einsum("cijuv,ocuv->oij", windows(X, 3), K) + b[:, None, None],
                "out row col",
                {"X": "chan[2] row[5] col[6]"},
                {"K": "out[3] chan[2] kr[3] kc[3]", "b": "out[3]"},
            ),
            Entry(
                "S",
                lambda X, D, P: np.einsum("cijuv,cuv,oc->oij", windows(X, 2), D, P),
                "out row col",
                {"X": "chan[2] row[4] col[3]"},
                {"D": "chan[2] kr[2] kc[2]", "P": "out[3] chan[2]"},
            ),
            Entry(
                "M",
                lambda X: X.reshape(2, 2, 2, 3, 2).max((2, 4)),
                "chan row col",
                {"X": "chan[2] row[4] col[6]"},
            ),
            Entry("g", lambda X: X.mean((1, 2)), "chan", {"X": "chan[2] row[4] col[3]"}),
            Entry(
                "SE",
                lambda X, E1, E2: X * sigmoid(relu(X.mean((1, 2)) @ E1) @ E2)[:, None, None],
                "chan row col",
                {"X": "chan[4] row[3] col[2]"},
                {"E_1": "chan[4] red[2]", "E_2": "red[2] chan[4]"},
            ),
            Entry(
                "BN",
                lambda B, gamma, beta: (
                    gamma[:, None, None]
                    * (B - B.mean((0, 2, 3), keepdims=True))
                    / np.sqrt(B.var((0, 2, 3), keepdims=True) + 1e-5)
                    + beta[:, None, None]
                ),
                "batch chan row col",
                {"B": "batch[3] chan[2] row[2] col[3]"},
                {"gamma": "chan[2]", "beta": "chan[2]"},
            ),
            Entry(
                "y",
                lambda x, w, d: dilated(x, w, d),
                "time",
                {"x": "time[7]"},
                {"w": "tap[3]", "d": 2},
            ),
        ],
    ),
    Unseen(
        "diffusion_chapter.tex",
        r"""\documentclass{book}
\usepackage{amsmath,amssymb,algorithm2e}
\newcommand{\R}{\mathbb{R}}
\newcommand{\name}[1]{\mathsf{#1}}
\newcommand{\pix}{\name{pix}} \newcommand{\step}{\name{step}} \newcommand{\hid}{\name{hid}} \newcommand{\lat}{\name{lat}}
\newcommand{\con}[1]{\mathop{\cdot}\limits_{#1}}
\begin{document}
\chapter{Generative models}

\section{Variational autoencoders}
An observation is $x \in \R^{\pix}$ and its code is $z \in \R^{\lat}$. The encoder gives a mean and a log-variance,
\begin{align}
m(x) &= M \con{\pix} x \\
s(x) &= S \con{\pix} x
\end{align}
with $M, S \in \R^{\pix \times \lat}$; the code is sampled by the \emph{reparametrisation trick},
\begin{equation}
z(x, \varepsilon) = m(x) + \exp\left( \tfrac12 s(x) \right) \odot \varepsilon, \qquad \varepsilon \sim \mathcal{N}(0, I), \quad \varepsilon \in \R^{\lat}. \label{eq:rep}
\end{equation}
For a unit prior the Kullback--Leibler divergence has a closed form,
\begin{equation}
D(x) = \frac12 \sum_{\lat} \left( m(x)^2 + e^{s(x)} - s(x) - 1 \right),
\end{equation}
and with a linear decoder, $G \in \R^{\lat \times \pix}$, the negative evidence lower bound is
\begin{equation}
\mathcal{F}(x, \varepsilon) = \frac12 \left\| x - G \con{\lat} z(x, \varepsilon) \right\|^2 + D(x).
\end{equation}

\section{Diffusion models}
\subsection{The forward process}
Let $\beta \in (0, 1)^{\step}$ be a noise schedule with $T = |\step|$ steps. Set
\begin{equation}
\alpha_t = 1 - \beta_t, \qquad \bar\alpha_t = \prod_{s=1}^{t} \alpha_s, \qquad t = 1, \ldots, T,
\end{equation}
and $\bar\alpha_0 = 1$. The forward process $q(x_t \mid x_{t-1}) = \mathcal{N}(x_t; \sqrt{\alpha_t}\, x_{t-1}, \beta_t I)$ can be jumped over: for the
clean image $x_0 \in \R^{\pix}$ and $\epsilon \sim \mathcal{N}(0, I)$ with $\epsilon \in \R^{\pix}$,
\begin{equation}
x_t(x_0, \epsilon) = \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \epsilon. \label{eq:jump}
\end{equation}

\subsection{The reverse process}
If the clean image were known, the step backwards would be Gaussian with
\begin{align}
\tilde\beta_t &= \frac{1 - \bar\alpha_{t-1}}{1 - \bar\alpha_t} \beta_t \label{eq:tildebeta} \\
\tilde\mu_t(x, x_0) &= \frac{\sqrt{\bar\alpha_{t-1}}\, \beta_t}{1 - \bar\alpha_t} x_0 + \frac{\sqrt{\alpha_t}\, (1 - \bar\alpha_{t-1})}{1 - \bar\alpha_t} x
\end{align}
where $x \in \R^{\pix}$ is the noisy image.

\subsection{The denoiser}
A network predicts the noise from the noisy image, the time, and a condition $c \in \R^{\hid}$:
\begin{equation}
f_\theta(x, t, c) = B \con{\hid} \tanh\left( A \con{\pix} x + E_{\step(t)} + c + a \right) + b. \label{eq:net}
\end{equation}
Its parameters are $\theta = (A, B, E, a, b)$ with $A \in \R^{\pix \times \hid}$, $B \in \R^{\hid \times \pix}$, an embedding of the time
$E \in \R^{\step \times \hid}$, $a \in \R^{\hid}$ and $b \in \R^{\pix}$. It is trained by the simple loss
\begin{equation}
\mathcal{L}(x_0, \epsilon, t, c) = \frac{1}{|\pix|} \sum_{\pix} \left( \epsilon - f_\theta\left( \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \epsilon, t, c \right) \right)^2
\end{equation}
for images and times drawn at random.

\paragraph{Guidance.} Replace the condition by a learned $c_\varnothing \in \R^{\hid}$ in one tenth of the examples. Then one can go too far on purpose:
\begin{equation}
\hat f_w(x, t, c) = (1 + w) f_\theta(x, t, c) - w f_\theta(x, t, c_\varnothing).
\end{equation}

\subsection{Sampling}
To distinguish it from data, we call the sequence of generated images $y_T, \ldots, y_0$. Start with noise, $y_T \in \R^{\pix}$. For $t = T, T-1, \ldots, 1$,
without a condition,
\begin{equation}
y_{t-1} = \frac{1}{\sqrt{\alpha_t}} \left( y_t - \frac{\beta_t}{\sqrt{1 - \bar\alpha_t}} f_\theta(y_t, t, 0) \right). \label{eq:sample}
\end{equation}
DDPM adds $\sqrt{\tilde\beta_t}\, \zeta$ with fresh noise $\zeta$ in each step but the last; we leave it out here.

\paragraph{Exercise 12.1.} Show that the estimate of the clean image,
\begin{equation}
\hat x_0(x, t, c) = \frac{x - \sqrt{1 - \bar\alpha_t}\, f_\theta(x, t, c)}{\sqrt{\bar\alpha_t}},
\end{equation}
is $x_0$ if the noise is predicted exactly.

\paragraph{Exercise 12.2.} For $\beta_t = \beta_1 + \frac{t - 1}{T - 1} (\beta_T - \beta_1)$ with $\beta_1 = 10^{-4}$ and $\beta_T = 0.02$, how large is $\bar\alpha_T$?
\end{document}
""",
        [
            Fault(r"\frac12 \sum_{\lat} \left(", r"\frac12 \sum_{\pix} \left("),
            Fault(
                r"\left\| x - G \con{\lat} z(x, \varepsilon)",
                r"\left\| x - G \con{\pix} z(x, \varepsilon)",
            ),
            Fault(
                r"with $A \in \R^{\pix \times \hid}$",
                r"with $A \in \R^{\step \times \hid}$",
                r"f_\theta(x, t, c) = B \con{\hid}",
            ),
        ],
        [
            Entry(
                "z",
                lambda x, e, M, S: x @ M + np.exp(0.5 * x @ S) * e,
                "lat",
                {"x": "pix[4]", "varepsilon": "lat[2]"},
                {"M": "pix[4] lat[2]", "S": "pix[4] lat[2]"},
            ),
            Entry(
                "D",
                lambda x, M, S: 0.5 * ((x @ M) ** 2 + np.exp(x @ S) - x @ S - 1).sum(),
                "",
                {"x": "pix[4]"},
                {"M": "pix[4] lat[2]", "S": "pix[4] lat[2]"},
            ),
            Entry(
                r"\mathcal{F}",
                lambda x, e, M, S, G: (
                    0.5 * ((x - (x @ M + np.exp(0.5 * x @ S) * e) @ G) ** 2).sum()
                    + 0.5 * ((x @ M) ** 2 + np.exp(x @ S) - x @ S - 1).sum()
                ),
                "",
                {"x": "pix[4]", "varepsilon": "lat[2]"},
                {"M": "pix[4] lat[2]", "S": "pix[4] lat[2]", "G": "lat[2] pix[4]"},
            ),
            Entry(
                r"\bar\alpha",
                lambda b: np.cumprod(1 - b),
                "step",
                {"beta": "step[4] ~ probability step"},
            ),
            Entry(
                r"\tilde\beta",
                lambda b: b * (1 - np.r_[1, np.cumprod(1 - b)[:-1]]) / (1 - np.cumprod(1 - b)),
                "step",
                {"beta": "step[4] ~ probability step"},
            ),
            Entry(
                "x_2",
                lambda x, e, b: (
                    np.sqrt(np.prod(1 - b[:2])) * x + np.sqrt(1 - np.prod(1 - b[:2])) * e
                ),
                "pix",
                {"x_0": "pix[3]", "epsilon": "pix[3]"},
                {"beta": "step[4] ~ probability step"},
            ),
            Entry(
                r"\mathcal{L}",
                lambda x, e, t, c, beta, A, B, E, a, b: (
                    (
                        e
                        - noise(
                            np.sqrt(np.prod(1 - beta[: t + 1])) * x
                            + np.sqrt(1 - np.prod(1 - beta[: t + 1])) * e,
                            t,
                            c,
                            A,
                            B,
                            E,
                            a,
                            b,
                        )
                    )
                    ** 2
                ).mean(),
                "",
                {"x_0": "pix[3]", "epsilon": "pix[3]", "t": 2, "c": "hid[2]"},
                {
                    "beta": "step[4] ~ probability step",
                    "A": "pix[3] hid[2]",
                    "B": "hid[2] pix[3]",
                    "E": "step[4] hid[2]",
                    "a": "hid[2]",
                    "b": "pix[3]",
                },
            ),
            Entry(
                r"\hat f_w",
                lambda w, x, t, c, A, B, E, a, b, n: (
                    (1 + w) * noise(x, t, c, A, B, E, a, b) - w * noise(x, t, n, A, B, E, a, b)
                ),
                "pix",
                {"w": 1.5, "x": "pix[3]", "t": 2, "c": "hid[2]"},
                {
                    "A": "pix[3] hid[2]",
                    "B": "hid[2] pix[3]",
                    "E": "step[4] hid[2]",
                    "a": "hid[2]",
                    "b": "pix[3]",
                    "c_varnothing": "hid[2]",
                },
            ),
            Entry(
                "y_0",
                lambda y, beta, A, B, E, a, b: generated(y, beta, 3, A, B, E, a, b),
                "pix",
                {"y_T": "pix[3]"},
                {
                    "beta": "step[3] ~ probability step",
                    "A": "pix[3] hid[2]",
                    "B": "hid[2] pix[3]",
                    "E": "step[3] hid[2]",
                    "a": "hid[2]",
                    "b": "pix[3]",
                },
                {"T": 3},
            ),
            Entry(
                r"\hat x_0",
                lambda x, t, c, beta, A, B, E, a, b: (
                    (x - np.sqrt(1 - np.prod(1 - beta[: t + 1])) * noise(x, t, c, A, B, E, a, b))
                    / np.sqrt(np.prod(1 - beta[: t + 1]))
                ),
                "pix",
                {"x": "pix[3]", "t": 3, "c": "hid[2]"},
                {
                    "beta": "step[4] ~ probability step",
                    "A": "pix[3] hid[2]",
                    "B": "hid[2] pix[3]",
                    "E": "step[4] hid[2]",
                    "a": "hid[2]",
                    "b": "pix[3]",
                },
            ),
        ],
    ),
    Unseen(
        "representation_chapter.tex",
        r"""\documentclass{book}
\usepackage{amsmath,amssymb,amsthm}
\newtheorem{definition}{Definition}[section]
\newtheorem{exercise}{Exercise}[section]
\newcommand{\reals}{\mathbb{R}}
\newcommand{\indicator}[1]{\mathbb{1}[#1]}
\begin{document}
\chapter{Learning representations}
What makes a vector a good description of a word, an image or a class? In this chapter the answer is always the same: it is close to the
vectors of what belongs to it, and far from the others.

\section{Words}
Every word of the vocabulary has two vectors, the rows of $U \in \reals^{\text{word}, \text{emb}}$, where it stands in the middle, and of
$V \in \reals^{\text{word}', \text{emb}}$, where it stands in the context.

\begin{definition}[Skip-gram with negative sampling]
For a centre word $w$, a context word $c$ and $k$ words $n \in [\text{word}']^{\text{neg}:k}$ drawn from a noise distribution,
\begin{equation}
\ell(w, c, n) = -\log \sigma\bigl( U_{\text{word}(w)} \underset{\text{emb}}{\cdot} V_{\text{word}'(c)} \bigr)
  - \sum_{\text{neg}} \log \sigma\bigl( -U_{\text{word}(w)} \underset{\text{emb}}{\cdot} V_{\text{word}'(n)} \bigr).
\end{equation}
\end{definition}

GloVe counts first. Let $N_{ij}$ be how often word $j$ occurs near word $i$, that is $N \in \reals^{\text{word}, \text{word}'}$, and let $a \in \reals^{\text{word}}$ and
$b \in \reals^{\text{word}'}$ be biases. The loss is a weighted least squares problem,
\begin{equation}
J = \sum_{i} \sum_{j} \phi(N_{ij}) \Bigl( U_{\text{word}(i)} \underset{\text{emb}}{\cdot} V_{\text{word}'(j)} + a_i + b_j - \log N_{ij} \Bigr)^2,
\end{equation}
with weights that are bounded for frequent pairs:
\begin{equation}
\phi(x) = \begin{cases} (x / x_{\max})^{3/4} & \text{if } x < x_{\max} \\ 1 & \text{otherwise.} \end{cases}
\end{equation}
Usually $x_{\max} = 100$.

\begin{definition}[Analogy]
For the cosine $\cos(u, v) = \frac{u \underset{\text{emb}}{\cdot} v}{\|u\| \|v\|}$ of $u, v \in \reals^{\text{emb}}$, the answer to ``$a$ is to $b$ as $c$ is to ?'' is the word
that maximises $q(a, b, c) = \cos(U, U_{\text{word}(b)} - U_{\text{word}(a)} + U_{\text{word}(c)})$.
\end{definition}

\section{Images}
From each of $B$ images two random crops are made, and a network turns all $2B$ crops into $Z \in \reals^{\text{view}, \text{emb}}$. Let
$P \in \{0, 1\}^{\text{view}, \text{view}'}$ say which crops come from the same image ($P$ is zero on the diagonal, and each row has a single one).

\begin{definition}[NT-Xent]
With the normalised vectors $\hat Z$ and a temperature $\tau > 0$,
\begin{align}
\hat Z &= \frac{Z}{\sqrt{\sum_{\text{emb}} Z^2}} \\
S &= \frac{1}{\tau}\, \hat Z \underset{\text{emb}}{\cdot} \hat Z_{\text{view} \to \text{view}'} \\
\mathcal{L} &= -\underset{\text{view}}{\text{mean}} \log \frac{\sum_{\text{view}'} P \odot e^{S}}{\sum_{\text{view}'} (1 - I) \odot e^{S}}
\end{align}
where $I_{\text{view}(i), \text{view}'(j)} = \indicator{i = j}$ leaves out the comparison of a crop with itself.
\end{definition}

\begin{definition}[Barlow Twins]
Let $A, B \in \reals^{\text{batch}, \text{emb}}$ be the embeddings of the two crops. Standardise each feature over the batch,
$\bar A = \underset{\text{batch}}{\text{standardize}}(A)$ and $\bar B = \underset{\text{batch}}{\text{standardize}}(B)$, and correlate them:
\begin{equation}
C = \frac{1}{|\text{batch}|} \bar A \underset{\text{batch}}{\cdot} \bar B_{\text{emb} \to \text{emb}'}.
\end{equation}
The loss pulls this matrix towards the identity,
\begin{equation}
\mathcal{L}_{\text{BT}} = \sum_{i} (1 - C_{ii})^2 + \lambda \sum_{i} \sum_{j \ne i} C_{ij}^2 .
\end{equation}
\end{definition}

\section{Classes}
\begin{definition}[Prototypical network]
Given an embedded support set $x \in \reals^{\text{shot}, \text{emb}}$ with labels $y \in \{0, 1\}^{\text{shot}, \text{class}}$ (one-hot), the prototype of a class is
the mean of its members, and a query $q \in \reals^{\text{emb}}$ is classified by its distance to the prototypes:
\begin{align}
\mu &= \frac{y \underset{\text{shot}}{\cdot} x}{\sum_{\text{shot}} y}, \\
p(q) &= \underset{\text{class}}{\text{softmax}} \Bigl( - \sum_{\text{emb}} (q - \mu)^2 \Bigr).
\end{align}
\end{definition}
For triplets of an anchor, a positive and a negative one prefers a margin $m$:
\begin{equation}
\text{triplet}(a, p, n) = \max\bigl( 0, \|a - p\|^2 - \|a - n\|^2 + m \bigr), \qquad a, p, n \in \reals^{\text{emb}}.
\end{equation}

\begin{exercise}
Show that $\mathcal{L} \ge 0$ and that it is $\log(2B - 1)$ if all crops are mapped to one vector.
\end{exercise}
\begin{exercise}
Write $p(q)$ as a linear classifier: $p(q) = \underset{\text{class}}{\text{softmax}} (2 \mu \underset{\text{emb}}{\cdot} q - \sum_{\text{emb}} \mu^2)$.
\end{exercise}
\end{document}
""",
        [
            Fault(
                r"\hat Z \underset{\text{emb}}{\cdot} \hat Z_",
                r"\hat Z \underset{\text{view}}{\cdot} \hat Z_",
            ),
            Fault(
                r"\frac{y \underset{\text{shot}}{\cdot} x}{\sum_{\text{shot}} y}",
                r"\frac{y \underset{\text{class}}{\cdot} x}{\sum_{\text{shot}} y}",
            ),
            Fault(
                r"a \in \reals^{\text{word}}$ and",
                r"a \in \reals^{\text{emb}}$ and",
                r"J = \sum_{i} \sum_{j} \phi(N_{ij})",
            ),
        ],
        [
            Entry(
                r"\ell",
                lambda w, c, n, U, V: (
                    -np.log(sigmoid(U[w] @ V[c])) - np.log(sigmoid(-(V[n] @ U[w]))).sum()
                ),
                "",
                {"w": 2, "c": 3, "n": "neg[3] ~ whole 4"},
                {"U": "word[4] emb[2]", "V": "word'[4] emb[2]"},
            ),
            Entry(
                "J",
                lambda U, V, N, a, b, top: (
                    np.where(N < 100, (N / 100) ** 0.75, 1.0)
                    * (U @ V.T + a[:, None] + b - np.log(N)) ** 2
                ).sum(),
                "",
                {},
                {
                    "U": "word[4] emb[2]",
                    "V": "word'[4] emb[2]",
                    "N": "word[4] word'[4] ~ positive",
                    "a": "word[4]",
                    "b": "word'[4]",
                    "x_max": 100.0,
                },
            ),
            Entry(
                "q",
                lambda a, b, c, U: unit(U) @ unit(U[b] - U[a] + U[c]),
                "word",
                {"a": 1, "b": 3, "c": 4},
                {"U": "word[5] emb[3]"},
            ),
            Entry(
                r"\mathcal{L}",
                lambda Z, P, tau: ntxent(Z, P, tau),
                "",
                {"Z": "view[4] emb[3]", "P": "view[4] view'[4] ~ one-hot view'", "tau": 0.5},
            ),
            Entry("C", crossed, "emb emb'", {"A": "batch[5] emb[3]", "B": "batch[5] emb[3]"}),
            Entry(
                r"\mathcal{L}_{\text{BT}}",
                lambda A, B, lam: (
                    ((1 - np.diag(crossed(A, B))) ** 2).sum()
                    + lam * ((crossed(A, B) ** 2).sum() - (np.diag(crossed(A, B)) ** 2).sum())
                ),
                "",
                {"A": "batch[5] emb[3]", "B": "batch[5] emb[3]", "lambda_": 0.1},
            ),
            Entry(
                "p",
                lambda q, x, y: softmax(-((q - (y.T @ x) / y.sum(0)[:, None]) ** 2).sum(1)),
                "class",
                {"q": "emb[3]", "x": "shot[6] emb[3]", "y": "shot[6] class[2] ~ positive"},
            ),
            Entry(
                "triplet",
                lambda a, p, n, m: max(0, ((a - p) ** 2).sum() - ((a - n) ** 2).sum() + m),
                "",
                {"a": "emb[3]", "p": "emb[3]", "n": "emb[3]", "m": 4.0},
            ),
        ],
    ),
    Unseen(
        "moe_method.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,hyperref}
\newcommand{\name}[1]{\ensuremath{\mathsf{#1}}}
\newcommand{\ndef}[2]{\newcommand{#1}{\name{#2}}}
\newcommand{\ndot}[1]{\mathbin{\mathop{\boldsymbol{\cdot}}\limits_{#1}}}
\newcommand{\nfun}[2]{\mathop{\mathrm{#2}}\limits_{#1}}
\newcommand{\nsum}[1]{\sum\limits_{#1}}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\ind}[1]{\mathbf{1}\left[#1\right]}
\ndef{\seq}{seq}
\ndef{\emb}{emb}
\ndef{\hid}{hid}
\ndef{\expert}{expert}
\ndef{\slot}{slot}
\begin{document}
\section{Method}
\label{sec:method}

We replace the feedforward sublayer of every second Transformer layer by a mixture of experts. We write it in the named tensor notation of
\citet{chiang2023named}; since axes are named, batching over sequences needs no change to any formula.

\subsection{Routing}
Let $X \in \reals^{\seq[n] \times \emb[d]}$ be the input of the layer. A linear router with weights $W^{\text{r}} \in \reals^{\expert \times \emb[d]}$ scores
all experts for all tokens,
\begin{align}
  S &= W^{\text{r}} \ndot{\emb} X \label{eq:scores} \\
  P &= \nfun{\expert}{softmax} S.
\end{align}
A token is sent to its $k$ best experts. Let the rank of an expert be the number of experts that score higher, so that ranks begin with zero:
\begin{equation}
  R_{\seq(t), \expert(e)} = \sum_{e'} \ind{S_{\seq(t), \expert(e')} > S_{\seq(t), \expert(e)}} .
\end{equation}
The routing mask and the gates, which are renormalized over the chosen experts, are
\begin{align}
  M &= \ind{R < k} \\
  G &= \frac{P \odot M}{\nsum{\expert} P \odot M}.
\end{align}
We use $k = 2$ in all experiments.

\subsection{Dispatch}
Each expert has $C$ slots. Tokens queue for them in the order of the sequence. The position of token $t$ in the queue of expert $e$ is
\begin{equation}
  Q_{\seq(t), \expert(e)} = \sum_{s \le t} M_{\seq(s), \expert(e)},
\end{equation}
and the dispatch tensor $D \in \{0, 1\}^{\seq[n] \times \expert \times \slot[C]}$ is
\begin{equation}
  D_{\seq(t), \expert(e), \slot(c)} = M_{\seq(t), \expert(e)} \, \ind{Q_{\seq(t), \expert(e)} = c}.
\end{equation}
Tokens that come too late ($Q > C$) are dropped by this expert; the residual connection carries them to the next layer.

\subsection{Experts}
The parameters of all experts are stacked along the axis $\expert$:
\begin{align*}
  W^1 &\in \reals^{\expert \times \emb[d] \times \hid} & b^1 &\in \reals^{\expert \times \hid} \\
  W^2 &\in \reals^{\expert \times \hid \times \emb[d]} & b^2 &\in \reals^{\expert \times \emb[d]}
\end{align*}
so that one formula computes all of them,
\begin{align}
  \text{Experts} \colon \reals^{\expert \times \slot \times \emb} &\rightarrow \reals^{\expert \times \slot \times \emb} \nonumber \\
  \text{Experts}(H; W^1, b^1, W^2, b^2) &= W^2 \ndot{\hid} \text{ReLU}\left( W^1 \ndot{\emb} H + b^1 \right) + b^2 .
\end{align}
Tokens are gathered, processed, and scattered back, weighted by their gates:
\begin{align}
  H &= D \ndot{\seq} X \\
  Y &= X + (G \odot D) \ndot{\expert, \slot} \text{Experts}(H; W^1, b^1, W^2, b^2) \label{eq:combine}
\end{align}

\subsection{Auxiliary losses}
As \citet{fedus2022switch} we encourage a balanced load. Let $f$ be the fraction of tokens that go to each expert, and $p$ the mean probability:
\begin{equation}
  f = \frac{1}{k} \nfun{\seq}{mean} M, \qquad p = \nfun{\seq}{mean} P.
\end{equation}
Then $\nsum{\expert} f = 1$ and $\nsum{\expert} p = 1$, and
\begin{equation}
  \mathcal{L}_{\text{bal}} = |\expert| \, f \ndot{\expert} p
\end{equation}
is smallest for a uniform load. The router's logits are kept small by
\begin{equation}
  \mathcal{L}_{z} = \nfun{\seq}{mean} \left( \log \nsum{\expert} \exp S \right)^2 ,
\end{equation}
and the total is $\mathcal{L} = \mathcal{L}_{\text{LM}} + \alpha \mathcal{L}_{\text{bal}} + \zeta \mathcal{L}_z$ with $\alpha = 10^{-2}$ and $\zeta = 10^{-3}$.

\paragraph{Cost.} Only $|\expert| \cdot C$ tokens are processed instead of $|\expert| \cdot n$. With a capacity factor $\kappa$ we set
$C = \kappa k n / |\expert|$.
\end{document}
""",
        [
            Fault(r"P &= \nfun{\expert}{softmax} S.", r"P &= \nfun{\emb}{softmax} S."),
            Fault(r"H &= D \ndot{\seq} X", r"H &= D \ndot{\emb} X"),
            Fault(
                r"(G \odot D) \ndot{\expert, \slot} \text{Experts}",
                r"(G \odot D) \ndot{\expert, \hid} \text{Experts}",
            ),
        ],
        [
            Entry(
                "P",
                lambda X, W: softmax(X @ W.T),
                "seq expert",
                {"X": "seq[5] emb[3]"},
                {"Wr": "expert[4] emb[3]"},
            ),
            Entry(
                "G",
                lambda X, W: routed(X, W)[2],
                "seq expert",
                {"X": "seq[5] emb[3]"},
                {"Wr": "expert[4] emb[3]"},
                {"k": 2},
            ),
            Entry(
                "D",
                lambda X, W: queued(X, W, 2)[0],
                "seq expert slot",
                {"X": "seq[5] emb[3]"},
                {"Wr": "expert[4] emb[3]"},
                {"k": 2, "C": 2},
            ),
            Entry(
                "Experts",
                experts,
                "expert slot emb",
                {"H": "expert[3] slot[2] emb[4]"},
                {
                    "W1": "expert[3] emb[4] hid[5]",
                    "b1": "expert[3] hid[5]",
                    "W2": "expert[3] hid[5] emb[4]",
                    "b2": "expert[3] emb[4]",
                },
            ),
            Entry(
                "Y",
                lambda X, W, W1, b1, W2, b2: (
                    X
                    + np.einsum(
                        "te,tes,esd->td",
                        queued(X, W, 2)[1],
                        queued(X, W, 2)[0],
                        experts(np.einsum("tes,td->esd", queued(X, W, 2)[0], X), W1, b1, W2, b2),
                    )
                ),
                "seq emb",
                {"X": "seq[5] emb[4]"},
                {
                    "Wr": "expert[3] emb[4]",
                    "W1": "expert[3] emb[4] hid[5]",
                    "b1": "expert[3] hid[5]",
                    "W2": "expert[3] hid[5] emb[4]",
                    "b2": "expert[3] emb[4]",
                },
                {"k": 2, "C": 2},
            ),
            Entry(
                r"\mathcal{L}_{\text{bal}}",
                lambda X, W: 4 * (routed(X, W)[1].mean(0) / 2) @ routed(X, W)[0].mean(0),
                "",
                {"X": "seq[5] emb[3]"},
                {"Wr": "expert[4] emb[3]"},
                {"k": 2},
            ),
            Entry(
                r"\mathcal{L}_{z}",
                lambda X, W: (np.log(np.exp(X @ W.T).sum(1)) ** 2).mean(),
                "",
                {"X": "seq[5] emb[3]"},
                {"Wr": "expert[4] emb[3]"},
            ),
        ],
    ),
    Unseen(
        "decoder_appendix.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\name}[1]{\ensuremath{\mathsf{#1}}}
\newcommand{\ndot}[1]{\mathbin{\mathop{\boldsymbol{\cdot}}\limits_{#1}}}
\newcommand{\nfun}[2]{\mathop{\mathrm{#2}}\limits_{#1}}
\newcommand{\nsum}[1]{\sum\limits_{#1}}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\seq}{\name{seq}} \newcommand{\emb}{\name{emb}} \newcommand{\hid}{\name{hid}} \newcommand{\voc}{\name{voc}}
\newcommand{\grp}{\name{group}} \newcommand{\head}{\name{head}} \newcommand{\pair}{\name{pair}} \newcommand{\ri}{\name{ri}}
\newcommand{\val}{\name{val}}
\appendix
\begin{document}
\section{Model definition}
\label{app:model}

This appendix defines our decoder completely. Table~\ref{tab:axes} lists the axes.

\begin{table}
\begin{tabular}{lll}
axis & what it is & size \\ \hline
$\seq$, $\seq'$ & positions & 4096 \\
$\emb$ & residual stream & 2048 \\
$\grp$ & groups of heads that share keys and values & 4 \\
$\head$ & heads in a group & 4 \\
$\pair, \ri$ & the keys are $|\pair|$ complex numbers, $|\ri| = 2$ & $64, 2$ \\
\end{tabular}
\caption{Axes.}\label{tab:axes}
\end{table}

\subsection{Normalization}
\begin{align*}
\text{RMSNorm} \colon \reals^{\emb} &\rightarrow \reals^{\emb} \\
\text{RMSNorm}(x; g) &= g \odot \frac{x}{\sqrt{\nfun{\emb}{mean} x^2 + \epsilon}}, \qquad g \in \reals^{\emb}
\end{align*}

\subsection{Rotary embeddings}
Queries and keys are rotated, each pair by an angle that grows with the position. For $U \in \reals^{\seq \times \pair \times \ri[2]}$ let
\begin{align*}
\theta_{\seq(t), \pair(p)} &= t \cdot 10000^{-(p-1) / |\pair|} \\
\text{RoPE}(U)_{\ri(1)} &= U_{\ri(1)} \odot \cos\theta - U_{\ri(2)} \odot \sin\theta \\
\text{RoPE}(U)_{\ri(2)} &= U_{\ri(1)} \odot \sin\theta + U_{\ri(2)} \odot \cos\theta
\end{align*}
The product of a query at $t$ and a key at $s$ then depends on $t - s$ alone.

\subsection{Grouped-query attention}
Each group has one set of keys and values and $|\head|$ sets of queries:
\begin{align*}
W^Q &\in \reals^{\emb \times \grp \times \head \times \pair \times \ri[2]} \\
W^K &\in \reals^{\emb \times \grp \times \pair \times \ri[2]} \\
W^V &\in \reals^{\emb \times \grp \times \val} \\
W^O &\in \reals^{\grp \times \head \times \val \times \emb}
\end{align*}
The window mask lets a token see itself and the $w - 1$ tokens before it,
\begin{equation*}
M_{\seq'(i), \seq(j)} = \begin{cases} 0 & \text{if } i - w < j \le i \\ -\infty & \text{otherwise.} \end{cases}
\end{equation*}
For $X \in \reals^{\seq \times \emb}$,
\begin{align*}
\text{GQA}(X; W^Q, W^K, W^V, W^O) &= W^O \ndot{\grp, \head, \val} \left[ A \ndot{\seq} V \right]_{\seq' \rightarrow \seq} \\
Q &= \left[ \text{RoPE}\left( W^Q \ndot{\emb} X \right) \right]_{\seq \rightarrow \seq'} \\
K &= \text{RoPE}\left( W^K \ndot{\emb} X \right) \\
V &= W^V \ndot{\emb} X \\
A &= \nfun{\seq}{softmax} \left( \frac{Q \ndot{\pair, \ri} K}{\sqrt{2 |\pair|}} + M \right)
\end{align*}

\subsection{Feedforward layers}
We use SwiGLU. With $W^G, W^U \in \reals^{\emb \times \hid}$ and $W^D \in \reals^{\hid \times \emb}$,
\begin{align*}
\text{SwiGLU} \colon \reals^{\emb} &\rightarrow \reals^{\emb} \\
\text{SwiGLU}(x; W^G, W^U, W^D) &= W^D \ndot{\hid} \left( \text{swish}\left( W^G \ndot{\emb} x \right) \odot \left( W^U \ndot{\emb} x \right) \right) \\
\text{swish}(a) &= \frac{a}{1 + e^{-a}}.
\end{align*}

\subsection{The whole decoder}
The input is a sequence of words $w \in [\voc]^{\seq}$, which are embedded by $E \in \reals^{\voc \times \emb}$:
\begin{align*}
X^0 &= E_{\voc(w)} \\
T^1 &= X^0 + \text{GQA}^1(\text{RMSNorm}^1(X^0)) \\
X^1 &= T^1 + \text{SwiGLU}^1(\text{RMSNorm}^{1\prime}(T^1)) \\
&\;\;\vdots \\
T^L &= X^{L-1} + \text{GQA}^L(\text{RMSNorm}^L(X^{L-1})) \\
X^L &= T^L + \text{SwiGLU}^L(\text{RMSNorm}^{L\prime}(T^L))
\end{align*}
and the output embeddings are tied to the input:
\begin{equation*}
O = \nfun{\voc}{softmax} \left( E \ndot{\emb} \text{RMSNorm}(X^L; g) \right)
\end{equation*}
\end{document}
""",
        [
            Fault(
                r"\sqrt{\nfun{\emb}{mean} x^2 + \epsilon}",
                r"\sqrt{\nfun{\hid}{mean} x^2 + \epsilon}",
            ),
            Fault(r"W^O \ndot{\grp, \head, \val} \left[", r"W^O \ndot{\grp, \head, \pair} \left["),
            Fault(
                r"W^V &\in \reals^{\emb \times \grp \times \val} \\",
                r"W^V &\in \reals^{\emb \times \grp \times \pair} \\",
                r"\text{GQA}(X; W^Q, W^K, W^V, W^O) &=",
            ),
        ],
        [
            Entry("RMSNorm", rms, "emb", {"x": "emb[4]"}, {"g": "emb[4]"}),
            Entry(
                "RoPE",
                rotated,
                "seq pair ri",
                {"U": "seq[4] pair[2] ri[2]"},
            ),
            Entry(
                "M",
                lambda w: np.where(
                    (np.arange(5) <= np.arange(5)[:, None])
                    & (np.arange(5)[:, None] - np.arange(5) < 2),
                    0.0,
                    -np.inf,
                ),
                "seq' seq",
                {},
                {"w": 2},
                {"seq": 5, "seq_": 5},
            ),
            Entry(
                "GQA",
                lambda X, Q, K, V, O, w: grouped(X, Q, K, V, O, w),
                "seq emb",
                {"X": "seq[5] emb[3]"},
                {
                    "WQ": "emb[3] group[2] head[2] pair[2] ri[2]",
                    "WK": "emb[3] group[2] pair[2] ri[2]",
                    "WV": "emb[3] group[2] val[3]",
                    "WO": "group[2] head[2] val[3] emb[3]",
                    "w": 3,
                },
            ),
            Entry(
                "swish",
                lambda a: a * sigmoid(a),
                "emb",
                {"a": "emb[4]"},
            ),
            Entry(
                "SwiGLU",
                swiglu,
                "emb",
                {"x": "emb[3]"},
                {"WG": "emb[3] hid[5]", "WU": "emb[3] hid[5]", "WD": "hid[5] emb[3]"},
            ),
            Entry(
                "X^0",
                lambda w, E: E[w],
                "seq emb",
                {"w": "seq[4] ~ whole 5"},
                {"E": "voc[5] emb[3]"},
            ),
            Entry(
                "O",
                decoded,
                "seq voc",
                {"w": "seq[4] ~ whole 5"},
                {
                    "E": "voc[5] emb[3]",
                    "g": "emb[3]",
                    "RMSNorm__1": {"g": "emb[3]"},
                    "GQA__1": {
                        "WQ": "emb[3] group[2] head[2] pair[2] ri[2]",
                        "WK": "emb[3] group[2] pair[2] ri[2]",
                        "WV": "emb[3] group[2] val[3]",
                        "WO": "group[2] head[2] val[3] emb[3]",
                        "w": 2,
                    },
                    "RMSNorm__1_": {"g": "emb[3]"},
                    "SwiGLU__1": {
                        "WG": "emb[3] hid[5]",
                        "WU": "emb[3] hid[5]",
                        "WD": "hid[5] emb[3]",
                    },
                },
                {"L": 1},
            ),
        ],
    ),
    Unseen(
        "recurrent_memory_appendix.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{namedtensor}
\ndef{\seq}{seq} \ndef{\chan}{chan} \ndef{\state}{state} \ndef{\key}{key} \ndef{\val}{val} \ndef{\ker}{ker}
\newcommand{\reals}{\mathbb{R}}
\newtheorem{proposition}{Proposition}
\begin{document}
\appendix
\section{Token mixers with a fixed-size memory}
\label{app:mixers}
All models that we compare replace attention by a recurrence. Here we define them in one notation. The input is always
$X \in \reals^{\seq[n] \times \chan}$.

\subsection{Selective state spaces}
The step size, the input and the output matrix depend on the token:
\begin{align}
\Delta &= \text{softplus}\left( W^\Delta \ndot{\chan} X + b^\Delta \right)_{\chan' \to \chan} & W^\Delta &\in \reals^{\chan \times \chan'}, \quad b^\Delta \in \reals^{\chan'} \\
B &= W^B \ndot{\chan} X & W^B &\in \reals^{\chan \times \state} \\
C &= W^C \ndot{\chan} X & W^C &\in \reals^{\chan \times \state}
\end{align}
With $A \in \reals^{\chan \times \state}$ (negative) and the zero-order hold $\bar A = \exp(\Delta \odot A)$, the state $h_{\seq(t)} \in \reals^{\chan \times \state}$ is
\begin{align}
h_{\seq(0)} &= 0 \\
h_{\seq(t)} &= \bar A_{\seq(t)} \odot h_{\seq(t-1)} + \Delta_{\seq(t)} \odot B_{\seq(t)} \odot X_{\seq(t)} \label{eq:scan} \\
\text{SSM}_{\seq(t)} &= C_{\seq(t)} \ndot{\state} h_{\seq(t)} + D \odot X_{\seq(t)}
\end{align}
where $D \in \reals^{\chan}$ is a skip connection. Here $\text{softplus}(a) = \log(1 + e^a)$.

\subsection{A short convolution}
Before the scan, each channel is filtered by a causal convolution with $k$ taps, $F \in \reals^{\chan \times \ker[k]}$. Unrolling the input,
\begin{align}
U_{\seq(t), \ker(j)} &= \begin{cases} X_{\seq(t-j+1)} & t \ge j \\ 0 & \text{otherwise} \end{cases} \\
\text{Conv}(X; F) &= \text{SiLU}\left( F \ndot{\ker} U \right).
\end{align}

\subsection{Retention}
Retention is linear attention with a decay $\gamma \in (0, 1)$. For queries and keys $q, k \in \reals^{\seq[n] \times \key}$ and values
$v \in \reals^{\seq[n] \times \val}$,
\begin{equation}
S_{\seq(t)} = \gamma S_{\seq(t-1)} + k_{\seq(t)} \odot v_{\seq(t)}, \qquad S_{\seq(0)} = 0, \label{eq:retention}
\end{equation}
and the output is $\text{ret}_{\seq(t)} = q_{\seq(t)} \ndot{\key} S_{\seq(t)}$.

\begin{proposition}
With the decay matrix
\begin{equation}
\Gamma_{\seq(t), \seq'(s)} = \begin{cases} \gamma^{t-s} & s \le t \\ 0 & s > t \end{cases}
\end{equation}
the outputs of \eqref{eq:retention} are, for all positions at once,
\begin{equation}
\text{par}(q, k, v) = \left( \left( q \ndot{\key} k_{\seq \to \seq'} \right) \odot \Gamma \right) \ndot{\seq'} v_{\seq \to \seq'}. \label{eq:parallel}
\end{equation}
\end{proposition}
\begin{proof}
Unrolling \eqref{eq:retention} gives $S_{\seq(t)} = \sum_{s=1}^{t} \gamma^{t-s} k_{\seq(s)} \odot v_{\seq(s)}$. Contract with $q_{\seq(t)}$ over $\key$.
\end{proof}

\subsection{The delta rule}
DeltaNet first removes what the memory holds under the key $k_{\seq(t)}$. With a writing strength $\beta \in (0, 1)^{\seq[n]}$ and $\hat k = k / \|k\|_{\key}$,
\begin{align}
e_{\seq(t)} &= v_{\seq(t)} - \hat k_{\seq(t)} \ndot{\key} M_{\seq(t-1)} \\
M_{\seq(t)} &= M_{\seq(t-1)} + \beta_{\seq(t)} \hat k_{\seq(t)} \odot e_{\seq(t)} \\
M_{\seq(0)} &= 0 \\
o_{\seq(t)} &= q_{\seq(t)} \ndot{\key} M_{\seq(t)}
\end{align}
This is a step of gradient descent: for $\ell(M) = \frac12 \nsum{\val} (v_{\seq(t)} - \hat k_{\seq(t)} \ndot{\key} M)^2$ we have
$M_{\seq(t)} = M_{\seq(t-1)} - \beta_{\seq(t)} \nabla \ell(M_{\seq(t-1)})$.

\subsection{Output}
In all variants the output is normalized per token and gated. For $Y \in \reals^{\seq[n] \times \val}$, with $W^g \in \reals^{\chan \times \val}$ and
$W^o \in \reals^{\val \times \chan}$,
\begin{equation}
\text{Out}(Y, X) = X + W^o \ndot{\val} \left( \nfun{\val}{standardize}(Y) \odot \text{SiLU}( W^g \ndot{\chan} X ) \right).
\end{equation}
\end{document}
""",
        [
            Fault(
                r"C_{\seq(t)} \ndot{\state} h_{\seq(t)}",
                r"C_{\seq(t)} \ndot{\key} h_{\seq(t)}",
            ),
            Fault(r"\ndot{\seq'} v_{\seq \to \seq'}.", r"\ndot{\seq'} v."),
            Fault(
                r"\odot \text{SiLU}( W^g \ndot{\chan} X )",
                r"\odot \text{SiLU}( W^g \ndot{\key} X )",
            ),
        ],
        [
            Entry(
                r"\Delta",
                lambda X, P, b: softplus(X @ P + b),
                "seq chan",
                {"X": "seq[4] chan[3]"},
                {"W__Delta": "chan[3] chan'[3]", "b__Delta": "chan'[3]"},
            ),
            Entry(
                "SSM",
                selective,
                "seq chan",
                {"X": "seq[4] chan[3]"},
                {
                    "A": "chan[3] state[2]",
                    "WB": "chan[3] state[2]",
                    "WC": "chan[3] state[2]",
                    "D": "chan[3]",
                    "W__Delta": "chan[3] chan'[3]",
                    "b__Delta": "chan'[3]",
                },
            ),
            Entry(
                "Conv",
                lambda X, F: (lambda u: u * sigmoid(u))(
                    np.stack([dilated(x, f, 1) for x, f in zip(X.T, F, strict=True)], 1)
                ),
                "seq chan",
                {"X": "seq[5] chan[2]"},
                {"F": "chan[2] ker[3]"},
            ),
            Entry(
                "ret",
                retained,
                "seq val",
                {"q": "seq[4] key[2]", "k": "seq[4] key[2]", "v": "seq[4] val[3]", "gamma": 0.9},
            ),
            Entry(
                "par",
                retained,
                "seq val",
                {"q": "seq[4] key[2]", "k": "seq[4] key[2]", "v": "seq[4] val[3]", "gamma": 0.9},
            ),
            Entry(
                "o",
                lambda q, k, v, beta: deltas(unit(k), v, q, beta),
                "seq val",
                {
                    "q": "seq[4] key[2]",
                    "k": "seq[4] key[2]",
                    "v": "seq[4] val[3]",
                    "beta": "seq[4] ~ probability seq",
                },
            ),
            Entry(
                "Out",
                lambda Y, X, g, o: (
                    X
                    + (
                        (Y - Y.mean(1, keepdims=True))
                        / np.sqrt(Y.var(1, keepdims=True) + 1e-5)
                        * (X @ g)
                        * sigmoid(X @ g)
                    )
                    @ o
                ),
                "seq chan",
                {"Y": "seq[4] val[3]", "X": "seq[4] chan[2]"},
                {"Wg": "chan[2] val[3]", "Wo": "val[3] chan[2]"},
            ),
        ],
    ),
    Unseen(
        "slots_method.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,algorithm,algpseudocode}
\newcommand{\nset}[1]{\ensuremath{\mathsf{#1}}}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\ndot}[1]{\mathbin{\underset{#1}{\boldsymbol\cdot}}}
\newcommand{\nfun}[2]{\underset{#1}{\operatorname{#2}}}
\newcommand{\nsum}[1]{\sum_{#1}}
\def\height{\nset{height}} \def\width{\nset{width}} \def\chans{\nset{chans}}
\def\prow{\nset{prow}} \def\pcol{\nset{pcol}} \def\dy{\nset{dy}} \def\dx{\nset{dx}}
\def\patch{\nset{patch}} \def\emb{\nset{emb}} \def\slots{\nset{slots}} \def\key{\nset{key}} \def\hid{\nset{hid}} \def\class{\nset{class}}
\begin{document}
\section{Method}
Our detector has three parts: an encoder that turns an image into a set of patches (Sec.~\ref{sec:patch}), slots that compete for them
(Sec.~\ref{sec:slots}), and a decoder that reads one object from each slot (Sec.~\ref{sec:out}).

\subsection{Patches}
\label{sec:patch}
Given an image $I \in \reals^{\height[H] \times \width[W] \times \chans}$, we cut it into patches of $p \times p$ pixels,
\begin{equation}
U_{\prow(i), \pcol(j), \dy(a), \dx(b)} = I_{\height(p(i-1) + a), \width(p(j-1) + b)}
\end{equation}
so that $U \in \reals^{\prow[H/p] \times \pcol[W/p] \times \dy[p] \times \dx[p] \times \chans}$. Patches are embedded, and rows and columns flattened into a single axis:
\begin{equation}
X = \left( W^{\text{patch}} \ndot{\dy, \dx, \chans} U + E \right)_{(\prow, \pcol) \rightarrow \patch}
\end{equation}
where $W^{\text{patch}} \in \reals^{\dy[p] \times \dx[p] \times \chans \times \emb}$ and $E \in \reals^{\prow \times \pcol \times \emb}$ is a position embedding.

\subsection{Slot attention}
\label{sec:slots}
For any set of patches $X \in \reals^{\patch \times \emb}$ and slots $S \in \reals^{\slots \times \emb}$ we define keys, queries and values with
$W^K, W^Q \in \reals^{\emb \times \key}$ and $W^V \in \reals^{\emb \times \emb'}$. In contrast to usual attention, the softmax is over the slots, which have to
compete, and weights are normalized over patches afterwards:
\begin{align}
A(S, X) &= \nfun{\slots}{softmax} \left( \frac{(W^Q \ndot{\emb} S) \ndot{\key} (W^K \ndot{\emb} X)}{\sqrt{|\key|}} \right) \label{eq:compete} \\
\bar A(S, X) &= \frac{A(S, X)}{\nsum{\patch} A(S, X)} \\
\text{update}(S, X) &= \left[ \bar A(S, X) \ndot{\patch} (W^V \ndot{\emb} X) \right]_{\emb' \rightarrow \emb}
\end{align}
Slots are refined by a residual network with $W^1 \in \reals^{\emb \times \hid}$ and $W^2 \in \reals^{\hid \times \emb}$,
\begin{equation}
\text{FFN}(S) = S + W^2 \ndot{\hid} \text{ReLU}(W^1 \ndot{\emb} S).
\end{equation}
Algorithm~\ref{alg:slots} puts the parts together.

\begin{algorithm}
\caption{Slot attention}\label{alg:slots}
\begin{algorithmic}[1]
\Require patches $X \in \reals^{\patch \times \emb}$, initial slots $S \in \reals^{\slots \times \emb}$
\For{$t = 1, \dots, T$}
  \State $S \gets S + \text{update}(S, X)$
  \State $S \gets \text{FFN}(S)$
\EndFor
\State \Return $S$
\end{algorithmic}
\end{algorithm}

\subsection{Objects}
\label{sec:out}
Each slot predicts a class and a box, $\nset{box} = \{\text{left}, \text{top}, \text{right}, \text{bottom}\}$:
\begin{align}
P(S) &= \nfun{\class}{softmax} (W^C \ndot{\emb} S + b^C) & W^C &\in \reals^{\emb \times \class},\ b^C \in \reals^{\class} \\
B(S) &= \sigma(W^B \ndot{\emb} S + b^B) & W^B &\in \reals^{\emb \times \nset{box}[4]},\ b^B \in \reals^{\nset{box}[4]}
\end{align}
Targets are $Y \in \{0, 1\}^{\nset{obj} \times \class}$ and $G \in [0, 1]^{\nset{obj} \times \nset{box}[4]}$. The cost of assigning slot $s$ to object $o$ is
\begin{equation}
\text{cost}(S) = -P(S) \ndot{\class} Y + \lambda \nsum{\nset{box}} |B(S) - G|
\end{equation}
with $\lambda = 5$. For an optimal assignment $\Pi \in \{0, 1\}^{\slots \times \nset{obj}}$, found with the Hungarian algorithm, the loss is
\begin{equation}
\mathcal{L}(S, \Pi) = -\nsum{\slots, \nset{obj}} \Pi \odot \log (P(S) \ndot{\class} Y) + \lambda \nsum{\slots, \nset{obj}} \Pi \odot \nsum{\nset{box}} |B(S) - G|.
\end{equation}

\paragraph{Low-rank adaptation.} To transfer to a new domain, we freeze all weights and learn $\Delta W^Q = \frac{\alpha}{r} F \ndot{\nset{rank}} D$ with
$F \in \reals^{\emb \times \nset{rank}[r]}$ and $D \in \reals^{\nset{rank}[r] \times \key}$. The adapted queries are
\begin{equation}
Q'(S) = \left( W^Q + \frac{\alpha}{r} F \ndot{\nset{rank}} D \right) \ndot{\emb} S .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"A(S, X) &= \nfun{\slots}{softmax} \left(",
                r"A(S, X) &= \nfun{\class}{softmax} \left(",
            ),
            Fault(
                r"\left[ \bar A(S, X) \ndot{\patch} (W^V \ndot{\emb} X) \right]_{\emb' \rightarrow \emb}",
                r"\left[ \bar A(S, X) \ndot{\patch} (W^V \ndot{\emb} X) \right]_{\hid \rightarrow \emb}",
            ),
            Fault(
                r"\left( W^Q + \frac{\alpha}{r} F \ndot{\nset{rank}} D \right) \ndot{\emb} S",
                r"\left( W^Q + \frac{\alpha}{r} F \ndot{\nset{rank}} D \right) \ndot{\hid} S",
            ),
        ],
        [
            Entry(
                "U",
                lambda I: patches(I, 2),
                "prow pcol dy dx chans",
                {"I": "height[4] width[6] chans[2]"},
                {},
                {"p": 2},
            ),
            Entry(
                "X",
                lambda I, W, E: (np.einsum("ijabc,abce->ije", patches(I, 2), W) + E).reshape(6, 3),
                "patch emb",
                {"I": "height[4] width[6] chans[2]"},
                {"W__patch": "dy[2] dx[2] chans[2] emb[3]", "E": "prow[2] pcol[3] emb[3]"},
            ),
            Entry(
                "A",
                lambda S, X, Q, K: softmax((S @ Q) @ (X @ K).T / np.sqrt(2), 0),
                "slots patch",
                {"S": "slots[3] emb[4]", "X": "patch[5] emb[4]"},
                {"WQ": "emb[4] key[2]", "WK": "emb[4] key[2]"},
            ),
            Entry(
                "update",
                lambda S, X, Q, K, V: (lambda a: a / a.sum(1, keepdims=True) @ (X @ V))(
                    softmax((S @ Q) @ (X @ K).T / np.sqrt(2), 0)
                ),
                "slots emb",
                {"S": "slots[3] emb[4]", "X": "patch[5] emb[4]"},
                {"WQ": "emb[4] key[2]", "WK": "emb[4] key[2]", "WV": "emb[4] emb'[4]"},
            ),
            Entry(
                "S",
                lambda S, X, Q, K, V, W1, W2: slots(S, X, Q, K, V, W1, W2, 3),
                "slots emb",
                {"S": "slots[3] emb[4]", "X": "patch[5] emb[4]"},
                {
                    "WQ": "emb[4] key[2]",
                    "WK": "emb[4] key[2]",
                    "WV": "emb[4] emb'[4]",
                    "W1": "emb[4] hid[5]",
                    "W2": "hid[5] emb[4]",
                },
                {"T": 3},
            ),
            Entry(
                "P",
                lambda S, W, b: softmax(S @ W + b),
                "slots class",
                {"S": "slots[3] emb[4]"},
                {"WC": "emb[4] class[3]", "bC": "class[3]"},
            ),
            Entry(
                "cost",
                lambda S, W, b, V, c, Y, G: (
                    -softmax(S @ W + b) @ Y.T + 5 * np.abs(sigmoid(S @ V + c)[:, None] - G).sum(-1)
                ),
                "slots obj",
                {"S": "slots[3] emb[4]"},
                {
                    "WC": "emb[4] class[3]",
                    "bC": "class[3]",
                    "WB": "emb[4] box[4]",
                    "bB": "box[4]",
                    "Y": "obj[2] class[3] ~ one-hot class",
                    "G": "obj[2] box[4] ~ probability box",
                },
            ),
            Entry(
                r"\mathcal{L}",
                lambda S, Z, W, b, V, c, Y, G: (
                    -(Z * np.log(softmax(S @ W + b) @ Y.T)).sum()
                    + 5 * (Z * np.abs(sigmoid(S @ V + c)[:, None] - G).sum(-1)).sum()
                ),
                "",
                {"S": "slots[3] emb[4]", "Pi": "slots[3] obj[2] ~ bits"},
                {
                    "WC": "emb[4] class[3]",
                    "bC": "class[3]",
                    "WB": "emb[4] box[4]",
                    "bB": "box[4]",
                    "Y": "obj[2] class[3] ~ one-hot class",
                    "G": "obj[2] box[4] ~ probability box",
                },
            ),
            Entry(
                "Q'",
                lambda S, W, F, D, alpha: S @ (W + alpha / 2 * F @ D),
                "slots key",
                {"S": "slots[3] emb[4]"},
                {
                    "WQ": "emb[4] key[2]",
                    "F": "emb[4] rank[2]",
                    "D": "rank[2] key[2]",
                    "alpha": 4.0,
                },
            ),
        ],
    ),
]
