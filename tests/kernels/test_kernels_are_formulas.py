"""Every rule of the rewrite table: the kernel computes what the formula says, values and gradients."""

import functools
import inspect
import re

import pytest
import torch

import namedtensor as nt
from namedtensor import R, formula
from namedtensor.formula.rewrite import RULES
from namedtensor.formula.rewrite.linear import identity
from namedtensor.primitives import table
from namedtensor.primitives.node import apply_node, operands_first
from namedtensor.tensor import SymbolicTensor
from tests.kernels import formulas
from tests.kernels.formulas import (
    ROWS,
    chans,
    emb,
    kernel,
    key,
    out,
    plain,
    seq,
    seq_,
    stable_logsumexp,
    val,
)

SIZES = dict(seq=5, key=4, val=3, emb=6, hid=7, vocab=8, chans=3, kernel=2, out=4)
SIZES |= {"seq'": 5, "hid'": 7, "batch": 2, "head": 3, "beam": 2, "group": 3, "layer": 2}
SIZES |= dict(height=6, width=9, kh=2, kw=3)


def unfused(f):
    return nt.Formula(f.function, f.signature, fuse=False)


def arguments(f, extra, generator):
    """Draw an argument for each name of the signature; `extra` gives axes beyond the declared."""
    drawn = {}
    for parameter in f.signature.parameters:
        if parameter.setting:
            continue
        names = [*extra.get(parameter.name, ()), *parameter.space.names]
        order = torch.randperm(len(names), generator=generator).tolist()
        shape = [SIZES[names[i]] for i in order]
        if parameter.space.letter == "Z":
            data = torch.randint(0, max(1, SIZES["vocab"]), shape, generator=generator)
        elif parameter.space.letter == "B":
            data = torch.rand(shape, generator=generator) > 0.4
            data = data | (torch.arange(SIZES["seq"]) == 0).reshape(
                [-1 if names[i] == "seq" else 1 for i in order]
            )
        else:
            data = torch.randn(shape, generator=generator, dtype=torch.float64)
            data.requires_grad_()
        drawn[parameter.name] = nt.tensor(data, *[names[i] for i in order])
    return drawn


def gradients(result, drawn):
    for X in drawn.values():
        if X.requires_grad:
            X.data.grad = None
    weights = torch.linspace(-1.0, 2.0, result.data.numel(), dtype=torch.float64)
    ordered = result.torch(*sorted(result.axes))
    (ordered.reshape(-1) * weights).sum().backward()
    return {n: X.data.grad.clone() for n, X in drawn.items() if X.requires_grad}


EXTRAS = {
    "no extra axis": lambda names: {},
    "batch and group everywhere": lambda names: dict.fromkeys(names, ("batch", "group")),
    "batch in the first": lambda names: {names[0]: ("batch",)},
    "group in the second": lambda names: dict.fromkeys(names[1:2], ("group",)),
    "batch in all, group in the first": lambda names: {
        n: ("batch", "group") if i == 0 else ("batch",) for i, n in enumerate(names)
    },
    "two in all, two in the first": lambda names: {
        n: ("group", "batch", "beam", "layer") if i == 0 else ("batch", "beam")
        for i, n in enumerate(names)
    },
    "three in all but the last": lambda names: dict.fromkeys(
        names[:-1], ("batch", "beam", "group")
    ),
}


@pytest.mark.parametrize("extra", EXTRAS.values(), ids=EXTRAS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.formula.name)
def test_a_kernel_gives_what_its_formula_says(row, extra):
    generator = torch.Generator().manual_seed(0)
    names = list(inspect.signature(row.formula.function).parameters)
    drawn = arguments(row.formula, extra(names), generator)
    fused, written = row.formula(**drawn), unfused(row.formula)(**drawn)
    nt.testing.assert_close(fused, written, rtol=1e-9, atol=1e-10)
    found, expected = gradients(fused, drawn), gradients(written, drawn)
    for name in expected:
        torch.testing.assert_close(found[name], expected[name], rtol=1e-8, atol=1e-9)


