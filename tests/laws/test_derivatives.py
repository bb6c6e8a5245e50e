"""Every operation's derivative is torch's, and finite differences'; gradients and changes agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.backends import get_backend
from namedtensor.errors import DerivativeError
from namedtensor.operations.derivatives import derivative
from namedtensor.operations.expanding import ALIKE
from namedtensor.plans import compile_plan
from namedtensor.primitives import Node, Primitive, Type, table
from namedtensor.primitives.node import apply_node, operands_first
from namedtensor.primitives.notation import KERNEL
from namedtensor.tensor import symbol
from tests.laws.examples import Example, Operand
from tests.laws.laws import smooth_examples
from tests.laws.row import Row, never
from tests.laws.table import TABLE

STEP = 1e-6

#: Where torch is not exact to 1e-9, and why.
INEXACT = {"hardsigmoid": 1e-7}  # its slope is 1/6 in single precision

#: Operations whose derivative the table does not know, and why.
NO_RULE = {
    "real": "of complex numbers; derivatives are by real ones",
    "imag": "of complex numbers",
    "conj": "of complex numbers",
    "angle": "of complex numbers",
    "svd": "gives vectors whose sign and order are free; svdvals has a rule",
    "eig": "gives vectors whose scale and order are free",
    "qr": "gives vectors whose sign is free",
    "matrix_exp": "its derivative is an integral",
    "dropout": "it is derived as a product with its mask, which is drawn once for both",
}
#: What has a rule only where its call gives one: a function of arrays.
GIVEN_RULE = {"lifted"}
#: Operands, by operation and place, by which there is none, and why.
NO_RULE_BY = {("multiply_at", 1): "numbers of one place are multiplied with one another"}
#: Leaves of a tree, what is made of sizes or drawn, and what is read and never run.
NOT_DERIVED = {
    *("argument", "size", "number", "slice_size", "call"),
    *("full", "normal", "uniform", "randint", "gamma", "beta", "poisson", "open_size"),
}

#: Rows whose operations are smooth somewhere.
SMOOTH = [
    row
    for row in TABLE.values()
    if row.smooth is not never and not set(row.covers) & {*NO_RULE, *GIVEN_RULE}
]


def has_rule(name: str) -> bool:
    """Say whether the table knows an operation's derivative."""
    entry = table()[name]
    return bool(
        entry.slopes
        or entry.differential
        or entry.transpose
        or entry.traits.stepped
        or (entry.traits.pointwise and entry.traits.linear)
    )


def tree(row: Row, example: Example) -> tuple[Node, dict[int, Node]]:
    """Give the tree of a row's call on symbols of the example's shapes, and its leaves."""
    operands = list(example.operands)
    for i, X in example.tensors():
        kind = {"f": "float", "i": "int", "b": "bool"}[X.array.dtype.kind]
        operands[i] = symbol(f"X{i}", Type(tuple(X.sizes.items()), kind))
    found = row.call(*operands, **example.settings)
    return found.node, {i: operands[i].node for i, _ in example.tensors()}


def computed(node: Node, leaves: dict[int, Node], example: Example, library: str) -> Any:
    """Compute a tree for the example's numbers, as an array in the tree's order of axes."""
    arguments, data = [], []
    for i, X in example.tensors():
        arguments.append((f"X{i}", leaves[i].type, X.axes))
        data.append(X.array if library == "numpy" else torch.from_numpy(X.array))
    order = node.type.names
    plan = compile_plan("d", node, arguments, get_backend(library), order=order)
    return np.asarray(plan.run(*data))


def by_torch(row: Row, example: Example, place: int, order: tuple[str, ...]) -> Any:
    """Give torch's derivative of a row's call by one operand, result axes in this order first."""

    def positional(data: torch.Tensor) -> torch.Tensor:
        named = example.named("torch")
        named[place] = nt.tensor(data, *named[place].axes)
        return row.call(*named, **example.settings).torch(*order)

    X = torch.from_numpy(of(example, place).array)
    return torch.autograd.functional.jacobian(positional, X).numpy()


def by_differences(row: Row, example: Example, place: int, order: tuple[str, ...]) -> Any:
    """Give central finite differences of a row's call by one operand."""
    X = of(example, place).array

    def at(array: Any) -> Any:
        named = example.named("numpy")
        named[place] = nt.tensor(array, *named[place].axes)
        return row.call(*named, **example.settings).numpy(*order)

    columns = []
    for where in np.ndindex(X.shape):
        step = np.zeros(X.shape)
        step[where] = STEP
        with np.errstate(invalid="ignore"):  # -inf - -inf of a mask
            columns.append((at(X + step) - at(X - step)) / (2 * STEP))
    return np.stack(columns, -1).reshape((*np.shape(columns[0]), *X.shape))


