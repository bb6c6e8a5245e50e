"""The parts of published Transformers, each a formula: norms, positions, attention, networks.

| axis | what it runs over |
|---|---|
| `seq'`, `seq` | places that ask, and places that answer |
| `emb` | features of a place |
| `hid` | hidden units |
| `kv`, `group` | heads of keys and values, and the heads of queries that share one |
| `key`, `val` | features of queries and keys, and of values |
| `half` | pairs of features that a rotation turns |
| `vocab`, `place`, `kind` | words, positions with a vector of their own, kinds of text |
"""

import functools
from typing import Any

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, emb, hid, kv, group, key, val, half = axes("seq emb hid kv group key val half")
vocab, place, kind, two = axes("vocab place kind two")
seq_ = seq.prime

#: No place attends to those after it: 0 if j <= i, -inf otherwise.
past = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


# ------------------------------------------------------------------------------------------- norms


@formula
def LayerNorm(X: R[emb], eps: float = 1e-5, *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    """Standardize over emb, scale and move (Ba and others, arXiv 1607.06450)."""
    return nt.standardize[emb](X, eps) * gamma + beta


@formula
def RMSNorm(X: R[emb], eps: float = 1e-5, *, gamma: R[emb]) -> R[emb]:
    """Divide by the root of the mean square, and scale (Zhang and Sennrich, arXiv 1910.07467)."""
    return X / nt.sqrt(nt.mean[emb](X * X) + eps) * gamma


# --------------------------------------------------------------------------------- words and places


@formula
def Words(I: Z, *, E: R[vocab, emb]) -> R[emb]:
    """Look a word up."""
    return E[vocab(I)]


@formula
def Places(J: Z, *, P: R[place, emb]) -> R[emb]:
    """Look a position up, in a table as long as the longest text."""
    return P[place(J)]


@formula
def Kinds(K: Z, *, T: R[kind, emb]) -> R[emb]:
    """Look up to which of two texts a word belongs."""
    return T[kind(K)]


@formula
def Scores(X: R[emb], *, E: R[vocab, emb]) -> R[vocab]:
    """Score every word: E ._emb X."""
    return E @ emb @ X


def angles(base: float = 10000.0) -> Any:
    """Define by how much a rotation turns each pair of features at each place.

        angle_{seq'(t), half(i)} = t base^{-i/|half|},  |half| = |key| / 2

    Source: Su and others, arXiv 2104.09864, equation 15.
    """
    return nt.define[seq_, half](lambda t, i: t * base ** (-i / abs(half)))


@formula
def rotate(X: R[key], C: R[half], S: R[half]) -> R[key]:
    """Turn each pair of features, (x_i, x_{i + |half|}), by its angle; C and S are its cos and sin.

        (x, y) -> (x cos - y sin, y cos + x sin)

    Source: Su and others, arXiv 2104.09864, section 3.2.2.
    Departs: the paper pairs neighbours, x_{2i} and x_{2i + 1}. Published weights pair halves; of others
    the rows are put in this order as they are loaded, by the names LLAMA_GGUF.
    """
    pair = X[key >> (two[2], half)]
    x, y = pair[two(0)], pair[two(1)]
    return nt.stack[two](x * C - y * S, y * C + x * S)[(two, half) >> key]


# --------------------------------------------------------------------------------------- attention


@formula
def Heads(
    X: R[emb], *, WQ: R[kv, group, key, emb], WK: R[kv, key, emb], WV: R[kv, val, emb]
) -> tuple[R[kv, group, key], R[kv, key], R[kv, val]]:
    """Project a place to its queries, keys and values: W ._emb X."""
    return WQ @ emb @ X, WK @ emb @ X, WV @ emb @ X


@formula
def BiasedHeads(
    X: R[emb],
    *,
    WQ: R[kv, group, key, emb],
    bQ: R[kv, group, key],
    WK: R[kv, key, emb],
    bK: R[kv, key],
    WV: R[kv, val, emb],
    bV: R[kv, val],
) -> tuple[R[kv, group, key], R[kv, key], R[kv, val]]:
    """Project a place to its queries, keys and values: W ._emb X + b."""
    return WQ @ emb @ X + bQ, WK @ emb @ X + bK, WV @ emb @ X + bV


@formula
def Attention(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq] = None) -> R[val]:
    """Sum the values, weighted by how well the query meets each key.

        V ._seq softmax_seq(Q ._key K / sqrt|key| + M)

    Lifted over kv, which all have, over group, which queries alone have, and over seq'.
    """
    scores = Q @ key @ K / nt.sqrt(abs(key))
    if M is not None:
        scores = scores + M
    return V @ seq @ nt.softmax[seq](scores)


@formula
def Together(Y: R[kv, group, val], *, WO: R[emb, kv, group, val]) -> R[emb]:
    """Project what the heads found together: WO ._{kv,group,val} Y."""
    return WO @ (kv, group, val) @ Y


@formula
def BiasedTogether(Y: R[kv, group, val], *, WO: R[emb, kv, group, val], bO: R[emb]) -> R[emb]:
    """Project what the heads found together: WO ._{kv,group,val} Y + bO."""
    return WO @ (kv, group, val) @ Y + bO


# ---------------------------------------------------------------------------------------- networks


