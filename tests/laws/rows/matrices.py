"""Rows of the functions of matrices (paper, section 4).

Matrices that must be invertible, symmetric or positive are made so by the call itself, on both
sides, so that any generated tensor will do, and gradients are those of unrestricted numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import definitions as D
from tests.laws.examples import Domain, Example
from tests.laws.row import Row, never
from tests.laws.strategies import Draw, names, operand, sizes

SMALL = Domain("float", -1.0, 1.0)


@st.composite
def matrices(
    draw: Draw, square: bool = True, vector: bool = False, least: int = 0, **more: Any
) -> Example:
    """A matrix on two axes, lifted over others, and perhaps a vector on its rows."""
    row, col, *others = names(draw, 2, 4)
    n = draw(st.integers(least, 3))
    m = n if square else draw(st.integers(least, 3))
    shape = {row: n, col: m, **{axis: min(size, 2) for axis, size in sizes(draw, others).items()}}
    operands = [operand(draw, shape, SMALL)]
    if vector:
        shared = [row, *others[:1]]
        own = {axis: shape[axis] for axis in shared} | ({"wide": 2} if draw(st.booleans()) else {})
        operands.append(operand(draw, own))
    return Example(tuple(operands), {"row": row, "col": col, "size": n, **more})


def identity(row: str, col: str, size: int) -> Any:
    return nt.eye(Axis(row)[size], Axis(col)[size])


def transposed(X: Any, row: str, col: str) -> Any:
    return X[Axis(row) >> Axis(col), Axis(col) >> Axis(row)]


def swapped(T: Any, row: str, col: str) -> Any:
    return D["rename"](T, {row: col, col: row})


def regular(X: Any, row: str, col: str, size: int) -> Any:
    """X + 4 I: invertible, since no row of X adds up to 4."""
    return X + 4.0 * identity(row, col, size)


def regular_records(T: Any, row: str, col: str, size: int) -> Any:
    return D["add"](T, D["mul"](4.0, D["eye"](row, col, size)))


def symmetric(X: Any, row: str, col: str, size: int) -> Any:
    """X + X^T, and more on the diagonal to tell eigenvalues apart."""
    steps = nt.where(nt.iota(Axis(row)[size]) == nt.iota(Axis(col)[size]), 1.0, 0.0)
    return X + transposed(X, row, col) + steps * (10.0 + 7.0 * nt.iota(Axis(row)[size]))


def symmetric_records(T: Any, row: str, col: str, size: int) -> Any:
    both = D["add"](T, swapped(T, row, col))
    places = D["mul"](D["eye"](row, col, size), D["add"](10.0, D["mul"](7.0, D["iota"](row, size))))
    return D["add"](both, places)


def as_given(X: Any, row: str, col: str, size: int) -> Any:
    return X


def of_matrix(
    name: str,
    prepare: Callable[..., Any] = as_given,
    prepare_records: Callable[..., Any] = as_given,
    kind: str = "float",
    least: int = 0,
) -> Row:
    return Row(
        name,
        matrices(least=least),
        lambda X, row, col, size: getattr(nt, name)[row, col](prepare(X, row, col, size)),
        lambda T, row, col, size: D[name](prepare_records(T, row, col, size), row, col),
        (name,),
        kind=kind,
        names=prepare is as_given,
    )


def tall(X: Any, row: str, col: str) -> Any:
    """Independent rows or columns: the diagonal outweighs the rest."""
    return X + 4.0 * nt.where(nt.iota(Axis(row)) == nt.iota(Axis(col)), 1.0, 0.0)


def tall_records(T: Any, row: str, col: str) -> Any:
    n, m = T.shape[row], T.shape[col]
    same = D["eq"](D["iota"](row, n), D["iota"](col, m))
    return D["add"](T, D["mul"](4.0, D["cast"](same, kind=float)))


def spectral(X: Any, row: str, col: str, size: int, new: str) -> Any:
    """Put a symmetric matrix together again from its eigenvalues and eigenvectors."""
    W, V = nt.eigh[row, col, new](symmetric(X, row, col, size))
    return nt.sum[new](V * W * V[Axis(row) >> Axis(col)])


def singular(X: Any, row: str, col: str, size: int, new: str) -> Any:
    U, S, V = nt.svd[row, col, new](tall(X, row, col))
    return nt.sum[new](U * S * V)


def similar(X: Any, row: str, col: str, size: int, new: str) -> Any:
    """Put a matrix together again from its eigenvalues and eigenvectors: V W V^-1."""
    W, V = nt.eig[row, col, new](spread(X, row, col, size))
    back = nt.inv[row, new](V)[Axis(row) >> Axis(new), Axis(new) >> Axis(col)]
    return nt.real(nt.dot[new](V * W, back))


def spread(X: Any, row: str, col: str, size: int) -> Any:
    """X and more on the diagonal, which tells eigenvalues apart."""
    i, j = nt.iota(Axis(row)[size]), nt.iota(Axis(col)[size])
    return X + nt.where(i == j, 1.0, 0.0) * (10.0 + 7.0 * i)


def spread_records(T: Any, row: str, col: str, size: int) -> Any:
    steps = D["add"](10.0, D["mul"](7.0, D["iota"](row, size)))
    return D["add"](T, D["mul"](D["eye"](row, col, size), steps))


def orthogonal(name: str) -> Any:
    """Multiply the vectors of a decomposition with one another, which gives the identity."""

    def products(X: Any, row: str, col: str, size: int, new: str) -> Any:
        if name == "eigh":
            vectors = nt.eigh[row, col, new](symmetric(X, row, col, size))[1]
        else:
            vectors = getattr(nt, name)[row, col, new](regular(X, row, col, size))[0]
        return vectors @ row @ vectors[Axis(new) >> Axis(col)] + 0.0 * nt.sum[row, col](X)

    return products


def identity_records(T: Any, row: str, col: str, size: int, new: str) -> Any:
    zeros = D["mul"](0.0, D["sum"](T, axes=(row, col)))
    return D["add"](D["eye"](new, col, size), zeros)


DECOMPOSED = [
    Row(
        "eigh/product",
        matrices(new="new"),
        spectral,
        lambda T, row, col, size, new: symmetric_records(T, row, col, size),
        ("eigh",),
        kind="float",
        names=False,
    ),
    Row(
        "eig/product",
        matrices(least=1, new="new"),
        similar,
        lambda T, row, col, size, new: spread_records(T, row, col, size),
        ("eig",),
        kind="float",
        names=False,
    ),
    Row(
        "svd/product",
        matrices(square=False, new="new"),
        singular,
        lambda T, row, col, size, new: tall_records(T, row, col),
        ("svd",),
        kind="float",
        names=False,
    ),
    Row(
        "qr/product",
        matrices(least=1, new="new"),
        lambda X, row, col, size, new: nt.dot[new](
            *nt.qr[row, col, new](regular(X, row, col, size))
        ),
        lambda T, row, col, size, new: regular_records(T, row, col, size),
        ("qr",),
        kind="float",
        names=False,
    ),
    *[
        Row(
            f"{name}/orthogonal",
            matrices(least=1, new="new"),
            orthogonal(name),
            identity_records,
            (name,),
            kind="float",
            names=False,
            smooth=never,
        )
        for name in ("eigh", "svd", "qr")
    ],
]

ROWS = [
    *DECOMPOSED,
    of_matrix("det"),
    of_matrix("slogdet", regular, regular_records),
    of_matrix("inv", regular, regular_records),
    of_matrix("cholesky", symmetric, symmetric_records),
    of_matrix("matrix_exp", least=1),
    of_matrix("trace"),
    Row(
        "pinv",
        matrices(square=False, least=1),
        lambda X, row, col, size: nt.pinv[row, col](tall(X, row, col)),
        lambda T, row, col, size: D["pinv"](tall_records(T, row, col), row, col),
        ("pinv",),
        names=False,
    ),
    Row(
        "diag",
        matrices(new="new"),
        lambda X, row, col, size, new: nt.diag[row, col, new](X),
        lambda T, row, col, size, new: D["diag"](T, row, col, new),
        ("diag",),
    ),
    Row(
        "diag/on the rows",
        matrices(),
        lambda X, row, col, size: nt.diag[row, col](X),
        lambda T, row, col, size: D["diag"](T, row, col, row),
        ("diag",),
    ),
    Row(
        "solve",
        matrices(vector=True),
        lambda X, b, row, col, size: nt.solve[row, col](regular(X, row, col, size), b),
        lambda T, b, row, col, size: D["solve"](regular_records(T, row, col, size), b, row, col),
        ("solve",),
        meets=True,
        names=False,
    ),
    *[
        Row(
            f"solve_triangular/{'upper' if upper else 'lower'}",
            matrices(vector=True),
            lambda X, b, row, col, size, upper=upper: nt.solve_triangular[row, col](
                regular(X, row, col, size), b, upper
            ),
            lambda T, b, row, col, size, upper=upper: D["solve_triangular"](
                regular_records(T, row, col, size), b, row, col, upper
            ),
            ("solve_triangular",),
            meets=True,
            names=False,
        )
        for upper in (False, True)
    ],
    Row(
        "cholesky_solve",
        matrices(vector=True, least=1),
        lambda X, b, row, col, size: nt.cholesky_solve[row, col](
            nt.cholesky[row, col](symmetric(X, row, col, size)), b
        ),
        lambda T, b, row, col, size: D["solve"](symmetric_records(T, row, col, size), b, row, col),
        ("cholesky_solve",),
        meets=True,
        names=False,
    ),
    Row(
        "lstsq",
        matrices(square=False, vector=True, least=1),
        lambda X, b, row, col, size: nt.lstsq[row, col](tall(X, row, col), b),
        lambda T, b, row, col, size: D["lstsq"](tall_records(T, row, col), b, row, col),
        ("lstsq",),
        meets=True,
        names=False,
    ),
    Row(
        "eigvalsh",
        matrices(new="new"),
        lambda X, row, col, size, new: nt.eigvalsh[row, col, new](symmetric(X, row, col, size)),
        lambda T, row, col, size, new: D["eigvalsh"](
            symmetric_records(T, row, col, size), row, col, new
        ),
        ("eigvalsh",),
        names=False,
    ),
    Row(
        "svdvals",
        matrices(square=False, new="new"),
        lambda X, row, col, size, new: nt.svdvals[row, col, new](tall(X, row, col)),
        lambda T, row, col, size, new: D["svdvals"](tall_records(T, row, col), row, col, new),
        ("svdvals",),
        names=False,
    ),
]
