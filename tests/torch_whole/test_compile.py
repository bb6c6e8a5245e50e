"""torch.compile reads whole models made of formulas: one graph, no break, no warning."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, Z, formula
from namedtensor.nn.module import FormulaModule
from tests.torch_whole.model import (
    Model,
    Positional,
    batch,
    embedding,
    gradients,
    loss,
    scores,
    surprise,
    words,
)
from transformer_named.named_tensors import MHA, emb, hid, seq


class Counting:
    """A backend that runs graphs as they are and counts them."""

    def __init__(self):
        self.graphs = []

    def __call__(self, graph, inputs):
        self.graphs.append(graph)
        return graph.forward

    @property
    def count(self):
        return len(self.graphs)


@pytest.fixture(autouse=True)
def nothing_compiled():
    torch.compiler.reset()


@pytest.fixture
def backend():
    return Counting()


@pytest.fixture
def model():
    """A model that has been called before."""
    model = Model(layers=1, dtype=torch.float64)
    model(words())
    return model


def test_a_model_is_one_graph_whatever_the_values(model, backend):
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    for _ in range(3):
        x = words()
        nt.testing.assert_close(compiled(x), model(x), rtol=1e-12)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)
    nt.testing.assert_close(compiled(x), model(x), rtol=1e-12)
    assert backend.count == 1


def test_the_graph_holds_the_kernels_and_no_copies_of_names(model, backend):
    torch.compile(model, fullgraph=True, backend=backend)(words())
    called = [getattr(n.target, "__name__", "") for n in backend.graphs[0].graph.nodes]
    assert called.count("scaled_dot_product_attention") == 1


def test_one_graph_serves_every_batch_and_length(model, backend):
    compiled = torch.compile(model, fullgraph=True, backend=backend, dynamic=True)
    for sizes in [(2, 5), (3, 7), (4, 12), (2, 9)]:
        x = words(*sizes)
        nt.testing.assert_close(compiled(x), model(x), rtol=1e-12)
    assert backend.count == 1


def test_sizes_that_are_marked_dynamic_are_in_one_graph(model, backend):
    positional = Positional(model)
    compiled = torch.compile(positional, fullgraph=True, backend=backend)
    for sizes in [(2, 5), (3, 7), (4, 12)]:
        x = words(*sizes).data
        torch._dynamo.mark_dynamic(x, (0, 1))
        torch.testing.assert_close(compiled(x), positional(x), rtol=1e-12, atol=1e-12)
    assert backend.count == 1


def test_torch_finds_the_dynamic_sizes_by_itself(model, backend):
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    for sizes in [(2, 5), (3, 7), (4, 12)]:
        compiled(words(*sizes))
    assert backend.count == 2


def test_other_axes_are_another_graph_with_the_right_result(model, backend):
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    x = words()
    for given in (x, nt.tensor(x.data.T.contiguous(), seq, batch), x[batch(0)]):
        nt.testing.assert_close(compiled(given), model(given), rtol=1e-12)
    assert backend.count == 3


def test_a_formula_that_was_never_called_is_read_too(backend):
    @formula
    def hidden(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        return nt.relu(W @ emb @ X)

    @formula
    def fresh(X: R[emb], *, first: hidden, V: R[hid, emb]) -> R[emb]:
        return nt.softmax[emb](V @ hid @ first(X))

    module = fresh.module(emb[8], hid[16])
    X = nt.normal("batch[2] seq[5] emb[8]", backend="torch")
    found = torch.compile(module, fullgraph=True, backend=backend)(X)
    assert backend.count == 1
    nt.testing.assert_close(found, module(X))


def test_two_formulas_go_through_one_function(backend):
    @formula
    def rectified(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        return nt.relu(W @ emb @ X)

    @formula
    def squashed(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        return nt.tanh(W @ emb @ X)

    X, W = (nt.normal(axes, backend="torch") for axes in ("seq[5] emb[8]", "emb[8] hid[3]"))
    apply = torch.compile(lambda f, X, W: f(X, W=W), fullgraph=True, backend=backend)
    for f in (rectified, squashed):
        nt.testing.assert_close(apply(f, X, W), f(X, W=W))
    assert backend.count == 2


def test_undecorated_code_is_one_graph(backend):
    def blend(W, X):
        Y = nt.dot[emb](W, nt.softmax[emb](X)) / X.size(emb) + 1.0
        return nt.maximum(Y[seq[1:3]], 0.0)[hid >> emb]

    X, W = (nt.normal(axes, backend="torch") for axes in ("seq[5] emb[8]", "emb[8] hid[3]"))
    found = torch.compile(blend, fullgraph=True, backend=backend)(W, X)
    assert backend.count == 1
    nt.testing.assert_close(found, blend(W, X))


def test_gradients_of_a_compiled_step_agree_in_float64(model):
    x = words()
    expected = gradients(model, x)
    step = torch.compile(lambda x: loss(model, x), fullgraph=True, backend="aot_eager")
    step(x).backward()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[name], rtol=1e-12, atol=1e-14)


def test_activations_are_computed_again_in_compiled_code(model):
    def again(x):
        X = model.embedding(x)
        for step in model.layers:
            X = checkpoint(lambda X=X: step(X), use_reentrant=False)
        return model.scores(X)

    x = words()
    step = torch.compile(lambda x: loss(again, x), fullgraph=True, backend="aot_eager")
    found = torch.autograd.grad(step(x), list(model.parameters()))
    for gradient, expected in zip(found, gradients(model, x).values(), strict=True):
        torch.testing.assert_close(gradient, expected, rtol=1e-12, atol=1e-14)


def test_a_function_of_formulas_is_one_graph(model, backend):
    @torch.compile(fullgraph=True, backend=backend)
    def step(x, E, W):
        return nt.mean[...](surprise(scores(embedding(x, E=E), W=W), x))

    E, W = (nt.normal("vocab[11] emb[8]", backend="torch") for _ in range(2))
    x = words()
    expected = nt.mean[...](surprise(scores(embedding(x, E=E), W=W), x))
    nt.testing.assert_close(step(x, E, W), expected)
    assert backend.count == 1


# torch itself calls torch.jit.script_method when inductor is first used
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_inductor_compiles_a_training_step(mode):
    module, x = scores.module("emb[8] vocab[11]"), words()
    X = nt.normal("batch[2] seq[5] emb[8]", backend="torch")

    def step(X, x):
        return nt.mean[...](surprise(module(nt.softmax[emb](X)), x)).torch()

    expected = step(X, x)
    (gradient,) = torch.autograd.grad(expected, [module.W])
    found = torch.compile(step, fullgraph=True, mode=mode)(X, x)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(torch.autograd.grad(found, [module.W])[0], gradient)


@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
def test_inductor_compiles_attention_whose_values_have_features_of_their_own():
    """torch gives such attention wrong strides; our door to it sees to that."""
    attention = MHA.module("head[2] emb[8] key[4] val[3]")
    X = nt.normal("batch[2] seq[5] emb[8]", backend="torch")
    found = torch.compile(attention, fullgraph=True)(X)
    nt.testing.assert_close(found, attention(X), rtol=1e-4, atol=1e-6)


def test_a_mistake_in_compiled_code_is_explained_as_it_is_without(model, backend):
    X = nt.normal("seq[5] emb[7]", backend="torch", dtype=torch.float64)
    with pytest.raises(nt.AxisSizeError) as plain:
        model.scores(X)
    with pytest.raises(nt.AxisSizeError) as compiled:
        torch.compile(model.scores, backend=backend)(X)
    assert str(compiled.value) == str(plain.value)
    assert "axis emb is 7 in X and 8 in W" in str(plain.value)


def test_the_count_can_fail(model, backend):
    """A model that asks for a number breaks out of its graph, and fullgraph says so."""

    def peeks(x):
        return model(x) if x.data.sum().item() > 3 else x

    with pytest.raises(torch._dynamo.exc.UserError):
        torch.compile(peeks, fullgraph=True, backend=backend)(words())


@formula
def tuned(X: R[emb], k: float = 2, *, W: R[emb, hid], eps: float = 0.25, n: int = 3) -> R[hid]:
    return X @ emb @ W * k + eps * n


@formula
def twice(X: R[emb], *, one: tuned, other: tuned) -> R[hid]:
    return one(X) - 2 * other(X)


@pytest.mark.parametrize("dynamic", [False, True])
def test_settings_stay_numbers_and_another_one_is_another_graph(dynamic, backend):
    module = tuned.module(emb[8], hid[16], n=5)
    compiled = torch.compile(module, fullgraph=True, backend=backend, dynamic=dynamic)
    for length in (5, 6):
        X = nt.normal(seq[length], emb[8], backend="torch")
        for k in (7, True, 1.5):
            nt.testing.assert_close(compiled(X, k=k), module(X, k=k))
    module.settings["n"] = 4
    nt.testing.assert_close(compiled(X), module(X))


def test_what_changes_in_a_module_changes_its_compiled_result(backend):
    module = twice.module(emb[8], hid[16])
    compiled = torch.compile(module, fullgraph=True, backend=backend)
    X = nt.normal(seq[5], emb[8], backend="torch")
    nt.testing.assert_close(compiled(X), module(X))
    module.one, module.other = module.other, module.one
    nt.testing.assert_close(compiled(X), module(X))
    module.one.settings["n"] = 50
    nt.testing.assert_close(compiled(X), module(X))
    torch.nn.utils.parametrize.register_parametrization(module.one, "W", torch.nn.Tanh())
    nt.testing.assert_close(compiled(X), module(X))
    module.double()
    nt.testing.assert_close(compiled(X.to(torch.float64)), module(X.to(torch.float64)))


def test_the_compiler_reads_parameters_without_naming_them(model, backend, monkeypatch):
    expected = model(x := words())

    def named(module):
        raise AssertionError(f"{module} named its parameters")

    monkeypatch.setattr(FormulaModule, "named_values", named)
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    nt.testing.assert_close(compiled(x), expected, rtol=1e-12)


def squared(X):
    return X * X


@formula
def settled(X: R[seq, emb], *, W: R[emb], along=emb, k=1, act=None) -> R[seq, emb]:
    Y = nt.softmax[along](X * W) * (k[0] if isinstance(k, tuple) else k)
    return Y if act is None else act(Y)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    "settings",
    [{}, {"along": seq}, {"along": "seq"}, {"act": squared}, {"act": nt.relu}, {"k": (3, 2.5)}],
    ids=["defaults", "an axis", "a name", "a function", "ours", "a tuple"],
)
def test_settings_of_all_sorts_are_constants(settings, dynamic, backend):
    module = settled.module(emb[8], **settings)
    X = nt.normal(seq[5], emb[8], backend="torch")
    compiled = torch.compile(module, fullgraph=True, backend=backend, dynamic=dynamic)
    nt.testing.assert_close(compiled(X), module(X))
    W = module.named_values()["W"]
    call = torch.compile(
        lambda X: settled(X, W=W, **settings), fullgraph=True, backend=backend, dynamic=dynamic
    )
    nt.testing.assert_close(call(X), module(X))


def test_a_setting_that_no_plan_can_be_kept_for_is_refused_in_our_words(backend):
    W = nt.normal(emb[8], backend="torch")
    compiled = torch.compile(lambda X: settled(X, W=W, k=[1]), backend=backend)
    with pytest.raises(nt.NamedTensorError, match="k is a list, which cannot tell one plan"):
        compiled(nt.normal(seq[5], emb[8], backend="torch"))


@pytest.mark.parametrize("fullgraph", [False, True])
def test_sizes_that_do_not_fit_are_told_in_our_words(backend, fullgraph):
    X, W = nt.normal(emb[3], backend="torch"), nt.normal(emb[4], hid[2], backend="torch")
    compiled = torch.compile(lambda X, W: tuned(X, W=W), backend=backend, fullgraph=fullgraph)
    with pytest.raises(Exception, match=r"axis emb is 3 in X and 4 in W(\n.*)*hint: "):
        compiled(X, W)


@formula
def unrolled(X: R[seq, emb]) -> R[emb]:
    total = X[seq(0)]
    for place in range(1, int(abs(seq))):
        total = total * 0.5 + X[seq(place)]
    return total


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("dynamic", [None, True, False])
def test_a_body_that_asks_for_a_size_is_compiled_for_that_size(warm, dynamic, backend):
    unrolled.plans.clear()
    if warm:
        unrolled(nt.ones(seq[5], emb[8], backend="torch"))
    compiled = torch.compile(
        lambda X: unrolled(X), fullgraph=True, backend=backend, dynamic=dynamic
    )
    for length in (5, 3, 5):
        X = nt.normal(seq[length], emb[8], backend="torch")
        nt.testing.assert_close(compiled(X), unrolled(X))
    assert backend.count == 2


def test_an_index_without_axes_compiles():
    @formula
    def picked(X: R[seq, emb], I: Z) -> R[emb]:
        kept = X.at[seq(I)].add(1.0).at[seq(I), emb(I)].set(2.0).at[seq(I)].max(0.5)
        return kept[seq(I)] + kept[seq(I), emb(I)]

    X, I = nt.tensor(torch.randn(3, 3), seq, emb), nt.tensor(torch.tensor(-1))
    compiled = torch.compile(picked, backend="aot_eager", fullgraph=True)
    nt.testing.assert_same(compiled(X, I), picked(X, I))


def test_a_function_of_two_dtypes_compiles():
    X = nt.tensor(torch.randn(3) + 4, seq)
    both = lambda X: nt.copysign(X, nt.cast(X, int)) + 3 // X
    compiled = torch.compile(both, backend="aot_eager", fullgraph=True)
    nt.testing.assert_same(compiled(X), both(X))


@pytest.mark.parametrize("reduce", [nt.mean, nt.max])
def test_pooling_of_no_records_is_compiled(reduce, backend):
    @formula
    def pooled(X: R["batch", "seq"]) -> R["batch", "seq"]:
        return reduce["kernel"](nt.pool["seq", "kernel[2]"](X))

    X = nt.zeros("batch[0] seq[4]", backend="torch")
    assert pooled(X).shape == nt.zeros("batch[0] seq[2]").shape
    assert torch.compile(pooled, fullgraph=True, backend=backend)(X).shape == pooled(X).shape


@pytest.mark.parametrize("chosen", [[-1, 0, 0], [], [True, False, True]], ids=str)
def test_a_list_of_indices_compiles_outside_of_formulas(chosen):
    data = torch.arange(6.0).reshape(2, 3)

    def select(x):
        return nt.tensor(x, "batch seq")[nt.Axis("seq")[chosen]].torch("batch", "seq")

    compiled = torch.compile(select, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(data), select(data))


@pytest.mark.parametrize("first", [0.0, 0, (0.0, 1.0)], ids=["real", "whole", "two"])
def test_a_recurrence_that_starts_from_numbers_is_one_graph_outside_of_formulas(first):
    def step(h, x):
        return (h[0] + x, h[1] * x) if isinstance(h, tuple) else h + x

    def run(X):
        return nt.scan[seq](step, first, X), nt.fold[seq](step, first, X)

    X = nt.normal(seq[3], emb[4], backend="torch")
    torch.compiler.reset()
    found = torch.compile(run, fullgraph=True, backend="eager")(X)
    for ours, plain in zip(found, run(X), strict=True):
        both = (ours, plain) if isinstance(plain, tuple) else ((ours,), (plain,))
        for one, other in zip(*both, strict=True):
            nt.testing.assert_close(one, other)


MADE = {
    "zeros": lambda X: X + nt.zeros(seq[X.size(seq)], "emb[4]", backend="torch"),
    "full": lambda X: X * nt.full(emb[4], 2.0, backend="torch"),
    "nothing yet": lambda X: nt.concat[seq](nt.zeros("seq[0] emb[4]", backend="torch"), X),
    "normal": lambda X: X + nt.normal(X.shape, backend="torch"),
    "uniform": lambda X: X + nt.uniform(emb[4], backend="torch"),
    "randint": lambda X: X + nt.randint(0, 5, seq[3], backend="torch"),
    "bernoulli": lambda X: nt.where(nt.bernoulli(0.5, seq[3], backend="torch"), X, 0.0),
    "permutation": lambda X: X + nt.permutation(seq[3], backend="torch"),
    "categorical": lambda X: nt.categorical[emb](nt.softmax[emb](X)),
}


@pytest.mark.parametrize("name", MADE)
def test_a_tensor_that_is_made_outside_of_formulas_leaves_one_graph(name):
    X = nt.normal(seq[3], emb[4], backend="torch")
    compiled = torch.compile(MADE[name], fullgraph=True, backend="eager")
    torch.manual_seed(0)
    found = compiled(X)
    torch.manual_seed(0)
    nt.testing.assert_close(found, MADE[name](X))
