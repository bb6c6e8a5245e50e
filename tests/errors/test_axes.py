"""Names, sizes and renamings that are not well formed."""

import pytest

import namedtensor as nt
from namedtensor import axes
from tests.errors.check import case, check
from tests.errors.operands import X, key, seq, seq_

CASES = [
    case(
        "the name of a size that is no word",
        lambda: nt.sizes("n 2m"),
        nt.AxisNameError,
        """
sizes('n 2m'): '2m' is no name
hint: names are words: nt.sizes("n m")
""",
    ),
    case(
        "a name that is no word",
        lambda: nt.Axis("a b"),
        nt.AxisNameError,
        """
Axis('a b'): an axis name is a word that Python takes for a name, then primes, then stars
hint: `nt.Axis("seq")`, `nt.Axis("seq'")` or `nt.axes("seq emb")`
""",
    ),
    case(
        "a name that is no string",
        lambda: nt.Axis(3),
        nt.AxisNameError,
        """
Axis(3): an axis name is a word that Python takes for a name, then primes, then stars
hint: `nt.Axis("seq")`, `nt.Axis("seq'")` or `nt.axes("seq emb")`
""",
    ),
    case(
        "an empty name",
        lambda: nt.Axis(""),
        nt.AxisNameError,
        """
Axis(''): an axis name is a word that Python takes for a name, then primes, then stars
hint: `nt.Axis("seq")`, `nt.Axis("seq'")` or `nt.axes("seq emb")`
""",
    ),
    case(
        "a name that begins with a digit",
        lambda: axes("1seq"),
        nt.AxisNameError,
        """
'1seq': cannot read axes from '1seq'
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "a name with a sign in it",
        lambda: axes("seq!"),
        nt.AxisNameError,
        """
'seq!': cannot read axes from '!'
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "a size that is not closed",
        lambda: axes("seq["),
        nt.AxisNameError,
        """
'seq[': cannot read axes from '['
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "a negative size in a string",
        lambda: axes("seq[-1]"),
        nt.AxisNameError,
        """
'seq[-1]': cannot read axes from '[-1]'
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "a parenthesis that is not closed",
        lambda: axes("(seq emb"),
        nt.AxisNameError,
        """
'(seq emb': cannot read axes from '(seq emb'
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "a number instead of names",
        lambda: axes(3),
        nt.AxisNameError,
        """
axes(3): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
    case(
        "nothing instead of names",
        lambda: axes(None),
        nt.AxisNameError,
        """
axes(None): axes are given as Axis objects or as names, not as None
hint: seq, (seq, emb) or "seq emb"
""",
    ),
    case(
        "a sequence that holds a number",
        lambda: axes(["seq", 3]),
        nt.AxisNameError,
        """
axes(["seq", 3]): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
    case(
        "a size that is a string",
        lambda: seq["3"],
        nt.AxisSizeError,
        """
seq['3']: a size is a whole number, 0 or more
hint: seq[512] for a size, seq[2:5] for a range, seq(3) for an index
""",
    ),
    case(
        "a size that is a fraction",
        lambda: seq[1.5],
        nt.AxisSizeError,
        """
seq[1.5]: a size is a whole number, 0 or more
hint: seq[512] for a size, seq[2:5] for a range, seq(3) for an index
""",
    ),
    case(
        "a size that is a truth value",
        lambda: seq[True],
        nt.AxisSizeError,
        """
seq[True]: a size is a whole number, 0 or more
hint: seq[512] for a size, seq[2:5] for a range, seq(3) for an index
""",
    ),
    case(
        "a negative size",
        lambda: seq[-1],
        nt.AxisSizeError,
        """
seq[-1]: a size is a whole number, 0 or more
hint: seq[512] for a size, seq[2:5] for a range, seq(3) for an index
""",
    ),
    case(
        "two sizes",
        lambda: seq[1, 2],
        nt.AxisSizeError,
        """
seq[(1, 2)]: a size is a whole number, 0 or more
hint: seq[512] for a size, seq[2:5] for a range, seq(3) for an index
""",
    ),
    case(
        "the size of an axis that has none",
        lambda: abs(seq),
        nt.AxisSizeError,
        """
abs(seq): seq has no size here
hint: give it one, abs(seq[64]), or ask a tensor, X.size(seq)
""",
    ),
    case(
        "a renaming to a number",
        lambda: seq >> 3,
        nt.AxisNameError,
        """
seq >> 3: axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
    case(
        "a renaming to nothing",
        lambda: seq >> (),
        nt.AxisNameError,
        """
seq >> (): only one to one, many to one and one to many make sense
hint: rename one by one, X[a >> b, c >> d], or merge and then split
""",
    ),
    case(
        "a renaming of several to several",
        lambda: X["(seq, emb) -> (key, val)"],
        nt.AxisNameError,
        """
(seq, emb) >> (key, val): only one to one, many to one and one to many make sense
  X : seq[3] emb[4]
hint: rename one by one, X["seq -> key, emb -> val"]
""",
    ),
    case(
        "one axis split into two of one name",
        lambda: seq >> (seq_, seq_),
        nt.AxisNameError,
        """
seq >> (seq', seq'): seq' is named twice
hint: name it once; "seq''" is a second copy
""",
    ),
    case(
        "two axes of one name merged",
        lambda: (seq, seq) >> key,
        nt.AxisNameError,
        """
(seq, seq) >> key: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a string that is no renaming",
        lambda: X["seq -> "],
        nt.AxisNameError,
        """
'seq -> ': 'seq ->' is not a renaming
  X : seq[3] emb[4]
hint: X["seq -> seq'"], X["(height, width) -> layer"]
""",
    ),
    case(
        "a string that renames nothing",
        lambda: X["-> seq"],
        nt.AxisNameError,
        """
'-> seq': '-> seq' is not a renaming
  X : seq[3] emb[4]
hint: X["seq -> seq'"], X["(height, width) -> layer"]
""",
    ),
    case(
        "a string with one arrow too many",
        lambda: X["seq -> key -> val"],
        nt.AxisNameError,
        """
' key -> val': cannot read axes from '-> val'
  X : seq[3] emb[4]
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "a string with an index among renamings",
        lambda: X["seq(0), emb -> key"],
        nt.AxisNameError,
        """
'seq(0), emb -> key': 'seq(0)' is not a renaming
  X : seq[3] emb[4]
hint: X["seq -> seq'"], X["(height, width) -> layer"]
""",
    ),
    case(
        "a shape that names an axis twice",
        lambda: nt.Shape("seq[3] seq[4]"),
        nt.AxisNameError,
        """
Shape(...): seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a shape that is a number",
        lambda: nt.Shape(3),
        nt.AxisNameError,
        """
Shape(3): axes are given as Axis objects or as names, not as an int
hint: `nt.Shape("ax[3]")`
""",
    ),
    case(
        "shapes that are not compatible",
        lambda: nt.Shape("seq[3] emb[2]") | nt.Shape("seq[4]"),
        nt.AxisSizeError,
        """
A | B: axis seq is 3 in A and 4 in B
  A : seq[3] emb[2]
  B : seq[4]
hint: only compatible shapes have a union
""",
    ),
    case(
        "an axis that a shape lacks",
        lambda: nt.Shape("seq[3]").size("emb"),
        nt.AxisMissingError,
        """
size(emb): there is no axis emb
  shape : seq[3]
hint: it has the axes that it shows
""",
    ),
    case(
        "a misspelled axis of a shape",
        lambda: nt.Shape("seq[3]").size("sqe"),
        nt.AxisMissingError,
        """
size(sqe): there is no axis sqe
  shape : seq[3]
hint: did you mean seq?
""",
    ),
    case(
        "an axis twice among names",
        lambda: axes("seq emb seq"),
        nt.AxisNameError,
        """
axes('seq emb seq'): seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "two names without a space",
        lambda: axes("a'b"),
        nt.AxisNameError,
        """
"a'b": no space stands before 'b'
hint: "a' b"
""",
    ),
    case(
        "a name that follows a size",
        lambda: nt.ones("a[3]b[2]"),
        nt.AxisNameError,
        """
'a[3]b[2]': no space stands before 'b[2]'
hint: 'a[3] b[2]'
""",
    ),
    case(
        "two sizes",
        lambda: seq[3][4],
        nt.AxisSizeError,
        """
seq[3][4]: axis seq has a size already, 3
hint: leave one out: seq[4]
""",
    ),
    case(
        "the size of an axis as an attribute",
        lambda: nt.Shape("seq[3] emb[4]").seq,
        nt.HabitError,
        """
shape.seq: seq is an axis, and its size is asked for by name
  shape : seq[3] emb[4]
hint: `X.shape.size("seq")`
""",
    ),
    case(
        "what a shape does not know",
        lambda: nt.Shape("seq[3] emb[4]").ndim,
        nt.HabitError,
        """
shape.ndim: a shape has no ndim
  shape : seq[3] emb[4]
hint: `X.shape.names`, `X.shape.count` or `X.shape.size("emb")`
""",
    ),
    case(
        "no name",
        lambda: axes(""),
        nt.AxisNameError,
        """
axes(''): no axis is named
hint: nt.axes("seq emb")
""",
    ),
    case(
        "no size",
        lambda: nt.sizes(" "),
        nt.AxisNameError,
        """
sizes(' '): no size is named
hint: nt.sizes("n m")
""",
    ),
    case(
        "an axis of a size that is none",
        lambda: nt.Axis("seq", -3),
        nt.AxisSizeError,
        """
Axis('seq', -3): a size is a whole number, 0 or more
hint: Axis('seq', 512)
""",
    ),
    case(
        "an index of nothing",
        lambda: seq(),
        nt.AxisNameError,
        """
seq(): an index of seq is one number, and none is given
hint: `X[seq(0)]` is the first
""",
    ),
    case(
        "shapes that are added",
        lambda: nt.Shape("seq[3]") + nt.Shape("emb[4]"),
        nt.KindError,
        """
A + B: a shape is a set of axes, and sets are not added
  A : seq[3]
hint: `nt.Shape("seq[3]") | nt.Shape("emb[4]")` has the axes of both
""",
    ),
    case(
        "a state that is called",
        lambda: nt.State(nt.R["seq"]),
        nt.KindError,
        """
State(...): it declares a parameter, and takes the state's space in brackets
hint: def f(X: R[seq, emb], *, name: nt.State[R[seq, emb]])
""",
    ),
    case(
        "two axes where one is asked for",
        lambda: nt.Shape("seq[3]").size("seq emb"),
        nt.AxisNameError,
        """
size(seq emb): one axis is wanted here, and 2 are given
hint: seq or "seq"
""",
    ),
    case(
        "the count of a shape without sizes",
        lambda: nt.Shape("seq emb[2]").count,
        nt.AxisSizeError,
        """
shape.count: seq has no size
  shape : seq emb[2]
hint: give it one: seq[512]
""",
    ),
    case(
        "a shape united with a number",
        lambda: nt.Shape("seq[3]") | 3,
        nt.AxisNameError,
        """
Shape("seq[3]") | 3: axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_a_shape_takes_its_axes_one_by_one_as_tensors_do():
    assert nt.Shape(seq[3], nt.Axis("emb")[4]) == nt.Shape("seq[3]", "emb[4]") == "emb[4] seq[3]"
    assert nt.Shape() == nt.Shape(())


def test_an_axis_is_found_among_names():
    X = nt.ones("seq[3] emb[4]")
    assert seq in X.axes
    assert X.axes == (seq, nt.Axis("emb"))
    assert X.axes.index(seq) == 0
    assert {"seq": 1}[seq] == 1
    assert seq != "emb"
    assert seq[3] != "seq"


def test_an_axis_of_a_number_differs_from_one_whose_size_is_open():
    """Functions are kept by their axes: what one call has left there must ask no other for a number."""
    kernel, seen = nt.Axis("kernel"), []

    @nt.formula
    def comparing(W: nt.R[kernel]) -> nt.R[kernel]:
        here = kernel[abs(kernel)]
        seen.append((kernel[3] == here, here == kernel[3], here == here))
        return W

    comparing.shape("kernel")
    assert seen[-1] == (False, False, True)
