"""Short notes on six more models, as they stand in wikis, exercises and appendices."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def okapi(F, k, b):
    """Weights of terms in documents, from their counts."""
    n = F.sum(1)
    idf = np.log(1 + (len(F) - (F > 0).sum(0) + 0.5) / ((F > 0).sum(0) + 0.5))
    return idf * F * (k + 1) / (F + k * (1 - b + b * n / n.mean())[:, None])


def codes(z, E):
    return ((z[:, :, None] - E) ** 2).sum(3).argmin(2)


def attend(X, Y, Q, K, V):
    return softmax(np.einsum("ne,ehk,mf,fhk->nmh", X, Q, Y, K) / np.sqrt(Q.shape[2]), 1), np.einsum(
        "mf,fhk->mhk", Y, V
    )


def block(X, Y, Q, K, V, O):
    A, v = attend(X, Y, Q, K, V)
    return X + np.einsum("nmh,mhk,hke->ne", A, v, O)


def messages(E, A, p):
    """Scaled forward messages and their scales."""
    a, found = p * E[0], []
    for t in range(len(E)):
        a = a if t == 0 else (a @ A) * E[t]
        found.append((a / a.sum(), a.sum()))
        a = a / a.sum()
    return np.stack([f[0] for f in found]), np.array([f[1] for f in found])


def powers(C, b):
    for _ in range(2):
        a = C @ b / np.linalg.norm(C @ b)
        b = C.T @ a / np.linalg.norm(C.T @ a)
    return a


def stump(f, x, y, S, t):
    """Right leaves, predictions, a step and importances of stumps."""
    G, r = ((x @ S.T) > t) * 1.0, y - f
    right = r @ G / (1 + G.sum(0))
    h = G * right + (1 - G) * (r @ (1 - G) / (1 + (1 - G).sum(0)))
    error = ((r[:, None] - h) ** 2).sum(0)
    return right, h, f + 0.1 * h[:, error.argmin()], ((r**2).sum() - error) @ S


DOCUMENTS = [
    Unseen(
        "search_engine.md",
        r"""# BM25 in three lines

We count: $F \in \mathbb{R}^{\text{doc}:N, \text{term}}$ is how often a term occurs in a document.

The length of a document is $n = \sum_{\text{term}} F$. A term occurs in

$$d = \sum_{\text{doc}} \mathbf{1}[F > 0]$$

documents, which gives the inverse document frequency

$$\text{idf} = \log\left( 1 + \frac{N - d + 0.5}{d + 0.5} \right).$$

The weights are, for parameters $k_1 = 1.2$ and $b = 0.75$,

$$w = \text{idf} \odot \frac{ F (k_1 + 1) }{ F + k_1 \left( 1 - b + b \frac{n}{\bar n} \right) }, \qquad \bar n = \underset{\text{doc}}{\text{mean}}\, n$$

A query is a bag of terms as well, $q \in \mathbb{R}^{\text{query}, \text{term}}$. Scores:

$$s = q \underset{\text{term}}{\cdot} w$$

and the best document for each query is $\text{best} = \underset{\text{doc}}{\text{argmax}}\; s$.

**TF-IDF with cosine**, for comparison:

$$c = \frac{ (\text{idf} \odot F) \underset{\text{term}}{\cdot} (\text{idf} \odot q) }{ \| \text{idf} \odot F \|_{\text{term}} \, \| \text{idf} \odot q \|_{\text{term}} }$$

*Evaluation.* With relevance judgements $r \in \{0,1\}^{\text{query}, \text{doc}:N}$ and the ranks $\rho \in \mathbb{R}^{\text{query}, \text{doc}:N}$ (the best has rank 1), the discounted cumulative gain is

