"""Masks and scores that are defined by indices are computed where they are used, never built."""

import inspect
import warnings

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import namedtensor as nt
from namedtensor import B, R, formula
from namedtensor.backends import torch_attention
from tests.kernels import formulas
from tests.kernels.formulas import causal, key, seq, seq_, val
from tests.kernels.test_kernels_are_formulas import EXTRAS, SIZES, arguments, gradients, unfused

BY_INDEX = [
    formulas.banded,
    formulas.sliding,
    formulas.prefix,
    formulas.documents,
    formulas.causal_documents,
    formulas.causal_and_padded,
    formulas.sloped,
    formulas.alibi,
    formulas.capped,
    formulas.capped_causal,
    formulas.capped_and_biased,
]
LONG = {"seq": 41, "seq'": 37, "key": 16, "val": 16}


def draw(f, extra, monkeypatch):
    for name, size in LONG.items():
        monkeypatch.setitem(SIZES, name, size)
    names = list(inspect.signature(f.function).parameters)
    return arguments(f, EXTRAS[extra](names), torch.Generator().manual_seed(0))


@pytest.mark.parametrize("f", BY_INDEX, ids=lambda f: f.name)
def test_the_code_has_a_function_of_indices_and_no_mask(f, monkeypatch):
    code = f.code(**draw(f, "no extra axis", monkeypatch))
    assert "attend(" in code
    assert "def keeps(b, h, i, j):" in code or "def scores(score, b, h, i, j):" in code
    assert "arange" not in code


