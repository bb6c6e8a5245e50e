"""What is wrong with a formula is said in its own words: the whole text of every failure."""

import contextlib

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex.evaluation import by_elements
from namedtensor.latex.evaluation.hints import in_notation
from namedtensor.latex.evaluation.values import (
    ArgumentsError,
    NoAxisError,
    NotNotationError,
    UndefinedError,
)
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import AxisName, Dots, Items, Letter, Number, Relation, Text
from tests.latex.evaluating import element, evaluator, leaf, parsed, value

X = leaf("X", "seq[5] emb[3]")
A = leaf("A", "row[4] col[4]")
HALF = leaf("r", "seq[5]")


class Twice:
    name = "f"

    def apply(self, call, arguments, parameters, scope):
        return arguments[0] * 2


CASES = {
    # ----------------------------------------------------------------------------------- names
    "Y": (UndefinedError, "Y: Y is not defined here\nhint: declare it or define it: Y = ..."),
    "W^1": (
        UndefinedError,
        "W^1: W^1 is not defined here\nhint: declare it or define it: W^1 = ...",
    ),
    "X'": (UndefinedError, "X': X' is not defined here\nhint: declare it or define it: X' = ..."),
    r"x_i + 1": (
        UndefinedError,
        "x_i: x_i is not defined here\nhint: declare it or define it: x_i = ...",
    ),
    r"\text{att}(X)": (
        UndefinedError,
        "att: att is not defined here\nhint: declare it or define it: att = ...",
    ),
    r"\sin_2 X": (
        UndefinedError,
        "sin_2: sin_2 is not defined here\nhint: declare it or define it: sin_2 = ...",
    ),
    r"|\text{nowhere}|": (nt.AxisSizeError, "|nowhere|: nothing has an axis nowhere"),
    r"X^\top": (
        NotNotationError,
        "X^{top}: X^{top} is a transpose, and the axes of a named tensor have no order to be turned round\n"
        "hint: leave it out, or rename the axis that is meant: X_{\\text{a} \\rightarrow \\text{b}}",
    ),
    r"X^T": (
        NotNotationError,
        "X^T: X^T is a transpose, and the axes of a named tensor have no order to be turned round\n"
        "hint: leave it out, or rename the axis that is meant: X_{\\text{a} \\rightarrow \\text{b}}",
    ),
    r"A^{-1}": (
        NotNotationError,
        "A^{-1}: A^{-1} may be the inverse of a matrix, and does not say which axes are its rows and "
        "columns\n"
        r"hint: write \underset{\text{row}, \text{col}}{\text{inv}} A for the inverse, "
        "or 1 / A for that of each number",
    ),
    r"\sin^{-1} X": (
        NotNotationError,
        "sin^{-1}: sin^{-1} may be an inverse function or a power\n"
        "hint: write 1/f(X), or name the inverse",
    ),
    r"(X, X)": (
        NotNotationError,
        "(X, X): (X, X) is a list, and no named tensor\nhint: a function takes several arguments: f(X, Y)",
    ),
    r"\mathbb{R}": (
        NotNotationError,
        "space: space is a set, and no named tensor\nhint: declare a name to be in it",
    ),
    r"\begin{bmatrix} 1 & 2 \end{bmatrix}": (
        NotNotationError,
        "matrix: matrix says nothing that can be computed",
    ),
    # ------------------------------------------------------------------------------ arithmetic
    "f + 1": (
        ArgumentsError,
        "f: f is a function, and stands here without arguments\nhint: apply it: f(X)",
    ),
    r"X \star X": (
        NotNotationError,
        "X star X: X star X uses the operator star, which is not defined\n"
        "hint: write what it computes, such as X \\odot Y",
    ),
    r"f \circ f": (
        NotNotationError,
        "f circ f: f circ f is no operation on named tensors\nhint: write f(g(X)) or X \\odot Y",
    ),
    r"X \ndot{\name{key}} A": (
        nt.AxisMissingError,
        "X ._key A: X has no axis key\n  X : seq[5] emb[3]\n  A : row[4] col[4]\n"
        "hint: rename the axis of X that you mean: X_{\\text{seq} \\rightarrow \\text{key}} or "
        "X_{\\text{emb} \\rightarrow \\text{key}}",
    ),
    r"X \ndot{\name{seq} \\ \name{seq}} X": (
        nt.AxisNameError,
        'X ._seq,seq X: seq is named twice\nhint: name it once; "seq\'" is a second copy',
    ),
    r"2 X + \frac{A}{Z}": (
        UndefinedError,
        "Z: Z is not defined here\nhint: declare it or define it: Z = ...",
    ),
    r"\|X\|": (
        NoAxisError,
        "||X||: the norm of X acts along axes, and none is named\n  X : seq[5] x emb[3]\n"
        "hint: write its axes below it: \\|X\\|_{\\text{seq}}",
    ),
    "1 / 0": (nt.NamedTensorError, "1 / 0: division by zero"),
    "9^{9^{9}}": (nt.NamedTensorError, "9^{9^9}: 9^{9^9} is too large for a number"),
    "(-8)^{0.5}": (nt.NamedTensorError, "(-8)^{0.5}: -8 has no real power 0.5"),
    r"\sqrt{-2}": (
        nt.NamedTensorError,
        "sqrt(-2): math domain error\nhint: tensors give nan or inf where Python numbers give none",
    ),
    # ------------------------------------------------------------------------------ conditions
    r"\begin{cases} 1 & X \sim 2 \\ 2 & \text{otherwise} \end{cases}": (
        NotNotationError,
        "X ~ 2: X ~ 2 is no condition: ~ compares no numbers\nhint: use = < > \\leq \\geq \\neq",
    ),
    r"X \in A": (
        NotNotationError,
        "X in A: X in A asks for a set that is not listed\nhint: i \\in \\{1, 2\\} lists one",
    ),
    # ----------------------------------------------------------------------------------- words
    r"\text{softmax}(X)": (
        NoAxisError,
        "softmax(X): softmax acts along axes, and none is named\n  X : seq[5] x emb[3]\n"
        "hint: write its axes under it: \\underset{\\text{emb}}{\\text{softmax}}(X)",
    ),
    r"\max(X)": (
        NoAxisError,
        "max(X): max acts along axes, and none is named\n  X : seq[5] x emb[3]\n"
        "hint: write its axes under it: \\underset{\\text{emb}}{\\text{max}}(X)",
    ),
    r"\text{onehot}(3)": (
        NoAxisError,
        "onehot(3): one_hot acts along axes, and none is named\n"
        "hint: write its axes under it: \\underset{\\text{ax}}{\\text{onehot}}(3)",
    ),
    r"\text{index}(X, 1)": (
        NoAxisError,
        "index(X, 1): index acts along axes, and none is named\n  X : seq[5] x emb[3]\n"
        "hint: write its axes under it: \\underset{\\text{emb}}{\\text{index}}(X, 1)",
    ),
    r"\text{listed}(3)": (
        NoAxisError,
        "listed(3): listed acts along axes, and none is named\n"
        "hint: write its axes under it: \\underset{\\text{ax}}{\\text{listed}}(3)",
    ),
    r"\text{range}(X, 1, 2)": (
        NoAxisError,
        "range(X, 1, 2): range acts along axes, and none is named\n  X : seq[5] x emb[3]\n"
        "hint: write its axes under it: \\underset{\\text{emb}}{\\text{range}}(X, 1, 2)",
    ),
    r"\nfun{\name{emb}}{relu} X": (
        nt.AxisNameError,
        "relu_emb(X): relu acts on each number alone, and emb stands under it\n"
        "hint: leave the axes out: relu(X)",
    ),
    r"\exp(X, 2)": (
        ArgumentsError,
        "exp(X, 2): exp takes 1 argument, and 2 are given\nhint: write exp(X)",
    ),
    r"\nfun{\name{emb}}{softmax}(X, 2)": (
        ArgumentsError,
        "softmax_emb(X, 2): softmax takes 1 argument, and 2 are given\nhint: write softmax(X)",
    ),
    r"\nfun{\name{emb}}{onehot}(X, X, 3)": (
        ArgumentsError,
        "onehot_emb(X, X, 3): one_hot takes 1 argument, and 2 are given\nhint: write one_hot(X)",
    ),
    r"\nfun{\name{emb}}{range}(X, 2)": (
        ArgumentsError,
        "range_emb(X, 2): range takes 3 arguments, and 2 are given\n"
        "hint: write range_emb(X, start, stop)",
    ),
    r"\nfun{\name{k}}{listed}(1.5)": (
        ArgumentsError,
        "listed_k(1.5): listed takes whole numbers\nhint: write listed_ax(3, 1, 2)",
    ),
    r"\text{set}(X, 2)": (
        ArgumentsError,
        "set(X, 2): set takes a place in a tensor, and what is written there\n"
        "hint: write set(X_{\\text{seq}(1)}, Y)",
    ),
    r"X(X, X)": (
        ArgumentsError,
        "X(X, X): X is no function, and is given arguments\nhint: define it: X(X) = ...",
    ),
    r"\nfun{\name{emb}}{mean} A": (
        nt.AxisMissingError,
        "mean_emb(A): A has no axis emb\n  A : row[4] col[4]\n"
        "hint: A has row and col: \\underset{\\text{row}}{\\text{mean}}(A) or "
        "\\underset{\\text{col}}{\\text{mean}}(A)",
    ),
    r"\nfun{\name{emb} \\ \name{k}}{unroll} X": (
        nt.AxisSizeError,
        "unroll_emb,k(X): nothing has an axis k",
    ),
    # --------------------------------------------------------------------------------- indices
    r"X_{\name{seq}(0)}": (
        nt.IndexRangeError,
        "0: index 0 lies outside axis seq, which is 5 in X\n  X : seq[5] emb[3]\n"
        "hint: indices count from 1 to |seq|",
    ),
    r"X_{\name{seq}(6)}": (
        nt.IndexRangeError,
        "6: index 6 lies outside axis seq, which is 5 in X\n  X : seq[5] emb[3]\n"
        "hint: indices count from 1 to |seq|",
    ),
    r"\sum_{i=1}^{6} X_{\name{seq}(i)}": (
        nt.IndexRangeError,
        "i: index 6 lies outside axis seq, which is 5 in X\n  X : seq[5] emb[3]\n"
        "hint: indices count from 1 to |seq|",
    ),
    r"\sum_i X_{\name{seq}(i - 1)}": (
        nt.IndexRangeError,
        "i - 1: index 0 lies outside axis seq, which is 5 in X\n  X : seq[5] emb[3]\n"
        "hint: indices count from 1 to |seq|",
    ),
    r"X_{\name{sep}(1)}": (
        nt.AxisMissingError,
        "X_{sep(1)}: X has no axis sep\n  X : seq[5] emb[3]\nhint: did you mean seq?",
    ),
    r"X_{\name{key}(1)}": (
        nt.AxisMissingError,
        "X_{key(1)}: X has no axis key\n  X : seq[5] emb[3]\nhint: X has only the axes that its shape shows",
    ),
    r"X_{\name{seq}(1), \name{seq}(2)}": (
        nt.AxisNameError,
        "X_{seq(1), seq(2)}: seq is indexed twice\n  X : seq[5] emb[3]\nhint: index each axis once",
    ),
    r"X_{\name{seq}(1.5)}": (
        nt.KindError,
        "1.5: 1.5 is no whole number, and stands as an index of seq\n"
        "hint: an index counts from 1 to the size of its axis",
    ),
    r"X_{\name{seq}(r)}": (
        nt.KindError,
        "r: r is no whole number, and stands as an index of seq\n  r : seq[5]\n"
        "hint: an index counts from 1 to the size of its axis",
    ),
    r"(2)_{\name{seq}(1)}": (
        nt.AxisMissingError,
        "2_{seq(1)}: 2 is a number and has no axes\nhint: index and rename tensors",
    ),
    r"X_{\name{seq} \rightarrow \name{emb}}": (
        nt.AxisClashError,
        "X_{seq -> emb}: X would have two axes emb\n  X : seq[5] emb[3]\n"
        "hint: choose another name, X_{\\text{seq} \\rightarrow \\text{emb}'}, "
        "or rename the one that is there first: X_{\\text{emb} \\rightarrow \\text{emb}'}",
    ),
    r"X_{\name{emb} \rightarrow (\name{a}, \name{b})}": (
        nt.AxisSizeError,
        "X_{emb -> (a, b)}: the sizes of a, b are all open\n  X : seq[5] emb[3]\n"
        "hint: give all but one: \\text{emb} \\rightarrow (\\text{a}:2, \\text{b})",
    ),
    # ------------------------------------------------------------------------------------ bigs
    r"\sum X": (
        NoAxisError,
        "sum X: sum acts along axes, and none is named\n  X : seq[5] x emb[3]\n"
        "hint: write its axes below it: \\sum_{\\text{seq}} X",
    ),
    r"\bigcup_{i} X": (
        NotNotationError,
        "bigcup_{i} X: bigcup_{i} X is no operation on named tensors: bigcup has no meaning here",
    ),
    r"\sum_{i} i": (
        ArgumentsError,
        "sum_{i} i: nothing says how far i runs\n"
        "hint: write its range: \\sum_{i=1}^n, or index an axis by it",
    ),
    r"\sum_{i} X": (
        ArgumentsError,
        "sum_{i} X: X does not depend on i\nhint: write its range: \\sum_{i=1}^n",
    ),
    r"\sum_{i=1}^{2.5} i": (
        NotNotationError,
        "sum_{i = 1} i: sum_{i = 1} i ends at 2.5, which is no whole number",
    ),
    r"\sum_{i \in A} i": (
        NotNotationError,
        "sum_{i in A} i: sum_{i in A} i runs over A, which is no range\nhint: write i=1 below and n above",
    ),
    r"\sum_{1 < 2} X": (
        NotNotationError,
        "sum_{1 < 2} X: sum_{1 < 2} X binds no index\nhint: write the index below it: i=1, or i",
    ),
    r"\sum_{i + 1} X": (
        NotNotationError,
        "sum_{i + 1} X: sum_{i + 1} X has no range: i + 1 binds no index\n"
        "hint: write i=1 below and n above",
    ),
    r"\sum^{n} X": (
        NotNotationError,
        "sum X: sum X has an upper end and no index below\nhint: write i=1 below it",
    ),
}


