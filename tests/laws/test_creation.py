"""Tensors made from a shape, and index-defined ones that stay symbols until their numbers are asked for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.testing import assert_same
from namedtensor.testing import definitions as D
from tests.laws.strategies import shaped
from tests.laws.test_random import sized


@pytest.mark.parametrize("library", ["numpy", "torch"])
@settings(max_examples=25)
@given(data=st.data())
def test_a_filled_tensor_has_one_number_everywhere(library, data):
    shape = shaped(data.draw)
    assert_same(nt.zeros(*sized(shape), backend=library), D["zeros"](shape))
    assert_same(nt.ones(*sized(shape), backend=library), D["ones"](shape))
    for value in (7, 2.5, True):
        filled = nt.full(*sized(shape), value, backend=library)
        assert filled.kind == type(value).__name__
        assert filled.numpy(*filled.axes).tolist() == np.full([*shape.values()], value).tolist()


@pytest.mark.parametrize(
    ("dtype", "backend"), [("float32", "numpy"), ("float32", "torch"), ("int32", "numpy")]
)
def test_a_filled_tensor_has_the_dtype_asked_for(dtype, backend):
    X = nt.zeros("seq[2]", dtype=dtype, backend=backend)
    assert str(X.dtype).removeprefix("torch.") == dtype


@settings(max_examples=50)
@given(data=st.data())
def test_numbers_defined_by_their_indices(data):
    shape = shaped(data.draw, 1, 3)
    rule = lambda *indices: sum((k + 2) * i for k, i in enumerate(indices))
    assert_same(nt.define[sized(shape)](rule), D["define"](shape, rule))


@settings(max_examples=25)
@given(size=st.integers(0, 5))
def test_iota_counts_and_the_identity_marks_the_diagonal(size):
    assert_same(nt.iota(nt.Axis("seq")[size]), D["iota"]("seq", size))
    seq = nt.Axis("seq")[size]
    assert_same(nt.eye(seq, seq.prime), D["eye"]("seq", "seq'", size))
