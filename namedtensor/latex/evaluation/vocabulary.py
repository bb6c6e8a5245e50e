"""Words that all know: which LaTeX word or command means which operation.

Most words are those that the operations themselves are printed with (`Primitive.notation`); what is
here besides are other spellings, letters by custom, and forms that are no operation of their own.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from namedtensor.latex.evaluation.forms import cast, extreme, index, listed, one_hot, update
from namedtensor.latex.evaluation.meanings import Word, along, plain
from namedtensor.latex.evaluation.powers import raised
from namedtensor.latex.evaluation.spans import slices
from namedtensor.latex.syntax import Expression, Letter, Number
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
from namedtensor.primitives import table
from namedtensor.primitives.notation import Command, Large, Special
from namedtensor.primitives.notation import Word as Printed

#: Letters that have a meaning of their own where a document gives them none. Epsilon keeps a
#: denominator from 0, and is as small as layer normalisation has it.
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
    "topk": "maxk",
    "argtopk": "argmaxk",
    "logsoftmax": "log-softmax",
    "sup": "max",
    "inf": "min",
}

#: Letters that name a function where they are applied and the document names nothing else so.
APPLIED = {"sigma": "sigmoid"}

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
    """Give the number that a letter stands for by custom; None where it stands for none."""
    if name.text == "e" and name.style == "letter":
        return math.e
    return CONSTANTS.get(name.text)


def word_of(text: str) -> Word | None:
    """Find what a word means.

    >>> word_of("ReLU").name, word_of("relu").name, word_of("Log Softmax").name, word_of("att")
    ('relu', 'relu', 'log_softmax', None)
    """
    words = _words()
    found = words.get(text)
    return found if found is not None else words.get(_normal(text))


def applied_letter(text: str) -> Word | None:
    """Find what a letter means that is applied: sigma(X), and words in italics."""
    if text in APPLIED:
        return word_of(APPLIED[text])
    return word_of(text) if len(text) > 1 and text not in CONSTANTS else None


def big_word(operator: str, over_index: bool = False) -> Word | None:
    """Find what a big operator means: sum, or argmax over an index, which gives the index.

    >>> big_word("sup").name, big_word("argmax", over_index=True).name, big_word("lim")
    ('max', 'argmax_index', None)
    """
    found = word_of(f"{operator}-index") if over_index else None
    found = word_of(operator) if found is None else found
    return found if found is not None and found.along is not None else None


def logarithm(word: str, base: Expression) -> str | None:
    """Name the logarithm to a base: log_2, log_10."""
    if word == "log" and isinstance(base, Number) and base.value in (2, 10):
        return f"log{base.value}"
    return None


def _normal(text: str) -> str:
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
    """Give the words of all operations that are printed with a word."""
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
    return next((vars(home)[name] for home in _HOMES if name in vars(home)), None)


def _word(name: str, function: Any, notation: Any = None) -> Word:
    if function is index_defined.one_hot:
        return Word(name, one_hot)
    if isinstance(function, AxisFunction):
        if not isinstance(notation, Printed):
            return Word(name, along(name, function), along=function)
        use = along(name, function, notation.sized, settings=notation.settings)
        return Word(name, use, along=function)
    return Word(name, plain(name, function))


def _takes_one(function: Any) -> bool:
    return len(inspect.signature(function).parameters) == 1


# ---------------------------------------------------------------------------------------- others


def _others() -> Iterator[tuple[str, Word]]:
    """Give the words that are no operation's printed form."""
    for over in (reductions.max, reductions.min):
        name = over.__name__
        pair = _public(table()[name].traits.folds)
        yield name, Word(name, extreme(name, over, pair), along=over, or_several=True)
    for name, primitive in table().items():
        function = _public(name) if isinstance(primitive.notation, Special) else None
        if primitive.traits.pointwise and function is not None and _takes_one(function):
            yield name, _word(name, function)
    yield "norm", _word("norm", reductions.norm)
    yield "clip", Word("clip", plain("clip", elementwise.clip))
    yield "power", Word("power", plain("power", raised))
    yield "floordiv", Word("floordiv", plain("floordiv", lambda X, Y: X // Y))
    yield "index", Word("index", index)
    yield "contract", Word("contract", along("contract", contraction.dot))
    yield "listed", Word("listed", listed)
    for name in ("bool", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
        yield name, Word(name, plain(name, cast(name)))
    yield from slices()
    for name in ("set", "add"):
        yield name, Word(name, update(name), raw=True)
