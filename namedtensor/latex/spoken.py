"""Find which statements without axes belong to the notation, by the names that they speak of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from namedtensor.latex.branches import letters_of, parts_of
from namedtensor.latex.statements import is_name, is_range
from namedtensor.latex.syntax import (
    Big,
    Call,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Letter,
    Relation,
    Scripts,
    Signature,
    Statement,
)
from namedtensor.latex.words import FUNCTIONS

#: Names that a formula may use without anybody giving them.
CONSTANTS = frozenset(("pi", "e", "infty", "epsilon", "varepsilon"))

#: What speaks of what speaks of the notation ... is followed so far.
ROUNDS = 8


class Spoken:
    """The names that the notation speaks of, those that it gives, and those of its functions."""

    def __init__(self) -> None:
        self.here: set[tuple[int, str]] = set()
        self.given: set[tuple[int, str]] = set()
        self.shaped: set[tuple[int, str]] = set()
        self.anywhere: set[str] = set()

    def add(self, statement: Statement, section: int) -> None:
        """Take in what a statement of the notation speaks of."""
        self.here |= {(section, letter.text) for letter in letters_of(statement)}
        if isinstance(statement, Declaration):
            self.shaped |= {(section, key_of(name)) for name in statement.names}
        for name in subjects_of(statement):
            if not isinstance(statement, Constraint):
                self.given.add((section, head_of(name)))
            key = key_of(name)
            if len(key) > 1:
                self.anywhere.add(key)

    def knows(self, statement: Statement, section: int, positional: bool) -> bool:
        """Say whether a statement without axes speaks of what the notation speaks of."""
        for name in subjects_of(statement):
            key = key_of(name)
            if positional:
                return (section, key) in self.shaped
            if (section, head_of(name)) in self.here or key in self.anywhere:
                return True
        if isinstance(statement, Constraint):
            return is_range(statement.relation) and bool(self.here)
        if not isinstance(statement, Definition) or positional:
            return False
        own = {letter.text for letter in letters_of(statement.target)}
        used = {letter.text for letter in letters_of(statement.body)} - own
        return any(name in self.anywhere or (section, name) in self.given for name in used)


def closed_among(statements: Sequence[Statement], spoken: Spoken) -> list[Statement]:
    """Give the definitions that use nothing but their arguments, given names, and one another.

    Of those that define no function only those count that a function uses, or that form a series.
    """
    whole = [s for s in statements if isinstance(s, Definition) and _is_plain(s.target)]
    for _ in range(ROUNDS):
        known = {head_of(s.target) for s in whole} | spoken.anywhere
        known |= {name for _, name in spoken.given}
        kept = [s for s in whole if _free(s) <= known]
        if len(kept) == len(whole):
            break
        whole = kept
    used = {name for s in whole if isinstance(s.target, Call) for name in _free(s)}
    used |= {head_of(s.target) for s in whole if isinstance(s.target, Scripts) and _recurs(s)}
    return [s for s in whole if isinstance(s.target, Call) or head_of(s.target) in used]


def _recurs(definition: Definition) -> bool:
    head = head_of(definition.target)
    return any(letter.text == head for letter in letters_of(definition.body))


def _is_plain(target: Expression) -> bool:
    """Say whether a target is a name, or a function of letters without scripts."""
    if isinstance(target, Call):
        return all(isinstance(each, Letter) for each in (*target.arguments, *target.parameters))
    return not isinstance(target, Indexed)


def _free(definition: Definition) -> set[str]:
    """Name what a definition takes from elsewhere."""
    own = {letter.text for letter in letters_of(definition.target)}
    for big in parts_of(definition.body, Big):
        own |= {letter.text for letter in letters_of(big.lower)}
    return {
        letter.text
        for letter in letters_of((definition.body, *definition.chain))
        if letter.text not in own
        and letter.text not in CONSTANTS
        and letter.text not in FUNCTIONS
        and not (letter.style == "letter" and all(part in own for part in letter.text))
    }


def subjects_of(statement: Statement) -> Iterator[Expression]:
    """Give the names that a statement is about: a function's rather than its arguments'."""
    names: tuple[Expression, ...] = ()
    if isinstance(statement, Declaration):
        names = statement.names
    elif isinstance(statement, Signature):
        names = (statement.name,)
    elif isinstance(statement, Definition):
        names = (statement.target,)
    elif isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
        first = statement.relation.first
        names = (first,) if is_name(first) else ()
    for name in names:
        yield name.function if isinstance(name, Call) else name


def head_of(name: Expression) -> str:
    """Give the letter of a name without its scripts and arguments."""
    while isinstance(name, Scripts | Indexed | Call):
        name = name.function if isinstance(name, Call) else name.base
    return name.text if isinstance(name, Letter) else ""


def key_of(name: Expression) -> str:
    """Give a name with its scripts as one text.

    >>> from namedtensor.latex.reader import parse_expression
    >>> key_of(parse_expression("d_k")), key_of(parse_expression("W^1"))
    ('d_k', 'W^1')
    """
    parts = [head_of(name)]
    while isinstance(name, Scripts | Indexed):
        if isinstance(name, Scripts):
            parts += [f"_{_said(name.sub)}"] if name.sub is not None else []
            parts += [f"^{_said(name.sup)}"] if name.sup is not None else []
        name = name.base
    return "".join(parts)


def _said(script: Expression) -> str:
    return str(getattr(script, "text", getattr(script, "value", "?")))
