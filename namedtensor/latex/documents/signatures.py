"""Signatures of a document's formulas: the spaces and the Python names of what they take."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.formula import B, R, Z
from namedtensor.formula.formula import Formula
from namedtensor.formula.signature import Parameter, Signature
from namedtensor.formula.signature import Space as NamedSpace
from namedtensor.latex.documents.inputs import Input, Linked
from namedtensor.latex.documents.scopes import Declared, Names, Place
from namedtensor.latex.documents.scripts import (
    Indices,
    fold,
    key,
    numbered,
    without_letters,
    written,
)
from namedtensor.latex.printing import names as python_names
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import AxisSize, Expression, SizedAxis, Space

#: What the sets of the notation are here; one-hot and 0/1 tensors hold numbers of any kind.
BASES = {"R": R, "Z": Z, "N": Z, "[n]": Z, "C": R, "{0,1}": R, "[0,1]": R, "B": B}


def axes_along(names: Names, bound: Mapping[str, int], found: Input) -> list[Axis]:
    """Give the axes that index letters are, with the number of members where it is chosen."""
    axes = []
    for letter in found.along:
        assert found.declared is not None
        within = names.range_of(letter, found.declared.statement)
        lower = fold(within.lower, bound) if within is not None else None
        upper = fold(within.upper, bound) if within is not None else None
        size = None if upper is None else upper - (1 if lower is None else lower) + 1
        axes.append(Axis(letter, size))
    return axes


def named_space(
    space: Space,
    bound: Mapping[str, int],
    along: Sequence[Axis] = (),
    lettered: Mapping[str, str] | None = None,
    numbers: Indices | None = None,
    stated: Sequence[tuple[str, str]] = (),
) -> NamedSpace:
    """Give a declared space, with those sizes that are numbers.

    The sizes of `lettered` axes keep their letters: X in R^{seq:n} and Y in R^{seq:m}. `stated` says where
    the sizes are stated that the declaration leaves open.
    """
    axes = [*along]
    axes += [
        Axis(a.axis.name, bound.get(f"|{a.axis.name}|") if a.size is None else fold(a.size, bound))
        for a in space.axes
    ]
    base = BASES.get(space.base, R)
    letters = [
        (a.axis.name, text)
        for a in space.axes
        if lettered
        and a.axis.name in lettered
        and (text := _size_name(a, numbers or {}) or lettered[a.axis.name])
    ]
    return NamedSpace(base.letter, base.kinds, tuple(axes), tuple(letters), tuple(stated))


def with_stated_sizes(
    names: Names, linked: Linked, space: Space, bound: Mapping[str, int]
) -> Space:
    """Give a declared space with the sizes that the document states of its axes: |seq| = n.

    A number that its user has chosen for a size counts more than one that is stated.
    """
    place = linked.defined.place
    axes = [
        axis
        if axis.size is not None or f"|{axis.axis.name}|" in bound
        else dataclasses.replace(axis, size=_stated_size(names, axis.axis.name, place))
        for axis in space.axes
    ]
    return dataclasses.replace(space, axes=tuple(axes))


def where_stated(
    declared: Space | None, sized: Space, source: Source
) -> tuple[tuple[str, str], ...]:
    """Say of the axes that a declaration gives no size where the document states it, and what."""
    pairs = zip(declared.axes, sized.axes, strict=True) if declared is not None else ()
    return tuple(
        [
            (after.axis.name, f"on line {source.position(span.start)[0]}: {_said(after, source)}")
            for before, after in pairs
            if before.size is None and (span := getattr(after.size, "span", None)) is not None
        ]
    )


def _said(axis: SizedAxis, source: Source) -> str:
    """Write what a document says of the size of an axis: |a| = 5."""
    assert axis.size is not None
    return f"|{axis.axis.name}| = {source.written(axis.size.span)}"


def _stated_size(names: Names, axis: str, place: Place) -> Expression | None:
    """Give what the document states around a place that |axis| is: a number, a letter, or another's size."""
    stated = names.sizes_stated(axis, place, around=True)
    numbers = [size for size in stated if fold(size, {}) is not None]
    if numbers:
        return numbers[0]
    plain = [size for size in stated if key(size) is not None]
    others = [size for size in stated if isinstance(size, AxisSize)]
    if plain or not others:
        return plain[0] if plain else None
    first = min([axis, *[size.axis.name for size in others]])
    return dataclasses.replace(others[0], axis=dataclasses.replace(others[0].axis, name=first))


