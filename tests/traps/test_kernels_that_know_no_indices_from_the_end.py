"""What faster kernels of torch compute and what they refuse is what the definition says."""

from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.backends.torch_backend import FEW
from namedtensor.errors import IndexRangeError

LIBRARIES = ["numpy", "torch"]
node, edge, emb = axes("node edge emb")


@st.composite
def indexed(draw, outside=False):
    """Draw a tensor over vocab and other axes, and indices of vocab over axes that it may share."""
    sizes = {
        name: draw(st.integers(0 if name != "vocab" else 1, 3)) for name in "batch seq emb".split()
    }
    sizes |= {"vocab": draw(st.integers(1, 4)), "beam": draw(st.integers(0, 3))}
    own = draw(st.permutations(["vocab", *draw(st.sets(st.sampled_from(["batch", "seq", "emb"])))]))
    of = draw(
        st.permutations(sorted(draw(st.sets(st.sampled_from(["batch", "seq", "emb", "beam"])))))
    )
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    X = generator.normal(size=[sizes[a] for a in own])
    n = sizes["vocab"]
    I = generator.integers(-n, n, [sizes[a] for a in of])
    if outside and I.size:
        I.flat[draw(st.integers(0, I.size - 1))] = draw(st.sampled_from([-n - 1, n, n + 5]))
    return sizes, X, own, I, of


def in_library(x, axes, library):
    return nt.tensor(x if library == "numpy" else torch.tensor(x), *axes)


def records(sizes, names):
    """List the records of some axes."""
    return [dict(zip(names, at, strict=True)) for at in product(*[range(sizes[a]) for a in names])]


def by_definition(sizes, X, own, I, of):
    """Index number by number; say too where each number was read."""
    axes = [a for a in dict.fromkeys([*own, *of]) if a != "vocab"]
    values, read = np.zeros([sizes[a] for a in axes]), np.zeros(X.shape)
    for record in records(sizes, axes):
        at = record | {"vocab": I[tuple([record[a] for a in of])]}
        place = tuple([at[a] for a in own])
        values[tuple(record.values())] = X[place]
        read[place] += 1
    return nt.tensor(values, *axes), read


@pytest.mark.parametrize("library", LIBRARIES)
@given(case=indexed())
def test_an_index_over_any_axes_is_its_definition(library, case):
    _, X, own, I, of = case
    found = in_library(X, own, library)[nt.Axis("vocab")(in_library(I, of, library))]
    nt.testing.assert_close(found.to("numpy"), by_definition(*case)[0], rtol=0, atol=0)


@given(case=indexed())
def test_the_gradient_of_an_index_counts_how_often_each_number_was_read(case):
    _, X, own, I, of = case
    x = torch.tensor(X, requires_grad=True)
    nt.tensor(x, *own)[nt.Axis("vocab")(in_library(I, of, "torch"))].data.sum().backward()
    np.testing.assert_array_equal(x.grad, by_definition(*case)[1])


@given(case=indexed(outside=True))
def test_an_index_outside_is_refused_alike(case):
    sizes, X, own, I, of = case
    n = sizes["vocab"]
    if not X.size:  # there is no number to read
        return
    texts = []
    for library in LIBRARIES:
        try:
            in_library(X, own, library)[nt.Axis("vocab")(in_library(I, of, library))]
        except IndexRangeError as error:
            texts.append(str(error))
    outside = [i for i in I.flat if not -n <= i < n]
    assert len(texts) == 2 * bool(outside)
    assert len(set(texts)) < 2


