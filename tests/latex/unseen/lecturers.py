"""Five documents of lecturers: numerical methods, analysis of variance, neurons, detection, signals."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def power_iteration(A, v, K):
    v = v / np.linalg.norm(v)
    for _ in range(K):
        v = A @ v / np.linalg.norm(A @ v)
    return v


def jacobi(A, b, K):
    x = np.zeros(len(b))
    for _ in range(K):
        x = (b - A @ x + np.diag(A) * x) / np.diag(A)
    return x


def conjugate(A, b, K):
    x, r = np.zeros(len(b)), b
    p = r
    for _ in range(K):
        a = r @ r / (p @ A @ p)
        x, new = x + a * p, r - a * A @ p
        p, r = new + new @ new / (r @ r) * p, new
    return x


def runge_kutta(A, y, h, N):
    found = [y]
    for _ in range(N):
        k1 = A @ y
        k2 = A @ (y + h / 2 * k1)
        k3 = A @ (y + h / 2 * k2)
        k4 = A @ (y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        found.append(y)
    return np.stack(found)


def lagrange(s, x, y):
    total = 0.0
    for j in range(len(x)):
        others = np.delete(x, j)
        total += y[j] * np.prod((s - others) / (x[j] - others))
    return total


def trapezoid(f, a, b):
    return (b - a) / (len(f) - 1) * (f[0] / 2 + f[1:-1].sum() + f[-1] / 2)


def between(Y):
    return Y.shape[1] * ((Y.mean(1) - Y.mean()) ** 2).sum()


def within(Y):
    return ((Y - Y.mean(1, keepdims=True)) ** 2).sum()


def variance_ratio(Y):
    a, n = Y.shape
    return between(Y) / (a - 1) / (within(Y) / (a * (n - 1)))


def interaction(Z):
    rows, cols = Z.mean((1, 2)), Z.mean((0, 2))
    return Z.mean(2) - rows[:, None] - cols + Z.mean()


def pooled_contrast(Y, c):
    a, n = Y.shape
    error = np.sqrt(within(Y) / (a * (n - 1)) * (c**2 / n).sum())
    return c @ Y.mean(1) / error


def jackknife(x):
    n = len(x)
    left = np.array([np.delete(x, i).mean() for i in range(n)])
    return np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())


def rank_test(R):
    """The statistic of Friedman, of ranks by block and treatment."""
    n, k = R.shape
    return 12 * n / (k * (k + 1)) * ((R.mean(0) - (k + 1) / 2) ** 2).sum()


def integrate_and_fire(W, J, a, theta):
    """Voltages and spikes by step, from nothing."""
    v = s = np.zeros(len(W))
    volts, spikes = [], []
    for current in J:
        v = a * v * (1 - s) + s @ W + current
        s = (v > theta) * 1.0
        volts.append(v)
        spikes.append(s)
    return np.stack(volts), np.stack(spikes)


def traces(S, b):
    x, found = np.zeros(S.shape[1]), []
    for row in S:
        x = b * x + row
        found.append(x)
    return np.stack(found)


def plasticity(S, Z, up, down, b):
    x, y = traces(S, b), traces(Z, b)
    return up * x.T @ Z - down * S.T @ y


def tuned(s, phi, r, k):
    return r * np.exp(k * (np.cos(s - phi) - 1))


def information(s, phi, r, k, T):
    f = tuned(s, phi, r, k)
    slope = -k * np.sin(s - phi) * f
    return T * (slope**2 / f).sum()


def divisive(E, w, sigma, n):
    return E**n / (sigma**n + w.T @ E**n)


def encoded(x, K, h, y, b):
    """The log-likelihood of counts under filters of the stimulus and of the past."""
    T, L, M = len(x), K.shape[0], len(h)
    total = 0.0
    for t in range(max(L, M), T):
        eta = b + sum(K[l] @ x[t - l] for l in range(L))
        eta += sum(h[m] * y[t - m - 1] for m in range(M))
        total += y[t] * eta - np.exp(eta)
    return total


def corners(b):
    return np.concatenate([b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2], 1)


def generalised(a, b):
    """Intersection over union of all pairs, minus the share of the hull that neither covers."""
    p, t = corners(a)[:, None], corners(b)
    size = lambda box: np.prod(np.maximum(box[..., 2:] - box[..., :2], 0), -1)
    low, high = np.maximum(p[..., :2], t[..., :2]), np.minimum(p[..., 2:], t[..., 2:])
    inter = size(np.concatenate([low, high], -1))
    union = size(p) + size(t) - inter
    low, high = np.minimum(p[..., :2], t[..., :2]), np.maximum(p[..., 2:], t[..., 2:])
    hull = size(np.concatenate([low, high], -1))
    return inter / union - (hull - union) / hull


def matching_cost(z, b, c, t):
    l1 = np.abs(b[:, None] - t).sum(2)
    return -softmax(z)[:, c] + 5 * l1 + 2 * (1 - generalised(b, t))


def hungarian(z, b, c, t, s):
    p = softmax(z)[s, c]
    g = generalised(b[s], t)
    boxes = 5 * np.abs(b[s] - t).sum(1) + 2 * (1 - np.diag(g))
    return (-np.log(p) + boxes).sum()


def angles(N):
    return 2 * np.pi * np.outer(np.arange(N), np.arange(N)) / N


def power_spectrum(x):
    return np.abs(np.fft.fft(x)) ** 2 / len(x)


def cosine_basis(N):
    k, n = np.arange(N)[:, None], np.arange(N)
    scale = np.where(k == 0, np.sqrt(1 / N), np.sqrt(2 / N))
    return scale * np.cos(np.pi * (2 * n + 1) * k / (2 * N))


def haar(x):
    return (x[::2] + x[1::2]) / np.sqrt(2), (x[::2] - x[1::2]) / np.sqrt(2)


def circular(h, x):
    N = len(x)
    return np.array([sum(h[m] * x[(n - m) % N] for m in range(len(h))) for n in range(N)])


def frames(x, N, H):
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N) / N)
    return np.stack([w * x[i : i + N] for i in range(0, len(x) - N + 1, H)])


def factorised(V, W, H, K):
    for _ in range(K):
        H = H * (W.T @ V) / (W.T @ W @ H)
        W = W * (V @ H.T) / (W @ H @ H.T)
    return W, H


DOCUMENTS = [
    Unseen(
        "iterations.tex",
        r"""\documentclass[11pt]{scrartcl}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\row}{row} \ndef{\col}{col} \ndef{\node}{node} \ndef{\step}{step}
