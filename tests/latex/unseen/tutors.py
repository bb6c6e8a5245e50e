"""Seven documents of tutors: counts of words, intervals, layers, students, attacks, wavelets, an exam."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .hosts import notebook
from .scopes import softmax


def bigrams(X):
    return X[:-1].T @ X[1:]


def backed_off(X):
    C = bigrams(X)
    N = C.sum(1, keepdims=True)
    return np.where(N > 0, C / np.where(N > 0, N, 1), X.mean(0))


def kneser_ney(X):
    C = bigrams(X)
    D = (C > 0) * 1.0
    c = D.sum(0) / D.sum()
    return (np.maximum(C - 0.75, 0) + 0.75 * np.outer(D.sum(1), c)) / C.sum(1, keepdims=True)


def both_models(X, w):
    return backed_off(X)[w[:-1], w[1:]], X.mean(0)[w[1:]]


def reestimated(X, w, weight):
    q, b = both_models(X, w)
    return (weight * q / (weight * q + (1 - weight) * b)).mean()


def perplexity(X, w, weight):
    q, b = both_models(X, w)
    return np.exp(-np.log(weight * q + (1 - weight) * b).mean())


def beam_score(B, L, G, gamma, beta):
    lp = ((5 + B.sum(1)) / 6) ** gamma
    covered = np.einsum("kt,kts->ks", B, G)
    return (B * L).sum(1) / lp + beta * np.log(np.minimum(covered, 1)).sum(1)


def pinball(X, y, tau, W, b):
    r = y[:, None] - (X @ W.T + b)
    return np.maximum(tau * r, (tau - 1) * r).sum() / len(y)


def pinball_gradient(X, y, tau, W, b):
    r = y[:, None] - (X @ W.T + b)
    return ((r < 0) - tau).T @ X / len(y)


def crossing(X, W, b):
    Y = X @ W.T + b
    return np.maximum(Y[:, :-1] - Y[:, 1:], 0).sum()


def half_width(X, y, w, alpha):
    s = np.sort(np.abs(y - X @ w))
    return s[int(np.ceil((1 - alpha) * (len(y) + 1))) - 1]


def slid(X, W, b, stride, dilation):
    k = W.shape[2]
    m = (X.shape[1] - dilation * (k - 1) - 1) // stride + 1
    return np.stack(
        [b + sum(W[:, :, j] @ X[:, stride * p + dilation * j] for j in range(k)) for p in range(m)],
        1,
    )


def spread(W, D, n):
    U = np.zeros((W.shape[1], n))
    for p in range(D.shape[1]):
        for j in range(W.shape[2]):
            U[:, 2 * p + j] += W[:, :, j].T @ D[:, p]
    return U


def running(M):
    m = np.zeros(M.shape[1])
    for row in M:
        m = 0.9 * m + 0.1 * row
    return m / (1 - 0.9 ** len(M))


def schedule(T, w, top, low):
    t = np.arange(1, T + 1)
    cosine = low + (top - low) * (1 + np.cos(np.pi * (t - w) / (T - w))) / 2
    return np.where(t <= w, top * t / w, cosine)


def waves(x, F):
    return np.concatenate([np.cos(2 * np.pi * F @ x), np.sin(2 * np.pi * F @ x)])


def hidden(X, U):
    return np.maximum(X @ U, 0)


def soft(X, U, U2, V, V2, tau):
    p, q = (softmax(hidden(X, A) @ B / tau) for A, B in ((U, U2), (V, V2)))
    return tau**2 / len(X) * (p * (np.log(p) - np.log(q))).sum()


def entropy_of(X, Y, V, V2):
    return -(Y * np.log(softmax(hidden(X, V) @ V2))).sum() / len(X)


def transfer(X, U, V):
    a, b = ((hidden(X, A) ** 2).sum(1) for A in (U, V))
    return ((a / np.linalg.norm(a) - b / np.linalg.norm(b)) ** 2).sum()


def relation(X, U, V):
    def compared(H):
        D = ((H[:, None] - H) ** 2).sum(2)
        return D / D.mean()

    e = np.abs(compared(hidden(X, U)) - compared(hidden(X, V)))
    return np.where(e <= 1, e**2 / 2, e - 0.5).sum()


def net(x, A, a, B, b):
    u = np.tanh(x @ A + a)
    return u, u @ B + b


def image_gradient(x, y, A, a, B, b):
    u, z = net(x, A, a, B, b)
    return A @ ((B @ (softmax(z) - y)) * (1 - u**2))


def descended(x, y, A, a, B, b, alpha):
    x0 = x
    for _ in range(3):
        x = x + alpha * np.sign(image_gradient(x, y, A, a, B, b))
        x = np.maximum(x0 - 0.03, np.minimum(x0 + 0.03, x))
    return x


def loss(x, y, A, a, B, b):
    return -(y * np.log(softmax(net(x, A, a, B, b)[1]))).sum()


def trades(x, x2, y, A, a, B, b, weight):
    p, q = (softmax(net(v, A, a, B, b)[1]) for v in (x, x2))
    return loss(x, y, A, a, B, b) + weight * (p * (np.log(p) - np.log(q))).sum()


def lead(x, c, A, a, B, b):
    z = net(x, A, a, B, b)[1]
    return z[c] - np.delete(z, c).max()


VICTIM = {"A": "pix[5] hid[4]", "a": "hid[4]", "B": "hid[4] class[3]", "b": "class[3]"}


def averages(x):
    return (x[::2] + x[1::2]) / np.sqrt(2), (x[::2] - x[1::2]) / np.sqrt(2)


def denoised(x, threshold):
    a, d = averages(x)
    d = np.sign(d) * np.maximum(np.abs(d) - threshold, 0)
    return np.stack([a + d, a - d], 1).ravel() / np.sqrt(2)


def scalogram(x, sigma):
    t = np.arange(len(x))
    u = (t - t[:, None]) / sigma[:, None, None]
    return ((1 - u**2) * np.exp(-(u**2) / 2)) @ x / np.sqrt(sigma)[:, None]


def reweighed(A, L):
    J = A.T @ L / len(A)
    return A @ (J.sum(1, keepdims=True) * J.sum(0) / J) * L


def rate(s, A, theta):
    return (s >= theta) @ A / A.sum(0)


def kendall(X):
    s = np.sign(X[:, None] - X)
    n = len(X)
    return np.einsum("ikj,ikl->jl", s, s) / (n * (n - 1))


def flow(h, t, W, u, b):
    return np.tanh(h @ W + t * u + b)


def runge_kutta(h, t, W, u, b, step):
    k1 = flow(h, t, W, u, b)
    k2 = flow(h + step / 2 * k1, t + step / 2, W, u, b)
    k3 = flow(h + step / 2 * k2, t + step / 2, W, u, b)
    k4 = flow(h + step * k3, t + step, W, u, b)
    return h + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def adjoint(a, h, t, W, u, b, step):
    return a + step * W @ (a * (1 - flow(h, t, W, u, b) ** 2))


FIELD = {"W": "hid[3] hid'[3]", "u": "hid'[3]", "b": "hid'[3]"}
LEVELS = {"W": "level[3] feat[2]", "b": "level[3]"}


DOCUMENTS = [
    Unseen(
        "ngrams.md",
        r"""---
title: "Problem Set 4: Counting Words (with solutions)"
course: Statistical NLP
layout: post
math: true
---

