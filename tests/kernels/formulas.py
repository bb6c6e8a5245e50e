"""One formula for each rule and each way to write it: name, rule, formula, shapes of arguments."""

from dataclasses import dataclass

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula

seq, key, val, head, emb, hid, vocab, chans, kernel, out = axes(
    "seq key val head emb hid vocab chans kernel out"
)
seq_ = seq.prime
height, width, kh, kw = axes("height width kh kw")
causal = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
causal_otherwise = nt.define[seq_, seq](lambda i, j: nt.where(j > i, -nt.inf, 0.0))
band = nt.define[seq_, seq](lambda i, j: nt.where((j <= i) & (i - j < 2), 0.0, -nt.inf))


@formula
def plain(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def values_over_the_keys(Q: R[key, seq_], K: R[key, seq], V: R[seq, key]) -> R[seq_, key]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + causal)


@formula
def turned_round(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](0.3 * (K @ key @ Q)) @ seq @ V


@formula
def unscaled(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K)


@formula
def one_query(Q: R[key], K: R[key, seq], V: R[seq, val]) -> R[val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def spelled_out(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key))
    return V @ seq @ (nt.exp(S) / nt.sum[seq](nt.exp(S)))


@formula
def causal_attention(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](causal + Q @ key @ K / nt.sqrt(abs(key)))


@formula
def masked_then_scaled(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    S = nt.where(nt.iota(seq) > nt.iota(seq_), -nt.inf, Q @ key @ K)
    return V @ seq @ nt.softmax[seq](S / nt.sqrt(abs(key)))


@formula
def causal_the_other_way(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K * 0.5 + causal_otherwise)


@formula
def banded(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K + band)


@formula
def sliding(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], w: int = 3) -> R[seq_, val]:
    i, j = nt.iota(seq_), nt.iota(seq)
    S = Q @ key @ K / nt.sqrt(abs(key))
    return V @ seq @ nt.softmax[seq](nt.where((j <= i) & (i - j < w), S, -nt.inf))


@formula
def prefix(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], w: int = 2) -> R[seq_, val]:
    i, j = nt.iota(seq_), nt.iota(seq)
    S = Q @ key @ K / nt.sqrt(abs(key))
    return V @ seq @ nt.softmax[seq](S + nt.where((j <= i) | (j < w), 0.0, -nt.inf))


@formula
def documents(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], doc_: Z[seq_], doc: Z[seq]
) -> R[seq_, val]:
    S = nt.where((doc_ == doc) | (nt.iota(seq) == 0), Q @ key @ K * 0.5, -nt.inf)
    return V @ seq @ nt.softmax[seq](S)


@formula
def causal_documents(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], doc_: Z[seq_], doc: Z[seq]
) -> R[seq_, val]:
    same = (doc_ == doc) | (nt.iota(seq_) == nt.iota(seq))
    S = Q @ key @ K + causal + nt.where(same, 0.0, -nt.inf)
    return V @ seq @ nt.softmax[seq](S)


@formula
def sloped(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], slope: R) -> R[seq_, val]:
    distance = nt.iota(seq_) - nt.iota(seq)
    S = Q @ key @ K / nt.sqrt(abs(key)) - slope * nt.abs(distance)
    return V @ seq @ nt.softmax[seq](S)


@formula
def alibi(Q: R[head, key, seq_], K: R[head, key, seq], V: R[head, seq, val]) -> R[head, seq_, val]:
    slope = 2.0 ** (-8.0 * (nt.iota(head) + 1) / abs(head))
    distance = nt.iota(seq) - nt.iota(seq_)
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + slope * distance + causal)


@formula
def capped(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], c: float = 1.5) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key))
    return V @ seq @ nt.softmax[seq](c * nt.tanh(S / c))


@formula
def values_named_as_keys(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, key], M: R[seq_, seq]
) -> R[seq_, key]:
    return nt.softmax[seq](Q @ key @ K + M) @ seq @ V


@formula
def values_named_as_keys_causal(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, key], keep: B[seq]
) -> R[seq_, key]:
    S = nt.where(keep, 2.0 * nt.tanh(Q @ key @ K / nt.sqrt(abs(key)) / 2.0), -nt.inf)
    return nt.softmax[seq](S + causal) @ seq @ V