OTHER_SIZES = (0, 1, 2, 3, 9)


@pytest.mark.parametrize("extra", [(), ("batch",)], ids=["alone", "batch"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.formula.name)
def test_a_kernel_of_one_size_is_right_or_refuses_at_others(row, extra, monkeypatch):
    fused, written = nt.Formula(row.formula.function, row.formula.signature), unfused(row.formula)
    extra = dict.fromkeys(inspect.signature(row.formula.function).parameters, extra)
    first = arguments(row.formula, extra, torch.Generator().manual_seed(0))
    fused(**first)  # makes the plan that serves all sizes
    for axis in sorted({name for X in first.values() for name in X.axes}):
        for size in OTHER_SIZES:
            monkeypatch.setitem(SIZES, axis, size)
            drawn = arguments(row.formula, extra, torch.Generator().manual_seed(1))
            monkeypatch.undo()
            found, expected = outcome(fused, drawn), outcome(written, drawn)
            assert type(found) is type(expected), f"{axis}[{size}]: {found}, {expected}"
            if isinstance(found, nt.NamedTensor):
                if row.rule == "attention" and axis in ("seq", "seq'"):
                    # a query that sees no key: docs/decisions.md
                    expected = nt.where(nt.isnan(expected), 0.0, expected)
                nt.testing.assert_close(found, expected, rtol=1e-9, atol=1e-10)
            else:
                assert found is expected, f"{axis}[{size}]: {found}, {expected}"


DTYPES = (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex128)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.formula.name)
def test_a_kernel_takes_and_refuses_the_dtypes_that_its_formula_does(row):
    fused, written = nt.Formula(row.formula.function, row.formula.signature), unfused(row.formula)
    first = arguments(row.formula, {}, torch.Generator().manual_seed(0))
    data = {name: X.data.detach() for name, X in first.items()}
    real = [name for name, x in data.items() if x.dtype == torch.float64]
    for changed in (real, *[[name] for name in real]):
        for dtype in DTYPES if changed is real else DTYPES[1:3]:
            other = {name: data[name].to(dtype) for name in changed}
            drawn = {n: nt.tensor(x, *first[n].axes) for n, x in {**data, **other}.items()}
            found, expected = outcome(fused, drawn), outcome(written, drawn)
            assert type(found) is type(expected), f"{changed} {dtype}: {found}, {expected}"
            if isinstance(found, nt.NamedTensor):
                assert found.dtype == expected.dtype
                close = {torch.bfloat16: 0.3, torch.float32: 1e-3}.get(dtype, 1e-9)
                nt.testing.assert_close(found, expected, rtol=close, atol=close)
            else:
                assert found is expected, f"{changed} {dtype}: {found}, {expected}"


def outcome(f, drawn):
    """What a formula gives, or the kind of error that it raises."""
    try:
        return f(**drawn)
    except nt.NamedTensorError as error:
        return type(error)


#: Of what runs inside the steps of loops nt.explain tells, and nt.steps does not.
INSIDE_STEPS = {"addcmul"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.formula.name)
def test_a_formula_as_written_gets_its_kernel(row):
    drawn = arguments(row.formula, {}, torch.Generator().manual_seed(0))
    told = nt.explain(row.formula, **drawn)
    assert f"  {row.rule}: " in told
    assert "a kernel refused" not in told
    if row.rule not in INSIDE_STEPS:
        assert row.rule in {step.kernel for _, step in nt.steps(row.formula, **drawn).every()}


