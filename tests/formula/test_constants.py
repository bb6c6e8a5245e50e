"""What depends on sizes alone, masks and encodings, is built once for its sizes, dtype and device."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.backends import constants

seq, emb = axes("seq emb")


def wave(i, j):
    return nt.sin((i + 1) / 100 ** (j / 7))


def fresh_formula():
    """Make a formula that nobody has called, with an encoding of its own."""

    @formula
    def encode(X: R[seq, emb]) -> R[seq, emb]:
        return X * 2.0 + nt.define[seq, emb](wave)

    return encode


def expected(X):
    n, d = X.size(seq), X.size(emb)
    i, j = np.arange(n)[:, None], np.arange(d)[None, :]
    return X.numpy(seq, emb) * 2 + np.sin((i + 1) / 100 ** (j / 7))


@pytest.fixture
def made(monkeypatch):
    """The sizes for which constants were built, in order."""
    calls = []
    usual = constants.Kept._made

    def counted(self, given, like):
        calls.append((given[:-1], str(getattr(like, "dtype", None))))
        return usual(self, given, like)

    monkeypatch.setattr(constants.Kept, "_made", counted)
    return calls


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    return request.param


def numbers(n, library, dtype="float64"):
    return nt.normal(seq[n], emb[4], backend=library, dtype=dtype)


def test_a_constant_is_built_once_for_its_sizes(library, made):
    f = fresh_formula()
    for n in (3, 3, 5, 3, 5):
        X = numbers(n, library)
        np.testing.assert_allclose(f(X).numpy(seq, emb), expected(X))
    assert [sorted(sizes) for sizes, _ in made] == [[3, 4], [4, 5]]


def test_each_dtype_has_its_own(library, made):
    f = fresh_formula()
    for dtype in ("float64", "float32", "float64"):
        assert str(f(numbers(3, library, dtype)).dtype).endswith(dtype)
    assert [dtype.removeprefix("torch.") for _, dtype in made] == ["float64", "float32"]


def test_a_result_never_shares_memory_with_a_constant(library):
    f = fresh_formula()
    X = numbers(3, library)
    first = f(X)
    first.data[:] = 7.0
    np.testing.assert_allclose(f(X).numpy(seq, emb), expected(X))


def test_a_constant_that_is_the_result_is_not_kept(library, made):
    @formula
    def positions(X: R[seq, emb]) -> R[seq, emb]:
        return nt.define[seq[3], emb[4]](wave)

    X = numbers(3, library)
    positions(X).data[:] = 7.0
    np.testing.assert_allclose(positions(X).numpy(seq, emb), expected(X * 0))
    assert made == []


def test_the_code_shows_the_constant_beside_the_function():
    f = fresh_formula()
    source = f.code(numbers(3, "numpy"))
    assert source.startswith("@kept\ndef constant(")
    assert "sin(" in source.partition("def encode")[0]
    assert "sin(" not in source.partition("def encode")[2]


def test_what_inference_built_serves_training():
    f = fresh_formula()
    X = numbers(3, "torch")
    with torch.inference_mode():
        f(X)
    X.requires_grad_()
    nt.sum[...](f(X) * f(X)).backward()
    assert X.grad is not None


def test_compilers_and_transforms_build_their_own(made):
    f = fresh_formula()
    X = numbers(3, "torch")
    compiled = torch.compile(f, fullgraph=True, backend="eager")
    np.testing.assert_allclose(compiled(X).numpy(seq, emb), expected(X))
    batch = torch.stack([X.data, X.data + 1])
    each = torch.vmap(lambda x: f(nt.tensor(x, seq, emb)).torch(seq, emb))(batch)
    np.testing.assert_allclose(each[0].numpy(), expected(X))
    assert made == []


def test_few_sizes_are_remembered(made):
    f = fresh_formula()
    for n in range(1, constants.MANY + 3):
        f(numbers(n, "numpy"))
    f(numbers(constants.MANY + 2, "numpy"))
    assert len(made) == constants.MANY + 2
    f(numbers(1, "numpy"))  # forgotten
    assert len(made) == constants.MANY + 3


def test_a_large_constant_is_not_kept(made, monkeypatch):
    monkeypatch.setattr(constants, "LARGE", 8 * 3 * 4 - 1)
    f = fresh_formula()
    f(numbers(3, "numpy"))
    f(numbers(3, "numpy"))
    assert len(made) == 2


def test_the_model_s_encoding_is_built_once(made):
    from transformer_named.named_tensors import embed

    X = nt.one_hot(nt.tensor(np.array([1, 2, 3]), "seq"), "vocab[5]")
    E = nt.normal("vocab[5] emb[6]")
    first = embed(X, E=E)
    before = len(made)
    nt.testing.assert_close(embed(X, E=E), first)
    assert len(made) == before
