"""Files by hand: formulas in formulas, bundles, recurrences, helpers, settings; the last formula is run."""

from __future__ import annotations

SEEDS: dict[str, str] = {}
AX = 'seq, key, val, emb, hid, head, layer = axes("seq key val emb hid head layer")\nseq_ = seq.prime\n\n'
ATT = """@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))

"""
MHA = (
    ATT
    + """@formula
def mha(
    X: R[seq, emb],
    *,
    WQ: R[emb, head, key],
    WK: R[emb, head, key],
    WV: R[emb, head, val],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    Y = att((WQ @ emb @ X)[seq >> seq_], WK @ emb @ X, WV @ emb @ X)
    return (WO @ (head, val) @ Y)[seq_ >> seq]

"""
)
FFN = """@formula
def ffn(X: R[emb], *, W: R[emb, hid], b: R[hid], V: R[hid, emb]) -> R[emb]:
    return V @ hid @ nt.relu(W @ emb @ X + b)

"""
NORM = """@formula
def norm(X: R[emb], *, gain: R[emb], bias: R[emb]) -> R[emb]:
    return nt.standardize[emb](X) * gain + bias

"""
SEEDS["block"] = (
    AX
    + MHA
    + FFN
    + NORM
    + """@formula
def block(X: R[seq, emb], *, a: mha, f: ffn, n: norm) -> R[seq, emb]:
    X = X + a(n(X))
    return X + f(n(X))
"""
)
SEEDS["deep"] = (
    AX
    + FFN
    + """@formula
def deep(X: R[emb], *, layers: nt.each[ffn], out: R[emb, val]) -> R[val]:
    for layer in layers:
        X = X + layer(X)
    return out @ emb @ X
"""
)
SEEDS["deep2"] = (
    AX
    + MHA
    + FFN
    + NORM
    + """@formula
def one(X: R[seq, emb], *, a: nt.one[mha], f: nt.one[ffn], n: nt.one[norm]) -> R[seq, emb]:
    X = X + a(n(X))
    return X + f(n(X))

@formula
def model(X: R[seq, emb], *, layers: nt.each[one], last: norm) -> R[emb]:
    for i, layer in enumerate(layers):
        X = layer(X) if i % 2 else X + layer(X)
    return nt.mean[seq](last(X))
"""
)
SEEDS["stackedlayers"] = (
    AX
    + FFN
    + """@formula
def deep(X: R[emb], *, layers: nt.each[ffn, "stacked"]) -> R[emb]:
    for f in layers:
        X = X + f(X)
    return X
"""
)
SEEDS["rnn"] = (
    AX
    + """@formula
def rnn(X: R[seq, emb], h0: R[hid], *, W: R[emb, hid], U: R[hid, "hid'"], b: R[hid]) -> R[seq, hid]:
    step = lambda h, x: nt.tanh(W @ emb @ x + (U @ hid @ h)["hid' -> hid"] + b)
    return nt.scan[seq](step, h0, X)
"""
)
SEEDS["lstm"] = (
    AX
    + """@formula
def lstm(X: R[seq, emb], *, W: R[emb, hid], U: R[hid, "hid'"], F: R[emb, hid]) -> tuple[R[hid], R[hid]]:
    def step(s, x):
        h, c = s
        f = nt.sigmoid(F @ emb @ x)
        c = f * c + (1 - f) * nt.tanh(W @ emb @ x + (U @ hid @ h)["hid' -> hid"])
        return nt.tanh(c), c
    zero = 0 * nt.sum[seq](W @ emb @ X)
    return nt.fold[seq](step, (zero, zero), X)
"""
)
SEEDS["foldlambda"] = (
    AX
    + """@formula
def decay(X: R[seq, emb], g: R[emb]) -> tuple[R[emb], R[seq, emb]]:
    last = nt.fold[seq](lambda h, x: g * h + x, 0 * g, X)
    every = nt.scan[seq](lambda h, x: g * h + x, 0 * g, X)
    return last, every - last
"""
)
SEEDS["tuples"] = (
    AX
    + """@formula
def halves(X: R[seq, emb]) -> tuple[R[seq], R[emb]]:
    return nt.sum[emb](X), nt.max[seq](X)

@formula
def both(X: R[seq, emb], W: R[emb, hid]) -> tuple[R[hid], R[seq]]:
    rows, columns = halves(X)
    return W @ emb @ columns, rows / nt.norm[seq](rows)
"""
)
SEEDS["helper"] = (
    AX
    + """def scores(Q, K, over=key, scale=True):
    S = Q @ over @ K
    if scale:
        S = S / nt.sqrt(abs(over))
    return S

def gate(X, W):
    return nt.sigmoid(W @ emb @ X)

@formula
def att(X: R[seq, emb], *, WQ: R[emb, key], WK: R[emb, key], G: R[emb, emb.prime]) -> R[seq_, emb]:
    S = scores((WQ @ emb @ X)[seq >> seq_], WK @ emb @ X)
    Y = X @ seq @ nt.softmax[seq](S)
    return Y * gate(Y, G)["emb' -> emb"]
"""
)
SEEDS["settings"] = (
    AX
    + """@formula
def pool(X: R[seq, emb], how: str = "mean", keep: bool = False, k: int = 2) -> R[emb]:
    if how == "mean":
        Y = nt.mean[seq](X)
    elif how == "max":
        Y = nt.max[seq](X)
    else:
        Y = nt.norm[seq](X)
    if keep:
        return Y + nt.sum[seq](X)
    return Y / k
"""
)
SEEDS["optional"] = (
    AX
    + """@formula
def linear(X: R[emb], *, W: R[emb, hid], b: R[hid] = None, M: R[emb] = None) -> R[hid]:
    if M is not None:
        X = X * M
    Y = W @ emb @ X
    return Y if b is None else Y + b
"""
)
SEEDS["mask"] = (
    AX
    + """causal = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))

@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + causal)
"""
)
SEEDS["embed"] = (
    AX
    + """vocab = A("vocab")

@formula
def lm(T: Z[seq], *, E: R[vocab, emb], P: R[seq, emb]) -> R[seq, vocab]:
    X = E[vocab(T)] + P
    return nt.log_softmax[vocab](E @ emb @ nt.standardize[emb](X))

@formula
def loss(T: Z[seq], Y: Z[seq], *, m: lm) -> R:
    return -nt.mean[seq](m(T)[vocab(Y)])
"""
)
SEEDS["state"] = (
    AX
    + """@formula
def track(X: R[seq, emb], *, m: nt.State[R[emb]]) -> R[seq, emb]:
    return X - m, nt.update(m=0.9 * m + 0.1 * nt.mean[seq](X))
"""
)
SEEDS["heads"] = (
    AX
    + """@formula
def split(X: R[seq, emb]) -> R[seq, head, key]:
    return X[emb >> (head[2], key)]

@formula
def join(X: R[seq, head, key]) -> R[seq, emb]:
    return X[(head, key) >> emb]

@formula
def there_and_back(X: R[seq, emb[6]]) -> R[seq, emb]:
    return join(split(X)) - X
"""
)
SEEDS["conv"] = (
    AX
    + """chans, kernel = axes("chans kernel")
@formula
def conv(X: R[seq, chans], *, W: R[chans, kernel, "chans'"], b: R["chans'"]) -> R[seq, chans]:
    U = nt.unroll[seq, kernel[3]](X, padding=1)
    Y = W @ (chans, kernel) @ U + b
    return nt.relu(Y)["chans' -> chans"] + X
"""
)
SEEDS["comprehension"] = (
    AX
    + """@formula
def powers(X: R[emb], n: int = 3) -> R[layer, emb]:
    return nt.stack[layer](*[X ** i for i in range(n)])
"""
)
SEEDS["grad"] = (
    AX
    + """@formula
def energy(X: R[emb], W: R[emb, emb.prime]) -> R:
    return X @ emb @ (W @ emb @ X)["emb' -> emb"]

slope = nt.grad(energy, "X")

@formula
def descend(X: R[emb], W: R[emb, emb.prime]) -> R[emb]:
    return X - 0.1 * slope(X, W)
"""
)
SEEDS["closure"] = (
    AX
    + """def make(width, act=nt.relu):
    @formula
    def layer_of(X: R[emb], *, W: R[emb, hid[width]]) -> R[hid]:
        return act(W @ emb @ X)
    return layer_of

small = make(3)

@formula
def net(X: R[emb], *, f: small) -> R:
    return nt.sum[hid](f(X))
"""
)
SEEDS["kwargs"] = (
    AX
    + ATT
    + """@formula
def self_att(X: R[seq, key]) -> R[seq, key]:
    Y = att(Q=X[seq >> seq_], K=X, V=X[key >> val])
    return Y[seq_ >> seq, val >> key]
"""
)
SEEDS["score"] = (
    AX
    + """class Model:
    width = 3

    @staticmethod
    @formula
    def score(X: R[seq, emb], *, w: R[emb]) -> R[seq]:
        return nt.softmax[seq](w @ emb @ X)

@formula
def outer(X: R[seq, emb], *, s: Model.score) -> R[seq]:
    return s(X) * Model.width
"""
)
SEEDS["cond"] = (
    AX
    + """@formula
def swish(X: R[emb], beta: R | float = 1.0) -> R[emb]:
    return X * nt.sigmoid(beta * X)
"""
)

#: With which settings each is run beside its defaults.
CALLS: dict[str, list[dict[str, object]]] = {
    "settings": [{"how": "max"}, {"how": "norm"}, {"keep": True}],
    "optional": [{"b": None}, {"M": None}, {"b": None, "M": None}],
    "helper": [],
}
