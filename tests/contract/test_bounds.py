"""Bounds of trees: what is said to lie between two numbers, and to be no nan, does and is none."""

import itertools
import math

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.formula.written import write
from namedtensor.latex import read_file
from namedtensor.latex.documents.failures import LatexError
from namedtensor.plans.bounds import bounds_of
from namedtensor.plans.compile import run_on_numbers
from namedtensor.primitives import Type, table
from namedtensor.primitives.node import ARGUMENT, SIZE, apply_node
from namedtensor.tensor.symbolic import symbol
from tests.latex.corpus.subjects import DOCUMENTS

GRID = [-3.0, -1.5, -1.0, -0.4, 0.0, 0.3, 0.5, 1.0, 2.0, 4.0]


def on_grid(operation, *others) -> list[tuple[float, float]]:
    """Give an operation's values on a grid, where it has some."""
    found = []
    for x in GRID:
        try:
            found.append((x, run_on_numbers(operation, [x, *others])))
        except nt.NamedTensorError:
            continue
    return found


def turns(operation) -> bool:
    """Say whether an operation on one number both rises and falls."""
    values = [y for _, y in on_grid(operation)]
    steps = [b - a for a, b in itertools.pairwise(values)]
    return any(s > 1e-12 for s in steps) and any(s < -1e-12 for s in steps)


POINTWISE = {
    name: entry
    for name, entry in table().items()
    if entry.traits.pointwise and (entry.traits.monotone or entry.bounds)
}
OF_TWO = ["add", "sub", "mul", "div", "mod", "pow", "maximum", "minimum"]
OF_ONE = [name for name in POINTWISE if name not in (*OF_TWO, "where")]


@pytest.mark.parametrize("name", [n for n in OF_ONE if POINTWISE[n].traits.monotone])
def test_what_is_said_to_rise_or_fall_does_all_the_way(name: str):
    assert len(on_grid(table()[name].plain)) > 1
    assert not turns(table()[name].plain)


def test_what_turns_is_seen():
    assert turns(table()["cos"].plain)
    assert turns(table()["square"].plain)


@pytest.mark.parametrize("name", OF_ONE)
def test_an_operation_on_one_number_stays_within_its_bounds(name: str):
    values = on_grid(table()[name].plain)
    node = apply_node(table()[name].plain, (symbol("x", Type(())).node,))
    for low, high in itertools.combinations_with_replacement([x for x, _ in values], 2):
        found = bounds_of(node, lambda leaf, a=low, b=high: (a, b))
        inside = [y for x, y in values if low <= x <= high]
        if found is not None:
            assert found[0] - 1e-12 <= min(inside) <= max(inside) <= found[1] + 1e-12


@pytest.mark.parametrize("name", OF_TWO)
def test_an_operation_on_two_numbers_stays_within_its_bounds(name: str):
    leaves = tuple(symbol(n, Type(())).node for n in "xy")
    node = apply_node(table()[name].plain, leaves)
    tried = 0
    for a, b in itertools.combinations_with_replacement(GRID, 2):
        for c, d in itertools.combinations_with_replacement(GRID, 2):
            ends = {leaves[0]: (a, b), leaves[1]: (c, d)}
            found = bounds_of(node, ends.__getitem__)
            if found is None:
                continue
            tried += 1
            for x, y in itertools.product((a, (a + b) / 2, b), (c, (c + d) / 2, d)):
                z = run_on_numbers(node.operation, [x, y])
                assert found[0] - 1e-12 <= z <= found[1] + 1e-12
    assert tried


def formulas(path) -> list:
    return [f for _, f in read_file(path).attempts() if not isinstance(f, LatexError)]


def drawn(parameter, random, low: float, high: float):
    sizes = [a.size if isinstance(a.size, int) else 2 for a in parameter.space.axes]
    if parameter.space.letter == "Z":
        return nt.tensor(
            random.integers(0, 2, sizes), *[nt.Axis(a.name) for a in parameter.space.axes]
        )
    return nt.tensor(
        random.uniform(low, high, sizes), *[nt.Axis(a.name) for a in parameter.space.axes]
    )