$$\text{dcg} = \underset{\text{query}}{\text{mean}} \sum_{\text{doc}} \frac{2^r - 1}{\log_2(\rho + 1)}.$$
""",
        [
            Fault(r"d = \sum_{\text{doc}} \mathbf", r"d = \sum_{\text{query}} \mathbf"),
            Fault(
                r"s = q \underset{\text{term}}{\cdot} w", r"s = q \underset{\text{query}}{\cdot} w"
            ),
            Fault(
                r"\| \text{idf} \odot q \|_{\text{term}}", r"\| \text{idf} \odot q \|_{\text{doc}}"
            ),
        ],
        [
            Entry(
                "w",
                lambda F: okapi(F, 1.2, 0.75),
                "doc term",
                {"F": "doc[3] term[4] ~ counts"},
            ),
            Entry(
                "s",
                lambda q, F: q @ okapi(F, 1.2, 0.75).T,
                "query doc",
                {"q": "query[2] term[4] ~ counts", "F": "doc[3] term[4] ~ counts"},
            ),
            Entry(
                "dcg",
                lambda r, p: ((2**r - 1) / np.log2(p + 1)).sum(1).mean(),
                "",
                {"r": "query[2] doc[3] ~ bits", "rho": "query[2] doc[3] ~ counts"},
            ),
        ],
    ),
    Unseen(
        "quantised.md",
        r"""## VQ-VAE

The encoder gives a vector at each of $n$ places, $z \in \mathbb{R}^{\text{batch}, \text{place}:n, \text{emb}}$. The codebook has $K$ entries: $C \in \mathbb{R}^{\text{code}:K, \text{emb}}$.

Distances to all entries, and the nearest:

$$D = \sum_{\text{emb}} (z - C)^2 \qquad k = \operatorname*{argmin}_{\text{code}} D \qquad z_q = C_{\text{code}(k)}$$

The loss has three parts, where $\text{sg}$ stops gradients (it is the identity in the forward pass):

$$
\begin{aligned}
\mathcal{L}_{\text{code}} &= \underset{\text{batch}, \text{place}}{\text{mean}} \| \text{sg}(z) - z_q \|_{\text{emb}}^2 \\
\mathcal{L}_{\text{commit}} &= \beta \underset{\text{batch}, \text{place}}{\text{mean}} \| z - \text{sg}(z_q) \|_{\text{emb}}^2
\end{aligned}
$$

with $\beta = 0.25$, and the reconstruction error. For an image $x \in \mathbb{R}^{\text{batch}, \text{pix}}$ and its reconstruction $\hat x \in \mathbb{R}^{\text{batch}, \text{pix}}$ that is

$$\mathcal{L}_{\text{rec}} = \underset{\text{batch}}{\text{mean}} \sum_{\text{pix}} (x - \hat x)^2 .$$

### Usage of the codebook

How often is each code used? $u = \underset{\text{batch}, \text{place}}{\text{mean}} Z$, if $Z \in \{0, 1\}^{\text{batch}, \text{place}:n, \text{code}:K}$ is the one-hot version of $k$. The *perplexity* is

$$P = \exp\left( - \sum_{\text{code}} u \log (u + 10^{-10}) \right)$$

between $1$ (collapse!) and $K$.

### Exponential moving averages

Instead of $\mathcal{L}_{\text{code}}$ one may update counts $N \in \mathbb{R}^{\text{code}:K}$ and sums $M \in \mathbb{R}^{\text{code}:K, \text{emb}}$, with decay $\gamma = 0.99$:

$$N' = \gamma N + (1 - \gamma) \sum_{\text{batch}, \text{place}} Z$$

$$M' = \gamma M + (1 - \gamma) \, Z \underset{\text{batch}, \text{place}}{\cdot} z, \qquad C' = \frac{M'}{N'}$$

### Gumbel softmax

A soft alternative with temperature $\tau$ and Gumbel noise $g \in \mathbb{R}^{\text{batch}, \text{place}:n, \text{code}:K}$:

$$y = \underset{\text{code}}{\text{softmax}} \left( \frac{-D + g}{\tau} \right), \qquad \tilde z = y \underset{\text{code}}{\cdot} C$$

