r"""Letters for several parameters: \theta = (W, b), with which L(\theta) and f(x; \theta) take W and b.

Others of the same kind have the letter with a mark: f(x; \theta^-) takes W^- and b^-, and f_{\bar\theta}(x)
takes \bar W and \bar b, which have the axes of W and b. So does a letter that nothing gives in its place:
f(x; \phi) takes W_\phi and b_\phi, or \phi^1 and \phi^2 where \theta^1 and \theta^2 are declared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.left_sides import given_names
from namedtensor.latex.reading.spoken import head_of, key_of
from namedtensor.latex.reading.statements import is_name
from namedtensor.latex.syntax import (
    Call,
    Declaration,
    Definition,
    Expression,
    Items,
    Letter,
    Scripts,
    Space,
    Statement,
    Text,
)
from namedtensor.latex.walk import all_of, put, texts_of

#: What stands above or below the letter of other parameters of the same kind.
MARKS = frozenset("-+*")
DRESSES = ("bar", "hat", "tilde")

Parts = tuple[Expression, ...]


def with_listed_parameters(statements: Sequence[Statement]) -> list[Statement]:
    """Put the parameters for the letter that stands for them, and declare those of the same kind."""
    lists = {
        said.target.text: said.body.parts
        for said in statements
        if isinstance(said, Definition) and isinstance(said.target, Letter)
        if isinstance(said.body, Items) and said.body.bracket in ("(", "{", "[")
        if len(said.body.parts) > 1 and all(map(is_name, said.body.parts))
    }
    spaces = {
        key_of(name): said.space
        for said in statements
        if isinstance(said, Declaration)
        for name in said.names
    }
    given = {key_of(name) for said in statements for name in given_names(said)}
    bundles = _bundles(statements, given)
    if not (lists or bundles):
        return [*statements]
    known = {text: parts for text, parts in lists.items() if {*map(key_of, parts)} <= {*spaces}}
    dressed = {text + dress for text in known for dress in DRESSES}
    others = _others(statements, {*known, *bundles}, {*given, *dressed})
    change = _Listed(known, given, bundles.keys(), {o.text: text for o, text in others.items()})
    for letter, text in others.items():
        for member in bundles.get(text, ()):
            change.like[replace(member, base=letter)] = member
    for call in all_of(Call, tuple(statements)):
        change.note(call)
    for said in statements:
        target = getattr(said, "target", None)
        if isinstance(target, Call) and any(
            key_of(name) in {*known, *bundles} for name in target.arguments
        ):
            change.losses.add(key_of(target.function))
        if isinstance(said, Definition) and isinstance(target, Call):
            change.note_uses(target, texts_of(said.body))
    found: list[Statement] = []
    for said in statements:
        changed = put(said, change)
        for name, part in change.like.items():
            if key_of(name) not in spaces:
                space: Space = spaces[key_of(part)]
                spaces[key_of(name)] = space
                made = Declaration(said.span, (name,), space)
                found.append(replace(made, block=said.block, section=said.section))
        found.append(changed)
    return found


def _bundles(
    statements: Sequence[Statement], given: Collection[str]
) -> dict[str, tuple[Scripts, ...]]:
    r"""List the members of parameters that are declared one by one, \theta^1 and \theta^2 of f(x; \theta)."""
    targets = [s.target for s in statements if isinstance(s, Definition)]
    own = [p for t in targets if isinstance(t, Call) for p in t.parameters if isinstance(p, Letter)]
    found: dict[str, list[Scripts]] = {p.text: [] for p in own if p.text not in given}
    for said in statements if found else ():
        for name in said.names if isinstance(said, Declaration) else ():
            if (
                isinstance(name, Scripts)
                and isinstance(name.base, Letter)
                and name.base.text in found
            ):
                found[name.base.text].append(name)
    return {text: tuple(members) for text, members in found.items() if members}


def _others(
    statements: Sequence[Statement], kinds: Collection[str], given: Collection[str]
) -> dict[Letter, str]:
    """List the letters that nothing gives and that stand where calls take parameters of a kind."""
    places: dict[str, dict[int, str]] = {}
    for said in statements:
        target = said.target if isinstance(said, Definition) else None
        if isinstance(target, Call):
            own = {i: p.text for i, p in enumerate(target.parameters) if key_of(p) in kinds}  # type: ignore[union-attr]
            places.setdefault(_stem(target), {}).update(own or _below(target, kinds))
    heads = {head_of(name) for said in statements for name in given_names(said)}
    found: dict[Letter, str] = {}
    for said in statements if any(places.values()) else ():
        target = getattr(said, "target", None)
        formal = (*target.arguments, *target.parameters) if isinstance(target, Call) else ()
        for call in all_of(Call, said):
            at = places.get(_stem(call), {})
            sub = call.function.sub if isinstance(call.function, Scripts) else None
            for place, name in ((-1, sub), *enumerate(call.parameters)):
                new = isinstance(name, Letter) and name not in formal and name.text not in heads
                if place in at and new and name.text not in {*kinds, *given}:  # type: ignore[union-attr]
                    found[name] = at[place]  # type: ignore[index]
    return found


def _stem(call: Call) -> str:
    """Name a function without what stands below it."""
    return key_of(call.function.base if isinstance(call.function, Scripts) else call.function)


def _below(call: Call, kinds: Collection[str]) -> dict[int, str]:
    """Give the letter of parameters that stands below a function, f_theta(x)."""
    sub = call.function.sub if isinstance(call.function, Scripts) else None
    return {-1: sub.text} if isinstance(sub, Letter) and sub.text in kinds else {}


class _Listed:
    """What to put for calls that take parameters by the letter of a list."""

    def __init__(
        self,
        known: Mapping[str, Parts],
        given: Collection[str],
        bundles: Collection[str],
        others: Mapping[str, str],
    ) -> None:
        self._known, self._given = known, given
        #: letters of parameters that are declared one by one, and letters of others of the same kind
        self._bundles, self._others = bundles, others
        #: functions that take the parameters one by one, as some call gives them others of the kind
        self._marked: set[str] = set()
        #: functions that are defined with the letter of a list as a parameter
        self._own: set[str] = set()
        #: functions of the letter of a list, L(\theta): what they use of it is reached
        self.losses: set[str] = set()
        #: names of parameters of the same kind, and those whose axes they have
        self.like: dict[Expression, Expression] = {}

    def note(self, call: Call) -> None:
        """Take in that a function is given other parameters."""
        if any(self._other(name) for name in call.parameters) or self._below(call, others=True):
            self._marked.add(self._key(call))

    def note_uses(self, target: Call, used: Collection[str]) -> None:
        """Take in that a function uses all that stands in the list which it is given."""
        lists = [self._known[key_of(p)] for p in target.parameters if key_of(p) in self._known]
        self._own |= {key_of(target.function)} if lists else set()
        if lists and all(head_of(part) in used for parts in lists for part in parts):
            self._marked.add(self._key(target))

    def __call__(self, part: Any) -> Expression | None:
        """Give a call with the parameters one by one, or without those that are reached; else None."""
        if not isinstance(part, Call):
            return None
        arguments, parameters, function = part.arguments, part.parameters, part.function
        if key_of(function) in self.losses:
            listed = {*self._known, *self._bundles}
            arguments = tuple([name for name in arguments if key_of(name) not in listed])
        if self._key(part) in self._marked or key_of(function) not in self._own:
            below = self._below(part) if self._key(part) in self._marked else None
            each = below or [one for name in parameters for one in self._parts(name) or (name,)]
            parameters = tuple(each)
            if below and isinstance(function, Scripts):
                function = replace(
                    function, sub=Letter(function.span, self._key(part).rpartition("_")[2])
                )
        if (function, arguments, parameters) == (part.function, part.arguments, part.parameters):
            return None
        inner = put((function, arguments, parameters), self)
        if not (arguments or parameters):
            bare: Expression = inner[0]
            return bare
        return replace(part, function=inner[0], arguments=inner[1], parameters=inner[2])

    def _key(self, call: Call) -> str:
        """Name a function; f_{theta'} is f_theta."""
        function = call.function
        if self._below(call) and isinstance(function, Scripts) and function.sub is not None:
            sub = key_of(function.sub)
            stem = self._others.get(sub) or next(t for t in self._known if sub.startswith(t))
            return f"{key_of(function.base)}_{stem}"
        return key_of(function)

    def _below(self, call: Call, others: bool = False) -> Parts | None:
        """Give the parameters that stand below a function as a letter, f_theta(x)."""
        sub = call.function.sub if isinstance(call.function, Scripts) else None
        if sub is None or call.parameters:
            return None
        return self._other(sub) if others else self._parts(sub)

    def _other(self, name: Any) -> Parts | None:
        return None if key_of(name) in self._known else self._parts(name)

    def _parts(self, name: Any) -> Parts | None:
        """Give the parameters that a letter stands for, marked as the letter is."""
        if isinstance(name, Letter) and name.text in self._known:
            return self._known[name.text]
        if not isinstance(name, Letter | Scripts) or key_of(name) in self._given:
            return None
        base = name.base if isinstance(name, Scripts) else name
        if not isinstance(base, Letter):
            return None
        if isinstance(name, Letter) and self._others.get(name.text) in self._known:
            return self._like(
                self._known[self._others[name.text]], Scripts(name.span, name, sub=name)
            )
        stems = {base.text.removesuffix(d): d for d in ("", *DRESSES) if base.text.endswith(d)}
        text = next((text for text in stems if text in self._known), "")
        parts, dress = self._known.get(text), stems.get(text, "")
        if parts is None or not (dress or (isinstance(name, Scripts) and _is_mark(name))):
            return None
        marks = name if isinstance(name, Scripts) else Scripts(name.span, name)
        return self._like(parts, marks, dress)

    def _like(self, parts: Parts, marks: Scripts, dress: str = "") -> Parts | None:
        """Give the parameters of a list the marks of a letter: W^- for W where it is theta^-."""
        found: list[Expression] = []
        for part in parts:
            whole = part if isinstance(part, Scripts) else Scripts(part.span, part)
            if not isinstance(whole.base, Letter):
                return None
            letter = replace(whole.base, text=whole.base.text + dress)
            sub, sup = marks.sub or whole.sub, marks.sup or whole.sup
            if marks.sub is not None and whole.sub is not None:  # W_1^old of theta_old
                sub, sup = whole.sub, sup or marks.sub
            plain = not (sub or sup or marks.primes)
            own = letter if plain else Scripts(marks.span, letter, sub, sup, marks.primes)
            self.like[own] = part
            found.append(own)
        return tuple(found)


def _is_mark(name: Scripts) -> bool:
    """Say whether scripts only tell one from another: a prime, a sign, or a word."""
    scripts = [s for s in (name.sub, name.sup) if s is not None]
    words = [
        isinstance(s, Text) or (isinstance(s, Letter) and (s.style == "word" or s.text in MARKS))
        for s in scripts
    ]
    return all(words) and bool(scripts or name.primes)
