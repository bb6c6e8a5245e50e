"""What users of positional arrays type by habit, and what to type instead: X.T, X.reshape, X.sum()."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from namedtensor.axes import either, primed, shown, typed_axes
from namedtensor.errors import HabitError, nearest
from namedtensor.primitives import table
from namedtensor.shape import shapes
from namedtensor.tensor.labels import caller_labels

if TYPE_CHECKING:
    from namedtensor.tensor.named import NamedTensor

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
    ("dims names shape_names", "axes are a tensor's own", "axes"),
    ("clone copy", "no operation changes a named tensor, so that nobody needs a copy", "itself"),
    (
        "contiguous is_contiguous stride",
        "how numbers are stored is no part of a named tensor",
        "itself",
    ),
    ("astype float double half bfloat16 long int bool", "a dtype is given by name", "cast"),
    ("cuda cpu", "a device is given by name", "device"),
    ("dot matmul mm bmm mv", "a contraction names its axes between the operands", "dot"),
    ("masked_fill masked_fill_", "a choice by a condition is nt.where", "where"),
)
#: A method of numpy's arrays and torch's tensors: why it is none of ours, and a form of the hint.
_METHODS = {word: (why, form) for words, why, form in _ROWS for word in words.split()}
_DTYPES = {
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int64",
    "bool": "bool",
}


def habit(X: NamedTensor, word: str) -> HabitError:
    """Make the error of an attribute that named tensors do not have.

    Protocols ask for names with two underscores; they are told nothing more than that.
    """
    (label,) = caller_labels([X])
    said = shapes(X)
    known = _METHODS.get(word)
    if known is not None:
        return HabitError(f"X.{word}", known[0], said, _hint(X.axes, known[1], word, label))
    entry = table().get(word)
    if entry is not None and X.axes and not entry.traits.pointwise:
        codes = [f"nt.{word}[{typed_axes([axis])}]({label})" for axis in X.axes]
        codes.append(f"nt.{word}[...]({label})")
        why = "functions name the axes they act on"
        return HabitError(f"X.{word}", why, said, either(codes))
    if entry is not None:
        return HabitError(f"X.{word}", "operations are functions", said, f"`nt.{word}({label})`")
    guess = nearest(word, [name for name in dir(type(X)) if not name.startswith("_")])
    hint = f"did you mean X.{guess}?" if guess else "operations are functions: dir(nt) lists them"
    return HabitError(f"X.{word}", f"a named tensor has no {word}", said, hint)


def _hint(axes: tuple[str, ...], form: str, word: str, label: str) -> str:
    names = [shown(axis) for axis in axes]
    axis = names[-1] if names else "seq"
    if form == "order":
        array = ", ".join(
            [name if name.isidentifier() else f'"{name}"' for name in reversed(names)]
        )
        return (
            f"leave it out, `{label}`; an array in an order is `{label}.numpy({array})`, and another name "
            f"for an axis `{primed(label, axis)}`"
        )
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
        "axes": "X.axes",
        "itself": f"leave it out, `{label}`",
        "records": "X.shape.count",
        "cast": f'X.to("{_DTYPES.get(word, "float32")}")',
        "device": f'X.to("{word}")',
        "dot": f"{label} @ {typed_axes([axis])} @ Y",
        "where": f"nt.where({label} > 0, 0.0, {label})",
    }
    return forms[form]


#: Functions of torch and numpy that have another name here, or are written out: a form for each. {a} is the
#: last axis of X, {s} the one that X and Y share, {c} the first of X that Y lacks, {n} one for a new axis.
_PRODUCT = "X @ {s} @ Y"
_ROWS_OF_FUNCTIONS = (
    ("linear matmul mm bmm mv dot inner vdot einsum tensordot baddbmm addmm", _PRODUCT),
    ("layer_norm group_norm instance_norm batch_norm", "nt.standardize[{a}](X)"),
    ("rms_norm", "X / nt.sqrt(nt.mean[{a}](X * X))"),
    ("normalize", "X / nt.norm[{a}](X)"),
    ("cross_entropy", "nt.mean[...](-nt.log_softmax[{c}](X)[{c}(Y)])"),
    ("nll_loss nll_loss_nd", "nt.mean[...](-X[{c}(Y)])"),
    ("mse_loss", "nt.mean[...]((X - Y) * (X - Y))"),
    ("l1_loss", "nt.mean[...](nt.abs(X - Y))"),
    ("embedding", "Y[{f}(X)]"),
    ("cat concat concatenate", "nt.concat[{a}](X, Y)"),
    ("vstack hstack dstack stack", 'nt.stack["{n}"](X, Y)'),
    ("dropout alpha_dropout feature_alpha_dropout", "nt.dropout(X, 0.5)"),
    ("max_pool1d max_pool2d max_pool3d", 'nt.max["{n}"](nt.pool[{a}, "{n}[2]"](X))'),
    ("avg_pool1d avg_pool2d avg_pool3d", 'nt.mean["{n}"](nt.pool[{a}, "{n}[2]"](X))'),
    ("one_hot", 'nt.one_hot(X, "{n}[5]")'),
    ("zeros_like", "0 * X"),
    ("amax", "nt.max[{a}](X)"),
    ("amin", "nt.min[{a}](X)"),
    ("topk", 'nt.maxk[{a}, "{n}[2]"](X)'),
    ("gather take take_along_axis take_along_dim index_select", "X[{c}(Y)]"),
    ("masked_fill", "nt.where(Y, 0, X)"),
    ("outer ger", "X * Y"),
    ("randn", 'nt.normal("{a}[5]")'),
    ("rand", 'nt.uniform("{a}[5]")'),
    ("arange", 'nt.iota("{a}[5]")'),
    ("linspace", 'nt.iota("{a}[5]") / 4'),
    ("ones_like", "0 * X + 1"),
    ("allclose isclose", "nt.all[...](nt.abs(X - Y) < 1e-6)"),
    ("argmax", "nt.argmax_index[{a}](X)"),
    ("argmin", "nt.argmin_index[{a}](X)"),
    ("clamp", "nt.clip(X, 0, 1)"),
    ("silu swish", "nt.silu(X)"),
)
_FUNCTIONS = {word: form for words, form in _ROWS_OF_FUNCTIONS for word in words.split()}
#: The same, where a second operand has no names: how to name it.
_UNNAMED = {
    "linear": 'X @ {a} @ nt.tensor(weight, "{n} {a}")',
    "embedding": 'nt.tensor(weight, "{n} {m}")[nt.axes("{n}")(X)]',
    "cross_entropy": 'nt.mean[...](-nt.log_softmax[{a}](X)[{a}(nt.tensor(target, "{r}"))])',
}


def in_our_words(word: str, operands: list[Any]) -> str | None:
    """Write what a function of torch or numpy is here, for operands X, Y and Z; None where nothing is."""
    if not operands:
        return None
    axes = [X.axes for X in operands]
    names = [a for a in axes[0] if len(axes) < 2 or a not in axes[1]]
    shared = [a for a in axes[0] if len(axes) > 1 and a in axes[1]]
    new = [a for a in ("hid", "kernel", "vocab", "new", "other") if all([a not in x for x in axes])]
    words = {
        "a": axes[0][-1] if axes[0] else None,
        "s": shared[-1] if shared else None,
        "c": names[-1] if names else None,
        "f": axes[1][0] if len(axes) > 1 and axes[1] else None,
        "r": " ".join(map(shown, axes[0][:-1])) or None,
        "n": new[0],
        "m": new[1],
    }
    form = _FUNCTIONS.get(word)
    if form is not None and len(operands) == 1 and (word in _UNNAMED or "Y" in form):
        form = _UNNAMED.get(word, "")
    if form is None:
        form = _of_table(word, len(operands))
    found = form and _filled(form, words)
    if not found and word in _METHODS and _METHODS[word][1] != "dot" and axes[0]:
        found = _hint(axes[0], _METHODS[word][1], word, "X")
    return found or None


def _of_table(word: str, count: int) -> str:
    """Write a call of the public function of this name, or the operator."""
    entry = table().get(word)
    public = vars(sys.modules["namedtensor"]).get(word)
    labels = ", ".join("XYZ"[:count])
    if entry is not None and entry.traits.symbol and count == 2:
        return f"X {entry.traits.symbol} Y"
    if public is None or not callable(public) or not _operates(public):
        return ""
    return (
        f"nt.{word}[{{a}}]({labels})" if hasattr(public, "__getitem__") else f"nt.{word}({labels})"
    )


def _operates(public: object) -> bool:
    """Say whether a public name is an operation, and not a door to files such as nt.save."""
    return str(getattr(public, "__module__", "")).startswith("namedtensor.operations")


def in_place_of(word: str) -> str:
    """Write what a function of torch or numpy is here, on an X of seq and emb and a Y of emb and hid."""
    from namedtensor.tensor.named import tensor

    X, Y = tensor([[0.0]], "seq emb"), tensor([[0.0]], "emb hid")
    return in_our_words(word, [X, Y]) or in_our_words(word, [X]) or ""


def _filled(form: str, words: dict[str, str | None]) -> str:
    """Put axes in their places, or give nothing where one is not there."""
    used = [word for word in words if f"{{{word}}}" in form]
    if any([words[word] is None for word in used]):
        return ""
    for word in used:
        form = form.replace(f"{{{word}}}", shown(words[word] or ""))
    return form
