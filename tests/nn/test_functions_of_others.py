"""Functions and torch modules inside formulas: lifted, declared after the star, held by modules."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.check import check

batch, seq, emb, hid, chans, height = axes("batch seq emb hid chans height")


@formula
def stem(
    X: R[chans, height], *, net: nt.lift["chans height -> chans' height'"], b: R["chans'"]
) -> R["chans' height'"]:
    return nt.relu(net(X) + b)


@formula
def summed(X: R[seq], *, f: nt.lift["seq -> seq"]) -> R[seq]:
    return f(X * 2.0) + 1.0


@formula
def around(X: R[chans, height], *, stem: stem) -> R["chans' height'"]:
    return stem(X) * 2.0


@pytest.fixture
def conv():
    return torch.nn.Conv1d(3, 5, 2, stride=2)


@pytest.fixture
def model(conv):
    return stem.module(chans.prime[5], net=conv)


@pytest.fixture
def x():
    return torch.randn(2, 3, 8)


def positional(conv, x, b):
    return torch.relu(conv(x) + b[:, None])


def test_a_module_after_the_star_is_held_with_its_parameters(model, conv):
    assert [n for n, _ in model.named_parameters()] == ["b", "net.weight", "net.bias"]
    assert model.net is conv
    assert set(model.state_dict()) == {"net.weight", "net.bias", "b"}


def test_its_values_and_gradients_are_those_of_positional_code(model, conv, x):
    found = model(nt.tensor(x, "batch chans height"))
    wanted = positional(conv, x, model.b)
    assert found.shape == nt.Shape("batch[2] chans'[5] height'[4]")
    torch.testing.assert_close(found.torch("batch", "chans'", "height'"), wanted)
    mine = torch.autograd.grad(found.torch("batch", "chans'", "height'").sum(), model.parameters())
    other = torch.autograd.grad(wanted.sum(), model.parameters())
    torch.testing.assert_close(mine, other)


def test_another_length_is_another_size(model, x):
    for n in (8, 6, 8):
        assert model(nt.tensor(x[..., :n], "batch chans height")).size("height'") == n // 2


def test_a_module_in_a_bundle_is_called_too(conv, x):
    found = around(
        nt.tensor(x, "batch chans height"),
        stem={"net": conv, "b": nt.zeros("chans'[5]", backend="torch")},
    )
    torch.testing.assert_close(
        found.torch("batch", "chans'", "height'"), 2 * positional(conv, x, torch.zeros(5))
    )


def test_a_bundle_is_given_with_its_function(conv, x):
    model = around.module(stem=stem.module(chans.prime[5], net=conv))
    assert {n for n, _ in model.named_parameters()} == {
        "stem.b",
        "stem.net.weight",
        "stem.net.bias",
    }
    torch.testing.assert_close(
        model(nt.tensor(x, "batch chans height")).torch("batch", "chans'", "height'"),
        2 * positional(conv, x, model.stem.b),
    )


def test_a_plain_call_takes_any_function():
    X = nt.tensor(np.arange(6.0).reshape(2, 3), "batch seq")
    for _ in range(2):
        found = summed(X, f=np.cumsum)
        np.testing.assert_allclose(
            found.numpy("batch", "seq"), np.cumsum(2 * X.numpy("batch", "seq"), 1) + 1
        )
    np.testing.assert_allclose(summed(X, f=np.sort).numpy("batch", "seq")[1], [7, 9, 11])
    assert summed.planned == 2


def test_a_copy_has_its_own_function(model, x):
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.net.weight.zero_()
        other.net.bias.zero_()
    X = nt.tensor(x, "batch chans height")
    assert nt.max[...](other(X)).torch() == 0.0
    assert nt.max[...](model(X)).torch() > 0.0


def test_another_function_may_be_set(model, x):
    model.net = torch.nn.Conv1d(3, 5, 3)
    assert model(nt.tensor(x, "batch chans height")).size("height'") == 6
    assert model.net.weight.shape == (5, 3, 3)


def test_it_moves_trains_and_is_stored_as_any_module(model, x):
    model.double()
    assert model.net.weight.dtype == torch.float64
    X = nt.tensor(x.double(), "batch chans height")
    assert model(X).dtype == torch.float64
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    before = nt.sum[...](model(X))
    before.backward()
    optimiser.step()
    assert nt.sum[...](model(X)).torch() < before.torch()
    stored = io.BytesIO()
    torch.save(model.state_dict(), stored)
    other = stem.module(chans.prime[5], net=torch.nn.Conv1d(3, 5, 2, stride=2)).double()
    other.load_state_dict(torch.load(io.BytesIO(stored.getvalue())))
    torch.testing.assert_close(
        other(X).torch("batch", "chans'", "height'"), model(X).torch("batch", "chans'", "height'")
    )
    again = pickle.loads(pickle.dumps(model))
    assert again(X).shape == model(X).shape


def test_modes_and_buffers_are_the_module_s_own():
    @formula
    def normed(
        X: R[batch, chans], *, net: nt.lift["batch chans -> batch chans"]
    ) -> R[batch, chans]:
        return net(X)

    model = normed.module(net=torch.nn.BatchNorm1d(3))
    X = nt.tensor(torch.randn(10, 3) + 5, "batch chans")
    model(X)
    assert model.net.num_batches_tracked == 1
    model.eval()
    model(X)
    assert model.net.num_batches_tracked == 1


def test_functional_call_and_vmap_reach_its_parameters(model, x):
    held = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
    X = nt.tensor(x, "batch chans height")
    found = torch.func.functional_call(model, held, (X,))
    assert nt.max[...](nt.abs(found)).torch() == 0.0


def test_it_runs_compiled(model, x):
    X = nt.tensor(x, "batch chans height")
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    torch.testing.assert_close(
        compiled(X).torch("batch", "chans'", "height'"),
        model(X).torch("batch", "chans'", "height'"),
    )


def test_its_shape_is_known_where_sizes_are(conv):
    assert stem.shape("chans[3] height[8]", net=conv, b="chans'[5]") == nt.Shape(
        "chans'[5] height'[4]"
    )
    assert "net" in stem.code(
        nt.ones("chans[3] height[8]", backend="torch"),
        net=conv,
        b=nt.ones("chans'[5]", backend="torch"),
    )


def test_weights_start_as_their_roles_say():
    @formula
    def readout(
        X: R[chans, height], *, net: nt.lift["chans height -> chans' height'"], E: R["chans'", emb]
    ) -> R[emb, "height'"]:
        return E @ "chans'" @ net(X)

    model = readout.module("chans'[500] emb[2]", net=torch.nn.Conv1d(3, 500, 2))
    assert model.E.abs().max() < (6 / 502) ** 0.5 + 1e-6
    assert model.E.abs().max() > 0.09


def test_a_body_may_name_what_passes_through():
    @formula(trace=False)
    def plain(X: R[seq]) -> R[seq]:
        return nt.tensor(np.cumsum(X.numpy(*X.axes), axis=-1), *X.axes)

    X = nt.ones("batch[2] seq[3]")
    assert plain(X).numpy("batch", "seq").tolist() == [[1, 2, 3], [1, 2, 3]]


LINEAR = torch.nn.Linear(3, 3)
HELD = nt.lift(LINEAR, "seq -> seq")


@formula
def closes_over(X: R[seq]) -> R[seq]:
    return HELD(X)


def through(X):
    return closes_over(X)


@formula
def calls_one_that_does(X: R[seq]) -> R[seq]:
    return through(X)


def test_parameters_that_are_closed_over_are_refused():
    assert closes_over(nt.ones("seq[3]", backend="torch")).shape == nt.Shape("seq[3]")
    check(
        lambda: closes_over.module(),
        nt.BackendError,
        """
