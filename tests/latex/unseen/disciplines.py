"""Ten documents in the style of other fields: psychometrics, physics, acoustics, geodesy, economics, biology, imaging."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def total_effects(B):
    return np.linalg.inv(np.eye(len(B)) - B)


def implied(L, B, Psi, Theta):
    """The covariance that a structural equation model implies."""
    A = L @ total_effects(B)
    return A @ Psi @ A.T + Theta


def discrepancy(S, Sigma):
    logdet = np.log(np.linalg.det(Sigma)) - np.log(np.linalg.det(S))
    return logdet + np.trace(S @ np.linalg.inv(Sigma)) - len(S)


def standardised_residual(S, Sigma):
    p = len(S)
    scaled = (S - Sigma) / np.sqrt(np.outer(np.diag(S), np.diag(S)))
    i, j = np.tril_indices(p)
    return np.sqrt(2 / (p * (p + 1)) * (scaled[i, j] ** 2).sum())


def amplitude(s, A, left, right):
    """The amplitude of a string of spins in a chain of equal cores."""
    h = left
    for spin in s:
        h = h @ A[:, spin]
    return h @ right


def chain_norm(A, left, right, N):
    E = np.outer(left, left)
    for _ in range(N):
        E = np.einsum("ab,apc,bpd->cd", E, A, A)
    return right @ E @ right


def delayed_sum(x, d):
    M, T = x.shape
    y = np.zeros(T)
    for m in range(M):
        for t in range(T):
            if t - d[m] >= 0:
                y[t] += x[m, t - d[m]] / M
    return y


def distortionless(R, d):
    w = np.linalg.solve(R, d)
    return w / (d @ w)


def coherence(q, f, c):
    gap = np.linalg.norm(q[:, None] - q, axis=2)
    return np.sinc(2 * f * gap / c)


def heads(x, W, b):
    return np.einsum("nd,dk...->nk...", x, W) + b


def densities(t, mu, sigma):
    """Gaussian densities of targets, by example and component, all directions of one width."""
    L = t.shape[1]
    far = ((t[:, None] - mu) ** 2).sum(2)
    return (2 * np.pi * sigma**2) ** (-L / 2) * np.exp(-far / (2 * sigma**2))


def mixture_loss(x, t, A, a, M, m, S, s):
    pi = softmax(heads(x, A, a), 1)
    p = (pi * densities(t, heads(x, M, m), np.exp(heads(x, S, s)))).sum(1)
    return -np.log(p).sum()


def rodrigues(r):
    theta = np.sqrt((r**2).sum(1))
    k = r / theta[:, None]
    cross = np.zeros((len(r), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -k[:, 2], k[:, 1], -k[:, 0]
    cross -= cross.swapaxes(1, 2)
    c, s = np.cos(theta)[:, None, None], np.sin(theta)[:, None, None]
    return c * np.eye(3) + s * cross + (1 - c) * k[:, :, None] * k[:, None]


def projected(X, r, t, f, k1, k2):
    """Pixels of points in cameras, from rotation vectors, with radial distortion."""
    P = np.einsum("cij,pj->cpi", rodrigues(r), X) + t[:, None]
    u = P[:, :, :2] / P[:, :, 2:]
    r2 = (u**2).sum(2, keepdims=True)
    return f[:, None, None] * (1 + k1 * r2 + k2 * r2**2) * u


def reduced_system(B, E, C, v, w):
    Ci = np.linalg.inv(C)
    return np.linalg.solve(B - E @ Ci @ E.T, v - E @ Ci @ w)


def nested(V, B, lam):
    """Probabilities of alternatives in nests, from utilities and membership."""
    e = np.exp(np.einsum("nj,jk,k->nj", V, B, 1 / lam))
    within = e @ B
    upper = within**lam / (within**lam).sum(1, keepdims=True)
    return np.einsum("nj,jk,nk->nj", e, B, upper / within)


def pairs(x, L):
    d = x[:, None] - x
    return d - L * np.rint(d / L)


def lennard_jones(x, L, rc):
    r = np.sqrt((pairs(x, L) ** 2).sum(2))
    i, j = np.triu_indices(len(x), 1)
    r = r[i, j]
    u = 4 * (r**-12 - r**-6)
    return u[r < rc].sum()


def harmonic(x0, v0, k, h, m, T):
    """Positions by velocity Verlet, of masses on springs."""
    x, v, found = x0, v0, [x0]
    for _ in range(T - 1):
        a = -k * x / m
        x = x + h * v + h**2 / 2 * a
        v = v + h / 2 * (a - k * x / m)
        found.append(x)
    return np.stack(found)


def squared_displacement(q):
    T, N = q.shape[:2]
    return np.array([((q[lag:] - q[:-lag]) ** 2).sum() / (N * (T - lag)) for lag in range(1, T)])


def substitution(kappa, pi):
    """The rate matrix of Hasegawa, Kishino and Yano; bases in the order A, G, C, T."""
    Q = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            if i != j:
                Q[i, j] = (kappa if i // 2 == j // 2 else 1) * pi[j]
    return Q - np.diag(Q.sum(1))


def jukes(t):
    e = np.exp(-4 * t / 3)
    return np.where(np.eye(4, dtype=bool), 0.25 + 0.75 * e, 0.25 - 0.25 * e)


def pruned(l1, l2, l3, pi, t):
    """The log-likelihood of three sequences on a tree ((1, 2), 3)."""
    inner = (l1 @ jukes(t[0]).T) * (l2 @ jukes(t[1]).T)
    root = (inner @ jukes(t[3]).T) * (l3 @ jukes(t[2]).T)
    return np.log(root @ pi).sum()


def relationship(M):
    p = M.mean(0) / 2
    Z = M - 2 * p
    return Z @ Z.T / (2 * (p * (1 - p)).sum())


def breeding_values(y, X, M, su, se):
    G = relationship(M)
    V = su**2 * G + se**2 * np.eye(len(y))
    Vi = np.linalg.inv(V)
    beta = np.linalg.solve(X.T @ Vi @ X, X.T @ Vi @ y)
    return su**2 * G @ Vi @ (y - X @ beta)


def linkage(H):
    """Squared correlations of loci, from haplotypes."""
    p = H.mean(0)
    D = H.T @ H / len(H) - np.outer(p, p)
    return D**2 / (np.outer(p, p) * np.outer(1 - p, 1 - p))


def simultaneous(A, b, K):
    """Images of a simultaneous iterative reconstruction, the zero image first."""
    R, C = 1 / A.sum(1), 1 / A.sum(0)
    x = np.zeros(A.shape[1])
    for _ in range(K):
        x = x + C * (A.T @ (R * (b - A @ x)))
    return x


def expectation(A, b, K):
    x = np.ones(A.shape[1])
    for _ in range(K):
        x = x / A.sum(0) * (A.T @ (b / (A @ x)))
    return x


def ramp(n):
    n = np.asarray(n)
    odd = -1 / (np.pi**2 * np.where(n == 0, 1, n) ** 2.0)
    return np.where(n == 0, 0.25, np.where(n % 2 == 0, 0.0, odd))


def filtered(p):
    n = np.arange(p.shape[1])
    return p @ ramp(n[:, None] - n)


def variation(x, e):
    down, right = x[1:, :-1] - x[:-1, :-1], x[:-1, 1:] - x[:-1, :-1]
    return np.sqrt(down**2 + right**2 + e**2).sum()


DOCUMENTS = [
    Unseen(
        "latent_paths.tex",
        r"""\documentclass[a4paper]{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\ind}{ind} \ndef{\lat}{lat}
