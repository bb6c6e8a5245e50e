"""Dropout and nt.training() obey the mode: train() and eval() of modules, nt.training(False) elsewhere."""

import copy
import io
import pickle
import sys
import threading

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_same

batch, emb, hid = axes("batch emb hid")


@formula
def drop(X: R[emb], p: float = 0.5) -> R[emb]:
    return nt.dropout(X, p)


@formula
def lin(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def noisy(X: R[emb], *, b: R[emb]) -> R[emb]:
    return drop(X) + b


@formula
def pair(X: R[emb], *, first: noisy, second: noisy) -> R[emb]:
    return second(first(X))


@formula
def deep(X: R[emb], *, left: pair, right: noisy) -> R[emb]:
    return right(left(X))


@formula
def moded(X: R[emb], *, inner: noisy) -> R[emb]:
    return X * 2 if nt.training() else X * 3


ones = nt.ones("emb[1000]", backend="torch")


def dropped(Y: nt.NamedTensor) -> bool:
    """Say whether dropout has set numbers to 0 among those that were 1."""
    return bool((Y.torch(emb) == 0).any())


def numbers(Y: nt.NamedTensor) -> set[float]:
    """Give the numbers in Y: 1 where nothing was dropped, 2 where one half was, 4 after both."""
    return set(Y.torch(emb).detach().tolist())


def made(f, **settings):
    module = f.module(emb[1000], **settings)
    for parameter in module.parameters():
        torch.nn.init.zeros_(parameter)
    return module


# --------------------------------------------------------------------------------------- modules


@pytest.mark.parametrize("f", [drop, noisy, pair, deep], ids=lambda f: f.name)
def test_eval_stops_dropout_and_train_starts_it_again(f):
    m = made(f)
    for _ in range(2):
        for _ in range(2):
            assert dropped(m.train()(ones))
        for _ in range(2):
            assert_same(m.eval()(ones), ones)


def test_a_formula_in_eval_first_drops_later():
    @formula
    def own(X: R[emb]) -> R[emb]:
        return nt.dropout(X, 0.5)

    m = own.module()
    assert_same(m.eval()(ones), ones)
    assert dropped(m.train()(ones))
    assert dropped(own(ones))


def test_a_frozen_part_stays_frozen_while_the_rest_trains():
    m = made(pair)
    m.first.eval()
    assert not dropped(m.first(ones))
    assert numbers(m(ones)) == {0.0, 2.0}  # one dropout, and not two
    m.train(), m.second.eval()
    assert numbers(m(ones)) == {0.0, 2.0}
    m.first.eval()
    assert_same(m(ones), ones)


def test_each_part_of_a_part_has_its_own_mode():
    m = made(deep)
    m.eval()
    for part in (m.left.first, m.left.second, m.right):
        part.train()
        assert numbers(m(ones)) == {0.0, 2.0}
        part.eval()
    assert_same(m(ones), ones)


def test_a_module_given_as_a_bundle_keeps_its_mode():
    first, second = made(noisy).eval(), made(noisy)
    for _ in range(2):
        assert numbers(pair(ones, first=first, second=second)) == {0.0, 2.0}
    second.eval()
    assert_same(pair(ones, first=first, second=second), ones)


def test_a_dict_given_as_a_bundle_has_the_mode_of_its_caller():
    m = made(pair)
    given = {"b": m.first.named_values()["b"]}
    assert_same(m.eval()(ones, second=given), ones)
    assert numbers(m.train()(ones, second=given)) == {0.0, 4.0}
    with nt.training(False):
        assert_same(pair(ones, first=given, second=given), ones)


def test_a_body_that_runs_on_data_reads_the_mode_too():
    @formula(trace=False)
    def python(X: R[emb], *, inner: noisy) -> R[emb]:
        return inner(X) * (2 if nt.training() else 1)

    m = made(python)
    assert_same(m.eval()(ones), ones)
    m.train(), m.inner.eval()
    assert_same(m(ones), ones * 2)
    m.inner.train()
    assert dropped(m(ones))


def test_a_body_asks_for_its_own_module_s_mode():
    m = made(moded)
    m.inner.eval()
    assert_same(m(ones), ones * 2)
    m.eval(), m.inner.train()
    assert_same(m(ones), ones * 3)
    assert_same(moded(ones, **m.named_values()), ones * 2)


def test_a_formula_that_asks_later_is_planned_for_both_modes():
    @formula
    def late(X: R[emb], p: float = 0.0) -> R[emb]:
        return nt.dropout(X, p) if p else X

    m, n = late.module(), late.module(p=0.5)
    assert_same(m(ones), ones), assert_same(m.eval()(ones), ones)
    assert dropped(n(ones))
    assert_same(n.eval()(ones), ones)
    assert dropped(n.train()(ones))


def test_copies_and_stored_modules_keep_the_mode():
    m = made(deep)
    m.left.first.eval()
    stored = io.BytesIO()
    torch.save(m, stored)
    stored.seek(0)
    loaded = torch.load(stored, weights_only=False)
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m)), loaded):
        assert not other.left.first.training
        assert other.left.second.training
        assert numbers(other(ones)) == {0.0, 4.0}
        assert_same(other.eval()(ones), ones)


