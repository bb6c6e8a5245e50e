"""The parts of published Transformers, each a formula: norms, positions, attention, networks.

| axis | what it runs over |
|---|---|
| `seq'`, `seq` | places that ask, and places that answer |
| `src` | places of another text |
| `emb` | features of a place |
| `hid` | hidden units |
| `kv`, `group` | heads of keys and values, and the heads of queries that share one |
| `key`, `val` | features of queries and keys, and of values |
| `half` | pairs of features that a rotation turns |
| `depth` | layers |
| `vocab`, `place`, `kind` | words, positions with a vector of their own, kinds of text |
"""

from typing import Any

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from transformer_named.choice import chosen
from transformer_named.decoding.cache import depth, keep

seq, src, emb, hid, kv, group, key, val, half = axes("seq src emb hid kv group key val half")
vocab, place, kind, two = axes("vocab place kind two")
seq_ = seq.prime

#: No place attends to those after it: 0 if j <= i, -inf otherwise.
past = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


#: The choices of a family by name.
NORMS = ("layer", "rms")
NETWORKS = ("plain", "gated")
POSITIONS = ("learned", "rotary", "sinusoidal", "sinusoidal halves")


def plus(X: Any, b: Any) -> Any:
    """Add a bias where there is one."""
    return X if b is None else X + b


# ------------------------------------------------------------------------------------------- norms


@formula
def Norm(
    X: R[emb], kind: str = "layer", eps: float = 1e-5, *, gamma: R[emb], beta: R[emb] = None
) -> R[emb]:
    """Normalise the features of a place, in one of two ways.

    layer:  (X - mean_emb X) / sqrt(var_emb X + eps) * gamma + beta    arXiv 1607.06450
    rms:    X / sqrt(mean_emb X^2 + eps) * gamma                       arXiv 1910.07467
    """
    if chosen("norm", kind, NORMS) == "layer":
        Y = nt.standardize[emb](X, eps)
    else:
        Y = X / nt.sqrt(nt.mean[emb](X * X) + eps)
    return plus(Y * gamma, beta)


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
    """Look up the vector of the text, the first or the second, to which a word belongs."""
    return T[kind(K)]


@formula
def Scores(X: R[emb], *, E: R[vocab, emb], b: R[vocab] = None) -> R[vocab]:
    """Score every word: E ._emb X + b."""
    return plus(E @ emb @ X, b)


