"""Renamings, merges and splits that do not fit."""

import pytest

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import X, emb, key, seq, val, vocab

CASES = [
    case(
        "a name that is there already",
        lambda: X[seq >> emb],
        nt.AxisClashError,
        """
X[seq >> emb]: X would have two axes emb
  X : seq[3] emb[4]
hint: choose another name, `X["seq -> emb'"]`, or rename the one that is there first: `X["emb -> emb'"]`
""",
    ),
    case(
        "two axes that get one name",
        lambda: X[seq >> key, emb >> key],
        nt.AxisClashError,
        """
X[seq >> key, emb >> key]: X would have two axes key
  X : seq[3] emb[4]
hint: give each axis a name of its own
""",
    ),
    case(
        "an axis renamed twice",
        lambda: X[seq >> key, seq >> val],
        nt.AxisNameError,
        """
X[seq >> key, seq >> val]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a merge of an absent axis",
        lambda: X[(seq, key) >> val],
        nt.AxisMissingError,
        """
X[(seq, key) >> val]: X has no axis key
  X : seq[3] emb[4]
hint: X has emb: `X[(seq, emb) >> val]`
""",
    ),
    case(
        "a merge with a wrong size",
        lambda: X[(seq, emb) >> key[13]],
        nt.AxisSizeError,
        """
X[(seq, emb) >> key[13]]: axis key is 13 in the call and 12 in X
  X : seq[3] emb[4]
hint: leave the size out: key
""",
    ),
    case(
        "a merge onto an axis that is there",
        lambda: nt.ones("seq[2] emb[3] key[4]")[(seq, emb) >> key],
        nt.AxisClashError,
        """
A[(seq, emb) >> key]: A would have two axes key
  A : seq[2] emb[3] key[4]
hint: rename the one that is there first: `A["key -> key'"]`
""",
    ),
    case(
        "a split that does not divide",
        lambda: X[emb >> (key[3], val)],
        nt.AxisSizeError,
        """
X[emb >> (key[3], val)]: axis emb is 4 in X, which does not split into parts of 3
  X : seq[3] emb[4]
hint: the sizes of the new axes multiply to 4; lengthen it, `nt.pad[emb](X, 0, 2)`, or shorten it, `X[emb[:3]]`
""",
    ),
    case(
        "a split into sizes of another product",
        lambda: X[emb >> (key[2], val[3])],
        nt.AxisSizeError,
        """
X[emb >> (key[2], val[3])]: axis emb is 4 in X, which does not split into parts of 6
  X : seq[3] emb[4]
hint: the sizes of the new axes multiply to 4
""",
    ),
    case(
        "a split into nothing",
        lambda: X[emb >> (key[0], val)],
        nt.AxisSizeError,
        """
X[emb >> (key[0], val)]: axis emb is 4 in X, which does not split into parts of 0
  X : seq[3] emb[4]
hint: the sizes of the new axes multiply to 4
""",
    ),
    case(
        "a split with two open sizes",
        lambda: X[emb >> (key, val)],
        nt.AxisSizeError,
        """
X[emb >> (key, val)]: the sizes of key, val are all open
  X : seq[3] emb[4]
hint: give all but one: emb >> (key[2], val)
""",
    ),
    case(
        "a split onto an axis that is there",
        lambda: X[emb >> (key[2], seq)],
        nt.AxisClashError,
        """
X[emb >> (key[2], seq)]: X would have two axes seq
  X : seq[3] emb[4]
hint: rename the one that is there first: `X["seq -> seq'"]`
""",
    ),
    case(
        "a split of an absent axis",
        lambda: X[key >> (val[2], vocab)],
        nt.AxisMissingError,
        """
X[key >> (val[2], vocab)]: X has no axis key
  X : seq[3] emb[4]
hint: X has emb: `X[emb >> (val[2], vocab)]`
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