def test_functional_call_and_vmap_have_the_module_s_mode():
    m = made(noisy).eval()
    held = dict(m.named_parameters())
    call = torch.func.functional_call
    assert_same(call(m, held, (ones,)), ones)
    assert dropped(call(m.train(), held, (ones,)))

    def one(row):
        return m(nt.tensor(row, emb)).torch(emb)

    rows = torch.ones(3, 1000)
    random = torch.func.vmap(one, randomness="different")
    assert (random(rows) == 0).any()
    m.eval()
    assert torch.equal(random(rows), rows)


def test_an_exception_leaves_the_mode_as_it_was():
    @formula
    def broken(X: R[emb]) -> R[emb]:
        nt.training()
        return X[emb >> hid]

    m = broken.module().eval()
    with pytest.raises(nt.AxisMissingError):
        m(ones)
    assert nt.training()


def test_gradients_follow_the_mode():
    @formula
    def loss(X: R[emb], *, inner: noisy) -> R:
        return nt.sum[emb](inner(X))

    m = made(loss).eval()
    assert_same(nt.grad(loss)(ones, inner=m.inner), ones)
    found = nt.grad(loss)(ones, inner=m.inner.train())
    assert set(found.data.tolist()) == {0.0, 2.0}


# ---------------------------------------------------------------------------------- plain calls


def test_plain_calls_are_in_training_unless_a_block_says_otherwise():
    assert nt.training() is True
    assert dropped(drop(ones))
    with nt.training(False):
        assert nt.training() is False
        assert_same(drop(ones), ones)
        assert_same(nt.dropout(ones, 0.5), ones)
        with nt.training(True):
            assert dropped(drop(ones))
            assert dropped(nt.dropout(ones, 0.5))
        assert_same(drop(ones), ones)
    assert dropped(drop(ones))


def test_one_block_serves_again_and_inside_itself():
    block = nt.training(False)
    for _ in range(2):
        with block:
            with block:
                assert nt.training() is False
            assert nt.training() is False
        assert nt.training() is True


def test_a_block_says_nothing_to_a_module():
    m = made(noisy)
    with nt.training(False):
        assert dropped(m(ones))
        assert nt.training() is False


def test_each_thread_has_its_own_mode():
    found: dict[str, bool] = {}
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait(10)
        found["mode"], found["dropped"] = nt.training(), dropped(drop(ones))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with nt.training(False):
        inside.set()
        done.wait(10)
    thread.join()
    assert found == {"mode": True, "dropped": True}


@pytest.fixture
def often_switched():
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often_switched")
def test_many_threads_in_both_modes_get_their_own_plans():
    for _ in range(40):  # of which one in four went wrong

        @formula
        def own(X: R[emb]) -> R[emb]:
            return nt.dropout(X, 0.5)

        wrong: list[bool] = []
        start = threading.Barrier(8)

        def work(mode: bool, own=own, wrong=wrong, start=start) -> None:
            start.wait()
            with nt.training(mode):
                wrong.extend([dropped(own(ones)) is not mode for _ in range(5)])

        threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [False] * 40


def test_numpy_obeys_the_mode_too():
    X = nt.ones("emb[1000]")
    with nt.training(False):
        assert_same(drop(X), X)
        assert_same(nt.dropout(X, 0.5), X)
    assert (drop(X).numpy() == 0).any()