$$ \newcommand{\bm}{\boldsymbol} \newcommand{\ind}[1]{\mathbb{1}\left[ #1 \right]} $$

*Due on Thursday, before the exercise class. Solutions are printed below each problem in this version; the version for students is without them.*

### **Notation**

A corpus is a sequence of $n$ tokens from a vocabulary of $v$ words. We write it one-hot,

$$ \bm{X} \in \{0, 1\}^{\text{seq}:n, \text{word}:v}, \qquad \sum_{\text{word}} \bm{X} = 1 . $$

Tables of *pairs* of words have a second axis, $\text{prev}$, which is also of size $v$, for the word that comes first.

### **Problem 1** (counting)

Express the table of bigram counts $\bm{C} \in \mathbb{R}^{\text{prev}:v, \text{word}:v}$ and the relative frequencies $\bm{u} \in \mathbb{R}^{\text{word}:v}$ of the words by $\bm{X}$.

**Solution.** First we count the pairs,

$$ \bm{C}_{\text{prev}:i, \text{word}:j} = \sum_{t=2}^{n} \bm{X}_{\text{seq}:t-1, \text{word}:i} \, \bm{X}_{\text{seq}:t, \text{word}:j} , $$

and then the words, which is only an average:

$$ \bm{u} = \frac{1}{n} \sum_{\text{seq}} \bm{X} . $$

### **Problem 2** (add-$\alpha$)

A pair that was never seen should not have probability zero. Laplace adds a constant $\alpha > 0$ to each count. Write down the distribution $\bm{A}$ of the next word and show that it is one.

**Solution.** The denominator has to make up for all the $\alpha$s in a row, of which there are $v$:

$$ \bm{A} = \frac{\bm{C} + \alpha}{\sum_{\text{word}} \bm{C} + \alpha v} . $$

Summing the numerator over $\text{word}$ gives the denominator, hence $\sum_{\text{word}} \bm{A} = 1$.

### **Problem 3** (interpolation)

Jelinek and Mercer mix the bigrams with the unigrams. How do we treat words that never occur as a first word?

**Solution.** Their row is replaced by the unigrams, so with the row sums $N_i = \sum_j \bm{C}_{\text{prev}:i, \text{word}:j}$

$$
\bm{P}_{\text{prev}:i, \text{word}:j} = \begin{cases} \bm{C}_{\text{prev}:i, \text{word}:j} / N_i & \text{if } N_i > 0, \\ \bm{u}_{\text{word}:j} & \text{otherwise}, \end{cases}
\qquad
\bm{M} = \lambda \bm{P} + (1 - \lambda) \bm{u}
$$

for some weight $\lambda \in [0, 1]$.

### **Problem 4** (absolute discounting)

Kneser and Ney take a discount $\delta = 0.75$ away from each count, and give what is left over to words that follow *many different* words ("Francisco" is frequent, but follows only "San").

**Solution.** Let $\bm{D} = \ind{\bm{C} > 0}$ mark the pairs that occur. We need how many different words follow a word, and how many different pairs a word completes:

$$
\begin{aligned}
\bm{f} &= \sum_{\text{word}} \bm{D} , & \bm{f} &\in \mathbb{R}^{\text{prev}:v} \\
\bm{c} &= \frac{\sum_{\text{prev}} \bm{D}}{\sum_{\text{prev}, \text{word}} \bm{D}} , & \bm{c} &\in \mathbb{R}^{\text{word}:v} \\
\bm{K} &= \frac{\max(\bm{C} - \delta, 0) + \delta \, \bm{f} \odot \bm{c}}{\sum_{\text{word}} \bm{C}}
\end{aligned}
$$

(Rows without counts are as in Problem 3.)

### **Problem 5** (choosing $\lambda$)

A second text is given by the numbers of its words, $w \in [v]^{\text{time}:m}$. Derive one step of EM for $\lambda$, and the perplexity before the step.

**Solution.** The likelihood needs only two numbers for each position $t = 2, \dots, m$,

$$ q_t = \bm{P}_{\text{prev}(w_{t-1}), \text{word}(w_t)} , \qquad b_t = \bm{u}_{\text{word}(w_t)} . $$

The E-step asks how likely it is that the bigram was responsible, and the M-step averages:

$$ r_t = \frac{\lambda q_t}{\lambda q_t + (1 - \lambda) b_t} , \qquad \lambda_{\text{new}} = \frac{1}{m - 1} \sum_{t=2}^{m} r_t . $$

$$ \text{PP} = \exp \left( - \frac{1}{m - 1} \sum_{t=2}^{m} \log \left( \lambda q_t + (1 - \lambda) b_t \right) \right) $$

### **Problem 6** (beams and their lengths)

A beam holds $k$ hypotheses of up to $T$ tokens. $\bm{L} \in \mathbb{R}^{\text{hyp}:k, \text{step}:T}$ are the log-probabilities of the tokens, $\bm{B} \in \{0, 1\}^{\text{hyp}:k, \text{step}:T}$ marks those up to the end symbol, and $\bm{G} \in [0, 1]^{\text{hyp}:k, \text{step}:T, \text{src}:S}$ are the attention weights on the $S$ words of the source. Define the score of GNMT with length penalty and coverage penalty.

**Solution.**

1. The lengths are $\bm{\ell} = \sum_{\text{step}} \bm{B}$, and the length penalty is

    $$ \text{lp} = \left( \frac{5 + \bm{\ell}}{6} \right)^{\gamma} . $$

2. A word of the source is covered if the weights on it add up to one:

    $$ \text{cp} = \beta \sum_{\text{src}} \log \min \left( \bm{B} \underset{\text{step}}{\cdot} \bm{G}, 1 \right) . $$

3. The score is

    $$ \text{score} = \frac{\bm{B} \underset{\text{step}}{\cdot} \bm{L}}{\text{lp}} + \text{cp} , \qquad \text{best} = \underset{\text{hyp}}{\max} \; \text{score} , $$

    where $\gamma$ and $\beta$ are two numbers near $0.2$. With $\gamma = 0$ long sentences have no chance.
""",
        [
            Fault(
                r"\frac{1}{n} \sum_{\text{seq}} \bm{X} .",
                r"\frac{1}{n} \sum_{\text{prev}} \bm{X} .",
            ),
            Fault(
                r"\frac{\sum_{\text{prev}} \bm{D}}{\sum",
                r"\frac{\sum_{\text{word}} \bm{D}}{\sum",
            ),
            Fault(
                r"\frac{\bm{B} \underset{\text{step}}{\cdot} \bm{L}}{\text{lp}}",
                r"\frac{\bm{B} \underset{\text{src}}{\cdot} \bm{L}}{\text{lp}}",
            ),
        ],
        [
            Entry("C", bigrams, "prev word", {"X": "seq[30] word[3] ~ one-hot word"}),
            Entry(
                "A",
                lambda X, a: (bigrams(X) + a) / (bigrams(X) + a).sum(1, keepdims=True),
                "prev word",
                {"X": "seq[9] word[3] ~ one-hot word", "alpha": 0.5},
            ),
            Entry(
                "M",
                lambda X, a: a * backed_off(X) + (1 - a) * X.mean(0),
                "prev word",
                {"X": "seq[5] word[4] ~ one-hot word", "lambda_": 0.7},
            ),
            Entry("K", kneser_ney, "prev word", {"X": "seq[30] word[3] ~ one-hot word"}),
            Entry(
                r"\lambda_{\text{new}}",
                reestimated,
                "",
                {"X": "seq[20] word[3] ~ one-hot word", "w": "time[6] ~ whole 3", "lambda_": 0.6},
            ),
            Entry(
                r"\text{PP}",
                perplexity,
                "",
                {"X": "seq[20] word[3] ~ one-hot word", "w": "time[6] ~ whole 3", "lambda_": 0.6},
            ),
            Entry(
                r"\text{score}",
                beam_score,
                "hyp",
                {
                    "B": "hyp[3] step[4] ~ positive",
                    "L": "hyp[3] step[4]",
                    "G": "hyp[3] step[4] src[5] ~ probability src",
                    "gamma": 0.2,
                    "beta": 0.3,
                },
            ),
        ],
    ),
    Unseen(
        "conformal.md",
        r"""# Lecture 9: From quantiles to conformal prediction

> Reading: Koenker (2005), chapters 1–2; Angelopoulos and Bates (2021). These notes are self-contained.

In the last lecture, a model predicted one number. Today it says how sure it is. First we fit quantiles, then we find out that fitted quantiles lie, and then we mend that with data that were set aside.

## 9.1 The pinball loss

We have $n$ observations with $d$ features,

$$
X \in \mathbb{R}^{\text{obs}:n, \text{feat}:d}, \quad y \in \mathbb{R}^{\text{obs}:n},
$$

and want the quantiles of $y$ at $q$ levels $\tau \in (0, 1)^{\text{level}:q}$, in ascending order. The mean minimises squares, the median minimises absolute values. Tilt the absolute value, and you get the other quantiles:

$$
\rho(r) = \max \left( \tau r, \; (\tau - 1) r \right) .
$$

## 9.2 A linear model for all levels at once

Step 1. The model has a weight for each level and feature, and an intercept for each level:

$$
\begin{aligned}
W &\in \mathbb{R}^{\text{level}:q, \text{feat}:d}, \quad b \in \mathbb{R}^{\text{level}:q} \\
\hat{Y} &= W \underset{\text{feat}}{\cdot} X + b
\end{aligned}
$$

Step 2. The residuals are $R = y - \hat{Y}$, one for each observation *and* level, so that the loss is

$$
\mathcal{L} = \frac{1}{n} \sum_{\text{obs}, \text{level}} \rho(R) .
$$

Step 3. For the gradient, note that $\rho$ has slope $\tau$ to the right of zero and $\tau - 1$ to the left. With the chain rule,

$$
S = [R < 0] - \tau, \qquad
\frac{\partial \mathcal{L}}{\partial W} = \frac{1}{n} \, S \underset{\text{obs}}{\cdot} X, \qquad
\frac{\partial \mathcal{L}}{\partial b} = \frac{1}{n} \sum_{\text{obs}} S .
$$

Step 4. Nothing keeps the lines from crossing. If they do, we add

$$
\Omega = \sum_{\text{obs}} \sum_{k=1}^{q-1} \left[ \hat{Y}_{\text{level}:k} - \hat{Y}_{\text{level}:k+1} \right]_+ .
$$

> **Exercise 9.1.** Show that at the minimum, at most a fraction $\tau$ of the residuals is negative.

## 9.3 Split conformal prediction

Now keep $m$ observations out of the fit, $X^{\text{cal}} \in \mathbb{R}^{\text{cal}:m, \text{feat}:d}$ and $y^{\text{cal}} \in \mathbb{R}^{\text{cal}:m}$. Take any predictor, for example $f(x; w) = w \underset{\text{feat}}{\cdot} x$ with $w \in \mathbb{R}^{\text{feat}:d}$ for an $x \in \mathbb{R}^{\text{feat}:d}$.

Step 1. How wrong is it on the data that it has not seen?

$$
s = \left| y^{\text{cal}} - f(X^{\text{cal}}; w) \right|
$$

Step 2. Would a value $z$ for a new $x$ be odd? Count:

$$
p(x, z) = \frac{1 + \sum_{\text{cal}} \left[ s \ge | z - f(x; w) | \right]}{m + 1}
$$

Step 3. All $z$ with $p > \alpha$ form an interval, and its half width is one of the scores. We sort them: the rank of the $i$-th is

$$
r_{\text{cal}:i} = 1 + \sum_{j=1}^{m} \left[ s_{\text{cal}:j} < s_{\text{cal}:i} \right] ,
$$

and we take the smallest one with a rank of at least $\kappa = \lceil (1 - \alpha)(m + 1) \rceil$, that is

$$
\hat{q} = \min_{i \,:\, r_i \ge \kappa} s_{\text{cal}:i} , \qquad
\text{lo}(x) = f(x; w) - \hat{q} , \qquad
\text{hi}(x) = f(x; w) + \hat{q} .
$$

**Theorem.** If the $m + 1$ points are exchangeable, then $\text{lo}(x) \le y \le \text{hi}(x)$ with probability at least $1 - \alpha$.

## 9.4 Both together

The interval of 9.3 is equally wide everywhere. *Conformalised quantile regression* starts from two fitted quantiles, the first and the last level. On the calibration data,

$$
\begin{aligned}
Q &= W \underset{\text{feat}}{\cdot} X^{\text{cal}} + b \\
E &= \max \left( Q_{\text{level}:1} - y^{\text{cal}}, \; y^{\text{cal}} - Q_{\text{level}:q} \right)
\end{aligned}
$$

is negative where $y$ lies inside. The rest is as before, with $E$ in the place of $s$. Here is how the two fared on the rents of Munich ($\alpha = 0.1$):

| method | coverage | mean width |
|---|---:|---:|
| quantiles only | 81 % | 402 |
| split conformal | 90 % | 611 |
| both | 90 % | 488 |

The numbers are computed on $k$ tests, $A, B, t \in \mathbb{R}^{\text{test}:k}$ (lower ends, upper ends, truth), as

$$
\text{coverage} = \underset{\text{test}}{\text{mean}} \left( [A \le t] \, [t \le B] \right) , \qquad
\text{width} = \underset{\text{test}}{\text{mean}} (B - A) .
$$

## 9.5 Classes

For a classifier with probabilities $\pi \in [0, 1]^{\text{test}:k, \text{class}:c}$, the score of a class is the mass of all classes that are at least as likely,

$$
e_{\text{test}:i, \text{class}:a} = \sum_{b=1}^{c} \pi_{\text{test}:i, \text{class}:b} \left[ \pi_{\text{test}:i, \text{class}:b} \ge \pi_{\text{test}:i, \text{class}:a} \right] ,
$$

and the prediction is a set, whose size is $|\text{set}|$ in the figures and

$$
\text{size} = \sum_{\text{class}} [ e \le \theta ]
$$

in formulas, with a threshold $\theta$ that is found as above.
""",
        [
            Fault(
                r"S \underset{\text{obs}}{\cdot} X, \qquad",
                r"S \underset{\text{feat}}{\cdot} X, \qquad",
            ),
            Fault(
                r"W &\in \mathbb{R}^{\text{level}:q, \text{feat}:d}, \quad",
                r"W &\in \mathbb{R}^{\text{level}:q}, \quad",
                at=r"\hat{Y} &= W",
            ),
            Fault(
                r"\underset{\text{test}}{\text{mean}} (B - A)",
                r"\underset{\text{cal}}{\text{mean}} (B - A)",
            ),
        ],
        [
            Entry(
                r"\mathcal{L}",
                pinball,
                "",
                {
                    "X": "obs[5] feat[2]",
                    "y": "obs[5]",
                    "tau": "level[3] ~ probability level",
                    **LEVELS,
                },
            ),
            Entry(
                r"\frac{\partial \mathcal{L}}{\partial W}",
                pinball_gradient,
                "level feat",
                {
                    "X": "obs[5] feat[2]",
                    "y": "obs[5]",
                    "tau": "level[3] ~ probability level",
                    **LEVELS,
                },
            ),
            Entry(r"\Omega", crossing, "", {"X": "obs[5] feat[2]", **LEVELS}),
            Entry(
                "p",
                lambda X, y, x, z, w: (
                    (1 + (np.abs(y - X @ w) >= abs(z - x @ w)).sum()) / (len(y) + 1)
                ),
                "",
                {"X__cal": "cal[6] feat[2]", "y__cal": "cal[6]", "x": "feat[2]", "z": 0.3},
                {"w": "feat[2]"},
            ),
            Entry(
                r"\text{hi}",
                lambda X, y, x, w: x @ w + half_width(X, y, w, 0.1),
                "",
                {"X__cal": "cal[9] feat[2]", "y__cal": "cal[9]", "x": "feat[2]"},
                {"w": "feat[2]"},
            ),
            Entry(
                "E",
                lambda X, y, W, b: np.maximum((X @ W[0] + b[0]) - y, y - (X @ W[-1] + b[-1])),
                "cal",
                {"X__cal": "cal[6] feat[2]", "y__cal": "cal[6]", **LEVELS},
            ),
            Entry(
                r"\text{coverage}",
                lambda A, t, B: ((t >= A) & (t <= B)).mean(),
                "",
                {"A": "test[20]", "t": "test[20]", "B": "test[20]"},
            ),
            Entry(
                "e",
                lambda p: np.array([[row[row >= v].sum() for v in row] for row in p]),
                "test class",
                {"pi": "test[3] class[4] ~ probability class"},
            ),
            Entry(
                r"\text{size}",
                lambda p, t: np.array([sum(row[row >= v].sum() <= t for v in row) for row in p]),
                "test",
                {"pi": "test[3] class[4] ~ probability class", "theta": 0.8},
            ),
        ],
    ),
    Unseen(
        "layers_sheet.md",
        r"""# Cheat sheet: the small print of layers

One page for the oral exam. Letters are valid within their box.

## 1 Convolution arithmetic

| | input | kernel | stride | dilation | output |
|---|---|---|---|---|---|
| plain | $n$ | $k$ | $1$ | $1$ | $n - k + 1$ |
| strided | $n$ | $k$ | $s$ | $1$ | $\lfloor (n - k) / s \rfloor + 1$ |
| dilated | $n$ | $k$ | $1$ | $r$ | $n - r (k - 1)$ |

Given $X \in \mathbb{R}^{\text{in}:c, \text{time}:n}$, a kernel $W \in \mathbb{R}^{\text{out}:o, \text{in}:c, \text{ker}:k}$ and $b \in \mathbb{R}^{\text{out}:o}$. With stride $s = 2$, the result $Y \in \mathbb{R}^{\text{out}:o, \text{pos}:m}$ is

$$
Y_{\text{pos}:p} = \sum_{j=1}^{k} W_{\text{ker}:j} \underset{\text{in}}{\cdot} X_{\text{time}:s(p-1)+j} + b, \qquad p = 1, \ldots, m
$$

and without stride, but with the dilation $r = 2$, the result $V \in \mathbb{R}^{\text{out}:o, \text{far}:l}$ is

$$
V_{\text{far}:p} = \sum_{j=1}^{k} W_{\text{ker}:j} \underset{\text{in}}{\cdot} X_{\text{time}:p+r(j-1)} + b, \qquad p = 1, \ldots, n - r(k-1).
$$

```python
y = F.conv1d(x, w, b, stride=2)      # $Y$ above
v = F.conv1d(x, w, b, dilation=2)    # $V$ above
```

**Transposed.** Each position of $D \in \mathbb{R}^{\text{out}:o, \text{pos}:m}$ (say, a gradient) is spread over the places that it came from:

$$
U_{\text{time}:t} = \sum_{p=1}^{m} \sum_{j=1}^{k} [t = s(p-1) + j] \; W_{\text{ker}:j} \underset{\text{out}}{\cdot} D_{\text{pos}:p}, \qquad U \in \mathbb{R}^{\text{in}:c, \text{time}:n}
$$

## 2 Batch statistics

$$
\begin{aligned}
X &\in \mathbb{R}^{\text{batch}:B, \text{feat}:d}, \quad \gamma, \beta \in \mathbb{R}^{\text{feat}:d} \\
\mu &= \frac{1}{B} \sum_{\text{batch}} X, \qquad v = \frac{1}{B} \sum_{\text{batch}} (X - \mu)^2 \\
\text{BN}(X; \gamma, \beta) &= \gamma \odot \frac{X - \mu}{\sqrt{v + \epsilon}} + \beta
\end{aligned}
$$

At test time, $\mu$ is replaced by a *running mean* over the batches seen in training. If $M \in \mathbb{R}^{\text{step}:T, \text{feat}:d}$ are the means of $T$ batches and $\rho = 0.9$,

$$
m_0 = 0, \qquad m_t = \rho \, m_{t-1} + (1 - \rho) \, M_{\text{step}:t}, \qquad \hat{m} = \frac{m_T}{1 - \rho^T} .
$$

Two machines with $B$ examples each merge their statistics $\mu^1, \mu^2, v^1, v^2 \in \mathbb{R}^{\text{feat}:d}$ by

$$
\bar{\mu} = \tfrac{1}{2} (\mu^1 + \mu^2), \qquad \bar{v} = \tfrac{1}{2} (v^1 + v^2) + \tfrac{1}{4} (\mu^1 - \mu^2)^2 .
$$

## 3 Clipping

Let $G \in \mathbb{R}^{\text{in}:c, \text{out}:o}$ and $g \in \mathbb{R}^{\text{out}:o}$ be the gradients of a layer's weights $W \in \mathbb{R}^{\text{in}:c, \text{out}:o}$ and its bias, and $\kappa$ the largest norm that we allow.

| kind | formula |
|---|---|
| by value | $\text{clamp}(G) = \max(-\kappa, \min(G, \kappa))$ |
| by norm | $\text{byNorm}(G) = G \min(1, \kappa / \Vert G \Vert_F)$ |

By the *global* norm, both shrink by the same factor:

$$
\begin{aligned}
N &= \sqrt{ \sum_{\text{in}, \text{out}} G^2 + \sum_{\text{out}} g^2 } \\
\tilde{G} &= G \min \left( 1, \frac{\kappa}{N} \right), \qquad \tilde{g} = g \min \left( 1, \frac{\kappa}{N} \right)
\end{aligned}
$$

*Adaptive* clipping compares the gradient of each unit with its weights:

$$
F = \frac{\max \left( \sqrt{\sum_{\text{in}} W^2}, \, 10^{-3} \right)}{\sqrt{\sum_{\text{in}} G^2}}, \qquad
G^{\text{ada}} = G \odot \min(1, \kappa F) .
$$

## 4 Schedules

Warm up over the first $w$ of $T$ steps, then follow a cosine from $\eta_{\max}$ down to $\eta_{\min}$:

$$
\eta_{\text{step}:t} = \begin{cases}
\eta_{\max} \, t / w & t \le w \\[1ex]
\eta_{\min} + \frac{1}{2} (\eta_{\max} - \eta_{\min}) \left( 1 + \cos \frac{\pi (t - w)}{T - w} \right) & t > w
\end{cases}
$$

for $t = 1, \dots, T$. Plain SGD with gradients $H \in \mathbb{R}^{\text{step}:T, \text{par}:k}$ ends at

$$
\theta_T = \theta_0 - \sum_{t=1}^{T} \eta_{\text{step}:t} H_{\text{step}:t}, \qquad \theta_0 \in \mathbb{R}^{\text{par}:k} .
$$

## 5 Fourier features

Coordinates $x, x' \in \mathbb{R}^{\text{in}:c}$ are too smooth for an MLP. With random frequencies $\Phi \in \mathbb{R}^{\text{freq}:f, \text{in}:c}$,

$$
\varphi(x) = \left[ \cos(2 \pi \, \Phi \underset{\text{in}}{\cdot} x) \; ; \; \sin(2 \pi \, \Phi \underset{\text{in}}{\cdot} x) \right]_{\text{freq}}, \qquad
k(x, x') = \frac{1}{f} \, \varphi(x) \underset{\text{freq}}{\cdot} \varphi(x') .
$$
""",
        [
            Fault(
                r"W_{\text{ker}:j} \underset{\text{in}}{\cdot} X_{\text{time}:s(p-1)+j} + b",
                r"W_{\text{ker}:j} \underset{\text{out}}{\cdot} X_{\text{time}:s(p-1)+j} + b",
            ),
            Fault(r"+ \sum_{\text{out}} g^2", r"+ \sum_{\text{in}} g^2"),
            Fault(
                r"\Phi \in \mathbb{R}^{\text{freq}:f, \text{in}:c}$",
                r"\Phi \in \mathbb{R}^{\text{freq}:f, \text{out}:o}$",
                at=r"\varphi(x) = \left[",
            ),
        ],
        [
            Entry(
                "Y",
                lambda X, W, b: slid(X, W, b, 2, 1),
                "out pos",
                {"X": "in[2] time[8]", "W": "out[3] in[2] ker[3]", "b": "out[3]"},
                chosen={"m": 3},
            ),
            Entry(
                "V",
                lambda X, W, b: slid(X, W, b, 1, 2),
                "out far",
                {"X": "in[2] time[8]", "W": "out[3] in[2] ker[3]", "b": "out[3]"},
            ),
            Entry(
                "U",
                lambda W, D: spread(W, D, 8),
                "in time",
                {"W": "out[3] in[2] ker[3]", "D": "out[3] pos[3]"},
                chosen={"n": 8},
            ),
            Entry(
                r"\text{BN}",
                lambda X, g, b: g * (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5) + b,
                "batch feat",
                {"X": "batch[5] feat[3]", "gamma": "feat[3]", "beta": "feat[3]"},
            ),
            Entry(r"\hat{m}", running, "feat", {"M": "step[4] feat[3]"}),
            Entry(
                r"\tilde{G}",
                lambda G, g, k: G * min(1, k / np.sqrt((G**2).sum() + (g**2).sum())),
                "in out",
                {"G": "in[2] out[3]", "g": "out[3]", "kappa": 0.5},
            ),
            Entry(
                r"G^{\text{ada}}",
                lambda W, G, k: (
                    G
                    * np.minimum(
                        1,
                        k * np.maximum(np.linalg.norm(W, axis=0), 1e-3) / np.linalg.norm(G, axis=0),
                    )
                ),
                "in out",
                {"W": "in[2] out[3]", "G": "in[2] out[3]", "kappa": 0.5},
            ),
            Entry(
                r"\theta_T",
                lambda x, H, w, top, low: x - schedule(6, w, top, low) @ H,
                "par",
                {
                    "theta_0": "par[3]",
                    "H": "step[6] par[3]",
                    "w": 2.0,
                    "eta_max": 0.5,
                    "eta_min": 0.1,
                },
            ),
            Entry(
                "k",
                lambda x, y, F: waves(x, F) @ waves(y, F) / len(F),
                "",
                {"x": "in[2]", "x_": "in[2]", "Phi": "freq[4] in[2]"},
            ),
        ],
    ),
    Unseen(
        "distillation_three.md",
        r"""

Named Tensors: Three Ways to Distil

A small network learns from a large one. The large one is the teacher (tea), the small one the student (stu). What should the student imitate: what the teacher says, what it thinks, or how it compares?

Networks

$$\begin{aligned}
 X &\in \mathbb{R}^{\text{batch}:B, \text{in}:d} \\
 Y &\in \{0, 1\}^{\text{batch}:B, \text{class}:K} & \sum_{\text{class}} Y &= 1 \\
 U &\in \mathbb{R}^{\text{in}:d, \text{wide}:w} & U' &\in \mathbb{R}^{\text{wide}:w, \text{class}:K} \\
 V &\in \mathbb{R}^{\text{in}:d, \text{thin}:r} & V' &\in \mathbb{R}^{\text{thin}:r, \text{class}:K} \\
 H^{\text{tea}} &= \text{ReLU}(U \underset{\text{in}}{\cdot} X) & Z^{\text{tea}} &= U' \underset{\text{wide}}{\cdot} H^{\text{tea}} \\
 H^{\text{stu}} &= \text{ReLU}(V \underset{\text{in}}{\cdot} X) & Z^{\text{stu}} &= V' \underset{\text{thin}}{\cdot} H^{\text{stu}}
 \end{aligned}$$

$U$ and $U'$ are frozen. Without a teacher the student would minimise

$$\begin{aligned}
 \text{CE} &= - \frac{1}{B} \sum_{\text{batch}, \text{class}} Y \odot \log \underset{\text{class}}{\text{softmax}} \, Z^{\text{stu}}
 \end{aligned}$$

Variant A: what the teacher says

At a temperature $\tau > 1$ the wrong classes become visible ("dark knowledge").

$$\begin{aligned}
 P^{\text{tea}} &= \underset{\text{class}}{\text{softmax}} \left( \frac{Z^{\text{tea}}}{\tau} \right) \\
 P^{\text{stu}} &= \underset{\text{class}}{\text{softmax}} \left( \frac{Z^{\text{stu}}}{\tau} \right) \\
 \text{soft} &= \frac{\tau^2}{B} \sum_{\text{batch}} \sum_{\text{class}} P^{\text{tea}} \odot \left( \log P^{\text{tea}} - \log P^{\text{stu}} \right) \\
 \text{loss}_A &= (1 - \alpha) \, \text{CE} + \alpha \, \text{soft}
 \end{aligned}$$

where $0 \le \alpha \le 1$ says how much the teacher is trusted. The factor $\tau^2$ keeps the gradients of both terms at the same scale, since

$$ \frac{\partial \, \text{soft}}{\partial Z^{\text{stu}}} = \frac{\tau}{B} \left( P^{\text{stu}} - P^{\text{tea}} \right) $$

Variant B: what the teacher thinks

The hidden layers have different widths, so the student's is first mapped to the teacher's by $R \in \mathbb{R}^{\text{thin}:r, \text{wide}:w}$, a regressor which is thrown away after training (Romero et al., 2015).

$$\begin{aligned}
 \text{hint} &= \frac{1}{2 B} \sum_{\text{batch}, \text{wide}} \left( H^{\text{tea}} - R \underset{\text{thin}}{\cdot} H^{\text{stu}} \right)^2
 \end{aligned}$$

Attention transfer does without $R$: only the squared activity of each layer is compared,

$$\begin{aligned}
 a^{\text{tea}} &= \sum_{\text{wide}} (H^{\text{tea}})^2 & a^{\text{stu}} &= \sum_{\text{thin}} (H^{\text{stu}})^2 \\
 \text{transfer} &= \sum_{\text{batch}} \left( \frac{a^{\text{tea}}}{\|a^{\text{tea}}\|} - \frac{a^{\text{stu}}}{\|a^{\text{stu}}\|} \right)^2
 \end{aligned}$$

Variant C: how the teacher compares

Here the student may think what it likes, if only two examples are as far apart for it as for the teacher (Park et al., 2019). Distances are divided by their mean over all pairs:

$$\begin{aligned}
 D^{\text{tea}}_{\text{batch}:i, \text{batch}':j} &= \left\| H^{\text{tea}}_{\text{batch}:i} - H^{\text{tea}}_{\text{batch}:j} \right\|^2 & E^{\text{tea}} &= \frac{D^{\text{tea}}}{\underset{\text{batch}, \text{batch}'}{\text{mean}} (D^{\text{tea}})} \\
 D^{\text{stu}}_{\text{batch}:i, \text{batch}':j} &= \left\| H^{\text{stu}}_{\text{batch}:i} - H^{\text{stu}}_{\text{batch}:j} \right\|^2 & E^{\text{stu}} &= \frac{D^{\text{stu}}}{\underset{\text{batch}, \text{batch}'}{\text{mean}} (D^{\text{stu}})} \\
 \text{rel} &= \sum_{\text{batch}, \text{batch}'} h(E^{\text{tea}} - E^{\text{stu}})
 \end{aligned}$$

with Huber's function

$$ h(e) = \begin{cases} \frac{1}{2} e^2 & \text{if } |e| \leq 1 \\ |e| - \frac{1}{2} & \text{otherwise} \end{cases} $$

Comparison

| | A | B | C |
|---|---|---|---|
| compares | $\text{batch}, \text{class}$ | $\text{batch}, \text{wide}$ | $\text{batch}, \text{batch}'$ |
| needs the same classes | yes | no | no |
| extra parameters | none | $R$ | none |
| costs | $O(BK)$ | $O(Bwr)$ | $O(B^2 w)$ |

Several teachers

With $M$ teachers and logits $T \in \mathbb{R}^{\text{tutor}:M, \text{batch}:B, \text{class}:K}$, each example trusts those that know its class:

$$\begin{aligned}
 \omega &= \underset{\text{tutor}}{\text{softmax}} \left( T \underset{\text{class}}{\cdot} Y \right) \\
 \bar{T} &= \omega \underset{\text{tutor}}{\cdot} T
 \end{aligned}$$

and $\bar{T}$ takes the place of $Z^{\text{tea}}$ in Variant A.
""",
        [
            Fault(
                r"U' \underset{\text{wide}}{\cdot} H^{\text{tea}} \\",
                r"U' \underset{\text{thin}}{\cdot} H^{\text{tea}} \\",
            ),
            Fault(
                r"- R \underset{\text{thin}}{\cdot} H^{\text{stu}}",
                r"- R \underset{\text{wide}}{\cdot} H^{\text{stu}}",
            ),
            Fault(
                r"\omega \underset{\text{tutor}}{\cdot} T",
                r"\omega \underset{\text{class}}{\cdot} T",
            ),
        ],
        [
            Entry(
                r"\text{CE}",
                entropy_of,
                "",
                {
                    "X": "batch[4] in[3]",
                    "Y": "batch[4] class[3] ~ one-hot class",
                    "V": "in[3] thin[2]",
                    "V_": "thin[2] class[3]",
                },
            ),
            Entry(
                r"\text{loss}_A",
                lambda X, Y, U, U2, V, V2, tau, alpha: (
                    (1 - alpha) * entropy_of(X, Y, V, V2) + alpha * soft(X, U, U2, V, V2, tau)
                ),
                "",
                {
                    "X": "batch[4] in[3]",
                    "Y": "batch[4] class[3] ~ one-hot class",
                    "U": "in[3] wide[5]",
                    "U_": "wide[5] class[3]",
                    "V": "in[3] thin[2]",
                    "V_": "thin[2] class[3]",
                    "tau": 3.0,
                    "alpha": 0.7,
                },
            ),
            Entry(
                r"\text{hint}",
                lambda X, U, V, R: ((hidden(X, U) - hidden(X, V) @ R) ** 2).sum() / (2 * len(X)),
                "",
                {
                    "X": "batch[4] in[3]",
                    "U": "in[3] wide[5]",
                    "V": "in[3] thin[2]",
                    "R": "thin[2] wide[5]",
                },
            ),
            Entry(
                r"\text{transfer}",
                transfer,
                "",
                {"X": "batch[4] in[3]", "U": "in[3] wide[5]", "V": "in[3] thin[2]"},
            ),
            Entry(
                r"\text{rel}",
                relation,
                "",
                {"X": "batch[4] in[3]", "U": "in[3] wide[5]", "V": "in[3] thin[2]"},
            ),
            Entry(
                r"\frac{\partial \, \text{soft}}{\partial Z^{\text{stu}}}",
                lambda X, U, U2, V, V2, tau: (
                    tau
                    / len(X)
                    * (softmax(hidden(X, V) @ V2 / tau) - softmax(hidden(X, U) @ U2 / tau))
                ),
                "batch class",
                {
                    "X": "batch[4] in[3]",
                    "U": "in[3] wide[5]",
                    "U_": "wide[5] class[3]",
                    "V": "in[3] thin[2]",
                    "V_": "thin[2] class[3]",
                    "tau": 3.0,
                },
            ),
            Entry(
                r"\bar{T}",
                lambda T, Y: (softmax((T * Y).sum(2), 0)[:, :, None] * T).sum(0),
                "batch class",
                {"T": "tutor[2] batch[4] class[3]", "Y": "batch[4] class[3] ~ one-hot class"},
            ),
        ],
    ),
    Unseen(
        "adversaries.md",
        r"""<script type="text/x-mathjax-config">
MathJax.Hub.Config({ tex2jax: { inlineMath: [['$','$'], ['\\(','\\)']], processEscapes: true } });
</script>

# Handout: small changes, wrong answers

*Seminar "Reliable machine learning", session 6. Speaker: T. Okafor. Please bring the exercise.*

## 1. The victim

An image is a vector $x \in [0, 1]^{\text{pix}:d}$, its label a one-hot $y \in \{0, 1\}^{\text{class}:K}$. The classifier has one hidden layer with the parameters

+ $A \in \mathbb{R}^{\text{pix}:d, \text{hid}:h}$ and $a \in \mathbb{R}^{\text{hid}:h}$;
+ $B \in \mathbb{R}^{\text{hid}:h, \text{class}:K}$ and $b \in \mathbb{R}^{\text{class}:K}$.

\begin{equation}
u(x) = \tanh \left( A \underset{\text{pix}}{\cdot} x + a \right), \quad
z(x) = B \underset{\text{hid}}{\cdot} u(x) + b, \quad
p(x) = \underset{\text{class}}{\text{softmax}} \, z(x).
\end{equation}

It was trained to make $\ell(x, y) = - y \underset{\text{class}}{\cdot} \log p(x)$ small.

## 2. The gradient with respect to the *image*

Backpropagation usually stops at $A$. We go one step further. First, the error at the output is $p(x) - y$. Then it is sent back through $B$ and through the slope of tanh, which is $1 - u(x)^2$. At last it is sent through $A$:

$$
\begin{aligned}
e(x, y) &= \left( B \underset{\text{class}}{\cdot} (p(x) - y) \right) \odot \left( 1 - u(x)^2 \right) \\
g(x, y) &= A \underset{\text{hid}}{\cdot} e(x, y)
\end{aligned}
$$

So $g(x, y) \in \mathbb{R}^{\text{pix}}$ says how each pixel should change to make the loss *larger*.

## 3. Attacks

Let $\epsilon$ be the largest change of a pixel, usually $8/255$; we take $\epsilon = 0.03$.

**FGSM** (Goodfellow et al., 2015) makes one step:

$$
\text{FGSM}(x, y) = x + \epsilon \, \text{sign}(g(x, y))
$$

**PGD** (Madry et al., 2018) makes $S$ small steps of size $\alpha$, and after each comes back into the box around the image where it began:

$$
\begin{aligned}
x_0 &= x \\
x_{s+1} &= \max \left( x - \epsilon, \; \min \left( x + \epsilon, \; x_s + \alpha \, \text{sign} \, g(x_s, y) \right) \right), \quad s = 0, \ldots, S - 1
\end{aligned}
$$

**In the 2-norm** a step goes along the normalised gradient instead, \\( x + \epsilon \, g(x, y) / \|g(x, y)\| \\).

| | steps | accuracy of our net |
|:---|---:|---:|
| none | 0 | 0.981 |
| FGSM | 1 | 0.214 |
| PGD | 40 | 0.003 |

## 4. Why it is easy: the linear case

Take two classes, $t \in \{-1, 1\}^{\text{ex}:n}$, examples $X \in \mathbb{R}^{\text{ex}:n, \text{pix}:d}$ and a linear score with weights $w \in \mathbb{R}^{\text{pix}:d}$. The margins are $m = t \odot (w \underset{\text{pix}}{\cdot} X)$. The worst change $\delta$ of an example with $\|\delta\|_\infty \le \epsilon$ is $-\epsilon \, t \, \text{sign}(w)$, and it costs $\epsilon \|w\|_1$, *whatever* the example. Hence the loss against the best adversary has a closed form,

$$
\mathcal{R}(w) = \frac{1}{n} \sum_{\text{ex}} \log \left( 1 + \exp \left( \epsilon \sum_{\text{pix}} |w| - m \right) \right)
$$

and grows with $d$ although no pixel changes by more than $\epsilon$.

## 5. Defences

**Adversarial training** minimises the loss at the attacked image, $\text{adv}(x, y) = \ell(\text{FGSM}(x, y), y)$.

**TRADES** (Zhang et al., 2019) asks instead that the prediction does not move:

$$
\text{trades}(x, x', y) = \ell(x, y) + \lambda \, p(x) \underset{\text{class}}{\cdot} \left( \log p(x) - \log p(x') \right), \quad x' \in [0, 1]^{\text{pix}:d}
$$

