"""Seven documents of a lecturer and her students: variational inference to optimisation."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def encoded(x, Wh, bh):
    return np.tanh(x @ Wh.T + bh)


def mean(x, Wh, bh, Wm, bm):
    return encoded(x, Wh, bh) @ Wm.T + bm


def spread(x, Wh, bh, Wr, br):
    return np.exp(mean(x, Wh, bh, Wr, br) / 2)


def picture(z, Vh, ch, Vo, co):
    return sigmoid(np.maximum(z @ Vh.T + ch, 0) @ Vo.T + co)


def likelihood(x, z, *decoder):
    p = picture(z, *decoder)
    return (x * np.log(p) + (1 - x) * np.log(1 - p)).sum(-1)


def divergence(x, Wh, bh, Wm, bm, Wr, br):
    m, s = mean(x, Wh, bh, Wm, bm), spread(x, Wh, bh, Wr, br)
    return 0.5 * (m**2 + s**2 - 1 - 2 * np.log(s)).sum(-1)


def bound(x, e, Wh, bh, Wm, bm, Wr, br, *decoder):
    z = mean(x, Wh, bh, Wm, bm) + spread(x, Wh, bh, Wr, br) * e
    return likelihood(x, z, *decoder) - divergence(x, Wh, bh, Wm, bm, Wr, br)


def normal_log(z, m, s):
    return -0.5 * (((z - m) / s) ** 2 + np.log(2 * np.pi * s**2)).sum(-1)


def weighted_bound(x, E, Wh, bh, Wm, bm, Wr, br, *decoder):
    m, s = mean(x, Wh, bh, Wm, bm), spread(x, Wh, bh, Wr, br)
    z = m + s * E
    w = likelihood(x, z, *decoder) + normal_log(z, 0.0, 1.0) - normal_log(z, m, s)
    return np.log(np.mean(np.exp(w)))


def mixture_log(z, m, s, omega):
    return np.log((omega * np.exp(normal_log(z, m, s))).sum())


def gaussians_apart(a0, S0, a1, S1):
    inverse, d = np.linalg.inv(S1), a1 - a0
    volume = np.log(np.linalg.det(S1) / np.linalg.det(S0))
    return 0.5 * (np.trace(inverse @ S0) + d @ inverse @ d - len(d) + volume)


def root_mean_square(X, g):
    return g * X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-6)


def gated(X, Wg, Wu, Wd):
    a = X @ Wg
    return (a * sigmoid(a) * (X @ Wu)) @ Wd


def angles(n, m):
    return np.arange(n)[:, None] * 10000.0 ** (-np.arange(m) / m)


def rotated(Q):
    turn = np.exp(1j * angles(*Q.shape[:2]))
    Z = (Q[..., 0] + 1j * Q[..., 1]) * turn
    return np.stack([Z.real, Z.imag], -1)


def rotated_scores(Q, K):
    return np.einsum("ipr,jpr->ij", rotated(Q), rotated(K))


def windowed(n, w):
    i, j = np.mgrid[:n, :n]
    return np.where((j <= i) & (i - j < w), 0.0, -np.inf)


def grouped(X, WQ, WK, WV, WO, w):
    Q = np.einsum("gmek,ie->igmk", WQ, X)
    K = np.einsum("gek,je->jgk", WK, X)
    V = np.einsum("gev,je->jgv", WV, X)
    S = np.einsum("igmk,jgk->gmij", Q, K) / np.sqrt(WQ.shape[-1])
    A = softmax(S + windowed(len(X), w), -1)
    return np.einsum("gmve,jgv,gmij->ie", WO, V, A)


def smoothed(H, Y, E):
    v = len(E)
    P = softmax(H @ E.T, -1)
    return -((0.9 * Y + 0.1 / v) * np.log(P)).sum() / len(H)


def perplexity(H, Y, E):
    return np.exp(-np.log((Y * softmax(H @ E.T, -1)).sum(-1)).mean())


def forward(x, pi, A, B):
    rows = [pi * B[:, x[0]]]
    for symbol in x[1:]:
        rows.append(B[:, symbol] * (rows[-1] @ A))
    return np.stack(rows)


def backward(x, A, B):
    rows = [np.ones(len(A))]
    for symbol in x[:0:-1]:
        rows.append(A @ (B[:, symbol] * rows[-1]))
    return np.stack(rows[::-1])


def posterior(x, pi, A, B):
    both = forward(x, pi, A, B) * backward(x, A, B)
    return both / both[0].sum()


def pairs(x, pi, A, B):
    a, b = forward(x, pi, A, B), backward(x, A, B)
    follow = B[:, x[1:]].T * b[1:]
    return a[:-1, :, None] * A * follow[:, None] / a[-1].sum()


def new_transitions(x, pi, A, B):
    return pairs(x, pi, A, B).sum(0) / posterior(x, pi, A, B)[:-1].sum(0)[:, None]


def new_emissions(x, pi, A, B):
    g = posterior(x, pi, A, B)
    return g.T @ np.eye(B.shape[1])[x] / g.sum(0)[:, None]


def best_path(x, pi, A, B):
    d = np.log(pi) + np.log(B[:, x[0]])
    for symbol in x[1:]:
        d = np.log(B[:, symbol]) + (d[:, None] + np.log(A)).max(0)
    return d.max()


def delays(x, M):
    return np.stack([np.concatenate([np.zeros(k), x[: len(x) - k]]) for k in range(M)], 1)


def wiener(x, d, M):
    U = delays(x, M)
    return np.linalg.solve(U.T @ U / len(x), U.T @ d / len(x))


def least_mean_squares(x, d, mu, M):
    rows = [np.zeros(M)]
    for u, target in zip(delays(x, M), d, strict=True):
        rows.append(rows[-1] + mu * (target - rows[-1] @ u) * u)
    return np.stack(rows[1:])


def normalised_squares(x, d, mu, delta, M):
    rows = [np.zeros(M)]
    for u, target in zip(delays(x, M), d, strict=True):
        rows.append(rows[-1] + mu * (target - rows[-1] @ u) * u / (delta + u @ u))
    return np.stack(rows[1:])


def recursive_squares(x, d, lam, delta, M):
    rows, P = [np.zeros(M)], np.eye(M) / delta
    for u, target in zip(delays(x, M), d, strict=True):
        g = P @ u / (lam + u @ P @ u)
        rows.append(rows[-1] + g * (target - rows[-1] @ u))
        P = (P - np.outer(g, u @ P)) / lam
    return np.stack(rows[1:])


def periodogram(x):
    h = np.hanning(len(x))
    return np.abs(np.fft.fft(h * x)) ** 2 / (h**2).sum()


def correlations(x, L):
    return np.array([x[lag:] @ x[: len(x) - lag] / len(x) for lag in range(L)])


def normalised_graph(A):
    loops = A + np.eye(len(A))
    d = loops.sum(1)
    return loops / np.sqrt(np.outer(d, d))


def convolved(X, A, W):
    return np.maximum(normalised_graph(A) @ X @ W, 0)


def attended(X, A, W, a, b):
    loops = A + np.eye(len(A))
    Z = np.einsum("if,hfo->hio", X, W)
    e = (Z * a[:, None]).sum(-1)[:, :, None] + (Z * b[:, None]).sum(-1)[:, None, :]
    e = np.where(e > 0, e, 0.2 * e)
    raw = loops * np.exp(e)
    return raw / raw.sum(-1, keepdims=True), Z


def graph_attention(X, A, W, a, b):
    alpha, Z = attended(X, A, W, a, b)
    return np.einsum("hij,hjo->iho", alpha, Z)


def isomorphism(X, A, eps, V, U):
    return np.maximum(((1 + eps) * X + A @ X) @ V, 0) @ U


def gathered(X, src, tgt, M):
    out = np.zeros((len(X), M.shape[1]))
    for s, t in zip(src, tgt, strict=True):
        out[t] += X[s] @ M
    return out


def propagated(A, Y, alpha, T):
    F, S = Y, normalised_graph(A)
    for _ in range(T):
        F = alpha * S @ F + (1 - alpha) * Y
    return F


def smoothness(X, A):
    d = A.sum(1)
    n = len(X)
    return 0.5 * sum(
        A[i, j] * ((X[i] / np.sqrt(1 + d[i]) - X[j] / np.sqrt(1 + d[j])) ** 2).sum()
        for i in range(n)
        for j in range(n)
    )


def network(x, t, a, b, c, v):
    return np.tanh(np.multiply.outer(x, a) + np.multiply.outer(t, b) + c) @ v


def residual(x, t, kappa, a, b, c, v):
    h = np.tanh(np.multiply.outer(x, a) + np.multiply.outer(t, b) + c)
    return (1 - h**2) @ (v * b) + 2 * kappa * (h * (1 - h**2)) @ (v * a**2)


def explicit(f, lam, n):
    rows = [f]
    for _ in range(n - 1):
        u, new = rows[-1], np.zeros(len(f))
        new[1:-1] = u[1:-1] + lam * (u[2:] - 2 * u[1:-1] + u[:-2])
        rows.append(new)
    return np.stack(rows)


def operator(f, x, B1, b1, B2, w, q, b0):
    return (B2 @ np.tanh(B1 @ f + b1)) @ np.tanh(w * x + q) + b0


def spectral(V, R):
    m, K = len(V), len(R)
    turn = 2 * np.pi * np.outer(np.arange(K), np.arange(m)) / m
    total = np.zeros((m, R.shape[2]))
    for wave in (np.cos(turn), np.sin(turn)):
        total += wave.T @ np.einsum("kcd,kc->kd", R, wave @ V)
    return total / m


def probabilities(X, W):
    return softmax(X @ W, -1)


def objective(W, X, Y, lam):
    return -(Y * np.log(probabilities(X, W))).sum() / len(X) + lam / 2 * (W**2).sum()


def slope(W, X, Y, lam):
    return X.T @ (probabilities(X, W) - Y) / len(X) + lam * W


def curvature(W, V, X, lam):
    P, D = probabilities(X, W), X @ V
    return X.T @ (P * (D - (P * D).sum(-1, keepdims=True))) / len(X) + lam * V


def descent(W, X, Y, lam, eta, T):
    for _ in range(T):
        W = W - eta * slope(W, X, Y, lam)
    return W


def heavy_ball(W, X, Y, lam, eta, beta, T):
    M = np.zeros_like(W)
    for _ in range(T):
        M = beta * M + slope(W, X, Y, lam)
        W = W - eta * M
    return W


def adam(W, X, Y, lam, eta, b1, b2, eps, T):
    m = v = np.zeros_like(W)
    for t in range(1, T + 1):
        g = slope(W, X, Y, lam)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
        W = W - eta * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return W


def shrunk(a, tau):
    return np.sign(a) * np.maximum(np.abs(a) - tau, 0)


def thresholded(w, X, y, lam, eta, K):
    for _ in range(K):
        w = shrunk(w - eta / len(X) * X.T @ (X @ w - y), eta * lam)
    return w


ENCODER = {
    "W_h": "hidden[4] feature[5]",
    "b_h": "hidden[4]",
    "W_mu": "latent[3] hidden[4]",
    "b_mu": "latent[3]",
    "W_rho": "latent[3] hidden[4]",
    "b_rho": "latent[3]",
}
DECODER = {
    "V_h": "hidden[4] latent[3]",
    "c_h": "hidden[4]",
    "V_o": "feature[5] hidden[4]",
    "c_o": "feature[5]",
}
CHAIN = {
    "x": "time[6] ~ whole 4",
    "pi": "state[3] ~ probability state",
    "A": "state[3] state'[3] ~ probability state'",
    "B": "state[3] symbol[4] ~ probability symbol",
}
NETWORK = {"a": "hidden[4]", "b": "hidden[4]", "c": "hidden[4]", "v": "hidden[4]"}
REGRESSION = {
    "X": "ex[6] feat[3]",
    "Y": "ex[6] class[4] ~ one-hot class",
    "lambda_": 0.1,
}


DOCUMENTS = [
    Unseen(
        "variational_lecture.tex",
        r"""\documentclass[11pt,a4paper]{article}
