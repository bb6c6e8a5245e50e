"""Stacks of bundles, bundles that are given, tied or replaced, and what a module can be asked."""

import copy
import pickle

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_same

batch, seq, emb, hid, chans, out, head = axes("batch seq emb hid chans out head")


@formula
def FFN(X: R[emb], p: float = 0.0, *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb]) -> R[emb]:
    return nt.dropout(W2 @ hid @ nt.relu(W1 @ emb @ X + b1), p)


@formula
def Gated(X: R[emb], *, W: R[emb, hid], V: R[emb, hid], O: R[hid, emb]) -> R[emb]:
    return O @ hid @ (nt.sigmoid(V @ emb @ X) * (W @ emb @ X))


@formula
def norm(X: R[emb], eps: float = 1e-5, *, gamma: R[emb]) -> R[emb]:
    return nt.standardize[emb](X, eps) * gamma


@formula
def layer(X: R[emb], *, ffn: FFN, norm: nt.one[norm]) -> R[emb]:
    return norm(X + ffn(X))


@formula
def model(X: R[emb], *, layers: nt.each[layer], W: R[emb, out]) -> R[out]:
    for each in layers:
        X = each(X)
    return W @ emb @ X


@formula
def wide(X: R[emb], *, layers: nt.each[layer, "stacked"], W: R[emb, out]) -> R[out]:  # noqa: F821
    return W @ emb @ layers(X)


