"""Layers of a stack that are alike are traced, rewritten and written out once, however many there are."""

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.python_calls import python_calls
from transformer_named import named_tensors

batch, seq, emb, hid, part = axes("batch seq emb hid part")

#: How often the body of a layer has run.
ran: list[int] = []


@formula
def mapped(X: R[emb], *, W: R[emb, hid], V: R[hid, emb], b: R[emb]) -> R[emb]:
    return V @ hid @ nt.tanh(W @ emb @ X) + b


@formula
def layer(X: R[seq, emb], p: float = 0.0, *, one: mapped, two: mapped) -> R[seq, emb]:
    ran.append(1)
    return nt.dropout(X + two(one(nt.standardize[emb](X))), p)


@formula
def stack(X: R[seq, emb], *, layers: nt.each[layer], gain: R[emb]) -> R[seq, emb]:
    for each in layers:
        X = each(X)
    return X * gain


@formula
def pair(X: R[seq, emb], *, first: stack, rest: nt.each[layer]) -> R[seq, emb]:
    X = first(X)
    return [X := each(X) for each in rest][-1]


@formula
def looking(X: R[seq, emb], *, layers: nt.each[layer]) -> R[seq, emb]:
    for each in layers:
        X = each(X)
    return X + layers[1].two.b


@formula
def outputs(X: R[seq, emb], *, layers: nt.each[layer]) -> tuple[R[seq, emb], R[seq, emb]]:
    found = [X := each(X) for each in layers]
    return found[0], found[-1]


SIZES = (emb[4], hid[6])
X = nt.normal(
    seq[3], emb[4], generator=torch.Generator().manual_seed(1), backend="torch", dtype=torch.float64
)


def made(f=stack, **given):
    torch.manual_seed(0)
    m = f.module(*SIZES, dtype=torch.float64, **given)
    for p in m.parameters():
        torch.nn.init.normal_(p)
    return m


def run(layers, X):
    for part in layers:
        X = layer(X, **part.named_values())
    return X


def new(layers, layer=named_tensors.layer, sizes="emb[8] hid[16] head[2] key[4] val[4]"):
    """Make a stack, by default of a Transformer's layers, of a formula that has no plans."""

    @formula
    def stack(X: R[seq, emb], *, layers: nt.each[layer]) -> R[seq, emb]:
        for each in layers:
            X = each(X)
        return X

    return stack.module(sizes, layers=layers)


def test_a_layer_s_body_runs_once_for_all_layers():
    m = new(7, layer, "emb[4] hid[6]")
    ran.clear()
    m(nt.normal(seq[3], emb[4], backend="torch"))
    assert len(ran) == 1


def test_the_first_call_of_many_layers_costs_little_more_than_that_of_one():
    Y = nt.normal(seq[5], emb[8], backend="torch")
    new(2)(Y)
    one, many = new(1), new(64)
    assert python_calls(lambda: many(Y)) < 2.5 * python_calls(lambda: one(Y))


def test_the_code_is_a_function_of_the_layer_and_a_loop():
    m = made(layers=64)
    code = m.code(X)
    assert code.count("def layer") == 1
    assert "    for each in layers:\n        X = layer(X, *each)" in code
    assert max(map(len, code.splitlines())) < 200


@pytest.mark.parametrize("many", [1, 2, 5])
def test_values_and_gradients_are_those_of_the_layers_one_by_one(many):
    m = made(layers=many)
    twin = made(layers=many)
    Y, Z = m(X), run(twin.layers, X) * nt.tensor(twin.gain, emb)
    torch.testing.assert_close(Y.torch(seq, emb), Z.torch(seq, emb))
    Y.data.square().sum().backward()
    Z.data.square().sum().backward()
    for p, q in zip(m.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad)
    torch.testing.assert_close(m(X).data, Y.data)


