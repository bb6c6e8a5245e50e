"""Find the kinds of number that a body needs for an R, which accepts truth values and whole numbers too.

A body that indexes by an argument, or uses it as truth values, runs only with such numbers. So arguments
declared R are tried with other kinds before a fault is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from namedtensor.errors import KindError, NamedTensorError
from namedtensor.formula.declared import Declared
from namedtensor.formula.signature import Space

#: The kinds that an R is tried with, and what declares them; complex numbers have no letter.
LETTERS = {"int": "Z", "bool": "B", "complex": ""}
#: The most arguments that are given other kinds, one after another.
MOST_ROUNDS = 4

Trial = Callable[[Mapping[str, str]], NamedTensorError | None]


def fitting(paths: list[str], error: NamedTensorError, trial: Trial) -> dict[str, str]:
    """Give kinds for arguments that are declared R with which a body has no fault, or none.

    `trial` runs the body with some kinds, and gives its fault.
    """
    kinds: dict[str, str] = {}
    found: NamedTensorError | None = error
    for _ in range(MOST_ROUNDS):
        if not isinstance(found, KindError):
            break
        rest = [path for path in paths if path not in kinds]
        for each in _choices(rest):
            after = trial(kinds | each)
            if not _is_same(found, after):
                for path in list(each) if len(each) > 1 else []:  # drop those not needed
                    fewer = {p: k for p, k in each.items() if p != path}
                    if fewer and str(trial(kinds | fewer)) == str(after):
                        each = fewer
                kinds |= each
                found = after
                break
        else:
            return {}
    return kinds if found is None else {}


def _choices(paths: list[str]) -> Iterator[dict[str, str]]:
    one = ({path: kind} for kind in LETTERS for path in paths)
    return chain(one, (dict.fromkeys(paths, kind) for kind in LETTERS if len(paths) > 1))


def _is_same(error: NamedTensorError, other: NamedTensorError | None) -> bool:
    """Say whether a fault is still there, in words that name the other kind."""
    return isinstance(other, KindError) and other.places == error.places


def real(formula: Declared) -> dict[str, Space]:
    """Give the tensors that a formula declares R, by their paths: X, att.WQ."""
    found: dict[str, Space] = {}
    for parameter in formula.signature.parameters:
        if parameter.bundle is not None and not parameter.stack:
            inner = real(parameter.bundle)
            after = {p.name for p in parameter.bundle.signature.after}
            found |= {
                f"{parameter.name}.{path}": space
                for path, space in inner.items()
                if path.partition(".")[0] in after
            }
        elif parameter.space is not None and parameter.space.letter == "R":
            found[parameter.name] = parameter.space
    return found
