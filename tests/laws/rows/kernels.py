"""Rows of the formulas that run as one kernel: each is held to the definition of what was written.

The shapes are looser than any kernel likes: masks that lack axes, values without columns, weights
with axes of their own. Where the pattern does not fit, the formula must still be itself.
"""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import RecordTensor
from namedtensor.testing import definitions as D
from tests.laws.examples import REAL, TRUTH, Domain, Example, Operand
from tests.laws.row import Row
from tests.laws.strategies import Draw, names, operand, some

UNIT = Domain("float", -1.0, 1.0)
UNTIED = Domain("untied", -1.0, 1.0)  # no two are equal, so that their deviation is not 0


def small(draw: Draw, least: int = 1) -> int:
    return draw(st.integers(least, 3))


def extended(draw: Draw, sizes: dict[str, int], extra: dict[str, int], domain: Domain) -> Operand:
    """Draw an operand with these axes and some of the extra ones."""
    return operand(draw, sizes | {axis: extra[axis] for axis in some(draw, list(extra))}, domain)


# ------------------------------------------------------------------------------------- attention


@st.composite
def to_attend(draw: Draw, mask: Domain | None = None, query: bool = False) -> Example:
    """Queries, keys and values, lifted over a batch and a head; the mask has any of their axes."""
    seq, key, ask, val, batch = names(draw, 5, 5)
    n, d = small(draw), small(draw)
    extra = {batch: 2}
    queries = {ask: small(draw)} if query or draw(st.booleans()) else {}
    values = {val: small(draw)} if draw(st.booleans()) else {}
    operands = [
        extended(draw, {key: d, **queries}, extra, UNIT),
        extended(draw, {key: d, seq: n}, extra, UNIT),
        extended(draw, {seq: n, **values}, extra, UNIT),
    ]
    if mask is not None:
        own = {axis: size for axis, size in queries.items() if draw(st.booleans())}
        operands.append(extended(draw, {seq: n, **own}, extra, mask))
    settings = {"seq": seq, "key": key} | ({"ask": ask} if query else {})
    return Example(tuple(operands), settings)


def weighed(Q: Any, K: Any, V: Any, seq: str, key: str, mask: Any) -> Any:
    """Attention, with the mask as a function of the scores."""
    scores = Q @ key @ K / nt.sqrt(Q.size(key))
    return V @ seq @ nt.softmax[seq](mask(scores))


def weighed_records(
    Q: RecordTensor, K: RecordTensor, V: RecordTensor, seq: str, key: str, mask: Any
) -> RecordTensor:
    scores = D["div"](D["dot"](Q, K, axes=[key]), Q.shape[key] ** 0.5)
    return D["dot"](V, D["softmax"](mask(scores), [seq]), axes=[seq])