\usepackage{amsmath,amssymb,hyperref}
\usepackage{namedtensor}

% axes of this lecture
\ndef{\batch}{batch}
\ndef{\feat}{feature}
\ndef{\hid}{hidden}
\ndef{\lat}{latent}
\ndef{\smp}{sample}
\ndef{\comp}{comp}

\newcommand{\reals}{\mathbb{R}}
\newcommand{\KL}{D_{\mathrm{KL}}}
\newcommand{\half}{\tfrac{1}{2}}
\newtheorem{remark}{Remark}

\title{Probabilistic Deep Learning\\ Lecture 8: Variational autoencoders}
\author{Lecture notes, winter term}
\date{}
\begin{document}
\maketitle

Last week we saw that the posterior of a deep latent variable model is intractable. Today we approximate it by a network~\cite{kingma}, and we ask how good the resulting bound is.

\section{The model}
We observe a black-and-white image $x \in \{0, 1\}^{\feat[d]}$ and explain it by a code $z \in \reals^{\lat[k]}$ with a standard normal prior,
\begin{equation}
\log p(z) = - \half \nsum{\lat} \left( z^2 + \log 2 \pi \right) .
\end{equation}
Given the code, pixels are independent. The \emph{decoder} computes their probabilities with one hidden layer of $n$ units,
\begin{align}
\hat{x}(z) &= \mathrm{sigmoid}\left( V_o \ndot{\hid} \mathrm{ReLU}\left( V_h \ndot{\lat} z + c_h \right) + c_o \right) \label{eq:decoder} \\
\log p(x \mid z) &= \nsum{\feat} \left( x \log \hat{x}(z) + (1 - x) \log (1 - \hat{x}(z)) \right)
\end{align}
with $V_h \in \reals^{\hid[n] \times \lat[k]}$, $V_o \in \reals^{\feat[d] \times \hid[n]}$, $c_h \in \reals^{\hid[n]}$ and $c_o \in \reals^{\feat[d]}$.

\section{The encoder}
The approximate posterior $q(z \mid x)$ is normal with a diagonal covariance. Its mean $\mu$ and standard deviation $\sigma$ come from a second network:
\begin{align}
h(x) &= \tanh\left( W_h \ndot{\feat} x + b_h \right) \\
\mu(x) &= W_\mu \ndot{\hid} h(x) + b_\mu \\
\sigma(x) &= \exp \left( \half \left( W_\rho \ndot{\hid} h(x) + b_\rho \right) \right)
\end{align}
where
\begin{align*}
W_h &\in \reals^{\hid[n] \times \feat[d]}, & b_h &\in \reals^{\hid[n]}, \\
W_\mu, W_\rho &\in \reals^{\lat[k] \times \hid[n]}, & b_\mu, b_\rho &\in \reals^{\lat[k]} .
\end{align*}
Hence\footnote{Note the square inside of the logarithm; forgetting it is the most frequent mistake in the exercises.}
\begin{equation}
\log q(z \mid x) = - \half \nsum{\lat} \left( \left( \frac{z - \mu(x)}{\sigma(x)} \right)^2 + \log\left( 2 \pi \sigma(x)^2 \right) \right) .
\end{equation}

\section{The bound}
For the prior above the divergence is available in closed form,
\begin{equation}
\KL(x) = \half \nsum{\lat} \left( \mu(x)^2 + \sigma(x)^2 - 1 - 2 \log \sigma(x) \right) ,
\end{equation}
and with one draw $\varepsilon \in \reals^{\lat[k]}$ of standard normal noise the evidence lower bound is estimated by
\begin{equation}
\mathcal{L}(x, \varepsilon) = \log p(x \mid z) - \KL(x), \qquad z = \mu(x) + \sigma(x) \odot \varepsilon .
\end{equation}
We train on minibatches. Let $X \in \{0, 1\}^{\batch \times \feat[d]}$ hold images and $\Xi \in \reals^{\batch \times \lat[k]}$ their noise; we maximise
\begin{equation}
J(X, \Xi) = \frac{1}{|\batch|} \nsum{\batch} \mathcal{L}(X, \Xi) .
\end{equation}

\subsection{A tighter bound}
Burda et al.\ average $K$ importance weights inside of the logarithm. With $E \in \reals^{\smp[K] \times \lat[k]}$,
\begin{align}
\mathcal{L}_K(x, E) &= \log \left( \frac{1}{K} \nsum{\smp} \exp w \right) \\
w &= \log p(x \mid z) + \log p(z) - \log q(z \mid x), \qquad z = \mu(x) + \sigma(x) \odot E .
\end{align}
\begin{remark}
For $K = 1$ this is an unbiased estimate of the bound of the last section, but with a higher variance, since the divergence is sampled, too.
\end{remark}

\subsection{A richer prior}
The aggregated posterior rarely looks like one Gaussian. We may replace the prior by a mixture of $C$ of them, with means $m \in \reals^{\comp[C] \times \lat[k]}$, scales $s \in \reals_{>0}^{\comp[C] \times \lat[k]}$ and weights $\omega \in [0, 1]^{\comp[C]}$ such that $\nsum{\comp} \omega = 1$:
\begin{equation}
\log p_{\mathrm{mix}}(z) = \log \nsum{\comp} \omega \exp\left( - \half \nsum{\lat} \left( \frac{(z - m)^2}{s^2} + \log (2 \pi s^2) \right) \right) .
\end{equation}

