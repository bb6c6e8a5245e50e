"""Formulas of a document, and families of them: signatures from declarations, bodies from definitions."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    IndexRangeError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.formula.bundle import Bundle
from namedtensor.formula.formula import Formula
from namedtensor.formula.signature import Parameter, Signature
from namedtensor.latex.documents.along import axis_along, bare
from namedtensor.latex.documents.asked import Asked
from namedtensor.latex.documents.bodies import Body
from namedtensor.latex.documents.failures import LatexError, failure, shown
from namedtensor.latex.documents.inputs import Input, Linked
from namedtensor.latex.documents.reach import Linker
from namedtensor.latex.documents.scopes import Defined, Names
from namedtensor.latex.documents.scripts import Indices, fold, key, numbered
from namedtensor.latex.documents.signatures import (
    axes_along,
    identifiers,
    lettered_sizes,
    named_space,
    python_name,
    python_signature,
    spaces_of_results,
    where_stated,
    with_stated_sizes,
)
from namedtensor.latex.findings import Finding
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import AxisName, Expression, SizedAxis, Space
from namedtensor.operations.constants import FULL, made
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula


class OpenFormula(Formula[..., Any]):
    """A formula of arguments that are declared nowhere: each call may give them axes of its own tensors."""

    def __init__(self, body: Any, signature: Signature, anew: Callable[..., Any]) -> None:
        super().__init__(body, signature)
        self._anew = anew

    def call_any(self, args: Sequence[Any], named: Mapping[str, Any], module: Any = None) -> Any:
        try:
            return super().call_any(args, named, module)
        except (AxisClashError, AxisMissingError):
            other = self._anew(args, named) if module is None else None
            if other is None:
                raise
        return other.call_any(args, named)


class Library:
    """The formulas of a document, each made once.

    `bound` are numbers that its user has chosen for sizes and lengths, `settings` those for small
    numbers such as epsilon.
    """

    def __init__(
        self,
        source: Source,
        names: Names,
        bound: Mapping[str, int] | None = None,
        settings: Mapping[str, float] | None = None,
    ) -> None:
        self.source = source
        self.names = names
        self.linker = Linker(names, bound)
        self.settings = dict(settings or {})
        self._formulas: dict[Linked, Formula] = {}
        self._identifiers: dict[Linked, dict[str, str]] = {}
        self._opened: dict[Any, Formula] = {}

    # ------------------------------------------------------------------------------- formulas

    def formula(self, linked: Linked) -> Formula:
        """Give the formula of a linked definition.

        Raises: LatexError where one of its arguments is declared nowhere.
        """
        if linked not in self._formulas:
            made = self._formulas[linked] = self._make(linked)
            made.made_by = Library.of, (self, linked.defined, linked.indices)
        return self._formulas[linked]

    def __reduce__(self) -> tuple[Any, ...]:
        return Library, (self.source, self.names, self.linker.bound, self.settings)

    def of(self, defined: Defined, indices: Indices | None = None) -> Formula:
        """Give the formula of a definition, or of a member of a family."""
        return self.formula(self.linker.linked(defined, indices))

    def _make(self, linked: Linked) -> Formula:
        if linked.unbound:
            raise self.unbound(linked, linked.unbound, linked.key)
        if _holds(linked, linked, set()):
            raise self.circular(linked.defined)
        self._hold_distinct(linked)
        spaces = [
            found.space and with_stated_sizes(self.names, linked, found.space, self.linker.bound)
            for found in linked.inputs
        ]
        lettered = lettered_sizes(linked, spaces, self.names)
        parameters = [
            self._parameter(linked, found, space, lettered)
            for found, space in zip(linked.inputs, spaces, strict=True)
        ]
        python = python_signature(parameters)
        count = len(linked.defined.results)
        keys = {p.name: i.key for p, i in zip(parameters, linked.inputs, strict=True)}
        body = self._function(linked, python, keys)
        signature = Signature(tuple(parameters), None, count > 1, python)
        if linked.result is not None and count == 1:
            gives: Any = (named_space(linked.result, self.linker.bound),)
        else:
            gives = functools.cache(functools.partial(spaces_of_results, body, signature, count))
        signature = dataclasses.replace(signature, gives=gives)
        if not any(found.inferred for found in linked.arguments):
            return Formula(body, signature)
        return OpenFormula(body, signature, functools.partial(self._anew, linked))

    def _anew(self, linked: Linked, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Give the formula whose arguments, declared nowhere, have given axes, of its own tensors."""
        given = self.formula(linked).signature.python.bind(*args, **named).arguments
        asked = Asked(self.names, self.linker.callee, linked)
        own = asked.own()
        inputs = []
        for found in linked.inputs:
            space, value = found.space, given.get(self.identifier(linked, found))
            if found.inferred and space is not None and space.base == "R" and value is not None:
                has = list(getattr(value, "axes", ()))
                wanted = asked.closest(found.key) or {*space.names}
                kept = [
                    a
                    for a in space.axes
                    if a.axis.name in {*has, *wanted} or a.axis.name not in own
                ]
                known = [axis.axis.name for axis in kept]
                more = [n for n in has if n in own and n not in known]
                at = space.span
                sized = [SizedAxis(at, AxisName(at, name), None) for name in more]
                space = dataclasses.replace(space, axes=(*kept, *sized))
                found = dataclasses.replace(found, space=space)
            inputs.append(found)
        changed = tuple([found.space for found in inputs])
        if changed == tuple([found.space for found in linked.inputs]):
            return None
        if (linked, changed) not in self._opened:
            arguments = {found.key: found for found in inputs if found.role == "argument"}
            other = dataclasses.replace(linked, inputs=inputs, own={**linked.own, **arguments})
            self._opened[linked, changed] = self.formula(other)
        return self._opened[linked, changed]

    def _hold_distinct(self, linked: Linked) -> None:
        """Raise LatexError where one letter stands twice among the arguments, or for two things."""
        seen: set[str] = set()
        for found in linked.inputs:
            if found.key in seen:
                twice = f"stands twice among the arguments of {linked.key}"
                two = f"stands for two things that {linked.key} takes"
                raise self.error(
                    "repeated",
                    f"{found.key} {twice if found.role == 'argument' else two}",
                    found.name,
                    hint="give each argument a letter of its own",
                )
            seen.add(found.key)

    def _parameter(
        self, linked: Linked, found: Input, sized: Space | None, lettered: Mapping[str, str]
    ) -> Parameter:
        name = self.identifier(linked, found)
        after = found.role != "argument"
        if found.role == "setting":
            default = self.settings.get(found.key, found.default)
            return Parameter(name, None, None, True, default)
        if found.role == "bundle":
            return Parameter(name, None, self._bundle(name, found), after, inspect.Parameter.empty)
        if sized is None:
            raise self.error(
                "undeclared",
                f"{found.key} is declared nowhere, and {linked.key} needs its axes",
                found.name,
                hint=f"declare it: {found.key} \\in \\mathbb{{R}}^{{...}}",
            )
        bound = self.linker.bound
        along = axes_along(self.names, bound, found)
        numbers = {**linked.indices, **found.numbers}
        stated = where_stated(found.space, sized, self.source)
        space = named_space(sized, bound, along, lettered, numbers, stated)
        names = [axis.name for axis in space.axes]
        if len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise self.error(
                "repeated",
                f"{found.key} is declared over the axis {twice} twice; axes are a set",
                found.name,
                hint=f"call the second one {twice}', or leave it out",
            )
        return Parameter(name, space, None, after, inspect.Parameter.empty)

    def _bundle(self, name: str, found: Input) -> Formula:
        """Give the formula whose parameters a bundle holds; one for several holds what any wants."""
        assert found.linked is not None
        first = self.formula(found.linked)
        if not found.others:
            return first
        formulas = [first, *map(self.formula, found.others)]
        wanted = {p.name: p for f in formulas for p in f.signature.after}
        python = python_signature(list(wanted.values()))

        def bundle(**parameters: Any) -> Any:
            raise LatexError(self.error("arguments", f"{name} is no function", found.name).finding)

        bundle.__name__ = bundle.__qualname__ = name
        return Formula(bundle, Signature(tuple(wanted.values()), None, False, python))

    def _function(
        self, linked: Linked, python: inspect.Signature, keys: dict[str, str]
    ) -> Callable[..., Any]:
        def body(*args: Any, **kwargs: Any) -> Any:
            given = python.bind(*args, **kwargs)
            given.apply_defaults()
            values = {keys[name]: value for name, value in given.arguments.items()}
            try:
                return self._tensors(Body(self, linked, values).run())
            except NamedTensorError as error:
                found = failure(error, self.source, linked.defined.name.span).finding
            raise LatexError(found)  # a traceback without the evaluator's own steps

        body.__name__ = self.name(linked)
        body.__qualname__ = body.__name__
        body.__doc__ = self.describe(linked)
        body.names_parts = True  # type: ignore[attr-defined]
        return body

    @staticmethod
    def _tensors(result: Any) -> Any:
        """Give bare numbers and sizes as tensors without axes."""
        parts = result if isinstance(result, tuple) else (result,)
        alone = FULL((), "")
        tensors = [
            p if isinstance(p, NamedTensor) and not _is_host(p) else made(alone, p) for p in parts
        ]
        return tuple(tensors) if isinstance(result, tuple) else tensors[0]

    def describe(self, linked: Linked) -> str:
        """Say where a formula is defined, and which parameters its list leaves out."""
        statement = linked.defined.statement
        line = self.source.position(statement.span.start)[0]
        text = " ".join(self.source.text[statement.span.start : statement.span.end].split())
        lines = [
            f"{linked.key}, as {self.source.name} defines it in line {line}.",
            "",
            f"    {text}",
        ]
        if linked.defined.kind == "function":
            unlisted = [i.key for i in linked.after if i.listed is None and i.role != "setting"]
            if unlisted:
                lines += ["", f"{', '.join(unlisted)}: declared, and not in its list."]
        return "\n".join(lines)

    # ------------------------------------------------------------------------------- names

    def name(self, linked: Linked) -> str:
        """Give the Python name of a formula."""
        name = numbered(linked.defined.name, linked.indices)
        waiting = [t for t in linked.defined.letters if t not in linked.indices]
        if waiting:
            name = self.names.whole_name(linked.defined)
        return python_name(name, key(name) or linked.key)

    def identifier(self, linked: Linked, found: Input) -> str:
        """Give the Python name of an input: W1 for W^1."""
        if linked not in self._identifiers:
            self._identifiers[linked] = identifiers(linked.inputs)
        return self._identifiers[linked][found.key]

    def setting(self, linked: Linked, name: Expression) -> str:
        """Give the Python name of a setting that a call names.

        Raises: LatexError where the formula has no such setting.
        """
        text = key(name)
        for found in linked.inputs:
            if found.role == "setting" and found.key == text:
                return self.identifier(linked, found)
        raise self.error("arguments", f"{linked.key} has no setting {text}", name)

    def sizes_in(self, linked: Linked, value: Any, text: str, search: Any) -> Any:
        """Find a size among the parameters that a bundle holds."""
        held = value._values if isinstance(value, Bundle) else value
        if not isinstance(held, dict):
            return None
        inside = {i.key: held.get(self.identifier(linked, i)) for i in linked.after}
        return search(linked.after, inside, text)

    # ------------------------------------------------------------------------------- errors

    def circular(self, defined: Defined) -> LatexError:
        """Make the error of a definition that needs itself."""
        return self.error(
            "circular",
            f"{shown(defined.key)} is defined by itself",
            defined.name,
            hint="a recurrence counts its steps: h^t = f(h^{t-1}), with h^0 given",
        )

    def unbound(self, linked: Linked, letter: str, name: str) -> LatexError:
        """Make the error of a series whose number of members nobody has chosen."""
        name_of = linked.defined.name
        asked = key(bare(name_of)) if axis_along(name_of) else shown(linked.key)
        hint = f'choose it: document.bind({letter}=2)["{asked}"]'
        message = f"{shown(name)} needs a number for {letter}"
        return self.error("unbound", message, name_of, hint)

    def error(self, code: str, message: str, where: Expression, hint: str = "") -> LatexError:
        """Make an error at a place of the document."""
        return self.error_at(code, message, where.span, hint)

    def error_at(self, code: str, message: str, span: Span, hint: str = "") -> LatexError:
        """Make an error at a stretch of the document."""
        return LatexError(Finding("error", code, message, self.source, span, (), hint))