with a weight $\lambda$ between 1 and 10.

**Smoothing** lets the net vote on $M$ noisy copies. With noise $N \in \mathbb{R}^{\text{draw}:M, \text{pix}:d}$ and $\sigma = 0.25$,

$$
\text{vote}(x) = \underset{\text{draw}}{\text{mean}} \; p(x + \sigma N).
$$

**A certificate.** If the label is $c \in [K]$, the lead of the label over the best other class is

$$
\text{lead}(x) = z(x)_{\text{class}(c)} - \max_{j \ne c} z(x)_{\text{class}(j)} .
$$

As $\tanh$ is 1-Lipschitz, the class cannot change within the radius

$$
\text{radius}(x) = \frac{\text{lead}(x)}{\sqrt{2} \, \|A\|_F \, \|B\|_F} .
$$

> **Exercise.** Why the factor $\sqrt{2}$? (Hint: a difference of two rows.)

## References

1. I. Goodfellow, J. Shlens, C. Szegedy: *Explaining and harnessing adversarial examples.* ICLR 2015.
2. A. Madry et al.: *Towards deep learning models resistant to adversarial attacks.* ICLR 2018.
""",
        [
            Fault(
                r"g(x, y) &= A \underset{\text{hid}}{\cdot}",
                r"g(x, y) &= A \underset{\text{pix}}{\cdot}",
            ),
            Fault(
                r"B \underset{\text{class}}{\cdot} (p(x) - y)",
                r"B \underset{\text{hid}}{\cdot} (p(x) - y)",
            ),
            Fault(
                r"\underset{\text{draw}}{\text{mean}} \; p(x + \sigma N)",
                r"\underset{\text{ex}}{\text{mean}} \; p(x + \sigma N)",
            ),
        ],
        [
            Entry(
                "g",
                image_gradient,
                "pix",
                {"x": "pix[5]", "y": "class[3] ~ one-hot class"},
                VICTIM,
            ),
            Entry(
                r"\text{FGSM}",
                lambda x, y, *net: x + 0.03 * np.sign(image_gradient(x, y, *net)),
                "pix",
                {"x": "pix[5]", "y": "class[3] ~ one-hot class"},
                VICTIM,
            ),
            Entry(
                "x_S",
                descended,
                "pix",
                {"x": "pix[5]", "y": "class[3] ~ one-hot class"},
                {**VICTIM, "alpha": 0.01},
                chosen={"S": 3},
            ),
            Entry(
                r"\mathcal{R}",
                lambda w, X, t: np.log(1 + np.exp(0.03 * np.abs(w).sum() - t * (X @ w))).mean(),
                "",
                {"w": "pix[5]", "X": "ex[4] pix[5]", "t": "ex[4]"},
            ),
            Entry(
                r"\text{adv}",
                lambda x, y, *net: loss(x + 0.03 * np.sign(image_gradient(x, y, *net)), y, *net),
                "",
                {"x": "pix[5]", "y": "class[3] ~ one-hot class"},
                VICTIM,
            ),
            Entry(
                r"\text{trades}",
                trades,
                "",
                {"x": "pix[5]", "x_": "pix[5]", "y": "class[3] ~ one-hot class"},
                {**VICTIM, "lambda_": 2.0},
            ),
            Entry(
                r"\text{vote}",
                lambda x, N, *n: softmax(net(x + 0.25 * N, *n)[1]).mean(0),
                "class",
                {"x": "pix[5]", "N": "draw[6] pix[5]"},
                VICTIM,
            ),
            Entry(
                r"\text{radius}",
                lambda x, c, A, a, B, b: (
                    lead(x, c, A, a, B, b) / (np.sqrt(2) * np.linalg.norm(A) * np.linalg.norm(B))
                ),
                "",
                {"x": "pix[5]", "c": 1},
                VICTIM,
            ),
        ],
    ),
    Unseen(
        "wavelets.ipynb",
        notebook(
            (
                "markdown",
                r"""# Lab 7: Wavelets by hand

