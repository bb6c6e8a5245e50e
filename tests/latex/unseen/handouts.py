"""Six LaTeX documents: handouts, method sections and an appendix on flows, pairs, deltas, groups, offsets and depths."""

from __future__ import annotations

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .scopes import softmax


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def velocity(x, t, W1, W2, a, b, c):
    return np.tanh(x @ W1 + np.multiply.outer(t, a) + b) @ W2 + c


def flow_loss(x0, x1, t, *net):
    xt = (1 - t)[:, None] * x0 + t[:, None] * x1
    return ((velocity(xt, t, *net) - (x1 - x0)) ** 2).sum(1).mean()


def euler(z, N, *net):
    for k in range(N):
        z = z + velocity(z, k / N, *net) / N
    return z


def heun(z, t, h, *net):
    first = velocity(z, t, *net)
    return z + h / 2 * (first + velocity(z + h * first, t + h, *net))


def unit(X):
    return X / np.sqrt((X**2).sum(-1, keepdims=True))


def pair_logits(F, G, P, Q, tau, b):
    return np.exp(tau) * unit(F @ P) @ unit(G @ Q).T + b


def sigmoid_loss(Z):
    Y = 2 * np.eye(len(Z)) - 1
    return -np.log(sigmoid(Y * Z)).sum() / len(Z)


def both_ways(Z):
    rows, columns = np.log(softmax(Z, 1)), np.log(softmax(Z, 0))
    return -(np.diag(rows) + np.diag(columns)).sum() / (2 * len(Z))


def gated_delta(q, k, v, alpha, beta):
    S, out = np.zeros((k.shape[1], v.shape[1])), []
    for t in range(len(q)):
        S = alpha[t] * (S - beta[t] * np.outer(k[t], k[t] @ S)) + beta[t] * np.outer(k[t], v[t])
        out.append(q[t] @ S)
    return np.stack(out)


def short_convolution(x, c):
    padded = np.concatenate([np.zeros((len(c) - 1, x.shape[1])), x])
    return sum(c[w] * padded[len(c) - 1 - w : len(padded) - w] for w in range(len(c)))


def corrections(k, v, beta):
    """Values of which each has what is stored under its key taken away."""
    n = len(k)
    strict = np.tril(k @ k.T, -1)
    return np.linalg.inv(np.eye(n) + beta[:, None] * strict) @ (beta[:, None] * v)


def group_advantage(r):
    return (r - r.mean()) / (r.std() + 1e-4)


def surrogate(r, new, old, eps):
    rho, A = np.exp(new - old), group_advantage(r)[:, None]
    return np.minimum(rho * A, np.clip(rho, 1 - eps, 1 + eps) * A)


def group_objective(r, new, old, ref, m, eps, beta):
    kl = np.exp(ref - new) - (ref - new) - 1
    gain = surrogate(r, new, old, eps) - beta * kl
    return ((m * gain).sum(1) / m.sum(1)).mean()


def alibi(H, n):
    h, i, j = np.ogrid[1 : H + 1, :n, :n]
    return np.where(j <= i, -(2.0 ** (-8 * h / H)) * (i - j), -np.inf)


def biased(Q, K, V):
    S = np.einsum("hik,hjk->hij", Q, K) / np.sqrt(Q.shape[2])
    return np.einsum("hij,hjv->hiv", softmax(S + alibi(*Q.shape[:2]), 2), V)


def relative(q, k, R):
    n, c = len(q), (len(R) - 1) // 2
    i, j = np.ogrid[:n, :n]
    return (q @ k.T + np.einsum("ik,ijk->ij", q, R[np.clip(j - i, -c, c) + c])) / np.sqrt(
        q.shape[1]
    )


def rotary(x):
    n, P = x.shape[:2]
    angle = np.outer(np.arange(1, n + 1), 10000.0 ** (-np.arange(P) / P))
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x[..., 0] - s * x[..., 1], s * x[..., 0] + c * x[..., 1]], 2)


def halting(lam):
    going = np.concatenate([[1.0], np.cumprod(1 - lam)[:-1]])
    return lam * going


NET = {
    "W_1": "feat[3] hid[4]",
    "W_2": "hid[4] feat[3]",
    "a": "hid[4]",
    "b": "hid[4]",
    "c": "feat[3]",
}

TOWERS = {
    "F": "image[4] pix[3]",
    "G": "text[4] word[5]",
    "P": "pix[3] emb[2]",
    "Q": "word[5] emb[2]",
}

