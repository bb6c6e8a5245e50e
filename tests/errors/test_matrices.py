"""Matrices without rows, columns or values."""

import pytest

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import I, X, b, batch, col, emb, negative, row, seq, singular

complex_ = X + 1j

CASES = [
    *[
        case(
            f"{name} of a matrix that is not square",
            lambda call=call: call(),
            nt.AxisSizeError,
            f"""
{name}[{axes}]({labels}): X is not square: axis seq is 3 and axis emb is 4
  X : seq[3] emb[4]{more}
hint: {other} takes any matrix
""",
        )
        for name, axes, labels, more, other, call in (
            ("inv", "seq, emb", "X", "", "nt.pinv", lambda: nt.inv[seq, emb](X)),
            ("eig", "seq, emb, row", "X", "", "nt.svd", lambda: nt.eig[seq, emb, row](X)),
            (
                "eigvalsh",
                "seq, emb, row",
                "X",
                "",
                "nt.svdvals",
                lambda: nt.eigvalsh[seq, emb, row](X),
            ),
            (
                "solve",
                "seq, emb",
                "X, I",
                "\n  I : seq[3]",
                "nt.lstsq",
                lambda: nt.solve[seq, emb](X, I),
            ),
        )
    ],
    case(
        "a triangle that is neither the lower nor the upper one",
        lambda: nt.solve_triangular[row, col](singular, X, upper="no"),
        nt.KindError,
        """
solve_triangular[row, col](singular, X): upper is True or False
  singular : row[2] col[2]
  X        : seq[3] emb[4]
hint: upper=True reads the upper triangle
""",
    ),
    case(
        "the nearest solution for a matrix",
        lambda: nt.lstsq[seq, emb](X, X),
        nt.AxisClashError,
        """
lstsq[seq, emb](A, B): B already has an axis emb
  A : seq[3] emb[4]
  B : seq[3] emb[4]
hint: rename it first: B["emb -> emb'"]
""",
    ),
    *[
        case(
            f"{name} of complex numbers",
            call,
            nt.KindError,
            f"""
{name}: complex_ holds complex numbers, bool or int or float is needed
  complex_ : seq[3] emb[4]
hint: take a real part: nt.real(complex_)
""",
        )
        for name, call in (
            ("max[seq](complex_)", lambda: nt.max[seq](complex_)),
            ("min[seq](complex_)", lambda: nt.min[seq](complex_)),
            ("argmax[seq](complex_)", lambda: nt.argmax[seq](complex_)),
            ("cummax[seq](complex_)", lambda: nt.cummax[seq](complex_)),
            ("logcumsumexp[seq](complex_)", lambda: nt.logcumsumexp[seq](complex_)),
            ("sort[seq](complex_)", lambda: nt.sort[seq](complex_)),
            ("maxk[seq, k](complex_, 2)", lambda: nt.maxk[seq, "k[2]"](complex_)),
            ("complex_.at[seq(0)].max(1)", lambda: complex_.at[seq(0)].max(1)),
        )
    ],
    case(
        "distinct complex numbers",
        lambda: nt.unique["value"](complex_),
        nt.KindError,
        """
unique[value](X): X holds complex numbers, which have no order
  X : seq[3] emb[4]
hint: take a real part: nt.unique[value](nt.real(X))
""",
    ),
    case(
        "a matrix that is not square",
        lambda: nt.det[seq, emb](X),
        nt.AxisSizeError,
        """
det[seq, emb](X): X is not square: axis seq is 3 and axis emb is 4
  X : seq[3] emb[4]
hint: select as many of both: X[emb[:3]]
""",
    ),
    case(
        "a matrix without columns",
        lambda: nt.det[row, col](X),
        nt.AxisMissingError,
        """
det[row, col](X): X has no axis row
  X : seq[3] emb[4]
hint: rename the axis of X that you mean: `X[seq >> row]` or `X[emb >> row]`
""",
    ),
    case(
        "a matrix with one axis",
        lambda: nt.inv[seq](X),
        nt.AxisNameError,
        """
inv[seq]: inv acts on 2 axes, and 1 is named
hint: nt.inv[row, col](A)
""",
    ),
    case(
        "a matrix that cannot be inverted",
        lambda: nt.inv[row, col](singular),
        nt.NamedTensorError,
        """
inv[row, col](singular): inv has no value for some matrix in singular
  singular : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a matrix of torch that cannot be inverted",
        lambda: nt.inv[row, col](singular.to("torch")),
        nt.NamedTensorError,
        """
inv[row, col](A): inv has no value for some matrix in A
  A : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a matrix that is not positive",
        lambda: nt.cholesky[row, col](negative),
        nt.NamedTensorError,
        """
cholesky[row, col](negative): cholesky has no value for some matrix in negative
  negative : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a diagonal with one axis",
        lambda: nt.diag[seq](X),
        nt.AxisNameError,
        """
diag[seq]: diag acts on 3 axes, and 1 is named
hint: nt.diag["seq emb diagonal"](X)
""",
    ),
    case(
        "a diagonal of an axis with itself",
        lambda: nt.diag[seq, seq](X),
        nt.AxisNameError,
        """
diag[seq, seq]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a diagonal onto an axis that is there",
        lambda: nt.diag[row, col, batch](nt.ones("row[2] col[2] batch[3]")),
        nt.AxisClashError,
        """
diag[row, col, batch](A): A already has an axis batch
  A : row[2] col[2] batch[3]
hint: rename it first: A["batch -> batch'"]
""",
    ),
    case(
        "a spectrum without a name",
        lambda: nt.svdvals[seq, emb](X),
        nt.AxisNameError,
        """
svdvals[seq, emb]: svdvals acts on 3 axes, and 2 are named
hint: nt.svdvals["seq emb value"](X)
""",
    ),
    case(
        "equations whose right side lacks the rows",
        lambda: nt.solve[row, col](singular, b),
        nt.AxisMissingError,
        """
solve[row, col](singular, b): b has no axis row
  singular : row[2] col[2]
  b        : emb[4]
hint: rename the axis of b that you mean: `b[emb >> row]`
""",
    ),
    case(
        "equations whose right side has the columns",
        lambda: nt.solve[row, col](singular, singular),
        nt.AxisClashError,
        """
solve[row, col](singular, singular): singular already has an axis col
  singular : row[2] col[2]
  singular : row[2] col[2]
hint: rename it first: singular["col -> col'"]
""",
    ),
    case(
        "equations of another size",
        lambda: nt.solve[row, col](singular, nt.ones("row[3]")),
        nt.AxisSizeError,
        """
solve[row, col](singular, A): axis row is 2 in singular and 3 in A
  singular : row[2] col[2]
  A        : row[3]
hint: select as many of both, `nt.solve[row, col](singular, A[row[:2]])`, or rename one: `A["row -> row'"]`
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