def causal(S: Any, ask: str, seq: str) -> Any:
    return S + nt.define[ask, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


def causal_records(S: RecordTensor, ask: str, seq: str) -> RecordTensor:
    shape = {ask: S.shape[ask], seq: S.shape[seq]}
    return D["add"](S, D["define"](shape, lambda i, j: 0.0 if j <= i else -nt.inf))


def kept(S: RecordTensor, keep: RecordTensor) -> RecordTensor:
    """Hide scores, though not so far that a whole row of them is gone."""
    return D["where"](keep, S, D["sub"](S, 50.0))


def nearer(S: RecordTensor, ask: str, seq: str) -> RecordTensor:
    shape = {ask: S.shape[ask], seq: S.shape[seq]}
    return D["sub"](S, D["define"](shape, lambda i, j: 0.5 * abs(i - j)))


def in_window(S: Any, ask: str, seq: str) -> Any:
    """See the first key, and those one step away."""
    seen = lambda i, j: (j == 0) | ((i - j <= 1) & (j - i <= 1))
    return nt.where(nt.define[ask, seq](seen), S, -nt.inf)


def in_window_records(S: RecordTensor, ask: str, seq: str) -> RecordTensor:
    shape = {ask: S.shape[ask], seq: S.shape[seq]}
    seen = D["define"](shape, lambda i, j: j == 0 or abs(i - j) <= 1)
    return D["where"](seen, S, -math.inf)


@st.composite
def to_attend_to_oneself(draw: Draw) -> Example:
    """A sequence, and the name that the body gives to its second copy."""
    seq, emb, batch = names(draw, 3, 3)
    X = extended(draw, {seq: small(draw), emb: small(draw)}, {batch: 2}, UNIT)
    return Example((X,), {"seq": seq, "emb": emb, "inner": "new"})


def to_oneself(X: RecordTensor, Y: RecordTensor, emb: str, inner: str) -> RecordTensor:
    weights = D["softmax"](D["dot"](X, Y, axes=[emb]), [inner])
    return D["dot"](weights, Y, axes=[inner])


ATTENTION = [
    Row(
        "attention",
        to_attend(),
        lambda Q, K, V, seq, key: weighed(Q, K, V, seq, key, lambda S: S),
        lambda Q, K, V, seq, key: weighed_records(Q, K, V, seq, key, lambda S: S),
        ("attention",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/additive mask",
        to_attend(mask=REAL),
        lambda Q, K, V, M, seq, key: weighed(Q, K, V, seq, key, lambda S: S + M),
        lambda Q, K, V, M, seq, key: weighed_records(Q, K, V, seq, key, lambda S: D["add"](S, M)),
        ("attention",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/chosen by a mask",
        to_attend(mask=TRUTH),
        lambda Q, K, V, M, seq, key: weighed(Q, K, V, seq, key, lambda S: nt.where(M, S, S - 50.0)),
        lambda Q, K, V, M, seq, key: weighed_records(Q, K, V, seq, key, lambda S: kept(S, M)),
        ("where",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/causal",
        to_attend(query=True),
        lambda Q, K, V, seq, key, ask: weighed(Q, K, V, seq, key, lambda S: causal(S, ask, seq)),
        lambda Q, K, V, seq, key, ask: weighed_records(
            Q, K, V, seq, key, lambda S: causal_records(S, ask, seq)
        ),
        ("attention",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/causal and additive",
        to_attend(query=True, mask=REAL),
        lambda Q, K, V, M, seq, key, ask: weighed(
            Q, K, V, seq, key, lambda S: causal(S, ask, seq) + M
        ),
        lambda Q, K, V, M, seq, key, ask: weighed_records(
            Q, K, V, seq, key, lambda S: D["add"](causal_records(S, ask, seq), M)
        ),
        ("attention",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/biased by distance",
        to_attend(query=True),
        lambda Q, K, V, seq, key, ask: weighed(
            Q, K, V, seq, key, lambda S: S - 0.5 * nt.abs(nt.iota(ask) - nt.iota(seq))
        ),
        lambda Q, K, V, seq, key, ask: weighed_records(
            Q, K, V, seq, key, lambda S: nearer(S, ask, seq)
        ),
        ("attention",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/in a window",
        to_attend(query=True),
        lambda Q, K, V, seq, key, ask: weighed(Q, K, V, seq, key, lambda S: in_window(S, ask, seq)),
        lambda Q, K, V, seq, key, ask: weighed_records(
            Q, K, V, seq, key, lambda S: in_window_records(S, ask, seq)
        ),
        ("attention",),
        meets=True,
        borrows=True,
    ),
    Row(
        "attention/to oneself",
        to_attend_to_oneself(),
        lambda X, seq, emb, inner: (
            nt.softmax[inner](X @ emb @ X[Axis(seq) >> Axis(inner)])
            @ inner
            @ X[Axis(seq) >> Axis(inner)]
        ),
        lambda X, seq, emb, inner: to_oneself(X, D["rename"](X, {seq: inner}), emb, inner),
        ("dot", "softmax"),
        borrows=True,
    ),
]

# ------------------------------------------------------------------------ linear maps and norms


@st.composite
def to_map(draw: Draw) -> Example:
    """Weights, an input and a bias; each may have axes of its own."""
    emb, hid, batch, other = names(draw, 4, 4)
    n, m = small(draw, 0), small(draw, 0)
    outputs = {hid: m} | ({other: 2} if draw(st.booleans()) else {})
    return Example(
        (
            extended(draw, {emb: n, **outputs}, {}, REAL),
            extended(draw, {emb: n}, {batch: 2}, REAL),
            extended(draw, {hid: m}, {**outputs, batch: 2}, REAL),
        ),
        {"emb": emb},
    )


@st.composite
def to_normalise(draw: Draw, weights: int, domain: Domain = REAL) -> Example:
    """A tensor, the axes to normalise over, and weights over those or others."""
    first, second, batch = names(draw, 3, 3)
    shape = {first: draw(st.integers(2, 3)), second: small(draw), batch: 2}
    axes = (first,) if draw(st.booleans()) else (first, second)
    over = st.sampled_from([axes, axes, axes, (first, second), (batch,), ()])
    chosen = [draw(over) for _ in range(weights)]
    tensors = [operand(draw, {axis: shape[axis] for axis in own}) for own in chosen]
    return Example((operand(draw, shape, domain), *tensors), {"axes": axes})


@st.composite
def to_normalise_channels(draw: Draw) -> Example:
    """A tensor, the axes to normalise over, and weights over channels among its axes or beside them."""
    first, second, chans, batch, other = names(draw, 5, 5)
    shape = {first: draw(st.integers(2, 3)), second: small(draw), chans: small(draw), batch: 2}
    over = draw(st.sampled_from([(first,), (first, second), (first, batch), (first, chans)]))
    own = draw(st.sampled_from([(chans,), (chans,), (chans, second), (second,), (chans, other)]))
    weights = [operand(draw, {axis: shape.get(axis, 2) for axis in own}) for _ in range(2)]
    return Example((operand(draw, shape), *weights), {"axes": over})


@st.composite
def to_normalise_groups(draw: Draw) -> Example:
    """A tensor, the axis of its channels, how many groups they make, a place, and weights by channel."""
    chans, place, batch, group, inside = names(draw, 5, 5)
    groups = small(draw)
    n = groups * draw(st.integers(2, 3))
    shape = {place: small(draw), chans: n, batch: 2}
    weights = [operand(draw, {chans: n}) for _ in range(2)]
    settings = {"chans": chans, "place": place, "groups": groups, "parts": (group, inside)}
    return Example((operand(draw, shape), *weights), settings)


def in_groups(
    X: Any, gamma: Any, beta: Any, chans: str, place: str, groups: int, parts: tuple[str, str]
) -> Any:
    group, inside = map(Axis, parts)
    normed = nt.standardize[inside, place](X[Axis(chans) >> (group[groups], inside)])
    return normed[(group, inside) >> Axis(chans)] * gamma + beta


def in_groups_records(
    X: RecordTensor,
    gamma: RecordTensor,
    beta: RecordTensor,
    chans: str,
    place: str,
    groups: int,
    parts: tuple[str, str],
) -> RecordTensor:
    group, inside = parts
    split = D["split_axis"](X, chans, {group: groups, inside: X.shape[chans] // groups})
    normed = D["merge"](D["standardize"](split, [inside, place], eps=1e-5), list(parts), chans)
    return D["add"](D["mul"](normed, gamma), beta)


NORMS = [
    Row(
        "group_norm",
        to_normalise_groups(),
        in_groups,
        in_groups_records,
        ("standardize",),
        meets=True,
    ),
    Row(
        "linear",
        to_map(),
        lambda W, X, b, emb: W @ emb @ X + b,
        lambda W, X, b, emb: D["add"](D["dot"](W, X, axes=[emb]), b),
        ("linear",),
        meets=True,
        borrows=True,
    ),
    Row(
        "layer_norm",
        to_normalise(2),
        lambda X, gamma, beta, axes: nt.standardize[axes](X) * gamma + beta,
        lambda X, gamma, beta, axes: D["add"](
            D["mul"](D["standardize"](X, axes, eps=1e-5), gamma), beta
        ),
        ("layer_norm",),
        meets=True,
    ),
    Row(
        "channel_norm",
        to_normalise_channels(),
        lambda X, gamma, beta, axes: nt.standardize[axes](X) * gamma + beta,
        lambda X, gamma, beta, axes: D["add"](
            D["mul"](D["standardize"](X, axes, eps=1e-5), gamma), beta
        ),
        ("channel_norm",),
        meets=True,
    ),
    Row(
        "layer_norm/written out",
        to_normalise(2),
        lambda X, gamma, beta, axes: (
            gamma * ((X - nt.mean[axes](X)) / nt.sqrt(nt.var[axes](X) + 0.25)) + beta
        ),
        lambda X, gamma, beta, axes: D["add"](
            D["mul"](D["standardize"](X, axes, eps=0.25), gamma), beta
        ),
        ("layer_norm",),
        meets=True,
    ),
    Row(
        "standardize/by the standard deviation",
        to_normalise(0, UNTIED),
        lambda X, axes: (X - nt.mean[axes](X)) / nt.std[axes](X),
        D["standardize"],
        ("standardize",),
    ),
    Row(
        "rms_norm",
        to_normalise(1),
        lambda X, gamma, axes: X / nt.sqrt(nt.mean[axes](X * X) + 0.25) * gamma,
        lambda X, gamma, axes: D["mul"](
            D["div"](X, D["sqrt"](D["add"](D["mean"](D["square"](X), axes), 0.25))), gamma
        ),
        ("rms_norm",),
        meets=True,
    ),
]

# --------------------------------------------------------------- lookups, losses and windows


@st.composite
def to_look_up(draw: Draw) -> Example:
    """A table over vocab and others, and indices over any axes."""
    vocab, emb, seq = names(draw, 3, 3)
    size = small(draw)
    extra = {emb: 2, seq: small(draw, 0)}
    marks = extended(draw, {}, extra, Domain("int", 0, size))
    return Example((extended(draw, {vocab: size}, extra, REAL), marks), {"vocab": vocab})


def hot(E: Any, I: Any, vocab: str) -> Any:
    return nt.one_hot(I, Axis(vocab)[E.size(vocab)])


def looked_up(E: RecordTensor, I: RecordTensor, vocab: str) -> RecordTensor:
    return D["index"](E, **{vocab: I})


@st.composite
def to_convolve(draw: Draw) -> Example:
    seq, chans, out, batch = names(draw, 4, 4)
    size, n = small(draw), small(draw)
    inputs = {seq: size + draw(st.integers(0, 2)), chans: n}
    weights = {"kernel": size, chans: n} | ({out: 2} if draw(st.booleans()) else {})
    return Example(
        (
            extended(draw, weights, {}, UNIT),
            extended(draw, inputs, {batch: 2}, UNIT),
            extended(draw, {}, {axis: 2 for axis in weights if axis == out}, UNIT),
        ),
        {"seq": seq, "chans": chans, "kernel": "kernel", "size": size},
    )


LOOKUPS = [
    Row(
        "embedding",
        to_look_up(),
        lambda E, I, vocab: E @ vocab @ hot(E, I, vocab),
        looked_up,
        ("embedding",),
        meets=True,
        borrows=True,
    ),
    Row(
        "cross_entropy",
        to_look_up(),
        lambda Z, y, vocab: -nt.log(nt.softmax[vocab](Z)) @ vocab @ hot(Z, y, vocab),
        lambda Z, y, vocab: looked_up(D["neg"](D["log_softmax"](Z, [vocab])), y, vocab),
        ("cross_entropy",),
        meets=True,
        borrows=True,
    ),
    Row(
        "softmax/written out",
        to_normalise(0),
        lambda X, axes: nt.exp(X) / nt.sum[axes](nt.exp(X)),
        D["softmax"],
        ("softmax",),
    ),
    Row(
        "logsumexp/written out",
        to_normalise(0),
        lambda X, axes: nt.log(nt.sum[axes](nt.exp(X))),
        D["logsumexp"],
        ("logsumexp",),
    ),
    Row(
        "convolution",
        to_convolve(),
        lambda W, X, b, seq, chans, kernel, size: (
            W @ (chans, kernel) @ nt.unroll[seq, Axis(kernel)[size]](X) + b
        ),
        lambda W, X, b, seq, chans, kernel, size: D["add"](
            D["dot"](W, D["unroll"](X, seq, kernel, size), axes=[chans, kernel]), b
        ),
        ("convolution",),
        meets=True,
        borrows=True,
    ),
    Row(
        "transposed_convolution",
        to_convolve(),
        lambda W, X, b, seq, chans, kernel, size: (
            nt.overlap_add[seq, kernel](
                W @ chans @ X, stride=2, padding=(1, 0), size=2 * X.size(seq) + size - 3
            )
            + b
        ),
        lambda W, X, b, seq, chans, kernel, size: D["add"](
            D["overlap_add"](
                D["dot"](W, X, axes=[chans]),
                seq,
                kernel,
                2,
                padding=(1, 0),
                size=2 * X.shape[seq] + size - 3,
            ),
            b,
        ),
        ("transposed_convolution",),
        meets=True,
        borrows=True,
    ),
]

ROWS = [*ATTENTION, *NORMS, *LOOKUPS]
