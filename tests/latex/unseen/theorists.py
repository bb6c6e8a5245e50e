"""Seven documents of theorists: tangent kernels, mean fields, factors, bounds, landmarks, barycentres, scores."""

from __future__ import annotations

from math import erf

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen

# Tangent kernels.


def network(x, W, a):
    return np.maximum(x @ W.T, 0) @ a / np.sqrt(len(a))


def tangent(x, W, a):
    """The gradient for the input weights, one row per input."""
    on = (np.atleast_2d(x) @ W.T > 0) * a
    return on[:, :, None] * np.atleast_2d(x)[:, None] / np.sqrt(len(a))


def finite_kernel(X, W, a):
    g = tangent(X, W, a).reshape(len(X), -1)
    return g @ g.T


def arc(c):
    return c * (np.pi - np.arccos(c)) / (2 * np.pi)


def predictions(X, y, eta, steps):
    H = arc(X @ X.T)
    u = np.zeros(len(y))
    for _ in range(steps):
        u = u - eta * H @ (u - y)
    return u


def linearised(x, W, W0, a):
    return network(x, W0, a) + (tangent(x, W0, a)[0] * (W - W0)).sum()


# Mean fields.


def responsibilities(X, m, s):
    D = ((X[:, None] - m) ** 2).sum(2) + X.shape[1] * s
    e = np.exp(-D / 2)
    return e / e.sum(1, keepdims=True)


def evidence(X, r, m, s, sigma):
    n, p = X.shape
    K = len(s)
    D = ((X[:, None] - m) ** 2).sum(2) + p * s
    prior = -((m**2).sum() + p * s.sum()) / (2 * sigma**2) - K * p / 2 * np.log(
        2 * np.pi * sigma**2
    )
    data = -n * np.log(K) - (r * D).sum() / 2 - n * p / 2 * np.log(2 * np.pi)
    entropies = -(r * np.log(r)).sum() + p / 2 * np.log(2 * np.pi * np.e * s).sum()
    return prior + data + entropies


def centres(r, X, sigma):
    s = 1 / (1 / sigma**2 + r.sum(0))
    return s[:, None] * (r.T @ X), s


def ascended(X, m, s, sigma, steps):
    for _ in range(steps):
        r = responsibilities(X, m, s)
        m, s = centres(r, X, sigma)
    return m


def predictive(x, m, s):
    p = len(x)
    gauss = np.exp(-((x - m) ** 2).sum(1) / (2 * (1 + s))) / (2 * np.pi * (1 + s)) ** (p / 2)
    return gauss.mean()


# Factors.


def covariance(L, psi):
    return L @ L.T + np.diag(psi)


def likelihood_of_factors(X, mu, L, psi):
    n, D = X.shape
    S = covariance(L, psi)
    R = X - mu
    far = np.einsum("ia,ab,ib->", R, np.linalg.inv(S), R)
    return -n * D / 2 * np.log(2 * np.pi) - n / 2 * np.linalg.slogdet(S)[1] - far / 2


def posterior(X, mu, L, psi):
    G = np.linalg.inv(np.eye(L.shape[1]) + (L.T / psi) @ L)
    return G, (X - mu) / psi @ L @ G


def loadings(X, mu, L, psi):
    G, M = posterior(X, mu, L, psi)
    R = X - mu
    new = R.T @ M @ np.linalg.inv(len(X) * G + M.T @ M)
    return new, (R**2 - R * (M @ new.T)).mean(0)


def varimax(L):
    return ((L**4).mean(0) - (L**2).mean(0) ** 2).sum()


def criterion(X, mu, L, psi):
    n, D = X.shape
    k = L.shape[1]
    free = D * k + D - k * (k - 1) / 2
    return -2 * likelihood_of_factors(X, mu, L, psi) + free * np.log(n)


# Bounds.


VOTERS = {
    "rho": "voter[4] ~ probability voter",
    "pi": "voter[4] ~ probability voter",
    "y": "ex[6]",
    "H": "ex[6] voter[4]",
}


def risks(y, H):
    return (1 - y @ H / len(y)) / 2


def c_bound(rho, y, H):
    disagreement = (1 - ((H @ rho) ** 2).mean()) / 2
    return 1 - (1 - 2 * rho @ risks(y, H)) ** 2 / (1 - 2 * disagreement)


def tempered(y, H, prior, lam):
    e = prior * np.exp(-lam * risks(y, H))
    return e / e.sum()


def divergence(rho, prior):
    return (rho * np.log(rho / prior)).sum()


def little(q, p):
    return q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))


def inverted(q, c, steps):
    p = q + np.sqrt(c / 2)
    for _ in range(steps):
        p = p - (little(q, p) - c) * p * (1 - p) / (p - q)
    return p


def upper(z):
    return np.vectorize(lambda t: (1 - erf(t / np.sqrt(2))) / 2)(z)


def gaussian_risk(w, s, F, y):
    return upper(y * (F @ w) / np.sqrt((F**2) @ s**2)).mean()


def gaussian_divergence(w, s):
    return (s**2 + w**2 - 1 - 2 * np.log(s)).sum() / 2


# Landmarks.


def bell(X, Z, h):
    return np.exp(-((X[:, None] - Z) ** 2).sum(2) / (2 * h**2))


def ridge(X, y, h, lam):
    return np.linalg.solve(bell(X, X, h) + len(X) * lam * np.eye(len(X)), y)


def smoother(X, h, lam):
    K = bell(X, X, h)
    return K @ np.linalg.inv(K + len(X) * lam * np.eye(len(X)))


def left_out(X, y, h, lam):
    A = smoother(X, h, lam)
    return (((y - A @ y) / (1 - np.diag(A))) ** 2).mean()


def landmark_weights(X, Z, y, h, lam):
    C, B = bell(X, Z, h), bell(Z, Z, h)
    return np.linalg.solve(C.T @ C + len(X) * lam * B, C.T @ y)


def trace_error(X, Z, h):
    C, B = bell(X, Z, h), bell(Z, Z, h)
    return len(X) - np.trace(C @ np.linalg.inv(B) @ C.T)


def random_features(X, O, b):
    return np.sqrt(2 / len(b)) * np.cos(X @ O + b)


def descended(X, y, h, steps):
    K = bell(X, X, h)
    a = np.zeros(len(y))
    for _ in range(steps):
        a = a + (y - K @ a) / len(y)
    return a


# Barycentres.


def cost(z):
    return ((z[:, None] - z) ** 2).sum(2)


def scalings(P, z, w, eps, steps):
    """The scalings and the barycentre after some rounds."""
    K = np.exp(-cost(z) / eps)
    v = np.ones_like(P)
    for _ in range(steps):
        u = P / (v @ K.T)
        q = np.exp(w @ np.log(u @ K))
        v = q / (u @ K)
    return u, v, q


def plans(P, z, w, eps, steps):
    u, v, _ = scalings(P, z, w, eps, steps)
    return u[:, :, None] * np.exp(-cost(z) / eps) * v[:, None]


def objective(P, z, w, eps, steps):
    G = plans(P, z, w, eps, steps)
    return w @ (cost(z) * G + eps * G * (np.log(G) - 1)).sum((1, 2))


def projected(P, z, w, eps, steps):
    G = plans(P, z, w, eps, steps)
    return np.einsum("sij,jd->sid", G, z) / G.sum(2)[:, :, None]


# Scores.


def levels(top, bottom, L):
    return top * (bottom / top) ** (np.arange(L) / (L - 1))


def smoothed_score(x, X, sigma):
    e = np.exp(-((x - X) ** 2).sum(1) / (2 * sigma**2))
    return (e @ X / e.sum() - x) / sigma**2


def smoothed_density(x, X, sigma):
    e = np.exp(-((x - X) ** 2).sum(1) / (2 * sigma**2))
    return np.log(e.mean()) - len(x) / 2 * np.log(2 * np.pi * sigma**2)


def hidden(x, sigma, U, a, b):
    return np.tanh(x @ U + b + np.log(sigma) * a)


def score(x, sigma, U, V, a, b, c):
    return (hidden(x, sigma, U, a, b) @ V + c) / sigma


def divergence_of_score(x, sigma, U, V, a, b):
    h = hidden(x, sigma, U, a, b)
    return ((1 - h**2) * (U * V.T).sum(0)).sum() / sigma


def denoising(X, E, sigma, U, V, a, b, c):
    S = score(X + sigma * E, sigma, U, V, a, b, c)
    return ((sigma * S + E) ** 2).sum(1).mean() / 2


def implicit(X, sigma, U, V, a, b, c):
    return np.mean(
        [
            (score(x, sigma, U, V, a, b, c) ** 2).sum() / 2
            + divergence_of_score(x, sigma, U, V, a, b)
            for x in X
        ]
    )