\newcommand{\R}{\mathbb{R}}
\DeclareMathOperator{\tr}{tr}
\begin{document}
\section{Structural equation models}
\subsection{Measurement and structure}
A structural equation model has two parts. The \emph{measurement model} relates the $p$ indicators of a person to $m$ latent variables,
\begin{equation}
y = \nu + \Lambda \ndot{\lat} \eta + \varepsilon ,
\end{equation}
where $\nu \in \R^{\ind[p]}$ are intercepts, $\Lambda \in \R^{\ind[p] \times \lat[m]}$ are the loadings and $\varepsilon \in \R^{\ind[p]}$ is the unique part of
each indicator. The \emph{structural model} lets latent variables act on each other,
\begin{equation}
\eta = \alpha + B \ndot{\lat'} \eta_{\lat \to \lat'} + \zeta ,
\end{equation}
with path coefficients $B \in \R^{\lat[m] \times \lat'[m]}$, whose diagonal is zero, and $\alpha, \zeta \in \R^{\lat[m]}$. Provided that $I - B$ is not singular, we may solve for
the latent variables. With $A = (I_{\lat, \lat'} - B)^{-1}$ the reduced form is
\begin{equation}
\eta = A \ndot{\lat'} (\alpha + \zeta)_{\lat \to \lat'} .
\end{equation}

\subsection{The implied covariance}
Let $\Psi \in \R^{\lat[m] \times \lat'[m]}$ be the covariance matrix of $\zeta$, and $\Theta \in \R^{\ind[p] \times \ind'[p]}$ that of $\varepsilon$. The latent variables have the covariance
\[
\Phi_{\lat(i), \lat'(j)} = \sum_{k=1}^{m} \sum_{l=1}^{m} A_{\lat(i), \lat'(k)} \, \Psi_{\lat(k), \lat'(l)} \, A_{\lat(j), \lat'(l)} ,
\]
and the indicators
\begin{equation}
\Sigma = \Lambda \ndot{\lat} \Phi \ndot{\lat'} \Lambda_{\ind \to \ind', \lat \to \lat'} + \Theta . \label{eq:implied}
\end{equation}

\subsection{Estimation}
Denote by $S \in \R^{\ind[p] \times \ind'[p]}$ the covariance matrix of a sample of $N$ persons. Maximum likelihood minimises the discrepancy
\begin{equation}
F = \log |\Sigma| - \log |S| + \tr \left( S \ndot{\ind'} \Sigma^{-1}_{\ind' \to \ind'', \ind \to \ind'} \right) - p
\end{equation}
of \eqref{eq:implied} from $S$.

\subsection{Fit}
If $q$ parameters are free, the model has $\nu_d = p (p + 1) / 2 - q$ degrees of freedom. Widely reported are the root mean square error of approximation
\begin{equation}
\text{RMSEA} = \sqrt{ \frac{ \max( (N - 1) F - \nu_d, \, 0 ) }{ \nu_d (N - 1) } }
\end{equation}
and the standardised root mean square residual
\begin{equation}
\text{SRMR} = \sqrt{ \frac{2}{p (p+1)} \sum_{i=1}^{p} \sum_{j=1}^{i} \left( \frac{ S_{\ind(i), \ind'(j)} - \Sigma_{\ind(i), \ind'(j)} }{ \sqrt{ S_{\ind(i), \ind'(i)} S_{\ind(j), \ind'(j)} } } \right)^2 } .
\end{equation}
As a rule of thumb both should be below $.08$.
\end{document}
""",
        [
            Fault(r"\Lambda \ndot{\lat} \eta", r"\Lambda \ndot{\lat'} \eta"),
            Fault(r"\sum_{l=1}^{m} A_{\lat(i), \lat'(k)}", r"\sum_{l=1}^{p} A_{\lat(i), \lat'(k)}"),
            Fault(
                r"\Lambda_{\ind \to \ind', \lat \to \lat'} + \Theta",
                r"\Lambda_{\lat \to \lat'} + \Theta",
            ),
        ],
        [
            Entry(
                r"\eta",
                lambda B, a, z: total_effects(B) @ (a + z),
                "lat",
                {"B": "lat[3] lat'[3]", "alpha": "lat[3]", "zeta": "lat[3]"},
            ),
            Entry(
                r"\Sigma",
                implied,
                "ind ind'",
                {
                    "Lambda": "ind[4] lat[2]",
                    "B": "lat[2] lat'[2]",
                    "Psi": "lat[2] lat'[2] ~ definite",
                    "Theta": "ind[4] ind'[4] ~ definite",
                },
            ),
            Entry(
                "F",
                lambda S, L, B, Psi, Theta: discrepancy(S, implied(L, B, Psi, Theta)),
                "",
                {
                    "S": "ind[4] ind'[4] ~ definite",
                    "Lambda": "ind[4] lat[2]",
                    "B": "lat[2] lat'[2]",
                    "Psi": "lat[2] lat'[2] ~ definite",
                    "Theta": "ind[4] ind'[4] ~ definite",
                },
            ),
            Entry(
                r"\text{RMSEA}",
                lambda S, L, B, Psi, Theta, N, q: np.sqrt(
                    max((N - 1) * discrepancy(S, implied(L, B, Psi, Theta)) - (10 - q), 0)
                    / ((10 - q) * (N - 1))
                ),
                "",
                {
                    "S": "ind[4] ind'[4] ~ definite",
                    "Lambda": "ind[4] lat[2]",
                    "B": "lat[2] lat'[2]",
                    "Psi": "lat[2] lat'[2] ~ definite",
                    "Theta": "ind[4] ind'[4] ~ definite",
                    "N": 200.0,
                    "q": 8.0,
                },
            ),
            Entry(
                r"\text{SRMR}",
                lambda S, L, B, Psi, Theta: standardised_residual(S, implied(L, B, Psi, Theta)),
                "",
                {
                    "S": "ind[4] ind'[4] ~ definite",
                    "Lambda": "ind[4] lat[2]",
                    "B": "lat[2] lat'[2]",
                    "Psi": "lat[2] lat'[2] ~ definite",
                    "Theta": "ind[4] ind'[4] ~ definite",
                },
            ),
        ],
    ),
    Unseen(
        "matrix_products.tex",
        r"""\documentclass[aps,prl]{revtex4-2}
\usepackage{amsmath,amssymb}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\dotx}[1]{\underset{\text{#1}}{\cdot}}
\begin{document}
\title{Matrix product states: a short reminder}
\maketitle

\paragraph*{Three sites.}
A state of three sites with physical dimension $d$ is a tensor with $d^3$ numbers. In the form of a train it is
\begin{equation}
\Psi = U \dotx{a} V \dotx{b} W, \label{eq:train}
\end{equation}
with the cores $U \in \mathbb{R}^{\ax{one}:d, \ax{a}:D}$, $V \in \mathbb{R}^{\ax{a}:D, \ax{two}:d, \ax{b}:D}$ and $W \in \mathbb{R}^{\ax{b}:D, \ax{three}:d}$.
The overlap with a second train $\Phi \in \mathbb{R}^{\ax{one}:d, \ax{two}:d, \ax{three}:d}$ is $\Psi \dotx{one, two, three} \Phi$, and the fidelity
\begin{equation}
f = \frac{ \left( \sum_{\ax{one}, \ax{two}, \ax{three}} \Psi \odot \Phi \right)^2 }{ \sum_{\ax{one}, \ax{two}, \ax{three}} \Psi^2 \, \sum_{\ax{one}, \ax{two}, \ax{three}} \Phi^2 } .
\end{equation}

\paragraph*{Entanglement.}
Cut the train at $\ax{a}$ and let $\sigma \in \mathbb{R}^{\ax{a}:D}$ be the Schmidt coefficients in descending order, normalised such that $\sum_{\ax{a}} \sigma^2 = 1$. The entanglement entropy of the cut is
\begin{equation}
S = - \sum_{k=1}^{D} \sigma_k^2 \ln \sigma_k^2
\end{equation}
and keeping only $\chi = 2$ of them costs the truncation error
\begin{equation}
\epsilon_\chi = \sqrt{ \sum_{k > 2} \sigma_k^2 } .
\end{equation}

\paragraph*{Translation invariance.}
In a long chain we take the same core $A \in \mathbb{R}^{\ax{left}:D, \ax{phys}:d, \ax{right}:D}$ everywhere, with boundary vectors $l, r \in \mathbb{R}^{\ax{left}:D}$.
The amplitude of a configuration $s \in [d]^{\ax{site}:N}$ is found from left to right,
\begin{align}
h_0 &= l \\
h_i &= \left[ h_{i-1} \dotx{left} A_{\ax{phys}(s_i)} \right]_{\ax{right} \to \ax{left}}, \qquad i = 1, \dots, N \\
\psi &= h_N \dotx{left} r .
\end{align}
The norm needs no sum over $d^N$ configurations. Start with $E_0 = l \odot l_{\ax{left} \to \ax{left}'}$ and apply the transfer matrix $N$ times,
\begin{equation}
E_n = \left[ E_{n-1} \dotx{left} A \dotx{left', phys} A_{\ax{left} \to \ax{left}', \ax{right} \to \ax{right}'} \right]_{\ax{right} \to \ax{left}, \ax{right}' \to \ax{left}'} ,
\end{equation}
so that $Z = E_N \dotx{left} r \dotx{left'} r_{\ax{left} \to \ax{left}'}$.

\paragraph*{Local observables.}
For an operator $O \in \mathbb{R}^{\ax{phys}:d, \ax{phys}':d}$ in the middle of the chain,
\begin{equation}
\langle O \rangle = \frac{ A \dotx{left, right} \left( O \dotx{phys'} A_{\ax{phys} \to \ax{phys}'} \right) }{ \sum_{\ax{left}, \ax{phys}, \ax{right}} A^2 }
\end{equation}
if both environments are the identity. (The dot contracts all axes that it names; here $\ax{phys}$ remains and must be summed as well.)
\end{document}
""",
        [
            Fault(r"\Psi = U \dotx{a} V \dotx{b} W", r"\Psi = U \dotx{a} V \dotx{a} W"),
            Fault(
                r"h_{i-1} \dotx{left} A_{\ax{phys}(s_i)}",
                r"h_{i-1} \dotx{right} A_{\ax{phys}(s_i)}",
            ),
            Fault(
                r"E_{n-1} \dotx{left} A \dotx{left', phys}",
                r"E_{n-1} \dotx{left} A \dotx{right', phys}",
            ),
        ],
        [
            Entry(
                "f",
                lambda U, V, W, P: (
                    (np.einsum("xa,ayb,bz->xyz", U, V, W) * P).sum() ** 2
                    / (np.einsum("xa,ayb,bz->xyz", U, V, W) ** 2).sum()
                    / (P**2).sum()
                ),
                "",
                {
                    "U": "one[2] a[3]",
                    "V": "a[3] two[2] b[3]",
                    "W": "b[3] three[2]",
                    "Phi": "one[2] two[2] three[2]",
                },
            ),
            Entry("S", lambda s: -(s**2 * np.log(s**2)).sum(), "", {"sigma": "a[4] ~ positive"}),
            Entry(
                r"\epsilon_\chi",
                lambda s: np.sqrt((s[2:] ** 2).sum()),
                "",
                {"sigma": "a[4] ~ positive"},
            ),
            Entry(
                r"\psi",
                lambda s, A, l, r: amplitude(s, A, l, r),
                "",
                {
                    "s": "site[4] ~ whole 2",
                    "A": "left[3] phys[2] right[3]",
                    "l": "left[3]",
                    "r": "left[3]",
                },
            ),
            Entry(
                "Z",
                lambda A, l, r: chain_norm(A, l, r, 4),
                "",
                {"A": "left[3] phys[2] right[3]", "l": "left[3]", "r": "left[3]"},
                chosen={"N": 4},
            ),
        ],
    ),
    Unseen(
        "microphones.md",
        r"""---
title: Microphone arrays
author: Lecture 9, Speech Signal Processing
---

# 1. Delay and sum

An array of $M$ microphones records $x \in \mathbb{R}^{\text{mic}:M, \text{time}:T}$. If the source is far away, the wave front reaches the
microphones one after the other. We assume whole delays $d \in \{0, \ldots, 9\}^{\text{mic}:M}$, in samples, and align the channels:

$$
y_{\text{time}(t)} = \frac{1}{M} \sum_{m=1}^{M} x_{\text{mic}(m), \text{time}(t - d_{\text{mic}(m)})}
$$

where samples before the start are zero, that is, $x_{\text{mic}(m), \text{time}(t)} = 0$ for $t < 1$.

For a linear array with positions $p \in \mathbb{R}^{\text{mic}:M}$ (in metres) and a frequency $f$, the **beam pattern** in directions
$\phi \in \mathbb{R}^{\text{angle}}$ is

$$
b = \sqrt{ \left( \underset{\text{mic}}{\text{mean}} \cos \delta \right)^2 + \left( \underset{\text{mic}}{\text{mean}} \sin \delta \right)^2 },
\qquad
\delta = \frac{2 \pi f}{c} \, p \odot \cos \phi
$$

with the speed of sound $c = 343$.

# 2. Adaptive beamformers

Write $R \in \mathbb{R}^{\text{mic}:M, \text{mic}':M}$ for the covariance of the noise and $a \in \mathbb{R}^{\text{mic}:M}$ for the steering vector[^real]. The MVDR beamformer solves

$$
\min_{w} \; w^\top R w \quad \text{subject to} \quad w^\top a = 1,
$$

and its solution is

$$
w = \frac{ R^{-1} \underset{\text{mic}'}{\cdot} a_{\text{mic} \to \text{mic}'} }{ a \underset{\text{mic}}{\cdot} R^{-1} \underset{\text{mic}'}{\cdot} a_{\text{mic} \to \text{mic}'} } .
$$

How much better is it than a single microphone? The array gain is

$$
\text{gain} = \frac{ \left( w \underset{\text{mic}}{\cdot} a \right)^2 }{ w \underset{\text{mic}}{\cdot} R \underset{\text{mic}'}{\cdot} w_{\text{mic} \to \text{mic}'} },
\qquad
\text{gain}_{\text{dB}} = 10 \log_{10} \text{gain}.
$$

In a room, the noise comes from everywhere. Between microphones at $q \in \mathbb{R}^{\text{mic}:M, \text{xyz}:3}$ the coherence of a diffuse field is

$$
\Gamma_{\text{mic}(i), \text{mic}'(j)} = \begin{cases} 1 & i = j \\[2pt] \dfrac{\sin(2 \pi f D_{ij} / c)}{2 \pi f D_{ij} / c} & i \ne j \end{cases}
\qquad \text{with } D_{ij} = \| q_{\text{mic}(i)} - q_{\text{mic}(j)} \|_{\text{xyz}} .
$$

In practice one adds a little on the diagonal, $\tilde R = R + \mu I_{\text{mic}, \text{mic}'}$, where $\mu > 0$ is about a hundredth of the trace.

# 3. Multichannel Wiener filter

With the covariance $\Phi \in \mathbb{R}^{\text{mic}:M, \text{mic}':M}$ of the speech and microphone 1 as the reference,

$$
h = \left[ (\Phi + \lambda R)^{-1} \underset{\text{mic}'}{\cdot} \Phi_{\text{mic} \to \text{mic}', \text{mic}' \to \text{mic}''} \right]_{\text{mic}''(1)}
$$

where $\lambda$ trades distortion of the speech for suppression of the noise.

[^real]: All signals are real here. For complex ones replace the transpose by the Hermitian transpose.
""",
        [
            Fault(
                r"\frac{1}{M} \sum_{m=1}^{M} x_{\text{mic}(m), \text{time}(t - d",
                r"\frac{1}{M} \sum_{m=1}^{M} x_{\text{mic}(t), \text{time}(m - d",
            ),
            Fault(
                r"\left( \underset{\text{mic}}{\text{mean}} \sin \delta",
                r"\left( \underset{\text{time}}{\text{mean}} \sin \delta",
            ),
            Fault(
                r"\left( w \underset{\text{mic}}{\cdot} a \right)^2",
                r"\left( w \underset{\text{mic}'}{\cdot} a \right)^2",
            ),
        ],
        [
            Entry(
                "y",
                delayed_sum,
                "time",
                {"x": "mic[3] time[6]", "d": "mic[3] ~ whole 4"},
            ),
            Entry(
                "b",
                lambda p, phi, f: np.abs(
                    np.exp(2j * np.pi * f / 343 * p[:, None] * np.cos(phi)).mean(0)
                ),
                "angle",
                {"p": "mic[3]", "phi": "angle[5]", "f": 100.0},
            ),
            Entry(
                "w",
                distortionless,
                "mic",
                {"R": "mic[3] mic'[3] ~ definite", "a": "mic[3]"},
            ),
            Entry(
                r"\text{gain}_{\text{dB}}",
                lambda R, a: (
                    10
                    * np.log10(
                        (distortionless(R, a) @ a) ** 2
                        / (distortionless(R, a) @ R @ distortionless(R, a))
                    )
                ),
                "",
                {"R": "mic[3] mic'[3] ~ definite", "a": "mic[3]"},
            ),
            Entry(
                r"\Gamma",
                lambda q, f: coherence(q, f, 343),
                "mic mic'",
                {"q": "mic[3] xyz[3]", "f": 100.0},
            ),
            Entry(
                "h",
                lambda P, R, l: np.linalg.solve(P + l * R, P)[:, 0],
                "mic",
                {
                    "Phi": "mic[3] mic'[3] ~ definite",
                    "R": "mic[3] mic'[3] ~ definite",
                    "lambda_": 0.5,
                },
            ),
        ],
    ),
    Unseen(
        "density_network.md",
        r"""### 5.6 Mixture density networks

Simple regression problems have one answer. In an *inverse* problem there may be several, and the mean of them is of no use. We therefore
model the whole conditional distribution as a mixture whose parameters are functions of the input $\mathbf{x}$. Let

- $\mathbf{X} \in \mathbb{R}^{\text{ex}:N, \text{in}:D}$ be the inputs and $\mathbf{T} \in \mathbb{R}^{\text{ex}:N, \text{out}:L}$ the targets of $N$ training examples,
- $\mathbf{A} \in \mathbb{R}^{\text{in}:D, \text{comp}:K}$, $\mathbf{a} \in \mathbb{R}^{\text{comp}:K}$ the weights and biases for the mixing coefficients,
- $\mathbf{B} \in \mathbb{R}^{\text{in}:D, \text{comp}:K, \text{out}:L}$, $\mathbf{b} \in \mathbb{R}^{\text{comp}:K, \text{out}:L}$ those for the means, and
- $\mathbf{C} \in \mathbb{R}^{\text{in}:D, \text{comp}:K}$, $\mathbf{c} \in \mathbb{R}^{\text{comp}:K}$ those for the widths.

Mixing coefficients must be positive and sum to one, which a softmax ensures; widths must be positive, so we use an exponential:

$$
\begin{aligned}
\pi_{\text{ex}(n), \text{comp}(k)} &= \frac{\exp(z_{\text{ex}(n), \text{comp}(k)})}{\sum_{l=1}^{K} \exp(z_{\text{ex}(n), \text{comp}(l)})}, & z &= \mathbf{A} \underset{\text{in}}{\cdot} \mathbf{X} + \mathbf{a}, \\
\boldsymbol{\mu} &= \mathbf{B} \underset{\text{in}}{\cdot} \mathbf{X} + \mathbf{b}, \\
\sigma &= \exp\left( \mathbf{C} \underset{\text{in}}{\cdot} \mathbf{X} + \mathbf{c} \right).
\end{aligned}
$$

Each component is an isotropic Gaussian in $L$ dimensions,

$$
\mathcal{N}_{\text{ex}(n), \text{comp}(k)} = \frac{1}{(2 \pi \sigma_{\text{ex}(n), \text{comp}(k)}^2)^{L/2}} \exp\left\{ - \frac{ \| \mathbf{T}_{\text{ex}(n)} - \boldsymbol{\mu}_{\text{ex}(n), \text{comp}(k)} \|_{\text{out}}^2 }{ 2 \sigma_{\text{ex}(n), \text{comp}(k)}^2 } \right\},
$$

where, for once, $\pi$ is the number $3.14\ldots$ and not a mixing coefficient. The error function is the negative log-likelihood

$$
E = - \sum_{n=1}^{N} \ln \left\{ \sum_{k=1}^{K} \pi_{\text{ex}(n), \text{comp}(k)} \, \mathcal{N}_{\text{ex}(n), \text{comp}(k)} \right\}.
$$

Its gradient has a simple form in terms of the posterior probabilities

$$
\gamma = \frac{ \pi \odot \mathcal{N} }{ \sum_{\text{comp}} \pi \odot \mathcal{N} },
$$

for instance $\partial E / \partial z = \pi - \gamma$.

#### Predictions

The conditional mean is

$$
\mathbb{E}[\mathbf{t} \mid \mathbf{x}] = \sum_{\text{comp}} \pi \odot \boldsymbol{\mu} ,
$$

which is what least squares would have found. The spread about this mean is

$$
s^2 = \sum_{\text{comp}} \pi \odot \left( \sigma^2 + \sum_{\text{out}} \left( \boldsymbol{\mu} - \sum_{\text{comp}} \pi \odot \boldsymbol{\mu} \right)^2 \right) .
$$

One may prefer the mean of the most probable component, $\hat{\mathbf{t}} = \boldsymbol{\mu}_{\text{comp}(k^*)}$ with $k^* = \underset{\text{comp}}{\operatorname{argmax}}\, \pi$.
""",
        [
            Fault(
                r"z &= \mathbf{A} \underset{\text{in}}{\cdot} \mathbf{X}",
                r"z &= \mathbf{A} \underset{\text{comp}}{\cdot} \mathbf{X}",
            ),
            Fault(
                r"\|_{\text{out}}^2 }{ 2 \sigma",
                r"\|_{\text{in}}^2 }{ 2 \sigma",
            ),
            Fault(
                r"\gamma = \frac{ \pi \odot \mathcal{N} }{ \sum_{\text{comp}} \pi",
                r"\gamma = \frac{ \pi \odot \mathcal{N} }{ \sum_{\text{out}} \pi",
            ),
        ],
        [
            Entry(
                r"\pi",
                lambda X, A, a: softmax(heads(X, A, a), 1),
                "ex comp",
                {"X": "ex[3] in[2]", "A": "in[2] comp[4]", "a": "comp[4]"},
            ),
            Entry(
                "E",
                mixture_loss,
                "",
                {
                    "X": "ex[3] in[2]",
                    "T": "ex[3] out[2]",
                    "A": "in[2] comp[4]",
                    "a": "comp[4]",
                    "B": "in[2] comp[4] out[2]",
                    "b": "comp[4] out[2]",
                    "C": "in[2] comp[4]",
                    "c": "comp[4]",
                },
            ),
            Entry(
                r"\gamma",
                lambda x, t, A, a, M, m, S, s: (
                    (
                        q := softmax(heads(x, A, a), 1)
                        * densities(t, heads(x, M, m), np.exp(heads(x, S, s)))
                    )
                    / q.sum(1, keepdims=True)
                ),
                "ex comp",
                {
                    "X": "ex[3] in[2]",
                    "T": "ex[3] out[2]",
                    "A": "in[2] comp[4]",
                    "a": "comp[4]",
                    "B": "in[2] comp[4] out[2]",
                    "b": "comp[4] out[2]",
                    "C": "in[2] comp[4]",
                    "c": "comp[4]",
                },
            ),
            Entry(
                r"\mathbb{E}[\mathbf{t} \mid \mathbf{x}]",
                lambda X, A, a, B, b: np.einsum(
                    "nk,nko->no", softmax(heads(X, A, a), 1), heads(X, B, b)
                ),
                "ex out",
                {
                    "X": "ex[3] in[2]",
                    "A": "in[2] comp[4]",
                    "a": "comp[4]",
                    "B": "in[2] comp[4] out[2]",
                    "b": "comp[4] out[2]",
                },
            ),
            Entry(
                r"\hat{\mathbf{t}}",
                lambda X, A, a, B, b: heads(X, B, b)[np.arange(3), heads(X, A, a).argmax(1)],
                "ex out",
                {
                    "X": "ex[3] in[2]",
                    "A": "in[2] comp[4]",
                    "a": "comp[4]",
                    "B": "in[2] comp[4] out[2]",
                    "b": "comp[4] out[2]",
                },
            ),
        ],
    ),
    Unseen(
        "bundle.tex",
        r"""\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb,bm}
\usepackage{namedtensor}
\ndef{\cam}{cam} \ndef{\pt}{pt} \ndef{\xyz}{xyz} \ndef{\uv}{uv}
\begin{document}
\section{Bundle adjustment}\label{sec:bundle}
Bundle adjustment refines the poses of $C$ cameras and the positions of $P$ points at the same time, such that the points project to where they were
seen~\cite{triggs}. The unknowns are
\begin{itemize}
\item the points $\bm{X} \in \mathbb{R}^{\pt[P] \times \xyz[3]}$,
\item the rotation vectors $\bm{r} \in \mathbb{R}^{\cam[C] \times \xyz[3]}$ and the translations $\bm{t} \in \mathbb{R}^{\cam[C] \times \xyz[3]}$,
\item the focal lengths $f \in \mathbb{R}^{\cam[C]}$ and two distortion coefficients $k_1$ and $k_2$ shared by all cameras.
\end{itemize}

\subsection{Rotations}
A rotation vector has the angle as its length, $\theta = \| \bm{r} \|_{\xyz}$, and the axis $\bm{n} = \bm{r} / \theta$ as its direction. Rodrigues' formula says
\begin{equation}\label{eq:rodrigues}
R_{\xyz(i), \xyz'(j)} = \delta_{ij} \cos\theta - \sin\theta \sum_{k=1}^{3} \epsilon_{ijk} \, n_{\xyz(k)} + (1 - \cos\theta) \, n_{\xyz(i)} n_{\xyz(j)}
\end{equation}
for each camera, where $\epsilon_{ijk}$ is the permutation symbol. So $R \in \mathbb{R}^{\cam[C] \times \xyz[3] \times \xyz'[3]}$.

\subsection{Projection}
In the frame of the camera a point has the coordinates
\begin{equation}
\bm{p} = R \ndot{\xyz'} \bm{X}_{\xyz \to \xyz'} + \bm{t} ,
\end{equation}
and on the image plane, before distortion,
\begin{equation}
\bm{u}_{\uv(i)} = \frac{ \bm{p}_{\xyz(i)} }{ \bm{p}_{\xyz(3)} }, \qquad i = 1, 2 .
\end{equation}
Lenses distort. With $\rho^2 = \nsum{\uv} \bm{u}^2$ we get the pixel
\begin{equation}
\hat{\bm{z}} = f \left( 1 + k_1 \rho^2 + k_2 \rho^4 \right) \bm{u} .
\end{equation}

\subsection{Objective}
Let $\bm{z} \in \mathbb{R}^{\cam[C] \times \pt[P] \times \uv[2]}$ be the observations, and $V \in \{0, 1\}^{\cam[C] \times \pt[P]}$ say which point is visible in which camera.
The residuals are $e = \| \bm{z} - \hat{\bm{z}} \|_{\uv}$. Outliers are tamed by Huber's loss with the threshold $\kappa$,
\begin{equation}
\varrho(e) = \begin{cases} \tfrac12 e^2 & |e| \leq \kappa \\ \kappa \left( |e| - \tfrac12 \kappa \right) & \text{else} \end{cases}
\end{equation}
so that we minimise
\begin{equation}
J = \frac{ \nsum{\cam, \pt} V \odot \varrho(e) }{ \nsum{\cam, \pt} V } .
\end{equation}

\subsection{The reduced camera system}
\ndef{\pose}{pose} \ndef{\str}{str}
Let $B \in \mathbb{R}^{\pose \times \pose'}$, $E \in \mathbb{R}^{\pose \times \str}$ and $D \in \mathbb{R}^{\str \times \str'}$ be the blocks of the normal equations, with the right
sides $\bm{v} \in \mathbb{R}^{\pose}$ and $\bm{w} \in \mathbb{R}^{\str}$. As $D$ is block diagonal, it is cheap to invert, and
\begin{align}
S &= B - E \ndot{\str} D^{-1} \ndot{\str'} E_{\pose \to \pose', \str \to \str'} \\
\Delta &= S^{-1} \ndot{\pose'} \left( \bm{v} - E \ndot{\str} D^{-1} \ndot{\str'} \bm{w}_{\str \to \str'} \right)_{\pose \to \pose'}
\end{align}
is the step of the poses.
\end{document}
""",
        [
            Fault(
                r"\bm{p} = R \ndot{\xyz'} \bm{X}_{\xyz \to \xyz'}",
                r"\bm{p} = R \ndot{\xyz'} \bm{X}",
            ),
            Fault(
                r"\rho^2 = \nsum{\uv} \bm{u}^2",
                r"\rho^2 = \nsum{\xyz} \bm{u}^2",
            ),
            Fault(
                r"J = \frac{ \nsum{\cam, \pt} V",
                r"J = \frac{ \nsum{\cam, \uv} V",
            ),
        ],
        [
            Entry(
                r"\bm{u}",
                lambda X, r, t: projected(X, r, t, np.ones(len(t)), 0, 0),
                "cam pt uv",
                {"X": "pt[4] xyz[3]", "r": "cam[2] xyz[3]", "t": "cam[2] xyz[3]"},
            ),
            Entry(
                r"\hat{\bm{z}}",
                projected,
                "cam pt uv",
                {
                    "X": "pt[4] xyz[3]",
                    "r": "cam[2] xyz[3]",
                    "t": "cam[2] xyz[3]",
                    "f": "cam[2]",
                    "k_1": 0.1,
                    "k_2": 0.01,
                },
            ),
            Entry(
                r"\varrho",
                lambda e, k: np.where(np.abs(e) <= k, e**2 / 2, k * (np.abs(e) - k / 2)),
                "cam pt",
                {"e": "cam[2] pt[4]", "kappa": 0.8},
            ),
            Entry(
                "J",
                lambda X, r, t, f, k1, k2, z, V, k: (
                    (
                        V
                        * np.where(
                            (e := np.linalg.norm(z - projected(X, r, t, f, k1, k2), axis=2)) <= k,
                            e**2 / 2,
                            k * (e - k / 2),
                        )
                    ).sum()
                    / V.sum()
                ),
                "",
                {
                    "X": "pt[4] xyz[3]",
                    "r": "cam[2] xyz[3]",
                    "t": "cam[2] xyz[3]",
                    "f": "cam[2]",
                    "k_1": 0.1,
                    "k_2": 0.01,
                    "z": "cam[2] pt[4] uv[2]",
                    "V": "cam[2] pt[4] ~ ones",
                    "kappa": 0.8,
                },
            ),
            Entry(
                r"\Delta",
                lambda B, E, D, v, w: reduced_system(B, E, D, v, w),
                "pose",
                {
                    "B": "pose[3] pose'[3] ~ definite",
                    "E": "pose[3] str[2]",
                    "D": "str[2] str'[2] ~ definite",
                    "v": "pose[3]",
                    "w": "str[2]",
                },
            ),
        ],
    ),
    Unseen(
        "travel.md",
        r"""# Discrete choice: how people travel

*Chapter 3 of "Applied Transport Economics"*

Traveller $n$ chooses one of $J$ alternatives (car, bus, train, ...). Each alternative $j$ is described by $K$ attributes such as cost and time, which we collect in
$x \in \mathbb{R}^{\text{person}:N, \text{alt}:J, \text{attr}:K}$. The *systematic utility* is linear in the attributes,

$$V_{nj} = \sum_{k=1}^{K} \beta_k \, x_{njk}, \tag{3.1}$$

with taste parameters $\beta \in \mathbb{R}^{\text{attr}:K}$. To it nature adds an error $\varepsilon_{nj}$ that the analyst does not see. If the errors are independent and
Gumbel distributed, the choice probabilities have the logit form

$$P_{nj} = \frac{e^{V_{nj}}}{\sum_{i=1}^{J} e^{V_{ni}}}. \tag{3.2}$$

## Estimation

Let $y_{nj}$ be 1 if person $n$ chose alternative $j$ and 0 otherwise, so that $y \in \{0,1\}^{\text{person}:N, \text{alt}:J}$. The log-likelihood is

$$LL(\beta) = \sum_{n=1}^{N} \sum_{j=1}^{J} y_{nj} \ln P_{nj}. \tag{3.3}$$

Without any information all alternatives are equally likely and $LL_0 = -N \ln J$. McFadden's measure of fit compares the two:

$$\rho^2 = 1 - \frac{LL(\beta)}{LL_0}. \tag{3.4}$$

## Elasticities

By how many percent does the probability of alternative $i$ change if attribute 1 (the cost) of alternative $j$ rises by one percent? One finds

$$\eta_{\text{person}(n), \text{alt}(i), \text{alt}'(j)} = \beta_{\text{attr}(1)} \, x_{\text{person}(n), \text{alt}(j), \text{attr}(1)} \left( \mathbb{1}\{i = j\} - P_{\text{person}(n), \text{alt}(j)} \right). \tag{3.5}$$

That all cross elasticities are equal is the notorious independence of irrelevant alternatives.

## Welfare

The expected consumer surplus of a person, up to a constant, is the "logsum" divided by the marginal utility of income $\alpha$:

$$\text{CS}_n = \frac{1}{\alpha} \ln \sum_{j=1}^{J} e^{V_{nj}} . \tag{3.6}$$

## Nested logit

Let the alternatives be grouped in nests $k = 1, \ldots, M$, where $B \in \{0,1\}^{\text{alt}:J, \text{nest}:M}$ tells which alternative is in which nest. Every nest has a
dissimilarity parameter, $\lambda \in \mathbb{R}^{\text{nest}:M}$. The inclusive value of a nest is

$$I_{\text{person}(n), \text{nest}(k)} = \ln \sum_{j \,:\, B_{\text{alt}(j), \text{nest}(k)} = 1} \exp\left( V_{\text{person}(n), \text{alt}(j)} / \lambda_{\text{nest}(k)} \right) \tag{3.7}$$

and the probability that $n$ chooses in nest $k$

$$Q = \underset{\text{nest}}{\text{softmax}} ( \lambda \odot I ). \tag{3.8}$$

## Mixed logit

Tastes differ. Draw $R$ vectors $b \in \mathbb{R}^{\text{draw}:R, \text{attr}:K}$ from the distribution of tastes; the simulated probability is

$$\check P = \frac{1}{R} \sum_{\text{draw}} \underset{\text{alt}}{\text{softmax}} \left( b \underset{\text{attr}}{\cdot} x \right). \tag{3.9}$$
""",
        [
            Fault(r"\sum_{k=1}^{K} \beta_k", r"\sum_{k=1}^{J} \beta_k"),
            Fault(
                r"x_{\text{person}(n), \text{alt}(j), \text{attr}(1)} \left(",
                r"x_{\text{person}(n), \text{attr}(j), \text{alt}(1)} \left(",
            ),
            Fault(
                r"\underset{\text{alt}}{\text{softmax}} \left( b",
                r"\underset{\text{attr}}{\text{softmax}} \left( b",
            ),
        ],
        [
            Entry(
                "P",
                lambda x, b: softmax(x @ b, 1),
                "person alt",
                {"x": "person[3] alt[4] attr[2]", "beta": "attr[2]"},
            ),
            Entry(
                r"\rho^2",
                lambda x, b, y: (
                    1 - (y * np.log(softmax(x @ b, 1))).sum() / (-len(y) * np.log(y.shape[1]))
                ),
                "",
                {
                    "x": "person[3] alt[4] attr[2]",
                    "beta": "attr[2]",
                    "y": "person[3] alt[4] ~ one-hot alt",
                },
            ),
            Entry(
                r"\eta",
                lambda x, b: b[0] * x[:, None, :, 0] * (np.eye(4) - softmax(x @ b, 1)[:, None, :]),
                "person alt alt'",
                {"x": "person[3] alt[4] attr[2]", "beta": "attr[2]"},
            ),
            Entry(
                r"\text{CS}",
                lambda x, b, a: np.log(np.exp(x @ b).sum(1)) / a,
                "person",
                {"x": "person[3] alt[4] attr[2]", "beta": "attr[2]", "alpha": 0.7},
            ),
            Entry(
                "Q",
                lambda x, b, B, l: softmax(
                    l * np.log(np.einsum("njk,jk->nk", np.exp((x @ b)[:, :, None] / l), B)), 1
                ),
                "person nest",
                {
                    "x": "person[3] alt[4] attr[2]",
                    "beta": "attr[2]",
                    "B": "alt[4] nest[2] ~ ones",
                    "lambda_": "nest[2] ~ positive",
                },
            ),
            Entry(
                r"\check P",
                lambda x, b: softmax(np.einsum("rk,njk->rnj", b, x), 2).mean(0),
                "person alt",
                {"x": "person[3] alt[4] attr[2]", "b": "draw[5] attr[2]"},
            ),
        ],
    ),
    Unseen(
        "molecules.tex",
        r"""\documentclass{report}
\usepackage{amsmath}
\usepackage{namedtensor}
\ndef{\atom}{atom}
\ndef{\dir}{dir}
\ndef{\tm}{time}
\begin{document}
\chapter{Molecular dynamics}

\section{Energies}
Consider $N$ particles with positions $x \in \mathbb{R}^{\atom[N] \times \dir[3]}$ and velocities $v \in \mathbb{R}^{\atom[N] \times \dir[3]}$ in a cubic box of side $L$. We work in reduced
units. Because of the periodic boundary conditions, each particle interacts with the nearest image of every other one. The minimum image convention reads
\begin{equation}
d_{ij} = x_i - x_j - L \left\lfloor \frac{x_i - x_j}{L} \right\rceil ,
\end{equation}
where $\lfloor \cdot \rceil$ denotes rounding to the nearest integer, and distances are $r_{ij} = \| d_{ij} \|$. The Lennard-Jones energy, cut at $r_c$, is
\begin{equation}
U = \sum_{i < j} u(r_{ij}), \qquad u(r) = \begin{cases} 4 \left( r^{-12} - r^{-6} \right) & r < r_c \\ 0 & r \geq r_c . \end{cases}
\end{equation}

\section{Temperature}
Let $m \in \mathbb{R}^{\atom[N]}$ be the masses. The kinetic energy is
\begin{equation}
K = \frac{1}{2} \nsum{\atom, \dir} m \odot v^2
\end{equation}
and equipartition defines the instantaneous temperature
\begin{equation}
\mathcal{T} = \frac{2 K}{3 N - 3} ,
\end{equation}
since three degrees of freedom belong to the centre of mass. The Berendsen thermostat scales all velocities by
\begin{equation}
\lambda = \sqrt{ 1 + \frac{\Delta t}{\tau} \left( \frac{T_0}{\mathcal{T}} - 1 \right) } , \qquad v \leftarrow \lambda v,
\end{equation}
where $T_0$ is the temperature of the bath, $\tau$ the time constant and $\Delta t$ the time step.

\section{Integration}
Velocity Verlet for $n$ steps of length $h$: the trajectory $q \in \mathbb{R}^{\tm[T] \times \atom[N] \times \dir[3]}$ starts at $q_{\tm(1)} = x$, the momenta at $w_{\tm(1)} = v$. Here the forces are those of harmonic springs
with the constant $k$, $F(q) = -k q$, and
\begin{align}
q_{\tm(t)} &= q_{\tm(t-1)} + h \, w_{\tm(t-1)} + \frac{h^2}{2 m} F(q_{\tm(t-1)}) , \\
w_{\tm(t)} &= w_{\tm(t-1)} + \frac{h}{2 m} \left( F(q_{\tm(t-1)}) + F(q_{\tm(t)}) \right) , \qquad t \geq 2 .
\end{align}

\section{Analysis}
The mean squared displacement after a lag of $\ell$ steps is
\begin{equation}
\text{msd}_{\text{lag}(\ell)} = \frac{1}{N (T - \ell)} \sum_{t=1}^{T-\ell} \nsum{\atom, \dir} \left( q_{\tm(t + \ell)} - q_{\tm(t)} \right)^2 , \qquad \ell = 1, \dots, T - 1 ,
\end{equation}
and the velocity autocorrelation
\begin{equation}
c_{\tm(t)} = \frac{ \nfun{\atom}{mean} \left( w_{\tm(t)} \ndot{\dir} w_{\tm(1)} \right) }{ \nfun{\atom}{mean} \nsum{\dir} w_{\tm(1)}^2 } .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"K = \frac{1}{2} \nsum{\atom, \dir} m",
                r"K = \frac{1}{2} \nsum{\atom, \tm} m",
            ),
            Fault(r"\sum_{t=1}^{T-\ell} \nsum", r"\sum_{t=1}^{T} \nsum"),
            Fault(
                r"\left( w_{\tm(t)} \ndot{\dir} w_{\tm(1)} \right)",
                r"\left( w_{\tm(t)} \ndot{\tm} w_{\tm(1)} \right)",
            ),
        ],
        [
            Entry(
                "U",
                lennard_jones,
                "",
                {"x": "atom[4] dir[3]", "L": 3.0, "r_c": 1.4},
            ),
            Entry(
                r"\mathcal{T}",
                lambda m, v: (m[:, None] * v**2).sum() / (3 * len(m) - 3),
                "",
                {"m": "atom[4] ~ positive", "v": "atom[4] dir[3]"},
            ),
            Entry(
                r"\lambda",
                lambda m, v, dt, tau, T0: np.sqrt(
                    1 + dt / tau * (T0 * (3 * len(m) - 3) / (m[:, None] * v**2).sum() - 1)
                ),
                "",
                {
                    "m": "atom[4] ~ positive",
                    "v": "atom[4] dir[3]",
                    "Deltat": 0.1,
                    "tau": 1.5,
                    "T_0": 1.2,
                },
            ),
            Entry(
                "q",
                lambda x, v, k, h, m: harmonic(x, v, k, h, m[:, None], 5),
                "time atom dir",
                {
                    "x": "atom[4] dir[3]",
                    "v": "atom[4] dir[3]",
                    "k": 1.5,
                    "h": 0.1,
                    "m": "atom[4] ~ positive",
                },
                chosen={"T": 5},
            ),
            Entry(
                r"\text{msd}",
                lambda x, v, k, h, m: squared_displacement(harmonic(x, v, k, h, m[:, None], 5)),
                "lag",
                {
                    "x": "atom[4] dir[3]",
                    "v": "atom[4] dir[3]",
                    "k": 1.5,
                    "h": 0.1,
                    "m": "atom[4] ~ positive",
                },
                chosen={"T": 5},
            ),
        ],
    ),
    Unseen(
        "phylogeny.md",
        r"""# Likelihood of a tree

Notes on Felsenstein (1981). The four bases are numbered in the order A, G, C, T, so that transitions are between 1 and 2 and between 3 and 4.

## Models of substitution

A rate matrix has the rates off its diagonal, and rows that sum to zero. Let $\pi \in [0,1]^{\text{base}:4}$ be the frequencies of the bases and let $\kappa$ be
the ratio of transitions to transversions. In the HKY85 model

$$
q_{ij} = \begin{cases}
\kappa \, \pi_j & \text{if } i \neq j \text{ and } \lceil i/2 \rceil = \lceil j/2 \rceil \\
\pi_j & \text{if } \lceil i/2 \rceil \neq \lceil j/2 \rceil \\
- \sum_{k \neq i} q_{ik} & \text{if } i = j
\end{cases}
\qquad (i, j = 1, \dots, 4).
$$

The simplest model, by Jukes and Cantor, has equal frequencies and one rate. Its transition probabilities after time $t$ are

$$
P_{\text{base}(i), \text{base}'(j)}(t) = \begin{cases}
\frac14 + \frac34 e^{-4t/3} & i = j, \\
\frac14 - \frac14 e^{-4t/3} & i \neq j.
\end{cases}
$$

## Pruning

Consider three sequences of $n$ sites, one-hot $a, b, c \in \{0,1\}^{\text{site}:n, \text{base}:4}$, and the rooted tree ((a, b), c) with branch lengths
$t \in \mathbb{R}^{\text{branch}:4}$ (to a, to b, to c, and from the root to the inner node). The conditional likelihoods at the inner node and at the root are

$$
\begin{aligned}
L &= \left( P(t_1) \underset{\text{base}'}{\cdot} a_{\text{base} \to \text{base}'} \right) \odot \left( P(t_2) \underset{\text{base}'}{\cdot} b_{\text{base} \to \text{base}'} \right) \\
R &= \left( P(t_4) \underset{\text{base}'}{\cdot} L_{\text{base} \to \text{base}'} \right) \odot \left( P(t_3) \underset{\text{base}'}{\cdot} c_{\text{base} \to \text{base}'} \right)
\end{aligned}
$$

and the log-likelihood of the tree is $\ell = \sum_{\text{site}} \log \left( \pi \underset{\text{base}}{\cdot} R \right)$.

## Distances

For many sequences $s \in \{0,1\}^{\text{taxon}:m, \text{site}:n, \text{base}:4}$ one starts with the proportion of sites that differ,

$$
p_{\text{taxon}(i), \text{taxon}'(j)} = 1 - \frac{1}{n} \sum_{\text{site}, \text{base}} s_{\text{taxon}(i)} \odot s_{\text{taxon}(j)},
$$

and corrects for multiple hits, $d = -\frac34 \ln\left( 1 - \frac43 p \right)$. Neighbour joining picks the pair with the smallest

$$
N_{ij} = (m - 2) \, d_{ij} - \sum_{k=1}^{m} d_{ik} - \sum_{k=1}^{m} d_{jk} .
$$

The branch from $i$ to the new node has the length

$$
\delta_{\text{taxon}(i), \text{taxon}'(j)} = \tfrac12 d_{ij} + \frac{1}{2(m-2)} \left[ \sum_{k=1}^{m} d_{ik} - \sum_{k=1}^{m} d_{jk} \right].
$$

## Rate variation

Sites do not evolve equally fast. With $G$ categories of rates $r \in \mathbb{R}^{\text{cat}:G}$, all equally likely, the likelihood of two sequences at distance $t_0$ is the mean

$$
\bar\ell = \sum_{\text{site}} \log \left( \frac1G \sum_{g=1}^{G} \pi \underset{\text{base}}{\cdot} \left[ a \odot \left( P(r_g t_0) \underset{\text{base}'}{\cdot} b_{\text{base} \to \text{base}'} \right) \right] \right).
$$
""",
        [
            Fault(
                r"\left( P(t_2) \underset{\text{base}'}{\cdot} b_{\text{base} \to \text{base}'} \right) \\",
                r"\left( P(t_2) \underset{\text{branch}}{\cdot} b_{\text{base} \to \text{base}'} \right) \\",
            ),
            Fault(
                r"- \frac{1}{n} \sum_{\text{site}, \text{base}} s",
                r"- \frac{1}{n} \sum_{\text{site}, \text{branch}} s",
            ),
            Fault(
                r"N_{ij} = (m - 2) \, d_{ij} - \sum_{k=1}^{m} d_{ik}",
                r"N_{ij} = (m - 2) \, d_{ij} - \sum_{k=1}^{n} d_{ik}",
            ),
        ],
        [
            Entry(
                "q",
                substitution,
                "base base'",
                {"kappa": 2.5, "pi": "base[4] ~ probability base"},
            ),
            Entry(
                r"\ell",
                pruned,
                "",
                {
                    "a": "site[5] base[4] ~ one-hot base",
                    "b": "site[5] base[4] ~ one-hot base",
                    "c": "site[5] base[4] ~ one-hot base",
                    "pi": "base[4] ~ probability base",
                    "t": "branch[4] ~ positive",
                },
            ),
            Entry(
                "N",
                lambda s: (
                    (
                        d := -0.75
                        * np.log(1 - 4 / 3 * (1 - np.einsum("inb,jnb->ij", s, s) / s.shape[1]))
                    )
                    * (len(s) - 2)
                    - d.sum(1)[:, None]
                    - d.sum(1)
                ),
                "taxon taxon'",
                {"s": "taxon[3] site[8] base[4] ~ bits"},
            ),
            Entry(
                r"\delta",
                lambda s: (
                    (
                        d := -0.75
                        * np.log(1 - 4 / 3 * (1 - np.einsum("inb,jnb->ij", s, s) / s.shape[1]))
                    )
                    / 2
                    + (d.sum(1)[:, None] - d.sum(1)) / (2 * (len(s) - 2))
                ),
                "taxon taxon'",
                {"s": "taxon[3] site[8] base[4] ~ bits"},
            ),
            Entry(
                r"\bar\ell",
                lambda a, b, pi, r, t: np.log(
                    np.mean([(a * (b @ jukes(g * t).T)) @ pi for g in r], 0)
                ).sum(),
                "",
                {
                    "a": "site[5] base[4] ~ one-hot base",
                    "b": "site[5] base[4] ~ one-hot base",
                    "pi": "base[4] ~ probability base",
                    "r": "cat[3] ~ positive",
                    "t_0": 0.4,
                },
            ),
        ],
    ),
    Unseen(
        "breeding.md",
        r"""# Genomic prediction

## Notation

Throughout, $n$ is the number of animals, $m$ the number of markers and $k$ the number of fixed effects.

| Symbol | Space | |
|---|---|---|
| $M$ | $\{0,1,2\}^{\text{animal}:n, \text{marker}:m}$ | number of copies of the second allele |
| $y$ | $\mathbb{R}^{\text{animal}:n}$ | phenotypes |
| $X$ | $\mathbb{R}^{\text{animal}:n, \text{fix}:k}$ | design of the fixed effects |

## The genomic relationship matrix

The frequency of the second allele is estimated by $p = \frac12 \underset{\text{animal}}{\text{mean}}\, M$. VanRaden's first method centres the genotypes, $Z = M - 2p$, and scales their
cross product so that it resembles the pedigree relationship:

$$
G = \frac{ Z \underset{\text{marker}}{\cdot} Z_{\text{animal} \to \text{animal}'} }{ 2 \sum_{\text{marker}} p \odot (1 - p) }
$$

## BLUP

In the model $y = X\beta + u + e$ the breeding values $u$ have the covariance $\sigma_u^2 G$ and the residuals $\sigma_e^2 I$. Thus phenotypes have the covariance matrix

$$
V = \sigma_u^2 \, G + \sigma_e^2 \, I_{\text{animal}, \text{animal}'}
$$

where $\sigma_u^2$ and $\sigma_e^2$ are the variance components. Generalised least squares gives

$$
\hat\beta = \left( X \underset{\text{animal}}{\cdot} V^{-1} \underset{\text{animal}'}{\cdot} X_{\text{animal} \to \text{animal}', \text{fix} \to \text{fix}'} \right)^{-1} \underset{\text{fix}'}{\cdot} \left( X \underset{\text{animal}}{\cdot} V^{-1} \underset{\text{animal}'}{\cdot} y_{\text{animal} \to \text{animal}'} \right)_{\text{fix} \to \text{fix}'}
$$

and the best linear unbiased prediction of the breeding values is

$$
\hat u = \sigma_u^2 \, G \underset{\text{animal}'}{\cdot} \left[ V^{-1} \underset{\text{animal}'}{\cdot} \left( y - X \underset{\text{fix}}{\cdot} \hat\beta \right)_{\text{animal} \to \text{animal}'} \right]_{\text{animal} \to \text{animal}'} .
$$

*Heritability* is $h^2 = \sigma_u^2 / (\sigma_u^2 + \sigma_e^2)$.

## Response to selection

If only the best fraction is kept, with $w \in \{0,1\}^{\text{animal}:n}$ marking the parents, the selection differential is

$$
S = \frac{ \sum_{\text{animal}} w \odot y }{ \sum_{\text{animal}} w } - \underset{\text{animal}}{\text{mean}} \; y
$$

and the breeder's equation predicts the response $\Delta = h^2 S$.

For several traits, let $P, A \in \mathbb{R}^{\text{trait}:q, \text{trait}':q}$ be the phenotypic and additive covariances and $v \in \mathbb{R}^{\text{trait}:q}$ the economic values. Smith and Hazel's index weighs the traits by

$$
b = P^{-1} \underset{\text{trait}'}{\cdot} \left( A \underset{\text{trait}'}{\cdot} v_{\text{trait} \to \text{trait}'} \right)_{\text{trait} \to \text{trait}'} .
$$

## Linkage disequilibrium

From $H \in \{0,1\}^{\text{hap}, \text{marker}:m}$, the haplotypes, with $f = \underset{\text{hap}}{\text{mean}}\, H$, one computes for each pair of markers $i$ and $j$

$$
r^2_{ij} = \frac{ D_{ij}^2 }{ f_i (1 - f_i) f_j (1 - f_j) }, \qquad D_{ij} = \frac{1}{|\text{hap}|} \sum_{\text{hap}} H_{\text{marker}(i)} H_{\text{marker}(j)} - f_i f_j .
$$

## Inbreeding

In a population of $N_e$ breeding animals, inbreeding increases by

$$
F_t = \frac{1}{2 N_e} + \left( 1 - \frac{1}{2 N_e} \right) F_{t-1}, \qquad F_0 = 0 .
$$
""",
        [
            Fault(
                r"Z \underset{\text{marker}}{\cdot} Z_{",
                r"Z \underset{\text{animal}}{\cdot} Z_{",
            ),
            Fault(
                r"\left( y - X \underset{\text{fix}}{\cdot} \hat\beta",
                r"\left( y - X \underset{\text{marker}}{\cdot} \hat\beta",
            ),
            Fault(
                r"\frac{1}{|\text{hap}|} \sum_{\text{hap}} H_{\text{marker}(i)}",
                r"\frac{1}{|\text{hap}|} \sum_{\text{hap}} H_{\text{hap}(i)}",
            ),
        ],
        [
            Entry("G", relationship, "animal animal'", {"M": "animal[4] marker[5] ~ whole 3"}),
            Entry(
                r"\hat u",
                breeding_values,
                "animal",
                {
                    "y": "animal[4]",
                    "X": "animal[4] fix[2]",
                    "M": "animal[4] marker[5] ~ whole 3",
                    "sigma_u": 0.7,
                    "sigma_e": 1.3,
                },
            ),
            Entry(
                r"\Delta",
                lambda w, y, su, se: su**2 / (su**2 + se**2) * ((w * y).sum() / w.sum() - y.mean()),
                "",
                {
                    "w": "animal[6] ~ first 3",
                    "y": "animal[6]",
                    "sigma_u": 0.7,
                    "sigma_e": 1.3,
                },
            ),
            Entry(
                "b",
                lambda P, A, v: np.linalg.solve(P, A @ v),
                "trait",
                {
                    "P": "trait[3] trait'[3] ~ definite",
                    "A": "trait[3] trait'[3] ~ definite",
                    "v": "trait[3]",
                },
            ),
            Entry(
                "r^2_{ij}",
                lambda H: linkage(H),
                "marker marker'",
                {"H": "hap[6] marker[3] ~ probability hap"},
            ),
        ],
    ),
    Unseen(
        "tomography.tex",
        r"""\documentclass[12pt]{article}
\usepackage{amsmath,amssymb,mathtools}
\newcommand{\ray}{\text{ray}}
\newcommand{\pix}{\text{pix}}
\begin{document}

\section*{Exercise 4: Reconstruction from projections}

\textbf{Background.} X-rays are attenuated on their way through the body. A detector counts $c \in \mathbb{R}^{\ray:m}$ photons of the $c_0$ that were sent, and by the law of Beer and Lambert
\begin{equation*}
b = - \ln \frac{c}{c_0}
\end{equation*}
is the integral of the attenuation along each ray. Discretised, $b = A x$ where $A \in \mathbb{R}^{\ray:m, \pix:n}$ holds the lengths of the rays in the pixels and $x \in \mathbb{R}^{\pix:n}$ is the image.

\begin{enumerate}
\item[(a)] \emph{SIRT.} Let $\rho = 1 / \sum_{\pix} A$ and $\gamma = 1 / \sum_{\ray} A$. Start with $x^{(0)} = 0$ and iterate
\begin{equation}
x^{(k+1)} = x^{(k)} + \gamma \odot \left( A \underset{\ray}{\cdot} \left[ \rho \odot \left( b - A \underset{\pix}{\cdot} x^{(k)} \right) \right] \right).
\end{equation}

\item[(b)] \emph{MLEM.} For emission tomography with counts $g \in \mathbb{R}^{\ray:m}$ and a start $z^{(0)} = \mathbf{1}_{\pix}$, use
\begin{equation}
z^{(k+1)} = \frac{z^{(k)}}{\sum_{\ray} A} \odot \left( A \underset{\ray}{\cdot} \frac{g}{ A \underset{\pix}{\cdot} z^{(k)} } \right)
\end{equation}
and show that all iterates stay positive.

\item[(c)] \emph{Filtered backprojection.} The sinogram $p \in \mathbb{R}^{\text{angle}:K, \text{det}:D}$ is filtered along the detector,
\begin{equation}
q_{\text{angle}(a), \text{det}(i)} = \sum_{j=1}^{D} h_{i-j} \, p_{\text{angle}(a), \text{det}(j)}, \qquad
h_n = \begin{cases} \frac14 & n = 0 \\ 0 & n \text{ even}, n \neq 0 \\ - \frac{1}{\pi^2 n^2} & n \text{ odd.} \end{cases}
\end{equation}
Then the value at a pixel is a sum over all angles, of the detector $t \in \{1, \dots, D\}^{\text{angle}:K, \pix:n}$ onto which the pixel falls:
\begin{equation}
f_{\pix(i)} = \frac{\pi}{K} \sum_{a=1}^{K} q_{\text{angle}(a), \text{det}(t_{\text{angle}(a), \pix(i)})} .
\end{equation}

\item[(d)] \emph{Total variation.} For an image $u \in \mathbb{R}^{\text{row}:r, \text{col}:s}$ and a small $\beta > 0$ the smoothed total variation is
\begin{equation}
\mathrm{TV}(u) = \sum_{i=1}^{r-1} \sum_{j=1}^{s-1} \sqrt{ (u_{i+1,j} - u_{i,j})^2 + (u_{i,j+1} - u_{i,j})^2 + \beta^2 } .
\end{equation}
Compute its gradient.

\item[(e)] \emph{Quality.} Compare with a phantom $v \in \mathbb{R}^{\text{row}:r, \text{col}:s}$ by
\begin{equation}
\mathrm{PSNR} = 10 \log_{10} \frac{ \underset{\text{row}, \text{col}}{\max} v^2 }{ \underset{\text{row}, \text{col}}{\mathrm{mean}} (u - v)^2 } .
\end{equation}
\end{enumerate}
\end{document}
""",
        [
            Fault(
                r"\left( b - A \underset{\pix}{\cdot} x^{(k)} \right)",
                r"\left( b - A \underset{\ray}{\cdot} x^{(k)} \right)",
            ),
            Fault(
                r"\sum_{j=1}^{D} h_{i-j}",
                r"\sum_{j=1}^{K} h_{i-j}",
            ),
            Fault(
                r"\sum_{i=1}^{r-1} \sum_{j=1}^{s-1} \sqrt",
                r"\sum_{i=1}^{r} \sum_{j=1}^{s-1} \sqrt",
            ),
        ],
        [
            Entry(
                "b", lambda c, c0: -np.log(c / c0), "ray", {"c": "ray[4] ~ positive", "c_0": 3.0}
            ),
            Entry(
                "x^{(3)}",
                lambda A, c, c0: simultaneous(A, -np.log(c / c0), 3),
                "pix",
                {"A": "ray[4] pix[3] ~ positive", "c": "ray[4] ~ positive", "c_0": 3.0},
            ),
            Entry(
                "z^{(2)}",
                lambda A, g: expectation(A, g, 2),
                "pix",
                {"A": "ray[4] pix[3] ~ positive", "g": "ray[4] ~ positive"},
            ),
            Entry("q", filtered, "angle det", {"p": "angle[2] det[5]"}),
            Entry(
                "f",
                lambda p, t: np.pi / 2 * sum(filtered(p)[a, t[a]] for a in range(2)),
                "pix",
                {"p": "angle[2] det[5]", "t": "angle[2] pix[4] ~ whole 5"},
            ),
            Entry(
                r"\mathrm{TV}",
                variation,
                "",
                {"u": "row[3] col[4]", "beta": 0.1},
            ),
        ],
    ),
]
"""Documents of fields that the other rooms leave out, written as their textbooks and papers are."""
