"""Load published weights into modules, and save modules as such, by the names of their axes.

    found = nt.load(module, "model.safetensors", {"W": "net.weight: hid emb"})
    nt.save(module, "ours.safetensors", {"W": "net.weight: hid emb"})

The names are a table of patterns (patterns.py), read in both directions. All shapes are checked before any
number is read, and a module that cannot be filled stays as it was.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from namedtensor.axes import shown
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisSizeError,
    BackendError,
    KindError,
    WeightsError,
    first_line,
    flag,
    kind_of_thing,
    nearest,
)
from namedtensor.shape import spaced
from namedtensor.weights.files import Source, open_source, write
from namedtensor.weights.patterns import (
    ONE,
    Names,
    Owned,
    Piece,
    Theirs,
    View,
    grouped,
    plain_axes,
    some,
)

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was left over: tensors of the source that are unused, tensors of the module that are unfilled."""

    unused: tuple[str, ...]
    unfilled: tuple[str, ...]


def load(
    module: torch.nn.Module,
    source: Mapping[str, Any] | str | os.PathLike[str],
    names: Mapping[Any, Any] | None = None,
    strict: bool = True,
    *,
    prefix: str = "",
    dtype: Any = None,
    device: Any = None,
) -> Loaded:
    """Fill a module from a state dict, a safetensors file or a file of torch.

        load(module, "model.safetensors", {"W": "net.weight: hid emb"})

    `names` says for each of our tensors its name in the source and its axes in stored order;
    namedtensor.weights.patterns describes the syntax. `prefix` stands before each name of theirs. The module
    keeps its dtype and device, or gets those given. Tensors left over in the source or in the module are an
    error; with strict=False they are listed in the result.

    Raises: WeightsError for a file that cannot be read or does not fit; AxisSizeError,
    AxisMissingError, AxisNameError, AxisClashError, KindError, BackendError. The module is then
    as it was.

    >>> import torch
    >>> from namedtensor import R, axes, formula
    >>> emb, hid = axes("emb hid")
    >>> @formula
    ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    ...     return W @ emb @ X
    >>> module = project.module(emb[2], hid[3])
    >>> nt.load(module, {"fc.weight": torch.ones(3, 2)}, {"W": "fc.weight: hid emb"})
    Loaded(unused=(), unfilled=())
    """
    import torch

    from namedtensor.nn.module import device_of, real_dtype

    inner = _module(module, "load")
    call = f"load({_name(inner)}, {_told(source)})"
    _hold_words(call, strict, prefix)
    tensors = _tensors(call, inner)
    wanted, place = real_dtype(call, dtype), device_of(call, device)
    found = open_source(call, source)
    plan = Names(call, names, _owned(inner, tensors), prefix, found.axes)
    missing = [key for key in plan.theirs if key not in found]
    if missing and strict:
        raise WeightsError(
            call, f"{found.name} has no tensor {some(missing)}", hint=_where(found, missing[0])
        )
    unfilled = _unfilled(tensors, plan, set(missing))
    unused = [str(key) for key in found if key not in plan.theirs]
    if strict and (unused or unfilled):
        raise WeightsError(
            call,
            f"{found.name} has {some(unused)}, which no name takes"
            if unused
            else f"nothing fills {some(unfilled)} of the module",
            hint="name them, or nt.load(..., strict=False) tells what is left",
        )
    lost = {piece.own for piece in plan.pieces if piece.key in missing}
    pieces = [piece for piece in plan.pieces if piece.own not in lost]
    for piece in pieces:
        _hold(call, found, piece, plan.theirs[piece.key], tensors[piece.own], plan.owned, prefix)
    values = [_value(call, found, piece, plan.owned[piece.own]) for piece in pieces]
    fresh: dict[int, torch.Tensor] = {}
    with torch.no_grad():
        targets = [_ready(call, tensors[piece.own], fresh, wanted, place) for piece in pieces]
        held = {data.untyped_storage().data_ptr() for data in targets}
        for i, (piece, value) in enumerate(zip(pieces, values, strict=True)):
            _hold_range(call, f"{piece.key} of {found.name}", value, targets[i].dtype)
            if value.untyped_storage().data_ptr() in held:
                values[i] = (
                    value.clone()
                )  # the source is the module's own state dict, so that it reads what it fills
        parts: dict[int, list[int]] = {}
        for i, piece in enumerate(pieces):
            parts.setdefault(id(tensors[piece.own]), []).append(i)
        filling = [
            (targets[each[0]], [(pieces[i], pieces[i].own_view, values[i]) for i in each])
            for each in parts.values()
        ]
        for target, own in filling:
            if _twice(target, own):
                _fill(torch.empty_like(target), own, functools.partial(_ours_differ, call))
        for data in tensors.values():  # the unfilled get the dtype and the device too
            if id(data) not in parts and id(data) not in fresh and not data.is_meta:
                kept = _ready(call, data, fresh, wanted, place)
                if id(data) in fresh:
                    kept.copy_(data)
        for target, own in filling:
            _fill(target, own)
    _put(inner, tensors, fresh)
    return Loaded(tuple(unused), tuple(unfilled))