def gelu_tanh(X: Any) -> Any:
    """Approximate gelu as GPT-2 does (Hendrycks and Gimpel, arXiv 1606.08415, section 2)."""
    return 0.5 * X * (1.0 + nt.tanh((2.0 / nt.pi) ** 0.5 * (X + 0.044715 * X * X * X)))


ACTIVATIONS = {"gelu": nt.gelu, "gelu_tanh": gelu_tanh, "relu": nt.relu, "silu": nt.silu}


@formula
def Network(X: R[emb], activation: str = "relu", *, W1: R[hid, emb], W2: R[emb, hid]) -> R[emb]:
    """Apply two linear maps with an activation f between: W2 ._hid f(W1 ._emb X)."""
    return W2 @ hid @ ACTIVATIONS[activation](W1 @ emb @ X)


@formula
def BiasedNetwork(
    X: R[emb],
    activation: str = "gelu",
    *,
    W1: R[hid, emb],
    b1: R[hid],
    W2: R[emb, hid],
    b2: R[emb],
) -> R[emb]:
    """Apply two linear maps with an activation f between: W2 ._hid f(W1 ._emb X + b1) + b2."""
    return W2 @ hid @ ACTIVATIONS[activation](W1 @ emb @ X + b1) + b2


@formula
def GatedNetwork(
    X: R[emb], activation: str = "silu", *, W1: R[hid, emb], W3: R[hid, emb], W2: R[emb, hid]
) -> R[emb]:
    """Let one map open and close another: W2 ._hid (f(W1 ._emb X) * (W3 ._emb X)), SwiGLU with f = silu.

    Source: Shazeer, arXiv 2002.05202, equation 6.
    """
    return W2 @ hid @ (ACTIVATIONS[activation](W1 @ emb @ X) * (W3 @ emb @ X))


NORMS = {"layer": LayerNorm, "rms": RMSNorm}
HEADS = {False: (Heads, Together), True: (BiasedHeads, BiasedTogether)}
NETWORKS = {
    ("plain", False): Network,
    ("plain", True): BiasedNetwork,
    ("gated", False): GatedNetwork,
}


# ------------------------------------------------------------------------------------------ layers


@functools.cache
def asking(norm: str, bias: bool, pre: bool) -> Any:
    """Make the first part of a layer: queries, keys and values of each place, turned if C and S are given.

    pre:  heads(norm(X))        post:  heads(X)
    """
    Heads, Norm = HEADS[bias][0], NORMS[norm]

    def turned(Q: Any, K: Any, V: Any, C: Any, S: Any) -> tuple[Any, Any, Any]:
        if C is not None:
            Q, K = rotate(Q, C, S), rotate(K, C, S)
        return Q, K[seq_ >> seq], V[seq_ >> seq]

    if pre:

        @formula
        def Asking(
            X: R[seq_, emb],
            C: R[seq_, half] = None,
            S: R[seq_, half] = None,
            eps: float = 1e-5,
            *,
            norm: Norm,
            heads: Heads,
        ) -> tuple[R[seq_, kv, group, key], R[seq, kv, key], R[seq, kv, val]]:
            return turned(*heads(norm(X, eps=eps)), C, S)

    else:

        @formula
        def Asking(
            X: R[seq_, emb],
            C: R[seq_, half] = None,
            S: R[seq_, half] = None,
            eps: float = 1e-5,
            *,
            heads: Heads,
        ) -> tuple[R[seq_, kv, group, key], R[seq, kv, key], R[seq, kv, val]]:
            return turned(*heads(X), C, S)

    Asking.made_by = asking, (norm, bias, pre)
    return Asking


@functools.cache
def answering(norm: str, network: str, bias: bool, pre: bool, activation: str) -> Any:
    """Make the second part of a layer: attention and the network, each added to what came in.

    pre:   Y = X + together(Attention(Q, K, V, M));  Y + network(norm(Y))
    post:  Y = norm1(X + together(Attention(Q, K, V, M)));  norm2(Y + network(Y))
    """
    Together, Norm, Net = HEADS[bias][1], NORMS[norm], NETWORKS[network, bias]

    if pre:

        @formula
        def Answering(
            X: R[seq_, emb],
            Q: R[seq_, kv, group, key],
            K: R[seq, kv, key],
            V: R[seq, kv, val],
            M: R[seq, seq_] = None,
            eps: float = 1e-5,
            *,
            together: Together,
            norm: Norm,
            network: Net,
        ) -> R[seq_, emb]:
            Y = X + together(Attention(Q, K, V, M))
            return Y + network(norm(Y, eps=eps), activation=activation)

    else:

        @formula
        def Answering(
            X: R[seq_, emb],
            Q: R[seq_, kv, group, key],
            K: R[seq, kv, key],
            V: R[seq, kv, val],
            M: R[seq] = None,
            eps: float = 1e-5,
            *,
            together: Together,
            norm1: Norm,
            network: Net,
            norm2: Norm,
        ) -> R[seq_, emb]:
            Y = norm1(X + together(Attention(Q, K, V, M)), eps=eps)
            return norm2(Y + network(Y, activation=activation), eps=eps)

    Answering.made_by = answering, (norm, network, bias, pre, activation)
    return Answering
