"""Read the arguments of a call whose plan is known, from names to data, without checking anything twice.

The unusual (symbols, a first call, a mistake) is left to the formula itself, which also makes the errors.
"""

from __future__ import annotations

import inspect
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from namedtensor.compilers import keep
from namedtensor.formula.keys import ABSENT, gather, marked
from namedtensor.formula.outside import Bound, Outside, kind_of, kind_when_asked
from namedtensor.formula.signature import Parameter, Signature

#: How many kinds of parameters (dtypes, and settings of modules) are remembered for one formula.
MOST_KEYS = 128

#: For how many modules of one formula the values from their settings are remembered.
MOST_MODULES = 4096

#: Gives the data and dtypes of a module's parameters, or None for an unusual module.
Read = Callable[[Any, bool], tuple[list[Any], tuple[Any, ...]] | None]


class Rest(NamedTuple):
    """The values that settings and defaults add after a call's arguments, and their part of the key.

    `given` are the settings' values when this was made; numbers under the names in `floats` may become
    arguments of plans.
    """

    settings: Mapping[str, Any]
    given: tuple[Any, ...]
    key: tuple[Any, ...]
    floats: frozenset[str]


class Door:
    """Bind a call's values to a signature, and find what its plan depends on."""

    def __init__(self, signature: Signature) -> None:
        self.before = signature.before
        self.every = (*signature.before, *signature.after)
        # those whose floating numbers plans take as arguments, and numbers that plans were made for
        self.open: frozenset[str] = frozenset()
        self.seen: dict[str, set[str]] = {}
        kinds = {p.kind for p in signature.python.parameters.values()}
        self.plain = inspect.Parameter.POSITIONAL_ONLY not in kinds
        # whether states are declared, in bundles or without: a plain call then gives the new ones, if any
        self.states = any([p.state or (p.bundle and p.bundle.door.states) for p in self.every])
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
        return self.open if late else self.open.intersection([p.name for p in self.before])

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
            for own in self.before[:place]:
                if own.name in settings:
                    return None
        used = 0
        for own in (self.every if late else self.before)[place:]:
            if own.name in named:
                values.append(named[own.name])
                used += 1
                continue
            value = settings.get(own.name, own.default) if settings else own.default
            if value is inspect.Parameter.empty:
                return None
            values.append(value)
        return values if used == len(named) else None

    def rest(self, place: int, settings: Mapping[str, Any]) -> Rest | None:
        """Give the values after the first `place` arguments of a module, or None if calls differ in them."""
        found = self.rests.get((place, id(settings)))
        if found is None or not _unchanged(found, settings):
            found = self._new_rest(place, settings)
            if found is None:
                return None
            self.rests.pop((place, id(settings)), None)
            keep(self.rests, (place, id(settings)), found, MOST_MODULES)
        return found if found.floats.isdisjoint(self.open) else None

    def _new_rest(self, place: int, settings: Mapping[str, Any]) -> Rest | None:
        """Bind the values after the first `place` arguments, if settings and defaults alone give them."""
        own = self.before[place:]
        values = self.bind([None] * place, {}, settings, late=False)
        unusual = [p.name in self.open or p.bundle is not None or p.asked for p in own]
        if values is None or any(unusual):
            return None
        key: list[Any] = []
        arrays: list[Any] = []
        if gather(own, values[place:], key, arrays, modes=False) is None or arrays:
            return None
        floats = [p.name for p, v in zip(own, values[place:], strict=True) if type(v) is float]
        return Rest(settings, tuple(settings.values()), tuple(key), frozenset(floats))


def _unchanged(rest: Rest, settings: Mapping[str, Any]) -> bool:
    """Say whether these are the settings of a rest, with the values that they had."""
    same = rest.settings is settings and len(rest.given) == len(settings)
    return same and all(map(operator.is_, rest.given, settings.values()))


# ---------------------------------------------------------------------------- what modules hold


