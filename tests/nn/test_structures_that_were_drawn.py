"""What the law of drawn structures met first, each as the smallest model that shows it."""

import pickle

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula

batch, seq, emb, hid, layers = axes("batch seq emb hid layers")

ones = {"*": torch.nn.init.ones_}
X = nt.tensor(torch.tensor([1.0, 2.0]), emb)


@formula
def outside(X: R[emb], *, f: nt.lift["emb -> emb"], q: R[emb]) -> R[emb]:
    return f(X) * q


@formula
def through(X: R[emb], *, layers: nt.each[outside]) -> R[emb]:
    for layer in layers:
        X = layer(X)
    return X


@formula
def scaled(X: R[emb], early: float = 1.0, *, W: R[emb], late: float = 1.0) -> R[emb]:
    return X * W * early * late


@formula
def shifted(X: R[emb], *, U: R[emb], V: R[emb]) -> R[emb]:
    return X * U + V


@formula
def block(X: R[emb], *, part: scaled, last: scaled = None) -> R[emb]:
    X = part(X)
    return X if last is None else last(X)


@formula
def deep(X: R[emb], *, layers: nt.each[block, "stacked"]) -> R[emb]:  # noqa: F821
    return layers(X)


@formula
def tracked(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
    return X - m, nt.update(m=m + 1)


@formula
def tracking(X: R[emb], *, layers: nt.each[tracked], last: tracked = None) -> R[emb]:
    for layer in layers:
        X = layer(X)
    return X if last is None else last(X)


# ----------------------------------------------------------------------- functions in layers


def test_each_layer_calls_its_own_function():
    given = [torch.nn.Linear(2, 2) for _ in range(3)]
    m = through.module(emb[2], layers=[dict(f=f) for f in given])
    wanted = X.data
    for layer in m.layers:
        wanted = layer.f(wanted) * layer.q
    for _ in range(3):
        torch.testing.assert_close(m(X).data, wanted)


def test_each_formula_of_a_plan_draws_from_its_own_generator():
    first, second = torch.Generator(), torch.Generator()

    @formula
    def one(X: R[emb]) -> R[emb]:
        return X + nt.normal(emb[2], generator=first)

    @formula
    def two(X: R[emb]) -> R[emb]:
        return X + nt.normal(emb[2], generator=second)

    @formula
    def both(X: R[emb], *, layers: nt.each[one]) -> R[emb]:
        for layer in layers:
            X = layer(X)
        return X

    m = both.module(emb[2], layers=[one, two])
    for _ in range(2):
        first.manual_seed(1), second.manual_seed(2)
        found = m(X).data
        drawn = [torch.randn(2, generator=torch.Generator().manual_seed(n)) for n in (1, 2)]
        torch.testing.assert_close(found, X.data + drawn[0] + drawn[1])


def test_another_formula_has_the_module_s_function_too():
    m = outside.module(emb[2], f=torch.nn.Linear(2, 2))
    torch.testing.assert_close(m.call(outside, X).data, m(X).data)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_function_is_exported_whatever_its_sizes():
    class Strict(torch.nn.Module):
        """Refuses what is tried on it."""

        def forward(self, x):
            if x.shape[-1] != 1:
                raise RuntimeError("one number, please")
            return x * 2

    m = outside.module(emb[1], f=Strict(), init=ones)
    one = nt.tensor(torch.ones(1), emb)
    program = torch.export.export(m, (one,))
    torch.testing.assert_close(program.module()(one).data, torch.tensor([2.0]))


def test_a_torch_module_does_not_take_numpy():
    given = {"f": torch.nn.Linear(2, 2), "q": nt.tensor(np.ones(2), emb)}
    with pytest.raises(nt.BackendError, match="f is a torch module, and X has data of numpy"):
        outside(X.to("numpy"), **given)


# ------------------------------------------------------------------ stacks held in one tensor


def stack_of(**given):
    return deep.module(emb[2], layers[3], layers=given, init=ones)


def test_settings_of_what_is_inside_count():
    for given, factor in (({}, 1.0), (dict(early=2.0), 8.0), (dict(late=2.0), 8.0)):
        torch.testing.assert_close(stack_of(part=given)(X).data, factor * X.data)


def test_a_formula_stands_for_another_in_all_layers():
    m = stack_of(part=shifted)
    assert m.axes == {"layers.part.U": ("layers", "emb"), "layers.part.V": ("layers", "emb")}
    torch.testing.assert_close(m(X).data, X.data + 3)
    torch.testing.assert_close(pickle.loads(pickle.dumps(m))(X).data, X.data + 3)
    whole = deep.module(emb[2], layers[3], layers=deepened, init=ones)
    torch.testing.assert_close(whole(X).data, X.data * 2**3)


@formula
def deepened(X: R[emb], *, W: R[emb]) -> R[emb]:
    return X * W * 2.0


@pytest.mark.parametrize("given", [block.module(emb[2]), dict(part=scaled.module(emb[2]))])
def test_a_module_of_one_layer_does_not_stand_for_all(given):
    with pytest.raises(nt.BackendError, match="holds all layers of a stack along layers"):
        deep.module(emb[2], layers[3], layers=given)


def test_layers_without_parameters_cannot_be_counted():
    @formula
    def bare(X: R[emb]) -> R[emb]:
        return nt.tanh(X)

    @formula
    def leaving(X: R[emb], *, b: R[emb] = None) -> R[emb]:
        return X if b is None else X + b

    text = "holds no parameters, and how many layers there are"
    wrong = declare(bare)
    with pytest.raises(nt.NamedTensorError, match=f"bare {text}"):
        formula(wrong)
    left = formula(declare(leaving))
    with pytest.raises(nt.NamedTensorError, match=f"leaving {text}"):
        left.module(emb[2], layers=3)(X)


def declare(layer):
    def f(X: R[emb], *, layers: nt.each[layer, "stacked"]) -> R[emb]:  # noqa: F821
        return layers(X)

    return f


# -------------------------------------------------------------------------- options and states


def test_an_optional_bundle_without_settings_is_asked_for_by_an_empty_dict():
    assert block.module(emb[2], last=dict()).axes.keys() == {"part.W", "last.W"}
    assert block.module(emb[2], last=False).axes.keys() == {"part.W"}


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_formula_with_states_gives_them_wherever_it_has_any(library):
    x = X.to(library)
    m = nt.ones(emb[2], backend=library)
    for _ in range(3):
        for count in (0, 1, 2):
            Y, new = tracking(x, layers=[{"m": m}] * count)
            assert list(new) == [f"layers.{i}.m" for i in range(count)]
            np.testing.assert_allclose(Y.numpy(emb), [1 - count, 2 - count])
        Y, new = tracking(x, layers=[], last={"m": m})
        assert list(new) == ["last.m"]
    assert tracking.module(emb[2], layers=0)(X).shape == "emb[2]"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_state_of_one_number_is_stored_by_compiled_modules(dtype):
    @formula
    def counting(X: R[emb], *, m: nt.State[R]) -> R[emb]:
        return X - m, nt.update(m=m + 1)

    m = counting.module(dtype=dtype)
    run = torch.compile(m, fullgraph=True, backend="aot_eager")
    for n in range(3):
        torch.testing.assert_close(run(X.to("float64")).data, X.data.double() - n)
    assert m.m == 3


def test_what_a_bundle_does_not_hold_is_named():
    @formula
    def looking(X: R[emb], *, part: scaled) -> R[emb]:
        return part(X) + part.W

    with pytest.raises(nt.HabitError, match="has no parameter W"):
        looking.module(emb[2], part=shifted)(X)


# ---------------------------------------------------------------------- parameters that changed


def bare(*sizes):
    return torch.nn.Parameter(torch.ones(*sizes))


def test_a_parameter_of_more_axes_is_refused_after_the_first_call_too():
    @formula
    def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        return W @ emb @ X

    Y = nt.ones(batch[2], emb[2], backend="torch")
    m = project.module(emb[2], hid[2], init=ones)
    m(Y)
    m.W = bare(2, 2, 2)
    with pytest.raises(nt.AxisNameError, match=r"its parameter W has sizes \(2, 2, 2\)"):
        m(Y)
    m.W = bare(2, 2)
    with pytest.raises(nt.AxisNameError, match=r"its parameter W has sizes \(2, 2, 2\)"):
        torch.func.functional_call(m, {"W": bare(2, 2, 2)}, (Y,))
    torch.testing.assert_close(m(Y).data, torch.full((2, 2), 2.0))


def test_a_parameter_that_was_deleted_is_named():
    m = block.module(emb[2])
    m(X)
    del m.part.W
    with pytest.raises(nt.BackendError, match="it holds no W any more"):
        m(X)


def test_a_layer_of_another_formula_is_refused_though_it_could_be_left_empty():
    @formula
    def open_(X: R[emb], *, b: R[emb] = None) -> R[emb]:
        return X if b is None else X + b

    @formula
    def other(X: R[hid], *, V: R[hid]) -> R[hid]:
        return X * V

    @formula
    def stack(X: R[emb], *, layers: nt.each[open_]) -> R[emb]:
        for layer in layers:
            X = layer(X)
        return X

    m = stack.module(emb[2], layers=2)
    m(X)
    m.layers[1] = other.module(hid[2])
    with pytest.raises(nt.BackendError, match=r"layers\.1 is a module of other, which has other"):
        m(X)


# ------------------------------------------------------------------------- what can be asked


def test_each_of_two_equal_loops_costs_what_it_costs():
    @formula
    def twice(X: R[seq, emb], *, W: R[emb]) -> R[emb]:
        first = nt.fold[seq](lambda h, x: nt.tanh(h + x), W, X)
        return nt.fold[seq](lambda h, x: nt.tanh(h + x), first, X)

    once = 5 * (3 + 3)  # a sum and a tanh
    assert nt.steps(twice, "seq[5] emb[3]", W="emb[3]").flops == 2 * once

    @formula
    def network(X: R[emb], *, W: R[emb, hid], V: R[hid, emb]) -> R[emb]:
        return V @ hid @ (W @ emb @ X)

    @formula
    def several(X: R[emb], *, layers: nt.each[network, "stacked"]) -> R[emb]:  # noqa: F821
        return layers(X)

    @formula
    def model(X: R[emb], *, one: several, two: several) -> R[emb]:
        return two(one(X))

    wide = several.module(emb[3], hid[7], layers=5)
    m = model.module(emb[3], hid[2], one=dict(layers=4), two=wide)
    assert m.steps("emb[3]").multiply_adds == 4 * 2 * 3 * 2 + 5 * 2 * 3 * 7


def test_a_module_prints_what_it_holds():
    @formula
    def norm(X: R[emb], eps: float = 1e-5, *, g: R[emb], b: R[emb] = None) -> R[emb]:
        X = nt.standardize[emb](X, eps) * g
        return X if b is None else X + b

    @formula
    def model(X: R[emb], *, blocks: nt.each[norm], last: norm) -> R[emb]:
        for block in blocks:
            X = block(X)
        return last(X)

    def printed(**given):
        found = model.module(emb[2], **given).latex("underset").splitlines()
        return [line for line in found if "norm" in line or "shifted" in line]

    assert "+ b" not in printed(blocks=2)[0]
    assert "+ b" in printed(blocks=2, last=dict(b=True))[0]
    assert "+ b" in printed(blocks=[dict(b=True), dict(b=True)])[0]
    text = "\n".join(printed(blocks=2, last=dict(eps=0.1)))
    assert r"\text{norm-eps=0.1}(" in text
    assert r"; \text{last})" in text
    text = printed(blocks=[None, shifted], last=shifted)
    assert text[0].startswith(r"\text{norm}(X; g) &=")
    assert text[1].startswith(r"\text{shifted}(X; U, V) &=")
    assert text[2].endswith(
        r"\text{shifted}(\text{shifted}(\text{norm}(X; \text{blocks}^1); \text{blocks}^2); \text{last})"
    )


def test_a_printed_stack_of_so_many_layers_is_read_as_its_layers():
    @formula
    def model(X: R[emb], *, blocks: nt.each[shifted], W: R[emb]) -> R[emb]:
        for layer in blocks:
            X = X + layer(X)
        return X * W

    m = model.module(emb[2], blocks=2)
    document = nt.latex.read(m.latex("underset"))
    assert not document.findings
    assert not document.check()
    given = {"blocks__1": m.blocks[0], "blocks__2": m.blocks[1], "W": nt.tensor(m.W, emb)}
    torch.testing.assert_close(document["model"](X, **given).data, m(X).data)
    square = nt.latex.read(
        r"$X \in \mathbb{R}^{\text{emb}}$ $f(X) = X^2$ $x^0 = 1, x^t = 2 x^{t-1}$"
    )
    np.testing.assert_allclose(square["f"](X.to("numpy")).numpy(emb), [1.0, 4.0])