def of(example: Example, place: int) -> Operand:
    X = example.operands[place]
    assert isinstance(X, Operand)
    return X


def held(row: Row, example: Example) -> None:
    """Hold the derivatives of a row's call by every real operand to torch and to differences."""
    Y, leaves = tree(row, example)
    for place, X in example.tensors():
        if X.array.dtype.kind != "f" or 0 in [*X.sizes.values(), *dict(Y.type.axes).values()]:
            continue  # torch stacks no derivatives of nothing
        users = [node for node in operands_first([Y]) if leaves[place] in node.operands]
        if any((node.name, node.operands.index(leaves[place])) in NO_RULE_BY for node in users):
            continue
        stars = {axis: f"{axis}*" for axis in X.axes}
        order = Y.type.names
        expected = by_torch(row, example, place, order)
        wanted = (*order, *[stars[a] for a in X.axes])
        exact = INEXACT.get(row.name, 1e-9)
        for forwards in (True, False):
            found = derivative(Y, leaves[place], stars, forwards=forwards)
            found = apply_node(ALIKE.plain, (found, leaves[place]))
            assert set(found.type.names) == set(wanted)
            moved = [found.type.names.index(a) for a in wanted]
            for library in ("numpy", "torch"):
                numbers = computed(found, leaves, example, library).transpose(moved)
                np.testing.assert_allclose(
                    numbers, expected, exact, exact, err_msg=f"{library}, {forwards=}"
                )
        near = by_differences(row, example, place, order)
        finite = np.isfinite(near) & np.isfinite(expected)
        np.testing.assert_allclose(expected[finite], near[finite], 1e-4, 1e-5)


def parts_without_rule(row: Row, example: Example) -> set[str]:
    """Name the operations of a row's call whose derivative the table does not know."""
    Y, _ = tree(row, example)
    return {
        node.name
        for node in operands_first([Y])
        if node.operands and node.type.kind == "float" and not node.closed
    } & {*NO_RULE, *GIVEN_RULE}


@pytest.fixture(autouse=True)
def double():
    """Let torch make double numbers of whole ones too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize("row", SMOOTH, ids=[row.name for row in SMOOTH])
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_derivative_is_torch_s_and_finite_differences(row, data):
    example, _, _ = data.draw(smooth_examples(row))
    assume(not parts_without_rule(row, example))
    held(row, example)


def test_an_operation_without_a_rule_says_so():
    X = symbol("X", Type((("seq", 3),)))
    Y = nt.dropout(X, 0.5)
    with pytest.raises(DerivativeError) as raised:
        derivative(Y.node, X.node, {"seq": "seq*"})
    assert str(raised.value) == (
        "d dropout(X, 0.5): dropout has no rule for its derivative\n"
        "  X : seq[3]\n"
        "hint: leave dropout out of what is derived, or let torch derive it: "
        "nt.sum[...](f(X)).backward()"
    )


def unruled(entries: Mapping[str, Primitive]) -> set[str]:
    """Name the operations that have neither a rule nor a reason; kernels stand for other parts."""
    return {
        name
        for name, entry in entries.items()
        if not has_rule(name) and entry.notation is not KERNEL
    } - NOT_DERIVED


def test_every_operation_has_a_rule_or_a_reason():
    assert unruled(table()) == set(NO_RULE)


def test_a_new_operation_without_a_rule_is_named(monkeypatch):
    monkeypatch.setitem(table(), "exp2p", Primitive("exp2p", lambda call: None, lambda emit: None))
    assert unruled(table()) == {"exp2p", *NO_RULE}


@pytest.mark.parametrize(
    ("name", "slot", "wrong"),
    [
        ("exp", "slopes", (lambda x, y: y + 1e-6,)),
        ("softmax", "differential", lambda use, place, d: use.result * d),
        ("cumsum", "transpose", lambda use, place, g: g),
    ],
)
def test_the_law_fails_for_a_wrong_rule(name, slot, wrong, monkeypatch):
    monkeypatch.setattr(table()[name], slot, wrong)
    X = Operand(("seq",), np.array([0.5, -1.0, 2.0]))
    example = Example((X,), {} if name == "exp" else {"axes": ("seq",)})
    with pytest.raises(AssertionError):
        held(TABLE[name], example)