@pytest.mark.parametrize("library", LIBRARIES)
@given(case=indexed())
def test_a_scatter_adds_what_an_index_would_read(library, case):
    sizes, _, own, I, of = case
    kept = [a for a in own if a != "vocab"]
    Y = np.random.default_rng(0).normal(size=[sizes[a] for a in kept])
    used = [a for a in dict.fromkeys([*of, *kept]) if a in of and a in kept]
    if not used:
        return
    found = nt.scatter[(*used, f"new[{sizes['vocab']}]")](
        in_library(Y, kept, library), in_library(I, of, library)
    )
    rest = [a for a in dict.fromkeys([*kept, *of]) if a not in used]
    expected = np.zeros([*[sizes[a] for a in rest], sizes["vocab"]])
    for record in records(sizes, dict.fromkeys([*kept, *of])):
        place = (*[record[a] for a in rest], I[tuple([record[a] for a in of])])
        expected[place] += Y[tuple([record[a] for a in kept])]
    nt.testing.assert_close(
        found.to("numpy"), nt.tensor(expected, *rest, "new"), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_number_is_scattered_as_it_is(library):
    I = in_library(np.array([2, 0, 2]), ["seq"], library)
    assert nt.scatter["seq", "vocab[3]"](1.5, I).numpy().tolist() == [1.5, 0.0, 3.0]
    assert nt.scatter["seq", "vocab[3]"](True, I).numpy().tolist() == [1, 0, 2]


@pytest.mark.parametrize("library", LIBRARIES)
@given(
    index=st.integers(-5, 4),
    start=st.integers(-4, 4),
    stop=st.none() | st.integers(-4, 4),
    step=st.sampled_from([None, 1, 2]),
    number=st.booleans(),
)
def test_a_part_that_is_written_is_that_of_python(library, index, start, stop, step, number):
    x = np.random.default_rng(0).normal(size=(2, 3, 5))
    X = in_library(x, ["batch", "seq", "emb"], library)
    part = slice(start, stop, step)
    y = 7.0 if number else np.arange(3.0)[part]
    Y = 7.0 if number else in_library(y, ["seq"], library)
    place = X.at[nt.Axis("emb")(index), nt.Axis("seq")[start:stop:step]]
    for written, how in ((place.set(Y), "set"), (place.add(Y), "add")):
        expected = x.copy()
        expected[:, part, index] = y if how == "set" else expected[:, part, index] + y
        np.testing.assert_array_equal(written.numpy("batch seq emb"), expected)
    np.testing.assert_array_equal(X.numpy("batch seq emb"), x)


# ------------------------------------------------------------------------------- the k greatest

MANY = FEW // 4 + 1


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("n", [6, MANY])
@given(
    seed=st.integers(0, 99),
    k=st.integers(0, 6),
    distinct=st.integers(1, 2000),
    nans=st.integers(0, 2),
    last=st.booleans(),
)
def test_the_greatest_come_in_the_order_of_a_stable_sort(largest, n, seed, k, distinct, nans, last):
    generator = np.random.default_rng(seed)
    x = generator.permutation(np.resize(np.arange(distinct), 4 * n)).reshape(4, n) / 8
    x.flat[generator.integers(0, x.size, nans)] = np.nan
    x, axes = (x, ["batch", "seq"]) if last else (x.T, ["seq", "batch"])
    values, places = (nt.maxk, nt.argmaxk_index) if largest else (nt.mink, nt.argmink_index)
    marks = nt.argmaxk if largest else nt.argmink
    found = [
        [f["seq", f"k[{k}]"](in_library(x, axes, library)).to("numpy") for library in LIBRARIES]
        for f in (values, places, marks)
    ]
    for mine, theirs in found:
        nt.testing.assert_close(mine, theirs, rtol=0, atol=0)
    X, chosen = in_library(x, axes, "numpy"), found[1][0]
    nt.testing.assert_close(X[nt.Axis("seq")(chosen)], found[0][0], rtol=0, atol=0)
    nt.testing.assert_close(nt.one_hot(chosen, f"seq[{n}]"), found[2][0])


@pytest.mark.parametrize("n", [6, MANY])
def test_the_gradient_of_the_greatest_goes_to_the_first_of_equals(n):
    x = torch.zeros(4, n, dtype=torch.float64, requires_grad=True)
    nt.maxk["seq", "k[2]"](nt.tensor(x, "batch seq")).data.sum().backward()
    assert x.grad[:, :2].eq(1).all()
    assert x.grad.sum() == 8


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32]
)
@pytest.mark.parametrize("n", [6, MANY])
def test_the_greatest_of_every_dtype_are_found(dtype, n):
    x = torch.arange(4 * n).reshape(4, n).remainder(7).to(dtype)
    X = nt.tensor(x, "batch seq")
    expected = x.sort(dim=1, descending=True, stable=True)
    assert nt.maxk["seq", "k[3]"](X).torch("batch k").equal(expected.values[:, :3])
    assert nt.argmaxk_index["seq", "k[3]"](X).torch("batch k").equal(expected.indices[:, :3])


