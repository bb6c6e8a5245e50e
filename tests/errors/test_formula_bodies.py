"""Bodies that do not give what they declare."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from tests.errors.check import case, check
from tests.errors.operands import I, col, emb, kernel, key, row, seq, step, val

hid = axes("hid")
CAPTURED = nt.tensor(np.arange(4.0), emb)
ARRAY = np.ones(4)
x = nt.tensor(np.arange(4.0), emb)
W = nt.ones("emb[4] hid[5]")


@formula
def lookup(X: R[emb], I: Z[seq]) -> R[seq]:
    return X[emb(I)]


@formula
def renamed(X: R[emb]) -> R[emb]:
    return X[emb >> hid]


@formula
def widened(X: R[emb]) -> R[emb]:
    return X * nt.iota(hid[3])


@formula
def summed(X: R[emb]) -> R[emb]:
    return nt.sum[emb](X)


@formula
def halved(X: R[seq]) -> Z[seq]:
    return X * 0.5


@formula
def silent(X: R[emb]) -> R[emb]:
    X + 1.0


@formula
def constant(X: R[emb]) -> R:
    return 3.0


@formula
def half_pair(X: R[emb]) -> tuple[R[emb], R[emb]]:
    return X


@formula
def triple(X: R[emb]) -> tuple[R[emb], R[emb]]:
    return X, X, X


@formula
def doubled(X: R[emb]) -> R[emb]:
    return X, X


@formula
def fixed_result(X: R[emb]) -> R[emb]:
    return CAPTURED


@formula
def shifted(X: R[emb]) -> R[emb]:
    return X + CAPTURED


@formula
def shifted_by_array(X: R[emb]) -> R[emb]:
    return X + ARRAY


@formula
def branching(X: R[emb]) -> R[emb]:
    return X if nt.sum[emb](X) > 0 else -X


@formula
def measured(X: R[emb]) -> R[emb]:
    return X / nt.norm[emb](X).item()


@formula
def masked(X: R[emb]) -> R[emb]:
    return X[emb[X > 0]]


@formula
def numpied(X: R[emb]) -> R[emb]:
    return np.exp(X)


@formula
def sized(X: R[emb]) -> R[emb]:
    return X / abs(hid)


@formula
def misspelled(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ "ebm" @ X


@formula
def unseen(X: R[emb], *, W: R[emb, hid]) -> R[emb]:
    return W @ hid @ X


@formula
def outside(X: R[emb]) -> R:
    return X[emb(9)]


@formula
def listed(X: R[emb[4]]) -> R[emb]:
    return X[emb[[0, 4]]]


@formula
def halves(X: R[emb]) -> R[key, val]:
    return X[emb >> (key[2], val)]


@formula
def convolved(X: R[seq], W: R[kernel]) -> R[seq]:
    return W @ kernel @ nt.unroll[seq, kernel[abs(kernel)]](X)


@formula
def inverted(A: R[row, col]) -> R[row, col]:
    return nt.inv[row, col](A)


@formula
def recorded(X: R[emb]) -> R[emb]:
    return X.requires_grad_()


@formula
def converted(X: R[emb]) -> R[emb]:
    return X.to("float32")


@formula
def moved(X: R[emb]) -> R[emb]:
    return X + nt.zeros(emb, device="cpu")


@formula
def derived(X: R[emb]) -> R[emb]:
    return nt.derivative(lambda Y: nt.matrix_exp[emb, hid](Y * Y[emb >> hid]))(X)


@formula
def drop(X: R[emb]) -> R[emb]:
    return nt.dropout(X, 0.5)


@formula
def closing_over(X: R[emb]) -> R[emb]:
    outside = drop.module()
    return outside(X)


@formula
def lengthened(X: R[seq]) -> R[seq]:
    return nt.upsample[seq](X, abs(seq) / 2)


@formula
def crossed(X: R[emb], Y: R[seq]) -> R[seq]:
    return Y @ emb @ nt.softmax[emb](nt.exp(X) / nt.sqrt(abs(emb)))


@formula
def lengthened_by_nothing(X: R[seq]) -> R[seq]:
    return nt.upsample[seq](X, abs(seq) - 3)


@formula
def placed(X: R[seq, emb], *, P: R[hid, emb]) -> R[seq, emb]:
    return X + P[hid(nt.iota(seq))]


@formula
def placed_by_its_size(X: R[seq], *, P: R[emb]) -> R[seq]:
    return X + P[emb(nt.iota(seq[abs(seq)]))]


@formula
def started(X: R[emb]) -> R[emb, hid]:
    return nt.scan[emb](step, nt.zeros(hid), X)


@formula
def cast_to_its_dtype(X: R[emb]) -> R[emb]:
    return nt.cast(X > 0, X.dtype)


@formula
def one_term_unsummed(X: R[emb], Y: R[hid]) -> R:
    return nt.sum[emb](X) + nt.exp(Y) - 2 * Y


@formula
def one_term_unrenamed(X: R[emb], W: R[emb, emb.prime]) -> R[emb]:
    return X + W @ emb @ X


CASES = [
    case(
        "a term with an axis that the others lack",
        lambda: one_term_unsummed(x, nt.ones(hid[5])),
        nt.AxisClashError,
        """