\section{Appendix: full covariances}
For two normal distributions with means $a_0, a_1 \in \reals^{\lat[k]}$ and covariances $S_0, S_1 \in \reals^{\lat[k] \times \lat'[k]}$,
\begin{align}
\mathrm{kl}(a_0, S_0, a_1, S_1) &= \half \left( \Lambda \ndot{\lat, \lat'} S_0 + \delta \ndot{\lat} \Lambda \ndot{\lat'} \delta_{\lat \to \lat'} - k + \log \frac{\nfun{\lat, \lat'}{det} S_1}{\nfun{\lat, \lat'}{det} S_0} \right) \\
\delta &= a_1 - a_0 \\
\Lambda &= \nfun{\lat, \lat'}{inv} S_1 .
\end{align}
The first term is a trace: both matrices are symmetric, so it does not matter which axis meets which.

\begin{thebibliography}{9}
\bibitem{kingma} D.~P. Kingma and M. Welling. Auto-encoding variational Bayes. \emph{ICLR}, 2014.
\end{thebibliography}
\end{document}
""",
        [
            Fault(
                r"\mu(x) &= W_\mu \ndot{\hid} h(x) + b_\mu",
                r"\mu(x) &= W_\mu \ndot{\feat} h(x) + b_\mu",
            ),
            Fault(
                r"\KL(x) = \half \nsum{\lat} \left( \mu(x)^2",
                r"\KL(x) = \half \nsum{\hid} \left( \mu(x)^2",
            ),
            Fault(
                r"\ndot{\lat'} \delta_{\lat \to \lat'} - k",
                r"\ndot{\lat'} \delta - k",
            ),
        ],
        [
            Entry(r"\hat{x}", picture, "feature", {"z": "latent[3]"}, DECODER),
            Entry(
                r"\sigma",
                lambda x, Wh, bh, Wr, br: spread(x, Wh, bh, Wr, br),
                "latent",
                {"x": "feature[5] ~ bits"},
                {name: ENCODER[name] for name in ("W_h", "b_h", "W_rho", "b_rho")},
            ),
            Entry(r"\KL", divergence, "", {"x": "feature[5] ~ bits"}, ENCODER),
            Entry(
                r"\mathcal{L}",
                bound,
                "",
                {"x": "feature[5] ~ bits", "varepsilon": "latent[3]"},
                {**ENCODER, **DECODER},
            ),
            Entry(
                "J",
                lambda X, Xi, *rest: bound(X, Xi, *rest).mean(),
                "",
                {"X": "batch[3] feature[5] ~ bits", "Xi": "batch[3] latent[3]"},
                {**ENCODER, **DECODER},
            ),
            Entry(
                r"\mathcal{L}_K",
                weighted_bound,
                "",
                {"x": "feature[5] ~ bits", "E": "sample[4] latent[3]"},
                {**ENCODER, **DECODER},
            ),
            Entry(
                r"\log p_{\mathrm{mix}}(z)",
                mixture_log,
                "",
                {"z": "latent[3]"},
                {
                    "m": "comp[2] latent[3]",
                    "s": "comp[2] latent[3] ~ positive",
                    "omega": "comp[2] ~ probability comp",
                },
            ),
            Entry(
                r"\mathrm{kl}",
                gaussians_apart,
                "",
                {
                    "a_0": "latent[3]",
                    "S_0": "latent[3] latent'[3] ~ definite",
                    "a_1": "latent[3]",
                    "S_1": "latent[3] latent'[3] ~ definite",
                },
            ),
        ],
    ),
    Unseen(
        "attention_sheet.md",
        r"""# Deep Learning for Language -- Exercise sheet 6

*Hand in by Tuesday, 12:00, in groups of two. Points in brackets. We write every tensor with named axes, as in the lecture; a mask or a weight that has no axis $\text{batch}$ is shared by the batch.*

## Problem 1: Root mean squares (3 points)

Recent models do without the mean of layer normalisation. For $X \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$ and a gain $g \in \mathbb{R}^{\text{emb}:d}$ let

$$
\text{RMSNorm}(X; g) = g \odot \frac{X}{\sqrt{\frac{1}{d} \sum_{\text{emb}} X^2 + \epsilon}}, \qquad \epsilon = 10^{-6}.
$$

a) Show that scaling $X$ by a positive number does not change the result (take $\epsilon = 0$).
b) Is that also true of adding a number to $X$? Give a counterexample.

## Problem 2: A gated feed-forward layer (3 points)

With $\text{silu}(a) = a \cdot \text{sigmoid}(a)$, and without biases, the layer is

$$
\begin{aligned}
W^g, W^u &\in \mathbb{R}^{\text{emb}:d, \text{hid}:f}, \qquad W^d \in \mathbb{R}^{\text{hid}:f, \text{emb}:d} \\
\text{FFN}(X; W^g, W^u, W^d) &= W^d \underset{\text{hid}}{\cdot} \left( \text{silu}\left( W^g \underset{\text{emb}}{\cdot} X \right) \odot \left( W^u \underset{\text{emb}}{\cdot} X \right) \right)
\end{aligned}
$$

How large must $f$ be so that it has as many parameters as an ordinary layer with $4d$ hidden units?

## Problem 3: Rotary positions (6 points)

We split the coordinates of queries and keys into $m$ pairs, $Q, K \in \mathbb{R}^{\text{seq}:n, \text{pair}:m, \text{part}:2}$, and turn the $i$-th pair at position $t$ by the angle

$$
\theta_{\text{seq}:t, \text{pair}:i} = (t - 1) \cdot 10000^{-(i - 1)/m} .
$$

Written out, this is

$$
\text{rope}(Q)_{\text{seq}:t, \text{pair}:i, \text{part}:r} =
\begin{cases}
Q_{\text{seq}:t, \text{pair}:i, \text{part}:1} \cos \theta_{\text{seq}:t, \text{pair}:i} - Q_{\text{seq}:t, \text{pair}:i, \text{part}:2} \sin \theta_{\text{seq}:t, \text{pair}:i} & \text{if } r = 1 \\
Q_{\text{seq}:t, \text{pair}:i, \text{part}:1} \sin \theta_{\text{seq}:t, \text{pair}:i} + Q_{\text{seq}:t, \text{pair}:i, \text{part}:2} \cos \theta_{\text{seq}:t, \text{pair}:i} & \text{if } r = 2
\end{cases}
$$

a) Show that the length of each pair is kept.
b) Show that the scores

$$
S(Q, K) = [\text{rope}(Q)]_{\text{seq} \rightarrow \text{seq}'} \underset{\text{pair}, \text{part}}{\cdot} \text{rope}(K)
$$

depend on positions only by their difference. *(Hint: complex numbers.)*

## Problem 4: Grouped queries and a window (8 points)

To save memory, $r$ query heads share one head of keys and values. The sizes of a small model are

| axis | meaning | size |
|:-----|:--------|-----:|
| $\text{group}$ | heads of keys and values | 4 |
| $\text{member}$ | query heads of a group | 3 |
| $\text{key}$, $\text{val}$ | width of a head | 64 |

but you should not rely on them. Attention looks back at most $w$ positions:

$$
\begin{aligned}
W^Q &\in \mathbb{R}^{\text{group}, \text{member}, \text{emb}:d, \text{key}} \\
W^K &\in \mathbb{R}^{\text{group}, \text{emb}:d, \text{key}} \\
W^V &\in \mathbb{R}^{\text{group}, \text{emb}:d, \text{val}} \\
W^O &\in \mathbb{R}^{\text{group}, \text{member}, \text{val}, \text{emb}:d} \\
M_{\text{seq}':i, \text{seq}:j} &= \begin{cases} 0 & \text{if } j \leq i \text{ and } i - j < w \\ -\infty & \text{otherwise} \end{cases} \\
\text{GQA}(X; W^Q, W^K, W^V, W^O) &= \left[ W^O \underset{\text{group}, \text{member}, \text{val}}{\cdot} \left( V \underset{\text{seq}}{\cdot} A \right) \right]_{\text{seq}' \rightarrow \text{seq}} \\
A &= \underset{\text{seq}}{\text{softmax}} \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{key}|}} + M \right) \\
Q &= W^Q \underset{\text{emb}}{\cdot} [X]_{\text{seq} \rightarrow \text{seq}'} \\
K &= W^K \underset{\text{emb}}{\cdot} X \\
V &= W^V \underset{\text{emb}}{\cdot} X
\end{aligned}
$$

a) Which axes does $A$ have? Draw it for $w = 2$.
b) How many numbers per position does the cache of keys and values hold?

## Problem 5: Attention that may abstain (2 points)

