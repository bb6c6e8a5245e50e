"""Ten documents of students and lecturers: notes, sheets with solutions, a thesis, lab reports, a blog, a cheat sheet."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def rebuilt(X, U):
    Z = X - X.mean(0)
    return X.mean(0) + Z @ U @ U.T


def spread(X, U):
    """The variance of the data along each column."""
    return ((X - X.mean(0)) @ U).var(0, ddof=1)


def left_over(x, X, U):
    c = x - X.mean(0)
    return ((c - U @ (U.T @ c)) ** 2).sum()


def squares(X, q):
    return ((X - q) ** 2).sum(1)


def smoother(X, h):
    return softmax(-((X[:, None] - X) ** 2).sum(2) / (2 * h**2))


def kernel_mean(q, X, y, h):
    w = np.exp(-squares(X, q) / (2 * h**2))
    return w @ y / w.sum()


def kernel_slope(q, X, y, h):
    step = 1e-6
    return np.array(
        [
            (kernel_mean(q + e, X, y, h) - kernel_mean(q - e, X, y, h)) / (2 * step)
            for e in step * np.eye(len(q))
        ]
    )


def left_out(h, X, y):
    errors = [
        y[i] - kernel_mean(X[i], np.delete(X, i, 0), np.delete(y, i), h) for i in range(len(y))
    ]
    return np.mean(np.square(errors))


def vote(q, X, Y, k):
    return Y[np.argsort(squares(X, q))[:k]].sum(0) / k


def group_means(X, G):
    return (G.T @ X) / G.sum(0)[:, None]


def pooled(X, G):
    R = X - G @ group_means(X, G)
    return R.T @ R / (len(X) - G.shape[1])


def linear_scores(x, X, G):
    P, M = np.linalg.inv(pooled(X, G)), group_means(X, G)
    return M @ P @ x - np.einsum("gi,ij,gj->g", M, P, M) / 2 + np.log(G.mean(0))


def quadratic_scores(x, X, G):
    found = []
    for g, m in enumerate(group_means(X, G)):
        n = G[:, g].sum()
        R = (X - m)[G[:, g] > 0]
        S = R.T @ R / (n - 1)
        D = x - m
        found.append(
            -np.log(np.linalg.det(S)) / 2 - D @ np.linalg.inv(S) @ D / 2 + np.log(n / len(X))
        )
    return np.array(found)


def fisher(a, X, G):
    M = group_means(X, G) - X.mean(0)
    B = np.einsum("g,gi,gj->ij", G.sum(0), M, M)
    return a @ B @ a / (a @ (pooled(X, G) * (len(X) - G.shape[1])) @ a)


def two_layers(x, V, c, W, b):
    h = sigmoid(x @ V + c)
    return h, softmax(h @ W + b)


def gradients(x, y, V, c, W, b):
    """By finite differences of the loss."""

    def loss(V, c, W, b):
        return -(y * np.log(two_layers(x, V, c, W, b)[1])).sum()

    given, found = [V, c, W, b], []
    for n, p in enumerate(given):
        g = np.zeros(p.shape)
        for place in np.ndindex(p.shape):
            d = np.zeros(p.shape)
            d[place] = 1e-6
            up, down = [[*given[:n], p + s * d, *given[n + 1 :]] for s in (1, -1)]
            g[place] = (loss(*up) - loss(*down)) / 2e-6
        found.append(g)
    return found


def gated(X, E, Wz, Wr, Wn, Uz, Ur, Un, bz, br, bn):
    h, found = np.zeros(len(bz)), []
    for x in X:
        e = x @ E
        z = sigmoid(e @ Wz + h @ Uz + bz)
        r = sigmoid(e @ Wr + h @ Ur + br)
        n = np.tanh(e @ Wn + (r * h) @ Un + bn)
        h = (1 - z) * n + z * h
        found.append(h)
    return np.stack(found)


def next_word(H, X, P, E):
    p = softmax(H @ P @ E.T)
    return -np.mean([np.log(p[t] @ X[t + 1]) for t in range(len(X) - 1)])


def long_short(X, E, W, U, b):
    h = c = np.zeros(b.shape[1])
    found = []
    for x in X:
        a = np.einsum("e,egh->gh", x @ E, W) + np.einsum("k,kgh->gh", h, U) + b
        i, f, o, g = sigmoid(a[0]), sigmoid(a[1]), sigmoid(a[2]), np.tanh(a[3])
        c = f * c + i * g
        h = o * np.tanh(c)
        found.append(h)
    return np.stack(found)


def responsibilities(X, p, q):
    return softmax(np.log(p) + np.einsum("nir,kir->nk", X, np.log(q)))


def latent_classes(X, p, q, steps):
    for _ in range(steps):
        r = responsibilities(X, p, q)
        p, q = r.mean(0), np.einsum("nk,nir->kir", r, X) / r.sum(0)[:, None, None]
    return p, q


def mixture_likelihood(X, p, q):
    return np.log((p * np.prod(q ** X[:, None], (2, 3))).sum(1)).sum()


def offsets(R, O, l1=10, l2=25):
    mu = R[O > 0].mean()
    c = (O * (R - mu)).sum(0) / (l2 + O.sum(0))
    b = (O * (R - mu - c)).sum(1) / (l1 + O.sum(1))
    return mu, b, c


def predicted(R, O, P, Q):
    mu, b, c = offsets(R, O)
    return mu + b[:, None] + c + P @ Q.T


def alike(R, O):
    D = O * (R - ((O * R).sum(1) / O.sum(1))[:, None])
    n = np.linalg.norm(D, axis=0)
    return D.T @ D / np.outer(n, n)


def by_neighbours(R, O):
    S = alike(R, O)
    m = (O * R).sum(1) / O.sum(1)
    D = O * (R - m[:, None])
    return m[:, None] + D @ S / (O @ np.abs(S))


def returns(R, gamma):
    M, T = R.shape
    return np.array(
        [[sum(gamma ** (k - t) * R[e, k] for k in range(t, T)) for t in range(T)] for e in range(M)]
    )


def advantages(R, gamma):
    G = returns(R, gamma)
    return G - G.mean(0)


def policy_gradient(S, U, R, Theta, gamma):
    p = softmax(S @ Theta)
    return np.einsum("et,etf,eta->fa", advantages(R, gamma), S, U - p) / len(R)


def generalised(R, V, gamma, lam):
    d = R + gamma * V[:, 1:] - V[:, :-1]
    return returns(d, gamma * lam)


def clipped(rho, A, eps):
    return np.minimum(rho * A, np.clip(rho, 1 - eps, 1 + eps) * A).mean()


def filtered(image, K):
    H, W = image.shape
    h, w = K.shape
    return np.array(
        [
            [(K * image[i : i + h, j : j + w]).sum() for j in range(W - w + 1)]
            for i in range(H - h + 1)
        ]
    )


SOBEL = np.outer([1, 2, 1], [-1, 0, 1])


def steepness(image):
    return np.hypot(filtered(image, SOBEL), filtered(image, SOBEL.T))


def blurred(image, r, sigma):
    g = np.exp(-(np.arange(-r, r + 1) ** 2) / (2 * sigma**2))
    return filtered(np.pad(image, r, mode="edge"), np.outer(g, g) / g.sum() ** 2)


def pooled_image(image, s):
    H, W = image.shape
    return image.reshape(H // s, s, W // s, s)


def gain(G, k):
    r = np.arange(1, k + 1)
    return ((2.0 ** G[:, :k] - 1) / np.log2(r + 1)).sum(1)


def average_precision(rel):
    return np.array(
        [sum(row[: r + 1].mean() * row[r] for r in range(len(row))) / row.sum() for row in rel]
    )


def calibration(P, Y, B):
    hit = Y[np.arange(len(Y)), P.argmax(1)]
    return np.abs(B.T @ (hit - P.max(1))).sum() / len(P)


def bleu(C, D, c, r):
    p = np.minimum(C, D.max(0)).sum(1) / C.sum(1)
    return min(1.0, np.exp(1 - r / c)) * np.exp(np.log(p).mean())


def kappa(C):
    C = C / C.sum()
    chance = C.sum(0) @ C.sum(1)
    return (np.trace(C) - chance) / (1 - chance)


NETWORK = {
    "x": "in[2]",
    "V": "in[2] hid[4]",
    "c": "hid[4]",
    "W": "hid[4] out[3]",
    "b": "out[3]",
}

GATES = {
    "X": "time[4] vocab[5] ~ one-hot vocab",
    "E": "vocab[5] emb[2]",
    "Wz": "emb[2] hid[3]",
    "Wr": "emb[2] hid[3]",
    "Wn": "emb[2] hid[3]",
    "U__z": "hid[3] hid'[3]",
    "U__r": "hid[3] hid'[3]",
    "U__n": "hid[3] hid'[3]",
    "b__z": "hid[3]",
    "b__r": "hid[3]",
    "b__n": "hid[3]",
}

ANSWERS = {
    "X": "person[4] quest[3] resp[3] ~ probability resp",
    "pi": "class[2] ~ probability class",
    "theta": "class[2] quest[3] resp[3] ~ probability resp",
}

STARTS = {"X": ANSWERS["X"], "pi0": ANSWERS["pi"], "theta0": ANSWERS["theta"]}

RATINGS = {"R": "user[4] film[3]", "Omega": "user[4] film[3] ~ bits"}

FACTORS = {"P": "user[4] fac[2]", "Q": "film[3] fac[2]"}

PLAYED = {
    "S": "ep[3] time[4] feat[2]",
    "U": "ep[3] time[4] act[3] ~ one-hot act",
    "R": "ep[3] time[4]",
    "Theta": "feat[2] act[3]",
    "gamma": 0.9,
}


DOCUMENTS = [
    Unseen(
        "components.tex",
        r"""\documentclass[a4paper,11pt]{article}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{namedtensor}
\newtheorem{prop}{Proposition}
\theoremstyle{remark}
\newtheorem*{rem}{Remark}
\ndef{\obs}{obs} \ndef{\feat}{feat} \ndef{\comp}{comp}
\newcommand{\R}{\mathbb{R}}
\begin{document}

