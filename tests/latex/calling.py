"""Call the formulas of a text with what they take, and hold them to numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from namedtensor import NamedTensor
from namedtensor.latex import read


def called(
    text: str, name: str, given: Mapping[str, Any], numbers: Mapping[str, int] | None = None
) -> NamedTensor:
    """Call a document's formula with what it takes; nothing is found in the document."""
    document = read(text).bind(**numbers or {})
    assert [str(finding) for finding in document.check()] == []
    formula = document[name]
    return formula(**{p.name: given[p.name] for p in formula.signature.parameters})


def same(found: NamedTensor, wanted: Any, *axes: str) -> None:
    """Hold a tensor to numbers, laid out along the axes."""
    assert set(found.axes) == set(axes)
    np.testing.assert_allclose(found.numpy(*axes), wanted, atol=1e-8)
