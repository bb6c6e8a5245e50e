"""New tensors, and tensors defined by their indices."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor.primitives import Type
from namedtensor.tensor import symbol
from tests.errors.check import case, check
from tests.errors.operands import I, X, causal, emb, key, seq, seq_, val, vocab

CASES = [
    case(
        "more records than any memory holds",
        lambda: nt.zeros(seq[10**30]),
        nt.AxisSizeError,
        """
zeros(seq[1000000000000000000000000000000], ...): it would have 1.0e+30 records, more than any memory holds
hint: give smaller sizes: "seq[512]"
""",
    ),
    case(
        "sizes whose product no memory holds",
        lambda: nt.normal(seq[2**40], emb[2**10], backend="torch"),
        nt.AxisSizeError,
        """
normal(seq[1099511627776], emb[1024], ...): it would have 1.1e+15 records, more than any memory holds
hint: give smaller sizes: "seq[512] emb[512]"
""",
    ),
    case(
        "the numbers of an index-defined tensor that no memory holds",
        lambda: nt.iota(seq[10**30]).numpy(),
        nt.AxisSizeError,
        """
iota(seq[1000000000000000000000000000000]): it would have 1.0e+30 records, more than any memory holds
hint: give smaller sizes: "seq[512]"
""",
    ),
    case(
        "the places of a mask without an axis to list them on",
        lambda: nt.nonzero["found"](X),
        nt.AxisNameError,
        """
nonzero[found]: the axes of M come first, then the axis of what is found
hint: nt.nonzero["seq emb found"](X)
""",
    ),
    case(
        "the places of a mask that is lifted",
        lambda: nt.nonzero["seq", "found"](X),
        nt.AxisSizeError,
        """
nonzero[seq, found](M): each index of emb may have another number of places, and an axis has one size
  M : seq[3] emb[4]
hint: name every axis of M: nt.nonzero[seq, emb, found](M)
""",
    ),
    *[
        case(
            f"a pattern in which {what}",
            lambda pattern=pattern: X.rearrange(pattern),
            nt.AxisNameError,
            f"""
