"""How far operators reach, functions of undeclared arguments, and relations that define nothing."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


DOCUMENTS = [
    Unseen(
        "errors.md",
        r"""# Measuring a forecast

$$Y, F \in \mathbb{R}^{\text{day}:n, \text{site}:m}$$

Forecasts $F$ are held against what came, $Y$.

$$\begin{aligned}
\text{mse}(Y, F) &= \underset{\text{day}}{\text{mean}} (Y - F)^2 \\
\text{rss}(Y, F) &= \sum_{\text{day}} (Y - F)^2 \\
\text{rmse}(Y, F) &= \sqrt{\underset{\text{day}}{\text{mean}} (Y - F)^2} \\
\text{bias}(Y, F) &= \left( \underset{\text{day}}{\text{mean}} (F - Y) \right)^2
\end{aligned}$$

The share that is explained is

$$R(Y, F) = 1 - \frac{\sum_{\text{day}} (Y - F)^2}{\sum_{\text{day}} (Y - \bar{Y})^2}, \qquad \bar{Y} = \underset{\text{day}}{\text{mean}} (Y)$$

| site | $R$ |
|---|---|
| A | 0.71 |
""",
        [
            Fault(
                r"\text{rss}(Y, F) &= \sum_{\text{day}}", r"\text{rss}(Y, F) &= \sum_{\text{time}}"
            ),
            Fault(
                r"\sqrt{\underset{\text{day}}{\text{mean}} (Y",
                r"\sqrt{\underset{\text{hour}}{\text{mean}} (Y",
            ),
            Fault(
                r"\bar{Y} = \underset{\text{day}}{\text{mean}} (Y)",
                r"\bar{Y} = \underset{\text{days}}{\text{mean}} (Y)",
            ),
        ],
        [
            Entry(
                "mse",
                lambda Y, F: ((Y - F) ** 2).mean(0),
                "site",
                {"Y": "day[4] site[2]", "F": "day[4] site[2]"},
            ),
            Entry(
                "rss",
                lambda Y, F: ((Y - F) ** 2).sum(0),
                "site",
                {"Y": "day[4] site[2]", "F": "day[4] site[2]"},
            ),
            Entry(
                "rmse",
                lambda Y, F: np.sqrt(((Y - F) ** 2).mean(0)),
                "site",
                {"Y": "day[4] site[2]", "F": "day[4] site[2]"},
            ),
            Entry(
                "bias",
                lambda Y, F: ((F - Y).mean(0)) ** 2,
                "site",
                {"Y": "day[4] site[2]", "F": "day[4] site[2]"},
            ),
            Entry(
                "R",
                lambda Y, F: 1 - ((Y - F) ** 2).sum(0) / ((Y - Y.mean(0)) ** 2).sum(0),
                "site",
                {"Y": "day[4] site[2]", "F": "day[4] site[2]"},
            ),
        ],
    ),
    Unseen(
        "autoencoder.tex",
        r"""\ndef{\pix}{pix}\ndef{\code}{code}\ndef{\tok}{tok}
\section{A denoising autoencoder}
\begin{align}
X &\in \mathbb{R}^{\tok \times \pix} & V &\in \mathbb{R}^{\pix \times \code} & c &\in \mathbb{R}^{\code} \\
\mathrm{enc}(X; V, c) &= \sigma(V \ndot{\pix} X + c) \\
\mathrm{dec}(Z; V) &= V \ndot{\code} Z & Z &\in \mathbb{R}^{\tok \times \code} \\
\mathrm{err}(X; V, c) &= \nsum{\pix} (X - \mathrm{dec}(\mathrm{enc}(X; V, c); V))^2 \\
\mathrm{loss}(X; V, c) &= \nfun{\tok}{mean} \mathrm{err}(X; V, c) + \beta \nsum{\code} \nfun{\tok}{mean} \sigma(V \ndot{\pix} X)^2
\end{align}
Here $\sigma(z)^2$ is the square of the value, and $\beta \in \mathbb{R}$.
""",
        [
            Fault(r"V \ndot{\code} Z", r"V \ndot{\pix} Z"),
            Fault(r"\nsum{\pix} (X -", r"\nsum{\code} (X -"),
            Fault(
                r"\nsum{\code} \nfun{\tok}{mean} \sigma", r"\nsum{\pix} \nfun{\tok}{mean} \sigma"
            ),
        ],
        [
            Entry(
                "enc",
                lambda X, V, c: sigmoid(X @ V + c),
                "tok code",
                {"X": "tok[3] pix[4]"},
                {"V": "pix[4] code[2]", "c": "code[2]"},
            ),
            Entry(
                "err",
                lambda X, V, c: ((X - sigmoid(X @ V + c) @ V.T) ** 2).sum(1),
                "tok",
                {"X": "tok[3] pix[4]"},
                {"V": "pix[4] code[2]", "c": "code[2]"},
            ),
        ],
    ),
    Unseen(
        "focal.md",
        r"""# Rare objects

