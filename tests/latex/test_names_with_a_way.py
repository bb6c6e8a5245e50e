r"""L_{I \to T} on a left side is a name, and no renaming."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

HEAD = r"Let $S \in \mathbb{R}^{\text{img}:N, \text{txt}:N}$." + "\n"
S = np.arange(9.0).reshape(3, 3)
GIVEN = {"S": tensor(S, "img", "txt")}
WAYS = [
    (r"I \to T", r"T \to I"),
    (r"S \rightarrow T", r"T \rightarrow S"),
    (r"\text{image} \to \text{text}", r"\text{text} \to \text{image}"),
]


@pytest.mark.parametrize(("there", "back"), WAYS)
def test_a_left_side_with_a_way_below_is_a_name(there, back):
    text = (
        HEAD
        + rf"""$$\mathcal{{L}} = \mathcal{{L}}_{{{there}}} + 2 \mathcal{{L}}_{{{back}}}$$
$$\mathcal{{L}}_{{{there}}} = \sum_{{\text{{img}}, \text{{txt}}}} S$$
$$\mathcal{{L}}_{{{back}}} = \underset{{\text{{img}}, \text{{txt}}}}{{\max}} S$$"""
    )
    assert not [f for f in read(text).check() if f.severity != "note"]
    same(called(text, r"\mathcal{L}", GIVEN), np.asarray(S.sum() + 2 * S.max()))
    same(called(text, rf"\mathcal{{L}}_{{{back}}}", GIVEN), np.asarray(S.max()))


def test_what_is_declared_is_renamed_on_a_left_side_too():
    text = (
        HEAD
        + r"""Let $T \in \mathbb{R}^{\text{img}:N}$.
$$T_{\text{img} \to \text{txt}} = \sum_{\text{img}} S$$"""
    )
    with pytest.raises(LatexError, match="the document defines no T"):
        read(text)["T"]


def test_indices_with_an_arrow_between_them_are_no_name():
    text = r"""Let $S \in \mathbb{R}^{\text{img}:N, \text{txt}:N}$.
$$m_{i \to j} = S_{\text{img}(i), \text{txt}(j)}$$
$$Y_{\text{txt}(j)} = \sum_{i=1}^N m_{i \to j}$$"""
    assert [f.code for f in read(text).check() if f.severity != "note"]
