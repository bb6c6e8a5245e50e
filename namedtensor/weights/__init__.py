"""Weights of others: loaded into modules, and saved from them, by the names of their axes.

    found = nt.load(module, "model.safetensors", {"W": "net.weight: hid emb"})
    nt.save(module, "ours.safetensors", {"W": "net.weight: hid emb"})

The names are a table of patterns (patterns.py), read in both directions. Everything is held against the
shapes that a file tells before one number is read, and a module that cannot be filled stays as it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from namedtensor.axes import shown
from namedtensor.errors import (
    AxisMissingError,
    AxisSizeError,
    BackendError,
    KindError,
    WeightsError,
    kind_of_thing,
    nearest,
)
from namedtensor.shape import spaced
from namedtensor.weights.files import Source, open_source, write
from namedtensor.weights.patterns import Names, Owned, Piece, Theirs, some

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was left: tensors of the source that nothing took, and tensors of the module as they were."""

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

    `names` says for each of ours what it is in the source and over which axes, in stored order;
    namedtensor.weights.patterns has all that a name can say. `prefix` stands before each name of
    theirs. The module keeps its dtype and device, or gets those given. Where the source leaves
    something over, or the module: an error, and with strict=False a list.

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

    inner = _module(module, "load")
    call = f"load({_name(inner)}, {_told(source)})"
    tensors = _tensors(inner)
    found = open_source(call, source)
    plan = Names(call, names, _owned(inner, tensors), prefix, found.axes)
    missing = [key for key in plan.theirs if key not in found]
    if missing and strict:
        guess = nearest(missing[0], [k for k in found if isinstance(k, str)][:5000])
        raise WeightsError(
            call,
            f"{found.name} has no tensor {some(missing)}",
            hint=f"did you mean {guess}?"
            if guess
            else "nt.load(..., strict=False) leaves ours as it is",
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
        _hold(call, found, piece, plan.theirs[piece.key], tensors[piece.own], plan.owned)
    made = {
        i: _changed(call, found, p, plan.owned[p.own]) for i, p in enumerate(pieces) if p.change
    }
    _hold_tied(call, found, pieces, tensors)
    for i, piece in enumerate(pieces):
        _hold_range(call, found, piece, made.get(i), dtype or tensors[piece.own].dtype)
    fresh: dict[int, torch.Tensor] = {}
    with torch.no_grad():
        for i, piece in enumerate(pieces):
            data = made.get(i)
            if data is None:
                data = piece.key_view.of(found.tensor(call, piece.key))
            piece.own_view.of(_ready(tensors[piece.own], fresh, dtype, device)).copy_(data)
    _put(inner, tensors, fresh)
    return Loaded(tuple(unused), tuple(unfilled))


def _hold_range(call: str, found: Any, piece: Any, data: Any, dtype: torch.dtype) -> None:
    """Raise WeightsError where finite numbers would become infinite in the module's dtype."""
    import torch

    most = torch.finfo(dtype).max if dtype.is_floating_point else torch.inf
    data = found.tensor(call, piece.key) if data is None else data
    if not data.is_floating_point() or torch.finfo(data.dtype).max <= most or data.is_meta:
        return
    if bool((data.abs() > most).logical_and(data.isfinite()).any()):
        raise WeightsError(
            call,
            f"{piece.key} of {found.name} has finite numbers beyond {most:g}, the greatest of {dtype}",
            hint="keep a wider dtype: nt.load(..., dtype=torch.float32)",
        )


def _ready(
    own: torch.Tensor, fresh: dict[int, torch.Tensor], dtype: Any, device: Any
) -> torch.Tensor:
    """Give the tensor to fill: the module's own, or a new one of the dtype and device asked for."""
    import torch

    kept = dtype in (None, own.dtype) and device in (None, own.device) and not own.is_meta
    if kept:
        return own.detach()
    if id(own) not in fresh:
        place = device if device is not None else "cpu" if own.is_meta else own.device
        wanted = dtype if dtype is not None and own.is_floating_point() else own.dtype
        fresh[id(own)] = torch.empty(own.shape, dtype=wanted, device=place)
    return fresh[id(own)]


def _put(
    module: Any, tensors: Mapping[str, torch.Tensor], fresh: Mapping[int, torch.Tensor]
) -> None:
    """Put new tensors where the old ones were; what was tied stays tied."""
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
    """Write a module's weights under the names of others: the inverse of load, by the same names.

        save(module, "model.safetensors", {"W": "net.weight: hid emb"})

    The target is a dict, which is filled, a safetensors file or a file of torch (.pt); a file is
    written whole or not at all. Refuses what load could not invert: a tensor of the module that no
    name takes (unless strict=False), two that differ under one name, a function without its inverse.

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

    inner = _module(module, "save")
    call = f"save({_name(inner)}, {_told(target)})"
    tensors = _tensors(inner)
    plan = Names(call, names, _owned(inner, tensors), prefix)
    left = _unfilled(tensors, plan, set())
    if strict and left:
        raise WeightsError(
            call,
            f"no name takes {some(left)} of the module",
            hint="name them, or nt.save(..., strict=False) leaves them out",
        )
    made: dict[str, torch.Tensor] = {}
    owners: dict[str, list[Piece]] = {}
    with torch.no_grad():
        for piece in plan.pieces:
            data = tensors[piece.own].detach()
            if piece.change is not None:
                made[piece.key] = _taken_back(call, piece, plan, data)
                continue
            if piece.key not in made:
                sizes = [int(size or 0) for size in plan.theirs[piece.key].sizes]
                made[piece.key] = torch.empty(
                    sizes,
                    dtype=dtype if dtype is not None and data.is_floating_point() else data.dtype,
                    device=data.device if isinstance(target, dict) else "cpu",
                )
            place, value = piece.key_view.of(made[piece.key]), piece.own_view.of(data)
            for other in owners.setdefault(piece.key, []):
                if other.key_view == piece.key_view and not _equal(place, value):
                    raise WeightsError(
                        call,
                        f"{other.own} and {piece.own} differ, and both are {piece.key}",
                        hint="tie them, or name another tensor for one of them",
                    )
            owners[piece.key].append(piece)
            place.copy_(value)
    write(call, target, made, _plain_axes(plan))


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


def _name(module: Any) -> str:
    formula = getattr(module, "formula", None)
    return f"{formula.name}.module(...)" if formula is not None else type(module).__name__


def _told(source: Any) -> str:
    return Path(source).name if isinstance(source, (str, os.PathLike)) else "{...}"


def _tensors(module: Any) -> dict[str, torch.Tensor]:
    """Give what a module stores, under each of its names."""
    return {
        name: data
        for name, data in module.state_dict(keep_vars=True).items()
        if hasattr(data, "shape")
    }


def _owned(module: Any, tensors: Mapping[str, torch.Tensor]) -> list[Owned]:
    """Say of each stored tensor which sizes it has, and which axes a formula declares for it."""
    from namedtensor.nn.module import FormulaModule

    axes: dict[str, tuple[str, ...]] = {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        if isinstance(part, FormulaModule):
            for own in part.formula.signature.parameters:
                if own.space is not None:
                    axes[f"{prefix}.{own.name}" if prefix else own.name] = own.space.names
    return [Owned(name, tuple(data.shape), axes.get(name)) for name, data in tensors.items()]


def _unfilled(tensors: Mapping[str, Any], plan: Names, missing: set[str]) -> list[str]:
    """List the tensors of the module that nothing fills, under no name of theirs."""
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
) -> None:
    """Hold that one of theirs has the sizes that ours ask for, and numbers of its kind."""
    sizes = found.sizes(call, piece.key)
    _hold_kind(call, piece, found.tensor(call, piece.key), own)
    ours = owned[piece.own]
    shapes = [
        (ours.name, ours.shape()),
        (piece.key, f"sizes {sizes}, read as {theirs.text or 'no axis'}"),
    ]
    if len(sizes) != len(theirs.sizes):
        raise AxisMissingError(
            call,
            f"{piece.key} has {len(sizes)} axes, and {len(theirs.sizes)} are named",
            shapes,
            f'name each axis in stored order: "{piece.key}: {theirs.text}"',
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


def _items(text: str) -> list[str]:
    """Part written axes at the spaces outside of groups."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == " " and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def _changed(call: str, found: Source, piece: Piece, owned: Owned) -> torch.Tensor:
    """Run a function of the names on one of theirs, and give its numbers in our order."""
    from namedtensor.tensor import NamedTensor, tensor

    assert piece.change is not None
    data, ours = found.tensor(call, piece.key), piece.change.ours
    known, names, sizes = dict(ours), [], []
    for item, size in zip(piece.change.theirs, data.shape, strict=True):
        (group,) = item
        for name, stated in group:
            names.append("one" if name == "1" else name)
            part = stated if stated is not None else known.get(name) if len(group) > 1 else size
            sizes.append(-1 if part is None else part)
    result = piece.change.there(tensor(data.reshape(sizes), " ".join(names)))
    return _numbers(call, result, ours, piece.own, owned, NamedTensor)


def _numbers(
    call: str, result: Any, wanted: Any, name: str, owned: Owned, named: Any
) -> torch.Tensor:
    """Give what a function made, in stored order, where it has the axes and sizes that it must have."""
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
    result = piece.change.back(tensor(piece.own_view.of(data), names))
    groups = [item[0] for item in piece.change.theirs]
    wanted = ["one" if n == "1" else n for group in groups for n, _ in group]
    owned = plan.owned[piece.own]
    if not isinstance(result, NamedTensor) or set(result.axes) != set(wanted):
        shape = spaced(result.sizes) if isinstance(result, NamedTensor) else kind_of_thing(result)
        raise AxisMissingError(
            call,
            f"the inverse for {owned.name} gave {shape}, and {piece.key} has {', '.join(map(shown, wanted))}",
            [(owned.name, owned.shape())],
            "give a named tensor of just these axes",
        )
    flat = result.torch(*wanted)
    sizes, place = [], 0
    for group in groups:
        size = 1
        for _ in group:
            size *= flat.shape[place]
            place += 1
        sizes.append(size)
    whole: torch.Tensor = flat.reshape(sizes).contiguous()
    return whole


def _hold_kind(call: str, piece: Piece, source: torch.Tensor, own: torch.Tensor) -> None:
    """Refuse numbers of another kind: whole ones are no weights, however they are converted."""
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


def _hold_tied(
    call: str, found: Source, pieces: list[Piece], tensors: Mapping[str, torch.Tensor]
) -> None:
    """Refuse to fill one tensor of ours from two of theirs that differ."""
    before: dict[Any, Piece] = {}
    for piece in pieces:
        first = before.setdefault((id(tensors[piece.own]), piece.own_view.at), piece)
        if first is piece or (first.key == piece.key and first.key_view == piece.key_view):
            continue
        one, other = [p.key_view.of(found.tensor(call, p.key)) for p in (first, piece)]
        if not _equal(one, other):
            raise WeightsError(
                call,
                f"{first.own} and {piece.own} are one tensor, and {first.key} and {piece.key} differ",
                hint="name one of them, or make a module that does not tie them",
            )


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    import torch

    return one.shape == other.shape and torch.equal(one, other.to(one.device, one.dtype))


def _plain_axes(plan: Names) -> dict[str, list[str]]:
    """Say over which axes each of theirs is, where each of its axes has a name of its own."""
    return {
        key: theirs.text.split()
        for key, theirs in plan.theirs.items()
        if theirs.text and not any([mark in theirs.text for mark in "([+1"])
    }
