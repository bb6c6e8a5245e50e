"""Ten more models from statistics, ecology, chemistry and retrieval, with much said in running prose."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def answers(a, b, theta):
    """Probabilities of right answers, by person and item."""
    return sigmoid(a * (theta[:, None] - b))


def penalised(Y, a, b, theta, alpha, beta):
    p = answers(a, b, theta)
    likelihood = (Y * np.log(p) + (1 - Y) * np.log(1 - p)).sum()
    return -likelihood + alpha * (theta**2).sum() + beta * ((a - 1) ** 2).sum()


def cronbach(Y):
    J = Y.shape[1]
    return J / (J - 1) * (1 - Y.var(0).sum() / Y.sum(1).var())


def pulls(theta):
    """The mean of the sines of how far the others are ahead."""
    return np.sin(theta[None, :] - theta[:, None]).mean(1)


def phases(theta, omega, kappa, h, T):
    rows = [theta]
    for _ in range(T - 1):
        rows.append(rows[-1] + h * (omega + kappa * pulls(rows[-1])))
    return np.stack(rows)


def order(phi):
    return np.hypot(np.cos(phi).mean(-1), np.sin(phi).mean(-1))


def leslie(f, s):
    L = np.zeros((len(f), len(f)))
    L[0] = f
    for j in range(len(f) - 1):
        L[j + 1, j] = s[j]
    return L


def survivorship(s):
    return np.array([np.prod(s[:a]) for a in range(len(s))])


def generation(f, s):
    births = f * survivorship(s)
    return (np.arange(1, len(f) + 1) * births).sum() / births.sum()


def within(y):
    return y - y.mean(1, keepdims=True) - y.mean(0, keepdims=True) + y.mean((0, 1), keepdims=True)


def slopes(y, X):
    x, v = within(X), within(y)
    return np.linalg.solve(np.einsum("itk,itl->kl", x, x), np.einsum("itk,it->k", x, v))


def clustered(y, X):
    x = within(X)
    S = np.linalg.inv(np.einsum("itk,itl->kl", x, x))
    u = np.einsum("itk,it->ik", x, within(y) - x @ slopes(y, X))
    return S @ u.T @ u @ S


def effect(y, D, Q):
    def cell(d, q):
        w = d[:, None] * q
        return (w * y).sum() / w.sum()

    return (cell(D, Q) - cell(D, 1 - Q)) - (cell(1 - D, Q) - cell(1 - D, 1 - Q))


def decay(n, g):
    i, j = np.arange(n)[:, None], np.arange(n)
    return np.where(i >= j, g ** np.maximum(i - j, 0).astype(float), 0.0)


def retain(X, Q, K, V, g):
    return (decay(len(X), g) * (X @ Q @ (X @ K).T)) @ (X @ V)


def retain_heads(X, Q, K, V, O):
    heads = Q.shape[1]
    parts = [retain(X, Q[:, h], K[:, h], V[:, h], 1 - 2.0 ** (-5 - (h + 1))) for h in range(heads)]
    return np.einsum("hnv,hve->ne", np.stack(parts), O)


def rates(c, k, A):
    return k * np.prod(c[:, None] ** A, 0)


def course(c, k, A, B, h, T):
    rows = [c]
    for _ in range(T - 1):
        rows.append(rows[-1] + h * (B - A) @ rates(rows[-1], k, A))
    return np.stack(rows)


def balanced(O, D, f, K):
    b = np.ones(len(D))
    for _ in range(K):
        a = 1 / (f @ (b * D))
        b = 1 / (f.T @ (a * O))
    return (a * O)[:, None] * (b * D) * f


def radiation(O, m, n, d):
    out = np.zeros(d.shape)
    for i in range(d.shape[0]):
        for j in range(d.shape[1]):
            s = n[d[i] < d[i, j]].sum()
            out[i, j] = O[i] * m[i] * n[j] / ((m[i] + s) * (m[i] + n[j] + s))
    return out


def ordinal(X, w, t):
    """Probabilities of grades from cut points."""
    below = sigmoid(t - (X @ w)[:, None])
    edges = np.concatenate([np.zeros((len(X), 1)), below, np.ones((len(X), 1))], 1)
    return np.diff(edges, axis=1)


def kappa_of(O):
    C = len(O)
    i, j = np.arange(C)[:, None], np.arange(C)
    W = (i - j) ** 2 / (C - 1) ** 2
    E = np.outer(O.sum(1), O.sum(0)) / O.sum()
    return 1 - (W * O).sum() / (W * E).sum()


def recombine(L):
    raw = np.log(L / 2 + 0.5) - np.log(np.arange(1, L + 1))
    return np.maximum(raw, 0) / np.maximum(raw, 0).sum()


def covariance(C, p, Y, c1, cm):
    w = recombine(len(Y))
    return (1 - c1 - cm) * C + c1 * np.outer(p, p) + cm * np.einsum("i,ia,ib->ab", w, Y, Y)


def late(q, d):
    return np.einsum("bqe,kte->bkqt", q, d).max(3).sum(2)


DOCUMENTS = [
    Unseen(
        "questionnaire.md",
        r"""# Item response theory in one afternoon

*Notes for week 5. Comments welcome.*

A school gives a test to $N$ persons. The test has $J$ items, and every answer is right or wrong, so all that we see is
$Y \in \{0, 1\}^{\text{person}:N, \text{item}:J}$. What we want to know is hidden:

| symbol | lives in | meaning |
|:--|:--|:--|
| $\theta$ | $\mathbb{R}^{\text{person}:N}$ | how able a person is |
| $b$ | $\mathbb{R}^{\text{item}:J}$ | how difficult an item is |
| $a$ | $\mathbb{R}^{\text{item}:J}$ | how sharply it tells people apart |

## The model

Birnbaum's two-parameter model says that the probability of a right answer is

$$P = \sigma\left( a \odot (\theta - b) \right)$$

where $\sigma$ is the logistic function. With multiple choice one can also guess; if $c \in [0, 1]^{\text{item}:J}$ are the
probabilities to guess right, then

$$G = c + (1 - c) \odot P.$$

## Fitting

The log-likelihood of each person's answers is

$$\ell = \sum_{\text{item}} \left[ Y \odot \log P + (1 - Y) \odot \log (1 - P) \right].$$

Let $\alpha$ be how strongly abilities are pulled to zero and $\beta$ how strongly the discriminations are pulled to one. We minimise

$$\mathcal{L} = - \sum_{\text{person}} \ell + \alpha \sum_{\text{person}} \theta^2 + \beta \sum_{\text{item}} (a - 1)^2 .$$

## How precise is it?

The Fisher information of the test about a person is $\text{info} = \sum_{\text{item}} a^2 \odot P \odot (1 - P)$, and the standard error
of the ability is

$$\text{se} = \frac{1}{\sqrt{\text{info}}} , \qquad \text{se} \in \mathbb{R}^{\text{person}:N}.$$

## Classical statistics

Before all this, people looked at the *rest score*, the number of right answers to all other items:

$$R_{\text{person}(i), \text{item}(j)} = \sum_{k \neq j} Y_{\text{person}(i), \text{item}(k)}$$

and at Cronbach's coefficient

