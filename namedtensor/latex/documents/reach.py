"""Walk over a definition and all that it reaches, and note what its formula takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from namedtensor.latex.documents.along import FAR, LAST, axis_along, bare
from namedtensor.latex.documents.asked import Asked
from namedtensor.latex.documents.inputs import (
    SMALL_NUMBER,
    Around,
    Input,
    Linked,
    by_letter,
    find_function,
    handed_on,
    meaning_of,
    own_axes,
    owns,
    passed_on,
)
from namedtensor.latex.documents.members import members_needed, way_of
from namedtensor.latex.documents.resolver import Resolver
from namedtensor.latex.documents.scopes import (
    Declared,
    Defined,
    Meaning,
    Names,
    Place,
    element_axes,
)
from namedtensor.latex.documents.scripts import Indices, fold, key, numbered, script_letters, stem
from namedtensor.latex.documents.series import refuse_long
from namedtensor.latex.evaluation.conditions import is_one
from namedtensor.latex.evaluation.identifiers import set_to
from namedtensor.latex.evaluation.vocabulary import word_of
from namedtensor.latex.reading.ranges import all_bound
from namedtensor.latex.reading.words import SMALL
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Bars,
    Big,
    Call,
    Expression,
    Indexed,
    Letter,
    Number,
    Relation,
    Scripts,
    SizedAxis,
    Space,
)
from namedtensor.latex.walk import all_of, children, letters_of, parted, texts_of, walk


class Walk:
    """Walk over a definition and all that it reaches, and note what its formula takes."""

    def __init__(self, linker: Linker, linked: Linked) -> None:
        self.linker = linker
        self.names = linker.names
        self.linked = linked
        self.asked = Asked(linker.names, linker.callee, linked)
        self.seen: set[Any] = set()
        self.visited: set[tuple[Defined, int | None]] = set()
        self.listed_sizes: set[str | None] = set()

    def run(self) -> None:
        linked, defined = self.linked, self.linked.defined
        around = Around(defined.place, {**self.linker.bound, **linked.indices})
        call = defined.call
        if call is not None:
            self._arguments(call, around)
            self.listed_sizes = self._sizes_of_listed(call, around)
        signature = self.names.signature(defined)
        linked.result = signature.codomain if signature else self._declared_result()
        members = self.members(defined)
        if members and not linked.indices and call is None:
            for name in members:
                Visit(self, around).visit(name)
        else:
            Visit(self, around).body(defined)
        self._unreached(call, around)
        self._loosen(call)
        self._infer(call)
        self._sort()

    # ----------------------------------------------------------------------------- arguments

    def _arguments(self, call: Call, around: Around) -> None:
        """Note what stands in the brackets of f(X; W): arguments with their spaces, names of parameters."""
        for place, argument in enumerate(call.arguments):
            text = key(argument, around.indices)
            if text is not None:
                found = Input(text, argument, "argument")
                self._declare(found, place, call, around)
                self.linked.own[text] = found
                self.linked.inputs.append(found)
        self._doubt(call, around)
        for place, parameter in enumerate(call.parameters):
            text = key(parameter, around.indices)
            if text is not None:
                self.linked.listed[text] = place

    def _doubt(self, call: Call, around: Around) -> None:
        """Leave aside a declaration that is another letter's: of another section, or below.

        So it is where all calls give elements of what is declared, F(q) of F(q_{time(t)}), where that
        lacks an axis below the function's name, and where the body has an index of that letter and
        other formulas a tensor.
        Both are doubted where the document's calls give what they do not fit; that of another section
        also where the body acts along axes of its own section and none of the declared, or another
        argument is declared nowhere.
        """
        at, arguments = around.place, self.linked.arguments
        unknown = any(found.space is None for found in arguments)
        for place, argument in enumerate(call.arguments):
            found = self.linked.own.get(key(argument, around.indices) or "")
            declared = None if found is None else found.declared
            if found is None or declared is None:
                continue
            far = not self.names.inherits(at, declared.place)
            below = declared.place.index > at.index and declared.place.block != at.block
            doubted = (far or below) and self._is_given_else(place, found)
            if far and not doubted:
                here, there = map(self._axes_declared, (at, declared.place))
                asked = {*self.asked.of(found.key, alone=True)}
                other = bool(asked & (here - there)) and asked.isdisjoint(declared.space.names)
                doubted = other or (unknown and any(self.asked.of(found.key)))
            apart = declared.place.block != at.block
            lacks = {a.name for a in call.axes} - {*declared.space.names}
            places = [one.at for one in all_of(At, self.linked.defined.body)]
            real = declared.space.base == "R" and bool(declared.space.axes)
            index = real and apart and argument in places and self._is_used_else(argument)
            if doubted or lacks or index or (apart and self._is_given_elements(place, argument)):
                found.declared, found.space, found.along = None, None, ()

    def _is_used_else(self, argument: Expression) -> bool:
        """Say whether another formula uses a letter that is an argument of this one, and none of its own."""
        others = [d for d in self.names.definitions if d is not self.linked.defined]
        return any(
            stem(argument) in texts_of(d.body)
            for d in others
            if d.call is None or argument not in d.call.arguments
        )

    def _axes_declared(self, at: Place) -> set[str]:
        """List the axes that the section of a place declares something over."""
        said = tuple([s for s in self.names.statements if s.section == at.section])
        return {sized.axis.name for sized in all_of(SizedAxis, said)}

    def _is_given_elements(self, place: int, argument: Expression) -> bool:
        """Say whether calls give elements of what an argument is named after, f(x_{class(k)}) beside f(q).

        What all others give lacks axes along which the body does not act.
        """
        found = self.linked.own.get(key(argument) or "")
        if found is None or found.space is None:
            return False
        whole, asked, some = {*found.space.names}, {*self.asked.of(found.key)}, False
        for call, at in self.names.calls_of.get(self.linked.defined.key, ()):
            given = call.arguments[place] if place < len(call.arguments) else None
            if (isinstance(given, Indexed) and given.base == argument) or (
                given is not None and axis_along(given) and bare(given) == argument
            ):
                some = True
            else:
                known = None if given is None else self.names.declaration(given, at)
                lacking = whole - {*known.space.names} if known is not None else set[str]()
                if not lacking or lacking & asked:
                    return False
        return some

    def _is_given_else(self, place: int, found: Input) -> bool:
        """Say whether a call gives what lacks a declared axis, or an expression to a body of numbers.

        Of an expression it must be seen that it has another axis instead.
        """
        assert found.space is not None
        axes = {*found.space.names}
        for call, at in self.names.calls_of.get(self.linked.defined.key, ()):
            given = call.arguments[place] if place < len(call.arguments) else found.name
            if key(given) == found.key:
                continue
            known = self.names.declaration(given, at)
            if known is None:
                own = dict(self.names.arguments_at(at))
                for name in [t for t in letters_of(given) if key(t) in own]:
                    its = self.names.declaration(name, at)  # X of f(W X), in g(X) = ... f(W X)
                    if its is not None and self.names.inherits(at, its.place):
                        own.pop(key(name), None)
                has = self.names.axes_known(given, at, own)
                other = not self._names_axes() or bool(axes - has and has - axes)
            else:
                other = not axes <= {*known.space.names}
            if other:
                return True
        return False

    def _declare(self, found: Input, place: int, call: Call, around: Around) -> None:
        """Find the space of an argument.

        It is that of a declaration in the same block; of the function's signature; of the nearest
        declaration; of a function that it is passed to; a number, where no axis is named.
        """
        declared, along = self._declaration(found.name, around)
        formal = {*own_axes(self.linked.defined)}
        lacks = declared is not None and bool(formal - {*declared.space.names})
        if lacks and formal.intersection(self.asked.of(found.key)):
            declared, along = None, ()  # the X of norm_{ax}(X) is any that has such an axis
        at = around.place
        signature = self.names.signature(self.linked.defined)
        told = signature is not None and place < len(signature.domain)
        if (
            signature is not None
            and told
            and (declared is None or declared.place.block != at.block)
        ):
            found.space = signature.domain[place]
            return
        before = declared is not None and (
            declared.place.section == at.section or declared.place.index < at.index
        )
        if not before:
            space = self._space_by_call(found.name, call, around)
            if space is not None:
                found.space = space
                return
        if declared is not None:
            found.declared, found.space, found.along = declared, declared.space, along

    def _declaration(
        self, name: Expression, around: Around
    ) -> tuple[Declared | None, tuple[str, ...]]:
        """Find the nearest declaration of a name; x is declared where x^t is."""
        declared = self.names.declaration(name, around.place, around.indices)
        if declared is not None:
            return declared, ()
        family = self.names.family(name, around.place) or self._declared_power(name, around.place)
        members = all_of(Scripts, self.linked.defined.body)
        if family is not None and any(part.base == name for part in members):
            # the x of f(x) = sum_i k(x, x_i) is a point as each x_i is
            return dataclasses.replace(family, key=key(name) or "", name=name, letters=()), ()
        return family, () if family is None else family.letters

    def _declared_power(self, name: Expression, place: Place) -> Declared | None:
        r"""Give \sigma^2, which N(x; \mu, \sigma^2) takes, the space in which \sigma is declared."""
        if (
            not isinstance(name, Scripts)
            or not isinstance(name.sup, Number)
            or name.sub is not None
        ):
            return None
        base = self.names.declaration(name.base, place, {})
        return None if base is None else dataclasses.replace(base, key=key(name) or "", name=name)

    def _space_by_call(self, name: Expression, own: Call, around: Around) -> Space | None:
        """Take the space of the argument of another function that this one is passed to."""
        for call in all_of(Call, self.linked.defined.body):
            if name not in call.arguments or call.function == own.function:
                continue
            found = self.linker.callee(call, around.place, around.indices)
            if found is not None:
                places = found[0].arguments[call.arguments.index(name) :]
                space = places[0].space if places else None
                if space is not None and not (places[0].inferred and space.axes):
                    return space
        return None

    def _sizes_of_listed(self, call: Call, around: Around) -> set[str | None]:
        """List the letters of sizes that the listed parameters are declared with."""
        found: set[str | None] = set()
        for parameter in call.parameters:
            meaning = self.names.parameter(parameter, around.place, around.indices)
            if meaning is not None and meaning.declared is not None:
                axes = meaning.declared.space.axes
                found |= {key(a.size) for a in axes if a.size is not None}
        return found

    def _declared_result(self) -> Space | None:
        """Find what the defined name itself is declared to be."""
        defined = self.linked.defined
        if defined.kind == "function" or any(t not in self.linked.indices for t in defined.letters):
            return None
        declared = self.names.declaration(defined.name, defined.place, self.linked.indices)
        if declared is None or declared.place.section != defined.place.section:
            return None
        block = declared.place.block  # v of f(v) is no other formula's
        own = block == defined.place.block or not self.names.is_block_of_functions(block)
        return declared.space if own else None

    def _unreached(self, call: Call | None, around: Around) -> None:
        """Keep a parameter that is listed and declared in this section, though the body forgets it."""
        reached = {i.listed for i in self.linked.inputs}
        for place, parameter in enumerate(call.parameters if call else ()):
            meaning = self.names.input(parameter, around.place, around.indices)
            declared = None if meaning is None else meaning.declared
            near = declared is not None and declared.place.section == around.place.section
            if place not in reached and meaning is not None and near:
                self.take(parameter, meaning)

    def _loosen(self, call: Call | None) -> None:
        """Let a function of numbers alone, sigma(z), take any tensor, whatever z is elsewhere.

        So it does where a call gives eta(x, t) a tensor for its number t, whatever x is.
        """
        linked, at = self.linked, self.linked.defined.place
        if call is None or self._names_axes() or any(i.linked for i in linked.after):
            return
        if any(map(element_axes, linked.reached)):
            return  # it has tensors of its own
        elsewhere = [
            i.declared is not None and not self.names.inherits(at, i.declared.place)
            for i in linked.arguments
        ]
        plain = all(i.space is None or not i.space.axes for i in linked.after)
        called = any(
            self.linker.callee(c, d.place, linked.indices)
            for d in self.asked.bodies()
            for c in all_of(Call, d.body)
        )
        any_ = all(elsewhere) or self._gives_axes_to_numbers()
        if linked.arguments and any_ and plain and not called:
            for found in linked.arguments:
                found.declared, found.along = None, ()
                found.space = Space(found.name.span, "R", ())

    def _gives_axes_to_numbers(self) -> bool:
        """Say whether a call of the document gives a tensor for what is declared to be a number."""
        return any(
            self.names.axes_known(given, at, self.names.arguments_at(at))
            for call, at in self.names.calls_of.get(self.linked.defined.key, ())
            for found, given in zip(self.linked.arguments, call.arguments, strict=False)
            if found.declared is not None and not found.declared.space.axes
        )

    def _names_axes(self) -> bool:
        return any(all_of(AxisName, d.body) for d in self.asked.bodies())

    def _infer(self, call: Call | None) -> None:
        """Give arguments that are declared nowhere the axes along which the body acts on them.

        k(A, B) = exp(-sum_{dim} (A - B)^2) takes tensors over dim; what else they have is lifted over, but
        for axes of the body's own tensors: they have those that the document's calls give them. The norm
        of what is asked for no axes is over all that the calls give. An M beside a declared M^0 has its.
        """
        own = self.asked.own()
        for place, found in enumerate(self.linked.arguments if call is not None else ()):
            if found.space is None and found.linked is None:
                at = found.name.span
                axes = dict.fromkeys(self.asked.of(found.key))
                index = self._stands_as_index(found.key)
                if index:  # the axes of what it picks from are not its own
                    axes = {name: None for name in axes if name not in own}
                norms = self.asked.has_norms(below=bool(axes))
                if own or norms:
                    given, whole = self.names.axes_given(self.linked.defined, place)
                    if whole:
                        axes = {name: None for name in axes if name in given or name not in own}
                    axes |= dict.fromkeys([name for name in given if name in own or norms])
                found.inferred = True
                sized = tuple([SizedAxis(at, AxisName(at, name), None) for name in axes])
                of_member = None if index else self._space_of_member(found)
                found.space = of_member or Space(at, "[n]" if index else "R", sized)
        for found in self.linked.after if call is not None else ():
            unsaid = found.role == "parameter" and found.declared is None
            if unsaid and found.listed is not None and not self.names.has_members(found.name):
                at = found.name.span  # w of f(x; w), taken for a number so far
                axes = dict.fromkeys(self.asked.of(found.key, alone=True))
                for parameter, at_call in self._given_for(found):
                    has = self.names.axes_known(
                        parameter, at_call, self.names.arguments_at(at_call)
                    )
                    axes |= {name: None for name in self.asked.of(found.key) if name in has}
                sized = tuple([SizedAxis(at, AxisName(at, name), None) for name in axes])
                power = self._declared_power(found.name, self.linked.defined.place)
                found.space = Space(at, "R", sized) if power is None else power.space
                found.inferred = bool(found.space.axes)

    def _given_for(self, found: Input) -> list[tuple[Expression, Place]]:
        """List what the calls of the document give for a parameter, and where."""
        calls = self.names.calls_of.get(self.linked.defined.key, ())
        at = found.listed or 0
        return [(c.parameters[at], place) for c, place in calls if at < len(c.parameters)]

    def _space_of_member(self, found: Input) -> Space | None:
        """Give the shape that a member of a series is declared with, M^0, to its letter M."""
        if stem(found.name) not in self.names.series_letters:
            return None
        members = self.names.declared_members(found.name, self.linked.defined.place)
        spaces = [dataclasses.replace(d.space, span=found.name.span) for d in members]
        axes = {axis.axis.name for space in spaces[:1] for axis in space.axes}
        fits = bool(axes) and self.asked.closest(found.key) <= axes
        return spaces[0] if fits and all(s == spaces[0] for s in spaces) else None

    def _stands_as_index(self, text: str) -> bool:
        """Say whether a letter chooses elements: W_{vocab(k)}, or m(k) of such an m.

        The k of x_{seq(t - k)} is a distance, and a number as any other.
        """
        for part in [p for d in self.asked.bodies() for p in walk(d.body)]:
            if isinstance(part, Indexed):
                found = [item.at for item in part.indices]
            elif isinstance(part, Call):
                found = [at for space, at in self.asked.handed_on(part) if space.base == "[n]"]
            else:
                continue
            if text in map(key, found):
                return True
        return False

    def _sort(self) -> None:
        """Put the parameters in the order of their list, or of their declarations."""
        linked = self.linked
        bundled = any(i.listed is not None and i.key not in linked.listed for i in linked.inputs)
        last = len(self.names.statements)

        def order(found: Input) -> tuple[Any, ...]:
            declared = found.declared
            at = declared.place.index if declared is not None else last
            inside = declared.name.span.start if declared is not None else 0
            unlisted = found.listed is None
            return (
                unlisted and not bundled,
                0 if bundled or unlisted else found.listed,
                at,
                inside,
            )

        first = linked.arguments
        if linked.defined.kind != "function":
            first = sorted(first, key=order)
        linked.inputs = first + sorted(linked.after, key=order)

    # ------------------------------------------------------------------------------- taking

    def take(self, name: Expression, meaning: Meaning, role: str = "") -> None:
        """Note a declared name that the body reaches."""
        declared = meaning.declared
        assert declared is not None
        linked = self.linked
        listed = meaning.key in linked.listed  # GIN(X; W, epsilon) learns its declared epsilon
        if meaning.key in self.linker.bound and not (declared.space.axes or listed):
            return  # a number that is chosen
        if not (declared.space.axes or listed) and self.take_small(name, meaning.key):
            return
        if linked.input_of(meaning) is not None:
            return
        text = linked.key_of(meaning)
        numbers = {} if linked.gathers(meaning) else meaning.indices
        own_name = numbered(declared.name, numbers)
        along = declared.letters if linked.gathers(meaning) else ()
        found = Input(
            text, own_name, "parameter", declared, declared.space, along=along, numbers=numbers
        )
        found.listed = linked.listed.get(text)
        if found.listed is None:
            found.listed = linked.listed.get(stem(name) or "")
        value = linked.defined.kind != "function"
        asked = role or ("parameter" if self.linker.is_parameter(name) else "argument")
        if value and found.listed is None:
            found.role = asked
        linked.inputs.append(found)

    def take_small(self, name: Expression, text: str) -> bool:
        power = isinstance(name, Scripts) and isinstance(name.sup, Number)
        if stem(name) not in SMALL or power or text in self.names.divisors:
            return False
        if all(i.key != text for i in self.linked.inputs):
            found = Input(text, name, "setting", default=SMALL_NUMBER)
            found.listed = self.linked.listed.get(text)
            self.linked.inputs.append(found)
        return True

    def take_number(self, name: Expression, text: str) -> bool:
        """Take a number for a letter that is listed after the semicolon and declared nowhere."""
        if text not in self.linked.listed:
            return False
        if all(i.key != text for i in self.linked.inputs):
            found = Input(text, name, "parameter", space=Space(name.span, "R", ()))
            found.listed = self.linked.listed[text]
            self.linked.inputs.append(found)
        return True

    def take_argument(self, name: Expression, text: str) -> bool:
        """Take what a function of the section takes by a letter that is declared nowhere: H = inv(G + λ I).

        Beside b(λ), which is made of it too, λ is a number; a formula's own λ is the same one.
        """
        if text in self.linked.own:
            return True
        for function in self.linker.takers.get(text, ()):
            if function.place.section != self.linked.defined.place.section:
                continue
            given = self.linker.linked(function).own.get(text)
            if given is None or given.space is None or given.linked is not None:
                continue
            if all(i.key != text for i in self.linked.inputs):
                value = self.linked.defined.kind != "function"
                role = "argument" if value else "parameter"
                found = Input(text, name, role, space=given.space, inferred=given.inferred)
                found.listed = self.linked.listed.get(text)
                self.linked.inputs.append(found)
            return True
        return False

    def take_bundle(self, text: str, name: Expression, callee: Linked) -> None:
        """Note the parameters that MHA^1(X) owns, as a bundle of its name."""
        if not callee.after:
            return
        for known in self.linked.inputs:
            if known.key == text and known.role == "bundle":
                if callee is not known.linked and callee not in known.others:
                    known.others.append(callee)
                return
        listed = self.linked.listed.get(text, self.linked.listed.get(stem(name) or ""))
        self.linked.inputs.append(Input(text, name, "bundle", listed=listed, linked=callee))

    def take_by_letter(self, callee: Linked, given: bool = True) -> None:
        """Take what a called formula takes without listing it: the same letter stands for the same."""
        for found in callee.after:
            if found.role == "bundle":
                if found.linked is not None and found.listed is None:
                    self.take_bundle(found.key, found.name, found.linked)
            elif by_letter(found, given) and found.declared is not None:
                self.take(found.name, meaning_of(found, callee), "parameter")

    def own_sizes(self) -> set[str | None]:
        """List the letters of sizes that the formula's own inputs are declared with."""
        return {
            key(axis.size)
            for found in self.linked.inputs
            if found.space is not None
            for axis in found.space.axes
            if axis.size is not None
        } | self.listed_sizes

    def members(self, defined: Defined) -> list[Expression]:
        """Name all members of a series whose length is chosen."""
        if len(defined.letters) != 1 or defined.range is None:
            return []
        lower = fold(defined.range.lower, self.linker.bound)
        upper = fold(defined.range.upper, self.linker.bound)
        if lower is None or upper is None:
            return []
        (letter,) = defined.letters
        refuse_long(defined.key, upper - lower + 1)
        return [numbered(defined.name, {letter: n}) for n in range(lower, upper + 1)]