\newcommand{\R}{\mathbb{R}}
\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}
\begin{document}
\section*{Lecture 4: Iterations}

In this lecture $A \in \R^{\row[n] \times \col[n]}$ is a square matrix and $b \in \R^{\row[n]}$ a right-hand side. A matrix maps vectors over $\col$ to vectors over $\row$; when we want to apply it
once more, we rename.

\subsection*{1. Eigenvalues}
The power method starts from any vector $v^0 \in \R^{\col[n]}$ with $\norm{v^0} = 1$ and repeats
\begin{align}
w^{k} &= \left[ A \ndot{\col} v^{k-1} \right]_{\row \to \col} \\
v^{k} &= \frac{w^k}{\norm{w^k}_{\col}} , \qquad k = 1, 2, \dots, K .
\end{align}
An estimate of the eigenvalue is the Rayleigh quotient
\begin{equation}
\rho(v) = \frac{ v_{\col \to \row} \ndot{\row} A \ndot{\col} v }{ v \ndot{\col} v } .
\end{equation}

\subsection*{2. Linear systems}
\paragraph{Jacobi.} Solve the $i$-th equation for the $i$-th unknown, starting with $x^{(0)} = 0$:
\begin{equation}
x^{(k+1)}_{\col(i)} = \frac{1}{A_{\row(i), \col(i)}} \left( b_{\row(i)} - \sum_{j \ne i} A_{\row(i), \col(j)} \, x^{(k)}_{\col(j)} \right), \qquad i = 1, \dots, n.
\end{equation}
It converges if $A$ is strictly diagonally dominant, i.e.\ $|A_{\row(i), \col(i)}| > \sum_{j \neq i} |A_{\row(i), \col(j)}|$ for all $i$.

\paragraph{Conjugate gradients.} Now let $A$ be symmetric and positive definite. Let $y_0 = 0$ and $p_0 = r_0 = b$. For $k = 0, \dots, K - 1$:
\begin{align}
\alpha_k &= \frac{ r_k \ndot{\row} r_k }{ p_k \ndot{\row} A \ndot{\col} [p_k]_{\row \to \col} } \\
y_{k+1} &= y_k + \alpha_k p_k \\
r_{k+1} &= r_k - \alpha_k A \ndot{\col} [p_k]_{\row \to \col} \\
\beta_k &= \frac{ r_{k+1} \ndot{\row} r_{k+1} }{ r_k \ndot{\row} r_k } \\
p_{k+1} &= r_{k+1} + \beta_k p_k
\end{align}

\paragraph{Condition.} How much are errors magnified? In the Frobenius norm
\begin{equation}
\kappa(A) = \norm{A}_F \norm{\nfun{\row, \col}{inv} A}_F .
\end{equation}

\subsection*{3. Initial value problems}
Let $f(y) = \left[ A \ndot{\col} y \right]_{\row \to \col}$ and let $h > 0$ be the step size. The classical method of Runge and Kutta is
\begin{align}
k_1 &= f(u_{\step(t)}), & k_2 &= f\left( u_{\step(t)} + \tfrac{h}{2} k_1 \right), \\
k_3 &= f\left( u_{\step(t)} + \tfrac{h}{2} k_2 \right), & k_4 &= f\left( u_{\step(t)} + h k_3 \right),
\end{align}
\begin{equation}
u_{\step(t+1)} = u_{\step(t)} + \frac{h}{6} \left( k_1 + 2 k_2 + 2 k_3 + k_4 \right), \qquad t = 1, \dots, N,
\end{equation}
where $u_{\step(1)} = u_0$ is given, $u_0 \in \R^{\col[n]}$.

