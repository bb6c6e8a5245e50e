"""What cannot be derived."""

import functools

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from tests.errors.check import case, check

emb, hid, vocab = axes("emb hid vocab")
X, W = nt.ones("emb[4]"), nt.ones("emb[4] hid[2]")
S, y = nt.ones("vocab[4]"), nt.tensor(np.array(1))


@formula
def layer(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return X @ emb @ W


@formula
def wave(X: R[emb]) -> R:
    return nt.sum[emb](X * 1j)


@formula
def both(X: R[emb]) -> tuple[R[emb], R]:
    return X, nt.sum[emb](X)


@formula
def scores(X: R[emb]):
    return nt.exp(X)


@formula
def surprise(S: R[vocab], y: Z) -> R:
    return S[vocab(y)]


@formula
def biased(X: R[emb], dX: R[emb]) -> R[emb]:
    return X + dX


@formula
def shifted(X: R[emb], b: R[emb] = None) -> R[emb]:
    return X if b is None else X + b


def through(**rule):
    """Derive a sum of sines that are lifted, with a rule or without."""
    sine = nt.lift(np.sin, "->", **rule)

    @formula
    def waves(X: R[emb]) -> R:
        return nt.sum[emb](sine(X))

    return nt.grad(waves)(X)


CASES = [
    case(
        "the gradient of a complex number",
        lambda: nt.grad(lambda X: nt.sum[emb](X * 1j))(X),
        nt.KindError,
        """
grad(f)(X): f(X) is a complex number, and a gradient is of a real one
  X    : emb[4]
  f(X) : () a single number
hint: nt.real(f(X)), nt.imag(f(X)) or nt.abs(f(X)); nt.derivative gives complex numbers
""",
    ),
    case(
        "the gradient of a formula that gives a complex number",
        lambda: nt.grad(wave)(X),
        nt.KindError,
        """
grad(wave)(...): wave(...) is a complex number, and a gradient is of a real one
  X : emb[4]
hint: nt.real(wave(...)), nt.imag(wave(...)) or nt.abs(wave(...)); nt.derivative gives complex numbers
""",
    ),
    case(
        "the derivative of a formula by complex numbers",
        lambda: nt.grad(wave)(X * 1j),
        nt.KindError,
        """
grad(wave)(...): X holds complex numbers, and derivatives are by real ones
  X : emb[4]
hint: nt.real(X) or nt.imag(X)
""",
    ),
    case(
        "derivatives by complex numbers on torch",
        lambda: nt.derivative(lambda X: X * X)(X.to("torch") * 1j),
        nt.DerivativeError,
        """
derivative(f)(X): X holds complex numbers, and torch has partial derivatives by real ones
  X : emb[4]
hint: make a formula of f, or derive on numpy: nt.derivative(f)(X.to("numpy"))
""",
    ),
    case(
        "a derivative that torch has not",
        lambda: nt.derivative(nt.grad(lambda X: nt.sum[emb](nt.hardsigmoid(X))))(X.to("torch")),
        nt.DerivativeError,
        """
derivative(f)(X): torch cannot: derivative for aten::hardsigmoid_backward is not implemented
  X : emb[4]
hint: make a formula of f, or derive on numpy: nt.derivative(f)(X.to("numpy"))
""",
    ),
    case(
        "backward from a complex number",
        lambda: nt.sum[emb](X.to("torch").requires_grad_() * 1j).backward(),
        nt.KindError,
        """
X.backward(): X is a complex number, and a gradient is of a real one
  X : () a single number
hint: nt.real(X), nt.imag(X) or nt.abs(X)
""",
    ),
    case(
        "no gradients of what is computed from recorded tensors",
        lambda: (2 * nt.ones("emb[4]", backend="torch").requires_grad_()).requires_grad_(False),
        nt.BackendError,
        """
X.requires_grad_(False): X is computed from tensors whose operations are recorded
  X : emb[4]
hint: `X.detach()` has the same numbers as a constant
""",
    ),
    case(
        "a gradient of a formula that gives axes",
        lambda: nt.grad(layer),
        nt.AxisSizeError,
        """
grad(layer): layer gives R[hid], and a gradient is of a single number
hint: sum over them in the body; nt.derivative(layer) keeps them
""",
    ),
    case(
        "a gradient of a formula that turns out to give axes",
        lambda: nt.grad(scores)(X),
        nt.AxisSizeError,
        """
grad(scores)(...): scores gives a tensor over emb, and a gradient is of a single number
  X : emb[4]
hint: sum over them in the body; nt.derivative(scores) keeps them
""",
    ),
    case(
        "a place that no argument has",
        lambda: nt.derivative(layer, 1),
        nt.AxisNameError,
        """
derivative(layer, 1): layer has 1 argument(s), and argument 1 is asked for
hint: arguments count from 0; a parameter goes by its name
""",
    ),
    case(
        "a name that no argument has",
        lambda: nt.derivative(layer, "V"),
        nt.AxisNameError,
        """
derivative(layer, 'V'): layer has no tensor 'V'
hint: one of X, W
""",
    ),
    case(
        "a derivative by whole numbers",
        lambda: nt.grad(surprise, "y")(S, y),
        nt.KindError,
        """
grad(surprise, 'y')(...): y holds int numbers, and derivatives are by real ones
  y : () a single number
hint: y.to("float32")
""",
    ),
    case(
        "a derivative by what is left out",
        lambda: nt.derivative(shifted, "b")(X),
        nt.AxisNameError,
        """
derivative(shifted, 'b')(...): b is not given, and the derivative is by it
hint: give it: b=...
""",
    ),
    case(
        "a derivative of two tensors",
        lambda: nt.derivative(both),
        nt.NamedTensorError,
        """
derivative(both): both gives 2 tensors, and one is derived
hint: derive a formula that gives one of them
""",
    ),
    case(
        "a differential whose change has the name of an argument",
        lambda: nt.differential(biased),
        nt.AxisClashError,
        """
differential(biased): biased has an argument dX, which is the name of X's change
hint: call the argument of biased otherwise
""",
    ),
    case(
        "a derivative of a function by a name that it is not given",
        lambda: nt.derivative(lambda X, Y=None: X, "Y")(X),
        nt.AxisNameError,
        """
derivative(f, 'Y'): f is given X, and not Y
hint: give it, or name another
""",
    ),
    case(
        "a lifted function without a rule",
        through,
        nt.DerivativeError,
        """
d sin(A): sin is lifted without a rule for its derivative
  A : emb[4]
hint: give it one, nt.lift(sin, '->', differential=lambda A, dA: ...), or let torch derive it: nt.sum[...](f(X)).backward()
""",
    ),
    case(
        "a rule that gives another number of changes",
        lambda: through(differential=lambda X, dX: (dX, dX)),
        nt.DerivativeError,
        """
d sin(A): its differential gives 2 result(s), and the pattern names 1
  A : emb[4]
hint: give a change for each result: differential=lambda A, dA: ...
""",
    ),
    case(
        "a rule that gives an axis too many",
        lambda: through(differential=lambda X, dX: nt.stack[hid](dX, dX)),
        nt.DerivativeError,
        """
d sin(A): its differential gives an axis hid, which sin does not give
  A : emb[4]
hint: sum over it: nt.sum[hid](...)
""",
    ),
    *[
        case(
            f"a rule that {what}",
            functools.partial(through, differential=rule),
            nt.DerivativeError,
            """
d sin(A): its differential is not seen to be linear in the changes
  A : emb[4]
hint: multiply each change by what does not depend on it, and add: lambda X, dX: nt.cos(X) * dX
""",
        )
        for what, rule in [
            ("forgets the change", lambda X, dX: nt.cos(X)),
            ("multiplies changes", lambda X, dX: dX * dX),
            ("adds what does not change", lambda X, dX: dX + nt.cos(X)),
            ("takes another function of the change", lambda X, dX: nt.sin(dX)),
        ]
    ],
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_what_does_not_change_has_derivative_0_on_both_libraries():
    for backend in ("numpy", "torch"):
        Y = nt.tensor(np.array([1.0, 3.0, 2.0]), "emb").to(backend)
        assert not nt.grad(lambda X: nt.argmax_index[emb](X))(Y).numpy(emb).any()
        assert not nt.derivative(lambda X: nt.argmax[emb](X))(Y).numpy(emb, "emb*").any()
        assert not nt.grad(lambda X: nt.sum[emb](nt.cast(X > 1, int)))(Y).numpy(emb).any()


def test_a_complex_derivative_is_the_same_on_both_libraries():
    Y = nt.tensor(np.array([1.0, 3.0, 2.0]), "emb")
    found = nt.derivative(lambda X: X * X * (1 + 2j))
    nt.testing.assert_close(found(Y.to("torch")).to("numpy"), found(Y))


def test_backward_runs_again_where_its_graph_is_kept():
    Y = nt.ones("emb[4]", backend="torch").requires_grad_()
    loss = nt.sum[emb](Y**2)
    loss.backward(retain_graph=True)
    loss.backward()
    assert Y.grad.torch(emb).tolist() == [4.0] * 4
