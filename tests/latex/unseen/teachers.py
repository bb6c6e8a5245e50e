"""Eight documents of teachers: maps, perceptrons, codes, chains, scores, gradients by hand, time series, counts."""

from __future__ import annotations

from math import lgamma

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax

log_gamma = np.vectorize(lgamma)


def picked(X, sigma):
    """Probabilities that a point (row) picks another one (column)."""
    far = ((X[:, None] - X) ** 2).sum(2)
    e = np.exp(-far / (2 * sigma[:, None] ** 2))
    np.fill_diagonal(e, 0)
    return e / e.sum(1, keepdims=True)


def row_entropy(C):
    n = len(C)
    return np.array(
        [-sum(C[i, j] * np.log2(C[i, j]) for j in range(n) if j != i) for i in range(n)]
    )


def joint(X, sigma):
    C = picked(X, sigma)
    return (C + C.T) / (2 * len(X))


def student(Y):
    W = 1 / (1 + ((Y[:, None] - Y) ** 2).sum(2))
    np.fill_diagonal(W, 0)
    return W


def divergence(X, sigma, Y):
    P, W = joint(X, sigma), student(Y)
    Q = W / W.sum()
    off = ~np.eye(len(X), dtype=bool)
    return (P[off] * np.log(P[off] / Q[off])).sum()


def forces(X, sigma, Y):
    W = student(Y)
    S = (joint(X, sigma) - W / W.sum()) * W
    return 4 * np.einsum("ij,ijd->id", S, Y[:, None] - Y)


def recall(A, B):
    return ((A * B).sum(1) / A.sum(1)).mean()


def margin(w, X, y):
    return (y * (X @ w)).min() / np.linalg.norm(w)


def epoch(X, y):
    """The weights after each example, from zero."""
    w, found = np.zeros(X.shape[1]), []
    for x, t in zip(X, y, strict=True):
        if t * (w @ x) <= 0:
            w = w + t * x
        found.append(w)
    return np.stack(found)


def signs(bits):
    return 2 * bits - 1


def encoded(x, W1, b1, Wm, bm, Ws, bs):
    h = np.tanh(x @ W1 + b1)
    return h @ Wm + bm, h @ Ws + bs


def decoded(z, W2, b2, W3, b3):
    return sigmoid(np.tanh(z @ W2 + b2) @ W3 + b3)


def coins(x, p):
    return (x * np.log(p) + (1 - x) * np.log(1 - p)).sum(-1)


def divergence_of_codes(x, *encoder):
    mu, rho = encoded(x, *encoder)
    return (mu**2 + np.exp(rho) - 1 - rho).sum(-1) / 2


def sampled(x, e, encoder):
    mu, rho = encoded(x, *encoder)
    return mu + np.exp(rho / 2) * e


def bound(x, e, encoder, decoder, beta):
    z = sampled(x, e, encoder)
    return -coins(x, decoded(z, *decoder)) + beta * divergence_of_codes(x, *encoder)


def tighter(x, N, encoder, decoder):
    z = sampled(x, N, encoder)
    rho = encoded(x, *encoder)[1]
    w = coins(x, decoded(z, *decoder)) + (N**2 + rho - z**2).sum(1) / 2
    return np.log(np.exp(w).mean())


def log_target(x):
    return -(x**2).sum(-1) / 2 - x.sum(-1) ** 2 / 4


def importance(X, m, s):
    q = (2 * np.pi * s**2) ** (-len(m) / 2) * np.exp(-((X - m) ** 2).sum(1) / (2 * s**2))
    return np.exp(log_target(X)) / q


def systematic(X, m, s, u):
    w = importance(X, m, s)
    c = np.cumsum(w / w.sum())
    n = len(w)
    return X[[(c < (k + u) / n).sum() for k in range(n)]]


def metropolis(x, xi, v, h):
    states = []
    for step, threshold in zip(xi, v, strict=True):
        y = x + h * step
        if threshold <= min(1, np.exp(log_target(y) - log_target(x))):
            x = y
        states.append(x)
    return np.stack(states)


def gelman_rubin(t):
    N = t.shape[1]
    B = N * t.mean(1).var(ddof=1)
    V = t.var(1, ddof=1).mean()
    return np.sqrt((N - 1) / N + B / (N * V))


def autocorrelation(k, t):
    d = t - t.mean(1, keepdims=True)
    return ((d[:, : t.shape[1] - k] * d[:, k:]).sum(1) / (d**2).sum(1)).mean()


def likelihood(b, X, y):
    p = sigmoid(X @ b)
    return (y * np.log(p) + (1 - y) * np.log(1 - p)).sum()


def information(b, X):
    p = sigmoid(X @ b)
    return (X.T * (p * (1 - p))) @ X


def scored(b, X, y):
    return X.T @ (y - sigmoid(X @ b))


def newton(b, X, y):
    return b + np.linalg.solve(information(b, X), scored(b, X, y))


def fitted(X, y, steps):
    b = np.zeros(X.shape[1])
    for _ in range(steps):
        b = newton(b, X, y)
    return b


def leverage(b, X):
    p = sigmoid(X @ b)
    return p * (1 - p) * np.diag(X @ np.linalg.inv(information(b, X)) @ X.T)


def cook(b, X, y):
    p, h = sigmoid(X @ b), leverage(b, X)
    return (y - p) ** 2 * h / (X.shape[1] * p * (1 - p) * (1 - h) ** 2)


def penalised(b, X, y, lam):
    A = information(b, X) + lam * np.eye(len(b))
    return b + np.linalg.solve(A, scored(b, X, y) - lam * b)


def normalised(x):
    return (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3)


def backward(x, g, gy):
    """The gradient of the input of a batch normalisation, by its Jacobian."""
    m, v = len(x), x.var(0) + 1e-3
    h = normalised(x)
    J = (np.eye(m)[:, :, None] - 1 / m - h[:, None] * h / m) / np.sqrt(v)
    return np.einsum("ijk,ik->jk", J, gy * g)


def regressors(Y):
    return np.concatenate([np.ones((len(Y) - 1, 1)), Y[:-1]], 1)


def least_squares(Y):
    Z = regressors(Y)
    return np.linalg.solve(Z.T @ Z, Z.T @ Y[1:])


def innovations(Y):
    U = Y[1:] - regressors(Y) @ least_squares(Y)
    T, K = Y.shape
    return U.T @ U / (T - K - 2)


def ahead(Y, A, c, h):
    f = Y[-1]
    for _ in range(h):
        f = c + A @ f
    return f


def uncertainty(A, Sigma, h):
    powers = [np.linalg.matrix_power(A, i) for i in range(h)]
    return sum(P @ Sigma @ P.T for P in powers)


def polya(x, a):
    n, a0 = x.sum(-1), a.sum()
    first = log_gamma(n + 1) - log_gamma(x + 1).sum(-1)
    return first + log_gamma(a0) - log_gamma(a0 + n) + (log_gamma(a + x) - log_gamma(a)).sum(-1)


def next_word(x, a):
    return (a + x) / (a.sum() + x.sum())


def topics(C, pi, Phi):
    return softmax(np.log(pi) + C @ np.log(Phi).T)


def topic_words(C, pi, Phi):
    N = topics(C, pi, Phi).T @ C + 0.1
    return N / N.sum(1, keepdims=True)


def puzzled(C, pi, Phi):
    p = np.exp(C @ np.log(Phi).T) @ pi
    return np.exp(-np.log(p).sum() / C.sum())


ENCODER = {
    "W_1": "pix[4] hid[3]",
    "b_1": "hid[3]",
    "W_mu": "hid[3] lat[2]",
    "b_mu": "lat[2]",
    "W_sigma": "hid[3] lat[2]",
    "b_sigma": "lat[2]",
}
DECODER = {"W_2": "lat[2] hid[3]", "b_2": "hid[3]", "W_3": "hid[3] pix[4]", "b_3": "pix[4]"}
PATIENTS = {"beta": "cov[2]", "X": "obs[6] cov[2]"}
OUTCOMES = {**PATIENTS, "y": "obs[6] ~ bits"}
CORPUS = {
    "C": "doc[4] word[3] ~ whole 5",
    "pi": "topic[2] ~ probability topic",
    "Phi": "topic[2] word[3] ~ probability word",
}

