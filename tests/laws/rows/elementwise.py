"""Rows of the elementwise operations (paper, section 3.1)."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.primitives import Primitive, Type, table
from namedtensor.testing import definitions as D
from tests.laws.examples import ODD, POSITIVE, REAL, TRUTH, WHOLE, Domain
from tests.laws.row import Row, never
from tests.laws.strategies import elementwise

#: Where a function of one number is defined, if not everywhere.
DOMAINS = {
    "sqrt": POSITIVE,
    "rsqrt": POSITIVE,
    "reciprocal": POSITIVE,
    "log": POSITIVE,
    "log2": POSITIVE,
    "log10": POSITIVE,
    "log1p": Domain("float", -0.75, 2.0),
    "asin": Domain("float", -0.9, 0.9),
    "acos": Domain("float", -0.9, 0.9),
    "atanh": Domain("float", -0.9, 0.9),
    "acosh": Domain("float", 1.25, 3.0),
    "tan": Domain("float", -1.25, 1.25),
    "logit": Domain("float", 0.125, 0.875),
    "erfinv": Domain("float", -0.9, 0.9),
    "lgamma": POSITIVE,
    "digamma": POSITIVE,
    "isnan": Domain("special"),
    "isinf": Domain("special"),
    "isfinite": Domain("special"),
}


def rowed(*row: Any, **rest: Any) -> Row:
    """A row of a call that names no axes."""
    return Row(*row, names=False, **rest)


def kinds_of(entry: Primitive, *given: str) -> str:
    """Ask an entry's shape rule for the kind of its result."""
    return entry.plain.typed(
        tuple(Type((), kind) for kind in given), ("x", "y")[: len(given)]
    ).result.kind


def functions(operands: int) -> list[str]:
    """List the public functions that are entries of the table and act on so many numbers.

    A new one needs no row of its own, unless it takes whole numbers alone.
    """
    return [
        name
        for name, entry in table().items()
        if entry.traits.pointwise
        and hasattr(nt, name)
        and name != "from_front"
        and len(inspect.signature(getattr(nt, name)).parameters) == operands
    ]


def kind_of_result(entry: Primitive, operands: int) -> str:
    """Say how an entry's result follows from its operands' kinds, in the words of a row."""
    found = [kinds_of(entry, *[kind] * operands) for kind in ("bool", "int", "float")]
    words = {"float": ["float"] * 3, "bool": ["bool"] * 3, "like": ["bool", "int", "float"]}
    return next((word for word, kinds in words.items() if kinds == found), "number")


def unary(name: str) -> Row:
    entry = table()[name]
    example = elementwise(DOMAINS.get(name, REAL))
    if name not in DOMAINS:
        example = st.one_of(example, elementwise(WHOLE), elementwise(TRUTH))
    return rowed(
        name,
        example,
        getattr(nt, name),
        D[name],
        (name,),
        kind=kind_of_result(entry, 1),
        smooth=never if entry.traits.stepped else lambda example: True,
    )


UNARY = [
    *[unary(name) for name in functions(1) if name != "logical_not"],
    rowed("neg", elementwise(REAL) | elementwise(WHOLE), operator.neg, D["neg"], ("neg",)),
    rowed(
        "neg/bool",
        elementwise(TRUTH),
        operator.neg,
        D["neg"],
        ("neg",),
        kind="number",
        smooth=never,
    ),
    rowed(
        "logical_not",
        elementwise(TRUTH),
        operator.invert,
        D["logical_not"],
        ("logical_not",),
        kind="bool",
        smooth=never,
    ),
]


def binary(
    name: str, call: Callable[..., Any], kind: str, *domains: tuple[Domain, Domain], **rest: Any
) -> Row:
    example = st.one_of([elementwise(*pair, numbers=True) for pair in domains])
    return rowed(name, example, call, D[name], (name,), kind=kind, meets=True, **rest)


ANY = [(REAL, REAL), (WHOLE, WHOLE), (REAL, WHOLE), (TRUTH, WHOLE), (TRUTH, REAL), (TRUTH, TRUTH)]
NUMBERS = [(REAL, REAL), (WHOLE, WHOLE), (REAL, WHOLE)]
DIVISOR = Domain("float", 0.5, 3.0)
EXPONENT = Domain("int", 0, 4)

