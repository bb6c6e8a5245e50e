"""Scans, folds and combinations are printed by their elements, and read back for every length."""

import numpy as np

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from tests.latex.alike import alike
from tests.latex.fixtures import in_turn
from tests.latex.rendering import rendered

GENERATOR = np.random.default_rng(12)
seq, emb, hid, hid_, new, k = axes("seq emb hid hid' new k")


def rows(f):
    text = f.latex("underset")
    rendered(text)
    return [line.removesuffix(" \\\\") for line in text.splitlines()[3:-1]]


def test_a_scan_is_printed_as_its_start_its_step_and_what_is_kept():
    @formula
    def sums(X: R[seq, emb], h: R[emb]) -> R[seq, emb]:
        H_all = nt.scan[seq](lambda s, x: nt.tanh(s) + x, h, X)
        return 2 * H_all

    assert rows(sums)[0:] == [
        r"\text{sums}(X, h) &= 2 H",  # H_all would have two scripts below it, which nobody reads
        r"H_{\text{seq}:0} &= h",
        r"H_{\text{seq}:t} &= \tanh H_{\text{seq}:t - 1} + X_{\text{seq}:t}",
    ]


def test_the_last_carry_and_what_is_emitted_backwards():
    @formula
    def both(X: R[seq, emb]) -> tuple[R[emb], R[seq, emb]]:
        return nt.scan[seq](
            lambda s, x: s + x, 0.0, X, reverse=True, emit=lambda s, x: nt.exp(s) * x
        )

    assert rows(both) == [
        r"s_{\text{seq}:|\text{seq}| + 1} &= 0.0",
        r"s_{\text{seq}:t} &= s_{\text{seq}:t + 1} + X_{\text{seq}:t}",
        r"H &= s_{\text{seq}:1}",
        r"S_{\text{seq}:t} &= \exp s_{\text{seq}:t} \odot X_{\text{seq}:t}",
    ]


def test_an_associative_scan_starts_with_the_first_element():
    @formula
    def products(X: R[seq, emb]) -> R[seq, emb]:
        return nt.associative_scan[seq](lambda x, y: x * y, X)

    assert rows(products)[-2:] == [
        r"H_{\text{seq}:1} &= X_{\text{seq}:1}",
        r"H_{\text{seq}:t} &= H_{\text{seq}:t - 1} \odot X_{\text{seq}:t}",
    ]


def test_what_a_step_gives_for_another_carry_is_named_where_it_is_used():
    step = r"H_{\text{seq}:t} &= \tanh s_{\text{seq}:t} \odot \text{sigmoid}(X_{\text{seq}:t})"
    assert step in rows(formula(lstm))


def test_carries_that_a_result_does_not_need_are_left_out():
    assert rows(formula(first_of_two))[-2:] == [
        r"H_{\text{seq}:0} &= h",
        r"H_{\text{seq}:t} &= 0.5 H_{\text{seq}:t - 1} + X_{\text{seq}:t}",
    ]
    assert "s_" not in formula(first_of_two).latex()


# ------------------------------------------------------------------------- all of them, read back

SAME, VALUES = "the same tree", "the same values"
CASES = {}


def case(read_as):
    """Note a formula to be printed and read, and as what."""

    def keep(function):
        CASES[function.__name__] = function, read_as
        return function

    return keep


@case(SAME)
def sums(X: R[seq]):
    return nt.associative_scan[seq](lambda a, b: a + b, X)


@case(SAME)
def greatest_from_the_end(X: R[seq]):
    return nt.associative_scan[seq](lambda a, b: nt.maximum(a, b), X, reverse=True)


@case(SAME)
def products_from_the_end(X: R[seq, emb]):
    return nt.associative_scan[seq](lambda x, y: x * y, X, reverse=True)


def pairs(p, q):
    return p[0] * q[0], p[1] * q[0] + q[1]


@case(VALUES)
def pairs_forwards(X: R[seq, emb], Y: R[seq, emb]):
    return nt.associative_scan[seq](pairs, (X, Y))[1]


@case(VALUES)
def the_first_of_pairs(X: R[seq, emb], Y: R[seq, emb]):
    return nt.associative_scan[seq](pairs, (X, Y))[0] + 0 * Y


@case(VALUES)
def pairs_backwards(X: R[seq, emb], Y: R[seq, emb]):
    return nt.associative_scan[seq](pairs, (nt.exp(X), X * Y), reverse=True)[1]


@case(VALUES)
def pairs_of_other_axes(X: R[seq, emb], a: R[seq]):
    return nt.associative_scan[seq](pairs, (a, X))[1]


