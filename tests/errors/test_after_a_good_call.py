"""A plan that a good call has left behind checks the next call as well."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, emb, key, val, kernel, k, vocab, head = axes("seq emb key val kernel k vocab head")


@formula
def picked(X: R[seq, emb], I: Z[seq]) -> R[seq]:
    return X[emb(I)]


@formula
def halves(X: R[seq, emb]) -> R[key, val, emb]:
    return X[seq >> (key[2], val)]


@formula
def windowed(X: R[seq, emb]) -> R[seq, emb]:
    return nt.unroll[seq, kernel[3]](X)[kernel(0)]


@formula
def greatest(X: R[seq, emb]) -> R[emb]:
    return nt.max[seq](X)


@formula
def fourth(X: R[seq, emb]) -> R[emb]:
    return X[seq(3)]


@formula
def cleared(X: R[seq, emb]) -> R[seq, emb]:
    return X.at[seq(3)].set(0.0)


@formula
def best(X: R[seq, emb]) -> R[k, emb]:
    return nt.maxk[seq, k[3]](X)


@formula
def inverted(X: R[seq, emb]) -> R[seq, emb]:
    return nt.inv[seq, emb](X)


@formula
def moved(X: R[seq, emb]) -> R[seq, emb]:
    return X.at[seq[:3]].set(X[seq[-3:]])


@formula
def pooled(X: R[seq, emb]) -> R[seq, emb]:
    return nt.pool[seq, kernel[2]](X)[kernel(1)]


@formula
def weighed(X: R[seq, emb]) -> R[emb]:
    return nt.softmax[seq](X) @ seq @ nt.iota(seq[6])


@formula
def product(X: R[seq], Y: R[seq]) -> R:
    return X @ seq @ Y


@formula
def added(X: R[seq], Y: R[key]) -> R[seq]:
    return X + Y["key -> seq"]


PAIRS = [
    pytest.param(
        lambda X, I: nt.maxk[seq, k[2]](X), lambda X, I: nt.maxk[seq, k[9]](X), id="the k greatest"
    ),
    pytest.param(
        lambda X, I: nt.argmaxk[seq, k[2]](X),
        lambda X, I: nt.argmaxk[seq, k[9]](X),
        id="marks of the k greatest",
    ),
    pytest.param(
        lambda X, I: nt.argmink_index[seq, k[2]](X),
        lambda X, I: nt.argmink_index[seq, k[9]](X),
        id="indices of the k smallest",
    ),
    pytest.param(
        lambda X, I: nt.unroll[seq, kernel[2]](X),
        lambda X, I: nt.unroll[seq, kernel[9]](X),
        id="a window that fits",
    ),
    pytest.param(
        lambda X, I: nt.unroll[seq, kernel[2]](X),
        lambda X, I: nt.unroll[seq, kernel[0]](X),
        id="a window of something",
    ),
    pytest.param(
        lambda X, I: nt.pool[seq, kernel[2]](X),
        lambda X, I: nt.pool[seq, kernel[4]](X),
        id="windows that fill",
    ),
    pytest.param(
        lambda X, I: nt.pool[seq, kernel[2]](X),
        lambda X, I: nt.pool[seq, kernel[0]](X),
        id="windows of something",
    ),
    pytest.param(
        lambda X, I: nt.pad[seq](X, 1, 1),
        lambda X, I: nt.pad[seq](X, -1, 1),
        id="a width that lengthens",
    ),
    pytest.param(
        lambda X, I: X[seq >> (key[2], val)],
        lambda X, I: X[seq >> (key[4], val)],
        id="a split that divides",
    ),
    pytest.param(
        lambda X, I: X[seq >> (key[2], val[3])],
        lambda X, I: X[seq >> (key[2], val[2])],
        id="a split into a product",
    ),
    pytest.param(
        lambda X, I: X[seq >> (key[2], val)],
        lambda X, I: X[seq >> (key[0], val)],
        id="a split into something",
    ),
    pytest.param(lambda X, I: X[seq(2)], lambda X, I: X[seq(9)], id="an index inside"),
    pytest.param(lambda X, I: X[seq(2)], lambda X, I: X[seq(-9)], id="an index inside, then below"),
    pytest.param(lambda X, I: X[emb(I)], lambda X, I: X[emb(I + 3)], id="indices inside"),
    pytest.param(
        lambda X, I: X[emb(I)], lambda X, I: X[emb(I - 9)], id="indices inside, then below"
    ),
    pytest.param(lambda X, I: X[seq[[0]]], lambda X, I: X[seq[[7]]], id="a list of indices inside"),
    pytest.param(
        lambda X, I: X.at[seq(0)].set(1.0),
        lambda X, I: X.at[seq(8)].set(1.0),
        id="an update inside",
    ),
    pytest.param(
        lambda X, I: X.at[emb(I)].set(1.0),
        lambda X, I: X.at[emb(I + 9)].set(1.0),
        id="an update at indices inside",
    ),
    pytest.param(
        lambda X, I: X.at[emb(I)].add(1.0),
        lambda X, I: X.at[emb(I - 9)].add(1.0),
        id="an addition at indices inside",
    ),
    pytest.param(
        lambda X, I: X.at[seq[:2]].set(X[seq[:2]]),
        lambda X, I: X.at[seq[:2]].set(X[seq[:3]]),
        id="an update of its size",
    ),
    pytest.param(
        lambda X, I: X.at[seq[:2]].set(X[seq[:2]]),
        lambda X, I: X.at[seq[:2]].set(X[seq[:1]]),
        id="an update of its size, then of 1",
    ),
    pytest.param(
        lambda X, I: X.at[seq[:2]].set(X[seq[:2]]),
        lambda X, I: X.at[seq[:2]].set(X[seq[:0]]),
        id="an update of its size, then of nothing",
    ),
    pytest.param(lambda X, I: X + X, lambda X, I: X + X[seq[:1]], id="a sum"),
    pytest.param(lambda X, I: X + X, lambda X, I: X + X[emb[:0]], id="a sum, then with nothing"),
    pytest.param(lambda X, I: X @ emb @ X, lambda X, I: X @ emb @ X[emb[:1]], id="a contraction"),
    pytest.param(
        lambda X, I: X @ emb @ X["seq->key"],
        lambda X, I: X @ emb @ X["seq->key"][emb[:1]],
        id="a matrix product",
    ),
    pytest.param(
        lambda X, I: nt.dot[emb](X, X, X),
        lambda X, I: nt.dot[emb](X, X[emb[:1]], X),
        id="a contraction of three",
    ),
    pytest.param(
        lambda X, I: X @ emb @ X[seq(0)],
        lambda X, I: X @ emb @ X[seq(0)][emb[:1]],
        id="a matrix by a vector",
    ),
    pytest.param(
        lambda X, I: nt.where(X > 0, X, 0.0),
        lambda X, I: nt.where(X > 0, X[seq[:1]], 0.0),
        id="a choice",
    ),
    pytest.param(
        lambda X, I: nt.concat[seq](X, X),
        lambda X, I: nt.concat[seq](X, X[emb[:1]]),
        id="a joining",
    ),
    pytest.param(
        lambda X, I: nt.stack[head](X, X),
        lambda X, I: nt.stack[head](X, X[emb[:1]]),
        id="a stacking",
    ),
    pytest.param(
        lambda X, I: nt.max[seq](X), lambda X, I: nt.max[seq](X[seq[:0]]), id="the greatest of some"
    ),
    pytest.param(
        lambda X, I: nt.argmax[seq](X),
        lambda X, I: nt.argmax[seq](X[seq[:0]]),
        id="a mark of the greatest of some",
    ),
    pytest.param(
        lambda X, I: nt.argmax_index[seq](X),
        lambda X, I: nt.argmax_index[seq](X[seq[:0]]),
        id="the index of the greatest of some",
    ),
    pytest.param(
        lambda X, I: nt.argmin[seq, emb](X),
        lambda X, I: nt.argmin[seq, emb](X[seq[:0]]),
        id="a mark of the smallest of some",
    ),
    pytest.param(
        lambda X, I: nt.inv[seq, emb](X[seq[:4]] + nt.eye(seq, emb) * 50),
        lambda X, I: nt.inv[seq, emb](X[seq[:3]]),
        id="an inverse",
    ),
    pytest.param(
        lambda X, I: nt.inv[seq, emb](X[seq[:4]] + nt.eye(seq, emb) * 50),
        lambda X, I: nt.inv[seq, emb](0.0 * X[seq[:4]]),
        id="an inverse of a regular matrix",
    ),
    pytest.param(
        lambda X, I: nt.solve[seq, emb](X[seq[:4]] + nt.eye(seq, emb) * 50, X[seq[:4], emb(0)]),
        lambda X, I: nt.solve[seq, emb](0.0 * X[seq[:4]], X[seq[:4], emb(0)]),
        id="a solution",
    ),
    pytest.param(
        lambda X, I: nt.solve[seq, emb](X[seq[:4]] + nt.eye(seq, emb) * 50, X[seq[:4], emb(0)]),
        lambda X, I: nt.solve[seq, emb](X[seq[:4]], X[seq[:3], emb(0)]),
        id="a solution of its size",
    ),
    pytest.param(
        lambda X, I: nt.trace[seq, emb](X[seq[:4]]),
        lambda X, I: nt.trace[seq, emb](X),
        id="a trace",
    ),
    pytest.param(
        lambda X, I: nt.diag[seq, emb](X[seq[:4]]),
        lambda X, I: nt.diag[seq, emb](X),
        id="a diagonal",
    ),
    pytest.param(
        lambda X, I: nt.dropout(X, 0.5), lambda X, I: nt.dropout(X, 1.5), id="a probability"
    ),
    pytest.param(lambda X, I: nt.roll[seq](X, 1), lambda X, I: nt.roll[seq](X, 1.0), id="a shift"),
    pytest.param(
        lambda X, I: X.rearrange("(a b) emb -> a b emb", a=2),
        lambda X, I: X.rearrange("(a b) emb -> a b emb", a=4),
        id="an einops split",
    ),
    pytest.param(
        lambda X, I: X.rearrange("(a b) emb -> a b emb", a=2),
        lambda X, I: X[seq[:5]].rearrange("(a b) emb -> a b emb", a=2),
        id="an einops split of another size",
    ),
    pytest.param(
        lambda X, I: X + nt.iota(seq[6]),
        lambda X, I: X[seq[:5]] + nt.iota(seq[6]),
        id="a definition of its size",
    ),
    pytest.param(
        lambda X, I: nt.one_hot(I, vocab[4]) @ vocab @ X["emb->vocab, seq->key"],
        lambda X, I: nt.one_hot(I, vocab[5]) @ vocab @ X["emb->vocab, seq->key"],
        id="one-hot vectors of its size",
    ),
    pytest.param(
        lambda X, I: X[seq[I > 0]], lambda X, I: X[seq[(I > 0)[seq[:3]]]], id="a mask of its size"
    ),
    pytest.param(
        lambda X, I: picked(X, I), lambda X, I: picked(X, I + 9), id="a formula that looks up"
    ),
    pytest.param(
        lambda X, I: halves(X), lambda X, I: halves(X[seq[:5]]), id="a formula that splits"
    ),
    pytest.param(
        lambda X, I: windowed(X), lambda X, I: windowed(X[seq[:2]]), id="a formula with windows"
    ),
    pytest.param(
        lambda X, I: greatest(X), lambda X, I: greatest(X[seq[:0]]), id="a formula with a greatest"
    ),
    pytest.param(
        lambda X, I: fourth(X), lambda X, I: fourth(X[seq[:2]]), id="a formula with an index"
    ),
    pytest.param(
        lambda X, I: cleared(X), lambda X, I: cleared(X[seq[:2]]), id="a formula with an update"
    ),
    pytest.param(
        lambda X, I: best(X), lambda X, I: best(X[seq[:2]]), id="a formula with the k greatest"
    ),
    pytest.param(
        lambda X, I: inverted(X[seq[:4]] + nt.eye(seq, emb) * 50),
        lambda X, I: inverted(X),
        id="a formula with an inverse",
    ),
    pytest.param(lambda X, I: moved(X), lambda X, I: moved(X[emb(0)]), id="a formula with a range"),
    pytest.param(
        lambda X, I: pooled(X),
        lambda X, I: pooled(X[seq[:5]]),
        id="a formula with windows side by side",
    ),
    pytest.param(
        lambda X, I: weighed(X), lambda X, I: weighed(X[seq[:5]]), id="a formula with a definition"
    ),
    pytest.param(
        lambda X, I: product(X, X),
        lambda X, I: product(X, X[emb[:1]]),
        id="a formula with extra axes",
    ),
    pytest.param(
        lambda X, I: added(X, X["seq->key"]),
        lambda X, I: added(X, X["seq->key"][key[:1]]),
        id="a formula that renames",
    ),
]


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(("good", "wrong"), PAIRS)
def test_a_wrong_call_after_a_good_one_is_refused(good, wrong, library):
    X = nt.tensor(np.arange(24.0).reshape(6, 4), seq, emb).to(library)
    I = nt.tensor(np.array([2, 0, 1, 3, 0, 1]), seq).to(library)
    good(X, I)
    with pytest.raises(nt.NamedTensorError):
        wrong(X, I)
    good(X, I)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_more_than_an_axis_has_is_refused_beside_an_axis_of_size_0(library):
    X = nt.tensor(np.zeros((6, 4, 0)), seq, emb, head).to(library)
    best(X)
    with pytest.raises(nt.AxisSizeError):
        best(X[seq[:2]])
