"""A formula's signature: f : R^{seq x emb} -> R^{emb}, read from annotations."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, Union

from namedtensor.axes import Axis, NamedSize, distinct, parse_axes
from namedtensor.errors import AxisNameError, KindError
from namedtensor.formula.outside import asked_of
from namedtensor.operations.lifting import Declared


def named_size(name: str) -> str:
    """Mark the name of a size, so that it differs from names of axes."""
    return f"[{name}]"


class Space:
    """A set of tensors: R[key, seq] is R^{key x seq}; Z holds whole numbers, B truth values.

    R[seq[n], emb], with n of nt.sizes, names the size of seq: R[seq[m], emb] may have another. `stated` says
    where the sizes are given that the declaration leaves open.
    """

    __slots__ = ("axes", "kinds", "letter", "size_names", "stated")

    def __init__(
        self,
        letter: str,
        kinds: tuple[str, ...],
        axes: tuple[Axis, ...] = (),
        size_names: tuple[tuple[str, str], ...] = (),
        stated: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.letter = letter
        self.kinds = kinds
        self.axes = axes
        self.size_names = size_names
        self.stated = stated

    def __getitem__(self, axes: Any) -> Space:
        given = axes if isinstance(axes, tuple) else (axes,)
        named = tuple([(a.name, a.size) for a in given if isinstance(a, NamedSize)])
        parsed = parse_axes([Axis(a.name) if isinstance(a, NamedSize) else a for a in given])
        distinct(f"{self.letter}[{', '.join(map(repr, parsed))}]", parsed)
        return Space(self.letter, self.kinds, parsed, named)

    def __call__(self, *operands: Any, **named: Any) -> NoReturn:
        raise AxisNameError(
            f"{self!r}(...)",
            "a space says which axes an argument has, and makes no tensor",
            hint='`nt.ones("seq[3] emb[4]")` makes one; nt.tensor(data, "seq emb") names the axes of data',
        )

    def size_name(self, axis: str) -> str | None:
        """Give the name of an axis's size, if the declaration names it."""
        return dict(self.size_names).get(axis)

    def size_key(self, axis: str) -> str | None:
        """Give the marked name of an axis's size, if the declaration names it."""
        named = self.size_name(axis)
        return None if named is None else named_size(named)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([axis.name for axis in self.axes])

    def __or__(self, other: Any) -> Space:
        """Allow R[emb] | None (it may be left out) and R | float (it may be a number) for type checkers."""
        return self if other in _BESIDE else NotImplemented

    __ror__ = __or__

    def __repr__(self) -> str:
        texts = [
            f"{a.name}[{n}]" if (n := self.size_name(a.name)) is not None else repr(a)
            for a in self.axes
        ]
        return f"{self.letter}[{', '.join(texts)}]" if texts else self.letter

    def __reduce__(self) -> tuple[Any, ...]:
        return Space, (self.letter, self.kinds, self.axes, self.size_names, self.stated)

    def __eq__(self, other: object) -> bool:
        return (
            self.__reduce__() == other.__reduce__() if isinstance(other, Space) else NotImplemented
        )

    def __hash__(self) -> int:
        return hash((self.letter, self.axes))


#: What may stand beside a space: nothing, or a number of Python's.
_BESIDE = (None, type(None), bool, int, float, complex)


class MayBeLeftOut:
    """A declaration that may be written with | None, for what may be left out, as type checkers see it."""

    __slots__ = ()

    def __or__(self, other: Any) -> Any:
        return self if other in (None, type(None)) else NotImplemented


class StateSpace(MayBeLeftOut):
    """The declaration of a state: nt.State[R[chans]] is a tensor of R[chans] that calls update."""

    __slots__ = ("space",)

    def __init__(self, space: Space) -> None:
        self.space = space

    def __repr__(self) -> str:
        return f"State[{self.space}]"


class _States:
    """Declare a state, a value that one call leaves to the next, after the star: m: nt.State[R[chans]].

    A module keeps it as a buffer; a plain call takes it, and gives the new one beside its result.
    """

    def __getitem__(self, space: Any) -> StateSpace:
        if not isinstance(space, Space):
            raise AxisNameError(
                f"nt.State[{space!r}]",
                "a state is a tensor, and its space is not declared",
                hint="nt.State[R[seq, emb]], or nt.State[R] for a single number",
            )
        return StateSpace(space)

    def __call__(self, *given: Any, **named: Any) -> NoReturn:
        raise KindError(
            "State(...)",
            "it declares a parameter, and takes the state's space in brackets",
            hint="def f(X: R[seq, emb], *, name: nt.State[R[seq, emb]])",
        )

    def __repr__(self) -> str:
        return "State"