\subsection*{4. Interpolation and quadrature}
Through $m$ points $(x_j, y_j)$ with $x, y \in \R^{\node[m]}$ there is one polynomial of degree $m - 1$. In Lagrange's form it is
\begin{equation}
L(s) = \sum_{j=1}^{m} y_j \, \ell_j(s), \qquad \ell_j(s) = \prod_{\substack{i = 1 \\ i \ne j}}^{m} \frac{s - x_i}{x_j - x_i} .
\end{equation}
For equidistant nodes on $[a, b]$ and values $g \in \R^{\node[m]}$ the trapezoidal rule reads
\begin{equation}
T = \frac{b - a}{m - 1} \left( \frac{g_{\node(1)}}{2} + \sum_{i=2}^{m-1} g_{\node(i)} + \frac{g_{\node(m)}}{2} \right), \qquad a, b \in \R .
\end{equation}
(Here $b$ is a number, not the right-hand side.)
\end{document}
""",
        [
            Fault(
                r"w^{k} &= \left[ A \ndot{\col} v^{k-1} \right]_{\row \to \col}",
                r"w^{k} &= \left[ A \ndot{\row} v^{k-1} \right]_{\row \to \col}",
            ),
            Fault(
                r"A_{\row(i), \col(j)} \, x^{(k)}_{\col(j)}",
                r"A_{\row(i), \col(j)} \, x^{(k)}_{\row(j)}",
            ),
            Fault(
                r"r_k - \alpha_k A \ndot{\col} [p_k]_{\row \to \col}",
                r"r_k - \alpha_k A \ndot{\row} p_k",
            ),
        ],
        [
            Entry(
                "v^K",
                lambda v, A: power_iteration(A, v, 3),
                "col",
                {"v0": "col[3]", "A": "row[3] col[3] ~ definite"},
                chosen={"K": 3},
            ),
            Entry(
                r"\rho",
                lambda v, A: v @ A @ v / (v @ v),
                "",
                {"v": "col[3]", "A": "row[3] col[3]"},
            ),
            Entry(
                "x^{(3)}",
                lambda A, b: jacobi(A, b, 3),
                "col",
                {"A": "row[3] col[3] ~ definite", "b": "row[3]"},
            ),
            Entry(
                "y_K",
                lambda A, b: conjugate(A, b, 2),
                "row",
                {"A": "row[3] col[3] ~ definite", "b": "row[3]"},
                chosen={"K": 2},
            ),
            Entry(
                r"\kappa",
                lambda A: np.linalg.norm(A) * np.linalg.norm(np.linalg.inv(A)),
                "",
                {"A": "row[3] col[3] ~ definite"},
            ),
            Entry(
                "u",
                lambda A, y, h: runge_kutta(A, y, h, 3),
                "step col",
                {"A": "row[3] col[3] ~ definite", "u_0": "col[3]", "h": 0.1},
                chosen={"N": 3},
            ),
            Entry("L", lagrange, "", {"s": 0.4, "x": "node[4]", "y": "node[4]"}),
            Entry("T", trapezoid, "", {"g": "node[5]", "a": 0.5, "b": 2.0}),
        ],
    ),
    Unseen(
        "anova.md",
        r"""Statistics II -- Handout 7: Analysis of variance
================================================

One factor
----------

An experiment compares $a$ treatments with $n$ replications each. The data are $Y \in \mathbb{R}^{\text{treat}:a, \text{rep}:n}$, and $Y_{ij}$ is the $j$-th observation under the $i$-th treatment.
A dot in place of an index, with a bar above, means that we average over this index:

$$
\bar{Y}_{i\cdot} = \frac{1}{n} \sum_{j=1}^{n} Y_{ij}, \qquad
\bar{Y}_{\cdot\cdot} = \frac{1}{an} \sum_{i=1}^{a} \sum_{j=1}^{n} Y_{ij}
$$

The total sum of squares splits into what lies between treatments and what lies within them:

$$
\begin{aligned}
SS_{\text{tot}} &= \sum_{i=1}^{a} \sum_{j=1}^{n} (Y_{ij} - \bar{Y}_{\cdot\cdot})^2 \\
SS_{\text{bet}} &= n \sum_{i=1}^{a} (\bar{Y}_{i\cdot} - \bar{Y}_{\cdot\cdot})^2 \\
SS_{\text{wit}} &= \sum_{i=1}^{a} \sum_{j=1}^{n} (Y_{ij} - \bar{Y}_{i\cdot})^2
\end{aligned}
$$

and $SS_{\text{tot}} = SS_{\text{bet}} + SS_{\text{wit}}$. The test statistic

$$
F = \frac{ SS_{\text{bet}} / (a - 1) }{ SS_{\text{wit}} / (a(n-1)) }
$$

has an $F$ distribution with $a - 1$ and $a(n-1)$ degrees of freedom if all treatments are equal. As an effect size we report

$$
\eta^2 = \frac{ SS_{\text{bet}} }{ SS_{\text{tot}} } .
$$

### Contrasts

A *contrast* is a linear combination of the treatment means whose coefficients $c \in \mathbb{R}^{\text{treat}:a}$ add up to zero, $\sum_{\text{treat}} c = 0$. With $m = \underset{\text{rep}}{\text{mean}}\, Y$ its estimate, standard error and test statistic are

