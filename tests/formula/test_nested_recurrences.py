"""Recurrences inside of recurrences, faults that drawn programs found (tests/laws/nested.py)."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from namedtensor.operations import step_trees

seq, emb, hid, batch = axes("seq emb hid batch")
rng = np.random.default_rng(7)
A = rng.normal(size=(3, 4, 2))
X = nt.tensor(A, seq, emb, hid)
LIBRARIES = pytest.mark.parametrize("library", ["numpy", "torch"])


@LIBRARIES
@pytest.mark.parametrize("fuse", [True, False])
def test_a_carry_may_get_axes_of_what_is_outside_of_two_steps(library, fuse):
    """The sizes of those axes are numbers that the steps are given; plans ended in a KeyError."""

    @formula(fuse=fuse)
    def f(X: R[seq, emb, hid], b: R[emb]) -> R[emb, hid]:
        def outer(h, x):
            c = nt.scan[hid](lambda c, y: 0.5 * c + nt.sum[emb](y) + b, nt.sum[emb, hid](x), x)
            return 0.5 * h + c

        return nt.fold[seq](outer, 0.0, X)

    b, h = np.array([1.0, 2.0, -1.0, 0.5]), np.zeros((4, 2))
    for x in A:
        c, every = x.sum() * np.ones(4), []
        for y in x.T:
            c = 0.5 * c + y.sum() + b
            every.append(c)
        h = 0.5 * h + np.stack(every, 1)
    given = X.to(library), nt.tensor(b, emb).to(library)
    np.testing.assert_allclose(f(*given).numpy(emb, hid), h)


@LIBRARIES
def test_a_whole_number_may_start_a_recurrence_and_those_inside_of_its_steps(library):
    """It becomes real by what is added to it, which only the loop inside does."""

    def f(X: R[seq, emb, hid]) -> R[emb]:
        return nt.fold[seq](lambda h, x: nt.fold[hid](lambda s, y: s + y, h, x), 0, X)

    assert formula(f).shape("seq[3] emb[4] hid[2]") == nt.Shape("emb[4]")
    for g in (f, formula(f)):
        np.testing.assert_allclose(g(X.to(library)).numpy(emb), A.sum((0, 2)))

    @formula
    def counted(X: R[seq, emb]) -> tuple[Z, R]:
        def step(h, x):
            return h[0] + 1, nt.fold[emb](lambda s, y: s + y, h[1], x)

        return nt.fold[seq](step, (0, 0), X)

    count, total = counted(nt.tensor(A[:, :, 0], seq, emb).to(library))
    assert (count.kind, int(count.numpy())) == ("int", 3)
    np.testing.assert_allclose(total.numpy(), A[:, :, 0].sum())


@LIBRARIES
def test_a_formula_lifts_over_what_its_recurrences_start_with(library):
    """A step that forgets its carry cannot lose an axis that the formula does not declare."""

    @formula
    def last(X: R[seq], h: R) -> R:
        return nt.fold[seq](lambda h, x: x, h, X)

    @formula
    def shifted(X: R[seq], h: R) -> R[seq]:
        return nt.scan[seq](lambda c, x: (x, c[0] + x), (h, 0.0), X)[1]

    x, h = nt.tensor([1.0, 2.0, 4.0], seq).to(library), nt.tensor([5.0, 7.0], batch).to(library)
    np.testing.assert_allclose(last(x, h).numpy(batch), [4.0, 4.0])
    expected = [[6.0, 3.0, 6.0], [8.0, 3.0, 6.0]]
    np.testing.assert_allclose(shifted(x, h).numpy(batch, seq), expected)


@LIBRARIES
def test_what_is_set_into_numbers_without_data_is_data(library):
    """It was kept as a constant, and its argument was not found."""

    @formula
    def f(X: R[seq], y: R) -> R[seq, emb]:
        return X * (nt.zeros(emb[3]).at[emb(0)].set(y) * 2 + 1)

    given = nt.tensor([1.0, 2.0], seq).to(library), nt.tensor(5.0).to(library)
    np.testing.assert_allclose(f(*given).numpy(seq, emb), [[11, 1, 1], [22, 2, 2]])


@LIBRARIES
def test_a_step_may_write_at_its_counter_into_what_is_outside(library):
    """An index along the axis is used up by an update: all steps at once would be another one."""

    @formula
    def f(X: R[emb], y: R, I: Z[seq]) -> R[emb]:
        def step(h, i):
            return h + nt.sum[hid](nt.stack[hid](X.at[emb(i)].add(y), X))

        return nt.fold[seq](step, 0.0, I)

    x = np.array([1.0, 2.0, 3.0])
    places = [0, 2, 2]
    expected = sum(x + np.eye(3)[i] * 10.0 + x for i in places)
    given = nt.tensor(x, emb), nt.tensor(10.0), nt.tensor(np.array(places), seq)
    np.testing.assert_allclose(f(*[g.to(library) for g in given]).numpy(emb), expected)


@LIBRARIES
def test_what_waits_for_no_carry_is_computed_before_the_loop_in_two_turns(library):
    """The second turn gave its leaves the names of the first."""

    @formula
    def f(X: R[seq, emb, hid]) -> R[seq, hid]:
        def step(h, x):
            C = nt.scan[hid](lambda c, y: nt.sum[emb](y) + b, nt.sum[emb, hid](x), x)
            return 0.5 * nt.sum[seq](C)

        b = nt.sum[emb, hid](X)
        return nt.scan[seq](step, 0.5, X)

    y = 0.5 * (3 * A.sum(1) + A.sum())
    np.testing.assert_allclose(f(X.to(library)).numpy(seq, hid), y)


@LIBRARIES
def test_what_is_computed_before_the_loop_takes_the_dtype_that_it_meets(library):
    """Numbers of a counter stayed in double precision, and the carry was refused."""

    @formula
    def f(X: R[seq], y: R) -> R[seq]:
        def step(s, x, i):
            return nt.tanh(s[0] + x), nt.sum[emb](0.5 * i * nt.iota(emb[3]))

        return nt.scan[seq](step, (0.5, y), X, nt.iota(seq[3]))[1]

    x = nt.tensor(np.ones(3, "float32"), seq).to(library)
    y = nt.tensor(np.ones(2, "float32"), batch).to(library)
    found = f(x, y)
    assert "float32" in str(found.data.dtype)
    np.testing.assert_allclose(found.numpy(batch, seq), 2 * [[0.0, 1.5, 3.0]])


def test_a_number_starts_a_recurrence_inside_of_a_step_on_data():
    """Plain Python on data met the sizes of the step around it, and ended in a TypeError."""

    def g(X, b):
        def step(h, x):
            return h + nt.fold[emb](lambda c, y: nt.sigmoid(c) + y + b, 0.0, x)

        return nt.sum[...](nt.fold[seq](step, 0.0, X))

    data = torch.tensor(A, requires_grad=True)
    b = nt.tensor([1.0, 2.0], hid)
    g(nt.tensor(data, seq, emb, hid), b.to("torch")).torch().backward()
    np.testing.assert_allclose(nt.grad(g)(X, b).numpy(seq, emb, hid), data.grad.numpy())


def test_a_combination_with_a_loop_inside_is_derived():
    """The loop inside was derived over an axis that its operands no longer have."""

    def g(X, b):
        def combined(p, q):
            return nt.fold[emb](lambda h, y: h + y, p + q, b)

        return nt.sum[...](nt.associative_scan[seq](combined, X) ** 2)

    data = torch.tensor(A[:, 0, 0], requires_grad=True)
    b = nt.tensor([0.5, 1.0], emb)
    g(nt.tensor(data, seq), b.to("torch")).torch().backward()
    found = nt.grad(g)(nt.tensor(A[:, 0, 0], seq), b)
    np.testing.assert_allclose(found.numpy(seq), data.grad.numpy())


@LIBRARIES
def test_a_number_becomes_of_the_kind_that_the_step_gives_or_is_refused(library):
    flags = nt.tensor(np.array([True, False]), seq).to(library)

    @formula
    def f(X: B[seq]) -> B:
        return nt.fold[seq](lambda h, x: x, 0, X)

    assert f(flags).kind == "bool"
    assert "bool" in str(f(flags).data.dtype)
    none = flags[seq[:0]]
    assert "bool" in str(f(none).data.dtype)

    @formula
    def each(X: R[seq]) -> B:
        return nt.fold[seq](lambda h, x: h | (x > 0), False, X)

    wide = nt.tensor(A[:, 0, :], seq, emb).to(library)
    for some in (wide, wide[seq[:0]]):  # False became a float beside floats
        assert "bool" in str(each(some).data.dtype)
    np.testing.assert_array_equal(each(wide).numpy(emb), (A[:, 0, :] > 0).any(0))

    @formula
    def g(X: B[seq]) -> Z:
        return nt.fold[seq](lambda h, x: nt.cast(x, int), 0.5, X)

    with pytest.raises(nt.KindError, match=r"starts as 0\.5, and the step gives int"):
        g(flags)


def test_deriving_nested_recurrences_takes_time_in_their_depth_alone(monkeypatch):
    """Each result of a loop asked for all results of the loops inside of it, and of those inside of them."""
    calls = []
    placed = step_trees.placed
    monkeypatch.setattr(step_trees, "placed", lambda *given: (calls.append(1), placed(*given))[1])

    def three(X, *along):
        if not along:
            return nt.tanh(X), X, 0.5 * X

        def step(c, x):
            return tuple(a + b for a, b in zip(c, three(x, *along[1:]), strict=True))

        return nt.fold[along[0]](step, (0.0, 0.0, 0.0), X)

    def counted(*along):
        @formula
        def f(X: R[seq, emb, hid]) -> R:
            return nt.sum[...](sum(three(X, *along)))

        calls.clear()
        nt.grad(f)(X)
        return len(calls)

    one, two, all_three = counted(seq), counted(seq, emb), counted(seq, emb, hid)
    assert all_three - two < 3 * (two - one), (one, two, all_three)
