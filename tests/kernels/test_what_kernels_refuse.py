"""What a kernel refuses, or would take for something else, gives what the formula says."""

from typing import Any

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import NamedTensor, R, Z, axes, formula
from namedtensor.errors import NamedTensorError
from namedtensor.testing import assert_same

seq, key, val, head, row, other, emb, vocab, chans, kernel, out, hid = axes(
    "seq key val head row other emb vocab chans kernel out hid"
)
seq_ = seq.prime


@formula
def masked(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq_, seq], s: R = 1.0
) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](s * (Q @ key @ K) + M)


@formula
def causal(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], s: R) -> R[seq_, val]:
    past = nt.where(nt.iota(seq) <= nt.iota(seq_), 0.0, -nt.inf)
    return V @ seq @ nt.softmax[seq](s * (Q @ key @ K) + past)


@formula
def turned(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq]) -> R[seq_, val]:
    seen = nt.iota(seq) <= nt.iota(seq_)
    scores = nt.where(seen, Q @ key @ K, -nt.inf) + M
    return V @ seq @ nt.softmax[seq](scores * -1.0)


@formula
def unscaled(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / (abs(key) - 4.5 + 0.5))


@formula
def spread(X: R[emb]) -> R:
    return nt.mean[emb]((X - nt.mean[emb](X)) ** 2)


@formula
def standardized(X: R[emb]) -> R[emb]:
    return (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + 1e-3)


@formula
def looked_up(E: R[vocab, emb], y: R[seq]) -> R[seq, emb]:
    return E @ vocab @ nt.one_hot(y, vocab[10])


@formula
def loss(X: R[seq, vocab], y: R[seq]) -> R[seq]:
    return -nt.log(nt.softmax[vocab](X)) @ vocab @ nt.one_hot(y, vocab[10])


@formula
def pooled(X: R[seq]) -> R[seq]:
    return nt.max[kernel](nt.pool[seq, kernel[2]](X))


@formula
def convolved(X: R[chans, seq], W: R[out, chans, kernel]) -> R[out, seq]:
    return W @ (chans, kernel) @ nt.unroll[seq, kernel[3]](X)


