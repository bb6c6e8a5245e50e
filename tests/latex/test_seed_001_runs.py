"""The Transformer of document 001, read from its mended LaTeX, is that of `transformer_named`."""

from pathlib import Path

import numpy as np
import pytest
import torch

import namedtensor as nt
from transformer_named import named_tensors as python

SIZES = "emb[8] hid[16] head[2] key[4] val[4] vocab[11]"
DOCUMENT = nt.latex.read_file(Path(__file__).with_name("mended_encoder.md"))
TWO_LAYERS = DOCUMENT.bind(L=2)

INPUTS = {
    "FFN": "X: seq[5] emb[8]; W1: emb[8] hid[16]; b1: hid[16]; W2: hid[16] emb[8]; b2: emb[8]",
    "att": "Q: key[4] seq'[5]; K: key[4] seq[5]; V: seq[5] val[3]; M: seq[5] seq'[5]",
    "MHA": "X: batch[3] seq[5] emb[8]; WQ: head[2] emb[8] key[4]; WK: head[2] emb[8] key[4]; "
    "WV: head[2] emb[8] val[3]; WO: head[2] val[3] emb[8]",
    "lnorm": "X: seq[5] emb[8]; gamma: emb[8]; beta: emb[8]",
    "embed": "X: seq[5] vocab[11]; E: vocab[11] emb[8]",
}


def _inputs(name, library):
    generator = np.random.default_rng(7)
    found = {}
    for part in INPUTS[name].split("; "):
        letter, axes = part.split(": ")
        value = nt.normal(axes, generator=generator, dtype="float64")
        found[letter] = value if library == "numpy" else _recorded(value)
    return found


def _recorded(value):
    data = torch.tensor(value.numpy(*value.axes), requires_grad=True)
    return nt.tensor(data, *value.axes)


def _numbers(value):
    axes = sorted(value.axes)
    return (
        value.numpy(*axes)
        if not torch.is_tensor(value.data)
        else value.torch(*axes).detach().numpy()
    )


@pytest.mark.parametrize("name", INPUTS)
def test_every_formula_read_from_latex_gives_what_its_python_twin_gives(name):
    given = _inputs(name, "numpy")
    found, expected = DOCUMENT[name](**given), getattr(python, name)(**given)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(_numbers(found), _numbers(expected))


@pytest.mark.parametrize("name", INPUTS)
def test_every_formula_has_the_gradients_of_its_python_twin(name):
    ours, theirs = _inputs(name, "torch"), _inputs(name, "torch")
    results = DOCUMENT[name](**ours), getattr(python, name)(**theirs)
    for result in results:
        (result.data**2).sum().backward()
    for letter, value in ours.items():
        np.testing.assert_allclose(
            value.data.grad, theirs[letter].data.grad, rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("name", INPUTS)
def test_every_formula_has_the_signature_of_its_python_twin(name):
    found = repr(DOCUMENT[name]).replace(", epsilon)", ")")
    assert found == repr(getattr(python, name)).replace(", eps;", ";")


def test_attention_from_latex_reaches_the_kernel_in_torch():
    given = {n: nt.tensor(v.data.detach(), *v.axes) for n, v in _inputs("MHA", "torch").items()}
    told = nt.explain(DOCUMENT["MHA"], **given)
    assert "attention:" in told
    assert "scaled_dot_product_attention" in DOCUMENT["MHA"].code(**given)
    assert "is_causal=True" in DOCUMENT["MHA"].code(**given)


def _whole():
    """Make the module that the document defines, and call the Python twin with the same weights."""
    module = TWO_LAYERS["O"].module(SIZES, dtype=torch.float64)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    held = module.named_values()

    layers = [
        {
            "mha": held[f"MHA__{i}"],
            "mha_norm": held[f"lnorm__{i}"],
            "ffn": held[f"FFN__{i}"],
            "ffn_norm": held[f"lnorm__{i}_"],
        }
        for i in (1, 2)
    ]

    def twin(I):
        return python.transformer(I, embed={"E": held["E"]}, layers=layers, output={"W": held["W"]})

    return module, twin


WORDS = nt.one_hot(nt.tensor(torch.tensor([[1, 5, 10], [0, 3, 2]]), "batch", "seq"), "vocab[11]")


def test_the_whole_transformer_read_from_latex_is_the_python_one():
    module, twin = _whole()
    found, expected = module(WORDS), twin(WORDS)
    assert found.shape == expected.shape == nt.Shape("batch[2] seq[3] vocab[11]")
    np.testing.assert_allclose(_numbers(found), _numbers(expected), rtol=1e-12, atol=1e-14)


def test_the_whole_transformer_has_the_gradients_of_the_python_one():
    module, twin = _whole()
    gradients = []
    for model in (module, twin):
        module.zero_grad()
        torch.log(model(WORDS).torch("batch", "seq", "vocab"))[:, :, 4].sum().backward()
        gradients.append({n: p.grad.clone() for n, p in module.named_parameters()})
    assert len(gradients[0]) == 2 + 2 * (4 + 2 + 4 + 2)
    for name, gradient in gradients[0].items():
        assert gradient.abs().max() > 0 or name.endswith("beta")
        np.testing.assert_allclose(gradient, gradients[1][name], rtol=1e-9, atol=1e-11)


def test_the_whole_transformer_reaches_attention_in_each_layer():
    module, _ = _whole()
    told = nt.explain(TWO_LAYERS["O"], WORDS, **module.named_values())
    assert told.count("attention:") == 2
    assert told.count("layer_norm:") == 4


def test_the_whole_transformer_runs_on_numpy_with_given_weights():
    module, _ = _whole()
    given = {}
    for name, value in module.named_values().items():
        inner = value.named_values() if hasattr(value, "named_values") else None
        given[name] = _plain(value) if inner is None else {n: _plain(v) for n, v in inner.items()}
    I = nt.tensor(_numbers(WORDS), "batch", "seq", "vocab")
    np.testing.assert_allclose(
        _numbers(TWO_LAYERS["O"](I, **given)), _numbers(module(WORDS)), rtol=1e-9, atol=1e-12
    )


def _plain(value):
    return nt.tensor(value.data.detach().numpy(), *value.axes)


def test_another_number_of_layers_is_another_model():
    assert len(list(DOCUMENT.bind(L=3)["O"].module(SIZES).parameters())) == 2 + 3 * 12
    assert len(list(DOCUMENT.bind(L=1)["O"].module(SIZES).parameters())) == 2 + 12


def test_without_a_number_of_layers_the_whole_says_what_to_choose():
    with pytest.raises(nt.latex.LatexError) as error:
        DOCUMENT["O"]
    assert str(error.value).endswith(
        ":66:1: error[unbound]: O needs a number for L\n"
        r"66 | O &= \underset{\text{vocab}}{\text{softmax}}(W \underset{\text{emb}}{\cdot} X^L)"
        "\n   | ^\n"
        'hint: choose it: document.bind(L=2)["O"]'
    )
