"""Further notes on models that no other room has, both dialects."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def low_rank(x, W, A, B, s):
    return x @ W + s * (x @ A) @ B


def rbf(A, B, h):
    return np.exp(-((A[:, None] - B) ** 2).sum(-1) / (2 * h**2))


def reservoir(u, W, V, leak):
    s, found = np.zeros(W.shape[0]), []
    for row in u:
        s = (1 - leak) * s + leak * np.tanh(s @ W + row @ V)
        found.append(s)
    return np.stack(found)


def rendered(sigma, delta, c):
    """Colours along rays, from densities, lengths and colours of their samples."""
    a = 1 - np.exp(-sigma * delta)
    before = np.cumprod(np.concatenate([np.ones((len(a), 1)), 1 - a[:, :-1]], 1), 1)
    return (before * a)[:, :, None] * c


def epidemic(S, I, R, C, steps, beta=0.3, gamma=0.1):
    """Susceptible, infected and recovered people of age groups, day after day."""
    for _ in range(steps):
        new = beta * S * (C @ (I / (S + I + R)))
        S, I, R = S - new, I + new - gamma * I, R + gamma * I
    return S, I, R


DOCUMENTS = [
    Unseen(
        "low_rank.md",
        r"""# LoRA: notes for the Thursday seminar

**Motivation.** Fine-tuning all weights of a language model is expensive. Instead we freeze them, and learn a *low-rank* update.

A frozen linear layer has $W_0 \in \mathbb{R}^{\text{in}:d, \text{out}:k}$ and acts on $x \in \mathbb{R}^{\text{batch}, \text{tok}, \text{in}:d}$. We add two thin matrices,

$$
A \in \mathbb{R}^{\text{in}:d, \text{rank}:r}, \qquad B \in \mathbb{R}^{\text{rank}:r, \text{out}:k}
$$

where $r$ is tiny (4 or 8). The output becomes

$$
h(x) = W_0 \underset{\text{in}}{\cdot} x + \frac{\alpha}{r} \, B \underset{\text{rank}}{\cdot} (A \underset{\text{in}}{\cdot} x)
$$

with a constant $\alpha = 16$.

* $B$ starts at zero, so $h(x) = W_0 \underset{\text{in}}{\cdot} x$ in the beginning.
* Number of trained parameters: $r (d + k)$ instead of $dk$.

### Merging

For inference the update is added to the weights once and for all:

$$
W' = W_0 + \frac{\alpha}{r} A \underset{\text{rank}}{\cdot} B
$$

### DoRA

A variant splits the merged weight into a magnitude and a direction. With a trained magnitude $m \in \mathbb{R}^{\text{out}:k}$,

$$
\text{dora}(x) = m \odot \Bigl( \frac{W'}{\|W'\|_{\text{in}}} \underset{\text{in}}{\cdot} x \Bigr)
$$

### Several adapters

Suppose we have $n$ adapters, $A_s \in \mathbb{R}^{\text{task}:n, \text{in}:d, \text{rank}:r}$ and $B_s \in \mathbb{R}^{\text{task}:n, \text{rank}:r, \text{out}:k}$. A router $G \in \mathbb{R}^{\text{in}:d, \text{task}:n}$ mixes them for each token:

$$
\begin{aligned}
g(x) &= \underset{\text{task}}{\text{softmax}} \bigl( G \underset{\text{in}}{\cdot} x \bigr) \\
\text{mix}(x) &= W_0 \underset{\text{in}}{\cdot} x + g(x) \underset{\text{task}}{\cdot} \bigl( B_s \underset{\text{rank}}{\cdot} ( A_s \underset{\text{in}}{\cdot} x ) \bigr)
\end{aligned}
$$

