"""Syntax trees written in one line, for comparing with what is read: spans do not compare."""

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Case,
    Cases,
    Contract,
    Derivative,
    Dots,
    Floor,
    Indexed,
    Is,
    Items,
    Letter,
    Logic,
    Matrix,
    Number,
    Relation,
    Renaming,
    Root,
    Scripts,
    SizedAxis,
    Space,
    Text,
    Unary,
    Under,
)

HERE = Span(0, 0)


def of(value):
    """Make a tree: of a number, of text that is one letter, or of what is a tree already.

    >>> of("W").style, of("FFN").style, of("kh*").text
    ('letter', 'word', 'kh')
    """
    if isinstance(value, int | float):
        return Number(HERE, value)
    if not isinstance(value, str):
        return value
    if value.endswith("*"):
        return Letter(HERE, value[:-1])
    return Letter(HERE, value, "letter" if len(value) == 1 or value in GREEK else "word")


GREEK = ("gamma", "beta", "sigma", "alpha", "mu", "pi", "infty", "epsilon", "top", "theta", "Sigma")


def all_of(values):
    return tuple(of(value) for value in values)


def ax(names):
    """Make axis names of words."""
    return tuple(AxisName(HERE, name) for name in names.split())


def word(name):
    return Letter(HERE, name, "word")


def num(value):
    return Number(HERE, value)


def up(base, sup):
    return Scripts(HERE, of(base), None, of(sup))


def down(base, sub):
    return Scripts(HERE, of(base), of(sub))


def prime(base, count=1, sup=None):
    return Scripts(HERE, of(base), None, None if sup is None else of(sup), count)


def both(base, sub, sup):
    return Scripts(HERE, of(base), of(sub), of(sup))


def dot(axes, left, right):
    return Contract(HERE, of(left), of(right), ax(axes))


def op(sign, left, right, axes=""):
    return Binary(HERE, sign, of(left), of(right), ax(axes))


def neg(operand):
    return Unary(HERE, "-", of(operand))


def call(function, *arguments, axes="", parameters=(), bracket="("):
    return Call(HERE, of(function), ax(axes), all_of(arguments), all_of(parameters), bracket)


def act(function, argument, axes=""):
    """Apply a function without brackets."""
    return call(function, argument, axes=axes, bracket="")


def big(sign, body, axes="", lower=None, upper=None):
    lower, upper = (None if bound is None else of(bound) for bound in (lower, upper))
    return Big(HERE, sign, ax(axes), lower, upper, of(body))


def at(base, **indices):
    """Index a tensor; an underscore stands for a prime."""
    items = [At(HERE, AxisName(HERE, k.replace("_", "'")), of(v)) for k, v in indices.items()]
    return Indexed(HERE, of(base), tuple(items))


def sized(written):
    """Make sized axes of a name, or of names and sizes in a dictionary."""
    pairs = written.items() if isinstance(written, dict) else [(n, None) for n in written.split()]
    return tuple(
        SizedAxis(HERE, AxisName(HERE, name), None if size is None else of(size))
        for name, size in pairs
    )


def renamed(base, *pairs):
    items = [Renaming(HERE, sized(before), sized(after)) for before, after in pairs]
    return Indexed(HERE, of(base), tuple(items))


def root(operand, degree=None):
    return Root(HERE, of(operand), None if degree is None else of(degree))


def size(name):
    return AxisSize(HERE, AxisName(HERE, name))


def bars(operand, double=False, axes=""):
    return Bars(HERE, of(operand), double, ax(axes))


def cases(*rows):
    made = [Case(HERE, of(v), None if c is None else of(c)) for v, c in rows]
    return Cases(HERE, tuple(made))


def rel(first, *rest):
    """Make a chain of relations: rel("a", "=", "b", "<", "c")."""
    pairs = tuple(zip(rest[::2], all_of(rest[1::2]), strict=True))
    return Relation(HERE, of(first), pairs)


def space(base, axes="", bound=None):
    return Space(HERE, base, sized(axes), None if bound is None else of(bound))


def items(bracket, *parts):
    return Items(HERE, all_of(parts), bracket)


def under(axes, operand):
    return Under(HERE, of(operand), ax(axes))


def d(of_, by=None, sign="partial"):
    return Derivative(HERE, sign, of(of_), None if by is None else of(by))


def logic(sign, *parts):
    return Logic(HERE, sign, all_of(parts))


def says(subject, what):
    return Is(HERE, of(subject), what)


def floor(sign, operand):
    return Floor(HERE, sign, of(operand))


def matrix(*rows, row=None, column=None):
    names = [None if name is None else AxisName(HERE, name) for name in (row, column)]
    return Matrix(HERE, tuple(all_of(cells) for cells in rows), *names)


def text(words):
    return Text(HERE, words)


DOTS = Dots(HERE)
