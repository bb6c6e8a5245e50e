"""New tensors, with dtype, device and generator of either library."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import axes
from namedtensor.testing import assert_same

emb, hid, seq = axes("emb hid seq")


def test_filled_tensors_hold_one_number():
    assert_same(nt.zeros(emb[2], hid[3]), nt.tensor(np.zeros((2, 3)), emb, hid))
    assert_same(nt.ones("emb[2] hid[3]"), nt.tensor(np.ones((2, 3)), emb, hid))
    assert_same(nt.full(emb[2], 0.5), nt.tensor(np.full(2, 0.5), emb))


def test_single_numbers_of_numpy_are_numbers():
    assert_same(nt.full(emb[2], np.float32(0.5)), nt.full(emb[2], 0.5))
    assert nt.full(emb[2], np.int8(3)).kind == "int"
    assert nt.define[emb[2]](lambda i: np.int64(3)).numpy().tolist() == [3, 3]
    assert set(nt.randint(np.int64(0), np.int8(1), emb[9]).numpy().tolist()) == {0}


def test_filled_tensors_have_the_kind_of_their_number():
    assert nt.full(emb[2], 3).kind == "int"
    assert nt.full(emb[2], True).kind == "bool"
    assert nt.full(emb[2], 3.0).kind == "float"
    assert nt.full(emb[2], 2j).kind == "complex"


@pytest.mark.parametrize("make", [nt.zeros, nt.ones, nt.normal, nt.uniform])
def test_a_dtype_of_numpy_makes_numpy_data(make):
    assert make(emb[2], dtype=np.float32).dtype == np.float32
    assert make(emb[2], dtype="float32").dtype == np.float32
    assert make(emb[2]).dtype == np.float64


@pytest.mark.parametrize("make", [nt.zeros, nt.ones, nt.normal, nt.uniform])
def test_a_dtype_or_device_of_torch_makes_torch_data(make):
    assert make(emb[2], dtype=torch.bfloat16).dtype == torch.bfloat16
    assert make(emb[2], device=torch.device("cpu")).dtype == torch.float32
    assert make(emb[2], device="meta").device.type == "meta"
    assert make(emb[2], backend="torch").dtype == torch.float32
    assert make(emb[2], dtype="float64", backend="torch").dtype == torch.float64
    assert make(emb[2], dtype=np.float16, backend="torch").dtype == torch.float16
    assert make(emb[2], dtype=float, backend="torch").dtype == torch.float64


def test_a_generator_of_numpy_repeats_its_numbers():
    def draw(make, *arguments):
        return make(*arguments, seq[5], generator=np.random.default_rng(3))

    assert_same(draw(nt.normal), draw(nt.normal))
    assert np.array_equal(draw(nt.normal).numpy(), np.random.default_rng(3).standard_normal(5))
    assert np.array_equal(draw(nt.uniform).numpy(), np.random.default_rng(3).random(5))
    expected = np.random.default_rng(3).integers(2, 9, 5)
    assert np.array_equal(draw(nt.randint, 2, 9).numpy(), expected)


def test_a_generator_of_torch_repeats_its_numbers():
    def generator():
        return torch.Generator().manual_seed(3)

    found = nt.normal(seq[5], generator=generator())
    assert torch.equal(found.torch(seq), torch.randn(5, generator=generator()))
    found = nt.uniform(seq[5], generator=generator())
    assert torch.equal(found.torch(seq), torch.rand(5, generator=generator()))
    found = nt.randint(2, 9, seq[5], generator=generator())
    assert torch.equal(found.torch(seq), torch.randint(2, 9, (5,), generator=generator()))


def test_draws_lie_in_their_range():
    assert nt.all[seq](nt.uniform(seq[200]) < 1.0)
    numbers = nt.randint(0, 3, seq[200]).numpy()
    assert set(numbers.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_categorical_draws_an_index_for_each_other_record(library):
    P = nt.tensor(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), seq, emb).to(library)
    assert nt.categorical[emb](P).numpy().tolist() == [1, 2]


def test_categorical_follows_its_probabilities():
    P = nt.tensor(np.broadcast_to([0.2, 0.8], (4000, 2)), seq, emb)
    drawn = nt.categorical[emb](P, generator=np.random.default_rng(0))
    assert abs(drawn.numpy().mean() - 0.8) < 0.03


def test_cast_changes_the_kind_of_numbers():
    X = nt.tensor(np.array([0.0, 1.5]), seq)
    assert nt.cast(X, int).numpy().tolist() == [0, 1]
    assert nt.cast(X, "float32").dtype == np.float32
    assert nt.cast(X, bool).numpy().tolist() == [False, True]
    assert nt.cast(nt.iota(seq[2]), float).numpy().dtype == np.float64


def test_to_moves_between_libraries_dtypes_and_devices():
    X = nt.tensor(np.array([1, 2]), seq)
    assert X.to("torch").dtype == torch.int64
    assert X.to("torch", "float32").dtype == torch.float32
    assert X.to("torch").to("numpy").dtype == np.int64
    assert X.to(torch.float16).dtype == torch.float16
    assert X.to("meta").device.type == "meta"
    assert X.to(nt.zeros(emb[1], dtype=torch.float16)).dtype == torch.float16


def test_dropout_keeps_the_mean_and_nothing_of_what_it_drops():
    X = nt.ones(seq[10_000])
    dropped = nt.dropout(X, 0.25).numpy()
    assert set(np.unique(dropped.round(6)).tolist()) == {0.0, round(1 / 0.75, 6)}
    assert abs(dropped.mean() - 1.0) < 0.03
    assert nt.dropout(X, 0.0) is X