@pytest.mark.parametrize("text", CASES)
def test_each_failure_says_what_is_wrong(text):
    kind, message = CASES[text]
    with pytest.raises(nt.NamedTensorError) as raised:
        value(text, X=X, A=A, f=Twice(), r=HALF)
    assert type(raised.value) is kind
    assert str(raised.value) == message


def said(make):
    with pytest.raises(nt.NamedTensorError) as raised:
        make()
    return str(raised.value)


def test_definitions_by_elements_say_what_is_wrong():
    assert said(lambda: element(r"Y_{\name{seq}(1)}", "2")) == (
        "Y_{seq(1)}: a definition by elements names an index for each axis\n"
        "hint: X_{\\text{seq}(i)} = ... defines every element, X_{\\text{seq}(1)} \\leftarrow ... changes one"
    )
    assert said(lambda: element(r"Y_{\name{seq}(i), \name{emb}(i)}", "2")) == (
        "Y_{seq(i), emb(i)}: Y_{seq(i), emb(i)} names an axis or an index twice\n"
        "hint: give each axis an index of its own: A_{\\text{row}(i), \\text{col}(j)}"
    )
    assert said(lambda: element(r"Y_{\name{seq}(i)}", "X + i", X=X)) == (
        "Y_{seq(i)}: the body has an axis seq of its own, which the definition also gives\n"
        "  body : seq[5] x emb[3] x i\n"
        "hint: index it, or rename it: X_{\\text{seq} \\rightarrow \\text{seq}'}"
    )


