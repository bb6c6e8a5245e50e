"""The known words: the operation that each LaTeX word or command means, and how it is used.

Most act elementwise or along axes; max, onehot, index, range, set and some others have functions here.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from types import ModuleType
from typing import Any

from namedtensor.axes import AxisSelection, shown
from namedtensor.errors import AxisMissingError, AxisNameError, KindError
from namedtensor.latex.evaluation import by_elements
from namedtensor.latex.evaluation.arithmetic import (
    axes_in,
    determinant_of,
    grouped,
    over_own,
    raised,
)
from namedtensor.latex.evaluation.evaluator import Evaluator, Use, Word
from namedtensor.latex.evaluation.hints import text_axes
from namedtensor.latex.evaluation.indices import Position, is_whole, marked, zero_based
from namedtensor.latex.evaluation.values import (
    UNKNOWN,
    ArgumentsError,
    NoAxisError,
    UnsettledError,
    Value,
)
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading.words import APPLIED, BINOMIAL, FACTORIAL
from namedtensor.latex.syntax import At, AxisName, Binary, Call, Expression, Indexed, Letter, Number
from namedtensor.operations import (
    contraction,
    creation,
    elementwise,
    index_defined,
    indexing,
    joining,
    matrices,
    ordering,
    reductions,
    vectors,
    windows,
)
from namedtensor.operations.axis_functions import AxisFunction
from namedtensor.operations.indexing import SLICE_SIZE
from namedtensor.operations.training import DETACH
from namedtensor.primitives import table
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import Command, Large, Special
from namedtensor.primitives.notation import Word as Printed
from namedtensor.primitives.sizes import as_node
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply


def applied(
    e: Evaluator, part: Call, name: str, function: Any, values: Sequence[Any], given: Any
) -> Value:
    """Apply a function to values; report if it takes another number of arguments."""
    try:
        inspect.signature(function).bind(*values)
    except TypeError:
        wanted = [
            p for p in inspect.signature(function).parameters.values() if p.default is p.empty
        ]
        plural = "argument" if len(wanted) == 1 else "arguments"
        return e.fail(
            part,
            ArgumentsError,
            f"{name} takes {len(wanted)} {plural}, and {len(given)} are given",
            f"write {name}({', '.join('XYZUVW'[: len(wanted)])})",
        )
    return e.attempt(part, function, values, given)


def plain(name: str, function: Any) -> Use:
    """Make the use of a function that acts elementwise."""

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if part.axes:
            listed = ", ".join(a.name for a in part.axes)
            return e.fail(
                part,
                AxisNameError,
                f"{name} acts on each number alone, and {listed} stands under it",
                f"leave the axes out: {name}(X)",
            )
        return applied(e, part, name, function, values, given)

    return use


def along(
    name: str,
    function: Any,
    wants_size: bool = False,
    flag: str = "",
    settings: Sequence[str] = (),
) -> Use:
    """Make the use of a function that acts along axes.

    With `wants_size`, the size of the last axis is the second argument, or known to the scope. `flag` is
    a setting that the word itself switches on, `settings` are the arguments after the size.
    """

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if not part.axes and name in OF_MATRICES and len(values) == 1:
            part = _over_own_matrix(e, part, values[0])
            if part.axes and (both := _multiplied(e, given[0], [a.name for a in part.axes])):
                return both
        if not part.axes:
            return no_axes(e, part, name, values, given)
        axes = [sized(a.name, None) for a in part.axes]
        more: dict[str, Any] = {}
        if wants_size:
            more = dict(zip(settings, [e.extent(x) for x in given[2:]], strict=False))
            if more and len(more) == len(given) - 2:
                values, given = values[:2], given[:2]
            values, given, size = window_size(e, part, values, given)
            if size is UNKNOWN or UNKNOWN in more.values():
                return UNKNOWN
            axes[-1] = sized(part.axes[-1].name, size)
        bound = e.attempt(part, lambda: function[tuple(axes)], [])
        if bound is not UNKNOWN and (flag or more):
            bound = partial(bound, **{flag: True} if flag else more)
        if bound is UNKNOWN:
            return UNKNOWN
        return applied(e, part, name, bound, values, given)

    return use


#: Functions of a matrix that give the same whichever of the two axes is the rows.
OF_MATRICES = frozenset(("det", "slogdet", "trace"))


def _over_own_matrix(e: Evaluator, part: Call, X: Value) -> Call:
    """Take the axes of a determinant from its operand, if that has exactly two."""
    own = axes_in(X)
    if len(own) != 2:
        return part
    name = getattr(part.function, "text", "")
    instead = rf"\underset{{{text_axes(own)}}}{{\text{{{name}}}}}"
    e.scope.noted(part, *over_own(e.scope.written(part), own, instead))
    return replace(part, axes=tuple([AxisName(part.span, axis) for axis in own]))


def _multiplied(e: Evaluator, part: Expression, axes: Sequence[str]) -> Value | None:
    """Refuse A B in tr(A B), of two matrices over the same axes: it may be meant as in other notations."""
    if not isinstance(part, Binary) or part.how != "juxtaposed" or part.op != "*":
        return None
    if any(not {*axes} <= {*axes_in(e.value(side))} for side in (part.left, part.right)):
        return None
    left, right = (grouped(e, side) for side in (part.left, part.right))
    row, column = [rf"\text{{{axis}}}" for axis in axes]
    turned = rf"[{right}]_{{{column} \rightarrow \text{{c}}, {row} \rightarrow {column}}}"
    return e.fail(
        part,
        UnsettledError,
        f"{wording(part)} multiplies number by number, and may be meant as the product of matrices",
        rf"write {left} \odot {right}, or {left} \underset{{{column}}}{{\cdot}} {turned}",
    )


def largest(name: str, function: Any) -> Use:
    """Make the use of maxk_{ax,k}(X, k); with one axis, maxk is ambiguous and refused."""
    over_two = along(name, function, wants_size=True)

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if len(part.axes) > 1:
            return over_two(e, part, values, given)
        X = values[0] if values else UNKNOWN
        own = axes_in(X)
        axis = part.axes[0].name if part.axes else own[-1] if own else "ax"
        listed = [str(g.value) if isinstance(g, Number) else e.scope.written(g) for g in given]
        listed = listed or ["X"]
        call = f"({listed[0]}, {listed[1] if len(listed) > 1 else 'k'})"
        below = rf"\underset{{{text_axes([axis, 'k'])}}}"
        marks = rf"\sum_{{\text{{k}}}} {below}{{\text{{arg{name}}}}}{call}"
        return e.fail(
            part,
            UnsettledError,
            f"{e.scope.written(part.function)} may give the numbers, their places, or 1 at each",
            rf"write {below}{{\text{{{name}}}}}{call} for the numbers along a new axis k, or {marks} for 1 "
            "where they stand and 0 elsewhere",
        )

    return use


def _stopped(X: Any) -> NamedTensor:
    """Give the same numbers, which count as constant in derivatives."""
    return apply(DETACH.plain, X)


def window_size(e: Evaluator, part: Call, values: Any, given: Any) -> tuple[Any, Any, Any]:
    """Split off the size of a window's axis: the second argument, or what the scope knows."""
    if len(given) > 1:
        return values[:-1], given[:-1], e.extent(given[-1])
    axis = part.axes[-1].name
    return values, given, e.attempt(part, lambda: e.scope.size(axis), [])