@formula
def capped_causal(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], keep: B[seq]) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key))
    S = nt.where(keep, 2.0 * nt.tanh(S / 2.0), -nt.inf)
    return V @ seq @ nt.softmax[seq](S + causal)


@formula
def capped_and_biased(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]
) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](nt.tanh(Q @ key @ K + M) * 3.0)


@formula
def capped_one_query(Q: R[key], K: R[key, seq], V: R[seq, val]) -> R[val]:
    return V @ seq @ nt.softmax[seq](2.0 * nt.tanh(Q @ key @ K))


@formula
def additive(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def biased_then_scaled(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]
) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq]((Q @ key @ K + M) * 0.25)


@formula
def padded(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], keep: B[seq]) -> R[seq_, val]:
    S = nt.where(keep, Q @ key @ K, -nt.inf)
    return V @ seq @ nt.softmax[seq](S)


@formula
def causal_and_padded(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], keep: B[seq]
) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key)) + causal
    return V @ seq @ nt.softmax[seq](S + nt.where(keep, 0.0, -nt.inf))


@formula
def causal_and_additive(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]
) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](M + Q @ key @ K + causal)


@formula
def linear(X: R[emb], W: R[emb, hid], b: R[hid]) -> R[hid]:
    return b + W @ emb @ X


@formula
def linear_beside_another_term(Y: R[hid, seq], X: R[emb], W: R[emb, hid], b: R[hid]) -> R[hid, seq]:
    return Y + W @ emb @ nt.relu(X) + b


@formula
def linear_of_two(X: R[emb, val], W: R[emb, val, hid, key], b: R[key, hid]) -> R[hid, key]:
    return W @ (emb, val) @ X + b


@formula
def layer_norm(X: R[emb], gamma: R[emb], beta: R[emb]) -> R[emb]:
    return nt.standardize[emb](X) * gamma + beta


@formula
def layer_norm_spelled_out(X: R[emb], gamma: R[emb], beta: R[emb]) -> R[emb]:
    return beta + gamma * ((X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + 1e-5))


@formula
def layer_norm_without_shift(X: R[emb], gamma: R[emb]) -> R[emb]:
    return gamma * nt.standardize[emb](X, 1e-3)


@formula
def layer_norm_of_two(X: R[emb, hid], gamma: R[hid, emb], beta: R[emb, hid]) -> R[emb, hid]:
    return nt.standardize[emb, hid](X) * gamma + beta


@formula
def instance_norm(
    X: R[chans, height, width], gamma: R[chans], beta: R[chans]
) -> R[chans, height, width]:
    return nt.standardize[height, width](X) * gamma + beta


@formula
def batch_norm(X: R[seq, chans, height], gamma: R[chans], beta: R[chans]) -> R[seq, chans, height]:
    return beta + nt.standardize[seq, height](X) * gamma


@formula
def group_norm(
    X: R[hid, chans, height], gamma: R[chans, hid], beta: R[hid, chans]
) -> R[hid, chans, height]:
    return nt.standardize[chans, height](X, 1e-3) * gamma + beta


@formula
def merged_group_norm(
    X: R[emb, height, width], gamma: R[emb], beta: R[emb]
) -> R[emb, height, width]:
    parts = X[emb >> (head[3], emb)]
    found = (parts - nt.mean[emb, height, width](parts)) / nt.sqrt(
        nt.var[emb, height, width](parts) + 1e-3
    )
    return beta + gamma * found[(head, emb) >> emb]


@formula
def group_norm_merged_last(
    X: R[emb, height], gamma: R[emb], beta: R[head, kernel]
) -> R[emb, height]:
    parts, gain = X[emb >> (head, kernel[2])], gamma[emb >> (head, kernel[2])]
    return (nt.standardize[kernel, height](parts) * gain + beta)[(head, kernel) >> emb]


@formula
def group_norm_without_places(X: R[emb], gamma: R[emb]) -> R[emb]:
    return nt.standardize[val](X[emb >> (key, val[2])])[(key, val) >> emb] * gamma


@formula
def gain_of_one_of_two(X: R[emb, hid], gamma: R[emb]) -> R[emb, hid]:
    return gamma * nt.standardize[emb, hid](X)


