"""A hint for a function of torch or numpy gives the numbers of the call, settings included, or promises none."""

import re
from contextlib import suppress

import numpy as np
import pytest
import torch
from torch.nn import functional as F  # noqa: F401  the calls below name it

import namedtensor as nt

batch, seq, emb, hid, key, val, chans, height, width, kh, kw = nt.axes(
    "batch seq emb hid key val chans height width kh kw"
)
seq_ = seq.prime
torch.manual_seed(0)
X = nt.tensor(torch.randn(2, 3), "seq emb")
Y = nt.tensor(torch.randn(2, 3), "seq emb")
I = nt.tensor(torch.tensor([1, 0]), "seq")
W = nt.tensor(torch.randn(4, 3), "hid emb")
P = nt.tensor(torch.randn(2, 4, 6, 6), "batch chans height width")
K = nt.tensor(torch.randn(5, 4, 3, 3), "hid chans kh kw")
Q = nt.tensor(torch.randn(4, 3), "seq' key")
A = nt.tensor(torch.randn(5, 3), "seq key")
V = nt.tensor(torch.randn(5, 2), "seq val")
N = nt.tensor(np.random.default_rng(0).normal(size=(2, 3)), "seq emb")

M, L = X > 0, N > 0

#: Calls with settings of their own: each is typed with named tensors, and again with positional ones.
CALLS = """
F.elu(X, 2.0)
F.elu(X)
F.elu(X, alpha=0.5)
F.celu(X, 0.5)
F.gelu(X, approximate="tanh")
F.gelu(X)
F.leaky_relu(X, 0.2)
F.leaky_relu(X)
F.softplus(X, beta=2)
F.softplus(X, 2, 1)
F.softplus(X)
F.hardtanh(X, -0.5, 0.5)
F.threshold(X, 0.1, 7.0)
F.hardshrink(X, 0.7)
F.softshrink(X, 0.7)
F.layer_norm(X, (3,), eps=1e-1)
F.layer_norm(X, (3,))
F.layer_norm(X, (2, 3))
F.rms_norm(X, (3,), eps=1e-1)
F.group_norm(P, 2)
F.group_norm(P, 1, eps=0.5)
F.instance_norm(P, eps=0.5)
F.batch_norm(P, None, None, training=True, eps=0.5)
F.normalize(X, p=1.0)
F.normalize(X, dim=0)
F.normalize(X)
F.dropout(X, 0.1, training=False)
F.alpha_dropout(X, 0.1)
F.softmax(X, 0)
F.softmax(X, -1, dtype=torch.float64)
F.log_softmax(X, dim=0)
F.cross_entropy(X, I, reduction="sum")
F.cross_entropy(X, I, reduction="none")
F.cross_entropy(X, I, label_smoothing=0.1)
F.cross_entropy(X, I, ignore_index=2)
F.cross_entropy(X, I)
F.nll_loss(X, I, reduction="sum")
F.mse_loss(X, Y, reduction="sum")
F.mse_loss(X, Y, reduction="none")
F.l1_loss(X, Y, reduction="sum")
F.smooth_l1_loss(X, Y, beta=2.0)
F.huber_loss(X, Y, delta=2.0)
F.binary_cross_entropy_with_logits(X, Y, reduction="sum")
F.cosine_similarity(X, Y, dim=0)
F.cosine_similarity(X, Y, eps=10.0)
F.pairwise_distance(X, Y, p=1.0)
F.embedding(I, W, padding_idx=0)
F.conv2d(P, K, stride=2)
F.conv2d(P, K, dilation=2)
F.conv2d(P, K[chans[:2]], groups=2)
F.max_pool2d(P, 2, ceil_mode=True)
F.max_pool2d(P, 3, stride=1, padding=1)
F.avg_pool2d(P, 3, stride=1, padding=1, count_include_pad=False)
F.avg_pool2d(P, 3, stride=1, padding=1, divisor_override=2)
F.interpolate(P, scale_factor=2, mode="bilinear")
F.interpolate(P, size=(4, 4))
F.interpolate(P, scale_factor=2)
F.scaled_dot_product_attention(Q, A, V)
F.scaled_dot_product_attention(Q, A, V, scale=0.1)
F.scaled_dot_product_attention(Q, A, V, is_causal=True)
F.one_hot(I, 7)
F.pad(X, (1, 2), value=5.0)
F.pad(X, (1, 2), mode="reflect")
F.pad(X, (1, 2))
F.glu(X[emb[:2]], 0)
torch.sum(X, 0)
torch.sum(X, dtype=torch.float64)
torch.mean(X, (0, 1))
torch.var(X)
torch.var(X, 0)
torch.var(X, 0, correction=0)
torch.std(X, unbiased=False)
torch.norm(X, p=1)
torch.norm(X)
torch.linalg.norm(X, ord=1)
torch.linalg.vector_norm(X, 3)
torch.cumsum(X, 0)
torch.sort(X, descending=True)
torch.argsort(X, 0, descending=True)
torch.topk(X, 2, largest=False)
torch.topk(X, 1, dim=0)
torch.flip(X, (0,))
torch.roll(X, 1)
torch.roll(X, (1, 1), (0, 1))
torch.clamp(X, max=0.5)
torch.clamp(X, min=0.5)
torch.clamp(X, -0.5, 0.5)
torch.add(X, Y, alpha=2)
torch.sub(X, Y, alpha=2)
torch.div(X, Y, rounding_mode="floor")
torch.round(X, decimals=2)
torch.allclose(X, Y, atol=100.0)
torch.isclose(X, Y, atol=1.0)
torch.nan_to_num(X, 3.0)
torch.addcmul(X, X, Y, value=2)
torch.addmm(X, X, Y)
torch.lerp(X, Y, 0.25)
torch.quantile(X, 0.25, dim=0)
torch.quantile(X, 0.25, dim=0, interpolation="nearest")
torch.logsumexp(X, 0)
torch.diff(X, 2)
torch.tril(X, 1)
torch.matmul(X, W)
torch.bucketize(X, torch.ones(1))
torch.max(X, 0)
torch.any(M, 0)
torch.gather(X, 0, I)
torch.full_like(X, 2.0)
torch.zeros_like(X, dtype=torch.float64)
torch.take_along_dim(X, I, 0)
np.sum(N, axis=0)
np.sum(N)
np.mean(N, axis=0)
np.var(N, axis=0)
np.var(N, axis=0, ddof=1)
np.std(N, ddof=1)
np.max(N, axis=0)
np.argmax(N, axis=0)
np.argmax(N)
np.cumsum(N, axis=0)
np.sort(N, axis=0)
np.sort(N)
np.clip(N, 0, 1)
np.clip(N, -0.5, None)
np.concatenate([N, N], axis=0)
np.stack([N, N], axis=1)
np.linalg.norm(N)
np.linalg.norm(N, axis=0)
np.linalg.norm(N, ord=1, axis=0)
np.round(N, 2)
np.roll(N, 1, axis=0)
np.quantile(N, 0.25, axis=0)
np.median(N, axis=0)
np.percentile(N, 25)
np.average(N, axis=0)
np.where(L, N, 0.0)
np.exp(N)
np.logaddexp(N, N)
np.allclose(N, N, atol=1.0)
np.diff(N)
np.cumprod(N, axis=0)
np.flip(N, 0)
np.nansum(N, axis=0)
np.sum(N, where=N.numpy("seq emb") > 0)
np.sum(N, initial=3.0)
np.einsum("ij,ij->", N, N)
np.einsum("ij,ij->i", N, N)
np.einsum("ij,ij->ij", N, N)
torch.einsum("ij,kj->ki", X, W)
torch.einsum("ij,kj->k", X, W)
torch.einsum("ij,ji->i", X, X)
np.vstack([N, N])
np.hstack([N, N])
np.dstack([N, N])
np.concatenate([N, N, N])
np.add.reduce(N)
np.exp(N, where=False)
torch.vstack([X, Y])
torch.hstack([X, Y])
torch.cat([X, Y, X], 1)
torch.stack([X, Y, X], 1)
torch.median(X)
torch.argmax(X)
torch.argmax(X, 0)
torch.std(X)
torch.std(X, 1)
torch.prod(X, 0)
torch.amin(X, 0)
F.nll_loss(X, I)
np.amax(N)
""".strip().splitlines()


