"""nt.State: what a call leaves to the next. Modules store it; plain calls give it."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.testing import assert_same

batch, chans, height, width, emb, model, seq = axes("batch chans height width emb model seq")


@formula
def bnorm(
    X: R[batch, chans, height, width],
    momentum: float = 0.1,
    eps: float = 1e-5,
    *,
    gamma: R[chans],
    beta: R[chans],
    running_mean: nt.State[R[chans]],
    running_var: nt.State[R[chans]],
) -> R[batch, chans, height, width]:
    """Batch norm as torch has it."""
    places = (batch, height, width)
    if not nt.training():
        Y = (X - running_mean) / nt.sqrt(running_var + eps)
        return Y * gamma + beta, nt.update()
    n = abs(batch) * abs(height) * abs(width)
    mean, var = nt.mean[places](X), nt.var[places](X)
    Y = (X - mean) / nt.sqrt(var + eps) * gamma + beta
    return Y, nt.update(
        running_mean=(1 - momentum) * running_mean + momentum * mean,
        running_var=(1 - momentum) * running_var + momentum * var * n / (n - 1),
    )


@formula
def count(X: R[emb], *, seen: nt.State[Z]) -> R[emb]:
    return X, nt.update(seen=seen + 1)


@formula
def ema(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
    new = 0.5 * m + 0.5 * X
    return X - new, nt.update(m=new)


@formula
def twice(X: R[emb], *, norm: ema) -> R[emb]:
    return norm(norm(X))


@formula
def outer(X: R[emb], *, inner: twice, W: R[emb]) -> R[emb]:
    return inner(X) * W


ones = {"running_var": torch.nn.init.ones_}


def images(*shape, seed=0):
    data = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return nt.tensor(data, batch, chans, height, width)


def vector(*numbers, library="torch"):
    data = torch.tensor(numbers) if library == "torch" else np.array(numbers)
    return nt.tensor(data, emb)


# ---------------------------------------------------------------------------------- in a module


def test_batch_norm_s_module_is_torch_s_own_in_training_and_in_eval():
    ours = bnorm.module(chans[3], init=ones)
    theirs = torch.nn.BatchNorm2d(3)
    for seed in range(3):
        X = images(2, 3, 4, 5, seed=seed)
        Y = ours(X).torch(batch, chans, height, width)
        torch.testing.assert_close(Y, theirs(X.data))
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)
    ours.eval(), theirs.eval()
    Y = ours(X).torch(batch, chans, height, width)
    torch.testing.assert_close(Y, theirs(X.data))
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)


def test_batch_norm_s_kernel_gives_the_statistics_too():
    X = images(2, 3, 4, 5)
    given = {n: nt.ones(chans[3], backend="torch") for n in ("running_mean", "running_var")}
    given |= {n: nt.ones(chans[3], backend="torch") for n in ("gamma", "beta")}
    code = bnorm.code(X, **given)
    assert "batch_norm_told" in code
    assert "var(" not in code.replace("running_var", "")
    unfused = nt.formula(bnorm.function, fuse=False)
    for data in (X, X[batch[:1]]):
        (Y, new), (Z, other) = bnorm(data, **given), unfused(data, **given)
        torch.testing.assert_close(Y.data, Z.data)
        for name in new:
            torch.testing.assert_close(new[name].data, other[name].data)


def test_statistics_that_the_result_depends_on_keep_their_gradients():
    @formula
    def leaning(
        X: R[batch, chans, height, width], *, g: R[chans], m: nt.State[R[chans]]
    ) -> R[batch, chans, height, width]:
        mean = nt.mean[batch, height, width](X)
        Y = nt.standardize[batch, height, width](X) * g
        return Y + mean, nt.update(m=mean)

    X = torch.randn(2, 3, 4, 5, requires_grad=True)
    m = leaning.module(chans[3])
    Y = m(nt.tensor(X, batch, chans, height, width))
    Y.data.sum().backward()
    torch.testing.assert_close(X.grad, torch.ones_like(X))


def test_states_are_buffers_that_start_at_0_and_no_parameters():
    m = outer.module(emb[2])
    assert [n for n, _ in m.named_buffers()] == ["inner.norm.m"]
    assert [n for n, _ in m.named_parameters()] == ["W"]
    assert m.inner.norm.m.tolist() == [0.0, 0.0]
    assert count.module().seen.dtype == torch.int64
    assert "inner.norm.m" in m.state_dict()


def test_what_is_stored_is_detached_and_in_the_buffer_s_dtype():
    m = ema.module(emb[2])
    X = torch.ones(2, dtype=torch.float64, requires_grad=True)
    m(nt.tensor(X, emb)).data.sum().backward()
    assert (m.m.dtype, m.m.requires_grad, m.m.tolist()) == (torch.float32, False, [0.5, 0.5])
    assert m.m.grad_fn is None


def test_a_second_call_in_a_body_sees_what_the_first_gave():
    m = twice.module(emb[1])
    Y = m(vector(8.0))
    # m: 0 -> 4, Y: 4; m: 4 -> 4, Y: 0
    assert Y.data.tolist() == [0.0]
    assert m.norm.m.tolist() == [4.0]


def test_several_calls_before_the_backward_pass_have_their_own_gradients():
    @formula
    def scaled(X: R[emb], *, s: nt.State[R[emb]]) -> R[emb]:
        return X * s, nt.update(s=s + 1)

    m = scaled.module(emb[1])
    X = torch.ones(1, requires_grad=True)
    total = sum(m(nt.tensor(X, emb)).data.sum() for _ in range(3))
    total.backward()
    assert X.grad.tolist() == [0.0 + 1.0 + 2.0]
    assert m.s.tolist() == [3.0]


def test_a_state_dict_a_copy_and_a_pickle_have_the_states():
    m = ema.module(emb[2])
    m(vector(1.0, 2.0))
    other = ema.module(emb[2])
    other.load_state_dict(m.state_dict())
    for again in (other, copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert again.m.tolist() == [0.5, 1.0]
        again(vector(1.0, 2.0))
        assert again.m.tolist() == [0.75, 1.5]
    assert m.m.tolist() == [0.5, 1.0]
    buffer = io.BytesIO()
    torch.save(m.state_dict(), buffer)
    buffer.seek(0)
    other.load_state_dict(torch.load(buffer, weights_only=True))
    assert other.m.tolist() == [0.5, 1.0]


def test_states_move_between_dtypes_and_devices_with_their_module():
    m = count.module()
    assert m.to(torch.bfloat16).seen.dtype == torch.int64
    e = ema.module(emb[2]).to(torch.float64)
    assert e.m.dtype == torch.float64
    e(vector(1.0, 2.0))
    assert e.m.dtype == torch.float64
    assert ema.module(emb[2], device="meta").m.device.type == "meta"


def test_a_checkpoint_stores_once():
    for reentrant in (False, True):
        m = count.module()
        X = torch.ones(2, requires_grad=True)
        Y = checkpoint(lambda x, m=m: m(nt.tensor(x, emb)).data, X, use_reentrant=reentrant)
        Y.sum().backward()
        assert m.seen.item() == 1
        assert X.grad.tolist() == [1.0, 1.0]


def test_a_checkpoint_whose_result_depends_on_what_it_updates_is_refused():
    m = ema.module(emb[2])
    X = torch.ones(2, requires_grad=True)
    Y = checkpoint(lambda x: m(nt.tensor(x, emb)).data ** 2, X, use_reentrant=False)
    with pytest.raises(nt.BackendError, match="its result depends on m, and that has been updated"):
        Y.sum().backward()


def test_functional_call_and_vmap_over_models_update_the_states_they_are_given():
    models = [ema.module(emb[2], init={"m": lambda x, i=i: x.fill_(float(i))}) for i in range(3)]
    held, states = torch.func.stack_module_state(models)
    X = vector(8.0, 4.0)

    def run(held, states):
        return torch.func.functional_call(models[0], (held, states), (X,)).data

    Y = torch.vmap(run)(held, states)
    for i, m in enumerate(models):
        torch.testing.assert_close(Y[i], m(X).data)
        torch.testing.assert_close(states["m"][i], m.m)


def test_vmap_over_data_with_one_state_says_what_to_do():
    m = ema.module(emb[2])
    with pytest.raises(
        nt.BackendError, match=r"cannot store m in place[\s\S]*functional_call, stacked"
    ):
        torch.vmap(lambda x: m(nt.tensor(x, emb)).data)(torch.ones(5, 2))


def test_torch_compile_reads_it_without_a_break_and_stores():
    m = bnorm.module(chans[3], init=ones)
    twin = copy.deepcopy(m)
    run = torch.compile(m, fullgraph=True, backend="aot_eager")
    for seed in range(2):
        X = images(2, 3, 4, 5, seed=seed)
        torch.testing.assert_close(run(X).data, twin(X).data)
        torch.testing.assert_close(m.running_var, twin.running_var)
    assert m.running_mean.abs().sum() > 0


def test_export_keeps_the_update():
    class Bare(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = ema.module(emb[2])

        def forward(self, x):
            return self.norm(nt.tensor(x, emb)).data

    bare = Bare()
    program = torch.export.export(bare, (torch.ones(2),))
    run = program.module()
    run(torch.tensor([8.0, 4.0]))
    assert dict(run.named_buffers())["norm.m"].tolist() == [4.0, 2.0]


# ------------------------------------------------------------------------------------ plain calls


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_plain_call_gives_the_result_and_the_new_states(library):
    X = vector(8.0, 4.0, library=library)
    m = X * 0
    Y, new = ema(X, m=m)
    assert_same(Y, X * 0.5)
    assert_same(new["m"], X * 0.5)
    assert_same(m, X * 0)
    Y, new = twice(X, norm={"m": m})
    assert set(new) == {"norm.m"}
    assert_same(new["norm.m"], X * 0.5)
    W = X * 0 + 1
    _, new = outer(X, inner={"norm": {"m": m}}, W=W)
    assert_same(new["inner.norm.m"], X * 0.5)


def test_a_plain_call_keeps_the_state_s_dtype():
    X = nt.tensor(np.array([1.0, 2.0]), emb)
    _, new = ema(X, m=nt.zeros(emb[2], dtype="float32"))
    assert new["m"].dtype == np.float32
    _, new = count(X, seen=nt.tensor(2))
    assert new["seen"].numpy() == 3


def test_a_state_that_is_not_updated_is_given_as_it_was():
    X = images(2, 3, 4, 5)
    given = {n: nt.zeros(chans[3], backend="torch") for n in ("running_mean", "running_var")}
    weights = {n: nt.ones(chans[3], backend="torch") for n in ("gamma", "beta")}
    with nt.training(False):
        _, new = bnorm(X, **weights, **given)
    assert new["running_mean"] is given["running_mean"]
    _, new = bnorm(X, **weights, **given)
    assert new["running_mean"] is not given["running_mean"]


def test_a_formula_of_several_results_gives_the_states_last():
    @formula
    def two(X: R[emb], *, seen: nt.State[Z]) -> tuple[R[emb], R]:
        return X, nt.sum[emb](X), nt.update(seen=seen + 1)

    X = vector(8.0, 4.0, library="numpy")
    Y, s, new = two(X, seen=nt.tensor(0))
    assert_same(Y, X)
    assert (s.numpy(), new["seen"].numpy()) == (12.0, 1)
    m = two.module()
    Y, s = m(vector(8.0, 4.0))
    assert m.seen.item() == 1


def test_more_axes_pass_through_where_no_update_has_them():
    @formula
    def centred(X: R[batch, emb], *, m: nt.State[R[emb]]) -> R[batch, emb]:
        return X - m, nt.update(m=nt.mean[batch](X))

    X = nt.tensor(np.arange(6.0).reshape(3, 2), batch, emb)
    _, new = centred(X, m=nt.zeros(emb[2]))
    assert_same(new["m"], nt.mean[batch](X))


def test_untraced_bodies_thread_states_too():
    @formula(trace=False)
    def bare(X: R[emb], *, norm: ema) -> R[emb]:
        return norm(norm(X))

    X = vector(8.0)
    _, new = bare(X, norm={"m": X * 0})
    assert new["norm.m"].data.tolist() == [4.0]
    m = bare.module(emb[1])
    assert m(X).data.tolist() == [0.0]
    assert m.norm.m.tolist() == [4.0]


def test_a_state_may_be_passed_on_to_a_formula_that_updates_it():
    @formula
    def through(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
        Y = ema(X, m=m)
        return ema(Y, m=m)

    m = through.module(emb[1])
    assert m(vector(8.0)).data.tolist() == [0.0]
    assert m.m.tolist() == [4.0]


def test_shapes_code_latex_and_derivatives_speak_of_the_result_alone():
    assert str(outer.shape("emb[2]")) == "emb[2]"
    assert "X" in ema.latex()
    X = vector(8.0, 4.0, library="numpy")
    square = formula(_square)
    assert_same(nt.grad(square)(X, norm={"m": X * 0}), 2 * X * 0.25)
    assert "stored" in ema.code(X, m=X * 0)


def _square(X: R[emb], *, norm: ema) -> R:
    Y = norm(X)
    return nt.sum[emb](Y * Y)


# ----------------------------------------------------------------------------------------- errors


def refused(run, kind, text):
    with pytest.raises(kind) as caught:
        run()
    assert str(caught.value).partition("\n  in ")[0].strip() == text.strip(), str(caught.value)


def test_an_update_with_more_axes_is_refused():
    X = nt.tensor(np.ones((3, 2)), batch, emb)
    refused(
        lambda: ema(X, m=nt.zeros(emb[2])),
        nt.AxisClashError,
        """ema(X, m): the update of m has an axis batch too, and m is declared R[emb]
  X : batch[3] emb[2]   declared R[emb]
  m : emb[2]   declared R[emb]
