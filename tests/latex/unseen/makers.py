"""Seven documents of makers: a model card, a design of a port, a method, a blog, a supplement, a course report, a reproduction."""

from __future__ import annotations

import math

import numpy as np

from ..corpus.entry import Entry
from .document import Fault, Unseen
from .reach import sigmoid
from .scopes import softmax


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2


def norm(x):
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d**2).mean(-1, keepdims=True) + 1e-5)


# The forecaster: x is chan time.


def moments(x):
    return x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)


def revin(x, gamma, beta):
    mu, s = moments(x)
    return gamma[:, None] * (x - mu) / s + beta[:, None]


def denorm(u, x, gamma, beta):
    mu, s = moments(x)
    return s * (u - beta[:, None]) / gamma[:, None] + mu


def patches(x, gamma, beta):
    v = revin(x, gamma, beta)
    return np.stack([v[:, 8 * n : 8 * n + 16] for n in range(41)], 1)


def self_attention(z, WQ, WK, WV, WO):
    q, k, v = (np.einsum("...pe,ehk->...hpk", z, W) for W in (WQ, WK, WV))
    weights = softmax(np.einsum("...hpk,...hrk->...hpr", q, k) / np.sqrt(q.shape[-1]), -1)
    return np.einsum("...hpr,...hrk,hke->...pe", weights, v, WO)


def encoder_layer(z, WQ, WK, WV, WO, A, a, B, b):
    h = z + self_attention(z, WQ, WK, WV, WO)
    return h + gelu(h @ A + a) @ B + b


def forecast(x, gamma, beta, Wp, Wpos, l1, l2, l3, Wh, bh):
    z = patches(x, gamma, beta) @ Wp + Wpos
    for parts in (l1, l2, l3):
        z = encoder_layer(z, *parts.values())
    return denorm(z.reshape(len(z), -1) @ Wh + bh, x, gamma, beta)


def skill(y, u, x):
    return 1 - ((y - u) ** 2).sum() / ((y - x[:, -1:]) ** 2).sum()


def masked_patches(m, guess, x, gamma, beta):
    error = ((guess - patches(x, gamma, beta)) ** 2).mean(2)
    return (m * error).sum() / m.sum()


# The mask decoder.


def fourier(c, G):
    theta = 2 * np.pi * (2 * c - 1) @ G
    return np.concatenate([np.sin(theta), np.cos(theta)], -1)


def prompts(c, G, label, fg, bg):
    return fourier(c, G) + np.outer(label, fg) + np.outer(1 - label, bg)


def cross(X, Y, WQ, WK, WV, WO):
    Q = np.einsum("de,ehk->dhk", X, WQ)
    K, V = (np.einsum("se,ehk->shk", Y, W) for W in (WK, WV))
    A = softmax(np.einsum("dhk,shk->hds", Q, K) / np.sqrt(Q.shape[-1]), -1)
    return np.einsum("hds,shk,hke->de", A, V, WO)


def two_way(T, I, a1, a2, A, a, B, b):
    Z = I.reshape(-1, I.shape[-1])
    T1 = norm(T + cross(T, T, *a1.values()))
    T2 = norm(T1 + cross(T1, Z, *a2.values()))
    return norm(T2 + relu(T2 @ A + a) @ B + b)


def enlarged(T, I, a1, a2, A, a, B, b, a3, K, k):
    Z = I.reshape(-1, I.shape[-1])
    Z1 = norm(Z + cross(Z, two_way(T, I, a1, a2, A, a, B, b), *a3.values()))
    H, W, _ = I.shape
    J = np.einsum("hwe,eyxc->hywxc", Z1.reshape(H, W, -1), K) + k
    return gelu(J.reshape(2 * H, 2 * W, -1))


def mask_logits(T, I, a1, a2, A, a, B, b, a3, K, k, A1, b1, A2, b2):
    T3 = two_way(T, I, a1, a2, A, a, B, b)
    hidden = relu(np.einsum("me,meh->mh", T3[1:5], A1) + b1)
    h = np.einsum("mh,mhc->mc", hidden, A2) + b2
    return np.einsum("mc,rwc->mrw", h, enlarged(T, I, a1, a2, A, a, B, b, a3, K, k))


def quality(T, I, a1, a2, A, a, B, b, w, w0):
    return sigmoid(two_way(T, I, a1, a2, A, a, B, b)[0] @ w + w0)


def stability(S):
    return (S > 1).sum((1, 2)) / (S > -1).sum((1, 2))


def dice(p, y):
    return 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)


# The codec.


def snake(z, alpha):
    return z + np.sin(alpha * z) ** 2 / alpha


def residuals(u, C):
    r, total = u, np.zeros_like(u)
    for book in C:
        chosen = book[((r - book) ** 2).sum(1).argmin()]
        r, total = r - chosen, total + chosen
    return total


