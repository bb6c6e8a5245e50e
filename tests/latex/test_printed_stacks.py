"""Stacks are printed as a step from one layer to the next, and are read again."""

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.latex.printing import stacks
from tests.latex.rendering import rendered

emb, hid, batch = axes("emb hid batch")


@formula
def block(X: R[emb], *, W: R[emb, hid], V: R[hid, emb], b: R[emb]) -> R[emb]:
    return V @ hid @ nt.tanh(W @ emb @ X) + b


@formula
def pair(X: R[emb], *, first: block, second: block) -> R[emb]:
    return second(first(X))


@formula
def deep(X: R[emb], *, layers: nt.each[block]) -> R[emb]:
    for layer in layers:
        X = X + layer(X)
    return X


@formula
def coded(X: R[emb], Y: R[emb], *, encoder: nt.each[block], decoder: nt.each[block]) -> R[emb]:
    for layer in encoder:
        X = layer(X)
    for layer in decoder:
        Y = layer(Y) + X
    return 2 * Y


def rows(f, **settings):
    *_, text = f.latex("underset", **settings).split("\n\n")  # after the formulas that it calls
    rendered(text)
    return [line.removesuffix(" \\\\") for line in text.splitlines()[1:-1]]


def test_a_loop_over_layers_is_printed_as_its_step():
    assert rows(deep) == [
        r"X &\in \mathbb{R}^{\text{emb}}",
        r"\text{deep}(X; \text{layers}) &= X^L",
        r"X^0 &= X",
        r"X^l &= X^{l - 1} + \text{block}(X^{l - 1}; \text{layers}^l), \quad l = 1, \ldots, L",
    ]


def test_a_module_says_how_many_layers_it_has():
    assert rows(deep.module(emb[2], hid[3], layers=64))[1:] == [
        r"\text{deep}(X; \text{layers}) &= X^{64}",
        r"X^0 &= X",
        r"X^l &= X^{l - 1} + \text{block}(X^{l - 1}; \text{layers}^l), \quad l = 1, \ldots, 64",
    ]
    assert rows(deep, layers=1)[1:] == [
        r"\text{deep}(X; \text{layers}) &= X + \text{block}(X; \text{layers}^1)"
    ]
    assert rows(deep, layers=0)[1:] == [r"\text{deep}(X; \text{layers}) &= X"]


def test_each_stack_has_its_own_letter_and_length():
    assert rows(coded)[1:] == [
        r"\text{coded}(X, Y; \text{encoder}, \text{decoder}) &= 2 Y^N",
        r"Y^0 &= Y",
        r"Y^k &= \text{block}(Y^{k - 1}; \text{decoder}^k) + X^L, \quad k = 1, \ldots, N",
        r"X^0 &= X",
        r"X^l &= \text{block}(X^{l - 1}; \text{encoder}^l), \quad l = 1, \ldots, L",
    ]


def test_parts_of_a_step_keep_the_names_that_the_body_gives_them():
    @formula
    def spelled(X: R[emb], *, layers: nt.each[pair]) -> R[emb]:
        for layer in layers:
            T = layer.first(X) + X
            X = layer.second(T) + T
        return nt.tanh(X)

    assert rows(spelled)[1:] == [
        r"\text{spelled}(X; \text{layers}) &= \tanh X^L",
        r"X^0 &= X",
        r"X^l &= \text{block}(T^l; \text{second}_{\text{layers}}^l) + T^l, \quad l = 1, \ldots, L",
        r"T^l &= \text{block}(X^{l - 1}; \text{first}_{\text{layers}}^l) + X^{l - 1}, \quad l = 1, \ldots, L",
    ]


def test_parameters_of_a_layer_have_its_number():
    @formula
    def open_(X: R[emb], *, layers: nt.each[block]) -> R[emb]:
        for layer in layers:
            X = layer.V @ hid @ nt.tanh(layer.W @ emb @ X)
        return X

    assert rows(open_)[-1] == (
        r"X^l &= V_{\text{layers}}^l \underset{\text{hid}}{\cdot} \tanh(W_{\text{layers}}^l "
        r"\underset{\text{emb}}{\cdot} X^{l - 1}), \quad l = 1, \ldots, L"
    )


def test_several_results_go_from_layer_to_layer():
    @formula
    def summed(X: R[emb], *, layers: nt.each[block]) -> R[emb]:
        total = X
        for layer in layers:
            total = total + layer(X)
            X = layer(nt.standardize[emb](total)) * X
        return X + total

    found = rows(summed)
    assert found[1] == r"\text{summed}(X; \text{layers}) &= X^L + \text{total}^L"
    assert r"\text{total}^0 &= X" in found
    assert found[-1] == (
        r"\text{total}^l &= \text{total}^{l - 1} + \text{block}(X^{l - 1}; \text{layers}^l), "
        r"\quad l = 1, \ldots, L"
    )


def one_layer_alone(layers, X):
    return layers[1](X)


def the_last_layer_otherwise(layers, X):
    for layer in layers:
        X = layer(X)
    return layers[2](X)


def another_first_layer(layers, X):
    for i, layer in enumerate(layers):
        X = nt.exp(layer(X)) if i else nt.tanh(layer(X))
    return X


def all_layers_of_one(layers, X):
    Y = X
    for layer in layers:
        Y = Y + layer(X) * layers[0](X)
    return Y


@pytest.mark.parametrize(
    "use", [one_layer_alone, the_last_layer_otherwise, another_first_layer, all_layers_of_one]
)
def test_what_is_no_step_of_all_layers_is_not_printed_as_one(use):
    @formula
    def used(X: R[emb], *, layers: nt.each[block]) -> R[emb]:
        return use(layers, X)

    text = "\n".join(rows(used))
    assert r"\ldots, L" not in text
    assert r"\text{layers}^2" in text or r"\ldots, 3" in text


def test_layers_are_numbered_where_one_is_used_outside_of_the_loop():
    @formula
    def again(X: R[emb], *, layers: nt.each[block]) -> R[emb]:
        for layer in layers:
            X = layer(X)
        return layers[2](X)

    assert rows(again)[1] == r"\text{again}(X; \text{layers}) &= \text{block}(X^3; \text{layers}^3)"
    assert rows(again)[-1].endswith(r"\quad l = 1, \ldots, 3")


@pytest.mark.parametrize("f", [deep, coded])
def test_what_is_printed_is_read_again_and_gives_the_same(f):
    stacks_of = {
        p.name: 2 + i for i, p in enumerate([p for p in f.signature.parameters if p.stack])
    }
    document = nt.latex.read(f.latex("underset"))
    g = document.bind(**dict(zip("LN", stacks_of.values(), strict=False)))[f.name]
    m = f.module(emb[3], hid[4], dtype=torch.float64, **stacks_of)
    given = [
        nt.normal(batch[2], emb[3], backend="torch", dtype="float64") for _ in range(len(stacks_of))
    ]
    held = {f"{n}__{i + 1}": part for n in stacks_of for i, part in enumerate(m.named_values()[n])}
    assert set(g.parameter_names) == set(held)
    torch.testing.assert_close(g(*given, **held).data, m(*given).data)


def test_a_comparison_that_believes_every_layer_is_seen(monkeypatch):
    """The steps are compared: were they not, a first layer of its own would be lost."""
    monkeypatch.setattr(stacks._Steps, "_same_operation", lambda *_: True)
    with pytest.raises(AssertionError):
        test_what_is_no_step_of_all_layers_is_not_printed_as_one(another_first_layer)
