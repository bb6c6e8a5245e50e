"""torch.func goes through formulas: on positional tensors named inside, and on named tensors."""

from copy import deepcopy

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import namedtensor as nt
from tests.torch_whole.model import SIZES, Model, batch, gradients, loss, surprise, words
from transformer_named.named_tensors import FFN, emb, layer, seq, vocab


@pytest.fixture
def ffn():
    return FFN.module(*SIZES[:2], dtype=torch.float64)


@pytest.fixture
def step():
    """A layer as a function of positional data."""
    module = layer.module(*SIZES, dtype=torch.float64)
    return lambda x: module(nt.tensor(x, seq, emb)).torch(seq, emb)


@pytest.fixture
def composed():
    """Let attention run as a composition: torch has no other derivative of it than one backward."""
    with sdpa_kernel(SDPBackend.MATH):
        yield


def draw(*sizes):
    return torch.randn(sizes, dtype=torch.float64)


def test_grad_over_a_named_tensor_has_its_axes(ffn):
    X = nt.tensor(draw(5, 8), seq, emb)
    found = torch.func.grad(lambda X: nt.sum[...](nt.tanh(ffn(X))).torch())(X)
    expected = nt.grad(lambda X: nt.sum[...](nt.tanh(ffn(X))))(X)
    nt.testing.assert_close(found, expected, rtol=1e-12)


def test_grad_and_vjp_line_up(ffn):
    X, dY = nt.tensor(draw(5, 8), seq, emb), nt.tensor(draw(8, 5), emb, seq)
    Y, back = torch.func.vjp(ffn, X)
    nt.testing.assert_same(Y, ffn(X))
    along = lambda X: nt.sum[...](dY * ffn(X)).torch()
    (found,) = back(nt.tensor(dY.torch(*Y.axes), *Y.axes))
    nt.testing.assert_close(found, torch.func.grad(along)(X), rtol=1e-12)


def test_jvp_over_named_tensors_is_the_differential(ffn):
    X, dX = (nt.tensor(draw(5, 8), seq, emb) for _ in range(2))
    Y, dY = torch.func.jvp(ffn, (X,), (dX,))
    nt.testing.assert_same(Y, ffn(X))
    nt.testing.assert_close(dY, nt.differential(ffn)(X, dX), rtol=1e-12)


def test_functional_call_takes_parameters_from_outside():
    model, x = Model(dtype=torch.float64), words()
    doubled = {name: 2 * p.detach() for name, p in model.named_parameters()}
    found = torch.func.functional_call(model, doubled, (x,))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)
    nt.testing.assert_same(found, model(x))


def test_grad_over_parameters_is_what_backward_leaves():
    model, x = Model(dtype=torch.float64), words()

    def at(parameters):
        scores = torch.func.functional_call(model, parameters, (x,))
        return nt.mean[...](surprise(scores, x)).torch()

    found = torch.func.grad(at)({n: p.detach() for n, p in model.named_parameters()})
    for name, expected in gradients(model, x).items():
        torch.testing.assert_close(found[name], expected, rtol=1e-12, atol=1e-14)


def test_jacrev_and_jacfwd_are_the_derivative(ffn):
    x = draw(8)
    named = nt.derivative(ffn)(nt.tensor(x, emb)).torch(emb, "emb*")
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        found = jacobian(lambda x: ffn(nt.tensor(x, emb)).torch())(x)
        torch.testing.assert_close(found, named, rtol=1e-12, atol=1e-14)


def test_forward_and_reverse_mode_agree_through_attention(step, composed):
    x = draw(5, 8)
    forward, reverse = torch.func.jacfwd(step)(x), torch.func.jacrev(step)(x)
    torch.testing.assert_close(forward, reverse, rtol=1e-10, atol=1e-12)
    assert forward.abs().max() > 0


def test_gradients_agree_with_finite_differences(step):
    x = draw(5, 8).requires_grad_()
    assert torch.autograd.gradcheck(step, x)


def test_second_derivatives_agree_with_finite_differences(step, composed):
    x = draw(3, 8).requires_grad_()
    assert torch.autograd.gradgradcheck(step, x)


def test_vmap_over_a_positional_axis_is_what_lifting_does(composed):
    module, X = layer.module(*SIZES, dtype=torch.float64), nt.tensor(draw(3, 5, 8), batch, seq, emb)
    mapped = torch.func.vmap(lambda x: module(nt.tensor(x, seq, emb)).torch(seq, emb))
    torch.testing.assert_close(mapped(X.data), module(X).torch(batch, seq, emb))


