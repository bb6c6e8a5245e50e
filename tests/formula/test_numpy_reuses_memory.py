"""On numpy a result takes the memory of an operand that nobody reads again, and nothing else's."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid = axes("seq emb hid")
seq_ = seq.prime


def drawn(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


x, w, b = drawn(3, 4), drawn(4, 5), drawn(3, 5)
X, W, B = nt.tensor(x, seq, emb), nt.tensor(w, emb, hid), nt.tensor(b, seq, hid)


@formula
def layer(X: R[emb], B: R[hid], *, W: R[emb, hid]) -> R[hid]:
    return nt.relu((X @ emb @ W + B) / 3.0)


def test_temporary_results_are_written_over_and_arguments_are_not() -> None:
    before = [a.copy() for a in (x, w, b)]
    code = layer.code(X, B, W=W)
    assert "added = add(dot_, B, out=room(dot_, B))" in code
    assert "quotient = divide(added, 3.0, out=added)" in code
    assert "return relu(quotient, out=quotient)" in code
    wanted = np.maximum((x @ w + b) / np.float32(3), 0)
    np.testing.assert_array_equal(layer(X, B, W=W).numpy(seq, hid), wanted)
    for now, was in zip((x, w, b), before, strict=True):
        np.testing.assert_array_equal(now, was)


def test_a_result_that_is_read_again_is_left_alone() -> None:
    @formula
    def f(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        Y = X @ emb @ W
        return nt.exp(Y) + nt.flip[hid](Y)

    wanted = np.exp(x @ w) + (x @ w)[:, ::-1]
    np.testing.assert_array_equal(f(X, W=W).numpy(seq, hid), wanted)


def test_a_result_that_is_given_away_is_left_alone() -> None:
    @formula
    def f(X: R[emb], *, W: R[emb, hid]) -> tuple[R[hid], R[hid]]:
        Y = X @ emb @ W
        return Y, Y * 2.0

    first, second = f(X, W=W)
    np.testing.assert_array_equal(first.numpy(seq, hid), x @ w)
    np.testing.assert_array_equal(second.numpy(seq, hid), 2 * (x @ w))


def test_a_view_of_a_result_keeps_it_alive() -> None:
    @formula
    def f(X: R[seq, emb], *, W: R[emb, hid]) -> R[seq, seq_]:
        Y = X @ emb @ W
        return nt.exp(Y) @ hid @ Y[seq >> seq_]

    found = f(X, W=W).numpy(seq, seq_)
    np.testing.assert_allclose(found, np.exp(x @ w) @ (x @ w).T, rtol=1e-5)


def test_an_argument_is_left_alone_where_it_is_only_renamed() -> None:
    @formula
    def f(X: R[seq, emb]) -> R[emb, seq_]:
        return nt.exp(X[seq >> seq_]) * 2.0

    before = x.copy()
    np.testing.assert_array_equal(f(X).numpy(seq_, emb), np.exp(x) * 2)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    "dtypes", [("float32", "float64"), ("float64", "float32"), ("float16", "float32")]
)
def test_a_result_of_more_digits_gets_memory_of_its_own(dtypes: tuple[str, str]) -> None:
    given, other = (nt.tensor(drawn(3, 5, dtype=d), seq, hid) for d in dtypes)

    @formula
    def f(X: R[seq, hid], Y: R[seq, hid]) -> R[seq, hid]:
        return X * 2.0 - Y

    found = f(given, other)
    wanted = given.data * 2.0 - other.data
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.data, wanted)


def test_a_result_of_more_axes_gets_memory_of_its_own() -> None:
    @formula
    def f(b: R[hid], X: R[seq, hid]) -> R[seq, hid]:
        return b * 2.0 + X

    np.testing.assert_array_equal(
        f(nt.tensor(b[0], hid), B).numpy(seq, hid), b[0] * np.float32(2) + b
    )


def test_a_call_does_not_write_over_the_result_of_the_last() -> None:
    first = layer(X, B, W=W)
    kept = first.data.copy()
    layer(X * 2, B, W=W)
    np.testing.assert_array_equal(first.data, kept)
