"""Powers of an index that runs to a size nobody has said are checked at once, and computed as they stand."""

import numpy as np
import pytest

from namedtensor.latex import read

K = np.arange(1, 5)
POWERS = {
    "2^k": 2.0**K,
    "10^k": 10.0**K,
    r"2^{k-1} \pi": np.pi * 2.0 ** (K - 1),
    "2^{2^k}": 2.0 ** (2.0**K),
    "k^k": 1.0 * K**K,
    "1.5^k": 1.5**K,
}


@pytest.mark.parametrize("power", POWERS)
def test_powers_of_an_index_are_checked_and_computed(power):
    document = read(rf"$$g_{{\text{{freq}}(k)}} = {power}, \qquad k = 1, \dots, L.$$")
    assert [f for f in document.check() if f.severity == "error"] == []
    found = document.bind(L=4)["g"]()
    np.testing.assert_allclose(found.numpy("freq"), POWERS[power])
