"""Real numbers made of whole numbers alone take the dtype of the data that they meet, and lose nothing."""

import copy
import pickle

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.testing import assert_close

seq, emb, head, key = axes("seq emb head key")
POSITIONS = np.array([0, 1, 5, 1023, 4097])
NUMBERS = np.linspace(-1, 1, 5 * 4).reshape(5, 4)
TORCH = ["float64", "float32", "bfloat16"]
CASES = [("numpy", "float64"), ("numpy", "float32"), *[("torch", d) for d in TORCH]]


@formula
def rotary(X: R[seq, emb], P: Z[seq]) -> R[seq, emb]:
    angles = P * 10000.0 ** (-2 * nt.iota(emb) / abs(emb))
    return X * nt.cos(angles) + nt.sin(angles)


@formula
def turned(X: R[seq, emb], P: Z[seq]) -> R[seq, emb]:
    return nt.real(X * nt.exp(1j * (P * 10000.0 ** (-2 * nt.iota(emb) / abs(emb)))))


@formula
def weighed(X: R[seq, emb], P: Z[seq]) -> R[seq, emb]:
    return X * nt.softmax[seq](P / 7) * nt.mean[seq](P) * (P @ seq @ (nt.iota(seq) / 3.0))


@formula
def kept(X: R[seq, emb], P: Z[seq]) -> R[seq, emb]:
    return X + nt.where(P > 2, 0.1, -0.3)


@formula
def joined(X: R[seq, emb], P: Z[seq]) -> R[seq, emb]:
    return X * nt.stack[emb](P / 3, 0.1, 0.7, 2)


@formula
def summed(X: R[seq, emb], P: Z[seq]) -> R[seq, emb]:
    return X * nt.fold[seq](lambda c, p: c + p * 0.1, 0.0, P)


def frequencies():
    return 10000.0 ** (-2 * np.arange(4) / 4)


def by_hand(f, X, P):
    """Compute in double precision, and round what meets X to its dtype."""
    angles = P[:, None] * frequencies()
    if f is rotary:
        return [np.cos(angles), np.sin(angles)], lambda c, s: X * c + s
    if f is turned:
        return [np.cos(angles)], lambda c: X * c
    if f is weighed:
        e = np.exp(P / 7 - (P / 7).max())
        parts = [(e / e.sum())[:, None], P.mean(), P @ (np.arange(5) / 3.0)]
        return parts, lambda w, m, d: X * w * m * d
    if f is kept:
        return [np.where(P > 2, 0.1, -0.3)[:, None]], lambda w: X + w
    if f is summed:
        return [(P * 0.1).sum()], lambda w: X * w
    rows = np.stack([P / 3, *[np.full(5, v) for v in (0.1, 0.7, 2)]], 1)
    return [rows], lambda w: X * w


def rounded(x, dtype):

    return torch.tensor(x).to(getattr(torch, dtype)).double().numpy()


FORMULAS = [rotary, turned, weighed, kept, joined]


@pytest.mark.parametrize(("library", "dtype"), CASES)
@pytest.mark.parametrize("f", FORMULAS, ids=lambda f: f.name)
def test_numbers_of_positions_are_as_exact_as_the_data_that_they_meet(f, library, dtype):
    if f is turned and dtype == "bfloat16":
        dtype = "float32"  # no library has complex numbers of two bytes
    X = nt.tensor(NUMBERS, seq, emb).to(library, dtype)
    P = nt.tensor(POSITIONS, seq).to(library)
    found = f(X, P)
    assert str(found.dtype).removeprefix("torch.") == dtype
    exact = X.to("float64").numpy(seq, emb)
    parts, of_parts = by_hand(f, exact, POSITIONS)
    expected = of_parts(*[rounded(p, dtype) for p in parts])
    epsilon = {"float64": 2**-52, "float32": 2**-23, "bfloat16": 2**-7}[dtype]
    size = np.abs(expected).max() + sum(np.abs(p).max() for p in parts if f is not weighed)
    np.testing.assert_allclose(
        found.to("float64").numpy(seq, emb), expected, rtol=0, atol=3 * epsilon * size
    )


@pytest.mark.parametrize(("library", "dtype"), CASES)
def test_a_loop_gets_numbers_with_a_dtype(library, dtype):
    X = nt.tensor(NUMBERS, seq, emb).to(library, dtype)
    found = summed(X, nt.tensor(POSITIONS, seq).to(library))
    assert found.to("float64").numpy(seq, emb).max() == pytest.approx(
        NUMBERS.max() * 512.6, rel=1e-2
    )