def _where(found: Source, key: str) -> str:
    """Say in a hint where a tensor may be that a source lacks."""
    name, colon, axes = key.partition(":")
    if colon and name in found:
        return f'a blank parts a name from its axes: "{name}: {axes}"'
    for outer, inner in found.held.items():
        if isinstance(inner, Mapping) and key in inner:
            return f"it is inside of {outer!r}, which is a state dict of its own: give source[{outer!r}]"
    guess = nearest(key, [k for k in found if isinstance(k, str)][:5000])
    return f"did you mean {guess}?" if guess else "nt.load(..., strict=False) leaves ours as it is"


#: What is written into a part of a tensor, or into all of it if there is no view.
_Part = tuple[Piece, View | None, Any]


def _twice(target: torch.Tensor, parts: Sequence[_Part]) -> bool:
    """Say whether parts of a tensor overlap."""
    covered: int = sum([value.numel() for _, _, value in parts])
    return covered > target.numel()


def _fill(
    target: torch.Tensor,
    parts: Sequence[_Part],
    differ: Callable[[Piece, Piece], NoReturn] | None = None,
) -> None:
    """Write all parts of a tensor; call `differ` for two that overlap and are not equal."""
    for n, (piece, view, value) in enumerate(parts):
        (target if view is None else view.of(target)).copy_(value)
        for other, before, kept in parts[:n] if differ is not None else ():
            if not _equal(target if before is None else before.of(target), kept):
                assert differ is not None
                differ(other, piece)


def _ours_differ(call: str, one: Piece, other: Piece) -> NoReturn:
    raise WeightsError(
        call,
        f"{one.own} and {other.own} are one tensor, and {one.key} and {other.key} differ",
        hint="name one of them, or make a module that does not tie them",
    )


def _theirs_differ(call: str, one: Piece, other: Piece) -> NoReturn:
    raise WeightsError(
        call,
        f"{one.own} and {other.own} differ, and both are {one.key}",
        hint="tie them, or name another tensor for one of them",
    )


def _hold_range(call: str, what: str, data: torch.Tensor, dtype: torch.dtype) -> None:
    """Raise WeightsError where finite numbers would become infinite in another dtype."""
    import torch

    most = torch.finfo(dtype).max if dtype.is_floating_point else torch.inf
    if not data.is_floating_point() or torch.finfo(data.dtype).max <= most:
        return
    if bool((data.abs() > most).logical_and(data.isfinite()).any()):
        raise WeightsError(
            call,
            f"{what} has finite numbers beyond {most:g}, the greatest of {dtype}",
            hint=f"keep a wider dtype: nt.{call.partition('(')[0]}(..., dtype=torch.float32)",
        )


