"""Derivatives of drawn programs and of models are printed, and what is read of them gives their numbers."""

from collections import Counter

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.latex import read
from namedtensor.latex.printing import naming
from tests.formula.test_derivatives_of_loops import FORMULAS as LOOPS
from tests.formula.test_derivatives_of_loops import NAMES, drawn
from tests.latex.formulas import FORMULAS
from tests.laws import printed_derivatives, programs
from tests.laws.agreement import Disagreement
from tests.models.test_derivatives import leaves, numpy_of, values

#: What `make check` draws; `python -m tests.laws.printed_derivatives FIRST COUNT` draws more.
DRAWN = 40

seq, emb, hid = axes("seq emb hid")


def test_what_is_read_of_a_derivative_gives_its_numbers():
    held = Counter()
    for seed in range(DRAWN):
        try:
            held.update(printed_derivatives.hold(programs.program(seed), seed))
        except Disagreement as error:
            pytest.fail(f"program {seed}: {error}")
    assert all(held[f"{way}, macros"] for way in printed_derivatives.WAYS), held


@pytest.mark.parametrize(
    "name", ["formulated.FFN", "formulated.MaskedMultiHead", "forward_pass.EncoderLayer"]
)
@pytest.mark.parametrize("way", ["derivative", "differential"])
def test_what_is_read_of_a_model_s_derivative_gives_its_numbers(way, name):
    f = FORMULAS[name]
    given = values(f)
    path = [path for path, _ in leaves(given)][-1]
    assert len(list(printed_derivatives.held(way, f, path, numpy_of(given)))) == 2


@pytest.mark.parametrize("name", ["last", "combined backwards"])
def test_what_is_read_of_a_recurrence_s_gradient_gives_its_numbers(name):
    f = dict(zip(NAMES, LOOPS, strict=True))[name]
    given = drawn(f)
    assert len(list(printed_derivatives.held("grad", f, list(given)[-1], given))) == 2


def test_a_loop_that_emits_whole_numbers_before_each_step_is_read():
    f = dict(zip(NAMES, LOOPS, strict=True))["counting"]
    assert len(list(printed_derivatives.held("grad", f, "w", drawn(f)))) == 2


def test_a_loop_along_what_another_gives_is_printed_without_what_its_result_does_not_need():
    """What only other results of the loop need had no name, and printing raised TypeError."""
    assert "grad, macros" in printed_derivatives.hold(programs.program(296), 296)


@formula
def loss(X: R[seq, emb], *, W: R[emb, hid]) -> R:
    return nt.sum[seq, hid](W @ emb @ X)


def drawn_loss():
    random = np.random.default_rng(0)
    X, W = random.normal(size=(3, 2)), random.normal(size=(2, 4))
    return {"X": nt.tensor(X, seq, emb), "W": nt.tensor(W, emb, hid)}


def test_a_derivative_is_asked_for_by_its_name_and_as_it_is_written():
    document = read(nt.grad(loss, "W").latex())
    assert document.names[0] == "dloss_dW"
    written = r"\frac{\partial \text{loss}}{\partial W}"
    assert document["dloss_dW"].signature == document[written].signature


def test_axes_along_which_a_gradient_repeats_are_printed():
    given = drawn_loss()
    found = read(nt.grad(loss, "W").latex())["dloss_dW"](**given)
    assert found.shape == nt.Shape("emb[2] hid[4]")


def test_each_of_several_gradients_has_an_equation():
    document = read(nt.grad(loss, ("X", "W")).latex())
    given = drawn_loss()
    for name, expected in zip("XW", nt.grad(loss, ("X", "W"))(**given), strict=True):
        found = document[f"dloss_d{name}"](**given)
        np.testing.assert_allclose(found.numpy(*expected.axes), expected.numpy(*expected.axes))


def test_a_second_derivative_and_a_derivative_s_change_are_read():
    @formula
    def cubes(X: R[emb]) -> R:
        return nt.sum[emb](X * X * X)

    X, dX = nt.tensor([1.0, 2.0], emb), nt.tensor([0.5, -1.0], emb)
    second = nt.derivative(nt.grad(cubes))
    found = read(second.latex())["ddcubes_dX_dX"](X)
    np.testing.assert_allclose(found.numpy(*found.axes), second(X).numpy(*found.axes))
    changed = read(nt.differential(nt.grad(cubes)).latex())["ddcubes_dX"](X, dX=dX)
    np.testing.assert_allclose(
        changed.numpy(emb), nt.differential(nt.grad(cubes))(X, dX).numpy(emb)
    )


def test_a_derivative_beside_its_function_is_held_to_it():
    text = loss.latex() + "\n\n" + nt.grad(loss, "W").latex()
    document = read(text)
    assert not document.check()
    assert document.names[:2] == ("loss", "dloss_dW")
    (fault,) = read(text.replace("W} &= P", r"W} &= \nsum{\name{hid}} P")).check()
    assert fault.code == "declared-shape"
    assert "lacks hid" in str(fault)


def test_a_derivative_of_what_the_document_does_not_define_is_no_fault_of_its_name():
    @formula
    def softmax(z: R[emb]) -> R[emb]:
        return nt.softmax[emb](z)

    assert not read(nt.derivative(softmax).latex()).check()


def test_the_python_of_a_derivative_runs():
    given = drawn_loss()
    module = {"__name__": "printed"}
    exec(compile(read(nt.grad(loss, "X").latex()).python(), "<written>", "exec"), module)
    expected = nt.grad(loss, "X")(**given)
    np.testing.assert_allclose(
        module["dloss_dX"](**given).numpy(seq, emb), expected.numpy(seq, emb)
    )


def test_a_scatter_into_the_axis_that_it_uses_up():
    I = nt.tensor([2, 0, 2], seq)
    found = nt.scatter[seq, seq[4]](nt.tensor([1.0, 5.0, 10.0], seq), I)
    assert found.numpy(seq).tolist() == [5.0, 0.0, 11.0, 0.0]
    with pytest.raises(nt.AxisNameError, match="seq is named twice"):
        nt.scatter[seq, seq, emb[4]](nt.ones(seq[3]), I)


@formula
def pick(X: R[seq]) -> R[emb]:
    return nt.lgamma(nt.exp(X))[seq >> emb]


def test_a_polygamma_is_read():
    X = nt.tensor([0.5, 1.0], seq)
    second = nt.derivative(nt.derivative(pick))
    found = read(second.latex())["ddpick_dX_dX"](X)
    np.testing.assert_allclose(found.numpy(*found.axes), second(X).numpy(*found.axes))


def test_the_law_can_fail(monkeypatch):
    monkeypatch.setattr(naming.Names, "spread", lambda self, node: {})
    given = drawn_loss()
    with pytest.raises(Disagreement, match="axes"):
        list(printed_derivatives.held("grad", loss, "W", given))
