"""Models of other fields: games, word vectors, latent arrays, preferences, redundancy, mixtures."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def log_normal(X, mu, s):
    """Points by kinds, from features in the last axis."""
    return -0.5 * (((X[:, None] - mu) ** 2) / s + np.log(2 * np.pi * s)).sum(2)


DOCUMENTS = [
    Unseen(
        "gan.md",
        r"""# Two players

A *generator* turns noise $z$ into an image, a *discriminator* says how real an image looks.

## Notation

Let $z \in \mathbb{R}^{\text{batch}, \text{noise}}$ and $X \in \mathbb{R}^{\text{batch}, \text{pix}}$ be a batch of noise and of
real images. The weights are

$$
\begin{aligned}
A &\in \mathbb{R}^{\text{noise}, \text{hid}} & B &\in \mathbb{R}^{\text{hid}, \text{pix}} \\
U &\in \mathbb{R}^{\text{pix}, \text{hid}} & v &\in \mathbb{R}^{\text{hid}}
\end{aligned}
$$

## The players

$$G(z) = \tanh\Bigl( B \underset{\text{hid}}{\cdot} \operatorname{relu}(A \underset{\text{noise}}{\cdot} z) \Bigr)$$

$$D(X) = \sigma\Bigl( v \underset{\text{hid}}{\cdot} \operatorname{relu}(U \underset{\text{pix}}{\cdot} X) \Bigr)$$

where $\sigma(a) = \frac{1}{1 + e^{-a}}$.

## The game

The discriminator minimises

$$\mathcal{L}_D(X, z) = - \underset{\text{batch}}{\text{mean}} \bigl( \log D(X) \bigr) - \underset{\text{batch}}{\text{mean}} \bigl( \log (1 - D(G(z))) \bigr)$$

and the generator, in the *non-saturating* version,

$$\mathcal{L}_G(z) = - \underset{\text{batch}}{\text{mean}} \bigl( \log D(G(z)) \bigr).$$

Feature matching compares the statistics of the hidden layer instead:

$$\text{match}(X, z) = \sum_{\text{hid}} \Bigl( \underset{\text{batch}}{\text{mean}} (U \underset{\text{pix}}{\cdot} X) - \underset{\text{batch}}{\text{mean}} (U \underset{\text{pix}}{\cdot} G(z)) \Bigr)^2$$
""",
        [
            Fault(
                r"B \underset{\text{hid}}{\cdot} \operatorname",
                r"B \underset{\text{pix}}{\cdot} \operatorname",
            ),
            Fault(
                r"\mathcal{L}_G(z) = - \underset{\text{batch}}{\text{mean}}",
                r"\mathcal{L}_G(z) = - \underset{\text{pix}}{\text{mean}}",
            ),
            Fault(r"\sum_{\text{hid}} \Bigl(", r"\sum_{\text{noise}} \Bigl("),
        ],
        [
            Entry(
                "G",
                lambda z, A, B: np.tanh(np.maximum(z @ A, 0) @ B),
                "batch pix",
                {"z": "batch[3] noise[2]"},
                {"A": "noise[2] hid[4]", "B": "hid[4] pix[5]"},
            ),
            Entry(
                "D",
                lambda X, U, v: sigmoid(np.maximum(X @ U, 0) @ v),
                "batch",
                {"X": "batch[3] pix[5]"},
                {"U": "pix[5] hid[4]", "v": "hid[4]"},
            ),
            Entry(
                r"\mathcal{L}_G",
                lambda z, A, B, U, v: (
                    -np.log(
                        sigmoid(np.maximum(np.tanh(np.maximum(z @ A, 0) @ B) @ U, 0) @ v)
                    ).mean()
                ),
                "",
                {"z": "batch[3] noise[2]"},
                {"A": "noise[2] hid[4]", "B": "hid[4] pix[5]", "U": "pix[5] hid[4]", "v": "hid[4]"},
            ),
            Entry(
                "match",
                lambda X, z, A, B, U: (
                    ((X @ U).mean(0) - (np.tanh(np.maximum(z @ A, 0) @ B) @ U).mean(0)) ** 2
                ).sum(),
                "",
                {"X": "batch[3] pix[5]", "z": "batch[3] noise[2]"},
                {"A": "noise[2] hid[4]", "B": "hid[4] pix[5]", "U": "pix[5] hid[4]"},
            ),
        ],
    ),
    Unseen(
        "word_vectors.tex",
        r"""\documentclass{article}