@formula
def rms_norm(X: R[emb], gamma: R[emb]) -> R[emb]:
    return X / nt.sqrt(nt.mean[emb](X * X) + 1e-6) * gamma


@formula
def lookup(E: R[vocab, emb], I: Z) -> R[emb]:
    return E @ vocab @ nt.one_hot(I, vocab)


@formula
def loss(X: R[vocab], I: Z) -> R:
    return -nt.log(nt.softmax[vocab](X)) @ vocab @ nt.one_hot(I, vocab)


@formula
def loss_negated_last(X: R[vocab], I: Z) -> R:
    return -(nt.one_hot(I, vocab) @ vocab @ nt.log(nt.softmax[vocab](X)))


@formula
def stable_softmax(X: R[emb]) -> R[emb]:
    return nt.exp(X) / nt.sum[emb](nt.exp(X))


@formula
def stable_logsumexp(X: R[emb]) -> R:
    return nt.log(nt.sum[emb](nt.exp(X)))


@formula
def convolution(X: R[chans, seq], W: R[out, chans, kernel[2]], b: R[out]) -> R[out, seq]:
    return W @ (chans, kernel) @ nt.unroll[seq, kernel[2]](X) + b


@formula
def convolution_without_bias(X: R[chans, seq], W: R[out, chans, kernel[2]]) -> R[out, seq]:
    return W @ (chans, kernel) @ nt.unroll[seq, kernel[2]](X)


@formula
def convolution_of_two(
    X: R[chans, height, width], W: R[out, kw, chans, kh], b: R[out]
) -> R[out, height, width]:
    windows = nt.unroll[width, kw[3]](nt.unroll[height, kh[2]](X))
    return b + windows @ (chans, kh, kw) @ W


@formula
def convolution_with_steps(
    X: R[chans, height, width], W: R[out, chans, kh, kw], b: R[out]
) -> R[out, height, width]:
    windows = nt.unroll[(height, kh), (width, kw)](
        X, stride=(2, 3), padding={height: 1, width: "same"}, dilation=2
    )
    return W @ (chans, kh, kw) @ windows + b


@formula
def convolution_of_three(
    X: R[seq, chans, height, width], W: R[out, chans, kernel, kh, kw]
) -> R[out, seq, height, width]:
    windows = nt.unroll[seq, kernel, height, kh, width, kw](X, padding=1, dilation=(1, 2, 1))
    return W @ (chans, kernel, kh, kw) @ windows


@formula
def depthwise(X: R[chans, seq], W: R[chans, kernel], b: R[chans]) -> R[chans, seq]:
    return W @ kernel @ nt.unroll[seq, kernel](X, padding=1) + b


@formula
def grouped(
    X: R[head, chans, seq], W: R[head, chans, kernel, out], b: R[out, head]
) -> R[head, out, seq]:
    return b + W @ (kernel, chans) @ nt.unroll[seq, kernel](X, stride=2, padding="same")


@formula
def of_several_channels(
    X: R[chans, head, seq], W: R[emb, chans, kernel, out, head]
) -> R[emb, out, seq]:
    return W @ (kernel, chans, head) @ nt.unroll[seq, kernel](X, padding=(0, 1))


@formula
def convolutions_in_a_sum(
    Y: R[chans, seq], X: R[chans, seq], W: R[head, chans, kernel], b: R[head], V: R[chans, kernel]
) -> R[chans, seq]:
    windows = nt.unroll[seq, kernel](X, padding="same")
    return (
        Y
        + (W @ (kernel, chans) @ windows + b)[head >> chans]
        + V @ kernel @ windows
        + b[head >> chans]
    )


@formula
def transposed(X: R[chans, seq], W: R[chans, out, kernel], b: R[out]) -> R[out, seq]:
    return b + nt.overlap_add[seq, kernel](W @ chans @ X)


@formula
def transposed_of_two(
    X: R[chans, height, width], W: R[chans, out, kh, kw]
) -> R[out, height, width]:
    windows = X @ chans @ W
    return nt.overlap_add[height, kh, width, kw](windows, stride=(2, 3), padding=((1, 0), (1, 1)))


@formula
def transposed_depthwise(X: R[chans, seq], W: R[chans, kernel], b: R[chans]) -> R[chans, seq]:
    return b + nt.overlap_add[seq, kernel](W * X, stride=2, padding="same", dilation=2)