@pytest.mark.parametrize("name", ["uint16", "uint32", "float8_e4m3fn"])
def test_numbers_for_which_torch_lacks_kernels_are_chosen_and_written(name):
    x = torch.arange(4 * MANY).remainder(7).reshape(4, MANY).to(getattr(torch, name))
    X, found = nt.tensor(x, "batch seq"), x.int()
    chosen = nt.where(X == 3, 0, X)
    assert chosen.dtype == x.dtype
    assert chosen.torch("batch seq").int().equal(found.where(found != 3, 0))
    written = X.at["batch(0)"].set(5).torch("batch seq").int()
    assert written[0].eq(5).all()
    assert written[1:].equal(found[1:])
    if name != "float8_e4m3fn":
        places = nt.argmaxk_index["seq", "k[3]"](X).torch("batch k")
        assert places.equal(found.sort(dim=1, descending=True, stable=True).indices[:, :3])


# ----------------------------------------------------------------------- where nothing is refused


@given(case=indexed())
def test_vmap_over_what_is_indexed_is_one_call_for_each(case):
    _, X, own, I, of = case
    xs = torch.tensor(np.stack([X, 2 * X]))

    def read(x):
        return nt.tensor(x, *own)[nt.Axis("vocab")(in_library(I, of, "torch"))].data

    expected = torch.stack([read(x) for x in xs])
    torch.testing.assert_close(torch.func.vmap(read)(xs), expected, rtol=0, atol=0)
    ours = torch.func.vmap(torch.func.grad(lambda x: read(x).square().sum()))(xs)
    theirs = torch.stack([torch.func.grad(lambda x: read(x).square().sum())(x) for x in xs])
    torch.testing.assert_close(ours, theirs)


ONE_LINERS = {
    "an index over a shared axis": lambda X, I: X[nt.Axis("vocab")(I)],
    "the greatest": lambda X, I: nt.maxk["vocab", "k[2]"](X),
    "the places of the greatest": lambda X, I: nt.argmaxk_index["vocab", "k[2]"](X),
    "a scatter": lambda X, I: nt.scatter["beam", "new[5]"](X, I),
    "a part that is written": lambda X, I: X.at["vocab(1)"].set(0.0).at["vocab[1:3]"].add(2.0),
    "a choice between a number and data": lambda X, I: nt.where(X > 0, 0, X),
}


def run(name, x, i):
    found = ONE_LINERS[name](nt.tensor(x, "batch emb vocab"), nt.tensor(i, "batch beam"))
    return found.torch(*sorted(found.axes))


X, I = torch.randn(2, 3, 5, dtype=torch.float64), torch.tensor([[1, -2, 1], [4, 0, -5]])


def test_one_liners_compile_to_one_graph():
    def every(x, i):
        return [run(name, x, i) for name in ONE_LINERS]

    torch.compiler.reset()
    compiled = torch.compile(every, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(X, I), every(X, I))


@pytest.mark.parametrize("name", ONE_LINERS)
def test_one_liners_vmap(name):
    both = torch.func.vmap(lambda x, i: run(name, x, i))(
        torch.stack([X, 2 * X]), torch.stack([I, I])
    )
    torch.testing.assert_close(both, torch.stack([run(name, X, I), run(name, 2 * X, I)]))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("verb", ["add", "max", "min"])
