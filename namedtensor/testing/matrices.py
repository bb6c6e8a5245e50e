"""Functions of matrices, R^{row x col} -> ..., lifted (paper, section 4).

Each is its textbook definition: the determinant by permutations, the inverse by cofactors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations

from namedtensor.testing.contraction import dot
from namedtensor.testing.elementwise import log, maximum, sqrt
from namedtensor.testing.lifting import lift
from namedtensor.testing.records import (
    Number,
    RecordTensor,
    index_of,
    only,
    record,
    scalar,
    tabulate,
)
from namedtensor.testing.renaming import rename

Matrix = list[list[Number]]


def matrix(A: RecordTensor, row: str, col: str) -> Matrix:
    """Write a tensor with two axes as a list of rows."""
    rows, cols = range(A.shape[row]), range(A.shape[col])
    return [[A[record(**{row: i, col: j})] for j in cols] for i in rows]


def square(A: Matrix) -> int:
    if any(len(row) != len(A) for row in A):
        raise ValueError("a square matrix is needed")
    return len(A)


def to_number(f: Callable[[Matrix], Number]) -> Callable[..., RecordTensor]:
    """Lift a function from matrices to numbers."""

    def lifted(A: RecordTensor, row: str, col: str) -> RecordTensor:
        return lift(lambda M: scalar(f(matrix(M, row, col))), [A], [[row, col]], {})

    return lifted


def to_matrix(f: Callable[[Matrix], Matrix]) -> Callable[..., RecordTensor]:
    """Lift a function from matrices to matrices with the same axes."""

    def lifted(A: RecordTensor, row: str, col: str) -> RecordTensor:
        shape = only(A.shape, [row, col])

        def on_matrix(M: RecordTensor) -> RecordTensor:
            found = f(matrix(M, row, col))
            return tabulate(shape, lambda r: found[index_of(r, row)][index_of(r, col)])

        return lift(on_matrix, [A], [[row, col]], shape)

    return lifted


def to_vector(f: Callable[[Matrix], list[Number]]) -> Callable[..., RecordTensor]:
    """Lift a function from matrices to vectors, on the axis `into`."""

    def lifted(A: RecordTensor, row: str, col: str, into: str) -> RecordTensor:
        shape = {into: min(A.shape[row], A.shape[col])}

        def on_matrix(M: RecordTensor) -> RecordTensor:
            found = f(matrix(M, row, col))
            return tabulate(shape, lambda r: found[index_of(r, into)])

        return lift(on_matrix, [A], [[row, col]], shape)

    return lifted


def parity(order: tuple[int, ...]) -> int:
    """1 for an even number of swaps, -1 for an odd one."""
    swapped = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    return -1 if swapped % 2 else 1


def det(A: Matrix) -> Number:
    """sum over permutations p of sign(p) prod_i A_{i, p(i)}."""
    n = square(A)
    return sum(parity(p) * math.prod(A[i][p[i]] for i in range(n)) for p in permutations(range(n)))


def minor(A: Matrix, i: int, j: int) -> Matrix:
    """A without row i and column j."""
    return [[x for m, x in enumerate(row) if m != j] for k, row in enumerate(A) if k != i]


def inv(A: Matrix) -> Matrix:
    """(A^-1)_{ij} = (-1)^{i+j} det(A without row j and column i) / det(A)."""
    n, d = square(A), det(A)
    return [[(-1) ** (i + j) * det(minor(A, j, i)) / d for j in range(n)] for i in range(n)]


def product(A: Matrix, B: Matrix) -> Matrix:
    return [[sum(a * b for a, b in zip(row, col, strict=True)) for col in zip(*B)] for row in A]  # noqa: B905


def transpose(A: Matrix) -> Matrix:
    return [list(col) for col in zip(*A, strict=True)]


def pinv(A: Matrix) -> Matrix:
    """(A^T A)^-1 A^T for independent columns, A^T (A A^T)^-1 for independent rows."""
    At = transpose(A)
    if len(A) >= len(At):
        return product(inv(product(At, A)), At)
    return product(At, inv(product(A, At)))


def matrix_exp(A: Matrix) -> Matrix:
    """sum_k A^k / k!, as far as a double can tell."""
    n = square(A)
    term = total = [[float(i == j) for j in range(n)] for i in range(n)]
    for k in range(1, 100):
        term = [[x / k for x in row] for row in product(term, A)]
        total = [
            [x + y for x, y in zip(a, b, strict=True)] for a, b in zip(total, term, strict=True)
        ]
    return total


def cholesky(A: Matrix) -> Matrix:
    """The lower triangular L with L L^T = A, row by row."""
    L: Matrix = [[0.0] * len(A) for _ in A]
    for i in range(square(A)):
        for j in range(i + 1):
            left = A[i][j] - sum(L[i][k] * L[j][k] for k in range(j))
            L[i][j] = sqrt(left) if i == j else left / L[j][j]
    return L


def solve(A: RecordTensor, b: RecordTensor, row: str, col: str) -> RecordTensor:
    """The x on col with A ._col x = b, where b is on row."""
    inverse = to_matrix(inv)(A, row, col)
    swapped = rename(inverse, {row: col, col: row})  # the inverse maps row to col
    return dot(swapped, b, axes=[row])


def solve_triangular(
    A: RecordTensor, b: RecordTensor, row: str, col: str, upper: bool = False
) -> RecordTensor:
    """The x on col with T ._col x = b, where T is a triangle of A and 0 elsewhere."""

    def triangle(M: Matrix) -> Matrix:
        kept: Matrix = [[0.0] * len(r) for r in M]
        for i, r in enumerate(M):
            for j in range(i, len(r)) if upper else range(i + 1):
                kept[i][j] = r[j]
        return kept

    return solve(to_matrix(triangle)(A, row, col), b, row, col)


def lstsq(A: RecordTensor, b: RecordTensor, row: str, col: str) -> RecordTensor:
    """The x on col for which A ._col x is nearest to b, where b is on row: A^+ b."""
    return dot(rename(pinv_lifted(A, row, col), {row: col, col: row}), b, axes=[row])


def pinv_lifted(A: RecordTensor, row: str, col: str) -> RecordTensor:
    """The pseudo-inverse: its axis row has the size of A's col, and its axis col that of A's row."""
    shape = {row: A.shape[col], col: A.shape[row]}

    def on_matrix(M: RecordTensor) -> RecordTensor:
        found = pinv(matrix(M, row, col))
        return tabulate(shape, lambda r: found[index_of(r, row)][index_of(r, col)])

    return lift(on_matrix, [A], [[row, col]], shape)


def eigenvalues(A: Matrix) -> list[Number]:
    """The eigenvalues of a symmetric matrix, smallest first, by Jacobi's rotations.

    Each rotation turns one pair of axes until A_{pq} = 0; repeated, A becomes diagonal.
    """
    n = square(A)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    for p, q in pairs * 30:
        angle = math.atan2(2 * A[p][q], A[q][q] - A[p][p]) / 2
        turn = [[float(i == j) for j in range(n)] for i in range(n)]
        turn[p][p] = turn[q][q] = math.cos(angle)
        turn[p][q], turn[q][p] = math.sin(angle), -math.sin(angle)
        A = product(product(transpose(turn), A), turn)
    return sorted(diagonal(A))


def singular_values(A: Matrix) -> list[Number]:
    """The roots of the eigenvalues of A^T A, or of A A^T where that is smaller, greatest first."""
    At = transpose(A)
    gram = product(A, At) if len(A) <= len(At) else product(At, A)
    return [sqrt(maximum(x, 0.0)) for x in reversed(eigenvalues(gram))]


def trace(A: Matrix) -> Number:
    return sum(A[i][i] for i in range(square(A)))


def diagonal(A: Matrix) -> list[Number]:
    return [A[i][i] for i in range(min(len(A), len(A[0]) if A else 0))]


def eye(a: str, b: str, size: int) -> RecordTensor:
    """1 where both indices are the same, 0 elsewhere."""
    return tabulate({a: size, b: size}, lambda r: int(index_of(r, a) == index_of(r, b)))


MATRICES: dict[str, Callable[..., RecordTensor]] = {
    "det": to_number(det),
    "trace": to_number(trace),
    "slogdet": to_number(lambda A: log(abs(det(A)))),
    "inv": to_matrix(inv),
    "matrix_exp": to_matrix(matrix_exp),
    "cholesky": to_matrix(cholesky),
    "pinv": pinv_lifted,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "lstsq": lstsq,
    "diag": to_vector(diagonal),
    "eigvalsh": to_vector(eigenvalues),
    "svdvals": to_vector(singular_values),
    "eye": eye,
}