def hint_of(call):
    """Give the hint of a call on named tensors, or nothing where it ends in no error of ours."""
    with pytest.raises(nt.BackendError) as caught:
        eval(call, globals())
    return caught.value.hint


def positional(call):
    """Give what the call gives on positional tensors, or nothing where the library refuses it."""
    bare = {name: X.data for name, X in globals().items() if isinstance(X, nt.NamedTensor)}
    scope = {**globals(), **bare}
    text = call.replace("K[chans[:2]]", "K[:, :2]").replace("X[emb[:2]]", "X[:, :2]")
    text = text.replace('N.numpy("seq emb")', "N")
    with suppress(RuntimeError, IndexError, ValueError, TypeError):
        found = eval(text, scope)
        return found[0] if isinstance(found, tuple) else found
    return None


def promised(hint):
    """Say whether a hint promises a result: anything but the tensor itself in an order, for another library."""
    return re.fullmatch(r"\w+\.(torch|numpy)\(.*?\)(, or nt\.lift\(.*\))?", hint) is None


@pytest.mark.parametrize("call", CALLS)
def test_what_the_hint_gives_is_what_the_call_gives(call):
    hint = hint_of(call)
    if not promised(hint):
        return
    found = eval(hint, globals())
    wanted = positional(call)
    if wanted is None:  # shapes that the library itself cannot bring together
        return
    found = np.asarray(found.data if isinstance(found, nt.NamedTensor) else found)
    wanted = np.asarray(wanted)
    orders = [found]
    if found.ndim == wanted.ndim:
        orders = [found.transpose(o) for o in _orders(found.ndim)]
    same = [o.shape == wanted.shape and np.allclose(o, wanted, 1e-4, 1e-5) for o in orders]
    assert any(same), hint