class Bundled(MayBeLeftOut):
    """The declaration of a bundle: nt.one[MHA], or nt.each[layer] for as many as there are."""

    __slots__ = ("formula", "stack")

    def __init__(self, formula: Any, stack: str) -> None:
        self.formula = formula
        self.stack = stack

    def __repr__(self) -> str:
        kind = {"": "one", "each": "each"}.get(self.stack)
        return f"{kind}[{self.formula.name}]" if kind else f'each[{self.formula.name}, "stacked"]'


class _Bundles:
    def __init__(self, word: str, stack: str, doc: str) -> None:
        self.word = word
        self.stack = stack
        self.__doc__ = doc

    def __getitem__(self, given: Any) -> Bundled:
        formula, *how = given if isinstance(given, tuple) else (given,)
        known = hasattr(formula, "signature") and hasattr(formula, "module")
        if not known or (how and (not self.stack or how != ["stacked"])):
            words = [getattr(part, "__name__", repr(part)) for part in (formula, *how)]
            raise AxisNameError(
                f"nt.{self.word}[{', '.join(words)}]",
                f"{words[0]} is no formula"
                if not known
                else f"{how[0]!r} is no way to hold bundles",
                hint='nt.one[MHA], nt.each[layer] or nt.each[layer, "stacked"], of formulas',
            )
        return Bundled(formula, "stacked" if how else self.stack)

    def __call__(self, *formulas: Any, **named: Any) -> NoReturn:
        name = getattr(formulas[0], "name", "MHA") if formulas else "MHA"
        raise AxisNameError(
            f"nt.{self.word}(...)",
            f"nt.{self.word} declares a parameter, and takes its formula in brackets",
            hint=f"`nt.{self.word}[{name}]`, as in def f(X: R[emb], *, part: nt.{self.word}[{name}])",
        )

    def __repr__(self) -> str:
        return self.word


if TYPE_CHECKING:
    # What type checkers see: a named tensor in the place of R[seq, emb]. mypy takes MYPY for true, and a
    # variable of type Any for any type (its plugin knows better); pyright takes a class that has
    # __class_getitem__, with anything in brackets.
    from namedtensor.tensor import NamedTensor

    MYPY = False
    if MYPY:
        R: Any
        Z: Any
        B: Any
        State: Any
        one: Any
        each: Any
    else:
        R: TypeAlias = NamedTensor
        Z: TypeAlias = NamedTensor
        B: TypeAlias = NamedTensor
        State: TypeAlias = NamedTensor

        class one(Any):
            def __class_getitem__(cls, formula: Any) -> Any: ...
            def __call__(self, *args: Any, **settings: Any) -> NamedTensor | Any: ...

        class each(tuple[one, ...]):
            def __class_getitem__(cls, formula: Any) -> Any: ...
            def __call__(self, *args: Any, **settings: Any) -> NamedTensor | Any: ...
            def __getattr__(self, name: str) -> Any: ...
else:
    #: Real tensors: R[seq, emb]; R alone is a single number.
    R = Space("R", ("float", "int", "bool", "complex"))
    #: Tensors of whole numbers, such as indices: Z[seq].
    Z = Space("Z", ("int",))
    #: Tensors of truth values, such as masks: B[seq].
    B = Space("B", ("bool",))
    State = _States()
    one = _Bundles(
        "one", "", "A bundle of parameters, for type checkers: att: nt.one[MHA] is att: MHA."
    )
    each = _Bundles(
        "each",
        "each",
        """As many bundles as a module is made with: layers: nt.each[layer].

        each[layer, "stacked"] holds them in tensors with one more axis, called as the parameter is.
        """,
    )


