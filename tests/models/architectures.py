"""Published models as formulas, each beside the positional code of its careful torch user.

axes: batch; chans, out, height, width, kh, kw (images); seq, window, head, key, val, emb, hid (Transformers);
expert, choice, slot (mixtures); node (graphs); gate, state (recurrences); rank, a, b, c (factors of tensors);
image, pixel, text, word (pairs); time, obs (filters); sample, coord, freq, wave, rgb, near (points and rays)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

import namedtensor as nt
from namedtensor import B, R, axes, formula

batch, chans, out, height, width, kh, kw = axes("batch chans out height width kh kw")
seq, window, head, key, val, emb, hid = axes("seq window head key val emb hid")
expert, choice, slot, node, state = axes("expert choice slot node state")
rank, a, b, c, gate = axes("rank a b c gate")
image, text, pixel, word = axes("image text pixel word")
time, obs, sample, coord, freq, wave, rgb, near = axes("time obs sample coord freq wave rgb near")
seq_, node_, hid_, height_, width_ = (ax.prime for ax in (seq, node, hid, height, width))
state_, obs_ = state.prime, obs.prime


@dataclass(frozen=True)
class Model:
    """A formula on named tensors and its twin on arrays; `shapes` are their arguments, in order."""

    name: str
    formula: Any
    twin: Callable[..., Any]
    shapes: Sequence[str]
    results: Sequence[str]
    large: dict[str, int]

    @property
    def parameters(self) -> list[Any]:
        return [p for p in self.formula.signature.parameters if not p.setting]

    def drawn(self, sizes: dict[str, int], dtype: torch.dtype) -> list[torch.Tensor]:
        """Draw an array for each argument; a shape after ? is that of truth values, of which some hold."""
        generator = torch.Generator().manual_seed(0)
        found = []
        for shape in self.shapes:
            counts = [size_of(axis, sizes) for axis in shape.removeprefix("?").split()]
            if shape.startswith("?"):
                mask = torch.rand(counts, generator=generator) > 0.5
                found.append(mask | torch.eye(counts[0], dtype=torch.bool))
                continue
            x = torch.randn(counts, generator=generator, dtype=dtype)
            found.append((x / x.numel() ** 0.25).requires_grad_())
        return found

    def named(self, arrays: Sequence[torch.Tensor]) -> dict[str, Any]:
        """Name the axes as the formula declares them; a first axis that it does not declare is a batch."""
        found = {}
        for array, shape, parameter in zip(arrays, self.shapes, self.parameters, strict=True):
            names = parameter.space.names
            lead = shape.removeprefix("?").split()[: array.ndim - len(names)]
            found[parameter.name] = nt.tensor(array, *lead, *names)
        return found

    def ours(self, given: dict[str, Any]) -> tuple[torch.Tensor, ...]:
        """Run the formula; give its results as arrays."""
        found = self.formula(**given)
        parts = found if isinstance(found, tuple) else (found,)
        axes = [result.split() for result in self.results]
        return tuple([part.torch(*names) for part, names in zip(parts, axes, strict=True)])

    def theirs(self, arrays: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Run the positional code."""
        found = self.twin(*arrays)
        return found if isinstance(found, tuple) else (found,)


def size_of(axis: str, sizes: dict[str, int]) -> int:
    """Give the size of an axis, or of one of its parts: height/patch."""
    whole, _, part = axis.partition("/")
    return sizes[whole] // sizes[part] if part else sizes[whole]


# ------------------------------------------------------------------------------------------ images


@formula
def ResNetBlock(
    X: R[chans, height, width],
    *,
    W1: R[out, chans, kh, kw],
    b1: R[out],
    W2: R["out'", out, kh, kw],
    b2: R["out'"],
    W3: R["out'", chans],
    b3: R["out'"],
) -> R["out'", height, width]:
    """Two convolutions, the first with a stride, and a strided shortcut beside them (He et al. 2015)."""
    one = nt.unroll[height, kh, width, kw](X, stride=2, padding=1)
    Y = nt.relu(W1 @ (chans, kh, kw) @ one + b1)
    two = nt.unroll[height, kh, width, kw](Y, padding=1)
    shortcut = W3 @ chans @ X[height[::2], width[::2]] + b3
    return nt.relu(W2 @ (out, kh, kw) @ two + b2 + shortcut)