$$
\hat{\psi} = c \underset{\text{treat}}{\cdot} m, \qquad
\text{SE} = \sqrt{ \frac{ SS_{\text{wit}} }{ a(n-1) } \sum_{\text{treat}} \frac{c^2}{n} }, \qquad
t = \frac{ \hat{\psi} }{ \text{SE} } .
$$

Two factors
-----------

Now there are two factors, with $Z \in \mathbb{R}^{\text{fert}, \text{water}, \text{rep}:n}$. The cell means are $\mu = \underset{\text{rep}}{\text{mean}}\, Z$, and main effects and interaction are estimated by

$$
\begin{aligned}
g &= \underset{\text{fert}, \text{water}}{\text{mean}} \mu \\
\alpha &= \underset{\text{water}}{\text{mean}}\, \mu - g \\
\beta &= \underset{\text{fert}}{\text{mean}}\, \mu - g \\
\gamma &= \mu - g - \alpha - \beta, \qquad \gamma \in \mathbb{R}^{\text{fert}, \text{water}}
\end{aligned}
$$

Check: $\sum_{\text{fert}} \gamma = 0$ and $\sum_{\text{water}} \gamma = 0$. If the interaction is large, main effects should not be interpreted alone.

Without normality
-----------------

**Ranks.** In $n$ blocks, every block ranks the $k$ treatments; $R \in \mathbb{R}^{\text{block}:n, \text{treat}:k}$ are the ranks. Friedman's statistic is

$$
Q = \frac{12 n}{k(k+1)} \sum_{\text{treat}} \left( \underset{\text{block}}{\text{mean}}\, R - \frac{k+1}{2} \right)^2 .
$$

**Jackknife.** For a sample $x \in \mathbb{R}^{\text{obs}:n}$ leave out one observation at a time:

$$
\bar{x}_{(i)} = \frac{1}{n-1} \sum_{j \neq i} x_j, \qquad i = 1, \ldots, n
$$

The jackknife estimate of the standard error of the mean is

$$
\text{se}_{\text{jack}} = \sqrt{ \frac{n-1}{n} \sum_{i=1}^{n} \left( \bar{x}_{(i)} - \bar{x}_{(\cdot)} \right)^2 }, \qquad \bar{x}_{(\cdot)} = \frac{1}{n} \sum_{i=1}^{n} \bar{x}_{(i)} .
$$

**Shrinkage.** (Not part of the exam.) When $p \ge 3$ means are estimated at once from $z \in \mathbb{R}^{\text{par}:p}$ with variance $\sigma^2$, the estimate of James and Stein,

$$
\text{JS}(z) = \left( 1 - \frac{(p - 2) \sigma^2}{\| z \|^2} \right) z ,
$$

is better than $z$ itself, whatever the true means are.
""",
        [
            Fault(
                r"\hat{\psi} = c \underset{\text{treat}}{\cdot} m",
                r"\hat{\psi} = c \underset{\text{rep}}{\cdot} m",
            ),
            Fault(
                r"\beta &= \underset{\text{fert}}{\text{mean}}\, \mu - g",
                r"\beta &= \underset{\text{rep}}{\text{mean}}\, \mu - g",
            ),
            Fault(
                r"\left( \underset{\text{block}}{\text{mean}}\, R - \frac{k+1}{2} \right)^2",
                r"\left( \underset{\text{treat}}{\text{mean}}\, R - \frac{k+1}{2} \right)^2",
            ),
        ],
        [
            Entry(r"SS_{\text{bet}}", between, "", {"Y": "treat[3] rep[4]"}),
            Entry(r"SS_{\text{wit}}", within, "", {"Y": "treat[3] rep[4]"}),
            Entry("F", variance_ratio, "", {"Y": "treat[3] rep[4]"}),
            Entry(
                r"\eta^2",
                lambda Y: between(Y) / ((Y - Y.mean()) ** 2).sum(),
                "",
                {"Y": "treat[3] rep[4]"},
            ),
            Entry("t", pooled_contrast, "", {"Y": "treat[3] rep[4]", "c": "treat[3]"}),
            Entry(r"\gamma", interaction, "fert water", {"Z": "fert[2] water[3] rep[4]"}),
            Entry("Q", rank_test, "", {"R": "block[4] treat[3]"}),
            Entry(r"\text{se}_{\text{jack}}", jackknife, "", {"x": "obs[5]"}),
            Entry(
                r"\text{JS}",
                lambda z, s: (1 - (len(z) - 2) * s**2 / (z @ z)) * z,
                "par",
                {"z": "par[4]", "sigma": 0.5},
            ),
        ],
    ),
    Unseen(
        "neurons.tex",
        r"""\documentclass{revtex4-2}