@formula
def max_pool_with_steps(X: R[height, width]) -> R[height, width]:
    windows = nt.pool[(height, kh[3]), (width, kw[2])](
        X, stride=2, padding={height: 1, width: (0, 2)}, value=-nt.inf, dilation={height: 2}
    )
    return nt.max[kw, kh](windows)


@formula
def mean_pool_with_padding(X: R[emb, height, width]) -> R[emb, height, width]:
    return nt.mean[kernel, kh, kw](
        nt.unroll[emb, kernel[2], height, kh[2], width, kw[3]](X, stride=2, padding=1)
    )


@formula
def max_pool(X: R[emb]) -> R[emb]:
    return nt.max[kernel](nt.pool[emb, kernel[2]](X))


@formula
def mean_pool(X: R[emb]) -> R[emb]:
    return nt.mean[kernel](nt.pool[emb, kernel[3]](X))


@formula
def max_pool_of_two(X: R[height, width]) -> R[height, width]:
    return nt.max[kh, kw](nt.pool[width, kw[3]](nt.pool[height, kh[2]](X)))


@formula
def mean_pool_of_two(X: R[height, width]) -> R[height, width]:
    return nt.mean[kw, kh](nt.pool[width, kw[3]](nt.pool[height, kh[2]](X)))


@formula
def three(A: R[emb, hid], B: R[hid, vocab], C: R[vocab]) -> R[emb]:
    return A @ hid @ B @ vocab @ C


@formula
def four(A: R[emb, hid], B: R[hid, key], C: R[key, val], D: R[val, out]) -> R[emb, out]:
    return (A @ hid @ B) @ key @ (C @ val @ D)


hid_ = hid.prime


def lstm_step(W, U, b):
    """The step of an LSTM whose gates stand along the axis key: i, f, g, o."""

    def step(state, x):
        h, c = state
        gates = W @ emb @ x + (U @ hid @ h)[hid_ >> hid] + b
        i, f, g, o = [gates[key(k)] for k in range(4)]
        c = nt.sigmoid(f) * c + nt.tanh(g) * nt.sigmoid(i)
        return nt.sigmoid(o) * nt.tanh(c), c

    return step


@formula
def lstm(
    X: R[seq, emb], h: R[hid], c: R[hid], W: R[key, emb, hid], U: R[key, hid, hid_], b: R[key, hid]
) -> R[seq, hid]:
    H, _ = nt.scan[seq](lstm_step(W, U, b), (h, c), X)
    return H


@formula
def lstm_backwards(
    X: R[seq, emb], h: R[hid], c: R[hid], W: R[key, emb, hid], U: R[key, hid, hid_], b: R[hid]
) -> R[seq, hid]:
    H, _ = nt.scan[seq](lstm_step(W, U, b), (h, c), X, reverse=True)
    return H


@formula
def lstm_at_the_end(
    X: R[seq, emb, val], c: R[hid], W: R[key, emb, val, hid], U: R[key, hid, hid_]
) -> R[hid]:
    """One matrix for each gate, no biases, and the last h and c alone."""

    def step(state, x):
        c, h = state
        i, f, g, o = [
            (U[key(k)] @ hid @ h)[hid_ >> hid] + x @ (emb, val) @ W[key(k)] for k in range(4)
        ]
        c = nt.tanh(g) * nt.sigmoid(i) + c * nt.sigmoid(f)
        return c, nt.tanh(c) * nt.sigmoid(o)

    c, h = nt.fold[seq](step, (c, nt.zeros(hid[abs(hid)])), X)
    return c * h


@formula
def gru(
    X: R[seq, emb],
    h: R[hid],
    W: R[chans, emb, hid],
    U: R[chans, hid, hid_],
    b: R[chans, hid],
    a: R[hid],
) -> R[seq, hid]:
    def step(h, x):
        x = W @ emb @ x + b
        u = (U @ hid @ h)[hid_ >> hid]
        r = nt.sigmoid(x[chans(0)] + u[chans(0)])
        z = nt.sigmoid(x[chans(1)] + u[chans(1)])
        n = nt.tanh(x[chans(2)] + r * (u[chans(2)] + a))
        return (1 - z) * n + z * h

    return nt.scan[seq](step, h, X)