A detector gives scores $s \in \mathbb{R}^{\text{box}}$ with labels $y \in \{0,1\}^{\text{box}}$.

$$
\begin{aligned}
p(s) &= \frac{1}{1 + \exp(-s)} \\
\text{brier}(s, y) &= \underset{\text{box}}{\text{mean}} (p(s) - y)^2 \\
\text{easy}(s) &= \sum_{\text{box}} p(s)^2 \\
\text{focal}(s, y) &= -\sum_{\text{box}} y (1 - p(s))^2 \log p(s) \\
\text{soft}(s) &= \tanh(s)^2
\end{aligned}
$$

*Boxes* may come with classes too: $S \in \mathbb{R}^{\text{box}, \text{kind}}$ and then

$$
\text{entropy}(S) = -\sum_{\text{kind}} P \odot \log P \quad \text{where} \quad P = \underset{\text{kind}}{\text{softmax}} (S)
$$
""",
        [
            Fault(
                r"\underset{\text{box}}{\text{mean}} (p(s)",
                r"\underset{\text{boxes}}{\text{mean}} (p(s)",
            ),
            Fault(r"\sum_{\text{box}} p(s)^2", r"\sum_{\text{kind}} p(s)^2"),
            Fault(r"-\sum_{\text{kind}} P", r"-\sum_{\text{class}} P"),
        ],
        [
            Entry(
                "brier",
                lambda s, y: ((sigmoid(s) - y) ** 2).mean(),
                "",
                {"s": "box[4]", "y": "box[4] ~ bits"},
            ),
            Entry("easy", lambda s: (sigmoid(s) ** 2).sum(), "", {"s": "box[4]"}),
            Entry(
                "focal",
                lambda s, y: -(y * (1 - sigmoid(s)) ** 2 * np.log(sigmoid(s))).sum(),
                "",
                {"s": "box[4]", "y": "box[4] ~ bits"},
            ),
            Entry("soft", lambda s: np.tanh(s) ** 2, "box", {"s": "box[4]"}),
            Entry(
                "entropy",
                lambda S: -(softmax(S) * np.log(softmax(S))).sum(1),
                "box",
                {"S": "box[2] kind[3]"},
            ),
        ],
    ),
    Unseen(
        "style.tex",
        r"""\documentclass{beamer}