one_term_unsummed(X, Y): the body's result, over hid, has hid too; declared is R
  X : emb[4]   declared R[emb]
  Y : hid[5]   declared R[hid]
  File "test_formula_bodies.py", line N, in one_term_unsummed
    return nt.sum[emb](X) + nt.exp(Y) - 2 * Y
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: sum it where it is, `nt.sum[hid](nt.exp(Y))` and `nt.sum[hid](2 * Y)`, or declare it: -> R[hid]
""",
    ),
    case(
        "a term that was not renamed",
        lambda: one_term_unrenamed(x, nt.ones("emb[4] emb'[4]")),
        nt.AxisClashError,
        """
one_term_unrenamed(X, W): the body's result, over emb, emb', has emb' too; declared is R[emb]
  X : emb[4]   declared R[emb]
  W : emb[4] emb'[4]   declared R[emb, emb']
  File "test_formula_bodies.py", line N, in one_term_unrenamed
    return X + W @ emb @ X
           ^^^^^^^^^^^^^^^
hint: rename it where it is, `(W @ emb @ X)["emb' -> emb"]`, or declare it: -> R[emb, emb']
""",
    ),
    case(
        "a body that asks for a dtype",
        lambda: cast_to_its_dtype(x),
        nt.TraceError,
        """
X.dtype: a formula's body runs on symbols, which have no dtype
  X : emb[4]
  File "test_formula_bodies.py", line N, in cast_to_its_dtype
    return nt.cast(X > 0, X.dtype)
                          ^^^^^^^
hint: cast to that of a tensor, `nt.cast(Y, like=X)`; plain numbers, as in nt.where(M, 1.0, 0.0), take it by themselves
""",
    ),
    *[
        case(
            f"a factor that is 0 at this call, in {library}",
            lambda library=library: lengthened_by_nothing(nt.ones(seq[3], backend=library)),
            nt.AxisSizeError,
            """
upsample[seq](X, factor=0): factor is 1 or more, not 0
  X : seq[3]
  File "test_formula_bodies.py", line N, in lengthened_by_nothing
    return nt.upsample[seq](X, abs(seq) - 3)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: nt.upsample[seq](X, factor=1)
""",
        )
        for library in ("numpy", "torch")
    ],
    case(
        "a table that is too short for positions which take their size from what they meet",
        lambda: placed(nt.ones(seq[5], emb[2]), P=nt.ones(hid[4], emb[2])),
        nt.IndexRangeError,
        """
P[hid(iota(seq[5]))]: index 4 in iota(seq[5]) lies outside axis hid, which is 4 in P
  P            : hid[4] emb[2]
  iota(seq[5]) : seq[5]
  File "test_formula_bodies.py", line N, in placed
    return X + P[hid(nt.iota(seq))]
               ^^^^^^^^^^^^^^^^^^^^
hint: indices count from 0 to 3
""",
    ),
    case(
        "a table of positions that is too short",
        lambda: placed_by_its_size(nt.ones(seq[5]), P=nt.ones(emb[4])),
        nt.IndexRangeError,
        """
P[emb(iota(seq[5]))]: index 4 in iota(seq[5]) lies outside axis emb, which is 4 in P
  P            : emb[4]
  iota(seq[5]) : seq[5]
  File "test_formula_bodies.py", line N, in placed_by_its_size
    return X + P[emb(nt.iota(seq[abs(seq)]))]
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: indices count from 0 to 3
""",
    ),
    case(
        "a body that is asked for its shape shows what is written in it",
        lambda: crossed.shape("emb", "seq"),
        nt.AxisMissingError,
        """
dot[emb](Y, nt.softmax[emb](nt.exp(X) / nt.sqrt(abs(emb)))): Y has no axis emb
  Y                                              : seq
  nt.softmax[emb](nt.exp(X) / nt.sqrt(abs(emb))) : emb
  File "test_formula_bodies.py", line N, in crossed
    return Y @ emb @ nt.softmax[emb](nt.exp(X) / nt.sqrt(abs(emb)))
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: rename the axis of Y that you mean: `Y[seq >> emb]`
""",
    ),
    case(
        "a body that makes a tensor elsewhere",
        lambda: moved(x),
        nt.TraceError,
        """
zeros(..., device='cpu'): a formula's body makes its tensors where its arguments live, not on device cpu
  File "test_formula_bodies.py", line N, in moved
    return X + nt.zeros(emb, device="cpu")
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: leave device out, or pass the tensor as an argument
""",
    ),
    case(
        "a body that gives another axis",
        lambda: renamed(x),
        nt.AxisMissingError,
        """
renamed(X): the body's result, over hid, lacks emb and has hid too; declared is R[emb]
  X : emb[4]   declared R[emb]
  File "test_formula_bodies.py", line N, in renamed
    return X[emb >> hid]
           ^^^^^^^^^^^^^
hint: rename it in the body: `X[emb >> hid][hid >> emb]`
""",
    ),
    case(
        "a body that gives an axis too many",
        lambda: widened(x),
        nt.AxisClashError,
        """
widened(X): the body's result, over emb, hid, has hid too; declared is R[emb]
  X : emb[4]   declared R[emb]
  File "test_formula_bodies.py", line N, in widened
    return X * nt.iota(hid[3])
           ^^^^^^^^^^^^^^^^^^^
hint: sum over it, `nt.sum[hid](X * nt.iota(hid[3]))` or `nt.mean[hid](X * nt.iota(hid[3]))`, or declare it: -> R[emb, hid]
""",
    ),
    case(
        "a body that gives an axis too few",
        lambda: summed(x),
        nt.AxisMissingError,
        """
summed(X): the body's result, over no axes, lacks emb; declared is R[emb]
  X : emb[4]   declared R[emb]
  File "test_formula_bodies.py", line N, in summed
    return nt.sum[emb](X)
           ^^^^^^^^^^^^^^
hint: declare what summed gives: -> R
""",
    ),
    case(
        "a body that gives real numbers for whole ones",
        lambda: halved(I),
        nt.KindError,
        """
halved(X): the body's result holds float numbers, and declared is Z[seq]
  X : seq[3]   declared R[seq]
  File "test_formula_bodies.py", line N, in halved
    return X * 0.5
           ^^^^^^^
hint: declare what it holds, or nt.cast the result of halved
""",
    ),
    case(
        "a body that returns nothing",
        lambda: silent(x),
        nt.NamedTensorError,
        """
silent(X): the body returned nothing, and a formula gives a named tensor
  X : emb[4]   declared R[emb]
hint: return the result of the formula's last line
""",
    ),
    case(
        "a body that returns a number",
        lambda: constant(x),
        nt.NamedTensorError,
        """
constant(X): the body returned a float, and a formula gives a named tensor
  X : emb[4]   declared R[emb]
hint: return the result of the formula's last line
""",
    ),
    case(
        "a body that returns one of two results",
        lambda: half_pair(x),
        nt.NamedTensorError,
        """
half_pair(X): the body returned one named tensor, and a tuple of 2 is declared
  X : emb[4]   declared R[emb]
hint: return as many named tensors as the signature declares
""",
    ),
    case(
        "a body that returns three of two results",
        lambda: triple(x),
        nt.NamedTensorError,
        """
triple(X): the body returned a tuple of 3, and a tuple of 2 is declared
  X : emb[4]   declared R[emb]
hint: return as many named tensors as the signature declares
""",
    ),
    case(
        "a body that returns two of one result",
        lambda: doubled(x),
        nt.NamedTensorError,
        """
doubled(X): the body returned a tuple of 2, and a formula gives a named tensor
  X : emb[4]   declared R[emb]
hint: return the result of the formula's last line
""",
    ),
    case(
        "a body that returns a captured tensor",
        lambda: fixed_result(x),
        nt.TraceError,
        """
fixed_result(X): the body returned a named tensor that is none of its arguments
  X : emb[4]   declared R[emb]
hint: pass it as an argument, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that uses a captured tensor",
        lambda: shifted(x),
        nt.TraceError,
        """
X + CAPTURED: the formula uses the named tensor CAPTURED, which is none of its arguments
  X        : emb[4]
  CAPTURED : emb[4]
  File "test_formula_bodies.py", line N, in shifted
    return X + CAPTURED
           ^^^^^^^^^^^^
hint: pass CAPTURED as an argument, as a parameter after the *, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that uses a captured array",
        lambda: shifted_by_array(x),
        nt.BackendError,
        """
X + ARRAY: ARRAY is a bare array of sizes (4); its axes have no names
  X : emb[4]
  File "test_formula_bodies.py", line N, in shifted_by_array
    return X + ARRAY
           ^^^^^^^^^
hint: name its axes: nt.tensor(ARRAY, "ax")
""",
    ),
    case(
        "a body that asks for the truth of a tensor",
        lambda: branching(x),
        nt.TraceError,
        """
sum[emb](X) > 0: a formula's body runs on symbols, which have no numbers to look at
  sum[emb](X) > 0 : () a single number
  File "test_formula_bodies.py", line N, in branching
    return X if nt.sum[emb](X) > 0 else -X
                ^^^^^^^^^^^^^^^^^^
hint: use nt.where(condition, X, Y) instead of if, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that asks for the number of a tensor",
        lambda: measured(x),
        nt.TraceError,
        """
norm[emb](X): a formula's body runs on symbols, which have no numbers to look at
  norm[emb](X) : () a single number
  File "test_formula_bodies.py", line N, in measured
    return X / nt.norm[emb](X).item()
               ^^^^^^^^^^^^^^^^^^^^^^
hint: use nt.where(condition, X, Y) instead of if, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that selects by a mask",
        lambda: masked(x),
        nt.TraceError,
        """
X > 0: a formula's body runs on symbols, which have no numbers to look at
  X > 0 : emb[4]
  File "test_formula_bodies.py", line N, in masked
    return X[emb[X > 0]]
           ^^^^^^^^^^^^^
hint: use nt.where(condition, X, Y) instead of if, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that calls numpy",
        lambda: numpied(x),
        nt.BackendError,
        """
np.exp(...): numpy's functions know no names
  X : emb[4]
  File "test_formula_bodies.py", line N, in numpied
    return np.exp(X)
           ^^^^^^^^^
hint: nt.exp(X)
""",
    ),
    case(
        "a body that asks for the size of an axis that is not declared",
        lambda: sized(x),
        nt.AxisSizeError,
        """
abs(hid): sized declares no axis hid
  sized : emb
  File "test_formula_bodies.py", line N, in sized
    return X / abs(hid)
               ^^^^^^^^
hint: declare it, or ask a tensor: X.size(hid)
""",
    ),
    case(
        "a start over an axis of the result alone",
        lambda: started(x),
        nt.AxisSizeError,
        """
abs(hid): only the result of started is declared over hid, which gives it no size
  started : emb
  File "test_formula_bodies.py", line N, in started
    return nt.scan[emb](step, nt.zeros(hid), X)
                              ^^^^^^^^^^^^^
hint: say it, hid[4], or declare an argument that has hid
""",
    ),
    case(
        "a body that contracts a misspelled axis",
        lambda: misspelled(x, W=W),
        nt.AxisMissingError,
        """
dot[ebm](W, X): W has no axis ebm
  W : emb[4] hid[5]
  X : emb[4]
  File "test_formula_bodies.py", line N, in misspelled
    return W @ "ebm" @ X
           ^^^^^^^^^^^^^
hint: both have emb: `W @ emb @ X`
""",
    ),
    case(
        "a body that contracts an axis of the caller's",
        lambda: unseen(nt.ones("emb[4] hid[2]"), W=W),
        nt.AxisMissingError,
        """
dot[hid](W, X): X has no axis hid
  W : emb[4] hid[5]
  X : emb[4] hid[2]
  File "test_formula_bodies.py", line N, in unseen
    return W @ hid @ X
           ^^^^^^^^^^^
hint: the hid that X shows is the caller's, and passes through a formula that does not declare it for X
""",
    ),
    case(
        "a body that indexes outside",
        lambda: outside(x),
        nt.IndexRangeError,
        """
X[emb(9)]: index 9 lies outside axis emb, which is 4 in X
  X : emb[4]
  File "test_formula_bodies.py", line N, in outside
    return X[emb(9)]
           ^^^^^^^^^
hint: X[emb(3)] is the last
""",
    ),
    case(
        "a body that selects outside of a declared size",
        lambda: listed(x),
        nt.IndexRangeError,
        """
X[emb[[0, 4]]]: index 4 lies outside axis emb, which is 4 in X
  X : emb[4]
  File "test_formula_bodies.py", line N, in listed
    return X[emb[[0, 4]]]
           ^^^^^^^^^^^^^^
hint: indices count from 0 to 3
""",
    ),
    case(
        "a body that lengthens an axis by a half of an open size",
        lambda: lengthened.shape("seq"),
        nt.KindError,
        """
upsample[seq](X, (abs(seq) / 2)): a factor is a whole number, 1 or more, not (abs(seq) / 2)
  X : seq
  File "test_formula_bodies.py", line N, in lengthened
    return nt.upsample[seq](X, abs(seq) / 2)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: nt.upsample[seq](X, 2)
""",
    ),
    case(
        "a body that looks up outside",
        lambda: lookup(x, I + 90),
        nt.IndexRangeError,
        """
x[emb(I)]: index 92 in I lies outside axis emb, which is 4 in x
  x : emb[4]
  I : seq[3]
  File "test_formula_bodies.py", line N, in lookup
    return X[emb(I)]
           ^^^^^^^^^
hint: indices count from 0 to 3
""",
    ),
    case(
        "a body that looks up outside on torch",
        lambda: lookup(x.to("torch"), I.to("torch") + 90),
        nt.IndexRangeError,
        """
X[emb(I)]: index 92 in I lies outside axis emb, which is 4 in X
  X : emb[4]
  I : seq[3]
  File "test_formula_bodies.py", line N, in lookup
    return X[emb(I)]
           ^^^^^^^^^
hint: indices count from 0 to 3
""",
    ),
    case(
        "a body that splits what does not divide",
        lambda: halves(nt.ones("emb[3]")),
        nt.AxisSizeError,
        """
X[emb >> (key[2], val)]: axis emb is 3 in X, which does not split into parts of 2
  X : emb[3]
  File "test_formula_bodies.py", line N, in halves
    return X[emb >> (key[2], val)]
           ^^^^^^^^^^^^^^^^^^^^^^^
hint: the sizes of the new axes multiply to 3; lengthen it, `nt.pad[emb](X, 0, 1)`, or shorten it, `X[emb[:2]]`
""",
    ),
    case(
        "a body that slides a window that does not fit",
        lambda: convolved(nt.ones("seq[2]"), nt.ones("kernel[3]")),
        nt.AxisSizeError,
        """
unroll[seq, kernel](X, 3): a window of 3 does not fit into axis seq, which is 2 in X
  X : seq[2]
  File "test_formula_bodies.py", line N, in convolved
    return W @ kernel @ nt.unroll[seq, kernel[abs(kernel)]](X)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: pad first: nt.pad[seq](X, 1, 1)
""",
    ),
    case(
        "a body that inverts a singular matrix",
        lambda: inverted(nt.ones("row[2] col[2]")),
        nt.NamedTensorError,
        """
inv[row, col](A): inv has no value for some matrix in A
  A : row[2] col[2]
  File "test_formula_bodies.py", line N, in inverted
    return nt.inv[row, col](A)
           ^^^^^^^^^^^^^^^^^^^
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a body that asks for gradients",
        lambda: recorded(x),
        nt.TraceError,
        """
X.requires_grad_(): a formula's body runs on symbols, which record no gradients
  X : emb[4]
  File "test_formula_bodies.py", line N, in recorded
    return X.requires_grad_()
           ^^^^^^^^^^^^^^^^^^
hint: take the gradient of what the formula gives: nt.sum[...](f(X)).backward()
""",
    ),
    case(
        "a body that converts",
        lambda: converted(x),
        nt.TraceError,
        """
X.to('float32'): a formula's body runs on symbols, which are in no library and on no device
  X : emb[4]
  File "test_formula_bodies.py", line N, in converted
    return X.to("float32")
           ^^^^^^^^^^^^^^^
hint: nt.cast(X, dtype) changes the dtype; convert the arguments before the call
""",
    ),
    case(
        "a body that derives what has no rule",
        lambda: derived(x),
        nt.DerivativeError,
        """
d matrix_exp[emb, hid](X * ...): matrix_exp has no rule for its derivative
  X * X[emb >> hid] : emb[4] hid[4]
  File "test_formula_bodies.py", line N, in derived
    return nt.derivative(lambda Y: nt.matrix_exp[emb, hid](Y * Y[emb >> hid]))(X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: leave matrix_exp out of what is derived, or let torch derive it: nt.sum[...](f(X)).backward()
""",
    ),
    case(
        "a module that obeys its mode and is no argument",
        lambda: closing_over(x),
        nt.TraceError,
        """
drop.module(...)(...): its result depends on train() and eval() of a module that is no argument of the formula
  File "test_formula_bodies.py", line N, in closing_over
    return outside(X)
           ^^^^^^^^^^
hint: declare it after the *, as in name: drop, and give the module there
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