def test_updates_say_what_is_wrong():
    e = evaluator(X=X)
    assert said(
        lambda: by_elements.update(
            e, X, parsed(r"X_{\name{seq} \rightarrow \name{a}}"), parsed("2")
        )
    ) == ("X_{seq -> a}: X_{seq -> a} renames, and an update is at indices")


def test_sizes_that_do_not_divide_say_so():
    e = evaluator({"layer": 12, "heads": 5})
    assert said(lambda: e.extent(parsed(r"|\text{layer}| / |\text{heads}|"))) == (
        "|layer| / |heads|: 12 does not divide by 5 to a whole number\nhint: a size is a whole number"
    )


def test_parts_of_speech_that_compute_nothing_say_so():
    at = Span(0, 0)
    e = evaluator(X=X)
    assert said(lambda: e.value(Text(at, "if you like"))) == (
        "if you like: if you like is prose, and no condition\n"
        "hint: write it as a relation, not 'if you like'"
    )
    assert said(lambda: e.value(parsed(r"\nfun{\name{a} \\ \name{b}}{listed}(1)"))) == (
        "listed_a,b(1): listed acts along axes, and none is named\n"
        "hint: write its axes under it: \\underset{\\text{ax}}{\\text{listed}}(1)"
    )
    assert said(lambda: e.value(Dots(at))) == "dots: dots says nothing that can be computed"


