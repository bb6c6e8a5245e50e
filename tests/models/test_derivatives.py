"""The derivatives of every model's formula, by inputs and parameters, are torch's."""

import functools
import operator
import zlib
from typing import Any

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor.formula.formula import Formula
from namedtensor.formula.signature import R, Signature
from tests.latex.formulas import FORMULAS as SEEN
from transformer_named.published import formulas as published

FORMULAS = SEEN | {
    f"published.{name}": value
    for name, value in vars(published).items()
    if isinstance(value, Formula) and value.function.__module__ == published.__name__
}

#: Sizes by axis; all others are 3. What embeds words or joins heads must fit.
SIZES = {"depth": 2, "head": 2, "key": 2, "val": 2, "seq": 4, "seq'": 4, "concat": 4, "half": 1}

#: Formulas that have no derivative by anything, and why.
NONE = {
    "formulated.Mask": "its numbers depend on sizes alone",
    "introduction.padding": "takes whole numbers alone",
}


#: So many layers has each stack.
LAYERS = 2
#: Settings that have no default.
SETTINGS: dict[str, Any] = {}


def values(formula, seed=0):
    """Draw a value for each name of a signature, bundles as dicts."""
    found = {}
    for p in formula.signature.parameters:
        if p.bundle is not None:
            parts = []
            for layer in range(LAYERS if p.stack else 1):
                inner = values(p.bundle, seed + layer)
                parts.append(
                    {q.name: inner[q.name] for q in p.bundle.signature.parameters if q.after}
                )
            found[p.name] = parts if p.stack else None if p.optional else parts[0]
        elif p.space is not None:
            found[p.name] = drawn(p.space, zlib.crc32(f"{formula.name} {p.name} {seed}".encode()))
        elif p.name in SETTINGS:
            found[p.name] = SETTINGS[p.name]
        else:
            found[p.name] = p.default
    return found


def drawn(space, seed):
    """Draw a tensor of a space: words, truth values, or real numbers."""
    rng = np.random.default_rng(seed)
    shape = [SIZES.get(a.name, 3) for a in space.axes]
    if space.letter == "Z":
        data = rng.integers(0, 3, shape)
    elif space.letter == "B":
        data = rng.random(shape) < 0.7
    else:
        data = rng.normal(size=shape)
    return nt.tensor(torch.from_numpy(np.asarray(data)), *space.names)


def leaves(found, prefix=""):
    """List the real tensors by path."""
    for name, value in found.items():
        if isinstance(value, list):
            value = {str(i): part for i, part in enumerate(value)}
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{name}.")
        elif isinstance(value, nt.NamedTensor) and value.kind == "float":
            yield f"{prefix}{name}", value


def put(found, path, value):
    """Give the values with one of them replaced."""
    name, _, rest = path.partition(".")
    if isinstance(found, list):
        return [put(part, rest, value) if i == int(name) else part for i, part in enumerate(found)]
    return {**found, name: put(found[name], rest, value) if rest else value}


def sines(result):
    """Add up the sines of all that a formula gives."""
    parts = result if isinstance(result, tuple) else (result,)
    return functools.reduce(operator.add, [nt.sum[...](nt.sin(part)) for part in parts])


def loss_of(f):
    """Make a formula to single numbers of a formula: the sum of the sines of all that it gives."""

    def loss(*args: Any, **named: Any) -> Any:
        return sines(f(*args, **named))

    loss.__name__ = f"{f.name}_loss"
    return Formula(loss, Signature(f.signature.parameters, (R,), False, f.signature.python))


@pytest.fixture(autouse=True)
def double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - NONE))
def test_the_derivatives_of_a_model_are_torch_s(name):
    f = FORMULAS[name]
    given = values(f)
    paths = dict(leaves(given))
    assert paths
    loss = loss_of(f)
    gradients = nt.grad(loss, tuple(paths))(**given)
    followed = given
    for path, value in paths.items():
        followed = put(followed, path, value.detach().requires_grad_())
    loss(**copied(followed)).backward()
    on_numpy = nt.grad(loss, tuple(paths))(**numpy_of(given))
    slope = 0.0
    change = {}
    for path, found, same in zip(paths, gradients, on_numpy, strict=True):
        expected = dict(leaves(followed))[path].grad
        expected = 0.0 * paths[path] if expected is None else expected
        order = paths[path].axes
        assert set(found.axes) == set(order)
        wanted = expected.numpy(*order)
        np.testing.assert_allclose(found.numpy(*order), wanted, 1e-9, 1e-11, err_msg=path)
        np.testing.assert_allclose(same.numpy(*order), wanted, 1e-9, 1e-11, err_msg=path)
        dX = drawn(R[order], 7)
        change["d" + path.replace(".", "_")] = dX
        slope += float((torch.from_numpy(wanted) * dX.torch(*order)).sum())
    forwards = nt.differential(loss, tuple(paths))(**given, **change)
    assert forwards.item() == pytest.approx(slope, rel=1e-9, abs=1e-11)


def each(f, found):
    """Apply a function to each tensor of the values."""
    if isinstance(found, list):
        return [each(f, part) for part in found]
    if isinstance(found, dict):
        return {name: each(f, value) for name, value in found.items()}
    return f(found) if isinstance(found, nt.NamedTensor) else found


def numpy_of(found):
    return each(lambda X: copied(X).to("numpy"), found)


def copied(found):
    """Give copies, for what a formula writes into; torch follows them to what was given."""
    return each(lambda X: nt.tensor(X.data.clone(), *X.axes), found)


def test_no_model_is_left_out():
    for name in NONE:
        assert name in FORMULAS