For scores $S \in \mathbb{R}^{\text{seq}', \text{seq}}$ consider

$$
\text{quiet}(S) = \frac{\exp S}{1 + \sum_{\text{seq}} \exp S} .
$$

What happens if all scores of a query go to $-\infty$? Rewrite it as an ordinary softmax with one more key.

## Problem 6: The loss (4 points)

Let $H \in \mathbb{R}^{\text{seq}:n, \text{emb}:d}$ be the last hidden states, $E \in \mathbb{R}^{\text{vocab}:v, \text{emb}:d}$ the embedding and $Y \in \{0, 1\}^{\text{seq}:n, \text{vocab}:v}$ the next tokens, one-hot. With $O = E \underset{\text{emb}}{\cdot} H$ and $P = \underset{\text{vocab}}{\text{softmax}}\, O$ we train on smoothed labels,

$$
\ell(H, Y; E) = - \frac{1}{n} \sum_{\text{seq}} \sum_{\text{vocab}} \left( (1 - \alpha) Y + \frac{\alpha}{v} \right) \odot \log P, \qquad \alpha = 0.1,
$$

but report the perplexity

$$
\text{ppl}(H, Y; E) = \exp \left( - \frac{1}{n} \sum_{\text{seq}} \log \left( Y \underset{\text{vocab}}{\cdot} P \right) \right) .
$$

Find the smallest value that $\ell$ can take.
""",
        [
            Fault(
                r"\odot \left( W^u \underset{\text{emb}}{\cdot} X \right)",
                r"\odot \left( W^u \underset{\text{hid}}{\cdot} X \right)",
            ),
            Fault(
                r"W^O &\in \mathbb{R}^{\text{group}, \text{member}, \text{val}, \text{emb}:d}",
                r"W^O &\in \mathbb{R}^{\text{group}, \text{member}, \text{key}, \text{emb}:d}",
                r"\text{GQA}(X; W^Q",
            ),
            Fault(
                r"A &= \underset{\text{seq}}{\text{softmax}}",
                r"A &= \underset{\text{val}}{\text{softmax}}",
            ),
        ],
        [
            Entry("RMSNorm", root_mean_square, "seq emb", {"X": "seq[3] emb[4]"}, {"g": "emb[4]"}),
            Entry(
                "FFN",
                gated,
                "seq emb",
                {"X": "seq[3] emb[4]"},
                {"Wg": "emb[4] hid[5]", "Wu": "emb[4] hid[5]", "Wd": "hid[5] emb[4]"},
            ),
            Entry("rope", rotated, "seq pair part", {"Q": "seq[4] pair[3] part[2]"}),
            Entry(
                "S",
                rotated_scores,
                "seq' seq",
                {"Q": "seq[4] pair[3] part[2]", "K": "seq[4] pair[3] part[2]"},
            ),
            Entry(
                "GQA",
                grouped,
                "seq emb",
                {"X": "seq[5] emb[4]"},
                {
                    "WQ": "group[2] member[3] emb[4] key[3]",
                    "WK": "group[2] emb[4] key[3]",
                    "WV": "group[2] emb[4] val[2]",
                    "WO": "group[2] member[3] val[2] emb[4]",
                    "w": 2,
                },
            ),
            Entry(
                "quiet",
                lambda S: np.exp(S) / (1 + np.exp(S).sum(-1, keepdims=True)),
                "seq' seq",
                {"S": "seq'[3] seq[4]"},
            ),
            Entry(
                r"\ell",
                smoothed,
                "",
                {"H": "seq[4] emb[3]", "Y": "seq[4] vocab[5] ~ one-hot vocab"},
                {"E": "vocab[5] emb[3]"},
            ),
            Entry(
                "ppl",
                perplexity,
                "",
                {"H": "seq[4] emb[3]", "Y": "seq[4] vocab[5] ~ one-hot vocab"},
                {"E": "vocab[5] emb[3]"},
            ),
        ],
    ),
    Unseen(
        "hidden_states.md",
        r"""---
title: "Hidden Markov models, without tears over transposes"
author: a teaching assistant
tags: [tutorial, probabilistic models]
---

Every year somebody in my tutorial multiplies by the transition matrix from the wrong side. Named axes make that impossible: the state *before* a step and the state *after* it are two axes, `state` and `state'`. Here is the whole algorithm of Baum and Welch written that way.

## Ingredients

We have $K$ hidden states and $V$ symbols, and see a sequence of length $T$:

- the initial distribution $\pi \in [0, 1]^{\text{state}:K}$,
- the transitions $A \in [0, 1]^{\text{state}:K, \text{state}':K}$, where $A_{\text{state}(i), \text{state}'(j)}$ is the probability to go from $i$ to $j$,
- the emissions $B \in [0, 1]^{\text{state}:K, \text{symbol}:V}$,
- and what we observed, $x \in \{1, \ldots, V\}^{\text{time}:T}$.

Rows sum to one:

$$
\sum_{\text{state}'} A = 1, \qquad \sum_{\text{symbol}} B = 1 .
$$

A warm-up: two steps of the chain at once are

$$
A_2 = A_{\text{state}' \to \text{mid}} \odot_{\text{mid}} A_{\text{state} \to \text{mid}} ,
$$

and the distribution after one step is $[\pi \odot_{\text{state}} A]_{\text{state}' \to \text{state}}$.

## Forward

Let $\alpha_{\text{time}(t), \text{state}(j)}$ be the probability of seeing the first $t$ symbols and being in state $j$ then.

$$
\begin{aligned}
\alpha_{\text{time}(1), \text{state}(j)} &= \pi_{\text{state}(j)} \, B_{\text{state}(j), \text{symbol}(x_{\text{time}(1)})} \\
\alpha_{\text{time}(t), \text{state}(j)} &= B_{\text{state}(j), \text{symbol}(x_{\text{time}(t)})} \sum_{i=1}^{K} \alpha_{\text{time}(t-1), \text{state}(i)} \, A_{\text{state}(i), \text{state}'(j)} \qquad t = 2, \ldots, T
\end{aligned}
$$

The likelihood of the sequence is what is left at the end:

$$
Z = \sum_{j=1}^{K} \alpha_{\text{time}(T), \text{state}(j)} .
$$

## Backward

The other way round, starting from $\beta_{\text{time}(T), \text{state}(i)} = 1$, we go down $t = T-1, \ldots, 1$:

$$
\beta_{\text{time}(t), \text{state}(i)} = \sum_{j=1}^{K} A_{\text{state}(i), \text{state}'(j)} \, B_{\text{state}(j), \text{symbol}(x_{\text{time}(t+1)})} \, \beta_{\text{time}(t+1), \text{state}(j)}
$$

Both together give the posterior of each state, and of each pair of neighbours:

$$
\gamma = \frac{\alpha \odot \beta}{Z}
$$

$$
\xi_{\text{step}(t), \text{state}(i), \text{state}'(j)} = \frac{1}{Z} \, \alpha_{\text{time}(t), \text{state}(i)} \, A_{\text{state}(i), \text{state}'(j)} \, B_{\text{state}(j), \text{symbol}(x_{\text{time}(t+1)})} \, \beta_{\text{time}(t+1), \text{state}(j)}
$$

The second one lives on $T - 1$ steps, $\xi \in [0, 1]^{\text{step}:T-1, \text{state}:K, \text{state}':K}$.

## Re-estimation

Now count, softly:

$$
\begin{aligned}
\hat{\pi}_{\text{state}(i)} &= \gamma_{\text{time}(1), \text{state}(i)} \\
\hat{A}_{\text{state}(i), \text{state}'(j)} &= \frac{\sum_{t=1}^{T-1} \xi_{\text{step}(t), \text{state}(i), \text{state}'(j)}}{\sum_{t=1}^{T-1} \gamma_{\text{time}(t), \text{state}(i)}} \\
\hat{B}_{\text{state}(j), \text{symbol}(v)} &= \frac{\sum_{t=1}^{T} \gamma_{\text{time}(t), \text{state}(j)} \, \mathbb{1}[x_{\text{time}(t)} = v]}{\sum_{t=1}^{T} \gamma_{\text{time}(t), \text{state}(j)}}
\end{aligned}
$$

> **In practice** multiply probabilities in the log domain, or rescale $\alpha$ at each step. The formulas stay the same.

## Viterbi

For the best single path replace sums by maxima, and products by sums of logarithms:

$$
\begin{aligned}
\delta_{\text{time}(1), \text{state}(j)} &= \log \pi_{\text{state}(j)} + \log B_{\text{state}(j), \text{symbol}(x_{\text{time}(1)})} \\
\delta_{\text{time}(t), \text{state}(j)} &= \log B_{\text{state}(j), \text{symbol}(x_{\text{time}(t)})} + \max_{i} \left( \delta_{\text{time}(t-1), \text{state}(i)} + \log A_{\text{state}(i), \text{state}'(j)} \right), \quad t = 2, \ldots, T \\
\text{best} &= \max_{\text{state}} \delta_{\text{time}(T)}
\end{aligned}
$$

## How long do we stay?

The time spent in state $i$ in one visit is geometric, with mean

$$
\tau_{\text{state}(i)} = \frac{1}{1 - A_{\text{state}(i), \text{state}'(i)}} .
$$

If that is unrealistic for your data, you want a *semi*-Markov model; see next week's post.
""",
        [
            Fault(
                r"\alpha_{\text{time}(t-1), \text{state}(i)} \, A_{\text{state}(i), \text{state}'(j)} \qquad",
                r"\alpha_{\text{time}(t-1), \text{state}(i)} \, A_{\text{state}(i), \text{state}(j)} \qquad",
            ),
            Fault(
                r"\hat{\pi}_{\text{state}(i)} &= \gamma_{\text{time}(1), \text{state}(i)}",
                r"\hat{\pi}_{\text{state}(i)} &= \gamma_{\text{step}(1), \text{state}(i)}",
            ),
            Fault(
                r"A_2 = A_{\text{state}' \to \text{mid}} \odot_{\text{mid}} A_{\text{state} \to \text{mid}} ,",
                r"A_2 = A_{\text{state}' \to \text{mid}} \odot_{\text{mid}} A ,",
            ),
        ],
        [
            Entry("A_2", lambda A: A @ A, "state state'", {"A": CHAIN["A"]}),
            Entry(r"\alpha", forward, "time state", CHAIN),
            Entry("Z", lambda *all: forward(*all)[-1].sum(), "", CHAIN),
            Entry(
                r"\beta",
                backward,
                "time state",
                {name: CHAIN[name] for name in "xAB"},
            ),
            Entry(r"\gamma", posterior, "time state", CHAIN),
            Entry(r"\xi", pairs, "step state state'", CHAIN),
            Entry(r"\hat{A}", new_transitions, "state state'", CHAIN),
            Entry(r"\hat{B}", new_emissions, "state symbol", CHAIN),
            Entry("best", best_path, "", CHAIN),
            Entry(r"\tau", lambda A: 1 / (1 - np.diag(A)), "state", {"A": CHAIN["A"]}),
        ],
    ),
    Unseen(
        "adaptive_filters.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,booktabs}
\newcommand{\RR}{\mathbb{R}}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\abs}[1]{\left|#1\right|}
\begin{document}

\begin{center}
\textbf{Statistical Signal Processing} \hfill Handout 9\\[2mm]
{\Large Adaptive filters}
\end{center}

\section{The problem}
A signal $x \in \RR^{\ax{time}:N}$ passes through an unknown system (a room, say), and we observe $d \in \RR^{\ax{time}:N}$ at its output. We look for a filter $w \in \RR^{\ax{tap}:M}$ with $M$ taps that does the same. It is convenient to collect the delayed inputs in one tensor, with zeros before the beginning:
\begin{equation}
U_{\ax{time}(n), \ax{tap}(k)} = \begin{cases} x_{\ax{time}(n-k+1)} & \text{if } k \le n, \\ 0 & \text{otherwise,} \end{cases} \qquad n = 1, \dots, N, \quad k = 1, \dots, M .
\end{equation}
The output of the filter and its mean squared error are then
\begin{align}
y_{\ax{time}(n)} &= \sum_{k=1}^{M} w_{\ax{tap}(k)} \, U_{\ax{time}(n), \ax{tap}(k)} \\
J(w) &= \frac{1}{N} \sum_{n=1}^{N} \left( d_{\ax{time}(n)} - y_{\ax{time}(n)} \right)^2 .
\end{align}

\section{The Wiener solution}
Setting the gradient to zero gives the normal equations. With
\begin{align}
R_{\ax{tap}(i), \ax{tap}'(j)} &= \frac{1}{N} \sum_{n=1}^{N} U_{\ax{time}(n), \ax{tap}(i)} \, U_{\ax{time}(n), \ax{tap}(j)} \\
p_{\ax{tap}(i)} &= \frac{1}{N} \sum_{n=1}^{N} U_{\ax{time}(n), \ax{tap}(i)} \, d_{\ax{time}(n)}
\end{align}
the optimal filter is
\begin{equation}
w_{\mathrm{opt}} = R^{-1} \odot_{\ax{tap}'} p_{\ax{tap} \to \ax{tap}'} .
\end{equation}

\section{Stochastic gradients}
Who cannot wait for all $N$ samples follows the gradient of the instantaneous error. This is the LMS algorithm of Widrow and Hoff. Let $a^{(0)} = 0$, $a^{(0)} \in \RR^{\ax{tap}:M}$. For $n = 1, \dots, N$,
\begin{align}
e^{(n)} &= d_{\ax{time}(n)} - \sum_{k=1}^{M} a^{(n-1)}_{\ax{tap}(k)} \, U_{\ax{time}(n), \ax{tap}(k)} \\
a^{(n)}_{\ax{tap}(k)} &= a^{(n-1)}_{\ax{tap}(k)} + \mu \, e^{(n)} \, U_{\ax{time}(n), \ax{tap}(k)} .
\end{align}
The step size $\mu > 0$ must be small compared with the power of the input. The normalised version divides by that power. With $c^{(0)} = 0$, $c^{(0)} \in \RR^{\ax{tap}:M}$, and a small $\delta > 0$,
\begin{align}
c^{(n)}_{\ax{tap}(k)} = c^{(n-1)}_{\ax{tap}(k)} + \frac{\mu \, U_{\ax{time}(n), \ax{tap}(k)}}{\delta + \sum_{l=1}^{M} U_{\ax{time}(n), \ax{tap}(l)}^2} \left( d_{\ax{time}(n)} - \sum_{l=1}^{M} c^{(n-1)}_{\ax{tap}(l)} \, U_{\ax{time}(n), \ax{tap}(l)} \right), \qquad n = 1, \dots, N .
\end{align}

\section{Recursive least squares}
RLS keeps an estimate of the inverse correlation, $P^{(n)} \in \RR^{\ax{tap}:M, \ax{tap}':M}$, and forgets the past with a factor $0 < \lambda \le 1$. We begin with $b^{(0)} = 0$, where $b^{(0)} \in \RR^{\ax{tap}:M}$, and
\begin{equation}
P^{(0)}_{\ax{tap}(i), \ax{tap}'(j)} = \begin{cases} 1/\delta & i = j \\ 0 & i \neq j \end{cases}
\end{equation}
and repeat, for $n = 1, \dots, N$,
\begin{align}
u^{(n)} &= U_{\ax{time}(n)} \\
g^{(n)} &= \frac{ P^{(n-1)} \odot_{\ax{tap}'} u^{(n)}_{\ax{tap} \to \ax{tap}'} }{ \lambda + u^{(n)} \odot_{\ax{tap}} P^{(n-1)} \odot_{\ax{tap}'} u^{(n)}_{\ax{tap} \to \ax{tap}'} } \\
b^{(n)} &= b^{(n-1)} + g^{(n)} \left( d_{\ax{time}(n)} - b^{(n-1)} \odot_{\ax{tap}} u^{(n)} \right) \\
P^{(n)} &= \frac{1}{\lambda} \left( P^{(n-1)} - g^{(n)} \left( u^{(n)} \odot_{\ax{tap}} P^{(n-1)} \right) \right) .
\end{align}

\begin{table}[h]
\centering
\begin{tabular}{lcc}
\toprule
algorithm & cost per sample & speed of convergence \\
\midrule
LMS & $2M$ & depends on the eigenvalues of $R$ \\
NLMS & $3M$ & likewise, but independent of scale \\
RLS & $O(M^2)$ & about $2M$ samples \\
\bottomrule
\end{tabular}
\caption{Rules of thumb.}
\end{table}

\section{Looking at the input}
Whether LMS will be fast can be read off the spectrum of $x$. We use a Hann window
\begin{equation}
h_{\ax{time}(n)} = \frac{1}{2} \left( 1 - \cos \frac{2 \pi (n-1)}{N-1} \right)
\end{equation}
and the periodogram $S \in \RR^{\ax{freq}:N}$,
\begin{align}
S_{\ax{freq}(k)} &= \frac{ C_{\ax{freq}(k)}^2 + D_{\ax{freq}(k)}^2 }{ \sum_{n=1}^{N} h_{\ax{time}(n)}^2 } \\
C_{\ax{freq}(k)} &= \sum_{n=1}^{N} h_{\ax{time}(n)} \, x_{\ax{time}(n)} \cos \frac{2 \pi (k-1)(n-1)}{N} \\
D_{\ax{freq}(k)} &= \sum_{n=1}^{N} h_{\ax{time}(n)} \, x_{\ax{time}(n)} \sin \frac{2 \pi (k-1)(n-1)}{N} .
\end{align}
Equivalently, one may estimate the autocorrelation at the lags $0, \dots, L-1$,
\begin{equation}
r_{\ax{lag}(l)} = \frac{1}{N} \sum_{n=l}^{N} x_{\ax{time}(n)} \, x_{\ax{time}(n-l+1)}, \qquad r \in \RR^{\ax{lag}:L} .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"y_{\ax{time}(n)} &= \sum_{k=1}^{M} w_{\ax{tap}(k)}",
                r"y_{\ax{time}(n)} &= \sum_{k=1}^{N} w_{\ax{tap}(k)}",
            ),
            Fault(
                r"w_{\mathrm{opt}} = R^{-1} \odot_{\ax{tap}'} p_{\ax{tap} \to \ax{tap}'} .",
                r"w_{\mathrm{opt}} = R^{-1} \odot_{\ax{tap}'} p .",
            ),
            Fault(
                r"U_{\ax{time}(n), \ax{tap}(i)} \, d_{\ax{time}(n)}",
                r"U_{\ax{time}(n), \ax{tap}(i)} \, d_{\ax{tap}(n)}",
            ),
        ],
        [
            Entry(
                "J",
                lambda w, x, d: ((d - delays(x, 3) @ w) ** 2).mean(),
                "",
                {"w": "tap[3]", "x": "time[7]", "d": "time[7]"},
            ),
            Entry(
                r"w_{\mathrm{opt}}",
                lambda x, d: wiener(x, d, 3),
                "tap",
                {"x": "time[7]", "d": "time[7]"},
                chosen={"M": 3},
            ),
            Entry(
                "a",
                lambda x, d, mu: least_mean_squares(x, d, mu, 3),
                "time tap",
                {"x": "time[7]", "d": "time[7]", "mu": 0.1},
                chosen={"M": 3},
            ),
            Entry(
                "c",
                lambda x, d, mu, delta: normalised_squares(x, d, mu, delta, 3),
                "time tap",
                {"x": "time[7]", "d": "time[7]", "mu": 0.5, "delta": 0.1},
                chosen={"M": 3},
            ),
            Entry(
                "b",
                lambda x, d, lam, delta: recursive_squares(x, d, lam, delta, 3),
                "time tap",
                {"x": "time[7]", "d": "time[7]", "lambda_": 0.9, "delta": 0.1},
                chosen={"M": 3},
            ),
            Entry("S", periodogram, "freq", {"x": "time[8]"}),
            Entry("r", lambda x: correlations(x, 3), "lag", {"x": "time[8]"}, chosen={"L": 3}),
        ],
    ),
    Unseen(
        "message_passing_blog.md",
        r"""# Graph networks as five formulas

*Posted by a student of the machine learning seminar. Corrections welcome!*

<!-- TODO: add the picture of the karate club -->

A graph network is a layer that treats the nodes of a graph like a *set* whose elements know their neighbours. When I learned about them, every paper had another convention for which side the adjacency matrix goes. So here is everything with **named axes**, and `node` is the one that receives, `node'` the one that sends.

## What is given

A graph with $N$ nodes, $A \in \{0, 1\}^{\text{node}:N, \text{node}':N}$, where $A_{\text{node}(i), \text{node}'(j)} = 1$ if $j$ sends to $i$. We assume it to be symmetric. Each node has features, $X \in \mathbb{R}^{\text{node}:N, \text{feat}:F}$.

We will often need self-loops, and the degrees with them:

$$
\begin{aligned}
I_{\text{node}(i), \text{node}'(j)} &= \begin{cases} 1 & i = j \\ 0 & i \neq j \end{cases} \\
\tilde{A} &= A + I \\
\tilde{d}_{\text{node}(i)} &= \sum_{j=1}^{N} \tilde{A}_{\text{node}(i), \text{node}'(j)}
\end{aligned}
$$

## 1. Convolution (GCN)

Kipf and Welling normalise on both sides, which gives

$$
S_{\text{node}(i), \text{node}'(j)} = \frac{\tilde{A}_{\text{node}(i), \text{node}'(j)}}{\sqrt{\tilde{d}_{\text{node}(i)} \, \tilde{d}_{\text{node}(j)}}}
$$

and then every layer is one line, with $W \in \mathbb{R}^{\text{feat}:F, \text{out}:G}$:

$$
\text{GCN}(X; W) = \text{ReLU}\left( S \odot_{\text{node}'} X_{\text{node} \to \text{node}'} \odot_{\text{feat}} W \right)
$$

## 2. Attention (GAT)

Instead of fixed weights, let each node decide whom to listen to. There are $H$ heads:

$$
\begin{aligned}
\Theta &\in \mathbb{R}^{\text{head}:H, \text{feat}:F, \text{out}:G} \\
a, b &\in \mathbb{R}^{\text{head}:H, \text{out}:G} \\
Z &= \Theta \odot_{\text{feat}} X \\
s &= a \odot_{\text{out}} Z, \qquad t = b \odot_{\text{out}} Z \\
e_{\text{head}(h), \text{node}(i), \text{node}'(j)} &= \text{LeakyReLU}\left( s_{\text{head}(h), \text{node}(i)} + t_{\text{head}(h), \text{node}(j)} \right) \\
\alpha_{\text{head}(h), \text{node}(i), \text{node}'(j)} &= \frac{ \tilde{A}_{\text{node}(i), \text{node}'(j)} \exp e_{\text{head}(h), \text{node}(i), \text{node}'(j)} }{ \sum_{k=1}^{N} \tilde{A}_{\text{node}(i), \text{node}'(k)} \exp e_{\text{head}(h), \text{node}(i), \text{node}'(k)} } \\
\text{GAT} &= \alpha \odot_{\text{node}'} Z_{\text{node} \to \text{node}'}
\end{aligned}
$$

where $\text{LeakyReLU}(u) = \max(u, 0.2 u)$. (To stack such layers, join heads and outputs to one axis: $\text{GAT}_{(\text{head}, \text{out}) \to \text{feat}}$.)

## 3. Sums that tell graphs apart (GIN)

Means forget how many neighbours there are; sums don't. Writing $\mathcal{N}(i) = \{ j : A_{\text{node}(i), \text{node}'(j)} = 1 \}$ for the neighbours of $i$,

$$
m_{\text{node}(i), \text{feat}(f)} = (1 + \epsilon) X_{\text{node}(i), \text{feat}(f)} + \sum_{j \in \mathcal{N}(i)} X_{\text{node}(j), \text{feat}(f)}
$$

$$
\text{GIN}(X) = \text{ReLU}( m \odot_{\text{feat}} V ) \odot_{\text{hid}} U
$$

with $V \in \mathbb{R}^{\text{feat}:F, \text{hid}:D}$, $U \in \mathbb{R}^{\text{hid}:D, \text{out}:G}$ and a number $\epsilon \in \mathbb{R}$ that is learned.

## 4. Edge lists

Real graphs are sparse, so libraries store the $E$ edges as two lists, $\text{src}, \text{tgt} \in \{1, \ldots, N\}^{\text{edge}:E}$. A message is computed per edge and added where it arrives (here $Q \in \mathbb{R}^{\text{feat}:F, \text{out}:G}$):

$$
\begin{aligned}
\mu_{\text{edge}(e), \text{out}(o)} &= \sum_{f=1}^{F} X_{\text{node}(\text{src}_{\text{edge}(e)}), \text{feat}(f)} \, Q_{\text{feat}(f), \text{out}(o)} \\
R_{\text{node}(i), \text{out}(o)} &= \sum_{e=1}^{E} \mathbb{1}[\text{tgt}_{\text{edge}(e)} = i] \; \mu_{\text{edge}(e), \text{out}(o)}
\end{aligned}
$$

This is what `scatter_add` does.

## 5. No learning at all

*Label propagation* needs no weights. Some nodes have labels, $Y^{(0)} \in [0, 1]^{\text{node}:N, \text{class}:C}$ (zero where unknown), and we let them spread:

$$
Y^{(k+1)} = \rho \, S \odot_{\text{node}'} Y^{(k)}_{\text{node} \to \text{node}'} + (1 - \rho) \, Y^{(0)}, \qquad k = 0, \ldots, T - 1
$$

## Why not more layers?

Because all of these smooth. With $d_{\text{node}(i)} = \sum_{j} A_{\text{node}(i), \text{node}'(j)}$, the *Dirichlet energy*

$$
\mathcal{E}(X) = \frac{1}{2} \sum_{i=1}^{N} \sum_{j=1}^{N} A_{\text{node}(i), \text{node}'(j)} \sum_{f=1}^{F} \left( \frac{X_{\text{node}(i), \text{feat}(f)}}{\sqrt{1 + d_{\text{node}(i)}}} - \frac{X_{\text{node}(j), \text{feat}(f)}}{\sqrt{1 + d_{\text{node}(j)}}} \right)^2
$$

goes to zero exponentially fast in the number of GCN layers [^1], and with it everything that tells nodes apart.

[^1]: Under conditions on the weights; see Cai and Wang, *A note on over-smoothing for graph neural networks*, 2020.
""",
        [
            Fault(
                r"S \odot_{\text{node}'} X_{\text{node} \to \text{node}'} \odot_{\text{feat}} W",
                r"S \odot_{\text{node}'} X \odot_{\text{feat}} W",
            ),
            Fault(
                r"a, b &\in \mathbb{R}^{\text{head}:H, \text{out}:G}",
                r"a, b &\in \mathbb{R}^{\text{head}:H, \text{feat}:F}",
                r"s &= a \odot_{\text{out}} Z",
            ),
            Fault(
                r"\text{feat}(f)} \, Q_{\text{feat}(f), \text{out}(o)} \\",
                r"\text{feat}(f)} \, Q_{\text{hid}(f), \text{out}(o)} \\",
            ),
        ],
        [
            Entry(
                "GCN",
                convolved,
                "node out",
                {"X": "node[4] feat[3]", "A": "node[4] node'[4] ~ bits"},
                {"W": "feat[3] out[2]"},
            ),
            Entry(
                r"\alpha",
                lambda *all: attended(*all)[0],
                "head node node'",
                {
                    "X": "node[4] feat[3]",
                    "A": "node[4] node'[4] ~ bits",
                    "Theta": "head[2] feat[3] out[2]",
                    "a": "head[2] out[2]",
                    "b": "head[2] out[2]",
                },
            ),
            Entry(
                "GAT",
                graph_attention,
                "node head out",
                {
                    "X": "node[4] feat[3]",
                    "A": "node[4] node'[4] ~ bits",
                    "Theta": "head[2] feat[3] out[2]",
                    "a": "head[2] out[2]",
                    "b": "head[2] out[2]",
                },
            ),
            Entry(
                "GIN",
                isomorphism,
                "node out",
                {
                    "X": "node[4] feat[3]",
                    "A": "node[4] node'[4] ~ bits",
                    "epsilon": 0.3,
                    "V": "feat[3] hid[5]",
                    "U": "hid[5] out[2]",
                },
            ),
            Entry(
                "R",
                gathered,
                "node out",
                {
                    "X": "node[4] feat[3]",
                    "src": "edge[6] ~ whole 4",
                    "tgt": "edge[6] ~ whole 4",
                    "Q": "feat[3] out[2]",
                },
            ),
            Entry(
                "Y^{(T)}",
                lambda A, Y, rho: propagated(A, Y, rho, 3),
                "node class",
                {
                    "A": "node[4] node'[4] ~ bits",
                    "Y0": "node[4] class[3] ~ positive",
                    "rho": 0.8,
                },
                chosen={"T": 3},
            ),
            Entry(
                r"\mathcal{E}",
                smoothness,
                "",
                {"X": "node[4] feat[3]", "A": "node[4] node'[4] ~ bits"},
            ),
        ],
    ),
    Unseen(
        "learning_the_heat.tex",
        r"""\documentclass[a4paper]{scrartcl}
\usepackage{amsmath,amssymb,graphicx}
% our own small version of the macros of Chiang, Rush and Barak
\newcommand{\name}[1]{\mathsf{\vphantom{fg}#1}}
\newcommand{\ndef}[2]{\newcommand{#1}{\name{#2}}}
\newcommand{\nbin}[2]{\mathbin{\underset{\substack{#1}}{#2}}}
\newcommand{\nfun}[2]{\mathop{\underset{\substack{#1}}{\mathrm{#2}}}}
\newcommand{\nsum}[1]{\sum_{\substack{#1}}}
\newcommand{\con}[1]{\nbin{#1}{\odot}}
\ndef{\pt}{pt} \ndef{\hid}{hidden} \ndef{\gx}{grid} \ndef{\tm}{time}
\ndef{\mode}{mode} \ndef{\chan}{chan} \ndef{\basis}{basis}
\newcommand{\R}{\mathbb{R}}
\newcommand{\dt}[1]{\frac{\partial #1}{\partial t}}
\newcommand{\dxx}[1]{\frac{\partial^2 #1}{\partial x^2}}

\title{Scientific Machine Learning\\Notes for week 4: Three ways to learn the heat equation}
\begin{document}
\maketitle

\noindent Throughout we look for the temperature $u(x, t)$ of a rod, $0 \le x \le 1$, which obeys
\begin{equation*}
\dt{u} = \kappa \dxx{u}, \qquad u(0, t) = u(1, t) = 0 .
\end{equation*}
The conductivity $\kappa > 0$ is known, and so is the temperature at the start.

\section{The classical way}
Take a grid with $m$ points and $n$ times. Let $f \in \R^{\gx[m]}$ be the temperature at the start and $U \in \R^{\gx[m] \times \tm[n]}$ what follows from it. An explicit scheme replaces derivatives by differences, with $\lambda = \kappa\, \Delta t / \Delta x^2$:
\begin{align}
U_{\gx(i), \tm(1)} &= f_{\gx(i)} \\
U_{\gx(i), \tm(k+1)} &= \begin{cases}
0 & \text{if } i = 1 \text{ or } i = m, \\
U_{\gx(i), \tm(k)} + \lambda \left( U_{\gx(i+1), \tm(k)} - 2 U_{\gx(i), \tm(k)} + U_{\gx(i-1), \tm(k)} \right) & \text{otherwise.}
\end{cases}
\end{align}
It is stable only for $\lambda \le 1/2$; try it.

\section{A network as the solution}
A physics-informed network \emph{is} the solution. For us one layer of $H$ units is enough:
\begin{align}
h(x, t) &= \tanh(a x + b t + c), & a, b, c &\in \R^{\hid[H]}, \\
u(x, t) &= v \con{\hid} h(x, t), & v &\in \R^{\hid[H]} .
\end{align}
Software would differentiate it automatically. By hand, since $\tanh' = 1 - \tanh^2$,
\begin{align}
u_t(x, t) &= (v \odot b) \con{\hid} \left( 1 - h(x, t)^2 \right) \\
u_{xx}(x, t) &= - 2 (v \odot a^2) \con{\hid} \left( h(x, t) \odot (1 - h(x, t)^2) \right) \\
r(x, t) &= u_t(x, t) - \kappa\, u_{xx}(x, t) . \label{eq:res}
\end{align}
The residual $r$ should vanish everywhere. We ask for it at $N$ random points, whose places and times are $X, T \in \R^{\pt[N]}$; at the start it should agree with $f$ at the places $g \in \R^{\gx[m]}$; and it should vanish at both ends at the times $s \in \R^{\tm[n]}$:
\begin{align}
\mathcal{L}_{\mathrm{res}} &= \frac{1}{N} \nsum{\pt} r(X, T)^2 \\
\mathcal{L}_{\mathrm{ini}} &= \frac{1}{m} \nsum{\gx} \left( u(g, 0) - f \right)^2 \\
\mathcal{L}_{\mathrm{bnd}} &= \frac{1}{n} \nsum{\tm} \left( u(0, s)^2 + u(1, s)^2 \right) \\
\mathcal{L} &= \mathcal{L}_{\mathrm{res}} + \omega_1 \mathcal{L}_{\mathrm{ini}} + \omega_2 \mathcal{L}_{\mathrm{bnd}} .
\end{align}
Choosing the weights $\omega_1, \omega_2$ is an art.

\begin{figure}[h]
\centering
\includegraphics[width=0.6\textwidth]{residual.pdf}
\caption{The residual \eqref{eq:res} after 2000 steps of Adam.}
\end{figure}

\section{A network as the solution operator}
If many initial temperatures have to be solved, we learn the map from $f$ to the solution at a fixed time instead. A \emph{DeepONet} has a branch, which sees $f$, and a trunk, which sees the place:
\begin{align}
\beta(f) &= B_2 \con{\hid} \tanh\left( B_1 \con{\gx} f + b_1 \right) \\
\tau(x) &= \tanh( w x + q ) \\
G(f, x) &= \beta(f) \con{\basis} \tau(x) + b_0
\end{align}
where $B_1 \in \R^{\hid[H] \times \gx[m]}$, $b_1 \in \R^{\hid[H]}$, $B_2 \in \R^{\basis[P] \times \hid[H]}$, $w, q \in \R^{\basis[P]}$ and $b_0 \in \R$.

A \emph{Fourier neural operator} acts on the lowest $K$ frequencies of a function with several channels, $V \in \R^{\gx[m] \times \chan}$:
\begin{align}
C_{\mode(k), \gx(i)} &= \cos \frac{2 \pi (k-1)(i-1)}{m}, \qquad
S_{\mode(k), \gx(i)} = \sin \frac{2 \pi (k-1)(i-1)}{m} \\
\mathcal{K}(V; R) &= \frac{1}{m} \left[ C \con{\mode} \left( R \con{\chan} (C \con{\gx} V) \right) + S \con{\mode} \left( R \con{\chan} (S \con{\gx} V) \right) \right]_{\chan' \to \chan} \\
\mathrm{layer}(V; R, W) &= \mathrm{ReLU}\left( \left[ W \con{\chan} V \right]_{\chan' \to \chan} + \mathcal{K}(V; R) \right)
\end{align}
with $R \in \R^{\mode[K] \times \chan \times \chan'}$ and $W \in \R^{\chan \times \chan'}$, where $|\chan'| = |\chan|$. The kernel is even here, so that $R$ is real.

To compare methods we report the relative error of a solution $p \in \R^{\gx[m]}$ against a reference $y \in \R^{\gx[m]}$,
\begin{equation}
\mathrm{err}(p, y) = \sqrt{ \frac{\nsum{\gx} (p - y)^2}{\nsum{\gx} y^2} } .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\mathcal{L}_{\mathrm{ini}} &= \frac{1}{m} \nsum{\gx}",
                r"\mathcal{L}_{\mathrm{ini}} &= \frac{1}{m} \nsum{\pt}",
            ),
            Fault(
                r"G(f, x) &= \beta(f) \con{\basis} \tau(x) + b_0",
                r"G(f, x) &= \beta(f) \con{\hid} \tau(x) + b_0",
            ),
            Fault(
                r"R \in \R^{\mode[K] \times \chan \times \chan'}",
                r"R \in \R^{\mode[K] \times \chan'}",
                r"\mathcal{K}(V; R) &=",
            ),
        ],
        [
            Entry(
                "U",
                lambda f, kappa, dt, dx: explicit(f, kappa * dt / dx**2, 4),
                "time grid",
                {"f": "grid[5]", "kappa": 0.5, "Deltat": 0.02, "Deltax": 0.2},
                chosen={"n": 4},
            ),
            Entry("u", network, "", {"x": 0.3, "t": 0.7}, NETWORK),
            Entry("r", residual, "", {"x": 0.3, "t": 0.7, "kappa": 0.5}, NETWORK),
            Entry(
                r"\mathcal{L}_{\mathrm{res}}",
                lambda *all: (residual(*all) ** 2).mean(),
                "",
                {"X": "pt[6]", "T": "pt[6]", "kappa": 0.5},
                NETWORK,
            ),
            Entry(
                r"\mathcal{L}",
                lambda X, T, kappa, g, f, s, o1, o2, *net: (
                    (residual(X, T, kappa, *net) ** 2).mean()
                    + o1 * ((network(g, 0.0, *net) - f) ** 2).mean()
                    + o2 * (network(0.0, s, *net) ** 2 + network(1.0, s, *net) ** 2).mean()
                ),
                "",
                {
                    "X": "pt[6]",
                    "T": "pt[6]",
                    "kappa": 0.5,
                    "g": "grid[5]",
                    "f": "grid[5]",
                    "s": "time[4]",
                    "omega_1": 0.7,
                    "omega_2": 1.3,
                },
                NETWORK,
            ),
            Entry(
                "G",
                operator,
                "",
                {"f": "grid[5]", "x": 0.4},
                {
                    "B_1": "hidden[4] grid[5]",
                    "b_1": "hidden[4]",
                    "B_2": "basis[3] hidden[4]",
                    "w": "basis[3]",
                    "q": "basis[3]",
                    "b_0": 0.2,
                },
            ),
            Entry(
                "layer",
                lambda V, R, W: np.maximum(V @ W + spectral(V, R), 0),
                "grid chan",
                {"V": "grid[6] chan[3]"},
                {"R": "mode[2] chan[3] chan'[3]", "W": "chan[3] chan'[3]"},
            ),
            Entry(
                r"\mathrm{err}",
                lambda p, y: np.linalg.norm(p - y) / np.linalg.norm(y),
                "",
                {"p": "grid[5]", "y": "grid[5]"},
            ),
        ],
    ),
    Unseen(
        "optimisation_week5.md",
        r"""---
course: Optimisation for Machine Learning
week: 5
---

# Week 5: Softmax regression, from gradients to thresholds

These notes go with the slides. Exercises are marked with ⚙.

## The objective

We have $n$ examples with $d$ features, $X \in \mathbb{R}^{\text{ex}:n, \text{feat}:d}$, and labels $Y \in \{0, 1\}^{\text{ex}:n, \text{class}:c}$ with $\sum_{\text{class}} Y = 1$. The model with the weights $W \in \mathbb{R}^{\text{feat}:d, \text{class}:c}$ predicts

$$
P(W) = \underset{\text{class}}{\text{softmax}} \left( X \underset{\text{feat}}{\cdot} W \right)
$$

and we minimise the regularised cross-entropy

$$
f(W) = - \frac{1}{n} \sum_{\text{ex}, \text{class}} Y \odot \log P(W) + \frac{\lambda}{2} \lVert W \rVert_F^2 .
$$

### Its derivatives

For one example, $p = \underset{\text{class}}{\text{softmax}}\, z$ with $z \in \mathbb{R}^{\text{class}:c}$, the Jacobian has two axes, one for the output and a starred one for the input:

$$
\begin{aligned}
J(z) &= p \odot \left( I - p_{\text{class} \rightarrow \text{class*}} \right) \\
I_{\text{class}(i), \text{class*}(j)} &= \begin{cases} 1 & \text{if } i = j \\ 0 & \text{else} \end{cases}
\end{aligned}
$$

Multiplying by the derivative of the logarithm, almost everything cancels, and we find

$$
\nabla f(W) = \frac{1}{n} X \underset{\text{ex}}{\cdot} \left( P(W) - Y \right) + \lambda W .
$$

The Hessian would have four axes. Fortunately Newton's method with conjugate gradients needs only its product with a direction $V \in \mathbb{R}^{\text{feat}:d, \text{class}:c}$:

$$
\begin{aligned}
H(W, V) &= \frac{1}{n} X \underset{\text{ex}}{\cdot} \left( P(W) \odot \left( D - P(W) \underset{\text{class}}{\cdot} D \right) \right) + \lambda V \\
D &= X \underset{\text{feat}}{\cdot} V
\end{aligned}
$$

⚙ Show that $V \underset{\text{feat}, \text{class}}{\cdot} H(W, V) \geq \lambda \lVert V \rVert_F^2$, so that $f$ is strongly convex.

## First-order methods

**Gradient descent** with a constant step $\eta$ is

$$
W^{(t+1)} = W^{(t)} - \eta \, \nabla f(W^{(t)}), \qquad t = 0, \ldots, T - 1 .
$$

If the optimal value $f^\star$ is known, Polyak's step is

$$
\eta_{\text{Polyak}}(W) = \frac{f(W) - f^\star}{\lVert \nabla f(W) \rVert_F^2} .
$$

**Heavy ball.** A velocity $M$ remembers past gradients. From $U^{(0)} \in \mathbb{R}^{\text{feat}:d, \text{class}:c}$ and $M^{(0)} = 0$ we go on with

$$
\begin{aligned}
M^{(t+1)} &= \beta M^{(t)} + \nabla f(U^{(t)}) \\
U^{(t+1)} &= U^{(t)} - \eta M^{(t+1)}
\end{aligned}
$$

**Adam** also adapts the step of each weight. Start with $m^{(0)} = v^{(0)} = 0$ and some $\theta^{(0)} \in \mathbb{R}^{\text{feat}:d, \text{class}:c}$; for $t = 1, \ldots, T$

$$
\begin{aligned}
g^{(t)} &= \nabla f(\theta^{(t-1)}) \\
m^{(t)} &= \beta_1 m^{(t-1)} + (1 - \beta_1) g^{(t)} \\
v^{(t)} &= \beta_2 v^{(t-1)} + (1 - \beta_2) \, g^{(t)} \odot g^{(t)} \\
\theta^{(t)} &= \theta^{(t-1)} - \eta \, \frac{m^{(t)} / (1 - \beta_1^t)}{\sqrt{v^{(t)} / (1 - \beta_2^t)} + \epsilon}
\end{aligned}
$$

| method | extra memory | tuned by |
|---|---|---|
| gradient descent | none | $\eta$ |
| heavy ball | $dc$ | $\eta$, $\beta$ |
| Adam | $2dc$ | $\eta$, $\beta_1$, $\beta_2$, $\epsilon$ |

## Thresholds

For a real target $y \in \mathbb{R}^{\text{ex}:n}$ and a sparse $w \in \mathbb{R}^{\text{feat}:d}$ we minimise the lasso

$$
F(w) = \frac{1}{2n} \sum_{\text{ex}} \left( X \underset{\text{feat}}{\cdot} w - y \right)^2 + \lambda \sum_{\text{feat}} |w| .
$$

The last term has no gradient at zero, but a *proximal* step is easy: it is soft thresholding,

$$
S_\tau(a) = \text{sign}(a) \max(|a| - \tau, 0) .
$$

ISTA alternates a gradient step of the smooth part with it:

$$
w^{(k+1)} = S_{\eta \lambda} \left( w^{(k)} - \frac{\eta}{n} X \underset{\text{ex}}{\cdot} \left( X \underset{\text{feat}}{\cdot} w^{(k)} - y \right) \right), \qquad k = 0, \ldots, K - 1
$$

⚙ For which $\eta$ does $F$ decrease in each step?
""",
        [
            Fault(
                r"I_{\text{class}(i), \text{class*}(j)} &=",
                r"I_{\text{class}(i), \text{class}(j)} &=",
            ),
            Fault(
                r"\nabla f(W) = \frac{1}{n} X \underset{\text{ex}}{\cdot}",
                r"\nabla f(W) = \frac{1}{n} X \underset{\text{feat}}{\cdot}",
            ),
            Fault(
                r"\left( X \underset{\text{feat}}{\cdot} w^{(k)} - y \right)",
                r"\left( X \underset{\text{ex}}{\cdot} w^{(k)} - y \right)",
            ),
        ],
        [
            Entry("f", objective, "", {"W": "feat[3] class[4]", **REGRESSION}),
            Entry(
                "J",
                lambda z: np.diag(softmax(z, -1)) - np.outer(softmax(z, -1), softmax(z, -1)),
                "class class*",
                {"z": "class[4]"},
            ),
            Entry(r"\nabla f", slope, "feat class", {"W": "feat[3] class[4]", **REGRESSION}),
            Entry(
                "H",
                curvature,
                "feat class",
                {
                    "W": "feat[3] class[4]",
                    "V": "feat[3] class[4]",
                    "X": REGRESSION["X"],
                    "lambda_": 0.1,
                },
            ),
            Entry(
                "W^{(T)}",
                lambda W, X, Y, lam, eta: descent(W, X, Y, lam, eta, 3),
                "feat class",
                {"W": "feat[3] class[4]", **REGRESSION, "eta": 0.5},
                chosen={"T": 3},
            ),
            Entry(
                r"\eta_{\text{Polyak}}",
                lambda W, X, Y, lam, best: (
                    (objective(W, X, Y, lam) - best) / (slope(W, X, Y, lam) ** 2).sum()
                ),
                "",
                {"W": "feat[3] class[4]", **REGRESSION, "f__star": 0.1},
            ),
            Entry(
                "U^{(3)}",
                lambda W, X, Y, lam, eta, beta: heavy_ball(W, X, Y, lam, eta, beta, 3),
                "feat class",
                {"U0": "feat[3] class[4]", **REGRESSION, "eta": 0.5, "beta": 0.9},
            ),
            Entry(
                r"\theta^{(T)}",
                lambda W, X, Y, lam, eta, b1, b2: adam(W, X, Y, lam, eta, b1, b2, 1e-3, 3),
                "feat class",
                {
                    "theta0": "feat[3] class[4]",
                    **REGRESSION,
                    "eta": 0.1,
                    "beta_1": 0.9,
                    "beta_2": 0.99,
                },
                chosen={"T": 3, "epsilon": 1e-3},
            ),
            Entry(
                "w^{(K)}",
                lambda w, X, y, lam, eta: thresholded(w, X, y, lam, eta, 4),
                "feat",
                {
                    "w": "feat[3]",
                    "X": "ex[6] feat[3]",
                    "y": "ex[6]",
                    "lambda_": 0.1,
                    "eta": 0.3,
                },
                chosen={"K": 4},
            ),
        ],
    ),
]
