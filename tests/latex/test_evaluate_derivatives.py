"""Derivatives of expressions against torch's own, and against finite differences."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.primitives.node import describe
from tests.latex.evaluating import evaluator, leaf, parsed, value

ax, bx, row, col = axes("ax bx row col")

FUNCTIONS = {
    "exp": r"\exp X",
    "log": r"\log(X \odot X + 1)",
    "root": r"\sqrt{X^2 + 2}",
    "quotient": r"\frac{X}{1 + X^2}",
    "power": r"(X^2 + 1)^{1.5}",
    "trigonometry": r"\sin X \odot \cos X + \tan(X / 4)",
    "hyperbolic": r"\tanh X + \sinh X - \cosh X",
    "inverse": r"\arctan X + \arcsin(X / 9) + \arccos(X / 9)",
    "sigmoid": r"\sigma(X)",
    "gelu": r"\text{GELU}(X)",
    "silu": r"\text{SiLU}(X)",
    "softplus": r"\text{softplus}(X)",
    "relu": r"\text{ReLU}(X) + |X|",
    "elu": r"\text{ELU}(X)",
    "erf": r"\text{erf}(X)",
    "extremes": r"\max(X, 0.1) + \min(X, 0.2)",
    "cases": r"\begin{cases} X^2 & X > 0 \\ 2 X & \text{otherwise} \end{cases}",
    "sum": r"\sum_{\text{ax}} X^2 \odot A",
    "softmax": r"\underset{\text{ax}}{\text{softmax}}(X)",
    "logsoftmax": r"\underset{\text{ax}}{\text{log-softmax}}(X)",
    "logsumexp": r"\underset{\text{ax}}{\text{logsumexp}}(X)",
    "statistics": r"\frac{X - \underset{\text{ax}}{\text{mean}}(X)}{\underset{\text{ax}}{\text{std}}(X)}",
    "variance": r"\underset{\text{ax}}{\text{var}}(X)",
    "norm": r"\|X\|_{\text{ax}}",
    "product": r"\prod_{\text{ax}} X",
    "greatest": r"\underset{\text{ax}}{\max} X - \underset{\text{ax}}{\min} X",
    "contraction": r"A \underset{\text{ax}}{\cdot} \exp X",
    "both sides": r"X \underset{\text{ax}}{\cdot} (A \odot X)",
    "renaming": r"A \underset{\text{ax}}{\cdot} X + X_{\text{ax} \rightarrow \text{ax}'}",
    "index": r"X_{\text{ax}(2)} \odot X",
    "range": r"\sum_{i=1}^{2} X_{\text{ax}(i)} X_{\text{ax}(i+1)}",
    "window": r"\sum_{j=1}^{2} (\underset{\text{ax}, \text{k}}{\text{unroll}}(X, 2))_{\text{k}(j)}",
    "running": r"\underset{\text{ax}}{\text{cumsum}}(X)",
    "broadcast": r"\sum_{\text{ax}'} (\sum_{\text{ax}} X + \underset{\text{ax}}{\text{mean}}(A_{\text{bx}"
    r" \rightarrow \text{ax}'}))",
    "joined": r"\underset{\text{ax}}{\text{concat}}(X^2, A, 2 X)",
    "padded": r"\underset{\text{ax}}{\text{pad}}(X^2, 1, 2, 7)",
    "exponent": r"(1 + |A|)^X",
    "constant": r"A",
}


def torch_derivative(text, X, A):
    def f(X):
        return value(text, X=X, A=A)

    return nt.derivative(f)(X)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_derivative_is_what_torch_finds(name):
    text = FUNCTIONS[name]
    generator = torch.Generator().manual_seed(3)
    X = nt.normal(ax[3], generator=generator, dtype=torch.float64)
    A = nt.normal(ax[3], bx[2], generator=generator, dtype=torch.float64)

    @formula
    def derived(X: R[ax], A: R[ax, bx]):
        e = evaluator(X=X, A=A, Y=value(text, X=X, A=A))
        return e.value(parsed(r"\frac{\partial Y}{\partial X}"))

    ours = derived(X, A)
    if name == "constant":
        assert ours.shape == nt.Shape("ax[3] bx[2] ax*[3]")
        assert not ours.numpy("ax", "bx", "ax*").any()
        return
    theirs = torch_derivative(text, X, A)
    assert ours.shape == theirs.shape
    order = ours.axes
    np.testing.assert_allclose(ours.numpy(*order), theirs.numpy(*order), atol=1e-12)


MATRICES = {
    "det": r"\underset{\text{row}, \text{col}}{\det}(X)",
    "slogdet": r"\underset{\text{row}, \text{col}}{\text{slogdet}}(X)",
    "inv": r"\underset{\text{row}, \text{col}}{\text{inv}}(X)",
    "trace": r"\underset{\text{row}, \text{col}}{\text{tr}}(X)",
    "product": r"X \underset{\text{col}}{\cdot} "
    r"X_{\text{row} \rightarrow \text{col}, \text{col} \rightarrow \text{row}'}",
}


@pytest.mark.parametrize("name", MATRICES)
def test_derivatives_of_matrices_are_what_torch_finds(name):
    text = MATRICES[name]
    generator = torch.Generator().manual_seed(4)
    X = nt.normal(row[3], col[3], generator=generator, dtype=torch.float64)

    @formula
    def derived(X: R[row, col]):
        e = evaluator(X=X, Y=value(text, X=X))
        return e.value(parsed(r"\frac{\partial Y}{\partial X}"))

    ours, theirs = derived(X), torch_derivative(text, X, None)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours.numpy(*ours.axes), theirs.numpy(*ours.axes), atol=1e-11)


def test_a_derivative_runs_on_numpy_too():
    @formula
    def derived(X: R[ax]):
        return value(r"\frac{\partial \exp X}{\partial X}", X=X)

    X = np.array([0.0, 1.0])
    np.testing.assert_allclose(derived(nt.tensor(X, ax)).numpy("ax", "ax*"), np.diag(np.exp(X)))


def test_a_gradient_has_the_axes_of_what_it_is_by():
    @formula
    def gradient(X: R[ax]):
        return value(r"\nabla_X L", X=X, L=nt.sum[ax](X * X))

    np.testing.assert_allclose(gradient(nt.tensor([1.0, 2.0], ax)).numpy(), [2.0, 4.0])


def test_one_number_of_a_derivative_is_indexed():
    @formula
    def derived(X: R[ax]):
        return value(
            r"\frac{\partial Y_{\text{ax}(1)}}{\partial X_{\text{ax}(2)}}", X=X, Y=X * nt.sum[ax](X)
        )

    np.testing.assert_allclose(derived(nt.tensor([3.0, 5.0], ax)).item(), 3.0)


def test_a_second_derivative_has_two_stars():
    @formula
    def hessian(X: R[ax]):
        J = value(r"\frac{\partial Y}{\partial X}", X=X, Y=nt.sum[ax](X * X * X))
        return value(r"\frac{\partial J}{\partial X}", X=X, J=J)

    found = hessian(nt.tensor([1.0, 2.0], ax))
    np.testing.assert_allclose(found.numpy("ax*", "ax**"), np.diag([6.0, 12.0]))


def test_a_linear_function_s_derivative_is_its_weights():
    W, X = leaf("W", "out ax"), leaf("X", "batch ax")
    J = value(r"\frac{\partial W \ndot{\name{ax}} x}{\partial x}", W=W, x=leaf("x", "ax"))
    assert describe(J.node) == "W[ax >> ax*]"
    J = value(r"\frac{\partial W \ndot{\name{ax}} X}{\partial X}", W=W, X=X)
    assert set(J.axes) == {"out", "batch", "ax*", "batch*"}
    assert "dot" not in describe(J.node, 9)


def test_a_leaf_of_open_size_derives_too():
    J = value(r"\frac{\partial Y}{\partial X}", X=leaf("X", "ax"), Y=nt.exp(leaf("X", "ax")))
    assert set(J.axes) == {"ax", "ax*"}


def message(text, **values):
    with pytest.raises(nt.NamedTensorError) as raised:
        value(text, **values)
    return str(raised.value)


def test_what_cannot_be_derived_says_so():
    X = leaf("X", "ax[3]")
    assert message(r"\frac{\partial Y}{\partial X}", X=X, Y=nt.dropout(X, 0.5)) == (
        "dY/dX: dropout has no rule for its derivative\n"
        "  X : ax[3]\n"
        "hint: leave dropout out of what is derived, or let torch derive it: "
        "sum[...](f(X)).backward()"
    )
    data = nt.tensor([1.0], ax)
    assert message(r"\frac{\partial Y}{\partial X}", X=data, Y=data) == (
        "dY/dX: a derivative is of an expression, and these are data\n"
        "  Y : ax[1]\n"
        "  X : ax[1]\n"
        "hint: take it of a formula"
    )
    assert message(r"\frac{\partial Y}{\partial X}", X=2.0, Y=X) == (
        "dY/dX: X is no named tensor, and a derivative is by one\n"
        "hint: derive by an argument of the formula: dY/dX"
    )
    assert message(r"\nabla_X Y", X=X, Y=X) == (
        "dY/dX: Y has axes, and a gradient is of a single number\n"
        "  Y : ax[3]\n"
        "hint: sum over them, or write the derivative: dY/dX"
    )
    assert message(r"\partial X", X=X) == (
        "dX: dX is a differential by itself\nhint: derive by something: dY/dX"
    )
