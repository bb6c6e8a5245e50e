"""Seven papers in the notation: a delta rule, a sampler, preferences, folding, a model card, forecasts, late interaction."""

from __future__ import annotations

import math

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def log_softmax(z, axis=-1):
    return z - np.log(np.exp(z).sum(axis, keepdims=True))


def silu(x):
    return x * sigmoid(x)


# A linear recurrent layer with a gated delta rule.


def projected(X, Wq, Wk, Wv, wa, ba, wb):
    k = X @ Wk
    k = k / np.sqrt((k**2).sum(1, keepdims=True))
    return X @ Wq, k, X @ Wv, sigmoid(X @ wa + ba), sigmoid(X @ wb)


def memories(*inputs):
    _, k, v, a, b = projected(*inputs)
    S, found = np.zeros((k.shape[1], v.shape[1])), []
    for t in range(len(k)):
        S = a[t] * (np.eye(k.shape[1]) - b[t] * np.outer(k[t], k[t])) @ S + b[t] * np.outer(
            k[t], v[t]
        )
        found.append(S)
    return np.stack(found)


def read_out(*inputs):
    return np.einsum("tk,tkv->tv", projected(*inputs)[0], memories(*inputs))


def layer_output(*inputs):
    X, (g, Wg, Wo) = inputs[0], inputs[7:]
    o = read_out(*inputs[:7])
    o = o / np.sqrt((o**2).mean(1, keepdims=True) + 1e-6) * g
    return (o * silu(X @ Wg)) @ Wo


def gated_linear(*inputs):
    q, k, v, a, _ = projected(*inputs)
    S, found = np.zeros((k.shape[1], v.shape[1])), []
    for t in range(len(k)):
        S = a[t] * S + np.outer(k[t], v[t])
        found.append(q[t] @ S)
    return np.stack(found)


def decays(X, w, b):
    a = np.cumsum(np.log(sigmoid(X @ w + b)))
    return np.tril(np.exp(a[:, None] - a[None]))


def pseudo_values(*inputs):
    _, k, v, _, b = projected(*inputs)
    A = np.tril(b[:, None] * (k @ k.T), -1)
    return np.linalg.solve(np.eye(len(k)) + A, b[:, None] * v)


def ungated(*inputs):
    q, k, _, _, _ = projected(*inputs)
    return np.tril(q @ k.T) @ pseudo_values(*inputs)


DELTA = {
    "X": "seq[5] emb[4]",
    "W_q": "emb[4] key[3]",
    "W_k": "emb[4] key[3]",
    "W_v": "emb[4] val[2]",
    "w_alpha": "emb[4]",
    "b_alpha": 0.4,
    "w_beta": "emb[4]",
}


def without(inputs, *names):
    return {name: space for name, space in inputs.items() if name not in names}


# Diffusion: a denoiser, its loss and its sampler.


def network(x, c, W1, w, b1, W2, b2):
    c = np.asarray(c)
    return silu(x @ W1 + c[..., None] * w + b1) @ W2 + b2


def denoise(x, s, sd, *theta):
    s = np.asarray(s)
    root = np.sqrt(s**2 + sd**2)
    F = network(x / root[..., None], np.log(s) / 4, *theta)
    return (sd**2 / root**2)[..., None] * x + (s * sd / root)[..., None] * F


def denoising_loss(y, e, s, sd, *theta):
    weight = (s**2 + sd**2) / (s * sd) ** 2
    return (weight * ((denoise(y + s[:, None] * e, s, sd, *theta) - y) ** 2).sum(1)).mean()


def levels(N, low, high, rho=7):
    i = np.arange(N) / (N - 1)
    return np.append((high ** (1 / rho) + i * (low ** (1 / rho) - high ** (1 / rho))) ** rho, 0.0)


def ideal(x, s, Y):
    return softmax(-((x - Y) ** 2).sum(1) / (2 * s**2)) @ Y


def heun(n, Y, N, low, high):
    t = levels(N, low, high)
    x = t[0] * n
    for i in range(N):
        d = (x - ideal(x, t[i], Y)) / t[i]
        z = x + (t[i + 1] - t[i]) * d
        if t[i + 1] > 0:
            d2 = (z - ideal(z, t[i + 1], Y)) / t[i + 1]
            z = x + (t[i + 1] - t[i]) * (d + d2) / 2
        x = z
    return x


def log_density(x, s, Y):
    d = ((x - Y) ** 2).sum(1)
    return np.log(np.exp(-d / (2 * s**2)).mean()) - len(x) / 2 * np.log(2 * np.pi * s**2)


THETA = {
    "W_1": "px[4] hid[5]",
    "w": "hid[5]",
    "b_1": "hid[5]",
    "W_2": "hid[5] px[4]",
    "b_2": "px[4]",
}
BATCH = {"y": "batch[3] px[4]", "epsilon": "batch[3] px[4]", "s": "batch[3] ~ positive"}


# Losses of preferences.


def answer(U, Y, m):
    return (m * (Y * log_softmax(U)).sum(3)).sum(2)


def rewards(U, R, Y, m, beta):
    return beta * (answer(U, Y, m) - answer(R, Y, m))


def margin(*inputs):
    r = rewards(*inputs)
    return r[:, 0] - r[:, 1]


def lengthwise(U, Y, m):
    return answer(U, Y, m) / m.sum(2)


def odds_loss(U, Y, m):
    l = lengthwise(U, Y, m)
    o = l - np.log(1 - np.exp(l))
    return -np.log(sigmoid(o[:, 0] - o[:, 1])).mean()


def plackett_luce(r):
    return -sum(r[:, i] - np.log(np.exp(r[:, i:]).sum(1)) for i in range(r.shape[1])).mean()


def slope_of_logits(U, R, Y, m, beta):
    g = sigmoid(-margin(U, R, Y, m, beta)) / len(U)
    g = np.stack([-g, g], 1)
    return beta * (g[:, :, None] * m)[..., None] * (Y - softmax(U))


LOGITS = {
    "U": "pair[3] side[2] pos[4] voc[5]",
}
REFERENCE = {"U_ref": "pair[3] side[2] pos[4] voc[5]"}
ANSWERS = {
    "Y": "pair[3] side[2] pos[4] voc[5] ~ one-hot voc",
    "m": "pair[3] side[2] pos[4] ~ ones",
}
PAIRS = LOGITS | REFERENCE | ANSWERS | {"beta": 0.3}


# Proteins: updates of pairs, and scores of structures.


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def outer_mean(M, Wa, Wb, Wo, bo):
    A, B = layer_norm(M) @ Wa, layer_norm(M) @ Wb
    return np.einsum("sic,sjd,cdp->ijp", A, B, Wo) / len(M) + bo


def edges(Z, G, W):
    return sigmoid(layer_norm(Z) @ G) * (layer_norm(Z) @ W)


def outgoing(Z, Ga, Wa, Gb, Wb):
    return np.einsum("ikh,jkh->ijh", edges(Z, Ga, Wa), edges(Z, Gb, Wb))


def incoming(Z, Ga, Wa, Gb, Wb):
    return np.einsum("kih,kjh->ijh", edges(Z, Ga, Wa), edges(Z, Gb, Wb))


def around(Z, Wq, Wk, Wv, wb, Wo):
    q, k, v = (np.einsum("ijp,phk->ijhk", Z, W) for W in (Wq, Wk, Wv))
    S = np.einsum("ijhc,ikhc->ijkh", q, k) / np.sqrt(q.shape[-1])
    S = S + np.einsum("jkp,ph->jkh", Z, wb)[None]
    return Z + np.einsum("ijkh,ikhv,hvp->ijp", softmax(S, 2), v, Wo)


def distances(x):
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(2))


def bins(Z, W, x, c):
    y = np.abs(distances(x)[..., None] - c).argmin(2)
    l = log_softmax((Z + Z.transpose(1, 0, 2)) @ W)
    return -np.take_along_axis(l, y[..., None], 2).mean()


def lddt(x, z):
    d, e = distances(x), distances(z)
    c = (d < 15) * (1 - np.eye(len(d)))
    kept = sum((c * (np.abs(d - e) < tau)).sum(1) / c.sum(1) for tau in (0.5, 1, 2, 4))
    return kept / 4


def aligned(R, t, S, u, x, z):
    """The error of atoms seen from true and from predicted frames."""
    here = np.einsum("iab,ija->ijb", R, x[None] - t[:, None])
    there = np.einsum("iab,ija->ijb", S, z[None] - u[:, None])
    return np.minimum(np.sqrt(((here - there) ** 2).sum(2) + 1e-4), 10).mean() / 10


EDGES = {
    "Z": "res[4] res'[4] pch[3]",
    "G_a": "pch[3] hid[2]",
    "P_a": "pch[3] hid[2]",
    "G_b": "pch[3] hid[2]",
    "P_b": "pch[3] hid[2]",
}


# A card of a language model.


def angles(n=5, f=3):
    return np.arange(n)[:, None] * 10000.0 ** (-np.arange(f) / f)[None]


def rotate(X):
    """X over seq ... freq part."""
    n, f = X.shape[0], X.shape[-2]
    phase = np.arange(n)[:, None] * 10000.0 ** (-np.arange(f) / f)[None]
    phase = phase.reshape(n, *[1] * (X.ndim - 3), f)
    a, b = X[..., 0], X[..., 1]
    return np.stack(
        [a * np.cos(phase) - b * np.sin(phase), a * np.sin(phase) + b * np.cos(phase)], -1
    )


def window(n, w):
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    return np.where((j <= i) & (j > i - w), 0.0, -np.inf)