@dataclass(frozen=True, slots=True)
class Parameter:
    """One name of the signature: a tensor's space, a bundle's formula, a function to lift, or a setting.

    `after` says that it stands after the semicolon (the * in Python), as a parameter. `state` says that it is
    a state, `stack` that it is a list of bundles, `optional` that it is a bundle that may be left out, norm:
    LayerNorm = None, and `number` that a number may be given for it.
    """

    name: str
    space: Space | None
    bundle: Any
    after: bool
    default: Any
    state: bool = False
    lift: Any = None
    stack: bool = False
    #: Of a setting: the attributes that the body reads of it.
    asked: tuple[tuple[str, ...], ...] = ()
    # kept, because each call asks for them
    tensor: bool = field(init=False, compare=False)
    setting: bool = field(init=False, compare=False)
    optional: bool = field(init=False, compare=False)
    number: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        bundle = self.bundle is not None
        for name, value in (
            ("tensor", self.space is not None),
            ("setting", self.space is None and not bundle),
            ("optional", bundle and not self.stack and self.default is None),
            ("number", self.space is not None and not self.space.axes),
        ):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        if self.space is None:
            return self.name
        return f"{self.name}: {StateSpace(self.space) if self.state else self.space}"


@dataclass(frozen=True, slots=True)
class Signature:
    """What a formula takes and gives; its parameters stand `before` the semicolon or `after` it.

    `gives` may be a function that finds the spaces of the results when they are first needed.
    """

    parameters: tuple[Parameter, ...]
    gives: tuple[Space, ...] | Callable[[], tuple[Space, ...] | None] | None
    several: bool
    python: inspect.Signature
    before: tuple[Parameter, ...] = field(init=False, compare=False)
    after: tuple[Parameter, ...] = field(init=False, compare=False)
    asked: dict[str, tuple[tuple[str, ...], ...]] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", {p.name: p.asked for p in self.parameters if p.asked})
        object.__setattr__(self, "before", tuple([p for p in self.parameters if not p.after]))
        object.__setattr__(self, "after", tuple([p for p in self.parameters if p.after]))

    @property
    def results(self) -> tuple[Space, ...] | None:
        """The spaces of the results; None if they are not declared."""
        return self.gives() if callable(self.gives) else self.gives

    def __getitem__(self, name: str) -> Parameter:
        return next(p for p in self.parameters if p.name == name)

    def paths(self, before: str = "") -> Iterator[tuple[str, Space]]:
        """Give the paths of all tensors, those in bundles among them; of a stack, those of the first."""
        for p in self.parameters if not before else self.after:
            if p.bundle is not None:
                stack = ".0" if p.stack else ""
                yield from p.bundle.signature.paths(f"{before}{p.name}{stack}.")
            elif p.space is not None:
                yield f"{before}{p.name}", p.space

    def spaces(self) -> Iterator[Space]:
        """Give the spaces of all that it takes, those in bundles among them, and of what it gives."""
        for parameter in self.parameters:
            if parameter.bundle is not None:
                yield from parameter.bundle.signature.spaces()
            elif parameter.space is not None:
                yield parameter.space
        yield from self.results or ()

    def __str__(self) -> str:
        before, after = (", ".join(map(str, part)) for part in (self.before, self.after))
        text = f"({before}{'; ' if after else ''}{after})"
        return f"{text} -> {', '.join(map(repr, self.results))}" if self.results else text


def read_signature(function: Callable[..., Any], scope: dict[str, Any]) -> Signature:
    """Read the annotations of a function; `scope` holds the names where it was written."""
    annotations = _annotations(function, scope)
    python = inspect.signature(function)
    parameters = []
    for name, parameter in python.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise AxisNameError(
                f"@formula {function.__name__}",
                f"{parameter} has no declared axes",
                hint=f"name each argument: {name}1: R[seq], {name}2: R[seq]",
            )
        note = _not_optional(annotations.get(name))
        state = isinstance(note, StateSpace)
        declared = note.space if isinstance(note, StateSpace) else note
        space = declared if isinstance(declared, Space) else None
        bundle: Any = note if hasattr(note, "signature") and hasattr(note, "module") else None
        stack = ""
        if isinstance(note, Bundled):
            bundle, stack = note.formula, note.stack
        if stack == "stacked":
            bundle = bundle.stacked(name)
        lift = note if isinstance(note, Declared) else None
        after = parameter.kind is parameter.KEYWORD_ONLY
        what, said = (
            ("a function", lift)
            if lift is not None
            else ("a bundle of parameters", bundle.name)
            if bundle is not None
            else ("a state", f"nt.{note}")
        )
        if not after and (lift is not None or bundle is not None or state):
            raise AxisNameError(
                f"@formula {function.__name__}",
                f"{name} is {what} and stands before the *",
                hint=f"def {function.__name__}(X: R[seq], *, {name}: {said})",
            )
        if space is None and bundle is None and lift is None:
            _refuse_lost(function, name, note)
        many = stack == "each"
        code = getattr(function, "__code__", None)
        plain = code is not None and space is None and bundle is None
        asked = asked_of(code, name) if plain else ()
        parameters.append(
            Parameter(name, space, bundle, after, parameter.default, state, lift, many, asked)
        )
    result = _not_optional(annotations.get("return"))
    several = getattr(result, "__origin__", None) is tuple
    spaces: tuple[Any, ...] = getattr(result, "__args__", ()) if several else (result,)
    known = all(isinstance(s, Space) for s in spaces)
    if not known and _lost_in(result):
        raise AxisNameError(
            f"@formula {function.__name__}",
            f"the result is declared as {_in_words(result)}, which is no space",
            hint="-> R[seq, emb], or -> tuple[R[seq, emb], R] for several results",
        )
    return Signature(tuple(parameters), spaces if known else None, several, python)


