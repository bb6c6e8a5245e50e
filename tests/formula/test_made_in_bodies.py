"""What a body makes is a node of its tree: constants, repeated axes, noise, a user's function."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.primitives.node import operands_first

seq, emb, hid, edge = axes("seq emb hid edge")
seq_ = seq.prime
LIBRARIES = ["numpy", "torch"]


def ones(shape, library, dtype="float32"):
    return nt.ones(shape).to(library).to(dtype)


@formula
def padded(X: R[seq, emb]) -> R[seq, emb]:
    return nt.concat[seq](nt.zeros(seq[2], emb), X, nt.full(seq[1], emb, 7.0))


@formula
def measured(X: R[emb]) -> R[emb]:
    return X + nt.full(emb, abs(emb))


@formula
def doubled(M: R[seq]) -> R[seq]:
    return M * 2.0


@formula
def calls_with_what_it_made(X: R[seq]) -> R[seq]:
    return X + doubled(nt.ones(seq)) + doubled(nt.iota("seq[3]"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_constant_in_a_body_takes_the_dtype_and_the_extra_axes_of_what_it_meets(library):
    Y = padded(ones("batch[2] seq[3] emb[4]", library))
    assert str(Y.dtype).endswith("float32")
    found = Y.numpy("batch", seq, emb)
    np.testing.assert_array_equal(found[1, :, 0], [0, 0, 1, 1, 1, 7])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_constant_may_hold_a_size_and_has_the_sizes_of_the_call(library):
    np.testing.assert_array_equal(measured(ones("emb[3]", library)).numpy(), [4, 4, 4])
    np.testing.assert_array_equal(measured(ones("emb[2]", library)).numpy(), [3, 3])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_dtype_that_is_asked_for_is_kept(library):
    @formula
    def wide(X: R[emb]) -> R[emb]:
        return X + nt.zeros(emb, dtype="float64")

    assert str(wide(ones("emb[3]", library)).dtype).endswith("float64")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_formula_takes_what_another_body_made(library):
    found = calls_with_what_it_made(ones("seq[3]", library)).numpy()
    np.testing.assert_array_equal(found, [3, 5, 7])


def test_shapes_and_equations_know_what_a_body_makes():
    assert padded.shape("seq[3] emb[2]") == nt.Shape("seq[6] emb[2]")
    assert "&= 7.0" in padded.latex()
    (result,) = padded.written().results
    assert {"full"} <= {node.name for node in operands_first([result])}


def test_an_axis_that_a_definition_does_not_use_is_a_repeated_axis():
    M = nt.define[seq_, seq](lambda i, j: i)
    assert {node.name for node in operands_first([M.node])} == {"iota", "expand"}
    np.testing.assert_array_equal(
        (M + nt.zeros("seq'[2] seq[3]")).numpy(seq_, seq), [[0, 0, 0], [1, 1, 1]]
    )
    C = nt.define[seq_, seq](lambda i, j: 1.5)
    assert (C + nt.zeros("seq'[2] seq[3]")).numpy(seq_, seq).tolist() == [[1.5] * 3] * 2


def test_gradients_flow_past_what_a_body_makes():
    X = nt.ones("seq[3] emb[2]").to("torch")
    gradient = nt.grad(lambda X: nt.sum[seq, emb](padded(X) * padded(X)))(X)
    np.testing.assert_array_equal(gradient.numpy(seq, emb), np.full((3, 2), 2.0))


def test_an_untraced_body_makes_numbers_at_once():
    @formula(trace=False)
    def plain(X: R[emb]) -> R[emb]:
        Z = nt.zeros("emb[3]")
        assert Z.numpy().tolist() == [0, 0, 0]
        return X + Z

    assert plain(nt.ones("emb[3]")).numpy().tolist() == [1, 1, 1]


# ------------------------------------------------------------------------------------------- noise


@formula
def blurred(X: R[seq, emb], generator=None) -> R[seq, emb]:
    return X + nt.normal(seq, emb, generator=generator)


@formula
def lifted_noise(X: R[emb]) -> R[emb]:
    return doubled_of(nt.uniform(emb)) + 0.0 * X


@formula
def doubled_of(Y: R[emb]) -> R[emb]:
    return 2.0 * Y


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_noise_in_a_body_is_drawn_anew_at_each_call_in_the_dtype_of_the_data(library, dtype):
    X = ones("batch[2] seq[50] emb[40]", library, dtype)
    first, second = [blurred(X) for _ in range(2)]
    assert str(first.dtype).endswith(dtype)
    one, other = [Y.numpy("batch", seq, emb) - 1.0 for Y in (first, second)]
    assert not np.allclose(one, other)
    np.testing.assert_allclose(one[0], one[1])  # the noise has no batch
    assert abs(one.std() - 1.0) < 0.1
    assert abs(one.mean()) < 0.1


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_generator_makes_noise_reproducible(library):
    def made():
        if library == "numpy":
            return np.random.default_rng(3)
        return torch.Generator().manual_seed(3)

    X = ones("seq[5] emb[4]", library)
    one, other = [blurred(X, made()).numpy(seq, emb) for _ in range(2)]
    np.testing.assert_array_equal(one, other)
    generator = made()
    first, second = [blurred(X, generator).numpy(seq, emb) for _ in range(2)]
    np.testing.assert_array_equal(first, one)
    assert not np.allclose(first, second)


@pytest.mark.parametrize("library", LIBRARIES)
def test_noise_stays_fresh_where_another_formula_takes_it(library):
    X = ones("emb[100]", library)
    one, other = [lifted_noise(X).numpy() for _ in range(2)]
    assert not np.allclose(one, other)
    assert one.min() >= 0
    assert one.max() <= 2


@pytest.mark.parametrize("library", LIBRARIES)
def test_whole_numbers_are_drawn_in_a_body(library):
    @formula
    def dice(X: R[emb]) -> R[emb]:
        return X + nt.randint(1, 7, emb)

    found = dice(ones("emb[500]", library)).numpy() - 1.0
    assert set(found) == {1, 2, 3, 4, 5, 6}


def test_two_draws_in_a_body_differ():
    @formula
    def apart(X: R[emb]) -> R[emb]:
        return X * (nt.normal(emb) - nt.normal(emb))

    assert np.abs(apart(nt.ones("emb[9]")).numpy()).min() > 0
    assert apart.shape("emb[9]") == nt.Shape("emb[9]")
    assert "normal" in apart.latex()


# ---------------------------------------------------------------------------------- a user's function

running = nt.lift(lambda x: x.cumsum(0), "seq -> seq")
halved = nt.lift(lambda x: x[::2], "seq -> seq'")
pair = nt.lift(lambda x: (2 * x, x.sum()), "seq -> seq, ")
order = nt.lift(lambda x: x.argsort(), "seq -> seq")
NUMBERS = np.array([[3.0, 1.0, 2.0, 5.0], [1.0, 2.0, 3.0, 4.0]])


@formula
def accumulated(X: R[seq]) -> R[seq]:
    return running(X * 2.0) + 1.0


@formula
def thinned(X: R[seq]) -> R[seq_]:
    return halved(X)


@formula
def both(X: R[seq]) -> R[seq]:
    twice, total = pair(X)
    return twice + total


@formula
def ordered(X: R[seq]) -> R[seq]:
    return X[seq(order(X))]


CASES = [
    (accumulated, np.cumsum(2 * NUMBERS, 1) + 1),
    (thinned, NUMBERS[:, ::2]),
    (both, 2 * NUMBERS + NUMBERS.sum(1, keepdims=True)),
    (ordered, np.sort(NUMBERS, 1)),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("f", "wanted"), CASES, ids=[f.name for f, _ in CASES])
def test_a_lifted_function_runs_in_a_body_and_other_axes_pass_through(f, wanted, library):
    X = nt.tensor(NUMBERS, "batch seq").to(library)
    Y = f(X)
    last = next(a for a in Y.axes if a != "batch")
    np.testing.assert_allclose(Y.numpy("batch", last), wanted)


def test_a_function_of_several_results_is_called_once():
    source = both.code(nt.tensor(NUMBERS, "batch seq"))
    assert source.count("= function(X)") == 1


def test_the_pattern_tells_the_shape_without_data():
    assert both.shape("seq[4]") == nt.Shape("seq[4]")
    assert ordered.shape("batch seq[4]") == nt.Shape("batch seq[4]")


def test_a_size_that_the_function_chooses_is_known_at_each_call():
    for n in (4, 7, 4):
        assert thinned(nt.ones(seq[n])).shape == nt.Shape(f"seq'[{(n + 1) // 2}]")


def test_gradients_flow_through_a_function_on_torch():
    X = nt.tensor(torch.tensor(NUMBERS, requires_grad=True), "batch seq")
    nt.sum[...](accumulated(X)).backward()
    assert X.grad.numpy("batch", seq)[0].tolist() == [8, 6, 4, 2]


def test_a_function_runs_in_an_untraced_body_too():
    @formula(trace=False)
    def plain(X: R[seq]) -> R[seq]:
        return running(X)

    found = plain(nt.tensor(NUMBERS, "batch seq")).numpy("batch", seq)
    np.testing.assert_allclose(found, np.cumsum(NUMBERS, 1))


# ------------------------------------------------------------------- noise in modules and transforms


@formula
def moved(X: R[emb], g: object = None, *, W: R[emb]) -> R[emb]:
    return X * W + nt.normal(emb, generator=g)


@formula
def moved_often(X: R[emb], g: object = None, *, layers: nt.each[moved]) -> R[emb]:
    for layer in layers:
        X = layer(X, g=g)
    return X


@formula
def moved_in_a_scan(X: R[emb], *, layers: nt.each[moved, "stacked"]) -> R[emb]:  # noqa: F821
    return layers(X)


def seeded(f, *given, **named):
    torch.manual_seed(3)
    return f(*given, **named).data


MAKERS = {
    "module": lambda f: f,
    "compiled": lambda f: torch.compile(f, fullgraph=True, backend="aot_eager"),
}


@torch.no_grad()
@pytest.mark.parametrize("made", ["module", "compiled"])
@pytest.mark.parametrize("f", [moved, moved_often, moved_in_a_scan])
def test_noise_of_a_module_is_fresh_and_follows_the_seed(f, made):
    m = f.module(emb[4], **({} if f is moved else {"layers": 3}))
    run = MAKERS[made](m)
    X = nt.zeros(emb[4], backend="torch")
    first, second = run(X).data, run(X).data
    assert not torch.equal(first, second)
    assert torch.equal(seeded(run, X), seeded(run, X))
    torch.testing.assert_close(seeded(run, X), seeded(m, X))


@torch.no_grad()
def test_each_layer_draws_its_own_noise_from_a_generator():
    m = moved_often.module(emb[4], layers=3)
    X = nt.zeros(emb[4], backend="torch")
    source = torch.Generator().manual_seed(5)
    wanted = sum(torch.randn(4, generator=source) for _ in range(3))
    for _ in range(2):
        found = m(X, g=torch.Generator().manual_seed(5))
        torch.testing.assert_close(found.data, wanted)


def under_vmap(randomness):
    m = moved.module(emb[4])

    def one(W, x):
        return torch.func.functional_call(m, {"W": W}, (nt.tensor(x, emb),)).torch(emb)

    return torch.func.vmap(one, randomness=randomness)(torch.ones(5, 4), torch.zeros(5, 4))


@torch.no_grad()
def test_vmap_draws_for_each_or_for_all_as_it_is_told():
    assert len(under_vmap("different").unique(dim=0)) == 5
    same = under_vmap("same")
    assert len(same.unique(dim=0)) == 1
    assert not torch.equal(same, under_vmap("same"))


@torch.no_grad()
def test_vmap_that_is_not_told_how_to_draw_says_so():
    with pytest.raises(nt.BackendError) as caught:
        under_vmap("error")
    text = str(caught.value)
    assert "torch refuses what it computes: vmap: called random operation" in text
    assert 'hint: torch.func.vmap(f, randomness="different") draws for each' in text


@formula
def heard(X: R[seq, emb], I: nt.Z[edge], J: nt.Z[edge]) -> R[seq, emb]:
    return nt.scatter[edge, seq](X[seq(I)], J)


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_axis_that_is_made_again_has_the_size_that_it_has_in_the_formula(library):
    I, J = (nt.tensor(np.array(x), "edge").to(library) for x in ([0, 1, 1], [2, 2, 0]))
    for size in (3, 5):
        X = ones(f"seq[{size}] emb[2]", library)
        found = heard(X, I, J).numpy(seq, emb)
        assert found.shape == (size, 2)
        assert found[:3, 0].tolist() == [1, 0, 2]
    with pytest.raises(nt.AxisNameError, match="axis seq is to be made and has no size"):
        nt.scatter[edge, seq](nt.ones("edge[3]"), J.to("numpy"))


@formula
def noised(X: R[seq]) -> R[seq]:
    return 0.0 * X + nt.normal(X.shape)


@pytest.mark.parametrize("library", LIBRARIES)
def test_noise_of_the_shape_of_a_tensor_is_drawn_along_the_axes_that_lift_too(library):
    found = noised(ones("batch[2] seq[3]", library)).numpy("batch", seq)
    assert len(set(found.ravel().tolist())) == 6


@formula
def sampled(S: R[emb], T: float = 1.0, *, given: object = None) -> nt.Z:
    return nt.categorical[emb](nt.softmax[emb](S / T), generator=given)


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_index_is_drawn_in_a_body_for_each_index_of_the_axes_that_lift(library):
    S = ones("batch[400] emb[3]", library)
    drawn = sampled(S).numpy("batch")
    assert sorted(set(drawn.tolist())) == [0, 1, 2]
    assert 90 < (drawn == 1).sum() < 180
    assert (sampled(S).numpy("batch") != drawn).any()
    sure = S + nt.where(nt.iota("emb[3]") == 2, 100.0, 0.0)
    assert (sampled(sure, 0.5).numpy("batch") == 2).all()
    with pytest.raises(nt.NamedTensorError, match="cannot draw"):
        sampled(S * np.nan)


def test_draws_of_an_index_follow_their_generator_and_compile():
    S = ones("batch[50] emb[3]", "torch")
    one, two = (sampled(S, given=torch.Generator().manual_seed(3)) for _ in range(2))
    nt.testing.assert_same(one, two)
    compiled = torch.compile(lambda S: sampled(S), fullgraph=True, backend="aot_eager")(S)
    assert compiled.shape == one.shape
    assert sampled.shape("batch[2] emb[3]") == nt.Shape("batch[2]")
    assert "categorical" in sampled.latex()