def _ready(
    call: str, own: torch.Tensor, fresh: dict[int, torch.Tensor], dtype: Any, device: Any
) -> torch.Tensor:
    """Give the tensor to fill: the module's own, or a new one of the dtype and device asked for."""
    import torch

    kept = dtype in (None, own.dtype) and device in (None, own.device) and not own.is_meta
    if kept:
        return own.detach()
    if id(own) not in fresh:
        place = device if device is not None else "cpu" if own.is_meta else own.device
        wanted = dtype if dtype is not None and own.is_floating_point() else own.dtype
        try:
            fresh[id(own)] = torch.empty(own.shape, dtype=wanted, device=place)
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            raise BackendError(
                call,
                f"torch cannot hold the weights on {place}: {first_line(error)}",
                hint='leave device out, or give one that is there: device="cpu"',
            ) from None
    return fresh[id(own)]


def _put(
    module: Any, tensors: Mapping[str, torch.Tensor], fresh: Mapping[int, torch.Tensor]
) -> None:
    """Replace the old tensors by new ones; tied tensors stay tied."""
    import torch

    done: dict[int, torch.Tensor] = {}
    for name, old in tensors.items():
        if id(old) in fresh:
            new = fresh[id(old)]
            if isinstance(old, torch.nn.Parameter):
                new = done.setdefault(id(old), torch.nn.Parameter(new, old.requires_grad))
            path, _, last = name.rpartition(".")
            setattr(module.get_submodule(path), last, new)


def save(
    module: torch.nn.Module,
    target: dict[str, Any] | str | os.PathLike[str],
    names: Mapping[Any, Any] | None = None,
    strict: bool = True,
    *,
    prefix: str = "",
    dtype: Any = None,
) -> None:
    """Write a module's weights under the names of another program: the inverse of load, by the same names.

        save(module, "model.safetensors", {"W": "net.weight: hid emb"})

    The target is a dict, which is filled, a safetensors file or a file of torch (.pt); a file is
    written whole or not at all. Refuses what load could not undo: a tensor of the module without a name
    (unless strict=False), two different tensors under one name, a function without its inverse.

    Raises: WeightsError, and what load raises for names.

    >>> import torch
    >>> from namedtensor import R, axes, formula
    >>> emb, hid = axes("emb hid")
    >>> @formula
    ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    ...     return W @ emb @ X
    >>> state = {}
    >>> nt.save(project.module(emb[2], hid[3]), state, {"W": "fc.weight: hid emb"})
    >>> state["fc.weight"].shape
    torch.Size([3, 2])
    """
    import torch

    from namedtensor.nn.module import real_dtype

    inner = _module(module, "save")
    call = f"save({_name(inner)}, {_told(target)})"
    _hold_words(call, strict, prefix)
    wanted = real_dtype(call, dtype)
    tensors = _tensors(call, inner)
    plan = Names(call, names, _owned(inner, tensors), prefix)
    left = _unfilled(tensors, plan, set())
    if strict and left:
        raise WeightsError(
            call,
            f"no name takes {some(left)} of the module",
            hint="name them, or nt.save(..., strict=False) leaves them out",
        )
    made: dict[str, torch.Tensor] = {}
    parts: dict[str, list[_Part]] = {}
    with torch.no_grad():
        for piece in plan.pieces:
            data = tensors[piece.own].detach()
            if data.is_meta:
                raise WeightsError(
                    call,
                    f'{piece.own} is on the device "meta", and has no numbers',
                    hint="fill the module first: nt.load(module, source)",
                )
            if piece.change is None:
                part: _Part = (piece, piece.key_view, piece.own_view.of(data))
            else:
                part = (piece, None, _taken_back(call, piece, plan, data))
            parts.setdefault(piece.key, []).append(part)
        for key, own in parts.items():
            made[key] = _made(call, key, own, plan.theirs[key].sizes, wanted, target)
    write(call, target, made, plain_axes(plan.theirs))