In this lab we take a signal apart into averages and details, throw most of the details away, and put it together again. You will need `numpy` only. Work in pairs; hand in one notebook per pair.

The signal is $x \in \mathbb{R}^{\text{time}:2n}$, of even length.""",
            ),
            (
                "code",
                "import numpy as np\nrng = np.random.default_rng(7)\nx = np.sin(np.arange(16) / 3) + 0.1 * rng.normal(size=16)  # $x$\n",
            ),
            (
                "markdown",
                r"""## Part 1: one step of Haar

Two neighbours are replaced by their (scaled) sum and difference:

$$
\begin{aligned}
a_{\text{half}:k} &= \frac{1}{\sqrt{2}} \left( x_{\text{time}:2k-1} + x_{\text{time}:2k} \right) \\
d_{\text{half}:k} &= \frac{1}{\sqrt{2}} \left( x_{\text{time}:2k-1} - x_{\text{time}:2k} \right), \qquad k = 1, \ldots, n
\end{aligned}
$$

**Task 1.** Show that nothing is lost, i.e. that $\sum_{\text{time}} x^2 = \sum_{\text{half}} (a^2 + d^2)$, and write the inverse.

*Solution.* The step is a rotation of each pair by 45 degrees, and a rotation keeps squares. Turning back,

$$
\hat{x}_{\text{time}:i} = \begin{cases}
\frac{1}{\sqrt{2}} \left( a_{\text{half}:(i+1)/2} + d_{\text{half}:(i+1)/2} \right) & i \text{ odd} \\
\frac{1}{\sqrt{2}} \left( a_{\text{half}:i/2} - d_{\text{half}:i/2} \right) & i \text{ even}
\end{cases}
$$