def _not_optional(note: Any) -> Any:
    """Strip None and numbers from an annotation: R[emb] of Optional[R[emb]], R of Union[R, float]."""
    several = getattr(note, "__origin__", None) is Union
    left = [part for part in note.__args__ if part not in _BESIDE] if several else []
    return left[0] if len(left) == 1 else note


def _refuse_lost(function: Callable[..., Any], name: str, note: Any) -> None:
    """Raise AxisNameError for an annotation that mentions axes or formulas but declares nothing."""
    lost = _lost_in(note)
    if not lost:
        return
    formulas = [part.name for part in lost if hasattr(part, "module")]
    held = next((part.formula.name for part in lost if hasattr(part, "named_values")), "")
    spaces = [part for part in lost if not isinstance(part, Axis)]
    axes = ", ".join([repr(part) for part in lost if isinstance(part, Axis)])
    what, no = ("bundle", "parameters") if formulas or held else ("space", "axes")
    each = [f"{name}{i}: {said}" for i, said in enumerate(formulas or map(repr, spaces), 1)]
    if len(each) == 1:
        each.append(f"{name}2: {each[0].partition(': ')[2]}")
    hint = f"{name}: {held}" if held else f"{name}: R[{axes}]" if axes else ""
    raise AxisNameError(
        f"@formula {function.__name__}",
        f"{name}: {_in_words(note)} is no {what}, and a setting has no {no}",
        hint=hint or f"name each of them: {', '.join(each)}",
    )


def _lost_in(note: Any) -> list[Any]:
    """List what an annotation names that would declare something if it stood alone: list[R[emb]]."""
    if isinstance(note, type) or getattr(note, "__origin__", None) is Callable:
        return []  # a class, or a function of such tensors: settings
    ours = (Space, StateSpace, Bundled, Declared, Axis)
    if isinstance(note, ours) or hasattr(note, "module") or hasattr(note, "named_values"):
        return [note.formula if isinstance(note, Bundled) else note]
    inside = note if isinstance(note, (list, tuple)) else getattr(note, "__args__", ())
    return [part for each in inside for part in _lost_in(each)]


def _in_words(note: Any) -> str:
    """Write an annotation as its author did: formulas by their names."""
    inside = getattr(note, "__args__", ())
    if inside:
        return f"{getattr(note, '__name__', note)}[{', '.join(map(_in_words, inside))}]"
    if isinstance(note, (list, tuple)):
        return ", ".join(map(_in_words, note))
    if note is Ellipsis:
        return "..."
    if hasattr(note, "named_values"):
        return f"{note.formula.name}.module(...)"
    return getattr(note, "name" if hasattr(note, "module") else "__name__", repr(note))


def _annotations(function: Callable[..., Any], scope: dict[str, Any]) -> dict[str, Any]:
    """Evaluate annotations, also those that `from __future__ import annotations` left as text."""
    found = dict(inspect.get_annotations(function))
    names = {**function.__globals__, **scope, **_closure(function)}
    for name, note in found.items():
        if isinstance(note, str):
            try:
                found[name] = eval(note, names)
            except NameError as error:
                raise AxisNameError(
                    f"@formula {function.__name__}",
                    f"the annotation {name}: {note} names an axis that is not defined ({error})",
                    hint='define it first: seq, emb = nt.axes("seq emb")',
                ) from None
    return found


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # a variable that is assigned later
            found[name] = cell.cell_contents
    return found


def caller_scope(depth: int) -> dict[str, Any]:
    """Give the local names where a decorator stands."""
    return dict(sys._getframe(depth).f_locals)