hint: one state serves all of batch: declare batch in the argument that has it, and average over it in \
the body; or, as a cache does, keep one for each: m: nt.State[R[batch, emb]]""",
    )
    m = ema.module(emb[2])
    with pytest.raises(nt.AxisClashError, match="the update of m has an axis batch too"):
        m(X.to("torch"))
    assert m.m.tolist() == [0.0, 0.0]


def wrong(**updates):
    @formula
    def wrong(X: R[emb], *, m: nt.State[R[emb]], seen: nt.State[Z]) -> R[emb]:
        return X, nt.update(**{name: make(X) for name, make in updates.items()})

    X = nt.tensor(np.ones(2), emb)
    return lambda: wrong(X, m=X, seen=nt.tensor(0))


@pytest.mark.parametrize(
    ("updates", "kind", "text"),
    [
        (
            {"n": lambda X: X},
            nt.AxisNameError,
            "the body updates n, and wrong has no state of that name",
        ),
        ({"m": lambda X: nt.sum[emb](X)}, nt.AxisMissingError, "the update of m lacks emb"),
        (
            {"seen": lambda X: nt.sum[emb](X)},
            nt.KindError,
            "holds float numbers, and seen holds int",
        ),
        ({"m": lambda X: "new"}, nt.KindError, "'new', which is no named tensor"),
        (
            {"m": lambda X: nt.concat[emb](X, X)},
            nt.AxisSizeError,
            r"the update of m has emb\[4\], and m has emb\[2\]",
        ),
    ],
)
def test_an_update_that_does_not_fit_is_refused(updates, kind, text):
    with pytest.raises(kind, match=text):
        wrong(**updates)()


def test_an_update_comes_last():
    @formula
    def first(X: R[emb], *, m: nt.State[R[emb]]) -> R[emb]:
        return nt.update(m=X), X

    with pytest.raises(nt.NamedTensorError, match="the body returned an update before its result"):
        first(nt.ones(emb[2]), m=nt.ones(emb[2]))


def test_what_is_no_state_of_the_caller_cannot_be_updated():
    @formula
    def caller(X: R[emb], *, m: R[emb]) -> R[emb]:
        return ema(X, m=m)

    with pytest.raises(
        nt.TraceError, match="updates its state m, and what caller gives for it is no state"
    ):
        caller(nt.ones(emb[2]), m=nt.ones(emb[2]))


def test_a_step_of_a_recurrence_updates_no_state():
    @formula
    def run(X: R[seq, emb], h: R[emb], *, norm: ema) -> R[seq, emb]:
        return nt.scan[seq](lambda h, x: norm(h) + x, h, X)

    with pytest.raises(nt.TraceError, match="the step of a recurrence runs once"):
        run(nt.ones("seq[3] emb[2]"), nt.ones(emb[2]), norm={"m": nt.ones(emb[2])})


def test_a_state_is_a_tensor_declared_after_the_star():
    with pytest.raises(nt.AxisNameError, match="m is a state and stands before the"):

        @formula
        def before(m: nt.State[R[emb]]) -> R[emb]:
            return m

    with pytest.raises(nt.AxisNameError, match="its space is not declared"):
        nt.State["emb"]
    with pytest.raises(nt.BackendError, match="seen is an int"):
        count(nt.ones(emb[2]), seen=0)