@pytest.mark.parametrize("extra", EXTRAS.values(), ids=EXTRAS)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_computes_its_own_formula(rule, extra):
    names = list(inspect.signature(rule.pattern.function).parameters)
    drawn = arguments(rule.pattern, extra(names), torch.Generator().manual_seed(0))
    fused, written = rule.pattern(**drawn), unfused(rule.pattern)(**drawn)
    nt.testing.assert_close(fused, written, rtol=1e-9, atol=1e-10)
    found, expected = gradients(fused, drawn), gradients(written, drawn)
    for name in expected:
        torch.testing.assert_close(found[name], expected[name], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_its_own_formula(rule):
    drawn = arguments(rule.pattern, {}, torch.Generator().manual_seed(0))
    told = nt.explain(rule.pattern, **drawn)
    assert f"  {rule.name}: " in told
    assert "a kernel refused" not in told


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_its_formula(rule):
    assert isinstance(rule.pattern, nt.Formula)
    assert set(re.findall(r"\b[A-Z]\b", str(rule))) <= set(rule.pattern.signature.python.parameters)


def test_every_other_way_to_write_a_formula_names_a_rule():
    assert {row.rule for row in ROWS} <= {rule.name for rule in RULES}


def test_a_contraction_with_the_identity_is_a_renaming():
    @formula
    def renamed(X: R[seq[5]]) -> R[seq_]:
        return nt.eye(seq[5], seq_[5]) @ seq @ X

    X = nt.normal("batch[2] seq[5]", backend="torch")
    assert "identity" in nt.explain(renamed, X)
    assert "@" not in renamed.code(X)
    nt.testing.assert_same(renamed(X), X[seq >> seq_])
    assert identity.__doc__


def test_a_softmax_over_another_axis_is_not_attention():
    @formula
    def wrong(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
        return V @ seq @ nt.softmax[seq_](Q @ key @ K)

    drawn = arguments(wrong, {}, torch.Generator().manual_seed(0))
    text = nt.explain(wrong, **drawn)
    assert "  attention: " not in text
    assert "not attention: the softmax is over seq', and the contraction over seq" in text
    nt.testing.assert_close(wrong(**drawn), unfused(wrong)(**drawn), rtol=1e-9)


def test_a_mask_after_the_softmax_is_not_attention():
    @formula
    def wrong(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
        return V @ seq @ (nt.softmax[seq](Q @ key @ K) * M)

    drawn = arguments(wrong, {}, torch.Generator().manual_seed(0))
    text = nt.explain(wrong, **drawn)
    assert "  attention: " not in text
    assert "is multiplied before it weighs the values" in text
    nt.testing.assert_close(wrong(**drawn), unfused(wrong)(**drawn), rtol=1e-9)


def test_a_gain_over_another_axis_is_not_layer_norm():
    @formula
    def wrong(X: R[val], gamma: R[seq]) -> R[seq, val]:
        return nt.standardize[val](X) * gamma

    drawn = arguments(wrong, {}, torch.Generator().manual_seed(0))
    told = nt.explain(wrong, **drawn)
    assert "not layer_norm: gamma is over seq, and the mean over val" in told
    assert "  channel_norm: " not in told
    nt.testing.assert_close(wrong(**drawn), unfused(wrong)(**drawn), rtol=1e-9)


def stored(f, **orders):
    """Draw a formula's arguments with their axes stored in these orders, and give its code."""
    generator = torch.Generator().manual_seed(0)
    drawn = {
        name: nt.normal(*[f"{ax}[{SIZES[ax]}]" for ax in order.split()], generator=generator,
                        dtype=torch.float64, backend="torch")
        for name, order in orders.items()
    }  # fmt: skip
    return drawn, f.code(**drawn)


@pytest.mark.parametrize(
    ("f", "order", "call"),
    [
        (formulas.instance_norm, "batch chans height width", "group_norm(X, chans, gamma, beta"),
        (formulas.batch_norm, "seq chans height", "batch_norm(X, gamma, beta"),
        (formulas.batch_norm, "chans seq height", "group_norm(reshape(X, (1, chans, seq, height))"),
        (formulas.group_norm, "batch hid chans height", "group_norm(reshape(X, (batch, hid * chan"),
    ],
)
def test_channels_go_to_the_kernel_as_they_are_stored(f, order, call):
    weights = "hid chans" if f is formulas.group_norm else "chans"
    drawn, code = stored(f, X=order, gamma=weights, beta=weights)
    assert call in code
    assert "permute" not in code
    nt.testing.assert_close(f(**drawn), unfused(f)(**drawn), rtol=1e-9)


@pytest.mark.parametrize("sizes", [(0, 3, 2), (2, 0, 2), (2, 3, 0)])
@pytest.mark.parametrize("f", [formulas.instance_norm, formulas.batch_norm])
def test_norms_of_nothing_are_as_written(f, sizes):
    names = list(f.signature["X"].space.names)
    X = torch.ones(sizes, dtype=torch.float64, requires_grad=True)
    weights = torch.ones(2, sizes[names.index("chans")], dtype=torch.float64, requires_grad=True)
    given = nt.tensor(X, *names), *[nt.tensor(w, "chans") for w in weights]
    found, expected = f(*given), unfused(f)(*given)
    nt.testing.assert_close(found, expected)
    for result in (found, expected):
        result.data.sum().backward()
    assert weights.grad.abs().sum() == 0


@pytest.mark.parametrize(
    "dtypes", [(torch.float64, torch.float32), (torch.bfloat16, torch.float32)]
)
@pytest.mark.parametrize(
    "f",
    [formulas.layer_norm, formulas.rms_norm, formulas.instance_norm, formulas.batch_norm],
    ids=lambda f: f.name,
)
def test_weights_of_another_dtype_are_multiplied_as_written(f, dtypes):
    drawn = arguments(f, {}, torch.Generator().manual_seed(0))
    given = {
        name: nt.tensor(X.data.detach().to(dtypes[name != "X"]), *X.axes)
        for name, X in drawn.items()
    }
    found, expected = f(**given), unfused(f)(**given)
    assert found.dtype == expected.dtype
    nt.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2)
    assert "as written where" in nt.explain(f, **given)


@pytest.mark.parametrize(
    ("f", "dtype", "why"),
    [
        (plain, torch.int64, "not attention: Q holds int numbers, and the kernel takes real ones"),
        (formulas.linear, torch.complex128, "not linear: W holds complex numbers"),
        (formulas.max_pool, torch.int64, ""),
        (formulas.mean_pool, torch.complex128, ""),
        (formulas.convolution, torch.complex128, ""),
        (formulas.linear, torch.int64, "not linear: W holds int numbers"),
        (formulas.layer_norm, torch.int64, "not layer_norm: X holds int numbers"),
        (formulas.loss, torch.int64, ""),
        (formulas.stable_softmax, torch.complex128, ""),
        (formulas.stable_logsumexp, torch.complex128, ""),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_numbers_that_a_kernel_does_not_take_run_as_written(f, dtype, why):
    drawn = arguments(f, {}, torch.Generator().manual_seed(0))
    drawn = {
        n: nt.tensor(X.data.detach().to(dtype), *X.axes) if X.kind == "float" else X
        for n, X in drawn.items()
    }
    # weights of whole numbers do not multiply the softmax's reals in torch; make those real
    if dtype is torch.int64 and f is plain:
        drawn["V"] = nt.cast(drawn["V"], torch.float32)
    text = nt.explain(f, **drawn)
    assert why in text
    nt.testing.assert_close(f(**drawn), unfused(f)(**drawn), rtol=1e-6)


def test_a_sum_that_is_used_elsewhere_stays_whole():
    @formula
    def both(
        Y: R[seq, val], X: R[emb], W: R[emb, val], b: R[val]
    ) -> tuple[R[seq, val], R[seq, val]]:
        Z = Y + W @ emb @ X
        return Z + b, Z

    drawn = arguments(both, {}, torch.Generator().manual_seed(0))
    assert "  linear: " not in nt.explain(both, **drawn)
    assert both.code(**drawn).count("@") == 1


def test_a_maximum_over_other_axes_is_no_pooling():
    @formula
    def wrong(X: R[emb]) -> R[emb]:
        return nt.max[emb](nt.pool[emb, kernel[2]](X))[kernel >> emb]

    X = nt.normal("emb[6]", backend="torch", generator=torch.Generator().manual_seed(0))
    assert "  pooling: " not in nt.explain(wrong, X)
    nt.testing.assert_close(wrong(X), unfused(wrong)(X))


def test_windows_that_keep_their_kernel_axis_are_no_convolution():
    @formula
    def wrong(X: R[chans, seq], W: R[out, chans]) -> R[out, seq, kernel]:
        return W @ chans @ nt.unroll[seq, kernel[2]](X)

    generator = torch.Generator().manual_seed(0)
    X = nt.normal("chans[3] seq[5]", backend="torch", generator=generator)
    W = nt.normal("out[2] chans[3]", backend="torch", generator=generator)
    assert "  convolution: " not in nt.explain(wrong, X, W)
    nt.testing.assert_close(wrong(X, W), unfused(wrong)(X, W), rtol=1e-4)


def test_numpy_runs_the_same_formula_without_kernels():
    drawn = arguments(plain, {}, torch.Generator().manual_seed(0))
    plain_numpy = plain(**{n: X.detach().to("numpy") for n, X in drawn.items()})
    nt.testing.assert_close(plain(**drawn).detach().to("numpy"), plain_numpy, rtol=1e-12)


def test_large_numbers_do_not_overflow_however_the_formula_is_written():
    X = nt.tensor(torch.tensor([1000.0, 999.0]), "emb")
    expected = torch.logsumexp(X.data, 0)
    torch.testing.assert_close(stable_logsumexp(X).torch(), expected)


def test_the_causal_mask_is_never_built():
    drawn = arguments(plain, {}, torch.Generator().manual_seed(0))
    masked = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))

    @formula
    def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
        return V @ seq @ nt.softmax[seq](Q @ key @ K + M)

    code = att.code(**drawn, M=masked)
    assert "is_causal=True" in code
    assert "arange" not in code


def test_the_test_can_fail():
    """A kernel that computes something else is caught by the comparison above."""

    @formula
    def other(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
        return V @ seq @ nt.softmax[seq](Q @ key @ K * 1.001)

    drawn = arguments(plain, {}, torch.Generator().manual_seed(0))
    with pytest.raises(AssertionError):
        nt.testing.assert_close(other(**drawn), plain(**drawn), rtol=1e-9, atol=1e-10)


def test_an_lstm_of_which_every_c_is_asked_for_runs_as_a_loop():
    @formula
    def both(
        X: R[seq, emb],
        h: R[formulas.hid],
        W: R[key, emb, formulas.hid],
        U: R[key, formulas.hid, formulas.hid_],
        b: R[formulas.hid],
    ) -> R[seq, formulas.hid]:
        H, C = nt.scan[seq](formulas.lstm_step(W, U, b), (h, h), X)
        return H + C

    drawn = arguments(both, {}, torch.Generator().manual_seed(0))
    assert "  lstm: " not in nt.explain(both, **drawn)
    assert both.code(**drawn).count("loop(") == 1
    nt.testing.assert_close(both(**drawn), unfused(both)(**drawn), rtol=1e-9)


@pytest.mark.parametrize(
    "change",
    [
        lambda h, n, z, r: z * n + (1 - z) * h,
        lambda h, n, z, r: (1 - r) * n + z * h,
        lambda h, n, z, r: (2 - z) * n + z * h,
        lambda h, n, z, r: (1 - z) * n + z * n,
        lambda h, n, z, r: (1 - z) * n + z * nt.relu(h),
    ],
)
def test_what_only_looks_like_a_gru_runs_as_a_loop(change):
    hid, hid_ = formulas.hid, formulas.hid_

    @formula
    def near(
        X: R[seq, emb], h: R[hid], W: R[chans, emb, hid], U: R[chans, hid, hid_]
    ) -> R[seq, hid]:
        def step(h, x):
            u, x = (U @ hid @ h)[hid_ >> hid], W @ emb @ x
            r, z = [nt.sigmoid(u[chans(k)] + x[chans(k)]) for k in range(2)]
            return change(h, nt.tanh(r * u[chans(2)] + x[chans(2)]), z, r)

        return nt.scan[seq](step, h, X)

    drawn = arguments(near, {}, torch.Generator().manual_seed(0))
    assert "  gru: " not in nt.explain(near, **drawn)
    nt.testing.assert_close(near(**drawn), unfused(near)(**drawn), rtol=1e-9)


@pytest.mark.parametrize("f", [formulas.lstm, formulas.gru])
def test_cells_go_through_transforms_compilers_and_no_steps_at_all(f):
    drawn = arguments(f, {}, torch.Generator().manual_seed(0))
    X = drawn["X"].torch(seq, emb).detach()

    def run(x):
        return f(**{**drawn, "X": nt.tensor(x, seq, emb)}).torch(seq, formulas.hid)

    wanted = run(X)
    torch.testing.assert_close(torch.func.vmap(run)(torch.stack([X, X]))[1], wanted)
    torch.testing.assert_close(torch.compile(run, fullgraph=True, backend="eager")(X), wanted)
    assert run(X[:0]).shape == (0, 7)


def test_an_lstm_is_torch_s():
    cell = torch.nn.LSTM(6, 7, batch_first=True, dtype=torch.float64)
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    W, U, b, a = [w.reshape(4, 7, -1) for w in cell._flat_weights]
    given = dict(
        X=nt.tensor(x, "batch", seq, emb),
        h=nt.zeros("hid[7]", dtype=torch.float64),
        c=nt.zeros("hid[7]", dtype=torch.float64),
        W=nt.tensor(W, key, "hid", emb),
        U=nt.tensor(U, key, "hid'", "hid"),
        b=nt.tensor((a + b)[:, :, 0], key, "hid"),
    )
    torch.testing.assert_close(
        formulas.lstm(**given).torch("batch", seq, "hid"), cell(x)[0], rtol=1e-9, atol=1e-12
    )


# ------------------------------------------------------------------------- what stands twice


def standing_twice(f, place, word):
    """Write a formula whose part at a place stands twice, in a sum or a product; None beyond its parts.

    Both are one node, and a rule that takes one of them must leave the other.
    """

    @functools.wraps(f.function)
    def body(*args, **named):
        root = f.function(*args, **named).node
        parts = [n for n in operands_first([root]) if n.operands and n.type.kind == "float"]
        parts = [n for n in parts if not n.type.host and not n.type.weak and not n.type.open]
        found.append(len(parts))
        done = {}
        for n in operands_first([root]):
            operands = tuple([done[o] for o in n.operands])
            new = n if operands == n.operands else apply_node(n.operation, operands)
            both = parts and n is parts[min(place, len(parts) - 1)]
            done[n] = apply_node(table()[word].plain, (new, new)) if both else new
        return SymbolicTensor(done[root])

    found = []
    return nt.Formula(body, f.signature), nt.Formula(body, f.signature, fuse=False), found


@pytest.mark.parametrize("word", ["add", "mul"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.formula.name)
def test_a_part_may_stand_twice(row, word):
    drawn = arguments(row.formula, {}, torch.Generator().manual_seed(0))
    place, count = 0, 1
    while place < count:
        fused, written, found = standing_twice(row.formula, place, word)
        expected = written(**drawn)
        if not expected.data.isnan().any():  # as where -inf of a mask is squared
            nt.testing.assert_close(fused(**drawn), expected, rtol=1e-7, atol=1e-8)
        place, count = place + 1, found[0]
