"""Padding by a tensor's own numbers, adding up windows, and adding up at places."""

import numpy as np
import pytest

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import JT, I, J, T, X, emb, kernel, key, seq, vocab

CASES = [
    case(
        "a mode that is none",
        lambda: nt.pad[seq](X, 1, 1, mode="replicate"),
        nt.KindError,
        """
pad[seq](X, 1, 1, mode='replicate'): there is no mode 'replicate'
  X : seq[3] emb[4]
hint: a mode is one of 'constant', 'edge', 'wrap', 'reflect', 'symmetric'
""",
    ),
    case(
        "a mode and a number",
        lambda: nt.pad[seq](X, 1, 1, 2.0, mode="edge"),
        nt.KindError,
        """
pad[seq](X, 1, 1, mode='edge'): with this mode the numbers are X's own, and a value is given
  X : seq[3] emb[4]
hint: leave the value out: nt.pad[seq](X, 1, 1, mode='edge')
""",
    ),
    case(
        "a mode and a fraction",
        lambda: nt.pad[seq](X, 1, 0.5, mode="edge"),
        nt.KindError,
        """
pad[seq](X, 1, 0.5, mode='edge'): a width is a whole number, not a float
  X : seq[3] emb[4]
hint: nt.pad[seq](X, 1, 1, mode='edge')
""",
    ),
    case(
        "a mode and a negative width",
        lambda: nt.pad[seq](X, -1, 1, mode="wrap"),
        nt.AxisSizeError,
        """
pad[seq](X, -1, 1, mode='wrap'): a negative width would cut
  X : seq[3] emb[4]
hint: select: X[seq[1:]]
""",
    ),
    case(
        "a mode on an empty axis",
        lambda: nt.pad[seq](X[seq[0:0]], 1, 1, mode="reflect"),
        nt.AxisSizeError,
        """
pad[seq](X, 1, 1, mode='reflect'): axis seq is empty in X, so there is no number to repeat
  X : seq[0] emb[4]
hint: pad by a number: nt.pad[seq](X, 1, 1)
""",
    ),
    case(
        "a mode along an absent axis",
        lambda: nt.pad[key](X, 1, 1, mode="reflect"),
        nt.AxisMissingError,
        """
pad[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "a mode of an array",
        lambda: nt.pad[seq](np.ones(3), 1, 1, mode="reflect"),
        nt.BackendError,
        """
pad[seq](X): X is an ndarray, and not a named tensor
hint: name its axes: nt.tensor(X, "ax")
""",
    ),
    case(
        "windows of nothing to add up",
        lambda: nt.overlap_add[seq, kernel](nt.ones("seq[3] kernel[0]")),
        nt.AxisSizeError,
        """
overlap_add[seq, kernel](A): axis kernel is 0 in A, and a window holds 1 or more
  A : seq[3] kernel[0]
hint: sum over it: nt.sum[kernel](A)
""",
    ),
    case(
        "windows without their axis",
        lambda: nt.overlap_add[seq, kernel](X),
        nt.AxisMissingError,
        """
overlap_add[seq, kernel](X): X has no axis kernel
  X : seq[3] emb[4]
hint: X has emb: `nt.overlap_add[seq, emb](X)`
""",
    ),
    case(
        "windows along one axis",
        lambda: nt.overlap_add[seq](X),
        nt.AxisNameError,
        """
overlap_add[seq]: overlap_add acts on axes, each with that of its windows, and 1 is named
hint: nt.overlap_add[seq, kernel](X)
""",
    ),
    case(
        "a place without a size",
        lambda: nt.scatter[seq, vocab](X, I),
        nt.AxisNameError,
        """
scatter[seq, vocab]: axis vocab is to be made and has no size
hint: nt.scatter[seq, vocab[10]](X, I)
""",
    ),
    case(
        "a place alone",
        lambda: nt.scatter[vocab[5]](X, I),
        nt.AxisNameError,
        """
scatter[vocab[5]]: the axes to add up come first, then the axis to make
hint: nt.scatter[seq, vocab[10]](X, I)
""",
    ),
    case(
        "a place that nothing goes to",
        lambda: nt.scatter[key, vocab[5]](X, I),
        nt.AxisMissingError,
        """
scatter[key, vocab[5]](X, I): X has no axis key
  X : seq[3] emb[4]
  I : seq[3]
hint: X has seq and emb: `nt.scatter[seq, vocab[5]](X, I)` or `nt.scatter[emb, vocab[5]](X, I)`
""",
    ),
    case(
        "a place that is there",
        lambda: nt.scatter[seq, emb[4]](X, I),
        nt.AxisClashError,
        """
scatter[seq, emb[4]](X, I): X already has an axis emb
  X : seq[3] emb[4]
  I : seq[3]
hint: rename it first: X["emb -> emb'"]
""",
    ),
    case(
        "a place of fractions",
        lambda: nt.scatter[seq, vocab[5]](X, X),
        nt.KindError,
        """
scatter[seq, vocab[5]](X, X): X holds float numbers, int is needed
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: nt.cast(X, int)
""",
    ),
    case(
        "a place outside",
        lambda: nt.scatter[seq, vocab[5]](X, J),
        nt.IndexRangeError,
        """
scatter[seq, vocab[5]](X, J): index 7 in J lies outside axis vocab[5]
  X : seq[3] emb[4]
  J : seq[3]
hint: indices count from 0 to 4
""",
    ),
    case(
        "a place outside on torch",
        lambda: nt.scatter[seq, vocab[5]](T, JT),
        nt.IndexRangeError,
        """
scatter[seq, vocab[5]](T, JT): index 7 in JT lies outside axis vocab[5]
  T  : seq[3] emb[4]
  JT : seq[3]
hint: indices count from 0 to 4
""",
    ),
    case(
        "a place on an empty axis",
        lambda: nt.scatter[seq, vocab[0]](X, I),
        nt.IndexRangeError,
        """
scatter[seq, vocab[0]](X, I): index 2 in I lies outside axis vocab[0]
  X : seq[3] emb[4]
  I : seq[3]
hint: axis vocab is empty
""",
    ),
    case(
        "the greatest of complex numbers",
        lambda: X.at[seq(0)].max(1j),
        nt.KindError,
        """
X.at[seq(0)].max(1j): X holds float numbers, which cannot hold 1j, a complex value
  X : seq[3] emb[4]
hint: nt.cast(X, complex) first
""",
    ),
    case(
        "an eigenvector axis that is there",
        lambda: nt.eigh["row", "col", "value"](nt.ones("row[2] col[2] value[3]")),
        nt.AxisClashError,
        """
eigh[row, col, value](A): A already has an axis value
  A : row[2] col[2] value[3]
hint: rename it first: A["value -> value'"]
""",
    ),
    case(
        "eigenvalues of a table",
        lambda: nt.eigh[seq, emb, key](X),
        nt.AxisSizeError,
        """
eigh[seq, emb, key](X): X is not square: axis seq is 3 and axis emb is 4
  X : seq[3] emb[4]
hint: nt.svd takes any matrix
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_windows_of_nothing_are_refused_after_others_too(backend):
    """On numpy their sum was as long as the axis less one, where other windows had been added up before."""
    nt.overlap_add[seq, kernel](nt.ones("seq[3] kernel[2]", backend=backend))
    A = nt.ones("seq[3] kernel[0]", backend=backend)
    with pytest.raises(nt.AxisSizeError, match="axis kernel is 0 in A"):
        nt.overlap_add[seq, kernel](A)
