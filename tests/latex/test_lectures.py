"""Documents as lecturers write them, against the same formulas in plain numpy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read_file
from namedtensor.latex.documents.document import Document

FOLDER = Path(__file__).with_name("lectures")
RNG = np.random.default_rng(0)


def normal(*sizes: int) -> np.ndarray:
    return RNG.normal(size=sizes)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def logsumexp(x: np.ndarray, axis: int) -> np.ndarray:
    return np.log(np.exp(x).sum(axis))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def tanh_states(X: np.ndarray, W: np.ndarray, U: np.ndarray, b: np.ndarray) -> np.ndarray:
    h, found = np.zeros(U.shape[0]), []
    for x in X:
        h = np.tanh(x @ W + h @ U + b)
        found.append(h)
    return np.array(found)


class Lecture:
    """A document, and numbers for what its formulas take, by their Python names."""

    def __init__(self, file: str, bound: dict[str, Any] | None = None, **given: Any) -> None:
        document: Document = read_file(FOLDER / file)
        self.file = file
        self.document = document.bind(**bound) if bound else document
        self.given = {
            name: value if not isinstance(value, tuple) else tensor(value[0], *value[1].split())
            for name, value in given.items()
        }

    def __call__(self, name: str, axes: str, expected: Any) -> None:
        formula = self.document[name]
        known = {p.name: self.given[p.name] for p in formula.signature.parameters}
        found = formula(**known)
        assert set(found.axes) == set(axes.split()), name
        assert np.allclose(found.numpy(*axes.split()), expected, rtol=1e-9, atol=1e-9), name


def graphs() -> None:
    A = RNG.random((5, 5)) < 0.4
    A = (A | A.T) & ~np.eye(5, dtype=bool)
    H, W, V, U = normal(5, 3), normal(3, 3), normal(3, 3), normal(3, 2)

    def layer(H: np.ndarray, W: np.ndarray) -> np.ndarray:
        loops = A + np.eye(5)
        root = np.sqrt(loops.sum(1))
        return np.maximum(loops / root[:, None] / root @ H @ W, 0)

    holds = Lecture(
        "gcn.md",
        A=(A, "node node'"),
        H=(H, "node feat"),
        W=(W, "feat feat'"),
        W1=(W, "feat feat'"),
        W2=(V, "feat feat'"),
        U=(U, "feat class"),
    )
    holds("GCN", "node feat", layer(H, W))
    holds("classify", "class", softmax(layer(layer(H, W), V).mean(0) @ U))


def words() -> None:
    E, U = normal(7, 3), normal(7, 3)
    counts = RNG.random(7)
    samples = np.array([1, 4, 2])
    holds = Lecture(
        "word2vec.md",
        c=3,  # a number counts from 1, and a tensor from 0
        o=5,
        nu=(samples, "neg"),
        E=(E, "vocab emb"),
        U=(U, "vocab emb"),
        n=(counts, "vocab"),
    )
    holds("s", "", E[2] @ U[4])
    noise = np.log(sigmoid(-(U[samples] @ E[2]))).sum()
    holds("J", "", -np.log(sigmoid(E[2] @ U[4])) - noise)
    holds("P", "vocab", counts**0.75 / (counts**0.75).sum())
    near = E @ E[2] / np.linalg.norm(E, axis=1)
    holds("near", "vocab", np.arange(7) == near.argmax())


def advantages() -> None:
    r, V, old, new = normal(6), normal(6), normal(6), normal(6)
    delta = np.append(r[:-1] + 0.9 * V[1:] - V[:-1], r[-1] - V[-1])
    A = delta.copy()
    for t in range(4, -1, -1):
        A[t] += 0.9 * 0.8 * A[t + 1]
    holds = Lecture("gae.tex", r=(r, "time"), V=(V, "time"), gamma=0.9, lambda_=0.8)
    holds("delta", "time", delta)
    holds("A", "time", A)
    holds = Lecture("gae.tex", ell=(new, "time"), ell_=(old, "time"), A=(A, "time"))
    ratio = np.exp(new - old)
    holds("J", "", np.minimum(ratio * A, np.clip(ratio, 0.8, 1.2) * A).mean())


def classifiers() -> None:
    X, w, y = normal(8, 3), normal(3), (RNG.random(8) < 0.5) * 1.0
    found = sigmoid(X @ w)
    holds = Lecture("newton.md", X=(X, "point feat"), y=(y, "point"), w=(w, "feat"), lambda_=0.3)
    loss = -(y * np.log(found) + (1 - y) * np.log(1 - found)).sum() + 0.15 * (w**2).sum()
    holds("L", "", loss)
    holds("g", "feat", X.T @ (found - y) + 0.3 * w)
    holds("H", "feat feat'", (X.T * (found * (1 - found))) @ X + 0.3 * np.eye(3))


def views() -> None:
    Z, P = normal(4, 3), normal(4, 3)
    u, v = [z / np.linalg.norm(z, axis=1, keepdims=True) for z in (Z, P)]
    within = np.exp(u @ u.T / 0.1) * (1 - np.eye(4))
    below = np.exp(u @ v.T / 0.1).sum(1) + within.sum(1)
    holds = Lecture("simclr.md", Z=(Z, "batch emb"), Z_=(P, "batch emb"))
    holds("loss", "", -np.log(np.exp((u * v).sum(1) / 0.1) / below).mean())


def states() -> None:
    x, A, D, b = normal(5, 3), -RNG.random((3, 2)), normal(3), normal(3)
    WB, WC, WD = normal(3, 2), normal(3, 2), normal(3, 3)
    step = np.log1p(np.exp(x @ WD + b))
    h, y = np.zeros((3, 2)), []
    for t in range(5):
        h = np.exp(step[t][:, None] * A) * h + (step[t] * x[t])[:, None] * (x @ WB)[t]
        y.append(h @ (x @ WC)[t] + D * x[t])
    holds = Lecture(
        "mamba.md",
        x=(x, "seq chans"),
        A=(A, "chans state"),
        WB=(WB, "chans state"),
        WC=(WC, "chans state"),
        W__Delta=(WD, "chans chans'"),
        b=(b, "chans"),
        D=(D, "chans"),
    )
    holds("y", "seq chans", np.array(y))


def transformers() -> None:
    X, g1, g2 = normal(4, 6), RNG.random(6), RNG.random(6)
    WQ, WK, WV, WO = normal(6, 2, 3, 2), normal(6, 2, 2), normal(6, 2, 2), normal(2, 3, 2, 6)
    W1, W2, W3 = normal(6, 5), normal(5, 6), normal(6, 5)

    def attention(X: np.ndarray) -> np.ndarray:
        Q, K = np.einsum("se,eghk->sghk", X, WQ), np.einsum("se,egk->sgk", X, WK)
        mask = np.where(np.tri(4) > 0, 0, -np.inf)
        A = softmax(np.einsum("sghk,tgk->ghst", Q, K) / np.sqrt(2) + mask)
        return np.einsum("ghst,te,egv,ghvd->sd", A, X, WV, WO)

    def norm(X: np.ndarray, g: np.ndarray) -> np.ndarray:
        return X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) * g

    def feed(X: np.ndarray) -> np.ndarray:
        return (X @ W1 * sigmoid(X @ W1) * (X @ W3)) @ W2

    a = {
        "WQ": tensor(WQ, "emb", "group", "head", "key"),
        "WK": tensor(WK, "emb", "group", "key"),
        "WV": tensor(WV, "emb", "group", "val"),
        "WO": tensor(WO, "group", "head", "val", "emb"),
    }
    f = {
        "W1": tensor(W1, "emb", "hid"),
        "W3": tensor(W3, "emb", "hid"),
        "W2": tensor(W2, "hid", "emb"),
    }
    x = (X, "seq emb")
    Lecture("llama.md", X=x, **a)("GQA", "seq emb", attention(X))
    Lecture("llama.md", X=x, **f)("SwiGLU", "seq emb", feed(X))
    holds = Lecture("llama.md", X=x, a=a, f=f, gamma1=(g1, "emb"), gamma2=(g2, "emb"))
    Y = X + attention(norm(X, g1))
    holds("Block", "seq emb", Y + feed(norm(Y, g2)))


def transport() -> None:
    C, a, b = RNG.random((3, 4)), softmax(normal(3)), softmax(normal(4))
    K, v = np.exp(-C / 0.2), np.ones(4)
    for _ in range(5):
        u = a / (K @ v)
        v = b / (K.T @ u)
    holds = Lecture(
        "sinkhorn.md",
        {"L": 5},
        C=(C, "from to"),
        a=(a, "from"),
        b=(b, "to"),
        varepsilon=0.2,
    )
    holds("OT", "", (u[:, None] * K * v * C).sum())


def neighbours() -> None:
    X, Y, width = normal(5, 4), normal(5, 2), RNG.random(5) + 0.5
    far = ((X[:, None] - X) ** 2).sum(-1)
    with np.errstate(divide="ignore"):
        scores = -far / (2 * width[:, None] ** 2) + np.log(1 - np.eye(5))
    near = (1 - np.eye(5)) / (1 + ((Y[:, None] - Y) ** 2).sum(-1))
    holds = Lecture("tsne.md", X=(X, "point dim"), sigma=(width, "point"), Y=(Y, "point plane"))
    holds("p", "point point'", softmax(scores))
    holds("q", "point point'", near / near.sum())


def tags() -> None:
    E, T, s = normal(5, 3), normal(3, 3), normal(3)
    best = total = s + E[0]
    for e in E[1:]:
        best = (best[:, None] + T).max(0) + e
        total = logsumexp(total[:, None] + T, 0) + e
    holds = Lecture("viterbi.md", E=(E, "seq tag"), T=(T, "tag tag'"), s=(s, "tag"))
    holds("best", "", best.max())
    holds("Z", "", logsumexp(total, 0))


def both_ways() -> None:
    X, (W, V), (U, T) = normal(5, 3), normal(2, 3, 2), normal(2, 2, 2)
    b, c = normal(2, 2)
    forth, back = tanh_states(X, W, U, b), tanh_states(X[::-1], V, T, c)[::-1]
    holds = Lecture(
        "birnn.md",
        X=(X, "seq emb"),
        W=(W, "emb hid"),
        W_=(V, "emb hid"),
        U=(U, "hid hid'"),
        U_=(T, "hid hid'"),
        b=(b, "hid"),
        b_=(c, "hid"),
    )
    holds("y", "seq hid", forth + back)


def regression() -> None:
    F, t, new = normal(6, 3), normal(6), normal(3)
    A = 0.5 * np.eye(3) + 2 * F.T @ F
    S = np.linalg.inv(A)
    m = 2 * S @ F.T @ t
    holds = Lecture(
        "bayes.md",
        Phi=(F, "data feat"),
        t=(t, "data"),
        alpha=0.5,
        beta=2.0,
        phi=(new, "feat"),
    )
    holds("A", "feat feat'", A)
    holds("S", "feat feat'", S)
    holds("m", "feat", m)
    holds("mu", "", m @ new)
    holds("sigma^2", "", 0.5 + new @ S @ new)


def rewards() -> None:
    policy, P = softmax(normal(4, 3)), softmax(normal(4, 3, 4))
    R, V = normal(4, 3), normal(4)
    holds = Lecture(
        "values.md",
        {"K": 3},
        pi=(policy, "state action"),
        P=(P, "state action state'"),
        R=(R, "state action"),
        Q=(R, "state action"),
        V=(V, "state"),
        gamma=0.9,
        tau=0.5,
    )
    holds("Q", "state action", R + 0.9 * P @ V)
    holds("V", "state", (policy * (R + 0.9 * P @ V)).sum(1))
    holds("V_{tau}", "state", 0.5 * logsumexp(R / 0.5, 1))
    for _ in range(3):
        V = (R + 0.9 * P @ (V if _ else np.zeros(4))).max(1)
    holds("V^3", "state", V)


def teachers() -> None:
    z, u, y = normal(5, 4), normal(5, 4), np.array([0, 3, 1, 2, 2])
    logs = np.log(softmax(z))
    picked = logs[np.arange(5), y]
    holds = Lecture(
        "distill.tex",
        z=(z, "batch class"),
        u=(u, "batch class"),
        y=(y, "batch"),
        epsilon=0.1,
        gamma=2.0,
        T=3.0,
    )
    holds("CE", "", -picked.mean())
    holds("smooth", "", -0.9 * picked.mean() - 0.1 / 4 * logs.sum(1).mean())
    holds("focal", "", -((1 - np.exp(picked)) ** 2 * picked).mean())
    holds("distill", "", -9 * (softmax(u / 3) * np.log(softmax(z / 3))).sum(1).mean())


def mixtures() -> None:
    X, Y, (a, m, s) = normal(5, 2), normal(5), normal(3, 2, 3)
    spread = np.exp(X @ s)
    bells = np.exp(-((Y[:, None] - X @ m) ** 2) / 2 / spread**2) / np.sqrt(2 * np.pi) / spread
    holds = Lecture(
        "mdn.md",
        X=(X, "data in"),
        Y=(Y, "data"),
        W__alpha=(a, "in comp"),
        W__mu=(m, "in comp"),
        W__sigma=(s, "in comp"),
    )
    holds("L", "", -np.log((softmax(X @ a) * bells).sum(1)).sum())


def long_memories() -> None:
    X, c, h, cells, found = normal(5, 3), np.zeros(2), np.zeros(2), [], []
    W, U, b = normal(4, 3, 2), normal(4, 2, 2), normal(4, 2)
    for x in X:
        i, f, o, new = [x @ W[g] + h @ U[g] + b[g] for g in range(4)]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
        h = sigmoid(o) * np.tanh(c)
        cells.append(c)
        found.append(h)
    given: dict[str, Any] = {"X": (X, "time in")}
    for place, gate in enumerate("ifoc"):
        given[f"W{gate}"] = (W[place], "in hid")
        given[f"U__{gate}"] = (U[place], "hid' hid")
        given[f"b__{gate}"] = (b[place], "hid")
    holds = Lecture("lstm.tex", **given)
    holds("c", "time hid", np.array(cells))
    holds("h", "time hid'", np.array(found))


def images() -> None:
    X, K, b, W = normal(3, 6, 5), normal(3, 4, 3, 3), normal(4), normal(4, 2)
    windows = np.lib.stride_tricks.sliding_window_view(X, (3, 3), (1, 2))
    C = np.einsum("crsij,coij->ors", windows, K) + b[:, None, None]
    holds = Lecture(
        "cnn.md",
        X=(X, "chans height width"),
        K=(K, "chans out kh kw"),
        b=(b, "out"),
        W=(W, "out class"),
    )
    pooled = np.maximum(C, 0).max((1, 2))
    holds("C", "out height width", C)
    holds("p", "out", pooled)
    holds("logits", "class", pooled @ W)


def bounds() -> None:
    (mu, ell, noise), W, b, x = normal(3, 3), normal(3, 4), normal(4), RNG.random(4)
    y = sigmoid((mu + np.exp(ell / 2) * noise) @ W + b)
    far = 0.5 * (mu**2 + np.exp(ell) - 1 - ell).sum()
    loss = -(x * np.log(y) + (1 - x) * np.log(1 - y)).sum()
    holds = Lecture(
        "elbo.md",
        x=(x, "pixel"),
        y=(y, "pixel"),
        mu=(mu, "latent"),
        ell=(ell, "latent"),
        varepsilon=(noise, "latent"),
        W=(W, "latent pixel"),
        b=(b, "pixel"),
        beta=2.0,
    )
    holds("KL", "", far)
    holds("BCE", "", loss)
    holds("L", "", loss + 2 * far)


def optimisers() -> None:
    G, theta = normal(4, 3), normal(3)
    v = m = s = np.zeros(3)
    at, speeds, places = theta, [], []
    for k, g in enumerate(G, 1):
        v, m, s = 0.9 * v + g, 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g**2
        at = at - 0.1 * (m / (1 - 0.9**k)) / (np.sqrt(s / (1 - 0.999**k)) + 1e-8)
        speeds.append(v)
        places.append(at)
    given: dict[str, Any] = {"g": (G, "step param"), "theta": (theta, "param")}
    holds = Lecture("momentum.md", **given, mu=0.9, alpha=0.1, epsilon=1e-8)
    holds("v", "step param", np.array(speeds))
    holds("theta", "step param", np.array(places))


def discriminants() -> None:
    X, w, Y = normal(8, 3), normal(3), np.eye(2)[[0, 1, 1, 0, 1, 0, 0, 1]]
    n = Y.sum(0)
    m = Y.T @ X / n[:, None]
    away, between = X - Y @ m, m - X.mean(0)
    within, apart = away.T @ away, (n[:, None] * between).T @ between
    holds = Lecture("lda.md", X=(X, "point dim"), Y=(Y, "point class"), w=(w, "dim"))
    holds("S_W", "dim dim'", within)
    holds("S_B", "dim dim'", apart)
    holds("J", "", (w @ apart @ w) / (w @ within @ w))


def pointers() -> None:
    H, d, c, (A, B), (wc, v, b) = (
        normal(5, 3),
        normal(3),
        RNG.random(5),
        normal(2, 3, 4),
        normal(3, 4),
    )
    a = softmax(np.tanh(H @ A + d @ B + c[:, None] * wc + b) @ v)
    P, x = softmax(normal(6)), np.array([0, 3, 3, 5, 1])
    given = {
        "H": (H, "src hid"),
        "d": (d, "hid"),
        "c": (c, "src"),
        "Wh": (A, "hid att"),
        "Wd": (B, "hid att"),
        "w__c": (wc, "att"),
        "v": (v, "att"),
        "b": (b, "att"),
    }
    holds = Lecture("pointer.md", **given)
    holds("a", "src", a)
    holds("h^*", "hid", a @ H)
    holds = Lecture("pointer.md", p=0.3, P=(P, "vocab"), a=(a, "src"), x=(x, "src"), c=(c, "src"))
    holds("mix", "vocab", 0.3 * P + 0.7 * np.bincount(x, a, 6))
    holds("cov", "", np.minimum(a, c).sum())


def memories() -> None:
    X, xi = normal(5, 3), normal(3)
    scores = 2 * X @ xi
    energy = -logsumexp(scores, 0) / 2 + xi @ xi / 2 + np.log(5) / 2
    energy += (X**2).sum(1).max() / 2
    holds = Lecture("hopfield.md", X=(X, "mem dim"), xi=(xi, "dim"), beta=2.0)
    holds("E", "", energy)
    holds("xi^{new}", "dim", softmax(scores) @ X)


def latents() -> None:
    X, Z = normal(6, 3), normal(2, 4)
    WQ, WK, WV, WO = normal(4, 2, 3), normal(3, 2, 3), normal(3, 2, 2), normal(2, 2, 4)

    def block(Z: np.ndarray) -> np.ndarray:
        A = softmax(np.einsum("ld,dhk,ic,chk->lhi", Z, WQ, X, WK) / np.sqrt(3))
        return Z + np.einsum("lhi,ic,chv,hvd->ld", A, X, WV, WO)

    holds = Lecture(
        "perceiver.md",
        {"L": 3},
        X=(X, "input chan"),
        Z=(Z, "latent dim"),
        WQ=(WQ, "dim head key"),
        WK=(WK, "chan head key"),
        WV=(WV, "chan head val"),
        WO=(WO, "head val dim"),
    )
    holds("B", "latent dim", block(Z))
    holds("Z^3", "latent dim", block(block(block(Z))))


def factors() -> None:
    R, M = normal(5, 6), RNG.random((5, 6)) < 0.7
    P, Q, b, c = normal(5, 2), normal(6, 2), normal(5), normal(6)
    predicted = 0.3 + b[:, None] + c + P @ Q.T
    G = np.einsum("ui,ik,il->ukl", M, Q, Q) + 0.2 * np.eye(2)
    holds = Lecture(
        "als.md",
        R=(R, "user item"),
        M=(M, "user item"),
        P=(P, "user factor"),
        Q=(Q, "item factor"),
        b=(b, "user"),
        c=(c, "item"),
        mu=0.3,
        lambda_=0.2,
    )
    holds("Rhat", "user item", predicted)
    holds("L", "", (M * (R - predicted) ** 2).sum() + 0.2 * ((P**2).sum() + (Q**2).sum()))
    solved = np.linalg.solve(G, np.einsum("ui,ik->uk", M * R, Q)[..., None])[..., 0]
    holds("P^{new}", "user factor'", solved)


def fields() -> None:
    E, A, y = normal(5, 3), normal(3, 3), np.array([0, 2, 1, 1, 0])
    alpha = [E[0]]
    for row in E[1:]:
        alpha.append(row + logsumexp(alpha[-1][:, None] + A, 0))
    score = E[np.arange(5), y].sum() + A[y[:-1], y[1:]].sum()
    holds = Lecture("crf.tex", E=(E, "word tag"), A=(A, "tag tag'"), y=(y, "word"))
    holds("s", "", score)
    holds("alpha", "word tag", np.array(alpha))
    holds("logZ", "", logsumexp(alpha[-1], 0))


def noise() -> None:
    beta, x, e, eps = RNG.random(6), normal(4), normal(4), normal(4)
    bar = np.cumprod(1 - beta)
    holds = Lecture(
        "ddpm.md",
        beta=(beta, "step"),
        x=(x, "pixel"),
        e=(e, "pixel"),
        epsilon=(eps, "pixel"),
        varepsilon=(eps, "pixel"),
        t=4,
    )
    holds("q", "pixel", np.sqrt(bar[3]) * x + np.sqrt(1 - bar[3]) * eps)
    mean = (x - beta[3] / np.sqrt(1 - bar[3]) * e) / np.sqrt(1 - beta[3])
    holds("mu", "pixel", mean)
    holds("L", "", ((eps - e) ** 2).mean())


def messages() -> None:
    h, e, W, U, V = normal(4, 3), normal(5, 3), normal(3, 3), normal(3, 3), normal(3, 3)
    s, t = np.array([0, 1, 2, 3, 0]), np.array([1, 2, 3, 0, 2])
    m = np.maximum((h[s] + e) @ W, 0)
    a = np.zeros((4, 3))
    np.add.at(a, t, m)
    z = sigmoid(h @ U + a @ V)
    new = (1 - z) * h + z * np.tanh(a)
    holds = Lecture(
        "gnn.md",
        h=(h, "node feat"),
        e=(e, "edge feat"),
        W=(W, "feat feat'"),
        U=(U, "feat feat'"),
        V=(V, "feat feat'"),
        s=(s, "edge"),
        t=(t, "edge"),
    )
    holds("m", "edge feat", m)
    holds("a", "node feat", a)
    holds("z", "node feat", z)
    holds("h'", "node feat", new)
    holds("g", "feat", new.max(0))


def kernels() -> None:
    X, y, alpha, x, w = normal(5, 3), np.sign(normal(5)), RNG.random(5), normal(3), normal(3)

    def kernel(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return np.exp(-0.7 * ((A - B) ** 2).sum(-1))

    holds = Lecture(
        "kernel.md",
        X=(X, "data feat"),
        A=(X, "data feat"),
        B=(x, "feat"),
        y=(y, "data"),
        alpha=(alpha, "data"),
        x=(x, "feat"),
        w=(w, "feat"),
        b=0.4,
        gamma=0.7,
        lambda_=0.2,
    )
    holds("k", "data", kernel(X, x))
    holds("f", "", (alpha * y * kernel(X, x)).sum() + 0.4)
    gram = kernel(X[:, None], X[None])
    holds("D", "", alpha.sum() - 0.5 * (alpha * y) @ gram @ (alpha * y))
    hinge = np.maximum(0, 1 - y * (X @ w + 0.4)).mean()
    holds("H", "", hinge + 0.1 * (w**2).sum())


def smoothing() -> None:
    y, s, level, slope, levels, slopes = normal(6), [], 0.0, 0.0, [], []
    for value in y:
        s.append(0.3 * value + 0.7 * s[-1] if s else value)
        before = level
        level = 0.3 * value + 0.7 * (level + slope)
        slope = 0.2 * (level - before) + 0.8 * slope
        levels.append(level)
        slopes.append(slope)
    holds = Lecture("smoothing.md", y=(y, "day"), alpha=0.3, beta=0.2, h=2)
    holds("s", "day", np.array(s))
    holds("ell", "day", np.array(levels))
    holds("b", "day", np.array(slopes))
    holds("f", "", levels[-1] + 2 * slopes[-1])


LECTURES: list[Callable[[], None]] = [
    graphs,
    words,
    advantages,
    classifiers,
    views,
    states,
    transformers,
    transport,
    neighbours,
    tags,
    both_ways,
    regression,
    rewards,
    teachers,
    mixtures,
    long_memories,
    images,
    bounds,
    optimisers,
    discriminants,
    pointers,
    memories,
    latents,
    factors,
    fields,
    noise,
    messages,
    kernels,
    smoothing,
]


@pytest.mark.parametrize("lecture", LECTURES)
def test_a_lecture_gives_the_numbers_that_its_formulas_say(lecture):
    lecture()


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_lecture_has_no_faults(path):
    assert [str(f) for f in read_file(path).check() if f.severity != "note"] == []
