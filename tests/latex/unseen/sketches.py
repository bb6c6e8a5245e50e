"""Four documents: distributions of returns, an energy model, a resampler of videos, and attributions."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def projected_atoms(p, z, r, g):
    """The distribution of returns r + g z on the atoms z, by the distance to each of them."""
    moved = np.minimum(np.maximum(r + g * z, z[0]), z[-1])
    step = (z[-1] - z[0]) / (len(z) - 1)
    return np.maximum(0, 1 - np.abs(moved[:, None] - z) / step).T @ p


def quantile_loss(theta, target, kappa):
    n = len(theta)
    tau = (2 * np.arange(1, n + 1) - 1) / (2 * n)
    u = target - theta[:, None]
    huber = np.where(np.abs(u) <= kappa, u**2 / 2, kappa * (np.abs(u) - kappa / 2))
    return (np.abs(tau[:, None] - (u < 0)) * huber / kappa).mean(1).sum()


def energies(x, W, b, c):
    return -(np.log1p(np.exp(x @ W + c)).sum(-1) + x @ b)


def scores(x, W, b, c):
    """Minus the gradient of the energies."""
    return b + (1 / (1 + np.exp(-(x @ W + c)))) @ W.T


def walk(x, N, h, *net):
    for _ in range(N):
        x = x + h * scores(x, *net)
    return x


def resampled(L, X, WQ, WK, WV, m):
    S = np.einsum("qk,sk->qs", L @ WQ, X @ WK) / np.sqrt(WQ.shape[1])
    return L + softmax(np.where(m > 0, S, -np.inf), 1) @ (X @ WV)


def path_gradients(x, z, w, M):
    grad = np.zeros(len(x))
    for m in range(1, M + 1):
        point = z + m / M * (x - z)
        s = 1 / (1 + np.exp(-point @ w))
        grad += s * (1 - s) * w
    return (x - z) * grad / M


DOCUMENTS = [
    Unseen(
        "returns.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
\section{More than the mean}
Usually a critic predicts the expected return. Here it predicts a \emph{distribution}. We write $\gamma$ for the discount and let $r$ be the reward of the step.

\subsection{Categorical}
Returns are put on $K$ atoms $z \in \mathbb{R}^{\text{atom}:K}$, which are equally spaced, with $z_1$ the smallest and $z_K$ the largest; the spacing is
\[ \Delta = \frac{z_K - z_1}{K - 1} . \]
Let $p \in [0, 1]^{\text{atom}:K}$ be the distribution in the next state. The shifted atoms
\begin{equation}
  \hat z_{\text{atom}(j)} = \min\bigl( \max( r + \gamma z_{\text{atom}(j)}, z_1 ), z_K \bigr)
\end{equation}
do not fall on the grid, so that each gives its probability to its two neighbours:
\begin{equation}
  q_{\text{atom}(i)} = \sum_{j=1}^{K} \max\left( 0, \, 1 - \frac{ | \hat z_{\text{atom}(j)} - z_{\text{atom}(i)} | }{ \Delta } \right) p_{\text{atom}(j)} .
\end{equation}
With logits $\ell \in \mathbb{R}^{\text{act}, \text{atom}:K}$ of the online network and the action $a \in [|\text{act}|]$ that was taken, the loss is the cross-entropy
\begin{equation}
  L_{\text{cat}} = - \sum_{\text{atom}} q \odot \log \Bigl( \underset{\text{atom}}{\text{softmax}} \; \ell_{\text{act}(a)} \Bigr) .
\end{equation}

\subsection{Quantiles}
Instead of fixed atoms one may learn where they are. The network gives $N$ quantiles $\theta \in \mathbb{R}^{\text{quant}:N}$ of the levels
\[ \tau_i = \frac{2 i - 1}{2 N}, \qquad i = 1, \dots, N . \]
Given samples $y \in \mathbb{R}^{\text{samp}}$ of the target, the errors are $u = y - \theta$, and with the Huber function
\begin{equation}
  H_\kappa(u) = \begin{cases} \frac{1}{2} u^2 & |u| \le \kappa \\ \kappa \left( |u| - \frac{1}{2} \kappa \right) & \text{otherwise} \end{cases}
\end{equation}
we minimise
\begin{equation}
  L_{\text{q}} = \sum_{\text{quant}} \underset{\text{samp}}{\text{mean}} \left( \frac{1}{\kappa} \bigl| \tau - \mathbf{1}\{ u < 0 \} \bigr| \odot H_\kappa(u) \right) ,
\end{equation}
where $\kappa$ is a threshold that is often 1. The value of the state is $V = \underset{\text{quant}}{\text{mean}} \, \theta$.
\end{document}
""",
        [
            Fault(
                r"L_{\text{cat}} = - \sum_{\text{atom}} q",
                r"L_{\text{cat}} = - \sum_{\text{quant}} q",
            ),
            Fault(
                r"\sum_{\text{quant}} \underset{\text{samp}}{\text{mean}}",
                r"\sum_{\text{quant}} \underset{\text{atom}}{\text{mean}}",
            ),
            Fault(r"\right) p_{\text{atom}(j)} .", r"\right) p_{\text{act}(j)} ."),
        ],
        [
            Entry(
                "q",
                projected_atoms,
                "atom",
                {"p": "atom[4] ~ probability atom", "z": "atom[4]", "r": 0.3, "gamma": 0.9},
            ),
            Entry(
                r"L_{\text{q}}",
                lambda y, theta, k: quantile_loss(theta, y, k),
                "",
                {"y": "samp[3]", "theta": "quant[4]", "kappa": 1.0},
            ),
            Entry("V", lambda t: t.mean(), "", {"theta": "quant[4]"}),
        ],
    ),
    Unseen(
        "energy.md",
        r"""# Energy-based models in one page

An energy model gives every $x \in \mathbb{R}^{\text{vis}:d}$ an energy; likely points have a low one. Ours has a hidden layer that has been summed out:

$$
E(x) = - \sum_{\text{hid}} \log\left( 1 + e^{W \underset{\text{vis}}{\cdot} x + c} \right) - b \underset{\text{vis}}{\cdot} x
$$

with weights $W \in \mathbb{R}^{\text{vis}:d, \text{hid}:m}$ and biases $b \in \mathbb{R}^{\text{vis}:d}$, $c \in \mathbb{R}^{\text{hid}:m}$.

*Why no probabilities?* Because $p(x) = e^{-E(x)} / Z$ needs $Z = \int e^{-E(x)} \, dx$, and nobody can compute that. But the **score** does not need it:

$$
s(x) = b + W \underset{\text{hid}}{\cdot} \sigma\left( W \underset{\text{vis}}{\cdot} x + c \right)
$$

(It is $- \partial E / \partial x$; check it!)

## Going downhill

To sample, start anywhere and follow the score. One step of size $h$ is $x \leftarrow x + h \, s(x)$, plus noise. Without noise, $T$ steps are

$$
x_0 = x, \qquad x_{t} = x_{t-1} + h \, s(x_{t-1}) \quad (t = 1, \ldots, T).
$$

## Training

1. **Contrastive divergence.** With data $X \in \mathbb{R}^{\text{ex}:n, \text{vis}:d}$ and samples $\tilde X \in \mathbb{R}^{\text{ex}':k, \text{vis}:d}$ of the model,

$$
\mathcal{L}_{\text{CD}} = \underset{\text{ex}}{\text{mean}} \, E(X) - \underset{\text{ex}'}{\text{mean}} \, E(\tilde X).
$$

2. **Noise contrastive estimation.** Learn to tell data from noise with a classifier whose logit is $g(x) = -E(x) - \log \nu(x)$, where $\nu$ is the density of a standard normal,

$$
\log \nu(x) = - \frac{1}{2} \sum_{\text{vis}} x^2 - \frac{d}{2} \log 2 \pi .
$$

3. **Denoising.** For $Y = X + \varsigma \xi$ with noise $\xi \in \mathbb{R}^{\text{ex}:n, \text{vis}:d}$ of scale $\varsigma$, the score at $Y$ should point back:

$$
\mathcal{L}_{\text{DSM}} = \frac{1}{2} \underset{\text{ex}}{\text{mean}} \; \sum_{\text{vis}} \left( s(Y) + \frac{Y - X}{\varsigma^2} \right)^2
$$

All three have the same minimum if the model is rich enough.
""",
        [
            Fault(
                r"W \underset{\text{hid}}{\cdot} \sigma", r"W \underset{\text{vis}}{\cdot} \sigma"
            ),
            Fault(
                r"- \underset{\text{ex}'}{\text{mean}} \, E(\tilde X)",
                r"- \underset{\text{hid}}{\text{mean}} \, E(\tilde X)",
            ),
            Fault(r"\; \sum_{\text{vis}} \left( s(Y)", r"\; \sum_{\text{hid}} \left( s(Y)"),
        ],
        [
            Entry(
                "E",
                lambda x, W, b, c: energies(x, W, b, c),
                "",
                {"x": "vis[3]", "W": "vis[3] hid[2]", "b": "vis[3]", "c": "hid[2]"},
            ),
            Entry(
                "s",
                scores,
                "vis",
                {"x": "vis[3]", "W": "vis[3] hid[2]", "b": "vis[3]", "c": "hid[2]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{CD}}",
                lambda X, Y, W, b, c: energies(X, W, b, c).mean() - energies(Y, W, b, c).mean(),
                "",
                {
                    "X": "ex[4] vis[3]",
                    "Xtilde": "ex'[5] vis[3]",
                    "W": "vis[3] hid[2]",
                    "b": "vis[3]",
                    "c": "hid[2]",
                },
            ),
            Entry(
                r"\log \nu",
                lambda x: -(x**2).sum() / 2 - 3 / 2 * np.log(2 * np.pi),
                "",
                {"x": "vis[3]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{DSM}}",
                lambda X, xi, sig, W, b, c: (
                    ((scores(X + sig * xi, W, b, c) + xi / sig) ** 2).sum(1).mean() / 2
                ),
                "",
                {
                    "X": "ex[4] vis[3]",
                    "xi": "ex[4] vis[3]",
                    "varsigma": 0.5,
                    "W": "vis[3] hid[2]",
                    "b": "vis[3]",
                    "c": "hid[2]",
                },
            ),
            Entry(
                "x_T",
                lambda x, h, W, b, c: walk(x, 3, h, W, b, c),
                "vis",
                {"x": "vis[3]", "h": 0.1, "W": "vis[3] hid[2]", "b": "vis[3]", "c": "hid[2]"},
                chosen={"T": 3},
            ),
        ],
    ),
    Unseen(
        "resampler.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\lat}{lat}\ndef{\pat}{patch}\ndef{\emb}{emb}\ndef{\key}{key}\ndef{\tim}{time}\ndef{\hid}{hid}
\begin{document}
\section{From frames to a few vectors}
A video encoder returns $F \in \mathbb{R}^{\tim[T] \times \pat[S] \times \emb[d]}$, far too much for a language model. We distil it to $R$ vectors, whatever $T$ and $S$ are.

\paragraph{Time.} Each frame gets a learned embedding $\Theta \in \mathbb{R}^{\tim[T] \times \emb[d]}$, and time and space become one axis:
\begin{equation}
X = (F + \Theta)_{(\tim, \pat) \to \name{tok}} .
\end{equation}

\paragraph{Cross-attention.} The learned latents are $L \in \mathbb{R}^{\lat[R] \times \emb[d]}$. Frames may be missing, which a mask $m \in \{0,1\}^{\name{tok}}$ says. With the projections
$W^Q, W^K \in \mathbb{R}^{\emb[d] \times \key}$ and $W^V \in \mathbb{R}^{\emb[d] \times \emb'[d]}$
\begin{align}
A &= \frac{ (L \ndot{\emb} W^Q) \ndot{\key} (X \ndot{\emb} W^K) }{ \sqrt{|\key|} } \\
\bar A &= \begin{cases} A & \text{if } m = 1 \\ -\infty & \text{otherwise} \end{cases} \\
L' &= L + \left[ \left( \nfun{\name{tok}}{softmax} \bar A \right) \ndot{\name{tok}} (X \ndot{\emb} W^V) \right]_{\emb' \to \emb} .
\end{align}

\paragraph{Gate.} The language model reads $L'$ through a cross-attention whose output is scaled by $\tanh \alpha$, where $\alpha$ starts at zero. For hidden states
$Y \in \mathbb{R}^{\name{seq} \times \emb[d]}$ and the output $C \in \mathbb{R}^{\name{seq} \times \emb[d]}$ of that attention,
\begin{equation}
Y' = Y + \tanh(\alpha) \, C, \qquad Y'' = Y' + \tanh(\beta) \, f(Y')
\end{equation}
with a second gate $\beta$ and a layer $f(y) = U_2 \ndot{\hid} (U_1 \ndot{\emb} y)_+^2$, $U_1 \in \mathbb{R}^{\emb[d] \times \hid}$ and $U_2 \in \mathbb{R}^{\hid \times \emb[d]}$, for
$y \in \mathbb{R}^{\emb[d]}$.

\paragraph{Coverage.} How evenly the latents look at the video is measured by the entropy of their mean attention,
\begin{equation}
\Omega = - \sum_{\name{tok}} a \log a, \qquad a = \nfun{\lat}{mean} \nfun{\name{tok}}{softmax} A .
\end{equation}
\end{document}
""",
        [
            Fault(r"(L \ndot{\emb} W^Q) \ndot{\key}", r"(L \ndot{\emb} W^Q) \ndot{\emb}"),
            Fault(r"\ndot{\name{tok}} (X \ndot{\emb} W^V)", r"\ndot{\lat} (X \ndot{\emb} W^V)"),
            Fault(r"\Omega = - \sum_{\name{tok}} a \log a", r"\Omega = - \sum_{\pat} a \log a"),
        ],
        [
            Entry(
                "X",
                lambda F, P: (F + P[:, None]).reshape(-1, F.shape[2]),
                "tok emb",
                {"F": "time[2] patch[3] emb[2]", "Theta": "time[2] emb[2]"},
            ),
            Entry(
                "L'",
                lambda L, F, P, Q, K, V, m: resampled(
                    L, (F + P[:, None]).reshape(-1, 2), Q, K, V, m
                ),
                "lat emb",
                {
                    "L": "lat[2] emb[2]",
                    "F": "time[2] patch[3] emb[2]",
                    "Theta": "time[2] emb[2]",
                    "WQ": "emb[2] key[3]",
                    "WK": "emb[2] key[3]",
                    "WV": "emb[2] emb'[2]",
                    "m": "tok[6] ~ first 4",
                },
            ),
            Entry(
                "Y''",
                lambda Y, C, a, b, U, V: (
                    (Z := Y + np.tanh(a) * C) + np.tanh(b) * (np.maximum(Z @ U, 0) ** 2 @ V)
                ),
                "seq emb",
                {
                    "Y": "seq[3] emb[2]",
                    "C": "seq[3] emb[2]",
                    "alpha": 0.3,
                    "beta": 0.7,
                    "U_1": "emb[2] hid[4]",
                    "U_2": "hid[4] emb[2]",
                },
            ),
        ],
    ),
    Unseen(
        "attribution.md",
        r"""# Assignment 3: which inputs mattered?

We explain one prediction of a model $f$ at an input $x \in \mathbb{R}^{\text{feat}:d}$, compared with a baseline $z \in \mathbb{R}^{\text{feat}:d}$ (all zeros, or the mean). The model is a logistic
regression, $f(x) = \sigma(w \underset{\text{feat}}{\cdot} x)$ with $w \in \mathbb{R}^{\text{feat}:d}$.

## (a) Gradient times input

Since $\sigma' = \sigma (1 - \sigma)$,

$$g(x) = f(x) \, (1 - f(x)) \, w, \qquad \phi^{\text{grad}} = x \odot g(x).$$

## (b) Integrated gradients

Average the gradient on the way from $z$ to $x$, in $M$ steps:

$$\phi^{\text{IG}} = (x - z) \odot \frac{1}{M} \sum_{m=1}^{M} g\left(z + \frac{m}{M} (x - z)\right)$$

Completeness: $\sum_{\text{feat}} \phi^{\text{IG}} \to f(x) - f(z)$ for $M \to \infty$.

## (c) SmoothGrad

With $S$ noise vectors $\xi \in \mathbb{R}^{\text{draw}:S, \text{feat}:d}$ and a noise level $\varsigma$:

$$\phi^{\text{SG}} = \underset{\text{draw}}{\text{mean}} \; g(x + \varsigma \xi)$$

## (d) Occlusion

Replace one feature at a time by the baseline. Let $x^{(i)}$ be $x$ with feature $i$ replaced, that is

$$R_{\text{case}(i), \text{feat}(j)} = \begin{cases} z_{\text{feat}(j)} & j = i \\ x_{\text{feat}(j)} & j \ne i \end{cases} \qquad i = 1, \ldots, d$$

and

$$\phi^{\text{occ}} = f(x) - [f(R)]_{\text{case} \to \text{feat}}.$$

## (e) LIME

Draw $n$ masks $B \in \{0, 1\}^{\text{row}:n, \text{feat}:d}$, look at the inputs $V = B \odot x + (1 - B) \odot z$ and weigh them by how near they are,

$$\pi = \exp\left( - \frac{\sum_{\text{feat}} (1 - B)}{\kappa} \right), \quad \kappa > 0.$$

The explanation is the weighted ridge regression, with $\lambda > 0$ on the diagonal,

$$\phi^{\text{LIME}} = \left( (\pi \odot B) \underset{\text{row}}{\cdot} B_{\text{feat} \to \text{feat}'} + \lambda I_{\text{feat}, \text{feat}'} \right)^{-1} \underset{\text{feat}'}{\cdot} \left[ B \underset{\text{row}}{\cdot} (\pi \odot f(V)) \right]_{\text{feat} \to \text{feat}'} .$$

## (f) Agreement

Two explanations $p, q \in \mathbb{R}^{\text{feat}:d}$ are compared by the cosine $c(p, q) = \frac{p \underset{\text{feat}}{\cdot} q}{\|p\| \|q\|}$.
""",
        [
            Fault(
                r"\underset{\text{draw}}{\text{mean}} \; g(x",
                r"\underset{\text{row}}{\text{mean}} \; g(x",
            ),
            Fault(
                r"B \underset{\text{row}}{\cdot} (\pi \odot f(V))",
                r"B \underset{\text{case}}{\cdot} (\pi \odot f(V))",
            ),
            Fault(
                r"[f(R)]_{\text{case} \to \text{feat}}.", r"[f(R)]_{\text{row} \to \text{feat}}."
            ),
        ],
        [
            Entry(
                r"\phi^{\text{grad}}",
                lambda x, w: x * w * (s := 1 / (1 + np.exp(-w @ x))) * (1 - s),
                "feat",
                {"x": "feat[3]", "w": "feat[3]"},
            ),
            Entry(
                r"\phi^{\text{IG}}",
                lambda x, z, w: path_gradients(x, z, w, 4),
                "feat",
                {"x": "feat[3]", "z": "feat[3]", "w": "feat[3]"},
                chosen={"M": 4},
            ),
            Entry(
                r"\phi^{\text{SG}}",
                lambda x, xi, sig, w: (
                    ((s := 1 / (1 + np.exp(-(x + sig * xi) @ w))) * (1 - s)).mean() * w
                ),
                "feat",
                {"x": "feat[3]", "xi": "draw[4] feat[3]", "varsigma": 0.5, "w": "feat[3]"},
            ),
            Entry(
                r"\phi^{\text{occ}}",
                lambda x, z, w: np.array(
                    [
                        1 / (1 + np.exp(-w @ x))
                        - 1 / (1 + np.exp(-w @ np.where(np.arange(3) == i, z, x)))
                        for i in range(3)
                    ]
                ),
                "feat",
                {"x": "feat[3]", "z": "feat[3]", "w": "feat[3]"},
            ),
            Entry(
                r"\phi^{\text{LIME}}",
                lambda B, x, z, w, kappa, lam: np.linalg.solve(
                    (B * (pi := np.exp(-(1 - B).sum(1) / kappa))[:, None]).T @ B + lam * np.eye(3),
                    B.T @ (pi / (1 + np.exp(-(B * x + (1 - B) * z) @ w))),
                ),
                "feat",
                {
                    "B": "row[5] feat[3] ~ bits",
                    "x": "feat[3]",
                    "z": "feat[3]",
                    "w": "feat[3]",
                    "kappa": 2.0,
                    "lambda_": 0.1,
                },
            ),
        ],
    ),
]