def gaussian_fit(X, mu, A):
    S = -(X - mu) @ A
    return (S**2).sum(1).mean() / 2 - np.trace(A)


def walk(x, Z, alpha, sigma, *theta):
    found = []
    for z in Z:
        x = x + alpha / 2 * score(x, sigma, *theta) + np.sqrt(alpha) * z
        found.append(x)
    return np.stack(found)


def denoised(x, Z, alpha, sigma, *theta):
    x = walk(x, Z, alpha, sigma, *theta)[-1]
    return x + sigma**2 * score(x, sigma, *theta)


def weights(theta):
    e = np.exp(theta)
    return e / e.sum()


PLANS = {
    "P": "hist[3] bin[4] ~ probability bin",
    "z": "bin[4] xy[2]",
    "w": "hist[3] ~ probability hist",
    "gamma": 1.5,
}

NETWORK = {
    "U": "dim[2] hid[4]",
    "V": "hid[4] dim[2]",
    "a": "hid[4]",
    "b": "hid[4]",
    "c": "dim[2]",
}


DOCUMENTS = [
    Unseen(
        "tangent_kernel.tex",
        r"""\documentclass[10pt]{article}
\usepackage{amsmath, amssymb, amsthm, booktabs}
\usepackage{namedtensor}

\ndef{\inp}{in}
\ndef{\neu}{neuron}
\ndef{\smp}{sample}
\newcommand{\R}{\mathbb{R}}
\newcommand{\relu}{\operatorname{ReLU}}
\newcommand{\ind}[1]{\mathbf{1}\left[ #1 \right]}
\newtheorem{lemma}{Lemma}
\newtheorem{remark}{Remark}

\begin{document}
\appendix

\section{Proofs for Section 3: the lazy regime}
\label{app:ntk}

We recall the setting. The training set consists of $n$ inputs $X \in \R^{\smp[n] \times \inp[d]}$ and their labels $y \in \R^{\smp[n]}$. As in \cite{du2019}, all inputs lie on the unit sphere, and no two of them are parallel.

The student is a network with $m$ hidden neurons. Its output weights $a \in \{-1, 1\}^{\neu[m]}$ are drawn once and never trained; its input weights $W \in \R^{\neu[m] \times \inp[d]}$ are initialised as standard Gaussians $W_0 \in \R^{\neu[m] \times \inp[d]}$ and follow the gradient. The network computes
\begin{equation}
  \label{eq:net}
  f(x; W) = \frac{1}{\sqrt{m}} \, a \ndot{\neu} \relu\left( W \ndot{\inp} x \right), \qquad x \in \R^{\inp[d]},
\end{equation}
and is trained on the square loss
\begin{equation}
  L(W) = \frac{1}{2} \nsum{\smp} \left( f(X; W) - y \right)^2 .
\end{equation}

\subsection{Gradients}

The derivative of the ReLU is the indicator of its being active, almost everywhere. Hence the gradient of the output is
\begin{equation}
  \label{eq:grad}
  g(x; W) = \frac{1}{\sqrt{m}} \left( a \odot \ind{W \ndot{\inp} x > 0} \right) \odot x
\end{equation}
and, by the chain rule,
\begin{equation}
  \label{eq:lossgrad}
  \frac{\partial L(W)}{\partial W} = \left( f(X; W) - y \right) \ndot{\smp} g(X; W) .
\end{equation}
Everything that follows rests on the observation that \eqref{eq:grad} hardly moves during training if $m$ is large.

\subsection{The kernel, at finite and at infinite width}

The tangent kernel of the network on the training set is
\begin{equation}
  \label{eq:finite}
  \hat{\Theta}_{\smp(i), \smp'(j)} = g(X_{\smp(i)}; W) \ndot{\neu, \inp} g(X_{\smp(j)}; W) .
\end{equation}
With $\rho = X \ndot{\inp} X_{\smp \rightarrow \smp'}$ for the matrix of cosines, the law of large numbers sends it to the arc-cosine kernel
\begin{equation}
  \label{eq:infinite}
  \Theta = \rho \odot \frac{\pi - \arccos \rho}{2 \pi} .
\end{equation}

\begin{lemma}[Few neurons flip]
Suppose no neuron travels further than $r$ from its initialisation. Then $\ind{W \ndot{\inp} x > 0}$ and $\ind{W_0 \ndot{\inp} x > 0}$ differ at the $i$-th input for at most a fraction
\begin{equation}
  \phi_{\smp(i)} = \frac{1}{m} \sum_{k=1}^{m} \ind{ \left| W_{0, \neu(k)} \ndot{\inp} X_{\smp(i)} \right| \le r }
\end{equation}
of the neurons.
\end{lemma}

\begin{proof}
Cauchy--Schwarz, applied to $(W - W_0) \ndot{\inp} x$ for each neuron. The largest distance that a neuron has travelled is
\begin{equation}
  \Delta(W) = \nfun{\neu}{max} \sqrt{ \nsum{\inp} (W - W_0)^2 }. \qedhere
\end{equation}
\end{proof}

\subsection{Training the linearised network}

Around the initialisation the network is, to first order,
\begin{equation}
  f_{\mathrm{lin}}(x; W) = f(x; W_0) + g(x; W_0) \ndot{\neu, \inp} (W - W_0) .
\end{equation}
Let $u_k \in \R^{\smp[n]}$ denote the predictions on the training set after $k$ steps of gradient descent with step size $\eta$. In the limit of infinite width, and with $u_0 = 0$,
\begin{equation}
  \label{eq:recursion}
  u_{k+1} = u_k - \eta \left( \Theta \ndot{\smp} (u_k - y) \right)_{\smp' \rightarrow \smp}, \qquad k = 0, \ldots, K - 1 .
\end{equation}
The residual thus shrinks along the eigenvectors of $\Theta$, fastest along the top ones\footnote{This is the ``spectral bias'' of the literature.}. The fixed point is the solution of kernel regression,
\begin{align}
  \alpha &= \Theta^{-1} \ndot{\smp'} y_{\smp \rightarrow \smp'} , \\
  f_\infty(x) &= \kappa(x) \ndot{\smp} \alpha , &
  \kappa(x) &= (X \ndot{\inp} x) \odot \frac{\pi - \arccos (X \ndot{\inp} x)}{2 \pi} .
\end{align}
Finally, the complexity measure of Theorem 2 reads
\begin{equation}
  \mathcal{C} = \sqrt{ \frac{2}{n} \, y \ndot{\smp} \Theta^{-1} \ndot{\smp'} y_{\smp \rightarrow \smp'} } .
\end{equation}

\begin{remark}
For random labels $\mathcal{C}$ stays bounded away from zero, as it should.
\end{remark}
\end{document}
""",
        [
            Fault(
                r"\left( f(X; W) - y \right) \ndot{\smp} g(X; W)",
                r"\left( f(X; W) - y \right) \odot g(X; W)",
            ),
            Fault(
                r"u_k - \eta \left( \Theta \ndot{\smp} (u_k - y) \right)_{\smp' \rightarrow \smp}",
                r"u_k - \eta \left( \Theta \ndot{\smp} (u_k - y) \right)",
            ),
            Fault(
                r"\nfun{\neu}{max} \sqrt{ \nsum{\inp} (W - W_0)^2 }",
                r"\nfun{\smp}{max} \sqrt{ \nsum{\inp} (W - W_0)^2 }",
            ),
        ],
        [
            Entry(
                "f",
                network,
                "sample",
                {"x": "sample[4] in[3]"},
                {"W": "neuron[5] in[3]", "a": "neuron[5]"},
            ),
            Entry(
                "g",
                tangent,
                "sample neuron in",
                {"x": "sample[4] in[3]"},
                {"W": "neuron[5] in[3]", "a": "neuron[5]"},
            ),
            Entry(
                r"\frac{\partial L}{\partial W}",
                lambda X, y, W, a: np.einsum("i,ikd->kd", network(X, W, a) - y, tangent(X, W, a)),
                "neuron in",
                {"X": "sample[4] in[3]", "y": "sample[4]"},
                {"W": "neuron[5] in[3]", "a": "neuron[5]"},
            ),
            Entry(
                r"\hat{\Theta}",
                finite_kernel,
                "sample sample'",
                {"X": "sample[4] in[3]", "W": "neuron[5] in[3]", "a": "neuron[5]"},
            ),
            Entry(
                r"\Theta",
                lambda X: arc(X @ X.T),
                "sample sample'",
                {"X": "sample[4] in[3] ~ probability in"},
            ),
            Entry(
                r"\phi",
                lambda X, W0, r: (np.abs(X @ W0.T) <= r).mean(1),
                "sample",
                {"X": "sample[4] in[3]", "W_0": "neuron[7] in[3]", "r": 0.6},
            ),
            Entry(
                r"f_{\mathrm{lin}}",
                linearised,
                "",
                {"x": "in[3]", "W": "neuron[5] in[3]", "W_0": "neuron[5] in[3]", "a": "neuron[5]"},
            ),
            Entry(
                "u_K",
                lambda X, y, eta: predictions(X, y, eta, 3),
                "sample",
                {"X": "sample[4] in[3] ~ probability in", "y": "sample[4]", "eta": 0.4},
                chosen={"K": 3},
            ),
            Entry(
                r"f_\infty",
                lambda x, X, y: arc(X @ x) @ np.linalg.solve(arc(X @ X.T), y),
                "",
                {
                    "x": "in[5] ~ probability in",
                    "X": "sample[3] in[5] ~ probability in",
                    "y": "sample[3]",
                },
            ),
            Entry(
                r"\mathcal{C}",
                lambda X, y: np.sqrt(2 / len(y) * y @ np.linalg.solve(arc(X @ X.T), y)),
                "",
                {"X": "sample[3] in[5] ~ probability in", "y": "sample[3]"},
            ),
        ],
    ),
    Unseen(
        "mean_field.md",
        r"""---
title: "Lecture 7: mean-field variational inference"
course: Probabilistic Modelling, spring term
---

# Lecture 7. Mean-field variational inference

*Reading:* Blei, Kucukelbir and McAuliffe (2017), Sections 2 and 3; Bishop, Section 10.2.

Last week we saw that the posterior of even a small mixture is a sum over $K^n$ assignments. Today we give up exactness.

## 7.1 A Bayesian mixture

There are $n$ observations in $p$ dimensions, $X \in \mathbb{R}^{\text{obs}:n, \text{dim}:p}$, and $K$ clusters with unknown centres $\mu \in \mathbb{R}^{\text{comp}:K, \text{dim}:p}$. The centres have a Gaussian prior with standard deviation $\sigma > 0$. Each observation belongs to one cluster, chosen uniformly, which we encode by $c \in \{0, 1\}^{\text{obs}:n, \text{comp}:K}$ with

$$
\sum_{\text{comp}} c = 1,
$$

and is normal around its centre with unit variance. So

$$
\begin{aligned}
\log p(X, c, \mu) = {} & - \frac{1}{2 \sigma^2} \sum_{\text{comp}, \text{dim}} \mu^2 - \frac{K p}{2} \log (2 \pi \sigma^2) - n \log K \\
& - \frac{1}{2} \sum_{\text{obs}, \text{comp}} c \odot \sum_{\text{dim}} (X - \mu)^2 - \frac{n p}{2} \log (2 \pi) .
\end{aligned}
$$

## 7.2 The family

We approximate the posterior by a product, in which every centre has its own Gaussian and every observation its own categorical distribution:

| factor | parameter | space |
|:-------|:----------|:------|
| $q(\mu)$ | means $m$ | $\mathbb{R}^{\text{comp}:K, \text{dim}:p}$ |
| $q(\mu)$ | variances $s$ | $\mathbb{R}_{>0}^{\text{comp}:K}$ |
| $q(c)$ | responsibilities $r$ | $[0, 1]^{\text{obs}:n, \text{comp}:K}$ |

The only expectation that we shall need is that of a squared distance. As the variance adds up over the dimensions, it is

$$
D(m, s) = \sum_{\text{dim}} (X - m)^2 + p s .
$$

> **Check.** What are the axes of $D$? (One distance for each observation and each component.)

## 7.3 The bound

The evidence lower bound is the expected log joint plus the entropy,

$$
\begin{aligned}
\mathcal{L}(r, m, s) ={}& E(r, m, s) + H(r, s), \\
E(r, m, s) ={}& - \frac{1}{2 \sigma^2} \sum_{\text{comp}} \left( \sum_{\text{dim}} m^2 + p s \right) - \frac{K p}{2} \log (2 \pi \sigma^2) \\
 & - n \log K - \frac{1}{2} \sum_{\text{obs}, \text{comp}} r \odot D(m, s) - \frac{n p}{2} \log (2 \pi), \\
H(r, s) ={}& - \sum_{\text{obs}, \text{comp}} r \log r + \frac{p}{2} \sum_{\text{comp}} \log (2 \pi e s) .
\end{aligned}
$$

## 7.4 Coordinate ascent

Setting the derivatives to zero, one factor at a time, gives

$$
\hat{r}(m, s) = \underset{\text{comp}}{\text{softmax}} \left( - \tfrac{1}{2} D(m, s) \right)
$$

for the assignments (what does not depend on the component cancels), and for the centres

$$
\hat{s}(r) = \frac{1}{1 / \sigma^2 + \sum_{\text{obs}} r}, \qquad
\hat{m}(r) = \hat{s}(r) \odot \left( r \underset{\text{obs}}{\cdot} X \right) .
$$

**Algorithm (CAVI).** Start with centres $m^0 \in \mathbb{R}^{\text{comp}:K, \text{dim}:p}$, for instance $K$ of the observations, and $s^0 \in \mathbb{R}_{>0}^{\text{comp}:K}$. For $t = 1, \ldots, T$, compute

$$
\begin{aligned}
r^t &= \hat{r}(m^{t-1}, s^{t-1}), \\
s^t &= \hat{s}(r^t), \\
m^t &= \hat{m}(r^t) .
\end{aligned}
$$

Every line can only increase $\mathcal{L}$, and the loop ends when it increases no more.

## 7.5 Prediction

A new point $x \in \mathbb{R}^{\text{dim}:p}$ has, approximately, the density

$$
\hat{p}(x) = \frac{1}{K} \sum_{\text{comp}} \frac{1}{(2 \pi (1 + s))^{p / 2}} \exp \left( - \frac{\sum_{\text{dim}} (x - m)^2}{2 (1 + s)} \right) .
$$

Note the $1 + s$: the uncertainty of the centre adds to the noise.

## 7.6 Exercise: large data

Let $Z \in \mathbb{R}^{\text{batch}:b, \text{dim}:p}$ be a batch, and keep the *natural* parameters $\tau = 1 / s$ and $\eta = m / s$ of $q(\mu)$. Show that a natural gradient step of length $\rho$ on the batch is

$$
\tau' = (1 - \rho) \frac{1}{s} + \rho \left( \frac{1}{\sigma^2} + \frac{n}{b} \sum_{\text{batch}} w \right), \qquad
\eta' = (1 - \rho) \frac{m}{s} + \rho \frac{n}{b} \left( w \underset{\text{batch}}{\cdot} Z \right)
$$

with the responsibilities of the batch, $w = \underset{\text{comp}}{\text{softmax}} \left( Z \underset{\text{dim}}{\cdot} m - \frac{1}{2} \left( \sum_{\text{dim}} m^2 + p s \right) \right)$.
""",
        [
            Fault(
                r"\left( r \underset{\text{obs}}{\cdot} X \right)",
                r"\left( r \underset{\text{dim}}{\cdot} X \right)",
            ),
            Fault(
                r"$[0, 1]^{\text{obs}:n, \text{comp}:K}$ |",
                r"$[0, 1]^{\text{obs}:K, \text{comp}:n}$ |",
                r" & - n \log K - \frac{1}{2} \sum_{\text{obs}, \text{comp}} r \odot D(m, s)",
            ),
            Fault(
                r"\rho \frac{n}{b} \left( w \underset{\text{batch}}{\cdot} Z \right)",
                r"\rho \frac{n}{b} \left( w \underset{\text{obs}}{\cdot} Z \right)",
            ),
        ],
        [
            Entry(
                r"\log p(X, c, \mu)",
                lambda X, c, mu, sigma: (
                    -(mu**2).sum() / (2 * sigma**2)
                    - mu.size / 2 * np.log(2 * np.pi * sigma**2)
                    - len(X) * np.log(len(mu))
                    - (c * ((X[:, None] - mu) ** 2).sum(2)).sum() / 2
                    - X.size / 2 * np.log(2 * np.pi)
                ),
                "",
                {
                    "X": "obs[5] dim[2]",
                    "c": "obs[5] comp[3] ~ one-hot comp",
                    "mu": "comp[3] dim[2]",
                    "sigma": 1.7,
                },
            ),
            Entry(
                r"\mathcal{L}",
                lambda r, m, s, X, sigma: evidence(X, r, m, s, sigma),
                "",
                {
                    "r": "obs[5] comp[3] ~ probability comp",
                    "m": "comp[3] dim[2]",
                    "s": "comp[3] ~ positive",
                    "X": "obs[5] dim[2]",
                    "sigma": 1.7,
                },
            ),
            Entry(
                r"\hat{r}",
                lambda m, s, X: responsibilities(X, m, s),
                "obs comp",
                {"m": "comp[3] dim[2]", "s": "comp[3] ~ positive", "X": "obs[5] dim[2]"},
            ),
            Entry(
                r"\hat{m}",
                lambda r, X, sigma: centres(r, X, sigma)[0],
                "comp dim",
                {"r": "obs[5] comp[3] ~ probability comp", "X": "obs[5] dim[2]", "sigma": 1.7},
            ),
            Entry(
                "m^T",
                lambda m, s, X, sigma: ascended(X, m, s, sigma, 3),
                "comp dim",
                {
                    "m0": "comp[3] dim[2]",
                    "s0": "comp[3] ~ positive",
                    "X": "obs[5] dim[2]",
                    "sigma": 1.7,
                },
                chosen={"T": 3},
            ),
            Entry(
                r"\hat{p}",
                predictive,
                "",
                {"x": "dim[2]", "m": "comp[3] dim[2]", "s": "comp[3] ~ positive"},
            ),
            Entry(
                r"\eta'",
                lambda Z, m, s, rho: (
                    (1 - rho) * m / s[:, None] + rho * 20 / len(Z) * responsibilities(Z, m, s).T @ Z
                ),
                "comp dim",
                {
                    "Z": "batch[4] dim[2]",
                    "m": "comp[3] dim[2]",
                    "s": "comp[3] ~ positive",
                    "rho": 0.3,
                },
                chosen={"n": 20},
            ),
        ],
    ),
    Unseen(
        "factor_analysis.tex",
        r"""\documentclass[a4paper,11pt]{scrartcl}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,graphicx}
\usepackage{namedtensor}

% axes of this lecture
\newcommand{\obs}{\name{obs}}
\newcommand{\vr}{\name{var}}
\newcommand{\fac}{\name{fac}}
% the rest
\newcommand{\Rset}{\mathbb{R}}
\DeclareMathOperator{\diag}{diag}
\DeclareMathOperator{\BIC}{BIC}
\newcommand{\new}{^{\text{new}}}
\newcommand{\half}{\tfrac{1}{2}}

\title{Latent Gaussian Models\\ \large Lecture notes, part 2: factor analysis}

\begin{document}
\maketitle

\section{Model}

Factor analysis explains the correlations of $D$ observed variables by $k < D$ hidden factors. Let
\begin{align*}
  X &\in \Rset^{\obs[n] \times \vr[D]} && \text{the data,} \\
  \mu &\in \Rset^{\vr[D]} && \text{their mean,} \\
  \Lambda &\in \Rset^{\vr[D] \times \fac[k]} && \text{the loadings,} \\
  \psi &\in \Rset_{>0}^{\vr[D]} && \text{the uniquenesses.}
\end{align*}
Given the factors $z \in \Rset^{\obs[n] \times \fac[k]}$, which are independent standard normal variables, the observations are independent with mean $\mu + \Lambda \ndot{\fac} z$ and variances $\psi$. Integrating $z$ out leaves a Gaussian whose covariance has ``low rank plus diagonal'' structure,
\begin{equation}
  \Sigma = \Lambda \ndot{\fac} \Lambda_{\vr \rightarrow \vr'} + \diag_{\vr, \vr'}(\psi) . \label{eq:sigma}
\end{equation}
We write $R = X - \mu$ for the centred data throughout. The log-likelihood is
\begin{equation}
  \ell = - \frac{n D}{2} \log 2 \pi - \frac{n}{2} \log |\Sigma| - \half \nsum{\obs} \left( R \ndot{\vr} \Sigma^{-1} \ndot{\vr'} R_{\vr \rightarrow \vr'} \right) .
  \label{eq:loglik}
\end{equation}

\section{Inference}

By Bayes' rule the posterior of the factors is Gaussian. Its covariance is the same for all observations,
\begin{equation}
  G = \left( I_{\fac, \fac'} + \frac{\Lambda}{\psi} \ndot{\vr} \Lambda_{\fac \rightarrow \fac'} \right)^{-1} ,
\end{equation}
and its mean is linear in the observation (this is Thomson's ``regression'' estimate of factor scores),
\begin{equation}
  M = G \ndot{\fac'} \left( \frac{\Lambda}{\psi} \ndot{\vr} R \right)_{\fac \rightarrow \fac'} . \label{eq:scores}
\end{equation}
Only a matrix of size $k$ is inverted. By the matrix determinant lemma, moreover,
\begin{equation}
  \log |\Sigma| = \nsum{\vr} \log \psi - \log |G| ,
\end{equation}
so that \eqref{eq:loglik} costs $O(n D k)$ and not $O(n D^2)$.

\section{Learning by EM}

\textbf{E step.} Besides $M$ we need the expected second moments of the factors, summed over the observations:
\begin{equation}
  S = n G + M \ndot{\obs} M_{\fac \rightarrow \fac'} .
\end{equation}

\textbf{M step.} The expected complete-data log-likelihood is quadratic in $\Lambda$, and maximised by linear regression of $R$ on the factors,
\begin{align}
  \Lambda\new &= \left( R \ndot{\obs} M_{\fac \rightarrow \fac'} \right) \ndot{\fac'} S^{-1} , \label{eq:lambdanew} \\
  \psi\new &= \frac{1}{n} \nsum{\obs} \left( R^2 - R \odot \left( \Lambda\new \ndot{\fac} M \right) \right) . \label{eq:psinew}
\end{align}
The update of the noise uses the \emph{new} loadings.

\begin{figure}[t]
  \centering
  \includegraphics[width=.7\textwidth]{em-trace}
  \caption{The log-likelihood $\ell$ over 50 iterations of EM, for $k = 1, 2, 3$.}
\end{figure}

\section{Rotations, and how many factors}

The loadings are identified only up to a rotation: for an orthogonal $Q \in \Rset^{\fac[k] \times \fac'[k]}$,
\[
  \tilde{\Lambda} = \left( \Lambda \ndot{\fac} Q \right)_{\fac' \rightarrow \fac}
\]
gives the same $\Sigma$. One therefore rotates to \emph{simple structure}. Varimax (Kaiser, 1958) maximises the variance of the squared loadings within each factor,
\begin{equation}
  V(\Lambda) = \nsum{\fac} \left( \frac{1}{D} \nsum{\vr} \Lambda^4 - \Big( \frac{1}{D} \nsum{\vr} \Lambda^2 \Big)^2 \right) .
\end{equation}
The share of each variable's variance that the factors explain does not depend on the rotation. It is called the \emph{communality}:
\begin{equation}
  h = \frac{ \nsum{\fac} \Lambda^2 }{ \nsum{\fac} \Lambda^2 + \psi } .
\end{equation}
As for $k$, subtracting the $k (k - 1) / 2$ degrees of freedom of a rotation leaves $D k + D - k (k - 1) / 2$ free parameters in $\Lambda$ and $\psi$, and we choose the $k$ with the smallest
\begin{equation}
  \BIC = - 2 \ell + \left( D k + D - \frac{k (k - 1)}{2} \right) \log n .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\Lambda \ndot{\fac} \Lambda_{\vr \rightarrow \vr'} + \diag",
                r"\Lambda \ndot{\vr} \Lambda_{\vr \rightarrow \vr'} + \diag",
            ),
            Fault(
                r"\left( \frac{\Lambda}{\psi} \ndot{\vr} R \right)_{\fac \rightarrow \fac'} . \label{eq:scores}",
                r"\left( \frac{\Lambda}{\psi} \ndot{\vr} R \right) . \label{eq:scores}",
            ),
            Fault(
                r"\left( \Lambda\new \ndot{\fac} M \right) \right)",
                r"\left( \Lambda\new \ndot{\vr} M \right) \right)",
            ),
        ],
        [
            Entry(
                r"\Sigma",
                covariance,
                "var var'",
                {"Lambda": "var[4] fac[2]", "psi": "var[4] ~ positive"},
            ),
            Entry(
                r"\ell",
                likelihood_of_factors,
                "",
                {
                    "X": "obs[6] var[4]",
                    "mu": "var[4]",
                    "Lambda": "var[4] fac[2]",
                    "psi": "var[4] ~ positive",
                },
            ),
            Entry(
                "M",
                lambda *given: posterior(*given)[1],
                "obs fac",
                {
                    "X": "obs[6] var[4]",
                    "mu": "var[4]",
                    "Lambda": "var[4] fac[2]",
                    "psi": "var[4] ~ positive",
                },
            ),
            Entry(
                r"\Lambda^{\text{new}}",
                lambda *given: loadings(*given)[0],
                "var fac",
                {
                    "X": "obs[6] var[4]",
                    "mu": "var[4]",
                    "Lambda": "var[4] fac[2]",
                    "psi": "var[4] ~ positive",
                },
            ),
            Entry(
                r"\psi^{\text{new}}",
                lambda *given: loadings(*given)[1],
                "var",
                {
                    "X": "obs[6] var[4]",
                    "mu": "var[4]",
                    "Lambda": "var[4] fac[2]",
                    "psi": "var[4] ~ positive",
                },
            ),
            Entry(
                r"\tilde{\Lambda}",
                lambda L, Q: L @ Q,
                "var fac",
                {"Lambda": "var[4] fac[2]", "Q": "fac[2] fac'[2]"},
            ),
            Entry("V", varimax, "", {"Lambda": "var[4] fac[2]"}),
            Entry(
                "h",
                lambda L, psi: (L**2).sum(1) / ((L**2).sum(1) + psi),
                "var",
                {"Lambda": "var[4] fac[2]", "psi": "var[4] ~ positive"},
            ),
            Entry(
                r"\BIC",
                criterion,
                "",
                {
                    "X": "obs[6] var[4]",
                    "mu": "var[4]",
                    "Lambda": "var[4] fac[2]",
                    "psi": "var[4] ~ positive",
                },
            ),
        ],
    ),
    Unseen(
        "pac_bayes.tex",
        r"""\section{Preliminaries}
\label{sec:preliminaries}

\newcommand{\voter}{\text{voter}}
\newcommand{\ex}{\text{ex}}
\newcommand{\feat}{\text{feat}}
\newcommand{\KL}{\operatorname{KL}}
\newcommand{\kl}{\operatorname{kl}}
\newcommand{\mean}[1]{\underset{#1}{\operatorname{mean}}}
\newcommand{\dotover}[1]{\underset{#1}{\cdot}}

This section fixes notation and recalls the bounds that we build upon; the reader who knows \cite{langford2005, catoni2007} may skip it.

\paragraph{Setting.}
We are given $n$ labelled examples. Labels are binary, $y \in \{-1, 1\}^{\ex:n}$. In the first part the hypotheses are $m$ fixed \emph{voters}; it is all the same to us where they come from, and we collect what they say in a table $H \in \{-1, 1\}^{\ex:n, \voter:m}$. The empirical risk of each voter is the share of the examples on which it errs,
\begin{equation}
  r = \mean{\ex} \, \frac{1 - y \odot H}{2} .
\end{equation}
A prior $\pi \in [0, 1]^{\voter:m}$ and a posterior $\rho \in [0, 1]^{\voter:m}$ are distributions over the voters:
\begin{equation}
  \sum_{\voter} \pi = 1, \qquad \sum_{\voter} \rho = 1 .
\end{equation}

\paragraph{Three risks.}
The \emph{Gibbs risk} is the risk of a voter drawn from $\rho$, the \emph{disagreement} is the probability that two of them disagree, and the \emph{vote} follows the majority:
\begin{align}
  R(\rho) &= \rho \dotover{\voter} r, \\
  d(\rho) &= \frac{1}{2} \left( 1 - \mean{\ex} \left( H \dotover{\voter} \rho \right)^2 \right), \\
  V(\rho) &= \mean{\ex} \, \mathbb{1}\left[ y \odot \left( H \dotover{\voter} \rho \right) \leq 0 \right] .
\end{align}
It is well known that $V(\rho) \leq 2 R(\rho)$. If $R(\rho) < \frac{1}{2}$ a finer statement holds, the C-bound of Lacasse et al.:
\begin{equation}
  V(\rho) \leq C(\rho) = 1 - \frac{(1 - 2 R(\rho))^2}{1 - 2 d(\rho)} .
\end{equation}

\paragraph{Divergences.}
We write
\begin{equation}
  \KL(\rho \,\|\, \pi) = \sum_{\voter} \rho \odot \log \frac{\rho}{\pi}, \qquad
  \kl(q \,\|\, p) = q \log \frac{q}{p} + (1 - q) \log \frac{1 - q}{1 - p}
\end{equation}
for the divergence between distributions over voters, and for that between two Bernoulli variables with means $q, p \in (0, 1)$.

\paragraph{Bounds.}
Let $\delta \in (0, 1)$. With probability at least $1 - \delta$ over the sample, and for all $\rho$ at once, the true Gibbs risk is at most each of
\begin{align}
  B_{\text{McA}}(\rho) &= R(\rho) + \sqrt{ \frac{\KL(\rho \,\|\, \pi) + \log \frac{2 \sqrt{n}}{\delta}}{2 n} } , \\
  B_{\text{Cat}}(\rho) &= \frac{1}{1 - e^{-c}} \left( 1 - \exp\left( - c R(\rho) - \frac{\KL(\rho \,\|\, \pi) + \log \frac{1}{\delta}}{n} \right) \right) ,
\end{align}
the second for any fixed number $c > 0$. Minimising Catoni's bound over $\rho$ has a closed form, the \emph{Gibbs posterior} at inverse temperature $\lambda = c n$,
\begin{equation}
  \rho^\star = \frac{ \pi \odot \exp(- \lambda r) }{ \sum_{\voter} \pi \odot \exp(- \lambda r) } .
\end{equation}
The tightest of all is Seeger's, which bounds $\kl(q \,\|\, p)$, with $q$ the empirical risk and $p$ the true one. It has to be inverted numerically. We use Newton's method: from $p_0 = q + \sqrt{b / 2}$, where $b > 0$ is the right-hand side of the bound,
\begin{equation}
  p_{k+1} = p_k - \frac{ \left( \kl(q \,\|\, p_k) - b \right) p_k (1 - p_k) }{ p_k - q } , \qquad k = 0, 1, \ldots, K - 1 .
\end{equation}
As $\kl(q \,\|\, \cdot)$ is convex, the iterates decrease to the solution, and four of them are plenty (Table~1).

\paragraph{Linear classifiers.}
In the second part hypotheses are weight vectors, and examples have features $\Phi \in \mathbb{R}^{\ex:n, \feat:D}$. The posterior is a Gaussian with means $w \in \mathbb{R}^{\feat:D}$ and standard deviations $s \in \mathbb{R}_{>0}^{\feat:D}$, the prior a standard Gaussian. Then the Gibbs risk and the divergence are known in closed form,
\begin{align}
  R_{\text{lin}}(w, s) &= \mean{\ex} \, F\left( \frac{ y \odot \left( \Phi \dotover{\feat} w \right) }{ \sqrt{ \Phi^2 \dotover{\feat} s^2 } } \right) , &
  F(t) &= \frac{1}{2} \left( 1 - \operatorname{erf} \frac{t}{\sqrt{2}} \right) , \\
  D_{\text{lin}}(w, s) &= \frac{1}{2} \sum_{\feat} \left( s^2 + w^2 - 1 - 2 \log s \right) .
\end{align}

\begin{table}[h]
\begin{tabular}{lrr}
  \toprule
  inversion & $q = 0.10$ & $q = 0.25$ \\
  \midrule
  $\sqrt{b/2}$ (Pinsker) & $0.258$ & $0.408$ \\
  Newton, four steps & $0.220$ & $0.400$ \\
  \bottomrule
\end{tabular}
\caption{Bounds for $b = 0.05$.}
\end{table}
""",
        [
            Fault(
                r"r = \mean{\ex} \, \frac{1 - y \odot H}{2}",
                r"r = \mean{\voter} \, \frac{1 - y \odot H}{2}",
                r"R(\rho) &= \rho \dotover{\voter} r",
            ),
            Fault(
                r"\pi \in [0, 1]^{\voter:m}$ and",
                r"\pi \in [0, 1]^{\ex:n}$ and",
                r"\sum_{\voter} \pi = 1, \qquad",
            ),
            Fault(
                r"\sqrt{ \Phi^2 \dotover{\feat} s^2 }",
                r"\sqrt{ \Phi^2 \dotover{\voter} s^2 }",
            ),
        ],
        [
            Entry("r", risks, "voter", {"y": "ex[6]", "H": "ex[6] voter[4]"}),
            Entry(
                "R",
                lambda rho, y, H: rho @ risks(y, H),
                "",
                {"rho": "voter[4] ~ probability voter", "y": "ex[6]", "H": "ex[6] voter[4]"},
            ),
            Entry(
                "V",
                lambda rho, y, H: (y * (H @ rho) <= 0).mean(),
                "",
                {"rho": "voter[4] ~ probability voter", "y": "ex[6]", "H": "ex[6] voter[4]"},
            ),
            Entry(
                "C",
                c_bound,
                "",
                {"rho": "voter[4] ~ probability voter", "y": "ex[6]", "H": "ex[6] voter[4]"},
            ),
            Entry(
                r"B_{\text{McA}}",
                lambda rho, prior, y, H, delta: (
                    rho @ risks(y, H)
                    + np.sqrt(
                        (divergence(rho, prior) + np.log(2 * np.sqrt(len(y)) / delta))
                        / (2 * len(y))
                    )
                ),
                "",
                {**VOTERS, "delta": 0.05},
            ),
            Entry(
                r"B_{\text{Cat}}",
                lambda rho, prior, y, H, delta, c: (
                    (
                        1
                        - np.exp(
                            -c * (rho @ risks(y, H))
                            - (divergence(rho, prior) + np.log(1 / delta)) / len(y)
                        )
                    )
                    / (1 - np.exp(-c))
                ),
                "",
                {**VOTERS, "delta": 0.05, "c": 0.7},
            ),
            Entry(
                r"\rho^\star",
                lambda y, H, prior, c: tempered(y, H, prior, c * len(y)),
                "voter",
                {
                    "y": "ex[6]",
                    "H": "ex[6] voter[4]",
                    "pi": "voter[4] ~ probability voter",
                    "c": 0.4,
                },
            ),
            Entry(
                "p_K", lambda q, b: inverted(q, b, 4), "", {"q": 0.1, "b": 0.05}, chosen={"K": 4}
            ),
            Entry(
                r"R_{\text{lin}}",
                gaussian_risk,
                "",
                {"w": "feat[3]", "s": "feat[3] ~ positive", "Phi": "ex[6] feat[3]", "y": "ex[6]"},
            ),
            Entry(
                r"D_{\text{lin}}",
                gaussian_divergence,
                "",
                {"w": "feat[3]", "s": "feat[3] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "landmarks.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,enumitem}
\usepackage{namedtensor}
\ndef{\pt}{pt}
\ndef{\lm}{landmark}
\ndef{\dm}{dim}
\ndef{\fr}{freq}
\newcommand{\bbR}{\mathbb{R}}
\newcommand{\solution}{\par\smallskip\noindent\textbf{Solution.} }
\newcounter{ex}
\newcommand{\exercise}[1]{\refstepcounter{ex}\section*{Exercise \theex. #1}}
\begin{document}

\begin{center}
\Large Kernel Methods --- Problem Set 4 (with solutions)\\[1ex]
\normalsize Due: Thursday before the lecture. Points are given in brackets.
\end{center}

In all exercises, $X \in \bbR^{\pt[n] \times \dm[d]}$ are the inputs, $y \in \bbR^{\pt[n]}$ are the responses, $\lambda > 0$ is the ridge and $h > 0$ the bandwidth of the Gaussian kernel
\[
  k(x, z) = \exp\left( - \frac{\nsum{\dm} (x - z)^2}{2 h^2} \right) .
\]
The kernel matrix is $K \in \bbR^{\pt[n] \times \pt'[n]}$,
\[
  K = k\left( X, X_{\pt \rightarrow \pt'} \right) .
\]

\exercise{Exact ridge regression [4]}
\begin{enumerate}[label=(\alph*)]
\item Derive the dual coefficients of kernel ridge regression.
\item Predict at a new point $x \in \bbR^{\dm[d]}$.
\end{enumerate}

\solution
(a) Setting the gradient of $\frac{1}{n} \| y - K \alpha \|^2 + \lambda \, \alpha^\top K \alpha$ to zero gives
\[
  \alpha = \left( K + n \lambda I_{\pt, \pt'} \right)^{-1} \ndot{\pt'} y_{\pt \rightarrow \pt'} .
\]
(b) By the representer theorem,
\[
  f(x) = \sum_{i=1}^{n} \alpha_{\pt(i)} \, k\left( x, X_{\pt(i)} \right) .
\]

\exercise{Leaving one out [6]}
Show that the leave-one-out error needs no refitting, and compute the effective dimension.

\solution
The fitted values are linear in the responses, $\hat{y} = A \ndot{\pt'} y_{\pt \rightarrow \pt'}$, with the smoother matrix
\[
  A = K_{\pt' \rightarrow \pt''} \ndot{\pt''} \left( K + n \lambda I_{\pt, \pt'} \right)^{-1}_{\pt \rightarrow \pt''} .
\]
Its diagonal holds the \emph{leverage scores} $\ell_{\pt(i)} = A_{\pt(i), \pt'(i)}$, and by the Sherman--Morrison formula
\[
  \mathrm{LOO} = \frac{1}{n} \nsum{\pt} \left( \frac{y - \hat{y}}{1 - \ell} \right)^2, \qquad
  d_{\mathrm{eff}} = \nsum{\pt} \ell .
\]

\exercise{Nystr\"om [8]}
Choose $m \ll n$ landmarks $Z \in \bbR^{\lm[m] \times \dm[d]}$ and restrict the predictor to the span of their kernel functions, $g(x) = k(x, Z) \ndot{\lm} \beta$.
\begin{enumerate}[label=(\alph*)]
\item Find $\beta$.
\item Which matrix replaces $K$, and how far from $K$ is it in the trace norm?
\end{enumerate}

\solution
Let
\begin{align*}
  C &= k(X, Z) , \\
  B &= k\left( Z, Z_{\lm \rightarrow \lm'} \right)
\end{align*}
be the kernel between points and landmarks, and among landmarks. (a) We minimise $\frac{1}{n} \| y - C \beta \|^2 + \lambda \, \beta^\top B \beta$. The normal equations are of size $m$,
\[
  \beta = \left( C \ndot{\pt} C_{\lm \rightarrow \lm'} + n \lambda B \right)^{-1} \ndot{\lm'} \left( C \ndot{\pt} y \right)_{\lm \rightarrow \lm'} .
\]
(b) Substituting back, the predictor is that of Exercise~1 for the matrix of rank $m$
\[
  \tilde{K} = C \ndot{\lm} B^{-1} \ndot{\lm'} C_{\pt \rightarrow \pt', \lm \rightarrow \lm'} .
\]
Since $K - \tilde{K}$ is a Schur complement, hence positive semidefinite, its trace norm is its trace,
\[
  \tau = \sum_{i=1}^{n} \left( K_{\pt(i), \pt'(i)} - \tilde{K}_{\pt(i), \pt'(i)} \right) .
\]
Note that $\tau = 0$ if the landmarks are the points themselves.

\exercise{Random features [4]}
Rahimi and Recht draw frequencies $\Omega \in \bbR^{\dm[d] \times \fr[D]}$ from $\mathcal{N}(0, h^{-2})$ and phases $b \in [0, 2\pi]^{\fr[D]}$ uniformly, and use
\[
  \varphi(x) = \sqrt{\frac{2}{D}} \cos\left( \Omega \ndot{\dm} x + b \right) .
\]
Give the largest error that this makes on the kernel matrix.

\solution
\[
  \varepsilon_{\max} = \nfun{\pt, \pt'}{max} \left| \varphi(X) \ndot{\fr} \varphi\left( X_{\pt \rightarrow \pt'} \right) - K \right| .
\]
Hoeffding's inequality and a union bound give $\varepsilon_{\max} = O(\sqrt{\log n / D})$ with high probability.

\exercise{Early stopping [3]}
Without a ridge one may stop early instead. From $a_0 = 0$, the functional gradient method iterates
\[
  a_{t+1} = a_t + \frac{1}{n} \left( y - \left( K \ndot{\pt} a_t \right)_{\pt' \rightarrow \pt} \right), \qquad t = 0, \ldots, T - 1 .
\]
Why does it converge? (\emph{Hint:} the eigenvalues of $K / n$ are at most one, since $k(x, x) = 1$.)
\end{document}
""",
        [
            Fault(
                r"\ndot{\pt''} \left( K + n \lambda I_{\pt, \pt'} \right)^{-1}_{\pt \rightarrow \pt''}",
                r"\ndot{\pt''} \left( K + n \lambda I_{\pt, \pt'} \right)^{-1}_{\pt' \rightarrow \pt''}",
                r"Its diagonal holds the \emph{leverage scores}",
            ),
            Fault(
                r"\left( C \ndot{\pt} C_{\lm \rightarrow \lm'} + n \lambda B \right)^{-1}",
                r"\left( C \ndot{\lm} C_{\pt \rightarrow \pt'} + n \lambda B \right)^{-1}",
            ),
            Fault(
                r"\Omega \in \bbR^{\dm[d] \times \fr[D]}",
                r"\Omega \in \bbR^{\lm[m] \times \fr[D]}",
                r"\varphi(x) = \sqrt{\frac{2}{D}}",
            ),
        ],
        [
            Entry(
                "alpha",
                ridge,
                "pt",
                {"X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.9, "lambda_": 0.1},
            ),
            Entry(
                "f",
                lambda x, X, y, h, lam: bell(x[None], X, h)[0] @ ridge(X, y, h, lam),
                "",
                {"x": "dim[2]", "X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.9, "lambda_": 0.1},
            ),
            Entry(
                "A",
                smoother,
                "pt pt'",
                {"X": "pt[5] dim[2]", "h": 0.9, "lambda_": 0.1},
            ),
            Entry(
                r"\mathrm{LOO}",
                left_out,
                "",
                {"X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.9, "lambda_": 0.1},
            ),
            Entry(
                r"d_{\mathrm{eff}}",
                lambda *given: np.trace(smoother(*given)),
                "",
                {"X": "pt[5] dim[2]", "h": 0.9, "lambda_": 0.1},
            ),
            Entry(
                r"\beta",
                landmark_weights,
                "landmark",
                {
                    "X": "pt[5] dim[2]",
                    "Z": "landmark[3] dim[2]",
                    "y": "pt[5]",
                    "h": 0.9,
                    "lambda_": 0.1,
                },
            ),
            Entry(
                r"\tau",
                trace_error,
                "",
                {"X": "pt[5] dim[2]", "Z": "landmark[3] dim[2]", "h": 0.9},
            ),
            Entry(
                r"\varepsilon_{\max}",
                lambda X, O, b, h: np.abs(
                    random_features(X, O, b) @ random_features(X, O, b).T - bell(X, X, h)
                ).max(),
                "",
                {"X": "pt[5] dim[2]", "Omega": "dim[2] freq[6]", "b": "freq[6]", "h": 0.9},
            ),
            Entry(
                "a_T",
                lambda X, y, h: descended(X, y, h, 3),
                "pt",
                {"X": "pt[5] dim[2]", "y": "pt[5]", "h": 0.9},
                chosen={"T": 3},
            ),
        ],
    ),
    Unseen(
        "barycentre.tex",
        r"""\documentclass[11pt]{amsart}
\usepackage{amsmath,amssymb,hyperref}

% axes are set in sans serif
\newcommand{\ax}[1]{\mathsf{#1}}
\newcommand{\bin}{\ax{bin}}
\newcommand{\hist}{\ax{hist}}
\newcommand{\xy}{\ax{xy}}
% contraction, reduction, renaming
\newcommand{\con}[1]{\mathbin{\underset{#1}{\cdot}}}
\newcommand{\red}[2]{\underset{#1}{\operatorname{#2}}\,}
\newcommand{\ren}[3]{\left[ #1 \right]_{#2 \to #3}}
\newcommand{\RR}{\mathbb{R}}
\newcommand{\eps}{\gamma}
\newcommand{\One}{\mathbf{1}}

\title{A remark on the weights of entropic barycentres}
\author{A. N. Author}
\date{May 2023}

\begin{document}
\begin{abstract}
We write the iterative Bregman projections of Benamou et al.\ (2015) with named axes, and observe that the weights can be fitted by unrolling them.
\end{abstract}
\maketitle

\section{Setting}

Let $z \in \RR^{\bin:N, \xy:2}$ be the positions of the bins of a grid, and let $P \in \RR_{>0}^{\hist:S, \bin:N}$ be $S$ histograms on it,
\begin{equation}
  \sum_{\bin} P = 1 .
\end{equation}
Moving mass from one bin to another costs the squared distance,
\begin{equation}
  C = \sum_{\xy} \left( z - \ren{z}{\bin}{\bin'} \right)^2 ,
\end{equation}
and with the regularisation $\eps > 0$ the Gibbs kernel is
\begin{equation}\label{eq:gibbs}
  K = \exp\left( - C / \eps \right) .
\end{equation}
Given weights $w \in [0, 1]^{\hist:S}$ with $\sum_{\hist} w = 1$, the \emph{entropic barycentre} of the histograms is the $q$ that minimises $\sum_{\hist} w \odot \operatorname{OT}_\eps(P, q)$.

\section{Bregman projections}

The optimal plans have the form $\Gamma = u \odot K \odot v$, in which $u \in \RR_{>0}^{\hist:S, \bin:N}$ and $v \in \RR_{>0}^{\hist:S, \bin':N}$ are positive scalings. Projecting in turn on the two families of marginal constraints yields the following scheme. Let $v^0 = \One_{\hist, \bin'}$ and iterate, for $l = 1, \dots, L$,
\begin{align}
  u^l &= \frac{P}{K \con{\bin'} v^{l-1}} , \label{eq:u} \\
  q^l &= \exp\left( w \con{\hist} \log\left( K \con{\bin} u^l \right) \right) , \label{eq:q} \\
  v^l &= \frac{q^l}{K \con{\bin} u^l} . \label{eq:v}
\end{align}
In \eqref{eq:q} the barycentre is the geometric mean of the second marginals, with the weights $w$. It lives on the axis $\bin'$, as it is a \emph{target} of all plans.

After the last round we read off the plans and the barycentre,
\begin{equation}
  \Gamma = u^L \odot K \odot v^L, \qquad \bar{q} = \ren{q^L}{\bin'}{\bin} .
\end{equation}
By construction, all plans have the same second marginal:
\begin{equation}
  \sum_{\bin} \Gamma_{\hist(s)} = q^L, \qquad s = 1, \dots, S .
\end{equation}
The value of the objective at $\Gamma$ is
\begin{equation}
  J = w \con{\hist} \sum_{\bin, \bin'} \left( C \odot \Gamma + \eps\, \Gamma \odot ( \log \Gamma - 1 ) \right) ,
\end{equation}
and each plan induces a map, the \emph{barycentric projection}, that sends a bin to the mean of where its mass goes,
\begin{equation}
  T = \frac{ \Gamma \con{\bin'} \ren{z}{\bin}{\bin'} }{ \sum_{\bin'} \Gamma } .
\end{equation}
Following $T$ for a time $s \in [0, 1]$ moves the mean of each histogram to
\begin{equation}
  \mu(s) = P \con{\bin} \left( (1 - s) z + s T \right) .
\end{equation}

\section{Fitting the weights}

Suppose that a target $t \in \RR^{\bin:N}$ is given, and that we look for weights whose barycentre resembles it \cite{bonneel2016}. We parametrise $w$ by logits $\theta \in \RR^{\hist:S}$ and measure
\begin{equation}
  w = \red{\hist}{softmax} \theta, \qquad \ell = \frac{1}{2} \sum_{\bin} \left( \bar{q} - t \right)^2 .
\end{equation}
As \eqref{eq:u}--\eqref{eq:v} are differentiable, so is $\ell$ in $\theta$.
The softmax contributes its usual Jacobian: with $g = \partial \ell / \partial w$ one has
\begin{equation}
  \frac{\partial \ell}{\partial \theta} = w \odot \left( g - w \con{\hist} g \right) .
\end{equation}
The gradient $g \in \RR^{\hist:S}$ comes from reverse mode differentiation.

\subsection*{Acknowledgements} Thanks to the reading group.
\end{document}
""",
        [
            Fault(
                r"q^l &= \exp\left( w \con{\hist} \log",
                r"q^l &= \exp\left( w \con{\bin} \log",
            ),
            Fault(
                r"u^l &= \frac{P}{K \con{\bin'} v^{l-1}}",
                r"u^l &= \frac{P}{K \con{\bin} v^{l-1}}",
            ),
            Fault(
                r"\Gamma \con{\bin'} \ren{z}{\bin}{\bin'} }{ \sum_{\bin'} \Gamma }",
                r"\Gamma \con{\bin'} z }{ \sum_{\bin'} \Gamma }",
            ),
        ],
        [
            Entry("C", cost, "bin bin'", {"z": "bin[4] xy[2]"}),
            Entry(
                "K",
                lambda z, eps: np.exp(-cost(z) / eps),
                "bin bin'",
                {"z": "bin[4] xy[2]", "gamma": 1.5},
            ),
            Entry(
                r"\bar{q}",
                lambda P, z, w, eps: scalings(P, z, w, eps, 3)[2],
                "bin",
                PLANS,
                chosen={"L": 3},
            ),
            Entry(
                r"\Gamma",
                lambda P, z, w, eps: plans(P, z, w, eps, 2),
                "hist bin bin'",
                PLANS,
                chosen={"L": 2},
            ),
            Entry(
                "J",
                lambda P, z, w, eps: objective(P, z, w, eps, 2),
                "",
                PLANS,
                chosen={"L": 2},
            ),
            Entry(
                "T",
                lambda P, z, w, eps: projected(P, z, w, eps, 2),
                "hist bin xy",
                PLANS,
                chosen={"L": 2},
            ),
            Entry(
                r"\mu",
                lambda s, P, z, w, eps: np.einsum(
                    "si,sid->sd", P, (1 - s) * z + s * projected(P, z, w, eps, 2)
                ),
                "hist xy",
                {"s": 0.4, **PLANS},
                chosen={"L": 2},
            ),
            Entry(
                r"\ell",
                lambda t, P, z, theta, eps: (
                    ((scalings(P, z, weights(theta), eps, 2)[2] - t) ** 2).sum() / 2
                ),
                "",
                {
                    "t": "bin[4]",
                    "P": "hist[3] bin[4] ~ probability bin",
                    "z": "bin[4] xy[2]",
                    "theta": "hist[3]",
                    "gamma": 1.5,
                },
                chosen={"L": 2},
            ),
            Entry(
                r"\frac{\partial \ell}{\partial \theta}",
                lambda theta, g: weights(theta) * (g - weights(theta) @ g),
                "hist",
                {"theta": "hist[3]", "g": "hist[3]"},
            ),
        ],
    ),
    Unseen(
        "denoising.tex",
        r"""\chapter{Score matching}
\label{ch:scores}

\newcommand{\real}{\mathbb{R}}
\newcommand{\dt}{\text{data}}
\newcommand{\dm}{\text{dim}}
\newcommand{\hd}{\text{hid}}
\newcommand{\lv}{\text{level}}
\newcommand{\by}[1]{\underset{#1}{\cdot}}
\newcommand{\given}{\,|\,}

In this chapter we learn the \emph{score} $\nabla \log p$ of a distribution from samples. Section~\ref{sec:oracle} derives the score that a network would learn if it were perfect, Section~\ref{sec:objectives} compares the objectives, and Section~\ref{sec:sampling} turns a score into samples. The data are $N$ points $X \in \real^{\dt:N, \dm:d}$.

\section{Noise and its oracle}
\label{sec:oracle}

We perturb the data with Gaussian noise of $L$ levels, from strong to weak, which follow a geometric progression (Song and Ermon, 2019):
\begin{equation}
  \sigma_{\lv(l)} = \sigma_{\max} \left( \frac{\sigma_{\min}}{\sigma_{\max}} \right)^{\frac{l - 1}{L - 1}}, \qquad l = 1, \dots, L.
\end{equation}
Here $\sigma_{\max} > \sigma_{\min} > 0$ are two numbers that depend on the scale of the data. In what follows we fix one of these levels and write $s > 0$ for its standard deviation. The perturbed empirical distribution is the mixture of Gaussians with log-density
\begin{equation}
  \log p_s(x) = \log\left( \frac{1}{N} \sum_{\dt} \exp\left( - \frac{\sum_{\dm} (x - X)^2}{2 s^2} \right) \right) - \frac{d}{2} \log(2 \pi s^2)
\end{equation}
at $x \in \real^{\dm:d}$. The probability that $x$ has come from each of the points is
\begin{equation}
  \omega(x) = \underset{\dt}{\mathrm{softmax}} \left( - \frac{\sum_{\dm} (x - X)^2}{2 s^2} \right) ,
\end{equation}
and Tweedie's formula relates the posterior mean to the score,
\begin{equation}
  m(x) = \omega(x) \by{\dt} X, \qquad r(x) = \frac{m(x) - x}{s^2} .
\end{equation}
We call $r = \nabla \log p_s$ the \emph{oracle}. A network that attains it has memorised the data; see Figure~\ref{fig:memory}.

\begin{figure}
  \includegraphics{memory.pdf}
  \caption{Left: the oracle score at a small $s$ points to the nearest datum. Right: what a network learns.}
  \label{fig:memory}
\end{figure}

\section{A small network}

All experiments of this chapter use one hidden layer, $U \in \real^{\dm:d, \hd:h}$, $V \in \real^{\hd:h, \dm:d}$, $b \in \real^{\hd:h}$ and $c \in \real^{\dm:d}$, whose hidden units also see the logarithm of the noise level through $a \in \real^{\hd:h}$. We abbreviate the parameters by $\theta = (U, V, a, b, c)$. The hidden units and the score are
\begin{align}
  \eta(x) &= \tanh\left( U \by{\dm} x + a \log s + b \right), \\
  f_\theta(x) &= \frac{1}{s} \left( V \by{\hd} \eta(x) + c \right) .
\end{align}
The divergence of a field is the trace of its Jacobian. For this network no automatic differentiation is necessary,
\begin{equation}
  \label{eq:div}
  \operatorname{div} f_\theta(x) = \frac{1}{s} \sum_{\hd} \left( 1 - \eta(x)^2 \right) \odot \left( U \by{\dm} V \right) .
\end{equation}

\section{Objectives}
\label{sec:objectives}

\paragraph{Implicit score matching.} Hyv\"arinen (2005) integrates by parts and arrives at an objective that does not mention the unknown score,
\begin{equation}
  J_{\text{ISM}} = \frac{1}{N} \sum_{\dt} \left( \frac{1}{2} \sum_{\dm} f_\theta(X)^2 + \operatorname{div} f_\theta(X) \right) .
\end{equation}

\paragraph{Denoising score matching.} Vincent (2011) regresses on the score of the noise. If $E \in \real^{\dt:N, \dm:d}$ is standard normal noise and $\tilde{X} = X + s E$ are the perturbed data, then
\begin{equation}
  J_{\text{DSM}} = \frac{s^2}{2 N} \sum_{\dt, \dm} \left( f_\theta(\tilde{X}) + \frac{\tilde{X} - X}{s^2} \right)^2 .
\end{equation}
The factor $s^2$ makes the levels comparable.

\paragraph{A Gaussian model.} It is instructive to see what \text{ISM} does to a model with mean $\mu \in \real^{\dm:d}$ and precision $\Lambda \in \real^{\dm:d, \dm':d}$. The score is linear, $g(x) = - [\Lambda \by{\dm} (x - \mu)]_{\dm' \to \dm}$, and its divergence is constant, so that the objective
\begin{equation}
  J_{\text{Gauss}} = \frac{1}{2 N} \sum_{\dt, \dm} g(X)^2 - \sum_{i=1}^{d} \Lambda_{\dm(i), \dm'(i)}
\end{equation}
is minimised by the sample mean and the inverse of the sample covariance, as for maximum likelihood.

\section{Sampling}
\label{sec:sampling}

At a fixed level, Langevin dynamics with step size $\alpha > 0$ starts at $x_0 \in \real^{\dm:d}$, takes a standard normal $Z \in \real^{\text{step}:T, \dm:d}$, and moves
\begin{equation}
  x_t = x_{t-1} + \frac{\alpha}{2} f_\theta(x_{t-1}) + \sqrt{\alpha} \, Z_{\text{step}(t)} , \qquad t = 1, \dots, T .
\end{equation}
A last step of Tweedie's formula removes the noise that is left:
\begin{equation}
  \hat{x} = x_T + s^2 f_\theta(x_T) .
\end{equation}
It changes nothing to the eye, but it lowers the FID by a good margin (Jolicoeur-Martineau et al., 2021).
""",
        [
            Fault(
                r"m(x) = \omega(x) \by{\dt} X, \qquad",
                r"m(x) = \omega(x) \by{\dm} X, \qquad",
            ),
            Fault(
                r"\left( V \by{\hd} \eta(x) + c \right)",
                r"\left( V \by{\dm} \eta(x) + c \right)",
            ),
            Fault(
                r"- [\Lambda \by{\dm} (x - \mu)]_{\dm' \to \dm}$",
                r"- \Lambda \by{\dm} (x - \mu)$",
                r"J_{\text{Gauss}} = \frac{1}{2 N} \sum_{\dt, \dm} g(X)^2",
            ),
        ],
        [
            Entry(
                r"\sigma",
                lambda top, bottom: levels(top, bottom, 5),
                "level",
                {"sigma_max": 10.0, "sigma_min": 0.1},
                chosen={"L": 5},
            ),
            Entry(
                r"\log p_s(x)",
                smoothed_density,
                "",
                {"x": "dim[2]", "X": "data[5] dim[2]", "s": 0.8},
            ),
            Entry(
                "r",
                smoothed_score,
                "dim",
                {"x": "dim[2]", "X": "data[5] dim[2]", "s": 0.8},
            ),
            Entry(
                r"f_\theta",
                score,
                "dim",
                {"x": "dim[2]", "s": 0.8, **NETWORK},
            ),
            Entry(
                r"J_{\text{ISM}}",
                implicit,
                "",
                {"X": "data[5] dim[2]", "s": 0.8, **NETWORK},
            ),
            Entry(
                r"J_{\text{DSM}}",
                denoising,
                "",
                {"X": "data[5] dim[2]", "E": "data[5] dim[2]", "s": 0.8, **NETWORK},
            ),
            Entry(
                r"J_{\text{Gauss}}",
                gaussian_fit,
                "",
                {"X": "data[5] dim[2]", "mu": "dim[2]", "Lambda": "dim[2] dim'[2]"},
            ),
            Entry(
                "x_t",
                lambda x, Z, alpha, s, *theta: walk(x, Z, alpha, s, *theta),
                "step dim",
                {"x_0": "dim[2]", "Z": "step[4] dim[2]", "alpha": 0.1, "s": 0.8, **NETWORK},
            ),
            Entry(
                r"\hat{x}",
                denoised,
                "dim",
                {"x_0": "dim[2]", "Z": "step[4] dim[2]", "alpha": 0.1, "s": 0.8, **NETWORK},
            ),
        ],
    ),
]