closes_over.module(...): the body closes over HELD, a Linear whose parameters the module would not hold
hint: declare it after the *: HELD: nt.lift["seq -> seq"], and give it: closes_over.module(..., HELD=HELD)
""".strip(),
    )
    with pytest.raises(nt.BackendError, match="closes over HELD"):
        calls_one_that_does.module()
    inner = summed.module(f=LINEAR)

    @formula
    def local(X: R[seq]) -> R[seq]:
        return inner(X)

    with pytest.raises(nt.BackendError, match="declare it after the \\*: inner: summed"):
        local.module()


def test_a_function_without_parameters_may_be_closed_over():
    relu = nt.lift(torch.nn.ReLU(), "seq -> seq")

    @formula
    def activated(X: R[seq], *, b: R[seq]) -> R[seq]:
        return relu(X + b)

    assert activated.module(seq[3])(nt.ones("seq[3]", backend="torch")).shape == nt.Shape("seq[3]")


# --------------------------------------------------------------------------------- what vmap cannot


class Recurrent(torch.nn.Module):
    """An LSTM of one sequence, for which torch has no batched rule."""

    def __init__(self):
        super().__init__()
        self.cell = torch.nn.LSTM(4, 6, batch_first=True)

    def forward(self, x):
        return self.cell(x)[0]


@formula
def read(X: R[seq, emb], *, net: nt.lift["seq emb -> seq hid"]) -> R[seq, hid]:
    return nt.relu(net(X))


def test_what_torch_cannot_batch_runs_for_each_record():
    m = read.module(net=Recurrent())
    x = torch.randn(3, 5, 4, requires_grad=True)
    found, wanted = m(nt.tensor(x, batch, seq, emb)).torch(batch, seq, hid), torch.relu(m.net(x))
    torch.testing.assert_close(found, wanted)
    mine, other = [torch.autograd.grad(y.square().sum(), x)[0] for y in (found, wanted)]
    torch.testing.assert_close(mine, other)


def test_a_state_of_a_module_s_own_is_changed_once_for_each_record():
    @formula
    def normed(X: R[batch, emb], *, net: nt.lift["batch emb -> batch emb"]) -> R[batch, emb]:
        return net(X)

    m, twin = normed.module(net=torch.nn.BatchNorm1d(4)), torch.nn.BatchNorm1d(4)
    x = torch.randn(2, 3, 4)
    found = m(nt.tensor(x, seq, batch, emb)).torch(seq, batch, emb)
    torch.testing.assert_close(found, torch.stack([twin(row) for row in x]))
    for name, data in twin.named_buffers():
        torch.testing.assert_close(m.net.get_buffer(name), data)


@formula
def seen_whole(
    X: R[batch, chans, height], *, net: nt.lift["batch chans height -> batch chans' height'"]
) -> R[batch, "chans'", "height'"]:
    return net(X)


@pytest.mark.parametrize("before", [False, True])
def test_export_keeps_a_size_open_that_a_module_sees(before, conv):
    m = seen_whole.module(net=conv)

    class Bare(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.m = m

        def forward(self, x):
            return self.m(nt.tensor(x, "batch chans height")).torch("batch", "chans'", "height'")

    bare, sizes = Bare(), ({0: torch.export.Dim("rows", min=2, max=64)},)
    if before:
        bare(torch.randn(4, 3, 8))
    program = torch.export.export(bare, (torch.randn(3, 3, 8),), dynamic_shapes=sizes)
    x = torch.randn(5, 3, 8)
    torch.testing.assert_close(program.module()(x), conv(x))


def test_a_mistake_is_told_while_sizes_are_kept_open():
    @formula
    def wrong(X: R[seq]) -> R[seq]:
        return nt.softmax[hid](X)

    class Bare(torch.nn.Module):
        def forward(self, x):
            return wrong(nt.tensor(x, "batch seq")).torch("batch", "seq")

    sizes = ({0: torch.export.Dim("rows", min=2, max=64)},)
    with pytest.raises(nt.AxisMissingError, match="X has no axis hid\n  X : batch seq"):
        torch.export.export(Bare(), (torch.randn(3, 8),), dynamic_shapes=sizes)


# ------------------------------------------------------------- functions that see every axis


@pytest.mark.parametrize("stored", ["seq emb", "batch seq emb", "emb batch seq", "seq batch emb"])
def test_a_function_that_sees_every_axis_writes_where_its_operand_is_stored(stored):
    def write(x, y):
        x[..., -y.shape[-2] :, :] = y
        return x

    over = nt.lift(write, "seq emb, seq' emb -> seq emb", over=())

    @formula
    def written(X: R[seq, emb], Y: R[seq.prime, emb]) -> R[seq, emb]:
        return 2 * over(X, Y)

    sizes = {"batch": 2, "seq": 4, "emb": 3, "seq'": 2}
    for _ in range(2):  # the plan is made, and then known
        X = nt.zeros(" ".join(f"{n}[{sizes[n]}]" for n in stored.split()), backend="torch")
        Y = nt.normal(" ".join(f"{n}[{sizes[n]}]" for n in ["seq'", *stored.split()] if n != "seq"),
                      backend="torch")  # fmt: skip
        found = written(X, Y)
        wanted = nt.concat[seq](0 * Y[seq.prime >> seq], Y[seq.prime >> seq])
        assert torch.equal(X.torch(*stored.split()), wanted.torch(*stored.split()))
        assert torch.equal(found.torch(*stored.split()), 2 * wanted.torch(*stored.split()))


def test_what_a_function_gives_is_looked_at_in_each_call():
    given = [lambda x: x, lambda x: x + 1, lambda x: x.double(), lambda x: x[1:]]
    now = nt.lift(lambda x: given[-1](x), "seq emb -> seq emb")

    @formula
    def through(X: R[seq, emb]) -> R[seq, emb]:
        return now(X)

    X = nt.normal("seq[4] emb[3]", backend="torch")
    given.append(given[0])
    assert torch.equal(through(X).data, X.data)
    for function, wanted in ((given[1], X.data + 1), (given[2], X.data.double())):
        given.append(function)
        assert torch.equal(through(X).data, wanted)
    given.append(given[3])
    with pytest.raises(nt.NamedTensorError, match=r"axis seq is 4 before .* and 3 after it"):
        through(X)
