"""A gradient computes each part once, as stable as the function, and builds no one-hot matrix."""

from collections import Counter

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.testing import assert_close
from transformer_named.named_tensors import FFN, MHA, layer

seq, emb, hid, vocab, head, key, val, one = axes("seq emb hid vocab head key val one")
seq_ = seq.prime
SIZES = {"seq": 5, "emb": 4, "hid": 6, "vocab": 7, "head": 2, "key": 2, "val": 2}
LIBRARIES = ["numpy", "torch"]


@formula
def words(I: Z[seq], y: Z[seq], *, E: R[vocab, emb], step: layer, W: R[vocab, emb]) -> R:
    scores = W @ emb @ step(E[vocab(I)])
    return nt.mean[seq](-nt.log(nt.softmax[vocab](scores))[vocab(y)])


@formula
def attended(X: R[seq, emb], *, mha: MHA) -> R:
    return nt.sum[seq, emb](mha(X) ** 2)


@formula
def spelled(S: R[vocab], y: Z) -> R:
    return -nt.log(nt.exp(S) / nt.sum[vocab](nt.exp(S)))[vocab(y)]


def drawn(f, library="torch", seed=0):
    rng = np.random.default_rng(seed)
    found = {}
    for p in f.signature.parameters:
        if p.bundle is not None:
            own = {q.name for q in p.bundle.signature.parameters if q.after}
            inner = drawn(p.bundle, library, seed + 1)
            found[p.name] = {n: x for n, x in inner.items() if n in own}
        elif p.space is not None:
            shape = [SIZES[a.name] for a in p.space.axes]
            data = rng.integers(0, 7, shape) if p.space.letter == "Z" else rng.normal(size=shape)
            found[p.name] = nt.tensor(data, *p.space.axes).to(library)
    return found


def paths(found, prefix=""):
    for name, x in found.items():
        if isinstance(x, dict):
            yield from paths(x, f"{prefix}{name}.")
        elif x.kind == "float":
            yield prefix + name


def code_of(f, library="torch"):
    given = drawn(f, library)
    return nt.grad(f, tuple(paths(given))).code(**given)


def steps_of(code):
    """List what each step computes, without its name and the comment; no constants."""
    body = code[code.rindex("def ") :]
    lines = [line.partition("#")[0].partition(" = ") for line in body.splitlines()]
    return [right.strip() for left, sign, right in lines if sign and "shape" not in right]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("f", [words, attended], ids=lambda f: f.name)
def test_no_step_of_a_gradient_is_computed_twice(f, library):
    counts = Counter(steps_of(code_of(f, library)))
    assert counts
    assert max(counts.values()) == 1


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_gradient_of_a_model_has_as_many_products_as_backpropagation(library):
    def products(code):
        return sum(
            step.count(" @ ") + step.count("matmul") + step.count("linear(") for step in code
        )

    given = drawn(words, library)
    forwards = products(steps_of(words.code(**given)))
    if library == "torch":
        forwards += 2  # the attention kernel holds two
    # each product has two transposes, and the words' rows are looked up and added up again
    assert products(steps_of(code_of(words, library))) <= 3 * forwards


def test_what_a_gradient_needs_of_a_kernel_s_inside_is_not_computed_by_the_kernel_too():
    code = code_of(words)
    assert code.count("softmax(") == 2  # of the attention and of the scores
    assert "scaled_dot_product_attention" not in code
    assert "layer_norm" not in code
    assert code.count(" standardize(") == 2


def test_weights_that_are_given_too_are_computed_once():
    @formula
    def both(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> tuple[R[seq_, val], R[seq_, seq]]:
        A = nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))
        return V @ seq @ A, A

    given = [nt.tensor(torch.randn(3, 2), a, b) for a, b in ((seq_, key), (seq, key), (seq, val))]
    code = both.code(*given)
    assert "scaled_dot_product_attention" not in code
    assert code.count("softmax(") == 1
    assert (
        "not attention: softmax[seq](... / ...) is used elsewhere too, and a kernel would "
        "compute it once more"
    ) in nt.explain(both, *given)
    O, A = both(*given)
    assert_close(O, given[2] @ seq @ A)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("how", ["index", "one_hot"])
def test_the_gradient_of_a_lookup_adds_rows_up(how, library):
    @formula
    def looked_up(I: Z[seq], *, E: R[vocab, emb]) -> R:
        X = E[vocab(I)] if how == "index" else E @ vocab @ nt.one_hot(I, vocab)
        return nt.sum[seq, emb](X * X * X)

    E = nt.tensor(np.random.default_rng(0).normal(size=(4, 2)), vocab, emb)
    I = nt.tensor([1, 3, 1], seq)
    g = nt.grad(looked_up, "E")
    found = g(I.to(library), E=E.to(library))
    count = nt.tensor([0.0, 2, 0, 1], vocab)
    assert_close(found.to("numpy"), 3 * E * E * count)
    code = g.code(I.to(library), E=E.to(library))
    assert "one_hot" not in code
    assert "add_along" in code


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_index_outside_of_one_hot_vectors_changes_no_row(library):
    @formula
    def looked_up(I: Z[seq], *, E: R[vocab, emb]) -> R:
        return nt.sum[seq, emb](E @ vocab @ nt.one_hot(I, vocab))

    E = nt.ones("vocab[4] emb[2]").to(library)
    found = nt.grad(looked_up, "E")(nt.tensor([1, -1, 4], seq).to(library), E=E)
    assert found.numpy(vocab, emb).tolist() == [[0, 0], [1, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("of", "library"),
    [(spelled, "numpy"), (spelled, "torch"), (spelled.function, "numpy")],
    ids=["formula on numpy", "formula on torch", "function on numpy"],
)
def test_a_softmax_that_is_spelled_out_is_derived_in_its_stable_form(of, library):
    S = nt.tensor([1000.0, 0.0, -1000.0], vocab).to(library)
    assert nt.grad(of)(S, nt.tensor(2).to(library)).numpy().tolist() == [1, 0, -1]


def test_cross_entropy_s_gradient_prints_as_softmax_minus_one_hot_however_it_is_written():
    text = nt.grad(spelled).latex()
    assert (
        r"\nfun{\name{vocab}}{softmax} S - \nfun{\name{vocab}}{onehot}(y, |\name{vocab}|)" in text
    )


def test_a_gradient_through_a_norm_used_twice_is_torch_s():
    @formula
    def twice(X: R[seq, emb], *, gamma: R[emb], beta: R[emb], ffn: FFN) -> R:
        Y = (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + 1e-5)
        return nt.sum[seq, emb](ffn(Y * gamma + beta) * Y)

    given = drawn(twice)
    by = tuple(paths(given))
    found = nt.grad(twice, by)(**given)
    flat = {**given, **{f"ffn.{n}": x for n, x in given["ffn"].items()}}
    data = [flat[p].data.requires_grad_() for p in by]
    expected = torch.autograd.grad(twice(**given).data, data)
    for one_, path, other in zip(found, by, expected, strict=True):
        torch.testing.assert_close(one_.torch(*flat[path].axes), other, rtol=1e-9, atol=1e-11)
