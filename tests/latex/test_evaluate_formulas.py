"""Formulas of models, against numpy and against our own operations."""

import numpy as np

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.latex.evaluating import element, leaf, numbers, random, value

emb, hid, key, seq, val, head, vocab = axes("emb hid key seq val head vocab")
seq_ = seq.prime


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_a_feed_forward_layer_is_what_numpy_computes():
    X, W1, b1 = random("emb[4]"), random("emb[4] hid[3]", 1), random("hid[3]", 2)
    W2, b2 = random("hid[3] emb[4]", 3), random("emb[4]", 4)
    found = value(
        r"W^2 \underset{\text{hid}}{\cdot} \text{ReLU}(W^1 \underset{\text{emb}}{\cdot} X + b^1) + b^2",
        X=X, W1=W1, b1=b1, W2=W2, b2=b2,
    )  # fmt: skip
    inner = np.maximum(X.numpy() @ W1.numpy("emb", "hid") + b1.numpy(), 0)
    np.testing.assert_allclose(found.numpy(), inner @ W2.numpy("hid", "emb") + b2.numpy())


MASK = r"\begin{cases} 0 & j \leq i \\ -\infty & \text{otherwise} \end{cases}"
ATT = (
    r"V \underset{\text{seq}}{\cdot} \underset{\text{seq}}{\text{softmax}} "
    r"\left(\frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{key}|}} + M \right)"
)


def test_masked_attention_is_what_numpy_computes():
    Q, K = random("key[3] seq'[5]"), random("key[3] seq[5]", 1)
    V = random("seq[5] val[2]", 2)
    M = element(r"M_{\text{seq}':i, \text{seq}:j}", MASK)
    found = value(ATT, Q=Q, K=K, V=V, M=M)
    scores = Q.numpy("seq'", "key") @ K.numpy("key", "seq") / np.sqrt(3)
    scores[np.triu_indices(5, 1)] = -np.inf
    np.testing.assert_allclose(found.numpy("seq'", "val"), softmax(scores) @ V.numpy("seq", "val"))


def test_masked_attention_is_the_tree_that_python_writes():
    Q, K, V = leaf("Q", "key seq'"), leaf("K", "key seq"), leaf("V", "seq val")
    M = element(r"M_{\text{seq}':i, \text{seq}:j}", MASK)
    python = nt.define[seq_, seq](lambda i, j: nt.cases((0, j <= i), -nt.inf))
    assert M.node is python.node
    theirs = V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(Q.size(key)) + python)
    assert value(ATT, Q=Q, K=K, V=V, M=M).node is theirs.node


def test_attention_from_latex_reaches_the_kernel():
    @formula
    def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
        return value(ATT, Q=Q, K=K, V=V, M=element(r"M_{\text{seq}':i, \text{seq}:j}", MASK))

    shapes = [
        nt.normal(s, backend="torch") for s in ("key[3] seq'[5]", "key[3] seq[5]", "seq[5] val[2]")
    ]
    assert "scaled_dot_product_attention" in att.code(*shapes)
    assert "is_causal=True" in att.code(*shapes)


def test_heads_are_contracted_and_renamed_together():
    WO, A = random("head[2] val[3] emb[4]"), random("seq'[5] head[2] val[3]", 1)
    found = value(
        r"\left[W^O \underset{\text{head}, \text{val}}{\cdot} A \right]_{\text{seq}' \rightarrow \text{seq}}",
        WO=WO, A=A,
    )  # fmt: skip
    theirs = np.einsum(
        "hve,shv->se", WO.numpy("head", "val", "emb"), A.numpy("seq'", "head", "val")
    )
    np.testing.assert_allclose(found.numpy("seq", "emb"), theirs)


def test_layer_normalisation_is_what_numpy_computes():
    X, gamma, beta = random("seq[3] emb[4]"), random("emb[4]", 1), random("emb[4]", 2)
    found = value(
        r"\frac{X - \underset{\text{emb}}{\text{mean}}(X)}{\sqrt{\underset{\text{emb}}{\text{var}}(X)"
        r" + \epsilon}} \odot \gamma + \beta",
        X=X, gamma=gamma, beta=beta,
    )  # fmt: skip
    x = X.numpy("seq", "emb")
    normal = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found.numpy("seq", "emb"), normal * gamma.numpy() + beta.numpy())


def test_position_encodings_are_the_sines_and_cosines_of_the_paper():
    P = element(
        r"P_{\text{emb}:i, \text{seq}:p}",
        r"\begin{cases} \sin((p-1)/10000^{(i-1)/d_{\text{model}}}) & i \text{ odd} \\"
        r"\cos((p-1)/10000^{(i-2)/d_{\text{model}}}) & i \text{ even} \end{cases}",
        {"emb": 6, "seq": 5},
        d_model=6,
    )
    expected = np.zeros((5, 6))
    for p in range(5):
        for i in range(0, 6, 2):
            expected[p, i] = np.sin(p / 10000 ** (i / 6))
            expected[p, i + 1] = np.cos(p / 10000 ** (i / 6))
    np.testing.assert_allclose(P.numpy("seq", "emb"), expected, atol=1e-12)


