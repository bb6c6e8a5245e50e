"""Seven documents of neighbouring trades: macro handout, audio note, trial appendix, scan matching, vision lecture, ensembles, ranking."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid

# Impulse responses: Y is time vars, A is lag vars vars', P is vars shock.


def residuals(Y, c, A):
    p = len(A)
    return np.stack(
        [Y[t] - c - sum(A[lag] @ Y[t - lag - 1] for lag in range(p)) for t in range(p, len(Y))]
    )


def residual_covariance(Y, c, A):
    U = residuals(Y, c, A)
    return U.T @ U / len(U)


def responses(A, P, horizon=6):
    found = [P]
    for h in range(1, horizon):
        found.append(sum(A[lag] @ found[h - lag - 1] for lag in range(min(h, len(A)))))
    return np.stack(found)


def shares(A, P, horizon=6):
    total = np.cumsum(responses(A, P, horizon) ** 2, 0)
    return total / total.sum(2, keepdims=True)


def variances(E, w, alpha, beta):
    h = [(E**2).mean(0)]
    for t in range(1, len(E)):
        h.append(w + alpha * E[t - 1] ** 2 + beta * h[-1])
    return np.stack(h)


def likelihood(E, w, alpha, beta):
    h = variances(E, w, alpha, beta)
    return -0.5 * (np.log(2 * np.pi) + np.log(h) + E**2 / h).sum()


def dynamic_correlations(E, w, alpha, beta, a, b):
    z = E / np.sqrt(variances(E, w, alpha, beta))
    mean = z.T @ z / len(z)
    Q = [mean]
    for t in range(1, len(E)):
        Q.append((1 - a - b) * mean + a * np.outer(z[t - 1], z[t - 1]) + b * Q[-1])
    Q = np.stack(Q)
    d = np.sqrt(np.einsum("tii->ti", Q))
    return Q / d[:, :, None] / d[:, None, :]


# The reverberator: x is time.


def damped(x, a):
    y, last = np.zeros_like(x), 0.0
    for t in range(len(x)):
        last = y[t] = (1 - a) * x[t] + a * last
    return y


def comb(x, g, M=3):
    y = x.copy()
    for t in range(M, len(x)):
        y[t] = x[t] + g * y[t - M]
    return y


def allpass(x, g, M=3):
    y = -g * x
    for t in range(M, len(x)):
        y[t] = -g * x[t] + x[t - M] + g * y[t - M]
    return y


def biquad(x, b, a):
    y = np.zeros_like(x)
    for t in range(len(x)):
        y[t] = sum(b[k] * x[t - k] for k in range(3) if t >= k)
        y[t] -= sum(a[k - 1] * y[t - k] for k in (1, 2) if t >= k)
    return y


def householder(f):
    return f - 2 * f.mean(-1, keepdims=True)


def curve(level, threshold, ratio, knee):
    over = level - threshold
    soft = level + (1 / ratio - 1) * (over + knee / 2) ** 2 / (2 * knee)
    hard = threshold + over / ratio
    return np.where(2 * over < -knee, level, np.where(2 * over > knee, hard, soft))


def smoothed(c, up, down):
    g = [c[0]]
    for value in c[1:]:
        k = up if value < g[-1] else down
        g.append(k * g[-1] + (1 - k) * value)
    return np.stack(g)


def panned(x, pan):
    theta = np.pi / 4 * (pan + 1)
    return np.stack([np.cos(theta) @ x, np.sin(theta) @ x])


def sides(x, pan):
    left, right = panned(x, pan)
    return np.stack([left + right, left - right]) / np.sqrt(2)


def loudness(w, x, pan):
    return -0.691 + 10 * np.log10((w * (panned(x, pan) ** 2).mean(1)).sum())


# The trial: X is subj visit cov.


def fitted(X, beta):
    return sigmoid(X @ beta)


def pearson(X, beta, y):
    mu = fitted(X, beta)
    return (y - mu) / np.sqrt(mu * (1 - mu))


def lag_one(X, beta, y, o):
    r = pearson(X, beta, y)
    pairs = o[:, :-1] * o[:, 1:]
    return (pairs * r[:, :-1] * r[:, 1:]).sum() / pairs.sum()


def working(X, beta, rho):
    mu = fitted(X, beta)
    s = np.sqrt(mu * (1 - mu))
    n = np.arange(X.shape[1])
    R = rho ** np.abs(n[:, None] - n)
    return s[:, :, None] * R * s[:, None, :]


def scores(X, beta, y, o):
    return np.einsum("iv,ivc->ic", o * (y - fitted(X, beta)), X)


def bread(X, beta, o):
    mu = fitted(X, beta)
    return np.einsum("iv,ivc,ivd->cd", o * mu * (1 - mu), X, X)


def meat(X, beta, y, o):
    s = scores(X, beta, y, o)
    return s.T @ s


def weights(marginal, full):
    return np.cumprod(marginal / full, 1)


def weighted_score(X, beta, y, o, marginal, full):
    return np.einsum("iv,ivc->c", weights(marginal, full) * o * (y - fitted(X, beta)), X)


def shrunken(o, e, tau, sigma):
    return tau**2 * (o * e).sum(1) / (sigma**2 + tau**2 * o.sum(1))


# Scan matching: p is point dim, m is ref dim.


def rotation(theta):
    return np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])


def moved(p, theta, t):
    return p @ rotation(theta).T + t


def nearest(p, theta, t, m):
    return m[choice(p, theta, t, m)]


def tukey(e, k):
    return np.where(np.abs(e) <= k, (1 - (e / k) ** 2) ** 2, 0.0)


def closed_angle(p, q, w):
    w = w / w.sum()
    a, b = p - w @ p, q - w @ q
    H = np.einsum("n,ni,nj->ij", w, a, b)
    return np.arctan2(H[0, 1] - H[1, 0], H[0, 0] + H[1, 1])


def closed_shift(p, q, w):
    w = w / w.sum()
    return w @ q - rotation(closed_angle(p, q, w)) @ (w @ p)


def plane_errors(p, q, n, theta, t):
    return (n * (moved(p, theta, t) - q)).sum(1)


def jacobian(p, n, theta):
    s = p @ rotation(theta).T
    return np.stack([n[:, 0], n[:, 1], n[:, 1] * s[:, 0] - n[:, 0] * s[:, 1]], 1)


def choice(p, theta, t, m):
    return ((moved(p, theta, t)[:, None] - m) ** 2).sum(2).argmin(1)


def columns(p, theta, t, m, nu):
    return jacobian(p, nu[choice(p, theta, t, m)], theta)


def plane(p, theta, t, m, nu, k):
    c = choice(p, theta, t, m)
    e = plane_errors(p, m[c], nu[c], theta, t)
    return columns(p, theta, t, m, nu), e, tukey(e, k)


def newton_matrix(*given):
    J, _, w = plane(*given)
    return np.einsum("n,na,nb->ab", w, J, J)


def newton_side(*given):
    J, e, w = plane(*given)
    return np.einsum("n,na,n->a", w, J, e)


def odometry(v, omega, dt=0.1):
    theta, x = 0.0, np.zeros(2)
    path = []
    for speed, turn in zip(v, omega, strict=True):
        x = x + dt * speed * np.array([np.cos(theta), np.sin(theta)])
        theta = theta + dt * turn
        path.append(x)
    return np.stack(path)


def occupancy(hit):
    odds = np.where(hit == 1, 0.85, np.where(hit == -1, -0.4, 0.0)).sum(0)
    return 1 - 1 / (1 + np.exp(np.clip(odds, -5, 5)))


# The lecture on flow: I is frame row col.


def gradient(image):
    x = (
        np.concatenate([image[:, 1:], image[:, -1:]], 1)
        - np.concatenate([image[:, :1], image[:, :-1]], 1)
    ) / 2
    y = (np.concatenate([image[1:], image[-1:]]) - np.concatenate([image[:1], image[:-1]])) / 2
    return np.stack([x, y], 2)


def structure(first, w):
    g = gradient(first)
    return np.einsum("rc,rcd,rce->de", w, g, g)


def patch_flow(first, second, w):
    g = gradient(first)
    return np.linalg.solve(structure(first, w), -np.einsum("rc,rcd->d", w * (second - first), g))


def smaller(first, w):
    return np.linalg.eigvalsh(structure(first, w))[0]


def average(f):
    rows, cols = f.shape[:2]
    up, down = (
        f[[max(i - 1, 0) for i in range(rows)]],
        f[[min(i + 1, rows - 1) for i in range(rows)]],
    )
    left = f[:, [max(j - 1, 0) for j in range(cols)]]
    right = f[:, [min(j + 1, cols - 1) for j in range(cols)]]
    return (up + down + left + right) / 4


def horn_schunck(first, second, alpha, steps=3):
    g = gradient(first)
    f = np.zeros_like(g)
    for _ in range(steps):
        m = average(f)
        top = (g * m).sum(2) + second - first
        f = m - g * (top / (alpha**2 + (g**2).sum(2)))[:, :, None]
    return f


def cross_matrix(t):
    return np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])


def essential(t, R):
    return cross_matrix(t) @ R


def epipolar_distance(x, z, t, R):
    E = essential(t, R)
    line, back = x @ E.T, z @ E
    below = (line[:, :2] ** 2).sum(1) + (back[:, :2] ** 2).sum(1)
    return ((z * line).sum(1) ** 2 / below).sum()


# Ensembles: x is ens grid.


def lorenz(x, F=8.0):
    return (np.roll(x, -1, -1) - np.roll(x, 2, -1)) * np.roll(x, 1, -1) - x + F


def runge_kutta(x, dt):
    a = lorenz(x)
    b = lorenz(x + dt / 2 * a)
    c = lorenz(x + dt / 2 * b)
    d = lorenz(x + dt * c)
    return x + dt / 6 * (a + 2 * b + 2 * c + d)


def spread(x):
    A = x - x.mean(0)
    return A.T @ A / (len(x) - 1)


def gaspari_cohn(r):
    inner = 1 - 5 / 3 * r**2 + 5 / 8 * r**3 + r**4 / 2 - r**5 / 4
    with np.errstate(all="ignore"):
        outer = 4 - 5 * r + 5 / 3 * r**2 + 5 / 8 * r**3 - r**4 / 2 + r**5 / 12 - 2 / (3 * r)
    return np.where(r <= 1, inner, np.where(r <= 2, outer, 0.0))


def taper(size, c):
    n = np.arange(size)
    d = np.abs(n[:, None] - n)
    return gaspari_cohn(np.minimum(d, size - d) / c)


def serial(x, h, y, r):
    mean, A = x.mean(0), x - x.mean(0)
    z = A @ h
    s = (z**2).sum() / (len(x) - 1)
    k = A.T @ z / (len(x) - 1) / (s + r**2)
    phi = 1 / (1 + np.sqrt(r**2 / (s + r**2)))
    return mean + k * (y - mean @ h) + A - phi * np.outer(z, k)


def crps(x, truth):
    pairs = np.abs(x[:, None] - x[None]).mean((0, 1))
    return np.abs(x - truth).mean(0) - pairs / 2


def weighted_anomalies(F, lat):
    return np.sqrt(np.cos(lat))[:, None] * (F - F.mean(0))


def leading(F, lat, start, steps=4):
    Z = weighted_anomalies(F, lat).reshape(len(F), -1)
    C = Z.T @ Z / (len(F) - 1)
    for _ in range(steps):
        start = C @ start
        start = start / np.linalg.norm(start)
    return start


def explained(F, lat, start, steps=4):
    Z = weighted_anomalies(F, lat).reshape(len(F), -1)
    return ((Z @ leading(F, lat, start, steps)) ** 2).sum() / (Z**2).sum()


# Completion: P is user fac, Q is item fac, o is user item.


def implicit(P, Y, o):
    return P + (o @ Y) / np.sqrt(o.sum(1, keepdims=True))


def predicted(P, Y, o, Q, b, c, mu):
    return mu + b[:, None] + c + implicit(P, Y, o) @ Q.T


def objective(P, Y, o, Q, b, c, mu, R, lam):
    fit = (o * (R - predicted(P, Y, o, Q, b, c, mu)) ** 2).sum()
    return fit + lam * ((P**2).sum() + (Q**2).sum() + (Y**2).sum() + (b**2).sum() + (c**2).sum())


def descended(Q, n, alpha, lam, rho, steps=3):
    pref, conf = (n > 0) * 1.0, 1 + alpha * n
    G = np.einsum("ui,if,ig->ufg", conf, Q, Q) + lam * np.eye(Q.shape[1])
    z = np.einsum("ui,if->uf", conf * pref, Q)
    p = np.zeros_like(z)
    for _ in range(steps):
        p = p - rho * (np.einsum("ufg,ug->uf", G, p) - z)
    return p


def pairwise(s, pos, neg):
    u = np.arange(len(s))
    return -np.log(sigmoid(s[u, pos] - s[u, neg])).sum()


def propensity(o, gamma):
    n = o.sum(0)
    return (n / n.max()) ** gamma


def unbiased(o, gamma, err):
    w = o / propensity(o, gamma)
    return (w * err).sum() / w.sum()


def ndcg(rank, rel, K=3):
    gain_ = np.where(rank <= K, (2**rel - 1) / np.log2(rank + 1), 0.0)
    return gain_.sum(1)


def task_loss(loss, s):
    return (np.exp(-s) * loss / 2 + s / 2).sum()


def conversion(a, b, click, buy):
    p, q = sigmoid(a), sigmoid(a) * sigmoid(b)
    return -(
        click * np.log(p)
        + (1 - click) * np.log(1 - p)
        + buy * np.log(q)
        + (1 - buy) * np.log(1 - q)
    ).mean()


SERIES = {"Y": "time[9] vars[3]", "c": "vars[3]", "A": "lag[2] vars[3] vars'[3]"}
SHOCKS = {"A": "lag[2] vars[3] vars'[3]", "P": "vars[3] shock[3]"}
GARCH = {
    "varepsilon": "time[8] vars[3]",
    "w": "vars[3] ~ positive",
    "alpha": "vars[3] ~ positive",
    "beta": "vars[3] ~ positive",
}
TRIAL = {"X": "subj[5] visit[4] cov[3]", "beta": "cov[3]"}
OUTCOME = {"y": "subj[5] visit[4] ~ bits", "o": "subj[5] visit[4] ~ bits"}
DROPOUT = {"pi__m": "subj[5] visit[4] ~ positive", "pi__f": "subj[5] visit[4] ~ positive"}
POSE = {"p": "pt[5] dim[2]", "theta": 0.4, "t": "dim[2]", "m": "ref[7] dim[2]"}
PLANE = {**POSE, "nu": "ref[7] dim[2]", "kappa": 3.0}
FRAMES = {"I1": "row[5] col[6]", "I2": "row[5] col[6]"}
PATCH = {"I1": "row[5] col[6]", "a": "row[5] col[6] ~ positive"}
MATCHES = {"x": "match[4] xyz[3]", "z": "match[4] xyz''[3]", "t": "xyz[3]", "R": "xyz'[3] xyz[3]"}
MEMBERS = "ens[5] grid[7]"
MONTHS = {"Psi": "time[6] lat[3] lon[4]", "varphi": "lat[3] ~ first 2", "e0": "box[12]"}
RATED = {
    "P": "user[4] fac[3]",
    "Y": "item[5] fac[3]",
    "o": "user[4] item[5] ~ counts",
    "Q": "item[5] fac[3]",
    "b": "user[4]",
    "c": "item[5]",
    "mu": 0.3,
}

DOCUMENTS = [
    Unseen(
        "impulse_responses.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb,booktabs,namedtensor}
\ndef{\vars}{vars}
\ndef{\lag}{lag}
\ndef{\shock}{shock}
\ndef{\hor}{hor}
\ndef{\obs}{obs}
\ndef{\tm}{time}
\newcommand{\R}{\mathbb{R}}
\newcommand{\eps}{\varepsilon}
\title{Empirical Macro II: responses, shares, and volatility}
\author{Handout 6}
\begin{document}
\maketitle

\section{Vector autoregressions}

We observe $T$ quarters of a few macroeconomic series (output growth, inflation, the policy rate), $Y \in \R^{\tm[T] \times \vars}$. A
vector autoregression of order $p$ explains each by the last $p$ quarters of all. Its coefficients are
$A \in \R^{\lag[p] \times \vars \times \vars'}$, where $\vars$ is the equation and $\vars'$ the regressor, with intercepts
$c \in \R^{\vars}$. The first $p$ quarters are lost, so that the residuals are
\begin{equation}
  U_{\obs(t)} = Y_{\tm(t+p)} - c - \sum_{l=1}^{p} A_{\lag(l)} \ndot{\vars'} \left[Y_{\tm(t+p-l)}\right]_{\vars \to \vars'},
  \qquad t = 1, \ldots, T-p, \label{eq:res}
\end{equation}
and their covariance matrix is
\begin{equation}
  \Sigma = \frac{1}{T-p} \sum_{\obs} U \odot U_{\vars \to \vars'}.
\end{equation}

\subsection{Identification}
Orthogonal shocks need a factor $P \in \R^{\vars \times \shock}$ of $\Sigma$,
\[ P \ndot{\shock} P_{\vars \to \vars'} = \Sigma . \]
The recursive scheme of Sims (1980) takes the lower triangular one; sign restrictions take others. Nothing below depends on which.

\subsection{Responses}
Let $\Phi \in \R^{\hor[H] \times \vars \times \shock}$ collect the responses to a shock of one standard deviation, $\hor$ being the quarters since
the shock, the quarter of the shock included. They obey the recursion
\begin{align}
  \Phi_{\hor(1)} &= P, \\
  \Phi_{\hor(h)} &= \sum_{l=1}^{\min(h-1,\, p)} A_{\lag(l)} \ndot{\vars'} \left[\Phi_{\hor(h-l)}\right]_{\vars \to \vars'}, \qquad h = 2, \ldots, H.
\end{align}
Growth rates are cumulated before they are plotted:
\begin{equation*}
  C_{\hor(h)} = \sum_{k=1}^{h} \Phi_{\hor(k)}.
\end{equation*}
The share of the forecast error variance of a variable, $h$ quarters ahead, that a shock explains, is
\begin{equation}
  \omega_{\hor(h)} = \frac{\sum_{k=1}^{h} \Phi_{\hor(k)}^2}{\sum_{\shock} \sum_{k=1}^{h} \Phi_{\hor(k)}^2},
\end{equation}
and these shares add up to one, $\sum_{\shock} \omega = 1$.

\begin{table}[h]
  \centering
  \begin{tabular}{lrrr}
    \toprule
    Horizon & demand & supply & policy \\
    \midrule
    1 & 0.71 & 0.29 & 0.00 \\
    8 & 0.52 & 0.37 & 0.11 \\
    \bottomrule
  \end{tabular}
  \caption{Shares for output growth, 1984--2019.}
\end{table}

\section{Volatility that changes}

The residuals of \eqref{eq:res} are hardly homoskedastic. Write $\eps \in \R^{\tm \times \vars}$ for demeaned returns, and give each its own
GARCH(1,1) with $w, \alpha, \beta \in \R^{\vars}$ positive and $\alpha + \beta < 1$:
\begin{align*}
  v_{\tm(1)} &= \nfun{\tm}{mean} \eps^2, \\
  v_{\tm(t)} &= w + \alpha \odot \eps_{\tm(t-1)}^2 + \beta \odot v_{\tm(t-1)}, \qquad t \ge 2.
\end{align*}
The Gaussian log-likelihood (quasi, if you do not believe in normal shocks\footnote{Bollerslev and Wooldridge (1992) show that it is consistent all
the same.}) is
\[ \ell = -\frac12 \sum_{\tm, \vars} \left( \log 2\pi + \log v + \frac{\eps^2}{v} \right). \]

\paragraph{Correlations.} Engle (2002) lets the correlations of the standardised returns $z = \eps / \sqrt{v}$ move as well, with two scalars $a$ and $b$,
\begin{align*}
  \bar Q &= \nfun{\tm}{mean} \left( z \odot z_{\vars \to \vars'} \right), \\
  Q_{\tm(1)} &= \bar Q, \\
  Q_{\tm(t)} &= (1 - a - b)\, \bar Q + a\, z_{\tm(t-1)} \odot [z_{\tm(t-1)}]_{\vars \to \vars'} + b\, Q_{\tm(t-1)},
\end{align*}
and rescales, so that the diagonal is one:
\[ \rho_{\tm(t), \vars(i), \vars'(j)} = \frac{Q_{\tm(t), \vars(i), \vars'(j)}}{\sqrt{Q_{\tm(t), \vars(i), \vars'(i)}\, Q_{\tm(t), \vars(j), \vars'(j)}}}. \]
\end{document}
""",
        [
            Fault(
                r"A_{\lag(l)} \ndot{\vars'} \left[\Phi_{\hor(h-l)}\right]_{\vars \to \vars'}, \qquad h = 2",
                r"A_{\lag(l)} \ndot{\vars'} \Phi_{\hor(h-l)}, \qquad h = 2",
            ),
            Fault(
                r"\frac{1}{T-p} \sum_{\obs} U \odot",
                r"\frac{1}{T-p} \sum_{\tm} U \odot",
            ),
            Fault(
                r"\frac12 \sum_{\tm, \vars} \left( \log 2\pi",
                r"\frac12 \sum_{\tm, \shock} \left( \log 2\pi",
            ),
        ],
        [
            Entry("U", residuals, "obs vars", SERIES),
            Entry(r"\Sigma", residual_covariance, "vars vars'", SERIES),
            Entry(r"\Phi", responses, "hor vars shock", SHOCKS, chosen={"H": 6}),
            Entry(
                "C",
                lambda A, P: np.cumsum(responses(A, P), 0),
                "hor vars shock",
                SHOCKS,
                chosen={"H": 6},
            ),
            Entry(r"\omega", shares, "hor vars shock", SHOCKS, chosen={"H": 6}),
            Entry("v", variances, "time vars", GARCH),
            Entry(r"\ell", likelihood, "", GARCH),
            Entry(r"\rho", dynamic_correlations, "time vars vars'", {**GARCH, "a": 0.05, "b": 0.9}),
        ],
    ),
    Unseen(
        "reverb.md",
        r"""# Small room: notes on the reverberator and the output stage

*Audio team, internal. The code is in `dsp/room.cpp`; this note says what it computes. Signals are mono until the panner; samples are counted from 1,
and whatever lies before the first sample is silence.*

## Building blocks

All blocks map a signal $x \in \mathbb{R}^{\text{time}:N}$ to a signal over $\text{time}$.

**One-pole damping.** With a coefficient $a$ between 0 and 1,

$$
d_{\text{time}(t)} = (1 - a)\, x_{\text{time}(t)} + a\, d_{\text{time}(t-1)}, \qquad d_{\text{time}(0)} = 0.
$$

**Comb.** A delay of $M$ samples with feedback $g$:

$$
c_{\text{time}(t)} = \begin{cases}
x_{\text{time}(t)} + g\, c_{\text{time}(t-M)} & t > M \\
x_{\text{time}(t)} & \text{otherwise}
\end{cases}
$$

Several of them in parallel, with delays that share no factor, give echoes that do not fall on each other.

**All-pass.** Schroeder's section has a flat magnitude response and smears the phase:

$$
s_{\text{time}(t)} = \begin{cases}
-g\, x_{\text{time}(t)} & t \le M \\
-g\, x_{\text{time}(t)} + x_{\text{time}(t-M)} + g\, s_{\text{time}(t-M)} & t > M
\end{cases}
$$

**Biquad.** Coefficients $b_0, b_1, b_2, a_1, a_2 \in \mathbb{R}$, normalised so that $a_0 = 1$. For $t = 3, \ldots, N$

$$
y_{\text{time}(t)} = b_0 x_{\text{time}(t)} + b_1 x_{\text{time}(t-1)} + b_2 x_{\text{time}(t-2)} - a_1 y_{\text{time}(t-1)} - a_2 y_{\text{time}(t-2)},
$$

and the first two samples are $y_{\text{time}(1)} = b_0 x_{\text{time}(1)}$ and
$y_{\text{time}(2)} = b_0 x_{\text{time}(2)} + b_1 x_{\text{time}(1)} - a_1 y_{\text{time}(1)}$.

## Feedback matrix

The lines of the delay network exchange energy through a Householder reflection. For the outputs $f \in \mathbb{R}^{\text{line}}$ of the lines at one sample,

$$
H_{\text{line}(i), \text{line}'(j)} = \begin{cases} 1 - 2 / |\text{line}| & i = j \\ -2 / |\text{line}| & i \ne j \end{cases}
$$

$$
\text{mix}(f) = \left[ H \underset{\text{line}'}{\cdot} f_{\text{line} \to \text{line}'} \right]
$$

which costs $2 |\text{line}|$ additions and not $|\text{line}|^2$ if you first take the mean. It loses nothing: $\sum_{\text{line}} \text{mix}(f)^2 = \sum_{\text{line}} f^2$.

## Dynamics

The compressor works on levels in decibel, $u \in \mathbb{R}^{\text{time}}$. Its static curve has a threshold $\theta$, a ratio $r$ and a knee of width $k$ dB:

$$
G(u) = \begin{cases}
u & 2(u - \theta) < -k \\
u + \left(\tfrac{1}{r} - 1\right) \dfrac{(u - \theta + k/2)^2}{2k} & 2\,|u - \theta| \le k \\
\theta + \dfrac{u - \theta}{r} & 2(u - \theta) > k
\end{cases}
$$

The gain $q = G(u) - u$ is smoothed with one constant while it falls (attack, $\alpha_A$) and another while it recovers (release, $\alpha_R$):

$$
p_{\text{time}(t)} = \begin{cases}
\alpha_A\, p_{\text{time}(t-1)} + (1 - \alpha_A)\, q_{\text{time}(t)} & q_{\text{time}(t)} < p_{\text{time}(t-1)} \\
\alpha_R\, p_{\text{time}(t-1)} + (1 - \alpha_R)\, q_{\text{time}(t)} & \text{otherwise}
\end{cases}
\qquad p_{\text{time}(1)} = q_{\text{time}(1)}
$$

## Panning and loudness

Sources $z \in \mathbb{R}^{\text{src}, \text{time}}$ have positions $\psi \in [-1, 1]^{\text{src}}$, $-1$ being hard left. With equal power,
$\vartheta = \frac{\pi}{4}(\psi + 1)$, the stereo bus $B \in \mathbb{R}^{\text{chan}:2, \text{time}}$ is

$$
\begin{aligned}
B_{\text{chan}(1)} &= \cos \vartheta \underset{\text{src}}{\cdot} z \\
B_{\text{chan}(2)} &= \sin \vartheta \underset{\text{src}}{\cdot} z
\end{aligned}
$$

| Signal | Formula |
|:--|:--|
| mid | $m = (B_{\text{chan}(1)} + B_{\text{chan}(2)}) / \sqrt{2}$ |
| side | $h = (B_{\text{chan}(1)} - B_{\text{chan}(2)}) / \sqrt{2}$ |

The integrated loudness, without the gate, weights the channels by $w \in \mathbb{R}^{\text{chan}}$ (both 1 in stereo):

$$
\text{LUFS} = -0.691 + 10 \log_{10} \left( \sum_{\text{chan}} w \odot \underset{\text{time}}{\text{mean}}\, B^2 \right)
$$
""",
        [
            Fault(
                r"\left[ H \underset{\text{line}'}{\cdot} f_{\text{line} \to \text{line}'} \right]",
                r"\left[ H \underset{\text{line}'}{\cdot} f \right]",
            ),
            Fault(
                r"&= \sin \vartheta \underset{\text{src}}{\cdot} z",
                r"&= \sin \vartheta \underset{\text{chan}}{\cdot} z",
            ),
            Fault(
                r"w \odot \underset{\text{time}}{\text{mean}}\, B^2",
                r"w \odot \underset{\text{src}}{\text{mean}}\, B^2",
            ),
        ],
        [
            Entry("d", damped, "time", {"x": "time[8]", "a": 0.3}),
            Entry("c", comb, "time", {"x": "time[8]", "g": 0.7}, chosen={"M": 3}),
            Entry("s", allpass, "time", {"x": "time[8]", "g": 0.7}, chosen={"M": 3}),
            Entry(
                "y",
                lambda x, b0, b1, b2, a1, a2: biquad(x, (b0, b1, b2), (a1, a2)),
                "time",
                {"x": "time[8]", "b_0": 0.4, "b_1": 0.7, "b_2": -0.2, "a_1": -0.5, "a_2": 0.3},
            ),
            Entry("mix", householder, "line", {"f": "line[4]"}),
            Entry(
                "G",
                curve,
                "time",
                {"u": "time[9] ~ normal"},
                {"theta": 0.5, "r": 4.0, "k": 3.0},
            ),
            Entry(
                "p",
                lambda u, theta, r, k, up, down: smoothed(curve(u, theta, r, k) - u, up, down),
                "time",
                {"u": "time[9]", "theta": -0.5, "r": 4.0, "k": 1.0, "alpha_A": 0.2, "alpha_R": 0.9},
            ),
            Entry("B", panned, "chan time", {"z": "src[3] time[7]", "psi": "src[3]"}),
            Entry(
                "h",
                lambda z, psi: sides(z, psi)[1],
                "time",
                {"z": "src[3] time[7]", "psi": "src[3]"},
            ),
            Entry(
                "LUFS",
                loudness,
                "",
                {"w": "chan[2] ~ positive", "z": "src[3] time[7]", "psi": "src[3]"},
            ),
        ],
    ),
    Unseen(
        "longitudinal.tex",
        r"""\documentclass{amsart}
\usepackage{namedtensor}
\renewcommand{\name}[1]{\mathsf{#1}}
\DeclareMathOperator{\expit}{expit}
\DeclareMathOperator{\diag}{diag}
\begin{document}
\title{Statistical appendix: analysis of repeated binary outcomes}

\section{Data and model}
Patients ($\name{subj}$) were seen at up to six visits. Let $y \in \{0, 1\}^{\name{subj} \times \name{visit}}$ be the response at a visit,
$o \in \{0, 1\}^{\name{subj} \times \name{visit}}$ whether the visit took place, and $X \in \mathbb{R}^{\name{subj} \times \name{visit} \times \name{cov}}$ the
covariates: intercept, treatment, time, and their product. The marginal model of Liang and Zeger (1986) is
\begin{equation}\label{eq:mean}
  \mu = \expit\Bigl( X \ndot{\name{cov}} \beta \Bigr), \qquad \beta \in \mathbb{R}^{\name{cov}},
\end{equation}
where $\expit(s) = 1 / (1 + e^{-s})$. For a binary outcome the variance is $\nu = \mu \odot (1 - \mu)$.

\section{Working correlation}
Visits of the same patient are correlated. Under a first-order autoregressive structure with parameter $\varrho$
\begin{equation}
  C_{\name{visit}(j), \name{visit'}(k)} = \varrho^{|j - k|},
\end{equation}
and the working covariance of a patient's outcomes is
\begin{equation}
  V = \sqrt{\nu} \odot C \odot \sqrt{\nu}_{\name{visit} \to \name{visit'}}.
\end{equation}
The parameter is estimated by moments from the Pearson residuals $r = (y - \mu) / \sqrt{\nu}$ of adjacent visits, both of which took place:
\begin{equation}
  \hat\varrho = \frac{\sum_{\name{subj}} \sum_{j=1}^{J-1} o_{\name{visit}(j)} \, o_{\name{visit}(j+1)} \, r_{\name{visit}(j)} \, r_{\name{visit}(j+1)}}
  {\sum_{\name{subj}} \sum_{j=1}^{J-1} o_{\name{visit}(j)} \, o_{\name{visit}(j+1)}},
\end{equation}
$J = |\name{visit}|$ being the number of visits planned.

\section{Robust standard errors}
With the independence structure the contribution of a patient to the score is
\begin{equation}
  S = \sum_{\name{visit}} o \odot (y - \mu) \odot X,
\end{equation}
and $\hat\beta$ solves $\sum_{\name{subj}} S = 0$. Bread and meat of the sandwich are
\begin{align}
  B &= \sum_{\name{subj}, \name{visit}} o \odot \nu \odot X \odot X_{\name{cov} \to \name{cov'}}, \\
  M &= \sum_{\name{subj}} S \odot S_{\name{cov} \to \name{cov'}}.
\end{align}
Writing $D \in \mathbb{R}^{\name{cov} \times \name{cov'}}$ for the inverse of $B$, the estimated covariance of $\hat\beta$ is
\begin{equation}
  \widehat{\mathrm{cov}} = D_{\name{cov'} \to \name{cov''}} \ndot{\name{cov''}} M_{\name{cov} \to \name{cov''}, \name{cov'} \to \name{cov'''}}
  \ndot{\name{cov'''}} D_{\name{cov} \to \name{cov'''}} .
\end{equation}
The standard errors of the tables are the roots of its diagonal, and Wald tests refer
\[ W = \frac{\bigl( \sum_{\name{cov}} \kappa \odot \beta \bigr)^2}{\kappa \ndot{\name{cov}} \widehat{\mathrm{cov}} \ndot{\name{cov'}} \kappa_{\name{cov} \to \name{cov'}}} \]
for a contrast $\kappa \in \mathbb{R}^{\name{cov}}$ to $\chi^2_1$.

\section{Drop-out}
Drop-out may depend on earlier responses. Two logistic models give the probability of still being under observation, one by treatment alone
($\pi^{\mathrm{m}} \in [0, 1]^{\name{subj} \times \name{visit}}$) and one with the history as well ($\pi^{\mathrm{f}} \in [0, 1]^{\name{subj} \times \name{visit}}$). The stabilised weights of
Robins et al.\ (2000) are
\begin{equation}
  w_{\name{visit}(j)} = \prod_{k=1}^{j} \frac{\pi^{\mathrm{m}}_{\name{visit}(k)}}{\pi^{\mathrm{f}}_{\name{visit}(k)}}, \qquad j = 1, \dots, J,
\end{equation}
and the weighted score is
\begin{equation}
  S_w = \sum_{\name{subj}, \name{visit}} w \odot o \odot (y - \mu) \odot X .
\end{equation}

\section{Sensitivity: a random intercept}
A linear mixed model for the continuous secondary outcome, with residuals $e \in \mathbb{R}^{\name{subj} \times \name{visit}}$ from the fixed effects, predicts the
patient's intercept by
\begin{equation}
  \hat u = \frac{\tau^2 \sum_{\name{visit}} o \odot e}{\sigma^2 + \tau^2 \sum_{\name{visit}} o}
\end{equation}
where $\tau$ and $\sigma$ are the standard deviations between and within patients.
\end{document}
""",
        [
            Fault(
                r"C \odot \sqrt{\nu}_{\name{visit} \to \name{visit'}}.",
                r"C \odot \sqrt{\nu}_{\name{cov} \to \name{visit'}}.",
            ),
            Fault(
                r"M &= \sum_{\name{subj}} S \odot",
                r"M &= \sum_{\name{visit}} S \odot",
            ),
            Fault(
                r"\hat u = \frac{\tau^2 \sum_{\name{visit}} o \odot e}{\sigma^2 + \tau^2 \sum_{\name{visit}} o}",
                r"\hat u = \frac{\tau^2 \sum_{\name{visit}} o \odot e}{\sigma^2 + \tau^2 \sum_{\name{cov}} o}",
            ),
        ],
        [
            Entry(r"\mu", fitted, "subj visit", TRIAL),
            Entry("V", working, "subj visit visit'", {**TRIAL, "varrho": 0.6}),
            Entry(r"\hat\varrho", lag_one, "", {**TRIAL, **OUTCOME}),
            Entry("S", scores, "subj cov", {**TRIAL, **OUTCOME}),
            Entry("B", bread, "cov cov'", {**TRIAL, "o": "subj[5] visit[4] ~ bits"}),
            Entry("M", meat, "cov cov'", {**TRIAL, **OUTCOME}),
            Entry(
                r"\widehat{\mathrm{cov}}",
                lambda D, *rest: D @ meat(*rest) @ D,
                "cov cov'",
                {"D": "cov[3] cov'[3]", **TRIAL, **OUTCOME},
            ),
            Entry("w", weights, "subj visit", DROPOUT),
            Entry("S_w", weighted_score, "cov", {**TRIAL, **OUTCOME, **DROPOUT}),
            Entry(
                r"\hat u",
                shrunken,
                "subj",
                {"o": "subj[5] visit[4] ~ bits", "e": "subj[5] visit[4]", "tau": 0.7, "sigma": 1.3},
            ),
        ],
    ),
    Unseen(
        "scan_matching.md",
        r"""# Scan matching in the plane

*Notes for the new members of the navigation group. Everything here is two-dimensional; the lidar is mounted level.*

## Setup

A scan is a cloud of points in the frame of the robot, $p \in \mathbb{R}^{\text{pt}, \text{dim}:2}$, and the map is a larger cloud
$m \in \mathbb{R}^{\text{ref}, \text{dim}}$ with unit normals $\nu \in \mathbb{R}^{\text{ref}, \text{dim}}$. We look for the pose of the robot: a heading
$\theta$ and a position $t \in \mathbb{R}^{\text{dim}}$.

The rotation has two axes, $\text{dim}'$ for the vector that comes out:

$$
R(\theta)_{\text{dim}'(i), \text{dim}(j)} = \begin{cases}
\cos \theta & i = j \\
-\sin \theta & i < j \\
\sin \theta & i > j
\end{cases}
$$

and a scan that is moved by the pose is

$$
\text{move}(p, \theta, t) = \left[ R(\theta) \underset{\text{dim}}{\cdot} p \right]_{\text{dim}' \to \text{dim}} + t
$$

## One iteration

**Association.** Each point is matched with the closest point of the map,

$$
c = \underset{\text{ref}}{\text{argmin}} \sum_{\text{dim}} \left( \text{move}(p, \theta, t) - m \right)^2, \qquad q = m_{\text{ref}(c)}, \qquad n = \nu_{\text{ref}(c)}.
$$

A k-d tree makes this fast but changes nothing else.

**Point to point.** With weights $w \in \mathbb{R}^{\text{pt}}$ and the matches $q \in \mathbb{R}^{\text{pt}, \text{dim}}$, the best pose is known in closed form.
Let

$$
\begin{aligned}
\bar w &= \frac{w}{\sum_{\text{pt}} w} \\
\bar p &= \bar w \underset{\text{pt}}{\cdot} p \\
\bar q &= \bar w \underset{\text{pt}}{\cdot} q \\
H &= \sum_{\text{pt}} \bar w \odot (p - \bar p) \odot [q - \bar q]_{\text{dim} \to \text{dim}'}
\end{aligned}
$$

Then[^arun]

$$
\begin{aligned}
\hat\theta &= \operatorname{atan2}\left( H_{\text{dim}(1), \text{dim}'(2)} - H_{\text{dim}(2), \text{dim}'(1)},\; H_{\text{dim}(1), \text{dim}'(1)} + H_{\text{dim}(2), \text{dim}'(2)} \right) \\
\hat t &= \bar q - \left[ R(\hat\theta) \underset{\text{dim}}{\cdot} \bar p \right]_{\text{dim}' \to \text{dim}}
\end{aligned}
$$

[^arun]: In space one needs the singular value decomposition of $H$, see Arun et al. (1987).

**Point to plane.** In corridors it is better to count only the distance along the normals $n \in \mathbb{R}^{\text{pt}, \text{dim}}$ of the matches:

$$
e(\theta, t) = \sum_{\text{dim}} n \odot \left( \text{move}(p, \theta, t) - q \right)
$$

There is no closed form for this. With $s = \left[ R(\theta) \underset{\text{dim}}{\cdot} p \right]_{\text{dim}' \to \text{dim}}$, the Jacobian
$J \in \mathbb{R}^{\text{pt}, \text{par}:3}$ with respect to $(t_1, t_2, \theta)$ has the columns

$$
\begin{aligned}
J_{\text{par}(1)} &= n_{\text{dim}(1)} \\
J_{\text{par}(2)} &= n_{\text{dim}(2)} \\
J_{\text{par}(3)} &= n_{\text{dim}(2)} \odot s_{\text{dim}(1)} - n_{\text{dim}(1)} \odot s_{\text{dim}(2)}
\end{aligned}
$$

Wrong matches are switched off by Tukey's weights with a cut-off $\kappa$,

$$
\omega(u) = \begin{cases} \left(1 - (u / \kappa)^2\right)^2 & |u| \le \kappa \\ 0 & \text{otherwise} \end{cases}
$$

and the Gauss–Newton system, whose solution $-\Lambda^{-1} g$ is added to the pose, is

$$
\begin{aligned}
\Lambda &= \sum_{\text{pt}} \omega(e(\theta, t)) \odot J \odot J_{\text{par} \to \text{par}'} \\
g &= \sum_{\text{pt}} \omega(e(\theta, t)) \odot J \odot e(\theta, t)
\end{aligned}
$$

## Where the first guess comes from

Wheel odometry gives a speed $v \in \mathbb{R}^{\text{step}}$ and a turn rate $\dot\theta \in \mathbb{R}^{\text{step}}$ every $\Delta = 0.1$ seconds. Headings and positions
are accumulated from zero:

$$
\begin{aligned}
\phi_{\text{step}(0)} &= 0, & \phi_{\text{step}(k)} &= \phi_{\text{step}(k-1)} + \Delta\, \dot\theta_{\text{step}(k)} \\
x_{\text{step}(0)} &= 0, & x_{\text{step}(k)} &= x_{\text{step}(k-1)} + \Delta\, v_{\text{step}(k)} \cos \phi_{\text{step}(k-1)} \\
y_{\text{step}(0)} &= 0, & y_{\text{step}(k)} &= y_{\text{step}(k-1)} + \Delta\, v_{\text{step}(k)} \sin \phi_{\text{step}(k-1)}
\end{aligned}
$$

## Updating the grid

For each cell of the occupancy grid and each beam, $z \in \{-1, 0, 1\}^{\text{beam}, \text{row}, \text{col}}$ says whether the beam ended in the cell (1), went through it
(−1) or missed it (0). The log-odds of a cell collect the evidence and are clamped,

$$
\begin{aligned}
l &= \sum_{\text{beam}} \begin{cases} 0.85 & z = 1 \\ -0.4 & z = -1 \\ 0 & \text{otherwise} \end{cases} \\
P_{\text{occ}} &= 1 - \frac{1}{1 + \exp\left(\min(5, \max(-5, l))\right)}
\end{aligned}
$$
""",
        [
            Fault(
                r"\left[ R(\theta) \underset{\text{dim}}{\cdot} p \right]_{\text{dim}' \to \text{dim}} + t",
                r"\left[ R(\theta) \underset{\text{dim}}{\cdot} p \right]_{\text{dim} \to \text{dim}'} + t",
            ),
            Fault(
                r"q = m_{\text{ref}(c)}, \qquad n",
                r"q = m_{\text{pt}(c)}, \qquad n",
            ),
            Fault(
                r"\Lambda &= \sum_{\text{pt}}",
                r"\Lambda &= \sum_{\text{ref}}",
            ),
        ],
        [
            Entry("move", moved, "pt dim", {"p": "pt[5] dim[2]", "theta": 0.4, "t": "dim[2]"}),
            Entry("c", lambda *pose: np.eye(7)[choice(*pose)], "pt ref", POSE),
            Entry(
                r"\hat\theta",
                lambda p, theta, t, m, w: closed_angle(p, nearest(p, theta, t, m), w),
                "",
                {**POSE, "w": "pt[5] ~ positive"},
            ),
            Entry(
                r"\hat t",
                lambda p, theta, t, m, w: closed_shift(p, nearest(p, theta, t, m), w),
                "dim",
                {**POSE, "w": "pt[5] ~ positive"},
            ),
            Entry("J", columns, "pt par", {**POSE, "nu": "ref[7] dim[2]"}),
            Entry(r"\Lambda", newton_matrix, "par par'", PLANE),
            Entry("g", newton_side, "par", PLANE),
            Entry(
                "x",
                lambda v, o: odometry(v, o)[:, 0],
                "step",
                {"v": "step[6]", "thetadot": "step[6]"},
            ),
            Entry(
                "y",
                lambda v, o: odometry(v, o)[:, 1],
                "step",
                {"v": "step[6]", "thetadot": "step[6]"},
            ),
            Entry(r"P_{\text{occ}}", occupancy, "row col", {"z": "beam[9] row[3] col[4] ~ signs"}),
        ],
    ),
    Unseen(
        "flow_lecture.tex",
        r"""\documentclass{beamer}
\usepackage{amsmath}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\dotover}[1]{\underset{#1}{\cdot}}
\newcommand{\row}{\ax{row}}
\newcommand{\col}{\ax{col}}
\newcommand{\dir}{\ax{dir}}
\begin{document}

\begin{frame}{Brightness constancy}
  Two grey images, one after the other: $I^1, I^2 \in \mathbb{R}^{\row:h, \col:w}$.

  \medskip
  A pixel keeps its brightness while it moves, and moves little, so that
  \[ G \dotover{\dir} f + D = 0, \qquad D = I^2 - I^1 \]
  where $f \in \mathbb{R}^{\row, \col, \dir:2}$ is the flow we want ($\dir$: to the right, downwards) and $G \in \mathbb{R}^{\row, \col, \dir}$ the gradient of the first image.
  \begin{block}{Gradient by central differences, borders repeated}
    \begin{align*}
      G_{\row(i), \col(j), \dir(1)} &= \tfrac12 \left( I^1_{\row(i), \col(\min(j+1, w))} - I^1_{\row(i), \col(\max(j-1, 1))} \right) \\
      G_{\row(i), \col(j), \dir(2)} &= \tfrac12 \left( I^1_{\row(\min(i+1, h)), \col(j)} - I^1_{\row(\max(i-1, 1)), \col(j)} \right)
    \end{align*}
  \end{block}
  One equation, two unknowns: the \emph{aperture problem}.
\end{frame}

\begin{frame}{Lucas and Kanade (1981)}
  Assume one flow for a whole patch, with weights $a \in \mathbb{R}^{\row, \col}$ that fall off to its border. Least squares:
  \begin{align*}
    S &= \sum_{\row, \col} a \odot G \odot G_{\dir \to \dir'} \\
    b &= \sum_{\row, \col} a \odot D \odot G
  \end{align*}
  and with $\Delta = S_{\dir(1), \dir'(1)} S_{\dir(2), \dir'(2)} - S_{\dir(1), \dir'(2)}^2$, Cramer's rule gives
  \begin{align*}
    v_{\dir(1)} &= \frac{S_{\dir(1), \dir'(2)} b_{\dir(2)} - S_{\dir(2), \dir'(2)} b_{\dir(1)}}{\Delta} \\
    v_{\dir(2)} &= \frac{S_{\dir(2), \dir'(1)} b_{\dir(1)} - S_{\dir(1), \dir'(1)} b_{\dir(2)}}{\Delta}
  \end{align*}
  Trust it only where the smaller eigenvalue of $S$ is large (Shi and Tomasi's good features):
  \[ \lambda_{\min} = \tfrac12 \left( \tau - \sqrt{\tau^2 - 4 \Delta} \right), \qquad \tau = S_{\dir(1), \dir'(1)} + S_{\dir(2), \dir'(2)} \]
\end{frame}

\begin{frame}{Horn and Schunck (1981)}
  Instead of one flow for a patch: a flow that is smooth. The average of the four neighbours is
  \begin{align*}
    \text{avg}(f)_{\row(i), \col(j)} = \tfrac14 \Bigl( & f_{\row(\max(i-1, 1)), \col(j)} + f_{\row(\min(i+1, h)), \col(j)} \\
    & + f_{\row(i), \col(\max(j-1, 1))} + f_{\row(i), \col(\min(j+1, w))} \Bigr)
  \end{align*}
  \pause
  Start with no motion, $f^0 = 0$, and repeat for $k = 1, \dots, K$
  \[ f^k = \text{avg}(f^{k-1}) - G \odot \frac{G \dotover{\dir} \text{avg}(f^{k-1}) + D}{\alpha^2 + \sum_{\dir} G^2} \]
  The larger $\alpha$, the smoother.
\end{frame}

\begin{frame}{How good is it?}
  With the true flow $f^* \in \mathbb{R}^{\row, \col, \dir}$,
  \[ \text{EPE}(f) = \underset{\row, \col}{\text{mean}} \sqrt{\sum_{\dir} (f - f^*)^2} \]
  Modern networks are trained on a robust variant, the Charbonnier loss
  \[ L(f) = \sum_{\row, \col, \dir} \left( (f - f^*)^2 + \epsilon^2 \right)^{0.45}. \]
\end{frame}

\begin{frame}{If only the camera moves}
  Then all matches obey one constraint. The camera turns by $R \in \mathbb{R}^{\ax{xyz}':3, \ax{xyz}:3}$ and moves by $t \in \mathbb{R}^{\ax{xyz}}$. The matrix of the cross product is
  \[ T_{\ax{xyz}''(i), \ax{xyz}'(j)} = -\sum_{k=1}^{3} \tfrac12 (i - j)(j - k)(k - i)\, t_{\ax{xyz}(k)} \]
  and the essential matrix $E = T \dotover{\ax{xyz}'} R$.
\end{frame}

\begin{frame}{Epipolar constraint}
  Matches in homogeneous coordinates: $x \in \mathbb{R}^{\ax{match}, \ax{xyz}}$ in the first image, $z \in \mathbb{R}^{\ax{match}, \ax{xyz}''}$ in the second.
  \[ r = z \dotover{\ax{xyz}''} E \dotover{\ax{xyz}} x \]
  Epipolar lines: $l = E \dotover{\ax{xyz}} x$ in the second image, $l' = E \dotover{\ax{xyz}''} z$ in the first. To first order the squared distance is Sampson's
  \[ \text{samp} = \sum_{\ax{match}} \frac{r^2}{(l_{\ax{xyz}''(1)})^2 + (l_{\ax{xyz}''(2)})^2 + (l'_{\ax{xyz}(1)})^2 + (l'_{\ax{xyz}(2)})^2}. \]
\end{frame}
\end{document}
""",
        [
            Fault(
                r"b &= \sum_{\row, \col} a \odot D \odot G",
                r"b &= \sum_{\row, \dir} a \odot D \odot G",
                r"v_{\dir(1)} &= \frac{S",
            ),
            Fault(
                r"r = z \dotover{\ax{xyz}''} E",
                r"r = z \dotover{\ax{xyz}'} E",
            ),
            Fault(
                r"{\alpha^2 + \sum_{\dir} G^2}",
                r"{\alpha^2 + \sum_{\ax{match}} G^2}",
            ),
        ],
        [
            Entry("G", gradient, "row col dir", {"I1": "row[5] col[6]"}),
            Entry("S", structure, "dir dir'", PATCH),
            Entry("v", patch_flow, "dir", {**FRAMES, "a": "row[5] col[6] ~ positive"}),
            Entry(r"\lambda_{\min}", smaller, "", PATCH),
            Entry("avg", average, "row col dir", {"f": "row[5] col[6] dir[2]"}),
            Entry("f^K", horn_schunck, "row col dir", {**FRAMES, "alpha": 0.8}, chosen={"K": 3}),
            Entry(
                "EPE",
                lambda f, g: np.sqrt(((f - g) ** 2).sum(2)).mean(),
                "",
                {"f": "row[5] col[6] dir[2]", "f__star": "row[5] col[6] dir[2]"},
            ),
            Entry("E", essential, "xyz'' xyz", {"t": "xyz[3]", "R": "xyz'[3] xyz[3]"}),
            Entry(
                "r",
                lambda x, z, t, R: np.einsum("na,ab,nb->n", z, essential(t, R), x),
                "match",
                MATCHES,
            ),
            Entry("samp", epipolar_distance, "", MATCHES),
        ],
    ),
    Unseen(
        "ensembles.qmd",
        r"""---
title: "Ensemble data assimilation, in one sitting"
author: "Climate dynamics group"
format:
  html:
    code-fold: true
---

## A small atmosphere {#sec-l96}

We test on the model of @lorenz96: a latitude circle $\text{grid}$ of $N$ points. An ensemble is $X \in \mathbb{R}^{\text{ens}:M, \text{grid}:N}$. For one
state $x \in \mathbb{R}^{\text{grid}}$, with forcing $F = 8$,

$$
\text{tend}(x)_{\text{grid}(i)} = \left( x_{\text{grid}(i \bmod N + 1)} - x_{\text{grid}((i + N - 3) \bmod N + 1)} \right) x_{\text{grid}((i + N - 2) \bmod N + 1)} - x_{\text{grid}(i)} + F
$$ {#eq-l96}

and a step of length $\delta$ is taken with the classical Runge–Kutta scheme:

$$
\begin{aligned}
k_1 &= \text{tend}(x) \\
k_2 &= \text{tend}\left(x + \tfrac{\delta}{2} k_1\right) \\
k_3 &= \text{tend}\left(x + \tfrac{\delta}{2} k_2\right) \\
k_4 &= \text{tend}(x + \delta k_3) \\
\text{advance}(x) &= x + \tfrac{\delta}{6} (k_1 + 2 k_2 + 2 k_3 + k_4)
\end{aligned}
$$

```{python}
#| echo: false
import numpy as np
```

## Statistics of the ensemble

With the mean $\bar X = \underset{\text{ens}}{\text{mean}}\, X$ and the anomalies $A = X - \bar X$, the sample covariance is

$$
P = \frac{1}{M - 1} \sum_{\text{ens}} A \odot A_{\text{grid} \to \text{grid}'}.
$$

Distant points are correlated by chance only. We damp their covariances with the function of @gaspari99, of compact support:

$$
\text{GC}(r) = \begin{cases}
1 - \frac{5}{3} r^2 + \frac{5}{8} r^3 + \frac{1}{2} r^4 - \frac{1}{4} r^5 & r \le 1 \\
4 - 5 r + \frac{5}{3} r^2 + \frac{5}{8} r^3 - \frac{1}{2} r^4 + \frac{1}{12} r^5 - \frac{2}{3 r} & 1 < r \le 2 \\
0 & r > 2
\end{cases}
$$

applied to the distance on the circle, in units of a radius $c$:

$$
L_{\text{grid}(i), \text{grid}'(j)} = \text{GC}\left( \frac{\min(|i - j|,\; N - |i - j|)}{c} \right)
$$

## The analysis

Observations $y \in \mathbb{R}^{\text{obs}}$ are linear in the state, through $H \in \mathbb{R}^{\text{obs}, \text{grid}}$, with independent errors of standard deviations
$\sigma \in \mathbb{R}^{\text{obs}}$. The localised covariance between state and observations, and that of the observations, are

$$
\begin{aligned}
B &= (P \odot L) \underset{\text{grid}'}{\cdot} H_{\text{grid} \to \text{grid}'} \\
S_{\text{obs}'(k), \text{obs}(l)} &= \left( H_{\text{obs} \to \text{obs}'} \underset{\text{grid}}{\cdot} B \right)_{\text{obs}'(k), \text{obs}(l)} + \begin{cases} \sigma_{\text{obs}(k)}^2 & k = l \\ 0 & k \ne l \end{cases}
\end{aligned}
$$

Let $W \in \mathbb{R}^{\text{obs}, \text{obs}'}$ be the inverse of $S$. The gain is $K = B \underset{\text{obs}}{\cdot} W$, over $\text{grid}$ and $\text{obs}'$. In the stochastic filter every member
assimilates observations of its own, $\eta \in \mathbb{R}^{\text{ens}, \text{obs}}$ being standard normal:

$$
X^a = X + K \underset{\text{obs}'}{\cdot} \left[ y + \sigma \odot \eta - H \underset{\text{grid}}{\cdot} X \right]_{\text{obs} \to \text{obs}'}
$$

### One observation at a time

Without perturbations, and without a matrix to invert, each observation can be treated by itself [@whitaker02]. For one of them, with operator $h \in \mathbb{R}^{\text{grid}}$, value
$\gamma$ and error $\varsigma$, let $d = h \underset{\text{grid}}{\cdot} A$ be the anomalies seen by the instrument, and

$$
\begin{aligned}
s^2 &= \frac{1}{M-1} \sum_{\text{ens}} d^2 \\
g &= \frac{1}{M-1} \frac{\sum_{\text{ens}} d \odot A}{s^2 + \varsigma^2} \\
\phi &= \frac{1}{1 + \sqrt{\varsigma^2 / (s^2 + \varsigma^2)}} \\
X^s &= \bar X + g \left( \gamma - h \underset{\text{grid}}{\cdot} \bar X \right) + A - \phi\, g \odot d
\end{aligned}
$$

## Scores

Against a truth $\tau \in \mathbb{R}^{\text{grid}}$ we report the root mean square error of the mean and the continuous ranked probability score,

$$
\begin{aligned}
\text{rmse} &= \sqrt{\underset{\text{grid}}{\text{mean}} (\bar X - \tau)^2} \\
\text{crps} &= \underset{\text{ens}}{\text{mean}}\, |X - \tau| - \frac{1}{2} \underset{\text{ens}, \text{ens}'}{\text{mean}} \left| X - X_{\text{ens} \to \text{ens}'} \right|
\end{aligned}
$$

## Empirical orthogonal functions

Now to real fields, $\Psi \in \mathbb{R}^{\text{time}:n, \text{lat}, \text{lon}}$, such as monthly pressure at sea level. Grid boxes shrink towards the poles, so anomalies are weighted
by the root of the cosine of the latitude $\varphi \in \mathbb{R}^{\text{lat}}$ and then stacked into one long axis of boxes:

$$
Z = \left[ \sqrt{\cos \varphi} \odot \left( \Psi - \underset{\text{time}}{\text{mean}}\, \Psi \right) \right]_{(\text{lat}, \text{lon}) \to \text{box}}
$$

The covariance matrix $\Gamma = \frac{1}{n-1} \sum_{\text{time}} Z \odot Z_{\text{box} \to \text{box}'}$ is too large to keep, but not to multiply by. From any start
$e^0 \in \mathbb{R}^{\text{box}}$, the power method iterates

$$
e^k = \frac{a^k}{\sqrt{\sum_{\text{box}} (a^k)^2}}, \qquad a^k = \left[ \Gamma \underset{\text{box}}{\cdot} e^{k-1} \right]_{\text{box}' \to \text{box}}, \qquad k = 1, \ldots, K,
$$

until it is the leading pattern. The principal component is $\text{pc} = Z \underset{\text{box}}{\cdot} e^K$, and the pattern explains

$$
\text{ev} = \frac{\sum_{\text{time}} \text{pc}^2}{\sum_{\text{time}, \text{box}} Z^2}
$$

of the variance (North et al. say how much of that to believe).

::: {.callout-note}
For the EOFs of several fields at once, divide each by its standard deviation first.
:::
""",
        [
            Fault(
                r"B &= (P \odot L) \underset{\text{grid}'}{\cdot} H_{\text{grid} \to \text{grid}'} \\",
                r"B &= (P \odot L) \underset{\text{obs}}{\cdot} H_{\text{grid} \to \text{grid}'} \\",
            ),
            Fault(
                r"\sigma \odot \eta - H \underset{\text{grid}}{\cdot} X \right]_{\text{obs} \to \text{obs}'}",
                r"\sigma \odot \eta - H \underset{\text{grid}}{\cdot} X \right]",
            ),
            Fault(
                r"\text{ev} = \frac{\sum_{\text{time}} \text{pc}^2}",
                r"\text{ev} = \frac{\sum_{\text{box}} \text{pc}^2}",
            ),
        ],
        [
            Entry("tend", lorenz, "grid", {"x": "grid[7]"}),
            Entry("advance", runge_kutta, "grid", {"x": "grid[7]", "delta": 0.05}),
            Entry("P", spread, "grid grid'", {"X": MEMBERS}),
            Entry("GC", gaspari_cohn, "far", {"r": "far[9] ~ positive"}),
            Entry(
                "B",
                lambda x, H, c: (spread(x) * taper(7, c)) @ H.T,
                "grid obs",
                {"X": MEMBERS, "H": "obs[3] grid[7]", "c": 1.7},
            ),
            Entry(
                "X^a",
                lambda x, H, r, c, W, y, eta: (
                    x + (y + r * eta - x @ H.T) @ W.T @ H @ (spread(x) * taper(7, c))
                ),
                "ens grid",
                {
                    "X": MEMBERS,
                    "H": "obs[3] grid[7]",
                    "sigma": "obs[3] ~ positive",
                    "c": 1.7,
                    "W": "obs[3] obs'[3]",
                    "y": "obs[3]",
                    "eta": "ens[5] obs[3]",
                },
            ),
            Entry(
                "X^s",
                serial,
                "ens grid",
                {"X": MEMBERS, "h": "grid[7]", "gamma": 0.4, "varsigma": 0.8},
            ),
            Entry("crps", crps, "grid", {"X": MEMBERS, "tau": "grid[7]"}),
            Entry("e^K", leading, "box", MONTHS, chosen={"K": 4}),
            Entry("ev", explained, "", MONTHS, chosen={"K": 4}),
        ],
    ),
    Unseen(
        "completion.md",
        r"""# Filling the matrix: what our ranking stack optimises

> Draft for the guild. Comments welcome, especially on the section about propensities.

Everything starts from one sparse matrix. $o \in \{0, 1\}^{\text{user}, \text{item}}$ says whether a rating is known and $R \in \mathbb{R}^{\text{user}, \text{item}}$ is the
rating (anything where it isn't). Both factor matrices share the axis $\text{fac}$.

| symbol | space | what |
|---|---|---|
| $P$ | $\mathbb{R}^{\text{user}, \text{fac}}$ | taste of a user |
| $Q$ | $\mathbb{R}^{\text{item}, \text{fac}}$ | character of an item |
| $Y$ | $\mathbb{R}^{\text{item}, \text{fac}}$ | what having rated an item says about a user |
| $b$ | $\mathbb{R}^{\text{user}}$ | user bias |
| $c$ | $\mathbb{R}^{\text{item}}$ | item bias |
| $\mu$ | $\mathbb{R}$ | overall mean |

## SVD++

Koren's trick is that *which* items somebody rated is informative, whatever the ratings. The taste is therefore corrected by the items in $o$:

$$
\tilde P = P + \frac{o \underset{\text{item}}{\cdot} Y}{\sqrt{\sum_{\text{item}} o}}
$$

$$
\hat R = \mu + b + c + \tilde P \underset{\text{fac}}{\cdot} Q
$$

and training minimises, with a strength $\lambda$ of the regularisation,

$$
J = \sum_{\text{user}, \text{item}} o \odot \left( R - \hat R \right)^2 + \lambda \left( \|P\|^2 + \|Q\|^2 + \|Y\|^2 + \|b\|^2 + \|c\|^2 \right).
$$

(All norms are Frobenius norms, over all the axes that a matrix has.)

## Counts instead of ratings

Plays are no ratings. Hu, Koren and Volinsky split the counts $n \in \mathbb{N}^{\text{user}, \text{item}}$ into a preference and a confidence that grows at a rate $\alpha$,

$$
\text{pref} = \mathbb{1}[n > 0], \qquad \text{conf} = 1 + \alpha n,
$$

and alternate between the two sides. With the items fixed, each user has a linear system of her own. Its matrix and its right side are

$$
\begin{aligned}
G_{\text{fac}(k), \text{fac}'(l)} &= \text{conf} \underset{\text{item}}{\cdot} \left( Q_{\text{fac}(k)} \, Q_{\text{fac}(l)} \right) + \lambda\, \delta_{kl} \\
z &= (\text{conf} \odot \text{pref}) \underset{\text{item}}{\cdot} Q
\end{aligned}
$$

where $\delta_{kl}$ is Kronecker's. Instead of solving it we do $S$ steps of gradient descent with a step size $\rho$, from $p^0 = 0$:

$$
p^s = p^{s-1} - \rho \left( G \underset{\text{fac}'}{\cdot} [p^{s-1}]_{\text{fac} \to \text{fac}'} - z \right), \qquad s = 1, \dots, S
$$

## Pairs

For each user draw an item that was played, $i^+ \in [|\text{item}|]^{\text{user}}$, and one that was not, $i^- \in [|\text{item}|]^{\text{user}}$. With scores
$x \in \mathbb{R}^{\text{user}, \text{item}}$, BPR is

$$
L_{\text{BPR}} = -\sum_{u=1}^{|\text{user}|} \log \sigma\left( x_{\text{user}(u), \text{item}(i^+_{\text{user}(u)})} - x_{\text{user}(u), \text{item}(i^-_{\text{user}(u)})} \right)
$$

with the logistic function $\sigma(a) = 1 / (1 + e^{-a})$.

## Popularity

What is popular is observed more often. The estimated propensity of an item is a power $\gamma$ of its share,

$$
\pi = \left( \frac{\sum_{\text{user}} o}{\max_{\text{item}} \sum_{\text{user}} o} \right)^{\gamma}
$$

and for errors $e \in \mathbb{R}^{\text{user}, \text{item}}$ the self-normalised estimate of the mean error is

$$
\text{SNIPS}(e) = \frac{\sum_{\text{user}, \text{item}} \frac{o}{\pi} \odot e}{\sum_{\text{user}, \text{item}} \frac{o}{\pi}}
$$

## Ranking quality

Only the first $K$ places are seen.
Let $r \in \mathbb{R}^{\text{user}, \text{item}}$ be graded relevance. The place of an item in the list of a user is one plus the number of items that score higher:

$$
\text{place} = 1 + \sum_{\text{item}'} \mathbb{1}\left[ x_{\text{item} \to \text{item}'} > x \right]
$$

$$
\text{DCG@K} = \sum_{\text{item}} \begin{cases} \dfrac{2^{r} - 1}{\log_2(\text{place} + 1)} & \text{place} \le K \\ 0 & \text{otherwise} \end{cases}
$$

## Several tasks

We predict clicks and purchases. A purchase needs a click, so that the two logits $\alpha_1, \alpha_2 \in \mathbb{R}^{\text{user}, \text{item}}$ make

$$
\begin{aligned}
p_{\text{click}} &= \sigma(\alpha_1) \\
p_{\text{buy}} &= p_{\text{click}} \odot \sigma(\alpha_2)
\end{aligned}
$$

(ESMM), and against the labels $y_1, y_2 \in \{0, 1\}^{\text{user}, \text{item}}$

$$
\ell = -\underset{\text{user}, \text{item}}{\text{mean}} \left( y_1 \log p_{\text{click}} + (1 - y_1) \log(1 - p_{\text{click}}) + y_2 \log p_{\text{buy}} + (1 - y_2) \log(1 - p_{\text{buy}}) \right).
$$

Other heads are weighted by their learned uncertainty, $\varsigma \in \mathbb{R}^{\text{task}}$ holding the logarithms of the variances of the losses $l \in \mathbb{R}^{\text{task}}$
(Kendall et al.):

$$
L_{\text{all}}(l; \varsigma) = \sum_{\text{task}} \left( \tfrac12 e^{-\varsigma} \odot l + \tfrac12 \varsigma \right)
$$
""",
        [
            Fault(
                r"\frac{o \underset{\text{item}}{\cdot} Y}",
                r"\frac{o \underset{\text{user}}{\cdot} Y}",
            ),
            Fault(
                r"[p^{s-1}]_{\text{fac} \to \text{fac}'} - z",
                r"p^{s-1} - z",
            ),
            Fault(
                r"\max_{\text{item}} \sum_{\text{user}} o}",
                r"\max_{\text{user}} \sum_{\text{user}} o}",
            ),
        ],
        [
            Entry(
                r"\tilde P",
                implicit,
                "user fac",
                {"P": "user[4] fac[3]", "Y": "item[5] fac[3]", "o": "user[4] item[5] ~ counts"},
            ),
            Entry(r"\hat R", predicted, "user item", RATED),
            Entry("J", objective, "", {**RATED, "R": "user[4] item[5]", "lambda_": 0.3}),
            Entry(
                "p^S",
                descended,
                "user fac",
                {
                    "Q": "item[5] fac[3]",
                    "n": "user[4] item[5] ~ whole 4",
                    "alpha": 2.0,
                    "lambda_": 0.3,
                    "rho": 0.02,
                },
                chosen={"S": 3},
            ),
            Entry(
                r"L_{\text{BPR}}",
                pairwise,
                "",
                {"x": "user[4] item[5]", "i": "user[4] ~ whole 5", "i_": "user[4] ~ whole 5"},
            ),
            Entry(
                "SNIPS",
                lambda e, o, gamma: unbiased(o, gamma, e),
                "",
                {"e": "user[4] item[5]", "o": "user[4] item[5] ~ counts", "gamma": 0.5},
            ),
            Entry(
                "DCG@K",
                lambda x, r, K: ndcg(1 + (x[:, None] > x[:, :, None]).sum(2), r, K),
                "user",
                {"x": "user[4] item[5]", "r": "user[4] item[5] ~ whole 3", "K": 3},
            ),
            Entry(
                r"\ell",
                conversion,
                "",
                {
                    "alpha_1": "user[4] item[5]",
                    "alpha_2": "user[4] item[5]",
                    "y_1": "user[4] item[5] ~ bits",
                    "y_2": "user[4] item[5] ~ bits",
                },
            ),
            Entry(
                r"L_{\text{all}}",
                task_loss,
                "",
                {"l": "task[3] ~ positive"},
                {"varsigma": "task[3]"},
            ),
        ],
    ),
]
