r"""Operators reach over the indices for which a condition holds: \sum_{j : A_{node(i), node'(j)} = 1}."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read

A, H = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 1]]), np.arange(6.0).reshape(3, 2)
EDGE = r"A_{\text{node}(i), \text{node}'(j)}"
OTHERS = np.ones((3, 3)) - np.eye(3)
LOWER = [
    (rf"j : {EDGE} = 1", A),
    (rf"j \mid {EDGE} = 1", A),
    (rf"j : {EDGE} > 0", A),
    (rf"j : {EDGE} = 1, j \ne i", A * OTHERS),
    (rf"j : {EDGE} = 0", 1 - A),
    (r"j \ne i", OTHERS),
    (r"j : j \ne i", OTHERS),
    (r"j < i", np.tril(OTHERS)),
    (r"j \le i", np.tril(np.ones((3, 3)))),
]


def text(lower: str) -> str:
    return (
        r"Let $A \in \{0,1\}^{\text{node}:n \times \text{node}':n}$ and "
        r"$H \in \mathbb{R}^{\text{node}:n \times \text{feat}}$. "
        rf"$$m_{{\text{{node}}(i)}} = \sum_{{{lower}}} H_{{\text{{node}}(j)}}$$"
    )


@pytest.mark.parametrize(("lower", "weights"), LOWER)
def test_a_sum_is_over_what_a_condition_names(lower, weights):
    document = read(text(lower))
    assert document.check() == []
    given = {"A": tensor(A, "node", "node'"), "H": tensor(H, "node", "feat")}
    formula = document["m"]
    found = formula(**{p.name: given[p.name] for p in formula.signature.parameters})
    np.testing.assert_allclose(found.numpy("node", "feat"), weights @ H)


def test_a_set_that_nothing_says_is_refused():
    document = read(text(r"j \in \mathcal{N}(i)"))
    assert [f.code for f in document.check()] == ["not-notation"]
    with pytest.raises(LatexError, match="which is no range"):
        document["m"](H=tensor(H, "node", "feat"))