**Task 2.** Write the step as a matrix.

*Solution.* With $H, G \in \mathbb{R}^{\text{half}:n, \text{time}:2n}$ for the low and the high frequencies,

$$
H_{\text{half}:k, \text{time}:i} = \begin{cases} 1/\sqrt{2} & \text{if } i = 2k - 1 \text{ or } i = 2k \\ 0 & \text{otherwise} \end{cases}
\qquad
G_{\text{half}:k, \text{time}:i} = \begin{cases} 1/\sqrt{2} & \text{if } i = 2k - 1 \\ -1/\sqrt{2} & \text{if } i = 2k \\ 0 & \text{otherwise} \end{cases}
$$

we have $a = H \underset{\text{time}}{\cdot} x$ and $d = G \underset{\text{time}}{\cdot} x$, and back again

$$
\tilde{x} = H \underset{\text{half}}{\cdot} a + G \underset{\text{half}}{\cdot} d .
$$""",
            ),
            (
                "code",
                "a, d = (x[::2] + x[1::2]) / 2**0.5, (x[::2] - x[1::2]) / 2**0.5\nnp.allclose((x**2).sum(), (a**2 + d**2).sum())\n",
            ),
            (
                "markdown",
                r"""## Part 2: denoising

Noise is spread over all details, a signal sits in few of them. So small details are set to zero, and the others are shrunk by a threshold $\lambda \geq 0$ ("soft thresholding"):