\usepackage{namedtensor}
\ndef{\vocab}{vocab}
\ndef{\dim}{dim}
\ndef{\neg}{neg}
\begin{document}
\section{Skip-grams with negative samples}
Every word has two vectors: one as a centre and one as a context,
\begin{equation}
E, C \in \mathbb{R}^{\vocab \times \dim}.
\end{equation}
A pair is a centre $w \in [|\vocab|]$ and a context $c \in [|\vocab|]$; with it come samples
$s \in [|\vocab|]^{\neg}$ from the noise distribution.
\begin{align}
e(w) &= E_{\vocab(w)} \\
\text{fit}(w, c) &= E_{\vocab(w)} \ndot{\dim} C_{\vocab(c)} \\
\text{pos}(w, c) &= \log \sigma(\text{fit}(w, c)) \\
\text{sampled}(w, s) &= \nsum{\neg} \log \sigma(- E_{\vocab(w)} \ndot{\dim} C_{\vocab(s)}) \\
J(w, c, s) &= - \text{pos}(w, c) - \text{sampled}(w, s)
\end{align}
The full softmax, which the samples replace, would be
\begin{equation}
p(w) = \nfun{\vocab}{softmax} (C \ndot{\dim} E_{\vocab(w)}) \label{eq:full}
\end{equation}
The noise draws a word by its count $n \in \mathbb{R}^{\vocab}$ to the power $3/4$,
\[ q = \frac{n^{3/4}}{\nsum{\vocab} n^{3/4}} . \]
Two words are alike if their cosine is large:
\[ \cos(a, b) = \frac{a \ndot{\dim} b}{\sqrt{\nsum{\dim} a^2} \sqrt{\nsum{\dim} b^2}}, \qquad a, b \in \mathbb{R}^{\dim}. \]
\end{document}
""",
        [
            Fault(r"\nsum{\neg} \log \sigma(- E", r"\nsum{\vocab} \log \sigma(- E"),
            Fault(r"\nfun{\vocab}{softmax} (C", r"\nfun{\dim}{softmax} (C"),
            Fault(r"{\nsum{\vocab} n^{3/4}}", r"{\nsum{\dim} n^{3/4}}"),
        ],
        [
            Entry(
                "fit",
                lambda w, c, E, C: E[1] @ C[2],
                "",
                {"w": 1, "c": 2},
                {"E": "vocab[4] dim[3]", "C": "vocab[4] dim[3]"},
            ),
            Entry(
                "p",
                lambda w, E, C: softmax(C @ E[1], 0),
                "vocab",
                {"w": 1},
                {"E": "vocab[4] dim[3]", "C": "vocab[4] dim[3]"},
            ),
            Entry(
                "q",
                lambda n: n**0.75 / (n**0.75).sum(),
                "vocab",
                {"n": "vocab[4] ~ probability vocab"},
            ),
            Entry(
                r"\cos",
                lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
                "",
                {"a": "dim[3]", "b": "dim[3]"},
            ),
        ],
    ),
    Unseen(
        "latents.md",
        r"""# A few latents read a long input

Self-attention over $n$ inputs costs $O(n^2)$. Here $m \ll n$ learned *latents* ask the inputs instead.

**Shapes.** Inputs $X \in \mathbb{R}^{\text{input}:n, \text{chan}:c}$, latents $Z \in \mathbb{R}^{\text{latent}:m, \text{emb}:d}$,

$$
\begin{aligned}
W^Q &\in \mathbb{R}^{\text{emb}:d, \text{key}:k} \\
W^K &\in \mathbb{R}^{\text{chan}:c, \text{key}:k} \\
W^V &\in \mathbb{R}^{\text{chan}:c, \text{emb}:d}
\end{aligned}
$$

**Reading.** The latents query the inputs:

$$
\begin{aligned}
\text{read}(Z, X) &= Z + \underset{\text{input}}{\text{softmax}} \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{k}} \right) \underset{\text{input}}{\cdot} V \\
\text{where} \quad Q &= W^Q \underset{\text{emb}}{\cdot} Z \\
K &= W^K \underset{\text{chan}}{\cdot} X \\
V &= W^V \underset{\text{chan}}{\cdot} X
\end{aligned}
$$

**Norm.** Before it, each latent is brought to length one,

$$\text{unit}(Z) = \frac{Z}{\sqrt{\sum_{\text{emb}} Z^2}}$$

**Answering.** An output query $O \in \mathbb{R}^{\text{out}, \text{key}:k}$ reads from the latents; with $W^L \in \mathbb{R}^{\text{emb}:d, \text{key}:k}$

$$\text{answer}(O, Z) = \underset{\text{latent}}{\text{softmax}} \Bigl( O \underset{\text{key}}{\cdot} \bigl(W^L \underset{\text{emb}}{\cdot} Z\bigr) \Bigr) \underset{\text{latent}}{\cdot} Z$$

Averaging over the latents gives one vector for a classifier with $H \in \mathbb{R}^{\text{emb}:d, \text{class}}$:

$$\text{logits}(Z) = H \underset{\text{emb}}{\cdot} \underset{\text{latent}}{\text{mean}} (Z)$$
""",
        [
            Fault(
                r"Z + \underset{\text{input}}{\text{softmax}}",
                r"Z + \underset{\text{emb}}{\text{softmax}}",
            ),
            Fault(
                r"K &= W^K \underset{\text{chan}}{\cdot} X",
                r"K &= W^K \underset{\text{emb}}{\cdot} X",
            ),
            Fault(
                r"\underset{\text{latent}}{\text{mean}} (Z)",
                r"\underset{\text{input}}{\text{mean}} (Z)",
            ),
        ],
        [
            Entry(
                "read",
                lambda Z, X, Q, K, V: Z + softmax((Z @ Q) @ (X @ K).T / np.sqrt(2), 1) @ (X @ V),
                "latent emb",
                {"Z": "latent[3] emb[4]", "X": "input[6] chan[5]"},
                {"WQ": "emb[4] key[2]", "WK": "chan[5] key[2]", "WV": "chan[5] emb[4]"},
            ),
            Entry(
                "unit",
                lambda Z: Z / np.sqrt((Z**2).sum(1, keepdims=True)),
                "latent emb",
                {"Z": "latent[3] emb[4]"},
            ),
            Entry(
                "answer",
                lambda O, Z, W: softmax(O @ (Z @ W).T, 1) @ Z,
                "out emb",
                {"O": "out[2] key[2]", "Z": "latent[3] emb[4]"},
                {"WL": "emb[4] key[2]"},
            ),
            Entry(
                "logits",
                lambda Z, H: Z.mean(0) @ H,
                "class",
                {"Z": "latent[3] emb[4]"},
                {"H": "emb[4] class[3]"},
            ),
        ],
    ),
    Unseen(
        "preferences.tex",
        r"""\documentclass{article}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\over}[2]{\underset{\ax{#1}}{#2}}
\begin{document}
\section{Learning from comparisons}

\subsection{Setting}
People compared two answers to each prompt. Let $P, N \in \mathbb{R}^{\ax{pair}, \ax{tok}, \ax{vocab}}$ be the scores that the model gives
to the preferred and to the other answer, $y, u \in \{0,1\}^{\ax{pair}, \ax{tok}, \ax{vocab}}$ their words as one-hot vectors, and
$m \in \{0,1\}^{\ax{pair}, \ax{tok}}$ a mask.

\subsection{Log-likelihoods}
\begin{align}
\ell(S, t) &= \sum_{\ax{tok}} m \odot \left( t \over{vocab}{\cdot} \log \over{vocab}{\text{softmax}} S \right) \\
r(S, t) &= \beta \left( \ell(S, t) - \ell_0 \right)
\end{align}
with $\beta = 0.1$ and $\ell_0 \in \mathbb{R}^{\ax{pair}}$ the log-likelihood under the reference.

\subsection{Loss}
The Bradley--Terry model says that the first is preferred with probability
\begin{equation}
p(P, y, N, u) = \sigma( r(P, y) - r(N, u) )
\end{equation}
so that we minimise
\begin{equation}
\mathcal{L}(P, y, N, u) = - \over{pair}{\text{mean}} \log p(P, y, N, u) .
\end{equation}
The share of pairs that are ranked correctly is
\begin{equation*}
\text{acc}(P, y, N, u) = \over{pair}{\text{mean}} \mathbf{1}\{ r(P, y) > r(N, u) \}
\end{equation*}
\end{document}
""",
        [
            Fault(r"\sum_{\ax{tok}} m \odot", r"\sum_{\ax{vocab}} m \odot"),
            Fault(
                r"= - \over{pair}{\text{mean}} \log",
                r"= - \over{tok}{\text{mean}} \log",
            ),
            Fault(
                r"$\ell_0 \in \mathbb{R}^{\ax{pair}}$",
                r"$\ell_0 \in \mathbb{R}^{\ax{prompt}}$",
                at=r"r(S, t) &= \beta",
            ),
        ],
        [
            Entry(
                r"\ell",
                lambda S, t, m: (m * (t * np.log(softmax(S, 2))).sum(2)).sum(1),
                "pair",
                {"S": "pair[2] tok[3] vocab[4]", "t": "pair[2] tok[3] vocab[4]"},
                {"m": "pair[2] tok[3]"},
            ),
            Entry(
                "r",
                lambda S, t, m, l: 0.1 * ((m * (t * np.log(softmax(S, 2))).sum(2)).sum(1) - l),
                "pair",
                {"S": "pair[2] tok[3] vocab[4]", "t": "pair[2] tok[3] vocab[4]"},
                {"m": "pair[2] tok[3]", "ell_0": "pair[2]"},
            ),
        ],
    ),
    Unseen(
        "redundancy.md",
        r"""# Twin views

Two views of each picture go through one network, giving $A$ and $B$ in $\mathbb{R}^{\text{batch}, \text{feat}}$.

1. Standardise over the batch:

   $$\hat{A} = \frac{A - \underset{\text{batch}}{\text{mean}}(A)}{\sqrt{\underset{\text{batch}}{\text{var}}(A)}}, \qquad
     \hat{B} = \frac{B - \underset{\text{batch}}{\text{mean}}(B)}{\sqrt{\underset{\text{batch}}{\text{var}}(B)}}$$

2. The cross-correlation has two copies of the feature axis:

   $$C = \frac{1}{|\text{batch}|} \hat{A} \underset{\text{batch}}{\cdot} [\hat{B}]_{\text{feat} \rightarrow \text{feat}'}$$

3. With the identity $I_{\text{feat}:i, \text{feat}':j} = \begin{cases} 1 & i = j \\ 0 & \text{otherwise} \end{cases}$ the loss is

   $$\mathcal{L}(A, B) = \sum_{\text{feat}, \text{feat}'} \bigl( w \odot (C - I)^2 \bigr), \qquad w = I + \lambda (1 - I)$$

   for some $\lambda > 0$.

Another recipe keeps the spread of each feature above one:

$$\text{spread}(A) = \underset{\text{feat}}{\text{mean}} \; \max\Bigl(0, 1 - \sqrt{\underset{\text{batch}}{\text{var}}(A) + \epsilon}\Bigr)$$

$$\text{invariance}(A, B) = \underset{\text{batch}}{\text{mean}} \sum_{\text{feat}} (A - B)^2$$
""",
        [
            Fault(
                r"\hat{A} \underset{\text{batch}}{\cdot} [\hat{B}]",
                r"\hat{A} \underset{\text{view}}{\cdot} [\hat{B}]",
            ),
            Fault(
                r"[\hat{B}]_{\text{feat} \rightarrow \text{feat}'}",
                r"[\hat{B}]_{\text{pix} \rightarrow \text{feat}'}",
            ),
            Fault(
                r"\underset{\text{batch}}{\text{mean}} \sum_{\text{feat}} (A",
                r"\underset{\text{feat}}{\text{mean}} \sum_{\text{feat}} (A",
            ),
        ],
        [
            Entry(
                "C",
                lambda A, B: ((A - A.mean(0)) / A.std(0)).T @ ((B - B.mean(0)) / B.std(0)) / 4,
                "feat feat'",
                {},
                {"A": "batch[4] feat[3]", "B": "batch[4] feat[3]"},
            ),
            Entry(
                "invariance",
                lambda A, B: ((A - B) ** 2).sum(1).mean(),
                "",
                {"A": "batch[4] feat[3]", "B": "batch[4] feat[3]"},
            ),
            Entry(
                "spread",
                lambda A, e: np.maximum(0, 1 - np.sqrt(A.var(0) + e)).mean(),
                "",
                {"A": "batch[4] feat[3]"},
                {"epsilon": 0.1},
            ),
        ],
    ),
    Unseen(
        "mixture.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\ndef{\pt}{point} \ndef{\ft}{feature} \ndef{\kd}{kind}
\begin{document}
\section{A mixture of Gaussians}
We observe $X \in \mathbb{R}^{\pt[n] \times \ft[d]}$ and believe in $|\kd|$ kinds with means, variances and shares
\begin{align*}
\mu &\in \mathbb{R}^{\kd \times \ft[d]}, &
s &\in \mathbb{R}^{\kd \times \ft[d]}, &
\pi &\in [0,1]^{\kd}.
\end{align*}

\paragraph{Density.} Up to a constant, the log-density of a point under a kind is
\begin{equation}
g(X, \mu, s) = -\frac{1}{2} \nsum{\ft} \left( \frac{(X - \mu)^2}{s} + \log s \right)
\end{equation}

\paragraph{E-step.} How much each kind is responsible for each point:
\begin{equation}
R(X; \mu, s, \pi) = \nfun{\kd}{softmax} \left( g(X, \mu, s) + \log \pi \right)
\end{equation}

\paragraph{M-step.} Given responsibilities $T \in [0,1]^{\pt[n] \times \kd}$,
\begin{align}
N(T) &= \nsum{\pt} T \\
\text{share}(T) &= \frac{N(T)}{n} \\
\text{centre}(T, X) &= \frac{T \ndot{\pt} X}{N(T)} \\
\text{width}(T, X) &= \frac{\nsum{\pt} T \odot (X - \text{centre}(T, X))^2}{N(T)}
\end{align}

\paragraph{Bound.} EM never lowers
\begin{equation}
F(X, T; \mu, s, \pi) = T \ndot{\pt \\ \kd} \left( g(X, \mu, s) + \log \pi - \log T \right)
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\frac{1}{2} \nsum{\ft} \left(",
                r"\frac{1}{2} \nsum{\pt} \left(",
                at=r"F(X, T; \mu, s, \pi) =",
            ),
            Fault(r"\nfun{\kd}{softmax}", r"\nfun{\ft}{softmax}"),
            Fault(r"{T \ndot{\pt} X}", r"{T \ndot{\ft} X}"),
        ],
        [
            Entry(
                "R",
                lambda X, mu, s, pi: softmax(log_normal(X, mu, s) + 0 * X.sum() + np.log(pi), 1),
                "point kind",
                {"X": "point[5] feature[2]"},
                {
                    "mu": "kind[3] feature[2]",
                    "s": "kind[3] feature[2] ~ probability feature",
                    "pi": "kind[3] ~ probability kind",
                },
            ),
            Entry(
                "share",
                lambda T: T.sum(0) / 5,
                "kind",
                {"T": "point[5] kind[3] ~ probability kind"},
            ),
            Entry(
                "centre",
                lambda T, X: T.T @ X / T.sum(0)[:, None],
                "kind feature",
                {"T": "point[5] kind[3] ~ probability kind", "X": "point[5] feature[2]"},
            ),
            Entry(
                "width",
                lambda T, X: (
                    (T[:, :, None] * (X[:, None] - T.T @ X / T.sum(0)[:, None]) ** 2).sum(0)
                    / T.sum(0)[:, None]
                ),
                "kind feature",
                {"T": "point[5] kind[3] ~ probability kind", "X": "point[5] feature[2]"},
            ),
        ],
    ),
]
