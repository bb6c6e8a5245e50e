"""Data stay stored with their features last, however weights are declared, and numbers are the same."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula

batch, seq, emb, hid, head, key, two, half = axes("batch seq emb hid head key two half")
SIZES = dict(batch=2, seq=5, emb=6, hid=7, head=3, key=4)


@formula
def project(X: R[emb], *, W: R[hid, emb]) -> R[hid]:
    return W @ emb @ X


@formula
def heads(X: R[emb], *, W: R[head, key, emb]) -> R[head, key]:
    return W @ emb @ X


@formula
def together(X: R[head, key], *, W: R[emb, head, key]) -> R[emb]:
    return W @ (head, key) @ X


@formula
def masked(X: R[emb], *, W: R[hid, emb], M: R[hid, emb]) -> R[hid]:
    return (W * M) @ emb @ X


FORMULAS = [project, heads, together, masked]


def drawn(f, lead, sizes, backend, dtype="float64", contiguous=True):
    random = np.random.default_rng(0)
    found = {}
    for parameter in f.signature.parameters:
        names = [*(lead if parameter.name == "X" else ()), *parameter.space.names]
        shape = [sizes[name] for name in names]
        data = random.standard_normal([2 * n for n in shape] if not contiguous else shape)
        X = nt.tensor(data, *names).to(backend).to(dtype)
        found[parameter.name] = X if contiguous else X[tuple([axes(name)[::2] for name in names])]
    return found


def by_hand(f, given):
    """Contract by einsum, whose letters are the first letters of the names."""
    arrays = [X.to("float64").to("numpy") for X in given.values()]
    if f is masked:
        arrays = [arrays[0], arrays[1] * arrays[2]]
    letter = {name: chr(97 + i) for i, name in enumerate(SIZES)}
    parts = ["".join(letter[a] for a in X.axes) for X in arrays]
    result = f(**given)
    order = "".join(letter[a] for a in result.axes)
    wanted = np.einsum(f"{','.join(parts)}->{order}", *[X.numpy(*X.axes) for X in arrays])
    return result, wanted


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("contiguous", [True, False])
@pytest.mark.parametrize("lead", [(), ("seq",), ("batch", "seq")], ids=len)
@pytest.mark.parametrize("f", FORMULAS, ids=lambda f: f.name)
def test_products_are_einsum_s(f, lead, contiguous, backend):
    found, wanted = by_hand(f, drawn(f, lead, SIZES, backend, contiguous=contiguous))
    np.testing.assert_allclose(found.numpy(*found.axes), wanted)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("axis", ["seq", "emb", "hid", "head", "key"])
@pytest.mark.parametrize("f", FORMULAS, ids=lambda f: f.name)
def test_sizes_of_0_and_1(f, axis, size, backend):
    found, wanted = by_hand(f, drawn(f, ("seq",), {**SIZES, axis: size}, backend))
    np.testing.assert_allclose(found.numpy(*found.axes), wanted)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("f", FORMULAS, ids=lambda f: f.name)
def test_dtypes(f, dtype):
    found, wanted = by_hand(f, drawn(f, ("seq",), SIZES, "torch", dtype))
    assert str(found.dtype) == f"torch.{dtype}"
    tolerance = 1e-5 if dtype == "float32" else 1e-1
    np.testing.assert_allclose(
        found.to("float64").numpy(*found.axes), wanted, rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("lead", [("seq",), ("batch", "seq")], ids=len)
@pytest.mark.parametrize("f", FORMULAS, ids=lambda f: f.name)
def test_features_are_stored_last_and_weights_are_not_moved(f, lead):
    given = drawn(f, lead, SIZES, "torch")
    found = f(**given)
    assert found.axes[: len(lead)] == lead
    assert found.data.is_contiguous()
    assert "permute" not in f.code(**given)
    assert "linear(" in f.code(**given)


def test_data_whose_features_come_first_stay_as_they_are():
    X = nt.normal(emb[6], seq[5], backend="torch")
    W = nt.normal(hid[7], emb[6], backend="torch")
    assert project(X, W=W).axes == ("hid", "seq")
    assert "permute" not in project.code(X, W=W)


def test_gradients_are_einsum_s():
    given = {n: X.requires_grad_() for n, X in drawn(heads, ("seq",), SIZES, "torch").items()}
    x, w = [X.data.detach().clone().requires_grad_() for X in given.values()]
    heads(**given).data.square().sum().backward()
    torch.einsum("se,hke->shk", x, w).square().sum().backward()
    torch.testing.assert_close([X.data.grad for X in given.values()], [x.grad, w.grad])


# ---------------------------------------------------------------------- what is stacked and merged


@formula
def halves(X: R[half], Y: R[half]) -> R[key]:
    return nt.stack[two](X, Y)[(two, half) >> key]


@formula
def pairs(X: R[half], Y: R[half]) -> R[key]:
    return nt.stack[two](X, Y)[(half, two) >> key]


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("order", ["seq half", "half seq", "batch half seq"])
@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_stack_is_stored_as_it_will_be_merged(backend, order, size):
    names = order.split()
    random = np.random.default_rng(0)
    shape = [size if name == "half" else SIZES[name] for name in names]
    x, y = random.standard_normal((2, *shape))
    given = [nt.tensor(a, *names).to(backend) for a in (x, y)]
    at = names.index("half")
    wanted = np.concatenate([x, y], at)
    out = ["key" if name == "half" else name for name in names]
    np.testing.assert_array_equal(halves(*given).numpy(*out), wanted)
    mixed = np.stack([x, y], at + 1).reshape(wanted.shape)
    np.testing.assert_array_equal(pairs(*given).numpy(*out), mixed)
    assert "permute" not in halves.code(*given)
    # numbers that are joined one by one, behind all other axes, take longer than the copy
    assert ("permute" in pairs.code(*given)) == (names[-1] == "half")


def test_a_stack_that_is_read_as_it_is_too_gives_both():
    @formula
    def both(X: R[half], Y: R[half]) -> tuple[R[two, half], R[key]]:
        Z = nt.stack[two](X, Y)
        return Z, Z[(half, two) >> key]

    x, y = torch.randn(2, 5, 3)
    Z, merged = both(nt.tensor(x, seq, half), nt.tensor(y, seq, half))
    torch.testing.assert_close(Z.torch(two, seq, half), torch.stack([x, y]))
    torch.testing.assert_close(merged.torch(seq, key), torch.stack([x, y], -1).flatten(1))


# ------------------------------------------------------------------------------ views and lifetimes


@formula
def turned(X: R[head, key], C: R[key], S: R[key]) -> R[head, key]:
    return X * C + nt.tanh(X) * S + nt.exp(X) * C


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_a_view_that_stands_twice_is_made_once(backend):
    X = nt.normal(seq[2], head[3], key[4], dtype="float64").to(backend)
    C, S = [nt.normal(seq[2], key[4], dtype="float64").to(backend) for _ in range(2)]
    code = turned.code(X, C, S)
    assert code.count("unsqueeze(C") == 1
    assert "= unsqueeze(C, 1)" in code
    x, c, s = [A.numpy(*A.axes) for A in (X, C[seq >> seq], S)]
    wanted = x * c[:, None] + np.tanh(x) * s[:, None] + np.exp(x) * c[:, None]
    np.testing.assert_allclose(turned(X, C, S).numpy(seq, head, key), wanted)


def test_results_are_let_go_after_they_were_read_and_arguments_are_not():
    X = nt.normal(seq[2], head[3], key[4], backend="torch")
    C = nt.normal(key[4], backend="torch")
    code = turned.code(X, C, C)
    released = [name for line in code.splitlines() if line.strip().startswith("del ")
                for name in line.strip()[4:].split(", ")]  # fmt: skip
    assert released, code
    assert len(set(released)) == len(released)
    assert not {"X", "C", "S"} & set(released)


def test_a_result_that_is_given_or_read_by_a_mask_is_kept():
    @formula
    def f(Q: R[seq.prime, key], K: R[seq, key], V: R[seq, key], d: R[seq]) -> R[seq.prime, key]:
        far = nt.exp(d) * 2.0
        M = nt.where(nt.iota(seq) <= nt.iota(seq.prime), far, -nt.inf)
        return V @ seq @ nt.softmax[seq](Q @ key @ K + M)

    draws = ["seq'[600] key[4]", "seq[600] key[4]", "seq[600] key[4]", "seq[600]"]
    given = [nt.normal(shape, backend="torch", dtype=torch.float64) for shape in draws]
    unfused = nt.Formula(f.function, f.signature, fuse=False)
    nt.testing.assert_close(f(*given), unfused(*given), rtol=1e-8)