\begin{document}
\begin{frame}{Style and content}
\begin{align*}
C, S, G &\in \mathbb{R}^{\name{chan} \times \name{pos}} \\
\mathrm{gram}(G) &= \frac{G \ndot{\name{pos}} G_{\name{chan}\rightarrow\name{chan}'}}{|\name{pos}|} \\
\mathrm{content}(G, C) &= \frac12 \nsum{\name{chan} \\ \name{pos}} (G - C)^2 \\
\mathrm{styled}(G, S) &= \nsum{\name{chan} \\ \name{chan}'} (\mathrm{gram}(G) - \mathrm{gram}(S))^2
\end{align*}
\end{frame}
\begin{frame}{Smoothness}
Neighbours should look alike:
\begin{align*}
\mathrm{tv}(G) &= \nfun{\name{chan}}{mean} \nfun{\name{pos}}{var} (G) \\
\mathrm{all}(G, C, S) &= \mathrm{content}(G, C) + 10 \, \mathrm{styled}(G, S) + \mathrm{tv}(G)
\end{align*}
\end{frame}
\end{document}
""",
        [
            Fault(
                r"G \ndot{\name{pos}} G_{\name{chan}\rightarrow\name{chan}'}",
                r"G \ndot{\name{chan}'} G_{\name{chan}\rightarrow\name{chan}'}",
            ),
            Fault(
                r"\frac12 \nsum{\name{chan} \\ \name{pos}} (G - C)^2",
                r"\frac12 \nsum{\name{chan} \\ \name{chan}'} (G - C)^2",
            ),
            Fault(r"\nfun{\name{chan}}{mean} \nfun", r"\nfun{\name{pos}}{mean} \nfun"),
        ],
        [
            Entry("gram", lambda G: G @ G.T / 4, "chan chan'", {"G": "chan[2] pos[4]"}),
            Entry(
                "content",
                lambda G, C: 0.5 * ((G - C) ** 2).sum(),
                "",
                {"G": "chan[2] pos[4]", "C": "chan[2] pos[4]"},
            ),
            Entry(
                "styled",
                lambda G, S: ((G @ G.T / 4 - S @ S.T / 4) ** 2).sum(),
                "",
                {"G": "chan[2] pos[4]", "S": "chan[2] pos[4]"},
            ),
        ],
    ),
    Unseen(
        "gaussian_process.md",
        r"""# Regression with Gaussian processes

The kernel compares any two sets of points:

$$k(A, B) = \exp \left( -\frac{1}{2} \sum_{\text{dim}} (A - B)^2 \right)$$

Let $X \in \mathbb{R}^{\text{train}:n, \text{dim}}$ be the inputs, $y \in \mathbb{R}^{\text{train}:n}$ the targets and
$Z \in \mathbb{R}^{\text{test}:m, \text{dim}}$ new points.

$$\begin{aligned}
K(X) &= k(X, [X]_{\text{train} \rightarrow \text{train}'}) \\
\text{cross}(Z, X) &= k(Z, X) \\
\text{smooth}(Z, X, y) &= \frac{\text{cross}(Z, X) \underset{\text{train}}{\cdot} y}{\sum_{\text{train}} \text{cross}(Z, X)}
\end{aligned}$$

## A periodic kernel

$$\text{per}(a, b) = \exp\left( -2 \sum_{\text{dim}} \sin(a - b)^2 \right), \qquad Q(X) = \text{per}(X, [X]_{\text{train} \rightarrow \text{train}'})$$
""",
        [
            Fault(r"\sum_{\text{dim}} (A - B)^2", r"\sum_{\text{dims}} (A - B)^2", r"K(X) &= k"),
            Fault(r"\underset{\text{train}}{\cdot} y", r"\underset{\text{test}}{\cdot} y"),
            Fault(r"-2 \sum_{\text{dim}} \sin", r"-2 \sum_{\text{train}} \sin"),
        ],
        [
            Entry(
                "K",
                lambda X: np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(2)),
                "train train'",
                {"X": "train[3] dim[2]"},
            ),
            Entry(
                "cross",
                lambda Z, X: np.exp(-0.5 * ((Z[:, None] - X) ** 2).sum(2)),
                "test train",
                {"Z": "test[2] dim[2]", "X": "train[3] dim[2]"},
            ),
            Entry(
                "Q",
                lambda X: np.exp(-2 * (np.sin(X[:, None] - X) ** 2).sum(2)),
                "train train'",
                {"X": "train[3] dim[2]"},
            ),
        ],
    ),
    Unseen(
        "metric_learning.tex",
        r"""\section{Helpers}
For any $x$ let
\begin{equation}
\text{normalize}(x) = \frac{x}{\sqrt{\sum_{\text{emb}} x^2}}, \qquad \cos(a, b) = \text{normalize}(a) \underset{\text{emb}}{\cdot} \text{normalize}(b).
\end{equation}
and let $\text{MSE}(a, b) = \underset{\text{emb}}{\text{mean}} (a - b)^2$ be the error.

\section{Triplets}
An anchor, a positive and some negatives are embedded as
\begin{equation}
A, P \in \mathbb{R}^{\text{batch}, \text{emb}}, \quad N \in \mathbb{R}^{\text{batch}, \text{neg}, \text{emb}}.
\end{equation}
\begin{align}
\text{near}(A, P) &= \text{normalize}(A) \underset{\text{emb}}{\cdot} \text{normalize}(P) \\
\text{far}(A, N) &= \underset{\text{neg}}{\max} \left( \text{normalize}(A) \underset{\text{emb}}{\cdot} \text{normalize}(N) \right) \\
\text{triplet}(A, P, N) &= \underset{\text{batch}}{\text{mean}} \, \text{relu}( \text{far}(A, N) - \text{near}(A, P) + 0.2) \\
\text{distil}(A, P) &= \underset{\text{batch}}{\text{mean}} \, \text{MSE}(A, P)
\end{align}
""",
        [
            Fault(
                r"\text{normalize}(A) \underset{\text{emb}}{\cdot} \text{normalize}(P)",
                r"\text{normalize}(A) \underset{\text{neg}}{\cdot} \text{normalize}(P)",
            ),
            Fault(r"\underset{\text{neg}}{\max} \left(", r"\underset{\text{emb}}{\max} \left("),
            Fault(
                r"\underset{\text{batch}}{\text{mean}} \, \text{MSE}(A, P)",
                r"\underset{\text{emb}}{\text{mean}} \, \text{MSE}(A, P)",
            ),
        ],
        [
            Entry(
                "near",
                lambda A, P: (
                    (A / np.linalg.norm(A, axis=1, keepdims=True))
                    * (P / np.linalg.norm(P, axis=1, keepdims=True))
                ).sum(1),
                "batch",
                {"A": "batch[2] emb[3]", "P": "batch[2] emb[3]"},
            ),
            Entry(
                "distil",
                lambda A, P: ((A - P) ** 2).mean(),
                "",
                {"A": "batch[2] emb[3]", "P": "batch[2] emb[3]"},
            ),
        ],
    ),
    Unseen(
        "flow.md",
        r"""# Normalising flows

An affine flow on $z \in \mathbb{R}^{\text{dim}}$ with scale $s$ and shift $t$, both in $\mathbb{R}^{\text{dim}}$:

$$s, t \in \mathbb{R}^{\text{dim}}$$

$$\begin{aligned}
f(z; s, t) &= \exp(s) \odot z + t \\
f^{-1}(x; s, t) &= \exp(-s) \odot (x - t)
\end{aligned}$$

The volume changes by

$$\text{logdet}(s) = \sum_{\text{dim}} s$$

and the base density is that of the normal distribution,

$$\text{base}(z) = -\frac{1}{2} \sum_{\text{dim}} (z^2 + \log(2 \pi)).$$

So for $x \in \mathbb{R}^{\text{sample}, \text{dim}}$

$$\text{loglik}(x; s, t) = \text{base}(f^{-1}(x; s, t)) - \text{logdet}(s)$$

and over a sample

$$\text{nll}(x; s, t) = -\underset{\text{sample}}{\text{mean}} \text{loglik}(x; s, t)$$
""",
        [
            Fault(
                r"\text{logdet}(s) = \sum_{\text{dim}} s",
                r"\text{logdet}(s) = \sum_{\text{sample}} s",
            ),
            Fault(r"-\frac{1}{2} \sum_{\text{dim}} (z^2", r"-\frac{1}{2} \sum_{\text{dims}} (z^2"),
            Fault(
                r"-\underset{\text{sample}}{\text{mean}} \text{loglik}",
                r"-\underset{\text{dim}}{\text{mean}} \text{loglik}",
            ),
        ],
        [
            Entry(
                "f",
                lambda z, s, t: np.exp(s) * z + t,
                "dim",
                {"z": "dim[3]"},
                {"s": "dim[3]", "t": "dim[3]"},
            ),
            Entry(
                "loglik",
                lambda x, s, t: (
                    -0.5 * ((np.exp(-s) * (x - t)) ** 2 + np.log(2 * np.pi)).sum(1) - s.sum()
                ),
                "sample",
                {"x": "sample[2] dim[3]"},
                {"s": "dim[3]", "t": "dim[3]"},
            ),
            Entry(
                "nll",
                lambda x, s, t: (
                    -(
                        -0.5 * ((np.exp(-s) * (x - t)) ** 2 + np.log(2 * np.pi)).sum(1) - s.sum()
                    ).mean()
                ),
                "",
                {"x": "sample[2] dim[3]"},
                {"s": "dim[3]", "t": "dim[3]"},
            ),
        ],
    ),
    Unseen(
        "distances.tex",
        r"""\ndef{\pt}{pt} \ndef{\dim}{dim} \ndef{\ctr}{ctr}
\section{Distances}
\begin{align}
d(u, v) &= \sqrt{\nsum{\dim} (u - v)^2} \label{a} \\
m(u, v) &= \nfun{\dim}{max} |u - v| \label{b}
\end{align}
\section{Points and centres}
\begin{align}
X &\in \mathbb{R}^{\pt \times \dim} & C &\in \mathbb{R}^{\ctr \times \dim} \\
\mathrm{quant}(X; C) &= \nfun{\pt}{mean} \nfun{\ctr}{min} d(X, C) \\
\mathrm{cover}(X; C) &= \nfun{\pt}{max} \nfun{\ctr}{min} m(X, C) \\
\mathrm{assign}(X; C) &= \nfun{\ctr}{softmax} (-d(X, C))
\end{align}
Equation \eqref{a} may be replaced by \eqref{b} everywhere.
""",
        [
            Fault(
                r"\sqrt{\nsum{\dim} (u - v)^2}", r"\sqrt{\nsum{\ctr} (u - v)^2}", r"\mathrm{quant}"
            ),
            Fault(
                r"\nfun{\pt}{mean} \nfun{\ctr}{min} d(X, C)",
                r"\nfun{\dim}{mean} \nfun{\ctr}{min} d(X, C)",
            ),
            Fault(r"\nfun{\ctr}{softmax}", r"\nfun{\dim}{softmax}"),
        ],
        [
            Entry(
                "quant",
                lambda X, C: np.linalg.norm(X[:, None] - C, axis=2).min(1).mean(),
                "",
                {"X": "pt[4] dim[2]"},
                {"C": "ctr[3] dim[2]"},
            ),
            Entry(
                "cover",
                lambda X, C: np.abs(X[:, None] - C).max(2).min(1).max(),
                "",
                {"X": "pt[4] dim[2]"},
                {"C": "ctr[3] dim[2]"},
            ),
            Entry(
                "assign",
                lambda X, C: softmax(-np.linalg.norm(X[:, None] - C, axis=2)),
                "pt ctr",
                {"X": "pt[4] dim[2]"},
                {"C": "ctr[3] dim[2]"},
            ),
        ],
    ),
    Unseen(
        "logistic.md",
        r"""# Multinomial regression, once more

Let $x \in \mathbb{R}^{\text{feat}}$, weights $W \in \mathbb{R}^{\text{feat}, \text{klass}}$ and offsets $b \in \mathbb{R}^{\text{klass}}$.
The label is one-hot, $y \in \{0,1\}^{\text{klass}}$.

$$p(y \mid x) = \underset{\text{klass}}{\text{softmax}} (W \underset{\text{feat}}{\cdot} x + b)$$

so that

$$\sum_{\text{klass}} p(y \mid x) = 1, \qquad \sum_{\text{klass}} y = 1 .$$

The loss and its gradient are

$$\ell(x, y; W, b) = -\sum_{\text{klass}} y \log \underset{\text{klass}}{\text{softmax}} (W \underset{\text{feat}}{\cdot} x + b)$$

$$\frac{\partial \ell}{\partial W} = x \odot (q - y), \qquad q = \underset{\text{klass}}{\text{softmax}} (W \underset{\text{feat}}{\cdot} x + b)$$

$$\frac{\partial \ell}{\partial b} = q - y$$
""",
        [
            Fault(
                r"p(y \mid x) = \underset{\text{klass}}", r"p(y \mid x) = \underset{\text{feat}}"
            ),
            Fault(r"\sum_{\text{klass}} y = 1", r"\sum_{\text{feat}} y = 1"),
            Fault(
                r"\frac{\partial \ell}{\partial b} = q - y",
                r"\frac{\partial \ell}{\partial b} = q - x",
            ),
        ],
        [
            Entry(
                "ell",
                lambda x, y, W, b: -(y * np.log(softmax(x @ W + b))).sum(),
                "",
                {"x": "feat[3]", "y": "klass[4] ~ one-hot klass"},
                {"W": "feat[3] klass[4]", "b": "klass[4]"},
            ),
            Entry(
                "q",
                lambda W, x, b: softmax(x @ W + b),
                "klass",
                {"W": "feat[3] klass[4]", "x": "feat[3]", "b": "klass[4]"},
            ),
        ],
    ),
    Unseen(
        "boltzmann.tex",
        r"""\section{Restricted Boltzmann machines}
\ndef{\vis}{vis}\ndef{\hid}{hid}
Visible and hidden units with weights,
\begin{align}
v &\in \mathbb{R}^{\vis} & h &\in \mathbb{R}^{\hid} & W &\in \mathbb{R}^{\vis \times \hid} \\
a &\in \mathbb{R}^{\vis} & c &\in \mathbb{R}^{\hid}
\end{align}
have the energy
\begin{equation}
E(v, h; W, a, c) = -a \ndot{\vis} v - c \ndot{\hid} h - v \ndot{\vis} W \ndot{\hid} h.
\end{equation}
Summing out the hidden ones gives the free energy
\begin{equation}
F(v; W, a, c) = -a \ndot{\vis} v - \nsum{\hid} \log(1 + \exp(c + W \ndot{\vis} v)),
\end{equation}
and, given the visible ones,
\begin{equation}
p(h \mid v) = \sigma(c + W \ndot{\vis} v), \qquad p(v \mid h) = \sigma(a + W \ndot{\hid} h).
\end{equation}
For a data set $D \in \mathbb{R}^{\name{ex} \times \vis}$ with partition function over a sample
$S \in \mathbb{R}^{\name{draw} \times \vis}$,
\begin{equation}
\log Z = \nfun{\name{draw}}{logsumexp} (-F(S; W, a, c)), \qquad
\mathrm{nll}(D; W, a, c) = \nfun{\name{ex}}{mean} F(D; W, a, c) + \log Z.
\end{equation}
""",
        [
            Fault(r"\nsum{\hid} \log(1 +", r"\nsum{\vis} \log(1 +"),
            Fault(r"\sigma(a + W \ndot{\hid} h)", r"\sigma(c + W \ndot{\hid} h)"),
            Fault(r"\nfun{\name{draw}}{logsumexp} (-F(S", r"\nfun{\name{ex}}{logsumexp} (-F(S"),
        ],
        [
            Entry(
                "E",
                lambda v, h, W, a, c: -a @ v - c @ h - v @ W @ h,
                "",
                {"v": "vis[3]", "h": "hid[2]"},
                {"W": "vis[3] hid[2]", "a": "vis[3]", "c": "hid[2]"},
            ),
            Entry(
                "F",
                lambda v, W, a, c: -a @ v - np.log(1 + np.exp(c + v @ W)).sum(),
                "",
                {"v": "vis[3]"},
                {"W": "vis[3] hid[2]", "a": "vis[3]", "c": "hid[2]"},
            ),
        ],
    ),
    Unseen(
        "naive_bayes.md",
        r"""# Naive Bayes for spam

Word counts $n \in \mathbb{R}^{\text{word}}$, priors $\pi \in [0,1]^{\text{cls}}$ and $\theta \in (0,1)^{\text{cls}, \text{word}}$.

Each row is a distribution:

$$\sum_{\text{word}} \theta = 1 \qquad \sum_{\text{cls}} \pi = 1$$

The joint is

$$\text{joint}(n; \pi, \theta) = \log \pi + \sum_{\text{word}} n \odot \log \theta$$

and so, by Bayes' rule,

$$\log p(n) = \underset{\text{cls}}{\text{logsumexp}}(\text{joint}(n; \pi, \theta))$$

$$\text{post}(n; \pi, \theta) = \underset{\text{cls}}{\text{softmax}} (\text{joint}(n; \pi, \theta))$$

For many mails $M \in \mathbb{R}^{\text{mail}, \text{word}}$ with labels $c \in \{0,1\}^{\text{mail}, \text{cls}}$ the estimate is

$$\text{fit}(M, c) = \frac{1 + M \underset{\text{mail}}{\cdot} c}{\sum_{\text{word}} (1 + M \underset{\text{mail}}{\cdot} c)}$$
""",
        [
            Fault(r"\sum_{\text{cls}} \pi = 1", r"\sum_{\text{word}} \pi = 1"),
            Fault(r"\sum_{\text{word}} n \odot", r"\sum_{\text{mail}} n \odot"),
            Fault(
                r"\underset{\text{cls}}{\text{logsumexp}}",
                r"\underset{\text{word}}{\text{logsumexp}}",
            ),
        ],
        [
            Entry(
                "joint",
                lambda n, p, t: np.log(p) + (n * np.log(t)).sum(1),
                "cls",
                {"n": "word[4] ~ counts"},
                {"pi": "cls[2] ~ positive", "theta": "cls[2] word[4] ~ positive"},
            ),
            Entry(
                "post",
                lambda n, p, t: softmax(np.log(p) + (n * np.log(t)).sum(1)),
                "cls",
                {"n": "word[4] ~ counts"},
                {"pi": "cls[2] ~ positive", "theta": "cls[2] word[4] ~ positive"},
            ),
            Entry(
                "fit",
                lambda M, c: (1 + c.T @ M) / (1 + c.T @ M).sum(1, keepdims=True),
                "cls word",
                {"M": "mail[3] word[4] ~ counts", "c": "mail[3] cls[2] ~ bits"},
            ),
        ],
    ),
    Unseen(
        "identities.tex",
        r"""\section{Identities worth knowing}
Let $A \in \mathbb{R}^{\text{row}, \text{col}}$, $x \in \mathbb{R}^{\text{col}}$ and $z \in \mathbb{R}^{\text{row}}$.
\begin{align}
z \underset{\text{row}}{\cdot} (A \underset{\text{col}}{\cdot} x) &= (z \underset{\text{row}}{\cdot} A) \underset{\text{col}}{\cdot} x \\
\sum_{\text{row}} \sum_{\text{col}} A &= \sum_{\text{col}} \sum_{\text{row}} A \\
\underset{\text{col}}{\text{softmax}} (x + 3) &= \underset{\text{col}}{\text{softmax}} (x)
\end{align}
We use them for the quadratic form
\begin{equation}
\text{quad}(A, x) = \sum_{\text{row}} (A \underset{\text{col}}{\cdot} x)^2
\end{equation}
whose gradient is
\begin{equation}
\frac{\partial \, \text{quad}}{\partial x} = 2 A \underset{\text{row}}{\cdot} (A \underset{\text{col}}{\cdot} x).
\end{equation}
""",
        [
            Fault(r"z \underset{\text{row}}{\cdot} (A", r"z \underset{\text{col}}{\cdot} (A"),
            Fault(
                r"&= \underset{\text{col}}{\text{softmax}} (x)",
                r"&= \underset{\text{row}}{\text{softmax}} (x)",
            ),
            Fault(r"2 A \underset{\text{row}}{\cdot} (A", r"2 A \underset{\text{col}}{\cdot} (A"),
        ],
        [
            Entry(
                "quad", lambda A, x: ((A @ x) ** 2).sum(), "", {"A": "row[2] col[3]", "x": "col[3]"}
            ),
        ],
    ),
]
