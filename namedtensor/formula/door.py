"""The door of a formula for calls whose plan is known: names to data, with nothing checked twice.

What is unusual (symbols, a first call, a mistake) is left to the formula itself, which finds the words.
"""

from __future__ import annotations

import inspect
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from namedtensor.backends import get_backend
from namedtensor.compilers import keep
from namedtensor.formula.outside import Bound, Outside, kind_of
from namedtensor.formula.signature import Parameter, Signature
from namedtensor.plans import Layout, layout_of
from namedtensor.tensor import NamedTensor, SymbolicTensor
from namedtensor.tensor.apply import NUMBERS

#: Formulas by their numbers, which graph compilers hold where they cannot hold objects.
NUMBERED: WeakValueDictionary[str, Any] = WeakValueDictionary()

#: So many kinds of parameters are remembered for one formula: dtypes, and settings of modules.
MOST_KEYS = 128

#: Of so many modules of one formula it is remembered what their settings give.
MOST_MODULES = 4096

#: Data and dtypes of a module's parameters, or None of a module that is unusual.
Read = Callable[[Any, bool], tuple[list[Any], tuple[Any, ...]] | None]


#: What stands in a key for a number that the plan takes as an argument.
OPEN = ("a number", "of any value")


class Slot:
    """One name of a signature, with what a call asks of it made ready."""

    __slots__ = (
        "default",
        "formula",
        "layouts",
        "name",
        "names",
        "number",
        "open",
        "optional",
        "seen",
        "setting",
        "several",
        "state",
        "tensor",
    )

    def __init__(self, parameter: Parameter) -> None:
        self.name = parameter.name
        self.default = parameter.default
        self.formula = parameter.bundle
        self.setting = parameter.setting
        self.tensor = parameter.space is not None
        self.state = parameter.state
        self.several = parameter.stack
        self.optional = parameter.optional
        self.names = parameter.space.names if parameter.space is not None else ()
        self.number = self.tensor and not self.names
        self.layouts: dict[Any, Layout] = {}
        # whether plans take a floating number given here as an argument, and those they were made for
        self.open = False
        self.seen: set[str] = set()

    def layout(self, dtype: Any) -> Layout:
        """Give the layout of torch data of this dtype, stored in declared order."""
        found = self.layouts.get(dtype)
        if found is None:
            backend = get_backend("torch")
            found = layout_of(self.names, backend.kind_of(dtype), backend)
            self.layouts[dtype] = found
        return found


class Rest(NamedTuple):
    """What settings and defaults give behind a call's arguments, and what of it stands in keys.

    `given` are the settings' values when this was made; `floats` may become arguments of plans.
    """

    settings: Mapping[str, Any]
    given: tuple[Any, ...]
    key: tuple[Any, ...]
    floats: tuple[Slot, ...]


#: What stands in a key for a bundle that is left out.
ABSENT = ("none",)