X.rearrange('{pattern}'): {why}
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
        )
        for what, pattern, why in (
            ("an ellipsis goes", "... seq -> seq", "... stands on one side only"),
            ("an ellipsis stands twice", "... seq ... -> ... seq", "... stands twice on one side"),
            (
                "an ellipsis is joined",
                "seq ... -> (seq ...)",
                "axes that are joined have an order, and ... gives none",
            ),
        )
    ],
    case(
        "an axis without a size",
        lambda: nt.zeros(emb),
        nt.AxisSizeError,
        """
zeros(emb): emb has no size
hint: give it one: emb[512]
""",
    ),
    case(
        "an axis that is a number",
        lambda: nt.ones(3),
        nt.AxisNameError,
        """
ones(3, ...): sizes are those of axes, which have names
hint: `nt.ones("ax[3]")`
""",
    ),
    case(
        "an axis twice",
        lambda: nt.zeros("seq[2] seq[2]"),
        nt.AxisNameError,
        """
zeros(seq[2], seq[2]): seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a value that is missing",
        lambda: nt.full(seq[2]),
        nt.KindError,
        """
full(..., value): the value is an Axis, and not a number
hint: axes come first, then the number: nt.full(emb[512], 0.5)
""",
    ),
    case(
        "a value that is a string",
        lambda: nt.full(seq[2], "a"),
        nt.KindError,
        """
full(..., value): the value is a str, and not a number
hint: axes come first, then the number: nt.full(emb[512], 0.5)
""",
    ),
    case(
        "a dtype that is none",
        lambda: nt.zeros(seq[2], dtype="bogus"),
        nt.BackendError,
        """
zeros(seq[2], ...): numpy cannot make it: it has no dtype bogus
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "a dtype that is none for torch",
        lambda: nt.zeros(seq[2], dtype="bogus", backend="torch"),
        nt.BackendError,
        """
zeros(seq[2], ...): torch cannot make it: it has no dtype bogus
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "a dtype of the other library",
        lambda: nt.zeros(seq[2], dtype=torch.float32, backend="numpy"),
        nt.BackendError,
        """
zeros(seq[2], ...): numpy cannot make it: it has no dtype torch.float32
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "a library that is none",
        lambda: nt.zeros(seq[2], backend="jax"),
        nt.BackendError,
        """
backend='jax': tensors live in numpy or in torch
hint: backend="numpy" or backend="torch"
""",
    ),
    case(
        "a generator that is none",
        lambda: nt.normal(seq[2], generator=3),
        nt.BackendError,
        """
normal(seq[2], ...): numpy cannot make it: its generators are like np.random.default_rng(0)
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "a generator of the other library",
        lambda: nt.normal(seq[2], generator=torch.Generator(), backend="numpy"),
        nt.BackendError,
        """
normal(seq[2], ...): numpy cannot make it: its generators are like np.random.default_rng(0)
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "normal numbers of an integer dtype",
        lambda: nt.normal(seq[2], dtype=int),
        nt.BackendError,
        """
normal(seq[2], ...): numpy cannot make it: real numbers do not fit into int64
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "bounds the wrong way round",
        lambda: nt.randint(5, 0, seq[2]),
        nt.KindError,
        """
randint(5, 0, ...): the bounds are two whole numbers, the first below the second
hint: nt.randint(0, 10, seq[5]) draws from 0, ..., 9
""",
    ),
    case(
        "bounds that are fractions",
        lambda: nt.randint(0, 5.5, seq[2]),
        nt.KindError,
        """
randint(0, 5.5, ...): the bounds are two whole numbers, the first below the second
hint: nt.randint(0, 10, seq[5]) draws from 0, ..., 9
""",
    ),
    case(
        "whole numbers of a real dtype",
        lambda: nt.randint(0, 5, seq[2], dtype=float),
        nt.BackendError,
        """
randint(seq[2], ...): numpy cannot make it: whole numbers do not fit into float64
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    *[
        case(
            f"{name} of a parameter that is not above 0",
            call,
            nt.KindError,
            f"""
{given}: the {what} is a plain number above 0
hint: give a number: {hint}
""",
        )
        for name, given, what, hint, call in (
            (
                "waiting times",
                "exponential(-1.0, ...)",
                "rate",
                "nt.exponential(1.0, seq[5])",
                lambda: nt.exponential(-1.0, seq[2]),
            ),
            (
                "gammas",
                "gamma(0, ...)",
                "shape",
                "nt.gamma(1.0, seq[5])",
                lambda: nt.gamma(0, seq[2]),
            ),
            (
                "shares",
                "beta(1.0, nan, ...)",
                "second parameter",
                "nt.beta(1.0, 1.0, seq[5])",
                lambda: nt.beta(1.0, float("nan"), seq[2]),
            ),
            (
                "counts",
                "poisson(True, ...)",
                "rate",
                "nt.poisson(1.0, seq[5])",
                lambda: nt.poisson(True, seq[2]),
            ),
        )
    ],
    case(
        "truth values of a probability above 1",
        lambda: nt.bernoulli(1.5, seq[2]),
        nt.KindError,
        """
bernoulli(1.5, ...): the probability is a plain number from 0 to 1
hint: nt.bernoulli(0.5, seq[5]); for a tensor P of probabilities nt.uniform(seq[5]) < P
""",
    ),
    case(
        "truth values of a real dtype",
        lambda: nt.bernoulli(0.5, seq[2], dtype="float32"),
        nt.KindError,
        """
bernoulli(0.5, ..., dtype=float32): what is drawn are truth values
hint: nt.cast(nt.bernoulli(0.5, seq[5]), 'float32')
""",
    ),
    case(
        "counts of a real dtype",
        lambda: nt.poisson(1.0, seq[2], dtype=float),
        nt.BackendError,
        """
poisson(seq[2], ...): numpy cannot make it: whole numbers do not fit into float64
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "an order of nothing",
        lambda: nt.permutation(),
        nt.AxisNameError,
        """
permutation(): no axis is named
hint: nt.permutation(seq[5])
""",
    ),
    case(
        "a choice without a size",
        lambda: nt.choice[seq, key](X),
        nt.AxisSizeError,
        """
choice[seq, key]: key has no size: how many?
hint: nt.choice["seq key[3]"](X)
""",
    ),
    case(
        "a choice of more than there are",
        lambda: nt.choice[seq, key[5]](X, replace=False),
        nt.AxisSizeError,
        """
choice[seq, key[5]](X): axis seq is 3 in X, which has no 5 records to draw without drawing one twice
  X : seq[3] emb[4]
hint: nt.choice[seq, key[3]](X)
""",
    ),
    case(
        "a choice onto an axis that is there",
        lambda: nt.choice[seq, emb[4]](X),
        nt.AxisClashError,
        """
choice[seq, emb[4]](X): X already has an axis emb
  X : seq[3] emb[4]
hint: give the new axis another name
""",
    ),
    case(
        "a choice in a formula",
        lambda: nt.choice[seq, key[2]](symbol("X", Type((("seq", 3), ("emb", 4))))),
        nt.TraceError,
        """
choice[seq, key[2]](X): a formula's body has no data to draw from
  X : seq[3] emb[4]
hint: draw indices and index: X[seq(nt.randint(0, 5, key[2]))]
""",
    ),
    case(
        "probabilities that are whole numbers",
        lambda: nt.categorical[seq](I),
        nt.KindError,
        """
categorical[seq](P): P holds int numbers, and probabilities are real
  P : seq[3]
hint: nt.softmax[seq](P)
""",
    ),
    case(
        "probabilities below zero",
        lambda: nt.categorical[emb](-1.0 * X),
        nt.NamedTensorError,
        """
categorical[emb](P): numpy cannot draw: some probability is negative, nan or inf, or all are 0
  P : seq[3] emb[4]
hint: probabilities are 0 or more and not all 0, as nt.softmax[emb] gives them; a generator is of P's library
""",
    ),
    case(
        "probabilities along an absent axis",
        lambda: nt.categorical[key](X),
        nt.AxisMissingError,
        """
categorical[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "probabilities along two axes",
        lambda: nt.categorical[seq, emb](X),
        nt.AxisNameError,
        """
categorical[seq, emb]: categorical acts on 1 axis, and 2 are named
hint: nt.categorical[vocab](P)
""",
    ),
    case(
        "probabilities of nothing",
        lambda: nt.categorical[emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
categorical[emb](P): axis emb is 0 in P, and there is nothing to draw
  P : seq[3] emb[0]
hint: check the size first: P.size(emb) > 0
""",
    ),
    case(
        "probabilities that are a bare array",
        lambda: nt.categorical[seq](np.ones(3)),
        nt.BackendError,
        """
categorical[seq](X): X is an ndarray, and not a named tensor
hint: name its axes: nt.tensor(X, "ax")
""",
    ),
    case(
        "the identity on one axis",
        lambda: nt.eye(seq),
        nt.AxisNameError,
        """
eye[seq]: eye acts on 2 axes, and 1 is named
hint: nt.eye("seq seq'")
""",
    ),
    case(
        "the identity of an axis with itself",
        lambda: nt.eye(seq, seq),
        nt.AxisNameError,
        """
eye(seq, seq): seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "one-hot vectors of real numbers",
        lambda: nt.one_hot(X, vocab[3]),
        nt.KindError,
        """
one_hot[vocab](X, 3): X holds float numbers, int is needed
  X : seq[3] emb[4]
hint: one_hot takes indices; nt.argmax marks the greatest number
""",
    ),
    case(
        "one-hot vectors without a size",
        lambda: nt.one_hot(I, vocab),
        nt.AxisSizeError,
        """
one_hot(I, vocab): vocab has no size
hint: give it one: vocab[512]
""",
    ),
    case(
        "one-hot vectors along an axis that is there",
        lambda: nt.one_hot(I, seq[3]),
        nt.AxisClashError,
        """
one_hot[seq](I, 3): I already has an axis seq
  I : seq[3]
hint: rename it first: I["seq -> seq'"]
""",
    ),
    case(
        "one-hot vectors along two axes",
        lambda: nt.one_hot(I, (seq_, vocab)),
        nt.AxisNameError,
        """
one_hot(I, (seq', vocab)): one axis is wanted here, and 2 are given
hint: seq or "seq"
""",
    ),
    case(
        "a one-hot vector of a number",
        lambda: nt.one_hot(3, vocab[4]),
        nt.BackendError,
        """
one_hot[vocab](3, 4): one_hot takes a named tensor, and only numbers are given
hint: make a tensor without axes: nt.tensor(3.0)
""",
    ),
    case(
        "counting along two axes",
        lambda: nt.iota("seq emb"),
        nt.AxisNameError,
        """
iota('seq emb'): one axis is wanted here, and 2 are given
hint: seq or "seq"
""",
    ),
    case(
        "the numbers of a definition without sizes",
        lambda: nt.iota(seq).numpy(),
        nt.AxisSizeError,
        """
iota(seq): axis seq has no size yet
  iota(seq) : seq
hint: give it one where the tensor is defined, seq[5], or combine the tensor with one that has an axis seq
""",
    ),
    case(
        "the numbers of a mask without sizes",
        lambda: causal.numpy(seq_, seq),
        nt.AxisSizeError,
        """
where(... <= ..., 0.0, -inf): axis seq has no size yet
  where(... <= ..., 0.0, -inf) : seq seq'
hint: give it one where the tensor is defined, seq[5], or combine the tensor with one that has an axis seq
""",
    ),
    case(
        "a definition that meets no size",
        lambda: causal + X,
        nt.AxisSizeError,
        """
index-defined tensor: axis seq' has no size yet
  iota(seq') : seq'
hint: give it one where the tensor is defined, seq'[5], or combine the tensor with one that has an axis seq'
""",
    ),
    case(
        "a definition that meets another size",
        lambda: nt.iota(seq[5]) + X,
        nt.AxisSizeError,
        """
iota(seq[5]) + X: axis seq is 5 in iota(seq[5]) and 3 in X
  iota(seq[5]) : seq[5]
  X            : seq[3] emb[4]
hint: select as many of both, `iota(seq[5])[seq[:3]] + X`, or rename one: `X["seq -> seq'"]`
""",
    ),
    case(
        "definitions of two sizes",
        lambda: nt.iota(seq[2]) + nt.iota(seq[3]),
        nt.AxisSizeError,
        """
iota(seq[2]) + iota(seq[3]): axis seq is 2 in iota(seq[2]) and 3 in iota(seq[3])
  iota(seq[2]) : seq[2]
  iota(seq[3]) : seq[3]
hint: select as many of both, `iota(seq[2]) + iota(seq[3])[seq[:2]]`, or rename one: `iota(seq[3])["seq -> seq'"]`
""",
    ),
    case(
        "a definition without axes",
        lambda: nt.define(lambda i: i),
        nt.AxisMissingError,
        """
define(lambda i: i): the axes it acts on are not named
hint: nt.define[seq](lambda i: i)
""",
    ),
    case(
        "a definition of an axis twice",
        lambda: nt.define[seq, seq](lambda i, j: i),
        nt.AxisNameError,
        """
define[seq, seq]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a rule that is no function",
        lambda: nt.define[seq](3),
        nt.AxisNameError,
        """
define[seq](rule): the rule is an int, and not a function of the indices
hint: lambda i: ...
""",
    ),
    case(
        "a rule of more indices than there are axes",
        lambda: nt.define[seq](lambda i, j: i),
        nt.KindError,
        """
define[seq](rule): the rule gets 1 index, and it takes (i, j): missing a required argument: 'j'
hint: lambda i: ...
""",
    ),
    case(
        "a rule that gives nothing",
        lambda: nt.define[seq](lambda i: None),
        nt.KindError,
        """
define[seq](rule): the rule gave None, and not numbers
hint: choose with nt.where(condition, x, y)
""",
    ),
    case(
        "a rule that asks for the truth of an index",
        lambda: nt.define[seq[3]](lambda i: 0 if i > 3 else 1),
        nt.AxisSizeError,
        """
bool(i > 3): the comparison has axes, and this is asked of a single number
  i > 3 : seq[3]
hint: `nt.all[...](i > 3)` or `nt.any[...](i > 3)`
""",
    ),
    case(
        "a definition cut without a size",
        lambda: nt.iota(seq)[seq[0:2]],
        nt.AxisSizeError,
        """
index-defined tensor: an axis whose size is still open cannot be cut, merged or split
hint: give it a size where it is defined: nt.iota(seq[5])
""",
    ),
    case(
        "a definition split without a size",
        lambda: nt.iota(seq)[seq >> (key[2], val)],
        nt.AxisSizeError,
        """
index-defined tensor: an axis whose size is still open cannot be cut, merged or split
hint: give it a size where it is defined: nt.iota(seq[5])
""",
    ),
    case(
        "an index outside a definition",
        lambda: nt.iota(seq[3])[seq(5)],
        nt.IndexRangeError,
        """
iota(seq[3])[seq(5)]: index 5 lies outside axis seq, which is 3 in iota(seq[3])
  iota(seq[3]) : seq[3]
hint: iota(seq[3])[seq(2)] is the last
""",
    ),
    case(
        "a cast of a number",
        lambda: nt.cast(3, int),
        nt.BackendError,
        """
cast(X): X is an int, and not a named tensor
hint: name its axes: nt.tensor(X)
""",
    ),
    case(
        "a cast that would drop imaginary parts",
        lambda: nt.cast(nt.tensor([1j], "seq"), "float32"),
        nt.KindError,
        """
X.to('float32'): X holds complex numbers, which float32 cannot hold
  X : seq[1]
hint: take a real part: nt.real(X)
""",
    ),
    case(
        "a cast to nothing",
        lambda: nt.cast(X),
        nt.KindError,
        """
cast(X): a dtype is given, or a tensor that has it
  X : seq[3] emb[4]
hint: nt.cast(X, "float32")
""",
    ),
    case(
        "a cast to a dtype, and to that of a tensor",
        lambda: nt.cast(X, int, like=I),
        nt.KindError,
        """
cast(X, int, like=Y): a dtype is given, or a tensor that has it
  X : seq[3] emb[4]
hint: nt.cast(X, "float32")
""",
    ),
    case(
        "a cast to the dtype of what has none",
        lambda: nt.cast(X, like=causal),
        nt.KindError,
        """
cast(X, like=causal): causal depends on no data, and so has no dtype
  X      : seq[3] emb[4]
  causal : seq seq'
hint: name one: nt.cast(X, "float32")
""",
    ),
    case(
        "a cast to no dtype",
        lambda: nt.cast(X, "bogus"),
        nt.BackendError,
        """
X.to('bogus'): 'bogus' is no library, device or dtype
  X : seq[3] emb[4]
hint: X.to("torch"), X.to("cuda"), X.to("float32")
""",
    ),
    case(
        "probabilities with a generator of the other library",
        lambda: nt.categorical[emb](X, generator=torch.Generator()),
        nt.NamedTensorError,
        """
categorical[emb](P): numpy cannot draw: its generators are like np.random.default_rng(0)
  P : seq[3] emb[4]
hint: probabilities are 0 or more and not all 0, as nt.softmax[emb] gives them; a generator is of P's library
""",
    ),
    case(
        "numbers of an axis that is not there",
        lambda: causal(seq_[2], emb[3]),
        nt.AxisMissingError,
        """
X(seq'[2], emb[3]): X has no axis emb
  X : seq' seq
hint: X has seq' and seq: name one of them
""",
    ),
    case(
        "numbers of an axis whose size nobody gives",
        lambda: causal(seq_[2], seq),
        nt.AxisSizeError,
        """
X(seq'[2], seq): axis seq has no size yet
  X : seq' seq
hint: give each open axis its size: X("seq'[2] seq[5]")
""",
    ),
    case(
        "numbers of another size",
        lambda: nt.iota(seq[3])(seq[4]),
        nt.AxisSizeError,
        """
X(seq[4]): axis seq is 3 in X and 4 in the call
  X : seq[3]
hint: leave the axis out: X has its size seq[3] already
""",
    ),
    case(
        "numbers that depend on a size which is open",
        lambda: nt.sum[emb](nt.define[emb](lambda i: i / abs(emb))).numpy(),
        nt.AxisSizeError,
        """
index-defined tensor: axis emb has no size yet
  iota(emb) : emb
hint: give it one where the tensor is defined, emb[5], or combine the tensor with one that has an axis emb
""",
    ),
    case(
        "a choice by a size which is open",
        lambda: nt.define[emb](lambda i: i if abs(emb) > 2 else -i),
        nt.AxisSizeError,
        """
bool(X): axis emb has no size yet
hint: give it one where the tensor is defined, emb[5], or combine the tensor with one that has an axis emb
""",
    ),
    case(
        "the size of an axis that is not defined",
        lambda: nt.define[emb](lambda i: i / abs(seq)),
        nt.AxisSizeError,
        """
abs(seq): seq has no size here
hint: give it one, abs(seq[64]), or ask a tensor, X.size(seq)
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