@given(data=st.data())
def test_what_is_written_along_one_axis_is_its_definition(library, verb, data):
    sizes = {"vocab": data.draw(st.integers(1, 4)), "edge": data.draw(st.integers(0, 5)), "emb": 2}
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    own = data.draw(st.permutations(["vocab", *data.draw(st.sampled_from([[], ["emb"]]))]))
    of = data.draw(st.permutations(["edge", *data.draw(st.sampled_from([[], ["emb"]]))]))
    n = sizes["vocab"]
    X = generator.normal(size=[sizes[a] for a in own])
    Y = generator.normal(size=[sizes[a] for a in of])
    I = generator.integers(-n, n, sizes["edge"])
    update = getattr(
        in_library(X, own, library).at[nt.Axis("vocab")(in_library(I, ["edge"], library))], verb
    )
    found = update(in_library(Y, of, library))
    both = [a for a in ("vocab", "emb") if a == "vocab" or a in own or a in of]
    expected = np.broadcast_to(
        np.moveaxis(X, own.index("vocab"), 0).reshape(
            [n, *[2] * ("emb" in own)][: len(own)] + [1] * (len(both) - len(own))
        ),
        [sizes[a] for a in both],
    ).copy()
    written = np.moveaxis(Y, of.index("edge"), 0)
    written = written.reshape(list(written.shape) + [1] * (len(both) - len(of)))
    kind = {"add": np.add, "max": np.maximum, "min": np.minimum}[verb]
    for i, row in zip(I, written, strict=True):
        expected[i] = kind(expected[i], row)
    np.testing.assert_allclose(found.numpy(*both), expected, rtol=1e-12)
    if sizes["edge"]:
        far = np.where(np.arange(len(I)) == 0, n, I)
        with pytest.raises(IndexRangeError):
            getattr(
                in_library(X, own, library).at[
                    nt.Axis("vocab")(in_library(far, ["edge"], library))
                ],
                verb,
            )(in_library(Y, of, library))


def test_numbers_at_an_index_of_one_axis_are_written_by_one_kernel():
    @formula
    def heard(X: R[node, emb], m: R[edge, emb], I: Z[edge]) -> R[node, emb]:
        return X.at[node(I)].max(m)

    X, m = (nt.ones(f"{a}[3] emb[2]", backend="torch") for a in ("node", "edge"))
    I = nt.tensor(torch.tensor([0, 2, 2]), "edge")
    assert "max_at_dim(X, 0, I, m)" in heard.code(X, m, I)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("verb", ["add", "max", "min", "multiply"])
@pytest.mark.parametrize("lifted", [False, True])
@pytest.mark.parametrize("own", [["edge", "node"], ["node", "emb", "edge"]])
def test_an_index_over_an_axis_that_the_tensor_has_is_written_record_by_record(
    library, verb, lifted, own
):
    generator = np.random.default_rng(3)
    data = generator.normal(size=[{"edge": 3, "node": 4, "emb": 2}[a] for a in own])
    X, Y = in_library(data, own, library), in_library(generator.normal(size=3), ["edge"], library)
    I = in_library(np.array([2, 0, 2]), ["edge"], library)

    def write(X: R[node], Y: R, I: Z) -> R[node]:
        return getattr(X.at[node(I)], verb)(Y)

    found = (formula(write) if lifted else write)(X, Y, I)
    each = {"add": np.add, "max": np.maximum, "min": np.minimum, "multiply": np.multiply}[verb]
    expected = np.moveaxis(data, [own.index("edge"), own.index("node")], [0, 1]).copy()
    for n, (at, one) in enumerate(zip([2, 0, 2], Y.numpy("edge"), strict=True)):
        expected[n, at] = each(expected[n, at], one)
    rest = [a for a in own if a == "emb"]
    np.testing.assert_allclose(found.numpy("edge", "node", *rest), expected)
