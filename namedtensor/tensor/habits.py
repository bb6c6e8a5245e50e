"""What users of positional arrays type by habit, and what to type instead: X.T, X.reshape, X.sum()."""

from __future__ import annotations

from typing import Any

from namedtensor.axes import primed, shown
from namedtensor.errors import HabitError, nearest
from namedtensor.primitives import table
from namedtensor.shape import spaced

_NO_ORDER = "axes have no order, so that nothing is transposed"
_BY_NAME = "axes are merged and split by name"
_GIVE_ORDER = "axes have no order until you give one"
_LIFTED = "an axis that a tensor lacks needs no place: operations lift over it"
_DROPPED = "an axis of size 1 is dropped by its index"

_ROWS = (
    ("T mT H transpose permute swapaxes swapdims movedim t", _NO_ORDER, "order"),
    ("reshape view flatten unflatten ravel resize", _BY_NAME, "merge"),
    ("unsqueeze expand expand_as repeat broadcast_to", _LIFTED, "lift"),
    ("squeeze", _DROPPED, "index"),
    ("tolist flat", _GIVE_ORDER, "list"),
    ("ndim dim", "axes are named, not counted", "count"),
    ("numel nelement", "a shape knows how many records it has", "records"),
    ("astype float double half bfloat16 long int", "a dtype is given by name", "cast"),
    ("cuda cpu", "a device is given by name", "device"),
)
#: A method of numpy's arrays and torch's tensors: why it is none of ours, and a form of the hint.
_METHODS = {word: (why, form) for words, why, form in _ROWS for word in words.split()}
_DTYPES = {
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int64",
}


def habit(X: Any, word: str) -> HabitError:
    """Make the error of an attribute that named tensors do not have.

    Protocols ask for names with two underscores; they are told nothing more than that.
    """
    shapes = [("X", spaced(X.sizes))]
    known = _METHODS.get(word)
    if known is not None:
        return HabitError(f"X.{word}", known[0], shapes, _hint(X.axes, known[1], word))
    entry = table().get(word)
    if entry is not None and X.axes and not entry.traits.pointwise:
        axis = shown(X.axes[0])
        why, hint = "functions name the axes they act on", f"nt.{word}[{axis}](X)"
        return HabitError(f"X.{word}", why, shapes, f"{hint}, or nt.{word}[...](X)")
    if entry is not None:
        return HabitError(f"X.{word}", "operations are functions", shapes, f"nt.{word}(X)")
    guess = nearest(word, [name for name in dir(type(X)) if not name.startswith("_")])
    hint = f"did you mean X.{guess}?" if guess else "operations are functions: dir(nt) lists them"
    return HabitError(f"X.{word}", f"a named tensor has no {word}", shapes, hint)


def _hint(axes: tuple[str, ...], form: str, word: str) -> str:
    names = [shown(axis) for axis in axes]
    axis = names[-1] if names else "seq"
    if form == "order":
        return f"X.numpy({', '.join(reversed(names))}), or {primed('X', axis)}"
    if form == "merge" and len(names) > 1:
        return f'X["({", ".join(names)}) -> layer"]'
    if form == "merge":
        return f'X["{axis} -> (head[1], {axis}\')"]'
    if form == "index":
        return f"X[{names[0] if names else 'seq'}(0)]"
    forms = {
        "lift": "X + Y",
        "list": f"X.numpy({', '.join(names)}).tolist()",
        "count": "len(X.axes)",
        "records": "X.shape.count",
        "cast": f'X.to("{_DTYPES.get(word, "float32")}")',
        "device": f'X.to("{word}")',
    }
    return forms[form]