\section*{Lecture 9: Principal components}

\paragraph{Setting.}
We are given $n$ observations of $d$ features, $X \in \R^{\obs[n] \times \feat[d]}$. Let $\bar{x} = \frac1n \nsum{\obs} X$ be their mean and
$Z = X - \bar{x}$ the centred data (the mean is taken off every observation). The sample covariance is
\begin{equation}\label{eq:cov}
S = \frac{1}{n-1} \, Z \ndot{\obs} Z_{\feat\rightarrow\feat'}, \qquad S \in \R^{\feat[d] \times \feat'[d]}.
\end{equation}

\paragraph{One direction.}
Let $u \in \R^{\feat[d]}$ have length one. How much do the data vary along $u$?
\begin{align*}
v(u) &= \frac{1}{n-1} \nsum{\obs} \left( Z \ndot{\feat} u \right)^2 \\
     &= u \ndot{\feat} S \ndot{\feat'} u_{\feat\rightarrow\feat'} && \text{by \eqref{eq:cov}.}
\end{align*}
Principal component analysis looks for the direction that makes $v(u)$ largest. Introducing a multiplier for the constraint $u \ndot{\feat} u = 1$ one finds that $u$ must be an eigenvector of $S$.

\paragraph{Several directions.}
Now let $U \in \R^{\feat[d] \times \comp[q]}$ hold the $q \le d$ leading eigenvectors. They are orthonormal, that is,
\[
U_{\comp(i)} \ndot{\feat} U_{\comp(j)} = \begin{cases} 1 & \text{if } i = j, \\ 0 & \text{otherwise.} \end{cases}
\]
The \emph{scores} of the observations and their \emph{reconstruction} are
\begin{align}
T &= Z \ndot{\feat} U, & T &\in \R^{\obs[n] \times \comp[q]} \\
\hat{X} &= \bar{x} + T \ndot{\comp} U
\end{align}
and what gets lost is
\begin{equation}
E(U) = \frac{1}{n} \nsum{\obs \\ \feat} ( X - \hat{X} )^2 .
\end{equation}

\begin{prop}
Among all orthonormal $U$, the leading eigenvectors minimise $E(U)$.
\end{prop}
\begin{proof}
As $\| Z \|_F^2$ does not depend on $U$, and $\| Z - T \ndot{\comp} U \|_F^2 = \| Z \|_F^2 - \| T \|_F^2$, we may as well maximise the variance of the scores.
\end{proof}