def waves(form: str = "sinusoidal", base: float = 10000.0) -> Any:
    """Define the sinusoids that tell where a place is.

        sinusoidal:         W_{seq'(t), emb(2i)} = sin(t / base^{2i/|emb|}), and cos at 2i + 1
        sinusoidal halves:  sin at emb(i), cos at emb(ceil(|emb|/2) + i)

    Source: Vaswani and others, arXiv 1706.03762, section 3.5, base 10000; the halves are Marian's.
    """

    def wave(t: Any, i: Any) -> Any:
        if form == "sinusoidal":
            pair, sine = (i - i % 2) / abs(emb), i % 2 == 0
        else:
            sine = 2 * i < abs(emb)
            pair = nt.where(sine, 2 * i, 2 * i - abs(emb) - abs(emb) % 2) / abs(emb)
        angle = t / base**pair
        return nt.where(sine, nt.sin(angle), nt.cos(angle))

    return nt.define[seq_, emb](wave)


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
    Departs: the paper pairs neighbours, x_{2i} and x_{2i + 1}. Published weights pair halves;
    where a file pairs neighbours, loading by LLAMA_GGUF puts the rows in this order.
    """
    return turn(X, joined(C, C), joined(-S, S))


def joined(x: Any, y: Any) -> Any:
    """Put two halves of features side by side."""
    return nt.stack[two](x, y)[(two, half) >> key]


@formula
def turn(X: R[key], C: R[key], S: R[key]) -> R[key]:
    """Rotate by tables that are made once: C is (cos, cos), S is (-sin, sin).

    (x, y) -> (x, y) C + (y, x) S
    """
    pair = X[key >> (two[2], half)]
    return X * C + joined(pair[two(1)], pair[two(0)]) * S


# --------------------------------------------------------------------------------------- attention


@formula
def Heads(
    X: R[emb],
    *,
    WQ: R[kv, group, key, emb],
    bQ: R[kv, group, key] = None,
    WK: R[kv, key, emb],
    bK: R[kv, key] = None,
    WV: R[kv, val, emb],
    bV: R[kv, val] = None,
) -> tuple[R[kv, group, key], R[kv, key], R[kv, val]]:
    """Project a place to its queries, keys and values: W ._emb X + b."""
    return plus(WQ @ emb @ X, bQ), plus(WK @ emb @ X, bK), plus(WV @ emb @ X, bV)


@formula
def Attention(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq] = None) -> R[val]:
    """Sum the values, weighted by how well the query meets each key.

        V ._seq softmax_seq(Q ._key K / sqrt|key| + M)

    Lifted over kv, an axis of Q, K and V, and over group and seq', which are axes of Q alone.
    """
    scores = Q @ key @ K / nt.sqrt(abs(key))
    if M is not None:
        scores = scores + M
    return V @ seq @ nt.softmax[seq](scores)


@formula
def Together(Y: R[kv, group, val], *, WO: R[emb, kv, group, val], bO: R[emb] = None) -> R[emb]:
    """Project the results of all heads to one vector: WO ._{kv,group,val} Y + bO."""
    return plus(WO @ (kv, group, val) @ Y, bO)


# ---------------------------------------------------------------------------------------- networks


def gelu_tanh(X: Any) -> Any:
    """Approximate gelu as GPT-2 does (Hendrycks and Gimpel, arXiv 1606.08415, section 2)."""
    return 0.5 * X * (1.0 + nt.tanh((2.0 / nt.pi) ** 0.5 * (X + 0.044715 * X * X * X)))


ACTIVATIONS = {"gelu": nt.gelu, "gelu_tanh": gelu_tanh, "relu": nt.relu, "silu": nt.silu}


@formula
def Network(
    X: R[emb],
    activation: str = "gelu",
    *,
    W1: R[hid, emb],
    b1: R[hid] = None,
    W3: R[hid, emb] = None,
    W2: R[emb, hid],
    b2: R[emb] = None,
) -> R[emb]:
    """Apply two linear maps with an activation f between. A third map may scale the hidden units.

        plain:  W2 ._hid f(W1 ._emb X + b1) + b2
        gated:  W2 ._hid (f(W1 ._emb X + b1) * (W3 ._emb X)) + b2,  SwiGLU with f = silu

    Source: gates from Shazeer, arXiv 2002.05202, equation 6.
    """
    H = ACTIVATIONS[chosen("activation", activation, tuple(ACTIVATIONS))](plus(W1 @ emb @ X, b1))
    if W3 is not None:
        H = H * (W3 @ emb @ X)
    return plus(W2 @ hid @ H, b2)


# ------------------------------------------------------------------------------------------ layers


@formula
def Asking(
    X: R[seq_, emb],
    C: R[seq_, key] = None,
    S: R[seq_, key] = None,
    kind: str = "layer",
    eps: float = 1e-5,
    *,
    norm: Norm = None,
    heads: Heads,
) -> tuple[R[seq_, kv, group, key], R[seq, kv, key], R[seq, kv, val]]:
    """Run the first part of a layer: queries, keys and values of each place, rotated if C and S are given.

    pre:  heads(norm(X))        post:  heads(X)
    """
    Q, K, V = heads(X if norm is None else norm(X, kind=kind, eps=eps))
    if C is not None:
        Q, K = turn(Q, C, S), turn(K, C, S)
    return Q, K[seq_ >> seq], V[seq_ >> seq]


@formula
def Consulting(
    X: R[emb],
    kind: str = "layer",
    eps: float = 1e-5,
    *,
    norm: Norm = None,
    WQ: R[kv, group, key, emb],
    bQ: R[kv, group, key] = None,
) -> R[kv, group, key]:
    """Give the queries to another text: WQ ._emb norm(X) + bQ."""
    return plus(WQ @ emb @ (X if norm is None else norm(X, kind=kind, eps=eps)), bQ)


@formula
def Telling(
    Z: R[emb],
    *,
    WK: R[kv, key, emb],
    bK: R[kv, key] = None,
    WV: R[kv, val, emb],
    bV: R[kv, val] = None,
) -> tuple[R[kv, key], R[kv, val]]:
    """Give the keys and values of the encoder's result Z: W ._emb Z + b."""
    return plus(WK @ emb @ Z, bK), plus(WV @ emb @ Z, bV)


