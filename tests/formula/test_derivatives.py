"""Derivatives of formulas are formulas: on numpy and torch, lifted, compiled, printed, derived again."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.testing import assert_close

batch, seq, emb, hid, vocab = axes("batch seq emb hid vocab")
LIBRARIES = ["numpy", "torch"]


@formula
def loss(X: R[seq, emb], *, W: R[emb, hid], b: R[hid]) -> R:
    return nt.sum[seq, hid](nt.exp(X @ emb @ W + b) * 0.5)


@formula
def layer(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return nt.exp(X @ emb @ W) + b


@formula
def surprise(S: R[vocab], y: Z) -> R:
    return -nt.log(nt.softmax[vocab](S))[vocab(y)]


@formula
def product(X: R[seq, emb], W: R[emb, hid]) -> R[seq, hid]:
    return X @ emb @ W


def draw(shape, library="torch", seed=0):
    made = nt.zeros(shape)
    numbers = np.random.default_rng(seed).normal(size=made.numpy(*made.axes).shape)
    return nt.tensor(numbers, *made.axes).to(library)


def given(library="torch"):
    return draw("seq[3] emb[4]", library), {
        "W": draw("emb[4] hid[2]", library, 1),
        "b": draw("hid[2]", library, 2),
    }


def by_torch(f, tensors, *by):
    """Give torch's gradients of a loss that is called with named tensors."""
    named = [t.detach().requires_grad_() for t in tensors]
    f(*named).backward()
    found = [named[i].grad for i in by]
    return found[0] if len(found) == 1 else tuple(found)


def with_parameters(X, W, b):
    return loss(X, W=W, b=b)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("by", "place"), [(0, 0), ("X", 0), ("W", 1), ("b", 2)])
def test_a_gradient_is_a_formula_that_runs_on_numpy_and_torch(by, place, library):
    g = nt.grad(loss, by=by)
    assert isinstance(g, nt.Formula)
    X, parameters = given()
    expected = by_torch(with_parameters, (X, *parameters.values()), place)
    X, parameters = given(library)
    assert_close(g(X, **parameters).to("torch"), expected)


def test_a_gradient_by_several_is_a_tuple():
    X, parameters = given()
    found = nt.grad(loss, by=("W", "b"))(X, **parameters)
    expected = by_torch(with_parameters, (X, *parameters.values()), 1, 2)
    assert len(found) == 2
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


def test_a_gradient_by_a_tuple_of_one_is_a_tuple_of_one():
    X, parameters = given()
    (found,) = nt.grad(loss, ("W",))(X, **parameters)
    assert_close(found, nt.grad(loss, "W")(X, **parameters))


@pytest.mark.parametrize("by", [0, "W", "b"])
def test_extra_axes_lift_with_one_gradient_for_each_record(by):
    X, parameters = draw("batch[5] seq[3] emb[4]"), given()[1]
    g = nt.grad(loss, by=by)
    found = g(X, **parameters)
    for i in range(5):
        assert_close(found[batch(i)], g(X[batch(i)], **parameters))


