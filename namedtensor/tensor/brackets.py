"""What stands in brackets after a tensor: renaming, reshaping, indexing, selecting, updating."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from namedtensor.axes import (
    FRESH,
    Axes,
    Axis,
    AxisIndex,
    AxisSelection,
    Rename,
    axis_code,
    distinct,
    either,
    lacks,
    loose,
    parse_axes,
    parse_renames,
    primed,
    shown,
    stays,
    typed_axis,
    visible,
)
from namedtensor.backends import backend_of
from namedtensor.backends.lazy import np
from namedtensor.compilers import caches_closed, compiling, keep
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    KindError,
    kind_of_thing,
    nearest,
)
from namedtensor.plans import layout_of
from namedtensor.primitives import Operation, table
from namedtensor.shape import shapes, sized
from namedtensor.tensor import named, updates
from namedtensor.tensor.apply import apply, apply_two
from namedtensor.tensor.labels import caller_labels
from namedtensor.tensor.named import MOST_CONTRACTIONS, NamedTensor, Tensor, contractions

_TABLE = table()
_INDEX = re.compile(r"\s*([^\W\d]\w*'*\**)\s*\(\s*(-?\d+)\s*\)\s*")
_RANGE = re.compile(r"\s*([^\W\d]\w*'*\**)\s*\[\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?\]\s*")

#: What was read from texts in brackets, and how many of them are kept.
_READ: dict[str, Sequence[Any]] = {}
_MOST_READ = 1024

Part = Rename | AxisIndex | AxisSelection
PARTS = (Rename, AxisIndex, AxisSelection)


def bracket(X: NamedTensor, record: object) -> NamedTensor:
    """Index by named indices and selections, all at once, and then rename and reshape."""
    parts: list[Any] = [record] if type(record) in PARTS else parse_record(X, record)
    if len(parts) == 1:
        part = parts[0]
        if type(part) is Rename:
            return reshape(X, parts)
        if part.name not in X.axes:
            check_record(X, parts)
        return index(X, parts)
    indices = [p for p in parts if not isinstance(p, Rename)]
    renames = [p for p in parts if isinstance(p, Rename)]
    check_record(X, indices)
    return reshape(index(X, indices), renames)


def parse_record(X: NamedTensor, record: object) -> list[Part]:
    """Read what stands in the brackets."""
    parts: list[Part] = []
    for item in record if isinstance(record, tuple) else (record,):
        if isinstance(item, PARTS):
            parts.append(item)
        elif isinstance(item, str):
            try:
                parts += _parse_text(item)
            except AxisNameError as error:
                raise AxisNameError(error.call, error.why, shapes(X), error.hint) from None
        elif isinstance(item, Axis):
            raise AxisNameError(
                f"X[{item!r}]",
                f"{item!r} alone says nothing to do",
                shapes(X),
                f"`X[{axis_code(item.name)}(0)]` is an index, `X[{axis_code(item.name)}[2:5]]` a "
                f"range and `{primed('X', item.name)}` a renaming",
            )
        else:
            label, own = caller_labels([X, item])
            text = own if isinstance(item, NamedTensor) else _short(item)
            whole = isinstance(item, (NamedTensor, int, np.integer)) and not isinstance(item, bool)
            index = f"[{text}]" if isinstance(item, slice) else f"({text if whole else 0})"
            codes = [f"{label}[{axis_code(a)}{index}]" for a in visible(X.axes)]
            if isinstance(item, slice) and isinstance(item.start, (Axis, str)):  # X[seq: 0]
                name = item.start.name if isinstance(item.start, Axis) else item.start
                at = item.stop if type(item.stop) is int else 0
                codes = [f"{label}[{axis_code(name)}({at})]"]
            if isinstance(item, NamedTensor) and item.kind == "bool":
                only = item.axes[0] if len(item.axes) == 1 and item.axes[0] in X.axes else None
                codes = [f"{label}[{axis_code(only)}[{own}]]" if only else masked(label, own)]
            raise AxisNameError(
                f"{label}[{text}]",
                "an index names its axis",
                shapes(X, labels=[label]),
                either(codes) if codes else f"{label} has no axes",
            )
    return parts


def _index_hint(X: NamedTensor, wrong: Any, indices: Sequence[Any]) -> str:
    """Say which axes can be indexed instead of one that the tensor lacks."""
    guess = nearest(wrong.name, X.axes)
    taken = [part.name for part in indices]
    free = [a for a in visible(X.axes) if a not in taken]
    free.sort(key=lambda a: a != guess)
    label, *words = _words(X, indices)
    if not free:
        return f"index only axes that {label} has"
    codes = []
    for axis in free:
        parts = [
            f"{axis_code(axis if part is wrong else part.name)}{word}"
            for part, word in zip(indices, words, strict=True)
        ]
        codes.append(f"{label}[{', '.join(parts)}]")
    if guess:
        return f"did you mean {shown(guess)}? `{codes[0]}`"
    return f"{label} has {' and '.join(map(shown, free))}: {either(codes)}"


def _words(X: NamedTensor, indices: Sequence[Any]) -> list[str]:
    """Give what the caller calls X, and what is written behind the axis of each index."""
    held = [p.index if isinstance(p, AxisIndex) else p.chosen for p in indices]
    label, *own = caller_labels([X, *held])
    words = [label]
    for part, given, word in zip(indices, held, own, strict=True):
        word = repr(given) if type(given) is list and len(given) < 5 else loose(word)
        plain = isinstance(given, (int, slice))
        words.append(
            repr(part)[len(part.name) :]
            if plain
            else f"({word})"
            if isinstance(part, AxisIndex)
            else f"[{word}]"
        )
    return words


def masked(label: str, mask: str) -> str:
    """Write what a mask over several axes can do: it keeps the axes."""
    return f"nt.where({mask}, {label}, 0.0)"


def _short(item: object) -> str:
    if isinstance(item, slice):
        return repr(AxisSelection("", item))[1:-1]
    plain = isinstance(item, (bool, int, float, str, type(None), type(...)))
    return repr(item) if plain else type(item).__name__


def _parse_text(text: str) -> Sequence[Part]:
    """Read a text in brackets, once for each text that means the same everywhere."""
    parts = _READ.get(text) if not caches_closed() else None
    if parts is None:
        parts = parse_renames(text) if "->" in text else tuple(_parse_indices(text))
        if stays(text) and not caches_closed():
            keep(_READ, text, parts, _MOST_READ)
    return parts


def _parse_indices(text: str) -> list[Part]:
    parts: list[Part] = []
    place = 0
    while place < len(text):
        if text[place] in ", ":
            place += 1
        elif match := _INDEX.match(text, place):
            parts.append(AxisIndex(match[1], int(match[2])))
            place = match.end()
        elif match := _RANGE.match(text, place):
            bounds = [int(b) if b else None for b in match.groups()[1:]]
            parts.append(AxisSelection(match[1], slice(*bounds)))
            place = match.end()
        else:
            raise AxisNameError(
                f"X[{text!r}]",
                f"cannot read {text[place:]!r}",
                hint='X["seq(0), emb[2:5]"] indexes, X["seq -> seq\'"] renames',
            )
    return parts


def check_record(X: NamedTensor, indices: list[Any]) -> None:
    """Raise unless each axis of a record is an axis of X and is named once."""
    if not indices:
        return
    for part in indices:
        if part.name not in X.axes:
            label, *words = _words(X, indices)
            given = zip(indices, words, strict=True)
            raise AxisMissingError(
                f"{label}[{', '.join([shown(p.name) + word for p, word in given])}]",
                lacks(label, part.name),
                shapes(X, labels=[label]),
                _index_hint(X, part, indices),
            )
    if len(indices) > 1:
        call = f"X[{', '.join(map(repr, indices))}]" if all(map(_plain, indices)) else "X[...]"
        distinct(call, [sized(p.name, None) for p in indices])


def _plain(part: Any) -> bool:
    return isinstance(part, AxisSelection) or isinstance(part.index, int)


# ------------------------------------------------------------------------------------- indexing


def index(X: NamedTensor, parts: list[Any]) -> NamedTensor:
    """Apply named indices and selections."""
    tensors = []
    for part in parts:
        if type(part) is AxisSelection:
            if isinstance(part.chosen, slice):
                X = _slice(X, part.name, part.chosen)
            else:
                tensors.append((part.name, chosen_indices(X, part)))
        elif type(part.index) is int:
            X = apply_two(_TABLE["at"](part.name), X, part.index)
        elif type(part.index) is NamedTensor or (
            isinstance(part.index, NamedTensor) and not _is_size(part.index)
        ):
            tensors.append((part.name, part.index))
        else:
            X = apply(_TABLE["at"](part.name), X, whole(X, part))
    if len(tensors) == 1:
        ((name, given),) = tensors
        return apply_two(_TABLE["index"]((name,)), X, given)
    if tensors:
        names = tuple([name for name, _ in tensors])
        X = apply(_TABLE["index"](names), X, *[given for _, given in tensors])
    return X


def _is_size(x: object) -> bool:
    return hasattr(x, "node") and x.node.type.host


def whole(X: NamedTensor, part: AxisIndex) -> Any:
    """Accept a whole number as an index."""
    if _is_size(part.index):
        return part.index
    bare = backend_of(part.index) is not None and len(part.index.shape) > 0
    if bare or isinstance(part.index, bool) or not hasattr(part.index, "__index__"):
        own = typed_axis(part.name)
        raise KindError(
            f"X[{shown(part.name)}({_short(part.index)})]",
            "an index is a whole number or an integer named tensor, not "
            f"{kind_of_thing(part.index)}",
            shapes(X),
            f"X[{own}(0)], X[{own}(nt.tensor(..., seq))] or, to select, X[{own}[[0, 2]]]",
        )
    return part.index.__index__()


def _slice(X: NamedTensor, name: str, chosen: slice) -> Any:
    start, stop, step = bounds = slice_bounds(X, name, chosen)
    given = (start is not None, stop is not None, step is not None)
    return apply(_TABLE["slice"](name, given), X, *[b for b in bounds if b is not None])


#: What most bounds of ranges are.
BOUNDS = (int, type(None))


def slice_bounds(X: NamedTensor, name: str, chosen: slice) -> tuple[Any, Any, Any]:
    """Read start, stop and step: whole numbers, sizes of a formula, or None."""
    bounds = start, stop, step = (chosen.start, chosen.stop, chosen.step)
    plain = type(start) in BOUNDS and type(stop) in BOUNDS and type(step) in BOUNDS
    if plain and step != 0:
        return bounds
    call = f"X[{AxisSelection(shown(name), chosen)}]"
    for bound in bounds:
        if bound is not None and not hasattr(bound, "__index__"):
            raise KindError(
                call,
                f"bounds are whole numbers, not {kind_of_thing(bound)}",
                shapes(X),
                f"X[{typed_axis(name)}[2:5]]",
            )
    start, stop, step = [b if b is None or _is_size(b) else b.__index__() for b in bounds]
    if isinstance(step, int) and step == 0:
        raise AxisNameError(
            call, "a step of 0 never ends", shapes(X), f"X[{typed_axis(name)}[::1]]"
        )
    return start, stop, step


def chosen_indices(X: NamedTensor, part: AxisSelection) -> NamedTensor:
    """Turn a list, an array or a mask into an integer tensor over the axis that it selects from."""
    chosen = part.chosen
    if isinstance(chosen, NamedTensor):
        if chosen.axes != (part.name,):
            label, own = labels = caller_labels([X, chosen])
            raise AxisNameError(
                f"{label}[{shown(part.name)}[{own}]]",
                f"a selection from {shown(part.name)} is a tensor over {shown(part.name)} alone",
                shapes(X, chosen, labels=labels),
                f"{masked(label, own)} keeps the axes"
                if chosen.kind == "bool"
                else f"{label}[{axis_code(part.name)}({own})] indexes by a tensor of any shape",
            )
        data = chosen.data
    elif backend_of(chosen) is None and compiling():  # arrays of numpy would be traced as torch's
        import torch

        data = torch.as_tensor(chosen, device=X.device)
        data = data if data.numel() else data.long()
    else:
        data = np.asarray(chosen) if backend_of(chosen) is None else chosen
        if data.size == 0 if isinstance(data, np.ndarray) else False:
            data = data.astype(np.int64)
    backend = backend_of(data)
    assert backend is not None
    name = shown(part.name)
    if len(data.shape) != 1:
        raise AxisNameError(
            f"X[{name}[...]]",
            f"a selection from {name} is a list of indices or a mask, not an array of sizes "
            f"{tuple(data.shape)}",
            shapes(X),
            f"X[{name}[[0, 2]]], or X[{name}(I)] with I an integer named tensor",
        )
    if backend.kind_of(data.dtype) == "bool":
        size = X.size(sized(part.name, None))
        if data.shape != (size,):
            raise AxisSizeError(
                f"X[{name}[mask]]",
                f"axis {name} is {size} in X and {data.shape[0]} in mask",
                shapes(X),
                "a mask has one truth value for each index",
            )
        data = data.nonzero()[0] if backend.name == "numpy" else data.nonzero()[:, 0]
    if hasattr(X, "node"):
        # a formula's body: the indices are written into its code
        indices = tuple(map(int, data.tolist()))
        size = X.node.type.size(part.name)
        wrong = [i for i in indices if isinstance(size, int) and not -size <= i < size]
        if wrong:
            raise IndexRangeError(
                f"X[{name}[{list(indices)}]]",
                f"index {wrong[0]} lies outside axis {name}, which is {size} in X",
                shapes(X),
                f"indices count from 0 to {size - 1}" if size else f"axis {name} is empty",
            )
        written: NamedTensor = apply(_TABLE["listed"](part.name, indices))
        return written
    wanted = X.layout.backend
    if wanted.name == "torch" and backend.name == "numpy":
        import torch

        data, backend = torch.as_tensor(np.asarray(data), device=X.device), wanted
    return NamedTensor(data, layout_of((part.name,), backend.kind_of(data.dtype), backend))


# ------------------------------------------------------------------------------------ reshaping


def reshape(X: NamedTensor, parts: list[Rename]) -> NamedTensor:
    """Apply renamings all at once, then merges and splits."""
    for part in parts:
        _check_sizes(X, part)
    renames = [p for p in parts if len(p.before) == len(p.after) == 1]
    if renames:
        if len(renames) > 1:
            distinct(f"X[{', '.join(map(repr, renames))}]", [p.before[0] for p in renames])
        pairs = tuple([(p.before[0].name, p.after[0].name) for p in renames])
        X = apply(_TABLE["rename"](pairs), X)
    for part in parts:
        if len(part.before) > 1:
            X = apply(_TABLE["merge"](tuple([a.name for a in part.before]), part.after[0].name), X)
        elif len(part.after) > 1:
            X = split(X, part)
    return X


def _check_sizes(X: NamedTensor, part: Rename) -> None:
    """Raise unless axes written with a size have that size; `split` checks the axes that it makes."""
    told = part.before if len(part.after) > 1 else (*part.before, *part.after)
    if all([axis.size is None for axis in told]):
        return
    sizes = dict(X.sizes)
    for axis in part.before:
        if axis.size is not None:
            _same_size(X, part, axis, sizes.get(axis.name))
    parts = [sizes.get(a.name) for a in part.before]
    known = all(
        [size is not None for size in parts]
    )  # sizes of a formula compare with numbers alone
    if len(part.after) == 1 and part.after[0].size is not None and known:
        _same_size(X, part, part.after[0], math.prod(parts))


def _same_size(X: NamedTensor, part: Rename, axis: Axis, size: Any) -> None:
    if size is not None and axis.size != size:
        name = shown(axis.name)
        raise AxisSizeError(
            f"X[{part!r}]",
            f"axis {name} is {axis.size} in the call and {size} in X",
            shapes(X),
            f"leave the size out: {name}",
        )


def split(X: NamedTensor, part: Rename) -> Any:
    """Split one axis into several, at most one of them without a size."""
    open_ = [a for a in part.after if a.size is None]
    if len(open_) > 1:
        raise AxisSizeError(
            f"X[{part!r}]",
            f"the sizes of {', '.join(a.name for a in open_)} are all open",
            shapes(X),
            f"give all but one: {part.before[0].name} >> "
            f"({', '.join(a.name + '[2]' for a in part.after[:-1])}, {part.after[-1].name})",
        )
    names = tuple([a.name for a in part.after])
    hole = names.index(open_[0].name) if open_ else -1
    sizes = [a.size for a in part.after if a.size is not None]
    return apply(_TABLE["split"](part.before[0].name, names, hole), X, *sizes)


def contraction(axes: Axes, operands: tuple[Any, ...]) -> Operation:
    """Find the operation of the axes under a dot."""
    if type(axes) is Axis and axes.size is None:
        known = contractions.get(axes.name)
        if known is not None:
            return known
        operation = _TABLE["dot"]((axes.name,))
        if not caches_closed():
            keep(contractions, axes.name, operation, MOST_CONTRACTIONS)
        return operation
    parsed = parse_axes(axes)
    distinct(f"A @ {axes} @ B", parsed)
    for axis in parsed:
        for label, X in zip("AB", operands, strict=True):
            if axis.size is None or not isinstance(X, NamedTensor) or axis.name not in X.axes:
                continue
            if X.size(axis) != axis.size:
                raise AxisSizeError(
                    f"A @ {axes} @ B",
                    f"axis {axis.name} is {axis.size} in the call and {X.size(axis)} in {label}",
                    shapes(*operands, labels="AB"),
                    f"leave the size out: A @ {axis.name} @ B",
                )
    return _TABLE["dot"](tuple([a.name for a in parsed]))


def parts_of_update(X: NamedTensor, record: object) -> list[Part]:
    """Read the indices in X.at[...]."""
    parts = parse_record(X, record)
    if any(isinstance(p, Rename) for p in parts):
        raise AxisNameError(
            "X.at[...]",
            "an update is at indices, and a renaming is none",
            shapes(X),
            "X.at[seq(0)].set(Y)",
        )
    check_record(X, parts)
    return parts


def update(X: NamedTensor, parts: Sequence[Any], name: str, Y: Tensor) -> NamedTensor:
    """Write Y at these indices of X."""
    places: list[tuple[Any, ...]] = []
    operands: list[Any] = []
    for part in parts:
        if isinstance(part, AxisSelection) and isinstance(part.chosen, slice):
            bounds = slice_bounds(X, part.name, part.chosen)
            if any(map(_is_size, bounds)):
                # sizes are not known yet: the range is written as the indices that it keeps
                places.append((part.name, "tensor"))
                whole_axis = apply(_TABLE["iota"](part.name), dict(X.sizes)[part.name])
                operands.append(_slice(whole_axis, part.name, part.chosen))
            else:
                places.append((part.name, "slice", *bounds))
        elif isinstance(part, AxisSelection):
            places.append((part.name, "tensor"))
            operands.append(chosen_indices(X, part))
        elif isinstance(part.index, NamedTensor) and not _is_size(part.index):
            places.append((part.name, "tensor"))
            operands.append(part.index)
        else:
            places.append((part.name, "number"))
            operands.append(whole(X, part))
    for operand in (Y, *operands):
        for axis, size in operand.sizes if isinstance(operand, NamedTensor) else ():
            if axis.endswith(FRESH) and axis not in X.axes:
                X = apply(_TABLE["expand"](axis), X, size)  # which lifts over it
    return apply(_TABLE[name](tuple(places)), X, Y, *operands)


named.bracket, named.contraction = bracket, contraction
updates.parts_of_update, updates.update = parts_of_update, update
