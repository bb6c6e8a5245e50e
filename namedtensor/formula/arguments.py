"""The arguments of a call: bound to names, listed as tensors, written as codes, handed to the body."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from namedtensor.axes import naming, typed_order
from namedtensor.backends.lazy import is_number, np
from namedtensor.compilers import compiling, constant_for_compilers
from namedtensor.errors import (
    AxisNameError,
    BackendError,
    KindError,
    NamedTensorError,
    kind_of_thing,
    nearest,
)
from namedtensor.formula.alike import Alike, rows_of
from namedtensor.formula.bundle import (
    Bundle,
    Stack,
    formula_of,
    layer_in,
    layers_of,
    opened,
    settings_of,
)
from namedtensor.formula.door import Door
from namedtensor.formula.keys import ABSENT, OPEN, in_words, marker, mode_of, value_of
from namedtensor.formula.lifting import Leaf, tensors_of
from namedtensor.formula.outside import kind_of, kind_when_asked, values_now
from namedtensor.formula.signature import Parameter, Signature, Space
from namedtensor.formula.state import Cell, Frame
from namedtensor.primitives.node import number
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor, SymbolicTensor, tensor
from namedtensor.tensor.labels import caller_labels


@dataclass(slots=True)
class Given:
    """What a formula is called with: values by name, the tensors among them, and the key of its plan.

    `numbers` are the numbers that the plan takes as arguments after the data; the key does not contain them.
    `mode` says whether the body runs in training. For a stack whose bundles are alike, the leaves are those
    of its first bundle, `rows` has the data of every bundle, and `again` reads each bundle by itself.
    """

    values: dict[str, Any]
    mode: bool
    leaves: list[Leaf] = field(default_factory=list)
    key: tuple[Any, ...] = ()
    numbers: dict[str, float] = field(default_factory=dict)
    together: bool = False
    rows: list[tuple[Alike, list[list[Any]]]] = field(default_factory=list)
    again: Callable[[], Given] | None = None

    @property
    def data(self) -> list[Any]:
        """The arrays and numbers that the plan is run on."""
        found = [X.data for X in tensors_of(self.leaves)]
        for alike, rows in reversed(self.rows):
            found[alike.start : alike.start + alike.width] = [x for row in rows for x in row]
        return [*found, *self.numbers.values()]

    def apart(self) -> Given:
        """Read the call again, with the leaves of every bundle in stacks whose bundles are alike."""
        return self if self.again is None else self.again()


@constant_for_compilers
def refuse(call: str, why: str, hint: str, given: tuple[tuple[str, str], ...] = ()) -> NoReturn:
    """Raise the error of a call that does not fit the signature; graph compilers do not trace into this."""
    raise NamedTensorError(call, why, given, hint) from None


def _meant(word: str, names: Sequence[str]) -> str | None:
    """Find the name that is meant by a misspelt one: first among those that differ only in case."""
    same = [name for name in names if name.lower() == word.lower()]
    return same[0] if same else nearest(word, names)


class Arguments:
    """Read the arguments of a call as the formula's signature declares them."""

    def __init__(self, name: str, signature: Signature, door: Door) -> None:
        self.name = name
        self.signature = signature
        self.door = door
        # a graph compiler must find it written
        self.said = "" if callable(signature.gives) else f"{name}{signature}"

    def __repr__(self) -> str:
        return self.said or f"{self.name}{self.signature}"

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        try:
            bound = self.signature.python.bind(*args, **kwargs)
        except TypeError as error:
            labels = () if compiling() else caller_labels(args)
            given = tuple(shapes(*args, labels=labels))
            names = self.signature.python.parameters
            odd = next((name for name in kwargs if name not in names), "")
            left = [n for n in list(names)[len(args) :] if n not in kwargs]
            guess = None if compiling() or not odd else _meant(odd, left)
            why = f"it has no argument {odd}; did you mean {guess}?" if guess else str(error)
            if odd and not guess and "unexpected" not in why:
                why = f"it has no argument {odd}"
            hint = self._by_name(labels, kwargs) or self.said or repr(self)
            refuse(f"{self.name}(...)", why, hint, given)
        bound.apply_defaults()
        return bound.arguments

    def _by_name(self, labels: Sequence[str], kwargs: Mapping[str, Any]) -> str:
        """Write a call that gives parameters by their places with their names; "" if it is no such call."""
        every = self.signature.python.parameters.values()
        named = [p.name for p in every if p.kind is p.KEYWORD_ONLY]
        first = len(self.signature.python.parameters) - len(named)
        if not first < len(labels) <= len(every) or kwargs:
            return ""
        given = zip(named, labels[first:], strict=False)
        code = ", ".join([*labels[:first], *[f"{name}={label}" for name, label in given]])
        return f"parameters go by name: `{self.name}({code})`"

    def read(
        self,
        values: dict[str, Any],
        mode: bool,
        opened: Collection[str] = (),
        every: bool = False,
        together: bool = False,
    ) -> Given:
        """List the tensors of a call, and what else its plan depends on.

        The plan takes floating numbers under the names in `opened` as arguments. With `every`, the modes are
        part of the key even if the body does not ask for them. With `together`, of bundles that are alike
        only the first is read.
        """
        given = Given(values, mode, together=together and not compiling())
        modes = every or self.door.asks or compiling()
        key: list[Any] = [mode] if modes else []
        for parameter in self.signature.parameters:
            name, value = parameter.name, values[parameter.name]
            if name in opened and type(value) is float:
                given.numbers[name] = value
                key += OPEN
            else:
                self._read_one(parameter, name, value, given, key, modes)
        if given.rows:
            if any([leaf.state for leaf in given.leaves]):
                return self.read(values, mode, opened, every)
            given.again = functools.partial(self.read, values, mode, opened, every)
        if not compiling() and self.door.outside:  # a compiler would watch it
            key.append(values_now(self.door.outside))
        given.key = tuple(key)
        return given

    def _read_one(
        self,
        parameter: Parameter,
        path: str,
        value: Any,
        given: Given,
        key: list[Any],
        modes: bool,
    ) -> None:
        leaves = given.leaves
        if isinstance(value, Cell):
            value = value.value
        if parameter.optional and value is None:
            key.append(ABSENT)
        elif parameter.stack and self._read_alike(parameter, path, value, given, key, modes):
            pass
        elif parameter.bundle is not None:
            parts = opened(parameter, value, path)
            if parameter.stack:
                key.append(len(parts))
            else:
                mark = marker(parameter.bundle, value)
                if mark is not None:
                    key.append(mark)
                if modes:
                    key.append(mode_of(value))
            for name, (inner, part) in parts.items():
                self._read_one(inner, f"{path}.{name}", part, given, key, modes)
        elif parameter.space is None:
            key += [kind_when_asked(value, parameter.asked), self._setting(path, value)]
        elif value is None and parameter.default is None:
            key.append(None)
        elif isinstance(value, SymbolicTensor):
            leaves.append(Leaf(path, parameter.space, value, parameter.state))
            key.append(value.node)
        elif isinstance(value, NamedTensor):
            leaves.append(Leaf(path, parameter.space, value, parameter.state))
            key.append(value.layout)
        else:
            key += [kind_of(value), self._number(path, parameter.space, value, parameter.state)]

    def _read_alike(
        self, parameter: Parameter, path: str, value: Any, given: Given, key: list[Any], modes: bool
    ) -> bool:
        """Read the first bundle in place of all if they are alike; say whether they are."""
        known = getattr(value, "alike", None)
        if known is None and not given.together:
            return False
        held = layers_of(parameter, value, path)
        rows = None if known is not None else rows_of(held)
        one = len(held) > 1 and all([part is held[0] for part in held])
        if known is None and rows is None and not (one and isinstance(held[0], Bundle)):
            return False
        key.append(len(held))
        before, start = len(key), len(tensors_of(given.leaves))
        # a stack inside of one is a part of its row
        together, given.together = given.together, False
        self._read_one(layer_in(parameter, 0), f"{path}.0", held[0], given, key, modes)
        given.together = together
        key += key[before:] * (len(held) - 1)
        if rows is not None:
            given.rows.append((Alike(path, len(rows), start, len(rows[0])), rows))
        return True

    def _setting(self, path: str, value: Any) -> Any:
        if isinstance(value, NamedTensor):
            raise AxisNameError(
                f"{self.name}(..., {path}, ...)",
                f"{path} is a named tensor, and {self.name} declares no axes for it",
                shapes(value, labels=[path]),
                f"declare them: {path}: R[{typed_order(value.axes)}]"
                if value.axes
                else f"declare it: {path}: R",
            )
        try:
            hash(value)
        except TypeError:
            raise KindError(
                f"{self.name}(..., {path}, ...)",
                f"{path} is {kind_of_thing(value)}, which cannot tell one plan from another",
                hint=f"`tuple({path})`: a setting is a number, a string or a tuple; an array gets its axes "
                "declared"
                if isinstance(value, (list, set))
                else "a setting is a number, a string or a tuple; an array gets its axes declared",
            ) from None
        return value

    def _number(self, path: str, space: Space, value: Any, state: bool) -> Any:
        number = is_number(value) and not space.axes
        if number and not state:
            return value
        raise BackendError(
            f"{self.name}(..., {path}, ...)",
            f"{path} is {kind_of_thing(value)}, and {self.name} takes a named tensor of {space}",
            hint=naming(path, value, space.names),
        )

    def named_numbers(self, values: dict[str, Any], tracing: bool = False) -> dict[str, Any]:
        """Make named tensors without axes of the numbers of a call without tensors, in a trace symbols."""
        spaces = {p.name: p.space for p in self.signature.parameters}
        data = {
            name: np.asarray(value)
            for name, value in values.items()
            if spaces[name] is not None and is_number(value)
        }
        found = {
            n: SymbolicTensor(number(x.item())) if tracing else tensor(x) for n, x in data.items()
        }
        return {**values, **found}

    def parts_of(self, key: Sequence[Any]) -> Iterator[tuple[str, str]]:
        """Write each part of a key for a reader: the axes of tensors, the values of settings."""
        parts = deque(key)
        modes = bool(parts) and isinstance(parts[0], bool)
        if modes:
            yield "nt.training()", repr(parts.popleft())
        for own in self.door.every:
            yield from in_words(own.name, value_of(own, parts, modes))
        for values in parts:
            for read, value in zip(self.door.outside, values, strict=False):
                yield repr(read), repr(value[1] if type(value) is tuple else value)

    def of_key(self, key: Sequence[Any]) -> Given:
        """Undo `read`: read the parts of a key, with layouts as codes, as stand-ins without data."""
        parts = deque(key)
        mode = parts.popleft()
        return self.read({p.name: value_of(p, parts, True) for p in self.door.every}, mode)

    def key_after(self, held: Mapping[str, Any], modes: bool) -> tuple[Any, ...]:
        """Give the part of a key that describes the parameters after the semicolon that a module holds."""
        key: list[Any] = []
        given = Given({}, True, together=True)
        for own in self.signature.after:
            self._read_one(own, own.name, held.get(own.name, own.default), given, key, modes)
        return tuple(key)

    def entered(
        self,
        parameter: Parameter,
        path: str,
        value: Any,
        entered: dict[str, Any],
        frame: Frame,
    ) -> Any:
        """Turn an argument into what the body receives, such as a Bundle; put its states into the frame."""
        if parameter.optional and value is None:
            return None
        known = entered.get(path, getattr(value, "alike", None)) if parameter.stack else None
        if known is not None:
            held = layers_of(parameter, value, path)
            layer = self.entered(layer_in(parameter, 0), f"{path}.0", held[0], entered, frame)
            return Stack.of(layer, known)
        if parameter.bundle is not None:
            inside = {
                name: self.entered(inner, f"{path}.{name}", part, entered, frame)
                for name, (inner, part) in opened(parameter, value, path).items()
            }
            if parameter.stack:
                for bundle in inside.values():
                    bundle._layer = True
                return Stack(inside.values())
            formula = formula_of(parameter.bundle, value)
            return Bundle(formula, inside, mode_of(value), settings_of(value))
        if parameter.lift is not None:
            return parameter.lift(parameter.name, value)
        if isinstance(value, Cell):
            value = value.value
        found = entered.get(path, value)
        if parameter.state and parameter.space is not None and found is not None:
            cell = frame.cell(path, parameter.space, found)
            return cell if "." in path else found
        return found