def test_a_gradient_that_no_number_of_the_argument_changes_lifts_too():
    @formula
    def total(X: R[emb]) -> R:
        return nt.sum[emb](X)

    found = nt.grad(total)(draw("batch[5] emb[4]"))
    assert_close(found, nt.ones("batch[5] emb[4]").to("torch"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_derivative_stars_the_declared_axes_and_lifts_over_the_others(library):
    X, W, b = draw("seq[3] emb[4]", library), *given(library)[1].values()
    found = nt.derivative(layer)(X, W=W, b=b)
    assert found.shape == nt.Shape("seq[3] hid[2] emb*[4]")
    expected = nt.exp(X @ emb @ W) * W[emb >> "emb*"]
    assert_close(found, expected)


def test_a_derivative_by_a_parameter_has_the_same_numbers_for_each_record():
    X, parameters = given()
    found = nt.derivative(layer, "b")(X, **parameters)
    assert_close(found, nt.eye("hid[2]", "hid*[2]").to("torch") + nt.zeros("seq[3]").to("torch"))


def test_a_derivative_of_a_derivative_has_another_star():
    @formula
    def cubes(X: R[emb]) -> R:
        return nt.sum[emb](X * X * X)

    X = draw("emb[4]", "numpy")
    second = nt.derivative(nt.derivative(cubes))(X)
    assert second.shape == nt.Shape("emb*[4] emb**[4]")
    assert_close(second, 6 * X[emb >> "emb*"] * nt.eye("emb*[4]", "emb**[4]"))
    hessian = nt.derivative(nt.grad(cubes))(X)
    assert_close(hessian, 6 * X * nt.eye("emb[4]", "emb*[4]"))


def test_a_gradient_of_a_gradient_s_length_is_torch_s():
    @formula
    def sharpness(X: R[seq, emb], *, W: R[emb, hid], b: R[hid]) -> R:
        G = nt.grad(loss, "W")(X, W=W, b=b)
        return nt.sum[emb, hid](G * G)

    X, parameters = given()
    found = nt.grad(sharpness, "W")(X, **parameters)
    x, w, b = X.torch(seq, emb), parameters["W"].torch(emb, hid), parameters["b"].torch(hid)

    def length(w):
        inner = torch.func.grad(lambda w: (0.5 * (x @ w + b).exp()).sum())(w)
        return (inner * inner).sum()

    assert torch.allclose(found.torch(emb, hid), torch.func.grad(length)(w))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_differential_takes_the_change_after_the_arguments_or_by_name(library):
    X, parameters = given(library)
    dX = draw("seq[3] emb[4]", library, 3)
    expected = nt.derivative(layer)(X, **parameters) @ "emb*" @ dX[emb >> "emb*"]
    d = nt.differential(layer)
    assert_close(d(X, dX, **parameters), expected)
    assert_close(d(X, dX=dX, **parameters), expected)


def test_a_differential_by_several_adds_their_changes():
    X, parameters = given()
    dW, db = draw("emb[4] hid[2]", seed=3), draw("hid[2]", seed=4)
    found = nt.differential(layer, ("W", "b"))(X, dW=dW, db=db, **parameters)
    one = nt.differential(layer, "W")(X, dW=dW, **parameters)
    other = nt.differential(layer, "b")(X, db=db, **parameters)
    assert_close(found, one + other)


def test_a_parameter_in_a_bundle_goes_by_its_path():
    @formula
    def error(X: R[emb], *, net: layer) -> R:
        Y = net(X)
        return nt.sum[hid](Y * Y)

    X, parameters = draw("seq[3] emb[4]"), given()[1]
    found = nt.grad(error, "net.W")(X, net=parameters)
    Y = layer(X, **parameters)
    assert_close(found, 2 * Y * nt.exp(X @ emb @ parameters["W"]) * X)
    module = layer.module(emb[4], hid[2], dtype=torch.float64)
    assert nt.grad(error, "net.b")(X, net=module).shape == nt.Shape("seq[3] hid[2]")


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_gradient_has_the_dtype_of_what_it_is_by(library):
    X = nt.cast(draw("seq[3] emb[4]", library), "float32")
    W = nt.cast(draw("emb[4] hid[2]", library), "float32")

    @formula
    def total(X: R[seq, emb], W: R[emb, hid]) -> R:
        return nt.sum[seq, hid](X) + nt.sum[emb](W) if False else nt.sum[seq, emb](X)

    assert "float32" in str(nt.grad(total)(X, W).data.dtype)
    assert "float32" in str(nt.grad(total, "W")(X, W).data.dtype)


# ------------------------------------------------------------------------------------ simplified


def equation(f):
    """Give the right-hand side of a formula's first equation."""
    return next(line for line in f.latex().splitlines() if "&=" in line).split("&= ")[1]


def test_the_gradient_of_cross_entropy_is_softmax_minus_one_hot():
    assert nt.grad(surprise).latex() == (
        "$$\\begin{aligned}\n"
        "S &\\in \\mathbb{R}^{\\name{vocab}} \\\\\n"
        "y &\\in \\mathbb{Z} \\\\\n"
        "\\frac{\\partial \\text{surprise}(S, y)}{\\partial S} &= \\nfun{\\name{vocab}}{softmax} S "
        "- \\nfun{\\name{vocab}}{onehot}(y, |\\name{vocab}|)\n"
        "\\end{aligned}$$"
    )


def test_the_derivative_of_a_product_is_the_outer_product_that_it_is():
    assert nt.derivative(product, "W").latex().splitlines()[3:6] == [
        "\\frac{\\partial \\text{product}(X, W)}{\\partial W} &= "
        "X_{\\name{emb} \\rightarrow \\name{emb}^*} \\odot I \\\\",
        "I &\\in \\mathbb{Z}^{\\name{hid}[|\\name{hid}|] \\times \\name{hid}^*[|\\name{hid}|]} \\\\",
        "I_{\\name{hid}(i), \\name{hid}^*(j)} &= "
        "\\begin{cases} 1 & i = j \\\\ 0 & \\text{otherwise} \\end{cases}",
    ]


def test_a_gradient_through_a_product_is_an_outer_product():
    @formula
    def error(X: R[emb], *, W: R[emb, hid]) -> R:
        return nt.sum[hid](nt.exp(X @ emb @ W))

    assert equation(nt.grad(error, "W")) == r"\exp(X \ndot{\name{emb}} W) \odot X"


def test_the_derivative_of_softmax_prints_as_the_paper_writes_it():
    @formula
    def attention(X: R[emb]) -> R[emb]:
        Y = nt.softmax[emb](X)
        return Y

    found = equation(nt.derivative(attention))
    assert found == r"Y \odot (I - Y_{\name{emb} \rightarrow \name{emb}^*}) \\"


def test_a_second_derivative_and_a_differential_have_heads_of_their_own():
    @formula
    def cubes(X: R[emb]) -> R:
        return nt.sum[emb](X * X * X)

    second = nt.derivative(nt.grad(cubes)).latex()
    assert (
        "\\frac{\\partial}{\\partial X} \\frac{\\partial \\text{cubes}(X)}{\\partial X} &="
        in second
    )
    assert "\\partial \\text{cubes}(X) &=" in nt.differential(cubes).latex()
    assert "\\partial X &\\in" in nt.differential(cubes).latex()


def test_what_two_parts_share_is_computed_once():
    @formula
    def error(X: R[emb], *, W: R[emb, hid]) -> R:
        return nt.sum[hid](nt.exp(X @ emb @ W))

    X, parameters = draw("emb[4]"), given()[1]
    assert nt.grad(error, "W").code(X, W=parameters["W"]).count("exp(") == 1


# ------------------------------------------------------------------------------- plain functions


def test_a_plain_function_is_traced_on_numpy():
    X, W = draw("seq[3] emb[4]", "numpy"), draw("emb[4] hid[2]", "numpy", 1)
    found = nt.grad(lambda X: nt.sum[...](nt.exp(X @ emb @ W)))(X)
    assert_close(found, W @ hid @ nt.exp(X @ emb @ W))
    found = nt.derivative(lambda X, W: X @ emb @ W, by="W")(X, W=W)
    assert found.shape == nt.Shape("seq[3] hid[2] emb*[4] hid*[2]")


def test_a_plain_function_that_gives_a_constant_has_the_derivative_0():
    X, W = draw("emb[4]", "numpy"), draw("hid[2]", "numpy")
    assert_close(nt.derivative(lambda X: W)(X), nt.zeros("hid[2] emb*[4]"))


def test_a_body_may_ask_for_the_gradient_of_a_function():
    @formula
    def step(X: R[emb]) -> R[emb]:
        return X - 0.1 * nt.grad(lambda Y: nt.sum[emb](Y * Y * X))(X)

    X = draw("emb[4]")
    assert_close(step(X), X - 0.1 * 2 * X * X)


def test_undeclared_results_are_found_when_called():
    @formula
    def scores(X: R[emb]):
        return nt.exp(X)

    X = draw("emb[4]")
    assert nt.derivative(scores)(X).shape == nt.Shape("emb[4] emb*[4]")


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_derivative_goes_through_what_takes_real_numbers_alone(library, factor):
    @formula
    def lengthened(X: R[seq]) -> R[seq]:
        return nt.upsample[seq](X, factor, linear=True)

    X = draw("seq[3]", library)
    found = nt.derivative(lengthened)(X)
    wanted = torch.autograd.functional.jacobian(
        lambda x: lengthened(nt.tensor(x, seq)).torch(seq), X.to("torch").torch(seq)
    )
    assert_close(found.to("torch"), nt.tensor(wanted, *sorted(found.axes)))


def cubes(X, V):
    return X * X * X * V


IN_BODIES = {
    "derivative": lambda X, V: nt.derivative(cubes)(X, V),
    "derivative of a number": lambda X, V: nt.derivative(lambda X: nt.sum[seq](cubes(X, V)))(X),
    "grad": lambda X, V: nt.grad(lambda X: nt.sum[seq](cubes(X, V)))(X),
    "grad by the other": lambda X, V: nt.grad(lambda X, V: nt.sum[seq](cubes(X, V)), 1)(X, V),
    "differential": lambda X, V: nt.differential(lambda X: nt.sum[seq](cubes(X, V)))(X, V),
}


@pytest.mark.parametrize("traced", [True, False])
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("lifted", ["X", "V", "XV"])
@pytest.mark.parametrize("way", IN_BODIES)
def test_a_derivative_in_a_body_is_one_for_each_record_of_what_lifts(way, lifted, library, traced):
    """The axes that the body does not see were derived by too, or met as batch·*."""

    def body(X: R[seq], V: R[seq]):
        return IN_BODIES[way](X, V)

    f = formula(body, trace=traced)
    given = {n: draw(f"{'batch[2] ' * (n in lifted)}seq[3]", library) for n in "XV"}
    together = f(**given)
    for b in (0, 1):
        alone = f(**{n: X[batch(b)] if n in lifted else X for n, X in given.items()})
        found = together[batch(b)] if "batch" in together.axes else together
        assert_close(found, alone)
