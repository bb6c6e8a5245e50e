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
    "exponential": (lambda s, **how: nt.exponential(2.0, *sized(s), **how), "float", 0, np.inf),
    "laplace": (lambda s, **how: nt.laplace(*sized(s), **how), "float", -np.inf, np.inf),
    "gumbel": (lambda s, **how: nt.gumbel(*sized(s), **how), "float", -np.inf, np.inf),
    "gamma": (lambda s, **how: nt.gamma(0.5, *sized(s), **how), "float", 0, np.inf),
    "beta": (lambda s, **how: nt.beta(0.5, 2.0, *sized(s), **how), "float", 0, 1 + 1e-9),
    "poisson": (lambda s, **how: nt.poisson(3.0, *sized(s), **how), "int", 0, np.inf),
    "bernoulli": (lambda s, **how: nt.bernoulli(0.3, *sized(s), **how), "bool", 0, 2),
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


#: Of each distribution: its numbers, its mean, and its variance.
MOMENTS = {
    "exponential": (lambda n, **how: nt.exponential(2.0, n, **how), 1 / 2, 1 / 4),
    "laplace": (nt.laplace, 0.0, 2.0),
    "gumbel": (nt.gumbel, 0.57721, np.pi**2 / 6),
    "gamma": (lambda n, **how: nt.gamma(2.5, n, **how), 2.5, 2.5),
    "beta": (lambda n, **how: nt.beta(2.0, 3.0, n, **how), 2 / 5, 6 / 150),
    "poisson": (lambda n, **how: nt.poisson(4.0, n, **how), 4.0, 4.0),
    "bernoulli": (lambda n, **how: nt.bernoulli(0.3, n, **how), 0.3, 0.21),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", MOMENTS)
def test_mean_and_variance_are_those_of_the_distribution(name, library):
    draw, mean, variance = MOMENTS[name]
    n = nt.Axis("n")[20_000]
    X = draw(n, generator=generator(library, 0), backend=library).numpy("n").astype(float)
    assert X.mean() == pytest.approx(mean, abs=0.05 * np.sqrt(variance))
    assert X.var() == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_dtypes_are_those_asked_for(library):
    how = {"generator": generator(library, 0), "backend": library}
    for draw in (nt.exponential, nt.gamma):
        assert "float32" in str(draw(1.0, "n[3]", dtype="float32", **how).dtype)
    assert "float64" in str(nt.beta(1.0, 2.0, "n[3]", dtype="float64", **how).dtype)
    assert "int32" in str(nt.poisson(1.0, "n[3]", dtype="int32", **how).dtype)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=20)
@given(data=st.data())
def test_a_permutation_has_each_index_once_for_each_record_of_other_axes(library, data):
    shape = {"ax": data.draw(st.integers(0, 5)), **shaped(data.draw, 0, 2)}
    P = nt.permutation(*sized(shape), generator=generator(library, 3))
    assert P.shape == nt.Shape(sized(shape))
    others = [n for name, n in shape.items() if name != "ax"]
    expected = np.broadcast_to(
        np.arange(shape["ax"]).reshape(-1, *[1] * len(others)), (*shape.values(),)
    )
    assert (nt.sort["ax"](P).numpy(*shape) == expected).all()


@pytest.mark.parametrize("library", LIBRARIES)
def test_permutations_are_drawn_alike_often(library):
    P = nt.permutation("ax[3] n[6000]", generator=generator(library, 0)).numpy("n", "ax")
    orders = np.unique(P, axis=0, return_counts=True)[1]
    assert len(orders) == 6
    assert abs(orders / 6000 - 1 / 6).max() < 0.02


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("replace", [False, True])
def test_a_choice_takes_whole_records_each_as_likely(library, replace):
    X = nt.tensor(np.stack([np.arange(5), np.arange(5) * 10]), "emb seq").to(library)
    how = {"replace": replace, "generator": generator(library, 0)}
    draws = [nt.choice["seq", "draw[3]"](X, **how).numpy("emb", "draw") for _ in range(2000)]
    found = np.stack(draws)
    assert (found[:, 1] == 10 * found[:, 0]).all()
    assert np.bincount(found[:, 0].ravel(), minlength=5) / 6000 == pytest.approx(0.2, abs=0.02)
    twice = [len(set(row)) < 3 for row in found[:, 0].tolist()]
    assert any(twice) if replace else not any(twice)


def test_a_body_draws_anew_at_each_call():
    n = nt.Axis("n")

    @nt.formula
    def noisy(X: nt.R[n]) -> nt.R[n]:
        parts = [nt.gamma(2.0, n), nt.beta(1.0, 2.0, n), nt.exponential(1.0, n), nt.gumbel(n)]
        return (
            X
            + sum(parts)
            + nt.laplace(n)
            + nt.poisson(2.0, n)
            + nt.cast(nt.bernoulli(0.5, n), float)
        )

    @nt.formula
    def shuffled(X: nt.R[n]) -> nt.R[n]:
        return X[n(nt.permutation(n))]

    for library in LIBRARIES:
        X = nt.tensor(np.arange(50.0), n).to(library)
        assert (noisy(X).numpy() != noisy(X).numpy()).all()
        assert (np.sort(shuffled(X).numpy()) == np.arange(50.0)).all()