def spectrum(x, M):
    n = np.arange(M)
    h = np.sin(np.pi * (n + 0.5) / M) ** 2
    frames = np.stack([h * x[s : s + M] for s in range(0, len(x) - M + 1, M // 2)])
    return np.abs(np.fft.rfft(frames)) ** 2


def mel_loss(x, y, B, M):
    return np.abs(np.log(spectrum(x, M) @ B.T + 1e-5) - np.log(spectrum(y, M) @ B.T + 1e-5)).mean()


# Registers.


def embedded(x, E, e, P):
    rows, cols = x.shape[0] // 2, x.shape[1] // 2
    p = x.reshape(rows, 2, cols, 2, 3)
    return (np.einsum("rycxk,yxke->rce", p, E) + e + P).reshape(rows * cols, -1)


def sequence(cls, r, *image):
    return np.concatenate([cls[None], r, embedded(*image)])


def scaled_norm(X, gain, shift):
    return norm(X) * gain + shift


def layer_of_registers(X, *parts):
    g1, s1, att, lam, g2, s2, mlp, mu = parts
    Y = X + lam * self_attention(scaled_norm(X, g1, s1), *att.values())
    A, a, B, b = mlp.values()
    return Y + mu * (gelu(scaled_norm(Y, g2, s2) @ A + a) @ B + b)


def looking(X, WQ, WK):
    Q, K = (np.einsum("se,ehk->shk", X, W) for W in (WQ, WK))
    return softmax(np.einsum("shk,thk->hst", Q, K) / np.sqrt(Q.shape[-1]), -1)


# Weather.


def area(phi):
    return np.cos(phi) / np.cos(phi).mean()


def spread_of_steps(x):
    return np.diff(x, axis=0).std((0, 1, 2))


def swish(x):
    return x * sigmoid(x)


def edge_update(v, e, s, r, A, B, C, a, D):
    return e + swish(e @ A + v[s] @ B + v[r] @ C + a) @ D


def node_update(v, e, s, r, A, B, C, a, D, F, G, g, H):
    new = edge_update(v, e, s, r, A, B, C, a, D)
    inbox = np.zeros_like(v)
    np.add.at(inbox, r, new)
    return v + swish(v @ F + inbox @ G + g) @ H


def anomalies(u, x, c, phi):
    a, p, q = area(phi)[:, None, None], u - c, x - c
    top = (a * p * q).sum((0, 1))
    return top / np.sqrt((a * p**2).sum((0, 1)) * (a * q**2).sum((0, 1)))


def crps(X, y):
    M = len(X)
    pairs = np.abs(X[:, None] - X[None]).sum((0, 1))
    return np.abs(X - y).mean(0) - pairs / (2 * M * (M - 1))


def spread_skill(X, y, phi):
    a, M = area(phi)[:, None, None], len(X)
    spread = np.sqrt((a * X.var(0, ddof=1)).mean((0, 1)))
    return np.sqrt(1 + 1 / M) * spread / np.sqrt((a * (X.mean(0) - y) ** 2).mean((0, 1)))


# Masks for speech.


def hann(N):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N) / N)


def stft(x, N):
    frames = np.stack([hann(N) * x[s : s + N] for s in range(0, len(x) - N + 1, N // 2)])
    spectra = np.fft.rfft(frames)
    return np.stack([spectra.real, spectra.imag], -1)


def power(X):
    return (X**2).sum(-1)


def running(phi, alpha):
    m, out = np.zeros(phi.shape[1]), []
    for row in phi:
        m = alpha * m + (1 - alpha) * row
        out.append(m)
    return phi - np.stack(out)


def gru(f, Wu, Uu, bu, Wr, Ur, br, Wc, Uc, bc):
    h, out = np.zeros(len(bu)), []
    for x in f:
        u, r = sigmoid(x @ Wu + h @ Uu + bu), sigmoid(x @ Wr + h @ Ur + br)
        h = (1 - u) * h + u * np.tanh(x @ Wc + (r * h) @ Uc + bc)
        out.append(h)
    return np.stack(out)


def overlap(y):
    T, N = y.shape
    out = np.zeros((T + 1) * N // 2)
    for t, row in enumerate(y):
        out[t * N // 2 : t * N // 2 + N] += row
    return out


def si_sdr(e, s):
    target = (e @ s) / (s @ s) * s
    return 10 * np.log10((target**2).sum() / ((target - e) ** 2).sum())


# The reproduction.


def gate(x, W, b, bd):
    return (x - bd) @ W + b


def features(x, W, b, bd, r, bm):
    size = relu((x - bd) @ (W * np.exp(r)) + bm)
    return (gate(x, W, b, bd) > 0) * size


def decoded(f, D, bd):
    return f @ D + bd


def similarity(D, E):
    D, E = (A / np.linalg.norm(A, axis=1, keepdims=True) for A in (D, E))
    return (D @ E.T).max(1).mean()


LOOK = {
    "WQ": "emb[4] head[2] key[3]",
    "WK": "emb[4] head[2] key[3]",
    "WV": "emb[4] head[2] key[3]",
    "WO": "head[2] key[3] emb[4]",
}
FORWARD = {"A": "emb[4] hid[5]", "a": "hid[5]", "B": "hid[5] emb[4]", "b": "emb[4]"}
SERIES = {"x": "chan[2] time[336]", "gamma": "chan[2] ~ positive", "beta": "chan[2]"}
DECODING = {
    "T": "tok[7] emb[4]",
    "I": "height[3] width[2] emb[4]",
    "att__1": LOOK,
    "att__2": LOOK,
    **FORWARD,
}
LARGER = {**DECODING, "att__3": LOOK, "K": "emb[4] dy[2] dx[2] chan[3]", "k": "chan[3]"}
IMAGE = {
    "x": "height[4] width[6] rgb[3]",
    "E": "dy[2] dx[2] rgb[3] emb[4]",
    "e": "emb[4]",
    "P": "row[2] col[3] emb[4]",
}
SPARSE = {"x": "tok[5] emb[3]", "W_gate": "emb[3] feat[6]", "b_gate": "feat[6]", "b_dec": "emb[3]"}
MAGNITUDES = {**SPARSE, "r": "feat[6]", "b_mag": "feat[6]"}
EDGES = {
    "v": "mesh[3] hid[4]",
    "e": "edge[5] hid[4]",
    "s": "edge[5] ~ whole 3",
    "r": "edge[5] ~ whole 3",
    "A": "hid[4] mid[5]",
    "B": "hid[4] mid[5]",
    "C": "hid[4] mid[5]",
    "a_e": "mid[5]",
    "D": "mid[5] hid[4]",
}
NODES = {**EDGES, "F": "hid[4] mid[5]", "G": "hid[4] mid[5]", "g": "mid[5]", "H": "mid[5] hid[4]"}
GATES = {
    "Wu": "freq[3] hid[4]",
    "U__u": "hid[4] hid'[4]",
    "b__u": "hid[4]",
    "Wr": "freq[3] hid[4]",
    "U__r": "hid[4] hid'[4]",
    "b__r": "hid[4]",
    "Wc": "freq[3] hid[4]",
    "U__c": "hid[4] hid'[4]",
    "b__c": "hid[4]",
}


DOCUMENTS = [
    Unseen(
        "patch_forecaster.md",
        r"""---
license: mit
library_name: pytorch
pipeline_tag: time-series-forecasting
datasets:
  - ETTm1
---

# patch-forecaster-small

[![tests](badge.svg)](#) A channel-independent patch Transformer for series with many channels, 0.9 M parameters. Every channel is
forecast by the same weights and sees nothing of the others.

```python
from patchcast import load
y = load("patch-forecaster-small")(x)   # (batch, channel, 336) -> (batch, channel, 96)
```

## Inputs and outputs

| Argument | Space | Description |
|:---|:---|:---|
| `x` | $x \in \mathbb{R}^{\text{chan}, \text{time}:L}$ | look-back window, oldest value first, $L = 336$ |
| `y` | $y \in \mathbb{R}^{\text{chan}, \text{hor}}$ | the next 96 values of each channel |

## Architecture

### Instance normalisation

Each window is normalised with its own statistics, then scaled and shifted by a learned pair $\gamma, \beta \in \mathbb{R}^{\text{chan}}$
(this is the only part of the model that knows the channel):

$$
\begin{aligned}
\mu &= \underset{\text{time}}{\text{mean}}\; x \\
s &= \sqrt{\underset{\text{time}}{\text{var}}\; x + 10^{-5}} \\
\bar x &= \gamma \odot \frac{x - \mu}{s} + \beta
\end{aligned}
$$

What comes out at the end, $u \in \mathbb{R}^{\text{chan}, \text{hor}}$, is put back on the scale of the window:

$$
\text{denorm}(u) = s \odot \frac{u - \beta}{\gamma} + \mu
$$

### Patches

A patch has $P = 16$ steps, and a new one begins every 8 steps. With $N = (L - P) / 8 + 1$ patches,

$$
p_{\text{patch}:n, \text{step}:k} = \bar x_{\text{time}:8(n-1)+k} \qquad (n = 1, \dots, N, \; k = 1, \dots, P).
$$

Patches are embedded linearly, with a learned position each: $W_p \in \mathbb{R}^{\text{step}, \text{emb}}$ and
$W_{\text{pos}} \in \mathbb{R}^{\text{patch}, \text{emb}}$ give

$$
z^0 = W_p \underset{\text{step}}{\cdot} p + W_{\text{pos}} .
$$

### Encoder

Layers act on $z \in \mathbb{R}^{\text{patch}, \text{emb}}$. The projections of attention are
$W^Q, W^K, W^V \in \mathbb{R}^{\text{emb}, \text{head}, \text{key}}$ and $W^O \in \mathbb{R}^{\text{head}, \text{key}, \text{emb}}$:

$$
\begin{aligned}
q &= W^Q \underset{\text{emb}}{\cdot} z \\
k &= W^K \underset{\text{emb}}{\cdot} z_{\text{patch} \to \text{patch}'} \\
v &= W^V \underset{\text{emb}}{\cdot} z_{\text{patch} \to \text{patch}'} \\
\text{attn}(z; W^Q, W^K, W^V, W^O) &= W^O \underset{\text{head}, \text{key}}{\cdot} \left(
  \underset{\text{patch}'}{\text{softmax}} \left( \frac{q \underset{\text{key}}{\cdot} k}{\sqrt{|\text{key}|}} \right)
  \underset{\text{patch}'}{\cdot} v \right)
\end{aligned}
$$

The feed-forward part has $A \in \mathbb{R}^{\text{emb}, \text{hid}}$, $a \in \mathbb{R}^{\text{hid}}$,
$B \in \mathbb{R}^{\text{hid}, \text{emb}}$ and $b \in \mathbb{R}^{\text{emb}}$:

$$
\text{ff}(z; A, a, B, b) = B \underset{\text{hid}}{\cdot} \text{GELU}(A \underset{\text{emb}}{\cdot} z + a) + b
$$

One layer is

$$
\text{layer}(z; W^Q, W^K, W^V, W^O, A, a, B, b) = h + \text{ff}(h; A, a, B, b) \quad \text{with} \quad h = z + \text{attn}(z; W^Q, W^K, W^V, W^O)
$$

and this checkpoint has three of them:

$$
z^1 = \text{layer}^1(z^0), \qquad z^2 = \text{layer}^2(z^1), \qquad z^3 = \text{layer}^3(z^2)
$$

### Head

All patches together predict the whole horizon,

$$
\hat y = \text{denorm}\left( W_h \underset{\text{flat}}{\cdot} z^3_{(\text{patch}, \text{emb}) \to \text{flat}} + b_h \right),
$$

where $W_h \in \mathbb{R}^{\text{flat}, \text{hor}}$ and $b_h \in \mathbb{R}^{\text{hor}}$.

## Training

Pre-training hides 40 % of the patches, $m \in \{0, 1\}^{\text{chan}, \text{patch}}$ (1 is hidden), and scores the reconstruction
$r \in \mathbb{R}^{\text{chan}, \text{patch}, \text{step}}$ on those only:

$$
\mathcal{L}_{\text{mask}}(r, m) = \frac{\sum_{\text{chan}, \text{patch}} m \odot \underset{\text{step}}{\text{mean}} \left( (r - p)^2 \right)}{\sum_{\text{chan}, \text{patch}} m}
$$

Fine-tuning uses the squared error, AdamW with weight decay 0.01, and 20 epochs.

## Evaluation

Besides MSE and MAE we give the skill over a forecast that repeats the last value:

$$
\text{skill}(y, u) = 1 - \frac{\sum_{\text{chan}, \text{hor}} (y - u)^2}{\sum_{\text{chan}, \text{hor}} (y - x_{\text{time}:L})^2}
$$

| Data | MSE | MAE | skill |
|---|---|---|---|
| ETTm1 | 0.291 | 0.342 | 0.58 |
| Weather | 0.152 | 0.199 | 0.41 |

## Citation

If you use this model, please cite Nie et al. (2023) and Kim et al. (2022).
""",
        [
            Fault(
                r"\mu &= \underset{\text{time}}{\text{mean}}\; x",
                r"\mu &= \underset{\text{hor}}{\text{mean}}\; x",
            ),
            Fault(
                r"W_p \in \mathbb{R}^{\text{step}, \text{emb}}",
                r"W_p \in \mathbb{R}^{\text{patch}, \text{emb}}",
                r"z^0 = W_p \underset{\text{step}}{\cdot} p",
            ),
            Fault(
                r"v &= W^V \underset{\text{emb}}{\cdot} z_{\text{patch} \to \text{patch}'}",
                r"v &= W^V \underset{\text{emb}}{\cdot} z",
                r"  \underset{\text{patch}'}{\text{softmax}} \left(",
            ),
        ],
        [
            Entry(r"\bar x", revin, "chan time", SERIES),
            Entry("denorm", denorm, "chan hor", {"u": "chan[2] hor[96]", **SERIES}),
            Entry("p", patches, "chan patch step", SERIES),
            Entry("attn", self_attention, "patch emb", {"z": "patch[5] emb[4]"}, LOOK),
            Entry(
                "layer",
                encoder_layer,
                "patch emb",
                {"z": "patch[5] emb[4]"},
                {**LOOK, **FORWARD},
            ),
            Entry(
                r"\hat y",
                forecast,
                "chan hor",
                {**SERIES, "W_p": "step[16] emb[4]", "W_pos": "patch[41] emb[4]"},
                {
                    **{f"layer__{n}": {**LOOK, **FORWARD} for n in (1, 2, 3)},
                    "W_h": "flat[164] hor[96]",
                    "b_h": "hor[96]",
                },
            ),
            Entry(
                r"\mathcal{L}_{\text{mask}}",
                lambda r, m, x, g, b: masked_patches(m, r, x, g, b),
                "",
                {"r": "chan[2] patch[41] step[16]", "m": "chan[2] patch[41] ~ bits", **SERIES},
            ),
            Entry(
                "skill",
                skill,
                "",
                {"y": "chan[2] hor[96]", "u": "chan[2] hor[96]", "x": "chan[2] time[336]"},
            ),
        ],
    ),
    Unseen(
        "mask_decoder_port.md",
        r"""# Design: porting the promptable mask decoder to the phone runtime

| | |
|---|---|
| Status | accepted |
| Owners | vision-runtime |
| Last change | 14 May |

## 1. Context

The image encoder stays on the server and sends one embedding per picture. The *decoder* has to run on the phone for every tap. Today it
is 600 lines of reshapes that nobody dares to touch. This document writes it down without an order of axes, so that the port can be
reviewed formula by formula. Out of scope: the encoder, text prompts, and boxes (a box is two points with labels of their own).

## 2. Tensors at the boundary

* `image_embedding`: $I \in \mathbb{R}^{\text{height}, \text{width}, \text{emb}}$, for the released model 64 × 64 × 256
* `point_coords`: $c \in [0, 1]^{\text{pt}, \text{xy}}$, divided by the size of the picture
* `point_labels`: $\ell \in \{0, 1\}^{\text{pt}}$, where 1 is foreground
* `masks` (out): $S \in \mathbb{R}^{\text{mask}, \text{row}, \text{col}}$, logits
* `iou_predictions` (out): $q \in [0, 1]^{\text{mask}}$

Layer normalisation has no affine part here; the export script folds it into the next projection:

$$
\text{LN}(X) = \frac{X - \underset{\text{emb}}{\text{mean}}\, X}{\sqrt{\underset{\text{emb}}{\text{var}}\, X + 10^{-5}}}
$$

## 3. Prompt encoder

Points get random Fourier features. The matrix $G \in \mathbb{R}^{\text{xy}, \text{freq}:F}$ is a *buffer*, not a parameter, and must be
exported in fp32. The first half of the embedding are sines, the second half cosines:

```math
\begin{aligned}
\theta &= 2\pi\, G \underset{\text{xy}}{\cdot} (2c - 1) \\
\phi_{\text{pt}:n, \text{emb}:i} &= \begin{cases} \sin(\theta_{\text{pt}:n, \text{freq}:i}) & \text{if } i \leq F \\ \cos(\theta_{\text{pt}:n, \text{freq}:i-F}) & \text{otherwise} \end{cases}
\end{aligned}
```

so $|\text{emb}| = 2F$. With one learned vector per label, $e_1, e_0 \in \mathbb{R}^{\text{emb}}$, a prompt is

```math
p = \phi + \ell \odot e_1 + (1 - \ell) \odot e_0 .
```

The tokens $T \in \mathbb{R}^{\text{tok}, \text{emb}}$ are, in this order: one for the IoU, four for the masks, and the prompts.

## 4. Two-way attention

We write attention once, from a destination to a source, and rename at the call. This is one kernel instead of three.

```math
\begin{aligned}
X &\in \mathbb{R}^{\text{dst}, \text{emb}}, \quad Y \in \mathbb{R}^{\text{src}, \text{emb}} \\
W^Q, W^K, W^V &\in \mathbb{R}^{\text{emb}, \text{head}, \text{key}}, \quad W^O \in \mathbb{R}^{\text{head}, \text{key}, \text{emb}} \\
\text{att}(X, Y; W) &= W^O \underset{\text{head}, \text{key}}{\cdot} \left( A \underset{\text{src}}{\cdot} (W^V \underset{\text{emb}}{\cdot} Y) \right) \\
A &= \underset{\text{src}}{\text{softmax}} \frac{(W^Q \underset{\text{emb}}{\cdot} X) \underset{\text{key}}{\cdot} (W^K \underset{\text{emb}}{\cdot} Y)}{\sqrt{|\text{key}|}}
\end{aligned}
```

The picture is used as a list of pixels, $Z = I_{(\text{height}, \text{width}) \to \text{pix}}$. A block is four steps: tokens look at
tokens, tokens look at pixels, an MLP, and pixels look back at tokens.

```math
\begin{aligned}
T_1 &= \text{LN}\left( T + \left[ \text{att}^1(T_{\text{tok} \to \text{dst}}, T_{\text{tok} \to \text{src}}) \right]_{\text{dst} \to \text{tok}} \right) \\
T_2 &= \text{LN}\left( T_1 + \left[ \text{att}^2([T_1]_{\text{tok} \to \text{dst}}, Z_{\text{pix} \to \text{src}}) \right]_{\text{dst} \to \text{tok}} \right) \\
T_3 &= \text{LN}(T_2 + \text{mlp}(T_2; A, a, B, b)) \\
Z_1 &= \text{LN}\left( Z + \left[ \text{att}^3(Z_{\text{pix} \to \text{dst}}, [T_3]_{\text{tok} \to \text{src}}) \right]_{\text{dst} \to \text{pix}} \right)
\end{aligned}
```

where $\text{mlp}(x; A, a, B, b) = B \underset{\text{hid}}{\cdot} \text{ReLU}(A \underset{\text{emb}}{\cdot} x + a) + b$ with
$A \in \mathbb{R}^{\text{emb}, \text{hid}}$, $B \in \mathbb{R}^{\text{hid}, \text{emb}}$, $a \in \mathbb{R}^{\text{hid}}$, $b \in \mathbb{R}^{\text{emb}}$ and $x \in \mathbb{R}^{\text{emb}}$.

> **Note.** The released model has two blocks. We show one; the second takes $T_3$ and $Z_1$.

## 5. Masks

A transposed convolution with stride 2 and a 2 × 2 kernel is a product and a reshape, so the port does not need the op. With
$K \in \mathbb{R}^{\text{emb}, \text{dy}:2, \text{dx}:2, \text{chan}}$ and $k \in \mathbb{R}^{\text{chan}}$,

```math
\begin{aligned}
J &= [Z_1]_{\text{pix} \to (\text{height}, \text{width})} \\
U &= \text{GELU}\left( \left[ \left[ K \underset{\text{emb}}{\cdot} J + k \right]_{(\text{height}, \text{dy}) \to \text{row}} \right]_{(\text{width}, \text{dx}) \to \text{col}} \right)
\end{aligned}
```

Tokens 2 to 5 choose the masks. Each has its own small network ($A_1 \in \mathbb{R}^{\text{mask}:4, \text{emb}, \text{hid}}$, $a_1 \in \mathbb{R}^{\text{mask}:4, \text{hid}}$,
$A_2 \in \mathbb{R}^{\text{mask}:4, \text{hid}, \text{chan}}$, $a_2 \in \mathbb{R}^{\text{mask}:4, \text{chan}}$):

```math
\begin{aligned}
H_{\text{mask}:m} &= [T_3]_{\text{tok}:m+1} \qquad m = 1, \dots, 4 \\
S &= \left( A_2 \underset{\text{hid}}{\cdot} \text{ReLU}(A_1 \underset{\text{emb}}{\cdot} H + a_1) + a_2 \right) \underset{\text{chan}}{\cdot} U \\
q &= \sigma\left( w \underset{\text{emb}}{\cdot} [T_3]_{\text{tok}:1} + w_0 \right)
\end{aligned}
```

with $w \in \mathbb{R}^{\text{emb}, \text{mask}:4}$ and $w_0 \in \mathbb{R}^{\text{mask}:4}$.

## 6. Acceptance

The app hides masks that move when the threshold does:

$$
\text{stability}(S) = \frac{\sum_{\text{row}, \text{col}} \mathbb{1}[S > 1]}{\sum_{\text{row}, \text{col}} \mathbb{1}[S > -1]}
$$

For the 500 pictures of the regression set, masks of server and phone, as probabilities $g, y \in [0, 1]^{\text{row}, \text{col}}$, may differ by a Dice loss of at most 0.002:

$$
\text{dice}(g, y) = 1 - \frac{2 \sum_{\text{row}, \text{col}} g \odot y + 1}{\sum_{\text{row}, \text{col}} g + \sum_{\text{row}, \text{col}} y + 1}
$$

## 7. Alternatives considered

Exporting to ONNX was tried first. It works, but constant folding copies $G$ into fp16, and points near the border jump.
""",
        [
            Fault(
                r"[T_1]_{\text{tok} \to \text{dst}}, Z_{\text{pix} \to \text{src}})",
                r"[T_1]_{\text{tok} \to \text{dst}}, Z_{\text{pix} \to \text{dst}})",
            ),
            Fault(
                r"w \in \mathbb{R}^{\text{emb}, \text{mask}:4}",
                r"w \in \mathbb{R}^{\text{chan}, \text{mask}:4}",
                r"q &= \sigma\left( w",
            ),
            Fault(
                r"+ a_2 \right) \underset{\text{chan}}{\cdot} U",
                r"+ a_2 \right) \underset{\text{hid}}{\cdot} U",
            ),
        ],
        [
            Entry(
                r"\phi",
                fourier,
                "pt emb",
                {"c": "pt[3] xy[2] ~ positive", "G": "xy[2] freq[2]"},
                chosen={"emb": 4},
            ),
            Entry(
                "p",
                prompts,
                "pt emb",
                {
                    "c": "pt[3] xy[2] ~ positive",
                    "G": "xy[2] freq[2]",
                    "ell": "pt[3] ~ bits",
                    "e_1": "emb[4]",
                    "e_0": "emb[4]",
                },
            ),
            Entry("att", cross, "dst emb", {"X": "dst[3] emb[4]", "Y": "src[5] emb[4]"}, LOOK),
            Entry("T_3", two_way, "tok emb", DECODING),
            Entry("U", enlarged, "row col chan", LARGER),
            Entry(
                "S",
                mask_logits,
                "mask row col",
                {
                    **LARGER,
                    "A_1": "mask[4] emb[4] hid[5]",
                    "a_1": "mask[4] hid[5]",
                    "A_2": "mask[4] hid[5] chan[3]",
                    "a_2": "mask[4] chan[3]",
                },
            ),
            Entry("q", quality, "mask", {**DECODING, "w": "emb[4] mask[4]", "w_0": "mask[4]"}),
            Entry("stability", stability, "mask", {"S": "mask[2] row[5] col[6]"}),
            Entry(
                "dice",
                dice,
                "",
                {"g": "row[3] col[4] ~ probability row", "y": "row[3] col[4] ~ probability row"},
            ),
        ],
    ),
    Unseen(
        "field_codec.tex",
        r"""\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb,booktabs,algorithm,algpseudocode,namedtensor}
\ndef{\tm}{time} \ndef{\fr}{frame} \ndef{\tap}{tap} \ndef{\lat}{lat}
\ndef{\stage}{stage} \ndef{\entry}{entry} \ndef{\win}{win} \ndef{\hop}{hop}
\ndef{\freq}{freq} \ndef{\mel}{mel} \ndef{\scale}{scale}
\newcommand{\reals}[1]{\mathbb{R}^{#1}}
\newcommand{\snake}{\operatorname{snake}}
\newcommand{\new}[1]{#1^{\mathrm{new}}}
\newcommand{\Lmel}{\mathcal{L}_{\mathrm{mel}}}
\newcommand{\Lcom}{\mathcal{L}_{\mathrm{com}}}
\DeclareMathOperator{\sg}{sg}
\DeclareMathOperator*{\argmin}{argmin}
\title{Coding Birds at Three Kilobits: Residual Codebooks for Field Recordings}
\begin{document}
\maketitle

\section{Method}\label{sec:method}
Our recorders have a radio that sends less than 3\,kbit/s. We therefore train a neural codec on recordings of the field itself. It
consists of an encoder of frames, a residual quantiser \cite{zeghidour} and a decoder; Table~\ref{tab:symbols} lists the symbols.

\begin{table}[t]
\caption{Symbols. All axes are named; sizes are those of the deployed codec.}\label{tab:symbols}
\centering\small
\begin{tabular}{@{}lll@{}}
\toprule
Symbol & Space & Meaning \\
\midrule
$x$ & $\reals{\tm[N]}$ & recording at 24 kHz \\
$W$ & $\reals{\tap \times \lat}$ & analysis filters \\
$V$ & $\reals{\lat \times \tap}$ & synthesis filters \\
$\alpha, b$ & $\reals{\lat}$ & periods of the activation; bias \\
$Z$ & $\reals{\fr \times \lat}$ & latents of a recording \\
$C$ & $\reals{\stage[Q] \times \entry \times \lat}$ & codebooks \\
$B$ & $\mathbb{R}_{\geq 0}^{\mel \times \freq}$ & mel filter bank \\
\bottomrule
\end{tabular}
\end{table}

\subsection{Encoder and decoder}
Frames do not overlap, so that a frame can be sent as soon as it is complete:
\begin{align}
f &= x_{\tm \to (\fr, \tap)} \\
Z &= \snake\left( W \ndot{\tap} f + b \right) \label{eq:enc}
\end{align}
with the periodic activation of \cite{ziyin}, which we found to matter for whistles,
\begin{equation}
\snake(z) = z + \frac{1}{\alpha} \odot \sin^2 (\alpha \odot z), \qquad z \in \reals{\lat} .
\end{equation}
The decoder mirrors it. From quantised latents $\hat Z \in \reals{\fr \times \lat}$ it makes
\begin{equation}
\hat x = \left[ V \ndot{\lat} \snake(\hat Z) \right]_{(\fr, \tap) \to \tm} . \label{eq:dec}
\end{equation}

\subsection{Residual quantisation}
Stage $q$ quantises what the stages before it have left over. Algorithm~\ref{alg:rvq} shows this for one frame, $u \in \reals{\lat}$.

\begin{algorithm}[t]
\caption{Residual quantisation}\label{alg:rvq}
\begin{algorithmic}[1]
\Require latent $u$, codebooks $C$
\State $r \gets u$
\State $\hat u \gets 0$
\For{$q = 1, \dots, Q$}
  \State $k \gets \nfun{\entry}{argmin} \nsum{\lat} (r - C_{\stage(q)})^2$
  \State $\hat u \gets \hat u + C_{\stage(q), \entry(k)}$
  \State $r \gets r - C_{\stage(q), \entry(k)}$
\EndFor
\State \Return $\hat u$
\end{algorithmic}
\end{algorithm}

A frame costs $Q \log_2 |\entry|$ bits. With $Q = 4$, $|\entry| = 1024$ and 75 frames a second this is 3\,kbit/s.

\paragraph{Updating the codebooks.}
The codebook of one stage, $c \in \reals{\entry \times \lat}$, is a running average of what it is used for. Let $A \in \{0,1\}^{\fr \times \entry}$
say which entry each frame of a batch was given, and let $n \in \reals{\entry}$ and $m \in \reals{\entry \times \lat}$ be the running counts and sums. Then
\begin{align}
\new{n} &= \gamma n + (1 - \gamma) \nsum{\fr} A \nonumber \\
\new{m} &= \gamma m + (1 - \gamma) \, A \ndot{\fr} Z \label{eq:ema} \\
\new{c} &= \new{m} / \new{n} \nonumber
\end{align}
with $\gamma = 0.99$. Entries with $\new{n} < 2$ are replaced by a random frame.\footnote{Without this, 40\,\% of the third codebook die on wind noise.}

\subsection{Losses}
The encoder is held to its codes by
\begin{equation}
\Lcom(Z, \hat Z) = \nfun{\fr}{mean} \nsum{\lat} \left( Z - \sg(\hat Z) \right)^2 ,
\end{equation}
where $\sg$ passes its argument on and stops the gradient. The reconstruction is compared in a mel spectrum. For windows of $M$ samples that
overlap by half, $t = 1, \dots, 2N/M - 1$, let
\begin{align}
h_{\win(n)} &= \sin^2 \left( \frac{\pi (n - 1/2)}{M} \right) \qquad n = 1, \dots, M \\
g_{\hop(t), \win(n)} &= h_{\win(n)} \, x_{\tm((t-1) M/2 + n)} \label{eq:win} \\
R_{\freq(k), \win(n)} &= \cos(2 \pi (k-1)(n-1) / M) \nonumber \\
I_{\freq(k), \win(n)} &= \sin(2 \pi (k-1)(n-1) / M) \qquad k = 1, \dots, M/2 + 1 \nonumber \\
P(x) &= \left( R \ndot{\win} g \right)^2 + \left( I \ndot{\win} g \right)^2 \\
E(x) &= \log \left( B \ndot{\freq} P(x) + 10^{-5} \right)
\end{align}
and, with a second signal $y \in \reals{\tm[N]}$,
\begin{equation}
\Lmel(x, y) = \nfun{\hop, \mel}{mean} \left| E(x) - E(y) \right| .
\end{equation}
We also use the hinge loss of a discriminator that gives a score per frame, $d \in \reals{\scale \times \fr}$ for the real signal and
$d' \in \reals{\scale \times \fr}$ for the decoded one:
\begin{equation}
\mathcal{L}_{D}(d, d') = \nsum{\scale} \nfun{\fr}{mean} \left( \max(0, 1 - d) + \max(0, 1 + d') \right) .
\end{equation}
The codec minimises $\Lmel + 0.25\, \Lcom + 0.1\, \mathcal{L}_{G}$, where $\mathcal{L}_{G}(d') = - \nsum{\scale} \nfun{\fr}{mean} d'$.
\end{document}
""",
        [
            Fault(r"A \ndot{\fr} Z \label{eq:ema}", r"A \ndot{\entry} Z \label{eq:ema}"),
            Fault(
                r"\nfun{\entry}{argmin} \nsum{\lat} (r - C_{\stage(q)})^2",
                r"\nfun{\entry}{argmin} \nsum{\stage} (r - C_{\stage(q)})^2",
            ),
            Fault(
                r"$\mathbb{R}_{\geq 0}^{\mel \times \freq}$",
                r"$\mathbb{R}_{\geq 0}^{\mel \times \win}$",
                r"E(x) &= \log \left( B",
            ),
        ],
        [
            Entry(
                "Z",
                lambda x, W, b, a: snake(x.reshape(3, 4) @ W + b, a),
                "frame lat",
                {
                    "x": "time[12]",
                    "W": "tap[4] lat[2]",
                    "b": "lat[2]",
                    "alpha": "lat[2] ~ positive",
                },
            ),
            Entry("snake", snake, "lat", {"z": "lat[3]", "alpha": "lat[3] ~ positive"}),
            Entry(
                r"\hat x",
                lambda V, Z, a: (snake(Z, a) @ V).reshape(-1),
                "time",
                {
                    "V": "lat[2] tap[4]",
                    "Zhat": "frame[3] lat[2]",
                    "alpha": "lat[2] ~ positive",
                },
            ),
            Entry(
                r"\hat u",
                residuals,
                "lat",
                {"u": "lat[3]", "C": "stage[4] entry[1024] lat[3]"},
            ),
            Entry(
                r"n^{\mathrm{new}}",
                lambda n, A: 0.99 * n + 0.01 * A.sum(0),
                "entry",
                {"n": "entry[1024] ~ counts", "A": "frame[4] entry[1024] ~ one-hot entry"},
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{com}}",
                lambda Z, Y: ((Z - Y) ** 2).sum(1).mean(),
                "",
                {"Z": "frame[3] lat[2]", "Zhat": "frame[3] lat[2]"},
            ),
            Entry(
                "P",
                spectrum,
                "hop freq",
                {"x": "time[12]"},
                {"M": 4},
            ),
            Entry(
                r"\mathcal{L}_{\mathrm{mel}}",
                mel_loss,
                "",
                {
                    "x": "time[12]",
                    "y": "time[12]",
                    "B": "mel[2] freq[3] ~ positive",
                },
                {"M": 4},
            ),
            Entry(
                r"\mathcal{L}_{D}",
                lambda d, e: (np.maximum(0, 1 - d) + np.maximum(0, 1 + e)).mean(1).sum(),
                "",
                {"d": "scale[2] frame[3]", "d_": "scale[2] frame[3]"},
            ),
        ],
    ),
    Unseen(
        "registers.md",
        r"""---
layout: post
title: "Why does my ViT stare at the sky?"
date: 2024-11-03
tags: [vision, attention]
---

$$
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\R}{\mathbb{R}}
\newcommand{\by}[1]{\underset{\ax{#1}}{\cdot}}
\newcommand{\over}[2]{\underset{\ax{#1}}{\operatorname{#2}}}
$$

Plot the attention of the class token of a large vision transformer and you will see it: a few bright dots in the most boring corner of the
picture. [Darcet et al.](https://arxiv.org/abs/2309.16588) explain the dots (the network uses boring patches as scratch paper) and give a cure
that is almost embarrassing: hand it some scratch paper. In this post we build the whole model, one formula at a time. You need to know what
softmax is; everything else is here.

## Step 1: cut the picture into patches

A picture is $x \in \R^{\ax{height}, \ax{width}, \ax{rgb}}$. A patch has $14 \times 14$ pixels in the paper, but nothing depends on that. Split each
side into (which patch, which pixel inside of it):

$$
p = \Big[ [x]_{\ax{height} \to (\ax{row}, \ax{dy})} \Big]_{\ax{width} \to (\ax{col}, \ax{dx})}
$$

Then every patch is mapped to a vector, and gets a learned position. Here $E \in \R^{\ax{dy}, \ax{dx}, \ax{rgb}, \ax{emb}}$, $e \in \R^{\ax{emb}}$ and
$P \in \R^{\ax{row}, \ax{col}, \ax{emb}}$:

$$
t = \Big[ E \underset{\ax{dy}, \ax{dx}, \ax{rgb}}{\cdot} p + e + P \Big]_{(\ax{row}, \ax{col}) \to \ax{tok}}
$$

(No convolution needed. A "patchify conv" is this product.)

## Step 2: add a class token, and the registers

Let $n = |\ax{tok}|$, let $c \in \R^{\ax{emb}}$ be the class token and $r \in \R^{\ax{reg}:k, \ax{emb}}$ the $k$ registers. All of them are learned, none depends on
the picture. The input of the transformer is one long sequence:

$$
X^0_{\ax{seq}:i} = \begin{cases}
c & i = 1 \\
r_{\ax{reg}:i-1} & 2 \leq i \leq k + 1 \\
t_{\ax{tok}:i-k-1} & i > k + 1
\end{cases}
\qquad i = 1, \dots, n + k + 1
$$

That's the cure. The rest is an ordinary ViT.

## Step 3: attention, twelve times

Let $X \in \R^{\ax{seq}, \ax{emb}}$ be any such sequence. Where does position $\ax{seq}$ look? With $W^Q, W^K \in \R^{\ax{emb}, \ax{head}, \ax{key}}$,

$$
\begin{aligned}
\text{look}(X; W^Q, W^K) &= \over{seq'}{softmax} \left( \frac{Q \by{key} K}{\sqrt{|\ax{key}|}} \right) \\
Q &= W^Q \by{emb} X \\
K &= W^K \by{emb} X_{\ax{seq} \to \ax{seq}'}
\end{aligned}
$$

and what it sees there is mixed by $W^V \in \R^{\ax{emb}, \ax{head}, \ax{val}}$ and $W^O \in \R^{\ax{head}, \ax{val}, \ax{emb}}$:

$$
\text{mix}(X; W^Q, W^K, W^V, W^O) = W^O \by{head, val} \left( \text{look}(X; W^Q, W^K) \by{seq'} V \right), \qquad
V = W^V \by{emb} X_{\ax{seq} \to \ax{seq}'}
$$

Before each half of a layer there is a norm with its own gain $g \in \R^{\ax{emb}}$ and shift $s \in \R^{\ax{emb}}$,

$$
\text{norm}(X; g, s) = g \odot \frac{X - \over{emb}{mean} X}{\sqrt{\over{emb}{var} X + 10^{-5}}} + s
$$

and behind it a LayerScale, $\lambda, \mu \in \R^{\ax{emb}}$, that starts near zero. The second half is the usual MLP ($A \in \R^{\ax{emb}, \ax{hid}}$, $a \in \R^{\ax{hid}}$,
$B \in \R^{\ax{hid}, \ax{emb}}$, $b \in \R^{\ax{emb}}$):

$$
\begin{aligned}
\text{mlp}(X; A, a, B, b) &= B \by{hid} \text{GELU}(A \by{emb} X + a) + b \\
\text{half}(X; \lambda, W^Q, W^K, W^V, W^O) &= X + \lambda \odot \text{mix}(\text{norm}^1(X); W^Q, W^K, W^V, W^O) \\
\text{layer}(X; \lambda, \mu, W^Q, W^K, W^V, W^O, A, a, B, b) &= Y + \mu \odot \text{mlp}(\text{norm}^2(Y); A, a, B, b) \\
Y &= \text{half}(X; \lambda, W^Q, W^K, W^V, W^O)
\end{aligned}
$$

Stack it: $X^l = \text{layer}^l(X^{l-1})$ for $l = 1, \dots, L$.

## Step 4: throw the registers away

After the last layer, call the output $Y \in \R^{\ax{seq}, \ax{emb}}$. Position 1 describes the picture, the last $n$ positions describe the patches, and what is in
between goes into the bin:

$$
h = Y_{\ax{seq}:1}, \qquad F_{\ax{tok}:i} = Y_{\ax{seq}:i+k+1}
$$

For a classifier, put a linear layer on the class token and on the mean of the patches, with $U, V' \in \R^{\ax{emb}, \ax{class}}$:

$$
\pi = \over{class}{softmax} \left( U \by{emb} h + V' \by{emb} \over{tok}{mean} F \right)
$$

## Step 5: count the dots

A patch is an *outlier* if its vector is longer than $\tau$ (they used 150). The share of outliers is

$$
o = \over{tok}{mean} \; \mathbb{1}\left[ \sqrt{\textstyle\sum_{\ax{emb}} F^2} > \tau \right]
$$

and if you would rather see the dots, draw the map $a_{\ax{tok}:i} = \over{head}{mean} \; \text{look}(Y; W^Q, W^K)_{\ax{seq}:1, \ax{seq}':i+k+1}$, normalised so that it sums to one:

$$
\bar a = \frac{a}{\sum_{\ax{tok}} a}
$$

Without registers I get $o = 0.023$, with four of them 0. The sky is dark again. Code is [on my GitHub](https://github.com/), comments welcome.
""",
        [
            Fault(
                r"K &= W^K \by{emb} X_{\ax{seq} \to \ax{seq}'}",
                r"K &= W^K \by{emb} X",
                r"&= \over{seq'}{softmax} \left(",
            ),
            Fault(
                r"$U, V' \in \R^{\ax{emb}, \ax{class}}$",
                r"$U, V' \in \R^{\ax{hid}, \ax{class}}$",
                r"\pi = \over{class}{softmax}",
            ),
            Fault(
                r"\bar a = \frac{a}{\sum_{\ax{tok}} a}",
                r"\bar a = \frac{a}{\sum_{\ax{head}} a}",
            ),
        ],
        [
            Entry("t", embedded, "tok emb", IMAGE),
            Entry(
                "X^0",
                sequence,
                "seq emb",
                {"c": "emb[4]", "r": "reg[2] emb[4]", **IMAGE},
            ),
            Entry(
                "look",
                looking,
                "head seq seq'",
                {"X": "seq[5] emb[4]"},
                {"WQ": LOOK["WQ"], "WK": LOOK["WK"]},
            ),
            Entry(
                "mix",
                self_attention,
                "seq emb",
                {"X": "seq[5] emb[4]"},
                {**LOOK, "WV": "emb[4] head[2] val[3]", "WO": "head[2] val[3] emb[4]"},
            ),
            Entry(
                "norm",
                scaled_norm,
                "seq emb",
                {"X": "seq[5] emb[4]"},
                {"g": "emb[4]", "s": "emb[4]"},
            ),
            Entry(
                "layer",
                lambda X, mu, lam, n1, n2, WQ, WK, WV, WO, A, a, B, b: layer_of_registers(
                    X,
                    *n1.values(),
                    {"Q": WQ, "K": WK, "V": WV, "O": WO},
                    lam,
                    *n2.values(),
                    {"A": A, "a": a, "B": B, "b": b},
                    mu,
                ),
                "seq emb",
                {"X": "seq[5] emb[4]"},
                {
                    "mu": "emb[4]",
                    "lambda_": "emb[4]",
                    "norm__1": {"g": "emb[4]", "s": "emb[4]"},
                    "norm__2": {"g": "emb[4]", "s": "emb[4]"},
                    **LOOK,
                    "WV": "emb[4] head[2] val[3]",
                    "WO": "head[2] val[3] emb[4]",
                    **FORWARD,
                },
            ),
            Entry(
                r"\pi",
                lambda Y, U, V: softmax(Y[0] @ U + Y[3:].mean(0) @ V, 0),
                "class",
                {"Y": "seq[7] emb[4]", "U": "emb[4] class[3]", "V_": "emb[4] class[3]"},
                chosen={"k": 2},
            ),
            Entry(
                "o",
                lambda Y, tau: (np.linalg.norm(Y[3:], axis=1) > tau).mean(),
                "",
                {"Y": "seq[7] emb[4]", "tau": 1.5},
                chosen={"k": 2},
            ),
            Entry(
                r"\bar a",
                lambda Y, Q, K: (m := looking(Y, Q, K)[:, 0, 3:].mean(0)) / m.sum(),
                "tok",
                {"Y": "seq[7] emb[4]", "WQ": LOOK["WQ"], "WK": LOOK["WK"]},
                chosen={"k": 2},
            ),
        ],
    ),
    Unseen(
        "weather_supplement.tex",
        r"""\documentclass[11pt]{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb,booktabs,namedtensor}
\newcommand{\lat}{\name{lat}}
\newcommand{\lon}{\name{lon}}
\newcommand{\var}{\name{var}}
\newcommand{\mesh}{\name{mesh}}
\newcommand{\edge}{\name{edge}}
\newcommand{\hid}{\name{hid}}
\newcommand{\midd}{\name{mid}}
\newcommand{\step}{\name{step}}
\newcommand{\ens}{\name{ens}}
\newcommand{\RR}{\mathbb{R}}
\newcommand{\Ddot}[2]{\underset{#1}{\cdot}\,#2}
\newcommand{\silu}{\operatorname{SiLU}}
\renewcommand{\thetable}{S\arabic{table}}
\renewcommand{\theequation}{S\arabic{equation}}
\title{Supplementary Information for\\ ``A small graph network for ten-day forecasts''}
\begin{document}
\maketitle

\section*{S1 \quad Notation}
Table~\ref{tab:notation} is complete: a letter that is not in it is defined where it is used. The grid has 181 latitudes and 360 longitudes.

\begin{table}[h]
\caption{Notation.}\label{tab:notation}
\centering
\begin{tabular}{lll}
\toprule
Symbol & Space & Meaning \\
\midrule
$\varphi$ & $\RR^{\lat}$ & latitude, in radians \\
$x, \hat x$ & $\RR^{\lat \times \lon \times \var}$ & state of the atmosphere; its forecast \\
$z$ & $\RR^{\step[T] \times \lat \times \lon \times \var}$ & training data, six hours apart \\
$\bar c$ & $\RR^{\lat \times \lon \times \var}$ & climatology of the day of the year \\
$w$ & $\RR^{\var}$ & weight of a variable (by pressure) \\
\midrule
$v$ & $\RR^{\mesh[m] \times \hid}$ & features of the nodes of the mesh \\
$e$ & $\RR^{\edge[n] \times \hid}$ & features of its edges \\
$s, r$ & $[m]^{\edge[n]}$ & sender and receiver of an edge \\
\midrule
$X$ & $\RR^{\ens[M] \times \lat \times \lon \times \var}$ & ensemble of forecasts \\
$y$ & $\RR^{\lat \times \lon \times \var}$ & what happened \\
\bottomrule
\end{tabular}
\end{table}

\section*{S2 \quad Scaling}
Cells get smaller towards the poles. All averages over the globe use weights with mean one,
\begin{equation}
a = \frac{\cos \varphi}{\nfun{\lat}{mean} \cos \varphi} .
\end{equation}
The network predicts differences. They are scaled with the standard deviation of what changes within one step,
\begin{align}
d_{\step(t)} &= z_{\step(t+1)} - z_{\step(t)} , \qquad t = 1, \dots, T - 1 , \\
\sigma &= \sqrt{\nfun{\step, \lat, \lon}{var} d} .
\end{align}

\section*{S3 \quad Processor}
One round of message passing updates first the edges and then the nodes. The parameters of the edges are $A, B, C \in \RR^{\hid \times \midd}$, $a_e \in \RR^{\midd}$ and
$D \in \RR^{\midd \times \hid}$:
\begin{equation}
e^{+} = e + D \Ddot{\midd}{\silu\left( A \Ddot{\hid}{e} + B \Ddot{\hid}{v_{\mesh(s)}} + C \Ddot{\hid}{v_{\mesh(r)}} + a_e \right)} . \label{eq:edges}
\end{equation}
A node sums what arrives,
\begin{equation}
q_{\mesh(i)} = \sum_{j \colon r_{\edge(j)} = i} e^{+}_{\edge(j)} ,
\end{equation}
and is updated with parameters $F, G \in \RR^{\hid \times \midd}$, $g \in \RR^{\midd}$ and $H \in \RR^{\midd \times \hid}$:
\begin{equation}
v^{+} = v + H \Ddot{\midd}{\silu\left( F \Ddot{\hid}{v} + G \Ddot{\hid}{q} + g \right)} . \label{eq:nodes}
\end{equation}
We use 16 rounds, each with parameters of its own.

\section*{S4 \quad Objective}
For one step, with $\sigma$ from the training data as a constant vector $\sigma \in \RR^{\var}$,
\begin{equation}
\mathcal{L}(\hat x, x) = \nfun{\lat, \lon}{mean} \; \nsum{\var} \; a \odot w \odot \left( \frac{\hat x - x}{\sigma} \right)^2 .
\end{equation}
Later epochs roll out up to $K = 12$ steps and average the loss over them.

\section*{S5 \quad Scores}
\paragraph{RMSE.} Per variable,
\begin{equation}
\operatorname{RMSE}(\hat x, x) = \sqrt{\nfun{\lat, \lon}{mean} \left( a \odot (\hat x - x)^2 \right)} .
\end{equation}

\paragraph{Anomaly correlation.} Let $p = \hat x - \bar c$ and $o = x - \bar c$ be the anomalies of forecast and truth. Then
\begin{equation}
\operatorname{ACC}(\hat x, x) = \frac{\nsum{\lat, \lon} a \odot p \odot o}{\sqrt{\left( \nsum{\lat, \lon} a \odot p^2 \right) \odot \left( \nsum{\lat, \lon} a \odot o^2 \right)}} . \label{eq:acc}
\end{equation}

\paragraph{Ensembles.} We report the fair CRPS, averaged over the globe, and the ratio of spread and skill, which is 1 for a reliable ensemble:
\begin{align}
\operatorname{crps}(X, y) &= \nfun{\ens}{mean} |X - y| - \frac{1}{2 M (M-1)} \nsum{\ens, \ens'} \left| X - X_{\ens \to \ens'} \right| \label{eq:crps} \\
\operatorname{CRPS}(X, y) &= \nfun{\lat, \lon}{mean} \left( a \odot \operatorname{crps}(X, y) \right) \\
S^2 &= \frac{1}{M - 1} \nsum{\ens} \left( X - \nfun{\ens}{mean} X \right)^2 \\
\operatorname{SSR}(X, y) &= \sqrt{1 + \frac{1}{M}} \; \frac{\sqrt{\nfun{\lat, \lon}{mean} (a \odot S^2)}}{\operatorname{RMSE}\left( \nfun{\ens}{mean} X, y \right)}
\end{align}
where $|\ens| = M$. At lead times of more than five days the ratio is between 0.93 and 0.98 for all variables except humidity at 700\,hPa.
\end{document}
""",
        [
            Fault(
                r"B \Ddot{\hid}{v_{\mesh(s)}}",
                r"B \Ddot{\hid}{v_{\edge(s)}}",
            ),
            Fault(
                r"= \frac{\nsum{\lat, \lon} a \odot p \odot o}",
                r"= \frac{\nsum{\lat, \mesh} a \odot p \odot o}",
            ),
            Fault(
                r"\left| X - X_{\ens \to \ens'} \right| \label{eq:crps}",
                r"\left| X - X \right| \label{eq:crps}",
            ),
        ],
        [
            Entry("a", area, "lat", {"varphi": "lat[4]"}),
            Entry(r"\sigma", spread_of_steps, "var", {"z": "step[4] lat[2] lon[3] var[2]"}),
            Entry("e^{+}", edge_update, "edge hid", {**EDGES}),
            Entry("v^{+}", node_update, "mesh hid", {**NODES}),
            Entry(
                r"\mathcal{L}",
                lambda u, x, phi, w, s: (
                    (area(phi)[:, None, None] * w * ((u - x) / s) ** 2).sum(2).mean()
                ),
                "",
                {
                    "xhat": "lat[3] lon[4] var[2]",
                    "x": "lat[3] lon[4] var[2]",
                    "varphi": "lat[3]",
                    "w": "var[2]",
                    "sigma": "var[2] ~ positive",
                },
            ),
            Entry(
                r"\operatorname{RMSE}",
                lambda u, x, phi: np.sqrt((area(phi)[:, None, None] * (u - x) ** 2).mean((0, 1))),
                "var",
                {
                    "xhat": "lat[3] lon[4] var[2]",
                    "x": "lat[3] lon[4] var[2]",
                    "varphi": "lat[3] ~ ones",
                },
            ),
            Entry(
                r"\operatorname{ACC}",
                anomalies,
                "var",
                {
                    "xhat": "lat[3] lon[4] var[2]",
                    "x": "lat[3] lon[4] var[2]",
                    "cbar": "lat[3] lon[4] var[2]",
                    "varphi": "lat[3] ~ ones",
                },
            ),
            Entry(
                r"\operatorname{crps}",
                crps,
                "lat lon var",
                {"X": "ens[3] lat[3] lon[4] var[2]", "y": "lat[3] lon[4] var[2]"},
            ),
            Entry(
                r"\operatorname{CRPS}",
                lambda X, y, phi: (area(phi)[:, None, None] * crps(X, y)).mean((0, 1)),
                "var",
                {
                    "X": "ens[3] lat[3] lon[4] var[2]",
                    "y": "lat[3] lon[4] var[2]",
                    "varphi": "lat[3] ~ ones",
                },
            ),
            Entry(
                r"\operatorname{SSR}",
                spread_skill,
                "var",
                {
                    "X": "ens[3] lat[3] lon[4] var[2]",
                    "y": "lat[3] lon[4] var[2]",
                    "varphi": "lat[3] ~ ones",
                },
            ),
        ],
    ),
    Unseen(
        "masks_report.tex",
        r"""\documentclass[11pt,a4paper]{scrartcl}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,graphicx,siunitx}
\newcommand{\ax}[1]{\text{#1}}
\newcommand{\mul}[1]{\underset{\ax{#1}}{\cdot}}
\newcommand{\R}{\mathbb{R}}
\title{Project report, Speech Processing (winter term)\\ Speech enhancement with spectral masks}
\author{Group 11}
\begin{document}
\maketitle

\section{Task}
A microphone records $x = s + v$, speech plus noise, all of them in $\R^{\ax{time}}$. We want $s$ back and are given only $x$. The method is to
multiply the spectrum of $x$ by a mask between 0 and 1, which a small recurrent network predicts.

\section{Short-time Fourier transform}
Windows have $N$ samples (we used \num{512} at \SI{16}{\kilo\hertz}) and overlap by half, so there are $T = 2 |\ax{time}| / N - 1$ of them. The window is
\begin{equation}
  h_{\ax{tap}:n} = \frac{1}{2} - \frac{1}{2} \cos \frac{2 \pi (n-1)}{N}, \qquad n = 1, \dots, N .
\end{equation}
To avoid complex numbers we keep real and imaginary part on an axis of their own. With $\omega = 2\pi (f-1)(n-1)/N$,
\begin{equation}
  \Phi_{\ax{freq}:f, \ax{part}:c, \ax{tap}:n} = \begin{cases} \cos \omega & \text{if } c = 1 \\ - \sin \omega & \text{if } c = 2 \end{cases}
  \qquad f = 1, \dots, N/2 + 1, \quad c = 1, 2 .
\end{equation}
The transform of any signal $x$ is then
\begin{align}
  \text{STFT}(x) &= \Phi \mul{tap} Y \label{eq:stft} \\
  Y_{\ax{frame}:t, \ax{tap}:n} &= h_{\ax{tap}:n} \, x_{\ax{time}:(t-1)N/2+n}, \qquad t = 1, \dots, T \notag
\end{align}
We write $X = \text{STFT}(x)$, $S = \text{STFT}(s)$ and $V = \text{STFT}(v)$. The power of a cell is
\begin{equation}
  \text{pow}(X) = \sum_{\ax{part}} X^2 \qquad \text{with } X \in \R^{\ax{frame}, \ax{freq}, \ax{part}:2} .
\end{equation}

\section{Which mask?}
The lecture had three candidates, and we compared all of them. With $S, V$ as above, the ideal binary mask, the ideal ratio mask and the phase-sensitive mask are
\begin{align}
  \text{IBM}(S, V) &= \begin{cases} 1 & \text{if } \text{pow}(S) > \text{pow}(V) \\ 0 & \text{otherwise} \end{cases} \\
  \text{IRM}(S, V) &= \sqrt{\frac{\text{pow}(S)}{\text{pow}(S) + \text{pow}(V)}} \\
  \text{PSM}(S, X) &= \min\left( \max\left( \frac{\sum_{\ax{part}} S \odot X}{\text{pow}(X)}, 0 \right), 1 \right) \label{eq:psm}
\end{align}
where $S, V, X \in \R^{\ax{frame}, \ax{freq}, \ax{part}:2}$. The PSM sounded best.

\section{Network}
\subsection{Features}
The input is the logarithm of the power, $\phi = \log(\text{pow}(X) + 10^{-8})$. Its level depends on the microphone, so we subtract a running mean
with $\alpha = 0.99$ ($m_{\ax{frame}:0} = 0$):
\begin{align}
  m_{\ax{frame}:t} &= \alpha m_{\ax{frame}:t-1} + (1 - \alpha) \phi_{\ax{frame}:t} \\
  F &= \phi - m
\end{align}

\subsection{Recurrence}
We used a GRU. Let $F \in \R^{\ax{frame}:T, \ax{freq}}$ be the features of one recording. The weights are $W^u, W^r, W^c \in \R^{\ax{freq}, \ax{hid}}$,
$U^u, U^r, U^c \in \R^{\ax{hid}, \ax{hid}'}$ and $b^u, b^r, b^c \in \R^{\ax{hid}}$. For $t = 1, \dots, T$, starting from $h^0 = 0$,
\begin{align}
  u^t &= \sigma\left( W^u \mul{freq} F_{\ax{frame}:t} + \big[ U^u \mul{hid} h^{t-1} \big]_{\ax{hid}' \to \ax{hid}} + b^u \right) \\
  r^t &= \sigma\left( W^r \mul{freq} F_{\ax{frame}:t} + \big[ U^r \mul{hid} h^{t-1} \big]_{\ax{hid}' \to \ax{hid}} + b^r \right) \\
  c^t &= \tanh\left( W^c \mul{freq} F_{\ax{frame}:t} + \big[ U^c \mul{hid} (r^t \odot h^{t-1}) \big]_{\ax{hid}' \to \ax{hid}} + b^c \right) \\
  h^t &= (1 - u^t) \odot h^{t-1} + u^t \odot c^t
\end{align}
and the mask of frame $t$ is $M_{\ax{frame}:t} = \sigma(A \mul{hid} h^t + a)$ with $A \in \R^{\ax{hid}, \ax{freq}}$ and $a \in \R^{\ax{freq}}$.

\subsection{Loss}
Errors in loud cells should not hide the others. We compress magnitudes with exponent $0.3$, as the tutor advised:
\begin{equation}
  \ell(M, X, S) = \underset{\ax{frame}, \ax{freq}}{\text{mean}} \left( \big( M \odot \sqrt{\text{pow}(X)} \big)^{0.3} - \sqrt{\text{pow}(S)}^{\,0.3} \right)^2
\end{equation}
for a mask $M \in [0, 1]^{\ax{frame}, \ax{freq}}$.

\section{Back to a signal}
The masked frames, transformed back, are $y \in \R^{\ax{frame}:T, \ax{tap}:N}$. Frames that overlap are added. Sample $\tau$ is in at most two of them:
\begin{equation}
  \hat s_{\ax{time}:\tau} = \sum_{t \colon 1 \leq \tau - (t-1)N/2 \leq N} y_{\ax{frame}:t, \ax{tap}:\tau-(t-1)N/2} , \qquad \tau = 1, \dots, (T+1) N/2 .
\end{equation}

\section{Results}
We measured the scale-invariant ratio in decibels. For an estimate $e \in \R^{\ax{time}}$,
\begin{align}
  \kappa &= \frac{e \mul{time} s}{s \mul{time} s} \notag \\
  \text{SI-SDR}(e, s) &= 10 \log_{10} \frac{\sum_{\ax{time}} (\kappa s)^2}{\sum_{\ax{time}} (\kappa s - e)^2} . \label{eq:sdr}
\end{align}

\begin{tabular}{lrr}
\hline
 & SI-SDR & improvement \\ \hline
noisy & 2.1 & -- \\
IRM, predicted & 9.4 & 7.3 \\
PSM, predicted & 10.2 & 8.1 \\ \hline
\end{tabular}

\section{What we learned}
Half of our bugs were axes that broadcast silently (once we normalised over frequencies instead of frames and lost a weekend).
\end{document}
""",
        [
            Fault(
                r"\text{STFT}(x) &= \Phi \mul{tap} Y",
                r"\text{STFT}(x) &= \Phi \mul{time} Y",
            ),
            Fault(
                r"$U^u, U^r, U^c \in \R^{\ax{hid}, \ax{hid}'}$",
                r"$U^u, U^r, U^c \in \R^{\ax{hid}, \ax{freq}'}$",
                r"u^t &= \sigma\left( W^u",
            ),
            Fault(
                r"\frac{\sum_{\ax{time}} (\kappa s)^2}",
                r"\frac{\sum_{\ax{frame}} (\kappa s)^2}",
            ),
        ],
        [
            Entry("h", lambda: hann(8), "tap", chosen={"N": 8}),
            Entry(
                r"\text{STFT}",
                lambda x: stft(x, 4),
                "frame freq part",
                {"x": "time[12]"},
                chosen={"N": 4},
            ),
            Entry("pow", power, "frame freq", {"X": "frame[3] freq[4] part[2]"}),
            Entry(
                "IBM",
                lambda S, V: (power(S) > power(V)) * 1.0,
                "frame freq",
                {"S": "frame[3] freq[4] part[2]", "V": "frame[3] freq[4] part[2]"},
            ),
            Entry(
                "IRM",
                lambda S, V: np.sqrt(power(S) / (power(S) + power(V))),
                "frame freq",
                {"S": "frame[3] freq[4] part[2]", "V": "frame[3] freq[4] part[2]"},
            ),
            Entry(
                "PSM",
                lambda S, X: np.clip((S * X).sum(-1) / power(X), 0, 1),
                "frame freq",
                {"S": "frame[3] freq[4] part[2]", "X": "frame[3] freq[4] part[2]"},
            ),
            Entry(
                r"\ell",
                lambda M, X, S: (
                    ((M * np.sqrt(power(X))) ** 0.3 - np.sqrt(power(S)) ** 0.3) ** 2
                ).mean(),
                "",
                {
                    "M": "frame[3] freq[4] ~ positive",
                    "X": "frame[3] freq[4] part[2]",
                    "S": "frame[3] freq[4] part[2]",
                },
            ),
            Entry(
                "M",
                lambda F, A, a, *gates: sigmoid(gru(F, *gates) @ A + a),
                "frame freq",
                {"F": "frame[4] freq[3]", "A": "hid[4] freq[3]", "a": "freq[3]", **GATES},
            ),
            Entry(
                r"\hat s",
                overlap,
                "time",
                {"y": "frame[3] tap[4]"},
            ),
            Entry("SI-SDR", si_sdr, "", {"e": "time[6]", "s": "time[6]"}),
        ],
    ),
    Unseen(
        "reproduction.md",
        r"""# Reproduction note (reviewer 2, submission 3318): gated sparse autoencoders

*Posted with the review, as the area chair suggested. I re-implemented Section 3 and Appendix C from the text alone; times are for one
consumer GPU.*

## What I implemented

Activations of the residual stream are $x \in \mathbb{R}^{\text{tok}, \text{emb}}$, taken after layer 6. The dictionary is
$D \in \mathbb{R}^{\text{feat}, \text{emb}}$ with rows of length one,

$$\sum_{\text{emb}} D^2 = 1,$$

which I enforce after every step by $D \leftarrow D / \sqrt{\sum_{\text{emb}} D^2}$ (the paper does not say how). The encoder has
$W_{\text{gate}} \in \mathbb{R}^{\text{emb}, \text{feat}}$, $b_{\text{gate}}, b_{\text{mag}}, r \in \mathbb{R}^{\text{feat}}$, and a bias
$b_{\text{dec}} \in \mathbb{R}^{\text{emb}}$ that it shares with the decoder. Equations (3)–(6) of the paper, in my notation:

$$
\begin{align*}
\pi(x) &= W_{\text{gate}} \underset{\text{emb}}{\cdot} (x - b_{\text{dec}}) + b_{\text{gate}} \\
W_{\text{mag}} &= e^{r} \odot W_{\text{gate}} \\
f(x) &= \mathbf{1}[\pi(x) > 0] \odot \operatorname{ReLU}\left( W_{\text{mag}} \underset{\text{emb}}{\cdot} (x - b_{\text{dec}}) + b_{\text{mag}} \right) \\
\operatorname{dec}(f) &= D \underset{\text{feat}}{\cdot} f + b_{\text{dec}}
\end{align*}
$$

The paper's Eq. (5) has the factor $e^r$ on the wrong side of the product, which does not type-check in their own matrix notation; I assume the above.

## Loss

There are three terms: reconstruction, sparsity of the gate, and an auxiliary reconstruction from the gate alone with a *frozen* copy of the decoder
(I write $\bar D$ and $\bar b$ for the copy, $\bar D \in \mathbb{R}^{\text{feat}, \text{emb}}$ and $\bar b \in \mathbb{R}^{\text{emb}}$):

$$
\begin{aligned}
\mathcal{L}_{\text{rec}} &= \underset{\text{tok}}{\text{mean}} \sum_{\text{emb}} \left( x - \operatorname{dec}(f(x)) \right)^2 \\
\mathcal{L}_{\text{sparse}} &= \underset{\text{tok}}{\text{mean}} \sum_{\text{feat}} \operatorname{ReLU}(\pi(x)) \\
\mathcal{L}_{\text{aux}} &= \underset{\text{tok}}{\text{mean}} \sum_{\text{emb}} \left( x - \bar D \underset{\text{feat}}{\cdot} \operatorname{ReLU}(\pi(x)) - \bar b \right)^2 \\
\mathcal{L} &= \mathcal{L}_{\text{rec}} + \lambda \mathcal{L}_{\text{sparse}} + \mathcal{L}_{\text{aux}}
\end{aligned}
$$

With $\lambda = 0.0012$ I get the sparsity that the paper reports for $\lambda = 0.0008$. The factor 1.5 may come from a mean over $\text{emb}$ in their code;
please clarify.

## Metrics

Let $a \in \mathbb{R}^{\text{tok}, \text{feat}}$ be the features of a test set and $\hat x \in \mathbb{R}^{\text{tok}, \text{emb}}$ its reconstruction.

1. *Sparsity.* The number of active features, averaged over tokens, and the share of features that never fire:

   $$
   L_0(a) = \underset{\text{tok}}{\text{mean}} \sum_{\text{feat}} \mathbf{1}[a > 0], \qquad
   \text{dead}(a) = \underset{\text{feat}}{\text{mean}} \; \mathbf{1}\left[ \max_{\text{tok}} a \leq 0 \right]
   $$

2. *Unexplained variance.*

   $$
   \text{FVU}(x, \hat x) = \frac{\sum_{\text{tok}, \text{emb}} (x - \hat x)^2}{\sum_{\text{tok}, \text{emb}} (x - \underset{\text{tok}}{\text{mean}}\, x)^2}
   $$

3. *Shrinkage.* The factor $\gamma$ that minimises $\sum_{\text{tok}, \text{emb}} (\hat x / \gamma - x)^2$ is

   $$
   \gamma(x, \hat x) = \frac{\sum_{\text{tok}, \text{emb}} \hat x^2}{\sum_{\text{tok}, \text{emb}} x \odot \hat x}
   $$

   and should be 1. This is the main claim, and it holds.

4. *Do two seeds agree?* For a second dictionary $E \in \mathbb{R}^{\text{feat}, \text{emb}}$, I look for the closest partner of each feature:

   $$
   \text{MMCS}(D, E) = \underset{\text{feat}}{\text{mean}} \; \max_{\text{feat}'} \left( \frac{D}{\|D\|_{\text{emb}}} \underset{\text{emb}}{\cdot} \frac{E_{\text{feat} \to \text{feat}'}}{\|E_{\text{feat} \to \text{feat}'}\|_{\text{emb}}} \right)
   $$

5. *Probing.* Tokens have labels $y \in \{0, 1\}^{\text{tok}}$. The score of a feature is the difference of its means in the two classes, and the best feature is
   the one with the largest score:

   $$
   \begin{aligned}
   \delta &= \frac{\sum_{\text{tok}} y \odot a}{\sum_{\text{tok}} y} - \frac{\sum_{\text{tok}} (1 - y) \odot a}{\sum_{\text{tok}} (1 - y)} \\
   k &= \underset{\text{feat}}{\text{argmax}} \; \delta \\
   g &= \mathbf{1}[a_{\text{feat}:k} > 0] \\
   F_1 &= \frac{2 \sum_{\text{tok}} g \odot y}{\sum_{\text{tok}} g + \sum_{\text{tok}} y}
   \end{aligned}
   $$

## Numbers

| | paper | mine (3 seeds) |
|---|---|---|
| $L_0$ | 41.0 | 43.7 ± 0.9 |
| FVU | 0.18 | 0.19 ± 0.01 |
| $\gamma$ | 0.99 | 0.99 ± 0.00 |
| dead | "few" | 0.07 ± 0.02 |
| MMCS | – | 0.71 |

**Verdict.** The main result reproduces. I would like to see the dead features reported.
""",
        [
            Fault(
                r"\operatorname{dec}(f) &= D \underset{\text{feat}}{\cdot} f",
                r"\operatorname{dec}(f) &= D \underset{\text{tok}}{\cdot} f",
            ),
            Fault(
                r"\text{mean}} \; \max_{\text{feat}'} \left(",
                r"\text{mean}} \; \max_{\text{feat}} \left(",
            ),
            Fault(
                r"k &= \underset{\text{feat}}{\text{argmax}} \; \delta",
                r"k &= \underset{\text{tok}}{\text{argmax}} \; \delta",
            ),
        ],
        [
            Entry(r"\pi", gate, "tok feat", {**SPARSE}),
            Entry(
                "f",
                features,
                "tok feat",
                {
                    **{name: SPARSE[name] for name in ("x", "W_gate", "b_gate", "b_dec")},
                    "r": "feat[6]",
                    "b_mag": "feat[6]",
                },
            ),
            Entry(
                r"\operatorname{dec}",
                decoded,
                "tok emb",
                {"f": "tok[4] feat[6]", "D": "feat[6] emb[3]", "b_dec": "emb[3]"},
            ),
            Entry(
                r"\mathcal{L}",
                lambda x, W, b, bd, r, bm, D, E, e, lam: (
                    ((x - decoded(features(x, W, b, bd, r, bm), D, bd)) ** 2).sum(1).mean()
                    + lam * relu(gate(x, W, b, bd)).sum(1).mean()
                    + ((x - relu(gate(x, W, b, bd)) @ E - e) ** 2).sum(1).mean()
                ),
                "",
                {
                    **MAGNITUDES,
                    "D": "feat[6] emb[3]",
                    "Dbar": "feat[6] emb[3]",
                    "bbar": "emb[3]",
                    "lambda_": 0.1,
                },
            ),
            Entry("L_0", lambda a: (a > 0).sum(1).mean(), "", {"a": "tok[4] feat[6]"}),
            Entry("dead", lambda a: (a.max(0) <= 0).mean(), "", {"a": "tok[2] feat[8]"}),
            Entry(
                "FVU",
                lambda x, u: ((x - u) ** 2).sum() / ((x - x.mean(0)) ** 2).sum(),
                "",
                {"x": "tok[4] emb[3]", "xhat": "tok[4] emb[3]"},
            ),
            Entry(
                r"\gamma",
                lambda x, u: (u**2).sum() / (x * u).sum(),
                "",
                {"x": "tok[4] emb[3]", "xhat": "tok[4] emb[3]"},
            ),
            Entry("MMCS", similarity, "", {"D": "feat[4] emb[3]", "E": "feat[4] emb[3]"}),
            Entry(
                "F_1",
                lambda y, a: (
                    2
                    * ((g := a[:, (a[y == 1].mean(0) - a[y == 0].mean(0)).argmax()] > 0) * y).sum()
                    / (g.sum() + y.sum())
                ),
                "",
                {"y": "tok[6] ~ first 3", "a": "tok[6] feat[4]"},
            ),
        ],
    ),
]