def lettered_sizes(linked: Linked, spaces: Sequence[Space | None], names: Names) -> dict[str, str]:
    """List the axes of inputs whose sizes need their letters: seq:n and seq:m, or row:n and col:n.

    `spaces` are those of the inputs. With each axis stands the letter of inputs that declare none; "" where
    there are several.
    """
    found: dict[str, dict[str, str]] = {}
    owners: dict[str, list[tuple[str, Declared | None]]] = {}
    for given, space in zip(linked.inputs, spaces, strict=True):
        numbers = {**linked.indices, **given.numbers}
        for axis in space.axes if space is not None else ():
            name, text = axis.axis.name, _size_text(axis, numbers)
            if text is not None:
                found.setdefault(name, {})[text] = _size_name(axis, numbers) or ""
            owners.setdefault(text or f"|{name}|", []).append((name, given.declared))
    for name in {name for own in owners.values() for name, _ in own} - found.keys():
        found[name] = {f"|{name}|": _name_of_size(name)}
    wanted: dict[str, str] = {}
    for name, letters in found.items():
        own = [pair for text in letters for pair in owners[text]]
        if len(letters) > 1 or _is_shared(name, own, names):
            wanted[name] = next(iter(letters.values())) if len(letters) == 1 else ""
    return wanted


def _is_shared(axis: str, owners: Sequence[tuple[str, Declared | None]], names: Names) -> bool:
    """Say whether a letter sizes an axis and another one, declared in one section or around it.

    An axis and its copy, seq:n and seq':n, may differ: who decodes word by word asks for less.
    """
    places = [(name, declared.place) for name, declared in owners if declared is not None]
    own = [place for name, place in places if name == axis]
    return any(
        names.inherits(place, other) or names.inherits(other, place)
        for name, other in places
        for place in own
        if name.rstrip("'*") != axis.rstrip("'*")
    )


def _size_text(axis: SizedAxis, numbers: Indices) -> str | None:
    """Give the text of a size that is declared with letters: d_{k}, 2c."""
    text = None if axis.size is None else written(axis.size, numbers)
    return None if text is None or text.isdecimal() else text


def _size_name(axis: SizedAxis, numbers: Indices) -> str | None:
    """Name a declared size: d_k by its Python name, and 2c, which is computed, by its text."""
    if isinstance(axis.size, AxisSize):
        return _name_of_size(axis.size.axis.name)
    text = _size_text(axis, numbers)
    if text is None or axis.size is None or key(axis.size) is None:
        return text
    return python_name(numbered(axis.size, numbers), text)


def _name_of_size(axis: str) -> str:
    """Give a letter to the size of an axis that has none: n_seq to |seq|."""
    return "n_" + re.sub(r"\W+", "", axis)


def python_name(name: Expression, text: str) -> str:
    """Give a Python name for any name: W1 for W^1, x__t_1 for x^{t-1}, lnorm__1_ for lnorm^{1'}."""
    found = python_names.identifier(name)
    if found is not None:
        return found
    signs = text.replace("_{+}", "_plus").replace("_{-}", "_minus")  # of A_+, and not of Z^+
    said = signs.replace("'", "").replace("*", "star").replace("^{", "__")
    plain = re.sub(r"\W+", "_", said).strip("_")
    primes = "_" * text.count("'")
    return plain + primes if plain[:1].isalpha() else f"_{plain}"


def identifiers(inputs: Sequence[Input]) -> dict[str, str]:
    """Give the Python names of a formula's inputs by their keys: W1 for W^{1}."""
    known: dict[str, str] = {}
    for found in inputs:
        name = without_letters(found.name, found.along) if found.along else found.name
        text = python_name(name, key(name) or found.key)
        while text in known.values():
            text += "_"
        known[found.key] = text
    return known


def python_signature(parameters: Sequence[Parameter]) -> inspect.Signature:
    """Give the Python signature of a formula's parameters."""
    kinds = {
        True: inspect.Parameter.KEYWORD_ONLY,
        False: inspect.Parameter.POSITIONAL_OR_KEYWORD,
    }
    return inspect.Signature(
        [
            inspect.Parameter(
                p.name,
                kinds[p.after],
                default=p.default,
                annotation=inspect.Parameter.empty if p.space is None else p.space,
            )
            for p in parameters
        ]
    )


def spaces_of_results(
    body: Callable[..., Any], signature: Signature, count: int
) -> tuple[NamedSpace, ...] | None:
    """Find the axes of the results by writing the formula on what it declares; what fails has none.

    A call says why it fails.
    """
    anything: tuple[NamedSpace, ...] = (R,) * count

    def one(place: int, *args: Any, **kwargs: Any) -> Any:
        results = body(*args, **kwargs)
        return results[place] if isinstance(results, tuple) else results

    nodes: list[Any] = []
    open_ended = dataclasses.replace(signature, several=False)
    for place in range(count):
        part = functools.wraps(body)(functools.partial(one, place))
        try:
            nodes += Formula(part, open_ended).written().results
        except NamedTensorError:
            return anything if count > 1 else None
    told = [n for p in signature.parameters if p.space is not None for n in p.space.names]
    spaces = []
    for node in nodes:
        known = [n for n in dict.fromkeys(told) if n in node.type.names]
        ordered = [*known, *[n for n in node.type.names if n not in known]]
        spaces.append(R[tuple(map(Axis, ordered))])
    return tuple(spaces)
