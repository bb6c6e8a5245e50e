"""Letters used twice, series or powers, idioms, running, and faults that authors corrected."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def langevin(x, e, n, A, steps):
    for _ in range(steps):
        x = x - e * A @ x + n
    return x


def routed(u, rounds):
    b = np.zeros(u.shape[:2])
    for _ in range(rounds):
        s = (softmax(b, 1)[:, :, None] * u).sum(0)
        b = b + (u * s).sum(2)
    return s


DOCUMENTS = [
    Unseen(
        "signatures.md",
        r"""# Two maps called $f$

## In the encoder

$$
f \colon \mathbb{R}^{\text{tok}} \rightarrow \mathbb{R}^{\text{emb}}
$$

$$
f(x) = E \underset{\text{tok}}{\cdot} x, \quad \text{where } E \in \mathbb{R}^{\text{tok}, \text{emb}},\ x \in \mathbb{R}^{\text{tok}}
$$

## In the decoder

$$
f \colon \mathbb{R}^{\text{emb}} \rightarrow \mathbb{R}^{\text{out}}
$$

$$
f(x) = D \underset{\text{emb}}{\cdot} x, \quad \text{where } D \in \mathbb{R}^{\text{emb}, \text{out}},\ x \in \mathbb{R}^{\text{emb}}
$$

The loss on $t \in \mathbb{R}^{\text{out}}$ is

$$
\text{loss}(x, t) = \sum_{\text{out}} (f(x) - t)^2 .
$$
""",
        [
            Fault(r"E \underset{\text{tok}}{\cdot} x", r"E \underset{\text{emb}}{\cdot} x"),
            Fault(r"D \underset{\text{emb}}{\cdot} x", r"D \underset{\text{tok}}{\cdot} x"),
            Fault(r"\sum_{\text{out}} (f(x)", r"\sum_{\text{emb}} (f(x)"),
        ],
        [],
    ),
    Unseen(
        "spline.tex",
        r"""\ndef{\knot}{knot}\ndef{\pt}{pt}
\section{Piecewise linear curves}
\begin{equation*}
\begin{aligned}
t &\in \mathbb{R}^{\pt[n]} & k &\in \mathbb{R}^{\knot[m]} \\
c &\in \mathbb{R}^{\knot[m]} & n &= 4m
\end{aligned}
\end{equation*}
The hat around each knot and the curve are
\begin{align*}
\mathrm{hat}(t; k) &= \max(0, 1 - |t - k|) \\
\mathrm{curve}(t; k, c) &= c \ndot{\knot} \mathrm{hat}(t; k)
\end{align*}
Bending costs
\begin{align*}
B &\in \mathbb{R}^{\knot[m] \times \knot'[m]} \\
B_{\knot(i), \knot'(i')} &= \begin{cases} 2 & i = i' \\ -1 & |i - i'| = 1 \\ 0 & \text{otherwise} \end{cases} && i, i' = 1, \dots, m \\
\mathrm{bend}(c) &= \nsum{\knot} c \odot (B \ndot{\knot'} c_{\knot\rightarrow\knot'})
\end{align*}
""",
        [
            Fault(r"c \ndot{\knot} \mathrm{hat}", r"c \ndot{\pt} \mathrm{hat}"),
            Fault(r"B_{\knot(i), \knot'(i')}", r"B_{\knot(i), \pt(i')}"),
            Fault(r"(B \ndot{\knot'} c_", r"(B \ndot{\pt} c_"),
        ],
        [
            Entry(
                "hat",
                lambda t, k: np.maximum(0, 1 - np.abs(t[:, None] - k)),
                "pt knot",
                {"t": "pt[4]"},
                {"k": "knot[3]"},
            ),
            Entry(
                "curve",
                lambda t, k, c: np.maximum(0, 1 - np.abs(t[:, None] - k)) @ c,
                "pt",
                {"t": "pt[4]"},
                {"k": "knot[3]", "c": "knot[3]"},
            ),
            Entry(
                "bend",
                lambda c: c @ (2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1)) @ c,
                "",
                {"c": "knot[4]"},
            ),
        ],
    ),
    Unseen(
        "where.md",
        r"""# Mixture density networks

The network gives, for an input $h \in \mathbb{R}^{\text{hid}}$,

$$
\mu(h; M) = M \underset{\text{hid}}{\cdot} h, \qquad M \in \mathbb{R}^{\text{hid}, \text{comp}, \text{dim}}
$$

