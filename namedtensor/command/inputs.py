"""The inputs of a formula that a command runs: given ones from a file, and random ones."""

from __future__ import annotations

import inspect
import math
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.axes import Axis, axes
from namedtensor.backends.lazy import np
from namedtensor.command.files import CommandError
from namedtensor.errors import NamedTensorError, nearest
from namedtensor.formula import Formula, Space
from namedtensor.formula.signature import Parameter
from namedtensor.shape import spaced
from namedtensor.tensor import tensor

#: Sizes of axes for which none is given.
SIZES = (3, 4, 2, 5, 6, 7)
#: The most numbers that a tensor of a command may have: 1 GiB of them.
MOST = 1 << 27
#: The most digits of a size; more than that are a mistake.
DIGITS = 18
EMPTY = inspect.Parameter.empty
_KEY = re.compile(r"([^\[\]]+?)\s*(?:\[(.*)\])?")


@dataclass(frozen=True, slots=True)
class Input:
    """One tensor that a formula takes: its path in the signature, its space, and its default."""

    path: str
    space: Space
    default: Any = EMPTY


def inputs_of(formula: Formula) -> list[Input]:
    """List the tensors that a formula takes; the parameters of a bundle have paths such as mha.WQ."""
    return [i for p in formula.signature.parameters for i in _inputs(p, p.name)]


def _inputs(parameter: Parameter, path: str) -> Iterator[Input]:
    if parameter.bundle is not None:
        for part in parameter.bundle.signature.parameters:
            if part.after:
                yield from _inputs(part, f"{path}.{part.name}")
    elif parameter.space is not None:
        yield Input(path, parameter.space, parameter.default)


def read_sizes(words: Sequence[str]) -> dict[str, int]:
    """Read `--size key=64 seq=5`; a comma may separate them too.

    Raises: CommandError for a word that gives no size.

    >>> read_sizes(["key=64,val=8", "seq'=5"])
    {'key': 64, 'val': 8, "seq'": 5}
    """
    found = {}
    for word, name, size in _pairs(words):
        if not name or not size.isdecimal():
            raise CommandError(f"--size {cut(word)}: a size is written axis=number, as key=64")
        if len(size) > DIGITS:
            raise CommandError(f"--size {cut(word)}: a size has at most {DIGITS} digits")
        found[name] = int(size)
    return found


def read_numbers(words: Sequence[str]) -> dict[str, float]:
    """Read `--bind L=6 epsilon=1e-6`.

    Raises: CommandError for a word that gives no number.

    >>> read_numbers(["L=6", "epsilon=1e-6"])
    {'L': 6, 'epsilon': 1e-06}
    """
    found: dict[str, float] = {}
    for word, name, number in _pairs(words):
        if number.isdecimal() and len(number) > DIGITS:
            raise CommandError(f"--bind {cut(word)}: a whole number has at most {DIGITS} digits")
        try:
            found[name] = int(number) if number.isdecimal() else float(number)
        except ValueError:
            found.pop(name, None)
        if name not in found or not name.isidentifier():
            raise CommandError(f"--bind {cut(word)}: a number is written name=number, as L=6")
    return found