@formula
def Answering(
    X: R[seq_, emb],
    Q: R[seq_, kv, group, key],
    K: R[seq, kv, key],
    V: R[seq, kv, val],
    M: R[seq, seq_] = None,
    closed: R[seq] = None,
    kind: str = "layer",
    eps: float = 1e-5,
    activation: str = "gelu",
    *,
    together: Together,
    norm1: Norm = None,
    norm: Norm = None,
    network: Network = None,
    norm2: Norm = None,
) -> R[seq_, emb]:
    """Run the second part of a layer: attention and the network, each with a residual connection.

    pre:   Y = X + together(Attention(Q, K, V, M));  Y + network(norm(Y))
    post:  Y = norm1(X + together(Attention(Q, K, V, M)));  norm2(Y + network(Y))

    M is -inf where a place does not see another, and `closed` is -inf on places that nobody sees; both are
    added to the scores. `network` is left out where attention to another text follows.
    """

    def normed(norm: Any, X: Any) -> Any:
        return X if norm is None else norm(X, kind=kind, eps=eps)

    mask = M if closed is None else closed if M is None else M + closed
    Y = normed(norm1, X + together(Attention(Q, K, V, mask)))
    if network is None:
        return Y
    return normed(norm2, Y + network(normed(norm, Y), activation=activation))


@formula
def Layer(
    X: R[seq_, emb],
    C: R[seq_, key] = None,
    S: R[seq_, key] = None,
    M: R[seq, seq_] = None,
    closed: R[seq] = None,
    K: R[seq, kv, key] = None,
    V: R[seq, kv, val] = None,
    *,
    ask: Asking,
    answer: Answering,
) -> R[seq_, emb]:
    """Run a layer: `ask` makes queries, keys and values, and `answer` attends to them.

    With a cache, K and V are the keys and values of all places. The last places are those of X: their keys
    and values are computed here, and written into K and V.
    """
    Q, keys, values = ask(X, C, S)
    if K is not None:
        keys, values = keep(K, keys[seq >> seq_], V, values[seq >> seq_])
    return answer(X, Q, keys, values, M, closed)


@formula
def Layers(
    X: R[seq_, emb],
    C: R[seq_, key] = None,
    S: R[seq_, key] = None,
    M: R[seq, seq_] = None,
    closed: R[seq] = None,
    K: R[depth, seq, kv, key] = None,
    V: R[depth, seq, kv, val] = None,
    *,
    layers: nt.each[Layer],
) -> R[seq_, emb]:
    """Run all layers: X^l = layer^l(X^{l-1}). K and V hold those of all layers, along depth; see Layer."""
    for i, layer in enumerate(layers):
        held = () if K is None else (K[depth(i)], V[depth(i)])
        X = layer(X, C, S, M, closed, *held)
    return X


@formula
def ReadingLayer(
    X: R[seq_, emb],
    KZ: R[src, kv, key],
    VZ: R[src, kv, val],
    padding: R[src] = None,
    C: R[seq_, key] = None,
    S: R[seq_, key] = None,
    M: R[seq, seq_] = None,
    closed: R[seq] = None,
    K: R[seq, kv, key] = None,
    V: R[seq, kv, val] = None,
    *,
    ask: Asking,
    answer: Answering,
    consult: Consulting,
    tell: Telling,
    reply: Answering,
) -> R[seq_, emb]:
    """Run a layer that attends to its own text, and then to another one.

    KZ and VZ are the keys and values of the other text, `tell(Z)`, computed once for all words. `padding` is
    -inf on its padding.
    """
    Y = Layer(X, C, S, M, closed, K, V, ask=ask, answer=answer)
    hidden = None if padding is None else padding[src >> seq]
    return reply(Y, consult(Y), KZ[src >> seq], VZ[src >> seq], None, hidden)