def no_axes(e: Evaluator, part: Call, name: str, values: Any, given: Any) -> Value:
    """Report a function that acts along axes and names none."""
    if not given or any(v is UNKNOWN for v in values):
        shapes: list[tuple[str, str]] = []
    else:
        shapes = [
            (wording(g), str(v.shape))
            for g, v in zip(given, values, strict=True)
            if isinstance(v, NamedTensor)
        ]
    X = next((v for v in values if isinstance(v, NamedTensor) and v.axes), None)
    count = table()[name].traits.needs if name in table() else 1
    axis = "ax" if count == 1 else "row,col"
    if X is not None and len(X.axes) >= count:
        axis = ",".join(map(shown, X.axes[-count:]))
    listed = ", ".join(e.scope.written(g) for g in given)
    word = getattr(part.function, "text", name)
    return e.fail(
        part,
        NoAxisError,
        f"{name} acts along axes, and none is named",
        f"write its axes under it: {word}_{{{axis}}}({listed})",
        shapes,
    )


def one_hot(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use onehot_vocab(I); the size of vocab is the last argument, or known to the scope."""
    if not part.axes:
        return no_axes(e, part, "one_hot", values, given)
    values, given, size = window_size(e, part, values, given)
    if size is UNKNOWN:
        return UNKNOWN
    axis = sized(part.axes[-1].name, size)

    def mark(index: Any) -> Any:
        return index_defined.one_hot(index, axis)

    indices = [marked(v) for v in values]  # onehot(argmax p): the index, and not what marks it
    whole = [from_zero(v if i is None else i) for v, i in zip(values, indices, strict=True)]
    return applied(e, part, "one_hot", mark, whole, given)


def from_zero(index: Value) -> Value:
    """Turn a position into an index that counts from 0, as data does."""
    return zero_based(index) if isinstance(index, Position) else index


def overlap_add(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use overlapadd_{seq,k} X, or overlapadd_{seq,k}(X, stride, dilation, before, after, size)."""
    plainly = along("overlap_add", windows.overlap_add)
    if len(given) != 6 or not part.axes:
        return plainly(e, part, values, given)
    X, *steps = values[0], *[e.extent(x) for x in given[1:]]

    def added(X: Any, stride: Any, dilation: Any, before: Any, after: Any, size: Any) -> Any:
        axes = tuple([sized(a.name, None) for a in part.axes])
        settings = {"stride": stride, "dilation": dilation, "padding": (before, after)}
        return windows.overlap_add[axes](X, **settings, size=size)

    return e.attempt(part, added, [X, *steps], given)


def scatter(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use scatter_{seq,vocab}(X, I, n); of several indices and sizes, all indices come first."""
    made = (len(given) - 1) // 2
    if len(given) % 2 == 0 or not 1 <= made <= len(part.axes):
        return along("scatter", indexing.scatter, wants_size=True)(e, part, values, given)
    operation = indexing.SCATTER(tuple([a.name for a in part.axes]), made)
    sizes = [e.extent(x) for x in given[1 + made :]]
    return e.attempt(part, lambda *x: apply(operation, *x), [*values[: 1 + made], *sizes], given)


def extreme(name: str, over: Any, pair: Any) -> Use:
    """Make the use of max_seq X, over an axis, and of max(0, X), of several operands."""
    over_axes, several = along(name, over), plain(name, lambda *x: reduce(pair, x))

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        chosen = over_axes if part.axes or len(given) < 2 else several
        return chosen(e, part, values, given)

    return use


def index(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use index_vocab(E, I) = E_{vocab(I)}."""
    if not part.axes:
        return no_axes(e, part, "index", values, given)
    axes = tuple([sized(a.name, None) for a in part.axes])
    first, *rest = values or [UNKNOWN]
    return e.attempt(
        part, lambda *x: indexing.index[axes](*x), [first, *[from_zero(v) for v in rest]], given
    )


def gamma(X: Any) -> Any:
    """Gamma(x), which is negative where x is between -1 and 0, between -3 and -2, ..."""
    return elementwise.exp(elementwise.lgamma(X)) * _gamma_sign(X)


def _gamma_sign(X: Any) -> Any:
    """Give the sign of Gamma(x)."""
    return elementwise.where(X < 0, 1 - 2 * (elementwise.floor(X) % 2), 1)


def factorial(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use n!, which is Gamma(n + 1) for numbers that are not whole too."""
    if axes_in(values[0]) and not is_whole(values[0]):
        of = e.scope.written(given[0])
        what = f"{e.scope.written(part)} is of each number, of what is not whole too"
        e.scope.noted(part, what, f"to say so, write \\Gamma({of} + 1)", "meaning")
    return plain("!", _factorial)(e, part, values, given)


def _factorial(n: Any) -> Any:
    return math.factorial(n) if isinstance(n, int) and n >= 0 else gamma(n + 1)


def binomial(n: Any, k: Any) -> Any:
    """Count the subsets of k elements of n; for numbers that are not whole, by the gamma function."""
    if isinstance(n, int) and isinstance(k, int) and min(n, k) >= 0:
        return math.comb(n, k)
    above, below, rest = n + 1, k + 1, n - k + 1
    size = elementwise.lgamma(above) - elementwise.lgamma(below) - elementwise.lgamma(rest)
    sign = _gamma_sign(above) * _gamma_sign(below) * _gamma_sign(rest)
    return elementwise.exp(size) * sign


def log(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    r"""Use log: log Gamma(x) does not compute Gamma(x), and \log |S| of a matrix is that of |det S|."""
    inner: Any = given[0] if given else None
    function = inner.function if isinstance(inner, Call) and not part.axes else None
    if function == Letter(part.span, "Gamma") and e.scope.find(function) is None:
        found = [e.value(argument) for argument in inner.arguments]
        return plain("Gamma", elementwise.lgamma)(e, inner, found, inner.arguments)
    values = [determinant_of(e, argument, e.value(argument)) for argument in given]
    return plain("log", elementwise.log)(e, part, values, given)


def diagonal(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use diag_{a,b,d}(X), which takes a diagonal, or diag_{a,b}(x), which puts x on the diagonal."""
    names = [a.name for a in part.axes]
    own = [name for name in names if name in axes_in(values[0] if values else UNKNOWN)]
    if len(names) != 2 or len(own) != 1:
        return along("diag", matrices.diag)(e, part, values, given)
    (other,) = [name for name in names if name not in own]

    def put(x: Any) -> Any:
        return x * index_defined.eye(own[0], sized(other, x.size(own[0])))

    return e.attempt(part, put, values, given)


def cast(name: str) -> Callable[[Any], Any]:
    return lambda X: creation.cast(X, name) if isinstance(X, NamedTensor) else _number(name, X)


def _number(name: str, x: Any) -> Any:
    kinds = {"bool": bool, "int": int, "complex": complex}
    return next((kind for word, kind in kinds.items() if word in name), float)(x)


def _cast_like(X: Any, like: Any) -> Any:
    return creation.cast(X, like=like)


def _complex(real: Any, imaginary: Any) -> complex:
    if isinstance(real, NamedTensor) or isinstance(imaginary, NamedTensor):
        raise KindError("complex(a, b)", "complex is of two plain numbers")
    return complex(real, imaginary)


#: The dtypes that are also words: float32(X).
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)


def listed(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """Use listed_seq(3, 1, 2): whole numbers along an axis."""
    if len(part.axes) != 1:
        return no_axes(e, part, "listed", values, given)
    if not all(isinstance(v, int) for v in values):
        return e.fail(
            part, ArgumentsError, "listed takes whole numbers", "write listed_ax(3, 1, 2)"
        )
    operation = table()["listed"](part.axes[0].name, tuple(values))
    return e.attempt(part, lambda: apply(operation), [])


def update(word: str, verb: str) -> Use:
    """Make the use of set(X_{seq(1)}, Y), X with Y at that place; also of set(from_seq(X, 2), Y)."""

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        place = _place(given[0]) if len(given) == 2 else None
        if place is None or part.axes:
            return e.fail(
                part,
                ArgumentsError,
                f"{word} takes a place in a tensor, and what is written there",
                f"write {word}(X_{{seq(1)}}, Y)",
            )
        return by_elements.update(e, e.value(place.base), place, given[1], verb)

    return use


def _place(part: Expression) -> Indexed | None:
    """Read the place of an update: X_{seq(1)}, or ranges of X."""
    items: list[At] = []
    while isinstance(part, Call) and len(part.axes) == 1 and len(part.arguments) > 0:
        place = replace(part, axes=(), arguments=part.arguments[1:])
        if by_elements.range_of(place) is None:
            return None
        items.append(At(part.span, part.axes[0], place))
        part = part.arguments[0]
    if items:
        return Indexed(part.span, part, tuple(reversed(items)))
    return part if isinstance(part, Indexed) else None


def slices() -> Iterator[tuple[str, Word]]:
    """Give the words of ranges: range_seq(X, 3, 5) is X[seq[2:5]], from the third to the fifth.

    Ranges begin at their first index and end at their last, both counted from 1.
    """
    for word, parts in by_elements.RANGES.items():
        yield word, Word(word, _slice(word, parts))
        size_of = by_elements.SIZE_OF + word
        yield size_of, Word(size_of, plain(size_of, _size_of(word)))


def _bounds(word: str, given: Sequence[Any]) -> list[Any]:
    """Give start, stop and step for data, which counts from 0."""
    start, stop, step = by_elements.in_order(word, given)
    return [zero_based(start), stop, step]


def _size_of(word: str) -> Callable[..., Any]:
    """Make the function from the size of an axis and a range's bounds to the length of the range."""

    def size_of(size: Any, *given: Any) -> Any:
        bounds = _bounds(word, given)
        if all(isinstance(b, int) or b is None for b in (size, *bounds)):
            return len(range(*slice(*bounds).indices(size)))
        flags = tuple([b is not None for b in bounds])
        nodes = [as_node(getattr(b, "node", b)) for b in (size, *bounds) if b is not None]
        return SymbolicTensor(apply_node(SLICE_SIZE(flags), tuple(nodes)))

    return size_of


def _slice(name: str, parts: tuple[str, ...]) -> Use:
    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if len(part.axes) != 1:
            return no_axes(e, part, name, values, given)
        axis = part.axes[0].name
        least = 3 if name == "range" else len(parts) + 1
        if not least <= len(values) <= len(parts) + 1:
            listed = ", ".join(["X", *parts[: least - 1]])
            return e.fail(
                part,
                ArgumentsError,
                f"{name} takes {least} arguments, and {len(given)} are given",
                f"write {name}_{axis}({listed})",
            )

        def select(X: Any, *bounds: Any) -> Any:
            if not isinstance(X, NamedTensor):
                raise AxisMissingError(name, "a number has no axis to take a range of")
            return X[AxisSelection(axis, slice(*_bounds(name, bounds)))]

        return e.attempt(part, select, values, given)

    return use


#: Letters that have a value if the document gives them none. Epsilon, which keeps a denominator from
#: being 0, has the value that layer normalisation uses.
CONSTANTS: dict[str, Any] = {
    "infty": math.inf,
    "pi": math.pi,
    "epsilon": 1e-5,
    "varepsilon": 1e-5,
    "nan": math.nan,
    "const": 0.0,
    "constant": 0.0,
    "true": True,
    "false": False,
}

#: Other spellings of words: another word that means the same.
ALIASES = {
    "average": "mean",
    "avg": "mean",
    "variance": "var",
    "stddev": "std",
    "stdev": "std",
    "lse": "logsumexp",
    "ln": "log",
    "sigm": "sigmoid",
    "standardise": "standardize",
    "normalize": "standardize",
    "normalise": "standardize",
    "determinant": "det",
    "inverse": "inv",
    "top": "maxk",
    "topk": "maxk",
    "argtopk": "argmaxk",
    "logsoftmax": "log-softmax",
    "sup": "max",
    "inf": "min",
}

#: Words that take the number of their results as a second argument, or as a subscript: top_2.
LARGEST = frozenset(("maxk", "mink", "argmaxk", "argmink"))

_HOMES: tuple[ModuleType, ...] = (
    elementwise,
    reductions,
    vectors,
    ordering,
    windows,
    matrices,
    joining,
    creation,
    index_defined,
    indexing,
    contraction,
)


def constant(name: Letter) -> Any:
    """Give the usual value of a letter, such as pi; None if it has none."""
    if name.text == "e" and name.style == "letter":
        return math.e
    return CONSTANTS.get(name.text)


def word_of(text: str) -> Word | None:
    """Find the meaning of a word.

    >>> word_of("ReLU").name, word_of("relu").name, word_of("Log Softmax").name, word_of("att")
    ('relu', 'relu', 'log_softmax', None)
    """
    words = _words()
    found = words.get(text)
    return found if found is not None else words.get(_normal(text))


def applied_letter(text: str) -> Word | None:
    """Find the meaning of a letter before an argument, as in sigma(X), or of a word in italics."""
    if text in APPLIED:
        return word_of(APPLIED[text])
    return word_of(text) if len(text) > 1 and text not in CONSTANTS else None


def big_word(operator: str, over_index: bool = False) -> Word | None:
    """Find the meaning of a big operator; over an index, argmax gives the index.

    >>> big_word("sup").name, big_word("argmax", over_index=True).name, big_word("lim")
    ('max', 'argmax_index', None)
    """
    found = word_of(f"{operator}-index") if over_index else None
    found = word_of(operator) if found is None else found
    return found if found is not None and found.along is not None else None


def logarithm(word: str, base: Expression) -> str | None:
    """Give the word of a logarithm to a base, log2 or log10."""
    if word == "log" and isinstance(base, Number) and base.value in (2, 10):
        return f"log{base.value}"
    return None


def _normal(text: str) -> str:
    if text == "LN":
        return text  # in papers, layer normalization and no logarithm
    text = "".join(c for c in text.lower() if c not in " -_")
    alias = ALIASES.get(text, text)
    return "".join(c for c in alias if c not in " -_")


@cache
def _words() -> dict[str, Word]:
    words: dict[str, Word] = {}
    for text, word in [*_printed(), *_others()]:
        words[text] = word
        words.setdefault(_normal(text), word)
    return words


# ----------------------------------------------------------------------- from the operations


def _printed() -> Iterator[tuple[str, Word]]:
    """Give the words of all operations that are printed as words."""
    for name, primitive in table().items():
        notation = primitive.notation
        if not isinstance(notation, (Printed, Command, Large)):
            continue
        function = _public(name)
        if function is None:
            continue
        word = _word(name, function, notation)
        also = () if isinstance(notation, Large) else notation.also
        for text in (notation.word, *also):
            yield text, word
        if isinstance(notation, Printed) and notation.otherwise:
            use = along(name, function, flag=notation.flag)
            yield notation.otherwise, Word(name, use, along=function)


def _public(name: str) -> Any:
    if name in matrices.STACKED:
        return matrices.STACKED[name]
    return next((vars(home)[name] for home in _HOMES if name in vars(home)), None)


def _word(name: str, function: Any, notation: Any = None) -> Word:
    if name in _OWN:
        return Word(name, _OWN[name], along=function)
    if isinstance(function, AxisFunction):
        if not isinstance(notation, Printed):
            return Word(name, along(name, function), along=function)
        use = along(name, function, notation.sized, settings=notation.settings)
        return Word(name, use, along=function)
    return Word(name, plain(name, function))


#: The operations that have their own functions of use.
_OWN: dict[str, Use] = {
    "diag": diagonal,
    "one_hot": one_hot,
    "overlap_add": overlap_add,
    "scatter": scatter,
    "maxk": largest("maxk", ordering.maxk),
    "mink": largest("mink", ordering.mink),
}


def _takes_one(function: Any) -> bool:
    return len(inspect.signature(function).parameters) == 1


# ---------------------------------------------------------------------------------------- others


def _others() -> Iterator[tuple[str, Word]]:
    """Give the words that the printer does not write for an operation."""
    for over in (reductions.max, reductions.min):
        name = over.__name__
        pair = _public(table()[name].traits.folds)
        yield name, Word(name, extreme(name, over, pair), along=over, or_several=True)
    for name, primitive in table().items():
        function = _public(name) if isinstance(primitive.notation, Special) else None
        if primitive.traits.pointwise and function is not None and _takes_one(function):
            yield name, _word(name, function)
    yield "norm", _word("norm", reductions.norm)
    yield "expectation", _word("mean", reductions.mean)
    for text in ("sg", "stopgrad", "stop-gradient", "detach"):
        yield text, Word("detach", plain("detach", _stopped))
    yield "clip", Word("clip", plain("clip", elementwise.clip))
    yield "power", Word("power", plain("power", raised))
    yield "gamma-function", Word("gamma-function", plain("Gamma", gamma))
    yield FACTORIAL, Word(FACTORIAL, factorial)
    yield BINOMIAL, Word(BINOMIAL, plain("binomial", binomial))
    yield "log", Word("log", log, raw=True)
    yield "polygamma", Word("polygamma", plain("polygamma", partial(apply, elementwise.POLYGAMMA)))
    yield "floordiv", Word("floordiv", plain("floordiv", lambda X, Y: X // Y))
    yield "index", Word("index", index)
    yield "contract", Word("contract", along("contract", contraction.dot))
    yield "listed", Word("listed", listed)
    for name in DTYPES:
        yield name, Word(name, plain(name, cast(name)))
    yield "cast-like", Word("cast-like", plain("cast-like", _cast_like))
    yield "complex", Word("complex", plain("complex", _complex))
    yield from slices()
    for name, primitive in table().items():
        notation = primitive.notation
        if isinstance(notation, Special) and notation.form == "update":
            verb = name.removesuffix("_at")
            yield notation.word, Word(notation.word, update(notation.word, verb), raw=True)