@pytest.mark.parametrize(("library", "default"), [("numpy", "float64"), ("torch", "float32")])
def test_what_meets_no_real_data_has_the_library_s_own_dtype(library, default):
    I = nt.tensor(POSITIONS, seq).to(library)

    @formula
    def third(P: Z[seq]) -> R[seq]:
        return P / 3 + nt.iota(seq) * 0.1

    for found in (
        I * 0.5,
        nt.sqrt(I),
        nt.where(I > 2, 1.0, 0.0),
        nt.mean[seq](I),
        I * nt.define[seq](lambda i: i / 3),
        third(I),
    ):
        assert str(found.dtype).removeprefix("torch.") == default
        assert copy.deepcopy(found).dtype == pickle.loads(pickle.dumps(found)).dtype == found.dtype
    assert str((I * 1j).dtype).removeprefix("torch.") in ("complex64", "complex128")


def test_a_choice_between_numbers_follows_torch_s_default_dtype():

    holds = nt.tensor(torch.tensor([True, False]), seq)
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        assert nt.where(holds, 1.0, 0.0).dtype == torch.float64
        assert nt.where(holds, 0.1, 0.0).data[0].item() == 0.1
    finally:
        torch.set_default_dtype(before)
    assert nt.where(holds, 1.0, 0.0).dtype == torch.float32


@pytest.mark.parametrize(("library", "dtype"), CASES)
def test_a_body_casts_to_the_dtype_of_an_argument(library, dtype):
    @formula
    def scaled(X: R[seq, emb], P: Z[seq]) -> R[seq]:
        return nt.cast(P, like=X) / 3

    X = nt.tensor(NUMBERS, seq, emb).to(library, dtype)
    P = nt.tensor(POSITIONS, seq).to(library)
    found = scaled(X, P)
    assert found.dtype == X.dtype == nt.cast(P, like=X).dtype
    expected = rounded(rounded(POSITIONS.astype(float), dtype) / 3, dtype)
    np.testing.assert_allclose(found.to("float64").numpy(), expected, rtol=2**-6)


def test_a_cast_to_another_s_dtype_truncates_and_has_the_gradient_of_a_copy():

    whole, X = nt.tensor([1, 2], "emb"), nt.tensor([1.7, -1.7], "seq")
    assert nt.cast(X, like=whole).numpy().tolist() == [1, -1]
    data = torch.tensor([1.0, 2.0], requires_grad=True)
    Y = nt.tensor(torch.tensor([1.0], dtype=torch.float64), "emb")
    nt.sum["seq"](nt.cast(nt.tensor(data, "seq"), like=Y) * 3).data.backward()
    assert data.grad.tolist() == [3, 3]
    g = nt.grad(lambda X, Y: nt.sum["seq"](nt.cast(X, like=Y) * 3))
    assert g(nt.tensor([1.0, 2.0], "seq"), nt.tensor([1.0], "emb")).numpy().tolist() == [3, 3]


def test_cast_says_what_it_needs():
    X = nt.tensor([1.0], "seq")
    with pytest.raises(nt.NamedTensorError) as none:
        nt.cast(X)
    assert str(none.value) == (
        "cast(X): a dtype is given, or a tensor that has it\n  X : seq[1]\n"
        'hint: nt.cast(X, "float32")'
    )
    with pytest.raises(nt.NamedTensorError) as open_:
        nt.cast(X, like=nt.iota(seq))
    assert "depends on no data, and so has no dtype" in str(open_.value)


def test_angles_of_positions_compile_once_in_every_dtype():

    f = torch.compile(lambda X, P: rotary(X, P), fullgraph=True, backend="eager")
    P = nt.tensor(torch.tensor(POSITIONS), seq)
    X = nt.tensor(torch.tensor(NUMBERS), seq, emb)
    torch.testing.assert_close(f(X, P).data, rotary(X, P).data, rtol=0, atol=0)


@pytest.mark.parametrize("name", ["hypot", "atan2", "logaddexp", "copysign"])
def test_whole_numbers_take_the_dtype_of_a_single_number_of_data(name):
    f = getattr(nt, name)
    single, whole = nt.tensor(torch.tensor(1.5, dtype=torch.float64)), nt.tensor([3], seq)
    found = f(single, whole.to("torch"))
    assert found.dtype == torch.float64
    assert_close(found.to("numpy"), f(1.5, whole), rtol=1e-15)
