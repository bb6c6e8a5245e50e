r"""Letters that stand for all parameters: \mathcal{L}(\theta) = ... f(x; \theta) is \mathcal{L} = ... f(x).

Such a letter is in no body but to be handed on, and nothing says what it is but a list, \theta = (U, V). What
a formula takes is then found as without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.left_sides import given_names
from namedtensor.latex.reading.spoken import head_of
from namedtensor.latex.reading.statements import is_name
from namedtensor.latex.reading.words import LETTERS as GREEK
from namedtensor.latex.syntax import (
    Bars,
    Big,
    Call,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Items,
    Letter,
    Number,
    Scripts,
    Statement,
)
from namedtensor.latex.walk import all_of, put, texts_of, walk


def leave_out_all_parameters(entries: Sequence[Entry]) -> None:
    """Take letters that stand for all parameters out of calls and left sides."""
    rules = {e.target.function for e in entries if isinstance(e.target, Call)}
    if not rules:
        return
    steps = [e for e in entries if _changed(e.statement) is not None]
    apart = {*map(id, steps)}
    kept = [e for e in entries if id(e) not in apart]
    calls = [c for e in kept for c in all_of(Call, e.statement) if c.function in rules]
    places: dict[tuple[Expression, bool, int], set[Expression]] = {}
    for call in calls:
        for behind, given in enumerate((call.arguments, call.parameters)):
            for at, part in enumerate(given):
                places.setdefault((call.function, bool(behind), at), set()).add(part)
    lists = {e.target: e for e in entries if _is_list(e.statement)}
    below = {f.sub for f in rules if isinstance(f, Scripts)}
    handed = {part for parts in places.values() for part in parts if isinstance(part, Letter)}
    found = {
        letter
        for letter in handed
        if letter in lists
        or letter in below
        or letter.text in GREEK
        or any(behind and parts == {letter} for (_, behind, _), parts in places.items())
    }
    found = {one for one in found if all(len(p) == 1 for p in places.values() if one in p)}
    if not found:
        return
    spaces = [e for e in entries if e.found.positional and isinstance(e.statement, Declaration)]
    aside = [*spaces, *lists.values(), *[e for e in steps if _changed(e.statement) in found]]
    apart = {*map(id, aside)}
    texts = {letter.text for letter in found}
    with_them = [e for e in entries if not texts.isdisjoint(texts_of(e.statement))]
    others = [e for e in with_them if id(e) not in apart]
    known = {head_of(name) for e in others for name in given_names(e.statement)}

    def strip(part: Any) -> Any:
        """Leave only what is computed with."""
        match part:
            case Scripts(base=inner) | Derivative(of=inner):
                return put(inner, strip)
            case Big(lower=Letter(), body=inner):
                return put(inner, strip)
            case Bars(operand=Letter(), double=True):
                return Number(part.span, 0)
        return without(part, handed, strip) if isinstance(part, Call) else None

    def without(call: Call, letters: set[Any], inside: Any) -> Any:
        own = letters if call.function in rules else set()
        arguments, parameters = (
            tuple([put(part, inside) for part in given if part not in own])
            for given in (call.arguments, call.parameters)
        )
        function = put(call.function, inside)
        if not (arguments or parameters or call.axes):
            return function
        return replace(call, function=function, arguments=arguments, parameters=parameters)

    known |= texts_of(tuple([put(e.statement, strip) for e in others]))
    found = {letter for letter in found if letter.text not in known}

    def change(part: Any) -> Any:
        return without(part, found, change) if isinstance(part, Call) else None

    for entry in with_them if found else ():
        statement = entry.statement
        entry.found.statement = put(statement, change)
        if entry.target in lists and entry.target in found:
            entry.leave_out(QUIET["remark"])
        elif _changed(statement) in found or any(
            not isinstance(part, Call) and found.intersection(_taken(part))
            for part in walk(statement)
        ):
            entry.leave_out("it is about all parameters at once")


def _changed(said: Statement) -> Any:
    r"""Give the letter that a step changes, \theta_{k+1} = \theta_k - \nabla \ell, or an optimum chooses."""
    if not isinstance(said, Definition):
        return None
    own = getattr(said.target, "base", said.target)
    chosen = [big.lower for big in all_of(Big, said.body)]
    return own if said.op == "<-" or any(all_of(Derivative, said.body)) or own in chosen else None


def _taken(part: Any) -> tuple[Any, ...]:
    """Give what an optimum is over, or what a norm is of."""
    match part:
        case Big(lower=inner) | Bars(operand=inner, double=True):
            return (inner,)
    return ()


def _is_list(said: Statement) -> bool:
    """Say whether a letter is a list of names: \\theta = (U, V)."""
    if not isinstance(said, Definition):
        return False
    body = said.body
    names = body.parts if isinstance(body, Items) and body.bracket in ("(", "{") else ()
    return isinstance(said.target, Letter) and bool(names) and all(map(is_name, names))