def _orders(n):
    from itertools import permutations

    return permutations(range(n))


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("F.leaky_relu(X, 0.2)", "nt.leaky_relu(X, slope=0.2)"),
        ("F.layer_norm(X, (3,), eps=1e-1)", "nt.standardize[emb](X, 0.1)"),
        ("F.dropout(X, 0.1, training=False)", "X"),
        ("F.mse_loss(X, Y, reduction='sum')", "nt.sum[...]((X - Y) * (X - Y))"),
        ("torch.var(X, 0, correction=0)", "nt.var[seq](X)"),
        ("torch.std(X)", "nt.std[...](X) * nt.sqrt(6 / 5)"),
        ("torch.clamp(X, max=0.5)", "nt.clip(X, high=0.5)"),
        ("torch.max(X, 0)", "nt.max[seq](X)"),
        ("np.sum(N, axis=0)", "nt.sum[seq](N)"),
        ("np.concatenate([N, N, N])", "nt.concat[seq](N, N, N)"),
        ("F.elu(X, 2.0)", "X.torch(seq, emb), or nt.lift(torch.nn.functional.elu, ...)"),
        ("torch.fft.fft(X)", "X.torch(seq, emb), or nt.lift(torch.fft.fft, ...)"),
        ("torch.nn.init.normal_(X)", "X.torch(seq, emb), or nt.lift(torch.nn.init.normal_, ...)"),
        ("torch.ones(2).copy_(X)", "X.torch(seq, emb)"),
        ("np.linspace(0, N, 3)", "N.numpy(seq, emb)"),
    ],
)
def test_the_hint_carries_what_was_chosen_or_goes_back_to_positions(call, hint):
    assert hint_of(call) == hint
