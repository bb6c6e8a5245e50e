"""Axes, primes, sizes and named indices: the first block of the contract."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import axes

seq, emb, key = axes("seq emb key")
seq_ = seq.prime


def test_axes_come_from_their_names():
    assert repr(axes("seq emb")) == "(seq, emb)"
    assert repr(axes("emb[512]")) == "emb[512]"
    assert repr(axes("seq' emb*")) == "(seq', emb*)"


def test_a_prime_is_a_second_copy():
    assert seq_ == nt.Axis("seq'")
    assert seq_.prime == nt.Axis("seq''")
    assert seq_ != seq


def test_a_prime_stands_before_a_star():
    assert seq.star.prime == seq.prime.star == nt.Axis("seq'*")


def test_an_axis_with_a_size_gives_it():
    assert abs(emb[512]) == 512
    assert abs(emb[0]) == 0
    assert abs(emb[np.int64(3)]) == 3


def test_an_axis_with_its_size_is_another_than_the_axis_alone():
    assert emb[3] == emb[3]
    assert emb[3] != emb[4]
    assert emb[3] != emb


def test_axes_serve_as_keys():
    assert {emb: 1, nt.Axis("emb"): 2} == {emb: 2}


def test_a_named_index_shows_as_it_is_written():
    assert repr(emb(3)) == "emb(3)"
    assert repr(seq[2:5]) == "seq[2:5]"
    assert repr(seq[::-1]) == "seq[::-1]"


def test_data_is_shared_and_never_copied():
    array, torched = np.zeros((2, 3)), torch.zeros(2, 3)
    assert nt.tensor(array, seq, emb).data is array
    assert nt.tensor(torched, seq, emb).data is torched
    assert nt.tensor(array, seq, emb).numpy(emb, seq).base is array
    assert nt.tensor(torched, seq, emb).torch(emb, seq).data_ptr() == torched.data_ptr()


@pytest.mark.parametrize("spelling", [(seq, emb), ("seq emb",), ("seq", "emb"), ("seq, emb",)])
def test_tensors_are_named_by_axes_and_by_strings(spelling):
    assert nt.tensor(np.zeros((7, 512)), *spelling).axes == ("seq", "emb")


def test_numbers_and_lists_become_tensors():
    assert nt.tensor(3.0).item() == 3.0
    assert nt.tensor([[1, 2], [3, 4]], seq, emb).kind == "int"


def test_a_shape_shows_its_axes_and_sizes():
    X = nt.tensor(np.zeros((7, 512)), seq, emb)
    assert repr(X.shape) == "seq[7] x emb[512]"
    assert repr(nt.tensor(1.0).shape) == "()"


def test_a_shape_equals_any_other_order_of_its_axes():
    X = nt.tensor(np.zeros((7, 512)), seq, emb)
    assert X.shape == nt.Shape("emb[512] seq[7]")
    assert X.shape == nt.tensor(np.zeros((512, 7)), emb, seq).shape
    assert hash(X.shape) == hash(nt.Shape("emb[512] seq[7]"))
    assert X.shape != nt.Shape("emb[512] seq[8]")


def test_a_tensor_tells_the_size_of_an_axis():
    X = nt.tensor(np.zeros((7, 512)), seq, emb)
    assert X.size(emb) == X.size("emb") == 512


def test_positions_come_back_in_the_order_asked_for():
    array = np.arange(6.0).reshape(2, 3)
    X = nt.tensor(array, seq, emb)
    assert np.array_equal(X.numpy(seq, emb), array)
    assert np.array_equal(X.numpy("emb seq"), array.T)
    assert torch.equal(X.torch(emb, "seq"), torch.tensor(array.T.copy()))
    assert np.array_equal(nt.tensor(torch.tensor(array), seq, emb).numpy(emb, seq), array.T)


def test_compatible_shapes_share_sizes_and_orthogonal_ones_share_nothing():
    X, Y, Z = nt.Shape("seq[7] emb[4]"), nt.Shape("emb[4] key[2]"), nt.Shape("emb[5]")
    assert X.compatible(Y)
    assert not X.compatible(Z)
    assert not X.orthogonal(Y)
    assert X.orthogonal(nt.Shape("key[2]"))


def test_shapes_unite_meet_and_subtract():
    X, Y = nt.Shape("seq[7] emb[4]"), nt.Shape("emb[4] key[2]")
    assert nt.Shape("seq[7] emb[4] key[2]") == X | Y
    assert nt.Shape("emb[4]") == X & Y
    assert X - Y == X - emb == nt.Shape("seq[7]")
    assert emb in X
    assert key not in X
    assert emb[5] not in X
    assert X.count == 28
    assert len(X) == 2


def test_a_shape_may_be_given_by_its_axes():
    X = nt.Shape("seq[7] emb[4]")
    assert X.compatible("emb[4] key[2]")
    assert X.orthogonal(key[2])
    assert X | "key[2]" == "seq[7] emb[4] key[2]"
    assert X & (emb, key) == "emb[4]"


def test_equality_of_tensors_is_elementwise_and_hash_is_identity():
    X = nt.tensor([1, 2], seq)
    assert (X == 2).numpy().tolist() == [False, True]
    assert len({X, X, nt.tensor([1, 2], seq)}) == 2
