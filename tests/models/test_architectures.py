"""Published models as their formulas give the numbers and the gradients of careful positional code."""

import pytest
import torch

import namedtensor as nt
from tests.models.architectures import MODELS

SIZES = dict(batch=2, chans=3, out=4, height=8, width=8, kh=3, kw=3, patch=2, seq=16, head=2, key=4)
SIZES |= dict(val=3, emb=6, hid=5, expert=4, node=6, state=3, rank=2, gate=4, image=5, text=5)
SIZES |= {"pixel": 7, "word": 6, "a": 3, "b": 4, "c": 5, "a'": 2, "b'": 2, "c'": 2, "seq'": 4}
SIZES |= dict(time=4, obs=2, sample=6, coord=3, freq=3, wave=2, rgb=3) | {"state'": 3}
SIZES |= {"kh'": 2, "kw'": 2, "out'": 4}


def gradients(results, arrays):
    leaves = [x for x in arrays if x.requires_grad]
    weights = [torch.linspace(-1, 2, r.numel(), dtype=r.dtype).reshape(r.shape) for r in results]
    return torch.autograd.grad(
        sum((r * w).sum() for r, w in zip(results, weights, strict=True)), leaves
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_is_its_positional_twin_in_values_and_gradients(model):
    arrays = model.drawn(SIZES, torch.float64)
    found, expected = model.ours(model.named(arrays)), model.theirs(arrays)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-10)
    pairs = gradients(found, arrays), gradients(expected, arrays)
    torch.testing.assert_close(*pairs, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_is_printed_and_no_kernel_refuses_it(model):
    given = model.named(model.drawn(SIZES, torch.float64))
    assert "a kernel refused" not in nt.explain(model.formula, **given)
    assert model.formula.name in model.formula.latex()


def test_numpy_gives_the_same():
    for model in MODELS:
        arrays = [x.detach() for x in model.drawn(SIZES, torch.float64)]
        given = {name: X.to("numpy") for name, X in model.named(arrays).items()}
        found = model.formula(**given)
        parts = found if isinstance(found, tuple) else (found,)
        for part, axes, expected in zip(parts, model.results, model.theirs(arrays), strict=True):
            torch.testing.assert_close(part.to("torch").torch(*axes.split()), expected)