class Structure:
    """What a module holds: its formula, and the structure of each bundle and of each bundle of a stack.

    Modules that hold the same share one Structure. `missing` are the optional parameters that are left out.
    """

    __parameters__ = (
        "bundles",
        "formula",
        "key",
        "keys",
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
        self.keys: dict[Any, tuple[Any, ...]] = {}
        inside = [part.states for parts in bundles.values() for part in parts]
        self.states: bool = any([own.state for own in formula.signature.after]) or any(inside)
        self.read = _Reader(self).define()

    def key_of(self, module: Any, kinds: tuple[Any, ...], modes: bool) -> tuple[Any, ...]:
        """Give the part of a key for a module of this structure with parameters of these kinds."""
        key = self.keys.get((kinds, modes) if modes else kinds)
        if key is None:
            made = self.formula.arguments.key_after(module.named_values(), modes)
            key = keep(self.keys, (kinds, modes) if modes else kinds, made, MOST_KEYS)
        return key

    def mark_in(self, declared: Any) -> tuple[Any, ...]:
        """Give what stands in a key before a bundle of this structure."""
        if self.formula is declared and not self.settings:
            return ()
        return (marked(declared, self.formula, self.settings),)

    def __deepcopy__(self, memo: Any) -> Structure:
        return self

    def __reduce__(self) -> Any:
        return _none, ()  # the structure is looked for again


def _none() -> None:
    return None


_structures: dict[Any, Structure] = {}


def structure_of(module: Any) -> Structure | None:
    """Find what a module holds; None for an unusual module, such as one whose parameters are computed."""
    formula = module.formula
    bundles: dict[str, tuple[Structure, ...]] = {}
    missing = []
    for own in formula.signature.after:
        if own.bundle is not None:
            held = module._modules.get(own.name)
            if held is None and own.optional:
                missing.append(own.name)
                continue
            parts = (held,) if not own.stack else () if held is None else tuple(held)
            found = [structure_of(part) for part in parts if hasattr(part, "formula")]
            if len(found) < len(parts) or None in found:
                return None
            bundles[own.name] = tuple([part for part in found if part is not None])
        elif own.tensor and own.default is None:
            held = (module._buffers if own.state else module._parameters).get(own.name)
            if held is None:
                missing.append(own.name)
    settings = {n: v for n, v in module.settings.items() if n not in formula.parameters_after}
    if not settings.keys().isdisjoint(formula.signature.asked):
        return None
    inside = tuple([(name, tuple([p.key for p in parts])) for name, parts in bundles.items()])
    key = (marked(formula, formula, settings), inside, tuple(missing))
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
        self.scope: dict[str, Any] = {
            "kind_of": kind_of,
            "kind_when_asked": kind_when_asked,
        }
        self.serial = itertools.count()
        self.write(structure, "module")

    def fresh(self, stem: str, value: Any = None) -> str:
        """Make a new name; a value is stored under it among the function's globals."""
        name = f"{stem}_{next(self.serial)}"
        if value is not None:
            self.scope[name] = value
        return name

    def write(self, structure: Structure, module: str) -> None:
        parameters = structure.formula.signature.after
        held, kept = self.fresh("held"), self.fresh("kept")
        self.lines.append(f"{held} = {module}._parameters")
        if any([own.state for own in parameters]):
            self.lines.append(f"{kept} = {module}._buffers")
        for declared in parameters:
            own = self.fresh(declared.name)
            if declared.bundle is not None and declared.name in structure.missing:
                self.lines.append(
                    f"if {module}._modules.get({declared.name!r}) is not None: return None"
                )
                self.kinds.append(repr(ABSENT))
            elif declared.bundle is not None:
                self.lines.append(f"{own} = {module}._modules[{declared.name!r}]")
                inner = structure.bundles[declared.name]
                if not declared.stack:
                    self.bundle(declared, inner[0], own)
                    continue
                self.lines.append(f"if len({own}._modules) != {len(inner)}: return None")
                self.kinds.append(repr(len(inner)))
                for i, part in enumerate(inner):
                    layer = self.fresh(declared.name)
                    self.lines.append(f"{layer} = {own}._modules['{i}']")
                    self.bundle(declared, part, layer)
            elif declared.space is not None:
                owner = kept if declared.state else held
                if declared.name in structure.missing:
                    self.lines.append(f"if {owner}.get({declared.name!r}) is not None: return None")
                    self.kinds.append("None")
                    continue
                self.lines.append(f"{own} = {owner}[{declared.name!r}]")
                self.lines.append(f"if {own}.ndim != {len(declared.space.names)}: return None")
                self.arrays.append(own)
                self.kinds.append(f"{own}.dtype")
            else:
                # the key of a set is a constant to a compiler, which may make a number itself dynamic
                found = f"{module}.settings[{declared.name!r}]"
                if declared.default is not inspect.Parameter.empty:
                    default = self.fresh("default", [declared.default])
                    found = f"{module}.settings.get({declared.name!r}, {default}[0])"
                self.lines.append(f"{own} = next(iter({{{found}}}))")
                kind = f"kind_when_asked({own}, {declared.asked!r})" if declared.asked else ""
                self.kinds += [kind or f"kind_of({own})", own]

    def bundle(self, declared: Parameter, structure: Structure, own: str) -> None:
        """Read a module that holds a bundle."""
        formula = self.fresh("formula", structure.formula)
        self.lines.append(f"if {own}.formula is not {formula}: return None")
        for before in [p.name for p in structure.formula.signature.before if p.setting]:
            known = f"{before!r} in {own}.settings"
            if before in structure.settings:
                value = self.fresh("setting", [structure.settings[before]])
                known = f"not {known} or {own}.settings[{before!r}] != {value}[0]"
            self.lines.append(f"if {known}: return None")
        self.kinds += [self.fresh("mark", mark) for mark in structure.mark_in(declared.bundle)]
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