def resnet_block(x, w1, b1, w2, b2, w3, b3):
    y = F.relu(F.conv2d(x, w1, b1, 2, 1))
    return F.relu(F.conv2d(y, w2, b2, 1, 1) + F.conv2d(x, w3[:, :, None, None], b3, 2))


@formula
def UNet(
    X: R[chans, height, width],
    *,
    W1: R[out, chans, kh, kw],
    b1: R[out],
    W2: R[hid, out, kh, kw],
    b2: R[hid],
    W3: R[hid, out, "kh'", "kw'"],
    W4: R[chans, out, kh, kw],
    b4: R[chans],
) -> R[chans, height, width]:
    """Down, through the bottom, up by a transposed convolution, and across (Ronneberger et al. 2015)."""
    D = nt.relu(W1 @ (chans, kh, kw) @ nt.unroll[height, kh, width, kw](X, padding=1) + b1)
    P = nt.max["kh'", "kw'"](nt.pool[height, "kh'", width, "kw'"](D))
    H = nt.relu(W2 @ (out, kh, kw) @ nt.unroll[height, kh, width, kw](P, padding=1) + b2)
    U = nt.overlap_add[height, "kh'", width, "kw'"](W3 @ hid @ H, stride=2)
    return W4 @ (out, kh, kw) @ nt.unroll[height, kh, width, kw](D + U, padding=1) + b4


def unet(x, w1, b1, w2, b2, w3, w4, b4):
    d = F.relu(F.conv2d(x, w1, b1, 1, 1))
    h = F.relu(F.conv2d(F.max_pool2d(d, 2), w2, b2, 1, 1))
    return F.conv2d(d + F.conv_transpose2d(h, w3, None, 2), w4, b4, 1, 1)


@formula
def ViT(
    X: R[chans, height, width],
    *,
    WP: R[chans, kh, kw, emb],
    p: R[height_, width_, emb],
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
    W1: R[emb, hid],
    W2: R[hid, emb],
) -> R[emb]:
    """Patches, their positions, one encoder layer, and the mean (Dosovitskiy et al. 2020)."""
    patches = nt.pool[height, kh, width, kw](X)
    E = (WP @ (chans, kh, kw) @ patches + p[height_ >> height, width_ >> width])[
        (height, width) >> seq
    ]
    N = nt.standardize[emb](E)
    Q, K, V = (WQ @ emb @ N)[seq >> seq_], WK @ emb @ N, WV @ emb @ N
    A = V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))
    Y = E + (WO @ (head, val) @ A)[seq_ >> seq]
    return nt.mean[seq](Y + W2 @ hid @ nt.gelu(W1 @ emb @ nt.standardize[emb](Y)))


def attention(n, wq, wk, wv, wo, **how):
    q, k, v = [torch.einsum("...se,hek->...hsk", n, w) for w in (wq, wk, wv)]
    y = F.scaled_dot_product_attention(q, k, v, **how)
    return torch.einsum("...hsk,hke->...se", y, wo)