$$\kappa = \frac{J}{J - 1} \left( 1 - \frac{ \sum_{\text{item}} \underset{\text{person}}{\text{var}}\, Y }{ \underset{\text{person}}{\text{var}} \left( \sum_{\text{item}} Y \right) } \right).$$

A value above $0.8$ is called good[^1].

[^1]: By whom? By people who sell tests.
""",
        [
            Fault(
                r"\sum_{\text{item}} a^2 \odot P",
                r"\sum_{\text{person}} a^2 \odot P",
                r"\text{se} = \frac{1}",
            ),
            Fault(r"Y_{\text{person}(i), \text{item}(k)}", r"Y_{\text{person}(k), \text{item}(i)}"),
            Fault(
                r"\sum_{\text{item}} \underset{\text{person}}{\text{var}}\, Y",
                r"\sum_{\text{item}} \underset{\text{item}}{\text{var}}\, Y",
            ),
        ],
        [
            Entry(
                "P",
                lambda theta, a, b: answers(a, b, theta),
                "person item",
                {"theta": "person[4]", "a": "item[3] ~ positive", "b": "item[3]"},
            ),
            Entry(
                r"\mathcal{L}",
                penalised,
                "",
                {
                    "Y": "person[4] item[3] ~ bits",
                    "a": "item[3] ~ positive",
                    "b": "item[3]",
                    "theta": "person[4]",
                    "alpha": 0.5,
                    "beta": 0.25,
                },
            ),
            Entry(
                r"\text{se}",
                lambda theta, a, b: (
                    1 / np.sqrt((a**2 * answers(a, b, theta) * (1 - answers(a, b, theta))).sum(1))
                ),
                "person",
                {"theta": "person[4]", "a": "item[3] ~ positive", "b": "item[3]"},
            ),
            Entry(
                "R",
                lambda Y: Y.sum(1, keepdims=True) - Y,
                "person item",
                {"Y": "person[4] item[3] ~ bits"},
            ),
            Entry(r"\kappa", cronbach, "", {"Y": "person[5] item[3] ~ counts"}),
        ],
    ),
    Unseen(
        "oscillators.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\osc}{osc} \ndef{\tm}{time} \ndef{\comm}{comm}
\newcommand{\R}{\mathbb{R}}
\title{Synchronisation of coupled oscillators}
\begin{document}
\maketitle
\section{Setting}
Fireflies, neurons and metronomes have in common that each has a phase. We denote by $\theta \in \R^{\osc[N]}$ the phases of $N$
oscillators and by $\omega \in \R^{\osc[N]}$ their natural frequencies; $\kappa$ stands for how strongly they are coupled.

How far the phases agree is told by the order parameter
\begin{equation}
r = \sqrt{ \left( \nfun{\osc}{mean} \cos \theta \right)^2 + \left( \nfun{\osc}{mean} \sin \theta \right)^2 } ,
\end{equation}
which is $1$ if all phases are the same and near $0$ if they are spread evenly.

\section{Dynamics}
Every oscillator is pulled by all others,
\begin{equation}
v_{\osc(i)} = \omega_{\osc(i)} + \frac{\kappa}{N} \sum_{j=1}^{N} \sin\left( \theta_{\osc(j)} - \theta_{\osc(i)} \right) . \label{eq:kuramoto}
\end{equation}
On a network with weights $W \in \R^{\osc[N] \times \osc'[N]}$ only neighbours pull:
\begin{equation}
u_{\osc(i)} = \omega_{\osc(i)} + \kappa \sum_{j=1}^{N} W_{\osc(i), \osc'(j)} \sin\left( \theta_{\osc(j)} - \theta_{\osc(i)} \right)
\end{equation}
For $W_{\osc(i), \osc'(j)} = 1/N$ this is \eqref{eq:kuramoto}.

\subsection{In discrete time}
We follow the phases for $T$ steps of length $h$, so $\phi \in \R^{\tm[T] \times \osc[N]}$. At the start $\phi_{\tm(1)} = \theta$, and then
\begin{align}
\phi_{\tm(t), \osc(i)} &= \phi_{\tm(t-1), \osc(i)} + h \, g_{\tm(t-1), \osc(i)}, \qquad t = 2, \dots, T \\
g_{\tm(t), \osc(i)} &= \omega_{\osc(i)} + \frac{\kappa}{N} \sum_{j=1}^{N} \sin\left( \phi_{\tm(t), \osc(j)} - \phi_{\tm(t), \osc(i)} \right)
\end{align}
The mean order over time is
\begin{equation}
\bar r = \nfun{\tm}{mean} \sqrt{ \left( \nfun{\osc}{mean} \cos \phi \right)^2 + \left( \nfun{\osc}{mean} \sin \phi \right)^2 }, \quad \bar r \in \R .
\end{equation}

\subsection{Communities}
Let each oscillator belong to one community, $M \in \{0, 1\}^{\osc[N] \times \comm[K]}$. Inside of the communities the order is
\begin{align}
q &= \sqrt{ C^2 + S^2 } \\
C &= \frac{ M \ndot{\osc} \cos \theta }{ \nsum{\osc} M }, &
S &= \frac{ M \ndot{\osc} \sin \theta }{ \nsum{\osc} M } .
\end{align}
\end{document}
""",
        [
            Fault(r"\sum_{j=1}^{N} W_{\osc(i)", r"\sum_{j=1}^{T} W_{\osc(i)"),
            Fault(
                r"\sin\left( \phi_{\tm(t), \osc(j)} -",
                r"\sin\left( \phi_{\tm(j), \osc(t)} -",
            ),
            Fault(
                r"\bar r = \nfun{\tm}{mean} \sqrt{ \left( \nfun{\osc}{mean} \cos \phi \right)^2 +",
                r"\bar r = \nfun{\tm}{mean} \sqrt{ \left( \nfun{\tm}{mean} \cos \phi \right)^2 +",
            ),
        ],
        [
            Entry("r", lambda theta: order(theta), "", {"theta": "osc[4]"}),
            Entry(
                "v",
                lambda theta, omega, k: omega + k * pulls(theta),
                "osc",
                {"theta": "osc[4]", "omega": "osc[4]", "kappa": 1.5},
            ),
            Entry(
                "u",
                lambda theta, omega, W, k: (
                    omega + k * (W * np.sin(theta[None, :] - theta[:, None])).sum(1)
                ),
                "osc",
                {"theta": "osc[4]", "omega": "osc[4]", "W": "osc[4] osc'[4]", "kappa": 1.5},
            ),
            Entry(
                r"\bar r",
                lambda theta, omega, k, h: order(phases(theta, omega, k, h, 5)).mean(),
                "",
                {"theta": "osc[4]", "omega": "osc[4]", "kappa": 1.5, "h": 0.1},
                chosen={"T": 5},
            ),
            Entry(
                "q",
                lambda theta, M: np.hypot(
                    np.cos(theta) @ M / M.sum(0), np.sin(theta) @ M / M.sum(0)
                ),
                "comm",
                {"theta": "osc[4]", "M": "osc[4] comm[2] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "cohorts.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\DeclareMathOperator{\diag}{diag}
\begin{document}
\section*{Age-structured populations}
A population is divided into $A$ age classes of one year each. Its state is the vector $n \in \mathbb{R}^{\text{age}:A}$ that says how many
individuals are in each class. Two quantities describe a life history:
\begin{itemize}
\item the fecundities $f \in \mathbb{R}^{\text{age}:A}$, the number of daughters born in a year to a female of each class;
\item the survival probabilities $s \in [0, 1]^{\text{age}:A}$, the last of which is irrelevant, since nobody leaves the last class alive.
\end{itemize}

\paragraph{Projection.} Leslie's matrix is
\[
L_{\text{age}(i), \text{age}'(j)} =
\begin{cases}
f_{\text{age}(j)} & \text{if } i = 1 \\
s_{\text{age}(j)} & \text{if } i = j + 1 \\
0 & \text{otherwise}
\end{cases}
\]
so that next year's state is
\[
n^{+} = L \underset{\text{age}'}{\cdot} n_{\text{age} \to \text{age}'} .
\]

\paragraph{Life table.} A newborn reaches class $a$ with probability
\[
l_{\text{age}(a)} = \prod_{i=1}^{a-1} s_{\text{age}(i)},
\]
the net reproduction is $R_0 = \sum_{\text{age}} f \odot l$, and the mean age of mothers is
\[
G = \frac{ \sum_{a=1}^{A} a \, f_{\text{age}(a)} \, l_{\text{age}(a)} }{ R_0 } .
\]

\paragraph{Sensitivity.} Denote by $w, v \in \mathbb{R}^{\text{age}:A}$ the right and the left eigenvector of $L$ and by $\lambda$ its growth rate. The
elasticities
\[
E_{\text{age}(i), \text{age}'(j)} = \frac{ v_{\text{age}(i)} \, w_{\text{age}(j)} \, L_{\text{age}(i), \text{age}'(j)} }{ \lambda \left( v \underset{\text{age}}{\cdot} w \right) }
\]
sum to one.

\paragraph{Several places.} If there are $P$ places, we write $X \in \mathbb{R}^{\text{place}:P, \text{age}:A}$, and a matrix $D \in [0,1]^{\text{place}:P, \text{place}':P}$
tells which share of those who live in a place moves to another one. First all reproduce, then all move:
\[
X^{+} = D \underset{\text{place}}{\cdot} \left( L \underset{\text{age}'}{\cdot} X_{\text{age} \to \text{age}'} \right)
\]
which has the axes $\text{place}'$ and $\text{age}$.
The age structure of the whole is the share
\[
z = \frac{ \sum_{\text{place}} X }{ \sum_{\text{place}, \text{age}} X } .
\]
\end{document}
""",
        [
            Fault(
                r"l_{\text{age}(a)} = \prod_{i=1}^{a-1} s_{\text{age}(i)}",
                r"l_{\text{age}(a)} = \prod_{i=1}^{a} s_{\text{age}(i+1)}",
            ),
            Fault(
                r"X^{+} = D \underset{\text{place}}{\cdot}",
                r"X^{+} = D \underset{\text{age}}{\cdot}",
            ),
            Fault(r"\sum_{a=1}^{A} a", r"\sum_{a=0}^{A} a"),
        ],
        [
            Entry(
                "n^{+}",
                lambda f, s, n: leslie(f, s) @ n,
                "age",
                {"f": "age[4]", "s": "age[4] ~ positive", "n": "age[4]"},
            ),
            Entry("l", survivorship, "age", {"s": "age[4] ~ positive"}),
            Entry("G", generation, "", {"f": "age[4] ~ positive", "s": "age[4] ~ positive"}),
            Entry(
                "E",
                lambda f, s, v, w, g: v[:, None] * w * leslie(f, s) / (g * (v @ w)),
                "age age'",
                {
                    "f": "age[4] ~ positive",
                    "s": "age[4] ~ positive",
                    "v": "age[4] ~ positive",
                    "w": "age[4] ~ positive",
                    "lambda_": 1.1,
                },
            ),
            Entry(
                "X^{+}",
                lambda D, f, s, X: D.T @ X @ leslie(f, s).T,
                "place' age",
                {
                    "D": "place[2] place'[2] ~ positive",
                    "f": "age[4]",
                    "s": "age[4] ~ positive",
                    "X": "place[2] age[4]",
                },
            ),
        ],
    ),
    Unseen(
        "panel.md",
        r"""---
title: Panel data (problem set 3, with solutions)
---

# Fixed effects

You observe $N$ firms for $T$ years: an outcome $y \in \mathbb{R}^{\text{firm}:N, \text{year}:T}$ and $K$ regressors, $X \in \mathbb{R}^{\text{firm}:N, \text{year}:T, \text{reg}:K}$.
The model is that of two-way fixed effects. **(a)** Show that one may work with what is left when both means are taken out,

$$
\tilde y = y - \underset{\text{year}}{\text{mean}}\, y - \underset{\text{firm}}{\text{mean}}\, y + g
$$

with the grand mean $g = \underset{\text{firm}, \text{year}}{\text{mean}}\, y$, $g \in \mathbb{R}$. The regressors are treated in the same manner:

$$
\tilde X = X - \underset{\text{year}}{\text{mean}}\, X - \underset{\text{firm}}{\text{mean}}\, X + \underset{\text{firm}, \text{year}}{\text{mean}}\, X
$$

**(b)** Write down the estimator. *Solution.* With the matrix of cross products $S$,

$$
\hat\beta = \left[ S^{-1} \underset{\text{reg}}{\cdot} \left( \tilde X \underset{\text{firm}, \text{year}}{\cdot} \tilde y \right) \right]_{\text{reg}' \to \text{reg}}, \qquad S = \tilde X \underset{\text{firm}, \text{year}}{\cdot} \tilde X_{\text{reg} \to \text{reg}'}
$$

**(c)** Errors of the same firm are related. Which covariance is robust to that? *Solution.* Sum the scores within a firm first:

$$
\begin{aligned}
e &= \tilde y - \tilde X \underset{\text{reg}}{\cdot} \hat\beta \\
u &= \tilde X \underset{\text{year}}{\cdot} e \\
B &= u \underset{\text{firm}}{\cdot} u_{\text{reg} \to \text{reg}'}
\end{aligned}
$$

The rest is the usual sandwich (bread, filling, bread),

$$
V = \left( S^{-1} \right)_{\text{reg}' \to \text{mid}} \underset{\text{mid}}{\cdot} B_{\text{reg} \to \text{mid}, \text{reg}' \to \text{mid}'} \underset{\text{mid}'}{\cdot} \left( S^{-1} \right)_{\text{reg} \to \text{mid}'} .
$$

# Random effects

Let $\sigma_u$ be the spread between firms and $\sigma_e$ the one within. Then it suffices to take out a part of the mean:

$$
y_{\text{re}} = y - \vartheta \underset{\text{year}}{\text{mean}}\, y, \qquad \vartheta = 1 - \sqrt{ \frac{ \sigma_e^2 }{ \sigma_e^2 + T \sigma_u^2 } }
$$

# Differences in differences

Some firms are treated, $D \in \{0, 1\}^{\text{firm}:N}$, and some years come after the reform, $Q \in \{0, 1\}^{\text{year}:T}$. The mean outcome
of a cell is

$$
m(d, q) = \frac{ \sum_{\text{firm}, \text{year}} d \odot q \odot y }{ \left( \sum_{\text{firm}} d \right) \left( \sum_{\text{year}} q \right) }
$$

and the effect is $\delta = \left( m(D, Q) - m(D, 1 - Q) \right) - \left( m(1 - D, Q) - m(1 - D, 1 - Q) \right)$.

# Margins

In many books means carry dots: $\bar y_{i \cdot} = \frac{1}{T} \sum_{t=1}^{T} y_{it}$ and $\bar y_{\cdot t} = \frac{1}{N} \sum_{i=1}^{N} y_{it}$. The spread between firms is

$$
\tau = \frac{1}{N - 1} \sum_{i=1}^{N} \left( \bar y_{i \cdot} - g \right)^2 .
$$
""",
        [
            Fault(
                r"g = \underset{\text{firm}, \text{year}}{\text{mean}}\, y$",
                r"g = \underset{\text{firm}}{\text{mean}}\, y$",
            ),
            Fault(
                r"u &= \tilde X \underset{\text{year}}{\cdot} e",
                r"u &= \tilde X \underset{\text{firm}}{\cdot} e",
                r"B &= u",
            ),
            Fault(
                r"\sum_{i=1}^{N} \left( \bar y_{i \cdot} - g",
                r"\sum_{i=1}^{T} \left( \bar y_{i \cdot} - g",
            ),
        ],
        [
            Entry(r"\tilde y", within, "firm year", {"y": "firm[4] year[3]"}),
            Entry(
                r"\hat\beta",
                slopes,
                "reg",
                {"y": "firm[4] year[3]", "X": "firm[4] year[3] reg[2]"},
            ),
            Entry(
                "V",
                clustered,
                "reg reg'",
                {"y": "firm[4] year[3]", "X": "firm[4] year[3] reg[2]"},
            ),
            Entry(
                r"y_{\text{re}}",
                lambda y, su, se: (
                    y - (1 - np.sqrt(se**2 / (se**2 + 3 * su**2))) * y.mean(1, keepdims=True)
                ),
                "firm year",
                {"y": "firm[4] year[3]", "sigma_u": 0.7, "sigma_e": 0.4},
            ),
            Entry(
                r"\delta",
                effect,
                "",
                {
                    "y": "firm[4] year[3]",
                    "D": "firm[4] ~ first 2",
                    "Q": "year[3] ~ first 1",
                },
            ),
            Entry(
                r"\tau",
                lambda y: y.mean(1).var(ddof=1),
                "",
                {"y": "firm[4] year[3]"},
            ),
        ],
    ),
    Unseen(
        "retention.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq} \ndef{\emb}{emb} \ndef{\key}{key} \ndef{\val}{val} \ndef{\head}{head}
\begin{document}
\begin{abstract}
We recall retention, which can be trained like attention and run like a recurrent network.
\end{abstract}
\section{Background}
Let $X \in \mathbb{R}^{\seq[n] \times \emb[d]}$ be the input of a layer. Queries, keys and values are linear\footnote{We leave out the rotation of queries and
keys; biases are not used.}
\begin{align}
Q &= X \ndot{\emb} W_Q & K &= X \ndot{\emb} W_K & V &= X \ndot{\emb} W_V
\end{align}
with $W_Q, W_K \in \mathbb{R}^{\emb[d] \times \key}$ and $W_V \in \mathbb{R}^{\emb[d] \times \val}$.

\section{Retention}
\subsection{Parallel form}
The past fades: with a decay $\gamma \in (0, 1)$ we set
\begin{equation}
D_{\seq'(i), \seq(j)} = \begin{cases} \gamma^{i - j} & i \ge j \\ 0 & i < j \end{cases}
\end{equation}
and the output is
\begin{equation}
\mathrm{Ret} = \left( \left( Q_{\seq \to \seq'} \ndot{\key} K \right) \odot D \right) \ndot{\seq} V , \qquad \mathrm{Ret} \in \mathbb{R}^{\seq'[n] \times \val} .
\end{equation}

\subsection{Recurrent form}
The same numbers come from a state, a matrix that starts with $S_{\seq(0)} = 0$ and changes with each position,
\begin{align}
S_{\seq(t)} &= \gamma S_{\seq(t-1)} + K_{\seq(t)} \odot V_{\seq(t)} \\
O_{\seq(t)} &= Q_{\seq(t)} \ndot{\key} S_{\seq(t)}
\end{align}
where $t = 1, \dots, n$. Only $|\key| \cdot |\val|$ numbers have to be kept.

\section{Several scales}
We use $H$ heads with a decay each,
\begin{equation}
\Gamma_{\head(h)} = 1 - 2^{-5 - h}, \qquad h = 1, \dots, H ,
\end{equation}
and weights $U_Q, U_K \in \mathbb{R}^{\emb[d] \times \head[H] \times \key}$, $U_V \in \mathbb{R}^{\emb[d] \times \head[H] \times \val}$ and
$U_O \in \mathbb{R}^{\head[H] \times \val \times \emb[d]}$. Then
\begin{align}
\Delta_{\head(h), \seq'(i), \seq(j)} &= \begin{cases} \Gamma_{\head(h)}^{i - j} & i \ge j \\ 0 & \text{otherwise} \end{cases} \\
Y &= \left[ R \ndot{\seq} (X \ndot{\emb} U_V) \right] \ndot{\head, \val} U_O \\
R &= \Delta \odot \left( (X \ndot{\emb} U_Q)_{\seq \to \seq'} \ndot{\key} (X \ndot{\emb} U_K) \right)
\end{align}

\section{Gate and norm}
Each head is normalised by itself. For $Z \in \mathbb{R}^{\head[H] \times \val}$ this means
\begin{equation}
\mathrm{norm}(Z) = \frac{ Z - \nfun{\val}{mean} Z }{ \sqrt{ \nfun{\val}{var} Z + \epsilon } }, \qquad \epsilon = 10^{-5} .
\end{equation}
The gate, for a position $x \in \mathbb{R}^{\emb[d]}$, multiplies by $\mathrm{swish}(a) = a\, \sigma(a)$ of a linear map,
\begin{equation}
\mathrm{out}(x, Z) = \left( \mathrm{swish}(x \ndot{\emb} W_G) \odot \mathrm{norm}(Z) \right) \ndot{\head, \val} U_O
\end{equation}
where $W_G \in \mathbb{R}^{\emb[d] \times \head[H] \times \val}$.
\end{document}
""",
        [
            Fault(r"\nfun{\val}{mean} Z }{", r"\nfun{\key}{mean} Z }{"),
            Fault(
                r"\left( Q_{\seq \to \seq'} \ndot{\key} K \right) \odot D \right) \ndot{\seq} V",
                r"\left( Q_{\seq \to \seq'} \ndot{\key} K \right) \odot D \right) \ndot{\seq'} V",
            ),
            Fault(
                r"K_{\seq(t)} \odot V_{\seq(t)}",
                r"K_{\key(t)} \odot V_{\seq(t)}",
            ),
        ],
        [
            Entry(
                r"\mathrm{Ret}",
                retain,
                "seq' val",
                {
                    "X": "seq[4] emb[3]",
                    "W_Q": "emb[3] key[2]",
                    "W_K": "emb[3] key[2]",
                    "W_V": "emb[3] val[2]",
                    "gamma": 0.75,
                },
            ),
            Entry(
                "O",
                retain,
                "seq val",
                {
                    "X": "seq[4] emb[3]",
                    "W_Q": "emb[3] key[2]",
                    "W_K": "emb[3] key[2]",
                    "W_V": "emb[3] val[2]",
                    "gamma": 0.75,
                },
            ),
            Entry(
                "Y",
                retain_heads,
                "seq' emb",
                {
                    "X": "seq[4] emb[3]",
                    "U_Q": "emb[3] head[2] key[2]",
                    "U_K": "emb[3] head[2] key[2]",
                    "U_V": "emb[3] head[2] val[2]",
                    "U_O": "head[2] val[2] emb[3]",
                },
            ),
            Entry(
                r"\mathrm{out}",
                lambda x, Z, G, O: np.einsum(
                    "hv,hve->e",
                    np.einsum("e,ehv->hv", x, G)
                    * sigmoid(np.einsum("e,ehv->hv", x, G))
                    * (Z - Z.mean(1, keepdims=True))
                    / np.sqrt(Z.var(1, keepdims=True) + 1e-5),
                    O,
                ),
                "emb",
                {
                    "x": "emb[3]",
                    "Z": "head[2] val[3]",
                    "W_G": "emb[3] head[2] val[3]",
                    "U_O": "head[2] val[3] emb[3]",
                },
            ),
        ],
    ),
    Unseen(
        "reactions.md",
        r"""# Mass action, or how a soup of molecules computes

Notation used in this chapter:

- $c \in \mathbb{R}^{\text{species}:M}$ -- concentrations (mol per litre)
- $A$ and $B$, both in $\mathbb{R}^{\text{species}:M, \text{reaction}:R}$ -- how many molecules of a species go into a reaction, and how many come out
- $k \in \mathbb{R}^{\text{reaction}:R}$ -- rate constants

## Rates

A reaction needs all its molecules in one place, so its rate is proportional to the product of their concentrations:

$$v(c) = k \odot \prod_{\text{species}} c^A$$

Numerically one prefers logarithms. That is $\log v = \log k + A \underset{\text{species}}{\cdot} \log c$.

Each event of reaction $r$ changes the counts by the column $r$ of the *stoichiometric matrix* $S = B - A$. The concentrations follow

$$F(c) = S \underset{\text{reaction}}{\cdot} v(c).$$

## Stiffness

The Jacobian decides which solver to use:

$$J_{\text{species}(i), \text{species}'(j)} = \sum_{r=1}^{R} S_{\text{species}(i), \text{reaction}(r)} \, v(c)_{\text{reaction}(r)} \, \frac{ A_{\text{species}(j), \text{reaction}(r)} }{ c_{\text{species}(j)} }$$

The simplest of all solvers takes steps of length $\eta$. Starting from $x_{\text{time}(1)} = c$ it computes

$$x_{\text{time}(t+1)} = x_{\text{time}(t)} + \eta \, F(x_{\text{time}(t)}), \qquad t = 1, \ldots, T - 1,$$

thus $x \in \mathbb{R}^{\text{time}:T, \text{species}:M}$.

## Conservation

Atoms are neither made nor lost. If $W \in \mathbb{R}^{\text{law}, \text{species}:M}$ lists how many atoms of each element a molecule has, then the totals

$$h = W \underset{\text{species}}{\cdot} c$$

stay the same, because $W \underset{\text{species}}{\cdot} S = 0$.

## Temperature

Rate constants depend on temperature. Let $E \in \mathbb{R}^{\text{reaction}:R}$ be the activation energies, $k_\infty \in \mathbb{R}^{\text{reaction}:R}$ the rates at infinite temperature,
and let $\Theta$ denote the temperature in units of energy. Arrhenius found

$$k_\Theta = k_\infty \odot \exp(-E / \Theta).$$

## Enzymes

With $V_{\max}$ for the highest rate and $K_m$ for the concentration at which half of it is reached, the rate of an enzyme with substrate $s$ is

$$\text{mm}(s) = \frac{ V_{\max}\, s }{ K_m + s }$$

and inhibitors, whose concentrations are $q \in \mathbb{R}^{\text{inhib}}$ and whose constants are $\kappa \in \mathbb{R}^{\text{inhib}}$, slow it down:

$$\text{slow}(s) = \frac{ V_{\max}\, s }{ K_m \left( 1 + \sum_{\text{inhib}} \frac{q}{\kappa} \right) + s }$$
""",
        [
            Fault(
                r"F(c) = S \underset{\text{reaction}}{\cdot} v(c)",
                r"F(c) = S \underset{\text{species}}{\cdot} v(c)",
            ),
            Fault(
                r"v(c)_{\text{reaction}(r)} \, \frac{ A_{\text{species}(j), \text{reaction}(r)} }",
                r"v(c)_{\text{reaction}(r)} \, \frac{ A_{\text{species}(r), \text{reaction}(j)} }",
            ),
            Fault(
                r"h = W \underset{\text{species}}{\cdot} c",
                r"h = W \underset{\text{law}}{\cdot} c",
            ),
        ],
        [
            Entry(
                "v",
                rates,
                "reaction",
                {"c": "species[3] ~ positive"},
                {"k": "reaction[2] ~ positive", "A": "species[3] reaction[2] ~ counts"},
            ),
            Entry(
                "F",
                lambda c, k, A, B: (B - A) @ rates(c, k, A),
                "species",
                {"c": "species[3] ~ positive"},
                {
                    "k": "reaction[2] ~ positive",
                    "A": "species[3] reaction[2] ~ counts",
                    "B": "species[3] reaction[2] ~ counts",
                },
            ),
            Entry(
                "J",
                lambda c, k, A, B: np.einsum("ir,r,jr->ij", B - A, rates(c, k, A), A) / c,
                "species species'",
                {
                    "c": "species[3] ~ positive",
                    "k": "reaction[2] ~ positive",
                    "A": "species[3] reaction[2] ~ counts",
                    "B": "species[3] reaction[2] ~ counts",
                },
            ),
            Entry(
                "x",
                lambda c, k, A, B, h: course(c, k, A, B, h, 3),
                "time species",
                {
                    "c": "species[3] ~ positive",
                    "k": "reaction[2] ~ positive",
                    "A": "species[3] reaction[2] ~ bits",
                    "B": "species[3] reaction[2] ~ bits",
                    "eta": 0.01,
                },
                chosen={"T": 3},
            ),
            Entry(
                r"k_\Theta",
                lambda k, E, T: k * np.exp(-E / T),
                "reaction",
                {"k_infty": "reaction[2]", "E": "reaction[2]", "Theta": 0.5},
            ),
            Entry(
                r"\text{slow}",
                lambda s, V, K, q, k: V * s / (K * (1 + (q / k).sum()) + s),
                "",
                {
                    "s": 0.8,
                    "V_max": 2.0,
                    "K_m": 0.5,
                    "q": "inhib[2] ~ positive",
                    "kappa": "inhib[2] ~ positive",
                },
            ),
        ],
    ),
    Unseen(
        "migration.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\orig}{orig} \ndef{\dest}{dest}
\newcommand{\Rp}{\mathbb{R}_{>0}}
\begin{document}
\section{Gravity models of migration}
How many people move from one region to another? As input we have the totals that leave each of $n$ origins and arrive at each of $m$ destinations,
$O \in \Rp^{\orig[n]}$ and $D \in \Rp^{\dest[m]}$,\footnote{Census data. Of course $\nsum{\orig} O = \nsum{\dest} D$.} and the distances $d \in \Rp^{\orig[n] \times \dest[m]}$.

\subsection{Deterrence}
People avoid long moves. Two forms are in use, with $\beta$ for how fast movement falls off with distance:
\begin{align}
f &= \exp(-\beta d), \\
f_{\text{pow}} &= d^{-\beta} .
\end{align}

\subsection{Constrained models}
In the model that is constrained at the origins, the flows are
\begin{equation}
T_{\text{o}} = O \odot \frac{ D \odot f }{ \nsum{\dest} (D \odot f) } .
\end{equation}
To reproduce both totals one needs balancing factors $a \in \Rp^{\orig[n]}$ and $b \in \Rp^{\dest[m]}$, which are found by iteration. Begin with $b^0 = 1$ and repeat, for $k = 1, \dots, K$,
\begin{align}
a^k &= \frac{1}{ f \ndot{\dest} (b^{k-1} \odot D) } \\
b^k &= \frac{1}{ f \ndot{\orig} (a^k \odot O) }
\end{align}
Afterwards the flows are
\begin{equation}
T = a^K \odot O \odot b^K \odot D \odot f .
\end{equation}

\subsection{Radiation}
A rival without parameters needs the populations of origins and destinations, $p \in \Rp^{\orig[n]}$ and $q \in \Rp^{\dest[m]}$. Let
\begin{equation}
s_{\orig(i), \dest(j)} = \sum_{k : d_{\orig(i), \dest(k)} < d_{\orig(i), \dest(j)}} q_{\dest(k)}
\end{equation}
be how many people live closer to $i$ than $j$. Then
\begin{equation}
T_{\text{rad}} = \frac{ O \odot p \odot q }{ (p + s) \odot (p + q + s) } .
\end{equation}

\subsection{Evaluation}
For observed flows $F \in \mathbb{R}^{\orig[n] \times \dest[m]}$ and predicted ones $P \in \mathbb{R}^{\orig[n] \times \dest[m]}$, the share of commuters in common is
\begin{equation}
\mathrm{CPC}(F, P) = \frac{ 2 \nsum{\orig, \dest} \min(F, P) }{ \nsum{\orig, \dest} F + \nsum{\orig, \dest} P }
\end{equation}
and the mean cost of a move is
\begin{equation}
\bar d (P) = \frac{ \nsum{\orig, \dest} (P \odot d) }{ \nsum{\orig, \dest} P }, \qquad \bar d(P) \in \mathbb{R}.
\end{equation}
\end{document}
""",
        [
            Fault(
                r"f \ndot{\orig} (a^k \odot O)",
                r"f \ndot{\dest} (a^k \odot O)",
            ),
            Fault(
                r"< d_{\orig(i), \dest(j)}} q_{\dest(k)}",
                r"< d_{\orig(i), \dest(j)}} q_{\orig(k)}",
            ),
            Fault(
                r"\frac{ \nsum{\orig, \dest} (P \odot d) }",
                r"\frac{ \nsum{\dest} (P \odot d) }",
                r"\bar d (P)",
            ),
        ],
        [
            Entry(
                r"T_{\text{o}}",
                lambda O, D, d, b: (
                    O[:, None] * (D * np.exp(-b * d)) / (D * np.exp(-b * d)).sum(1, keepdims=True)
                ),
                "orig dest",
                {
                    "O": "orig[3] ~ positive",
                    "D": "dest[4] ~ positive",
                    "d": "orig[3] dest[4] ~ positive",
                    "beta": 0.7,
                },
            ),
            Entry(
                "T",
                lambda O, D, d, b: balanced(O, D, np.exp(-b * d), 3),
                "orig dest",
                {
                    "O": "orig[3] ~ positive",
                    "D": "dest[4] ~ positive",
                    "d": "orig[3] dest[4] ~ positive",
                    "beta": 0.7,
                },
                chosen={"K": 3},
            ),
            Entry(
                r"T_{\text{rad}}",
                radiation,
                "orig dest",
                {
                    "O": "orig[3] ~ positive",
                    "p": "orig[3] ~ positive",
                    "q": "dest[4] ~ positive",
                    "d": "orig[3] dest[4] ~ positive",
                },
            ),
            Entry(
                r"\mathrm{CPC}",
                lambda F, P: 2 * np.minimum(F, P).sum() / (F.sum() + P.sum()),
                "",
                {"F": "orig[3] dest[4] ~ positive", "P": "orig[3] dest[4] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "grades.md",
        r"""# Ordinal regression (my summary of the lecture)

School grades are ordered, but the distance between an A and a B need not be that between a B and a C. There are $C$ grades, $n$ pupils, and
$p$ features $X \in \mathbb{R}^{\text{pupil}:n, \text{feat}:p}$. The parameters are $w \in \mathbb{R}^{\text{feat}:p}$ and the cut points $\tau \in \mathbb{R}^{\text{cut}}$, one fewer
than there are grades: $|\text{cut}| = C - 1$.

**Latent score.** $\eta = X \underset{\text{feat}}{\cdot} w$

**Cumulative probabilities.** The chance to get at most grade $k$:

$$F = \sigma(\tau - \eta)$$

**Probabilities of the grades** are differences of these, with the two ends filled up:

$$
p_{\text{pupil}(i), \text{grade}(k)} =
\begin{cases}
F_{\text{pupil}(i), \text{cut}(1)} & k = 1 \\
F_{\text{pupil}(i), \text{cut}(k)} - F_{\text{pupil}(i), \text{cut}(k-1)} & 1 < k < C \\
1 - F_{\text{pupil}(i), \text{cut}(C-1)} & k = C
\end{cases}
\qquad k = 1, \ldots, C
$$

so $p \in [0,1]^{\text{pupil}:n, \text{grade}:C}$.

**Loss.** Grades are given one-hot, $Y \in \{0,1\}^{\text{pupil}:n, \text{grade}:C}$. Then

$$\text{nll} = - \underset{\text{pupil}}{\text{mean}} \sum_{\text{grade}} Y \odot \log p, \qquad \text{nll} \in \mathbb{R}$$

(The $p$ for the number of features and the $p$ for probabilities have nothing to do with one another. Sorry.)

**Expected grade.** $\mu_{\text{pupil}(i)} = \sum_{k=1}^{C} k \, p_{\text{pupil}(i), \text{grade}(k)}$

## Agreement of two teachers

Let $N \in \mathbb{R}^{\text{grade}:C, \text{grade}':C}$ count how often the first teacher gives one grade and the second another. Disagreement by two grades is worse than by one:

$$W_{\text{grade}(i), \text{grade}'(j)} = \frac{(i - j)^2}{(C - 1)^2}$$

By chance one expects

$$E = \frac{ \left( \sum_{\text{grade}'} N \right) \odot \left( \sum_{\text{grade}} N \right) }{ \sum_{\text{grade}, \text{grade}'} N }$$

Cohen's weighted kappa is

$$\kappa = 1 - \frac{ W \underset{\text{grade}, \text{grade}'}{\cdot} N }{ W \underset{\text{grade}, \text{grade}'}{\cdot} E }.$$

## Smoothing the labels

Instead of one-hot labels use neighbours too, where $\rho$ says how sharp. With $y \in [C]^{\text{pupil}:n}$,

$$\tilde Y_{\text{pupil}(i), \text{grade}(k)} = \frac{ \exp(-\rho |k - y_{\text{pupil}(i)}|) }{ \sum_{l=1}^{C} \exp(-\rho |l - y_{\text{pupil}(i)}|) }$$
""",
        [
            Fault(
                r"F_{\text{pupil}(i), \text{cut}(k)} - F_{\text{pupil}(i), \text{cut}(k-1)} & 1 < k < C",
                r"F_{\text{pupil}(i), \text{cut}(k)} - F_{\text{pupil}(i), \text{cut}(k-1)} & 1 < k \leq C",
            ),
            Fault(
                r"\underset{\text{pupil}}{\text{mean}} \sum_{\text{grade}} Y \odot",
                r"\underset{\text{pupil}}{\text{mean}} \sum_{\text{cut}} Y \odot",
            ),
            Fault(
                r"\left( \sum_{\text{grade}'} N \right) \odot \left( \sum_{\text{grade}} N \right)",
                r"\left( \sum_{\text{grade}'} N \right) \odot \left( \sum_{\text{pupil}} N \right)",
            ),
        ],
        [
            Entry(
                "p",
                lambda X, w, t: ordinal(X, w, np.asarray(t)),
                "pupil grade",
                {"X": "pupil[3] feat[2]", "w": "feat[2]", "tau": "cut[3]"},
            ),
            Entry(
                r"\text{nll}",
                lambda Y, X, w, t: -(Y * np.log(ordinal(X, w, t))).sum(1).mean(),
                "",
                {
                    "Y": "pupil[3] grade[2] ~ one-hot grade",
                    "X": "pupil[3] feat[2]",
                    "w": "feat[2]",
                    "tau": "cut[1]",
                },
            ),
            Entry(
                r"\mu",
                lambda X, w, t: ordinal(X, w, t) @ np.array([1.0, 2.0]),
                "pupil",
                {"X": "pupil[3] feat[2]", "w": "feat[2]", "tau": "cut[1]"},
            ),
            Entry(r"\kappa", kappa_of, "", {"N": "grade[4] grade'[4] ~ counts"}),
            Entry(
                r"\tilde Y",
                lambda y, r: softmax(-r * np.abs(np.arange(4) - y[:, None]), 1),
                "pupil grade",
                {"y": "pupil[3] ~ whole 4", "rho": 0.8},
                chosen={"C": 4},
            ),
        ],
    ),
    Unseen(
        "evolution.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\pop}{pop} \ndef{\dims}{dim}
\DeclareMathOperator{\tr}{tr}
\begin{document}
\section{Evolution strategies}
An evolution strategy searches for the minimum of a function of $d$ variables by drawing points around a mean $m \in \mathbb{R}^{\dims[d]}$. In each generation it draws
$Z \in \mathbb{R}^{\pop[\lambda] \times \dims[d]}$ from the standard normal distribution. We assume throughout that the rows of $Z$ are sorted by the value of the function, the best first.

\subsection{Recombination}
Points count by their rank,
\begin{align}
w_{\pop(i)} &= \frac{ w'_{\pop(i)} }{ \nsum{\pop} w' } \\
w'_{\pop(i)} &= \max\left( 0, \log\left( \tfrac{\lambda}{2} + \tfrac12 \right) - \log i \right), \qquad i = 1, \dots, \lambda
\end{align}
with the effective number $\mu = 1 / \nsum{\pop} w^2$. Given the covariance $C = M M^\top$ through its root $M \in \mathbb{R}^{\dims[d] \times \dims'[d]}$, the steps are
\begin{equation}
Y = \left[ M \ndot{\dims'} Z_{\dims \to \dims'} \right], \qquad Y \in \mathbb{R}^{\pop[\lambda] \times \dims[d]}
\end{equation}
and the mean moves to
\begin{equation}
m_{\text{new}} = m + \sigma \left( w \ndot{\pop} Y \right) ,
\end{equation}
where $\sigma$ is the size of the step.

\subsection{Paths}
The path $p \in \mathbb{R}^{\dims[d]}$ remembers where the mean has gone. With a rate $c_p$,
\begin{equation}
p_{\text{new}} = (1 - c_p) p + \sqrt{ c_p (2 - c_p) \mu } \left( w \ndot{\pop} Z \right) .
\end{equation}
The step grows if the path is longer than a random one, whose length is about $\chi = \sqrt{d} \left( 1 - \frac{1}{4d} + \frac{1}{21 d^2} \right)$:
\begin{equation}
\sigma_{\text{new}} = \sigma \exp\left( \frac{c_p}{D} \left( \frac{ \| p_{\text{new}} \|_{\dims} }{ \chi } - 1 \right) \right)
\end{equation}
Here $D$ is a damping, usually near one.

\subsection{Covariance}
Let $C \in \mathbb{R}^{\dims[d] \times \dims'[d]}$ be the current covariance and let $c_1$ and $c_\mu$ be learning rates. Then
\begin{equation}
C_{\text{new}} = (1 - c_1 - c_\mu) C + c_1 \, p \odot p_{\dims \to \dims'} + c_\mu \sum_{i=1}^{\lambda} w_{\pop(i)} \, Y_{\pop(i)} \odot Y_{\pop(i), \dims \to \dims'} .
\end{equation}

\subsection{Gradients}
With $g \in \mathbb{R}^{\pop[\lambda]}$ for the values of the function, the smoothed function has the gradient
\begin{equation}
\nabla = \frac{1}{\sigma} \nfun{\pop}{mean} \left( \frac{ g - \nfun{\pop}{mean} g }{ \nfun{\pop}{std} g } \odot Z \right), \qquad \nabla \in \mathbb{R}^{\dims[d]} .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\left( w \ndot{\pop} Y \right) ,",
                r"\left( w \ndot{\dims} Y \right) ,",
            ),
            Fault(
                r"\sum_{i=1}^{\lambda} w_{\pop(i)} \, Y_{\pop(i)} \odot",
                r"\sum_{i=1}^{d} w_{\pop(i)} \, Y_{\pop(i)} \odot",
            ),
            Fault(
                r"\frac{1}{\sigma} \nfun{\pop}{mean} \left(",
                r"\frac{1}{\sigma} \nfun{\dims}{mean} \left(",
            ),
        ],
        [
            Entry("w", lambda: recombine(5), "pop", chosen={"lambda_": 5}),
            Entry(
                r"m_{\text{new}}",
                lambda m, s, M, Z: m + s * recombine(5) @ (Z @ M.T),
                "dim",
                {"m": "dim[3]", "sigma": 0.3, "M": "dim[3] dim'[3]", "Z": "pop[5] dim[3]"},
            ),
            Entry(
                r"p_{\text{new}}",
                lambda p, c, Z: (
                    (1 - c) * p
                    + np.sqrt(c * (2 - c) / (recombine(5) ** 2).sum()) * recombine(5) @ Z
                ),
                "dim",
                {"p": "dim[3]", "c_p": 0.4, "Z": "pop[5] dim[3]"},
            ),
            Entry(
                r"C_{\text{new}}",
                lambda C, p, M, Z, c1, cm: covariance(C, p, Z @ M.T, c1, cm),
                "dim dim'",
                {
                    "C": "dim[3] dim'[3]",
                    "p": "dim[3]",
                    "M": "dim[3] dim'[3]",
                    "Z": "pop[5] dim[3]",
                    "c_1": 0.1,
                    "c_mu": 0.2,
                },
            ),
            Entry(
                r"\nabla",
                lambda g, Z, s: (((g - g.mean()) / g.std())[:, None] * Z).mean(0) / s,
                "dim",
                {"g": "pop[5]", "Z": "pop[5] dim[3]", "sigma": 0.3},
            ),
        ],
    ),
    Unseen(
        "late_interaction.md",
        r"""## Late interaction retrieval

(from the appendix of a thesis)

Queries and documents are encoded token by token. For a batch of $b$ queries we have $q \in \mathbb{R}^{\text{query}:b, \text{qtok}, \text{emb}}$, for the collection
$d \in \mathbb{R}^{\text{doc}:n, \text{dtok}, \text{emb}}$. Padded tokens are marked by $\mu \in \{0, 1\}^{\text{doc}:n, \text{dtok}}$, $1$ for real tokens.

### Score

Each token of the query looks for the token of the document that suits it best:

$$
s = \sum_{\text{qtok}} \underset{\text{dtok}}{\max} \left( q \underset{\text{emb}}{\cdot} d \right), \qquad s \in \mathbb{R}^{\text{query}:b, \text{doc}:n}
$$

With padding, masked tokens must never win, which gives

$$
s_\mu = \sum_{\text{qtok}} \underset{\text{dtok}}{\max} \left( q \underset{\text{emb}}{\cdot} d - 10^4 (1 - \mu) \right).
$$

We normalise first: $\hat q = q / \|q\|_{\text{emb}}$ and $\hat d = d / \|d\|_{\text{emb}}$ replace $q$ and $d$, and then $\hat s = \sum_{\text{qtok}} \underset{\text{dtok}}{\max} \left( \hat q \underset{\text{emb}}{\cdot} \hat d \right)$.

### Training

One document is right for each query. Let $y \in \{0, 1\}^{\text{query}:b, \text{doc}:n}$ be its one-hot vector and $\tau$ a temperature.

$$
\mathcal{L}_{\text{ce}} = - \underset{\text{query}}{\text{mean}} \sum_{\text{doc}} y \odot \log \underset{\text{doc}}{\text{softmax}} \frac{s}{\tau}
$$

A cross-encoder, which is slow but good, supplies scores $t \in \mathbb{R}^{\text{query}:b, \text{doc}:n}$. We distil it with the divergence

$$
\mathcal{L}_{\text{kd}} = \underset{\text{query}}{\text{mean}} \sum_{\text{doc}} \pi \odot \left( \log \pi - \log \underset{\text{doc}}{\text{softmax}}\; s \right), \quad \pi = \underset{\text{doc}}{\text{softmax}}\; t
$$

and minimise $\mathcal{L} = \mathcal{L}_{\text{ce}} + \lambda \mathcal{L}_{\text{kd}}$, where $\lambda$ weighs the two.

### Compression

Token vectors are stored as the number of the nearest of $k$ centroids $c \in \mathbb{R}^{\text{cent}:k, \text{emb}}$ plus a rounded rest:

$$
\begin{aligned}
z &= \underset{\text{cent}}{\text{argmin}} \sum_{\text{emb}} (d - c)^2 \\
r &= d - c_{\text{cent}(z)} \\
\tilde d &= c_{\text{cent}(z)} + \delta \left\lfloor \frac{r}{\delta} + \frac12 \right\rfloor
\end{aligned}
$$

Here $\delta$ denotes the width of a step.

### How good?

Documents are ranked by $s$. The rank of a document is one more than the number of those that score higher,

$$
\rho_{\text{query}(i), \text{doc}(j)} = 1 + \sum_{k=1}^{n} \mathbf{1}\left[ s_{\text{query}(i), \text{doc}(k)} > s_{\text{query}(i), \text{doc}(j)} \right]
$$

and the mean reciprocal rank is $\text{MRR} = \underset{\text{query}}{\text{mean}} \sum_{\text{doc}} y / \rho$, a single number.
""",
        [
            Fault(
                r"s = \sum_{\text{qtok}} \underset{\text{dtok}}{\max} \left( q \underset{\text{emb}}{\cdot} d \right), \qquad",
                r"s = \sum_{\text{qtok}} \underset{\text{qtok}}{\max} \left( q \underset{\text{emb}}{\cdot} d \right), \qquad",
            ),
            Fault(
                r"\sum_{k=1}^{n} \mathbf{1}",
                r"\sum_{k=1}^{b} \mathbf{1}",
            ),
            Fault(
                r"\sum_{\text{emb}} (d - c)^2",
                r"\sum_{\text{qtok}} (d - c)^2",
            ),
        ],
        [
            Entry(
                "s",
                late,
                "query doc",
                {"q": "query[2] qtok[3] emb[4]", "d": "doc[3] dtok[5] emb[4]"},
            ),
            Entry(
                r"\hat s",
                lambda q, d: late(
                    q / np.linalg.norm(q, axis=2, keepdims=True),
                    d / np.linalg.norm(d, axis=2, keepdims=True),
                ),
                "query doc",
                {"q": "query[2] qtok[3] emb[4]", "d": "doc[3] dtok[5] emb[4]"},
            ),
            Entry(
                r"\mathcal{L}",
                lambda y, q, d, tau, t, l: (
                    -(y * np.log(softmax(late(q, d) / tau, 1))).sum(1).mean()
                    + l
                    * (softmax(t, 1) * (np.log(softmax(t, 1)) - np.log(softmax(late(q, d), 1))))
                    .sum(1)
                    .mean()
                ),
                "",
                {
                    "y": "query[2] doc[3] ~ one-hot doc",
                    "q": "query[2] qtok[3] emb[4]",
                    "d": "doc[3] dtok[5] emb[4]",
                    "tau": 2.0,
                    "t": "query[2] doc[3]",
                    "lambda_": 0.5,
                },
            ),
            Entry(
                r"\tilde d",
                lambda d, c, w: (
                    (z := c[((d[:, :, None] - c) ** 2).sum(3).argmin(2)])
                    + w * np.floor((d - z) / w + 0.5)
                ),
                "doc dtok emb",
                {"d": "doc[3] dtok[5] emb[4]", "c": "cent[2] emb[4]", "delta": 0.25},
            ),
            Entry(
                r"\text{MRR}",
                lambda y, q, d: (
                    (y / (1 + (late(q, d)[:, None, :] > late(q, d)[:, :, None]).sum(2)))
                    .sum(1)
                    .mean()
                ),
                "",
                {
                    "y": "query[2] doc[3] ~ one-hot doc",
                    "q": "query[2] qtok[3] emb[4]",
                    "d": "doc[3] dtok[5] emb[4]",
                },
            ),
        ],
    ),
]