def _made(
    call: str,
    key: str,
    parts: Sequence[_Part],
    sizes: tuple[int | None, ...],
    dtype: torch.dtype | None,
    target: Any,
) -> torch.Tensor:
    """Make one of their tensors from its parts."""
    import torch

    (first, _, value), *_ = parts
    for piece, view, data in parts:
        if _kind(data) != _kind(value):
            raise KindError(
                call,
                f"{first.own} holds {value.dtype} and {piece.own} {data.dtype}, and both are of {key}",
                hint="name another tensor for one of them",
            )
        if view is None:
            sizes = _whole_sizes(call, piece, tuple(data.shape), sizes)
    held = functools.reduce(torch.promote_types, [data.dtype for _, _, data in parts])
    found = torch.empty(
        [int(size or 0) for size in sizes],
        dtype=dtype if dtype is not None and value.is_floating_point() else held,
        device=value.device if isinstance(target, dict) else "cpu",
    )
    for piece, _, data in parts:
        _hold_range(call, piece.own, data, found.dtype)
    _fill(found, parts, functools.partial(_theirs_differ, call) if _twice(found, parts) else None)
    return found


def _whole_sizes(
    call: str, piece: Piece, given: tuple[int, ...], sizes: tuple[int | None, ...]
) -> tuple[int, ...]:
    """Raise unless the result of an inverse has the sizes that are known of this tensor of theirs."""
    if any([b not in (a, None) for a, b in zip(given, sizes, strict=True)]):
        raise AxisSizeError(
            call,
            f"the inverse for {piece.own} gave sizes {given}, and {piece.key} has {sizes}",
            hint="give a named tensor of just these sizes",
        )
    return given


def _module(module: Any, verb: str) -> Any:
    """Take the module itself out of one that torch.compile has wrapped."""
    import torch

    if not isinstance(module, torch.nn.Module):
        raise BackendError(
            f"{verb}(...)",
            f"this is {kind_of_thing(module)}, and weights are held by modules",
            hint=f"make one: nt.{verb}(ffn.module(emb[512], hid[2048]), ...)",
        )
    return getattr(module, "_orig_mod", module)


def _hold_words(call: str, strict: Any, prefix: Any) -> None:
    """Raise unless `strict` is a truth value and `prefix` a text."""
    flag(call, "strict", strict)
    if not isinstance(prefix, str):
        raise KindError(
            call,
            f"prefix is {kind_of_thing(prefix)}, and stands before the names of theirs",
            hint='prefix="encoder."',
        )


def _name(module: Any) -> str:
    formula = getattr(module, "formula", None)
    return f"{formula.name}.module(...)" if formula is not None else type(module).__name__


def _told(source: Any) -> str:
    return Path(source).name if isinstance(source, (str, os.PathLike)) else "{...}"


def _tensors(call: str, module: Any) -> dict[str, torch.Tensor]:
    """Give the tensors that a module stores, under each of their names."""
    import torch

    state = module.state_dict(keep_vars=True)
    for name, data in state.items():
        if torch.nn.parameter.is_lazy(data):
            raise WeightsError(
                call,
                f"{name} has no sizes before the module is called",
                hint="call the module once: module(X)",
            )
    return {name: data for name, data in state.items() if hasattr(data, "shape")}