def test_a_recurrent_step_in_the_style_file_is_what_numpy_computes():
    x, h = random("input[3]"), random("hidden[4]", 1)
    A, B, c = (
        random("input[3] hidden'[4]", 2),
        random("hidden[4] hidden'[4]", 3),
        random("hidden'[4]", 4),
    )
    found = value(
        r"\left[\tanh\left( A \ndot{\name{input}} x + B \ndot{\name{hidden}} h + c \right)\right]"
        r"_{\name{hidden}' \rightarrow \name{hidden}}",
        x=x, h=h, A=A, B=B, c=c,
    )  # fmt: skip
    theirs = np.tanh(
        x.numpy() @ A.numpy("input", "hidden'")
        + h.numpy() @ B.numpy("hidden", "hidden'")
        + c.numpy()
    )
    np.testing.assert_allclose(found.numpy("hidden"), theirs)


def test_a_convolution_by_unroll_is_what_numpy_computes():
    X, W, b = random("chans[2] seq[6]"), random("chans[2] kernel[3]", 1), 0.5
    found = value(
        r"W \ndot{\name{chans} \\ \name{kernel}} \nfun{\name{seq} \\ \name{kernel}}{unroll} X + b",
        X=X, W=W, b=b,
    )  # fmt: skip
    x, w = X.numpy("chans", "seq"), W.numpy("chans", "kernel")
    theirs = [np.sum(x[:, i : i + 3] * w) + 0.5 for i in range(4)]
    np.testing.assert_allclose(found.numpy("seq"), theirs)


def test_a_convolution_written_by_indices_is_unrolled():
    X, W = leaf("X", "chans seq"), leaf("W", "chans kernel")
    U = element(
        r"U_{\name{seq}(i), \name{kernel}(j)}",
        r"X_{\name{seq}(i + j - 1)}",
        {"kernel": W.size("kernel")},
        X=X,
    )
    assert repr(U.node) == "unroll[seq, kernel](X, kernel)"


def test_maximal_pooling_written_by_indices_is_what_numpy_computes():
    X = random("height[4] width[6]")
    U = element(
        r"U_{\name{height}:i, \name{width}:j, \name{kh}:a, \name{kw}:b}",
        r"X_{\name{height}:(i - 1) * h + a, \name{width}:(j - 1) * w + b}",
        {"height": 2, "width": 2, "kh": 2, "kw": 3},
        X=X, h=2, w=3,
    )  # fmt: skip
    theirs = X.numpy("height", "width").reshape(2, 2, 2, 3).max((1, 3))
    found = nt.max["kh", "kw"](U)
    np.testing.assert_allclose(found.numpy("height", "width"), theirs)


def test_k_means_broadcasts_both_ways():
    X, C = random("batch[5] d[2]"), random("cluster[3] d[2]", 1)
    found = value(r"\nfun{\name{cluster}}{argmin} \| C - X \|_{\name{d}}", X=X, C=C)
    x, c = X.numpy("batch", "d"), C.numpy("cluster", "d")
    nearest = np.linalg.norm(x[:, None] - c[None], axis=-1).argmin(1)
    np.testing.assert_array_equal(found.numpy("batch", "cluster"), np.eye(3)[nearest])


def test_bayes_rule_sums_over_an_axis():
    A, B = random("b[3]"), random("a[4] b[3]", 1)
    prior, likelihood = softmax(A.numpy()), softmax(B.numpy("b", "a"))
    p, q = nt.tensor(prior, "b"), nt.tensor(likelihood, "b a")
    found = value(r"\frac{q \odot p}{\sum_{\text{b}} q \odot p}", p=p, q=q)
    joint = likelihood * prior[:, None]
    np.testing.assert_allclose(found.numpy("b", "a"), joint / joint.sum(0))


def test_a_normal_density_needs_det_and_inv():
    X, mu = random("d[3]"), random("d[3]", 1)
    root = np.random.default_rng(2).standard_normal((3, 3))
    cov = root @ root.T + np.eye(3)
    found = value(
        r"\frac{\exp\left(-\frac12 [X - \mu]_{\name{d} \rightarrow \name{d}_1} \ndot{\name{d}_1} "
        r"\nfun{\name{d}_1 \\ \name{d}_2}{inv} \Sigma \ndot{\name{d}_2} [X - \mu]_{\name{d} \rightarrow"
        r" \name{d}_2} \right)}{\sqrt{(2 \pi)^{3} \nfun{\name{d}_1 \\ \name{d}_2}{det} \Sigma}}",
        X=X, mu=mu, Sigma=nt.tensor(cov, "d_1 d_2"),
    )  # fmt: skip
    x = X.numpy() - mu.numpy()
    theirs = np.exp(-x @ np.linalg.inv(cov) @ x / 2) / np.sqrt(
        (2 * np.pi) ** 3 * np.linalg.det(cov)
    )
    np.testing.assert_allclose(numbers(found), theirs)


def test_an_embedding_by_indices_and_by_one_hot_vectors_agree():
    E, I = random("vocab[5] emb[3]"), nt.tensor(np.array([4, 0, 1]), "seq")
    by_index = value(r"E_{\text{vocab}(I)}", E=E, I=I)
    by_word = value(r"\underset{\text{vocab}}{\text{index}}(E, I)", E=E, I=I)
    by_dot = value(
        r"E \underset{\text{vocab}}{\cdot} \underset{\text{vocab}}{\text{onehot}}(I)", E=E, I=I
    )
    for found in (by_index, by_word, by_dot):
        np.testing.assert_allclose(found.numpy("seq", "emb"), E.numpy("vocab", "emb")[[4, 0, 1]])