DOCUMENTS = [
    Unseen(
        "t_sne.md",
        r"""# t-SNE from scratch, with named axes

*Posted in: visualisation, probability. Reading time: nine minutes.*

Every second paper has a picture made by t-SNE, and hardly anyone knows what the axes of that picture mean (nothing, in fact). Let's write the method down once, so that we can implement it in an afternoon.

**What we have.** A table of $n$ points in $D$ dimensions, $X \in \mathbb{R}^{\text{pt}:n, \text{dim}:D}$.

**What we want.** A map of them, that is positions $Y \in \mathbb{R}^{\text{pt}:n, \text{xy}:2}$, such that neighbours stay neighbours.

## Step 1: who is whose neighbour?

Put a Gaussian on each point $i$ and ask how likely it would pick point $j$. Rows of the table belong to the point that picks, with the axis $\text{pt}'$; columns to the point that is picked:

$$
\Delta_{\text{pt}':i, \text{pt}:j} = \sum_{\text{dim}} \left( X_{\text{pt}:i} - X_{\text{pt}:j} \right)^2
$$

$$
C_{\text{pt}':i, \text{pt}:j} = \begin{cases}
  \dfrac{ \exp \left( - \Delta_{\text{pt}':i, \text{pt}:j} / 2 \sigma_i^2 \right) }{ \sum_{k \neq i} \exp \left( - \Delta_{\text{pt}':i, \text{pt}:k} / 2 \sigma_i^2 \right) } & i \neq j \\[2ex]
  0 & i = j
\end{cases}
$$

The bandwidths $\sigma \in \mathbb{R}_{>0}^{\text{pt}':n}$ are one number for each point. In dense regions they should be small. We find $\sigma_i$ by bisection, until the **perplexity** of row $i$ is what the user asked for, say 30. The perplexity is two to the entropy (in bits),

$$
\text{perp}_{\text{pt}':i} = 2^{H_{\text{pt}':i}}, \qquad H_{\text{pt}':i} = - \sum_{j \neq i} C_{\text{pt}':i, \text{pt}:j} \log_2 C_{\text{pt}':i, \text{pt}:j} ,
$$

and can be read as "how many neighbours does this point have, roughly".

## Step 2: make it symmetric

An outlier is nobody's neighbour, so its place in the map would not matter. Averaging with the transpose mends this:

$$
P = \frac{ C + C_{\text{pt} \to \text{pt}', \text{pt}' \to \text{pt}} }{2n}, \qquad P \in \mathbb{R}^{\text{pt}':n, \text{pt}:n} .
$$

Now all entries sum to one (check: $\sum_{\text{pt}', \text{pt}} P = 1$).

## Step 3: the same in the map, with heavy tails

In two dimensions there isn't enough room for all the neighbours that a point has in fifty. t-SNE therefore uses a Student $t$ with one degree of freedom:

$$
\begin{aligned}
W_{\text{pt}':i, \text{pt}:j} &= \begin{cases} \left( 1 + \left\| Y_{\text{pt}:i} - Y_{\text{pt}:j} \right\|^2 \right)^{-1} & \text{if } i \neq j, \\ 0 & \text{else} \end{cases} \\
Q &= \frac{W}{\sum_{\text{pt}', \text{pt}} W}
\end{aligned}
$$

We fit $Q$ to $P$ by minimising the Kullback–Leibler divergence. In what follows an entry of a table is written shorter, $P_{ij}$ for $P_{\text{pt}':i, \text{pt}:j}$ and so on:

$$
\mathcal{L} = \text{KL}(P \,\|\, Q) = \sum_{i=1}^{n} \sum_{j \neq i} P_{ij} \log \frac{P_{ij}}{Q_{ij}}
$$

## Step 4: forces

The gradient is prettier than expected[^1]. With $S = (P - Q) \odot W$,

$$
g = 4 \left( Y_{\text{pt} \to \text{pt}'} \odot \sum_{\text{pt}} S - S \underset{\text{pt}}{\cdot} Y \right)
$$

Points that should be closer attract each other ($P_{ij} > Q_{ij}$), the others repel. A step of gradient descent with momentum is

$$
Y_{\text{new}} = Y - \eta \left[ g \right]_{\text{pt}' \to \text{pt}} + \alpha \left( Y - Y_{\text{old}} \right)
$$

where $Y_{\text{old}}, Y_{\text{new}} \in \mathbb{R}^{\text{pt}:n, \text{xy}:2}$ are the maps before and after, $\eta = 200$ is the learning rate and $\alpha = 0.8$.

| trick | what it does |
|---|---|
| early exaggeration | use $12 P$ in the place of $P$ for 250 steps |
| PCA first | reduces $D$ to 50 |
| Barnes–Hut | sums the repulsion in $O(n \log n)$ |

## How good is the map?

Count how many of the $K$ nearest neighbours survive. If $A, B \in \{0, 1\}^{\text{pt}':n, \text{pt}:n}$ mark the neighbours in $X$ and in $Y$, then the *recall* is

$$
\text{recall}(A, B) = \frac{1}{n} \sum_{\text{pt}'} \frac{ A \underset{\text{pt}}{\cdot} B }{ \sum_{\text{pt}} A } .
$$

[^1]: van der Maaten and Hinton (2008), appendix A. The factor is $4$ since each pair occurs twice, and $2$ comes from the square.
""",
        [
            Fault(r"\odot \sum_{\text{pt}} S -", r"\odot \sum_{\text{dim}} S -"),
            Fault(r"S \underset{\text{pt}}{\cdot} Y", r"S \underset{\text{xy}}{\cdot} Y"),
            Fault(
                r"\eta \left[ g \right]_{\text{pt}' \to \text{pt}} + \alpha",
                r"\eta \, g + \alpha",
            ),
        ],
        [
            Entry("C", picked, "pt' pt", {"X": "pt[4] dim[3]", "sigma": "pt'[4] ~ positive"}),
            Entry(
                "H",
                lambda X, s: row_entropy(picked(X, s)),
                "pt'",
                {"X": "pt[4] dim[3]", "sigma": "pt'[4] ~ positive"},
            ),
            Entry(
                r"\text{perp}",
                lambda X, s: 2 ** row_entropy(picked(X, s)),
                "pt'",
                {"X": "pt[4] dim[3]", "sigma": "pt'[4] ~ positive"},
            ),
            Entry("P", joint, "pt' pt", {"X": "pt[4] dim[3]", "sigma": "pt'[4] ~ positive"}),
            Entry("Q", lambda Y: student(Y) / student(Y).sum(), "pt' pt", {"Y": "pt[4] xy[2]"}),
            Entry(
                r"\mathcal{L}",
                divergence,
                "",
                {"X": "pt[4] dim[3]", "sigma": "pt'[4] ~ positive", "Y": "pt[4] xy[2]"},
            ),
            Entry(
                "g",
                forces,
                "pt' xy",
                {"X": "pt[4] dim[3]", "sigma": "pt'[4] ~ positive", "Y": "pt[4] xy[2]"},
            ),
            Entry(
                r"Y_{\text{new}}",
                lambda X, s, Y, old: Y - 200 * forces(X, s, Y) + 0.8 * (Y - old),
                "pt xy",
                {
                    "X": "pt[4] dim[3]",
                    "sigma": "pt'[4] ~ positive",
                    "Y": "pt[4] xy[2]",
                    "Y_old": "pt[4] xy[2]",
                },
            ),
            Entry(
                r"\text{recall}",
                lambda A, B: recall(A, B),
                "",
                {"A": "pt'[4] pt[4] ~ one-hot pt", "B": "pt'[4] pt[4] ~ bits"},
            ),
        ],
    ),
    Unseen(
        "perceptrons.md",
        r"""---
title: "Sheet 3: Perceptrons"
course: Introduction to Machine Learning
---

*Hand in on Tuesday before the lecture. Exercises with a star are optional.*

Recall the setting of the lecture. The training set has $n$ examples, $X \in \mathbb{R}^{\text{ex}:n, \text{feat}:d}$, and labels $y \in \{-1, +1\}^{\text{ex}:n}$. A weight vector is $w \in \mathbb{R}^{\text{feat}:d}$.

**Definition 1.** The *linear classifier* with weights $w$ and bias $b \in \mathbb{R}$ is
$$f(x; w, b) = \text{sign} \left( w \underset{\text{feat}}{\cdot} x + b \right).$$

To save ink, we put a $1$ in front of every example and drop the bias from now on.

**Definition 2.** The *margin* of $w$ on the training set is
$$\gamma(w) = \underset{\text{ex}}{\min} \; \frac{ y \odot \left( X \underset{\text{feat}}{\cdot} w \right) }{ \| w \|_{\text{feat}} } .$$
If it is positive, all examples are on the right side.

## Exercise 1 (Warm-up)

(a) The *perceptron criterion* adds up how far the wrong examples are on the wrong side. Write it as a formula without cases.

(b) Compute its gradient.

> *Solution.* (a) An example is wrong iff $y \odot (X \underset{\text{feat}}{\cdot} w)$ is negative there. Hence
> $$
> \ell(w) = \sum_{\text{ex}} \max \left( 0, - y \odot \left( X \underset{\text{feat}}{\cdot} w \right) \right) .
> $$
> (b) Let $m(w) = \mathbb{1} \left[ y \odot \left( X \underset{\text{feat}}{\cdot} w \right) < 0 \right]$, a vector over $\text{ex}$ that marks the mistakes. Each mistake contributes $- y_{\text{ex}:i} X_{\text{ex}:i}$, so
> $$
> g(w) = - \left( m(w) \odot y \right) \underset{\text{ex}}{\cdot} X .
> $$
> Where a score is exactly $0$, this is one of the subgradients.

## Exercise 2 (One epoch)

The algorithm looks at one example after the other:

$$
w_i = w_{i-1} + \mathbb{1} \left[ y_{\text{ex}:i} \left( w_{i-1} \underset{\text{feat}}{\cdot} X_{\text{ex}:i} \right) \leq 0 \right] y_{\text{ex}:i} X_{\text{ex}:i}, \qquad i = 1, \dots, n,
$$

starting from $w_0 = 0$. The weights after one epoch are $\hat{w} = w_n$, and the *averaged perceptron* uses $\bar{w} = \frac{1}{n} \sum_{i=1}^{n} w_i$.

Do this by hand for the three examples of the table.

> *Solution.*
>
> | $i$ | $X_{\text{ex}:i}$ | $y_{\text{ex}:i}$ | score | mistake | weights afterwards |
> |:-:|:-:|:-:|:-:|:-:|:-:|
> | 1 | (1, 2) | + | 0 | yes | (1, 2) |
> | 2 | (1, -1) | - | -1 | no | (1, 2) |
> | 3 | (1, 1) | - | 3 | yes | (0, 1) |
>
> Therefore $\hat{w}$ is (0, 1) and the average is (2/3, 5/3).

## Exercise 3 (Novikoff's theorem)

Let $R = \underset{\text{ex}}{\max} \| X \|_{\text{feat}}$. Show that, if some $u \in \mathbb{R}^{\text{feat}:d}$ has a positive margin, then the perceptron makes at most

$$
M(u) = \frac{R^2}{\gamma(u)^2}
$$

mistakes, in however many epochs.

> *Solution.* We may assume $\| u \|_{\text{feat}} = 1$. At each mistake the inner product $w_k \underset{\text{feat}}{\cdot} u$ grows by at least $\gamma(u)$, thus after $k$ mistakes it is at least $k \gamma(u)$. On the other hand, $\| w_k \|^2$ grows by at most $R^2$, since the mixed term is not positive. By Cauchy–Schwarz $k \gamma(u) \leq \sqrt{k} R$. $\square$

## Exercise 4 (Kernels)

Since $\hat{w}$ is a sum of examples, we only need to count how often each of them was added. Let $\alpha \in \mathbb{R}^{\text{ex}:n}$ be these counts.

1. Write the score of a new point $x \in \mathbb{R}^{\text{feat}:d}$ with the kernel $\kappa(x, z) = \left( 1 + x \underset{\text{feat}}{\cdot} z \right)^2$ for $x, z \in \mathbb{R}^{\text{feat}:d}$.
2. Write all scores of the training set.

> *Solution.*
>
> 1. $s(x) = \sum_{\text{ex}} \alpha \odot y \odot \kappa(X, x)$, where $\kappa$ treats all examples at once.
> 2. One copy of the examples has to be renamed:
>    $$
>    t = \left( \alpha \odot y \right) \underset{\text{ex}}{\cdot} \kappa \left( X, X_{\text{ex} \to \text{ex}'} \right) , \qquad t \in \mathbb{R}^{\text{ex}':n}.
>    $$

## Exercise 5* (Several classes)

Now there is one weight vector for each of $C$ classes, $V \in \mathbb{R}^{\text{class}:C, \text{feat}:d}$. The prediction is the class with the highest score,

$$
\hat{c}(x) = \underset{\text{class}}{\text{argmax}} \left( V \underset{\text{feat}}{\cdot} x \right) .
$$

After a mistake on $x$, of class $c$, the weights of $c$ get $x$ added and those of $\hat{c}$ get it subtracted. Write this update with one-hot vectors.

> *Solution.* With $e \in \{0, 1\}^{\text{class}:C}$ for the true class and $\hat{e}_{\text{class}:k} = \mathbb{1}[k = \hat{c}(x)]$ for the predicted one,
> $$
> V_{\text{new}} = V + (e - \hat{e}) \odot x .
> $$
> If there was no mistake then $e = \hat{e}$ and nothing changes, so that no case distinction is needed.
""",
        [
            Fault(
                r"\gamma(w) = \underset{\text{ex}}{\min}",
                r"\gamma(w) = \underset{\text{feat}}{\min}",
            ),
            Fault(
                r"\text{argmax}} \left( V \underset{\text{feat}}{\cdot} x \right)",
                r"\text{argmax}} \left( V \underset{\text{class}}{\cdot} x \right)",
            ),
            Fault(r"\kappa(X, x)$", r"\kappa(X)$"),
        ],
        [
            Entry(
                "f",
                lambda x, w, b: np.sign(w @ x + b),
                "",
                {"x": "feat[3]"},
                {"w": "feat[3]", "b": 0.3},
            ),
            Entry(
                r"\gamma",
                lambda w, X, y: margin(w, X, y),
                "",
                {"w": "feat[3]", "X": "ex[5] feat[3]", "y": "ex[5]"},
            ),
            Entry(
                r"\ell",
                lambda w, X, y: np.maximum(0, -y * (X @ w)).sum(),
                "",
                {"w": "feat[3]", "X": "ex[5] feat[3]", "y": "ex[5]"},
            ),
            Entry(
                "g",
                lambda w, X, y: -((y * (X @ w) < 0) * y) @ X,
                "feat",
                {"w": "feat[3]", "X": "ex[5] feat[3]", "y": "ex[5]"},
            ),
            Entry(
                r"\hat{w}",
                lambda X, y: epoch(X, y)[-1],
                "feat",
                {"X": "ex[5] feat[3]", "y": "ex[5]"},
            ),
            Entry(
                r"\bar{w}",
                lambda X, y: epoch(X, y).mean(0),
                "feat",
                {"X": "ex[5] feat[3]", "y": "ex[5]"},
            ),
            Entry(
                "M",
                lambda u, X, y: (X**2).sum(1).max() / margin(u, X, y) ** 2,
                "",
                {"u": "feat[3]", "X": "ex[5] feat[3]", "y": "ex[5]"},
            ),
            Entry(
                "s",
                lambda x, X, a, y: (a * y * (1 + X @ x) ** 2).sum(),
                "",
                {"x": "feat[3]", "X": "ex[5] feat[3]", "alpha": "ex[5] ~ counts", "y": "ex[5]"},
            ),
            Entry(
                "t",
                lambda X, a, y: (a * y) @ (1 + X @ X.T) ** 2,
                "ex'",
                {"X": "ex[5] feat[3]", "alpha": "ex[5] ~ counts", "y": "ex[5]"},
            ),
            Entry(
                r"V_{\text{new}}",
                lambda V, e, x: V + np.outer(e - np.eye(3)[np.argmax(V @ x)], x),
                "class feat",
                {"V": "class[3] feat[2]", "e": "class[3] ~ one-hot class", "x": "feat[2]"},
            ),
        ],
    ),
    Unseen(
        "autoencoder.md",
        r"""# The variational autoencoder, explained to my younger self

Two years ago I read Kingma & Welling three times and still could not say *which* expectation is estimated *how*. Here is the explanation that I would have liked. Dimensions are named; if you haven't seen this, `pix` in $\underset{\text{pix}}{\cdot}$ simply is the thing that we sum over.

## Cast

- an image $x \in [0, 1]^{\text{pix}:P}$, flattened, e.g. MNIST with $P = 784$
- its code $z \in \mathbb{R}^{\text{lat}:d}$
- noise $\epsilon \in \mathbb{R}^{\text{lat}:d}$, standard normal
- encoder weights $W_1 \in \mathbb{R}^{\text{pix}:P, \text{hid}:h}$, $b_1 \in \mathbb{R}^{\text{hid}:h}$; $W_\mu, W_\sigma \in \mathbb{R}^{\text{hid}:h, \text{lat}:d}$; $b_\mu, b_\sigma \in \mathbb{R}^{\text{lat}:d}$
- decoder weights $W_2 \in \mathbb{R}^{\text{lat}:d, \text{hid}:h}$, $b_2 \in \mathbb{R}^{\text{hid}:h}$, $W_3 \in \mathbb{R}^{\text{hid}:h, \text{pix}:P}$, $b_3 \in \mathbb{R}^{\text{pix}:P}$

## The encoder

The encoder does not return a code, it returns a *distribution* of codes, a Gaussian whose coordinates are independent:

$$
\begin{aligned}
h(x) &= \tanh \left( W_1 \underset{\text{pix}}{\cdot} x + b_1 \right) \\
\mu(x) &= W_\mu \underset{\text{hid}}{\cdot} h(x) + b_\mu \\
\rho(x) &= W_\sigma \underset{\text{hid}}{\cdot} h(x) + b_\sigma
\end{aligned}
$$

Here $\rho = \log \sigma^2$, because a network may output any number, but a variance must be positive: $\sigma(x) = \exp\big( \tfrac12 \rho(x) \big)$.[^abuse]

## The trick

We cannot differentiate through "draw $z$ from $\mathcal{N}(\mu, \sigma^2)$". But we can draw the noise first and then shift and scale it:

$$
z(x, \epsilon) = \mu(x) + \sigma(x) \odot \epsilon .
$$

Gradients flow through $\mu$ and $\sigma$, and $\epsilon$ is just another input.

## The decoder

$$
\hat{x}(z) = \text{sigmoid} \left( W_3 \underset{\text{hid}}{\cdot} \tanh \left( W_2 \underset{\text{lat}}{\cdot} z + b_2 \right) + b_3 \right)
$$

Each number is the probability that a pixel is white. The log-likelihood of an image is therefore that of $P$ coins,

$$
\log p(x \mid z) = \sum_{\text{pix}} \Big( x \odot \log \hat{x}(z) + (1 - x) \odot \log \big( 1 - \hat{x}(z) \big) \Big) .
$$

## The bound

We'd like to maximise $\log p(x)$, which is an integral over all codes. Jensen gives a lower bound with two terms,

$$
\log p(x) \ge \mathbb{E}_{q(z \mid x)} \big[ \log p(x \mid z) \big] - \text{KL} \big( q(z \mid x) \,\big\|\, p(z) \big) .
$$

The second has a closed form. For one coordinate it is $\frac12 (\mu^2 + \sigma^2 - 1 - \log \sigma^2)$, and independent coordinates add up:

$$
\text{KL}(x) = \frac12 \sum_{\text{lat}} \left( \mu(x)^2 + \exp \rho(x) - 1 - \rho(x) \right)
$$

The first is estimated with a *single* draw. (Yes, one. The batch averages it out.) Written with a minus sign, so that it is something to minimise:

$$
\mathcal{L}(x, \epsilon) = - \log p(x \mid z(x, \epsilon)) + \beta \, \text{KL}(x)
$$

With $\beta = 1$ this is the VAE; Higgins et al. use larger ones.

For a batch $X \in [0, 1]^{\text{batch}:B, \text{pix}:P}$ and noise $E \in \mathbb{R}^{\text{batch}:B, \text{lat}:d}$ all of the above is done for each image, and we take the average,

$$
J = \underset{\text{batch}}{\text{mean}} \; \mathcal{L}(X, E) .
$$

## A tighter bound

Burda et al. draw $K$ codes per image, $N \in \mathbb{R}^{\text{draw}:K, \text{lat}:d}$, and average *inside* of the logarithm. The log-weight of a draw is

$$
\begin{aligned}
\omega(x, \epsilon) &= \log p(x \mid z) + \log p(z) - \log q(z \mid x) \qquad \text{with } z = z(x, \epsilon) \\
&= \log p(x \mid z(x, \epsilon)) + \frac12 \sum_{\text{lat}} \left( \epsilon^2 + \rho(x) - z(x, \epsilon)^2 \right)
\end{aligned}
$$

(the two constants $\frac{d}{2} \log 2\pi$ cancel), and

$$
\mathcal{L}_K(x) = \log \left( \frac1K \sum_{\text{draw}} \exp \omega(x, N) \right) .
$$

## Walking between two images

My favourite toy: take the mean codes of a three and an eight and walk, $\text{walk}(a, b, t) = \hat{x} \big( (1 - t)\, \mu(a) + t\, \mu(b) \big)$ for $0 \le t \le 1$ and $a, b \in [0, 1]^{\text{pix}:P}$.

[^abuse]: Careful, $\sigma$ is a standard deviation on this page; for the squashing function I write $\text{sigmoid}$.
""",
        [
            Fault(
                r"\left( W_3 \underset{\text{hid}}{\cdot} \tanh",
                r"\left( W_3 \underset{\text{lat}}{\cdot} \tanh",
            ),
            Fault(
                r"\frac12 \sum_{\text{lat}} \left( \mu(x)^2",
                r"\frac12 \sum_{\text{hid}} \left( \mu(x)^2",
            ),
            Fault(r"\mathcal{L}(X, E)", r"\mathcal{L}(X)"),
        ],
        [
            Entry(
                r"\mu",
                lambda x, *p: encoded(x, *p, p[2], p[3])[0],
                "lat",
                {
                    "x": "pix[4] ~ probability pix",
                    "W_1": "pix[4] hid[3]",
                    "b_1": "hid[3]",
                    "W_mu": "hid[3] lat[2]",
                    "b_mu": "lat[2]",
                },
            ),
            Entry(
                "z",
                lambda x, e, *p: sampled(x, e, p),
                "lat",
                {"x": "pix[4] ~ probability pix", "epsilon": "lat[2]", **ENCODER},
            ),
            Entry(r"\hat{x}", decoded, "pix", {"z": "lat[2]", **DECODER}),
            Entry(
                r"\text{KL}",
                divergence_of_codes,
                "",
                {"x": "pix[4] ~ probability pix", **ENCODER},
            ),
            Entry(
                r"\mathcal{L}",
                lambda x, e, b, *p: bound(x, e, p[:6], p[6:], b),
                "",
                {
                    "x": "pix[4] ~ probability pix",
                    "epsilon": "lat[2]",
                    "beta": 1.5,
                    **ENCODER,
                    **DECODER,
                },
            ),
            Entry(
                "J",
                lambda X, E, b, *p: bound(X, E, p[:6], p[6:], b).mean(),
                "",
                {
                    "X": "batch[3] pix[4] ~ probability pix",
                    "E": "batch[3] lat[2]",
                    "beta": 1.5,
                    **ENCODER,
                    **DECODER,
                },
            ),
            Entry(
                r"\mathcal{L}_K",
                lambda x, N, *p: tighter(x, N, p[:6], p[6:]),
                "",
                {"x": "pix[4] ~ probability pix", "N": "draw[5] lat[2]", **ENCODER, **DECODER},
            ),
            Entry(
                r"\text{walk}",
                lambda a, b, t, *p: decoded(
                    (1 - t) * encoded(a, *p[:4], *p[2:4])[0] + t * encoded(b, *p[:4], *p[2:4])[0],
                    *p[4:],
                ),
                "pix",
                {
                    "a": "pix[4] ~ probability pix",
                    "b": "pix[4] ~ probability pix",
                    "t": 0.25,
                    "W_1": "pix[4] hid[3]",
                    "b_1": "hid[3]",
                    "W_mu": "hid[3] lat[2]",
                    "b_mu": "lat[2]",
                    **DECODER,
                },
            ),
        ],
    ),
    Unseen(
        "monte_carlo.md",
        r"""(lecture-7)=
# Lecture 7: Monte Carlo

```{admonition} Today
:class: tip
Estimating integrals with samples of the wrong distribution, and making chains that forget where they started.
```

## 7.1 Importance sampling

Let $f \colon \mathbb{R}^{\text{dim}} \to \mathbb{R}$ be a function whose mean under a density $p$ we want. We know $p$ only up to a constant: $\tilde p(x) = Z\, p(x)$. Our running example is

$$
\log \tilde p(x) = - \frac{1}{2} \sum_{\text{dim}} x^2 - \frac{1}{4} \Big( \sum_{\text{dim}} x \Big)^2, \qquad f(x) = \underset{\text{dim}}{\max} \; x .
$$

We draw from something simpler, here from a normal distribution with mean $m \in \mathbb{R}^{\text{dim}}$ and one standard deviation $s > 0$, whose density is

$$
q(x) = (2 \pi s^2)^{-|\text{dim}| / 2} \exp \left( - \frac{ \| x - m \|_{\text{dim}}^2 }{ 2 s^2 } \right) .
$$

```{prf:definition} Importance weights
Given samples $X \in \mathbb{R}^{\text{samp}:n, \text{dim}}$, their weights are
$$
w = \frac{\tilde p(X)}{q(X)}, \qquad w \in \mathbb{R}^{\text{samp}:n},
$$
and their normalised weights are $\bar w = w / \sum_{\text{samp}} w$.
```

The estimates of the constant and of the mean are

$$
\hat Z = \frac{1}{n} \sum_{\text{samp}} w, \qquad \hat f = \bar w \underset{\text{samp}}{\cdot} f(X) .
$$ (estimates)

```{note}
The second one is biased (it is a ratio), but consistent. In practice one computes logarithms first, $\bar w = \underset{\text{samp}}{\text{softmax}} \left( \log \tilde p(X) - \log q(X) \right)$, which is the same.
```

How many samples of $p$ would be as good? A rule of thumb is the *effective sample size*

$$
\text{ESS} = \frac{ \left( \sum_{\text{samp}} w \right)^2 }{ \sum_{\text{samp}} w^2 } ,
$$ (ess)

which lies between $1$ and $n$.

### Resampling

Multiplying the good samples and dropping the bad ones gives equal weights again. Let $c_{\text{samp}(i)} = \sum_{j=1}^{i} \bar w_{\text{samp}(j)}$ be the cumulative weights and $u \in [0, 1)$ one uniform number. *Systematic* resampling takes, as its $k$-th sample, the one with the number

$$
a_k = 1 + \sum_{i=1}^{n} \mathbb{1} \left[ c_{\text{samp}(i)} < \frac{k - 1 + u}{n} \right], \qquad k = 1, \dots, n,
$$

hence $X^{\text{new}}_{\text{samp}(k)} = X_{\text{samp}(a_k)}$.

## 7.2 Metropolis

Now a chain. All the noise is drawn beforehand: steps $\xi \in \mathbb{R}^{\text{iter}:T, \text{dim}}$ and uniform numbers $v \in [0, 1]^{\text{iter}:T}$. From a start $x_0 \in \mathbb{R}^{\text{dim}}$,

$$
\begin{aligned}
y_t &= x_{t-1} + h\, \xi_{\text{iter}(t)} && \text{propose} \\
\alpha_t &= \min \left( 1, \frac{ \tilde p(y_t) }{ \tilde p(x_{t-1}) } \right) && \text{how good is it?} \\
x_t &= \begin{cases} y_t & \text{if } v_{\text{iter}(t)} \leq \alpha_t \\ x_{t-1} & \text{otherwise} \end{cases} && \text{accept or stay}
\end{aligned}
$$

for $t = 1, \dots, T$ with a step width $h > 0$. The result of the chain is its last state, $x_T$.

```{prf:theorem} Detailed balance
If the proposal is symmetric, then $p$ is stationary.
```

*Proof.* For $x \neq y$, $p(x)\, \alpha(x \to y) = \min(p(x), p(y))$, which is symmetric in $x$ and $y$. Sum over $x$. $\square$

## 7.3 Has it converged?

Run $M$ chains of length $N$ for one scalar quantity, $\theta \in \mathbb{R}^{\text{chain}:M, \text{draw}:N}$. We compare the variance between the chains with that within:

$$
\begin{aligned}
\bar\theta &= \underset{\text{draw}}{\text{mean}} \; \theta \\
B &= \frac{N}{M - 1} \sum_{\text{chain}} \left( \bar\theta - \underset{\text{chain}}{\text{mean}} \; \bar\theta \right)^2 \\
V &= \underset{\text{chain}}{\text{mean}} \; \frac{1}{N - 1} \sum_{\text{draw}} \left( \theta - \bar\theta \right)^2 \\
\hat R &= \sqrt{ \frac{N - 1}{N} + \frac{B}{N V} }
\end{aligned}
$$

If $\hat R > 1.01$, run longer.

```{exercise}
The autocorrelation at lag $k \geq 0$ is
$$
r(k) = \underset{\text{chain}}{\text{mean}} \; \frac{ \sum_{t=1}^{N-k} (\theta - \bar\theta)_{\text{draw}(t)} \odot (\theta - \bar\theta)_{\text{draw}(t+k)} }{ \sum_{\text{draw}} (\theta - \bar\theta)^2 } .
$$
What is $r(0)$? Plot $r$ for $k$ up to $50$.
```
""",
        [
            Fault(
                r"\bar w \underset{\text{samp}}{\cdot} f(X)",
                r"\bar w \underset{\text{dim}}{\cdot} f(X)",
            ),
            Fault(
                r"\bar\theta - \underset{\text{chain}}{\text{mean}}",
                r"\bar\theta - \underset{\text{draw}}{\text{mean}}",
            ),
            Fault(r"h\, \xi_{\text{iter}(t)}", r"h\, \xi_{\text{samp}(t)}"),
        ],
        [
            Entry(
                "q",
                lambda x, m, s: np.exp(-((x - m) ** 2).sum() / (2 * s**2)) / (2 * np.pi * s**2),
                "",
                {"x": "dim[2]", "m": "dim[2]", "s": 1.3},
            ),
            Entry("w", importance, "samp", {"X": "samp[5] dim[2]", "m": "dim[2]", "s": 1.3}),
            Entry(
                r"\hat Z",
                lambda X, m, s: importance(X, m, s).mean(),
                "",
                {"X": "samp[5] dim[2]", "m": "dim[2]", "s": 1.3},
            ),
            Entry(
                r"\hat f",
                lambda X, m, s: np.average(X.max(1), weights=importance(X, m, s)),
                "",
                {"X": "samp[5] dim[2]", "m": "dim[2]", "s": 1.3},
            ),
            Entry(
                r"\text{ESS}",
                lambda X, m, s: (lambda w: w.sum() ** 2 / (w**2).sum())(importance(X, m, s)),
                "",
                {"X": "samp[5] dim[2]", "m": "dim[2]", "s": 1.3},
            ),
            Entry(
                r"X^{\text{new}}",
                systematic,
                "samp dim",
                {"X": "samp[5] dim[2]", "m": "dim[2]", "s": 1.3, "u": 0.4},
            ),
            Entry(
                "x",
                metropolis,
                "iter dim",
                {
                    "x_0": "dim[2]",
                    "xi": "iter[6] dim[2]",
                    "v": "iter[6] ~ probability iter",
                    "h": 2.5,
                },
            ),
            Entry(r"\hat R", gelman_rubin, "", {"theta": "chain[3] draw[5]"}),
            Entry("r", autocorrelation, "", {"k": 2, "theta": "chain[3] draw[5]"}),
        ],
    ),
    Unseen(
        "information.tex",
        r"""\documentclass[a4paper]{scrartcl}
\usepackage{amsmath,amssymb,amsthm,namedtensor}
\newtheorem{theorem}{Theorem}
\newtheorem{lemma}[theorem]{Lemma}
\theoremstyle{definition}
\newtheorem{definition}[theorem]{Definition}
\newtheorem{example}[theorem]{Example}
\theoremstyle{remark}
\newtheorem*{remark}{Remark}
\ndef{\obs}{obs} \ndef{\cov}{cov}
\newcommand{\R}{\mathbb{R}}
\newcommand{\T}{\cov \to \cov'}
\DeclareMathOperator{\se}{se}
\DeclareMathOperator{\OR}{OR}
\begin{document}
\section*{Chapter 4. Logistic regression}

\subsection*{4.1 Model}
Let $X \in \R^{\obs[n] \times \cov[p]}$ hold the covariates of $n$ observations and $y \in \{0,1\}^{\obs[n]}$ their outcomes. For $\beta \in \R^{\cov[p]}$ we write
\[
\eta(\beta) = X \ndot{\cov} \beta, \qquad \pi(\beta) = \frac{1}{1 + \exp(- \eta(\beta))}
\]
for the linear predictor and for the probabilities of an event.

\begin{definition}
The \emph{log-likelihood} is
\begin{align}
\ell(\beta) &= \nsum{\obs} \Bigl( y \odot \log \pi(\beta) + (1 - y) \odot \log (1 - \pi(\beta)) \Bigr) \label{eq:loglik} \\
&= \nsum{\obs} \Bigl( y \odot \eta(\beta) - \log (1 + \exp \eta(\beta)) \Bigr). \nonumber
\end{align}
\end{definition}
The second line follows from $\log \pi - \log(1 - \pi) = \eta$.

\begin{lemma}
The score is
\begin{equation}
s(\beta) = X \ndot{\obs} (y - \pi(\beta)) ,
\end{equation}
and the Fisher information is
\begin{equation} \label{eq:fisher}
I(\beta) = \nsum{\obs} v(\beta) \odot X \odot X_{\T}, \quad\text{where}\quad v(\beta) = \pi(\beta) \odot (1 - \pi(\beta)) .
\end{equation}
\end{lemma}
\begin{proof}
Differentiate \eqref{eq:loglik} once and twice; the derivative of $\pi$ with respect to $\eta$ is $v$. Since the second derivative does not contain $y$, observed and expected information agree.
\end{proof}

As $v > 0$, the information is positive definite whenever the columns of $X$ are linearly independent, and $\ell$ is concave.

\subsection*{4.2 Newton's method}
Starting at some $\beta$, a step is
\begin{equation} \label{eq:newton}
N(\beta) = \beta + I(\beta)^{-1} \ndot{\cov'} s(\beta)_{\T} .
\end{equation}

\begin{theorem}[Newton's method is reweighted least squares]
Let
\[ z(\beta) = \eta(\beta) + \frac{y - \pi(\beta)}{v(\beta)} \]
be the \emph{working response}. Then $N(\beta)$ minimises $\nsum{\obs} v(\beta) \odot (z(\beta) - X \ndot{\cov} b)^2$ over all $b \in \R^{\cov[p]}$.
\end{theorem}
\begin{proof}
By the normal equations the minimum is at
\begin{align*}
b &= I(\beta)^{-1} \ndot{\cov'} \left[ X \ndot{\obs} \bigl( v(\beta) \odot z(\beta) \bigr) \right]_{\T} \\
  &= I(\beta)^{-1} \ndot{\cov'} \left[ X \ndot{\obs} \bigl( v(\beta) \odot \eta(\beta) + y - \pi(\beta) \bigr) \right]_{\T} \\
  &= \beta + I(\beta)^{-1} \ndot{\cov'} s(\beta)_{\T} = N(\beta) . \qedhere
\end{align*}
\end{proof}

The iteration is $\beta^{(0)} = 0$ and $\beta^{(k+1)} = N(\beta^{(k)})$. In most cases $\hat\beta = \beta^{(5)}$ is accurate enough.

\begin{remark}
If the two classes can be separated, then the maximum does not exist and $\|\beta^{(k)}\|$ grows without bound.
\end{remark}

\subsection*{4.3 Inference}
In large samples the estimate is approximately normal. Standard errors, Wald statistics and odds ratios are
\begin{align}
\se(\beta)_{\cov(j)} &= \sqrt{ \left[ I(\beta)^{-1} \right]_{\cov(j), \cov'(j)} } \\
W(\beta) &= \frac{\beta}{\se(\beta)} \\
\OR(\beta) &= \exp \beta,
\end{align}
and the \emph{deviance} is $D(\beta) = -2\, \ell(\beta)$. The leverages are the diagonal of the hat matrix,
\begin{equation}
h(\beta) = v(\beta) \odot \nsum{\cov} X \odot \left( I(\beta)^{-1} \ndot{\cov'} X_{\T} \right), \qquad h(\beta) \in \R^{\obs[n]},
\end{equation}
with $\nsum{\obs} h(\beta) = p$. Cook's distance combines both,
\begin{equation}
C(\beta) = \frac{ (y - \pi(\beta))^2 \odot h(\beta) }{ p \, v(\beta) \odot (1 - h(\beta))^2 } .
\end{equation}

\begin{example}
Four patients, $n = 4$ and $p = 2$ (an intercept and the dose):
\begin{center}
\begin{tabular}{lcccc}
patient & 1 & 2 & 3 & 4 \\ \hline
dose & 0 & 1 & 2 & 3 \\
outcome & 0 & 1 & 0 & 1
\end{tabular}
\end{center}
At $\beta = 0$ all probabilities are $\frac12$ and all weights $\frac14$. The first step gives the slope $0.8$.
\end{example}

\subsection*{Exercises}
\begin{enumerate}
\item Show that $\nsum{\obs} \pi(\hat\beta) = \nsum{\obs} y$ if the model has an intercept.
\item Add a ridge penalty $\frac{\lambda}{2} \|\beta\|_{\cov}^2$ with $\lambda > 0$. How do the score and the information change? \emph{Answer:} with the penalty a step is
\[ N_\lambda(\beta) = \beta + \left( I(\beta) + \lambda \mathbb{I}_{\cov, \cov'} \right)^{-1} \ndot{\cov'} \left( s(\beta) - \lambda \beta \right)_{\T} \]
where $\mathbb{I}_{\cov, \cov'}$ is the identity matrix.
\end{enumerate}
\end{document}
""",
        [
            Fault(
                r"N(\beta) = \beta + I(\beta)^{-1} \ndot{\cov'} s(\beta)_{\T} .",
                r"N(\beta) = \beta + I(\beta)^{-1} \ndot{\cov'} s(\beta) .",
            ),
            Fault(r"X \ndot{\obs} (y - \pi(\beta)) ,", r"X \ndot{\cov} (y - \pi(\beta)) ,"),
            Fault(r"h(\beta) \in \R^{\obs[n]}", r"h(\beta) \in \R^{\cov[p]}"),
        ],
        [
            Entry(r"\ell", likelihood, "", OUTCOMES),
            Entry("s", scored, "cov", OUTCOMES),
            Entry("I", information, "cov cov'", PATIENTS),
            Entry("N", newton, "cov", OUTCOMES),
            Entry(
                "z",
                lambda b, X, y: (lambda p: X @ b + (y - p) / (p * (1 - p)))(sigmoid(X @ b)),
                "obs",
                OUTCOMES,
            ),
            Entry(
                r"\hat\beta",
                lambda X, y: fitted(X, y, 5),
                "cov",
                {"X": "obs[6] cov[2]", "y": "obs[6] ~ probability obs"},
            ),
            Entry(
                r"\se",
                lambda b, X: np.sqrt(np.diag(np.linalg.inv(information(b, X)))),
                "cov",
                PATIENTS,
            ),
            Entry(
                "W",
                lambda b, X: b / np.sqrt(np.diag(np.linalg.inv(information(b, X)))),
                "cov",
                PATIENTS,
            ),
            Entry("D", lambda b, X, y: -2 * likelihood(b, X, y), "", OUTCOMES),
            Entry("h", leverage, "obs", PATIENTS),
            Entry("C", cook, "obs", OUTCOMES),
            Entry(r"N_\lambda", penalised, "cov", {**OUTCOMES, "lambda_": 0.7}),
        ],
    ),
    Unseen(
        "batch.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,xcolor}
% axes are set in sans serif, as in the lecture
\newcommand{\ax}[1]{\mathsf{#1}}
\newcommand{\sumover}[1]{\sum_{\ax{#1}}}
\newcommand{\avg}[1]{\underset{\ax{#1}}{\operatorname{mean}}}
\newcommand{\dotover}[1]{\underset{\ax{#1}}{\cdot}}
\newcommand{\bt}{\ax{batch}}
\newcommand{\un}{\ax{unit}}
\newcommand{\grad}[1]{\overline{#1}}
\newcommand{\rsd}{\sqrt{v + \varepsilon}}
\newcommand{\note}[1]{\marginpar{\footnotesize #1}}
\begin{document}
\noindent\textbf{Deep Learning, model solution of sheet 6 \hfill (20 points)}

\bigskip
\noindent Batch normalisation, forward and backward. All gradients are written with a bar: $\grad{a}$ is the gradient of the loss with respect to $a$, and has the same axes as $a$.\note{Not a mean! Means are spelled out.}

\paragraph{Problem 1 (4 points).} The input is $x \in \mathbb{R}^{\bt[m] \times \un[k]}$. Gain and offset are $\gamma, \beta \in \mathbb{R}^{\un[k]}$. The forward pass is
\begin{align}
\mu &= \frac{1}{m} \sumover{batch} x \tag{F1} \\
v &= \frac{1}{m} \sumover{batch} (x - \mu)^2 \tag{F2} \\
\hat{x} &= \frac{x - \mu}{\rsd} \tag{F3} \\
y &= \gamma \odot \hat{x} + \beta \tag{F4}
\end{align}
with a small $\varepsilon > 0$, say $\varepsilon = 10^{-3}$. Which sizes have $\mu$, $v$ and $y$?

\medskip
\emph{Solution.} $\mu, v \in \mathbb{R}^{\un[k]}$ and $y \in \mathbb{R}^{\bt[m] \times \un[k]}$. \hfill \textcolor{blue}{(1 + 1 + 2)}

\paragraph{Problem 2 (3 points).} Let $\grad{y} \in \mathbb{R}^{\bt[m] \times \un[k]}$ be given. Find $\grad{\gamma}$, $\grad{\beta}$ and $\grad{\hat{x}}$.

\medskip
\emph{Solution.} From (F4), a parameter is used by all examples, so that their contributions add up:
\[
\grad{\gamma} = \sumover{batch} \grad{y} \odot \hat{x}, \qquad
\grad{\beta} = \sumover{batch} \grad{y}, \qquad
\grad{\hat{x}} = \grad{y} \odot \gamma .
\]

\paragraph{Problem 3 (9 points).} Find $\grad{x}$. Go through the nodes one by one.

\medskip
\emph{Solution.} The variance is used in (F3) only; the mean there and in (F2):
\begin{align*}
\grad{v} &= - \frac{1}{2} \sumover{batch} \grad{\hat{x}} \odot (x - \mu) \odot (v + \varepsilon)^{-3/2}
  && \text{since } \tfrac{d}{dv} (v + \varepsilon)^{-1/2} = - \tfrac12 (v + \varepsilon)^{-3/2} \\
\grad{\mu} &= - \sumover{batch} \frac{ \grad{\hat{x}} }{ \rsd } - \frac{2 \grad{v}}{m} \odot \sumover{batch} (x - \mu)
  && \text{the last sum is } 0 \\
\grad{x} &= \frac{ \grad{\hat{x}} }{ \rsd } + \frac{2}{m} \, \grad{v} \odot (x - \mu) + \frac{1}{m} \, \grad{\mu} .
\end{align*}
Inserting and collecting gives the well known short form\note{Remember this one for the exam.}
\begin{equation}
\grad{x} = \frac{\gamma}{\rsd} \odot \Bigl( \grad{y} - \avg{batch} \grad{y} - \hat{x} \odot \avg{batch} (\grad{y} \odot \hat{x}) \Bigr) .
\end{equation}

\paragraph{Problem 4 (2 points).} What is used at test time?

\medskip
\emph{Solution.} Running averages $r, s \in \mathbb{R}^{\un[k]}$ of mean and variance, which are updated after each batch with a momentum $\rho = 0.9$,
\begin{align*}
r' &= \rho\, r + (1 - \rho) \mu \\
s' &= \rho\, s + (1 - \rho) \frac{m}{m - 1} v .
\end{align*}
The factor makes the variance unbiased.

\paragraph{Problem 5 (2 points).} At test time, fold the layer into the linear layer before it, which has weights $W \in \mathbb{R}^{\ax{in}[d] \times \un[k]}$ and biases $b \in \mathbb{R}^{\un[k]}$.

\medskip
\emph{Solution.} We want $F \dotover{in} u + f$ to be the same as $\gamma \odot (W \dotover{in} u + b - r) / \sqrt{s + \varepsilon} + \beta$ for all $u \in \mathbb{R}^{\ax{in}[d]}$. Comparing both sides,
\begin{align*}
g &= \frac{\gamma}{\sqrt{s + \varepsilon}} \\
F &= g \odot W \\
f &= g \odot (b - r) + \beta .
\end{align*}
Hence the folded layer is $\mathrm{lin}(u) = F \dotover{in} u + f$.

\paragraph{Extra.} In a convolutional network the statistics are shared by all places: for $c \in \mathbb{R}^{\bt[m] \times \ax{height} \times \ax{width} \times \ax{chan}}$,
\[
\mathrm{spatial}(c) = \frac{ c - \underset{\bt, \ax{height}, \ax{width}}{\operatorname{mean}} c }{ \sqrt{ \underset{\bt, \ax{height}, \ax{width}}{\operatorname{var}} c + \varepsilon } } ,
\]
whereas layer normalisation would take both over $\ax{height}$, $\ax{width}$ and $\ax{chan}$.
\end{document}
""",
        [
            Fault(r"\gamma \odot \hat{x} + \beta \tag", r"\gamma \odot \hat{x} + \delta \tag"),
            Fault(
                r"- \frac{1}{2} \sumover{batch} \grad{\hat{x}}",
                r"- \frac{1}{2} \sumover{in} \grad{\hat{x}}",
            ),
            Fault(r"= F \dotover{in} u + f$.", r"= F \dotover{unit} u + f$."),
        ],
        [
            Entry("v", lambda x: x.var(0), "unit", {"x": "batch[4] unit[3]"}),
            Entry(
                "y",
                lambda x, g, b: g * normalised(x) + b,
                "batch unit",
                {"x": "batch[4] unit[3]", "gamma": "unit[3]", "beta": "unit[3]"},
            ),
            Entry(
                r"\grad{\gamma}",
                lambda x, gy: (gy * normalised(x)).sum(0),
                "unit",
                {"x": "batch[4] unit[3]", "ybar": "batch[4] unit[3]"},
            ),
            Entry(
                r"\grad{v}",
                lambda x, g, gy: -0.5 * (gy * g * normalised(x)).sum(0) / (x.var(0) + 1e-3),
                "unit",
                {"x": "batch[4] unit[3]", "gamma": "unit[3]", "ybar": "batch[4] unit[3]"},
            ),
            Entry(
                r"\grad{x}",
                backward,
                "batch unit",
                {"x": "batch[4] unit[3]", "gamma": "unit[3]", "ybar": "batch[4] unit[3]"},
            ),
            Entry(
                "s'",
                lambda s, x: 0.9 * s + 0.1 * x.var(0, ddof=1),
                "unit",
                {"s": "unit[3]", "x": "batch[4] unit[3]"},
            ),
            Entry(
                r"\mathrm{lin}",
                lambda u, W, b, g, beta, r, s: g * (u @ W + b - r) / np.sqrt(s + 1e-3) + beta,
                "unit",
                {
                    "u": "in[2]",
                    "W": "in[2] unit[3]",
                    "b": "unit[3]",
                    "gamma": "unit[3]",
                    "beta": "unit[3]",
                    "r": "unit[3]",
                    "s": "unit[3] ~ positive",
                },
            ),
            Entry(
                r"\mathrm{spatial}",
                lambda c: (c - c.mean((0, 1, 2))) / np.sqrt(c.var((0, 1, 2)) + 1e-3),
                "batch height width chan",
                {"c": "batch[2] height[3] width[2] chan[2]"},
            ),
        ],
    ),
    Unseen(
        "autoregression.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb,booktabs}
\def\name#1{\mathsf{\vphantom{fg}#1}}
\def\dotp#1{\underset{\name{#1}}{\cdot}}
\newcommand{\ser}{\name{ser}}
\newcommand{\tim}{\name{time}}
\newcommand{\reg}{\name{reg}}
\newcommand{\RR}{\mathbb{R}}
\newcommand{\swap}{\ser \rightarrow \ser'}
\begin{document}
\section{Vector autoregression}
These are the notes of week 9. Table~\ref{tab:notation} has the notation.

\begin{table}[h]
\centering
\begin{tabular}{@{}lll@{}}
\toprule
Symbol & Space & Meaning \\
\midrule
$Y$ & $\RR^{\tim[T] \times \ser[K]}$ & $K$ series, observed at $T$ times \\
$A$ & $\RR^{\ser[K] \times \ser'[K]}$ & coefficients; $\ser'$ is the lagged variable \\
$c$ & $\RR^{\ser[K]}$ & intercepts \\
$\Sigma$ & $\RR^{\ser[K] \times \ser'[K]}$ & covariance of the innovations \\
\bottomrule
\end{tabular}
\caption{Notation}\label{tab:notation}
\end{table}

\subsection{The model}
In a VAR(1) each series depends on all series one step before. In terms of the vectors $y_t = Y_{\tim(t)}$,
\begin{equation} \label{eq:var}
y_t = c + A \dotp{ser'} [y_{t-1}]_{\swap} + u_t, \qquad t = 2, \ldots, T,
\end{equation}
where the $u_t \in \RR^{\ser[K]}$ are independent with mean zero and covariance $\Sigma$. The process is stable if all eigenvalues of $A$ are less than one in modulus, and then its mean is
\begin{equation}
\mu = (I_{\ser, \ser'} - A)^{-1} \dotp{ser'} c_{\swap}.
\end{equation}
Here and below $I_{\ser, \ser'}$ denotes the identity.

\subsection{Estimation}
Collect what stands on the right of \eqref{eq:var} in a design matrix $Z \in \RR^{\tim[T-1] \times \reg[K+1]}$, and what stands on the left in $L \in \RR^{\tim[T-1] \times \ser[K]}$:
\begin{align*}
L_{\tim(t)} &= Y_{\tim(t+1)} \\
Z_{\tim(t), \reg(1)} &= 1 \\
Z_{\tim(t), \reg(k+1)} &= Y_{\tim(t), \ser(k)} && k = 1, \ldots, K
\end{align*}
for $t = 1, \ldots, T - 1$. The least squares estimate is
\begin{align}
G &= Z \dotp{time} Z_{\reg \rightarrow \reg'} \\
\hat{B} &= G^{-1} \dotp{reg'} \left[ Z \dotp{time} L \right]_{\reg \rightarrow \reg'}, \qquad \hat{B} \in \RR^{\reg[K+1] \times \ser[K]},
\end{align}
because all equations have the same regressors. Residuals and their covariance, corrected for degrees of freedom, are
\begin{align}
\hat{U} &= L - Z \dotp{reg} \hat{B} \\
\hat{\Sigma} &= \frac{1}{T - K - 2} \; \hat{U} \dotp{time} \hat{U}_{\swap} .
\end{align}
To choose between models one compares
\[ \mathrm{AIC} = \log \det \hat{\Sigma} + \frac{2 K (K + 1)}{T - 1} . \]

\subsection{Forecasts}
Future innovations are replaced by their mean. With $f_0 = Y_{\tim(T)}$,
\begin{equation}
f_h = c + A \dotp{ser'} [f_{h-1}]_{\swap}, \qquad h = 1, 2, \ldots
\end{equation}
The error of the forecast has covariance
\begin{equation} \label{eq:mse}
M_h = \sum_{i=0}^{h-1} \left( \Phi_i \dotp{ser'} \Sigma_{\ser \rightarrow \ser', \ser' \rightarrow \ser''} \right) \dotp{ser''} [\Phi_i]_{\ser \rightarrow \ser', \ser' \rightarrow \ser''}
\end{equation}
where $\Phi_i$ are the impulse responses of the next section.

\subsection{Impulse responses}
What happens to series $\ser$ after $h$ steps if series $\ser'$ gets a shock of one unit? Clearly $\Phi_0 = I_{\ser, \ser'}$ and
\begin{equation}
\Phi_h = \left[ A \dotp{ser'} [\Phi_{h-1}]_{\ser \rightarrow \ser', \ser' \rightarrow \ser''} \right]_{\ser'' \rightarrow \ser'}, \qquad h \geq 1,
\end{equation}
in other words $\Phi_h$ is the $h$-th matrix power of $A$.

\subsection{Granger causality}
Series $j$ does not Granger cause series $i$ if $A_{\ser(i), \ser'(j)} = 0$. A crude measure of how much all others drive a series is
\begin{equation}
d_{\ser(i)} = \sqrt{ \sum_{j \neq i} A_{\ser(i), \ser'(j)}^2 } .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"(I_{\ser, \ser'} - A)^{-1} \dotp{ser'} c_{\swap}",
                r"(I_{\ser, \ser'} - A)^{-1} \dotp{ser'} c",
            ),
            Fault(r"L - Z \dotp{reg} \hat{B}", r"L - Z \dotp{time} \hat{B}"),
            Fault(r"A_{\ser(i), \ser'(j)}^2", r"A_{\ser(i), \tim(j)}^2"),
        ],
        [
            Entry(
                r"\mu",
                lambda A, c: np.linalg.solve(np.eye(2) - A, c),
                "ser",
                {"A": "ser[2] ser'[2]", "c": "ser[2]"},
            ),
            Entry("Z", regressors, "time reg", {"Y": "time[8] ser[2]"}),
            Entry(r"\hat{B}", least_squares, "reg ser", {"Y": "time[8] ser[2]"}),
            Entry(r"\hat{\Sigma}", innovations, "ser ser'", {"Y": "time[8] ser[2]"}),
            Entry(
                r"\mathrm{AIC}",
                lambda Y: np.log(np.linalg.det(innovations(Y))) + 2 * 2 * 3 / 7,
                "",
                {"Y": "time[8] ser[2]"},
            ),
            Entry(
                "f_3",
                lambda Y, A, c: ahead(Y, A, c, 3),
                "ser",
                {"Y": "time[8] ser[2]", "A": "ser[2] ser'[2]", "c": "ser[2]"},
            ),
            Entry(
                "M_3",
                lambda A, S: uncertainty(A, S, 3),
                "ser ser'",
                {"A": "ser[2] ser'[2]", "Sigma": "ser[2] ser'[2] ~ definite"},
            ),
            Entry(
                r"\Phi_3",
                lambda A: np.linalg.matrix_power(A, 3),
                "ser ser'",
                {"A": "ser[2] ser'[2]"},
            ),
            Entry(
                "d",
                lambda A: np.sqrt((A**2).sum(1) - np.diag(A) ** 2),
                "ser",
                {"A": "ser[3] ser'[3]"},
            ),
        ],
    ),
    Unseen(
        "words.tex",
        r"""\documentclass{book}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\word}{word}
\ndef{\doc}{doc}
\ndef{\topic}{topic}
\newcommand{\R}{\mathbb{R}}
\newcommand{\N}{\mathbb{N}}
\newcommand{\lgam}{\log \Gamma}
\begin{document}
\chapter{Counting words}

\section{The multinomial model}
A document is a vector of counts, $x \in \N^{\word[V]}$, and we write $n(x) = \nsum{\word} x$ for its length. If words are drawn independently with probabilities $\theta \in [0,1]^{\word[V]}$, $\nsum{\word} \theta = 1$, then
\begin{equation}
\log p(x \mid \theta) = \lgam(n(x) + 1) - \nsum{\word} \lgam(x + 1) + \nsum{\word} x \odot \log \theta .
\end{equation}
Maximising this gives relative frequencies, $\hat\theta = x / n(x)$.
A word that did not occur gets the probability zero, which is not what we believe.\footnote{This is Hume's problem in disguise.}

\section{A prior}
\paragraph{Dirichlet distribution.}
For $\alpha \in \R_{>0}^{\word[V]}$ the density is
\[
\log p(\theta; \alpha) = \lgam \Bigl( \nsum{\word} \alpha \Bigr) - \nsum{\word} \lgam(\alpha) + \nsum{\word} (\alpha - 1) \odot \log \theta .
\]
Put $a_0 = \nsum{\word} \alpha$. Mean and covariance are
\begin{align}
m &= \frac{\alpha}{a_0}, \\
S &= \frac{ m \odot \mathbb{I}_{\word, \word'} - m \odot m_{\word \to \word'} }{ a_0 + 1 },
\end{align}
with the identity $\mathbb{I}_{\word, \word'}$.

\paragraph{Conjugacy.}
The posterior is again a Dirichlet distribution, whose parameter is $\alpha + x$. So the probability that the next word is the $w$-th is
\begin{equation} \label{eq:laplace}
\mathrm{next}(x)_{\word(w)} = \frac{ \alpha_{\word(w)} + x_{\word(w)} }{ a_0 + n(x) } .
\end{equation}
With $\alpha = 1$ this is Laplace's rule of succession.

\medskip
\noindent\textbf{Example.} $V = 3$, and we have seen $x = (2, 1, 0)$. Maximum likelihood says that the third word is impossible, \eqref{eq:laplace} with $\alpha = 1$ says $1/6$.

\section{The Dirichlet-multinomial}
Integrating $\theta$ out, we obtain a distribution over counts that allows for \emph{burstiness}: a word that occurred once is likely to occur again.
\begin{align}
\mathrm{DM}(x; \alpha) &= \lgam(n(x) + 1) - \nsum{\word} \lgam(x + 1) \notag \\
&\quad + \lgam(a_0) - \lgam(a_0 + n(x)) + \nsum{\word} \bigl( \lgam(\alpha + x) - \lgam(\alpha) \bigr).
\end{align}

For a corpus $C \in \N^{\doc[D] \times \word[V]}$ the documents are independent, so the log-likelihood is $L(\alpha) = \nsum{\doc} \mathrm{DM}(C; \alpha)$.

\section{Clusters of documents}
Let there be $K$ topics with word probabilities $\Phi \in [0,1]^{\topic[K] \times \word[V]}$ and proportions $\pi \in [0,1]^{\topic[K]}$. Every document has one topic. By Bayes' theorem the probability of the topics given a document is
\begin{equation}
r(x) = \nfun{\topic}{softmax} \bigl( \log \pi + x \ndot{\word} \log \Phi \bigr),
\end{equation}
since the multinomial coefficient is the same for all topics. One step of EM with $R = r(C)$, $R \in [0,1]^{\doc[D] \times \topic[K]}$, is
\begin{align}
\pi_{\text{new}} &= \nfun{\doc}{mean} R \\
\Phi_{\text{new}} &= \frac{ R \ndot{\doc} C + \delta }{ \nsum{\word} (R \ndot{\doc} C + \delta) }
\end{align}
where $\delta = 0.1$ smooths.

The \emph{perplexity} of a corpus is
\begin{equation}
\mathrm{PP} = \exp \left( - \frac{ \nsum{\doc} \log \nsum{\topic} \pi \odot \exp ( C \ndot{\word} \log \Phi ) }{ \nsum{\doc \\ \word} C } \right).
\end{equation}

\section*{Exercises}
\begin{enumerate}
\item[1.] Which words tell two topics apart? Rank words by $\tau(p, q) = p \odot \log (p / q)$ for $p, q \in \R_{>0}^{\word[V]}$.
\item[2.] The entropy of the prediction is $H(x) = - \nsum{\word} \mathrm{next}(x) \odot \log \mathrm{next}(x)$. When is it $\log V$?
\item[3.] The similarity of two documents is often measured by
\[ \mathrm{bhatt}(x, z) = \nsum{\word} \sqrt{ \mathrm{next}(x) \odot \mathrm{next}(z) }, \qquad x, z \in \N^{\word[V]} . \]
Show that it is at most $1$.
\end{enumerate}
\end{document}
""",
        [
            Fault(
                r"r(x) = \nfun{\topic}{softmax}",
                r"r(x) = \nfun{\word}{softmax}",
            ),
            Fault(
                r"\Phi_{\text{new}} &= \frac{ R \ndot{\doc} C",
                r"\Phi_{\text{new}} &= \frac{ R \ndot{\topic} C",
            ),
            Fault(r"\nsum{\doc} \mathrm{DM}(C; \alpha)", r"\nsum{\word} \mathrm{DM}(C; \alpha)"),
        ],
        [
            Entry(
                r"\hat\theta",
                lambda x: x / x.sum(),
                "word",
                {"x": "word[3] ~ whole 5"},
            ),
            Entry(
                "S",
                lambda a: (np.diag(a) / a.sum() - np.outer(a, a) / a.sum() ** 2) / (a.sum() + 1),
                "word word'",
                {"alpha": "word[3] ~ positive"},
            ),
            Entry(
                r"\mathrm{next}",
                next_word,
                "word",
                {"x": "word[3] ~ whole 5", "alpha": "word[3] ~ positive"},
            ),
            Entry(
                r"\mathrm{DM}",
                polya,
                "",
                {"x": "word[3] ~ whole 5"},
                {"alpha": "word[3] ~ positive"},
            ),
            Entry(
                "L",
                lambda a, C: polya(C, a).sum(),
                "",
                {"alpha": "word[3] ~ positive", "C": "doc[4] word[3] ~ whole 5"},
            ),
            Entry("R", topics, "doc topic", CORPUS),
            Entry(r"\pi_{\text{new}}", lambda C, p, F: topics(C, p, F).mean(0), "topic", CORPUS),
            Entry(r"\Phi_{\text{new}}", topic_words, "topic word", CORPUS),
            Entry(r"\mathrm{PP}", puzzled, "", CORPUS),
            Entry(
                r"\tau",
                lambda p, q: p * np.log(p / q),
                "word",
                {"p": "word[3] ~ positive", "q": "word[3] ~ positive"},
            ),
            Entry(
                "H",
                lambda x, a: -(next_word(x, a) * np.log(next_word(x, a))).sum(),
                "",
                {"x": "word[3] ~ whole 5", "alpha": "word[3] ~ positive"},
            ),
            Entry(
                r"\mathrm{bhatt}",
                lambda x, z, a: np.sqrt(next_word(x, a) * next_word(z, a)).sum(),
                "",
                {
                    "x": "word[3] ~ whole 5",
                    "z": "word[3] ~ whole 5",
                    "alpha": "word[3] ~ positive",
                },
            ),
        ],
    ),
]