def test_members_that_cannot_be_counted_say_so():
    class Family(type(evaluator().scope)):
        def counts(self, name, letters):
            return "k" in letters

        def inside(self, numbers):
            return Family({**self.values, "f_k": float(numbers["k"])}, self.sizes)

        def whole(self, end):
            return None

        def choosing(self, bound):
            return contextlib.nullcontext(self)

    from namedtensor.latex.evaluation.evaluate import Evaluator

    e = Evaluator(Family({"n": 2.5, "k": 0}))
    assert e.value(parsed(r"\sum_{k=1}^{4} f_k")) == 10.0
    assert e.value(parsed(r"\prod_{k=1}^{4} f_k")) == 24.0
    assert said(lambda: e.value(parsed(r"\sum_{k=1}^{n} f_k"))) == (
        "sum_{k = 1} f_k: sum_{k = 1} f_k ends at n, which is no whole number"
    )
    assert said(lambda: e.value(parsed(r"\sum_{k=1}^{10^6} f_k"))) == (
        "sum_{k = 1} f_k: sum_{k = 1} f_k has 1000000 members, and 1 to 1000 are written out\n"
        "hint: count from 1 upwards"
    )


def test_an_axis_without_a_size_shows_the_letter_of_its_index():
    data = nt.tensor(np.ones(3), "k")
    assert said(lambda: element(r"Y_{\name{seq}(i)}", "i + c", c=data)) == (
        "i + c: axis i has no size yet\n  iota(i) : i\n"
        "hint: say how far it runs, i = 1, \\ldots, 5, or combine the tensor with one that has an "
        "axis i"
    )