@pytest.mark.parametrize("extra", [*EXTRAS][:2] + [*EXTRAS][-2:])
@pytest.mark.parametrize("f", BY_INDEX, ids=lambda f: f.name)
def test_blocks_of_queries_give_what_the_formula_says(f, extra, monkeypatch):
    drawn = draw(f, extra, monkeypatch)
    monkeypatch.setattr(torch_attention, "SHORT", 0)
    monkeypatch.setattr(torch_attention, "BLOCK", 0)
    fused, written = f(**drawn), unfused(f)(**drawn)
    nt.testing.assert_close(fused, written, rtol=1e-9, atol=1e-10)
    found, expected = gradients(fused, drawn), gradients(written, drawn)
    for name in expected:
        torch.testing.assert_close(found[name], expected[name], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("extra", ["no extra axis", "two in all, two in the first"])
@pytest.mark.parametrize(
    "f",
    [formulas.sliding, formulas.causal_documents, formulas.alibi, formulas.capped_causal],
    ids=lambda f: f.name,
)
def test_flex_attention_gives_what_the_formula_says(f, extra, monkeypatch):
    """Uncompiled, FlexAttention runs everywhere: it shows that masks and scores are told right."""
    import torch.nn.attention.flex_attention as flex

    drawn = {
        n: nt.tensor(X.data.detach().float() if X.kind == "float" else X.data, *X.axes)
        for n, X in draw(f, extra, monkeypatch).items()
    }
    monkeypatch.setattr(torch_attention, "SHORT", 0)
    monkeypatch.setattr(torch_attention, "_flex_takes", lambda *_: True)
    monkeypatch.setattr(torch_attention, "_kernel", lambda name: getattr(flex, name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fused = f(**drawn)
    nt.testing.assert_close(fused, unfused(f)(**drawn), rtol=2e-5, atol=2e-5)


class Largest(TorchDispatchMode):
    """Remember the most numbers that any tensor had."""

    size = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for x in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(x, torch.Tensor):
                self.size = max(self.size, x.numel())
        return result


def largest(f, n, backward=False, **rest):
    # (views of stride 0 count, so that this is an upper bound)
    shapes = (f"seq'[{n}] key[16]", f"seq[{n}] key[16]", f"seq[{n}] val[16]")
    drawn = [
        nt.normal(s, backend="torch", generator=torch.Generator().manual_seed(0)) for s in shapes
    ]
    for X in drawn:
        X.requires_grad_(backward)
    with Largest() as mode:
        result = f(*drawn, **rest)
        if backward:
            result.data.sum().backward()
    return mode.size


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("f", [formulas.sliding, formulas.capped], ids=lambda f: f.name)
def test_no_tensor_grows_with_the_square_of_the_length(f, backward, monkeypatch):
    monkeypatch.setattr(torch_attention, "BLOCK", 1 << 16)
    short, long = largest(f, 1024, backward), largest(f, 4096, backward)
    assert long <= 4 * short
    assert long < 4096 * 4096 / 64
    assert largest(unfused(f), 1024, backward) >= 1024 * 1024


def test_keys_that_no_query_of_a_block_sees_are_skipped(monkeypatch):
    monkeypatch.setattr(torch_attention, "SHORT", 0)
    seen = []
    kernel = torch.nn.functional.scaled_dot_product_attention

    def watched(q, k, v, **options):
        seen.append(k.shape[2])
        return kernel(q, k, v, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watched)
    largest(formulas.sliding, 2048)
    assert seen == [256, *[258] * 7]


@pytest.mark.parametrize("f", [formulas.sliding, formulas.capped], ids=lambda f: f.name)
def test_torch_func_and_graph_compilers_take_long_sequences(f, monkeypatch):
    monkeypatch.setattr(torch_attention, "SHORT", 0)
    Q, K, V = [X.data.detach() for X in draw(formulas.plain, "no extra axis", monkeypatch).values()]
    names = [X.axes for X in draw(formulas.plain, "no extra axis", monkeypatch).values()]

    def run(*arrays):
        named = [nt.tensor(x, *axes) for x, axes in zip(arrays, names, strict=True)]
        return f(*named).torch(seq_, val)

    expected = run(Q, K, V)
    gradient = torch.func.grad(lambda q: run(q, K, V).square().sum())(Q)
    assert gradient.isfinite().all()
    assert gradient.abs().sum() > 0
    stacked = torch.func.vmap(lambda q: run(q, K, V))(torch.stack([Q, 2 * Q]))
    torch.testing.assert_close(stacked[0], expected)
    compiled = torch.compile(run, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(Q, K, V), expected)


def test_a_mask_that_is_stored_already_goes_to_the_kernel_as_it_is():
    @formula
    def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], keep: B[seq_, seq]) -> R[seq_, val]:
        return V @ seq @ nt.softmax[seq](nt.where(keep, Q @ key @ K, -nt.inf))

    drawn = arguments(formulas.plain, {}, torch.Generator().manual_seed(0))
    keep = nt.tensor(torch.ones(5, 5, dtype=torch.bool), "seq' seq")
    assert "attn_mask=keep" in att.code(**drawn, keep=keep)


def test_scores_changed_after_the_softmax_are_not_attention():
    @formula
    def wrong(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
        return V @ seq @ nt.tanh(nt.softmax[seq](Q @ key @ K))

    drawn = arguments(formulas.plain, {}, torch.Generator().manual_seed(0))
    assert "  attention: " not in nt.explain(wrong, **drawn)


def test_scores_that_other_keys_change_are_not_attention():
    @formula
    def wrong(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
        return V @ seq @ nt.softmax[seq](nt.tanh(nt.cumsum[seq](Q @ key @ K)))

    drawn = arguments(formulas.plain, {}, torch.Generator().manual_seed(0))
    text = nt.explain(wrong, **drawn)
    assert "  attention: " not in text
    assert "is not Q @ key @ K with masks" in text
    nt.testing.assert_close(wrong(**drawn), unfused(wrong)(**drawn), rtol=1e-9)


# ------------------------------------------------------------------------ rows that keep nothing


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("f", [formulas.padded, formulas.causal_and_padded, formulas.capped_causal],
                         ids=lambda f: f.name)  # fmt: skip
def test_a_query_that_sees_no_key_gets_zeros(f, blocks, monkeypatch):
    """The formula itself says 0/0; see docs/decisions.md."""
    drawn = draw(f, "no extra axis", monkeypatch)
    drawn["keep"] = nt.tensor(torch.arange(LONG["seq"]) >= 20, "seq")
    if f is formulas.padded:
        drawn["keep"] = nt.tensor(torch.zeros(LONG["seq"], dtype=torch.bool), "seq")
    if blocks:
        monkeypatch.setattr(torch_attention, "SHORT", 0)
        monkeypatch.setattr(torch_attention, "BLOCK", 0)
    result = f(**drawn)
    first = result[seq_(0)]
    assert unfused(f)(**drawn)[seq_(0)].data.isnan().all()
    nt.testing.assert_same(first, 0 * nt.ones("val[16]", dtype=torch.float64, backend="torch"))
    for name, gradient in gradients(result, drawn).items():
        assert gradient.isfinite().all(), name


# ----------------------------------------------------------------------- grouped-query attention


def test_keys_that_queries_share_are_neither_copied_nor_repeated():
    @formula
    def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
        return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + causal)

    generator = torch.Generator().manual_seed(0)
    Q = nt.normal("batch[2] owner[2] group[3] seq'[7] key[4]", backend="torch", generator=generator)
    K = nt.normal("batch[2] owner[2] seq[7] key[4]", backend="torch", generator=generator)
    V = nt.normal("batch[2] owner[2] seq[7] val[4]", backend="torch", generator=generator)
    code = att.code(Q, K, V)
    assert "scaled_dot_product_attention(" in code
    assert "is_causal=True, enable_gqa=True" in code
    assert "broadcast_to" not in code
    nt.testing.assert_close(att(Q, K, V), unfused(att)(Q, K, V), rtol=1e-4, atol=1e-5)
    # heads of queries stored beside their owners are joined without a copy
    with Largest() as mode:
        att(Q, K, V)
    assert mode.size == Q.data.numel()