@case(VALUES)
def matrices(A: R[seq, hid, hid_]):
    return nt.associative_scan[seq](lambda a, b: a[hid_ >> new] @ new @ b[hid >> new], A)


@case(VALUES)
def with_what_is_outside(X: R[seq, emb], w: R[emb]):
    return nt.associative_scan[seq](lambda a, b: nt.maximum(a, b) + 0 * w, X)


@case(SAME)
def decay(X: R[seq], h: R):
    return nt.scan[seq](lambda h, x: 0.5 * h + x, h, X)


@case(SAME)
def from_zeros(X: R[seq, emb]):
    return nt.scan[seq](lambda h, x: 0.5 * h + x, nt.zeros(emb), X)


@case(SAME)
def decay_backwards(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda h, x: 0.5 * h + x, h, X, reverse=True)


@case(SAME)
def folded(X: R[seq, emb], h: R[emb]):
    return nt.fold[seq](lambda h, x: 0.5 * h + x, h, X)


@case(SAME)
def folded_backwards(X: R[seq, emb], h: R[emb]):
    return nt.fold[seq](lambda h, x: 0.5 * h + x, h, X, reverse=True)


def two_carries(s, x):
    return 0.5 * s[0] + x, s[1] * s[0]


@case(VALUES)
def first_of_two(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](two_carries, (h, h), X)[0]


@case(SAME)
def second_of_two(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](two_carries, (h, h), X)[1]


@case(VALUES)
def both_of_two(X: R[seq, emb], h: R[emb]):
    a, b = nt.scan[seq](two_carries, (h, h), X)
    return a * b


@case(SAME)
def fold_of_two_backwards(X: R[seq, emb], h: R[emb]):
    return nt.fold[seq](two_carries, (h, h), X, reverse=True)[1]


@case(VALUES)
def the_last_and_what_is_emitted(X: R[seq, emb]) -> tuple[R[emb], R[seq, emb]]:
    return nt.scan[seq](lambda s, x: s + x, 0.0, X, reverse=True, emit=lambda s, x: nt.exp(s) * x)


@case(VALUES)
def emitted(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda s, x: s + x, h, X, emit=lambda s, x: nt.exp(s) * x)[1]


@case(VALUES)
def emitted_twice(X: R[seq, emb], h: R[emb]):
    last, (a, b) = nt.scan[seq](
        lambda s, x: s + x, h, X, emit=lambda s, x: (nt.exp(s) * x, nt.sum[emb](s))
    )
    return last + a * b


@case(VALUES)
def emitted_alone(X: R[seq, emb]):
    return nt.scan[seq](lambda s, x: None, None, X, emit=lambda s, x: x / nt.sum[emb](x))[1]


@case(VALUES)
def running_means(X: R[seq, emb]):
    def step(s, x):
        mean, count = s
        return mean + (x - mean) / (count + 1), count + 1

    means, counts = nt.scan[seq](step, (0.0, 0), X)
    return means * counts


@case(SAME)
def network(X: R[seq, emb], h: R[hid], W: R[emb, hid], U: R[hid, hid_]):
    return nt.scan[seq](lambda h, x: nt.tanh(x @ emb @ W + (h @ hid @ U)[hid_ >> hid]), h, X)


@case(SAME)
def network_folded_backwards(X: R[seq, emb], h: R[hid], W: R[emb, hid], U: R[hid, hid_]):
    return nt.fold[seq](
        lambda h, x: nt.tanh(x @ emb @ W + (h @ hid @ U)[hid_ >> hid]), h, X, reverse=True
    )


@case(VALUES)
def linear_attention(Q: R[seq, k], K: R[seq, k], V: R[seq, emb]):
    return nt.scan[seq](
        lambda S, q, key, v: S + key * v, 0.0, Q, K, V, emit=lambda S, q, key, v: q @ k @ S
    )[1]


@case(VALUES)
def two_sequences(X: R[seq, emb], Y: R[seq], h: R[emb]):
    return nt.scan[seq](lambda h, x, y: y * h + x, h, X, Y)


@case(SAME)
def lstm(X: R[seq, emb], h: R[emb], c: R[emb]):
    def step(s, x):
        h, c = s
        c = nt.sigmoid(x + h) * c + nt.tanh(x - h)
        return nt.tanh(c) * nt.sigmoid(x), c

    return nt.scan[seq](step, (h, c), X)[0]


@case(SAME)
def three_carries(X: R[seq, emb], h: R[emb]):
    start = h, 2 * h, nt.exp(h)
    return nt.fold[seq](lambda s, x: (s[1] + x, s[2] * 0.5, s[0] - x), start, X)[1]