@formula
def counted(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
    return X - m, nt.update(m=m + 1)


@formula
def counting(X: R[emb], *, layers: nt.each[counted]) -> R[emb]:
    for each in layers:
        X = each(X)
    return layers[0](X)


def data(*sizes, seed=0):
    source = torch.Generator().manual_seed(seed)
    return nt.normal(*sizes, generator=source, backend="torch", dtype=torch.float64)


X = data(batch[3], emb[4])
SIZES = (emb[4], hid[5], out[2])


def made(f=model, **given):
    torch.manual_seed(0)
    return f.module(*SIZES, dtype=torch.float64, **given)


def by_hand(m, X):
    for part in m.layers:
        X = layer(X, **part.named_values())
    return nt.tensor(m.W, emb, out) @ emb @ X


# ---------------------------------------------------------------------------------------- stacks


def test_a_module_has_as_many_layers_as_it_is_asked_for():
    m = made(layers=3)
    assert len(m.layers) == 3
    assert list(m.axes) == [n for n, _ in m.named_parameters()][1:] + ["W"]
    assert m.axes["layers.2.ffn.W1"] == ("emb", "hid")
    for _ in range(2):
        torch.testing.assert_close(m(X).data, by_hand(m, X).data)
    bare = made(layers=0)
    torch.testing.assert_close(bare(X).torch(batch, out), X.torch(batch, emb) @ bare.W)


def test_layers_that_are_alike_share_a_function_and_others_do_not():
    m = made(layers=[layer, layer, dict(ffn=Gated), layer])
    code = m.code(X)
    assert code.count("def layer") == 2
    assert m(X).shape == m.shape("batch[3] emb[4]")
    Y = X.to("numpy")
    wide_layers = [{"m": nt.zeros(emb[4], dtype="float64")} for _ in range(3)]
    assert counting.code(Y, layers=wide_layers).count("def counted") == 1


def test_layers_that_are_alike_draw_their_own_noise():
    @formula
    def noisy(X: R[emb], p: float = 0.5) -> R[emb]:
        return nt.dropout(X, p)

    @formula
    def twice(X: R[emb], *, layers: nt.each[noisy]) -> R[emb]:
        return layers[0](X) - layers[1](X)

    big = nt.ones(emb[1000], backend="torch")
    m = twice.module(layers=2)
    assert len(m(big).data.unique()) == 3
    assert m.eval()(big).data.abs().max() == 0


def test_a_layer_that_asks_for_a_size_runs_as_written():
    @formula
    def asking(X: R[seq, emb], *, W: R[emb]) -> R[seq, emb]:
        for _ in range(int(abs(seq))):
            X = X * W
        return X

    @formula
    def deep(X: R[seq, emb], *, layers: nt.each[asking]) -> R[seq, emb]:
        for each in layers:
            X = each(X)
        return X

    m = deep.module(emb[4], layers=2, dtype=torch.float64, init={"*": lambda w: w.fill_(2.0)})
    for n in (2, 3, 2):
        Y = data(seq[n], emb[4])
        torch.testing.assert_close(m(Y).data, Y.data * 2.0 ** (2 * n))


def test_sizes_that_do_not_fit_are_told_of_the_layer_that_meets_them():
    m = made(layers=2)
    m.layers[1].ffn = FFN.module(emb[4], hid[5], dtype=torch.float64)
    m.layers[1].ffn.W2 = torch.nn.Parameter(torch.ones(5, 3, dtype=torch.float64))
    with pytest.raises(nt.AxisSizeError, match="axis emb is"):
        m(X)


def test_numbers_of_layers_have_their_own_plans():
    two, three = made(layers=2), made(layers=3)
    for m in (two, three, two, three):
        torch.testing.assert_close(m(X).data, by_hand(m, X).data)


def test_a_body_iterates_counts_indexes_and_slices():
    @formula
    def all_ways(X: R[emb], *, layers: nt.each[layer]) -> tuple[R[emb], R[emb], R[emb]]:
        assert len(layers) == 3
        last = layers[-1](X)
        for i, (each, other) in enumerate(zip(layers, layers, strict=True)):
            assert each is other is layers[i]
        back = X
        for each in reversed(layers):
            back = each(back)
        some = X
        for each in layers[1:]:
            some = each(some)
        assert len(layers[1:]) == 2
        return last, back, some

    m = all_ways.module(emb[4], hid[5], dtype=torch.float64, layers=3)
    last, back, some = m(X)
    one, two, three = [lambda X, part=part: layer(X, **part.named_values()) for part in m.layers]
    for found, wanted in (
        (last, three(X)),
        (back, one(two(three(X)))),
        (some, three(two(X))),
    ):
        torch.testing.assert_close(found.data, wanted.data)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_plain_call_takes_a_list_of_dicts_or_modules(library):
    m = made(layers=2)
    W = nt.tensor(m.W.detach(), emb, out)
    wanted = m(X)
    parts = [
        {
            "ffn": {
                n: nt.tensor(p.detach(), FFN.signature[n].space.axes)
                for n, p in part.ffn.named_parameters()
            },
            "norm": {"gamma": nt.tensor(part.norm.gamma.detach(), emb)},
        }
        for part in m.layers
    ]
    if library == "torch":
        torch.testing.assert_close(model(X, layers=list(m.layers), W=W).data, wanted.data)

    def to(T):
        return T.to(library)

    parts = [{k: {n: to(T) for n, T in v.items()} for k, v in part.items()} for part in parts]
    found = model(to(X), layers=parts, W=to(W))
    np.testing.assert_allclose(found.numpy(batch, out), wanted.numpy(batch, out))


def test_states_in_a_stack_are_each_layer_s_own():
    m = counting.module(emb[4], layers=3, dtype=torch.float64)
    torch.testing.assert_close(m(X).data, X.data - 1)
    torch.testing.assert_close(m(X).data, X.data - (2 + 1 + 1) - 3)
    assert [part.m[0].item() for part in m.layers] == [4.0, 2.0, 2.0]
    held = [{"m": nt.zeros(emb[4], backend="torch", dtype=torch.float64)} for _ in range(2)]
    _, new = counting(X, layers=held)
    assert set(new) == {"layers.0.m", "layers.1.m"}
    assert new["layers.0.m"].data[0].item() == 2.0


def test_copies_pickles_and_state_dicts_have_the_stack():
    m = made(layers=2)
    wanted = m(X).data
    other = made(layers=2)
    other.load_state_dict(m.state_dict())
    for again in (copy.deepcopy(m), pickle.loads(pickle.dumps(m)), other):
        torch.testing.assert_close(again(X).data, wanted)


def test_torch_compile_reads_a_stack_without_a_break():
    m = made(layers=2)
    run = torch.compile(m, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(run(X).data, m(X).data)


def test_a_derivative_by_a_layer_s_parameter_goes_by_its_path():
    @formula
    def loss(X: R[emb], *, layers: nt.each[layer]) -> R:
        for each in layers:
            X = each(X)
        return nt.sum[emb](X * X * X)

    m = loss.module(emb[4], hid[5], layers=2, dtype=torch.float64)
    x = X[batch(0)]
    g = nt.grad(loss, by="layers.1.ffn.W1")(x, layers=list(m.layers))
    m(x).data.backward()
    torch.testing.assert_close(g.torch(emb, hid), m.layers[1].ffn.W1.grad)


def test_a_stacked_stack_holds_its_layers_in_one_tensor_and_runs_as_a_scan():
    m, twin = made(wide, layers=3), made(layers=3)
    assert m.axes["layers.ffn.W1"] == ("layers", "emb", "hid")
    with torch.no_grad():
        for i, part in enumerate(twin.layers):
            for name, p in part.named_parameters():
                m.get_parameter(f"layers.{name}")[i] = p
        m.W.copy_(twin.W)
    for _ in range(2):
        torch.testing.assert_close(m(X).data, twin(X).data)
    m(X).data.sum().backward()
    twin(X).data.sum().backward()
    torch.testing.assert_close(m.layers.ffn.W1.grad[2], twin.layers[2].ffn.W1.grad)
    assert "loop(" in m.code(X)


def test_extra_axes_called_as_a_stacked_stack_pass_through():
    layers = nt.axes("layers")
    m = made(wide, layers=2)
    Y = data(layers[3], emb[4])
    for i in range(3):
        torch.testing.assert_close(m(Y)[layers(i)].data, m(Y[layers(i)]).data)


# --------------------------------------------------------------------------------------- bundles


@formula
def conv(X: R[chans], *, W: R[chans, out]) -> R[out]:
    return W @ chans @ X


@formula
def net(X: R[chans], *, c1: conv, c2: conv) -> R[out]:
    return c2(nt.relu(c1(X))[out >> chans])


def test_one_axis_name_has_another_size_in_each_bundle():
    m = net.module(c1=conv.module(chans[3], out[8]), c2=conv.module(chans[8], out[5]))
    assert m.shape("chans[3] batch[2]") == nt.zeros("batch[2] out[5]").shape
    Y = nt.normal(batch[2], chans[3], backend="torch")
    wanted = torch.relu(Y.data @ m.c1.W) @ m.c2.W
    for _ in range(2):
        torch.testing.assert_close(m(Y).torch(batch, out), wanted)


def test_a_bundle_is_replaced_by_a_formula_of_the_same_arguments_and_results():
    m = made(layers=[layer, dict(ffn=Gated), layer])
    assert set(dict(m.layers[1].ffn.named_parameters())) == {"W", "V", "O"}
    Y = X
    for part in m.layers:
        inner = part.ffn.formula
        hidden = Y + inner(Y, **part.ffn.named_values())
        Y = norm(hidden, gamma=nt.tensor(part.norm.gamma, emb))
    wanted = nt.tensor(m.W, emb, out) @ emb @ Y
    for _ in range(2):
        torch.testing.assert_close(m(X).data, wanted.data)
    run = torch.compile(m, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(run(X).data, wanted.data)


def test_bundles_take_settings_and_bundles_of_their_own():
    @formula
    def whole(X: R[emb], *, model: model) -> R[out]:
        return model(X)

    m = whole.module(*SIZES, model=dict(layers=2), dtype=torch.float64)
    assert len(m.model.layers) == 2
    dropping = model.module(
        *SIZES, layers=[dict(ffn=FFN.module(emb[4], hid[5], p=1.0))], dtype=torch.float64
    )
    dropping.layers[0].ffn.to(torch.float64)
    for _ in range(2):
        found = dropping(X)
        with torch.no_grad():
            first = dropping.layers[0]
            wanted = norm(X, gamma=nt.tensor(first.norm.gamma, emb))
        torch.testing.assert_close(
            found.data, (nt.tensor(dropping.W, emb, out) @ emb @ wanted).data
        )


def test_a_module_given_twice_is_tied():
    shared = conv.module(chans[3], out[3])
    m = net.module(c1=shared, c2=shared)
    assert set(m.axes) == {"c1.W", "c2.W"}
    assert len(list(m.parameters())) == 1
    Y = nt.normal(batch[2], chans[3], backend="torch")
    torch.testing.assert_close(m(Y).data, torch.relu(Y.data @ shared.W) @ shared.W)


def test_a_bundle_may_be_changed_later():
    m = made(layers=2)
    m(X)
    m.layers[0].ffn = FFN.module(emb[4], hid[7], dtype=torch.float64)
    m.layers.append(layer.module(emb[4], hid[5], dtype=torch.float64))
    Y = X
    for part in m.layers:
        Y = norm(Y + part.ffn(Y), gamma=nt.tensor(part.norm.gamma, emb))
    torch.testing.assert_close(m(X).data, (nt.tensor(m.W, emb, out) @ emb @ Y).data)


# ------------------------------------------------------------------------------ optional bundles


@formula
def ended(X: R[emb], *, layers: nt.each[FFN], last: norm = None) -> R[emb]:
    for each in layers:
        X = X + each(X)
    return X if last is None else last(X)


@formula
def holding(X: R[emb], *, inner: ended, last: norm = None) -> R[emb]:
    X = inner(X)
    return X if last is None else last(X)


def ended_by_hand(m, X):
    for part in m.layers:
        X = X + FFN(X, **part.named_values())
    return X if m.last is None else norm(X, gamma=nt.tensor(m.last.gamma, emb))


@pytest.mark.parametrize("last", [None, False, True, norm, {"eps": 0.1}])
def test_an_optional_bundle_is_left_out_unless_asked_for(last):
    torch.manual_seed(0)
    m = ended.module(emb[4], hid[5], layers=2, last=last, dtype=torch.float64)
    assert (m.last is None) == (not last)
    assert ("last.gamma" in m.axes) == ("last.gamma" in m.state_dict()) == bool(last)
    wanted = ended_by_hand(m, X)
    if isinstance(last, dict):
        wanted = norm(ended_by_hand_bare(m, X), eps=0.1, gamma=nt.tensor(m.last.gamma, emb))
    for _ in range(3):
        torch.testing.assert_close(m(X).data, wanted.data)
    assert m.shape("emb[4]") == "emb[4]"
    assert (r"\text{norm" in m.latex("underset")) == bool(last)
    assert [row.text for row in m.steps(X).rows][-1] == ("last(X)" if last else "X + each(X)")
    again = pickle.loads(pickle.dumps(m))
    torch.testing.assert_close(again(X).data, wanted.data)


def ended_by_hand_bare(m, X):
    for part in m.layers:
        X = X + FFN(X, **part.named_values())
    return X


def test_an_optional_bundle_comes_and_goes():
    m = ended.module(emb[4], hid[5], layers=1, dtype=torch.float64)
    m(X)
    m.last = norm.module(emb[4], dtype=torch.float64)
    torch.testing.assert_close(m(X).data, ended_by_hand(m, X).data)
    m.last = None
    torch.testing.assert_close(m(X).data, ended_by_hand(m, X).data)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_plain_call_may_leave_an_optional_bundle_out(library):
    m = holding.module(emb[4], hid[5], inner=dict(layers=2), dtype=torch.float64)
    assert (m.last, m.inner.last) == (None, None)
    W = [
        {
            n: nt.tensor(p.detach(), FFN.signature[n].space.axes).to(library)
            for n, p in part.named_parameters()
        }
        for part in m.inner.layers
    ]
    gamma = 2 * nt.ones(emb[4], dtype="float64", backend=library)
    Y = X.to(library)
    bare = holding(Y, inner={"layers": W})
    np.testing.assert_allclose(bare.numpy(batch, emb), m(X).numpy(batch, emb))
    for inner, last in (
        (None, {"gamma": gamma}),
        ({"gamma": gamma}, None),
        ({"gamma": gamma},) * 2,
    ):
        found = holding(Y, inner={"layers": W, "last": inner}, last=last)
        wanted = bare
        for given in (inner, last):
            wanted = wanted if given is None else norm(wanted, **given)
        np.testing.assert_allclose(found.numpy(batch, emb), wanted.numpy(batch, emb))


def test_optional_bundles_compile_and_differentiate():
    for last in (None, norm):
        m = ended.module(emb[4], hid[5], layers=2, last=last, dtype=torch.float64)
        run = torch.compile(m, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(run(X).data, m(X).data)
        x = X[batch(0)]
        found = nt.derivative(ended, by="X")(x, layers=list(m.layers), last=m.last)
        assert found.shape == "emb[4] emb*[4]"


# ---------------------------------------------------------------------------- what can be asked


def test_a_module_tells_its_shape_its_code_and_its_equation():
    m = made(layers=2)
    assert m.shape("batch[7] emb[4]") == nt.zeros("batch[7] out[2]").shape
    assert "layer" in m.code(X) or "linear" in m.code(X)
    assert "layers" in m.latex("underset")
    assert nt.explain(m, X).startswith("model on torch")
    assert [row.text for row in m.steps(X).rows] == ["each(X)", "W @ emb @ X"]
    assert [row.text for row in nt.steps(model, "emb[4]", layers=3).rows] == [
        "each(X)",
        "W @ emb @ X",
    ]
    with pytest.raises(nt.AxisSizeError):
        m.shape("batch[7] emb[5]")


def test_another_formula_runs_with_a_module_s_parameters_through_its_hooks():
    @formula
    def first(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
        return layers[0](X)

    m = made(layers=2)
    seen = []
    m.register_forward_pre_hook(lambda *_: seen.append("before"))
    torch.testing.assert_close(m.call(first, X).data, m.layers[0](X).data)
    assert seen == ["before"]
    with pytest.raises(nt.BackendError, match="FFN declares W1, and the module holds layers, W"):
        m.call(FFN, X)
    with pytest.raises(
        nt.AxisMissingError, match=r"W is R\[emb, out\] in the module, and conv declares"
    ):
        m.call(conv, X)
    with pytest.raises(nt.KindError, match="a formula is run"):
        m.call("first", X)


def test_parameters_are_grouped_by_name_and_axes():
    m = made(layers=2)
    groups = nt.parameters(m, lambda name, axes: {"weight_decay": 0.1 if len(axes) > 1 else 0.0})
    assert [(len(g["params"]), g["weight_decay"]) for g in groups] == [(5, 0.1), (4, 0.0)]
    torch.optim.AdamW(groups)
    whole = torch.nn.Sequential(m, torch.nn.Linear(2, 2))
    seen = {}
    frozen = nt.parameters(
        whole, lambda name, axes: seen.update({name: axes}) or ({} if "ffn" in name else None)
    )
    assert len(frozen[0]["params"]) == 6
    assert seen["0.layers.1.ffn.W1"] == ("emb", "hid")
    assert seen["1.weight"] is None
    with pytest.raises(nt.KindError, match=r"options gave 0\.1 for W"):
        nt.parameters(m, lambda name, axes: 0.1)


def test_initial_values_are_given_by_name_pattern_or_axes():
    fill = lambda value: lambda x: x.fill_(value)
    m = made(
        layers=2,
        init={
            "layers.*.ffn.W1": fill(1.0),
            "layers.1.ffn.W1": fill(2.0),
            (hid, emb): fill(3.0),
            "emb out": fill(4.0),
        },
    )
    assert m.layers[0].ffn.W1.unique().tolist() == [1.0]
    assert m.layers[1].ffn.W1.unique().tolist() == [2.0]
    assert m.layers[1].ffn.W2.unique().tolist() == [3.0]
    assert m.W.unique().tolist() == [4.0]
    with pytest.raises(nt.AxisNameError, match=r"init names layers.\*.W9"):
        made(layers=1, init={"layers.*.W9": fill(0.0)})


def test_class_tokens_and_positions_do_not_start_at_0_and_biases_do():
    @formula
    def vit(
        X: R[seq, chans], *, W: R[chans, emb], b: R[emb], cls: R[emb], P: R[seq, emb], g: R[emb]
    ) -> R[seq, emb]:
        Y = W @ chans @ X + b + P
        Z = nt.concat[seq](nt.stack[seq](cls), Y)
        return Z * g

    m = vit.module(seq[5], chans[3], emb[4])
    assert m.b.abs().max() == 0
    assert m.g.unique().tolist() == [1.0]
    assert m.P.abs().min() > 0
    assert m.cls.abs().min() > 0


# ----------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda: made(),
            nt.KindError,
            "layers is a stack of layer, and how many there are is not given",
        ),
        (lambda: made(wide), nt.KindError, "layers is a stack of layer, and how many there are"),
        (
            lambda: made(layers=-1),
            nt.KindError,
            "layers is a stack of layer, and -1 is no number of them",
        ),
        (
            lambda: net.module(c1=torch.nn.Conv2d(1, 1, 1)),
            nt.KindError,
            r"c1 is a Conv2d.*\nhint: c1: nt\.lift\[\".* -> .*\"\] declares a module of torch",
        ),
        (
            lambda: net.module(chans=4),
            nt.AxisNameError,
            r"no setting or bundle chans\nhint: chans is an axis: net\.module\(chans\[4\]\)",
        ),
        (
            lambda: made(layers=[conv]),
            nt.BackendError,
            r"layers\.0 is a bundle of layer, and conv has other",
        ),
        (lambda: net.module(c1=FFN), nt.BackendError, "c1 is a bundle of conv, and FFN has other"),
        (
            lambda: net.module(c1=3, c2=conv),
            nt.KindError,
            "c1 is an int, and holds the parameters of conv",
        ),
        (lambda: made(layers=2, depth=3), nt.AxisNameError, "model has no setting or bundle depth"),
        (
            lambda: model(X, layers=3, W=X),
            nt.BackendError,
            "layers is an int, and a stack is a list",
        ),
        (lambda: nt.each["layer"], nt.AxisNameError, "is no formula"),
        (lambda: nt.each[layer, "stack"], nt.AxisNameError, "'stack' is no way to hold bundles"),
    ],
)
def test_what_does_not_fit_is_refused(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def test_a_stack_is_not_called_and_not_indexed_beyond_its_end():
    @formula
    def called(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
        return layers(X)

    @formula
    def beyond(X: R[emb], *, layers: nt.each[layer]) -> R[emb]:
        return layers[2](X)

    with pytest.raises(nt.BackendError, match="a stack of 2 bundles is called"):
        called.module(emb[4], hid[5], layers=2)(X.to("float32"))
    with pytest.raises(nt.IndexRangeError, match="the stack has 2 bundles, and 2 is asked for"):
        beyond.module(emb[4], hid[5], layers=2)(X.to("float32"))


@pytest.mark.parametrize("name", ["axes", "shape", "code", "steps", "latex", "call"])
def test_names_of_what_a_module_can_be_asked_are_no_parameters(name):
    scope = {"R": R, "emb": emb, "formula": formula}
    exec(f"def f(X: R[emb], *, {name}: R[emb]) -> R[emb]:\n    return X * {name}", scope)
    with pytest.raises(nt.AxisNameError, match=f"a module has something else called {name}"):
        formula(scope["f"]).module(emb[3])


def test_a_layer_that_gives_something_else_cannot_be_stacked():
    with pytest.raises(nt.NamedTensorError, match="each layer takes what the one before gives"):

        @formula
        def wrong(X: R[chans], *, layers: nt.each[conv, "stacked"]) -> R[out]:  # noqa: F821
            return layers(X)


def test_one_is_the_plain_bundle():
    @formula
    def plain(X: R[emb], *, ffn: FFN) -> R[emb]:
        return ffn(X)

    @formula
    def typed(X: R[emb], *, ffn: nt.one[FFN]) -> R[emb]:
        return ffn(X)

    m = plain.module(emb[4], hid[5], dtype=torch.float64)
    assert_same(typed(X, ffn=m.ffn), m(X))
