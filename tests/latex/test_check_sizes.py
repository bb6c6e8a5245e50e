"""Sizes as symbols: what is always equal, never equal, and equal only where something holds."""

import pytest

from namedtensor.latex import read
from namedtensor.latex.check.sizes import EQUAL, NEVER, OPEN, Comparison, Facts, algebra
from namedtensor.primitives.node import Node, apply_node, number, size_of
from namedtensor.primitives.primitive import table
from namedtensor.primitives.sizes import combine


def s(name: str) -> Node:
    return size_of(name, name, 0)


n, m, kernel = s("n"), s("m"), s("|kernel|")
layer, heads, key, val = s("|layer|"), s("|heads|"), s("|key|"), s("|val|")


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (3, 3, EQUAL),
        (3, 4, NEVER),
        (n, n, EQUAL),
        (n, combine("add", n, 1), NEVER),
        (n, combine("mul", 2, n), NEVER),
        (combine("add", n, m), n, NEVER),
        (512, n, OPEN),
        (n, None, OPEN),
        (combine("mul", heads, key), s("d_model"), OPEN),
        (n, m, Comparison("where", "m = n")),
        (n, combine("add", combine("sub", n, kernel), 1), Comparison("where", "|kernel| = 1")),
        (combine("add", n, m), combine("add", m, n), EQUAL),
        (combine("mul", 2, n), combine("add", n, n), EQUAL),
        (combine("mul", n, n), apply_node(table()["pow"](), (n, number(2))), EQUAL),
    ],
)
def test_sizes_are_compared_for_all_values_of_their_symbols(left, right, verdict):
    assert Facts().compare(left, right) == verdict


def test_what_a_document_says_of_its_sizes_is_taken_for_given():
    share = combine("floordiv", layer, heads)
    facts = Facts([(key, val), (val, share)])
    assert facts.compare(key, val) == EQUAL
    assert facts.compare(key, share) == EQUAL
    assert facts.compare(combine("mul", heads, key), layer) == EQUAL
    assert Facts().compare(key, share) == OPEN
    assert facts.impossible == []


def test_equations_that_cannot_hold_together_are_kept_apart():
    facts = Facts([(n, 3), (n, 4), (m, combine("add", m, 1))])
    assert facts.impossible == [(n, 4), (m, combine("add", m, 1))]
    assert facts.compare(n, 3) == EQUAL
    assert facts.compare(n, 5) == NEVER


def test_what_is_no_algebra_of_sizes_is_left_uncompared():
    assert algebra(apply_node(table()["exp"](), (n,))) is None
    assert algebra(2.5) is None
    assert algebra(True) is None
    assert algebra(apply_node(table()["pow"](), (n, number(100)))) is None
    deep = n
    for _ in range(80):
        deep = combine("add", deep, m)
    assert algebra(deep) is None


def test_the_sizes_of_an_axis_and_its_copy_agree_where_nothing_is_said_of_them():
    text = r"""Let $F, P \in \mathbb{R}^{\text{state} \times \text{state}'}$.
$$S = F_{\text{state} \rightarrow \text{b}} + P_{\text{state}' \rightarrow \text{b}}$$"""
    assert [f for f in read(text).check() if f.code == "axis-size"] == []


def test_an_index_of_one_axis_is_none_of_another_of_no_stated_size():
    text = r"""Let $R \in \mathbb{R}^{\text{rel}, \text{dim}}$ and $r \in [|\text{rel}|]^{\text{bat}}$.
\[ s = \sum_{\text{rel}} R_{\text{dim}(r)} \]"""
    (found,) = read(text).check()
    assert (found.code, found.line) == ("index-type", 2)
    assert found.hint == r"is \text{rel}:r meant?"
    assert (
        read(
            text.replace(r"\text{dim}(r)", r"\text{rel}(r)").replace(
                r"_{\text{rel}} R", r"_{\text{dim}} R"
            )
        ).check()
        == []
    )


@pytest.mark.parametrize("parts", [r"\text{a}:3, \text{b}", r"\text{a}:3, \text{b}:4"])
def test_an_axis_that_does_not_split_into_its_parts_is_reported(parts):
    document = read(
        r"$X \in \mathbb{R}^{\text{emb}:10, \text{seq}}$ and "
        rf"$$f(X) = X_{{\text{{emb}} \rightarrow ({parts})}}$$"
    )
    (found,) = document.check()
    assert (found.severity, found.code) == ("error", "axis-size")
    assert found.message.startswith("axis emb is 10 in X, which does not split into parts of ")