@formula
def mapped(X: R[emb], W: R[hid, emb], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


def drawn(spec: str, dtype: torch.dtype = torch.float32) -> NamedTensor:
    random = torch.Generator().manual_seed(0)
    return nt.normal(spec, dtype=dtype, backend="torch", generator=random)


def whole(*numbers: Any, dtype: torch.dtype = torch.int64) -> NamedTensor:
    return nt.tensor(torch.tensor(numbers, dtype=dtype), seq)


ATTENDED = drawn("batch[2] key[4] seq'[3]"), drawn("batch[2] key[4] seq[5]"), drawn("seq[5] val[2]")
LONG = tuple(
    [
        drawn(f"batch[2] head[2] {axes}")
        for axes in ("seq'[40] key[16]", "seq[40] key[16]", "seq[40] val[16]")
    ]
)
SEEN = nt.tensor(torch.tensor([[1, 0, 1, 1, 0]] * 3) > 0, "seq' seq")
ROWS = drawn("vocab[10] emb[4]")
TABLES = drawn("vocab[10] batch[2] emb[4]")

CASES: dict[str, tuple[Any, ...]] = {
    "truth values that are added": (masked, *ATTENDED, SEEN),
    "whole numbers that are added": (masked, *ATTENDED, nt.cast(SEEN, int)),
    "a negative scale under a causal mask": (causal, *LONG, -0.5),
    "a scale of 0 under a causal mask": (causal, *LONG, 0.0),
    "a mask that is turned round": (turned, *ATTENDED, drawn("seq[5]")),
    "complex numbers' spread": (spread, drawn("seq[3] emb[4]", torch.complex128)),
    "complex numbers, standardized": (standardized, drawn("seq[3] emb[4]", torch.complex128)),
    "an index from behind": (looked_up, ROWS, whole(1, -1, 0)),
    "an index beyond the end": (looked_up, ROWS, whole(1, 10, 0)),
    "an index from behind into tables": (looked_up, TABLES, whole(1, -1, 0)),
    "an index beyond the end of tables": (looked_up, TABLES, whole(1, 10, 0)),
    "an index of few bits": (looked_up, ROWS, whole(1, 2, 0, dtype=torch.uint8)),
    "a class from behind": (loss, drawn("seq[3] vocab[10]"), whole(1, -1, 0)),
    "a class beyond the end": (loss, drawn("seq[3] vocab[10]"), whole(1, 10, 0)),
    "pools of nothing": (pooled, drawn("chans[3] seq[0]")),
    "nothing with pools": (pooled, drawn("chans[0] seq[4]")),
    "windows without channels": (convolved, drawn("chans[0] seq[5]"), drawn("out[2] chans[0] kernel[3]")),
    "windows of a batch without channels": (
        convolved, drawn("chans[0] row[3] seq[5]"), drawn("out[2] chans[0] kernel[3]")
    ),
    "windows to no channels": (convolved, drawn("chans[2] seq[5]"), drawn("out[0] chans[2] kernel[3]")),
    "a bias of another dtype": (
        mapped, drawn("emb[3]"), drawn("hid[2] emb[3]"), drawn("hid[2]", torch.float64)
    ),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["torch", "numpy"])
@pytest.mark.parametrize(("f", "given"), [(c[0], c[1:]) for c in CASES.values()], ids=CASES)
def test_it_is_computed_as_written(f: nt.Formula, given: tuple[Any, ...], backend: str) -> None:
    given = tuple([X.to(backend) if isinstance(X, NamedTensor) else X for X in given])
    expected = nt.Formula(f.function, f.signature, fuse=False)(*given)
    for _ in range(2):
        found = f(*given)
        assert found.dtype == expected.dtype
        nt.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("f", "given"),
    [
        (unscaled, ATTENDED),
        (looked_up, (ROWS, whole(1, -1, 0))),
        (mapped, (drawn("emb[3]"), drawn("hid[2] emb[3]"), drawn("hid[2]", torch.float64))),
    ],
)
def test_explain_says_that_it_runs_as_written(f: nt.Formula, given: tuple[Any, ...]) -> None:
    assert "all of it runs as written: a kernel refused (" in nt.explain(f, *given)


def test_explain_does_not_say_so_of_what_a_kernel_takes() -> None:
    assert "as written" not in nt.explain(looked_up, ROWS, whole(1, 2, 0))


def test_a_gradient_passes_what_a_kernel_refused() -> None:
    E, y = ROWS.data.clone().requires_grad_(), whole(1, -1, 1)
    nt.sum[seq, emb](looked_up(nt.tensor(E, vocab, emb), y)).data.backward()
    assert E.grad is not None
    assert E.grad[:, 0].tolist() == [0.0, 2.0] + [0.0] * 8


def test_an_axis_of_size_1_is_not_stretched_over_a_weight_for_each_head() -> None:
    @formula
    def contracted(A: R[row, other], B: R[head, emb, key]) -> R[row, head, key]:
        return A[other >> emb] @ emb @ B

    for backend in ("torch", "numpy"):
        given = [drawn(s).to(backend) for s in ("row[4] other[1]", "head[2] emb[64] key[32]")]
        with pytest.raises(NamedTensorError, match=r"emb is 1 .* 64"):
            contracted(*given)


def test_complex_masks_are_refused_in_words() -> None:
    with pytest.raises(NamedTensorError, match="complex"):
        masked(*ATTENDED, drawn("seq'[3] seq[5]", torch.complex64))