class Visit(Resolver):
    """Note what is reached at one place of a formula's body; names that are bound there are in `shadow`."""

    def __init__(self, walk: Walk, around: Around, shadow: frozenset[str] = frozenset()) -> None:
        listed = walk.linked.listed if around.own else ()
        given = walk.linked.own
        super().__init__(walk.names, around.place, around.indices, given, listed)
        self.walk = walk
        self.linker = walk.linker
        self.linked = walk.linked
        self.around = around
        self.shadow = shadow

    def own(self, name: Expression, text: str) -> bool | None:
        """Say whether a name is bound here, an argument or the size of one: nothing is taken for it."""
        if text in self.shadow:
            return True
        own = self.around.own and (text in self.arguments or text in self.walk.own_sizes())
        return own or None

    def meant(self, name: Expression, meaning: Meaning) -> bool:
        """Note what the document means by a name."""
        if meaning.kind == "input":
            self.walk.take(name, meaning)
        elif meaning.kind in ("where", "value", "stack"):
            self.reach(meaning)
        elif meaning.defined is not None:
            self.walk.take_by_letter(self.linker.linked(meaning.defined, meaning.indices))
        return True

    def unwritten(self, name: Expression, text: str) -> bool | None:
        """Note a small number, one that is listed after the semicolon, or what another function takes."""
        return (
            self.walk.take_small(name, text)
            or (self.around.own and self.walk.take_number(name, text))
            or self.walk.take_argument(name, text)
            or None
        )

    def inside(self, shadow: Collection[str] = (), indices: Indices | None = None) -> Visit:
        """Give the same place with more names bound, or with numbers for index letters."""
        numbered = {**self.indices, **(indices or {})}
        around = dataclasses.replace(self.around, indices=numbered)
        return Visit(self.walk, around, self.shadow | {*shadow})

    def body(self, defined: Defined) -> None:
        """Visit what a definition is made of."""
        bound = [i.at for i in _items(defined) if isinstance(i.at, Letter)]
        shadow = {k for k in map(key, bound) if k is not None} | defined.counting
        if defined.updates:
            shadow.add(defined.key)
            before = self.names.before(defined)
            if before is not None:
                self.meant(defined.name, before)
        inner = self.inside(shadow)
        condition = defined.statement.condition
        asked = () if condition is None or not _items(defined) else (condition,)
        for part in (defined.body, *asked, *[i.at for i in _items(defined)]):
            inner.visit(part)

    def visit(self, part: Any) -> None:
        """Visit a part of a formula."""
        if isinstance(part, (Letter, Scripts)):
            self._name(part)
        elif isinstance(part, Call):
            self._call(part)
        elif isinstance(part, Big):
            self._big(part)
        else:
            for child in children(part):
                self.visit(child)

    def _big(self, part: Big) -> None:
        names = [one.index for one in all_bound(part)]
        if isinstance(part.lower, (Letter, Scripts)) and self._is_tensor(part.lower):
            names = []  # min_W f(W) is over tensors
        texts = [text for name in names if (text := key(name)) is not None]
        for text in texts[:1]:
            if self._owns_by(text, part.body, self.place):
                self._each_owns(text, part)
                return
        inner = self.inside(texts)
        for child in children(part):
            inner.visit(child)
        for text in texts[:1]:
            self._first_of(text, part)

    def _first_of(self, letter: str, part: Big) -> None:
        """Visit the member that a sum begins with where it is given by itself: x^0 of sum_{m=0}^{l-1} x^m."""
        lower = part.lower.rest[0][1] if isinstance(part.lower, Relation) else None
        first = fold(lower, self.linker.bound)
        for name in all_of(Scripts, part.body) if first is not None else ():
            if letter in script_letters(name):
                member = numbered(name, {letter: first})
                found = self.names.look(member, self.place, self.indices)
                if found is not None and found.declared is not None and not found.declared.letters:
                    self.visit(member)

    def _owns_by(
        self, letter: str, body: Expression, place: Place, seen: Collection[Defined] = ()
    ) -> bool:
        """Say whether an index chooses copies of a function with parameters of their own: F^e(x).

        So does that of h^e where a rule says that h^l = F^l(h^{l-1}).
        """
        for call in all_of(Call, body):
            if letter in script_letters(call.function):
                found = self.linker.callee(call, place, self.indices)
                if found is not None and found[1]:
                    return True
        for name in all_of(Scripts, body):
            if letter in script_letters(name):
                meaning = self.names.look(name, place, {**self.indices, letter: 1})
                rule = None if meaning is None else meaning.defined
                if rule is None or rule in seen or rule.call is not None:
                    continue
                if any(
                    self._owns_by(own, rule.body, rule.place, {*seen, rule}) for own in rule.letters
                ):
                    return True
        return False

    def _each_owns(self, letter: str, part: Big) -> None:
        """Visit the body for each number of its index; which these are must be known."""
        first = part.lower.rest[0][1] if isinstance(part.lower, Relation) else None
        lower, upper = fold(first, self.linker.bound), fold(part.upper, self.linker.bound)
        if lower is None or upper is None:
            self.linked.unbound = key(part.upper) or letter if part.upper is not None else letter
            return
        refuse_long(letter, upper - lower + 1)
        for number in range(lower, upper + 1):
            self.inside(indices={letter: number}).visit(part.body)

    def _is_tensor(self, name: Letter | Scripts) -> bool:
        meaning = self.names.look(name, self.place, self.indices)
        declared = None if meaning is None else meaning.declared
        return declared is not None and bool(declared.space.axes)

    def _name(self, name: Letter | Scripts) -> None:
        """Note what a name stands for; where a name has no meaning, its parts may have."""
        if self.find(name):
            return
        parts: Sequence[Expression | None] = ()
        if isinstance(name, Scripts) and (name.sub or name.primes) and name.sup is not None:
            parts = (dataclasses.replace(name, sup=None), name.sup)
        elif isinstance(name, Scripts):
            norm = isinstance(name.base, Bars) and name.sub == Letter(name.span, "F")  # no letter
            parts = (name.base, None if norm else name.sub, name.sup)
        elif name.style == "letter" and 1 < len(name.text) < 4 and name.text.isalpha():
            parts = parted(name)
            parts = parts if all(map(self._means_something, parts)) else ()
        for part in parts:
            if part is not None:
                self.visit(part)

    def _means_something(self, name: Letter) -> bool:
        given = (self.shadow, self.arguments, self.linked.listed)
        if any(name.text in texts for texts in given):
            return True
        return self.names.look(name, self.place, self.indices) is not None

    def reach(self, meaning: Meaning) -> None:
        """Visit a definition that a letter stands for, and the first members of a series."""
        defined = meaning.defined
        assert defined is not None
        indices = {**self.linker.bound, **self.linked.indices, **meaning.indices}
        if meaning.kind == "where" and not defined.letters:
            indices = {**self.indices}
        members = self.walk.members(defined) if meaning.kind == "stack" else []
        for name in members:
            self.visit(name)
        if members:
            return
        if meaning.kind == "stack":
            indices |= dict.fromkeys(defined.letters)
        ahead = axis_along(defined.name) is not None and way_of(defined) > 0
        indices |= {t: None for t in defined.letters if ahead or (indices.get(t) or 0) >= FAR}
        own = self.around.own and meaning.kind != "value"
        place = (defined, own, tuple(sorted(indices.items(), key=str)))
        if place in self.walk.seen:
            return
        self.walk.seen.add(place)
        self.walk.visited |= {(defined, n) for n in meaning.indices.values()}
        self.linked.reached.add(defined)
        self._reach_up_to(meaning)
        inner = Visit(self.walk, Around(defined.place, indices, own))
        inner.body(defined)
        if any(indices.get(t) is None for t in defined.letters):
            after = [numbered(defined.name, {t: LAST + 1}) for t in defined.letters if ahead]
            for first in [*self.names.firsts(defined), *after]:
                inner.visit(first)

    def _reach_up_to(self, meaning: Meaning) -> None:
        """Visit the members before one that is far up, the first one first, so that none is deep."""
        defined = meaning.defined
        assert defined is not None
        last = meaning.indices.get(defined.letters[0]) if len(defined.letters) == 1 else None
        chosen = last in self.linker.bound.values()  # by the user, however large
        if (
            last is None
            or (last >= FAR and not chosen)
            or (axis_along(defined.name) and way_of(defined) > 0)
        ):
            return
        numbers = members_needed(self.names, defined, last, self.linker.bound)
        refuse_long(defined.key, len(numbers))
        (letter,) = defined.letters
        if numbers and (defined, numbers[-1]) in self.walk.visited:
            return  # and with it those before it
        for number in numbers:
            if self.names.is_rule(numbered(defined.name, {letter: number}), defined):
                self.reach(dataclasses.replace(meaning, indices={letter: number}))

    # ------------------------------------------------------------------------------- calling

    def _call(self, call: Call) -> None:
        for argument in call.arguments:
            self.visit(argument if is_one(call.function) else set_to(argument))
        text = key(call.function, self.indices)
        if text is None or text in self.shadow or (self.around.own and text in self.arguments):
            self.visit(call.function)
            self._parameters(call.parameters)
            return
        found = self.linker.callee(call, self.place, self.indices)
        if found is None:
            if self.names.applied(call.function, self.place, self.indices) is None:
                self.visit(call.function)
            self._parameters(call.parameters)
            return
        callee, owned = found
        if owned:
            self._note_open(call.function)
            self.walk.take_bundle(text, numbered(call.function, self.indices), callee)
            return
        self.walk.take_by_letter(callee, bool(call.parameters))
        self._pass_on(call, callee)

    def _parameters(self, parameters: Sequence[Expression]) -> None:
        for parameter in parameters:
            self.visit(parameter)

    def _note_open(self, name: Expression) -> None:
        """Note that a length must be known: MHA^l has parameters for each l = 1, ..., L."""
        for letter in script_letters(name):
            if letter in self.indices and self.indices[letter] is None:
                statement = self.names.statements[self.place.index]
                within = self.names.range_of(letter, statement)
                upper = None if within is None or within.upper is None else key(within.upper)
                self.linked.unbound = upper or letter

    def _pass_on(self, call: Call, callee: Linked) -> None:
        """Take the names that are passed on after the semicolon, a bundle's letter for all of it."""
        if self.linker.names_bundle(self.linked, call, self.around):
            text = key(call.parameters[0], self.indices)
            assert text is not None
            found = handed_on(text, callee)
            owner = callee if found is None or found.linked is None else found.linked
            self.walk.take_bundle(text, numbered(call.parameters[0], self.indices), owner)
            return
        for place, given in enumerate(call.parameters):
            wanted = [i for i in callee.after if i.listed == place]
            for found in wanted:
                passed = passed_on(found, given, callee)
                if passed is None:
                    self.visit(given)
                elif isinstance(passed, (Letter, Scripts)):
                    self.find(passed)
            if not wanted and not self.names.has_members(given):
                self.visit(given)


