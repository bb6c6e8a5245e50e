"""Matrices: two named axes are the rows and the columns; all other axes lift (paper, section 4).

det_{row,col} : R^{row[n] x col[n]} -> R
inv_{row,col} : R^{row[n] x col[n]} -> R^{row[n] x col[n]},  inv(A)_{row(i),col(j)} = (A^-1)_{ij}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis, distinct, parse_axes, shown
from namedtensor.errors import AxisSizeError
from namedtensor.operations.axis_functions import AxisFunction, names, wants
from namedtensor.primitives import Call, Type, primitive
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import Notation, Word
from namedtensor.primitives.primitive import table
from namedtensor.primitives.sizes import as_node
from namedtensor.primitives.type import widest
from namedtensor.tensor import apply


def _square(call: Call) -> Any:
    row, col = call.params[0][:2]
    call.need(0, [row, col])
    type_ = call.types[0]
    n, m = type_.size(row), type_.size(col)
    if isinstance(n, int) and isinstance(m, int):
        if n != m:
            raise call.fail(
                AxisSizeError,
                f"{call.labels[0]} is not square: axis {shown(row)} is {n} and axis {shown(col)} is {m}",
                "nt.pinv takes any matrix",
            )
    elif n is not m:
        call.guards.append((n, m))
    return n


def _matrix_rule(result: str) -> Callable[[Call], Type]:
    """`result` says which axes are left: none, both, or swapped ones for a pseudo-inverse."""

    def rule(call: Call) -> Type:
        row, col = call.params[0][:2]
        type_ = call.types[0]
        kind = widest((type_.kind, "float"))
        if result == "pinv":
            call.need(0, [row, col])
            n, m = type_.size(row), type_.size(col)
            swapped = {row: m, col: n}
            return type_.with_axes([(a, swapped.get(a, s)) for a, s in type_.axes], kind)
        _square(call)
        return (type_ if result == "both" else type_.without((row, col))).of_kind(kind)

    return rule


def _lower_matrix(word: str, keeps: bool) -> Callable[..., Any]:
    def lower(emit: Any, call: Any, x: Any) -> Any:
        row, col = call.params[0][:2]
        rest = tuple([a for a in x.axes if a not in (row, col)])
        moved = emit.permute(x, (*rest, row, col)).code
        if x.type.kind in ("bool", "int"):
            moved = emit.call("floating", moved)
        code = emit.call(word, moved)
        return emit.bind(code, (*rest, row, col) if keeps else rest, call.type, word)

    return lower


def _matrix(
    name: str, word: str, result: str, doc: str, notation: Notation | None = None
) -> AxisFunction:
    lower = _lower_matrix(word, result != "none")
    entry = primitive(name, _matrix_rule(result), lower, notation=notation or Word(name))

    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        wants(name, axes, 2, f"nt.{name}[row, col](A)")
        operation = entry(names(axes))
        return lambda A: apply(operation, A)

    return AxisFunction(name, bind, doc)


det = _matrix(
    "det",
    "det",
    "none",
    "Compute determinants: det_{row,col} : R^{row[n] x col[n]} -> R.",
    Word("det"),
)
slogdet = _matrix(
    "slogdet", "slogdet", "none", "Compute log |det A|, safe where det A is huge or tiny."
)
inv = _matrix("inv", "inv", "both", "Invert: inv(A)_{row(i),col(j)} = (A^-1)_{ij}.")
pinv = _matrix(
    "pinv", "pinv", "pinv", "Compute pseudo-inverses: pinv(A)_{row(i),col(j)} = (A^+)_{ij}."
)
cholesky = _matrix(
    "cholesky", "cholesky", "both", "Give the lower triangle L of a positive A, with A = L L^T."
)
matrix_exp = _matrix(
    "matrix_exp",
    "matrix_exp",
    "both",
    "Compute exp(A) = 1 + A + A A / 2 + ...",
    Word("matexp", also=("expm",)),
)


# ------------------------------------------------------------------------------- diagonal, trace


def _diagonal_rule(call: Call) -> Type:
    row, col, new = call.params[0]
    n = _square(call)
    rest = call.types[0].without((row, col))
    if rest.has(new):
        call.absent(0, [new])
    return rest.with_axes((*rest.axes, (new, n)))


def _lower_diagonal(emit: Any, call: Any, x: Any) -> Any:
    row, col, new = call.params[0]
    rest = tuple([a for a in x.axes if a not in (row, col)])
    code = emit.call("diagonal", x.code, x.place(row), x.place(col))
    return emit.bind(code, (*rest, new), call.type, "diagonal")


DIAG = primitive("diag", _diagonal_rule, _lower_diagonal, notation=Word("diag"))


def _bind_diag(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    if len(axes) == 2:
        axes = (*axes, axes[0])
    wants("diag", axes, 3, "nt.diag[row, col, ax](A)")
    operation = DIAG(names(axes))
    return lambda A: apply(operation, A)


class _Diag(AxisFunction):
    """The third axis, or the first where two are given, names the diagonal: [row, col] or [row, col, ax]."""

    def __getitem__(self, axes: Any) -> Callable[..., Any]:

        parsed = parse_axes(axes)
        distinct(f"diag[{', '.join(map(repr, parsed))}]", parsed[:2])
        return _bind_diag(parsed)


diag = _Diag(
    "diag",
    _bind_diag,
    "Take the diagonal: diag_{row,col,ax}(A)_{ax(i)} = A_{row(i),col(i)}; ax is row where it is left out.",
)


def _trace_rule(call: Call) -> Type:
    _square(call)
    type_ = call.types[0]
    return type_.without(call.params[0]).of_kind(widest((type_.kind, "int")))


def _lower_trace(emit: Any, call: Any, x: Any) -> Any:
    row, col = call.params[0]
    rest = tuple([a for a in x.axes if a not in (row, col)])
    diagonal = emit.call("diagonal", x.code, x.place(row), x.place(col))
    return emit.bind(emit.call("sum", diagonal, (len(rest),)), rest, call.type, "trace")


TRACE = primitive("trace", _trace_rule, _lower_trace, notation=Word("tr", also=("trace", "Tr")))


def _bind_trace(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("trace", axes, 2, "nt.trace[row, col](A)")
    operation = TRACE(names(axes))
    return lambda A: apply(operation, A)


trace = AxisFunction(
    "trace", _bind_trace, "Add up the diagonal: trace_{row,col}(A) = sum_i A_{row(i),col(i)}."
)


# ------------------------------------------------------------------------------------- equations


def _solve_rule(call: Call) -> Type:
    row, col = call.params[0]
    _square(call)
    call.need(1, [row])
    call.absent(1, [col])
    n = call.agree(row, (0, 1))
    lifted = [a for a in call.union() if a[0] not in (row, col)]
    return Type((*lifted, (col, n)), widest([t.kind for t in call.types] + ["float"]))


def _lower_solve(emit: Any, call: Any, A: Any, B: Any) -> Any:
    """Solve for every lifted record; axes of B alone become columns of one equation."""
    row, col = call.params[0]
    batch = [a for a in A.axes if a not in (row, col)]
    columns = [a for a in B.axes if a != row and a not in batch]
    a = emit.permute(A, (*batch, row, col)).code
    there = [a_ for a_ in batch if a_ in B.axes]
    b = emit.aligned(B, (*batch, row, *columns))
    sizes = [emit.size(A.type.size(x)) for x in batch] + [emit.size(B.type.size(row))]
    columns_size = " * ".join(emit.size(B.type.size(c)) for c in columns) or "1"
    if len(there) != len(batch):
        whole = [*sizes, *[emit.size(B.type.size(c)) for c in columns]]
        b = emit.call("broadcast_to", b, f"({', '.join(whole)},)")
    b = emit.call("reshape", b, f"({', '.join([*sizes, columns_size])},)")
    codes = [
        emit.call("floating", c) if v.type.kind in ("bool", "int") else c
        for c, v in ((a, A), (b, B))
    ]
    solved = emit.call("solve", *codes)
    axes = (*batch, col, *columns)
    code = emit.call("reshape", solved, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "solution")


SOLVE = primitive("solve", _solve_rule, _lower_solve, notation=Word("solve"))


def _bind_solve(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("solve", axes, 2, "nt.solve[row, col](A, B)")
    operation = SOLVE(names(axes))
    return lambda A, B: apply(operation, A, B)


solve = AxisFunction(
    "solve",
    _bind_solve,
    "Solve A @ col @ X = B for X: R^{row[n] x col[n]} x R^{row[n]} -> R^{col[n]}.",
)


# -------------------------------------------------------------------------------------- spectra


def _spectrum(name: str, word: str, square: bool, doc: str) -> AxisFunction:
    def rule(call: Call) -> Type:
        row, col, new = call.params[0]
        call.need(0, [row, col])
        type_ = call.types[0]
        n, m = type_.size(row), type_.size(col)
        size = (
            _square(call)
            if square
            else min(n, m)
            if isinstance(n, int) and isinstance(m, int)
            else None
        )
        if size is None:
            size = apply_node(table()["minimum"].plain, (as_node(n), as_node(m)))
        rest = type_.without((row, col))
        return rest.with_axes((*rest.axes, (new, size)), widest((type_.kind, "float")))

    def lower(emit: Any, call: Any, x: Any) -> Any:
        row, col, new = call.params[0]
        rest = tuple([a for a in x.axes if a not in (row, col)])
        moved = emit.permute(x, (*rest, row, col)).code
        if x.type.kind in ("bool", "int"):
            moved = emit.call("floating", moved)
        return emit.bind(emit.call(word, moved), (*rest, new), call.type, "spectrum")

    entry = primitive(name, rule, lower, notation=Word(name))

    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        wants(name, axes, 3, f"nt.{name}[row, col, value](A)")
        operation = entry(names(axes))
        return lambda A: apply(operation, A)

    return AxisFunction(name, bind, doc)


eigvalsh = _spectrum(
    "eigvalsh",
    "eigvals_symmetric",
    True,
    "Give the eigenvalues of a symmetric matrix, smallest first: R^{row[n] x col[n]} -> R^{value[n]}.",
)
svdvals = _spectrum(
    "svdvals",
    "singular_values",
    False,
    "Give the singular values, greatest first: R^{row x col} -> R^value.",
)