$$
\text{shrink}(u) = \text{sign}(u) \max(|u| - \lambda, 0), \qquad
x^{\text{den}} = H \underset{\text{half}}{\cdot} a + G \underset{\text{half}}{\cdot} \text{shrink}(d)
$$

**Task 3.** How much does it compress?

*Solution.* The fraction of details that survive is

$$
\text{kept} = \frac{1}{n} \sum_{\text{half}} \left[ |d| > \lambda \right] .
$$

**Task 4.** For pictures $F \in \mathbb{R}^{\text{row}:2n, \text{col}:2n}$ the step is made along both axes. What are the four results?

*Solution.* We make copies of the two filters with the names of the axes, for instance

$$
\begin{aligned}
H^{\text{r}} &= [H]_{\text{time} \rightarrow \text{row}, \text{half} \rightarrow \text{top}}, & H^{\text{c}} &= [H]_{\text{time} \rightarrow \text{col}, \text{half} \rightarrow \text{left}} \\
G^{\text{r}} &= [G]_{\text{time} \rightarrow \text{row}, \text{half} \rightarrow \text{top}}, & G^{\text{c}} &= [G]_{\text{time} \rightarrow \text{col}, \text{half} \rightarrow \text{left}}
\end{aligned}
$$

and obtain a small picture and three pictures of edges, all in $\mathbb{R}^{\text{top}:n, \text{left}:n}$:

$$
\begin{aligned}
\text{LL} &= H^{\text{r}} \underset{\text{row}}{\cdot} F \underset{\text{col}}{\cdot} H^{\text{c}} & \text{LH} &= H^{\text{r}} \underset{\text{row}}{\cdot} F \underset{\text{col}}{\cdot} G^{\text{c}} \\
\text{HL} &= G^{\text{r}} \underset{\text{row}}{\cdot} F \underset{\text{col}}{\cdot} H^{\text{c}} & \text{HH} &= G^{\text{r}} \underset{\text{row}}{\cdot} F \underset{\text{col}}{\cdot} G^{\text{c}}
\end{aligned}
$$

![The four parts of a photograph of the library](figures/library_haar.png)""",
            ),
            (
                "markdown",
                r"""## Part 3: longer filters

Daubechies found smoother filters. Her shortest one has four taps, $h \in \mathbb{R}^{\text{tap}:4}$, and the filter of the details is the same one backwards with alternating signs:

$$
g_{\text{tap}:j} = (-1)^{j+1} \, h_{\text{tap}:5-j}
$$

On the inner part of the signal (that is, without an agreement about its ends) the coefficients are

$$
s_{\text{mid}:k} = \sum_{j=1}^{4} h_{\text{tap}:j} \, x_{\text{time}:2k+j-2}, \qquad
w_{\text{mid}:k} = \sum_{j=1}^{4} g_{\text{tap}:j} \, x_{\text{time}:2k+j-2}, \qquad k = 1, \ldots, n - 1 .
$$

**Task 5.** Which conditions on $h$ make the transform orthogonal?

*Solution.* $\sum_{\text{tap}} h^2 = 1$, and a filter has to be orthogonal to itself shifted by two, which is $h_1 h_3 + h_2 h_4 = 0$.""",
            ),
            (
                "code",
                "h = np.array([1 + 3**.5, 3 + 3**.5, 3 - 3**.5, 1 - 3**.5]) / (4 * 2**.5)\n",
            ),
            (
                "markdown",
                r"""## Part 4: continuous wavelets

At last, a wavelet may have any width. Take the "Mexican hat"

$$
\psi(u) = (1 - u^2) \, e^{-u^2 / 2}
$$

and widths $\sigma \in \mathbb{R}_{>0}^{\text{scale}:m}$. The *scalogram* $C \in \mathbb{R}^{\text{scale}:m, \text{place}:2n}$ is

$$
C_{\text{scale}:j, \text{place}:b} = \frac{1}{\sqrt{\sigma_j}} \sum_{t=1}^{2n} x_{\text{time}:t} \; \psi \left( \frac{t - b}{\sigma_j} \right) ,
$$

and the energy at each width is $E = \sum_{\text{place}} C^2$. The dominant width is the one with the largest energy.""",
            ),
        ),
        [
            Fault(
                r"\\tilde{x} = H \\underset{\\text{half}}{\\cdot} a",
                r"\\tilde{x} = H \\underset{\\text{time}}{\\cdot} a",
            ),
            Fault(
                r"H^{\\text{r}} \\underset{\\text{row}}{\\cdot} F \\underset{\\text{col}}{\\cdot} G^{\\text{c}} \\\\",
                r"H^{\\text{r}} \\underset{\\text{row}}{\\cdot} F \\underset{\\text{row}}{\\cdot} G^{\\text{c}} \\\\",
            ),
            Fault(
                r"$E = \\sum_{\\text{place}} C^2$",
                r"$E = \\sum_{\\text{time}} C^2$",
            ),
        ],
        [
            Entry("d", lambda x: averages(x)[1], "half", {"x": "time[8]"}),
            Entry(r"\hat{x}", lambda x: x, "time", {"x": "time[8]"}),
            Entry(
                "H",
                lambda: np.kron(np.eye(3), [1, 1]) / np.sqrt(2),
                "half time",
                chosen={"n": 3},
            ),
            Entry(r"x^{\text{den}}", denoised, "time", {"x": "time[8]", "lambda_": 0.4}),
            Entry(
                r"\text{kept}",
                lambda x, a: (np.abs(averages(x)[1]) > a).mean(),
                "",
                {"x": "time[8]", "lambda_": 0.4},
            ),
            Entry(
                r"\text{HL}",
                lambda F: (F[::2, ::2] + F[::2, 1::2] - F[1::2, ::2] - F[1::2, 1::2]) / 2,
                "top left",
                {"F": "row[6] col[6]"},
            ),
            Entry("g", lambda h: h[::-1] * [1, -1, 1, -1], "tap", {"h": "tap[4]"}),
            Entry(
                "s",
                lambda x, h: np.array([h @ x[k : k + 4] for k in (0, 2, 4)]),
                "mid",
                {"x": "time[8]", "h": "tap[4]"},
            ),
            Entry(
                "C",
                scalogram,
                "scale place",
                {"x": "time[8]", "sigma": "scale[3] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "statistics_exam.tex",
        r"""\documentclass[11pt,a4paper]{article}
\usepackage{amsmath,amssymb,enumitem}
\usepackage{namedtensor}