$$
\omega(h; W) = \underset{\text{comp}}{\text{softmax}} (W \underset{\text{hid}}{\cdot} h)
$$

where $W \in \mathbb{R}^{\text{hid}, \text{comp}}$. Then a target $y \in \mathbb{R}^{\text{dim}}$ has

$$
\text{density}(y, h; M, W) = \sum_{\text{comp}} \omega(h; W) \odot g
$$

where

$$
g = \exp \left( -\sum_{\text{dim}} (y - \mu(h; M))^2 \right).
$$

The mean of the mixture is

$$
\text{mean}_y(h; M, W) = \omega(h; W) \underset{\text{comp}}{\cdot} \mu(h; M).
$$
""",
        [
            Fault(
                r"\underset{\text{comp}}{\text{softmax}} (W",
                r"\underset{\text{dim}}{\text{softmax}} (W",
            ),
            Fault(r"= \sum_{\text{comp}} \omega", r"= \sum_{\text{hid}} \omega"),
            Fault(
                r"\omega(h; W) \underset{\text{comp}}{\cdot} \mu",
                r"\omega(h; W) \underset{\text{dim}}{\cdot} \mu",
            ),
        ],
        [
            Entry(
                "mu",
                lambda h, M: np.einsum("h,hcd->cd", h, M),
                "comp dim",
                {"h": "hid[2]"},
                {"M": "hid[2] comp[3] dim[2]"},
            ),
            Entry(
                "density",
                lambda y, h, M, W: (
                    softmax(h @ W) * np.exp(-((y - np.einsum("h,hcd->cd", h, M)) ** 2).sum(1))
                ).sum(),
                "",
                {"y": "dim[2]", "h": "hid[2]"},
                {"M": "hid[2] comp[3] dim[2]", "W": "hid[2] comp[3]"},
            ),
        ],
    ),
    Unseen(
        "unet.tex",
        r"""\section{One level of a U-net}