def test_two_stacks_one_of_them_in_a_bundle():
    m = made(pair, first=dict(layers=3), rest=4)
    wanted = run(m.rest, run(m.first.layers, X) * nt.tensor(m.first.gain, emb))
    for _ in range(2):
        torch.testing.assert_close(m(X).torch(seq, emb), wanted.torch(seq, emb))
    assert len(pair.plans) == 1


def test_a_body_may_look_into_one_layer():
    m = made(looking, layers=3)
    wanted = run(m.layers, X) + nt.tensor(m.layers[1].two.b, emb)
    for _ in range(2):
        torch.testing.assert_close(m(X).torch(seq, emb), wanted.torch(seq, emb))


def test_what_each_layer_gives_may_be_kept():
    m = made(outputs, layers=3)
    first, last = m(X)
    torch.testing.assert_close(first.torch(seq, emb), run(m.layers[:1], X).torch(seq, emb))
    torch.testing.assert_close(last.torch(seq, emb), run(m.layers, X).torch(seq, emb))


def test_a_layer_that_is_put_in_another_place_or_given_twice():
    m = made(layers=4)
    m(X)
    m.layers[2] = m.layers[0]
    m.layers[3], m.layers[1] = m.layers[1], m.layers[3]
    wanted = run(m.layers, X) * nt.tensor(m.gain, emb)
    torch.testing.assert_close(m(X).torch(seq, emb), wanted.torch(seq, emb))


def test_layers_that_differ_in_sizes_or_settings_have_their_own():
    m = made(layers=3)
    m(X)
    m.layers[1] = layer.module(emb[4], hid[9], dtype=torch.float64)
    wanted = run(m.layers, X) * nt.tensor(m.gain, emb)
    torch.testing.assert_close(m(X).torch(seq, emb), wanted.torch(seq, emb))
    m.layers[2] = layer.module(emb[4], hid[6], p=1.0, dtype=torch.float64)
    assert not m(X).data.any()
    m.eval()
    assert m(X).data.any()


def test_a_layer_whose_sizes_do_not_fit_any_more_is_told():
    m = made(layers=3)
    m(X)
    m.layers[2].two.b = torch.nn.Parameter(torch.ones(5, dtype=torch.float64))
    with pytest.raises(nt.AxisSizeError, match="emb is 4"):
        m(X)


def test_modes_and_noise_are_each_layer_s_own():
    m = made(layers=[dict(p=0.5) for _ in range(3)])
    assert not torch.equal(m(X).data, m(X).data)
    m.layers[1].eval()
    m.layers[0].eval()
    m.layers[2].eval()
    torch.testing.assert_close(m(X).data, m(X).data)
    wanted = run(made(layers=3).layers, X) * nt.tensor(m.gain, emb)
    torch.testing.assert_close(m(X).torch(seq, emb), wanted.torch(seq, emb))


def test_vmap_functional_call_and_compilers_take_the_loop():
    m = made(layers=3)
    wanted = m(X)
    state = {n: torch.stack([p, p * 0.5]) for n, p in m.named_parameters()}

    def call(held):
        return torch.func.functional_call(m, held, (X,)).data

    torch.testing.assert_close(torch.func.vmap(call)(state)[0], wanted.data)
    compiled = torch.compile(m, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(X).data, wanted.data)


def test_a_plan_keeps_no_parameters():
    import gc
    import weakref

    m = made(layers=3)
    m(X)
    held = weakref.ref(m.layers[1].one.W)
    del m
    gc.collect()
    assert held() is None