def grouped(X, Wq, Wk, Wv, Wo, w):
    Q = rotate(np.einsum("se,eghfp->sghfp", X, Wq))
    K = rotate(np.einsum("se,egfp->sgfp", X, Wk))
    V = np.einsum("se,egv->sgv", X, Wv)
    S = np.einsum("ighfp,jgfp->ghij", Q, K) / np.sqrt(Q.shape[-2] * 2) + window(len(X), w)
    return np.einsum("ghij,jgv,ghve->ie", softmax(S), V, Wo)


def routed(X, Wr):
    p = softmax(X @ Wr)
    m = ((p[:, None, :] > p[:, :, None]).sum(2) < 2) * 1.0
    return p, m, p * m / (p * m).sum(1, keepdims=True)


def experts(X, Wr, Wg, Wu, Wd):
    F = np.stack([(silu(X @ g) * (X @ u)) @ d for g, u, d in zip(Wg, Wu, Wd, strict=True)], 1)
    return np.einsum("sx,sxe->se", routed(X, Wr)[2], F)


def balance(X, Wr):
    p, m, _ = routed(X, Wr)
    return p.shape[1] * (m.mean(0) / 2 * p.mean(0)).sum()


def next_token(H, E, y):
    Z = H @ E.T
    return -(y * log_softmax(Z)).sum(1).mean() + 1e-4 * (np.log(np.exp(Z).sum(1)) ** 2).mean()


def rms(X, g):
    return X / np.sqrt((X**2).mean(1, keepdims=True) + 1e-6) * g


ROUTER = {"X": "seq[5] emb[4]", "Wr": "emb[4] expert[4]"}
EXPERTS = {
    "Wg": "expert[4] emb[4] hid[3]",
    "Wu": "expert[4] emb[4] hid[3]",
    "Wd": "expert[4] hid[3] emb[4]",
}
GROUPED = {
    "WQ": "emb[4] group[2] head[2] freq[2] part[2]",
    "WK": "emb[4] group[2] freq[2] part[2]",
    "WV": "emb[4] group[2] val[3]",
    "WO": "group[2] head[2] val[3] emb[4]",
}


# Forecasts.


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2


def scaled(x):
    mu, s = x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)
    return mu, s, (x - mu) / s


def patches(x, size=4, stride=2):
    z = scaled(x)[2]
    return np.stack([z[:, i : i + size] for i in range(0, z.shape[1] - size + 1, stride)], 1)


def mixed(x, We, be, E, V1, V2, W1, W2):
    e = patches(x) @ We + be + E
    h = e + np.einsum("mp,sme->spe", V2, np.maximum(0, np.einsum("pm,spe->sme", V1, e)))
    return h + gelu(h @ W1) @ W2


def quantiles(x, *inputs):
    A, a = inputs[-2:]
    u = np.einsum("spe,pehq->shq", mixed(x, *inputs[:-2]), A) + a
    r = [u[..., 0]]
    for k in range(1, u.shape[2]):
        r.append(r[-1] + np.log1p(np.exp(u[..., k])))
    mu, s, _ = scaled(x)
    return mu[..., None] + s[..., None] * np.stack(r, -1)


def pinball(e, tau):
    return np.maximum(tau * e, (tau - 1) * e)


def seasonal_error(x, M):
    return np.abs(x[:, M:] - x[:, :-M]).mean(1)


def holt(x, alpha, beta, phi):
    l, b = x[:, 0], x[:, 1] - x[:, 0]
    for t in range(1, x.shape[1]):
        new = alpha * x[:, t] + (1 - alpha) * (l + phi * b)
        l, b = new, beta * (new - l) + (1 - beta) * phi * b
    return l, b


FORECAST = {
    "x": "series[2] time[8]",
    "W_e": "pos[4] emb[3]",
    "b_e": "emb[3]",
    "E": "patch[3] emb[3]",
    "V_1": "patch[3] mix[2]",
    "V_2": "mix[2] patch[3]",
    "W_1": "emb[3] hid[4]",
    "W_2": "hid[4] emb[3]",
    "A": "patch[3] emb[3] hor[2] quant[3]",
    "a": "hor[2] quant[3]",
}
TRUTH = {"y": "series[2] hor[2]"}


# Retrieval by late interaction.


def unit(x):
    return x / np.sqrt((x**2).sum(-1, keepdims=True))


def late(W, Hq, Hd, m):
    T = np.einsum("qad,kbd->qkab", unit(Hq @ W), unit(Hd @ W))
    return np.where(m[None, :, None, :] == 1, T, -np.inf).max(3).sum(2)


def in_batch(*inputs):
    l = log_softmax(late(*inputs[:-1]) / inputs[-1])
    return -np.diag(l).mean()


def distilled(*inputs):
    l, t = log_softmax(late(*inputs[:-2]) / inputs[-2]), log_softmax(inputs[-1])
    return (np.exp(t) * (t - l)).sum(1).mean()


def compressed(W, Hd, C):
    D = unit(Hd @ W)
    near = C[(D @ C.T).argmax(2)]
    R = D - near
    return unit(near + np.where(R > 0, 1, -1) * np.abs(R).mean((0, 1)))


def first_ranks(*inputs):
    S = late(*inputs)
    return 1 + (np.diag(S)[:, None] < S).sum(1)


def ranks(S):
    return 1 + (S[:, None, :] > S[:, :, None]).sum(2)


def gain(S, g, k):
    r = ranks(S)
    return (np.where(r <= k, (2**g - 1) / np.log2(1 + r), 0)).sum(1)


LATE = {
    "W": "emb[4] dim[3]",
    "H__Q": "query[3] qtok[2] emb[4]",
    "H__D": "doc[4] dtok[3] emb[4]",
    "m": "doc[4] dtok[3] ~ ones",
}


