"""The key of a call's plan: what stands in it for each name, written, read back, and put into words.

    a tensor    its layout, or its tree where it is defined by its indices; None where it is left out
    a number    its kind and itself, or OPEN where the plan takes it as an argument; so a setting
    a bundle    ABSENT where it is left out; otherwise a mark, where its formula is not the declared one or
                it has settings, its mode, where the keys of the formula have modes, and what it holds
    a stack     how many bundles, and what stands for each

The mode of the call comes before all names, and what the body reads from outside after them. A graph compiler
holds constants alone: it is given the codes of layouts, and dtypes for those of a module's parameters.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from namedtensor.axes import shown
from namedtensor.backends import get_backend
from namedtensor.formula.bundle import Bundle, Stack, formula_of, settings_of
from namedtensor.formula.declared import Declared
from namedtensor.formula.outside import kind_of, kind_when_asked
from namedtensor.formula.signature import Parameter
from namedtensor.plans import Layout, layout_of
from namedtensor.primitives import Node
from namedtensor.tensor import NamedTensor, SymbolicTensor
from namedtensor.tensor.apply import NUMBERS, stand_in

#: Formulas by their numbers, which graph compilers hold where they cannot hold objects.
NUMBERED: WeakValueDictionary[str, Any] = WeakValueDictionary()

#: What stands in a key for a number that the plan takes as an argument.
OPEN = ("a number", "of any value")

#: What stands in a key for a bundle that is left out.
ABSENT = ("none",)


def marked(declared: Declared, formula: Declared, settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """Write as part of a key how a bundle differs from its declaration: another formula, or settings."""
    asked = formula.signature.asked
    return (
        "as",
        declared.number,
        formula.number,
        *[
            (n, kind_when_asked(v, asked[n]) if n in asked else kind_of(v), v)
            for n, v in settings.items()
        ],
    )


def marker(declared: Declared, value: Any) -> tuple[Any, ...] | None:
    """Give the part of a key that says how a bundle differs from its declaration, or None."""
    formula, settings = formula_of(declared, value), settings_of(value)
    if formula is declared and not settings:
        return None
    return marked(declared, formula, settings)


def mode_of(bundle: Any) -> bool | None:
    """Give the mode of a bundle's module, or None where its body has the mode of its caller."""
    mode: bool | None = getattr(bundle, "training", None)
    return mode


# ----------------------------------------------------------------- written for what is usual


def gather(
    parameters: Sequence[Parameter],
    values: Sequence[Any],
    key: list[Any],
    arrays: list[Any],
    modes: bool,
    opened: Collection[str] = (),
    indexed: bool = False,
) -> tuple[float, ...] | None:
    """Add what a plan depends on to `key`, and the data to `arrays`; give None if a value is unusual.

    Gives the numbers that the plan takes after the data: those under the names in `opened`. With `indexed`,
    tensors defined by their indices are not unusual: they have no data, and stand in the key. Arguments.read
    writes the same key for every value, or raises an error.
    """
    numbers: tuple[float, ...] = ()
    for own, value in zip(parameters, values):  # noqa: B905  strict is slow, and both are of one length
        if own.tensor:
            if type(value) is NamedTensor:
                key.append(value._layout)
                arrays.append(value._data)
            elif value is None and own.default is None:
                key.append(None)
            elif type(value) is float and own.name in opened:
                key += OPEN
                numbers = (*numbers, value)
            elif own.number and type(value) in NUMBERS:
                key += (kind_of(value), value)
            elif indexed and type(value) is SymbolicTensor and value.node.closed:
                key.append(value.node)
            else:
                return None
        elif own.bundle is not None:
            if not _gather_bundle(own, value, key, arrays, modes):
                return None
        elif value is inspect.Parameter.empty or type(value) is NamedTensor:
            return None
        elif type(value) is float and own.name in opened:
            key += OPEN
            numbers = (*numbers, value)
        elif own.asked:
            key += (kind_when_asked(value, own.asked), value)
        else:
            key += (kind_of(value), value)
    return numbers


def _gather_bundle(
    own: Parameter, value: Any, key: list[Any], arrays: list[Any], modes: bool
) -> bool:
    if not own.stack:
        return _gather_one(own, value, key, arrays, modes)
    if not isinstance(value, (list, tuple)):
        return False
    key.append(len(value))
    return all([_gather_one(own, part, key, arrays, modes) for part in value])


def _gather_one(own: Parameter, value: Any, key: list[Any], arrays: list[Any], modes: bool) -> bool:
    if value is None and own.optional:
        key.append(ABSENT)
        return True
    module = getattr(value, "gather", None) if type(value) is not Bundle else None
    if module is None and not isinstance(value, Bundle):
        return False
    if value.formula is not own.bundle:
        return False
    if value.settings and (mark := marker(own.bundle, value)) is not None:
        key.append(mark)
    if modes:
        key.append(value.training)
    if module is not None:
        return bool(module(key, arrays, modes))
    inside = value.formula.signature.after
    held = [getattr(value, part.name, part.default) for part in inside]
    return gather(inside, held, key, arrays, modes) is not None


# ------------------------------------------------------------------- read back, and in words


def value_of(own: Parameter, parts: deque[Any], modes: bool) -> Any:
    """Read back the part of a key for one name: layouts, codes and dtypes become stand-ins without data."""
    if own.stack:
        held = [_bundle_of(own, parts, modes) for _ in range(parts.popleft())]
        return Stack([bundle for bundle in held if bundle is not None])
    if own.bundle is not None:
        return _bundle_of(own, parts, modes)
    part = parts.popleft()
    if part is None:
        return None
    if own.space is None or isinstance(part, (type, tuple)):
        return parts.popleft()
    if not isinstance(part, (str, Layout, Node)):  # stored in declared order
        backend = get_backend("torch")
        part = layout_of(own.space.names, backend.kind_of(part), backend)
    return stand_in(part if isinstance(part, str) else part.code)


def _bundle_of(own: Parameter, parts: deque[Any], modes: bool) -> Bundle | None:
    formula, settings = own.bundle, {}
    if parts and parts[0] == ABSENT:
        parts.popleft()
        return None
    if parts and isinstance(parts[0], tuple) and parts[0][:2] == ("as", formula.number):
        _, _, number, *given = parts.popleft()
        formula, settings = NUMBERED[number], {n: v for n, _, v in given}
    mode = parts.popleft() if modes else None
    found = {inner.name: value_of(inner, parts, modes) for inner in formula.signature.after}
    return Bundle(formula, found, mode, settings)


def in_words(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Write the part of a key for one name as text for people."""
    if isinstance(value, Stack):
        yield f"len({path})", repr(len(value))
        for i, part in enumerate(value):
            yield from in_words(f"{path}.{i}", part)
    elif isinstance(value, Bundle):
        yield f"the formula of {path}", value.formula.name
        if value.training is not None:
            yield f"nt.training() of {path}", repr(value.training)
        for name, part in value._values.items():
            yield from in_words(f"{path}.{name}", part)
    elif isinstance(value, SymbolicTensor):
        yield path, repr(value.node)
    elif isinstance(value, NamedTensor):
        yield path, f"[{' '.join(map(shown, value.axes))}]"
    else:
        yield path, repr(value)
