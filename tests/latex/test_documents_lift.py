"""A formula of a document that is called with a further axis gives what it gives for each record."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.command.inputs import as_arguments, drawn, inputs_of
from namedtensor.errors import NamedTensorError
from namedtensor.latex import LatexError, read

from .unseen.refusals import texts

more = nt.Axis("further")
DOCUMENTS = texts()


def tensors(found):
    return found if isinstance(found, tuple) else (found,)


def record(X, number):
    has = isinstance(X, nt.NamedTensor) and more.name in X.axes
    return nt.index[more](X, number) if has else X


def held(text, seed):
    """Call each formula with some of its inputs stacked, and compare; give how many could be called."""
    choose = random.Random(seed)
    count = 0
    for _, f in read(text).attempts():
        if isinstance(f, LatexError):
            continue
        inputs = inputs_of(f)
        if not inputs or any("." in i.path for i in inputs):
            continue
        one, other = [drawn(inputs, {}, {}, s) for s in (3, 4)]
        lifted = [n for n in one if choose.random() < 0.6] or [*one][:1]
        given = one | {n: nt.stack[more](one[n], other[n]) for n in lifted}
        try:
            alone = [
                tensors(f(**as_arguments({n: record(X, b) for n, X in given.items()})))
                for b in (0, 1)
            ]
        except NamedTensorError:
            continue  # sizes that were drawn do not fit: nothing to compare with
        together = tensors(f(**as_arguments(given)))
        for place, found in enumerate(together):
            for b in (0, 1):
                wanted = alone[b][place]
                own = record(found, b)
                if isinstance(wanted, nt.NamedTensor):
                    assert set(own.axes) == set(wanted.axes), f.name
                    own, wanted = own.numpy(*wanted.axes), wanted.numpy(*wanted.axes)
                np.testing.assert_allclose(own, wanted, rtol=1e-9, atol=1e-9, err_msg=f.name)
        count += 1
    return count


@pytest.mark.parametrize("name", DOCUMENTS)
def test_further_axes_lift_over_the_formulas_of_a_document(name):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        held(DOCUMENTS[name], len(name))


def test_the_formulas_of_a_document_can_be_called():
    with np.errstate(all="ignore"):
        assert held(DOCUMENTS["calculus.tex"], 0) >= 10


def test_the_inverse_of_each_number_is_meant_of_a_vector_whatever_it_is_called_with():
    f = read(r"$$X \in \mathbb{R}^{\text{seq}} \\ f(X) = X^{-1}$$")["f"]
    X = nt.tensor([[1.0, 2.0], [4.0, 8.0]], "further seq")
    assert f(X).numpy("further", "seq").tolist() == [[1, 0.5], [0.25, 0.125]]


def test_what_meets_a_tensor_of_the_formula_keeps_the_axes_that_another_section_gives_it():
    document = read(
        r"""# Data

Let $y \in \mathbb{R}^{\text{a}}$ and $q \in \mathbb{R}^{\text{level}, \text{a}}$.

# Loss

The levels are $\tau_{\text{level}:j} = j / 10$.

$$\rho(y, q) = \max(\tau \odot (y - q), (\tau - 1) \odot (y - q))$$"""
    )
    assert document.check() == []
    y, q = np.array([0.0, 1.0]), np.array([[0.5, 0.5], [2.0, 0.0], [1.0, 1.0]])
    tau = np.array([[0.1], [0.2], [0.3]])
    found = document["rho"](y=nt.tensor(y, "a"), q=nt.tensor(q, "level a")).numpy("level", "a")
    np.testing.assert_allclose(found, np.maximum(tau * (y - q), (tau - 1) * (y - q)))