def _holds(linked: Linked, sought: Linked, seen: set[Linked]) -> bool:
    """Say whether one of the bundles that a formula takes, or one of theirs, is of this formula."""
    for found in linked.inputs:
        for inner in (found.linked, *found.others):
            if inner is sought:
                return True
            if inner is not None and inner not in seen:
                seen.add(inner)
                if _holds(inner, sought, seen):
                    return True
    return False


def _is_host(value: Any) -> bool:
    node = getattr(value, "node", None)
    return node is not None and node.type.host


# ---------------------------------------------------------------------------------------- families


class Family:
    """The formulas that a document defines by an index: `document["LayerNorm"][1]`.

    Each member has parameters of its own: gamma^1 and beta^1 where the family has gamma^l and beta^l.
    """

    def __init__(self, library: Library, defined: Defined) -> None:
        self.library = library
        self.defined = defined
        self.name = defined.key

    def __getitem__(self, index: Any) -> Formula:
        given = index if isinstance(index, tuple) else (index,)
        letters = self.defined.letters
        call = f"{self.name}[{', '.join(map(repr, given))}]"
        for number in given:
            if isinstance(number, bool) or not isinstance(number, int):
                raise IndexRangeError(
                    f"{self.name}[...]",
                    f"a member is chosen by a whole number, and not by {kind_of_thing(number)}",
                    hint=f"{self.name} has the index {', '.join(letters)}: [1] for {letters[0]} = 1",
                )
        if len(given) != len(letters):
            raise IndexRangeError(
                call,
                f"{self.name} has the index {', '.join(letters)}, and {len(given)} are given",
                hint="one whole number for each",
            )
        indices = dict(zip(letters, given, strict=True))
        self._hold(call, indices)
        return self.library.of(self.defined, indices)

    def _hold(self, call: str, indices: dict[str, int]) -> None:
        within = self.defined.range
        if within is None or within.letter not in indices:
            return
        number, bound = indices[within.letter], self.library.linker.bound
        lower, upper = fold(within.lower, bound), fold(within.upper, bound)
        if (lower is not None and number < lower) or (upper is not None and number > upper):
            ends = f"{'...' if lower is None else lower} to {'...' if upper is None else upper}"
            raise IndexRangeError(
                call,
                f"{within.letter} runs from {ends}, and {number} is outside",
                hint="the document counts from its first number",
            )

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise IndexRangeError(
            f"{self.name}(...)",
            "this is a family of formulas, and a call is of one of them",
            hint=f'choose it by its index: document["{key(bare(self.defined.name))}"][1] for '
            f"{self.defined.letters[0]} = 1",
        )

    def __repr__(self) -> str:
        return f"family {self.name} over {', '.join(self.defined.letters)}"


class Members:
    """Formulas that a document defines one by one, phi_1, phi_2: `document["phi"][1]`."""

    def __init__(self, library: Library, name: str, members: dict[int, Defined]) -> None:
        self.library = library
        self.name = name
        self.members = members

    def __getitem__(self, number: int) -> Formula:
        if number not in self.members:
            listed = ", ".join(map(str, sorted(self.members)))
            raise IndexRangeError(
                f"{self.name}[{number!r}]",
                f"{self.name} is defined for {listed}",
                hint=f"{self.name}[{min(self.members)}]",
            )
        return self.library.of(self.members[number])

    def __repr__(self) -> str:
        return f"{self.name} for {', '.join(map(str, sorted(self.members)))}"