def test_numbers_defined_by_index_follow_torch_s_default_dtype() -> None:
    @formula
    def weighed(X: R[seq]) -> R[seq]:
        return X * nt.where(nt.iota(seq) < 2, 0.1, 0.7)

    X, before = whole(1, 2, 3), torch.get_default_dtype()
    assert weighed(X).dtype is before
    torch.set_default_dtype(torch.float64)
    try:
        found = weighed(X)
    finally:
        torch.set_default_dtype(before)
    assert found.dtype is torch.float64
    np.testing.assert_array_equal(found.numpy(seq), [0.1, 0.2, 3 * 0.7])


def few_bits(first: int, rest: int, shape: tuple[int, ...], *names: Any) -> NamedTensor:
    data = torch.full(shape, rest, dtype=torch.uint8)
    data[..., 0] = first
    return nt.tensor(data, *names)


@formula
def mapped_beside(X: R[emb], W: R[hid, emb], b: R[hid], M: R[hid], N: R[hid]) -> R[hid]:
    return W @ emb @ X + M + N + b


@formula
def masked_twice(
    Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq], N: R[seq]
) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K + M + N)


@formula
def doubled(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq]((Q @ key @ K + M) * 2)


@formula
def sloped(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](M + Q @ key @ K + 0.1 * nt.iota(seq))


DOUBLES = (
    drawn("key[4] seq'[3]", torch.float64),
    drawn("key[4] seq[5]", torch.float64),
    drawn("seq[5] val[2]", torch.float64),
)