def _items(defined: Defined) -> list[At]:
    target = defined.statement.target
    return [*target.indices] if isinstance(target, Indexed) else []


class Linker:
    """Link the definitions of a document; `bound` are numbers that its user has chosen, L = 6."""

    def __init__(self, names: Names, bound: Mapping[str, int] | None = None) -> None:
        self.names = names
        self.bound = dict(bound or {})
        self._known: dict[Any, Linked] = {}
        calls = [d.call for d in names.definitions]
        listed = [stem(p) for c in calls if c is not None for p in c.parameters]
        #: the letters that some formula lists after a semicolon
        self.after = frozenset([text for text in listed if text is not None])
        self._apart = self.after | names.series_letters
        #: functions by the letters of their arguments
        self.takers: dict[str, list[Defined]] = {}
        for defined in names.definitions:
            for given in defined.call.arguments if defined.call is not None else ():
                self.takers.setdefault(key(given) or "", []).append(defined)

    def linked(self, defined: Defined, indices: Indices | None = None) -> Linked:
        """Give a definition, or a member of a family, with what it takes."""
        numbers = {n: v for n, v in (indices or {}).items() if v is not None}
        place = (defined, tuple(sorted(numbers.items())))
        if place not in self._known:
            linked = self._known[place] = Linked(defined, numbers, letters=self._apart)
            Walk(self, linked).run()
        return self._known[place]

    def is_parameter(self, name: Expression) -> bool:
        """Say whether this document writes a letter after a semicolon somewhere."""
        return stem(name) in self.after

    # ------------------------------------------------------------------------------- calls

    def callee(self, call: Call, place: Place, indices: Indices) -> tuple[Linked, bool] | None:
        """Find the formula that a call is of, and say whether the call's name owns its parameters.

        MHA^1(X) and LayerNorm^l(X) own theirs; MHA(X; W) is given them.
        """
        meaning = find_function(self.names, call.function, place, indices)
        if meaning is None or meaning.defined is None:
            return None
        word = call.function.text if isinstance(call.function, Letter) and call.axes else ""
        if word and not own_axes(meaning.defined) and word_of(word) is not None:
            return None  # a word with axes below it is everybody's
        callee = self.linked(meaning.defined, meaning.indices)
        return callee, owns(meaning, call, callee, indices)

    def names_bundle(self, linked: Linked, call: Call, around: Around) -> bool:
        """Say whether MHA(X; mha) names all parameters of MHA by an own one that is declared nowhere.

        layer(X; layers^l) names those of one layer, by its number. The w of f(x; w), whose only parameter
        is declared nowhere either, is that one.
        """
        if len(call.parameters) != 1 or not isinstance(call.parameters[0], (Letter, Scripts)):
            return False
        name = call.parameters[0]
        text = key(name, around.indices)
        meaning = self.names.look(name, around.place, around.indices)
        member = (
            isinstance(name, Scripts)
            and name.sub is None
            and fold(name.sup, around.indices) is not None
        )
        listed = text in linked.listed or (member and stem(name) in linked.listed)
        if not listed or (meaning is not None and meaning.kind != "function"):
            return False
        found = self.callee(call, around.place, around.indices)
        only = found[0].after if found is not None else ()
        if len(only) == 1 and only[0].declared is None and only[0].key == text:
            return only[0].role == "bundle"
        return not self.names.has_members(name)
