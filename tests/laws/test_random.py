"""What is drawn at random: its shape, its range, its generator, and its average over many draws."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.testing import assert_same
from tests.laws.strategies import shaped

LIBRARIES = ["numpy", "torch"]


def generator(library: str, seed: int):
    return (
        np.random.default_rng(seed) if library == "numpy" else torch.Generator().manual_seed(seed)
    )


def sized(shape: dict[str, int]) -> tuple[nt.Axis, ...]:
    return tuple(nt.Axis(name)[size] for name, size in shape.items())


DRAWS = {
    "normal": (lambda shape, **how: nt.normal(*sized(shape), **how), "float", -np.inf, np.inf),
    "uniform": (lambda shape, **how: nt.uniform(*sized(shape), **how), "float", 0, 1),
    "randint": (lambda shape, **how: nt.randint(-2, 3, *sized(shape), **how), "int", -2, 3),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", DRAWS)
@settings(max_examples=20)
@given(data=st.data())
def test_draws_have_the_shape_asked_for_and_repeat_with_the_generator(name, library, data):
    draw, kind, low, high = DRAWS[name]
    shape = shaped(data.draw)
    seed = data.draw(st.integers(0, 1000))
    X = draw(shape, generator=generator(library, seed), backend=library)
    assert X.shape == nt.Shape(sized(shape))
    assert X.kind == kind
    assert ((X.numpy(*X.axes) >= low) & (X.numpy(*X.axes) < high)).all()
    assert_same(X, draw(shape, generator=generator(library, seed), backend=library))


@pytest.mark.parametrize("library", LIBRARIES)
def test_averages_are_those_of_the_distributions(library):
    how = {"generator": generator(library, 0), "backend": library}
    n = nt.Axis("n")[20_000]
    X, U, K = nt.normal(n, **how), nt.uniform(n, **how), nt.randint(0, 5, n, **how)
    average = lambda X: nt.mean["n"](X).item()
    assert average(X) == pytest.approx(0, abs=0.05)
    assert average(X * X) == pytest.approx(1, abs=0.05)
    assert average(U) == pytest.approx(1 / 2, abs=0.02)
    assert average(U * U) == pytest.approx(1 / 3, abs=0.02)
    for k in range(5):
        assert average(nt.cast(k == K, float)) == pytest.approx(1 / 5, abs=0.02)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=30)
@given(data=st.data())
def test_a_category_that_is_certain_is_drawn(library, data):
    shape = shaped(data.draw, 0, 2)
    marks = nt.randint(0, 4, *sized(shape), generator=generator("numpy", 0))
    P = nt.cast(nt.one_hot(marks, "vocab[4]"), float).to(library)
    drawn = nt.categorical["vocab"](P, generator=generator(library, 1))
    assert_same(drawn, marks)


@pytest.mark.parametrize("library", LIBRARIES)
def test_categories_are_drawn_as_often_as_their_probabilities_say(library):
    P = nt.tensor(np.tile([[1.0], [0.0], [3.0]], (1, 20_000)), "vocab n").to(library)
    drawn = nt.categorical["vocab"](P, generator=generator(library, 0)).numpy("n")
    assert (drawn == 0).mean() == pytest.approx(1 / 4, abs=0.02)
    assert (drawn == 1).sum() == 0


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=30)
@given(data=st.data())
def test_dropout_sets_numbers_to_0_or_scales_them(library, data):
    shape = shaped(data.draw)
    X = nt.normal(*sized(shape), generator=generator("numpy", 0)).to(library)
    p = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    Y = nt.dropout(X, p).numpy(*X.axes)
    x = X.numpy(*X.axes)
    kept = Y != 0
    assert np.allclose(Y[kept] * (1 - p), x[kept])
    if p in (0.0, 1.0):
        assert kept.all() if p == 0.0 else not kept.any()


@pytest.mark.parametrize("library", LIBRARIES)
def test_dropout_keeps_the_average(library):
    X = nt.ones("n[20000]").to(library)
    assert nt.mean["n"](nt.dropout(X, 0.25)).item() == pytest.approx(1, abs=0.05)
