"""Whatever a formula says, evaluating it gives a value or a reported failure, and never a crash."""

import random

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import syntax as s
from namedtensor.latex.evaluation import by_elements
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.indices import one_based
from namedtensor.latex.evaluation.values import UNKNOWN
from namedtensor.latex.evaluation.vocabulary import _words
from namedtensor.latex.source import Span
from tests.latex.evaluating import leaf
from tests.latex.test_evaluate_corners import Checking

AT = Span(0, 0)
WORDS = sorted(_words())
OPERATORS = ("+", "-", "*", "/", "odot", "times", "circ", "mod", "oplus", "star")
RELATIONS = ("=", "!=", "<", "<=", ">", ">=", "in", "notin", "~")
BIGS = ("sum", "prod", "max", "min", "argmax", "concat", "stack", "lim")


class Trees:
    """Draw expressions, most of them without a meaning."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.one = self.random.choice

    def axis(self):
        return s.AxisName(AT, self.one(("a", "a", "b", "seq", "k")))

    def axes(self, *counts):
        return tuple(self.axis() for _ in range(self.one(counts)))

    def leaf(self):
        kind = self.random.random()
        if kind < 0.2:
            return s.Number(AT, self.one((0, 1, 2, 3, -1, 0.5, 1e9)))
        if kind < 0.3:
            return self.one(
                (s.AxisSize(AT, self.axis()), s.Text(AT, "odd"), s.Dots(AT), self.axis())
            )
        if kind < 0.35:
            return s.Letter(AT, self.one(WORDS), "word")
        return s.Letter(AT, self.one(("X", "X", "Y", "I", "J", "n", "i", "j", "f", "z", "U", "kh")))

    def several(self, depth, *counts):
        return tuple(self.tree(depth - 1) for _ in range(self.one(counts)))

    def item(self, depth):
        if self.one((True, False)):
            return s.At(AT, self.axis(), self.tree(depth - 1))
        sides = [
            tuple(
                s.SizedAxis(AT, axis, self.one((None, self.leaf()))) for axis in self.axes(1, 1, 2)
            )
            for _ in range(2)
        ]
        return s.Renaming(AT, *sides)

    def condition(self, depth):
        rest = tuple((self.one(RELATIONS), part) for part in self.several(depth, 1, 1, 2))
        relation = s.Relation(AT, self.tree(depth - 1), rest)
        words = s.Is(AT, self.tree(depth - 1), self.one(("odd", "even", "prime")))
        joined = s.Logic(AT, self.one(("and", "or")), (relation, words))
        return self.one((relation, words, joined, s.Unary(AT, "not", relation)))

    def lower(self):
        i, j = s.Letter(AT, "i"), s.Letter(AT, "j")
        bounds = s.Relation(AT, i, ((self.one(("=", "in", "<", "!=")), self.leaf()),))
        return self.one((None, i, bounds, s.Items(AT, (i, j), ""), self.condition(1)))

    def tree(self, depth):
        if depth <= 0:
            return self.leaf()
        more = lambda: self.tree(depth - 1)
        maybe = lambda: self.one((None, self.tree(depth - 1)))
        make = self.one(
            (
                lambda: s.Scripts(AT, more(), maybe(), maybe(), self.one((0, 0, 1))),
                lambda: s.Indexed(AT, more(), (self.item(depth),)),
                lambda: s.Indexed(AT, more(), (self.item(depth), self.item(depth))),
                lambda: s.Contract(AT, more(), more(), self.axes(0, 1, 2)),
                lambda: s.Binary(AT, self.one(OPERATORS), more(), more(), self.axes(0, 0, 1)),
                lambda: s.Unary(AT, self.one(("-", "+", "not")), more()),
                lambda: s.Call(
                    AT,
                    self.one((s.Letter(AT, self.one(WORDS), "word"), more())),
                    self.axes(0, 1, 2),
                    self.several(depth, 0, 1, 1, 2, 3),
                    self.several(depth, 0, 0, 1),
                ),
                lambda: s.Big(AT, self.one(BIGS), self.axes(0, 1), self.lower(), maybe(), more()),
                lambda: s.Root(AT, more(), maybe()),
                lambda: s.Bars(AT, more(), self.one((True, False)), self.axes(0, 1)),
                lambda: s.Floor(AT, self.one(("floor", "ceil")), more()),
                lambda: s.Cases(
                    AT,
                    (s.Case(AT, more(), self.condition(depth)), s.Case(AT, more(), maybe())),
                ),
                lambda: self.condition(depth),
                lambda: s.Derivative(AT, self.one(("partial", "nabla")), more(), maybe()),
                lambda: s.Items(AT, self.several(depth, 0, 1, 2), self.one(("(", "[", "{", ""))),
                lambda: s.Matrix(AT, (self.several(depth, 2), self.several(depth, 1))),
            )
        )
        return make()


class Given:
    name = "f"

    def apply(self, call, arguments, parameters, scope):
        return arguments[0] if arguments else UNKNOWN


def symbols():
    X = leaf("X", "a[3] b")
    return {
        "X": X,
        "Y": leaf("Y", "a seq"),
        "I": leaf("I", "seq", "int"),
        "J": one_based(leaf("J", "k", "int")),
        "n": X.size("a"),
    }


def data():
    return {
        "X": nt.normal("a[3] b[2]"),
        "Y": nt.normal("a[3] seq[4]"),
        "I": nt.tensor(np.array([0, 1, 2]), "seq"),
        "J": one_based(nt.tensor(np.array([0, 1]), "k")),
        "n": 3,
    }


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("values", [symbols, data])
def test_evaluating_gives_a_value_or_a_reported_failure(values, seed):
    trees = Trees(seed)
    known = 0
    for _ in range(90):
        given = values() | {"f": Given(), "U": UNKNOWN, "k": 2, "h": 4}
        scope = Checking(given, {"a": 3, "k": 2})
        e = Evaluator(scope)
        tree = trees.tree(trees.one((1, 1, 2, 2, 3)))
        found = e.value(tree)
        known += found is not UNKNOWN
        e.extent(tree)
        i = s.At(AT, trees.axis(), s.Letter(AT, "i"))
        by_elements.element(
            e, s.Indexed(AT, s.Letter(AT, "P"), (i,)), tree, trees.one(({}, {"a": 3}))
        )
        by_elements.update(e, found, s.Indexed(AT, s.Letter(AT, "X"), (trees.item(1),)), tree)
    assert known > 0