def test_a_scan_s_step_obeys_the_mode():
    seq = nt.axes("seq")
    X, h = nt.ones("seq[2] emb[1000]", backend="torch"), ones * 0

    def step(h, x):
        return nt.dropout(x, 0.5)

    @formula
    def run(X: R[seq, emb], h: R[emb]) -> R[emb]:
        return nt.scan[seq](step, h, X)[seq(1)]

    m = run.module()
    for mode in (True, False, True, False):
        with nt.training(mode):
            assert dropped(nt.scan[seq](step, h, X)[seq(1)]) is mode
        assert dropped(m.train(mode)(X, h)) is mode


# ------------------------------------------------------------------------------------- plans


def test_the_mode_is_part_of_the_key_only_where_it_was_asked_for():
    plain, asking = lin.module(emb[1000], hid[2]), made(deep)
    lin.plans.clear(), deep.plans.clear()
    for m in (plain, asking):
        m.train()(ones), m.eval()(ones)
    assert len(lin.plans) == 1
    assert len(deep.plans) == 2


def test_where_dropout_does_nothing_the_mode_is_not_asked_for():
    @formula
    def own(X: R[emb], p: float = 0.0) -> R[emb]:
        return nt.dropout(X, p)

    with nt.training(False):
        own(ones)
    own(ones)
    assert len(own.plans) == 1


def test_dropout_out_of_training_leaves_the_kernel_free():
    @formula
    def scored(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
        return W @ emb @ nt.dropout(X, 0.1) + b

    with nt.training(False):
        source = scored.code(
            ones,
            W=nt.ones("emb[1000] hid[2]", backend="torch"),
            b=nt.ones("hid[2]", backend="torch"),
        )
    assert "dropout" not in source
    assert "linear" in source or "addmm" in source


def test_the_printed_form_is_the_one_of_training():
    with nt.training(False):
        assert r"\text{dropout}" in drop.latex("underset")


# ---------------------------------------------------------------------------- torch as a whole


@pytest.mark.parametrize("warm", [False, True])
def test_compiled_modules_follow_train_and_eval(warm):
    m = made(deep)
    if warm:
        m(ones), m.eval()(ones), m.train()
    compiled = torch.compile(m, fullgraph=True, backend="eager")
    for _ in range(2):
        assert dropped(compiled(ones))
        m.eval()
        assert_same(compiled(ones), ones)
        m.left.first.train()
        assert numbers(compiled(ones)) == {0.0, 2.0}
        m.train()


def test_compiled_plain_calls_follow_the_block():
    @torch.compile(fullgraph=True, backend="eager")
    def step(X):
        return nt.dropout(drop(X), 0.5) * (2 if nt.training() else 3)

    assert dropped(step(ones))
    with nt.training(False):
        assert_same(step(ones), ones * 3)
    assert dropped(step(ones))

    @torch.compile(fullgraph=True, backend="eager")
    def inside(X):
        with nt.training(False):
            Y = drop(X)
        return Y, nt.training()

    assert_same(inside(ones)[0], ones)
    assert inside(ones)[1] is True
    assert nt.training() is True


@pytest.mark.parametrize("train", [False, True])
def test_a_checkpoint_computes_again_with_the_same_mask(train):
    m = made(noisy).train(train)
    X = torch.ones(1000, requires_grad=True)

    def call(data):
        return m(nt.tensor(data, emb)).torch(emb)

    Y = checkpoint(call, X, use_reentrant=False)
    Y.sum().backward()
    assert torch.equal(X.grad, Y.detach())  # 0 where it was dropped, else 2; all 1 in eval
    assert bool((Y == 0).any()) is train


# ------------------------------------------------------------------------------------ mistakes


def test_dropout_of_what_it_does_not_take_is_refused_in_both_modes():
    for mode in (True, False):
        with nt.training(mode):
            for X, p in ((3.0, 0.5), (ones, ones), (ones, 1.5)):
                with pytest.raises(nt.NamedTensorError):
                    nt.dropout(X, p)


def test_whole_numbers_become_real_in_both_modes():
    counts = nt.tensor(torch.arange(4), emb)
    for mode in (True, False):
        with nt.training(mode):
            assert nt.dropout(counts, 0.5).dtype is torch.float32


def test_a_body_that_fails_leaves_no_question_behind():
    from namedtensor.operations.training import MODE

    @formula
    def failing(X: R[emb]) -> R[emb]:
        raise ZeroDivisionError

    inner = failing.module()

    @formula
    def around(X: R[emb]) -> R[emb]:
        return inner(X)

    X = nt.tensor(torch.ones(4), emb)
    with pytest.raises(ZeroDivisionError):
        around(X)
    assert MODE.asked is None
