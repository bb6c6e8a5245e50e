"""Our sums of products say what sympy says."""

from fractions import Fraction

import hypothesis.strategies as st
import sympy
from hypothesis import assume, given, settings

from namedtensor.latex.check.algebra import Bracket, Sum, as_fraction, solved_for, text
from namedtensor.latex.check.sizes import Facts, condition, is_never_negative, is_positive

NAMES = ["n", "|heads|", "d_k"]
small = st.integers(-3, 3)
monomials = st.dictionaries(st.sampled_from(NAMES), st.integers(-2, 2).filter(bool), max_size=3)
factors = st.builds(Fraction, small, st.integers(1, 3))


@st.composite
def sums(draw):
    terms = draw(st.lists(st.tuples(monomials, factors), max_size=4))
    return Sum.of([(tuple(sorted(powers.items())), factor) for powers, factor in terms])


def theirs(ours):
    """Write a sum as sympy does."""
    whole = sympy.Integer(0)
    for monomial, factor in ours.terms.items():
        term = sympy.Rational(factor.numerator, factor.denominator)
        for name, power in monomial:
            one = theirs(name.inside) if isinstance(name, Bracket) else symbol(name)
            term *= one**power
        whole += term
    return whole


def symbol(name):
    return sympy.Symbol(name, integer=True, positive=True)


def same(ours, wanted) -> bool:
    return sympy.simplify(theirs(ours) - wanted) == 0


@settings(max_examples=40)
@given(sums(), sums(), st.integers(0, 3))
def test_sums_are_added_multiplied_divided_and_raised_as_sympy_does(a, b, power):
    x, y = theirs(a), theirs(b)
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
    assert same(found, theirs(a).subs(symbol("n"), theirs(value)))


@given(sums(), sums(), st.tuples(*[st.integers(1, 5) for _ in NAMES]))
def test_a_sign_that_is_claimed_holds_for_all_sizes(a, b, sizes):
    at = dict(zip(map(symbol, NAMES), sizes, strict=True))
    assume(theirs(b).subs(at) != 0)
    a = a / b
    value = theirs(a).subs(at)
    assert value > 0 or not is_positive(a)
    assert value >= 0 or not is_never_negative(a)


@given(sums())
def test_what_is_solved_for_a_size_makes_the_difference_0(difference):
    for name, value in solved_for(difference):
        assert sympy.simplify(theirs(difference).subs(symbol(name), theirs(value))) == 0


@given(sums())
def test_a_sum_is_written_as_one_that_has_its_value(a):
    names = {"n": "n", "|heads|": "h", "d_k": "d"}
    for words in (text(a), as_fraction(a)):
        for name, letter in names.items():
            words = words.replace(name, letter)
        spaced = words.replace(" + ", "+").replace(" - ", "-").replace(" ", "*").replace("^", "**")
        letters = {letter: symbol(name) for name, letter in names.items()}
        assert sympy.simplify(sympy.sympify(spaced, locals=letters) - theirs(a)) == 0


def test_roots_of_squares_are_sums_and_others_are_not_known():
    n, h = Sum.symbol("n"), Sum.symbol("h")
    assert (4 * n * n / (h * h)).root() == 2 * n / h
    assert n.root() is None


def test_fractions_are_compared_by_their_values():
    n, h = Sum.symbol("n"), Sum.symbol("h")
    facts = Facts()
    assert facts.reduced((n * n - 1) / (n + 1) - n + 1) == 0
    assert facts.reduced(n / (n + n / (h + 1)) - (h + 1) / (h + 2)) == 0
    assert facts.reduced(h / (n + 1) - h / (n + 2)) != 0
    assert text(h / (n + 1) - 2) == "h/(n + 1) - 2"
    assert as_fraction(h / (n + 1) - 2) == "(h - 2 n - 2)/(n + 1)"


def test_a_condition_is_the_plainest():
    n, h, d = (Sum.symbol(name) for name in ("n", "h", "d"))
    assert condition(n - h * d) == "d = n/h"
    assert condition(n / h - d - 1) == "n = d h + h"
    assert condition(n * n - 2) == "n^2 - 2 = 0"
    assert condition(n * (h + 1) - d) == "d = h n + n"
    assert condition(n - d / (h + 1)) == "d = h n + n"
    assert condition(n * n * d - h * h * d - 1) == "d = 1/(-h^2 + n^2)"