BINARY = [
    binary("add", operator.add, "number", *ANY),
    binary("sub", operator.sub, "number", *ANY),
    binary("mul", operator.mul, "number", *ANY),
    binary("div", operator.truediv, "float", (REAL, DIVISOR), (WHOLE, ODD), (TRUTH, ODD)),
    binary(
        "floordiv",
        operator.floordiv,
        "number",
        (REAL, DIVISOR),
        (WHOLE, ODD),
        (WHOLE, DIVISOR),
        smooth=never,
    ),
    binary("mod", operator.mod, "number", (REAL, DIVISOR), (WHOLE, ODD), smooth=never),
    binary("pow", operator.pow, "number", (POSITIVE, REAL), (WHOLE, EXPONENT), (REAL, EXPONENT)),
    *[
        binary(
            name,
            getattr(nt, name),
            kind_of_result(table()[name], 2),
            *NUMBERS,
            smooth=never if table()[name].traits.stepped else lambda example: True,
        )
        for name in functions(2)
        if not name.startswith("logical_")
    ],
    *[
        binary(name, getattr(operator, name), "bool", *ANY, smooth=never)
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    ],
    *[
        binary(f"logical_{name}", call, "bool", (TRUTH, TRUTH), smooth=never)
        for name, call in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor))
    ],
]


def whole_square(X: Any) -> Any:
    return X**2


OTHER = [
    rowed(
        "isclose",
        st.one_of([elementwise(*pair) for pair in NUMBERS]),
        lambda X, Y: nt.isclose(X, Y, 0.25, 0.25),
        lambda X, Y: D["isclose"](X, Y, rtol=0.25, atol=0.25),
        ("isclose",),
        kind="bool",
        meets=True,
        smooth=never,
    ),
    rowed(
        "lerp",
        elementwise(REAL, REAL, REAL, numbers=True),
        nt.lerp,
        lambda X, Y, w: D["add"](X, D["mul"](w, D["sub"](Y, X))),
        ("lerp",),
        meets=True,
    ),
    rowed(
        "nan_to_num",
        elementwise(Domain("special")),
        lambda X: nt.nan_to_num(X, 0.5, posinf=7.0, neginf=-7.0),
        lambda X: D["clip"](D["where"](D["isnan"](X), 0.5, X), low=-7.0, high=7.0),
        ("nan_to_num",),
        smooth=never,
    ),
    rowed("pow/2", elementwise(REAL) | elementwise(WHOLE), whole_square, D["square"], ("pow",)),
    rowed(
        "where",
        elementwise(TRUTH, REAL, REAL, numbers=True) | elementwise(TRUTH, WHOLE, WHOLE),
        nt.where,
        D["where"],
        ("where",),
        meets=True,
    ),
    rowed(
        "where/of numbers",
        elementwise(TRUTH),
        lambda C: nt.where(C, 0.0, -nt.inf),
        lambda C: D["where"](C, 0.0, -nt.inf),
        ("where",),
        kind="float",
        smooth=never,
    ),
    rowed(
        "cases",
        elementwise(TRUTH, REAL, TRUTH, REAL),
        lambda C, X, E, Y: nt.cases((X, C), (Y, E), 0.5),
        lambda C, X, E, Y: D["where"](C, X, D["where"](E, Y, 0.5)),
        ("cases",),
        meets=True,
    ),
    rowed(
        "clip",
        elementwise(REAL),
        lambda X: nt.clip(X, -0.5, 1.0),
        lambda X: D["clip"](X, low=-0.5, high=1.0),
        ("clip",),
    ),
    rowed(
        "clip/below",
        elementwise(REAL),
        lambda X: nt.clip(X, low=0.5),
        lambda X: D["clip"](X, low=0.5),
        ("clip",),
    ),
    rowed(
        "clip/by tensors",
        elementwise(REAL, Domain("float", -1.5, -0.5), POSITIVE),
        nt.clip,
        lambda X, low, high: D["minimum"](D["maximum"](X, low), high),
        ("clip",),
        meets=True,
    ),
    rowed(
        "from_front",
        elementwise(WHOLE),
        nt.from_front,
        D["from_front"],
        ("from_front",),
        smooth=never,
    ),
    *[
        rowed(
            f"cast/{kind.__name__}",
            elementwise(REAL) | elementwise(WHOLE) | elementwise(TRUTH),
            lambda X, kind=kind: nt.cast(X, kind),
            lambda X, kind=kind: D["cast"](X, kind=kind),
            ("cast",),
            kind=kind.__name__,
            smooth=never,
        )
        for kind in (float, int, bool)
    ],
]

ROWS = [*UNARY, *BINARY, *OTHER]
