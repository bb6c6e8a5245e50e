"""The contract is tested on numpy and on torch alike."""

import numpy as np
import pytest

import namedtensor as nt


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    """The library that holds the tensors of a test."""
    return request.param


@pytest.fixture
def draw(library):
    """Draw a named tensor of a shape, and the same numbers as a numpy array in that order."""
    generator = np.random.default_rng(7)

    def drawn(shape):
        array = generator.standard_normal([axis.size for axis in nt.Shape(shape)])
        return nt.tensor(array, shape).to(library), array

    return drawn
