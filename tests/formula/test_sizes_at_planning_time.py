"""A contraction's order is chosen by the sizes of the first call; a size that is computed is known too."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.axes import parse_axes
from namedtensor.plans import compile
from namedtensor.testing import assert_close

a, b, c, d, e, f, k, n = axes("a b c d e f k n")

#: What gives a tensor with the axes a[6] b[3], and the shape from which it does.
MADE: dict[str, tuple[Callable[[nt.NamedTensor], nt.NamedTensor], str]] = {
    "pad": (lambda X: nt.pad[n](X, 1, 0, 0.0)[n >> a], "n[5] b[3]"),
    "pad after a slice": (lambda X: nt.pad[a](X[a[1:]], 1, 0, 0.0), "a[6] b[3]"),
    "slice": (lambda X: X[n[1:7]][n >> a], "n[8] b[3]"),
    "slice from the end": (lambda X: X[n[:-2]][n >> a], "n[8] b[3]"),
    "stride": (lambda X: X[n[::2]][n >> a], "n[11] b[3]"),
    "unroll": (lambda X: nt.sum[k](nt.unroll[n, k[3]](X))[n >> a], "n[8] b[3]"),
    "pool": (lambda X: nt.sum[k](nt.pool[n, k[2]](X))[n >> a], "n[12] b[3]"),
    "concat": (lambda X: nt.concat[n](X, X[n[:2]])[n >> a], "n[4] b[3]"),
    "merge": (lambda X: X[(k, d) >> a], "k[2] d[3] b[3]"),
    "split": (lambda X: nt.sum[k](X[d >> (a, k[2])]), "d[12] b[3]"),
    "stack": (lambda X: nt.stack[a](X, X, X, X, X, X), "b[3]"),
    "iota": (lambda X: X * nt.iota(a[6]), "b[3]"),
    "maxk": (lambda X: nt.maxk[k, a[6]](X), "k[9] b[3]"),
}


def drawn(shape: str, seed: int, backend: str) -> nt.NamedTensor:
    generator = np.random.default_rng(seed)
    return nt.normal(shape, generator=generator, dtype="float64").to(backend)


def operands(making: str, backend: str) -> list[nt.NamedTensor]:
    shapes = [MADE[making][1], "a[6] c[4]", "c[4] b[3] a[6] e[2]", "e[2]"]
    return [drawn(shape, seed, backend) for seed, shape in enumerate(shapes)]


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("making", MADE)
def test_a_contraction_of_many_operands_takes_axes_of_computed_sizes(
    making: str, backend: str
) -> None:
    make, shape = MADE[making]
    own = [axis.name for axis in parse_axes(shape)]

    @formula
    def dot(X: R[own], Y: R[a, c], W: R[a, b, c, e], V: R[e]) -> R[()]:
        return nt.dot[a, b, c, e](make(X), Y, W, V)

    X, Y, W, V = operands(making, backend)
    assert_close(dot(X, Y, W, V), nt.sum[a, b, c, e](make(X) * Y * W * V), rtol=1e-10)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("making", MADE)
def test_a_chain_of_contractions_takes_axes_of_computed_sizes(making: str, backend: str) -> None:
    make, shape = MADE[making]
    own = [axis.name for axis in parse_axes(shape)]

    @formula
    def chain(X: R[own], W: R[a, b, c, e], V: R[e], Z: R[c, f]) -> R[f]:
        return make(X) @ (a, b) @ (W @ e @ V) @ c @ Z

    X, _, W, V = operands(making, backend)
    Z = drawn("c[4] f[5]", 4, backend)
    assert "chain: " in nt.explain(chain, X, W, V, Z)
    wanted = nt.sum[a, b, c](make(X) * nt.sum[e](W * V) * Z)
    assert_close(chain(X, W, V, Z), wanted, rtol=1e-10)


def test_a_computed_size_decides_the_order() -> None:
    @formula
    def three(A: R[b, c], B: R[c, n], C: R[n]) -> R[b]:
        return A @ c @ nt.pad[n](B, 0, 26, 1.0) @ n @ nt.pad[n](C, 0, 26, 1.0)

    A, B, C = (drawn(s, i, "numpy") for i, s in enumerate(["b[30] c[20]", "c[20] n[2]", "n[2]"]))
    assert "padded @ unsqueeze(padded2, -1)" in three.code(A, B, C)


@pytest.mark.parametrize("chained", [False, True])
def test_sizes_that_differ_are_our_error(chained: bool) -> None:
    @formula
    def wrong(X: R[a, b], Y: R[a, c], Z: R[c, b, e]) -> R[e]:
        longer = nt.pad[a](X, 1, 0, 0.0)
        return longer @ a @ Y @ (b, c) @ Z if chained else nt.dot[a, b, c](longer, Y, Z)

    X, Y, Z = (drawn(s, 0, "numpy") for s in ["a[5] b[3]", "a[5] c[4]", "c[4] b[3] e[2]"])
    with pytest.raises(nt.AxisSizeError, match=r"axis a is 6 in .* and 5 in Y"):
        wrong(X, Y, Z)


@pytest.mark.parametrize("guesses", [[None], [3, None, 7, 2], [0, -4, 9]])
def test_no_guess_fails_a_call(guesses: list[int | None], monkeypatch: pytest.MonkeyPatch) -> None:
    endless = itertools.cycle(guesses)
    monkeypatch.setattr(compile, "guess", lambda hints, size: next(endless))

    @formula
    def both(X: R[a, b], Y: R[a, c], W: R[a, b, c, e], V: R[e]) -> tuple[R[e], R[()]]:
        longer = nt.pad[a](X[a[1:]], 1, 0, 0.0)
        return nt.dot[a, b, c](longer, Y, W), longer @ (a, b) @ (W @ e @ V) @ c @ nt.sum[a](Y)

    X, Y, W, V = operands("pad after a slice", "numpy")
    first, second = both(X, Y, W, V)
    longer = nt.pad[a](X[a[1:]], 1, 0, 0.0)
    assert_close(first, nt.sum[a, b, c](longer * Y * W), rtol=1e-10)
    assert_close(second, nt.sum[a, b, c, e](longer * W * V * nt.sum[a](Y)), rtol=1e-10)


def test_an_axis_without_elements_is_planned_too() -> None:
    @formula
    def three(X: R[n, b], Y: R[n, c], W: R[n, b, c]) -> R[()]:
        return nt.dot[n, b, c](X[n[1:]], Y[n[1:]], W[n[1:]])

    X, Y, W = (nt.ones(s) for s in ["n[1] b[3]", "n[1] c[4]", "n[1] b[3] c[4]"])
    assert three(X, Y, W).data == 0


@pytest.mark.parametrize(
    ("use", "fits", "refused"),
    [
        (lambda A: A[a >> c[abs(b)]], "a[4] b[4]", "a[3] b[4]"),
        (lambda A: A[a >> c[abs(b) + 2]], "a[4] b[2]", "a[5] b[2]"),
        (lambda A: A[(a, b) >> c[abs(a) * abs(b)]], "a[4] b[2]", None),
        (lambda A: nt.stack[c[abs(b)]](A, A), "a[3] b[2]", "a[3] b[3]"),
    ],
)
def test_axes_are_given_sizes_that_the_formula_computes(use, fits, refused):
    """`A[a >> c[abs(b)]]` ended in "a == B: B is None"."""

    @formula
    def f(A: R[a, b]):
        return use(A)

    assert "c" in f(nt.ones(fits)).axes
    if refused is not None:
        with pytest.raises(nt.AxisSizeError, match="in the call"):
            f(nt.ones(refused))
    assert "c" in f(nt.ones(fits)).axes


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_numbers_of_an_axis_without_records_are_refused_in_words(library):
    @formula
    def share(X: R[n]) -> R:
        return nt.sum[n](X) * (1 / abs(n))

    @formula
    def middle(X: R[n]) -> R:
        return nt.mean[n](X)

    X = nt.zeros(n[0], backend=library)
    for f in (share, nt.grad(middle)):
        with pytest.raises(nt.NamedTensorError) as caught:
            f(X)
        assert str(caught.value) == (
            f"{f.name}(...): division by zero\n  X : n[0]\n"
            "hint: tensors give nan or inf where Python numbers give none"
        )


def test_numbers_that_an_index_defined_tensor_has_not_are_refused_in_words():
    M = nt.define[n](lambda i: i * (1 / (abs(n) - 3)))
    calls = {
        "iota(n[3]) * (1 / ...)": lambda: M(n[3]),
        "A + M": lambda: nt.ones(n[3]) + M,
    }
    for call, compute in calls.items():
        with pytest.raises(nt.NamedTensorError, match="division by zero") as caught:
            compute()
        assert str(caught.value).startswith(f"{call}: division by zero\n"), str(caught.value)