@case(SAME)
def four_carries(X: R[seq, emb], h: R[emb]):
    start = h, 2 * h, nt.exp(h), 1.0
    return nt.scan[seq](lambda s, x: (s[1] + x, s[2] * 0.5, s[3] - x, s[0]), start, X)[1]


@case(SAME)
def one_after_the_other(X: R[seq, emb], h: R[emb]):
    inner = nt.scan[seq](lambda h, x: 0.5 * h * x, h, X)
    return 2 * nt.scan[seq](lambda h, x: h + x, h, inner)


@case(SAME)
def of_expressions(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda h, x: h + x, nt.exp(h), nt.sin(X) + 1)


@case(SAME)
def of_indices(E: R[k, emb], I: Z[seq]):
    return nt.scan[seq](lambda h, i: 0.5 * h + E[k(i)], 0.0, I)


@case(SAME)
def of_conditions(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda h, x: nt.where(x > h, x, h), h, X)


@case(SAME)
def of_truth(X: R[seq]):
    return nt.scan[seq](lambda h, x: h | (x > 0.5), False, X)


@case(SAME)
def of_whole_numbers(I: Z[seq]):
    return nt.scan[seq](lambda h, x: h * 2 + x, 0, I)


@case(VALUES)
def of_no_element(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda h, x: 0.5 * h, h, X)


@case(SAME)
def of_no_tensor(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda h, x: 0.5 * h, h, nt.iota(seq[X.size(seq) + 2]))


@case(SAME)
def of_its_number(X: R[seq, emb], h: R[emb]):
    return nt.scan[seq](lambda h, x, i: i * h + x, h, X, nt.iota(seq[X.size(seq)]))


@case(SAME)
def of_a_part(X: R[seq, emb], h: R[emb]):
    return nt.fold[seq](lambda h, x: 0.5 * h + x, h, X[seq[1:]])


@case(SAME)
def with_more_axes_than_its_start(X: R[seq, emb], h: R):
    return nt.scan[seq](lambda h, x: h + nt.exp(x), h, X)


@case(SAME)
def with_all_of_a_tensor(X: R[seq, emb], w: R[emb]):
    return nt.scan[seq](lambda h, x: w * h + x + nt.sum[seq](X), 0.0, X)


@case(SAME)
def with_a_greatest(X: R[seq, k], A: R[k, new], h: R[k]):
    return nt.scan[seq](lambda h, x: nt.max[k](h + A)[new >> k] + x, h, X)


@case(SAME)
def with_a_letter_for_its_index(t: R[seq, emb], i: R[emb]):
    return nt.scan[seq](lambda j, x: j * x, i, t)


@case(SAME)
def with_a_name_of_two_words(X: R[seq, emb], h_0: R[emb]):
    all_states = nt.scan[seq](lambda s, x: nt.tanh(s) + x, h_0, X, reverse=True)
    return 2 * all_states


@case(SAME)
def with_a_prime(X: R[seq, emb], h: R[emb]):
    h_ = nt.scan[seq](lambda s, x: s + x, h, X)
    return h_ * h_


@case(VALUES)
def within_a_step(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x):
        return nt.fold[hid](lambda s, y: nt.tanh(0.5 * s + y * h), h, x)

    return nt.scan[seq](step, h, X)


@case(VALUES)
def within_a_step_that_goes_on(X: R[seq, emb], Y: R[hid, emb]):
    return nt.fold[seq](lambda h, x: nt.fold[hid](lambda s, y: nt.sin(s) * y, h, Y) + x, 0.0, X)


@case(VALUES)
def within_a_step_kept_and_summed(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x):
        return nt.max[hid](nt.scan[hid](lambda s, y: s + nt.cos(y) * h, 0.0, x))

    return nt.scan[seq](step, h, X, reverse=True)


@case(VALUES)
def within_a_step_backwards(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x):
        return nt.fold[hid](lambda s, y: s * y + 0.1 * nt.sum[hid](x), h, x, reverse=True)

    return nt.scan[seq](step, h, X)


@case(VALUES)
def within_a_step_of_its_number(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x, i):
        return nt.fold[hid](lambda s, y: s + i * y, h, x)

    return nt.scan[seq](step, h, X, nt.iota(seq[X.size(seq)]))


@case(VALUES)
def three_deep(X: R[seq, hid, k, emb], h: R[emb]):
    def deep(s, y, h):
        return nt.fold[k](lambda u, z: nt.tanh(u + z * s * h), s, y)

    return nt.scan[seq](lambda h, x: nt.fold[hid](lambda s, y: deep(s, y, h), h, x), h, X)


@case(VALUES)
def two_within_a_step(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x):
        s, t = nt.fold[hid](lambda st, y: (0.1 * st[1] + y, nt.sin(st[0] * h)), (h, 2 * h), x)
        return s * t

    return nt.scan[seq](step, h, X)


