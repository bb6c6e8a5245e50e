"""Matrices: two named axes are the rows and the columns; all other axes lift (paper, section 4).

det_{row,col} : R^{row[n] x col[n]} -> R
inv_{row,col} : R^{row[n] x col[n]} -> R^{row[n] x col[n]},  inv(A)_{row(i),col(j)} = (A^-1)_{ij}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from namedtensor.axes import BOUND, Axis, primed, shown, typed_axis
from namedtensor.errors import AxisClashError, AxisSizeError, KindError
from namedtensor.operations.axis_functions import (
    AxisFunction,
    axis_function,
    named_operand,
    names,
    wants,
)
from namedtensor.operations.contraction import dot
from namedtensor.operations.elementwise import where
from namedtensor.operations.index_defined import iota
from namedtensor.operations.joining import concat, own_part, stack
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Node, Operation, Primitive, Type, primitive
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import Notation, Word
from namedtensor.primitives.primitive import table
from namedtensor.primitives.sizes import as_node, combine, product
from namedtensor.primitives.traits import Acts, Cost, Traits
from namedtensor.primitives.type import widest
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, apply


def _square(call: Call, otherwise: str = "") -> Any:
    """Give the one size of rows and columns; name the function that takes any matrix, if one does."""
    row, col = call.params[0][:2]
    call.need(0, [row, col])
    type_ = call.types[0]
    n, m = type_.size(row), type_.size(col)
    if isinstance(n, int) and isinstance(m, int):
        if n != m:
            longer = row if n > m else col
            raise call.fail(
                AxisSizeError,
                f"{call.labels[0]} is not square: axis {shown(row)} is {n} and axis {shown(col)} is {m}",
                f"{otherwise} takes any matrix"
                if otherwise
                else f"select as many of both: {call.labels[0]}[{typed_axis(longer)}[:{min(n, m)}]]",
            )
    elif n is not m:
        call.guards.append((n, m))
    return n


def _matrix_rule(result: str, otherwise: str) -> Callable[[Call], Type]:
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
        _square(call, otherwise)
        return (type_ if result == "both" else type_.without((row, col))).of_kind(kind)

    return rule


def _lower_matrix(word: str, keeps: bool) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        row, col = call.params[0][:2]
        rest = tuple([a for a in x.axes if a not in (row, col)])
        moved = emit.permute(x, (*rest, row, col)).code
        if x.type.kind in ("bool", "int"):
            moved = emit.floating(moved)
        code = emit.call(word, moved)
        return emit.bind(code, (*rest, row, col) if keeps else rest, call.type, word)

    return lower


# ---------------------------------------------------------------- matrices in rules of derivatives


def _matmul(row: str, col: str, *matrices: NamedTensor) -> NamedTensor:
    """Multiply matrices that all have the axes row and col: sum_k A_{row,k} B_{k,col}."""
    inner = f"{row}{BOUND}k"
    result, *rest = matrices
    for B in rest:
        left = apply(table()["rename"](((col, inner),)), result)
        right = apply(table()["rename"](((row, inner),)), B)
        result = dot[sized(inner, None)](left, right)
    return result


def _transposed(row: str, col: str, A: NamedTensor) -> NamedTensor:
    """Let rows and columns change places."""
    return apply(table()["rename"](((row, col), (col, row))), A)


def _on_diagonal(row: Axis, col: Axis) -> NamedTensor:
    """Say where the row's index is the column's."""
    marked: NamedTensor = iota(row) == iota(col)
    return marked


def _axes(use: Use) -> tuple[Axis, Axis]:
    """Give the axes of the rows and columns."""
    row, col = use.params[0][:2]
    return sized(row, None), sized(col, None)


def _symmetric(row: str, col: str, A: NamedTensor) -> Any:
    return (A + _transposed(row, col, A)) / 2


def _cubic(factor: int = 1) -> Callable[[Node], Cost]:
    """Count about `factor` n^2 m multiply-adds for each matrix, n the smaller of its sizes."""

    def cost(node: Node) -> Cost:
        (A, *others) = node.operands
        row, col = node.operation.params[0][:2]
        n, m = A.type.size(row), A.type.size(col)
        if isinstance(n, int) and isinstance(m, int):
            n, m = sorted((n, m))
        sizes = [s for a, s in A.type.axes if a not in (row, col)]
        work = product([*sizes, n, n, m])
        for _ in range(factor - 1):
            work = combine("add", work, product([*sizes, n, n, m]))
        read: Any = 0
        for operand in (A, *others):
            read = combine("add", product([s for _, s in operand.type.axes]), read)
        written = product([s for _, s in node.type.axes])
        return Cost(multiply_adds=work, read=read, written=written)

    return cost


def _of_matrix(
    name: str,
    word: str,
    result: str,
    factor: int,
    differential: Callable[..., NamedTensor] | None,
    notation: Notation | None = None,
    otherwise: str = "",
) -> Primitive:
    uses = result == "none"
    return primitive(
        name,
        _matrix_rule(result, otherwise),
        _lower_matrix(word, not uses),
        notation=notation or Word(name),
        traits=Traits(
            uniform=True,
            fresh=True,
            needs=2,
            acts=lambda params: Acts(uses=params[0]) if uses else Acts(along=params[0]),
        ),
        differential=differential,
        cost=_cubic(factor),
    )


# ------------------------------------------------------------------- determinants and inverses


def _change_of_slogdet(use: Use, place: int, d: NamedTensor) -> NamedTensor:
    """d log|det A| = sum A^-T * dA; there is none where A has no inverse."""
    row, col = _axes(use)
    turned = _transposed(row.name, col.name, inv[row, col](use.operands[0]))
    return apply(table()["sum"]((row.name, col.name)), turned * d)


def _change_of_det(use: Use, place: int, d: NamedTensor) -> Any:
    """d det A = det A sum A^-T * dA; there is none where A has no inverse."""
    return use.result * _change_of_slogdet(use, place, d)


def _change_of_inv(use: Use, place: int, d: NamedTensor) -> Any:
    """d A^-1 = -A^-1 dA A^-1."""
    return -_matmul(*use.params[0], use.result, d, use.result)


def _change_of_pinv(use: Use, place: int, d: NamedTensor) -> Any:
    """d P = -P dA P + P P^T dA^T (1 - A P) + (1 - P A) dA^T P^T P, where A keeps its rank."""
    row, col = use.params[0]
    A, P = use.operands[0], use.result
    turned_P, turned_d = _transposed(row, col, P), _transposed(row, col, d)
    first = _matmul(row, col, P, d, P)
    left = _matmul(row, col, P, turned_P, turned_d)
    right = _matmul(row, col, turned_d, turned_P, P)
    return left - _matmul(row, col, left, A, P) + right - _matmul(row, col, P, A, right) - first


def _change_of_cholesky(use: Use, place: int, d: NamedTensor) -> NamedTensor:
    """d L = L low(L^-1 dA L^-T), low: the lower half with half of the diagonal, dA symmetric."""
    row, col = _axes(use)
    L = use.result
    n = L.size(row)
    inverse = inv[row, col](L)
    turned = _transposed(row.name, col.name, inverse)
    inner = _matmul(row.name, col.name, inverse, _symmetric(row.name, col.name, d), turned)
    i, j = iota(row[n]), iota(col[n])
    low = where(i > j, inner, where(i == j, inner / 2, 0.0))
    return _matmul(row.name, col.name, L, low)


DET = _of_matrix("det", "det", "none", 1, _change_of_det)
SLOGDET = _of_matrix("slogdet", "slogdet", "none", 1, _change_of_slogdet)
INV = _of_matrix("inv", "inv", "both", 1, _change_of_inv, otherwise="nt.pinv")
PINV = _of_matrix("pinv", "pinv", "pinv", 10, _change_of_pinv)
CHOLESKY = _of_matrix("cholesky", "cholesky", "both", 1, _change_of_cholesky)
#: The change of exp(A) is a series of its own, so that the table has no rule for it.
MATRIX_EXP = _of_matrix(
    "matrix_exp", "matrix_exp", "both", 20, None, Word("matexp", also=("expm",))
)


@axis_function(DET, "nt.det[row, col](A)")
def det(op: Operation, A: NamedTensor) -> NamedTensor:
    """Compute determinants.

        det_{row,col} : R^{row[n] x col[n]} -> R

    Source: paper, section 4. Raises: AxisSizeError, AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.det["row", "col"](nt.tensor([[2.0, 0.0], [1.0, 3.0]], "row col"))
    NamedTensor(6.0)
    """
    return apply(op, A)


@axis_function(SLOGDET, "nt.slogdet[row, col](A)")
def slogdet(op: Operation, A: NamedTensor) -> NamedTensor:
    """Compute log |det A|, safe where det A is huge or tiny.

        slogdet_{row,col} : R^{row[n] x col[n]} -> R

    Departs: numpy and torch give the sign as well.
    Raises: AxisSizeError, AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.slogdet["row", "col"](nt.tensor([[-1.0, 0.0], [0.0, 1.0]], "row col"))
    NamedTensor(0.0)
    """
    return apply(op, A)


@axis_function(INV, "nt.inv[row, col](A)")
def inv(op: Operation, A: NamedTensor) -> NamedTensor:
    """Invert matrices.

        inv_{row,col} : R^{row[n] x col[n]} -> R^{row[n] x col[n]},  inv(A)_{row(i),col(j)} = (A^-1)_{ij}

    Source: paper, section 4.
    Raises: AxisSizeError, AxisMissingError, NamedTensorError where a matrix has no inverse.

    >>> import namedtensor as nt
    >>> nt.inv["row", "col"](nt.tensor([[2.0, 0.0], [0.0, 4.0]], "row col"))
    NamedTensor(row[2] x col[2], float64)
           col
              0     1
    row 0  0.50  0.00
        1  0.00  0.25
    """
    return apply(op, A)


@axis_function(PINV, "nt.pinv[row, col](A)")
def pinv(op: Operation, A: NamedTensor) -> NamedTensor:
    """Compute pseudo-inverses of matrices of any sizes.

        pinv_{row,col} : R^{row[n] x col[m]} -> R^{row[m] x col[n]},  pinv(A)_{row(i),col(j)} = (A^+)_{ij}

    Rows are still called row, so that row and col change their sizes.
    Raises: AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.pinv["row", "col"](nt.tensor([[2.0], [0.0]], "row col")).shape
    row[1] x col[2]
    """
    return apply(op, A)


@axis_function(CHOLESKY, "nt.cholesky[row, col](A)")
def cholesky(op: Operation, A: NamedTensor) -> NamedTensor:
    """Give the lower triangle L of a positive definite A, with A = L L^T.

        cholesky_{row,col} : R^{row[n] x col[n]} -> R^{row[n] x col[n]}

    Raises: AxisSizeError, AxisMissingError, NamedTensorError where A is not positive definite.

    >>> import namedtensor as nt
    >>> nt.cholesky["row", "col"](nt.tensor([[4.0, 0.0], [0.0, 9.0]], "row col"))
    NamedTensor(row[2] x col[2], float64)
           col
           0  1
    row 0  2  0
        1  0  3
    """
    return apply(op, A)


@axis_function(MATRIX_EXP, "nt.matrix_exp[row, col](A)")
def matrix_exp(op: Operation, A: NamedTensor) -> NamedTensor:
    """Compute exp(A) = 1 + A + A A / 2 + ..., a series of matrix products.

        matrix_exp_{row,col} : R^{row[n] x col[n]} -> R^{row[n] x col[n]}

    Raises: AxisSizeError, AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.matrix_exp["row", "col"](nt.tensor([[0.0, 1.0], [0.0, 0.0]], "row col"))
    NamedTensor(row[2] x col[2], float64)
           col
           0  1
    row 0  1  1
        1  0  1
    """
    return apply(op, A)


# ------------------------------------------------------------------------------- diagonal, trace


def _diagonal_rule(call: Call) -> Type:
    row, col, new = call.params[0]
    n = _square(call)
    rest = call.types[0].without((row, col))
    if rest.has(new):
        call.absent(0, [new])
    return rest.with_axes((*rest.axes, (new, n)))


def _lower_diagonal(emit: Emitter, call: Lowered, x: Value) -> Any:
    row, col, new = call.params[0]
    rest = tuple([a for a in x.axes if a not in (row, col)])
    code = emit.call("diagonal", x.code, x.place(row), x.place(col))
    return emit.bind(code, (*rest, new), call.type, "diagonal")


def _onto_diagonal(use: Use, place: int, g: NamedTensor) -> Any:
    row, col, new = use.params[0]
    n = use.operands[0].size(sized(row, None))
    placed = g if new == row else apply(table()["rename"](((new, row),)), g)
    return where(_on_diagonal(sized(row, n), sized(col, n)), placed, 0.0)


DIAG = primitive(
    "diag",
    _diagonal_rule,
    _lower_diagonal,
    notation=Word("diag"),
    traits=Traits(
        linear=(0,), needs=2, acts=lambda params: Acts(uses=params[0][:2], makes=params[0][2:])
    ),
    transpose=_onto_diagonal,
)


def _three(axes: tuple[Axis, ...]) -> Operation:
    """Read the axis of the diagonal, which is row where it is left out."""
    given = axes if len(axes) != 2 else (*axes, axes[0])
    wants("diag", given, 3, "nt.diag[row, col, diagonal](A)")
    return DIAG(names(given))


@axis_function(first=_three, distinct=2)
def diag(op: Operation, A: NamedTensor) -> NamedTensor:
    """Take the diagonal, on an axis that is named third; on row where it is left out.

        diag_{row,col,ax} : R^{row[n] x col[n]} -> R^ax[n],  diag(A)_{ax(i)} = A_{row(i),col(i)}

    Raises: AxisSizeError, AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> nt.diag["row", "col"](nt.tensor([[1, 2], [3, 4]], "row col"))
    NamedTensor(row[2], int64)
    row  0  1
         1  4
    """
    return apply(op, A)


def _trace_rule(call: Call) -> Type:
    _square(call)
    type_ = call.types[0]
    return type_.without(call.params[0]).of_kind(widest((type_.kind, "int")))


def _lower_trace(emit: Emitter, call: Lowered, x: Value) -> Any:
    row, col = call.params[0]
    rest = tuple([a for a in x.axes if a not in (row, col)])
    diagonal = emit.call("diagonal", x.code, x.place(row), x.place(col))
    return emit.bind(emit.call("sum", diagonal, (len(rest),)), rest, call.type, "trace")


def _along_diagonal(use: Use, place: int, g: NamedTensor) -> Any:
    row, col = use.params[0]
    n = use.operands[0].size(sized(row, None))
    return where(_on_diagonal(sized(row, n), sized(col, n)), g, 0.0)


TRACE = primitive(
    "trace",
    _trace_rule,
    _lower_trace,
    notation=Word("tr", also=("trace", "Tr")),
    traits=Traits(
        linear=(0,), uniform=True, fresh=True, needs=2, acts=lambda params: Acts(uses=params[0])
    ),
    transpose=_along_diagonal,
)


@axis_function(TRACE, "nt.trace[row, col](A)")
def trace(op: Operation, A: NamedTensor) -> NamedTensor:
    """Add up the diagonal.

        trace_{row,col} : R^{row[n] x col[n]} -> R,  trace(A) = sum_i A_{row(i),col(i)}

    Raises: AxisSizeError, AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.trace["row", "col"](nt.tensor([[1, 2], [3, 4]], "row col"))
    NamedTensor(5)
    """
    return apply(op, A)


# ------------------------------------------------------------------------------------- equations


def _solve_rule(call: Call) -> Type:
    row, col = call.params[0]
    _square(call, "nt.lstsq")
    call.need(1, [row])
    call.absent(1, [col])
    n = call.agree(row, (0, 1))
    lifted = [a for a in call.union() if a[0] not in (row, col)]
    return Type((*lifted, (col, n)), widest([t.kind for t in call.types] + ["float"]))


def _lower_solve(emit: Emitter, call: Lowered, A: Value, B: Value) -> Any:
    """Solve for every lifted record; axes of B alone become columns of one equation."""
    (row, col), *settings = call.params
    batch = [a for a in A.axes if a not in (row, col)]
    columns = [a for a in B.axes if a != row and a not in batch]
    a = emit.permute(A, (*batch, row, col)).code
    there = [a_ for a_ in batch if a_ in B.axes]
    b = emit.aligned(B, (*batch, row, *columns))
    sizes = [emit.size(A.type.size(x)) for x in batch] + [emit.size(B.type.size(row))]
    columns_size = emit.product_of(B.type, columns)
    if len(there) != len(batch):
        every = (*sizes, *[emit.size(B.type.size(c)) for c in columns])
        b = emit.call("broadcast_to", b, every)
    b = emit.call("reshape", b, (*sizes, columns_size))
    # whole numbers take the dtype of what they meet
    whole = [v.type.kind in ("bool", "int") for v in (A, B)]
    if whole[0]:
        a = emit.floating(a) if whole[1] else emit.call("as_like", a, b)
    if whole[1]:
        b = emit.call("as_like", b, a)
    solved = emit.call(call.operation.name, a, b, *settings)
    axes = (*batch, col, *columns)
    code = emit.call("reshape", solved, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "solution")


def _change_of_solution(use: Use, place: int, d: NamedTensor) -> Any:
    """A dX = -dA X."""
    _, col = _axes(use)
    return -apply(use.operation, use.operands[0], dot[col](d, use.result))


def _solution_transposed(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """The share of B solves the transposed equation."""
    row, col = use.params[0]
    A, B = use.operands
    return own_part(apply(SOLVE((col, row)), A, g), B, (A,))


SOLVE = primitive(
    "solve",
    _solve_rule,
    _lower_solve,
    notation=Word("solve"),
    traits=Traits(
        linear=(1,),
        uniform=True,
        fresh=True,
        needs=2,
        acts=lambda params: Acts(uses=params[0][:1], along=params[0][1:]),
    ),
    differential=_change_of_solution,
    transpose=_solution_transposed,
    cost=_cubic(1),
)


@axis_function(SOLVE, "nt.solve[row, col](A, B)")
def solve(op: Operation, A: NamedTensor, B: NamedTensor) -> NamedTensor:
    """Solve A @ col @ X = B for X.

        solve_{row,col} : R^{row[n] x col[n]} x R^row[n] -> R^col[n], lifted over all other axes

    Raises: AxisSizeError, AxisMissingError, AxisClashError, NamedTensorError where there is no X.

    >>> import namedtensor as nt
    >>> A = nt.tensor([[2.0, 0.0], [0.0, 4.0]], "row col")
    >>> nt.solve["row", "col"](A, nt.tensor([1.0, 1.0], "row"))
    NamedTensor(col[2], float64)
    col     0     1
         0.50  0.25
    """
    return apply(op, A, B)


def _triangle(use: Use, A: NamedTensor) -> Any:
    """Keep the triangle that is read, and 0 elsewhere."""
    (row, col), upper = use.params
    n = use.operands[0].size(sized(row, None))
    i, j = iota(sized(row, n)), iota(sized(col, n))
    return where(i <= j if upper else i >= j, A, 0.0)


def _change_of_triangular_solution(use: Use, place: int, d: NamedTensor) -> Any:
    return _change_of_solution(use, place, _triangle(use, d))


def _triangular_solution_transposed(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """The share of B solves the transposed equation, whose triangle is the other one."""
    (row, col), upper = use.params
    A, B = use.operands
    return own_part(apply(SOLVE_TRIANGULAR((col, row), not upper), A, g), B, (A,))


def _solve_triangular_rule(call: Call) -> Type:
    if not isinstance(call.params[1], bool):
        raise call.fail(KindError, "upper is True or False", "upper=True reads the upper triangle")
    return _solve_rule(call)


SOLVE_TRIANGULAR = primitive(
    "solve_triangular",
    _solve_triangular_rule,
    _lower_solve,
    notation=Word("solve-lower", otherwise="solve-upper", flag="upper"),
    traits=Traits(
        linear=(1,),
        needs=2,
        uniform=True,
        fresh=True,
        acts=lambda params: Acts(uses=params[0][:1], along=params[0][1:]),
    ),
    differential=_change_of_triangular_solution,
    transpose=_triangular_solution_transposed,
    cost=_cubic(1),
)


@axis_function(first=names, example="nt.solve_triangular[row, col](A, B)")
def solve_triangular(
    axes: tuple[str, ...], A: NamedTensor, B: NamedTensor, upper: bool = False
) -> NamedTensor:
    """Solve A @ col @ X = B for X, reading the lower triangle of A, or the upper one.

        solve_triangular_{row,col} : R^{row[n] x col[n]} x R^row[n] -> R^col[n]

    The lower triangle holds the records whose row is not before their column. A 0 on the diagonal
    gives inf or nan. Raises: AxisSizeError, AxisMissingError, AxisClashError, KindError.

    >>> import namedtensor as nt
    >>> A = nt.tensor([[2.0, 9.0], [1.0, 4.0]], "row col")
    >>> nt.solve_triangular["row", "col"](A, nt.tensor([2.0, 5.0], "row"))
    NamedTensor(col[2], float64)
    col  0  1
         1  1
    """
    return apply(SOLVE_TRIANGULAR(axes, upper), A, B)


def _right_side(call: str, row: Axis, col: Axis, A: NamedTensor, B: NamedTensor) -> None:
    """Raise unless A has rows and columns, and B rows alone."""
    named_operand(call, A, row, col)
    named_operand(call, B, row)
    if col.name in B.axes:
        raise AxisClashError(
            f"{call}(A, B)",
            f"B already has an axis {shown(col.name)}",
            shapes(A, B, labels="AB"),
            f"rename it first: {primed('B', col.name)}",
        )


@axis_function(first=lambda axes: axes, example="nt.cholesky_solve[row, col](L, B)")
def cholesky_solve(axes: tuple[Axis, ...], L: NamedTensor, B: NamedTensor) -> NamedTensor:
    """Solve A @ col @ X = B for X, where L is the lower triangle that nt.cholesky gives of A.

        cholesky_solve_{row,col} : R^{row[n] x col[n]} x R^row[n] -> R^col[n];  L L^T X = B

    Two triangular equations. Raises: AxisSizeError, AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> L = nt.cholesky["row", "col"](nt.tensor([[4.0, 0.0], [0.0, 9.0]], "row col"))
    >>> nt.cholesky_solve["row", "col"](L, nt.tensor([4.0, 18.0], "row"))
    NamedTensor(col[2], float64)
    col  0  1
         1  2
    """
    row, col = axes
    half = solve_triangular[row, col](L, B)
    solution: NamedTensor = solve_triangular[col, row](L, half, upper=True)[row >> col]
    return solution


@axis_function(first=lambda axes: axes, example="nt.lstsq[row, col](A, B)")
def lstsq(axes: tuple[Axis, ...], A: NamedTensor, B: NamedTensor) -> NamedTensor:
    """Find the X for which A @ col @ X is nearest to B; the shortest where there are several.

        lstsq_{row,col} : R^{row[n] x col[m]} x R^row[n] -> R^col[m];  min sum_row (A X - B)^2

    By the pseudo-inverse, for matrices of any sizes and ranks. Raises: AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> A = nt.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], "row col")
    >>> nt.lstsq["row", "col"](A, nt.tensor([3.0, 4.0, 5.0], "row"))
    NamedTensor(col[2], float64)
    col  0  1
         3  2
    """
    row, col = axes
    _right_side(f"lstsq[{row.name}, {col.name}]", row, col, A, B)
    return dot[row](_transposed(row.name, col.name, pinv[row, col](A)), B)


# -------------------------------------------------------------------------------------- spectra


def _smaller(call: Call) -> Any:
    """Give the smaller of the sizes of rows and columns."""
    row, col = call.params[0][:2]
    n, m = call.types[0].size(row), call.types[0].size(col)
    if isinstance(n, int) and isinstance(m, int):
        return min(n, m)
    return apply_node(table()["minimum"].plain, (as_node(n), as_node(m)))


def _lower_spectrum(word: str) -> Callable[..., Any]:
    """Decompose matrices stored last; the result has its axes in the order of its type."""

    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        row, col = call.params[0][:2]
        rest = tuple([a for a in x.axes if a not in (row, col)])
        moved = emit.permute(x, (*rest, row, col)).code
        if x.type.kind in ("bool", "int"):
            moved = emit.floating(moved)
        made = [a for a in call.type.names if a not in rest]
        return emit.bind(emit.call(word, moved), (*rest, *made), call.type, "spectrum")

    return lower


def _spectrum(
    name: str, word: str, square: bool, differential: Callable[..., NamedTensor]
) -> Primitive:
    def rule(call: Call) -> Type:
        row, col, new = call.params[0]
        call.need(0, [row, col])
        type_ = call.types[0]
        size = _square(call, "nt.svdvals") if square else _smaller(call)
        rest = type_.without((row, col))
        return rest.with_axes((*rest.axes, (new, size)), widest((type_.kind, "float")))

    return primitive(
        name,
        rule,
        _lower_spectrum(word),
        notation=Word(name),
        traits=Traits(
            uniform=True,
            fresh=True,
            needs=2,
            acts=lambda params: Acts(uses=params[0][:2], makes=params[0][2:]),
        ),
        differential=differential,
        cost=_cubic(10),
    )


def _change_of_eigenvalues(use: Use, place: int, d: NamedTensor) -> NamedTensor:
    """d w_k = v_k^T dA v_k."""
    row, col, new = use.params[0]
    _, V = eigh[row, col, new](use.operands[0])
    turned = apply(table()["rename"](((row, col),)), V)
    return apply(table()["sum"]((row, col)), V * d * turned)


def _change_of_singular_values(use: Use, place: int, d: NamedTensor) -> NamedTensor:
    """d s_k = u_k^T dA v_k."""
    row, col, new = use.params[0]
    U, _, V = svd[row, col, new](use.operands[0])
    return apply(table()["sum"]((row, col)), U * d * V)


EIGVALSH = _spectrum("eigvalsh", "eigvals_symmetric", True, _change_of_eigenvalues)
SVDVALS = _spectrum("svdvals", "singular_values", False, _change_of_singular_values)


@axis_function(EIGVALSH, "nt.eigvalsh[row, col, value](A)")
def eigvalsh(op: Operation, A: NamedTensor) -> NamedTensor:
    """Give the eigenvalues of a symmetric matrix, smallest first.

        eigvalsh_{row,col,value} : R^{row[n] x col[n]} -> R^value[n]

    Reads the lower triangle. Raises: AxisSizeError, AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.eigvalsh["row", "col", "value"](nt.tensor([[3.0, 0.0], [0.0, 1.0]], "row col"))
    NamedTensor(value[2], float64)
    value  0  1
           1  3
    """
    return apply(op, A)


@axis_function(SVDVALS, "nt.svdvals[row, col, value](A)")
def svdvals(op: Operation, A: NamedTensor) -> NamedTensor:
    """Give the singular values of a matrix, greatest first.

        svdvals_{row,col,value} : R^{row[n] x col[m]} -> R^value[min(n, m)]

    Raises: AxisMissingError.

    >>> import namedtensor as nt
    >>> nt.svdvals["row", "col", "value"](nt.tensor([[3.0, 0.0], [0.0, -4.0]], "row col"))
    NamedTensor(value[2], float64)
    value  0  1
           4  3
    """
    return apply(op, A)


# ----------------------------------------------------------------------------- decompositions
#
# One operation gives all factors, one below the other on the axis of the rows, so that a matrix is
# decomposed once; the public function takes them apart. On paper the stack has a word of its own, so
# that nobody takes it for the function.


def _stacked_factors(
    name: str,
    square: bool,
    height: Callable[[Any, Any], Any],
    differential: Any = None,
    least: str = "float",
) -> Primitive:
    def rule(call: Call) -> Type:
        row, col, new = call.params[0]
        call.need(0, [row, col])
        type_ = call.types[0]
        if type_.has(new):
            call.absent(0, [new])
        n, m = type_.size(row), type_.size(col)
        size = _square(call, "nt.svd") if square else _smaller(call)
        rest = type_.without((row, col))
        axes = (*rest.axes, (row, height(n, m)), (new, size))
        return rest.with_axes(axes, widest((type_.kind, least)))

    return primitive(
        name,
        rule,
        _lower_spectrum(name),
        notation=Word(f"stacked-{name}"),
        traits=Traits(
            uniform=True,
            fresh=True,
            needs=2,
            acts=lambda params: Acts(uses=params[0][1:2], along=params[0][:1], makes=params[0][2:]),
        ),
        differential=differential,
        cost=_cubic(10),
    )


def _change_of_eigh(use: Use, place: int, d: NamedTensor) -> NamedTensor:
    """dW = diag M and dV = V (F * M) with M = V^T dA V and F_ij = 1 / (w_j - w_i), 0 for i = j."""
    row, col, new = use.params[0]
    other = f"{new}{BOUND}k"
    names_of = table()["rename"]
    k, l = sized(new, use.result.size(sized(new, None))), sized(other, None)
    W, V = use.result[sized(row, None)(0)], use.result[sized(row, None)[1:]]
    left = apply(names_of(((new, other),)), V)
    M = dot[sized(col, None)](
        dot[sized(row, None)](left, _symmetric(row, col, d)), apply(names_of(((row, col),)), V)
    )
    same = _on_diagonal(k, sized(other, k.size))
    gap = W - apply(names_of(((new, other),)), W)
    turning = dot[l](left, where(same, 0.0, M / where(same, 1.0, gap)))
    growing = apply(table()["sum"]((other,)), where(same, M, 0.0))
    return concat[row](stack[row](growing), turning)


EIGH = _stacked_factors("eigh", True, lambda n, m: combine("add", n, 1), _change_of_eigh)
#: Vectors of singular values, of QR and of matrices that are not symmetric have no rule in the table;
#: torch's autograd has theirs.
EIG = _stacked_factors("eig", True, lambda n, m: combine("add", n, 1), least="complex")
SVD = _stacked_factors("svd", False, lambda n, m: combine("add", combine("add", n, m), 1))
QR = _stacked_factors("qr", False, lambda n, m: combine("add", n, m))


@axis_function(EIGH, "nt.eigh[row, col, value](A)")
def eigh(op: Operation, A: NamedTensor) -> tuple[NamedTensor, NamedTensor]:
    """Give the eigenvalues of a symmetric matrix, smallest first, and its eigenvectors.

        eigh_{row,col,value} : R^{row[n] x col[n]} -> R^value[n] x R^{row[n] x value[n]};
        W, V = eigh(A):  sum_value V_{row} W V_{col} = A

    Reads the lower triangle. The sign of a vector is the library's choice.
    Raises: AxisSizeError, AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> W, V = nt.eigh["row", "col", "value"](nt.tensor([[3.0, 0.0], [0.0, 1.0]], "row col"))
    >>> W
    NamedTensor(value[2], float64)
    value  0  1
           1  3
    >>> V.shape
    row[2] x value[2]
    """
    row = sized(op.params[0][0], None)
    both = apply(op, A)
    return both[row(0)], both[row[1:]]


@axis_function(EIG, "nt.eig[row, col, value](A)")
def eig(op: Operation, A: NamedTensor) -> tuple[NamedTensor, NamedTensor]:
    """Give the eigenvalues of any square matrix and its eigenvectors, which are complex.

        eig_{row,col,value} : R^{row[n] x col[n]} -> C^value[n] x C^{row[n] x value[n]};
        W, V = eig(A):  A @ col @ V_{row -> col} = V W

    The order of the values and the scale of the vectors are the library's choice; nt.eigh is for
    symmetric matrices. Raises: AxisSizeError, AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> W, V = nt.eig["row", "col", "value"](nt.tensor([[0.0, -1.0], [1.0, 0.0]], "row col"))
    >>> nt.sort["value"](nt.imag(W))
    NamedTensor(value[2], float64)
    value   0  1
           -1  1
    """
    row = sized(op.params[0][0], None)
    both = apply(op, A)
    return both[row(0)], both[row[1:]]


@axis_function(SVD, "nt.svd[row, col, value](A)")
def svd(op: Operation, A: NamedTensor) -> tuple[NamedTensor, NamedTensor, NamedTensor]:
    """Give the singular values of a matrix, greatest first, between the vectors that go with them.

        svd_{row,col,value} : R^{row[n] x col[m]} -> R^{row x value[k]} x R^value[k] x R^{col x value[k]};
        U, S, V = svd(A):  sum_value U S V = A, with k = min(n, m)

    Departs: V has its vectors on value as U has; numpy and torch give V^T.
    The signs of two vectors that go together are the library's choice.
    Raises: AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> U, S, V = nt.svd["row", "col", "value"](nt.tensor([[3.0, 0.0], [0.0, -4.0]], "row col"))
    >>> S
    NamedTensor(value[2], float64)
    value  0  1
           4  3
    >>> U.shape, V.shape
    (row[2] x value[2], col[2] x value[2])
    """
    row, col = sized(op.params[0][0], None), sized(op.params[0][1], None)
    every = apply(op, A)
    n = A.size(row)
    return every[row[1 : n + 1]], every[row(0)], every[row[n + 1 :]][row >> col]


@axis_function(QR, "nt.qr[row, col, value](A)")
def qr(op: Operation, A: NamedTensor) -> tuple[NamedTensor, NamedTensor]:
    """Write a matrix as orthogonal columns times an upper triangle.

        qr_{row,col,value} : R^{row[n] x col[m]} -> R^{row[n] x value[k]} x R^{value[k] x col[m]};
        Q, R = qr(A):  Q @ value @ R = A, with k = min(n, m)

    The signs are the library's choice. Raises: AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> A = nt.tensor([[3.0, 1.0], [4.0, 2.0]], "row col")
    >>> Q, R = nt.qr["row", "col", "value"](A)
    >>> Q @ "value" @ R
    NamedTensor(row[2] x col[2], float64)
           col
           0  1
    row 0  3  1
        1  4  2
    """
    row, col = sized(op.params[0][0], None), sized(op.params[0][1], None)
    both = apply(op, A)
    n = A.size(row)
    return both[row[:n]], both[row[n:]][row >> col]


def _stack_of(entry: Primitive) -> AxisFunction[..., NamedTensor]:
    """Make the function that gives all factors as one tensor."""

    def stacked(op: Operation, A: NamedTensor) -> NamedTensor:
        return apply(op, A)

    stacked.__name__ = f"stacked_{entry.name}"
    example = f"{stacked.__name__}[row, col, value](A)"
    return cast(AxisFunction[..., NamedTensor], axis_function(entry, example)(stacked))


#: The decompositions as they are printed, by the names of their primitives.
STACKED = {entry.name: _stack_of(entry) for entry in (EIGH, EIG, SVD, QR)}