def vit(x, wp, p, wq, wk, wv, wo, w1, w2):
    n, ch, h, w = x.shape
    k, l, e = wp.shape[1:]
    patches = x.reshape(n, ch, h // k, k, w // l, l).permute(0, 2, 4, 1, 3, 5).flatten(3)
    x = (patches @ wp.reshape(-1, e) + p).flatten(1, 2)
    y = x + attention(F.layer_norm(x, (e,)), wq, wk, wv, wo)
    y = y + F.gelu(F.layer_norm(y, (e,)) @ w1) @ w2
    return y.mean(1)


@formula
def CLIP(I: R[image, pixel], T: R[text, word], *, WI: R[pixel, emb], WT: R[word, emb], t: R) -> R:
    """Both ways of finding the partner among all (Radford et al. 2021)."""
    U, V = WI @ pixel @ I, WT @ word @ T
    L = nt.exp(t) * (U / nt.norm[emb](U)) @ emb @ (V / nt.norm[emb](V))
    pairs = nt.eye(image, text)
    found = nt.log_softmax[text](L) + nt.log_softmax[image](L)
    return -nt.sum[image, text](found * pairs) / (2 * abs(image))


def clip(i, t, wi, wt, scale):
    logits = scale.exp() * F.normalize(i @ wi, dim=-1) @ F.normalize(t @ wt, dim=-1).T
    labels = torch.arange(len(i))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


# --------------------------------------------------------------------------------------- attention


@formula
def WindowedAttention(
    X: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    """Attention inside of windows of 8, side by side (Liu et al. 2021, in one dimension)."""
    N = nt.pool[seq, window[8]](X)
    Q, K, V = (WQ @ emb @ N)[window >> window.prime], WK @ emb @ N, WV @ emb @ N
    A = V @ window @ nt.softmax[window](Q @ key @ K / nt.sqrt(abs(key)))
    return (WO @ (head, val) @ A)[(seq, window.prime) >> seq]


def windowed_attention(x, wq, wk, wv, wo):
    return attention(x.unflatten(1, (-1, 8)), wq, wk, wv, wo).flatten(1, 2)


@formula
def LinearAttention(
    Q: R[head, seq, key], K: R[head, seq, key], V: R[head, seq, val]
) -> R[head, seq, val]:
    """elu + 1 as the feature map, no softmax (Katharopoulos et al. 2020)."""
    Q, K = nt.elu(Q) + 1, nt.elu(K) + 1
    return (Q @ key @ (K @ seq @ V)) / (Q @ key @ nt.sum[seq](K))


def linear_attention(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return (q @ (k.transpose(-1, -2) @ v)) / (q @ k.sum(-2)[..., None])


@formula
def Rotary(X: R[head, seq, key]) -> R[head, seq, key]:
    """Each pair of coordinates turned by its own angle for each position (Su et al. 2021)."""
    pair, side = axes("pair side")
    Z = X[key >> (pair[abs(key) // 2], side[2])]
    angle = nt.iota(seq[abs(seq)]) * 10000.0 ** (-2.0 * nt.iota(pair[abs(key) // 2]) / abs(key))
    x, y = Z[side(0)], Z[side(1)]
    turned = nt.stack[side](
        x * nt.cos(angle) - y * nt.sin(angle), x * nt.sin(angle) + y * nt.cos(angle)
    )
    return turned[(pair, side) >> key]


def rotary(x):
    n, d = x.shape[-2:]
    i = torch.arange(d // 2, dtype=x.dtype)
    angle = torch.arange(n, dtype=x.dtype)[:, None] * 10000.0 ** (-2.0 * i / d)
    x, y = x[..., ::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    return torch.stack([x * cos - y * sin, x * sin + y * cos], -1).flatten(-2)


@formula
def LoRA(X: R[seq, emb], *, W: R[emb, hid], A: R[emb, rank], B: R[rank, hid]) -> R[seq, hid]:
    """A map and its change of low rank (Hu et al. 2021)."""
    return W @ emb @ X + 2.0 * (B @ rank @ (A @ emb @ X))


def lora(x, w, down, up):
    return x @ w + 2.0 * (x @ down) @ up


@formula
def GraphAttention(
    X: R[node, emb], M: B[node_, node], *, W: R[head, emb, hid], u: R[head, hid], v: R[head, hid]
) -> R[head, node_, hid]:
    """Neighbours weighed by a function of both ends (Velickovic et al. 2018)."""
    H = W @ emb @ X
    S = nt.leaky_relu(v @ hid @ H + (u @ hid @ H)[node >> node_], 0.2)
    return H @ node @ nt.softmax[node](nt.where(M, S, -nt.inf))


def graph_attention(x, mask, w, u, v):
    h = torch.einsum("ne,hef->hnf", x, w)
    s = F.leaky_relu((h @ u[..., None]) + (h @ v[..., None]).transpose(1, 2), 0.2)
    return s.masked_fill(~mask, -math.inf).softmax(-1) @ h


# -------------------------------------------------------------------------------------- mixtures


@formula
def MixtureOfExperts(
    X: R[seq, emb],
    *,
    WG: R[expert, emb],
    W1: R[expert, emb, hid],
    W2: R[expert, hid, emb],
    k: int = 2,
) -> tuple[R[seq, emb], R]:
    """The k best experts of each token, each with 5/4 of its share of slots, and the loss that
    keeps them alike (Fedus et al. 2021)."""
    L = WG @ emb @ X
    M = nt.sum[choice](nt.argmaxk[expert, choice[k]](L)) > 0
    G = nt.softmax[expert](nt.where(M, L, -nt.inf))
    I, full = nt.dispatch[seq, slot[5 * k * abs(seq) // (4 * abs(expert))]](M)
    H = nt.relu(W1 @ emb @ X[seq(I)])
    Y = (W2 @ hid @ H) * nt.where(full, G[seq(I)], 0.0)
    share = nt.mean[seq](nt.where(M, 1.0, 0.0)) * nt.mean[seq](nt.softmax[expert](L))
    return nt.scatter[expert, slot, seq[abs(seq)]](Y, I), abs(expert) * nt.sum[expert](share) / k


def mixture_of_experts(x, wg, w1, w2, k=2):
    (n, d), e = x.shape, len(wg)
    slots = 5 * k * n // (4 * e)
    logits = x @ wg.T
    best, chosen = logits.topk(k, -1)
    hot = torch.zeros(n, e, dtype=torch.long).scatter_(1, chosen, 1)
    place = (hot.cumsum(0) - 1).gather(1, chosen)
    flat = torch.where(place < slots, chosen * slots + place, e * slots).flatten()
    tokens = torch.arange(n).repeat_interleave(k)
    table = torch.zeros(e * slots + 1, dtype=torch.long).scatter_(0, flat, tokens)[:-1]
    weight = x.new_zeros(e * slots + 1).scatter(0, flat, best.softmax(-1).flatten())[:-1]
    y = torch.bmm(F.relu(torch.bmm(x[table].view(e, slots, d), w1)), w2).view(-1, d)
    loss = e * (hot.to(x.dtype).mean(0) * logits.softmax(-1).mean(0)).sum() / k
    return x.new_zeros(n, d).index_add(0, table, y * weight[:, None]), loss


# ----------------------------------------------------------------------------------- recurrences


@formula
def LSTM(
    X: R[seq, emb], *, W: R[gate, emb, hid], U: R[gate, hid, hid_], b: R[gate, hid]
) -> R[seq, hid]:
    """Gates in torch's order: i, f, g, o."""

    def step(carry: Any, x: Any) -> Any:
        h, c = carry
        gates = W @ emb @ x + (U @ hid_ @ h[hid >> hid_]) + b
        i, f, g, o = [gates[gate(j)] for j in range(4)]
        c = nt.sigmoid(f) * c + nt.sigmoid(i) * nt.tanh(g)
        return nt.sigmoid(o) * nt.tanh(c), c

    zero = nt.zeros(hid)
    H, _ = nt.scan[seq](step, (zero, zero), X)
    return H


def lstm(x, w, u, b):
    weights = [
        w.transpose(1, 2).flatten(0, 1),
        u.flatten(0, 1),
        b.flatten(),
        torch.zeros_like(b).flatten(),
    ]
    zero = x.new_zeros(1, len(x), b.shape[1])
    return torch._VF.lstm(x, (zero, zero), weights, True, 1, 0.0, False, False, True)[0]


@formula
def StateSpace(
    X: R[seq, emb], *, A: R[emb, state], B: R[emb, state], C: R[emb, state]
) -> R[seq, emb]:
    """h' = exp(-A^2) h + B x, y = C h, each coordinate by itself (Gu et al. 2022)."""
    decay = nt.exp(-A * A)
    H = nt.scan[seq](lambda h, x: decay * h + B * x, nt.zeros(emb, state), X)
    return C @ state @ H


def state_space(x, a, b, c):
    decay, h, steps = (-a * a).exp(), x.new_zeros(len(x), *a.shape), []
    for t in range(x.shape[1]):
        h = decay * h + b * x[:, t, :, None]
        steps.append(h)
    return (torch.stack(steps, 1) * c).sum(-1)


@formula
def RungeKutta(
    y: R[state], dt: R[time], *, W: R[state, hid], b: R[hid], U: R[hid, state]
) -> R[time, state]:
    """The differential equation y' = U tanh(W y + b), by the classical method of fourth order."""

    def f(y: Any) -> Any:
        return U @ hid @ nt.tanh(W @ state @ y + b)

    def step(y: Any, h: Any) -> Any:
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3))

    return nt.scan[time](step, y, dt)


def runge_kutta(y, dt, w, b, u):
    f, steps = lambda y: torch.tanh(y @ w + b) @ u, []
    for h in dt:
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3))
        steps.append(y)
    return torch.stack(steps, 1)


# ------------------------------------------------------------------------------------ linear algebra


@formula
def Kalman(
    Y: R[time, obs], *, A: R[state_, state], H: R[obs, state], q: R, r: R
) -> tuple[R[time, state], R]:
    """Filtered means of states that A moves and H shows, and the log likelihood (Kalman 1960)."""
    new = axes("new")
    Q, N = (q * q + 0.1) * nt.eye(state, state_), (r * r + 0.1) * nt.eye(obs, obs_)

    def step(carry: Any, y: Any) -> Any:
        m, P, total = carry
        m = (A @ state @ m)[state_ >> state]
        P = A[state_ >> new] @ state @ P @ state_ @ A[state >> state_, state_ >> state]
        P = P[new >> state_] + Q
        e, HP = y - H @ state @ m, H @ state @ P
        S = HP @ state_ @ H[obs >> obs_, state >> state_] + N
        K = nt.solve[obs, obs_](S, HP)[obs_ >> obs]
        m = m + (K @ obs @ e)[state_ >> state]
        P = P - K[state_ >> state] @ obs @ HP
        distance = e @ obs @ nt.solve[obs, obs_](S, e)[obs_ >> obs]
        spread = nt.slogdet[obs, obs_](S) + abs(obs) * math.log(2 * math.pi)
        return m, P, total - (distance + spread) / 2

    start = nt.zeros(state), 1.0 * nt.eye(state, state_), nt.zeros()
    M, _, total = nt.scan[time](step, start, Y)
    return M, total[time(-1)]


def kalman(y, a, h, q, r):
    n, k = a.shape[0], h.shape[0]
    one = torch.eye(n, dtype=y.dtype)
    m, p, total, means = y.new_zeros(len(y), n, 1), one, 0.0, []
    for t in range(y.shape[1]):
        m, p = a @ m, a @ p @ a.T + (q * q + 0.1) * one
        s = h @ p @ h.T + (r * r + 0.1) * torch.eye(k, dtype=y.dtype)
        seen = torch.distributions.MultivariateNormal((h @ m)[..., 0], s)
        total = total + seen.log_prob(y[:, t])
        gain = torch.linalg.solve(s, h @ p).T
        m, p = m + gain @ (y[:, t, :, None] - h @ m), p - gain @ h @ p
        means.append(m[..., 0])
    return torch.stack(means, 1), total


@formula
def GaussianProcess(X: R[seq, emb], y: R[seq], Z: R[seq_, emb], *, scale: R) -> R[seq_]:
    """The mean at new points, by a Cholesky factor of the kernel matrix."""
    row, col = axes("row col")

    def kernel(P: Any, Q: Any) -> Any:
        return nt.exp(-nt.sum[emb]((P - Q) ** 2) / (2 * scale**2))

    K = kernel(X[seq >> row], X[seq >> col]) + 0.1 * nt.eye(row[abs(seq)], col[abs(seq)])
    w = nt.cholesky_solve[row, col](nt.cholesky[row, col](K), y[seq >> row])
    return kernel(X[seq >> col], Z) @ col @ w


def gaussian_process(x, y, z, scale):
    kernel = lambda p, q: (-((p[:, None] - q) ** 2).sum(-1) / (2 * scale**2)).exp()
    factor = torch.linalg.cholesky(kernel(x, x) + 0.1 * torch.eye(len(x), dtype=x.dtype))
    return kernel(z, x) @ torch.cholesky_solve(y[:, None], factor)[:, 0]


@formula
def Tucker(G: R["a'", "b'", "c'"], *, U: R[a, "a'"], V: R[b, "b'"], W: R[c, "c'"]) -> R[a, b, c]:
    """A core and a factor for each of its axes (Tucker 1966)."""
    return W @ "c'" @ (V @ "b'" @ (U @ "a'" @ G))


def tucker(g, u, v, w):
    return torch.einsum("xyz,ax,by,cz->abc", g, u, v, w)


# ------------------------------------------------------------------------------------ rays and points


@formula
def RadianceField(
    o: R[coord],
    d: R[coord],
    t: R[sample],
    *,
    W: R[coord, freq, wave, hid],
    b: R[hid],
    u: R[hid],
    V: R[hid, rgb],
) -> tuple[R[rgb], R]:
    """Colour and depth of a ray through a field of waves (Mildenhall et al. 2020)."""
    angle = (o + t * d) * 2.0 ** nt.iota(freq)
    waves = nt.stack[wave](nt.sin(angle), nt.cos(angle))
    H = nt.relu(W @ (coord, freq, wave) @ waves + b)
    length = nt.pad[sample]((t[sample[1:]] - t[sample[:-1]]) ** 2, 0, 1, 1e3)
    alpha = 1 - nt.exp(-nt.softplus(u @ hid @ H) * length)
    passed = nt.pad[sample](nt.cumprod[sample](1 - alpha), 1, 0, 1.0)[sample[:-1]]
    w = passed * alpha
    return w @ sample @ nt.sigmoid(V @ hid @ H), w @ sample @ t


def radiance_field(o, d, t, w, b, u, v):
    points = o[:, None] + t[:, None] * d[:, None]
    angle = points[..., None] * 2.0 ** torch.arange(w.shape[1])
    waves = torch.stack([angle.sin(), angle.cos()], -1)
    h = torch.einsum("bscfw,cfwh->bsh", waves, w).add(b).relu()
    length = torch.cat([t.diff() ** 2, t.new_tensor([1e3])])
    alpha = 1 - (-F.softplus(h @ u) * length).exp()
    passed = F.pad((1 - alpha).cumprod(-1)[:, :-1], (1, 0), value=1.0)
    weights = passed * alpha
    return torch.einsum("bs,bsr->br", weights, (h @ v).sigmoid()), weights @ t


@formula
def NearestNeighbours(x: R[emb], *, X: R[sample, emb], y: R[sample], k: int = 3) -> R:
    """A mean over the k nearest points, the nearer the heavier."""
    D = nt.sum[emb]((x - X) ** 2)
    I = nt.argmink_index[sample, near[k]](D)
    return nt.softmax[near](-D[sample(I)]) @ near @ y[sample(I)]


def nearest_neighbours(x, points, y, k=3):
    distances, places = ((x[:, None] - points) ** 2).sum(-1).topk(k, largest=False)
    return ((-distances).softmax(-1) * y[places]).sum(-1)


# ---------------------------------------------------------------------------------------- all of them

_HEADS = ["head emb key"] * 2 + ["head emb val", "head val emb"]

MODELS = [
    Model(
        "ResNet block",
        ResNetBlock,
        resnet_block,
        [
            "batch chans height width",
            "out chans kh kw",
            "out",
            "out' out kh kw",
            "out'",
            "out' chans",
            "out'",
        ],
        ["batch out' height width"],
        dict(batch=16, chans=32, out=64, height=32, width=32) | {"out'": 64},
    ),
    Model(
        "U-Net",
        UNet,
        unet,
        [
            "batch chans height width",
            "out chans kh kw",
            "out",
            "hid out kh kw",
            "hid",
            "hid out kh' kw'",
            "chans out kh kw",
            "chans",
        ],
        ["batch chans height width"],
        dict(batch=8, chans=3, out=32, hid=64, height=32, width=32),
    ),
    Model(
        "ViT",
        ViT,
        vit,
        [
            "batch chans height width",
            "chans patch patch emb",
            "height/patch width/patch emb",
            *_HEADS,
            "emb hid",
            "hid emb",
        ],
        ["batch emb"],
        dict(
            batch=8, chans=3, height=64, width=64, patch=8, emb=128, hid=512, head=4, key=32, val=32
        ),
    ),
    Model(
        "CLIP loss",
        CLIP,
        clip,
        ["image pixel", "text word", "pixel emb", "word emb", ""],
        [""],
        dict(image=256, text=256, pixel=512, word=512, emb=256),
    ),
    Model(
        "windowed attention",
        WindowedAttention,
        windowed_attention,
        ["batch seq emb", *_HEADS],
        ["batch seq emb"],
        dict(batch=8, seq=256, emb=128, head=4, key=32, val=32),
    ),
    Model(
        "linear attention",
        LinearAttention,
        linear_attention,
        ["batch head seq key"] * 2 + ["batch head seq val"],
        ["batch head seq val"],
        dict(batch=8, head=4, seq=512, key=32, val=32),
    ),
    Model(
        "rotary",
        Rotary,
        rotary,
        ["batch head seq key"],
        ["batch head seq key"],
        dict(batch=8, head=8, seq=256, key=64),
    ),
    Model(
        "LoRA",
        LoRA,
        lora,
        ["batch seq emb", "emb hid", "emb rank", "rank hid"],
        ["batch seq hid"],
        dict(batch=8, seq=128, emb=256, hid=256, rank=8),
    ),
    Model(
        "graph attention",
        GraphAttention,
        graph_attention,
        ["node emb", "?node node", "head emb hid", "head hid", "head hid"],
        ["head node' hid"],
        dict(node=512, emb=64, head=4, hid=32),
    ),
    Model(
        "mixture of experts",
        MixtureOfExperts,
        mixture_of_experts,
        ["seq emb", "expert emb", "expert emb hid", "expert hid emb"],
        ["seq emb", ""],
        dict(seq=1024, emb=256, hid=1024, expert=8),
    ),
    Model(
        "LSTM",
        LSTM,
        lstm,
        ["batch seq emb", "gate emb hid", "gate hid hid", "gate hid"],
        ["batch seq hid"],
        dict(batch=16, seq=32, emb=64, hid=128),
    ),
    Model(
        "state space",
        StateSpace,
        state_space,
        ["batch seq emb", "emb state", "emb state", "emb state"],
        ["batch seq emb"],
        dict(batch=8, seq=64, emb=64, state=16),
    ),
    Model(
        "Gaussian process",
        GaussianProcess,
        gaussian_process,
        ["seq emb", "seq", "seq' emb", ""],
        ["seq'"],
        {"seq": 256, "seq'": 128, "emb": 8},
    ),
    Model(
        "Tucker",
        Tucker,
        tucker,
        ["a' b' c'", "a a'", "b b'", "c c'"],
        ["a b c"],
        dict(a=64, b=64, c=64) | {"a'": 16, "b'": 16, "c'": 16},
    ),
    Model(
        "Runge-Kutta",
        RungeKutta,
        runge_kutta,
        ["batch state", "time", "state hid", "hid", "hid state"],
        ["batch time state"],
        dict(batch=64, state=16, time=50, hid=64),
    ),
    Model(
        "Kalman filter",
        Kalman,
        kalman,
        ["batch time obs", "state' state", "obs state", "", ""],
        ["batch time state", "batch"],
        dict(batch=64, time=50, obs=4, state=8) | {"state'": 8},
    ),
    Model(
        "radiance field",
        RadianceField,
        radiance_field,
        ["batch coord", "batch coord", "sample", "coord freq wave hid", "hid", "hid", "hid rgb"],
        ["batch rgb", "batch"],
        dict(batch=256, coord=3, sample=64, freq=6, wave=2, hid=64, rgb=3),
    ),
    Model(
        "nearest neighbours",
        NearestNeighbours,
        nearest_neighbours,
        ["batch emb", "sample emb", "sample"],
        ["batch"],
        dict(batch=64, emb=16, sample=512),
    ),
]