For $\tau \to 0$ this becomes the argmin.
""",
        [
            Fault(r"D = \sum_{\text{emb}} (z - C)^2", r"D = \sum_{\text{pix}} (z - C)^2"),
            Fault(
                r"Z \underset{\text{batch}, \text{place}}{\cdot} z",
                r"Z \underset{\text{batch}, \text{emb}}{\cdot} z",
            ),
            Fault(
                r"\tilde z = y \underset{\text{code}}{\cdot} C",
                r"\tilde z = y \underset{\text{emb}}{\cdot} C",
            ),
        ],
        [
            Entry(
                "z_q",
                lambda z, C: C[codes(z, C)],
                "batch place emb",
                {"z": "batch[2] place[3] emb[2]", "C": "code[4] emb[2]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{commit}}",
                lambda z, C: 0.25 * ((z - C[codes(z, C)]) ** 2).sum(2).mean(),
                "",
                {"z": "batch[2] place[3] emb[2]", "C": "code[4] emb[2]"},
            ),
            Entry(
                "P",
                lambda Z: np.exp(-(Z.mean((0, 1)) * np.log(Z.mean((0, 1)) + 1e-10)).sum()),
                "",
                {"Z": "batch[2] place[3] code[4] ~ one-hot code"},
            ),
            Entry(
                "C'",
                lambda N, M, Z, z: (
                    (0.99 * M + 0.01 * np.einsum("bpc,bpe->ce", Z, z))
                    / (0.99 * N + 0.01 * Z.sum((0, 1)))[:, None]
                ),
                "code emb",
                {
                    "N": "code[4] ~ positive",
                    "M": "code[4] emb[2]",
                    "Z": "batch[2] place[3] code[4] ~ one-hot code",
                    "z": "batch[2] place[3] emb[2]",
                },
            ),
            Entry(
                r"\tilde z",
                lambda z, C, g, t: softmax((-((z[:, :, None] - C) ** 2).sum(3) + g) / t, 2) @ C,
                "batch place emb",
                {
                    "z": "batch[2] place[3] emb[2]",
                    "C": "code[4] emb[2]",
                    "g": "batch[2] place[3] code[4]",
                    "tau": 0.5,
                },
            ),
        ],
    ),
    Unseen(
        "sets.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\el}{el} \ndef{\ind}{ind} \ndef{\emb}{emb} \ndef{\head}{head} \ndef{\key}{key} \ndef{\seed}{seed} \ndef{\hid}{hid}
\newcommand{\Real}{\mathbb{R}}
\begin{document}
\appendix
\section{Attention on sets}
The input is a set of vectors, $X \in \Real^{\el[n] \times \emb[d]}$. All blocks are made of attention from one set to another; for
$A \in \Real^{\el \times \emb[d]}$ and $B \in \Real^{\ind[m] \times \emb[d]}$ we define
\begin{align}
\text{MAB}(A, B) &= A + W_O \ndot{\head, \key} \left( S \ndot{\ind} V \right) \label{eq:mab} \\
S &= \nfun{\ind}{softmax} \frac{ (W_Q \ndot{\emb} A) \ndot{\key} (W_K \ndot{\emb} B) }{ \sqrt{|\key|} } \notag \\
V &= W_V \ndot{\emb} B \notag
\end{align}
with $W_Q, W_K, W_V \in \Real^{\emb[d] \times \head \times \key}$ and $W_O \in \Real^{\head \times \key \times \emb[d]}$. (Layer norms and
feed-forward layers are left out.)

\paragraph{Induced points.} Attention among all elements costs $n^2$. With $m$ trained points $I_p \in \Real^{\ind[m] \times \emb[d]}$ the set is
first summarised,
\begin{equation}
H = \text{MAB}(I_{p, \ind \to \el}, X_{\el \to \ind})_{\el \to \ind}
\end{equation}
and then each element reads the summary, $Y = \text{MAB}(X, H)$.

\paragraph{Pooling.} Pooling is attention with $k$ trained seeds $G \in \Real^{\seed \times \emb[d]}$:
\begin{equation}
\text{PMA}(X) = \left( \nfun{\el}{softmax} (G \ndot{\emb} X) \right) \ndot{\el} X .
\end{equation}

\paragraph{Baselines.} Deep sets:
\begin{align}
\phi(X) &= \text{relu}(U \ndot{\emb} X + u) \\
\text{DS}(X) &= w \ndot{\hid} \nsum{\el} \phi(X) \\
\text{DM}(X) &= w \ndot{\hid} \nfun{\el}{max} \phi(X)
\end{align}
where $U \in \Real^{\emb[d] \times \hid}$ and $u, w \in \Real^{\hid}$.

\paragraph{Equivariance.} A permutation of the elements is a matrix $P \in \{0,1\}^{\el[n] \times \el'[n]}$ with one $1$ in each row and column. All blocks
satisfy $f(P X) = P f(X)$; for the layer
\begin{equation}
L(X) = \lambda X + \gamma \nfun{\el}{mean} X, \qquad \lambda, \gamma \in \Real
\end{equation}
this is easy to see.
\end{document}
""",
        [
            Fault(r"W_O \ndot{\head, \key} \left(", r"W_O \ndot{\head, \hid} \left("),
            Fault(
                r"\nfun{\el}{softmax} (G \ndot{\emb} X)", r"\nfun{\ind}{softmax} (G \ndot{\emb} X)"
            ),
            Fault(r"w \ndot{\hid} \nfun{\el}{max}", r"w \ndot{\hid} \nfun{\seed}{max}"),
        ],
        [
            Entry(
                r"\text{MAB}",
                lambda A, B, Q, K, V, O: block(A, B, Q, K, V, O),
                "el emb",
                {"A": "el[3] emb[4]", "B": "ind[2] emb[4]"},
                {
                    "W_Q": "emb[4] head[2] key[3]",
                    "W_K": "emb[4] head[2] key[3]",
                    "W_V": "emb[4] head[2] key[3]",
                    "W_O": "head[2] key[3] emb[4]",
                },
            ),
            Entry(
                r"\text{PMA}",
                lambda X, G: softmax(G @ X.T, 1) @ X,
                "seed emb",
                {"X": "el[3] emb[4]"},
                {"G": "seed[2] emb[4]"},
            ),
            Entry(
                r"\text{DM}",
                lambda X, U, u, w: np.maximum(X @ U + u, 0).max(0) @ w,
                "",
                {"X": "el[3] emb[4]"},
                {"U": "emb[4] hid[5]", "u": "hid[5]", "w": "hid[5]"},
            ),
            Entry(
                "L",
                lambda X, l, g: l * X + g * X.mean(0),
                "el emb",
                {"X": "el[3] emb[4]"},
                {"lambda_": 0.5, "gamma": 2.0},
            ),
        ],
    ),
    Unseen(
        "baum_welch.tex",
        r"""\documentclass{article}
\usepackage{amsmath,namedtensor}
\ndef{\tm}{time} \ndef{\st}{state} \ndef{\sym}{sym}
\begin{document}
\section{Learning a hidden Markov model}
Given are likelihoods $E \in \mathbb{R}^{\tm[T] \times \st}$ of the observations, transition probabilities $A \in \mathbb{R}^{\st \times \st'}$ and
initial probabilities $p \in \mathbb{R}^{\st}$.

\subsection{Forward}
Messages are scaled in order not to underflow. At the first step $u_{\tm(1)} = p \odot E_{\tm(1)}$, and later
\begin{align}
u_{\tm(t)} &= \left[ a_{\tm(t-1)} \ndot{\st} A \right]_{\st' \to \st} \odot E_{\tm(t)}, \qquad t = 2, \dots, T \\
z_{\tm(t)} &= \nsum{\st} u_{\tm(t)} \\
a_{\tm(t)} &= \frac{u_{\tm(t)}}{z_{\tm(t)}}
\end{align}
The log-likelihood is $\ell = \nsum{\tm} \log z$.

\subsection{M-step}
Let $g \in [0,1]^{\tm[T] \times \st}$ be the posterior probabilities of the states and let $O \in \{0,1\}^{\tm[T] \times \sym}$ be the one-hot observations. Then
the new emission probabilities are
\begin{equation}
B = \frac{ g \ndot{\tm} O }{ \nsum{\tm} g } .
\end{equation}
The posterior pairs $x \in [0,1]^{\tm \times \st \times \st'}$ give the new transitions
\begin{equation}
A_{\text{new}} = \frac{ \nsum{\tm} x }{ \nsum{\tm, \st'} x }
\end{equation}
and $p_{\text{new}} = g_{\tm(1)}$.

\subsection{Information criteria}
With $k = |\st|$ states and $v = |\sym|$ symbols there are $k^2 + k v - 1$ free parameters, so
\begin{equation}
\text{BIC}(\ell) = -2 \ell + (k^2 + k v - 1) \log T .
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\left[ a_{\tm(t-1)} \ndot{\st} A \right]",
                r"\left[ a_{\tm(t-1)} \ndot{\sym} A \right]",
            ),
            Fault(r"B = \frac{ g \ndot{\tm} O }", r"B = \frac{ g \ndot{\st} O }"),
            Fault(r"\nsum{\tm, \st'} x", r"\nsum{\tm, \sym} x"),
        ],
        [
            Entry(
                "a",
                lambda E, A, p: messages(E, A, p)[0],
                "time state",
                {"E": "time[4] state[2] ~ positive"},
                {
                    "A": "state[2] state'[2] ~ probability state'",
                    "p": "state[2] ~ probability state",
                },
            ),
            Entry(
                r"\ell",
                lambda E, A, p: np.log(messages(E, A, p)[1]).sum(),
                "",
                {"E": "time[4] state[2] ~ positive"},
                {
                    "A": "state[2] state'[2] ~ probability state'",
                    "p": "state[2] ~ probability state",
                },
            ),
            Entry(
                "B",
                lambda g, O: g.T @ O / g.sum(0)[:, None],
                "state sym",
                {"g": "time[4] state[2] ~ probability state", "O": "time[4] sym[3] ~ one-hot sym"},
            ),
            Entry(
                r"A_{\text{new}}",
                lambda x: x.sum(0) / x.sum((0, 2))[:, None],
                "state state'",
                {"x": "time[4] state[2] state'[2] ~ positive"},
            ),
        ],
    ),
    Unseen(
        "correlations.md",
        r"""# Canonical correlations (exercise sheet 4)

Two views of the same $n$ things, $X \in \mathbb{R}^{\text{obs}:n, \text{p}}$ and $Y \in \mathbb{R}^{\text{obs}:n, \text{q}}$, both centred.

**a)** Covariances (with a little ridge $\kappa = 0.1$):

