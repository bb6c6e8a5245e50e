r"""Check recurrences by the axes that their steps have in the end, where no step has a shape by itself.

The axes of h_t and c_t, which are made of h_{t-1} and c_{t-1}, grow from none until nothing is added, as they
do when the steps run. A contraction along an axis that one side lacks is then found where it stands, and not
where another step meets its axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from namedtensor.latex.check.checker import Checker
from namedtensor.latex.documents.scopes import Defined
from namedtensor.latex.reading.spoken import head_of
from namedtensor.latex.reading.words import APPLIED, FUNCTIONS, STATISTICS
from namedtensor.latex.syntax import (
    At,
    Bars,
    Big,
    Binary,
    Call,
    Contract,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Renaming,
    Root,
    Scripts,
    Unary,
)
from namedtensor.latex.walk import children, letters_of
from namedtensor.primitives import Type

#: So many times the axes of all steps are computed at most.
ROUNDS = 8

Axes = frozenset[str]


class Unknown(Exception):
    """The axes of a part are not known without running it."""


def check_steps(checker: Checker) -> None:
    """Report contractions along an axis that a step of a recurrence lacks, or what it is contracted with."""
    for group in _groups(checker):
        if any(checker.report.any_in(defined.statement.span) for defined in group):
            continue  # what is found of one may be why another one lacks an axis
        steps = _Steps(checker, {_step(defined.name) for defined in group})
        try:
            for _ in range(ROUNDS):
                if not any([steps.grows(defined) for defined in group]):
                    break
            else:
                continue
            found = [one for defined in group for one in steps.missing(defined.body)]
        except Unknown:
            continue
        for part, side, axis in found:
            if not checker.report.any_in(part.span):
                text = checker.report.text(side.span)
                checker.report.error(
                    "axis-missing",
                    part.span,
                    f"contraction over {axis}, and {text} has no axis {axis}",
                    [(text, " ".join(sorted(steps.of(side))))],
                    f"rename the axis of {text} that is meant, or declare {axis} where it is missing",
                )
        if found:
            checker.misled |= {id(defined) for defined in group}


def _groups(checker: Checker) -> Iterator[list[Defined]]:
    """List the definitions of letters that are made of one another, step by step."""
    values = [d for d in checker.names.definitions if d.kind != "function"]
    names: list[Any] = [d.name for d in values if _step(d.name)]
    counted = {_step(name) for name in names if letters_of((name.sub, name.sup))}
    own = [d for d in values if _step(d.name) in counted]
    uses: dict[str, set[str]] = {}
    for defined in own:
        uses.setdefault(_step(defined.name), set()).update(_steps_of(defined.body))
    reach = {text: {*used} & {*uses} for text, used in uses.items()}
    before = 0
    while before < (before := sum(map(len, reach.values()))):
        for text in reach:
            reach[text] |= {far for near in reach[text] for far in reach[near]}
    seen = set[str]()
    for text, far in reach.items():
        if text in far and text not in seen:
            cycle = {other for other in far if text in reach[other]}
            seen |= cycle
            yield [d for d in own if _step(d.name) in cycle]


class _Steps:
    """The axes that the steps of a recurrence have so far."""

    def __init__(self, checker: Checker, letters: set[str]) -> None:
        self._checker = checker
        self._axes: dict[str, Axes] = dict.fromkeys(letters, frozenset())
        for declared in [d for group in checker.names.declared.values() for d in group]:
            if (text := _step(declared.name)) in letters:  # a start
                self._axes[text] |= {axis.axis.name for axis in declared.space.axes}

    def grows(self, defined: Defined) -> bool:
        """Compute a step; say whether its letter has more axes than before."""
        text = _step(defined.name)
        before = self._axes[text]
        self._axes[text] = before | self.of(defined.body)
        return self._axes[text] != before

    def missing(self, part: Any) -> Iterator[tuple[Contract, Expression, str]]:
        """List the contractions in a part with a side that lacks an axis, which the other side has."""
        for inner in _parts(part):
            yield from self.missing(inner)
        if isinstance(part, Contract) and self._steps_in(part):
            left, right = self.of(part.left), self.of(part.right)
            for axis in [a.name for a in part.axes]:
                if (axis in left) != (axis in right):
                    yield part, part.right if axis in left else part.left, axis

    def _steps_in(self, part: Any) -> bool:
        return any(text in self._axes for text in _steps_of(part))

    def of(self, part: Any) -> Axes:
        """Give the axes of a part.

        Raises: Unknown where only a run of it tells.
        """
        if not self._steps_in(part):
            type_ = self._checker.type_of(part)
            if type_ is None and not isinstance(part, Number):
                raise Unknown
            return frozenset(type_.names if type_ is not None else ())
        acted = frozenset([axis.name for axis in getattr(part, "axes", ())])
        if _step(part) in self._axes:
            return self._axes[_step(part)]
        if isinstance(part, Indexed):
            return self._indexed(part)
        norm = isinstance(part, Bars) and part.double
        plain = not norm and isinstance(part, Binary | Unary | Root | Contract | Items | Bars)
        if isinstance(part, Call):
            text, names = head_of(part.function), self._checker.names
            known = STATISTICS if acted else (FUNCTIONS | APPLIED.keys()) - STATISTICS
            plain = text in known and not part.parameters and text not in names.defined
        elif isinstance(part, Big):
            plain = part.lower is None and bool(acted)
        if not plain or (isinstance(part, Items) and len(part.parts) != 1):
            raise Unknown
        kept = isinstance(part, Call) and head_of(part.function) == "softmax"
        return frozenset().union(*map(self.of, _parts(part))) - (frozenset() if kept else acted)

    def _indexed(self, part: Indexed) -> Axes:
        axes = self.of(part.base)
        for item in part.items:
            if isinstance(item, Renaming):
                if len(item.before) != 1 or len(item.after) != 1:
                    raise Unknown
                before, after = item.before[0].axis.name, item.after[0].axis.name
                axes = axes - {before} | {after} if before in axes else axes
            elif isinstance(item, At) and self._checker.type_of(item.at) in (None, Type(())):
                axes = axes - {item.axis.name}
            else:
                raise Unknown
        return axes


def _step(name: Any) -> str:
    """Give the letter of a step, h_t, h^{k-1} or h_0; nothing for any other name, as h^+ or h_{new}."""
    if not isinstance(name, Scripts) or name.primes or not isinstance(name.base, Letter):
        return ""
    scripts = [script for script in (name.sub, name.sup) if script is not None]
    for script in scripts if len(scripts) == 1 else ():
        if isinstance(script, Number | Binary) or (
            isinstance(script, Letter) and _is_index(script)
        ):
            return name.base.text
    return ""


def _is_index(letter: Letter) -> bool:
    """Say whether a letter may count steps, and is neither a mark nor a word."""
    return letter.style == "letter" and letter.text.isalpha()


def _steps_of(part: Any) -> Iterator[str]:
    """List the letters of the steps in a part, without those in scripts and indices: W of W^i_{seq(t)}."""
    if isinstance(part, Scripts) and _step(part):
        yield _step(part)
    elif isinstance(part, Scripts | Indexed):
        yield from _steps_of(part.base)
    else:
        for inner in children(part):
            yield from _steps_of(inner)


def _parts(part: Any) -> list[Any]:
    """List the parts of which a part has the axes."""
    match part:
        case Call(arguments=arguments):
            return [*arguments]
        case Contract(left=left, right=right) | Binary(left=left, right=right):
            return [left, right]
        case Unary(operand=operand) | Bars(operand=operand) | Root(operand=operand):
            return [operand]
        case Items(parts=parts):
            return [*parts]
        case Big(body=body):
            return [body]
    return []