def cut(word: str, most: int = 60) -> str:
    """Shorten a word of the command line for a message.

    >>> cut("key=" + "9" * 5000, 12)
    'key=99999...'
    """
    return word if len(word) <= most else word[: most - 3] + "..."


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Take words such as key=64 apart."""
    for word in ",".join(words).replace(",", " ").split():
        name, _, value = word.partition("=")
        yield word, name, value


# --------------------------------------------------------------------------------------- given


def given_arrays(file: str, inputs: Sequence[Input]) -> dict[str, Any]:
    """Read the tensors of an .npz file.

    The key of an array in the file is the name of an input, `Q`, if its axes are in the order of the
    declaration; else the key lists them too, `Q[batch seq' key]`.

    Raises: CommandError where the file cannot be read, or an array is no input of the formula.
    """
    try:
        with zipfile.ZipFile(file), np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror or error}") from None
    except (ValueError, zipfile.BadZipFile) as error:
        raise CommandError(f"{file}: not an .npz file of arrays ({error})") from None
    known = {i.path: i for i in inputs}
    found = {}
    for key, array in arrays.items():
        match = _KEY.fullmatch(key)
        path = match[1] if match else key
        if match is None or path not in known:
            guess = nearest(path, known)
            hint = f"did you mean {guess}?" if guess else f"there are: {', '.join(known)}"
            raise CommandError(f"{file}: the formula has no input {key}; {hint}")
        found[path] = _named(file, key, array, match[2], known[path].space)
    return found


def _named(file: str, key: str, array: Any, own: str | None, space: Space) -> Any:
    """Name the axes of an array."""
    try:
        named = _axes(own) if own is not None else space.axes
    except NamedTensorError as error:
        raise CommandError(f"{file}: {error}") from None
    if len(named) != array.ndim:
        order = " ".join(a.name for a in named) or "no axes"
        raise CommandError(
            f"{file}: {key} has {array.ndim} axes of sizes {array.shape}, and {space} has "
            f"{len(named)}: {order}; an array with more axes names them all: {key}[batch {order}]"
        )
    return tensor(array, *[Axis(a.name) for a in named])


def _axes(text: str) -> tuple[Axis, ...]:
    found = axes(text) if text.strip() else ()
    return found if isinstance(found, tuple) else (found,)


# -------------------------------------------------------------------------------------- random


def drawn(
    inputs: Sequence[Input], given: Mapping[str, Any], sizes: Mapping[str, int], seed: int
) -> dict[str, Any]:
    """Give the inputs that are given, and draw at random those that are not and have no default.

    Raises: CommandError for the size of an axis that no input has, or has otherwise.
    """
    for path, X in given.items():
        for name, size in X.sizes:
            if sizes.get(name, size) != size:
                raise CommandError(
                    f"--size {name}={sizes[name]}: {name} is {size} in {path}, as given"
                )
    every = {a.name: a.size for i in inputs for a in i.space.axes}
    for X in given.values():
        every |= {name: size for name, size in X.sizes if not isinstance(every.get(name), int)}
    known = all_sizes(every, sizes)
    source = np.random.default_rng(seed)
    found = {}
    for one in inputs:
        if one.path in given:
            found[one.path] = given[one.path]
        elif one.default is EMPTY:
            shape = tuple([known[a.name] for a in one.space.axes])
            refuse_large(one.path, dict(zip(one.space.names, shape, strict=True)))
            array = _draw(source, one.space.letter, shape)
            found[one.path] = tensor(array, *[Axis(a.name) for a in one.space.axes])
    return found


def refuse_large(name: str, sizes: Mapping[str, int]) -> None:
    """Raise CommandError where a tensor of these sizes would be too large to compute."""
    if math.prod(sizes.values()) > MOST:
        raise CommandError(
            f"{name} would be {spaced(sizes.items())}, {math.prod(sizes.values()):,} numbers; "
            f"a command computes at most {MOST:,}"
        )


def _draw(source: np.random.Generator, letter: str, shape: tuple[int, ...]) -> Any:
    if letter == "B":
        return source.random(shape) < 0.5
    return source.integers(0, 2, shape) if letter == "Z" else source.standard_normal(shape)


def all_sizes(every: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, int]:
    """Give every axis a size: the one asked for, else its declared one, else a small one.

    seq' gets the size of seq unless it has a size of its own.

    Raises: CommandError for the size of an axis that is not there.
    """
    for name in sizes:
        if name not in every:
            guess = nearest(name, every)
            hint = f"did you mean {guess}?" if guess else f"there are: {', '.join(every) or 'none'}"
            raise CommandError(f"--size {name}={sizes[name]}: no input has an axis {name}; {hint}")
    known = {name: size for name, size in every.items() if isinstance(size, int)} | dict(sizes)
    fresh = iter(SIZES * len(every))
    for name in every:
        stem = name.rstrip("'*")
        if name not in known:
            known[name] = known[stem] if stem in known else next(fresh)
            known.setdefault(stem, known[name])
    return known


def as_arguments(found: Mapping[str, Any]) -> dict[str, Any]:
    """Turn paths into arguments of the formula; the parameters of a bundle become a dict."""
    values: dict[str, Any] = {}
    for path, X in found.items():
        *outer, last = path.split(".")
        place = values
        for word in outer:
            place = place.setdefault(word, {})
        place[last] = X
    return values
