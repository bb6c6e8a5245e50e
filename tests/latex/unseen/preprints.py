"""Seven preprints in the notation: lattices, off-policy targets, aggregators, pyramids, inner steps, rounding, causes."""

from __future__ import annotations

from itertools import product

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def log_softmax(z, axis=-1):
    return z - np.log(np.exp(z).sum(axis, keepdims=True))


# Speech: connectionist temporal classification.


def emission(X, W, b, C, c):
    return softmax(np.tanh(X @ W + b) @ C + c)


def collapse(path, blank):
    kept = [p for i, p in enumerate(path) if i == 0 or p != path[i - 1]]
    return [p for p in kept if p != blank]


def alignments(P, y):
    """All paths that collapse to the labels, and their probabilities."""
    T, V = P.shape
    for path in product(range(V), repeat=T):
        if collapse(path, V - 1) == list(y):
            yield path, np.prod([P[t, k] for t, k in enumerate(path)])


def likelihood(P, y):
    return sum(p for _, p in alignments(P, y))


def lattice(P, y):
    V, S = P.shape[1], 2 * len(y) + 1
    z = np.array([V - 1 if s % 2 == 0 else y[s // 2] for s in range(S)])
    A = np.zeros((S, S))
    for s in range(S):
        for r in range(S):
            A[r, s] = r in (s, s - 1) or (r == s - 2 and s % 2 == 1 and z[r] != z[s])
    return z, A, P[:, z]


def forward(P, y):
    z, A, E = lattice(P, y)
    a = [(np.arange(len(z)) < 2) * E[0]]
    for t in range(1, len(P)):
        a.append(E[t] * (a[-1] @ A))
    return np.stack(a)


def backward(P, y):
    z, A, E = lattice(P, y)
    b = [(np.arange(len(z)) >= len(z) - 2) * 1.0]
    for t in range(len(P) - 1, 0, -1):
        b.append(A @ (E[t] * b[-1]))
    return np.stack(b[::-1])


def occupancy(P, y):
    """Posterior probability of each symbol at each frame, from all paths."""
    found = np.zeros_like(P)
    for path, p in alignments(P, y):
        for t, k in enumerate(path):
            found[t, k] += p
    return found / likelihood(P, y)


def emitted(P):
    return len(collapse(list(P.argmax(1)), P.shape[1] - 1))


CTC = {
    "X": "time[5] feat[3]",
    "W": "feat[3] hid[4]",
    "b": "hid[4]",
    "C": "hid[4] token[3]",
    "c": "token[3]",
}
LABELS = {"y": "label[2] ~ whole 2"}


# Reinforcement learning: V-trace.


def log_policy(O, W, a):
    return (log_softmax(np.einsum("bso,oa->bsa", O[:, :-1], W)) * a).sum(2)


def critic(O, w, w0):
    return O @ w + w0


def ratios(O, W, a, m):
    return np.exp(log_policy(O, W, a) - m)


def targets(O, W, w, w0, a, m, r, g, rho, c, lam):
    R, V = ratios(O, W, a, m), critic(O, w, w0)
    delta = np.minimum(rho, R) * (r + g * V[:, 1:] - V[:, :-1])
    e, found = np.zeros(len(r)), []
    for t in range(r.shape[1])[::-1]:
        e = delta[:, t] + g * lam * np.minimum(c, R[:, t]) * e
        found.append(e)
    return V[:, :-1] + np.stack(found[::-1], 1)


def advantages(O, W, w, w0, a, m, r, g, rho, c, lam):
    v, V = targets(O, W, w, w0, a, m, r, g, rho, c, lam), critic(O, w, w0)
    after = np.concatenate([v[:, 1:], V[:, -1:]], 1)
    return np.minimum(rho, ratios(O, W, a, m)) * (r + g * after - V[:, :-1])


def actor_loss(*inputs):
    O, W, _, _, a = inputs[:5]
    return -(advantages(*inputs) * log_policy(O, W, a)).mean()


def critic_loss(*inputs):
    O, _, w, w0 = inputs[:4]
    return ((targets(*inputs) - critic(O, w, w0)[:, :-1]) ** 2).mean() / 2


def entropies(O, W):
    l = log_softmax(np.einsum("bso,oa->bsa", O[:, :-1], W))
    return -(np.exp(l) * l).sum(2)


def entropy_slope(O, W):
    l = log_softmax(np.einsum("bso,oa->bsa", O[:, :-1], W))
    return -np.exp(l) * (l + entropies(O, W)[:, :, None])


OBS = {"O": "env[2] state[5] obs[3]"}
POLICY = {"W": "obs[3] act[3]"}
VALUE = {"w": "obs[3]", "w_0": 0.3}
TAKEN = {"a": "env[2] step[4] act[3] ~ one-hot act", "m": "env[2] step[4]"}
REST = {"r": "env[2] step[4]", "gamma": 0.9, "rhobar": 1.2, "cbar": 1.0, "lambda_": 0.8}


# Graphs: principal neighbourhood aggregation.


def messages(H, F, W1, W2, W3, b):
    return np.maximum(0, (H @ W1)[:, None] + (H @ W2)[None] + F @ W3 + b)


def aggregates(M, A):
    d = A.sum(1)[:, None]
    mean = np.einsum("ij,ijm->im", A, M) / d
    std = np.sqrt(np.maximum(0, np.einsum("ij,ijm->im", A, M**2) / d - mean**2) + 1e-5)
    big = np.stack([M[i][A[i] == 1].max(0) for i in range(len(M))])
    small = np.stack([M[i][A[i] == 1].min(0) for i in range(len(M))])
    return np.stack([mean, std, big, small], 1)


def scalers(A, delta):
    l = np.log(A.sum(1) + 1)
    return np.stack([np.ones(len(A)), l / delta, delta / l], 1)


def pna(H, F, A, delta, W1, W2, W3, b, U, c):
    G, S = aggregates(messages(H, F, W1, W2, W3, b), A), scalers(A, delta)
    return H + np.maximum(0, np.einsum("nam,ns,asmf->nf", G, S, U) + c)


def gaussian_nll(H, w, w0, v, v0, y):
    g = H.mean(0)
    s = np.log1p(np.exp(g @ v + v0))
    return (y - g @ w - w0) ** 2 / (2 * s**2) + np.log(s)


def ring(n, extra):
    A = np.roll(np.eye(n), 1, 1) + np.roll(np.eye(n), -1, 1)
    for i, j in extra:
        A[i, j] = A[j, i] = 1.0
    return A


# Vision: fusing a pyramid, and pooling with offsets.


def up(X):
    return X.repeat(2, 1).repeat(2, 2)


def down(X):
    c, h, w = X.shape
    return X.reshape(c, h // 2, 2, w // 2, 2).max((2, 4))


def separable(X, D, Q, b):
    padded = np.pad(X, ((0, 0), (1, 1), (1, 1)))
    h, w = X.shape[1:]
    Z = sum(
        D[:, a, e, None, None] * padded[:, a : a + h, e : e + w] for a in range(3) for e in range(3)
    )
    return np.einsum("chw,cd->dhw", Z, Q) + b[:, None, None]


def swish(x):
    return x * sigmoid(x)


def fused(X, Y, w):
    w = np.maximum(0, w)
    return swish((w[0] * X + w[1] * Y) / (w.sum() + 1e-4))


def middle(P4, P5, w, D, Q, b):
    return separable(fused(P4, up(P5), w), D, Q, b)


def sampled(F, box, offset):
    """Bilinear samples at the bins' centres, shifted by the offsets: roi bin bin' chans."""
    c, h, w = F.shape
    R, K = offset.shape[:2]
    found = np.zeros((R, K, K, c))
    for r in range(R):
        top, left, bottom, right = box[r]
        for u in range(K):
            for v in range(K):
                y = top + (u + 0.5) / K * (bottom - top) + offset[r, u, v, 0] * (bottom - top)
                x = left + (v + 0.5) / K * (right - left) + offset[r, u, v, 1] * (right - left)
                for i in range(h):
                    for j in range(w):
                        near = max(0, 1 - abs(y - i - 1)) * max(0, 1 - abs(x - j - 1))
                        found[r, u, v] += near * F[:, i, j]
    return found


def smooth_l1(d, beta):
    return np.where(abs(d) < beta, d**2 / (2 * beta), abs(d) - beta / 2)


# Meta learning: prototypes as the start of an inner loop.


def encode(X, Phi, a):
    return np.tanh(X @ Phi + a)


def prototypes(Z, Y):
    return Y.T @ Z / Y.sum(0)[:, None]


def adapted(Z, Y, eta, steps=3):
    c = prototypes(Z, Y)
    W, b = 2 * c, -(c**2).sum(1)
    for _ in range(steps):
        p = softmax(Z @ W.T + b)
        W, b = W - eta * (p - Y).T @ Z / len(Z), b - eta * (p - Y).mean(0)
    return W, b


def query_loss(X, Y, Xq, Yq, Phi, a, eta):
    W, b = adapted(encode(X, Phi, a), Y, eta)
    return -(Yq * log_softmax(encode(Xq, Phi, a) @ W.T + b)).sum(1).mean()


def hessian_product(W, b, V, Z):
    p = softmax(Z @ W.T + b)
    d = Z @ V.T
    return (p * (d - (p * d).sum(1, keepdims=True))).T @ Z / len(Z)


# Quantisation.


def smoothing(X, W, alpha):
    return abs(X).max(0) ** alpha / abs(W).max(1) ** (1 - alpha)


def levels(x, delta, b):
    return delta * np.clip(np.round(x / delta), -(2 ** (b - 1)), 2 ** (b - 1) - 1)


def per_row(X, b):
    return abs(X).max(1, keepdims=True) / (2 ** (b - 1) - 1)


def integer_layer(X, W, alpha, b, A, B):
    s = smoothing(X, W, alpha)
    x, w = X / s, s[:, None] * W
    return levels(x, per_row(x, b), b) @ levels(w, per_row(w.T, b).T, b) + X @ A @ B


def grouped(W, b):
    """Asymmetric rounding with a scale for each group: group elem out."""
    low, high = W.min(1, keepdims=True), W.max(1, keepdims=True)
    step = (high - low) / (2**b - 1)
    z = np.round(-low / step)
    return step * (np.clip(np.round(W / step) + z, 0, 2**b - 1) - z)


def step_slope(x, delta, b):
    low, high, u = -(2 ** (b - 1)), 2 ** (b - 1) - 1, x / delta
    return np.where(u <= low, low, np.where(u >= high, high, np.round(u) - u))


def saliency(X, W, damp, delta, b):
    H = 2 * X.T @ X + damp * np.eye(X.shape[1])
    return (W - levels(W, delta, b)) ** 2 / np.diag(np.linalg.inv(H))[:, None]


# Causes: doubly robust estimates for several arms.


def propensity(X, Theta, theta):
    return softmax(X @ Theta + theta)


def influence(X, A, Y, Theta, theta, B, b):
    mu = X @ B + b
    return mu + A / propensity(X, Theta, theta) * (Y[:, None] - mu)


def spread(psi):
    d = psi - psi.mean(0)
    return d.T @ d / len(psi) ** 2


def errors(*inputs):
    V = spread(influence(*inputs))
    return np.sqrt(np.diag(V) + V[0, 0] - 2 * V[:, 0])


def hajek(X, A, Y, Theta, theta):
    w = A / propensity(X, Theta, theta)
    return (w * Y[:, None]).sum(0) / w.sum(0)


def overlap(X, Theta, theta):
    e = propensity(X, Theta, theta)
    return 1 / (1 / e).sum(1)


def imbalance(X, A, Theta, theta):
    w = A * (overlap(X, Theta, theta)[:, None] / propensity(X, Theta, theta))
    m = np.einsum("nc,na->ca", X, w) / w.sum(0)
    return (m - m[:, :1]) / X.std(0, ddof=1)[:, None]


def two_stage(X, Y, Z):
    P = Z @ np.linalg.inv(Z.T @ Z) @ Z.T
    return np.linalg.inv(X.T @ P @ X) @ X.T @ P @ Y


def heights(box):
    return (box[:, 2] - box[:, 0])[:, None, None, None]


STEP = np.array([1e-6, 0.0])
MOLECULE = {"H": "node[6] feat[2]", "F": "node[6] node'[6] bond[2]"}
MESSAGE = {
    "W_1": "feat[2] msg[3]",
    "W_2": "feat[2] msg[3]",
    "W_3": "bond[2] msg[3]",
    "b": "msg[3]",
}
GRAPH = "node[6] node'[6] ~ bits"
CONVOLUTION = {"D": "chans[2] kh[3] kw[3]", "Q": "chans[2] chans'[2]", "b": "chans'[2]"}
SUPPORT = {"X__S": "shot[6] in[2]", "Y__S": "shot[6] way[2] ~ one-hot way"}
ENCODER = {"Phi": "in[2] hid[2]", "a": "hid[2]"}
LAYER = {
    "X": "token[4] in[3]",
    "W": "in[3] out[2]",
    "alpha": 0.6,
    "b": 4,
    "A": "in[3] rank[2]",
    "B": "rank[2] out[2]",
}
COVARIATES = "unit[8] cov[2]"
TRIAL = {"X": COVARIATES, "A": "unit[8] arm[3] ~ one-hot arm", "Y": "unit[8]"}
SCORE = {"Theta": "cov[2] arm[3]", "theta": "arm[3]"}
REGRESSION = {"B": "cov[2] arm[3]", "b": "arm[3]"}


DOCUMENTS = [
    Unseen(
        "ctc.tex",
        r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb,booktabs}
\usepackage[round]{natbib}
\usepackage{hyperref}

% Named tensors, after Chiang, Rush and Barak
\newcommand{\name}[1]{\mathsf{\vphantom{fg}#1}}
\newcommand{\ndef}[2]{\newcommand{#1}{\name{#2}}}
\newcommand{\ndot}[1]{\mathbin{\underset{\substack{#1}}{\odot}}}
\newcommand{\nsum}[1]{\sum\limits_{\substack{#1}}}
\newcommand{\nfun}[2]{\mathop{\underset{\substack{#1}}{\mathrm{#2}}}}
\ndef{\ftime}{time} \ndef{\feat}{feat} \ndef{\hid}{hid}
\ndef{\tok}{token} \ndef{\lab}{label} \ndef{\lat}{state}
% ours
\newcommand{\R}{\mathbb{R}}
\newcommand{\one}[1]{\mathbb{1}[#1]}
\newcommand{\loss}{\mathcal{L}}

\title{Alignment-Free Training Revisited}
\begin{document}
\maketitle

\section{Model}
\label{sec:model}

\paragraph{Preliminaries.} We write tensors with named axes \citep{chiang2023named}; for a short introduction see their Section~2.
An utterance is a sequence of $T$ frames along $\ftime$, and each frame has acoustic features along $\feat$. The alphabet of $V$ symbols lies along $\tok$;
its last symbol is the blank. A transcript has $N \le T$ labels along $\lab$, none of which is the blank. The indicator $\one{\cdot}$ is one where its argument holds and zero elsewhere.

\paragraph{Encoder.} For the purpose of this section the encoder is one hidden layer, applied to each frame:
\begin{align}
X &\in \R^{\ftime[T] \times \feat} & y &\in [V]^{\lab[N]} \notag \\
W &\in \R^{\feat \times \hid} & b &\in \R^{\hid} \notag \\
C &\in \R^{\hid \times \tok[V]} & c &\in \R^{\tok[V]} \notag \\
U &= C \ndot{\hid} \tanh\Bigl( W \ndot{\feat} X + b \Bigr) + c \label{eq:logits} \\
P &= \nfun{\tok}{softmax} U. \label{eq:emission}
\end{align}
In our experiments it is a Conformer with 17 blocks (Table~\ref{tab:enc}); nothing below depends on that.

\paragraph{Lattice.} Between two labels, and at both ends, a path may visit the blank. We therefore interleave the transcript with blanks, which gives $S = 2N + 1$ states along $\lat$,
\begin{equation}
z_{\lat(s)} = \begin{cases} y_{\lab(s/2)} & \text{if $s$ is even} \\ V & \text{if $s$ is odd} \end{cases}
\qquad s = 1, \dots, 2N+1.
\label{eq:states}
\end{equation}
A path stays in its state, moves on to the next one, or skips a blank between two different labels. With $A \in \{0, 1\}^{\lat'[S] \times \lat[S]}$,
\begin{equation}
A_{\lat'(r), \lat(s)} = \begin{cases}
  1 & \text{if } r = s \text{ or } r = s - 1 \\
  1 & \text{if } r = s - 2, \text{ $s$ is even, and } z_{\lat(r)} \ne z_{\lat(s)} \\
  0 & \text{otherwise.}
\end{cases}
\label{eq:transitions}
\end{equation}
The emission of a state is that of its symbol, $E \in \R^{\ftime[T] \times \lat[S]}$,
\begin{equation}
E_{\ftime(t), \lat(s)} = P_{\ftime(t), \tok(z_{\lat(s)})}.
\label{eq:stateemission}
\end{equation}

\section{Training objective}

The forward variables $\alpha \in \R^{\ftime[T] \times \lat[S]}$ sum over all prefixes of paths. They begin in one of the first two states:
\begin{align}
\alpha_{\ftime(1), \lat(s)} &= \one{s \le 2} \, E_{\ftime(1), \lat(s)} \label{eq:start} \\
\alpha_{\ftime(t)} &= E_{\ftime(t)} \odot \Bigl( A \ndot{\lat'} \bigl[ \alpha_{\ftime(t-1)} \bigr]_{\lat \rightarrow \lat'} \Bigr), \qquad t = 2, \dots, T. \label{eq:forward}
\end{align}
A complete path ends in one of the last two states, so that the likelihood of the transcript and the loss are
\begin{align}
p &= \alpha_{\ftime(T), \lat(2N)} + \alpha_{\ftime(T), \lat(2N+1)} \label{eq:likelihood} \\
\loss &= -\log p. \label{eq:ctc}
\end{align}
CTC is known to be peaky. As a remedy we add the mean entropy of the frames \citep{liu2018entropy}, weighted by $\kappa \ge 0$:
\begin{align}
\Omega &= -\frac{1}{T} \nsum{\ftime \\ \tok} P \odot \log P \label{eq:entropy} \\
J &= \loss - \kappa \, \Omega. \label{eq:objective}
\end{align}

\paragraph{Decoding.} Greedy decoding takes the best symbol of each frame, $\hat{a} = \nfun{\tok}{argmax} P$, where $\hat{a} \in [V]^{\ftime[T]}$, merges repetitions and removes blanks. A frame is kept if it begins a run,
\begin{equation*}
m_{\ftime(t)} = \begin{cases} 1 & \text{if } t = 1 \\ \one{\hat{a}_{\ftime(t)} \ne \hat{a}_{\ftime(t-1)}} & \text{if } t > 1 \end{cases}
\end{equation*}
so the hypothesis has $\hat{N} = \nsum{\ftime} m \odot \one{\hat{a} \ne V}$ labels.

\begin{table}[t]
\centering
\begin{tabular}{lrr}
\toprule
Encoder & Blocks & WER (\%) \\
\midrule
Conformer-S & 16 & 6.3 \\
Conformer-L & 17 & 4.3 \\
\bottomrule
\end{tabular}
\caption{Encoders, and their error rates with $\kappa = 0.1$.}
\label{tab:enc}
\end{table}

\appendix
\section{Gradients}
\label{app:gradients}

The backward variables $\beta \in \R^{\ftime[T] \times \lat[S]}$ sum over all suffixes, from the last frame to the first,
\begin{align}
\beta_{\ftime(T), \lat(s)} &= \one{s \ge 2N} \\
\beta_{\ftime(t)} &= \Bigl[ A \ndot{\lat} \bigl( E_{\ftime(t+1)} \odot \beta_{\ftime(t+1)} \bigr) \Bigr]_{\lat' \rightarrow \lat}, \qquad t = T-1, \dots, 1,
\label{eq:backward}
\end{align}
and the posterior of the states follows from Equations~\eqref{eq:forward} and~\eqref{eq:backward},
\begin{equation}
\gamma = \frac{\alpha \odot \beta}{\nsum{\lat} \alpha \odot \beta}.
\label{eq:posterior}
\end{equation}
Several states may emit the same symbol. We collect them in $G \in \R^{\ftime[T] \times \tok[V]}$,
\begin{equation}
G_{\ftime(t), \tok(k)} = \sum_{s=1}^{2N+1} \gamma_{\ftime(t), \lat(s)} \, \one{z_{\lat(s)} = k},
\end{equation}
whereupon the gradient with respect to the logits of Equation~\eqref{eq:logits} is the familiar difference
\begin{equation}
\frac{\partial \loss}{\partial U} = P - G.
\label{eq:gradient}
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\bigl[ \alpha_{\ftime(t-1)} \bigr]_{\lat \rightarrow \lat'}",
                r"\alpha_{\ftime(t-1)}",
            ),
            Fault(r"P_{\ftime(t), \tok(z_{\lat(s)})}", r"P_{\ftime(t), \lab(z_{\lat(s)})}"),
            Fault(
                r"forward variables $\alpha \in \R^{\ftime[T] \times \lat[S]}$",
                r"forward variables $\alpha \in \R^{\ftime[T]}$",
                r"\label{eq:forward}",
            ),
        ],
        [
            Entry("P", emission, "time token", CTC),
            Entry(
                "A",
                lambda y: lattice(np.ones((1, 3)), y)[1],
                "state' state",
                LABELS,
                chosen={"V": 3},
            ),
            Entry(
                r"\alpha",
                lambda *i: forward(emission(*i[:5]), i[5]),
                "time state",
                CTC | LABELS,
            ),
            Entry(
                r"\beta",
                lambda *i: backward(emission(*i[:5]), i[5]),
                "time state",
                CTC | LABELS,
            ),
            Entry(
                r"\mathcal{L}",
                lambda *i: -np.log(likelihood(emission(*i[:5]), i[5])),
                "",
                CTC | LABELS,
            ),
            Entry(
                "J",
                lambda *i: (
                    -np.log(likelihood(emission(*i[:5]), i[5]))
                    + i[6] * (lambda P: (P * np.log(P)).sum(1).mean())(emission(*i[:5]))
                ),
                "",
                CTC | LABELS | {"kappa": 0.4},
            ),
            Entry(
                "G",
                lambda *i: occupancy(emission(*i[:5]), i[5]),
                "time token",
                CTC | LABELS,
            ),
            Entry(
                r"\frac{\partial \mathcal{L}}{\partial U}",
                lambda *i: emission(*i[:5]) - occupancy(emission(*i[:5]), i[5]),
                "time token",
                CTC | LABELS,
            ),
            Entry(r"\hat{N}", lambda *i: emitted(emission(*i)), "", CTC),
        ],
    ),
    Unseen(
        "vtrace.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amsfonts,bm}
\usepackage{algorithm,algpseudocode}
\newcommand{\ax}[1]{\mathsf{#1}}
\newcommand{\Env}{\ax{env}}
\newcommand{\Step}{\ax{step}}
\newcommand{\State}{\ax{state}}
\newcommand{\Obs}{\ax{obs}}
\newcommand{\Act}{\ax{act}}
\newcommand{\R}{\mathbb{R}}
\newcommand{\con}[1]{\mathbin{\underset{#1}{\cdot}}}
\newcommand{\over}[2]{\underset{#2}{\operatorname{#1}}}
\newcommand{\rhobar}{\bar{\rho}}
\newcommand{\cbar}{\bar{c}}

\begin{document}
\title{How Far Off-Policy? Truncation Levels in Distributed Actor-Critics}
\maketitle

\section{Model}
\subsection{Preliminaries}
Following Chiang et al.\ (arXiv:2102.13196), axes have names and operations state the axes that they act on. Here, $A \con{\Obs} B$ contracts the axis $\Obs$, a function with an axis below it, like $\over{softmax}{\Act}$, acts along that axis, and everything else is elementwise or broadcast.

A batch holds trajectories of $B$ environments. Each has $T$ transitions along $\Step$ and therefore $T+1$ observations, for which we use a separate axis $\State$:\footnote{Sharing one axis invites mistakes by one.}
\begin{align*}
O &\in \R^{\Env[B] \times \State[T+1] \times \Obs} && \text{observations} \\
a &\in \{0,1\}^{\Env[B] \times \Step[T] \times \Act} && \text{actions, one-hot: } \textstyle\sum_{\Act} a = 1 \\
r &\in \R^{\Env[B] \times \Step[T]} && \text{rewards} \\
m &\in \R^{\Env[B] \times \Step[T]} && \text{log-probability of the action when it was taken}
\end{align*}
The last of these is recorded by the actors, whose policy lags behind by some updates.

\subsection{Networks}
The policy and the value function share no parameters. For $W \in \R^{\Obs \times \Act}$, $w \in \R^{\Obs}$ and $w_0 \in \R$,
\begin{align}
\ell_{\Step(t)} &= \over{logsoftmax}{\Act} \bigl( W \con{\Obs} O_{\State(t)} \bigr), \qquad t = 1, \ldots, T, \label{eq:policy} \\
V &= w \con{\Obs} O + w_0, \label{eq:value}
\end{align}
where $\over{logsoftmax}{\Act}(x) = x - \log \sum_{\Act} \exp x$, so that $\ell \in \R^{\Env \times \Step \times \Act}$ and $V \in \R^{\Env \times \State}$.

\subsection{Targets}
Let $\rho$ be the importance ratio of the two policies,
\begin{equation}
\rho = \exp(\ell \con{\Act} a - m).
\label{eq:ratio}
\end{equation}
It is truncated twice, at $\rhobar$ in the temporal differences and at $\cbar$ in the trace ($\rhobar \geq \cbar > 0$). With a discount $\gamma \in [0, 1)$ and $\lambda \in [0, 1]$,
\begin{align}
\delta_{\Step(t)} &= \min(\rhobar, \rho_{\Step(t)}) \bigl( r_{\Step(t)} + \gamma V_{\State(t+1)} - V_{\State(t)} \bigr) \label{eq:td} \\
e_{\Step(t)} &= \begin{cases}
  \delta_{\Step(t)} & t = T \\
  \delta_{\Step(t)} + \gamma \lambda \min(\cbar, \rho_{\Step(t)}) \, e_{\Step(t+1)} & t < T
\end{cases} \label{eq:trace} \\
v_{\Step(t)} &= V_{\State(t)} + e_{\Step(t)}. \label{eq:target}
\end{align}
The advantage of an action looks one step ahead, and falls back to the value function at the end of the batch:
\begin{equation}
\begin{split}
A_{\Step(t)} &= \min(\rhobar, \rho_{\Step(t)}) \bigl( r_{\Step(t)} + \gamma v^{+}_{\Step(t)} - V_{\State(t)} \bigr) \\
v^{+}_{\Step(t)} &= \begin{cases} v_{\Step(t+1)} & \text{if } t < T \\ V_{\State(T+1)} & \text{if } t = T. \end{cases}
\end{split}
\label{eq:adv}
\end{equation}

\subsection{Training objective}
Neither $A$ nor $v$ is differentiated. The three terms of the loss are
\begin{align}
L_{\pi} &= -\frac{1}{B T} \sum_{\Env, \Step} A \odot (\ell \con{\Act} a) \label{eq:lpi} \\
L_{V} &= \frac{1}{2 B T} \sum_{\Env} \sum_{t=1}^{T} \bigl( v_{\Step(t)} - V_{\State(t)} \bigr)^2 \label{eq:lv} \\
H &= -\sum_{\Act} \exp(\ell) \odot \ell \label{eq:h}
\end{align}
and we minimise $L = L_\pi + \frac{1}{2} L_V - \eta \over{mean}{\Env, \Step} H$ with $\eta = 0.01$ by RMSProp; gradients are clipped at a norm of $40$.

\paragraph{Remark.} With $\rhobar = \cbar = \infty$ on data of the present policy, $\lambda = 1$, Equation~\eqref{eq:target} is the return of $T - t + 1$ steps,
\[
v_{\Step(t)} = \sum_{k=t}^{T} \gamma^{k-t} r_{\Step(k)} + \gamma^{T-t+1} V_{\State(T+1)}.
\]

\begin{algorithm}
\caption{Learner}
\begin{algorithmic}
\State receive $O, a, r, m$ from $B$ actors
\State compute $v$ and $A$ by Equations~\eqref{eq:td}--\eqref{eq:adv}
\State take a gradient step on $L$ and publish the parameters
\end{algorithmic}
\end{algorithm}

\appendix
\section{The gradient of the entropy}
We need the slope of $H$ in the logits, not in $\ell$. Let $u \in \R^{\Act}$ be the logits of a single decision, $p = \over{softmax}{\Act} u$, and $h(u) = -\sum_{\Act} p \odot \log p$. Since $\partial p = p \odot (\partial u - p \con{\Act} \partial u)$,
\begin{align}
\partial h &= -(1 + \log p) \con{\Act} \partial p \nonumber \\
&= -(\log p + h(u)) \odot p \con{\Act} \partial u,
\end{align}
and thus, for all decisions of the batch at once, the direction in which entropy grows is
\begin{equation}
D = -\exp(\ell) \odot (\ell + H).
\label{eq:direction}
\end{equation}
\end{document}
""",
        [
            Fault(r"O_{\State(t)} \bigr), \qquad t = 1", r"O_{\Step(t)} \bigr), \qquad t = 1"),
            Fault(r"\rho = \exp(\ell \con{\Act} a - m)", r"\rho = \exp(\ell \con{\Obs} a - m)"),
            Fault(r"$w \in \R^{\Obs}$", r"$w \in \R^{\Act}$", r"V &= w \con{\Obs} O + w_0"),
        ],
        [
            Entry(
                r"\ell",
                lambda O, W: log_softmax(np.einsum("bso,oa->bsa", O[:, :-1], W)),
                "env step act",
                OBS | POLICY,
                chosen={"T": 4},
            ),
            Entry(r"\rho", lambda O, W, a, m: ratios(O, W, a, m), "env step", OBS | POLICY | TAKEN),
            Entry("v", targets, "env step", OBS | POLICY | VALUE | TAKEN | REST),
            Entry("A", advantages, "env step", OBS | POLICY | VALUE | TAKEN | REST),
            Entry(r"L_{\pi}", actor_loss, "", OBS | POLICY | VALUE | TAKEN | REST),
            Entry("L_V", critic_loss, "", OBS | POLICY | VALUE | TAKEN | REST),
            Entry(
                "L",
                lambda *i: (
                    actor_loss(*i) + critic_loss(*i) / 2 - 0.01 * entropies(i[0], i[1]).mean()
                ),
                "",
                OBS | POLICY | VALUE | TAKEN | REST,
            ),
            Entry("D", entropy_slope, "env step act", OBS | POLICY, chosen={"T": 4}),
        ],
    ),
    Unseen(
        "pna.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{namedtensor}
\newtheorem{definition}{Definition}
\newcommand{\reals}{\mathbb{R}}
\DeclareMathOperator{\relu}{ReLU}
\ndef{\vtx}{node} \ndef{\feat}{feat} \ndef{\bond}{bond} \ndef{\msg}{msg}
\ndef{\aggr}{agg} \ndef{\scl}{scale}
\begin{document}

\section{Model}
\label{sec:model}

\paragraph{Notation.} Tensors have named axes, as in the named tensor notation of \cite{chiang2021named}. A molecule is a graph of $n$ atoms along $\vtx$. Pairs of atoms need two copies of that axis: messages go from $\vtx'$ to $\vtx$. We write $\mathcal{N}(i) = \{j \mid A_{\vtx(i), \vtx'(j)} = 1\}$ for the neighbours of atom $i$, and assume that each atom has at least one.

\begin{definition}[Input]
A molecule consists of features of its atoms, features of its bonds, and an adjacency matrix,
\begin{align*}
H^0 &\in \reals^{\vtx[n] \times \feat}, &
F &\in \reals^{\vtx[n] \times \vtx'[n] \times \bond}, &
A &\in \{0, 1\}^{\vtx[n] \times \vtx'[n]}.
\end{align*}
The degree of an atom is $d = \nsum{\vtx'} A$.
\end{definition}

\subsection{Messages}
A message depends on both atoms and on the bond between them. Let $H \in \reals^{\vtx[n] \times \feat}$ be the representation of the atoms at some layer, and let
\begin{align*}
W_1, W_2 &\in \reals^{\feat \times \msg} & W_3 &\in \reals^{\bond \times \msg} & b &\in \reals^{\msg}
\end{align*}
be parameters. Then $M \in \reals^{\vtx[n] \times \vtx'[n] \times \msg}$ is
\begin{equation}
M = \relu\left( W_1 \ndot{\feat} H + W_2 \ndot{\feat} H_{\vtx \rightarrow \vtx'} + W_3 \ndot{\bond} F + b \right).
\label{eq:messages}
\end{equation}

\subsection{Aggregators}
No single aggregator tells all multisets of messages apart \citep[Theorem~1]{corso2020principal}. We use four of them: the mean and the standard deviation
\begin{align}
\mu &= \frac{1}{d} \odot \left( A \ndot{\vtx'} M \right) \label{eq:mean} \\
\sigma &= \sqrt{\relu\left( \frac{A \ndot{\vtx'} M^2}{d} - \mu^2 \right) + \epsilon}, \qquad \epsilon = 10^{-5} \label{eq:std}
\end{align}
and the largest and the smallest message, $M^{+}, M^{-} \in \reals^{\vtx[n] \times \msg}$,
\begin{equation}
M^{+}_{\vtx(i)} = \max_{j \in \mathcal{N}(i)} M_{\vtx(i), \vtx'(j)}, \qquad
M^{-}_{\vtx(i)} = \min_{j \in \mathcal{N}(i)} M_{\vtx(i), \vtx'(j)}.
\label{eq:extremes}
\end{equation}
They are stacked along a new axis $\aggr$, so that $G \in \reals^{\vtx[n] \times \aggr[4] \times \msg}$ has
\begin{align*}
G_{\aggr(1)} &= \mu & G_{\aggr(2)} &= \sigma & G_{\aggr(3)} &= M^{+} & G_{\aggr(4)} &= M^{-}.
\end{align*}

\subsection{Scalers}
Let $\delta > 0$ be the average of $\log(d + 1)$ over all atoms of the training set. Each aggregate is used as it is, amplified, and attenuated:
\begin{equation}
S_{\scl(k)} = \begin{cases}
1 & \text{if } k = 1 \\
\log(d + 1) / \delta & \text{if } k = 2 \\
\delta / \log(d + 1) & \text{if } k = 3
\end{cases}
\qquad S \in \reals^{\vtx[n] \times \scl[3]}.
\label{eq:scalers}
\end{equation}
A layer mixes the twelve combinations and adds the result to its input. For $U \in \reals^{\aggr[4] \times \scl[3] \times \msg \times \feat}$ and $c \in \reals^{\feat}$,
\begin{equation}
\mathrm{PNA}(H, F; W, b, U, c) = H + \relu\left( U \ndot{\aggr \\ \scl \\ \msg} (G \odot S) + c \right).
\label{eq:layer}
\end{equation}
The model has $L$ layers, $H^{l} = \mathrm{PNA}^{l}(H^{l-1}, F)$ for $l = 1, \dots, L$.

\section{Training objective}
\label{sec:objective}
The property $y \in \reals$ is assumed to be normally distributed given the molecule, with a mean and a deviation that are read off the averaged atoms. Let $w, v \in \reals^{\feat}$ and $w_0, v_0 \in \reals$, and
\begin{align}
g(H) &= \nfun{\vtx}{mean} H \label{eq:readout} \\
m(H) &= w \ndot{\feat} g(H) + w_0 \\
s(H) &= \log\left( 1 + \exp( v \ndot{\feat} g(H) + v_0 ) \right) \label{eq:deviation} \\
\mathcal{L}(H, y) &= \frac{(y - m(H))^2}{2 s(H)^2} + \log s(H). \label{eq:nll}
\end{align}

\begin{figure}
\includegraphics[width=\linewidth]{aggregators.pdf}
\caption{Two neighbourhoods with equal $\mu$ and $M^{+}$, told apart by $\sigma$.}
\end{figure}

\appendix
\section{Sensitivity to single messages}
\label{app:sensitivity}
How much does the deviation $\sigma$ change with one message? With $J \in \reals^{\vtx[n] \times \vtx'[n] \times \msg}$, where $J_{\vtx(i), \vtx'(j)}$ is the derivative of $\sigma_{\vtx(i)}$ with respect to $M_{\vtx(i), \vtx'(j)}$, and as long as the variance is positive, Equation~\eqref{eq:std} gives
\begin{align}
J &= \frac{A \odot (M - \mu)}{d \odot \sigma}.
\label{eq:sensitivity}
\end{align}
It vanishes for a message at the mean, and so does its sum over the neighbours, $\nsum{\vtx'} J = 0$.
\end{document}
""",
        [
            Fault(r"W_3 \ndot{\bond} F", r"W_3 \ndot{\feat} F"),
            Fault(
                r"\max_{j \in \mathcal{N}(i)} M_{\vtx(i), \vtx'(j)}",
                r"\max_{j \in \mathcal{N}(i)} M_{\vtx(j)}",
            ),
            Fault(
                r"U \in \reals^{\aggr[4] \times \scl[3] \times \msg \times \feat}",
                r"U \in \reals^{\aggr[4] \times \msg \times \feat}",
                r"\mathrm{PNA}(H, F; W, b, U, c) = H +",
            ),
        ],
        [
            Entry("M", messages, "node node' msg", MOLECULE | MESSAGE),
            Entry(
                r"\sigma",
                lambda *i: aggregates(messages(*i[:-1]), i[-1])[:, 1],
                "node msg",
                MOLECULE | MESSAGE | {"A": GRAPH},
            ),
            Entry(
                "M^{+}",
                lambda *i: aggregates(messages(*i[:-1]), i[-1])[:, 2],
                "node msg",
                MOLECULE | MESSAGE | {"A": GRAPH},
            ),
            Entry("S", scalers, "node scale", {"A": GRAPH, "delta": 1.1}),
            Entry(
                "PNA",
                pna,
                "node feat",
                MOLECULE | {"A": GRAPH, "delta": 1.1},
                MESSAGE | {"U": "agg[4] scale[3] msg[3] feat[2]", "c": "feat[2]"},
            ),
            Entry(
                r"\mathcal{L}",
                gaussian_nll,
                "",
                {
                    "H": "node[4] feat[2]",
                    "w": "feat[2]",
                    "w_0": 0.2,
                    "v": "feat[2]",
                    "v_0": -0.3,
                    "y": 0.7,
                },
            ),
            Entry(
                "J",
                lambda *i: (
                    lambda M, A, G: (
                        A[:, :, None] * (M - G[:, None, 0]) / (A.sum(1)[:, None] * G[:, 1])[:, None]
                    )
                )(messages(*i[:-1]), i[-1], aggregates(messages(*i[:-1]), i[-1])),
                "node node' msg",
                MOLECULE | MESSAGE | {"A": GRAPH},
            ),
        ],
    ),
    Unseen(
        "pyramid.tex",
        r"""\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb}
\newcommand{\name}[1]{\mathsf{\vphantom{fg}#1}}
\newcommand{\height}{\name{height}}
\newcommand{\width}{\name{width}}
\newcommand{\chans}{\name{chans}}
\newcommand{\roi}{\name{roi}}
\newcommand{\bin}{\name{bin}}
\newcommand{\ndot}[1]{\mathbin{\underset{\substack{#1}}{\odot}}}
\newcommand{\nfun}[2]{\mathop{\underset{\substack{#1}}{\mathrm{#2}}}}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\up}{\operatorname{up}}
\newcommand{\down}{\operatorname{down}}
\newcommand{\sep}{\operatorname{sep}}
\newcommand{\swish}{\operatorname{swish}}
\begin{document}
\section{Model}

\textbf{Notation.} Feature maps are named tensors~\cite{chiang2023named} with axes $\chans$, $\height$ and $\width$. We use three levels of the backbone. A level has half the resolution of the one before it, and all have been projected to the same channels:
\begin{equation}
\begin{aligned}
P_3 &\in \reals^{\chans \times \height[4h] \times \width[4w]} \\
P_4 &\in \reals^{\chans \times \height[2h] \times \width[2w]} \\
P_5 &\in \reals^{\chans \times \height[h] \times \width[w]}
\end{aligned}
\label{eq:levels}
\end{equation}

\subsection{Changing resolution}
Upsampling repeats each pixel, downsampling takes the largest of each block of four. They are functions
\begin{align*}
\up &\colon \reals^{\height[h] \times \width[w]} \rightarrow \reals^{\height[2h] \times \width[2w]} \\
\down &\colon \reals^{\height[2h] \times \width[2w]} \rightarrow \reals^{\height[h] \times \width[w]}
\end{align*}
given by
\begin{align}
\up(X)_{\height(i), \width(j)} &= X_{\height(\lceil i/2 \rceil), \width(\lceil j/2 \rceil)} \label{eq:up} \\
\down(X)_{\height(i), \width(j)} &= \max_{a, b \in \{0, 1\}} X_{\height(2i - a), \width(2j - b)}. \label{eq:down}
\end{align}

\subsection{Fusion}
Inputs of a fusion node contribute unequally. EfficientDet~\cite{tan2020efficientdet} learns a non-negative weight for each of them, $\omega \in \reals^{\name{in}[2]}$, and normalises without a softmax:
\begin{equation}
\operatorname{fuse}(X, Y; \omega) = \swish\left( \frac{\omega^{+}_{\name{in}(1)} X + \omega^{+}_{\name{in}(2)} Y}{\sum_{\name{in}} \omega^{+} + \epsilon} \right),
\qquad \omega^{+} = \max(0, \omega),
\label{eq:fuse}
\end{equation}
with $\epsilon = 10^{-4}$ and $\swish(x) = x \, \sigma(x)$. A depthwise separable convolution follows. Its parameters are
$D \in \reals^{\chans \times \name{kh}[3] \times \name{kw}[3]}$, $Q \in \reals^{\chans \times \chans'}$ and $b \in \reals^{\chans'}$, with $|\chans'| = |\chans|$, and
\begin{align}
Z_{\height(i), \width(j)} &= \sum_{p=1}^{3} \sum_{q=1}^{3} D_{\name{kh}(p), \name{kw}(q)} \odot X_{\height(i + p - 2), \width(j + q - 2)} \label{eq:depthwise} \\
\sep(X; D, Q, b) &= \left[ Q \ndot{\chans} Z + b \right]_{\chans' \rightarrow \chans}. \label{eq:separable}
\end{align}
Outside of the map, $X$ is taken to be zero. The top-down pathway is then
\begin{equation}
\begin{split}
T_4 &= \sep(\operatorname{fuse}(P_4, \up(P_5); \omega_4); D_4, Q_4, b_4) \\
T_3 &= \sep(\operatorname{fuse}(P_3, \up(T_4); \omega_3); D_3, Q_3, b_3)
\end{split}
\label{eq:topdown}
\end{equation}
where each node has parameters of its own. The bottom-up pathway is its mirror image, e.g.\ $B_4 = \operatorname{fuse}(T_4, \down(T_3); \omega_B)$ with $\omega_B \in \reals^{\name{in}[2]}$.

\subsection{Deformable pooling}
A region of interest is a box with four coordinates (top, left, bottom, right), $\beta \in \reals^{\roi[n] \times \name{coord}[4]}$, in units of pixels. It is divided into $k \times k$ bins along $\bin$ and $\bin'$, and each bin is shifted by an offset, $\Delta \in \reals^{\roi[n] \times \bin[k] \times \bin'[k] \times \name{dir}[2]}$, which is relative to the size of the box:
\begin{align}
s_{\name{dir}(1)} &= \beta_{\name{coord}(3)} - \beta_{\name{coord}(1)} \notag \\
s_{\name{dir}(2)} &= \beta_{\name{coord}(4)} - \beta_{\name{coord}(2)} \notag \\
y_{\bin(u)} &= \beta_{\name{coord}(1)} + s_{\name{dir}(1)} \odot \left( \frac{u - \frac{1}{2}}{k} + \Delta_{\bin(u), \name{dir}(1)} \right) \label{eq:y} \\
x_{\bin'(v)} &= \beta_{\name{coord}(2)} + s_{\name{dir}(2)} \odot \left( \frac{v - \frac{1}{2}}{k} + \Delta_{\bin'(v), \name{dir}(2)} \right) \label{eq:x}
\end{align}
Both $x$ and $y$ have axes $\roi \times \bin \times \bin'$, since the offsets do. The map is read at these points by bilinear interpolation, i.e.\ with hat functions as weights:
\begin{align}
K_{\height(i)} &= \max(0, 1 - |y - i|) & i &= 1, \ldots, 2h \label{eq:hat} \\
K'_{\width(j)} &= \max(0, 1 - |x - j|) & j &= 1, \ldots, 2w \notag \\
R &= (K \odot K') \ndot{\height \\ \width} P_4 \label{eq:pooled}
\end{align}

\section{Training objective}
Let $\hat{\beta}, \beta^{*} \in \reals^{\roi[n] \times \name{coord}[4]}$ be predicted and true boxes. Regression minimises
\begin{equation}
\mathcal{L}_{\text{box}} = \frac{1}{n} \sum_{\roi, \name{coord}} H(\hat{\beta} - \beta^{*}), \qquad
H(\delta) = \begin{cases}
\frac{\delta^2}{2 \tau} & \text{if } |\delta| < \tau \\
|\delta| - \frac{\tau}{2} & \text{otherwise}
\end{cases}
\label{eq:box}
\end{equation}
with $\tau = \frac{1}{9}$. Large offsets are discouraged by
$\mathcal{L}_{\text{off}} = \nfun{\roi \\ \bin \\ \bin'}{mean} \sum_{\name{dir}} \Delta^2$.

\appendix
\section{Derivative of the pooling operator}
For Equation~\eqref{eq:pooled}, the derivative of each sample with respect to its own vertical position is $R^{y} \in \reals^{\chans \times \roi \times \bin \times \bin'}$,
\begin{align}
R^{y} &= (K^{y} \odot K') \ndot{\height \\ \width} P_4, \\
K^{y}_{\height(i)} &= \begin{cases}
1 & \text{if } i - 1 < y \le i \\
-1 & \text{if } i < y < i + 1 \\
0 & \text{otherwise.}
\end{cases}
\end{align}
\end{document}
""",
        [
            Fault(
                r"\operatorname{fuse}(P_4, \up(P_5); \omega_4)",
                r"\operatorname{fuse}(P_4, P_5; \omega_4)",
            ),
            Fault(r"D_{\name{kh}(p), \name{kw}(q)}", r"D_{\name{kh}(p), \width(q)}"),
            Fault(r"\Delta_{\bin'(v), \name{dir}(2)}", r"\Delta_{\bin(v), \name{dir}(2)}"),
        ],
        [
            Entry(
                r"\operatorname{up}",
                lambda X: up(X[None])[0],
                "height width",
                {"X": "height[2] width[3]"},
            ),
            Entry(
                r"\operatorname{down}",
                lambda X: down(X[None])[0],
                "height width",
                {"X": "height[4] width[6]"},
            ),
            Entry(
                r"\operatorname{fuse}",
                fused,
                "chans height width",
                {"X": "chans[2] height[2] width[3]", "Y": "chans[2] height[2] width[3]"},
                {"omega": "in[2]"},
            ),
            Entry(
                r"\operatorname{sep}",
                separable,
                "chans height width",
                {"X": "chans[2] height[3] width[4]"},
                CONVOLUTION,
            ),
            Entry(
                "T_4",
                middle,
                "chans height width",
                {"P_4": "chans[2] height[4] width[6]", "P_5": "chans[2] height[2] width[3]"}
                | {"omega_4": "in[2] ~ positive"}
                | {f"{name}_4": space for name, space in CONVOLUTION.items()},
            ),
            Entry(
                "R",
                sampled,
                "roi bin bin' chans",
                {
                    "P_4": "chans[2] height[4] width[6]",
                    "beta": "roi[2] coord[4] ~ positive",
                    "Delta": "roi[2] bin[2] bin'[2] dir[2]",
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{box}}",
                lambda p, t: smooth_l1(p - t, 1 / 9).sum() / len(p),
                "",
                {"betahat": "roi[3] coord[4]", "beta__star": "roi[3] coord[4]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{off}}",
                lambda d: (d**2).sum(3).mean(),
                "",
                {"Delta": "roi[2] bin[3] bin'[3] dir[2]"},
            ),
            Entry(
                "R^{y}",
                lambda F, box, d: (
                    (
                        sampled(F, box, d + STEP / heights(box))
                        - sampled(F, box, d - STEP / heights(box))
                    )
                    / 2e-6
                ),
                "roi bin bin' chans",
                {
                    "P_4": "chans[2] height[4] width[6]",
                    "beta": "roi[2] coord[4] ~ positive",
                    "Delta": "roi[2] bin[2] bin'[2] dir[2]",
                },
            ),
        ],
    ),
    Unseen(
        "maml.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{algorithm2e}
% macros of arXiv:2102.13196
\newcommand{\name}[1]{\mathsf{\vphantom{fg}#1}}
\newcommand{\ndot}[1]{\mathbin{\underset{\substack{#1}}{\cdot}}}
\newcommand{\nsum}[1]{\sum\limits_{\substack{#1}}}
\newcommand{\nfun}[2]{\mathop{\underset{\substack{#1}}{\mathrm{#2}}}}
% axes
\def\shot{\name{shot}}
\def\query{\name{query}}
\def\inp{\name{in}}
\def\hid{\name{hid}}
\def\way{\name{way}}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\enc}{f_{\phi}}
\newcommand{\thalf}{\tfrac{1}{2}}
\newtheorem{proposition}{Proposition}
\newtheorem{remark}{Remark}

\begin{document}
\section{Model}\label{sec:model}

\paragraph{Preliminaries and notation.}
We use named tensor notation throughout. A \emph{task} (or episode) consists of $n$ labelled support examples and $m$ labelled query examples, drawn from $C$ classes that were not seen before. Support examples lie along $\shot$, query examples along $\query$, and classes along $\way$. The class of an example is one-hot:
\begin{align}
X^S &\in \reals^{\shot[n] \times \inp} & Y^S &\in \{0, 1\}^{\shot[n] \times \way[C]} & \nsum{\way} Y^S &= 1 \label{eq:support} \\
X^Q &\in \reals^{\query[m] \times \inp} & Y^Q &\in \{0, 1\}^{\query[m] \times \way[C]} & \nsum{\way} Y^Q &= 1 \label{eq:query}
\end{align}

\paragraph{Encoder.}
All examples pass through the same encoder with parameters $\phi = (\Phi, a)$, where $\Phi \in \reals^{\inp \times \hid}$ and $a \in \reals^{\hid}$:
\begin{equation}
\enc(x) = \tanh\left( \Phi \ndot{\inp} x + a \right). \label{eq:enc}
\end{equation}
We abbreviate $Z = \enc(X^S)$ and $Z^Q = \enc(X^Q)$.

\paragraph{Head.}
Instead of a learned initialisation, which presumes a fixed order of the classes, the head starts at the prototypes of the support set \citep{triantafillou2020meta}, $c \in \reals^{\way \times \hid}$:
\begin{align}
c &= \frac{Y^S \ndot{\shot} Z}{\nsum{\shot} Y^S} \label{eq:proto} \\
W^0 &= 2 c \label{eq:w0} \\
b^0 &= - \nsum{\hid} c^2. \label{eq:b0}
\end{align}
\begin{remark}
With $W^0$ and $b^0$ the logit of a class is $\lVert z \rVert^2 - \lVert z - c \rVert^2$, and the classifier is the prototypical network.
\end{remark}

\paragraph{Inner loop.}
For a head $W \in \reals^{\way \times \hid}$, $b \in \reals^{\way}$, let $\pi(W, b, z) = \nfun{\way}{softmax} (W \ndot{\hid} z + b)$ be the predicted distribution. The cross entropy on the support set is
\begin{equation}
\ell(W, b) = - \frac{1}{n} \nsum{\shot \\ \way} Y^S \odot \log \pi(W, b, Z) \label{eq:inner}
\end{equation}
and the head takes $K$ steps of gradient descent with step size $\eta > 0$. For $k = 1, \dots, K$,
\begin{equation}
\begin{aligned}
R^{k} &= \pi(W^{k-1}, b^{k-1}, Z) - Y^S \\
W^{k} &= W^{k-1} - \frac{\eta}{n} \, R^{k} \ndot{\shot} Z \\
b^{k} &= b^{k-1} - \frac{\eta}{n} \nsum{\shot} R^{k}.
\end{aligned}
\label{eq:steps}
\end{equation}

\section{Meta objective}\label{sec:meta}
The encoder is trained for the loss on the query set \emph{after} adaptation,
\begin{equation}
\mathcal{L} = - \frac{1}{m} \nsum{\query \\ \way} Y^Q \odot \log \pi(W^K, b^K, Z^Q), \label{eq:outer}
\end{equation}
and tested by the accuracy $\frac{1}{m} \sum_{\query} Y^Q_{\way(\hat{y})}$ with $\hat{y} = \nfun{\way}{argmax} \bigl( W^K \ndot{\hid} Z^Q + b^K \bigr)$.

\begin{algorithm}
\caption{One iteration of meta-training}
\KwIn{a task, the encoder $\phi$}
start the head at the prototypes, Eqs.~\eqref{eq:proto}--\eqref{eq:b0}\;
adapt it, Eq.~\eqref{eq:steps}\;
update $\phi$ with the gradient of Eq.~\eqref{eq:outer}\;
\end{algorithm}

\appendix
\section{Derivations}\label{app:derivations}
\subsection{Gradient of the inner loss}
Write $u = W \ndot{\hid} Z + b$ for the logits of the support examples, and $p = \nfun{\way}{softmax} u$. The differential of the logarithm of the softmax is
\begin{align}
\partial \log p &= \partial u - p \ndot{\way} \partial u, \label{eq:dlog} \\
\intertext{and because each example has exactly one class,}
\frac{\partial \ell}{\partial u} &= \frac{1}{n} (p - Y^S), \label{eq:du} \\
\frac{\partial \ell}{\partial W} &= \frac{1}{n} (p - Y^S) \ndot{\shot} Z, \label{eq:dw} \\
\frac{\partial \ell}{\partial b} &= \frac{1}{n} \nsum{\shot} (p - Y^S). \label{eq:db}
\end{align}

\subsection{Products with the Hessian}
The outer gradient runs back through Eq.~\eqref{eq:steps} and multiplies by $I - \eta \nabla^2 \ell$ at each step. First-order MAML drops the second term. It is not needed as a matrix; for a direction $V \in \reals^{\way \times \hid}$ of $W$,
\begin{equation}
\begin{split}
N(V) &= \frac{1}{n} \left( p \odot \Bigl( q - \nsum{\way} p \odot q \Bigr) \right) \ndot{\shot} Z \\
q &= V \ndot{\hid} Z.
\end{split}
\label{eq:hvp}
\end{equation}
\begin{proposition}
$V \ndot{\way \\ \hid} N(V) \ge 0$, i.e.\ the inner problem is convex.
\end{proposition}
\begin{proof}
The left-hand side is the mean over the support set of the variance of $q$ under $p$.
\end{proof}
\end{document}
""",
        [
            Fault(r"\, R^{k} \ndot{\shot} Z", r"\, R^{k} \ndot{\query} Z"),
            Fault(
                r"\frac{Y^S \ndot{\shot} Z}{\nsum{\shot} Y^S}",
                r"\frac{Y^S \ndot{\shot} Z}{\nsum{\hid} Y^S}",
            ),
            Fault(
                r"For a head $W \in \reals^{\way \times \hid}$",
                r"For a head $W \in \reals^{\way \times \inp}$",
            ),
        ],
        [
            Entry(
                r"f_{\phi}",
                encode,
                "shot hid",
                {"x": "shot[3] in[2]", "Phi": "in[2] hid[3]", "a": "hid[3]"},
            ),
            Entry(
                "c",
                lambda X, Y, Phi, a: prototypes(encode(X, Phi, a), Y),
                "way hid",
                SUPPORT | ENCODER,
            ),
            Entry(
                "b^0",
                lambda X, Y, Phi, a: -(prototypes(encode(X, Phi, a), Y) ** 2).sum(1),
                "way",
                SUPPORT | ENCODER,
            ),
            Entry(
                r"\ell",
                lambda W, b, X, Y, Phi, a: (
                    -(Y * log_softmax(encode(X, Phi, a) @ W.T + b)).sum(1).mean()
                ),
                "",
                {"W": "way[2] hid[2]", "b": "way[2]"} | SUPPORT | ENCODER,
            ),
            Entry(
                "W^K",
                lambda X, Y, Phi, a, eta: adapted(encode(X, Phi, a), Y, eta)[0],
                "way hid",
                SUPPORT | ENCODER | {"eta": 0.5},
                chosen={"K": 3},
            ),
            Entry(
                r"\mathcal{L}",
                query_loss,
                "",
                SUPPORT
                | {"X__Q": "query[4] in[2]", "Y__Q": "query[4] way[2] ~ one-hot way"}
                | ENCODER
                | {"eta": 0.5},
                chosen={"K": 3},
            ),
            Entry(
                r"\frac{\partial \ell}{\partial W}",
                lambda W, b, X, Y, Phi, a: (
                    (softmax(encode(X, Phi, a) @ W.T + b) - Y).T @ encode(X, Phi, a) / len(X)
                ),
                "way hid",
                {"W": "way[2] hid[2]", "b": "way[2]"} | SUPPORT | ENCODER,
            ),
            Entry(
                "N",
                lambda V, W, b, X, Phi, a: hessian_product(W, b, V, encode(X, Phi, a)),
                "way hid",
                {"V": "way[2] hid[2]", "W": "way[2] hid[2]", "b": "way[2]", "X__S": "shot[6] in[2]"}
                | ENCODER,
            ),
        ],
    ),
    Unseen(
        "quant.md",
        r"""---
title: "Smooth, round, repair: post-training quantisation in named tensors"
author: A. Lindqvist and M. Oyelaran
bibliography: refs.bib
---

<!-- preprint source, rendered with pandoc --mathjax -->

$$
\newcommand{\tok}{\mathsf{token}}
\newcommand{\inp}{\mathsf{in}}
\newcommand{\out}{\mathsf{out}}
\newcommand{\rank}{\mathsf{rank}}
\newcommand{\group}{\mathsf{group}}
\newcommand{\elem}{\mathsf{elem}}
\newcommand{\R}{\mathbb{R}}
\newcommand{\dotover}[1]{\underset{#1}{\cdot}}
\newcommand{\along}[2]{\underset{#1}{\operatorname{#2}}}
\newcommand{\round}[1]{\left\lfloor #1 \right\rceil}
$$

# 2 Model

**Notation.** We follow the named tensor notation [@chiang2023named]: axes have names (set in sans serif), and what an operation acts upon stands below it. $|\inp|$ is the length of an axis. $\round{x}$ rounds to the nearest whole number, and $b \geq 2$ is the number of bits.

A linear layer without bias maps activations to activations:

| Tensor | Space | |
|---|---|---|
| $X$ | $\R^{\tok:n, \inp}$ | activations of $n$ calibration tokens |
| $W$ | $\R^{\inp, \out}$ | weights |
| $Y$ | $\R^{\tok:n, \out}$ | what the layer gives, $Y = X \dotover{\inp} W$ |

## 2.1 Smoothing

Activations have outliers in a few channels, and weights do not. Following SmoothQuant we move a part of their magnitude into the weights. For a migration strength $\alpha \in [0, 1]$, let

$$
s = \frac{\left( \along{\tok}{max} |X| \right)^{\alpha}}{\left( \along{\out}{max} |W| \right)^{1 - \alpha}},
\qquad
\hat{X} = \frac{X}{s},
\qquad
\hat{W} = s \odot W
\tag{1}
$$

with $s \in \R^{\inp}$. In exact arithmetic nothing has changed:

$$
\hat{X} \dotover{\inp} \hat{W} = X \dotover{\inp} W.
\tag{2}
$$

## 2.2 Rounding

The symmetric quantiser with step $\Delta > 0$ is

$$
q(x; \Delta) = \Delta \odot \along{}{clip}\left( \round{\frac{x}{\Delta}}, -2^{b-1}, 2^{b-1} - 1 \right).
\tag{3}
$$

Each token has its own step, and so has each column of the weights; both are chosen such that nothing is clipped:

$$
\Delta^X = \frac{\along{\inp}{max} |\hat{X}|}{2^{b-1} - 1},
\qquad
\Delta^W = \frac{\along{\inp}{max} |\hat{W}|}{2^{b-1} - 1}.
\tag{4}
$$

What is lost is repaired by a low-rank branch in full precision, with $A \in \R^{\inp, \rank:r}$ and $B \in \R^{\rank:r, \out}$:

$$
\hat{Y} = q(\hat{X}; \Delta^X) \dotover{\inp} q(\hat{W}; \Delta^W) + X \dotover{\inp} A \dotover{\rank} B.
\tag{5}
$$

At $|\rank| = 0$ this is plain W8A8.

## 2.3 Weights in groups

For 4 bits a step per column is too coarse. We split $\inp$ into groups of $g$ consecutive channels, each with a step and a zero point of its own. Let $V = [W]_{\inp \rightarrow (\group, \elem)}$ with $|\elem| = g$, and

$$
\begin{aligned}
D &= \frac{\along{\elem}{max} V - \along{\elem}{min} V}{2^b - 1} \\
z &= -\round{\frac{\along{\elem}{min} V}{D}} \\
V' &= D \odot \left( \along{}{clip}\left( \round{\frac{V}{D}} + z, 0, 2^b - 1 \right) - z \right) \\
W' &= [V']_{(\group, \elem) \rightarrow \inp}
\end{aligned}
\tag{6}
$$

where $D, z \in \R^{\group, \out}$.

# 3 Training objective

Only $A$, $B$ and $\log s$ are trained, layer by layer, for the relative error[^rel] of what the layer gives:

$$
\mathcal{L} = \frac{\sum_{\tok, \out} (Y - \hat{Y})^2}{\sum_{\tok, \out} Y^2}.
\tag{7}
$$

[^rel]: An absolute error would let the last layers dominate.

Which weights hurt most when they are rounded? With second-order information, as in the optimal brain surgeon, the loss that the rounding of a single weight brings about is
$E \in \R^{\inp, \out}$:

$$
\begin{aligned}
H &= 2 X \dotover{\tok} [X]_{\inp \rightarrow \inp'} + \mu I, & I_{\inp(i), \inp'(j)} &= \begin{cases} 1 & i = j \\ 0 & i \neq j \end{cases} \\
E_{\inp(i)} &= \frac{\left( W_{\inp(i)} - q(W_{\inp(i)}; \Delta) \right)^2}{G_{\inp(i), \inp'(i)}}, & G &= \along{\inp, \inp'}{inv} H
\end{aligned}
\tag{8}
$$

for a damping $\mu > 0$ and steps $\Delta \in \R^{\out}$.

# Appendix A. Gradients

Rounding has no useful gradient. With the straight-through estimator, learned step sizes [@esser2020learned] descend along $S$, which has the axes of $x$ and $\Delta$:

$$
S(x; \Delta) = \begin{cases}
-2^{b-1} & \text{if } x / \Delta \leq -2^{b-1} \\
2^{b-1} - 1 & \text{if } x / \Delta \geq 2^{b-1} - 1 \\
\round{x / \Delta} - x / \Delta & \text{otherwise}
\end{cases}
\tag{9}
$$

With the error $\varepsilon = \hat{Y} - Y$, the gradients of the numerator of (7) in the low-rank branch are

$$
\begin{aligned}
\nabla_A &= 2 X \dotover{\tok} \left( \varepsilon \dotover{\out} B \right) \\
\nabla_B &= 2 \left( X \dotover{\inp} A \right) \dotover{\tok} \varepsilon.
\end{aligned}
\tag{10}
$$
""",
        [
            Fault(
                r"W' &= [V']_{(\group, \elem) \rightarrow \inp}",
                r"W' &= [V']_{(\group, \rank) \rightarrow \inp}",
            ),
            Fault(
                r"\Delta^W = \frac{\along{\inp}{max} |\hat{W}|}",
                r"\Delta^W = \frac{\along{\tok}{max} |\hat{W}|}",
            ),
            Fault(
                r"$A \in \R^{\inp, \rank:r}$",
                r"$A \in \R^{\out, \rank:r}$",
                r"\hat{Y} = q(\hat{X}; \Delta^X)",
            ),
        ],
        [
            Entry(
                "s",
                smoothing,
                "in",
                {"X": "token[4] in[3]", "W": "in[3] out[2]", "alpha": 0.6},
            ),
            Entry(
                "q",
                levels,
                "token in",
                {"x": "token[3] in[4]"},
                {"Delta": 0.21, "b": 3},
            ),
            Entry(
                r"\Delta^X",
                lambda X, W, alpha, b: per_row(X / smoothing(X, W, alpha), b)[:, 0],
                "token",
                {"X": "token[4] in[3]", "W": "in[3] out[2]", "alpha": 0.6, "b": 4},
            ),
            Entry(r"\hat{Y}", integer_layer, "token out", LAYER),
            Entry(
                r"\mathcal{L}",
                lambda *i: (
                    ((i[0] @ i[1] - integer_layer(*i)) ** 2).sum() / ((i[0] @ i[1]) ** 2).sum()
                ),
                "",
                LAYER,
            ),
            Entry(
                "W'",
                lambda W, b: grouped(W.reshape(3, 2, 2), b).reshape(6, 2),
                "in out",
                {"W": "in[6] out[2]", "b": 3},
                chosen={"g": 2},
            ),
            Entry(
                "E",
                saliency,
                "in out",
                {
                    "X": "token[5] in[3]",
                    "W": "in[3] out[2]",
                    "mu": 0.1,
                    "Delta": "out[2] ~ positive",
                    "b": 2,
                },
            ),
            Entry(
                "S",
                step_slope,
                "token out",
                {"x": "token[3] out[4]"},
                {"Delta": "out[4] ~ positive", "b": 3},
            ),
            Entry(
                r"\nabla_B",
                lambda *i: 2 * (i[0] @ i[4]).T @ (integer_layer(*i) - i[0] @ i[1]),
                "rank out",
                LAYER,
            ),
        ],
    ),
    Unseen(
        "causes.md",
        r"""# Doubly robust estimates for many treatments

*Working paper, comments welcome.*

## 2. Model

### 2.1 Preliminaries

We use **named tensor notation** (Chiang, Rush and Barak, arXiv:2102.13196), as treatments, covariates and patients are too easily mixed up otherwise. There are $n$ patients along $\mathsf{unit}$, $p$ covariates along $\mathsf{cov}$, and $K$ treatments along $\mathsf{arm}$, of which the first is the control. An operation names the axis on which it acts, e.g. $\underset{\mathsf{arm}}{\text{softmax}}$; all others are kept.

For each patient we observe covariates, a treatment, and an outcome:

- $X \in \mathbb{R}^{\mathsf{unit}:n, \mathsf{cov}:p}$,
- $A \in \{0, 1\}^{\mathsf{unit}:n, \mathsf{arm}:K}$, one-hot, i.e. $\sum_{\mathsf{arm}} A = 1$,
- $Y \in \mathbb{R}^{\mathsf{unit}:n}$.

Behind $Y$ there are potential outcomes $Y^* \in \mathbb{R}^{\mathsf{unit}:n, \mathsf{arm}:K}$, of which only one is seen: consistency says that $Y = \sum_{\mathsf{arm}} A \odot Y^*$.

### 2.2 Nuisance functions

The propensity score is multinomial logistic, and the outcome regression is linear within each arm:

$$
\begin{align}
e &= \underset{\mathsf{arm}}{\text{softmax}} \left( \Theta \underset{\mathsf{cov}}{\cdot} X + \theta \right) \tag{1} \\
\mu &= B \underset{\mathsf{cov}}{\cdot} X + b \tag{2}
\end{align}
$$

where $\Theta, B \in \mathbb{R}^{\mathsf{cov}:p, \mathsf{arm}:K}$ and $\theta, b \in \mathbb{R}^{\mathsf{arm}:K}$.

We assume *positivity*: $e > 0$ everywhere.

### 2.3 Estimators

Weighting alone (Hájek's estimator) uses the propensity score only,

$$
\hat{\tau}^{\text{IPW}} = \frac{\sum_{\mathsf{unit}} \frac{A}{e} \odot Y}{\sum_{\mathsf{unit}} \frac{A}{e}}, \tag{3}
$$

which is an estimate for each arm. The augmented estimator corrects the regression by the weighted residuals. Each patient has an influence $\psi \in \mathbb{R}^{\mathsf{unit}:n, \mathsf{arm}:K}$,

$$
\psi = \mu + \frac{A}{e} \odot (Y - \mu), \qquad \bar{\psi} = \underset{\mathsf{unit}}{\text{mean}}\ \psi. \tag{4}
$$

> **Theorem 1** (Robins et al.). If either (1) or (2) is correctly specified, $\bar{\psi}$ is consistent for the mean potential outcomes.

We report contrasts with the control and their standard errors. The covariance of $\bar{\psi}$ needs a second copy of the arms:

$$
\begin{aligned}
\tau_{\mathsf{arm}(k)} &= \bar{\psi}_{\mathsf{arm}(k)} - \bar{\psi}_{\mathsf{arm}(1)} \\
C &= \frac{1}{n^2} (\psi - \bar{\psi}) \underset{\mathsf{unit}}{\cdot} [\psi - \bar{\psi}]_{\mathsf{arm} \rightarrow \mathsf{arm}'} \\
\text{se}_{\mathsf{arm}(k)} &= \sqrt{C_{\mathsf{arm}(k), \mathsf{arm}'(k)} + C_{\mathsf{arm}(1), \mathsf{arm}'(1)} - 2\, C_{\mathsf{arm}(k), \mathsf{arm}'(1)}}
\end{aligned} \tag{5}
$$

The 95 % interval of arm $k$ is $\tau_{\mathsf{arm}(k)} \pm 1.96\, \text{se}_{\mathsf{arm}(k)}$.

### 2.4 Overlap

Where some arm is never given, $1/e$ explodes. Overlap weights shift attention to patients for whom all arms are plausible (Li and Li, 2019). The tilting function is the harmonic mean of the scores, up to a factor,

$$
h = \frac{1}{\sum_{\mathsf{arm}} \frac{1}{e}}, \qquad \omega = A \odot \frac{h}{e}, \tag{6}
$$

so that the effective sample size of each arm is $\nu = \left( \sum_{\mathsf{unit}} \omega \right)^2 / \sum_{\mathsf{unit}} \omega^2$. Balance is checked by the weighted mean of each covariate, in units of its standard deviation:

$$
\begin{aligned}
m &= \frac{X \underset{\mathsf{unit}}{\cdot} \omega}{\sum_{\mathsf{unit}} \omega} \\
\Delta_{\mathsf{arm}(k)} &= \frac{m_{\mathsf{arm}(k)} - m_{\mathsf{arm}(1)}}{\sigma} \\
\sigma &= \sqrt{\frac{1}{n - 1} \sum_{\mathsf{unit}} \left( X - \underset{\mathsf{unit}}{\text{mean}}\ X \right)^2}
\end{aligned} \tag{7}
$$

| covariate | before | after |
|:--|--:|--:|
| age | 0.31 | 0.02 |
| eGFR | −0.44 | 0.03 |

### 2.5 Non-compliance

Some patients do not take what they are assigned. With instruments $Z \in \mathbb{R}^{\mathsf{unit}:n, \mathsf{inst}:q}$, $q \geq p$, two-stage least squares first projects the covariates onto the instruments, and then regresses on the projections:

$$
\begin{aligned}
\Pi &= \left( \underset{\mathsf{inst}, \mathsf{inst}'}{\text{inv}} \left( Z \underset{\mathsf{unit}}{\cdot} [Z]_{\mathsf{inst} \rightarrow \mathsf{inst}'} \right) \right) \underset{\mathsf{inst}}{\cdot} \left( Z \underset{\mathsf{unit}}{\cdot} X \right) \\
\hat{X} &= [Z]_{\mathsf{inst} \rightarrow \mathsf{inst}'} \underset{\mathsf{inst}'}{\cdot} \Pi \\
\hat{\beta} &= \left( \underset{\mathsf{cov}, \mathsf{cov}'}{\text{inv}} \left( \hat{X} \underset{\mathsf{unit}}{\cdot} [\hat{X}]_{\mathsf{cov} \rightarrow \mathsf{cov}'} \right) \right) \underset{\mathsf{cov}'}{\cdot} \left[ \hat{X} \underset{\mathsf{unit}}{\cdot} Y \right]_{\mathsf{cov} \rightarrow \mathsf{cov}'}
\end{aligned} \tag{8}
$$

## 3. Training objective

The nuisance parameters minimise a ridge-penalised sum of two losses, with $\lambda \geq 0$:

$$
\begin{aligned}
\ell_e &= -\frac{1}{n} \sum_{\mathsf{unit}, \mathsf{arm}} A \odot \log e \\
\ell_\mu &= \frac{1}{2n} \sum_{\mathsf{unit}, \mathsf{arm}} A \odot (Y - \mu)^2 \\
\ell &= \ell_e + \ell_\mu + \frac{\lambda}{2} \sum_{\mathsf{cov}, \mathsf{arm}} \left( \Theta^2 + B^2 \right)
\end{aligned} \tag{9}
$$

## Appendix A. Gradients

Since $\sum_{\mathsf{arm}} A = 1$, the score function of (1) is a residual, and (9) has the gradients

$$
\begin{aligned}
\frac{\partial \ell}{\partial \Theta} &= \frac{1}{n} X \underset{\mathsf{unit}}{\cdot} (e - A) + \lambda \Theta \\
\frac{\partial \ell}{\partial B} &= -\frac{1}{n} X \underset{\mathsf{unit}}{\cdot} \left( A \odot (Y - \mu) \right) + \lambda B
\end{aligned} \tag{A.1}
$$
""",
        [
            Fault(
                r"m &= \frac{X \underset{\mathsf{unit}}{\cdot} \omega}",
                r"m &= \frac{X \underset{\mathsf{cov}}{\cdot} \omega}",
            ),
            Fault(
                r"\sum_{\mathsf{unit}, \mathsf{arm}} A \odot \log e",
                r"\sum_{\mathsf{unit}, \mathsf{cov}} A \odot \log e",
            ),
            Fault(
                r"[\psi - \bar{\psi}]_{\mathsf{arm} \rightarrow \mathsf{arm}'}",
                r"(\psi - \bar{\psi})",
                r"\text{se}_{\mathsf{arm}(k)} &=",
            ),
        ],
        [
            Entry("e", propensity, "unit arm", {"X": COVARIATES} | SCORE),
            Entry(r"\hat{\tau}^{\text{IPW}}", hajek, "arm", TRIAL | SCORE),
            Entry(r"\psi", influence, "unit arm", TRIAL | SCORE | REGRESSION),
            Entry(
                r"\tau",
                lambda *i: influence(*i).mean(0) - influence(*i).mean(0)[0],
                "arm",
                TRIAL | SCORE | REGRESSION,
            ),
            Entry(r"\text{se}", errors, "arm", TRIAL | SCORE | REGRESSION),
            Entry("h", overlap, "unit", {"X": COVARIATES} | SCORE),
            Entry(
                r"\Delta",
                imbalance,
                "cov arm",
                {"X": COVARIATES, "A": TRIAL["A"]} | SCORE,
            ),
            Entry(
                r"\hat{\beta}",
                two_stage,
                "cov",
                {"X": COVARIATES, "Y": "unit[8]", "Z": "unit[8] inst[4]"},
            ),
            Entry(
                r"\ell",
                lambda X, A, Y, T, t, B, b, l: (
                    -(A * np.log(propensity(X, T, t))).sum() / len(X)
                    + (A * (Y[:, None] - X @ B - b) ** 2).sum() / (2 * len(X))
                    + l / 2 * (T**2 + B**2).sum()
                ),
                "",
                TRIAL | SCORE | REGRESSION | {"lambda_": 0.3},
            ),
            Entry(
                r"\frac{\partial \ell}{\partial B}",
                lambda X, A, Y, B, b, l: -X.T @ (A * (Y[:, None] - X @ B - b)) / len(X) + l * B,
                "cov arm",
                TRIAL | REGRESSION | {"lambda_": 0.3},
            ),
        ],
    ),
]