$$
C_{xx} = \frac1n X \underset{\text{obs}}{\cdot} X_{\text{p} \to \text{p}'} + \kappa I_{\text{p}, \text{p}'}, \quad
C_{yy} = \frac1n Y \underset{\text{obs}}{\cdot} Y_{\text{q} \to \text{q}'} + \kappa I_{\text{q}, \text{q}'}, \quad
C_{xy} = \frac1n X \underset{\text{obs}}{\cdot} Y
$$

**b)** For directions $a \in \mathbb{R}^{\text{p}}$ and $b \in \mathbb{R}^{\text{q}}$ the correlation is

$$
\rho(a, b) = \frac{ a \underset{\text{p}}{\cdot} C_{xy} \underset{\text{q}}{\cdot} b }{ \sqrt{ a \underset{\text{p}}{\cdot} C_{xx} \underset{\text{p}'}{\cdot} a_{\text{p} \to \text{p}'} } \sqrt{ b \underset{\text{q}}{\cdot} C_{yy} \underset{\text{q}'}{\cdot} b_{\text{q} \to \text{q}'} } }
$$

**c)** Show that the best $a$ for a given $b$ is (up to its length)

$$
\text{best}(b) = \Bigl[ \bigl( \underset{\text{p}, \text{p}'}{\text{inv}} C_{xx} \bigr) \underset{\text{p}}{\cdot} (C_{xy} \underset{\text{q}}{\cdot} b) \Bigr]_{\text{p}' \to \text{p}}
$$

**d)** *Partial least squares* forgets about the inverse. Power iteration from $b^0 \in \mathbb{R}^{\text{q}}$:

$$
\begin{aligned}
a^k &= \frac{C_{xy} \underset{\text{q}}{\cdot} b^{k-1}}{\| C_{xy} \underset{\text{q}}{\cdot} b^{k-1} \|_{\text{p}}} \\
b^k &= \frac{C_{xy} \underset{\text{p}}{\cdot} a^k}{\| C_{xy} \underset{\text{p}}{\cdot} a^k \|_{\text{q}}}
\end{aligned}
$$

for $k = 1, \dots, 5$.

**e)** RV coefficient, a correlation of matrices. With $S = X \underset{\text{p}}{\cdot} X_{\text{obs} \to \text{obs}'}$ and $T = Y \underset{\text{q}}{\cdot} Y_{\text{obs} \to \text{obs}'}$,

