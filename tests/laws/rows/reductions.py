"""Rows of the reductions and of the functions from vectors to vectors (paper, section 3.3)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.testing import definitions as D
from tests.laws.examples import REAL, TRUTH, WHOLE, Domain, Example
from tests.laws.row import Row, never
from tests.laws.strategies import along


def spread(example: Example) -> bool:
    """A standard deviation has no gradient where it is 0, as that of fewer than two numbers is."""
    (X,), axes = example.operands, example.settings["axes"]
    records = 1
    for axis in axes:
        records *= X.sizes[axis]
    return records > 1


def reduction(name: str, kind: str, least_size: int = 0, smooth: Any = None, most: int = 3) -> Row:
    least = 1 if most == 1 else 0
    of = lambda domain: along(domain, least=least, least_size=least_size, most=most)
    return Row(
        name,
        st.one_of(of(REAL), of(WHOLE)),
        lambda X, axes: getattr(nt, name)[axes](X),
        D[name],
        (name,),
        kind=kind,
        smooth=smooth or (lambda example: True),
    )


REDUCTIONS = [
    reduction("sum", "number"),
    reduction("prod", "number"),
    reduction("mean", "float", least_size=1),
    reduction("var", "float", least_size=1),
    reduction("std", "float", least_size=1, smooth=spread),
    reduction("norm", "float"),
    reduction("logsumexp", "float"),
    reduction("nansum", "number"),
    reduction("nanmean", "float", least_size=1),
    *[
        Row(
            f"{name}/nan",
            along(Domain("special"), least=0, least_size=1),
            lambda X, axes, name=name: getattr(nt, name)[axes](nt.where(nt.isinf(X), 7.0, X)),
            lambda X, axes, name=name: D[name](D["where"](D["isinf"](X), 7.0, X), axes),
            (name,),
            kind="float",
            smooth=never,
        )
        for name in ("nansum", "nanmean")
    ],
    reduction("median", "float", least_size=1),
    Row(
        "quantile",
        along(REAL, least_size=1, q=st.sampled_from([0.0, 0.3, 0.5, 1.0])),
        lambda X, axes, q: nt.quantile[axes](X, q),
        D["quantile"],
        ("quantile",),
        kind="float",
    ),
    reduction("max", "like", least_size=1),
    reduction("min", "like", least_size=1),
    reduction("argmax_index", "int", least_size=1, smooth=never, most=1),
    reduction("argmin_index", "int", least_size=1, smooth=never, most=1),
    *[
        Row(
            f"{name}/nothing",
            along(REAL, most=1).map(emptied),
            lambda X, axes, name=name: getattr(nt, name)[axes](X),
            D[name],
            (name,),
            kind="float",
            smooth=never,
        )
        for emptied in [
            lambda example: example.each(
                lambda X: X.drawn_as({**X.sizes, example.settings["axes"][0]: 0}, 0)
            )
        ]
        for name in ("mean", "var", "std")
    ],
    *[
        Row(
            name,
            along(TRUTH, least=0),
            lambda X, axes, name=name: getattr(nt, name)[axes](X),
            D[name],
            (name,),
            kind=kind,
            smooth=never,
        )
        for name, kind in (("any", "bool"), ("all", "bool"), ("count", "int"))
    ],
    Row(
        "sum/bool",
        along(TRUTH, least=0),
        lambda X, axes: nt.sum[axes](X),
        D["sum"],
        ("sum",),
        kind="int",
        smooth=never,
    ),
]


def vector(name: str, kind: str, most: int = 3, least_size: int = 0, **rest: Any) -> Row:
    of = lambda domain: along(domain, most=most, least_size=least_size)
    return Row(
        name,
        st.one_of(of(REAL), of(WHOLE)),
        lambda X, axes: getattr(nt, name)[axes](X),
        D[name],
        (name,),
        kind=kind,
        **rest,
    )


LARGE = Domain("float", -2000.0, 2000.0)

VECTORS = [
    vector("softmax", "float"),
    vector("log_softmax", "float"),
    Row(
        "softmax/large",
        along(LARGE, most=1, least_size=1),
        lambda X, axes: nt.softmax[axes](X),
        # the oracle's exp overflows: shift by the greatest, which changes nothing
        lambda X, axes: D["softmax"](D["sub"](X, D["max"](X, axes)), axes),
        ("softmax",),
        smooth=never,
    ),
    Row(
        "logsumexp/large",
        along(LARGE, most=2, least_size=1),
        lambda X, axes: nt.logsumexp[axes](X),
        lambda X, axes: D["add"](
            D["logsumexp"](D["sub"](X, D["max"](X, axes)), axes), D["max"](X, axes)
        ),
        ("logsumexp",),
        smooth=never,
    ),
    Row(
        "standardize",
        along(REAL, eps=st.sampled_from([1e-5, 0.25])) | along(WHOLE, eps=st.just(0.5)),
        lambda X, axes, eps: nt.standardize[axes](X, eps),
        D["standardize"],
        ("standardize",),
        kind="float",
        smooth=spread,
    ),
    Row(
        "standardize/default",
        along(REAL),
        lambda X, axes: nt.standardize[axes](X),
        lambda X, axes: D["standardize"](X, axes, eps=1e-5),
        ("standardize",),
        kind="float",
        smooth=spread,
    ),
    vector("argmax", "int", least_size=1, smooth=never),
    vector("argmin", "int", least_size=1, smooth=never),
    vector("cumsum", "number", most=1),
    vector("cumprod", "number", most=1),
    vector("cummax", "number", most=1),
    vector("cummin", "number", most=1),
    vector("logcumsumexp", "float", most=1),
    vector("flip", "like"),
    Row(
        "roll",
        along(most=1, shift=st.integers(-5, 5)),
        lambda X, axes, shift: nt.roll[axes](X, shift),
        D["roll"],
        ("roll",),
    ),
    *[
        Row(
            f"{name}/{order}",
            along(REAL, most=1) | along(WHOLE, most=1),
            lambda X, axes, name=name, down=down: getattr(nt, name)[axes](X, descending=down),
            lambda X, axes, name=name, down=down: D[name](X, axes, descending=down),
            (name,),
            kind=kind,
            smooth=(lambda example: True) if name == "sort" else never,
        )
        for name, kind in (("sort", "like"), ("argsort", "int"))
        for order, down in (("ascending", False), ("descending", True))
    ],
]

ROWS = [*REDUCTIONS, *VECTORS]
