"""Our sums of products say what sympy says."""

from fractions import Fraction

import hypothesis.strategies as st
import sympy
from hypothesis import assume, given

from namedtensor.latex.check.algebra import Sum, as_fraction, solved_for, text
from namedtensor.latex.check.sizes import condition, is_never_negative, is_positive

NAMES = ["n", "|heads|", "d_k"]
SYMBOLS = {name: sympy.Symbol(name, integer=True, positive=True) for name in NAMES}
small = st.integers(-3, 3)
monomials = st.dictionaries(st.sampled_from(NAMES), st.integers(-2, 2).filter(bool), max_size=3)
factors = st.builds(Fraction, small, st.integers(1, 3))


@st.composite
def sums(draw):
    terms = draw(st.lists(st.tuples(monomials, factors), max_size=4))
    return Sum.of([(tuple(sorted(powers.items())), factor) for powers, factor in terms])


def same(ours, theirs) -> bool:
    return sympy.simplify(sympy.sympify(ours) - theirs) == 0


@given(sums(), sums(), st.integers(0, 3))
def test_sums_are_added_multiplied_divided_and_raised_as_sympy_does(a, b, power):
    x, y = a._sympy_(), b._sympy_()
    assert same(a + b, x + y)
    assert same(a - b, x - y)
    assert same(a * b, x * y)
    assert same(a**power, x**power)
    assume(b.terms)
    assert same(a / b, x / y)


@given(sums(), sums())
def test_values_take_the_places_of_symbols(a, value):
    assume(value.terms)
    found = a.with_values({"n": value})
    assert same(found, a._sympy_().subs(SYMBOLS["n"], value._sympy_()))


@given(sums(), st.tuples(*[st.integers(1, 5) for _ in NAMES]))
def test_a_sign_that_is_claimed_holds_for_all_sizes(a, sizes):
    at = dict(zip(SYMBOLS.values(), sizes, strict=True))
    value = a._sympy_().subs(at)
    assert value > 0 or not is_positive(a)
    assert value >= 0 or not is_never_negative(a)


@given(sums())
def test_what_is_solved_for_a_size_makes_the_difference_0(difference):
    for name, value in solved_for(difference):
        assert same(difference._sympy_().subs(SYMBOLS[name], value._sympy_()), 0)


@given(sums())
def test_a_sum_is_written_as_one_that_has_its_value(a):
    names = {"n": "n", "|heads|": "h", "d_k": "d"}
    for words in (text(a), as_fraction(a)):
        for name, letter in names.items():
            words = words.replace(name, letter)
        spaced = words.replace(" + ", "+").replace(" - ", "-").replace(" ", "*").replace("^", "**")
        letters = {letter: SYMBOLS[name] for name, letter in names.items()}
        assert same(sympy.sympify(spaced, locals=letters), a._sympy_())


def test_roots_of_squares_are_sums_and_others_are_sympy_s():
    n, h = Sum.symbol("n"), Sum.symbol("h")
    assert (4 * n * n / (h * h)).root() == 2 * n / h
    assert sympy.simplify(n.root() ** 2 - n._sympy_()) == 0


def test_a_condition_is_the_plainest():
    n, h, d = (Sum.symbol(name) for name in ("n", "h", "d"))
    assert condition(n - h * d) == "d = n/h"
    assert condition(n / h - d - 1) == "n = d h + h"
    assert condition(n * n - 2) == "n^2 - 2 = 0"
    assert condition(n * (h + 1) - d) == "d = h n + n"