class Door:
    """Bind a call's values to a signature, and read off what its plan depends on."""

    def __init__(self, signature: Signature) -> None:
        slots = [Slot(parameter) for parameter in signature.parameters]
        bundled = [Slot(parameter) for parameter in signature.parameters]
        kinds = {p.kind for p in signature.python.parameters.values()}
        after = [p.after for p in signature.parameters]
        self.before = tuple([s for s, late in zip(slots, after, strict=True) if not late])
        self.every = (*self.before, *[s for s, late in zip(slots, after, strict=True) if late])
        # those of modules, bundles and graph compilers, where numbers always count by value
        self.settled = tuple(bundled)
        self.after = tuple([s for s, late in zip(bundled, after, strict=True) if late])
        self.plain = inspect.Parameter.POSITIONAL_ONLY not in kinds
        # whether states are declared, in bundles or without: a plain call then gives the new ones, if any
        self.states = any([s.state or (s.formula and s.formula.door.states) for s in slots])
        # whether the body has asked for the mode, which is then part of keys: that of the call, and
        # that of each bundle
        self.asks = False
        # what the body, and those that it calls, read from outside: their values end the key
        self.outside = Outside()
        # what else their names stand for; once it is something else, the plans are forgotten
        self.bound = Bound({})
        # what modules give behind so many arguments, by the number of these and the settings' identity
        self.rests: dict[tuple[int, int], Rest] = {}

    def opened(self, late: bool) -> frozenset[str]:
        """List the names whose floating numbers are arguments of the plan."""
        return frozenset([s.name for s in (self.every if late else self.before) if s.open])

    def bind(
        self, args: Sequence[Any], named: Mapping[str, Any], settings: Mapping[str, Any], late: bool
    ) -> list[Any] | None:
        """Give each name's value in order, where all have one and only one.

        `settings` come before defaults; `late` asks for the names after the semicolon too.
        """
        place = len(args)
        if not self.plain or place > len(self.before):
            return None
        values = [*args]
        if settings:
            for slot in self.before[:place]:
                if slot.name in settings:
                    return None
        used = 0
        for slot in (self.every if late else self.before)[place:]:
            if slot.name in named:
                values.append(named[slot.name])
                used += 1
                continue
            value = settings.get(slot.name, slot.default) if settings else slot.default
            if value is inspect.Parameter.empty:
                return None
            values.append(value)
        return values if used == len(named) else None

    def rest(self, place: int, settings: Mapping[str, Any]) -> Rest | None:
        """Give what follows so many arguments of a module, or None where it is not the same at each call."""
        found = self.rests.get((place, id(settings)))
        if found is None or not _unchanged(found, settings):
            found = self._new_rest(place, settings)
            if found is None:
                return None
            self.rests.pop((place, id(settings)), None)
            keep(self.rests, (place, id(settings)), found, MOST_MODULES)
        for slot in found.floats:
            if slot.open:
                return None
        return found

    def _new_rest(self, place: int, settings: Mapping[str, Any]) -> Rest | None:
        """Bind what follows so many arguments, where it is made of settings alone."""
        slots = self.before[place:]
        values = self.bind([None] * place, {}, settings, late=False)
        if values is None or any([slot.open or slot.formula is not None for slot in slots]):
            return None
        key: list[Any] = []
        arrays: list[Any] = []
        if gather(slots, values[place:], key, arrays, modes=False) is None or arrays:
            return None
        floats = [s for s, value in zip(slots, values[place:], strict=True) if type(value) is float]
        return Rest(settings, tuple(settings.values()), tuple(key), tuple(floats))


def _unchanged(rest: Rest, settings: Mapping[str, Any]) -> bool:
    """Say whether these are the settings of a rest, with the values that they had."""
    same = rest.settings is settings and len(rest.given) == len(settings)
    return same and all(map(operator.is_, rest.given, settings.values()))


def mode_of(bundle: Any) -> bool | None:
    """Give the mode of a bundle's module, or None where its body has the mode of its caller."""
    mode: bool | None = getattr(bundle, "training", None)
    return mode


def gather(
    slots: Sequence[Slot],
    values: Sequence[Any],
    key: list[Any],
    arrays: list[Any],
    modes: bool,
    indexed: bool = False,
) -> tuple[float, ...] | None:
    """Add what a plan depends on to `key`, and the data to `arrays`; give None of what is unusual.

    Gives the numbers that the plan takes after the data. The key is the one that Arguments.read gives.
    `indexed` says that tensors defined by their indices are usual: they have no data, and are in the key.
    """
    numbers: tuple[float, ...] = ()
    for slot, value in zip(slots, values):  # noqa: B905  strict is slow, and both are of one length
        if slot.tensor:
            if type(value) is NamedTensor:
                key.append(value._layout)
                arrays.append(value._data)
            elif value is None and slot.default is None:
                key.append(None)
            elif slot.open and type(value) is float:
                key += OPEN
                numbers = (*numbers, value)
            elif slot.number and type(value) in NUMBERS:
                key += (kind_of(value), value)
            elif indexed and type(value) is SymbolicTensor and value.node.closed:
                key.append(value.node)
            else:
                return None
        elif slot.formula is not None:
            if not _gather_bundle(slot, value, key, arrays, modes):
                return None
        elif value is inspect.Parameter.empty or type(value) is NamedTensor:
            return None
        elif slot.open and type(value) is float:
            key += OPEN
            numbers = (*numbers, value)
        else:
            key += (kind_of(value), value)
    return numbers


# ---------------------------------------------------------------------------- what modules hold