@formula
def gru_moving(
    X: R[seq, emb], h: R[hid], W: R[chans, emb, hid], U: R[chans, hid, hid_]
) -> R[seq, hid]:
    def step(h, x):
        u, x = (U @ hid @ h)[hid_ >> hid], W @ emb @ x
        r, z = [nt.sigmoid(u[chans(k)] + x[chans(k)]) for k in range(2)]
        n = nt.tanh(r * u[chans(2)] + x[chans(2)])
        return n + (h - n) * z

    return nt.scan[seq](step, h, X, reverse=True)


@dataclass(frozen=True)
class Row:
    formula: nt.Formula
    rule: str


@formula
def state_space(X: R[seq, emb], *, A: R[emb, key], B: R[emb, key], C: R[emb, key]) -> R[seq, emb]:
    H = nt.scan[seq](lambda h, x: A * h + B * x, nt.zeros(emb, key), X)
    return C @ key @ H


@formula
def filtered(X: R[seq, emb], *, a: R[emb], b: R) -> R[seq, emb]:
    return nt.scan[seq](lambda h, x: x + a * h + b * (h * x), nt.zeros(emb), X)


@formula
def highway(X: R[seq, emb], *, a: R[emb]) -> R[seq, emb]:
    def step(h, x):
        gate = nt.sigmoid(x) * a
        return gate + gate * h, gate * x + h  # what is used twice is computed once

    return nt.scan[seq](lambda h, x: step(h, x)[0] * step(h, x)[1], nt.ones(emb), X)


ROWS = [
    *[
        Row(f, "attention")
        for f in (
            plain,
            values_over_the_keys,
            turned_round,
            values_named_as_keys,
            values_named_as_keys_causal,
            unscaled,
            one_query,
            spelled_out,
            causal_attention,
            masked_then_scaled,
            causal_the_other_way,
            banded,
            sliding,
            prefix,
            documents,
            causal_documents,
            sloped,
            alibi,
            capped,
            capped_causal,
            capped_and_biased,
            capped_one_query,
            additive,
            biased_then_scaled,
            padded,
            causal_and_padded,
            causal_and_additive,
        )
    ],
    *[Row(f, "lstm") for f in (lstm, lstm_backwards, lstm_at_the_end)],
    *[Row(f, "gru") for f in (gru, gru_moving)],
    *[Row(f, "addcmul") for f in (state_space, filtered, highway)],
    Row(linear, "linear"),
    Row(linear_beside_another_term, "linear"),
    Row(linear_of_two, "linear"),
    Row(layer_norm, "layer_norm"),
    Row(layer_norm_spelled_out, "layer_norm"),
    Row(layer_norm_without_shift, "layer_norm"),
    Row(layer_norm_of_two, "layer_norm"),
    Row(instance_norm, "channel_norm"),
    Row(batch_norm, "channel_norm"),
    Row(group_norm, "channel_norm"),
    Row(merged_group_norm, "group_norm"),
    Row(group_norm_merged_last, "group_norm"),
    Row(group_norm_without_places, "group_norm"),
    Row(gain_of_one_of_two, "channel_norm"),
    Row(rms_norm, "rms_norm"),
    Row(lookup, "lookup"),
    Row(loss, "cross_entropy"),
    Row(loss_negated_last, "cross_entropy"),
    Row(stable_softmax, "softmax"),
    Row(stable_logsumexp, "logsumexp"),
    Row(convolution, "convolution"),
    Row(convolution_without_bias, "convolution"),
    Row(convolution_of_two, "convolution"),
    *[
        Row(f, "convolution")
        for f in (
            convolution_with_steps,
            convolution_of_three,
            depthwise,
            grouped,
            of_several_channels,
            convolutions_in_a_sum,
        )
    ],
    Row(transposed, "transposed_convolution"),
    Row(transposed_of_two, "transposed_convolution"),
    Row(transposed_depthwise, "transposed_convolution"),
    Row(max_pool_with_steps, "pooling"),
    Row(mean_pool_with_padding, "pooling"),
    Row(three, "chain"),
    Row(four, "chain"),
    Row(max_pool, "pooling"),
    Row(mean_pool, "pooling"),
    Row(max_pool_of_two, "pooling"),
    Row(mean_pool_of_two, "pooling"),
]
