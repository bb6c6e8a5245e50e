"""Brackets, parentheses and dots where an axis, a shape, a space or a bundle has none; and hints that fit.

Each call is answered in our words, and what its hint says runs on the same operands.
"""

import re

import pytest

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, row, col = axes("seq emb row col")
X = nt.ones(seq[3], emb[4])
Y = nt.ones(seq[3], emb[4])
W = nt.ones(row[2], col[4])
I = nt.tensor([0, 20, 3], seq)


@formula
def lin(X: R[emb]) -> R[emb]:
    return X


def typed(hint):
    """Give the code of a hint: what stands between backticks, or else all of it."""
    return re.findall("`([^`]+)`", hint) or [hint.removeprefix("give a named tensor: ")]


#: A call, the first line of its error, and the hint.
CASES = [
    (
        lambda: seq.length,
        "HabitError: seq.length: an axis has no length",
        "`seq.prime` is its copy, `seq.name` its name",
    ),
    (lambda: seq.primed, "HabitError: seq.primed: an axis has no primed", "`seq.prime`"),
    (
        lambda: nt.Axis["seq"],
        "AxisNameError: Axis[...]: an axis is made of its name, in parentheses",
        '`nt.Axis("seq")`, and seq[7] of an axis seq has a size',
    ),
    (
        lambda: nt.Axis(),
        "AxisNameError: Axis(''): an axis name is a word that Python takes for a name, then primes, then stars",
        '`nt.Axis("seq")`, `nt.Axis("seq\'")` or `nt.axes("seq emb")`',
    ),
    (
        lambda: nt.Shape["seq"],
        "AxisNameError: Shape[...]: a shape is made of its axes, in parentheses",
        'nt.Shape("seq[7] emb[512]")',
    ),
    (lambda: X.shape(), "HabitError: X.shape(...): a shape is no function", "`X.shape`"),
    (
        lambda: R(X),
        "AxisNameError: R(...): a space says which axes an argument has, and makes no tensor",
        '`nt.ones("seq[3] emb[4]")` makes one; nt.tensor(data, "seq emb") names the axes of data',
    ),
    (
        lambda: nt.one(lin),
        "AxisNameError: nt.one(...): nt.one declares a parameter, and takes its formula in brackets",
        "`nt.one[lin]`, as in def f(X: R[emb], *, part: nt.one[lin])",
    ),
    (
        lambda: nt.each(lin),
        "AxisNameError: nt.each(...): nt.each declares a parameter, and takes its formula in brackets",
        "`nt.each[lin]`, as in def f(X: R[emb], *, part: nt.each[lin])",
    ),
    (
        lambda: nt.checks[0],
        "KindError: checks[...]: checks are turned on or off in parentheses",
        "`nt.checks(True)` or `nt.checks(False)`, also in a with statement",
    ),
    (
        lambda: nt.checks(),
        "KindError: checks(): it takes whether checks are on",
        "`nt.checks(True)` or `nt.checks(False)`, also in a with statement",
    ),
    (
        lambda: nt.NamedTensor(),
        "AxisNameError: NamedTensor(data): the axes of data have no names",
        'give a named tensor: nt.ones("ax[4]")',
    ),
    (
        lambda: max(X, Y),
        "AxisSizeError: max(X, Y): Python asks which of two tensors it takes, and each record has its own answer",
        "`nt.maximum(X, Y)`",
    ),
    (
        lambda: min(X, 2 * Y),
        "AxisSizeError: min(X, 2 * Y): Python asks which of two tensors it takes, and each record has its own answer",
        "`nt.minimum(X, 2 * Y)`",
    ),
    (
        lambda: X in [Y],
        "AxisSizeError: X in [Y]: Python asks which of two tensors it takes, and each record has its own answer",
        "`any(one is X for one in [Y])`",
    ),
    (
        lambda: sorted([X, Y]),
        "AxisSizeError: sorted([X, Y]): Python asks which of two tensors it takes, and each record has its own answer",
        "compare a number of each: `sorted([X, Y], key=lambda X: nt.sum[...](X).item())`",
    ),
    (
        lambda: nt.maxk[seq](X),
        "AxisNameError: maxk[seq]: maxk acts on 2 axes, and 1 is named",
        'nt.maxk["seq k[3]"](X)',
    ),
    (
        lambda: nt.maxk[row](W),
        "AxisNameError: maxk[row]: maxk acts on 2 axes, and 1 is named",
        'nt.maxk["row k[2]"](W)',
    ),
    (
        lambda: nt.maxk[row, seq](W),
        "AxisSizeError: maxk[row, seq]: seq has no size: how many?",
        'nt.maxk["row seq[2]"](W)',
    ),
    (
        lambda: nt.unroll[row](W),
        "AxisNameError: unroll[row]: unroll acts on axes, each with that of its windows, and 1 is named",
        'nt.unroll["row kernel[2]"](W)',
    ),
    (
        lambda: nt.unroll(W),
        "AxisMissingError: unroll(W): the axes it acts on are not named",
        'nt.unroll["row kernel[2]"](W)',
    ),
    (
        lambda: nt.scatter[seq](X, I),
        "AxisNameError: scatter[seq]: the axes to add up come first, then the axis to make",
        'nt.scatter["seq vocab[21]"](X, I)',
    ),
    (
        lambda: nt.scatter[seq, row](X, I),
        "AxisNameError: scatter[seq, row]: axis row is to be made and has no size",
        'nt.scatter["seq row[21]"](X, I)',
    ),
    (
        lambda: nt.dropout(X, "a"),
        "KindError: dropout(X, 'a'): a probability is a number from 0 to 1",
        "nt.dropout(X, 0.1)",
    ),
    (
        lambda: nt.dropout(W, 2),
        "KindError: dropout(W, 2): a probability is a number from 0 to 1",
        "nt.dropout(W, 0.1)",
    ),
    (
        lambda: setattr(seq, "name", "row"),
        "KindError: seq.name = 'row': axes are values, which tensors and formulas share",
        "make another: `nt.Axis('row')`",
    ),
    (
        lambda: setattr(seq, "size", 4),
        "KindError: seq.size = 4: axes are values, which tensors and formulas share",
        "its axis with another size: `seq[4]`",
    ),
    (
        lambda: setattr(seq[4], "length", 5),
        "KindError: seq[4].length = 5: axes are values, which tensors and formulas share",
        "what it has: `seq[4].name`, `seq[4].size`",
    ),
    (
        lambda: X >> row,
        "HabitError: X >> ...: a renaming stands in brackets",
        '`X["seq -> row"]`',
    ),
    (
        lambda: X >> 2,
        "HabitError: X >> ...: binary digits are not shifted",
        "`X // 4`",
    ),
    (
        lambda: X << 3,
        "HabitError: X << ...: binary digits are not shifted",
        "`X * 8`",
    ),
    (
        lambda: nt.Formula(lambda X: X),
        "KindError: Formula(...): a formula is made of a function by formula",
        "`nt.formula` stands above a function whose arguments are declared",
    ),
]


@pytest.mark.parametrize(("call", "first", "hint"), CASES, ids=[first for _, first, _ in CASES])
def test_a_call_that_does_not_fit_has_an_error_of_ours_whose_hint_runs(call, first, hint):
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    said = f"{type(caught.value).__name__}: {caught.value}".splitlines()
    assert said[0] == first
    assert said[-1] == f"hint: {hint}"
    before = nt.checks.on
    for code in typed(hint):
        eval(code)
    nt.checks(before)


def test_an_axis_is_still_asked_for_protocols_in_vain():
    assert not hasattr(seq, "__array__")
    assert not hasattr(seq, "node")
    assert getattr(seq, "ndim", None) is None
