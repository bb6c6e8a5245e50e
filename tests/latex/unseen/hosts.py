"""Hosts, environments and signs of products."""

from __future__ import annotations

import json

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def notebook(*cells: tuple[str, str]) -> str:
    """Write a notebook as Jupyter does."""
    return json.dumps(
        {
            "cells": [
                {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
                for kind, text in cells
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


DOCUMENTS = [
    Unseen(
        "dueling.tex",
        r"""\documentclass[journal]{IEEEtran}
\usepackage{empheq}
\begin{document}
\section{Dueling heads}
\begin{IEEEeqnarray}{rCl}
s &\in& \mathbb{R}^{\text{feat}} \\
V &\in& \mathbb{R}^{\text{feat}} \\
A &\in& \mathbb{R}^{\text{feat}, \text{act}} \\
\text{adv}(s; A) &=& A \underset{\text{feat}}{\cdot} s \\
\text{val}(s; V) &=& V \underset{\text{feat}}{\cdot} s
\end{IEEEeqnarray}
Both heads are joined, with the mean taken off:
\begin{empheq}[box=\fbox]{align}
\text{q}(s; V, A) &= \text{val}(s; V) + \text{adv}(s; A) - \underset{\text{act}}{\text{mean}} \, \text{adv}(s; A)
\end{empheq}
\begin{empheq}{equation*}
\text{greedy}(s; V, A) = \underset{\text{act}}{\max} \, \text{q}(s; V, A)
\end{empheq}
\end{document}
""",
        [
            Fault(r"A \underset{\text{feat}}{\cdot} s \\", r"A \underset{\text{act}}{\cdot} s \\"),
            Fault(
                r"\underset{\text{act}}{\text{mean}} \, \text{adv}",
                r"\underset{\text{feat}}{\text{mean}} \, \text{adv}",
            ),
            Fault(r"\underset{\text{act}}{\max}", r"\underset{\text{feat}}{\max}"),
        ],
        [
            Entry(
                "q",
                lambda s, V, A: V @ s + s @ A - (s @ A).mean(),
                "act",
                {"s": "feat[3]"},
                {"V": "feat[3]", "A": "feat[3] act[2]"},
            ),
            Entry(
                "greedy",
                lambda s, V, A: (V @ s + s @ A - (s @ A).mean()).max(),
                "",
                {"s": "feat[3]"},
                {"V": "feat[3]", "A": "feat[3] act[2]"},
            ),
        ],
    ),
    Unseen(
        "hopfield.tex",
        r"""\documentclass{revtex4-2}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
\newenvironment{eqs}{\begin{align}}{\end{align}}
\newcommand{\R}{\mathbb{R}}
\newcommand{\ax}[1]{\text{#1}}
\begin{document}
\section{Memories}
Stored patterns and a state are
\be
\Xi \in \R^{\ax{mem}, \ax{unit}}, \quad \xi \in \R^{\ax{unit}}, \quad \beta \in \R .
\ee
The energy and the way downhill are
\begin{eqs}
E(\xi, \beta; \Xi) &= -\frac{1}{\beta} \underset{\ax{mem}}{\text{logsumexp}} \left( \beta \, \Xi \underset{\ax{unit}}{\cdot} \xi \right) + \frac12 \sum_{\ax{unit}} \xi^2 \\
u(\xi, \beta; \Xi) &= \Xi \underset{\ax{mem}}{\cdot} \underset{\ax{mem}}{\text{softmax}} \left( \beta \, \Xi \underset{\ax{unit}}{\cdot} \xi \right)
\end{eqs}
so that we iterate
\be
\xi^{t+1} = u(\xi^t, \beta; \Xi).
\ee
\end{document}
""",
        [
            Fault(
                r"\underset{\ax{mem}}{\text{logsumexp}}", r"\underset{\ax{unit}}{\text{logsumexp}}"
            ),
            Fault(r"\frac12 \sum_{\ax{unit}} \xi^2", r"\frac12 \sum_{\ax{mem}} \xi^2"),
            Fault(
                r"\Xi \underset{\ax{mem}}{\cdot} \underset",
                r"\Xi \underset{\ax{unit}}{\cdot} \underset",
            ),
        ],
        [
            Entry(
                "E",
                lambda x, b, X: -np.log(np.exp(b * X @ x).sum()) / b + 0.5 * (x**2).sum(),
                "",
                {"xi": "unit[3]", "beta": 0.7},
                {"Xi": "mem[2] unit[3]"},
            ),
            Entry(
                "u",
                lambda x, b, X: softmax(b * X @ x) @ X,
                "unit",
                {"xi": "unit[3]", "beta": 0.7},
                {"Xi": "mem[2] unit[3]"},
            ),
        ],
    ),
    Unseen(
        "factorisation_machine.md",
        r"""# Factorisation machines

With $x \in \mathbb{R}^{\text{feat}}$, $w \in \mathbb{R}^{\text{feat}}$, $V \in \mathbb{R}^{\text{feat}, \text{fac}}$ and $b \in \mathbb{R}$,

$$
\begin{aligned}
\text{first}(x; w, b) &= b + w \cdot_{\text{feat}} x \\
\text{cross}(x; V) &= \tfrac12 \sum_{\text{fac}} \left( (V \cdot_{\text{feat}} x)^2 - (V \odot V) \cdot_{\text{feat}} (x \odot x) \right) \\
\text{fm}(x; w, b, V) &= \text{first}(x; w, b) + \text{cross}(x; V)
\end{aligned}
$$

The product of two tensors over an axis is written $\cdot_{\text{axis}}$ throughout.

## Attention over fields

Fields are embedded, $Z \in \mathbb{R}^{\text{field}, \text{fac}}$ with $q \in \mathbb{R}^{\text{fac}}$:

$$
\text{pool}(Z; q) = Z \cdot_{\text{field}} \underset{\text{field}}{\text{softmax}} (q \cdot_{\text{fac}} Z)
$$
""",
        [
            Fault(r"w \cdot_{\text{feat}} x", r"w \cdot_{\text{fac}} x"),
            Fault(r"\tfrac12 \sum_{\text{fac}}", r"\tfrac12 \sum_{\text{feat}}"),
            Fault(r"Z \cdot_{\text{field}} \underset", r"Z \cdot_{\text{feat}} \underset"),
        ],
        [
            Entry(
                "fm",
                lambda x, w, b, V: b + w @ x + 0.5 * ((x @ V) ** 2 - (x**2) @ (V**2)).sum(),
                "",
                {"x": "feat[3]"},
                {"w": "feat[3]", "b": 0.5, "V": "feat[3] fac[2]"},
            ),
            Entry(
                "pool",
                lambda Z, q: softmax(Z @ q) @ Z,
                "fac",
                {"Z": "field[4] fac[2]"},
                {"q": "fac[2]"},
            ),
        ],
    ),
    Unseen(
        "tucker.tex",
        r"""\section{Tucker}
A core $G \in \mathbb{R}^{\text{p}, \text{q}, \text{r}}$ and factors
\[
A \in \mathbb{R}^{\text{user}, \text{p}}, \quad B \in \mathbb{R}^{\text{item}, \text{q}}, \quad C \in \mathbb{R}^{\text{time}, \text{r}}
\]
give
\[
T(G, A, B, C) = G \mathop{\cdot}\limits_{\text{p}} A \mathop{\cdot}\limits_{\text{q}} B \mathop{\cdot}\limits_{\text{r}} C .
\]
Without a core (all of one rank $\text{k}$), this is CP:
\[
U \in \mathbb{R}^{\text{user}, \text{k}}, \quad V \in \mathbb{R}^{\text{item}, \text{k}}, \qquad \text{cp}(U, V) = U \underset{\text{k}}{\times} V .
\]
The fit to data $Y \in \mathbb{R}^{\text{user}, \text{item}}$ is
\[
\text{fit}(Y; U, V) = \sum_{\text{user}, \text{item}} (Y - \text{cp}(U, V))^2 .
\]
""",
        [
            Fault(r"\mathop{\cdot}\limits_{\text{q}} B", r"\mathop{\cdot}\limits_{\text{p}} B"),
            Fault(r"U \underset{\text{k}}{\times} V", r"U \underset{\text{p}}{\times} V"),
            Fault(r"\sum_{\text{user}, \text{item}} (Y", r"\sum_{\text{user}, \text{time}} (Y"),
        ],
        [
            Entry(
                "T",
                lambda G, A, B, C: np.einsum("pqr,up,iq,tr->uit", G, A, B, C),
                "user item time",
                {
                    "G": "p[2] q[3] r[2]",
                    "A": "user[2] p[2]",
                    "B": "item[4] q[3]",
                    "C": "time[3] r[2]",
                },
            ),
            Entry(
                "cp", lambda U, V: U @ V.T, "user item", {"U": "user[2] k[2]", "V": "item[3] k[2]"}
            ),
            Entry(
                "fit",
                lambda Y, U, V: ((Y - U @ V.T) ** 2).sum(),
                "",
                {"Y": "user[2] item[3]"},
                {"U": "user[2] k[2]", "V": "item[3] k[2]"},
            ),
        ],
    ),
    Unseen(
        "boosting.tex",
        r"""\DeclareMathOperator{\sgn}{sign}
\section{AdaBoost}
Given weak votes $h \in \{-1,1\}^{\operatorname{ex}, \operatorname{round}}$, labels $y \in \{-1,1\}^{\operatorname{ex}}$ and weights
$D \in (0,1)^{\operatorname{ex}}$ with $\alpha \in \mathbb{R}^{\operatorname{round}}$:
\begin{align*}
\text{err}(h, y, D) &= \sum_{\operatorname{ex}} D \odot \frac{1 - y \odot h}{2} \\
\text{vote}(h, \alpha) &= h \underset{\operatorname{round}}{\cdot} \alpha \\
\text{expo}(h, y, \alpha) &= \underset{\operatorname{ex}}{\operatorname{mean}} \exp(-y \odot \text{vote}(h, \alpha)) \\
\text{next}(h, y, D) &= \frac{D \odot \exp(-y \odot h)}{\sum_{\operatorname{ex}} D \odot \exp(-y \odot h)}
\end{align*}
""",
        [
            Fault(
                r"&= \sum_{\operatorname{ex}} D \odot \frac",
                r"&= \sum_{\operatorname{exs}} D \odot \frac",
            ),
            Fault(
                r"h \underset{\operatorname{round}}{\cdot} \alpha",
                r"h \underset{\operatorname{ex}}{\cdot} \alpha",
            ),
            Fault(
                r"\underset{\operatorname{ex}}{\operatorname{mean}}",
                r"\underset{\operatorname{round}}{\operatorname{mean}}",
            ),
        ],
        [
            Entry(
                "err",
                lambda h, y, D: (D[:, None] * (1 - y[:, None] * h) / 2).sum(0),
                "round",
                {"h": "ex[3] round[2]", "y": "ex[3]", "D": "ex[3] ~ positive"},
            ),
            Entry("vote", lambda h, a: h @ a, "ex", {"h": "ex[3] round[2]", "alpha": "round[2]"}),
            Entry(
                "expo",
                lambda h, y, a: np.exp(-y * (h @ a)).mean(),
                "",
                {"h": "ex[3] round[2]", "y": "ex[3]", "alpha": "round[2]"},
            ),
        ],
    ),
    Unseen(
        "README.md",
        r"""# spatial-pool

Pool features over space. Install it:

```sh
$ pip install spatial-pool   # needs $HOME to be writable
$ export X=$((1 + 2)); echo $X
```

The maths is fenced, as GitHub likes it:

```math
F \in \mathbb{R}^{\text{chan}, \text{height}, \text{width}}
```

```math
\text{gap}(F) = \underset{\text{height}, \text{width}}{\text{mean}} (F)
```

~~~python
price = "$5 and $6"  # not $\text{math}$
~~~

Weights $W \in \mathbb{R}^{\text{chan}, \text{label}}$ turn it into scores, and class maps show where:

```math
\begin{aligned}
\text{scores}(F; W) &= W \underset{\text{chan}}{\cdot} \text{gap}(F) \\
\text{cam}(F; W) &= \underset{\text{height}, \text{width}}{\text{softmax}} \left( W \underset{\text{chan}}{\cdot} F \right)
\end{aligned}
```

It costs $5 a month, or $50 a year.
""",
        [
            Fault(
                r"\underset{\text{height}, \text{width}}{\text{mean}} (F)",
                r"\underset{\text{height}, \text{weight}}{\text{mean}} (F)",
            ),
            Fault(
                r"W \underset{\text{chan}}{\cdot} \text{gap}",
                r"W \underset{\text{label}}{\cdot} \text{gap}",
            ),
            Fault(
                r"\left( W \underset{\text{chan}}{\cdot} F \right)",
                r"\left( W \underset{\text{height}}{\cdot} F \right)",
            ),
        ],
        [
            Entry("gap", lambda F: F.mean((1, 2)), "chan", {"F": "chan[2] height[3] width[4]"}),
            Entry(
                "scores",
                lambda F, W: F.mean((1, 2)) @ W,
                "label",
                {"F": "chan[2] height[3] width[4]"},
                {"W": "chan[2] label[3]"},
            ),
        ],
    ),
    Unseen(
        "lasso.qmd",
        r"""---
title: "Lasso"
format: html
---

## Model

For $X \in \mathbb{R}^{\text{row}, \text{col}}$ and $y \in \mathbb{R}^{\text{row}}$ the lasso minimises over $w \in \mathbb{R}^{\text{col}}$

$$
\text{lasso}(X, y, \lambda; w) = \frac{1}{2 |\text{row}|} \sum_{\text{row}} (y - X \underset{\text{col}}{\cdot} w)^2 + \lambda \sum_{\text{col}} |w|
$$ {#eq-lasso}

with $\lambda \in \mathbb{R}$.

```{r}
#| echo: false
cost <- function(x) x$value$other
```

## Soft thresholds

$$
\text{soft}(w, \lambda) = \text{sign}(w) \odot \max(|w| - \lambda, 0)
$$ {#eq-soft}

```{python}
s = "$W \in R^{a}$"
```

A proximal step of @eq-lasso uses @eq-soft:

$$
\text{ista}(X, y, \lambda; w) = \text{soft}\left(w + X \underset{\text{row}}{\cdot} (y - X \underset{\text{col}}{\cdot} w), \lambda\right)
$$
""",
        [
            Fault(
                r"\sum_{\text{row}} (y - X \underset{\text{col}}{\cdot} w)^2",
                r"\sum_{\text{row}} (y - X \underset{\text{row}}{\cdot} w)^2",
            ),
            Fault(r"\lambda \sum_{\text{col}} |w|", r"\lambda \sum_{\text{row}} |w|"),
            Fault(r"w + X \underset{\text{row}}{\cdot}", r"w + X \underset{\text{col}}{\cdot}"),
        ],
        [
            Entry(
                "lasso",
                lambda X, y, l, w: ((y - X @ w) ** 2).sum() / 8 + l * np.abs(w).sum(),
                "",
                {"X": "row[4] col[3]", "y": "row[4]", "lambda_": 0.3},
                {"w": "col[3]"},
            ),
            Entry(
                "soft",
                lambda w, l: np.sign(w) * np.maximum(np.abs(w) - l, 0),
                "col",
                {"w": "col[3]", "lambda_": 0.3},
            ),
        ],
    ),
    Unseen(
        "pooling.ipynb",
        notebook(
            (
                "markdown",
                "# Gated pooling\n\nFor $H \\in \\mathbb{R}^{\\text{inst}, \\text{feat}}$ in a bag,\n",
            ),
            ("code", "cost = '$5'\nprint(f'{cost} $x$')\n"),
            (
                "markdown",
                "$$\n\\begin{aligned}\nV &\\in \\mathbb{R}^{\\text{feat}, \\text{att}} & w &\\in \\mathbb{R}^{\\text{att}} \\\\\n"
                "g(H; V, w) &= \\underset{\\text{inst}}{\\text{softmax}} \\left( w \\underset{\\text{att}}{\\cdot} \\tanh(V \\underset{\\text{feat}}{\\cdot} H) \\right) \\\\\n"
                "\\text{bag}(H; V, w) &= g(H; V, w) \\underset{\\text{inst}}{\\cdot} H\n\\end{aligned}\n$$\n",
            ),
        ),
        [
            Fault(
                r"\\underset{\\text{inst}}{\\text{softmax}}",
                r"\\underset{\\text{feat}}{\\text{softmax}}",
            ),
            Fault(r"w \\underset{\\text{att}}{\\cdot}", r"w \\underset{\\text{feat}}{\\cdot}"),
            Fault(
                r"g(H; V, w) \\underset{\\text{inst}}{\\cdot} H",
                r"g(H; V, w) \\underset{\\text{att}}{\\cdot} H",
            ),
        ],
        [
            Entry(
                "bag",
                lambda H, V, w: softmax(np.tanh(H @ V) @ w) @ H,
                "feat",
                {"H": "inst[4] feat[3]"},
                {"V": "feat[3] att[2]", "w": "att[2]"},
            ),
        ],
    ),
    Unseen(
        "thesis.tex",
        r"""\documentclass{book}
\input{macros}
\begin{document}
\include{chapters/notation}
\chapter{Mixing}
\begin{align*}
\mathrm{mix}(X; M) &= M \ndot{\time} X \\
\mathrm{out}(X; M, U) &= U \ndot{\chan} \mathrm{mix}(X; M)
\end{align*}
The second is pooled:
\begin{equation*}
\mathrm{pooled}(X; M, U) = \nfun{\time'}{max} \mathrm{out}(X; M, U)
\end{equation*}
\end{document}
""",
        [
            Fault(r"M \ndot{\time} X", r"M \ndot{\chan} X"),
            Fault(r"U \ndot{\chan} \mathrm{mix}", r"U \ndot{\time} \mathrm{mix}"),
            Fault(r"\nfun{\time'}{max}", r"\nfun{\time}{max}"),
        ],
        [
            Entry(
                "mix",
                lambda X, M: M.T @ X,
                "time' chan",
                {"X": "time[3] chan[2]"},
                {"M": "time[3] time'[4]"},
            ),
            Entry(
                "pooled",
                lambda X, M, U: (M.T @ X @ U).max(0),
                "label",
                {"X": "time[3] chan[2]"},
                {"M": "time[3] time'[4]", "U": "chan[2] label[2]"},
            ),
        ],
        beside={
            "macros.tex": "\\ndef{\\time}{time} \\ndef{\\chan}{chan}\n",
            "chapters/notation.tex": "\\chapter{Notation}\n$X \\in \\mathbb{R}^{\\time \\times \\chan}$, $M \\in \\mathbb{R}^{\\time \\times \\time'}$,\n$U \\in \\mathbb{R}^{\\chan \\times \\name{label}}$.\n",
        },
    ),
    Unseen(
        "custom.tex",
        r"""\documentclass{article}
\usepackage{amsmath,tcolorbox}
\begin{document}
\section{Squeezing}
\begin{tcolorbox}
\begin{dmath}
F \in \mathbb{R}^{\text{chan}, \text{pos}}
\end{dmath}
\begin{flalign}
& A \in \mathbb{R}^{\text{chan}, \text{sq}} & & B \in \mathbb{R}^{\text{sq}, \text{chan}} \\
& z(F) = \underset{\text{pos}}{\text{mean}} (F) & \\
& g(F; A, B) = \sigma(B \underset{\text{sq}}{\cdot} \text{relu}(A \underset{\text{chan}}{\cdot} z(F))) &
\end{flalign}
\end{tcolorbox}
\begin{multline}
\text{scaled}(F; A, B) = F \odot \\
g(F; A, B)
\end{multline}
\begin{alignat}{2}
\text{summary}(F; A, B) &= \sum_{\text{pos}} &&\text{scaled}(F; A, B)
\end{alignat}
\end{document}
""",
        [
            Fault(
                r"\underset{\text{pos}}{\text{mean}} (F)", r"\underset{\text{sq}}{\text{mean}} (F)"
            ),
            Fault(
                r"B \underset{\text{sq}}{\cdot} \text{relu}",
                r"B \underset{\text{chan}}{\cdot} \text{relu}",
            ),
            Fault(r"\sum_{\text{pos}}", r"\sum_{\text{sq}}"),
        ],
        [
            Entry(
                "g",
                lambda F, A, B: 1 / (1 + np.exp(-(np.maximum(F.mean(1) @ A, 0) @ B))),
                "chan",
                {"F": "chan[3] pos[4]"},
                {"A": "chan[3] sq[2]", "B": "sq[2] chan[3]"},
            ),
            Entry(
                "scaled",
                lambda F, A, B: (
                    F * (1 / (1 + np.exp(-(np.maximum(F.mean(1) @ A, 0) @ B))))[:, None]
                ),
                "chan pos",
                {"F": "chan[3] pos[4]"},
                {"A": "chan[3] sq[2]", "B": "sq[2] chan[3]"},
            ),
        ],
    ),
]