Orthogonality between the tasks can be encouraged by $\Omega = \sum_{\text{task}, \text{task}'} \bigl( A_s \underset{\text{in}, \text{rank}}{\cdot} [A_s]_{\text{task} \to \text{task}'} \bigr)^2$.
""",
        [
            Fault(
                r"B \underset{\text{rank}}{\cdot} (A \underset",
                r"B \underset{\text{out}}{\cdot} (A \underset",
            ),
            Fault(r"A \underset{\text{rank}}{\cdot} B", r"A \underset{\text{tok}}{\cdot} B"),
            Fault(
                r"g(x) &= \underset{\text{task}}{\text{softmax}}",
                r"g(x) &= \underset{\text{rank}}{\text{softmax}}",
            ),
        ],
        [
            Entry(
                "h",
                lambda x, W, A, B: low_rank(x, W, A, B, 16 / 2),
                "batch tok out",
                {"x": "batch[2] tok[3] in[4]"},
                {"W_0": "in[4] out[5]", "A": "in[4] rank[2]", "B": "rank[2] out[5]"},
            ),
            Entry(
                "W'",
                lambda W, A, B: W + 16 / 2 * A @ B,
                "in out",
                {},
                {"W_0": "in[4] out[5]", "A": "in[4] rank[2]", "B": "rank[2] out[5]"},
            ),
            Entry(
                "dora",
                lambda x, m, W, A, B: (
                    m * (x @ ((W + 8 * A @ B) / np.linalg.norm(W + 8 * A @ B, axis=0)))
                ),
                "batch tok out",
                {"x": "batch[2] tok[3] in[4]"},
                {
                    "m": "out[5]",
                    "W_0": "in[4] out[5]",
                    "A": "in[4] rank[2]",
                    "B": "rank[2] out[5]",
                },
            ),
            Entry(
                "mix",
                lambda x, W, G, A, B: (
                    x @ W + np.einsum("xyt,xyi,tir,tro->xyo", softmax(x @ G, 2), x, A, B)
                ),
                "batch tok out",
                {"x": "batch[2] tok[3] in[4]"},
                {
                    "W_0": "in[4] out[5]",
                    "G": "in[4] task[3]",
                    "A_s": "task[3] in[4] rank[2]",
                    "B_s": "task[3] rank[2] out[5]",
                },
            ),
            Entry(
                r"\Omega",
                lambda A: (np.einsum("tir,uir->tu", A, A) ** 2).sum(),
                "",
                {},
                {"A_s": "task[3] in[4] rank[2]"},
            ),
        ],
    ),
    Unseen(
        "two_samples.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\newtheorem{remark}{Remark}
\begin{document}
\section{Are two samples from the same distribution?}
We are given samples $X \in \mathbb{R}^{\text{m} \times \text{dim}}$ and $Y \in \mathbb{R}^{\text{n} \times \text{dim}}$. Compare them in a
reproducing kernel Hilbert space.

\begin{equation}
k(a, b) = \exp\left( - \frac{\sum_{\text{dim}} (a - b)^2}{2 h^2} \right)
\end{equation}
Here $h > 0$ is the bandwidth. The three blocks of the kernel matrix are
\begin{align*}
K_{XX} &= k(X, X_{\text{m} \to \text{m}'}) , \\
K_{YY} &= k(Y, Y_{\text{n} \to \text{n}'}) , \\
K_{XY} &= k(X, Y) .
\end{align*}

\subsection*{Biased estimate}
The squared maximum mean discrepancy is estimated by
\begin{equation}\label{eq:mmd}
\text{MMD}^2 = \underset{\text{m}, \text{m}'}{\text{mean}} K_{XX} + \underset{\text{n}, \text{n}'}{\text{mean}} K_{YY}
 - 2 \underset{\text{m}, \text{n}}{\text{mean}} K_{XY} .
\end{equation}
\begin{remark}
With $h \to \infty$ all entries become one and \eqref{eq:mmd} vanishes.
\end{remark}

\subsection*{Unbiased}
Remove the diagonals:
\begin{equation}
U_X = \frac{ \sum_{\text{m}, \text{m}'} K_{XX} - |\text{m}| }{ |\text{m}| (|\text{m}| - 1) }
\end{equation}
and $U_Y$ in the same way.

\subsection*{Witness}
The function that tells them apart best is, up to scaling,
\begin{equation}
f(Z) = \underset{\text{m}}{\text{mean}}\, k(X, Z) - \underset{\text{n}}{\text{mean}}\, k(Y, Z),
\qquad Z \in \mathbb{R}^{\text{grid} \times \text{dim}} .
\end{equation}

\subsection*{Energy distance}
Without a kernel one can use distances,
\begin{align}
D(a, b) &= \sqrt{ \sum_{\text{dim}} (a - b)^2 } \\
E &= 2 \underset{\text{m}, \text{n}}{\text{mean}} D(X, Y) - \underset{\text{m}, \text{m}'}{\text{mean}} D(X, X_{\text{m} \to \text{m}'})
 - \underset{\text{n}, \text{n}'}{\text{mean}} D(Y, Y_{\text{n} \to \text{n}'})
\end{align}
\end{document}
""",
        [
            Fault(
                r"\frac{\sum_{\text{dim}} (a - b)^2}{2 h^2}",
                r"\frac{\sum_{\text{m}} (a - b)^2}{2 h^2}",
            ),
            Fault(
                r"\underset{\text{n}, \text{n}'}{\text{mean}} K_{YY}",
                r"\underset{\text{n}, \text{m}'}{\text{mean}} K_{YY}",
            ),
            Fault(
                r"f(Z) = \underset{\text{m}}{\text{mean}}",
                r"f(Z) = \underset{\text{n}}{\text{mean}}",
            ),
        ],
        [
            Entry(
                "K_{XY}",
                lambda X, Y, h: rbf(X, Y, h),
                "m n",
                {"X": "m[3] dim[2]", "Y": "n[4] dim[2]", "h": 0.8},
            ),
            Entry(
                r"\text{MMD}^2",
                lambda X, Y, h: rbf(X, X, h).mean() + rbf(Y, Y, h).mean() - 2 * rbf(X, Y, h).mean(),
                "",
                {"X": "m[3] dim[2]", "Y": "n[4] dim[2]", "h": 0.8},
            ),
            Entry(
                "U_X",
                lambda X, h: (rbf(X, X, h).sum() - 3) / 6,
                "",
                {"X": "m[3] dim[2]", "h": 0.8},
            ),
            Entry(
                "f",
                lambda Z, X, Y, h: rbf(X, Z, h).mean(0) - rbf(Y, Z, h).mean(0),
                "grid",
                {"Z": "grid[5] dim[2]"},
                {"X": "m[3] dim[2]", "Y": "n[4] dim[2]", "h": 0.8},
            ),
        ],
    ),
    Unseen(
        "exams.md",
        r"""# Item response theory

$N$ students answer $M$ questions. Who is good, and which questions are hard? The answers are in a 0/1 matrix $Y \in \{0,1\}^{\text{student}:N, \text{item}:M}$.

## Rasch model

Every student has an ability $\theta \in \mathbb{R}^{\text{student}:N}$, every item a difficulty $b \in \mathbb{R}^{\text{item}:M}$:

$$P(\theta, b) = \sigma(\theta - b)$$

## 2PL and 3PL

Items differ in how well they discriminate; also, on multiple choice, people guess. With slopes $a$ and guessing rates $c$, both in $\mathbb{R}^{\text{item}:M}$,

$$P_3 = c + (1 - c) \odot \sigma\bigl(a \odot (\theta - b)\bigr)$$

Setting $c = 0$ gives the 2PL model.

## Likelihood

$$\ell(\theta, b) = \sum_{\text{student}, \text{item}} \Bigl( Y \odot \log P(\theta, b) + (1 - Y) \odot \log (1 - P(\theta, b)) \Bigr)$$

The scale is arbitrary (add a constant to both and nothing changes), so abilities are centred, $\theta_c = \theta - \underset{\text{student}}{\text{mean}}\, \theta$.

A gradient step for the abilities, with rate $\eta = 0.1$, is simply "observed minus expected":

$$\theta^{\text{new}} = \theta + \eta \sum_{\text{item}} (Y - P(\theta, b))$$

## Information

An item tells most about students whose ability is near its difficulty:

$$\text{info} = a^2 \odot \sigma(a \odot (\theta - b)) \odot \bigl(1 - \sigma(a \odot (\theta - b))\bigr)$$

The standard error of an ability is $\text{se} = 1 / \sqrt{\sum_{\text{item}} \text{info}}$.

## Multidimensional

Abilities are vectors: $T \in \mathbb{R}^{\text{student}:N, \text{skill}:K}$ and loadings $\Lambda \in \mathbb{R}^{\text{item}:M, \text{skill}:K}$.

$$
P_K = \sigma \Bigl( T \underset{\text{skill}}{\cdot} \Lambda - b \Bigr),
\qquad
\text{pen} = \lambda_1 \sum_{\text{item}, \text{skill}} |\Lambda| \quad (\lambda_1 > 0)
$$

Which skill does an item measure? $\text{skill}^* = \underset{\text{skill}}{\text{argmax}}\, |\Lambda|$.
""",
        [
            Fault(
                r"\theta + \eta \sum_{\text{item}} (Y",
                r"\theta + \eta \sum_{\text{student}} (Y",
            ),
            Fault(
                r"T \underset{\text{skill}}{\cdot} \Lambda",
                r"T \underset{\text{item}}{\cdot} \Lambda",
            ),
            Fault(
                r"\ell(\theta, b) = \sum_{\text{student}, \text{item}}",
                r"\ell(\theta, b) = \sum_{\text{student}, \text{skill}}",
            ),
        ],
        [
            Entry(
                "P_3",
                lambda t, a, b, c: c + (1 - c) * sigmoid(a * (t[:, None] - b)),
                "student item",
                {"theta": "student[4]"},
                {"a": "item[3]", "b": "item[3]", "c": "item[3] ~ probability item"},
            ),
            Entry(
                r"\ell",
                lambda t, b, Y: (
                    Y * np.log(sigmoid(t[:, None] - b))
                    + (1 - Y) * np.log(1 - sigmoid(t[:, None] - b))
                ).sum(),
                "",
                {"theta": "student[4]", "b": "item[3]"},
                {"Y": "student[4] item[3] ~ bits"},
            ),
            Entry(
                r"\theta^{\text{new}}",
                lambda t, b, Y: t + 0.1 * (Y - sigmoid(t[:, None] - b)).sum(1),
                "student",
                {"theta": "student[4]", "b": "item[3]", "Y": "student[4] item[3] ~ bits"},
            ),
            Entry(
                "se",
                lambda t, a, b: (
                    1
                    / np.sqrt(
                        (
                            a**2
                            * sigmoid(a * (t[:, None] - b))
                            * (1 - sigmoid(a * (t[:, None] - b)))
                        ).sum(1)
                    )
                ),
                "student",
                {"theta": "student[4]", "a": "item[3]", "b": "item[3]"},
            ),
            Entry(
                "P_K",
                lambda T, L, b: sigmoid(T @ L.T - b),
                "student item",
                {"T": "student[4] skill[2]", "Lambda": "item[3] skill[2]", "b": "item[3]"},
            ),
        ],
    ),
    Unseen(
        "reservoirs.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\ndef{\step}{step} \ndef{\res}{res} \ndef{\inp}{inp} \ndef{\out}{out}
\begin{document}
\section{Echo state networks}

The recurrent weights of an echo state network are drawn at random and never trained. Let $W \in \mathbb{R}^{\res' \times \res}$ and
$V \in \mathbb{R}^{\inp \times \res}$ be these weights, and $u \in \mathbb{R}^{\step[T] \times \inp}$ a series.

\begin{enumerate}
\item \textbf{Run.} With leak rate $\lambda = 0.3$,
\begin{equation}
s_{\step(t)} = (1 - \lambda) s_{\step(t-1)} + \lambda \tanh\left( W \ndot{\res'} [s_{\step(t-1)}]_{\res \to \res'} + V \ndot{\inp} u_{\step(t)} \right)
\end{equation}
where $s_{\step(0)} = 0$.
\item \textbf{Collect.} The targets are $y \in \mathbb{R}^{\step[T] \times \out}$.
\item \textbf{Solve.} The readout minimises the squared error with a ridge penalty $\rho = 0.01$; the normal equations are
\begin{align}
G &= s \ndot{\step} s_{\res \to \res'} + \rho \, I_{\res, \res'} \\
c &= s \ndot{\step} y \\
R &= \left( \nfun{\res, \res'}{inv} G \right) \ndot{\res'} c_{\res \to \res'}
\end{align}
so that $R$ is over $\res$ and $\out$.
\item \textbf{Predict.} $\hat y = R \ndot{\res} s$.
\end{enumerate}

\paragraph{Echo state property.} The influence of the initial state must fade. A rule of thumb is to scale the matrix to a spectral radius
below one, $W \leftarrow 0.9 W / \max |\lambda_i|$.

\paragraph{Memory.} How well is the input of $k$ steps ago remembered? For a scalar input the memory capacity is
\begin{equation}
\text{MC} = \sum_{k=1}^{\infty} \text{corr}(u_{t-k}, \hat y_t)^2 .
\end{equation}
\paragraph{Error.} We report
\begin{equation}
\text{nrmse} = \nfun{\out}{mean} \sqrt{ \frac{ \nfun{\step}{mean} (y - \hat y)^2 }{ \nfun{\step}{var} y } } .
\end{equation}
\end{document}
""",
        [
            Fault(r"V \ndot{\inp} u_{\step(t)}", r"V \ndot{\out} u_{\step(t)}"),
            Fault(r"c &= s \ndot{\step} y", r"c &= s \ndot{\inp} y"),
            Fault(r"{ \nfun{\step}{var} y }", r"{ \nfun{\res}{var} y }"),
        ],
        [
            Entry(
                "s",
                lambda u, W, V: reservoir(u, W, V, 0.3),
                "step res",
                {"u": "step[4] inp[2]"},
                {"W": "res'[3] res[3]", "V": "inp[2] res[3]"},
            ),
            Entry(
                "R",
                lambda u, W, V, y: np.linalg.solve(
                    reservoir(u, W, V, 0.3).T @ reservoir(u, W, V, 0.3) + 0.01 * np.eye(3),
                    reservoir(u, W, V, 0.3).T @ y,
                ),
                "res out",
                {
                    "u": "step[4] inp[2]",
                    "W": "res'[3] res[3]",
                    "V": "inp[2] res[3]",
                    "y": "step[4] out[2]",
                },
            ),
            Entry(
                r"\hat y",
                lambda u, W, V, y: (
                    reservoir(u, W, V, 0.3)
                    @ np.linalg.solve(
                        reservoir(u, W, V, 0.3).T @ reservoir(u, W, V, 0.3) + 0.01 * np.eye(3),
                        reservoir(u, W, V, 0.3).T @ y,
                    )
                ),
                "step out",
                {
                    "u": "step[4] inp[2]",
                    "W": "res'[3] res[3]",
                    "V": "inp[2] res[3]",
                    "y": "step[4] out[2]",
                },
            ),
        ],
    ),
    Unseen(
        "radiance.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\ray}{ray} \ndef{\pt}{pt} \ndef{\rgb}{rgb} \ndef{\xyz}{xyz} \ndef{\freq}{freq} \ndef{\hid}{hid}
\newcommand{\R}{\mathbb{R}}
\begin{document}
\section{Radiance fields}
\subsection{Sampling}
Every ray starts at $o \in \R^{\ray \times \xyz}$ and goes in direction $d \in \R^{\ray \times \xyz}$. Depths are
$z \in \R^{\ray \times \pt[n]}$, so the points are
\begin{equation}
p = o + z \odot d .
\end{equation}

\subsection{Positional encoding}
Let $\omega_{\freq(k)} = 2^{k-1} \pi$ for $k = 1, \dots, L$. Coordinates are blown up to
\begin{align}
\text{enc}_{\sin}(x) &= \sin(\omega \odot x) & \text{enc}_{\cos}(x) &= \cos(\omega \odot x)
\end{align}
for $x \in \R^{\xyz}$.

\subsection{Field}
A little MLP maps them to a density and a colour:
\begin{align}
h(x) &= \text{relu}\left( A \ndot{\xyz, \freq} \text{enc}_{\sin}(x) + B \ndot{\xyz, \freq} \text{enc}_{\cos}(x) \right) \\
\sigma(x) &= \text{softplus}(w \ndot{\hid} h(x)) \\
c(x) &= \frac{1}{1 + \exp(- C \ndot{\hid} h(x))}
\end{align}
Parameters: $A, B \in \R^{\xyz \times \freq \times \hid}$, $w \in \R^{\hid}$, $C \in \R^{\hid \times \rgb}$, and $\text{softplus}(a) = \log(1 + e^a)$.

\subsection{Volume rendering}
For densities $s \in \R^{\ray \times \pt[n]}$, distances between samples $\delta \in \R^{\ray \times \pt[n]}$ and colours
$q \in \R^{\ray \times \pt[n] \times \rgb}$ we have opacities
\begin{equation}
a = 1 - e^{-s \odot \delta}
\end{equation}
and the transmittance, what is left of the light before sample $i$,
\begin{equation}
T_{\pt(i)} = T_{\pt(i-1)} (1 - a_{\pt(i-1)}), \qquad T_{\pt(1)} = 1,
\end{equation}
for $i = 2, \dots, n$. The pixel is
\begin{equation}
\hat C = \nsum{\pt} T \odot a \odot q
\end{equation}
and the expected depth $\hat z = \nsum{\pt} T \odot a \odot z$. We train on
\begin{equation}
\mathcal{L} = \nfun{\ray}{mean} \nsum{\rgb} (\hat C - g)^2
\end{equation}
with the true colours $g \in \R^{\ray \times \rgb}$.
\end{document}
""",
        [
            Fault(r"B \ndot{\xyz, \freq} \text{enc}", r"B \ndot{\xyz, \hid} \text{enc}"),
            Fault(r"\hat C = \nsum{\pt} T", r"\hat C = \nsum{\freq} T"),
            Fault(r"\nfun{\ray}{mean} \nsum{\rgb}", r"\nfun{\ray}{mean} \nsum{\xyz}"),
        ],
        [
            Entry(
                "p",
                lambda o, z, d: o[:, None] + z[:, :, None] * d[:, None],
                "ray pt xyz",
                {"o": "ray[2] xyz[3]", "z": "ray[2] pt[4]", "d": "ray[2] xyz[3]"},
            ),
            Entry(
                r"\sigma",
                lambda x, A, B, w: np.log(
                    1
                    + np.exp(
                        w
                        @ np.maximum(
                            np.einsum(
                                "xfh,xf->h", A, np.sin(np.outer(x, np.pi * 2 ** np.arange(2.0)))
                            )
                            + np.einsum(
                                "xfh,xf->h", B, np.cos(np.outer(x, np.pi * 2 ** np.arange(2.0)))
                            ),
                            0,
                        )
                    )
                ),
                "",
                {"x": "xyz[3]"},
                {"A": "xyz[3] freq[2] hid[4]", "B": "xyz[3] freq[2] hid[4]", "w": "hid[4]"},
            ),
            Entry(
                "T",
                lambda s, d: np.cumprod(
                    np.concatenate([np.ones((2, 1)), np.exp(-s * d)[:, :-1]], 1), 1
                ),
                "ray pt",
                {"s": "ray[2] pt[4] ~ positive", "delta": "ray[2] pt[4] ~ positive"},
            ),
            Entry(
                r"\hat C",
                lambda s, d, q: rendered(s, d, q).sum(1),
                "ray rgb",
                {
                    "s": "ray[2] pt[4] ~ positive",
                    "delta": "ray[2] pt[4] ~ positive",
                    "q": "ray[2] pt[4] rgb[3]",
                },
            ),
        ],
    ),
    Unseen(
        "epidemic.tex",
        r"""\documentclass{article}
\usepackage{amsmath}
\begin{document}
\section*{An epidemic in age groups}
We split the population into age groups. $C \in \mathbb{R}^{\text{age}, \text{age}'}$ says how many contacts somebody of group
$\text{age}$ has with people of group $\text{age}'$ per day. On day $t$ there are $S^t, I^t, R^t \in \mathbb{R}^{\text{age}}$
susceptible, infected and recovered people.

The force of infection on day $t$ is
\[ F^t = \beta \, C \underset{\text{age}'}{\cdot} \left[ \frac{I^t}{N} \right]_{\text{age} \to \text{age}'} \]
with $N = S^0 + I^0 + R^0$ and $\beta = 0.3$. Then
\begin{align*}
S^{t+1} &= S^t - S^t \odot F^t \\
I^{t+1} &= I^t + S^t \odot F^t - \gamma I^t \\
R^{t+1} &= R^t + \gamma I^t
\end{align*}
for $t = 0, 1, \dots, T - 1$ and a recovery rate $\gamma = 0.1$ (ten days).

\subsection*{Reproduction number}
A person of group $\text{age}'$ infects, over ten days, $K$ people of group $\text{age}$:
\[ K = \frac{\beta}{\gamma} \, C \odot \frac{ S^0 }{ [N]_{\text{age} \to \text{age}'} } \]
and $R_0$ is the largest eigenvalue of $K$; power iteration starts with a vector of ones $v^0 = 1$ and repeats
\[ v^{k} = \frac{ [K \underset{\text{age}'}{\cdot} w^k]_{} }{ \sum_{\text{age}} K \underset{\text{age}'}{\cdot} w^k }, \qquad w^k = [v^{k-1}]_{\text{age} \to \text{age}'} . \]

\subsection*{Vaccination}
A share $x \in [0,1]^{\text{age}}$ of each group is vaccinated; with efficacy $\epsilon = 0.8$ this leaves $(1 - \epsilon x) \odot S$ susceptible.
The price of a campaign is
\[ \text{cost}(x) = p \underset{\text{age}}{\cdot} (x \odot N) \]
with prices $p \in \mathbb{R}^{\text{age}}$.

\subsection*{Fitting}
Reported cases are $y \in \mathbb{R}^{\text{day}, \text{age}}$; for expected cases $m \in \mathbb{R}^{\text{day}, \text{age}}$ the Poisson log-likelihood is
\[ \ell(m) = \sum_{\text{day}, \text{age}} \left( y \odot \log m - m \right) . \]
\end{document}
""",
        [
            Fault(
                r"F^t = \beta \, C \underset{\text{age}'}{\cdot}",
                r"F^t = \beta \, C \underset{\text{day}}{\cdot}",
            ),
            Fault(
                r"p \underset{\text{age}}{\cdot} (x \odot N)",
                r"p \underset{\text{age}'}{\cdot} (x \odot N)",
            ),
            Fault(
                r"\ell(m) = \sum_{\text{day}, \text{age}}",
                r"\ell(m) = \sum_{\text{day}, \text{age}'}",
            ),
        ],
        [
            Entry(
                "I^2",
                lambda S, I, R, C: epidemic(S, I, R, C, 2)[1],
                "age",
                {"S0": "age[3] ~ positive", "I0": "age[3] ~ positive", "R0": "age[3] ~ positive"},
                {"C": "age[3] age'[3] ~ positive"},
            ),
            Entry(
                "K",
                lambda S, I, R, C: 3 * C * S[:, None] / (S + I + R),
                "age age'",
                {"S0": "age[3] ~ positive", "I0": "age[3] ~ positive", "R0": "age[3] ~ positive"},
                {"C": "age[3] age'[3] ~ positive"},
            ),
            Entry(
                "cost",
                lambda x, S, I, R, p: p @ (x * (S + I + R)),
                "",
                {"x": "age[3]"},
                {
                    "S0": "age[3] ~ positive",
                    "I0": "age[3] ~ positive",
                    "R0": "age[3] ~ positive",
                    "p": "age[3]",
                },
            ),
            Entry(
                r"\ell",
                lambda m, y: (y * np.log(m) - m).sum(),
                "",
                {"m": "day[4] age[3] ~ positive"},
                {"y": "day[4] age[3]"},
            ),
        ],
    ),
    Unseen(
        "triples.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\ent}{ent} \ndef{\rel}{rel} \ndef{\dm}{dim} \ndef{\neg}{neg} \ndef{\bat}{batch}
\begin{document}
\section{Link prediction in knowledge graphs}
A knowledge graph is a set of triples (head, relation, tail). We learn $E \in \mathbb{R}^{\ent[n] \times \dm}$ for the entities and
$R \in \mathbb{R}^{\rel \times \dm}$ for the relations. A batch of triples is three vectors of indices: $h, t \in [n]^{\bat}$ and
$r \in [|\rel|]^{\bat}$.

\subsection{Scores}
\begin{itemize}
\item TransE: relations are translations,
\begin{equation}
s_1(h, r, t) = - \nsum{\dm} \left| E_{\ent(h)} + R_{\rel(r)} - E_{\ent(t)} \right|
\end{equation}
\item DistMult: a trilinear product,
\begin{equation}
s_2(h, r, t) = \nsum{\dm} E_{\ent(h)} \odot R_{\rel(r)} \odot E_{\ent(t)}
\end{equation}
\item RESCAL has a full matrix $M \in \mathbb{R}^{\rel \times \dm \times \dm'}$ for each relation:
\begin{equation}
s_3(h, r, t) = E_{\ent(h)} \ndot{\dm} M_{\rel(r)} \ndot{\dm'} [E_{\ent(t)}]_{\dm \to \dm'}
\end{equation}
\end{itemize}
DistMult is symmetric in $h$ and $t$, which is wrong for most relations (\emph{capital of} is not).

\subsection{Training}
Tails are replaced at random, $t' \in [n]^{\bat \times \neg}$. The margin loss with $\gamma = 1$ is
\begin{equation}
L = \nfun{\bat}{mean} \nsum{\neg} \max\left( 0, \gamma - s_1(h, r, t) + s_1(h, r, t') \right)
\end{equation}
or, as a softmax over all entities,
\begin{align}
z &= (E_{\ent(h)} \odot R_{\rel(r)}) \ndot{\dm} E_{\ent \to \ent'} \\
\text{ce} &= - \nfun{\bat}{mean} \left( \log \nfun{\ent'}{softmax} z \right)_{\ent'(t)}
\end{align}
where $E_{\ent \to \ent'}$ are all candidates.

\subsection{Evaluation}
The rank of the true tail is one plus the number of entities with a better score, for $q \in \mathbb{R}^{\bat \times \ent[n]}$,
\begin{equation}
\text{rank}(q, t) = 1 + \nsum{\ent} \mathbf{1}\{ q > q_{\ent(t)} \}
\end{equation}
and we report $\text{MRR}(q, t) = \nfun{\bat}{mean} \frac{1}{\text{rank}(q, t)}$ and hits at ten.
\end{document}
""",
        [
            Fault(r"s_2(h, r, t) = \nsum{\dm} E", r"s_2(h, r, t) = \nsum{\neg} E"),
            Fault(r"R_{\rel(r)}) \ndot{\dm} E", r"R_{\rel(r)}) \ndot{\rel} E"),
            Fault(r"\nfun{\bat}{mean} \nsum{\neg} \max", r"\nfun{\bat}{mean} \nsum{\ent} \max"),
        ],
        [
            Entry(
                "s_1",
                lambda h, r, t, E, R: -abs(E[h] + R[r] - E[t]).sum(1),
                "batch",
                {"h": "batch[3] ~ whole 4", "r": "batch[3] ~ whole 2", "t": "batch[3] ~ whole 4"},
                {"E": "ent[4] dim[3]", "R": "rel[2] dim[3]"},
            ),
            Entry(
                "s_3",
                lambda h, r, t, E, M: np.einsum("bd,bde,be->b", E[h], M[r], E[t]),
                "batch",
                {"h": "batch[3] ~ whole 4", "r": "batch[3] ~ whole 2", "t": "batch[3] ~ whole 4"},
                {"E": "ent[4] dim[3]", "M": "rel[2] dim[3] dim'[3]"},
            ),
            Entry(
                "L",
                lambda h, r, t, u, E, R: (
                    np.maximum(
                        0,
                        1
                        + abs(E[h] + R[r] - E[t]).sum(1)[:, None]
                        - abs((E[h] + R[r])[:, None] - E[u]).sum(2),
                    )
                    .sum(1)
                    .mean()
                ),
                "",
                {
                    "h": "batch[3] ~ whole 4",
                    "r": "batch[3] ~ whole 2",
                    "t": "batch[3] ~ whole 4",
                    "t_": "batch[3] neg[2] ~ whole 4",
                },
                {"E": "ent[4] dim[3]", "R": "rel[2] dim[3]"},
            ),
            Entry(
                "ce",
                lambda h, r, t, E, R: (
                    -np.log(softmax((E[h] * R[r]) @ E.T, 1))[np.arange(3), t].mean()
                ),
                "",
                {"h": "batch[3] ~ whole 4", "r": "batch[3] ~ whole 2", "t": "batch[3] ~ whole 4"},
                {"E": "ent[4] dim[3]", "R": "rel[2] dim[3]"},
            ),
            Entry(
                "MRR",
                lambda q, t: (1 / (1 + (q > q[np.arange(3), t][:, None]).sum(1))).mean(),
                "",
                {"q": "batch[3] ent[4]", "t": "batch[3] ~ whole 4"},
            ),
        ],
    ),
    Unseen(
        "portfolio.md",
        r"""# Portfolios, the short version

We own a bit of each of $n$ assets. Prices over $T$ days: $P \in \mathbb{R}^{\text{day}:T, \text{asset}:n}$.

Log returns

$$r_{\text{day}(t)} = \log P_{\text{day}(t+1)} - \log P_{\text{day}(t)}, \qquad t = 1, \dots, T-1$$

For the rest, let $X \in \mathbb{R}^{\text{obs}, \text{asset}:n}$ be a sample of returns. Mean and covariance:

$$
\begin{aligned}
\mu &= \underset{\text{obs}}{\text{mean}}\, X \\
\Sigma &= \frac{1}{|\text{obs}| - 1} (X - \mu) \underset{\text{obs}}{\cdot} [X - \mu]_{\text{asset} \to \text{asset}'}
\end{aligned}
$$

A portfolio is a vector of weights $w \in \mathbb{R}^{\text{asset}:n}$ with $\sum_{\text{asset}} w = 1$. Its expected return is $w \underset{\text{asset}}{\cdot} \mu$ and its variance

$$v(w) = w \underset{\text{asset}}{\cdot} \Sigma \underset{\text{asset}'}{\cdot} [w]_{\text{asset} \to \text{asset}'}$$

**Minimum variance.** The solution is well known. With the inverse $\Omega = \underset{\text{asset}, \text{asset}'}{\text{inv}}\, \Sigma$,

$$w_{\min} = \frac{\sum_{\text{asset}'} \Omega}{\sum_{\text{asset}, \text{asset}'} \Omega}$$

**Sharpe ratio.** With a risk-free rate $r_f = 0.02$,

$$\text{sharpe}(w) = \frac{w \underset{\text{asset}}{\cdot} \mu - r_f}{\sqrt{v(w)}}$$

**Risk contributions.** How much does each asset contribute?

$$\text{rc}(w) = \frac{w \odot [\Sigma \underset{\text{asset}}{\cdot} w]_{\text{asset}' \to \text{asset}}}{v(w)}$$

They sum to one.

**Shrinkage.** Ledoit and Wolf pull the covariance towards a multiple of the identity, $\Sigma_\delta = (1 - \delta) \Sigma + \delta m I_{\text{asset}, \text{asset}'}$, where $m$ is the average variance and $0 \le \delta \le 1$.

| quantity | formula |
|---|---|
| turnover | $\text{to}(w, u) = \sum_{\text{asset}} \lvert w - u \rvert$ for new weights $u \in \mathbb{R}^{\text{asset}:n}$ |
| effective number | $\text{en}(w) = 1 / \sum_{\text{asset}} w^2$ |
""",
        [
            Fault(
                r"(X - \mu) \underset{\text{obs}}{\cdot} [X",
                r"(X - \mu) \underset{\text{day}}{\cdot} [X",
            ),
            Fault(
                r"\text{sharpe}(w) = \frac{w \underset{\text{asset}}{\cdot} \mu",
                r"\text{sharpe}(w) = \frac{w \underset{\text{obs}}{\cdot} \mu",
            ),
            Fault(
                r"\text{en}(w) = 1 / \sum_{\text{asset}} w^2",
                r"\text{en}(w) = 1 / \sum_{\text{day}} w^2",
            ),
        ],
        [
            Entry(
                "r",
                lambda P: np.diff(np.log(P), axis=0),
                "day asset",
                {"P": "day[4] asset[3] ~ positive"},
            ),
            Entry(
                r"\Sigma",
                lambda X: np.cov(X.T),
                "asset asset'",
                {"X": "obs[5] asset[3]"},
            ),
            Entry(
                r"w_{\min}",
                lambda X: np.linalg.inv(np.cov(X.T)).sum(1) / np.linalg.inv(np.cov(X.T)).sum(),
                "asset",
                {"X": "obs[5] asset[3]"},
            ),
            Entry(
                "sharpe",
                lambda w, X: (w @ X.mean(0) - 0.02) / np.sqrt(w @ np.cov(X.T) @ w),
                "",
                {"w": "asset[3]"},
                {"X": "obs[5] asset[3]"},
            ),
            Entry(
                "rc",
                lambda w, X: w * (np.cov(X.T) @ w) / (w @ np.cov(X.T) @ w),
                "asset",
                {"w": "asset[3]"},
                {"X": "obs[5] asset[3]"},
            ),
            Entry(
                "to",
                lambda w, u: abs(w - u).sum(),
                "",
                {"w": "asset[3]", "u": "asset[3]"},
            ),
        ],
    ),
]