class Structure:
    """What a module holds: the formula, and in each bundle, or each bundle of a stack, what that holds.

    Modules that hold the same have one structure. `missing` are optional parameters that are left out;
    `mark` is what stands in a key for a bundle of this structure where another formula is declared.
    """

    __slots__ = (
        "bundles",
        "formula",
        "key",
        "keys",
        "mark",
        "missing",
        "read",
        "settings",
        "states",
    )

    def __init__(
        self,
        formula: Any,
        bundles: dict[str, tuple[Structure, ...]],
        missing: frozenset[str],
        settings: dict[str, Any],
        key: Any,
    ) -> None:
        self.formula = formula
        self.bundles = bundles
        self.missing = missing
        self.settings = settings
        self.key = key
        self.mark = marked(formula, settings)
        self.keys: dict[Any, tuple[Any, ...]] = {}
        inside = [part.states for parts in bundles.values() for part in parts]
        self.states: bool = any([slot.state for slot in formula.door.after]) or any(inside)
        self.read = _Reader(self).define()

    def key_of(self, kinds: tuple[Any, ...], modes: bool) -> tuple[Any, ...]:
        """Give the part of a key for parameters of these kinds: layouts for dtypes."""
        key = self.keys.get((kinds, modes) if modes else kinds)
        if key is None:
            made = self.formula.arguments.key_after(kinds, modes)
            key = keep(self.keys, (kinds, modes) if modes else kinds, made, MOST_KEYS)
        return key

    def mark_in(self, declared: Any) -> tuple[Any, ...]:
        """Give what stands in a key before a bundle of this structure."""
        return (self.mark,) if self.formula is not declared or self.settings else ()

    def __deepcopy__(self, memo: Any) -> Structure:
        return self

    def __reduce__(self) -> Any:
        return _none, ()  # it is found again


def _none() -> None:
    return None


