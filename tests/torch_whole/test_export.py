"""torch.export of a whole model: one program for every batch size and length."""

import pytest
import torch

import namedtensor as nt
from tests.torch_whole.model import Model, Positional, batch, seq, words

SENTENCES = torch.export.Dim("sentences", min=2, max=64)
LENGTH = torch.export.Dim("length", min=2, max=128)


@pytest.fixture(scope="module")
def model():
    model = Model(layers=1)
    model(words())
    return model


@pytest.mark.parametrize("strict", [False, True], ids=["as it runs", "as Dynamo reads it"])
def test_a_whole_model_is_exported_with_dynamic_sizes(model, strict):
    positional = Positional(model)
    program = torch.export.export(
        positional,
        (words().data,),
        dynamic_shapes=({0: SENTENCES, 1: LENGTH},),
        strict=strict,
    )
    for x in (words(2, 5).data, words(3, 7).data, words(4, 2).data):
        torch.testing.assert_close(program.module()(x), positional(x))


@pytest.fixture(scope="module")
def named(model):
    """The model exported as it is, from named tensors to named tensors."""
    sizes = ([{0: SENTENCES, 1: LENGTH}],)
    return torch.export.export(model, (words(),), dynamic_shapes=sizes)


def test_the_exported_program_keeps_the_names(model, named):
    x = words(3, 7)
    nt.testing.assert_close(named.module()(x), model(x))


def test_the_exported_program_survives_its_file(model, named, tmp_path):
    torch.export.save(named, tmp_path / "model.pt2")
    again = torch.export.load(tmp_path / "model.pt2")
    x = words(3, 7)
    nt.testing.assert_close(again.module()(x), model(x))


def test_the_exported_program_has_the_kernel_that_the_formula_gets(named):
    called = [str(node.target) for node in named.graph.nodes if node.op == "call_function"]
    assert called.count("aten.scaled_dot_product_attention.default") == 1


def test_the_exported_program_refuses_other_axes(named):
    with pytest.raises(ValueError):
        named.module()(nt.tensor(words().data, seq, batch))


def test_the_exported_program_refuses_a_length_out_of_its_bounds(named):
    with pytest.raises(AssertionError):
        named.module()(words(3, 129))
