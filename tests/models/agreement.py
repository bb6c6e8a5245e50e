"""Hold a formula to a positional twin: same values and same gradients, on torch and on numpy."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import namedtensor as nt

#: What two correct float64 computations of these sizes may differ by.
CLOSE = {"rtol": 1e-9, "atol": 1e-11}

#: Every axis has a size of its own, so that two axes mixed up cannot go unseen.
SIZES = {
    "batch": 2,
    "head": 3,
    "val": 4,
    "key": 5,
    "seq": 6,
    "seq'": 7,
    "emb": 8,
    "hid": 9,
    "vocab": 11,
}


def real(axes: str, seed: int = 0, **sizes: int) -> tuple[Tensor, str]:
    """Draw float64 numbers for these axes."""
    all_sizes = SIZES | sizes
    generator = torch.Generator().manual_seed(seed * 7919 + sum(map(ord, axes)))
    shape = [all_sizes[name] for name in axes.split()]
    return torch.randn(shape, generator=generator, dtype=torch.float64), axes


def ids(axes: str, below: int, seed: int = 0, start: int = 0) -> tuple[Tensor, str]:
    """Draw whole numbers from start to below for these axes."""
    generator = torch.Generator().manual_seed(seed)
    shape = [SIZES[name] for name in axes.split()]
    return torch.randint(start, below, shape, generator=generator), axes


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Turn {"ffn.W1": a} into {"ffn": {"W1": a}}."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        branch = tree
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = value
    return tree


def agree(
    named: Callable[..., Any],
    positional: Callable[..., Tensor],
    result: str,
    **arguments: tuple[Tensor, str],
) -> None:
    """Run both on the same numbers and compare values and gradients.

    `arguments` are pairs of numbers and axes; a name "ffn__W1" is the parameter W1 of the bundle
    ffn. The twin gets positional tensors under the same names.
    """
    axes = {name: axes for name, (_, axes) in arguments.items()}
    data = {
        name: x.clone().requires_grad_(x.is_floating_point()) for name, (x, _) in arguments.items()
    }

    def run(tensors: dict[str, Any], layout: dict[str, str]) -> Any:
        given = {n.replace("__", "."): nt.tensor(x, layout[n]) for n, x in tensors.items()}
        return named(**nested(given))

    expected = positional(**data)
    computed = run(data, axes)
    assert computed.shape.names == computed.reading_order
    assert set(computed.axes) == set(result.split())
    found = computed.torch(*result.split())
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, **CLOSE)
    _gradients_agree(found, expected, {n: x for n, x in data.items() if x.requires_grad})

    turned = {n: x.detach().permute(*reversed(range(x.ndim))) for n, x in data.items()}
    backwards = {n: " ".join(reversed(a.split())) for n, a in axes.items()}
    again = run(turned, backwards).torch(*result.split())
    torch.testing.assert_close(again, expected.detach(), **CLOSE)

    arrays = {n: x.detach().numpy() for n, x in data.items()}
    on_numpy = run(arrays, axes).numpy(*result.split())
    torch.testing.assert_close(torch.as_tensor(on_numpy), expected.detach(), **CLOSE)


def model_agrees(
    model: torch.nn.Module, found: Any, positional: Callable[[dict[str, Tensor]], Tensor]
) -> None:
    """Compare a model's result, and the gradients of all its parameters, with a twin's."""
    own = dict(model.named_parameters())
    theirs = {name: p.detach().clone().requires_grad_() for name, p in own.items()}
    expected = positional(theirs)
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, **CLOSE)
    weight = _weight(expected)
    names = list(own)
    mine = torch.autograd.grad((found * weight).sum(), [own[n] for n in names], allow_unused=True)
    yours = torch.autograd.grad(
        (expected * weight).sum(), [theirs[n] for n in names], allow_unused=True
    )
    for name, a, b in zip(names, mine, yours, strict=True):
        _same_gradient(name, a, b, own[name])


def randomize(model: torch.nn.Module, seed: int = 1) -> torch.nn.Module:
    """Give every parameter numbers of its own: no zeros or ones that hide a mistake."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.data.normal_(0.0, 0.6, generator=generator)
    return model


def _weight(x: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(17)
    return torch.randn(x.shape, generator=generator, dtype=x.dtype)


def _gradients_agree(found: Tensor, expected: Tensor, data: dict[str, Tensor]) -> None:
    weight, inputs = _weight(expected), list(data.values())
    mine = torch.autograd.grad((found * weight).sum(), inputs, allow_unused=True, retain_graph=True)
    yours = torch.autograd.grad((expected * weight).sum(), inputs, allow_unused=True)
    for (name, x), a, b in zip(data.items(), mine, yours, strict=True):
        _same_gradient(name, a, b, x)


def _same_gradient(name: str, a: Tensor | None, b: Tensor | None, like: Tensor) -> None:
    a = torch.zeros_like(like) if a is None else a
    b = torch.zeros_like(like) if b is None else b
    torch.testing.assert_close(a, b, msg=lambda text: f"gradient of {name}: {text}", **CLOSE)