$$
\text{RV} = \frac{ \sum_{\text{obs}, \text{obs}'} S \odot T }{ \sqrt{ \sum_{\text{obs}, \text{obs}'} S^2 \; \sum_{\text{obs}, \text{obs}'} T^2 } }
$$
""",
        [
            Fault(
                r"C_{xy} = \frac1n X \underset{\text{obs}}{\cdot} Y",
                r"C_{xy} = \frac1n X \underset{\text{p}}{\cdot} Y",
            ),
            Fault(
                r"a^k &= \frac{C_{xy} \underset{\text{q}}{\cdot} b",
                r"a^k &= \frac{C_{xy} \underset{\text{obs}}{\cdot} b",
            ),
            Fault(
                r"\sum_{\text{obs}, \text{obs}'} S \odot T",
                r"\sum_{\text{obs}, \text{p}} S \odot T",
            ),
        ],
        [
            Entry(
                r"\rho",
                lambda a, b, X, Y: (
                    a
                    @ X.T
                    @ Y
                    @ b
                    / 5
                    / np.sqrt(a @ (X.T @ X / 5 + 0.1 * np.eye(2)) @ a)
                    / np.sqrt(b @ (Y.T @ Y / 5 + 0.1 * np.eye(3)) @ b)
                ),
                "",
                {"a": "p[2]", "b": "q[3]"},
                {"X": "obs[5] p[2]", "Y": "obs[5] q[3]"},
            ),
            Entry(
                "best",
                lambda b, X, Y: np.linalg.solve(X.T @ X / 5 + 0.1 * np.eye(2), X.T @ Y @ b / 5),
                "p",
                {"b": "q[3]"},
                {"X": "obs[5] p[2]", "Y": "obs[5] q[3]"},
            ),
            Entry(
                "a^2",
                lambda X, Y, b: powers(X.T @ Y / 5, b),
                "p",
                {"X": "obs[5] p[2]", "Y": "obs[5] q[3]", "b0": "q[3]"},
            ),
            Entry(
                "RV",
                lambda X, Y: (
                    ((X @ X.T) * (Y @ Y.T)).sum()
                    / np.sqrt(((X @ X.T) ** 2).sum() * ((Y @ Y.T) ** 2).sum())
                ),
                "",
                {"X": "obs[5] p[2]", "Y": "obs[5] q[3]"},
            ),
        ],
    ),
    Unseen(
        "stumps.tex",
        r"""\documentclass{article}
\usepackage{amsmath}
\begin{document}
\section*{Gradient boosting with stumps}
Let $x \in \mathbb{R}^{\text{obs}, \text{feat}}$ be the data and $y \in \mathbb{R}^{\text{obs}}$ the target. We have a set of stumps; stump $j$ looks at one feature, given by a one-hot row of
$S \in \{0,1\}^{\text{stump}, \text{feat}}$, and compares it with a threshold $\theta \in \mathbb{R}^{\text{stump}}$:
\[ G = \mathbf{1}\{ S \underset{\text{feat}}{\cdot} x > \theta \} . \]
So $G$ is over obs and stump.

\subsection*{Leaves}
The residual of a prediction $f \in \mathbb{R}^{\text{obs}}$ is $r(f) = y - f$. Left and right leaf values of all stumps are means,
\begin{align*}
R(f) &= \frac{ G \underset{\text{obs}}{\cdot} r(f) }{ \lambda + \sum_{\text{obs}} G } \\
L(f) &= \frac{ (1 - G) \underset{\text{obs}}{\cdot} r(f) }{ \lambda + \sum_{\text{obs}} (1 - G) }
\end{align*}
where $\lambda = 1$ shrinks them. What a stump predicts is
\[ h(f) = G \odot R(f) + (1 - G) \odot L(f) . \]

\subsection*{Choice}
Take the stump with the smallest squared error,
\[ j(f) = \underset{\text{stump}}{\text{argmin}} \sum_{\text{obs}} (r(f) - h(f))^2 \]
and move a little in its direction:
\[ \text{step}(f) = f + \nu \, h(f)_{\text{stump}(j(f))} \qquad (\nu = 0.1) \]
Starting from $f^0 = \underset{\text{obs}}{\text{mean}}\, y$ one repeats $f^m = \text{step}(f^{m-1})$.

\subsection*{Importance}
The gain of a stump over a constant is
\[ \text{gain}(f) = \sum_{\text{obs}} r(f)^2 - \sum_{\text{obs}} (r(f) - h(f))^2 \]
and the importance of a feature is the gain of its stumps, $\text{imp}(f) = S \underset{\text{stump}}{\cdot} \text{gain}(f)$.
\end{document}
""",
        [
            Fault(
                r"\frac{ G \underset{\text{obs}}{\cdot} r(f) }",
                r"\frac{ G \underset{\text{feat}}{\cdot} r(f) }",
            ),
            Fault(
                r"\underset{\text{stump}}{\text{argmin}} \sum_{\text{obs}}",
                r"\underset{\text{feat}}{\text{argmin}} \sum_{\text{obs}}",
            ),
            Fault(
                r"S \underset{\text{stump}}{\cdot} \text{gain}(f)",
                r"S \underset{\text{obs}}{\cdot} \text{gain}(f)",
            ),
        ],
        [
            Entry(
                "R",
                lambda f, x, y, S, t: stump(f, x, y, S, t)[0],
                "stump",
                {"f": "obs[4]"},
                {
                    "x": "obs[4] feat[2]",
                    "y": "obs[4]",
                    "S": "stump[3] feat[2] ~ one-hot feat",
                    "theta": "stump[3]",
                },
            ),
            Entry(
                "step",
                lambda f, x, y, S, t: stump(f, x, y, S, t)[2],
                "obs",
                {"f": "obs[4]"},
                {
                    "x": "obs[4] feat[2]",
                    "y": "obs[4]",
                    "S": "stump[3] feat[2] ~ one-hot feat",
                    "theta": "stump[3]",
                },
            ),
            Entry(
                "imp",
                lambda f, x, y, S, t: stump(f, x, y, S, t)[3],
                "feat",
                {"f": "obs[4]"},
                {
                    "x": "obs[4] feat[2]",
                    "y": "obs[4]",
                    "S": "stump[3] feat[2] ~ one-hot feat",
                    "theta": "stump[3]",
                },
            ),
        ],
    ),
]
