"""Numbers record by record are those that numpy gives."""

import math

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.formula.records import NotCounted, numbers_of, records_in, records_of, sizes_of
from namedtensor.formula.shapes import traced_results
from namedtensor.operations.expanding import ALIKE
from namedtensor.primitives import Type, number, table
from namedtensor.primitives.node import apply_node, argument

SIZES = {"a": 2, "b": 3, "c": 2}


def numbers(body, **spaces):
    """Compute a body by records and by numpy, on the same numbers."""
    annotations = {name: nt.R[space] for name, space in spaces.items()}
    arguments = ", ".join(f"{name}: R_{name}" for name in spaces)
    scope = {"nt": nt, "body": body} | {f"R_{name}": space for name, space in annotations.items()}
    exec(f"def f({arguments}):\n    return body({', '.join(spaces)})", scope)
    formula = nt.formula(scope["f"])
    shapes = {
        k: nt.zeros(*[f"{a}[{SIZES[a]}]" for a in v.split()]).shape for k, v in spaces.items()
    }
    source = np.random.default_rng(0)
    arrays = {
        k: nt.tensor(source.uniform(0.1, 2.0, [SIZES[a] for a in v.split()]), v)
        for k, v in spaces.items()
    }

    def drawn(argument):
        X = arrays[argument.operation.params[0]].numpy(*argument.type.names)
        return {at: float(X[at]) for at in records_of(sizes_of(argument))}

    roots = [part.node for part in traced_results(formula, (), shapes)[1]]
    (found,) = numbers_of(roots, drawn)
    with np.errstate(all="ignore"):
        return found, roots[0], formula(**arrays)


@pytest.mark.parametrize(
    ("body", "spaces"),
    [
        (lambda X, Y: X @ "b" @ Y, {"X": "a b", "Y": "b c"}),
        (lambda X: nt.softmax["b"](nt.log(X) / 3), {"X": "a b"}),
        (lambda X: nt.log(nt.softmax["b"](X)), {"X": "a b"}),
        (lambda X: nt.max["b"](X) - nt.mean["a"](X), {"X": "a b"}),
        (lambda X: nt.norm["b"](X) + nt.var["b"](X) + nt.std["a", "b"](X), {"X": "a b"}),
        (lambda X: nt.prod["a"](X) * nt.logsumexp["a"](X), {"X": "a b"}),
        (lambda X: X["a -> a'"] + X, {"X": "a b"}),
        (lambda X: nt.where(X > 1, X, -nt.inf), {"X": "a b"}),
        (
            lambda X: X + nt.define["a", "b"](lambda i, j: nt.where(j <= i, 0.0, -nt.inf)),
            {"X": "a b"},
        ),
        (lambda X: nt.relu(X - 1) + nt.tanh(X) ** 2, {"X": "a b"}),
        (lambda X: X / (X - X), {"X": "a"}),
        (lambda X: nt.maximum(X, nt.log(-X)), {"X": "a"}),
    ],
)
def test_the_numbers_are_those_of_numpy(body, spaces):
    found, node, wanted = numbers(body, **spaces)
    array = np.zeros([size for _, size in sizes_of(node)])
    for at, x in found.items():
        array[at] = x
    assert np.allclose(array, wanted.numpy(*node.type.names), equal_nan=True)


def test_what_is_not_found_by_records_is_said():
    with pytest.raises(NotCounted, match="inv"):
        numbers(lambda X: nt.inv["a", "c"](X), X="a c")


def test_a_contraction_counts_the_records_that_it_multiplies():
    _, node, _ = numbers(lambda X, Y: X @ "b" @ Y, X="a b", Y="b c")
    assert records_in(node) == 12


def test_every_reduction_that_repeats_an_operation_is_found():
    for name, primitive in table().items():
        if primitive.traits.folds and name not in ("any", "all"):
            found, _, wanted = numbers(getattr(nt, name)["a"], X="a")
            assert math.isclose(found[()], float(wanted.numpy()))


def test_a_number_takes_the_kind_of_another_one():
    float_ = argument("x", Type((), "float"))
    (found,) = numbers_of([apply_node(ALIKE(), (number(3), float_))], lambda part: {(): 0.5})
    assert (found[()], type(found[()])) == (3.0, float)