\paragraph{How many?}
Write $\lambda_{\comp(k)} = v(U_{\comp(k)})$ for the variance along the $k$-th direction, $\lambda \in \R^{\comp[q]}$. The share that it explains is
\begin{equation}
\pi_{\comp(k)} = \frac{ \lambda_{\comp(k)} }{ \sum_{i=1}^{d} S_{\feat(i), \feat'(i)} }, \qquad k = 1, \dots, q.
\end{equation}
A plot of $\pi$ against $k$ is called a scree plot. Scores of equal variance, so-called \emph{whitened} data, are obtained by
\begin{equation}
W = \frac{T}{\sqrt{\lambda}} .
\end{equation}

\begin{rem}
For a new observation $x \in \R^{\feat[d]}$ the scores are $t(x) = (x - \bar{x}) \ndot{\feat} U$, and process engineers watch its distance from the model,
\[
Q(x) = \nfun{\feat}{norm} \left( x - \bar{x} - t(x) \ndot{\comp} U \right)^2 . % "SPE" in the literature
\]
\end{rem}

\paragraph{Kernels.}
If only similarities $K \in \R^{\obs[n] \times \obs'[n]}$ are known, centring becomes
\begin{equation}
\tilde{K} = K - \nfun{\obs}{mean} K - \nfun{\obs'}{mean} K + \nfun{\obs \\ \obs'}{mean} K .
\end{equation}
For $K = X \ndot{\feat} X_{\obs\rightarrow\obs'}$ this is $Z \ndot{\feat} Z_{\obs\rightarrow\obs'}$ (exercise).
\end{document}
""",
        [
            Fault(
                r"Z \ndot{\obs} Z_{\feat\rightarrow\feat'}, \qquad",
                r"Z \ndot{\obs} Z, \qquad",
            ),
            Fault(r"\bar{x} + T \ndot{\comp} U", r"\bar{x} + T \ndot{\feat} U"),
            Fault(
                r"- \nfun{\obs'}{mean} K + \nfun{\obs \\ \obs'}{mean} K",
                r"- \nfun{\feat}{mean} K + \nfun{\obs \\ \obs'}{mean} K",
            ),
        ],
        [
            Entry("S", lambda X: np.cov(X.T), "feat feat'", {"X": "obs[5] feat[3]"}),
            Entry(
                "v",
                lambda u, X: u @ np.cov(X.T) @ u,
                "",
                {"u": "feat[3]", "X": "obs[5] feat[3]"},
            ),
            Entry(r"\hat{X}", rebuilt, "obs feat", {"X": "obs[5] feat[3]", "U": "feat[3] comp[2]"}),
            Entry(
                "E",
                lambda U, X: ((X - rebuilt(X, U)) ** 2).sum() / len(X),
                "",
                {"U": "feat[3] comp[2]", "X": "obs[5] feat[3]"},
            ),
            Entry(
                r"\pi",
                lambda X, U: spread(X, U) / X.var(0, ddof=1).sum(),
                "comp",
                {"X": "obs[5] feat[3]", "U": "feat[3] comp[2]"},
            ),
            Entry(
                "W",
                lambda X, U: (X - X.mean(0)) @ U / np.sqrt(spread(X, U)),
                "obs comp",
                {"X": "obs[5] feat[3]", "U": "feat[3] comp[2]"},
            ),
            Entry(
                "Q",
                left_over,
                "",
                {"x": "feat[3]", "X": "obs[5] feat[3]", "U": "feat[3] comp[2]"},
            ),
            Entry(
                r"\tilde{K}",
                lambda K: K - K.mean(0) - K.mean(1, keepdims=True) + K.mean(),
                "obs obs'",
                {"K": "obs[4] obs'[4]"},
            ),
        ],
    ),
    Unseen(
        "neighbours.md",
        r"""---
title: "Machine Learning I -- Exercise sheet 4"
author: K. Lindqvist
date: due 14 November, 10 am
---

**Conventions for this sheet.** The training inputs are $X \in \mathbb{R}^{\text{pt}:n, \text{dim}:p}$ and the targets are $y \in \mathbb{R}^{\text{pt}:n}$. A *query* is one more point
$q \in \mathbb{R}^{\text{dim}:p}$. All solutions should be written with named axes; please do not transpose anything.

## Exercise 4.1 (Distances, 2 P.)

Write the squared distances of $q$ from all training points as one vector over $\text{pt}$, (a) as a sum of squares and (b) such that the differences $X - q$ are never formed.

> **Solution.**
>
> $$
> \begin{aligned}
> d(q) &= \sum_{\text{dim}} (X - q)^2 && \text{(a)} \\
>      &= \sum_{\text{dim}} X^2 - 2\, X \underset{\text{dim}}{\cdot} q + \sum_{\text{dim}} q^2 && \text{(b)}
> \end{aligned}
> $$
>
> In (b) the middle term is a matrix-vector product, which is fast; but it loses digits if the points are far from the origin.

## Exercise 4.2 (Nadaraya--Watson, 6 P.)

The kernel estimate of the regression function with bandwidth $h > 0$ is

$$
\hat{m}(q) = \frac{ \sum_{\text{pt}} \kappa(q) \odot y }{ \sum_{\text{pt}} \kappa(q) }
\qquad\text{where}\qquad
\kappa(q) = \exp\left( - \frac{d(q)}{2 h^2} \right).
$$

1. Show that $\hat{m}$ is attention with one query.
2. Compute the gradient with respect to $q$.
3. Find the leave-one-out error without fitting $n$ times.

> **Solution.**
>
> 1. Dividing by the sum makes the weights a softmax,
>    $$
>    w(q) = \underset{\text{pt}}{\text{softmax}} \left( - \frac{d(q)}{2 h^2} \right), \qquad
>    \hat{m}(q) = w(q) \underset{\text{pt}}{\cdot} y .
>    $$
> 2. The derivative of the exponent is $(X - q) / h^2$, and the weights sum to one, so that
>    $$
>    g(q) = \frac{1}{h^2} \left( w(q) \odot \big( y - \hat{m}(q) \big) \right) \underset{\text{pt}}{\cdot} X .
>    $$
> 3. Let every training point be a query once. Queries get the axis $\text{pt}'$, and
>    $$
>    \begin{aligned}
>    H &= \underset{\text{pt}}{\text{softmax}} \left( - \frac{1}{2 h^2} \left\| X_{\text{pt} \to \text{pt}'} - X \right\|_{\text{dim}}^2 \right) \\
>    \hat{y} &= H \underset{\text{pt}}{\cdot} y \\
>    e_{\text{pt}:i} &= \frac{ y_{\text{pt}:i} - \hat{y}_{\text{pt}':i} }{ 1 - H_{\text{pt}':i, \text{pt}:i} } \\
>    \text{CV}(h) &= \frac{1}{n} \sum_{\text{pt}} e^2 .
>    \end{aligned}
>    $$
>    The diagonal of $H$ is what a point contributes to its own prediction.

*Marking: 2 points each. In 2, half a point off if the term with $q$ is not cancelled.*

## Exercise 4.3 (Nearest neighbours, 4 P.)

For classification, the labels are given as unit vectors, $Y \in \{0, 1\}^{\text{pt}:n, \text{class}:C}$. Use $k$ nearest neighbours. (Assume that no two distances are equal.)

> **Solution.** Let $\rho = d(q)$. The rank of the $i$-th point among all distances is
>
> $$
> r_{\text{pt}:i} = \sum_{j=1}^{n} \mathbb{1}\left[ \rho_{\text{pt}:j} \le \rho_{\text{pt}:i} \right],
> \qquad
> a_{\text{pt}:i} = \begin{cases} 1 & \text{if } r_{\text{pt}:i} \le k \\ 0 & \text{otherwise,} \end{cases}
> $$
>
> thus $a$ marks the neighbours. They vote,
>
> $$
> p(q) = \frac{1}{k}\, a \underset{\text{pt}}{\cdot} Y ,
> $$
>
> and the answer is $\hat{c}(q) = \underset{\text{class}}{\text{argmax}}\; p(q)$. With weights $w$ from 4.2 instead of $a / k$ we would get a soft vote, $w(q) \underset{\text{pt}}{\cdot} Y$.
""",
        [
            Fault(
                r"w(q) = \underset{\text{pt}}{\text{softmax}}",
                r"w(q) = \underset{\text{dim}}{\text{softmax}}",
            ),
            Fault(
                r"\hat{y} &= H \underset{\text{pt}}{\cdot} y",
                r"\hat{y} &= H \underset{\text{pt}'}{\cdot} y",
            ),
            Fault(r"a \underset{\text{pt}}{\cdot} Y", r"a \underset{\text{class}}{\cdot} Y"),
        ],
        [
            Entry(
                "d",
                lambda q, X: squares(X, q),
                "pt",
                {"q": "dim[2]", "X": "pt[5] dim[2]"},
            ),
            Entry(
                r"\hat{m}",
                kernel_mean,
                "",
                {"q": "dim[2]", "X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.8},
            ),
            Entry(
                "g",
                kernel_slope,
                "dim",
                {"q": "dim[2]", "X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.8},
            ),
            Entry(
                r"\hat{y}",
                lambda X, y, h: smoother(X, h) @ y,
                "pt'",
                {"X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.8},
            ),
            Entry(
                r"\text{CV}",
                left_out,
                "",
                {"h": 0.8, "X": "pt[5] dim[2]", "y": "pt[5]"},
            ),
            Entry(
                "p",
                vote,
                "class",
                {
                    "q": "dim[2]",
                    "X": "pt[6] dim[2]",
                    "Y": "pt[6] class[3] ~ one-hot class",
                    "k": 3,
                },
            ),
        ],
    ),
    Unseen(
        "discriminant.tex",
        r"""\documentclass[12pt,oneside]{book}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,amsthm,booktabs}
\newtheorem{lemma}{Lemma}[chapter]
% names of axes
\newcommand{\ax}[1]{\mathsf{#1}}
\newcommand{\meas}{\ax{meas}}
\newcommand{\case}{\ax{case}}
\newcommand{\grp}{\ax{grp}}
% over an axis
\newcommand{\dotover}[1]{\mathbin{\underset{#1}{\cdot}}}
\newcommand{\fn}[2]{\mathop{\underset{#1}{\mathrm{#2}}}}
\newcommand{\RR}{\mathbb{R}}
\begin{document}
\setcounter{chapter}{2}
\chapter{Discriminant analysis}

The previous chapter described how the skulls were measured. We now ask from which of $g$ groups a skull comes. Throughout, $X \in \RR^{\case[N] \times \meas[p]}$ are the measurements and
$G \in \{0, 1\}^{\case[N] \times \grp[g]}$ says where each skull was found; each case has exactly one $1$.

\section{Estimates}
The groups have
\begin{equation}
  n = \sum_{\case} G, \qquad \pi = \frac{n}{N}, \qquad n, \pi \in \RR^{\grp[g]}
\end{equation}
cases and shares. The means of the groups are
\begin{equation} \label{eq:means}
  M = \frac{1}{n} \odot \left( G \dotover{\case} X \right), \qquad M \in \RR^{\grp[g] \times \meas[p]},
\end{equation}
and $\bar{x} = \fn{\case}{mean} X$ is the mean of all.
What the groups do not explain is
\begin{equation}
  R = X - G \dotover{\grp} M .
\end{equation}
With $D = M - \bar{x}$, the scatter within and between groups is
\begin{align}
  W &= R \dotover{\case} R_{\meas \to \meas'} \label{eq:within} \\
  B &= \sum_{\grp} n \odot D \odot D_{\meas \to \meas'} \label{eq:between}
\end{align}

\begin{lemma}
Let $T = (X - \bar{x}) \dotover{\case} (X - \bar{x})_{\meas \to \meas'}$. Then $T = W + B$.
\end{lemma}
\begin{proof}
Insert $X - \bar{x} = R + G \dotover{\grp} D$ and note that the mixed terms vanish, since $G \dotover{\case} R = 0$.
\end{proof}

\section{Fisher's criterion}
\citet{fisher36} was looking for a direction $a \in \RR^{\meas[p]}$ in which the groups lie far apart compared with their width,
\begin{equation}
  J(a) = \frac{a \dotover{\meas} B \dotover{\meas'} a_{\meas \to \meas'}}{a \dotover{\meas} W \dotover{\meas'} a_{\meas \to \meas'}}.
\end{equation}
There are at most $\min(p, g - 1)$ useful ones.

\section{Classification}
Suppose that the measurements of each group are normal with a common covariance, for which we use $S = W / (N - g)$. Let $P = \fn{\meas, \meas'}{inv} S$. By Bayes' theorem the
posterior of a new skull $x \in \RR^{\meas[p]}$ is
\begin{align}
  \delta(x) &= x \dotover{\meas} P \dotover{\meas'} M_{\meas \to \meas'} - \frac{1}{2} M \dotover{\meas} P \dotover{\meas'} M_{\meas \to \meas'} + \log \pi \\
  \mathrm{post}(x) &= \fn{\grp}{softmax} \delta(x).
\end{align}
The first term is linear in $x$, which explains the name. Note that $\grp$ occurs in both factors of the second term and is not summed.

If the covariances differ, each group gets its own,
\begin{equation}
  \Sigma = \frac{1}{n - 1} \odot \sum_{\case} G \odot R \odot R_{\meas \to \meas'}, \qquad \Sigma \in \RR^{\grp[g] \times \meas[p] \times \meas'[p]},
\end{equation}
and the scores become quadratic:
\begin{equation}
  Q(x) = -\frac{1}{2} \log \fn{\meas, \meas'}{det} \Sigma - \frac{1}{2} (x - M) \dotover{\meas} \fn{\meas, \meas'}{inv} \Sigma \dotover{\meas'} (x - M)_{\meas \to \meas'} + \log \pi .
\end{equation}
In between lies the regularised estimate $\Sigma(\alpha) = \alpha \Sigma + (1 - \alpha) S$ for $0 \le \alpha \le 1$.

\section{Errors}
Let $A \in \{0, 1\}^{\case[N] \times \grp'[g]}$ be the groups that were assigned to the cases. The confusion matrix and the rate of errors are
\begin{align}
  C &= G \dotover{\case} A \\
  \mathrm{err} &= 1 - \frac{1}{N} \sum_{k=1}^{g} C_{\grp(k), \grp'(k)} .
\end{align}
Table~\ref{tab:errors} gives them in per cent. Cross-validation is less optimistic, as expected.

\begin{table}[h]
\centering
\begin{tabular}{lrr}
\toprule
 & resubstitution & leave one out \\
\midrule
linear ($\delta$) & 11.3 & 14.0 \\
quadratic ($Q$) & 6.7 & 19.3 \\
\bottomrule
\end{tabular}
\caption{Errors with $p = 4$ measurements.}\label{tab:errors}
\end{table}
\end{document}
""",
        [
            Fault(
                r"\left( G \dotover{\case} X \right)",
                r"\left( G \dotover{\meas} X \right)",
            ),
            Fault(
                r"\frac{a \dotover{\meas} B \dotover{\meas'} a_{\meas \to \meas'}}",
                r"\frac{a \dotover{\meas} B \dotover{\meas'} a}",
            ),
            Fault(
                r"\mathrm{post}(x) &= \fn{\grp}{softmax}",
                r"\mathrm{post}(x) &= \fn{\meas}{softmax}",
            ),
        ],
        [
            Entry(
                "M",
                group_means,
                "grp meas",
                {"X": "case[12] meas[2]", "G": "case[12] grp[2] ~ one-hot grp"},
            ),
            Entry(
                "B",
                lambda X, G: (X - X.mean(0)).T @ (X - X.mean(0)) - pooled(X, G) * (len(X) - 2),
                "meas meas'",
                {"X": "case[12] meas[2]", "G": "case[12] grp[2] ~ one-hot grp"},
            ),
            Entry(
                "J",
                fisher,
                "",
                {"a": "meas[2]", "X": "case[12] meas[2]", "G": "case[12] grp[2] ~ one-hot grp"},
            ),
            Entry(
                r"\mathrm{post}",
                lambda x, X, G: softmax(linear_scores(x, X, G)),
                "grp",
                {"x": "meas[2]", "X": "case[12] meas[2]", "G": "case[12] grp[2] ~ one-hot grp"},
            ),
            Entry(
                "Q",
                quadratic_scores,
                "grp",
                {"x": "meas[2]", "X": "case[12] meas[2]", "G": "case[12] grp[2] ~ one-hot grp"},
            ),
            Entry(
                r"\mathrm{err}",
                lambda G, H: 1 - (G.argmax(1) == H.argmax(1)).mean(),
                "",
                {"G": "case[12] grp[2] ~ one-hot grp", "A": "case[12] grp'[2] ~ one-hot grp'"},
            ),
        ],
    ),
    Unseen(
        "by_hand.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\usepackage{namedtensor}
\usepackage[framemethod=tikz]{mdframed}
\ndef{\inp}{in} \ndef{\hid}{hid} \ndef{\out}{out} \ndef{\bat}{batch}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}
\newenvironment{question}{\par\medskip\noindent\textbf{Question.}\itshape}{\par}
\newenvironment{answer}{\par\medskip\noindent\textbf{Answer.}}{\hfill$\square$\par}
\title{Tutorial 5: Backpropagation by hand}
\author{Deep Learning, winter term}
\date{}
\begin{document}
\maketitle

Many of you asked for a complete derivation, so here it is. We write the axes of a derivative's denominator with a star, as the lecture does.

\subsection*{Forward}
The network has an input $x \in \reals^{\inp}$, one hidden layer and a softmax over classes. The parameters are
$V \in \reals^{\inp \times \hid}$, $c \in \reals^{\hid}$, $W \in \reals^{\hid \times \out}$ and $b \in \reals^{\out}$.
\begin{align*}
a &= V \ndot{\inp} x + c \\
h &= \sigma(a) \\
z &= W \ndot{\hid} h + b \\
p &= \nfun{\out}{softmax} z
\end{align*}
The target $y \in \{0, 1\}^{\out}$ is one-hot and the loss is
\[ L = - \nsum{\out} y \odot \log p. \]

\subsection*{Backward}
\begin{question}
What is the derivative of the loss with respect to the scores $z$?
\end{question}
\begin{answer}
Since $\log p = z - \log \nsum{\out} \exp z$ and $\nsum{\out} y = 1$, we have $L = \log \nsum{\out} \exp z - y \ndot{\out} z$ and
\begin{equation} \label{eq:dz}
\pd{L}{z} = (p - y)_{\out \to \out^*} .
\end{equation}
\end{answer}

It is convenient to call this the \emph{error} of the output, without the star: $\epsilon = p - y$.

\begin{question}
And with respect to $W$ and $b$?
\end{question}
\begin{answer}
Each $z_{\out(j)}$ contains $W_{\hid(i), \out(j)}$ only in the product with $h_{\hid(i)}$. Therefore the gradient is an outer product:
\begin{align}
\pd{L}{W} &= h_{\hid \to \hid^*} \odot \epsilon_{\out \to \out^*} \\
\pd{L}{b} &= \epsilon_{\out \to \out^*} .
\end{align}
\end{answer}

\begin{question}
How does the error get to the hidden layer?
\end{question}
\begin{answer}
By the chain rule we need $\pd{z}{h} = W_{\hid \to \hid^*}$ and $\sigma'(a) = \sigma(a) (1 - \sigma(a)) = h \odot (1 - h)$. So
\begin{align}
\pd{L}{h} &= W_{\hid \to \hid^*} \ndot{\out} \epsilon, \\
\eta &= \left[ \pd{L}{h} \right]_{\hid^* \to \hid} \odot h \odot (1 - h), \qquad \eta \in \reals^{\hid} .
\end{align}
The rest is as before, with $x$ in the place of $h$:
\begin{align}
\pd{L}{V} &= x_{\inp \to \inp^*} \odot \eta_{\hid \to \hid^*} \\
\pd{L}{c} &= \eta_{\hid \to \hid^*} \\
\pd{L}{x} &= V_{\inp \to \inp^*} \ndot{\hid} \eta .
\end{align}
\end{answer}

\subsection*{Update}
One step of gradient descent with rate $\tau$ removes the stars again:
\begin{align*}
W^{\text{new}} &= W - \tau \left[ \pd{L}{W} \right]_{\hid^* \to \hid, \out^* \to \out} \\
V^{\text{new}} &= V - \tau \left[ \pd{L}{V} \right]_{\inp^* \to \inp, \hid^* \to \hid} \\
b^{\text{new}} &= b - \tau \epsilon, \quad c^{\text{new}} = c - \tau \eta
\end{align*}

\subsection*{Sanity checks}
\begin{enumerate}
\item The shapes must fit: $\pd{L}{W}$ has the axes of $W$, starred. So does every other derivative of $L$.
\item $\nsum{\out} \epsilon = 0$, because both $p$ and $y$ sum to one.
\item The Jacobian of the softmax is
\[ J_{\out(i), \out^*(j)} = p_{\out(i)} \left( \delta_{ij} - p_{\out(j)} \right) , \]
and $\nsum{\out} J = 0$.
\item With a minibatch $X \in \reals^{\bat[m] \times \inp}$ all formulas stay as they are, except that the loss is a mean, e.g.
\[ F(X) = \nfun{\bat}{mean} \left( \nfun{\hid}{norm} \sigma( V \ndot{\inp} X + c ) \right) \]
for the mean norm of the activations, which you should print.
\end{enumerate}
\end{document}
""",
        [
            Fault(
                r"\pd{L}{W} &= h_{\hid \to \hid^*} \odot \epsilon_{\out \to \out^*} \\",
                r"\pd{L}{W} &= h_{\hid \to \hid^*} \odot \epsilon_{\hid \to \hid^*} \\",
            ),
            Fault(
                r"\pd{L}{h} &= W_{\hid \to \hid^*} \ndot{\out} \epsilon, \\",
                r"\pd{L}{h} &= W_{\hid \to \hid^*} \ndot{\hid} \epsilon, \\",
            ),
            Fault(
                r"\left[ \pd{L}{V} \right]_{\inp^* \to \inp, \hid^* \to \hid}",
                r"\left[ \pd{L}{V} \right]_{\inp^* \to \inp, \out^* \to \out}",
            ),
        ],
        [
            Entry(
                "p",
                lambda x, V, c, W, b: two_layers(x, V, c, W, b)[1],
                "out",
                NETWORK,
            ),
            Entry(
                r"\eta",
                lambda x, V, c, W, b, y: gradients(x, y, V, c, W, b)[1],
                "hid",
                {**NETWORK, "y": "out[3] ~ one-hot out"},
            ),
            Entry(
                r"W^{\text{new}}",
                lambda x, V, c, W, b, y, tau: W - tau * gradients(x, y, V, c, W, b)[2],
                "hid out",
                {**NETWORK, "y": "out[3] ~ one-hot out", "tau": 0.1},
            ),
            Entry(
                r"V^{\text{new}}",
                lambda x, V, c, W, b, y, tau: V - tau * gradients(x, y, V, c, W, b)[0],
                "in hid",
                {**NETWORK, "y": "out[3] ~ one-hot out", "tau": 0.1},
            ),
            Entry(
                "J",
                lambda x, V, c, W, b: (lambda p: np.diag(p) - np.outer(p, p))(
                    two_layers(x, V, c, W, b)[1]
                ),
                "out out*",
                NETWORK,
            ),
            Entry(
                "F",
                lambda X, V, c: np.linalg.norm(sigmoid(X @ V + c), axis=1).mean(),
                "",
                {"X": "batch[4] in[2]", "V": "in[2] hid[3]", "c": "hid[3]"},
            ),
        ],
    ),
    Unseen(
        "gates.md",
        r"""---
title: "Guessing the next word, gate by gate"
author: "Marek"
date: "2023-04-02"
format:
  html:
    toc: true
    number-sections: true
bibliography: refs.bib
---

```{r setup, include=FALSE}
knitr::opts_chunk$set(echo = FALSE, fig.width = 7)
corpus <- readRDS("corpus.rds")  # a named list
```

I never understood recurrent networks from boxes and arrows. Formulas help me more, so this post is my cheat sheet for two of them. We have `r length(corpus)` words,
a vocabulary of $V$ word types, and the sentence is a matrix of unit vectors, $X \in \{0, 1\}^{\text{time}:T, \text{vocab}:V}$.

## Embeddings {#sec-emb}

Each word is looked up in the rows of $E \in \mathbb{R}^{\text{vocab}:V, \text{emb}:d}$:

$$
e_t = E \underset{\text{vocab}}{\cdot} X_{\text{time}:t}, \qquad t = 1, \ldots, T
$$ {#eq-emb}

## The gated recurrent unit {#sec-gru .unnumbered}

A GRU [@cho2014] has two gates, *update* $z$ and *reset* $r$. With $h_0 = 0$,

$$
\begin{aligned}
z_t &= \sigma\left( W^z \underset{\text{emb}}{\cdot} e_t + \left[ U^z \underset{\text{hid}}{\cdot} h_{t-1} \right]_{\text{hid}' \to \text{hid}} + b^z \right) \\
r_t &= \sigma\left( W^r \underset{\text{emb}}{\cdot} e_t + \left[ U^r \underset{\text{hid}}{\cdot} h_{t-1} \right]_{\text{hid}' \to \text{hid}} + b^r \right) \\
n_t &= \tanh\left( W^n \underset{\text{emb}}{\cdot} e_t + \left[ U^n \underset{\text{hid}}{\cdot} (r_t \odot h_{t-1}) \right]_{\text{hid}' \to \text{hid}} + b^n \right) \\
h_t &= (1 - z_t) \odot n_t + z_t \odot h_{t-1}
\end{aligned}
$$ {#eq-gru}

The parameters are $W^z, W^r, W^n \in \mathbb{R}^{\text{emb}:d, \text{hid}:k}$, $U^z, U^r, U^n \in \mathbb{R}^{\text{hid}:k, \text{hid}':k}$ and $b^z, b^r, b^n \in \mathbb{R}^{\text{hid}:k}$.

::: {.callout-warning}
## Which way round?
Some authors swap $z_t$ and $1 - z_t$. It does not matter, but check before you copy weights from elsewhere!
:::

### Predicting

To save parameters, the scores of the next word reuse the embedding matrix ("weight tying"):

$$
o_t = E \underset{\text{emb}}{\cdot} \left( P \underset{\text{hid}}{\cdot} h_t \right), \qquad P \in \mathbb{R}^{\text{hid}:k, \text{emb}:d}
$$

$$
p_t = \underset{\text{vocab}}{\text{softmax}} \, o_t
$$

and the loss is the mean negative log-probability of the word that really comes,

$$
\mathcal{L} = - \frac{1}{T - 1} \sum_{t=1}^{T-1} \log \left( p_t \underset{\text{vocab}}{\cdot} X_{\text{time}:t+1} \right) .
$$

People report the *perplexity*, $\text{PPL} = \exp(\mathcal{L})$. Mine is 84.1 after a night on my laptop :-)

```{r, fig.cap="Loss against epochs."}
plot(history$loss, type = "l")   # looks like $1/x$
```

## Long short-term memory {#sec-lstm}

The LSTM keeps *two* vectors, the cell $c_t$ and the output $s_t$. All four gates at once need one more axis: $A \in \mathbb{R}^{\text{emb}:d, \text{gate}:4, \text{hid}:k}$,
$B \in \mathbb{R}^{\text{hid}':k, \text{gate}:4, \text{hid}:k}$ and $\beta \in \mathbb{R}^{\text{gate}:4, \text{hid}:k}$. I start with $c_0 = s_0 = 0$.

$$
\begin{aligned}
a_t &= A \underset{\text{emb}}{\cdot} e_t + B \underset{\text{hid}'}{\cdot} [s_{t-1}]_{\text{hid} \to \text{hid}'} + \beta \\
i_t &= \sigma\left( [a_t]_{\text{gate}:1} \right) \\
f_t &= \sigma\left( [a_t]_{\text{gate}:2} \right) \\
q_t &= \sigma\left( [a_t]_{\text{gate}:3} \right) \\
g_t &= \tanh\left( [a_t]_{\text{gate}:4} \right) \\
c_t &= f_t \odot c_{t-1} + i_t \odot g_t \\
s_t &= q_t \odot \tanh c_t
\end{aligned}
$$

If $f_t \approx 1$ and $i_t \approx 0$, then $c_t \approx c_{t-1}$: the cell remembers. A sentence is summarised by $\bar{s} = \frac{1}{T} \sum_{t=1}^{T} s_t$.

## Sampling {.tabset}

Divide the scores by a temperature $\tau > 0$ before the softmax. For any scores $u \in \mathbb{R}^{\text{vocab}:V}$,

$$
\text{soft}(u) = \underset{\text{vocab}}{\text{softmax}} \, \frac{u}{\tau}, \qquad
H(u) = - \sum_{\text{vocab}} \text{soft}(u) \odot \log \text{soft}(u),
$$

so $H(u) \to \log V$ as $\tau \to \infty$, and the model babbles.

## References {-}
""",
        [
            Fault(
                r"n_t &= \tanh\left( W^n \underset{\text{emb}}{\cdot} e_t",
                r"n_t &= \tanh\left( W^n \underset{\text{vocab}}{\cdot} e_t",
            ),
            Fault(
                r"\log \left( p_t \underset{\text{vocab}}{\cdot} X",
                r"\log \left( p_t \underset{\text{time}}{\cdot} X",
            ),
            Fault(
                r"\underset{\text{hid}'}{\cdot} [s_{t-1}]_{\text{hid} \to \text{hid}'} + \beta",
                r"\underset{\text{hid}'}{\cdot} s_{t-1} + \beta",
            ),
        ],
        [
            Entry(
                "e",
                lambda X, E: X @ E,
                "time emb",
                {"X": "time[4] vocab[5] ~ one-hot vocab", "E": "vocab[5] emb[2]"},
            ),
            Entry("h", gated, "time hid", GATES),
            Entry(
                r"\mathcal{L}",
                lambda X, E, *rest: next_word(gated(X, E, *rest[:-1]), X, rest[-1], E),
                "",
                {**GATES, "P": "hid[3] emb[2]"},
            ),
            Entry(
                r"\bar{s}",
                lambda *given: long_short(*given).mean(0),
                "hid",
                {
                    "X": "time[4] vocab[5] ~ one-hot vocab",
                    "E": "vocab[5] emb[2]",
                    "A": "emb[2] gate[4] hid[3]",
                    "B": "hid'[3] gate[4] hid[3]",
                    "beta": "gate[4] hid[3]",
                },
            ),
            Entry(
                "H",
                lambda u, tau: -(softmax(u / tau) * np.log(softmax(u / tau))).sum(),
                "",
                {"u": "vocab[5]", "tau": 0.7},
            ),
        ],
    ),
    Unseen(
        "classes.tex",
        r"""\documentclass[a4paper]{scrartcl}
\usepackage{amsmath,amssymb,mathtools,namedtensor}
\usepackage{enumitem}
\ndef{\pers}{person}
\ndef{\quest}{quest}
\ndef{\resp}{resp}
\ndef{\cls}{class}
\newcommand{\R}{\mathbb{R}}
\DeclareMathOperator{\ELBO}{ELBO}
\begin{document}
\section{The EM algorithm for questionnaires}

\subsection{Model}
Suppose $N$ persons answer $J$ questions, each with one of $R$ responses. The data are indicators $X \in \{0,1\}^{\pers[N] \times \quest[J] \times \resp[R]}$ with $\nsum{\resp} X = 1$.
Latent class analysis (Lazarsfeld) assumes that each person belongs to one of $K$ classes, with
\begin{itemize}[nosep]
\item[--] $\pi \in [0,1]^{\cls[K]}$, the shares of the classes, $\nsum{\cls} \pi = 1$;
\item[--] $\theta \in [0,1]^{\cls[K] \times \quest[J] \times \resp[R]}$, the probabilities of the responses in each class, $\nsum{\resp} \theta = 1$.
\end{itemize}
Within a class answers are independent. Hence the joint log-probability of a person's answers and of a class is
\begin{equation}
A = \log \pi + X \ndot{\quest \\ \resp} \log \theta, \qquad A \in \R^{\pers[N] \times \cls[K]},
\end{equation}
and the log-likelihood is
\begin{equation}\label{eq:ll}
\ell = \nsum{\pers} \log \nsum{\cls} \exp A .
\end{equation}

\subsection{A lower bound}
The sum inside of the logarithm is what makes \eqref{eq:ll} hard to maximise. For any $Q \in [0,1]^{\pers[N] \times \cls[K]}$ with $\nsum{\cls} Q = 1$ Jensen's inequality gives
\begin{align}
\ell &= \nsum{\pers} \log \nsum{\cls} Q \odot \frac{\exp A}{Q} \notag \\
 &\ge \nsum{\pers \\ \cls} Q \odot (A - \log Q) \eqqcolon \ELBO(Q)
\end{align}
with equality iff $Q$ is the posterior.

\subsection{The algorithm}
Start with some $\pi^{(0)} \in [0,1]^{\cls[K]}$, $\theta^{(0)} \in [0,1]^{\cls[K] \times \quest[J] \times \resp[R]}$ and repeat for $t = 0, 1, 2, \dots$
\begin{description}
\item[E step.] Compute the responsibilities
\[
r^{(t)} = \nfun{\cls}{softmax} \left( \log \pi^{(t)} + X \ndot{\quest \\ \resp} \log \theta^{(t)} \right) .
\]
\item[M step.] Count, as if the responsibilities were observed:
\begin{align*}
\pi^{(t+1)} &= \frac1N \nsum{\pers} r^{(t)} \\
\theta^{(t+1)} &= \frac{ r^{(t)} \ndot{\pers} X }{ \nsum{\pers} r^{(t)} }
\end{align*}
\end{description}
Note that the denominator needs no axes of its own: it has only $\cls$, and is the same for all questions and responses.

If some response never occurs, $\log \theta$ is $-\infty$. The usual remedy is to add $\alpha > 0$ to all counts. With any responsibilities $r \in [0,1]^{\pers[N] \times \cls[K]}$,
\begin{equation}
\bar{\theta}(r) = \frac{ r \ndot{\pers} X + \alpha }{ \nsum{\resp} \left( r \ndot{\pers} X + \alpha \right) } .
\end{equation}

\subsection{How many classes?}
There are $\nu = K - 1 + K J (R - 1)$ free parameters. One chooses the $K$ with the smallest
\[
\mathrm{BIC} = -2 \ell + \nu \log N .
\]
A second criterion asks how well the classes are separated; it is one minus the relative entropy of the posterior $\rho = \nfun{\cls}{softmax} A$,
\[
S = 1 + \frac{ \nsum{\pers \\ \cls} \rho \odot \log \rho }{ N \log K } .
\]

\subsection*{Exercises}
\begin{enumerate}
\item Show that $\ell$ does not decrease from one step to the next.
\item Two questions are redundant if their answers agree more often than by chance. Compute the expected share of agreement of any two questions under the model,
\[ C = \pi \ndot{\cls} \left( \theta \ndot{\resp} \theta_{\quest \to \quest'} \right) , \qquad C \in [0,1]^{\quest[J] \times \quest'[J]} . \]
\end{enumerate}
\end{document}
""",
        [
            Fault(
                r"A = \log \pi + X \ndot{\quest \\ \resp} \log \theta, \qquad",
                r"A = \log \pi + X \ndot{\quest \\ \cls} \log \theta, \qquad",
            ),
            Fault(
                r"\frac{ r^{(t)} \ndot{\pers} X }{ \nsum{\pers} r^{(t)} }",
                r"\frac{ r^{(t)} \ndot{\pers} X }{ \nsum{\quest} r^{(t)} }",
            ),
            Fault(
                r"\left( \theta \ndot{\resp} \theta_{\quest \to \quest'} \right)",
                r"\left( \theta \ndot{\resp} \theta \right)",
            ),
        ],
        [
            Entry(
                r"\ell",
                mixture_likelihood,
                "",
                ANSWERS,
            ),
            Entry(
                r"\ELBO",
                lambda Q, X, p, q: (
                    Q * (np.log(p) + np.einsum("nir,kir->nk", X, np.log(q)) - np.log(Q))
                ).sum(),
                "",
                {"Q": "person[4] class[2] ~ probability class", **ANSWERS},
            ),
            Entry(
                r"\pi^{(2)}",
                lambda X, p, q: latent_classes(X, p, q, 2)[0],
                "class",
                STARTS,
            ),
            Entry(
                r"\theta^{(3)}",
                lambda X, p, q: latent_classes(X, p, q, 3)[1],
                "class quest resp",
                STARTS,
            ),
            Entry(
                r"\bar{\theta}",
                lambda r, X, alpha: (lambda c: c / c.sum(2, keepdims=True))(
                    np.einsum("nk,nir->kir", r, X) + alpha
                ),
                "class quest resp",
                {
                    "r": "person[4] class[2] ~ probability class",
                    "X": ANSWERS["X"],
                    "alpha": 0.5,
                },
            ),
            Entry(
                r"\mathrm{BIC}",
                lambda X, p, q: -2 * mixture_likelihood(X, p, q) + (1 + 2 * 3 * 2) * np.log(4),
                "",
                ANSWERS,
            ),
            Entry(
                "S",
                lambda X, p, q: (lambda r: 1 + (r * np.log(r)).sum() / (4 * np.log(2)))(
                    responsibilities(X, p, q)
                ),
                "",
                ANSWERS,
            ),
            Entry(
                "C",
                lambda p, q: np.einsum("k,kir,kjr->ij", p, q, q),
                "quest quest'",
                {"pi": ANSWERS["pi"], "theta": ANSWERS["theta"]},
            ),
        ],
    ),
    Unseen(
        "films.md",
        r"""Lab report 3: Recommending films
================================

*Group 7 (Ana, Jonas, Thi). Course: Information Retrieval.*

1 Data
------

The course data has ratings from 1 to 5 of $m$ users and $n$ films. Most are missing. So we store two matrices:

* $R \in \mathbb{R}^{\text{user}:m, \text{film}:n}$, the ratings (anything where there is none),
* $\Omega \in \{0, 1\}^{\text{user}:m, \text{film}:n}$, which is 1 where there is a rating.

The mean of all ratings we have is

$$ \mu = \frac{\sum_{\text{user}, \text{film}} \Omega \odot R}{\sum_{\text{user}, \text{film}} \Omega} $$

which is 3.53 in the training data.

2 Baseline
----------

Some users are friendly and some films are good. Following Koren we estimate first the film biases $c$, then the user biases $b$, both pulled to zero by constants ($\lambda_1 = 10$ and $\lambda_2 = 25$ in our runs):

$$
c = \frac{\sum_{\text{user}} \Omega \odot (R - \mu)}{\lambda_2 + \sum_{\text{user}} \Omega},
\quad
b = \frac{\sum_{\text{film}} \Omega \odot (R - \mu - c)}{\lambda_1 + \sum_{\text{film}} \Omega}
$$

| Method | RMSE (test) | MAE (test) |
|--------|------------:|-----------:|
| $\mu$ only | 1.126 | 0.945 |
| $\mu + b + c$ | 0.948 | 0.751 |
| factors, 20 dims | 0.913 | 0.719 |
| neighbours | 0.937 | 0.738 |

3 Factors
---------

The factor model adds a dot product of a user's and a film's vector, where $P \in \mathbb{R}^{\text{user}:m, \text{fac}}$ and $Q \in \mathbb{R}^{\text{film}:n, \text{fac}}$:

$$ \hat{R} = \mu + b + c + P \underset{\text{fac}}{\cdot} Q $$

We minimised this loss, where $\lambda$ is the weight of the regularisation:

$$
\text{loss}(P, Q) = \sum_{\text{user}, \text{film}} \Omega \odot (R - \hat{R})^2
 + \lambda \left( \|P\|_{\text{user}, \text{fac}}^2 + \|Q\|_{\text{film}, \text{fac}}^2 \right)
$$

For SGD with learning rate $\eta$, take one rating, of user $u$ and film $i$. Its error is $e_{ui} = R_{\text{user}:u, \text{film}:i} - \hat{R}_{\text{user}:u, \text{film}:i}$ and the updates are

$$
\begin{aligned}
P_{\text{user}:u} &\leftarrow P_{\text{user}:u} + \eta \left( e_{ui} \, Q_{\text{film}:i} - \lambda P_{\text{user}:u} \right) \\
Q_{\text{film}:i} &\leftarrow Q_{\text{film}:i} + \eta \left( e_{ui} \, P_{\text{user}:u} - \lambda Q_{\text{film}:i} \right)
\end{aligned}
$$

(we keep the old $P$ for the second line). Full gradient, for checking with finite differences:

$$ G = -2 \left( \Omega \odot (R - \hat{R}) \right) \underset{\text{film}}{\cdot} Q + 2 \lambda P, \qquad G \in \mathbb{R}^{\text{user}:m, \text{fac}} $$

4 Neighbours
------------

We also tried item-based filtering. With $\bar{r} = \frac{\sum_{\text{film}} \Omega \odot R}{\sum_{\text{film}} \Omega}$ (mean per user) and deviations $D = \Omega \odot (R - \bar{r})$, the adjusted cosine similarity of two films is

$$
S = \frac{ D \underset{\text{user}}{\cdot} D_{\text{film} \to \text{film}'} }{ \|D\|_{\text{user}} \odot \|D_{\text{film} \to \text{film}'}\|_{\text{user}} }
$$

and a rating is predicted from the user's other ratings:

$$
N = \bar{r} + \left[ \frac{ D \underset{\text{film}}{\cdot} S }{ \Omega \underset{\text{film}}{\cdot} |S| } \right]_{\text{film}' \to \text{film}}
$$

The denominator can be 0 for users without any ratings; we return $\bar{r}$ then.

5 Evaluation
------------

Let $Y$ be the test ratings with mask $\Psi$ (same axes as $R$). Then for any prediction $F \in \mathbb{R}^{\text{user}:m, \text{film}:n}$

$$
\text{RMSE}(F) = \sqrt{ \frac{ \sum_{\text{user}, \text{film}} \Psi \odot (Y - F)^2 }{ \sum_{\text{user}, \text{film}} \Psi } }, \qquad
\text{MAE}(F) = \frac{ \sum_{\text{user}, \text{film}} \Psi \odot |Y - F| }{ \sum_{\text{user}, \text{film}} \Psi }
$$

**Conclusion.** Biases give most of the gain. Jonas thinks that implicit feedback would help, but we ran out of time.
""",
        [
            Fault(
                r"c = \frac{\sum_{\text{user}} \Omega \odot (R - \mu)}{\lambda_2 + \sum_{\text{user}} \Omega}",
                r"c = \frac{\sum_{\text{user}} \Omega \odot (R - \mu)}{\lambda_2 + \sum_{\text{fac}} \Omega}",
            ),
            Fault(
                r"(R - \hat{R}) \right) \underset{\text{film}}{\cdot} Q + 2",
                r"(R - \hat{R}) \right) \underset{\text{user}}{\cdot} Q + 2",
            ),
            Fault(
                r"\right]_{\text{film}' \to \text{film}}",
                r"\right]_{\text{user}' \to \text{film}}",
                r"N = \bar{r}",
            ),
        ],
        [
            Entry(
                "b",
                lambda R, O: offsets(R, O)[1],
                "user",
                RATINGS,
            ),
            Entry(
                r"\hat{R}",
                predicted,
                "user film",
                {"R": RATINGS["R"], "Omega": RATINGS["Omega"], **FACTORS},
            ),
            Entry(
                r"\text{loss}",
                lambda P, Q, R, O, lam: (
                    (O * (R - predicted(R, O, P, Q)) ** 2).sum()
                    + lam * ((P**2).sum() + (Q**2).sum())
                ),
                "",
                {**FACTORS, **RATINGS, "lambda_": 0.3},
            ),
            Entry(
                "G",
                lambda P, Q, R, O, lam: -2 * (O * (R - predicted(R, O, P, Q))) @ Q + 2 * lam * P,
                "user fac",
                {**FACTORS, **RATINGS, "lambda_": 0.3},
            ),
            Entry(
                "S",
                alike,
                "film film'",
                {"R": RATINGS["R"], "Omega": "user[4] film[3] ~ ones"},
            ),
            Entry(
                "N",
                by_neighbours,
                "user film",
                {"R": RATINGS["R"], "Omega": "user[4] film[3] ~ ones"},
            ),
            Entry(
                r"\text{RMSE}",
                lambda F, Y, O: np.sqrt((O * (Y - F) ** 2).sum() / O.sum()),
                "",
                {"F": "user[4] film[3]", "Y": "user[4] film[3]", "Psi": "user[4] film[3] ~ bits"},
            ),
        ],
    ),
    Unseen(
        "episodes.tex",
        r"""\documentclass[11pt]{report}
\usepackage{amsmath,amsfonts,bm,bbm}
\usepackage[ruled]{algorithm2e}
% --- notation -----------------------------------------------------------
\newcommand{\nm}[1]{\text{#1}}
\newcommand{\ep}{\nm{ep}}
\newcommand{\tm}{\nm{time}}
\newcommand{\act}{\nm{act}}
\newcommand{\ft}{\nm{feat}}
\newcommand{\con}[1]{\underset{#1}{\cdot}}
\newcommand{\Sum}[1]{\sum_{#1}}
\newcommand{\Mean}[1]{\underset{#1}{\text{mean}}\,}
\newcommand{\SoftMax}[1]{\underset{#1}{\text{softmax}}\,}
\newcommand{\T}[1]{\mathbb{R}^{#1}}
% -------------------------------------------------------------------------
\begin{document}
\chapter{Method}

\section{Sampling}
The current policy plays $M$ episodes of $T$ steps. We store the features of the states, $S \in \T{\ep:M, \tm:T, \ft:d}$, the actions as unit vectors, $U \in \{0,1\}^{\ep:M, \tm:T, \act:A}$, and the rewards,
$R \in \T{\ep:M, \tm:T}$.
The policy is linear in the features, with weights $\Theta \in \T{\ft:d, \act:A}$,
\begin{equation}
  \pi = \SoftMax{\act} \left( S \con{\ft} \Theta \right). \label{policy}
\end{equation}

\section{Returns and baseline}
What follows from step $t$ on is worth
\begin{equation}
  G_{\tm:t} = \sum_{k=t}^{T} \gamma^{k-t} R_{\tm:k}, \qquad 0 < \gamma \le 1, \label{return}
\end{equation}
for each episode. Equation \eqref{return} is computed from behind: $G_{\tm:T} = R_{\tm:T}$ and $G_{\tm:t} = R_{\tm:t} + \gamma G_{\tm:t+1}$.

A baseline may depend on anything but the action. We take the mean over the episodes,
\begin{equation}
  b = \Mean{\ep} G, \qquad b \in \T{\tm:T},
\end{equation}
so that $H = G - b$ tells how much better an episode went than usual.
\paragraph{Remark.} Strictly speaking, $b$ contains the episode itself, and the estimate is biased by a factor $(M-1)/M$. Leaving out the episode itself gives
\begin{equation}
  \tilde{b} = \frac{1}{M - 1} \left( \Sum{\ep} G - G \right), \qquad \tilde{b} \in \T{\ep:M, \tm:T} .
\end{equation}

\section{The estimate}
By the log-derivative trick,
\begin{equation}
  \nabla J \approx \hat{g} = \frac{1}{M} \Sum{\ep, \tm} H \odot S \odot (U - \pi), \qquad \hat{g} \in \T{\ft:d, \act:A} . \label{estimate}
\end{equation}
Here we have used that the gradient of $\log \pi$ at the action taken is $S \odot (U - \pi)$. In code one does not form \eqref{estimate} but differentiates
\begin{equation}
  \mathcal{L} = - \frac{1}{M} \Sum{\ep, \tm} H \odot \left( U \con{\act} \log \pi \right) .
\end{equation}
The estimates of single episodes are $g = \Sum{\tm} H \odot S \odot (U - \pi)$, and from them we get the standard error of each entry,
\begin{equation}
  \mathrm{se} = \sqrt{ \frac{1}{M (M-1)} \Sum{\ep} \left( g - \Mean{\ep} g \right)^2 } .
\end{equation}

\begin{algorithm}
\caption{One iteration}
\KwIn{weights $\Theta$, rate $\alpha$}
play $M$ episodes\;
compute $G$, $b$ and $\hat{g}$\;
$\Theta \leftarrow \Theta + \alpha \hat{g}$\;
\end{algorithm}

\section{Less variance}
Suppose a critic gives values $V \in \T{\ep:M, \tm:T+1}$, with $V_{\tm:T+1} = 0$ where an episode has ended. From the temporal differences
\begin{align}
  D_{\tm:t} &= R_{\tm:t} + \gamma V_{\tm:t+1} - V_{\tm:t}, \qquad t = 1, \dots, T \\
  \intertext{one obtains the advantages of Schulman et al.}
  Z_{\tm:t} &= \sum_{k=t}^{T} (\gamma \lambda)^{k-t} D_{\tm:k} .
\end{align}
For $\lambda = 1$ this is $G - V$. The critic is fitted by least squares to the returns.

Several updates with the same episodes need the ratio $\rho \in \T{\ep:M, \tm:T}$ of new to old probabilities. We clip it, with $\varepsilon = 0.2$:
\begin{equation}
  \mathrm{clip}(\rho, Z) = \Mean{\ep, \tm} \min\left( \rho \odot Z, \; \max\left( 1 - \varepsilon, \min( 1 + \varepsilon, \rho ) \right) \odot Z \right)
\end{equation}
Finally, an entropy bonus keeps the policy from becoming deterministic too early,
\begin{equation}
  \mathcal{H} = - \Mean{\ep, \tm} \Sum{\act} \pi \odot \log \pi .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"b = \Mean{\ep} G, \qquad b \in \T{\tm:T}",
                r"b = \Mean{\tm} G, \qquad b \in \T{\tm:T}",
            ),
            Fault(
                r"\left( U \con{\act} \log \pi \right)",
                r"\left( U \con{\ft} \log \pi \right)",
            ),
            Fault(
                r"\gamma V_{\tm:t+1} - V_{\tm:t}, \qquad t",
                r"\gamma V_{\act:t+1} - V_{\tm:t}, \qquad t",
            ),
        ],
        [
            Entry("G", returns, "ep time", {"R": "ep[3] time[4]", "gamma": 0.9}),
            Entry(
                r"\tilde{b}",
                lambda R, gamma: np.stack(
                    [np.delete(returns(R, gamma), e, 0).mean(0) for e in range(len(R))]
                ),
                "ep time",
                {"R": "ep[3] time[4]", "gamma": 0.9},
            ),
            Entry(r"\hat{g}", policy_gradient, "feat act", PLAYED),
            Entry(
                r"\mathcal{L}",
                lambda S, U, R, Theta, gamma: (
                    -(advantages(R, gamma)[..., None] * U * np.log(softmax(S @ Theta))).sum()
                    / len(R)
                ),
                "",
                PLAYED,
            ),
            Entry(
                r"\mathrm{se}",
                lambda S, U, R, Theta, gamma: (
                    np.einsum(
                        "et,etf,eta->efa", advantages(R, gamma), S, U - softmax(S @ Theta)
                    ).std(0, ddof=1)
                    / np.sqrt(len(R))
                ),
                "feat act",
                PLAYED,
            ),
            Entry(
                "Z",
                generalised,
                "ep time",
                {
                    "R": "ep[3] time[4]",
                    "V": "ep[3] time[5]",
                    "gamma": 0.9,
                    "lambda_": 0.7,
                },
            ),
            Entry(
                r"\mathrm{clip}",
                lambda rho, Z: clipped(rho, Z, 0.2),
                "",
                {"rho": "ep[3] time[4] ~ positive", "Z": "ep[3] time[4]"},
            ),
            Entry(
                r"\mathcal{H}",
                lambda S, Theta: (lambda p: -(p * np.log(p)).sum(2).mean())(softmax(S @ Theta)),
                "",
                {"S": "ep[3] time[4] feat[2]", "Theta": "feat[2] act[3]"},
            ),
        ],
    ),
    Unseen(
        "filters.md",
        r"""---
title: 'Practical 2: Filtering images'
output: html_document
---

<!-- Bilder: siehe Ordner img/, Abgabe bis Freitag -->

# Practical 2: Filtering images {-}

Team: *two people who like cats*. Everything was done in R, see the appendix. Pixel $(1, 1)$ is at the top left; a grey image is $I \in \mathbb{R}^{\text{row}:H, \text{col}:W}$.

## Task 1. Sobel {#task1}

A filter is $K \in \mathbb{R}^{\text{kr}:3, \text{kc}:3}$, and filtering means

$$
F(I, K)_{\text{row}:i, \text{col}:j} = \sum_{p=1}^{3} \sum_{q=1}^{3} K_{\text{kr}:p, \text{kc}:q} \, I_{\text{row}:i+p-1, \text{col}:j+q-1}, \qquad i = 1, \dots, H - 2, \; j = 1, \dots, W - 2 .
$$

(We do not flip the kernel. Mathematicians would call this a correlation.) The two kernels of Sobel smooth in one direction and differentiate in the other:

$$
K^x_{\text{kr}:p, \text{kc}:q} = (2 - |p - 2|) (q - 2), \qquad K^y_{\text{kr}:p, \text{kc}:q} = (p - 2) (2 - |q - 2|), \qquad p, q \in \{1, 2, 3\}
$$

Written out, $K^x$ is

|      |  1 | 2 | 3 |
|------|---:|--:|--:|
| **1** | -1 | 0 | 1 |
| **2** | -2 | 0 | 2 |
| **3** | -1 | 0 | 1 |

The edges are where the gradient is long:

$$
\begin{aligned}
A &= F(I, K^x), \quad B = F(I, K^y) \\
E &= \sqrt{A^2 + B^2}
\end{aligned}
$$

## Task 2. Gaussian blur

Now the image should keep its size, so we need a border. Zeros make it dark, therefore we *repeat* the last pixel. With a border of $r$ pixels

$$
J_{\text{row}:i, \text{col}:j} = I_{\text{row}:\min(\max(i - r, 1), H), \text{col}:\min(\max(j - r, 1), W)}, \qquad J \in \mathbb{R}^{\text{row}:H+2r, \text{col}:W+2r} .
$$

For a Gaussian of width $\sigma$ the weights are $g_{\text{kr}:p} = \exp\left( -\frac{(p - r - 1)^2}{2 \sigma^2} \right)$ for $p = 1, \dots, 2r+1$. Since the Gaussian is separable, we blur the columns first and the rows afterwards, and divide by the sum of the weights each time:

$$
\begin{aligned}
C_{\text{row}:i} &= \frac{ \sum_{p=1}^{2r+1} g_{\text{kr}:p} \, J_{\text{row}:i+p-1} }{ \sum_{\text{kr}} g }, & i &= 1, \dots, H \\
L_{\text{col}:j} &= \frac{ \sum_{p=1}^{2r+1} g_{\text{kr}:p} \, C_{\text{col}:j+p-1} }{ \sum_{\text{kr}} g }, & j &= 1, \dots, W
\end{aligned}
$$

Sharpening goes the other way. The *unsharp mask* with strength $\beta$ is

$$
I^{\text{sharp}} = I + \beta (I - L) .
$$

> **Question 2b.** *Why does the mean grey value stay (nearly) the same?* Because the weights sum to one. Only the border is counted more than once.

## Task 3. Pooling

Split the image into blocks of $s \times s$ pixels ($s$ divides $H$ and $W$), i.e.

$$
P_{\text{row}:i, \text{col}:j, \text{kr}:p, \text{kc}:q} = I_{\text{row}:s(i-1)+p, \text{col}:s(j-1)+q}, \qquad P \in \mathbb{R}^{\text{row}:H/s, \text{col}:W/s, \text{kr}:s, \text{kc}:s} .
$$

Then
- max pooling is $X = \underset{\text{kr}, \text{kc}}{\max} P$,
- mean pooling is $Y = \underset{\text{kr}, \text{kc}}{\text{mean}} P$,
- and, as a measure of texture, the range $Z = \underset{\text{kr}, \text{kc}}{\max} P - \underset{\text{kr}, \text{kc}}{\min} P$.

## Task 4. Thresholds

Finally a threshold turns the edges into black and white. We take the mean plus $\kappa$ standard deviations,

$$
\tau = \underset{\text{row}, \text{col}}{\text{mean}} E + \kappa \sqrt{ \underset{\text{row}, \text{col}}{\text{var}} E }, \qquad
D_{\text{row}:i, \text{col}:j} = \begin{cases} 1 & E_{\text{row}:i, \text{col}:j} > \tau \\ 0 & \text{else} \end{cases}
$$

```{r}
image(edges, col = grey(0:1))
```

With $\kappa = 1.5$ about `r round(100 * mean(edges), 1)` % of the pixels are edges, see Figure 3.
""",
        [
            Fault(
                r"\, I_{\text{row}:i+p-1, \text{col}:j+q-1}, \qquad",
                r"\, I_{\text{row}:i+p-1, \text{kc}:j+q-1}, \qquad",
            ),
            Fault(
                r"C_{\text{col}:j+p-1} }{ \sum_{\text{kr}} g }",
                r"C_{\text{col}:j+p-1} }{ \sum_{\text{kc}} g }",
            ),
            Fault(
                r"$X = \underset{\text{kr}, \text{kc}}{\max} P$",
                r"$X = \underset{\text{kr}, \text{kc}}{\max} I$",
            ),
        ],
        [
            Entry(
                "F",
                filtered,
                "row col",
                {"I": "row[5] col[6]", "K": "kr[3] kc[3]"},
            ),
            Entry("E", steepness, "row col", {"I": "row[5] col[6]"}),
            Entry(
                "L",
                lambda image, sigma: blurred(image, 2, sigma),
                "row col",
                {"I": "row[4] col[5]", "sigma": 1.3},
                chosen={"r": 2},
            ),
            Entry(
                r"I^{\text{sharp}}",
                lambda image, sigma, beta: image + beta * (image - blurred(image, 1, sigma)),
                "row col",
                {"I": "row[4] col[5]", "sigma": 1.3, "beta": 0.6},
                chosen={"r": 1},
            ),
            Entry(
                "X",
                lambda image: pooled_image(image, 2).max((1, 3)),
                "row col",
                {"I": "row[4] col[6]"},
                chosen={"s": 2},
            ),
            Entry(
                "Z",
                lambda image: np.ptp(pooled_image(image, 2).swapaxes(1, 2).reshape(2, 3, 4), 2),
                "row col",
                {"I": "row[4] col[6]"},
                chosen={"s": 2},
            ),
            Entry(
                "D",
                lambda image: (lambda e: (e > e.mean() + 1.5 * e.std()) * 1.0)(steepness(image)),
                "row col",
                {"I": "row[5] col[6]"},
            ),
        ],
    ),
    Unseen(
        "sheet.md",
        r"""# Evaluation cheat sheet

Print double-sided. *v3, corrected the definition of IDCG (thanks, Emre!)*

## Ranking

There are $N$ queries and $n$ results per query, best first. $G \in \mathbb{R}^{\text{query}:N, \text{rank}:n}$ are graded relevances (0 to 3), $Z \in \{0,1\}^{\text{query}:N, \text{rank}:n}$ is relevant or not.

| Metric | Formula | Range |
|:--|:--|:--|
| precision at $k$ | $\text{Prec}_{\text{rank}:k} = \frac{1}{k} \sum_{r=1}^{k} Z_{\text{rank}:r}$ | 0 to 1 |
| recall at $k$ | $\text{Rec}_{\text{rank}:k} = \frac{ \sum_{r=1}^{k} Z_{\text{rank}:r} }{ \sum_{\text{rank}} Z }$ | 0 to 1 |
| average precision | $\text{AP} = \frac{ \text{Prec} \underset{\text{rank}}{\cdot} Z }{ \sum_{\text{rank}} Z }$ | 0 to 1 |
| mean average precision | $\text{MAP} = \underset{\text{query}}{\text{mean}}\, \text{AP}$ | 0 to 1 |

**Discounted cumulative gain.** The discount is $w_{\text{rank}:r} = 1 / \log_2(r + 1)$ and

$$
\text{DCG}(G) = \left( 2^G - 1 \right) \underset{\text{rank}}{\cdot} w, \qquad \text{nDCG} = \frac{\text{DCG}(G)}{\text{DCG}(G^*)}
$$

where $G^* = \underset{\text{rank}}{\text{sort}}\, G$ are the same relevances in the best order (descending!). Cut off at $k$ by summing only the first $k$ terms:

$$
\text{DCG}_k = \sum_{r=1}^{k} \frac{2^{G_{\text{rank}:r}} - 1}{\log_2(r + 1)}
$$

## Probabilities

$P \in \mathbb{R}^{\text{ex}:m, \text{class}:C}$ are predicted probabilities and $Y \in \{0,1\}^{\text{ex}:m, \text{class}:C}$ the truth.

- log loss: $\text{LL} = - \underset{\text{ex}}{\text{mean}} \sum_{\text{class}} Y \odot \log P$
- Brier score: $\text{BS} = \underset{\text{ex}}{\text{mean}} \sum_{\text{class}} (P - Y)^2$
- Brier *skill* score: $\text{BSS} = 1 - \text{BS} / \text{BS}_0$, with $\text{BS}_0 = \underset{\text{ex}}{\text{mean}} \sum_{\text{class}} (\bar{Y} - Y)^2$ and $\bar{Y} = \underset{\text{ex}}{\text{mean}}\, Y$

**Expected calibration error.** Confidence is $c = \underset{\text{class}}{\max}\, P$. The prediction is right if the truth is at the largest probability, $a = \sum_{\text{class}} Y \odot \mathbb{1}[P = c]$.
Put the examples into bins by confidence, $B \in \{0, 1\}^{\text{ex}:m, \text{bin}:b}$. Then

$$
\begin{aligned}
\text{acc} &= \frac{ B \underset{\text{ex}}{\cdot} a }{ \sum_{\text{ex}} B } \\
\text{conf} &= \frac{ B \underset{\text{ex}}{\cdot} c }{ \sum_{\text{ex}} B } \\
\text{ECE} &= \sum_{\text{bin}} \frac{ \sum_{\text{ex}} B }{ m } \odot \left| \text{acc} - \text{conf} \right|
\end{aligned}
$$

## Classes

$M \in \mathbb{R}^{\text{true}:C, \text{pred}:C}$ counts how often a class was taken for another. Divide: $Q = M / \sum_{\text{true}, \text{pred}} M$.

1. accuracy $\text{Acc} = \sum_{k=1}^{C} Q_{\text{true}:k, \text{pred}:k}$
2. per class, $F_{\text{class}:k} = \frac{ 2 M_{\text{true}:k, \text{pred}:k} }{ \sum_{\text{pred}} M_{\text{true}:k} + \sum_{\text{true}} M_{\text{pred}:k} }$, and macro-F1 is $\underset{\text{class}}{\text{mean}}\, F$
3. Cohen's kappa $\kappa = \frac{\text{Acc} - E}{1 - E}$ where $E = \sum_{k=1}^{C} \left( \sum_{\text{pred}} Q_{\text{true}:k} \right) \left( \sum_{\text{true}} Q_{\text{pred}:k} \right)$ is agreement by chance

## Text

For BLEU count n-grams of the orders 1 to 4: $H \in \mathbb{R}^{\text{ord}:4, \text{gram}}$ in the hypothesis, $D \in \mathbb{R}^{\text{ref}, \text{ord}:4, \text{gram}}$ in each reference. Counts are clipped by the best reference:

$$
p = \frac{ \sum_{\text{gram}} \min\left( H, \underset{\text{ref}}{\max}\, D \right) }{ \sum_{\text{gram}} H }, \qquad p \in \mathbb{R}^{\text{ord}:4}
$$

$$
\text{BLEU} = \beta \exp \left( \frac{1}{4} \sum_{\text{ord}} \log p \right), \qquad
\beta = \begin{cases} 1 & \text{if } l > r \\ \exp(1 - r / l) & \text{if } l \le r \end{cases}
$$

with the length $l$ of the hypothesis and $r$ of the closest reference. *Never* average BLEU over sentences; sum up the counts first.
""",
        [
            Fault(
                r"\text{Prec} \underset{\text{rank}}{\cdot} Z",
                r"\text{Prec} \underset{\text{ex}}{\cdot} Z",
            ),
            Fault(
                r"\text{BS} = \underset{\text{ex}}{\text{mean}} \sum_{\text{class}} (P - Y)^2",
                r"\text{BS} = \underset{\text{ex}}{\text{mean}} \sum_{\text{bin}} (P - Y)^2",
            ),
            Fault(
                r"\min\left( H, \underset{\text{ref}}{\max}\, D \right)",
                r"\min\left( H, \underset{\text{ord}}{\max}\, D \right)",
            ),
        ],
        [
            Entry(
                r"\text{AP}",
                average_precision,
                "query",
                {"Z": "query[3] rank[5] ~ one-hot rank"},
            ),
            Entry(
                r"\text{DCG}",
                lambda G: gain(G, 4),
                "query",
                {"G": "query[3] rank[4] ~ whole 4"},
            ),
            Entry(
                r"\text{BSS}",
                lambda P, Y: 1 - ((P - Y) ** 2).sum() / ((Y.mean(0) - Y) ** 2).sum(),
                "",
                {
                    "P": "ex[5] class[3] ~ probability class",
                    "Y": "ex[5] class[3] ~ one-hot class",
                },
            ),
            Entry(
                r"\text{ECE}",
                calibration,
                "",
                {
                    "P": "ex[9] class[3] ~ probability class",
                    "Y": "ex[9] class[3] ~ one-hot class",
                    "B": "ex[9] bin[2] ~ one-hot bin",
                },
            ),
            Entry(
                "F",
                lambda M: 2 * np.diag(M) / (M.sum(0) + M.sum(1)),
                "class",
                {"M": "true[3] pred[3] ~ positive"},
            ),
            Entry(
                r"\kappa",
                kappa,
                "",
                {"M": "true[3] pred[3] ~ positive"},
            ),
            Entry(
                r"\text{BLEU}",
                bleu,
                "",
                {
                    "H": "ord[4] gram[5] ~ counts",
                    "D": "ref[2] ord[4] gram[5] ~ counts",
                    "l": 8,
                    "r": 9,
                },
            ),
        ],
    ),
]