\usepackage{amsmath,amssymb}
\newcommand{\ax}[1]{\mathrm{#1}}
\newcommand{\on}[1]{\underset{\ax{#1}}{\cdot}}
\begin{document}
\title{Five equations of theoretical neuroscience}
\maketitle

\section{Spiking networks}
Consider $N$ leaky integrate-and-fire neurons in discrete time. Weights $W \in \mathbb{R}^{\ax{pre}:N \times \ax{post}:N}$ go from a presynaptic to a postsynaptic neuron; $J \in \mathbb{R}^{\ax{time}:T \times \ax{post}:N}$ is an external current.
The membrane potential decays by a factor $a \in (0, 1)$ per step and is reset to zero after a spike,
\begin{align}
v_t &= a \, v_{t-1} \odot (1 - s_{t-1}) + W \on{pre} [s_{t-1}]_{\ax{post} \to \ax{pre}} + J_{\ax{time}(t)} , \label{eq:lif} \\
s_t &= \mathbb{1}[v_t > \vartheta] ,
\end{align}
with threshold $\vartheta = 1$ and $v_0 = s_0 = 0$. The firing rate is
\begin{equation}
\nu = \frac{1}{T} \sum_{t=1}^{T} s_t .
\end{equation}

\section{Plasticity}
Spike-timing-dependent plasticity uses a trace of the past spikes of each neuron. Let $S \in \{0, 1\}^{\ax{time}:T \times \ax{pre}:N}$ and $Z \in \{0, 1\}^{\ax{time}:T \times \ax{post}:N}$ be spike trains. The traces obey
\begin{equation}
x_t = \rho x_{t-1} + S_{\ax{time}(t)}, \qquad y_t = \rho y_{t-1} + Z_{\ax{time}(t)}, \qquad x_0 = 0, \; y_0 = 0,
\end{equation}
where $0 < \rho < 1$ is the decay. A spike of the postsynaptic neuron strengthens a synapse in proportion to the trace of the presynaptic neuron, and the reverse order weakens it:
\begin{equation}
\Delta W = A_+ \sum_{t=1}^{T} x_t \odot Z_{\ax{time}(t)} - A_- \sum_{t=1}^{T} S_{\ax{time}(t)} \odot y_t, \qquad \Delta W \in \mathbb{R}^{\ax{pre}:N \times \ax{post}:N},
\end{equation}
with amplitudes $A_+, A_- > 0$.

\section{Population codes}
Neurons with preferred directions $\varphi \in \mathbb{R}^{\ax{cell}:M}$ have the tuning curves
\begin{equation}
f(\theta) = r_{\max} \exp\left( \kappa \left( \cos(\theta - \varphi) - 1 \right) \right) .
\end{equation}
Here $r_{\max}$ is the peak rate and $\kappa$ the sharpness. How well can $\theta$ be estimated from Poisson counts in a window of length $\tau$? The Fisher information is
\begin{equation}
I_F(\theta) = \tau \sum_{\ax{cell}} \frac{ f'(\theta)^2 }{ f(\theta) }, \qquad f'(\theta) = - \kappa \sin(\theta - \varphi) \odot f(\theta) .
\end{equation}
The population vector of counts $n \in \mathbb{R}^{\ax{cell}:M}$ has the coordinates $u = \sum_{\ax{cell}} n \odot \cos \varphi$ and $w = \sum_{\ax{cell}} n \odot \sin \varphi$, thus
\begin{equation}
\hat{\theta} = \arctan \frac{w}{u} \qquad \text{if } u > 0 .
\end{equation}

\section{Normalisation}
The response of a cell is its drive $E \in \mathbb{R}_{\ge 0}^{\ax{cell}:M}$, divided by the drive of its neighbours,
\begin{equation}
R = \frac{ E^p }{ \sigma^p + \Omega \on{cell'} \left[ E^p \right]_{\ax{cell} \to \ax{cell}'} } , \qquad \Omega \in \mathbb{R}^{\ax{cell}':M \times \ax{cell}:M},
\end{equation}
with a semi-saturation constant $\sigma$ and an exponent $p$, often $p = 2$.

\section{Encoding models}
Finally, let $X \in \mathbb{R}^{\ax{time}:T \times \ax{pix}}$ be a stimulus and $c \in \mathbb{R}^{\ax{time}:T}$ the spike counts of a cell. A filter $K \in \mathbb{R}^{\ax{lag}:L \times \ax{pix}}$ looks at the last $L$ frames, and a filter $h \in \mathbb{R}^{\ax{lag}:L}$ at the
cell's own last $L$ counts. With an offset $\mu \in \mathbb{R}$,
\begin{equation}
\eta_{\ax{time}(t)} = \mu + \sum_{l=1}^{L} K_{\ax{lag}(l)} \on{pix} X_{\ax{time}(t - l + 1)} + \sum_{l=1}^{L} h_{\ax{lag}(l)} c_{\ax{time}(t - l)}, \qquad t = L + 1, \dots, T
\end{equation}
and the log-likelihood is, up to a constant,
\begin{equation}
\ell = \sum_{t=L+1}^{T} \left( c_{\ax{time}(t)} \, \eta_{\ax{time}(t)} - \exp \eta_{\ax{time}(t)} \right) .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"W \on{pre} [s_{t-1}]_{\ax{post} \to \ax{pre}}",
                r"W \on{pre} s_{t-1}",
            ),
            Fault(
                r"\tau \sum_{\ax{cell}} \frac",
                r"\tau \sum_{\ax{time}} \frac",
            ),
            Fault(
                r"K_{\ax{lag}(l)} \on{pix} X",
                r"K_{\ax{lag}(l)} \on{cell} X",
            ),
        ],
        [
            Entry(
                "v",
                lambda W, J, a: integrate_and_fire(W, J, a, 1.0)[0],
                "time post",
                {"W": "pre[3] post[3]", "J": "time[6] post[3] ~ positive", "a": 0.8},
            ),
            Entry(
                r"\nu",
                lambda W, J, a: integrate_and_fire(W, J, a, 1.0)[1].mean(0),
                "post",
                {"W": "pre[3] post[3]", "J": "time[6] post[3] ~ positive", "a": 0.8},
            ),
            Entry(
                r"\Delta W",
                plasticity,
                "pre post",
                {
                    "S": "time[6] pre[3] ~ bits",
                    "Z": "time[6] post[3] ~ bits",
                    "A_plus": 0.5,
                    "A_minus": 0.3,
                    "rho": 0.9,
                },
            ),
            Entry(
                "I_F",
                information,
                "",
                {"theta": 0.3, "varphi": "cell[4]", "r_max": 20.0, "kappa": 1.5, "tau": 0.2},
            ),
            Entry(
                r"\hat{\theta}",
                lambda n, p: np.arctan((n * np.sin(p)).sum() / (n * np.cos(p)).sum()),
                "",
                {"n": "cell[4] ~ counts", "varphi": "cell[4]"},
            ),
            Entry(
                "R",
                divisive,
                "cell",
                {
                    "E": "cell[3] ~ positive",
                    "Omega": "cell'[3] cell[3] ~ positive",
                    "sigma": 0.7,
                    "p": 2.0,
                },
            ),
            Entry(
                r"\ell",
                encoded,
                "",
                {
                    "X": "time[7] pix[2]",
                    "K": "lag[2] pix[2]",
                    "h": "lag[2]",
                    "c": "time[7] ~ counts",
                    "mu": 0.1,
                },
            ),
        ],
    ),
    Unseen(
        "detection.md",
        r"""# Detection as set prediction

Most detectors predict thousands of boxes and remove duplicates afterwards. DETR predicts a *set*: a fixed number of slots, $n = |\text{query}|$, each of which says what it
sees and where, or that it sees nothing.

**Predictions.** From a decoder we get class logits $Z \in \mathbb{R}^{\text{query}:n, \text{class}:C}$, and boxes $b \in [0,1]^{\text{query}:n, \text{coord}:4}$, as centre, width and height: $(x, y, w, h)$.

$$P = \underset{\text{class}}{\text{softmax}}\, Z$$

**Ground truth.** There are $m \leq n$ objects. Their classes are $c \in [C]^{\text{obj}:m}$ and their boxes $t \in [0,1]^{\text{obj}:m, \text{coord}:4}$.

## Boxes

Overlap is easier with corners. For a box $u \in \mathbb{R}^{\text{coord}:4}$,

$$
\text{lo}(u)_{\text{side}(k)} = u_{\text{coord}(k)} - \frac{u_{\text{coord}(k+2)}}{2}, \qquad
\text{hi}(u)_{\text{side}(k)} = u_{\text{coord}(k)} + \frac{u_{\text{coord}(k+2)}}{2}, \qquad k = 1, 2.
$$

The area of what lies between two corners $p, q \in \mathbb{R}^{\text{side}:2}$ is

$$\text{area}(p, q) = \prod_{\text{side}} \max(q - p, 0).$$

Then the *intersection* and the *hull* of two boxes are

$$
\begin{aligned}
\text{inter}(u, v) &= \text{area}\big( \max(\text{lo}(u), \text{lo}(v)), \; \min(\text{hi}(u), \text{hi}(v)) \big) \\
\text{hull}(u, v) &= \text{area}\big( \min(\text{lo}(u), \text{lo}(v)), \; \max(\text{hi}(u), \text{hi}(v)) \big) \\
\text{union}(u, v) &= \text{area}(\text{lo}(u), \text{hi}(u)) + \text{area}(\text{lo}(v), \text{hi}(v)) - \text{inter}(u, v)
\end{aligned}
$$

where $v \in \mathbb{R}^{\text{coord}:4}$ is a box like $u$, and the generalised intersection over union is

$$
\text{GIoU}(u, v) = \frac{\text{inter}(u, v)}{\text{union}(u, v)} - \frac{\text{hull}(u, v) - \text{union}(u, v)}{\text{hull}(u, v)}.
$$

The loss of a box mixes it with the $\ell_1$ distance, because the latter alone prefers small boxes:

$$
\mathcal{L}_{\text{box}}(u, v) = \lambda_{\text{iou}} \left(1 - \text{GIoU}(u, v)\right) + \lambda_{L1} \| u - v \|_1, \qquad \lambda_{\text{iou}} = 2, \quad \lambda_{L1} = 5.
$$

## Matching

The cost of giving slot $i$ to object $j$ is

$$
\mathcal{C}_{\text{query}(i), \text{obj}(j)} = - P_{\text{query}(i), \text{class}(c_{\text{obj}(j)})} + \mathcal{L}_{\text{box}}(b_{\text{query}(i)}, t_{\text{obj}(j)}).
$$

The Hungarian algorithm finds the cheapest assignment, which gives each object its slot, $s \in [n]^{\text{obj}:m}$. (No probability in logarithms here; the authors found that this works better.)

## Loss

$$
\mathcal{L} = \sum_{j=1}^{m} \left[ - \log P_{\text{query}(s_j), \text{class}(c_j)} + \mathcal{L}_{\text{box}}(b_{\text{query}(s_j)}, t_{\text{obj}(j)}) \right]
$$

Slots without an object are left out here for simplicity. RetinaNet and its successors use a focal loss instead of the logarithm: with one-hot targets $Y \in \{0, 1\}^{\text{query}:n, \text{class}:C}$ and $\pi = \sigma(Z)$

$$
\text{focal} = - \sum_{\text{query}, \text{class}} \left[ \alpha Y \odot (1 - \pi)^2 \odot \log \pi + (1 - \alpha) (1 - Y) \odot \pi^2 \odot \log(1 - \pi) \right], \quad \alpha = 0.25.
$$
""",
        [
            Fault(
                r"P = \underset{\text{class}}{\text{softmax}}\, Z",
                r"P = \underset{\text{coord}}{\text{softmax}}\, Z",
            ),
            Fault(
                r"+ \mathcal{L}_{\text{box}}(b_{\text{query}(i)}, t_{\text{obj}(j)}).",
                r"+ \mathcal{L}_{\text{box}}(b_{\text{query}(i)}, t_{\text{query}(j)}).",
            ),
            Fault(
                r"\text{query}(s_j), \text{class}(c_j)",
                r"\text{query}(s_j), \text{obj}(c_j)",
            ),
        ],
        [
            Entry("P", softmax, "query class", {"Z": "query[4] class[3]"}),
            Entry(
                r"\text{GIoU}",
                lambda u, v: generalised(u[None], v[None])[0, 0],
                "",
                {"u": "coord[4] ~ positive", "v": "coord[4] ~ positive"},
            ),
            Entry(
                r"\mathcal{C}",
                matching_cost,
                "query obj",
                {
                    "Z": "query[4] class[3]",
                    "b": "query[4] coord[4] ~ positive",
                    "c": "obj[2] ~ whole 3",
                    "t": "obj[2] coord[4] ~ positive",
                },
            ),
            Entry(
                r"\mathcal{L}",
                hungarian,
                "",
                {
                    "Z": "query[4] class[3]",
                    "b": "query[4] coord[4] ~ positive",
                    "c": "obj[2] ~ whole 3",
                    "t": "obj[2] coord[4] ~ positive",
                    "s": "obj[2] ~ whole 4",
                },
            ),
            Entry(
                r"\text{focal}",
                lambda Z, Y: (
                    -(
                        0.25 * Y * (1 - 1 / (1 + np.exp(-Z))) ** 2 * np.log(1 / (1 + np.exp(-Z)))
                        + 0.75 * (1 - Y) / (1 + np.exp(-Z)) ** 2 * np.log(1 - 1 / (1 + np.exp(-Z)))
                    ).sum()
                ),
                "",
                {"Z": "query[4] class[3]", "Y": "query[4] class[3] ~ one-hot class"},
            ),
        ],
    ),
    Unseen(
        "signals.tex",
        r"""\documentclass{beamer}
\usepackage{amsmath,namedtensor}
\ndef{\tim}{time} \ndef{\bin}{bin} \ndef{\frm}{frame} \ndef{\tap}{tap} \ndef{\half}{half} \ndef{\comp}{comp} \ndef{\mel}{mel}
\newcommand{\RR}{\mathbb{R}}
\begin{document}

\begin{frame}{The Fourier transform is a matrix}
A signal is a vector $x \in \RR^{\tim[N]}$. We avoid complex numbers and use two real matrices, for $k, n = 1, \dots, N$,
\begin{align*}
C_{\bin(k), \tim(n)} &= \cos \frac{2 \pi (k - 1)(n - 1)}{N} \\
S_{\bin(k), \tim(n)} &= \sin \frac{2 \pi (k - 1)(n - 1)}{N}
\end{align*}
The power in each bin is
\[
P(x) = \frac{1}{N} \left[ \left( C \ndot{\tim} x \right)^2 + \left( S \ndot{\tim} x \right)^2 \right]
\]
\begin{block}{Parseval}
Energy is preserved: $\nsum{\bin} P(x) = \nsum{\tim} x^2$.
\end{block}
\end{frame}

\begin{frame}{The cosine transform}
JPEG and MP3 use
\[
D_{\bin(k), \tim(n)} = \begin{cases}
\sqrt{1/N} & \text{if } k = 1 \\
\sqrt{2/N} \cos \dfrac{\pi (2n - 1)(k - 1)}{2N} & \text{if } k > 1
\end{cases}
\]
which is orthogonal: $D \ndot{\tim} D_{\bin \to \bin'} = I_{\bin, \bin'}$. So $X = D \ndot{\tim} x$ has the inverse $x = D \ndot{\bin} X$.
\end{frame}

\begin{frame}{One step of Haar's wavelet}
For even $N$ sums and differences of neighbours are
\begin{align*}
a_{\half(i)} &= \frac{x_{\tim(2i-1)} + x_{\tim(2i)}}{\sqrt 2}, &
d_{\half(i)} &= \frac{x_{\tim(2i-1)} - x_{\tim(2i)}}{\sqrt 2}, & i &= 1, \dots, N/2 .
\end{align*}
Denoising shrinks the details, with a threshold $\lambda > 0$,
\[
\tilde d = \operatorname{sign}(d) \odot \max(|d| - \lambda, 0),
\]
and reconstructs
\[
\tilde x_{\tim(n)} = \begin{cases}
\dfrac{1}{\sqrt 2} \left( a_{\half((n+1)/2)} + \tilde d_{\half((n+1)/2)} \right) & n \text{ odd} \\[2ex]
\dfrac{1}{\sqrt 2} \left( a_{\half(n/2)} - \tilde d_{\half(n/2)} \right) & n \text{ even.}
\end{cases}
\]
\end{frame}

\begin{frame}{Filters}
The circular convolution with a filter $h \in \RR^{\tap[L]}$, where $L \le N$, is
\[
(h \ast x)_{\tim(n)} = \sum_{m=1}^{L} h_{\tap(m)} \, x_{\tim(((n - m) \bmod N) + 1)} .
\]
\end{frame}

\begin{frame}{Spectrograms}
Cut a long signal $s \in \RR^{\name{sample}[T]}$ into frames of $N$ samples, $H$ apart, and weight each of them by a Hann window,
\begin{align*}
w_{\tim(n)} &= \frac{1}{2} - \frac{1}{2} \cos \frac{2 \pi (n-1)}{N} \\
F_{\frm(m), \tim(n)} &= w_{\tim(n)} \, s_{\name{sample}((m - 1) H + n)}, \qquad m = 1, \dots, M .
\end{align*}
The spectrogram $V = P(F)$ is $V \in \RR^{\frm[M] \times \bin[N]}$. On a mel scale it is $\log(B \ndot{\bin} V)$ for a filter bank $B \in \RR^{\mel \times \bin[N]}$.
\end{frame}

\begin{frame}{Factorisation}
A spectrogram $V \in \RR_{\ge 0}^{\frm[M] \times \bin[N]}$ is a sum of a few sounds: $V \approx A \ndot{\comp} G$ with activations $A \in \RR^{\frm[M] \times \comp}$ and spectra $G \in \RR^{\comp \times \bin[N]}$. Lee and Seung's updates are, for $r = 1, \dots, R$,
\begin{align*}
G^{r} &= G^{r-1} \odot \frac{ A^{r-1} \ndot{\frm} V }{ A^{r-1} \ndot{\frm} \left( [A^{r-1}]_{\comp \to \comp'} \ndot{\comp'} [G^{r-1}]_{\comp \to \comp'} \right) } \\
A^{r} &= A^{r-1} \odot \frac{ V \ndot{\bin} G^{r} }{ \left( [A^{r-1}]_{\comp \to \comp'} \ndot{\comp'} [G^{r}]_{\comp \to \comp'} \right) \ndot{\bin} G^{r} }
\end{align*}
where $A^0 = A$ and $G^0 = G$ are random positive numbers.
\end{frame}
\end{document}
""",
        [
            Fault(
                r"\left( S \ndot{\tim} x \right)^2",
                r"\left( S \ndot{\bin} x \right)^2",
            ),
            Fault(
                r"h_{\tap(m)} \, x_{\tim(((n - m) \bmod N) + 1)}",
                r"h_{\tim(m)} \, x_{\tim(((n - m) \bmod N) + 1)}",
            ),
            Fault(
                r"\frac{ V \ndot{\bin} G^{r} }",
                r"\frac{ V \ndot{\frm} G^{r} }",
            ),
        ],
        [
            Entry("P", power_spectrum, "bin", {"x": "time[6]"}),
            Entry("X", lambda x: cosine_basis(len(x)) @ x, "bin", {"x": "time[5]"}),
            Entry(
                r"\tilde x",
                lambda x, lam: np.stack(
                    [
                        (
                            haar(x)[0]
                            + sign * np.sign(haar(x)[1]) * np.maximum(np.abs(haar(x)[1]) - lam, 0)
                        )
                        / np.sqrt(2)
                        for sign in (1, -1)
                    ],
                    1,
                ).ravel(),
                "time",
                {"x": "time[6]", "lambda_": 0.2},
            ),
            Entry(r"h \ast x", circular, "time", {"h": "tap[3]", "x": "time[5]"}),
            Entry(
                "F",
                lambda s, H: frames(s, 4, H),
                "frame time",
                {"s": "sample[10]", "H": 2},
                chosen={"N": 4, "M": 4},
            ),
            Entry(
                "G^R",
                lambda V, A, G: factorised(V, A, G, 2)[1],
                "comp bin",
                {
                    "V": "frame[3] bin[4] ~ positive",
                    "A": "frame[3] comp[2] ~ positive",
                    "G": "comp[2] bin[4] ~ positive",
                },
                chosen={"R": 2},
            ),
            Entry(
                "A^R",
                lambda V, A, G: factorised(V, A, G, 2)[0],
                "frame comp",
                {
                    "V": "frame[3] bin[4] ~ positive",
                    "A": "frame[3] comp[2] ~ positive",
                    "G": "comp[2] bin[4] ~ positive",
                },
                chosen={"R": 2},
            ),
        ],
    ),
]