def test_vmap_takes_the_imaginary_part_of_a_conjugate():
    x = torch.tensor([[1.5 + 0.625j], [2.0 - 1.0j]])
    mapped = torch.func.vmap(lambda x: nt.imag(nt.conj(nt.tensor(x, seq))).torch(seq))
    assert torch.equal(mapped(x), -x.imag)


def test_vmap_leaves_a_named_tensor_whole_where_in_dims_is_none(ffn):
    scale, X = draw(3), nt.tensor(draw(5, 8), seq, emb)
    mapped = torch.func.vmap(lambda s, X: ffn(X * nt.tensor(s)).torch(seq, emb), in_dims=(0, None))
    expected = ffn(X * nt.tensor(scale, batch)).torch(batch, seq, emb)
    torch.testing.assert_close(mapped(scale, X), expected)


def test_vmap_over_the_weights_of_several_models():
    ffns, X = [FFN.module(*SIZES[:2]) for _ in range(3)], nt.normal(seq[5], emb[8], backend="torch")
    parameters, _ = torch.func.stack_module_state(ffns)
    skeleton = deepcopy(ffns[0]).to("meta")

    def one(parameters):
        return torch.func.functional_call(skeleton, parameters, (X,)).torch(seq, emb)

    found = torch.func.vmap(one)(parameters)
    for i, ffn in enumerate(ffns):
        torch.testing.assert_close(found[i], ffn(X).torch(seq, emb))


def test_a_gradient_for_each_sentence(composed):
    model, x = Model(dtype=torch.float64), words(3)

    def at(parameters, sentence):
        named = nt.tensor(sentence, seq)
        scores = torch.func.functional_call(model, parameters, (named,))
        return nt.mean[...](surprise(scores, named)).torch()

    parameters = {n: p.detach() for n, p in model.named_parameters()}
    found = torch.func.vmap(torch.func.grad(at), in_dims=(None, 0))(parameters, x.data)
    for i in range(3):
        expected = gradients(model, x[batch(i)])
        for name in expected:
            torch.testing.assert_close(found[name][i], expected[name], rtol=1e-9, atol=1e-12)


BY_POSITION = """\
putting a tensor back under its names: the data has axes: {data}, and names: {count}. vmap and the \
Jacobians of torch.func add and take axes by position, and names have none
  names : {names}
hint: formulas lift over any axis without vmap, and nt.derivative(f)(X) is the Jacobian; \
under vmap, name a positional tensor inside: lambda x: f(nt.tensor(x, ...)).torch(...)"""


def test_vmap_over_an_axis_of_a_named_tensor_is_refused(ffn):
    X = nt.tensor(draw(5, 8), seq, emb)
    with pytest.raises(nt.AxisNameError) as error:
        torch.func.vmap(ffn)(X)
    assert str(error.value) == BY_POSITION.format(data=1, count=2, names="seq emb")


def test_a_named_result_of_vmap_is_refused(ffn):
    with pytest.raises(nt.AxisNameError) as error:
        torch.func.vmap(lambda x: ffn(nt.tensor(x, emb)))(draw(3, 8))
    assert str(error.value) == BY_POSITION.format(data=2, count=1, names="emb")


def test_a_jacobian_of_named_tensors_is_refused(ffn):
    with pytest.raises(nt.AxisNameError) as error:
        torch.func.jacrev(ffn)(nt.tensor(draw(8), emb))
    assert str(error.value) == BY_POSITION.format(data=2, count=1, names="emb")


def test_mapping_over_the_tree_of_tensors_follows_their_kind():
    X = nt.tensor(draw(5, 8), seq, emb)
    positive = torch.utils._pytree.tree_map(lambda x: x > 0, {"X": X})["X"]
    nt.testing.assert_same(positive, X > 0)
    assert positive.kind == "bool"


def test_a_loss_by_formula_is_torch_s(composed):
    model, x = Model(dtype=torch.float64), words()
    scores = model(x).torch(batch, vocab, seq)
    torch.testing.assert_close(
        loss(model, x), torch.nn.functional.cross_entropy(scores, x.torch(batch, seq))
    )


def test_a_floored_quotient_has_a_derivative_of_0():
    X = nt.tensor(draw(5), seq).requires_grad_()
    nt.sum[seq](X // 2 + 3 // (X + 10) + X).backward()
    nt.testing.assert_same(X.grad, nt.ones(seq[5], backend="torch", dtype="float32"))


def test_a_step_has_a_derivative_of_0():
    X = nt.tensor(draw(5), seq).requires_grad_()
    nt.sum[seq](nt.heaviside(X, 0.5) + nt.sign(X) + X).backward()
    nt.testing.assert_same(X.grad, nt.ones(seq[5], backend="torch", dtype="float32"))
