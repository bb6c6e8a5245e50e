"""Functions, formulas and tensors are pickled by name or by value, or refused in words."""

import pickle

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named.named_tensors import att as attention

seq, emb = axes("seq emb")
X = nt.tensor(np.arange(6.0).reshape(2, 3), seq, emb)
NOTES = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
\text{f}(X) &= 2 X \\
\text{g}(X) &= \sum_{\text{emb}} f(X)
\end{aligned}$$
"""


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@formula
def doubled(X: R[emb]) -> R[emb]:
    return X + X


def test_a_formula_of_a_module_comes_back_as_itself():
    assert again(attention) is attention
    assert again(doubled) is doubled


def test_the_formulas_of_a_document_come_back_by_value():
    notes = nt.latex.read(NOTES, "notes.md")
    for name in ("f", "g"):
        back = again(notes[name])
        assert np.array_equal(back(X).data, notes[name](X).data)
    assert np.array_equal(again(notes)["g"](X).data, notes["g"](X).data)


def test_a_local_formula_is_refused_in_words():
    @formula
    def local(X: R[emb]) -> R[emb]:
        return 2 * X

    with pytest.raises(nt.NamedTensorError) as caught:
        pickle.dumps(local)
    assert str(caught.value) == (
        "pickle(local): local is defined inside a function, where no other program finds it\n"
        "hint: define it at the top of a module"
    )