@pytest.mark.parametrize(
    ("f", "given"),
    [
        (
            mapped_beside,
            (drawn("emb[3]"), drawn("hid[2] emb[3]"), drawn("hid[2]"),
             few_bits(200, 100, (2,), hid), few_bits(100, 200, (2,), hid)),
        ),
        (masked_twice, (*DOUBLES, few_bits(200, 5, (5,), seq), few_bits(60, 0, (5,), seq))),
        (doubled, (*DOUBLES, few_bits(130, 5, (5,), seq))),
        (sloped, (*DOUBLES, whole(3, 1, 0, 2, 1))),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_terms_meet_the_scores_and_not_one_another(
    f: nt.Formula, given: tuple[NamedTensor, ...]
) -> None:
    expected = nt.Formula(f.function, f.signature, fuse=False)(*given)
    told = nt.explain(f, *given)
    assert "  attention: " in told or "  linear: " in told
    nt.testing.assert_close(f(*given), expected, rtol=1e-6 if f is mapped_beside else 1e-13)


def test_the_gradient_of_a_permuted_weight_in_float64_is_there() -> None:
    height, width, kh, kw = axes("height width kh kw")

    @formula
    def over_two(X: R[chans, height, width], W: R[out, chans, kh, kw]) -> R[out, height, width]:
        windows = nt.unroll[width, kw[2]](nt.unroll[height, kh[1]](X))
        return W @ (chans, kh, kw) @ windows

    X = drawn("head[3] width[6] height[12] chans[3]", torch.float64)
    W = drawn("kw[2] chans[3] kh[1] out[1]", torch.float64).requires_grad_()
    nt.sum[head, out, height, width](over_two(X, W)).data.backward()
    assert W.data.grad.shape == W.data.shape


@pytest.mark.parametrize("name", ["var", "std", "norm", "standardize"])
def test_distances_of_complex_numbers_are_real_on_both_libraries(name: str) -> None:
    X = nt.tensor(torch.tensor([[1 + 1j, 2, 3j]], dtype=torch.complex128), row, emb)
    f = getattr(nt, name)[emb]
    on_torch, on_numpy = f(X), f(X.to("numpy"))
    nt.testing.assert_close(on_torch.to("numpy"), on_numpy, rtol=1e-12)
    assert on_torch.kind == on_numpy.kind == ("complex" if name == "standardize" else "float")
    if name == "norm":
        assert abs(on_numpy.numpy(row)[0] - np.sqrt(2 + 4 + 9)) < 1e-12


@formula
def rows_of_windows(X: R[seq], W: R[hid, kernel]) -> R[hid, seq]:
    return W @ kernel @ nt.unroll[seq, kernel[2]](X)


@formula
def rows_by_ones(I: Z[seq], E: R[vocab, emb]) -> R[seq, emb]:
    return nt.one_hot(I, vocab[2]) @ vocab @ E


@formula
def loss_by_ones(I: Z[seq], S: R[seq, vocab]) -> R[seq]:
    return -nt.log(nt.softmax[vocab](S)) @ vocab @ nt.one_hot(I, vocab[2])


@formula
def renamed_by_ones(X: R[seq, emb]) -> R[seq_, emb]:
    return nt.eye(seq[2], seq_[2]) @ seq @ X


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize(
    ("f", "fits", "differs", "axis"),
    [
        (rows_of_windows, ("seq[4]", "hid[3] kernel[2]"), ("seq[4]", "hid[3] kernel[3]"), "kernel"),
        (rows_by_ones, (2, "vocab[2] emb[3]"), (2, "vocab[3] emb[3]"), "vocab"),
        (loss_by_ones, (2, "vocab[2] seq[2]"), (2, "vocab[3] seq[2]"), "vocab"),
        (renamed_by_ones, ("seq[2] emb[3]",), ("seq[3] emb[3]",), "seq"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_kernel_that_would_not_notice_another_size_is_not_asked_to(f, fits, differs, axis, fuse):
    made = nt.Formula(f.function, f.signature, fuse=fuse)

    def given(shapes):
        return [
            nt.tensor(torch.arange(s), seq) if isinstance(s, int) else nt.ones(s, backend="torch")
            for s in shapes
        ]

    made(*given(fits))  # the plan is for all sizes that fit
    with pytest.raises(nt.AxisSizeError, match=f"axis {axis} is "):
        made(*given(differs))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_lookup_reads_no_row_but_those_it_asks_for(library, number):
    E = nt.tensor(np.array([[1.0], [number]]), vocab, emb).to(library)
    I = nt.tensor(np.array([0, 0]), seq).to(library)
    written = nt.Formula(rows_by_ones.function, rows_by_ones.signature, fuse=False)
    with np.errstate(invalid="ignore"):
        assert np.isnan(written(I, E).numpy(seq, emb)).all()
    assert (rows_by_ones(I, E).numpy(seq, emb) == 1.0).all()


@formula
def attended(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K)


@formula
def overlapped(X: R[emb, seq], W: R[emb, kernel]) -> R[seq]:
    return nt.overlap_add[seq, kernel](W @ emb @ X)


@formula
def convolved(X: R[chans, seq], W: R[out, chans, kernel]) -> R[out, seq]:
    return nt.unroll[seq, kernel](X) @ (chans, kernel) @ W


def with_short_indices(E: NamedTensor) -> list[NamedTensor]:
    return [E, nt.tensor(torch.tensor([1, 0, 3], dtype=torch.int16), seq)]


@pytest.mark.parametrize(
    ("made", "given"),
    [
        (attended, [nt.ones(key[0], seq_[2]), nt.ones(key[0], seq[3]), nt.ones(seq[3], val[4])]),
        (overlapped, [nt.ones(emb[0], seq[4]), nt.ones(emb[0], kernel[2])]),
        (convolved, [nt.ones(chans[0], seq[4]), nt.ones(out[3], chans[0], kernel[2])]),
        (convolved, [nt.ones(chans[2], seq[4]), nt.ones(out[0], chans[2], kernel[2])]),
        (looked_up, with_short_indices(nt.ones(vocab[10], emb[2]))),
    ],
)
def test_what_a_kernel_refuses_compiles_as_it_is_written(
    made: Any, given: list[NamedTensor]
) -> None:
    """torch.compile reads no handler of its library's errors."""
    tensors = [X.to("torch") for X in given]
    compiled = torch.compile(lambda *a: made(*a), backend="aot_eager", fullgraph=True)
    assert_same(compiled(*tensors), made(*tensors))
