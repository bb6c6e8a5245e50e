"""The checker that holds formulas to their twins can fail."""

import pytest
import torch

import namedtensor as nt
from tests.models.agreement import agree, model_agrees, nested, randomize, real
from transformer_named import formulated


def twice(X):
    return 2 * X


def test_it_passes_what_agrees():
    agree(twice, lambda X: X + X, "seq emb", X=real("seq emb"))


def test_it_sees_another_value():
    with pytest.raises(AssertionError):
        agree(twice, lambda X: 2 * X + 1e-8, "seq emb", X=real("seq emb"))


def test_it_sees_another_gradient_behind_equal_values():
    with pytest.raises(AssertionError, match="gradient of X"):
        agree(twice, lambda X: X + X.detach(), "seq emb", X=real("seq emb"))


def test_it_sees_other_axes():
    with pytest.raises(AssertionError):
        agree(twice, lambda X: 2 * X, "seq hid", X=real("seq emb"))


def test_it_sees_a_formula_that_depends_on_the_stored_order():
    def positions_matter(X):
        return X if X.axes == ("seq", "emb") else X + 1

    with pytest.raises(AssertionError):
        agree(positions_matter, lambda X: X, "seq emb", X=real("seq emb"))


def test_it_sees_a_model_whose_parameter_has_another_gradient():
    model = randomize(formulated.LayerNorm.module("emb[8]", dtype=torch.float64))
    X, _ = real("seq emb")
    found = model(nt.tensor(X, "seq", "emb")).torch("seq", "emb")

    def cut(w):
        layer_norm = torch.nn.functional.layer_norm
        return layer_norm(X, (8,), w["gamma"].detach(), w["beta"])

    with pytest.raises(AssertionError, match="gradient of gamma"):
        model_agrees(model, found, cut)


def test_bundles_are_nested_by_their_names():
    assert nested({"X": 1, "ffn.W1": 2, "ffn.b1": 3}) == {"X": 1, "ffn": {"W1": 2, "b1": 3}}