def test_words_for_parts_are_short():
    at = Span(0, 0)
    for text, words in {
        r"W^2 \ndot{\name{hid}} \text{ReLU}(W^1 \ndot{\name{emb}} X + b^1) + b^2": (
            "W^2 ._hid ReLU(...) + b^2"
        ),
        r"(a + b) \odot c": "(a + b) * c",
        r"\nsum{\name{a}} X": "sum_a X",
        r"\sqrt{d_k}": "sqrt(d_k)",
        r"\|X\|_{\name{a}}": "||X||",
        r"f(X; W)": "f(X; W)",
        r"\lfloor x \rfloor": "floor(x)",
        r"X_{(\name{a}, \name{b}) \rightarrow \name{c}}": "X_{(a, b) -> c}",
        r"\lnot (a > b)": "not (a > b)",
        r"|\name{seq}|": "|seq|",
    }.items():
        assert wording(parsed(text)) == words
    assert wording(AxisName(at, "seq")) == "seq"
    chain = Relation(at, Number(at, 1), (("<", Letter(at, "i")), ("<", Letter(at, "n"))))
    assert wording(chain) == "1 < i < n"
    assert wording(Items(at, (chain,), "[")) == "[1 < i < n]"


def test_hints_are_written_in_the_notation():
    assert (
        in_notation('rename it first: X["emb -> emb\'"]')
        == "rename it first: X_{\\text{emb} \\rightarrow \\text{emb}'}"
    )
    assert in_notation("nt.logsumexp[seq](X)") == "\\underset{\\text{seq}}{\\text{logsumexp}}(X)"
    assert in_notation("say no more") == "say no more"