\begin{align}
X &\in \mathbb{R}^{\text{chan}:c, \text{pos}:n} & K &\in \mathbb{R}^{\text{chan}:c, \text{chan}':2c} \\
n &= 2m \\
c &= 16
\end{align}
Going down doubles the channels,
\begin{equation}
\text{down}(X; K) = \text{relu}([K \underset{\text{chan}}{\cdot} X]_{\text{chan}' \rightarrow \text{chan}}),
\end{equation}
and going up halves them, with $V \in \mathbb{R}^{\text{chan}:2c, \text{chan}':c}$ and $Z \in \mathbb{R}^{\text{chan}:2c, \text{pos}:n}$:
\begin{equation}
\text{up}(Z; V) = [V \underset{\text{chan}}{\cdot} Z]_{\text{chan}' \rightarrow \text{chan}}.
\end{equation}
The skip connection adds
\begin{equation}
\text{level}(X; K, V) = X + \text{up}(\text{down}(X; K); V).
\end{equation}
""",
        [
            Fault(
                r"\text{relu}([K \underset{\text{chan}}{\cdot} X]",
                r"\text{relu}([K \underset{\text{pos}}{\cdot} X]",
            ),
            Fault(
                r"[V \underset{\text{chan}}{\cdot} Z]_{\text{chan}' \rightarrow \text{chan}}",
                r"[V \underset{\text{chan}}{\cdot} Z]_{\text{pos}' \rightarrow \text{chan}}",
            ),
            Fault(r"= X + \text{up}(\text{down}(X; K); V)", r"= X + \text{down}(X; K)"),
        ],
        [
            Entry(
                "down",
                lambda X, K: np.maximum(K.T @ X, 0),
                "chan pos",
                {"X": "chan[2] pos[4]"},
                {"K": "chan[2] chan'[4]"},
            ),
            Entry(
                "level",
                lambda X, K, V: X + V.T @ np.maximum(K.T @ X, 0),
                "chan pos",
                {"X": "chan[2] pos[4]"},
                {"K": "chan[2] chan'[4]", "V": "chan[4] chan'[2]"},
            ),
        ],
    ),
    Unseen(
        "langevin.tex",
        r"""\documentclass{article}
\begin{document}
\section{Sampling by Langevin dynamics}
A quadratic potential with $A \in \mathbb{R}^{\text{dim}, \text{dim}'}$ on $\xi \in \mathbb{R}^{\text{dim}}$ has the gradient
\begin{equation}
s(\xi; A) = [A \underset{\text{dim}}{\cdot} \xi]_{\text{dim}' \rightarrow \text{dim}} .
\end{equation}
With noise $\nu \in \mathbb{R}^{\text{dim}}$ and a step $\epsilon \in \mathbb{R}$,
\begin{equation}
u(\xi, \epsilon, \nu; A) = \xi - \epsilon \, s(\xi; A) + \nu
\end{equation}
and we repeat
\begin{equation}
\xi^{t+1} = u(\xi^t, \epsilon, \nu; A) .
\end{equation}
The distance from the origin is
\begin{equation}
\text{radius}(\xi) = \sum_{\text{dim}} \xi^2,
\end{equation}
and its fourth power $\text{tail}(\xi) = \sum_{\text{dim}} \xi^4$.
\end{document}
""",
        [
            Fault(
                r"[A \underset{\text{dim}}{\cdot} \xi]", r"[A \underset{\text{dims}}{\cdot} \xi]"
            ),
            Fault(
                r"\text{radius}(\xi) = \sum_{\text{dim}} \xi^2",
                r"\text{radius}(\xi) = \sum_{\text{dim}'} \xi^2",
            ),
            Fault(
                r"\xi - \epsilon \, s(\xi; A) + \nu",
                r"\xi - \epsilon \, A \underset{\text{dim}}{\cdot} \xi + \nu",
                r"\xi^{t+1} =",
            ),
        ],
        [
            Entry("radius", lambda x: (x**2).sum(), "", {"xi": "dim[3]"}),
            Entry("tail", lambda x: (x**4).sum(), "", {"xi": "dim[3]"}),
            Entry(
                "u",
                lambda x, e, n, A: langevin(x, e, n, A.T, 1),
                "dim",
                {"xi": "dim[3]", "epsilon": 0.1, "nu": "dim[3]"},
                {"A": "dim[3] dim'[3]"},
            ),
        ],
    ),
    Unseen(
        "sinkhorn.md",
        r"""# Optimal transport

Costs $C \in \mathbb{R}^{\text{src}, \text{dst}}$, masses $a \in \mathbb{R}^{\text{src}}$ and $b \in \mathbb{R}^{\text{dst}}$, and the kernel

$$K = \exp(-C / \gamma), \qquad \gamma \in \mathbb{R}$$

Sinkhorn's iteration scales rows and columns in turn:

$$\begin{aligned}
v^0 &= \frac{b}{b} \\
u^{r} &= \frac{a}{K \underset{\text{dst}}{\cdot} v^{r-1}} \\
v^{r} &= \frac{b}{K \underset{\text{src}}{\cdot} u^{r}}
\end{aligned}$$

## Sizes of plans

A plan $P \in \mathbb{R}^{\text{src}, \text{dst}}$ costs $\text{cost}(P, C) = \sum_{\text{src}, \text{dst}} P \odot C$ and its size is

$$\text{size}(P) = \sum_{\text{src}, \text{dst}} P^2 .$$

Its marginals are off by

$$\text{off}(P, a, b) = \sum_{\text{src}} \left| \sum_{\text{dst}} P - a \right| + \sum_{\text{dst}} \left| \sum_{\text{src}} P - b \right|$$
""",
        [
            Fault(
                r"{K \underset{\text{dst}}{\cdot} v^{r-1}}",
                r"{K \underset{\text{src}}{\cdot} v^{r-1}}",
            ),
            Fault(
                r"\text{size}(P) = \sum_{\text{src}, \text{dst}}",
                r"\text{size}(P) = \sum_{\text{src}, \text{tgt}}",
            ),
            Fault(
                r"\left| \sum_{\text{dst}} P - a \right|",
                r"\left| \sum_{\text{src}'} P - a \right|",
            ),
        ],
        [
            Entry(
                "K", lambda C, g: np.exp(-C / g), "src dst", {"C": "src[2] dst[3]", "gamma": 0.7}
            ),
            Entry(
                "cost", lambda P, C: (P * C).sum(), "", {"P": "src[2] dst[3]", "C": "src[2] dst[3]"}
            ),
            Entry("size", lambda P: (P**2).sum(), "", {"P": "src[2] dst[3]"}),
        ],
    ),
    Unseen(
        "polynomial.md",
        r"""# Curves and powers

$$x \in \mathbb{R}^{\text{obs}}, \quad w^0, w^1, w^2, w^3 \in \mathbb{R}$$

$$\text{cubic}(x; w) = w^0 + w^1 x + w^2 x^2 + w^3 x^3$$

## Legendre

$$\begin{aligned}
P^2(x) &= \frac{1}{2} (3 x^2 - 1) \\
\text{power}(x) &= \underset{\text{obs}}{\text{mean}} \, x^2 \\
\text{skew}(x) &= \frac{\underset{\text{obs}}{\text{mean}} (x - m)^3}{\left( \underset{\text{obs}}{\text{mean}} (x - m)^2 \right)^{3/2}} \\
m &= \underset{\text{obs}}{\text{mean}} (x)
\end{aligned}$$
""",
        [
            Fault(
                r"\text{power}(x) &= \underset{\text{obs}}",
                r"\text{power}(x) &= \underset{\text{emb}}",
            ),
            Fault(
                r"\frac{\underset{\text{obs}}{\text{mean}} (x - m)^3}",
                r"\frac{\underset{\text{ob}}{\text{mean}} (x - m)^3}",
            ),
            Fault(r"m &= \underset{\text{obs}}{\text{mean}} (x)", r"m &= \text{mean}(x)"),
        ],
        [
            Entry(
                "cubic",
                lambda x, a, b, c, d: a + b * x + c * x**2 + d * x**3,
                "obs",
                {"x": "obs[4]"},
                {"w0": 0.5, "w1": -1.0, "w2": 2.0, "w3": 0.25},
            ),
            Entry("power", lambda x: (x**2).mean(), "", {"x": "obs[4]"}),
            Entry(
                "skew",
                lambda x: ((x - x.mean()) ** 3).mean() / ((x - x.mean()) ** 2).mean() ** 1.5,
                "",
                {"x": "obs[4]"},
            ),
        ],
    ),
    Unseen(
        "edge_attention.tex",
        r"""\ndef{\node}{node}\ndef{\emb}{emb}
\section{Attention along edges}
\begin{align*}
H &\in \mathbb{R}^{\node[n] \times \emb} & M &\in \mathbb{R}^{\node[n] \times \node'[n]}
\end{align*}
Only neighbours are attended to,
\[
M_{\node(i), \node'(j)} = \begin{cases} 0 & \text{if there is an edge from $j$ to $i$} \\ -\infty & \text{otherwise,} \end{cases}
\]
so the weights are
\begin{align*}
\mathrm{weights}(H, M) &= \nfun{\node'}{softmax} \left( \frac{H \ndot{\emb} H_{\node\rightarrow\node'}}{\sqrt{|\emb|}} + M \right) \\
\mathrm{pass}(H, M) &= \mathrm{weights}(H, M) \ndot{\node'} H_{\node\rightarrow\node'}
\end{align*}
\subsection{Pooling the graph}
\begin{align*}
\mathrm{readout}(H, M) &= \nfun{\node}{mean} \mathrm{pass}(H, M)
\end{align*}
""",
        [
            Fault(r"\nfun{\node'}{softmax} \left(", r"\nfun{\emb}{softmax} \left("),
            Fault(
                r"\mathrm{weights}(H, M) \ndot{\node'} H", r"\mathrm{weights}(H, M) \ndot{\emb} H"
            ),
            Fault(r"\nfun{\node}{mean} \mathrm{pass}", r"\nfun{\node'}{mean} \mathrm{pass}"),
        ],
        [
            Entry(
                "pass",
                lambda H, M: softmax(H @ H.T / np.sqrt(3) + M) @ H,
                "node emb",
                {"H": "node[4] emb[3]", "M": "node[4] node'[4]"},
            ),
            Entry(
                "readout",
                lambda H, M: (softmax(H @ H.T / np.sqrt(3) + M) @ H).mean(0),
                "emb",
                {"H": "node[4] emb[3]", "M": "node[4] node'[4]"},
            ),
        ],
    ),
    Unseen(
        "confusion.md",
        r"""# Counting hits

Predictions and truths are one-hot, $P, T \in \{0,1\}^{\text{ex}:n, \text{cls}:k}$, scores are $S \in \mathbb{R}^{\text{ex}:n, \text{cls}:k}$.

$$\begin{aligned}
\text{conf}(P, T) &= P \underset{\text{ex}}{\cdot} [T]_{\text{cls} \rightarrow \text{cls}'} \\
\text{acc}(P, T) &= \underset{\text{ex}}{\text{mean}} \sum_{\text{cls}} P \odot T \\
\text{pos}(S) &= \sum_{\text{cls}} \mathbf{1}\{S > 0\} \\
\text{pos2}(S) &= \sum_{\text{cls}} \mathbb{1}_{S > 0}
\end{aligned}$$

With Kronecker's delta the identity is

$$I \in \mathbb{R}^{\text{cls}:k, \text{cls}':k}, \qquad I_{\text{cls}:i, \text{cls}':j} = \delta_{ij}$$

$$\text{hits}(P, T) = \sum_{\text{cls}, \text{cls}'} I \odot \text{conf}(P, T)$$
""",
        [
            Fault(r"P \underset{\text{ex}}{\cdot} [T]", r"P \underset{\text{cls}'}{\cdot} [T]"),
            Fault(r"\text{pos}(S) &= \sum_{\text{cls}}", r"\text{pos}(S) &= \sum_{\text{cls}'}"),
            Fault(r"\sum_{\text{cls}, \text{cls}'} I", r"\sum_{\text{ex}, \text{cls}'} I"),
        ],
        [
            Entry(
                "conf",
                lambda P, T: P.T @ T,
                "cls cls'",
                {"P": "ex[4] cls[3] ~ one-hot cls", "T": "ex[4] cls[3] ~ one-hot cls"},
            ),
            Entry("pos", lambda S: (S > 0).sum(1), "ex", {"S": "ex[4] cls[3]"}),
            Entry("pos2", lambda S: (S > 0).sum(1), "ex", {"S": "ex[4] cls[3]"}),
            Entry(
                "hits",
                lambda P, T: (P * T).sum(),
                "",
                {"P": "ex[4] cls[3] ~ one-hot cls", "T": "ex[4] cls[3] ~ one-hot cls"},
            ),
        ],
    ),
    Unseen(
        "lora.md",
        r"""# Low-rank updates

The frozen weights $W \in \mathbb{R}^{\text{in}, \text{out}}$ get an update $\Delta W$ of low rank,

$$A \in \mathbb{R}^{\text{in}, \text{rank}}, \quad B \in \mathbb{R}^{\text{rank}, \text{out}}, \quad x \in \mathbb{R}^{\text{in}}, \qquad \Delta W = A \underset{\text{rank}}{\cdot} B$$

so that

$$\text{adapted}(x; W, A, B) = (W + \Delta W) \underset{\text{in}}{\cdot} x$$

Fitting it to $y \in \mathbb{R}^{\text{out}}$ by likelihood is

$$\log p(y \mid x) = -\frac{1}{2} \sum_{\text{out}} (y - \text{adapted}(x; W, A, B))^2 + \text{const}$$

$$\hat{A} = \arg\min_{A} \sum_{\text{out}} (y - \text{adapted}(x; W, A, B))^2$$

and how far we went is

$$\text{moved}(A, B) = \sum_{\text{in}, \text{out}} (\Delta W)^2$$
""",
        [
            Fault(
                r"\Delta W = A \underset{\text{rank}}{\cdot} B",
                r"\Delta W = A \underset{\text{out}}{\cdot} B",
            ),
            Fault(
                r"(W + \Delta W) \underset{\text{in}}{\cdot} x",
                r"(W + \Delta W) \underset{\text{rank}}{\cdot} x",
            ),
            Fault(
                r"\sum_{\text{in}, \text{out}} (\Delta", r"\sum_{\text{rank}, \text{out}} (\Delta"
            ),
        ],
        [
            Entry(
                "adapted",
                lambda x, W, A, B: x @ (W + A @ B),
                "out",
                {"x": "in[3]"},
                {"W": "in[3] out[2]", "A": "in[3] rank[1]", "B": "rank[1] out[2]"},
            ),
            Entry(
                "moved",
                lambda A, B: ((A @ B) ** 2).sum(),
                "",
                {"A": "in[3] rank[2]", "B": "rank[2] out[2]"},
            ),
        ],
    ),
    Unseen(
        "coupling.tex",
        r"""\section{Coupling layers}
Let $\text{half}$ have two values. For $X \in \mathbb{R}^{\text{half}:2, \text{dim}}$, $Y \in \mathbb{R}^{\text{half}:2, \text{dim}}$ and
$S \in \mathbb{R}^{\text{dim}, \text{dim}'}$ we pass one half on and change the other:
\begin{align}
Y_{\text{half}:1} &= X_{\text{half}:1} \\
Y_{\text{half}:2} &= X_{\text{half}:2} + [S \underset{\text{dim}}{\cdot} X_{\text{half}:1}]_{\text{dim}' \rightarrow \text{dim}}
\end{align}
The prior is that of the normal distribution,
\begin{equation}
\text{prior}(X) = -\frac12 \sum_{\text{half}, \text{dim}} X^2 .
\end{equation}
A chain is linked by $A \in \{0,1\}^{\text{site}:n, \text{site}':n}$ with
\begin{equation}
A_{\text{site}:i, \text{site}':i} = 1
\end{equation}
and zero elsewhere.
""",
        [
            Fault(r"[S \underset{\text{dim}}{\cdot} X", r"[S \underset{\text{half}}{\cdot} X"),
            Fault(
                r"Y_{\text{half}:1} &= X_{\text{half}:1}", r"Y_{\text{half}:1} &= X_{\text{half}:3}"
            ),
            Fault(r"\sum_{\text{half}, \text{dim}} X^2", r"\sum_{\text{half}, \text{site}} X^2"),
        ],
        [
            Entry(
                "Y",
                lambda X, S: np.stack([X[0], X[1] + X[0] @ S]),
                "half dim",
                {"X": "half[2] dim[3]", "S": "dim[3] dim'[3]"},
            ),
            Entry("prior", lambda X: -0.5 * (X**2).sum(), "", {"X": "half[2] dim[3]"}),
        ],
    ),
    Unseen(
        "windows.tex",
        r"""\ndef{\seq}{seq}\ndef{\emb}{emb}\ndef{\out}{out}
\section{Sinusoids and windows}
\begin{align*}
X &\in \mathbb{R}^{\seq[n] \times \emb} & W &\in \mathbb{R}^{\emb \times \out} & R &\in \mathbb{R}^{\seq[n]}
\intertext{The ramp grows from one end to the other,}
R_{\seq(i)} &= \frac{i}{n}, \quad i = 1, \dots, n
\intertext{and weighs what is seen:}
\mathrm{weigh}(X; W) &= \nsum{\seq} \Bigl( R \odot \\
  &\qquad (W \ndot{\emb} X) \Bigr) \\
\mathrm{gate}(X; W) &= \sigma \bigl( W \ndot{\emb} X \bigr) \odot R
\end{align*}
""",
        [
            Fault(r"(W \ndot{\emb} X) \Bigr)", r"(W \ndot{\seq} X) \Bigr)"),
            Fault(r"R_{\seq(i)} &=", r"R_{\emb(i)} &="),
            Fault(r"\sigma \bigl( W \ndot{\emb} X", r"\sigma \bigl( W \ndot{\out} X"),
        ],
        [
            Entry(
                "weigh",
                lambda X, W: ((np.arange(4) + 1) / 4) @ (X @ W),
                "out",
                {"X": "seq[4] emb[3]"},
                {"W": "emb[3] out[2]"},
            ),
            Entry(
                "gate",
                lambda X, W: sigmoid(X @ W) * ((np.arange(4) + 1) / 4)[:, None],
                "seq out",
                {"X": "seq[4] emb[3]"},
                {"W": "emb[3] out[2]"},
            ),
        ],
    ),
    Unseen(
        "capsules.md",
        r"""# Routing between capsules

Votes $u \in \mathbb{R}^{\text{low}, \text{high}, \text{pose}}$ are routed in $r = 1, \dots, R$ rounds, with logits
$b^0 = 0$, $b \in \mathbb{R}^{\text{low}, \text{high}}$:

$$\begin{aligned}
c^r &= \underset{\text{high}}{\text{softmax}} (b^{r-1}) \\
s^r &= c^r \underset{\text{low}}{\cdot} u \\
b^r &= b^{r-1} + u \underset{\text{pose}}{\cdot} s^r
\end{aligned}$$

The length of a capsule says whether its thing is there:

$$s \in \mathbb{R}^{\text{high}, \text{pose}}, \qquad \text{length}(s) = \sqrt{\sum_{\text{pose}} s^2}$$

Squashing keeps it below one:

$$\text{squash}(s) = \frac{\sum_{\text{pose}} s^2}{1 + \sum_{\text{pose}} s^2} \frac{s}{\text{length}(s)}$$
""",
        [
            Fault(r"c^r &= \underset{\text{high}}", r"c^r &= \underset{\text{pose}}"),
            Fault(r"c^r \underset{\text{low}}{\cdot} u", r"c^r \underset{\text{pose}}{\cdot} u"),
            Fault(
                r"\text{length}(s) = \sqrt{\sum_{\text{pose}} s^2}",
                r"\text{length}(s) = \sqrt{\sum_{\text{low}} s^2}",
            ),
        ],
        [
            Entry("length", lambda s: np.sqrt((s**2).sum(1)), "high", {"s": "high[2] pose[3]"}),
            Entry(
                "squash",
                lambda s: (
                    ((s**2).sum(1) / (1 + (s**2).sum(1)) / np.sqrt((s**2).sum(1)))[:, None] * s
                ),
                "high pose",
                {"s": "high[2] pose[3]"},
            ),
        ],
    ),
    Unseen(
        "upsample.tex",
        r"""\ndef{\pos}{pos}\ndef{\chan}{chan}\ndef{\win}{win}
\section{Down and up}
\begin{align*}
\mathrm{pool} &\colon \mathbb{R}^{\pos[2n] \times \chan} \rightarrow \mathbb{R}^{\pos[n] \times \chan} \\
X &\in \mathbb{R}^{\pos[2n] \times \chan} & Z &\in \mathbb{R}^{\pos[n] \times \chan} \\
\mathrm{pool}(X)_{\pos(i)} &= \max(X_{\pos(2i-1)}, X_{\pos(2i)}) & i &= 1, \dots, n \\
U &\in \mathbb{R}^{\pos[2n] \times \chan} \\
U_{\pos(i)} &= Z_{\pos(\lceil i/2 \rceil)} & i &= 1, \dots, 2n
\end{align*}
The channels are then mixed by $M \in \mathbb{R}^{\chan \times \chan'}$,
\begin{align*}
\mathrm{mix}(X; M) &= \nfun{\chan'}{softmax} (M \ndot{\chan} X)
\end{align*}
""",
        [
            Fault(r"\max(X_{\pos(2i-1)}", r"\max(X_{\win(2i-1)}"),
            Fault(r"U_{\pos(i)} &= Z", r"U_{\win(i)} &= Z"),
            Fault(r"(M \ndot{\chan} X)", r"(M \ndot{\pos} X)"),
        ],
        [
            Entry("pool", lambda X: X.reshape(2, 2, 3).max(1), "pos chan", {"X": "pos[4] chan[3]"}),
            Entry(
                "mix",
                lambda X, M: softmax(X @ M, 1),
                "pos chan'",
                {"X": "pos[4] chan[3]"},
                {"M": "chan[3] chan'[2]"},
            ),
        ],
    ),
    Unseen(
        "lookup.tex",
        r"""\ndef{\vocab}{vocab}\ndef{\seq}{seq}\ndef{\subseq}{subseq}\ndef{\emb}{emb}
\newcommand{\mean}[1]{\nfun{#1}{mean}}
\section{Looking words up}
\begin{align*}
E &\in \mathbb{R}^{\vocab[v] \times \emb} & I &\in [v]^{\seq[n]} & J &\in [n]^{\subseq} \\
\mathrm{embed}(I; E) &= E_{\vocab(I)} \\
\mathrm{pick}(I, J; E) &= \mathrm{embed}(I; E)_{\seq(J)} \\
\mathrm{centre}(I; E) &= \mathrm{embed}(I; E) - \mean{\emb} \mathrm{embed}(I; E) \\
\mathrm{scale}(I; E) &= \frac{\mathrm{centre}(I; E)}{\sqrt{\nfun{\emb}{var} (\mathrm{embed}(I; E)) + \epsilon}}
\end{align*}
Shifted by one, the sequence has $n - 1$ places, $S \in \mathbb{R}^{\seq[n-1] \times \emb}$:
\begin{align*}
X &\in \mathbb{R}^{\seq[n] \times \emb} \\
S_{\seq(i)} &= X_{\seq(i+1)} - X_{\seq(i)} & i &= 1, \dots, n-1
\end{align*}
""",
        [
            Fault(r"\mathrm{embed}(I; E)_{\seq(J)}", r"\mathrm{embed}(I; E)_{\vocab(J)}"),
            Fault(r"X_{\seq(i+1)} - X", r"X_{\seq(i+2)} - X"),
            Fault(r"{\sqrt{\nfun{\emb}{var} (", r"{\sqrt{\mathrm{var} ("),
        ],
        [
            Entry(
                "embed",
                lambda I, E: E[I],
                "seq emb",
                {"I": "seq[4] ~ whole 5"},
                {"E": "vocab[5] emb[3]"},
            ),
            Entry(
                "pick",
                lambda I, J, E: E[I][J],
                "subseq emb",
                {"I": "seq[4] ~ whole 5", "J": "subseq[2] ~ whole 4"},
                {"E": "vocab[5] emb[3]"},
            ),
            Entry("S", lambda X: X[1:] - X[:-1], "seq emb", {"X": "seq[4] emb[3]"}),
        ],
    ),
    Unseen(
        "chain_rule.md",
        r"""# Differentiating a projection

$$X \in \mathbb{R}^{\text{seq}, \text{emb}}, \quad W \in \mathbb{R}^{\text{emb}, \text{key}}, \quad Y = X \underset{\text{emb}}{\cdot} W$$

Its derivatives carry primed axes:

$$\frac{\partial Y}{\partial W^{*}} = X \odot \frac{\partial W}{\partial W^{*}} $$

is a shorthand that some prefer. We write a loss

$$\text{loss}(X; W) = \frac12 \sum_{\text{seq}, \text{key}} (X \underset{\text{emb}}{\cdot} W)^2$$

$$\text{grad}(X; W) = X \underset{\text{seq}}{\cdot} (X' \underset{\text{emb}'}{\cdot} W'), \quad X' = [X]_{\text{emb} \rightarrow \text{emb}'}, \quad W' = [W]_{\text{emb} \rightarrow \text{emb}'}$$
""",
        [
            Fault(r"Y = X \underset{\text{emb}}{\cdot} W", r"Y = X \underset{\text{key}}{\cdot} W"),
            Fault(
                r"\frac12 \sum_{\text{seq}, \text{key}} (",
                r"\frac12 \sum_{\text{seq}, \text{emb}} (",
            ),
            Fault(
                r"\text{grad}(X; W) = X \underset{\text{seq}}{\cdot}",
                r"\text{grad}(X; W) = X \underset{\text{key}}{\cdot}",
            ),
        ],
        [
            Entry("Y", lambda X, W: X @ W, "seq key", {"X": "seq[3] emb[2]", "W": "emb[2] key[4]"}),
            Entry(
                "loss",
                lambda X, W: 0.5 * ((X @ W) ** 2).sum(),
                "",
                {"X": "seq[3] emb[2]"},
                {"W": "emb[2] key[4]"},
            ),
            Entry(
                "grad",
                lambda X, W: X.T @ (X @ W),
                "emb key",
                {"X": "seq[3] emb[2]"},
                {"W": "emb[2] key[4]"},
            ),
        ],
    ),
    Unseen(
        "slots.md",
        r"""# Slots that compete

Inputs and slots:

$$X \in \mathbb{R}^{\text{in}:n, \text{emb}:d}, \qquad S \in \mathbb{R}^{\text{slot}:k, \text{emb}:d}$$

Queries, keys and values come from

$$W^q, W^k, W^v \in \mathbb{R}^{\text{emb}:d, \text{key}:m}$$

$$\begin{aligned}
q(S; W^q) &= W^q \underset{\text{emb}}{\cdot} S \\
\text{att}(X, S; W^q, W^k) &= \underset{\text{slot}}{\text{softmax}} \left( \frac{(W^k \underset{\text{emb}}{\cdot} X) \underset{\text{key}}{\cdot} q(S; W^q)}{\sqrt{m}} \right) \\
\text{upd}(X, S; W^q, W^k, W^v) &= \frac{A \underset{\text{in}}{\cdot} (W^v \underset{\text{emb}}{\cdot} X)}{\sum_{\text{in}} A} \\
A &= \text{att}(X, S; W^q, W^k)
\end{aligned}$$

*Figure 1: slots after three rounds.* ![slots](slots.png)
""",
        [
            Fault(
                r"\underset{\text{slot}}{\text{softmax}} \left(",
                r"\underset{\text{key}}{\text{softmax}} \left(",
            ),
            Fault(
                r"\frac{A \underset{\text{in}}{\cdot} (W^v",
                r"\frac{A \underset{\text{key}}{\cdot} (W^v",
            ),
            Fault(r"{\sum_{\text{in}} A}", r"{\sum_{\text{emb}} A}"),
        ],
        [
            Entry(
                "att",
                lambda X, S, Wq, Wk: softmax((X @ Wk) @ (S @ Wq).T / np.sqrt(2)),
                "in slot",
                {"X": "in[4] emb[3]", "S": "slot[2] emb[3]"},
                {"Wq": "emb[3] key[2]", "Wk": "emb[3] key[2]"},
            ),
        ],
    ),
]
