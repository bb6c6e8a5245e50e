"""R[seq[n]]: axes of one name whose sizes have other names may differ among arguments."""

import pickle

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")
n, m = nt.sizes("n m")


@formula
def joined(X: R[seq[n], emb], Y: R[seq[m], emb]) -> R[seq, emb]:
    return nt.concat[seq](X, Y)


@formula
def squared(X: R[seq[n], emb], Y: R[seq[m], emb], Z: R[seq[n]]) -> R[emb]:
    return nt.sum[seq](X * Z) + nt.sum[seq](Y)


@formula
def stacked(X: R[emb], *, W: R[emb, seq[n]], U: R[emb, seq[m]]) -> R[seq]:
    return nt.concat[seq](W @ emb @ X, U @ emb @ X)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_sizes_with_other_names_may_differ(library):
    X, Y = nt.normal("seq[2] emb[3]", backend=library), nt.normal("seq[5] emb[3]", backend=library)
    found = joined(X, Y).numpy(seq, emb)
    np.testing.assert_allclose(found, np.concatenate([X.numpy(seq, emb), Y.numpy(seq, emb)]))


def test_sizes_with_one_name_agree():
    X, Y, Z = nt.ones("seq[2] emb[3]"), nt.ones("seq[5] emb[3]"), nt.ones("seq[2]")
    assert squared(X, Y, Z).numpy().tolist() == [7.0, 7.0, 7.0]
    with pytest.raises(nt.AxisSizeError) as caught:
        squared(X, Y, nt.ones("seq[5]"))
    assert "axis seq is 2 in X and 5 in Z" in str(caught.value)


def test_axes_without_a_named_size_agree_as_ever():
    with pytest.raises(nt.AxisSizeError) as caught:
        joined(nt.ones("seq[2] emb[3]"), nt.ones("seq[5] emb[4]"))
    assert str(caught.value) == (
        "joined(X, Y): axis emb is 3 in X and 4 in Y\n"
        "  X : seq[2] emb[3]   declared R[seq[n], emb]\n"
        "  Y : seq[5] emb[4]   declared R[seq[m], emb]\n"
        "hint: one name has one size in a formula: select as many of both, "
        "Y[emb[:3]]"
    )


def test_shapes_keep_them_apart():
    assert joined.shape("seq[2] emb[3]", "seq[5] emb") == nt.Shape.of([("seq", 7), ("emb", 3)])


def test_what_is_written_keeps_them_apart():
    X, Y = joined.written().results[0].operands
    assert X.type.size("seq") is not Y.type.size("seq")
    assert X.type.size("emb") is Y.type.size("emb")


def test_a_module_takes_sizes_by_their_names():
    module = stacked.module(emb[3], n=2, m=5)
    assert {n: tuple(p.shape) for n, p in module.named_parameters()} == {"W": (3, 2), "U": (3, 5)}
    assert module(nt.ones("emb[3]", backend="torch")).shape == nt.Shape.of([("seq", 7)])


def test_a_size_without_its_name_is_taken_by_the_axis():
    module = stacked.module(emb[3], seq[4], m=5)
    assert {n: tuple(p.shape) for n, p in module.named_parameters()} == {"W": (3, 4), "U": (3, 5)}


def test_a_space_shows_and_pickles_its_names():
    space = R[seq[n], emb]
    assert repr(space) == "R[seq[n], emb]"
    assert repr(pickle.loads(pickle.dumps(space))) == "R[seq[n], emb]"


def test_only_a_declaration_names_a_size():
    with pytest.raises(nt.AxisNameError) as caught:
        nt.zeros(seq[n])
    assert str(caught.value) == (
        "zeros(seq[n]): axes are given as Axis objects or as names, not as a NamedSize\n"
        'hint: seq, (seq, emb) or "seq emb"'
    )


def test_a_size_shows_its_name():
    assert repr(nt.sizes("n")) == "n"
    assert [size.name for size in nt.sizes("n, m")] == ["n", "m"]


# ------------------------------------------------------- one size name is one size, everywhere

rows, cols = axes("rows cols")


@formula
def square(A: R[rows[n], cols[n]]) -> R[rows, cols]:
    return A + 1


@formula
def met(X: R[rows[n]], Y: R[cols[n], emb[m]], *, W: R[emb[m], seq[n]]) -> R[rows, cols, seq]:
    return X * (Y @ emb @ W)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_two_axes_of_one_tensor_whose_size_has_one_name_agree(library):
    assert square(nt.ones("rows[3] cols[3]", backend=library)).shape == nt.Shape("rows[3] cols[3]")
    for _ in range(2):  # planned, and from the plan
        with pytest.raises(nt.AxisSizeError) as caught:
            square(nt.ones("rows[3] cols[4]", backend=library))
        assert str(caught.value) == (
            "square(A): n is one size, and axis rows is 3 in A, axis cols 4 in A\n"
            "  A : rows[3] cols[4]   declared R[rows[n], cols[n]]\n"
            "hint: take as many of both: A[cols[:3]]"
        )