\ndef{\person}{person}
\ndef{\grp}{group}
\ndef{\cell}{label}
\ndef{\obs}{obs}
\ndef{\var}{var}
\ndef{\hid}{hid}
\newcommand{\R}{\mathbb{R}}
\newcommand{\yhat}{\hat{y}}
\newcommand{\pts}[1]{\hfill\emph{(#1 points)}}
\newenvironment{solution}{\par\noindent\textbf{Solution.}\ }{\par}
\DeclareMathOperator{\sgn}{sign}
\DeclareMathOperator{\rate}{rate}
\DeclareMathOperator{\gap}{gap}

\begin{document}

\begin{center}
{\large\bfseries Written exam: Statistical Learning II, with solutions}\\[1ex]
90 minutes. One sheet of notes, both sides, is allowed. $3 \times 10$ points.
\end{center}

\section*{Problem 1: Fairness}

A bank scores $n$ persons, $s \in [0,1]^{\person[n]}$. It is known who paid back, $y \in \{0,1\}^{\person[n]}$, and to which of $G$ groups a person belongs, $A \in \{0,1\}^{\person[n] \times \grp[G]}$ with $\nsum{\grp} A = 1$. A loan is given if the score reaches a threshold~$\theta$,
\begin{equation}
  \yhat = [s \ge \theta] .
\end{equation}

\begin{enumerate}[label=(\alph*)]
\item Write the rate of loans in each group, and how far the rates are apart. \pts{3}

\begin{solution}
We count the loans of each group and divide by its size:
\begin{align}
  \rate &= \frac{\yhat \ndot{\person} A}{\nsum{\person} A}, &
  \gap &= \nfun{\grp}{max} \rate - \nfun{\grp}{min} \rate .
\end{align}
\emph{Demographic parity} demands $\gap = 0$.
\end{solution}

\item \emph{Equalised odds} demands the same among those who paid back, and among those who did not. Define the true and the false positive rates. \pts{3}

\begin{solution}
\begin{align}
  \mathrm{TPR} &= \frac{(\yhat \odot y) \ndot{\person} A}{y \ndot{\person} A} \\
  \mathrm{FPR} &= \frac{(\yhat \odot (1 - y)) \ndot{\person} A}{(1 - y) \ndot{\person} A}
\end{align}
The violation is $\nfun{\grp}{max} \mathrm{TPR} - \nfun{\grp}{min} \mathrm{TPR}$, and likewise for FPR.
\end{solution}

\item \emph{Reweighing} gives each person a weight such that group and label become independent. Derive it. \pts{4}

\begin{solution}
Let $L \in \{0,1\}^{\person[n] \times \cell[2]}$ be the one-hot labels. First we compute the joint distribution, then its margins, and then what independence would give in relation to what is there:
\begin{align}
  J &= \frac{1}{n} A \ndot{\person} L, \qquad J \in \R^{\grp[G] \times \cell[2]} \\
  \omega &= \frac{\left( \nsum{\cell} J \right) \odot \left( \nsum{\grp} J \right)}{J} \\
  \Omega &= \omega \ndot{\grp, \cell} (A \odot L) .
\end{align}
Thus $\Omega \in \R^{\person[n]}$ holds the weights of the persons.
\end{solution}
\end{enumerate}

\section*{Problem 2: Copulas}

Let $X \in \R^{\obs[n] \times \var[d]}$ be $n$ observations of $d$ continuous variables.

\begin{enumerate}[label=(\alph*)]
\item Turn each variable into pseudo-observations between 0 and 1. \pts{2}

\begin{solution}
These are the ranks, divided by $n + 1$ such that 1 is avoided:
\[
  U_{\obs(i), \var(j)} = \frac{1}{n+1} \sum_{k=1}^n \left[ X_{\obs(k), \var(j)} \le X_{\obs(i), \var(j)} \right] .
\]
\end{solution}

\item Write Kendall's $\tau$ of two variables $j$ and $l$. \pts{3}

\begin{solution}
Each pair of observations is concordant or discordant:
\[
  \tau_{\var(j), \var'(l)} = \frac{2}{n(n-1)} \sum_{i < k} \sgn \left( (X_{\obs(i), \var(j)} - X_{\obs(k), \var(j)}) (X_{\obs(i), \var(l)} - X_{\obs(k), \var(l)}) \right) .
\]
\end{solution}

\item Let $Z \in \R^{\obs[n] \times \var[d]}$ be the normal scores, $Z = \Phi^{-1}(U)$ elementwise, and $\Sigma \in \R^{\var[d] \times \var'[d]}$ a correlation matrix. Write the log-likelihood of the Gaussian copula. \pts{5}

\begin{solution}
It is the density of a normal vector divided by the densities of its components, so the identity is subtracted from the inverse:
\begin{equation}
  \log c(Z; \Sigma) = - \frac{n}{2} \log |\Sigma| - \frac12 \nsum{\obs} \left( Z \ndot{\var} (\Sigma^{-1} - I) \ndot{\var'} Z_{\var \rightarrow \var'} \right) ,
\end{equation}
where $I$ is the identity in $\R^{\var[d] \times \var'[d]}$.
\end{solution}
\end{enumerate}

\section*{Problem 3: Neural ODEs}

The state $h \in \R^{\hid[m]}$ of a network follows $\frac{dh}{dt} = f(h, t)$ with
\begin{equation}
  f(h, t; W, u, b) = \tanh \left( W \ndot{\hid} h + t u + b \right)_{\hid' \rightarrow \hid},
  \qquad W \in \R^{\hid[m] \times \hid'[m]}, \quad u, b \in \R^{\hid'[m]} .
\end{equation}

\begin{enumerate}[label=(\alph*)]
\item Show that a step of Euler's method with step size $1$ is a residual layer. \pts{2}

\begin{solution}
It is $\mathrm{Euler}(h, t) = h + \Delta \, f(h, t)$ with $\Delta = 1$.
\end{solution}

\item Write one step of the classical Runge--Kutta method with step size $\Delta$. \pts{4}

\begin{solution}
\begin{align}
  k_1 &= f(h, t) \\
  k_2 &= f \left( h + \tfrac{\Delta}{2} k_1, t + \tfrac{\Delta}{2} \right) \\
  k_3 &= f \left( h + \tfrac{\Delta}{2} k_2, t + \tfrac{\Delta}{2} \right) \\
  k_4 &= f \left( h + \Delta k_3, t + \Delta \right) \\
  \mathrm{RK}(h, t) &= h + \tfrac{\Delta}{6} (k_1 + 2 k_2 + 2 k_3 + k_4)
\end{align}
\end{solution}

\item The adjoint $a \in \R^{\hid[m]}$ of the state is computed backwards. Write one step of Euler's method for it, from $t$ to $t - \Delta$. \pts{4}

\begin{solution}
It follows $\frac{da}{dt} = -a \, \frac{\partial f}{\partial h}$. The slope of $\tanh$ at the state is
\begin{equation}
  D = 1 - f(h, t)^2 , \qquad D \in \R^{\hid[m]} ,
\end{equation}
and so
\begin{equation}
  \mathrm{back}(a, h, t) = a + \Delta \, W \ndot{\hid'} \left[ a \odot D \right]_{\hid \rightarrow \hid'} .
\end{equation}
\end{solution}
\end{enumerate}

\end{document}
""",
        [
            Fault(
                r"\mathrm{TPR} &= \frac{(\yhat \odot y) \ndot{\person} A}{y \ndot{\person} A}",
                r"\mathrm{TPR} &= \frac{(\yhat \odot y) \ndot{\person} A}{y \ndot{\grp} A}",
            ),
            Fault(
                r"J &= \frac{1}{n} A \ndot{\person} L, \qquad",
                r"J &= \frac{1}{n} A \odot L, \qquad",
            ),
            Fault(r"\ndot{\var'} Z_{\var \rightarrow \var'}", r"\ndot{\var'} Z"),
        ],
        [
            Entry(
                r"\gap",
                lambda s, A, theta: np.ptp(rate(s, A, theta)),
                "",
                {
                    "s": "person[8] ~ positive",
                    "A": "person[8] group[2] ~ one-hot group",
                    "theta": 1.2,
                },
            ),
            Entry(
                r"\mathrm{TPR}",
                lambda s, y, A, theta: ((s >= theta) * y) @ A / (y @ A),
                "group",
                {
                    "s": "person[12] ~ positive",
                    "y": "person[12] ~ bits",
                    "A": "person[12] group[2] ~ one-hot group",
                    "theta": 1.2,
                },
            ),
            Entry(
                r"\Omega",
                lambda A, L: (reweighed(A, L)).sum(1),
                "person",
                {
                    "A": "person[20] group[2] ~ one-hot group",
                    "L": "person[20] label[2] ~ one-hot label",
                },
            ),
            Entry(
                "U",
                lambda X: (X[:, None] >= X).sum(1) / (len(X) + 1),
                "obs var",
                {"X": "obs[6] var[2]"},
            ),
            Entry(r"\tau", kendall, "var var'", {"X": "obs[6] var[3]"}),
            Entry(
                r"\log c",
                lambda Z, S: (
                    -len(Z) / 2 * np.log(np.linalg.det(S))
                    - np.einsum("ij,jk,ik", Z, np.linalg.inv(S) - np.eye(len(S)), Z) / 2
                ),
                "",
                {"Z": "obs[5] var[3]", "Sigma": "var[3] var'[3] ~ definite"},
            ),
            Entry(
                r"\mathrm{RK}",
                runge_kutta,
                "hid",
                {"h": "hid[3]", "t": 0.2},
                {**FIELD, "Delta": 0.1},
            ),
            Entry(
                r"\mathrm{back}",
                adjoint,
                "hid",
                {"a": "hid[3]", "h": "hid[3]", "t": 0.2},
                {**FIELD, "Delta": 0.1},
            ),
        ],
    ),
]