def test_bundles_may_have_any_names():
    @formula
    def named(
        X: R[emb], *, first: mapped, given: mapped, place: mapped, layer: mapped, values: R[emb]
    ) -> R[emb]:
        return first(given(place(layer(X)))) + values

    @formula
    def whole(X: R[emb], *, layers: nt.each[named], one: named) -> R[emb]:
        for each in layers:
            X = each.layer(each.given(each.place(each.first(X)))) + each.values
        return one.first(X) + one.layer(X) + one.values

    m = made(whole, layers=2)
    wanted = X
    for part in m.layers:
        for name in ("first", "place", "given", "layer"):
            wanted = mapped(wanted, **getattr(part, name).named_values())
        wanted = wanted + nt.tensor(part.values, emb)
    first, last = [mapped(wanted, **p.named_values()) for p in (m.one.first, m.one.layer)]
    wanted = first + last + nt.tensor(m.one.values, emb)
    torch.testing.assert_close(m(X).torch(seq, emb), wanted.torch(seq, emb))


@pytest.mark.parametrize("sized", [False, True])
def test_a_bias_by_distance_takes_its_sizes_from_what_it_meets(sized):
    place, seq_ = nt.axes("place"), seq.prime

    @formula
    def leaning(X: R[seq, emb], P: R[seq_, seq], *, b: R[emb]) -> R[seq, emb]:
        S = X[seq >> seq_] @ emb @ X + P
        return X + (nt.softmax[seq](S) @ seq @ X)[seq_ >> seq] + b

    @formula
    def biased(X: R[seq, emb], *, B: R[place], layers: nt.each[leaning]) -> R[seq, emb]:
        along = (seq_[abs(seq)], seq[abs(seq)]) if sized else (seq_, seq)
        P = B[place(nt.define[along](lambda i, j: nt.abs(i - j)))]
        for each in layers:
            X = each(X, P)
        return X

    m = biased.module(emb[4], place[5], layers=3, dtype=torch.float64)
    Y = X.torch(seq, emb)
    P = m.B[(torch.arange(3)[:, None] - torch.arange(3)).abs()]
    for part in m.layers:
        Y = Y + torch.softmax(Y @ Y.T + P, -1) @ Y + part.b
    torch.testing.assert_close(m(X).torch(seq, emb), Y)


@formula
def parted(X: R[seq, emb], *, W: R[part, emb, hid], V: R[hid, emb]) -> R[seq, emb]:
    gate, value = nt.unstack[part](W @ emb @ X)
    return V @ hid @ (nt.sigmoid(gate) * value)


def test_a_body_that_asks_for_a_size_of_its_weights_runs_more_than_once():
    model = new(3, parted, "emb[4] hid[6] part[2]").double()
    expected = X
    for held in model.layers:
        expected = parted(expected, **held.named_values())
    for _ in range(3):
        nt.testing.assert_close(model(X), expected)
    assert "sigmoid" in model.code(X)
    nt.testing.assert_close(model(nt.stack[batch](X, X))[batch(1)], expected)


@formula
def counted(X: R[seq, emb], *, W: R[part, emb, hid], V: R[hid, emb]) -> R[seq, emb]:
    ran.append(1)
    gate, value = nt.unstack[part](W @ emb @ X)
    return V @ hid @ (nt.sigmoid(gate) * value)


@formula
def by_length(X: R[seq, emb], *, b: R[emb]) -> R[seq, emb]:
    return X + b / len(nt.unstack[seq](X))


def test_a_body_that_asks_for_a_size_of_its_weights_runs_once_for_all_layers():
    model = new(5, counted, "emb[4] hid[6] part[2]")
    ran.clear()
    model(X.to("float32"))
    assert len(ran) == 1
    other = new(5, counted, "emb[4] hid[6] part[2]")
    other.layers[3] = counted.module("emb[4] hid[5] part[2]")
    expected = X.to("float32")
    for held in other.layers:
        expected = counted(expected, **held.named_values())
    nt.testing.assert_close(other(X.to("float32")), expected)
    lengths = new(3, by_length, "emb[4]")
    for b in lengths.parameters():
        torch.nn.init.ones_(b)
    for n in (2, 3, 2):
        nt.testing.assert_close(
            lengths(nt.zeros(seq[n], emb[4]).to("torch").to("float32")),
            nt.full(seq[n], emb[4], 3.0 / n).to("torch").to("float32"),
        )