def _owned(module: Any, tensors: Mapping[str, torch.Tensor]) -> list[Owned]:
    """Say of each stored tensor which sizes it has, and which axes a formula declares for it."""
    from namedtensor.nn.module import FormulaModule

    axes: dict[str, tuple[str, ...]] = {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        if isinstance(part, FormulaModule):
            for own in part.formula.signature.parameters:
                if own.space is not None:
                    axes[f"{prefix}.{own.name}" if prefix else own.name] = own.space.names
    return [
        Owned(name, tuple(data.shape), own if own and len(own) == data.ndim else None)
        for name, data in tensors.items()
        for own in [axes.get(name)]
    ]


def _unfilled(tensors: Mapping[str, Any], plan: Names, missing: set[str]) -> list[str]:
    """List the tensors of the module that are filled under none of their names."""
    lost = {piece.own for piece in plan.pieces if piece.key in missing}
    filled = {id(tensors[name]) for name in plan.filled - lost}
    return [name for name, data in tensors.items() if id(data) not in filled]


def _hold(
    call: str,
    found: Source,
    piece: Piece,
    theirs: Theirs,
    own: torch.Tensor,
    owned: Mapping[str, Owned],
    prefix: str,
) -> None:
    """Raise unless a tensor of theirs has the sizes that ours need, and numbers of the same kind."""
    sizes = found.sizes(call, piece.key)
    _hold_kind(call, piece, found.tensor(call, piece.key), own)
    ours = owned[piece.own]
    shapes = [
        (ours.name, ours.shape()),
        (piece.key, f"sizes {sizes}, read as {theirs.text or 'no axis'}"),
    ]
    if len(sizes) != len(theirs.sizes):
        regrouped = _regrouped(_items(theirs.text) if theirs.text else [], theirs.sizes, sizes)
        name = piece.key.removeprefix(prefix)
        raise AxisMissingError(
            call,
            f"{piece.key} has {len(sizes)} axes, and {len(theirs.sizes)} are named",
            shapes,
            f'name its axes in stored order, as here: "{name}: {regrouped}"'
            if regrouped is not None
            else f"name each of its axes, of sizes {sizes}, in stored order",
        )
    if found.named(piece.key) and tuple(theirs.text.split()) != found.axes[piece.key]:
        order = ", ".join([f'"{axis}"' for axis in found.axes[piece.key]])
        raise AxisClashError(
            call,
            f"{piece.key} is a named tensor of {order}, and is said to be of {theirs.text}",
            shapes,
            f"leave its axes out, or give its numbers in stored order: X.torch({order})",
        )
    wrong = [
        i for i, (a, b) in enumerate(zip(sizes, theirs.sizes, strict=True)) if b not in (a, None)
    ]
    if wrong:
        item = _items(theirs.text)[wrong[0]]
        raise AxisSizeError(
            call,
            f"{item} is {sizes[wrong[0]]} in {piece.key} of {found.name} and {theirs.sizes[wrong[0]]} in "
            f"{theirs.owner} of the module",
            shapes,
            "name the axes in the order in which they are stored"
            if sorted(sizes) == sorted([s or 0 for s in theirs.sizes])
            else "make the module with the sizes of the weights",
        )


def _regrouped(
    items: Sequence[str], sizes: Sequence[int | None], stored: Sequence[int]
) -> str | None:
    """Put named axes in groups, or beside axes of size 1, so that they have the stored sizes."""
    pairs = list(zip(items, sizes, strict=True))
    left = [(item.strip("()"), int(size or 0)) for item, size in pairs if item != ONE]
    found = []
    for size in stored:
        group: list[str] = []
        product = 1
        while left and product * left[0][1] <= size and (product < size or not group):
            item, more = left.pop(0)
            group.append(item)
            product *= more
        if product != size:
            return None
        text = " ".join(group)
        found.append(f"({text})" if " " in text else text or "1")
    return None if left else " ".join(found)


def _items(text: str) -> list[str]:
    """Split written axes at the spaces outside of groups."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == " " and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def _value(call: str, found: Source, piece: Piece, owned: Owned) -> torch.Tensor:
    """Give a piece of theirs as our tensor stores it: a view, or the result of the function in `names`."""
    data: torch.Tensor = found.tensor(call, piece.key)
    if piece.change is not None:
        return _changed(call, piece, data, owned)
    view: torch.Tensor = piece.key_view.of(data)
    return view


def _changed(call: str, piece: Piece, data: torch.Tensor, owned: Owned) -> torch.Tensor:
    """Run a function given in `names` on a tensor of theirs, and give the numbers in our order."""
    from namedtensor.tensor import NamedTensor, tensor

    assert piece.change is not None
    ours = piece.change.ours
    names: list[str] = []
    sizes: list[int] = []
    for (group,), size in zip(piece.change.theirs, data.shape, strict=True):
        parts = [
            (n, s if s is not None or len(group) == 1 else dict(ours).get(n)) for n, s in group
        ]
        known = math.prod([s for _, s in parts if s is not None])
        free = [n for n, s in parts if s is None]
        if len(free) > 1 or known == 0 or (size % known if free else size != known):
            raise AxisSizeError(
                call,
                f"{grouped(group)} does not part an axis of size {size} of {piece.key}",
                [(owned.name, owned.shape()), (piece.key, f"sizes {tuple(data.shape)}")],
                "state the sizes of all parts but one: (half two[2])",
            )
        for name, part in parts:
            if name != ONE:
                names.append(name)
                sizes.append(size // known if part is None else part)
    # a copy, so that a function that works in place does not change the source
    result = piece.change.there(tensor(data.clone().reshape(sizes), " ".join(names)))
    numbers = _numbers(call, result, ours, piece.own, owned, NamedTensor)
    if _kind(numbers) != _kind(data):
        raise KindError(
            call,
            f"the function for {piece.own} gave {numbers.dtype}, and was given {data.dtype}",
            hint="give numbers of the kind that they were",
        )
    return numbers


def _numbers(
    call: str, result: Any, wanted: Any, name: str, owned: Owned, named: Any
) -> torch.Tensor:
    """Give a function's result in stored order; raise unless it has the right axes and sizes."""
    if not isinstance(result, named) or dict(result.sizes) != dict(wanted):
        shape = spaced(result.sizes) if isinstance(result, named) else kind_of_thing(result)
        raise AxisSizeError(
            call,
            f"the function for {owned.name} gave {shape}, and {name} has {spaced(wanted)}",
            [(owned.name, owned.shape())],
            "give a named tensor of just these axes and sizes",
        )
    found: torch.Tensor = result.torch(*[n for n, _ in wanted])
    return found


def _taken_back(call: str, piece: Piece, plan: Names, data: torch.Tensor) -> torch.Tensor:
    from namedtensor.tensor import NamedTensor, tensor

    assert piece.change is not None
    if piece.change.back is None:
        raise WeightsError(
            call,
            f"{piece.own} was made by a function whose inverse is not known",
            hint=f'give it behind the function: ("{piece.key}: {plan.theirs[piece.key].text}", f, inverse)',
        )
    names = " ".join([n for n, _ in piece.change.ours])
    result = piece.change.back(tensor(piece.own_view.of(data).clone(), names))
    groups = [[n for n, _ in item[0] if n != ONE] for item in piece.change.theirs]
    wanted = [name for group in groups for name in group]
    owned = plan.owned[piece.own]
    if not isinstance(result, NamedTensor) or set(result.axes) != set(wanted):
        shape = spaced(result.sizes) if isinstance(result, NamedTensor) else kind_of_thing(result)
        raise AxisMissingError(
            call,
            f"the inverse for {owned.name} gave {shape}, and {piece.key} has {', '.join(map(shown, wanted))}",
            [(owned.name, owned.shape())],
            "give a named tensor of just these axes",
        )
    sizes = dict(result.sizes)
    whole: torch.Tensor = result.torch(*wanted).reshape(
        [math.prod([sizes[name] for name in group]) for group in groups]
    )
    return whole


def _hold_kind(call: str, piece: Piece, source: torch.Tensor, own: torch.Tensor) -> None:
    """Refuse numbers of another kind: whole numbers are not converted to weights."""
    kinds = [_kind(data) for data in (source, own)]
    if kinds[0] != kinds[1]:
        raise KindError(
            call,
            f"{piece.key} holds {source.dtype} and {piece.own} {own.dtype}",
            hint="convert it first, as its numbers are meant, and give a state dict",
        )


def _kind(data: torch.Tensor) -> str:
    import torch

    if data.is_complex():
        return "complex"
    return "float" if data.is_floating_point() else "bool" if data.dtype is torch.bool else "int"


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Compare tensors; nan equals nan."""
    import torch

    other = other.to(one.device, one.dtype)
    return torch.equal(one, other) or bool(
        ((one == other) | ((one != one) & (other != other))).all()
    )