def test_a_plan_for_fitting_sizes_refuses_others():
    square(nt.ones("rows[2] cols[2]"))
    with pytest.raises(nt.AxisSizeError):
        square(nt.ones("rows[5] cols[4]"))
    square(nt.ones("rows[5] cols[5]"))


def test_a_size_s_name_binds_arguments_and_parameters():
    X, Y, W = nt.ones("rows[2]"), nt.ones("cols[2] emb[4]"), nt.ones("emb[4] seq[2]")
    assert met(X, Y, W=W).shape == nt.Shape("rows[2] cols[2] seq[2]")
    with pytest.raises(nt.AxisSizeError) as caught:
        met(X, Y, W=nt.ones("emb[4] seq[3]"))
    assert "n is one size, and axis rows is 2 in X, axis seq 3 in W" in str(caught.value)
    with pytest.raises(nt.AxisSizeError):
        met(nt.ones("rows[3]"), Y, W=W)


def test_shapes_and_modules_know_it_too():
    assert square.shape("rows[3] cols") == nt.Shape("rows[3] cols[3]")
    with pytest.raises(nt.AxisSizeError):
        square.shape("rows[3] cols[4]")
    module = met.module(n=2, m=4)
    assert tuple(module.W.shape) == (4, 2)


a, b, c, d = axes("a b c d")


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_formula_within_holds_its_arguments_to_its_names(library):
    @formula
    def square(X: R[a[n], b[n]]) -> R[()]:
        return nt.sum[...](X)

    @formula
    def outer(X: R[a, b]) -> R[()]:
        return square(X) + square(X)

    def tensor(shape):
        return nt.ones(shape, backend=library)

    assert outer(tensor("a[3] b[3]")).item() == 18
    for _ in range(2):
        with pytest.raises(nt.AxisSizeError, match="n is one size"):
            outer(tensor("a[3] b[4]"))
    assert outer(tensor("a[4] b[4]")).item() == 32


def test_a_formula_within_holds_what_it_does_not_use_to_one_size():
    @formula
    def first(X: R[a], Y: R[a]) -> R[a]:
        return 2 * X

    @formula
    def outer(X: R[a], Y: R[b]) -> R[a]:
        return first(X, Y[b >> a])

    with pytest.raises(nt.AxisSizeError, match="axis a is 3 in X and 4 in Y"):
        outer(nt.ones("a[3]"), nt.ones("b[4]"))
    assert outer(nt.ones("a[3]"), nt.ones("b[3]")).shape == nt.Shape("a[3]")


def test_an_axis_that_passes_through_a_formula_within_has_one_size():
    @formula
    def scaled(X: R[a], Y: R[()]) -> R[a]:
        return X * Y

    @formula
    def outer(X: R[a, c], Y: R[d]) -> R[a, c]:
        return scaled(X, Y[d >> c])

    with pytest.raises(nt.AxisSizeError):
        outer(nt.ones("a[3] c[2]"), nt.ones("d[4]"))
    assert outer(nt.ones("a[3] c[2]"), nt.ones("d[2]")).shape == nt.Shape("a[3] c[2]")


# ------------------------------------------------------------------------- in the steps of recurrences

time, key = axes("time key")


@formula
def step(h: R[seq[n]], x: R[key[n]]) -> R[seq[n]]:
    return h + nt.sum[key](x)


def folded(h: R[seq], X: R[time, key]) -> R[seq]:
    return nt.fold[time](step, h, X)


def by_lambda(h: R[seq], X: R[time, key]) -> R[seq]:
    return nt.fold[time](lambda h, x: step(h, x) * 2, h, X)


def scanned(h: R[seq], X: R[time, key]) -> R[time, seq]:
    return nt.scan[time](step, h, X)


def around(h: R[seq], X: R[time, emb, key]) -> R[seq]:
    return nt.fold[time](lambda h, x: nt.fold[emb](step, h, x), h, X)


def closed_over(h: R[seq], X: R[time, key]) -> R[seq]:
    W = nt.sum[time](X)
    return nt.fold[time](lambda h, x: step(h, W) + nt.sum[key](x), h, X)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("made", [lambda f: f, formula], ids=["eager", "formula"])
@pytest.mark.parametrize("run", [folded, by_lambda, scanned, around, closed_over])
def test_steps_of_recurrences_hold_sizes(run, made, library):
    whole = "time[5] emb[2] key[3]" if run is around else "time[5] key[3]"
    call = made(run)
    X, h = nt.ones(whole, backend=library), nt.zeros("seq[3]", backend=library)
    for _ in range(2):
        assert dict(call(h, X).sizes)["seq"] == 3
    for _ in range(2):
        with pytest.raises(
            nt.AxisSizeError, match="n is one size, and axis seq is 4 in h, axis key 3"
        ):
            call(nt.zeros("seq[4]", backend=library), X)
    assert dict(call(h, X).sizes)["seq"] == 3