DOCUMENTS = [
    Unseen(
        "rectified_flow.tex",
        r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,enumitem}
\newcommand{\R}{\mathbb{R}}
\newcommand{\ax}[1]{\text{#1}}
\begin{document}
\begin{center}
{\Large\bfseries Handout 7: Rectified flow}\\[4pt]
Deep generative models, spring term
\end{center}

\section{The idea}
We want to turn noise into data by following an ordinary differential equation. Nothing could be simpler than a straight line, so let us draw
one from every noise vector to some data vector. In a minibatch we have $x_0, x_1 \in \R^{\ax{batch}:B, \ax{feat}:d}$ (noise first, data
second) and for each pair a time $t \in [0, 1]^{\ax{batch}:B}$. The point on the line is
\begin{equation}
  x_t = (1 - t) \odot x_0 + t \odot x_1 ,
  \label{eq:line}
\end{equation}
and it moves with the constant speed $x_1 - x_0$.

\section{The network}
For the handout a network with one hidden layer is enough:
\begin{equation}
  v(x, s) = W_2 \underset{\ax{hid}}{\cdot} \tanh\Bigl( W_1 \underset{\ax{feat}}{\cdot} x + s \, a + b \Bigr) + c .
\end{equation}
Here $x \in \R^{\ax{feat}:d}$ is a point and $s$ a time between 0 and 1; the parameters are $W_1 \in \R^{\ax{feat}:d, \ax{hid}:m}$,
$W_2 \in \R^{\ax{hid}:m, \ax{feat}:d}$, $a, b \in \R^{\ax{hid}:m}$ and $c \in \R^{\ax{feat}:d}$.\footnote{Real models put $s$
through sines and cosines first.}

\section{Training}
With \eqref{eq:line} we regress the speed:
\begin{equation}
  \mathcal{L} = \underset{\ax{batch}}{\text{mean}} \; \sum_{\ax{feat}} \bigl( v(x_t, t) - (x_1 - x_0) \bigr)^2 .
\end{equation}
Times near the middle are the hard ones. It therefore pays to draw $t$ from the \emph{logit-normal} density with location $\mu$ and scale $\varsigma$,
\begin{equation}
  \pi_{\text{ln}}(u; \mu, \varsigma) = \frac{1}{\varsigma \sqrt{2 \pi}} \, \frac{1}{u (1 - u)} \exp\left( - \frac{ (\text{logit}(u) - \mu)^2 }{ 2 \varsigma^2 } \right),
  \qquad \text{logit}(u) = \log \frac{u}{1 - u} .
\end{equation}

\section{Sampling}
\begin{enumerate}[nosep]
\item Draw $z^0 \in \R^{\ax{feat}:d}$ from a standard normal distribution.
\item For $k = 0, \ldots, N - 1$ do an Euler step
\[
  z^{k+1} = z^k + \frac{1}{N} \, v\!\left( z^k, \frac{k}{N} \right) .
\]
\item Return $z^N$.
\end{enumerate}
Heun's method costs two evaluations per step and is of second order. With a step size $h$,
\begin{align}
  \tilde z &= z + h \, v(z, s) \\
  \text{heun}(z, s, h) &= z + \tfrac{h}{2} \bigl( v(z, s) + v(\tilde z, s + h) \bigr) .
\end{align}

\section{Is it straight?}
Record a trajectory $Z \in \R^{\ax{step}:T, \ax{feat}:d}$ together with its velocities $V \in \R^{\ax{step}:T, \ax{feat}:d}$. A straight line has the same
velocity everywhere, and the time that it needs is 1, hence
\begin{equation}
  S = \underset{\ax{step}}{\text{mean}} \, \Bigl\| Z_{\ax{step}(T)} - Z_{\ax{step}(1)} - V \Bigr\|_{\ax{feat}}^2
\end{equation}
vanishes. \emph{Reflow} trains a second model on the pairs $(z^0, z^N)$ of the first, and this lowers $S$.

\paragraph{Exercise.} Show that $x_t = x_0$ if $t = 0$, and that one Euler step suffices if $S = 0$.
\end{document}
""",
        [
            Fault(
                r"W_1 \underset{\ax{feat}}{\cdot} x + s",
                r"W_1 \underset{\ax{hid}}{\cdot} x + s",
            ),
            Fault(
                r"\sum_{\ax{feat}} \bigl( v(x_t, t)",
                r"\sum_{\ax{hid}} \bigl( v(x_t, t)",
            ),
            Fault(r"- Z_{\ax{step}(1)} - V", r"- Z_{\ax{batch}(1)} - V"),
        ],
        [
            Entry(
                "v",
                velocity,
                "feat",
                {"x": "feat[3]", "s": 0.3},
                NET,
            ),
            Entry(
                r"\mathcal{L}",
                flow_loss,
                "",
                {"x_0": "batch[2] feat[3]", "x_1": "batch[2] feat[3]", "t": "batch[2] ~ positive"},
                NET,
            ),
            Entry(
                r"\pi_{\text{ln}}",
                lambda u, mu, s: (
                    np.exp(-((np.log(u / (1 - u)) - mu) ** 2) / (2 * s**2))
                    / (s * np.sqrt(2 * np.pi) * u * (1 - u))
                ),
                "",
                {"u": 0.3, "mu": 0.2, "varsigma": 1.5},
            ),
            Entry(
                "z^N",
                lambda z, *net: euler(z, 4, *net),
                "feat",
                {"z0": "feat[3]"},
                NET,
                chosen={"N": 4},
            ),
            Entry("heun", heun, "feat", {"z": "feat[3]", "s": 0.25, "h": 0.5}, NET),
            Entry(
                "S",
                lambda Z, V: ((Z[-1] - Z[0] - V) ** 2).sum(1).mean(),
                "",
                {"Z": "step[4] feat[3]", "V": "step[4] feat[3]"},
            ),
        ],
    ),
    Unseen(
        "sigmoid_pairs.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,booktabs,namedtensor}
\ndef{\img}{image} \ndef{\txt}{text} \ndef{\emb}{emb}
\DeclareMathOperator{\Recall}{Recall}
\begin{document}

\section{Method}
\subsection{Two encoders}
A minibatch holds $N$ images, each with its caption. The image encoder has given us $F \in \mathbb{R}^{\img[N] \times \name{pix}}$ and the text encoder
$G \in \mathbb{R}^{\txt[N] \times \name{word}}$. Both are mapped to the same space by the matrices
$P \in \mathbb{R}^{\name{pix} \times \emb[d]}$ and $Q \in \mathbb{R}^{\name{word} \times \emb[d]}$, and put on the unit sphere,
\begin{align}
u &= \frac{ F \underset{\text{pix}}{\cdot} P }{ \bigl\| F \underset{\text{pix}}{\cdot} P \bigr\|_{\text{emb}} }, &
v &= \frac{ G \ndot{\name{word}} Q }{ \bigl\| G \ndot{\name{word}} Q \bigr\|_{\emb} } .
\end{align}

\subsection{Pairwise loss}
The logits of all $N^2$ pairs are
\begin{equation}
Z = e^{\tau} \left( u \ndot{\emb} v \right) + b \label{eq:logits}
\end{equation}
where the log-temperature $\tau$ and the bias $b$ are learned scalars, initialised to $\log 10$ and $-10$. We regard every pair as a binary problem of its
own, with the label
\begin{equation*}
Y_{\img(i), \txt(j)} = \begin{cases} +1 & \text{if } i = j, \\ -1 & \text{otherwise.} \end{cases}
\end{equation*}
The loss is then simply
\begin{equation}
\mathcal{L}_{\text{sig}} = - \frac{1}{N} \nsum{\img} \nsum{\txt} \log \sigma(Y \odot Z), \qquad \sigma(a) = \frac{1}{1 + e^{-a}} .
\end{equation}
Since it needs no sum over the batch before the logarithm, it can be computed in chunks. Its gradient is
$\frac{\partial \mathcal{L}_{\text{sig}}}{\partial Z} = - \frac{1}{N} \, Y \odot \sigma(- Y \odot Z)$.

\subsection{Baseline}
The usual softmax loss contrasts each image with all texts and vice versa,
\begin{equation}
\mathcal{L}_{\text{soft}} = - \frac{1}{2N} \sum_{i=1}^{N} \left( \log \frac{ e^{Z_{\img(i), \txt(i)}} }{ \sum_{j=1}^{N} e^{Z_{\img(i), \txt(j)}} }
  + \log \frac{ e^{Z_{\img(i), \txt(i)}} }{ \sum_{j=1}^{N} e^{Z_{\img(j), \txt(i)}} } \right) .
\end{equation}

\subsection{Evaluation}
\paragraph{Retrieval.} We report how often the right caption comes first,
\begin{equation}
\Recall = \frac{1}{N} \sum_{i=1}^{N} \mathbf{1}\bigl[ Z_{\img(i), \txt(i)} \geq \nfun{\txt}{max} Z_{\img(i)} \bigr] .
\end{equation}
\paragraph{Zero-shot classification.} For every class there are several prompts, whose embeddings are $C \in \mathbb{R}^{\name{class} \times \name{prompt} \times \emb[d]}$.
They are averaged and normalised again:
\begin{align}
\bar c &= \nfun{\name{prompt}}{mean} C \\
p &= \nfun{\name{class}}{softmax} \left( e^{\tau} \, u \ndot{\emb} \frac{\bar c}{\| \bar c \|_{\emb}} \right)
\end{align}
\begin{table}[h]
\centering
\begin{tabular}{lcc}
\toprule
loss & batch & top-1 \\
\midrule
softmax & 32k & 73.1 \\
sigmoid & 32k & 74.0 \\
\bottomrule
\end{tabular}
\caption{Accuracy of $p$ on the validation set, where $\tau$ is the same as in \eqref{eq:logits}.}
\end{table}
\end{document}
""",
        [
            Fault(r"\left( u \ndot{\emb} v \right) + b", r"\left( u \ndot{\txt} v \right) + b"),
            Fault(
                r"\sum_{j=1}^{N} e^{Z_{\img(j), \txt(i)}}",
                r"\sum_{j=1}^{N} e^{Z_{\img(j), \emb(i)}}",
            ),
            Fault(r"\nfun{\name{prompt}}{mean} C", r"\nfun{\name{promt}}{mean} C"),
        ],
        [
            Entry(
                "u",
                lambda F, P: unit(F @ P),
                "image emb",
                {"F": "image[4] pix[3]", "P": "pix[3] emb[2]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{sig}}",
                lambda *given: sigmoid_loss(pair_logits(*given)),
                "",
                {**TOWERS, "tau": 0.4, "b": -1.0},
            ),
            Entry(
                r"\mathcal{L}_{\text{soft}}",
                lambda *given: both_ways(pair_logits(*given)),
                "",
                {**TOWERS, "tau": 0.4, "b": -1.0},
            ),
            Entry(
                r"\Recall",
                lambda *given: (np.diag(Z := pair_logits(*given)) >= Z.max(1)).mean(),
                "",
                {**TOWERS, "tau": 0.4, "b": -1.0},
            ),
            Entry(
                "p",
                lambda F, P, C, tau: softmax(np.exp(tau) * unit(F @ P) @ unit(C.mean(1)).T, 1),
                "image class",
                {
                    "F": "image[4] pix[3]",
                    "P": "pix[3] emb[2]",
                    "C": "class[3] prompt[2] emb[2]",
                    "tau": 0.4,
                },
            ),
        ],
    ),
    Unseen(
        "deltas.tex",
        r"""\documentclass[12pt]{report}
\usepackage{amsmath,amssymb}
\newcommand{\Seq}{\text{seq}}
\newcommand{\Key}{\text{key}}
\newcommand{\Val}{\text{val}}
\newcommand{\RR}[1]{\mathbb{R}^{#1}}
\newcommand{\dt}[1]{\mathbin{\underset{#1}{\cdot}}}
\begin{document}
\appendix
\chapter{Fast weights with a delta rule}
This appendix collects the formulas that Chapter 4 uses. We write $\Seq$ for positions, of which there are $n$.

\section{Inputs}
One head of the layer receives
\[
\begin{aligned}
q, k &\in \RR{\Seq:n, \Key:d_k} && \text{queries and keys, the keys of length 1,} \\
v &\in \RR{\Seq:n, \Val:d_v} && \text{values,} \\
\alpha, \beta &\in (0, 1)^{\Seq:n} && \text{how much is kept and how much is written.}
\end{aligned}
\]
Before that, all of them go through a short causal convolution. For a sequence $x \in \RR{\Seq:n, \text{emb}}$ and a kernel
$c \in \RR{\text{win}:w, \text{emb}}$,
\begin{equation}
y_{\Seq(t)} = \sum_{j=1}^{w} c_{\text{win}(j)} \odot x_{\Seq(t - j + 1)}, \qquad x_{\Seq(t)} = 0 \text{ for } t < 1 .
\end{equation}

\section{Recurrent form}
The state is a matrix $S_t \in \RR{\Key:d_k, \Val:d_v}$ with $S_0 = 0$. Linear attention only ever adds to it; the delta rule first looks up what is stored under the
new key and replaces a part of it:
\begin{equation}
\label{eq:delta}
\begin{aligned}
r_t &= S_{t-1} \dt{\Key} k_t \\
S_t &= \alpha_t \left( S_{t-1} - \beta_t \, k_t \odot r_t \right) + \beta_t \, k_t \odot v_t \\
o_t &= S_t \dt{\Key} q_t
\end{aligned}
\end{equation}
for $t = 1, \dots, n$. With $\beta_t = 1$ and $\alpha_t = 1$ the old value is forgotten completely.

\section{Form for one chunk}
In this section nothing is forgotten, that is, $\alpha_t = 1$. The products of different keys below the diagonal are
\begin{equation}
L_{\Seq(i), \Seq'(j)} = \begin{cases} \beta_i \, k_{\Seq(i)} \dt{\Key} k_{\Seq(j)} & j < i \\ 0 & j \ge i \end{cases}
\end{equation}
and one triangular system gives the corrected values of the whole chunk,
\begin{equation}
U = (I_{\Seq, \Seq'} + L)^{-1} \dt{\Seq'} \left[ \beta \odot v \right]_{\Seq \rightarrow \Seq'} .
\end{equation}
The output is a causal linear attention over these,
\begin{equation}
O = \left( M \odot \left( q \dt{\Key} [k]_{\Seq \rightarrow \Seq'} \right) \right) \dt{\Seq'} [U]_{\Seq \rightarrow \Seq'}, \qquad
M_{\Seq(i), \Seq'(j)} = \mathbf{1}\{ j \le i \} .
\end{equation}
\textbf{Remark.} One may check that $O_{\Seq(t)} = o_t$ if all $\alpha_t$ are 1.

\section{Output}
The output is normalised over the values and gated,
\begin{align}
\operatorname{rms}(a) &= \frac{a}{\sqrt{ \underset{\Val}{\operatorname{mean}} \, a^2 + \epsilon }} \\
\operatorname{out}(o; G, x) &= \operatorname{rms}(o) \odot \operatorname{SiLU}\left( x \dt{\text{emb}} G \right)
\end{align}
with $o \in \RR{\Seq:n, \Val:d_v}$, $G \in \RR{\text{emb}, \Val:d_v}$ and $\epsilon = 10^{-6}$.
\end{document}
""",
        [
            Fault(r"r_t &= S_{t-1} \dt{\Key} k_t", r"r_t &= S_{t-1} \dt{\Val} k_t"),
            Fault(
                r"^{-1} \dt{\Seq'} \left[ \beta",
                r"^{-1} \dt{\Key} \left[ \beta",
            ),
            Fault(
                r"\underset{\Val}{\operatorname{mean}} \, a^2",
                r"\underset{\Key}{\operatorname{mean}} \, a^2",
            ),
        ],
        [
            Entry(
                "y",
                short_convolution,
                "seq emb",
                {"x": "seq[6] emb[2]", "c": "win[3] emb[2]"},
            ),
            Entry(
                "o",
                gated_delta,
                "seq val",
                {
                    "q": "seq[4] key[3]",
                    "k": "seq[4] key[3]",
                    "v": "seq[4] val[2]",
                    "alpha": "seq[4] ~ positive",
                    "beta": "seq[4] ~ positive",
                },
            ),
            Entry(
                "U",
                corrections,
                "seq val",
                {"k": "seq[4] key[3]", "v": "seq[4] val[2]", "beta": "seq[4] ~ positive"},
            ),
            Entry(
                "O",
                lambda q, k, v, beta: gated_delta(q, k, v, np.ones(len(q)), beta),
                "seq val",
                {
                    "q": "seq[4] key[3]",
                    "k": "seq[4] key[3]",
                    "v": "seq[4] val[2]",
                    "beta": "seq[4] ~ positive",
                },
            ),
            Entry(
                r"\operatorname{out}",
                lambda o, G, x: (
                    o / np.sqrt((o**2).mean(1, keepdims=True) + 1e-6) * (x @ G) * sigmoid(x @ G)
                ),
                "seq val",
                {"o": "seq[4] val[2]", "G": "emb[3] val[2]", "x": "seq[4] emb[3]"},
            ),
        ],
    ),
    Unseen(
        "group_policies.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\DeclareMathOperator{\clip}{clip}
\begin{document}

\section{Policy optimisation without a critic}
For every prompt the old policy writes a group of $G$ responses, padded to $T$ tokens. Let
$\ell, \ell^{\text{old}}, \ell^{\text{ref}} \in \mathbb{R}^{\text{resp}:G, \text{tok}:T}$ be the log-probabilities of the tokens under the current, the old and
the reference policy, and let $m \in \{0, 1\}^{\text{resp}:G, \text{tok}:T}$ tell tokens from padding. A verifier gives one reward per response,
$r \in \mathbb{R}^{\text{resp}:G}$.

\subsection{Advantages}
The group itself is the baseline:
\begin{equation}
A = \frac{ r - \underset{\text{resp}}{\text{mean}} \, r }{ \underset{\text{resp}}{\text{std}} \, r + \delta }, \qquad \delta = 10^{-4} .
\end{equation}
An alternative leaves one out,
\begin{equation}
A^{\text{loo}}_{\text{resp}(i)} = r_{\text{resp}(i)} - \frac{1}{G - 1} \sum_{j \neq i} r_{\text{resp}(j)} .
\end{equation}

\subsection{Objective}
Write $\rho = \exp(\ell - \ell^{\text{old}})$ for the importance ratios. The clipped surrogate is
\begin{equation}
s = \min\bigl( \rho \odot A, \; \clip(\rho, 1 - \varepsilon, 1 + \varepsilon) \odot A \bigr)
\end{equation}
with a clipping range $\varepsilon$, and the divergence from the reference policy is estimated token by token by
\begin{equation}
D = \exp\bigl( \ell^{\text{ref}} - \ell \bigr) - \bigl( \ell^{\text{ref}} - \ell \bigr) - 1 \geq 0 .
\end{equation}
Altogether we maximise
\begin{equation}
J = \underset{\text{resp}}{\text{mean}} \left( \frac{ \sum_{\text{tok}} m \odot (s - \beta D) }{ \sum_{\text{tok}} m } \right)
\end{equation}
where $\beta \ge 0$ is the weight of the penalty. Short responses are favoured by this average; normalising by all tokens of the group does not do so:
\begin{equation}
J_{\text{tok}} = \frac{ \sum_{\text{resp}, \text{tok}} m \odot s }{ \sum_{\text{resp}, \text{tok}} m } .
\end{equation}

\subsection{Evaluation}
If $c$ out of $n$ samples are correct, the probability that at least one of $k$ is correct has the unbiased estimate
\begin{equation}
\text{pass@}k = 1 - \frac{ \binom{n - c}{k} }{ \binom{n}{k} } .
\end{equation}

\section{Learning from pairs}
Preferences need no sampling. A data set of pairs gives the log-probabilities of whole responses, under the policy
$w, l \in \mathbb{R}^{\text{pair}:M}$ for the preferred and the other one, and under the reference model $w', l' \in \mathbb{R}^{\text{pair}:M}$. The margins are
\begin{equation}
h = (w - w') - (l - l') .
\end{equation}
Direct preference optimisation minimises
\begin{equation}
L_{\text{DPO}} = - \underset{\text{pair}}{\text{mean}} \log \sigma(\kappa h),
\end{equation}
and with the squared loss of IPO one has
\begin{equation}
L_{\text{IPO}} = \underset{\text{pair}}{\text{mean}} \left( h - \frac{1}{2 \kappa} \right)^2 .
\end{equation}
In both $\kappa > 0$ is the strength of the regularisation.
\end{document}
""",
        [
            Fault(
                r"\underset{\text{resp}}{\text{mean}} \, r }{",
                r"\underset{\text{tok}}{\text{mean}} \, r }{",
            ),
            Fault(
                r"- \underset{\text{pair}}{\text{mean}} \log \sigma(\kappa h)",
                r"- \underset{\text{resp}}{\text{mean}} \log \sigma(\kappa h)",
            ),
            Fault(
                r"- \frac{1}{G - 1} \sum_{j \neq i} r_{\text{resp}(j)}",
                r"- \frac{1}{G - 1} \sum_{j \neq i} r_{\text{tok}(j)}",
            ),
        ],
        [
            Entry("A", group_advantage, "resp", {"r": "resp[4]"}),
            Entry(
                r"A^{\text{loo}}",
                lambda r: r - (r.sum() - r) / (len(r) - 1),
                "resp",
                {"r": "resp[4]"},
            ),
            Entry(
                "J",
                group_objective,
                "",
                {
                    "r": "resp[4]",
                    "ell": "resp[4] tok[3]",
                    "ell__old": "resp[4] tok[3]",
                    "ell__ref": "resp[4] tok[3]",
                    "m": "resp[4] tok[3] ~ ones",
                    "varepsilon": 0.2,
                    "beta": 0.04,
                },
            ),
            Entry(
                r"J_{\text{tok}}",
                lambda r, new, old, m, eps: (m * surrogate(r, new, old, eps)).sum() / m.sum(),
                "",
                {
                    "r": "resp[4]",
                    "ell": "resp[4] tok[3]",
                    "ell__old": "resp[4] tok[3]",
                    "m": "resp[4] tok[3] ~ ones",
                    "varepsilon": 0.2,
                },
            ),
            Entry(
                r"L_{\text{DPO}}",
                lambda w, l, v, u, kappa: -np.log(sigmoid(kappa * ((w - v) - (l - u)))).mean(),
                "",
                {"w": "pair[3]", "l": "pair[3]", "w_": "pair[3]", "l_": "pair[3]", "kappa": 0.1},
            ),
        ],
    ),
    Unseen(
        "offsets.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq} \ndef{\head}{head} \ndef{\key}{key} \ndef{\val}{val}
\begin{document}
\section*{Telling positions apart (lecture 11)}

Attention does not know in which order its inputs come. Old models add something to the inputs; newer ones change the \emph{scores}. We go
through four proposals. In all of them $\seq'$ is the position that asks and $\seq$ the position that is looked at, both running from 1 to $n$.

\subsection*{Linear biases}
Every one of the $H$ heads subtracts a multiple of the distance. The slopes are a geometric sequence,
\[
m_{\head(h)} = 2^{-8 h / H}, \qquad h = 1, \dots, H,
\]
and the bias, which is also the causal mask, is
\[
B_{\head(h), \seq'(i), \seq(j)} = \begin{cases} - m_{\head(h)} \, (i - j) & j \le i \\ - \infty & j > i . \end{cases}
\]
For $Q \in \mathbb{R}^{\head[H] \times \seq'[n] \times \key}$, $K \in \mathbb{R}^{\head[H] \times \seq[n] \times \key}$ and
$V \in \mathbb{R}^{\head[H] \times \seq[n] \times \val}$ attention becomes
\[
\mathrm{Att}(Q, K, V) = \nfun{\seq}{softmax} \left( \frac{Q \ndot{\key} K}{\sqrt{|\key|}} + B \right) \ndot{\seq} V .
\]
There is nothing to learn, and longer inputs than those of training may be used.

\subsection*{Learned vectors for offsets}
Let $c$ be the largest offset that is told from others, and let $R \in \mathbb{R}^{\name{off}[2c + 1] \times \key}$ hold a vector for each offset from $-c$ to $c$. Now,
for one head with $q \in \mathbb{R}^{\seq'[n] \times \key}$ and $k \in \mathbb{R}^{\seq[n] \times \key}$,
\[
e_{\seq'(i), \seq(j)} = \frac{ q_{\seq'(i)} \ndot{\key} \left( k_{\seq(j)} + R_{\name{off}(o(i, j))} \right) }{ \sqrt{|\key|} }, \qquad
o(i, j) = \max(-c, \min(c, j - i)) + c + 1 .
\]

\subsection*{Logarithmic kernels}
Slopes that are linear forget too fast for long documents. With $r_1, r_2 > 0$, both learned,
\[
\kappa(x, y) = - r_1 \log(1 + r_2 |x - y|) .
\]

\subsection*{Rotations}
Split the key into $P$ pairs, that is, look at $x \in \mathbb{R}^{\seq[n] \times \name{pair}[P] \times \name{xy}[2]}$, and turn pair $p$ at position $t$ by the
angle $t \, \theta_p$, where
\[
\theta_{\name{pair}(p)} = 10000^{-(p - 1)/P} .
\]
In coordinates
\begin{align*}
\mathrm{rot}(x)_{\seq(t), \name{pair}(p), \name{xy}(1)} &= \cos(t \theta_p) \, x_{\seq(t), \name{pair}(p), \name{xy}(1)} - \sin(t \theta_p) \, x_{\seq(t), \name{pair}(p), \name{xy}(2)} \\
\mathrm{rot}(x)_{\seq(t), \name{pair}(p), \name{xy}(2)} &= \sin(t \theta_p) \, x_{\seq(t), \name{pair}(p), \name{xy}(1)} + \cos(t \theta_p) \, x_{\seq(t), \name{pair}(p), \name{xy}(2)} .
\end{align*}
The scores of two rotated inputs $x$ and $y \in \mathbb{R}^{\seq[n] \times \name{pair}[P] \times \name{xy}[2]}$,
\[
a = \mathrm{rot}(y)_{\seq \to \seq'} \ndot{\name{pair}, \name{xy}} \mathrm{rot}(x) ,
\]
depend on the positions only through their difference.
\end{document}
""",
        [
            Fault(
                r"m_{\head(h)} = 2^{-8 h / H}, \qquad h = 1, \dots, H,",
                r"m_{\head(h)} = 2^{-8 h / H}, \qquad h = 1, \dots, n,",
                at=r"\mathrm{Att}(Q, K, V) = \nfun{\seq}{softmax}",
            ),
            Fault(
                r"\left( k_{\seq(j)} + R_{\name{off}(o(i, j))} \right)",
                r"\left( k_{\seq'(j)} + R_{\name{off}(o(i, j))} \right)",
            ),
            Fault(
                r"\mathrm{rot}(y)_{\seq \to \seq'} \ndot{\name{pair}, \name{xy}}",
                r"\mathrm{rot}(y)_{\seq \to \seq'} \ndot{\name{pair}, \key}",
            ),
        ],
        [
            Entry(
                "m",
                lambda: 2.0 ** (-8 * np.arange(1, 5) / 4),
                "head",
                chosen={"H": 4},
            ),
            Entry(
                r"\mathrm{Att}",
                biased,
                "head seq' val",
                {
                    "Q": "head[2] seq'[3] key[2]",
                    "K": "head[2] seq[3] key[2]",
                    "V": "head[2] seq[3] val[2]",
                },
            ),
            Entry(
                "e",
                relative,
                "seq' seq",
                {"q": "seq'[4] key[2]", "k": "seq[4] key[2]", "R": "off[5] key[2]"},
            ),
            Entry(
                r"\kappa",
                lambda x, y, r, s: -r * np.log(1 + s * abs(x - y)),
                "",
                {"x": 2.0, "y": 5.5, "r_1": 0.7, "r_2": 1.3},
            ),
            Entry(r"\mathrm{rot}", rotary, "seq pair xy", {"x": "seq[3] pair[2] xy[2]"}),
            Entry(
                "a",
                lambda x, y: np.einsum("ipc,jpc->ij", rotary(y), rotary(x)),
                "seq' seq",
                {"x": "seq[3] pair[2] xy[2]", "y": "seq[3] pair[2] xy[2]"},
            ),
        ],
    ),
    Unseen(
        "depths.tex",
        r"""\documentclass[twocolumn]{article}
\usepackage{amsmath,amssymb,namedtensor}
\ndef{\seq}{seq}\ndef{\emb}{emb}\ndef{\hid}{hid}\ndef{\layer}{layer}\ndef{\voc}{vocab}
\newcommand{\relu}{\operatorname{ReLU}}
\begin{document}
\section{Spending less on easy tokens}
Not all tokens are equally hard. We compare three ways to make the depth of a transformer depend on the token. The input of a block is
$X \in \mathbb{R}^{\seq[n] \times \emb[d]}$.

\subsection{Mixture of depths}
A router with weights $w \in \mathbb{R}^{\emb[d]}$ scores all tokens,
\begin{equation}
r = X \ndot{\emb} w ,
\end{equation}
and only the $k$ tokens with the largest scores pass through the block. Let $\rho$ denote the $k$-th largest score, so that $g = \mathbf{1}[r \ge \rho]$ marks the
tokens that are chosen. The block itself shall be a feed-forward layer,
\begin{equation}
f(x) = U_2 \ndot{\hid} \relu( U_1 \ndot{\emb} x ), \qquad x \in \mathbb{R}^{\emb[d]},
\end{equation}
with $U_1 \in \mathbb{R}^{\emb[d] \times \hid}$ and $U_2 \in \mathbb{R}^{\hid \times \emb[d]}$. Then
\begin{equation}
Y = X + g \odot r \odot f(X) .
\end{equation}
Multiplication by $r$ gives the router a gradient. At generation the future is unknown, hence a second predictor $b \in \mathbb{R}^{\emb[d]}$ learns the choice by
\begin{equation}
\ell_{\text{aux}} = - \nfun{\seq}{mean} \left( g \odot \log \sigma( X \ndot{\emb} b ) + (1 - g) \odot \log( 1 - \sigma( X \ndot{\emb} b ) ) \right) .
\end{equation}

\subsection{Early exit}
Let $H \in \mathbb{R}^{\layer[L] \times \seq[n] \times \emb[d]}$ be the hidden states after each layer. All layers share the classifier
$E \in \mathbb{R}^{\emb[d] \times \voc}$, and the distribution after layer $l$ is
\begin{equation}
p_{\layer(l)} = \nfun{\voc}{softmax} \left( H_{\layer(l)} \ndot{\emb} E \right), \qquad l = 1, \ldots, L .
\end{equation}
How confident a layer is, we measure by the entropy,
\begin{equation}
\eta = - \nsum{\voc} p \odot \log p ,
\end{equation}
and leave at the first layer with $\eta_{\layer(l)} < \theta$. Training weighs the losses of all layers by their depth: given the next tokens
$y \in \{0, 1\}^{\seq[n] \times \voc}$, one-hot,
\begin{equation}
\mathcal{L} = - \frac{ \sum_{l=1}^{L} l \; \nfun{\seq}{mean} \nsum{\voc} y \odot \log p_{\layer(l)} }{ \sum_{l=1}^{L} l } .
\end{equation}

\subsection{Learning when to stop}
In the third variant each layer emits a probability $\lambda \in (0, 1)^{\layer[L]}$ to stop there, provided that we came so far. The probability of stopping exactly at layer $l$ is
\begin{equation}
\pi_l = \lambda_l \prod_{j=1}^{l-1} (1 - \lambda_j)
\end{equation}
and what is missing to 1 is given to the last layer. The expected depth is $N = \sum_{l=1}^{L} l \, \pi_l$. As a prior one takes the geometric distribution
\begin{equation}
q_{\layer(l)} = \gamma (1 - \gamma)^{l - 1}
\end{equation}
with a hyperparameter $\gamma$, and the regulariser is
\begin{equation}
\Omega = \nsum{\layer} \pi \odot \log \frac{\pi}{q} .
\end{equation}
\end{document}
""",
        [
            Fault(r"r = X \ndot{\emb} w ,", r"r = X \ndot{\seq} w ,"),
            Fault(
                r"\eta = - \nsum{\voc} p \odot \log p",
                r"\eta = - \nsum{\emb} p \odot \log p",
            ),
            Fault(r"\Omega = \nsum{\layer} \pi", r"\Omega = \nsum{\seq} \pi"),
        ],
        [
            Entry(
                "Y",
                lambda X, w, U, V, rho: (
                    X + ((X @ w >= rho) * (X @ w))[:, None] * (np.maximum(X @ U, 0) @ V)
                ),
                "seq emb",
                {
                    "X": "seq[4] emb[3]",
                    "w": "emb[3]",
                    "U_1": "emb[3] hid[5]",
                    "U_2": "hid[5] emb[3]",
                    "rho": 0.1,
                },
            ),
            Entry(
                r"\ell_{\text{aux}}",
                lambda X, w, b, rho: (
                    -np.where(
                        X @ w >= rho, np.log(sigmoid(X @ b)), np.log(1 - sigmoid(X @ b))
                    ).mean()
                ),
                "",
                {"X": "seq[4] emb[3]", "w": "emb[3]", "b": "emb[3]", "rho": 0.1},
            ),
            Entry(
                r"\eta",
                lambda H, E: -(softmax(H @ E, 2) * np.log(softmax(H @ E, 2))).sum(2),
                "layer seq",
                {"H": "layer[3] seq[4] emb[3]", "E": "emb[3] vocab[5]"},
            ),
            Entry(
                r"\mathcal{L}",
                lambda H, E, y: (
                    -(np.arange(1, 4) @ (y * np.log(softmax(H @ E, 2))).sum(2).mean(1) / 6)
                ),
                "",
                {
                    "H": "layer[3] seq[4] emb[3]",
                    "E": "emb[3] vocab[5]",
                    "y": "seq[4] vocab[5] ~ one-hot vocab",
                },
            ),
            Entry(r"\pi", halting, "layer", {"lambda_": "layer[4] ~ probability layer"}),
            Entry(
                r"\Omega",
                lambda lam, c: (
                    halting(lam) * np.log(halting(lam) / (c * (1 - c) ** np.arange(4)))
                ).sum(),
                "",
                {"lambda_": "layer[4] ~ probability layer", "gamma": 0.3},
            ),
        ],
    ),
]