def root_of(formula):
    """Give the tree of a formula; None where it has none, or takes more than tensors of numbers."""
    parameters = formula.signature.parameters
    if any(p.bundle is not None or (p.space and p.space.letter == "B") for p in parameters):
        return None
    try:
        return write(formula, {}, whole=True).results[0]
    except nt.NamedTensorError:
        return None


def bounded(formula, root, low: float, high: float):
    """Bound a formula's tree for numbers between two, and whole ones of 0 and 1."""
    parameters = [p for p in formula.signature.parameters if p.space is not None]
    whole = {p.name for p in parameters if p.space.letter == "Z"}
    most = max([2, *[a.size or 0 for p in parameters for a in p.space.axes]])

    def given(leaf):
        if leaf.operation.primitive is SIZE:
            return 1, most
        if leaf.operation.primitive is not ARGUMENT:
            return None
        return (0, 1) if leaf.operation.params[0] in whole else (low, high)

    return bounds_of(root, given)


def result_of(formula, low: float, high: float):
    """Call a formula on drawn numbers; None where it refuses them."""
    random = np.random.default_rng(0)
    parameters = [p for p in formula.signature.parameters if p.space is not None and not p.setting]
    try:
        result = formula(**{p.name: drawn(p, random, low, high) for p in parameters})
    except nt.NamedTensorError:
        return None
    first = result[0] if isinstance(result, tuple) else result
    return np.asarray(first.numpy(*first.axes), dtype=float)


@pytest.mark.parametrize("path", DOCUMENTS, ids=[p.name for p in DOCUMENTS])
def test_formulas_of_documents_stay_within_their_bounds(path):
    low, high = 0.3, 0.7
    for formula in formulas(path):
        root = root_of(formula)
        found = None if root is None else bounded(formula, root, low, high)
        numbers = None if found is None else result_of(formula, low, high)
        if numbers is not None and numbers.size:
            assert not np.isnan(numbers).any()
            assert found[0] - 1e-9 <= numbers.min() <= numbers.max() <= found[1] + 1e-9


def test_most_formulas_of_a_document_are_bounded():
    (path,) = [p for p in DOCUMENTS if p.name == "models.tex"]
    trees = [(f, root) for f in formulas(path) if (root := root_of(f)) is not None]
    trees = [(f, root) for f, root in trees if "scan[" not in repr(root)]  # loops have no bounds
    known = [f for f, root in trees if bounded(f, root, 0.3, 0.7) is not None]
    assert len(known) > len(trees) * 0.7


@pytest.mark.parametrize(
    ("formula", "low", "high"),
    [
        (lambda X: nt.sqrt(X), -1.0, 1.0),
        (lambda X: 1 / X, -1.0, 1.0),
        (lambda X: X / (X - X), 1.0, 2.0),
        (lambda X: nt.log(X), -1.0, 2.0),
        (lambda X: nt.softmax["seq"](X - nt.inf), 1.0, 2.0),
        (lambda X: 0 * (X * nt.inf), 1.0, 2.0),
        (lambda X: X - nt.inf + nt.inf, 1.0, 2.0),
        (lambda X: nt.exp(nt.exp(X * 100)), 1.0, 20.0),
        (lambda X: nt.sum["seq"](X) / nt.sum["seq"](X - X), 1.0, 2.0),
        (lambda X: X**0.5, -1.0, 1.0),
    ],
)
def test_what_may_be_nan_or_overflow_has_no_bounds(formula, low: float, high: float):
    X = symbol("X", Type((("seq", 3),)))
    assert bounds_of(formula(X).node, lambda leaf: (low, high)) is None


def test_sums_know_how_many_numbers_they_add():
    X = symbol("X", Type((("seq", 3),)))
    assert bounds_of(nt.sum["seq"](X).node, lambda leaf: (-1.0, 2.0)) == (-3.0, 6.0)
    assert bounds_of(nt.sum["seq"](X).node, lambda leaf: (0.0, 0.0)) == (0.0, 0.0)
    assert bounds_of(nt.sum["seq"](X).node, lambda leaf: (0.0, 2.0)) == (0.0, 6.0)
    assert bounds_of(nt.dot["seq"](X, X).node, lambda leaf: (-1.0, 2.0)) == (-6.0, 12.0)
    assert math.isclose(bounds_of(nt.norm["seq"](X).node, lambda leaf: (1.0, 2.0))[0], 1.0)