def marked(formula: Any, settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """Write a formula and settings as part of a key."""
    return ("as", formula.number, *[(n, kind_of(v), v) for n, v in settings.items()])


_structures: dict[Any, Structure] = {}


def structure_of(module: Any) -> Structure | None:
    """Find what a module holds; None of one that is unusual, such as one whose parameters are computed."""
    formula = module.formula
    bundles: dict[str, tuple[Structure, ...]] = {}
    missing = []
    for slot in formula.door.after:
        if slot.formula is not None:
            held = module._modules.get(slot.name)
            if held is None and slot.optional:
                missing.append(slot.name)
                continue
            parts = (held,) if not slot.several else () if held is None else tuple(held)
            found = [structure_of(part) for part in parts if hasattr(part, "formula")]
            if len(found) < len(parts) or None in found:
                return None
            bundles[slot.name] = tuple([part for part in found if part is not None])
        elif slot.tensor and slot.default is None:
            held = (module._buffers if slot.state else module._parameters).get(slot.name)
            if held is None:
                missing.append(slot.name)
    settings = {n: v for n, v in module.settings.items() if n not in formula.parameters_after}
    inside = tuple([(name, tuple([p.key for p in parts])) for name, parts in bundles.items()])
    key = (marked(formula, settings), inside, tuple(missing))
    try:
        structure = _structures.get(key)
    except TypeError:  # a setting without a hash, which a call refuses
        return None
    if structure is None:
        made = Structure(formula, bundles, frozenset(missing), settings, key)
        structure = keep(_structures, key, made, MOST_KEYS)
    return structure


class _Reader:
    """Write the function that reads a module's parameters, name by name.

    It gives their data, and their dtypes; a setting gives its type and its value among the dtypes, and
    with `modes` a bundle its mode. It is written out because graph compilers read every step of it, and
    gives None of a module that holds something else.
    """

    def __init__(self, structure: Structure) -> None:
        self.lines: list[str] = []
        self.arrays: list[str] = []
        self.kinds: list[str] = []
        self.modes: dict[int, str] = {}
        self.scope: dict[str, Any] = {"kind_of": kind_of}
        self.serial = itertools.count()
        self.write(structure, "module")

    def fresh(self, stem: str, value: Any = None) -> str:
        """Make a name that nothing else has, with its value where the function finds it outside."""
        name = f"{stem}_{next(self.serial)}"
        if value is not None:
            self.scope[name] = value
        return name

    def write(self, structure: Structure, module: str) -> None:
        slots = structure.formula.door.after
        held, kept = self.fresh("held"), self.fresh("kept")
        self.lines.append(f"{held} = {module}._parameters")
        if any([slot.state for slot in slots]):
            self.lines.append(f"{kept} = {module}._buffers")
        for slot in slots:
            own = self.fresh(slot.name)
            if slot.formula is not None and slot.name in structure.missing:
                self.lines.append(
                    f"if {module}._modules.get({slot.name!r}) is not None: return None"
                )
                self.kinds.append(repr(ABSENT))
            elif slot.formula is not None:
                self.lines.append(f"{own} = {module}._modules[{slot.name!r}]")
                inner = structure.bundles[slot.name]
                if not slot.several:
                    self.bundle(slot, inner[0], own)
                    continue
                self.lines.append(f"if len({own}._modules) != {len(inner)}: return None")
                self.kinds.append(repr(len(inner)))
                for i, part in enumerate(inner):
                    layer = self.fresh(slot.name)
                    self.lines.append(f"{layer} = {own}._modules['{i}']")
                    self.bundle(slot, part, layer)
            elif slot.tensor:
                owner = kept if slot.state else held
                if slot.name in structure.missing:
                    self.lines.append(f"if {owner}.get({slot.name!r}) is not None: return None")
                    self.kinds.append("None")
                    continue
                self.lines.append(f"{own} = {owner}[{slot.name!r}]")
                self.lines.append(f"if {own}.ndim != {len(slot.names)}: return None")
                self.arrays.append(own)
                self.kinds.append(f"{own}.dtype")
            else:
                # the key of a set is a constant to a compiler, which may make a number itself dynamic
                found = f"{module}.settings[{slot.name!r}]"
                if slot.default is not inspect.Parameter.empty:
                    default = self.fresh("default", [slot.default])
                    found = f"{module}.settings.get({slot.name!r}, {default}[0])"
                self.lines.append(f"{own} = next(iter({{{found}}}))")
                self.kinds += [f"kind_of({own})", own]

    def bundle(self, slot: Slot, structure: Structure, own: str) -> None:
        """Read a module that holds a bundle."""
        formula = self.fresh("formula", structure.formula)
        self.lines.append(f"if {own}.formula is not {formula}: return None")
        for before in [s.name for s in structure.formula.door.before if s.setting]:
            known = f"{before!r} in {own}.settings"
            if before in structure.settings:
                value = self.fresh("setting", [structure.settings[before]])
                known = f"not {known} or {own}.settings[{before!r}] != {value}[0]"
            self.lines.append(f"if {known}: return None")
        self.kinds += [self.fresh("mark", mark) for mark in structure.mark_in(slot.formula)]
        self.modes[len(self.kinds)] = f"{own}.training"
        self.kinds.append("")
        self.write(structure, own)

    def define(self) -> Read:
        body = "".join([f"        {line}\n" for line in self.lines])
        kinds = "".join([f"{kind}, " for kind in self.kinds if kind])
        both = "".join([f"{self.modes.get(i, kind)}, " for i, kind in enumerate(self.kinds)])
        source = (
            f"def read(module, modes):\n    try:\n{body}"
            f"        return [{', '.join(self.arrays)}], ({both}) if modes else ({kinds})\n"
            "    except (KeyError, AttributeError, TypeError):\n        return None\n"
        )
        exec(compile(source, "<namedtensor reader>", "exec"), self.scope)
        read: Read = self.scope["read"]
        return read


def _gather_bundle(slot: Slot, value: Any, key: list[Any], arrays: list[Any], modes: bool) -> bool:
    if not slot.several:
        return _gather_one(slot, value, key, arrays, modes)
    if not isinstance(value, (list, tuple)):
        return False
    key.append(len(value))
    return all([_gather_one(slot, part, key, arrays, modes) for part in value])


def _gather_one(slot: Slot, value: Any, key: list[Any], arrays: list[Any], modes: bool) -> bool:
    if value is None and slot.optional:
        key.append(ABSENT)
        return True
    own = getattr(value, "gather", None)
    if own is None or value.formula is not slot.formula or value.settings:
        return False
    if modes:
        key.append(value.training)
    return bool(own(key, arrays, modes))
