"""Seven documents of residents: drafts, positions, patches, an energy, flows, pursuit, losses of preferences."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax

# Speculative decoding.


def acceptance(Z, U, T):
    p, q = softmax(Z / T), softmax(U / T)
    return np.minimum(p, q).sum(1)


def residual(Z, U, T):
    r = np.maximum(softmax(Z / T) - softmax(U / T), 0)
    return r / r.sum(1, keepdims=True)


def ratios(Z, U, T, X):
    p, q = softmax(Z / T), softmax(U / T)
    return np.minimum(1, (X * p).sum(1) / (X * q).sum(1))


def kept(Z, U, T, X, u):
    run = 0
    for good in u <= ratios(Z, U, T, X):
        if not good:
            break
        run += 1
    return 1 + run


def expected_length(Z, U, T, X):
    return 1 + np.cumprod(ratios(Z, U, T, X)).sum()


def speed(Z, U, T, kappa):
    alpha, gamma = acceptance(Z, U, T).mean(), len(Z)
    return (1 - alpha ** (gamma + 1)) / (1 - alpha) / (gamma * kappa + 1)


def medusa(h, W1, W2):
    out = []
    for A, B in zip(W1, W2, strict=True):
        z = h @ A
        out.append(softmax((h + z / (1 + np.exp(-z))) @ B))
    return np.stack(out)


def tree_size(h, W1, W2):
    P = medusa(h, W1, W2)
    threshold = np.minimum(0.09, 0.3 * np.exp((P * np.log(P)).sum(1)))
    return np.prod([(P[k] > threshold[k]).sum() for k in range(len(P))])


def head_loss(h, W1, W2, Y):
    P = medusa(h, W1, W2)
    return -sum(0.8 ** (k + 1) * (Y[k] * np.log(P[k])).sum() for k in range(len(P)))


# Positions.


def frequencies(m, b=10000.0):
    return b ** (-np.arange(m) / m)


def rotated(X, theta):
    Y = np.empty_like(X)
    for t in range(len(X)):
        z = (X[t, :, 0] + 1j * X[t, :, 1]) * np.exp(1j * (t + 1) * theta)
        Y[t, :, 0], Y[t, :, 1] = z.real, z.imag
    return Y


def scores(Q, K, theta):
    A, B = rotated(Q, theta), rotated(K, theta)
    return np.einsum("ipc,jpc->ij", A, B) / np.sqrt(2 * Q.shape[1])


def causal(S):
    n = S.shape[0]
    return np.where(np.tri(n), S, -np.inf)


def ntk(m, s):
    return frequencies(m, 10000.0 * s ** (m / (m - 1)))


def by_parts(m, s, L):
    theta = frequencies(m)
    gamma = np.clip((L * theta / (2 * np.pi) - 1) / (32 - 1), 0, 1)
    return (1 - gamma) * theta / s + gamma * theta


def yarn(Q, K, V, s, L):
    S = scores(Q, K, by_parts(Q.shape[1], s, L))
    return softmax(causal((0.1 * np.log(s) + 1) ** 2 * S)) @ V


def alibi(Q, K):
    H, n, d = Q.shape
    i = np.arange(n)
    S = np.einsum("hid,hjd->hij", Q, K) / np.sqrt(d)
    slope = 2.0 ** (-8 * np.arange(1, H + 1) / H)
    return softmax(np.stack([causal(S[h] - slope[h] * (i[:, None] - i)) for h in range(H)]))


# Byte patches.


def hashed(x, a, G, B):
    return np.array(
        [
            [sum(a**j * (x[i - j] + 1) for j in range(g + 1) if i >= j) % B for i in range(len(x))]
            for g in range(1, G + 1)
        ]
    )


def byte_states(x, E, T, a):
    h = hashed(x, a, T.shape[0], T.shape[1])
    return E[x] + sum(T[g][h[g]] for g in range(len(T)))


def patches(Z, theta):
    P = softmax(Z)
    entropy = -(P * np.log(P)).sum(1)
    b = entropy > theta
    b[0] = True
    return np.cumsum(b)


def pooled(e, c, K):
    return np.stack([e[c == k + 1].mean(0) if (c == k + 1).any() else 0 * e[0] for k in range(K)])


def encoder(x, E, T, a, Z, theta, W_Q, W_K, W_V, W_O, K):
    e, c = byte_states(x, E, T, a), patches(Z, theta)
    G = pooled(e, c, K)
    out = G.copy()
    for h in range(len(W_Q)):
        S = (G @ W_Q[h]) @ (e @ W_K[h]).T / np.sqrt(W_Q.shape[2])
        S = np.where(c[None] == np.arange(1, K + 1)[:, None], S, S - 1e9)
        out += softmax(S) @ (e @ W_V[h]) @ W_O[h]
    return out


def decoder(x, E, T, a, Z, theta, O, U_Q, U_K, U_V):
    e, c = byte_states(x, E, T, a), patches(Z, theta)
    S = (e @ U_Q) @ (O @ U_K).T / np.sqrt(U_Q.shape[1])
    S = np.where(np.arange(1, len(O) + 1)[None] <= c[:, None], S, -np.inf)
    return e + softmax(S) @ (O @ U_V)


# Energy transformer.


def layer_norm(x, gamma, delta, eps=1e-5):
    d = x - x.mean(-1, keepdims=True)
    return gamma * d / np.sqrt((d**2).mean(-1, keepdims=True) + eps) + delta


def attention_energy(g, W_K, W_Q, beta):
    total = 0.0
    for h in range(len(W_K)):
        A = (g @ W_Q[h].T) @ (g @ W_K[h].T).T
        for c in range(len(g)):
            total -= np.log(sum(np.exp(beta * A[c, b]) for b in range(len(g)) if b != c)) / beta
    return total


def memory_energy(g, xi):
    return -0.5 * (np.maximum(g @ xi.T, 0) ** 2).sum()


def force(g, W_K, W_Q, xi, beta):
    F = np.maximum(g @ xi.T, 0) @ xi
    for h in range(len(W_K)):
        K, Q = g @ W_K[h].T, g @ W_Q[h].T
        P = softmax(np.where(np.eye(len(g)), -np.inf, beta * Q @ K.T))
        F = F + (P @ K) @ W_Q[h] + (P.T @ Q) @ W_K[h]
    return F


def relaxed(x, W_K, W_Q, xi, beta, gamma, delta, alpha, steps):
    for _ in range(steps):
        x = x + alpha * force(layer_norm(x, gamma, delta), W_K, W_Q, xi, beta)
    return x


def masked_loss(x, W_K, W_Q, xi, beta, gamma, delta, alpha, B, b, Y, m, steps):
    x = relaxed(x, W_K, W_Q, xi, beta, gamma, delta, alpha, steps)
    out = layer_norm(x, gamma, delta) @ B + b
    return (m * ((out - Y) ** 2).sum(1)).sum() / m.sum()


# Flow networks.


def matching(F, R, eps=1e-5):
    into, out = F.sum(0), F.sum(1)
    return sum((np.log(eps + into[i]) - np.log(eps + R[i] + out[i])) ** 2 for i in range(1, len(R)))


def forward_policy(Phi, W, V, A):
    w = A * np.exp(np.tanh(Phi @ W) @ V)
    total = 1 + w.sum(1)
    return w / total[:, None], 1 / total


def backward_policy(A):
    return A / np.maximum(A.sum(0), 1)


def ends(Phi, W, V, A, K):
    P, stop = forward_policy(Phi, W, V, A)
    e = np.eye(len(P))[0]
    u = e
    for _ in range(K):
        u = e + u @ P
    return u * stop


def increments(Phi, W, V, A, s):
    P, _ = forward_policy(Phi, W, V, A)
    B = backward_policy(A)
    return np.array([np.log(P[i, j]) - np.log(B[i, j]) for i, j in pairwise(s)])


def trajectory_balance(Phi, W, V, A, s, zeta, R):
    _, stop = forward_policy(Phi, W, V, A)
    d = increments(Phi, W, V, A, s)
    return (zeta + d.sum() + np.log(stop[s[-1]]) - np.log(R[s[-1]])) ** 2


def detailed_balance(Phi, W, V, A, s, f):
    return ((f[s[:-1]] + increments(Phi, W, V, A, s) - f[s[1:]]) ** 2).sum()


def sub_balance(Phi, W, V, A, s, f, lam):
    d = increments(Phi, W, V, A, s)
    top = low = 0.0
    for i in range(len(s)):
        for j in range(i + 1, len(s)):
            weight = lam ** (j - i)
            top += weight * (f[s[i]] + d[i:j].sum() - f[s[j]]) ** 2
            low += weight
    return top / low


# Pursuit.


def coherence(D):
    G = np.abs(D.T @ D)
    return G[~np.eye(len(G), dtype=bool)].max()


def matching_pursuit(D, y, K):
    x, r = np.zeros(D.shape[1]), y
    for _ in range(K):
        c = D.T @ r
        j = np.abs(c).argmax()
        x[j] += c[j]
        r = r - D[:, j] * c[j]
    return x, r


def orthogonal_pursuit(D, y, K):
    chosen, r = [], y
    for _ in range(K):
        chosen.append(int(np.abs(D.T @ r).argmax()))
        x = np.zeros(D.shape[1])
        x[chosen] = np.linalg.lstsq(D[:, chosen], y, rcond=None)[0]
        r = y - D @ x
    return x


def shrink(x, theta):
    return np.sign(x) * np.maximum(np.abs(x) - theta, 0)


def ista(D, y, lam, L):
    x = np.zeros(D.shape[1])
    for _ in range(20):
        x = shrink(x + D.T @ (y - D @ x) / L, lam / L)
    return x


def lista(y, A, S, theta):
    x = np.zeros(A.shape[2])
    for W, R, t in zip(A, S, theta, strict=True):
        x = shrink(y @ W + R @ x, t)
    return x


def new_dictionary(Y, X):
    D = Y @ X.T @ np.linalg.inv(X @ X.T)
    return D / np.linalg.norm(D, axis=0)


# Losses of preferences.


def log_likelihood(Z, Y, M):
    logp = np.log(softmax(Z))
    return (M * (Y * logp).sum(2)).sum(1)


def log_sigmoid(x):
    return -np.log1p(np.exp(-x))


def odds_loss(w, l, n_w, n_l):
    p, q = np.exp(w / n_w), np.exp(l / n_l)
    return -log_sigmoid(np.log(p / (1 - p) / (q / (1 - q)))).mean()


def kto(r, u, d, beta, gain, pain):
    z = max(0.0, u.mean())
    good = gain * (1 - sigmoid(beta * (r - z)))
    bad = pain * (1 - sigmoid(beta * (z - r)))
    return np.where(d == 1, good, bad).mean()


DOCUMENTS = [
    Unseen(
        "speculative.tex",
        r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb,amsthm,booktabs}
\usepackage{namedtensor}

\ndef{\vocab}{vocab}
\ndef{\draft}{draft}
\ndef{\emb}{emb}
\ndef{\head}{head}
\newcommand{\E}{\mathbb{E}}
\newcommand{\ind}[1]{\mathbb{1}\!\left[#1\right]}
\newcommand{\pos}[1]{\left[#1\right]_{+}}
\DeclareMathOperator{\TV}{TV}
\newtheorem{lemma}{Lemma}

\title{Reading group, week 6:\\ Speculative decoding, and why nothing is lost}
\author{(handout)}
\date{}

\begin{document}
\maketitle

\section{Set-up}
Decoding is slow because every token needs a full pass of the \emph{target} model. A small \emph{draft} model may guess $\gamma$ tokens
ahead; the target then scores all the guesses in one pass.\footnote{Leviathan et al.\ (2023) and Chen et al.\ (2023) had the idea at the
same time.} Let $Z, U \in \mathbb{R}^{\draft[\gamma] \times \vocab[V]}$ be the logits of target and draft at the $\gamma$ positions.
With temperature $T$ they become
\begin{align}
  p &= \nfun{\vocab}{softmax} (Z / T), & q &= \nfun{\vocab}{softmax} (U / T).
\end{align}

\section{One token}
A token that was drawn from $q$ is kept with probability $\min(1, p / q)$. At each position, the chance that we keep it is therefore
\begin{equation}
  \beta = \nsum{\vocab} \min(p, q). \label{eq:beta}
\end{equation}

\begin{lemma}
  Let $\TV(p, q) = \frac{1}{2} \nsum{\vocab} \left| p - q \right|$ be the total variation. Then
  \begin{equation*} \beta = 1 - \TV(p, q) . \end{equation*}
\end{lemma}
\begin{proof}
  Use $2 \min(a, b) = a + b - |a - b|$ and that both sum to one.
\end{proof}

If we do not keep it, we draw from the \emph{residual}
\begin{equation}
  r = \frac{\pos{p - q}}{\nsum{\vocab} \pos{p - q}} . \label{eq:residual}
\end{equation}
Together these two give exactly the target, which is the whole point:
\begin{equation*}
  \min(p, q) + (1 - \beta) \odot r = p .
\end{equation*}

\section{All tokens}
Write the drafted tokens as rows of $X \in \{0, 1\}^{\draft[\gamma] \times \vocab[V]}$. Their acceptance ratios are
\begin{equation}
  a = \min \left( 1, \frac{X \ndot{\vocab} p}{X \ndot{\vocab} q} \right) .
\end{equation}
Draw $u \in [0, 1]^{\draft[\gamma]}$ uniformly. Token $k$ survives if it and all tokens before it do, and one more token always comes for
free (from the residual, or from the target if all survive), so that we get $N$ tokens with
\begin{align}
  c_{\draft(k)} &= \prod_{j=1}^{k} \ind{u_{\draft(j)} \le a_{\draft(j)}}, \\
  N &= 1 + \nsum{\draft} c, \\
  \E[N] &= 1 + \sum_{k=1}^{\gamma} \prod_{j=1}^{k} a_{\draft(j)} .
\end{align}

How long should drafts be? Pretend that all positions accept at the same rate
\begin{equation}
  \alpha = \nfun{\draft}{mean} \beta ,
\end{equation}
and let $\kappa$ be the cost of the draft model relative to that of the target. Summing the geometric series, the expected speed-up is
\begin{equation}
  S = \frac{1 - \alpha^{\gamma + 1}}{(1 - \alpha)(\gamma \kappa + 1)} .
\end{equation}

\section{Heads instead of a second model}
Medusa (Cai et al., 2024) has no draft model. From the last hidden state $h \in \mathbb{R}^{\emb[d]}$, $K$ heads guess the tokens $2$ to
$K + 1$ steps ahead. Head $k$ is one residual block and an unembedding,
\begin{gather*}
  W_1 \in \mathbb{R}^{\head[K] \times \emb[d] \times \emb'[d]}, \quad W_2 \in \mathbb{R}^{\head[K] \times \emb[d] \times \vocab[V]}, \quad
  P \in [0, 1]^{\head[K] \times \vocab[V]}, \\
  P = \nfun{\vocab}{softmax} \left( W_2 \ndot{\emb} \left( h + \left( \operatorname{SiLU} (W_1 \ndot{\emb} h) \right)_{\emb' \to \emb} \right) \right) .
\end{gather*}
Exactness is given up for \emph{typical acceptance}: with $\varepsilon = 0.09$ and $\delta = 0.3$, a candidate has to be more probable than
\begin{align}
  \eta &= \min \left( \varepsilon, \delta \exp(-H) \right), & H &= - \nsum{\vocab} P \log P .
\end{align}
If we expand all typical candidates of every head, the tree has
\begin{equation}
  B = \prod_{k=1}^{K} m_{\head(k)}, \qquad m = \nsum{\vocab} \ind{P > \eta}
\end{equation}
leaves. The heads are trained on the true tokens $Y \in \{0, 1\}^{\head[K] \times \vocab[V]}$, and later ones count less:
\begin{equation}
  \mathcal{L} = - \sum_{k=1}^{K} 0.8^{k} \, \ell_{\head(k)}, \qquad \ell = Y \ndot{\vocab} \log P .
\end{equation}

\begin{center}
\begin{tabular}{lcc}
  \toprule
  & exact & extra memory \\
  \midrule
  draft model & yes & its weights \\
  Medusa & only greedy & $K$ heads \\
  \bottomrule
\end{tabular}
\end{center}
\end{document}
""",
        [
            Fault(r"\frac{X \ndot{\vocab} p}{X", r"\frac{X \ndot{\emb} p}{X"),
            Fault(
                r"h + \left( \operatorname{SiLU} (W_1 \ndot{\emb} h) \right)_{\emb' \to \emb}",
                r"h + \operatorname{SiLU} (W_1 \ndot{\emb} h)",
            ),
            Fault(
                r"$Y \in \{0, 1\}^{\head[K] \times \vocab[V]}$",
                r"$Y \in \{0, 1\}^{\head[K]}$",
                at=r"\ell = Y \ndot{\vocab}",
            ),
        ],
        [
            Entry(
                r"\beta",
                acceptance,
                "draft",
                {"Z": "draft[3] vocab[5]", "U": "draft[3] vocab[5]", "T": 0.8},
            ),
            Entry(
                "r",
                residual,
                "draft vocab",
                {"Z": "draft[3] vocab[5]", "U": "draft[3] vocab[5]", "T": 0.8},
            ),
            Entry(
                "N",
                kept,
                "",
                {
                    "Z": "draft[4] vocab[5]",
                    "U": "draft[4] vocab[5]",
                    "T": 2.0,
                    "X": "draft[4] vocab[5] ~ one-hot vocab",
                    "u": "draft[4] ~ probability draft",
                },
            ),
            Entry(
                r"\mathbb{E}[N]",
                expected_length,
                "",
                {
                    "Z": "draft[4] vocab[5]",
                    "U": "draft[4] vocab[5]",
                    "T": 2.0,
                    "X": "draft[4] vocab[5] ~ one-hot vocab",
                },
            ),
            Entry(
                "S",
                speed,
                "",
                {"Z": "draft[4] vocab[5]", "U": "draft[4] vocab[5]", "T": 1.0, "kappa": 0.1},
            ),
            Entry(
                "P",
                medusa,
                "head vocab",
                {"h": "emb[3]", "W_1": "head[2] emb[3] emb'[3]", "W_2": "head[2] emb[3] vocab[4]"},
            ),
            Entry(
                "B",
                tree_size,
                "",
                {"h": "emb[3]", "W_1": "head[2] emb[3] emb'[3]", "W_2": "head[2] emb[3] vocab[6]"},
            ),
            Entry(
                r"\mathcal{L}",
                head_loss,
                "",
                {
                    "h": "emb[3]",
                    "W_1": "head[2] emb[3] emb'[3]",
                    "W_2": "head[2] emb[3] vocab[4]",
                    "Y": "head[2] vocab[4] ~ one-hot vocab",
                },
            ),
        ],
    ),
    Unseen(
        "positions.md",
        r"""# Stretching RoPE: a cheat sheet

*Reading group on long contexts, session 2. Papers: RoPE (Su et al.), PI (Chen et al.), "NTK-aware" (a Reddit post!), YaRN (Peng et al.), ALiBi (Press et al.).*

I keep forgetting which of these changes the *base*, which the *positions* and which the *temperature*, so here is everything in one notation. Axes have names; $\underset{\text{ax}}{\cdot}$ contracts the axis below.

$$
\newcommand{\rot}{\text{rot}}
\newcommand{\score}{\text{score}}
\newcommand{\ctr}[1]{\underset{\text{#1}}{\cdot}}
$$

## RoPE

A query or key of $2m$ numbers is seen as $m$ points of the plane, i.e. the axes are $\text{pair}$ and $\text{part}$:

$$
Q, K \in \mathbb{R}^{\text{seq}:n, \text{pair}:m, \text{part}:2}, \qquad V \in \mathbb{R}^{\text{seq}:n, \text{val}} .
$$

Pair $i$ has the frequency (base $b = 10\,000$)

$$
\theta_{\text{pair}(i)} = b^{-(i-1)/m}, \qquad i = 1, \ldots, m,
$$

and the point of pair $i$ at position $t$ is turned by the angle $t \theta_i$. For $X \in \mathbb{R}^{\text{seq}:n, \text{pair}:m, \text{part}:2}$,

$$
\begin{aligned}
\rot(X; \theta)_{\text{seq}(t), \text{pair}(i), \text{part}(1)} &= X_{\text{seq}(t), \text{pair}(i), \text{part}(1)} \cos(t\, \theta_{\text{pair}(i)}) - X_{\text{seq}(t), \text{pair}(i), \text{part}(2)} \sin(t\, \theta_{\text{pair}(i)}) \\
\rot(X; \theta)_{\text{seq}(t), \text{pair}(i), \text{part}(2)} &= X_{\text{seq}(t), \text{pair}(i), \text{part}(1)} \sin(t\, \theta_{\text{pair}(i)}) + X_{\text{seq}(t), \text{pair}(i), \text{part}(2)} \cos(t\, \theta_{\text{pair}(i)})
\end{aligned}
$$

The scores of all queries (along $\text{seq}'$) with all keys (along $\text{seq}$) are

$$
\score(Q, K; \theta) = \frac{[\rot(Q; \theta)]_{\text{seq} \rightarrow \text{seq}'} \ctr{pair, part} \rot(K; \theta)}{\sqrt{2m}} \in \mathbb{R}^{\text{seq}', \text{seq}}
$$

and with the causal mask

$$
M_{\text{seq}'(i), \text{seq}(j)} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}
$$

attention is as always: $\text{att}(Q, K, V; \theta) = V \ctr{seq} \underset{\text{seq}}{\text{softmax}} (\score(Q, K; \theta) + M)$.

> **Why it is relative.** Turning both by the same angle changes nothing, so only $i - j$ matters. Multiply it out:
>
> $$
> S_{\text{seq}'(i), \text{seq}(j)} = \frac{1}{\sqrt{2m}} \sum_{p=1}^{m} \Big( \cos((i - j) \theta_{\text{pair}(p)}) \, C_{\text{seq}'(i), \text{seq}(j), \text{pair}(p)} + \sin((i - j) \theta_{\text{pair}(p)}) \, D_{\text{seq}'(i), \text{seq}(j), \text{pair}(p)} \Big)
> $$
>
> where $C = [Q]_{\text{seq} \rightarrow \text{seq}'} \ctr{part} K$ is the dot product of each pair, and its cross product is
> $D_{\text{seq}'(i), \text{seq}(j), \text{pair}(p)} = Q_{\text{seq}(i), \text{pair}(p), \text{part}(1)} K_{\text{seq}(j), \text{pair}(p), \text{part}(2)} - Q_{\text{seq}(i), \text{pair}(p), \text{part}(2)} K_{\text{seq}(j), \text{pair}(p), \text{part}(1)}$.

How fast do scores decay? If all pairs are alike, a distance $\delta \in \mathbb{R}^{\text{dist}}$ contributes $g = \underset{\text{pair}}{\text{mean}} \cos(\delta \odot \theta)$.

## Stretching by a factor $s$

The model was trained on $L$ positions and is to read $s L$.

1. **Position interpolation.** Divide all positions by $s$. Same thing as

    $$ \theta^{\text{PI}} = \theta / s . $$

2. **NTK-aware.** Change the base, so that the highest frequency stays and the lowest is divided by $s$:

    $$ \theta^{\text{NTK}}_{\text{pair}(i)} = \left( b \, s^{m / (m - 1)} \right)^{-(i-1)/m} . $$

3. **By parts.** Pair $i$ turns $\rho = L \, \theta / 2 \pi$ times during training. Leave alone what turns often, interpolate what turns less than once, and ramp between ($\alpha = 1$ and $\beta = 32$ for Llama):

    $$
    \gamma_{\text{pair}(i)} = \begin{cases} 0 & \text{if } \rho_{\text{pair}(i)} < \alpha \\ 1 & \text{if } \rho_{\text{pair}(i)} > \beta \\ \dfrac{\rho_{\text{pair}(i)} - \alpha}{\beta - \alpha} & \text{otherwise} \end{cases}
    $$

    $$ \theta^{\text{parts}} = (1 - \gamma) \odot \frac{\theta}{s} + \gamma \odot \theta $$

4. **YaRN** is "by parts" and sharper attention, where $\tau = 0.1 \ln s + 1$ multiplies queries and keys:

    $$ \text{yarn}(Q, K, V) = V \ctr{seq} \underset{\text{seq}}{\text{softmax}} \left( \tau^2 \, \score(Q, K; \theta^{\text{parts}}) + M \right) $$

| method | changes | needs fine-tuning |
|:--|:--|:--|
| PI | positions | yes |
| NTK-aware | base $b$ | a little |
| YaRN | some pairs, and $\tau$ | a little |

## For comparison: ALiBi

No rotation at all. Here queries and keys are $Q, K \in \mathbb{R}^{\text{head}:H, \text{seq}:n, \text{key}:d}$, and head $h$ punishes distance with the slope $\mu_{\text{head}(h)} = 2^{-8h/H}$:

$$
\begin{aligned}
B_{\text{head}(h), \text{seq}'(i), \text{seq}(j)} &= \begin{cases} -\mu_{\text{head}(h)} (i - j) & j \le i \\ -\infty & \text{otherwise} \end{cases} \\
A &= \underset{\text{seq}}{\text{softmax}} \left( \frac{[Q]_{\text{seq} \rightarrow \text{seq}'} \ctr{key} K}{\sqrt{d}} + B \right)
\end{aligned}
$$
""",
        [
            Fault(
                r"\frac{[\rot(Q; \theta)]_{\text{seq} \rightarrow \text{seq}'} \ctr{pair, part}",
                r"\frac{\rot(Q; \theta) \ctr{pair, part}",
            ),
            Fault(
                r"\underset{\text{pair}}{\text{mean}} \cos(\delta",
                r"\underset{\text{part}}{\text{mean}} \cos(\delta",
            ),
            Fault(r"\ctr{key} K}{\sqrt{d}}", r"\ctr{part} K}{\sqrt{d}}"),
        ],
        [
            Entry(
                r"\text{rot}",
                rotated,
                "seq pair part",
                {"X": "seq[4] pair[3] part[2]", "theta": "pair[3]"},
            ),
            Entry(
                r"\text{att}",
                lambda Q, K, V, theta: softmax(causal(scores(Q, K, theta))) @ V,
                "seq' val",
                {
                    "Q": "seq[4] pair[3] part[2]",
                    "K": "seq[4] pair[3] part[2]",
                    "V": "seq[4] val[2]",
                    "theta": "pair[3] ~ positive",
                },
            ),
            Entry(
                "S",
                lambda Q, K: scores(Q, K, frequencies(3)),
                "seq' seq",
                {"Q": "seq[4] pair[3] part[2]", "K": "seq[4] pair[3] part[2]"},
            ),
            Entry(
                "g",
                lambda d: np.cos(np.outer(d, frequencies(4))).mean(1),
                "dist",
                {"delta": "dist[5]"},
                chosen={"m": 4},
            ),
            Entry(r"\theta^{\text{NTK}}", lambda s: ntk(4, s), "pair", {"s": 4.0}, chosen={"m": 4}),
            Entry(
                r"\theta^{\text{parts}}",
                lambda L, s: by_parts(6, s, L),
                "pair",
                {"L": 100.0, "s": 4.0},
                chosen={"m": 6},
            ),
            Entry(
                r"\text{yarn}",
                yarn,
                "seq' val",
                {
                    "Q": "seq[4] pair[3] part[2]",
                    "K": "seq[4] pair[3] part[2]",
                    "V": "seq[4] val[2]",
                    "s": 8.0,
                    "L": 40.0,
                },
            ),
            Entry(
                "A",
                alibi,
                "head seq' seq",
                {"Q": "head[2] seq[4] key[3]", "K": "head[2] seq[4] key[3]"},
            ),
        ],
    ),
    Unseen(
        "byte_patches.md",
        r"""---
title: "Byte Latent Transformer in one page"
tags: [tokenisation, reading-group]
mathjax: true
---

Tokenisers are a wart. BLT (Pagnoni et al., 2024) reads bytes, groups them into *patches* where the next byte is hard to guess, and runs the large transformer over patches only. Below are the parts that are not a standard transformer.

### Notation

The input is a string of $n$ bytes, $x \in [v]^{\text{byte}:n}$ (256 values and a few special ones). Further axes: $\text{emb}$ (size $d$), $\text{vocab}$ (size $v$), and $\text{patch}$ of size $K$, the largest number of patches that we allow; patches that get no byte are padding. Everything is causal.

### 1. Bytes with context

A byte alone says little, so BLT adds embeddings of hashed $n$-grams. With $G$ lengths of grams and $B$ buckets each,

$$
E \in \mathbb{R}^{\text{vocab}:v, \text{emb}:d}, \qquad T \in \mathbb{R}^{\text{gram}:G, \text{bucket}:B, \text{emb}:d} .
$$

The gram that ends at byte $i$ and has $g + 1$ bytes falls into the bucket

$$
h_{\text{gram}(g), \text{byte}(i)} = 1 + \Big( \sum_{j=0}^{g} a^j \, x_{\text{byte}(i-j)} \Big) \bmod B ,
$$

where $a$ is a large prime, and bytes before the beginning of the string count as zero. Then

$$
e_{\text{byte}(i)} = E_{\text{vocab}(x_{\text{byte}(i)})} + \sum_{g=1}^{G} T_{\text{gram}(g), \text{bucket}(h_{\text{gram}(g), \text{byte}(i)})} .
$$

### 2. Where patches begin

A small language model over bytes gives logits $Z \in \mathbb{R}^{\text{byte}:n, \text{vocab}:v}$ for every byte from those before it. Its entropy

$$
H = - \sum_{\text{vocab}} P \odot \log P, \qquad P = \underset{\text{vocab}}{\text{softmax}}\, Z
$$

is large at the beginning of words, and small inside. A patch begins wherever it exceeds a global threshold $\theta$ (and at the very first byte):

$$
b_{\text{byte}(i)} = \begin{cases} 1 & \text{if } i = 1 \text{ or } H_{\text{byte}(i)} > \theta \\ 0 & \text{otherwise} \end{cases}
\qquad\qquad
c_{\text{byte}(i)} = \sum_{j=1}^{i} b_{\text{byte}(j)}
$$

so that byte $i$ belongs to patch $c_i$. As a matrix,

$$
A_{\text{byte}(i), \text{patch}(k)} = \mathbb{1}[c_{\text{byte}(i)} = k], \qquad k = 1, \ldots, K .
$$

The mean length of a patch is $\bar{s} = n / \sum_{\text{byte}} b$.[^1]

[^1]: About 4.5 with their threshold; BPE tokens have 4.4 on the same text.

### 3. Bytes to patches

First pool,

$$
F = \frac{A \underset{\text{byte}}{\cdot} e}{\max(\sum_{\text{byte}} A, 1)} \in \mathbb{R}^{\text{patch}, \text{emb}} ,
$$

then let each patch look at *its own* bytes, in $\text{head}$ heads, with

- $W^Q, W^K \in \mathbb{R}^{\text{head}, \text{emb}:d, \text{key}}$ for queries and keys,
- $W^V \in \mathbb{R}^{\text{head}, \text{emb}:d, \text{val}}$ for values,
- $W^O \in \mathbb{R}^{\text{head}, \text{val}, \text{emb}:d}$ to come back.

$$
\begin{aligned}
R &= \frac{(W^Q \underset{\text{emb}}{\cdot} F) \underset{\text{key}}{\cdot} (W^K \underset{\text{emb}}{\cdot} e)}{\sqrt{|\text{key}|}} - 10^9 (1 - A) \\
O &= F + W^O \underset{\text{head}, \text{val}}{\cdot} \Big( (W^V \underset{\text{emb}}{\cdot} e) \underset{\text{byte}}{\cdot} \underset{\text{byte}}{\text{softmax}}\, R \Big)
\end{aligned}
$$

($-10^9$ and not $-\infty$, because of the padding: softmax of nothing is not a number.)

### 4. Patches to bytes

The large transformer turns $O \in \mathbb{R}^{\text{patch}:K, \text{emb}:d}$ into something better of the same shape. The decoder then exchanges the roles: bytes ask, patches answer. Byte $i$ may use its own patch and earlier ones. One head is enough to see how it goes, $U^Q, U^K \in \mathbb{R}^{\text{emb}, \text{key}}$ and $U^V \in \mathbb{R}^{\text{emb}, \text{emb}'}$:

$$
\begin{aligned}
\text{dec}(O; U) &= e + \Big[ (U^V \underset{\text{emb}}{\cdot} O) \underset{\text{patch}}{\cdot} \underset{\text{patch}}{\text{softmax}} (S + N) \Big]_{\text{emb}' \rightarrow \text{emb}} \\
S &= (U^Q \underset{\text{emb}}{\cdot} e) \underset{\text{key}}{\cdot} (U^K \underset{\text{emb}}{\cdot} O) / \sqrt{|\text{key}|} \\
N_{\text{byte}(i), \text{patch}(k)} &= \begin{cases} 0 & k \le c_{\text{byte}(i)} \\ -\infty & \text{otherwise} \end{cases}
\end{aligned}
$$

### 5. What is reported

Perplexities of different tokenisers cannot be compared, bits per byte can:

$$
\text{BPB} = - \frac{1}{n \ln 2} \sum_{i=1}^{n} \log P_{\text{byte}(i), \text{vocab}(x_{\text{byte}(i)})} .
$$
""",
        [
            Fault(r"H = - \sum_{\text{vocab}} P", r"H = - \sum_{\text{emb}} P"),
            Fault(
                r"W^O \in \mathbb{R}^{\text{head}, \text{val}, \text{emb}:d}",
                r"W^O \in \mathbb{R}^{\text{val}, \text{emb}:d}",
                at=r"O &= F + W^O",
            ),
            Fault(
                r"E_{\text{vocab}(x_{\text{byte}(i)})} +",
                r"E_{\text{bucket}(x_{\text{byte}(i)})} +",
            ),
        ],
        [
            Entry(
                "h",
                lambda x, a: hashed(x, a, 2, 4) + 1,
                "gram byte",
                {"x": "byte[6] ~ whole 5", "a": 7},
                chosen={"G": 2, "B": 4},
            ),
            Entry(
                "e",
                byte_states,
                "byte emb",
                {
                    "x": "byte[6] ~ whole 5",
                    "E": "vocab[5] emb[3]",
                    "T": "gram[2] bucket[4] emb[3]",
                    "a": 7,
                },
            ),
            Entry("c", patches, "byte", {"Z": "byte[7] vocab[5]", "theta": 1.3}),
            Entry(
                "A",
                lambda Z, theta: (patches(Z, theta)[:, None] == np.arange(1, 5)) * 1.0,
                "byte patch",
                {"Z": "byte[7] vocab[5]", "theta": 1.3},
                chosen={"K": 4},
            ),
            Entry(
                r"\bar{s}",
                lambda Z, theta: len(Z) / patches(Z, theta)[-1],
                "",
                {"Z": "byte[7] vocab[5]", "theta": 1.3},
            ),
            Entry(
                "O",
                lambda *given: encoder(*given, 4),
                "patch emb",
                {
                    "x": "byte[6] ~ whole 5",
                    "E": "vocab[5] emb[3]",
                    "T": "gram[2] bucket[4] emb[3]",
                    "a": 7,
                    "Z": "byte[6] vocab[5]",
                    "theta": 1.3,
                    "WQ": "head[2] emb[3] key[4]",
                    "WK": "head[2] emb[3] key[4]",
                    "WV": "head[2] emb[3] val[2]",
                    "WO": "head[2] val[2] emb[3]",
                },
                chosen={"K": 4},
            ),
            Entry(
                r"\text{dec}",
                decoder,
                "byte emb",
                {
                    "x": "byte[6] ~ whole 5",
                    "E": "vocab[5] emb[3]",
                    "T": "gram[2] bucket[4] emb[3]",
                    "a": 7,
                    "Z": "byte[6] vocab[5]",
                    "theta": 1.3,
                    "O": "patch[4] emb[3]",
                    "U__Q": "emb[3] key[2]",
                    "U__K": "emb[3] key[2]",
                    "U__V": "emb[3] emb'[3]",
                },
            ),
            Entry(
                r"\text{BPB}",
                lambda Z, x: -np.log2(softmax(Z)[np.arange(len(x)), x]).mean(),
                "",
                {"Z": "byte[6] vocab[5]", "x": "byte[6] ~ whole 5"},
            ),
        ],
    ),
    Unseen(
        "energy_transformer.tex",
        r"""\documentclass[conference]{IEEEtran}
\usepackage{amsmath,amsfonts,bm}

% named axes without the style file
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\R}[1]{\mathbb{R}^{#1}}
\newcommand{\con}[1]{\mathbin{\underset{\ax{#1}}{\cdot}}}
\newcommand{\along}[2]{\underset{\ax{#1}}{\operatorname{#2}}}
\newcommand{\ren}[3]{\left[ #1 \right]_{\ax{#2} \rightarrow \ax{#3}}}
\newcommand{\E}[1]{E^{\textsc{#1}}}
\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}

\begin{document}
\title{Completing Images by Descending an Energy}
\author{First-year project report}
\maketitle

\begin{abstract}
Energy transformers replace the stack of layers by one block that is applied again and again. The block is the gradient of an energy, so
that all of its states are on a way downhill. We describe the method that we reimplemented.
\end{abstract}

\section{Method}

\subsection{Tokens and layer normalisation}
An image is cut into $N$ patches. Each is embedded, which gives the tokens $x \in \R{\ax{tok}:N, \ax{emb}:D}$. We normalise them by
\begin{equation}
  g(x) = \gamma \, \frac{x - \along{emb}{mean} x}{\sqrt{\along{emb}{var} x + \epsilon}} + \delta
  \label{eq:ln}
\end{equation}
with a \emph{scalar} $\gamma > 0$ and $\delta \in \R{\ax{emb}:D}$. The reason for the scalar is that \eqref{eq:ln} is then a gradient as
well: for
\begin{equation}
  \ell(x) = \sum_{\ax{tok}} \left( D \gamma \sqrt{\along{emb}{var} x + \epsilon} + \delta \con{emb} x \right)
\end{equation}
we have
\begin{equation}
  \pd{\ell(x)}{x} = g(x) .
\end{equation}

\subsection{Two energies}
In what follows $g \in \R{\ax{tok}:N, \ax{emb}:D}$ are tokens after normalisation.

\emph{Attention.} There are $H$ heads, with keys and queries from
\begin{equation*}
  W^K, W^Q \in \R{\ax{head}:H, \ax{key}:Y, \ax{emb}:D} .
\end{equation*}
A token $c$ should be similar to \emph{some} other token $b$, hence the soft maximum:
\begin{align}
  \E{att}(g; W) &= - \frac{1}{\beta} \sum_{h=1}^{H} \sum_{c=1}^{N} \log \sum_{b \neq c} \exp \left( \beta A_{\ax{head}(h), \ax{tok}'(c), \ax{tok}(b)} \right) \label{eq:att} \\
  A &= Q \con{key} K \notag \\
  K &= W^K \con{emb} g \notag \\
  Q &= W^Q \con{emb} \ren{g}{tok}{tok$'$} \notag
\end{align}
The usual factor $1 / \sqrt{Y}$ is our $\beta$.

\emph{Memories.} Where a Transformer has a feed-forward network, we have $M$ patterns $\xi \in \R{\ax{mem}:M, \ax{emb}:D}$ of a Hopfield
network:
\begin{equation}
  \E{hn}(g; \xi) = - \frac{1}{2} \sum_{\ax{tok}, \ax{mem}} \operatorname{ReLU} \left( \xi \con{emb} g \right)^2 .
  \label{eq:hn}
\end{equation}

The energy of the block is the sum of the two,
\begin{equation}
  E(g; W, \xi) = \E{att}(g; W) + \E{hn}(g; \xi) .
\end{equation}

\subsection{Dynamics}
The tokens move against the gradient with respect to the \emph{normalised} tokens. In discrete time, with step size $\alpha$,
\begin{equation}
  x^{t} = x^{t-1} + \alpha F(g(x^{t-1})), \quad t = 1, \ldots, T, \qquad F(g) = - \pd{E(g; W, \xi)}{g},
  \label{eq:steps}
\end{equation}
where $x^0$ is the embedded image. Both parts of $F$ have a familiar form. Of \eqref{eq:hn} it is a feed-forward network whose second
matrix is the first one transposed,
\begin{equation}
  - \pd{\E{hn}(g; \xi)}{g} = \xi \con{mem} \operatorname{ReLU} \left( \xi \con{emb} g \right) ,
\end{equation}
and of \eqref{eq:att} it is attention, plus a second term that moves the keys towards the queries which look at them.

\subsection{Training}
We hide half of the patches, $m \in \{0, 1\}^{\ax{tok}:N}$, and read the pixels $y \in \R{\ax{tok}:N, \ax{pix}:P}$ off the last state by an
affine map $B \in \R{\ax{emb}:D, \ax{pix}:P}$, $b \in \R{\ax{pix}:P}$. The loss counts hidden patches only:
\begin{equation}
  \mathcal{L} = \frac{\sum_{\ax{tok}} m \odot \sum_{\ax{pix}} (\hat{y} - y)^2}{\sum_{\ax{tok}} m}, \qquad
  \hat{y} = B \con{emb} g(x^T) + b .
\end{equation}

\begin{table}[t]
\caption{Settings}
\centering
\begin{tabular}{|c|c|c|}
\hline
$N$ & $H$ & $T$ \\ \hline
196 & 12 & 12 \\ \hline
\end{tabular}
\end{table}
\end{document}
""",
        [
            Fault(
                r"Q &= W^Q \con{emb} \ren{g}{tok}{tok$'$} \notag",
                r"Q &= W^Q \con{emb} g \notag",
                at=r"\exp \left( \beta A_{\ax{head}(h)",
            ),
            Fault(r"= \xi \con{mem} \operatorname{ReLU}", r"= \xi \con{emb} \operatorname{ReLU}"),
            Fault(
                r"\sum_{\ax{tok}} m \odot \sum_{\ax{pix}} (",
                r"\sum_{\ax{tok}} m \odot \sum_{\ax{emb}} (",
            ),
        ],
        [
            Entry(
                "g",
                layer_norm,
                "tok emb",
                {"x": "tok[4] emb[3]"},
                {"gamma": 1.5, "delta": "emb[3]"},
            ),
            Entry(
                r"E^{\textsc{att}}",
                lambda g, beta, W_K, W_Q: attention_energy(g, W_K, W_Q, beta),
                "",
                {"g": "tok[4] emb[3]", "beta": 0.7},
                {"WK": "head[2] key[2] emb[3]", "WQ": "head[2] key[2] emb[3]"},
            ),
            Entry(
                r"E^{\textsc{hn}}",
                memory_energy,
                "",
                {"g": "tok[4] emb[3]"},
                {"xi": "mem[5] emb[3]"},
            ),
            Entry(
                "E",
                lambda g, beta, W_K, W_Q, xi: (
                    attention_energy(g, W_K, W_Q, beta) + memory_energy(g, xi)
                ),
                "",
                {"g": "tok[4] emb[3]", "beta": 0.7},
                {
                    "WK": "head[2] key[2] emb[3]",
                    "WQ": "head[2] key[2] emb[3]",
                    "xi": "mem[5] emb[3]",
                },
            ),
            Entry(
                "F",
                lambda g, beta, W_K, W_Q, xi: force(g, W_K, W_Q, xi, beta),
                "tok emb",
                {"g": "tok[4] emb[3]", "beta": 0.7},
                {
                    "WK": "head[2] key[2] emb[3]",
                    "WQ": "head[2] key[2] emb[3]",
                    "xi": "mem[5] emb[3]",
                },
            ),
            Entry(
                "x^T",
                lambda x, W_K, W_Q, xi, beta, gamma, delta, alpha: relaxed(
                    x, W_K, W_Q, xi, beta, gamma, delta, alpha, 3
                ),
                "tok emb",
                {"x": "tok[4] emb[3]"},
                {
                    "WK": "head[2] key[2] emb[3]",
                    "WQ": "head[2] key[2] emb[3]",
                    "xi": "mem[5] emb[3]",
                    "beta": 0.7,
                    "gamma": 1.2,
                    "delta": "emb[3]",
                    "alpha": 0.1,
                },
                chosen={"T": 3},
            ),
            Entry(
                r"\mathcal{L}",
                lambda *given: masked_loss(*given, 2),
                "",
                {"x": "tok[4] emb[3]"},
                {
                    "WK": "head[2] key[2] emb[3]",
                    "WQ": "head[2] key[2] emb[3]",
                    "xi": "mem[5] emb[3]",
                    "beta": 0.7,
                    "gamma": 1.2,
                    "delta": "emb[3]",
                    "alpha": 0.1,
                    "B": "emb[3] pix[2]",
                    "b": "pix[2]",
                    "y": "tok[4] pix[2]",
                    "m": "tok[4] ~ first 2",
                },
                chosen={"T": 2},
            ),
        ],
    ),
    Unseen(
        "flow_networks.tex",
        r"""\documentclass{article}
\usepackage{amsmath,amssymb,namedtensor}
\newcommand{\st}{\name{state}}
\newcommand{\nx}{\name{next}}
\newcommand{\step}{\name{step}}
\newcommand{\feat}{\name{feat}}
\newcommand{\hid}{\name{hid}}
\newcommand{\PF}{P_{\mathrm{F}}}
\newcommand{\PB}{P_{\mathrm{B}}}
\newcommand{\LL}[1]{\mathcal{L}_{\mathrm{#1}}}
\newcommand{\bydef}{\mathrel{:=}}
\begin{document}

\section*{GFlowNet objectives on a small graph}

These are the losses of GFlowNets, all for the same tabular problem, so that they can be compared (and unit-tested). There are $n$ states,
numbered so that state $1$ is the source and every edge leads to a state with a larger number. $A \in \{0, 1\}^{\st[n] \times \nx[n]}$ is $1$
where there is an edge from the first to the second. From every state one may also \emph{stop}, and then gets the reward
$R \in \mathbb{R}_{>0}^{\st[n]}$. We want to stop at $s$ with a probability proportional to $R_s$.

\subsection*{Flow matching}

Put a flow $F \in \mathbb{R}_{\geq 0}^{\st[n] \times \nx[n]}$ on the edges. What comes into a state, and what leaves it, is
\begin{align}
  F^{\mathrm{in}} &\bydef \left( \nsum{\st} F \right)_{\nx \to \st}, &
  F^{\mathrm{out}} &\bydef R + \nsum{\nx} F, &
  F^{\mathrm{in}}, F^{\mathrm{out}} &\in \mathbb{R}^{\st[n]} .
\end{align}
They have to agree everywhere but in the source:
\begin{equation}
  \LL{FM} \bydef \sum_{i=2}^{n} \left( \log (\epsilon + F^{\mathrm{in}}_{\st(i)}) - \log (\epsilon + F^{\mathrm{out}}_{\st(i)}) \right)^2 .
\end{equation}

\subsection*{Policies}

The other losses need a forward policy. States have features $\Phi \in \mathbb{R}^{\st[n] \times \feat[d]}$, and a network with
$W \in \mathbb{R}^{\feat[d] \times \hid[h]}$ and $V \in \mathbb{R}^{\hid[h] \times \nx[n]}$ gives logits. The logit of stopping is fixed to $0$:
\begin{align}
  \Lambda &\bydef V \ndot{\hid} \tanh (W \ndot{\feat} \Phi) \\
  \PF &\bydef \frac{A \odot \exp \Lambda}{1 + \nsum{\nx} A \odot \exp \Lambda} \\
  p_{\top} &\bydef \frac{1}{1 + \nsum{\nx} A \odot \exp \Lambda}
\end{align}
so that $\nsum{\nx} \PF + p_{\top} = 1$. The backward policy is not learned. It chooses among all parents alike,
\begin{equation}
  \PB \bydef \frac{A}{\max (\nsum{\st} A, 1)} .
\end{equation}

\paragraph{Where do we stop?} Since the graph is small, we need not sample. With $e_{\st(i)} = \mathbb{I}[i = 1]$, the expected number of visits
after $k$ rounds is
\begin{equation}
  u^{0} = e, \qquad u^{k} = e + \left( u^{k-1} \ndot{\st} \PF \right)_{\nx \to \st}, \quad k = 1, \dots, K,
\end{equation}
which does not change any more as soon as $K \ge n - 1$, and $\pi \bydef u^{K} \odot p_{\top}$ is the distribution of where we stop. Its distance
from the target is
\begin{equation}
  \Delta \bydef \frac{1}{2} \nsum{\st} \left| \pi - \frac{R}{\nsum{\st} R} \right| .
\end{equation}

\subsection*{Losses on a trajectory}

A trajectory visits the states $s \in [n]^{\step[T]}$ and stops at the last one. Each of its $T - 1$ edges contributes a log-ratio,
\begin{equation}
  \delta_t \bydef \log \PF{}_{\st(s_t), \nx(s_{t+1})} - \log \PB{}_{\st(s_t), \nx(s_{t+1})}, \qquad t = 1, \dots, T - 1 .
\end{equation}

\begin{description}
\item[Trajectory balance.] A single learned number $\zeta$, our guess of $\log Z$:
\begin{equation}
  \LL{TB} \bydef \left( \zeta + \sum_{t=1}^{T-1} \delta_t + \log p_{\top \, \st(s_T)} - \log R_{\st(s_T)} \right)^2
\end{equation}
\item[Detailed balance.] A learned log-flow $f \in \mathbb{R}^{\st[n]}$ for each state:
\begin{equation}
  \LL{DB} \bydef \sum_{t=1}^{T-1} \left( f_{\st(s_t)} + \delta_t - f_{\st(s_{t+1})} \right)^2
\end{equation}
\item[Sub-trajectory balance.] All pieces from $i$ to $j$, where long ones weigh less ($0 < \lambda < 1$):
\begin{equation}
  \LL{SubTB} \bydef \frac{\sum_{1 \le i < j \le T} \lambda^{j-i} \left( f_{\st(s_i)} + \sum_{t=i}^{j-1} \delta_t - f_{\st(s_j)} \right)^2}{\sum_{1 \le i < j \le T} \lambda^{j-i}}
\end{equation}
\end{description}

\noindent For $\lambda \to 0$ the last one is DB up to a factor.
\end{document}
""",
        [
            Fault(
                r"\left( \nsum{\st} F \right)_{\nx \to \st}, &",
                r"\nsum{\st} F, &",
            ),
            Fault(r"V \ndot{\hid} \tanh", r"V \ndot{\feat} \tanh"),
            Fault(r"\log \PB{}_{\st(s_t), \nx", r"\log \PB{}_{\st(s_t), \step"),
        ],
        [
            Entry(
                r"\mathcal{L}_{\mathrm{FM}}",
                matching,
                "",
                {"F": "state[4] next[4] ~ positive", "R": "state[4] ~ positive"},
            ),
            Entry(
                r"P_{\mathrm{F}}",
                lambda *given: forward_policy(*given)[0],
                "state next",
                {
                    "Phi": "state[4] feat[3]",
                    "W": "feat[3] hid[2]",
                    "V": "hid[2] next[4]",
                    "A": "state[4] next[4] ~ bits",
                },
            ),
            Entry(
                r"P_{\mathrm{B}}", backward_policy, "state next", {"A": "state[4] next[4] ~ bits"}
            ),
            Entry(
                r"\pi",
                lambda *given: ends(*given, 3),
                "state",
                {
                    "Phi": "state[4] feat[3]",
                    "W": "feat[3] hid[2]",
                    "V": "hid[2] next[4]",
                    "A": "state[4] next[4] ~ bits",
                },
                chosen={"K": 3},
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{TB}}",
                trajectory_balance,
                "",
                {
                    "Phi": "state[4] feat[3]",
                    "W": "feat[3] hid[2]",
                    "V": "hid[2] next[4]",
                    "A": "state[4] next[4] ~ ones",
                    "s": "step[5] ~ whole 4",
                    "zeta": 0.4,
                    "R": "state[4] ~ positive",
                },
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{DB}}",
                detailed_balance,
                "",
                {
                    "Phi": "state[4] feat[3]",
                    "W": "feat[3] hid[2]",
                    "V": "hid[2] next[4]",
                    "A": "state[4] next[4] ~ ones",
                    "s": "step[5] ~ whole 4",
                    "f": "state[4]",
                },
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{SubTB}}",
                sub_balance,
                "",
                {
                    "Phi": "state[4] feat[3]",
                    "W": "feat[3] hid[2]",
                    "V": "hid[2] next[4]",
                    "A": "state[4] next[4] ~ ones",
                    "s": "step[4] ~ whole 4",
                    "f": "state[4]",
                    "lambda_": 0.6,
                },
            ),
        ],
    ),
    Unseen(
        "pursuit.tex",
        r"""\documentclass[a4paper,10pt]{scrartcl}
\usepackage{amsmath,amssymb,mathtools}
\newcommand{\RR}{\mathbb{R}}
\newcommand{\pix}{\text{pix}}
\newcommand{\atom}{\text{atom}}
\newcommand{\sig}{\text{sig}}
\newcommand{\ct}[1]{\underset{#1}{\cdot}}
\newcommand{\nrm}[2]{\underset{#1}{\operatorname{norm}}(#2)}
\DeclareMathOperator{\sign}{sign}
\DeclareMathOperator*{\argmax}{argmax}
\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}
\begin{document}
\section{Background: sparse codes}

Chapter 3 trains networks that unroll sparse coding. This section fixes notation and recalls the algorithms, from greedy ones to learned
ones. Throughout, $D \in \RR^{\pix:m, \atom:n}$ is a dictionary of $n$ atoms, usually with $n > m$, and $y \in \RR^{\pix:m}$ a signal. Atoms have
unit length,
\begin{equation}
  \sum_{\pix} D^2 = 1 ,
\end{equation}
and we look for a code $x \in \RR^{\atom:n}$ with few entries such that $D \ct{\atom} x \approx y$. How hard this is, depends on the coherence
\begin{equation}
  \mu = \max_{i \neq j} \abs*{ D_{\atom(i)} \ct{\pix} D_{\atom(j)} } .
\end{equation}
If $y$ has a code with fewer than $\frac{1}{2} (1 + 1/\mu)$ entries, it is the sparsest one, and OMP finds it (Tropp, 2004).

\subsection{Matching pursuit}

Matching pursuit starts from $x^0 = 0$ and the residual $r^0 = y$. In each step it takes the atom that is closest to the residual. We write the
choice as a one-hot vector $s^k$ over the atoms. For $k = 1, \ldots, K$,
\begin{align}
  c^k &= D \ct{\pix} r^{k-1} , &
  s^k &= \argmax_{\atom} \; \abs{c^k} , \\
  x^k &= x^{k-1} + s^k \odot c^k , &
  r^k &= r^{k-1} - D \ct{\atom} (s^k \odot c^k) .
\end{align}
The energy $\nrm{\pix}{r^k}^2$ goes down in every step, but an atom may be chosen more than once.

\subsection{Orthogonal matching pursuit}

OMP refits all coefficients after each choice, so that no atom is chosen twice. Let $\sigma^k \in \{0, 1\}^{\atom:n}$ mark the atoms chosen so far,
$\sigma^0 = 0$, and let
\[
  G = D \ct{\pix} [D]_{\atom \rightarrow \atom'}
\]
be the Gram matrix. Restricting $G$ to the support is the same as putting an identity in all other places,
\begin{align}
  \sigma^k &= \sigma^{k-1} + \argmax_{\atom} \; \abs*{ D \ct{\pix} \rho^{k-1} } \\
  H^k &= \sigma^k \odot [\sigma^k]_{\atom \rightarrow \atom'} \odot G + \operatorname{diag}_{\atom, \atom'} (1 - \sigma^k) \\
  z^k &= \left[ (H^k)^{-1} \ct{\atom} \left( \sigma^k \odot (D \ct{\pix} y) \right) \right]_{\atom' \rightarrow \atom} \\
  \rho^k &= y - D \ct{\atom} z^k
\end{align}
for $k = 1, \ldots, K$, from $\rho^0 = y$. (In practice one updates a Cholesky factor of the small system.)

\subsection{Iterative thresholding}

Instead of counting entries, the lasso penalises $\lambda \sum_{\atom} \abs{x}$. Its proximal operator is the soft threshold
\begin{equation}
  \eta_\theta(x) = \sign(x) \odot \max (\abs{x} - \theta, 0), \qquad \theta \geq 0 .
  \label{eq:soft}
\end{equation}
ISTA alternates a gradient step and \eqref{eq:soft}. With a constant $L$ above the largest eigenvalue of $G$, start with $w \leftarrow 0$, where
$w \in \RR^{\atom:n}$, and repeat $20$ times:
\begin{equation}
  w \leftarrow \eta_{\lambda / L} \left( w + \frac{1}{L} \, D \ct{\pix} (y - D \ct{\atom} w) \right) .
\end{equation}

\subsection{LISTA}

Gregor and LeCun (2010) unroll this and learn the matrices. A layer has
$A^l \in \RR^{\pix:m, \atom:n}$, $S^l \in \RR^{\atom':n, \atom:n}$ and thresholds $\theta^l \in \RR^{\atom:n}$, and
\begin{equation}
  h^l = \eta_{\theta^l} \left( A^l \ct{\pix} y + [ S^l \ct{\atom} h^{l-1} ]_{\atom' \rightarrow \atom} \right) , \quad l = 1, \ldots, L .
\end{equation}
It begins with $h^0 = 0$.\footnote{With $A = D / L$ and $S = I - G / L$ in all layers, one gets ISTA back.}

\subsection{Learning the dictionary}

Given $N$ signals $Y \in \RR^{\pix:m, \sig:N}$ and their codes $X \in \RR^{\atom:n, \sig:N}$, the method of optimal directions solves for the dictionary and
normalises it again:
\begin{align}
  C &= X \ct{\sig} [X]_{\atom \rightarrow \atom'} , &
  B &= \left[ (Y \ct{\sig} X) \ct{\atom} C^{-1} \right]_{\atom' \rightarrow \atom} , \\
  D_{\text{new}} &= \frac{B}{\nrm{\pix}{B}} , &
  \kappa &= \frac{1}{N} \sum_{\sig} \sum_{\atom} \mathbb{1}[X \neq 0] ,
\end{align}
where we also report $\kappa$, the mean number of atoms per signal.
\end{document}
""",
        [
            Fault(
                r"G = D \ct{\pix} [D]_{\atom \rightarrow \atom'}",
                r"G = D \ct{\atom} [D]_{\atom \rightarrow \atom'}",
                at=r"\odot G + \operatorname{diag}",
            ),
            Fault(
                r"$S^l \in \RR^{\atom':n, \atom:n}$",
                r"$S^l \in \RR^{\pix:m, \atom:n}$",
                at=r"[ S^l \ct{\atom} h^{l-1} ]",
            ),
            Fault(
                r"(Y \ct{\sig} X) \ct{\atom} C^{-1}",
                r"(Y \ct{\sig} X) \ct{\sig} C^{-1}",
            ),
        ],
        [
            Entry(r"\mu", coherence, "", {"D": "pix[3] atom[5]"}),
            Entry(
                "x^K",
                lambda D, y: matching_pursuit(D, y, 3)[0],
                "atom",
                {"D": "pix[4] atom[6]", "y": "pix[4]"},
                chosen={"K": 3},
            ),
            Entry(
                "r^K",
                lambda D, y: matching_pursuit(D, y, 4)[1],
                "pix",
                {"D": "pix[4] atom[6]", "y": "pix[4]"},
                chosen={"K": 4},
            ),
            Entry(
                "z^K",
                lambda D, y: orthogonal_pursuit(D, y, 3),
                "atom",
                {"D": "pix[4] atom[6]", "y": "pix[4]"},
                chosen={"K": 3},
            ),
            Entry(r"\eta", shrink, "atom", {"x": "atom[6]", "theta": 0.3}),
            Entry(
                "w", ista, "atom", {"D": "pix[4] atom[6]", "y": "pix[4]", "lambda_": 0.2, "L": 30.0}
            ),
            Entry(
                "h^L",
                lista,
                "atom",
                {
                    "y": "pix[3]",
                    "A": "l[2] pix[3] atom[4]",
                    "S": "l[2] atom'[4] atom[4]",
                    "theta": "l[2] atom[4] ~ positive",
                },
                chosen={"L": 2},
            ),
            Entry(
                r"D_{\text{new}}",
                new_dictionary,
                "pix atom",
                {"Y": "pix[3] sig[7]", "X": "atom[4] sig[7]"},
            ),
            Entry(
                r"\kappa",
                lambda X: np.count_nonzero(X) / X.shape[1],
                "",
                {"X": "atom[4] sig[7] ~ bits"},
            ),
        ],
    ),
    Unseen(
        "human_losses.md",
        r"""# Alignment without RL: six losses side by side

Everyone in the group has fine-tuned with DPO. This page is to see at a glance what IPO, SimPO, ORPO and KTO change. $\sigma$ is the logistic function throughout, $\log$ is natural.

## 0. What goes in

| symbol | space | what it is |
|---|---|---|
| $Z$ | $\mathbb{R}^{\text{ex}:n, \text{seq}:T, \text{vocab}:v}$ | logits, teacher forcing |
| $Y$ | $\{0, 1\}^{\text{ex}:n, \text{seq}:T, \text{vocab}:v}$ | the answer, one-hot |
| $M$ | $\{0, 1\}^{\text{ex}:n, \text{seq}:T}$ | 1 on the answer, 0 on prompt and padding |

The log-likelihood of answers and their lengths are

$$
\text{logp}(Z, Y, M) = \sum_{\text{seq}} M \odot \left( Y \underset{\text{vocab}}{\cdot} \log \underset{\text{vocab}}{\text{softmax}}\, Z \right) \in \mathbb{R}^{\text{ex}},
\qquad
\text{len}(M) = \sum_{\text{seq}} M .
$$

The methods differ only in what they do with these numbers.

## 1. Losses on pairs

For $n$ pairs of a preferred ("winning") and a rejected ("losing") answer we have the log-likelihoods $w, l \in \mathbb{R}^{\text{pair}:n}$ under the model that we train, $\bar{w}, \bar{l} \in \mathbb{R}^{\text{pair}:n}$ under the frozen reference, and the lengths $a, b \in \mathbb{R}^{\text{pair}:n}$. All pairwise losses use the margin

$$ h = (w - \bar{w}) - (l - \bar{l}) . $$

**DPO.** Logistic regression on the margin, with the strength $\beta$ of the KL term as its inverse temperature:

$$ \mathcal{L}_{\text{DPO}} = - \underset{\text{pair}}{\text{mean}} \log \sigma(\beta h) . $$

Its gradient tells which pairs count, namely those that are still ordered wrongly:

$$ \frac{\partial \mathcal{L}_{\text{DPO}}}{\partial w} = - \frac{\beta}{n} \, \sigma(- \beta h) . $$

**IPO.** The logarithm never saturates, so DPO overfits on certain preferences. IPO regresses the margin to a fixed value:

$$ \mathcal{L}_{\text{IPO}} = \underset{\text{pair}}{\text{mean}} \left( h - \frac{1}{2 \beta} \right)^2 . $$

**SimPO.** No reference, likelihoods per token, and a target margin $\gamma$:

$$ \mathcal{L}_{\text{SimPO}} = - \underset{\text{pair}}{\text{mean}} \log \sigma \left( \beta \left( \frac{w}{a} - \frac{l}{b} \right) - \gamma \right) . $$

**ORPO.** No reference and no separate SFT stage either. From the geometric mean probability of a token it makes odds, $\text{odds}(p) = p / (1 - p)$:

$$
\begin{aligned}
\mathcal{L}_{\text{SFT}} &= - \underset{\text{pair}}{\text{mean}} \; \frac{w}{a} \\
\mathcal{L}_{\text{OR}} &= - \underset{\text{pair}}{\text{mean}} \log \sigma \left( \log \frac{\text{odds}(e^{w / a})}{\text{odds}(e^{l / b})} \right) \\
\mathcal{L}_{\text{ORPO}} &= \mathcal{L}_{\text{SFT}} + \lambda \mathcal{L}_{\text{OR}}
\end{aligned}
$$

What we log for all of them is the fraction of pairs in the right order, $\text{acc} = \underset{\text{pair}}{\text{mean}} \, \mathbb{1}[h > 0]$.

## 2. A loss without pairs

**KTO** only wants to know whether an answer is good ($d = 1$) or bad ($d = 0$), $d \in \{0, 1\}^{\text{ex}:n}$. Let $r \in \mathbb{R}^{\text{ex}:n}$ be its log-ratio, model to reference. People judge gains and losses relative to where they stand, and KTO takes for that the KL divergence, estimated from log-ratios $u \in \mathbb{R}^{\text{ex}:n}$ of *mismatched* prompts and answers:

$$ z = \max \left( 0, \underset{\text{ex}}{\text{mean}}\, u \right) . $$

No gradient goes through $z$. The value of an answer has a different sign and weight for good and bad ones,

$$
v_{\text{ex}(i)} = \begin{cases}
\lambda_D \, \sigma(\beta (r_{\text{ex}(i)} - z)) & \text{if } d_{\text{ex}(i)} = 1 \\
\lambda_U \, \sigma(\beta (z - r_{\text{ex}(i)})) & \text{if } d_{\text{ex}(i)} = 0
\end{cases}
$$

and the loss is how much is missing to the best possible value:

$$
\mathcal{L}_{\text{KTO}} = \underset{\text{ex}}{\text{mean}} \left( \lambda_D \, d + \lambda_U (1 - d) - v \right) .
$$

Rule of thumb: choose $\lambda_D$ and $\lambda_U$ such that $\lambda_D n_D \approx \lambda_U n_U$, where

$$ n_D = \sum_{\text{ex}} d, \qquad n_U = \sum_{\text{ex}} (1 - d) . $$

## 3. Summary

| | reference? | pairs? | hyperparameters |
|---|:-:|:-:|---|
| DPO, IPO | yes | yes | $\beta$ |
| SimPO | no | yes | $\beta$, $\gamma$ |
| ORPO | no | yes | $\lambda$ |
| KTO | yes | no | $\beta$, $\lambda_D$, $\lambda_U$ |
""",
        [
            Fault(
                r"= \sum_{\text{seq}} M \odot \left( Y",
                r"= \sum_{\text{vocab}} M \odot \left( Y",
            ),
            Fault(
                r"\left( 0, \underset{\text{ex}}{\text{mean}}\, u \right)",
                r"\left( 0, \underset{\text{pair}}{\text{mean}}\, u \right)",
            ),
            Fault(
                r"\sigma(\beta (z - r_{\text{ex}(i)}))",
                r"\sigma(\beta (z - r_{\text{pair}(i)}))",
            ),
        ],
        [
            Entry(
                r"\text{logp}",
                log_likelihood,
                "ex",
                {
                    "Z": "ex[3] seq[4] vocab[5]",
                    "Y": "ex[3] seq[4] vocab[5] ~ one-hot vocab",
                    "M": "ex[3] seq[4] ~ bits",
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{DPO}}",
                lambda w, v, l, k, beta: -log_sigmoid(beta * (w - v - l + k)).mean(),
                "",
                {"w": "pair[4]", "wbar": "pair[4]", "l": "pair[4]", "lbar": "pair[4]", "beta": 0.3},
            ),
            Entry(
                r"\frac{\partial \mathcal{L}_{\text{DPO}}}{\partial w}",
                lambda w, v, l, k, beta: -beta / 4 * sigmoid(-beta * (w - v - l + k)),
                "pair",
                {"w": "pair[4]", "wbar": "pair[4]", "l": "pair[4]", "lbar": "pair[4]", "beta": 0.3},
            ),
            Entry(
                r"\mathcal{L}_{\text{IPO}}",
                lambda w, v, l, k, beta: ((w - v - l + k - 1 / (2 * beta)) ** 2).mean(),
                "",
                {"w": "pair[4]", "wbar": "pair[4]", "l": "pair[4]", "lbar": "pair[4]", "beta": 0.3},
            ),
            Entry(
                r"\mathcal{L}_{\text{SimPO}}",
                lambda w, a, l, b, beta, gamma: -log_sigmoid(beta * (w / a - l / b) - gamma).mean(),
                "",
                {
                    "w": "pair[4]",
                    "a": "pair[4] ~ counts",
                    "l": "pair[4]",
                    "b": "pair[4] ~ counts",
                    "beta": 2.0,
                    "gamma": 0.5,
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{ORPO}}",
                lambda w, a, l, b, lam: -(w / a).mean() + lam * odds_loss(w, l, a, b),
                "",
                {
                    "w": "pair[4] ~ positive",
                    "a": "pair[4] ~ counts",
                    "l": "pair[4] ~ positive",
                    "b": "pair[4] ~ counts",
                    "lambda_": 0.1,
                },
            ),
            Entry(
                r"\text{acc}",
                lambda w, v, l, k: (w - v - l + k > 0).mean(),
                "",
                {"w": "pair[4]", "wbar": "pair[4]", "l": "pair[4]", "lbar": "pair[4]"},
            ),
            Entry(
                r"\mathcal{L}_{\text{KTO}}",
                kto,
                "",
                {
                    "r": "ex[5]",
                    "u": "ex[5]",
                    "d": "ex[5] ~ bits",
                    "beta": 0.5,
                    "lambda_D": 1.2,
                    "lambda_U": 0.8,
                },
            ),
        ],
    ),
]