@case(SAME)
def of_no_outer_part(X: R[seq, emb], Y: R[hid, emb]):
    return nt.scan[seq](lambda h, x: h + x * nt.fold[hid](lambda s, y: s + y, 0.0, Y), 0.0, X)


@case(VALUES)
def combined_within_a_step(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x):
        return nt.sum[hid](nt.associative_scan[hid](lambda x, y: x * y, x + h))

    return nt.scan[seq](step, h, X)


@case(VALUES)
def the_same_within_two_steps(X: R[seq, hid, emb], h: R[emb]):
    def step(h, x):
        return nt.fold[hid](lambda s, y: s * y, h, x)

    return nt.scan[seq](step, h, X) - nt.scan[seq](step, 2 * h, X, reverse=True)


@case(VALUES)
def emitted_within_a_step(X: R[seq, hid, emb], h: R[emb]) -> tuple[R[emb], R[seq, emb]]:
    def step(h, x):
        return 0.5 * h + nt.sum[hid](x)

    return nt.scan[seq](
        step, h, X, emit=lambda h, x: nt.fold[hid](lambda s, y: nt.sin(s) + y, h, x)
    )


@case(VALUES)
def long_within_a_step(X: R[seq, hid, emb], h: R[emb], w: R[emb], v: R[emb]):
    def step(h, x):
        s = nt.fold[hid](lambda s, y: nt.tanh(s * w + y * v), h, x)
        gate = nt.sigmoid(s * w + v * h + nt.exp(-s * s) * w * v + nt.cos(s) * nt.sin(w + v))
        return gate * s + (1 - gate) * h + gate * gate * v

    return nt.scan[seq](step, h, X)


SIZES = {"emb": 2, "hid": 2, "hid'": 2, "k": 4, "new": 4}


def drawn(f, length, batch):
    """Draw what a formula takes; the first has more axes than it asks for where there is a batch."""
    found = []
    for p in f.signature.parameters:
        names = [*(["batch"] if batch and not found else []), *[a.name for a in p.space.axes]]
        sizes = [{"seq": length, "batch": 3, **SIZES}[n] for n in names]
        whole = p.space.letter == "Z"
        data = GENERATOR.integers(0, 4, sizes) if whole else GENERATOR.normal(size=sizes)
        found.append(nt.tensor(data, *names))
    return found


def values(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [(p.kind, sorted(p.axes), p.numpy(*sorted(p.axes))) for p in parts]


@in_turn("name", CASES, ["macros", "ndef", "underset"])
def test_a_recurrence_reads_back(name, dialect):
    function, read_as = CASES[name]
    f = formula(function)
    text = f.latex(dialect)
    rendered(text)
    document = nt.latex.read(text)
    assert [str(found) for found in document.check() if found.severity == "error"] == []
    again = document[f.name]
    for length, batch in ((1, False), (2, True), (5, False)):
        given = drawn(f, length, batch)
        pairs = zip(values(again(*given)), values(f(*given)), strict=True)
        for (kind, axes_, found), (kind_, axes__, expected) in pairs:
            assert (kind, axes_) == (kind_, axes__)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    trees = zip(again.written().results, f.written().results, strict=True)
    assert all(alike(a, b) for a, b in trees) == (read_as == SAME)


def test_what_a_step_uses_twice_has_an_element_for_each_place():
    @formula
    def loss(X: R[seq, emb], *, W: R[emb, hid], U: R[hid, hid_]) -> R:
        def step(h, x):
            return nt.tanh(W @ emb @ x + (U @ hid @ h)[hid_ >> hid])

        return nt.sum[seq, hid](nt.scan[seq](step, nt.zeros(hid), X))

    gradient = nt.grad(loss)
    found = rows(gradient)
    assert (
        sum(row.count(r"\tanh") for row in found) == 2
    )  # forwards, and once in the step backwards
    assert r"Y_{\text{seq}:t} \odot Y_{\text{seq}:t}" in "".join(found)
    again = nt.latex.read(loss.latex() + "\n\n" + gradient.latex())["dloss_dX"]
    given = [nt.tensor(GENERATOR.normal(size=s), *a) for s, a in GIVEN]
    for X, W, U in [given, [nt.stack["batch"](given[0], -given[0]), *given[1:]]]:
        found, expected = again(X, W=W, U=U), gradient(X, W=W, U=U)
        np.testing.assert_allclose(found.numpy(*expected.axes), expected.numpy(*expected.axes))


GIVEN = [
    ((3, 2), ("seq", "emb")),
    ((2, 4), ("emb", "hid")),
    ((4, 4), ("hid", "hid'")),
]