DOCUMENTS = [
    Unseen(
        "gateddelta.tex",
        r"""\documentclass{article}
\usepackage{iclr2026_conference,times}
\usepackage{amsmath,amssymb,amsthm,booktabs,hyperref}
\usepackage{namedtensor}
\ndef{\seq}{seq} \ndef{\emb}{emb} \ndef{\key}{key} \ndef{\val}{val}
\newcommand{\R}{\mathbb{R}}
\newcommand{\sig}{\operatorname{sigmoid}}
\newcommand{\silu}{\operatorname{SiLU}}
\newtheorem{proposition}{Proposition}

\title{To Forget and to Overwrite: Gates for Delta Rules}
\begin{document}
\maketitle

\begin{abstract}
Linear recurrent layers forget by decay, or they overwrite by a delta rule. We study a layer that does both, and take it apart.
\end{abstract}

\section{Method}
\label{sec:method}

\paragraph{Notation.} All tensors have named axes (Table~\ref{tab:notation}); $A \ndot{\key} B$ contracts the axis below the dot. We describe a single head. Heads and batches are further axes, through which everything passes.

\begin{table}[h]
\centering
\caption{Symbols. $T$ is the length of the sequence.}
\label{tab:notation}
\begin{tabular}{lll}
\toprule
Symbol & Space & Meaning \\
\midrule
$X$ & $\R^{\seq[T] \times \emb}$ & input of the layer \\
$W_q, W_k$ & $\R^{\emb \times \key}$ & projections to queries and keys \\
$W_v, W_g$ & $\R^{\emb \times \val}$ & projections to values and output gates \\
$w_\alpha, w_\beta$ & $\R^{\emb}$ & projections to the two gates \\
$b_\alpha$ & $\R$ & bias of the decay \\
$W_o$ & $\R^{\val \times \emb}$ & output projection \\
$g$ & $\R^{\val}$ & gain of the normalization \\
\bottomrule
\end{tabular}
\end{table}

\paragraph{Projections.} Queries and values are linear in the input. Keys have length one, since otherwise the update below might not be a contraction:
\begin{align}
q &= W_q \ndot{\emb} X & \tilde{k} &= W_k \ndot{\emb} X \\
v &= W_v \ndot{\emb} X & k &= \frac{\tilde{k}}{\sqrt{\nsum{\key} \tilde{k}^2}}.
\end{align}
The decay $\alpha$ and the strength $\beta$ of writing are scalars at each position,
\begin{equation}
\alpha = \sig(w_\alpha \ndot{\emb} X + b_\alpha), \qquad \beta = \sig(w_\beta \ndot{\emb} X), \qquad \alpha, \beta \in (0, 1)^{\seq[T]}.
\label{eq:gates}
\end{equation}

\paragraph{Recurrence.} The memory is a matrix, $S \in \R^{\seq[T] \times \key \times \val}$, which is empty in the beginning. Each step lets it fade, removes what is stored under the present key, and writes the present value there. For $t = 1, \dots, T$,
\begin{align}
S_{\seq(0)} &= 0 \label{eq:empty} \\
S_{\seq(t)} &= \alpha_{\seq(t)} \Bigl( S_{\seq(t-1)} - \beta_{\seq(t)} \, k_{\seq(t)} \odot \bigl( k_{\seq(t)} \ndot{\key} S_{\seq(t-1)} \bigr) \Bigr) + \beta_{\seq(t)} \, k_{\seq(t)} \odot v_{\seq(t)} \label{eq:state} \\
o_{\seq(t)} &= q_{\seq(t)} \ndot{\key} S_{\seq(t)}. \label{eq:read}
\end{align}
With $\beta = 1$ and $\alpha = 1$, reading with the key just written returns its value exactly.

\paragraph{Output.} As in other recent layers, the read-out is normalized and gated. With $\operatorname{rms}(x) = x / \sqrt{\nfun{\val}{mean} x^2 + 10^{-6}}$,
\begin{equation}
Y = W_o \ndot{\val} \Bigl( g \odot \operatorname{rms}(o) \odot \silu(W_g \ndot{\emb} X) \Bigr).
\label{eq:out}
\end{equation}

\section{Ablations}
\label{sec:ablations}

\paragraph{Without the delta rule.} If nothing is removed before writing, what remains is gated linear attention,
\begin{equation}
\bar{S}_{\seq(t)} = \alpha_{\seq(t)} \bar{S}_{\seq(t-1)} + k_{\seq(t)} \odot v_{\seq(t)}, \qquad \bar{S}_{\seq(0)} = 0, \qquad \bar{o} = q \ndot{\key} \bar{S},
\label{eq:gla}
\end{equation}
and unrolling it gives a form that is parallel in time. Let $a_{\seq(t)} = \sum_{s=1}^{t} \log \alpha_{\seq(s)}$ be the accumulated decay and let $D \in \R^{\seq[T] \times \seq'[T]}$ have the elements
\begin{equation}
D_{\seq(t), \seq'(s)} = \begin{cases} \exp(a_{\seq(t)} - a_{\seq(s)}) & \text{if } s \le t \\ 0 & \text{otherwise.} \end{cases}
\label{eq:decay}
\end{equation}
\begin{proposition}
The read-out of Equation~\eqref{eq:gla} is $\hat{o}$, where
\begin{equation}
\hat{o} = \Bigl( \bigl( q \ndot{\key} k_{\seq \rightarrow \seq'} \bigr) \odot D \Bigr) \ndot{\seq'} v_{\seq \rightarrow \seq'}.
\end{equation}
\end{proposition}

\paragraph{Without decay.} For $\alpha = 1$ the delta rule can be written with pseudo-values $u \in \R^{\seq[T] \times \val}$, each of which is the value less what earlier writes have left under its key:
\begin{align}
u_{\seq(t)} &= \beta_{\seq(t)} \Bigl( v_{\seq(t)} - \sum_{s=1}^{t-1} \bigl( k_{\seq(t)} \ndot{\key} k_{\seq(s)} \bigr) \, u_{\seq(s)} \Bigr) \label{eq:pseudo} \\
\check{o}_{\seq(t)} &= \sum_{s=1}^{t} \bigl( q_{\seq(t)} \ndot{\key} k_{\seq(s)} \bigr) \, u_{\seq(s)}. \label{eq:ungated}
\end{align}

\begin{table}[h]
\centering
\begin{tabular}{lrr}
\toprule
Layer & Perplexity & Recall (\%) \\
\midrule
full, Eq.~\eqref{eq:state} & 15.9 & 84.1 \\
without delta rule, Eq.~\eqref{eq:gla} & 17.2 & 52.6 \\
without decay, Eq.~\eqref{eq:ungated} & 17.7 & 81.3 \\
\bottomrule
\end{tabular}
\caption{Ablations at 340 million parameters.}
\end{table}
\end{document}
""",
        [
            Fault(
                r"\bigl( k_{\seq(t)} \ndot{\key} S_{\seq(t-1)} \bigr)",
                r"\bigl( k_{\seq(t)} \ndot{\val} S_{\seq(t-1)} \bigr)",
            ),
            Fault(r"\ndot{\seq'} v_{\seq \rightarrow \seq'}", r"\ndot{\seq'} v"),
            Fault(
                r"$w_\alpha, w_\beta$ & $\R^{\emb}$",
                r"$w_\alpha, w_\beta$ & $\R^{\key}$",
                r"\alpha = \sig(w_\alpha",
            ),
        ],
        [
            Entry("k", lambda X, W: unit(X @ W), "seq key", {"X": DELTA["X"], "W_k": DELTA["W_k"]}),
            Entry("S", lambda X, *i: memories(X, i[0], *i), "seq key val", without(DELTA, "W_q")),
            Entry("o", read_out, "seq val", DELTA),
            Entry(
                "Y",
                layer_output,
                "seq emb",
                DELTA | {"g": "val[2]", "W_g": "emb[4] val[2]", "W_o": "val[2] emb[4]"},
            ),
            Entry(
                r"\bar{o}", lambda *i: gated_linear(*i, i[4]), "seq val", without(DELTA, "w_beta")
            ),
            Entry("D", decays, "seq seq'", {"X": DELTA["X"], "w_alpha": "emb[4]", "b_alpha": 0.4}),
            Entry(
                r"\hat{o}", lambda *i: gated_linear(*i, i[4]), "seq val", without(DELTA, "w_beta")
            ),
            Entry(
                "u",
                lambda X, Wk, Wv, w: pseudo_values(X, Wk, Wk, Wv, w, 0, w),
                "seq val",
                without(DELTA, "W_q", "w_alpha", "b_alpha"),
            ),
            Entry(
                r"\check{o}",
                lambda *i: ungated(*i[:4], i[4], 0, i[4]),
                "seq val",
                without(DELTA, "w_alpha", "b_alpha"),
            ),
        ],
    ),
    Unseen(
        "sampler.tex",
        r"""\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb,booktabs}
\usepackage{algorithm,algpseudocode}
\newcommand{\fover}[2]{\underset{\text{#2}}{\operatorname{#1}}}
\newcommand{\dotover}[1]{\mathbin{\underset{\text{#1}}{\cdot}}}
\newcommand{\sd}{\sigma_{\mathrm{data}}}
\newcommand{\cskip}{c_{\mathrm{skip}}}
\newcommand{\cout}{c_{\mathrm{out}}}
\newcommand{\cin}{c_{\mathrm{in}}}
\newcommand{\cnoise}{c_{\mathrm{noise}}}
\newcommand{\Lcal}{\mathcal{L}}

\begin{document}
\title{Technical Report: Small Diffusion Models, Carefully Scaled}
\maketitle

\section{Denoisers}

An image is a vector of pixels along $\text{px}$; we never need its rows and columns. To a batch of images $y \in \mathbb{R}^{\text{batch}:B, \text{px}}$ we add noise, whose standard deviation $s \in \mathbb{R}^{\text{batch}:B}$ is chosen for each image anew, while $\epsilon \in \mathbb{R}^{\text{batch}:B, \text{px}}$ is standard normal.

\subsection{Network}
The experiments of Section~\ref{sec:results} use a U-Net. For the equations it suffices that the raw network $F_\theta$ takes an image $x \in \mathbb{R}^{\text{px}}$ and a number $c$:
\begin{equation}
F_\theta(x, c) = W_2 \dotover{hid} \operatorname{SiLU}\bigl( W_1 \dotover{px} x + c\, w + b_1 \bigr) + b_2.
\label{eq:raw}
\end{equation}
The parameters $\theta$ are
\begin{align*}
W_1 &\in \mathbb{R}^{\text{px}, \text{hid}} & W_2 &\in \mathbb{R}^{\text{hid}, \text{px}} \\
w, b_1 &\in \mathbb{R}^{\text{hid}} & b_2 &\in \mathbb{R}^{\text{px}}.
\end{align*}

\subsection{Preconditioning}
Following Karras et al.~(2022), the network sees inputs of unit variance and predicts targets of unit variance, whatever the level $\sigma > 0$ is. With $\sd > 0$ the standard deviation of the data,
\begin{align}
\cskip(\sigma) &= \frac{\sd^2}{\sigma^2 + \sd^2} & \cout(\sigma) &= \frac{\sigma \cdot \sd}{\sqrt{\sigma^2 + \sd^2}} \label{eq:c1} \\
\cin(\sigma) &= \frac{1}{\sqrt{\sigma^2 + \sd^2}} & \cnoise(\sigma) &= \tfrac{1}{4} \ln \sigma, \label{eq:c2}
\end{align}
and the denoiser is
\begin{equation}
D_\theta(x, \sigma) = \cskip(\sigma)\, x + \cout(\sigma)\, F_\theta\bigl( \cin(\sigma)\, x, \cnoise(\sigma) \bigr).
\label{eq:denoiser}
\end{equation}

\subsection{Objective}
The loss weights all levels alike once $\cout$ is taken out of it,
\begin{align}
\Lcal &= \frac{1}{B} \sum_{\text{batch}} \lambda \sum_{\text{px}} \bigl( D_\theta(y + s\, \epsilon, s) - y \bigr)^2, &
\lambda &= \frac{1}{\cout(s)^2}.
\label{eq:loss}
\end{align}
Indeed, let $U \in \mathbb{R}^{\text{batch}:B, \text{px}}$ be the effective target
\begin{equation}
U = \frac{y - \cskip(s) (y + s\, \epsilon)}{\cout(s)}
\label{eq:target}
\end{equation}
of the raw network; then $\Lcal = \fover{mean}{batch} \sum_{\text{px}} ( F_\theta(\cin(s) (y + s\, \epsilon), \cnoise(s)) - U )^2$.

\section{Sampling}
\label{sec:sampling}

The levels $t \in \mathbb{R}^{\text{step}:N+1}$ decrease from $\sigma_{\max}$ to $\sigma_{\min}$ and then to nothing,
\begin{equation}
t_{\text{step}(i)} = \begin{cases}
\Bigl( \sigma_{\max}^{1/\rho} + \frac{i-1}{N-1} \bigl( \sigma_{\min}^{1/\rho} - \sigma_{\max}^{1/\rho} \bigr) \Bigr)^{\rho} & i \le N \\
0 & i = N + 1
\end{cases}
\label{eq:levels}
\end{equation}
with $\rho = 7$. In order to test the sampler apart from the network, we run it on the ideal denoiser of a finite set of images $Y \in \mathbb{R}^{\text{item}:M, \text{px}}$,
\begin{equation}
D^\star(x, \sigma) = Y \dotover{item} \fover{softmax}{item} \left( -\frac{\sum_{\text{px}} (x - Y)^2}{2 \sigma^2} \right).
\label{eq:ideal}
\end{equation}

\begin{algorithm}[t]
\caption{Heun's second order method, without churn}
\label{alg:heun}
\begin{algorithmic}[1]
\Require standard normal $n \in \mathbb{R}^{\text{px}}$
\State $x \gets t_{\text{step}(1)}\, n$
\For{$i = 1, \dots, N$}
  \State $d \gets \bigl( x - D^\star(x, t_{\text{step}(i)}) \bigr) / t_{\text{step}(i)}$
  \State $z \gets x + (t_{\text{step}(i+1)} - t_{\text{step}(i)})\, d$
  \If{$t_{\text{step}(i+1)} > 0$}
    \State $e \gets \bigl( z - D^\star(z, t_{\text{step}(i+1)}) \bigr) / t_{\text{step}(i+1)}$
    \State $z \gets x + \frac{1}{2} (t_{\text{step}(i+1)} - t_{\text{step}(i)}) (d + e)$
  \EndIf
  \State $x \gets z$
\EndFor
\State \Return $x$
\end{algorithmic}
\end{algorithm}

\section{Results}
\label{sec:results}
\begin{tabular}{lrrr}
\toprule
$N$ & 9 & 18 & 36 \\
\midrule
Euler & 35.6 & 8.0 & 4.2 \\
Heun, Algorithm~\ref{alg:heun} & 14.4 & 2.0 & 1.9 \\
\bottomrule
\end{tabular}

\appendix
\section{Why the ideal denoiser is ideal}
Smoothing the $M$ images with noise of level $\sigma$ gives a mixture of $M$ Gaussians, whose log-density is
\begin{equation}
\ell(x, \sigma) = \log \fover{mean}{item} \exp\left( -\frac{\sum_{\text{px}} (x - Y)^2}{2 \sigma^2} \right) - \frac{|\text{px}|}{2} \log (2 \pi \sigma^2).
\label{eq:mixture}
\end{equation}
Differentiating the logarithm brings the softmax of Equation~\eqref{eq:ideal} about, and Tweedie's formula follows:
\begin{equation}
\frac{\partial \ell(x, \sigma)}{\partial x} = \frac{D^\star(x, \sigma) - x}{\sigma^2}.
\label{eq:tweedie}
\end{equation}
\end{document}
""",
        [
            Fault(r"W_1 \dotover{px} x + c\, w", r"W_1 \dotover{hid} x + c\, w"),
            Fault(
                r"D^\star(x, \sigma) = Y \dotover{item}", r"D^\star(x, \sigma) = Y \dotover{batch}"
            ),
            Fault(
                r"W_2 &\in \mathbb{R}^{\text{hid}, \text{px}}",
                r"W_2 &\in \mathbb{R}^{\text{px}}",
                r"F_\theta(x, c) = W_2",
            ),
        ],
        [
            Entry(
                r"F_\theta",
                network,
                "px",
                {"x": "px[4]", "c": 0.3},
                THETA,
            ),
            Entry(
                r"D_\theta",
                denoise,
                "px",
                {"x": "px[4]", "sigma": 0.7, "sigma_data": 0.5},
                THETA,
            ),
            Entry(r"\mathcal{L}", denoising_loss, "", BATCH | {"sigma_data": 0.5}, THETA),
            Entry(
                "U",
                lambda y, e, s, sd: (
                    (y - (sd**2 / (s**2 + sd**2))[:, None] * (y + s[:, None] * e))
                    / (s * sd / np.sqrt(s**2 + sd**2))[:, None]
                ),
                "batch px",
                BATCH | {"sigma_data": 0.5},
            ),
            Entry(
                "t",
                lambda high, low: levels(4, low, high),
                "step",
                {"sigma_max": 5.0, "sigma_min": 0.1},
                chosen={"N": 4},
            ),
            Entry(r"D^\star", ideal, "px", {"x": "px[4]", "sigma": 0.8, "Y": "item[3] px[4]"}),
            Entry(
                "x",
                lambda n, Y, high, low: heun(n, Y, 4, low, high),
                "px",
                {"n": "px[4]", "Y": "item[3] px[4]", "sigma_max": 5.0, "sigma_min": 0.1},
                chosen={"N": 4},
            ),
            Entry(r"\ell", log_density, "", {"x": "px[4]", "sigma": 0.8, "Y": "item[3] px[4]"}),
        ],
    ),
    Unseen(
        "margins.tex",
        r"""\documentclass[11pt]{article}
\usepackage[margin=1in]{geometry}
\usepackage{amsmath,amssymb,mathtools,booktabs}
\usepackage{namedtensor}
\newcommand{\pair}{\name{pair}}
\newcommand{\side}{\name{side}}
\newcommand{\pos}{\name{pos}}
\newcommand{\voc}{\name{voc}}
\newcommand{\rank}{\name{rank}}
\newcommand{\reals}{\mathbb{R}}
\newcommand{\Loss}[1]{\mathcal{L}_{\mathrm{#1}}}
\newcommand{\refr}{\mathrm{ref}}
\newcommand{\mean}[1]{\nfun{#1}{mean}}
\newcommand{\ind}[1]{\mathbb{I}[#1]}
\begin{document}
\title{Six Losses for Preferences, on One Page}
\author{}
\date{}
\maketitle

\section{Setting}
A data set of preferences consists of $B$ prompts, each with an answer that was chosen and one that was rejected. We let both lie along an axis $\side$ of size two, chosen first. Answers are padded to $T$ tokens of a vocabulary of size $V$:
\begin{align*}
Y &\in \{0, 1\}^{\pair[B] \times \side[2] \times \pos[T] \times \voc[V]} && \text{tokens, } \nsum{\voc} Y = 1 \\
m &\in \{0, 1\}^{\pair[B] \times \side[2] \times \pos[T]} && \text{one where there is a token, zero for padding} \\
U, U_\refr &\in \reals^{\pair[B] \times \side[2] \times \pos[T] \times \voc[V]} && \text{logits of the policy and of the reference}
\end{align*}
The prompts themselves do not appear: both models have been given them.\footnote{All logits are those of teacher forcing.} The log-likelihood of an answer under logits $Z \in \reals^{\pair[B] \times \side[2] \times \pos[T] \times \voc[V]}$ is
\begin{equation}
\log \pi(Z) = \nsum{\pos} m \odot \Bigl( Y \ndot{\voc} \nfun{\voc}{logsoftmax} Z \Bigr).
\label{eq:loglik}
\end{equation}
We abbreviate $\ell = \log \pi(U)$ and $\ell_\refr = \log \pi(U_\refr)$, both in $\reals^{\pair[B] \times \side[2]}$.

\section{Losses}

\paragraph{With a reference.} The implicit reward and the margin between the two answers are
\begin{equation}
r = \beta \, (\ell - \ell_\refr), \qquad \Delta = r_{\side(1)} - r_{\side(2)},
\label{eq:reward}
\end{equation}
with $\beta > 0$. Three losses differ only in what they make of the margin $\Delta \in \reals^{\pair[B]}$:
\begin{align}
\Loss{DPO} &= -\mean{\pair} \log \sigma(\Delta) \label{eq:dpo} \\
\Loss{IPO} &= \mean{\pair} \Bigl( \frac{\Delta}{\beta} - \frac{1}{2 \beta} \Bigr)^2 \label{eq:ipo} \\
\Loss{hinge} &= \mean{\pair} \max(0, 1 - \Delta) \label{eq:hinge}
\end{align}
where $\sigma(x) = 1 / (1 + e^{-x})$ is the logistic function.

\paragraph{Without a reference.} The others compare mean log-likelihoods per token,
\begin{equation}
\bar{\ell} = \frac{\ell}{\nsum{\pos} m}.
\end{equation}
SimPO asks for a margin of $\gamma$, and ORPO compares odds, which are $p / (1 - p)$ for $p = \exp(\bar{\ell})$:
\begin{align}
\Loss{SimPO} &= -\mean{\pair} \log \sigma\bigl( \beta \bar{\ell}_{\side(1)} - \beta \bar{\ell}_{\side(2)} - \gamma \bigr) \label{eq:simpo} \\
\Loss{ORPO} &= -\mean{\pair} \log \sigma\bigl( \omega_{\side(1)} - \omega_{\side(2)} \bigr), \qquad \omega = \bar{\ell} - \log (1 - e^{\bar{\ell}}). \label{eq:orpo}
\end{align}

\paragraph{More than two answers.} If $K$ answers to each prompt are ranked from best to worst, with rewards $s \in \reals^{\pair[B] \times \rank[K]}$, the Plackett--Luce likelihood draws them one by one from those that are left:
\begin{equation}
\Loss{PL} = -\mean{\pair} \sum_{i=1}^{K} \Bigl( s_{\rank(i)} - \log \sum_{j=i}^{K} \exp s_{\rank(j)} \Bigr).
\label{eq:pl}
\end{equation}
For $K = 2$ it is Equation~\eqref{eq:dpo}.

\paragraph{Evaluation.} We report the accuracy $a = \mean{\pair} \ind{\Delta > 0}$ on held-out pairs.

\begin{table}[h]
\centering
\begin{tabular}{lcccc}
\toprule
 & \multicolumn{2}{c}{in domain} & \multicolumn{2}{c}{out of domain} \\
Loss & $a$ & length & $a$ & length \\
\midrule
$\Loss{DPO}$ & 71.4 & 412 & 63.0 & 398 \\
$\Loss{IPO}$ & 70.2 & 301 & 63.3 & 322 \\
$\Loss{SimPO}$ & 72.9 & 276 & 62.1 & 263 \\
\bottomrule
\end{tabular}
\caption{Accuracy in per cent, and mean length of the answers drawn.}
\end{table}

\appendix
\section{Gradients}
The chain of Equation~\eqref{eq:dpo} ends at the log-likelihoods. Since $\log \sigma$ has the slope $\sigma(-\Delta)$, the two answers of a pair receive opposite signs: $G \in \reals^{\pair[B] \times \side[2]}$ is
\begin{equation}
G_{\pair(b), \side(k)} = \frac{1}{B} \begin{cases} -\sigma(-\Delta_{\pair(b)}) & \text{if } k = 1 \\ \sigma(-\Delta_{\pair(b)}) & \text{if } k = 2. \end{cases}
\label{eq:g}
\end{equation}
With Equation~\eqref{eq:loglik},
\begin{equation}
\frac{\partial \Loss{DPO}}{\partial U} = \beta \, G \odot m \odot \Bigl( Y - \nfun{\voc}{softmax} U \Bigr),
\label{eq:dpograd}
\end{equation}
so that every token of the rejected answer is pushed down, also those that it shares with the other one.
\end{document}
""",
        [
            Fault(
                r"\Bigl( Y \ndot{\voc} \nfun{\voc}{logsoftmax} Z \Bigr)",
                r"\Bigl( Y \ndot{\rank} \nfun{\voc}{logsoftmax} Z \Bigr)",
            ),
            Fault(
                r"s_{\rank(i)} - \log \sum_{j=i}^{K} \exp s_{\rank(j)}",
                r"s_{\rank(i)} - \log \sum_{j=i}^{K} \exp s_{\side(j)}",
            ),
            Fault(
                r"\nfun{\voc}{softmax} U",
                r"\nfun{\rank}{softmax} U",
            ),
        ],
        [
            Entry(r"\ell", answer, "pair side", LOGITS | ANSWERS),
            Entry(r"\Delta", margin, "pair", PAIRS),
            Entry(
                r"\mathcal{L}_{\mathrm{DPO}}",
                lambda *i: -np.log(sigmoid(margin(*i))).mean(),
                "",
                PAIRS,
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{IPO}}",
                lambda *i: ((margin(*i) / i[4] - 1 / (2 * i[4])) ** 2).mean(),
                "",
                PAIRS,
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{hinge}}",
                lambda *i: np.maximum(0, 1 - margin(*i)).mean(),
                "",
                PAIRS,
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{SimPO}}",
                lambda U, Y, m, b, g: (
                    -np.log(sigmoid(b * (lengthwise(U, Y, m) @ np.array([1.0, -1.0])) - g)).mean()
                ),
                "",
                LOGITS | ANSWERS | {"beta": 2.0, "gamma": 0.5},
            ),
            Entry(r"\mathcal{L}_{\mathrm{ORPO}}", odds_loss, "", LOGITS | ANSWERS),
            Entry(r"\mathcal{L}_{\mathrm{PL}}", plackett_luce, "", {"s": "pair[3] rank[4]"}),
            Entry("a", lambda *i: (margin(*i) > 0).mean(), "", PAIRS),
            Entry(
                r"\frac{\partial \mathcal{L}_{\mathrm{DPO}}}{\partial U}",
                slope_of_logits,
                "pair side pos voc",
                PAIRS,
            ),
        ],
    ),
    Unseen(
        "folding.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\usepackage{algorithm,algpseudocode}
% axes
\newcommand{\ax}[1]{\mathsf{#1}}
\newcommand{\msa}{\ax{msa}}
\newcommand{\res}{\ax{res}}
\newcommand{\mch}{\ax{mch}}
\newcommand{\pch}{\ax{pch}}
\newcommand{\out}{\ax{out}}
\newcommand{\hid}{\ax{hid}}
\newcommand{\head}{\ax{head}}
\newcommand{\key}{\ax{key}}
\newcommand{\val}{\ax{val}}
\newcommand{\xyz}{\ax{xyz}}
% operations
\newcommand{\RR}{\mathbb{R}}
\newcommand{\con}[1]{\mathbin{\mathop{\cdot}\limits_{#1}}}
\newcommand{\fn}[2]{\mathop{\mathrm{#2}}\limits_{#1}}
\newcommand{\ren}[2]{\left[#1\right]_{#2}}

\begin{document}
\begin{center}\Large Supplementary Methods: a Folding Trunk without Templates\end{center}

\section{Notation}
An alignment of $S$ sequences has a representation $M \in \RR^{\msa[S] \times \res[n] \times \mch}$, and the pairs of its $n$ residues have a representation $Z \in \RR^{\res[n] \times \res'[n] \times \pch}$. Where three residues meet, the third runs along $\res''$. Every update begins with a normalization without parameters, along whichever axis stands below it,
\begin{equation}
\fn{\ax{ax}}{LN}(x) = \frac{x - \fn{\ax{ax}}{mean} x}{\sqrt{\fn{\ax{ax}}{var} x + 10^{-5}}}.
\end{equation}
Subscripts like $\ren{Z}{\res' \rightarrow \res''}$ rename axes; several renamings take place at once.

\section{Updates of the pairs}

\subsection{Outer product mean}
Covariation in the alignment informs the pairs. With $W_a \in \RR^{\mch \times \out}$, $W_b \in \RR^{\mch \times \out}$, $W_o \in \RR^{\out \times \out' \times \pch}$ and $b_o \in \RR^{\pch}$,
\begin{align}
A &= W_a \con{\mch} \fn{\mch}{LN}(M) \qquad B = W_b \con{\mch} \fn{\mch}{LN}(M) \\
O &= \fn{\msa}{mean} \left( A \odot \ren{B}{\res \rightarrow \res', \out \rightarrow \out'} \right) \label{eq:opm} \\
Z^{\mathrm{opm}} &= W_o \con{\out, \out'} O + b_o.
\end{align}

\subsection{Triangle multiplication}
The edges $ik$ and $jk$ of a triangle together say something about its third edge $ij$. Both are gated projections, with $G_a, P_a, G_b, P_b \in \RR^{\pch \times \hid}$:
\begin{align}
a &= \sigma\bigl( G_a \con{\pch} \fn{\pch}{LN}(Z) \bigr) \odot \bigl( P_a \con{\pch} \fn{\pch}{LN}(Z) \bigr) \\
b &= \sigma\bigl( G_b \con{\pch} \fn{\pch}{LN}(Z) \bigr) \odot \bigl( P_b \con{\pch} \fn{\pch}{LN}(Z) \bigr).
\end{align}
Edges that leave the residues $i$ and $j$ are combined by a contraction,
\begin{equation}
T^{\mathrm{out}} = \sum_{\res''} \ren{a}{\res' \rightarrow \res''} \odot \ren{b}{\res \rightarrow \res', \res' \rightarrow \res''},
\label{eq:outgoing}
\end{equation}
and edges that arrive at them by the same one, read backwards. In elements, $T^{\mathrm{in}} \in \RR^{\res[n] \times \res'[n] \times \hid}$ is
\begin{equation}
T^{\mathrm{in}}_{\res(i), \res'(j)} = \sum_{k=1}^{n} a_{\res(k), \res'(i)} \odot b_{\res(k), \res'(j)}.
\label{eq:incoming}
\end{equation}

\subsection{Triangle attention}
\begin{algorithm}
\caption{Attention around the starting node}
\begin{algorithmic}[1]
\Require $Z$; $W_Q, W_K \in \RR^{\pch \times \head \times \key}$, $W_V \in \RR^{\pch \times \head \times \val}$, $w \in \RR^{\pch \times \head}$, $W_Z \in \RR^{\head \times \val \times \pch}$
\State $Q = W_Q \con{\pch} Z$, $K = W_K \con{\pch} Z$, $V = W_V \con{\pch} Z$
\State $\beta = w \con{\pch} Z$ \Comment{the bias is that of the third edge}
\State $\alpha = \fn{\res''}{softmax} \left( \frac{1}{\sqrt{|\key|}} Q \con{\key} \ren{K}{\res' \rightarrow \res''} + \ren{\beta}{\res \rightarrow \res', \res' \rightarrow \res''} \right)$
\State $Z^{\mathrm{att}} = Z + W_Z \con{\head, \val} \left( \alpha \con{\res''} \ren{V}{\res' \rightarrow \res''} \right)$
\State \Return $Z^{\mathrm{att}}$
\end{algorithmic}
\end{algorithm}

\section{Losses and scores}

\paragraph{Distances.} For coordinates $x \in \RR^{\res[n] \times \xyz[3]}$ of the true and $\hat{x} \in \RR^{\res[n] \times \xyz[3]}$ of the predicted structure, in \AA,
\begin{equation}
d = \fn{\xyz}{norm}\left( x - \ren{x}{\res \rightarrow \res'} \right), \qquad \hat{d} = \fn{\xyz}{norm}\left( \hat{x} - \ren{\hat{x}}{\res \rightarrow \res'} \right).
\end{equation}

\paragraph{Distogram.} Distances fall into bins with centres $c \in \RR^{\ax{bin}}$. The target is the nearest of these, and the logits are made symmetric. With $W_d \in \RR^{\pch \times \ax{bin}}$,
\begin{align}
y &= \fn{\ax{bin}}{argmin} |d - c| \\
p &= \fn{\ax{bin}}{softmax}\left( W_d \con{\pch} \bigl( Z + \ren{Z}{\res \rightarrow \res', \res' \rightarrow \res} \bigr) \right) \\
\mathcal{L}_{\mathrm{dist}} &= -\fn{\res, \res'}{mean} \log p_{\ax{bin}(y)}. \label{eq:distogram}
\end{align}

\paragraph{lDDT.} Of the true distances below 15\,\AA, excluding each residue itself, lDDT counts those that are preserved within four thresholds:
\begin{align}
\chi_{\res(i), \res'(j)} &= \begin{cases} 1 & \text{if } i \neq j \text{ and } d_{\res(i), \res'(j)} < 15 \\ 0 & \text{otherwise} \end{cases} \\
\mathrm{lDDT} &= \frac{1}{4} \sum_{\tau \in \{0.5, 1, 2, 4\}} \frac{\sum_{\res'} \chi \odot \mathbb{1}[|d - \hat{d}| < \tau]}{\sum_{\res'} \chi}. \label{eq:lddt}
\end{align}

\paragraph{Frames.} Let $R, \hat{R} \in \RR^{\res[n] \times \xyz[3] \times \xyz'[3]}$ be rotations and $u, \hat{u} \in \RR^{\res[n] \times \xyz[3]}$ the origins of the backbone frames. Residue $j$, seen from frame $i$, is at
\begin{equation}
x^{\mathrm{loc}} = R \con{\xyz} \bigl( \ren{x}{\res \rightarrow \res'} - u \bigr), \qquad \hat{x}^{\mathrm{loc}} = \hat{R} \con{\xyz} \bigl( \ren{\hat{x}}{\res \rightarrow \res'} - \hat{u} \bigr),
\end{equation}
and the frame-aligned error is clamped at 10\,\AA:
\begin{equation}
\mathrm{FAPE} = \frac{1}{10} \fn{\res, \res'}{mean} \min\left( 10, \sqrt{\textstyle\sum_{\xyz'} (x^{\mathrm{loc}} - \hat{x}^{\mathrm{loc}})^2 + 10^{-4}} \right).
\label{eq:fape}
\end{equation}
\end{document}
""",
        [
            Fault(
                r"\ren{b}{\res \rightarrow \res'",
                r"\ren{b}{\msa \rightarrow \res'",
            ),
            Fault(
                r"\left( \alpha \con{\res''} \ren{V}{\res' \rightarrow \res''} \right)",
                r"\left( \alpha \con{\res''} V \right)",
            ),
            Fault(
                r"\hat{u} \in \RR^{\res[n] \times \xyz[3]}$",
                r"\hat{u} \in \RR^{\res[n] \times \xyz[4]}$",
                r"x^{\mathrm{loc}} = R \con{\xyz}",
            ),
        ],
        [
            Entry(
                r"Z^{\mathrm{opm}}",
                outer_mean,
                "res res' pch",
                {
                    "M": "msa[3] res[4] mch[5]",
                    "W_a": "mch[5] out[2]",
                    "W_b": "mch[5] out[2]",
                    "W_o": "out[2] out'[2] pch[3]",
                    "b_o": "pch[3]",
                },
            ),
            Entry(r"T^{\mathrm{out}}", outgoing, "res res' hid", EDGES),
            Entry(r"T^{\mathrm{in}}", incoming, "res res' hid", EDGES),
            Entry(
                r"Z^{\mathrm{att}}",
                around,
                "res res' pch",
                {
                    "Z": "res[4] res'[4] pch[3]",
                    "W_Q": "pch[3] head[2] key[3]",
                    "W_K": "pch[3] head[2] key[3]",
                    "W_V": "pch[3] head[2] val[2]",
                    "w": "pch[3] head[2]",
                    "W_Z": "head[2] val[2] pch[3]",
                },
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{dist}}",
                bins,
                "",
                {
                    "Z": "res[4] res'[4] pch[3]",
                    "W_d": "pch[3] bin[5]",
                    "x": "res[4] xyz[3]",
                    "c": "bin[5] ~ positive",
                },
            ),
            Entry(r"\mathrm{lDDT}", lddt, "res", {"x": "res[4] xyz[3]", "xhat": "res[4] xyz[3]"}),
            Entry(
                r"\mathrm{FAPE}",
                aligned,
                "",
                {
                    "R": "res[4] xyz[3] xyz'[3]",
                    "u": "res[4] xyz[3]",
                    "Rhat": "res[4] xyz[3] xyz'[3]",
                    "uhat": "res[4] xyz[3]",
                    "x": "res[4] xyz[3]",
                    "xhat": "res[4] xyz[3]",
                },
            ),
        ],
    ),
    Unseen(
        "modelcard.md",
        r"""---
license: apache-2.0
language: [en, de, is]
pipeline_tag: text-generation
---

# Skarv-2 1.9B-A0.6B

Skarv-2 is a small decoder-only language model with sliding windows, grouped queries and a mixture of experts in each layer. This card says what it computes; weights and code are in the repository.

| Hyperparameter | Axis | Size |
|:--|:--|--:|
| width | `emb` | 1536 |
| groups of queries | `group` | 4 |
| query heads in each group | `head` | 4 |
| rotary frequencies | `freq` | 48 |
| experts, of which two are used | `expert` | 16 |
| hidden units of an expert | `hid` | 768 |
| vocabulary | `vocab` | 65536 |

## Architecture

Formulas are in the [named tensor notation](https://namedtensor.github.io). The input of a layer is $X \in \mathbb{R}^{\text{seq}:n, \text{emb}}$. Each layer has attention and experts, both with pre-normalization and a residual connection:

$$
\begin{aligned}
H &= X + \text{att}(\text{rms}(X; g^1)) \\
Y &= H + \text{moe}(\text{rms}(H; g^2)) \\
\text{rms}(x; g) &= \frac{x}{\sqrt{\underset{\text{emb}}{\text{mean}}(x^2) + 10^{-6}}} \odot g
\end{aligned}
$$

with gains $g^1, g^2 \in \mathbb{R}^{\text{emb}}$.

### Positions

Queries and keys are rotated. We keep the two parts of each rotated pair on an axis of their own, $\text{part}$ of size 2, so that no interleaving is needed. The angle of position $p$ and frequency $f$ is

$$
\phi_{\text{seq}:p, \text{freq}:f} = (p - 1) \cdot 10000^{-(f - 1) / |\text{freq}|}
$$

with $\phi \in \mathbb{R}^{\text{seq}:n, \text{freq}}$, and for $T \in \mathbb{R}^{\text{seq}:n, \text{freq}, \text{part}:2}$ the rotation is

$$
\begin{aligned}
\text{rope}(T)_{\text{part}:1} &= T_{\text{part}:1} \odot \cos \phi - T_{\text{part}:2} \odot \sin \phi \\
\text{rope}(T)_{\text{part}:2} &= T_{\text{part}:1} \odot \sin \phi + T_{\text{part}:2} \odot \cos \phi
\end{aligned}
$$

### Attention

Four query heads share the keys and values of their group:

$$
\begin{aligned}
W^Q &\in \mathbb{R}^{\text{emb}, \text{group}, \text{head}, \text{freq}, \text{part}:2} &
W^K &\in \mathbb{R}^{\text{emb}, \text{group}, \text{freq}, \text{part}:2} \\
W^V &\in \mathbb{R}^{\text{emb}, \text{group}, \text{val}} &
W^O &\in \mathbb{R}^{\text{group}, \text{head}, \text{val}, \text{emb}} \\
\text{att}(X; W^Q, W^K, W^V, W^O) &= \left[ W^O \underset{\text{group}, \text{head}, \text{val}}{\cdot} \left( V \underset{\text{seq}}{\cdot} A \right) \right]_{\text{seq}' \rightarrow \text{seq}} \\
A &= \underset{\text{seq}}{\text{softmax}} \left( \frac{Q \underset{\text{freq}, \text{part}}{\cdot} K}{\sqrt{2 |\text{freq}|}} + M \right) \\
Q &= \left[ \text{rope}(W^Q \underset{\text{emb}}{\cdot} X) \right]_{\text{seq} \rightarrow \text{seq}'} \\
K &= \text{rope}(W^K \underset{\text{emb}}{\cdot} X) \\
V &= W^V \underset{\text{emb}}{\cdot} X
\end{aligned}
$$

A token sees itself and the $w - 1$ tokens before it,

$$
M_{\text{seq}':i, \text{seq}:j} = \begin{cases} 0 & \text{if } i - w < j \le i \\ -\infty & \text{otherwise.} \end{cases}
$$

We trained with $w = 1024$; longer windows work without further training up to about $4096$.

### Experts

The router is linear, $W^r \in \mathbb{R}^{\text{emb}, \text{expert}}$. An expert is used if fewer than two others have a higher probability:

$$
\begin{aligned}
p(X) &= \underset{\text{expert}}{\text{softmax}}(W^r \underset{\text{emb}}{\cdot} X) \\
m(X) &= \mathbb{1}\left[ \sum_{\text{expert}'} \mathbb{1}\left[ [p(X)]_{\text{expert} \rightarrow \text{expert}'} > p(X) \right] < 2 \right] \\
\text{gate}(X) &= \frac{m(X) \odot p(X)}{\sum_{\text{expert}} m(X) \odot p(X)}
\end{aligned}
$$

Each expert is a gated network with its own slices of

- $W^g, W^u \in \mathbb{R}^{\text{expert}, \text{emb}, \text{hid}}$, the gate and the way up;
- $W^d \in \mathbb{R}^{\text{expert}, \text{hid}, \text{emb}}$, the way down,

and what they give is mixed:

$$
\text{moe}(X) = \sum_{\text{expert}} \text{gate}(X) \odot \left( W^d \underset{\text{hid}}{\cdot} \left( \text{SiLU}(W^g \underset{\text{emb}}{\cdot} X) \odot (W^u \underset{\text{emb}}{\cdot} X) \right) \right)
$$

## Training

The loss of a document is the cross-entropy of the next token with a small penalty on the normalizer. With $F \in \mathbb{R}^{\text{seq}:n, \text{emb}}$ the output of the last layer, embeddings $E \in \mathbb{R}^{\text{vocab}, \text{emb}}$, which are tied, and the next tokens, one-hot, $y \in \{0, 1\}^{\text{seq}:n, \text{vocab}}$:

$$
\begin{aligned}
Z &= E \underset{\text{emb}}{\cdot} F \\
\mathcal{L}_\text{lm} &= -\frac{1}{n} \sum_{\text{seq}} y \underset{\text{vocab}}{\cdot} \log \underset{\text{vocab}}{\text{softmax}}(Z) + 10^{-4} \cdot \frac{1}{n} \sum_{\text{seq}} \left( \log \sum_{\text{vocab}} \exp Z \right)^2
\end{aligned}
$$

To each layer's $X$ belongs a loss that balances its experts,

$$
\mathcal{L}_\text{bal}(X) = |\text{expert}| \sum_{\text{expert}} \underset{\text{seq}}{\text{mean}}\left( \tfrac{1}{2} m(X) \right) \odot \underset{\text{seq}}{\text{mean}}(p(X))
$$

which is $1$ if all are used alike. It is added with a weight of $0.01$.

## Limitations

The model has seen little Icelandic (1.4 % of the tokens), and no dialogue. It is **not** aligned in any way.
""",
        [
            Fault(
                r"\frac{Q \underset{\text{freq}, \text{part}}{\cdot} K}",
                r"\frac{Q \underset{\text{freq}, \text{head}}{\cdot} K}",
            ),
            Fault(
                r"W^V &\in \mathbb{R}^{\text{emb}, \text{group}, \text{val}} &",
                r"W^V &\in \mathbb{R}^{\text{group}, \text{val}} &",
                r"V &= W^V \underset",
            ),
            Fault(
                r"\text{moe}(X) = \sum_{\text{expert}} \text{gate}(X)",
                r"\text{moe}(X) = \sum_{\text{expert}'} \text{gate}(X)",
            ),
        ],
        [
            Entry("phi", angles, "seq freq", chosen={"n": 5, "freq": 3}),
            Entry("rope", rotate, "seq freq part", {"T": "seq[5] freq[3] part[2]"}),
            Entry(
                "att",
                lambda *i: grouped(*i, 2),
                "seq emb",
                {"X": "seq[5] emb[4]"},
                GROUPED,
                chosen={"w": 2},
            ),
            Entry("p", lambda X, W: routed(X, W)[0], "seq expert", ROUTER),
            Entry("m", lambda X, W: routed(X, W)[1], "seq expert", ROUTER),
            Entry("gate", lambda X, W: routed(X, W)[2], "seq expert", ROUTER),
            Entry("moe", experts, "seq emb", ROUTER | EXPERTS),
            Entry(
                r"\mathcal{L}_\text{lm}",
                next_token,
                "",
                {
                    "F": "seq[5] emb[4]",
                    "E": "vocab[6] emb[4]",
                    "y": "seq[5] vocab[6] ~ one-hot vocab",
                },
            ),
            Entry(r"\mathcal{L}_\text{bal}", balance, "", ROUTER),
            Entry(
                "Y",
                lambda X, g1, g2, Q, K, V, O, r, g, u, d: (
                    lambda H: H + experts(rms(H, g2), r, g, u, d)
                )(X + grouped(rms(X, g1), Q, K, V, O, 3)),
                "seq emb",
                {"X": "seq[5] emb[4]", "g1": "emb[4]", "g2": "emb[4]"}
                | GROUPED
                | {"Wr": "emb[4] expert[4]"}
                | EXPERTS,
                chosen={"w": 3},
            ),
        ],
    ),
    Unseen(
        "forecaster.md",
        r"""# Tidewater: a mixer of patches that forecasts quantiles

*Technical report, version 3.* Tidewater forecasts many time series with one small network. Its three ingredients are old: reversible normalization, patches, and quantiles that cannot cross. This report describes the model (Section 1), how it is trained and judged (Section 2), and the baseline (Appendix A).

$$
\newcommand{\R}{\mathbb{R}}
\newcommand{\ts}{\name{time}}
\newcommand{\se}{\name{series}}
\newcommand{\hor}{\name{hor}}
\newcommand{\qt}{\name{quant}}
\newcommand{\pa}{\name{patch}}
\newcommand{\po}{\name{pos}}
\newcommand{\eb}{\name{emb}}
$$

## 1 Model

**Data.** We are given a history $x \in \R^{\se[N] \times \ts[T]}$ of $N$ series, and asked for their next $H$ values $y \in \R^{\se[N] \times \hor[H]}$.

**Normalization.** Each series is brought to mean zero and variance one, and the forecast is brought back at the end:

$$
\mu = \nfun{\ts}{mean} x, \qquad s = \sqrt{\nfun{\ts}{var} x + 10^{-5}}, \qquad z = \frac{x - \mu}{s}.
$$

**Patches.** The history is cut into $P$ overlapping patches of length $L$, a new one every $D$ steps, so that $T = (P - 1) D + L$. Thus $p \in \R^{\se[N] \times \pa[P] \times \po[L]}$ is

$$
p_{\pa(i), \po(j)} = z_{\ts((i-1) D + j)}.
$$

We use $L = 16$ and $D = 8$ for hourly data, and $L = 4$, $D = 2$ for monthly data.

**Mixing.** Patches are embedded and then mixed twice, across patches and within them. All layers have a residual connection.

$$
\begin{aligned}
e &= W_e \ndot{\po} p + b_e + E & W_e &\in \R^{\po[L] \times \eb} & b_e &\in \R^{\eb} & E &\in \R^{\pa[P] \times \eb} \\
h &= e + V_2 \ndot{\name{mix}} \operatorname{ReLU}(V_1 \ndot{\pa} e) & V_1 &\in \R^{\pa[P] \times \name{mix}} & V_2 &\in \R^{\name{mix} \times \pa[P]} \\
g &= h + W_2 \ndot{\name{hid}} \operatorname{GELU}(W_1 \ndot{\eb} h) & W_1 &\in \R^{\eb \times \name{hid}} & W_2 &\in \R^{\name{hid} \times \eb}
\end{aligned}
$$

**Head.** A linear layer gives $K$ numbers for each value asked for, the lowest quantile and $K - 1$ increments. With $A \in \R^{\pa[P] \times \eb \times \hor[H] \times \qt[K]}$ and $a \in \R^{\hor[H] \times \qt[K]}$,

$$
\begin{aligned}
u &= A \ndot{\pa, \eb} g + a \\
r_{\qt(1)} &= u_{\qt(1)} \\
r_{\qt(k)} &= r_{\qt(k-1)} + \log(1 + \exp u_{\qt(k)}) \qquad \text{for } k = 2, \dots, K \\
\hat{y} &= \mu + s \odot r
\end{aligned}
$$

so $\hat{y} \in \R^{\se[N] \times \hor[H] \times \qt[K]}$ increases along $\qt$.

## 2 Training and evaluation

The levels are $\tau \in (0, 1)^{\qt[K]}$, in our case $0.1, 0.2, \dots, 0.9$. An error $\varepsilon$ costs $\rho(\varepsilon) = \max(\tau \varepsilon, (\tau - 1) \varepsilon)$ at each level[^1], and the loss is the mean over everything:

$$
\mathcal{L} = \nfun{\se, \hor, \qt}{mean} \rho(y - \hat{y}).
$$

[^1]: Also known as the *pinball* or *check* function. At $\tau = \frac{1}{2}$ it is half the absolute error.

For comparison across data sets we report four scores.

| Score | Meaning | ETTh | M4 monthly |
|---|---|--:|--:|
| WQL | weighted quantile loss | 0.071 | 0.098 |
| MASE | error of the median, in units of the seasonal naive one | 0.84 | 0.91 |
| coverage | of the interval between the outer quantiles | 0.79 | 0.77 |
| sharpness | width of this interval | 0.62 | 0.44 |

1. The weighted quantile loss is

   $$
   \mathrm{WQL} = \frac{2}{K} \nsum{\qt} \frac{\nsum{\se, \hor} \rho(y - \hat{y})}{\nsum{\se, \hor} |y|}.
   $$

2. The scaled error of the median $\tilde{y} = \hat{y}_{\qt((K+1)/2)}$, for odd $K$. Let $m$ be the seasonal period; then

   $$
   \begin{aligned}
   q &= \frac{1}{T - m} \sum_{t=m+1}^{T} |x_{\ts(t)} - x_{\ts(t-m)}| \\
   \mathrm{MASE} &= \nfun{\se}{mean} \frac{\nfun{\hor}{mean} |y - \tilde{y}|}{q}.
   \end{aligned}
   $$

3. The coverage $C = \nfun{\se, \hor}{mean} \mathbb{1}[\hat{y}_{\qt(1)} \le y \le \hat{y}_{\qt(K)}]$ should be near $\tau_{\qt(K)} - \tau_{\qt(1)}$.

4. The sharpness is the width in units of the normalized series,

   $$
   w = \nfun{\se, \hor}{mean} \left( r_{\qt(K)} - r_{\qt(1)} \right).
   $$

## A The baseline

The damped method of Holt has a level $\ell$ and a trend $b$, both in $\R^{\se[N] \times \ts[T]}$:

$$
\begin{aligned}
\ell_{\ts(1)} &= x_{\ts(1)} & b_{\ts(1)} &= x_{\ts(2)} - x_{\ts(1)} \\
\ell_{\ts(t)} &= \alpha\, x_{\ts(t)} + (1 - \alpha) (\ell_{\ts(t-1)} + \varphi\, b_{\ts(t-1)}) \\
b_{\ts(t)} &= \beta (\ell_{\ts(t)} - \ell_{\ts(t-1)}) + (1 - \beta) \varphi\, b_{\ts(t-1)} & t &= 2, \dots, T
\end{aligned}
$$

with $\alpha, \beta, \varphi \in [0, 1]$ fitted to each data set. Its forecast continues the trend, which dies away:

$$
y^{\text{Holt}}_{\hor(h)} = \ell_{\ts(T)} + \sum_{i=1}^{h} \varphi^i \, b_{\ts(T)}, \qquad h = 1, \dots, H.
$$
""",
        [
            Fault(
                r"V_2 &\in \R^{\name{mix} \times \pa[P]} \\",
                r"V_2 &\in \R^{\name{hid} \times \pa[P]} \\",
                r"h &= e + V_2 \ndot",
            ),
            Fault(r"\ell_{\ts(T)} + \sum_{i=1}^{h}", r"\ell_{\hor(T)} + \sum_{i=1}^{h}"),
            Fault(
                r"u &= A \ndot{\pa, \eb} g + a \\",
                r"u &= A \ndot{\po, \eb} g + a \\",
            ),
        ],
        [
            Entry(
                "p",
                patches,
                "series patch pos",
                {"x": "series[2] time[8]"},
                chosen={"P": 3, "L": 4, "D": 2},
            ),
            Entry("g", mixed, "series patch emb", without(FORECAST, "A", "a"), chosen={"D": 2}),
            Entry(r"\hat{y}", quantiles, "series hor quant", FORECAST, chosen={"D": 2}),
            Entry(
                r"\mathcal{L}",
                lambda *i: pinball(i[-2][..., None] - quantiles(*i[:-2]), i[-1]).mean(),
                "",
                FORECAST | TRUTH | {"tau": "quant[3] ~ positive"},
                chosen={"D": 2},
            ),
            Entry(
                r"\mathrm{WQL}",
                lambda *i: (
                    2
                    * pinball(i[-2][..., None] - quantiles(*i[:-2]), i[-1]).sum((0, 1)).mean()
                    / np.abs(i[-2]).sum()
                ),
                "",
                FORECAST | TRUTH | {"tau": "quant[3] ~ positive"},
                chosen={"D": 2},
            ),
            Entry(
                r"\mathrm{MASE}",
                lambda *i: (
                    np.abs(i[-1] - quantiles(*i[:-1])[..., 1]).mean(1) / seasonal_error(i[0], 3)
                ).mean(),
                "",
                FORECAST | TRUTH,
                chosen={"D": 2, "m": 3},
            ),
            Entry(
                "C",
                lambda *i: (lambda q, y: ((q[..., 0] <= y) & (y <= q[..., 2])).mean())(
                    quantiles(*i[:-1]), i[-1]
                ),
                "",
                FORECAST | TRUTH,
                chosen={"D": 2},
            ),
            Entry(
                "w",
                lambda *i: (lambda y: ((y[..., 2] - y[..., 0]) / scaled(i[0])[1]).mean())(
                    quantiles(*i)
                ),
                "",
                FORECAST,
                chosen={"D": 2},
            ),
            Entry(
                r"y^{\text{Holt}}",
                lambda x, a, b, phi: (
                    lambda l, t: np.stack([l + phi * t, l + (phi + phi**2) * t], 1)
                )(*holt(x, a, b, phi)),
                "series hor",
                {"x": "series[2] time[6]", "alpha": 0.6, "beta": 0.3, "varphi": 0.9},
                chosen={"H": 2},
            ),
        ],
    ),
    Unseen(
        "latesearch.md",
        r"""---
title: "Kittiwake: late interaction for short passages"
tags: [sentence-similarity, retrieval]
---

# Kittiwake

Kittiwake scores a passage for a query by comparing *tokens*, not whole texts. It follows ColBERT; what is new is the mixture of losses.

- **Input:** queries of up to 32 and passages of up to 180 tokens
- **Output:** one score for each pair
- **Not intended for:** languages other than English and French

## Scores

The encoder gives contextual vectors $H^Q \in \mathbb{R}^{\text{query}:B, \text{qtok}, \text{emb}}$ for a batch of queries and $H^D \in \mathbb{R}^{\text{doc}:N, \text{dtok}, \text{emb}}$ for its passages, with a mask $m \in \{0, 1\}^{\text{doc}:N, \text{dtok}}$, which is zero on padding. Queries are never padded but filled up with mask tokens. Both are projected by the same $W \in \mathbb{R}^{\text{emb}, \text{dim}}$ and brought to length one, where $\text{unit}(x) = x / \underset{\text{dim}}{\text{norm}}(x)$:

```math
\begin{align}
Q &= \text{unit}(W \underset{\text{emb}}{\cdot} H^Q) & D &= \text{unit}(W \underset{\text{emb}}{\cdot} H^D)
\end{align}
```

A token of the query looks for the most similar token of the passage, and the score is the sum over the tokens of the query. We set the similarity to padding to $-\infty$:

```math
\begin{align}
T &= Q \underset{\text{dim}}{\cdot} D + M \\
M_{\text{doc}:k, \text{dtok}:j} &= \begin{cases} 0 & \text{if } m_{\text{doc}:k, \text{dtok}:j} = 1 \\ -\infty & \text{if } m_{\text{doc}:k, \text{dtok}:j} = 0 \end{cases} \\
S &= \sum_{\text{qtok}} \max_{\text{dtok}} T
\end{align}
```

so that $S \in \mathbb{R}^{\text{query}:B, \text{doc}:N}$.

## Training

A batch has $B$ queries and $N \ge B$ passages. Passage $i$ is the relevant one for query $i$; those after the first $B$ are hard negatives, mined with BM25. The contrastive loss has a temperature $\theta > 0$:

```math
\begin{align}
P &= \underset{\text{doc}}{\text{softmax}}(S / \theta) \\
L_1 &= -\frac{1}{B} \sum_{i=1}^{B} \log P_{\text{query}:i, \text{doc}:i}
\end{align}
```

A cross-encoder has given logits $Z \in \mathbb{R}^{\text{query}:B, \text{doc}:N}$ to the same pairs. Its distribution $R = \underset{\text{doc}}{\text{softmax}}(Z)$ is distilled by

```math
L_2 = \underset{\text{query}}{\text{mean}} \sum_{\text{doc}} R \odot (\log R - \log P)
```

and the total is $L = L_1 + \eta L_2$ with $\eta = 2$.

## Compression

Passages are stored as the number of their nearest centroid and one bit for each dimension of the residual. For centroids $C \in \mathbb{R}^{\text{cent}:K, \text{dim}}$ of all passage tokens,

```math
\begin{align}
a &= \underset{\text{cent}}{\text{argmax}} \left( C \underset{\text{dim}}{\cdot} D \right) \\
\Delta &= D - C_{\text{cent}(a)} \\
\delta &= \underset{\text{doc}, \text{dtok}}{\text{mean}} |\Delta| \\
D' &= \text{unit}\left( C_{\text{cent}(a)} + \text{sign}(\Delta) \odot \delta \right)
\end{align}
```

where $a \in [K]^{\text{doc}:N, \text{dtok}}$. At search time $D'$ stands for $D$. This takes $\lceil \log_2 K \rceil + |\text{dim}|$ bits per token instead of $16 |\text{dim}|$:

| Model | MRR@10 | nDCG@10 | bytes per token |
|---|--:|--:|--:|
| BM25 | 18.7 | 43.0 | -- |
| Kittiwake | 39.2 | 51.6 | 256 |
| Kittiwake, compressed | 38.7 | 51.1 | 20 |

## Evaluation

The rank of the relevant passage is one more than the number of those with a higher score,

```math
\begin{align}
r_{\text{query}:i} &= 1 + \sum_{k=1}^{N} \mathbb{1}[S_{\text{query}:i, \text{doc}:k} > S_{\text{query}:i, \text{doc}:i}] \\
\text{MRR} &= \underset{\text{query}}{\text{mean}} \begin{cases} 1 / r & \text{if } r \le 10 \\ 0 & \text{otherwise} \end{cases}
\end{align}
```

If judgements are graded, $G \in \{0, 1, 2, 3\}^{\text{query}:B, \text{doc}:N}$, we rank all passages and discount their gains:

```math
\begin{align}
\rho &= 1 + \sum_{\text{doc}'} \mathbb{1}\left[ [S]_{\text{doc} \rightarrow \text{doc}'} > S \right] \\
\text{DCG} &= \sum_{\text{doc}} \frac{2^{G} - 1}{\log_2(1 + \rho)} \odot \mathbb{1}[\rho \le 10]
\end{align}
```

and divide by the same of the best order possible.

## Citation

Khattab and Zaharia, *ColBERT* (2020); Santhanam et al., *ColBERTv2* (2022).
""",
        [
            Fault(
                r"S &= \sum_{\text{qtok}} \max_{\text{dtok}} T",
                r"S &= \sum_{\text{query}} \max_{\text{dtok}} T",
                r"L_1 &= -\frac{1}{B}",
            ),
            Fault(
                r"\underset{\text{cent}}{\text{argmax}} \left( C \underset{\text{dim}}{\cdot} D \right)",
                r"\underset{\text{cent}}{\text{argmax}} \left( C \underset{\text{emb}}{\cdot} D \right)",
            ),
            Fault(
                r"\mathbb{1}\left[ [S]_{\text{doc} \rightarrow \text{doc}'} > S \right]",
                r"\mathbb{1}\left[ S > S \right]",
            ),
        ],
        [
            Entry("S", late, "query doc", LATE),
            Entry("L_1", in_batch, "", LATE | {"theta": 0.3}),
            Entry("L_2", distilled, "", LATE | {"theta": 0.3, "Z": "query[3] doc[4]"}),
            Entry(
                "L",
                lambda *i: in_batch(*i[:-1]) + 2 * distilled(*i),
                "",
                LATE | {"theta": 0.3, "Z": "query[3] doc[4]"},
            ),
            Entry(
                "D'",
                compressed,
                "doc dtok dim",
                {"W": LATE["W"], "H__D": LATE["H__D"], "C": "cent[4] dim[3]"},
            ),
            Entry("r", first_ranks, "query", LATE),
            Entry("MRR", lambda *i: (1 / first_ranks(*i)).mean(), "", LATE),
            Entry(
                "DCG",
                lambda *i: gain(late(*i[:-1]), i[-1], 10),
                "query",
                LATE | {"G": "query[3] doc[4] ~ whole 4"},
            ),
        ],
    ),
]
