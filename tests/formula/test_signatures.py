"""What a signature may say: spaces, settings, bundles, several results; and where formulas live."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from namedtensor.testing import assert_close, assert_same

seq, emb, hid, vocab = axes("seq emb hid vocab")
seq_ = seq.prime


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    return request.param


@formula
def linear(X: R[emb], *, W: R[emb, hid], b: R[hid] = None) -> R[hid]:
    return W @ emb @ X if b is None else W @ emb @ X + b


# ------------------------------------------------------------------------------------------ spaces


def test_whole_numbers_and_truth_values_have_their_spaces(library):
    @formula
    def lookup(E: R[vocab, emb], I: Z[seq], M: B[seq]) -> R[seq, emb]:
        return nt.where(M, E[vocab(I)], 0.0)

    E = nt.tensor(np.arange(6.0).reshape(3, 2), vocab, emb).to(library)
    I = nt.tensor(np.array([2, 0]), seq).to(library)
    found = lookup(E, I, I > 0)
    assert_same(found.to("numpy"), nt.tensor(np.array([[4.0, 5.0], [0.0, 0.0]]), seq, emb))


def test_a_formula_may_give_whole_numbers_and_truth_values():
    @formula
    def best(X: R[emb]) -> tuple[Z, B[emb]]:
        return nt.argmax_index[emb](X), X > 0

    index, positive = best(nt.tensor([-1.0, 5.0], emb))
    assert index.item() == 1
    assert positive.numpy().tolist() == [False, True]


def test_a_space_without_axes_is_a_single_number(library):
    @formula
    def scaled(X: R[emb], a: R, b: R[()]) -> R[emb]:
        return X * a + b

    X = nt.ones("emb[3]").to(library)
    assert_same(scaled(X, 2.0, 3), 5 * X)
    assert_same(scaled(X, np.float32(2.0), np.int64(3)), 5 * X)
    assert_same(scaled(X, nt.tensor(np.array(2.0)).to(library), 3.0), 5 * X)
    assert scaled(X, nt.full("seq[2]", 2.0).to(library), 3.0).shape == nt.Shape("seq[2] emb[3]")


def test_a_declared_size_is_checked():
    @formula
    def three(X: R[emb[3]]) -> R:
        return nt.sum[emb](X)

    assert three(nt.ones("emb[3]")).item() == 3.0
    three(nt.ones("emb[3] seq[2]"))
    with pytest.raises(nt.AxisSizeError):
        three(nt.ones("emb[4]"))


def test_declarations_may_be_strings():
    @formula
    def project(X: R["seq emb"], W: R["emb", "hid"]) -> R["seq hid"]:
        return X @ "emb" @ W

    assert project(nt.ones("seq[2] emb[3]"), nt.ones("emb[3] hid[4]")).shape == nt.Shape(
        "seq[2] hid[4]"
    )


def test_an_argument_may_be_absent():
    X, W, b = nt.ones("emb[3]"), nt.ones("emb[3] hid[2]"), nt.ones("hid[2]")
    assert_same(linear(X, W=W), nt.full("hid[2]", 3.0))
    assert_same(linear(X, W=W, b=b), nt.full("hid[2]", 4.0))
    assert_same(linear(X, W=W, b=None), nt.full("hid[2]", 3.0))


def test_a_result_without_declaration_may_have_any_axes():
    @formula
    def outer(X: R[seq], Y: R[emb]):
        return X * Y

    assert outer(nt.ones("seq[2]"), nt.ones("emb[3]")).shape == nt.Shape("seq[2] emb[3]")


def test_several_results_are_a_tuple_of_named_tensors(library):
    @formula
    def moments(X: R[emb]) -> tuple[R, R]:
        return nt.mean[emb](X), nt.var[emb](X)

    X = nt.tensor(np.arange(6.0).reshape(2, 3), seq, emb).to(library)
    mean, var = moments(X)
    assert_close(mean, nt.mean[emb](X))
    assert_close(var, nt.var[emb](X))
    assert moments.shape("seq[2] emb[3]") == (nt.Shape("seq[2]"), nt.Shape("seq[2]"))


def test_a_result_may_be_an_argument_itself(library):
    @formula
    def same(X: R[emb]) -> R[emb]:
        return X

    X = nt.ones("seq[2] emb[3]").to(library)
    assert_same(same(X), X)


def test_an_argument_may_go_unused():
    @formula
    def first(X: R[emb], Y: R[hid]) -> R[emb]:
        return X + 1

    assert_same(first(nt.ones("emb[2]"), nt.ones("hid[3]")), nt.full("emb[2]", 2.0))


# ----------------------------------------------------------------------------------------- bundles


def test_a_bundle_is_called_and_read_as_the_formula_it_is_of(library):
    @formula
    def twice(X: R[emb], *, proj: linear) -> R[hid]:
        return proj(X) + proj.W @ emb @ X

    X, W = nt.ones("emb[3]").to(library), nt.ones("emb[3] hid[2]").to(library)
    assert_same(twice(X, proj={"W": W}), nt.full("hid[2]", 6.0).to(library))


def test_two_bundles_of_one_formula_have_their_own_sizes():
    @formula
    def deep(X: R[emb], *, up: linear, down: linear) -> R[hid]:
        return down(up(X)["hid -> emb"])

    up, down = {"W": nt.ones("emb[3] hid[5]")}, {"W": nt.ones("emb[5] hid[2]")}
    assert_same(deep(nt.ones("emb[3]"), up=up, down=down), nt.full("hid[2]", 15.0))


def test_bundles_nest():
    @formula
    def outer(X: R[emb], *, proj: linear) -> R[hid]:
        return proj(X)

    @formula
    def outermost(X: R[emb], *, layer: outer) -> R[hid]:
        return layer(X) * layer.proj.W[emb(0)]

    layer = {"proj": {"W": nt.full("emb[3] hid[2]", 2.0)}}
    assert_same(outermost(nt.ones("emb[3]"), layer=layer), nt.full("hid[2]", 12.0))


def test_a_bundle_may_be_a_module():
    @formula
    def outer(X: R[emb], *, proj: linear) -> R[hid]:
        return proj(X) * 2

    module = linear.module(emb[3], hid[2], init={"W": torch.nn.init.ones_})
    X = nt.ones("emb[3]", backend="torch")
    assert_same(outer(X, proj=module).detach(), nt.full("hid[2]", 6.0, backend="torch"))


# ---------------------------------------------------------------------------- where formulas live


def test_a_formula_closes_over_plain_values_and_other_formulas():
    rate = 3.0

    @formula
    def scaled(X: R[emb]) -> R[emb]:
        return X * rate

    @formula
    def shifted(X: R[emb]) -> R[emb]:
        return scaled(X) + 1

    assert_same(shifted(nt.ones("emb[2]")), nt.full("emb[2]", 4.0))


def test_axes_that_only_the_enclosing_function_knows_may_be_declared():
    inner = nt.Axis("local")

    @formula
    def summed(X: R[inner]) -> R:
        return nt.sum[inner](X)

    assert summed(nt.ones("local[3]")).item() == 3.0


def test_a_formula_is_a_method():
    class Scaler:
        def __init__(self, rate):
            self.rate = rate

        @formula
        def scaled(self, X: R[emb]) -> R[emb]:
            return X * self.rate

    X = nt.ones("emb[2]")
    assert_same(Scaler(2.0).scaled(X), 2 * X)
    assert_same(Scaler(5.0).scaled(X), 5 * X)


def test_a_formula_is_called_inside_undecorated_code():
    def loss(X, W):
        return nt.sum[...](linear(X, W=W) ** 2)

    assert loss(nt.ones("emb[3]"), nt.ones("emb[3] hid[2]")).item() == 18.0


def test_a_formula_is_used_inside_another_that_renames_its_axes():
    @formula
    def gram(X: R[seq, emb]) -> R[seq, seq_]:
        return X @ emb @ X[seq >> seq_]

    @formula
    def trace_of_gram(X: R[seq, emb]) -> R:
        return nt.trace[seq, seq_](gram(X))

    X = nt.tensor(np.arange(6.0).reshape(2, 3), seq, emb)
    assert_close(trace_of_gram(X), nt.sum[...](X * X))


def test_numpy_and_torch_agree_on_a_formula():
    @formula
    def network(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
        hidden = nt.gelu(W @ emb @ X + b)
        return nt.softmax[hid](hidden - nt.mean[hid](hidden)) * nt.argmax[hid](hidden)

    generator = np.random.default_rng(0)
    drawn = [
        nt.normal(s, generator=generator) for s in ("seq[5] emb[3]", "emb[3] hid[4]", "hid[4]")
    ]
    X, W, b = drawn
    on_torch = network(X.to("torch"), W=W.to("torch"), b=b.to("torch"))
    assert_close(network(X, W=W, b=b), on_torch.to("numpy"), rtol=1e-9, atol=1e-9)


# -------------------------------------------------------------------------------------- gradients


def test_gradients_through_a_formula_are_those_of_positional_torch():
    @formula
    def attention(Q: R[emb, seq_], K: R[emb, seq], V: R[seq, hid]) -> R[seq_, hid]:
        return V @ seq @ nt.softmax[seq](Q @ emb @ K / nt.sqrt(abs(emb)))

    q, k, v = [
        torch.randn(*s, dtype=torch.float64, requires_grad=True) for s in ((5, 4), (3, 4), (3, 2))
    ]
    named = attention(nt.tensor(q, seq_, emb), nt.tensor(k, seq, emb), nt.tensor(v, seq, hid))
    weight = torch.randn(5, 2, dtype=torch.float64)
    found = torch.autograd.grad((named.torch(seq_, hid) * weight).sum(), (q, k, v))
    by_hand = torch.softmax(q @ k.T / 2.0, -1) @ v
    expected = torch.autograd.grad((by_hand * weight).sum(), (q, k, v))
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.allclose(ours, theirs)


def test_gradients_pass_through_extra_axes_and_bundles():
    @formula
    def outer(X: R[emb], *, proj: linear) -> R:
        return nt.sum[hid](nt.tanh(proj(X)))

    W = nt.tensor(torch.randn(3, 2, dtype=torch.float64), emb, hid).requires_grad_()
    X = nt.tensor(torch.randn(4, 3, dtype=torch.float64), hid, emb)
    nt.sum[hid](outer(X, proj={"W": W})).backward()
    w = W.torch(emb, hid).detach().requires_grad_()
    torch.tanh(X.torch(hid, emb) @ w).sum().backward()
    assert torch.allclose(W.grad.torch(emb, hid), w.grad)


def test_derivatives_of_formulas_have_starred_axes():
    @formula
    def square(X: R[emb]) -> R[emb]:
        return X * X

    X = nt.tensor(torch.tensor([1.0, 3.0]), emb)
    assert nt.derivative(square)(X).torch("emb emb*").tolist() == [[2.0, 0.0], [0.0, 6.0]]


def test_a_formula_of_numbers_takes_python_numbers():
    @formula
    def logistic(x: R, y: R) -> R:
        return y / (1 + nt.exp(-x))

    for x in (0.5, np.float64(0.5), 2):
        result = logistic(x, 3)
        assert result.axes == ()
        assert result.item() == pytest.approx(3 / (1 + np.exp(-x)))
    assert isinstance(logistic(nt.tensor(0.5), 3), nt.NamedTensor)


def test_spaces_that_say_the_same_are_equal():
    assert R[seq, emb] == R[seq, emb]
    assert len({R[seq], R[seq], R}) == 2
    assert R[seq, emb] != R[emb, seq]  # the order is that in which parameters are stored
    assert R[seq] not in (Z[seq], R[seq[2]], R[seq_], "R[seq]")
