"""Sparse features, state spaces and a Bayesian regression: tensors by elements, indicators, sections."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen

DOCUMENTS = [
    Unseen(
        "sparse.md",
        r"""# Sparse autoencoders

Activations $x \in \mathbb{R}^{\text{tok}, \text{emb}}$ of a language model are written as sparse sums of *features*.

Encoder and decoder: $W_e \in \mathbb{R}^{\text{emb}, \text{feat}}$, $b_e \in \mathbb{R}^{\text{feat}}$,
$W_d \in \mathbb{R}^{\text{feat}, \text{emb}}$ and $b_d \in \mathbb{R}^{\text{emb}}$.

$$f(x) = \operatorname{ReLU}\left( W_e \underset{\text{emb}}{\cdot} (x - b_d) + b_e \right)$$

$$\hat{x} = W_d \underset{\text{feat}}{\cdot} f(x) + b_d$$

We train on

$$\mathcal{L}(x) = \underset{\text{tok}}{\text{mean}} \left( \| x - \hat{x} \|_{\text{emb}}^2 + \lambda \sum_{\text{feat}} |f(x)| \right), \quad \lambda > 0.$$

How often a feature fires, and the share of dead ones:

$$\text{freq}(x) = \underset{\text{tok}}{\text{mean}} \, \mathbb{1}[f(x) > 0]$$

$$\text{dead}(x) = \underset{\text{feat}}{\text{mean}} \, \mathbb{1}[\text{freq}(x) < 10^{-6}]$$
""",
        [
            Fault(r"W_e \underset{\text{emb}}{\cdot}", r"W_e \underset{\text{feat}}{\cdot}"),
            Fault(r"\lambda \sum_{\text{feat}} |f(x)|", r"\lambda \sum_{\text{emb}} |f(x)|"),
            Fault(
                r"\text{dead}(x) = \underset{\text{feat}}",
                r"\text{dead}(x) = \underset{\text{tok}}",
            ),
        ],
        [
            Entry(
                "f",
                lambda x, W, b, d: np.maximum((x - d) @ W + b, 0),
                "tok feat",
                {"x": "tok[3] emb[4]"},
                {"W_e": "emb[4] feat[5]", "b_e": "feat[5]", "b_d": "emb[4]"},
            ),
            Entry(
                "freq",
                lambda x, W, b, d: (np.maximum((x - d) @ W + b, 0) > 0).mean(0),
                "feat",
                {"x": "tok[3] emb[4]"},
                {"W_e": "emb[4] feat[5]", "b_e": "feat[5]", "b_d": "emb[4]"},
            ),
        ],
    ),
    Unseen(
        "state_space.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq}\ndef{\st}{state}\ndef{\ch}{chan}
\begin{document}
\section{Diagonal state spaces}
For each channel a state of size $|\st|$ follows the input $u \in \mathbb{R}^{\seq[n] \times \ch}$. With
$A, B, C \in \mathbb{R}^{\ch \times \st}$ and a step $\Delta \in \mathbb{R}^{\ch}$, we discretise
\begin{align}
\bar{A} &= \exp(\Delta \odot A) \\
\bar{B} &= \frac{\bar{A} - 1}{A} \odot B
\end{align}
and run
\begin{align}
h_{\seq(0)} &= 0 \\
h_{\seq(t)} &= \bar{A} \odot h_{\seq(t-1)} + \bar{B} \odot u_{\seq(t)} \\
y_{\seq(t)} &= C \ndot{\st} h_{\seq(t)}
\end{align}
A gate and a projection $W \in \mathbb{R}^{\ch \times \ch'}$ follow:
\begin{equation}
\mathrm{out}(u; W) = [W \ndot{\ch} (y \odot \sigma(u))]_{\ch' \rightarrow \ch}
\end{equation}
Its energy is
\begin{equation}
\mathrm{energy}(u) = \nfun{\seq}{mean} \nsum{\ch} y^2.
\end{equation}
\end{document}
""",
        [
            Fault(r"C \ndot{\st} h", r"C \ndot{\seq} h"),
            Fault(r"W \ndot{\ch} (y", r"W \ndot{\st} (y"),
            Fault(r"\nsum{\ch} y^2", r"\nsum{\st} y^2"),
        ],
        [],
    ),
    Unseen(
        "bayes.md",
        r"""## Bayesian linear regression

The data are inputs $X$ in $\mathbb{R}^{\text{obs}:n, \text{dim}:d}$ and targets $y$ in $\mathbb{R}^{\text{obs}:n}$. The prior precision is $\alpha = 2$, that of the noise $\beta = 25$.

### Posterior

$$\begin{aligned}
G(X) &= X \underset{\text{obs}}{\cdot} [X]_{\text{dim} \rightarrow \text{dim}'} \\
S(X) &= \underset{\text{dim}, \text{dim}'}{\text{inv}} \left( \alpha I + \beta G(X) \right) \\
m(X, y) &= \beta \, S(X) \underset{\text{dim}'}{\cdot} \left[ X \underset{\text{obs}}{\cdot} y \right]_{\text{dim} \rightarrow \text{dim}'}
\end{aligned}$$

with the identity $I_{\text{dim}:i, \text{dim}':j} = \delta_{ij}$.

### Prediction

For new inputs $Z \in \mathbb{R}^{\text{new}, \text{dim}:d}$,

$$\mu(Z, X, y) = Z \underset{\text{dim}}{\cdot} m(X, y)$$

$$v(Z, X) = \frac{1}{\beta} + \sum_{\text{dim}} Z \odot \left( S(X) \underset{\text{dim}'}{\cdot} [Z]_{\text{dim} \rightarrow \text{dim}'} \right)$$
""",
        [
            Fault(r"X \underset{\text{obs}}{\cdot} [X]", r"X \underset{\text{new}}{\cdot} [X]"),
            Fault(
                r"Z \underset{\text{dim}}{\cdot} m(X, y)", r"Z \underset{\text{obs}}{\cdot} m(X, y)"
            ),
            Fault(r"\sum_{\text{dim}} Z \odot", r"\sum_{\text{obs}} Z \odot"),
        ],
        [
            Entry(
                "m",
                lambda X, y: 25 * np.linalg.solve(2 * np.eye(2) + 25 * X.T @ X, X.T @ y),
                "dim",
                {"X": "obs[5] dim[2]", "y": "obs[5]"},
            ),
            Entry(
                "mu",
                lambda Z, X, y: Z @ (25 * np.linalg.solve(2 * np.eye(2) + 25 * X.T @ X, X.T @ y)),
                "new",
                {"Z": "new[3] dim[2]", "X": "obs[5] dim[2]", "y": "obs[5]"},
            ),
            Entry(
                "v",
                lambda Z, X: (
                    1 / 25 + (Z * (Z @ np.linalg.inv(2 * np.eye(2) + 25 * X.T @ X))).sum(1)
                ),
                "new",
                {"Z": "new[3] dim[2]", "X": "obs[5] dim[2]"},
            ),
        ],
    ),
]
